"""Definitions back to YAML: everything written out in numbers, so that what is read is the same to the last bit.

Used for scenes that were made in Python, and to hand on a scene without its parameters, copies and figures.
"""

import math
from typing import Any

from physics import definitions
from physics.definitions import (
    Ball,
    Body,
    Cylindrical,
    DefinitionError,
    Distance,
    Free,
    Hinge,
    Joint,
    Particle,
    Planar,
    ScaledBody,
    Scene,
    Screw,
    Slider,
    Universal,
    Weld,
)  # fmt: skip
from physics.forces.springs import Spring, TorsionSpring
from scenes.bodies import IDENTITY
from scenes.joints import CONSTRAINTS, FAR, JOINTS, SPRINGS
from scenes.sections import FORMAT

KEYS: dict[type[Joint], str] = {
    Spring: "between", TorsionSpring: "torsion",
    Ball: "ball", Hinge: "hinge", Universal: "universal", Slider: "slider", Weld: "weld", Free: "free",
    Distance: "distance", Cylindrical: "cylindrical", Planar: "planar", Screw: "screw",
}  # fmt: skip
DIRECTIONS = ("normal", "axis", "axis2", "twist_axis", "swing_axis")


def scene_text(scene: Scene, name: str = "", start: dict[str, tuple[Any, Any]] | None = None) -> str:
    """The YAML text of a scene. `start` are velocities of bodies (linear, angular) beside those of the definitions."""
    lines = [f"marionette: {FORMAT}"]
    if name:
        lines.append(f"name: {quoted(name)}")
    lines.append(f"settings: {flow({'gravity': scene.gravity, 'timestep': scene.timestep})}")
    lines.append("bodies:")
    bodies = [plain_body(body) for body in scene.bodies]
    lines += [f"  {body.name}: {flow(body_entry(body))}" for body in bodies]
    for section, kinds in (("joints", JOINTS), ("constraints", CONSTRAINTS), ("springs", SPRINGS)):
        entries = [j for j in scene.joints if KEYS[type(j)] in kinds]
        if entries:
            lines.append(f"{section}:")
            lines += [f"  {joint.name}: {flow(joint_entry(joint))}" for joint in entries]
    velocities = {b.name: velocity for b in bodies if (velocity := velocity_of(b))}
    velocities |= {k: {"linear": v, "angular": w} for k, (v, w) in (start or {}).items()}
    if velocities:
        lines += ["start:", "  velocities:"]
        lines += [f"    {k}: {flow(v)}" for k, v in velocities.items()]
    return "\n".join(lines) + "\n"


def plain_body(body: Any) -> Body | Particle:
    """Bodies that the language has; others are refused."""
    if not isinstance(body, Body | Particle) or isinstance(body, ScaledBody):
        raise DefinitionError(
            f"body {body.name!r}", type(body).__name__, "a Body or a Particle: others are not written yet"
        )
    return body


def body_entry(body: Body | Particle) -> dict[str, Any]:
    if isinstance(body, Particle):
        return {"kind": "particle", "mass": body.mass, "at": body.position}
    entry: dict[str, Any] = {"mass": body.mass, "inertia": body.inertia}
    if tuple(body.orientation) == IDENTITY:
        return entry | {"at": body.position}
    return entry | {"frame": {"at": body.position, "rotate": body.orientation}}


def velocity_of(body: Body | Particle) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if any(body.velocity):
        out["linear"] = body.velocity
    if isinstance(body, Body) and any(body.angular_velocity):
        out["angular"] = body.angular_velocity
    return out


def joint_entry(joint: Joint) -> dict[str, Any]:
    kind = KEYS[type(joint)]
    entry: dict[str, Any] = {kind: [joint.a, joint.b]}
    if isinstance(joint, Spring | TorsionSpring):
        return entry | spring_entry(joint)
    if not isinstance(joint, Free):
        first, second = joint.points
        entry["at"] = first if first == second else {str(joint.a): first, str(joint.b): second}
    for key in DIRECTIONS:
        if getattr(joint, key, None) is not None:
            entry[key] = getattr(joint, key)
    for key in ("stiffness", "damping", "rest"):
        values = getattr(joint, key, ())
        if any(values):
            entry[key] = tuple(values) if len(values) > 1 else next(iter(values))
    if any(getattr(joint, "armature", ())):
        entry["armature"] = joint.armature[0]  # type: ignore[attr-defined]
    if isinstance(joint, Screw):
        entry["pitch"] = joint.pitch
    if isinstance(joint, Distance):
        entry["length"] = joint.length
    if joint.auxiliary:
        entry["auxiliary"] = True
    limits = getattr(joint, "soft_limits", None)
    return entry | (limit_entry(joint, limits) if limits is not None else {})


def spring_entry(spring: Spring | TorsionSpring) -> dict[str, Any]:
    out = {"stiffness": next(iter(spring.stiffness)), "damping": next(iter(spring.damping)), "rest": spring.rest}  # type: ignore[arg-type]
    if isinstance(spring, Spring):
        out |= {"from": spring.points[0], "to": spring.points[1], "tension_only": spring.tension_only}
    return out


def limit_entry(joint: Joint, limits: definitions.SoftLimits) -> dict[str, Any]:
    def one(values: Any) -> Any:
        return values if len(values) > 1 else values[0]

    soft = {"stiffness": one(limits.stiffness), "damping": one(limits.damping)}
    if isinstance(joint, Ball):
        out: dict[str, Any] = {}
        if limits.swing is not None and limits.swing < FAR:
            out["swing"] = angle(limits.swing)
        if limits.twist is not None and max(abs(x) for x in limits.twist) < FAR:
            out["twist"] = [angle(x) for x in limits.twist]
        return out | {"soft": soft}
    turning = [not isinstance(joint, Slider)] * 3
    if isinstance(joint, Cylindrical | Planar):
        turning[: joint.axes - 1] = [False] * (joint.axes - 1)
    both = zip(limits.lower, limits.upper, turning, strict=False)  # type: ignore[arg-type]
    pairs = [[angle(x) if turns else open_end(x) for x in (low, up)] for low, up, turns in both]
    return {"limits": pairs if len(pairs) > 1 else pairs[0], "soft": soft}


def open_end(x: float) -> float | None:
    return None if abs(x) >= FAR else x


def angle(x: float) -> Any:
    """Bare angles above a turn are refused where they are read: those get their unit."""
    if math.isinf(x) or abs(x) >= FAR:
        return None
    return f"{x!r} rad" if abs(x) > 2.0 * math.pi else x


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


def number(x: float) -> str:
    """The shortest text that is read as the same number."""
    text = repr(x)
    return text[:-2] if text.endswith(".0") else text


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
