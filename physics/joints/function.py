"""A constraint given by functions of the state of both bodies: C(x_a, R_a, x_b, R_b) = 0 and its Jacobian.

    C' = J_a (v_a, w_a) + J_b (v_b, w_b)

C may depend on where the two bodies are in the world. J_a and J_b, and therefore the forces, need not be equal and
opposite: the rows are not twists at a common anchor. The edge has OWN_ROWS: its errors, right-hand sides and wrenches
are numbers in the space of its rows. T is the unit matrix, the wrench holds the multipliers, and the Jacobians are
stored after T.

A condition on velocities alone (joint[SIZE + 1] is 1) is f(x, R, u) = J u = 0. Its error is f at rest, which is 0, and
b_acc = -J' u is minus the derivative of f along the motion of the present velocities u, with u constant.

C, f and J are called by machine address (`physics.compiler.callback`). b_acc = -J' u of C is minus its second
derivative along the present velocities, by differences of sixth order; their error is some 1e-11 of C.
"""

from physics.compiler.callback import call
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Joints
from physics.data.work_tables import ConstraintRows, Edges
from physics.maths import quat
from physics.maths.vec import ZERO3, add_scaled, load3, load9, mat_mul, norm, scale, store3, store9

MOST_ROWS = 6
STEP = 0.03  # rad, or of the length given with the constraint
# second derivative of sixth order, times the step squared: at 0, and at 1, 2, 3 steps to either side
MIDDLE = -49.0 / 18.0
BESIDE = (1.5, -0.15, 1.0 / 90.0)
# first derivative of sixth order, times the step
SLOPE = (0.75, -0.15, 1.0 / 60.0)


