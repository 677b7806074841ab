"""Constraints by formulas: expressions of the coordinates of two or more bodies that stay zero. The parser of all
expressions reads them into programs of the physics (`physics.definitions.formulas`), which finds exact derivatives.
"""

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from physics.definitions import formulas as physics
from physics.definitions.checks import DefinitionError
from physics.definitions.formulas import Program
from scenes.kinds.constraints import Constraint
from scenes.kinds.ties import BODIES, Ends, Vec
from scenes.text.errors import did_you_mean, short
from scenes.text.expressions import FUNCTIONS, ExpressionError, Parser, arithmetic
from scenes.text.reader import Key
from scenes.text.schema import Model, item
from scenes.text.values import Directions, Number, Refused, Scope, Value, Vector, gather
from scenes.text.words import Choice, Names

MOST = 6  # formulas of one constraint
MOST_BODIES = 100  # of one condition
LONGEST = 2000  # characters of one: a formula written out has all digits of its numbers
OPERATIONS = {"+": 1, "-": 1, "*": 2, "/": 2, "minus": 3, "^": 4}  # and how tightly they bind
# a constraint cannot be kept closed with a function that is not smooth
ROUGH = ("abs", "min", "max", "floor", "ceil", "mod")


def operator(what: str) -> tuple[Callable[[Any, Any], "Node"], Callable[[Any, Any], "Node"]]:
    """Return two methods of `Node` for the sign of the operation `what`. Both return the node of the operation: the
    first with `self` on the left of the sign, the second with `self` on its right."""

    def on_the_left(self: Any, other: Any) -> "Node":
        if what == "/" and other == 0.0:
            raise ZeroDivisionError
        return Node(what, (self, other))

    def on_the_right(self: Any, other: Any) -> "Node":
        return Node(what, (other, self))

    return on_the_left, on_the_right


@dataclass(frozen=True)
class Node:
    """A part of a formula that depends on coordinates: the name of a coordinate, an operation, or a function."""

    what: str
    of: tuple[Any, ...] = ()

    __add__, __radd__ = operator("+")
    __sub__, __rsub__ = operator("-")
    __mul__, __rmul__ = operator("*")
    __truediv__, __rtruediv__ = operator("/")

    def __neg__(self) -> "Node":
        """Return the node of the negative."""
        return Node("minus", (self,))


class FormulaParser(Parser):
    """A parser of expressions in which names may be coordinates."""

    known_as = "coordinates"

    def raised(self, base: Any, exponent: Any) -> Any:
        """Return base^exponent, a number or a node."""
        if isinstance(base, Node) or isinstance(exponent, Node):
            return Node("^", (base, exponent))
        return super().raised(base, exponent)

    def called(self, name: str, arguments: list[Any], column: int) -> Any:
        """Return the value of a function, a number or a node. Refuse a function of coordinates that is not smooth."""
        if not any(isinstance(x, Node) for x in arguments):
            return super().called(name, arguments, column)
        if name in ROUGH:
            raise ExpressionError(f"{name} is not smooth; a formula that is to stay zero must be smooth", column)
        return Node(name, tuple(arguments))


def parse(text: str, names: Mapping[str, float], coordinates: tuple[str, ...]) -> Node:
    """Return the tree of a formula, or raise an `ExpressionError`."""
    if len(text) > LONGEST:
        raise ExpressionError(f"a formula of {len(text)} characters, allowed: {LONGEST}")
    parser = FormulaParser(text, ChainMap(names, {name: Node(name) for name in coordinates}))  # type: ignore[arg-type]
    for _, token, column in parser.tokens:
        if token in coordinates and token in names:
            raise ExpressionError(f"{token!r} is a coordinate here and a parameter of the scene; rename that", column)
    with arithmetic():
        found: Any = parser.sum(0)
    begin = parser.rest()
    if text[begin:].strip():
        raise ExpressionError("a formula has no unit: coordinates are in m, directions without unit, in SI", begin)
    if not isinstance(found, Node):
        raise ExpressionError(f"got {short(text)}, which depends on no coordinate")
    return found


# ---------------------------------------------------------------- trees, programs, texts
def program_of(trees: list[Node], every: tuple[str, ...] = physics.NAMES) -> Program:
    """Return formulas as a program of the physics."""
    code: list[tuple[int, int]] = []
    numbers: list[float] = []

    def walk(node: Any) -> None:
        if not isinstance(node, Node):
            code.append((physics.NUMBER, len(numbers)))
            numbers.append(float(node))
        elif node.what in every:
            code.append((physics.NAME, every.index(node.what)))
        else:
            for part in node.of:
                walk(part)
            code.append((physics.OPERATIONS[node.what], 0))

    for tree in trees:
        walk(tree)
        code.append((physics.END, 0))
    return Program(tuple(code), tuple(numbers))


