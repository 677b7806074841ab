"""Contracts of joint springs: torque = -d(energy), stiffness = -d(torque), for every joint that carries a spring, plain
and anisotropic, with soft limits, and where the forest reversed the joint.

Turning the child by a small rotation d changes the energy by -T . d. The stiffness of the system is the symmetric part
of -dT/dd, clamped to be positive semi-definite; it is checked before the clamp where that does nothing. Moves of single
axes are twists along the motion axis. Derivatives are central differences.
"""

import math

import numpy as np
import pytest

from physics.maths.rotations import matrix_of, quaternion_product, rotation_quaternion
from physics.compiler.jit import entry
from physics.data.model_tables import JointKind, Joints, Topology
from physics.data.work_tables import Springs
from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge, Slider, Universal
from physics.definitions.limits import SoftLimits
from physics.definitions.scene import Scene
from physics.edges import simd_groups, joint_springs
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.arrays import built_of, model_of, state_of, work_of

STEP = 1e-5


@entry("mswt", "f")
def springs(m, s, w, pose):
    simd_groups.fill_rotations(pose, w.rotation)
    return joint_springs.fill_springs(m, s, w, pose, w.rotation)


def two_bodies(make, seed=0, reverse=False):
    """A body "a" in front of the world's eye and "b" on it by the joint that `make(a, b)` gives. Reversed, the joint
    names b first, and the forest, which starts at "a", takes the joint's second body as the parent."""
    rng = np.random.default_rng(seed)
    bodies = [figures.random_body(rng, name, rng.uniform(-1, 1, 3)) for name in ("a", "b")]
    tie = make("b", "a") if reverse else make("a", "b")
    world = World(Scene(bodies=bodies, joints=[tie], gravity=(0.0, 0.0, 0.0)))
    assert model_of(world).topology[1, Topology.PARENT] == 0
    assert bool(built_of(world).reversed[1]) is reverse
    return world


def spring_at(world, pose):
    """(energy, torque, stiffness (3, 3), damping (3, 3), coordinates) at `pose`; axes' values on the diagonal."""
    m = model_of(world)
    world.engine.refresh()  # compiles what the entry above calls
    energy = springs(m, state_of(world), work_of(world), pose)
    row = work_of(world).spring[1].copy()
    ball = m.topology[1, Topology.KIND] == JointKind.BALL

    def block(o):
        x = row[o : o + 6]
        return np.array([[x[0], x[1], x[3]], [x[1], x[2], x[4]], [x[3], x[4], x[5]]]) if ball else np.diag(x[:3])

    torque = row[Springs.TORQUE : Springs.TORQUE + 3].copy()
    return energy, torque, block(Springs.K), block(Springs.C), row[Springs.COORDINATE : Springs.COORDINATE + 3].copy()


def turned_child(pose, rotation_vector):
    """The child (row 1) turned by a world rotation vector."""
    out = pose.copy()
    out[1, 3:] = quaternion_product(rotation_quaternion(np.asarray(rotation_vector, float)), pose[1, 3:])
    return out


def bend(world, seed, angle):
    """Turn the child by `angle` about a random axis, and both bodies by a common random turn."""
    rng = np.random.default_rng(1000 + seed)
    pose = turned_child(state_of(world).pose, angle * figures.random_unit(rng))
    common = figures.random_unit(rng, 4)
    for i in range(2):
        pose[i, 3:] = quaternion_product(common, pose[i, 3:])
        pose[i, :3] = matrix_of(common) @ pose[i, :3]
    return pose


def gradients(world, pose):
    """Torque from the energy, and -d(torque), by turning the child."""
    torque, stiffness = np.zeros(3), np.zeros((3, 3))
    for k in range(3):
        d = STEP * np.eye(3)[k]
        ahead, back = spring_at(world, turned_child(pose, d)), spring_at(world, turned_child(pose, -d))
        torque[k] = -(ahead[0] - back[0]) / (2 * STEP)
        stiffness[:, k] = -(ahead[1] - back[1]) / (2 * STEP)
    return torque, stiffness


