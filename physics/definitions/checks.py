"""How the fields of definitions are checked: numbers, positions, directions and names. A `DefinitionError` says what
was wrong, what was given, and what is allowed. All numbers are in SI units, and angles are in radians.
"""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any

import numpy as np

from physics.maths.strict import norm

__all__ = ["WORLD", "DefinitionError", "DefinitionWarning"]

Vector = Sequence[float]
WORLD = "world"
# vectors this near to length 1 are not normalised: a definition made of another's values is the same to the last bit
UNIT = 1e-15
# Squares and products of larger numbers, or of numbers smaller than its inverse, are no longer finite.
LARGEST = 1e50
# m. Joints are closed to 3e-7 m at every step. A double of this size is rounded to 2e-9 m, and a gap is the sum of some
# ten such roundings: what is longer, or farther from the origin, cannot be held to the tolerances.
LONGEST = 1e7
# directions that have a letter
LETTERS = MappingProxyType({
    sign + letter: tuple(s if i == k else 0.0 for i in range(3))
    for sign, s in (("", 1.0), ("+", 1.0), ("-", -1.0))
    for k, letter in enumerate("xyz")
})  # fmt: skip


class DefinitionWarning(UserWarning):
    """A definition that can be built, but is probably a mistake.

    >>> from physics import DefinitionWarning
    >>> import warnings
    >>> warnings.simplefilter("ignore", DefinitionWarning)
    >>> issubclass(DefinitionWarning, UserWarning)
    True
    """


class DefinitionError(ValueError):
    """A definition that cannot be built. The fields `what`, `got` and `allowed` say what was wrong, what was given, and
    what is allowed.

    >>> from physics import DefinitionError, Sphere
    >>> try:
    ...     Sphere(radius=-1.0)
    ... except DefinitionError as error:
    ...     found = error
    >>> isinstance(found, ValueError)
    True
    """

    def __init__(self, what: str, got: Any, allowed: str):
        """Set the three fields, and the message, which contains all of them."""
        self.what = what
        self.got = got
        self.allowed = allowed
        super().__init__(f"{what}: got {got!r}, allowed: {allowed}")


def finite_numbers(what: str, value: Any, count: int | tuple[int, ...]) -> tuple[float, ...]:
    """Return `value` as a tuple of finite numbers, or refuse it. `count` says how many there are, or lists the counts
    that are allowed."""
    counts = (count,) if isinstance(count, int) else count
    allowed = f"{' or '.join(str(c) for c in counts)} finite numbers"
    if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable):
        raise DefinitionError(what, value, allowed)
    try:
        result = tuple(as_float(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        raise DefinitionError(what, value, allowed) from None
    if len(result) not in counts or not all(math.isfinite(v) for v in result):
        raise DefinitionError(what, value, allowed)
    if any(abs(v) > LARGEST for v in result):
        raise DefinitionError(what, value, f"{allowed} of at most {LARGEST:g}")
    return result


def as_float(value: Any) -> float:
    """Return `value` as a float. Raise a TypeError for truth values and bytes."""
    if isinstance(value, bytes | bool | np.bool_):
        raise TypeError
    return float(value)


def number(what: str, value: Any, low: float, strict: bool = False, high: float = math.inf) -> float:
    """Return `value` as a finite number, or refuse it. It must be at least `low` (with `strict`, above `low`), and at
    most `high`."""
    sign = ">" if strict else ">="
    allowed = f"a finite number {sign} {low:g}" if math.isfinite(low) else "a finite number"
    if math.isfinite(high):
        allowed += f" and <= {high:g}"
    try:
        result = as_float(value)
    except (TypeError, ValueError, OverflowError):
        raise DefinitionError(what, value, allowed) from None
    if not math.isfinite(result) or result < low or (strict and result == low) or result > high:
        raise DefinitionError(what, value, allowed)
    if abs(result) > LARGEST or (strict and low == 0.0 and result < 1.0 / LARGEST):
        raise DefinitionError(what, value, f"{allowed}, from {1.0 / LARGEST:g} to {LARGEST:g} in size")
    return result


def place_in_reach(what: str, value: Any) -> tuple[float, ...]:
    """Return `value` as a point [m], or refuse it. No coordinate may be larger than `LONGEST`, up to which the
    tolerances hold."""
    place = finite_numbers(what, value, 3)
    if any(abs(x) > LONGEST for x in place):
        raise DefinitionError(what, value, f"3 finite numbers of at most {LONGEST:g} m in size")
    return place


def length_in_reach(what: str, value: Any, strict: bool = True) -> float:
    """Return `value` as a length [m], or refuse it. With `strict` it must be above 0."""
    return number(what, value, 0.0, strict, high=LONGEST)


def unit_direction(what: str, value: Any) -> tuple[float, ...]:
    """Return three numbers, or a letter such as "-x", as a unit vector, or refuse the value."""
    if isinstance(value, str):
        if value not in LETTERS:
            raise DefinitionError(what, value, "x, y, z, -x, -y, -z or three numbers")
        return LETTERS[value]
    v = finite_numbers(what, value, 3)
    size = norm(v)
    if size < 1e-12:
        raise DefinitionError(what, value, "a vector that is not zero")
    return v if abs(size - 1.0) < UNIT else tuple(x / size for x in v)


def flag(what: str, value: Any) -> bool:
    """Return `value` as True or False, or refuse it."""
    if not isinstance(value, bool | np.bool_):
        raise DefinitionError(what, value, "True or False")
    return bool(value)


def checked_name(what: str, value: Any) -> str:
    """Return `value` if it is a name, and refuse anything else. A name is a text that is not empty and not "world"."""
    if not isinstance(value, str) or not value or value == WORLD:
        raise DefinitionError(what, value, f"a text that is not empty and not {WORLD!r}")
    return value


def per_axis(what: str, value: Any, axes: int, low: float = 0.0) -> tuple[float, ...]:
    """Return one number for each axis of a joint, or refuse the value. It may be one number for all axes, or one for
    each."""
    if axes == 0:
        raise DefinitionError(what, value, "nothing: this joint has no axis that moves")
    if isinstance(value, Iterable) and not isinstance(value, str):
        values = tuple(value)
        if len(values) != axes:
            raise DefinitionError(what, value, f"one number, or {axes}: one for each axis")
        return tuple(number(what, v, low) for v in values)
    return (number(what, value, low),) * axes


def unit_quaternion(what: str, value: Any) -> tuple[float, ...]:
    """Return `value` as a unit quaternion, or refuse it."""
    q = finite_numbers(what, value, 4)
    size = norm(q)
    if abs(size - 1.0) > 1e-3:
        raise DefinitionError(what, value, "a unit quaternion, w first")
    return q if abs(size - 1.0) < UNIT else tuple(x / size for x in q)


def known_name(name: str, names: set[str], what: str = f"a body, or {WORLD!r}") -> str:
    """Return the end of an error message for an unknown name. It says that the name of `what` is allowed, and suggests
    the one of `names` that is most similar, if one is."""
    from difflib import get_close_matches

    close = get_close_matches(name, sorted(names), 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"the name of {what}{hint}"
