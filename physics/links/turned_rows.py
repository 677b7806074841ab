"""Rows of contacts that turn with the slip: the directions of friction of a contact, and its law as rows.

The rows t1 and t2 of a contact lie across its normal n. `turn_to_slip` gives t1 the direction of the force that
friction alone would have. It gives the row t2 of a sliding contact a compliance, because friction turns with the slip.
`links/contact_rows.py` repeats this with the pivoting until the force across t1 vanishes.
"""

import math

from physics.compiler.jit import inline, kernel
from physics.contacts.law import Piece
from physics.data.contact_tables import (
    ContactBodies, ContactExtras, ContactPoints, ContactRows, TouchControl, TouchNumber,
)  # fmt: skip
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control
from physics.edges.conditions import has_nonideal_forces
from physics.links import nonideal_forces
from physics.links.complementary_forces import closing_speed, held_direction
from physics.links.pivoting_rows import RowState
from physics.maths.vec import ZERO3, add_scaled, cross, dot, load3, negative, norm, scale, store3, sub

# The law is met to this share of the largest impulse, or to World.contact_tolerance where that is less: a block a
# thousandth above the angle of friction slides with the right speed to a thousandth. It costs a round or none.
EXACT = 1e-6


@inline
def softness(k, c):
    """Return R of contact c, 0 for Coulomb's law."""
    return 1.0 / k.row[c, ContactRows.INVERSE] if k.control[TouchControl.REGULARISED] != 0 else 0.0


@inline
def wanted_normal(k, c):
    """Return the least permitted normal velocity w_n of contact c, without the term mu |w_t|."""
    return k.row[c, ContactRows.WANTED] - (
        k.row[c, ContactRows.LIFT] if k.control[TouchControl.REGULARISED] != 0 else 0.0
    )


@inline
def law_rate(k, c, u, gamma):
    """Return w = u + R (gamma - gamma_c) of contact c, for its velocity u and impulse gamma."""
    return add_scaled(u, softness(k, c), sub(gamma, load3(k.row, c, ContactRows.CENTRE)))


@inline
def across(v, n):
    """Return the part of v that is perpendicular to the unit vector n."""
    return add_scaled(v, -dot(v, n), n)


@kernel
def put_direction(w, k, c, at, d):
    """Write row `at` of Work.auxiliary for contact c: the velocity of a's point relative to b's along d."""
    a = w.auxiliary
    who = k.collision.contacts.who
    e = a.start[at]
    put_end(a, e, who[c, ContactBodies.BODY_A], load3(k.row, c, ContactRows.LEVER_A), d)
    e += 1
    if who[c, ContactBodies.BODY_B] >= 0:
        put_end(a, e, who[c, ContactBodies.BODY_B], load3(k.row, c, ContactRows.LEVER_B), negative(d))
        e += 1
    a.start[at + 1] = e


@inline
def put_end(a, e, body, r, d):
    """Write entry e of Auxiliary.jacobian: the velocity along d of the point at the lever r of a body."""
    a.body[e] = body
    store3(a.jacobian, e, 0, d)
    store3(a.jacobian, e, 3, cross(r, d))
    for j in range(PoseColumn.RATES, a.jacobian.shape[1]):
        a.jacobian[e, j] = 0.0


@inline
def tangential(w, k, c, at):
    """Return the friction of contact c, whose first row is `at`, from the multipliers: a vector across the normal."""
    a = w.auxiliary
    t1 = load3(k.extra, c, ContactExtras.TANGENT)
    t2 = cross(load3(k.collision.contacts.where, c, ContactPoints.NORMAL), t1)
    return add_scaled(scale(a.multiplier[at + 1], t1), a.multiplier[at + 2], t2)


@kernel
def turn_to_slip(w, k):
    """Rotate the friction rows of all contacts so that t1 has the direction of free friction, and set the compliance of
    the row across the slip. Return whether the change exceeds the tolerance; TouchNumber.RESIDUAL is the largest
    change."""
    a = w.auxiliary
    contacts = k.collision.contacts
    links = w.control[Control.ROW_COUNT]
    worst = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        at = int(k.extra[c, ContactExtras.ANSWER_ROW])
        mu = contacts.where[c, ContactPoints.FRICTION]
        if at < 0 or not mu > 0.0:
            continue
        n = load3(contacts.where, c, ContactPoints.NORMAL)
        rate = law_rate(k, c, load3(k.row, c, ContactRows.RATE), load3(k.row, c, ContactRows.IMPULSE))
        g = at - links
        own, slip = response_and_slip(w, k, c, at, across(rate, n))
        most = mu * a.multiplier[at]
        if k.control[TouchControl.REGULARISED] != 0:
            left = dot(rate, n) - wanted_normal(k, c) - mu * norm(slip)
            worst = max(worst, (abs(left) if most > 0.0 else -left) / a.schur[g, g])
        force = tangential(w, k, c, at) if most > 0.0 else ZERO3
        if own > 0.0:
            y = add_scaled(force, -1.0 / own, slip)
        elif norm(slip) > 0.0:
            y = scale(-2.0 * most / norm(slip), slip)  # nothing that friction does changes the slip
        else:
            let_yield(w, k, c, at, 0.0)
            continue
        size = norm(y)
        if not size > most:
            worst = max(worst, norm(slip) / own if most > 0.0 else 0.0)
            let_yield(w, k, c, at, 0.0)
            continue
        if most > 0.0:
            k.row[c, ContactRows.PIECE] = Piece.SLIDING
            worst = max(worst, norm(sub(force, scale(most / size, y))))
            a.guess[at + 1] = RowState.HIGH
            a.guess[at + 2] = RowState.HELD
        let_yield(w, k, c, at, 0.0)
        turn_rows(w, k, c, at, y)
        if most > 0.0:
            let_yield(w, k, c, at, own * (size / most - 1.0))
    k.number[TouchNumber.RESIDUAL] = worst
    return worst > min(k.number[TouchNumber.TOLERANCE], EXACT) * k.number[TouchNumber.LARGEST]


