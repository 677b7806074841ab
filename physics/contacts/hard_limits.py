"""Hard limits in the contact method `newton`. Each is a row of Work.stop, which `links/hard_limit_rows.py` fills.

    D += G n n^T,   d += (gamma + G rate) n        n the row in the joint's coordinates

Each function corresponds to one that `newton` applies to contacts. They are called in the same order."""

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.contacts.law import limit_law
from physics.contacts.request_rows import FAST
from physics.data.contact_tables import TouchNumber
from physics.data.step_tables import Control, Number, Order
from physics.data.work_tables import Edges, LimitWork, Rows, Stops
from physics.maths.vec import add, add_to3, cross, dot, load3, load6, scale, store6, sub


@inline
def law_of(stop, k, rate):
    """Return (gamma, G, piece) of limit k in row k of Work.stop, at the rate `rate`."""
    return limit_law(rate, stop[k, Stops.CENTRE], stop[k, Stops.WANTED], stop[k, Stops.INVERSE])


@inline
def is_renewed(stop, k, renewed):
    """Return whether the centre of limit k follows the impulse that the limit exerts. `renewed` says whether the method
    renews centres. If the limit pushes its coordinate back into the range, the centre stays, because in a jam no force
    may be able to do that."""
    return renewed and stop[k, Stops.WANTED] <= FAST


@inline
def lawful_impulse(stop, k, rate, carried, renewed):
    """Return the impulse that the law requires of limit k, if in the linear system it has the impulse `carried` and the
    rate `rate`. If the law holds, the result equals `carried`."""
    centre = carried if is_renewed(stop, k, renewed) else stop[k, Stops.CENTRE]
    gamma, _, _ = limit_law(rate, centre, stop[k, Stops.WANTED], stop[k, Stops.INVERSE])
    return gamma


@inline
def rate_of(w, k, velocity):
    """Return the rate s J v of limit k at `velocity` (n, 6), with the sign s of the limit. If the parent has a
    prescribed motion, this motion is not included."""
    stop = w.stop
    e = int(stop[k, Stops.EDGE])
    c = int(stop[k, Stops.CHILD])
    p = int(stop[k, Stops.PARENT])
    tv = load3(stop, k, Stops.TWIST)
    tw = load3(stop, k, Stops.TWIST + 3)
    a = load3(velocity, c, 3)
    v = add(load3(velocity, c, 0), cross(a, load3(w.edge, e, Edges.RC)))
    if p >= 0:
        b = load3(velocity, p, 3)
        v = sub(v, add(load3(velocity, p, 0), cross(b, load3(w.edge, e, Edges.RP))))
        a = sub(a, b)
    return dot(tv, v) + dot(tw, a)


@kernel
def fill_rates(w, velocity):
    """Write the rate of every limit at `velocity` (n, 6) to Stops.RATE."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        stop[r, Stops.RATE] = rate_of(w, r, velocity)


@kernel
def linearise(w):
    """Evaluate the law of every limit at Stops.RATE. Write gamma and G to Stops.IMPULSE and Stops.STIFFNESS."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        gamma, g, _ = law_of(stop, r, stop[r, Stops.RATE])
        stop[r, Stops.IMPULSE] = gamma
        stop[r, Stops.STIFFNESS] = g


@kernel
def changed(w):
    """Return whether the stiffness of some limit at its present rate differs from the one in the factor."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        _, g, _ = law_of(stop, r, stop[r, Stops.RATE])
        if g != stop[r, Stops.STIFFNESS]:
            return True
    return False


@kernel
def add_stiffness(w):
    """Write D of each joint with limits to Work.row. It is D without limits plus the stiffness of all limits of the
    joint."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        store6(w.row, int(stop[r, Stops.EDGE]), Rows.STIFF_BLOCK, load6(stop, r, Stops.FREE))
    for r in range(w.control[Control.STOPS]):
        g = stop[r, Stops.STIFFNESS]
        if g == 0.0:
            continue
        e = int(stop[r, Stops.EDGE])
        axis = int(stop[r, Stops.AXIS])
        if axis >= 0:
            w.row[e, Rows.STIFF_BLOCK + axis] += g
            continue
        n = load3(stop, r, Stops.TWIST + 3)
        w.row[e, Rows.STIFF_BLOCK] += g * n[0] * n[0]
        w.row[e, Rows.STIFF_BLOCK + 1] += g * n[1] * n[0]
        w.row[e, Rows.STIFF_BLOCK + 2] += g * n[1] * n[1]
        w.row[e, Rows.STIFF_BLOCK + 3] += g * n[2] * n[0]
        w.row[e, Rows.STIFF_BLOCK + 4] += g * n[2] * n[1]
        w.row[e, Rows.STIFF_BLOCK + 5] += g * n[2] * n[2]


@kernel
def add_pushes(w):
    """Add d = (gamma + G rate) n of each limit to the row of its joint in Work.row."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        push = stop[r, Stops.IMPULSE] + stop[r, Stops.STIFFNESS] * (stop[r, Stops.RATE] - stop[r, Stops.PRESCRIBED])
        if push == 0.0:
            continue
        e = int(stop[r, Stops.EDGE])
        axis = int(stop[r, Stops.AXIS])
        if axis >= 0:
            w.row[e, Rows.PUSH + axis] += stop[r, Stops.SIGN] * push
        else:
            add_to3(w.row, e, Rows.PUSH, scale(push, load3(stop, r, Stops.TWIST + 3)))


@kernel
def carry_impulses(w):
    """Replace the impulses of the laws (Stops.IMPULSE) by those in the linear system (Stops.CARRIED)."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        stop[r, Stops.IMPULSE] = stop[r, Stops.CARRIED]


