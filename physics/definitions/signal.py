"""A value that is a function of time; `physics.definitions.signals` has the kinds."""


class Signal:
    """Base class of values that are functions of time; `physics.definitions.signals` has the kinds."""

    @property
    def jumps(self) -> bool:
        """Return whether it is discontinuous. No position can follow such a signal."""
        return False
