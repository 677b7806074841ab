"""How a figure looks: for each body a list of primitives in its own frame. If a body has no shapes, the primitives are
derived from its joints."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.render.bodies import Placed, drawn_pose, placed_bodies
from app.render.marks import guides_of, joint_marks, rods_of, ties
from app.render.primitives import Guide, Numbers, Primitive, Rod, capsule, colour_of
from app.render.skin import WornSkin, worn_skins
from physics.definitions.bodies import Fixed, Particle, PlanarBody
from physics.definitions.checks import WORLD
from physics.definitions.joints import Free
from physics.definitions.scene import Scene
from physics.definitions.shapes.shape import Triangles
from physics.maths.rotations import conjugate, turned

# a colour for each limb: muted, of different hue and the same lightness
PALETTE = ("#b98a6e", "#7593a8", "#8a9d76", "#bba672", "#94809e", "#739c97", "#ae7f80", "#8f949e")
BONE = "#d9cfbd"


@dataclass(frozen=True)
class Look:
    """The drawing of a scene. The key "" of `bodies` has the scenery that does not move."""

    bodies: Mapping[str, Sequence[Primitive]]
    rods: Sequence[Rod] = ()
    guides: Sequence[Guide] = ()
    ground: float | None = 0.0  # height of the floor
    centre: Numbers = (0.0, 0.0, 0.0)
    radius: float = 1.0  # of the ball around everything at the start
    meshes: Mapping[str, Triangles] = field(default_factory=dict)
    skins: Sequence[WornSkin] = ()

    def skinned(self) -> set[str]:
        """Return the names of the bodies under a skin."""
        return {name for worn in self.skins for name in worn.bodies}


# ---------------------------------------------------------------- a look from the joints alone
def derive_look(scene: Scene) -> Look:
    """Return a look made from the joints alone: capsules from joint to joint, spheres at ball joints, cylinders at
    hinges."""
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
        bodies=bodies, rods=rods_of(scene), guides=guides_of(scene), ground=floor_under(scene), centre=centre,
        radius=radius, skins=worn_skins(scene),
    )  # fmt: skip


def anchors_of(scene: Scene) -> dict[str, list[np.ndarray]]:
    """Return the points of each body's joints in the world as drawn. The joint toward the root comes first."""
    found: dict[str, list[np.ndarray]] = {b.name: [] for b in placed_bodies(scene)}
    for joint in scene.joints:
        if isinstance(joint, Free) or ties(joint):
            continue
        for name, point, first in ((joint.a, joint.points[0], False), (joint.b, joint.points[1], True)):
            if name in found:
                place = np.array(point)
                found[str(name)].insert(0, place) if first else found[str(name)].append(place)
    return found


def limb_colours(scene: Scene) -> dict[str, Numbers]:
    """Return the colours of the bodies. A limb is a branch where the tree first divides; each limb has its own colour.
    Bodies before that division have the colour of bone."""
    names = [b.name for b in placed_bodies(scene)]
    parents = {str(j.b): str(j.a) for j in scene.joints if not ties(j)}
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
    """Return twice the median distance [m] from a joint to the centre of mass of its body. Without joints, the
    distances of the bodies give the length."""
    places = {b.name: drawn_pose(b)[0] for b in placed_bodies(scene)}
    spans = [2.0 * float(np.linalg.norm(p - places[name])) for name, points in anchors.items() for p in points]
    spans = [s for s in spans if s > 1e-9]
    if not spans:
        all_places = np.array(list(places.values()))
        spans = [float(np.ptp(all_places, axis=0).max()) / max(len(places), 1) or 0.1]
    return float(np.median(spans))


def bones(body: Placed, anchors: list[np.ndarray], colour: Numbers, length: float) -> list[Primitive]:
    """Return the primitives of a body without a drawn shape: a ball for a particle; rods between its joints, or from
    its only joint through its centre; and a box of the same inertia for a body without joints. A body with many joints
    has a box, and rods from its centre to the joints. `length` is the figure's typical length [m], which gives the
    radius of balls and rods."""
    if isinstance(body, Particle):
        r = 0.12 * length
        return [Primitive("sphere", (r, r, r, 0.0), colour=colour)]
    middle, turn = drawn_pose(body)
    local = [turned(conjugate(turn), p - middle) for p in anchors]
    moments = moments_of(body)
    thin = math.sqrt(2.0 * float(moments.min()) / mass_of(body))  # radius of a rod: I = m r^2 / 2
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
    """Return whether the first anchor is apart from the others, so that the body hangs on it, as a palm hangs on its
    wrist."""
    rest = np.array(local[1:])
    return float(np.linalg.norm(local[0] - rest.mean(0))) > 0.8 * float(np.ptp(rest, axis=0).max())


def mass_of(body: Placed) -> float:
    """Return the mass of a body [kg]; 1 for a body that is fixed."""
    return 1.0 if isinstance(body, Fixed) else body.mass


def moments_of(body: Placed) -> np.ndarray:
    """Return the moments of inertia (3) about the body's own axes [kg m^2]. A planar body has those of a rod; fixed
    bodies and particles have 1."""
    if isinstance(body, PlanarBody):
        return body.inertia * np.array([1e-2, 1.0, 1.0])
    return np.ones(3) if isinstance(body, Fixed | Particle) else np.array(body.inertia[:3])


def equivalent_box(body: Placed, colour: Numbers) -> Primitive:
    """Return the box with the body's mass and moments: a^2 = 6 (Iy + Iz - Ix) / m."""
    i = moments_of(body)
    edges = np.sqrt(np.maximum(6.0 * (i.sum() - 2.0 * i) / mass_of(body), 1e-12))
    return Primitive("box", (*(0.5 * edges), 0.0), colour=colour)


def floor_under(scene: Scene) -> float:
    """Return a height [m] at which a floor touches nothing: below the reach of a figure that is attached to the world,
    or below the lowest body of another figure."""
    places = {b.name: drawn_pose(b)[0] for b in placed_bodies(scene)}
    lowest = min(float(p[2]) for p in places.values())
    held = [j for j in scene.joints if j.a == WORLD and not isinstance(j, Free)]
    for joint in held:
        top = np.array(joint.points[0])
        reach = max(float(np.linalg.norm(p - top)) for p in places.values())
        lowest = min(lowest, float(top[2]) - 1.25 * reach)
    return lowest


def ball_around(scene: Scene, anchors: Mapping[str, list[np.ndarray]]) -> tuple[Numbers, float]:
    """Return centre and radius of a ball around everything, for the first view."""
    bodies = placed_bodies(scene)
    places = {b.name: drawn_pose(b)[0] for b in bodies}
    tips = [2.0 * places[b.name] - p for b in bodies for p in anchors[b.name] if len(anchors[b.name]) == 1]
    points = np.array([*places.values(), *(p for some in anchors.values() for p in some), *tips])
    low, high = points.min(0), points.max(0)
    radius = 0.5 * float(np.linalg.norm(high - low))
    return tuple(0.5 * (low + high)), max(radius, 0.05)
