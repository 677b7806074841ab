"""Gears: spur wheels a and b of radii r_a, r_b, and rack a with pinion b. One row, a force at the pitch point.

d leads from the centre of a to that of b, e_a and e_b are the axes. The angle of a wheel is measured from the line of
centres, because the equation then holds even where the axes move (planetary gears):

    C = r_a alpha_a + r_b alpha_b,   alpha' = -g . d' seen from the wheel,   g = e x d / |d - e (e . d)|^2

A hollow wheel has a negative radius; |d| = |r_a + r_b| at the drawn pose. For the twist of b relative to a at the pitch
point c_a + d r_a / (r_a + r_b), the row is

    T = [-(r_a g_a + r_b g_b);  r_a r_b / (r_a + r_b) d x (g_b - g_a)]

Where the axes are parallel, T is the tangent of the pitch circles, without a moment. The rack runs along x, fixed in a:

    C = x . d - s_0 + r alpha_b,   alpha_b the angle of b against x    T = [x;  d x x + r x x g], g = e x x / |..|^2

with d in T from the pitch point to the centre. Turns are counted in State.memory, so that the phase is kept. A gear
that keeps only the speed has C = 0.
"""

import math

from physics.compiler.jit import inline
from physics.data.model_tables import Joints
from physics.data.state_tables import Memory
from physics.data.work_tables import Edges
from physics.joints.hinge import column
from physics.maths.angle import arctangent
from physics.maths.vec import add, add_scaled, cross, dot, load3, mul, norm, scale, store3, sub

# columns of the edge after the row itself
E_A = Edges.AXIS + 6
E_B = Edges.AXIS + 9
D = Edges.AXIS + 12


@inline
def gradient(e, d):
    """Return g = e x d / |d - e (e . d)|^2."""
    n = cross(e, d)
    return scale(1.0 / dot(n, n), n)


@inline
def turn(joint, i, rot, o, d):
    """Return minus the angle [rad] of d about z of the frame at column o, measured from the x axis of that frame."""
    return -arctangent(dot(d, mul(rot, column(joint, i, o, 1))), dot(d, mul(rot, column(joint, i, o, 0))))


@inline
def counted(angle, last):
    """Return the angle [rad] plus the whole turns that bring it nearest to `last`."""
    return angle + 2.0 * math.pi * math.floor((last - angle) / (2.0 * math.pi) + 0.5)


@inline
def along_row(value, tv, tw):
    """Return the twist t along (tv, tw) with T . t = value, for the row T = (tv, tw)."""
    k = value / (dot(tv, tv) + dot(tw, tw))
    return scale(k, tv), scale(k, tw)


@inline
def rows(i, edge, rows):
    """Copy the constraint row of edge i from `edge` to `rows`. Return the number of rows."""
    for k in range(6):
        rows[i, k] = edge[i, Edges.AXIS + k]
    return 1


@inline
def turning(e, d, d1, d2, w):
    """Return the part of the second derivative of the angle of d about e that velocities cause, seen from a body with
    angular velocity w. d1 and d2 are the derivatives of d in world axes."""
    n = cross(e, d)
    size = 1.0 / dot(n, n)
    relative = cross(w, d)
    r1 = sub(d1, relative)
    r2 = add(sub(d2, scale(2.0, cross(w, d1))), cross(w, relative))
    rate = size * dot(n, r1)
    # d of the plane at right angles to e is -e x n
    flat = cross(n, e)
    return size * dot(n, r2) - 2.0 * rate * size * dot(flat, r1)


# ---------------------------------------------------------------- two wheels
@inline
def turns(joint, memory, i, d, ra, oa, rb, ob):
    """Return the angles of both wheels of constraint i, with whole turns counted [rad]."""
    return counted(turn(joint, i, ra, oa, d), memory[i, Memory.COUNTED]), counted(
        turn(joint, i, rb, ob, d), memory[i, Memory.COUNTED + 1]
    )


