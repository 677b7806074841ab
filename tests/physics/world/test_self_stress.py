"""Joints that hold a body more often than needed share what they carry: of all forces that do the same, those read are
the least. Expected values are those of statics, or of a least-norm solution made here from the joints' definitions and
the accelerations alone."""

import math
from dataclasses import replace

import numpy as np
import pytest

import scenes
from physics.definitions.bodies import Body, Particle, PlanarBody, inertia_matrix
from physics.maths.rotations import matrix_of
from physics.data.state_tables import Memory
from physics.definitions.motions import HingeMotor
from physics.definitions.functions import Condition, Function
from physics.definitions.couplings import Coupling
from physics.definitions.joints import Ball, Distance, Hinge, Slider, Universal, Weld
from physics.definitions.scene import Scene
from physics import Box
from physics.solvers.modes import MODES
from physics.world.self_stress import BEARING
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.linkages import four_bar, rod
from tests.helpers.newton_euler import residuals
from tests.helpers.arrays import built_of, state_of

G = 9.81
INTEGRATORS = ("trbdf2", "implicit", "hernandez", "explicit", "rattle", "rattle4", "rk4")
NEAR = 1e-9  # two joints of a kind at one place are refused
MASS, WIDTH, HEIGHT, LOW, HIGH = 20.0, 0.9, 2.0, 0.2, 1.8  # of the door, and where its hinges are


def box(name, sides, mass, at):
    x, y, z = (s * s for s in sides)
    return Body(name=name, mass=mass, inertia=mass / 12 * np.array([y + z, x + z, x + y]), position=at)


def door(outside=None, **more):
    """On two hinges about z; `outside` is kept out of the forest."""
    leaf = box("door", (WIDTH, 0.04, HEIGHT), MASS, (WIDTH / 2, 0, HEIGHT / 2))
    hinges = [
        Hinge(name=name, a="world", b="door", at=(0, 0, z), axis=(0, 0, 1), auxiliary=name == outside)
        for name, z in (("upper", HIGH), ("lower", LOW))
    ]
    return Scene(bodies=[leaf], joints=hinges, **more)


def reach(bodies):
    """The mean radius of gyration"""
    return float(np.mean([math.sqrt(np.mean(b.inertia) / b.mass) for b in bodies]))


def halves(moment):
    """Of a moment that two hinges hold, half of their distance from the middle: the force f of each, sideways, and its
    moment m, by 2 a f + 2 m = moment and the least f^2 + m^2 / r^2: m / f = r^2 / a."""
    a = (HIGH - LOW) / 2
    r = BEARING * reach(door().bodies)
    return moment / 2 * a / (a * a + r * r), moment / 2 * r * r / (a * a + r * r)


def check_door(world, rel=1e-9):
    """Half the weight on each hinge, and a couple of horizontal forces; of moments hardly any."""
    force, moment = halves(MASS * G * WIDTH / 2)
    assert force == pytest.approx(MASS * G * WIDTH / 2 / (HIGH - LOW), rel=1e-4)
    size = MASS * G
    for name, side in (("upper", -1.0), ("lower", 1.0)):
        joint = world.joints[name]
        assert joint.force == pytest.approx([side * force, 0, size / 2], abs=rel * size)
        assert joint.torque == pytest.approx([0, -moment, 0], abs=rel * size)


@pytest.mark.parametrize("solver", list(MODES))
@pytest.mark.parametrize("outside", [None, "upper", "lower"])
def test_a_door_hangs_on_both_of_its_hinges(outside, solver):
    world = World(door(outside), solver=solver)
    world.accelerations()
    check_door(world)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_door_hangs_on_both_after_steps(integrator):
    world = World(door(), integrator=integrator)
    world.step(12)
    check_door(world)


