"""Contracts of planar and scaled bodies: all modes that take them agree, their Jacobian, what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from physics.bodies import coordinates
from physics.compiler.jit import entry
from physics.data.model_tables import Topology
from physics.data.state_tables import Memory
from physics.definitions.bodies import Body, Particle, PlanarBody, ScaledBody
from physics.definitions.checks import DefinitionError
from physics.definitions.couplings import Coupling
from physics.definitions.joints import Ball, Distance, Hinge, Slider, Universal
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import figures, nonrigid
from tests.helpers.arrays import model_of, state_of, work_of, row_of

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
    return world.accelerations(), state_of(world).memory[:, Memory.WRENCH : Memory.WRENCH + 6].copy()


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
    third_order(nonrigid.in_motion(nonrigid.random_figure(seed, letters, 3, gravity=0.0), seed))


def third_order(world):
    world.accelerations()
    pose, velocity, acceleration = (
        x.copy() for x in (state_of(world).pose, state_of(world).velocity, work_of(world).velocity)
    )  # fmt: skip
    gaps = []
    for t in (-2e-3, -1e-3, 1e-3, 2e-3):
        state_of(world).pose[:] = pose
        state_of(world).velocity[:] = velocity + 0.5 * t * acceleration
        world.move(t)
        gaps.append(world.largest_gap)
    assert max(gaps[1:3]) < 1e-5
    for twice, once in ((gaps[0], gaps[1]), (gaps[3], gaps[2])):
        # where terms of the third order cancel, those of the fourth are as large: 2^3 to 2^4, or less by as much
        assert once < 2e-8 or 5.5 < twice / once < 11.0


# ---------------------------------------------------------------- constraints on bodies that stretch
TIES = [(kind, ("SR", "RU", "US")[k % 3], k % 2 == 0) for k, kind in enumerate(figures.CONSTRAINTS)]
# a figure with a function has rows of its own, for which everything is compiled again: two modes and no steps
STEPPED = [tie for tie in TIES if "function" not in tie[0]]


def tied(kind, letters, auxiliary, **options):
    """Two bodies without damping, one or both of which stretch, tied off their centres by a constraint"""
    rng = np.random.default_rng(1)
    parts = [nonrigid.random_part(rng, letter, name, np.zeros(3)) for letter, name in zip(letters, "ab", strict=True)]
    parts = [replace(b, scale_damping=0.0) if isinstance(b, ScaledBody) else b for b in parts]
    tie = figures.random_constraint(rng, kind, "j", "a", "b", np.array(parts[1].position))
    scene = Scene(bodies=parts, joints=[replace(tie, auxiliary=auxiliary)], gravity=(0.0, 0.0, 0.0))
    # functions are not met as drawn
    assert "function" in kind or World(scene).largest_gap < 1e-12  # at the points as drawn, with scales that are not 1
    world = nonrigid.in_motion(scene, 1, **options)
    if "gear" in kind or "rack" in kind:
        for body in world.bodies.values():
            body.angular_velocity = 0.3 * body.angular_velocity  # or the teeth leave each other sideways
        world.assemble()
    return world


@pytest.mark.parametrize(("kind", "letters", "auxiliary"), TIES)
def test_modes_agree_on_constraints(kind, letters, auxiliary):
    """As a link and in the forest, and the constraint's force on b is what moves b."""
    given = "function" in kind
    found = []
    for link in (auxiliary, not auxiliary)[: 1 if given else 2]:
        world = tied(kind, letters, link)
        world.bodies["b"].applied_force = (3.0, -1.0, 2.0)
        modes = ("dense",) if link else ("dense",) if given else ("lagrange", "dense", "cg")
        found += [answer(world, mode)[0] for mode in ("fused", *modes)]
        pull = world.bodies["b"].mass * found[-1][row_of(world.bodies["b"]), :3] - np.array((3.0, -1.0, 2.0))
        if not given:
            assert np.abs(pull - world.joints["j"].force).max() < CLOSE * max(1.0, np.abs(pull).max())
            total = np.sum([body.mass * found[-1][row_of(body), :3] for body in world.bodies.values()], axis=0)
            assert total == pytest.approx((3.0, -1.0, 2.0), abs=CLOSE)
    for other in found[1:]:
        assert np.abs(other - found[0]).max() < CG_CLOSE * np.abs(found[0]).max()


