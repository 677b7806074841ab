"""What joints, grabs and drives report of a step that was taken in substeps is the sum over these: impulses change the
momenta of bodies, to the order of the integrator's own steps, and what is kept beside it reports what it does alone.
"""

import numpy as np
import pytest

from physics.definitions.actuators import Drive
from physics.definitions.bodies import Body
from physics.definitions.joints import Hinge
from physics.definitions.scene import Scene
from physics.world.world import World

STEP = 1.0 / 240.0


def links(turn: float, count: int, hooked: bool) -> Scene:
    """Rods of 1 m in a straight line that turn as one by so many rad a step, about a hook at their end or freely"""
    spin = turn / STEP
    centre = 0.0 if hooked else 0.5 * count
    bodies = [
        Body(
            name=f"b{k}", mass=1.0, inertia=(0.001, 0.08, 0.08), position=(k + 0.5, 0.0, 0.0),
            velocity=(0.0, 0.0, -spin * (k + 0.5 - centre)), angular_velocity=(0.0, spin, 0.0),
        )
        for k in range(count)
    ]  # fmt: skip
    first = 0 if hooked else 1
    joints = [
        Hinge(name=f"j{k}", a=f"b{k - 1}" if k else "world", b=f"b{k}", at=(float(k), 0.0, 0.0), axis=(0.0, 1.0, 0.0))
        for k in range(first, count)
    ]
    return Scene(bodies=bodies, joints=joints, timestep=STEP)


def imbalance(world: World, steps: int) -> float:
    """The most by which a change of momentum differs from the impulses of joints and gravity, over the largest one"""
    worst = 0.0
    for _ in range(steps):
        before = {name: body.velocity.copy() for name, body in world.bodies.items()}
        world.step()
        left = {
            name: body.mass * (body.velocity - before[name] - STEP * np.array(world.gravity))
            for name, body in world.bodies.items()
        }
        for joint in world.joints.values():
            left[joint.definition.b] -= joint.impulse
            if joint.definition.a != "world":
                left[joint.definition.a] += joint.impulse
        largest = max(float(np.abs(joint.impulse).max()) for joint in world.joints.values())
        worst = max(worst, max(float(np.abs(value).max()) for value in left.values()) / largest)
    return worst


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("turn", [0.5, 1.2, 3.0])
def test_impulses_of_substeps_are_exact_where_those_of_steps_are(turn, count):
    """`hernandez` has impulses over its steps, and they change the momenta to rounding; of a step of 1.2 rad those of
    its last substep were 30 % off."""
    world = World(links(turn, count, True), integrator="hernandez")
    assert imbalance(world, 20) < 1e-12
    assert world.substepped == 20


def test_impulses_of_the_last_resort_are_exact():
    """Its substeps project the velocity, and that is an impulse, too: they were off by a multiple of what they are."""
    world = World(links(0.19, 3, True), integrator="hernandez")
    assert imbalance(world, 20) < 1e-12
    assert world.redone == 20


@pytest.mark.parametrize("hooked", [True, False])
@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rattle4", "rk4", "explicit"])
def test_impulses_of_followed_steps_are_as_good_as_those_of_whole_ones(integrator, hooked):
    """Forces are those of an instant, so that an impulse is off by about a quarter of the turn in a step. Substeps turn
    by a fraction of a radian: less than twice what a step of 0.19 rad is off, which nobody follows, and by more than
    20 % with the forces of the last substep alone (`rk4` 24 %, `trbdf2` 32 %, without a hook 44 and 58 %)."""
    own = imbalance(World(links(0.19, 3, hooked), integrator="rk4"), 20)
    world = World(links(1.2, 3, hooked), integrator=integrator)
    assert imbalance(world, 20) < 1.8 * own
    assert world.substepped == 20
    assert world.redone == 0


@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rattle4", "rk4"])
def test_what_is_kept_beside_a_followed_figure_reports_what_it_does_alone(integrator):
    """A grabbed, driven rod beside one that is thrown: of the five steps that `rattle4` composes only the last one was
    in the pull that was reported, 81 N of 196."""
    reports = []
    for both in (False, True):
        lone = links(0.0, 1, True)
        thrown = Body(
            name="far", mass=1.0, inertia=(0.001, 0.08, 0.08), position=(5.5, 0.0, 0.0), velocity=(0.0, 0.0, -144.0),
            angular_velocity=(0.0, 288.0, 0.0),
        )  # fmt: skip
        hook = Hinge(name="hook", a="world", b="far", at=(5.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
        more = ([thrown], [hook]) if both else ([], [])
        drives = [Drive(name="d", joint="j0", position=0.5, stiffness=3.0)]
        scene = Scene(bodies=[*lone.bodies, *more[0]], joints=[*lone.joints, *more[1]], drives=drives, timestep=STEP)
        world = World(scene, integrator=integrator)
        grab = world.grab("b0", (0.5, 0.0, 0.0))
        grab.target = (0.5, 0.0, 0.2)
        world.step(10)
        assert world.substepped == (10 if both else 0)
        reports.append(np.concatenate([grab.force, np.atleast_1d(world.drives["d"].output), world.joints["j0"].force]))
    assert reports[1] == pytest.approx(reports[0], rel=1e-12)


def test_what_was_followed_is_read_the_same_after_a_snapshot_and_until_it_is_asked_anew():
    world = World(links(1.2, 3, True))
    world.step(3)
    force = world.joints["j1"].force
    assert np.abs(force).max() > 0.0
    other = World(links(1.2, 3, True))
    other.restore(world.snapshot())
    assert (other.joints["j1"].force == force).all()
    world.step()
    other.step()
    assert other.state_hash() == world.state_hash()
    assert (other.joints["j1"].force == world.joints["j1"].force).all()
    world.grab("b2", (3.0, 0.0, 0.0))  # makes room for it
    assert (other.joints["j1"].force == world.joints["j1"].force).all()
    followed = other.joints["j1"].force
    other.accelerations()
    assert not (other.joints["j1"].force == followed).all()
