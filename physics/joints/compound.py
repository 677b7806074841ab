"""Compound joint: up to three screws in series; each rotates about one axis and slides along it.

A hinge only rotates (slide 0, turn 1), a slider only slides (1, 0), a screw of pitch p does both (p / 2 pi, 1). The
cylindrical joint (slider and hinge on one axis), the planar joint (two sliders, a hinge) and the screw consist of them.

    F_c = F_p E_1(q_1) E_2(q_2) E_3(q_3)          F: joint frames on parent and child, E_k: the motion of axis k
    N_k = [s a + t a x (X - o);  t a]             direction a and point o of axis k, moved by the axes before it
    C   = [X_c - X;  log(R_c R^T)]                X, R: place and rotation of the child's joint frame by coordinates q

The anchor is X, the origin of the child's joint frame, to which both levers lead. The coordinates are those whose pose
is nearest to the given one: N^T C = 0, with lengths in metres and angles in radians. Gauss-Newton steps find them from
the coordinates of the last accepted pose. A step that does not reduce the error is damped. Turns are therefore counted,
and a joint that can reach a pose in two ways keeps its present one. Where the axes become dependent (three hinges whose
first and third align: gimbal lock), the last is tilted by 1e-7, so that nothing is divided by zero. The armature then
holds the lost direction; a joint of three axes always has at least a small armature (`build.py`).

With axis k fixed in a frame that moves like the parent and the axes before k (angular velocity w_k, twist y_k at X):

    b_acc = [w_p x (X' - v_p) - w_c x (w_c x r_c);  0]
            + sum q_k' [s a' + t (a' x r + a x (X' - v_k + w_k x r));  t a'],   a' = w_k x a,  r = X - o
"""

import math

from physics.compiler.jit import inline, kernel
from physics.data.model_tables import Joints, SeriesAxis
from physics.data.state_tables import Memory
from physics.data.work_tables import Edges, Springs
from physics.joints import axes, hinge, slider
from physics.maths.elementary import sine_and_cosine
from physics.maths.inverse import definite_inverse
from physics.maths.vec import (
    IDENTITY9, ZERO3, add, add_scaled, cross, load3, load9, mat_mul, mul, mul_t, scale, store3, sub, sym_mul, transpose,
)  # fmt: skip

MOST_STEPS = 40
# Gauss-Newton is done when a step is below this (times 1 + |q|): what is left is less by the share that a step gains.
SMALL = 1e-12
FARTHEST = 0.7  # rad a step
NO_DAMPING = 1e-14  # of the diagonal: keeps the matrix definite where axes depend on each other
FIRST_DAMPING = 1e-3
# The least share of its length by which the last axis differs from those before it. Its square must be above rounding.
TILT = 1e-7


# ---------------------------------------------------------------- from coordinates to the pose
@inline
def carry(joint, i, k, q, rot, p):
    """Return (a, o, rot', p'): direction and point of axis k in the frame (rot, p) of the axes before it, and that
    frame moved along the axis by the coordinate q."""
    o = Joints.SERIES + SeriesAxis.WIDTH * k
    a = mul(rot, load3(joint, i, o))
    at = add(p, mul(rot, load3(joint, i, o + 3)))
    angle = q * joint[i, o + SeriesAxis.TURN]
    s, c = sine_and_cosine(angle)
    turn = rotation(a, c, s)
    p = add(add(at, mul(turn, sub(p, at))), scale(q * joint[i, o + SeriesAxis.SLIDE], a))
    return a, at, mat_mul(turn, rot), p


@inline
def rotation(a, c, s):
    """Return the matrix of a rotation about the unit vector a, c 1 + s [a]x + (1 - c) a a^T; c and s are cosine and
    sine of the angle."""
    k = 1.0 - c
    x, y, z = a
    return (
        c + k * x * x, k * x * y - s * z, k * x * z + s * y,
        k * x * y + s * z, c + k * y * y, k * y * z - s * x,
        k * x * z - s * y, k * y * z + s * x, c + k * z * z,
    )  # fmt: skip


