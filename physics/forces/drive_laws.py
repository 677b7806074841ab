"""The laws of drives at a pose: T and K of each drive, its rate v, and its effort within the limits.

Row r of State.drive and Work.drive belongs to drive r. Vectors are in world axes.
"""

from physics.bodies import scales
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Topology
from physics.data.state_tables import DriveGiven, DriveKind, Drives, PoseColumn
from physics.data.work_tables import DriveWork, Edges
from physics.definitions.prescribed import by_quaternion, by_vector, four, three
from physics.edges import edge_ends, edges, joint_springs
from physics.joints import axes, ball
from physics.maths import quat
from physics.maths.vec import (
    ZERO3, ZERO6, add, add_scaled, cross, dot, load3, load4, load6, load9, mul, negative, norm, outer, scale,
    store3, store6, sub, sym_add, sym_mul,
)  # fmt: skip

HARD = 1e5  # gain to a velocity that has none, of the limit: off by 1e-5 rad/s where the load jumps by the limit


# ---------------------------------------------------------------- the law at a pose
@far("drives", "mswtt")
def measure_all(m, s, w, pose, rotation):
    """Write T and K of every drive that is on to Work.drive, at `pose` (n, place) with its matrices in `rotation` (n,
    9)."""
    if pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, pose)
    for r in range(w.drive.shape[0]):
        if s.drive[r, Drives.ON] == 0.0:
            continue
        kind = s.drive[r, Drives.KIND]
        if kind == DriveKind.AXIS:
            measure_axis(m, s, w, r, pose, rotation)
        elif kind == DriveKind.BALL:
            measure_ball(m, s, w, r, pose, rotation)
        elif kind == DriveKind.POINT:
            measure_point(s, w, r, pose, rotation)
        else:
            measure_turn(s, w, r, pose)


@inline
def is_hard(s, r):
    """Return whether drive r of a joint holds a velocity without a gain, as far as its limits allow."""
    prescribed = s.drive[r, Drives.SIGNAL] >= 0.0 and s.drive[r, Drives.GIVEN] == DriveGiven.SPEED
    limited = s.drive[r, Drives.HIGH] - s.drive[r, Drives.LOW] < 1e300
    return prescribed and limited and s.drive[r, Drives.DAMPING] == 0.0


@inline
def damping_of(s, r):
    """Return the damping c of drive r of a joint; of a hard drive, its gain."""
    if is_hard(s, r):
        return HARD * max(s.drive[r, Drives.HIGH], -s.drive[r, Drives.LOW])
    return s.drive[r, Drives.DAMPING]


@kernel
def measure_axis(m, s, w, r, pose, rotation):
    """Write T = k (q* - q) + c q*' + f* and K = k of drive r, on an axis of a joint, to Work.drive."""
    k = s.drive[r, Drives.STIFFNESS]
    free = s.drive[r, Drives.HELD] if is_hard(s, r) else 0.0
    at = int(s.drive[r, Drives.SIGNAL])
    if at >= 0:
        c = damping_of(s, r)
        if s.drive[r, Drives.GIVEN] == DriveGiven.SPEED:
            free += c * w.signal[at, 0]
        else:
            e = int(s.drive[r, Drives.PLACE])
            t, j, child = edge_ends.row_of(m, e)
            q = edges.edge_coordinates(m, s, w, t, j, e, child, pose, rotation)
            free = k * (w.signal[at, 0] - pick(q, int(s.drive[r, Drives.AXIS]))) + c * w.signal[at, 1]
    at = int(s.drive[r, Drives.EFFORT])
    if at >= 0:
        free += w.signal[at, 0]
    store3(w.drive, r, DriveWork.ASKED_FREE, (free, 0.0, 0.0))
    store6(w.drive, r, DriveWork.ASKED_K, (k, 0.0, 0.0, 0.0, 0.0, 0.0))


@inline
def pick(q, c):
    """Return number c of the triple q."""
    return q[0] if c == 0 else q[1] if c == 1 else q[2]


