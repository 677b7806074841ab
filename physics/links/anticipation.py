"""Anticipation: the rows of the links (edges outside the forest) on top of any solver mode [Baraff96, section 8].

    A v - J^T l - J_a^T mu = f,   J v = g,   J_a v - E mu = g_a

With v_free the mode's answer without the links and v_k its answer to the force J_a^T e_k alone,

    (J_a [v_1 .. v_K] + E) mu = g_a - J_a v_free

and the mode's answer to f + J_a^T mu is the solution: K solves with each factor, two with each right-hand side. Where
the mode keeps reduced columns (HALVES, `solvers.fused_columns`), of all these solves but the last the first half is
enough. E = 1 for the compliant rows of a link's spring (as in `solvers.compliant`), 0 for constraints. Rows that depend
on others get no multiplier; where they contradict them, their edge is noted in `amiss`, and the motion goes on. Forces
that do not act along their row stand in the place of J_a^T wherever it is a force (`thrusts`).

Grabs add rows of their own to requests with PULL_NOW. The links' rows are eliminated first; what is left is the
response of the grabbed points, on which their law is solved (`grabs`). Hard limits add theirs to requests with
LIMIT_NOW, once the solution without them would break them (`limits`). Contacts do so too, where their method says so:
after each answer CONTACT_ROWS asks the driver to let them look at it (`contact_rows`).

It stands between integrator and mode in the way both stand to each other: `begin` takes the integrator's request and
returns one for the mode, `advance` the next one, until DONE.
"""

import math

from physics.compiler.clock import ticks
from physics.compiler.jit import entry, inline, kernel
from physics.data.model_tables import Bodies, JointKind, Joints, Path, Topology, TreePlace
from physics.data.step_tables import Control, LinkError, LinksTask, Number, Request, Touched
from physics.data.work_tables import AnticipationStep, Clock, ConstraintRows, Rows
from physics.edges import conditions, couplings
from physics.edges.conditions import has_thrusts
from physics.forces import tree_springs
from physics.forces.released import CLOSING_SPEED
from physics.links import limits, pressing, thrusts
from physics.links.grabs import find_pulls, keep_pulls, put_grabs
from physics.links.islands import factor_islands, place_rows, solve_islands
from physics.links.rows import add_row, put_entry, put_row, put_twist, rate, takes_part, without_joints
from physics.maths.vec import ZERO3, add_scaled, dot, load3, norm, scale, store3
from physics.solvers import compliant

# where the anticipation stands
NOTHING, COLUMNS, FREELY, FINALLY, LIMIT_COLUMNS, LOOKED_AT = range(6)
# and where columns are kept: what the mode has done last
FACTORED, REDUCED, MULTIPLIED, HALF_SOLVED, RATED = range(6, 11)
# A dependent row contradicts the others where more than this share of its right-hand side is left over, and would open
# the link in a step by more than gaps are let stand: what is left of an idle row is rounding.
CONTRADICTION = 0.1
# A link that was let go (physics/forces/released.py) is drawn together by a force of so many times the weight of all
# bodies, m/s^2
MOST_PULL = 20.0 * 9.81
NOTHING_LEFT = 1e9  # softer by this, a row does nothing
# and others that would pull with so many times that are eased
MOST_STRAIN = 2000.0 * 9.81


@entry
def anticipate(m, s, w):
    """The unit that the driver calls: BEGIN, and GO_ON until DONE. LOOK: whether the next pose breaks a limit."""
    if w.control[Control.LINKS_TASK] == LinksTask.LOOK:
        limits.look(m, s, w)
        return Request.DONE
    turning = w.control[Control.TREE_SPRINGS] == 2
    if w.control[Control.LINKS_TASK] == LinksTask.BEGIN:
        request = begin(w.control[Control.REQUEST], m, s, w)
    else:
        if turning:
            tree_springs.turn_back(m, w)
        request = advance(m, s, w)
    if turning and request != Request.DONE:
        tree_springs.turn_axes(m, w)
    return request