def ball(stiffness, **options):
    def make(a, b):
        return Ball(name="j", a=a, b=b, at=(0.1, 0.2, -0.3), stiffness=stiffness, **options)

    return make


BALLS = {
    "isotropic": ball(40.0),
    "isotropic bent at rest": ball(40.0, rest=(0.3, -0.5, 0.4)),
    "anisotropic": ball((10.0, 40.0, 25.0), twist_axis=(0.3, 0.1, 1.0), swing_axis=(1.0, 0.2, 0.0)),
    "anisotropic bent at rest": ball((10.0, 40.0, 25.0), twist_axis=(0.3, 0.1, 1.0), rest=(0.3, -0.5, 0.4)),
}
ANGLES = (1e-7, 1e-3, 0.02, 0.3, 1.0, 2.0, 3.0)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("which", BALLS)
def test_torque_of_a_ball_joint(which, angle, reverse):
    """T = -d(energy), and stiffness = symmetric part of -dT where that is positive (else its clamp)."""
    world = two_bodies(BALLS[which], 1, reverse)
    pose = bend(world, 1, angle)
    energy, torque, stiffness, _, _ = spring_at(world, pose)
    expected, slope = gradients(world, pose)
    scale = max(energy, 1.0)
    assert np.abs(torque - expected).max() < 1e-8 * scale
    symmetric = 0.5 * (slope + slope.T)
    values, vectors = np.linalg.eigh(symmetric)
    clamped = vectors @ np.diag(np.maximum(values, 0.0)) @ vectors.T
    assert np.abs(stiffness - clamped).max() < 1e-6 * 40.0
    if which.startswith("isotropic"):
        # exactly positive up to half a turn: the clamp has nothing to do [physics.md, section 5]
        assert values.min() > -1e-6 * 40.0


@pytest.mark.parametrize("which", ["anisotropic", "anisotropic bent at rest"])
def test_clamp_of_an_anisotropic_ball(which):
    """Anisotropic springs bent by some radians do have negative directions; none is left in the system."""
    world = two_bodies(BALLS[which], 1)
    lowest = []
    for angle in ANGLES:
        pose = bend(world, 1, angle)
        _, slope = gradients(world, pose)
        lowest.append(np.linalg.eigvalsh(0.5 * (slope + slope.T)).min())
        assert np.linalg.eigvalsh(spring_at(world, pose)[2]).min() > -1e-10 * 40.0
    assert min(lowest) < -1.0


@pytest.mark.parametrize("reverse", [False, True])
def test_ball_torque_in_words(reverse):
    """Equal stiffness: T = -k phi with phi the turn of b relative to a since the drawing, less the rest. On b."""
    rest = np.array([0.2, 0.1, -0.3])
    world = two_bodies(ball(40.0, rest=tuple(rest)), 1, reverse)
    pose = bend(world, 4, 1.2)
    before, after = state_of(world).pose, pose
    a, b = (1, 0) if reverse else (0, 1)
    # orientation of each body since the drawing, and of b relative to a, in a's turned axes
    turned = [matrix_of(after[i, 3:]) @ matrix_of(before[i, 3:]).T for i in range(2)]
    relative = turned[a].T @ turned[b]
    from_rest = turned[a] @ relative @ matrix_of(rotation_quaternion(rest)).T @ turned[a].T
    expected = -40.0 * rotation_vector(from_rest)
    torque_on_child = spring_at(world, pose)[1]
    assert (torque_on_child * (-1.0 if reverse else 1.0)) == pytest.approx(expected, abs=1e-10)


def rotation_vector(r):
    v = 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    angle = math.atan2(np.linalg.norm(v), 0.5 * (np.trace(r) - 1.0))
    return v * (angle / np.linalg.norm(v))


