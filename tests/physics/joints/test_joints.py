"""Contracts of every joint and constraint kind, at random states: bent by a radian, moving, closed.

- error and Jacobian: d/dt of the error C along a motion is the slip J u, and the rows T with the levers give the same.
- motion subspace: N is orthogonal to the rows T, and together they span the six twists.
- bias: what the anchors' accelerations differ by beyond N q'' while the joint stays closed is b = -J' u.
- coordinates: their rates are the components of the twist along the motion axes.

Derivatives are central differences over a rigid motion, step 1e-5 s: their error is some 1e-9 at unit speeds.
"""

import numpy as np
import pytest

from physics.maths.rotations import matrix_of
from physics.data.model_tables import Joints, Topology
from physics.definitions.motions import HingeMotor, SliderMotor
from physics.definitions.bodies import Body, Particle
from physics.definitions.compound import Compound, Slide, Turn
from physics.definitions.joints import Ball, Cylindrical, Distance, Hinge, Planar, Screw, Slider, Universal, Weld
from physics.definitions.scene import Scene
from physics.joints.table import JOINTS
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.edge_probe import Edge, free_velocity, moved, tied_row
from tests.helpers.arrays import model_of, state_of

STEP = 1e-5
CLOSE = 2e-8

RELATIONS = [
    *figures.KINDS, *figures.SERIES, "hinge motor", "slider motor", "distance", "particle on a rod",
    "particle on a ball",
]  # fmt: skip


def pair_of(kind, seed, held=False, reverse=False, stiffness=0.0):
    """Two bodies (or the world and one) tied by one joint of `kind`."""
    rng = np.random.default_rng(seed)
    first = figures.random_body(rng, "a", rng.uniform(-1, 1, 3))
    place = rng.uniform(-1, 1, 3)
    at = rng.uniform(-0.5, 0.5, 3)
    a = "world" if held else "a"
    if kind.startswith("particle"):
        second = Particle(name="b", mass=1.3, position=place)
        ends = (rng.uniform(-1, 1, 3), place)
        tie = Distance(name="j", a=a, b="b", at=ends) if kind.endswith("rod") else Ball(name="j", a=a, b="b", at=place)
    else:
        second = figures.random_body(rng, "b", place)
        names = ("b", a) if reverse else (a, "b")
        if kind == "distance":
            ends = (rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3))
            tie = Distance(name="j", a=names[0], b=names[1], at=ends)
        elif kind.endswith("motor"):
            motor = HingeMotor if kind == "hinge motor" else SliderMotor
            tie = motor(name="j", a=names[0], b=names[1], at=at, axis=figures.random_unit(rng), position=0.7)
        else:
            tie = figures.random_joint(rng, kind, "j", *names, at, stiffness)
    return Scene(bodies=[second] if held else [first, second], joints=[tie], gravity=(0.0, 0.0, 0.0))


def random_state(kind, seed, held, reverse=False):
    """A world with that pair bent and moving, the joint closed in position and velocity."""
    return figures.in_motion(pair_of(kind, seed, held, reverse), seed, speed=2.0)


def cases():
    for kind in RELATIONS:
        for held in (False, True):
            yield pytest.param(kind, held, id=f"{kind}{' to the world' if held else ''}")


every_kind = pytest.mark.parametrize(("kind", "held"), list(cases()))
seeds = pytest.mark.parametrize("seed", range(4))


@every_kind
@seeds
def test_slip_is_the_rate_of_the_error(kind, held, seed):
    """T (dC/dt) = T (J u) at a closed joint. Along the motion axes, C is silent, and so must J u be."""
    world = random_state(kind, seed, held)
    pose = state_of(world).pose
    edge = Edge(world, pose)
    assert np.abs(edge.gap[edge.i]).max() < 1e-11
    velocity = free_velocity(world, seed)
    ahead, back = (Edge(world, moved(pose, velocity, t, model_of(world).topology)).gap[edge.i] for t in (STEP, -STEP))
    rate = (ahead - back) / (2 * STEP)
    slip = edge.slip(velocity)
    assert np.abs(rate - slip).max() < CLOSE
    rows = edge.constraint_rows
    # the rows and levers, which is how the constraint-space modes build J
    assert np.abs(rows @ edge.across(velocity) - rows @ slip).max() < 1e-12
    # slip has nothing outside the rows' span
    assert np.abs(rows.T @ np.linalg.lstsq(rows.T, slip, rcond=None)[0] - slip).max() < 1e-12


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("kind", [*figures.KINDS, *figures.SERIES])
@seeds
def test_rows_and_axes_are_complements(kind, held, seed):
    """T^T N = 0, and [T N] is a basis of the six twists, well conditioned."""
    world = random_state(kind, seed, held)
    edge = Edge(world, state_of(world).pose)
    rows, axes = edge.constraint_rows, edge.axes
    assert rows.shape[0] + axes.shape[1] == 6
    assert np.abs(rows @ axes).max(initial=0.0) < 1e-12
    assert np.linalg.cond(np.vstack([rows, axes.T])) < (10.0 if kind in figures.KINDS else 30.0)
    if kind in figures.KINDS:
        assert np.abs(np.linalg.norm(axes, axis=0) - 1.0).max(initial=0.0) < 1e-12


