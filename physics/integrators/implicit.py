"""`implicit`, `hernandez`, `explicit`: one solve at the present pose, then the pose follows.

    A = M(q0) + h D + h^2 (K + G),   [A, J(q0)] with [M u0 + h F; -C/h]  ->  v         [Hernandez11, eq. 3-4]
    q1 = flow(q0, M v, h);   SHAKE: same factor with [0; -C(q1)/h]  ->  dv,  v += dv,  q1 (+)= h dv
    u1 = M(q1)^-1 M(q0) v

`implicit` is linearly implicit in springs and damping (D, K in the joints' subspace) and in the geometric stiffness G
of the last joint forces. `hernandez` stops before the SHAKE correction, as the paper does. `explicit` (symplectic
Euler) takes springs and damping at the present state, A = M. The correction must feed back into the velocity: projecting
the position alone loses 73 % of a double pendulum's energy in 10 s at 1/60.
"""

from physics import fill
from physics.kernels import quat
from physics.kernels.jit import kernel
from physics.kernels.vec import ZERO3, add, add_scaled, dot, load3, load4, load9, scale, store3, store6, store9, sub
from physics.layout import (
    ALL, COUPLED, DOFS, DONE, EXPLICIT, FLAGS, FREE, GAP_KNOWN, GAP_TOLERANCE, GEOMETRIC, GRAVITY, H, HERNANDEZ,
    INTEGRATOR, KIND, PATH, PUSH, SOLVE, STAGE, SWEEP, TRIAL_GAP, WORST,
)  # fmt: skip

MOST_SWEEPS = 3


@kernel
def advance(m, s, w):
    """The next request of the step; DONE when the new state stands in w.next_*."""
    c = w.control
    x = w.number
    h = x[H]
    if c[STAGE] == 0:
        assemble(m, s, w, c[INTEGRATOR] == EXPLICIT, h, -1.0 / h, 0.0 if c[INTEGRATOR] == HERNANDEZ else 0.5 * h)
        c[STAGE] = 1
        c[SWEEP] = 0
        return ALL
    if c[STAGE] == 1:
        follow(m, s, w, h)
        if c[COUPLED] != 0 and c[INTEGRATOR] != HERNANDEZ:
            c[STAGE] = 2
            return SOLVE
    else:
        c[SWEEP] += 1
        gap = correct(m, w, h)
        if gap > x[GAP_TOLERANCE] and c[SWEEP] < MOST_SWEEPS:
            return SOLVE
    arrive(m, w)
    return DONE


@kernel
def assemble(m, s, w, explicit, h, feedback, ahead):
    """A, f, D, d, b of a step h from the present state; b = feedback C + ahead (b_acc - J a_free).

    C(q1) = C + h J v - (h^2/2) (b_acc - J a_free) + O(h^3), a_free the angular accelerations of free rotation, so ahead =
    h/2 leaves the SHAKE correction one order less to do; where that converges it does not change the result.
    """
    x = w.number
    geometric = w.control[GEOMETRIC] != 0 and not explicit
    g = (x[GRAVITY], x[GRAVITY + 1], x[GRAVITY + 2])
    for i in range(m.topology.shape[0]):
        rot = load9(w.rotation, i, 0)
        fill.body_mass(m.topology, m.body, i, rot, w.block)
        p, l = fill.body_momentum(m.topology, m.body, i, rot, load3(s.velocity, i, 0), load3(s.velocity, i, 3))
        f, q = fill.body_load(m.body, s.applied, i, h, g)
        store3(w.force, i, 0, add(p, f))
        store3(w.force, i, 3, add(l, q))
        if ahead != 0.0:
            store3(w.stash, i, 0, fill.body_turning(m.topology, m.body, i, rot, load3(s.velocity, i, 3), l))
    for i in range(m.topology.shape[0]):
        if m.topology[i, KIND] == FREE:
            continue
        if explicit:
            fill.explicit_spring(m.topology, w.spring, i, s.velocity, h, w.edge, w.row)
        else:
            fill.implicit_spring(m.topology[i, FLAGS], w.spring, i, h, w.row)
        b = scale(feedback, load3(w.gap, i, 0))
        e = scale(feedback, load3(w.gap, i, 3))
        if ahead != 0.0:
            lin, ang = fill.body_bias(m.topology, i, s.velocity, w.edge)
            lin2, ang2 = fill.turning_bias(m.topology, i, w.stash, w.edge)
            b = add_scaled(b, ahead, sub(lin, lin2))
            e = add_scaled(e, ahead, sub(ang, ang2))
        fill.set_jump(m.topology[i, PATH], m.topology[i, DOFS], w.edge, i, b, e, w.row)
    if geometric:
        fill.add_geometric(m.topology, m.body, m.joint, s.memory, h * h, 0, s.velocity, w.edge, w.block, w.force)


