"""Hard limits of joint coordinates and one-sided rods: rows whose force has one sign, solved together with links and
grabs.

q is a coordinate, q' = J v its rate, s = 1 at its lower end and -1 at its upper, and `gap` its distance to that end:

    s J v >= e - gap / h                      gap >= 0: the limit may be reached in the step, and not passed
    s J v >= e + min(speed, -0.2 gap / h)     gap < 0: a fifth of the way back, no faster than `speed`
    mu >= 0,  mu (s J v - right-hand side) = 0,    e = (h/2) s (b_acc - J a_free) as in integrators/implicit.py

The limits that take part follow from velocities. The system is solved without limits, and every limit that this
solution would violate gets a row, for which one column of the anticipated matrix is solved with the present factor.
Then all rows are solved together by pivoting (`complementary_forces`), with the links closed and the grabs yielding,
and the result is examined again. For a figure that is near no limit, only the coordinates are computed. A step in which
no limit takes part has the same bits as without limits.

With restitution r, a coordinate that would strike a limit in the step rebounds: s J v >= -r s J u (Newton's impact
law). With several limits at once that law may add energy; where it would, the step is taken without restitution.

Impulses change the velocities u by v: s J (u + v) >= 0 where gap <= 0, with restitution s J (u + v) >= -r s J u.
Accelerations satisfy s (J a + J' u) >= 0 where the gap is closed and the rate does not open it.
"""

import math

from physics.bodies import islands, kinds as body_kinds, scales
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Joints, Topology
from physics.data.state_tables import HardLimits, LimitOf, PoseColumn
from physics.data.step_tables import Control, IslandFlag, LimitLaw, Number, Order
from physics.data.work_tables import Edges, LimitWork
from physics.edges import couplings, edges, simd_groups, right_hand_sides
from physics.edges.conditions import has_nonideal_forces
from physics.edges.edge_ends import parent_pose, parent_velocity
from physics.joints import ball, cone
from physics.links import nonideal_forces, sparse_rows
from physics.links.islands import solve_islands
from physics.links.pivoting_rows import RowState
from physics.maths.vec import ZERO3, dot, load3, load9, mat_mul, negative, sub
from physics.solvers import compliant

# A full 1/h would put energy in.
STABILISATION = 0.2
# A limit counts as reached, for impulses and accelerations, within this gap (steps leave 1e-9), and as opening above
# this rate.
TOUCHING = 1e-6
OPENING = 1e-9
# Broken by less than this share of the rates at hand, or by this rate: rounding.
ROUNDING = 1e-11
STILL = 1e-12
# A step of another integrator that leaves a coordinate this far beyond its limit is taken again.
CROSSED = 1e-9
NEVER = -1e300


# ---------------------------------------------------------------- coordinates
@inline
def wrapped(x, low, high):
    """Return the angle x [rad] plus the whole turns that bring it within half a turn of the middle of its range."""
    middle = 0.5 * (low + high)
    return x - 2.0 * math.pi * math.floor((x - middle) / (2.0 * math.pi) + 0.5)


@kernel
def value(m, s, w, l, pose, rotation):
    """Return the coordinate of limit l [rad or m] at `pose`; `rotation` has the rotation matrices of that pose."""
    e = int(s.limit[l, HardLimits.EDGE])
    what = int(s.limit[l, HardLimits.WHAT])
    t, r = couplings.place(m, e)
    c = t[r, Topology.CHILD]
    if what == LimitOf.SWING or what == LimitOf.TWIST:
        _, rot_p = parent_pose(w, t[r, Topology.PARENT], pose, rotation)
        rot_c = load9(rotation, c, 0)
        if s.limit[l, HardLimits.ELLIPSE] != 0.0:
            return swing_in_ellipse(m, s, l, rot_c, rot_p)[0]
        if what == LimitOf.SWING:
            x, _ = ball.swing(m.joint, e, rot_c, rot_p)
        else:
            _, _, x, _ = ball.swing_and_twist(m.joint, e, rot_c, rot_p)
    else:
        q = edges.edge_coordinates(m, s, w, t, r, e, c, pose, rotation)
        x = q[0] if what == LimitOf.LENGTH else couplings.component(q, what)
    if s.limit[l, HardLimits.WRAP] != 0.0:
        x = wrapped(x, s.limit[l, HardLimits.LOWER], s.limit[l, HardLimits.UPPER])
    return x


