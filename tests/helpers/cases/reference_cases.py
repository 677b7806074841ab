"""Reference cases, schema `case/1`: one JSON file a case, a scene definition and what must come out of it.

Scenes stand in world axes at t = 0: centre of mass and orientation of each body, anchor points and axes of joints.
Three zero moments of inertia mean a particle. `null` in the place of a body is the world. Forces act on the second body
b.

Tolerances: the files hold the measured errors of two plain, correct engines, `first_order_measured_at_dt` (symplectic
Euler) and `rk4_measured_at_dt`. The rule: a first-order method within 2 x first_order, a second-order one within
0.1 x first_order, a fourth-order one within 5 x rk4 or 1e-7.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from physics.definitions.constraints import Gear, PointOnLine, PointOnPlane
from physics.definitions.bodies import Body, Particle
from physics.definitions.joints import Ball, Distance, Hinge, Joint, Slider, Universal, Weld
from physics.definitions.scene import Scene
from physics.definitions.springs import Spring
from physics.world.world import World

FOLDER = Path(__file__).parents[2] / "references"

# The order of accuracy that each integrator claims.
ORDERS = {"explicit": 1, "implicit": 1, "hernandez": 1, "trbdf2": 2, "rattle": 2, "rk4": 4, "rattle4": 4}


@cache
def read_case(number: str) -> dict[str, Any]:
    """The case whose file name starts with `number`."""
    (path,) = FOLDER.glob(f"{number}_*.json")
    case = json.loads(path.read_text(encoding="utf-8"))
    if case["schema"] != "case/1":
        raise ValueError(f"{path.name}: schema {case['schema']!r}, allowed: 'case/1'")
    return case


def named_case(number: str, name: str) -> dict[str, Any]:
    """One of the cases in that file, by its name."""
    return next(case for case in read_case(number)["expected"]["cases"] if case["name"] == name)


def make_scene(definition: Mapping[str, Any], timestep: float = 1.0 / 240.0) -> Scene:
    """A scene dict of a case as a `Scene`."""
    return Scene(
        bodies=[make_body(b) for b in definition["bodies"]],
        joints=[
            *(make_joint(j, definition["bodies"]) for j in definition["joints"]),
            *(
                make_spring(f"spring{k}", f)
                for k, f in enumerate(definition.get("forces", ()))
                if f["type"] == "spring"
            ),
        ],
        gravity=definition["gravity"],
        timestep=timestep,
    )


def make_body(b: Mapping[str, Any]) -> Body | Particle:
    if not any(b["inertia"]):
        return Particle(name=b["name"], mass=b["mass"], position=b["pos"], velocity=b["vel"])
    return Body(
        name=b["name"], mass=b["mass"], inertia=b["inertia"], position=b["pos"], orientation=b["quat"],
        velocity=b["vel"], angular_velocity=b["omega"],
    )  # fmt: skip


def make_spring(name: str, f: Mapping[str, Any]) -> Spring:
    return Spring(
        name=name, a=f["body"], b=f["body_b"], at=(f["point_world_t0"], f["point_b_world_t0"]),
        stiffness=f["stiffness"], damping=f["damping"], rest=f["rest_length"],
    )  # fmt: skip


def make_joint(j: Mapping[str, Any], bodies: Sequence[Mapping[str, Any]] = ()) -> Joint:
    common = {"name": j["name"], "a": j["a"], "b": j["b"]}
    kind = j["type"]
    if kind == "gear":
        # wheels turn about their centres of mass
        centres = {b["name"]: b["pos"] for b in bodies}
        return Gear(**common, at=(centres[j["a"]], centres[j["b"]]), axis=j["axis"], radii=(j["ra"], j["rb"]))
    if kind == "distance":
        return Distance(**common, at=(j["anchor"], j["anchor_b"]))
    common["at"] = j["anchor"]
    if kind == "ball":
        return Ball(**common)
    if kind == "hinge":
        return Hinge(**common, axis=j["axis"])
    if kind == "universal":
        return Universal(**common, axis=j["axis"], axis2=j["axis2"])
    if kind == "slider":
        return Slider(**common, axis=j["axis"])
    if kind == "weld":
        return Weld(**common)
    if kind == "point_on_line":
        return PointOnLine(**common, axis=j["axis"])
    if kind == "point_on_plane":
        return PointOnPlane(**common, normal=j["axis"])
    raise ValueError(f"joint {j['name']!r}: type {kind!r} is none of this product's joints")


def allowed_error(tolerance: Mapping[str, Any], integrator: str, quantity: str, k: int) -> float:
    """The rule of the module's docstring, for the k-th of the tolerance's times."""
    order = ORDERS[integrator]
    first = tolerance["first_order_measured_at_dt"][quantity][k]
    fourth = tolerance["rk4_measured_at_dt"][quantity][k]
    return {1: 2.0 * first, 2: 0.1 * first, 4: max(5.0 * fourth, 1e-7)}[order]


def tolerance_times(tolerance: Mapping[str, Any]) -> list[float]:
    """The times after the start for which errors were measured."""
    return [t for t in tolerance["rk4_measured_at_dt"]["t"] if t > 0.0]


def row_at(series: Mapping[str, Any], t: float) -> int:
    """Which entry of a series belongs to the time t."""
    k = int(np.argmin(np.abs(np.array(series["t"]) - t)))
    assert abs(series["t"][k] - t) < 1e-9, f"the series has no entry at {t}"
    return k


def advance_to(world: World, t: float) -> None:
    """Steps up to the time t, which must be a whole number of them."""
    steps = round((t - world.time) / world.timestep)
    assert abs(world.time + steps * world.timestep - t) < 1e-9
    world.step(steps)


def positions(world: World) -> np.ndarray:
    """(n, 3) centres of mass in the scene's order."""
    return np.array([b.position for b in world.bodies.values()])


def velocities(world: World) -> np.ndarray:
    return np.array([b.velocity for b in world.bodies.values()])


def spins(world: World) -> np.ndarray:
    return np.array([b.angular_velocity for b in world.bodies.values()])


def quaternions(world: World) -> np.ndarray:
    return np.array([b.quaternion for b in world.bodies.values()])


def turn_between(p: np.ndarray, q: np.ndarray) -> float:
    """The largest angle between the orientations p and q (n, 4): 2 asin |vector part of p^-1 q|."""
    p, q = np.atleast_2d(p), np.atleast_2d(q)
    vector = p[:, :1] * q[:, 1:] - q[:, :1] * p[:, 1:] - np.cross(p[:, 1:], q[:, 1:])
    return float(2.0 * np.arcsin(np.minimum(np.linalg.norm(vector, axis=1), 1.0)).max())


def distance(x: Any, y: Any) -> float:
    """The largest distance between two sets of points."""
    return float(np.linalg.norm(np.atleast_2d(np.asarray(x) - np.asarray(y)), axis=1).max())


def relative_error(x: Any, y: Any) -> float:
    """max |x - y| / max |y|"""
    x, y = np.asarray(x, float), np.asarray(y, float)
    return float(np.abs(x - y).max() / np.abs(y).max())