@kernel
def measure_ball(m, s, w, r, pose, rotation):
    """Write T = -k phi + c w* + f* on the child, and K, of drive r on a ball joint to Work.drive. phi is the rotation
    vector from the target to the pose, in world axes. Targets are given for b relative to a. If the child is a, the
    opposite rotation, in the child's axes, is used."""
    e = int(s.drive[r, Drives.PLACE])
    t, j, child = edge_ends.row_of(m, e)
    qc = load4(pose, child, 3)
    qp = edge_ends.parent_quaternion(w, t[j, Topology.PARENT], pose)
    since = quat.multiply(qc, load4(s.drive, r, Drives.TURN))  # turn of the child since it was drawn
    carried = quat.multiply(qp, quat.conjugate(load4(s.drive, r, Drives.BASE)))  # and of the parent
    sign = s.drive[r, Drives.SIGN]
    own = since if sign < 0.0 else carried  # of a
    at = int(s.drive[r, Drives.SIGNAL])
    free = load3(s.drive, r, Drives.HELD) if is_hard(s, r) else ZERO3
    stiff = ZERO6
    fixed = ZERO3  # in a
    fixed_in_parent = ZERO3
    if at >= 0 and s.drive[r, Drives.GIVEN] == DriveGiven.SPEED:
        fixed = quat.rotate(own, scale(sign * damping_of(s, r), three(w.signal, at, 0)))
    elif at >= 0:
        if s.drive[r, Drives.GIVEN] == DriveGiven.TURN:
            turn, rate, _ = by_quaternion(four(w.signal, at, 0), four(w.signal, at, 1), four(w.signal, at, 2))
        else:
            turn, rate, _ = by_vector(three(w.signal, at, 0), three(w.signal, at, 1), three(w.signal, at, 2))
        if sign < 0.0:
            turn = quat.conjugate(turn)
            rate = quat.rotate(turn, negative(rate))
        goal = quat.multiply(carried, turn)
        free, stiff = turn_law(s, r, quat.multiply(since, quat.conjugate(goal)))
        fixed_in_parent = scale(s.drive[r, Drives.DAMPING], quat.rotate(carried, rate))
    at = int(s.drive[r, Drives.EFFORT])
    if at >= 0:
        fixed = add(fixed, quat.rotate(own, scale(sign, three(w.signal, at, 0))))
    store3(w.drive, r, DriveWork.ASKED_FREE, add(free, add(fixed, fixed_in_parent)))
    store6(w.drive, r, DriveWork.ASKED_K, stiff)
    store3(w.drive, r, DriveWork.ASKED_OF_CHILD, fixed if sign < 0.0 else ZERO3)
    store3(w.drive, r, DriveWork.ASKED_OF_PARENT, fixed_in_parent if sign < 0.0 else add(fixed, fixed_in_parent))


@inline
def turn_law(s, r, off):
    """Return the torque -k phi and its stiffness k (e 1 + (1 - e) u u^T), packed, as for a ball joint's spring. phi is
    the rotation vector of the quaternion `off`, and k the stiffness of drive r."""
    k = s.drive[r, Drives.STIFFNESS]
    phi, e = ball.turn_of(off)
    p2 = dot(phi, phi)
    along = outer(k * (1.0 - e) / p2, phi) if p2 > 1e-24 else ZERO6
    return scale(-k, phi), sym_add((k * e, 0.0, k * e, 0.0, 0.0, k * e), along)


@kernel
def measure_point(s, w, r, pose, rotation):
    """Write F = -k (p - p*) + c p*' and K = k 1 of drive r, on a point of a body, to Work.drive."""
    b = int(s.drive[r, Drives.PLACE])
    p = int(s.drive[r, Drives.AXIS])
    x, rot = edge_ends.parent_pose(w, p, pose, rotation)
    v, a = edge_ends.parent_velocity(w, p, w.velocity)
    target = mul(rot, load3(s.drive, r, Drives.TARGET))
    lever = mul(load9(rotation, b, 0), load3(s.drive, r, Drives.POINT))
    off = sub(add(load3(pose, b, 0), lever), add(x, target))
    k = s.drive[r, Drives.STIFFNESS]
    rate = add(v, cross(a, target))
    store3(w.drive, r, DriveWork.ASKED_FREE, add_scaled(scale(-k, off), s.drive[r, Drives.DAMPING], rate))
    store6(w.drive, r, DriveWork.ASKED_K, (k, 0.0, k, 0.0, 0.0, k))