@pytest.mark.parametrize("phi", [0.5, 1.0, 2.0, 3.0])
def test_the_derivative_that_hernandez_prints(phi):
    """[Hernandez11, eq. 7], phi/(2 sin phi) (R^T + 1), agrees with the exact inverse left Jacobian across the axis and
    is phi / sin phi times too large along it: 1.19 at one radian, 21 at three. The spring's stiffness is exact."""
    u = np.array([2.0, -1.0, 2.0]) / 3.0
    r = matrix_of(rotation_quaternion(phi * u))
    printed = phi / (2 * math.sin(phi)) * (r.T + np.eye(3))
    across = np.cross(u, [0.0, 0.0, 1.0])
    across /= np.linalg.norm(across)
    world = two_bodies(ball(1.0), 1)
    # "a" is the parent and stays as drawn: the child's turn is phi
    exact = spring_at(world, turned_child(state_of(world).pose, phi * u))[2]
    assert u @ exact @ u == pytest.approx(1.0, rel=1e-12)
    assert u @ printed @ u == pytest.approx(phi / math.sin(phi), rel=1e-12)
    assert across @ printed @ across == pytest.approx(across @ exact @ across, rel=1e-9)
    assert across @ exact @ across == pytest.approx(0.5 * phi / math.tan(0.5 * phi), rel=1e-12)
    documented = {1.0: 1.19, 3.0: 21.3}
    if phi in documented:
        assert u @ printed @ u == pytest.approx(documented[phi], rel=5e-3)


# ---------------------------------------------------------------- single axes
def hinge(a, b):
    return Hinge(name="j", a=a, b=b, at=(0.1, 0.2, -0.3), axis=(1.0, 2.0, -1.0), stiffness=30.0, damping=2.0, rest=0.4)


def slider(a, b):
    return Slider(name="j", a=a, b=b, at=(0.1, 0.2, -0.3), axis=(1.0, 2.0, -1.0), stiffness=30.0, damping=2.0, rest=0.4)


def universal(a, b):
    return Universal(
        name="j", a=a, b=b, at=(0.1, 0.2, -0.3), axis=(1.0, 0.0, 0.0), axis2=(0.0, 0.6, 0.8), stiffness=(30.0, 20.0),
        damping=(2.0, 1.0), rest=(0.4, -0.2),
    )  # fmt: skip


def limited(a, b):
    limits = SoftLimits(stiffness=500.0, damping=3.0, lower=-0.5, upper=0.6)
    return Hinge(name="j", a=a, b=b, at=(0.1, 0.2, -0.3), axis=(1.0, 2.0, -1.0), stiffness=5.0, soft_limits=limits)


def limited_slider(a, b):
    limits = SoftLimits(stiffness=500.0, damping=3.0, lower=-0.5, upper=0.6)
    return Slider(name="j", a=a, b=b, at=(0.1, 0.2, -0.3), axis=(1.0, 2.0, -1.0), soft_limits=limits)


def limited_universal(a, b):
    limits = SoftLimits(stiffness=500.0, damping=3.0, lower=(-0.5, -0.3), upper=(0.6, 0.2))
    return Universal(
        name="j", a=a, b=b, at=(0.1, 0.2, -0.3), axis=(1.0, 0.0, 0.0), axis2=(0.0, 0.6, 0.8), soft_limits=limits
    )


SINGLE = {f.__name__: f for f in (hinge, slider, universal, limited, limited_slider, limited_universal)}


