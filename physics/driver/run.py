"""What the calls of a step have in common: the tables of units, the switches of the step, and what is asked of them."""

from typing import Any, NamedTuple

from physics.compiler.jit import inline
from physics.compiler.pack import packed
from physics.data.contact_tables import TouchControl
from physics.data.step_tables import Control, Request


@packed
class Run(NamedTuple):
    """What every call of a step needs."""

    control: Any  # Work.control
    units: Any  # addresses of the units, by Unit
    places: Any  # addresses of Model, State, Work and of the mode's own space
    contact_units: Any  # addresses of the units of contacts, by ContactUnit
    contact_places: Any  # addresses of Model, State, Work and Touch
    contact: Any  # Touch.control; empty in a scene without shapes


@inline
def has_shapes(run):
    """Whether contacts are looked for."""
    return run.contact.shape[0] > 0


@inline
def touches(run):
    """Whether some contact matters in the present step."""
    return run.contact.shape[0] > 0 and run.contact[TouchControl.ACTIVE] > 0


@inline
def in_pass_of_integrator(run):
    """Whether the present pass is made by the integrator that is set, not by `implicit` in its place."""
    return run.control[Control.FIRST_ORDER] == 0


@inline
def count(request, run):
    """Count the factorisations and solutions that a request asks of the mode."""
    if request & Request.FACTOR:
        run.control[Control.FACTOR_KEPT] = 0
        run.control[Control.FACTORS] += 1
    if request & Request.SOLVE:
        run.control[Control.SOLVES] += 1
