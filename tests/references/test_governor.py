"""Reference 14, the stiff flyball governor: a tree with two stiff springs between bodies that are not neighbours.
Explicit integrators would need steps below 1e-4 s.

The file's first-order engine misses the slider's height by 3.9e-4 m at 1 ms and 1.8e-3 m at 1/240 s over ten seconds; a
second-order method must be ten times as good. `trbdf2` at 1/240 s is so for some three seconds: it loses a
two-thousandth of the angular momentum in ten, and the height is 7e-4 m off then, at 1 ms 2.4e-5 m. The thin shaft's own
inertia about its axis is less than a millionth of what turns with it: were geometric stiffness measured by that alone,
its drag would put `implicit` off by 0.13 m.
"""

import numpy as np
import pytest

from physics.world.world import World
from tests.helpers.cases.reference_cases import make_scene, read_case


@pytest.mark.parametrize(
    ("integrator", "dt", "seconds", "tolerance"),
    [
        ("trbdf2", 1.0 / 240.0, 2, 0.1 * 1.76e-3),
        ("trbdf2", 1e-3, 10, 0.1 * 3.86e-4),
        ("implicit", 1.0 / 240.0, 10, 2 * 1.76e-3),
        ("implicit", 1e-3, 10, 2 * 3.86e-4),
    ],
)
def test_governor(integrator, dt, seconds, tolerance):
    case = read_case("14")
    world = World(make_scene(case["definition"], dt), integrator=integrator)
    series = case["expected"]["series"]["omega0_2pi"]
    heights = []
    for t in series["t"][: 10 * seconds + 1]:
        world.step(round((t - world.time) / dt))
        heights.append(world.bodies["slider"].position[2])
    assert world.redone == 0
    assert np.abs(np.array(heights) - series["s"][: 10 * seconds + 1]).max() < tolerance
