"""Constraints by functions of the user. There are such functions of two bodies and of any number of bodies, of poses
and of velocities. If the user also gives a Jacobian, it is compared with differences of the function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from physics.definitions.bodies import Body, Fixed, Particle, PlanarBody, Static
from physics.definitions.checks import DefinitionError, known_name, number
from physics.definitions.constraints import Constraint, State
from physics.definitions.couplings import Linkage
from physics.definitions.joints import Joint
from physics.maths.rotations import matrix_of, planar_orientation, rotation_quaternion
from physics.maths.difference import FIRST_DIFFERENCE, STEP
from physics.maths.strict import product

__all__ = ["Condition", "Function", "VelocityCondition", "VelocityFunction"]

SAME = 1e-6  # of the largest entry: how far a Jacobian may be from the differences of its function


def column_names(bodies: Sequence[str]) -> list[str]:
    """Return the names of the columns of a Jacobian for these bodies, six for each."""
    return [f"{kind} of {body} along {axis}" for body in bodies for kind in ("velocity", "turning") for axis in "xyz"]


class OfPoses:
    """Base class of constraints by functions of the user. It computes and checks their values and Jacobians at a
    state."""

    jacobian: Callable[..., Any] | None
    length_scale: float
    rows: int

    @property
    def label(self) -> str:
        """Kind and name, as error messages write them."""
        raise NotImplementedError

    def motions(self) -> list[str]:
        """Return the names of the columns of the Jacobian."""
        raise NotImplementedError

    def moved(self, state: State, t: np.ndarray) -> State:
        """Return the state after all bodies have moved by the twists t (six numbers for each body)."""
        raise NotImplementedError

    def _check_jacobian(self, state: State) -> np.ndarray:
        """Return the Jacobian at a state. Refuse a Jacobian given by the user that does not agree with differences."""
        if self.jacobian is None:
            return self._found_jacobian(state)
        given = self._values("jacobian", state)
        shape = (self.rows, len(self.motions()))
        if given.shape != shape:
            raise DefinitionError(f"jacobian of {self.label}", f"shape {given.shape}", f"shape {shape}")
        if self._is_at_once(given, state):
            return given
        found = self._found_jacobian(state)
        off = np.abs(given - found)
        r, c = np.unravel_index(int(np.argmax(off)), off.shape)
        if off[r, c] > SAME * max(1.0, float(np.abs(found).max())):
            raise DefinitionError(
                f"jacobian of {self.label}, row {r}, column {c} ({self.motions()[c]})", float(given[r, c]),
                f"{found[r, c]:.9g}, by differences of the function",
            )  # fmt: skip
        return given

    def _is_at_once(self, given: np.ndarray, state: State) -> bool:
        """Return whether the user's Jacobian `given` agrees with the rates of C along two random motions of all bodies
        at once. This quick test needs far fewer calls than a comparison of each column."""
        scales = np.tile([*3 * [self.length_scale], *3 * [1.0]], len(self.motions()) // 6)
        allowed = 0.1 * SAME * max(1.0, float(np.abs(given).max())) * float(scales.min())
        for way in np.random.default_rng(2).uniform(0.5, 1.0, (2, len(scales))) * scales:
            if np.abs(product(given, way) - self._rate(state, way)).max() > allowed:
                return False
        return True

    def _drawn_values(self, state: State) -> np.ndarray:
        """Return the values of the function at a state."""
        return self._values("function", state)

    def _found_jacobian(self, state: State) -> np.ndarray:
        """Return the Jacobian by differences of the function."""
        count = len(self.motions())
        scales = np.tile([*3 * [self.length_scale], *3 * [1.0]], count // 6)
        ways = np.diag(scales)
        return np.column_stack([self._rate(state, ways[c]) / scales[c] for c in range(count)])

    def _rate(self, state: State, way: np.ndarray) -> np.ndarray:
        """Return the rate of C along the motion `way`, by differences of sixth order."""
        total = np.zeros(self.rows)
        for k, weight in FIRST_DIFFERENCE:
            for sign in (1.0, -1.0):
                values = self._values("function", self.moved(state, sign * k * STEP * way))
                if values.shape != (self.rows,):
                    raise DefinitionError(
                        f"function of {self.label}", f"shape {values.shape}", f"always {self.rows} numbers"
                    )
                total += sign * weight * values
        return total / STEP

    def _values(self, key: str, state: State) -> np.ndarray:
        """Return the values of the user's function `key` at a state as finite numbers, or refuse them."""
        what = f"{key} of {self.label}"
        try:
            values = np.array(getattr(self, key)(*(x.copy() for x in state)), float)
        except Exception as error:
            raise DefinitionError(what, f"{type(error).__name__}: {error}", "a value at the drawn state") from error
        if not np.isfinite(values).all():
            raise DefinitionError(what, values.tolist(), "finite numbers at the drawn state and near it")
        return values

    def _count_rows(self, state: State) -> int:
        """Return how many numbers the function returns, or refuse one that does not return one to six."""
        values = self._drawn_values(state)
        if values.ndim != 1 or not 1 <= len(values) <= 6:
            raise DefinitionError(f"function of {self.label}", f"shape {values.shape}", "one to six numbers in a row")
        return len(values)


