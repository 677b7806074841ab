"""Figures made by a rule: chains, trees, the humanoid and its chain, the hand. Each returns a `Scene` of definitions.

They are the workloads of the benchmarks and of many tests.
"""

import math

import numpy as np

from physics.definitions.bodies import Body
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Free, Hinge, Joint, Weld
from physics.definitions.scene import Scene
from physics.maths.strict import cosine, norm, sine


def rod_inertia(mass: float, length: float, radius: float) -> tuple[float, float, float]:
    """A solid cylinder along x."""
    across = mass * (3.0 * radius * radius + length * length) / 12.0
    return 0.5 * mass * radius * radius, across, across


def along(direction: np.ndarray) -> tuple[float, ...]:
    """The quaternion that turns x to `direction`, the shortest way."""
    d = direction / norm(direction)
    if d[0] < -1.0 + 1e-12:
        return (0.0, 0.0, 0.0, 1.0)
    q = np.array([1.0 + d[0], 0.0, -d[2], d[1]])
    return tuple(q / norm(q))


def rod(name: str, start: np.ndarray, end: np.ndarray, mass: float, radius: float) -> Body:
    """A cylinder between two points."""
    inertia = rod_inertia(mass, norm(end - start), radius)
    return Body(
        name=name, mass=mass, inertia=inertia, position=tuple((start + end) / 2), orientation=along(end - start)
    )


def _check_joint(joint: str) -> None:
    if joint not in ("ball", "hinge"):
        raise DefinitionError("joint of the figure", joint, "'ball' or 'hinge'")


def chain(
    links: int = 30,
    *,
    length: float = 0.1,
    mass: float = 0.1,
    stiffness: float = 0.0,
    damping: float = 0.0,
    angle: float = 0.5 * math.pi,
    held: bool = True,
    joint: str = "ball",
    timestep: float = 1.0 / 240.0,
) -> Scene:
    """A straight chain of rods, held at its first end, drawn at `angle` [rad] from hanging down (default: level)."""
    _check_joint(joint)
    step = length * np.array([sine(angle), 0.0, -cosine(angle)])
    bodies = [rod(f"link{i}", i * step, (i + 1) * step, mass, 0.1 * length) for i in range(links)]
    joints: list[Joint] = []
    for i in range(0 if held else 1, links):
        a = "world" if i == 0 else f"link{i - 1}"
        if joint == "ball":
            joints.append(Ball(name=f"joint{i}", a=a, b=f"link{i}", at=i * step, stiffness=stiffness, damping=damping))
        else:
            joints.append(
                Hinge(
                    name=f"joint{i}",
                    a=a,
                    b=f"link{i}",
                    at=i * step,
                    axis=(0.0, 1.0, 0.0),
                    stiffness=stiffness,
                    damping=damping,
                )
            )
    return Scene(bodies=bodies, joints=joints, timestep=timestep)


def tree(levels: int = 7, *, held: bool = True, length: float = 0.1, mass: float = 0.1) -> Scene:
    """A balanced binary tree of ball joints: a trunk, then 2^levels - 1 bodies (7 levels: 128 bodies, 127 joints
    between them). Held, the trunk's lower end hangs on a further ball joint to the world."""
    count = 2**levels
    start = np.zeros((count, 3))
    end = np.zeros((count, 3))
    end[0] = (0.0, 0.0, length)
    for i in range(1, count):
        p = 0 if i == 1 else i // 2
        depth = i.bit_length()
        turn = 0.7 * depth + (0.0 if i % 2 else math.pi)
        lean = 0.6 / depth
        start[i] = end[p]
        direction = np.array([sine(lean) * cosine(turn), sine(lean) * sine(turn), cosine(lean)])
        end[i] = start[i] + length * direction
    bodies = [rod(f"b{i}", start[i], end[i], mass, 0.1 * length) for i in range(count)]
    joints: list[Joint] = [Ball(name="root", a="world", b="b0", at=start[0])] if held else []
    for i in range(1, count):
        p = 0 if i == 1 else i // 2
        joints.append(Ball(name=f"j{i}", a=f"b{p}", b=f"b{i}", at=start[i]))
    return Scene(bodies=bodies, joints=joints)


