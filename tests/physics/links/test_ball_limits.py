"""Limits of ball joints, ropes and struts; and random figures with limits against a dense complementarity problem."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls

from physics.data.model_tables import Bodies, Joints, Topology
from physics.data.state_tables import HardLimits
from physics.data.work_tables import Edges, LimitWork
from physics.definitions.bodies import Body, Particle
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball
from physics.definitions.limits import Limits
from physics.definitions.joints import Rope
from physics.maths.rotations import matrix_of
from physics.definitions.scene import Scene
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.arrays import built_of, model_of, row_of, state_of, work_of
from tests.helpers.cases.limit_figures import DOWN

# ---------------------------------------------------------------- balls
ELLIPSE = (0.9, 0.4)  # about y and about z of the world: x and y of the joint frame below


def rod_in_an_ellipse(reversed_ends=False, **more):
    """A rod along x on a ball whose twist axis is x and whose swing axis is y"""
    rod = Body(name="rod", mass=2.0, inertia=(0.02, 0.1, 0.12), position=(0.5, 0.0, 0.0))
    a, b = ("rod", "world") if reversed_ends else ("world", "rod")
    limits = Limits(swing=ELLIPSE, **more)
    ball = Ball(name="b", a=a, b=b, twist_axis=(1, 0, 0), swing_axis=(0, 1, 0), limits=limits)
    return Scene(bodies=[rod], joints=[ball], gravity=(0, 0, 0))


def leaning(matrix, reversed_ends):
    """The shortest rotation of the twist axis, about x and y of the frame of the joint's first body"""
    axis = (matrix.T if reversed_ends else matrix) @ [1.0, 0.0, 0.0]
    theta = math.acos(min(1.0, axis[0]))
    k = theta / math.sin(theta) if theta > 1e-9 else 1.0
    return k * np.array([-axis[2], axis[1]])


@pytest.mark.parametrize("reversed_ends", [False, True])
@pytest.mark.parametrize("spin", [(0, 1, 0), (0, 0, 1), (0, 1.0, -0.6), (0, -0.5, 2.0)])
def test_an_elliptical_cone(spin, reversed_ends):
    """Pushed about one axis it stops at the angle of that axis, in between on the ellipse; it never leaves it."""
    world = World(rod_in_an_ellipse(reversed_ends), integrator="implicit")
    rod = world.bodies["rod"]
    rod.velocity, rod.angular_velocity = np.cross(spin, (0.5, 0, 0)), spin
    lean = np.zeros(2)
    reached = []
    for _ in range(480):
        world.step(1)
        lean = leaning(matrix_of(rod.quaternion), reversed_ends)
        reached.append(np.hypot(*(lean / ELLIPSE)))
    assert max(reached) == pytest.approx(1.0, abs=2e-4)  # the step that arrives is right to (h w)^2
    assert world.redone == 0
    if 0.0 in spin[1:]:
        about = 0 if spin[1] else 1
        assert abs(lean[about]) == pytest.approx(ELLIPSE[about], abs=2e-5)
        assert abs(lean[1 - about]) < 1e-9


