"""Springs between points and for rotations, as links without a constraint: forces, energy, oscillators, targets."""

import math

import numpy as np
import pytest

from physics.build.allocation import make_auxiliary
from physics.maths.rotations import matrix_of
from physics.data.model_tables import Bodies, Topology, TreePlace
from physics.data.step_tables import Control
from physics.definitions.motions import Moving
from physics.definitions.bodies import Body, Particle
from physics.definitions.checks import DefinitionError
from physics.definitions.scene import Scene
from physics.definitions.signals import Sinusoid
from physics.definitions.springs import Spring, TorsionSpring
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers import generators
from tests.helpers import figures
from tests.helpers.arrays import built_of, model_of, state_of, work_of

REST = {"gravity": (0.0, 0.0, 0.0)}


def two(spring, seed=0, world=False, **options):
    rng = np.random.default_rng(seed)
    bodies = [figures.random_body(rng, name, rng.uniform(-1, 1, 3)) for name in ("a", "b")]
    ends = (rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3))
    a = "world" if world else "a"
    return World(Scene(bodies=bodies, joints=[spring(a, ends)], **REST), **options)


def springs():
    return {
        "stretched": lambda a, ends: Spring(name="s", a=a, b="b", at=ends, stiffness=70.0, rest=0.3),
        "compressed": lambda a, ends: Spring(name="s", a=a, b="b", at=ends, stiffness=70.0, rest=3.0),
        "of no length": lambda a, ends: Spring(name="s", a=a, b="b", at=ends, stiffness=70.0, rest=0.0),
        "torsion": lambda a, ends: TorsionSpring(name="s", a=a, b="b", stiffness=5.0, rest=(0.5, -0.4, 0.9)),
    }


springs_made = springs()
every_spring = pytest.mark.parametrize("make", springs_made.values(), ids=springs_made)


@every_spring
@pytest.mark.parametrize("held", [False, True])
def test_force_is_minus_the_slope_of_the_energy(make, held):
    world = two(make, 3, held)
    acceleration = world.accelerations()
    h = 1e-5
    for name, k in (("a", 0), ("b", 1)):
        body = world.bodies[name]
        mass = np.eye(6) * body.mass
        row = built_of(world).body_row[name]
        from physics.maths.rotations import matrix_of, quaternion_product, rotation_quaternion

        r = matrix_of(state_of(world).pose[row, 3:])
        mass[3:, 3:] = r @ np.diag(model_of(world).body[row, Bodies.INERTIA : Bodies.INERTIA + 3]) @ r.T
        force = mass @ acceleration[k]
        for axis in range(6):
            energies = []
            place, turn = body.position, body.quaternion
            for d in (h, -h):
                step = np.zeros(3)
                step[axis % 3] = d
                if axis < 3:
                    body.position = place + step
                else:
                    body.quaternion = quaternion_product(rotation_quaternion(step), turn)
                energies.append(world.energy().elastic)
                body.position, body.quaternion = place, turn
            assert (energies[1] - energies[0]) / (2 * h) == pytest.approx(force[axis], abs=1e-6)
    assert np.abs(acceleration[0]).max() == 0.0 if held else np.abs(acceleration[0]).max() > 0.1


@every_spring
@pytest.mark.parametrize("solver", list(MODES))
def test_modes_agree_and_momentum_is_kept(make, solver):
    first, other = (two(make, 5, solver=mode) for mode in ("fused", solver))
    for world in (first, other):
        world.joints["s"].damping = 0.7
        world.bodies["a"].angular_velocity = (1.0, 2.0, -1.0)
        before = world.momentum()
        world.step(50)
        after = world.momentum()
        assert after.linear == pytest.approx(before.linear, abs=1e-11)
        assert after.angular == pytest.approx(before.angular, abs=1e-4)
    assert other.bodies["b"].position == pytest.approx(first.bodies["b"].position, abs=1e-9)
    assert other.joints["s"].force == pytest.approx(first.joints["s"].force, abs=1e-8)
    assert other.joints["s"].torque == pytest.approx(first.joints["s"].torque, abs=1e-8)


