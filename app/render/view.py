"""The interface between physics and drawing: the content of one frame, as float32 arrays. `make_view` takes poses (n,
7), position and quaternion w first in the scene's order, and arranges them for the pose texture: position and mark,
quaternion x, y, z, w. Lines are (start 3, end 3, widths 2, colour 4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.render.look import Look
from physics.definitions.bodies import Fixed
from physics.definitions.scene import Scene
from physics.maths.rotations import turned

LINE = 12  # numbers a line
ROD, GUIDE = (0.30, 0.32, 0.36, 1.0), (0.25, 0.40, 0.62, 1.0)
ASLEEP, HOVER, SELECTED, HELD, CULPRIT = 0.5, 1.0, 2.0, 3.0, -1.0  # marks


@dataclass
class View:
    """The data that change from frame to frame."""

    poses: np.ndarray  # (n, 8) float32
    lines: np.ndarray = field(default_factory=lambda: np.zeros((0, LINE), "f4"))
    overlay: np.ndarray = field(default_factory=lambda: np.zeros((0, LINE), "f4"))  # in front of everything


def make_view(poses: np.ndarray, look: Look, marks: Mapping[int, float] | None = None) -> View:
    """Return what one frame draws: the poses (n, 8) as the shaders read them, with a mark for each marked body, and the
    rods as lines."""
    laid = np.empty((len(poses), 8), "f4")
    laid[:, :3] = poses[:, :3]
    laid[:, 3] = 0.0
    for body, mark in (marks or {}).items():
        laid[body, 3] = mark
    laid[:, 4:7] = poses[:, 4:7]
    laid[:, 7] = poses[:, 3]
    return View(laid, rod_lines(poses, look))


def rod_lines(poses: np.ndarray, look: Look) -> np.ndarray:
    """Return the lines of rods, of springs (drawn as coils), and of guides."""
    rows = []
    for rod in look.rods:
        start, end = (world_point(poses, rod.bodies[k], rod.points[k]) for k in (0, 1))
        rows.append(coil(start, end, ROD) if rod.kind == "spring" else line(start, end, ROD, 4.0))
    for guide in look.guides:
        points = guide.points
        if guide.body >= 0:
            pose = poses[guide.body]
            points = pose[:3] + turned(np.broadcast_to(pose[3:7], (len(points), 4)), points)
        rows.append(path(points, GUIDE, 2.0))
    return stacked(rows)


def coil(start: np.ndarray, end: np.ndarray, colour: Sequence[float], turns: int = 8) -> np.ndarray:
    """Return the lines of a coil spring: a zigzag with straight ends."""
    along = end - start
    length = float(np.linalg.norm(along))
    if length < 1e-9:
        return np.zeros((0, LINE), "f4")
    side = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    side *= 0.06 * length / np.linalg.norm(side)
    up = np.cross(along / length, side)
    t = np.linspace(0.0, 2.0 * np.pi * turns, 8 * turns + 1)
    share = 0.12 + 0.76 * t / t[-1]
    ring = np.outer(np.cos(t), side) + np.outer(np.sin(t), up)
    points = np.vstack([start, start + np.outer(share, along) + ring, end])
    return path(points, colour, 2.0)


def path(points: np.ndarray, colour: Sequence[float], width: float = 2.0) -> np.ndarray:
    """Return the lines from each point to the next."""
    rows = np.empty((len(points) - 1, LINE), "f4")
    rows[:, 0:3], rows[:, 3:6], rows[:, 6:8], rows[:, 8:12] = points[:-1], points[1:], width, colour
    return rows


def world_point(poses: np.ndarray, body: int, point: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return a point of a body in world coordinates. Body -1 is the world."""
    local = np.asarray(point, float)
    return local if body < 0 else poses[body, :3] + turned(poses[body, 3:7], local)


def line(start: np.ndarray, end: np.ndarray, colour: Sequence[float], width: float = 2.0) -> np.ndarray:
    """Return the row of a line. Widths are in pixels."""
    return np.array([[*start, *end, width, width, *colour]], "f4")


def arrow(start: np.ndarray, end: np.ndarray, colour: Sequence[float], width: float = 3.0) -> np.ndarray:
    """Return the two rows of an arrow: its shaft and its head. The head is at most a quarter of the length."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    neck = end - 0.25 * (end - start)
    return np.array(
        [[*start, *neck, width, width, *colour], [*neck, *end, 4.0 * width, 0.0, *colour]],
        "f4",
    )


def stacked(parts: Iterable[np.ndarray]) -> np.ndarray:
    """Return rows of lines in one array, which is empty if there are none."""
    rows = [part for part in parts if len(part)]
    return np.concatenate(rows) if rows else np.zeros((0, LINE), "f4")


def shares(scene: Scene, names: list[str]) -> np.ndarray:
    """Return the share of each body in the mass of all bodies. A body that is fixed or has a prescribed motion has the
    share 0."""
    masses = {b.name: 0.0 if isinstance(b, Fixed) else getattr(b, "mass", 0.0) for b in scene.bodies}
    found = np.array([masses.get(name, 0.0) for name in names])
    return found / max(float(found.sum()), 1e-300)
