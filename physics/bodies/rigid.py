"""Rigid body: its velocity (v, w) has dimension 6. It has the mass m, and the principal inertia I in the body frame.

    M = [[m 1, 0], [0, R I R^T]],   momentum (m v, L),  L = R I R^T w

The free drift over the time t keeps the momentum constant. It has no explicit gyroscopic term, because such a term
would add energy. Below, Pi is R^T L, q is the orientation, and w is the angular velocity, in the body frame, with which
the step rotates the body. The rotation has one of two forms:

    Cayley:       Pi = I w + k w x I w,                              q <- q (1, k w), normalised
    exponential:  Pi = I w + (t/2) w x I w + c t^2 w x (w x I w),    q <- q exp(t w)

Cayley's form keeps energy and momentum of a free body to rounding. In textbooks k is t/2, and the body then turns by 2
atan(t |w| / 2). Here k = tan(t e / 2) / e with e = 2 T / |Pi| and the kinetic energy T. A free body keeps e. For a
rotation about a principal axis e = |w|, so that this rotation is exact.

The exponential form is the variational integrator of the discrete Lagrangian log(q0^-1 q1) . I log(q0^-1 q1) / 2t
[Bou-Rabee09], with c = (1 - (a/2) cot(a/2)) / a^2 and a = t |w|. `rattle` uses it. It is symplectic, and also exact
about a principal axis. It keeps the energy of a free body to O(t^2) without drift, and to rounding if two moments of
inertia are equal."""

from physics.compiler.jit import inline
from physics.data.model_tables import Bodies
from physics.maths import quat
from physics.maths.lanes import any_of, both, choose
from physics.maths.vec import (
    add, add_scaled, cross, dot, load3, load4, mul, mul_t, rotate_diagonal, scale, store3, store4, store_block,
)  # fmt: skip

DIMENSION = 6


@inline
def mass_block(body, i, rot, block):
    """Write A = M of body i, whose rotation matrix is rot, to row i of `block`."""
    m = body[i, Bodies.MASS]
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    store_block(block, i, 0, (m, 0.0, m, 0.0, 0.0, m), zero, rotate_diagonal(rot, load3(body, i, Bodies.INERTIA)))


@inline
def along(d, a):
    """Return diag(d) a for two triples d and a."""
    return d[0] * a[0], d[1] * a[1], d[2] * a[2]


@inline
def spin_momentum(body, i, rot, w):
    """Return the spin momentum L = R I R^T w [N m s] of body i."""
    b = mul_t(rot, w)
    return mul(rot, along(load3(body, i, Bodies.INERTIA), b))


@inline
def spin_and_turning(body, i, rot, w):
    """Return the spin momentum L = R I R^T w [N m s] of body i, and the angular acceleration R I^-1 ((I b) x b)
    [rad/s^2] of its free rotation. Here b = R^T w is the angular velocity in the body frame."""
    b = mul_t(rot, w)
    l = along(load3(body, i, Bodies.INERTIA), b)
    return mul(rot, l), mul(rot, along(load3(body, i, Bodies.INVERSE_INERTIA), cross(l, b)))


@inline
def spin(body, i, rot, momentum):
    """Return the angular velocity w = R I^-1 R^T L [rad/s] of body i from its spin momentum L = `momentum`."""
    return mul(rot, along(load3(body, i, Bodies.INVERSE_INERTIA), mul_t(rot, momentum)))


@inline
def exponential_terms(z):
    """Return c(z) = (1 - (a/2) cot(a/2)) / a^2 and its derivative, by series in z = a^2. Newton's method needs the
    derivative. Relative to c, the first neglected term of c is 2e-10 at a = 1, and 1e-16 at a = 0.3. A rotation about a
    principal axis does not depend on c."""
    c = 1.0 / 12.0 + z * (
        1.0 / 720.0
        + z * (1.0 / 30240.0 + z * (1.0 / 1209600.0 + z * (1.0 / 47900160.0 + z * (691.0 / 1307674368000.0))))
    )
    return c, 1.0 / 720.0 + z * (2.0 / 30240.0 + z * (3.0 / 1209600.0 + z * (4.0 / 47900160.0)))