@inline
def twist(joint, i, k, a, at, x):
    """Return N of axis k at the point x, as a twist; `a` is its direction and `at` a point on it."""
    o = Joints.SERIES + SeriesAxis.WIDTH * k
    t = joint[i, o + SeriesAxis.TURN]
    return add_scaled(scale(joint[i, o + SeriesAxis.SLIDE], a), t, cross(a, sub(x, at))), scale(t, a)


@kernel
def place(joint, i, q0, q1, q2, turn, shift):
    """Return the error of the coordinates (q0, q1, q2) at the relative pose (turn, shift), the origin of the child's
    joint frame that these coordinates give, and the three axes there. All are in axes of the parent's joint frame."""
    count = joint[i, Joints.SERIES_COUNT]
    a0, o0, rot, p = carry(joint, i, 0, q0, IDENTITY9, ZERO3)
    a1 = o1 = a2 = o2 = ZERO3
    if count > 1.0:
        a1, o1, rot, p = carry(joint, i, 1, q1, rot, p)
    if count > 2.0:
        a2, o2, rot, p = carry(joint, i, 2, q2, rot, p)
    v0, w0 = twist(joint, i, 0, a0, o0, p)
    v1 = w1 = v2 = w2 = ZERO3
    if count > 1.0:
        v1, w1 = twist(joint, i, 1, a1, o1, p)
    if count > 2.0:
        v2, w2 = twist(joint, i, 2, a2, o2, p)
    return sub(shift, p), slider.turn_vector(mat_mul(turn, transpose(rot))), p, v0, w0, v1, w1, v2, w2


@inline
def gauss_newton(joint, i, damping, lin, ang, v0, w0, v1, w1, v2, w2):
    """Return the step (N^T N + damping)^-1 N^T C of the three coordinates; it is shortened so that no axis rotates
    farther than FARTHEST."""
    count = joint[i, Joints.SERIES_COUNT]
    k = 1.0 + damping
    g11 = k * axes.product(v1, w1, v1, w1) if count > 1.0 else 1.0
    g22 = k * axes.product(v2, w2, v2, w2) if count > 2.0 else 1.0
    inverse = definite_inverse((
        k * axes.product(v0, w0, v0, w0),
        axes.product(v0, w0, v1, w1), g11,
        axes.product(v0, w0, v2, w2), axes.product(v1, w1, v2, w2), g22,
    ))  # fmt: skip
    right = (axes.product(v0, w0, lin, ang), axes.product(v1, w1, lin, ang), axes.product(v2, w2, lin, ang))
    d0, d1, d2 = sym_mul(inverse, right)
    turned = max(
        abs(d0) * joint[i, Joints.SERIES + SeriesAxis.TURN],
        max(
            abs(d1) * joint[i, Joints.SERIES + SeriesAxis.WIDTH + SeriesAxis.TURN],
            abs(d2) * joint[i, Joints.SERIES + 2 * SeriesAxis.WIDTH + SeriesAxis.TURN],
        ),
    )
    if turned > FARTHEST:
        k = FARTHEST / turned
        d0 *= k
        d1 *= k
        d2 *= k
    return d0, d1, d2


@kernel
def solve(joint, memory, i, turn, shift):
    """Return the coordinates nearest to the relative pose (turn, shift), found from those in State.memory, and then the
    results of `place` for them."""
    q0, q1, q2 = load3(memory, i, Memory.COUNTED)
    lin, ang, p, v0, w0, v1, w1, v2, w2 = place(joint, i, q0, q1, q2, turn, shift)
    size = axes.product(lin, ang, lin, ang)
    damping = NO_DAMPING
    for _ in range(MOST_STEPS):
        d0, d1, d2 = gauss_newton(joint, i, damping, lin, ang, v0, w0, v1, w1, v2, w2)
        step = max(abs(d0), max(abs(d1), abs(d2)))
        done = step <= SMALL * (1.0 + max(abs(q0), max(abs(q1), abs(q2))))
        t = place(joint, i, q0 + d0, q1 + d1, q2 + d2, turn, shift)
        tried = axes.product(t[0], t[1], t[0], t[1])
        if tried <= size or step < 1e-8:
            q0 += d0
            q1 += d1
            q2 += d2
            lin, ang, p, v0, w0, v1, w1, v2, w2 = t
            size = tried
            damping = max(0.1 * damping, NO_DAMPING)
            if done:
                break
        else:
            damping = max(10.0 * damping, FIRST_DAMPING)
    return (q0, q1, q2), lin, ang, p, v0, w0, v1, w1, v2, w2


