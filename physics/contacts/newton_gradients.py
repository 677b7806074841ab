"""The conjugate gradients of the contact method `newton`. Their preconditioner is the present factor of the solver
mode.

Contacts between two bodies have a block off the diagonal, -C, which the mode's factor P does not contain. H is the
whole matrix, with these blocks. The residual r and the search direction d have the shape of Work.velocity (n bodies x
6):

    r = C (v_new - v),   z = P r,   d = z + beta d,   H d = r - C z + beta H d       (no product with the whole H)

The mode computes each z. Then `sweep` makes one iteration."""

import math

from physics.compiler.jit import kernel
from physics.contacts import hard_limits
from physics.contacts.newton_laws import lawful_impulse
from physics.contacts.newton_stopping import MOST_SWEEPS, enough, renews
from physics.contacts.newton_system import add_couplings
from physics.contacts.request_rows import rate_of
from physics.data.contact_tables import ContactRows, TouchControl, TouchNumber
from physics.data.model_tables import Bodies
from physics.maths.columns import flat
from physics.maths.vec import dot, load3, load6, sub, sym_mul
from physics.maths.whole_arrays import product

# The conjugate gradients stop where the residual of the linear system is as small as `enough` says, or BALANCE times
# smaller than the error of the contact laws at the present solution: the next Newton step then gains more. This is
# tested each time the residual has fallen by LOOK. The residual is known from z before the step along z; that step is
# still taken.
BALANCE = 2.0
LOOK = 0.2
# From the second iteration on conjugate gradients end at this share of the error of the iteration before, unless what
# they have found is the answer.
FORCED = 0.1


@kernel
def most_energy(m, r):
    """Return an upper bound [J] of r . z for the residual r (n, 6). It is r . M^-1 r, with the largest entry of each
    body's inverse inertia. Joints, springs and contacts make the system only stiffer than M."""
    total = 0.0
    for i in range(m.topology.shape[0]):
        f = load3(r, i, 0)
        t = load3(r, i, 3)
        body = m.body
        turning = max(
            body[i, Bodies.INVERSE_INERTIA],
            max(body[i, Bodies.INVERSE_INERTIA + 1], body[i, Bodies.INVERSE_INERTIA + 2]),
        )
        total += body[i, Bodies.INVERSE_MASS] * dot(f, f) + turning * dot(t, t)
    return total


@kernel
def sweep(w, k):
    """Make one iteration of the conjugate gradients, with z in Work.velocity. Update Touch.found, Touch.residual,
    Touch.direction and Touch.image. Return whether another iteration is needed."""
    c = k.control
    x = k.number
    z = flat(w.velocity)
    r = flat(k.residual)
    d = flat(k.direction)
    image = flat(k.image)
    rz = product(k.residual, w.velocity)
    x[TouchNumber.LEFT] = math.sqrt(max(rz, 0.0))
    # image holds - H d = C z - r + beta (- H d)
    if c[TouchControl.SWEEP] == 0:
        x[TouchNumber.RZ_SEEN] = rz
        for i in range(z.shape[0]):
            d[i] = z[i]
            image[i] = -r[i]
    else:
        beta = rz / x[TouchNumber.RZ]
        for i in range(z.shape[0]):
            d[i] = z[i] + beta * d[i]
            image[i] = beta * image[i] - r[i]
    x[TouchNumber.RZ] = rz
    add_couplings(k, w.velocity, k.image)
    curvature = -product(k.direction, k.image)
    if not curvature > 0.0:
        return False
    step = rz / curvature
    found = flat(k.found)
    for i in range(z.shape[0]):
        found[i] += step * d[i]
        r[i] += step * image[i]
    c[TouchControl.SWEEP] += 1
    c[TouchControl.GRADIENTS] += 1
    if x[TouchNumber.LEFT] <= enough(x, c) or c[TouchControl.SWEEP] == MOST_SWEEPS:
        return False
    # in a heap the next Newton step is worth more than an exact solution; elsewhere it is where the laws do not hold
    forced = c[TouchControl.ITERATION] > 0 and x[TouchNumber.LEFT] <= FORCED * x[TouchNumber.ERROR]
    if forced and c[TouchControl.HEAP] != 0:
        return False
    if forced or rz < LOOK * LOOK * x[TouchNumber.RZ_SEEN]:
        x[TouchNumber.RZ_SEEN] = rz
        off = how_far_off(w, k, k.found)
        # where the laws hold, no other Newton step is needed for them
        return (not forced and x[TouchNumber.LEFT] >= BALANCE * off) or off <= x[TouchNumber.TOLERANCE] * x[
            TouchNumber.LARGEST_ROOT
        ]
    return True


@kernel
def how_far_off(w, k, velocity):
    """Return the error of the laws that a Newton step to `velocity` (n, 6) would leave, in the measure of energy (the
    root of what `advance_laws` returns). Write nothing."""
    error = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        u = rate_of(k.collision.contacts, k, c, velocity)
        du = sub(u, load3(k.row, c, ContactRows.RATE))
        carried = sub(load3(k.row, c, ContactRows.IMPULSE), sym_mul(load6(k.row, c, ContactRows.STIFFNESS), du))
        gamma = lawful_impulse(k, c, u, carried)
        off = sub(gamma, carried)
        error = max(error, dot(off, off) / k.row[c, ContactRows.INVERSE])
    return math.sqrt(hard_limits.how_far_off(w, velocity, error, renews(k.control)))