@kernel
def begin(request, m, s, w):
    """The first request to the mode."""
    c = w.control
    over_span = request & Request.PULL_NOW != 0
    if c[Control.GRABS] == 0:
        request &= ~Request.PULL_NOW
    if c[Control.HARD_LIMITED] == 0:
        request &= ~Request.LIMIT_NOW
    if c[Control.LINKED] == 0 and c[Control.TOUCHING] == 0 and request & (Request.PULL_NOW | Request.LIMIT_NOW) == 0:
        c[Control.ANTICIPATION] = NOTHING
        return request
    c[Control.ASKED] = request
    if c[Control.TIMED] != 0:
        w.clock[Clock.LAST_TICK] = ticks()
        w.clock[Clock.RUNNING_STEP] = AnticipationStep.MATRIX
    if request & Request.FACTOR:
        c[Control.ROW_COUNT] = fill_rows(m, w)
        place_rows(m, w)
        fill_scales(m, w, over_span)
        if has_thrusts(w.auxiliary):
            thrusts.fill(m, w)
        c[Control.PULL_ROWS] = (
            put_grabs(s, w, c[Control.ROW_COUNT]) if request & Request.PULL_NOW else c[Control.ROW_COUNT]
        )
    c[Control.LIMIT_ROWS] = c[Control.PULL_ROWS]
    if request & Request.LIMIT_NOW or c[Control.TOUCHING] != 0:
        limits.begin(m, s, w)
    if request & Request.SOLVE:
        add_pushes(m, w)
        if c[Control.TREE_SPRINGS] != 0:
            tree_springs.add_jumps(m, w)
    if request & Request.FACTOR:
        c[Control.KEPT] = (
            1
            if c[Control.HALVES] != 0 and c[Control.ROW_COUNT] > 0 and c[Control.PULL_ROWS] == c[Control.ROW_COUNT]
            else 0
        )
    if c[Control.KEPT] == 0 or may_ask_more(c):
        keep_request(w)
    if c[Control.KEPT] != 0:
        if request & Request.FACTOR == 0:
            return ask_half(w)
        if may_ask_more(c):
            list_paths(m, w, 0, c[Control.PULL_ROWS])
        return ask_columns(w)
    if request & Request.FACTOR and c[Control.PULL_ROWS] > 0:
        c[Control.ANTICIPATION] = COLUMNS
        c[Control.COLUMN] = -1
        list_paths(m, w, 0, c[Control.PULL_ROWS])
        return going(w, Request.FACTOR, AnticipationStep.FACTOR)
    return ask_freely(w, request & Request.FACTOR)


@kernel
def advance(m, s, w):
    """The next request to the mode, DONE when its velocities are the answer."""
    c = w.control
    if c[Control.ANTICIPATION] == NOTHING:
        return Request.DONE
    if c[Control.ANTICIPATION] == COLUMNS:
        came(w, AnticipationStep.MATRIX)
        if c[Control.COLUMN] >= 0:
            keep_column(w, c[Control.COLUMN], c[Control.PULL_ROWS])
        c[Control.COLUMN] += 1
        if c[Control.COLUMN] < c[Control.PULL_ROWS]:
            return ask_column(w, c[Control.COLUMN])
        factor_islands(w)
        eliminate_links(w)
        return ask_freely(w, 0)
    if c[Control.ANTICIPATION] >= FACTORED:
        return advance_halves(w)
    if c[Control.ANTICIPATION] == FREELY:
        came(w, AnticipationStep.MULTIPLIER)
        find_rates_of_rows(w)
        find_multipliers(w)
        if c[Control.ASKED] & Request.PULL_NOW:
            find_free_rates(w)
            find_pulls(s, w, c[Control.ROW_COUNT], c[Control.PULL_ROWS] - c[Control.ROW_COUNT])
            answer_others(w, 1.0)
        return ask_finally(w)
    if c[Control.ANTICIPATION] == LIMIT_COLUMNS:
        came(w, AnticipationStep.MATRIX)
        keep_column(w, c[Control.COLUMN], c[Control.LIMIT_ROWS])
        c[Control.COLUMN] += 1
        if c[Control.COLUMN] < c[Control.LIMIT_ROWS]:
            return ask_column(w, c[Control.COLUMN])
        came(w, AnticipationStep.MULTIPLIER)
        limits.eliminate(w, c[Control.LIMIT_FIRST], c[Control.LIMIT_ROWS] - c[Control.LIMIT_FIRST])
        return press_again(s, w)
    came(w, AnticipationStep.MULTIPLIER)
    if c[Control.ANTICIPATION] == FINALLY:
        c[Control.LIMIT_FIRST] = c[Control.LIMIT_ROWS]
        if c[Control.ASKED] & Request.LIMIT_NOW:
            limits.add_broken(m, s, w)
        if c[Control.TOUCHING] != 0:
            c[Control.ANTICIPATION] = LOOKED_AT
            return Request.CONTACT_ROWS
    if c[Control.LIMIT_ROWS] > c[Control.LIMIT_FIRST]:
        c[Control.ANTICIPATION] = LIMIT_COLUMNS
        c[Control.COLUMN] = c[Control.LIMIT_FIRST]
        list_paths(m, w, c[Control.LIMIT_FIRST], c[Control.LIMIT_ROWS])
        return ask_column(w, c[Control.COLUMN])
    if c[Control.TOUCHING] != 0 and c[Control.TOUCHED] != Touched.SETTLED:
        return press_again(s, w) if c[Control.TOUCHED] == Touched.PRESS_AGAIN else ask_finally(w)
    if c[Control.ASKED] & Request.LIMIT_NOW:
        if c[Control.CALM] == 0 and limits.are_calmed(s, w):
            return press_again(s, w)
        limits.settle(m, s, w)
    if c[Control.ASKED] & Request.PULL_NOW:
        keep_pulls(s, w)
    if c[Control.ASKED] & Request.WRENCHES:
        fill_link_wrenches(m, w)
    came(w, AnticipationStep.MATRIX)
    return Request.DONE


