"""Hard limits in the contact method: the rows of Work.stop, which `auxiliary/stops.py` fills.

    D += G n n^T,   d += (gamma + G rate) n        n the row in the joint's coordinates

What is done to contacts in `newton` is done here to these scalar rows, in the same order.
"""

from physics import parts
from physics.contacts.law import limit_law
from physics.contacts.layout import SLOPE_AFTER, SLOPE_BEFORE
from physics.contacts.touch import FAST
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import add, add_to3, cross, dot, load3, scale, store6, load6, sub
from physics.layout import (
    KINEMATIC, LIMIT_DONE, LIMIT_LAST_WORK, LIMIT_MEAN, LIMIT_STEP_WORK, LIMIT_TAKEN, ORDER, PUSH, RC, RP, STEP_WORK,
    STIFF_BLOCK, STOPS, STOP_AXIS, STOP_BEFORE, STOP_CARRIED, STOP_CENTRE, STOP_CHANGE, STOP_CHILD, STOP_EDGE,
    STOP_FREE, STOP_IMPULSE, STOP_INVERSE, STOP_LIMIT, STOP_PARENT, STOP_RATE, STOP_SIGN, STOP_STIFFNESS, STOP_TOLD,
    STOP_TWIST, STOP_WANTED,
)  # fmt: skip


@inline
def law_of(stop, k, rate):
    return limit_law(rate, stop[k, STOP_CENTRE], stop[k, STOP_WANTED], stop[k, STOP_INVERSE])


@inline
def is_renewed(stop, k, renewed):
    """Whether a limit's centre follows what it carries: not where it is pushed back, which in a jam no force may do"""
    return renewed and stop[k, STOP_WANTED] <= FAST


@inline
def lawful_impulse(stop, k, rate, carried, renewed):
    """What the law that is to hold in the end makes of a limit that carries an impulse: that itself where it does"""
    centre = carried if is_renewed(stop, k, renewed) else stop[k, STOP_CENTRE]
    gamma, _, _ = limit_law(rate, centre, stop[k, STOP_WANTED], stop[k, STOP_INVERSE])
    return gamma


@inline
def rate_of(w, k, velocity):
    """s J v: a parent that is told how to move is left out"""
    stop = w.stop
    e = int(stop[k, STOP_EDGE])
    c = int(stop[k, STOP_CHILD])
    p = int(stop[k, STOP_PARENT])
    tv = load3(stop, k, STOP_TWIST)
    tw = load3(stop, k, STOP_TWIST + 3)
    a = load3(velocity, c, 3)
    v = add(load3(velocity, c, 0), cross(a, load3(w.edge, e, RC)))
    if p >= 0:
        b = load3(velocity, p, 3)
        v = sub(v, add(load3(velocity, p, 0), cross(b, load3(w.edge, e, RP))))
        a = sub(a, b)
    return dot(tv, v) + dot(tw, a)


@kernel
def fill_rates(w, velocity):
    stop = w.stop
    for r in range(w.control[STOPS]):
        stop[r, STOP_RATE] = rate_of(w, r, velocity)


@kernel
def linearise(w):
    stop = w.stop
    for r in range(w.control[STOPS]):
        gamma, g, _ = law_of(stop, r, stop[r, STOP_RATE])
        stop[r, STOP_IMPULSE] = gamma
        stop[r, STOP_STIFFNESS] = g


@kernel
def changed(w):
    """Whether some limit has another stiffness than the one in the factor"""
    stop = w.stop
    for r in range(w.control[STOPS]):
        _, g, _ = law_of(stop, r, stop[r, STOP_RATE])
        if g != stop[r, STOP_STIFFNESS]:
            return True
    return False


@kernel
def add_stiffness(w):
    """D anew: without any stop, and then with all"""
    stop = w.stop
    for r in range(w.control[STOPS]):
        store6(w.row, int(stop[r, STOP_EDGE]), STIFF_BLOCK, load6(stop, r, STOP_FREE))
    for r in range(w.control[STOPS]):
        g = stop[r, STOP_STIFFNESS]
        if g == 0.0:
            continue
        e = int(stop[r, STOP_EDGE])
        axis = int(stop[r, STOP_AXIS])
        if axis >= 0:
            w.row[e, STIFF_BLOCK + axis] += g
            continue
        n = load3(stop, r, STOP_TWIST + 3)
        w.row[e, STIFF_BLOCK] += g * n[0] * n[0]
        w.row[e, STIFF_BLOCK + 1] += g * n[1] * n[0]
        w.row[e, STIFF_BLOCK + 2] += g * n[1] * n[1]
        w.row[e, STIFF_BLOCK + 3] += g * n[2] * n[0]
        w.row[e, STIFF_BLOCK + 4] += g * n[2] * n[1]
        w.row[e, STIFF_BLOCK + 5] += g * n[2] * n[2]


