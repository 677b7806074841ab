"""Counters of the steps of a world: time, numbers of steps, the largest gap. They are numbers of Work.control and
Work.number."""

from typing import TYPE_CHECKING

from physics.data.step_tables import Control, Number

if TYPE_CHECKING:
    from physics.world.engine import Engine


class Counters:
    """The counters of an engine, each under the name that it has in a `World`."""

    def __init__(self, engine: "Engine"):
        self.engine = engine

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.engine.work.number[Number.TIME])

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return int(self.engine.work.control[Control.STEP])

    @property
    def substepped(self) -> int:
        """Number of steps in which some islands were followed in substeps: of the integrator, at its order, or of
        `implicit` where contacts or limits carry force."""
        return int(self.engine.work.control[Control.SUBSTEPPED])

    @property
    def redone(self) -> int:
        """Number of steps in which the last resort redid some islands, at first order, because substeps could not
        follow them, springs drove them, or they failed although they rotated slowly. Such steps may lose energy,
        `energy().lost`."""
        return int(self.engine.work.control[Control.REDONE])

    @property
    def frozen(self) -> int:
        """Number of substeps of redone steps that failed, too, and left their islands where they were."""
        return int(self.engine.work.control[Control.FROZEN])

    @property
    def largest_gap(self) -> float:
        """Largest gap of all joints [m or rad]."""
        self.engine.refresh()
        return float(self.engine.work.number[Number.GAP])

    @property
    def work_of_limits(self) -> float:
        """Work of hard limits since the start [J]. It is negative if they took energy."""
        return float(self.engine.work.number[Number.LIMIT_WORK])

    @property
    def limits_left_out(self) -> int:
        """Number of hard limits of the last step that the arrays could not hold."""
        return int(self.engine.work.control[Control.LIMITS_LEFT])

    @property
    def iterations(self) -> int:
        """Number of iterations of the mode `cg` in its last solve."""
        return int(self.engine.work.control[Control.ITERATIONS])

    @property
    def residual(self) -> float:
        """Relative residual of the mode `cg` after its last solve."""
        return float(self.engine.work.number[Number.RESIDUAL])

    @property
    def condition(self) -> float:
        """Estimate of the condition number of the joint-space inertia in the mode `jsim`, at its last factorisation."""
        return float(self.engine.work.number[Number.CONDITION])