@pytest.mark.parametrize("solver", list(MODES))
def test_a_swinging_door_pulls_at_both_hinges_alike(solver):
    """The pull towards the axle of a turning door, m w^2 b, in two halves beside what carries it."""
    world = World(door(), solver=solver, integrator="rattle")
    speed = 2.0
    world.bodies["door"].angular_velocity = (0, 0, speed)
    world.bodies["door"].velocity = (0, speed * WIDTH / 2, 0)
    for steps in (0, 100):
        world.step(steps)
        accelerations = world.accelerations()
        left, size = residuals(world, accelerations)
        assert np.abs(left).max() < 1e-10 * size
        out = world.bodies["door"].position - (0, 0, HEIGHT / 2)
        out /= np.linalg.norm(out)
        couple, _ = halves(MASS * G * WIDTH / 2)
        for name, side in (("upper", -1.0), ("lower", 1.0)):
            pull = side * couple - MASS * speed**2 * WIDTH / 4
            expected = pull * out + (0, 0, MASS * G / 2)
            assert world.joints[name].force == pytest.approx(expected, abs=1e-6 * MASS * G)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_forces_of_steps_are_shared_in_motion(integrator):
    """As above, of steps: to the first order of what a step turns."""
    world = World(door(), integrator=integrator)
    speed = 2.0
    world.bodies["door"].angular_velocity = (0, 0, speed)
    world.bodies["door"].velocity = (0, speed * WIDTH / 2, 0)
    world.step(60)
    upper, lower = world.joints["upper"].force, world.joints["lower"].force
    assert upper[2] == pytest.approx(MASS * G / 2, rel=1e-6)
    assert lower[2] == pytest.approx(MASS * G / 2, rel=1e-6)
    turned = world.bodies["door"].angular_velocity[2] * world.timestep
    couple = MASS * G * WIDTH / 2 / (HIGH - LOW)
    assert np.linalg.norm(lower[:2] - upper[:2]) == pytest.approx(2 * couple, rel=turned)
    assert np.linalg.norm(lower[:2] + upper[:2]) == pytest.approx(MASS * speed**2 * WIDTH / 2, rel=turned)


def test_a_door_of_a_scene(tmp_path):
    """As scenes/REFERENCE.md promises of it"""
    file = tmp_path / "door.yaml"
    file.write_text(
        "marionette: 1\n"
        "bodies: {door: {shape: {box: {size: [0.9, 0.04, 2], at: [0.45, 0, 1]}}, mass: 20}}\n"
        "joints:\n"
        "  upper: {hinge: [world, door], at: [0, 0, 1.8], axis: z}\n"
        "  lower: {hinge: [world, door], at: [0, 0, 0.2], axis: z}\n"
    )
    world = scenes.load(str(file))
    world.step(5)
    check_door(world)


def test_reading_changes_no_bit_of_the_motion():
    hashes = []
    for reads in (False, True):
        world = World(four_bar(), integrator="implicit")
        for _ in range(5):
            world.step(6)
            if reads:
                assert np.isfinite([j.force for j in world.joints.values()]).all()
        hashes.append(world.state_hash())
    assert hashes[0] == hashes[1]


def test_a_snapshot_says_the_same_forces():
    world = World(door(), integrator="trbdf2")
    world.bodies["door"].angular_velocity = (0, 0, 1.0)
    world.bodies["door"].velocity = (0, WIDTH / 2, 0)
    world.step(20)
    again = World(door())
    again.restore(world.snapshot())
    for name, joint in world.joints.items():
        assert np.array_equal(joint.force, again.joints[name].force)
        assert np.array_equal(joint.torque, again.joints[name].torque)


