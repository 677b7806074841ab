"""Figures that many tests run on: the workloads of the generators and random trees of every joint type, in motion."""

from collections.abc import Callable

import numpy as np

from physics.definitions.constraints import (
    Circle, Constraint, Gear, KnifeEdge, Parallel, Perpendicular, PointOnCurve, PointOnLine, PointOnPlane, Rack,
    RollingDisk, RollingInTrough, RollingSphere, Spline,
)  # fmt: skip
from physics.definitions.functions import Function, VelocityFunction
from physics.definitions.bodies import Body, Particle
from physics.definitions.compound import Compound, Slide, Turn
from physics.definitions.joints import Ball, Cylindrical, Distance, Hinge, Joint, Planar, Screw, Slider, Universal, Weld
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import generators

KINDS = ("ball", "hinge", "universal", "slider", "weld")
# made of axes in series; "hip" is three hinges through one point, "crank" a slider between hinges elsewhere
SERIES = ("cylindrical", "planar", "screw", "hip", "crank")


def random_unit(rng: np.random.Generator, count: int = 3) -> np.ndarray:
    v = rng.normal(size=count)
    return v / np.linalg.norm(v)


def random_body(rng: np.random.Generator, name: str, position: np.ndarray) -> Body:
    """A box of random sides, turned at random."""
    mass = rng.uniform(0.3, 2.0)
    x, y, z = rng.uniform(0.1, 0.4, 3) ** 2
    inertia = mass / 12.0 * np.array([y + z, x + z, x + y])
    return Body(name=name, mass=mass, inertia=inertia, position=position, orientation=random_unit(rng, 4))


def random_joint(rng: np.random.Generator, kind: str, name: str, a: str, b: str, at: np.ndarray, stiff: float) -> Joint:
    axis = random_unit(rng)
    spring = {"stiffness": stiff * rng.uniform(0.5, 1.5), "damping": 0.01 * stiff} if stiff else {}
    if kind == "ball":
        return Ball(name=name, a=a, b=b, at=at, twist_axis=axis, **spring)
    if kind == "hinge":
        return Hinge(name=name, a=a, b=b, at=at, axis=axis, **spring)
    if kind == "universal":
        across = np.cross(axis, random_unit(rng))
        return Universal(name=name, a=a, b=b, at=at, axis=axis, axis2=across / np.linalg.norm(across), **spring)
    if kind == "slider":
        return Slider(name=name, a=a, b=b, at=at, axis=axis, **spring)
    if kind == "weld":
        return Weld(name=name, a=a, b=b, at=at)
    if kind in SERIES:
        return random_series(rng, kind, {"name": name, "a": a, "b": b, "at": at}, axis, spring)
    raise ValueError(kind)


def random_series(rng: np.random.Generator, kind: str, ends: dict, axis: np.ndarray, spring: dict) -> Joint:
    if kind == "cylindrical":
        return Cylindrical(**ends, axis=axis, **spring)
    if kind == "screw":
        return Screw(**ends, axis=axis, pitch=rng.uniform(0.5, 1.5), **spring)
    across = np.cross(axis, random_unit(rng))
    across /= np.linalg.norm(across)
    if kind == "planar":
        return Planar(**ends, normal=axis, axis=across, **spring)
    if kind == "hip":
        return Compound(**ends, parts=[Turn(axis=v, **spring) for v in (axis, across, np.cross(axis, across))])
    near = [ends["at"] + rng.uniform(-0.3, 0.3, 3) for _ in range(2)]
    return Compound(
        **ends,
        parts=[Turn(axis=axis, at=near[0], **spring), Slide(axis=across, **spring),
               Turn(axis=random_unit(rng), at=near[1], **spring)],
    )  # fmt: skip


def random_tree(
    seed: int,
    bodies: int = 20,
    *,
    kinds: tuple[str, ...] = KINDS,
    held: bool = False,
    stiffness: float = 0.0,
    particles: int = 0,
) -> Scene:
    """A random tree; some joints name their bodies the other way round. `particles` hang on rods and ball joints."""
    rng = np.random.default_rng(seed)
    places = rng.uniform(-1.0, 1.0, (bodies, 3))
    parts: list[Body | Particle] = [random_body(rng, f"b{i}", places[i]) for i in range(bodies)]
    joints: list[Joint] = []
    if held:
        kind = kinds[int(rng.integers(len(kinds)))]
        joints.append(random_joint(rng, kind, "root", "world", "b0", rng.uniform(-1, 1, 3), stiffness))
    for i in range(1, bodies):
        parent = int(rng.integers(max(0, i - 4), i))
        a, b = (f"b{parent}", f"b{i}") if rng.uniform() < 0.7 else (f"b{i}", f"b{parent}")
        at = (places[i] + places[parent]) / 2 + rng.uniform(-0.1, 0.1, 3)
        joints.append(random_joint(rng, kinds[int(rng.integers(len(kinds)))], f"j{i}", a, b, at, stiffness))
    for k in range(particles):
        place = rng.uniform(-1.5, 1.5, 3)
        parts.append(Particle(name=f"p{k}", mass=rng.uniform(0.1, 1.0), position=place))
        if k % 3 == 2:
            joints.append(Ball(name=f"pin{k}", a=f"b{int(rng.integers(bodies))}", b=f"p{k}", at=place))
        else:
            other = f"b{int(rng.integers(bodies))}" if k % 3 == 0 else f"p{k - 1}"
            there = next(np.array(p.position) for p in parts if p.name == other)
            if k % 3 == 0:
                there = there + rng.uniform(-0.1, 0.1, 3)
            joints.append(Distance(name=f"rod{k}", a=other, b=f"p{k}", at=(there, place)))
    return Scene(bodies=parts, joints=joints)


