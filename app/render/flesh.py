"""The flesh of a right hand as a signed distance field: round cones, and how smoothly neighbours are joined.

The bones are those of the scene `hand` (palm down, fingers along x, thumb to y, z dorsal, wrist at the origin), given
as the two ends of each bone. The parts between them (knuckles, pads, thenar, webs) are set by hand. `skin.py` makes
from the field the mesh that the program draws.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

MM = 1e-3
DIGITS = ("thumb", "index", "middle", "ring", "little")
# radii at the joints of each digit and at its tip [mm]
RADII = {
    "thumb": (13.5, 11.6, 10.2, 8.2),
    "index": (11.0, 9.6, 8.5, 7.1),
    "middle": (11.2, 9.8, 8.7, 7.2),
    "ring": (10.6, 9.2, 8.2, 6.9),
    "little": (9.5, 7.9, 7.1, 6.1),
}
# how softly each group runs into the palm [m]; the palm is group 0
JOINS = (0.0, 0.014, 0.009, 0.009, 0.009, 0.009)
# where the nail of the thumb looks: outward and up; the fingers' look up
THUMB_DORSAL = np.array([-0.38, 0.62, 0.68])
Ends = Mapping[str, tuple[np.ndarray, np.ndarray]]  # bone -> start, end, m


@dataclass(frozen=True)
class Cones:
    """Round cones: each joins a ball of radius `ra` at `a` to a ball of radius `rb` at `b`. All arrays have a row for
    each cone."""

    group: np.ndarray
    a: np.ndarray
    ra: np.ndarray
    b: np.ndarray
    rb: np.ndarray
    soft: np.ndarray  # m


def mm(x: float, y: float, z: float) -> np.ndarray:
    """Return a vector (3) in metres from millimetres."""
    return np.array([x, y, z]) * MM


def bone_frame(bone: str, ends: Ends) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the unit vectors across, along and dorsal of a bone."""
    start, end = ends[bone]
    along = (end - start) / np.linalg.norm(end - start)
    dorsal = THUMB_DORSAL if bone.startswith("thumb") else np.array([0.0, 0.0, 1.0])
    dorsal = dorsal - along * (dorsal @ along)
    dorsal = dorsal / np.linalg.norm(dorsal)
    return np.cross(along, dorsal), along, dorsal


AddCone = Callable[[int, object, float, object, float, float], None]


def make_flesh(ends: Ends) -> Cones:
    """Return the cones of the flesh around the bones, from the two ends of each bone."""
    rows: list[tuple[int, np.ndarray, float, np.ndarray, float, float]] = []

    def cone(group: int, a: object, ra: float, b: object, rb: float, soft: float) -> None:
        rows.append((group, np.asarray(a, float), ra, np.asarray(b, float), rb, soft))

    _palm(cone, ends)
    for number, digit in enumerate(DIGITS, 1):
        _digit(cone, number, digit, ends)
    group, a, ra, b, rb, soft = (np.array(column) for column in zip(*rows, strict=True))
    return Cones(group, a, ra * MM, b, rb * MM, soft * MM)


def _palm(cone: AddCone, ends: Ends) -> None:
    """Add the cones of the palm: two layers of metacarpals, the ball of the thumb, the heel of the hand, webs, and the
    wrist."""
    knuckles = [ends[f"{digit}1"][0] for digit in DIGITS[1:]]
    wrists = np.array([[20, 15, -3], [18, 5, -1], [18, -6, -1.5], [20, -16, -4]]) * MM
    for root, knuckle, thick, pad in zip(wrists, knuckles, (11.4, 11.6, 11.0, 10.0), (9.4, 9.6, 9.4, 8.6), strict=True):
        cone(0, root + mm(0, 0, -1.5), 12.0, knuckle + mm(-4, 0, -2), thick, 14.0)
        cone(0, root + mm(4, 0, -7), 11.0, knuckle + mm(-9, 0, -8.5), pad, 14.0)
    for a, ra, b, rb, soft in (
        ((28, 22, -13), 14.5, (56, 38, -16.5), 11.5, 12),  # ball of the thumb
        ((44, 12, -12), 11.0, (70, 20, -11), 9.5, 12),
        ((24, -20, -12), 13.5, (64, -36, -11), 10.0, 12),  # heel
        ((-46, 8, -4), 18.5, (2, 8, -4), 16.0, 14),  # the wrist is oval
        ((-46, -8, -4), 18.5, (2, -8, -4), 15.5, 14),
        ((62, 40, -12), 7.5, (80, 30, -7), 7.0, 14),  # web of the thumb
    ):
        cone(0, np.array(a) * MM, ra, np.array(b) * MM, rb, soft)
    for left, right in pairwise(knuckles):
        web = 0.5 * (left + right) + mm(8, 0, -5.5)
        cone(0, web, 5.8, web + mm(-12, 0, 1), 6.5, 7.0)