# ---------------------------------------------------------------- several legs, beams
@pytest.mark.parametrize("solver", list(MODES))
def test_a_table_stands_on_four_pins(solver):
    """With a load off its middle: the pushes are linear in the place of a leg, N = W (1 + x X / x^2 + y Y / y^2) / 4,
    and nothing is pushed sideways."""
    top = box("top", (1.2, 0.8, 0.05), 30.0, (0, 0, 0.7))
    feet = [(x, y, 0.0) for x in (-0.5, 0.5) for y in (-0.3, 0.3)]
    pins = [Ball(name=f"pin{k}", a="world", b="top", at=foot) for k, foot in enumerate(feet)]
    world = World(Scene(bodies=[top], joints=pins), solver=solver)
    load, place = 100.0, np.array([0.2, -0.1])
    world.bodies["top"].applied_force = (0, 0, -load)
    world.bodies["top"].applied_torque = (-load * place[1], load * place[0], 0)
    world.accelerations()
    for k, (x, y, _) in enumerate(feet):
        push = 30.0 * G / 4 + load / 4 * (1 + x * place[0] / 0.25 + y * place[1] / 0.09)
        assert world.joints[f"pin{k}"].force == pytest.approx([0, 0, push], abs=1e-8)
        assert world.joints[f"pin{k}"].torque == pytest.approx([0, 0, 0], abs=1e-8)


@pytest.mark.parametrize("solver", list(MODES))
def test_two_welds_share_a_beam(solver):
    beam = box("beam", (2.0, 0.1, 0.1), 10.0, (0, 0, 0))
    welds = [Weld(name=name, a="world", b="beam", at=(x, 0, 0)) for name, x in (("left", -1.0), ("right", 1.0))]
    world = World(Scene(bodies=[beam], joints=welds), solver=solver)
    world.step(5)
    for joint in world.joints.values():
        assert joint.force == pytest.approx([0, 0, 5 * G], abs=1e-9)
        assert joint.torque == pytest.approx([0, 0, 0], abs=1e-6)


def test_joints_at_one_place_carry_half_each_and_moments_too():
    beam = box("beam", (2.0, 0.1, 0.1), 10.0, (1.0, 0, 0))
    welds = [Weld(name=name, a="world", b="beam", at=(0, y, 0)) for name, y in (("one", 0.0), ("two", NEAR))]
    world = World(Scene(bodies=[beam], joints=welds))
    world.accelerations()
    for joint in world.joints.values():
        assert joint.force == pytest.approx([0, 0, 5 * G], abs=1e-6)
        assert joint.torque == pytest.approx([0, -5 * G, 0], abs=1e-6)


@pytest.mark.parametrize("solver", list(MODES))
def test_a_planar_loop_in_space_carries_nothing_across(solver):
    """Its plane is one of symmetry: hinges in space carry what those of a planar mechanism do, and no more."""
    world = World(four_bar(), solver=solver)
    world.step(30)
    world.accelerations()
    # without redundant rows: two hinges of the four become balls, one of them free along the axis
    scene = four_bar()
    kinds = {j.name: j for j in scene.joints}
    kinds["A"] = Ball(name="A", a=kinds["A"].a, b=kinds["A"].b, at=kinds["A"].points[0])
    single = World(replace_joints(scene, kinds))
    for name, body in world.bodies.items():
        other = single.bodies[name]
        other.position, other.quaternion = body.position, body.quaternion
        other.velocity, other.angular_velocity = body.velocity, body.angular_velocity
    single.accelerations()
    for name, joint in world.joints.items():
        force = joint.force
        assert force[[0, 2]] == pytest.approx(single.joints[name].force[[0, 2]], abs=1e-6)
        assert abs(force[1]) < 1e-8
        assert np.abs(joint.torque).max() < 1e-8


def replace_joints(scene, joints):
    return Scene(bodies=scene.bodies, joints=list(joints.values()))


# ---------------------------------------------------------------- any of them, beside a solution made here
def doubled(scene):
    """Every hinge and every weld twice, the copy at another place where it repeats the first."""
    rng = np.random.default_rng(5)
    copies = []
    for joint in scene.joints:
        at = np.array(joint.points[0])
        if isinstance(joint, Hinge):
            at = at + rng.uniform(-0.2, 0.2) * np.array(joint.axis)
        elif isinstance(joint, Weld):
            at = at + rng.uniform(-0.2, 0.2, 3)
        else:
            continue
        copies.append(replace(joint, name=f"{joint.name} again", at=tuple(at)))
    return Scene(bodies=scene.bodies, joints=[*scene.joints, *copies])


