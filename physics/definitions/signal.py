"""A value that is a function of time; `physics.definitions.signals` has the kinds."""


class Signal:
    """A value that is a function of time; `physics.definitions.signals` has the kinds."""

    @property
    def jumps(self) -> bool:
        """Whether it is discontinuous: no position can follow it then."""
        return False