def _digit(cone: AddCone, group: int, digit: str, ends: Ends) -> None:
    """Add the cones of a digit: three phalanges that taper, a pad under each, and the knuckle."""
    radii = RADII[digit]
    for i in range(3):
        bone = f"{digit}{i + 1}"
        start, end = ends[bone]
        _, along, dorsal = bone_frame(bone, ends)
        length = float(np.linalg.norm(end - start))
        ra, rb = radii[i], radii[i + 1]
        # the bones of the scene end short of the tip by their radius
        tip = end if i < 2 else end + along * 0.2e-3
        cone(group, start, 0.97 * ra if i == 0 else ra, tip, rb, 4.5)
        if digit == "thumb" and i == 0:
            ball, top = start + along * 0.45 * length - dorsal * 5e-3, start + along * 0.85 * length - dorsal * 2e-3
            cone(group, ball, 12.0, top, 10.5, 8.0)
            continue
        at, to = ((0.30, 0.78), (0.30, 0.74), (0.35, 0.85))[i]
        deep = (1.8, 1.5, 1.6)[i] * MM
        cone(
            group, start + along * at * length - dorsal * deep, 0.93 * (ra + (rb - ra) * at),
            start + along * to * length - dorsal * deep * (0.9 if i < 2 else 0.7), 0.93 * (ra + (rb - ra) * to), 3.0,
        )  # fmt: skip
    if digit != "thumb":
        start, _ = ends[f"{digit}1"]
        _, along, dorsal = bone_frame(f"{digit}1", ends)
        cone(0, start + dorsal * 1e-3 - along * 1e-3, 0.86 * radii[0], start + along * 3e-3, 0.84 * radii[0], 9.0)


# ---------------------------------------------------------------- distances
def cone_distance(p: np.ndarray, a: np.ndarray, ra: float, b: np.ndarray, rb: float) -> np.ndarray:
    """Return the distances (n) of points (n, 3) to one round cone, after I. Quilez, Distance functions
    (iquilezles.org)."""
    axis = b - a
    l2 = float(axis @ axis)
    rr = ra - rb
    a2 = l2 - rr * rr
    pa = p - a
    y = pa @ axis
    z = y - l2
    x2 = ((pa * l2 - axis * y[:, None]) ** 2).sum(1)
    y2, z2 = y * y * l2, z * z * l2
    k = np.sign(rr) * rr * rr * x2
    at_b = np.sqrt(x2 + z2) / l2 - rb
    at_a = np.sqrt(x2 + y2) / l2 - ra
    side = (np.sqrt(x2 * a2 / l2) + y * rr) / l2 - ra
    return np.where(np.sign(z) * a2 * z2 > k, at_b, np.where(np.sign(y) * a2 * y2 < k, at_a, side))


def soft_minimum(a: np.ndarray, b: np.ndarray, soft: float) -> np.ndarray:
    """Return the lesser of two numbers, rounded by a cubic if they differ by less than `soft`."""
    if soft <= 0.0:
        return np.minimum(a, b)
    h = np.maximum(soft - np.abs(a - b), 0.0)
    return np.minimum(a, b) - h**3 / (6.0 * soft * soft)


def group_distances(p: np.ndarray, flesh: Cones) -> np.ndarray:
    """Return the distances (n, 6) of points to the palm and to each digit."""
    out = np.full((len(p), 1 + len(DIGITS)), 1.0)
    for g, a, ra, b, rb, soft in zip(flesh.group, flesh.a, flesh.ra, flesh.b, flesh.rb, flesh.soft, strict=True):
        out[:, g] = soft_minimum(out[:, g], cone_distance(p, a, ra, b, rb), soft)
    return out


CUT = -0.034  # m: the forearm ends here
ROUNDED = 0.012  # m: its edge, which the mesh could not follow were it sharp


def distance(p: np.ndarray, flesh: Cones) -> np.ndarray:
    """Return the distances (n) of points to the flesh; they are negative inside."""
    groups = group_distances(p, flesh)
    whole = groups[:, 0]
    for number, join in enumerate(JOINS[1:], 1):
        whole = np.minimum(whole, soft_minimum(groups[:, 0], groups[:, number], join))
    return -soft_minimum(-whole, p[:, 0] - CUT, ROUNDED)


def gradient(p: np.ndarray, flesh: Cones, step: float = 2e-4) -> np.ndarray:
    """Return the gradients (n, 3) of the distance, as unit vectors."""
    g = np.stack([distance(p + step * e, flesh) - distance(p - step * e, flesh) for e in np.eye(3)], 1)
    return g / np.maximum(np.linalg.norm(g, axis=1, keepdims=True), 1e-30)
