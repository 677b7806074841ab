"""Restitution and push-out of contacts: the wanted velocities for another pass, and the energy that they may gain.

    v^T A v / 2 - (f - A u0)^T v - u0^T A u0 / 2        the energy [J] that the velocities v gain

A is in Touch.block and f in Touch.force. u0 are the velocities before the step."""

import math

from physics.compiler.jit import inline, kernel
from physics.contacts.request_rows import FAST, SIGMA, SIGMA_OF_PAIRS
from physics.data.contact_tables import ContactBodies, ContactRows, TouchControl, TouchNumber
from physics.maths.vec import dot, load3
from physics.maths.whole_arrays import difference, product

# How often speeds at which things are pushed out are lowered, the last time to 0; and where that begins, over the
# energy that they may have: 2 where both of a pair are as heavy, and some for what lies on them.
MOST_CALMED = 3
PUSHED = 4.0


# ---------------------------------------------------------------- restitution, results
@inline
def load_entry(block, i, r, c):
    """Return entry (r, c) of the packed symmetric block of body i."""
    return block[i, r * (r + 1) // 2 + c] if r >= c else block[i, c * (c + 1) // 2 + r]


@kernel
def bilinear(k, a, b):
    """Return a^T A b for two tables of velocities a and b (n, 6). A is in Touch.block."""
    total = 0.0
    for i in range(a.shape[0]):
        for r in range(a.shape[1]):
            for c in range(a.shape[1]):
                total += a[i, r] * load_entry(k.block, i, r, c) * b[i, c]
    return total


@kernel
def raise_wanted(k):
    """Set ContactRows.WANTED to vhat = -e u_n for contacts that bounce: they exert a force, and their surfaces would
    cross in the step. Return the largest of these speeds [m/s], or 0 if no contact bounces."""
    fastest = 0.0
    if k.control[TouchControl.BOUNCES] == 0:
        return fastest
    for c in range(k.control[TouchControl.ACTIVE]):
        gamma = load3(k.row, c, ContactRows.IMPULSE)
        if k.row[c, ContactRows.BOUNCE] > max(0.0, k.row[c, ContactRows.WANTED]) and dot(gamma, gamma) > 0.0:
            k.row[c, ContactRows.WANTED] = k.row[c, ContactRows.BOUNCE]
            fastest = max(fastest, k.row[c, ContactRows.BOUNCE])
    return fastest


@kernel
def energy_gained(s, k, v):
    """Return the energy [J] that the velocities v (n, 6) gain: v^T A v / 2 - (f - A u0)^T v - u0^T A u0 / 2."""
    gained = 0.5 * bilinear(k, v, v) - 0.5 * bilinear(k, s.velocity, s.velocity)
    return gained + bilinear(k, s.velocity, v) - product(k.force, v)


@kernel
def slow_pushes(s, k, v):
    """Lower ContactRows.WANTED of all contacts that are pushed out, if the push-out gains too much energy at the
    velocities v (n, 6). Return whether this was done."""
    if not k.number[TouchNumber.FASTEST] > FAST:
        return False
    may = 0.0
    fastest = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        gamma = load3(k.row, c, ContactRows.IMPULSE)
        if k.row[c, ContactRows.WANTED] > 0.0 and dot(gamma, gamma) > 0.0:
            sigma = SIGMA if k.collision.contacts.who[c, ContactBodies.BODY_B] < 0 else SIGMA_OF_PAIRS
            may += (
                0.5
                * sigma
                * k.row[c, ContactRows.INVERSE]
                * k.row[c, ContactRows.WANTED]
                * k.row[c, ContactRows.WANTED]
            )
            fastest = max(fastest, k.row[c, ContactRows.WANTED])
    if not fastest > FAST or k.control[TouchControl.CALMED] >= MOST_CALMED:
        return False
    gained = energy_gained(s, k, v)
    if not gained > PUSHED * may:
        return False
    k.control[TouchControl.CALMED] += 1
    # what pushing alone gains goes with the square of its speed
    share = math.sqrt(may / gained) if k.control[TouchControl.CALMED] < MOST_CALMED else 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.row[c, ContactRows.WANTED] > 0.0:
            k.row[c, ContactRows.WANTED] *= share
    return True


@kernel
def share_of_bounce(s, k):
    """Return the largest share t in [0, 1] for which the velocities V0 + t (V1 - V0) gain no energy. If V0 already
    gains energy, they must not gain more than V0. V0 are the velocities without restitution (Touch.without), and V1
    those with it (Touch.start). This overwrites Touch.found."""
    difference(k.start, k.without, k.found)
    e2 = 0.5 * bilinear(k, k.found, k.found)
    e1 = bilinear(k, k.without, k.found) - product(k.force, k.found) + bilinear(k, s.velocity, k.found)
    spare = max(0.0, -energy_gained(s, k, k.without))
    if e2 + e1 <= spare or not e2 > 0.0:
        return 1.0
    root = e1 * e1 + 4.0 * e2 * spare
    return min(1.0, max(0.0, (math.sqrt(root) - e1) / (2.0 * e2))) if root > 0.0 else 0.0