@inline
def first_rate(inertia, inverse, start, a, b, c, h, exponential):
    """Return the rate w = (x, y, z) after two fixed-point iterations w <- I^-1 (Pi - (Pi(w) - I w)) from start = I^-1
    Pi. (a, b, c) are h times the differences of the moments of inertia."""
    x0, y0, z0 = start
    x1 = x0 - inverse[0] * (a * y0 * z0)
    y1 = y0 - inverse[1] * (b * z0 * x0)
    z1 = z0 - inverse[2] * (c * x0 * y0)
    x = x0 - inverse[0] * (a * y1 * z1)
    y = y0 - inverse[1] * (b * z1 * x1)
    z = z0 - inverse[2] * (c * x1 * y1)
    if exponential != 0:
        third = h * h / 3.0  # c t^2 to first order, of w x (w x I w) = (w . I w) w - w^2 I w
        e = inertia[0] * x1 * x1 + inertia[1] * y1 * y1 + inertia[2] * z1 * z1
        g = x1 * x1 + y1 * y1 + z1 * z1
        x -= third * x1 * (e * inverse[0] - g)
        y -= third * y1 * (e * inverse[1] - g)
        z -= third * z1 * (e * inverse[2] - g)
    return x, y, z


@inline
def solve_three(i0, i1, i2, j01, j02, j10, j12, j20, j21, f):
    """Return the solution d of J d = f. The 3x3 matrix J has the diagonal (i0, i1, i2); its other entries are the j."""
    c00 = i1 * i2 - j12 * j21
    c01 = j12 * j20 - j10 * i2
    c02 = j10 * j21 - i1 * j20
    k = 1.0 / (i0 * c00 + j01 * c01 + j02 * c02)
    return (
        k * (c00 * f[0] + (j02 * j21 - j01 * i2) * f[1] + (j01 * j12 - j02 * i1) * f[2]),
        k * (c01 * f[0] + (i0 * i2 - j02 * j20) * f[1] + (j02 * j10 - i0 * j12) * f[2]),
        k * (c02 * f[0] + (j01 * j20 - i0 * j21) * f[1] + (i0 * i1 - j01 * j10) * f[2]),
    )


@inline
def free_spin(inertia, inverse, start, pi, h, exponential):
    """Return the angular velocity w of the drift in the body frame. Newton's method finds it after two fixed-point
    iterations from `start` = I^-1 Pi. h is k for Cayley's form, and t/2 for the `exponential` one."""
    a = h * (inertia[2] - inertia[1])
    b = h * (inertia[0] - inertia[2])
    c = h * (inertia[1] - inertia[0])
    x, y, z = first_rate(inertia, inverse, start, a, b, c, h, exponential)
    size = abs(pi[0]) + abs(pi[1]) + abs(pi[2])
    going = size >= 0.0
    for _ in range(12):
        i0, i1, i2 = inertia
        f0 = i0 * x + a * y * z - pi[0]
        f1 = i1 * y + b * z * x - pi[1]
        f2 = i2 * z + c * x * y - pi[2]
        # c t^2 and, for its derivative, 2 t^4 c'; without the exponential form all of this falls away in the compiler
        g = x * x + y * y + z * z
        k, dk = exponential_terms(4.0 * h * h * g)
        k *= 4.0 * h * h
        dk *= 32.0 * h * h * h * h
        l0 = i0 * x
        l1 = i1 * y
        l2 = i2 * z
        e = l0 * x + l1 * y + l2 * z
        t0 = e * x - g * l0
        t1 = e * y - g * l1
        t2 = e * z - g * l2
        if exponential != 0:
            f0 += k * t0
            f1 += k * t1
            f2 += k * t2
        miss = abs(f0) + abs(f1) + abs(f2)
        going = both(going, miss > 1e-15 * size)
        if not any_of(going):
            break
        j01 = a * z
        j02 = a * y
        j10 = b * z
        j12 = b * x
        j20 = c * y
        j21 = c * x
        if exponential != 0:
            # the derivative of k (e w - g I w): k (e 1 - g I + 2 w (I w)^T) + u w^T
            u0 = dk * t0 - 2.0 * k * l0
            u1 = dk * t1 - 2.0 * k * l1
            u2 = dk * t2 - 2.0 * k * l2
            m0 = 2.0 * k * l0
            m1 = 2.0 * k * l1
            m2 = 2.0 * k * l2
            j01 += u0 * y + m1 * x
            j02 += u0 * z + m2 * x
            j10 += u1 * x + m0 * y
            j12 += u1 * z + m2 * y
            j20 += u2 * x + m0 * z
            j21 += u2 * y + m1 * z
            i0 += k * (e - g * i0) + (u0 + m0) * x
            i1 += k * (e - g * i1) + (u1 + m1) * y
            i2 += k * (e - g * i2) + (u2 + m2) * z
        dx, dy, dz = solve_three(i0, i1, i2, j01, j02, j10, j12, j20, j21, (f0, f1, f2))
        x = choose(going, x - dx, x)
        y = choose(going, y - dy, y)
        z = choose(going, z - dz, z)
        going = both(going, miss > 1e-9 * size)  # Newton squares the miss: what is left is below rounding
        if not any_of(going):
            break
    return x, y, z