def texts_of(program: Program, every: tuple[str, ...] = physics.NAMES) -> list[str]:
    """Return the formulas of a program as text, which gives the same program when it is read."""
    words = {code: word for word, code in physics.OPERATIONS.items()}
    out: list[str] = []
    stack: list[tuple[str, int]] = []  # texts, and how tightly their outermost operation binds

    def bracketed(part: tuple[str, int], least: int) -> str:
        return part[0] if part[1] >= least else f"({part[0]})"

    for operation, k in program.code:
        if operation == physics.END:
            out.append(stack.pop()[0])
        elif operation == physics.NUMBER:
            x = program.numbers[k]
            stack.append((repr(x), 9 if x >= 0.0 else 0))
        elif operation == physics.NAME:
            stack.append((every[k], 9))
        elif (word := words[operation]) in FUNCTIONS:
            count = FUNCTIONS[word][1]
            arguments = [stack.pop()[0] for _ in range(count)][::-1]
            stack.append((f"{word}({', '.join(arguments)})", 9))
        elif word == "minus":
            stack.append((f"-{bracketed(stack.pop(), 4)}", OPERATIONS[word]))
        else:
            tight = OPERATIONS[word]
            second, first = stack.pop(), stack.pop()
            # left to right, but for powers
            left, right = (5, 5) if word == "^" else (tight, tight + 1)
            stack.append((f"{bracketed(first, left)} {word} {bracketed(second, right)}", tight))
    return out


class Formulas(Value):
    """One formula, or a list of formulas."""

    other_kind = "velocity_function"  # that takes velocities

    def __init__(self, moving: bool):
        """Store whether the formulas are of velocities (`moving`), and the names that they may use."""
        self.names = physics.NAMES if moving else physics.COORDINATES
        self.moving = moving
        self.every = physics.NAMES

    def read(self, value: Any, scope: Scope) -> Program:
        """Return the formulas as a program, or refuse them."""
        if isinstance(value, Program):
            return value
        several = isinstance(value, list)
        texts = value if several else [value]
        if not 1 <= len(texts) <= MOST:
            raise Refused(f"got {len(texts)} formulas, allowed: one to {MOST}")
        trees, parts = [], []
        for k, text in enumerate(texts):
            try:
                if not isinstance(text, str):
                    raise ExpressionError(f"got {short(text)}, allowed: {self.words()}")
                trees.append(parse(text, scope.names, self.names))
            except ExpressionError as error:
                parts.append(((k,) if several else (), self.meant(text, str(error))))
        if parts:
            raise Refused(parts[0][1], parts=parts)
        return program_of(trees, self.every)

    def meant(self, text: Any, message: str) -> str:
        """Return the message, or a clearer one if a formula of positions uses a velocity."""
        named = [name for name in set(self.every) - set(self.names) if f"{name!r}" in message]
        if named:
            return f"{named[0]!r} is a velocity: a condition on velocities is a `{self.other_kind}`"
        return message

    def words(self) -> str:
        """Return what may be written, in a few words."""
        more = ", and vx1 ... wz1, vx ... wz" if self.moving else ""
        return f"a formula or a list of up to {MOST}, of x1 y1 z1, x2 y2 z2, x y z, Xx1 ... Zz{more}, and parameters"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        one = {"type": "string", "description": self.words()}
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "maxItems": MOST}]}


# ---------------------------------------------------------------- the two kinds
class Zero(Constraint):
    """Base class of constraints by formulas."""

    particles: ClassVar[tuple[int, ...]] = (0, 1)
    where: ClassVar[str] = "centres"

    @property
    def point_of_world(self) -> Vec | None:
        """Point of the world from which coordinates are measured."""
        return self.origin  # type: ignore[attr-defined]

    def define(self, name: str, ends: Ends) -> Any:
        """Return the definition, checked with its bodies, or refuse it."""
        made = super().define(name, ends)
        bodies = {end: part.definition for end, part in ((ends.a, ends.part_a), (ends.b, ends.part_b)) if part}
        try:
            made.check(bodies)
        except DefinitionError as error:
            got = error.got if isinstance(error.got, str) else short(error.got)
            raise Refused(f"{error.what}: got {got}, allowed: {error.allowed}", ("zero",)) from None
        return made

    def fields(self) -> dict[str, Any]:
        """Return the fields of the definition other than names, bodies and points."""
        return {
            "program": self.zero, "origin": self.origin, "frame": self.axes or physics.UPRIGHT,  # type: ignore[attr-defined]
            "length_scale": self.length_scale,  # type: ignore[attr-defined]
        }  # fmt: skip

    @classmethod
    def shifted_fields(cls, definition: Any, shift: np.ndarray) -> dict[str, Any]:
        """Return the fields that a translation changes."""
        return {"origin": tuple((np.array(definition.origin) + shift).tolist())}