# ---------------------------------------------------------------- by name; those with rods cannot be reduced
TREES: dict[str, Callable[[], Scene]] = {
    "single": lambda: random_tree(1, 1),
    "chain1": lambda: generators.chain(1, angle=1.0),
    "chain2": lambda: generators.chain(2),
    "chain10": lambda: generators.chain(10, angle=1.0),
    "chain100": lambda: generators.chain(100, angle=1.0),
    "hinges30": lambda: generators.chain(30, joint="hinge"),
    "floating_chain": lambda: generators.chain(15, held=False),
    "tree_held": lambda: generators.tree(7),
    "tree_free": lambda: generators.tree(7, held=False),
    "humanoid30": generators.humanoid30,
    "chain30": generators.chain30,
    "hand": generators.hand,
    "hand_balls": lambda: generators.hand(joint="ball"),
    **{f"random{seed}": lambda seed=seed: random_tree(seed, 20, held=seed % 2 == 0) for seed in range(6)},
    **{f"random_{kind}": lambda kind=kind: random_tree(9, 8, kinds=(kind,)) for kind in KINDS},
    **{f"random_{kind}": lambda kind=kind: random_tree(9, 8, kinds=(kind,)) for kind in SERIES},
    "random_series": lambda: random_tree(10, 12, kinds=(*SERIES, "hinge", "ball"), held=True),
    "two_figures": lambda: both(random_tree(3, 7), random_tree(4, 6, held=True)),
}
MIXED: dict[str, Callable[[], Scene]] = {
    "particles": lambda: random_tree(11, 6, particles=9),
    "particles_held": lambda: random_tree(12, 6, held=True, particles=6),
}
ALL = {**TREES, **MIXED}


def both(first: Scene, second: Scene) -> Scene:
    """Two figures in one world; the second one's names get a prefix."""
    from dataclasses import replace

    def renamed(name: str | None) -> str | None:
        return name if name in (None, "world") else f"other/{name}"

    bodies = [replace(b, name=f"other/{b.name}") for b in second.bodies]
    joints = [replace(j, name=f"other/{j.name}", a=renamed(j.a), b=renamed(j.b)) for j in second.joints]
    return Scene(bodies=[*first.bodies, *bodies], joints=[*first.joints, *joints])


def in_motion(scene: Scene, seed: int = 0, speed: float = 1.0, **options: str) -> World:
    """A world at a random state: every joint bent, every body moving, all joints closed in position and velocity."""
    world = World(scene, **options)
    rng = np.random.default_rng(seed)
    for body in world.bodies.values():
        body.velocity = speed * rng.normal(size=3)
        turning = speed * rng.normal(size=3)
        if body.has_orientation:
            body.angular_velocity = turning
    world.assemble()
    fastest = max(float(np.linalg.norm(b.angular_velocity)) for b in world.bodies.values())
    world.move(0.5 / max(fastest, 1.0))
    world.assemble()
    return world