def carried(joint, turn):
    """A basis of the wrenches of a joint; `turn` is how far its b has turned since it was drawn."""
    if isinstance(joint, Ball):
        return np.eye(6)[:3]
    if isinstance(joint, Weld):
        return np.eye(6)
    assert isinstance(joint, Hinge)
    axis = turn @ np.array(joint.axis)
    moments = np.linalg.svd(axis[None, :])[2][1:]
    return np.concatenate([np.eye(6)[:3], np.pad(moments, ((0, 0), (3, 0)))])


def least_wrenches(world, accelerations):
    """Of all wrenches with which the bodies have these accelerations those of the least sum of F^2 + M^2 / r^2."""
    bodies = built_of(world).scene.bodies
    row = {b.name: k for k, b in enumerate(bodies)}
    load = np.zeros((len(bodies), 6))
    for k, (definition, body) in enumerate(zip(bodies, world.bodies.values(), strict=True)):
        r = matrix_of(body.quaternion)
        inertia = r @ inertia_matrix(definition.inertia) @ r.T
        w = body.angular_velocity
        load[k, :3] = body.mass * (accelerations[k, :3] - world.gravity)
        load[k, 3:] = inertia @ accelerations[k, 3:] + np.cross(w, inertia @ w)
    twice = [j.definition for j in world.joints.values() if f"{j.name} again" in world.joints]
    tied = {end for joint in twice for end in (joint.a, joint.b)}
    size = np.array([1.0] * 3 + [1.0 / (BEARING * reach([b for b in bodies if b.name in tied]))] * 3)
    columns, wrenches = [], []
    for joint in world.joints.values():
        drawn = next(b for b in bodies if b.name == joint.definition.b)
        turn = matrix_of(world.bodies[drawn.name].quaternion) @ matrix_of(drawn.orientation).T
        for unit in carried(joint.definition, turn):
            column = np.zeros((len(bodies), 6))
            for name, sign in ((joint.definition.b, 1.0), (joint.definition.a, -1.0)):
                if name != "world":
                    lever = joint.anchor - world.bodies[name].position
                    column[row[name], :3] += sign * unit[:3]
                    column[row[name], 3:] += sign * (unit[3:] + np.cross(lever, unit[:3]))
            wrenches.append((joint.name, unit))
            columns.append(column.ravel() / np.linalg.norm(size * unit))
    found = np.linalg.lstsq(np.array(columns).T, load.ravel(), rcond=1e-9)[0]
    total = {name: np.zeros(6) for name in world.joints}
    for (name, unit), x in zip(wrenches, found, strict=True):
        total[name] += x / np.linalg.norm(size * unit) * unit
    return total


@pytest.mark.parametrize("solver", list(MODES))
@pytest.mark.parametrize("seed", range(3))
def test_random_figures_share_as_the_least_solution_does(seed, solver):
    """Trees of hinges and welds that are doubled, and of balls, in motion."""
    scene = doubled(figures.random_tree(seed, 5, kinds=("ball", "hinge", "weld"), held=seed != 1))
    world = figures.in_motion(scene, seed, solver=solver)
    accelerations = world.accelerations()
    left, size = residuals(world, accelerations)
    assert np.abs(left).max() < 1e-9 * size
    expected = least_wrenches(world, accelerations)
    for name, joint in world.joints.items():
        assert joint.force == pytest.approx(expected[name][:3], abs=1e-7 * size)
        assert joint.torque == pytest.approx(expected[name][3:], abs=1e-7 * size)


def unshared(world):
    """The wrenches as the mode has found them, by joint, with their signs of b."""
    memory = state_of(world).memory[:, Memory.WRENCH : Memory.WRENCH + 6]
    built = built_of(world)
    return {k: memory[built.joint_row[k]] * (-1.0 if built.reversed[built.joint_row[k]] else 1.0) for k in world.joints}


