"""The values of the language. Each kind reads what was written, refuses what does not fit, and describes itself.

Kinds are metadata of pydantic fields (`Annotated[float, Number("kg", above=0)]`). The reader, the JSON Schema for
editors and the reference page are all made from these kinds. Numbers without a unit are in SI units; written units are
checked (`scenes.text.units`).
"""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic_core import core_schema

from physics.definitions.checks import LETTERS, LONGEST
from physics.maths.strict import cosine, dot, norm, sine
from scenes.text.errors import did_you_mean, short
from scenes.text.expressions import ExpressionError, Measured, Parser, evaluate
from scenes.text.reader import Key
from scenes.text.units import factor_to

# vectors this near to length 1 are not normalised, so that a direction read again is the same to the last bit
UNIT = 1e-15
# the cosine of directions that are at right angles
SQUARE = 1e-9


class Refused(ValueError):
    """The error for a value that does not fit. `parts` has (place inside the value, sentence) for each fault."""

    def __init__(self, message: str, inner: tuple[str | int, ...] = (), parts: list[tuple[Any, str]] | None = None):
        """Store one sentence with its place inside the value, or the `parts` of several sentences."""
        super().__init__(message)
        self.parts = parts if parts is not None else [(inner, message)]


def gather(pieces: Iterable[tuple[str | int, Any]], read: Any) -> list[Any]:
    """Return the results of `read` for each value. All refusals are raised together as one."""
    out, parts = [], []
    for key, value in pieces:
        try:
            out.append(read(value))
        except Refused as error:
            parts += [((key, *inner), message) for inner, message in error.parts]
    if parts:
        raise Refused(parts[0][1], parts=parts)
    return out


@dataclass
class Scope:
    """The names to which a value may refer: parameters, and files of the scene's folder."""

    names: Mapping[str, float] = field(default_factory=dict)
    find: Callable[[str], str] | None = None

    def file(self, text: str) -> str:
        """Return the path of a file in the scene's folder, or refuse it."""
        if self.find is None:
            raise Refused(f"{short(text)}: files can be named in a scene only")
        return self.find(text)

    def fill(self, text: str) -> str:
        """Return a text with `${name}` replaced."""

        def put(match: re.Match[str]) -> str:
            if match.group(1) not in self.names:
                raise Refused(f"unknown parameter {match.group(1)!r}{did_you_mean(match.group(1), self.names)}")
            return f"{self.names[match.group(1)]:.12g}"

        return re.sub(r"\$\{([^}]*)\}", put, text)


NO_NAMES = Scope()


