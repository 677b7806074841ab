"""The centres of the contact laws. After each Newton iteration, the centre of each law is moved to the impulse that the
contact has in the linear system.

When the iteration has converged, Coulomb's law itself therefore holds, without regularisation or delay."""

from physics.compiler.jit import inline, kernel
from physics.contacts import hard_limits
from physics.contacts.newton_stopping import DOZEN
from physics.contacts.request_rows import centre_of, is_convex
from physics.data.contact_tables import ContactExtras, ContactPoints, ContactRows, TouchControl, TouchNumber
from physics.maths.vec import add, add_scaled, dot, load3, store3, sub

# Centres: how far beyond what is carried, and back from it, the secant method may go, as a share of the last change;
# and after how many iterations it takes turns with half steps.
MOST_AHEAD = 3.0
MOST_BACK = 0.7
# Contacts at a joint may contradict each other: it closes its gap by velocities of second order, which no impulse
# changes. Then the normal velocity of each is off by the same, to this share of it, iteration after iteration, while
# the load wanders from one to the other. Where that is less than UNDECIDED times the tolerance in the step, m (at the
# default the gap to which joints are closed), the contact is given it.
SAME = 0.05
UNDECIDED = 3e-4


@kernel
def recentre(w, k):
    """Move the centre of every law (ContactRows.CENTRE) towards its present impulse p in the linear system. The
    impulses depend on all centres c, mostly because friction acts with levers, and this dependence is not a gradient.
    Therefore the secant method solves c = p(c), with energy as its norm. In every other dozen of iterations, each
    centre moves half of the way to p instead, for cases in which the secant method would not converge. In heaps, the
    centres move all or half of the way, without secants. Except in heaps, the centres of hard limits are moved, too."""
    heap = k.control[TouchControl.HEAP] != 0
    if not heap:
        hard_limits.recentre(w)
    numerator = 0.0
    denominator = 0.0
    share = 0.5 if k.control[TouchControl.ITERATION] // DOZEN % 2 == 1 else 1.0
    if k.control[TouchControl.ITERATION] > 1 and share == 1.0 and not heap:
        for c in range(k.control[TouchControl.ACTIVE]):
            if is_convex(k, c):
                continue
            off = sub(carried_centre(k, c), load3(k.row, c, ContactRows.CENTRE))
            change = sub(off, load3(k.extra, c, ContactExtras.CENTRE_OFF))
            numerator += dot(change, off) / k.row[c, ContactRows.INVERSE]
            denominator += dot(change, change) / k.row[c, ContactRows.INVERSE]
    secant = min(max(numerator / denominator, -MOST_AHEAD), MOST_BACK) if denominator > 0.0 else 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        if is_convex(k, c):
            continue
        centre = load3(k.row, c, ContactRows.CENTRE)
        off = sub(carried_centre(k, c), centre)
        if k.control[TouchControl.ITERATION] > 1 and not heap:
            off = give_in(k, c, off)
        new = add_scaled(centre, share, off)
        if secant != 0.0:
            change = sub(
                add(centre, off),
                add(load3(k.extra, c, ContactExtras.CENTRE_BEFORE), load3(k.extra, c, ContactExtras.CENTRE_OFF)),
            )
            new = add_scaled(new, -secant, change)
        store3(k.extra, c, ContactExtras.CENTRE_BEFORE, centre)
        store3(k.extra, c, ContactExtras.CENTRE_OFF, off)
        store3(k.row, c, ContactRows.CENTRE, new)


@inline
def give_in(k, c, off):
    """Return `off`, the difference between the impulse of contact c and its centre. If the contact contradicts others,
    set ContactRows.WANTED to the present normal velocity, and remove the normal part of `off`."""
    n = load3(k.collision.contacts.where, c, ContactPoints.NORMAL)
    inverse = k.row[c, ContactRows.INVERSE]
    pressed = dot(off, n)
    change = pressed - dot(load3(k.extra, c, ContactExtras.CENTRE_OFF), n)
    if (
        abs(change) < SAME * abs(pressed)
        and abs(pressed) * k.number[TouchNumber.PACE] < UNDECIDED * k.number[TouchNumber.TOLERANCE] * inverse
    ):
        k.row[c, ContactRows.WANTED] -= pressed / inverse
        return add_scaled(off, -pressed, n)
    return off


@inline
def carried_centre(k, c):
    """Return the centre that belongs to the impulse of contact c in the linear system."""
    where = k.collision.contacts.where
    n = load3(where, c, ContactPoints.NORMAL)
    return centre_of(
        load3(k.row, c, ContactRows.CARRIED),
        load3(k.row, c, ContactRows.RATE),
        n,
        where[c, ContactPoints.FRICTION],
        k.row[c, ContactRows.INVERSE],
    )
