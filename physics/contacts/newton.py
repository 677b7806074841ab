"""`newton`: contacts by Newton steps whose linear solver is the solver mode itself; O(n) in contacts with the ground.

    minimise  1/2 (v - v*)^T A (v - v*) + sum phi(J v),   joints exact,   -phi' = gamma, the law of one contact (law.py)

A Newton step is the integrator's own request with the contacts at their present velocities u linearised into it,

    A' = A + J^T G J,   f' = f + J^T (gamma + G u)

A contact with what does not move adds to its body's block alone, and a hard limit of a joint in the forest to the
stiffness of its coordinate (`stops`), so that the elimination stays as it is. Of a contact between two bodies the
blocks on the diagonal go the same way; the block off it, -C, is taken to the right-hand side at the present velocity,
and conjugate gradients with the factor at hand as their preconditioner P do the rest, as exactly as it is worth it:

    r = C (v_new - v),   z = P r,   d = z + beta d,   H d = r - C z + beta H d       (no product with the whole H)

The joints hold throughout: P answers with b = d = 0. At each v the linear system carries certain impulses p, so that
the gradient of all but phi along any motion that the joints allow is sum p . du, and the derivative of the objective
along a step follows from gamma and p alone, in every solver mode. Steps are accepted; from the second on, where the
derivative at the end exceeds 0.3 of that at the start, a regula falsi shortens them.

After each iteration the laws are centred anew in what is carried, so that where the iteration ends there is neither
regularisation nor lag: Coulomb's law itself (`recentre`). The error is that of Coulomb's law, |p - P(p - ...)|, which
the law centred in p says (`law.coulomb_law`), and what does not bounce keeps the normal velocity wanted to a millionth
of a metre a second; where joints make contacts contradict each other, as far as these allow (`give_in`). Where contacts
have friction with long levers the centres may take dozens of iterations; the cap on them depends on how many contacts
there are, and what is left is in RESIDUAL. Where no law has changed its piece the factor of the iteration before serves
again.

In heaps contacts that last keep to the convex model with the lift and the centre of the step before
(`touch.FEW_COUPLED`): there Coulomb's law would take four times as long. At rest the two are the same.

Restitution: solved with e = 0, then with vhat = max(vhat, -e u_n) where the surface would be crossed in this step. The
velocities taken are the farthest on the way from the first to the last with

    v^T A v / 2 - (f - A u0)^T v  <=  u0^T A u0 / 2        (h F = f - A u0: kinetic energy and the work of the forces)

so that energy is never gained.

What is pushed out (vhat > 0) against joints that hardly give would turn them at any speed: where the energy gained by
the same measure is more than the lighter bodies would have at vhat, sum m vhat^2 / 2, the vhat are lowered and the pass
is repeated.

Between integrator and anticipation in the way these stand to each other: BEGIN, then GO_ON until DONE.
"""

import math

from physics.compiler.jit import entry, inline, kernel
from physics.contacts import stops
from physics.contacts.law import (
    FASTEST_PUSH, OPEN, SLIDING, cone_law, contact_argument, coulomb_law, disc_law, within_cone,
)  # fmt: skip
from physics.contacts.touch import (
    DEFAULT_TOLERANCE, FAST, SIGMA, SIGMA_OF_PAIRS, begin_rows, centre_of, fill_row, fill_rows, is_convex, load3_of,
    look_for_heap, point_rate, rate_of,
)  # fmt: skip
from physics.data.contact_tables import (
    NEVER, ContactBodies, ContactExtras, ContactPoints, ContactRows, NewtonTask, TouchControl, TouchNumber,
)  # fmt: skip
from physics.data.model_tables import Bodies
from physics.data.step_tables import Aim, Control, Number, Order, Request
from physics.data.work_tables import Pulls, Rows
from physics.maths.columns import flat
from physics.maths.vec import (
    add, add_scaled, add_to3, add_to_block, cross, dot, full, load3, load6, mat_cross, norm, scale, store3, store6, sub,
    sym_mul,
)  # fmt: skip

# where the method stands
THROUGH, STEPPING, GRADIENT, FINALLY, FREELY = range(5)
MOST_ITERATIONS = 200  # a pass; some six at the default tolerance, a jam may take 100 at 1e-12
# At the default tolerance that many, or as many as go through so many contacts.
MOST_OF_MANY = 30
MOST_LOOKED_AT = 800
MOST_SWEEPS = 40
# The conjugate gradients stop where what is left of the linear system is this share of the tolerance, or BALANCE times
# less than the laws are off at what has been found: then the next Newton step does more. That is looked at each time
# the residual has fallen by LOOK. What is left is known from z, before the step along it, which is taken all the same.
# With 0.3 the loads in a stack of ten boxes are off by as much as the tolerance. (|e| sqrt(R) of a law that is off by e
# is less by sqrt(sigma) than the energy of the motion that e makes: some 5 times.)
GRADIENT_SHARE = 0.2
# Where few are coupled, this share: couplings left to the next step would let what rests swing to and fro.
EXACT_SHARE = 0.005
BALANCE = 2.0
LOOK = 0.2
# a step is shortened where the derivative at its end exceeds this share of the one at its start
STEEP = 0.3
MOST_TRIALS = 12
# Where a contact carries something its normal velocity is the one wanted to this speed times the tolerance, m/s: what
# does not bounce does not rise.
ASTRAY_MOST = 1e-3
# An error below this share of the largest impulse that no longer halves is rounding.
ROUNDED = 1e-9
# Centres: how far beyond what is carried, and back from it, the secant method may go, as a share of the last change;
# and after how many iterations it takes turns with half steps.
MOST_AHEAD = 3.0
MOST_BACK = 0.7
DOZEN = 12
# At most so many iterations are made in a heap, or as many as go through so many contacts between bodies, and in the
# last of them the laws of new contacts stay as they are. While a large heap falls impulses are then off by some per
# cent of the largest.
MOST_IN_HEAPS = 7
MOST_GONE_THROUGH = 400
LAST_IN_HEAPS = 4
# How often speeds at which things are pushed out are lowered, the last time to 0; and where that begins, over the
# energy that they may have: 2 where both of a pair are as heavy, and some for what lies on them.
MOST_CALMED = 3
PUSHED = 4.0
# Energy is not counted by the guard below this speed of all bodies, m/s: what a tolerance on impulses leaves.
QUIET = 0.01
# From the second iteration on conjugate gradients end at this share of the error of the iteration before, unless what
# they have found is the answer.
FORCED = 0.1
# Contacts at a joint may contradict each other: it closes its gap by velocities of second order, which no impulse
# changes. Then the normal velocity of each is off by the same, to this share of it, iteration after iteration, while
# the load wanders from one to the other. Where that is less than UNDECIDED times the tolerance in the step, m (at the
# default the gap to which joints are closed), the contact is given it.
SAME = 0.05
UNDECIDED = 3e-4
# A factor serves the next iteration as well where no law has changed its piece and no derivative by more than this
# share of 1/R.
STALE = 0.02
# At the default tolerance a pass ends where a dozen iterations have not halved an error below this share of the
# largest impulse: bodies that stick against each other's joints creep by what these leave open.
STALLED = 1e-2


