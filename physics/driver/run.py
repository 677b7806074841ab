"""The arguments that the calls of a step share: the tables of units, and the switches of the step."""

from typing import Any, NamedTuple

from physics.compiler.jit import inline
from physics.compiler.pack import packed
from physics.data.contact_tables import TouchControl
from physics.data.step_tables import Control, Request


@packed
class Run(NamedTuple):
    """The arguments that all calls of a step share."""

    control: Any  # Work.control
    units: Any  # addresses of the units, by Unit
    places: Any  # addresses of Model, State, Work and of the mode's own space
    contact_units: Any  # addresses of the units of contacts, by ContactUnit
    contact_places: Any  # addresses of Model, State, Work and Touch
    contact: Any  # Touch.control; empty in a scene without shapes


@inline
def has_shapes(run):
    """Return whether the scene has shapes, so that contacts are detected."""
    return run.contact.shape[0] > 0


@inline
def touches(run):
    """Return whether some contact may exert a force in the present step."""
    return run.contact.shape[0] > 0 and run.contact[TouchControl.ACTIVE] > 0


@inline
def in_pass_of_integrator(run):
    """Return whether the chosen integrator makes the present pass, and not `implicit` in its place."""
    return run.control[Control.FIRST_ORDER] == 0


@inline
def count(request, run):
    """Add the factorisation and the solution that a request asks for to the counts Control.FACTORS and Control.SOLVES.
    A factorisation also ends the use of a kept factor (Control.FACTOR_KEPT)."""
    if request & Request.FACTOR:
        run.control[Control.FACTOR_KEPT] = 0
        run.control[Control.FACTORS] += 1
    if request & Request.SOLVE:
        run.control[Control.SOLVES] += 1