@kernel
def advance_halves(w):
    """The same where columns are kept: all at once, or step by step where they are timed"""
    c = w.control
    at = c[Control.ANTICIPATION]
    if at == FACTORED:
        c[Control.ANTICIPATION] = REDUCED
        return going(w, Request.COLUMNS_UP, AnticipationStep.COLUMNS)
    if at == REDUCED:
        c[Control.ANTICIPATION] = MULTIPLIED
        return going(w, Request.PRODUCT, AnticipationStep.MATRIX)
    if at == MULTIPLIED:
        factor_islands(w)
        if c[Control.ASKED] & Request.SOLVE == 0:
            c[Control.ANTICIPATION] = FINALLY
            return Request.DONE
        if c[Control.TIMED] != 0:
            return ask_half(w)
    if at == HALF_SOLVED:
        c[Control.ANTICIPATION] = RATED
        return going(w, Request.RATES_OF_ROWS, AnticipationStep.MULTIPLIER)
    find_multipliers(w)
    c[Control.ANTICIPATION] = FINALLY
    return going(w, Request.FORCES_BACK | (c[Control.ASKED] & Request.WRENCHES), AnticipationStep.FINAL)


@kernel
def ask_columns(w):
    """A factor, and reduced columns with it; at once the request itself, where steps are not timed"""
    c = w.control
    if c[Control.TIMED] != 0:
        c[Control.ANTICIPATION] = FACTORED
        return going(w, Request.FACTOR, AnticipationStep.FACTOR)
    c[Control.ANTICIPATION] = MULTIPLIED
    request = Request.FACTOR | Request.COLUMNS_UP | Request.PRODUCT
    return (
        request | Request.SOLVE | Request.HALF | Request.RATES_OF_ROWS if c[Control.ASKED] & Request.SOLVE else request
    )


@kernel
def ask_half(w):
    c = w.control
    if c[Control.TIMED] != 0:
        c[Control.ANTICIPATION] = HALF_SOLVED
        return going(w, Request.SOLVE | Request.HALF, AnticipationStep.FREE)
    c[Control.ANTICIPATION] = RATED
    return Request.SOLVE | Request.HALF | Request.RATES_OF_ROWS


@inline
def may_ask_more(c):
    """Whether grabs, limits or contacts may have the request solved again"""
    return c[Control.ASKED] & (Request.PULL_NOW | Request.LIMIT_NOW) != 0 or c[Control.TOUCHING] != 0