def set_coordinates(world, q):
    """The child's pose where the joint has the coordinates q (in the columns' order, child relative to parent): axes of
    the joint frame, the anchor kept together."""
    m = model_of(world)
    joint = m.joint[1]
    pose = state_of(world).pose.copy()
    frame_p = quaternion_product(pose[0, 3:], joint[Joints.FRAME_PARENT : Joints.FRAME_PARENT + 4])
    kind = m.topology[1, Topology.KIND]
    turn = np.array([1.0, 0.0, 0.0, 0.0])
    shift = np.zeros(3)
    if kind == JointKind.HINGE:
        turn = rotation_quaternion(np.array([0.0, 0.0, q[0]]))
    elif kind == JointKind.UNIVERSAL:
        turn = quaternion_product(
            rotation_quaternion(np.array([q[0], 0.0, 0.0])), rotation_quaternion(np.array([0.0, q[1], 0.0]))
        )
    else:
        shift = q[0] * matrix_of(frame_p)[:, 2]
    f = joint[Joints.FRAME_CHILD : Joints.FRAME_CHILD + 4] * np.array([1.0, -1.0, -1.0, -1.0])
    pose[1, 3:] = quaternion_product(quaternion_product(frame_p, turn), f)
    anchor = pose[0, :3] + matrix_of(pose[0, 3:]) @ joint[Joints.ANCHOR_PARENT : Joints.ANCHOR_PARENT + 3] + shift
    pose[1, :3] = anchor - matrix_of(pose[1, 3:]) @ joint[Joints.ANCHOR_CHILD : Joints.ANCHOR_CHILD + 3]
    return pose


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("which", SINGLE)
@pytest.mark.parametrize("q", [(0.1, 0.1), (0.9, 0.5), (-1.1, -0.7), (2.5, 1.2)])
def test_torque_of_single_axes(which, q, reverse):
    """T = -dU/dq and K = -dT/dq for each axis; the axes of a joint do not see each other."""
    world = two_bodies(SINGLE[which], 2, reverse)
    count = int(model_of(world).topology[1, Topology.DOFS])
    _, torque, stiffness, _, read = spring_at(world, set_coordinates(world, np.array(q)))
    assert read[:count] == pytest.approx(np.array(q)[:count], abs=1e-12)
    for k in range(count):
        d = np.zeros(2)
        d[k] = STEP
        ahead = spring_at(world, set_coordinates(world, np.array(q) + d))
        back = spring_at(world, set_coordinates(world, np.array(q) - d))
        assert torque[k] == pytest.approx(-(ahead[0] - back[0]) / (2 * STEP), rel=1e-7, abs=1e-6)
        slope = -(ahead[1] - back[1])[:count] / (2 * STEP)
        assert stiffness[k, k] == pytest.approx(slope[k], rel=1e-8, abs=1e-6)
        assert np.abs(np.delete(slope, k)).max(initial=0.0) < 1e-6


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("which", ["hinge", "slider", "universal"])
def test_laws_of_single_axes(which, reverse):
    """T = -k (q - rest) and the damping, coordinate of b relative to a, whichever of the two is the parent."""
    world = two_bodies(SINGLE[which], 2, reverse)
    view = world.joints["j"]
    definition = view.definition
    q = np.array([0.9, -0.6])[: definition.axes]
    columns = list(range(definition.axes))[::-1] if reverse and definition.axes == 2 else list(range(definition.axes))
    state_of(world).pose[:] = set_coordinates(world, np.resize(q[columns], 2))
    assert np.atleast_1d(view.angle) == pytest.approx(q, abs=1e-12)
    _, torque, stiffness, damping, _ = spring_at(world, state_of(world).pose)
    k, c, rest = (np.array(v) for v in (definition.stiffness, definition.damping, definition.rest))
    count = definition.axes
    assert torque[:count] == pytest.approx((-k * (q - rest))[columns], rel=1e-12)
    assert np.diag(stiffness)[:count] == pytest.approx(k[columns])
    assert np.diag(damping)[:count] == pytest.approx(c[columns])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("way", [1.0, -1.0])
@pytest.mark.parametrize("make", [hinge, universal])
def test_coordinate_of_a_pose_ahead_of_the_count(make, way, reverse):
    """Stages of a step look at poses whose turns are not counted yet: across the cut of the quaternion, at a turn,
    the coordinate goes on, and coming back it goes back."""
    world = two_bodies(make, 2, reverse)
    for q in (1.5, 3.0, 4.5, 6.2):
        state_of(world).pose[:] = set_coordinates(world, np.array([way * q, 0.1]))
        world.move(0.0)  # counts
    assert spring_at(world, set_coordinates(world, np.array([way * 6.2, 0.1])))[4][0] == pytest.approx(way * 6.2)
    assert spring_at(world, set_coordinates(world, np.array([way * 6.4, 0.1])))[4][0] == pytest.approx(way * 6.4)
    state_of(world).pose[:] = set_coordinates(world, np.array([way * 6.4, 0.1]))
    world.move(0.0)
    assert spring_at(world, set_coordinates(world, np.array([way * 6.5, 0.1])))[4][0] == pytest.approx(way * 6.5)
    assert spring_at(world, set_coordinates(world, np.array([way * 6.1, 0.1])))[4][0] == pytest.approx(way * 6.1)


