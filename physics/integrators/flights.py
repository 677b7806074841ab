"""Bodies to which nothing is tied: a thrown one keeps its energy to rounding, and its angle to fourth order.

It turns by the free flow with constant spin momentum, composed of five [Suzuki90]. The Cayley flow alone is of second
order where the axis changes; a body whose turn is integrated by its accelerations loses energy to the order of the
method.
"""

from physics.bodies import kinds as body_kinds
from physics.compiler.jit import inline
from physics.compiler.lazy import far
from physics.data.model_tables import JointKind, Topology
from physics.data.step_tables import Control
from physics.maths import quat
from physics.maths.elementary import power
from physics.maths.vec import add, load3, load4, scale, store3, store4

# composition of five steps s, s, 1 - 4 s, s, s [Suzuki90]
SUZUKI = 1.0 / (4.0 - power(4.0, 1.0 / 3.0))


@inline
def there_are(c):
    """Whether some bodies may be flying"""
    return c[Control.LONERS] != 0 and c[Control.GRABS] == 0 and c[Control.DRIVEN] == 0 and c[Control.IN_MEDIUM] == 0


@inline
def flies(m, i):
    return m.topology[i, Topology.KIND] == JointKind.FREE and m.topology[i, Topology.LONE] != 0


@inline
def flow(m, s, w, i, p, l, h):
    """w.next_pose = flow(q0, (p, l), h)"""
    store3(w.next_pose, i, 0, load3(s.pose, i, 0))
    store4(w.next_pose, i, 3, load4(s.pose, i, 3))
    for k in range(5):
        rot = quat.matrix(load4(w.next_pose, i, 3))
        v, a = body_kinds.body_velocity(m.topology, m.body, i, rot, p, l)
        t = (1.0 - 4.0 * SUZUKI) * h if k == 2 else SUZUKI * h
        body_kinds.body_drift(m.topology, m.body, i, w.next_pose, rot, v, a, t, 0, w.next_pose)


@inline
def momenta(m, s, velocity, i):
    """At the pose where the step starts"""
    rot = quat.matrix(load4(s.pose, i, 3))
    return body_kinds.body_momentum(m.topology, m.body, i, rot, load3(velocity, i, 0), load3(velocity, i, 3))


@far("flights", "mswiitif")
def fly(m, s, w, first, end, momentum, column, h):
    """flow(q0, (p0 + p1)/2, h) of those from `first` to `end`, p1 in six columns of `momentum`"""
    for i in range(first, end):
        if flies(m, i):
            p, l = momenta(m, s, s.velocity, i)
            p = scale(0.5, add(p, load3(momentum, i, column)))
            flow(m, s, w, i, p, scale(0.5, add(l, load3(momentum, i, column + 3))), h)


@far("flights", "mswf")
def drift(m, s, w, h):
    """flow(q0, M(q0) u, h), u in w.next_velocity: between the kicks of `rattle`, whatever these are"""
    for i in range(m.topology.shape[0]):
        if flies(m, i):
            p, l = momenta(m, s, w.next_velocity, i)
            flow(m, s, w, i, p, l, h)


@far("flights", "mswf")
def turn(m, s, w, h):
    """The turn alone, and the spin after it, of those on which no torque acts: accelerations give the way of the centre
    of mass exactly"""
    for i in range(m.topology.shape[0]):
        if flies(m, i) and max(abs(s.applied[i, 3]), abs(s.applied[i, 4]), abs(s.applied[i, 5])) == 0.0:
            x = load3(w.next_pose, i, 0)
            p, l = momenta(m, s, s.velocity, i)
            flow(m, s, w, i, p, l, h)
            store3(w.next_pose, i, 0, x)
            rot = quat.matrix(load4(w.next_pose, i, 3))
            _, spin = body_kinds.body_velocity(m.topology, m.body, i, rot, p, l)
            store3(w.next_velocity, i, 3, spin)
