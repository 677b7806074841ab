"""A value that is a function of time; `physics.definitions.signals` has the kinds."""

__all__ = ["Signal"]


class Signal:
    """A value that is a function of time; `physics.definitions.signals` has the kinds.

    >>> from physics import Ramp, Signal
    >>> isinstance(Ramp(rate=0.5), Signal)
    True
    """

    @property
    def jumps(self) -> bool:
        """Return whether it is discontinuous. No position can follow such a signal."""
        return False