class Value:
    """Base class of the kinds of values of the language."""

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        raise NotImplementedError

    def words(self) -> str:
        """Return what may be written, in a few words, for messages and the reference page."""
        raise NotImplementedError

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        raise NotImplementedError

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return a pydantic validator that reads the value."""
        return core_schema.with_info_plain_validator_function(lambda v, info: self.read(v, info.context or NO_NAMES))

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        """Return the JSON Schema, for pydantic."""
        return self.schema()


EXPRESSION = {
    "type": "string",
    "description": "an expression with parameters and an optional unit, such as 2*pi*radius or 20 deg",
}


@dataclass
class Number(Value):
    """A number with a unit and bounds."""

    unit: str = ""
    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf  # low, itself excluded
    whole: bool = False
    infinite: bool = False
    parameter: bool = False  # the value knows that it has a unit

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        kind = type(value)
        with_unit = False
        if self.parameter and kind is Measured:
            x = value
        elif kind is float or kind is int or kind is Measured:
            try:
                x = float(value)
            except OverflowError:
                raise Refused(f"got {short(value)}, allowed: {self.words()}") from None
        elif kind is str:
            try:
                x, with_unit = evaluate(value, scope.names, self.unit)
                x = x if self.parameter else float(x)
            except ExpressionError as error:
                raise Refused(f"{error}; allowed: {self.words()}" if not error.enough else str(error)) from None
        elif isinstance(value, np.floating | np.integer):
            x = float(value)
        else:
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        small = x <= self.above and self.above > -math.inf
        if not self.low <= x <= self.high or small or (not self.infinite and math.isinf(x)):
            raise Refused(f"got {short(value)}, allowed: {self.words(unit_of(value, scope) if with_unit else '')}")
        if self.unit == "rad" and not with_unit and abs(x) > 2.0 * math.pi + 1e-9 and not math.isinf(x):
            raise Refused(
                f"a bare angle of {x:.6g} rad is more than a turn; did you mean {short(value)[:20].strip(chr(39))} deg?"
            )
        if self.whole:
            if x != math.floor(x):
                raise Refused(f"got {short(value)}, allowed: {self.words()}")
            return int(x)
        return x

    def words(self, written: str = "") -> str:
        """Return what may be written, with the bounds in the unit of the field, or in the unit `written`."""
        unit = written or self.unit
        factor = factor_to(written, self.unit) if written else 1.0
        low, high = self.low / factor, self.high / factor
        text = "a whole number" if self.whole else "a number"
        if unit:
            text += f" in {unit}" if unit != "any" else " with any unit"
        if self.above > -math.inf:
            text += f" above {self.above / factor:g}"
        if low > -math.inf and high < math.inf:
            text += f" from {low:.12g} to {high:.12g}"
        elif low > -math.inf:
            text += f", {low:.12g} or more"
        elif high < math.inf:
            text += f", at most {high:.12g}"
        return text

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        number: dict[str, Any] = {"type": "integer" if self.whole else "number", "description": self.words()}
        if self.above > -math.inf:
            number["exclusiveMinimum"] = self.above
        if self.low > -math.inf:
            number["minimum"] = self.low
        if self.high < math.inf:
            number["maximum"] = self.high
        return {"anyOf": [number, EXPRESSION]}


def unit_of(value: Any, scope: Scope) -> str:
    """Return the unit that was written after a value, or an empty text if there is none."""
    if not isinstance(value, str):
        return ""
    try:
        parser = Parser(value, scope.names)
        parser.sum(0)
        return value[parser.rest() :].strip()
    except (ValueError, ArithmeticError):
        return ""


def torn(items: list[Any]) -> str:
    """Return a hint for a list with too many items: YAML ends an item at each comma, also inside the brackets of a
    formula."""
    for first, second in itertools.pairwise(items):
        if isinstance(first, str) and isinstance(second, str) and first.count("(") > first.count(")"):
            return f'; put quotes around a formula with a comma: "{first}, {second}"'
    return ""


def items_of(value: Any, kind: Value) -> list[Any]:
    """Return the items of a list; refuse another value."""
    if isinstance(value, np.ndarray):
        return list(value)
    if not isinstance(value, list | tuple):
        raise Refused(f"got {short(value)}, allowed: {kind.words()}")
    return list(value)


class Vector(Value):
    """Several numbers of one unit."""

    def __init__(self, unit: str = "", counts: tuple[int, ...] = (3,)):
        """Store the unit of the numbers, and how many there may be."""
        self.number = Number(unit)
        self.counts = counts

    def read(self, value: Any, scope: Scope) -> tuple[float, ...]:
        """Return the value that was written, or refuse it."""
        items = items_of(value, self)
        if len(items) not in self.counts:
            raise Refused(f"got {len(items)} values, allowed: {self.words()}{torn(items)}")
        if self.number.unit != "rad" and all(type(v) is float and -LONGEST <= v <= LONGEST for v in items):
            return tuple(items)  # most vectors of large files
        return tuple(gather(enumerate(items), lambda v: self._one(v, scope)))

    def _one(self, value: Any, scope: Scope) -> float:
        """Return one number, or refuse it."""
        x = self.number.read(value, scope)
        if self.number.unit == "m" and abs(x) > LONGEST:
            raise Refused(f"got {short(value)}, allowed: at most {LONGEST:g} m: what is farther is rounded too much")
        return x

    def words(self) -> str:
        """Return what may be written, in a few words."""
        unit = f" in {self.number.unit}" if self.number.unit else ""
        return f"a list of {' or '.join(map(str, self.counts))} numbers{unit}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {
            "type": "array", "items": self.number.schema(), "minItems": min(self.counts), "maxItems": max(self.counts),
            "description": self.words(),
        }  # fmt: skip


class Points(Value):
    """A list of points."""

    def __init__(self, least: int, most: int):
        """Store how many points there may be."""
        self.least, self.most = least, most
        self.point = Vector("m")

    def read(self, value: Any, scope: Scope) -> tuple[tuple[float, ...], ...]:
        """Return the value that was written, or refuse it."""
        items = items_of(value, self)
        if not self.least <= len(items) <= self.most:
            raise Refused(f"got {len(items)} points, allowed: {self.words()}")
        return tuple(gather(enumerate(items), lambda v: self.point.read(v, scope)))

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"a list of {self.least} to {self.most} points [x, y, z]"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "array", "items": self.point.schema(), "minItems": self.least, "maxItems": self.most}


class Direction(Value):
    """A direction: a letter or three numbers. It is read as a unit vector."""

    def read(self, value: Any, scope: Scope) -> tuple[float, ...]:
        """Return the value that was written, or refuse it."""
        if isinstance(value, str):
            if value not in LETTERS:
                raise Refused(f"got {short(value)}, allowed: {self.words()}")
            return LETTERS[value]
        v = Vector().read(items_of(value, self), scope)
        size = norm(v)
        if not 1e-12 < size < 1e150:
            raise Refused(f"got {short(value)}: a direction must not be zero")
        return v if abs(size - 1.0) < UNIT else tuple(x / size for x in v)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "x, y, z, -x, -y, -z or three numbers"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        letters = {"enum": ["x", "y", "z", "-x", "-y", "-z"]}
        return {"anyOf": [letters, Vector().schema()], "description": self.words()}


class Directions(Value):
    """Three perpendicular directions of x, y and z."""

    def read(self, value: Any, scope: Scope) -> tuple[tuple[float, ...], ...]:
        """Return the value that was written, or refuse it."""
        items = items_of(value, self)
        if len(items) != 3:
            raise Refused(f"got {len(items)} directions, allowed: {self.words()}")
        out = tuple(gather(enumerate(items), lambda v: Direction().read(v, scope)))
        for k, other in ((0, 1), (0, 2), (1, 2)):
            if abs(dot(out[k], out[other])) > SQUARE:
                raise Refused("the three directions must be at right angles", (other,))
        return out

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "a list of three directions at right angles, such as [x, y, z]"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "array", "items": Direction().schema(), "minItems": 3, "maxItems": 3}


class Range(Value):
    """Lower and upper bound; null or inf means no bound."""

    def __init__(self, unit: str):
        """Store the unit of both ends."""
        self.number = Number(unit, infinite=True)

    def read(self, value: Any, scope: Scope) -> tuple[float, float]:
        """Return the value that was written, or refuse it."""
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            raise Refused(f"got {short(value)}, allowed: {self.words()}{self.about_zero(value, scope)}")
        items = items_of(value, self)
        if len(items) != 2:
            raise Refused(f"got {len(items)} values, allowed: {self.words()}{torn(items)}")
        open_ends = (-math.inf, math.inf)
        pieces = [(k, open_ends[k] if v is None else v) for k, v in enumerate(items)]
        low, high = gather(pieces, lambda v: self.number.read(v, scope))
        if low > high:
            raise Refused(f"reversed: the lower bound {low:.6g} is above the upper bound {high:.6g}")
        if low == math.inf or high == -math.inf:
            raise Refused("a range without any value inside")
        return low, high

    def about_zero(self, value: Any, scope: Scope) -> str:
        """Return a hint for a single number, which is most likely meant as a range to both sides."""
        try:
            x = self.number.read(value, scope)
        except Refused:
            return ""
        return f"; write [-{value}, {value}], or [0, {value}]" if 0.0 < x < math.inf else ""

    def words(self) -> str:
        """Return what may be written, in a few words."""
        unit = f" in {self.number.unit}" if self.number.unit not in ("", "any") else ""
        return f"[lower, upper]{unit}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        end = {"anyOf": [*self.number.schema()["anyOf"], {"type": "null"}]}
        return {"type": "array", "items": end, "minItems": 2, "maxItems": 2, "description": self.words()}


class Ranges(Value):
    """A range for each axis of a joint. If all axes have the same unit, one range may be given for all."""

    def __init__(self, unit: str | tuple[str, ...], axes: int):
        """Store the unit of each axis; one unit is for all axes."""
        self.units = (unit,) * axes if isinstance(unit, str) else unit
        self.ranges = [Range(u) for u in self.units]

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        if len(self.ranges) == 1 and not isinstance(value, list | tuple):
            return (self.ranges[0].read(value, scope),)
        items = items_of(value, self)
        several = bool(items) and all(isinstance(v, list | tuple) or v is None for v in items)
        if several and len(items) == len(self.ranges) and any(v is not None for v in items):
            kinds = iter(self.ranges)
            everything = [(k, [None, None] if v is None else v) for k, v in enumerate(items)]
            return tuple(gather(everything, lambda v: next(kinds).read(v, scope)))
        if len(set(self.units)) > 1 or (several and any(v is not None for v in items)):
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        return (self.ranges[0].read(value, scope),) * len(self.ranges)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        each = ", ".join(r.words() for r in self.ranges)
        if len(self.ranges) == 1:
            return each
        one = "" if len(set(self.units)) > 1 else f"{self.ranges[0].words()}, or "
        return f"{one}a list of {len(self.ranges)} ranges: {each}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        pairs = {"type": "array", "items": {"anyOf": [{"type": "array"}, {"type": "null"}]}}
        return {"anyOf": [self.ranges[0].schema(), pairs], "description": self.words()}


class PerAxis(Value):
    """A number for each axis of a joint. One number is for all axes."""

    def __init__(self, unit: str | tuple[str, ...], axes: int, low: float = -math.inf, high: float = math.inf):
        """Store the unit of each axis and the range of its number; one unit is for all axes."""
        units = (unit,) * axes if isinstance(unit, str) else unit
        self.numbers = [Number(u, low=low, high=high) for u in units]
        self.axes = axes
        self.mixed = len(set(units)) > 1

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        if isinstance(value, list | tuple | np.ndarray):
            if len(value) != self.axes:
                raise Refused(f"got {len(value)} values, allowed: {self.words()}{torn(list(value))}")
            kinds = iter(self.numbers)
            return tuple(gather(enumerate(value), lambda v: next(kinds).read(v, scope)))
        if self.mixed and value not in (0, 0.0):
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        return self.numbers[0].read(value, scope)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        first = self.numbers[0].words()
        if self.mixed:
            return f"[{', '.join(n.words() for n in self.numbers)}]"
        return first + (f", or a list of {self.axes}: one for each axis" if self.axes > 1 else "")

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        if self.axes == 1:
            return self.numbers[0].schema()
        several = {
            "type": "array", "items": [n.schema() for n in self.numbers], "minItems": self.axes, "maxItems": self.axes,
        }  # fmt: skip
        return {"anyOf": [*self.numbers[0].schema()["anyOf"], several], "description": self.words()}


class Turn(Value):
    """A small rotation about the world axes: {y: -20 deg} or three numbers. It is read as a rotation vector."""

    def __init__(self, unit: str = "rad"):
        """Store the unit of the angles."""
        self.unit = unit

    def read(self, value: Any, scope: Scope) -> tuple[float, ...]:
        """Return the value that was written, or refuse it."""
        if isinstance(value, dict):
            number = Number(self.unit)
            for key in value:
                if key not in ("x", "y", "z"):
                    raise Refused(f"unknown axis {short(key)}, allowed: x, y, z", (Key(key),))
            found = dict(zip(value, gather(value.items(), lambda v: number.read(v, scope)), strict=True))
            return tuple(found.get(k, 0.0) for k in "xyz")
        return Vector(self.unit).read(items_of(value, self), scope)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"{{x, y, z}} in {self.unit} about the world's axes, as a rotation vector, or a list of the three"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        number = Number(self.unit).schema()
        axes = {"type": "object", "properties": dict.fromkeys("xyz", number), "additionalProperties": False}
        return {"anyOf": [axes, Vector(self.unit).schema()], "description": self.words()}


class Rotation(Value):
    """A rotation: {y: 30 deg}, {axis: [1, 1, 0], angle: 30 deg} or a unit quaternion [w, x, y, z]. It is read as a
    quaternion."""

    def read(self, value: Any, scope: Scope) -> tuple[float, ...]:
        """Return the value that was written, or refuse it."""
        if isinstance(value, dict):
            return self.about(value, scope)
        q = Vector("", (4,)).read(items_of(value, self), scope)
        size = norm(q)
        if not abs(size - 1.0) <= 1e-3:
            raise Refused(f"got {short(value)}, allowed: a quaternion [w, x, y, z] of length 1")
        return q if abs(size - 1.0) < UNIT else tuple(x / size for x in q)

    def about(self, value: dict[str, Any], scope: Scope) -> tuple[float, ...]:
        """Return the quaternion of a rotation given by axis and angle, or refuse it."""
        if set(value) == {"axis", "angle"}:
            axis, angle = gather(
                [("axis", (Direction(), value["axis"])), ("angle", (Number("rad"), value["angle"]))],
                lambda kind: kind[0].read(kind[1], scope),
            )
        elif len(value) == 1 and next(iter(value)) in LETTERS:
            (letter,) = value
            axis = LETTERS[letter]
            (angle,) = gather([(letter, value[letter])], lambda v: Number("rad").read(v, scope))
        else:
            raise Refused(f"got {{{', '.join(map(str, value))}}}, allowed: {self.words()}")
        s = sine(0.5 * angle)
        return (cosine(0.5 * angle), *(s * x for x in axis))

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "{y: 30 deg} about one axis, {axis: [1, 1, 0], angle: 30 deg}, or a quaternion [w, x, y, z]"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        angle = Number("rad").schema()
        one = {"type": "object", "properties": dict.fromkeys("xyz", angle), "additionalProperties": False}
        any_axis = {
            "type": "object", "properties": {"axis": Direction().schema(), "angle": angle},
            "required": ["axis", "angle"], "additionalProperties": False,
        }  # fmt: skip
        return {"anyOf": [one, any_axis, Vector("", (4,)).schema()], "description": self.words()}


class Place(Value):
    """One point in the world, or a point for each of the two bodies: {crank: [..], rocker: [..]}."""

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        point = Vector("m")
        if isinstance(value, dict):
            points = gather(value.items(), lambda v: point.read(v, scope))
            return dict(zip(value, points, strict=True))
        return point.read(items_of(value, self), scope)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "a world point [x, y, z], or one for each body {first: [x, y, z], second: [x, y, z]}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        point = Vector("m").schema()
        return {"anyOf": [point, {"type": "object", "additionalProperties": point}], "description": self.words()}
