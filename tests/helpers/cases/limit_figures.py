"""Figures with hard limits."""

from physics.definitions.bodies import Body
from physics.definitions.joints import Hinge
from physics.definitions.scene import Scene

DOWN = 9.81


def held_rod(limits, **more):
    """A rod 1 m long, drawn level, that swings about the y axis at its end."""
    rod = Body(name="rod", mass=1.5, inertia=(1e-4, 0.125, 0.125), position=(0.5, 0.0, 0.0))
    return Scene(bodies=[rod], joints=[Hinge(name="h", a="world", b="rod", axis=(0, 1, 0), limits=limits, **more)])
