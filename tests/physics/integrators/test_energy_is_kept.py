"""Energy of undamped figures over a tenth of a second, by the order of the method: half the step, and the error shrinks
by 2 to the power of the order. Gravity and springs are on; the guard has nothing to do."""

from dataclasses import replace

import numpy as np
import pytest

from physics.definitions.joints import SpringJoint
from tests.helpers import figures


def undamped(scene):
    return replace(scene, joints=[replace(j, damping=0.0) if isinstance(j, SpringJoint) else j for j in scene.joints])


FIGURES = {
    **{f"{kind} tree": (lambda kind=kind: figures.random_tree(9, 8, kinds=(kind,))) for kind in figures.KINDS[:4]},
    "held tree": lambda: figures.random_tree(2, 10, held=True),
    "hinge springs": lambda: figures.random_tree(9, 8, kinds=("hinge",), stiffness=1.0),
    "slider springs": lambda: figures.random_tree(9, 8, kinds=("slider",), stiffness=5.0),
    "rods": lambda: figures.random_tree(11, 6, particles=9),
}


def error(name, integrator, steps_a_second):
    """Change of the energy over 0.1 s, relative to the kinetic energy at the start."""
    scene = replace(undamped(FIGURES[name]()), timestep=1.0 / steps_a_second)
    world = figures.in_motion(scene, 3, speed=0.4, integrator=integrator)
    before = world.energy()
    worst = 0.0
    for _ in range(12):
        world.step(steps_a_second // 120)
        worst = max(worst, abs(world.energy().total - before.total))
    assert world.redone == 0
    return worst / before.kinetic


# the ratio of an order, less a fifth of it in the exponent
RATIO = {"explicit": 1.7, "trbdf2": 3.4, "rattle": 3.4, "rk4": 12.0, "rattle4": 12.0}
START = {"explicit": 960, "trbdf2": 480, "rattle": 480, "rk4": 240, "rattle4": 240}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("integrator", RATIO)
def test_energy_error_shrinks_with_the_order(integrator, name):
    coarse = error(name, integrator, START[integrator])
    fine = error(name, integrator, 2 * START[integrator])
    assert coarse < 0.1
    # where only rounding and the closing of the joints are left, there is nothing to shrink
    assert coarse / fine > RATIO[integrator] or coarse < 1e-10


@pytest.mark.parametrize("integrator", ["implicit", "hernandez"])
def test_damping_methods_only_lose(integrator):
    for name in FIGURES:
        scene = undamped(FIGURES[name]())
        world = figures.in_motion(scene, 3, speed=0.4, integrator=integrator)
        before = world.energy()
        world.step(48)
        assert world.energy().total < before.total + 0.01 * before.kinetic, name


def test_a_damper_is_noticed():
    """Twin: a percent of the springs' critical damping breaks the ratio."""
    scene = FIGURES["hinge springs"]()
    losses = []
    for n in (480, 960):
        world = figures.in_motion(replace(scene, timestep=1.0 / n), 3, speed=0.4, integrator="rattle")
        before = world.energy()
        world.step(n // 10)
        losses.append(before.total - world.energy().total)
    assert losses[0] / losses[1] == pytest.approx(1.0, abs=0.1)
    assert np.isfinite(losses).all()