@pytest.mark.parametrize(("kind", "dofs", "rows"), [("distance", -1, 1), ("particle on a rod", -1, 1)])
def test_rods_have_no_motion_subspace(kind, dofs, rows):
    world = World(pair_of(kind, 0))
    topology = model_of(world).topology[tied_row(world)]
    assert topology[Topology.DOFS] == dofs
    assert topology[Topology.ROWS] == rows


@every_kind
@seeds
def test_bias_is_the_rate_of_the_rows(kind, held, seed):
    """J u = 0 along a motion that keeps the joint closed. Differentiated, J' u + J a = 0, and the anchors' relative
    acceleration beyond N q'' is b = -J' u in the rows. Here J' u is a difference of the slips of one velocity at the
    poses just ahead and behind; their joints are open to second order only."""
    world = random_state(kind, seed, held)
    velocity = state_of(world).velocity.copy()
    pose = state_of(world).pose.copy()
    edge = Edge(world, pose)
    rows = edge.constraint_rows
    assert np.abs(rows @ edge.across(velocity)).max() < 1e-11
    ahead, back = (
        Edge(world, moved(pose, velocity, t, model_of(world).topology)).slip(velocity) for t in (STEP, -STEP)
    )
    bias = edge.bias(velocity)
    assert held or np.linalg.norm(bias) > 0.1
    assert np.abs(rows @ (bias + (ahead - back) / (2 * STEP))).max() < 1e-7 * max(1.0, np.linalg.norm(bias))


@pytest.mark.parametrize("kind", ["hinge", "universal", "slider", *figures.SERIES])
@pytest.mark.parametrize("reverse", [False, True])
@seeds
def test_rates_of_coordinates(kind, reverse, seed):
    """across = N q' for a closed motion: q' from the axes is the rate of the coordinates."""
    world = random_state(kind, seed, False, reverse)
    velocity = state_of(world).velocity.copy()
    pose = state_of(world).pose.copy()
    edge = Edge(world, pose)
    count = edge.axes.shape[1]
    rate = np.linalg.lstsq(edge.axes, edge.across(velocity), rcond=None)[0]
    assert np.abs(edge.axes @ rate - edge.across(velocity)).max() < 1e-11
    ahead, back = (Edge(world, moved(pose, velocity, t, model_of(world).topology)).coordinates() for t in (STEP, -STEP))
    assert np.abs((ahead - back)[:count] / (2 * STEP) - rate).max() < CLOSE * max(1.0, np.abs(rate).max())


@seeds
def test_rate_of_a_ball_joint(seed):
    """Its coordinate is a rotation vector: phi' = J^-1 w with the inverse left Jacobian, so that exp(phi + dt phi') is
    exp(dt w) exp(phi)."""
    world = random_state("ball", seed, False)
    velocity = state_of(world).velocity.copy()
    pose = state_of(world).pose.copy()
    edge = Edge(world, pose)
    phi = edge.coordinates()
    ahead, back = (Edge(world, moved(pose, velocity, t, model_of(world).topology)).coordinates() for t in (STEP, -STEP))
    rate = (ahead - back) / (2 * STEP)
    # seen from the parent the child turns by w; the vector itself stands in world axes and turns with the parent
    w = edge.across(velocity)[3:]
    wp = velocity[edge.parent, 3:6]
    angle = np.linalg.norm(phi)
    u = phi / angle
    e = 0.5 * angle / np.tan(0.5 * angle)
    inverse = e * np.eye(3) - 0.5 * skew(phi) + (1 - e) * np.outer(u, u)
    assert np.abs(rate - inverse @ w - np.cross(wp, phi)).max() < CLOSE


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


@pytest.mark.parametrize("kind", ["hinge", "universal", "slider", *figures.SERIES])
@seeds
def test_naming_the_bodies_the_other_way_round(kind, seed):
    """The forest may take a joint's second body as the parent. `angle` is of b relative to a all the same: the joint of
    the same pair with a and b exchanged and the axes as they were reads the opposite."""
    scene = pair_of(kind, seed)
    (tie,) = scene.joints
    read = []
    for a, b in ((tie.a, tie.b), (tie.b, tie.a)):
        world = World(Scene(bodies=scene.bodies, joints=[remade(tie, a, b)], gravity=(0, 0, 0)))
        rng = np.random.default_rng(seed)
        for name in ("a", "b"):
            world.bodies[name].velocity = rng.normal(size=3)
            world.bodies[name].angular_velocity = 3.0 * rng.normal(size=3)
        for _ in range(3):
            world.assemble()
            world.move(0.1)
        world.assemble()
        read.append(np.atleast_1d(world.joints["j"].angle))
    assert np.abs(read[0]).max() > 0.01
    # the axis in a comes first: exchanged bodies exchange the order of the coordinates
    assert np.abs(read[0] + read[1][::-1]).max() < 1e-9


