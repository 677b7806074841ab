"""A point of b stays on a plane, a line or a curve that is fixed in a.

d = (x_b + s_b) - (x_a + s_a). s_a leads to a point of the plane, line or curve in a, s_b to the point in b. Both levers
of the edge lead to the point in b.

    plane, normal n:      C = n (n . d)                      T = [n; 0]
    line along z:         C = d - z (z . d)                  T = [x; 0], [y; 0]  with x, y, z fixed in a
    curve c(u):           C = d - c(u),  c'(u) . (d - c(u)) = 0: u is the nearest point's parameter
                          T = [x; 0], [y; 0] at right angles to the tangent t

The nearest point of a circle has a closed form. For a spline, Newton's method finds it from the parameter of the last
accepted pose (State.memory), so that the point stays on its branch where the curve crosses itself. Beyond its ends an
open spline continues straight: a natural spline has no curvature there.
"""

import math

from physics.compiler.jit import inline, kernel
from physics.data.model_tables import Joints, Segment
from physics.data.state_tables import Memory
from physics.data.work_tables import Edges
from physics.joints.hinge import column
from physics.maths.vec import ZERO3, add, add_scaled, cross, dot, load3, mul, mul_t, norm, scale, store3, sub

NEWTON_STEPS = 40
LINEAR, ANGULAR = 0, 3  # where the two parts of a row (linear, angular) begin


@inline
def store_levers(i, sa, sb, d, edge):
    """Write the levers of constraint i to `edge`; both lead to the point of b."""
    store3(edge, i, Edges.RC, sb)
    store3(edge, i, Edges.RP, add(sa, d))


@inline
def frame_on_plane(joint, i, sa, ra, oa, sb, d, edge):
    """Write levers and the row vector of constraint i to `edge`. Return the error of b relative to a (linear,
    angular)."""
    store_levers(i, sa, sb, d, edge)
    n = mul(ra, column(joint, i, oa, 2))
    store3(edge, i, Edges.AXIS, n)
    return scale(dot(n, d), n), ZERO3


@inline
def frame_on_line(joint, i, sa, ra, oa, sb, d, edge):
    """Write levers and the row vectors of constraint i to `edge`. Return the error of b relative to a (linear,
    angular)."""
    store_levers(i, sa, sb, d, edge)
    z = mul(ra, column(joint, i, oa, 2))
    store3(edge, i, Edges.AXIS, mul(ra, column(joint, i, oa, 0)))
    store3(edge, i, Edges.AXIS + 3, mul(ra, column(joint, i, oa, 1)))
    return add_scaled(d, -dot(z, d), z), ZERO3


@inline
def across(t):
    """Return two unit vectors at right angles to the unit vector t and to each other."""
    k = -1.0 / (1.0 + abs(t[2]))
    s = 1.0 if t[2] >= 0.0 else -1.0
    b = t[0] * t[1] * k * s
    return (1.0 + t[0] * t[0] * k, b * s, -s * t[0]), (b, s + t[1] * t[1] * k * s, -t[1])


@inline
def store_curve(i, t, bend, edge):
    """Write two row vectors across the unit tangent t, t itself, and the curvature vector `bend` of constraint i to
    `edge`."""
    x, y = across(t)
    store3(edge, i, Edges.AXIS, x)
    store3(edge, i, Edges.AXIS + 3, y)
    store3(edge, i, Edges.AXIS + 6, t)
    store3(edge, i, Edges.AXIS + 9, bend)


@inline
def frame_on_circle(joint, i, d, ra, oa, edge):
    """Write the row vectors of constraint i to `edge`, for the circle of radius R about z through the anchor of a.
    Return the linear error of b relative to a."""
    z = mul(ra, column(joint, i, oa, 2))
    rho = add_scaled(d, -dot(z, d), z)
    size = norm(rho)
    out = scale(1.0 / size, rho) if size > 1e-12 else mul(ra, column(joint, i, oa, 0))
    store_curve(i, cross(z, out), scale(-1.0 / joint[i, Joints.SIZE], out), edge)
    return add_scaled(d, -joint[i, Joints.SIZE], out)


# ---------------------------------------------------------------- splines
@inline
def polynomial(table, k, u):
    """Return c, c' and c'' of the segment in row k of `table` (Model.table) at u."""
    c0 = load3(table, k, Segment.CUBIC)
    c1 = load3(table, k, Segment.CUBIC + 3)
    c2 = load3(table, k, Segment.CUBIC + 6)
    c3 = load3(table, k, Segment.CUBIC + 9)
    p = add_scaled(c0, u, add_scaled(c1, u, add_scaled(c2, u, c3)))
    v = add_scaled(c1, u, add_scaled(scale(2.0, c2), 3.0 * u, c3))
    return p, v, add_scaled(scale(2.0, c2), 6.0 * u, c3)


@kernel
def evaluate(table, first, count, length, closed, s):
    """Return c, c' and c'' of the whole curve at the parameter s; its `count` segments begin at row `first` of `table`.
    A closed curve repeats, an open one continues straight."""
    if closed != 0.0:
        s -= length * math.floor(s / length)
    elif s < 0.0 or s > length:
        k = first if s < 0.0 else first + count - 1
        u = 0.0 if s < 0.0 else table[k, Segment.LENGTH]
        p, v, _ = polynomial(table, k, u)
        return add_scaled(p, s if s < 0.0 else s - length, v), v, ZERO3
    low = 0
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if s < table[first + middle, Segment.START]:
            high = middle
        else:
            low = middle
    return polynomial(table, first + low, s - table[first + low, Segment.START])


