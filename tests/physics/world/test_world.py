"""The public face: impulses, posing, live settings, names, forces of joints."""

import math

import numpy as np
import pytest

from physics.data.model_tables import Joints
from physics.definitions.bodies import Body, Particle
from physics.definitions.checks import DefinitionError
from physics.definitions.couplings import Coupling
from physics.definitions.joints import Ball, Hinge, Slider, Universal
from physics.definitions.limits import SoftLimits
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import generators
from tests.helpers import figures, support
from tests.helpers.arrays import built_of, model_of, state_of

TREES = ["chain10", "tree_free", "humanoid30", "random0", "random1", "random3", "two_figures"]


@pytest.mark.parametrize("name", [*TREES, "particles"])
def test_impulse_on_a_body(name):
    """M dv - J^T l = p: on a free figure the momentum grows by p and p x arm; joints stay closed in velocity."""
    world = figures.in_motion(figures.ALL[name]())
    world.gravity = (0.0, 0.0, 0.0)
    body = list(world.bodies)[-1]
    before = world.momentum()
    p = np.array([0.3, -0.2, 0.5])
    world.bodies[body].apply_impulse(p)
    after = world.momentum()
    if "world" not in {j.definition.a for j in world.joints.values()} | {j.definition.b for j in world.joints.values()}:
        assert after.linear - before.linear == pytest.approx(p, abs=1e-12)
        arm = np.cross(world.bodies[body].position, p)
        assert after.angular - before.angular == pytest.approx(arm, abs=1e-11)
    kept = state_of(world).velocity.copy()
    world.assemble()  # changes nothing where joints do not slip
    assert state_of(world).velocity == pytest.approx(kept, abs=1e-9)


@pytest.mark.parametrize(
    "name", ["random0", "random1", "random_hinge", "random_slider", "random_universal", "random_ball"]
)
def test_impulse_in_a_joint_is_equal_and_opposite(name):
    world = figures.in_motion(figures.ALL[name]())
    before = world.momentum()
    kinetic = world.energy().kinetic
    joint = next(
        j for j in world.joints.values() if j.definition.axes and "world" not in (j.definition.a, j.definition.b)
    )
    joint.apply_impulse(0.4)
    after = world.momentum()
    assert world.energy().kinetic != pytest.approx(kinetic, rel=1e-6)
    if "root" not in world.joints:
        assert after.linear == pytest.approx(before.linear, abs=1e-12)
        assert after.angular == pytest.approx(before.angular, abs=1e-11)


