"""Grabs: the law on a free body to the last digit, weight, caps, several at once, modes and integrators, violence."""

import numpy as np
import pytest

from physics.definitions.bodies import Body, Particle
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Hinge, Weld
from physics.definitions.scene import Scene
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers import generators
from tests.helpers import support
from tests.helpers.arrays import state_of
from tests.helpers.cases.going_on import comes_back_over

SETTLING = ("trbdf2", "implicit", "rattle", "rattle4", "rk4", "explicit", "hernandez")


def lone(gravity=(0, 0, 0), **options):
    body = Body(name="b", mass=2.0, inertia=(0.02, 0.03, 0.04))
    return World(Scene(bodies=[body], gravity=gravity), **options)


@pytest.mark.parametrize("kind", ["spring", "point"])
def test_the_law_on_a_free_particle(kind):
    """u = (u - h w^2 d)/(1 + h^2 w^2 + 2 z w h): the recursion itself, with the softness e of the point's row."""
    world = World(Scene(bodies=[Particle(name="p", mass=2.0)], gravity=(0, 0, 0)), integrator="implicit")
    grab = world.grab("p", kind=kind, target=(0.0, 0.0, 0.05))
    w, h = grab.rate, world.timestep
    s = h * h * w * w + 2 * w * h
    x, u = 0.0, 0.0
    for _ in range(50):
        world.step(1)
        ideal = (u - h * w * w * (x - 0.05)) / (1 + s)
        # a spring's rows are (G + G/s + e G) mu, a point's (G + e G) mu
        soft = (1 + 1 / s) / (1 + 1 / s + 1e-3) if kind == "spring" else 1 / (1 + 1e-6)
        u += (ideal - u) * soft
        x += h * u
        assert world.bodies["p"].position[2] == pytest.approx(x, abs=1e-12)
        assert world.bodies["p"].velocity[2] == pytest.approx(u, abs=1e-11)


@pytest.mark.parametrize("integrator", SETTLING)
@pytest.mark.parametrize("kind", ["spring", "point", "pose"])
def test_a_step_sideways_settles_without_overshoot(kind, integrator):
    """0.2 m within reach, no gravity: to 5 % in 0.3 s, beyond the target by no more than 20 %."""
    world = lone(integrator=integrator)
    grab = world.grab("b", kind=kind, target=(0.2, 0, 0))
    path = []
    for _ in range(72):
        world.step(1)
        path.append(world.bodies["b"].position[0])
    assert max(path) < 0.2 * 1.2
    assert abs(path[-1] - 0.2) < 0.05 * 0.2
    assert world.redone == 0
    assert grab.point == pytest.approx(world.bodies["b"].position, abs=1e-12)


@pytest.mark.parametrize("integrator", SETTLING)
@pytest.mark.parametrize("kind", ["spring", "point", "pose"])
def test_a_hanging_body_shows_its_weight(kind, integrator):
    world = lone((0, 0, -9.81), integrator=integrator)
    grab = world.grab("b", kind=kind)
    world.step(480)
    assert grab.force == pytest.approx([0, 0, 2.0 * 9.81], abs=2e-3 * 19.62)
    sag = -world.bodies["b"].position[2]
    if kind == "spring":
        assert sag == pytest.approx(9.81 / 30.0**2, rel=0.01)
    else:
        assert sag < 1e-4


def test_a_pose_grab_turns_the_body():
    world = lone()
    grab = world.grab("b", kind="pose")
    half = np.sqrt(0.5)
    grab.target_quaternion = (half, half, 0, 0)
    world.step(120)
    assert min(np.abs(world.bodies["b"].quaternion - s * np.array([half, half, 0, 0])).max() for s in (1, -1)) < 1e-3
    assert np.abs(world.bodies["b"].position).max() < 1e-9
    assert np.linalg.norm(grab.torque) < 0.1


@pytest.mark.parametrize("kind", ["spring", "point", "pose"])
def test_the_cap_holds_and_the_pull_keeps_its_direction(kind):
    world = lone(integrator="implicit")
    grab = world.grab("b", kind=kind, target=(3.0, 4.0, 0.0), cap=5.0)
    for _ in range(100):
        world.step(1)
        assert np.linalg.norm(grab.force) <= 5.0 * (1 + 1e-6)
    assert np.linalg.norm(grab.force) == pytest.approx(5.0, rel=1e-6)
    assert grab.force == pytest.approx([3.0, 4.0, 0.0], abs=1e-5)
    # 5 N on 2 kg for 100 steps
    assert np.linalg.norm(world.bodies["b"].velocity) == pytest.approx(2.5 * 100 / 240, rel=1e-9)