@kernel
def measure_turn(s, w, r, pose):
    """Write T = -k phi + c w* and K of drive r, on the orientation of a body, to Work.drive."""
    b = int(s.drive[r, Drives.PLACE])
    p = int(s.drive[r, Drives.AXIS])
    goal = quat.multiply(edge_ends.parent_quaternion(w, p, pose), load4(s.drive, r, Drives.TURN))
    free, stiff = turn_law(s, r, quat.multiply(load4(pose, b, 3), quat.conjugate(goal)))
    _, a = edge_ends.parent_velocity(w, p, w.velocity)
    rate = scale(s.drive[r, Drives.DAMPING], a)
    store3(w.drive, r, DriveWork.ASKED_FREE, add(free, rate))
    store6(w.drive, r, DriveWork.ASKED_K, stiff)
    store3(w.drive, r, DriveWork.ASKED_OF_CHILD, ZERO3)
    store3(w.drive, r, DriveWork.ASKED_OF_PARENT, rate)


@far("drives", "mswft")
def turn_all(m, s, w, t, velocity):
    """Add t (w_c + w_p)/2 x T to T in Work.drive, as for a ball's spring (joint_springs.turn_torque), at the predicted
    `velocity`. The parts of T that are fixed in one of the bodies turn with that body alone."""
    for r in range(w.drive.shape[0]):
        kind = s.drive[r, Drives.KIND]
        if s.drive[r, Drives.ON] == 0.0 or (kind != DriveKind.BALL and kind != DriveKind.TURN):
            continue
        child = int(s.drive[r, Drives.PLACE])
        of_parent = ZERO3
        if kind == DriveKind.BALL:
            table, j, child = edge_ends.row_of(m, child)
            of_parent = joint_springs.spin_of_parent(table[j, Topology.PARENT], velocity)
        of_child = load3(velocity, child, 3)
        free = load3(w.drive, r, DriveWork.ASKED_FREE)
        own = load3(w.drive, r, DriveWork.ASKED_OF_CHILD)
        in_parent = load3(w.drive, r, DriveWork.ASKED_OF_PARENT)
        both = joint_springs.predicted_turn(0.5 * t, add(of_child, of_parent))
        change = cross(both, sub(free, add(own, in_parent)))
        change = add(change, cross(joint_springs.predicted_turn(t, of_child), own))
        change = add(change, cross(joint_springs.predicted_turn(t, of_parent), in_parent))
        store3(w.drive, r, DriveWork.ASKED_FREE, add(free, change))


# ---------------------------------------------------------------- rates
@kernel
def rate_of(m, s, w, r, velocity, prescribed):
    """Return the rate v of drive r at `velocity` and the filled pose. The rate of a joint is relative to its parent; a
    parent in prescribed motion counts as at rest unless `prescribed`. The rate of a body is absolute."""
    place = int(s.drive[r, Drives.PLACE])
    kind = s.drive[r, Drives.KIND]
    if kind == DriveKind.POINT:
        return add(load3(velocity, place, 0), cross(load3(velocity, place, 3), load3(w.drive, r, DriveWork.LEVER)))
    if kind != DriveKind.AXIS and kind != DriveKind.BALL:
        return load3(velocity, place, 3)
    t, j, child = edge_ends.row_of(m, place)
    p = t[j, Topology.PARENT]
    vp, wp = edge_ends.parent_velocity(w, p, velocity)
    if p < -1 and not prescribed:
        vp = ZERO3
        wp = ZERO3
    wc = load3(velocity, child, 3)
    if kind == DriveKind.BALL:
        return sub(wc, wp)
    lin = ball.anchor_slip(
        load3(w.edge, place, Edges.RC), load3(velocity, child, 0), wc, load3(w.edge, place, Edges.RP), vp, wp
    )
    if velocity.shape[1] > PoseColumn.RATES:
        lin = add(lin, scales.anchor_slip(m, place, child, p, w.rotation, velocity))
    q = axes.rates(t[j, Topology.DOFS], w.edge, place, lin, sub(wc, wp))
    return pick(q, int(s.drive[r, Drives.AXIS])), 0.0, 0.0


