"""Counters of the steps of a world: time, numbers of steps, the largest gap. They are numbers of Work.control and
Work.number."""

from typing import TYPE_CHECKING, Any

from physics.data.step_tables import Control, Number

if TYPE_CHECKING:
    from physics.world.engine import Engine


def count(slot: int, doc: str) -> Any:
    """Return a property that reads an integer of Work.control."""

    def read(counters: "Counters") -> int:
        return int(counters.engine.work.control[slot])

    return property(read, doc=doc)


def measure(slot: int, doc: str) -> Any:
    """Return a property that reads a number of Work.number."""

    def read(counters: "Counters") -> float:
        return float(counters.engine.work.number[slot])

    return property(read, doc=doc)


class Counters:
    """The counters of an engine, each under the name that it has in a `World`."""

    def __init__(self, engine: "Engine"):
        self.engine = engine

    @property
    def largest_gap(self) -> float:
        """Largest gap of all joints and constraints [m or rad]. Links that are released or contradict others do not
        count."""
        self.engine.refresh()
        return float(self.engine.work.number[Number.GAP])

    time: float = measure(Number.TIME, "Time [s].")
    steps: int = count(Control.STEP, "Number of steps taken.")
    substepped: int = count(
        Control.SUBSTEPPED,
        "Number of steps in which some islands were followed in substeps: of the integrator, at its order, or of "
        "`implicit` where contacts or limits press.",
    )
    redone: int = count(
        Control.REDONE,
        "Number of steps in which some islands were redone by the last resort of the guard, at first order: substeps "
        "could not follow them, springs threw them, or they failed although they rotated slowly. Such steps may lose "
        "energy, `energy().lost`.",
    )
    frozen: int = count(
        Control.FROZEN,
        "Number of substeps of redone steps that failed too and left their islands where they were.",
    )
    work_of_limits: float = measure(
        Number.LIMIT_WORK, "Work of hard limits since the start [J]; it is negative where they took energy."
    )
    limits_left_out: int = count(
        Control.LIMITS_LEFT, "Number of hard limits of the last step for which there was no room."
    )
    iterations: int = count(Control.ITERATIONS, "Number of iterations of the mode `cg` in its last solve.")
    residual: float = measure(Number.RESIDUAL, "Relative residual of the mode `cg` after its last solve.")
    condition: float = measure(
        Number.CONDITION,
        "Estimate of the condition number of the joint-space inertia in the mode `jsim`, at its last factorisation.",
    )
