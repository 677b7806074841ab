"""Distance (a rod): the anchors of two bodies keep their distance L, which may be a function of time. One row, no
motion subspace.

    d = (x_c + r_c) - (x_p + r_p),  u = d / |d|,  C = u (|d| - L)          T = [u; 0]
    b_acc = -u ((|d'|^2 - (u . d')^2) / |d| + u . (w_c x (w_c x r_c) - w_p x (w_p x r_p))) + u L''
"""

from physics.compiler.jit import inline
from physics.data.model_tables import Joints
from physics.data.work_tables import Edges
from physics.joints import ball
from physics.maths.vec import add, dot, load3, mul, norm, scale, store3, store6, sub

ROWS = 1


@inline
def separation(joint, i, xc, rot_c, xp, rot_p):
    """Return the levers of child and parent, and the vector d between the anchors [m]."""
    rc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    rp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    return rc, rp, sub(add(xc, rc), add(xp, rp))


@inline
def direction(d):
    """Return the unit vector u = d / |d|. If the anchors coincide, return any direction: the error is then the whole
    length, and its correction separates them."""
    size = norm(d)
    return scale(1.0 / size, d) if size > 1e-12 else (0.0, 0.0, 1.0)


@inline
def length(joint, signal, i):
    """Return the prescribed or constant length of constraint i [m]."""
    k = int(joint[i, Joints.SIGNAL])
    return joint[i, Joints.LENGTH] if k < 0 else signal[k, 0]


@inline
def frame(joint, signal, i, xc, rot_c, xp, rot_p, edge):
    """Write levers, u (in the first axis column) and |d| (in the second) of constraint i to `edge`; `rows` and `bias`
    read them. Return the error (linear, angular)."""
    rc, rp, d = separation(joint, i, xc, rot_c, xp, rot_p)
    store3(edge, i, Edges.RC, rc)
    store3(edge, i, Edges.RP, rp)
    u = direction(d)
    store3(edge, i, Edges.AXIS, u)
    edge[i, Edges.AXIS + 3] = norm(d)
    return scale(norm(d) - length(joint, signal, i), u), (0.0, 0.0, 0.0)


@inline
def prescribed(joint, signal, edge, i, order):
    """Return the vector u L' (order 1) or u L'' (order 2) of edge i; zero for a constant length."""
    k = int(joint[i, Joints.SIGNAL])
    return scale(signal[k, order], load3(edge, i, Edges.AXIS)) if k >= 0 else (0.0, 0.0, 0.0)


@inline
def rate(joint, signal, edge, i):
    """Return the prescribed twist u L' of edge i (linear, angular)."""
    return prescribed(joint, signal, edge, i, 1), (0.0, 0.0, 0.0)


@inline
def acceleration(joint, signal, edge, i):
    """Return the prescribed acceleration u L'' of edge i (linear, angular)."""
    return prescribed(joint, signal, edge, i, 2), (0.0, 0.0, 0.0)


@inline
def coordinates(joint, i, xc, rot_c, xp, rot_p):
    """Return the three coordinates of a rope or a spring i: the distance of its anchors [m], 0, 0."""
    _, _, d = separation(joint, i, xc, rot_c, xp, rot_p)
    return norm(d), 0.0, 0.0


@inline
def bias(edge, i, vc, wc, vp, wp):
    """Return b_acc = -J' u of edge i (linear, angular) at constant length."""
    u = load3(edge, i, Edges.AXIS)
    rate = ball.anchor_slip(load3(edge, i, Edges.RC), vc, wc, load3(edge, i, Edges.RP), vp, wp)
    along = dot(u, rate)
    b = dot(u, ball.anchor_bias(edge, i, wc, wp)) - (dot(rate, rate) - along * along) / edge[i, Edges.AXIS + 3]
    return scale(b, u), (0.0, 0.0, 0.0)


@inline
def rows(joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint row T of edge i to row i of `rows`."""
    u = load3(edge, i, Edges.AXIS)
    store6(rows, i, 0, (u[0], u[1], u[2], 0.0, 0.0, 0.0))