def test_impulse_is_the_change_of_momentum():
    """The mean pull over a step is exactly what changes the momentum of a free figure."""
    for integrator in SETTLING:
        world = World(generators.chain(5, held=False), integrator=integrator)
        world.gravity = (0, 0, 0)
        grab = world.grab("link4", world.bodies["link4"].position + np.array([0.02, 0, 0]), target=(1.0, 0.3, 0.2))
        for _ in range(30):
            before = world.momentum().linear
            redone = world.redone
            world.step(1)
            if world.redone == redone:
                change = world.momentum().linear - before
                assert change == pytest.approx(world.timestep * grab.force, abs=2e-3 * np.linalg.norm(change) + 1e-9)


def test_modes_agree_with_a_grab_a_pin_and_a_loop():
    worlds = []
    for mode in MODES:
        world = World(generators.humanoid30(), solver=mode, integrator="implicit")
        world.pin("torso", world.bodies["torso"].position)
        limb = list(world.bodies)[6]
        world.grab(limb, world.bodies[limb].position, target=world.bodies[limb].position + np.array([0.3, 0.1, 0.2]))
        other = list(world.bodies)[12]
        world.grab(other, kind="pose", target=world.bodies[other].position + np.array([0.0, 0.1, 0.1]), cap=80.0)
        world.step(20)
        worlds.append(world)
    for world in worlds[1:]:
        for a, b in zip(worlds[0].grabs, world.grabs, strict=True):
            assert a.force == pytest.approx(b.force, abs=1e-6 * (1 + np.linalg.norm(a.force)))
        for name, body in worlds[0].bodies.items():
            assert world.bodies[name].position == pytest.approx(body.position, abs=1e-7)


def test_two_hands_on_one_body_share_it():
    """Two point grabs that want it apart by more than it is long: it settles in the middle, both at their caps."""
    world = lone()
    left = world.grab("b", (-0.1, 0, 0), "point", target=(-0.5, 0.2, 0.0), cap=30.0)
    right = world.grab("b", (0.1, 0, 0), "point", target=(0.5, 0.2, 0.0), cap=30.0)
    world.step(720)
    assert world.bodies["b"].position == pytest.approx([0, 0.2, 0], abs=1e-2)
    for grab in (left, right):
        assert np.linalg.norm(grab.force) <= 30.0 * (1 + 1e-3)
    assert left.force + right.force == pytest.approx([0, 0, 0], abs=1.0)


def test_a_stretched_pinned_figure_still_moves_sideways():
    """The target is out of reach: the pull along the chain is at its cap, and the chain turns to the target."""
    world = World(generators.chain(5))
    world.gravity = (0, 0, 0)
    grab = world.grab("link4", kind="point", target=(0.0, 2.0, 0.0))
    world.step(480)
    assert world.largest_gap < 1e-6
    # half the last link of 0.1 m is beyond its middle
    assert grab.point == pytest.approx([0.0, 0.45, 0.0], abs=2e-2)


@pytest.mark.parametrize("kind", ["spring", "point", "pose"])
def test_posing(kind):
    """Kinematic order: the point goes to its target, and the figure stays where it is left."""
    world = World(generators.hand(stiffness=0.0, damping=0.0))
    world.order = "kinematic"
    tip = "middle3"
    place = world.bodies[tip].position
    grab = world.grab(tip, place, kind, target=place + np.array([-0.01, 0.0, -0.02]))
    world.step(240)
    if kind != "pose":
        # the finger's plane is a little askew: across it, the point cannot follow
        assert np.linalg.norm(grab.point - grab.target) < 1e-3
    assert world.largest_gap < 1e-6
    grab.release()
    left = world.bodies[tip].position
    world.step(100)
    assert np.array_equal(world.bodies[tip].position, left)


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit"])
@pytest.mark.parametrize("kind", ["spring", "point", "pose"])
def test_violence(kind, integrator):
    """Teleports of metres and shaking at 20 Hz on a finger, the palm held: no joint opens, nothing is lost."""
    world = World(generators.hand(stiffness=0.05, damping=1e-4), integrator=integrator)
    rng = np.random.default_rng(4)
    grab = world.grab("index3", kind=kind)
    start, away = grab.target, np.zeros(3)
    for k in range(240):
        if k % 24 == 0:
            away = 3.0 * rng.normal(size=3)
        shake = 0.2 * np.sin(2 * np.pi * 20 * world.time)
        grab.target = start + away + (shake, 0, shake)
        world.step(1)
        assert world.largest_gap < 1e-4
        assert np.isfinite(state_of(world).pose).all()
    grab.release()
    world.step(240)
    assert world.largest_gap < 1e-6
    assert world.frozen == 0


