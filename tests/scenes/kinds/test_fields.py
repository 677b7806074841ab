"""Every field of the language says its unit, its range, its default, what it is, and whether it is live; what it says
of being live is what a running world does."""

import math
import re
from typing import Any

import numpy as np
import pytest

from physics.world.views import JointView
from scenes.kinds.bodies import Frame
from scenes.kinds.table import KINDS
from scenes.loading.access import apply, is_live
from scenes.loading.loader import read_scene_text
from scenes.text.schema import Model, field_name, is_live as live_field
from scenes.text.values import NO_NAMES, Number, PerAxis, Range, Ranges, Refused, Turn, Value, Vector
from scenes.writing import reference
from tests.helpers.scene_kinds import BOX, CONSTRAINTS, HEAD, JOINTS, SECOND, SPRINGS


def models(model: type = Model) -> list[type[Model]]:
    below = [one for child in model.__subclasses__() for one in models(child)]
    return [*below, *(m for m in model.__subclasses__() if m.model_fields)]


FIELDS = [
    (model, info.alias or name, info)
    for model in dict.fromkeys(models())
    if model.__module__.startswith("scenes.")
    for name, info in model.model_fields.items()
]


def numbers(kind: Any) -> list[Number]:
    """The numbers that a value is made of."""
    if isinstance(kind, Number):
        return [kind]
    if isinstance(kind, PerAxis):
        return kind.numbers
    if isinstance(kind, Ranges):
        return [n for r in kind.ranges for n in numbers(r)]
    return [kind.number] if isinstance(kind, Vector | Range) else []


def test_there_are_many():
    assert len(FIELDS) > 300
    assert {Frame, *KINDS.values()} <= {model for model, _, _ in FIELDS}


@pytest.mark.parametrize("what", ["sentence", "unit and range", "default", "live"])
def test_every_field_says(what):
    wrong = []
    for model, key, info in FIELDS:
        kind = next((m for m in info.metadata if isinstance(m, Value)), None)
        assert kind is not None, (model, key)
        holds = {
            "sentence": len((info.description or "").strip()) > 2
            and not re.search(r"[^.][.]$", info.description or ""),
            "unit and range": all(said(n, kind.words(), kind.schema()) for n in numbers(kind)),
            "default": info.is_required() or info.default is None or reread(kind, info.default),
            "live": isinstance(dict(info.json_schema_extra or {}).get("live"), bool),
        }[what]
        if not holds:
            wrong.append(f"{model.__name__}.{key}")
    assert wrong == []


def said(number: Number, words: str, schema: Any) -> bool:
    """Its unit and bounds, for readers and for editors."""
    unit = number.unit in ("", "any") or number.unit in words
    bounds = {"minimum": number.low, "maximum": number.high, "exclusiveMinimum": number.above}
    return unit and all(
        math.isinf(x) or (f"{x:.12g}" in words and x in found(key, schema)) for key, x in bounds.items()
    )


def found(key: str, schema: Any) -> list[float]:
    """Every value of a key, however deep."""
    if isinstance(schema, dict):
        return [x for k, v in schema.items() for x in ([v] if k == key else found(key, v))]
    return [x for v in schema for x in found(key, v)] if isinstance(schema, list) else []


def reread(kind: Value, default: Any) -> bool:
    """A default is a value that could have been written."""
    try:
        kind.read(list(default) if isinstance(default, tuple) and not isinstance(kind, Turn) else default, NO_NAMES)
    except Refused:
        return default in ((), "")
    return True


def test_the_page_has_every_field_with_its_default():
    page = reference.reference_page()
    for model, key, info in FIELDS:
        if model.__module__ == "scenes.kinds.formulas" and model.__name__ == "Zero":
            continue
        row = next(
            (line for line in page.splitlines() if line.startswith(f"| `{key}` |") and str(info.description) in line),
            None,
        )
        assert row is not None, (model.__name__, key)
        assert ("*live*" in row) == live_field(model, key) or page.count(f"| `{key}` |") > 1


# ---------------------------------------------------------------- live
VALUES = {
    "stiffness": 1.5, "damping": 0.25, "rest": 0.1, "limits": [-0.7, 0.8], "position": 0.2, "velocity": 0.3,
}  # fmt: skip
TIES = {
    kind: f"{{{kind}: [world, a], {text}}}" for kind, text in JOINTS.items()
} | {kind: text for kind, text in {**CONSTRAINTS, **SPRINGS}.items() if kind in KINDS}  # fmt: skip
# what the view of a joint could take and a scene does not give it, and why
REBUILT = {
    ("ball", "rest"): "in a figure that is turned it is told in the figure's axes",
    ("torsion", "rest"): "likewise",
    ("cylindrical", "rest"): "in a mirrored figure the angle is told the other way round",
    ("cylindrical", "limits"): "likewise",
    ("between", "rest"): "the physics has it in the model",
}


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "free"])
def test_what_is_live_is_what_a_running_joint_can_take(kind):
    section = next(
        s for s, kinds in {"joints": JOINTS, "springs": SPRINGS, "constraints": CONSTRAINTS}.items() if kind in kinds
    )
    scene = read_scene_text(f"{HEAD}bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\n{section}: {{j: {TIES[kind]}}}\n")
    world = scene.make_world()
    model = KINDS[kind]
    settable = {k for k, v in vars(JointView).items() if isinstance(v, property) and v.fset}
    for key in model.key_names():
        path = f"{section}.j.{key}"
        could = field_name(model, key) in settable and (kind, key) not in REBUILT
        soft = key == "limits" and scene.edges["j"].spec.soft is not None
        assert live_field(model, key) == could or key in ("position", "velocity"), path
        assert is_live(scene, path) == (live_field(model, key) and not soft)
        if not is_live(scene, path) or (
            kind.endswith("motor") and getattr(scene.edges["j"].spec, field_name(model, key)) is None
        ):
            continue
        value: Any = VALUES[key]
        parts = model.value_of(key)
        if (isinstance(parts, Ranges) and len(parts.ranges) > 1) or (isinstance(parts, PerAxis) and parts.mixed):
            value = [value] * len(parts.ranges if isinstance(parts, Ranges) else parts.numbers)
        apply(world, scene, path, value)
        taken = getattr(world.joints["j"], field_name(model, key))
        if key == "limits":
            assert (min(taken.lower), max(taken.upper)) == pytest.approx(tuple(VALUES["limits"]))
        else:
            assert set(np.atleast_1d(taken).tolist()) == {VALUES[key]}


def test_live_limits_are_checked_and_keep_their_restitution():
    hinge = "{hinge: [world, a], at: [0, 0, 0], axis: y, limits: [-1, 1], restitution: 0.5}"
    scene = read_scene_text(f"{HEAD}bodies: {{a: {{{BOX}}}}}\njoints: {{j: {hinge}}}\n")
    world = scene.make_world()
    apply(world, scene, "joints.j.limits", ["-20 deg", "0.5"])
    limits = world.joints["j"].limits
    assert (limits.lower, limits.upper) == ((pytest.approx(math.radians(-20)),), (0.5,))
    assert limits.bounce(0) == 0.5
    with pytest.raises(Refused, match="no room"):
        apply(world, scene, "joints.j.limits", [0.5, 0.5])
