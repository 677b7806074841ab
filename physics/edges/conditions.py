"""Conditions on the poses of any number of bodies, C(x_1, R_1, ..., x_n, R_n) = 0, as links of one to six rows.

    C' = sum_i J_i u_i,     u_i = (v_i, w_i),     sum over the bodies

Conditions on velocities only, f(x_1, R_1, ..., u_1, ...) = sum_i J_i u_i = 0, have no row that keeps a position: their
number HOLONOMIC is 0. Their C is f at rest, which is 0, and b_acc = -J' u is minus the derivative of f along the motion
with constant u.

The multipliers mu act along the Jacobian: f_i += J_i^T mu, and the forces do no work. Or they act along other
directions K_i, which are fixed in the world, fixed in the bodies, or a function of the poses. Then the forces are
non-ideal: f_i += K_i^T mu does work, with the power

    P = mu . sum_i K_i u_i

An example is a thruster. The ledger of energy counts this work. With OWN_ROWS, T = 1: errors, right-hand sides and
wrenches are numbers in the space of the rows, and J and K are in Work.shared (`Shared` in data/work_tables.py describes
its rows).

C (or f), J and K are called by machine address, as those of `joints.function`, which describes how b_acc is found."""

from physics.bodies import islands
from physics.compiler.callback import call
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import ForceLaw, JointKind, Joints, Member, Topology
from physics.data.work_tables import Frames
from physics.edges.edge_ends import parent_pose, parent_velocity
from physics.joints.function import BESIDE, MIDDLE, MOST_ROWS, SLOPE, STEP
from physics.maths import quat
from physics.maths.vec import (
    ZERO3, add, add_scaled, dot, load3, load9, mat_mul, mul, negative, norm, scale, store3, store9, sub,
)  # fmt: skip


# ---------------------------------------------------------------- places in Model.table and Work.shared
@inline
def members(m, e):
    """Return the number of bodies of condition e."""
    return int(m.joint[e, Joints.TABLE_ROWS])


@inline
def member(m, e, k):
    """Return the index of body k of condition e; below -1 it is a moving frame."""
    return int(m.table[int(m.joint[e, Joints.TABLE]) + k, Member.BODY])


@inline
def input_at(m, e, other):
    """Return the first row in Work.shared of the arguments of C, at the pose of the rows or, with `other`, at the other
    pose."""
    return int(m.joint[e, Joints.STORE]) + (2 * members(m, e) if other else 0)


@inline
def values_at(m, e):
    """Return the row in Work.shared of the values of C."""
    return int(m.joint[e, Joints.STORE]) + 4 * members(m, e)


@inline
def rows_at(m, e, other):
    """Return the first row in Work.shared of J, at the pose of the rows or, with `other`, at the other pose. K follows
    J."""
    n = members(m, e)
    return int(m.joint[e, Joints.STORE]) + 4 * n + 1 + (6 * n if other else 0)


@inline
def load_entry(m, w, at, k, r):
    """Return row r of body k in J (or K), which starts at row `at` of Work.shared, as (force, moment)."""
    line = at + 3 * k + r // 2
    o = 6 * (r % 2)
    return load3(w.shared, line, o), load3(w.shared, line, o + 3)


@inline
def store_entry(m, w, at, k, r, v, t):
    """Write (v, t) to row r of body k in J (or K), which starts at row `at` of Work.shared."""
    line = at + 3 * k + r // 2
    o = 6 * (r % 2)
    store3(w.shared, line, o, v)
    store3(w.shared, line, o + 3, t)


@inline
def is_of_velocities(m, e):
    """Return whether condition e constrains velocities only."""
    return m.links[e - m.topology.shape[0], Topology.HOLONOMIC] == 0


@inline
def has_nonideal_forces(a):
    """Return whether some row of the figure has non-ideal constraint forces (links/nonideal_forces.py). `a` is
    Work.auxiliary."""
    return a.force_jacobian.shape[0] > 1