def test_kinds_change_while_holding_and_release():
    world = lone((0, 0, -9.81))
    grab = world.grab("b", (0.1, 0, 0))
    for kind in ("point", "pose", "spring"):
        grab.kind = kind
        world.step(24)
        assert grab.kind == kind
    assert [g.body for g in world.grabs] == ["b"]
    grab.release()
    assert world.grabs == []
    with pytest.raises(KeyError, match="released"):
        _ = grab.force
    before = world.bodies["b"].velocity[2]
    world.step(24)
    assert world.bodies["b"].velocity[2] == pytest.approx(before - 0.981, abs=1e-9)


def test_a_grab_becomes_a_pin():
    world = World(generators.chain(4))
    grab = world.grab("link3", target=(0.2, 0.0, 0.2))
    world.step(240)
    here = grab.point
    grab.pin()
    world.step(120)
    assert not world.grabs
    assert len(world.pins) == 1
    assert world.bodies["link3"].position == pytest.approx(here, abs=1e-6)


def test_snapshots_hold_grabs_however_many_there_were():
    world = World(generators.chain(6, held=False))
    before = world.snapshot()
    for k in range(6):
        world.grab(f"link{k}", target=(0.1 * k, 0.5, 0.0))
    world.step(10)
    assert len(world.grabs) == 6
    assert comes_back_over(world, before, lambda: world.grabs, 10)


@pytest.mark.parametrize("pinned", [False, True])
def test_posing_does_not_pull_what_cannot_move(pinned):
    """Welded, or pinned: the pull would have no bounds, and what else moves would move by its rounding."""
    rod = Body(name="rod", mass=1.0, inertia=(0.001, 0.08, 0.08), position=(0.5, 0, 0))
    other = Body(name="other", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(3, 0, 0))
    world = World(Scene(bodies=[rod, other], joints=[] if pinned else [Weld(name="w", a=None, b="rod")]))
    if pinned:
        world.pin("rod")
    world.order = "kinematic"
    stuck = world.grab("rod", target=(0.5, 0.3, 0))
    world.grab("other", target=(3, 0.01, 0))
    world.step(1)
    assert np.linalg.norm(stuck.force) < 1e-6
    assert world.bodies["rod"].position == pytest.approx([0.5, 0, 0], abs=1e-12)
    assert world.bodies["other"].position == pytest.approx([3, 0.01, 0], abs=1e-12)


def test_posing_goes_on_close_to_a_hinge():
    """A millimetre from it, where a point moves a million times less easily than the body's end"""
    rod = Body(name="rod", mass=1.0, inertia=(1e-3, 1 / 12, 1 / 12), position=(0.5, 0, 0))
    world = World(Scene(bodies=[rod], joints=[Hinge(name="h", a=None, b="rod", axis=(0, 0, 1))]))
    world.order = "kinematic"
    world.grab("rod", (1e-3, 0, 0), target=(0, 1e-3, 0))
    world.step(120)
    assert world.joints["h"].angle == pytest.approx(np.pi / 2, abs=1e-3)


@pytest.mark.parametrize("again", [False, True])
def test_a_grab_of_a_body_that_stretches_does_not_depend_on_what_was_read(again):
    """Nor on whether the world was restored in between"""
    found = []
    for read in (False, True):
        world = World(support.scaled_scene("axes"))
        world.step(1)
        world.bodies["b"].scale = (1.5, 1.5, 1.5)
        if read:
            world.energy()
        elif again:
            snapshot = world.snapshot()
            world = World(support.scaled_scene("axes"))
            world.restore(snapshot)
        world.grab("b", kind="pose", target=(1, 1, 1))
        world.step(5)
        found.append(world.state_hash())
    assert found[0] == found[1]


def test_steps_in_one_call_or_many():
    runs = []
    for pieces in ((40,), (1,) * 40):
        world = World(generators.chain(6, held=False), integrator="rattle")
        world.grab("link2", target=(0.1, 0.5, 0.0))
        for count in pieces:
            world.step(count)
        runs.append(world.state_hash())
    assert runs[0] == runs[1]


def test_refusals():
    world = lone()
    with pytest.raises(DefinitionError, match="kind of a grab"):
        world.grab("b", kind="rope")
    with pytest.raises(DefinitionError, match="target of a grab"):
        world.grab("b", target=(0, 0))
    with pytest.raises(DefinitionError, match="cap of a grab"):
        world.grab("b", cap=-1.0)
    with pytest.raises(KeyError, match="no body named 'c'"):
        world.grab("c")
    assert world.grabs == []
    particle = World(Scene(bodies=[Particle(name="p", mass=1.0)]))
    with pytest.raises(DefinitionError, match="no orientation"):
        particle.grab("p", kind="pose")
    assert particle.grabs == []
