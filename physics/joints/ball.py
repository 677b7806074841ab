"""Ball joint: two anchors coincide, rotation is free.

    C = (x_c + r_c) - (x_p + r_p)                 C' = (v_c + w_c x r_c) - (v_p + w_p x r_p)
    N = [0; 1]                                    b_acc = w_p x (w_p x r_p) - w_c x (w_c x r_c)

Spring: T = -J^-T K phi with phi the rotation vector from the rest orientation, J^-1 the inverse left Jacobian of SO(3),

    J^-1 = (phi/2) cot(phi/2) 1 - (1/2) [phi]x + (1 - (phi/2) cot(phi/2)) u u^T,          u = phi / |phi|

For equal stiffness k about all axes, T = -k phi, and the derivative of T is -k J^-1. [Hernandez11, eq. 7] has phi/(2
sin phi) (R^T + 1) instead of J^-1. That agrees across the axis u, but along it the value is phi / sin phi, where it
must be 1: the last step of the derivation divides by u x, which has no inverse along u. Only the symmetric part of the
derivative enters the system.
"""

from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Joints, SpringFlag
from physics.data.work_tables import Edges, Springs
from physics.maths import quat
from physics.maths.angle import arctangent, half_turn
from physics.maths.lanes import choose
from physics.maths.small import clamp_positive
from physics.maths.vec import (
    add, cross, dot, full, load3, load4, load6, load9, mat_add, mat_mul, mul, mul_t, norm, outer, rotate_diagonal,
    scale, skew, store3, store6, sub, sym, sym_add, transpose,
)  # fmt: skip

ROWS = 3
AXES = 3


@inline
def error(joint, i, xc, rot_c, xp, rot_p):
    """Return the error of joint i at the poses of child and parent: linear [m], and zero for the rotation."""
    rc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    rp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    return sub(add(xc, rc), add(xp, rp)), (0.0, 0.0, 0.0)


@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write the levers of joint i to `edge`. Return the error: linear [m], and zero for the rotation."""
    rc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    rp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    store3(edge, i, Edges.RC, rc)
    store3(edge, i, Edges.RP, rp)
    return sub(add(xc, rc), add(xp, rp)), (0.0, 0.0, 0.0)


@inline
def anchor_slip(rc, vc, wc, rp, vp, wp):
    """Return the velocity [m/s] of the child's anchor relative to the parent's, from levers, velocities and angular
    velocities of both."""
    return sub(add(vc, cross(wc, rc)), add(vp, cross(wp, rp)))


@inline
def slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    """Return J u of joint i as a twist, at the given poses and velocities of child and parent."""
    rc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    rp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    return anchor_slip(rc, vc, wc, rp, vp, wp), (0.0, 0.0, 0.0)


@inline
def anchor_bias(edge, i, wc, wp):
    """Return the linear part of b_acc of edge i: minus the relative acceleration of the anchors that the angular
    velocities wc and wp cause."""
    rc = load3(edge, i, Edges.RC)
    rp = load3(edge, i, Edges.RP)
    return sub(cross(wp, cross(wp, rp)), cross(wc, cross(wc, rc)))


@inline
def bias(edge, i, vc, wc, vp, wp):
    """Return b_acc = -J' u of edge i (linear, angular), with the levers in `edge`."""
    return anchor_bias(edge, i, wc, wp), (0.0, 0.0, 0.0)


@inline
def translation_rows(rows, i):
    """Write the three rows [1; 0] of two anchors that coincide to row i of `rows` (columns 0 to 17)."""
    for k in range(18):
        rows[i, k] = 0.0
    rows[i, 0] = 1.0
    rows[i, 7] = 1.0
    rows[i, 14] = 1.0