@kernel
def press_again(s, w):
    """All forces but those of the links alone anew, and the request with them"""
    c = w.control
    answer_others(w, -1.0)
    if c[Control.ASKED] & Request.PULL_NOW:
        find_pulls(s, w, c[Control.ROW_COUNT], c[Control.PULL_ROWS] - c[Control.ROW_COUNT])
    else:
        pressing.press(w)
    answer_others(w, 1.0)
    return ask_finally(w)


@kernel
def ask_freely(w, factor):
    c = w.control
    if c[Control.ASKED] & Request.SOLVE == 0:
        c[Control.ANTICIPATION] = FINALLY
        return factor
    take_request(w)
    if c[Control.ROW_COUNT] == 0 and c[Control.ASKED] & Request.PULL_NOW == 0:
        c[Control.ANTICIPATION] = FINALLY
        return going(w, factor | Request.SOLVE | (c[Control.ASKED] & Request.WRENCHES), AnticipationStep.FREE)
    c[Control.ANTICIPATION] = FREELY
    return going(w, factor | Request.SOLVE, AnticipationStep.FREE)


@kernel
def ask_finally(w):
    """The request with the forces of all rows"""
    c = w.control
    take_request(w)
    add_multipliers(w, c[Control.LIMIT_ROWS] if may_ask_more(c) else c[Control.ROW_COUNT])
    c[Control.ANTICIPATION] = FINALLY
    return going(w, Request.SOLVE | (c[Control.ASKED] & Request.WRENCHES), AnticipationStep.FINAL)


# ---------------------------------------------------------------- the clock
@inline
def going(w, request, step):
    """The mode takes over, for a step of the method"""
    if w.control[Control.TIMED] != 0:
        tick(w, step)
    return request


@inline
def came(w, step):
    """It has answered, and this step follows"""
    if w.control[Control.TIMED] != 0:
        tick(w, step)


@kernel
def tick(w, step):
    now = ticks()
    w.clock[w.clock[Clock.RUNNING_STEP]] += now - w.clock[Clock.LAST_TICK]
    w.clock[Clock.LAST_TICK] = now
    w.clock[Clock.RUNNING_STEP] = step


# ---------------------------------------------------------------- rows
@kernel
def fill_rows(m, w):
    """J_a and E of every link; returns how many rows there are."""
    n = m.topology.shape[0]
    at = 0
    for j in range(m.links.shape[0]):
        e = n + j
        for k in range(m.links[j, Topology.ROWS]):
            if m.links[j, Topology.OWN_ROWS] != 0:
                put_own_row(m, w, j, k, at)
                at += 1
                continue
            tv = load3(w.rows, e, 6 * k)
            put_row(
                w, e, m.links[j, Topology.CHILD], m.links[j, Topology.PARENT], at, tv, load3(w.rows, e, 6 * k + 3), 0.0
            )
            at += 1
        at = put_springs(m, w, j, at)
    return at


@kernel
def put_springs(m, w, j, at):
    """Compliant rows t = M G^T with D = G^T G, as many as D has rank, of springs without a place in the tree"""
    if m.links[j, Topology.TREE_EDGE] != TreePlace.NO_PLACE:
        return at
    e = m.topology.shape[0] + j
    c = m.links[j, Topology.CHILD]
    p = m.links[j, Topology.PARENT]
    path = m.links[j, Topology.PATH]
    axes = compliant.spring_axes(path, m.links[j, Topology.DOFS])
    if path == Path.BALL:
        d = compliant.stiffness_of_ball(e, w.row)
        least = compliant.RANK_TOLERANCE * (d[0] + d[2] + d[5])
        for _ in range(3):
            if not max(d[0], max(d[2], d[5])) > least:
                break
            g, d = compliant.next_spring_row(d)
            put_row(w, e, c, p, at, ZERO3, g, 1.0)
            at += 1
        return at
    for k in range(axes):
        d = w.row[e, Rows.STIFF_BLOCK + k]
        if d > 0.0:
            mv, mw = compliant.dual_axis(e, path, axes, k, w.edge)
            put_row(w, e, c, p, at, scale(math.sqrt(d), mv), scale(math.sqrt(d), mw), 1.0)
            at += 1
    return at


