"""The skin of the hand: a mesh made once from its flesh (`flesh.py`), with colours and the bones that move each vertex.
`python -m app.render.skin` writes `assets/meshes/hand_skin.npz`. A scene has the skin if it has bodies with the names
of the bones (with any prefix, such as `soft/palm`), in the pose in which the skin was made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.host.assets import asset
from app.render.flesh import DIGITS, RADII, Ends, bone_frame, distance, gradient, group_distances, make_flesh
from app.render.surface import relaxed, sample, surface_nets
from physics.definitions.bodies import Body
from physics.definitions.scene import Scene

FILE = "meshes/hand_skin.npz"
BONES = ("palm", *(f"{digit}{i}" for digit in DIGITS for i in (1, 2, 3)))
LOW, HIGH = np.array([-0.05, -0.085, -0.085]), np.array([0.215, 0.120, 0.035])
BLEND = 3.5e-3  # m: over this length the weights pass from one bone to the next
FITS = 1e-3  # m: a hand wears the skin if its joints are this close to where the skin was made

TAN, PALE = np.array([0.83, 0.60, 0.49]), np.array([0.89, 0.68, 0.58])
NAIL, MOON = np.array([0.91, 0.70, 0.63]), np.array([0.95, 0.80, 0.74])


@dataclass(frozen=True)
class Skin:
    """A mesh over bones, with the share of each bone in the motion of each vertex."""

    vertices: np.ndarray  # (n, 3) world, at the pose in which it was made
    normals: np.ndarray  # (n, 3)
    colours: np.ndarray  # (n, 3) display red, green, blue
    bones: np.ndarray  # (n, 4) numbers in BONES
    weights: np.ndarray  # (n, 4)
    faces: np.ndarray  # (m, 3)
    places: np.ndarray  # (16, 3) where each bone's joint lay


def make_skin(ends: Ends, step: float = 1.9e-3) -> Skin:
    """Return the skin around bones. `ends` has start and end of each bone except the palm."""
    flesh = make_flesh(ends)
    shape = tuple(int(n) for n in np.ceil((HIGH - LOW) / step) + 1)
    values = sample(lambda p: distance(p, flesh), LOW, shape, step)  # type: ignore[arg-type]
    vertices, faces = surface_nets(values, LOW, step)
    vertices = relaxed(vertices, faces, lambda p: distance(p, flesh), lambda p: gradient(p, flesh))
    normals = gradient(vertices, flesh)
    bones, weights = weights_of(vertices, group_distances(vertices, flesh)[:, 0], ends)
    places = np.array([np.zeros(3), *(ends[bone][0] for bone in BONES[1:])])
    return Skin(vertices, normals, colours_of(vertices, normals, ends), bones, weights, faces, places)


def weights_of(p: np.ndarray, palm: np.ndarray, ends: Ends) -> tuple[np.ndarray, np.ndarray]:
    """Return bones and weights (n, 4) of points: the nearest bone and its neighbours, by exp(-(d - d_least) /
    BLEND)."""
    far = np.empty((len(p), len(BONES)))
    far[:, 0] = palm
    for number, bone in enumerate(BONES[1:], 1):
        start, end = ends[bone]
        axis = end - start
        t = np.clip((p - start) @ axis / (axis @ axis), 0.0, 1.0)
        radii = RADII[bone[:-1]]
        i = int(bone[-1]) - 1
        thick = (radii[i] + (radii[i + 1] - radii[i]) * t) * 1e-3
        far[:, number] = np.linalg.norm(p - start - t[:, None] * axis, axis=1) - thick
    nearest = np.argmin(far, axis=1)
    linked = np.array([[_linked(a, b) for b in BONES] for a in BONES])
    share = np.where(linked[nearest], np.exp(-(far - far.min(1, keepdims=True)) / BLEND), 0.0)
    best = np.argsort(-share, axis=1)[:, :4]
    weights = np.take_along_axis(share, best, 1)
    return best.astype("i4"), weights / weights.sum(1, keepdims=True)


def _linked(a: str, b: str) -> bool:
    """Return whether two bones are the same, or joined to each other."""
    if a == b:
        return True
    if "palm" in (a, b):
        return (a if b == "palm" else b).endswith("1")
    return a[:-1] == b[:-1] and abs(int(a[-1]) - int(b[-1])) == 1


def colours_of(p: np.ndarray, normals: np.ndarray, ends: Ends) -> np.ndarray:
    """Return the colours (n, 3) of the vertices: a paler palm, redder tips, creases at the joints, nails."""
    palmar = np.clip(-1.2 * normals[:, 2], 0.0, 1.0)[:, None]
    colour = TAN * (1.0 - palmar) + PALE * palmar
    for bone in BONES[1:]:
        start, end = ends[bone]
        frame = np.stack(bone_frame(bone, ends), 1)
        q, n = (p - start) @ frame, normals @ frame
        length = float(np.linalg.norm(end - start))
        near = (np.abs(q[:, 0]) < 0.013) & (np.abs(q[:, 2]) < 0.017) & (q[:, 1] > -0.02) & (q[:, 1] < length + 0.012)
        crease = np.where(near & (n[:, 2] < -0.1), _bump(q[:, 1], 0.0, 1.2e-3) + 0.7 * _bump(q[:, 1], 3e-3, 1e-3), 0.0)
        if not bone.endswith("1"):
            wrinkles = 0.5 * _bump(q[:, 1], 1.5e-3, 1e-3) + 0.5 * _bump(q[:, 1], -1.5e-3, 1e-3)
            wrinkles += 0.35 * _bump(q[:, 1], 0.0, 4e-3)
            crease += np.where(near & (n[:, 2] > 0.5), wrinkles, 0.0)
        colour = colour * (1.0 - np.clip(crease, 0.0, 1.0)[:, None] * np.array([0.09, 0.15, 0.16]))
        if bone.endswith("3"):
            colour = _tip(colour, q, n, length, near, 6.8e-3 if bone.startswith("thumb") else 5.6e-3)
    return np.clip(colour, 0.0, 1.0)


def _bump(x: np.ndarray, at: float, width: float) -> np.ndarray:
    """Return a smooth bump of height 1 at `at`."""
    return np.exp(-(((x - at) / width) ** 2))


def _tip(colour: np.ndarray, q: np.ndarray, n: np.ndarray, length: float, near: np.ndarray, wide: float) -> np.ndarray:
    """Colour a fingertip: it is redder, with a nail, a rounded square on the back of the last phalanx."""
    middle = 0.92 * length
    colour = colour + (_bump(q[:, 1], length, 0.011) * near)[:, None] * np.array([0.05, -0.05, -0.03])
    u = (q[:, 0] / wide) ** 4 + ((q[:, 1] - middle) / 6.4e-3) ** 4
    back = near & (n[:, 2] > 0.15)
    rim = near & (n[:, 2] > 0.1) & (u >= 1.0) & (u < 1.5)
    colour[rim] *= np.array([0.86, 0.78, 0.76])
    nail = back & (u < 1.0)
    colour[nail] = NAIL
    colour[nail & (((q[:, 1] - middle + 6.4e-3) / 2.4e-3) ** 2 + (q[:, 0] / 4e-3) ** 2 < 1.0)] = MOON
    return colour


# ---------------------------------------------------------------- the file
def save_skin(skin: Skin) -> None:
    """Write a skin as a small file: positions to 1/100 mm, normals, colours and weights to a byte."""
    path = asset("meshes")
    path.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        path / "hand_skin.npz",
        vertices=np.round(skin.vertices * 1e5).astype("i2"),
        normals=np.round(skin.normals * 127).astype("i1"),
        colours=np.round(skin.colours * 255).astype("u1"),
        bones=skin.bones.astype("u1"),
        weights=np.round(skin.weights * 255).astype("u1"),
        faces=skin.faces.astype("u2"),
        places=skin.places,
    )


def load_skin() -> Skin:
    """Return the skin of the hand from its file."""
    with np.load(asset(FILE)) as data:
        weights = data["weights"].astype(float)
        normals = data["normals"].astype(float)
        return Skin(
            vertices=data["vertices"] * 1e-5,
            normals=normals / np.linalg.norm(normals, axis=1, keepdims=True),
            colours=data["colours"] / 255.0,
            bones=data["bones"].astype("i4"),
            weights=weights / weights.sum(1, keepdims=True),
            faces=data["faces"].astype("i4"),
            places=data["places"],
        )


def prefixes_with_bones(names: Sequence[str]) -> list[str]:
    """Return the prefix of every hand among the bodies: "" for `palm`, "soft/" for `soft/palm`."""
    known = set(names)
    prefixes = [name[: -len("palm")] for name in names if name.endswith("palm")]
    return [prefix for prefix in prefixes if all(prefix + bone in known for bone in BONES)]


# ---------------------------------------------------------------- who wears it
@dataclass(frozen=True)
class WornSkin:
    """A skin on the bodies of a scene."""

    skin: Skin
    bodies: tuple[str, ...]  # of BONES, in that order
    offset: np.ndarray  # from where the skin was made to where this hand was drawn
    rests: np.ndarray  # (16, 7) poses of the bodies as drawn


def worn_skins(scene: Scene) -> list[WornSkin]:
    """Return a skin for each hand whose joints are where the skin's joints are, up to a translation."""
    bodies = {b.name: b for b in scene.bodies if isinstance(b, Body)}
    joints = {str(j.b): np.array(j.points[1]) for j in scene.joints}
    worn = []
    for prefix in prefixes_with_bones(list(bodies)):
        names = tuple(prefix + bone for bone in BONES)
        if not all(name in joints for name in names[1:]):
            continue
        skin = load_skin()
        shifts = np.array([joints[name] for name in names[1:]]) - skin.places[1:]
        offset = shifts.mean(0)
        if np.abs(shifts - offset).max() > FITS:
            continue
        rests = np.array([[*bodies[name].position, *bodies[name].orientation] for name in names])
        worn.append(WornSkin(skin, names, offset, rests))
    return worn


def main() -> None:
    """Write the file of the skin again, from the bones of the library's hand."""
    from scenes.loading.loader import read_scene

    parts = read_scene("hand").parts
    ends = {}
    for bone in BONES[1:]:
        capsule: Any = parts[bone].spec.shape[0]
        ends[bone] = np.array(capsule.start), np.array(capsule.end)
    save_skin(make_skin(ends))


if __name__ == "__main__":
    main()
