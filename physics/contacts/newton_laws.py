"""The laws of all contacts in one Newton iteration: impulse gamma, derivative G = -d gamma / d u, and piece.

Row c of Touch.row belongs to contact c. Its law is either the convex cone law, or the law with a disc of friction,
whose radius follows from the impulse of the iteration before (`law.py`)."""

import math

from physics.compiler.jit import inline, kernel
from physics.contacts.law import cone_law, contact_argument, coulomb_law, disc_law, within_cone
from physics.contacts.newton_stopping import stays
from physics.contacts.request_rows import is_convex, rate_of
from physics.data.contact_tables import ContactExtras, ContactPoints, ContactRows, TouchControl, TouchNumber
from physics.maths.vec import dot, load3, load6, store3, store6, sub, sym_mul


@inline
def law_of(k, c, u):
    """Return gamma, G (packed) and the piece of contact c at the relative velocity u, with the centre and the radius of
    the present iteration."""
    where = k.collision.contacts.where
    n = load3(where, c, ContactPoints.NORMAL)
    inverse = k.row[c, ContactRows.INVERSE]
    centre = load3(k.row, c, ContactRows.CENTRE)
    if is_convex(k, c):
        y = contact_argument(u, n, centre, k.row[c, ContactRows.WANTED], k.row[c, ContactRows.LIFT], inverse)
        return cone_law(y, n, where[c, ContactPoints.FRICTION], inverse)
    return disc_law(
        u, n, centre, k.row[c, ContactRows.WANTED], where[c, ContactPoints.FRICTION] * dot(centre, n), inverse
    )


@inline
def lawful_impulse(k, c, u, p):
    """Return the impulse that the law requires of contact c, if it has the impulse p and the relative velocity u. If
    the law holds, the result equals p."""
    if is_convex(k, c) or stays(k.control):
        gamma, _, _ = law_of(k, c, u)
        return gamma
    where = k.collision.contacts.where
    n = load3(where, c, ContactPoints.NORMAL)
    return coulomb_law(
        u, n, p, k.row[c, ContactRows.WANTED], where[c, ContactPoints.FRICTION], k.row[c, ContactRows.INVERSE]
    )


@inline
def largest_of(v):
    """Return the largest absolute value of three numbers."""
    return max(abs(v[0]), max(abs(v[1]), abs(v[2])))


@kernel
def fill_rates(k, velocity):
    """Begin a pass at `velocity` (n, 6). Write the relative velocity u of every contact to ContactRows.RATE, and the
    largest impulse of the laws, in the measure of energy, to TouchNumber.LARGEST_ROOT."""
    largest = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        u = rate_of(k.collision.contacts, k, c, velocity)
        gamma, _, _ = law_of(k, c, u)
        store3(k.row, c, ContactRows.RATE, u)
        largest = max(largest, dot(gamma, gamma) / k.row[c, ContactRows.INVERSE])
    k.number[TouchNumber.LARGEST_ROOT] = math.sqrt(largest)


@kernel
def linearise(k):
    """Evaluate the law of every contact at ContactRows.RATE. Write gamma, G and the piece to Touch.row."""
    for c in range(k.control[TouchControl.ACTIVE]):
        linearise_contact(k, c, load3(k.row, c, ContactRows.RATE))


@inline
def linearise_contact(k, c, u):
    """Evaluate the law of contact c at the relative velocity u. Write gamma, G and the piece to Touch.row. Return
    gamma."""
    gamma, g, piece = law_of(k, c, u)
    store3(k.row, c, ContactRows.IMPULSE, gamma)
    store6(k.row, c, ContactRows.STIFFNESS, g)
    k.row[c, ContactRows.PIECE] = piece
    return gamma


@kernel
def carry_impulses(k):
    """Replace the impulses of the laws (ContactRows.IMPULSE) by those in the linear system (ContactRows.CARRIED)."""
    for c in range(k.control[TouchControl.ACTIVE]):
        store3(k.row, c, ContactRows.IMPULSE, load3(k.row, c, ContactRows.CARRIED))


@kernel
def advance_laws(k, velocity):
    """Write for each contact, at the velocities of a Newton step (n, 6): the relative velocity u; the impulse p = gamma
    - G du in the linear system; and a new gamma. The new gamma is p within the friction cone, or with a convex law, the
    impulse of the law. G is not changed.

    Return the largest difference between p and the impulse that the law requires, and the largest impulse. Both are
    squared and times R, which makes them energies, so that heavy bodies, light bodies and limits can be compared."""
    error = 0.0
    largest = 0.0
    astray = 0.0
    before = 0.0
    after = 0.0
    x = k.number
    shortened = k.control[TouchControl.ITERATION] > 1
    for c in range(k.control[TouchControl.ACTIVE]):
        u = rate_of(k.collision.contacts, k, c, velocity)
        du = sub(u, load3(k.row, c, ContactRows.RATE))
        carried = sub(load3(k.row, c, ContactRows.IMPULSE), sym_mul(load6(k.row, c, ContactRows.STIFFNESS), du))
        if shortened:
            present, _, _ = law_of(k, c, u)
            before += dot(sub(load3(k.row, c, ContactRows.CARRIED), load3(k.row, c, ContactRows.IMPULSE)), du)
            after += dot(sub(carried, present), du)
            store3(k.extra, c, ContactExtras.BEFORE, load3(k.row, c, ContactRows.CARRIED))
            store3(k.extra, c, ContactExtras.CHANGE, du)
        gamma = lawful_impulse(k, c, u, carried)
        off = sub(gamma, carried)
        astray = max(
            astray,
            abs(dot(off, load3(k.collision.contacts.where, c, ContactPoints.NORMAL))) / k.row[c, ContactRows.INVERSE],
        )
        if not is_convex(k, c):
            # what the law makes of p is as far beyond p as that is beyond the centre: to begin the next step with it
            # would swing to and fro
            where = k.collision.contacts.where
            gamma = within_cone(carried, load3(where, c, ContactPoints.NORMAL), where[c, ContactPoints.FRICTION])
        x[TouchNumber.RESIDUAL] = max(x[TouchNumber.RESIDUAL], largest_of(off))
        x[TouchNumber.LARGEST] = max(x[TouchNumber.LARGEST], largest_of(gamma))
        error = max(error, dot(off, off) / k.row[c, ContactRows.INVERSE])
        largest = max(largest, dot(gamma, gamma) / k.row[c, ContactRows.INVERSE])
        store3(k.row, c, ContactRows.CARRIED, carried)
        store3(k.row, c, ContactRows.RATE, u)
        store3(k.row, c, ContactRows.IMPULSE, gamma)
    x[TouchNumber.SLOPE_BEFORE] = before
    x[TouchNumber.SLOPE_AFTER] = after
    x[TouchNumber.ASTRAY] = astray
    return error, largest