@pytest.mark.parametrize(
    ("integrator", "tolerance"),
    [("implicit", 0.05), ("explicit", 0.05), ("trbdf2", 3e-4), ("rattle", 3e-4), ("rk4", 1e-8), ("rattle4", 1e-7)],
)
def test_oscillator(integrator, tolerance):
    """Two point masses on a spring: w^2 = k (1/m1 + 1/m2)"""
    bodies = [Particle(name="a", mass=2.0), Particle(name="b", mass=3.0, position=(1.2, 0.0, 0.0))]
    tie = Spring(name="s", a="a", b="b", at=((0.0, 0.0, 0.0), (1.2, 0.0, 0.0)), stiffness=30.0, rest=1.0)
    world = World(Scene(bodies=bodies, joints=[tie], timestep=1e-3, **REST), integrator=integrator)
    w = math.sqrt(30.0 * (1 / 2 + 1 / 3))
    world.step(1500)
    length = np.linalg.norm(world.bodies["b"].position - world.bodies["a"].position)
    assert world.joints["s"].angle == pytest.approx(length, abs=1e-12)
    assert length == pytest.approx(1.0 + 0.2 * math.cos(1.5 * w), abs=0.2 * tolerance)


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rk4"])
def test_a_damped_oscillator_decays(integrator):
    m, k, c = 2.0, 50.0, 3.0
    wheel = Body(name="b", mass=m, inertia=(0.4, 0.4, 0.4))
    tie = TorsionSpring(name="t", a="world", b="b", stiffness=20.0, damping=1.2, rest=(0.0, 0.0, 1.0))
    pull = Spring(name="s", a="world", b="b", at=((0, 0, 0), (0, 0, 0)), stiffness=k, damping=c, rest=0.0)
    world = World(Scene(bodies=[wheel], joints=[tie, pull], timestep=1e-3, **REST), integrator=integrator)
    world.bodies["b"].position = (0.3, 0.0, 0.0)
    world.step(1000)

    def decay(start, m, k, c):
        d = c / (2 * m)
        w = math.sqrt(k / m - d * d)
        return start * math.exp(-d) * (math.cos(w) + d / w * math.sin(w))

    tolerance = 3e-3 if integrator == "implicit" else 1e-5
    assert world.bodies["b"].position[0] == pytest.approx(decay(0.3, m, k, c), abs=tolerance)
    assert world.joints["t"].angle[2] == pytest.approx(decay(-1.0, 0.4, 20.0, 1.2), abs=3 * tolerance)


def test_a_rubber_band_is_slack():
    ball = Particle(name="p", mass=1.0, position=(0.0, 0.0, -0.5))
    band = Spring(
        name="s", a="world", b="p", at=((0, 0, 0), (0, 0, -0.5)), stiffness=100.0, rest=1.0, tension_only=True
    )
    world = World(Scene(bodies=[ball], joints=[band], timestep=1e-3))
    world.step(250)
    assert world.bodies["p"].position[2] == pytest.approx(-0.5 - 0.5 * 9.81 * 0.0625, abs=1e-5)
    assert world.joints["s"].force.tolist() == [0.0, 0.0, 0.0]
    world.step(200)
    assert world.joints["s"].force[2] == pytest.approx(100.0 * (world.joints["s"].angle - 1.0), abs=2.0)


def test_every_bone_of_the_hand_on_a_stiff_moving_target():
    """1e5 N/m and 100 N m/rad on each of the sixteen bones, 1/60 s: stable, and near the targets."""
    hand = generators.hand()
    bodies, joints = list(hand.bodies), list(hand.joints)
    for b in hand.bodies:
        place = np.array(b.position)
        bodies.append(
            Moving(name=f"to {b.name}", position=(*place[:2], Sinusoid(place[2], 0.01, 0.5)), orientation=b.orientation)
        )
        at = (place, place)
        joints.append(Spring(name=f"pull {b.name}", a=f"to {b.name}", b=b.name, at=at, stiffness=1e5, damping=50.0))
        joints.append(TorsionSpring(name=f"turn {b.name}", a=f"to {b.name}", b=b.name, stiffness=100.0, damping=0.1))
    held = [j for j in joints if "world" not in (j.a, j.b)]
    world = World(Scene(bodies=bodies, joints=held, timestep=1 / 60))
    error = 0.0
    for _ in range(120):
        world.step()
        for b in hand.bodies:
            error = max(
                error, float(np.linalg.norm(world.bodies[b.name].position - world.bodies[f"to {b.name}"].position))
            )
    assert len(hand.bodies) == 16
    assert world.redone == 0
    assert error < 1e-4


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Spring(name="s", a="a", b="b", stiffness=-1.0), "stiffness of spring joint 's'"),
        (lambda: Spring(name="s", a="a", b="b", rest=-1.0), "rest of spring joint 's': .* a length >= 0 m"),
        (lambda: Spring(name="s", a="a", b="b", armature=1.0), "armature of spring joint 's'"),
        (lambda: TorsionSpring(name="s", a="p", b="world"), None),
    ],
)
def test_bad_input_is_refused(make, words):
    if words is None:
        scene = {"bodies": [Particle(name="p", mass=1.0)], "joints": [make()]}
        with pytest.raises(DefinitionError, match="a rigid body"):
            Scene(**scene)
    else:
        with pytest.raises(DefinitionError, match=words):
            make()


