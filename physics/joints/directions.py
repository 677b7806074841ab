"""Two directions, z fixed in a and z or y fixed in b, stay parallel or at right angles.

    parallel:       C = [0; z_a x z_b]                       T = [0; x_b], [0; y_b]
        perpendicular:  C = [0; -asin(z_a . y_b) t],  t = z_a x y_b / |z_a x y_b|            T = [0; t]

b_acc of "parallel" is that of a hinge, w_a x (w_b - w_a). For "perpendicular" it is the part of t (z_a . y_b)'' that
the velocities cause.
"""

from physics.compiler.jit import inline
from physics.data.work_tables import Edges
from physics.joints import point
from physics.joints.hinge import column
from physics.maths.angle import arctangent
from physics.maths.vec import ZERO3, cross, dot, load3, mul, norm, scale, store3, sub


@inline
def frame_parallel(joint, i, sa, ra, oa, sb, rb, ob, d, edge):
    """Write levers and the two row vectors of constraint i to `edge`. Return the error of b relative to a (linear,
    angular)."""
    point.store_levers(i, sa, sb, d, edge)
    store3(edge, i, Edges.AXIS, mul(rb, column(joint, i, ob, 0)))
    store3(edge, i, Edges.AXIS + 3, mul(rb, column(joint, i, ob, 1)))
    return ZERO3, cross(mul(ra, column(joint, i, oa, 2)), mul(rb, column(joint, i, ob, 2)))


@inline
def frame_perpendicular(joint, i, sa, ra, oa, sb, rb, ob, d, edge):
    """Write levers, the row vector and the two directions of constraint i to `edge`. Return the error of b relative to
    a (linear, angular)."""
    point.store_levers(i, sa, sb, d, edge)
    a = mul(ra, column(joint, i, oa, 0))
    e = mul(rb, column(joint, i, ob, 1))
    n = cross(a, e)
    size = norm(n)
    t = scale(1.0 / size, n)
    store3(edge, i, Edges.AXIS, t)
    store3(edge, i, Edges.AXIS + 3, a)
    store3(edge, i, Edges.AXIS + 6, e)
    return ZERO3, scale(-arctangent(dot(a, e), size), t)


@inline
def rows_parallel(i, edge, rows):
    """Write the two rows of the constraint "parallel" of edge i to `rows`. Return their number."""
    point.write_rows(0, 2, Edges.AXIS, point.ANGULAR, i, edge, rows)
    return 2


@inline
def rows_perpendicular(i, edge, rows):
    """Write the row of the constraint "perpendicular" of edge i to `rows`. Return the number of rows."""
    point.write_rows(0, 1, Edges.AXIS, point.ANGULAR, i, edge, rows)
    return 1


@inline
def bias_parallel(wb, wa):
    """Return b_acc of the constraint "parallel" (linear, angular) for the angular velocities wb and wa."""
    return ZERO3, cross(wa, sub(wb, wa))


@inline
def bias_perpendicular(edge, i, wb, wa):
    """Return b_acc of the constraint "perpendicular" (linear, angular): zero, and t (a'' . e + 2 a' . e' + a . e'')
    with the directions a = z_a and e = y_b."""
    a = load3(edge, i, Edges.AXIS + 3)
    e = load3(edge, i, Edges.AXIS + 6)
    da = cross(wa, a)
    de = cross(wb, e)
    second = dot(cross(wa, da), e) + 2.0 * dot(da, de) + dot(a, cross(wb, de))
    return ZERO3, scale(second, load3(edge, i, Edges.AXIS))
