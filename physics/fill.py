"""Fill: from poses and velocities to the flat arrays that solver modes and integrators work on.

The only place that knows every kind of body, joint and constraint: each loop below picks the kind by its code and calls
the function of that kind's file. A new kind is one file and one line in each loop.
"""

from physics.bodies import particle, rigid
from physics.constraints import distance
from physics.joints import ball, hinge, slider, universal, weld
from physics.kernels import quat
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import (
    IDENTITY9, ZERO3, ZERO6, add, add_scaled, add_to3, cross, dot, load3, load4, load6, load9, norm, scale, store3,
    store6, store9, sub, sym_mul,
)  # fmt: skip
from physics.layout import (
    AXIS, BALL, BODY_KIND, DISTANCE, DOFS, FLAGS, FREE, HINGE, INVERSE_MASS, JUMP, KIND, MASS, PARENT, PATH,
    PATH_AXES, PATH_BALL, PATH_GENERAL, PATH_HINGE, POSING, POTENTIAL, PUSH, RC, REACH_CHILD, REACH_PARENT,
    REST_FRAME, RIGID, RP,
    SLIDER, SOFT_CHILD, SOFT_PARENT, SPRING_C, SPRING_K, STIFF_BLOCK, TORQUE, UNIVERSAL, WELD, WRENCH,
)  # fmt: skip


@inline
def parent_pose(p, pose, rotation):
    if p < 0:
        return ZERO3, IDENTITY9
    return load3(pose, p, 0), load9(rotation, p, 0)


@inline
def parent_quaternion(p, pose):
    if p < 0:
        return (1.0, 0.0, 0.0, 0.0)
    return load4(pose, p, 3)


@inline
def parent_velocity(p, velocity):
    if p < 0:
        return ZERO3, ZERO3
    return load3(velocity, p, 0), load3(velocity, p, 3)


# ---------------------------------------------------------------- geometry
@inline
def edge_error(kind, joint, i, xc, rot_c, xp, rot_p):
    if kind == BALL:
        return ball.error(joint, i, xc, rot_c, xp, rot_p)
    if kind == HINGE:
        return hinge.error(joint, i, xc, rot_c, xp, rot_p)
    if kind == UNIVERSAL:
        return universal.error(joint, i, xc, rot_c, xp, rot_p)
    if kind == SLIDER:
        return slider.error(joint, i, xc, rot_c, xp, rot_p)
    if kind == WELD:
        return weld.error(joint, i, xc, rot_c, xp, rot_p)
    if kind == DISTANCE:
        return distance.error(joint, i, xc, rot_c, xp, rot_p)
    return ZERO3, ZERO3


@inline
def edge_frame(kind, joint, i, xc, rot_c, xp, rot_p, edge):
    """Levers and motion axes into `edge`; returns the error."""
    if kind == BALL:
        return ball.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == HINGE:
        return hinge.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == UNIVERSAL:
        return universal.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == SLIDER:
        return slider.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == WELD:
        return weld.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == DISTANCE:
        return distance.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    return ZERO3, ZERO3


@inline
def edge_rows(kind, joint, i, rot_c, rot_p, edge, rows):
    if kind == BALL:
        ball.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == HINGE:
        hinge.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == UNIVERSAL:
        universal.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == SLIDER:
        slider.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == WELD:
        weld.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == DISTANCE:
        distance.rows(joint, i, rot_c, rot_p, edge, rows)


