"""A leg in MuJoCo: several hinges and a slider on one body, rotor inertia on every axis, springs and dampers.

MuJoCo puts the axes of one body in series with nothing between them. The same figure is built here three ways: compound
joints, hinges through massless bodies, and (for one axis) plain joints. Body accelerations must agree to 1e-9.

`mujoco_leg.json` holds what MuJoCo said (`python -m tests.references.test_mujoco` writes it anew), so that the
comparison runs without it; where it is installed, the file is checked too.
"""

import json
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from physics.definitions.bodies import Body, Massless
from physics.definitions.compound import Compound, Slide, Turn
from physics.definitions.joints import Ball, Free, Hinge, Slider
from physics.definitions.scene import Scene
from physics.solvers.modes import MODES
from physics.world.world import World

FILE = Path(__file__).parent / "mujoco_leg.json"
# name, parent, place of the centre of mass, mass, principal moments
BODIES = [
    ("torso", None, (0.0, 0.0, 1.0), 8.0, (0.2, 0.15, 0.1)),
    ("thigh", "torso", (0.05, 0.1, 0.6), 3.0, (0.05, 0.045, 0.01)),
    ("shank", "thigh", (0.02, 0.12, 0.2), 2.0, (0.03, 0.025, 0.005)),
    ("tail", "torso", (-0.3, 0.0, 0.9), 0.5, (0.002, 0.004, 0.003)),
]
# body, kind, axis, a point of it as drawn, stiffness, damping, rotor inertia
AXES = [
    ("thigh", "hinge", (1.0, 0.0, 0.0), (0.05, 0.1, 0.8), 20.0, 0.5, 0.03),
    ("thigh", "hinge", (0.0, 1.0, 0.0), (0.05, 0.1, 0.8), 0.0, 0.2, 0.02),
    ("thigh", "hinge", (0.0, 0.6, 0.8), (0.06, 0.1, 0.78), 5.0, 0.0, 0.0),
    ("shank", "hinge", (0.0, 0.8, -0.6), (0.03, 0.11, 0.4), 10.0, 0.1, 0.01),
    ("shank", "slide", (0.0, 0.0, 1.0), (0.02, 0.12, 0.2), 400.0, 3.0, 0.4),
]
BALL = ("tail", (-0.2, 0.0, 0.9), 0.004)  # body, point, rotor inertia
STATES = 6
GRAVITY = np.array([0.0, 0.0, -9.81])


def text(v):
    return " ".join(repr(float(x)) for x in np.atleast_1d(v))


def model_text():
    places = {name: np.array(place) for name, _, place, _, _ in BODIES}

    def body(name):
        _, parent, place, mass, moments = next(b for b in BODIES if b[0] == name)
        at = np.array(place) - (places[parent] if parent else 0.0)
        lines = [f'<body name="{name}" pos="{text(at)}">']
        lines += [f'<inertial pos="0 0 0" mass="{mass}" diaginertia="{text(moments)}"/>']
        if parent is None:
            lines += ["<freejoint/>"]
        for k, (owner, kind, axis, point, stiffness, damping, armature) in enumerate(AXES):
            if owner == name:
                lines += [
                    f'<joint name="q{k}" type="{kind}" axis="{text(axis)}" pos="{text(np.array(point) - place)}" '
                    f'stiffness="{stiffness}" damping="{damping}" armature="{armature}"/>'
                ]
        if name == BALL[0]:
            lines += [f'<joint type="ball" pos="{text(np.array(BALL[1]) - place)}" armature="{BALL[2]}"/>']
        lines += [body(other) for other, above, *_ in BODIES if above == name]
        return "".join([*lines, "</body>"])

    return f'<mujoco><option gravity="{text(GRAVITY)}"/><worldbody>{body("torso")}</worldbody></mujoco>'


def ask_mujoco():
    """States and accelerations of every body, by MuJoCo."""
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
    model = mujoco.MjModel.from_xml_string(model_text())
    out = []
    for seed in range(STATES):
        rng = np.random.default_rng(seed)
        data = mujoco.MjData(model)
        data.qpos[:7] = [*rng.normal(size=3), *unit(rng.normal(size=4))]
        data.qpos[7:12] = rng.uniform(-0.9, 0.9, 5) * [1, 1, 1, 1, 0.1]
        data.qpos[12:16] = unit(rng.normal(size=4))
        data.qvel[:] = 2.0 * rng.normal(size=model.nv)
        mujoco.mj_forward(model, data)
        mujoco.mj_rnePostConstraint(model, data)
        state = {"coordinates": data.qpos[7:12].tolist()}
        for name, *_ in BODIES:
            k = model.body(name).id
            velocity, acceleration = np.zeros(6), np.zeros(6)
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, k, velocity, 0)
            mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, k, acceleration, 0)
            state[name] = {
                "position": data.xipos[k].tolist(), "quaternion": data.xquat[k].tolist(),
                "velocity": velocity[3:].tolist(), "angular_velocity": velocity[:3].tolist(),
                "acceleration": [*(acceleration[3:] + GRAVITY).tolist(), *acceleration[:3].tolist()],
            }  # fmt: skip
        out.append(state)
    return out