@entry
def answer_contacts(m, s, w, k):
    """The unit that the driver calls. Returns the next request below, DONE when its velocities are the answer."""
    if w.control[Control.NEWTON_TASK] == NewtonTask.BEGIN:
        return begin(w.control[Control.REQUEST], m, s, w, k)
    return advance(m, s, w, k)


@kernel
def begin(request, m, s, w, k):
    """The first request below."""
    c = k.control
    c[TouchControl.STAGE] = THROUGH
    if c[TouchControl.ACTIVE] == 0 or request & Request.PULL_NOW == 0:
        return request
    kinematic = w.control[Control.ORDER] == Order.KINEMATIC
    h = w.number[Number.H] if kinematic else w.number[Number.SPAN]
    if h == 0.0:
        return request
    c[TouchControl.ASKED] = request
    c[TouchControl.CALMED] = 0
    c[TouchControl.PASS] = 0
    c[TouchControl.NEWTONS] = 0
    c[TouchControl.GRADIENTS] = 0
    # f = m v: there the impulses of the laws are forces
    k.number[TouchNumber.SPAN] = 1.0 if kinematic else h
    k.number[TouchNumber.PACE] = h
    look_for_heap(k)
    keep_request(w, k)
    if not kinematic:
        return start_first_pass(m, s, w, k, h)
    fill_rows(m, s, w, k, h)
    clear(k.start)
    if w.control[Control.GRABS] > 0:
        # what grabs pull with is measured where no contact holds them up
        c[TouchControl.STAGE] = FREELY
        w.control[Control.AIMED] = Aim.KEEPING_AIMS
        return request & ~Request.LIMIT_NOW
    return start_pass(w, k)


@kernel
def start_first_pass(m, s, w, k, h):
    """The same as filling the rows and starting a pass from the velocities that there are, with the request as it
    stands in Work; all that is done to a contact in one loop, as the rows of many do not stay in the caches. Laws are
    linearised where surfaces approach each other faster by what gravity gives: what touches and did not press before
    counts as closed, whichever way the rounding of its velocity points."""
    copy(s.velocity, k.start)
    sooner = (
        -h * norm(load3_of(w.number, Number.GRAVITY))
        if k.control[TouchControl.REGULARISED] | k.control[TouchControl.HEAP] == 0
        else 0.0
    )
    k.control[TouchControl.ITERATION] = 0
    begin_rows(k)
    largest = 0.0
    coupled = 0
    for c in range(k.control[TouchControl.ACTIVE]):
        u = fill_row(m, s, w, k, c, h)
        u = add_scaled(u, sooner, load3(k.collision.contacts.where, c, ContactPoints.NORMAL))
        store3(k.row, c, ContactRows.RATE, u)
        gamma = linearise_contact(k, c, u)
        largest = max(largest, dot(gamma, gamma) / k.row[c, ContactRows.INVERSE])
        coupled = add_contact(w, k, c, coupled, True)
    k.number[TouchNumber.LARGEST_ROOT] = math.sqrt(largest)
    k.control[TouchControl.COUPLED] = coupled
    stops.fill_rates(w, k.start)
    return ask_linearised(w, k, True)


@kernel
def start_pass(w, k):
    """The first Newton step from k.start."""
    k.control[TouchControl.ITERATION] = 0
    fill_rates(k, k.start)
    stops.fill_rates(w, k.start)
    return ask_step(w, k)


@kernel
def ask_step(w, k):
    """A' and f' at k.start; f' alone where the factor at hand is as good as that of A'"""
    anew = (
        k.control[TouchControl.ITERATION] == 0
        or k.control[TouchControl.ASKED] & Request.LIMIT_NOW != 0
        or changed(w, k)
    )
    if anew:
        linearise(k)
        copy(k.block, w.block)
    take_request(w, k)
    restore_pulls(w, k)
    k.control[TouchControl.COUPLED] = add_contacts(w, k, anew)
    return ask_linearised(w, k, anew)


@kernel
def ask_linearised(w, k, anew):
    """The same once contacts are in; `anew`: with a new factor"""
    stops.linearise(w)
    if anew:
        stops.add_stiffness(w)
    stops.add_pushes(w)
    if k.control[TouchControl.COUPLED] > 0:
        add_couplings(k, k.start, w.force)
    k.control[TouchControl.STAGE] = STEPPING
    k.control[TouchControl.CORRECTED] = 0
    k.number[TouchNumber.LEFT] = 0.0
    return (Request.FACTOR if anew else 0) | (
        k.control[TouchControl.ASKED] & (Request.SOLVE | Request.WRENCHES | Request.PULL_NOW | Request.LIMIT_NOW)
    )


