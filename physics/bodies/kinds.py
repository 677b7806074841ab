"""Mass, momenta, free motion, loads and energies of all bodies, computed from their poses and velocities.

Each function `body_*` looks up the kind of a body, and calls the function in the file of that kind."""

import math

from physics.bodies import islands, particle, rigid, scales
from physics.compiler.jit import inline, kernel, rare
from physics.data.model_tables import Bodies, BodyKind, Topology
from physics.data.state_tables import PoseColumn
from physics.maths import quat
from physics.maths.lanes import are_rows, choose, row_of
from physics.maths.prefetch import AHEAD, are_many, fetch_row
from physics.maths.vec import ZERO3, add_scaled, add_to3, cross, dot, load3, load4, load9, norm, scale, store3, sub


# ---------------------------------------------------------------- bodies
@inline
def is_particle(topology, i):
    """Return whether body i is a particle. A SIMD group of four contains no particle (Control.LANED)."""
    return not are_rows(i) and topology[row_of(i), Topology.BODY_KIND] == BodyKind.PARTICLE


@inline
def body_mass(topology, body, i, rot, block):
    """Write A = M of body i, whose rotation matrix is rot, to row i of `block` (n, triangle)."""
    if not is_particle(topology, i):
        rigid.mass_block(body, i, rot, block)
    else:
        particle.mass_block(body, i, block)


@kernel
def fill_mass(m, rotation, block):
    """Write A = M of all bodies to `block` (n, triangle). Their rotation matrices are in `rotation` (n, 9)."""
    for i in range(m.topology.shape[0]):
        body_mass(m.topology, m.body, i, load9(rotation, i, 0), block)
    if block.shape[1] > 21:
        scales.fill_mass(m, 0.0, 0.0, block)


@inline
def body_momentum(topology, body, i, rot, v, w):
    """Return the momentum M u of body i with the velocity u = (v, w): its linear part [N s] and its spin [N m s]."""
    p = scale(body[i, Bodies.MASS], v)
    if not is_particle(topology, i):
        return p, rigid.spin_momentum(body, i, rot, w)
    return p, ZERO3


@kernel
def fill_momenta(topology, body, rotation, velocity, o, momentum):
    """Write the momenta M u of all bodies to columns o to o + 5 of `momentum`. The velocities u are in `velocity`."""
    for i in range(topology.shape[0]):
        v = load3(velocity, i, 0)
        p, s = body_momentum(topology, body, i, load9(rotation, i, 0), v, load3(velocity, i, 3))
        store3(momentum, i, o, p)
        store3(momentum, i, o + 3, s)


@inline
def body_spin(topology, body, i, rot, w):
    """Return the spin momentum L = R I R^T w [N m s] of body i, and the angular acceleration of its free rotation, R
    I^-1 (L_body x w_body) [rad/s^2]. L_body and w_body are L and w in the body frame."""
    if not is_particle(topology, i):
        return rigid.spin_and_turning(body, i, rot, w)
    return ZERO3, ZERO3


@inline
def body_velocity(topology, body, i, rot, p, s):
    """Return the velocity and the angular velocity of body i from its momentum p [N s] and its spin momentum s [N m
    s]."""
    v = scale(body[i, Bodies.INVERSE_MASS], p)
    if not is_particle(topology, i):
        return v, rigid.spin(body, i, rot, s)
    return v, ZERO3


@kernel
def fill_velocities(topology, body, rotation, momentum, o, velocity):
    """Write the velocities of all bodies to `velocity`. Their momenta are in columns o to o + 5 of `momentum`."""
    for i in range(topology.shape[0]):
        p = load3(momentum, i, o)
        v, w = body_velocity(topology, body, i, load9(rotation, i, 0), p, load3(momentum, i, o + 3))
        store3(velocity, i, 0, v)
        store3(velocity, i, 3, w)