def test_impulse_in_a_hinge_against_the_closed_form():
    """A rod on a hinge through its end: dw = p / (I + m r^2)."""
    rod = Body(name="rod", mass=2.0, inertia=(0.01, 0.2, 0.2), position=(0.5, 0.0, 0.0))
    hinge = Hinge(name="h", a="world", b="rod", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    world = World(Scene(bodies=[rod], joints=[hinge]))
    world.joints["h"].apply_impulse(0.7)
    assert world.bodies["rod"].angular_velocity == pytest.approx([0.0, 0.7 / (0.2 + 2.0 * 0.25), 0.0], rel=1e-12)


def test_posing_without_a_force_moves_nothing():
    world = World(generators.humanoid30())
    world.order = "kinematic"
    before = state_of(world).pose.copy()
    world.step(100)
    assert np.array_equal(state_of(world).pose, before)


def test_posing_moves_the_pulled_limb_most_and_stops_at_once():
    world = World(generators.humanoid30())
    world.order = "kinematic"
    start = {name: body.position for name, body in world.bodies.items()}
    hand = world.bodies["limb2_5"]
    hand.applied_force = (0.0, 0.5, 0.0)
    world.step(240)
    moved = {name: float(np.linalg.norm(body.position - start[name])) for name, body in world.bodies.items()}
    assert moved["limb2_5"] == max(moved.values()) > 0.01
    assert max(moved[name] for name in moved if name.startswith(("limb0", "limb1", "limb3"))) < 0.5 * moved["limb2_5"]
    assert world.largest_gap < 1e-6
    hand.applied_force = (0.0, 0.0, 0.0)
    rest = hand.position
    world.step(10)
    assert np.array_equal(hand.position, rest)


def test_kinematic_velocity_is_force_over_mass():
    """f = m v: one free body, with no friction there is nothing else in the metric."""
    world = World(Scene(bodies=[Body(name="b", mass=4.0, inertia=(1.0, 2.0, 3.0))]))
    world.order = "kinematic"
    world.bodies["b"].applied_force = (2.0, 0.0, 0.0)
    world.bodies["b"].applied_torque = (0.0, 0.0, 6.0)
    assert world.first_order_velocities()[0] == pytest.approx([0.5, 0, 0, 0, 0, 2.0], rel=1e-14)


def test_switching_the_order_stops_the_motion():
    world = figures.in_motion(generators.humanoid30())
    world.order = "kinematic"
    assert not state_of(world).velocity.any()


def test_settings_can_change_at_every_step():
    """Integrator, order, timestep, stiffness, gravity, at random: closed, finite, the same bits twice."""

    def run() -> str:
        rng = np.random.default_rng(5)
        world = figures.in_motion(generators.hand(stiffness=1.0))
        for _ in range(200):
            world.use_integrator(
                str(rng.choice(["trbdf2", "implicit", "hernandez", "rattle", "rattle4", "rk4", "explicit"]))
            )
            world.timestep = float(rng.choice([1 / 60, 1 / 240, 1 / 960]))
            world.stiffness_scale = float(10.0 ** rng.uniform(-4, 4))
            world.joints["thumb1_joint"].damping = float(rng.uniform(0.0, 0.1))
            world.joints["ring2_joint"].stiff = bool(rng.integers(2))
            world.order = "kinematic" if rng.uniform() < 0.05 else "dynamic"
            world.step()
            assert world.largest_gap < (1e-2 if world.integrator == "hernandez" else 1e-4)
        assert np.isfinite(state_of(world).pose).all()
        return world.state_hash()

    assert run() == run()


def test_live_stiffness_is_what_the_definition_would_have_been():
    live = World(generators.hand(stiffness=1.0))
    for joint in live.joints.values():
        if joint.definition.axes:
            joint.stiffness = 50.0
    live.stiffness_scale = 2.0
    fixed = World(generators.hand(stiffness=100.0))
    live.step(100)
    fixed.step(100)
    assert live.state_hash() == fixed.state_hash()


def test_stiff_off_is_no_stiffness():
    off = World(generators.hand(stiffness=100.0))
    for joint in off.joints.values():
        if joint.definition.axes:
            joint.stiff = False
    fixed = World(generators.hand(stiffness=0.0))
    off.step(50)
    fixed.step(50)
    assert off.state_hash() == fixed.state_hash()


def test_force_of_a_hanging_body():
    """After a second at rest: the hook carries the weight, with each integrator."""
    rod = Body(name="rod", mass=2.0, inertia=(0.1, 0.1, 0.01), position=(0.0, 0.0, -0.5))
    for integrator in ("trbdf2", "implicit", "hernandez", "rattle", "rattle4", "rk4", "explicit"):
        world = World(Scene(bodies=[rod], joints=[Ball(name="hook", a="world", b="rod", at=(0.0, 0.0, 0.0))]))
        world.use_integrator(integrator)
        world.step(240)
        assert world.joints["hook"].force == pytest.approx([0.0, 0.0, 2.0 * 9.81], abs=1e-9), integrator


def test_force_and_torque_are_those_on_body_b_whichever_is_the_child():
    """A welded-like slider carrying a weight off its axis: torque about b's anchor, with the bodies named either
    way."""
    base = Body(name="base", mass=5.0, inertia=(1.0, 1.0, 1.0), position=(0.0, 0.0, 0.0))
    load = Body(name="load", mass=3.0, inertia=(0.1, 0.1, 0.1), position=(0.7, 0.0, 0.0))
    held = Slider(name="held", a="world", b="base", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    for a, b, sign in (("base", "load", 1.0), ("load", "base", -1.0)):
        arm = Slider(name="arm", a=a, b=b, at=(0.2, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
        world = World(Scene(bodies=[base, load], joints=[held, arm]))
        world.accelerations()
        joint = world.joints["arm"]
        assert joint.force == pytest.approx([0.0, 0.0, sign * 3.0 * 9.81], abs=1e-9)
        # moment about the anchor that holds the load's weight 0.5 m away: r x f = (0.5, 0, 0) x (0, 0, -m g), negated
        assert joint.torque == pytest.approx([0.0, -sign * 0.5 * 3.0 * 9.81, 0.0], abs=1e-9)


def test_energy_adds_up_and_the_ledger_counts_applied_work():
    """A free body pushed by a constant force: kinetic energy = work, so the ledger stays where it was."""
    world = World(Scene(bodies=[Body(name="b", mass=2.0, inertia=(1.0, 1.0, 1.0))], gravity=(0.0, 0.0, 0.0)))
    world.bodies["b"].applied_force = (3.0, 0.0, 0.0)
    world.step(240)
    energy = world.energy()
    assert energy.total == energy.kinetic + energy.potential + energy.elastic
    assert energy.kinetic == pytest.approx(0.5 * 2.0 * (1.5 * world.time) ** 2, rel=1e-9)
    # work is summed with the velocity at the end of each step: first order in the step
    assert abs(energy.ledger) < 0.01 * energy.kinetic


def test_misspelt_names_are_answered_with_the_known_ones():
    world = World(generators.hand())
    with pytest.raises(KeyError, match="did you mean 'index1'"):
        world.bodies["idnex1"]
    with pytest.raises(KeyError, match="no joint named 'elbow'"):
        world.joints["elbow"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda w: w.use_solver("fast"), "solver: got 'fast', allowed: fused"),
        (lambda w: w.use_solver(["aba"]), "solver: got ['aba'], allowed: fused"),
        (lambda w: setattr(w, "guard", "off"), "guard: got 'off', allowed: True or False"),
        (lambda w: w.move(math.nan), "time of a move: got nan"),
        (lambda w: w.move("long"), "time of a move: got 'long'"),
        (lambda w: setattr(w.joints["ring1_joint"], "stiff", None), "stiff of hinge joint 'ring1_joint': got None"),
        (lambda w: w.use_integrator("euler"), "integrator: got 'euler'"),
        (lambda w: setattr(w, "order", "third"), "order: got 'third'"),
        (lambda w: setattr(w, "timestep", 0.0), "timestep: got 0.0"),
        (lambda w: setattr(w, "timestep", math.nan), "timestep: got nan"),
        (lambda w: setattr(w, "gravity", (0.0, math.inf, 0.0)), "gravity"),
        (lambda w: setattr(w, "stiffness_scale", -1.0), "stiffness_scale: got -1.0"),
        (lambda w: setattr(w.joints["wrist"], "stiffness", 1.0), "stiffness of weld joint 'wrist'"),
        (lambda w: setattr(w.joints["ring1_joint"], "stiffness", -1.0), "stiffness of hinge joint 'ring1_joint'"),
        (lambda w: setattr(w.joints["ring1_joint"], "damping", (1.0, 2.0)), "damping of hinge joint 'ring1_joint'"),
        (lambda w: setattr(w.bodies["palm"], "position", (0.0, math.nan, 0.0)), "position"),
        (lambda w: setattr(w.bodies["palm"], "quaternion", (2.0, 0.0, 0.0, 0.0)), "quaternion"),
        (lambda w: setattr(w.bodies["palm"], "velocity", "fast"), "velocity"),
        (lambda w: w.step(-1), "count of steps: got -1"),
        (lambda w: w.step(2.7), "count of steps: got 2.7"),
        (lambda w: setattr(w, "timestep", "a"), "timestep: got 'a'"),
        (lambda w: setattr(w, "stiffness_scale", None), "stiffness_scale: got None"),
        (lambda w: setattr(w, "stiffness_scale", 1e9), "allowed: a finite number >= 0 and <= 1e+08"),
    ],
)
def test_bad_settings_are_refused_and_nothing_is_lost(change, words):
    world = World(generators.hand())
    world.step(5)
    before = world.snapshot()
    with pytest.raises(DefinitionError) as caught:
        change(world)
    assert words in str(caught.value)
    assert world.snapshot() == before


def test_a_particle_is_not_turned():
    body = World(Scene(bodies=[Particle(name="p", mass=1.0)])).bodies["p"]
    for what, change in (
        ("angular_velocity", lambda: setattr(body, "angular_velocity", (0, 0, 1))),
        ("quaternion", lambda: setattr(body, "quaternion", (1, 0, 0, 0))),
        ("applied_torque", lambda: setattr(body, "applied_torque", (0, 0, 1))),
        ("angular impulse", lambda: body.apply_impulse((0, 0, 1), (0, 0, 1))),
    ):
        with pytest.raises(DefinitionError, match=f"{what} of particle 'p': .*it has no orientation"):
            change()
    body.applied_torque = (0, 0, 0)  # as a program does that clears all loads
    body.apply_impulse((0, 0, 1))
    assert body.velocity == pytest.approx([0, 0, 1])


def test_a_world_is_made_of_a_scene():
    with pytest.raises(DefinitionError, match="scene: got 'NoneType'"):
        World(None)  # type: ignore[arg-type]


def test_stiffness_is_scaled_beside_couplings():
    bodies = [
        Body(name=name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0)) for name, x in (("a", 0), ("b", 1))
    ]
    joints = [Hinge(name=f"h{b.name}", a=None, b=b.name, at=b.position, axis=(0, 0, 1), stiffness=2.0) for b in bodies]
    gear = Coupling(name="c", terms={"ha": 1.0, "hb": -2.0})
    world = World(Scene(bodies=bodies, joints=joints, couplings=[gear], gravity=(0, 0, 0)))
    world.stiffness_scale = 3.0
    assert model_of(world).joint[
        [built_of(world).joint_row[k] for k in ("ha", "hb")], Joints.STIFFNESS
    ] == pytest.approx(6.0)


def test_snapshots_hold_how_columns_are_found():
    world = support.in_motion(support.ring_scene())
    world.columns = "plain"
    world.step(3)
    again = World(support.ring_scene())
    again.restore(world.snapshot())
    for each in (world, again):
        each.use_solver("fused")
        each.step(3)
    assert again.columns == "plain"
    assert again.state_hash() == world.state_hash()


def test_turning_one_body_leaves_the_turns_of_others_alone():
    """A hinge spring wound up by a whole turn, beside a free body that is set down anew."""
    wheel = Body(name="wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    other = Body(name="other", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(3.0, 0.0, 0.0))
    axle = Hinge(name="axle", a="world", b="wheel", at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), stiffness=0.5)
    world = World(Scene(bodies=[wheel, other], joints=[axle], gravity=(0.0, 0.0, 0.0)))
    world.bodies["wheel"].angular_velocity = (0.0, 0.0, 20.0)
    while world.joints["axle"].angle < 2.0 * math.pi:
        world.step()
    wound, elastic = world.joints["axle"].angle, world.energy().elastic
    world.bodies["other"].quaternion = (0.0, 1.0, 0.0, 0.0)
    assert world.joints["axle"].angle == wound > 6.2
    assert world.energy().elastic == pytest.approx(elastic, rel=1e-12)


def test_soft_limits_of_each_axis():
    """A universal joint held half a radian beyond the limit of one axis after the other: each pushes with its own."""
    axes = {"axis": (1.0, 0.0, 0.0), "axis2": (0.0, 1.0, 0.0)}
    limits = SoftLimits(stiffness=(2.0, 7.0), lower=(-0.1, -0.1), upper=(0.1, 0.1))
    joint = Universal(name="u", a="world", b="b", at=(0.0, 0.0, 0.0), soft_limits=limits, **axes)
    for axis, stiffness in ((0, 2.0), (1, 7.0)):
        body = Body(name="b", mass=1.0, inertia=(0.5, 0.5, 0.5))
        world = World(Scene(bodies=[body], joints=[joint], gravity=(0.0, 0.0, 0.0)))
        turn = np.zeros(4)
        turn[0], turn[1 + axis] = math.cos(0.3), math.sin(0.3)
        world.bodies["b"].quaternion = turn
        assert world.joints["u"].angle[axis] == pytest.approx(0.6, rel=1e-12)
        assert world.accelerations()[0][3 + axis] == pytest.approx(-stiffness * 0.5 / 0.5, rel=1e-9)


def test_snapshots_of_other_figures_and_torn_ones_are_refused():
    world = World(generators.chain(5))
    before = world.snapshot()
    for bad in (
        World(generators.chain(5, mass=7.0)).snapshot(),
        World(generators.chain(5, length=0.2)).snapshot(),
        None,
    ):
        with pytest.raises(DefinitionError, match="snapshot"):
            world.restore(bad)
    torn = before.replace(b"stiffness_scale", b"stiffness_scalX")
    with pytest.raises(DefinitionError, match="snapshot"):
        world.restore(torn)
    assert world.snapshot() == before
