"""A cart whose wheels roll by conditions on velocities, and its rail."""

import math

import numpy as np

from physics.definitions.bodies import Body
from physics.definitions.functions import VelocityCondition
from physics.definitions.joints import Hinge, Planar, Slider
from physics.definitions.scene import Scene
from physics.world.world import World

G = 9.81
RADIUS = 0.2


def lowest(r):
    """From the centre of a disc with the axis y in the body to the point that is lowest"""
    e = r[:, 1]
    down = np.array([0.0, 0.0, -1.0]) + e[2] * e
    return RADIUS * down / math.sqrt(down[0] ** 2 + down[1] ** 2 + down[2] ** 2)


def rests(x, r):
    return (x[0, 2] + lowest(r[0])[2],)


def rolls(x, r, v, w):
    slip = v[0] + np.cross(w[0], lowest(r[0]))
    return (slip[0], slip[1])


# ---------------------------------------------------------------- wheels under a cart
CART, WHEEL, SPIN, TRACK = 10.0, 1.0, 0.02, 1.0


def mean_speed(x, r, v, w):
    """The cart goes along x by the mean of both wheels."""
    return (v[0, 0] - 0.5 * RADIUS * (w[1, 1] + w[2, 1]),)


def differential(x, r, v, w):
    """The cart goes ahead by the mean of the wheels, not aside, and turns by their difference."""
    ahead, axle = r[0][:, 0].copy(), r[0][:, 1].copy()
    left, right = w[1] @ axle, w[2] @ axle
    return (
        v[0] @ ahead - 0.5 * RADIUS * (left + right), v[0] @ axle, w[0, 2] - RADIUS / TRACK * (right - left)
    )  # fmt: skip


def cart(holds, couplings, gravity=(0.0, 0.0, -G), **options):
    bodies = [
        Body(name="cart", mass=CART, inertia=(0.5, 0.5, 0.8), position=(0, 0, RADIUS)),
        *(
            Body(name=name, mass=WHEEL, inertia=(0.01, SPIN, 0.01), position=(0.0, y, RADIUS))
            for name, y in (("left", TRACK / 2), ("right", -TRACK / 2))
        ),
    ]
    joints = [holds] + [
        Hinge(name=body.name, a="cart", b=body.name, at=body.position, axis=(0, 1, 0)) for body in bodies[1:]
    ]
    return World(Scene(bodies=bodies, joints=joints, couplings=couplings, gravity=gravity), **options)


def rail(**more):
    return Slider(name="rail", a="world", b="cart", at=(0, 0, RADIUS), axis=(1, 0, 0), **more)


MEAN = VelocityCondition(name="mean", bodies=["cart", "left", "right"], function=mean_speed)
ROLLS = VelocityCondition(name="rolls", bodies=["cart", "left", "right"], function=differential)


def steered(integrator, gravity=(0.0, 0.0, -G), rolls=ROLLS):
    ground = Planar(name="ground", a="world", b="cart", at=(0, 0, RADIUS), normal=(0, 0, 1), axis=(1, 0, 0))
    world = cart(ground, [rolls], gravity, integrator=integrator)
    left, right = 4.0, 6.0
    speed, turn = 0.5 * RADIUS * (left + right), RADIUS / TRACK * (right - left)
    world.bodies["cart"].velocity, world.bodies["cart"].angular_velocity = (speed, 0.0, 0.0), (0.0, 0.0, turn)
    for name, side, spin in (("left", -1.0, left), ("right", 1.0, right)):
        world.bodies[name].velocity = (speed + 0.5 * side * TRACK * turn, 0.0, 0.0)
        world.bodies[name].angular_velocity = (0.0, spin, turn)
    return world