@kernel
def rate_of_frame(m, s, w, r):
    """Return the rate of a parent in prescribed motion along the coordinates that drive r drives; 0 for a drive of a
    body, whose rate is absolute."""
    kind = s.drive[r, Drives.KIND]
    if kind != DriveKind.AXIS and kind != DriveKind.BALL:
        return ZERO3
    place = int(s.drive[r, Drives.PLACE])
    t, j, _ = edge_ends.row_of(m, place)
    p = t[j, Topology.PARENT]
    if p >= -1:
        return ZERO3
    v, a = edge_ends.parent_velocity(w, p, w.velocity)
    if kind == DriveKind.BALL:
        return a
    lin = add(v, cross(a, load3(w.edge, place, Edges.RP)))
    return pick(axes.rates(t[j, Topology.DOFS], w.edge, place, lin, a), int(s.drive[r, Drives.AXIS])), 0.0, 0.0


# ---------------------------------------------------------------- limits
@inline
def clipped(s, r, z):
    """Return the effort within the limits of drive r that is nearest to z, and a measure of the excess. On an axis the
    measure is 1 above the upper limit and -1 below the lower one. For a vector it is z divided by the limit. Within the
    limits it is 0."""
    high = s.drive[r, Drives.HIGH]
    if s.drive[r, Drives.KIND] == DriveKind.AXIS:
        if z[0] > high:
            return (high, 0.0, 0.0), (1.0, 0.0, 0.0)
        if z[0] < s.drive[r, Drives.LOW]:
            return (s.drive[r, Drives.LOW], 0.0, 0.0), (-1.0, 0.0, 0.0)
        return z, ZERO3
    size = norm(z)
    if size > high:
        return scale(high / size, z), scale(1.0 / high, z)
    return z, ZERO3


@kernel
def linear_law(s, w, r, t):
    """Return (D / t, d / t) of drive r for a stage of t seconds: the tangent of its law at the last solution. D is
    packed 3x3."""
    free = load3(w.drive, r, DriveWork.ASKED_FREE)
    g = gain(s, w, r, t)
    over = load3(w.drive, r, DriveWork.CLIPPED)
    if s.drive[r, Drives.KIND] == DriveKind.AXIS:
        if over[0] != 0.0:
            return ZERO6, (s.drive[r, Drives.HIGH] if over[0] > 0.0 else s.drive[r, Drives.LOW], 0.0, 0.0)
        return g, free
    size = norm(over)
    if size == 0.0:
        return g, free
    n = scale(1.0 / size, over)
    # P G P = G - n (G n)^T - (G n) n^T + (n . G n) n n^T
    gn = sym_mul(g, n)
    flat = sym_add(g, outer(dot(n, gn), n))
    flat = (
        flat[0] - 2.0 * n[0] * gn[0], flat[1] - n[1] * gn[0] - n[0] * gn[1], flat[2] - 2.0 * n[1] * gn[1],
        flat[3] - n[2] * gn[0] - n[0] * gn[2], flat[4] - n[2] * gn[1] - n[1] * gn[2], flat[5] - 2.0 * n[2] * gn[2],
    )  # fmt: skip
    k = 1.0 / size
    d = (k * flat[0], k * flat[1], k * flat[2], k * flat[3], k * flat[4], k * flat[5])
    return d, add_scaled(sym_mul(d, load3(w.drive, r, DriveWork.SOLVED)), s.drive[r, Drives.HIGH], n)


@inline
def gain(s, w, r, t):
    """Return G = C + t K of drive r, packed 3x3; of an axis in its first number."""
    c = damping_of(s, r) if s.drive[r, Drives.SIGNAL] >= 0.0 or s.drive[r, Drives.KIND] >= DriveKind.POINT else 0.0
    k = load6(w.drive, r, DriveWork.ASKED_K)
    return c + t * k[0], t * k[1], c + t * k[2], t * k[3], t * k[4], c + t * k[5]
