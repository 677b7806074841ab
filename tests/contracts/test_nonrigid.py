"""Contracts of planar and scaled bodies: all modes that take them agree, their Jacobian, what is refused."""

import numpy as np
import pytest

from physics import layout as lay
from physics.bodies import coordinates
from physics.definitions import (
    Ball, Body, DefinitionError, Hinge, Particle, PlanarBody, ScaledBody, Scene, Slider, Universal,
)  # fmt: skip
from physics.kernels.jit import entry
from physics.world import World
from tests import nonrigid

CLOSE = 1e-9
# cg stops at a residual of 1e-12, which the condition of a figure's matrix multiplies
CG_CLOSE = 1e-7
FIGURES = [
    ("RSUPp", 0.0),
    ("SU", 0.0),
    ("RP", 0.0),
    ("P", 0.0),
    ("RSUPp", 100.0),
    ("SU", 1e4),
    ("P", 1e3),
    ("PRR", 1e2),
]


def answer(world, mode):
    world.use_solver(mode)
    return world.accelerations(), world._state.memory[:, lay.WRENCH : lay.WRENCH + 6].copy()


@pytest.mark.parametrize("mode", ["lagrange", "dense", "cg"])
@pytest.mark.parametrize(("letters", "stiffness"), FIGURES)
@pytest.mark.parametrize("held", [False, True])
def test_modes_agree(mode, letters, stiffness, held):
    close = CG_CLOSE if mode == "cg" else CLOSE
    for seed in range(2):
        scene = nonrigid.random_figure(seed, letters, held=held, stiffness=stiffness)
        world = nonrigid.in_motion(scene, seed, loads=1.0)
        for wanted, got in zip(answer(world, "fused"), answer(world, mode), strict=True):
            assert np.isfinite(wanted).all()
            assert np.abs(got - wanted).max() < close * max(1.0, np.abs(wanted).max())


@pytest.mark.parametrize("letters", ["S", "U", "SU", "SR", "P"])
@pytest.mark.parametrize("seed", range(6))
def test_jacobian_and_bias_by_differences(letters, seed):
    """Along q + t u + (t^2/2) a joints open to the third order, by scales too: J u = 0, J a = -J' u."""
    world = nonrigid.in_motion(nonrigid.random_figure(seed, letters, 3, gravity=0.0), seed)
    world.accelerations()
    pose, velocity, acceleration = (
        x.copy() for x in (world._state.pose, world._state.velocity, world._work.velocity)
    )  # fmt: skip
    gaps = []
    for t in (-2e-3, -1e-3, 1e-3, 2e-3):
        world._state.pose[:] = pose
        world._state.velocity[:] = velocity + 0.5 * t * acceleration
        world.move(t)
        gaps.append(world.largest_gap)
    assert max(gaps[1:3]) < 1e-5
    for twice, once in ((gaps[0], gaps[1]), (gaps[3], gaps[2])):
        assert once < 1e-12 or 6.0 < twice / once < 10.0


@entry
def project(m, i, v, w, s, out):
    """B^T of a row, and B of what comes out"""
    coordinates.put_own(m.topology, m.form, i, v, w, s, out, 0)


def basis(world, name):
    """B of a body (columns kept, own)"""
    m, row = world._model, world.bodies[name]._row
    columns = []
    for c in range(9):
        unit = np.eye(9)[c]
        out = np.zeros(9)
        project(m, row, tuple(unit[:3]), tuple(unit[3:6]), tuple(unit[6:]), out)
        columns.append(out[: m.topology[row, lay.DIM]])
    return np.array(columns)


def test_bases():
    bodies = [
        PlanarBody(name="planar", mass=1.0, inertia=0.1, normal=(1.0, 2.0, 2.0)),
        ScaledBody(name="uniform", mass=1.0, inertia=(0.1, 0.1, 0.1), scale_stiffness=1.0),
        ScaledBody(name="axes", mass=1.0, inertia=(0.1, 0.1, 0.1), stretch="axes", scale_stiffness=1.0),
        Particle(name="point", mass=1.0),
    ]
    world = World(Scene(bodies=bodies))
    n = np.array([1.0, 2.0, 2.0]) / 3.0
    planar = basis(world, "planar")
    assert planar.shape == (9, 3)
    assert np.abs(planar.T @ planar - np.eye(3)).max() < 1e-14
    assert np.abs(planar[:3, :2].T @ n).max() < 1e-14
    assert np.abs(planar[3:6, 2] - n).max() < 1e-14
    assert (basis(world, "uniform")[6:, 6] == 1.0).all()
    assert (basis(world, "axes") == np.eye(9)).all()
    assert (basis(world, "point") == np.eye(9)[:, :3]).all()


