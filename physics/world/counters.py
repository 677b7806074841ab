"""What the steps of a world count and note: time, numbers of steps, the largest gap. These are single numbers of
Work.control and Work.number."""

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
        return float(self.engine.work.number[Number.TIME])

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self.engine.work.control[Control.STEP])

    @property
    def substepped(self) -> int:
        """Steps in which some figures were followed in substeps: of the integrator, at its order, or of `implicit`
        where contacts or limits press."""
        return int(self.engine.work.control[Control.SUBSTEPPED])

    @property
    def redone(self) -> int:
        """Steps in which some figures were redone by the last resort of the guard, at first order: what substeps could
        not follow, or springs throw, or failed though it turned slowly. They may lose energy, `energy().lost`."""
        return int(self.engine.work.control[Control.REDONE])

    @property
    def frozen(self) -> int:
        """Substeps of redone steps that failed too and left the figure where it was."""
        return int(self.engine.work.control[Control.FROZEN])

    @property
    def largest_gap(self) -> float:
        self.engine.refresh()
        return float(self.engine.work.number[Number.GAP])

    @property
    def work_of_limits(self) -> float:
        """That hard limits have done since the start, J: less than 0 where they took motion up."""
        return float(self.engine.work.number[Number.LIMIT_WORK])

    @property
    def limits_left_out(self) -> int:
        """Hard limits that were met in the last step beyond the number that there is room for."""
        return int(self.engine.work.control[Control.LIMITS_LEFT])

    @property
    def iterations(self) -> int:
        """Of the cg mode, in its last solve."""
        return int(self.engine.work.control[Control.ITERATIONS])

    @property
    def residual(self) -> float:
        """Of the cg mode, relative, after its last solve."""
        return float(self.engine.work.number[Number.RESIDUAL])

    @property
    def condition(self) -> float:
        """Of the jsim mode: an estimate of the condition of the joint-space inertia at its last factorisation."""
        return float(self.engine.work.number[Number.CONDITION])
