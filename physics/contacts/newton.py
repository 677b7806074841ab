"""`newton`: contacts by Newton steps whose linear solver is the solver mode itself. A step takes O(n) operations if all
contacts are with the ground.

    minimise  1/2 (v - v*)^T A (v - v*) + sum phi(J v),   joints exact,   -phi' = gamma, the law of one contact (law.py)

Here A and f belong to the integrator's request, v* is the solution of A v* = f, and J v are the relative velocities of
the contacts. A Newton step solves the integrator's own request, to which the contacts are added, linearised at their
present velocities u:

    A' = A + J^T G J,   f' = f + J^T (gamma + G u)

A contact of a body with something that does not move adds only to the block of this body. A hard limit of a joint in
the forest adds to the stiffness of its coordinate (`hard_limits`). Both leave the elimination unchanged. A contact
between two bodies adds its diagonal blocks in the same way. Its block off the diagonal, -C, is moved to the right-hand
side, with the present velocity. Conjugate gradients then solve for the difference, as exactly as the error of the laws
justifies. Their preconditioner P is the present factor, and H is the whole matrix:

    r = C (v_new - v),   z = P r,   d = z + beta d,   H d = r - C z + beta H d       (no product with the whole H)

The joints hold throughout, because P solves with b = d = 0. At each v, the linear system gives every contact an impulse
p. Along any motion that the joints allow, the derivative of the objective without phi is sum p . du, with the change du
of u. Therefore the derivative of the whole objective along a step follows from gamma and p alone, in every solver mode.
If this derivative at the end of a step is positive, and larger than 0.3 times its size at the start, a regula falsi
shortens the step. This is done from the second step on.

After each iteration, the centres of the laws are moved to the impulses p (`recentre`). When the iteration has
converged, Coulomb's law itself holds, without regularisation or delay. The error is that of Coulomb's law: the
difference between p and the law with the centre p (`law.coulomb_law`). Contacts that do not bounce keep the wanted
normal velocity to a millionth of a metre per second. If joints make contacts contradict each other, they keep it as far
as the joints allow (`give_in`). If friction acts with long levers, the centres may need dozens of iterations. The cap
on the iterations depends on the number of contacts, and TouchNumber.RESIDUAL has the remaining error. If no law has
changed its piece, the factor of the iteration before is used again.

In heaps (`request_rows.FEW_COUPLED`), lasting contacts have the convex model, with the lift and the centre of the step
before. There Coulomb's law would take four times as long. At rest, the two laws are the same.

Restitution: the contacts are first solved with the coefficient of restitution e = 0, and then with vhat = max(vhat, -e
u_n) for contacts whose surfaces would cross in this step. The result is a point on the line from the first velocities
to the second. It is the point nearest to the second for which

    v^T A v / 2 - (f - A u0)^T v  <=  u0^T A u0 / 2        (h F = f - A u0: kinetic energy and the work of the forces)

so that energy is never gained.

A push-out (vhat > 0) against joints that hardly yield could rotate bodies at any speed. If the energy that is gained in
this sense is larger than sum m vhat^2 / 2, with the mass m of the lighter body of each contact, the vhat are lowered
and the pass is repeated.

The method receives the requests of the integrator, and sends requests to the anticipation. The driver gives it the task
BEGIN, and then GO_ON until it returns DONE."""

import math

from physics.compiler.table import Table
from physics.compiler.jit import entry, kernel
from physics.contacts import hard_limits
from physics.contacts.contact_work import conclude
from physics.contacts.law import Piece
from physics.contacts.newton_centres import recentre
from physics.contacts.newton_gradients import enough, most_energy, sweep
from physics.contacts.newton_laws import advance_laws, carry_impulses, fill_rates, law_of, linearise, linearise_contact
from physics.contacts.newton_search import length_of_step, shorten
from physics.contacts.newton_stopping import is_good_enough, most_iterations, renews, stays
from physics.contacts.newton_system import add_contact, add_contacts, add_couplings, keep_request, restore_pulls
from physics.contacts.request_rows import begin_rows, fill_row, fill_rows, load3_of, look_for_heap
from physics.contacts.restitution import raise_wanted, share_of_bounce, slow_pushes
from physics.data.contact_tables import ContactPoints, ContactRows, NewtonTask, TouchControl, TouchNumber
from physics.data.step_tables import Aim, Control, Number, Order, Request
from physics.data.work_tables import Rows
from physics.forces.request import restore_right_hand_side
from physics.maths.vec import add_scaled, dot, load3, load6, norm, store3
from physics.maths.whole_arrays import clear, copy, difference


class NewtonStage(Table):
    """What the last request of the method was (TouchControl.STAGE): the integrator's request, unchanged; a step of
    Newton's method; a step of the conjugate gradients; the solution with the impulses that were found; the solution
    without contacts."""

    THROUGH = 0
    STEPPING = 1
    GRADIENT = 2
    FINALLY = 3
    FREELY = 4


