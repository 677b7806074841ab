"""The twin of a check: with a parameter 1 % wrong the check must fail."""

import pytest


def fails(check, *arguments, **changes):
    """The twin: `check` must not hold with the changes."""
    with pytest.raises(AssertionError):
        check(*arguments, **changes)