def origin() -> Any:
    """Return the schema field `origin`."""
    return item("the point of the world from which coordinates are measured", (0.0, 0.0, 0.0))


def axes() -> Any:
    """Return the schema field `axes`."""
    return item("directions of the coordinates; if not given, those of the world", None)


def scale() -> Any:
    """Return the schema field `length_scale`."""
    return item("a distance over which the formulas change noticeably", 0.1)


def forced_as(kind: str) -> dict[str, str]:
    """Return the messages for the keys of non-ideal constraint forces, for a kind that does not have them. The messages
    name `kind`, which has them."""
    words = f"its force acts along its gradient; for other forces take a `{kind}` of its bodies, without the world"
    return {**Constraint.not_yet, **dict.fromkeys(("force", "forces", "force_in"), words)}


class Function(Zero):
    """Formulas of the positions of two bodies that stay zero. Each formula removes one degree of freedom. The names are
    explained above."""

    kind: ClassVar[str] = "function"
    definition: ClassVar[Any] = physics.Formula
    not_yet: ClassVar[dict[str, str]] = forced_as("condition")

    function: Annotated[Any, BODIES] = item("its two bodies")
    zero: Annotated[Program, Formulas(False)] = item("what stays zero")
    origin: Annotated[Vec, Vector("m")] = origin()
    axes: Annotated[Any, Directions()] = axes()
    length_scale: Annotated[float, Number("m", above=0.0)] = scale()

    @classmethod
    def open_by(cls, definition: Any) -> float:
        """Return the largest value of the formulas at the drawn pose."""
        return float(np.abs(definition.function(*definition.drawn)).max())


class VelocityFunction(Zero):
    """Formulas of the velocities of two bodies that stay zero, while no position is prescribed (nonholonomic). Each
    formula is linear in the velocities. The names are explained above."""

    kind: ClassVar[str] = "velocity_function"
    definition: ClassVar[Any] = physics.VelocityFormula
    not_yet: ClassVar[dict[str, str]] = forced_as("velocity_condition")
    opens: ClassVar[bool] = False

    velocity_function: Annotated[Any, BODIES] = item("its two bodies")
    zero: Annotated[Program, Formulas(True)] = item("what stays zero")
    origin: Annotated[Vec, Vector("m")] = origin()
    axes: Annotated[Any, Directions()] = axes()
    length_scale: Annotated[float, Number("m", above=0.0)] = scale()


# ---------------------------------------------------------------- conditions on several bodies
class GroupFormulas(Formulas):
    """One formula of any number of bodies, or a list of them."""

    other_kind = "velocity_condition"

    def __init__(self, moving: bool) -> None:
        """Store whether the formulas are of velocities (`moving`), and the names of all bodies that they may use."""
        super().__init__(moving)
        self.every = physics.group_names(MOST_BODIES)
        self.names = self.every if moving else physics.group_names(MOST_BODIES, moving=False)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        each = "x1 y1 z1 Xx1 ... Zz1" + (" vx1 ... wz1" if self.moving else "")
        return f"a formula or a list of up to {MOST}, of {each}, x2 ... of each body, and parameters"


class OfBodies(Value):
    """A value for each of some bodies."""

    def __init__(self, one: Value, what: str):
        """Store the kind of the value of one body, and the word for it in messages."""
        self.one = one
        self.what = what

    def read(self, value: Any, scope: Scope) -> dict[str, Any]:
        """Return the value that was written, or refuse it."""
        if not isinstance(value, dict) or not value:
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        return dict(zip(value, gather(value.items(), lambda v: self.one.read(v, scope)), strict=True))

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"bodies, and of each {self.what}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "object", "additionalProperties": self.one.schema(), "description": self.words()}