@kernel
def add_pushes(w):
    stop = w.stop
    for r in range(w.control[STOPS]):
        push = stop[r, STOP_IMPULSE] + stop[r, STOP_STIFFNESS] * (stop[r, STOP_RATE] - stop[r, STOP_TOLD])
        if push == 0.0:
            continue
        e = int(stop[r, STOP_EDGE])
        axis = int(stop[r, STOP_AXIS])
        if axis >= 0:
            w.row[e, PUSH + axis] += stop[r, STOP_SIGN] * push
        else:
            add_to3(w.row, e, PUSH, scale(push, load3(stop, r, STOP_TWIST + 3)))


@kernel
def carry_impulses(w):
    stop = w.stop
    for r in range(w.control[STOPS]):
        stop[r, STOP_IMPULSE] = stop[r, STOP_CARRIED]


@kernel
def advance_laws(w, k, error, largest, renewed):
    """`renewed`: centres follow what is carried from iteration to iteration."""
    stop = w.stop
    before = 0.0
    after = 0.0
    for r in range(w.control[STOPS]):
        rate = rate_of(w, r, k.found)
        change = rate - stop[r, STOP_RATE]
        carried = stop[r, STOP_IMPULSE] - stop[r, STOP_STIFFNESS] * change
        present, _, _ = law_of(stop, r, rate)
        before += (stop[r, STOP_CARRIED] - stop[r, STOP_IMPULSE]) * change
        after += (carried - present) * change
        gamma = lawful_impulse(stop, r, rate, carried, renewed)
        off = gamma - carried
        if is_renewed(stop, r, renewed):
            gamma = max(0.0, carried)
        error = max(error, off * off / stop[r, STOP_INVERSE])
        largest = max(largest, gamma * gamma / stop[r, STOP_INVERSE])
        stop[r, STOP_BEFORE] = stop[r, STOP_CARRIED]
        stop[r, STOP_CARRIED] = carried
        stop[r, STOP_CHANGE] = change
        stop[r, STOP_RATE] = rate
        stop[r, STOP_IMPULSE] = gamma
    k.number[SLOPE_BEFORE] += before
    k.number[SLOPE_AFTER] += after
    return error, largest


@kernel
def recentre(w):
    stop = w.stop
    for r in range(w.control[STOPS]):
        if is_renewed(stop, r, True):
            stop[r, STOP_CENTRE] = stop[r, STOP_CARRIED]


@kernel
def how_far_off(w, velocity, error, renewed):
    stop = w.stop
    for r in range(w.control[STOPS]):
        rate = rate_of(w, r, velocity)
        carried = stop[r, STOP_IMPULSE] - stop[r, STOP_STIFFNESS] * (rate - stop[r, STOP_RATE])
        off = lawful_impulse(stop, r, rate, carried, renewed) - carried
        error = max(error, off * off / stop[r, STOP_INVERSE])
    return error


@kernel
def slope(w, t):
    total = 0.0
    stop = w.stop
    for r in range(w.control[STOPS]):
        change = stop[r, STOP_CHANGE]
        gamma, _, _ = law_of(stop, r, stop[r, STOP_RATE] + (t - 1.0) * change)
        before = stop[r, STOP_BEFORE]
        total += (before + t * (stop[r, STOP_CARRIED] - before) - gamma) * change
    return total


@kernel
def shorten(w, t):
    stop = w.stop
    for r in range(w.control[STOPS]):
        before = stop[r, STOP_BEFORE]
        stop[r, STOP_CARRIED] = before + t * (stop[r, STOP_CARRIED] - before)
        stop[r, STOP_RATE] += (t - 1.0) * stop[r, STOP_CHANGE]


@kernel
def conclude(s, w, others, span):
    """Forces and work of the limits in this request; `others`: some are not found here, and have theirs"""
    stop = w.stop
    work = 0.0
    if not others:
        for l in range(w.limit.shape[0]):
            w.limit[l, LIMIT_DONE] = 0.0
    for r in range(w.control[STOPS]):
        l = int(stop[r, STOP_LIMIT])
        w.limit[l, LIMIT_TAKEN] = 0.0
        gamma = stop[r, STOP_IMPULSE]
        w.limit[l, LIMIT_MEAN] += stop[r, STOP_SIGN] * gamma / span
        # what the impulse does to the kinetic energy: gamma (u0 + u1) / 2
        if parts.takes_part(w, int(stop[r, STOP_CHILD])):
            done = 0.5 * gamma * (rate_of(w, r, s.velocity) + stop[r, STOP_RATE])
            w.limit[l, LIMIT_DONE] = done
            work += done
    x = w.number
    if not others:
        x[LIMIT_LAST_WORK] = 0.0
    if w.control[ORDER] != KINEMATIC:
        x[LIMIT_LAST_WORK] += work
        x[LIMIT_STEP_WORK] += work
        x[STEP_WORK] += work
    w.control[STOPS] = 0
