"""Words of the public face that were renamed are accepted with a warning, others have two spellings; directions are
letters too, and hard limits pairs."""

import dataclasses
import inspect
import math
import warnings

import numpy as np
import pytest

from physics.definitions.actuators import Drive, TargetSpring
from physics.definitions.motions import HingeMotor, SliderMotor
from physics.definitions.constraints import Circle, PointOnPlane
from physics.definitions.functions import Condition
from physics.definitions.bodies import Body, Particle, PlanarBody, Static
from physics.definitions.checks import DefinitionError
from physics.definitions.compound import Compound, Slide, Turn
from physics.definitions.joints import Ball, Cylindrical, Hinge, Planar, Screw, Slider, Universal
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Box, Capsule, Cylinder, Plane, Sphere
from physics.definitions.signals import Sinusoid
from physics.world.measure import Energy
from physics.world.touching import Contact
from physics.world.world import World
from scenes import load
from scenes.loading.loader import read_scene_text

ROD = {"name": "rod", "mass": 1.0, "inertia": (0.001, 0.1, 0.1)}
ENDS = {"name": "j", "a": "world", "b": "rod"}
PUSH = ((0.0, 0.0, 1.0, 0.0, 0.0, 0.0),)


def height(x, r):
    return (x[0][2],)


OLD = {
    "speed of a drive": (lambda **w: Drive(name="d", joint="j", damping=1.0, **w), {"speed": 2.0}, {"velocity": 2.0}),
    "effort of a drive": (lambda **w: Drive(name="d", joint="j", **w), {"effort": 2.0}, {"torque": 2.0}),
    "limit of a drive": (lambda **w: Drive(name="d", joint="j", torque=1.0, **w), {"limit": 3.0}, {"max": 3.0}),
    "limits of a target spring": (
        lambda **w: TargetSpring(name="s", body="b", **w), {"limit": 3.0, "turn_limit": 4.0},
        {"max": 3.0, "turn_max": 4.0},
    ),
    "speed of a hinge motor": (lambda **w: HingeMotor(axis="z", **ENDS, **w), {"speed": 1.0}, {"velocity": 1.0}),
    "speed of a slider motor": (lambda **w: SliderMotor(axis="z", **ENDS, **w), {"speed": 1.0}, {"velocity": 1.0}),
    "half sizes of a box": (Box, {"half_sizes": (0.1, 0.2, 0.3)}, {"size": (0.2, 0.4, 0.6)}),
    "half length of a capsule": (lambda **w: Capsule(radius=0.1, **w), {"half_length": 0.15}, {"length": 0.3}),
    "half length of a cylinder": (lambda **w: Cylinder(radius=0.1, **w), {"half_length": 0.15}, {"length": 0.3}),
    "circle": (
        lambda **w: Circle(radius=1.0, **w), {"centre": (0, 0, 1), "axis": "y"}, {"center": (0, 0, 1), "normal": "y"},
    ),
    "groups that are apart": (
        lambda **w: Scene(bodies=[Body(**ROD)], **w), {"apart": [("a", "b")]}, {"never": [("a", "b")]},
    ),
    "forces of a condition": (
        lambda **w: Condition(name="c", bodies=["b"], function=height, **w), {"forces": PUSH, "forces_in": "body"},
        {"force": PUSH, "force_in": "body"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "old", "new"), OLD.values(), ids=OLD)
def test_old_words_are_accepted_with_a_warning_at_the_line_that_has_them(make, old, new):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = make(**old)
    assert [w.category for w in said] == [DeprecationWarning] * len(old)
    assert all(w.filename == __file__ for w in said)
    texts = [str(w.message) for w in said]
    assert all(any(repr(a) in t and repr(b) in t for t in texts) for a, b in zip(old, new, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made == make(**new)
        dataclasses.replace(made)
    for a, b in zip(old, new, strict=True):
        with pytest.warns(DeprecationWarning, match=f"{a}.* is now .*{b}"):
            value = getattr(made, a)
        factor = 2.0 if a.startswith("half") else 1.0
        wanted = getattr(made, b)
        assert np.shape(wanted) == np.shape(value) if factor == 2.0 else value == wanted
        if factor == 2.0:
            assert np.array_equal(factor * np.array(value), wanted)


def test_help_shows_the_words_themselves():
    assert list(inspect.signature(Box).parameters) == [f.name for f in dataclasses.fields(Box)]
    assert {"velocity", "torque", "max"} <= set(inspect.signature(Drive).parameters)
    assert "limits" in str(inspect.signature(Hinge))


def test_both_words_at_once_are_refused():
    with pytest.raises(TypeError, match="'half_sizes' and 'size', which are one: keep 'size'"):
        Box(half_sizes=(1, 1, 1), size=(2, 2, 2))


def test_old_words_of_views_read_and_set():
    joints = [Hinge(**ENDS, axis="y"), HingeMotor(name="m", a="world", b="wheel", axis="z", velocity=4.0)]
    drives = [Drive(name="d", joint="j", velocity=2.0, torque=0.5, damping=1.0, max=3.0)]
    drives.append(TargetSpring(name="s", body="rod", stiffness=1.0))
    bodies = [Body(**ROD), Body(**{**ROD, "name": "wheel"}, position=(0, 0, 1))]
    world = World(Scene(bodies=bodies, joints=joints, drives=drives))
    for view, old, new, value in (
        (world.drives["d"], "speed", "velocity", Sinusoid(0.0, 1.0)), (world.drives["d"], "effort", "torque", 0.7),
        (world.drives["d"], "limit", "max", (-1.0, 2.0)), (world.drives["s"], "limit", "max", 5.0),
        (world.drives["s"], "turn_limit", "turn_max", 6.0), (world.joints["m"], "speed", "velocity", 5.0),
    ):  # fmt: skip
        with pytest.warns(DeprecationWarning, match=f"'{old}' of {type(view).__name__} is now '{new}'"):
            assert getattr(view, old) == getattr(view, new)
        with pytest.warns(DeprecationWarning, match=new):
            setattr(view, old, value)
        assert getattr(view, new) == value


def test_second_spellings_that_are_as_good_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Body(**ROD, at=(1, 2, 3)) == Body(**ROD, position=(1, 2, 3))
        assert Body(**ROD, at=(1, 2, 3)).at == (1.0, 2.0, 3.0)
        assert Particle(name="p", mass=1.0, at=(1, 2, 3)).position == (1.0, 2.0, 3.0)
        assert PlanarBody(name="p", mass=1.0, inertia=1.0, at=(1, 2, 3)).position == (1.0, 2.0, 3.0)
        assert Static(name="s", at=(1, 2, 3)).position == (1.0, 2.0, 3.0)
        assert Sphere(radius=1.0, at=(1, 2, 3), collide="limb") == Sphere(radius=1.0, position=(1, 2, 3), group="limb")


def test_a_view_has_the_words_of_its_definition():
    world = World(Scene(bodies=[Body(**ROD, orientation=(0.6, 0.8, 0.0, 0.0)), Static(name="s")]))
    rod = world.bodies["rod"]
    assert rod.orientation == pytest.approx((0.6, 0.8, 0.0, 0.0))
    rod.orientation = (0.8, 0.0, 0.6, 0.0)
    assert np.array_equal(rod.orientation, rod.quaternion)
    assert rod.quaternion == pytest.approx((0.8, 0.0, 0.6, 0.0))
    with pytest.raises(DefinitionError, match="its definition says where it is"):
        world.bodies["s"].orientation = (0.8, 0.0, 0.6, 0.0)


LETTERS = {
    "x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1),
    "+z": (0, 0, 1),
}  # fmt: skip


@pytest.mark.parametrize("letter", LETTERS)
def test_a_direction_may_be_a_letter(letter):
    v = LETTERS[letter]
    other, w = ("x", (1, 0, 0)) if letter[-1] != "x" else ("y", (0, 1, 0))
    for by_letter, by_numbers in (
        (Hinge(**ENDS, axis=letter), Hinge(**ENDS, axis=v)),
        (Slider(**ENDS, axis=letter), Slider(**ENDS, axis=v)),
        (Universal(**ENDS, axis=letter, axis2=other), Universal(**ENDS, axis=v, axis2=w)),
        (Planar(**ENDS, normal=letter, axis=other), Planar(**ENDS, normal=v, axis=w)),
        (Ball(**ENDS, twist_axis=letter, swing_axis=other), Ball(**ENDS, twist_axis=v, swing_axis=w)),
        (Compound(**ENDS, parts=[Turn(axis=letter)]), Compound(**ENDS, parts=[Turn(axis=v)])),
        (HingeMotor(**ENDS, axis=letter, velocity=1.0), HingeMotor(**ENDS, axis=v, velocity=1.0)),
        (PointOnPlane(**ENDS, normal=letter), PointOnPlane(**ENDS, normal=v)),
        (Plane.facing(letter), Plane.facing(v)),
    ):
        assert by_letter == by_numbers


@pytest.mark.parametrize("word", ["w", "xy", "", "--x", "zz"])
def test_other_letters_are_refused(word):
    with pytest.raises(DefinitionError, match="x, y, z, -x, -y, -z or three numbers"):
        Hinge(**ENDS, axis=word)


INF = math.inf
RANGES = {
    "hinge": (lambda r: Hinge(**ENDS, axis="z", limits=r), (0, 1), ((0.0,), (1.0,))),
    "hinge, open below": (lambda r: Hinge(**ENDS, axis="z", limits=r), (None, 1), ((-INF,), (1.0,))),
    "hinge, a list and an array": (lambda r: Hinge(**ENDS, axis="z", limits=np.array(r)), [-1, 1], ((-1.0,), (1.0,))),
    "hinge, one of one": (lambda r: Hinge(**ENDS, axis="z", limits=r), [(0, 1)], ((0.0,), (1.0,))),
    "slider": (lambda r: Slider(**ENDS, axis="z", limits=r), (-0.5, INF), ((-0.5,), (INF,))),
    "screw": (lambda r: Screw(**ENDS, axis="z", pitch=0.1, limits=r), (0, 9), ((0.0,), (9.0,))),
    "universal, one for both": (
        lambda r: Universal(**ENDS, axis="x", axis2="y", limits=r), (-1, 1), ((-1.0, -1.0), (1.0, 1.0)),
    ),
    "universal, one each": (
        lambda r: Universal(**ENDS, axis="x", axis2="y", limits=r), [(-1, 1), None], ((-1.0, -INF), (1.0, INF)),
    ),
    "cylindrical": (lambda r: Cylindrical(**ENDS, axis="z", limits=r), [(0, 1), (-2, 2)], ((0.0, -2.0), (1.0, 2.0))),
    "planar": (
        lambda r: Planar(**ENDS, normal="z", axis="x", limits=r), [None, (0, 1), (-2, 2)],
        ((-INF, 0.0, -2.0), (INF, 1.0, 2.0)),
    ),
    "parts": (
        lambda r: Compound(**ENDS, parts=[Turn(axis="z", limits=r[0]), Slide(axis="x", limits=r[1])]), [(0, 1), None],
        ((0.0, -INF), (1.0, INF)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "given", "bounds"), RANGES.values(), ids=RANGES)
def test_limits_may_be_ranges(make, given, bounds):
    limits = make(given).limits
    assert (limits.lower, limits.upper) == bounds
    assert isinstance(limits, Limits)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Hinge(**ENDS, axis="z", limits=1.0),
        lambda: Hinge(**ENDS, axis="z", limits=(0, 1, 2)),
        lambda: Hinge(**ENDS, axis="z", limits="01"),
        lambda: Hinge(**ENDS, axis="z", limits=(1, 0)),
        lambda: Hinge(**ENDS, axis="z", limits=("a", "b")),
        lambda: Cylindrical(**ENDS, axis="z", limits=(0, 1)),  # of a travel and an angle: not one for both
        lambda: Universal(**ENDS, axis="x", axis2="y", limits=[(0, 1), (0, 1), (0, 1)]),
        lambda: Universal(**ENDS, axis="x", axis2="y", limits=[(0, 1), 2]),
        lambda: Ball(**ENDS, limits=(0, 1)),
        lambda: Compound(**ENDS, parts=[Turn(axis="z", limits=[(0, 1), (0, 1)])]),
    ],
)
def test_what_is_no_range_is_refused(make):
    with pytest.raises(DefinitionError, match=r"(limits|lower|upper).* of"):
        make()


def test_limits_of_a_view_may_be_a_range():
    world = World(Scene(bodies=[Body(**ROD)], joints=[Hinge(**ENDS, axis="y")]))
    world.joints["j"].limits = (-0.5, 1)
    assert world.joints["j"].limits == Limits(lower=(-0.5,), upper=(1.0,))


# ---------------------------------------------------------------- misspelt
SWING = """marionette: 1
ground: {}
medium: {density: 1.2}
bodies:
  arm: {shape: {capsule: {from: [0, 0, 1], to: [0.5, 0, 1], radius: 0.02}}}
  ball: {shape: {sphere: {at: [2, 0, 0.1], radius: 0.1}}}
  wheel: {shape: {sphere: {at: [4, 0, 1], radius: 0.1}}}
joints: {knee: {hinge: [world, arm], at: [0, 0, 1], axis: y}, axle: {hinge: [world, wheel], at: [4, 0, 1], axis: y}}
constraints:
  leash: {rope: [world, ball], at: {world: [2, 0, 3], ball: [2, 0, 0.1]}}
  same: {coupling: {knee: 1, axle: -1}}
springs: {pull: {between: [world, ball], from: [3, 0, 1], to: [2, 0, 0.1], stiffness: 1}}
drives: {motor: {joint: axle, torque: 1}}
"""


def swing():
    world = read_scene_text(SWING).make_world()
    world.pin("arm", (0.5, 0.0, 1.0), name="nail")
    return world


@pytest.mark.parametrize(
    ("of", "word", "meant"),
    [
        (lambda w: w, "timestp", "timestep"), (lambda w: w, "integrater", "integrator"),
        (lambda w: w.bodies["arm"], "positon", "position"), (lambda w: w.bodies["arm"], "orientaton", "orientation"),
        (lambda w: w.joints["knee"], "stifness", "stiffness"), (lambda w: w.pins["nail"], "stif", "stiff"),
        (lambda w: w.drives["motor"], "torqe", "torque"), (lambda w: w.medium, "densty", "density"),
        (lambda w: w.couplings["same"], "multplier", "multiplier"), (lambda w: w.grab("arm"), "traget", "target"),
        (lambda w: w.bodies["arm"], "colour", "it has angular_velocity"), (lambda w: w.bodies, "arm", "it has get"),
    ],
)  # fmt: skip
def test_a_misspelt_attribute_is_refused_with_the_one_that_was_meant(of, word, meant):
    """Red before: it was kept, and changed nothing."""
    thing = of(swing())
    with pytest.raises(AttributeError, match=f"has no attribute '{word}'; .*{meant}"):
        setattr(thing, word, 5)
    assert not hasattr(thing, word)


def test_a_contact_takes_no_attributes():
    contact = Contact(*range(len(Contact._fields)))
    with pytest.raises(AttributeError):
        contact.forse = 5


@pytest.mark.parametrize(
    ("table", "name", "told"),
    [
        ("joints", "nail", "that is a pin: world.pins['nail']"), ("pins", "knee", "a joint: world.joints['knee']"),
        ("bodies", "motor", "a drive: world.drives['motor']"), ("drives", "pull", "a joint: world.joints['pull']"),
        ("couplings", "leash", "a joint: world.joints['leash']"),
        ("joints", "same", "a coupling: world.couplings['same']"),
        ("joints", "motr", "did you mean 'motor' in world.drives?"), ("joints", "kne", "did you mean 'knee'?"),
        ("drives", "zzz", "known: motor"),
    ],
)  # fmt: skip
def test_a_name_that_is_sought_in_another_table_says_where_it_is(table, name, told):
    """Red before."""
    with pytest.raises(KeyError) as error:
        getattr(swing(), table)[name]
    assert told in error.value.args[0]
    assert name not in getattr(swing(), table)


def test_an_empty_table_says_so():
    with pytest.raises(KeyError, match="no drive named 'q'; there are none"):
        load("chain", links=2).drives["q"]


def test_what_a_world_and_its_answers_are_made_of_is_in_their_help():
    """Red before: `bodies` stood nowhere."""
    for word in ("bodies", "joints", "couplings", "drives", "pins", "grabs", "medium", "foresees"):
        assert f"`{word}`" in str(World.__doc__)
    for answer, fields in ((World.contacts, Contact._fields), (World.energy, Energy._fields)):
        assert all(f"`{word}`" in str(answer.__doc__) for word in fields)
