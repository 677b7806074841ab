"""Case 28, the kinematic order f = m v: velocities and multipliers of a pull, and a spring that drags a chain.

The mass alone is the metric: posing friction is off.
"""

import math

import numpy as np
import pytest

from physics.definitions.bodies import Body, Particle
from physics.definitions.joints import Distance, Hinge
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.cases.reference_cases import make_scene, named_case, relative_error

EXACT = 1e-9


def case(name):
    return named_case("28", name)


def posing(scene):
    world = World(scene)
    world.order = "kinematic"
    world.posing_friction = 0.0
    return world


def test_particle_on_a_circle():
    c = case("particle_on_circle")
    place = (*c["pos"], 0.0)
    rod = Distance(name="rod", a=None, b="p", at=((0.0, 0.0, 0.0), place))
    world = posing(Scene(bodies=[Particle(name="p", mass=c["mass"], position=place)], joints=[rod]))
    world.bodies["p"].applied_force = (*c["F"], 0.0)
    v = world.first_order_velocities()
    assert v[0, :2] == pytest.approx(c["v"], rel=EXACT)
    assert world.joints["rod"].force[:2] == pytest.approx(c["lam"][0] * np.array(c["J"][0]), rel=EXACT)


def test_particles_on_three_rods():
    """The last rod alone carries the pull; the multipliers are along the rods, on the particle further out."""
    c = case("particle_chain_3_distance")
    points = [c["pinned"], *c["points"]]
    bodies = [
        Particle(name=f"p{i}", mass=m, position=x)
        for i, (m, x) in enumerate(zip(c["masses"], c["points"], strict=True))
    ]
    joints = [
        Distance(name=f"rod{i}", a=f"p{i - 1}" if i else None, b=f"p{i}", at=(points[i], points[i + 1]))
        for i in range(3)
    ]
    world = posing(Scene(bodies=bodies, joints=joints))
    world.bodies["p2"].applied_force = c["F_last"]
    assert np.abs(world.first_order_velocities()[:, :3] - c["v"]).max() < EXACT
    for i in range(3):
        along = np.array(c["J_unit_direction"][i][3 * i : 3 * i + 3])
        assert np.abs(world.joints[f"rod{i}"].force - c["lam"][i] * along).max() < EXACT


def test_pull_at_the_tip_of_an_arm():
    c = case("two_link_ball_arm_tip_force")
    world = posing(make_scene(c["scene"]))
    last = world.bodies["b"]
    last.applied_force = c["tip_force"]
    last.applied_torque = np.cross(np.array(c["tip"]) - last.position, c["tip_force"])
    assert relative_error(world.first_order_velocities(), c["v_lin_ang"]) < EXACT
    forces = [world.joints[k].force for k in ("j0", "j1")]
    assert relative_error(forces, c["joint_force_on_b_of_j0_j1"]) < EXACT


def test_a_percent_is_noticed():
    c = case("two_link_ball_arm_tip_force")
    scene = {**c["scene"], "bodies": [{**c["scene"]["bodies"][0], "mass": 1.212}, c["scene"]["bodies"][1]]}
    world = posing(make_scene(scene))
    last = world.bodies["b"]
    last.applied_force = c["tip_force"]
    last.applied_torque = np.cross(np.array(c["tip"]) - last.position, c["tip_force"])
    assert relative_error(world.first_order_velocities(), c["v_lin_ang"]) > 1e-4


def test_push_on_a_free_chain():
    """The centre of mass moves at F / M, whatever the joints do."""
    c = case("free_5_rod_chain_push_first_COM")
    world = posing(make_scene(c["scene"]))
    world.bodies["r0"].applied_force = c["F"]
    v = world.first_order_velocities()
    assert relative_error(v, c["v_lin_ang"]) < EXACT
    assert v[:, :3].mean(axis=0) == pytest.approx(c["com_velocity"], rel=EXACT, abs=1e-14)


def test_spring_drags_a_chain():
    """M(th) th' = Q with a spring at the tip, 5 s of explicit steps: within 2e-2 rad at 1/240, 5e-4 at 1e-4, and first
    order."""
    c = case("series_3_link_spring_drag")

    def run(steps_a_second):
        world = posing(folded_chain(c["theta0"], 1.0 / steps_a_second))
        last = world.bodies["l2"]
        worst = 0.0
        for step in range(5 * steps_a_second):
            if step % (steps_a_second // 4) == 0:
                turns = np.cumsum([world.joints[f"h{i}"].angle for i in range(3)]) + c["theta0"]
                worst = max(worst, np.abs(turns - c["theta"][4 * step // steps_a_second]).max())
            w, _, _, z = last.quaternion
            lever = 0.2 * np.array([w * w - z * z, 2 * w * z, 0.0])
            pull = 5.0 * (np.array([0.5, 0.7, 0.0]) - last.position - lever)
            last.applied_force = pull
            last.applied_torque = np.cross(lever, pull)
            world.step()
        return worst

    coarse, fine, finest = run(240), run(480), run(10_000)
    assert coarse < 2e-2
    assert 1.8 < coarse / fine < 2.2
    assert finest < 5e-4


def folded_chain(theta, timestep):
    """Three rods of 0.4 m and 1 kg in the x-y plane, at absolute angles theta from x."""
    bodies, joints = [], []
    start = np.zeros(3)
    inertia = 0.4**2 / 12
    for i, a in enumerate(theta):
        along = 0.4 * np.array([math.cos(a), math.sin(a), 0.0])
        bodies.append(
            Body(
                name=f"l{i}", mass=1.0, inertia=(1e-4, inertia, inertia), position=start + along / 2,
                orientation=(math.cos(a / 2), 0.0, 0.0, math.sin(a / 2)),
            )
        )  # fmt: skip
        joints.append(Hinge(name=f"h{i}", a=f"l{i - 1}" if i else None, b=f"l{i}", at=start, axis=(0.0, 0.0, 1.0)))
        start = start + along
    return Scene(bodies=bodies, joints=joints, timestep=timestep)