def test_snapshots_hold_springs():
    worlds = [two(springs()["stretched"], 7) for _ in range(2)]
    worlds[0].joints["s"].stiffness = 200.0
    worlds[0].step(20)
    worlds[1].restore(worlds[0].snapshot())
    for world in worlds:
        world.step(20)
    assert worlds[0].state_hash() == worlds[1].state_hash()


# ---------------------------------------------------------------- springs to what no force moves
@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
@pytest.mark.parametrize("mode", ["fused", "aba"])
def test_springs_to_the_world_cost_no_row(mode, integrator):
    """Stiff springs of every kind from the bodies of a tree to the world: no row of the anticipation, and the motion
    is that with the world as a body of 1e9 kg, whose springs are rows. Their forces are the same too."""
    scene = figures.random_tree(3, 4, kinds=("ball", "hinge"), held=True)
    heavy = Body(name="wall", mass=1e9, inertia=(1e9, 1e9, 1e9))
    worlds = []
    for wall in ("world", "wall"):
        rng = np.random.default_rng(1)
        ties = []
        for k in range(12):
            there = rng.uniform(-1, 1, 3)
            gains = {"stiffness": 3e3, "damping": 5.0}
            here = there + 0.2 * rng.normal(size=3)
            if k % 3 == 2:
                ties.append(TorsionSpring(name=f"s{k}", a=wall, b=f"b{k % 4}", rest=0.3 * rng.normal(size=3), **gains))
            else:
                rest = 0.0 if k % 3 else 0.3
                ties.append(Spring(name=f"s{k}", a=wall, b=f"b{k % 4}", at=(here, there), rest=rest, **gains))
        bodies = [*scene.bodies, *([heavy] if wall == "wall" else [])]
        world = World(Scene(bodies=bodies, joints=[*scene.joints, *ties], **REST), integrator=integrator, solver=mode)
        world.step(10)
        worlds.append(world)
    assert work_of(worlds[0]).control[Control.ROW_COUNT] == 0
    assert work_of(worlds[1]).control[Control.ROW_COUNT] > 12
    for body in scene.bodies:
        assert worlds[0].bodies[body.name].position == pytest.approx(worlds[1].bodies[body.name].position, abs=1e-6)
    for k in range(12):
        a, b = (w.joints[f"s{k}"] for w in worlds)
        assert a.force == pytest.approx(b.force, abs=1e-3 * (1.0 + np.linalg.norm(b.force)))
        assert a.torque == pytest.approx(b.torque, abs=1e-3 * (1.0 + np.linalg.norm(b.torque)))


# ---------------------------------------------------------------- springs across joints
AXES = ("ball", "hinge", "universal", "slider", "cylindrical", "planar", "hip")


def sprung_tree(kinds, mode, integrator, as_rows):
    """A tree with two springs across each joint, of all kinds and both ways round"""
    scene = figures.random_tree(4, 5, kinds=kinds, held=True)
    rng = np.random.default_rng(6)
    ties = []
    for k, joint in enumerate(j for j in (*scene.joints, *scene.joints) if "world" not in (j.a, j.b)):
        ends = (joint.b, joint.a) if k % 2 else (joint.a, joint.b)
        gains = {"a": ends[0], "b": ends[1], "stiffness": 100.0, "damping": 1.0}
        if k % 3 == 2:
            ties.append(TorsionSpring(name=f"s{k}", rest=0.2 * rng.normal(size=3), **gains))
        else:
            at = rng.uniform(-1, 1, (2, 3))
            ties.append(Spring(name=f"s{k}", at=at, rest=0.3 if k % 3 else 0.0, **gains))
    whole = Scene(bodies=scene.bodies, joints=[*scene.joints, *ties], timestep=2e-4)
    world = World(whole, solver=mode, integrator=integrator)
    if as_rows:
        model = model_of(world)
        model.links[:, Topology.TREE_EDGE] = TreePlace.NO_PLACE
        room = make_auxiliary(model, 6, 0, 0)
        world.engine.work = work_of(world)._replace(auxiliary=room)
        world.engine.note_what_is_used()
    return world, len(ties)