@kernel
def changed(w, k):
    """Whether some law at its u has another derivative than the one in the factor. Where none has, each law keeps that
    derivative, and its impulse is the one at u."""
    for c in range(k.control[TouchControl.ACTIVE]):
        gamma, g, piece = law_of(k, c, load3(k.row, c, ContactRows.RATE))
        if piece != k.row[c, ContactRows.PIECE]:
            return True
        if piece == SLIDING:
            was = load6(k.row, c, ContactRows.STIFFNESS)
            off = 0.0
            for i in range(6):
                off = max(off, abs(g[i] - was[i]))
            if off > STALE * k.row[c, ContactRows.INVERSE]:
                return True
        store3(k.row, c, ContactRows.IMPULSE, gamma)
    return stops.changed(w)


@kernel
def advance(m, s, w, k):
    """The next request below, DONE when its velocities are the answer."""
    c = k.control
    if c[TouchControl.STAGE] == THROUGH:
        return Request.DONE
    if c[TouchControl.STAGE] == FINALLY:
        return finish(s, w, k)
    if c[TouchControl.STAGE] == FREELY:
        w.control[Control.AIMED] = Aim.TO_AIMS
        return start_pass(w, k)
    if w.control[Control.AIMED] == Aim.TO_REST:
        w.control[Control.AIMED] = Aim.TO_AIMS
    if c[TouchControl.STAGE] == STEPPING:
        copy(w.velocity, k.found)
        if c[TouchControl.COUPLED] > 0:
            c[TouchControl.SWEEP] = 0
            difference(k.found, k.start, k.direction)
            clear(k.residual)
            add_couplings(k, k.direction, k.residual)
            x = k.number
            if most_energy(m, k.residual) > enough(x, c) * enough(x, c):
                return ask_gradient(w, k)
    elif c[TouchControl.STAGE] == GRADIENT and sweep(w, k):
        return ask_gradient(w, k)
    return finish_step(m, s, w, k)


# ---------------------------------------------------------------- conjugate gradients around the factor
@kernel
def ask_gradient(w, k):
    """z = P r"""
    copy(k.residual, w.force)
    for e in range(w.row.shape[0]):
        for i in range(9):
            w.row[e, Rows.PUSH + i] = 0.0
    k.control[TouchControl.CORRECTED] = 1
    k.control[TouchControl.STAGE] = GRADIENT
    if w.control[Control.ORDER] == Order.KINEMATIC and w.control[Control.GRABS] > 0:
        w.control[Control.AIMED] = Aim.TO_REST
        return Request.SOLVE | Request.PULL_NOW
    return Request.SOLVE


@kernel
def most_energy(m, r):
    """r . z is at most this, as joints only stiffen what hangs on them"""
    total = 0.0
    for i in range(m.topology.shape[0]):
        f = load3(r, i, 0)
        t = load3(r, i, 3)
        body = m.body
        turning = max(
            body[i, Bodies.INVERSE_INERTIA],
            max(body[i, Bodies.INVERSE_INERTIA + 1], body[i, Bodies.INVERSE_INERTIA + 2]),
        )
        total += body[i, Bodies.INVERSE_MASS] * dot(f, f) + turning * dot(t, t)
    return total


@kernel
def sweep(w, k):
    """One iteration with z in w.velocity; whether another one is wanted."""
    c = k.control
    x = k.number
    z = flat(w.velocity)
    r = flat(k.residual)
    d = flat(k.direction)
    image = flat(k.image)
    rz = product(k.residual, w.velocity)
    x[TouchNumber.LEFT] = math.sqrt(max(rz, 0.0))
    # image holds - H d = C z - r + beta (- H d)
    if c[TouchControl.SWEEP] == 0:
        x[TouchNumber.RZ_SEEN] = rz
        for i in range(z.shape[0]):
            d[i] = z[i]
            image[i] = -r[i]
    else:
        beta = rz / x[TouchNumber.RZ]
        for i in range(z.shape[0]):
            d[i] = z[i] + beta * d[i]
            image[i] = beta * image[i] - r[i]
    x[TouchNumber.RZ] = rz
    add_couplings(k, w.velocity, k.image)
    curvature = -product(k.direction, k.image)
    if not curvature > 0.0:
        return False
    step = rz / curvature
    found = flat(k.found)
    for i in range(z.shape[0]):
        found[i] += step * d[i]
        r[i] += step * image[i]
    c[TouchControl.SWEEP] += 1
    c[TouchControl.GRADIENTS] += 1
    if x[TouchNumber.LEFT] <= enough(x, c) or c[TouchControl.SWEEP] == MOST_SWEEPS:
        return False
    # in a heap the next Newton step is worth more than an exact solution; elsewhere it is where the laws do not hold
    forced = c[TouchControl.ITERATION] > 0 and x[TouchNumber.LEFT] <= FORCED * x[TouchNumber.ERROR]
    if forced and c[TouchControl.HEAP] != 0:
        return False
    if forced or rz < LOOK * LOOK * x[TouchNumber.RZ_SEEN]:
        x[TouchNumber.RZ_SEEN] = rz
        off = how_far_off(w, k, k.found)
        # where the laws hold, no other Newton step is needed for them
        return (not forced and x[TouchNumber.LEFT] >= BALANCE * off) or off <= x[TouchNumber.TOLERANCE] * x[
            TouchNumber.LARGEST_ROOT
        ]
    return True


