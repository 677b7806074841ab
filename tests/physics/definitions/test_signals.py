"""Functions of time: value, rate and acceleration against differences, integrals against quadrature, and the pose,
velocity and acceleration of moving bodies against differences of their poses."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

from physics.maths.rotations import matrix_of, quaternion_product, rotation_quaternion
from physics.data.work_tables import Frames
from physics.data.model import Signals
from physics.definitions import prescribed, signals
from physics.definitions.prescribed import frames_at
from physics.definitions.motions import HingeMotor, Moving, SliderMotor
from physics.definitions.bodies import Body, Static
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Distance, Weld
from physics.definitions.scene import Scene
from physics.definitions.signals import Clip, Keyed, Ramp, Sinusoid, Tables
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.arrays import model_of

TIMES = (-0.3, 0.05, 0.4, 0.77, 1.3, 2.45, 3.1, 7.9)
KEYS = {"times": (-0.5, 0.3, 0.9, 1.4, 2.6), "values": (1.0, -2.0, 0.5, 0.7, 1.0)}
SMOOTH = {
    "number": 1.7,
    "ramp": Ramp(rate=-0.8, start=2.0),
    "sinusoid": Sinusoid(mean=0.3, amplitude=1.2, frequency=0.7, phase=0.4),
    "still sinusoid": Sinusoid(mean=0.3, amplitude=1.2, frequency=0.0, phase=0.4),
    **{ease: Keyed(**KEYS, ease=ease) for ease in signals.EASES},
    **{f"{ease} again": Keyed(**KEYS, ease=ease, repeat=True) for ease in signals.EASES},
}
every_signal = pytest.mark.parametrize("value", SMOOTH.values(), ids=SMOOTH)


def tables_of(*values, integrated=False):
    tables = Tables()
    for value in values:
        tables.add(value, integrated)
    return Signals(*tables.make(), np.zeros((0, 2), np.int64), np.zeros((0, 4)))


def at(tables, t):
    out = np.zeros((len(tables.table), 3))
    prescribed.evaluate_at(tables, t, out)
    return out


@every_signal
@pytest.mark.parametrize("t", TIMES)
@pytest.mark.parametrize("integrated", [False, True])
def test_rates_and_accelerations_are_derivatives(value, t, integrated):
    tables = tables_of(value, integrated=integrated)
    h = 1e-4
    (back,), (here,), (ahead,) = (at(tables, t + d) for d in (-h, 0.0, h))
    assert (ahead[0] - back[0]) / (2 * h) == pytest.approx(here[1], abs=2e-6)
    assert (ahead[1] - back[1]) / (2 * h) == pytest.approx(here[2], abs=2e-5)


@every_signal
@pytest.mark.parametrize("t", TIMES)
def test_integrals(value, t):
    plain = tables_of(value)
    breaks = np.arange(-3.0, 9.0, 0.1).round(1)
    inside = sorted(x for x in breaks if min(t, 0.0) < x < max(t, 0.0))
    ends = [min(t, 0.0), *inside, max(t, 0.0)]
    area = sum(quad(lambda x: at(plain, x)[0, 0], a, b, epsabs=1e-13)[0] for a, b in itertools.pairwise(ends))
    assert at(tables_of(value, integrated=True), t)[0, 0] == pytest.approx(math.copysign(1.0, t) * area, abs=1e-9)


@pytest.mark.parametrize("ease", signals.EASES)
def test_keyed_signals_meet_their_keys_and_stay_beyond_them(ease):
    tables = tables_of(Keyed(**KEYS, ease=ease))
    for t, y in zip(KEYS["times"], KEYS["values"], strict=True):
        assert at(tables, t)[0, 0] == pytest.approx(y, abs=1e-14)
    assert at(tables, -9.0)[0].tolist() == [1.0, 0.0, 0.0]
    assert at(tables, 9.0)[0].tolist() == [1.0, 0.0, 0.0]


def test_eases():
    keys = {"times": (0.0, 2.0, 4.0), "values": (0.0, 1.0, 4.0)}
    halfway = {ease: at(tables_of(Keyed(**keys, ease=ease)), 1.0)[0, 0] for ease in signals.EASES}
    # a natural spline has y'' = 0 at its ends, and 3/2 (4 - 2 + 0)/4 = 0.75 in the middle: 1/2 - 2^2/16 0.75
    assert halfway == {"linear": 0.5, "smooth": 0.5, "spline": pytest.approx(0.3125), "step": 0.0}
    assert at(tables_of(Keyed(**keys, ease="smooth")), 0.5)[0, 0] == pytest.approx(10 / 64 - 15 / 256 + 6 / 1024)


def test_signals_come_back_as_they_were_defined():
    values = list(SMOOTH.values())
    tables = tables_of(*values)
    assert [signals.shown(tables, k) for k in range(len(values))] == values
    other = signals.replaced(tables, 4, Ramp(1.0))
    assert [signals.shown(other, k) for k in range(len(values))] == [*values[:4], Ramp(1.0), *values[5:]]


# ---------------------------------------------------------------- moving bodies
def clip(repeat=False):
    """A body that tumbles over more than a turn"""
    times = np.linspace(0.0, 3.0, 31)
    poses = []
    for t in times:
        turn = rotation_quaternion(np.array([0.0, 0.0, 3.0 * t]))
        q = quaternion_product(turn, rotation_quaternion(np.array([t, 0.3, 0.0])))
        poses.append([math.sin(t), t, 0.2 * t * t, *(q * (-1.0) ** len(poses))])
    return Clip(times, poses, repeat=repeat)


MOVING = {
    "vector": Moving(
        name="m", position=(Sinusoid(), 0.3, Ramp(0.2)), orientation=figures.random_unit(np.random.default_rng(1), 4),
        rotation=(Sinusoid(0.5, 1.0, 0.5), Ramp(2.0, 0.1), Sinusoid(0.0, 0.7, 0.3, 1.0)),
    ),
    "hardly turned": Moving(name="m", rotation=(Sinusoid(0.0, 1e-3), Ramp(1e-3), 0.0)),
    "clip": Moving(name="m", motion=clip()),
}  # fmt: skip


def frame_of(body, t):
    world = World(Scene(bodies=[body, Body(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0))]))
    tables = model_of(world).signals
    frame = np.zeros((1, Frames.WIDTH))
    frames_at(tables, t, np.zeros((len(tables.table), 3)), frame)
    return frame[0]


@pytest.mark.parametrize("body", MOVING.values(), ids=MOVING)
@pytest.mark.parametrize("t", [0.0, 0.31, 1.27, 2.84])
def test_velocities_of_moving_bodies_are_derivatives(body, t):
    h = 1e-5
    back, here, ahead = (frame_of(body, t + d) for d in (-h, 0.0, h))
    assert here[Frames.ROTATION : Frames.ROTATION + 9].reshape(3, 3) == pytest.approx(
        matrix_of(here[Frames.QUATERNION : Frames.QUATERNION + 4]), abs=1e-14
    )
    v, a = Frames.VELOCITY, Frames.ACCELERATION
    if t > 0.0 or body.motion is None:  # a clip stays where it begins
        moved = (ahead[:3] - back[:3]) / (2 * h)
        assert here[v : v + 3] == pytest.approx(moved, abs=1e-8)
        r = [x[Frames.ROTATION : Frames.ROTATION + 9].reshape(3, 3) for x in (back, here, ahead)]
        w = (r[2] - r[0]) / (2 * h) @ r[1].T
        assert here[v + 3 : v + 6] == pytest.approx([w[2, 1], w[0, 2], w[1, 0]], abs=1e-8)
        assert here[a : a + 6] == pytest.approx((ahead[v : v + 6] - back[v : v + 6]) / (2 * h), abs=1e-6)


def test_a_clip_passes_its_poses():
    body = MOVING["clip"]
    for k in (0, 7, 22, 30):
        frame = frame_of(body, clip().times[k])
        assert frame[:3] == pytest.approx(clip().values[k, :3], abs=1e-14)
        assert abs(frame[3:7] @ clip().values[k, 3:]) == pytest.approx(1.0, abs=1e-14)


def test_a_clip_that_turns_once_goes_on_turning():
    """After one round the quaternion is the opposite of the first: that is no jump."""
    times = np.linspace(0.0, 1.0, 21)
    poses = [[0.0, 0.0, 0.0, *rotation_quaternion(np.array([0.0, 0.0, 2 * math.pi * t]))] for t in times]
    body = Moving(name="m", motion=Clip(times, poses, repeat=True))
    for t in (0.5, 0.999, 1.001, 1.7, 5.3):
        frame = frame_of(body, t)
        assert frame[Frames.VELOCITY + 5] == pytest.approx(2 * math.pi, abs=1e-3)
        assert frame[Frames.ROTATION] == pytest.approx(math.cos(2 * math.pi * t), abs=1e-4)


# ---------------------------------------------------------------- refusals
ROD = Body(name="b", mass=1.0, inertia=(1.0, 1.0, 1.0))
JUMP = Keyed((0.0, 1.0), (0.0, 1.0), "step")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Keyed((0.0, 0.0), (1.0, 2.0)), "times of a keyed signal: got .* two or more finite numbers, each"),
        (lambda: Keyed((0.0, 1.0), (1.0,)), "values of a keyed signal: got '\\(1,\\) for 2 times'"),
        (lambda: Keyed((0.0, 1.0), (1.0, 2.0), "bouncy"), "ease of a keyed signal: got 'bouncy', allowed: linear, s"),
        (lambda: Sinusoid(frequency=math.nan), "frequency of a sinusoid: got nan, allowed: a finite number"),
        (lambda: Ramp(rate="fast"), "rate of a ramp: got 'fast'"),
        (lambda: Clip((0.0, 1.0), (1.0, 2.0)), "values of a clip: got .* a row for each time"),
        (lambda: Moving(name="m", position=(0.0, 1.0)), "position of moving body 'm': got .* three numbers or signals"),
        (lambda: Moving(name="m", position=(0.0, JUMP, 0.0)), "position of moving body 'm': .* does not jump"),
        (lambda: Moving(name="m", motion=Clip((0.0, 1.0), np.zeros((2, 6)))), "a Clip of seven channels"),
        (lambda: Moving(name="m", motion=Clip((0.0, 1.0), np.zeros((2, 7)))), "allowed: unit quaternions"),
        (lambda: HingeMotor(name="j", a="a", b="b", axis=(0, 0, 1)), "motion of hinge motor joint 'j': .* a positio"),
        (lambda: HingeMotor(name="j", a="a", b="b", axis=(0, 0, 1), position=JUMP), "position of hinge motor joint"),
        (lambda: SliderMotor(name="j", a="a", b="b", axis=(0, 0, 0), velocity=1.0), "axis of slider motor joint 'j'"),
        (lambda: SliderMotor(name="j", a="a", b="b", axis=(0, 0, 1), velocity="x"), "velocity of slider .* or a sig"),
        (lambda: Distance(name="d", a="a", b="b", length=JUMP), "length of distance joint 'd': .* without jumps"),
        (lambda: Scene(bodies=[Static(name="s"), ROD], joints=[Weld(name="w", a="s", b="world")]), "at least one bo"),
        (lambda: World(Scene(bodies=[Static(name="s")])), "bodies of a scene: got 1, allowed: at least one that for"),
    ],
)  # fmt: skip
def test_bad_input_is_refused(make, words):
    with pytest.raises(DefinitionError, match=words):
        make()


def test_bodies_that_nothing_pushes_are_read_only():
    wall = Static(name="wall", position=(1.0, 2.0, 3.0), orientation=(0.6, 0.8, 0.0, 0.0))
    world = World(Scene(bodies=[wall, Moving(name="m", position=(Ramp(2.0), 0.0, 0.0)), ROD]))
    world.step(24)
    assert world.bodies["wall"].position.tolist() == [1.0, 2.0, 3.0]
    assert world.bodies["wall"].quaternion.tolist() == [0.6, 0.8, 0.0, 0.0]
    assert world.bodies["wall"].velocity.tolist() == [0.0, 0.0, 0.0]
    assert world.bodies["m"].position[0] == pytest.approx(0.2)
    assert world.bodies["m"].velocity.tolist() == [2.0, 0.0, 0.0]
    assert world.bodies["m"].mass == math.inf
    with pytest.raises(DefinitionError, match=r"position of body 'wall'.* allowed: nothing: its definition says"):
        world.bodies["wall"].position = (0.0, 0.0, 0.0)
    with pytest.raises(DefinitionError, match=r"applied_force of body 'm'.* allowed: no force"):
        world.bodies["m"].applied_force = (1.0, 0.0, 0.0)
    with pytest.raises(DefinitionError, match="impulse on body 'm'"):
        world.bodies["m"].apply_impulse((1.0, 0.0, 0.0))


def test_a_static_body_is_the_world():
    hang = [Ball(name="h", a=a, b="b", at=(0.3, 0.1, 0.5)) for a in ("world", "wall")]
    wall = Static(name="wall", position=(1.0, 2.0, 3.0), orientation=(0.6, 0.8, 0.0, 0.0))
    worlds = [World(Scene(bodies=[wall, ROD], joints=[joint])) for joint in hang]
    for world in worlds:
        world.step(100)
    assert worlds[0].state_hash() == worlds[1].state_hash()
