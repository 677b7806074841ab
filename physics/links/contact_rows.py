"""Contacts as rows of the anticipated matrix, together with links, grabs and limits; exact pivoting [Baraff94].

A contact that the answer of the solver mode would violate gets a row along its normal n and two across it, t1 and t2.
For each row one column of J A^-1 J^T is solved, and then all rows are solved together by pivoting
(`complementary_forces`). The result is examined again, until no contact is violated. x are the multipliers, u is J v
minus the prescribed velocity of the surface, and vhat the wanted normal velocity:

    u_n >= vhat,  x_n >= 0,  x_n (u_n - vhat) = 0,        |x_1|, |x_2| <= mu x_n, each against its own slip

This friction pyramid is not the cone: in its corner friction is 1.41 times too strong. Therefore t1 gets the direction
of the force that friction alone would have, y = x_t - u_t / W_tt, cut off at mu x_n. The row t2 of a sliding contact
gets a compliance, because friction turns with the slip. All rows are solved again until the force across t1 vanishes to
the tolerance. This is Newton's method, and its solution satisfies Coulomb's law. Because the rows only turn in their
plane, the matrix turns with them, and no column is solved again.

The regularised law of the method `newton` (contacts/law.py) adds R to the diagonal. For the velocity w = u + R (x -
gamma_c),

    w_n >= vhat - s + mu |w_t|      replaces      u_n >= vhat

where s is the lift of that law. To first order this is the row n + mu t1 (`lean`). Restitution is computed as in the
other method: the contacts are solved without it, then with vhat = -e u_n for the coefficient e. The result is the first
solution plus the largest share of the difference that energy allows. Forces are linear in this share.

Impulses that the user applies are answered in the same way, with the contacts that touch.

The driver calls `attend_contacts` before a request (BEGIN), and whenever the anticipation has an answer to examine
(LOOK). If there is no room for the rows, or no solution (as for a limb pressed between limits), the request is restored
for the other method (RESTORE).
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
    """Values of TouchControl.PASS, the pass over a request: without restitution (PLAIN), with it (BOUNCED), or with the
    share of it that energy allows (SHARED)."""

    PLAIN = 0
    BOUNCED = 1
    SHARED = 2


@entry("mswk", "i")
def attend_contacts(m, s, w, k):
    """Do the task in Control.ROWS_TASK (BEGIN, LOOK or RESTORE) and return DONE; the driver calls this unit."""
    if w.control[Control.ROWS_TASK] == RowsTask.BEGIN:
        begin(m, s, w, k)
    elif w.control[Control.ROWS_TASK] == RowsTask.RESTORE:
        restore(w, k)
    else:
        look(s, w, k)
    return Request.DONE


@kernel
def begin(m, s, w, k):
    """Write the contacts of a request to Touch.row; they have no rows in Work.auxiliary yet. Set Control.TOUCHING to 1
    if contacts take part in the request, else to 0."""
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
    """Write Touch.row for an impulse that changes the velocities u by v. Contacts that touch, or that carried a force,
    keep n . J (u + v) >= 0; friction acts against the slip of u + v; there is no restitution."""
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
    """Copy the request back to Work for the other contact method, which solves the rest of the step; clear
    Control.TOUCHING."""
    copy(k.block, w.block)
    restore_right_hand_side(w, k.force, k.push)
    restore_pulls(w, k)
    w.control[Control.TOUCHING] = 0
    k.control[TouchControl.USED] = Method.NEWTON


@kernel
def look(s, w, k):
    """Examine the solution in Work.velocity, and add rows for the contacts that it violates. If no rows are needed,
    write impulses and rates of the contacts to Touch.row. Write the next task to Control.TOUCHED."""
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
    """Add rows to Work.auxiliary for the contacts that Work.velocity violates."""
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
    """Return whether Work.auxiliary has room for rows up to `end`. Otherwise set TouchControl.GIVEN_UP and remove the
    rows that were added to this solution."""
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
    """Add rows to Work.auxiliary for the limits in Work.stop that Work.velocity violates: rate + R (gamma - gamma_c) >=
    vhat."""
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
    """Write the initial values of row `at` to Work.auxiliary. The row is one-sided and belongs to no limit."""
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
    """Write the rows of contact c to Work.auxiliary from row `at` on, one without friction and three with it. t1 is
    along the friction of the step before, or against the slip; `right` is the velocity that each row must gain. u is
    the velocity of the contact, and `rate` the w of its law."""
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
    """Return a vector perpendicular to the unit vector n, not normalised: the coordinate axis with the largest angle to
    n, minus its part along n."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    if x <= y and x <= z:
        return across((1.0, 0.0, 0.0), n)
    return across((0.0, 1.0, 0.0) if y <= z else (0.0, 0.0, 1.0), n)


# ---------------------------------------------------------------- what an answer says
@kernel
def read_impulses(w, k):
    """Write the impulse, rate and piece of every contact to Touch.row from the multipliers and Work.velocity."""
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
    """Write the impulses and rates of the limits to Work.stop from the multipliers and Work.velocity."""
    for r in range(w.control[Control.STOPS]):
        at = int(w.stop[r, Stops.ROW])
        w.stop[r, Stops.IMPULSE] = w.auxiliary.multiplier[at] if at >= 0 else 0.0
        w.stop[r, Stops.RATE] = hard_limits.rate_of(w, r, w.velocity)


# ---------------------------------------------------------------- restitution
@kernel
def ask_bounces(w, k):
    """Raise the wanted velocity of contacts that strike to vhat = -e u_n, in Touch.row and in Auxiliary.right. Return
    whether there is such a contact."""
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
    """Lower the wanted velocities in Touch.row and Auxiliary.right where contacts push bodies apart with more energy
    than is permitted. Return whether any was lowered."""
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
    """Copy Auxiliary.multiplier, which has the solution without restitution, to Auxiliary.held."""
    for r in range(w.control[Control.LIMIT_ROWS]):
        w.auxiliary.held[r] = w.auxiliary.multiplier[r]


@kernel
def take_share(w, share):
    """Set Auxiliary.multiplier to held + share (multiplier - held), between the forces without restitution and those
    with it."""
    a = w.auxiliary
    for r in range(w.control[Control.LIMIT_ROWS]):
        a.multiplier[r] = a.held[r] + share * (a.multiplier[r] - a.held[r])