@pytest.mark.parametrize("reversed_ends", [False, True])
def test_accelerations_along_an_elliptical_cone(reversed_ends):
    """Pressed against it and sliding along it, twisting, too: q'' = 0, so that q changes by the third order alone."""
    world = World(rod_in_an_ellipse(reversed_ends), integrator="implicit")
    rod = world.bodies["rod"]
    # drawn straight; leaned to the ellipse about an axis in between
    lean = np.array([0.0, 0.6, 0.8])
    lean /= np.hypot(lean[1] / ELLIPSE[0], lean[2] / ELLIPSE[1])
    half = np.linalg.norm(lean) / 2
    leaned = (math.cos(half), *(math.sin(half) / (2 * half) * lean))
    start = matrix_of(leaned)

    def measure(matrix):
        return np.hypot(*(leaning(matrix, reversed_ends) / ELLIPSE))

    def turned(matrix, by):
        angle = np.linalg.norm(by)
        return matrix_of((math.cos(angle / 2), *(math.sin(angle / 2) / angle * by))) @ matrix

    rod.quaternion = leaned
    rod.position = start @ [0.5, 0, 0]
    sides = [[measure(turned(start, step * e)) for step in (1e-6, -1e-6)] for e in np.eye(3)]
    gradient = np.array([(right - left) / 2e-6 for right, left in sides])
    spin = np.cross(gradient, [1.0, 2.0, -1.0])  # along it
    rod.angular_velocity, rod.velocity = spin, np.cross(spin, rod.position)
    rod.applied_torque = 50.0 * gradient / np.linalg.norm(gradient)
    a = np.array(world.accelerations()).reshape(-1)[3:6]
    assert measure(start) == pytest.approx(1.0, abs=1e-12)
    changes = []
    for h in (2e-3, 1e-3):
        changes.append(measure(turned(start, h * spin + 0.5 * h * h * a)) - 1.0)
    assert abs(changes[1]) < 1e-6
    assert changes[0] / changes[1] == pytest.approx(8.0, rel=0.1)


def test_angles_of_a_cone():
    assert rod_in_an_ellipse().joints[0].limits.swing == ELLIPSE
    world = World(rod_in_an_ellipse())
    assert world.joints["b"].limits.swing == pytest.approx(ELLIPSE)
    world.joints["b"].limits = Limits(swing=(0.7, 0.7))
    assert world.joints["b"].limits == Limits(swing=0.7, twist=(-math.inf, math.inf))
    for wrong in ((0.5,), (0.5, 0.0), (0.5, -1.0), (0.5, math.nan)):
        with pytest.raises(DefinitionError, match="swing in limits of ball joint 'b'"):
            world.joints["b"].limits = Limits(swing=wrong)


def test_the_cone_of_a_ball_joint():
    """A rod on a ball comes to rest on its cone, its twist at a limit on the way."""
    rod = Body(name="rod", mass=2.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0.0, 0.0))
    ball = Ball(
        name="b", a="world", b="rod", twist_axis=(1, 0, 0), limits=Limits(swing=0.6, twist=(-0.2, 0.05)), damping=0.3
    )
    world = World(Scene(bodies=[rod], joints=[ball]), integrator="implicit")
    world.bodies["rod"].velocity, world.bodies["rod"].angular_velocity = (0, 0.5, 0), (4.0, 0, 1.0)
    widest = twisted = 0.0
    for _ in range(720):
        world.step(1)
        swing, twist = swing_and_twist(world, world.joints["b"])
        widest, twisted = max(widest, swing), max(twisted, twist)
    assert 0.6 - 1e-6 < widest < 0.6 + 1e-4
    assert 0.05 - 1e-6 < twisted < 0.05 + 1e-4
    assert world.joints["b"].limit_force[0] == pytest.approx(-2.0 * DOWN * 0.5 * math.cos(0.6), rel=0.02)
    assert world.redone == 0


# ---------------------------------------------------------------- ropes
def test_a_rope_is_slack_then_taut():
    """A bob let fall beside its hook falls freely until the rope is straight, and then swings at its length."""
    bob = Particle(name="bob", mass=2.0, position=(0.6, 0.0, 0.0))
    rope = Rope(name="rope", a="world", b="bob", at=((0, 0, 0), (0.6, 0, 0)), longest=1.0)
    world = World(Scene(bodies=[bob], joints=[rope]), integrator="implicit")
    straight = math.sqrt(2 * 0.8 / DOWN)
    world.step(int(straight * 240) - 1)
    assert world.joints["rope"].limit_force == 0.0
    drop = -world.bodies["bob"].position[2]
    assert drop == pytest.approx(0.5 * DOWN * world.time**2, rel=0.02)
    world.step(3)
    # the part of the velocity along the rope is gone, the part across it stays
    place, speed = world.bodies["bob"].position, DOWN * straight
    assert np.linalg.norm(world.bodies["bob"].velocity) == pytest.approx(speed * 0.6, rel=0.03)
    pull = 0.0
    for _ in range(240):
        world.step(1)
        place = world.bodies["bob"].position
        assert np.linalg.norm(place) < 1.0 + 1e-4
        pull = max(pull, -world.joints["rope"].limit_force)
    assert 1.5 * 2.0 * DOWN < pull < 4.0 * 2.0 * DOWN
    assert world.redone == 0
    assert world.joints["rope"].force[2] > 0.0


