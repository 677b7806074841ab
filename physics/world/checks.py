"""Checks of the arguments of a `World` and its parts, and the error of a step that cannot be taken. Nothing here
imports numba."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from physics.data.model import Floats
from physics.definitions.checks import LONGEST, DefinitionError


class CannotContinueError(RuntimeError):
    """The error of a step that could not be taken, not even in substeps, or in which a function of the user failed. The
    world keeps its last good state, with joints closed, and the next step can be taken once the cause is removed.

    >>> from physics import CannotContinueError
    >>> issubclass(CannotContinueError, RuntimeError)
    True
    """


def choose(what: str, name: Any, allowed: Iterable[str]) -> None:
    """Refuse a name that is not one of those in `allowed`."""
    if not isinstance(name, str) or name not in allowed:
        raise DefinitionError(what, name, ", ".join(allowed))


def vector(what: str, value: Any, count: int) -> Floats:
    """Return `count` finite numbers as an array, or refuse the value."""
    try:
        v = np.array(value, float)
    except (TypeError, ValueError, OverflowError):
        raise DefinitionError(what, value, f"{count} finite numbers") from None
    if v.shape != (count,) or not np.isfinite(v).all():
        raise DefinitionError(what, value, f"{count} finite numbers")
    return v


def point(what: str, value: Any) -> Floats:
    """Return `value` as a position in the world [m] (3,), or refuse one beyond the range in which the tolerances
    hold."""
    place = vector(what, value, 3)
    if np.abs(place).max() > LONGEST:
        raise DefinitionError(what, value, f"3 finite numbers of at most {LONGEST:g} m in size")
    return place
