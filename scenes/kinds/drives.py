"""Drives of a scene: they pull a joint or a body to a target, with a limited effort
(`physics/definitions/actuators.py`).

The unit of a target depends on the joint, so the values of a drive are read when the joint is known.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Any

from physics.definitions import actuators, joints
from physics.definitions.signals import Clip
from scenes.kinds.signals import FORMS, KeyRows, TimeFunction, TimeFunctions, rows_clip
from scenes.text.errors import Mark, did_you_mean, short
from scenes.text.schema import Model, item
from scenes.text.values import Number, Refused, Scope, Turn, Value, Vector
from scenes.text.words import Flag, Name


class Target(Value):
    """A target: a number or a function of time for a joint with single axes, or three of them for a ball joint."""

    def __init__(self, unit: str = "any"):
        """Store the unit of the value."""
        self.one = TimeFunction(unit)
        self.three = TimeFunctions(unit)

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        if isinstance(value, Clip):
            return value
        rows = value.get("values") if isinstance(value, dict) else None
        if isinstance(rows, list) and any(isinstance(row, list) for row in rows):
            return rows_clip(value, (3, 4), scope)
        return self.three.read(value, scope) if isinstance(value, list | tuple) else self.one.read(value, scope)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return (
            f"a number or a function of time ({', '.join(FORMS)}); of a ball joint a list of 3, in the parent's axes, "
            "or {times, values} with rows of 3, or of 4 (quaternions)"
        )

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        forms = [*self.one.schema()["anyOf"], self.three.schema(), {"$model": KeyRows}]
        return {"anyOf": forms, "description": self.words()}


class Most(Value):
    """A limit: one number, or the least and the largest value."""

    def __init__(self, unit: str = "any"):
        """Store the unit of the value."""
        self.one = Number(unit, above=0.0)
        self.both = Vector(unit, (2,))

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        if isinstance(value, list | tuple):
            low, high = self.both.read(value, scope)
            if not low <= 0.0 <= high or low == high:
                raise Refused(f"got {short(value)}, allowed: a number of 0 or less and one of 0 or more")
            return (low, high)
        return self.one.read(value, scope)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"{self.one.words()}, or [least, largest]"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"anyOf": [*self.one.schema()["anyOf"], self.both.schema()], "description": self.words()}


class Drive(Model):
    """A motor on a coordinate of a joint. Its effort is k (position - q) + c (velocity - q') + torque, within its
    limit."""

    joint: Annotated[str, Name("joint")] = item("the joint that it drives")
    axis: Annotated[int, Number("", low=0, high=2, whole=True)] = item("which of the joint's coordinates, from 0", 0)
    position: Annotated[Any, Target()] = item(
        "target position, held with the gains stiffness and damping; 0 is the drawn pose, an angle is positive by "
        "the right-hand rule about the axis, a travel along it",
        None,
        live=True,
    )
    velocity: Annotated[Any, Target()] = item("target velocity, held with the gain damping", None, live=True)
    torque: Annotated[Any, Target()] = item("torque (or force) that it applies", None, live=True)
    stiffness: Annotated[float, Number("any", low=0.0)] = item("gain for the position", 0.0, live=True)
    damping: Annotated[float | None, Number("any", low=0.0)] = item(
        "gain for the velocity; without it a velocity is held exactly, with any torque that `max` allows",
        None,
        live=True,
    )
    max: Annotated[Any, Most()] = item("its largest torque or force; without it there is no limit", None, live=True)
    on: Annotated[bool, Flag()] = item("switched on", True, live=True)


class TargetSpring(Model):
    """A spring and damper that pull a point of a body to a place, and the body to an orientation."""

    body: Annotated[str, Name("body")] = item("the body that is pulled")
    target: Annotated[str, Name("body")] = item(
        "the frame of the target position: the world, a fixed or a moving body", "world"
    )
    at: Annotated[Any, Vector("m")] = item("its point as drawn; if not given, its centre of mass", None)
    position: Annotated[Any, Vector("m")] = item("target of that point; if not given, its place as drawn", None)
    rotation: Annotated[Any, Turn()] = item(
        "rotation vector from the drawn orientation to the target orientation", (0.0, 0.0, 0.0)
    )
    stiffness: Annotated[float, Number("N/m", low=0.0)] = item("stiffness", 0.0, live=True)
    damping: Annotated[float, Number("N*s/m", low=0.0)] = item("damping", 0.0, live=True)
    turn_stiffness: Annotated[float, Number("N*m/rad", low=0.0)] = item("stiffness of the orientation", 0.0, live=True)
    turn_damping: Annotated[float, Number("N*m*s/rad", low=0.0)] = item("damping of the rotation", 0.0, live=True)
    max: Annotated[float | None, Number("N", above=0.0)] = item("its largest force", None, live=True)
    turn_max: Annotated[float | None, Number("N*m", above=0.0)] = item("its largest torque", None, live=True)
    on: Annotated[bool, Flag()] = item("switched on", True, live=True)


@dataclass
class Driven:
    """A drive or target spring of a loaded scene."""

    name: str
    definition: Any
    spec: Drive | TargetSpring
    mark: Mark | None


def units_of(definition: Any, axis: int) -> tuple[str, str, str]:
    """Return the units of position, velocity and effort on a coordinate of a joint."""
    turns = isinstance(definition, joints.Ball) or definition.series[axis].turn != 0.0
    return ("rad", "rad/s", "N*m") if turns else ("m", "m/s", "N")


def kinds_of(definition: Any, axis: int) -> dict[str, Value]:
    """Return how each value of a drive on this coordinate of a joint is read, by its key."""
    place, rate, effort = units_of(definition, axis)
    return {
        "position": Target(place), "velocity": Target(rate), "torque": Target(effort), "max": Most(effort),
        "stiffness": Number(f"{effort}/{place}", low=0.0), "damping": Number(f"{effort}*s/{place}", low=0.0),
    }  # fmt: skip


def read_for(spec: Drive, key: str, value: Any, edges: Any, scope: Scope) -> Any:
    """Return the value of a key that is set while the drive runs, or refuse it."""
    return kinds_of(edges[spec.joint].definition, spec.axis)[key].read(value, scope)


def make_drive(name: str, spec: Drive, data: Any, edges: Any, scope: Scope) -> actuators.Drive:
    """Return the definition of a drive, or refuse it."""
    edge = edges.get(spec.joint)
    if edge is None:
        raise Refused(f"no joint {spec.joint!r}{did_you_mean(spec.joint, edges)}", ("joint",))
    d = edge.definition
    vector = isinstance(d, joints.Ball)
    if edge.spec.kind.endswith("_motor"):
        plain = edge.spec.kind.removesuffix("_motor")
        raise Refused(
            f"{spec.joint!r} is a {edge.spec.kind}: its own `position` or `velocity` moves it, whatever that takes; "
            f"for a drive, with a limited {'torque' if plain == 'hinge' else 'force'}, make it a `{plain}`", ("joint",),
        )  # fmt: skip
    if edge.section != "joints" or not isinstance(d, joints.SpringJoint):
        raise Refused(f"a {edge.spec.kind} has no coordinates that could be driven", ("joint",))
    if spec.axis >= (1 if vector else d.axes):
        raise Refused(f"{spec.joint!r} has {1 if vector else d.axes} coordinates, numbered from 0", ("axis",))
    kinds = kinds_of(d, spec.axis)
    read: dict[str, Any] = {}
    parts = []
    for key in kinds.keys() & data.keys():
        try:
            read[key] = kinds[key].read(data[key], scope)
            if key in ("position", "velocity", "torque") and vector != isinstance(read[key], tuple | Clip):
                raise Refused(f"got {short(data[key])}, allowed: {'three values' if vector else 'one value'}")
        except Refused as error:
            parts += [((key, *inner), message) for inner, message in error.parts]
    if parts:
        raise Refused(parts[0][1], parts=parts)
    if "velocity" in read and "damping" not in read and "max" not in read:
        raise Refused("'damping' is missing, the gain to the velocity; or `max`, its largest torque")
    return actuators.Drive(
        name=name, joint=spec.joint, axis=spec.axis, position=read.get("position"), velocity=read.get("velocity"),
        torque=read.get("torque"), stiffness=read.get("stiffness", 0.0), damping=read.get("damping", 0.0),
        max=read.get("max", float("inf")), on=spec.on,
    )  # fmt: skip


def make_target_spring(name: str, spec: TargetSpring, parts: Any) -> actuators.TargetSpring:
    """Return the definition of a target spring, or refuse it."""
    for key in ("body", "target"):
        asked = getattr(spec, key)
        if asked not in parts and asked != "world":
            raise Refused(f"no body {asked!r}{did_you_mean(asked, parts)}", (key,))
    if spec.body == "world" or parts[spec.body].held or parts[spec.body].is_massless:
        raise Refused(f"no force moves {spec.body!r}", ("body",))
    if spec.target != "world" and not parts[spec.target].held:
        raise Refused(f"{spec.target!r} is moved by forces; between two such bodies stands a spring", ("target",))
    given = {key: getattr(spec, key) for key in type(spec).model_fields if getattr(spec, key) is not None}
    return actuators.TargetSpring(name=name, **given)


def placed_drive(driven: Driven, t: Any, prefix: str) -> Driven:
    """Return a drive of a figure with prefixed names. Its values in world axes are transformed by `t`."""
    name = f"{prefix}/{driven.name}"
    d = driven.definition
    if isinstance(d, actuators.Drive):
        change: dict[str, Any] = {"joint": f"{prefix}/{d.joint}"}
        targets = {key: getattr(d, key) for key in ("position", "velocity", "torque")}
        for key, value in targets.items():
            if not isinstance(value, tuple | list | Clip) or t.is_shift:
                continue
            if isinstance(value, Clip) or not all(isinstance(x, int | float) for x in value):
                raise Refused(f"a figure whose ball joint is driven by functions of time ({d.name!r}) cannot be turned")
            change[key] = t.axis(value)
    else:
        change = {
            "body": f"{prefix}/{d.body}", "target": "world" if d.target == "world" else f"{prefix}/{d.target}",
            "at": None if d.at is None else t.place(d.at), "rotation": t.axis(d.rotation),
            "position": None if d.position is None else t.place(d.position),
        }  # fmt: skip
    return replace(driven, name=name, definition=replace(d, name=name, **change))