@inline
def ellipse_frames(m, s, l, rot_c, rot_p):
    """Return the frames of limit l in the child and in the parent (3x3 matrices in world axes), and the ratios of its
    ellipse about x and y."""
    e = int(s.limit[l, HardLimits.EDGE])
    child = mat_mul(rot_c, load9(m.joint, e, Joints.AXES_CHILD))
    parent = mat_mul(rot_p, load9(m.joint, e, Joints.AXES_PARENT))
    return child, parent, s.limit[l, HardLimits.RATIO], s.limit[l, HardLimits.RATIO + 1]


@kernel
def swing_in_ellipse(m, s, l, rot_c, rot_p):
    """Return the swing of limit l as its ellipse measures it, and the gradient: its product with the child's spin
    relative to the parent is the rate of that swing. rot_c and rot_p are the rotations of child and parent."""
    child, parent, about_x, about_y = ellipse_frames(m, s, l, rot_c, rot_p)
    if s.limit[l, HardLimits.ELLIPSE] > 0.0:
        return cone.lean(parent, cone.column(child, 2), about_x, about_y)
    q, n = cone.lean(child, cone.column(parent, 2), about_x, about_y)
    return q, negative(n)


@kernel
def ellipse_bias(m, s, l, rot_c, rot_p, wc, wp):
    """Return -q'' of the swing in an ellipse while the spins wc and wp of child and parent stay constant."""
    child, parent, about_x, about_y = ellipse_frames(m, s, l, rot_c, rot_p)
    if s.limit[l, HardLimits.ELLIPSE] > 0.0:
        return -cone.lean_curve(parent, cone.column(child, 2), about_x, about_y, sub(wc, wp), wp)
    return -cone.lean_curve(child, cone.column(parent, 2), about_x, about_y, sub(wp, wc), wc)


@kernel
def gradient(m, s, w, l, rotation):
    """Return the twist (tv, tw) at the anchor whose product with the relative twist is the rate of the coordinate of
    limit l. It is read from Work.edge or computed from `rotation`."""
    e = int(s.limit[l, HardLimits.EDGE])
    what = int(s.limit[l, HardLimits.WHAT])
    t, r = couplings.place(m, e)
    if what == LimitOf.LENGTH:
        return load3(w.edge, e, Edges.AXIS), ZERO3
    if what == LimitOf.SWING or what == LimitOf.TWIST:
        _, rot_p = parent_pose(w, t[r, Topology.PARENT], s.pose, rotation)
        rot_c = load9(rotation, t[r, Topology.CHILD], 0)
        if s.limit[l, HardLimits.ELLIPSE] != 0.0:
            return ZERO3, swing_in_ellipse(m, s, l, rot_c, rot_p)[1]
        if what == LimitOf.SWING:
            return ZERO3, ball.swing(m.joint, e, rot_c, rot_p)[1]
        return ZERO3, ball.swing_and_twist(m.joint, e, rot_c, rot_p)[3]
    return compliant.dual_axis(e, t[r, Topology.PATH], t[r, Topology.DOFS], what, w.edge)


@far("pressing", "msw")
def begin(m, s, w):
    """Write the coordinates of all limits at the present state to LimitWork.VALUE, and clear their rows and mean
    forces. Control.LIMIT_ROWS becomes Control.PULL_ROWS: there are no rows of limits yet."""
    w.control[Control.LIMIT_ROWS] = w.control[Control.PULL_ROWS]
    w.control[Control.LIMITS_LEFT] = 0
    w.control[Control.CALM] = 0
    if w.control[Control.PULL_ROWS] == 0:
        for i in range(w.auxiliary.mark.shape[0]):
            w.auxiliary.mark[i] = 0
            w.auxiliary.active[i] = 0
    for l in range(s.limit.shape[0]):
        if s.limit[l, HardLimits.ON] != 0.0:
            w.limit[l, LimitWork.VALUE] = value(m, s, w, l, s.pose, w.rotation)
        w.limit[l, LimitWork.ROW] = -1.0
        w.limit[l, LimitWork.ROW + 1] = -1.0
        w.limit[l, LimitWork.MEAN] = 0.0


