"""Hard limits as rows of the contact method, which then finds both together (contacts/newton.py).

    gamma = max(0, gamma_c - (s J v - vhat) / R),   R = sigma / I,   I = N^T A' N of the child alone

with vhat what the limit asks (limits.py). In the joint's own coordinate such a row is a spring of the stiffness G =
1/R and a push, so the elimination keeps its order and any number of them costs no more than one. That goes for joints
in the forest; limits of joints outside it, ropes, and limits that things bounce off stay with the anticipation.
"""

from physics import couplings
from physics.auxiliary import limits
from physics.kernels.jit import entry, inline, kernel
from physics.kernels.vec import (
    ZERO3, block_mul, add, cross, dot, load3, load6, load_block, negative, scale, store3, store6,
)  # fmt: skip
from physics.layout import (
    AXIS, CHILD, DONE, H, KINEMATIC, LENGTH_LIMIT, LIMITS_ELSEWHERE, LIMIT_AGE, LIMIT_BOUNCE, LIMIT_EDGE, LIMIT_FORCE,
    LIMIT_LOWER, LIMIT_MEAN, LIMIT_ON, LIMIT_TAKEN, LIMIT_UPPER, LIMIT_VALUE, LIMIT_WHAT, LIMIT_WRAP, ORDER, PARENT, RC,
    SPIN, STIFF_BLOCK, STOPS, STOP_AXIS, STOP_CENTRE, STOP_CHILD, STOP_EDGE, STOP_FREE, STOP_INVERSE, STOP_LIMIT,
    STOP_PARENT, STOP_SIGN, STOP_TOLD, STOP_TWIST, STOP_WANTED, SWING, TWIST,
)  # fmt: skip

SIGMA = 1e-2  # as of contacts with what does not move
# An angle farther from its limit than this, and than twice what it can turn in the step, does not matter in it, rad.
NEAR = 0.15


@entry
def fill_stops(m, s, w):
    """All limits that may matter in the request, w.block and w.edge being filled. Those that are no rows of a joint in
    the forest are counted in LIMITS_ELSEWHERE."""
    c = w.control
    c[STOPS] = 0
    c[LIMITS_ELSEWHERE] = 0
    reach = NEAR + 4.0 * w.number[H] * w.number[SPIN]
    for l in range(s.limit.shape[0]):
        w.limit[l, LIMIT_TAKEN] = 0.0
        w.limit[l, LIMIT_MEAN] = 0.0
        if s.limit[l, LIMIT_ON] == 0.0:
            continue
        apart = int(s.limit[l, LIMIT_EDGE]) >= m.topology.shape[0] or s.limit[l, LIMIT_WHAT] == LENGTH_LIMIT
        if apart or s.limit[l, LIMIT_BOUNCE] > 0.0:
            c[LIMITS_ELSEWHERE] = 1
            continue
        x = limits.value(m, s, w, l, s.pose, w.rotation)
        w.limit[l, LIMIT_VALUE] = x
        low = x - s.limit[l, LIMIT_LOWER]
        high = s.limit[l, LIMIT_UPPER] - x
        if s.limit[l, LIMIT_WRAP] != 0.0 or s.limit[l, LIMIT_WHAT] == SWING:
            if min(low, high) < reach:
                put(m, s, w, l, low if low < high else high, 1.0 if low < high else -1.0)
        else:
            # lengths, and angles with whole turns in their range
            put(m, s, w, l, low, 1.0)
            put(m, s, w, l, high, -1.0)
    return DONE


@kernel
def put(m, s, w, l, gap, sign):
    """One end of a limit as a row"""
    if not gap < 1e300:
        return
    e = int(s.limit[l, LIMIT_EDGE])
    what = int(s.limit[l, LIMIT_WHAT])
    t, r = couplings.place(m, e)
    child = t[r, CHILD]
    tv, tw = limits.gradient(m, s, w, l, w.rotation)
    ball = what == SWING or what == TWIST
    inertia = own_inertia(w, e, child, ball, what, tw)
    if not inertia > 0.0:
        return
    if sign < 0.0:
        tv = negative(tv)
        tw = negative(tw)
    w.limit[l, LIMIT_TAKEN] = 1.0
    k = w.control[STOPS]
    w.control[STOPS] = k + 1
    stop = w.stop
    stop[k, STOP_LIMIT] = l
    stop[k, STOP_EDGE] = e
    stop[k, STOP_CHILD] = child
    stop[k, STOP_PARENT] = t[r, PARENT]
    stop[k, STOP_AXIS] = -1.0 if ball else what
    stop[k, STOP_SIGN] = sign
    store3(stop, k, STOP_TWIST, tv)
    store3(stop, k, STOP_TWIST + 3, tw)
    stop[k, STOP_WANTED] = limits.asked(m, s, w, l, gap, 0.0, sign, tv, tw)
    stop[k, STOP_INVERSE] = inertia / SIGMA
    span = 1.0 if w.control[ORDER] == KINEMATIC else w.number[H]
    # the impulse that costs nothing: only of limits that last
    last = sign * s.limit[l, LIMIT_FORCE] * span
    stop[k, STOP_CENTRE] = last if s.limit[l, LIMIT_AGE] > 1.0 and last > 0.0 else 0.0
    stop[k, STOP_TOLD] = limits.told_rate(m, s, w, l, tv, tw)
    store6(stop, k, STOP_FREE, load6(w.row, e, STIFF_BLOCK))


@inline
def own_inertia(w, e, child, ball, what, g):
    """What the coordinate moves where its parent stands still: n^T A n, n the child's twist for a unit rate"""
    nv = ZERO3
    nw = g
    if ball:
        size = dot(g, g)
        nw = scale(1.0 / size if size > 0.0 else 0.0, g)
    else:
        nv = load3(w.edge, e, AXIS + 6 * what)
        nw = load3(w.edge, e, AXIS + 6 * what + 3)
    nv = add(nv, cross(load3(w.edge, e, RC), nw))
    vv, wv, ww = load_block(w.block, child, 0)
    pv, pw = block_mul(vv, wv, ww, nv, nw)
    return dot(nv, pv) + dot(nw, pw)
