"""Assembly: joints are closed by Newton steps. Each step is the smallest motion v in a metric A that closes the gaps C,

    min 1/2 v^T A v - f^T v   where   J v = -C

J is the Jacobian of the joints. Without targets, A is the mass matrix M and f is zero. If the user has set bodies
(`BodyView.position` and others), the figure is assembled around them. Each of these bodies is drawn to its new pose by
A = M + k and f = k d. Here k is much larger than the mass of its figure, and d is the remaining displacement. It
arrives there if the joints allow it, and all other bodies move as little as possible. A joint whose coordinates are to
stay gets a stiffness D in the same system, like a spring. `fused` solves these systems in every solver mode: the
assembly is then the same in all modes, and its time grows with the number of bodies.

A figure that no joint connects to the world, or to a body with a prescribed motion, makes the same rigid motion as the
body that was set. A connected figure goes from its earlier pose to the new one in several moves, and its joints are
closed after each of them. Its loops therefore stay on the same branch of their solutions. If all bodies of a figure
were set, or if its joints are open by less than a tenth of its size, the joints are closed from the new pose.
"""

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from physics.build.forest import Sets
from physics.data.model_tables import Bodies, BodyKind, Forms, JointKind, Joints, Member, Path, Term, Topology
from physics.data.state_tables import Memory, PoseColumn
from physics.data.work_tables import Rows
from physics.data.model import Floats, Model
from physics.maths.rotations import conjugate, matrix_of, quaternion_product, rotation_quaternion
from physics.definitions.checks import DefinitionError
from physics.driver import preparations
from physics.maths.strict import arctangent, norm, product
from physics.world.measure import measure_gaps

if TYPE_CHECKING:
    from physics.world.engine import Engine

CLOSED = 1e-6  # m or rad: what a step closes by itself, as it does in motion; also how exact a place is to be
TIGHT = 1e-12  # gap to which joints are closed where that is possible
TURN = 0.5  # rad: no body turns more in one Newton step, which would overshoot
PULL = 100.0  # k divided by the mass of the figure, and by its mass times its size squared
STIFF = 1e6  # D over the mass of all bodies (and its size squared) of joints whose coordinates stay
STRIDE, LEAST_STRIDE = 0.25, 1e-4  # of the figure's size: the longest way in one move, and when it is given up
MOST_MOVES = 400
LOOKED_AT, LEAST_GAIN = 20, 0.005  # of the figure's size: what so many moves are to bring (near the end, a tenth)
ATTEMPTS = 5  # kicks out of poses where no small motion leads nearer, such as straight chains and dead centres
KICK = 0.3  # rad: how far bodies are turned out of these
FAR = 0.1  # of the figure's size, and of half a turn: what ends farther from where it was put is refused


@dataclass
class Moved:
    """The bodies that the user has set since joints were last closed, and the poses before that."""

    pose: Floats
    memory: Floats
    places: set[int] = field(default_factory=set)  # rows of bodies whose position was set
    turns: set[int] = field(default_factory=set)  # whose orientation was set
    others: set[int] = field(default_factory=set)  # whose scale was set, or that `World.move` moved

    @property
    def is_aimed(self) -> bool:
        """Whether some body has a target pose. Otherwise joints are closed from the present pose of all bodies."""
        return bool(self.places or self.turns)

    @property
    def rows(self) -> list[int]:
        """Rows of all bodies that were set, in ascending order."""
        return sorted(self.places | self.turns | self.others)

    def written(self) -> list[Any]:
        """Return poses, memory and rows as lists for a snapshot, which stores them as text. The text gives back the
        same doubles."""
        rows = [sorted(self.places), sorted(self.turns), sorted(self.others)]
        return [self.pose.tolist(), self.memory.tolist(), *rows]

    @classmethod
    def read(cls, written: list[Any], shape: tuple[int, ...]) -> "Moved":
        """Return the `Moved` that `written()` turned into these lists. `shape` is the shape of the array of poses."""
        pose, memory, *rows = written
        return cls(
            np.array(pose, float).reshape(shape), np.array(memory, float).reshape(-1, Memory.WIDTH), *map(set, rows)
        )