@kernel
def put_own_row(m, w, j, k, at):
    """Row k of a link whose Jacobians are given, or of a coupling; its twist is the unit one, number k"""
    a = w.auxiliary
    e = m.topology.shape[0] + j
    if m.links[j, Topology.KIND] == JointKind.COUPLING:
        put_coupling(m, w, e, at)
    elif m.links[j, Topology.KIND] == JointKind.GROUP_CONDITION:
        conditions.put_row(m, w, e, k, at)
    else:
        at_end = put_entry(a, a.start[at], m.links[j, Topology.CHILD], w.rows, e, ConstraintRows.CHILD_ROWS + 6 * k)
        if m.links[j, Topology.PARENT] >= 0:
            at_end = put_entry(a, at_end, m.links[j, Topology.PARENT], w.rows, e, ConstraintRows.PARENT_ROWS + 6 * k)
        a.start[at + 1] = at_end
    a.edge[at] = e
    for c in range(6):
        a.twist[at, c] = 1.0 if c == k else 0.0
    a.soft[at] = 0.0


@kernel
def put_coupling(m, w, e, at):
    """sum k_i M_i^T (X(rc) u_child - X(rp) u_parent)"""
    a = w.auxiliary
    k = a.start[at]
    for r in range(int(m.joint[e, Joints.TABLE_ROWS])):
        i, axis, factor = couplings.term(m, e, r)
        t, place = couplings.place(m, i)
        mv, mw = compliant.dual_axis(i, t[place, Topology.PATH], t[place, Topology.DOFS], axis, w.edge)
        ends = t[place, Topology.CHILD], t[place, Topology.PARENT]
        k = put_twist(w, i, ends[0], ends[1], k, scale(factor, mv), scale(factor, mw))
    a.start[at + 1] = k


@kernel
def fill_scales(m, w, over_span):
    """One over the root of what the row's pivot would be without joints"""
    a = w.auxiliary
    for r in range(w.control[Control.ROW_COUNT]):
        if a.amiss[a.edge[r]] == LinkError.RELEASED and a.soft[r] == 0.0:
            # its pull acts over the span of a request, as those of grabs do: in corrections there is none
            a.soft[r] = looseness(m, w, r) * (1.0 if over_span else NOTHING_LEFT)
        d = without_joints(w, r)
        a.scale[r] = 1.0 / math.sqrt(d) if d > 0.0 else 0.0


@kernel
def looseness(m, w, r):
    """What a row gives way by to an impulse, where its link was let go: at rest it pulls with MOST_PULL times the
    weight of all bodies"""
    span = w.number[Number.SPAN] if w.number[Number.SPAN] > 0.0 else w.number[Number.H]
    give = CLOSING_SPEED / (MOST_PULL * w.number[Number.TOTAL_MASS] * span)
    b = m.links[w.auxiliary.edge[r] - m.topology.shape[0], Topology.CHILD]
    turns = m.body[b, Bodies.INERTIA] + m.body[b, Bodies.INERTIA + 1] + m.body[b, Bodies.INERTIA + 2]
    if norm(load3(w.auxiliary.twist, r, 0)) > 0.0 or turns == 0.0:
        return give
    return give * 3.0 * m.body[b, Bodies.MASS] / turns


# ---------------------------------------------------------------- columns of J_a A^-1 J_a^T
@kernel
def list_paths(m, w, first, end):
    """The bodies of rows first to end - 1 and all that are above them join those listed: no other takes part in a
    column, and no other's velocity matters. From row 0 on, the list is made anew."""
    c = w.control
    a = w.auxiliary
    if c[Control.PATH_COLUMNS] == 0:
        return
    if first == 0:
        clear_paths(a)
    for k in range(a.start[first], a.start[end]):
        i = a.body[k]
        while i >= 0 and a.mark[i] == 0:
            a.mark[i] = 1
            i = m.topology[i, Topology.PARENT]
    count = 0
    for i in range(a.mark.shape[0]):
        if a.mark[i] != 0:
            p = m.topology[i, Topology.PARENT]
            a.mark[i] = a.mark[p] if p >= 0 else i + 1
            a.listed[count] = i
            count += 1
    c[Control.LISTED] = count


@kernel
def clear_paths(a):
    for i in range(a.mark.shape[0]):
        a.mark[i] = 0
        a.active[i] = 0