AXES = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def humanoid30(*, stiffness: float = 0.0, damping: float = 0.0) -> Scene:
    """A floating 20 kg torso with four limbs of six 1 kg links on hinges: 30 degrees of freedom [Featherstone05]."""
    torso = Body(name="torso", mass=20.0, inertia=(0.6, 0.5, 0.3), position=(0.0, 0.0, 1.0))
    bodies: list[Body] = [torso]
    joints: list[Joint] = []
    for limb, (x, y, z, down) in enumerate(
        ((0.0, 0.1, 0.7, -1.0), (0.0, -0.1, 0.7, -1.0), (0.0, 0.2, 1.3, 1.0), (0.0, -0.2, 1.3, 1.0))
    ):
        way = np.array([0.3, 0.4 * np.sign(y), down])
        rods, hinges = limb_of([f"limb{limb}_{k}" for k in range(6)], np.array([x, y, z]), way, stiffness, damping)
        bodies += rods
        joints += hinges
    return Scene(bodies=bodies, joints=joints)


def limb_of(
    names: list[str], at: np.ndarray, way: np.ndarray, stiffness: float, damping: float
) -> tuple[list[Body], list[Joint]]:
    """Rods of 0.12 m one behind the other, from a place of the torso on along `way`, with a hinge before each."""
    rods: list[Body] = []
    hinges: list[Joint] = []
    step, parent = 0.12 * way / norm(way), "torso"
    for k, name in enumerate(names):
        rods.append(rod(name, at, at + step, 1.0, 0.03))
        hinges.append(
            Hinge(name=f"j_{name}", a=parent, b=name, at=at, axis=AXES[k % 3], stiffness=stiffness, damping=damping)
        )
        parent, at = name, at + step
    return rods, hinges


def chain30(*, stiffness: float = 0.0, damping: float = 0.0) -> Scene:
    """The same torso and the same 24 links in one row: the branchless partner of `humanoid30`."""
    torso = Body(name="torso", mass=20.0, inertia=(0.6, 0.5, 0.3), position=(0.0, 0.0, 1.0))
    bodies: list[Body] = [torso]
    joints: list[Joint] = [Free(name="float", a="world", b="torso")]
    at, way = np.array([0.0, 0.1, 0.7]), np.array([0.3, 0.4, -1.0])
    rods, hinges = limb_of([f"link{k}" for k in range(24)], at, way, stiffness, damping)
    return Scene(bodies=[*bodies, *rods], joints=[*joints, *hinges])


# Lengths of the finger bones (thumb to little finger) [m]: shares of a hand of 0.19 m, as drawn by hand; the scene
# `hand` of the library has measured ones.
FINGERS = {
    "thumb": (0.046, 0.032, 0.027),
    "index": (0.045, 0.026, 0.022),
    "middle": (0.050, 0.030, 0.024),
    "ring": (0.046, 0.028, 0.023),
    "little": (0.036, 0.021, 0.020),
}


def hand(*, stiffness: float = 100.0, damping: float = 0.01, joint: str = "hinge") -> Scene:
    """A held palm with five fingers of three bones, stiff joints: 16 bones, 15 joints."""
    _check_joint(joint)
    palm = Body(name="palm", mass=0.25, inertia=(2.0e-4, 2.2e-4, 3.8e-4), position=(0.0, 0.0, 0.0))
    bodies: list[Body] = [palm]
    joints: list[Joint] = [Weld(name="wrist", a="world", b="palm", at=(-0.05, 0.0, 0.0))]
    for k, (finger, bones) in enumerate(FINGERS.items()):
        spread = 0.9 if k == 0 else 0.15 * (2.5 - k)
        at = np.array([-0.01, 0.045, 0.0]) if k == 0 else np.array([0.05, 0.0185 * (2.5 - k), 0.0])
        direction = np.array([cosine(spread), sine(spread), 0.0])
        axis = (sine(spread), -cosine(spread), 0.0)  # across the finger: positive angles curl it upwards
        parent = "palm"
        for n, length in enumerate(bones):
            name = f"{finger}{n + 1}"
            end = at + length * direction
            bodies.append(rod(name, at, end, 950.0 * math.pi * 0.008 * 0.008 * length, 0.008))
            if joint == "ball":
                joints.append(Ball(name=f"{name}_joint", a=parent, b=name, at=at, stiffness=stiffness, damping=damping))
            else:
                joints.append(
                    Hinge(
                        name=f"{name}_joint", a=parent, b=name, at=at, axis=axis, stiffness=stiffness, damping=damping
                    )
                )
            parent, at = name, end
    return Scene(bodies=bodies, joints=joints)