@pytest.mark.parametrize("mode", ["jsim", "aba"])
@pytest.mark.parametrize("letters", ["SR", "PR"])
def test_reduced_modes_refuse(mode, letters):
    world = World(nonrigid.random_figure(0, letters, 4, held=True))
    with pytest.raises(DefinitionError, match="planar or stretch"):
        world.use_solver(mode)


# ---------------------------------------------------------------- bad input
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"inertia": 0.0}, "inertia"),
        ({"inertia": (1.0, 1.0, 1.0)}, "inertia"),
        ({"normal": (0.0, 0.0, 0.0)}, "normal"),
        ({"velocity": (0.0, 0.0, 1.0)}, "velocity"),
        ({"angle": float("nan")}, "angle"),
        ({"mass": -1.0}, "mass"),
    ],
)
def test_planar_bodies_refuse(settings, words):
    with pytest.raises(DefinitionError, match=words):
        PlanarBody(**{"name": "b", "mass": 1.0, "inertia": 0.1, **settings})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"stretch": "sideways"}, "'uniform' or 'axes'"),
        ({"scale_stiffness": -1.0}, "scale_stiffness"),
        ({"scale": 0.0}, "scale"),
        ({"scale_velocity": (1.0, 2.0, 3.0)}, "scale_velocity"),
        ({"stretch": "axes", "scale_damping": (1.0, 2.0)}, "scale_damping"),
        ({"stretch": "axes", "inertia": (0.1, 0.1, 0.2)}, "stretch"),
    ],
)
def test_scaled_bodies_refuse(settings, words):
    with pytest.raises(DefinitionError, match=words):
        ScaledBody(**{"name": "b", "mass": 1.0, "inertia": (0.1, 0.1, 0.1), "scale_stiffness": 1.0, **settings})


def planar(name, normal=(0.0, 0.0, 1.0), **more):
    return PlanarBody(name=name, mass=1.0, inertia=0.1, normal=normal, **more)


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        (Hinge(name="j", a="a", b="b", axis=(0.0, 1.0, 0.0)), "normal"),
        (Slider(name="j", a="a", b="b", axis=(0.0, 0.0, 1.0)), "across the normal"),
        (Ball(name="j", a="world", b="b"), "hinges about the normal"),
        (Universal(name="j", a="a", b="b", axis=(0.0, 0.0, 1.0), axis2=(1.0, 0.0, 0.0)), "hinges about the normal"),
    ],
)
def test_joints_that_break_a_plane(joint, words):
    with pytest.raises(DefinitionError, match=words):
        Scene(bodies=[planar("a"), planar("b")], joints=[joint])


def test_planes_that_are_not_parallel():
    hinge = Hinge(name="j", a="a", b="b", axis=(0.0, 0.0, 1.0))
    with pytest.raises(DefinitionError, match="same normal"):
        Scene(bodies=[planar("a"), planar("b", (0.0, 1.0, 0.0))], joints=[hinge])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("position", (0.0, 0.0, 1.0)),
        ("velocity", (0.0, 0.0, 1.0)),
        ("angular_velocity", (1.0, 0.0, 0.0)),
        ("quaternion", (0.8, 0.6, 0.0, 0.0)),
        ("scale", 1.0),
        ("scale_velocity", 1.0),
    ],
)
def test_what_takes_a_planar_body_out_of_its_plane(key, value):
    world = World(Scene(bodies=[planar("a")]))
    before = world.state_hash()
    with pytest.raises(DefinitionError, match=f"{key} of body 'a'"):
        setattr(world.bodies["a"], key, value)
    assert world.state_hash() == before


def test_scales_set_live():
    body = ScaledBody(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1), scale_stiffness=1.0)
    rigid = Body(name="r", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0))
    world = World(Scene(bodies=[body, rigid]))
    world.bodies["b"].scale = 1.5
    assert (world.bodies["b"].scale == 1.5).all()
    assert (world.bodies["r"].scale == 1.0).all()
    with pytest.raises(DefinitionError, match="one number"):
        world.bodies["b"].scale = (1.0, 2.0, 1.0)
    with pytest.raises(DefinitionError, match="and more"):
        world.bodies["b"].scale = 0.0
    with pytest.raises(DefinitionError, match="does not stretch"):
        world.bodies["r"].scale_velocity = 1.0


def test_rotors_beside_a_body_that_stretches():
    body = ScaledBody(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1), scale_stiffness=1.0)
    hinge = Hinge(name="j", a="world", b="b", axis=(0.0, 0.0, 1.0), armature=0.1)
    with pytest.raises(DefinitionError, match="armature"):
        Scene(bodies=[body], joints=[hinge])