def planar_door():
    """A door in its plane, on three pins and a guide, with a rigid hook on it"""
    leaf = PlanarBody(name="leaf", mass=2.0, inertia=0.3, normal=(0, 1, 0), position=(0.4, 0, 0))
    hook = box("hook", (0.2, 0.2, 0.2), 0.5, (0.8, 0, 0.1))
    joints = [Hinge(name=f"h{k}", a="world", b="leaf", at=(x, 0, z), axis=(0, 1, 0)) for k, (x, z) in enumerate(PINS)]
    joints += [Weld(name=f"w{k}", a="leaf", b="hook", at=(0.7, 0, 0.1 * k)) for k in range(2)]
    return Scene(bodies=[leaf, hook], joints=joints)


PINS = ((0.0, 0.0), (0.5, 0.3), (0.8, -0.2))


def hung_particle():
    """A particle on four rods that come from a body, which two welds hold"""
    base = box("base", (0.4, 0.4, 0.1), 3.0, (0, 0, 1))
    joints = [Weld(name=f"w{k}", a="world", b="base", at=(0.1 * k, 0, 1)) for k in range(2)]
    corners = [(x, y, 1.0) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    joints += [Distance(name=f"rod{k}", a="base", b="p", at=(c, (0, 0, 0.5))) for k, c in enumerate(corners)]
    return Scene(bodies=[base, Particle(name="p", mass=1.0, position=(0, 0, 0.5))], joints=joints)


@pytest.mark.parametrize("solver", ["fused", "lagrange", "dense", "cg"])
@pytest.mark.parametrize("make", [planar_door, hung_particle])
def test_other_bodies_keep_their_equilibrium(make, solver):
    """What sharing adds is nothing to any body, in the directions in which it can move."""
    world = World(make(), solver=solver)
    world.accelerations()
    before = unshared(world)
    sums = {name: np.zeros(6) for name in world.bodies}
    most = 0.0
    for name, joint in world.joints.items():
        more = np.concatenate([joint.force, joint.torque]) - before[name]
        most = max(most, np.abs(more).max())
        for body, sign in ((joint.definition.b, 1.0), (joint.definition.a, -1.0)):
            if body != "world":
                lever = joint.anchor - world.bodies[body].position
                sums[body] += sign * np.concatenate([more[:3], more[3:] + np.cross(lever, more[:3])])
    assert most > 0.1
    moving = {"leaf": [0, 2, 4], "p": [0, 1, 2]}
    for name, total in sums.items():
        assert np.abs(total[moving.get(name, list(range(6)))]).max() < 1e-9
    if make is hung_particle:
        for k in range(4):
            # each rod a quarter of the weight, at their slope
            force = world.joints[f"rod{k}"].force
            assert np.linalg.norm(force) == pytest.approx(G / 4 * math.hypot(0.5, math.hypot(0.2, 0.2)) / 0.5, rel=1e-9)


@pytest.mark.parametrize("solver", ["fused", "lagrange", "dense", "cg"])
def test_the_plane_of_a_planar_body_is_a_support(solver):
    """A block between a wall and a board that moves in a plane only, welded to both and pushed across: half each"""
    board = PlanarBody(name="board", mass=2.0, inertia=0.3, normal=(0, 1, 0), position=(1.0, 0, 0))
    block = box("block", (0.2, 0.2, 0.2), 0.5, (0, 0, 0))
    joints = [
        Weld(name=name, a=a, b="block", at=(x, 0, 0)) for name, a, x in (("w", "world", -0.1), ("b", "board", 0.1))
    ]
    world = World(Scene(bodies=[board, block], joints=joints, gravity=(0, 0, 0)), solver=solver)
    world.bodies["block"].applied_force = (0, 7.0, 0)
    world.accelerations()
    for joint in world.joints.values():
        assert joint.force == pytest.approx([0, -3.5, 0], abs=1e-9)
        assert joint.torque == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_coupling_shares_with_a_weld():
    """What holds a bar level about its hinge: the coupling's moment and the weld's"""
    bar = box("bar", (1.0, 0.1, 0.1), 1.0, (0.5, 0, 0))
    joints = [Hinge(name="h", a="world", b="bar", at=(0, 0, 0), axis=(0, 1, 0))]
    joints.append(Weld(name="w", a="world", b="bar", at=(0, NEAR, 0)))
    coupling = Coupling(name="c", terms={"h": 1.0})
    world = World(Scene(bodies=[bar], joints=joints, couplings=[coupling]))
    world.accelerations()
    moments = [world.joints["w"].torque[1], world.joints["h"].torque[1], world.couplings["c"].multiplier]
    assert sum(moments) == pytest.approx(-0.5 * G, rel=1e-6)
    assert moments == pytest.approx([-0.25 * G, 0.0, -0.25 * G], rel=1e-6, abs=1e-9)


def test_what_is_nearly_straight_is_no_self_stress():
    """Two bars that sag a little between two hooks: H = w / (2 tan a), which no other force can take the place of."""
    sag, weight = 1e-2, 2.0 * G
    ends = [(-math.cos(sag), 0, 0), (0, 0, -math.sin(sag)), (math.cos(sag), 0, 0)]
    bars = [rod(name, a, b, 2.0) for name, a, b in (("left", ends[0], ends[1]), ("right", ends[1], ends[2]))]
    ties = (("l", "world", "left"), ("m", "left", "right"), ("r", "world", "right"))
    joints = [Ball(name=name, a=a, b=b, at=at) for (name, a, b), at in zip(ties, ends, strict=True)]
    world = World(Scene(bodies=bars, joints=joints))
    world.accelerations()
    pull = weight / (2.0 * math.tan(sag))
    assert world.joints["l"].force == pytest.approx([-pull, 0, weight], rel=1e-9, abs=1e-6)
    assert world.joints["r"].force == pytest.approx([pull, 0, weight], rel=1e-9, abs=1e-6)


def test_numbers_of_couplings_functions_and_motors_are_shared_too():
    """Each doubled: half each"""
    bars = [box(f"bar{k}", (1.0, 0.1, 0.1), 1.0 + k, (0.5, 2.0 * k, 0)) for k in range(2)]
    hinges = [Hinge(name=f"h{k}", a="world", b=f"bar{k}", at=(0, 2.0 * k, 0), axis=(0, 1, 0)) for k in range(2)]
    couplings = [Coupling(name=name, terms={"h0": 1.0, "h1": 1.0}) for name in ("one", "two")]
    world = World(Scene(bodies=bars, joints=hinges, couplings=couplings[:1]))
    world.accelerations()
    whole = world.couplings["one"].multiplier
    assert abs(whole) > 0.1
    world = World(Scene(bodies=bars, joints=hinges, couplings=couplings))
    world.accelerations()
    for coupling in world.couplings.values():
        assert coupling.multiplier == pytest.approx(whole / 2, rel=1e-9)

    def level(x, r):
        return (x[0, 2] + x[1, 2],)

    conditions = [Condition(name=name, bodies=["bar0", "bar1"], function=level) for name in ("one", "two")]
    numbers = []
    for some in (conditions[:1], conditions):
        world = World(Scene(bodies=bars, joints=hinges, couplings=some))
        world.accelerations()
        numbers += [world.couplings[c.name].multipliers[0] for c in some]
    assert abs(numbers[0]) > 0.1
    assert numbers[1:] == pytest.approx([numbers[0] / 2] * 2, rel=1e-6)

    def height(xa, ra, xb, rb):
        return np.array([xb[2] - 0.0])

    held = [Function(name=name, a="world", b="bar0", function=height) for name in ("one", "two")]
    world = World(Scene(bodies=bars[:1], joints=held))
    world.accelerations()
    for k in ("one", "two"):
        assert world.joints[k].multipliers == pytest.approx([G / 2], rel=1e-6)

    motors = [
        HingeMotor(name=name, a="world", b="bar0", at=(0, y, 0), axis=(0, 1, 0), position=0.0)
        for name, y in (("one", -0.1), ("two", 0.1))
    ]
    world = World(Scene(bodies=bars[:1], joints=motors))
    world.accelerations()
    for k in ("one", "two"):
        assert world.joints[k].effort == pytest.approx(-0.5 * G / 2, rel=1e-9)


# ---------------------------------------------------------------- beside other things that pull
@pytest.mark.parametrize("method", ["newton", "anticipation"])
def test_a_door_that_something_leans_on(method):
    """A box on the door's upper edge slides nowhere: contacts are loads as any other."""
    scene = door()
    leaf = replace(scene.bodies[0], shapes=[Box(size=(WIDTH, 0.04, HEIGHT), friction=0.5)])
    weight = replace(
        box("weight", (0.1, 0.04, 0.1), 2.0, (0.6, 0, HEIGHT + 0.05)),
        shapes=[Box(size=(0.1, 0.04, 0.1), friction=0.5)],
    )
    world = World(Scene(bodies=[leaf, weight], joints=scene.joints), integrator="implicit")
    world.contact_method = method
    world.step(60)
    couple = (MASS * G * WIDTH / 2 + 2.0 * G * 0.6) / (HIGH - LOW)
    for name, side in (("upper", -1.0), ("lower", 1.0)):
        assert world.joints[name].force == pytest.approx([side * couple, 0, (MASS + 2.0) * G / 2], rel=1e-3, abs=0.05)


def test_pins_share_with_joints_and_with_each_other():
    world = World(door())
    world.pin("door", (WIDTH, 0, 1.0), name="latch")
    world.step(5)
    vertical = [world.joints["upper"].force[2], world.joints["lower"].force[2], world.pins["latch"].force[2]]
    assert sum(vertical) == pytest.approx(MASS * G, rel=1e-9)
    # v at the latch, h at each hinge, f their couple: 2 h + v = W, f (HIGH - LOW) + v WIDTH = W WIDTH / 2, and least of
    # all 2 f^2 + 2 h^2 + v^2: with f' = -WIDTH / (HIGH - LOW) and h' = -1/2 by v, 2 f f' + 2 h h' + v = 0
    change = WIDTH / (HIGH - LOW)
    weight = MASS * G
    latch = (weight / 2 + weight * change**2) / (1.5 + 2 * change**2)
    assert vertical == pytest.approx([(weight - latch) / 2, (weight - latch) / 2, latch], rel=1e-4)
    world.unpin("latch")
    world.step(5)
    check_door(world, rel=1e-4)


def test_sliders_and_universals_twice():
    """Two rails of one carriage, with the load between them; a universal joint told twice."""
    carriage = box("carriage", (1.0, 1.0, 0.1), 8.0, (0, 0, 0))
    rails = [
        Slider(name=f"rail{k}", a="world", b="carriage", at=(0, y, 0), axis=(1, 0, 0))
        for k, y in enumerate((-0.5, 0.5))
    ]
    world = World(Scene(bodies=[carriage], joints=rails))
    world.step(5)
    for rail in world.joints.values():
        assert rail.force == pytest.approx([0, 0, 4 * G], abs=1e-8)
    bob = box("bob", (0.2, 0.2, 1.0), 2.0, (0.1, 0, -0.5))
    cross = [
        Universal(name=n, a="world", b="bob", at=(x, 0, 0), axis=(1, 0, 0), axis2=(0, 1, 0))
        for n, x in (("one", 0.0), ("two", NEAR))
    ]
    world = World(Scene(bodies=[bob], joints=cross))
    world.accelerations()
    assert world.joints["one"].force == pytest.approx(world.joints["two"].force, abs=1e-6)
    assert world.joints["one"].torque == pytest.approx(world.joints["two"].torque, abs=1e-6)