@pytest.mark.parametrize(("kind", "letters", "auxiliary"), STEPPED)
def test_constraints_hold_points_of_matter(kind, letters, auxiliary):
    """J and J' by differences; energy and both momenta are kept, with the scales in motion."""
    world = tied(kind, letters, auxiliary, integrator="rk4")
    world.timestep = 1.0 / 960.0
    energy, momentum, start = world.energy().total, world.momentum(), world.snapshot()
    if model_of(world).topology[:, Topology.HOLONOMIC].any() or (model_of(world).links[:, Topology.HOLONOMIC]).any():
        third_order(world)
        world.restore(start)
    scales = world.bodies["b" if letters[0] == "R" else "a"].scale
    world.step(40)
    assert world.redone == 0
    assert world.largest_gap < 1e-9
    assert np.abs(world.bodies["b" if letters[0] == "R" else "a"].scale - scales).max() > 1e-3
    assert world.energy().total == pytest.approx(energy, rel=1e-6)
    assert world.momentum().linear == pytest.approx(momentum.linear, abs=1e-9)
    assert world.momentum().angular == pytest.approx(momentum.angular, abs=1e-6)


@pytest.mark.parametrize("kind", ["slider", "screw"])
def test_couplings_of_joints_on_bodies_that_stretch(kind):
    rng = np.random.default_rng(2)
    parts = [nonrigid.random_part(rng, letter, f"b{k}", np.zeros(3)) for k, letter in enumerate("SRU")]
    places = [(np.array(parts[k].position) + parts[k + 1].position) / 2 for k in range(2)]
    joints = [figures.random_joint(rng, kind, f"j{k}", f"b{k}", f"b{k + 1}", places[k], 0.0) for k in range(2)]
    link = Coupling(name="c", terms={"j0": 1.0, "j1": -0.7})
    world = nonrigid.in_motion(Scene(bodies=parts, joints=joints, couplings=[link], gravity=(0.0, 0.0, 0.0)), 3)
    first, second = (answer(world, mode)[0] for mode in ("fused", "dense"))
    assert np.abs(first - second).max() < CLOSE * np.abs(first).max()
    answer(world, "fused")
    third_order(world)


def test_what_is_grabbed_of_a_body_that_stretches():
    body = ScaledBody(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1), scale_stiffness=10.0)
    world = World(Scene(bodies=[body], gravity=(0.0, 0.0, 0.0)), integrator="implicit")
    grab = world.grab("b", (0.1, 0.0, 0.0))
    grab.target = (0.2, 0.0, 0.0)
    world.step(120)
    assert grab.point == pytest.approx((0.2, 0.0, 0.0), abs=1e-4)


@entry("mivvvv")
def project(m, i, v, w, s, out):
    """B^T of a row, and B of what comes out"""
    coordinates.put_own(m.topology, m.form, i, (v[0], v[1], v[2]), (w[0], w[1], w[2]), (s[0], s[1], s[2]), out, 0)


def basis(world, name):
    """B of a body (columns kept, own)"""
    m, row = model_of(world), row_of(world.bodies[name])
    columns = []
    for c in range(9):
        unit = np.eye(9)[c]
        out = np.zeros(9)
        project(m, row, unit[:3], unit[3:6], unit[6:], out)
        columns.append(out[: m.topology[row, Topology.DIM]])
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
def test_reduced_modes_refuse_what_stretches(mode):
    world = World(nonrigid.random_figure(0, "SR", 4, held=True))
    with pytest.raises(DefinitionError, match="coordinates of joints alone, and the scales of 2"):
        world.use_solver(mode)


@pytest.mark.parametrize("mode", ["jsim", "aba"])
@pytest.mark.parametrize(("letters", "stiffness"), [("P", 0.0), ("P", 1e3), ("PRp", 0.0), ("PPR", 1e2)])
def test_reduced_modes_take_planar_bodies(mode, letters, stiffness):
    """Free roots in their planes; rods, which have no motion subspace, as links. Accelerations and wrenches of `fused`,
    with loads across the plane, and then the same motion."""
    for seed in range(3):
        scene = nonrigid.random_figure(seed, letters, 9, stiffness=stiffness)
        scene = replace(scene, joints=[replace(j, auxiliary=isinstance(j, Distance)) for j in scene.joints])
        world = nonrigid.in_motion(scene, seed, loads=1.0, integrator="implicit")
        start = world.snapshot()
        n = len(model_of(world).topology)
        for wanted, got in zip(answer(world, "fused"), answer(world, mode), strict=True):
            assert np.abs(got[:n] - wanted[:n]).max() < CLOSE * max(1.0, np.abs(wanted).max())
        poses = []
        for solver in ("fused", mode):
            world.restore(start)
            world.use_solver(solver)
            world.step(10)
            poses.append(world.poses())
        assert world.redone == 0
        assert np.abs(poses[1] - poses[0]).max() < 1e-7


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
