"""`scene_text` writes definitions as YAML, all in numbers, so that what is read from it equals them to the last bit.

The tests use it to show that the scene language can say everything that the definitions can."""

import math
from typing import Any

import numpy as np

from physics.definitions import compound as definitions
from physics.definitions.actuators import TargetSpring
from physics.definitions.bodies import Body, Fixed, Massless, Particle, PlanarBody, ScaledBody
from physics.definitions.checks import DefinitionError
from physics.definitions.compound import Compound, Turn
from physics.definitions.constraints import Circle, PointOnCurve
from physics.definitions.couplings import Coupling, Linkage
from physics.definitions.formulas import (
    UPRIGHT,
    ConditionFormula,
    Formula,
    VelocityConditionFormula,
    VelocityFormula,
    group_names,
)  # fmt: skip
from physics.definitions.joints import Ball, Free, Joint
from physics.definitions.limits import Limits, SoftLimits
from physics.definitions.medium import Fluid
from physics.definitions.motions import Moving
from physics.definitions.scene import Scene
from physics.definitions.springs import Spring
from scenes.kinds.bodies import IDENTITY, SCALE_KEYS
from scenes.kinds.formulas import texts_of
from scenes.kinds.joints import SlidePart, TurnPart
from scenes.kinds.sections import FORMAT
from scenes.kinds.signals import TimeFunction, signal_entry
from scenes.kinds.table import KINDS, TIES
from scenes.kinds.ties import FAR, Tie
from scenes.text.schema import Model
from scenes.text.values import Number, PerAxis, Range, Ranges
from scenes.writing.writeback import number, quoted
from tests.helpers.shape_text import SCENERY, Surfaces, with_shapes, world_sections

SOFT = ("stiffness", "damping", "lower", "upper")
KIND_OF: dict[type[Joint], type[Tie]] = {model.definition: model for model in KINDS.values()}
# of an entry's keys those that are not the definition's fields of the same name
APART = (
    "at", "from", "to", "limits", "swing", "twist", "restitution", "soft", "auxiliary", "collide", "parts", "circle",
    "spline", "zero", "axes",
)  # fmt: skip


def scene_text(scene: Scene, name: str = "", start: dict[str, tuple[Any, Any]] | None = None) -> str:
    """The YAML text of a scene. `start` are velocities of bodies (linear, angular) beside those of the definitions."""
    lines = [f"marionette: {FORMAT}"]
    if name:
        lines.append(f"name: {quoted(name)}")
    lines.append(f"settings: {flow({'gravity': scene.gravity, 'timestep': scene.timestep})}")
    surfaces = Surfaces()
    fluid = scene.medium if isinstance(scene.medium, Fluid) else None
    bodies = {body.name: with_shapes(body_entry(body), body, fluid, surfaces) for body in scene.bodies}
    sections, scenery = world_sections(scene, surfaces)
    if scenery:
        bodies[SCENERY] = {"fixed": True, "at": [0.0, 0.0, 0.0], "mass": 1.0, "inertia": [1.0] * 3, "shape": scenery}
    if surfaces.entries():
        lines.append(f"materials: {flow(surfaces.entries())}")
    lines += [f"{section}: {flow(entry)}" for section, entry in sections.items()]
    lines.append("bodies:")
    lines += [f"  {name}: {flow(entry)}" for name, entry in bodies.items()]
    for section, kinds in TIES.items():
        entries = [(j.name, tie_entry(j)) for j in scene.joints if kind_of(j).kind in kinds]
        if section == "constraints":
            entries += [(c.name, linkage_entry(c)) for c in scene.couplings]
        if entries:
            lines.append(f"{section}:")
            lines += [f"  {name}: {flow(entry)}" for name, entry in entries]
    if scene.drives:
        lines.append("drives:")
        lines += [f"  {d.name}: {flow(drive_entry(d))}" for d in scene.drives]
    velocities = {b.name: velocity for b in scene.bodies if (velocity := velocity_of(b))}
    velocities |= {k: {"linear": v, "angular": w} for k, (v, w) in (start or {}).items()}
    if velocities:
        lines += ["start:", "  velocities:"]
        lines += [f"    {k}: {flow(v)}" for k, v in velocities.items()]
    return "\n".join(lines) + "\n"