@pytest.mark.parametrize(("mode", "kinds"), [*(("fused", (kind,)) for kind in AXES), *((mode, AXES) for mode in MODES)])
@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
def test_springs_across_joints_cost_no_row(mode, kinds, integrator):
    """In the joint's coordinates they do what they do as rows, and the joint's wrench is without theirs."""
    rows, count = sprung_tree(kinds, "fused", integrator, True)
    tree, _ = sprung_tree(kinds, mode, integrator, False)
    for world in (rows, tree):
        world.step(3)
        assert world.redone == 0
    assert work_of(rows).control[Control.ROW_COUNT] >= count
    assert work_of(tree).control[Control.ROW_COUNT] == 0
    assert state_of(tree).velocity == pytest.approx(state_of(rows).velocity, abs=1e-8)
    for name in rows.joints:
        a, b = rows.joints[name], tree.joints[name]
        assert b.force == pytest.approx(a.force, abs=1e-5)
        assert b.torque == pytest.approx(a.torque, abs=1e-5)


def test_a_chain_with_a_spring_across_every_joint_has_no_matrix():
    """Neither room nor time grow but with the links: an empty matrix, one factor and one solve a request."""
    links = 300
    chain = generators.chain(links=links)
    pairs = [j for j in chain.joints if "world" not in (j.a, j.b)]
    ties = [Spring(name=f"s{k}", a=j.a, b=j.b, stiffness=1e4, damping=1.0) for k, j in enumerate(pairs)]
    scene = Scene(bodies=chain.bodies, joints=[*chain.joints, *ties], gravity=(0.0, -9.81, 0.0), timestep=1 / 240)
    world = World(scene, integrator="implicit")
    world.step(3)
    assert len(ties) == links - 1
    assert work_of(world).auxiliary.matrix.shape == (1, 1)
    assert work_of(world).control[Control.FACTORS] == 3
    assert world.redone == 0


# ---------------------------------------------------------------- springs of no length
def test_a_damper_without_a_line_is_seen_from_its_a():
    """F = -k d - c (d' - w_a x d) on b and -F on a, both at b's end"""
    world = two(springs()["of no length"], 8)
    world.joints["s"].damping = 4.0
    rng = np.random.default_rng(2)
    a, b = world.bodies["a"], world.bodies["b"]
    ends = []
    for body, anchor in ((a, world.joints["s"].definition.points[0]), (b, world.joints["s"].definition.points[1])):
        body.velocity, body.angular_velocity = rng.normal(size=(2, 3))
        ends.append((np.array(anchor), body.velocity + np.cross(body.angular_velocity, anchor - body.position)))
    d, rate = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
    force = -70.0 * d - 4.0 * (rate - np.cross(a.angular_velocity, d))
    accelerations = world.accelerations()
    for body, k, sign in ((a, 0, -1.0), (b, 1, 1.0)):
        assert body.mass * accelerations[k, :3] == pytest.approx(sign * force, abs=1e-9)
        row = built_of(world).body_row[body.name]
        turn = matrix_of(state_of(world).pose[row, 3:])
        inertia = turn @ np.diag(model_of(world).body[row, Bodies.INERTIA : Bodies.INERTIA + 3]) @ turn.T
        torque = np.cross(ends[1][0] - body.position, sign * force)
        spin = body.angular_velocity
        assert inertia @ accelerations[k, 3:] + np.cross(spin, inertia @ spin) == pytest.approx(torque, abs=1e-9)


def test_two_particles_are_damped_along_their_line():
    bodies = [Particle(name="a", mass=1.0), Particle(name="b", mass=2.0, position=(3.0, 0.0, 4.0))]
    at = ((0.0, 0.0, 0.0), (3.0, 0.0, 4.0))
    tie = Spring(name="s", a="a", b="b", at=at, stiffness=10.0, damping=5.0, rest=0.0)
    for mode in MODES:
        world = World(Scene(bodies=bodies, joints=[tie], **REST), solver=mode)
        world.bodies["b"].velocity = (1.0, 2.0, 0.0)
        # u = (0.6, 0, 0.8), u . d' = 0.6: F = -10 (3, 0, 4) - 5 * 0.6 u
        force = np.array([-31.8, 0.0, -42.4])
        accelerations = world.accelerations()
        assert accelerations[0, :3] == pytest.approx(-force, abs=1e-10)
        assert accelerations[1, :3] == pytest.approx(0.5 * force, abs=1e-10)


def test_a_spring_of_no_length_between_turning_bodies_keeps_the_order():
    places = []
    for steps in (50, 100, 200):
        world = two(springs()["of no length"], 1, integrator="trbdf2")
        world.timestep = 0.2 / steps
        world.joints["s"].damping = 1.0
        world.bodies["a"].angular_velocity = (1.0, 2.0, -1.0)
        world.step(steps)
        places.append(state_of(world).pose.copy())
    order = math.log2(np.abs(places[0] - places[1]).max() / np.abs(places[1] - places[2]).max())
    assert order == pytest.approx(2.0, abs=0.1)
