"""A Scene as every engine can take it: bodies with one joint each to a parent, all at the drawn pose, in motion.

The engines get the same numbers, and their motion is measured by the same functions, which read nothing but poses and
velocities: how far joints are open, how much energy there is, how far bodies are from where they should be.
"""

from dataclasses import dataclass, replace

import numpy as np

from physics.definitions.bodies import Body
from physics.definitions.checks import WORLD
from physics.definitions.joints import Ball, Free, Hinge, Joint, Weld
from physics.definitions.scene import Scene

Array = np.ndarray
KINDS = {Ball: "ball", Hinge: "hinge", Weld: "weld", Free: "free"}


@dataclass
class Motion:
    """Where n bodies are and how they move: centres of mass (n, 3), quaternions (n, 4), velocities (n, 3) twice."""

    x: Array
    quat: Array
    v: Array
    w: Array

    def finite(self) -> bool:
        return all(np.isfinite(part).all() for part in (self.x, self.quat, self.v, self.w))


@dataclass
class Figure:
    """Row i: a body and the joint to its parent, which comes before it (-1: the world)."""

    scene: Scene
    names: list[str]
    mass: Array
    inertia: Array  # (n, 3) principal moments
    parent: Array
    kind: list[str]  # free, ball, hinge, weld
    at: Array  # (n, 3) anchors, world axes as drawn
    axis: Array  # (n, 3) of hinges, world axes as drawn
    stiffness: Array
    damping: Array
    start: Motion

    @property
    def damped(self) -> bool:
        return bool(self.damping.any())

    @property
    def dofs(self) -> int:
        sizes = {"free": 6, "ball": 3, "hinge": 1, "weld": 0}
        return sum(sizes[kind] for kind in self.kind)


def make_figure(scene: Scene, seed: int = 1, speed: float = 1.0) -> Figure:
    """`speed` [rad/s] scales the random velocities of the start, which open no joint."""
    inbound: dict[str, Joint] = {joint.b or "": joint for joint in scene.joints}
    names = [body.name for body in scene.bodies]
    row = {name: i for i, name in enumerate(names)} | {WORLD: -1}
    n = len(names)
    parent, kind = np.full(n, -1), ["free"] * n
    at, axis, stiffness, damping = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n), np.zeros(n)
    for i, name in enumerate(names):
        joint = inbound.get(name)
        if joint is None:
            continue
        kind[i] = KINDS[type(joint)]
        parent[i] = row[joint.a or WORLD]
        if parent[i] >= i:
            raise ValueError(f"{joint.label}: the parent must come before its child")
        at[i] = joint.points[1]
        if isinstance(joint, Ball | Hinge):
            stiffness[i], damping[i] = float(joint.stiffness[0]), float(joint.damping[0])  # type: ignore[index]
        if isinstance(joint, Hinge):
            axis[i] = joint.axis
    rigid = [body for body in scene.bodies if isinstance(body, Body)]
    x = np.array([body.position for body in rigid])
    quat = np.array([body.orientation for body in rigid])
    v, w = random_velocities(x, parent, kind, at, axis, np.random.default_rng(seed), speed)
    bodies = [replace(b, velocity=tuple(v[i]), angular_velocity=tuple(w[i])) for i, b in enumerate(rigid)]
    return Figure(
        replace(scene, bodies=bodies), names, np.array([b.mass for b in rigid]), np.array([b.inertia for b in rigid]),
        parent, kind, at, axis, stiffness, damping, Motion(x, quat, v, w),
    )  # fmt: skip


