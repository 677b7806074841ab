"""What is struck within a step may strike others in it. A step is divided into parts by the velocities at its start,
which show nothing of that."""

import numpy as np
import pytest

from physics.definitions.bodies import Body
from physics.definitions.scene import Scene
from physics import Sphere
from physics.world.world import World

RADIUS, GAP, SPEED = 0.1, 2e-3, 10.0


def row_of_balls(integrator, restitution, count=4):
    """A ball that flies at others, which rest in a row, millimetres apart; beside them one that nothing reaches."""
    shape = [Sphere(radius=RADIUS, restitution=restitution)]
    inertia = (0.4 * RADIUS**2,) * 3
    place = lambda k: (k * (2 * RADIUS + GAP) - (0.02 if k == 0 else 0.0), 0.0, 0.0)  # noqa: E731
    bodies = [Body(name=f"b{k}", mass=1.0, inertia=inertia, position=place(k), shapes=shape) for k in range(count)]
    bodies[0] = Body(name="b0", mass=1.0, inertia=inertia, position=place(0), velocity=(SPEED, 0, 0), shapes=shape)
    bodies.append(Body(name="far", mass=1.0, inertia=inertia, position=(0, 50, 0), velocity=(0, 1, 0), shapes=shape))
    return World(Scene(bodies=bodies, gravity=(0, 0, 0)), integrator=integrator)


@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rattle4", "rk4", "implicit", "explicit", "hernandez"])
@pytest.mark.parametrize("method", ["newton", "anticipation", "auto"])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_momentum_is_kept_where_impacts_follow_each_other(integrator, method, restitution):
    """The sum of m v, whatever the number of balls that a step reaches; what energy changes is the work of contacts."""
    world = row_of_balls(integrator, restitution)
    world.contact_method = method
    world.contact_tolerance = 1e-10
    start = world.energy()
    for _ in range(24):
        world.step()
        assert world.momentum().linear == pytest.approx((SPEED, 1.0, 0.0), abs=10 * world.contact_tolerance * SPEED)
    end = world.energy()
    assert end.ledger == pytest.approx(start.ledger, abs=1e-9 * start.total)
    speeds = np.array([world.bodies[f"b{k}"].velocity[0] for k in range(4)])
    assert (np.diff(speeds) > -1e-6).all()  # none goes through another
    assert world.bodies["far"].velocity == pytest.approx((0, 1, 0), abs=1e-15)