@inline
def cayley_time(b, pi, t):
    """Return k = tan(t e / 2) / e [s] with e = (w . Pi) / |Pi| at w = b = I^-1 Pi."""
    h = 0.5 * t
    size = dot(pi, pi)
    e = dot(b, pi)
    return h * quat.tangent_ratio(h * h * (e * e) / choose(size > 0.0, size, 1.0))


@inline
def exponential_drift(inertia, inverse, b, pi, t):
    """Return the angular velocity of the exponential drift over t in the body frame, and the vector part of its
    quaternion, which is scaled so that the scalar part is 1. b is I^-1 Pi."""
    h = 0.5 * t
    w = free_spin(inertia, inverse, b, pi, h, 1)
    return w, scale(h * quat.tangent_ratio(h * h * dot(w, w)), w)


@inline
def drift(body, i, pose, rot, v, w, t, exponential, out):
    """Write the pose of body i after free motion over the time t [s] to row i of `out`. The motion starts at `pose`,
    and keeps the velocity v of the centre and the spin momentum R I R^T w. The rotation is `exponential` or that of
    Cayley."""
    b = mul_t(rot, w)
    inertia = load3(body, i, Bodies.INERTIA)
    inverse = load3(body, i, Bodies.INVERSE_INERTIA)
    pi = along(inertia, b)
    if exponential != 0:
        _, a = exponential_drift(inertia, inverse, b, pi, t)
    else:
        k = cayley_time(b, pi, t)
        a = scale(k, free_spin(inertia, inverse, b, pi, k, 0))
    q = quat.normalized(quat.multiply(load4(pose, i, 3), (1.0, a[0], a[1], a[2])))
    store3(out, i, 0, add_scaled(load3(pose, i, 0), t, v))
    store4(out, i, 3, q)


@inline
def displace(pose, i, d, a, out):
    """Write the pose q (+) (d, a) of body i to row i of `out`. Its centre is moved by d [m], and its orientation is
    rotated by the rotation vector a [rad] in world axes."""
    store3(out, i, 0, add(load3(pose, i, 0), d))
    store4(out, i, 3, quat.turned(load4(pose, i, 3), a))


@inline
def nudge(pose, i, d, a, out):
    """Write the pose q (+) (d, a) of body i to row i of `out`. The rotation is the normalised quaternion (1, a/2). It
    is exact to second order in a [rad], and a proper rotation for any a."""
    store3(out, i, 0, add(load3(pose, i, 0), d))
    q = quat.multiply((1.0, 0.5 * a[0], 0.5 * a[1], 0.5 * a[2]), load4(pose, i, 3))
    r = quat.renormalized(q)  # |q|^2 = 1 + a^2/4: one Newton step is exact to 1e-13
    large = dot(a, a) >= 1e-6
    if any_of(large):
        n = quat.normalized(q)
        r = choose(large, n[0], r[0]), choose(large, n[1], r[1]), choose(large, n[2], r[2]), choose(large, n[3], r[3])
    store4(out, i, 3, r)


@inline
def kinetic(body, i, rot, v, w):
    """Return the kinetic energy [J] of body i with the velocity (v, w)."""
    b = mul_t(rot, w)
    return 0.5 * body[i, Bodies.MASS] * dot(v, v) + 0.5 * (
        body[i, Bodies.INERTIA] * b[0] * b[0]
        + body[i, Bodies.INERTIA + 1] * b[1] * b[1]
        + body[i, Bodies.INERTIA + 2] * b[2] * b[2]
    )
