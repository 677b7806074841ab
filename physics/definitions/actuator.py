"""The base class of drives and target springs; `physics.definitions.actuators` has the kinds."""

from dataclasses import dataclass

from physics.definitions.named import Attached


@dataclass(frozen=True, kw_only=True)
class Actuator(Attached):
    """Base class of drives and target springs, which pull a figure to a target; `physics.definitions.actuators` has the
    kinds."""
