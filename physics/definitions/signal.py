"""The base class of signals, values that are functions of time; `physics.definitions.signals` has the kinds."""

__all__ = ["Signal"]


class Signal:
    """Base class of values that are functions of time; `physics.definitions.signals` has the kinds.

    >>> from physics import Ramp, Signal
    >>> isinstance(Ramp(rate=0.5), Signal)
    True
    """

    @property
    def jumps(self) -> bool:
        """Whether the signal is discontinuous. A position cannot follow such a signal."""
        return False