class OfVelocities(OfPoses):
    """Base class of constraints by functions that are linear in the velocities. The values of such a function at unit
    velocities are its Jacobian."""

    @property
    def of_velocities(self) -> bool:
        """Whether the rows restrict velocities only, and no position: always true."""
        return True

    def moving_state(self, state: State, u: np.ndarray) -> State:
        """Return the arguments of the function at the velocities u (six numbers for each body)."""
        raise NotImplementedError

    def moving_values(self, state: State, u: np.ndarray) -> np.ndarray:
        """Return the values of the function at a state and the velocities u."""
        return self._values("function", self.moving_state(state, u))

    def _drawn_values(self, state: State) -> np.ndarray:
        """Return the values of the function at rest. Refuse values that are not zero."""
        values = self.moving_values(state, np.zeros(len(self.motions())))
        if values.any():
            raise DefinitionError(f"function of {self.label} at rest", values.tolist(), "0: linear in the velocities")
        return values

    def _is_at_once(self, given: np.ndarray, state: State) -> bool:
        """Return False: here a comparison of each column needs only one call per column, and the quick test is left
        out."""
        return False  # a call for each column is all it takes

    def _found_jacobian(self, state: State) -> np.ndarray:
        """Return the Jacobian from the values at unit velocities. Refuse a function that is not linear in the
        velocities."""
        count = len(self.motions())
        found = np.column_stack([self.moving_values(state, unit) for unit in np.eye(count)])
        u = np.random.default_rng(1).normal(size=count)
        values = self.moving_values(state, u)
        if found.shape[0] != self.rows or values.shape != (self.rows,):
            got = f"shape {values.shape}"
            raise DefinitionError(f"function of {self.label}", got, f"always {self.rows} numbers")
        if np.abs(values - product(found, u)).max() > 1e-9 * max(1.0, float(np.abs(found).max())):
            allowed = f"{product(found, u).tolist()}, the sum of what each velocity gives by itself"
            raise DefinitionError(f"function of {self.label}", values.tolist(), allowed)
        return found


