"""The law of one contact, limit, equality or grab in the method `newton`: the impulse gamma as a function of the
relative velocity, and its derivative.

Here u is the velocity of a relative to b, n the normal, R > 0 (in 1/kg) a regularisation, R_t = R / ACROSS the one of
friction, and g is short for gamma:

    gamma = P(y),   G = -d gamma / d u,
    contact:   y = gamma_c - (u - vhat n) / R along n,  gamma_n = max(0, y_n)
               y = gamma_c - u / R_t across n,          gamma_t = the projection of y_t on the disc |g_t| <= mu r
    equality:  y = gamma_c - (u - vhat) / R,            P the identity
    grab:      y as for an equality,                    P the projection on the ball of radius cap
    limit:     y = gamma_c - (rate - vhat) / R,         P = max(0, y), all scalars

The centre gamma_c is the impulse for which the regularisation has no effect. r is a normal impulse, mu the coefficient
of friction, and vhat the wanted velocity. Each gamma is minus the gradient, with respect to u, of a convex function
phi(u) with a continuous derivative. Therefore the minimum of 1/2 |v - v*|_M^2 + sum phi(J v) is unique. G is symmetric
and positive semi-definite, so that the elimination of the tree remains valid for M + sum J^T G J.

If gamma_c and r belong to the contact's own impulse, gamma_c = gamma and r = gamma_n, the law is Coulomb's law with
Signorini's conditions, without any regularisation [Acary08, section 13.5]:

    u_n >= vhat,  gamma_n >= 0,  gamma_n (u_n - vhat) = 0,   |gamma_t| <= mu gamma_n,  |u_t| gamma_t = -mu gamma_n u_t

`coulomb_law` is the law with the centre gamma_c = p. The difference between its impulse and p therefore measures how
much p violates Coulomb's law.

`cone_law` is a convex model of Coulomb's law. It projects on the whole friction cone, and the lift s = mu |u_t| is
given:

    y = gamma_c - (u - vhat n + s n) / R,              P the projection on the friction cone |g_t| <= mu g_n
"""

from physics.compiler.table import Table
from physics.compiler.jit import inline
from physics.maths.vec import ZERO3, ZERO6, add_scaled, dot, norm, scale, sub


class Piece(Table):
    """The pieces of the law of a contact: it is open (it exerts no force), it sticks, or it slides."""

    OPEN = 0
    STICKING = 1
    SLIDING = 2


# R_t is R over this. Friction yields more than the normal force does, as the end of a slide is no smooth function of
# the velocity: with the same R Newton steps overshoot there, and take a third more of them.
ACROSS = 0.1
FASTEST_PUSH = 2.0  # at which a penetration is taken back, m/s


@inline
def contact_argument(u, n, centre, vhat, s, inverse):
    """Return y of a contact with the cone law. `inverse` is 1/R."""
    return sub(centre, scale(inverse, add_scaled(u, s - vhat, n)))


@inline
def disc_law(u, n, centre, vhat, most, inverse):
    """Return gamma, G (packed) and the piece of a contact whose friction is at most `most` [N s]. `inverse` is 1/R."""
    gn = dot(centre, n) - inverse * (dot(u, n) - vhat)
    if gn <= 0.0:
        return ZERO3, ZERO6, Piece.OPEN
    across = ACROSS * inverse
    y = add_scaled(centre, -across, u)
    yt = add_scaled(y, -dot(y, n), n)
    size = norm(yt)
    piece = Piece.STICKING
    t = ZERO3
    if size > most or not most > 0.0:
        piece = Piece.SLIDING
        if size > 0.0:
            t = scale(1.0 / size, yt)
            yt = scale(max(0.0, most), t)
            across *= max(0.0, most) / size
        else:
            across = 0.0
    # G = n n^T / R + (1 - n n^T) / R_t where it sticks, else (most / |y_t|) (1 - n n^T - t t^T) / R_t in its place
    a = inverse - across
    g = (
        across + a * n[0] * n[0] - across * t[0] * t[0],
        a * n[1] * n[0] - across * t[1] * t[0],
        across + a * n[1] * n[1] - across * t[1] * t[1],
        a * n[2] * n[0] - across * t[2] * t[0],
        a * n[2] * n[1] - across * t[2] * t[1],
        across + a * n[2] * n[2] - across * t[2] * t[2],
    )
    return add_scaled(yt, gn, n), g, piece


@inline
def coulomb_law(u, n, p, vhat, mu, inverse):
    """Return gamma of the law with the centre p. Friction is limited by the normal part of gamma itself. If Coulomb's
    law holds, gamma equals p."""
    gn = dot(p, n) - inverse * (dot(u, n) - vhat)
    gamma, _, _ = disc_law(u, n, p, vhat, mu * gn, inverse)
    return gamma


@inline
def within_cone(p, n, mu):
    """Return the impulse p with its friction reduced to the friction cone. If its normal part is not positive, return
    zero."""
    pn = dot(p, n)
    if pn <= 0.0:
        return ZERO3
    pt = add_scaled(p, -pn, n)
    size = norm(pt)
    return add_scaled(scale(mu * pn / size, pt), pn, n) if size > mu * pn else p


@inline
def equality_argument(u, vhat, centre, inverse):
    """Return y of an equality or a grab; vhat is a vector."""
    return sub(centre, scale(inverse, sub(u, vhat)))


@inline
def cone_law(y, n, mu, inverse):
    """Return gamma, G (packed) and the piece of a contact with the convex law, from its argument y."""
    yn = dot(y, n)
    yt = add_scaled(y, -yn, n)
    r = norm(yt)
    if yn <= -mu * r:
        return ZERO3, ZERO6, Piece.OPEN
    if mu > 0.0 and r <= mu * yn:
        return y, (inverse, 0.0, inverse, 0.0, 0.0, inverse), Piece.STICKING
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
    return scale(gn, m), g, Piece.SLIDING


@inline
def capped_law(y, cap, inverse):
    """Return gamma, G (packed) and the piece of a grab whose impulse is at most `cap`, from its argument y. An equality
    is the case of an infinite cap."""
    r = norm(y)
    if r <= cap:
        return y, (inverse, 0.0, inverse, 0.0, 0.0, inverse), Piece.STICKING
    e = scale(1.0 / r, y)
    # G = (cap / (R |y|)) (1 - e e^T)
    c = inverse * cap / r
    g = (
        c * (1.0 - e[0] * e[0]), -c * e[1] * e[0], c * (1.0 - e[1] * e[1]),
        -c * e[2] * e[0], -c * e[2] * e[1], c * (1.0 - e[2] * e[2]),
    )  # fmt: skip
    return scale(cap, e), g, Piece.SLIDING


@inline
def limit_law(rate, centre, vhat, inverse):
    """Return gamma, G and the piece of a one-sided scalar row, such as a limit. `inverse` is 1/R."""
    y = centre - inverse * (rate - vhat)
    if y <= 0.0:
        return 0.0, 0.0, Piece.OPEN
    return y, inverse, Piece.STICKING


@inline
def wanted_velocity(gap, dt):
    """Return vhat of a contact [m/s]. A gap can close at the end of the step dt, but not earlier. A penetration shrinks
    by a fifth per step, at no more than 2 m/s. If it were removed at once, bodies that were placed inside each other
    would fly apart."""
    return -gap / dt if gap > 0.0 else min(FASTEST_PUSH, -0.2 * gap / dt)
