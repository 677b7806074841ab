"""The law of grabs: multipliers that move the grabbed points as critically damped springs of the point's own inertia.

t is the span of the stage, d the point's offset from its target (no longer than a speed limit allows), u_free its
velocity after the stage without grabs, G = J H^-1 J^T its response, and s = t^2 w^2 + 2 z w t:

    spring:       u = (u_free - t w^2 d) / (1 + s)                a spring and damper scaled by G^-1: shows weight
    point, pose:  u = (u_now - t w^2 d) / (1 + s)                 the law without regard to other forces: no sag
    G mu = u - u_free,  |mu| <= cap t                             by (G + nu) mu = u - u_free with the least nu >= 0

w is the rate of the grab and z its damping ratio. The linear rows are (G + G/s) mu = -u_free - (t w^2/s) d for a
spring, and (G + e) mu = u - u_free for a point. The compliance e is a millionth of G, or a thousandth for springs, so
that the pull on a point that cannot follow stays bounded. Several grabs are solved together. Newton's method finds nu
of each grab while the pulls of the others are fixed; then all grabs are solved again with their nu. To scale mu down to
its cap instead would stop a stretched figure that could still move sideways. Angular rows are multiplied by a length of
the body, so that all six rows have one unit.

If the request is for accelerations (t = 0), the law is G mu = -w^2 d - 2 z w u_now; for a point or pose, the free
acceleration is subtracted on the right. The substeps of `rattle4`, one of which goes back in time, use this law times
t, and add u_now on the right for points and poses.

In the kinematic order the point goes to its target: (G + e) mu = u - u_free, where e is a tenth of G and u = -1.1 d/h.
A point whose response is the same in all directions then arrives. Against hard limits and contacts the point yields
with the compliance E = e + YIELDING (G + e). Its aim a is farther than the target, which compensates for E:

    (G + E) mu = a - u_free,    a = u + (E - e) mu_0,    mu_0 the pull without limits and contacts

A point that meets no limit or contact therefore moves as without them. A point that they hold up is pulled with at most
1 + 1 / YIELDING times the force that would move it freely. In the method `newton`, G includes the contacts: it keeps a
and E from the request without contacts (`keep_aims`), and solves the law with a = 0 in its conjugate gradients.
"""

import math

from physics.compiler.table import Table, column
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.state_tables import GrabKind, Grabs, PoseColumn
from physics.data.step_tables import SCHEME_COMPOSED, Aim, Control, Number, Order
from physics.data.work_tables import Pulls
from physics.edges.conditions import has_nonideal_forces
from physics.links import complementary_forces, nonideal_forces
from physics.links.full_pivoting import factor_full_pivoting, scale_by_diagonal, solve_least_norm
from physics.maths.small import ldl_backward, ldl_factor, ldl_forward
from physics.maths.vec import cross, load3, load9, mul, store3

LEAST_SOFTNESS = 1e-6  # of the mean response
SPRING_SOFTNESS = 1e-3  # a spring pulls no harder across a direction in which the point cannot move than this allows
# Of a chain that is drawn out of reach the way to straighten is found along the tangent: with a softness e links of
# length L swing to and fro where e < d / 2 L, d the way of a step (2 cm at 1/240 s).
POSING_SOFTNESS = 0.1
# E of what holds a point up, over its response. `newton` lets a contact in by its R times the pull: with 1 that is 4 %
# of the way against what does not move; less would let it in farther, more would leave less force to push things along.
YIELDING = 1.0
STUCK = 1e-12  # rounding of what does not move
UNMOVED = 1e-9  # a point 3e-5 of a body's length from its hinge moves as easily
NOT_AT_ALL = 1e200  # 1/kg
MOST_ROUNDS = 40  # of the search for nu, and of the whole
CAP_CLOSE = 1e-6  # of the cap


@inline
def rows_of(s, g):
    """Return the number of rows of grab g: three for a point, six for a pose."""
    return 6 if s.grab[g, Grabs.KIND] == GrabKind.POSE else 3


@inline
def own_rows(s, w, g, first):
    """Return the first row of grab g, counted from row `first`, and the number of its rows, which is 0 if the grab
    holds nothing."""
    if s.grab[g, Grabs.BODY] < 0.0:
        return 0, 0
    return int(w.pull[g, Pulls.FIRST]) - first, rows_of(s, g)