@inline
def relative(joint, i, xc, rot_c, xp, rot_p):
    """Return the levers of both joint frames, the axes of the parent's joint frame, and the pose (turn, shift) of the
    child's joint frame in the parent's."""
    rc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    rp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    fp = mat_mul(rot_p, load9(joint, i, Joints.AXES_PARENT))
    fc = mat_mul(rot_c, load9(joint, i, Joints.AXES_CHILD))
    return rc, rp, fp, mat_mul(transpose(fp), fc), mul_t(fp, sub(add(xc, rc), add(xp, rp)))


# ---------------------------------------------------------------- what a kind offers
@kernel
def frame(joint, memory, i, xc, rot_c, xp, rot_p, edge):
    """Write levers and axes of joint i to `edge`. Return the error, linear [m] and angular [rad]."""
    rc, rp, fp, turn, shift = relative(joint, i, xc, rot_c, xp, rot_p)
    _, lin, ang, p, v0, w0, v1, w1, v2, w2 = solve(joint, memory, i, turn, shift)
    store3(edge, i, Edges.RC, rc)
    store3(edge, i, Edges.RP, add(rp, mul(fp, p)))
    store3(edge, i, Edges.AXIS, mul(fp, v0))
    store3(edge, i, Edges.AXIS + 3, mul(fp, w0))
    store3(edge, i, Edges.AXIS + 6, mul(fp, v1))
    store3(edge, i, Edges.AXIS + 9, mul(fp, w1))
    if joint[i, Joints.SERIES_COUNT] > 2.0:
        v2, w2 = tilted(v0, w0, v1, w1, v2, w2)
    store3(edge, i, Edges.AXIS + 12, mul(fp, v2))
    store3(edge, i, Edges.AXIS + 15, mul(fp, w2))
    return mul(fp, lin), mul(fp, ang)


@inline
def tilted(v0, w0, v1, w1, v2, w2):
    """Return the last of three axes. If it depends on the two others, it is tilted towards the unit twist that is
    farthest from both."""
    size = axes.product(v2, w2, v2, w2)
    v1, w1 = axes.less(v1, w1, v0, w0)
    left = axes.less(v2, w2, v0, w0)
    left = axes.less(left[0], left[1], v1, w1)
    if axes.product(left[0], left[1], left[0], left[1]) < TILT * TILT * size:
        best = -1.0
        ev = ew = ZERO3
        for k in range(6):
            uv = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            uw = (1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0)
            uv, uw = axes.less(uv, uw, v0, w0)
            uv, uw = axes.less(uv, uw, v1, w1)
            far = axes.product(uv, uw, uv, uw)
            # turns come first where they are as far: there a lost direction is one
            if far > best or (k >= 3 and far > 0.9 * best):
                best = far
                ev = uv
                ew = uw
        k = TILT * math.sqrt(size / best)
        v2 = add_scaled(v2, k, ev)
        w2 = add_scaled(w2, k, ew)
    return v2, w2