def test_a_strut_pushes():
    bob = Particle(name="bob", mass=1.0, position=(0.0, 0.0, 0.5))
    strut = Rope(name="strut", a="world", b="bob", at=((0, 0, 0), (0, 0, 0.5)), longest=math.inf, shortest=0.5)
    world = World(Scene(bodies=[bob], joints=[strut]), integrator="implicit")
    world.step(60)
    assert world.bodies["bob"].position[2] == pytest.approx(0.5, abs=1e-9)
    assert world.joints["strut"].limit_force == pytest.approx(DOWN, rel=1e-9)


# ---------------------------------------------------------------- against a dense complementarity problem
def limited_world(seed, solver="fused"):
    """A random tree with loops in motion, many of whose coordinates stand at a limit."""
    kinds = ("ball", "hinge", "universal", "slider", "hip", "cylindrical")
    scene = figures.random_tree(seed, 7, kinds=kinds, held=seed % 2 == 0)
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        names = [b.name for b in scene.bodies]
        end, place = names[-1], scene.bodies[-1].position
        tie = Ball(name="loop", a=names[0], b=end, at=place)
        scene = Scene(bodies=scene.bodies, joints=[*scene.joints, tie])
    world = figures.in_motion(scene, seed, solver=solver)
    for joint in world.joints.values():
        d = joint.definition
        if d.axes == 0 or rng.uniform() < 0.3:
            continue
        if isinstance(d, Ball):
            swing, twist = swing_and_twist(world, joint)
            joint.limits = Limits(swing=swing, twist=(twist, 3.0) if rng.uniform() < 0.5 else (-3.0, twist))
            continue
        values = np.atleast_1d(joint.angle)
        low, high = values - 0.5, values + 0.5
        for k in range(d.axes):
            side = low if rng.uniform() < 0.5 else high
            if rng.uniform() < 0.8:
                side[k] = values[k]
        joint.limits = Limits(lower=tuple(low), upper=tuple(high))
    return world


def frames(world, joint, pose):
    """Joint frames of child and parent at a pose (columns)"""
    e = row_of(joint)
    edge, row = built_of(world).edge(e), model_of(world).joint[e]
    turns = []
    for body, axes in ((edge[Topology.CHILD], Joints.AXES_CHILD), (edge[Topology.PARENT], Joints.AXES_PARENT)):
        r = np.eye(3) if body < 0 else matrix_of(pose[body, 3:7])
        turns.append(r @ row[axes : axes + 9].reshape(3, 3))
    return turns


def swing_and_twist(world, joint, pose=None):
    """Of the joint as defined: b relative to a"""
    child, parent = frames(world, joint, state_of(world).pose if pose is None else pose)
    swing = math.atan2(np.linalg.norm(np.cross(parent[:, 2], child[:, 2])), parent[:, 2] @ child[:, 2])
    r = parent.T @ child
    twist = math.atan2(r[1, 0] - r[0, 1], r[0, 0] + r[1, 1])
    return swing, -twist if joint._flip else twist


def turned(pose, body, axis, angle):
    out = pose.copy()
    q = np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])
    a, b = q[0], q[1:]
    c, d = pose[body, 3], pose[body, 4:7]
    out[body, 3:7] = [a * c - b @ d, *(a * d + c * b + np.cross(b, d))]
    return out


def lever(r):
    """Twist of a point of the body from that of its centre of mass"""
    x = np.zeros((6, 6))
    x[:3, :3] = x[3:, 3:] = np.eye(3)
    x[:3, 3:] = -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
    return x


def anchors(world, e):
    """J of the relative twist at the anchor of edge e"""
    j = np.zeros((6, 6 * len(model_of(world).topology)))
    edge, levers = built_of(world).edge(e), work_of(world).edge[e]
    for body, at, sign in ((edge[Topology.CHILD], Edges.RC, 1.0), (edge[Topology.PARENT], Edges.RP, -1.0)):
        if body >= 0:
            j[:, 6 * body : 6 * body + 6] = sign * lever(levers[at : at + 3])
    return j


