"""Bodies with shapes that the tests of contacts in motion share."""

import math

import numpy as np

from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge
from physics.definitions.scene import Scene
from physics import Box, Capsule, Plane, Shape, Sphere
from physics.world.world import World
from physics.definitions.shapes.compound import CompoundShape

GRAVITY = 9.81


def box(
    name: str, at, half, mass: float = 1.0, *, orientation=(1.0, 0.0, 0.0, 0.0), velocity=(0, 0, 0), **look
) -> Body:
    a, b, c = (x * x for x in half)
    inertia = (mass / 3.0 * (b + c), mass / 3.0 * (a + c), mass / 3.0 * (a + b))
    shape = Box(size=tuple(2.0 * x for x in half), **look)
    return Body(
        name=name, mass=mass, inertia=inertia, position=at, orientation=orientation, velocity=velocity, shapes=[shape]
    )


def ball(name: str, at, radius: float, mass: float = 1.0, *, velocity=(0, 0, 0), spin=(0, 0, 0), **look) -> Body:
    inertia = (0.4 * mass * radius * radius,) * 3
    return Body(
        name=name, mass=mass, inertia=inertia, position=at, velocity=velocity, angular_velocity=spin,
        shapes=[Sphere(radius=radius, **look)],
    )  # fmt: skip


def world_of(*bodies: Body, floor: Shape | None = None, **more) -> World:
    """On a floor, with the first-order integrator."""
    keys = {k: more.pop(k) for k in ("solver", "integrator") if k in more}
    shapes = [Plane(friction=1.0) if floor is None else floor]
    return World(Scene(bodies=list(bodies), shapes=shapes, **more), **{"integrator": "implicit", **keys})


def height_of_bounce(world: World, e: float) -> float:
    """Return how high the ball `b` comes back [m], after a fall of 1 m onto the floor in steps of 1 ms. Its restitution
    is `e`. The energy must not grow."""
    top, energy = 0.0, world.energy().total
    world.step(460)  # the first impact is at 0.4515 s
    for _ in range(round(2.0 * 0.4515 * e / 1e-3)):
        world.step()
        top = max(top, world.bodies["b"].position[2] - 0.1)
        assert world.energy().total <= energy + 1e-9
    return top


def speeds_of_cradle(**settings) -> list[float]:
    """Return the speeds of five touching balls [m/s], after the first one has hit the others with 1 m/s."""
    balls = [ball(f"b{i}", (0.2 * i, 0, 5), 0.1, restitution=1.0, friction=0.0) for i in range(5)]
    world = world_of(*balls, gravity=(0, 0, 0))
    for name, value in settings.items():
        setattr(world, name, value)
    world.bodies["b0"].velocity = (1.0, 0.0, 0.0)
    world.step(3)
    return [b.velocity[0] for b in world.bodies.values()]


def tilted(angle: float) -> tuple[float, float, float]:
    """Gravity on a floor that is tilted about y: down the slope is x."""
    return (GRAVITY * math.sin(angle), 0.0, -GRAVITY * math.cos(angle))


def floor_chain(links: int) -> Scene:
    """Capsules of 0.1 m tied by ball joints, lying in a zigzag on a floor."""
    length, radius = 0.1, 0.02
    mass = 1000.0 * math.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    inertia = (mass * length**2 / 12.0, mass * length**2 / 12.0, 0.5 * mass * radius**2)
    at, bodies, joints = np.array([0.0, 0.0, radius]), [], []
    for i in range(links):
        side = 0.3 if i % 2 else -0.3
        end = at + length * np.array([math.cos(side), math.sin(side), 0.0])
        capsule = Capsule.between(tuple(at), tuple(end), radius)
        half = math.sqrt(0.5)
        turn = (half, -half * math.sin(side), half * math.cos(side), 0.0)
        shape = Capsule(radius=radius, length=capsule.length)
        bodies.append(
            Body(name=f"l{i}", mass=mass, inertia=inertia, position=0.5 * (at + end), orientation=turn, shapes=[shape])
        )
        if i:
            joints.append(Ball(name=f"j{i}", a=f"l{i - 1}", b=f"l{i}", at=at))
        at = end
    return Scene(bodies=bodies, joints=joints, shapes=[Plane()])


def table_and_arm() -> Scene:
    """A two-link arm that falls onto a box on a floor: joints, contacts with the ground and between two figures."""
    arm = {"mass": 0.5, "inertia": (1e-3, 4e-3, 4e-3)}
    along = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
    link = Capsule(radius=0.03, length=0.24, orientation=along)
    return Scene(
        bodies=[
            Body(name="upper", position=(0.15, 0.0, 0.6), **arm, shapes=[link]),
            Body(name="lower", position=(0.45, 0.0, 0.6), **arm, shapes=[link]),
            box("block", (0.5, 0.02, 0.2), (0.1, 0.12, 0.2), 1.5),
        ],
        joints=[
            Hinge(name="shoulder", a="world", b="upper", at=(0.0, 0.0, 0.6), axis=(0, 1, 0), damping=0.05),
            Ball(name="elbow", a="upper", b="lower", at=(0.3, 0.0, 0.6), stiffness=0.5, damping=0.02),
        ],
        shapes=[Plane()],
    )


def places(world: World) -> np.ndarray:
    return np.array([b.position for b in world.bodies.values()])


CARD, ROUND, LEAN = 0.3, 0.01, math.radians(25.0)  # between the middles of its round edges; their radius; from upright


def card(name: str, side: int, mu: float) -> Body:
    """A board with round edges that leans to the middle, its lower edge on the floor"""
    low = np.array([side * (CARD * math.sin(LEAN) + ROUND), 0.0, ROUND])
    middle = low + 0.5 * CARD * np.array([-side * math.sin(LEAN), 0.0, math.cos(LEAN)])
    tilt = -side * LEAN
    along = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # z to -y
    edges = [
        Capsule(radius=ROUND, length=0.2, position=(0.0, 0.0, end * 0.5 * CARD), orientation=along, friction=mu)
        for end in (-1, 1)
    ]
    board = Box(size=(1.8 * ROUND, 0.2, CARD - 2.0 * ROUND), friction=mu)
    return Body(
        name=name, mass=0.1, inertia=(0.1 / 12 * (0.2**2 + CARD**2), 0.1 / 12 * CARD**2, 0.1 / 12 * 0.2**2),
        position=middle, orientation=(math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0),
        shapes=[CompoundShape(parts=[board, *edges])],
    )  # fmt: skip