def kind_of(joint: Joint) -> type[Tie]:
    if type(joint) not in KIND_OF:
        raise DefinitionError(
            joint.label,
            type(joint).__name__,
            "a kind that scenes have; a function in Python cannot be written, a Formula can",
        )
    return KIND_OF[type(joint)]


# ---------------------------------------------------------------- bodies
def body_entry(body: Any) -> dict[str, Any]:
    if isinstance(body, Massless):
        return {"kind": "massless"}
    if isinstance(body, Moving):
        return moving_entry(body)
    if isinstance(body, Fixed):
        entry: dict[str, Any] = {"fixed": True}
        return entry | placed(body)
    if isinstance(body, Particle):
        return {"kind": "particle", "mass": body.mass, "at": body.position}
    if isinstance(body, PlanarBody):
        entry = {"kind": "planar", "normal": body.normal, "mass": body.mass, "inertia": body.inertia}
        return entry | {"at": body.position} | ({"angle": angle(body.angle)} if body.angle else {})
    entry = {"mass": body.mass, "inertia": body.inertia}
    if isinstance(body, ScaledBody):
        entry = {"kind": "scaled", **entry, "stretch": body.stretch}
        for key in SCALE_KEYS:
            values: Any = getattr(body, key)
            entry[key] = values if len(values) > 1 else values[0]
    return entry | placed(body)


def placed(body: Body | Fixed) -> dict[str, Any]:
    if tuple(body.orientation) == IDENTITY:
        return {"at": body.position}
    return {"frame": {"at": body.position, "rotate": body.orientation}}


def moving_entry(body: Moving) -> dict[str, Any]:
    if body.motion is not None:
        entry: dict[str, Any] = {"kind": "moving", "motion": signal_entry(body.motion)}
    else:
        entry = {"kind": "moving", "position": [signal_entry(x) for x in body.signals[:3]]}
    if body.motion is None and any(body.signals[3:]):
        entry["rotation"] = [angles(signal_entry(x)) for x in body.signals[3:]]
    if tuple(body.orientation) != IDENTITY:
        entry["frame"] = {"rotate": body.orientation}
    return entry