@inline
def copy_response(a, count):
    """Copy the response of the grabs' `count` rows to Auxiliary.system, the matrix of their law, which is stored by
    columns."""
    for r in range(count):
        for c in range(count):
            a.system[c * count + r] = a.schur[r, c]


@kernel
def put_grabs(s, w, at):
    """Write the rows of all grabs to Work.auxiliary from row `at` on, and the first row of each to Pulls.FIRST. Return
    the first free row."""
    a = w.auxiliary
    for g in range(w.control[Control.GRABS]):
        if s.grab[g, Grabs.BODY] < 0.0:
            continue
        b = int(s.grab[g, Grabs.BODY])
        r = mul(load9(w.rotation, b, 0), load3(s.grab, g, Grabs.POINT))
        reach = s.grab[g, Grabs.REACH]
        w.pull[g, Pulls.FIRST] = at
        for c in range(rows_of(s, g)):
            e = (1.0 if c % 3 == 0 else 0.0, 1.0 if c % 3 == 1 else 0.0, 1.0 if c % 3 == 2 else 0.0)
            k = a.start[at]
            a.body[k] = b
            if c < 3:
                store3(a.jacobian, k, 0, e)
                store3(a.jacobian, k, 3, cross(r, e))
            else:
                store3(a.jacobian, k, 0, (0.0, 0.0, 0.0))
                store3(a.jacobian, k, 3, (reach * e[0], reach * e[1], reach * e[2]))
            if a.jacobian.shape[1] > PoseColumn.RATES:
                # the point keeps its place in the body's frame while the body stretches
                store3(a.jacobian, k, PoseColumn.RATES, (0.0, 0.0, 0.0))
            a.start[at + 1] = k + 1
            a.soft[at] = 0.0
            at += 1
    return at


@kernel
def find_pulls(s, w, first, count):
    """Write the multipliers of the grabs' rows first to first + count - 1, and of the rows of limits and contacts, to
    Auxiliary.multiplier. Auxiliary.right holds the free velocities of the grabs' rows, Auxiliary.schur the response."""
    kinematic = w.control[Control.ORDER] == Order.KINEMATIC
    for g in range(w.control[Control.GRABS]):
        w.pull[g, Pulls.SOFTNESS] = 0.0
    for _ in range(MOST_ROUNDS):
        fill_system(s, w, first, count, kinematic)
        factor_system(w, count)
        solve_system(w, first, count)
        if w.control[Control.LIMIT_ROWS] > w.control[Control.PULL_ROWS]:
            if kinematic and w.control[Control.AIMED] < Aim.TO_AIMS:
                yield_to_rows(s, w, first, count)
            complementary_forces.find_forces(w)
        if kinematic or not soften(s, w, first, count):
            break
    if w.control[Control.AIMED] == Aim.KEEPING_AIMS:
        keep_aims(s, w)


@inline
def factor_system(w, count):
    """Factor the matrix of the grabs' law (count x count) in Auxiliary.system in place, or into Auxiliary.pulls where
    forces are non-ideal."""
    if has_nonideal_forces(w.auxiliary):
        nonideal_forces.factor_pulls(w, count)
    else:
        ldl_factor(w.auxiliary.system, 0, count)


@inline
def solve_system(w, first, count):
    """Replace the right-hand sides in Auxiliary.multiplier, rows first to first + count - 1, by the solution of the
    grabs' law."""
    a = w.auxiliary
    if has_nonideal_forces(a):
        nonideal_forces.solve_pulls(w, first, count)
        return
    ldl_forward(a.system, 0, count, a.multiplier, first)
    for r in range(count):
        a.multiplier[first + r] /= a.system[r * count + r]
    ldl_backward(a.system, 0, count, a.multiplier, first)


@kernel
def yield_to_rows(s, w, first, count):
    """Write G + E, which replaces G + e, to Auxiliary.system and factor it. The multipliers stay as they are: they are
    mu_0."""
    a = w.auxiliary
    copy_response(a, count)
    for g in range(w.control[Control.GRABS]):
        at, n = own_rows(s, w, g, first)
        soft = posing_softness(s, w, g, at, n) if n > 0 else 0.0
        for c in range(n):
            for r in range(n):
                a.system[(at + c) * count + at + r] += yielding(a, at, soft, r, c)
    factor_system(w, count)


