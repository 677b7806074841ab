"""Sums over islands, by which the guard judges them one by one: Work.tally, at the body that stands for an island."""

import math

from physics import edges, fill, parts
from physics.integrators.spans import is_composed
from physics.kernels import quat
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import add, add_scaled, dot, load3, load4, scale, sub
from physics.layout import (
    CHILD, DEFECT, FASTEST, FASTEST_BEFORE, FLAGS, GAINED, GRAVITY, INTEGRATOR, KINETIC_BEFORE, KINETIC_SUM, MASS,
    POTENTIAL, RATTLE, RATTLE4, RK4, SPRUNG, STORED, TALLY, TRBDF2, WIDEST, WILD,
)  # fmt: skip

# What a (sub)step of an integrator may leave of the DEFECT, over the kinetic energy. The trapezium rule for centres of
# mass is off by h^2 u'' / 12, which is (h w)^2 / 12 of the velocity where that turns at the rate w. With these limits a
# hundred links that fall from level and whip keep their energy to a hundredth for ten seconds.
SECOND_ORDER = 4e-7
SYMPLECTIC = 2e-5
FOURTH_ORDER = 5e-7
SYMPLECTIC_FOURTH = 2e-6


@inline
def limit_of(c):
    """Of the present integrator; 0 for those of first order, which are not held to it"""
    code = c[INTEGRATOR]
    if code == TRBDF2:
        return SECOND_ORDER
    if code == RATTLE:
        return SYMPLECTIC
    if code == RK4:
        return FOURTH_ORDER
    return SYMPLECTIC_FOURTH if code == RATTLE4 else 0.0


@inline
def is_of_fourth_order(c):
    return c[INTEGRATOR] == RK4 or c[INTEGRATOR] == RATTLE4


@inline
def raised(c, x):
    """By how much the DEFECT changes with a step x times as long"""
    square = x * x
    return square * square * square if is_of_fourth_order(c) else square * square


@kernel
def clear(w):
    for i in range(w.tally.shape[0]):
        for k in range(TALLY):
            w.tally[i, k] = 0.0


@kernel
def add_motion(m, s, w, pose, velocity, h):
    """Of a step h from the state to this one"""
    composed = is_composed(w.control)
    fourth = is_of_fourth_order(w.control)
    place = s.pose.shape[1]
    for i in range(m.topology.shape[0]):
        if not parts.takes_part(w, i):
            continue
        r = parts.root_of(w, i)
        x0 = load3(w.backup, i, 0) if composed else load3(s.pose, i, 0)
        v0 = load3(w.backup, i, place) if composed else load3(s.velocity, i, 0)
        v = load3(velocity, i, 0)
        a = load3(velocity, i, 3)
        e = add_scaled(scale(1.0 / h, sub(load3(pose, i, 0), x0)), -0.5, add(v0, v))
        size = dot(e, e)
        fastest = max(dot(v0, v0), dot(v, v))
        if fourth and fastest > 0.0:
            size *= math.sqrt(size / fastest)
        w.tally[r, DEFECT] += m.body[i, MASS] * size
        w.tally[r, KINETIC_SUM] += fill.body_kinetic(m.topology, m.body, i, quat.matrix(load4(pose, i, 3)), v, a)
        w.tally[r, FASTEST] = max(w.tally[r, FASTEST], dot(a, a))
        total = 0.0
        for k in range(velocity.shape[1]):
            total += abs(velocity[i, k])
        for k in range(place):
            total += abs(pose[i, k])
        if not total < math.inf:
            w.tally[r, WILD] = 1.0


@kernel
def add_gaps(m, w):
    """At the pose that edges were filled at; gaps of links that contradict others do not count."""
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        i = parts.child_of(m, e)
        if parts.takes_part(w, i) and w.auxiliary.amiss[e] == 0:
            r = parts.root_of(w, i)
            opening = edges.opening(w, e)
            w.tally[r, WIDEST] = max(w.tally[r, WIDEST], opening)
            if not opening < math.inf:
                w.tally[r, WILD] = 1.0


@kernel
def add_stored(m, w, sign, column):
    """Energy of springs, at the pose that they were filled at"""
    if w.control[SPRUNG] == 0:
        return
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        flags = m.topology[e, FLAGS] if e < n else m.links[e - n, FLAGS]
        i = e if e < n else m.links[e - n, CHILD]
        if flags != 0 and parts.takes_part(w, i):
            w.tally[parts.root_of(w, i), column] += sign * w.spring[e, POTENTIAL]


@kernel
def add_change(m, w, sign, pose, velocity):
    """GAINED, with the energy of this state, at which springs are filled; with -1 KINETIC_BEFORE and
    FASTEST_BEFORE, too"""
    add_stored(m, w, sign, GAINED)
    g = (w.number[GRAVITY], w.number[GRAVITY + 1], w.number[GRAVITY + 2])
    for i in range(m.topology.shape[0]):
        if parts.takes_part(w, i):
            r = parts.root_of(w, i)
            rot = quat.matrix(load4(pose, i, 3))
            a = load3(velocity, i, 3)
            kinetic = fill.body_kinetic(m.topology, m.body, i, rot, load3(velocity, i, 0), a)
            w.tally[r, GAINED] += sign * (kinetic - m.body[i, MASS] * dot(g, load3(pose, i, 0)))
            if sign < 0.0:
                w.tally[r, KINETIC_BEFORE] += kinetic
                w.tally[r, FASTEST_BEFORE] = max(w.tally[r, FASTEST_BEFORE], dot(a, a))


@inline
def error_of(w, r, limit):
    """The DEFECT of an island over what it may be"""
    kinetic = w.tally[r, KINETIC_SUM]
    return w.tally[r, DEFECT] / (limit * kinetic) if kinetic > 0.0 else 0.0


@inline
def is_thrown(w, r, share):
    """Whether springs throw the island"""
    return w.tally[r, STORED] > share * w.tally[r, KINETIC_SUM]
