"""A joint to the world switches off its body's contact with the ground: it is warned of where the body can pass through
what stands there, and nowhere else."""

import math
import warnings

import pytest

from physics.definitions.folding import fold
from physics.definitions.motions import HingeMotor
from physics.definitions.constraints import Circle, Parallel, PointOnCurve, PointOnLine, PointOnPlane, RollingSphere
from physics.definitions.bodies import Body, Massless, PlanarBody, Static
from physics.definitions.checks import DefinitionWarning
from physics.definitions.compound import Compound, Slide, Turn
from physics.definitions.joints import Ball, Cylindrical, Distance, Free, Hinge, Planar, Slider, Universal, Weld
from physics.definitions.scene import Scene
from physics import Box, Capsule, Hull, Plane, Sphere
from physics.definitions.joints import Rope
from physics.definitions.springs import Spring
from physics.world.reach import missed_contacts
from physics.world.world import World

# a card of 0.2 x 0.01 x 0.3 m whose middle is 1 m above a floor
CARD = Box(size=(0.2, 0.01, 0.3))
FLOOR = (Plane(),)
INERTIA = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def missed(*joints, shape=CARD, at=(0.0, 0.0, 1.0), floor=FLOOR, **more):
    body = Body(name="b", at=at, shapes=[shape], **INERTIA)
    scene = Scene(bodies=[body, *more.pop("bodies", ())], joints=joints, shapes=floor, **more)
    return [one.joints for one in missed_contacts(fold(scene).scene)]


def tie(kind, name="j", **given):
    return kind(name=name, a="world", b="b", **{"at": (0.0, 0.0, 1.0), **given})


FALLS = {
    "planar": tie(Planar, normal="y", axis="x"),
    "planar, seen from the body": Planar(name="j", a="b", b="world", at=(0, 0, 1), normal="y", axis="x"),
    "slider": tie(Slider, axis="z"),
    "slider down, seen from the body": Slider(name="j", a="b", b="world", at=(0, 0, 1), axis="z", limits=(-0.1, 0.9)),
    "slider that leans": tie(Slider, axis=(1, 0, 1)),
    "slider to its limit": tie(Slider, axis="z", limits=(-0.9, 0.1)),
    "cylindrical": tie(Cylindrical, axis="z"),
    "hinge from above": tie(Hinge, axis="y", at=(0.9, 0.0, 0.9)),
    "motor from above": tie(HingeMotor, axis="y", at=(0.9, 0.0, 0.9), velocity=1.0),
    "ball": tie(Ball, at=(1.0, 0.0, 0.9)),
    "universal": tie(Universal, axis="x", axis2="y", at=(1.0, 0.0, 0.9)),
    "compound": tie(Compound, parts=[Turn(axis="x"), Slide(axis="z")]),
    "rope": tie(Rope, at=((0, 0, 2), (0, 0, 1)), longest=2.0),
    "rod": tie(Distance, at=((0.7, 0, 1), (0, 0, 1)), length=1.0),
    "wire": tie(PointOnCurve, curve=Circle(center=(0, 0, 0.1), normal="x", radius=0.9)),
    "line": tie(PointOnLine, axis="z"),
    "plane upright": tie(PointOnPlane, normal="x"),
    "directions": tie(Parallel, axis="z"),
}
STAYS = {
    "weld": tie(Weld),
    "free": Free(name="j", a="world", b="b"),
    "spring": tie(Spring, stiffness=1.0),
    "planar, level": tie(Planar, normal="z", axis="x"),
    "slider, level": tie(Slider, axis="x"),
    "slider to its limit": tie(Slider, axis="z", limits=(-0.8, 5.0)),
    "slider up, seen from the body": Slider(name="j", a="b", b="world", at=(0, 0, 1), axis="z", limits=(-2.0, 0.8)),
    "cylindrical, level": tie(Cylindrical, axis="y"),
    "hinge from above": tie(Hinge, axis="y", at=(0.0, 0.0, 1.15)),
    "hinge upright": tie(Hinge, axis="z", at=(3.0, 0.0, 1.0)),
    "hinge with limits": tie(Hinge, axis="y", at=(0.9, 0.0, 0.9), limits=(-0.3, 3.0)),
    "motor upright": tie(HingeMotor, axis="z", at=(3.0, 0.0, 1.0), velocity=1.0),
    "ball from above": tie(Ball, at=(0.0, 0.0, 1.15)),
    "rope": tie(Rope, at=((0, 0, 2.5), (0, 0, 1.15)), longest=1.5),
    "rod": tie(Distance, at=((0, 0, 2), (0, 0, 1))),
    "wire": tie(PointOnCurve, curve=Circle(center=(0, 0, 1), normal="z", radius=1.0)),
    "line, level": tie(PointOnLine, axis="x"),
    "plane, level": tie(PointOnPlane, normal="z"),
    "says collide": tie(Planar, normal="y", axis="x", collide=True),
}


@pytest.mark.parametrize("joint", FALLS.values(), ids=FALLS)
def test_what_can_pass_through_the_floor_is_told(joint):
    assert missed(joint) == [("j",)]


@pytest.mark.parametrize("joint", STAYS.values(), ids=STAYS)
def test_what_cannot_or_may_touch_is_not(joint):
    assert missed(joint) == []