@inline
def rate_along(a, r, column, velocity):
    """J_a v of row r, of the bodies that take part"""
    s = 0.0
    for k in range(a.start[r], a.start[r + 1]):
        if takes_part(a, a.body[k], column):
            for c in range(velocity.shape[1]):
                s += a.jacobian[k, c] * velocity[a.body[k], c]
    return s


@kernel
def ask_column(w, column):
    """The force J_a^T e_k alone"""
    c = w.control
    a = w.auxiliary
    if c[Control.PATH_COLUMNS] != 0:
        for k in range(a.start[column], a.start[column + 1]):
            a.active[a.mark[a.body[k]] - 1] = column + 1
        count = 0
        for k in range(c[Control.LISTED]):
            i = a.listed[k]
            if takes_part(a, i, column):
                clear_body(w, i)
                w.along[count] = i
                count += 1
        c[Control.ALONG_COUNT] = count
        request = Request.SOLVE | Request.ALONG
    else:
        for i in range(w.force.shape[0]):
            clear_body(w, i)
        request = Request.SOLVE
    add_force(w, column, 1.0)
    return going(w, request, AnticipationStep.COLUMNS)


@inline
def add_force(w, r, x):
    """f += K x of row r, which is J_a^T x but for few"""
    if has_thrusts(w.auxiliary):
        thrusts.add_force(w, r, x)
    else:
        add_row(w.auxiliary, r, x, w.force)


@inline
def clear_body(w, i):
    for k in range(w.force.shape[1]):
        w.force[i, k] = 0.0
    for k in range(9):
        w.row[i, Rows.PUSH + k] = 0.0


@kernel
def keep_column(w, column, count):
    """Column of the symmetric matrix, into its lower triangle: below the diagonal, and for rows before it, of limits
    that came later, beside it"""
    a = w.auxiliary
    if has_thrusts(a):
        thrusts.keep_column(w, column, count)
        return
    plain = w.control[Control.PATH_COLUMNS] == 0
    later = column >= w.control[Control.PULL_ROWS]
    for r in range(0 if later else column, count):
        x = rate(a, r, w.velocity) if plain else rate_along(a, r, column, w.velocity)
        if r >= column:
            a.matrix[r, column] = x
        else:
            a.matrix[column, r] = x
    a.matrix[column, column] += a.soft[column]


# ---------------------------------------------------------------- right-hand sides
@kernel
def add_pushes(m, w):
    """f += M d of the links' springs"""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        path = m.links[j, Topology.PATH]
        axes = compliant.spring_axes(path, m.links[j, Topology.DOFS])
        if axes > 0 and not compliant.is_slack(n + j, w.row):
            fv, fw = compliant.rest_wrench(n + j, path, axes, False, w.edge, w.row)
            compliant.add_pair(
                m.links[j, Topology.CHILD], m.links[j, Topology.PARENT], n + j, fv, fw, w.edge, w.stretch, w.force
            )


@kernel
def keep_request(w):
    a = w.auxiliary
    for i in range(w.force.shape[0]):
        for k in range(w.force.shape[1]):
            a.force[i, k] = w.force[i, k]
    for e in range(w.row.shape[0]):
        for k in range(9):
            a.row[e, k] = w.row[e, Rows.PUSH + k]


@kernel
def take_request(w):
    a = w.auxiliary
    for i in range(w.force.shape[0]):
        for k in range(w.force.shape[1]):
            w.force[i, k] = a.force[i, k]
    for e in range(w.row.shape[0]):
        for k in range(9):
            w.row[e, Rows.PUSH + k] = a.row[e, k]


@kernel
def find_rates_of_rows(w):
    for r in range(w.control[Control.ROW_COUNT]):
        w.auxiliary.right[r] = rate(w.auxiliary, r, w.velocity)


@kernel
def find_multipliers(w):
    """mu of the links from g_a - J_a v_free; dependent rows that contradict the others are noted."""
    a = w.auxiliary
    i = a.islands
    for r in range(w.control[Control.ROW_COUNT]):
        e = a.edge[r]
        wanted = dot(load3(a.twist, r, 0), load3(w.row, e, Rows.RIGHT_HAND_SIDE))
        wanted += dot(load3(a.twist, r, 3), load3(w.row, e, Rows.RIGHT_HAND_SIDE + 3))
        a.right[r] = wanted - a.right[r]
    solve_islands(w, a.right, a.multiplier, False)
    if w.control[Control.REGULARISED] != 0 and is_overstrained(w):
        w.control[Control.TIGHT] = 1
        solve_islands(w, a.right, a.multiplier, True)
    for g in range(i.rank.shape[0]):
        note_contradictions(w, i.first[g], i.first[g] + i.rank[g], i.first[g + 1])


