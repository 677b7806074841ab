"""Words of other programs and the corresponding words here, for messages about unknown keys."""

from scenes.text.errors import nearest, short

# the largest torque or force, as other programs call it
LARGEST = [
    word
    for what in ("torque", "effort", "force")
    for between in ("_", "")
    for word in (f"max{between}{what}", f"{what}{between}max", f"{what}{between}limit")
] + ["maximum", "strength", "cap"]

# the first of them that is allowed where the word stands
SYNONYMS: dict[str, tuple[str, ...]] = {
    "start": ("from",), "end": ("to",), "begin": ("from",), "p1": ("from",), "p2": ("to",),
    "center": ("at",), "centre": ("center", "at"), "pos": ("at",), "place": ("at",), "anchor": ("at",),
    "point": ("at",), "position": ("at",), "origin": ("at",), "com": ("at",),
    "orientation": ("rotate", "frame"), "rotation": ("rotate", "frame"), "quat": ("rotate", "frame"),
    "quaternion": ("rotate", "frame"), "euler": ("rotate", "frame"), "rpy": ("rotate", "frame"),
    "range": ("limits",), "angle": ("rest",), "spring": ("stiffness",),
    "k": ("stiffness",), "damper": ("damping",), "friction": ("damping",), "axis1": ("axis",), "static": ("fixed",),
    "anchored": ("fixed",), "look_at": ("target",), "lookat": ("target",), "dt": ("timestep",),
    "time_step": ("timestep",), "method": ("solver",),
    "velocity": ("linear",), "speed": ("velocity",), "effort": ("torque",), "force": ("torque",),
    "limits": ("swing",),
    "limit": ("limits", "swing", "max"), "half_size": ("size",), "extents": ("size",), "dimensions": ("size",),
    "shapes": ("shape",), "geometry": ("shape",), "r": ("radius",), "colour": ("color",), "n": ("count",),
    "offset": ("step",), "world": ("settings",), "vertices": ("points",), "mesh": ("file",), "file": ("use",),
    "floor": ("ground",), "wind": ("medium",), "air": ("medium",), "fluid": ("medium",),
    "collision": ("contacts", "collide"), "collisions": ("contacts", "collide"),
    "contact": ("contacts", "collide"), "collisiongroup": ("collide",), "layer": ("collide",), "mu": ("friction",),
    "bounce": ("restitution",), "bounciness": ("restitution",), "elasticity": ("restitution",), "exclude": ("never",),
    **dict.fromkeys(LARGEST, ("max", "cap")),
    "ignore": ("never",), "apart": ("never",), "half_length": ("length",), "drag": ("viscosity",),
    **dict.fromkeys(("length", "at_most", "max_length"), ("longest",)),
}  # fmt: skip
ADVICE = {
    **dict.fromkeys(("height", "length"), "it is as long as from `from` to `to`"),
    "diameter": "it is given by its `radius`, half of that",
    **dict.fromkeys(("color", "colour"), "a colour stands in a material, or in `look: {color: ...}`"),
    **dict.fromkeys(
        ("gravity", "timestep", "dt", "solver", "integrator"),
        "it stands under `settings: {gravity: ..., timestep: ...}`",
    ),
    **dict.fromkeys(
        ("type", "parent", "child", "body1", "body2", "bodies"),
        "the kind is a key with its two bodies: `hinge: [first, second]`",
    ),
    "units": "values are SI, and units are written behind numbers: 20 mm, 30 deg, 5 N*m",
    **dict.fromkeys(
        ("sphere", "capsule", "cylinder", "box", "hull", "size", "radius"),
        "shapes stand under `shape`: `shape: {box: {size: [x, y, z]}}`",
    ),
    "limits": "this kind has no limits of its own",
    "friction": "it stands in a material",
    "restitution": "it stands in a material, or beside the limits of a joint",
}


def meant_by(key: str, known: list[str]) -> str:
    """Return the known key that was most likely meant, or an empty text."""
    return next((word for word in SYNONYMS.get(key.lower(), ()) if word in known), "") or nearest(key, known)


def unknown_key(key: str, known: list[str]) -> str:
    """Return the message for an unknown key."""
    if " " in key.strip():
        return f"unknown key {short(key)}; is it part of the text before it? A text with a comma in braces needs quotes"
    if key in ("from", "to", "points", "anchors", "a", "b") and "auxiliary" in known:
        return (
            f"unknown key {short(key)}; its points stand under `at`, one for both, or {{first: [...], second: [...]}}"
        )
    if key.count(")") > key.count("("):
        return f'unknown key {short(key)}; is it the end of a formula? One with a comma needs quotes: "min(a, b)"'
    meant = meant_by(key, known)
    advice = ADVICE.get(key.lower(), "")
    if meant:
        return f"unknown key {short(key)}; did you mean {meant!r}?"
    return f"unknown key {short(key)}; {advice or 'allowed: ' + ', '.join(known)}"
