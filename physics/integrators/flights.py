"""Free flight of bodies without any joint or link. A thrown body keeps its energy to rounding, and its angle to fourth
order.

The body rotates by the free flow with constant spin momentum. This flow is composed of five Cayley steps [Suzuki90],
because a single one is only of second order if the axis changes. If its rotation were integrated from accelerations,
the energy would have an error of the order of the method.
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
    """Return whether some bodies may be in free flight: the scene has bodies without joints and links (Control.LONERS
    in `c`), and no grabs, drives or medium."""
    return c[Control.LONERS] != 0 and c[Control.GRABS] == 0 and c[Control.DRIVEN] == 0 and c[Control.IN_MEDIUM] == 0


@inline
def flies(m, i):
    """Return whether body i is a free root without links."""
    return m.topology[i, Topology.KIND] == JointKind.FREE and m.topology[i, Topology.LONE] != 0


@inline
def flow(m, s, w, i, p, l, h):
    """Write flow(q0, (p, l), h) of body i to Work.next_pose: its pose q0 in State after free motion for h seconds with
    constant momentum p [N s] and spin momentum l [N m s]."""
    store3(w.next_pose, i, 0, load3(s.pose, i, 0))
    store4(w.next_pose, i, 3, load4(s.pose, i, 3))
    for k in range(5):
        rot = quat.matrix(load4(w.next_pose, i, 3))
        v, a = body_kinds.body_velocity(m.topology, m.body, i, rot, p, l)
        t = (1.0 - 4.0 * SUZUKI) * h if k == 2 else SUZUKI * h
        body_kinds.body_drift(m.topology, m.body, i, w.next_pose, rot, v, a, t, 0, w.next_pose)


@inline
def momenta(m, s, velocity, i):
    """Return momentum [N s] and spin momentum [N m s] of body i at its pose in State, for row i of `velocity`."""
    rot = quat.matrix(load4(s.pose, i, 3))
    return body_kinds.body_momentum(m.topology, m.body, i, rot, load3(velocity, i, 0), load3(velocity, i, 3))


@far("flights", "mswiitif")
def fly(m, s, w, first, end, momentum, column, h):
    """Write flow(q0, (p0 + p1)/2, h) of the flying bodies from `first` to `end` to Work.next_pose. p0 are their momenta
    at the start of the step, p1 those in six columns of `momentum` from `column` on."""
    for i in range(first, end):
        if flies(m, i):
            p, l = momenta(m, s, s.velocity, i)
            p = scale(0.5, add(p, load3(momentum, i, column)))
            flow(m, s, w, i, p, scale(0.5, add(l, load3(momentum, i, column + 3))), h)


@far("flights", "mswf")
def drift(m, s, w, h):
    """Write flow(q0, M(q0) u, h) of all flying bodies to Work.next_pose, with u in Work.next_velocity. It is their
    drift in `rattle`, between the kicks."""
    for i in range(m.topology.shape[0]):
        if flies(m, i):
            p, l = momenta(m, s, w.next_velocity, i)
            flow(m, s, w, i, p, l, h)


@far("flights", "mswf")
def turn(m, s, w, h):
    """Write orientation and angular velocity after h seconds of free flight to Work.next_pose and Work.next_velocity,
    for flying bodies on which no torque is applied. The positions of their centres of mass stay, because accelerations
    give them exactly."""
    for i in range(m.topology.shape[0]):
        if flies(m, i) and max(abs(s.applied[i, 3]), abs(s.applied[i, 4]), abs(s.applied[i, 5])) == 0.0:
            x = load3(w.next_pose, i, 0)
            p, l = momenta(m, s, s.velocity, i)
            flow(m, s, w, i, p, l, h)
            store3(w.next_pose, i, 0, x)
            rot = quat.matrix(load4(w.next_pose, i, 3))
            _, spin = body_kinds.body_velocity(m.topology, m.body, i, rot, p, l)
            store3(w.next_velocity, i, 3, spin)