@kernel
def advance_laws(w, k, error, largest, renewed):
    """Write to Work.stop for each limit, at the velocities Touch.found of a Newton step: its rate, its impulse in the
    linear system, and its impulse for the next iteration. Add the slopes of the limits to TouchNumber.SLOPE_BEFORE and
    SLOPE_AFTER. Return the largest error and the largest impulse, or `error` and `largest` if these are larger. Both
    are squared and times R. `renewed` says whether centres follow the impulses from iteration to iteration."""
    stop = w.stop
    before = 0.0
    after = 0.0
    for r in range(w.control[Control.STOPS]):
        rate = rate_of(w, r, k.found)
        change = rate - stop[r, Stops.RATE]
        carried = stop[r, Stops.IMPULSE] - stop[r, Stops.STIFFNESS] * change
        present, _, _ = law_of(stop, r, rate)
        before += (stop[r, Stops.CARRIED] - stop[r, Stops.IMPULSE]) * change
        after += (carried - present) * change
        gamma = lawful_impulse(stop, r, rate, carried, renewed)
        off = gamma - carried
        if is_renewed(stop, r, renewed):
            gamma = max(0.0, carried)
        error = max(error, off * off / stop[r, Stops.INVERSE])
        largest = max(largest, gamma * gamma / stop[r, Stops.INVERSE])
        stop[r, Stops.BEFORE] = stop[r, Stops.CARRIED]
        stop[r, Stops.CARRIED] = carried
        stop[r, Stops.CHANGE] = change
        stop[r, Stops.RATE] = rate
        stop[r, Stops.IMPULSE] = gamma
    k.number[TouchNumber.SLOPE_BEFORE] += before
    k.number[TouchNumber.SLOPE_AFTER] += after
    return error, largest


@kernel
def recentre(w):
    """Set Stops.CENTRE of each limit whose centre is renewed to its impulse in the linear system."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        if is_renewed(stop, r, True):
            stop[r, Stops.CENTRE] = stop[r, Stops.CARRIED]


@kernel
def how_far_off(w, velocity, error, renewed):
    """Return the error that `advance_laws` would find at `velocity` (n, 6), or `error` if that is larger. Both are
    squared and times R."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        rate = rate_of(w, r, velocity)
        carried = stop[r, Stops.IMPULSE] - stop[r, Stops.STIFFNESS] * (rate - stop[r, Stops.RATE])
        off = lawful_impulse(stop, r, rate, carried, renewed) - carried
        error = max(error, off * off / stop[r, Stops.INVERSE])
    return error


@kernel
def slope(w, t):
    """Return the derivative of the objective along the step, at the share t of the step: the part of it that limits
    contribute."""
    total = 0.0
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        change = stop[r, Stops.CHANGE]
        gamma, _, _ = law_of(stop, r, stop[r, Stops.RATE] + (t - 1.0) * change)
        before = stop[r, Stops.BEFORE]
        total += (before + t * (stop[r, Stops.CARRIED] - before) - gamma) * change
    return total


@kernel
def shorten(w, t):
    """Set the rates of all limits in Work.stop, and their impulses in the linear system, back to the share t of the
    step."""
    stop = w.stop
    for r in range(w.control[Control.STOPS]):
        before = stop[r, Stops.BEFORE]
        stop[r, Stops.CARRIED] = before + t * (stop[r, Stops.CARRIED] - before)
        stop[r, Stops.RATE] += (t - 1.0) * stop[r, Stops.CHANGE]


@kernel
def conclude(s, w, others, span):
    """Write the results of the limits in this request. Add their forces to LimitWork.MEAN, and their work to the sums
    in Work.number; write the work of each to LimitWork.DONE. Set LimitWork.TAKEN of these limits and Control.STOPS to
    zero. `span` is the time over which impulses act. `others` says whether the anticipation solves other limits, whose
    work has already been counted."""
    stop = w.stop
    work = 0.0
    if not others:
        for l in range(w.limit.shape[0]):
            w.limit[l, LimitWork.DONE] = 0.0
    for r in range(w.control[Control.STOPS]):
        l = int(stop[r, Stops.LIMIT])
        w.limit[l, LimitWork.TAKEN] = 0.0
        gamma = stop[r, Stops.IMPULSE]
        w.limit[l, LimitWork.MEAN] += stop[r, Stops.SIGN] * gamma / span
        # what the impulse does to the kinetic energy: gamma (u0 + u1) / 2
        if islands.takes_part(w, int(stop[r, Stops.CHILD])):
            done = 0.5 * gamma * (rate_of(w, r, s.velocity) + stop[r, Stops.RATE])
            w.limit[l, LimitWork.DONE] = done
            work += done
    x = w.number
    if not others:
        x[Number.LIMIT_LAST_WORK] = 0.0
    if w.control[Control.ORDER] != Order.KINEMATIC:
        x[Number.LIMIT_LAST_WORK] += work
        x[Number.LIMIT_STEP_WORK] += work
        x[Number.STEP_WORK] += work
    w.control[Control.STOPS] = 0
