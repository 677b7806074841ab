"""The poses of the bodies of a world: how they are read, set together, moved, and assembled. To assemble is to move
bodies so that joints close."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from physics.data.model import Floats
from physics.definitions.checks import DefinitionError, number
from physics.maths.rotations import conjugate, quaternion_product
from physics.driver import preparations
from physics.maths.strict import norms
from physics.world.assembly import Closing
from physics.world.body_views import FixedView
from physics.world.engine import Engine
from physics.world.measure import measure_gaps


class Placing:
    """The poses of the bodies of a world. Each method has the name that it has in `World`."""

    def __init__(self, engine: Engine, bodies: Mapping[str, Any]):
        self.engine, self.bodies = engine, bodies

    def place(self, poses: Mapping[str, tuple[Any, Any]]) -> None:
        """Set poses of bodies, given by name, without regard to their joints."""
        before, self.engine.moved = self.engine.moved, None
        try:
            for name, (position, quaternion) in poses.items():
                self.bodies[name].position = position
                if self.bodies[name].has_orientation:
                    self.bodies[name].quaternion = quaternion
        finally:
            self.engine.moved = before

    def poses(self) -> Floats:
        """Return position [m] and quaternion (w first) of all bodies in the order of the scene (n, 7)."""
        rows = np.array([view._row for view in self.bodies.values()])
        fixed = np.array([isinstance(view, FixedView) for view in self.bodies.values()])
        out = np.empty((len(rows), 7))
        pose = self.engine.state.pose[rows[~fixed], :7]
        out[~fixed, :3] = pose[:, :3]
        back = conjugate(self.engine.built.principal[rows[~fixed]])  # principal axes to own
        out[~fixed, 3:] = quaternion_product(pose[:, 3:], back)
        views = list(self.bodies.values())
        for k in np.flatnonzero(fixed):
            out[k] = (*views[k].position, *views[k].quaternion)
        return out

    def move(self, time: float) -> None:
        """Move every body with its present velocity for a time [s], which may be negative, without regard to joints and
        forces."""
        duration = number("time of a move", time, -math.inf)
        for row in range(len(self.engine.state.pose)):
            self.engine.note_moved(row, "others")
        self.engine.call(preparations.move, self.engine.state.velocity, duration)
        self.engine.mark_changed()

    def assemble(
        self, tolerance: float = 1e-12, most: int = 50, *, hold: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Close the joints by projection, as `World.assemble` does. Return how far each body was moved [m], by its
        name."""
        start = self.engine.state.pose[:, :3].copy()
        held = [self.engine.built.joint_row[k] for k in hold or () if k in self.engine.built.joint_row]
        if hold is None and self.engine.moved is not None and self.engine.moved.is_aimed:
            self.engine.settle()
        self.engine.moved = None
        closing = Closing(self.engine)
        with self.engine.answered_in_linear_time():
            gap = closing.close(tolerance, most, stiff=[row for row in held if row < len(self.engine.model.topology)])
            if not gap <= 1e-6:
                self.engine.refresh()
                row = int(np.argmax(measure_gaps(self.engine.work).max(axis=1)))
                name = next(k for k, r in self.engine.built.joint_row.items() if r == row)
                raise DefinitionError(f"joint {name!r}", f"open by {gap:.3g}", "joints that can all be closed together")
            closing.stop()
        moved = norms(self.engine.state.pose[:, :3] - start)
        return {name: float(moved[row]) for name, row in self.engine.built.body_row.items()}
