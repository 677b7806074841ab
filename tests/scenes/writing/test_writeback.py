"""Values written back into the text of a scene, and scenes that are loaded again while they run."""

import numpy as np
import pytest

from scenes.loading.access import changed, get
from scenes.loading.library import library_names
from scenes.loading.loader import read_scene, read_scene_text
from scenes.loading.reload import differences, go_on
from scenes.text.errors import SceneError
from scenes.text.values import Refused
from scenes.writing.writeback import save_value, with_entry, with_value

TEXT = """marionette: 1  # the version
name: Arm

parameters:
  k: {value: 2 N*m/rad, about: stiffness}
  links: 3   # of the chain
settings: {gravity: [0, 0, -9.81], timestep: 1/240}
bodies:
  upper: {shape: {capsule: {from: [0, 0, 1], to: [0.3, 0, 1], radius: 2 cm}}}   # the upper arm
  lower:
    mass: 200 g   # light
    shape: {capsule: {from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 0.02}}
joints:
  shoulder: {ball: [world, upper], at: [0, 0, 1], stiffness: k}
  elbow:
    hinge: [upper, lower]
    at: [0.3, 0, 1]
    axis: y
    limits: [-10 deg, 140 deg]
    soft: {stiffness: 9}
repeat:
  c: {count: links, step: [0, 0.1, 0], body: {kind: particle, mass: 0.1, at: [0, 1, 0]}}
"""


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        ("bodies.lower.mass", 0.25, "mass: 200 g ", "mass: 250 g "),
        ("bodies.upper.shape.capsule.radius", 0.035, "radius: 2 cm", "radius: 3.5 cm"),
        ("joints.elbow.limits", [0.0, np.pi / 2], "[-10 deg, 140 deg]", "[0 deg, 90 deg]"),
        ("joints.elbow.limits.1", np.pi, "140 deg", "180 deg"),
        ("joints.elbow.axis", "z", "axis: y", "axis: z"),
        ("settings.gravity", [0.0, 0.0, 1.5], "[0, 0, -9.81]", "[0, 0, 1.5]"),
        ("k", 7.0, "2 N*m/rad", "7 N*m/rad"),
        ("links", 5, "links: 3 ", "links: 5 "),
        ("joints.elbow.soft.stiffness", 1e6, "{stiffness: 9}", "{stiffness: 1000000}"),
    ],
)
def test_a_value_is_changed_where_it_stands(path, value, old, new):
    scene = read_scene_text(TEXT)
    text = with_value(scene, path, value)
    assert text == TEXT.replace(old, new)
    assert get(read_scene_text(text), path) == pytest.approx(
        value if isinstance(value, str | float | int) else tuple(value)
    ) or isinstance(value, str | list)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("joints.shoulder.stiffness", 3.0),  # an expression stands there
        ("settings.timestep", 0.001),  # likewise
        ("joints.elbow.damping", 0.5),  # a default
        ("bodies.c/1.mass", 0.7),  # a copy
    ],
)
def test_what_does_not_stand_there_becomes_an_override(path, value):
    text = with_value(read_scene_text(TEXT), path, value)
    assert text == f"{TEXT}overrides:\n  {path}: {value:g}\n"
    again = read_scene_text(text)
    assert get(again, path) == value
    # a second time the override is what is changed; a second path goes beside it
    assert with_value(again, path, 9.0) == f"{TEXT}overrides:\n  {path}: 9\n"
    both = with_value(again, "joints.elbow.rest", 0.1)
    assert both == f"{TEXT}overrides:\n  joints.elbow.rest: 0.1\n  {path}: {value:g}\n"


