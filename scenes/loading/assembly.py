"""Poses, and joints that are drawn open: bodies are moved to their places in a pose, and open joints are closed.

If a pose has values for only some joints of a loop, the other joints follow. The values change from the drawn pose in
small parts, and the loop is closed after each part, so that it stays on the branch on which it is drawn. If the loop
cannot follow but is nearly closed (rounded degrees, a bar that is a millimetre too long), it is closed by the smallest
motion. If that would move a body by more than a tenth of its figure, the pose is an error.
"""

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from physics.definitions import bodies as definitions
from physics.definitions.checks import DefinitionError
from physics.maths import strict
from physics.maths.rotations import matrix_of
from physics.maths.strict import arccosine, distance, norm, norms
from physics.world.world import World
from scenes.kinds.ties import Edge, product
from scenes.loading.poses import REST, Motion, Place, displacement, inverse, posed, times
from scenes.text.errors import Problem, SceneError

# joints that are open by more than this as drawn are assembled when the scene is loaded [m]
CLOSED = 1e-9
# what an assembled joint may stay open by, and how often the bodies are shaken to find a pose that closes
OPEN = 1e-6
ATTEMPTS = 4
# of its figure's size: farther no body is moved by closing joints
FAR = 0.1
# error of a joint's value in a pose that its loop follows [rad, or sizes of the figure]
KEPT = 1e-3
# of a pose that a loop follows, what is added at a time [rad, or sizes of the figure]
PART = 0.1
# how often it is closed again at the end, where holding the values is not quite exact (dead centres)
MORE = 2