@kernel
def response_and_slip(w, k, c, at, slip):
    """Return (response, slip) of contact c. The response to friction is the mean over those directions across the
    normal that joints leave free, or 0 if they hold both. From `slip`, remove slips along held directions that are no
    faster than the closing speed."""
    a = w.auxiliary
    i = at + 1 - w.control[Control.ROW_COUNT]
    t1 = load3(k.extra, c, ContactExtras.TANGENT)
    t2 = cross(load3(k.collision.contacts.where, c, ContactPoints.NORMAL), t1)
    along = a.schur[i, i]
    beside = a.schur[i + 1, i + 1] - k.extra[c, ContactExtras.YIELD]
    held, x, y = held_direction(along, a.schur[i + 1, i], beside, a.schur[i - 1, i - 1])
    if held == 0:
        return 0.5 * (along + beside), slip
    least = closing_speed(w)
    if held == 2:
        return 0.0, slip if norm(slip) > least else ZERO3
    axis = add_scaled(scale(x, t1), y, t2)
    beyond = dot(axis, slip)
    return along + beside, slip if abs(beyond) > least else add_scaled(slip, -beyond, axis)


@inline
def let_yield(w, k, c, at, softness):
    """Set the compliance of the row across the slip to `softness`, on the diagonals of Auxiliary.matrix and
    Auxiliary.schur. Friction turns with the slip, to first order x_2 = -(mu x_n / |u_t|) u_2."""
    a = w.auxiliary
    change = softness - k.extra[c, ContactExtras.YIELD]
    k.extra[c, ContactExtras.YIELD] = softness
    g = at + 2 - w.control[Control.ROW_COUNT]
    a.matrix[at + 2, at + 2] += change
    a.schur[g, g] += change


@kernel
def turn_rows(w, k, c, at, y):
    """Turn t1 of contact c to the direction y, (t1, t2) <- (cos t1 + sin t2, cos t2 - sin t1), in Touch.extra and in
    the two rows, right-hand sides, multipliers and matrices of Work.auxiliary."""
    a = w.auxiliary
    n = load3(k.collision.contacts.where, c, ContactPoints.NORMAL)
    t1 = load3(k.extra, c, ContactExtras.TANGENT)
    t2 = cross(n, t1)
    x = dot(t1, y)
    z = dot(t2, y)
    size = math.sqrt(x * x + z * z)
    cos = x / size
    sin = z / size
    t1 = add_scaled(scale(cos, t1), sin, t2)
    t1 = scale(1.0 / norm(t1), t1)
    store3(k.extra, c, ContactExtras.TANGENT, t1)
    put_direction(w, k, c, at + 1, t1)
    put_direction(w, k, c, at + 2, cross(n, t1))
    i = at + 1
    j = at + 2
    turn_pair(a.right, i, j, cos, sin)
    turn_pair(a.multiplier, i, j, cos, sin)
    turn_pair(a.held, i, j, cos, sin)
    links = w.control[Control.ROW_COUNT]
    count = w.control[Control.LIMIT_ROWS]
    if has_nonideal_forces(a):
        nonideal_forces.turn_pair(a.matrix, count, i, j, cos, sin)
        nonideal_forces.turn_pair(a.schur, count - links, i - links, j - links, cos, sin)
    else:
        turn_matrix(a.matrix, 0, count, i, j, cos, sin)
        turn_matrix(a.schur, 0, count - links, i - links, j - links, cos, sin)
    for q in range(links):
        u = a.reach[i - links, q]
        v = a.reach[j - links, q]
        a.reach[i - links, q] = cos * u + sin * v
        a.reach[j - links, q] = cos * v - sin * u


@inline
def turn_pair(x, i, j, cos, sin):
    """Rotate the pair (x[i], x[j]) of the vector x."""
    u = x[i]
    v = x[j]
    x[i] = cos * u + sin * v
    x[j] = cos * v - sin * u


@kernel
def turn_matrix(b, first, count, i, j, cos, sin):
    """Rotate rows and columns i and j = i + 1 of the symmetric matrix b, from `first` to count - 1. The lower triangle
    is read, and both are written."""
    for q in range(first, count):
        if q == i or q == j:
            continue
        u = b[i, q] if q < i else b[q, i]
        v = b[j, q] if q < j else b[q, j]
        x = cos * u + sin * v
        y = cos * v - sin * u
        b[i, q] = x
        b[q, i] = x
        b[j, q] = y
        b[q, j] = y
    d = b[i, i]
    e = b[j, j]
    o = b[j, i]
    b[i, i] = cos * cos * d + 2.0 * cos * sin * o + sin * sin * e
    b[j, j] = sin * sin * d - 2.0 * cos * sin * o + cos * cos * e
    b[j, i] = (cos * cos - sin * sin) * o + cos * sin * (e - d)
    b[i, j] = b[j, i]