def remade(tie, a, b):
    """The same joint with its bodies exchanged where a is the old b."""
    if isinstance(tie, Universal):
        exchanged = a != tie.a
        return Universal(
            name="j", a=a, b=b, at=tie.points[0],
            axis=tie.axis2 if exchanged else tie.axis, axis2=tie.axis if exchanged else tie.axis2,
        )  # fmt: skip
    if tie.axes > 1 or isinstance(tie, Screw):
        return tie if a == tie.a else other_way_round(tie)
    return type(tie)(name="j", a=a, b=b, at=tie.points[0], axis=tie.axis)


def other_way_round(tie):
    """A joint of axes in series with its bodies exchanged, and so the order of its axes."""
    ends = {"name": "j", "a": tie.b, "b": tie.a, "at": tie.points[0]}
    if isinstance(tie, Screw):
        return Screw(**ends, axis=tie.axis, pitch=tie.pitch)
    parts = [
        (Turn if axis.turn else Slide)(axis=axis.direction, at=np.array(tie.points[0]) + axis.point)
        for axis in reversed(tie.series)
    ]
    return Compound(**ends, parts=parts)


@every_kind
@seeds
def test_assembly_closes_position_and_velocity(kind, held, seed):
    world = random_state(kind, seed, held)
    assert world.largest_gap < 1e-11
    edge = Edge(world, state_of(world).pose)
    assert np.abs(edge.constraint_rows @ edge.across(state_of(world).velocity)).max() < 1e-11


def test_the_joints_are_really_bent():
    """Guard against a test bench that only ever looks at the drawn pose."""
    world = random_state("ball", 0, False)
    assert np.linalg.norm(world.joints["j"].angle) > 0.3
    drawn = World(pair_of("ball", 0))
    turned = matrix_of(world.bodies["b"].quaternion) @ matrix_of(drawn.bodies["b"].quaternion).T
    assert np.arccos(0.5 * (np.trace(turned) - 1.0)) > 0.1


def test_rod_whose_ends_meet():
    """A rod without a direction is open by its whole length, and closing it pushes its ends apart."""
    world = World(pair_of("particle on a rod", 0))
    length = world.joints["j"].definition.length
    a = world.bodies["a"]
    end = a.position + matrix_of(a.quaternion) @ model_of(world).joint[tied_row(world), Joints.ANCHOR_PARENT :][:3]
    world.bodies["b"].position = end
    assert world.largest_gap == pytest.approx(length, rel=1e-12)
    world.assemble()
    assert world.largest_gap < 1e-11


def test_weld_has_no_coordinate():
    scene = Scene(bodies=[Body(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0))], joints=[Weld(name="w", a="world", b="b")])
    with pytest.raises(AttributeError, match="weld joint 'w' has no coordinate"):
        _ = World(scene).joints["w"].angle


def test_kinds_are_all_here():
    """A new joint type must join these contracts; springs, ropes and constraints have contracts of their own."""
    tested = {
        Ball, Hinge, Universal, Slider, Weld, Distance, Cylindrical, Planar, Screw, Compound, HingeMotor, SliderMotor,
    }  # fmt: skip
    others = {"free", "spring", "torsion spring", "rope", "function"}
    in_a_plane = {entry.between_planar_bodies for entry in JOINTS if entry.between_planar_bodies != entry.name}
    assert {entry.name for entry in JOINTS} == {j.equations or j.kind for j in tested} | others | in_a_plane


@pytest.mark.parametrize("kind", [*figures.KINDS, *figures.SERIES])
def test_impulses_and_the_kinematic_order(kind):
    """A blow on a tree of such joints is its change of momentum and opens none of them; neither does a force that drags
    the tree along in the order f = m v."""
    world = figures.in_motion(figures.random_tree(9, 4, kinds=(kind,)), 3, speed=0.3, integrator="implicit")
    momentum = world.momentum().linear
    world.bodies["b2"].apply_impulse((1.0, 2.0, 0.5), (0.1, 0.0, 0.2))
    assert world.momentum().linear - momentum == pytest.approx((1.0, 2.0, 0.5), abs=1e-10)
    velocity = state_of(world).velocity.copy()
    world.assemble()  # finds nothing to close
    assert state_of(world).velocity == pytest.approx(velocity, abs=1e-9)
    world.order = "kinematic"
    place = world.bodies["b2"].position
    world.bodies["b2"].applied_force = (5.0, -3.0, 1.0)
    world.step(5)
    assert world.largest_gap < 1e-6
    assert np.linalg.norm(world.bodies["b2"].position - place) > 1e-3
