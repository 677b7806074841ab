"""Scenes and Python use the same words: the keys of every kind of entry are the fields of its definition, and what is
live is a property of its view. What stands elsewhere is listed here, with where; a list that no longer fits fails."""

import dataclasses
import inspect

import pytest

from physics.definitions import actuators, formulas, medium, signals
from physics.definitions import constraints as relations_constraints
from physics.definitions import bodies as scene_bodies, compound, couplings, scene
from physics.definitions.motions import Moving
from physics.world import drive_views, views, world
from scenes.kinds import (
    bodies, constraints, drives, formulas as scene_formulas, joints, sections, shapes, signals as scene_signals,
)  # fmt: skip
from scenes.kinds.table import KINDS
from scenes.text.schema import is_live

# ---------------------------------------------------------------- what stands elsewhere
# of every joint, constraint and spring: the key of its kind holds both bodies, the key of its entry the name
TIE = {"name", "a", "b"}
AXES = ("hinge", "universal", "slider", "cylindrical", "planar", "screw")
LIMITED = {
    "restitution": "limits.restitution", "soft": "soft_limits.stiffness and soft_limits.damping",
    "swing": "limits.swing", "twist": "limits.twist",
}  # fmt: skip
CONDITION = {"zero": "program", "axes": "frame", "at": "points"}
ELSEWHERE = {
    **dict.fromkeys(("ball", *AXES), LIMITED),
    "torsion": LIMITED,  # shared with balls, and refused
    "point_on_curve": {"circle": "curve", "spline": "curve"},
    "function": {"zero": "program", "axes": "frame"},
    "velocity_function": {"zero": "program", "axes": "frame"},
    "between": {"from": "at, the first of two", "to": "at, the second"},
    "turn": {"turn": "axis", **LIMITED},
    "slide": {"slide": "axis", **LIMITED},
    "body": {
        "kind": "the class", "fixed": "Static", "shape": "shapes, which are in the body's frame, not in world axes",
        "frame": "position and orientation", "density": "mass and inertia, by physics.collision.mass",
        "material": "friction and restitution of its shapes", "collide": "group of its shapes, or no shapes",
        "look": "how it is drawn is no physics",
    },
    "shape": {
        "density": "mass and inertia of the body", "material": "friction and restitution",
        "rotate": "orientation, a quaternion alone",
    },
    "capsule": {"from": "start of Capsule.between", "to": "end of Capsule.between", "axis": "orientation"},
    "cylinder": {"from": "start of Cylinder.between", "to": "end of Cylinder.between", "axis": "orientation"},
    "hull": {"file": "Hull.of_file", "scale": "Hull.of_file"},
    "plane": {"normal": "normal of Plane.facing"},
    "coupling": {"coupling": "terms"},
    **dict.fromkeys(("condition", "velocity_condition"), CONDITION),
}  # fmt: skip
# fields that no scene has
PYTHON_ALONE = {
    **{kind: {"soft_limits"} for kind in AXES},
    "ball": {"soft_limits", "limits"},
    "torsion": {"soft_limits", "limits", "armature", "auxiliary", "collide", "at"},  # refused, or of no effect
    "between": {"soft_limits", "limits", "armature", "auxiliary", "collide", "at"},
    "point_on_curve": {"curve"},
    "function": {"program", "frame", "force"},
    "velocity_function": {"program", "frame", "force"},
    # velocities stand under `start`; signals are what a moving body makes of its own
    "body": {"orientation", "velocity", "angular_velocity", "shapes", "signals"},
    "shape": {"position", "orientation", "friction", "restitution", "group"},
    "turn": {"axis", "soft_limits"},
    "slide": {"axis", "soft_limits"},
    "coupling": {"terms"},
    **{kind: {"bodies", "program", "frame", "points"} for kind in ("condition", "velocity_condition")},
    "medium": {"shapes"},
}  # fmt: skip
# keys that are properties under another name, or of another thing
LIVE_ELSEWHERE = {"color", "limits"}

PAIRS = [
    *((kind, model, (model.definition,), TIE) for kind, model in KINDS.items()),
    ("turn", joints.TurnPart, (compound.Turn,), set()),
    ("slide", joints.SlidePart, (compound.Slide,), set()),
    (
        "body", bodies.Body,
        (scene_bodies.Body, scene_bodies.Particle, scene_bodies.PlanarBody, scene_bodies.ScaledBody, Moving), {"name"},
    ),
    *((kind, model, (model.made,), set()) for kind, model in shapes.SHAPES.items()),
    ("coupling", constraints.Coupling, (couplings.Coupling,), {"name"}),
    ("condition", scene_formulas.Condition, (formulas.ConditionFormula,), {"name"}),
    ("velocity_condition", scene_formulas.VelocityCondition, (formulas.VelocityConditionFormula,), {"name"}),
    ("circle", constraints.Circle, (relations_constraints.Circle,), set()),
    ("spline", constraints.Spline, (relations_constraints.Spline,), set()),
    ("drive", drives.Drive, (actuators.Drive,), {"name"}),
    ("target spring", drives.TargetSpring, (actuators.TargetSpring,), {"name"}),
    ("medium", sections.Medium, (medium.Fluid,), set()),
    ("ramp", scene_signals.Ramp, (signals.Ramp,), set()),
    ("wave", scene_signals.Wave, (signals.Sinusoid,), set()),
    ("keys", scene_signals.Keys, (signals.Keyed,), set()),
    ("key rows", scene_signals.KeyRows, (signals.Clip,), set()),
]  # fmt: skip
IDS = [pair[0] for pair in PAIRS]


