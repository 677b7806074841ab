"""Contacts as rows of the anticipated matrix, beside links, grabs and limits; exact pivoting [Baraff94].

A contact that the answer of the solver mode would break gets a row along its normal n and two across it, t1 and t2, for
each of which one column of J A^-1 J^T is solved; then all rows together by pivoting (`complementary_forces`), and the
result is looked at again, until no contact is broken. With x the multipliers and u = J v - (velocity of what no force
moves):

    u_n >= vhat,  x_n >= 0,  x_n (u_n - vhat) = 0,        |x_1|, |x_2| <= mu x_n, each against its own slip

The pyramid is not the cone: in its corner friction is 1.41 times too strong. So t1 is laid along the force that
friction would have by itself, y = x_t - u_t / W_tt, cut off at mu x_n, t2 of a contact that slides yields as friction
turns with the slip, and all is pressed again, until the force across t1 vanishes to the tolerance: Newton's method,
whose solution is one of Coulomb's law itself. The rows only turn in the plane, so that the matrix turns with them and
no column is solved anew.

On the regularised law of the method `newton` (contacts/law.py) R stands on the diagonal; with w = u + R (x - gamma_c)

    w_n >= vhat - s + mu |w_t|      in the place of      u_n >= vhat

which to first order is the row n + mu t1 (`lean`). Restitution is that of the other method: solved with e = 0, then
with vhat = -e u_n, and as much of the difference taken as energy allows; forces are linear in it, so that they follow.

Impulses of the user's are answered in the same way, with the contacts that touch.

The driver calls it before a request (BEGIN), and whenever the anticipation has an answer to look at (GO_ON). Where
there is no room for the rows, or no solution (a limb pressed in between limits), the request is made anew for the other
method (RESTORE).
"""

import math

from physics.compiler.table import Table
from physics.compiler.jit import entry, inline, kernel
from physics.contacts import hard_limits
from physics.contacts.contact_work import conclude
from physics.contacts.law import Piece
from physics.contacts.newton import keep_request, restore_pulls
from physics.contacts.request_rows import fill_rows, rate_of
from physics.contacts.restitution import share_of_bounce, slow_pushes
from physics.data.contact_tables import (
    NEVER, ContactExtras, ContactPoints, ContactRows, Method, RowsTask, TouchControl, TouchNumber,
)  # fmt: skip
from physics.data.step_tables import Control, LimitLaw, Number, Order, Request, Touched
from physics.data.work_tables import Stops
from physics.forces.request import restore_right_hand_side
from physics.links.pivoting_rows import RowState
from physics.links.sparse_rows import put_row
from physics.links.turned_rows import across, law_rate, put_direction, softness, tangential, turn_to_slip, wanted_normal
from physics.maths.vec import ZERO3, add, cross, dot, load3, negative, norm, scale, store3, sub
from physics.maths.whole_arrays import copy

# Rounds of turning rows. Alone on a body whose response is the same all around a contact needs one.
MOST_ROUNDS = 60
# Broken by less than this share of the speeds at hand, or by this speed: rounding.
ROUNDING = 1e-11
STILL = 1e-12
# Impulses: within this gap bodies touch (those at rest leave 1e-9).
TOUCHING_GAP = 1e-6
# With `auto`, which cannot know how many contacts come in a step, more rows than this are left to the other method.
MOST_ROWS_OF_AUTO = 24


class RowsPass(Table):
    """Passes over a request, TouchControl.PASS: without restitution, with it, with the share of it that energy
    allows."""

    PLAIN = 0
    BOUNCED = 1
    SHARED = 2


@entry
def attend_contacts(m, s, w, k):
    """The unit that the driver calls. It does one task, by Work.control[Control.ROWS_TASK], BEGIN, LOOK or RESTORE, and
    returns DONE."""
    if w.control[Control.ROWS_TASK] == RowsTask.BEGIN:
        begin(m, s, w, k)
    elif w.control[Control.ROWS_TASK] == RowsTask.RESTORE:
        restore(w, k)
    else:
        look(s, w, k)
    return Request.DONE