# ---------------------------------------------------------------- constraints that are no joints
def random_constraint(rng: np.random.Generator, kind: str, name: str, a: str, b: str, place: np.ndarray) -> Constraint:
    """A constraint of `kind`, met as drawn, between a and the body b that stands at `place`."""
    axis = random_unit(rng)
    across = np.cross(axis, random_unit(rng))
    across /= np.linalg.norm(across)
    point = place + rng.uniform(-0.1, 0.1, 3)
    ends = {"name": name, "a": a, "b": b}
    if kind == "point on plane":
        return PointOnPlane(**ends, at=(point + across, point), normal=axis)
    if kind == "point on line":
        return PointOnLine(**ends, at=(point + 0.2 * axis, point), axis=axis)
    if kind == "point on circle":
        return PointOnCurve(**ends, at=point, curve=Circle(center=point - 0.4 * across, normal=axis, radius=0.4))
    if kind in ("point on spline", "point on closed spline"):
        # five points about a circle of radius 1, off it by some tenths: bends of half a metre at least
        turns = [across * np.cos(t) + np.cross(axis, across) * np.sin(t) for t in 2.0 * np.pi * np.arange(5) / 5]
        more = [point - turns[1] + u + rng.uniform(-0.15, 0.15, 3) for u in turns]
        more[1] = point
        return PointOnCurve(**ends, at=point, curve=Spline(points=more, closed="closed" in kind))
    if kind == "parallel":
        return Parallel(**ends, at=point, axis=axis)
    if kind == "perpendicular":
        return Perpendicular(**ends, at=point, axis=axis, axis2=across)
    if kind in ("gear", "gear without phase", "hollow gear"):
        radii = (-0.5, 0.2) if kind == "hollow gear" else (0.3, 0.2)
        centres = (point - abs(sum(radii)) * across, point)
        return Gear(**ends, at=centres, axis=axis, radii=radii, keeps_position="without" not in kind)
    if kind in ("rack", "rack without phase"):
        line = point + 0.3 * np.cross(axis, across) + 0.1 * across
        keeps = "without" not in kind
        return Rack(**ends, at=(line, point), axis=axis, direction=across, radius=0.3, keeps_position=keeps)
    if kind == "rolling sphere":
        return RollingSphere(**ends, at=(point - 0.2 * axis + 0.3 * across, point), normal=axis, radius=0.2)
    if kind == "rolling disk":
        wheel = 0.6 * axis + 0.8 * across
        return RollingDisk(**ends, at=(point - 0.16 * axis, point), normal=axis, axis=wheel, radius=0.2)
    if kind in ("sphere in trough", "cylinder in trough"):
        return RollingInTrough(
            **ends, at=(point - 0.5 * across + axis, point), axis=axis, trough_radius=0.7, radius=0.2,
            cylinder=kind.startswith("cylinder"),
        )  # fmt: skip
    if kind == "knife edge":
        return KnifeEdge(**ends, at=point, lateral=axis)
    if kind in ("function", "function without jacobian"):
        given = function_jacobian if kind == "function" else None
        return Function(**ends, function=function_value, jacobian=given)
    if kind in ("velocity function", "velocity function without jacobian"):
        given = velocity_jacobian if kind == "velocity function" else None
        return VelocityFunction(**ends, function=velocity_value, jacobian=given)
    raise ValueError(kind)


CONSTRAINTS = (
    "point on plane", "point on line", "point on circle", "point on spline", "point on closed spline", "parallel",
    "perpendicular", "gear", "gear without phase", "hollow gear", "rack", "rack without phase", "rolling sphere",
    "rolling disk", "sphere in trough", "cylinder in trough", "knife edge", "function", "function without jacobian",
    "velocity function", "velocity function without jacobian",
)  # fmt: skip


def function_value(xa, ra, xb, rb):  # type: ignore[no-untyped-def]
    """Two conditions that depend on where the bodies are in the world: their forces are not equal and opposite."""
    return (
        xb[0] * xb[0] + 0.5 * xa[1] * xb[2] + 0.3 * rb[2, 0] + 0.2 * xa[2] - 0.1,
        xa[0] - 0.7 * xb[1] + 0.4 * (ra[0, 2] * rb[1, 1]) + 0.2 * xb[2] * xb[2],
    )


def velocity_value(xa, ra, va, wa, xb, rb, vb, wb):  # type: ignore[no-untyped-def]
    """A blade fixed in b, and a turning of b that a drives more the further away b is"""
    return (
        rb[0, 0] * (vb[0] - va[0]) + rb[1, 0] * (vb[1] - va[1]) + rb[2, 0] * (vb[2] - va[2]),
        wb[2] - (2.0 + xb[0]) * wa[1] + 0.3 * xb[1] * vb[1],
    )


def velocity_jacobian(xa, ra, xb, rb):  # type: ignore[no-untyped-def]
    j = np.zeros((2, 12))
    j[0, 0:3] = -rb[:, 0]
    j[0, 6:9] = rb[:, 0]
    j[1, 4] = -2.0 - xb[0]
    j[1, 7] = 0.3 * xb[1]
    j[1, 11] = 1.0
    return j


def function_jacobian(xa, ra, xb, rb):  # type: ignore[no-untyped-def]
    """R' = w x R, column by column"""
    j = np.zeros((2, 12))
    j[0, 1] = 0.5 * xb[2]
    j[0, 2] = 0.2
    j[0, 6] = 2.0 * xb[0]
    j[0, 8] = 0.5 * xa[1]
    j[0, 9] = 0.3 * rb[1, 0]
    j[0, 10] = -0.3 * rb[0, 0]
    j[1, 0] = 1.0
    j[1, 4] = 0.4 * ra[2, 2] * rb[1, 1]
    j[1, 5] = -0.4 * ra[1, 2] * rb[1, 1]
    j[1, 7] = -0.7
    j[1, 8] = 0.4 * xb[2]
    j[1, 9] = -0.4 * ra[0, 2] * rb[2, 1]
    j[1, 11] = 0.4 * ra[0, 2] * rb[0, 1]
    return j


def three_rods():
    """In a row, 1 m long."""
    ends = np.array([[i, 0.0, 0.0] for i in range(4)])
    return [generators.rod(f"b{i}", ends[i], ends[i + 1], 1.0, 0.1) for i in range(3)]


def small_figure():
    return Scene(
        bodies=three_rods(),
        joints=[
            Ball(name="j0", a="world", b="b0", at=(0, 0, 0), stiffness=3.0),
            Hinge(name="j1", a="b0", b="b1", at=(1, 0, 0), axis=(0.6, 0.0, 0.8), stiffness=2.0),
            Ball(name="j2", a="b1", b="b2", at=(2, 0, 0)),
        ],
    )