@dataclass(frozen=True, kw_only=True)
class Function(Constraint, OfPoses):
    """The constraint C = 0, where C is what `function(x_a, r_a, x_b, r_b)` returns: one to six numbers. The arguments
    are the centres of mass (3,) and rotation matrices (3, 3, body to world) of both bodies. For the world they are zero
    and the unit matrix. The function must be smooth, and its result must depend only on its arguments.

    `jacobian` has the same arguments. It returns a matrix with one row for each number of C and twelve columns: the
    derivatives of C by the velocity and the angular velocity (world axes) of a, then of b. It is compared with
    differences of the function. If it is not given, these differences are used. `length_scale` [m] is a distance over
    which C changes noticeably. It sets the steps of the differences.

    The constraint force acts along the Jacobian, because in the forest a body is eliminated together with its rows, and
    the matrix of both is symmetric. Therefore `force` is refused here. For other forces, use a `Condition` on the same
    bodies, which is always a link.

    >>> from physics import Function
    >>> Function(name="j", a="arm", b="hand", function=lambda xa, ra, xb, rb: (xb - xa)[:1]).label
    "function constraint 'j'"
    """

    function: Callable[..., Any]
    jacobian: Callable[..., Any] | None = None
    length_scale: float = 0.1
    force: None = None
    rows: int = field(init=False, default=0)  # how many numbers; this and the drawn state are known once bodies are
    drawn: State = field(init=False, default=(), repr=False, compare=False)

    old_words: ClassVar[Mapping[str, str]] = {"forces": "force"}

    kind: ClassVar[str] = "function"
    equations: ClassVar[str] = "function"
    particle_ends: ClassVar[tuple[str, ...]] = ("a", "b")

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        for key in ("function", "jacobian"):
            value = getattr(self, key)
            if not callable(value) and not (key == "jacobian" and value is None):
                raise DefinitionError(f"{key} of {self.label}", value, "a function of x_a, r_a, x_b, r_b")
        if self.force is not None:
            kind = "VelocityCondition" if isinstance(self, OfVelocities) else "Condition"
            allowed = f"none here; a {kind} on its bodies, in Scene.couplings, takes forces of its own"
            raise DefinitionError(f"force of {self.label}", self.force, allowed)
        self.length("length_scale")

    def check(self, bodies: Mapping[str, Any]) -> None:
        """Refuse values and a Jacobian that are not finite, change their number, or disagree, at the drawn state and
        near it. Set `rows` and `drawn`.

        Set `auxiliary`, which keeps the constraint out of the forest, if the rows are linearly dependent in the columns
        of one body alone: in the forest, a body is eliminated together with its rows."""
        start = (*drawn_state(bodies.get(str(self.a))), *drawn_state(bodies.get(str(self.b))))
        object.__setattr__(self, "drawn", start)
        object.__setattr__(self, "rows", self._count_rows(start))
        held = [bodies.get(str(end)) is None or isinstance(bodies[str(end)], Fixed) for end in (self.a, self.b)]
        moving = [*range(6)] * (not held[0]) + [*range(6, 12)] * (not held[1])
        rng = np.random.default_rng(0)
        rank, alone = 0, self.rows
        for k in range(3):
            t = 0.3 * k * rng.normal(size=12) * np.array(2 * [*3 * [self.length_scale], *3 * [1.0]])
            t[[c for c in range(12) if bodies.get(str(self.a if c < 6 else self.b)) is None]] = 0.0  # the world stays
            found = self._check_jacobian(moved_state(start, t))
            small = 1e-9 * max(1.0, float(np.abs(found[:, moving]).max()))
            rank = max(rank, int(np.linalg.matrix_rank(found[:, moving], small)))
            sides = [found[:, 6 * k : 6 * k + 6] for k in range(2) if not held[k]]
            alone = min([alone, *(int(np.linalg.matrix_rank(side, small)) for side in sides)])
        if rank < self.rows and not self.auxiliary:
            got = f"{self.rows} numbers of rank {rank}"
            raise DefinitionError(f"function of {self.label}", got, "numbers that do not depend on each other")
        if alone < self.rows:
            object.__setattr__(self, "auxiliary", True)

    def motions(self) -> list[str]:
        """Return the names of the columns of the Jacobian."""
        return column_names("ab")

    def moved(self, state: State, t: np.ndarray) -> State:
        """Return the state after both bodies have moved by the twists t (12)."""
        return moved_state(state, t)

    def sizes(self) -> tuple[float, ...]:
        """Return the length scale [m], and 1 for a function of velocities."""
        return self.length_scale, float(self.of_velocities)


@dataclass(frozen=True, kw_only=True)
class VelocityFunction(OfVelocities, Function):
    """A constraint on velocities that does not restrict positions (nonholonomic). `function(x_a, r_a, v_a, w_a, x_b,
    r_b, v_b, w_b)` returns one to six numbers, which are kept at zero. They must be linear in the velocities v and the
    angular velocities w (world axes). `jacobian(x_a, r_a, x_b, r_b)` returns a matrix with one row for each number and
    twelve columns, as in `Function`. It is compared with the function. If it is not given, it is computed from the
    function.

    >>> from physics import VelocityFunction
    >>> VelocityFunction(
    ...     name="j", a="arm", b="hand", function=lambda xa, ra, va, wa, xb, rb, vb, wb: (vb - va)[:1]
    ... ).label
    "velocity function constraint 'j'"
    """

    kind: ClassVar[str] = "velocity function"

    def moving_state(self, state: State, u: np.ndarray) -> State:
        """Return the arguments of the function at the velocities u (12)."""
        return (*state[:2], u[:3], u[3:6], *state[2:], u[6:9], u[9:])


