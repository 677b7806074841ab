"""The arrays behind a world, for tests of kernels: the one place where tests look behind the public face of `World`.

The tables in `physics/data` say what each array holds, its shape and its units.
"""

from typing import Any

from physics.world.world import World


def model_of(world: World) -> Any:
    """The arrays of the model: what stays while the figure moves. They are the world's own, not copies."""
    return world.engine.model


def state_of(world: World) -> Any:
    """The arrays of the state: poses, velocities and what else a snapshot keeps. They are the world's own."""
    return world.engine.state


def work_of(world: World) -> Any:
    """The working arrays of a step, among them the control slots. They are the world's own."""
    return world.engine.work


def built_of(world: World) -> Any:
    """What `build` made of the scene: the arrays, and which row belongs to which name."""
    return world.engine.built


def space_of(world: World) -> Any:
    """The working arrays of the solver mode that is in use."""
    return world.engine.space


def row_of(view: Any) -> int:
    """The row of a body or joint in those arrays, from its view in `world.bodies` or `world.joints`."""
    return view._row