@kernel
def begin(m, s, w, k):
    """Prepare the contacts of a request; no contact has a row yet. TOUCHING becomes whether contacts take part."""
    c = k.control
    request = w.control[Control.REQUEST]
    kinematic = w.control[Control.ORDER] == Order.KINEMATIC
    h = w.number[Number.H] if kinematic else w.number[Number.SPAN]
    w.control[Control.TOUCHING] = 0
    c[TouchControl.GIVEN_UP] = 0
    impulse = w.control[Control.LIMIT_LAW] == LimitLaw.IMPULSE
    if c[TouchControl.ACTIVE] == 0 or (not impulse and (request & Request.PULL_NOW == 0 or h == 0.0)):
        return
    w.control[Control.TOUCHING] = 1
    c[TouchControl.ASKED] = request
    c[TouchControl.CALMED] = 0
    c[TouchControl.PASS] = RowsPass.PLAIN
    c[TouchControl.ROUND] = 0
    c[TouchControl.NEWTONS] = 0
    c[TouchControl.GRADIENTS] = 0
    # f = m v: there the multipliers are forces
    k.number[TouchNumber.SPAN] = 1.0 if kinematic or impulse else h
    fill_rows(m, s, w, k, w.number[Number.DT] if impulse else h)
    if impulse:
        prepare_impulse(s, k)
    keep_request(w, k)
    for i in range(w.control[Control.STOPS]):
        w.stop[i, Stops.ROW] = -1.0
    for i in range(c[TouchControl.ACTIVE]):
        k.extra[i, ContactExtras.ANSWER_ROW] = -1.0
        k.extra[i, ContactExtras.YIELD] = 0.0


@kernel
def prepare_impulse(s, k):
    """Prepare rows for changes v of the velocities u by an impulse. Contacts that touch, or carried a force, keep n . J
    (u + v) >= 0, and friction acts against the slip of u + v. There is no restitution."""
    contacts = k.collision.contacts
    for c in range(k.control[TouchControl.ACTIVE]):
        near = contacts.where[c, ContactPoints.GAP] <= TOUCHING_GAP or k.row[c, ContactRows.AGE] > 0.0
        k.row[c, ContactRows.WANTED] = 0.0 if near else NEVER
        k.row[c, ContactRows.LIFT] = 0.0
        k.row[c, ContactRows.BOUNCE] = -1.0
        store3(k.row, c, ContactRows.CENTRE, ZERO3)
        # u_rel = J v - surface: what is there before counts in
        store3(k.row, c, ContactRows.SURFACE, sub(ZERO3, rate_of(contacts, k, c, s.velocity)))


@kernel
def restore(w, k):
    """Copy the request back to Work for the other contact method, which solves the rest of the step."""
    copy(k.block, w.block)
    restore_right_hand_side(w, k.force, k.push)
    restore_pulls(w, k)
    w.control[Control.TOUCHING] = 0
    k.control[TouchControl.USED] = Method.NEWTON


@kernel
def look(s, w, k):
    """Examine the present solution, and adds rows where it violates contacts. TOUCHED becomes the next task where no
    rows have been added."""
    c = k.control
    w.control[Control.TOUCHED] = Touched.SETTLED
    c[TouchControl.NEWTONS] += 1
    if w.control[Control.LIMIT_ROWS] > w.control[Control.PULL_ROWS] and w.control[Control.PRESSED] == 0:
        c[TouchControl.GIVEN_UP] = 1
    if c[TouchControl.GIVEN_UP] != 0:
        return
    if c[TouchControl.PASS] != RowsPass.SHARED:
        add_broken(w, k)
        add_stops(w, k)
    if w.control[Control.LIMIT_ROWS] > w.control[Control.LIMIT_FIRST] or c[TouchControl.GIVEN_UP] != 0:
        return
    read_impulses(w, k)
    read_stops(w)
    if c[TouchControl.PASS] != RowsPass.SHARED and c[TouchControl.ROUND] < MOST_ROUNDS and turn_to_slip(w, k):
        c[TouchControl.ROUND] += 1
        w.control[Control.TOUCHED] = Touched.PRESS_AGAIN
        return
    if (
        c[TouchControl.PASS] == RowsPass.PLAIN
        and w.control[Control.LIMIT_LAW] != LimitLaw.IMPULSE
        and ask_slower(s, w, k)
    ):
        c[TouchControl.ROUND] = 0
        w.control[Control.TOUCHED] = Touched.PRESS_AGAIN
        return
    if c[TouchControl.PASS] == RowsPass.PLAIN and ask_bounces(w, k):
        copy(w.velocity, k.without)
        hold_multipliers(w)
        c[TouchControl.PASS] = RowsPass.BOUNCED
        c[TouchControl.ROUND] = 0
        w.control[Control.TOUCHED] = Touched.PRESS_AGAIN
        return
    if c[TouchControl.PASS] == RowsPass.BOUNCED:
        copy(w.velocity, k.start)
        share = share_of_bounce(s, k)
        if share < 1.0:
            take_share(w, share)
            c[TouchControl.PASS] = RowsPass.SHARED
            w.control[Control.TOUCHED] = Touched.SOLVE_AGAIN
            return
    if w.control[Control.LIMIT_LAW] == LimitLaw.IMPULSE:
        return
    conclude(s, w, k)
    if w.control[Control.STOPS] > 0:
        hard_limits.conclude(s, w, c[TouchControl.ASKED] & Request.LIMIT_NOW != 0, k.number[TouchNumber.SPAN])


