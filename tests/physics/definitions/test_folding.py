"""Massless bodies: their joints stay there by name, each with its own coordinate, spring, force and blow.

The same leg is built with hinges through massless bodies, named forth and back, and as one compound joint.
"""

from dataclasses import replace

import numpy as np
import pytest

from physics.maths.rotations import matrix_of
from physics.definitions.bodies import Body, Massless
from physics.definitions.compound import Compound, Turn
from physics.definitions.joints import Ball, Hinge, Universal, Weld
from physics.definitions.limits import SoftLimits
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import figures

AXES = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.6, 0.8)]
POINTS = [(0.1, 0.0, 0.2), (0.15, 0.05, 0.2), (0.1, 0.0, 0.15)]
SPRINGS = [
    {"stiffness": 5.0, "damping": 0.1, "armature": 0.01},
    {"stiffness": 9.0, "rest": 0.2},
    {"soft_limits": SoftLimits(stiffness=300.0, damping=1.0, lower=-0.1, upper=0.3)},
]


def bodies():
    rng = np.random.default_rng(3)
    return [figures.random_body(rng, "hip", np.array([0.0, 0.0, 0.5])), figures.random_body(rng, "leg", np.zeros(3))]


def hinges(turned=(), first="hip"):
    """Three hinges through two massless bodies; `turned` ones name their bodies the other way round."""
    chain = ["hip", "m0", "m1", "leg"]
    joints = []
    for k in range(3):
        ends = (chain[k + 1], chain[k]) if k in turned else (chain[k], chain[k + 1])
        axis = -np.array(AXES[k]) if k in turned else AXES[k]
        joints.append(Hinge(name=f"h{k}", a=ends[0], b=ends[1], at=POINTS[k], axis=axis, **SPRINGS[k]))
    parts = bodies() if first == "hip" else bodies()[::-1]
    return Scene(bodies=[*parts, Massless(name="m0"), Massless(name="m1")], joints=joints)


def whole():
    parts = [Turn(axis=a, at=p, **s) for a, p, s in zip(AXES, POINTS, SPRINGS, strict=True)]
    return Scene(bodies=bodies(), joints=[Compound(name="h", a="hip", b="leg", at=POINTS[2], parts=parts)])


def moving(scene):
    world = World(scene, integrator="rk4")
    rng = np.random.default_rng(5)
    for name in ("hip", "leg"):
        world.bodies[name].angular_velocity = rng.normal(size=3)
    world.assemble()
    world.step(60)
    world.accelerations()
    return world


WAYS = [((), "hip"), ((0, 2), "hip"), ((1,), "hip"), ((), "leg"), ((0, 1), "leg")]


@pytest.mark.parametrize(("turned", "first"), WAYS)
def test_folded_hinges_are_the_compound(turned, first):
    # seen from the other body the stages of a step, whose joints are open by their error, have other coordinates
    close = 1e-8 if first == "hip" else 1e-5
    one, other = moving(whole()), moving(hinges(turned, first))
    assert list(other.joints) == ["h0", "h1", "h2"]
    assert set(other.bodies) == {"hip", "leg"}
    sign = np.array([-1.0 if k in turned else 1.0 for k in range(3)])
    joints = [other.joints[f"h{k}"] for k in range(3)]
    for name in ("hip", "leg"):
        assert other.bodies[name].position == pytest.approx(one.bodies[name].position, abs=close)
    # turned hinges have their axis turned too: the coordinate of b relative to a is the same
    assert [j.angle for j in joints] == pytest.approx(one.joints["h"].angle.tolist(), abs=close)
    for k, joint in enumerate(joints):
        assert sign[k] * joint.force == pytest.approx(one.joints["h"].force, abs=300 * close)
        # the same wrench, about the hinge's own point
        arm = one.joints["h"].anchor - joint.anchor
        moment = one.joints["h"].torque + np.cross(arm, one.joints["h"].force)
        assert sign[k] * joint.torque == pytest.approx(moment, abs=300 * close)
    # a hinge on the real body turns about a point of that body
    hip = other.bodies["hip"]
    drawn = bodies()[0]
    local = matrix_of(drawn.orientation).T @ (np.array(POINTS[0]) - drawn.position)
    assert joints[0].anchor == pytest.approx(hip.position + matrix_of(hip.quaternion) @ local, abs=1e-8)


def test_torque_of_a_folded_hinge_about_its_axis_is_its_spring():
    """No constraint acts along a hinge's axis: what is left there is -k (q - rest) - c q'. Here nothing moves yet."""
    scene = hinges((1,))
    scene = replace(scene, joints=[replace(j, rest=0.4, soft_limits=None, armature=0.0) for j in scene.joints])
    world = World(scene)
    world.accelerations()
    for k, joint in enumerate(world.joints.values()):
        axis = np.array(joint.definition.axis)
        assert axis @ joint.torque == pytest.approx(0.4 * (5.0, 9.0, 0.0)[k], abs=1e-9)


