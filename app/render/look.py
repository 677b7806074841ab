"""How a figure looks: for each body a list of primitives in its own frame, derived from the joints where none is given.

A primitive is one of the shapes of `SHAPES`, turned by `rotation` and moved by `at` in the frame of its body (centre of
mass, the definition's orientation). `size` multiplies the unit shape: sphere (r, r, r, 0),
capsule (r, r, r, half), cylinder (r, r, half, 0), box (half x, half y, half z, 0), mesh (s, s, s, 0).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.bodies import Placed, drawn_pose, placed_bodies
from app.render.skin import WornSkin, worn_skins
from app.rotations import conjugate, turned
from physics.definitions import (
    WORLD,
    Ball,
    Body,
    Distance,
    Fixed,
    Free,
    Hinge,
    Joint,
    Particle,
    PlanarBody,
    Scene,
    Slider,
    Universal,
    Weld,
)

Numbers = tuple[float, ...]
SHAPES = ("sphere", "capsule", "cylinder", "box")
NO_TURN = (1.0, 0.0, 0.0, 0.0)
# muted, apart in hue, alike in lightness: a colour for each limb
PALETTE = ("#b98a6e", "#7593a8", "#8a9d76", "#bba672", "#94809e", "#739c97", "#ae7f80", "#8f949e")
BONE = "#d9cfbd"
JOINT = "#5b6068"


@dataclass(frozen=True)
class Primitive:
    shape: str  # of SHAPES, or the name of a mesh of the look
    size: Numbers
    at: Numbers = (0.0, 0.0, 0.0)  # m, body frame
    rotation: Numbers = NO_TURN  # w first
    colour: Numbers = (0.7, 0.7, 0.7, 1.0)  # linear red, green, blue, opacity
    joint: str = ""  # drawn for this joint: not taken hold of, and can be left out


@dataclass(frozen=True)
class Mesh:
    """Triangles in a body's frame, three vertices each, with their normals."""

    vertices: np.ndarray  # (3 m, 3)
    normals: np.ndarray  # (3 m, 3)


@dataclass(frozen=True)
class Rod:
    """A line between points of two bodies: rods and springs. Body -1 is the world."""

    bodies: tuple[int, int]
    points: tuple[Numbers, Numbers]  # body frames
    colour: Numbers = (0.30, 0.32, 0.36, 1.0)


@dataclass(frozen=True)
class Look:
    """What is drawn of a scene. The key "" of `bodies` stands for scenery that does not move."""

    bodies: Mapping[str, Sequence[Primitive]]
    rods: Sequence[Rod] = ()
    ground: float | None = 0.0  # height of the floor
    centre: Numbers = (0.0, 0.0, 0.0)
    radius: float = 1.0  # of the ball around everything at the start
    meshes: Mapping[str, Mesh] = field(default_factory=dict)
    skins: Sequence[WornSkin] = ()

    def skinned(self) -> set[str]:
        """Bodies under a skin."""
        return {name for worn in self.skins for name in worn.bodies}


