"""When the Newton iteration of the contact method `newton` ends: iteration caps, tolerances, and iterations that have
stalled."""

from physics.compiler.jit import inline
from physics.data.contact_tables import CONTACT_TOLERANCE, TouchControl, TouchNumber

MOST_ITERATIONS = 200  # a pass; some six at the default tolerance, a jam may take 100 at 1e-12
# At the default tolerance that many, or as many as go through so many contacts.
MOST_OF_MANY = 30
MOST_LOOKED_AT = 800
MOST_SWEEPS = 40
# What may be left of the linear system, as a share of the tolerance. With 0.3 the loads in a stack of ten boxes are off
# by as much as the tolerance. (|e| sqrt(R) of a law that is off by e is less by sqrt(sigma) than the energy of the
# motion that e makes: some 5 times.)
GRADIENT_SHARE = 0.2
# Where few contacts are coupled, this share: couplings left to the next step would let what rests swing to and fro.
EXACT_SHARE = 0.005
# Where a contact carries something its normal velocity is the one wanted to this speed times the tolerance, m/s: what
# does not bounce does not rise.
ASTRAY_MOST = 1e-3
# An error below this share of the largest impulse that no longer halves is rounding.
ROUNDED = 1e-9
DOZEN = 12
# At most so many iterations are made in a heap, or as many as go through so many contacts between bodies, and in the
# last of them the laws of new contacts stay as they are. While a large heap falls impulses are then off by some per
# cent of the largest.
MOST_IN_HEAPS = 7
MOST_GONE_THROUGH = 400
LAST_IN_HEAPS = 4
# At the default tolerance a pass ends where a dozen iterations have not halved an error below this share of the
# largest impulse: bodies that stick against each other's joints creep by what these leave open.
STALLED = 1e-2


@inline
def most_iterations(k):
    """Return the cap on the iterations of a pass. Because of it, one limb for which there is no solution does not delay
    all others for long."""
    if k.number[TouchNumber.TOLERANCE] < CONTACT_TOLERANCE:
        return MOST_ITERATIONS
    return min(MOST_ITERATIONS, max(MOST_OF_MANY, MOST_LOOKED_AT // max(1, k.control[TouchControl.ACTIVE])))


@inline
def most_in_heap(c):
    """Return the cap on the iterations in a heap. c is Touch.control."""
    return min(MOST_ITERATIONS, max(MOST_IN_HEAPS, MOST_GONE_THROUGH // max(1, c[TouchControl.COUPLED])))


@inline
def stays(c):
    """Return whether the laws of new contacts no longer change. This is so in the last iterations of a heap. c is
    Touch.control."""
    return c[TouchControl.HEAP] != 0 and c[TouchControl.ITERATION] > most_in_heap(c) - LAST_IN_HEAPS


@inline
def renews(c):
    """Return whether the centres of limits are renewed after each iteration. c is Touch.control."""
    return c[TouchControl.REGULARISED] == 0 and c[TouchControl.HEAP] == 0


@inline
def is_good_enough(k, error, largest):
    """Return whether the iteration with this `error` and this `largest` impulse is good enough to be the last. Both are
    in the measure of energy."""
    c = k.control
    x = k.number
    if c[TouchControl.HEAP] != 0 and c[TouchControl.ITERATION] >= most_in_heap(c):
        return True
    if error <= x[TouchNumber.TOLERANCE] * largest and x[TouchNumber.LEFT] <= enough(x, c):
        return (
            c[TouchControl.REGULARISED] | c[TouchControl.HEAP] != 0
            or x[TouchNumber.ASTRAY] <= ASTRAY_MOST * x[TouchNumber.TOLERANCE]
        )
    if has_stalled(x, c, error) and error <= STALLED * largest and x[TouchNumber.TOLERANCE] >= CONTACT_TOLERANCE:
        return True
    return c[TouchControl.ITERATION] > 2 and error <= ROUNDED * largest and error > 0.5 * x[TouchNumber.ERROR]


@inline
def has_stalled(x, c, error):
    """Return whether the error has stalled. Every dozen iterations it is compared with the error a dozen iterations
    before, and has stalled if it is more than half of that. It is then written to TouchNumber.ERROR_SEEN. In all other
    iterations, return False."""
    if c[TouchControl.ITERATION] % DOZEN != 0:
        return False
    stalled = c[TouchControl.ITERATION] > DOZEN and error > 0.5 * x[TouchNumber.ERROR_SEEN]
    x[TouchNumber.ERROR_SEEN] = error
    return stalled


@inline
def enough(x, c):
    """Return the residual that a linear system may have, in the measure of TouchNumber.LEFT, the root of an energy. x
    is Touch.number, and c is Touch.control."""
    share = GRADIENT_SHARE if c[TouchControl.HEAP] | c[TouchControl.REGULARISED] != 0 else EXACT_SHARE
    return share * x[TouchNumber.TOLERANCE] * x[TouchNumber.LARGEST_ROOT]