# ---------------------------------------------------------------- rows
@kernel
def asked(m, s, w, l, gap, rate, sign, tv, tw):
    """Return the least s J v that respects one end of limit l, or NEVER if this end does not matter. `gap` is the
    distance to the end, `rate` the present s J u, and (tv, tw) the gradient."""
    law = w.control[Control.LIMIT_LAW]
    if law == LimitLaw.STEP:
        h = w.number[Number.LIMIT_SPAN]
        curve = ahead(m, s, w, l, sign, tv, tw, 0.5 * h) if w.control[Control.ORDER] != Order.KINEMATIC else 0.0
        if gap >= 0.0:
            return curve - gap / h
        return curve + min(s.limit[l, HardLimits.SPEED], -STABILISATION * gap / h)
    if gap > TOUCHING:
        return NEVER
    if law == LimitLaw.IMPULSE:
        return -rate
    if rate > OPENING:
        return NEVER
    return bias(m, s, w, l, sign, tv, tw, True)


@kernel
def ahead(m, s, w, l, sign, tv, tw, t):
    """Return t s (-J' u - J a_free) of limit l. With t = h/2 this is minus the second-order part of the coordinate's
    change in the step, divided by h (integrators/implicit.py)."""
    e = int(s.limit[l, HardLimits.EDGE])
    t_edge, r = couplings.place(m, e)
    lin, ang = right_hand_sides.turning_bias(m, w, t_edge, r, e, t_edge[r, Topology.CHILD], w.stash, 0)
    return t * (bias(m, s, w, l, sign, tv, tw, False) - sign * (dot(tv, lin) + dot(tw, ang)))


@kernel
def bias(m, s, w, l, sign, tv, tw, prescribed):
    """Return -s J' u of limit l, with the gradient (tv, tw); `prescribed` says whether prescribed motions count."""
    e = int(s.limit[l, HardLimits.EDGE])
    what = int(s.limit[l, HardLimits.WHAT])
    t, r = couplings.place(m, e)
    c = t[r, Topology.CHILD]
    p = t[r, Topology.PARENT]
    if what == LimitOf.SWING or what == LimitOf.TWIST:
        _, rot_p = parent_pose(w, p, s.pose, w.rotation)
        _, wp = parent_velocity(w, p, s.velocity)
        wc = load3(s.velocity, c, 3)
        rot_c = load9(w.rotation, c, 0)
        if s.limit[l, HardLimits.ELLIPSE] != 0.0:
            turning = ellipse_bias(m, s, l, rot_c, rot_p, wc, wp)
        else:
            swing, twist = ball.swing_bias(m.joint, e, rot_c, rot_p, wc, wp)
            turning = swing if what == LimitOf.SWING else twist
    else:
        turning = 0.0
    lin, ang = right_hand_sides.edge_bias(m, s, w, t, r, e, c, s.velocity, prescribed)
    return sign * (dot(tv, lin) + dot(tw, ang) + turning)


@kernel
def bounce(m, s, w, l, rate, prescribed, least):
    """Return what restitution adds to `least`, or 0 if it adds nothing. `least` is the least s J v, or for an impulse
    the least change of s J u. `rate` is s J u relative to the parent, and `prescribed` the part that prescribed motions
    add to s J u."""
    law = w.control[Control.LIMIT_LAW]
    e = s.limit[l, HardLimits.BOUNCE]
    if (
        e == 0.0
        or rate >= -OPENING
        or law == LimitLaw.ACCELERATION
        or w.control[Control.CALM] != 0
        or w.control[Control.ORDER] == Order.KINEMATIC
    ):
        return 0.0
    if law == LimitLaw.IMPULSE:
        return -e * rate
    return max(prescribed - e * rate - least, 0.0)


