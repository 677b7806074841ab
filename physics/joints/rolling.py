"""Rolling without slipping, and the knife edge. The normal row keeps the position. The tangential rows are conditions
on velocities alone (nonholonomic); their error is 0.

A round body b touches a surface of a at P. The material points of the two bodies at P have no velocity relative to each
other. This gives three rows [t; 0] at P. The first, along the normal n, is also the rate of the distance C.

    sphere, radius r, on the plane of normal n:    P = c_b - r n,  C = n . d - r
    wheel about e, radius r, on the plane:         P = c_b - r m,  C = n . d - r n . m,  m = n - e (e . n), normalised
    sphere in a trough of radius R about z:        P = c_b + r u,  C = |d| - (R - r),  d from the axis, u = d / |d|
    cylinder in a trough:                          as the sphere, with its axis parallel to z: two more rows [0; x_b]
    knife edge:                                    one row [z_b; 0] at the point of b: it does not move sideways

The bodies are held together at the contact, so that the normal force may also pull. b_acc follows from the motion of P
and of the rows (`point.contact_bias`).
"""

from physics.compiler.jit import inline
from physics.data.model_tables import Joints
from physics.data.work_tables import Edges
from physics.joints import directions, point
from physics.joints.hinge import column
from physics.maths.vec import ZERO3, add, add_scaled, cross, dot, load3, mul, norm, scale, store3, sub

# columns of the edge after the three directions of the rows
OUT = Edges.AXIS + 9
WHEEL = Edges.AXIS + 12
# of the cylinder, whose last two rows are moments
ACROSS = Edges.AXIS + 9


@inline
def store_contact(i, to_contact, sb, d, sa, n, x, edge):
    """Write the levers of the contact of edge i, its normal n, a tangent x and n x x to `edge`; `to_contact` leads from
    the centre of b to the contact."""
    store3(edge, i, Edges.RC, add(sb, to_contact))
    store3(edge, i, Edges.RP, add(add(sa, d), to_contact))
    store3(edge, i, Edges.AXIS, n)
    store3(edge, i, Edges.AXIS + 3, x)
    store3(edge, i, Edges.AXIS + 6, cross(n, x))


@inline
def frame_sphere(joint, i, sa, ra, oa, sb, d, edge):
    """Write contact and rows of a sphere on a plane to `edge`. Return the error of b relative to a (linear,
    angular)."""
    n = mul(ra, column(joint, i, oa, 2))
    r = joint[i, Joints.SIZE]
    store_contact(i, scale(-r, n), sb, d, sa, n, mul(ra, column(joint, i, oa, 0)), edge)
    return scale(dot(n, d) - r, n), ZERO3


@inline
def outward(n, e):
    """Return (m, n . m), where m is the direction in the wheel's plane nearest to n and e the wheel's axis. A wheel
    that lies flat has no such direction; m is then shorter than 1."""
    f = add_scaled(n, -dot(n, e), e)
    q = norm(f)
    return scale(1.0 / max(q, 1e-9), f), q


@inline
def frame_disk(joint, i, sa, ra, oa, sb, rb, ob, d, edge):
    """Write contact and rows of a wheel on a plane to `edge`. Return the error of b relative to a (linear, angular)."""
    n = mul(ra, column(joint, i, oa, 2))
    e = mul(rb, column(joint, i, ob, 2))
    m, q = outward(n, e)
    r = joint[i, Joints.SIZE]
    store_contact(i, scale(-r, m), sb, d, sa, n, mul(ra, column(joint, i, oa, 0)), edge)
    store3(edge, i, OUT, m)
    store3(edge, i, WHEEL, e)
    return scale(dot(n, d) - r * q, n), ZERO3


@inline
def frame_trough(joint, i, sa, ra, oa, sb, d, edge):
    """Write contact and rows of a sphere in a trough to `edge`; the contact is at c_b + r u. Return the error of b
    relative to a (linear, angular), which is along u."""
    z = mul(ra, column(joint, i, oa, 2))
    rho = add_scaled(d, -dot(z, d), z)
    size = norm(rho)
    u = scale(1.0 / max(size, 1e-12), rho)
    store_contact(i, scale(joint[i, Joints.SIZE + 1], u), sb, d, sa, u, z, edge)
    return scale(size - joint[i, Joints.SIZE], u), ZERO3


