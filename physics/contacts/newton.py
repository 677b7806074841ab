"""`newton`: contacts by Newton steps whose linear solver is the solver mode itself; O(n) in contacts with the ground.

    minimise  1/2 (v - v*)^T A (v - v*) + sum phi(J v),   joints exact,   -phi' = gamma, the law of one contact (law.py)

A Newton step is the integrator's own request with the contacts, linearised at their present velocities u, added:

    A' = A + J^T G J,   f' = f + J^T (gamma + G u)

A contact with what does not move adds to its body's block alone, and a hard limit of a joint in the forest to the
stiffness of its coordinate (`hard_limits`), so that the elimination stays as it is. A contact between two bodies adds
its diagonal blocks in this way. Its block off the diagonal, -C, is moved to the right-hand side at the present
velocity. Conjugate gradients with the present factor as their preconditioner P then solve the rest, as exactly as the
error of the laws justifies:

    r = C (v_new - v),   z = P r,   d = z + beta d,   H d = r - C z + beta H d       (no product with the whole H)

The joints hold throughout: P solves with b = d = 0. At each v the linear system carries certain impulses p. The
gradient of the objective without phi along any motion that the joints allow is sum p . du, and the derivative of the
objective along a step follows from gamma and p alone, in every solver mode. From the second step on, a step is
shortened by a regula falsi where the derivative at its end exceeds 0.3 of that at its start.

After each iteration the laws are centred in the impulses that are carried. Where the iteration ends, Coulomb's law
itself therefore holds, without regularisation or delay (`recentre`). The error is that of Coulomb's law,
|p - P(p - ...)|, from the law centred in p (`law.coulomb_law`). Contacts that do not bounce keep the wanted normal
velocity to a millionth of a metre a second, or, where joints make contacts contradict each other, as far as these allow
(`give_in`). Where contacts have friction with long levers the centres may take dozens of iterations. The cap on the
iterations depends on the number of contacts, and the remaining error is in RESIDUAL. Where no law has changed its
piece, the factor of the iteration before is used again.

In heaps lasting contacts keep to the convex model with the lift and the centre of the step before
(`request_rows.FEW_COUPLED`): there Coulomb's law would take four times as long. At rest the two are the same.

Restitution: the contacts are solved with e = 0, then with vhat = max(vhat, -e u_n) where the surface would be crossed
in this step. The velocities taken are the farthest on the way from the first to the last with

    v^T A v / 2 - (f - A u0)^T v  <=  u0^T A u0 / 2        (h F = f - A u0: kinetic energy and the work of the forces)

so that energy is never gained.

A push-out (vhat > 0) against joints that hardly yield would turn them at any speed. Where the energy gained by this
measure is more than the lighter bodies would have at vhat, sum m vhat^2 / 2, the vhat are lowered and the pass is
repeated.

The method stands between integrator and anticipation: the driver gives it the task BEGIN, then GO_ON until DONE.
"""

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
    """The last request of the method, TouchControl.STAGE: the integrator's request unchanged; a step of Newton's
    method; the gradient; the solution with the forces that were found; the solution without contacts."""

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
    """Take the integrator's request (Control.REQUEST) with the task BEGIN, or the solution of the last request
    (Work.velocity) with GO_ON. Return the next request for the anticipation, or DONE when Work.velocity is the
    solution. The driver calls this unit between integrator and anticipation."""
    if w.control[Control.NEWTON_TASK] == NewtonTask.BEGIN:
        return begin(w.control[Control.REQUEST], m, s, w, k)
    return advance(m, s, w, k)


@kernel
def begin(request, m, s, w, k):
    """Save A, f, d and b of the integrator's request in Touch, and fill Touch.row. Return the first request for the
    anticipation."""
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
    """Fill the rows of all contacts, linearise their laws at the present velocities, and add them to A and f, as
    `fill_rows` and `start_pass` do, in one loop, because the rows of many contacts do not stay in the caches. The
    velocities include the gain by gravity in the step, so that a contact that touches without force counts as closed,
    whichever sign rounding gives to its velocity. Return the request for the first Newton step."""
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
    """Start a pass of Newton steps from the velocities in Touch.start. Return its first request."""
    k.control[TouchControl.ITERATION] = 0
    fill_rates(k, k.start)
    hard_limits.fill_rates(w, k.start)
    return ask_step(w, k)


@kernel
def ask_step(w, k):
    """Write A' and f' at the velocities Touch.start to Work; only f' where the present factor belongs to the same A'.
    Return the request for the Newton step."""
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
    """Add hard limits and couplings to the system in Work, which already has the contacts. `anew` says whether a new
    factor is needed. Return the request for the Newton step."""
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
    """Return whether the law of some contact or limit has, at its velocity, another derivative than the factor
    contains. Until one is found, write the impulse of each contact at its velocity to ContactRows.IMPULSE."""
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
    """Take the solution of the last request from Work.velocity. Return the next request, or DONE when Work.velocity is
    the answer to the integrator."""
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
    """Write the residual r to Work.force, and zero to d and b in Work.row. Return the request for z = P r."""
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
    """Evaluate the laws at the end of a Newton step (Touch.found), and shorten the step where needed. Return the
    request of the next Newton step, or of what follows the pass."""
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
    """Start another pass from Touch.start where bodies are pushed out too fast or bounce; otherwise write the results
    of the contacts. Return the next request, which is for velocities and wrenches that belong together, or DONE."""
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
    """Remove the part of the bounce that would gain energy from Work.velocity, write the results of the hard limits,
    and return DONE."""
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
