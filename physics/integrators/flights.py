"""Free flight of bodies without any joint or link. A thrown body keeps its energy to rounding, and its angle to fourth
order.

The body rotates by the free flow with constant spin momentum, composed of five parts [Suzuki90]. The Cayley flow alone
is of second order where the axis changes. A body whose rotation is integrated by its accelerations would lose energy to
the order of the method.
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
    """Return whether some bodies may be in free flight."""
    return c[Control.LONERS] != 0 and c[Control.GRABS] == 0 and c[Control.DRIVEN] == 0 and c[Control.IN_MEDIUM] == 0


@inline
def flies(m, i):
    """Return whether body i is a free root without links."""
    return m.topology[i, Topology.KIND] == JointKind.FREE and m.topology[i, Topology.LONE] != 0


@inline
def flow(m, s, w, i, p, l, h):
    """Write flow(q0, (p, l), h) to w.next_pose."""
    store3(w.next_pose, i, 0, load3(s.pose, i, 0))
    store4(w.next_pose, i, 3, load4(s.pose, i, 3))
    for k in range(5):
        rot = quat.matrix(load4(w.next_pose, i, 3))
        v, a = body_kinds.body_velocity(m.topology, m.body, i, rot, p, l)
        t = (1.0 - 4.0 * SUZUKI) * h if k == 2 else SUZUKI * h
        body_kinds.body_drift(m.topology, m.body, i, w.next_pose, rot, v, a, t, 0, w.next_pose)


@inline
def momenta(m, s, velocity, i):
    """Return linear and angular momentum at the pose where the step starts."""
    rot = quat.matrix(load4(s.pose, i, 3))
    return body_kinds.body_momentum(m.topology, m.body, i, rot, load3(velocity, i, 0), load3(velocity, i, 3))


@far("flights", "mswiitif")
def fly(m, s, w, first, end, momentum, column, h):
    """Write flow(q0, (p0 + p1)/2, h) of the flying bodies from `first` to `end`, with p1 in six columns of
    `momentum`."""
    for i in range(first, end):
        if flies(m, i):
            p, l = momenta(m, s, s.velocity, i)
            p = scale(0.5, add(p, load3(momentum, i, column)))
            flow(m, s, w, i, p, scale(0.5, add(l, load3(momentum, i, column + 3))), h)


@far("flights", "mswf")
def drift(m, s, w, h):
    """Write flow(q0, M(q0) u, h) of the flying bodies, with u in w.next_velocity: the drift of `rattle` between its
    kicks."""
    for i in range(m.topology.shape[0]):
        if flies(m, i):
            p, l = momenta(m, s, w.next_velocity, i)
            flow(m, s, w, i, p, l, h)


@far("flights", "mswf")
def turn(m, s, w, h):
    """Write the rotation, and the spin after it, of flying bodies without a torque. Their centres of mass move exactly
    by accelerations."""
    for i in range(m.topology.shape[0]):
        if flies(m, i) and max(abs(s.applied[i, 3]), abs(s.applied[i, 4]), abs(s.applied[i, 5])) == 0.0:
            x = load3(w.next_pose, i, 0)
            p, l = momenta(m, s, s.velocity, i)
            flow(m, s, w, i, p, l, h)
            store3(w.next_pose, i, 0, x)
            rot = quat.matrix(load4(w.next_pose, i, 3))
            _, spin = body_kinds.body_velocity(m.topology, m.body, i, rot, p, l)
            store3(w.next_velocity, i, 3, spin)