def velocity_of(body: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if any(getattr(body, "velocity", ())):
        out["linear"] = body.velocity
    if isinstance(body, PlanarBody) and body.angular_velocity:
        out["angular"] = [body.angular_velocity * x for x in body.normal]
    elif isinstance(body, Body) and any(body.angular_velocity):
        out["angular"] = body.angular_velocity
    return out


# ---------------------------------------------------------------- joints, constraints, springs
def tie_entry(joint: Joint) -> dict[str, Any]:
    model = kind_of(joint)
    entry: dict[str, Any] = {model.kind: [joint.a, joint.b]}
    first, second = joint.points
    if isinstance(joint, Spring):
        entry |= {"from": first, "to": second}
    elif "at" in model.key_names() and not isinstance(joint, Free):
        entry["at"] = (
            first if first == second and model.where == "shared" else {str(joint.a): first, str(joint.b): second}
        )
    entry |= plain_fields(joint, model, (*APART, model.kind))
    if isinstance(joint, Compound):
        entry["parts"] = [part_entry(part) for part in joint.parts]
    if isinstance(joint, PointOnCurve):
        entry |= curve_entry(joint.curve)
    if isinstance(joint, Formula | VelocityFormula):
        entry |= formula_entry(joint)
    for key in ("auxiliary", "collide"):
        if getattr(joint, key) and key in model.key_names():
            entry[key] = True
    for limits in (getattr(joint, "soft_limits", None), getattr(joint, "limits", None)):
        if limits is not None and not isinstance(joint, Compound):
            entry |= ball_limits(limits) if isinstance(joint, Ball) else limits_entry(limits, model)
    return entry


def plain_fields(definition: Any, model: type[Model], without: tuple[str, ...]) -> dict[str, Any]:
    """The fields that a definition and its entry have by the same name, where they are not the default."""
    out = {}
    for name, info in model.model_fields.items():
        key = info.alias or name
        if key in without:
            continue
        value = getattr(definition, name)
        kind = model.value_of(key)
        if isinstance(value, tuple | list) and (len(value) == 1 or isinstance(kind, Number)):
            value = value[0]
        if value is None or (not info.is_required() and same(value, info.default)):
            continue
        turns = isinstance(kind, Number | TimeFunction) and kind.unit == "rad"
        if isinstance(kind, PerAxis) and isinstance(value, tuple | list):
            out[key] = [angle(x) if n.unit == "rad" else x for x, n in zip(value, kind.numbers, strict=True)]
        else:
            out[key] = angles(signal_entry(value)) if turns else signal_entry(value)
    return out


def same(value: Any, default: Any) -> bool:
    """Whether it is the default; one number there stands for all axes."""
    if isinstance(value, tuple | list) and isinstance(default, float):
        return all(x == default for x in value)
    return value == default


def part_entry(part: definitions.Part) -> dict[str, Any]:
    kind, model = ("turn", TurnPart) if isinstance(part, Turn) else ("slide", SlidePart)
    entry: dict[str, Any] = {kind: part.axis} | plain_fields(part, model, (kind, "limits", "restitution", "soft"))
    if part.soft_limits is not None:
        values: dict[str, Any] = {key: one_axis(getattr(part.soft_limits, key)) for key in SOFT}
        entry |= limits_entry(SoftLimits(**values), model)
    if part.limits is not None:
        low, high = one_axis(part.limits.lower), one_axis(part.limits.upper)
        entry |= limits_entry(Limits(lower=low, upper=high, restitution=part.limits.bounce(0)), model)
    return entry


def one_axis(value: Any) -> tuple[float, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def curve_entry(curve: Any) -> dict[str, Any]:
    if isinstance(curve, Circle):
        return {"circle": {"center": curve.center, "normal": curve.normal, "radius": curve.radius}}
    return {"spline": {"points": curve.points, "closed": curve.closed}}


def formula_entry(joint: Formula | VelocityFormula) -> dict[str, Any]:
    texts = [quoted(text) for text in texts_of(joint.program)]
    return {"zero": texts} | ({"axes": joint.frame} if joint.frame != UPRIGHT else {})


def linkage_entry(linkage: Linkage) -> dict[str, Any]:
    if isinstance(linkage, Coupling):
        return coupling_entry(linkage)
    if isinstance(linkage, ConditionFormula):
        return condition_entry(linkage)
    allowed = "a kind that scenes have; a function in Python cannot be written, a ConditionFormula can"
    raise DefinitionError(linkage.label, type(linkage).__name__, allowed)


def condition_entry(condition: ConditionFormula) -> dict[str, Any]:
    kind = "velocity_condition" if isinstance(condition, VelocityConditionFormula) else "condition"
    entry: dict[str, Any] = {kind: list(condition.bodies)}
    if condition.points is not None:
        entry["at"] = dict(zip(condition.bodies, condition.points, strict=True))
    names = group_names(len(condition.bodies))
    entry["zero"] = [quoted(text) for text in texts_of(condition.program, names)]
    entry |= {"origin": condition.origin, "length_scale": condition.length_scale}
    if condition.frame != UPRIGHT:
        entry["axes"] = condition.frame
    if condition.force is not None:
        rows = np.reshape(condition.force, (condition.program.rows, len(condition.bodies), 6)).tolist()
        entry["force"] = [
            {body: one for body, one in zip(condition.bodies, row, strict=True) if any(one)} for row in rows
        ]
        entry["force_in"] = condition.force_in
    return entry


def coupling_entry(coupling: Coupling) -> dict[str, Any]:
    terms = {(joint if not axis else f"{joint}.{axis}"): factor for (joint, axis), factor in coupling.terms.items()}  # type: ignore[misc]
    return {"coupling": terms} | ({"offset": coupling.offset} if coupling.offset else {})


# ---------------------------------------------------------------- drives
def drive_entry(drive: Any) -> dict[str, Any]:
    if isinstance(drive, TargetSpring):
        given = {key: getattr(drive, key) for key in ("body", "target", "at", "position", "rotation")}
        entry = {key: value for key, value in given.items() if value is not None}
        for key in ("stiffness", "damping", "turn_stiffness", "turn_damping"):
            entry[key] = getattr(drive, key)
        most = {"max": drive.max, "turn_max": drive.turn_max}
        entry |= {key: value for key, value in most.items() if value != math.inf}
        return entry | ({} if drive.on else {"on": False})
    entry = {"joint": drive.joint, "axis": int(drive.axis)}
    for key in ("position", "velocity", "torque"):
        value = getattr(drive, key)
        if value is not None:
            several = isinstance(value, tuple | list)
            told = [signal_entry(x) for x in value] if several else signal_entry(value)
            if key == "position":
                told = [angles(x) for x in told] if several else angles(told)
            entry[key] = told
    entry |= {"stiffness": drive.stiffness, "damping": drive.damping}
    if drive.max[1] != math.inf or drive.max[0] != -math.inf:
        entry["max"] = drive.max[1] if drive.max[0] == -drive.max[1] else drive.max
    return entry | ({} if drive.on else {"on": False})


# ---------------------------------------------------------------- limits
def soft_entry(limits: Any) -> dict[str, Any]:
    def one(values: Any) -> Any:
        return values if len(values) > 1 else values[0]

    return {"stiffness": one(limits.stiffness), "damping": one(limits.damping)}


def given_way(limits: Any) -> dict[str, Any]:
    """What soft limits give way by, or hard ones give back"""
    if isinstance(limits, SoftLimits):
        return {"soft": soft_entry(limits)}
    return {"restitution": limits.restitution} if np.any(limits.restitution) else {}


def ball_limits(limits: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if isinstance(limits.swing, tuple):
        out["swing"] = [angle(x) for x in limits.swing]
    elif limits.swing is not None and limits.swing < FAR:
        out["swing"] = angle(limits.swing)
    if limits.twist is not None and min(abs(x) for x in limits.twist) < FAR:
        out["twist"] = [angle(x) for x in limits.twist]
    return out | given_way(limits)


def limits_entry(limits: Any, model: type[Model]) -> dict[str, Any]:
    kind = model.value_of("limits")
    assert isinstance(kind, Ranges)
    both = zip(limits.lower, limits.upper, kind.ranges, strict=True)
    pairs = [[end(low, unit), end(high, unit)] for low, high, unit in both]
    return {"limits": pairs if len(pairs) > 1 else pairs[0]} | given_way(limits)


def end(x: float | None, kind: Range) -> Any:
    if x is None or abs(x) >= FAR:
        return None
    return angle(x) if kind.number.unit == "rad" else x


def angle(x: Any) -> Any:
    """Bare angles above a turn are refused where they are read: those get their unit."""
    if not isinstance(x, int | float):
        return x
    if math.isinf(x) or abs(x) >= FAR:
        return None
    return f"{x!r} rad" if abs(x) > 2.0 * math.pi else x


def angles(entry: Any) -> Any:
    """The same of a function of time."""
    if not isinstance(entry, dict):
        return angle(entry)
    turned = {key: angle(entry[key]) for key in ("start", "mean", "amplitude", "phase") if key in entry}
    if "values" in entry:
        turned["values"] = [angle(x) for x in entry["values"]]
    return entry | turned


# ---------------------------------------------------------------- YAML in one line
def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return number(float(value))
    return "[" + ", ".join(flow(v) for v in value) + "]"