@inline
def frame_wheels(joint, memory, i, sa, ra, oa, sb, rb, ob, d, edge):
    """Write levers, the row and the axes of wheels a and b to `edge`. Return the error of b relative to a (linear,
    angular)."""
    ea = mul(ra, column(joint, i, oa, 2))
    eb = mul(rb, column(joint, i, ob, 2))
    big_a = joint[i, Joints.SIZE]
    big_b = joint[i, Joints.SIZE + 1]
    whole = big_a + big_b
    ga = gradient(ea, d)
    gb = gradient(eb, d)
    tv = scale(-1.0, add_scaled(scale(big_a, ga), big_b, gb))
    tw = scale(big_a * big_b / whole, cross(d, sub(gb, ga)))
    store3(edge, i, Edges.RC, add_scaled(sb, -big_b / whole, d))
    store3(edge, i, Edges.RP, add_scaled(sa, big_a / whole, d))
    store3(edge, i, Edges.AXIS, tv)
    store3(edge, i, Edges.AXIS + 3, tw)
    store3(edge, i, E_A, ea)
    store3(edge, i, E_B, eb)
    store3(edge, i, D, d)
    alpha_a, alpha_b = turns(joint, memory, i, d, ra, oa, rb, ob)
    return along_row(joint[i, Joints.SIZE + 2] * (big_a * alpha_a + big_b * alpha_b), tv, tw)


@inline
def remember_wheels(joint, memory, i, ra, oa, rb, ob, d):
    """Write the angles of both wheels at the accepted pose to Memory.COUNTED."""
    memory[i, Memory.COUNTED], memory[i, Memory.COUNTED + 1] = turns(joint, memory, i, d, ra, oa, rb, ob)


@inline
def bias_wheels(joint, edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc of two wheels (linear, angular), for velocities v, angular velocities w and levers l of b and a."""
    d = load3(edge, i, D)
    whole = joint[i, Joints.SIZE] + joint[i, Joints.SIZE + 1]
    sb = add_scaled(lb, joint[i, Joints.SIZE + 1] / whole, d)
    sa = add_scaled(la, -joint[i, Joints.SIZE] / whole, d)
    ub = cross(wb, sb)
    ua = cross(wa, sa)
    d1 = sub(add(vb, ub), add(va, ua))
    d2 = sub(cross(wb, ub), cross(wa, ua))
    second = joint[i, Joints.SIZE] * turning(load3(edge, i, E_A), d, d1, d2, wa)
    second += joint[i, Joints.SIZE + 1] * turning(load3(edge, i, E_B), d, d1, d2, wb)
    return along_row(second, load3(edge, i, Edges.AXIS), load3(edge, i, Edges.AXIS + 3))


# ---------------------------------------------------------------- rack and pinion
@inline
def frame_rack(joint, memory, i, sa, ra, oa, sb, rb, ob, d, edge):
    """Write levers, the row and directions of rack a and pinion b to `edge`. Return the error of b relative to a
    (linear, angular)."""
    x = mul(ra, column(joint, i, oa, 0))
    e = mul(rb, column(joint, i, ob, 2))
    r = joint[i, Joints.SIZE]
    n = cross(e, x)
    to_centre = scale(r / norm(n), n)
    tw = add(cross(to_centre, x), scale(r, cross(x, gradient(e, x))))
    store3(edge, i, Edges.RC, sub(sb, to_centre))
    store3(edge, i, Edges.RP, sub(add(sa, d), to_centre))
    store3(edge, i, Edges.AXIS, x)
    store3(edge, i, Edges.AXIS + 3, tw)
    store3(edge, i, E_A, to_centre)
    store3(edge, i, E_B, e)
    store3(edge, i, D, d)
    alpha = counted(turn(joint, i, rb, ob, x), memory[i, Memory.COUNTED])
    return along_row(joint[i, Joints.SIZE + 2] * (dot(x, d) - joint[i, Joints.SIZE + 1] + r * alpha), x, tw)


@inline
def remember_rack(joint, memory, i, ra, oa, rb, ob):
    """Write the angle of the pinion at the accepted pose to Memory.COUNTED."""
    memory[i, Memory.COUNTED] = counted(
        turn(joint, i, rb, ob, mul(ra, column(joint, i, oa, 0))), memory[i, Memory.COUNTED]
    )


@inline
def bias_rack(joint, edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc of rack and pinion (linear, angular): the twist along the row for that part of -(x . d)'' - r
    alpha_b'' that velocities cause."""
    d = load3(edge, i, D)
    x = load3(edge, i, Edges.AXIS)
    to_centre = load3(edge, i, E_A)
    ub = cross(wb, add(lb, to_centre))
    ua = cross(wa, sub(add(la, to_centre), d))
    d1 = sub(add(vb, ub), add(va, ua))
    d2 = sub(cross(wb, ub), cross(wa, ua))
    x1 = cross(wa, x)
    x2 = cross(wa, x1)
    second = dot(x2, d) + 2.0 * dot(x1, d1) + dot(x, d2)
    second -= joint[i, Joints.SIZE] * turning(load3(edge, i, E_B), x, x1, x2, wb)
    return along_row(-second, x, load3(edge, i, Edges.AXIS + 3))