# ---------------------------------------------------------------- rows


@kernel
def add_broken(w, k):
    """Add rows for the contacts that Work.velocity breaks."""
    contacts = k.collision.contacts
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.extra[c, ContactExtras.ANSWER_ROW] >= 0.0:
            continue
        u = rate_of(contacts, k, c, w.velocity)
        n = load3(contacts.where, c, ContactPoints.NORMAL)
        rate = law_rate(k, c, u, ZERO3)
        least = wanted_normal(k, c)
        if k.control[TouchControl.REGULARISED] != 0:
            least += contacts.where[c, ContactPoints.FRICTION] * norm(across(rate, n))
        speed = dot(rate, n)
        if not speed - least < -ROUNDING * (abs(speed) + abs(least)) - STILL:
            continue
        at = w.control[Control.LIMIT_ROWS]
        if not has_room(w, k, at + 3):
            return
        add_contact(w, k, c, at, u, n, rate)


@inline
def has_room(w, k, end):
    """Return whether there is room for rows up to `end`. Where there is none, the method gives up."""
    a = w.auxiliary
    rows = end - w.control[Control.PULL_ROWS]
    many = k.control[TouchControl.METHOD] == Method.AUTO and rows > MOST_ROWS_OF_AUTO
    if many or end > a.edge.shape[0] or rows > a.limit.shape[0]:
        k.control[TouchControl.GIVEN_UP] = 1
        w.control[Control.LIMIT_ROWS] = w.control[Control.LIMIT_FIRST]
        return False
    return True


@kernel
def add_stops(w, k):
    """Add limits of the regularised law: rate + R (gamma - gamma_c) >= vhat."""
    a = w.auxiliary
    for r in range(w.control[Control.STOPS]):
        if w.stop[r, Stops.ROW] >= 0.0 or k.control[TouchControl.GIVEN_UP] != 0:
            continue
        softness = 1.0 / w.stop[r, Stops.INVERSE]
        least = w.stop[r, Stops.WANTED] + softness * w.stop[r, Stops.CENTRE]
        speed = hard_limits.rate_of(w, r, w.velocity)
        at = w.control[Control.LIMIT_ROWS]
        broken = speed - least < -ROUNDING * (abs(speed) + abs(least)) - STILL
        if not broken or not has_room(w, k, at + 1):
            continue
        child = int(w.stop[r, Stops.CHILD])
        tv = load3(w.stop, r, Stops.TWIST)
        tw = load3(w.stop, r, Stops.TWIST + 3)
        put_row(w, int(w.stop[r, Stops.EDGE]), child, int(w.stop[r, Stops.PARENT]), at, tv, tw, softness)
        w.stop[r, Stops.ROW] = at
        a.right[at] = least - speed
        start_row(w, at)
        w.control[Control.LIMIT_ROWS] += 1


@inline
def start_row(w, at):
    """Write the initial numbers of a one-sided row that belongs to no limit."""
    a = w.auxiliary
    a.mate[at] = -1
    a.lean[at] = 0.0
    a.bound[at, 0] = 0.0
    a.bound[at, 1] = math.inf
    a.limit[at - w.control[Control.PULL_ROWS]] = -1
    a.multiplier[at] = 0.0
    a.held[at] = 0.0
    a.guess[at] = RowState.HELD


@kernel
def add_contact(w, k, c, at, u, n, rate):
    """Write the three rows of contact c from row `at` on, with t1 along the friction of the step before, or against the
    slip. `right` is the velocity that each row must gain."""
    a = w.auxiliary
    mu = k.collision.contacts.where[c, ContactPoints.FRICTION]
    t1 = across(load3(k.row, c, ContactRows.FORCE), n)
    if not norm(t1) > 0.0:
        t1 = negative(across(u, n))
    if not norm(t1) > 0.0:
        t1 = any_across(n)
    t1 = scale(1.0 / norm(t1), t1)
    store3(k.extra, c, ContactExtras.TANGENT, t1)
    k.extra[c, ContactExtras.ANSWER_ROW] = at
    k.extra[c, ContactExtras.YIELD] = 0.0
    put_direction(w, k, c, at, n)
    a.right[at] = wanted_normal(k, c) - dot(rate, n)
    start_row(w, at)
    a.lean[at] = mu if k.control[TouchControl.REGULARISED] != 0 else 0.0
    rows = 1
    if mu > 0.0:
        t2 = cross(n, t1)
        for j in range(2):
            t = t1 if j == 0 else t2
            put_direction(w, k, c, at + 1 + j, t)
            a.right[at + 1 + j] = -dot(rate, t)
            start_row(w, at + 1 + j)
            a.mate[at + 1 + j] = at
            a.bound[at + 1 + j, 0] = -mu
            a.bound[at + 1 + j, 1] = mu
        rows = 3
    for r in range(at, at + rows):
        a.soft[r] = softness(k, c)
        a.edge[r] = -1
    w.control[Control.LIMIT_ROWS] += rows


