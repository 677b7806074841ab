"""Which abilities of the kernels a figure uses; kernels read it in Work.control."""

from typing import TYPE_CHECKING

import numpy as np

from physics.data.model_tables import Bodies, Path, Topology, TreePlace
from physics.data.state_tables import DriveGiven, Drives, Grabs, HardLimits
from physics.data.step_tables import Control, Number
from physics.driver import needs

if TYPE_CHECKING:
    from physics.world.engine import Engine


def note_what_is_used(engine: "Engine") -> None:
    """Write to Work.control what the figure uses, so that kernels leave out the rest: applied forces, springs, grabs,
    limits, drives, a medium."""
    engine.filled = False
    engine.work.control[Control.LOADED] = int(engine.state.applied.any())
    flags = (engine.model.topology[:, Topology.FLAGS].any(), engine.model.links[:, Topology.FLAGS].any())
    engine.work.control[Control.SPRUNG] = int(any(flags))
    engine.work.control[Control.BALL_SPRINGS] = needs.ball_springs(engine.model)
    held = np.flatnonzero(engine.state.grab[:, Grabs.BODY] >= 0.0)
    engine.work.control[Control.GRABS] = int(held[-1]) + 1 if len(held) else 0
    engine.work.control[Control.HARD_LIMITED] = int(engine.state.limit[:, HardLimits.ON].any())
    drive = engine.state.drive
    on = drive[:, Drives.ON] != 0.0
    engine.work.control[Control.DRIVEN] = int(on.any() and not engine.work.control[Control.DRIVES_OFF])
    engine.work.control[Control.CAPPED] = int(np.isfinite(drive[on, Drives.LOW : Drives.HIGH + 1]).any())
    hard = on & (drive[:, Drives.GIVEN] == DriveGiven.SPEED) & (drive[:, Drives.DAMPING] == 0.0)
    hard &= np.isfinite(drive[:, Drives.LOW : Drives.HIGH + 1]).all(axis=1)
    engine.work.control[Control.HARD_DRIVES] = int(hard.any() and engine.work.control[Control.DRIVEN])
    places = engine.model.links[:, Topology.TREE_EDGE]
    across = engine.model.topology[places[places >= 0]]
    several = (across[:, Topology.PATH] == Path.AXES) & (across[:, Topology.DOFS] > 1)
    engine.work.control[Control.TREE_SPRINGS] = 2 if several.any() else int((places != TreePlace.NO_PLACE).any())
    engine.work.number[Number.TOTAL_MASS] = engine.model.body[:, Bodies.MASS].sum()
    flowing = engine.work.number[[Number.DENSITY, Number.VISCOSITY]].any()
    engine.work.control[Control.IN_MEDIUM] = int(len(engine.model.surface) > 0 and flowing)