class Forces(OfBodies):
    """The wrench of a unit multiplier of each formula."""

    def __init__(self) -> None:
        """Set the kind of value of one body: a force, or a force and a moment."""
        super().__init__(Vector("any", (3, 6)), "a force [x, y, z], or a force and a moment, six numbers")

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        if not isinstance(value, list):
            return (super().read(value, scope),)
        if not any(isinstance(one, dict) for one in value):
            raise Refused(f"got {short(value)}, allowed: {self.words()}; or a list of these, one for each formula")
        return tuple(gather(enumerate(value), lambda one: OfBodies.read(self, one, scope)))

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        one = super().schema()
        return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1, "maxItems": MOST}]}


def at_points() -> Any:
    """Return the schema field `at`."""
    return item("the point of a body, if it is not its centre of mass", None)


def force() -> Any:
    """Return the schema field `force`."""
    return item(
        "the constraint forces, if they do not act along the gradients of the formulas: for each formula, the "
        "wrenches on bodies, at their centres of mass, for a multiplier of 1. The simulation finds the multipliers. "
        "Such forces do work, as a thruster does",
        None,
    )


def force_in() -> Any:
    """Return the schema field `force_in`."""
    return item("whether these directions are fixed in the world, or in each body", "world")


class GroupCondition(Model):
    """Base class of constraints by formulas of any number of bodies."""

    at: Annotated[Any, OfBodies(Vector("m"), "a world point")] = at_points()
    origin: Annotated[Vec, Vector("m")] = origin()
    axes: Annotated[Any, Directions()] = axes()
    force: Annotated[Any, Forces()] = force()
    force_in: Annotated[str, Choice("world", "body")] = force_in()
    length_scale: Annotated[float, Number("m", above=0.0)] = scale()


class Condition(GroupCondition):
    """Formulas of the positions of any number of bodies that stay zero: a rope through several bodies, or a centre of
    mass that stays on a line. The constraint forces act along the gradients of the formulas, unless `force` gives
    them."""

    kind: ClassVar[str] = "condition"
    definition: ClassVar[Any] = physics.ConditionFormula

    condition: Annotated[Any, Names("bodies")] = item("its bodies, one or more")
    zero: Annotated[Program, GroupFormulas(False)] = item("what stays zero")


class VelocityCondition(GroupCondition):
    """Formulas of the velocities of any number of bodies that stay zero, while no position is prescribed
    (nonholonomic): a differential between wheels that roll. Each formula is linear in the velocities. The constraint
    forces act along the gradients of the formulas, unless `force` gives them."""

    kind: ClassVar[str] = "velocity_condition"
    definition: ClassVar[Any] = physics.VelocityConditionFormula

    velocity_condition: Annotated[Any, Names("bodies")] = item("its bodies, one or more")
    zero: Annotated[Program, GroupFormulas(True)] = item("what stays zero")


def make_condition(name: str, spec: Condition | VelocityCondition, find: Any) -> physics.ConditionFormula:
    """Return the definition of a condition. The function `find` returns the name of a body in the physics and its part,
    or refuses it."""
    given = getattr(spec, spec.kind)
    found = [find(body, (spec.kind, k), {}) for k, body in enumerate(given)]
    bodies = {part.name: part for _, part in found if part is not None}
    names = [body for body, _ in found]
    places = dict(zip(given, names, strict=True))

    def own(given: str, *where: Any) -> str:
        if given not in places:
            raise Refused(f"{given!r} is none of its bodies{did_you_mean(given, places)}", (*where, Key(given)))
        return places[given]

    points = None
    if spec.at is not None:
        at = {own(body, "at"): point for body, point in spec.at.items()}
        points = [at.get(body) or bodies[body].place for body in names if body in bodies]
    forces = None
    if spec.force is not None:
        several = len(spec.force) > 1
        rows = [
            {own(body, "force", *((k,) if several else ())): v for body, v in row.items()}
            for k, row in enumerate(spec.force)
        ]
        forces = [[x for body in names for x in (*row.get(body, ()), *6 * (0.0,))[:6]] for row in rows]
    try:
        made = spec.definition(
            name=name, bodies=names, program=spec.zero, points=points, origin=spec.origin,
            frame=spec.axes or physics.UPRIGHT, force=forces, force_in=spec.force_in,
            length_scale=spec.length_scale,
        )  # fmt: skip
        made.check({body: part.definition for body, part in bodies.items()}, {})
    except DefinitionError as error:
        got = error.got if isinstance(error.got, str) else short(error.got)
        keys = {"force_in": "force_in", "force": "force", "point": "at", "bodies": spec.kind}
        inner = next((key for word, key in keys.items() if error.what.startswith(word)), "zero")
        raise Refused(f"{error.what}: got {got}, allowed: {error.allowed}", (inner,)) from None
    return made