@kernel
def store_input(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write the arguments of C to `edge`: centre of mass and rotation matrix (of the frame of the definition) of a,
    then of b."""
    child = Edges.INPUT + 12 if joint[i, Joints.SIDE] > 0.0 else Edges.INPUT
    parent = Edges.INPUT if joint[i, Joints.SIDE] > 0.0 else Edges.INPUT + 12
    store3(edge, i, child, xc)
    store9(edge, i, child + 3, mat_mul(rot_c, load9(joint, i, Joints.AXES_CHILD)))
    store3(edge, i, parent, xp)
    store9(edge, i, parent + 3, mat_mul(rot_p, load9(joint, i, Joints.AXES_PARENT)))


@kernel
def store_velocities(joint, edge, i, vc, wc, vp, wp):
    """Write the twists of a, then of b, to `edge`: further arguments of f, which C does not read."""
    child = Edges.MOVING + 6 if joint[i, Joints.SIDE] > 0.0 else Edges.MOVING
    parent = Edges.MOVING if joint[i, Joints.SIDE] > 0.0 else Edges.MOVING + 6
    store3(edge, i, child, vc)
    store3(edge, i, child + 3, wc)
    store3(edge, i, parent, vp)
    store3(edge, i, parent + 3, wp)


@kernel
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write levers (zero), arguments and values of constraint i to `edge`. Return C as two triples of numbers."""
    store_input(joint, i, xc, rot_c, xp, rot_p, edge)
    store3(edge, i, Edges.RC, ZERO3)
    store3(edge, i, Edges.RP, ZERO3)
    store_velocities(joint, edge, i, ZERO3, ZERO3, ZERO3, ZERO3)
    call(joint[i, Joints.ADDRESS], edge, i, Edges.INPUT, edge, i, Edges.OUTPUT)
    return load3(edge, i, Edges.OUTPUT), load3(edge, i, Edges.OUTPUT + 3)


@kernel
def rows(joint, i, edge, rows):
    """Write T = 1 and the Jacobians of child and parent of edge i to `rows`; the function writes those of a and b,
    which are exchanged if the child is a."""
    for k in range(ConstraintRows.CHILD_ROWS):
        rows[i, k] = 0.0
    for k in range(MOST_ROWS):
        rows[i, 7 * k] = 1.0
    # the function writes the columns of a as six rows, then those of b
    call(joint[i, Joints.ADDRESS + 1], edge, i, Edges.INPUT, rows, i, ConstraintRows.CHILD_ROWS)
    if joint[i, Joints.SIDE] > 0.0:
        for k in range(36):
            x = rows[i, ConstraintRows.CHILD_ROWS + k]
            rows[i, ConstraintRows.CHILD_ROWS + k] = rows[i, ConstraintRows.PARENT_ROWS + k]
            rows[i, ConstraintRows.PARENT_ROWS + k] = x


@inline
def row_rate(rows, i, k, vc, wc, vp, wp):
    """Return row k of J u of edge i, with J in `rows` and the velocities of child and parent."""
    c = ConstraintRows.CHILD_ROWS + 6 * k
    p = ConstraintRows.PARENT_ROWS + 6 * k
    s = 0.0
    for j in range(3):
        s += rows[i, c + j] * vc[j] + rows[i, c + 3 + j] * wc[j] + rows[i, p + j] * vp[j] + rows[i, p + 3 + j] * wp[j]
    return s


@far("kinds", "ti3333", "33")
def rates(rows, i, vc, wc, vp, wp):
    """Return J u of edge i as two triples of numbers, with J in `rows`."""
    return (
        row_rate(rows, i, 0, vc, wc, vp, wp), row_rate(rows, i, 1, vc, wc, vp, wp),
        row_rate(rows, i, 2, vc, wc, vp, wp),
    ), (
        row_rate(rows, i, 3, vc, wc, vp, wp), row_rate(rows, i, 4, vc, wc, vp, wp),
        row_rate(rows, i, 5, vc, wc, vp, wp),
    )  # fmt: skip


@inline
def store_moved(edge, i, o, x, rot, v, w, t):
    """Write position x and rotation matrix `rot` of a body, moved by its velocity (v, w) over the time t, to `edge`
    from column o on."""
    store3(edge, i, o, add_scaled(x, t, v))
    store9(edge, i, o + 3, mat_mul(quat.matrix(quat.exponential(scale(t, w))), rot))


@kernel
def bias(joint, edge, i, vc, wc, vp, wp):
    """Return b_acc of edge i, -C'' (or -f') along the velocities. The poses and values in `edge` are changed during the
    call, and then restored."""
    child = Edges.INPUT + 12 if joint[i, Joints.SIDE] > 0.0 else Edges.INPUT
    parent = Edges.INPUT if joint[i, Joints.SIDE] > 0.0 else Edges.INPUT + 12
    speed = max(max(norm(vc), norm(vp)) / joint[i, Joints.SIZE], max(norm(wc), norm(wp)))
    if speed == 0.0:
        return ZERO3, ZERO3
    t = STEP / speed
    xc = load3(edge, i, child)
    rot_c = load9(edge, i, child + 3)
    xp = load3(edge, i, parent)
    rot_p = load9(edge, i, parent + 3)
    c0 = load3(edge, i, Edges.OUTPUT)
    c1 = load3(edge, i, Edges.OUTPUT + 3)
    of_velocity = joint[i, Joints.SIZE + 1] != 0.0
    sum0 = ZERO3
    sum1 = ZERO3
    if of_velocity:
        store_velocities(joint, edge, i, vc, wc, vp, wp)
    else:
        sum0 = scale(MIDDLE, c0)
        sum1 = scale(MIDDLE, c1)
    for step in range(6):
        n = step // 2 + 1
        weight = BESIDE[0] if n == 1 else BESIDE[1] if n == 2 else BESIDE[2]
        if of_velocity:
            weight = SLOPE[0] if n == 1 else SLOPE[1] if n == 2 else SLOPE[2]
            weight = weight if step % 2 == 0 else -weight
        dt = n * t if step % 2 == 0 else -n * t
        store_moved(edge, i, child, xc, rot_c, vc, wc, dt)
        store_moved(edge, i, parent, xp, rot_p, vp, wp, dt)
        call(joint[i, Joints.ADDRESS], edge, i, Edges.INPUT, edge, i, Edges.OUTPUT)
        sum0 = add_scaled(sum0, weight, load3(edge, i, Edges.OUTPUT))
        sum1 = add_scaled(sum1, weight, load3(edge, i, Edges.OUTPUT + 3))
    store3(edge, i, child, xc)
    store9(edge, i, child + 3, rot_c)
    store3(edge, i, parent, xp)
    store9(edge, i, parent + 3, rot_p)
    store3(edge, i, Edges.OUTPUT, c0)
    store3(edge, i, Edges.OUTPUT + 3, c1)
    k = -1.0 / t if of_velocity else -1.0 / (t * t)
    return scale(k, sum0), scale(k, sum1)


@kernel
def slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp, spare, spare_rows):
    """Return J u of edge i, with J at the given poses; `spare` and `spare_rows` are overwritten."""
    store_input(joint, i, xc, rot_c, xp, rot_p, spare)
    rows(joint, i, spare, spare_rows)
    return rates(spare_rows, i, vc, wc, vp, wp)