# A factor serves the next iteration as well where no law has changed its piece and no derivative by more than this
# share of 1/R.
STALE = 0.02


@entry("mswk", "i")
def answer_contacts(m, s, w, k):
    """Begin to answer the integrator's request (Control.REQUEST) if the task is BEGIN. If it is GO_ON, continue with
    the solution of the last request, which is in Work.velocity. Return the next request for the anticipation, or DONE
    when Work.velocity is the answer. The driver calls this unit."""
    if w.control[Control.NEWTON_TASK] == NewtonTask.BEGIN:
        return begin(w.control[Control.REQUEST], m, s, w, k)
    return advance(m, s, w, k)


@kernel
def begin(request, m, s, w, k):
    """Save A, f, d and b of the integrator's request in Touch, and fill Touch.row. Return the first request for the
    anticipation. If no contact takes part in the request, only return it unchanged."""
    c = k.control
    c[TouchControl.STAGE] = NewtonStage.THROUGH
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
        c[TouchControl.STAGE] = NewtonStage.FREELY
        w.control[Control.AIMED] = Aim.KEEPING_AIMS
        return request & ~Request.LIMIT_NOW
    return start_pass(w, k)


@kernel
def start_first_pass(m, s, w, k, h):
    """Fill the rows of all contacts, linearise their laws at the present velocities, and add them to A and f. Return
    the request for the first Newton step. This is what `fill_rows` and `start_pass` do, but in one loop, because the
    rows of many contacts do not stay in the caches. The velocities include what gravity adds in the step. Therefore a
    contact that touches without force counts as closed, whichever sign rounding gives to its velocity."""
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
    hard_limits.fill_rates(w, k.start)
    return ask_linearised(w, k, True)


@kernel
def start_pass(w, k):
    """Start a pass of Newton steps at the velocities in Touch.start. Return its first request."""
    k.control[TouchControl.ITERATION] = 0
    fill_rates(k, k.start)
    hard_limits.fill_rates(w, k.start)
    return ask_step(w, k)


@kernel
def ask_step(w, k):
    """Write A' and f' at the velocities Touch.start to Work. If the present factor belongs to the same A', write only
    f'. Return the request for the Newton step."""
    anew = (
        k.control[TouchControl.ITERATION] == 0
        or k.control[TouchControl.ASKED] & Request.LIMIT_NOW != 0
        or changed(w, k)
    )
    if anew:
        linearise(k)
        copy(k.block, w.block)
    restore_right_hand_side(w, k.force, k.push)
    restore_pulls(w, k)
    k.control[TouchControl.COUPLED] = add_contacts(w, k, anew)
    return ask_linearised(w, k, anew)


@kernel
def ask_linearised(w, k, anew):
    """Add the hard limits to the system in Work, which already has the diagonal blocks and the impulses of the
    contacts. Move the blocks between two bodies to the right-hand side, with the present velocities (Touch.start).
    `anew` says whether a new factor is needed. Return the request for the Newton step."""
    hard_limits.linearise(w)
    if anew:
        hard_limits.add_stiffness(w)
    hard_limits.add_pushes(w)
    if k.control[TouchControl.COUPLED] > 0:
        add_couplings(k, k.start, w.force)
    k.control[TouchControl.STAGE] = NewtonStage.STEPPING
    k.control[TouchControl.CORRECTED] = 0
    k.number[TouchNumber.LEFT] = 0.0
    return (Request.FACTOR if anew else 0) | (
        k.control[TouchControl.ASKED] & (Request.SOLVE | Request.WRENCHES | Request.PULL_NOW | Request.LIMIT_NOW)
    )


@kernel
def changed(w, k):
    """Return whether the law of some contact or limit at its present velocity has a derivative that differs from the
    one in the factor. Go through the contacts, and write the impulse of each at its velocity to ContactRows.IMPULSE,
    but stop at the first that differs."""
    for c in range(k.control[TouchControl.ACTIVE]):
        gamma, g, piece = law_of(k, c, load3(k.row, c, ContactRows.RATE))
        if piece != k.row[c, ContactRows.PIECE]:
            return True
        if piece == Piece.SLIDING:
            was = load6(k.row, c, ContactRows.STIFFNESS)
            off = 0.0
            for i in range(6):
                off = max(off, abs(g[i] - was[i]))
            if off > STALE * k.row[c, ContactRows.INVERSE]:
                return True
        store3(k.row, c, ContactRows.IMPULSE, gamma)
    return hard_limits.changed(w)


