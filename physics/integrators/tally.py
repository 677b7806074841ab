"""Sums over islands, by which the guard judges each island. They are in Work.tally, in the row of the body that
represents the island."""

import math

from physics.bodies import islands, kinds as body_kinds
from physics.compiler.jit import inline, kernel
from physics.data.model_tables import Bodies, Topology
from physics.data.step_tables import SCHEME_ERROR, SCHEME_ORDER, Control, Number
from physics.data.work_tables import Springs, Tally
from physics.edges import edges
from physics.integrators.spans import is_composed
from physics.maths import quat
from physics.maths.vec import add, add_scaled, dot, load3, load4, scale, sub


@inline
def limit_of(c):
    """Return the largest DEFECT, relative to the kinetic energy, that the present integrator may leave in a (sub)step;
    0 for those of first order, which are not judged by it."""
    return SCHEME_ERROR[c[Control.INTEGRATOR]]


@inline
def is_of_fourth_order(c):
    """Return whether the present integrator is of fourth order. `c` is Work.control."""
    return SCHEME_ORDER[c[Control.INTEGRATOR]] == 4


@inline
def raised(c, x):
    """Return by which factor the DEFECT grows in a step that is x times as long."""
    square = x * x
    return square * square * square if is_of_fourth_order(c) else square * square


@kernel
def clear(w):
    """Set all sums in Work.tally to zero."""
    for i in range(w.tally.shape[0]):
        for k in range(Tally.WIDTH):
            w.tally[i, k] = 0.0


@kernel
def add_motion(m, s, w, pose, velocity, h):
    """Add a step of h seconds from the present state to `pose` and `velocity` to Work.tally: DEFECT, KINETIC_SUM and
    FASTEST, and WILD where a number is not finite. Only bodies of the present pass count."""
    composed = is_composed(w.control)
    fourth = is_of_fourth_order(w.control)
    place = s.pose.shape[1]
    for i in range(m.topology.shape[0]):
        if not islands.takes_part(w, i):
            continue
        r = islands.root_of(w, i)
        x0 = load3(w.backup, i, 0) if composed else load3(s.pose, i, 0)
        v0 = load3(w.backup, i, place) if composed else load3(s.velocity, i, 0)
        v = load3(velocity, i, 0)
        a = load3(velocity, i, 3)
        e = add_scaled(scale(1.0 / h, sub(load3(pose, i, 0), x0)), -0.5, add(v0, v))
        size = dot(e, e)
        fastest = max(dot(v0, v0), dot(v, v))
        if fourth and fastest > 0.0:
            size *= math.sqrt(size / fastest)
        w.tally[r, Tally.DEFECT] += m.body[i, Bodies.MASS] * size
        w.tally[r, Tally.KINETIC_SUM] += body_kinds.body_kinetic(
            m.topology, m.body, i, quat.matrix(load4(pose, i, 3)), v, a
        )
        w.tally[r, Tally.FASTEST] = max(w.tally[r, Tally.FASTEST], dot(a, a))
        total = 0.0
        for k in range(velocity.shape[1]):
            total += abs(velocity[i, k])
        for k in range(place):
            total += abs(pose[i, k])
        if not total < math.inf:
            w.tally[r, Tally.WILD] = 1.0


@kernel
def add_gaps(m, w):
    """Raise WIDEST in Work.tally to the largest gap in Work.gap of each island, and set WILD where a gap is not finite.
    Gaps of links in an error state do not count."""
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        i = islands.child_of(m, e)
        if islands.takes_part(w, i) and w.auxiliary.error_state[e] == 0:
            r = islands.root_of(w, i)
            opening = edges.opening(w, e)
            w.tally[r, Tally.WIDEST] = max(w.tally[r, Tally.WIDEST], opening)
            if not opening < math.inf:
                w.tally[r, Tally.WILD] = 1.0


@kernel
def add_stored(m, w, sign, column):
    """Add `sign` times the energy [J] of the springs in Work.spring to a column of Work.tally."""
    if w.control[Control.SPRUNG] == 0:
        return
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        flags = m.topology[e, Topology.FLAGS] if e < n else m.links[e - n, Topology.FLAGS]
        i = e if e < n else m.links[e - n, Topology.CHILD]
        if flags != 0 and islands.takes_part(w, i):
            w.tally[islands.root_of(w, i), column] += sign * w.spring[e, Springs.POTENTIAL]


@kernel
def add_change(m, w, sign, pose, velocity):
    """Add `sign` times the energy [J] at `pose` and `velocity`, where the springs are filled, to GAINED in Work.tally.
    With sign -1, the start of the step, also write KINETIC_BEFORE and FASTEST_BEFORE."""
    add_stored(m, w, sign, Tally.GAINED)
    g = (w.number[Number.GRAVITY], w.number[Number.GRAVITY + 1], w.number[Number.GRAVITY + 2])
    for i in range(m.topology.shape[0]):
        if islands.takes_part(w, i):
            r = islands.root_of(w, i)
            rot = quat.matrix(load4(pose, i, 3))
            a = load3(velocity, i, 3)
            kinetic = body_kinds.body_kinetic(m.topology, m.body, i, rot, load3(velocity, i, 0), a)
            w.tally[r, Tally.GAINED] += sign * (kinetic - m.body[i, Bodies.MASS] * dot(g, load3(pose, i, 0)))
            if sign < 0.0:
                w.tally[r, Tally.KINETIC_BEFORE] += kinetic
                w.tally[r, Tally.FASTEST_BEFORE] = max(w.tally[r, Tally.FASTEST_BEFORE], dot(a, a))


@inline
def error_of(w, r, limit):
    """Return the ratio of DEFECT to its limit, which is `limit` times the kinetic energy, for the island that body r
    represents."""
    kinetic = w.tally[r, Tally.KINETIC_SUM]
    return w.tally[r, Tally.DEFECT] / (limit * kinetic) if kinetic > 0.0 else 0.0


@inline
def is_thrown(w, r, share):
    """Return whether springs throw the island that body r represents: its elastic energy exceeds `share` of its kinetic
    energy."""
    return w.tally[r, Tally.STORED] > share * w.tally[r, Tally.KINETIC_SUM]