@inline
def body_drift(topology, body, i, pose, rot, v, w, t, exponential, out):
    """Write the pose of body i after free motion over the time t [s] to row i of `out`. The motion starts at `pose`,
    and keeps the momenta of the velocity (v, w) there. The rotation is `exponential` or that of Cayley."""
    if not is_particle(topology, i):
        rigid.drift(body, i, pose, rot, v, w, t, exponential, out)
    else:
        particle.displace(pose, i, scale(t, v), out)


@inline
def body_displace(topology, i, pose, d, a, out):
    """Write the pose q (+) (d, a) of body i to row i of `out`: its pose q in `pose`, moved by d [m] and rotated by the
    rotation vector a [rad]."""
    if not is_particle(topology, i):
        rigid.displace(pose, i, d, a, out)
    else:
        particle.displace(pose, i, d, out)


@inline
def body_nudge(topology, i, pose, d, a, out):
    """Write the pose q (+) (d, a) of body i to row i of `out`, exact to second order in a. Corrections use it, because
    they measure their result again."""
    if not is_particle(topology, i):
        rigid.nudge(pose, i, d, a, out)
    else:
        particle.displace(pose, i, d, out)


@inline
def move_body(topology, i, pose, velocity, t, out):
    """Write the pose of body i to row i of `out`, after its velocity has moved it for the time t [s]."""
    d = scale(t, load3(velocity, i, 0))
    body_displace(topology, i, pose, d, scale(t, load3(velocity, i, 3)), out)


@kernel
def displace(topology, pose, velocity, t, out):
    """Write the poses q (+) t v of all bodies to `out`. The poses q are in `pose`, and the velocities v in
    `velocity`."""
    for i in range(topology.shape[0]):
        move_body(topology, i, pose, velocity, t, out)
    if velocity.shape[1] > PoseColumn.RATES:
        scales.move(pose, velocity, t, out)


@inline
def clamped(v, w, t, limit):
    """Return the velocity (v, w). If t |w| exceeds `limit` [rad], both are scaled down until it does not."""
    angle = t * norm(w)
    fast = angle > limit
    k = choose(fast, limit, 1.0) / choose(fast, angle, 1.0)
    return scale(k, v), scale(k, w)


@kernel
def add_applied(applied, t, force):
    """Add t times the applied forces and torques (n, 6) to `force` (n, stride)."""
    for i in range(applied.shape[0]):
        add_to3(force, i, 0, scale(t, load3(applied, i, 0)))
        add_to3(force, i, 3, scale(t, load3(applied, i, 3)))


@kernel
def add_loads(body, applied, t, g, force):
    """Add t times the weight and the applied force of every body to `force` (n, stride). g is the acceleration of
    gravity [m/s^2]."""
    for i in range(applied.shape[0]):
        add_to3(force, i, 0, scale(t, add_scaled(load3(applied, i, 0), body[i, Bodies.MASS], g)))
        add_to3(force, i, 3, scale(t, load3(applied, i, 3)))


@kernel
def fill_gyroscopic(topology, body, rotation, velocity, force):
    """Set `force` to the gyroscopic torque -w x I w of every body. Only requests of accelerations have it as an
    explicit term."""
    for i in range(topology.shape[0]):
        store3(force, i, 0, ZERO3)
        if not is_particle(topology, i):
            w = load3(velocity, i, 3)
            store3(force, i, 3, cross(rigid.spin_momentum(body, i, load9(rotation, i, 0), w), w))


# ---------------------------------------------------------------- small sums over all bodies
@inline
def body_kinetic(topology, body, i, rot, v, w):
    """Return the kinetic energy [J] of body i with the velocity (v, w)."""
    if not is_particle(topology, i):
        return rigid.kinetic(body, i, rot, v, w)
    return particle.kinetic(body, i, v)


@kernel
def measure_bodies(m, rotation, velocity):
    """Return the kinetic energy of all bodies [J], including that of their scales, and the largest angular speed
    [rad/s]."""
    kinetic, fastest = measure_some(m, rotation, velocity, 0, m.topology.shape[0], 0.0, 0.0)
    if velocity.shape[1] > PoseColumn.RATES:
        kinetic += scales.kinetic(m, velocity)
    return kinetic, math.sqrt(fastest)


