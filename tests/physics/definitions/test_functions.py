"""Constraints given by Python functions: refused where they are wrong, called from compiled steps."""

import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from physics.build.callbacks import Callbacks, _compiled, make_callback
from physics.compiler.jit import compilation_is_off
from physics.data.model_tables import Joints
from physics.definitions.constraints import KnifeEdge
from physics.definitions.functions import Condition, Function, VelocityFunction
from physics.definitions.bodies import Body, Static
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Distance
from physics.definitions.scene import Scene
from physics.world.world import CannotContinueError, World
from tests.helpers import figures
from tests.helpers.arrays import model_of, state_of

PLACE = np.array([0.6, 0.1, 0.3])


def body(**motion):
    return Body(name="b", mass=1.0, inertia=(0.1, 0.2, 0.25), position=PLACE, **motion)


def tied(function, jacobian=None, **options):
    tie = Function(name="f", a="world", b="b", function=function, jacobian=jacobian, **options)
    return Scene(bodies=[body()], joints=[tie])


def rod(xa, ra, xb, rb):
    return (math.sqrt(xb[0] * xb[0] + xb[1] * xb[1] + xb[2] * xb[2]) - math.sqrt(0.46),)


def rod_jacobian(xa, ra, xb, rb):
    j = np.zeros((1, 12))
    j[0, 6:9] = xb / math.sqrt(xb[0] * xb[0] + xb[1] * xb[1] + xb[2] * xb[2])
    return j


WIRE = SimpleNamespace(length=math.sqrt(0.46))


def slow_rod(xa, ra, xb, rb):
    """What numba cannot compile: an object of Python"""
    return [float(np.linalg.norm(xb)) - WIRE.length]


@pytest.mark.parametrize("function", [rod, slow_rod])
@pytest.mark.parametrize("jacobian", [rod_jacobian, None])
@pytest.mark.parametrize("integrator", ["implicit", "rk4"])
def test_a_rod_by_a_function_is_the_rod(function, jacobian, integrator):
    world = World(tied(function, jacobian), integrator=integrator)
    joints = [Distance(name="f", a="world", b="b", at=((0, 0, 0), PLACE))]
    other = World(Scene(bodies=[body()], joints=joints), integrator=integrator)
    assert world.accelerations() == pytest.approx(other.accelerations(), rel=1e-9, abs=1e-9)
    assert world.joints["f"].force == pytest.approx(other.joints["f"].force, rel=1e-9)
    assert world.joints["f"].multipliers == pytest.approx([np.linalg.norm(other.joints["f"].force)], rel=1e-9)
    for w in (world, other):
        w.step(60)
    assert world.bodies["b"].position == pytest.approx(other.bodies["b"].position, abs=1e-6)
    assert world.largest_gap < 1e-6
    assert world.redone == 0


@pytest.mark.skipif(compilation_is_off(), reason="there is nothing to compile")
def test_numba_takes_what_it_can():
    scene = tied(rod, rod_jacobian)
    assert _compiled(scene.joints[0]) is not None
    assert _compiled(tied(slow_rod).joints[0]) is None
    callbacks = Callbacks()
    assert min(make_callback(scene.joints[0], callbacks)) > 0
    assert len(callbacks.alive) == 2


def test_a_body_that_stands_is_the_world():
    """Its place is none of its own: also where the function is checked."""
    places = []

    def height(xa, ra, xb, rb):
        places.append(tuple(xa))
        return (xb[2] - 0.3,)

    post = Static(name="post", position=(1.0, 2.0, 3.0), orientation=(0.0, 1.0, 0.0, 0.0))
    tie = Function(name="f", a="post", b="b", function=height)
    scene = Scene(bodies=[post, body()], joints=[tie])
    assert places[0] == (0.0, 0.0, 0.0)
    world = World(scene)
    places.clear()
    world.step(3)
    assert np.abs(places).max() < 0.01  # but for differences
    assert world.bodies["b"].position == pytest.approx(PLACE, abs=1e-9)


OFFSET = 0.0


def rod_from_offset(xa, ra, xb, rb):
    return (xb[2] - 0.3 + OFFSET * (xb[0] - 0.6),)