@inline
def has_forces(m, e):
    """Return whether edge e is a condition with non-ideal constraint forces."""
    n = m.topology.shape[0]
    return (
        e >= n
        and m.links[e - n, Topology.KIND] == JointKind.GROUP_CONDITION
        and m.joint[e, Joints.FORCES] != ForceLaw.ALONG_ROWS
    )


# ---------------------------------------------------------------- C, J and K
@kernel
def put_input(m, w, e, pose, rotation, other):
    """Write positions and rotation matrices of the bodies of condition e at `pose` to Work.shared, with velocities of
    zero: the arguments of C."""
    first = input_at(m, e, other)
    table = int(m.joint[e, Joints.TABLE])
    for k in range(members(m, e)):
        x, rot = parent_pose(w, member(m, e, k), pose, rotation)
        store3(w.shared, first + k, 0, x)
        store9(w.shared, first + k, 3, mat_mul(rot, load9(m.table, table + k, Member.TURN)))
        put_velocity(m, w, e, first, k, ZERO3, ZERO3)


@inline
def put_velocity(m, w, e, first, k, v, a):
    """Write the velocity (v, a) of body k to the arguments of f in Work.shared. C does not read it."""
    line = first + members(m, e) + k // 2
    o = 6 * (k % 2)
    store3(w.shared, line, o, v)
    store3(w.shared, line, o + 3, a)


@kernel
def values(m, w, e, other):
    """Call the function of condition e with its arguments in Work.shared, those at the `other` pose or those at the
    pose of the rows. Return its values C or f, as two triples of numbers."""
    o = 6 if other else 0
    at = values_at(m, e)
    call(m.joint[e, Joints.ADDRESS], w.shared, input_at(m, e, other), 0, w.shared, at, o)
    return load3(w.shared, at, o), load3(w.shared, at, o + 3)


@far("conditions", "mwitt", "33")
def frame(m, w, e, pose, rotation):
    """Write T = 1 of condition e to Work.rows, and J and K at `pose` to Work.shared. Return C, as two triples of
    numbers."""
    for k in range(MOST_ROWS):
        w.rows[e, 7 * k] = 1.0
    put_input(m, w, e, pose, rotation, False)
    at = rows_at(m, e, False)
    call(m.joint[e, Joints.ADDRESS + 1], w.shared, input_at(m, e, False), 0, w.shared, at, 0)
    if m.joint[e, Joints.FORCES] != ForceLaw.ALONG_ROWS and m.joint[e, Joints.FORCES] != ForceLaw.BY_FUNCTION:
        put_fixed_forces(m, w, e, at + 3 * members(m, e))
    return values(m, w, e, False)


@kernel
def put_fixed_forces(m, w, e, at):
    """Write K of condition e, from the directions in Model.table, to Work.shared from row `at` on, in world axes."""
    n = members(m, e)
    count = m.links[e - m.topology.shape[0], Topology.ROWS]
    given = int(m.joint[e, Joints.TABLE]) + n
    for k in range(n):
        turn = load9(w.shared, input_at(m, e, False) + k, 3)
        for r in range(count):
            f = load3(m.table, given + count * k + r, 0)
            t = load3(m.table, given + count * k + r, 3)
            if m.joint[e, Joints.FORCES] == ForceLaw.FIXED_IN_BODY:
                f = mul(turn, f)
                t = mul(turn, t)
            store_entry(m, w, at, k, r, f, t)


@far("conditions", "mwitt", "33")
def error(m, w, e, pose, rotation):
    """Return C of condition e at `pose`, as two triples of numbers. J and K do not change."""
    put_input(m, w, e, pose, rotation, True)
    return values(m, w, e, True)


# ---------------------------------------------------------------- J times motions
@inline
def add_product(m, w, at, k, v, a, lin, ang):
    """Return (lin, ang) + J_k (v, a), as two triples of numbers. J_k is the Jacobian of body k; J starts at row `at` of
    Work.shared."""
    return add(lin, (entry(m, w, at, k, 0, v, a), entry(m, w, at, k, 1, v, a), entry(m, w, at, k, 2, v, a))), add(
        ang, (entry(m, w, at, k, 3, v, a), entry(m, w, at, k, 4, v, a), entry(m, w, at, k, 5, v, a))
    )