@inline
def yielding(a, at, soft, r, c):
    """Return entry (r, c) of E of a grab whose first row in Auxiliary.schur is `at`; `soft` is its compliance e."""
    own = soft if r == c else 0.0
    return own + YIELDING * (a.schur[at + r, at + c] + own)


@kernel
def keep_aims(s, w):
    """Write the aim a and the compliance E of every grab to Pulls.AIM and Pulls.YIELD, after a request without limits
    and contacts."""
    a = w.auxiliary
    first = w.control[Control.ROW_COUNT]
    for g in range(w.control[Control.GRABS]):
        at, n = own_rows(s, w, g, first)
        soft = posing_softness(s, w, g, at, n) if n > 0 else 0.0
        for c in range(n):
            w.pull[g, Pulls.AIM + c] = posing_rate(w, w.pull[g, Pulls.OFFSET + c])
            for r in range(n):
                w.pull[g, Pulls.YIELD + c * n + r] = yielding(a, at, soft, r, c)
        for c in range(n):
            mu = a.multiplier[first + at + c]
            for r in range(n):
                w.pull[g, Pulls.AIM + r] += w.pull[g, Pulls.YIELD + c * n + r] * mu
            w.pull[g, Pulls.AIM + c] -= soft * mu


@kernel
def keep_pulls(s, w):
    """Add the multipliers of the grabs, as mean forces and torques, to Pulls.MEAN_PULL."""
    a = w.auxiliary
    span = w.number[Number.SPAN]
    rate = w.number[Number.WEIGHT] / (span if span != 0.0 else 1.0)
    for g in range(w.control[Control.GRABS]):
        at, n = own_rows(s, w, g, 0)
        for c in range(n):
            reach = s.grab[g, Grabs.REACH] if c >= 3 else 1.0
            w.pull[g, Pulls.MEAN_PULL + c] += rate * reach * a.multiplier[at + c]


@kernel
def fill_system(s, w, first, count, kinematic):
    """Write the matrix of the grabs' law to Auxiliary.system (by columns), its right-hand side to Auxiliary.multiplier,
    and to Auxiliary.heed whether a grab takes other forces into account."""
    a = w.auxiliary
    span = w.number[Number.SPAN]
    explicit = is_explicit(w)
    copy_response(a, count)
    for g in range(w.control[Control.GRABS]):
        at, n = own_rows(s, w, g, first)
        if n == 0:
            continue
        if kinematic and w.control[Control.AIMED] >= Aim.TO_AIMS:
            draw_to_aim(w, g, first, at, n, count)
            continue
        spring = s.grab[g, Grabs.KIND] == GrabKind.SPRING and not kinematic
        heeds = 0.0 if spring and explicit else 1.0
        rate = s.grab[g, Grabs.RATE]
        stiff = span * span * rate * rate + 2.0 * s.grab[g, Grabs.DAMPING] * rate * span
        if kinematic:
            soft = posing_softness(s, w, g, at, n)
        else:
            least = SPRING_SOFTNESS if spring else LEAST_SOFTNESS
            soft = w.pull[g, Pulls.SOFTNESS] + least_softness(s, w, g, at, n, least)
        for c in range(n):
            k = at + c
            a.heed[k] = heeds
            d = w.pull[g, Pulls.OFFSET + c]
            now = w.pull[g, Pulls.RATE + c]
            free = a.right[first + k]
            if kinematic:
                b = posing_rate(w, d) - free
            elif explicit:
                b = -rate * rate * d - 2.0 * s.grab[g, Grabs.DAMPING] * rate * now
                if span != 0.0:
                    b = span * b if spring else span * b + now
                if not spring:
                    b -= free
            elif spring:
                b = -free - span * rate * rate / stiff * d
            else:
                b = (now - span * rate * rate * d) / (1.0 + stiff) - free
            a.multiplier[first + k] = b
            if spring and not explicit:
                for r in range(n):
                    a.system[k * count + at + r] += a.schur[at + r, k] / stiff
            elif spring:
                for r in range(count):
                    if r < at or r >= at + n:
                        a.system[k * count + r] = 0.0
                        a.system[r * count + k] = 0.0
            a.system[k * count + k] += soft


@inline
def posing_rate(w, d):
    """Return the rate [m/s] that takes a point to its target in the kinematic order; d is its offset from the
    target."""
    return -(1.0 + POSING_SOFTNESS) * d / w.number[Number.H]