@pytest.mark.skipif(compilation_is_off(), reason="there is nothing to compile")
def test_functions_are_compiled_once_and_anew_where_they_have_changed(monkeypatch):
    """Two worlds of equal functions share them; a number outside that has changed since is noticed in C' alone."""
    first, again = (_compiled(tied(rod_from_offset).joints[0]) for _ in range(2))
    assert first is not None
    assert again is first
    monkeypatch.setattr(sys.modules[__name__], "OFFSET", 0.5)
    changed = _compiled(tied(rod_from_offset).joints[0])
    assert changed is not None
    assert changed is not first
    out = np.zeros(72)
    state = np.concatenate([np.ravel(x) for x in tied(rod_from_offset).joints[0].drawn] + [np.zeros(18)])
    changed[1].ctypes(np.ctypeslib.as_ctypes(state), np.ctypeslib.as_ctypes(out))
    assert out[36:39] == pytest.approx([0.5, 0.0, 1.0])


def test_snapshots_do_not_hold_addresses():
    """A world made anew has its functions elsewhere, and takes the snapshot all the same."""
    world, other = World(tied(slow_rod)), World(tied(slow_rod))
    world.step(5)
    kept = model_of(other).joint[:, Joints.ADDRESS].copy()
    assert kept != model_of(world).joint[:, Joints.ADDRESS]
    other.restore(world.snapshot())
    assert (model_of(other).joint[:, Joints.ADDRESS] == kept).all()
    world.step(5)
    other.step(5)
    assert world.state_hash() == other.state_hash()


def test_what_a_function_raises_while_running_is_told():
    def limited(xa, ra, xb, rb):
        if xb[2] < 0.25:
            raise ArithmeticError("too low for me")
        return [float(xb[0]) - 0.6]

    world = World(tied(limited))
    with pytest.raises(
        CannotContinueError, match="function constraint 'f' failed with ArithmeticError: too low for me"
    ):
        world.step(240)
    assert np.isfinite(state_of(world).pose).all()


def wrong_jacobian(xa, ra, xb, rb):
    j = figures.function_jacobian(xa, ra, xb, rb)
    j[1, 4] *= 1.01
    return j


def test_a_wrong_jacobian_is_refused_with_its_place():
    bodies = [body(), Body(name="a", mass=1.0, inertia=(1, 1, 1), orientation=(0.8, 0.6, 0, 0))]
    tie = Function(name="f", a="a", b="b", function=figures.function_value, jacobian=wrong_jacobian)
    with pytest.raises(DefinitionError, match=r"row 1, column 4 \(turning of a along y\)"):
        Scene(bodies=bodies, joints=[tie])


@pytest.mark.parametrize(("scale", "wrong"), [(0.1, 1e-5), (1e-3, 1e-4), (1e-5, 0.01), (1e-7, -2.0)])
def test_a_wrong_jacobian_is_refused_at_any_length_scale(scale, wrong):
    radius = 1e-3

    def sphere(xa, ra, xb, rb):
        return np.array([xb @ xb - radius * radius]) / (2.0 * radius)

    def jacobian(factor):
        return lambda xa, ra, xb, rb: np.concatenate([np.zeros(6), factor * xb / radius, np.zeros(3)])[None]

    there = Body(name="b", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=(0.6 * radius, 0.0, -0.8 * radius))
    for factor in (1.0, 1.0 + wrong):
        tie = Function(name="f", a="world", b="b", function=sphere, jacobian=jacobian(factor), length_scale=scale)
        if factor == 1.0:
            Scene(bodies=[there], joints=[tie])
        else:
            with pytest.raises(DefinitionError, match=r"jacobian of .* row 0, column 8 .* got -?0\.[78]"):
                Scene(bodies=[there], joints=[tie])


def test_forces_of_its_own_are_those_of_a_condition():
    """Which is refused with words that say so, and is what they say."""
    with pytest.raises(DefinitionError, match=r"force of function constraint 'f': .* a Condition on its bodies"):
        Function(name="f", a="world", b="b", function=rod, force=((0, 0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 0),))

    def of_one(x, r):
        return (math.sqrt(x[0, 0] * x[0, 0] + x[0, 1] * x[0, 1] + x[0, 2] * x[0, 2]) - math.sqrt(0.46),)

    condition = Condition(name="f", bodies=["b"], function=of_one, force=((0.0, 0.0, 1.0, 0.0, 0.0, 0.0),))
    world = World(Scene(bodies=[body()], couplings=[condition]))
    # n . (g + k mu) = 0: what holds it upwards is its weight
    world.accelerations()
    assert world.couplings["f"].multipliers == pytest.approx([9.81])