@inline
def entry(m, w, at, k, r, v, a):
    """Return row r of J_k (v, a). J_k is the Jacobian of body k; J starts at row `at` of Work.shared."""
    jv, jw = load_entry(m, w, at, k, r)
    return dot(jv, v) + dot(jw, a)


@kernel
def product(m, w, e, at, velocity, bodies, frames):
    """Return J u of condition e as two triples of numbers, summed over the bodies that forces move (`bodies`), over the
    moving frames (`frames`), or both. J starts at row `at` of Work.shared."""
    lin = ZERO3
    ang = ZERO3
    for k in range(members(m, e)):
        b = member(m, e, k)
        if (b >= 0 and bodies) or (b < 0 and frames):
            v, a = parent_velocity(w, b, velocity)
            lin, ang = add_product(m, w, at, k, v, a, lin, ang)
    return lin, ang


@far("conditions", "mwittt", "33")
def slip(m, w, e, pose, rotation, velocity):
    """Return J u of condition e, with J at `pose` and u = `velocity`."""
    put_input(m, w, e, pose, rotation, True)
    at = rows_at(m, e, True)
    call(m.joint[e, Joints.ADDRESS + 1], w.shared, input_at(m, e, True), 0, w.shared, at, 0)
    return product(m, w, e, at, velocity, True, True)


@far("conditions", "mwit", "33")
def rate(m, w, e, velocity):
    """Return J u of condition e with the present rows and u = `velocity`. Moving frames count as at rest, because C is
    taken at their poses at the end of the step."""
    return product(m, w, e, rows_at(m, e, False), velocity, True, False)


@far("conditions", "mwi", "33")
def prescribed(m, w, e):
    """Return the part of b of condition e that moving frames prescribe: minus J times their velocity."""
    lin, ang = product(m, w, e, rows_at(m, e, False), w.velocity, False, True)
    return negative(lin), negative(ang)


@far("conditions", "mwiti", "33")
def turning_rate(m, w, e, turning, o):
    """Return J a of condition e for the angular accelerations a in three columns of `turning` from column o on."""
    lin = ZERO3
    ang = ZERO3
    at = rows_at(m, e, False)
    for k in range(members(m, e)):
        b = member(m, e, k)
        if b >= 0:
            lin, ang = add_product(m, w, at, k, ZERO3, load3(turning, b, o), lin, ang)
    return lin, ang


@far("conditions", "mwitb", "33")
def bias(m, w, e, velocity, prescribed):
    """Return b_acc = -J' u of condition e (-C'', or -f', at constant velocities u), by differences between poses around
    that of the rows. With `prescribed`, subtract J times the accelerations of moving frames; else these count as at
    rest."""
    n = members(m, e)
    of_velocities = is_of_velocities(m, e)
    fastest = 0.0
    for k in range(n):
        v, a = known_velocity(m, w, e, k, velocity, prescribed)
        fastest = max(fastest, max(norm(v) / m.joint[e, Joints.SIZE], norm(a)))
    lin = ZERO3
    ang = ZERO3
    if fastest > 0.0:
        t = STEP / fastest
        here = input_at(m, e, False)
        there = input_at(m, e, True)
        if not of_velocities:
            at = values_at(m, e)
            lin = scale(MIDDLE, load3(w.shared, at, 0))
            ang = scale(MIDDLE, load3(w.shared, at, 3))
        for step in range(6):
            side = step // 2
            weight = BESIDE[0] if side == 0 else BESIDE[1] if side == 1 else BESIDE[2]
            if of_velocities:
                weight = SLOPE[0] if side == 0 else SLOPE[1] if side == 1 else SLOPE[2]
                weight = weight if step % 2 == 0 else -weight
            dt = (side + 1) * t if step % 2 == 0 else -(side + 1) * t
            for k in range(n):
                v, a = known_velocity(m, w, e, k, velocity, prescribed)
                turn = quat.matrix(quat.exponential(scale(dt, a)))
                store3(w.shared, there + k, 0, add_scaled(load3(w.shared, here + k, 0), dt, v))
                store9(w.shared, there + k, 3, mat_mul(turn, load9(w.shared, here + k, 3)))
                if of_velocities:
                    put_velocity(m, w, e, there, k, v, a)
            c0, c1 = values(m, w, e, True)
            lin = add_scaled(lin, weight, c0)
            ang = add_scaled(ang, weight, c1)
        size = -1.0 / t if of_velocities else -1.0 / (t * t)
        lin = scale(size, lin)
        ang = scale(size, ang)
    if prescribed:
        at = rows_at(m, e, False)
        for k in range(n):
            b = member(m, e, k)
            if b < 0:
                v = load3(w.frame, -2 - b, Frames.ACCELERATION)
                a = load3(w.frame, -2 - b, Frames.ACCELERATION + 3)
                v, a = add_product(m, w, at, k, v, a, ZERO3, ZERO3)
                lin = sub(lin, v)
                ang = sub(ang, a)
    return lin, ang