class Assembly:
    """The assembly of one scene in a world of that scene."""

    def __init__(self, scene: Any, world: World):
        """Store the bodies that can move, where joints hold them, and their sizes."""
        self.scene, self.world = scene, world
        self.free = [name for name, part in scene.parts.items() if not part.held and not part.is_massless]
        self.anchors = self._anchors()
        self.sizes = self._sizes()

    # ------------------------------------------------------------ poses
    def take_pose(self, name: str) -> None:
        """Move the bodies to a pose, with all joints closed. If this is not possible, raise a SceneError and leave the
        bodies at their poses."""
        values = self.scene.poses[name]
        before = self.places()
        try:
            self.world.place(self.moving(posed(self.scene.parts, self.scene.edges, values)))
            culprit, gap = self.widest()
            self.scene.open_joints, self.scene.moved = self.open_joints(), {}
            if gap <= CLOSED or self.follow(values):
                return
            if gap > FAR * self.size_at(culprit):
                raise SceneError([self.does_not_close(name, values, culprit, gap)])
            self.close(values, f" in pose {name!r}")
        except SceneError:
            self.world.place(before)
            raise

    def moving(self, places: dict[str, Place]) -> dict[str, Place]:
        """Return the places of those bodies that are not there already. The other bodies keep their exact poses."""
        now = self.places()
        return {k: place for k, place in places.items() if _apart(place, now[k]) > 1e-12}

    def follow(self, values: dict[str, Any]) -> bool:
        """Bring the figures from the drawn pose to a pose in small parts. Return whether the loops allow it. An
        auxiliary world finds the way; in its tree the joints with values come first."""
        scene = self.scene
        joints = sorted(scene.definitions.joints, key=lambda joint: joint.name not in values)
        joints = [replace(j, auxiliary=False) if j.name in values and j.auxiliary else j for j in joints]
        guide = Assembly(scene, World(replace(scene.definitions, joints=joints)))
        drawn = guide.places()
        try:
            guide.close(())
            count = self.parts_of(values)
            for k in range(1, count + MORE + 1):
                part = {name: _scaled(value, min(1.0, k / count)) for name, value in values.items()}
                guide.world.place(posed(scene.parts, scene.edges, part, guide.current))
                guide.world.assemble(hold=values)
        except (SceneError, DefinitionError):
            return False
        if not guide.has(values):
            return False
        self.scene.moved = {}  # no motion other than that of the pose
        there, own = guide.places(), posed(scene.parts, scene.edges, values)
        # a coupled figure follows, too; others are left where they are now
        self.world.place({k: p for k, p in there.items() if k in own or _apart(p, drawn[k]) > CLOSED})
        return self.widest()[1] <= OPEN

    def parts_of(self, values: dict[str, Any]) -> int:
        """Return the number of parts in which the bodies move to a pose."""
        longest = 1.0
        for name, value in values.items():
            turn, _ = displacement(self.scene.edges[name], value)
            far = np.abs(np.atleast_1d(value)).max()
            angle = 2.0 * arccosine(min(1.0, abs(turn[0])))
            longest = max(longest, far / (PART if angle > 0.0 else PART * self.size_at(name)))
        return math.ceil(min(longest, 1000.0))

    def current(self, edge: Edge) -> Motion:
        """Return X_a^-1 X_b of a joint at the present pose of the bodies. For a joint of a massless body it is computed
        from the joint's coordinates."""
        a, b = self._ends(edge)
        if any(name in self.scene.parts and self.scene.parts[name].is_massless for name in (a, b)):
            if edge.spec.coordinate is None:
                return REST
            angle = self.world.joints[edge.name].angle
            return displacement(edge, tuple(angle.tolist()) if isinstance(angle, np.ndarray) else angle)
        return times(inverse(self.motion(a)), self.motion(b))

    def motion(self, name: str) -> Motion:
        """Return the displacement of a body from the drawn pose to the present pose."""
        if name not in self.free:
            return REST
        part, body = self.scene.parts[name], self.world.bodies[name]
        turn = REST[0]
        if body.has_orientation:
            w, x, y, z = part.orientation
            turn = product(body.quaternion.tolist(), (w, -x, -y, -z))
        return turn, body.position - (matrix_of(turn) * np.array(part.place)).sum(axis=1)  # without BLAS: the same bits

    def has(self, values: dict[str, Any]) -> bool:
        """Return whether the joints have the values of a pose, within `KEPT`."""
        for name, value in values.items():
            edge = self.scene.edges[name]
            turn, shift = times(inverse(displacement(edge, value)), self.current(edge))
            point = np.array(edge.definition.points[1])
            off = norm(strict.product(matrix_of(turn), point) + shift - point)
            turns = all(self.world.bodies[k].has_orientation for k in self._ends(edge) if k in self.free)
            if off > KEPT * self.size_at(name) or (turns and 2.0 * arccosine(min(1.0, abs(turn[0]))) > KEPT):
                return False
        return True

    def does_not_close(self, pose: str, values: dict[str, Any], name: str, gap: float) -> Problem:
        """Return the error of a pose at which the loop with the joint `name` does not close."""
        start = self.places()
        with suppress(DefinitionError):
            self.world.assemble(hold=())
        moved = self.moved_since(start)
        body = max(moved, key=lambda k: moved[k] / max(self.sizes[k], 1e-300), default="")
        closes = self.widest()[1] <= OPEN
        how = f"closing it would move {body!r} by {moved[body]:.3g} m" if closes and body else "it cannot be closed"
        left = [k for k, edge in self.scene.edges.items() if edge.spec.coordinate is not None and k not in values]
        figure = [k for k in left if self.size_at(k) == self.size_at(name)][:5]
        hint = f"; joints without a value in it: {', '.join(figure)}" if figure else ""
        text = f"is open by {gap:.3g} m (rad) in pose {pose!r}, and {how}; a tenth of its figure, "
        return self.problem(name, text + f"{FAR * self.size_at(name):.3g} m, is allowed{hint}")

    # ------------------------------------------------------------ closing
    def close_as_drawn(self) -> dict[str, float]:
        """Close the joints that are drawn open. Return how far each body was moved [m]."""
        self.scene.open_joints = self.open_joints()
        return self.close((), " as drawn")

    def close(self, hold: Iterable[str], where: str = "") -> dict[str, float]:
        """Close all joints, and keep the coordinates of the joints in `hold`. Return how far each body was moved [m].
        Raise a SceneError if a joint stays open, or if a body was moved too far (`judge`)."""
        start, world = self.places(), self.world
        places = {name: body.position for name, body in world.bodies.items()}
        rng = np.random.default_rng(0)
        first, open_by = self.widest()  # before anything is moved: later another one may be open
        culprit: Problem | None = None
        for attempt in range(ATTEMPTS):
            with suppress(DefinitionError):  # judged by the gaps
                world.assemble(hold=hold)
            name, gap = self.widest()
            if gap <= OPEN:
                break
            culprit = culprit or self.cannot_close(first if open_by > OPEN else name, gap)
            if attempt == ATTEMPTS - 1:
                raise SceneError([culprit])
            self._shake(rng)
        self.judge(start, first, open_by, where)
        self.scene.moved = {k: norm(body.position - places[k]) for k, body in world.bodies.items()}
        return self.scene.moved

    def judge(self, start: dict[str, Place], name: str, gap: float, where: str) -> None:
        """Refuse an assembly that moved a body by more than a tenth of its figure. Constraints outside a pose are
        exempt: their length or offset may differ much from the drawn one, while joints are drawn where they are."""
        edge = self.scene.edges.get(name)
        if edge is None or (edge.section == "constraints" and not where.startswith(" in pose")):
            return
        for body, far in self.moved_since(start).items():
            if far > FAR * self.sizes[body]:
                text = (
                    f"is open by {gap:.3g} m (rad){where}, and closing it would move {body!r} by {far:.3g} m; a tenth "
                    f"of its figure, {FAR * self.sizes[body]:.3g} m, is allowed"
                )
                raise SceneError([self.problem(name, text)])

    def _shake(self, rng: np.random.Generator) -> None:
        """Move the bodies out of a stretched or folded pose, from which no small motion closes the joints."""
        world, size = self.world, self.scene.size
        free = [world.bodies[name] for name in self.free]
        for body in free:
            # uniform: numbers that are distributed otherwise are rounded by the C library
            push, turn = (2.0 * rng.random((2, 3)) - 1.0) * [[0.17 * max(size, 0.1)], [1.7]]
            d = self.scene.parts[body.name].definition
            if isinstance(d, definitions.PlanarBody):
                n = np.array(d.normal)
                push, turn = push - n * strict.product(n, push), n * strict.product(n, turn)
            body.velocity = push
            if body.has_orientation:
                body.angular_velocity = turn
        world.move(0.2)
        for body in free:
            body.velocity = (0.0, 0.0, 0.0)
            if body.has_orientation:
                body.angular_velocity = (0.0, 0.0, 0.0)

    # ------------------------------------------------------------ numbers
    def places(self) -> dict[str, Place]:
        """Return position and quaternion of the bodies that forces move."""
        bodies = {name: self.world.bodies[name] for name in self.free}
        return {k: (tuple(b.position.tolist()), tuple(b.quaternion.tolist())) for k, b in bodies.items()}

    def widest(self) -> tuple[str, float]:
        """Return the name of the joint with the largest gap, and that gap [m or rad]."""
        return max(((k, max(g)) for k, g in self.world.gaps().items()), key=lambda pair: pair[1], default=("", 0.0))

    def open_joints(self) -> list[str]:
        """Return the names of the joints that are open."""
        return [name for name, gaps in self.world.gaps().items() if max(gaps) > CLOSED]

    def moved_since(self, start: dict[str, Place]) -> dict[str, float]:
        """Return how far each body was moved since the poses `start` [m]: the largest distance of its centre and its
        joints."""
        out = {}
        for name, (x, q) in self.places().items():
            offsets = self.anchors[name] - np.array(self.scene.parts[name].place)
            back = matrix_of(self.scene.parts[name].orientation).T
            there, here = (
                np.array(place) + strict.product(offsets, strict.product(matrix_of(turn), back).T)
                for place, turn in (start[name], (x, q))
            )
            out[name] = float(norms(here - there).max())
        return out

    def _anchors(self) -> dict[str, np.ndarray]:
        """Return the centre of each body and the points of its joints at the drawn pose [m]."""
        points = {name: [self.scene.parts[name].place] for name in self.free}
        for edge in self.scene.edges.values():
            for body, point in zip(self._ends(edge), edge.definition.points, strict=True):
                if body in points and edge.spec.tree:
                    points[body].append(point)
        return {name: np.array(rows, float) for name, rows in points.items()}

    def _sizes(self) -> dict[str, float]:
        """Return for each body the diagonal of the box around the bodies and joints of its figure [m]."""
        above = {name: name for name, part in self.scene.parts.items() if not part.held}

        def top(name: str) -> str:
            while above[name] != name:
                above[name] = above[above[name]]
                name = above[name]
            return name

        for edge in self.scene.edges.values():
            a, b = self._ends(edge)
            if a in above and b in above and edge.spec.tree:
                above[top(a)] = top(b)
        members: dict[str, list[str]] = {}
        for name in self.free:
            members.setdefault(top(name), []).append(name)
        sizes = {k: np.ptp(np.concatenate([self.anchors[n] for n in names]), axis=0) for k, names in members.items()}
        return {name: norm(sizes[top(name)]) for name in self.free}

    @staticmethod
    def _ends(edge: Edge) -> tuple[str, str]:
        """Return the names of the two bodies of an edge."""
        return str(edge.definition.a), str(edge.definition.b)

    def size_at(self, name: str) -> float:
        """Return the size of the figure that a joint belongs to [m]."""
        edge = self.scene.edges.get(name)
        ends = self._ends(edge) if edge else self.free
        return max((self.sizes[body] for body in ends if body in self.sizes), default=self.scene.size)

    # ------------------------------------------------------------ words
    def problem(self, name: str, text: str) -> Problem:
        """Return an error at a joint or constraint."""
        edge = self.scene.edges.get(name) or self.scene.couplings.get(name)
        of_constraint = name in self.scene.couplings or (isinstance(edge, Edge) and edge.section == "constraints")
        what = "constraint" if of_constraint else "joint"
        return Problem("error", f"{what} {name!r} {text}", edge.mark if edge else None, self.scene.path_of(name))

    def cannot_close(self, name: str, gap: float) -> Problem:
        """Return the error of a joint that stays open."""
        return self.problem(name, f"cannot be closed together with the others: it stays open by {gap:.3g} m (rad)")


def _apart(a: Place, b: Place) -> float:
    """Return the larger of the distances of two positions and of two quaternions."""
    return max(distance(a[0], b[0]), distance(a[1], b[1]))


def _scaled(value: Any, share: float) -> Any:
    """Return a coordinate, a number or a tuple, times `share`."""
    return tuple(share * x for x in value) if isinstance(value, tuple) else share * value
