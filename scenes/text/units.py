"""Units: which units may follow a number, and whether they fit the field. A unit is a factor to SI times a product of
powers of kilogram, metre, second and radian. The radian is a unit of its own, so that N*m and N*m/rad can be
distinguished; "per radian" may be left out."""

import math
import re
from functools import cache
from typing import NamedTuple

from physics.maths import strict
from scenes.text.errors import did_you_mean


class UnitError(ValueError):
    """An error for a unit that is unknown or does not fit, as a sentence."""


class Unit(NamedTuple):
    """A unit, factor * kg^a m^b s^c rad^d."""

    factor: float
    powers: tuple[int, int, int, int]

    def times(self, other: "Unit", power: int) -> "Unit":
        """Return the product of this unit and a power of another."""
        factor = self.factor * strict.power(other.factor, power)
        return Unit(factor, tuple(p + power * q for p, q in zip(self.powers, other.powers, strict=True)))  # type: ignore[arg-type]


NONE = Unit(1.0, (0, 0, 0, 0))
# powers of kg, m, s, rad, and the units that have them with their factors to SI
OF_POWERS: tuple[tuple[tuple[int, int, int, int], dict[str, float]], ...] = (
    ((0, 0, 0, 0), {"1": 1.0, "%": 0.01}),
    ((1, 0, 0, 0), {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3}),
    ((0, 1, 0, 0), {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "km": 1e3, "in": 0.0254, "ft": 0.3048}),
    ((0, 0, 1, 0), {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "h": 3600.0}),
    ((0, 0, 0, 1), {"rad": 1.0, "deg": math.pi / 180.0, "turn": 2.0 * math.pi}),
    ((0, 0, -1, 1), {"rpm": math.pi / 30.0}),
    ((0, 0, -1, 0), {"Hz": 1.0}),
    ((1, 1, -2, 0), {"N": 1.0, "mN": 1e-3, "kN": 1e3}),
    ((1, 2, -2, 0), {"J": 1.0, "mJ": 1e-3, "kJ": 1e3}),
    ((1, 2, -3, 0), {"W": 1.0}),
    ((1, -1, -2, 0), {"Pa": 1.0, "kPa": 1e3, "MPa": 1e6}),
)
UNITS = {name: Unit(factor, powers) for powers, factors in OF_POWERS for name, factor in factors.items()}
# how people write them, and what is meant
MEANT = {
    "Nm": "N*m", "Nms": "N*m*s", "kgm": "kg*m", "degree": "deg", "degrees": "deg", "radian": "rad", "radians": "rad",
    "sec": "s", "second": "s", "seconds": "s", "meter": "m", "meters": "m", "metre": "m", "metres": "m", "hz": "Hz",
    "kilogram": "kg", "kilograms": "kg", "grams": "g", "rev": "turn", "turns": "turn", "RPM": "rpm", "newton": "N",
    "mps": "m/s", "Mm": "mm", "KG": "kg", "Kg": "kg", "inch": "in", "lbs": "kg", "lb": "kg",
}  # fmt: skip
FACTOR = re.compile(r"\s*([A-Za-z%]+|1)\s*(?:(?:\^|\*\*)?\s*(-?[1-9])(?![0-9]))?\s*")


@cache
def parse_unit(text: str) -> Unit:
    """Return the unit of a text: N*m/rad, kg*m^2, m/s2, ..."""
    unit, at, power = NONE, 0, 1
    while True:
        match = FACTOR.match(text, at)
        if match is None:
            raise UnitError(f"unit {text!r} is not understood; units are written like N*m/rad or kg*m^2")
        name = match.group(1)
        if name in MEANT:
            raise UnitError(f"unknown unit {name!r}; did you mean {MEANT[name]!r}?")
        if name not in UNITS:
            raise UnitError(f"unknown unit {name!r}{did_you_mean(name, UNITS) or '; known: ' + ', '.join(UNITS)}")
        unit = unit.times(UNITS[name], power * int(match.group(2) or 1))
        at = match.end()
        if at == len(text):
            return unit
        if text[at] not in "*/·":
            raise UnitError(f"unit {text!r} is not understood; between units stands * or /, as in N*m/rad")
        power = -1 if text[at] == "/" else 1
        at += 1


def unit_at(text: str, at: int) -> int:
    """Return the index of the end of the unit that begins at index `at`, whatever follows it. Return `at` itself if
    there is no unit."""
    end = at
    while (match := FACTOR.match(text, at)) and match.group(1) in UNITS:
        end = match.end()
        if text[end : end + 1] not in ("*", "/", "·"):
            break
        at = end + 1
    return end


@cache
def factor_to(written: str, wanted: str) -> float:
    """Return the factor from the written unit to the wanted one, or raise a UnitError if they do not fit."""
    unit = parse_unit(written)
    if wanted == "any":
        return unit.factor
    target = parse_unit(wanted or "1")
    same = unit.powers[:3] == target.powers[:3]
    angle, wish = unit.powers[3], target.powers[3]
    if same and (angle == wish or (angle == 0 and wish < 0)):
        return unit.factor / target.factor
    allowed = f"a unit of the kind {wanted}" if wanted else "a number without a unit"
    hint = ""
    if wanted == "rad/s" and unit.powers == (0, 0, -1, 0):
        hint = "; for turns a second write 60 rpm or turn/s"
    raise UnitError(f"unit {written!r} does not fit here, allowed: {allowed}{hint}")