class Figures:
    """The figures of a model: sets of bodies that joints and constraints connect. `tied` are the figures that are
    connected to the world."""

    def __init__(self, m: Model):
        """Find the figures of a model."""
        self.table = np.concatenate([m.topology, m.links])
        self.edges = np.flatnonzero(self.table[:, Topology.ROWS] > 0)
        sets, tied = Sets(len(m.topology)), set()
        for e in self.edges.tolist():
            bodies, holds = self._ends(m, e)
            for body in bodies[1:]:
                sets.join(bodies[0], body)
            tied |= {bodies[0]} if holds else set()
        self.of = np.array([sets.top(body) for body in range(len(m.topology))])
        self.tied = {int(self.of[body]) for body in tied}
        self.of_edge = self.of[self.table[self.edges, Topology.CHILD]]

    def _ends(self, m: Model, e: int) -> tuple[list[int], bool]:
        """Return the bodies of an edge, and whether it holds them in space, not only relative to each other."""
        child, parent, kind = (int(x) for x in self.table[e, [Topology.CHILD, Topology.PARENT, Topology.KIND]])
        first, count = (int(x) for x in m.joint[e, [Joints.TABLE, Joints.TABLE_ROWS]])
        if kind == JointKind.COUPLING:
            edges = m.table[first : first + count, Term.EDGE].astype(int)
            return self.table[edges, Topology.CHILD].tolist(), False
        if kind == JointKind.GROUP_CONDITION:
            members = m.table[first : first + count, Member.BODY].astype(int).tolist()
            return [child, *(b for b in members if b >= 0)], True
        return ([child] if parent < 0 else [child, parent]), parent < 0

    def size(self, model: Model, figure: int, pose: Floats) -> float:
        """Return the size of a figure [m] at these poses. It is the diagonal of the box around its centres of mass and
        anchors, or, if larger, the width sqrt(8 I / m) of a body with the mass m and the largest principal moment I."""
        bodies = np.flatnonzero(self.of == figure)
        points = [*pose[bodies, :3]]
        for e in self.edges[self.of_edge == figure].tolist():
            if self.table[e, Topology.KIND] < JointKind.FIRST_CONSTRAINT:
                child = pose[self.table[e, Topology.CHILD]]
                anchor = model.joint[e, Joints.ANCHOR_CHILD : Joints.ANCHOR_CHILD + 3]
                points.append(child[:3] + turned(child[3:7], anchor))
        body = model.body[bodies]
        own = np.sqrt(8.0 * body[:, Bodies.INERTIA : Bodies.INERTIA + 3].max(axis=1) / body[:, Bodies.MASS])
        return max(norm(np.ptp(points, axis=0)), float(own.max()))


# ---------------------------------------------------------------- Newton steps
Pulls = list[tuple[int, Floats, Floats]]  # row of a body, index of a velocity, remaining displacement


class Closing:
    """Newton steps of a world, or of some of its figures while the bodies of all others stay."""

    def __init__(self, engine: "Engine", figures: Figures | None = None, inside: np.ndarray | None = None):
        """Select all edges, or with a mask `inside` of bodies the edges of the figures that it marks. With the mask,
        edges that contradict others, or that are released, are left out."""
        self.engine = engine
        self.outside = None if inside is None else ~inside
        self.edges: Any = slice(None)
        if figures is not None and inside is not None:
            self.edges = figures.edges[inside[figures.of_edge]]
            # links that already contradict others, or are released, stay as they are
            self.edges = self.edges[engine.work.auxiliary.error_state[self.edges] == 0]

    def solve(self, pulls: Iterable[tuple[int, Floats, Floats]] = (), stiff: Sequence[int] = ()) -> float:
        """Solve one Newton step and leave the motion in Work.velocity. Return the largest gap before it [m or rad].
        `pulls` draw bodies to targets, and the joints `stiff` keep their coordinates."""
        self.engine.prepare(preparations.Preparation.CLOSING)
        gap = self.gap()
        w, model = self.engine.work, self.engine.model
        for row, k, way in pulls:
            w.block[row, [0, 2, 5, 9, 14, 20]] += k  # the diagonal of its six rows
            w.force[row, :6] = k * way
        for e in stiff:
            ball = model.topology[e, Topology.PATH] == Path.BALL
            axes = [0, 2, 5] if ball else range(model.topology[e, Topology.DOFS])
            extent = norm(np.ptp(self.engine.state.pose[:, :3], axis=0))
            hardness = STIFF * float(model.body[:, Bodies.MASS].sum()) * max(1.0, extent * extent)
            w.row[e, [Rows.STIFF_BLOCK + c for c in axes]] = hardness
        self.engine.answer()
        if self.outside is not None:
            w.velocity[self.outside] = 0.0
        return gap

    def gap(self) -> float:
        """Return the largest gap [m or rad] at the pose for which Work was filled; inf if some gap is not finite."""
        gaps = measure_gaps(self.engine.work)[self.edges]
        return float(gaps.max(initial=0.0)) if np.isfinite(gaps).all() else np.inf

    def is_finite(self) -> bool:
        """Return whether the motion in Work.velocity is finite."""
        return bool(np.isfinite(self.engine.work.velocity).all())

    def move(self, most: float = TURN) -> None:
        """Move the bodies by the motion in Work.velocity, scaled so that no body rotates by more than about `most`
        [rad]."""
        turn = float(np.abs(self.engine.work.velocity[:, 3:6]).max())
        self.engine.call(preparations.move, self.engine.work.velocity, min(1.0, most / max(turn, 1e-9)))

    def close(
        self, tolerance: float = TIGHT, most: int = 50, pulls: Pulls | None = None, stiff: Sequence[int] = ()
    ) -> float:
        """Take at most `most` Newton steps from the present pose, until the largest gap is at most `tolerance`. Return
        the largest gap found before the last step [m or rad]."""
        gap = np.inf
        for _ in range(most):
            gap = self.solve(pulls or (), stiff)
            if gap <= tolerance or not self.is_finite():
                break
            self.move()
        self.engine.mark_changed()
        return gap

    def stop(self) -> None:
        """Remove from State.velocity the part that joints forbid, as an inelastic impact does."""
        self.engine.prepare(preparations.Preparation.STOPPING)
        self.engine.answer()
        change = self.engine.work.velocity
        if self.outside is not None:
            change[self.outside] = 0.0
        self.engine.state.velocity[:] += change
        self.engine.mark_changed()