# ---------------------------------------------------------------- small geometry
def colour_of(text: str) -> Numbers:
    """ "#rrggbb" in display space to linear red, green, blue, opacity."""
    parts = [int(text[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    return (*(c**2.2 for c in parts), 1.0)


def upright_to(direction: np.ndarray) -> Numbers:
    """The quaternion that turns z to `direction`, the shortest way."""
    d = direction / np.linalg.norm(direction)
    if d[2] < -1.0 + 1e-9:
        return (0.0, 1.0, 0.0, 0.0)
    q = np.array([1.0 + d[2], -d[1], d[0], 0.0])
    return tuple(q / np.linalg.norm(q))


def capsule(start: np.ndarray, end: np.ndarray, radius: float, colour: Numbers) -> Primitive:
    """Between two points of the body's frame."""
    along = end - start
    length = float(np.linalg.norm(along))
    rotation = upright_to(along) if length > 1e-9 else NO_TURN
    size = (radius, radius, radius, 0.5 * length)
    return Primitive("capsule", size, tuple(0.5 * (start + end)), rotation, colour)


# ---------------------------------------------------------------- a look from the joints alone
def derive_look(scene: Scene) -> Look:
    """Capsules from joint to joint, spheres at ball joints, cylinders at hinges: decent for any figure."""
    anchors = anchors_of(scene)
    colours = limb_colours(scene)
    length = typical_length(scene, anchors)
    by_name = {b.name: b for b in placed_bodies(scene)}
    bodies: dict[str, list[Primitive]] = {name: [] for name in by_name}
    for name, body in by_name.items():
        if not isinstance(body, Fixed):
            bodies[name] = bones(body, anchors[name], colours[name], length)
    for joint in scene.joints:
        owner, point = (joint.b, joint.points[1]) if joint.b != WORLD else (joint.a, joint.points[0])
        if owner in by_name:
            thick = max((p.size[0] for p in bodies[str(owner)] if p.shape == "capsule"), default=0.1 * length)
            bodies[str(owner)] += joint_marks(joint, by_name[str(owner)], np.array(point), thick)
    centre, radius = ball_around(scene, anchors)
    return Look(
        bodies=bodies, rods=rods_of(scene), ground=floor_under(scene), centre=centre, radius=radius,
        skins=worn_skins(scene),
    )  # fmt: skip


def anchors_of(scene: Scene) -> dict[str, list[np.ndarray]]:
    """The world points of each body's joints as drawn, the one toward the root first."""
    found: dict[str, list[np.ndarray]] = {b.name: [] for b in placed_bodies(scene)}
    for joint in scene.joints:
        if isinstance(joint, Free | Distance):
            continue
        for name, point, first in ((joint.a, joint.points[0], False), (joint.b, joint.points[1], True)):
            if name in found:
                place = np.array(point)
                found[str(name)].insert(0, place) if first else found[str(name)].append(place)
    return found


def limb_colours(scene: Scene) -> dict[str, Numbers]:
    """Each limb (a branch of the tree where it first divides) has a colour of its own; what comes before is bone."""
    names = [b.name for b in placed_bodies(scene)]
    parents = {str(j.b): str(j.a) for j in scene.joints if not isinstance(j, Distance)}
    children: dict[str, list[str]] = {}
    for name in names:
        children.setdefault(parents.get(name, WORLD), []).append(name)
    bone = colour_of(BONE)
    colours = dict.fromkeys(names, bone)
    limbs = children.get(WORLD, names)
    while len(limbs) == 1 and limbs[0] in children:
        limbs = children[limbs[0]]
    for n, limb in enumerate(limbs):
        ahead = [limb]
        while ahead:
            name = ahead.pop()
            colours[name] = colour_of(PALETTE[n % len(PALETTE)])
            ahead += children.get(name, [])
    return colours if len(limbs) > 1 else dict.fromkeys(names, colour_of(PALETTE[1]))


def typical_length(scene: Scene, anchors: Mapping[str, list[np.ndarray]]) -> float:
    """Median distance from a joint to the centre of mass, doubled."""
    places = {b.name: drawn_pose(b)[0] for b in placed_bodies(scene)}
    spans = [2.0 * float(np.linalg.norm(p - places[name])) for name, points in anchors.items() for p in points]
    spans = [s for s in spans if s > 1e-9]
    if not spans:
        all_places = np.array(list(places.values()))
        spans = [float(np.ptp(all_places, axis=0).max()) / max(len(places), 1) or 0.1]
    return float(np.median(spans))


def moments_of(body: Body | PlanarBody) -> np.ndarray:
    """About its axes; a planar body has one moment only."""
    return np.full(3, body.inertia) if isinstance(body, PlanarBody) else np.array(body.inertia[:3])


def bones(
    body: Body | Particle | PlanarBody, anchors: list[np.ndarray], colour: Numbers, length: float
) -> list[Primitive]:
    if isinstance(body, Particle):
        r = 0.12 * length
        return [Primitive("sphere", (r, r, r, 0.0), colour=colour)]
    middle, turn = drawn_pose(body)
    local = [turned(conjugate(turn), p - middle) for p in anchors]
    moments = moments_of(body)
    thin = math.sqrt(2.0 * float(moments.min()) / body.mass)  # radius of a rod: I = m r^2 / 2
    if len(local) == 0 or (len(local) > 1 and max(np.linalg.norm(p) for p in local) < 1e-9):
        return [equivalent_box(body, colour)]
    if len(local) == 1:
        ends = [(local[0], -local[0])]
    elif len(local) > 3 and not joined_to_world(anchors, local):
        return [equivalent_box(body, colour)] + [capsule(np.zeros(3), p, 0.08 * length, colour) for p in local]
    else:
        ends = [(local[0], p) for p in local[1:]]
    reach = float(np.mean([np.linalg.norm(b - a) for a, b in ends]))
    radius = min(thin, 0.1 * reach) if len(ends) > 1 else min(thin, 0.45 * reach)
    return [capsule(a, b, max(radius, 0.02 * length), colour) for a, b in ends]


def joined_to_world(anchors: list[np.ndarray], local: list[np.ndarray]) -> bool:
    """The first anchor lies apart from the others: the body hangs on it, as a palm on its wrist."""
    rest = np.array(local[1:])
    return float(np.linalg.norm(local[0] - rest.mean(0))) > 0.8 * float(np.ptp(rest, axis=0).max())


def equivalent_box(body: Body | PlanarBody, colour: Numbers) -> Primitive:
    """The box with the body's mass and moments: a^2 = 6 (Iy + Iz - Ix) / m; a sphere-like body becomes a cube."""
    i = moments_of(body)
    edges = np.sqrt(np.maximum(6.0 * (i.sum() - 2.0 * i) / body.mass, 1e-12))
    return Primitive("box", (*(0.5 * edges), 0.0), colour=colour)


def joint_marks(joint: Joint, body: Placed, point: np.ndarray, thick: float) -> list[Primitive]:
    """A small sphere for a ball joint, short cylinders along a hinge's axes, a small box for a weld or slider."""
    if isinstance(body, Particle) or isinstance(joint, Free | Distance):
        return []
    middle, turn = drawn_pose(body)
    back = conjugate(turn)
    at = tuple(turned(back, point - middle))
    colour = colour_of(JOINT)
    if isinstance(joint, Ball):
        r = 1.12 * thick
        return [Primitive("sphere", (r, r, r, 0.0), at, NO_TURN, colour, joint.name)]
    if isinstance(joint, Hinge | Universal):
        axes = [joint.axis] + ([joint.axis2] if isinstance(joint, Universal) else [])
        turns = [upright_to(turned(back, np.array(axis))) for axis in axes]
        size = (0.8 * thick, 0.8 * thick, 1.14 * thick, 0.0)
        return [Primitive("cylinder", size, at, turn, colour, joint.name) for turn in turns]
    axis = np.array(joint.axis if isinstance(joint, Slider) else (0.0, 0.0, 1.0))
    half = (1.1 * thick, 1.1 * thick, (2.2 if isinstance(joint, Slider) else 1.1) * thick, 0.0)
    turn = NO_TURN if isinstance(joint, Weld) else upright_to(turned(back, axis))
    return [Primitive("box", half, at, turn, colour, joint.name)]


def rods_of(scene: Scene) -> list[Rod]:
    """The distance constraints, as lines."""
    numbers = {b.name: i for i, b in enumerate(placed_bodies(scene))}
    places = {b.name: drawn_pose(b) for b in placed_bodies(scene)}
    rods = []
    for joint in scene.joints:
        if isinstance(joint, Distance):
            points = []
            for name, point in zip((joint.a, joint.b), joint.points, strict=True):
                place, q = places.get(str(name), (np.zeros(3), np.array(NO_TURN)))
                points.append(tuple(turned(conjugate(q), np.array(point) - place)))
            ends = (numbers.get(str(joint.a), -1), numbers.get(str(joint.b), -1))
            rods.append(Rod(ends, (points[0], points[1])))
    return rods


def floor_under(scene: Scene) -> float:
    """Where a floor is out of the way: under the reach of a figure that is held, else under its lowest body."""
    places = {b.name: drawn_pose(b)[0] for b in placed_bodies(scene)}
    lowest = min(float(p[2]) for p in places.values())
    held = [j for j in scene.joints if j.a == WORLD and not isinstance(j, Free)]
    for joint in held:
        top = np.array(joint.points[0])
        reach = max(float(np.linalg.norm(p - top)) for p in places.values())
        lowest = min(lowest, float(top[2]) - 1.25 * reach)
    return lowest


def ball_around(scene: Scene, anchors: Mapping[str, list[np.ndarray]]) -> tuple[Numbers, float]:
    """Centre and radius for the first view."""
    bodies = placed_bodies(scene)
    places = {b.name: drawn_pose(b)[0] for b in bodies}
    tips = [2.0 * places[b.name] - p for b in bodies for p in anchors[b.name] if len(anchors[b.name]) == 1]
    points = np.array([*places.values(), *(p for some in anchors.values() for p in some), *tips])
    low, high = points.min(0), points.max(0)
    radius = 0.5 * float(np.linalg.norm(high - low))
    return tuple(0.5 * (low + high)), max(radius, 0.05)