@kernel
def is_overstrained(w):
    """Whether some link would pull with MOST_STRAIN times the weight of all bodies"""
    a = w.auxiliary
    # impulses, or forces where accelerations are asked for
    most = MOST_STRAIN * w.number[Number.TOTAL_MASS] * (w.number[Number.H] if w.number[Number.SPAN] > 0.0 else 1.0)
    for r in range(w.control[Control.ROW_COUNT]):
        if has_thrusts(a) and a.islands.lopsided[a.islands.link[a.edge[r] - w.force.shape[0]]] != 0:
            continue  # not eased: elimination with full pivoting
        if abs(a.multiplier[r]) > most and a.soft[r] == 0.0 and norm(load3(a.twist, r, 0)) > 0.0:
            return True
    return False


@kernel
def note_contradictions(w, first, rank, end):
    """Of the rows pivot[rank] to pivot[end - 1], which depend on those from pivot[first] on"""
    a = w.auxiliary
    for k in range(rank, end):
        r = a.pivot[k]
        left = a.right[r]
        for c in range(first, rank):
            q = a.pivot[c]
            left -= (a.matrix[r, q] if r > q or has_thrusts(a) else a.matrix[q, r]) * a.multiplier[q]
        if (
            abs(left) > CONTRADICTION * abs(a.right[r])
            and abs(left) * w.number[Number.H] > w.number[Number.GAP_TOLERANCE]
        ):
            a.amiss[a.edge[r]] = 1


@kernel
def eliminate_links(w):
    """What a unit of each grab's row asks of the links, and the response of the grabs' rows with the links closed"""
    first = w.control[Control.ROW_COUNT]
    limits.close_links(w, first, w.control[Control.PULL_ROWS] - first)


@kernel
def find_free_rates(w):
    """Velocities of the grabbed points without the pulls, the links closed"""
    a = w.auxiliary
    first = w.control[Control.ROW_COUNT]
    for r in range(first, w.control[Control.PULL_ROWS]):
        x = rate(a, r, w.velocity)
        for c in range(first):
            x += a.matrix[r, c] * a.multiplier[c]
        a.right[r] = x


@kernel
def answer_others(w, sign):
    """The links' multipliers less what pulls and limits take over; sign -1: as they were without"""
    a = w.auxiliary
    first = w.control[Control.ROW_COUNT]
    for g in range(w.control[Control.LIMIT_ROWS] - first):
        for r in range(first):
            a.multiplier[r] -= sign * a.multiplier[first + g] * a.reach[g, r]


@kernel
def add_multipliers(w, count):
    a = w.auxiliary
    for r in range(count):
        add_force(w, r, a.multiplier[r])


@kernel
def fill_link_wrenches(m, w):
    """The sum of t mu, and M d; of a joint in the forest, what its limits add"""
    a = w.auxiliary
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        e = n + j
        path = m.links[j, Topology.PATH]
        axes = compliant.spring_axes(path, m.links[j, Topology.DOFS])
        fv = ZERO3
        fw = ZERO3
        if axes > 0 and not compliant.is_slack(e, w.row):
            fv, fw = compliant.rest_wrench(e, path, axes, False, w.edge, w.row)
        store3(w.wrench, e, 0, fv)
        store3(w.wrench, e, 3, fw)
    for r in range(w.control[Control.LIMIT_ROWS]):
        if w.control[Control.ROW_COUNT] <= r and (r < w.control[Control.PULL_ROWS] or a.edge[r] < 0):
            continue  # of grabs and contacts, which are no edges
        e = a.edge[r]
        x = a.multiplier[r]
        store3(w.wrench, e, 0, add_scaled(load3(w.wrench, e, 0), x, load3(a.twist, r, 0)))
        store3(w.wrench, e, 3, add_scaled(load3(w.wrench, e, 3), x, load3(a.twist, r, 3)))