@dataclass(frozen=True, kw_only=True)
class Condition(Linkage, OfPoses):
    """The condition C = 0 on the poses of any number of bodies, where C is what `function(x, r)` returns: one to six
    numbers. Its arguments are the centres of mass (n, 3) and the rotation matrices (n, 3, 3; body to world), in the
    order of `bodies`. The function must be smooth, and its result must depend only on its arguments. Two examples: the
    common centre of mass of several bodies stays on a line; a rope runs through several bodies.

    `jacobian(x, r)` returns a matrix with one row for each number of C and six columns for each body: the derivatives
    of C by the body's velocity and angular velocity (world axes). It is compared with differences of the function. If
    it is not given, these differences are used.

    `force` gives the wrenches that a unit multiplier of each row applies. It has one row for each number of C and six
    columns for each body: the force, and the moment about the body's centre of mass. Without `force` they act along the
    Jacobian and do no work (Lagrange's principle). With `force` they may have any direction, like the force of a
    thruster; its strength is whatever keeps C = 0, and its work counts as work done on the figure. `force` is either a
    function of x and r, or an array of numbers in world axes at the drawn pose. Such numbers are fixed in the world or
    in each body (`force_in` is "world" or "body").

    `length_scale` [m] is a distance over which C changes noticeably. It sets the steps of the differences.

    >>> from physics import Condition
    >>> Condition(name="middle", bodies=("left", "right"), function=lambda x, r: x[:1, 2] + x[1:, 2]).bodies
    ('left', 'right')
    """

    bodies: Sequence[str]
    function: Callable[..., Any]
    jacobian: Callable[..., Any] | None = None
    force: Any = None
    force_in: str = "world"
    length_scale: float = 0.1
    rows: int = field(init=False, default=0)
    drawn: State = field(init=False, default=(), repr=False, compare=False)

    old_words: ClassVar[Mapping[str, str]] = {"forces": "force", "forces_in": "force_in"}

    kind: ClassVar[str] = "condition"
    takes: ClassVar[str] = "x, r"  # what its function is called with

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        names = self.bodies
        allowed = "a list of one or more names of bodies, each once"
        if isinstance(names, str) or not isinstance(names, Sequence) or not names:
            raise DefinitionError(f"bodies of {self.label}", names, allowed)
        if any(not isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise DefinitionError(f"bodies of {self.label}", names, allowed)
        object.__setattr__(self, "bodies", tuple(names))
        for key in ("function", "jacobian"):
            value = getattr(self, key)
            if not callable(value) and not (key == "jacobian" and value is None):
                takes = self.takes if key == "function" else Condition.takes
                raise DefinitionError(f"{key} of {self.label}", value, f"a function of {takes}")
        if self.force_in not in ("world", "body"):
            raise DefinitionError(f"force_in of {self.label}", self.force_in, '"world" or "body"')
        if self.force_in == "body" and (self.force is None or callable(self.force)):
            allowed = '"world", or forces that are numbers: a function says where they are'
            raise DefinitionError(f"force_in of {self.label}", self.force_in, allowed)
        scale = number(f"length_scale of {self.label}", self.length_scale, 0.0, strict=True)
        object.__setattr__(self, "length_scale", scale)

    def check(self, bodies: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
        """Refuse values, a Jacobian and forces that are not finite or change their number, at the drawn state and near
        it. Set `rows`, `drawn` and the normal form of `force`."""
        found = [self._body(name, bodies) for name in self.bodies]
        if all(isinstance(body, Fixed) for body in found):
            raise DefinitionError(f"bodies of {self.label}", self.bodies, "at least one body that forces can move")
        states = [drawn_state(body) for body in found]
        start = np.array([x for x, _ in states]), np.array([r for _, r in states])
        object.__setattr__(self, "drawn", start)
        self.prepare(start)
        object.__setattr__(self, "rows", self._count_rows(start))
        rng = np.random.default_rng(0)
        for k in range(3):
            t = 0.3 * k * rng.normal(size=(len(found), 2, 3)) * np.array([[self.length_scale], [1.0]])
            t[[isinstance(body, Particle) for body in found], 1] = 0.0
            state = self.moved(start, t.ravel())
            self._check_jacobian(state)
            if callable(self.force):
                self._checked_forces(self._values("force", state))
        if self.force is not None and not callable(self.force):
            try:
                given = np.array(self.force, float)
            except (TypeError, ValueError):
                allowed = "numbers, or a function of x, r"
                raise DefinitionError(f"force of {self.label}", self.force, allowed) from None
            object.__setattr__(self, "force", self._checked_forces(given))

    def prepare(self, drawn: State) -> None:
        """Set the functions that depend on the drawn bodies. This class has none; its subclass by formulas has."""

    def _body(self, name: str, bodies: Mapping[str, Any]) -> Any:
        """Return the body of this name. Refuse an unknown name, a static body and a massless body."""
        if name not in bodies:
            raise DefinitionError(f"bodies of {self.label}", name, known_name(name, set(bodies), "a body"))
        body = bodies[name]
        if isinstance(body, Static) or not isinstance(body, Body | Particle | PlanarBody | Fixed):
            allowed = "bodies with a mass, and moving bodies; static bodies are not arguments"
            raise DefinitionError(f"bodies of {self.label}", name, allowed)
        return body

    def _checked_forces(self, values: np.ndarray) -> tuple[tuple[float, ...], ...]:
        """Return the forces as a tuple of rows with six numbers for each body, or refuse them."""
        count = len(self.bodies)
        if values.shape == (self.rows, count, 6):
            values = values.reshape(self.rows, 6 * count)
        what = f"force of {self.label}"
        if values.shape != (self.rows, 6 * count):
            allowed = f"shape {(self.rows, 6 * count)}: for each number of the function six for each body"
            raise DefinitionError(what, f"shape {values.shape}", allowed)
        if not np.isfinite(values).all():
            raise DefinitionError(what, values.tolist(), "finite numbers")
        idle = np.flatnonzero(~values.any(axis=1))
        if len(idle):
            allowed = "a force that is not zero"
            raise DefinitionError(f"{what}, row {idle[0]}", values[idle[0]].tolist(), allowed)
        return tuple(tuple(row) for row in values.tolist())

    def motions(self) -> list[str]:
        """Return the names of the columns of the Jacobian."""
        return column_names(self.bodies)

    def moved(self, state: State, t: np.ndarray) -> State:
        """Return the state after all bodies have moved by the twists t (6 n)."""
        x, r = state
        turns = [matrix_of(rotation_quaternion(w)) for w in t.reshape(-1, 6)[:, 3:]]
        return x + t.reshape(-1, 6)[:, :3], np.array([product(turn, one) for turn, one in zip(turns, r, strict=True)])


@dataclass(frozen=True, kw_only=True)
class VelocityCondition(OfVelocities, Condition):
    """A condition on the velocities of any number of bodies that does not restrict their positions (nonholonomic).
    `function(x, r, v, w)` returns one to six numbers, which are kept at zero. Its arguments are the poses, as in
    `Condition`, and the velocities v and angular velocities w (n, 3; world axes). The numbers must be linear in v and
    w. Examples are a differential between rolling wheels, and a blade under two bodies.

    `jacobian(x, r)` and `force` are as in `Condition`. If the Jacobian is not given, it is computed from the function.

    >>> from physics import VelocityCondition
    >>> VelocityCondition(
    ...     name="slow", bodies=("left", "right"), function=lambda x, r, v, w: v[:1, 2] - v[1:, 2]
    ... ).bodies
    ('left', 'right')
    """

    kind: ClassVar[str] = "velocity condition"
    takes: ClassVar[str] = "x, r, v, w"

    def moving_state(self, state: State, u: np.ndarray) -> State:
        """Return the arguments of the function at the velocities u (6 n)."""
        each = u.reshape(-1, 6)
        return (*state, each[:, :3], each[:, 3:])


def drawn_state(body: Body | Particle | PlanarBody | Fixed | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the centre of mass (3,) [m] and the rotation matrix (3, 3) of a body at the drawn pose. For the world
    (None) they are zero and the unit matrix."""
    if body is None:
        return np.zeros(3), np.eye(3)
    if isinstance(body, Fixed):
        return body.at_start()
    if isinstance(body, Particle):
        turn = np.eye(3)
    elif isinstance(body, PlanarBody):
        turn = matrix_of(planar_orientation(np.array(body.normal), body.angle))
    else:
        turn = matrix_of(body.orientation)
    return np.array(body.position), turn


def moved_state(state: State, t: np.ndarray) -> State:
    """Return (x_a, r_a, x_b, r_b) after a and b have moved by the twists t (12)."""
    xa, ra, xb, rb = state
    return (
        xa + t[:3], product(matrix_of(rotation_quaternion(t[3:6])), ra),
        xb + t[6:9], product(matrix_of(rotation_quaternion(t[9:])), rb),
    )  # fmt: skip