@pytest.mark.parametrize(("angle", "found"), [(0.40, False), (0.56, True)])
def test_a_hinge_is_tried_up_to_its_limits(angle, found):
    """A ball at the end of an arm of 1 m, hinged 0.6 m above the floor: it touches where sin q = (0.6 - 0.1) / 1."""
    assert math.asin(0.5) == pytest.approx(0.5236, abs=1e-4)
    joint = tie(Hinge, axis="y", at=(-1.0, 0.0, 0.6), limits=(-0.1, angle))
    assert bool(missed(joint, shape=Sphere(radius=0.1), at=(0.0, 0.0, 0.6))) == found


def test_where_there_is_nothing_to_meet_nothing_is_told():
    slider = tie(Slider, axis="z")
    assert missed(slider, floor=()) == []
    assert missed(slider, floor=(Plane(group="floor"),), never=[("default", "floor")]) == []
    assert missed(slider, floor=(Plane(group="floor"),), never=[("default", "default")]) == [("j",)]
    bare = Scene(bodies=[Body(name="b", **INERTIA)], joints=[slider], shapes=[Plane()])
    assert missed_contacts(bare) == []


def test_what_stands_in_the_floor_as_drawn_is_meant_to():
    """A post that is hinged at the floor overlaps with it: for this the rule is there."""
    foot = tie(Hinge, axis="y", at=(0.0, 0.0, 0.0))
    along = Capsule(radius=0.05, length=0.4)
    assert missed(foot, shape=along, at=(0.0, 0.0, 0.2)) == []
    assert missed(foot, shape=along, at=(0.0, 0.0, 0.25)) == [("j",)]  # it stands on the floor, and can sink in


def test_any_joint_that_holds_the_body_up_is_enough():
    down, level = tie(Parallel, axis="x"), tie(Slider, "k", axis="x")
    assert missed(down, level) == []
    assert missed(down, tie(Slider, "k", axis="z")) == [("j", "k")]
    assert missed(down, tie(Slider, "k", axis="z", collide=True)) == [("j",)]


def test_floors_of_static_bodies_and_tables():
    floor = Static(name="floor", shapes=[Plane()])
    hung = Slider(name="j", a="floor", b="b", at=(0, 0, 1), axis="z")
    assert missed(hung, bodies=[floor], floor=()) == [("j",)]
    post = Static(name="floor", shapes=[Box(size=(1, 1, 1))])  # neighbours at a joint, as ever
    assert missed(hung, bodies=[post], floor=()) == []
    table = Box(size=(1.0, 1.0, 0.1), position=(0.0, 0.0, 0.4))
    slider = tie(Slider, axis="z")
    assert missed(slider, floor=(table,)) == [("j",)]
    assert missed(tie(Slider, axis="z", limits=(-0.1, 0.1)), floor=(table,)) == []
    assert missed(tie(Ball, at=(0.0, 0.0, 1.15)), floor=(table,)) == []
    assert missed(tie(Ball, at=(0.0, 0.0, 0.45)), floor=(table,), at=(0.0, 0.0, 0.6)) == []  # it is mounted on it


def test_other_shapes_and_bodies():
    corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    for shape in (Sphere(radius=0.1), Capsule(radius=0.1, length=0.1), Hull(points=corners)):
        assert missed(tie(Slider, axis="z"), shape=shape) == [("j",)]
        assert missed(tie(Slider, axis="z", limits=(-0.84, 1.0)), shape=shape) == []
    plank = PlanarBody(name="b", mass=1.0, inertia=0.1, normal="y", at=(0, 0, 1), shapes=[Sphere(radius=0.1)])
    scene = Scene(bodies=[plank], joints=[tie(Slider, axis="z")], shapes=[Plane()])
    assert [one.body for one in missed_contacts(scene)] == ["b"]
    ball = tie(RollingSphere, at=((0, 0, 0), (0, 0, 0.5)), normal="z", radius=0.5)
    assert missed(ball, shape=Sphere(radius=0.5), at=(0, 0, 0.5)) == []


def test_joints_through_massless_bodies():
    via = [
        Slider(name="j", a="world", b="m", at=(0, 0, 1), axis="x"),
        Slider(name="k", a="m", b="b", at=(0, 0, 1), axis="z"),
    ]
    assert missed(*via, bodies=[Massless(name="m")]) == [("j+k",)]


def test_a_world_says_it():
    scene = Scene(
        bodies=[Body(name="b", at=(0, 0, 1), shapes=[CARD], **INERTIA)], joints=[tie(Planar, normal="y", axis="x")],
        shapes=[Plane()],
    )  # fmt: skip
    with pytest.warns(
        DefinitionWarning, match="planar joint 'j' switches off contact between 'b' and the world.*`collide=True`"
    ):
        world = World(scene)
    world.step(240)
    assert world.bodies["b"].position[2] < -3.0  # it is true
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        World(scene, advise=False)
        joint = tie(Planar, normal="y", axis="x", collide=True)
        world = World(Scene(bodies=scene.bodies, joints=[joint], shapes=scene.shapes))
    world.step(480)
    assert world.bodies["b"].position[2] > 0.0
