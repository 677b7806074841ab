"""The law of one contact, limit, equality or grab in the proximal method: impulse and its derivative.

With u the relative velocity of a over b and R > 0 the regularisation (in 1/kg),

    gamma = P(y),   G = -d gamma / d u,
    contact:   y = gamma_c - (u - vhat n + s n) / R,   P the projection on the friction cone |g_t| <= mu g_n
    equality:  y = gamma_c - (u - vhat) / R,           P the identity
    grab:      the same y,                             P the projection on the ball of radius cap
    limit:     y = gamma_c - (rate - vhat) / R,        P = max(0, y), all scalars

gamma_c is the impulse of the step before, vhat the velocity wanted, s = mu |u_t| at the start of the step, which takes
away the lift of the convex cone. Each gamma is minus the gradient in u of a convex function phi(u) with a continuous
derivative, so that minimising 1/2 |v - v*|_M^2 + sum phi(J v) has one solution, and G is symmetric positive
semi-definite: M + sum J^T G J keeps the tree's elimination valid.
"""

from physics.kernels.jit import inline
from physics.kernels.vec import ZERO3, ZERO6, add_scaled, dot, norm, scale, sub

# on which piece of its law a contact is
OPEN, STICKING, SLIDING = range(3)
FASTEST_PUSH = 2.0  # at which a penetration is taken back, m/s


@inline
def contact_argument(u, n, centre, vhat, s, inverse):
    """y of a contact; `inverse` is 1/R."""
    return sub(centre, scale(inverse, add_scaled(u, s - vhat, n)))


@inline
def equality_argument(u, vhat, centre, inverse):
    """y of an equality or a grab; vhat is a vector."""
    return sub(centre, scale(inverse, sub(u, vhat)))


@inline
def cone_law(y, n, mu, inverse):
    """(gamma, G packed, piece) of a contact."""
    yn = dot(y, n)
    yt = add_scaled(y, -yn, n)
    r = norm(yt)
    if yn <= -mu * r:
        return ZERO3, ZERO6, OPEN
    if mu > 0.0 and r <= mu * yn:
        return y, (inverse, 0.0, inverse, 0.0, 0.0, inverse), STICKING
    # on the surface of the cone: g_n = (y_n + mu r) / (1 + mu^2), gamma = g_n m with m = n + mu t
    t = scale(1.0 / r, yt) if r > 0.0 else ZERO3
    k = 1.0 / (1.0 + mu * mu)
    gn = (yn + mu * r) * k
    m = add_scaled(n, mu, t)
    # G = (m m^T / (1 + mu^2) + (mu g_n / r) (1 - n n^T - t t^T)) / R
    a = inverse * k
    c = inverse * mu * gn / r if r > 0.0 else 0.0
    g = (
        a * m[0] * m[0] + c * (1.0 - n[0] * n[0] - t[0] * t[0]),
        a * m[1] * m[0] - c * (n[1] * n[0] + t[1] * t[0]),
        a * m[1] * m[1] + c * (1.0 - n[1] * n[1] - t[1] * t[1]),
        a * m[2] * m[0] - c * (n[2] * n[0] + t[2] * t[0]),
        a * m[2] * m[1] - c * (n[2] * n[1] + t[2] * t[1]),
        a * m[2] * m[2] + c * (1.0 - n[2] * n[2] - t[2] * t[2]),
    )
    return scale(gn, m), g, SLIDING


@inline
def capped_law(y, cap, inverse):
    """(gamma, G packed, piece) of a grab whose impulse is at most `cap`; an equality has an infinite one."""
    r = norm(y)
    if r <= cap:
        return y, (inverse, 0.0, inverse, 0.0, 0.0, inverse), STICKING
    e = scale(1.0 / r, y)
    # G = (cap / (R |y|)) (1 - e e^T)
    c = inverse * cap / r
    g = (
        c * (1.0 - e[0] * e[0]), -c * e[1] * e[0], c * (1.0 - e[1] * e[1]),
        -c * e[2] * e[0], -c * e[2] * e[1], c * (1.0 - e[2] * e[2]),
    )  # fmt: skip
    return scale(cap, e), g, SLIDING


@inline
def limit_law(rate, centre, vhat, inverse):
    """(gamma, G, piece) of a one-sided scalar row."""
    y = centre - inverse * (rate - vhat)
    if y <= 0.0:
        return 0.0, 0.0, OPEN
    return y, inverse, STICKING


@inline
def wanted_velocity(gap, dt):
    """vhat of a contact: reach the surface from above at the earliest; of a penetration a fifth a step, at most 2 m/s.
    Taking all of it at once would throw bodies that were put into each other apart."""
    return -gap / dt if gap > 0.0 else min(FASTEST_PUSH, -0.2 * gap / dt)
