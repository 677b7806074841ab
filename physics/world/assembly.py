"""Assembly: joints are closed by Newton steps, each of them the least motion v in a metric A,

    min 1/2 v^T A v - f^T v   where   J v = -C

A is the mass matrix M. Where bodies were set from outside (`BodyView.position` and its like) the figure is assembled
around them: each is drawn to where it was put, A = M + k and f = k d with k far above the mass of its figure and d the
way that is left. It arrives there if joints allow it, and all else moves as little as it can. Joints whose coordinates
are to stay have a stiffness D in the same system, as a spring has. The answers are those of `fused`, in every mode: the
same assembly, in a time that grows with the number of bodies.

A figure that no joint ties to the world, or to a body with a prescribed motion, goes along with what was set as one
rigid body. One that is tied goes there from the pose before, in moves that each keep it closed, so that it stays on
its branch; a figure of which every body was set, or that is open by little, is closed from where it was put.
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
TIGHT = 1e-12  # to what joints are closed where that can be
TURN = 0.5  # rad: no body turns more in one Newton step, which would overshoot
PULL = 100.0  # k over the mass of the figure, and over its mass times its size squared
STIFF = 1e6  # D over the mass of all bodies (and its size squared) of joints whose coordinates stay
STRIDE, LEAST_STRIDE = 0.25, 1e-4  # of the figure's size: the longest way in one move, and when it is given up
MOST_MOVES = 400
LOOKED_AT, LEAST_GAIN = 20, 0.005  # of the figure's size: what so many moves are to bring (near the end, a tenth)
ATTEMPTS = 5  # from poses where no small motion leads nearer, such as straight chains and dead centres
KICK = 0.3  # rad: how far bodies are turned out of these
FAR = 0.1  # of the figure's size, and of half a turn: what ends farther from where it was put is refused


@dataclass
class Moved:
    """What was set from outside since joints were last closed, and the state before that."""

    pose: Floats
    memory: Floats
    places: set[int] = field(default_factory=set)  # rows of bodies whose position was set
    turns: set[int] = field(default_factory=set)  # whose orientation was set
    others: set[int] = field(default_factory=set)  # whose scale was set, or that `World.move` moved

    @property
    def is_aimed(self) -> bool:
        """Whether some body is to be at a place: else joints are closed from where all bodies are."""
        return bool(self.places or self.turns)

    @property
    def rows(self) -> list[int]:
        return sorted(self.places | self.turns | self.others)

    def written(self) -> list[Any]:
        """For snapshots: floats go through their text and back to the last bit."""
        rows = [sorted(self.places), sorted(self.turns), sorted(self.others)]
        return [self.pose.tolist(), self.memory.tolist(), *rows]

    @classmethod
    def read(cls, written: list[Any], shape: tuple[int, ...]) -> "Moved":
        pose, memory, *rows = written
        return cls(
            np.array(pose, float).reshape(shape), np.array(memory, float).reshape(-1, Memory.WIDTH), *map(set, rows)
        )


class Figures:
    """Which bodies joints and constraints tie together, and which of these figures are tied to the world."""

    def __init__(self, m: Model):
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
        """The bodies of an edge, and whether it holds them in space and not only to each other."""
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
        """The diagonal of the box around centres of mass and anchors, and at least the width of a body, sqrt(8 I / m),
        m."""
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
Pulls = list[tuple[int, Floats, Floats]]  # row of a body, k of its six velocities, the way left


class Closing:
    """Newton steps of a world, or of some of its figures: other bodies stay where they are."""

    def __init__(self, engine: "Engine", figures: Figures | None = None, inside: np.ndarray | None = None):
        self.engine = engine
        self.outside = None if inside is None else ~inside
        self.edges: Any = slice(None)
        if figures is not None and inside is not None:
            self.edges = figures.edges[inside[figures.of_edge]]
            # what already contradicted others, or was released, is left as it is
            self.edges = self.edges[engine.work.auxiliary.error_state[self.edges] == 0]

    def solve(self, pulls: Iterable[tuple[int, Floats, Floats]] = (), stiff: Sequence[int] = ()) -> float:
        """One step, into Work.velocity. Returns the largest gap before it."""
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
        """The largest where Work was filled."""
        gaps = measure_gaps(self.engine.work)[self.edges]
        return float(gaps.max(initial=0.0)) if np.isfinite(gaps).all() else np.inf

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.engine.work.velocity).all())

    def move(self, most: float = TURN) -> None:
        """By the solution of a step, but no body turns more than `most`."""
        turn = float(np.abs(self.engine.work.velocity[:, 3:6]).max())
        self.engine.call(preparations.move, self.engine.work.velocity, min(1.0, most / max(turn, 1e-9)))

    def close(
        self, tolerance: float = TIGHT, most: int = 50, pulls: Pulls | None = None, stiff: Sequence[int] = ()
    ) -> float:
        """Steps from where the bodies are. Returns the largest gap that is left."""
        gap = np.inf
        for _ in range(most):
            gap = self.solve(pulls or (), stiff)
            if gap <= tolerance or not self.is_finite():
                break
            self.move()
        self.engine.mark_changed()
        return gap

    def stop(self) -> None:
        """Take out of the velocities what joints forbid, as an impact would."""
        self.engine.prepare(preparations.Preparation.STOPPING)
        self.engine.answer()
        change = self.engine.work.velocity
        if self.outside is not None:
            change[self.outside] = 0.0
        self.engine.state.velocity[:] += change
        self.engine.mark_changed()


def turned(q: Floats, v: Floats) -> Floats:
    """R(q) v, likewise."""
    return (matrix_of(q) * v).sum(axis=1)


def way_to(now: Floats, target: Floats) -> Floats:
    """The shift and the rotation vector that lead from a pose to another."""
    q = quaternion_product(target[3:7], conjugate(now[3:7]))
    q = -q if q[0] < 0.0 else q
    sine = norm(q[1:])
    angle = 2.0 * arctangent(sine, float(q[0]))
    return np.concatenate([target[:3] - now[:3], q[1:] * (angle / sine if sine > 0.0 else 2.0)])


# ---------------------------------------------------------------- around what was set
class Settling:
    """Brings figures to where some of their bodies were put, or refuses and puts everything back."""

    def __init__(self, engine: "Engine", moved: Moved, figures: Figures):
        self.engine, self.moved, self.figures = engine, moved, figures
        self.target = engine.state.pose.copy()
        self.figure = {row: int(figures.of[row]) for row in moved.rows}
        self.inside = np.isin(figures.of, list(set(self.figure.values())))  # the bodies of these figures
        self.sizes: dict[int, float] = {}
        self.tied = set(figures.tied)
        self.closing = Closing(engine, figures, self.inside)

    def run(self, most: float) -> None:
        """Unless no joint is open by more than `most`."""
        if not len(self.closing.edges) or self.gap() <= most:
            return
        self.sizes = {k: self.figures.size(self.engine.model, k, self.moved.pose) for k in set(self.figure.values())}
        with self.engine.answered_in_linear_time():
            self.assemble()

    def assemble(self) -> None:
        """From where the bodies were put, or from where they were before; a refusal puts everything back."""
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
            warnings.warn(f"{text}: its joints let it no nearer", stacklevel=5)

    def gap(self) -> float:
        """The largest of these figures, at the present pose."""
        self.engine.refresh()
        return self.closing.gap()

    def carry_free_figures(self) -> None:
        """What nothing ties to the world goes along with what was set, as one rigid body. Planar bodies tie it where
        that would take them out of their planes."""
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
        """Whether every body of the figures was set, or little is open: joints are closed from where bodies are."""
        every = set(np.flatnonzero(self.inside).tolist()) <= set(self.moved.rows)
        return every or self.gap() <= FAR * min(self.sizes.values())

    def close_here(self) -> bool:
        """Whether Newton steps from where the bodies are end where these were put."""
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
        """From the pose before, in moves that keep joints closed. The nearest pose that was found stays."""
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
        """Turns are counted from those before; pins may have come or gone since, at the end of the table."""
        memory, before = self.engine.state.memory, self.moved.memory
        count = min(len(memory), len(before))
        memory[:count] = before[:count]

    def approach(self) -> float:
        """Moves towards the targets, shorter ones where a move does not lead nearer. Returns what is left."""
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
        """Out of a pose from which no small motion leads nearer."""
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
        """Of each body that was set the way that is left; none where it was not set."""
        for row in self.figure:
            share = np.repeat([row in self.moved.places, row in self.moved.turns], 3)
            if share.any():
                yield row, share * way_to(self.engine.state.pose[row], self.target[row])

    def pulls(self, stride: float) -> Pulls:
        """To where bodies are to be, by no more than a stride (of the figure, and as much of a turn)."""
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
        """The longest way that is left, in sizes of the figure and radians."""
        return max((self._length(row, way) for row, way in self.ways()), default=0.0)

    def _length(self, row: int, way: Floats) -> float:
        return norm(way[:3]) / (self.sizes[self.figure[row]] or 1.0) + norm(way[3:])

    def farthest(self) -> tuple[int, float, float]:
        """The body that is farthest from where it was put, by how far and by what angle."""
        row, way = max(self.ways(), key=lambda pair: self._length(*pair), default=(self.moved.rows[0], np.zeros(6)))
        return row, norm(way[:3]), norm(way[3:])

    def name(self, row: int) -> str:
        return next(name for name, r in self.engine.built.body_row.items() if r == row)

    def refuse(self, row: int, gap: float) -> NoReturn:
        """Everything is put back to where it was before."""
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
    return tuple(float(f"{x:.4g}") for x in numbers)