@inline
def frame_cylinder(joint, i, sa, ra, oa, sb, rb, ob, d, edge):
    """Write contact and rows of a cylinder in a trough to `edge`. Return the error of b relative to a (linear,
    angular)."""
    lin, _ = frame_trough(joint, i, sa, ra, oa, sb, d, edge)
    store3(edge, i, ACROSS, mul(rb, column(joint, i, ob, 0)))
    store3(edge, i, ACROSS + 3, mul(rb, column(joint, i, ob, 1)))
    return lin, cross(mul(ra, column(joint, i, oa, 2)), mul(rb, column(joint, i, ob, 2)))


@inline
def frame_knife(joint, i, sa, sb, rb, ob, d, edge):
    """Write levers and row of a knife edge to `edge`. Return the error, which is zero."""
    point.store_levers(i, sa, sb, d, edge)
    store3(edge, i, Edges.AXIS, mul(rb, column(joint, i, ob, 2)))
    return ZERO3, ZERO3


@inline
def rows_cylinder(i, edge, rows):
    """Write the five rows of a cylinder in a trough to `rows`, those that keep a position first. Return their
    number."""
    point.write_rows(0, 1, Edges.AXIS, point.LINEAR, i, edge, rows)
    point.write_rows(1, 2, ACROSS, point.ANGULAR, i, edge, rows)
    point.write_rows(3, 2, Edges.AXIS + 3, point.LINEAR, i, edge, rows)
    return 5


# ---------------------------------------------------------------- how the contact moves, and b_acc
@inline
def bias_sphere(joint, edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc (linear, angular) of a sphere on a plane."""
    r_n = scale(joint[i, Joints.SIZE], load3(edge, i, Edges.AXIS))
    centre = add(vb, cross(wb, add(lb, r_n)))
    return point.contact_bias(vb, wb, lb, va, wa, la, sub(centre, cross(wa, r_n)), wa), ZERO3


@inline
def bias_disk(joint, edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc (linear, angular) of a wheel on a plane."""
    n = load3(edge, i, Edges.AXIS)
    m = load3(edge, i, OUT)
    e = load3(edge, i, WHEEL)
    r = joint[i, Joints.SIZE]
    dn = cross(wa, n)
    de = cross(wb, e)
    df = sub(sub(dn, scale(dot(n, e), de)), scale(dot(dn, e) + dot(n, de), e))
    dm = scale(1.0 / max(dot(n, m), 1e-9), add_scaled(df, -dot(m, df), m))
    centre = add(vb, cross(wb, add_scaled(lb, r, m)))
    return point.contact_bias(vb, wb, lb, va, wa, la, add_scaled(centre, -r, dm), wa), ZERO3


@inline
def bias_trough(joint, edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc (linear, angular) of a sphere in a trough."""
    u = load3(edge, i, Edges.AXIS)
    z = load3(edge, i, Edges.AXIS + 3)
    r_u = scale(joint[i, Joints.SIZE + 1], u)
    centre = add(vb, cross(wb, sub(lb, r_u)))
    # of the centre against the trough, over its distance from the axis: how fast u turns about z
    against = sub(centre, add(va, cross(wa, sub(la, r_u))))
    turning = add_scaled(wa, dot(cross(z, u), against) / joint[i, Joints.SIZE], z)
    return point.contact_bias(vb, wb, lb, va, wa, la, add(centre, cross(turning, r_u)), turning), ZERO3


@inline
def bias_cylinder(joint, edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc (linear, angular) of a cylinder in a trough."""
    lin, _ = bias_trough(joint, edge, i, vb, wb, lb, va, wa, la)
    _, ang = directions.bias_parallel(wb, wa)
    return lin, ang


@inline
def bias_knife(vb, wb, lb, va, wa, la):
    """Return b_acc (linear, angular) of a knife edge."""
    return point.contact_bias(vb, wb, lb, va, wa, la, add(vb, cross(wb, lb)), wb), ZERO3