def fields_of(kinds):
    """The fields that can be given, and second spellings that are as good"""
    own = {f.name for kind in kinds for f in dataclasses.fields(kind) if f.init}
    other = {
        word: to.word for kind in kinds for word, (to, is_old) in getattr(kind, "spellings", {}).items() if not is_old
    }
    return own, other


def tables_of(name):
    names = [name, "shape"] if name in shapes.SHAPES else [name]
    elsewhere = {key: where for one in names for key, where in ELSEWHERE.get(one, {}).items()}
    return elsewhere, {key for one in names for key in PYTHON_ALONE.get(one, ())}


@pytest.mark.parametrize(("name", "model", "kinds", "apart"), PAIRS, ids=IDS)
def test_every_key_is_a_field_of_its_definition(name, model, kinds, apart):
    own, other = fields_of(kinds)
    elsewhere, alone = tables_of(name)
    keys = set(model.key_names()) - {name}
    assert keys - own - other.keys() <= elsewhere.keys(), "keys that Python calls something else"
    meant = (keys & own) | {other[key] for key in keys & other.keys()}
    assert own - meant - apart <= alone, "fields that scenes call something else"


@pytest.mark.parametrize(("name", "model", "kinds", "apart"), PAIRS, ids=IDS)
def test_what_is_listed_is_still_so(name, model, kinds, apart):
    own, other = fields_of(kinds)
    keys = set(model.key_names())
    for key in ELSEWHERE.get(name, {}):
        if ELSEWHERE[name].items() >= LIMITED.items():
            continue  # one list for those with swing and twist and those without
        assert key in keys, f"{key!r} is no key any more"
        assert key not in own | other.keys(), f"{key!r} is a field now"
    for field in PYTHON_ALONE.get(name, ()):
        if name != "shape":
            assert field in own, f"{field!r} is no field any more"


@pytest.mark.parametrize(("name", "model", "kinds", "apart"), PAIRS, ids=IDS)
def test_what_is_live_is_a_property_of_the_view(name, model, kinds, apart):
    view = {
        "drive": drive_views.DriveView, "target spring": drive_views.TargetSpringView, "medium": drive_views.MediumView,
        "hinge_motor": views.MotorView, "slider_motor": views.MotorView,
    }.get(name, views.JointView)  # fmt: skip
    for key in model.key_names():
        if is_live(model, key) and key not in LIVE_ELSEWHERE and name in {*KINDS, "drive", "target spring", "medium"}:
            found = inspect.getattr_static(view, key)
            assert isinstance(found, property)
            assert found.fset is not None, key


def test_settings_are_those_of_a_world():
    """Gravity and the timestep are fields of a scene, too; solver and integrator are set by `use_...`."""
    for key in sections.Settings.key_names():
        assert isinstance(inspect.getattr_static(world.World, key), property), key
    assert {"gravity", "timestep"} <= {f.name for f in dataclasses.fields(scene.Scene)}
    assert set(sections.Contacts.key_names()) <= {f.name for f in dataclasses.fields(scene.Scene)}


SAME_NUMBERS = {
    "box": ({"size": [0.2, 0.4, 0.6], "at": [1, 2, 3]}, {"size": (0.2, 0.4, 0.6), "at": (1.0, 2.0, 3.0)}),
    "capsule": ({"radius": 0.1, "length": 0.5, "at": [1, 2, 3]}, {"radius": 0.1, "length": 0.5, "at": (1.0, 2.0, 3.0)}),
    "cylinder": ({"radius": 0.1, "length": 0.5, "at": [0, 0, 0]}, {"radius": 0.1, "length": 0.5}),
    "sphere": ({"radius": 0.1, "at": [1, 2, 3]}, {"radius": 0.1, "at": (1.0, 2.0, 3.0)}),
}


@pytest.mark.parametrize("kind", SAME_NUMBERS)
def test_the_same_words_with_the_same_numbers_make_the_same_shape(kind):
    written, given = SAME_NUMBERS[kind]
    assert shapes.SHAPES[kind].model_validate(written).solid() == shapes.SHAPES[kind].made(**given)
