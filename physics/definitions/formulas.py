"""Constraints given by formulas. They are the functions and conditions of `physics.definitions.functions`, of poses or
of velocities. Here, however, the function is a program of `physics.maths.formula_program`, so that a text can contain
it, and so that it can be moved, mirrored and written to a file.

A formula uses named numbers, in m, m/s and rad/s. A name that ends in 1 belongs to the first body, one that ends in 2
to the second. A name without a number belongs to the second body relative to the first:

    x1 y1 z1            the point of the body, from `origin`, along the axes of `frame`
    Xx1 Xy1 Xz1 ... Zz1 directions of the body's axes, which were x, y, z at the drawn pose
    vx1 vy1 vz1         velocity of the point            (in conditions on velocities only)
    wx1 wy1 wz1         angular velocity of the body
    x y z, Xx ... Zz, vx vy vz, wx wy wz    the same in a frame that moves and rotates with the first body's point

A condition on n bodies has the names x1 to Zz1 of its first body, and so on up to xn to Zzn of its last. If it
restricts velocities, it also has the names vx1 to wz1, and so on up to vxn to wzn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics.maths import formula_program as machine
from physics.definitions.constraints import State
from physics.definitions.functions import Condition, Function, VelocityCondition, VelocityFunction, drawn_state
from physics.definitions.checks import DefinitionError, Vector, finite_numbers, place_in_reach
from physics.maths.strict import dot, product

__all__ = ["ConditionFormula", "Formula", "VelocityFormula"]

COORDINATES, VELOCITIES = machine.COORDINATES, machine.VELOCITIES
NAMES = (*COORDINATES, *VELOCITIES)


def group_names(bodies: int, moving: bool = True) -> tuple[str, ...]:
    """Return the names that a condition on this many bodies may use: those of the coordinates, and if `moving` also
    those of the velocities."""
    each = (*machine.PLACED, *machine.MOVING) if moving else machine.PLACED
    return tuple(f"{name}{k + 1}" for k in range(bodies) for name in each)


ADD, END, NUMBER, NAME = machine.ADD, machine.END, machine.NUMBER, machine.NAME
OPERATIONS = {
    "+": machine.ADD, "-": machine.SUBTRACT, "*": machine.TIMES, "/": machine.OVER, "^": machine.POWER,
    "minus": machine.MINUS, "sqrt": machine.SQRT, "sin": machine.SIN, "cos": machine.COS, "tan": machine.TAN,
    "asin": machine.ASIN, "acos": machine.ACOS, "atan": machine.ATAN, "atan2": machine.ATAN2, "exp": machine.EXP,
    "log": machine.LOG,
}  # fmt: skip
UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SQUARE = 1e-9  # how far the frame of a formula may be from unit length and right angles


@dataclass(frozen=True)
class Program:
    """Formulas as a list of steps for the stack machine."""

    code: tuple[tuple[int, int], ...]
    numbers: tuple[float, ...] = ()

    @property
    def rows(self) -> int:
        """Number of formulas."""
        return sum(operation == machine.END for operation, _ in self.code)

    @property
    def names(self) -> set[str]:
        """Names that the formulas use."""
        return {NAMES[k] for operation, k in self.code if operation == machine.NAME}


def undrawn(*state: np.ndarray) -> np.ndarray:
    """Raise a ValueError: a formula has no function before the drawn bodies are known."""
    raise ValueError("a formula is asked before its bodies are known")


@dataclass(frozen=True, kw_only=True)
class BetweenBodies:
    """Base class of constraints by formulas of the coordinates, or of the velocities, of two bodies. It has the
    program, and the frame in which the coordinates are measured."""

    program: Program
    origin: Vector = (0.0, 0.0, 0.0)
    frame: Sequence[Vector] = UPRIGHT
    function: Any = field(init=False, compare=False, repr=False, default=undrawn)
    jacobian: Any = field(init=False, compare=False, repr=False, default=None)

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        checked_formula(self)
        super().__post_init__()  # type: ignore[misc]

    def check(self, bodies: Mapping[str, Any]) -> None:
        """Set the functions, which depend on the drawn bodies, and refuse fields that do not suit these bodies."""
        ends: Any = self
        ends.prepare((*drawn_state(bodies.get(str(ends.a))), *drawn_state(bodies.get(str(ends.b)))))
        super().check(bodies)  # type: ignore[misc]


@dataclass(frozen=True, kw_only=True)
class Formula(BetweenBodies, Function):
    """The constraint C = 0 for one to six formulas of the coordinates of two bodies.

    The example keeps a ball at the height z = 2. Its value is 0.5 in a pose in which the ball is 0.5 m too high.

    >>> import numpy as np
    >>> from physics import Body, Formula, Scene
    >>> from physics.definitions.formulas import END, NAME, NAMES, Program
    >>> height = Program(code=((NAME, NAMES.index("z2")), (END, 0)))
    >>> level = Formula(name="level", a="world", b="ball", at=(0, 0, 2), origin=(0, 0, 2), program=height)
    >>> ball = Body(name="ball", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 2))
    >>> scene = Scene(bodies=[ball], joints=[level])
    >>> level.function(np.zeros(3), np.eye(3), np.array([0.0, 0.0, 2.5]), np.eye(3))
    array([0.5])
    """

    def prepare(self, drawn: tuple[np.ndarray, ...]) -> None:
        """Set `function` and `jacobian` for bodies at the poses `drawn`."""
        function, jacobian = functions(self.program, constants(self, drawn))
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "jacobian", jacobian)


@dataclass(frozen=True, kw_only=True)
class VelocityFormula(BetweenBodies, VelocityFunction):
    """The constraint that one to six formulas are zero. The formulas are linear in the velocities (a nonholonomic
    constraint).

    The example keeps a skate from moving sideways, along the y axis.

    >>> import numpy as np
    >>> from physics import Body, Scene, VelocityFormula
    >>> from physics.definitions.formulas import END, NAME, NAMES, Program
    >>> sideways = Program(code=((NAME, NAMES.index("vy2")), (END, 0)))
    >>> blade = VelocityFormula(name="blade", a="world", b="skate", program=sideways)
    >>> skate = Body(name="skate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    >>> scene = Scene(bodies=[skate], joints=[blade])
    >>> x, turn, still, gliding = np.zeros(3), np.eye(3), np.zeros(3), np.array([1.0, 0.2, 0.0])
    >>> blade.function(x, turn, still, still, x, turn, gliding, still)
    array([0.2])
    """

    def prepare(self, drawn: tuple[np.ndarray, ...]) -> None:
        """Set `function` for bodies at the poses `drawn`."""
        object.__setattr__(self, "function", velocity_function(self.program, constants(self, drawn)))


@dataclass(frozen=True, kw_only=True)
class ConditionFormula(Condition):
    """The condition C = 0 for one to six formulas of the coordinates of any number of bodies. `points` has one point of
    each body at the drawn pose [m]. By default these are the centres of mass.

    The example keeps the sum of the heights of two balls, z1 + z2, at zero.

    >>> import numpy as np
    >>> from physics import Body, ConditionFormula, Scene
    >>> from physics.definitions.formulas import ADD, END, NAME, Program, group_names
    >>> first, second = group_names(2).index("z1"), group_names(2).index("z2")
    >>> total = Program(code=((NAME, first), (NAME, second), (ADD, 0), (END, 0)))
    >>> balance = ConditionFormula(name="balance", bodies=("left", "right"), program=total)
    >>> pans = [Body(name=name, mass=1.0, inertia=(1.0, 1.0, 1.0)) for name in balance.bodies]
    >>> scene = Scene(bodies=pans, couplings=[balance])
    >>> balance.function(np.array([[0.0, 0.0, 0.3], [0.0, 0.0, -0.1]]), np.array([np.eye(3), np.eye(3)]))
    array([0.2])
    """

    program: Program
    points: Sequence[Vector] | None = None
    origin: Vector = (0.0, 0.0, 0.0)
    frame: Sequence[Vector] = UPRIGHT
    function: Any = field(init=False, compare=False, repr=False, default=undrawn)
    jacobian: Any = field(init=False, compare=False, repr=False, default=None)

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        if not isinstance(self.program, Program) or not 1 <= self.program.rows <= 6:
            raise DefinitionError(f"program of {self.label}", self.program, "a Program of one to six formulas")
        self._check_names()
        if callable(self.force):
            raise DefinitionError(f"force of {self.label}", self.force, "numbers")
        if self.points is not None:
            points = tuple(place_in_reach(f"point of {self.label}", p) for p in self.points)
            if len(points) != len(self.bodies):
                raise DefinitionError(f"points of {self.label}", points, "one for each body")
            object.__setattr__(self, "points", points)
        check_axes(self)

    def _check_names(self) -> None:
        """Refuse names of bodies that the condition does not have, and velocities in a condition on poses."""
        what, known = f"program of {self.label}", group_names(len(self.bodies))
        allowed = group_names(len(self.bodies), isinstance(self, VelocityCondition))
        used = sorted({k for operation, k in self.program.code if operation == NAME})
        if used and used[-1] >= len(known):
            got = f"a coordinate of body {used[-1] // machine.NAMED + 1}"
            raise DefinitionError(what, got, f"{allowed[0]} to {allowed[-1]}: of {len(self.bodies)} bodies")
        moving = [known[k] for k in used if known[k] not in allowed]
        if moving:
            allowed = "coordinates; conditions on velocities are a VelocityConditionFormula"
            raise DefinitionError(what, moving, allowed)

    def prepare(self, drawn: State) -> None:
        """Set `function` and `jacobian` for bodies at the poses `drawn`."""
        at = group_function(self, drawn)

        def function(x: np.ndarray, r: np.ndarray) -> np.ndarray:
            return at(-1, x, r)[0]

        def jacobian(x: np.ndarray, r: np.ndarray) -> np.ndarray:
            return np.column_stack([at(column, x, r)[1] for column in range(6 * len(self.bodies))])

        object.__setattr__(self, "function", function)
        object.__setattr__(self, "jacobian", jacobian)


@dataclass(frozen=True, kw_only=True)
class VelocityConditionFormula(VelocityCondition, ConditionFormula):
    """The condition that one to six formulas are zero. The formulas are linear in the velocities of any number of
    bodies (a nonholonomic condition)."""

    function: Any = field(init=False, compare=False, repr=False, default=undrawn)
    jacobian: Any = field(init=False, compare=False, repr=False, default=None)

    def prepare(self, drawn: State) -> None:
        """Set `function` for bodies at the poses `drawn`."""
        at = group_function(self, drawn)
        object.__setattr__(self, "function", lambda *state: at(-1, *state)[0])


def group_function(f: ConditionFormula, drawn: State) -> Any:
    """Return a function of (column, x, r) or (column, x, r, v, w). It returns the values and slopes (2, rows) that
    `evaluate_group` writes."""
    data = group_data(f, drawn)

    def at(column: int, x: np.ndarray, r: np.ndarray, *moving: np.ndarray) -> np.ndarray:
        out = np.zeros((2, machine.MOST_ROWS))
        placed = np.concatenate([x, r.reshape(len(x), 9)], axis=1).ravel()
        state = np.concatenate([placed, np.concatenate(moving, axis=1).ravel()]) if moving else placed
        with np.errstate(all="ignore"):
            machine.evaluate_group(data, state, column, out)
        return out[:, : f.program.rows]

    return at


def group_data(f: ConditionFormula, drawn: State) -> np.ndarray:
    """Return the formulas of a condition as data of the stack machine, for bodies that are drawn at the poses
    `drawn`."""
    x, r = drawn
    points = x if f.points is None else np.array(f.points)
    members = np.concatenate([r.transpose(0, 2, 1).reshape(len(x), 9), points - x], axis=1)
    frame = np.array(f.frame).T
    hand = np.sign(dot(np.cross(frame[:, 0], frame[:, 1]), frame[:, 2]))
    constants = np.concatenate([frame.ravel(), f.origin, [hand], members.ravel()])
    program, moving = f.program, isinstance(f, VelocityCondition)
    return machine.group_data_of(program.rows, np.ravel(program.code), program.numbers, moving, len(x), constants)


def checked_formula(f: Any) -> None:
    """Refuse `f` unless its program has one to six formulas and its axes are orthonormal. Refuse a `Formula` that uses
    velocities."""
    if not isinstance(f.program, Program) or not 1 <= f.program.rows <= 6:
        raise DefinitionError(f"program of {f.label}", f.program, "a Program of one to six formulas")
    moving = f.program.names & set(VELOCITIES)
    if moving and isinstance(f, Formula):
        allowed = "coordinates; conditions on velocities are a VelocityFormula"
        raise DefinitionError(f"program of {f.label}", sorted(moving), allowed)
    check_axes(f)


def check_axes(f: Formula | VelocityFormula | ConditionFormula) -> None:
    """Check the origin of the formulas, and that the axes of their frame are orthonormal; store both in their normal
    form."""
    object.__setattr__(f, "origin", place_in_reach(f"origin of {f.label}", f.origin))
    frame = tuple(finite_numbers(f"frame of {f.label}", axis, 3) for axis in f.frame)
    if len(frame) != 3 or np.abs(product(np.array(frame), np.array(frame).T) - np.eye(3)).max() > SQUARE:
        raise DefinitionError(f"frame of {f.label}", frame, "three directions of length 1 at right angles")
    object.__setattr__(f, "frame", frame)


def constants(f: Formula | VelocityFormula, drawn: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return the constants that the functions need in addition to the state: the frame, the origin, and the points and
    rotations of the bodies at the poses `drawn`."""
    xa, ra, xb, rb = drawn
    c = np.zeros(machine.CONSTANTS)
    frame = np.array(f.frame).T
    c[machine.FRAME : machine.FRAME + 9] = frame.ravel()
    c[machine.ORIGIN : machine.ORIGIN + 3] = f.origin
    c[machine.BASE_A : machine.BASE_A + 9] = ra.T.ravel()
    c[machine.BASE_B : machine.BASE_B + 9] = rb.T.ravel()
    c[machine.ARM_A : machine.ARM_A + 3] = np.array(f.points[0]) - xa
    c[machine.ARM_B : machine.ARM_B + 3] = np.array(f.points[1]) - xb
    c[machine.HAND] = np.sign(dot(np.cross(frame[:, 0], frame[:, 1]), frame[:, 2]))
    return c


def functions(program: Program, c: np.ndarray) -> tuple[Any, Any]:
    """Return C and its Jacobian as Python functions, for the constants c. A step calls compiled functions instead
    (physics/build/c_functions.py)."""
    data = data_of(program, c, moving=False)

    def at(column: int, *state: np.ndarray) -> np.ndarray:
        out = np.zeros((2, machine.MOST_ROWS))
        with np.errstate(all="ignore"):  # the caller refuses values that are not finite
            machine.evaluate(data, np.concatenate([np.ravel(x) for x in state]), column, out)
        return out[:, : program.rows]

    def function(*state: np.ndarray) -> np.ndarray:
        return at(-1, *state)[0]

    def jacobian(*state: np.ndarray) -> np.ndarray:
        return np.column_stack([at(column, *state)[1] for column in range(12)])

    return function, jacobian


def velocity_function(program: Program, c: np.ndarray) -> Any:
    """Return a Python function of poses and velocities whose results are the values of the formulas, for the constants
    c."""
    data = data_of(program, c, moving=True)

    def function(xa, ra, va, wa, xb, rb, vb, wb):
        out, state = np.zeros((2, machine.MOST_ROWS)), (xa, ra, xb, rb, np.zeros(6), va, wa, vb, wb)
        with np.errstate(all="ignore"):
            machine.evaluate(data, np.concatenate([np.ravel(x) for x in state]), -1, out)
        return out[0, : program.rows]

    return function


def data_of(program: Program, c: np.ndarray, moving: bool) -> np.ndarray:
    """Return the formulas with the constants c as data of the stack machine. `moving` says whether they restrict
    velocities."""
    return machine.data_of(program.rows, np.ravel(program.code), program.numbers, moving, c)