def random_velocities(
    x: Array, parent: Array, kind: list[str], at: Array, axis: Array, rng: np.random.Generator, speed: float
) -> tuple[Array, Array]:
    """Velocities that open no joint. Angular velocities of neighbours on a ball joint are independent, so that the
    speed along a chain grows with the root of its length only."""
    v, w = np.zeros_like(x), np.zeros_like(x)
    for i, p in enumerate(parent):
        vp, wp, xp = (v[p], w[p], x[p]) if p >= 0 else (np.zeros(3), np.zeros(3), np.zeros(3))
        if kind[i] == "free":
            v[i], w[i] = speed * rng.normal(size=3), speed * rng.normal(size=3)
            continue
        if kind[i] == "ball":
            w[i] = speed * rng.normal(size=3)
        elif kind[i] == "hinge":
            w[i] = wp + speed * rng.normal() * axis[i]
        else:
            w[i] = wp
        # both bodies move the anchor alike: v + w x (at - x) = v_p + w_p x (at - x_p)
        v[i] = vp + np.cross(wp, at[i] - xp) - np.cross(w[i], at[i] - x[i])
    return v, w


# ---------------------------------------------------------------- quaternions, one a row
def multiply(p: Array, q: Array) -> Array:
    (a, b, c, d), (e, f, g, h) = p.T, q.T
    return np.stack([
        a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e,
    ], axis=1)  # fmt: skip


def conjugate(q: Array) -> Array:
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def turn(q: Array, r: Array) -> Array:
    """R(q) r"""
    u = q[:, 1:]
    t = 2.0 * np.cross(u, r)
    return r + q[:, :1] * t + np.cross(u, t)


def parent_of(figure: Figure, rows: Array, world: Array) -> Array:
    """The rows of the parents; the last row is the world's."""
    return np.concatenate([rows, world[None]])[figure.parent]


# ---------------------------------------------------------------- measures
def measure_gap(figure: Figure, now: Motion) -> float:
    """The largest distance [m] between the two anchors of a joint, or angle [rad] between its two axes."""
    start = figure.start
    tied = np.array([k != "free" for k in figure.kind])
    if not tied.any():
        return 0.0
    x0, one = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    local = turn(conjugate(start.quat), figure.at - start.x)
    anchor = now.x + turn(now.quat, local)
    parent_x, parent_quat = parent_of(figure, now.x, x0), parent_of(figure, now.quat, one)
    start_x, start_quat = parent_of(figure, start.x, x0), parent_of(figure, start.quat, one)
    other = parent_x + turn(parent_quat, turn(conjugate(start_quat), figure.at - start_x))
    gap = np.linalg.norm(anchor - other, axis=1)[tied].max()
    # the axis as the child and as the parent carry it
    hinged = np.array([k == "hinge" for k in figure.kind])
    if hinged.any():
        child_axis = turn(now.quat, turn(conjugate(start.quat), figure.axis))
        parent_axis = turn(parent_quat, turn(conjugate(start_quat), figure.axis))
        gap = max(gap, np.linalg.norm(np.cross(child_axis, parent_axis), axis=1)[hinged].max())
    return float(gap)


def measure_energy(figure: Figure, now: Motion) -> tuple[float, float]:
    """Kinetic, and total energy [J]: with gravity and the springs."""
    body_w = turn(conjugate(now.quat), now.w)
    kinetic = 0.5 * float((figure.mass * (now.v**2).sum(axis=1)).sum() + (figure.inertia * body_w**2).sum())
    gravity = -float((figure.mass[:, None] * now.x * np.array(figure.scene.gravity)).sum())
    one = np.array([1.0, 0.0, 0.0, 0.0])
    # rotation from the drawn relative orientation: angle phi, energy k phi^2 / 2 (hinges too: about their axis)
    drawn = multiply(conjugate(parent_of(figure, figure.start.quat, one)), figure.start.quat)
    present = multiply(conjugate(parent_of(figure, now.quat, one)), now.quat)
    r = multiply(conjugate(drawn), present)
    phi = 2.0 * np.arctan2(np.linalg.norm(r[:, 1:], axis=1), np.abs(r[:, 0]))
    return kinetic, kinetic + gravity + 0.5 * float((figure.stiffness * phi**2).sum())


def measure_distance(now: Motion, reference: Motion) -> float:
    """The largest distance [m] of a body's centre of mass from where the reference has it."""
    return float(np.linalg.norm(now.x - reference.x, axis=1).max())