def gradients(world, joint):
    """By the relative angular velocity of the child: z_p x z_c / sin, (z_p + z_c) / (1 + cos)"""
    child, parent = frames(world, joint, state_of(world).pose)
    across = np.cross(parent[:, 2], child[:, 2])
    twist = (parent[:, 2] + child[:, 2]) / (1.0 + parent[:, 2] @ child[:, 2])
    return across / np.linalg.norm(across), -twist if joint._flip else twist


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rattle", "rk4"])
@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_rope_in_a_straight_line_over_a_joint_pulls_nothing(integrator, speed):
    """To first order no force in it moves anything, and what is left of its row is rounding: it moves as without."""
    bodies = [
        Body(name=n, mass=1.0, inertia=(1e-2, 2e-2, 3e-2), position=(0.1 + 0.2 * k, 0.03 * k, 0.5),
             angular_velocity=(0.3, (1.0 - 2.0 * k) * speed, -0.2))
        for k, n in enumerate("xy")
    ]  # fmt: skip
    middle = 0.5 * (np.array(bodies[0].position) + np.array(bodies[1].position))
    joint = Ball(name="j", a="x", b="y", at=middle)
    rope = Rope(name="r", a="x", b="y", at=(bodies[0].position, bodies[1].position))
    poses = []
    for joints in ([joint], [joint, rope]):
        world = World(Scene(bodies=bodies, joints=joints), integrator=integrator)
        world.step(30)
        assert world.redone == 0
        poses.append(np.array([b.position for b in world.bodies.values()]))
    assert world.joints["r"].force == pytest.approx(np.zeros(3), abs=1e-9)
    assert poses[1] == pytest.approx(poses[0], abs=1e-12)


def test_gradients_of_swing_and_twist():
    """The reference's formulas against differences."""
    world = limited_world(0)
    joint = next(j for j in world.joints.values() if isinstance(j.definition, Ball))
    child = built_of(world).edge(row_of(joint))[Topology.CHILD]
    for k in range(3):
        pose = [turned(state_of(world).pose, child, np.eye(3)[k], a) for a in (1e-5, -1e-5)]
        far, near = (np.array(swing_and_twist(world, joint, p)) for p in pose)
        assert (far - near) / 2e-5 == pytest.approx([g[k] for g in gradients(world, joint)], abs=1e-8)


