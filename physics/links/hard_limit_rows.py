"""Hard limits as rows of the contact method, which then finds both together (contacts/newton.py).

    gamma = max(0, gamma_c - (s J v - vhat) / R),   R = sigma / I,   I = N^T A' N of the child alone

gamma is the impulse of the limit, gamma_c the impulse that costs nothing, and vhat the least s J v that respects the
limit (limits.py). In the joint's own coordinate such a row is a spring with the stiffness G = 1/R, and an impulse. The
elimination therefore keeps its order, and any number of such rows costs no more than one. This applies to joints in the
forest. The anticipation solves limits of joints outside the forest, ropes, and limits with restitution.
"""

from physics.compiler.jit import entry, inline, kernel
from physics.data.model_tables import Topology
from physics.data.state_tables import HardLimits, LimitOf
from physics.data.step_tables import Control, Number, Order, Request
from physics.data.work_tables import Edges, LimitWork, Rows, Stops
from physics.edges import couplings
from physics.links import limits
from physics.maths.vec import (
    ZERO3, add, block_mul, cross, dot, load3, load6, load_block, negative, scale, store3, store6,
)  # fmt: skip

SIGMA = 1e-2  # as of contacts with what does not move
# An angle farther from its limit than this, and than twice what it can turn in the step, does not matter in it, rad.
NEAR = 0.15


@entry("msw", "i")
def fill_stops(m, s, w):
    """Write the limits that may carry a force in the request to Work.stop, and their number to Control.STOPS. Set
    Control.LIMITS_ELSEWHERE to 1 if other limits are left to the anticipation, else to 0. Work.block and Work.edge must
    be filled. Return DONE; the driver calls this unit."""
    c = w.control
    c[Control.STOPS] = 0
    c[Control.LIMITS_ELSEWHERE] = 0
    reach = NEAR + 4.0 * w.number[Number.H] * w.number[Number.SPIN]
    for l in range(s.limit.shape[0]):
        w.limit[l, LimitWork.TAKEN] = 0.0
        w.limit[l, LimitWork.MEAN] = 0.0
        if s.limit[l, HardLimits.ON] == 0.0:
            continue
        apart = int(s.limit[l, HardLimits.EDGE]) >= m.topology.shape[0] or s.limit[l, HardLimits.WHAT] == LimitOf.LENGTH
        if apart or s.limit[l, HardLimits.BOUNCE] > 0.0:
            c[Control.LIMITS_ELSEWHERE] = 1
            continue
        x = limits.value(m, s, w, l, s.pose, w.rotation)
        w.limit[l, LimitWork.VALUE] = x
        low = x - s.limit[l, HardLimits.LOWER]
        high = s.limit[l, HardLimits.UPPER] - x
        if s.limit[l, HardLimits.WRAP] != 0.0 or s.limit[l, HardLimits.WHAT] == LimitOf.SWING:
            if min(low, high) < reach:
                put(m, s, w, l, low if low < high else high, 1.0 if low < high else -1.0)
        else:
            # lengths, and angles with whole turns in their range
            put(m, s, w, l, low, 1.0)
            put(m, s, w, l, high, -1.0)
    return Request.DONE


@kernel
def put(m, s, w, l, gap, sign):
    """Write one end of limit l (its distance `gap`, its `sign`) as the next row of Work.stop, and set
    LimitWork.TAKEN."""
    if not gap < 1e300:
        return
    e = int(s.limit[l, HardLimits.EDGE])
    what = int(s.limit[l, HardLimits.WHAT])
    t, r = couplings.place(m, e)
    child = t[r, Topology.CHILD]
    tv, tw = limits.gradient(m, s, w, l, w.rotation)
    ball = what == LimitOf.SWING or what == LimitOf.TWIST
    inertia = own_inertia(w, e, child, ball, what, tw)
    if not inertia > 0.0:
        return
    if sign < 0.0:
        tv = negative(tv)
        tw = negative(tw)
    w.limit[l, LimitWork.TAKEN] = 1.0
    k = w.control[Control.STOPS]
    w.control[Control.STOPS] = k + 1
    stop = w.stop
    stop[k, Stops.LIMIT] = l
    stop[k, Stops.EDGE] = e
    stop[k, Stops.CHILD] = child
    stop[k, Stops.PARENT] = t[r, Topology.PARENT]
    stop[k, Stops.AXIS] = -1.0 if ball else what
    stop[k, Stops.SIGN] = sign
    store3(stop, k, Stops.TWIST, tv)
    store3(stop, k, Stops.TWIST + 3, tw)
    stop[k, Stops.WANTED] = limits.asked(m, s, w, l, gap, 0.0, sign, tv, tw)
    stop[k, Stops.INVERSE] = inertia / SIGMA
    span = 1.0 if w.control[Control.ORDER] == Order.KINEMATIC else w.number[Number.H]
    # the impulse that costs nothing: only of limits that last
    last = sign * s.limit[l, HardLimits.FORCE] * span
    stop[k, Stops.CENTRE] = last if s.limit[l, HardLimits.AGE] > 1.0 and last > 0.0 else 0.0
    stop[k, Stops.PRESCRIBED] = limits.prescribed_rate(m, s, w, l, tv, tw)
    store6(stop, k, Stops.FREE, load6(w.row, e, Rows.STIFF_BLOCK))


@inline
def own_inertia(w, e, child, ball, what, g):
    """Return the inertia of a coordinate of edge e while its parent is at rest: n^T A n, where n is the child's twist
    for a unit rate. For swing and twist of a ball, g is the gradient of the coordinate; otherwise `what` is the number
    of the axis."""
    nv = ZERO3
    nw = g
    if ball:
        size = dot(g, g)
        nw = scale(1.0 / size if size > 0.0 else 0.0, g)
    else:
        nv = load3(w.edge, e, Edges.AXIS + 6 * what)
        nw = load3(w.edge, e, Edges.AXIS + 6 * what + 3)
    nv = add(nv, cross(load3(w.edge, e, Edges.RC), nw))
    vv, wv, ww = load_block(w.block, child, 0)
    pv, pw = block_mul(vv, wv, ww, nv, nw)
    return dot(nv, pv) + dot(nw, pw)