@inline
def enough(x, c):
    """What may be left of a linear system, as LEFT"""
    share = GRADIENT_SHARE if c[TouchControl.HEAP] | c[TouchControl.REGULARISED] != 0 else EXACT_SHARE
    return share * x[TouchNumber.TOLERANCE] * x[TouchNumber.LARGEST_ROOT]


@kernel
def how_far_off(w, k, velocity):
    """The error that `advance_laws` would find"""
    error = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        u = rate_of(k.collision.contacts, k, c, velocity)
        du = sub(u, load3(k.row, c, ContactRows.RATE))
        carried = sub(load3(k.row, c, ContactRows.IMPULSE), sym_mul(load6(k.row, c, ContactRows.STIFFNESS), du))
        gamma = lawful_impulse(k, c, u, carried)
        off = sub(gamma, carried)
        error = max(error, dot(off, off) / k.row[c, ContactRows.INVERSE])
    return math.sqrt(stops.how_far_off(w, velocity, error, renews(k.control)))


# ---------------------------------------------------------------- Newton steps
@kernel
def finish_step(m, s, w, k):
    """The step is known: look at the laws at its end, shorten it, go on or stop."""
    c = k.control
    x = k.number
    c[TouchControl.ITERATION] += 1
    c[TouchControl.NEWTONS] += 1
    x[TouchNumber.RESIDUAL] = 0.0
    x[TouchNumber.LARGEST] = 0.0
    error, largest = advance_laws(k, k.found)
    error, largest = stops.advance_laws(w, k, error, largest, renews(c))
    error = math.sqrt(error)
    largest = math.sqrt(largest)
    x[TouchNumber.LARGEST_ROOT] = largest
    good = is_good_enough(k, error, largest)
    x[TouchNumber.ERROR] = error
    if not good and c[TouchControl.ITERATION] > 1:
        t = length_of_step(w, k)
        if t < 1.0:
            shorten(k, t)
            stops.shorten(w, t)
            c[TouchControl.CORRECTED] = 1
    copy(k.found, k.start)
    if not good and c[TouchControl.ITERATION] < most_iterations(k):
        if c[TouchControl.REGULARISED] == 0 and not stays(c):
            recentre(w, k)
        return ask_step(w, k)
    return finish_pass(m, s, w, k)