@kernel
def bias(joint, edge, i, vc, wc, vp, wp):
    """Return b_acc = -J' u of edge i (linear, angular), with the axes in `edge`."""
    rc = load3(edge, i, Edges.RC)
    anchor = add(vc, cross(wc, rc))  # X'
    v = add(vp, cross(wp, load3(edge, i, Edges.RP)))  # twist at X of the frame that the next axis is fixed in
    w = wp
    count = int(joint[i, Joints.SERIES_COUNT])
    q0, q1, q2 = axes.rates(count, edge, i, sub(anchor, v), sub(wc, wp))
    lin = sub(cross(wp, sub(anchor, vp)), cross(wc, cross(wc, rc)))
    ang = ZERO3
    for k in range(count):
        q = q0 if k == 0 else q1 if k == 1 else q2
        nv, nw = axes.load_axis(edge, i, k)
        o = Joints.SERIES + SeriesAxis.WIDTH * k
        if joint[i, o + SeriesAxis.TURN] != 0.0:
            r = cross(nv, nw)
            turning = cross(w, nw)
            swept = add(cross(turning, r), cross(nw, add(sub(anchor, v), cross(w, r))))
            lin = add_scaled(lin, q, add_scaled(swept, joint[i, o + SeriesAxis.SLIDE], turning))
            ang = add_scaled(ang, q, turning)
        else:
            lin = add_scaled(lin, q, cross(w, nv))
        v = add_scaled(v, q, nv)
        w = add_scaled(w, q, nw)
    return lin, ang


@kernel
def rows(joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint rows T of joint i to `rows`: an orthonormal basis of the complement of N, by Gram-Schmidt
    from the unit twists that are farthest from N. The orthonormal axes are stored after the rows."""
    count = int(joint[i, Joints.SERIES_COUNT])
    for k in range(count):
        nv, nw = axes.load_axis(edge, i, k)
        put(rows, i, 6 - count, 6 - count + k, nv, nw)
    for r in range(6 - count):
        best = -1.0
        which = 0
        for k in range(6):
            left = 1.0
            for c in range(6 - count, 6):
                left -= rows[i, 6 * c + k] * rows[i, 6 * c + k]
            for c in range(r):
                left -= rows[i, 6 * c + k] * rows[i, 6 * c + k]
            if left > best + 1e-9:
                best = left
                which = k
        ev = (1.0 if which == 0 else 0.0, 1.0 if which == 1 else 0.0, 1.0 if which == 2 else 0.0)
        ew = (1.0 if which == 3 else 0.0, 1.0 if which == 4 else 0.0, 1.0 if which == 5 else 0.0)
        put(rows, i, 6 - count, r, ev, ew)


@inline
def put(rows, i, first, at, v, w):
    """Write the twist (v, w) to `rows` as row `at` of edge i. First make it perpendicular to the axes from place
    `first` on and to the rows before `at`, and scale it to unit length. The projection is done twice, which makes it
    exact to rounding."""
    for _ in range(2):
        for c in range(first, 6 if at < first else at):
            v, w = axes.less(v, w, load3(rows, i, 6 * c), load3(rows, i, 6 * c + 3))
        if at < first:
            for c in range(at):
                v, w = axes.less(v, w, load3(rows, i, 6 * c), load3(rows, i, 6 * c + 3))
    k = 1.0 / math.sqrt(axes.product(v, w, v, w))
    store3(rows, i, 6 * at, scale(k, v))
    store3(rows, i, 6 * at + 3, scale(k, w))


@kernel
def coordinates(joint, memory, i, xc, rot_c, xp, rot_p):
    """Return the three joint coordinates of joint i [rad or m], by Gauss-Newton steps from those in State.memory."""
    _, _, _, turn, shift = relative(joint, i, xc, rot_c, xp, rot_p)
    return solve(joint, memory, i, turn, shift)[0]


@kernel
def spring(flags, joint, memory, i, xc, rot_c, xp, rot_p, out):
    """Write coordinates, torques, stiffness, damping and energy of the springs of joint i to row i of `out`."""
    q = coordinates(joint, memory, i, xc, rot_c, xp, rot_p)
    u = 0.0
    for k in range(int(joint[i, Joints.SERIES_COUNT])):
        u += hinge.axis_spring(flags, joint, i, k, q[0] if k == 0 else q[1] if k == 1 else q[2], out)
    out[i, Springs.POTENTIAL] = u


@kernel
def remember(joint, memory, i, xc, rot_c, xp, rot_p):
    """Write the joint coordinates of joint i at the accepted pose to Memory.COUNTED."""
    store3(memory, i, Memory.COUNTED, coordinates(joint, memory, i, xc, rot_c, xp, rot_p))
