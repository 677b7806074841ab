"""The elements of which figures are drawn: primitives, meshes, lines between bodies, and colours.

A primitive is a unit mesh of `UNITS` or a mesh of the look, turned by `rotation` and moved by `at` in the frame of its
body (centre of mass, the definition's orientation). `size` multiplies the mesh: sphere (r, r, r, 0),
capsule (r, r, r, half), cylinder (r, r, half, 0), box (half x, half y, half z, 0), mesh (s, s, s, 0)."""

from dataclasses import dataclass

import numpy as np

from physics.maths.rotations import NO_TURN, turn_from_z

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Primitive:
    """One unit mesh of a body, with its size, place and colour."""

    shape: str  # of UNITS, or the name of a mesh of the look
    size: Numbers
    at: Numbers = (0.0, 0.0, 0.0)  # m, body frame
    rotation: Numbers = NO_TURN  # w first
    colour: Numbers = (0.7, 0.7, 0.7, 1.0)  # linear red, green, blue, opacity
    joint: str = ""  # the joint that it marks, if any: a mark cannot be grabbed, and can be hidden


@dataclass(frozen=True)
class Guide:
    """A line or curve of a body (-1: the world) on which a point slides."""

    body: int
    points: np.ndarray  # (n, 3) body frame


@dataclass(frozen=True)
class Rod:
    """A line between points of two bodies. Body -1 is the world."""

    bodies: tuple[int, int]
    points: tuple[Numbers, Numbers]  # body frames
    kind: str = "rod"  # or "spring"


def colour_of(text: str) -> Numbers:
    """Return linear red, green, blue and opacity of a colour "#rrggbb" in display space."""
    parts = [int(text[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
    return (*(c**2.2 for c in parts), 1.0)


def capsule(start: np.ndarray, end: np.ndarray, radius: float, colour: Numbers) -> Primitive:
    """Return a capsule between two points of the body's frame."""
    along = end - start
    length = float(np.linalg.norm(along))
    rotation = turn_from_z(along) if length > 1e-9 else NO_TURN
    size = (radius, radius, radius, 0.5 * length)
    return Primitive("capsule", size, tuple(0.5 * (start + end)), rotation, colour)