@inline
def edge_slip(kind, joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    if kind == BALL:
        return ball.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    if kind == HINGE:
        return hinge.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    if kind == UNIVERSAL:
        return universal.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    if kind == SLIDER:
        return slider.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    if kind == WELD:
        return weld.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    if kind == DISTANCE:
        return distance.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    return ZERO3, ZERO3


@inline
def edge_bias(kind, edge, i, vc, wc, vp, wp):
    if kind == BALL or kind == WELD:
        return ball.bias(edge, i, vc, wc, vp, wp)
    if kind == HINGE:
        return hinge.bias(edge, i, vc, wc, vp, wp)
    if kind == UNIVERSAL:
        return universal.bias(edge, i, vc, wc, vp, wp)
    if kind == SLIDER:
        return slider.bias(edge, i, vc, wc, vp, wp)
    if kind == DISTANCE:
        return distance.bias(edge, i, vc, wc, vp, wp)
    return ZERO3, ZERO3


@inline
def body_frame(topology, joint, i, pose, with_rows, rotation, edge, rows):
    """Rotation matrix of body i at `pose`, levers and motion axes (and constraint rows) of its edge; returns its
    error."""
    kind = topology[i, KIND]
    rot_c = quat.matrix(load4(pose, i, 3))
    store9(rotation, i, 0, rot_c)
    xp, rot_p = parent_pose(topology[i, PARENT], pose, rotation)
    lin, ang = edge_frame(kind, joint, i, load3(pose, i, 0), rot_c, xp, rot_p, edge)
    if with_rows != 0 or topology[i, PATH] == PATH_GENERAL:
        edge_rows(kind, joint, i, rot_c, rot_p, edge, rows)
    return lin, ang


@inline
def body_error(topology, joint, i, pose, rotation):
    """Error of the inbound edge at `pose` (linear, angular); the matrices of body and parent are in `rotation`."""
    kind = topology[i, KIND]
    if kind == FREE:
        return ZERO3, ZERO3
    xp, rot_p = parent_pose(topology[i, PARENT], pose, rotation)
    return edge_error(kind, joint, i, load3(pose, i, 0), load9(rotation, i, 0), xp, rot_p)


@inline
def larger(worst, where, lin, ang, i):
    """The larger of the largest squared error so far and this one, also where it is not a number; and its body."""
    size = max(dot(lin, lin), dot(ang, ang))
    if not size <= worst:
        return size, i
    return worst, where


@kernel
def fill_edges(topology, joint, pose, with_rows, rotation, edge, gap, rows):
    """Rotation matrices, levers, motion axes, errors (and constraint rows) at `pose`. Returns the largest error,
    where."""
    worst = 0.0
    where = -1
    for i in range(topology.shape[0]):
        lin, ang = body_frame(topology, joint, i, pose, with_rows, rotation, edge, rows)
        store3(gap, i, 0, lin)
        store3(gap, i, 3, ang)
        worst, where = larger(worst, where, lin, ang, i)
    return worst**0.5, where


@kernel
def fill_errors(topology, joint, pose, rotation, gap):
    """Rotation matrices and errors only. Returns the largest error."""
    worst = 0.0
    where = -1
    for i in range(topology.shape[0]):
        store9(rotation, i, 0, quat.matrix(load4(pose, i, 3)))
        lin, ang = body_error(topology, joint, i, pose, rotation)
        store3(gap, i, 0, lin)
        store3(gap, i, 3, ang)
        worst, where = larger(worst, where, lin, ang, i)
    return worst**0.5


# ---------------------------------------------------------------- prescribed jumps b
@inline
def set_jump(path, dofs, edge, i, lin, ang, row):
    """b without its part along the motion axes, where it would mean nothing: the rows of all modes then agree."""
    if path == PATH_BALL:
        ang = ZERO3
    elif path == PATH_HINGE:
        a = load3(edge, i, AXIS + 3)
        ang = add_scaled(ang, -dot(a, ang), a)
    elif path == PATH_AXES:
        for c in range(dofs):
            nv = load3(edge, i, AXIS + 6 * c)
            nw = load3(edge, i, AXIS + 6 * c + 3)
            s = dot(nv, lin) + dot(nw, ang)
            lin = add_scaled(lin, -s, nv)
            ang = add_scaled(ang, -s, nw)
    store3(row, i, JUMP, lin)
    store3(row, i, JUMP + 3, ang)


@kernel
def fill_jumps(topology, edge, gap, k, row):
    """b = k times the error"""
    for i in range(topology.shape[0]):
        if topology[i, KIND] != FREE:
            lin = scale(k, load3(gap, i, 0))
            set_jump(topology[i, PATH], topology[i, DOFS], edge, i, lin, scale(k, load3(gap, i, 3)), row)


@inline
def body_slip(topology, joint, i, pose, rotation, velocity):
    """J u of the inbound edge, with J of `pose` (whose matrices `rotation` holds)."""
    p = topology[i, PARENT]
    xp, rot_p = parent_pose(p, pose, rotation)
    vp, wp = parent_velocity(p, velocity)
    vc = load3(velocity, i, 0)
    wc = load3(velocity, i, 3)
    x = load3(pose, i, 0)
    return edge_slip(topology[i, KIND], joint, i, x, load9(rotation, i, 0), vc, wc, xp, rot_p, vp, wp)


@kernel
def fill_slips(topology, joint, pose, rotation, velocity, k, edge, row):
    """b = k J u, with J of `pose` (whose matrices `rotation` holds)."""
    for i in range(topology.shape[0]):
        if topology[i, KIND] != FREE:
            lin, ang = body_slip(topology, joint, i, pose, rotation, velocity)
            set_jump(topology[i, PATH], topology[i, DOFS], edge, i, scale(k, lin), scale(k, ang), row)


@inline
def turning_bias(topology, i, turning, edge):
    """What free rotation adds to the second-order change of the error: the twist of the angular accelerations `turning`
    across the edge."""
    ac = load3(turning, i, 0)
    p = topology[i, PARENT]
    ap = ZERO3 if p < 0 else load3(turning, p, 0)
    return sub(cross(ac, load3(edge, i, RC)), cross(ap, load3(edge, i, RP))), sub(ac, ap)


@inline
def body_bias(topology, i, velocity, edge):
    """b_acc: what the anchors' accelerations differ by at zero joint acceleration"""
    vp, wp = parent_velocity(topology[i, PARENT], velocity)
    return edge_bias(topology[i, KIND], edge, i, load3(velocity, i, 0), load3(velocity, i, 3), vp, wp)


@kernel
def fill_bias(topology, velocity, edge, row):
    """b = b_acc"""
    for i in range(topology.shape[0]):
        if topology[i, KIND] != FREE:
            lin, ang = body_bias(topology, i, velocity, edge)
            store3(row, i, JUMP, lin)
            store3(row, i, JUMP + 3, ang)


# ---------------------------------------------------------------- springs
@inline
def edge_spring(topology, joint, memory, i, pose, rotation, spring):
    """Coordinates, elastic torques, stiffness and damping of one edge at `pose`. Returns its energy."""
    flags = topology[i, FLAGS]
    if flags == 0:
        return 0.0
    kind = topology[i, KIND]
    p = topology[i, PARENT]
    qc = load4(pose, i, 3)
    qp = parent_quaternion(p, pose)
    if kind == BALL:
        _, rot_p = parent_pose(p, pose, rotation)
        ball.spring(flags, joint, i, qc, qp, load9(rotation, i, 0), rot_p, spring)
    elif kind == HINGE:
        hinge.spring(flags, joint, memory, i, qc, qp, spring)
    elif kind == UNIVERSAL:
        universal.spring(flags, joint, memory, i, qc, qp, spring)
    elif kind == SLIDER:
        xp, rot_p = parent_pose(p, pose, rotation)
        slider.spring(flags, joint, i, load3(pose, i, 0), load9(rotation, i, 0), xp, rot_p, spring)
    return spring[i, POTENTIAL]


@kernel
def fill_springs(topology, joint, memory, pose, rotation, spring):
    """Springs of every edge at `pose`. Returns the elastic energy."""
    total = 0.0
    for i in range(topology.shape[0]):
        total += edge_spring(topology, joint, memory, i, pose, rotation, spring)
    return total


@kernel
def fill_coordinates(topology, joint, memory, pose, rotation, out):
    """Joint coordinates (n, 3) at `pose`: ball: rotation vector from rest in world axes; else angle, angles or
    travel."""
    for i in range(topology.shape[0]):
        kind = topology[i, KIND]
        p = topology[i, PARENT]
        qc = load4(pose, i, 3)
        qp = parent_quaternion(p, pose)
        store3(out, i, 0, ZERO3)
        if kind == BALL:
            rest = load4(joint, i, REST_FRAME)
            store3(out, i, 0, quat.logarithm(quat.multiply(quat.multiply(qc, rest), quat.conjugate(qp))))
        elif kind == HINGE:
            out[i, 0] = hinge.angle(joint, memory, i, qc, qp)
        elif kind == UNIVERSAL:
            out[i, 0], out[i, 1] = universal.angles(joint, memory, i, qc, qp)
        elif kind == SLIDER:
            xp, rot_p = parent_pose(p, pose, rotation)
            out[i, 0] = slider.travel(joint, i, load3(pose, i, 0), load9(rotation, i, 0), xp, rot_p)


@inline
def edge_remember(topology, joint, i, pose, memory):
    """Count the turns of a hinge or universal joint: once for each accepted pose."""
    kind = topology[i, KIND]
    if kind == HINGE or kind == UNIVERSAL:
        hinge.remember(joint, memory, i, load4(pose, i, 3), parent_quaternion(topology[i, PARENT], pose))


@kernel
def remember_turns(topology, joint, pose, memory):
    for i in range(topology.shape[0]):
        edge_remember(topology, joint, i, pose, memory)


@kernel
def commit(topology, joint, next_pose, next_velocity, next_wrench, pose, velocity, memory):
    """The next state becomes the state."""
    for i in range(topology.shape[0]):
        for k in range(7):
            pose[i, k] = next_pose[i, k]
        for k in range(velocity.shape[1]):
            velocity[i, k] = next_velocity[i, k]
        for k in range(6):
            memory[i, WRENCH + k] = next_wrench[i, k]
        edge_remember(topology, joint, i, pose, memory)


@inline
def implicit_spring(flags, spring, i, t, row):
    """D = t C + t^2 K,  d = t T  (damping acts on the new rate, through D)"""
    if flags == 0:
        store6(row, i, STIFF_BLOCK, ZERO6)
        store3(row, i, PUSH, ZERO3)
    else:
        for k in range(6):
            row[i, STIFF_BLOCK + k] = t * spring[i, SPRING_C + k] + t * t * spring[i, SPRING_K + k]
        for k in range(3):
            row[i, PUSH + k] = t * spring[i, TORQUE + k]


@inline
def explicit_spring(topology, spring, i, velocity, t, edge, row):
    """D = 0,  d = t (T - C q')"""
    store6(row, i, STIFF_BLOCK, ZERO6)
    if topology[i, FLAGS] == 0:
        store3(row, i, PUSH, ZERO3)
    else:
        vp, wp = parent_velocity(topology[i, PARENT], velocity)
        vc = load3(velocity, i, 0)
        wc = load3(velocity, i, 3)
        w = sub(wc, wp)
        if topology[i, KIND] == BALL:
            d = sub(load3(spring, i, TORQUE), sym_mul(load6(spring, i, SPRING_C), w))
            store3(row, i, PUSH, scale(t, d))
        else:
            lin = ball.anchor_slip(load3(edge, i, RC), vc, wc, load3(edge, i, RP), vp, wp)
            for c in range(topology[i, DOFS]):
                rate = dot(load3(edge, i, AXIS + 6 * c), lin) + dot(load3(edge, i, AXIS + 6 * c + 3), w)
                row[i, PUSH + c] = t * (spring[i, TORQUE + c] - spring[i, SPRING_C + c] * rate)


@kernel
def fill_explicit_springs(topology, spring, velocity, t, edge, row):
    for i in range(topology.shape[0]):
        explicit_spring(topology, spring, i, velocity, t, edge, row)


@kernel
def clear_row(topology, keep_stiffness, force, row):
    """f = 0, d = 0, and D = 0 unless it belongs to the factor in use: the right-hand side of a pure correction."""
    for i in range(topology.shape[0]):
        for k in range(force.shape[1]):
            force[i, k] = 0.0
        store3(row, i, PUSH, ZERO3)
        if keep_stiffness == 0:
            store6(row, i, STIFF_BLOCK, ZERO6)


@kernel
def fill_posing_friction(topology, body, factor, row):
    """D of the kinematic order: c |w_rel|^2 in the metric, so that far limbs move least"""
    for i in range(topology.shape[0]):
        c = factor * body[i, POSING]
        store3(row, i, PUSH, ZERO3)
        store6(row, i, STIFF_BLOCK, ZERO6)
        if topology[i, PATH] == PATH_BALL:
            store6(row, i, STIFF_BLOCK, (c, 0.0, c, 0.0, 0.0, c))
        elif topology[i, KIND] == HINGE or topology[i, KIND] == UNIVERSAL:
            for k in range(topology[i, DOFS]):
                row[i, STIFF_BLOCK + k] = c


# ---------------------------------------------------------------- bodies
@inline
def body_mass(topology, body, i, rot, block):
    """A = M"""
    if topology[i, BODY_KIND] == RIGID:
        rigid.mass_block(body, i, rot, block)
    else:
        particle.mass_block(body, i, block)


@kernel
def fill_mass(topology, body, rotation, block):
    for i in range(topology.shape[0]):
        body_mass(topology, body, i, load9(rotation, i, 0), block)


@inline
def body_momentum(topology, body, i, rot, v, w):
    """p = M u: (linear, spin)"""
    p = scale(body[i, MASS], v)
    if topology[i, BODY_KIND] == RIGID:
        return p, rigid.spin_momentum(body, i, rot, w)
    return p, ZERO3


@kernel
def fill_momenta(topology, body, rotation, velocity, o, momentum):
    """p = M u, into columns o to o + 5 of `momentum`"""
    for i in range(topology.shape[0]):
        v = load3(velocity, i, 0)
        p, s = body_momentum(topology, body, i, load9(rotation, i, 0), v, load3(velocity, i, 3))
        store3(momentum, i, o, p)
        store3(momentum, i, o + 3, s)


@inline
def body_spin(topology, body, i, rot, w):
    """Spin momentum L = R I R^T w and angular acceleration of free rotation, R I^-1 (L_body x w_body)"""
    if topology[i, BODY_KIND] == RIGID:
        return rigid.spin_and_turning(body, i, rot, w)
    return ZERO3, ZERO3


@inline
def body_velocity(topology, body, i, rot, p, s):
    """u = M^-1 p"""
    v = scale(body[i, INVERSE_MASS], p)
    if topology[i, BODY_KIND] == RIGID:
        return v, rigid.spin(body, i, rot, s)
    return v, ZERO3


@kernel
def fill_velocities(topology, body, rotation, momentum, o, velocity):
    """u = M^-1 p"""
    for i in range(topology.shape[0]):
        p = load3(momentum, i, o)
        v, w = body_velocity(topology, body, i, load9(rotation, i, 0), p, load3(momentum, i, o + 3))
        store3(velocity, i, 0, v)
        store3(velocity, i, 3, w)


@inline
def body_drift(topology, body, i, pose, rot, v, w, t, moser, out):
    """flow(q, M u, t): the body moves freely, its momenta those of the velocity (v, w) at `pose`."""
    if topology[i, BODY_KIND] == RIGID:
        rigid.drift(body, i, pose, rot, v, w, t, moser, out)
    else:
        particle.displace(pose, i, scale(t, v), out)


@kernel
def drift(topology, body, pose, rotation, velocity, t, moser, out):
    """flow(q, M u, t)"""
    for i in range(topology.shape[0]):
        w = load3(velocity, i, 3)
        body_drift(topology, body, i, pose, load9(rotation, i, 0), load3(velocity, i, 0), w, t, moser, out)


@inline
def body_displace(topology, i, pose, d, a, out):
    """q (+) (d, a)"""
    if topology[i, BODY_KIND] == RIGID:
        rigid.displace(pose, i, d, a, out)
    else:
        particle.displace(pose, i, d, out)


@inline
def body_nudge(topology, i, pose, d, a, out):
    """q (+) (d, a) to second order in a: for corrections, whose result is measured again"""
    if topology[i, BODY_KIND] == RIGID:
        rigid.nudge(pose, i, d, a, out)
    else:
        particle.displace(pose, i, d, out)


@kernel
def displace(topology, pose, velocity, t, out):
    """q (+) t v"""
    for i in range(topology.shape[0]):
        d = scale(t, load3(velocity, i, 0))
        body_displace(topology, i, pose, d, scale(t, load3(velocity, i, 3)), out)


@inline
def clamped(v, w, t, limit):
    """The velocity, scaled down where t |w| exceeds `limit`."""
    angle = t * norm(w)
    k = limit / angle if angle > limit else 1.0
    return scale(k, v), scale(k, w)


@inline
def body_load(body, applied, i, t, g):
    """t (m g + applied): (force, torque)"""
    f = load3(applied, i, 0)
    m = body[i, MASS]
    return scale(t, add_scaled(f, m, g)), scale(t, load3(applied, i, 3))


@kernel
def add_loads(topology, body, applied, t, g0, g1, g2, force):
    """f += t (m g + applied)"""
    for i in range(topology.shape[0]):
        f, q = body_load(body, applied, i, t, (g0, g1, g2))
        add_to3(force, i, 0, f)
        add_to3(force, i, 3, q)


@kernel
def fill_gyroscopic(topology, body, rotation, velocity, force):
    """f = -w x I w: the only place where it stands explicitly, for accelerations"""
    for i in range(topology.shape[0]):
        store3(force, i, 0, ZERO3)
        if topology[i, BODY_KIND] == RIGID:
            w = load3(velocity, i, 3)
            store3(force, i, 3, cross(rigid.spin_momentum(body, i, load9(rotation, i, 0), w), w))


@inline
def geometric_block(r, lr, f, lf, k):
    """k [(f.r) 1 - (r f^T + f r^T)/2]+ : how the torque of the joint force f at the lever r stiffens the body's
    rotation; lr = |r|, lf = |f|.

    Its eigenvalues are a = f.r along n = r x f and (a +- |f||r|)/2; the negative one is dropped in closed form:
    h (1 - s s^T - n n^T) + max(a, 0) n n^T with h = (a + |f||r|)/2 and s along f/|f| + r/|r|.
    """
    a = dot(f, r)
    size = lf * lr
    h = 0.5 * (a + size)
    if h <= 1e-9 * size:
        return ZERO6
    # |lr f + lf r|^2 = 2 |f||r| (|f||r| + f.r) = 4 |f||r| h
    s = add(scale(lr, f), scale(lf, r))
    h *= k
    e = 0.25 * k / size
    n = cross(r, f)
    n2 = dot(n, n)
    j = (k * max(a, 0.0) - h) / n2 if n2 > 1e-12 * size * size else 0.0
    return (
        h - e * s[0] * s[0] + j * n[0] * n[0],
        -e * s[1] * s[0] + j * n[1] * n[0],
        h - e * s[1] * s[1] + j * n[1] * n[1],
        -e * s[2] * s[0] + j * n[2] * n[0],
        -e * s[2] * s[1] + j * n[2] * n[1],
        h - e * s[2] * s[2] + j * n[2] * n[2],
    )


@inline
def add_geometric_at(i, r, lr, soft, f, lf, k, least, compensated, velocity, block, force):
    if k * lf * soft > least:
        g = geometric_block(r, lr, f, lf, k)
        block[i, 9] += g[0]
        block[i, 13] += g[1]
        block[i, 14] += g[2]
        block[i, 18] += g[3]
        block[i, 19] += g[4]
        block[i, 20] += g[5]
        if compensated != 0:
            add_to3(force, i, 3, sym_mul(g, load3(velocity, i, 3)))


@inline
def edge_geometric(topology, joint, i, p, wrench, k, least, compensated, velocity, edge, block, force):
    """A += k G at both ends of an edge, and f += k G u where `compensated`; G from the joint force in `wrench`.
    Left out where k G is below the share `least` of the body's inertia: without it a step becomes unstable at 4 for
    one body, at some 2 in a chain."""
    f = load3(wrench, i, WRENCH)
    lf = norm(f)
    if topology[i, BODY_KIND] == RIGID:
        lr = joint[i, REACH_CHILD]
        add_geometric_at(
            i, load3(edge, i, RC), lr, joint[i, SOFT_CHILD], f, lf, k, least, compensated, velocity, block, force
        )
    if p >= 0 and topology[p, BODY_KIND] == RIGID:
        r = load3(edge, i, RP)
        lr = norm(r) if topology[i, KIND] == SLIDER else joint[i, REACH_PARENT]
        soft = joint[i, SOFT_PARENT]
        add_geometric_at(p, r, lr, soft, (-f[0], -f[1], -f[2]), lf, k, least, compensated, velocity, block, force)


@kernel
def add_geometric(topology, joint, wrench, k, least, compensated, velocity, edge, block, force):
    for i in range(topology.shape[0]):
        if topology[i, KIND] != FREE:
            p = topology[i, PARENT]
            edge_geometric(topology, joint, i, p, wrench, k, least, compensated, velocity, edge, block, force)


# ---------------------------------------------------------------- small sums over all bodies
@inline
def body_kinetic(topology, body, i, rot, v, w):
    if topology[i, BODY_KIND] == RIGID:
        return rigid.kinetic(body, i, rot, v, w)
    return particle.kinetic(body, i, v)


@kernel
def measure_bodies(topology, body, rotation, velocity):
    """Kinetic energy and largest angular speed."""
    kinetic = 0.0
    fastest = 0.0
    for i in range(topology.shape[0]):
        w = load3(velocity, i, 3)
        kinetic += body_kinetic(topology, body, i, load9(rotation, i, 0), load3(velocity, i, 0), w)
        fastest = max(fastest, dot(w, w))
    return kinetic, fastest**0.5


@kernel
def gravitational_energy(body, pose, g):
    total = 0.0
    for i in range(pose.shape[0]):
        total -= body[i, MASS] * dot(g, load3(pose, i, 0))
    return total


@kernel
def applied_work(applied, pose, next_pose):
    """Work of the applied loads between two poses: F . (x1 - x0) + torque . log(q1 q0*)"""
    total = 0.0
    for i in range(applied.shape[0]):
        total += dot(load3(applied, i, 0), sub(load3(next_pose, i, 0), load3(pose, i, 0)))
        turn = quat.logarithm(quat.multiply(load4(next_pose, i, 3), quat.conjugate(load4(pose, i, 3))))
        total += dot(load3(applied, i, 3), turn)
    return total


@kernel
def largest_spin(velocity):
    worst = 0.0
    for i in range(velocity.shape[0]):
        w = load3(velocity, i, 3)
        w2 = dot(w, w)
        if not w2 <= worst:
            worst = w2
    return worst**0.5


@kernel
def fill_rotations(pose, rotation):
    for i in range(pose.shape[0]):
        store9(rotation, i, 0, quat.matrix(load4(pose, i, 3)))


# ---------------------------------------------------------------- sums and copies of rows
@kernel
def copy_rows(a, out):
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            out[i, k] = a[i, k]


@kernel
def clear_rows(out):
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = 0.0


@kernel
def combine(a, o, x, b, p, out, r):
    """out[:, r : r + 6] = a[:, o : o + 6] + x b[:, p : p + 6]"""
    for i in range(out.shape[0]):
        for k in range(6):
            out[i, r + k] = a[i, o + k] + x * b[i, p + k]


@kernel
def copy_scaled(a, o, x, out, r):
    """out[:, r : r + 6] = x a[:, o : o + 6]"""
    for i in range(out.shape[0]):
        for k in range(6):
            out[i, r + k] = x * a[i, o + k]
