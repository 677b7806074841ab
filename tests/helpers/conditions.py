"""A figure of four bodies with a condition of two numbers on all of them, and its dense system of equations."""

import numpy as np
import pytest

from physics import Plane, Sphere
from physics.definitions.bodies import Body
from physics.definitions.functions import Condition
from physics.maths.rotations import matrix_of
from physics.definitions.joints import Ball
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import figures

G = 9.81
PLACES = np.array([(0.0, 0.0, 0.0), (0.6, 0.1, -0.2), (0.2, 0.8, 0.3), (-0.5, 0.4, 0.6)])
JOINT = PLACES[:2].mean(axis=0)
# points of the bodies, in the frames in which they are drawn
ARMS = np.array([(0.1, -0.2, 0.05), (-0.15, 0.1, 0.2), (0.05, 0.12, -0.1), (0.0, 0.1, 0.1)])
NAMES = ("b0", "b1", "b2", "b3")
WEIGHTS = np.array([0.7, -0.4, 1.1, 0.5])


def bodies():
    return [figures.random_body(np.random.default_rng(k), NAMES[k], PLACES[k]) for k in range(4)]


DRAWN = [matrix_of(body.orientation) for body in bodies()]
IN_BODY = [DRAWN[k].T @ ARMS[k] for k in range(4)]


def points(x, r):
    """One row for each body"""
    return np.array([x[k] + r[k] @ IN_BODY[k] for k in range(4)])


START = WEIGHTS @ points(PLACES, np.array(DRAWN))


def sums(x, r):
    """Weighted sums of the heights and of one side of the points, as drawn: in Python"""
    return (WEIGHTS @ points(x, r) - START)[1:]


def sums_rates(x, r):
    """J, and -J' u of angular velocities w by -w_k n . (w x (w x R s))"""
    found = np.zeros((2, 24))
    for k in range(4):
        arm = r[k] @ IN_BODY[k]
        for row, n in enumerate(np.eye(3)[1:]):
            found[row, 6 * k : 6 * k + 3] = WEIGHTS[k] * n
            found[row, 6 * k + 3 : 6 * k + 6] = WEIGHTS[k] * np.cross(arm, n)
    return found


# forces that lean from the rows by a third, and by moments of centimetres
LEAN = np.random.default_rng(11).normal(size=(2, 4, 6)) * np.array([*3 * [0.3], *3 * [0.03]])
FORCES = sums_rates(PLACES, np.array(DRAWN)).reshape(2, 4, 6) + LEAN


def turning_forces(x, r):
    """Forces as drawn, turned with each body"""
    k = FORCES.copy()
    for b in range(4):
        for o in (0, 3):
            k[:, b, o : o + 3] = k[:, b, o : o + 3] @ (r[b] @ DRAWN[b].T).T
    return k.reshape(2, 24)


HOW = {
    "along its rows": {}, "fixed in the world": {"force": FORCES},
    "fixed in the bodies": {"force": FORCES, "force_in": "body"}, "by a function": {"force": turning_forces},
}  # fmt: skip


def forces_at(how, x, r):
    """K of the test itself"""
    if how == "along its rows":
        return sums_rates(x, r)
    return FORCES.reshape(2, 24) if how == "fixed in the world" else turning_forces(x, r)


def scene(how, jacobian=sums_rates, gravity=(0.3, -0.2, -G)):
    """Two bodies on a ball joint, two free ones, and a condition of two numbers on all four"""
    joint = Ball(name="j", a="b0", b="b1", at=JOINT)
    condition = Condition(name="c", bodies=NAMES, function=sums, jacobian=jacobian, **HOW[how])
    return Scene(bodies=bodies(), joints=[joint], couplings=[condition], gravity=gravity)


def in_motion(how, seed=0, **options):
    """At a random state that keeps the joint and the condition: closed along the rows, whatever the forces are"""
    closed = figures.in_motion(scene("along its rows"), seed)
    world = World(scene(how), **options)
    for name in NAMES:
        one, other = world.bodies[name], closed.bodies[name]
        one.position, one.quaternion = other.position, other.quaternion
        one.velocity, one.angular_velocity = other.velocity, other.angular_velocity
    return world


