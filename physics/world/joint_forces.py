"""Forces of joints and constraints, as the user reads them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from physics.data.model import Floats
from physics.data.state_tables import Memory
from physics.data.step_tables import Control
from physics.data.work_tables import MeanWrench
from physics.world.self_stress import share_wrenches
from physics.world.starting import foresee
from physics.world.touching import Contact

if TYPE_CHECKING:
    from physics.world.engine import Engine


class JointForces:
    """The wrenches of all edges of an engine. Before the first step they are computed if `are_foreseen()` is true: from
    the accelerations, or, if something touches, by the function `step`. The state is restored afterwards."""

    def __init__(self, engine: "Engine"):
        """Start without shared forces."""
        self.engine = engine
        self.shared: tuple[list[Floats], Floats] | None = (
            None  # the wrenches that are read, and the values from which they were computed
        )
        self.step: Callable[[], None]
        self.are_foreseen: Callable[[], bool] = lambda: True

    def of_edges(self) -> Floats:
        """Return the wrenches with which all edges acted on their children in the last step (edges, 6). For a step that
        was taken in substeps, return the means."""
        if self.engine.work.control[Control.FOLLOWED] != 0:
            return self.engine.work.mean_wrench[:, MeanWrench.WRENCH : MeanWrench.WRENCH + 6]
        return self.engine.state.memory[:, Memory.WRENCH : Memory.WRENCH + 6]

    def set(self, wrench: Any) -> None:
        """Set the wrenches that are read until the next step. That step also starts from them."""
        self.engine.state.memory[:, Memory.WRENCH : Memory.WRENCH + 6] = wrench
        self.engine.work.control[Control.FOLLOWED] = 0

    def of_edge(self, row: int) -> Floats:
        """Return the wrench of an edge on its child (6,): that of the last step, or of the last call of
        `accelerations()`; before either, that of the present state. Joints whose constraints repeat each other share
        their wrenches (physics/world/self_stress.py)."""
        wrench = self.of_edges()
        if self.engine.work.control[Control.STEP] == 0 and self.are_foreseen() and not wrench.any():
            wrench = self.foresee()[0]
        if not len(self.engine.model.links) or not wrench.any():
            return wrench[row].copy()
        self.engine.refresh()
        now = (self.engine.state.pose, wrench, self.engine.state.released, self.engine.work.frame)
        if self.shared is None or not all(map(np.array_equal, self.shared[0], now)):
            shared = share_wrenches(self.engine.model, self.engine.state, self.engine.work, wrench)
            self.shared = [a.copy() for a in now], shared
        return self.shared[1][row].copy()

    def foresee(self) -> tuple[Floats, list[Contact]]:
        """Return the joint forces and contacts before the first step, computed once."""
        if self.engine.foreseen is None:
            self.engine.foreseen = foresee(self.engine, self.step)
        return self.engine.foreseen
