"""A value that is a function of time; `physics.definitions.signals` has the kinds."""


class Signal:
    """A value that is a function of time; `physics.definitions.signals` has the kinds.

    >>> from physics import Ramp, Signal
    >>> isinstance(Ramp(rate=0.5), Signal)
    True
    """

    @property
    def jumps(self) -> bool:
        """Whether it is discontinuous: no position can follow it then."""
        return False