def test_entries_are_added():
    scene = read_scene_text(TEXT + "pins: {a: {pose: upper}}\n")
    assert with_entry(scene, "pins", "b", {"point": "lower", "at": [0.6, 0, 1.0]}).endswith(
        "pins: {b: {point: lower, at: [0.6, 0, 1]}, a: {pose: upper}}\n"
    )
    text = with_entry(scene, "poses", "bent", {"elbow": "90 deg"})
    assert text.endswith("poses:\n  bent: {elbow: 90 deg}\n")
    assert read_scene_text(text).poses["bent"]["elbow"] == pytest.approx(np.pi / 2)
    with pytest.raises(Refused, match="already"):
        with_entry(scene, "pins", "a", {"pose": "lower"})


def test_a_saved_value_is_in_the_file_and_a_wrong_one_leaves_it_alone(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text(TEXT)
    scene = save_value(read_scene(path), "bodies.lower.mass", 0.5)
    assert path.read_text() == TEXT.replace("200 g", "500 g")
    assert scene.parts["lower"].definition.mass == 0.5
    with pytest.raises(SceneError, match="above 0"):
        save_value(scene, "bodies.lower.mass", -1.0)
    assert path.read_text() == TEXT.replace("200 g", "500 g")


@pytest.mark.parametrize("name", library_names())
def test_written_back_it_is_what_was_set(name):
    """Every number that a scene of the library can be asked for in its settings, masses and dampings."""
    scene = read_scene(name)
    body = next(iter(scene.parts))
    paths = {"settings.timestep": 0.002}
    if scene.parts[body].spec.kind in ("rigid", "particle") and not scene.parts[body].held:
        paths[f"bodies.{body}.mass"] = 3.5
    damped = next((e for e in scene.edges.values() if e.spec.kind in ("hinge", "ball", "universal")), None)
    if damped is not None:
        paths[f"{damped.section}.{damped.name}.damping"] = 0.123
    for path, value in paths.items():
        text = with_value(scene, path, value)
        assert differences(changed(scene, path, value), read_scene_text(text, scene.path.name, scene.path.parent)) == []


# ---------------------------------------------------------------- loaded again
def test_differences_are_told_and_a_comment_is_none():
    old = read_scene_text(TEXT)
    assert differences(old, read_scene_text(TEXT.replace("# light", "# heavy") + "# the end\n")) == []
    new = (
        TEXT.replace("200 g", "300 g")
        .replace("axis: y", "axis: z")
        .replace("1/240", "1/500")
        .replace("links: 3", "links: 5")
    )
    assert differences(old, read_scene_text(new)) == [
        "2 bodies (c/3, c/4) added", "body lower changed", "joint elbow changed", "parameter links changed",
        "settings: timestep changed",
    ]  # fmt: skip


def test_a_scene_goes_on_where_it_was():
    """A longer lower arm: what is there keeps its pose and velocity, pins are put again, joints are closed."""
    old = read_scene_text(TEXT).make_world()
    old.use_integrator("implicit")
    old.pin("lower", old.bodies["lower"].position, name="by hand")
    old.step(60)
    new = read_scene_text(TEXT.replace("to: [0.6, 0, 1]", "to: [0.7, 0, 1]")).make_world()
    assert go_on(old, new) == ""
    assert list(new.pins) == ["by hand"]
    assert new.largest_gap < 1e-9
    for name in ("upper", "lower"):
        assert new.bodies[name].position == pytest.approx(old.bodies[name].position, abs=0.06)
        assert new.bodies[name].velocity == pytest.approx(old.bodies[name].velocity, abs=1.0)
    assert new.bodies["c/1"].position == pytest.approx(old.bodies["c/1"].position)
    assert new.bodies["c/1"].velocity == pytest.approx(old.bodies["c/1"].velocity)


def test_the_same_scene_goes_on_to_the_last_bit():
    scene = read_scene("hand")
    old, new = scene.make_world(), scene.make_world()
    old.use_integrator("implicit")
    old.step(24)
    assert go_on(old, new) == ""
    for name, body in new.bodies.items():
        assert (body.position == old.bodies[name].position).all()
        assert body.quaternion == pytest.approx(old.bodies[name].quaternion, abs=1e-15)
        assert (body.velocity == old.bodies[name].velocity).all()