@inline
def rows(joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint rows T of joint i to row i of `rows`."""
    translation_rows(rows, i)


@inline
def turn_of(q):
    """Return (phi, e): the rotation vector phi of the quaternion q, and e = (phi/2) cot(phi/2), between 1 (no rotation)
    and 0 (half a turn)."""
    w = abs(q[0])
    a = half_turn(q[1] * q[1] + q[2] * q[2] + q[3] * q[3], w)
    f = choose(q[0] < 0.0, -2.0 * a, 2.0 * a)
    return (f * q[1], f * q[2], f * q[3]), a * w


@inline
def relative_turn(joint, i, qc, qp):
    """Return the rotation of the child from its rest orientation, as a quaternion in world axes."""
    return quat.multiply(quat.multiply(qc, load4(joint, i, Joints.REST_FRAME)), quat.conjugate(qp))


@inline
def coordinates(joint, i, qc, qp):
    """Return the rotation vector [rad] of joint i from the rest of its spring, in world axes."""
    return quat.logarithm(relative_turn(joint, i, qc, qp))


@inline
def plain_spring(joint, i, qc, qp, out):
    """Write the spring of joint i, with equal stiffness about all axes, to row i of `out`: T = -k phi, sym(J^-1) = e 1
    + (1 - e) u u^T."""
    phi, e = turn_of(relative_turn(joint, i, qc, qp))
    k = joint[i, Joints.STIFFNESS]
    c = joint[i, Joints.DAMPING]
    p2 = dot(phi, phi)
    turned = p2 > 1e-24
    o = outer(choose(turned, k * (1.0 - e), 0.0) / choose(turned, p2, 1.0), phi)
    store3(out, i, Springs.COORDINATE, phi)
    store3(out, i, Springs.TORQUE, scale(-k, phi))
    store6(out, i, Springs.K, sym_add((k * e, 0.0, k * e, 0.0, 0.0, k * e), o))
    store6(out, i, Springs.C, (c, 0.0, c, 0.0, 0.0, c))
    out[i, Springs.POTENTIAL] = 0.5 * k * p2


@inline
def spring(flags, joint, i, qc, qp, rot_c, rot_p, out):
    """Write torque on the child, stiffness and damping (packed, world axes) and energy of joint i at this pose to row i
    of `out`, with the soft limits where there are any."""
    if flags & SpringFlag.ANISOTROPIC == 0:
        plain_spring(joint, i, qc, qp, out)
    else:
        phi, e = turn_of(relative_turn(joint, i, qc, qp))
        store3(out, i, Springs.COORDINATE, phi)
        anisotropic(joint, i, e, phi, rot_p, out)
    if flags & SpringFlag.LIMITED:
        soft_limits(joint, i, rot_c, rot_p, out)


@far("ball springs", "tif39t")
def anisotropic(joint, i, e, phi, rot_p, out):
    """Write the spring of joint i, with different stiffness about the three axes of the parent's joint frame, to row i
    of `out`: T = -A^T K phi, A = J^-1.

    With e = (phi/2) cot(phi/2), s = (1 - e) / phi^2 and y = K phi:  A^T y = y + phi x y / 2 + s phi x (phi x y).
    The derivative of A^T y along phi, times A, is minus the derivative of T by a rotation of the child.
    """
    axes = mat_mul(rot_p, load9(joint, i, Joints.AXES_PARENT))
    k = full(rotate_diagonal(axes, load3(joint, i, Joints.STIFFNESS)))
    p2 = dot(phi, phi)
    if p2 < 1e-4:
        s = 1.0 / 12.0 + p2 / 720.0
        ds = 1.0 / 360.0 + p2 / 7560.0  # (ds/dphi)/phi
    else:
        # d/dphi of (phi/2) cot(phi/2) is (e - e^2 - phi^2/4) / phi
        s = (1.0 - e) / p2
        ds = (-(e - e * e - 0.25 * p2) / p2 - 2.0 * s) / p2
    px = skew(phi)
    pp = mat_mul(px, px)
    identity = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    a = mat_add(identity, mat_add(scale9(-0.5, px), scale9(s, pp)))
    y = mul(k, phi)
    z = cross(phi, y)
    zz = cross(phi, z)
    # derivative of A^T y:  K + ([phi]x K - [y]x)/2 + s (-[z]x - [phi]x [y]x + [phi]x [phi]x K) + ds zz phi^T
    yx = skew(y)
    d = mat_add(k, scale9(0.5, mat_add(mat_mul(px, k), scale9(-1.0, yx))))
    d = mat_add(d, scale9(s, mat_add(scale9(-1.0, skew(z)), mat_mul(px, mat_add(mat_mul(px, k), scale9(-1.0, yx))))))
    zp = (
        zz[0] * phi[0], zz[0] * phi[1], zz[0] * phi[2],
        zz[1] * phi[0], zz[1] * phi[1], zz[1] * phi[2],
        zz[2] * phi[0], zz[2] * phi[1], zz[2] * phi[2],
    )  # fmt: skip
    d = mat_add(d, scale9(ds, zp))
    store3(out, i, Springs.TORQUE, scale(-1.0, mul_t(a, y)))
    store6(out, i, Springs.K, clamp_positive(sym(mat_mul(d, a))))
    store6(out, i, Springs.C, rotate_diagonal(axes, load3(joint, i, Joints.DAMPING)))
    out[i, Springs.POTENTIAL] = 0.5 * dot(phi, y)
    store3(out, i, Springs.COORDINATE, mul_t(axes, phi))


@inline
def scale9(s, m):
    """Return the nine numbers m times s."""
    return s * m[0], s * m[1], s * m[2], s * m[3], s * m[4], s * m[5], s * m[6], s * m[7], s * m[8]


@far("ball springs", "ti99t")
def soft_limits(joint, i, rot_c, rot_p, out):
    """Add the torques of the soft limits of joint i to row i of `out`: one-sided springs on a cone for the z axis of
    the joint frame (swing), and on a range for the rotation about it (twist). The swing is angle(z_p, z_c), with the
    gradient n = z_p x z_c / sin; the gradient of the twist is g = (z_p + z_c) / (1 + z_p . z_c). With c = z_p . z_c and
    s = |z_p x z_c|, their second derivatives are [c (1 - n n^T) - (z_c z_p^T + z_p z_c^T)/2] / s and s (g n^T + n g^T)
    / (2 (1 + c))."""
    swing, n, twist, g = swing_and_twist(joint, i, rot_c, rot_p)
    over = swing - joint[i, Joints.UPPER]
    low = joint[i, Joints.LOWER + 2] - twist
    high = twist - joint[i, Joints.UPPER + 2]
    if max(over, max(low, high)) <= 0.0:
        return
    zc = mul(rot_c, axis_of(joint, i, Joints.AXES_CHILD))
    zp = mul(rot_p, axis_of(joint, i, Joints.AXES_PARENT))
    along = dot(zp, zc)
    s = norm(cross(zp, zc))
    if over > 0.0:
        k = joint[i, Joints.LIMIT_STIFFNESS]
        one_sided(out, i, k, joint[i, Joints.LIMIT_DAMPING], over, n)
        if s > 1e-9:
            x = k * over / s
            add_symmetric(out, i, sym_add(sym_add(alike(x * along), outer(-x * along, n)), both(-x, zc, zp)))
    k = joint[i, Joints.LIMIT_STIFFNESS + 2]
    c = joint[i, Joints.LIMIT_DAMPING + 2]
    if high > 0.0:
        one_sided(out, i, k, c, high, g)
    elif low > 0.0:
        one_sided(out, i, k, c, low, scale(-1.0, g))
    if 1.0 + along > 1e-6:
        beyond = max(high, 0.0) - max(low, 0.0)
        add_symmetric(out, i, both(k * beyond * s / (1.0 + along), g, n))
    store6(out, i, Springs.K, clamp_positive(load6(out, i, Springs.K)))


@inline
def both(k, a, b):
    """Return k (a b^T + b a^T) / 2 as a packed 3x3 matrix."""
    h = 0.5 * k
    return (
        k * a[0] * b[0], h * (a[1] * b[0] + a[0] * b[1]), k * a[1] * b[1],
        h * (a[2] * b[0] + a[0] * b[2]), h * (a[2] * b[1] + a[1] * b[2]), k * a[2] * b[2],
    )  # fmt: skip


@inline
def alike(k):
    """Return k times the unit matrix, packed."""
    return k, 0.0, k, 0.0, 0.0, k


@inline
def add_symmetric(out, i, k):
    """Add the packed 3x3 matrix k to the stiffness in row i of `out`."""
    store6(out, i, Springs.K, sym_add(load6(out, i, Springs.K), k))


@kernel
def swing_and_twist(joint, i, rot_c, rot_p):
    """Return (swing, n, twist, g) of joint i: the angles [rad] with their gradients n and g. A gradient is zero where
    its angle has none: n at a swing of zero or half a turn, g at half a turn, where the twist is undefined."""
    fc = mat_mul(rot_c, load9(joint, i, Joints.AXES_CHILD))
    fp = mat_mul(rot_p, load9(joint, i, Joints.AXES_PARENT))
    zc = (fc[2], fc[5], fc[8])
    zp = (fp[2], fp[5], fp[8])
    n = cross(zp, zc)
    s = norm(n)
    along = dot(zp, zc)
    n = scale(1.0 / s if s > 1e-9 else 0.0, n)
    # twist: the x axis of the parent carried by the shortest swing, compared with the child's
    g = scale(1.0 / (1.0 + along) if 1.0 + along > 1e-6 else 0.0, add(zp, zc))
    r = mat_mul(transpose(fp), fc)
    twist = arctangent(r[3] - r[1], r[0] + r[4]) if 1.0 + along > 1e-6 else 0.0
    return arctangent(s, along), n, twist, g


@inline
def swing(joint, i, rot_c, rot_p):
    """Return the swing [rad] of joint i and its gradient n, which is zero at a swing of zero or half a turn."""
    zc = mul(rot_c, axis_of(joint, i, Joints.AXES_CHILD))
    zp = mul(rot_p, axis_of(joint, i, Joints.AXES_PARENT))
    n = cross(zp, zc)
    s = norm(n)
    return arctangent(s, dot(zp, zc)), scale(1.0 / s if s > 1e-9 else 0.0, n)


@inline
def axis_of(joint, i, o):
    """Return the third column of the 3x3 matrix at column o of row i of `joint`."""
    return joint[i, o + 2], joint[i, o + 5], joint[i, o + 8]


@kernel
def swing_bias(joint, i, rot_c, rot_p, wc, wp):
    """Return -n' . w and -g' . w with w = wc - wp, the relative angular velocity: minus the changes of the rates of
    swing and twist at zero relative acceleration."""
    zc = mul(rot_c, axis_of(joint, i, Joints.AXES_CHILD))
    zp = mul(rot_p, axis_of(joint, i, Joints.AXES_PARENT))
    dc = cross(wc, zc)
    dp = cross(wp, zp)
    w = sub(wc, wp)
    n = cross(zp, zc)
    s = norm(n)
    along = dot(zp, zc)
    change = add(cross(dp, zc), cross(zp, dc))
    turning = 0.0
    if s > 1e-9:
        # (n / s)' = n' / s - n s' / s^2,  s' = along (n . w) / s
        turning = (dot(change, w) - dot(n, w) * dot(n, w) * along / (s * s)) / s
    m = 1.0 + along
    twisting = 0.0
    if m > 1e-6:
        rate = dot(dp, zc) + dot(zp, dc)
        twisting = (dot(add(dp, dc), w) - dot(add(zp, zc), w) * rate / m) / m
    return -turning, -twisting


@inline
def one_sided(out, i, k, c, over, n):
    """Add a spring with stiffness k and damping c, at `over` [rad] beyond its limit along the gradient n, to row i of
    `out`."""
    for r in range(3):
        out[i, Springs.TORQUE + r] -= k * over * n[r]
    kk = outer(k, n)
    cc = outer(c, n)
    for r in range(6):
        out[i, Springs.K + r] += kk[r]
        out[i, Springs.C + r] += cc[r]
    out[i, Springs.POTENTIAL] += 0.5 * k * over * over