@far("limits", "msw")
def add_broken(m, s, w):
    """Add rows to Work.auxiliary for the limits that Work.velocity would violate; `right` of a row is what its rate
    must gain, and their number is added to Control.LIMIT_ROWS."""
    c = w.control
    a = w.auxiliary
    step = c[Control.LIMIT_LAW] == LimitLaw.STEP
    reach = 3.0 * w.number[Number.LIMIT_SPAN] * body_kinds.largest_spin(w.velocity) if step else 0.0
    for l in range(s.limit.shape[0]):
        if s.limit[l, HardLimits.ON] == 0.0 or w.limit[l, LimitWork.TAKEN] != 0.0:
            continue
        x = w.limit[l, LimitWork.VALUE]
        low = x - s.limit[l, HardLimits.LOWER]
        high = s.limit[l, HardLimits.UPPER] - x
        near = min(low, high)
        if step and s.limit[l, HardLimits.WRAP] != 0.0 and near > reach:
            continue  # no joint turns faster than its two bodies together, and a half is to spare
        if not step and near > TOUCHING:
            continue
        tv, tw = gradient(m, s, w, l, w.rotation)
        for side in range(2):
            gap = low if side == 0 else high
            if gap == math.inf or w.limit[l, LimitWork.ROW + side] >= 0.0:
                continue
            at = c[Control.LIMIT_ROWS]
            if at - c[Control.PULL_ROWS] >= a.limit.shape[0] or at >= a.edge.shape[0]:
                c[Control.LIMITS_LEFT] += 1
                continue
            sign = 1.0 if side == 0 else -1.0
            put(m, s, w, l, at, sign, tv, tw)
            prescribed = sign * prescribed_rate(m, s, w, l, tv, tw)
            speed = sparse_rows.rate(a, at, w.velocity)
            rate = sparse_rows.rate(a, at, s.velocity) - prescribed
            least = asked(m, s, w, l, gap, rate, sign, tv, tw)
            if speed - least < -ROUNDING * (abs(speed) + abs(least)) - STILL:
                more = bounce(m, s, w, l, rate, prescribed, least)
                a.bounce[at - c[Control.PULL_ROWS]] = more
                a.right[at] = least + more - speed
                a.limit[at - c[Control.PULL_ROWS]] = l
                a.multiplier[at] = 0.0
                a.held[at] = 0.0
                a.mate[at] = -1
                a.bound[at, 0] = 0.0
                a.bound[at, 1] = math.inf
                a.lean[at] = 0.0
                a.guess[at] = RowState.HELD
                w.limit[l, LimitWork.ROW + side] = at
                c[Control.LIMIT_ROWS] += 1


@kernel
def prescribed_rate(m, s, w, l, tv, tw):
    """Return the rate of the coordinate of limit l that comes from its parent's prescribed motion at the next pose; 0
    for other parents. The row of the limit has no entry for a prescribed body."""
    e = int(s.limit[l, HardLimits.EDGE])
    t, r = couplings.place(m, e)
    if t[r, Topology.PARENT] >= -1:
        return 0.0
    lin, ang = right_hand_sides.prescribed_twist(m, w, t, r, e)
    return dot(tv, lin) + dot(tw, ang)


@kernel
def put(m, s, w, l, at, sign, tv, tw):
    """Write limit l as row `at` of Work.auxiliary, with the gradient (tv, tw) times `sign`."""
    e = int(s.limit[l, HardLimits.EDGE])
    t, r = couplings.place(m, e)
    if sign < 0.0:
        tv = negative(tv)
        tw = negative(tw)
    sparse_rows.put_row(w, e, t[r, Topology.CHILD], t[r, Topology.PARENT], at, tv, tw, 0.0)


# ---------------------------------------------------------------- forces
@kernel
def close_links(w, first, count):
    """Write to `reach` the links' multipliers for a unit force of each of the rows first to first + count - 1 of
    Work.auxiliary. Write to `schur` the response of each of these rows to itself and to the rows before it, while the
    links stay closed."""
    a = w.auxiliary
    if has_nonideal_forces(a):
        nonideal_forces.close_links(w, first, count)
        return
    links = w.control[Control.ROW_COUNT]
    for r in range(first, first + count):
        g = r - links
        solve_islands(w, a.matrix[r], a.reach[g], False)
        for h in range(g + 1):
            x = a.matrix[r, links + h]
            for k in range(links):
                x -= a.matrix[r, k] * a.reach[h, k]
            a.schur[g, h] = x
            a.schur[h, g] = x


@kernel
def eliminate(w, first, count):
    """Close the links for `count` new rows from `first` on (Auxiliary.reach and schur). Auxiliary.right becomes the
    amount that the rates of these rows must gain without the pulls of grabs and limits."""
    close_links(w, first, count)
    a = w.auxiliary
    links = w.control[Control.ROW_COUNT]
    for r in range(first, first + count):
        for q in range(links, first):
            a.right[r] += a.schur[r - links, q - links] * a.multiplier[q]