@inline
def draw_to_aim(w, g, first, at, n, count):
    """Write the right-hand side of grab g towards its aim to Auxiliary.multiplier, and add its E to
    Auxiliary.system."""
    a = w.auxiliary
    for c in range(n):
        a.heed[at + c] = 1.0
        aim = w.pull[g, Pulls.AIM + c] if w.control[Control.AIMED] == Aim.TO_AIMS else 0.0
        a.multiplier[first + at + c] = aim - a.right[first + at + c]
        for r in range(n):
            a.system[(at + c) * count + at + r] += w.pull[g, Pulls.YIELD + c * n + r]


@inline
def is_explicit(w):
    """Return whether the law of grabs uses the present velocities of the points: for accelerations (span 0), and in
    `rattle4` where it composes its span of several steps (`spans.is_composed`)."""
    c = w.control
    composed = (
        SCHEME_COMPOSED[c[Control.INTEGRATOR]]
        and c[Control.FIRST_ORDER] == 0
        and c[Control.RELEASED] == 0
        and c[Control.FORWARD] == 0
    )
    return w.number[Number.SPAN] == 0.0 or composed


@inline
def least_softness(s, w, g, at, n, share):
    """Return the compliance of grab g, whose n rows begin at `at`: `share` times its mean response. It is at least the
    compliance with which the grab's largest force moves the point at STUCK times its largest speed, and at least
    STUCK^2. The bounds avoid a division by zero for a point that cannot move, such as one of a wheel on a motor."""
    span = abs(w.number[Number.SPAN]) if w.number[Number.SPAN] != 0.0 else 1.0
    stuck = STUCK * s.grab[g, Grabs.SPEED] / (s.grab[g, Grabs.CAP] * span)
    return max(share * mean_response(w.auxiliary, at, n), max(stuck, STUCK * STUCK))


@inline
def posing_softness(s, w, g, at, n):
    """Return the compliance e of a grab in the kinematic order. Return NOT_AT_ALL for a point that hardly moves, such
    as a pinned one, because its pull would be unbounded: the response of such a point is less than UNMOVED divided by
    the mass of all bodies."""
    if mean_response(w.auxiliary, at, n) * w.number[Number.TOTAL_MASS] < UNMOVED:
        return NOT_AT_ALL
    return least_softness(s, w, g, at, n, POSING_SOFTNESS)


@inline
def mean_response(a, at, n):
    """Return the mean of the n diagonal entries of Auxiliary.schur from `at` on."""
    total = 0.0
    for c in range(n):
        total += a.schur[at + c, at + c]
    return total / n


@kernel
def soften(s, w, first, count):
    """Write a new nu to Pulls.SOFTNESS for every grab whose force exceeds its cap, or whose present nu makes the force
    smaller than the cap. The pulls of the other grabs count as given. Return whether any nu changed."""
    a = w.auxiliary
    span = abs(w.number[Number.SPAN]) if w.number[Number.SPAN] != 0.0 else 1.0
    changed = False
    for g in range(w.control[Control.GRABS]):
        at, n = own_rows(s, w, g, first)
        if n == 0:
            continue
        cap = s.grab[g, Grabs.CAP] * span
        nu = w.pull[g, Pulls.SOFTNESS]
        size = length(a.multiplier, first + at, n)
        if size <= cap * (1.0 + CAP_CLOSE) and (nu == 0.0 or size >= cap * (1.0 - CAP_CLOSE)):
            continue
        fill_own_system(s, w, g, first, at, n, nu)
        w.pull[g, Pulls.SOFTNESS] = (
            unsymmetric_softness(w, n, cap) if has_nonideal_forces(a) else softness(a.own, n, cap)
        )
        changed = True
    return changed


@inline
def length(x, at, n):
    """Return the norm of n numbers of x from `at` on."""
    total = 0.0
    for c in range(n):
        total += x[at + c] * x[at + c]
    return math.sqrt(total)


class OwnSystem(Table, array="Auxiliary.own"):
    """Columns of Auxiliary.own: the system (G + nu) mu = b of one grab alone, of up to six rows."""

    OWN = column("its own matrix G without nu, by columns", size=36)
    FACTORED = column("the factor of G + nu", size=36)
    GIVEN = column("the right-hand side b", size=6)
    PULLED = column("the solution mu", size=6)
    TWICE = column("(G + nu)^-1 mu", size=6)