def turned(q: Floats, v: Floats) -> Floats:
    """Return the vector v (3,) rotated by the unit quaternion q (4,)."""
    return (matrix_of(q) * v).sum(axis=1)


def way_to(now: Floats, target: Floats) -> Floats:
    """Return the displacement [m] and the rotation vector [rad] (6,) from the pose `now` to the pose `target`."""
    q = quaternion_product(target[3:7], conjugate(now[3:7]))
    q = -q if q[0] < 0.0 else q
    sine = norm(q[1:])
    angle = 2.0 * arctangent(sine, float(q[0]))
    return np.concatenate([target[:3] - now[:3], q[1:] * (angle / sine if sine > 0.0 else 2.0)])


# ---------------------------------------------------------------- around what was set
class Settling:
    """The assembly of figures at the poses to which some of their bodies were set. If it fails, the earlier poses are
    restored and the setting is refused."""

    def __init__(self, engine: "Engine", moved: Moved, figures: Figures):
        """Store the target poses, and the figures to which the bodies that were set belong."""
        self.engine, self.moved, self.figures = engine, moved, figures
        self.target = engine.state.pose.copy()
        self.figure = {row: int(figures.of[row]) for row in moved.rows}
        self.inside = np.isin(figures.of, list(set(self.figure.values())))  # the bodies of these figures
        self.sizes: dict[int, float] = {}
        self.tied = set(figures.tied)
        self.closing = Closing(engine, figures, self.inside)

    def run(self, most: float) -> None:
        """Assemble the figures if some joint is open by more than `most` [m or rad]."""
        if not len(self.closing.edges) or self.gap() <= most:
            return
        self.sizes = {k: self.figures.size(self.engine.model, k, self.moved.pose) for k in set(self.figure.values())}
        with self.engine.answered_in_linear_time():
            self.assemble()

    def assemble(self) -> None:
        """Assemble the figures from the poses that were set, or from the earlier poses, and remove velocities that
        joints forbid. If a target is out of reach, restore all bodies and raise a DefinitionError. Warn if a body ends
        short of its target."""
        if not self.moved.is_aimed:
            self.closing.close()
        else:
            self.carry_free_figures()
            if not (self.starts_near() and self.close_here()):
                self.draw()
        gap = self.gap()
        row, off, angle = self.farthest()
        if gap > CLOSED or off > FAR * self.sizes[self.figure[row]] or angle > FAR * np.pi:
            self.refuse(row, gap)
        self.closing.stop()
        if off > CLOSED or angle > CLOSED:
            text = f"{self.name(row)!r} ended {off:.3g} m and {angle:.3g} rad from where it was put"
            warnings.warn(f"{text}: its joints allow it no nearer", stacklevel=6)

    def gap(self) -> float:
        """Return the largest gap of these figures at the present pose [m or rad]."""
        self.engine.refresh()
        return self.closing.gap()

    def carry_free_figures(self) -> None:
        """Move figures without a connection to the world as rigid bodies to the poses that were set, and store all
        poses in `start`. A figure counts as connected if this motion would take a planar body out of its plane."""
        pose, before = self.engine.state.pose, self.moved.pose
        kind, form = self.engine.model.topology[:, Topology.BODY_KIND], self.engine.model.form
        for figure in self.sizes.keys() - self.figures.tied:
            aimed = self.moved.places | self.moved.turns
            rows = [row for row in self.figure if self.figure[row] == figure and row in aimed]
            if not rows:
                continue
            placed = [row for row in rows if row in self.moved.places] or rows
            turns = [way_to(before[row], self.target[row])[3:] for row in rows if row in self.moved.turns]
            vector = np.mean(turns, axis=0) if turns else np.zeros(3)
            turn = rotation_quaternion(vector)
            old, new = before[placed, :3].mean(axis=0), self.target[placed, :3].mean(axis=0)
            members = np.flatnonzero(self.figures.of == figure)
            normals = form[members[kind[members] == BodyKind.PLANAR], Forms.NORMAL : Forms.NORMAL + 3]
            if (
                max(
                    np.abs(product(normals, new - old)).max(initial=0.0),
                    np.abs(np.cross(normals, vector)).max(initial=0.0),
                )
                > 1e-9
            ):
                self.tied.add(figure)
                continue
            for row in members:
                if row not in self.moved.places:
                    pose[row, :3] = new + turned(turn, before[row, :3] - old)
                if row not in self.moved.turns and turns and kind[row] != BodyKind.PARTICLE:
                    pose[row, 3:7] = quaternion_product(turn, before[row, 3:7])
        self.engine.mark_changed()
        self.start = pose.copy()

    def starts_near(self) -> bool:
        """Return whether the joints are to be closed from the poses that were set. That is so if all bodies of the
        figures were set, or if the joints are open by less than a tenth of the smallest figure's size."""
        every = set(np.flatnonzero(self.inside).tolist()) <= set(self.moved.rows)
        return every or self.gap() <= FAR * min(self.sizes.values())

    def close_here(self) -> bool:
        """Take Newton steps from the poses that were set. Return whether the joints are then closed with the bodies at
        their targets."""
        gap = np.inf
        for _ in range(50):
            gap = self.closing.solve(self.pulls(STRIDE))
            if not self.closing.is_finite():
                return False
            if gap <= TIGHT and np.abs(self.engine.work.velocity).max() <= TIGHT:
                break
            self.closing.move()
        self.engine.mark_changed()
        _, off, angle = self.farthest()
        return gap <= CLOSED and max(off, angle) <= CLOSED

    def draw(self) -> None:
        """Move the figures from their earlier poses to the targets, and close the joints after each move. Leave the
        figures at the nearest pose that was found."""
        state = self.engine.state
        tied = np.isin(self.figures.of, list(self.sizes.keys() & self.tied))
        state.pose[:, : PoseColumn.SHAPE] = np.where(tied[:, None], self.moved.pose, self.start)[:, : PoseColumn.SHAPE]
        self.remember()
        self.closing.close()
        rng = np.random.default_rng(0)
        best, pose, memory = np.inf, state.pose.copy(), state.memory.copy()
        for attempt in range(ATTEMPTS):
            if attempt > 0:
                self.kick(rng)
            left = self.approach()
            nearer = left < 0.99 * best
            if nearer:
                best, pose, memory = left, state.pose.copy(), state.memory.copy()
            if best <= CLOSED or not (nearer or attempt == 0):
                break
        state.pose[:], state.memory[:] = pose, memory
        self.engine.mark_changed()

    def remember(self) -> None:
        """Restore State.memory, from which whole turns are counted, as it was before bodies were set. Pins may have
        been added or removed since then. Their rows are last; the rows that exist now and existed then are restored."""
        memory, before = self.engine.state.memory, self.moved.memory
        count = min(len(memory), len(before))
        memory[:count] = before[:count]

    def approach(self) -> float:
        """Move towards the targets, and shorten the moves where one does not lead nearer. Return the remaining distance
        as `left` does."""
        state = self.engine.state
        stride, best = STRIDE, self.left()
        earlier = best
        for k in range(MOST_MOVES):
            pose, memory = state.pose.copy(), state.memory.copy()
            self.closing.solve(self.pulls(stride))
            self.closing.move(TURN * stride / STRIDE)
            gap = self.closing.close(TIGHT, 8)
            left = self.left()
            if gap <= CLOSED and left < best * (1.0 - 1e-4):
                best, stride = left, min(2.0 * stride, STRIDE)
            else:
                state.pose[:], state.memory[:] = pose, memory
                stride *= 0.25
            if best <= 1e-12 or stride < LEAST_STRIDE:
                break
            if k % LOOKED_AT == LOOKED_AT - 1:
                if earlier - best < min(LEAST_GAIN, 0.1 * earlier):
                    break
                earlier = best
        return best

    def kick(self, rng: np.random.Generator) -> None:
        """Rotate the bodies by random angles, out of a pose from which no small motion leads nearer to the targets, and
        close the joints."""
        w, model = self.engine.work, self.engine.model
        kind = model.topology[:, Topology.BODY_KIND]
        w.velocity[:] = 0.0
        w.velocity[self.inside, 3:6] = KICK * 1.7 * (2.0 * rng.random((int(self.inside.sum()), 3)) - 1.0)
        w.velocity[kind == BodyKind.PARTICLE, 3:6] = 0.0
        for row in np.flatnonzero(kind == BodyKind.PLANAR):
            normal = model.form[row, Forms.NORMAL : Forms.NORMAL + 3]
            w.velocity[row, 3:6] = normal * (normal * w.velocity[row, 3:6]).sum()
        self.closing.move(3.0 * KICK)
        self.closing.close()

    # ------------------------------------------------------------ where bodies are to be
    def ways(self) -> Iterator[tuple[int, Floats]]:
        """Yield the row of each body that was set, with its remaining displacement [m] and rotation vector [rad] (6,).
        The part that was not set is zero."""
        for row in self.figure:
            share = np.repeat([row in self.moved.places, row in self.moved.turns], 3)
            if share.any():
                yield row, share * way_to(self.engine.state.pose[row], self.target[row])

    def pulls(self, stride: float) -> Pulls:
        """Return for each body that was set its row, the stiffness of its pull (6,), and its displacement and rotation
        towards the target (6,). The displacement is shortened to at most `stride` times the size of the figure, and the
        rotation to at most TURN * `stride` / STRIDE [rad]."""
        out: Pulls = []
        for row, way in self.ways():
            figure = self.figure[row]
            size = self.sizes[figure] or 1.0
            mass = float(self.engine.model.body[self.figures.of == figure, Bodies.MASS].sum())
            k = PULL * mass * np.repeat([row in self.moved.places, size * size * (row in self.moved.turns)], 3)
            for part, most in ((slice(0, 3), stride * size), (slice(3, 6), stride * TURN / STRIDE)):
                way[part] *= min(1.0, most / max(norm(way[part]), 1e-300))
            out.append((row, k, way))
        return out

    def left(self) -> float:
        """Return the largest remaining distance of a body from its target: the displacement divided by the figure's
        size, plus the angle [rad]."""
        return max((self._length(row, way) for row, way in self.ways()), default=0.0)

    def _length(self, row: int, way: Floats) -> float:
        """Return the length of a displacement divided by the figure's size, plus the length of a rotation vector [rad].
        `way` has both (6,)."""
        return norm(way[:3]) / (self.sizes[self.figure[row]] or 1.0) + norm(way[3:])

    def farthest(self) -> tuple[int, float, float]:
        """Return the row of the body that is farthest from its target, with its distance [m] and angle [rad]."""
        row, way = max(self.ways(), key=lambda pair: self._length(*pair), default=(self.moved.rows[0], np.zeros(6)))
        return row, norm(way[:3]), norm(way[3:])

    def name(self, row: int) -> str:
        """Return the name of the body in a row."""
        return next(name for name, r in self.engine.built.body_row.items() if r == row)

    def refuse(self, row: int, gap: float) -> NoReturn:
        """Restore all bodies, and raise a DefinitionError. It names the body in row `row`, and the nearest pose that
        was found or the gap that remained."""
        state, name = self.engine.state, self.name(row)
        place, (_, off, angle) = state.pose[row, :3].copy(), self.farthest()
        state.pose[:] = self.moved.pose
        self.remember()
        self.engine.mark_changed()
        numbers = self.target[row, :3]
        if row not in self.moved.places:
            numbers = quaternion_product(self.target[row, 3:7], conjugate(self.engine.built.principal[row]))
        what = "position" if row in self.moved.places else "quaternion" if row in self.moved.turns else "scale or move"
        found = f"{shown(place)}, {off:.3g} m and {angle:.3g} rad from there, is the nearest that was found"
        if gap > CLOSED:
            found = f"joints stay open by {gap:.3g}"
        allowed = (
            f"what its joints let it reach ({found}); all bodies are back where they were before. To move a whole "
            "figure, set all of its bodies before the next step"
        )
        raise DefinitionError(f"{what} of body {name!r}", shown(numbers), allowed)


def shown(numbers: Floats) -> tuple[float, ...]:
    """Return the numbers with four digits, for a message."""
    return tuple(float(f"{x:.4g}") for x in numbers)