def test_springs_and_blows_by_name():
    for turned, first in WAYS:
        one, other = moving(whole()), moving(hinges(turned, first))
        one.joints["h"].stiffness = (5.0, 70.0, 0.0)
        other.joints["h1"].stiffness = 70.0
        assert other.joints["h1"].stiffness == 70.0
        assert other.joints["h0"].stiffness == 5.0
        other.joints["h0"].damping = 0.4
        one.joints["h"].damping = (0.4, 0.0, 0.0)
        one.joints["h"].apply_impulse((0.0, 0.0, 0.2))
        other.joints["h2"].apply_impulse(0.2)
        for world in (one, other):
            world.stiffness_scale = 2.0
            world.step(30)
        for name in ("hip", "leg"):
            assert other.bodies[name].position == pytest.approx(
                one.bodies[name].position, abs=1e-8 if first == "hip" else 1e-5
            )


def test_snapshot_of_a_folded_figure():
    world = moving(hinges((1,)))
    world.joints["h1"].stiffness = 33.0
    kept = world.snapshot()
    world.step(30)
    there = world.state_hash()
    world.joints["h1"].stiffness = 1.0
    world.restore(kept)
    assert world.joints["h1"].stiffness == 33.0
    world.step(30)
    assert world.state_hash() == there


def test_universal_and_hinge_through_a_massless_body():
    """Two and one axes, the universal joint named backwards."""
    parts = [Turn(axis=AXES[0]), Turn(axis=AXES[1]), Turn(axis=(0.0, 0.0, 1.0), at=(0.3, 0.0, 0.0))]
    one = moving(Scene(bodies=bodies(), joints=[Compound(name="h", a="hip", b="leg", at=(0, 0, 0), parts=parts)]))
    joints = [
        Universal(name="u", a="m", b="hip", at=(0, 0, 0), axis=AXES[1], axis2=AXES[0]),
        Hinge(name="h", a="m", b="leg", at=(0.3, 0.0, 0.0), axis=(0.0, 0.0, 1.0)),
    ]
    other = moving(Scene(bodies=[*bodies(), Massless(name="m")], joints=joints))
    whole_angle = one.joints["h"].angle
    # of the massless body relative to the hip, backwards: exchanged and turned
    assert other.joints["u"].angle == pytest.approx([-whole_angle[1], -whole_angle[0]], abs=1e-8)
    assert other.joints["h"].angle == pytest.approx(whole_angle[2], abs=1e-8)


@pytest.mark.parametrize("backwards", [False, True])
def test_ball_and_weld_through_a_massless_body(backwards):
    """A weld only moves the ball to the body beyond; its own force and torque stay readable."""
    plain = moving(Scene(bodies=bodies(), joints=[Ball(name="j", a="hip", b="leg", at=POINTS[0], stiffness=3.0)]))
    ends = ("m", "hip") if backwards else ("hip", "m")
    joints = [
        Ball(name="j", a=ends[0], b=ends[1], at=POINTS[0], stiffness=3.0),
        Weld(name="w", a="m", b="leg", at=POINTS[1]),
    ]
    other = moving(Scene(bodies=[*bodies(), Massless(name="m")], joints=joints))
    sign = -1.0 if backwards else 1.0
    assert other.bodies["leg"].position == pytest.approx(plain.bodies["leg"].position, abs=1e-9)
    assert sign * other.joints["j"].force == pytest.approx(plain.joints["j"].force, abs=1e-7)
    assert other.joints["w"].force == pytest.approx(plain.joints["j"].force, abs=1e-7)
    leg, drawn = other.bodies["leg"], bodies()[1]
    local = matrix_of(drawn.orientation).T @ (np.array(POINTS[1]) - drawn.position)
    point = leg.position + matrix_of(leg.quaternion) @ local
    assert other.joints["w"].anchor == pytest.approx(point, abs=1e-9)
    moment = plain.joints["j"].torque + np.cross(plain.joints["j"].anchor - point, plain.joints["j"].force)
    assert other.joints["w"].torque == pytest.approx(moment, abs=1e-7)
    with pytest.raises(AttributeError, match="weld joint 'w' has no coordinate"):
        _ = other.joints["w"].angle


def test_welds_alone_fold_to_a_weld():
    joints = [Weld(name="w", a="hip", b="m", at=POINTS[0]), Weld(name="v", a="m", b="leg", at=POINTS[1])]
    world = World(Scene(bodies=[*bodies(), Massless(name="m")], joints=joints))
    assert list(world.joints) == ["w", "v"]
    weight = 9.81 * bodies()[1].mass
    held = Weld(name="hold", a="world", b="hip", at=(0.0, 0.0, 0.5))
    world = World(Scene(bodies=[*bodies(), Massless(name="m")], joints=[held, *joints]))
    world.accelerations()
    assert world.joints["v"].force == pytest.approx([0.0, 0.0, weight], abs=1e-9)
    assert world.joints["w"].force == pytest.approx([0.0, 0.0, weight], abs=1e-9)


def test_body_without_a_row():
    world = World(hinges())
    with pytest.raises(KeyError, match="no body named 'm0'"):
        world.bodies["m0"]
    assert isinstance(bodies()[0], Body)
