"""A ragdoll of 16 capsules on ball joints and hinges, every one with damping and hard limits, and heaps of them.

It is as tall as a person, 1.7 m, of water (1000 kg/m^3, 69 kg). Balls: waist, spine, neck, shoulders, wrists, hips,
ankles; hinges: elbows and knees.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physics.maths.rotations import matrix_of, quaternion_product
from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Shape
from physics import Capsule, Plane
from physics.world.world import World

Floats = NDArray[np.float64]
DENSITY = 1000.0
ROOM = 2.5  # half the width of a room with walls, m


class Part(NamedTuple):
    """A capsule and the joint that ties it to its parent, in the frame of the pelvis, x forward, z up"""

    name: str
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    radius: float
    parent: str = ""
    anchor: tuple[float, float, float] = (0.0, 0.0, 0.0)
    swing: float = 0.0  # of a ball joint, rad from where the axis of its cone stands at first
    cone: tuple[float, float, float] = (0.0, 0.0, 1.0)
    axis: tuple[float, float, float] | None = None  # of a hinge
    bend: tuple[float, float] = (0.0, 0.0)
    damping: float = 0.0  # N m s/rad


def _limbs(side: int) -> list[Part]:
    def at(x: float, y: float, z: float) -> tuple[float, float, float]:
        return (x, side * y, z)

    k = "left" if side > 0 else "right"
    return [
        Part(f"{k} upper arm", at(0, 0.22, 0.38), at(0, 0.42, 0.32), 0.04, "chest", at(0, 0.19, 0.38),
             swing=1.6, cone=at(0, 0.958, -0.287), damping=0.15),
        Part(f"{k} forearm", at(0, 0.47, 0.30), at(0, 0.67, 0.24), 0.035, f"{k} upper arm", at(0, 0.44, 0.31),
             axis=(0, 0, -side), bend=(-2.2, 0.05), damping=0.1),
        Part(f"{k} hand", at(0, 0.72, 0.225), at(0, 0.80, 0.20), 0.035, f"{k} forearm", at(0, 0.69, 0.235),
             swing=0.9, cone=at(0, 0.954, -0.298), damping=0.025),
        Part(f"{k} thigh", at(0, 0.10, -0.08), at(0, 0.11, -0.38), 0.065, "pelvis", at(0, 0.10, -0.04),
             swing=1.4, cone=at(0, 0.033, -0.999), damping=0.5),
        Part(f"{k} shin", at(0, 0.11, -0.46), at(0, 0.11, -0.76), 0.05, f"{k} thigh", at(0, 0.11, -0.42),
             axis=(0, 1, 0), bend=(-0.05, 2.4), damping=0.2),
        Part(f"{k} foot", at(-0.03, 0.11, -0.85), at(0.13, 0.11, -0.86), 0.04, f"{k} shin", at(0, 0.11, -0.81),
             swing=0.7, cone=(0.998, 0.0, -0.062), damping=0.05),
    ]  # fmt: skip


PARTS: list[Part] = [
    Part("pelvis", (0, -0.07, 0), (0, 0.07, 0), 0.09),
    Part("abdomen", (0, 0, 0.10), (0, 0, 0.20), 0.08, "pelvis", (0, 0, 0.08), swing=0.6, damping=0.5),
    Part("chest", (0, -0.08, 0.34), (0, 0.08, 0.34), 0.10, "abdomen", (0, 0, 0.24), swing=0.6, damping=0.5),
    Part("head", (0, 0, 0.56), (0, 0, 0.60), 0.09, "chest", (0, 0, 0.47), swing=0.7, damping=0.15),
    *_limbs(-1),
    *_limbs(1),
]


def capsule_mass(radius: float, half: float) -> tuple[float, float, float]:
    """(mass, inertia across the axis, inertia along it)"""
    tube = DENSITY * math.pi * radius**2 * 2.0 * half
    ball = DENSITY * 4.0 / 3.0 * math.pi * radius**3
    across = tube * (half**2 / 3.0 + radius**2 / 4.0)
    across += ball * (0.4 * radius**2 + half**2 + 0.75 * half * radius)
    return tube + ball, across, tube * radius**2 / 2.0 + ball * 0.4 * radius**2


def turn_to(d: Floats) -> tuple[float, float, float, float]:
    """The quaternion that turns z to d, the shortest way"""
    d = d / np.linalg.norm(d)
    q = np.array([1.0 + d[2], -d[1], d[0], 0.0])
    if q[0] < 1e-9:
        return (0.0, 1.0, 0.0, 0.0)
    q /= np.linalg.norm(q)
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def add_ragdoll(
    bodies: list[Any], joints: list[Any], name: str, at: Any, turned: Any, limits: bool, friction: float
) -> None:
    """One more ragdoll whose pelvis is at `at`, turned by a quaternion; its bodies are called `name` + part."""
    turn = matrix_of(np.array(turned))

    def place(p: Any) -> Floats:
        return np.asarray(at, float) + turn @ np.asarray(p, float)

    for part in PARTS:
        start, end = place(part.start), place(part.end)
        half = 0.5 * float(np.linalg.norm(end - start))
        mass, across, along = capsule_mass(part.radius, half)
        bodies.append(
            Body(
                name=name + part.name, mass=mass, inertia=(across, across, along), position=0.5 * (start + end),
                orientation=turn_to(end - start),
                shapes=[Capsule(radius=part.radius, length=2.0 * half, friction=friction)],
            )
        )  # fmt: skip
        if not part.parent:
            continue
        tie: dict[str, Any] = {
            "name": name + part.name, "a": name + part.parent, "b": name + part.name,
            "at": place(part.anchor), "damping": part.damping,
        }  # fmt: skip
        if part.axis is not None:
            hard = Limits(lower=part.bend[0], upper=part.bend[1]) if limits else None
            joints.append(Hinge(axis=turn @ np.array(part.axis, float), limits=hard, **tie))
        else:
            hard = Limits(swing=part.swing) if limits else None
            joints.append(Ball(twist_axis=turn @ np.array(part.cone, float), limits=hard, **tie))


def placements(count: int, seed: int = 1) -> list[tuple[Floats, Floats]]:
    """Where the ragdolls of a heap start, and how each is turned: one alone stands, others lie on their backs above
    each other, in layers of four from eleven on, so near that they fall on each other and none into another."""
    if count == 1:
        return [(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0, 0.0]))]
    rng = np.random.default_rng(seed)
    columns = 1 if count <= 10 else 4
    out = []
    for k in range(count):
        column, layer = k % columns, k // columns
        place = np.zeros(2) if columns == 1 else np.array([1.0 - 2.0 * (column % 2), 1.0 - 2.0 * (column // 2)])
        place += rng.uniform(-0.03, 0.03, 2)
        yaw = rng.uniform(0.0, 2.0 * math.pi)
        half = math.sqrt(0.5)
        turn = quaternion_product(np.array([math.cos(yaw / 2), 0, 0, math.sin(yaw / 2)]), np.array([half, 0, -half, 0]))
        out.append((np.array([*place, 0.4 + 0.42 * layer]), turn))
    return out


def heap(count: int, *, limits: bool = True, friction: float = 1.0, walls: bool = False, seed: int = 1) -> Scene:
    """Ragdolls that fall onto a floor on top of each other."""
    bodies: list[Any] = []
    joints: list[Any] = []
    for k, (at, turned) in enumerate(placements(count, seed)):
        add_ragdoll(bodies, joints, f"{k} ", at, turned, limits, friction)
    room: list[Shape] = [Plane(friction=friction)]
    if walls:
        ways = [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0)]
        room += [Plane.facing(n, tuple(-ROOM * c for c in n), friction=friction) for n in ways]
    return Scene(bodies=bodies, joints=joints, shapes=room)


def heap_hash(count: int, steps: int, method: str, sleeping: bool, restored: bool = False) -> str:
    """The state's hash at the end; `restored`: by way of a snapshot and another world"""
    world = heap_world(count, method, sleeping)
    world.step(steps // 2)
    if restored:
        kept = world.snapshot()
        world = heap_world(count, method, False)
        world.restore(kept)
    world.step(steps - steps // 2)
    return world.state_hash()


def heap_world(count: int, method: str, sleeping: bool) -> World:
    world = World(heap(count), integrator="implicit")
    world.contact_method = method
    world.sleeping = sleeping
    return world