@kernel
def fill_own_system(s, w, g, first, at, n, nu):
    """Write the system of grab g alone to Auxiliary.own: G without nu, and b = (G + nu) mu with the present mu. In b
    the pulls of the other grabs are taken as given."""
    a = w.auxiliary
    own = a.own
    scaled = 1.0
    least = LEAST_SOFTNESS
    if s.grab[g, Grabs.KIND] == GrabKind.SPRING:
        least = SPRING_SOFTNESS
        span = w.number[Number.SPAN]
        rate = s.grab[g, Grabs.RATE]
        if not is_explicit(w):
            scaled += 1.0 / (span * span * rate * rate + 2.0 * s.grab[g, Grabs.DAMPING] * rate * span)
    for c in range(n):
        for r in range(n):
            own[OwnSystem.OWN + c * n + r] = scaled * a.schur[at + r, at + c]
        own[OwnSystem.OWN + c * n + c] += least_softness(s, w, g, at, n, least)
    for r in range(n):
        x = nu * a.multiplier[first + at + r]
        for c in range(n):
            x += own[OwnSystem.OWN + c * n + r] * a.multiplier[first + at + c]
        own[OwnSystem.GIVEN + r] = x


@kernel
def softness(own, n, cap):
    """Return the least nu >= 0 with |(G + nu)^-1 b| <= cap, for the n rows in `own` (Auxiliary.own). 1/|mu| is nearly
    linear in nu: Newton's method on it, from nu = 0 upwards, does not overshoot."""
    nu = 0.0
    for _ in range(MOST_ROUNDS):
        for k in range(n * n):
            own[OwnSystem.FACTORED + k] = own[OwnSystem.OWN + k]
        for k in range(n):
            own[OwnSystem.FACTORED + k * n + k] += nu
            own[OwnSystem.PULLED + k] = own[OwnSystem.GIVEN + k]
        ldl_factor(own, OwnSystem.FACTORED, n)
        solve_own(own, n, OwnSystem.PULLED)
        size = length(own, OwnSystem.PULLED, n)
        if not size > cap * (1.0 + 0.1 * CAP_CLOSE):
            return nu
        for k in range(n):
            own[OwnSystem.TWICE + k] = own[OwnSystem.PULLED + k]
        solve_own(own, n, OwnSystem.TWICE)
        slope = 0.0
        for k in range(n):
            slope += own[OwnSystem.PULLED + k] * own[OwnSystem.TWICE + k]
        nu += (size / cap - 1.0) * size * size / slope
    return nu


@far("non-ideal forces", "wif", "f")
def unsymmetric_softness(w, n, cap):
    """Return the least nu >= 0 with |(G + nu)^-1 b| <= cap, for a G in Auxiliary.own that is not symmetric
    (links/nonideal_forces.py)."""
    a = w.auxiliary
    own = a.own
    e = a.pulls
    nu = 0.0
    for _ in range(MOST_ROUNDS):
        for r in range(n):
            for c in range(n):
                e.factor[r, c] = own[OwnSystem.OWN + c * n + r] + (nu if r == c else 0.0)
            a.spread[r] = own[OwnSystem.GIVEN + r]
        scale_by_diagonal(e, n)
        rank = factor_full_pivoting(e, n, nonideal_forces.DEPENDENT)
        solve_least_norm(e, n, rank, a.spread)
        size = length(a.spread, 0, n)
        if not size > cap * (1.0 + 0.1 * CAP_CLOSE):
            return nu
        for r in range(n):
            own[OwnSystem.PULLED + r] = a.spread[r]
        solve_least_norm(e, n, rank, a.spread)
        slope = 0.0
        for r in range(n):
            slope += own[OwnSystem.PULLED + r] * a.spread[r]
        if not slope > 0.0:  # a pull that a softer law would not make less
            return nu
        nu += (size / cap - 1.0) * size * size / slope
    return nu


@inline
def solve_own(own, n, at):
    """Replace the n numbers of `own` from `at` on by the solution with the factor of one grab."""
    ldl_forward(own, OwnSystem.FACTORED, n, own, at)
    for k in range(n):
        own[at + k] /= own[OwnSystem.FACTORED + k * n + k]
    ldl_backward(own, OwnSystem.FACTORED, n, own, at)
