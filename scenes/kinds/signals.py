"""Values that may be functions of time. They are written as a number, {rate, start}, {mean, amplitude, frequency,
phase}, {times, values, ease, repeat}, or {clip: file}, which is a channel of a file.

A clip is a CSV file. Its first line names the channels, of which `time` [s] is the first. A line of numbers in SI units
follows for each time. `marionette simulate --out run.csv` writes such a file.
"""

import csv
import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from physics.definitions import signals as physics
from physics.definitions.checks import DefinitionError
from physics.definitions.signal import Signal
from scenes.text.errors import did_you_mean, short
from scenes.text.schema import Model, item, read_model
from scenes.text.values import Number, Refused, Scope, Value, gather, items_of
from scenes.text.words import Choice, FileName, Flag, Text

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
EASE = Choice(*physics.EASES)


class Numbers(Value):
    """A list of numbers of one unit."""

    def __init__(self, unit: str):
        """Store the unit of the values."""
        self.number = Number(unit)

    def read(self, value: Any, scope: Scope) -> tuple[float, ...]:
        """Return the value that was written, or refuse it."""
        items = items_of(value, self)
        return tuple(gather(enumerate(items), lambda v: self.number.read(v, scope)))

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"a list of numbers in {self.number.unit}" if self.number.unit else "a list of numbers"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "array", "items": self.number.schema()}


class Ramp(Model):
    """A value that grows at a constant rate."""

    rate: Annotated[float, Number("any")] = item("growth in a second")
    start: Annotated[float, Number("any")] = item("value at time 0", 0.0)


class Wave(Model):
    """mean + amplitude sin(2 pi frequency t + phase)"""

    mean: Annotated[float, Number("any")] = item("mean value", 0.0)
    amplitude: Annotated[float, Number("any")] = item("amplitude")
    frequency: Annotated[float, Number("Hz")] = item("frequency")
    phase: Annotated[float, Number("rad")] = item("phase at time 0", 0.0)


class Keys(Model):
    """Values at times. Before the first key and after the last key the value stays, or the keys begin again."""

    times: Annotated[Any, Numbers("s")] = item("times in ascending order")
    values: Annotated[Any, Numbers("any")] = item("a value for each time")
    ease: Annotated[str, EASE] = item("interpolation between two times", "linear")
    repeat: Annotated[bool, Flag()] = item("begin again after the last", False)


class ClipChannel(Model):
    """One channel of a clip."""

    clip: Annotated[str, FileName(".csv")] = item("a CSV file in the folder of the scene")
    channel: Annotated[str, Text()] = item("name of the channel; if not given, the only one", "")
    ease: Annotated[str, EASE] = item("interpolation between two lines", "spline")
    repeat: Annotated[bool, Flag()] = item("begin again after the last line", False)


class ClipPose(Model):
    """Position and orientation from a clip: the channels x, y, z, qw, qx, qy, qz."""

    clip: Annotated[str, FileName(".csv")] = item("a CSV file in the folder of the scene")
    body: Annotated[str, Text()] = item("body whose channels are used: hand stands for hand.x, hand.y, ...", "")
    ease: Annotated[str, EASE] = item("interpolation between two lines", "spline")
    repeat: Annotated[bool, Flag()] = item("begin again after the last line", False)


class Rows(Value):
    """Rows of numbers, all of the same length."""

    def read(self, value: Any, scope: Scope) -> np.ndarray:
        """Return the value that was written, or refuse it."""
        rows = gather(enumerate(items_of(value, self)), lambda row: Numbers("any").read(row, scope))
        odd = next((k for k, row in enumerate(rows) if len(row) != len(rows[0])), None)
        if odd is not None:
            raise Refused(f"got {len(rows[odd])} numbers, allowed: {len(rows[0])}, as in the first row", (odd,))
        return np.array(rows)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "a list of rows of numbers"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "array", "items": Numbers("any").schema()}


class KeyRows(Model):
    """Several values at each time: x, y, z, qw, qx, qy, qz of a moving body; the rotation vector x, y, z of a ball
    joint, or its quaternion."""

    times: Annotated[Any, Numbers("s")] = item("times in ascending order")
    values: Annotated[Any, Rows()] = item("a row of values for each time")
    ease: Annotated[str, EASE] = item("interpolation between two rows", "spline")
    repeat: Annotated[bool, Flag()] = item("begin again after the last row", False)


FORMS: dict[str, type[Model]] = {"rate": Ramp, "amplitude": Wave, "times": Keys, "clip": ClipChannel}