@kernel
def follow(m, s, w, h):
    """q1 = flow(q0, M v, h), and the right-hand side of the correction of C(q1)."""
    rate = 1.0 / h
    for i in range(m.topology.shape[0]):
        v = load3(w.velocity, i, 0)
        a = load3(w.velocity, i, 3)
        store3(w.next_velocity, i, 0, v)
        store3(w.next_velocity, i, 3, a)
        for k in range(6):
            w.next_wrench[i, k] = rate * w.wrench[i, k]
        rot = load9(w.rotation, i, 0)
        fill.body_drift(m.topology, m.body, i, s.pose, rot, v, a, h, 0, w.next_pose)
    ask_correction(m, w, -rate)


@kernel
def correct(m, w, h):
    """v += dv, q1 (+)= h dv; the right-hand side of a further sweep. Returns the largest error left."""
    for i in range(m.topology.shape[0]):
        v = load3(w.velocity, i, 0)
        a = load3(w.velocity, i, 3)
        store3(w.next_velocity, i, 0, add(load3(w.next_velocity, i, 0), v))
        store3(w.next_velocity, i, 3, add(load3(w.next_velocity, i, 3), a))
        fill.body_displace(m.topology, i, w.next_pose, scale(h, v), scale(h, a), w.next_pose)
    return ask_correction(m, w, -1.0 / h)


@kernel
def ask_correction(m, w, feedback):
    """The error at the next pose as the jump of a pure correction: f = 0, d = 0, b = feedback C. Returns the largest."""
    worst = 0.0
    where = -1
    for i in range(m.topology.shape[0]):
        store9(w.next_rotation, i, 0, quat.matrix(load4(w.next_pose, i, 3)))
        store6(w.force, i, 0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        store3(w.row, i, PUSH, ZERO3)
        if m.topology[i, KIND] != FREE:
            lin, ang = fill.body_error(m.topology, m.joint, i, w.next_pose, w.next_rotation)
            store3(w.gap, i, 0, lin)
            store3(w.gap, i, 3, ang)
            b = scale(feedback, lin)
            fill.set_jump(m.topology[i, PATH], m.topology[i, DOFS], w.edge, i, b, scale(feedback, ang), w.row)
            size = max(dot(lin, lin), dot(ang, ang))
            if not size <= worst:  # also where it is not a number
                worst = size
                where = i
    w.number[TRIAL_GAP] = worst**0.5
    w.control[WORST] = where
    w.control[GAP_KNOWN] = 1
    return worst**0.5


@kernel
def arrive(m, w):
    """u1 = M(q1)^-1 M(q0) v"""
    for i in range(m.topology.shape[0]):
        v = load3(w.next_velocity, i, 0)
        a = load3(w.next_velocity, i, 3)
        p, l = fill.body_momentum(m.topology, m.body, i, load9(w.rotation, i, 0), v, a)
        v, a = fill.body_velocity(m.topology, m.body, i, load9(w.next_rotation, i, 0), p, l)
        store3(w.next_velocity, i, 3, a)