def unit(v):
    return v / np.linalg.norm(v)


def stored():
    return json.loads(FILE.read_text())["states"]


def figure(way):
    bodies = [Body(name=n, mass=m, inertia=i, position=p) for n, _, p, m, i in BODIES]
    above = {n: parent for n, parent, *_ in BODIES}
    joints = [
        Free(name="free", a="world", b="torso"),
        Ball(name="tail", a="torso", b="tail", at=BALL[1], armature=BALL[2]),
    ]
    for name in ("thigh", "shank"):
        own = [(k, a) for k, a in enumerate(AXES) if a[0] == name]
        if way == "compound":
            kinds = {"hinge": Turn, "slide": Slide}
            parts = [
                kinds[kind](axis=axis, at=point, stiffness=k, damping=c, armature=i)
                for _, (_, kind, axis, point, k, c, i) in own
            ]
            joints.append(Compound(name=name, a=above[name], b=name, at=own[0][1][3], parts=parts))
            continue
        here = above[name]
        for n, (k, (_, kind, axis, point, stiffness, damping, armature)) in enumerate(own):
            there = name if n == len(own) - 1 else f"{name}_{n}"
            if there != name:
                bodies.append(Massless(name=there))
            make = Hinge if kind == "hinge" else Slider
            # every other joint names its bodies the other way round: its axis then points the other way
            turned = way == "massless, turned" and n % 2 == 0
            ends = (there, here) if turned else (here, there)
            way_of = -np.array(axis) if turned else axis
            joints.append(
                make(name=f"q{k}", a=ends[0], b=ends[1], at=point, axis=way_of, stiffness=stiffness, damping=damping,
                     armature=armature)
            )  # fmt: skip
            here = there
    return Scene(bodies=bodies, joints=joints, gravity=GRAVITY)


def put(world, state):
    for name, *_ in BODIES:
        for key in ("position", "quaternion", "velocity", "angular_velocity"):
            setattr(world.bodies[name], key, state[name][key])


WAYS = ("compound", "massless", "massless, turned")


@pytest.mark.parametrize("solver", MODES)
@pytest.mark.parametrize("way", WAYS)
def test_accelerations(way, solver):
    world = World(figure(way), solver=solver)
    for state in stored():
        put(world, state)
        assert world.largest_gap < 1e-12
        found = world.accelerations()
        given = np.array([state[name]["acceleration"] for name in world.bodies])
        assert np.abs(found - given).max() < 1e-9 * max(1.0, np.abs(given).max())


@pytest.mark.parametrize("way", WAYS)
def test_coordinates(way):
    world = World(figure(way))
    for state in stored():
        put(world, state)
        if way == "compound":
            read = [*world.joints["thigh"].angle, *world.joints["shank"].angle]
        else:
            read = [world.joints[f"q{k}"].angle for k in range(5)]
        assert read == pytest.approx(state["coordinates"], abs=1e-9)


def test_armature_is_seen():
    """Twin: without the rotors, or with one 1 % larger, the figure is another."""
    state = stored()[0]
    given = np.array([state[name]["acceleration"] for name, *_ in BODIES])
    for factor in (0.0, 1.01):
        scene = figure("compound")
        joints = []
        for joint in scene.joints:
            if isinstance(joint, Compound):
                joint = replace(joint, parts=[replace(p, armature=factor * p.armature) for p in joint.parts])
            joints.append(joint)
        world = World(Scene(bodies=scene.bodies, joints=joints, gravity=GRAVITY))
        put(world, state)
        assert np.abs(world.accelerations() - given).max() > 1e-4 * np.abs(given).max()


def test_the_file_is_what_mujoco_says():
    for mine, theirs in zip(stored(), ask_mujoco(), strict=True):
        for name, *_ in BODIES:
            for key, value in theirs[name].items():
                assert mine[name][key] == pytest.approx(value, rel=1e-9, abs=1e-9)


if __name__ == "__main__":
    made = {"by": f"MuJoCo {version('mujoco')}", "model": model_text(), "states": ask_mujoco()}
    FILE.write_text(json.dumps(made, indent=1) + "\n")
