"""The line search of the contact method `newton`. It finds the share of a Newton step that is taken.

The derivative of the objective along the step is sum (p - gamma) . du over all contacts and limits. Here p is the
impulse in the linear system, gamma that of the law, and du the change of the relative velocity in the step. A regula
falsi finds a share at which the derivative is small."""

from physics.compiler.jit import kernel
from physics.contacts import hard_limits
from physics.contacts.newton_laws import law_of
from physics.data.contact_tables import ContactExtras, ContactRows, TouchControl, TouchNumber
from physics.maths.columns import flat
from physics.maths.vec import add_scaled, dot, load3, store3, sub

# a step is shortened where the derivative at its end exceeds this share of the one at its start
STEEP = 0.3
MOST_TRIALS = 12


@kernel
def slope(w, k, t):
    """Return the derivative of the objective at the share t of the step: the sum of (p - gamma) . du."""
    total = hard_limits.slope(w, t)
    for c in range(k.control[TouchControl.ACTIVE]):
        du = load3(k.extra, c, ContactExtras.CHANGE)
        gamma, _, _ = law_of(k, c, add_scaled(load3(k.row, c, ContactRows.RATE), t - 1.0, du))
        before = load3(k.extra, c, ContactExtras.BEFORE)
        p = add_scaled(before, t, sub(load3(k.row, c, ContactRows.CARRIED), before))
        total += dot(sub(p, gamma), du)
    return total


@kernel
def length_of_step(w, k):
    """Return the share of the step to take. It is 1 if the derivative at the end of the step is small enough."""
    high = k.number[TouchNumber.SLOPE_AFTER]
    first = k.number[TouchNumber.SLOPE_BEFORE]
    if not (first < 0.0 and high > -STEEP * first):
        return 1.0
    low = first
    a = 0.0
    b = 1.0
    t = 1.0
    for _ in range(MOST_TRIALS):
        t = a - low * (b - a) / (high - low)
        t = min(max(t, a + 0.1 * (b - a)), b - 0.1 * (b - a))
        here = slope(w, k, t)
        if abs(here) < -0.1 * first:
            break
        if here > 0.0:
            b = t
            high = here
        else:
            a = t
            low = here
    return t


@kernel
def shorten(k, t):
    """Set Touch.found back to the share t of the step, and with it the relative velocities and the impulses in the
    linear system of all contacts in Touch.row."""
    found = flat(k.found)
    start = flat(k.start)
    for i in range(found.shape[0]):
        found[i] = start[i] + t * (found[i] - start[i])
    for c in range(k.control[TouchControl.ACTIVE]):
        before = load3(k.extra, c, ContactExtras.BEFORE)
        store3(k.row, c, ContactRows.CARRIED, add_scaled(before, t, sub(load3(k.row, c, ContactRows.CARRIED), before)))
        store3(
            k.row,
            c,
            ContactRows.RATE,
            add_scaled(load3(k.row, c, ContactRows.RATE), t - 1.0, load3(k.extra, c, ContactExtras.CHANGE)),
        )