def solved(world, how):
    """[[M, -J_j^T, -K^T], [J_j, 0, 0], [J, 0, 0]]: accelerations, multipliers of the condition"""
    x = np.array([world.bodies[name].position for name in NAMES])
    r = np.array([matrix_of(world.bodies[name].quaternion) for name in NAMES])
    w = np.array([world.bodies[name].angular_velocity for name in NAMES])
    mass, force = np.zeros((24, 24)), np.zeros(24)
    for k, body in enumerate(bodies()):
        turned = r[k] @ np.diag(body.inertia) @ r[k].T
        mass[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = body.mass * np.eye(3)
        mass[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = turned
        force[6 * k : 6 * k + 3] = body.mass * np.array([0.3, -0.2, -G])
        force[6 * k + 3 : 6 * k + 6] = -np.cross(w[k], turned @ w[k])
    joint, bias = np.zeros((3, 24)), np.zeros(3)
    for k, sign in ((0, 1.0), (1, -1.0)):
        arm = r[k] @ DRAWN[k].T @ (JOINT - PLACES[k])
        joint[:, 6 * k : 6 * k + 3] = sign * np.eye(3)
        joint[:, 6 * k + 3 : 6 * k + 6] = sign * np.cross(np.eye(3), arm).T
        bias -= sign * np.cross(w[k], np.cross(w[k], arm))
    turning = [WEIGHTS[k] * np.cross(w[k], np.cross(w[k], r[k] @ IN_BODY[k])) for k in range(4)]
    own = -np.sum(turning, axis=0)[1:]
    rows = np.vstack([joint, sums_rates(x, r)])
    along = np.vstack([joint, forces_at(how, x, r)])
    whole = np.block([[mass, -along.T], [rows, np.zeros((5, 5))]])
    found = np.linalg.solve(whole, np.concatenate([force, bias, own]))
    return found[:24].reshape(4, 6), found[27:]


# ---------------------------------------------------------------- a body held by a force that leans
THRUST = (0.6, 0.0, 0.8)


def held_by_a_leaning_force(world):
    """Step a second with the body `b` of 2 kg held at its height by a force along THRUST, and return its acceleration
    g k_x / k_z: mu = m g / k_z"""
    world.accelerations()
    assert world.couplings["hold"].multipliers == pytest.approx([2.0 * G / THRUST[2]], rel=1e-12)
    world.step(240)
    assert world.redone == 0
    a = G * 0.75
    assert world.bodies["b"].velocity == pytest.approx([a, 0.0, 0.0], abs=1e-9)
    return a


def error_of_ledger(world, steps):
    """Return the error of the ledger after half a second, of `steps` steps a second. The forces must do work."""
    start = world.energy().ledger
    world.timestep = 1.0 / steps
    world.step(steps // 2)
    assert world.largest_gap < 1e-6
    assert world.redone == 0
    assert world.energy().total - start > 1.0
    return abs(world.energy().ledger - start)


def ledger_closes_with(order, make_world):
    """Whether the error of the ledger falls with the order of the method where the steps are half as long."""
    coarse, fine = (60, 120) if order == 4 else (240, 480)
    return error_of_ledger(make_world(), fine) < error_of_ledger(make_world(), coarse) / 2.0 ** (order - 0.3)


UPWARDS = ((1.0, 0.0, 0.5, 0.0, 0.0, 0.0),)  # a force along x that leans upwards


def assert_a_ball_is_held_on_a_floor(condition, method):
    """A ball of 2 kg lies on a floor, held against a wind of 8 N by a condition with the force UPWARDS, which bears
    half as much of its weight."""
    ball = Body(name="b", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.2), shapes=[Sphere(radius=0.2)])
    world = World(Scene(bodies=[ball], couplings=[condition], shapes=[Plane(friction=0.0)]))
    world.contact_method = method
    world.bodies["b"].applied_force = (-8.0, 0.0, 0.0)
    world.step(240)
    assert world.couplings[condition.name].multipliers == pytest.approx([8.0], rel=1e-6)
    (contact,) = world.contacts()
    assert abs(contact.force[2]) == pytest.approx(2.0 * G - 4.0, rel=1e-4)
    assert world.largest_gap < 1e-6