@far("limits", "sw", "b")
def are_calmed(s, w):
    """Return whether limits with restitution add energy; if so, set Control.CALM and remove restitution from
    Auxiliary.right. A limit with restitution adds no energy at itself, but it may drive a joint that leaves another
    limit back to that limit, which then adds energy."""
    c = w.control
    a = w.auxiliary
    step = c[Control.LIMIT_LAW] == LimitLaw.STEP
    bouncing = False
    gained = 0.0
    size = 0.0
    for r in range(c[Control.PULL_ROWS], c[Control.LIMIT_ROWS]):
        i = r - c[Control.PULL_ROWS]
        if a.limit[i] < 0:
            continue
        before = sparse_rows.rate(a, r, s.velocity)
        after = sparse_rows.rate(a, r, w.velocity)
        work = a.multiplier[r] * (0.5 * (before + after) if step else before + 0.5 * after)
        bouncing = bouncing or a.bounce[i] > 0.0
        l = a.limit[i]
        x = w.limit[l, LimitWork.VALUE]
        gap = x - s.limit[l, HardLimits.LOWER] if w.limit[l, LimitWork.ROW] == r else s.limit[l, HardLimits.UPPER] - x
        if work < 0.0 or gap >= -TOUCHING:  # what is beyond its limit is brought back, which is no impact
            gained += work
            size += abs(a.multiplier[r]) * (abs(before) + abs(after))
    if not bouncing or gained <= ROUNDING * size:
        return False
    c[Control.CALM] = 1
    for r in range(c[Control.PULL_ROWS], c[Control.LIMIT_ROWS]):
        i = r - c[Control.PULL_ROWS]
        if a.limit[i] >= 0:
            a.right[r] -= a.bounce[i]
            a.bounce[i] = 0.0
    return True


@far("limits", "msw")
def settle(m, s, w):
    """Add the forces of the limits in this request to LimitWork.MEAN. Write their work to LimitWork.DONE and add it to
    the sums in Work.number. The work mu s J (u + v) / 2 is the change of kinetic energy by an impulse mu."""
    c = w.control
    a = w.auxiliary
    w.number[Number.LIMIT_LAST_WORK] = 0.0
    for l in range(w.limit.shape[0]):
        w.limit[l, LimitWork.DONE] = 0.0
    law = c[Control.LIMIT_LAW]
    share = 1.0 / w.number[Number.LIMIT_SPAN] if law == LimitLaw.STEP else 1.0
    for r in range(c[Control.PULL_ROWS], c[Control.LIMIT_ROWS]):
        l = a.limit[r - c[Control.PULL_ROWS]]
        if l < 0:
            continue  # of a contact
        x = a.multiplier[r]
        w.limit[l, LimitWork.MEAN] += share * (x if w.limit[l, LimitWork.ROW] == r else -x)
        if law == LimitLaw.STEP and c[Control.ORDER] != Order.KINEMATIC:
            if not islands.takes_part(w, islands.child_of(m, int(s.limit[l, HardLimits.EDGE]))):
                continue
            work = 0.5 * x * (sparse_rows.rate(a, r, s.velocity) + sparse_rows.rate(a, r, w.velocity))
            w.number[Number.STEP_WORK] += work
            w.number[Number.LIMIT_STEP_WORK] += work
            w.number[Number.LIMIT_LAST_WORK] += work
            w.limit[l, LimitWork.DONE] += work


# ---------------------------------------------------------------- steps
@far("limits", "msw")
def look(m, s, w):
    """Write to Control.LIMITS_CROSSED whether Work.next_pose violates a limit; the step is then repeated with its
    limits. Mark the islands of all such limits with IslandFlag.PRESSED."""
    w.control[Control.LIMITS_CROSSED] = 0
    if w.next_pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, w.next_pose)
    simd_groups.fill_rotations(w.next_pose, w.next_rotation)
    for l in range(s.limit.shape[0]):
        if s.limit[l, HardLimits.ON] != 0.0:
            x = value(m, s, w, l, w.next_pose, w.next_rotation)
            if min(x - s.limit[l, HardLimits.LOWER], s.limit[l, HardLimits.UPPER] - x) < -CROSSED:
                w.control[Control.LIMITS_CROSSED] = 1
                islands.mark(w, islands.child_of(m, int(s.limit[l, HardLimits.EDGE])), IslandFlag.PRESSED)