def test_soft_limits_of_an_axis():
    """Nothing inside, k (q - bound) outside, on both sides; the damper only outside."""
    world = two_bodies(limited, 2)
    for q, over in ((0.3, 0.0), (0.7, 0.1), (-0.8, -0.3)):
        _, torque, stiffness, damping, _ = spring_at(world, set_coordinates(world, np.array([q, 0.0])))
        assert torque[0] == pytest.approx(-5.0 * q - 500.0 * over, rel=1e-9)
        assert stiffness[0, 0] == pytest.approx(505.0 if over else 5.0)
        assert damping[0, 0] == pytest.approx(3.0 if over else 0.0)


@pytest.mark.parametrize("reverse", [False, True])
def test_reversed_limits_are_on_the_same_side(reverse):
    """Limits are of b relative to a; 0.7 lies beyond the upper one of [-0.5, 0.6], -0.7 beyond the lower."""
    for q, over in ((0.7, 0.1), (-0.7, -0.2), (0.55, 0.0)):
        world = two_bodies(limited, 2, reverse)
        state_of(world).pose[:] = set_coordinates(world, np.array([q, 0.0]))
        assert world.joints["j"].angle == pytest.approx(q)
        torque = spring_at(world, state_of(world).pose)[1][0]
        assert torque == pytest.approx(-5.0 * q - 500.0 * over, rel=1e-9)


# ---------------------------------------------------------------- soft limits of balls
def swing_limits(a, b):
    limits = SoftLimits(stiffness=200.0, damping=4.0, swing=0.5)
    return Ball(name="j", a=a, b=b, at=(0.1, 0.2, -0.3), twist_axis=(0.3, 0.1, 1.0), soft_limits=limits)


def twist_limits(a, b):
    limits = SoftLimits(stiffness=200.0, damping=4.0, twist=(-0.3, 0.4))
    return Ball(name="j", a=a, b=b, at=(0.1, 0.2, -0.3), twist_axis=(0.3, 0.1, 1.0), soft_limits=limits)


def both_limits(a, b):
    limits = SoftLimits(stiffness=200.0, damping=4.0, swing=0.4, twist=(-0.2, 0.2))
    return Ball(name="j", a=a, b=b, at=(0.1, 0.2, -0.3), twist_axis=(0.3, 0.1, 1.0), stiffness=10.0, soft_limits=limits)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("make", [swing_limits, twist_limits, both_limits])
def test_torque_of_ball_limits(make, seed, reverse):
    """T = -d(energy) beyond the limits too, and stiffness = symmetric part of -dT, with the turning of the angles'
    gradients in it, or its clamp: swung further, a cone's limit gives way across it."""
    world = two_bodies(make, 2, reverse)
    pose = bend(world, seed, 1.0)
    energy, torque, stiffness, damping, _ = spring_at(world, pose)
    expected, slope = gradients(world, pose)
    assert np.abs(torque - expected).max() < 1e-8 * max(energy, 1.0)
    assert np.linalg.eigvalsh(damping).min() > -1e-9
    values, vectors = np.linalg.eigh(0.5 * (slope + slope.T))
    assert values.min() < -0.1 or energy < 0.1 or make is both_limits
    clamped = vectors @ np.diag(np.maximum(values, 0.0)) @ vectors.T
    assert np.abs(stiffness - clamped).max() < 1e-6 * 200.0