@kernel
def measure_some(m, rotation, velocity, first, end, kinetic, fastest):
    """Add up the kinetic energy of the bodies from `first` to `end`, without that of their scales. Return `kinetic` [J]
    plus this sum, and the largest of `fastest` and the squared angular speeds of these bodies."""
    many = are_many(m.topology)
    for i in range(first, end):
        if many:
            ask_motion(m, velocity, i + 2 * AHEAD)
        w = load3(velocity, i, 3)
        kinetic += body_kinetic(m.topology, m.body, i, load9(rotation, i, 0), load3(velocity, i, 0), w)
        fastest = max(fastest, dot(w, w))
    return kinetic, fastest


@rare
def ask_motion(m, velocity, i):
    """Prefetch the rows of body i that `measure_some` reads."""
    fetch_row(m.body, i)
    fetch_row(velocity, i)


@rare
def ask_heights(body, pose, i):
    """Prefetch the rows of body i that `add_gravitational` reads."""
    fetch_row(body, i)
    fetch_row(pose, i)


@kernel
def gravitational_energy(body, pose, g):
    """Return the gravitational energy [J] of all bodies at `pose`. g is the acceleration of gravity [m/s^2]."""
    return add_gravitational(body, pose, g, 0, pose.shape[0], 0.0)


@kernel
def add_gravitational(body, pose, g, first, end, total):
    """Return `total` plus the gravitational energy [J] of the bodies from `first` to `end` at `pose`."""
    many = are_many(body)
    for i in range(first, end):
        if many:
            ask_heights(body, pose, i + 2 * AHEAD)
        total -= body[i, Bodies.MASS] * dot(g, load3(pose, i, 0))
    return total


@kernel
def applied_work(m, s, w, pose, next_pose):
    """Return the work [J] that the applied loads do between two poses, on the bodies of the present pass: the sum of F
    . (x1 - x0) + torque . log(q1 q0*)."""
    applied = s.applied
    total = 0.0
    for i in range(applied.shape[0]):
        if not islands.takes_part(w, i):
            continue
        total += dot(load3(applied, i, 0), sub(load3(next_pose, i, 0), load3(pose, i, 0)))
        turn = quat.logarithm(quat.multiply(load4(next_pose, i, 3), quat.conjugate(load4(pose, i, 3))))
        total += dot(load3(applied, i, 3), turn)
    return total


@inline
def squared_spin(velocity, i):
    """Return the squared angular speed [rad^2/s^2] in row i of `velocity`."""
    w = load3(velocity, i, 3)
    return dot(w, w)


@kernel
def largest_spin(velocity):
    """Return the largest angular speed [rad/s] in `velocity` (n, stride). It is infinite if any number in `velocity` is
    not finite."""
    worst = 0.0
    total = 0.0
    for i in range(velocity.shape[0]):
        w = load3(velocity, i, 3)
        worst = max(worst, dot(w, w))
        for k in range(velocity.shape[1]):
            total += abs(velocity[i, k])
    return math.sqrt(worst) if total < math.inf else math.inf


# ---------------------------------------------------------------- sums and copies of rows
@kernel
def are_finite(a):
    """Return whether all numbers of the two-dimensional array `a` are finite."""
    trouble = 0
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            trouble |= not abs(a[i, k]) < math.inf
    return trouble == 0


@kernel
def add_rows(a, out):
    """Add columns of `a` to `out`: the first six, and if `out` has columns for the rates of scales also these."""
    for i in range(out.shape[0]):
        for k in range(6):
            out[i, k] += a[i, k]
    if out.shape[1] > PoseColumn.RATES:
        scales.add_rates(a, out)


@kernel
def scale_velocities(a, x, out):
    """Set `out` to x times `a`, both (n, stride)."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = x * a[i, k]