@kernel
def nearest(joint, table, memory, i, q):
    """Return the parameter of the curve's point that is nearest to q (in the frame of a, from its anchor). The search
    starts at the parameter in State.memory. It uses Newton steps on c' . (q - c) = 0, or damped ones where q lies near
    the centre of curvature or beyond it."""
    first = int(joint[i, Joints.TABLE])
    count = int(joint[i, Joints.TABLE_ROWS])
    length = joint[i, Joints.SIZE]
    closed = joint[i, Joints.SIZE + 1]
    most = 0.5 * length / count
    s = memory[i, Memory.COUNTED]
    for _ in range(NEWTON_STEPS):
        p, v, a = evaluate(table, first, count, length, closed, s)
        d = sub(q, p)
        v2 = dot(v, v)
        slope = v2 - dot(a, d)
        step = dot(v, d) / max(slope, 0.3 * v2)
        s += min(max(step, -most), most)
        # Newton squares the miss: what is left is below rounding
        if abs(step) < 1e-9 * length and slope > 0.3 * v2:
            break
    return s


@inline
def frame_on_spline(joint, table, memory, i, d, ra, edge):
    """Write the row vectors of constraint i to `edge`. Return the linear error of b relative to a."""
    q = mul_t(ra, d)
    s = nearest(joint, table, memory, i, q)
    p, v, a = evaluate(
        table,
        int(joint[i, Joints.TABLE]),
        int(joint[i, Joints.TABLE_ROWS]),
        joint[i, Joints.SIZE],
        joint[i, Joints.SIZE + 1],
        s,
    )
    v2 = dot(v, v)
    t = scale(1.0 / math.sqrt(v2), v)
    store_curve(i, mul(ra, t), mul(ra, scale(1.0 / v2, add_scaled(a, -dot(t, a), t))), edge)
    return mul(ra, sub(q, p))


@inline
def remember_on_spline(joint, table, memory, i, d, ra):
    """Write the parameter of the nearest point at the accepted pose to Memory.COUNTED."""
    s = nearest(joint, table, memory, i, mul_t(ra, d))
    if joint[i, Joints.SIZE + 1] != 0.0:
        s -= joint[i, Joints.SIZE] * math.floor(s / joint[i, Joints.SIZE])
    memory[i, Memory.COUNTED] = s


# ---------------------------------------------------------------- circles and splines
@inline
def frame_on_curve(joint, table, memory, i, sa, ra, oa, sb, d, edge):
    """Write levers and the row vectors of constraint i to `edge`. Return the error of b relative to a (linear,
    angular)."""
    store_levers(i, sa, sb, d, edge)
    if joint[i, Joints.TABLE_ROWS] == 0.0:
        return frame_on_circle(joint, i, d, ra, oa, edge), ZERO3
    return frame_on_spline(joint, table, memory, i, d, ra, edge), ZERO3


@inline
def remember_on_curve(joint, table, memory, i, d, ra):
    """Write the parameter of a spline's nearest point at the accepted pose to Memory.COUNTED; a circle needs none."""
    if joint[i, Joints.TABLE_ROWS] > 0.0:
        remember_on_spline(joint, table, memory, i, d, ra)


# ---------------------------------------------------------------- rows and bias
@inline
def one_row(i, edge, rows):
    """Write the first vector of `edge` as the linear row of edge i to `rows`. Return the number of rows."""
    write_rows(0, 1, Edges.AXIS, LINEAR, i, edge, rows)
    return 1


@inline
def two_rows(i, edge, rows):
    """Write the first two vectors of `edge` as the linear rows of edge i to `rows`. Return their number."""
    write_rows(0, 2, Edges.AXIS, LINEAR, i, edge, rows)
    return 2


@inline
def three_rows(i, edge, rows):
    """Write the first three vectors of `edge` as the linear rows of edge i to `rows`. Return their number."""
    write_rows(0, 3, Edges.AXIS, LINEAR, i, edge, rows)
    return 3


@inline
def write_rows(first, count, o, place, i, edge, rows):
    """Write the vectors at column o of `edge` as `count` rows of edge i, from row `first` on: to their linear part if
    `place` is LINEAR, to their angular part if it is ANGULAR. The other part becomes zero."""
    for k in range(count):
        r = 6 * (first + k)
        store3(rows, i, r + place, load3(edge, i, o + 3 * k))
        store3(rows, i, r + ANGULAR - place, ZERO3)


@inline
def contact_bias(vb, wb, lb, va, wa, la, moving, turning):
    """Return the linear b = -J' u of rows [t; 0] that rotate with `turning`, at a point that moves with the velocity
    `moving` and has the levers lb and la. With the slip s = v_b + w_b x l_b - v_a - w_a x l_a it is -(w_b x (moving -
    v_b) - w_a x (moving - v_a) - turning x s)."""
    s = sub(add(vb, cross(wb, lb)), add(va, cross(wa, la)))
    return sub(add(cross(turning, s), cross(wa, sub(moving, va))), cross(wb, sub(moving, vb)))


@inline
def bias(vb, wb, lb, va, wa, la):
    """Return b_acc = -J' u (linear, angular) of a point of b against rows that are fixed in a."""
    return contact_bias(vb, wb, lb, va, wa, la, add(vb, cross(wb, lb)), wa), ZERO3


@inline
def bias_on_curve(edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc = -J' u (linear, angular) of a point on a curve: `bias` plus k n (t . s)^2 by the curvature k n."""
    lin, _ = bias(vb, wb, lb, va, wa, la)
    along = dot(load3(edge, i, Edges.AXIS + 6), sub(add(vb, cross(wb, lb)), add(va, cross(wa, la))))
    return add(lin, scale(along * along, load3(edge, i, Edges.AXIS + 9))), ZERO3