@inline
def known_velocity(m, w, e, k, velocity, prescribed):
    """Return the velocity of body k of condition e, linear and angular; zero for a moving frame, unless
    `prescribed`."""
    b = member(m, e, k)
    if b < 0 and not prescribed:
        return ZERO3, ZERO3
    return parent_velocity(w, b, velocity)


# ---------------------------------------------------------------- rows of the anticipation
@far("conditions", "mwiii")
def put_row(m, w, e, r, at):
    """Write row r of condition e as auxiliary row `at` to Work.auxiliary, with an entry for each body that forces move.
    If some row of the figure has non-ideal constraint forces, also write the force directions of this row to
    Auxiliary.force_jacobian."""
    a = w.auxiliary
    first = rows_at(m, e, False)
    along = first + (3 * members(m, e) if has_forces(m, e) else 0)
    o = a.start[at]
    for k in range(members(m, e)):
        b = member(m, e, k)
        if b < 0:
            continue
        a.body[o] = b
        put_entry(a.jacobian, o, load_entry(m, w, first, k, r))
        if has_nonideal_forces(a):
            put_entry(a.force_jacobian, o, load_entry(m, w, along, k, r))
        o += 1
    a.start[at + 1] = o


@inline
def put_entry(out, o, wrench):
    """Write the pair of triples `wrench` to row o of `out` (entries, stride), and 0 to the columns of scales, on which
    a function of poses does not depend."""
    store3(out, o, 0, wrench[0])
    store3(out, o, 3, wrench[1])
    for c in range(6, out.shape[1]):
        out[o, c] = 0.0


# ---------------------------------------------------------------- energy
@far("non-ideal forces", "mwfttt")
def add_work(m, w, span, wrench, before, after):
    """Add the work of all non-ideal constraint forces, span mu . K (u + u') / 2, to the ledger, with mu in `wrench` (n
    + k, 6). With span = 1, mu are impulses between the velocities `before` (u) and `after` (u'); else mu are forces,
    span is a time [s], and u = u'."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        e = n + j
        if not has_forces(m, e) or not islands.takes_part(w, m.links[j, Topology.CHILD]):
            continue
        at = rows_at(m, e, False) + 3 * members(m, e)
        for k in range(members(m, e)):
            b = member(m, e, k)
            if b < 0:
                continue
            for r in range(m.links[j, Topology.ROWS]):
                f, t = load_entry(m, w, at, k, r)
                work = dot(f, add(load3(before, b, 0), load3(after, b, 0)))
                work += dot(t, add(load3(before, b, 3), load3(after, b, 3)))
                islands.add_work(w, m.links[j, Topology.CHILD], 0.5 * span * wrench[e, r] * work)