@inline
def any_across(n):
    """Return a unit vector perpendicular to n: the coordinate axis with the largest angle to n, without its part along
    n."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    if x <= y and x <= z:
        return across((1.0, 0.0, 0.0), n)
    return across((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0), n)


# ---------------------------------------------------------------- what an answer says
@kernel
def read_impulses(w, k):
    """Write impulses and velocities of all contacts from the multipliers."""
    a = w.auxiliary
    contacts = k.collision.contacts
    largest = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        gamma = ZERO3
        at = int(k.extra[c, ContactExtras.ANSWER_ROW])
        if at >= 0:
            gamma = scale(a.multiplier[at], load3(contacts.where, c, ContactPoints.NORMAL))
            if contacts.where[c, ContactPoints.FRICTION] > 0.0:
                gamma = add(gamma, tangential(w, k, c, at))
        store3(k.row, c, ContactRows.IMPULSE, gamma)
        store3(k.row, c, ContactRows.RATE, rate_of(contacts, k, c, w.velocity))
        k.row[c, ContactRows.PIECE] = (
            Piece.STICKING if gamma[0] != 0.0 or gamma[1] != 0.0 or gamma[2] != 0.0 else Piece.OPEN
        )
        largest = max(largest, norm(gamma))
    k.number[TouchNumber.LARGEST] = largest


@kernel
def read_stops(w):
    """Write the impulses of limits from the multipliers."""
    for r in range(w.control[Control.STOPS]):
        at = int(w.stop[r, Stops.ROW])
        w.stop[r, Stops.IMPULSE] = w.auxiliary.multiplier[at] if at >= 0 else 0.0
        w.stop[r, Stops.RATE] = hard_limits.rate_of(w, r, w.velocity)


# ---------------------------------------------------------------- rows turn


# ---------------------------------------------------------------- restitution
@kernel
def ask_bounces(w, k):
    """Set vhat = -e u_n where the surface would be crossed. Return whether there is such a contact."""
    fastest = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.row[c, ContactRows.PIECE] != Piece.OPEN and k.row[c, ContactRows.BOUNCE] > max(
            0.0, k.row[c, ContactRows.WANTED]
        ):
            w.auxiliary.right[int(k.extra[c, ContactExtras.ANSWER_ROW])] += (
                k.row[c, ContactRows.BOUNCE] - k.row[c, ContactRows.WANTED]
            )
            k.row[c, ContactRows.WANTED] = k.row[c, ContactRows.BOUNCE]
            fastest = max(fastest, k.row[c, ContactRows.BOUNCE])
    k.number[TouchNumber.BOUNCING] = fastest
    return fastest > 0.0


@kernel
def ask_slower(s, w, k):
    """Return whether bodies are pushed out with more energy than is permitted; the wanted velocities are then
    lowered."""
    if w.control[Control.ORDER] == Order.KINEMATIC:
        return False
    a = w.auxiliary
    for c in range(k.control[TouchControl.ACTIVE]):
        k.extra[c, ContactExtras.ASKED_BEFORE] = k.row[c, ContactRows.WANTED]
    slower = slow_pushes(s, k, w.velocity)
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.extra[c, ContactExtras.ANSWER_ROW] >= 0.0:
            a.right[int(k.extra[c, ContactExtras.ANSWER_ROW])] += (
                k.row[c, ContactRows.WANTED] - k.extra[c, ContactExtras.ASKED_BEFORE]
            )
    return slower


@kernel
def hold_multipliers(w):
    """Keep the multipliers of the solution without restitution."""
    for r in range(w.control[Control.LIMIT_ROWS]):
        w.auxiliary.held[r] = w.auxiliary.multiplier[r]


@kernel
def take_share(w, share):
    """Set the forces to a share of the difference between those without restitution and those with it."""
    a = w.auxiliary
    for r in range(w.control[Control.LIMIT_ROWS]):
        a.multiplier[r] = a.held[r] + share * (a.multiplier[r] - a.held[r])