def with_unit(model: type[Model], unit: str, data: Any, scope: Scope) -> Any:
    """Return an instance of a model of a function of time for a quantity with this unit. Refuse values whose units do
    not fit the quantity."""
    units = {"rate": per_second(unit), "start": unit, "mean": unit, "amplitude": unit, "values": unit}
    parts = []
    for key in data:
        kind = model.value_of(key)
        number = kind.number if isinstance(kind, Numbers) else kind
        if isinstance(number, Number) and number.unit == "any":
            one = Numbers(units[key]) if isinstance(kind, Numbers) else Number(units[key])
            try:
                one.read(data[key], scope)
            except Refused as error:
                parts += [((key, *inner), message) for inner, message in error.parts]
    if parts:
        raise Refused(parts[0][1], parts=parts)
    return read_model(model, data, scope)


def per_second(unit: str) -> str:
    """Return the unit of the rate of a quantity with this unit."""
    return unit if unit == "any" else f"{unit}/s" if unit else "Hz"


class TimeFunction(Value):
    """A number, or a function of time."""

    def __init__(self, unit: str):
        """Store the unit of the values."""
        self.unit = unit
        self.number = Number(unit)

    def read(self, value: Any, scope: Scope) -> float | Signal:
        """Return the value that was written, or refuse it."""
        if isinstance(value, Signal):
            return value
        if not isinstance(value, dict):
            try:
                return self.number.read(value, scope)
            except Refused as error:
                if isinstance(value, str):
                    raise
                raise Refused(f"got {short(value)}, allowed: {self.words()}") from error
        form = next((f for f in FORMS if f in value), None)
        if form is None:
            known = [key for model in FORMS.values() for key in model.key_names()]
            hint = next((h for key in value if key not in known and (h := did_you_mean(key, known))), "")
            raise Refused(f"got {{{', '.join(map(str, value))}}}, allowed: {self.words()}{hint}")
        made = with_unit(FORMS[form], self.unit, value, scope)
        try:
            return self.signal(made)
        except DefinitionError as error:
            key = {"times": "times", "values": "values"}.get(error.what.split()[0], form)
            raise Refused(str(error), (key,)) from None

    def signal(self, made: Any) -> Signal:
        """Return the signal for the physics, or refuse it."""
        if isinstance(made, Ramp):
            return physics.Ramp(rate=made.rate, start=made.start)
        if isinstance(made, Wave):
            return physics.Sinusoid(made.mean, made.amplitude, made.frequency, made.phase)
        if isinstance(made, Keys):
            return physics.Keyed(made.times, made.values, made.ease, made.repeat)
        names, rows = read_clip(made.clip)
        channel = made.channel or (names[1] if len(names) == 2 else "")
        if channel not in names[1:]:
            hint = did_you_mean(channel, names[1:]) or f"; channels: {', '.join(names[1:9])}"
            raise Refused(f"no channel {short(channel)} in the clip{hint}", ("channel" if made.channel else "clip",))
        values = rows[:, names.index(channel)]
        return physics.Keyed(rows[:, 0].tolist(), values.tolist(), made.ease, made.repeat)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return (
            f"{self.number.words()}, or a function of time: {{rate, start}}, {{mean, amplitude, frequency, phase}}, "
            "{times, values, ease, repeat}, {clip, channel, ease, repeat}"
        )

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        forms = [{"$model": model} for model in FORMS.values()]
        return {"anyOf": [*self.number.schema()["anyOf"], *forms], "description": self.words()}


class TimeFunctions(Value):
    """Three numbers or functions of time."""

    def __init__(self, unit: str):
        """Store the unit of the values."""
        self.one = TimeFunction(unit)

    def read(self, value: Any, scope: Scope) -> tuple[float | Signal, ...]:
        """Return the value that was written, or refuse it."""
        items = items_of(value, self)
        if len(items) != 3:
            raise Refused(f"got {len(items)} values, allowed: {self.words()}")
        return tuple(gather(enumerate(items), lambda v: self.one.read(v, scope)))

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"a list of 3, each {self.one.words()}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "array", "items": self.one.schema(), "minItems": 3, "maxItems": 3}