def dense_system(world):
    """M, the rows of all joints, and of every limit that is reached, signed"""
    n = len(model_of(world).topology)
    mass = np.zeros((6 * n, 6 * n))
    for i in range(n):
        r = matrix_of(state_of(world).pose[i, 3:7])
        mass[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = model_of(world).body[i, Bodies.MASS] * np.eye(3)
        inertia = model_of(world).body[i, Bodies.INERTIA : Bodies.INERTIA + 3]
        mass[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = r @ np.diag(inertia) @ r.T
    held, limits = [], []
    for joint in world.joints.values():
        e, d = row_of(joint), joint.definition
        j = anchors(world, e)
        if isinstance(d, Ball):
            held.append(j[:3])
            if joint.limits is None:
                continue
            now = swing_and_twist(world, joint)
            swing, twist = gradients(world, joint)
            rows = np.vstack([swing @ j[3:], twist @ j[3:]])
            limits += [(-rows[0], now[0] - joint.limits.swing)]
            low, high = joint.limits.twist
            limits += [(rows[1], low - now[1]), (-rows[1], now[1] - high)]
            continue
        count = int(built_of(world).edge(e)[Topology.DOFS])
        axes = work_of(world).edge[e, Edges.AXIS : Edges.AXIS + 6 * count].reshape(count, 6).T
        held.append(np.linalg.svd(axes.T)[2][count:] @ j)
        if joint.limits is not None:
            rates = np.linalg.pinv(axes)[joint._order] @ j
            values = np.atleast_1d(joint.angle)
            for k in range(count):
                limits += [
                    (rates[k], joint.limits.lower[k] - values[k]),
                    (-rates[k], values[k] - joint.limits.upper[k]),
                ]
    return mass, np.vstack(held), np.array([row for row, over in limits if over > -1e-6])


def off_by(world, impulse, before):
    """How far the velocities are from argmin |v - u - M^-1 p| in M with J v = 0 and the limits' rows >= 0, which its
    optimality conditions decide: v keeps to the rows, and what it differs by is a sum of rows that are met, with
    coefficients that are not negative. Relative; and how many rows press."""
    mass, held, limits = dense_system(world)
    v = state_of(world).velocity[:, :6].ravel()
    size = np.abs(v).max()
    root = np.linalg.cholesky(mass)
    scaled = np.linalg.solve(root, held.T)
    basis = np.linalg.svd(scaled)[0][:, np.linalg.matrix_rank(scaled, tol=1e-9) :]
    gained = basis.T @ (root.T @ (v - before) - np.linalg.solve(root, impulse))
    met = limits[limits @ v < 1e-7 * size]
    broken = max(np.abs(held @ v).max(), -(limits @ v).min(initial=0.0))
    if not len(met):
        return max(broken, np.abs(gained).max()) / size, 0
    force, rest = nnls(basis.T @ np.linalg.solve(root, met.T), gained, maxiter=1000)
    return max(broken, rest) / size, int((force > 1e-9).sum())


@pytest.mark.parametrize("solver", ["fused", "lagrange", "jsim"])
def test_jumps_of_random_figures_are_those_of_a_dense_complementarity_problem(solver):
    """A hundred snapshots, with ball cones, loops and up to a dozen limits reached at once."""
    most = 0
    for seed in range(100 if solver == "fused" else 10):
        world = limited_world(seed, solver)
        world.engine.refresh()
        impulse = np.random.default_rng(seed + 1000).normal(size=(len(model_of(world).topology), 6))
        before = state_of(world).velocity.ravel().copy()
        world.engine.strike(force=impulse)
        error, pressing = off_by(world, impulse.ravel(), before)
        assert error < 1e-9, seed
        most = max(most, pressing)
    assert most >= 5


@pytest.mark.parametrize("solver", list(MODES))
def test_steps_keep_to_the_law(solver):
    """Motion among limits: none is broken beyond what curvature leaves, forces push inwards, and only where the limit
    is reached; every mode goes the same way."""
    scene = figures.random_tree(4, 6, kinds=("hinge", "ball", "slider", "universal"), held=True)
    joints = []
    for j in scene.joints:
        if isinstance(j, Ball):
            limits = Limits(swing=0.4, twist=(-0.3, 0.3))
        else:
            limits = Limits(lower=-0.2, upper=0.3)
        joints.append(figures_replaced(j, limits))
    world = World(Scene(bodies=scene.bodies, joints=joints), solver=solver, integrator="implicit")
    pressed = 0
    for _ in range(120):
        world.step(1)
        table = state_of(world).limit
        here = work_of(world).limit[:, LimitWork.VALUE]  # where the step began
        force = table[:, HardLimits.FORCE]
        low, high = here - table[:, HardLimits.LOWER], table[:, HardLimits.UPPER] - here
        assert np.minimum(low, high).min() > -1e-3
        assert (force[low < high] >= 0.0).all()
        assert (force[low > high] <= 0.0).all()
        assert np.minimum(low, high)[force != 0.0].max(initial=0.0) < 0.2
        pressed = max(pressed, int((force != 0.0).sum()))
    assert pressed >= 3
    assert world.redone <= 2
    if solver != "fused":
        other = World(Scene(bodies=scene.bodies, joints=joints), integrator="implicit")
        other.step(60)
        world = World(Scene(bodies=scene.bodies, joints=joints), solver=solver, integrator="implicit")
        world.step(60)
        for name, body in world.bodies.items():
            assert np.abs(body.position - other.bodies[name].position).max() < 1e-6


def figures_replaced(joint, limits):
    return replace(joint, limits=limits)