def raising(xa, ra, xb, rb):
    raise ZeroDivisionError("oh")


@pytest.mark.parametrize(
    ("function", "jacobian", "message"),
    [
        (None, None, "a function of x_a"),
        (raising, None, "ZeroDivisionError: oh"),
        (lambda xa, ra, xb, rb: [math.nan], None, "finite numbers"),
        (lambda xa, ra, xb, rb: [], None, "one to six numbers"),
        (lambda xa, ra, xb, rb: list(range(7)), None, "one to six numbers"),
        (lambda xa, ra, xb, rb: xb[0], None, "one to six numbers"),
        (lambda xa, ra, xb, rb: [xb[0], 2.0 * xb[0]], None, "of rank 1"),
        (lambda xa, ra, xb, rb: ["much"], None, "ValueError"),
        (rod, "no", "a function of x_a"),
        (rod, raising, "jacobian of function constraint 'f'"),
        (rod, lambda xa, ra, xb, rb: np.zeros((12, 1)), r"shape \(1, 12\)"),
        (rod, lambda xa, ra, xb, rb: np.full((1, 12), math.nan), "finite numbers"),
    ],
)
def test_refused(function, jacobian, message):
    with pytest.raises(DefinitionError, match=message):
        tied(function, jacobian)


# ---------------------------------------------------------------- conditions on velocities alone
def blade(xa, ra, va, wa, xb, rb, vb, wb):
    """The point 0.2 m ahead in b does not move along b's y: r_y . (v + w x 0.2 r_x) = r_y . v + 0.2 r_z . w"""
    along = rb[0, 1] * vb[0] + rb[1, 1] * vb[1] + rb[2, 1] * vb[2]
    return (along + 0.2 * (rb[0, 2] * wb[0] + rb[1, 2] * wb[1] + rb[2, 2] * wb[2]),)


def blade_jacobian(xa, ra, xb, rb):
    return np.concatenate([np.zeros(6), rb[:, 1], 0.2 * rb[:, 2]]).reshape(1, 12)


def slow_blade(xa, ra, va, wa, xb, rb, vb, wb):
    return [float(rb[:, 1] @ vb) + WIRE.ahead * float(rb[:, 2] @ wb)]


def gliding(tie, **options):
    world = World(Scene(bodies=[body()], joints=[tie], gravity=(1.0, 0.5, -2.0)), **options)
    world.bodies["b"].velocity = (1.0, -0.2, 0.3)
    world.bodies["b"].angular_velocity = (0.3, 0.5, 1.0)
    return world


@pytest.mark.parametrize("function", [blade, slow_blade])
@pytest.mark.parametrize("jacobian", [blade_jacobian, None])
@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rk4"])
def test_a_blade_by_a_function_is_the_blade(function, jacobian, integrator):
    WIRE.ahead = 0.2
    tie = VelocityFunction(name="f", a="world", b="b", function=function, jacobian=jacobian)
    edge = KnifeEdge(name="f", a="world", b="b", at=PLACE + np.array([0.2, 0.0, 0.0]), lateral=(0.0, 1.0, 0.0))
    world, other = (gliding(t, integrator=integrator) for t in (tie, edge))
    assert world.accelerations() == pytest.approx(other.accelerations(), rel=1e-9, abs=1e-9)
    for w in (world, other):
        w.step(60)
    assert world.bodies["b"].position == pytest.approx(other.bodies["b"].position, abs=1e-9)
    assert abs(world.joints["f"].multipliers[0]) == pytest.approx(np.linalg.norm(other.joints["f"].force), rel=1e-8)


@pytest.mark.parametrize(
    ("function", "jacobian", "message"),
    [
        (blade, lambda *s: 1.01 * blade_jacobian(*s), r"jacobian of velocity function constraint 'f', row 0, column 7"),
        (lambda *s: (s[6][0] + 0.1,), None, "at rest: .*0: linear in the velocities"),
        (lambda *s: (s[6][0] * s[6][1],), None, "the sum of what each velocity gives by itself"),
        (lambda *s: (s[0][0] * s[6][0],), None, "numbers of rank 0"),
        (lambda *s: s[6][9], None, "IndexError"),
    ],
)
def test_wrong_conditions_on_velocities_are_refused(function, jacobian, message):
    tie = VelocityFunction(name="f", a="world", b="b", function=function, jacobian=jacobian)
    with pytest.raises(DefinitionError, match=message):
        Scene(bodies=[body()], joints=[tie])