class PoseClip(Value):
    """Position and orientation from a clip."""

    def read(self, value: Any, scope: Scope) -> physics.Clip:
        """Return the value that was written, or refuse it."""
        if isinstance(value, physics.Clip):
            return value
        if isinstance(value, dict) and "times" in value:
            return rows_clip(value, (len(POSE),), scope)
        made: ClipPose = read_model(ClipPose, value, scope)
        names, rows = read_clip(made.clip)
        wanted = [f"{made.body}.{c}" if made.body else c for c in POSE]
        missing = [c for c in wanted if c not in names]
        if missing:
            raise Refused(
                f"no channel {missing[0]!r} in the clip; channels: {', '.join(names[1:9])}",
                ("body" if made.body else "clip",),
            )
        columns = [names.index(c) for c in wanted]
        return physics.Clip(rows[:, 0], rows[:, columns], made.ease, made.repeat)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return (
            "{clip, body, ease, repeat}: a CSV file with the channels x, y, z, qw, qx, qy, qz; or {times, values, "
            "ease, repeat} with rows of those seven"
        )

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"anyOf": [{"$model": ClipPose}, {"$model": KeyRows}]}


def rows_clip(value: Any, counts: tuple[int, ...], scope: Scope) -> physics.Clip:
    """Return the clip of {times, values} with rows of one of the lengths `counts`, or refuse it."""
    made: KeyRows = read_model(KeyRows, value, scope)
    if made.values.ndim != 2 or made.values.shape[1] not in counts:
        raise Refused(f"allowed: rows of {' or '.join(map(str, counts))} numbers, one for each time", ("values",))
    try:
        return physics.Clip(made.times, made.values, made.ease, made.repeat)
    except DefinitionError as error:
        raise Refused(str(error), (error.what.split()[0],)) from None


def read_clip(path: str) -> tuple[list[str], np.ndarray]:
    """Return the names of the channels and the rows of numbers of a file, or refuse the file."""
    file = Path(path)
    try:
        return _read_clip(file, file.stat().st_mtime_ns)
    except OSError as error:
        raise Refused(f"{file.name} cannot be read: {error.strerror}", ("clip",)) from None


@lru_cache(maxsize=8)
def _read_clip(path: Path, written: int) -> tuple[list[str], np.ndarray]:
    """Return names and rows of a clip file, and keep the last 8 results. `written` is the time of the file's last
    change, so that a changed file is read again."""
    with path.open(newline="", encoding="utf-8", errors="replace") as text:
        lines = csv.reader(text)
        names = [name.strip() for name in next(lines, [])]
        if len(names) < 2 or names[0] != "time":
            raise Refused(f"{path.name}: the first line must name the channels: time, ...", ("clip",))
        rows = []
        for number, line in enumerate(lines, 2):
            try:
                row = [float(x) for x in line]
            except ValueError:
                row = []
            if len(row) != len(names) or not all(map(math.isfinite, row)):
                raise Refused(f"{path.name}, line {number}: allowed: {len(names)} finite numbers", ("clip",))
            rows.append(row)
    if len(rows) < 2 or not (np.diff([r[0] for r in rows]) > 0.0).all():
        raise Refused(f"{path.name}: two or more lines are needed, with rising times", ("clip",))
    return names, np.array(rows)


def values_at_start(values: Sequence[Any]) -> list[float]:
    """Return the values of signals at time 0."""
    if not any(isinstance(value, Signal) for value in values):
        return [float(value) for value in values]
    from physics.definitions.prescribed import values_at  # here, as it imports numba

    return values_at(values, 0.0)


# ---------------------------------------------------------------- written back, and moved
def signal_entry(value: Any) -> Any:
    """Return a signal in the form in which a scene file has it."""
    if isinstance(value, physics.Ramp):
        return {"rate": value.rate, "start": value.start}
    if isinstance(value, physics.Sinusoid):
        return {key: getattr(value, key) for key in ("mean", "amplitude", "frequency", "phase")}
    if isinstance(value, physics.Keyed):
        return {"times": value.times, "values": value.values, "ease": value.ease, "repeat": value.repeat}
    if isinstance(value, physics.Clip):
        rows = value.values.tolist()
        return {"times": value.times.tolist(), "values": rows, "ease": value.ease, "repeat": value.repeat}
    return value


def shifted_signal(value: Any, by: float) -> Any:
    """Return the signal plus a constant."""
    if by == 0.0:
        return value
    if isinstance(value, physics.Ramp):
        return physics.Ramp(rate=value.rate, start=value.start + by)
    if isinstance(value, physics.Sinusoid):
        return physics.Sinusoid(value.mean + by, value.amplitude, value.frequency, value.phase)
    if isinstance(value, physics.Keyed):
        return physics.Keyed(value.times, [v + by for v in value.values], value.ease, value.repeat)
    return value + by