@inline
def most_iterations(k):
    """One limb that finds no solution is not to hold up all others for long."""
    if k.number[TouchNumber.TOLERANCE] < DEFAULT_TOLERANCE:
        return MOST_ITERATIONS
    return min(MOST_ITERATIONS, max(MOST_OF_MANY, MOST_LOOKED_AT // max(1, k.control[TouchControl.ACTIVE])))


@inline
def most_in_heap(c):
    return min(MOST_ITERATIONS, max(MOST_IN_HEAPS, MOST_GONE_THROUGH // max(1, c[TouchControl.COUPLED])))


@inline
def stays(c):
    """Whether the laws of new contacts in a heap stay as they are"""
    return c[TouchControl.HEAP] != 0 and c[TouchControl.ITERATION] > most_in_heap(c) - LAST_IN_HEAPS


@inline
def renews(c):
    """Whether limits have their centres renewed"""
    return c[TouchControl.REGULARISED] == 0 and c[TouchControl.HEAP] == 0


@inline
def is_good_enough(k, error, largest):
    """Whether an iteration is the last"""
    c = k.control
    x = k.number
    if c[TouchControl.HEAP] != 0 and c[TouchControl.ITERATION] >= most_in_heap(c):
        return True
    if error <= x[TouchNumber.TOLERANCE] * largest and x[TouchNumber.LEFT] <= enough(x, c):
        return (
            c[TouchControl.REGULARISED] | c[TouchControl.HEAP] != 0
            or x[TouchNumber.ASTRAY] <= ASTRAY_MOST * x[TouchNumber.TOLERANCE]
        )
    if has_stalled(x, c, error) and error <= STALLED * largest and x[TouchNumber.TOLERANCE] >= DEFAULT_TOLERANCE:
        return True
    return c[TouchControl.ITERATION] > 2 and error <= ROUNDED * largest and error > 0.5 * x[TouchNumber.ERROR]


@inline
def has_stalled(x, c, error):
    """Whether the error has not halved in the last dozen of iterations"""
    if c[TouchControl.ITERATION] % DOZEN != 0:
        return False
    stalled = c[TouchControl.ITERATION] > DOZEN and error > 0.5 * x[TouchNumber.ERROR_SEEN]
    x[TouchNumber.ERROR_SEEN] = error
    return stalled


@kernel
def finish_pass(m, s, w, k):
    c = k.control
    x = k.number
    if c[TouchControl.PASS] == 0 and w.control[Control.ORDER] != Order.KINEMATIC:
        if slow_pushes(s, k, k.start):
            return start_pass(w, k)
        x[TouchNumber.BOUNCING] = raise_wanted(k)
        if x[TouchNumber.BOUNCING] > 0.0:
            copy(k.start, k.without)
            c[TouchControl.PASS] = 1
            return start_pass(w, k)
    x[TouchNumber.SHARE] = share_of_bounce(s, k) if c[TouchControl.PASS] != 0 else 1.0
    conclude(s, w, k)
    c[TouchControl.STAGE] = FINALLY
    if c[TouchControl.CORRECTED] != 0:
        # velocities and wrenches that belong together, with the factor at hand
        take_request(w, k)
        restore_pulls(w, k)
        carry_impulses(k)
        stops.carry_impulses(w)
        limited = c[TouchControl.ASKED] & Request.LIMIT_NOW != 0
        if limited:
            # limits are found with their factor
            copy(k.block, w.block)
        add_contacts(w, k, limited)
        add_couplings(k, k.start, w.force)
        stops.add_pushes(w)
        return (Request.FACTOR if limited else 0) | (
            c[TouchControl.ASKED] & (Request.SOLVE | Request.WRENCHES | Request.PULL_NOW | Request.LIMIT_NOW)
        )
    return finish(s, w, k)


@kernel
def finish(s, w, k):
    """What the restitution may not have is taken back."""
    t = k.number[TouchNumber.SHARE]
    if t < 1.0:
        for i in range(w.velocity.shape[0]):
            for j in range(w.velocity.shape[1]):
                w.velocity[i, j] = k.without[i, j] + t * (w.velocity[i, j] - k.without[i, j])
    if w.control[Control.STOPS] > 0:
        stops.conclude(s, w, k.control[TouchControl.ASKED] & Request.LIMIT_NOW != 0, k.number[TouchNumber.SPAN])
    k.control[TouchControl.STAGE] = THROUGH
    w.control[Control.AIMED] = Aim.TO_TARGETS
    return Request.DONE


# ---------------------------------------------------------------- the request without contacts
@kernel
def keep_request(w, k):
    copy(w.block, k.block)
    copy(w.force, k.force)
    for e in range(w.row.shape[0]):
        for i in range(9):
            k.push[e, i] = w.row[e, Rows.PUSH + i]
    for g in range(w.control[Control.GRABS]):
        for i in range(6):
            k.pull[g, i] = w.pull[g, Pulls.MEAN_PULL + i]


@kernel
def take_request(w, k):
    """f, d and b as they were asked"""
    copy(k.force, w.force)
    for e in range(w.row.shape[0]):
        for i in range(9):
            w.row[e, Rows.PUSH + i] = k.push[e, i]


@kernel
def restore_pulls(w, k):
    """Grabs add what they pull to their mean in each answer: that of the answers before does not count."""
    for g in range(w.control[Control.GRABS]):
        for i in range(6):
            w.pull[g, Pulls.MEAN_PULL + i] = k.pull[g, i]
    if k.control[TouchControl.NEWTONS] > 0 and k.control[TouchControl.ASKED] & Request.LIMIT_NOW:
        # nor does the work of limits in them
        w.number[Number.STEP_WORK] -= w.number[Number.LIMIT_LAST_WORK]
        w.number[Number.LIMIT_STEP_WORK] -= w.number[Number.LIMIT_LAST_WORK]


# ---------------------------------------------------------------- laws
@inline
def law_of(k, c, u):
    """gamma, G and the piece of the law of contact c at u, with the centre and the radius of the present iteration"""
    where = k.collision.contacts.where
    n = load3(where, c, ContactPoints.NORMAL)
    inverse = k.row[c, ContactRows.INVERSE]
    centre = load3(k.row, c, ContactRows.CENTRE)
    if is_convex(k, c):
        y = contact_argument(u, n, centre, k.row[c, ContactRows.WANTED], k.row[c, ContactRows.LIFT], inverse)
        return cone_law(y, n, where[c, ContactPoints.FRICTION], inverse)
    return disc_law(
        u, n, centre, k.row[c, ContactRows.WANTED], where[c, ContactPoints.FRICTION] * dot(centre, n), inverse
    )


@inline
def lawful_impulse(k, c, u, p):
    """What the law that is to hold in the end makes of a contact that carries p at u: p itself where it does"""
    if is_convex(k, c) or stays(k.control):
        gamma, _, _ = law_of(k, c, u)
        return gamma
    where = k.collision.contacts.where
    n = load3(where, c, ContactPoints.NORMAL)
    return coulomb_law(
        u, n, p, k.row[c, ContactRows.WANTED], where[c, ContactPoints.FRICTION], k.row[c, ContactRows.INVERSE]
    )


@inline
def largest_of(v):
    return max(abs(v[0]), max(abs(v[1]), abs(v[2])))


@kernel
def fill_rates(k, velocity):
    """u of every contact where a pass starts"""
    largest = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        u = rate_of(k.collision.contacts, k, c, velocity)
        gamma, _, _ = law_of(k, c, u)
        store3(k.row, c, ContactRows.RATE, u)
        largest = max(largest, dot(gamma, gamma) / k.row[c, ContactRows.INVERSE])
    k.number[TouchNumber.LARGEST_ROOT] = math.sqrt(largest)


@kernel
def linearise(k):
    """gamma, G and the piece of every law at its u"""
    for c in range(k.control[TouchControl.ACTIVE]):
        linearise_contact(k, c, load3(k.row, c, ContactRows.RATE))


@inline
def linearise_contact(k, c, u):
    gamma, g, piece = law_of(k, c, u)
    store3(k.row, c, ContactRows.IMPULSE, gamma)
    store6(k.row, c, ContactRows.STIFFNESS, g)
    k.row[c, ContactRows.PIECE] = piece
    return gamma


@kernel
def carry_impulses(k):
    """The impulses that the linear system carries, in the place of those of the laws"""
    for c in range(k.control[TouchControl.ACTIVE]):
        store3(k.row, c, ContactRows.IMPULSE, load3(k.row, c, ContactRows.CARRIED))


@kernel
def advance_laws(k, velocity):
    """u at the end of a step, what the linear system carries there, p = gamma - G du, and what Coulomb's law makes of
    p. Returns the largest difference between the two, and the largest impulse, both squared and times R, so that
    impulses of heavy bodies and light ones, and of limits, have one measure, that of energy. G stays that of the
    factor, and the derivatives along the step are those of the present iteration's law."""
    error = 0.0
    largest = 0.0
    astray = 0.0
    before = 0.0
    after = 0.0
    x = k.number
    shortened = k.control[TouchControl.ITERATION] > 1
    for c in range(k.control[TouchControl.ACTIVE]):
        u = rate_of(k.collision.contacts, k, c, velocity)
        du = sub(u, load3(k.row, c, ContactRows.RATE))
        carried = sub(load3(k.row, c, ContactRows.IMPULSE), sym_mul(load6(k.row, c, ContactRows.STIFFNESS), du))
        if shortened:
            present, _, _ = law_of(k, c, u)
            before += dot(sub(load3(k.row, c, ContactRows.CARRIED), load3(k.row, c, ContactRows.IMPULSE)), du)
            after += dot(sub(carried, present), du)
            store3(k.extra, c, ContactExtras.BEFORE, load3(k.row, c, ContactRows.CARRIED))
            store3(k.extra, c, ContactExtras.CHANGE, du)
        gamma = lawful_impulse(k, c, u, carried)
        off = sub(gamma, carried)
        astray = max(
            astray,
            abs(dot(off, load3(k.collision.contacts.where, c, ContactPoints.NORMAL))) / k.row[c, ContactRows.INVERSE],
        )
        if not is_convex(k, c):
            # what the law makes of p is as far beyond p as that is beyond the centre: to begin the next step with it
            # would swing to and fro
            where = k.collision.contacts.where
            gamma = within_cone(carried, load3(where, c, ContactPoints.NORMAL), where[c, ContactPoints.FRICTION])
        x[TouchNumber.RESIDUAL] = max(x[TouchNumber.RESIDUAL], largest_of(off))
        x[TouchNumber.LARGEST] = max(x[TouchNumber.LARGEST], largest_of(gamma))
        error = max(error, dot(off, off) / k.row[c, ContactRows.INVERSE])
        largest = max(largest, dot(gamma, gamma) / k.row[c, ContactRows.INVERSE])
        store3(k.row, c, ContactRows.CARRIED, carried)
        store3(k.row, c, ContactRows.RATE, u)
        store3(k.row, c, ContactRows.IMPULSE, gamma)
    x[TouchNumber.SLOPE_BEFORE] = before
    x[TouchNumber.SLOPE_AFTER] = after
    x[TouchNumber.ASTRAY] = astray
    return error, largest


@kernel
def recentre(w, k):
    """The laws of the next iteration, centred in what is carried now, p. Centres depend on each other, through friction
    with levers above all, which is no gradient: c <- p(c) by the secant method in the measure of energy, and half of
    the way in every other dozen of iterations, for where that runs in circles."""
    heap = k.control[TouchControl.HEAP] != 0
    if not heap:
        stops.recentre(w)
    numerator = 0.0
    denominator = 0.0
    share = 0.5 if k.control[TouchControl.ITERATION] // DOZEN % 2 == 1 else 1.0
    if k.control[TouchControl.ITERATION] > 1 and share == 1.0 and not heap:
        for c in range(k.control[TouchControl.ACTIVE]):
            if is_convex(k, c):
                continue
            off = sub(carried_centre(k, c), load3(k.row, c, ContactRows.CENTRE))
            change = sub(off, load3(k.extra, c, ContactExtras.CENTRE_OFF))
            numerator += dot(change, off) / k.row[c, ContactRows.INVERSE]
            denominator += dot(change, change) / k.row[c, ContactRows.INVERSE]
    secant = min(max(numerator / denominator, -MOST_AHEAD), MOST_BACK) if denominator > 0.0 else 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        if is_convex(k, c):
            continue
        centre = load3(k.row, c, ContactRows.CENTRE)
        off = sub(carried_centre(k, c), centre)
        if k.control[TouchControl.ITERATION] > 1 and not heap:
            off = give_in(k, c, off)
        new = add_scaled(centre, share, off)
        if secant != 0.0:
            change = sub(
                add(centre, off),
                add(load3(k.extra, c, ContactExtras.CENTRE_BEFORE), load3(k.extra, c, ContactExtras.CENTRE_OFF)),
            )
            new = add_scaled(new, -secant, change)
        store3(k.extra, c, ContactExtras.CENTRE_BEFORE, centre)
        store3(k.extra, c, ContactExtras.CENTRE_OFF, off)
        store3(k.row, c, ContactRows.CENTRE, new)


@inline
def give_in(k, c, off):
    """`off`, by which what contact c carries differs from its centre; where contacts contradict each other the normal
    velocity wanted is the one there is, and nothing of `off` is left along the normal."""
    n = load3(k.collision.contacts.where, c, ContactPoints.NORMAL)
    inverse = k.row[c, ContactRows.INVERSE]
    pressed = dot(off, n)
    change = pressed - dot(load3(k.extra, c, ContactExtras.CENTRE_OFF), n)
    if (
        abs(change) < SAME * abs(pressed)
        and abs(pressed) * k.number[TouchNumber.PACE] < UNDECIDED * k.number[TouchNumber.TOLERANCE] * inverse
    ):
        k.row[c, ContactRows.WANTED] -= pressed / inverse
        return add_scaled(off, -pressed, n)
    return off


@inline
def carried_centre(k, c):
    where = k.collision.contacts.where
    n = load3(where, c, ContactPoints.NORMAL)
    return centre_of(
        load3(k.row, c, ContactRows.CARRIED),
        load3(k.row, c, ContactRows.RATE),
        n,
        where[c, ContactPoints.FRICTION],
        k.row[c, ContactRows.INVERSE],
    )


@kernel
def slope(w, k, t):
    """Derivative of the objective at the share t of the step: sum (p - gamma) . du"""
    total = stops.slope(w, t)
    for c in range(k.control[TouchControl.ACTIVE]):
        du = load3(k.extra, c, ContactExtras.CHANGE)
        gamma, _, _ = law_of(k, c, add_scaled(load3(k.row, c, ContactRows.RATE), t - 1.0, du))
        before = load3(k.extra, c, ContactExtras.BEFORE)
        p = add_scaled(before, t, sub(load3(k.row, c, ContactRows.CARRIED), before))
        total += dot(sub(p, gamma), du)
    return total


@kernel
def length_of_step(w, k):
    """The share of the step to take"""
    high = k.number[TouchNumber.SLOPE_AFTER]
    first = k.number[TouchNumber.SLOPE_BEFORE]
    if not (first < 0.0 and high > -STEEP * first):
        return 1.0
    low = first
    a = 0.0
    b = 1.0
    t = 1.0
    for _ in range(MOST_TRIALS):
        t = a - low * (b - a) / (high - low)
        t = min(max(t, a + 0.1 * (b - a)), b - 0.1 * (b - a))
        here = slope(w, k, t)
        if abs(here) < -0.1 * first:
            break
        if here > 0.0:
            b = t
            high = here
        else:
            a = t
            low = here
    return t


@kernel
def shorten(k, t):
    found = flat(k.found)
    start = flat(k.start)
    for i in range(found.shape[0]):
        found[i] = start[i] + t * (found[i] - start[i])
    for c in range(k.control[TouchControl.ACTIVE]):
        before = load3(k.extra, c, ContactExtras.BEFORE)
        store3(k.row, c, ContactRows.CARRIED, add_scaled(before, t, sub(load3(k.row, c, ContactRows.CARRIED), before)))
        store3(
            k.row,
            c,
            ContactRows.RATE,
            add_scaled(load3(k.row, c, ContactRows.RATE), t - 1.0, load3(k.extra, c, ContactExtras.CHANGE)),
        )


# ---------------------------------------------------------------- contacts into the system
@inline
def add_at(block, i, r, g):
    """[1, [r]x]^T G [1, [r]x^T]: the block of G at the lever r"""
    a = mat_cross(full(g), r)
    wv = (-a[0], -a[3], -a[6], -a[1], -a[4], -a[7], -a[2], -a[5], -a[8])
    b = mat_cross(wv, r)
    add_to_block(block, i, g, wv, (-b[0], -b[3], -b[4], -b[6], -b[7], -b[8]))


@inline
def push_at(force, i, r, f):
    add_to3(force, i, 0, f)
    add_to3(force, i, 3, cross(r, f))


@kernel
def add_contacts(w, k, blocks):
    """A += J^T G J (own blocks), f += J^T (gamma + G u). Returns how many contacts between two bodies carry
    something; k.pairs lists them."""
    coupled = 0
    for c in range(k.control[TouchControl.ACTIVE]):
        coupled = add_contact(w, k, c, coupled, blocks)
    return coupled


@inline
def add_contact(w, k, c, coupled, blocks):
    """The same of contact c, after so many others between two bodies"""
    if k.row[c, ContactRows.PIECE] == OPEN:
        return coupled
    who = k.collision.contacts.who
    g = load6(k.row, c, ContactRows.STIFFNESS)
    f = add(load3(k.row, c, ContactRows.IMPULSE), sym_mul(g, load3(k.row, c, ContactRows.RATE)))
    a = who[c, ContactBodies.BODY_A]
    b = who[c, ContactBodies.BODY_B]
    ra = load3(k.row, c, ContactRows.LEVER_A)
    if b < 0:
        # u counts from the surface that forces do not move
        f = add(f, sym_mul(g, load3(k.row, c, ContactRows.SURFACE)))
    else:
        k.pairs[coupled] = c
        coupled += 1
        rb = load3(k.row, c, ContactRows.LEVER_B)
        push_at(w.force, b, rb, scale(-1.0, f))
        if blocks:
            add_at(w.block, b, rb, g)
    push_at(w.force, a, ra, f)
    if blocks:
        add_at(w.block, a, ra, g)
    return coupled


@kernel
def add_couplings(k, velocity, out):
    """out += C v of the contacts between two bodies"""
    who = k.collision.contacts.who
    for p in range(k.control[TouchControl.COUPLED]):
        c = k.pairs[p]
        a = who[c, ContactBodies.BODY_A]
        b = who[c, ContactBodies.BODY_B]
        g = load6(k.row, c, ContactRows.STIFFNESS)
        ra = load3(k.row, c, ContactRows.LEVER_A)
        rb = load3(k.row, c, ContactRows.LEVER_B)
        push_at(out, a, ra, sym_mul(g, point_rate(velocity, b, rb)))
        push_at(out, b, rb, sym_mul(g, point_rate(velocity, a, ra)))


# ---------------------------------------------------------------- restitution, results
@inline
def load_entry(block, i, r, c):
    return block[i, r * (r + 1) // 2 + c] if r >= c else block[i, c * (c + 1) // 2 + r]


@kernel
def bilinear(k, a, b):
    """a^T A b"""
    total = 0.0
    for i in range(a.shape[0]):
        for r in range(a.shape[1]):
            for c in range(a.shape[1]):
                total += a[i, r] * load_entry(k.block, i, r, c) * b[i, c]
    return total


@kernel
def raise_wanted(k):
    """vhat = -e u_n where the surface would be crossed. Returns the largest of these speeds."""
    fastest = 0.0
    if k.control[TouchControl.BOUNCES] == 0:
        return fastest
    for c in range(k.control[TouchControl.ACTIVE]):
        gamma = load3(k.row, c, ContactRows.IMPULSE)
        if k.row[c, ContactRows.BOUNCE] > max(0.0, k.row[c, ContactRows.WANTED]) and dot(gamma, gamma) > 0.0:
            k.row[c, ContactRows.WANTED] = k.row[c, ContactRows.BOUNCE]
            fastest = max(fastest, k.row[c, ContactRows.BOUNCE])
    return fastest


@kernel
def energy_gained(s, k, v):
    """v^T A v / 2 - (f - A u0)^T v - u0^T A u0 / 2"""
    gained = 0.5 * bilinear(k, v, v) - 0.5 * bilinear(k, s.velocity, s.velocity)
    return gained + bilinear(k, s.velocity, v) - product(k.force, v)


@kernel
def slow_pushes(s, k, v):
    """Whether what is pushed out gains too much in v, and is now asked to come out more slowly"""
    if not k.number[TouchNumber.FASTEST] > FAST:
        return False
    may = 0.0
    fastest = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        gamma = load3(k.row, c, ContactRows.IMPULSE)
        if k.row[c, ContactRows.WANTED] > 0.0 and dot(gamma, gamma) > 0.0:
            sigma = SIGMA if k.collision.contacts.who[c, ContactBodies.BODY_B] < 0 else SIGMA_OF_PAIRS
            may += (
                0.5
                * sigma
                * k.row[c, ContactRows.INVERSE]
                * k.row[c, ContactRows.WANTED]
                * k.row[c, ContactRows.WANTED]
            )
            fastest = max(fastest, k.row[c, ContactRows.WANTED])
    if not fastest > FAST or k.control[TouchControl.CALMED] >= MOST_CALMED:
        return False
    gained = energy_gained(s, k, v)
    if not gained > PUSHED * may:
        return False
    k.control[TouchControl.CALMED] += 1
    # what pushing alone gains goes with the square of its speed
    share = math.sqrt(may / gained) if k.control[TouchControl.CALMED] < MOST_CALMED else 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.row[c, ContactRows.WANTED] > 0.0:
            k.row[c, ContactRows.WANTED] *= share
    return True


@kernel
def share_of_bounce(s, k):
    """The largest t for which V0 + t (V1 - V0) gains no energy, or no more than V0 does"""
    difference(k.start, k.without, k.found)
    e2 = 0.5 * bilinear(k, k.found, k.found)
    e1 = bilinear(k, k.without, k.found) - product(k.force, k.found) + bilinear(k, s.velocity, k.found)
    spare = max(0.0, -energy_gained(s, k, k.without))
    if e2 + e1 <= spare or not e2 > 0.0:
        return 1.0
    root = e1 * e1 + 4.0 * e2 * spare
    return min(1.0, max(0.0, (math.sqrt(root) - e1) / (2.0 * e2))) if root > 0.0 else 0.0


@kernel
def conclude(s, w, k):
    """Forces, ages and work of the contacts in this request"""
    x = k.number
    pressing = 0
    total = 0.0
    gain = 0.0
    pushed = 0.0
    fastest = QUIET
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.row[c, ContactRows.WANTED] == NEVER:
            continue  # what it carried remains
        gamma = load3(k.row, c, ContactRows.IMPULSE)
        store3(k.row, c, ContactRows.FORCE, scale(1.0 / x[TouchNumber.SPAN], gamma))
        if gamma[0] == 0.0 and gamma[1] == 0.0 and gamma[2] == 0.0:
            k.row[c, ContactRows.AGE] = 0.0
            continue
        k.row[c, ContactRows.AGE] += 1.0
        pressing += 1
        # gamma . (u0 + u1) / 2 is what the impulse does to the kinetic energy; the pose goes on with u1 alone
        surface = load3(k.row, c, ContactRows.SURFACE)
        u = load3(k.row, c, ContactRows.RATE)
        mean = scale(0.5, add(rate_of(k.collision.contacts, k, c, s.velocity), u))
        work = dot(gamma, add(mean, surface))
        total += work
        if surface[0] == 0.0 and surface[1] == 0.0 and surface[2] == 0.0:
            pushed += max(0.0, max(work, dot(gamma, u)))
            if k.row[c, ContactRows.WANTED] != k.row[c, ContactRows.BOUNCE]:
                fastest += max(0.0, k.row[c, ContactRows.WANTED])
        else:
            gain += max(0.0, max(work, dot(gamma, add(u, surface))))
    k.control[TouchControl.PRESSING] = pressing
    # what the tolerance leaves undecided, over the distance that free fall makes in the step
    g = norm(load3_of(w.number, Number.GRAVITY))
    pushed += pressing * x[TouchNumber.TOLERANCE] * x[TouchNumber.LARGEST] * g * w.number[Number.H]
    # pushing out gives no more than all that there is would have at the sum of the vhat (of a stack they add up), at
    # most at that of one, and what lifts it in the step
    fastest = min(fastest, FASTEST_PUSH)
    mass = 0.0
    for i in range(k.block.shape[0]):
        mass += k.block[i, 0]
    gain += min(pushed, mass * fastest * (0.5 * fastest + g * w.number[Number.H]))
    most = mass * FASTEST_PUSH * (0.5 * FASTEST_PUSH + g * w.number[Number.H])
    w.number[Number.PUSH_MOST] = max(w.number[Number.PUSH_MOST], most)
    here = (w.control[Control.PHASE] << 8) + w.control[Control.TICK]
    if k.control[TouchControl.COUNTED] == here:
        # the same request once more, with a drive at its limit
        w.number[Number.STEP_CONTACT_WORK] -= x[TouchNumber.LAST_WORK]
        w.number[Number.CONTACT_GAIN] -= x[TouchNumber.LAST_GAIN]
    w.number[Number.STEP_CONTACT_WORK] += total
    w.number[Number.CONTACT_GAIN] += gain
    k.control[TouchControl.COUNTED] = here
    x[TouchNumber.LAST_WORK] = total
    x[TouchNumber.LAST_GAIN] = gain


# ---------------------------------------------------------------- small sums
@kernel
def copy(a, out):
    source = flat(a)
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = source[i]


@kernel
def clear(out):
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = 0.0


@kernel
def difference(a, b, out):
    first = flat(a)
    second = flat(b)
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = first[i] - second[i]


@kernel
def product(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        # a sum of each row's own: in a single one every addition waits for the one before
        row = 0.0
        for j in range(a.shape[1]):
            row += a[i, j] * b[i, j]
        total += row
    return total