def test_ball_limits_do_act():
    """The bends above go beyond the limits; a small one does not."""
    for make in (swing_limits, twist_limits):
        world = two_bodies(make, 2)
        assert max(spring_at(world, bend(world, seed, 1.0))[0] for seed in range(5)) > 1.0
        assert spring_at(world, bend(world, 0, 0.1))[0] == 0.0


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("angle", [0.6, -0.6])
def test_twist_limits_are_of_b_relative_to_a(angle, reverse):
    """Turn the forest's child about the twist axis by `angle`: the twist of b relative to a is +-angle, and the limits
    [-0.3, 0.4] are exceeded by 0.2 or 0.3."""
    world = two_bodies(twist_limits, 2, reverse)
    axis = np.array([0.3, 0.1, 1.0]) / np.linalg.norm([0.3, 0.1, 1.0])
    energy, torque, _, _, _ = spring_at(world, turned_child(state_of(world).pose, angle * axis))
    twist = -angle if reverse else angle
    over = twist - 0.4 if twist > 0 else twist + 0.3
    assert energy == pytest.approx(0.5 * 200.0 * over**2, rel=1e-9)
    assert torque == pytest.approx(-200.0 * over * (-1.0 if reverse else 1.0) * axis, abs=1e-9)


@pytest.mark.parametrize("swing", [0.6, 1.0, 2.0])
def test_swing_limit_pulls_back(swing):
    """Beyond the cone of 0.5 rad by swing - 0.5, about the axis of the swing."""
    world = two_bodies(swing_limits, 2)
    axis = np.array([0.3, 0.1, 1.0]) / np.linalg.norm([0.3, 0.1, 1.0])
    across = np.cross(axis, [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    energy, torque, _, _, _ = spring_at(world, turned_child(state_of(world).pose, swing * across))
    assert energy == pytest.approx(100.0 * (swing - 0.5) ** 2, rel=1e-9)
    assert torque == pytest.approx(-200.0 * (swing - 0.5) * across, abs=1e-9)


# ---------------------------------------------------------------- dampers
@pytest.mark.parametrize("damping", [3.0, (1.0, 2.0, 4.0)])
def test_damping_of_a_ball_turns_with_the_parent(damping):
    """T = -C w, C = R diag(c) R^T in the parent's joint frame."""
    world = two_bodies(ball(10.0, damping=damping, twist_axis=(0.3, 0.1, 1.0)), 1)
    pose = bend(world, 3, 0.8)
    damped = spring_at(world, pose)[3]
    frame = matrix_of(pose[0, 3:]) @ model_of(world).joint[1, Joints.AXES_PARENT : Joints.AXES_PARENT + 9].reshape(3, 3)
    assert damped == pytest.approx(frame @ np.diag(np.broadcast_to(damping, 3)) @ frame.T, abs=1e-12)


def test_stiffness_is_live():
    """`stiffness_scale`, `stiff` and new values reach the kernels, for reversed universal joints in the right order."""
    world = two_bodies(universal, 2, reverse=True)
    pose = set_coordinates(world, np.array([0.9, 0.5]))
    assert np.diag(spring_at(world, pose)[2])[:2] == pytest.approx([20.0, 30.0])
    world.joints["j"].stiffness = (7.0, 9.0)
    assert np.diag(spring_at(world, pose)[2])[:2] == pytest.approx([9.0, 7.0])
    world.stiffness_scale = 10.0
    assert np.diag(spring_at(world, pose)[2])[:2] == pytest.approx([90.0, 70.0])
    assert world.joints["j"].stiffness == (7.0, 9.0)
    world.joints["j"].stiff = False
    assert not np.diag(spring_at(world, pose)[2]).any()


def test_two_bodies_bench():
    """The bench's own body: rows of "a" and "b" are 0 and 1, so that "a" is the parent."""
    world = two_bodies(hinge, 0)
    assert built_of(world).body_row == {"a": 0, "b": 1}
    assert isinstance(built_of(world).scene.bodies[0], Body)