@kernel
def advance(m, s, w, k):
    """Continue with the solution of the last request, which is in Work.velocity. Return the next request, or DONE when
    Work.velocity is the answer to the integrator."""
    c = k.control
    if c[TouchControl.STAGE] == NewtonStage.THROUGH:
        return Request.DONE
    if c[TouchControl.STAGE] == NewtonStage.FINALLY:
        return finish(s, w, k)
    if c[TouchControl.STAGE] == NewtonStage.FREELY:
        w.control[Control.AIMED] = Aim.TO_AIMS
        return start_pass(w, k)
    if w.control[Control.AIMED] == Aim.TO_REST:
        w.control[Control.AIMED] = Aim.TO_AIMS
    if c[TouchControl.STAGE] == NewtonStage.STEPPING:
        copy(w.velocity, k.found)
        if c[TouchControl.COUPLED] > 0:
            c[TouchControl.SWEEP] = 0
            difference(k.found, k.start, k.direction)
            clear(k.residual)
            add_couplings(k, k.direction, k.residual)
            x = k.number
            if most_energy(m, k.residual) > enough(x, c) * enough(x, c):
                return ask_gradient(w, k)
    elif c[TouchControl.STAGE] == NewtonStage.GRADIENT and sweep(w, k):
        return ask_gradient(w, k)
    return finish_step(m, s, w, k)


# ---------------------------------------------------------------- conjugate gradients around the factor
@kernel
def ask_gradient(w, k):
    """Write the residual r to Work.force, and set d and b in Work.row to zero. Return the request for z = P r."""
    copy(k.residual, w.force)
    for e in range(w.row.shape[0]):
        for i in range(9):
            w.row[e, Rows.PUSH + i] = 0.0
    k.control[TouchControl.CORRECTED] = 1
    k.control[TouchControl.STAGE] = NewtonStage.GRADIENT
    if w.control[Control.ORDER] == Order.KINEMATIC and w.control[Control.GRABS] > 0:
        w.control[Control.AIMED] = Aim.TO_REST
        return Request.SOLVE | Request.PULL_NOW
    return Request.SOLVE


# ---------------------------------------------------------------- Newton steps
@kernel
def finish_step(m, s, w, k):
    """Evaluate the laws at the end of a Newton step (Touch.found), and shorten the step if needed. Return the request
    of the next Newton step, or if the pass ends here, the request that follows it."""
    c = k.control
    x = k.number
    c[TouchControl.ITERATION] += 1
    c[TouchControl.NEWTONS] += 1
    x[TouchNumber.RESIDUAL] = 0.0
    x[TouchNumber.LARGEST] = 0.0
    error, largest = advance_laws(k, k.found)
    error, largest = hard_limits.advance_laws(w, k, error, largest, renews(c))
    error = math.sqrt(error)
    largest = math.sqrt(largest)
    x[TouchNumber.LARGEST_ROOT] = largest
    good = is_good_enough(k, error, largest)
    x[TouchNumber.ERROR] = error
    if not good and c[TouchControl.ITERATION] > 1:
        t = length_of_step(w, k)
        if t < 1.0:
            shorten(k, t)
            hard_limits.shorten(w, t)
            c[TouchControl.CORRECTED] = 1
    copy(k.found, k.start)
    if not good and c[TouchControl.ITERATION] < most_iterations(k):
        if c[TouchControl.REGULARISED] == 0 and not stays(c):
            recentre(w, k)
        return ask_step(w, k)
    return finish_pass(m, s, w, k)


@kernel
def finish_pass(m, s, w, k):
    """Start another pass at Touch.start if bodies are pushed out too fast or bounce. Otherwise write the results of the
    contacts. Return the next request, or DONE. After the last pass, a request may be needed to get velocities and
    wrenches of the same solution."""
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
    c[TouchControl.STAGE] = NewtonStage.FINALLY
    if c[TouchControl.CORRECTED] != 0:
        # velocities and wrenches that belong together, with the factor at hand
        restore_right_hand_side(w, k.force, k.push)
        restore_pulls(w, k)
        carry_impulses(k)
        hard_limits.carry_impulses(w)
        limited = c[TouchControl.ASKED] & Request.LIMIT_NOW != 0
        if limited:
            # limits are found with their factor
            copy(k.block, w.block)
        add_contacts(w, k, limited)
        add_couplings(k, k.start, w.force)
        hard_limits.add_pushes(w)
        return (Request.FACTOR if limited else 0) | (
            c[TouchControl.ASKED] & (Request.SOLVE | Request.WRENCHES | Request.PULL_NOW | Request.LIMIT_NOW)
        )
    return finish(s, w, k)


@kernel
def finish(s, w, k):
    """Remove from Work.velocity the part of the bounce that would gain energy. Write the results of the hard limits.
    Return DONE."""
    t = k.number[TouchNumber.SHARE]
    if t < 1.0:
        for i in range(w.velocity.shape[0]):
            for j in range(w.velocity.shape[1]):
                w.velocity[i, j] = k.without[i, j] + t * (w.velocity[i, j] - k.without[i, j])
    if w.control[Control.STOPS] > 0:
        hard_limits.conclude(s, w, k.control[TouchControl.ASKED] & Request.LIMIT_NOW != 0, k.number[TouchNumber.SPAN])
    k.control[TouchControl.STAGE] = NewtonStage.THROUGH
    w.control[Control.AIMED] = Aim.TO_TARGETS
    return Request.DONE
