"""Contacts at the start of a step: which contacts there are, which forces and ages they had in the step before, and
whether any of them may exert a force.

Contacts are found at the pose at the start of the step. When islands with contacts are followed in substeps
(integrators/following.py), they are also found at the start of each substep. A warm start is the force of the step
before for the same pair of vertices, edges or faces (collision/collision.py). It is a force, not an impulse, so that it
remains right when the length of the step changes. `part_touching` helps to divide a step into two passes, and to redo
it."""

from physics.bodies import islands
from physics.collision.broad import AHEAD, TURN_AHEAD
from physics.collision.collision import find_contacts, remember
from physics.collision.kinds import PLANE
from physics.collision.support import core_support
from physics.compiler.jit import entry, inline, kernel
from physics.contacts.law import Piece
from physics.contacts.request_rows import (
    into_frame, keep_local, out_of_frame, place_contact, rate_of, take_warm_start, takes_part,
)  # fmt: skip
from physics.data.contact_tables import (
    NEVER, SINKS, ContactBodies, ContactCounts, ContactExtras, ContactKept, ContactPoints, ContactRows, Found,
    Method, TouchControl, TouchNumber, TouchTask,
)  # fmt: skip
from physics.data.shape_tables import ShapeIndex, ShapeReal
from physics.data.state_tables import POSING_SPEED, POSING_TURN
from physics.data.step_tables import TICKS, Control, IslandFlag, Number, Order, Part, Phase
from physics.maths import quat
from physics.maths.vec import (
    add, add_scaled, dot, load3, load4, load9, mat_mul, mul, mul_t, negative, norm, scale, store3, sub,
)  # fmt: skip

# A contact that would not come nearer than this within the step leaves the step to the integrator, m.
NEAR = 1e-3
# What turns less, rad a step, is not looked at for how far contacts sink in.
TURN = 0.2
# of the cone: what carries more along the surface slides
NEARLY_SLIDING = 0.999
# `auto`: with more contacts that carry something exact pivoting costs more than a few microseconds; `newton` is the
# faster one at any number (tests/benchmarks/contacts.md)
MOST_ANTICIPATED = 4


# ---------------------------------------------------------------- at the start of a step
@entry("mswk", "i")
def detect_contacts(m, s, w, k):
    """Find the contacts of the step that starts, or of the rest of a step that is redone. Write to Touch.row the force
    and age that each had in the step before. Set TouchControl.ACTIVE to their number, or to 0 if none can exert a force
    in the step. Return `Found.DONE`, or which array is too small. In that case Touch.kept still has the forces and ages
    of the step before."""
    contacts = k.collision.contacts
    redone = w.control[Control.PHASE] != Phase.WHOLE_STEP
    if k.control[TouchControl.REMEMBERED] == 0:
        if redone:
            forget_rejected(w, k)
        remember(contacts)
        for c in range(contacts.kept[0]):
            store3(k.kept, c, ContactKept.FORCE, load3(k.row, c, ContactRows.FORCE))
            k.kept[c, ContactKept.AGE] = k.row[c, ContactRows.AGE]
        k.control[TouchControl.REMEMBERED] = 1
    h = w.number[Number.DT]
    posing = w.control[Control.ORDER] == Order.KINEMATIC and w.control[Control.GRABS] > 0
    # a grab moves what was at rest: nothing is farther from its next pose than this
    look_ahead(k.collision.broad, posing, h)
    status = find_contacts(k.collision, s.pose, s.velocity, w.frame, h)
    k.control[TouchControl.SHORT] = status
    k.control[TouchControl.COUNTED] = -1
    k.control[TouchControl.ACTIVE] = 0
    if status != Found.DONE:
        return status
    k.control[TouchControl.REMEMBERED] = 0
    if not redone:
        w.number[Number.STEP_CONTACT_WORK] = 0.0
        w.number[Number.CONTACT_GAIN] = 0.0
        w.number[Number.PUSH_MOST] = 0.0
    near = 0
    for c in range(contacts.tally[ContactCounts.CONTACTS]):
        take_warm_start(k, c)
        if redone:
            place_anew(s, w, k, c)
        if near == 0 and (posing or k.row[c, ContactRows.AGE] > 0.0 or near_in_step(s, w, k, c)):
            near = 1
    if near != 0 and k.control[TouchControl.METHOD] != Method.NONE:
        k.control[TouchControl.ACTIVE] = contacts.tally[ContactCounts.CONTACTS]
        k.control[TouchControl.USED] = chosen_method(k)
    return Found.DONE


@kernel
def forget_rejected(w, k):
    """Restore the forces and ages that contacts had before the step in Touch.row, for contacts of bodies that wait
    while others are redone: the forces of the whole step were rejected."""
    for c in range(k.control[TouchControl.ACTIVE]):
        if w.part[k.collision.contacts.who[c, ContactBodies.BODY_A]] < 0:
            take_warm_start(k, c)


@kernel
def place_anew(s, w, k, c):
    """Write the rows of Touch.row and Touch.extra for contact c, which was found within a redone step: its point in the
    frames of its two bodies, its relative velocity and its piece. If neither body takes part in the substep, this
    velocity remains. If body b has a prescribed motion, its point is that at the end of the first substep."""
    contacts = k.collision.contacts
    x = load3(contacts.where, c, ContactPoints.POINT)
    place_contact(s, w, k, c, x)
    ahead = w.number[Number.DT] * w.control[Control.SUBSTEP_TICKS] / TICKS
    keep_local(s, w, k, c, add_scaled(x, -ahead, load3(k.row, c, ContactRows.SURFACE)))
    store3(k.extra, c, ContactExtras.LOCAL_A, into_frame(s.pose, contacts.who[c, ContactBodies.BODY_A], x))
    store3(k.row, c, ContactRows.RATE, rate_of(contacts, k, c, s.velocity))
    f = load3(k.row, c, ContactRows.FORCE)
    n = load3(contacts.where, c, ContactPoints.NORMAL)
    up = dot(f, n)
    along = norm(add_scaled(f, -up, n))
    k.row[c, ContactRows.PIECE] = (
        Piece.SLIDING if along > NEARLY_SLIDING * contacts.where[c, ContactPoints.FRICTION] * up else Piece.STICKING
    )
    k.row[c, ContactRows.WANTED] = NEVER


@inline
def look_ahead(broad, posing, h):
    """Write to Broad.setting how far the broad phase looks ahead for contacts. With `posing`, grabs may move bodies at
    any velocity, so that it looks farther. `h` is the length of the step."""
    broad.setting[AHEAD] = POSING_SPEED * h if posing else 0.0
    broad.setting[TURN_AHEAD] = POSING_TURN if posing else 0.0


@kernel
def near_in_step(s, w, k, c):
    """Return whether the two surfaces of contact c, at their present velocities, come closer to each other than NEAR in
    the step. Points of bodies that rotate fast move along arcs. Write the levers of the contact to Touch.row."""
    contacts = k.collision.contacts
    place_contact(s, w, k, c, load3(contacts.where, c, ContactPoints.POINT))
    speed = dot(rate_of(contacts, k, c, s.velocity), load3(contacts.where, c, ContactPoints.NORMAL))
    h = w.number[Number.DT]
    way = h * speed - sagging(
        h, s.velocity, contacts.who[c, ContactBodies.BODY_A], load3(k.row, c, ContactRows.LEVER_A)
    )
    if contacts.who[c, ContactBodies.BODY_B] >= 0:
        way -= sagging(h, s.velocity, contacts.who[c, ContactBodies.BODY_B], load3(k.row, c, ContactRows.LEVER_B))
    return contacts.where[c, ContactPoints.GAP] + min(0.0, way) < NEAR


@inline
def sagging(h, velocity, body, r):
    """Return how far [m] the arc of a point at the lever r may deviate from its tangent in a step of h seconds. If the
    body rotates by less than TURN, return 0."""
    turn = h * norm(load3(velocity, body, 3))
    return 0.5 * turn * turn * norm(r) if turn > TURN else 0.0


@entry("mswk", "i")
def part_touching(m, s, w, k):
    """Do the task in Control.TOUCH_TASK. The driver calls this unit. MARK, before a step is divided into passes
    (integrators/parting.py): mark the islands that touch something. JOIN_STRUCK, after the pass with contacts: mark
    bodies of the other pass on which contacts press, and return the number of these contacts. TIE, before a step is
    redone: mark as for MARK, join bodies that might touch within the step to one island, and mark islands whose
    contacts have sunk in too deeply as failed. COUNT_KEPT: add up the work of contacts on islands whose step is
    accepted. SINK: write to Number.SUNK how deeply contacts sink in during the step or substep. All but JOIN_STRUCK
    return DONE."""
    if w.control[Control.TOUCH_TASK] == TouchTask.SINK:
        w.number[Number.SUNK] = deepest_sinking(s, w, k)
        return Found.DONE
    if w.control[Control.TOUCH_TASK] == TouchTask.JOIN_STRUCK:
        return join_struck(w, k)
    if w.control[Control.TOUCH_TASK] == TouchTask.COUNT_KEPT:
        count_kept(s, w, k)
        return Found.DONE
    join_touching(s, w, k, IslandFlag.PRESSED)
    if w.control[Control.TOUCH_TASK] == TouchTask.TIE:
        contacts = k.collision.contacts
        for c in range(contacts.tally[ContactCounts.CONTACTS]):
            keep_local(s, w, k, c, load3(contacts.where, c, ContactPoints.POINT))
            if contacts.who[c, ContactBodies.BODY_B] >= 0:
                islands.join(w, contacts.who[c, ContactBodies.BODY_A], contacts.who[c, ContactBodies.BODY_B])
            if turns_fast(w, k, c) and sinking(s, w, k, c) > SINKS:
                islands.mark(w, contacts.who[c, ContactBodies.BODY_A], IslandFlag.FAILED)
    return Found.DONE


@kernel
def deepest_sinking(s, w, k):
    """Return the largest `sinking` [m] of the contacts in this pass for which `turns_fast` is true."""
    worst = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        if turns_fast(w, k, c) and takes_part(w, k.collision.contacts, c):
            worst = max(worst, sinking(s, w, k, c))
    return worst


@inline
def turns_fast(w, k, c):
    """Return whether either body of contact c, at the end of the step, rotates faster than TURN per step. In a step
    that is redone, always return True."""
    who = k.collision.contacts.who
    b = who[c, ContactBodies.BODY_B]
    most = TURN / w.number[Number.DT]
    fastest = norm(load3(w.next_velocity, who[c, ContactBodies.BODY_A], 3))
    if b >= 0:
        fastest = max(fastest, norm(load3(w.next_velocity, b, 3)))
    return w.control[Control.PHASE] != Phase.WHOLE_STEP or fastest > most


@inline
def sinking(s, w, k, c):
    """Return how much deeper [m] contact c is at the end of the step or substep than it was at the start. If it was
    open at the start, return how deep it is at the end. The points of the contact move along arcs, which the contact
    law replaces by their tangents; therefore contacts can sink in. On a plane, the depth is that of the lowest point of
    the shape."""
    contacts = k.collision.contacts
    if k.row[c, ContactRows.WANTED] == NEVER:
        return 0.0
    x = load3(contacts.where, c, ContactPoints.POINT)
    n = load3(contacts.where, c, ContactPoints.NORMAL)
    gap = contacts.where[c, ContactPoints.GAP]
    a = contacts.who[c, ContactBodies.BODY_A]
    b = contacts.who[c, ContactBodies.BODY_B]
    if k.collision.geometry.whole[contacts.who[c, ContactBodies.SHAPE_A + 1], ShapeIndex.KIND] == PLANE:
        low = farthest(
            k.collision.geometry, contacts.who[c, ContactBodies.SHAPE_A], load4(w.next_pose, a, 3), negative(n)
        )
        low = add(load3(w.next_pose, a, 0), low)
        ground = add_scaled(add_scaled(x, -0.5 * gap, n), w.number[Number.H], load3(k.row, c, ContactRows.SURFACE))
        return min(gap, 0.0) - dot(sub(low, ground), n)
    moved = sub(out_of_frame(w.next_pose, a, into_frame(s.pose, a, x)), x)
    if b >= 0:
        moved = sub(moved, sub(out_of_frame(w.next_pose, b, into_frame(s.pose, b, x)), x))
    else:
        moved = add_scaled(moved, -w.number[Number.H], load3(k.row, c, ContactRows.SURFACE))
    return min(gap, 0.0) - gap - dot(moved, n)


@inline
def farthest(g, i, q, d):
    """Return the point of shape i (Geometry g) that is farthest along d. It is relative to the centre of mass of its
    body, in world axes. q is the quaternion of the body."""
    r = quat.matrix(q)
    axes = mat_mul(r, load9(g.real, i, ShapeReal.TURN))
    p = add(mul(r, load3(g.real, i, ShapeReal.OFFSET)), mul(axes, core_support(g, i, mul_t(axes, d))))
    return add_scaled(p, g.real[i, ShapeReal.ROUNDING], d)


@kernel
def join_struck(w, k):
    """Find the contacts that press on a body of the integrator's own pass. Another body has struck such a body within
    the step; the velocities at the start did not show that it would. Join the islands of the two bodies of each such
    contact, and mark the result. If there are such contacts, restore the warm starts of all contacts, so that the step
    can be divided again. Return the number of these contacts."""
    contacts = k.collision.contacts
    count = 0
    for c in range(k.control[TouchControl.ACTIVE]):
        a = contacts.who[c, ContactBodies.BODY_A]
        b = contacts.who[c, ContactBodies.BODY_B]
        if k.row[c, ContactRows.WANTED] == NEVER or k.row[c, ContactRows.AGE] == 0.0:
            continue
        if w.part[a] == Part.OWN_PART or (b >= 0 and w.part[max(b, 0)] == Part.OWN_PART):
            if b >= 0:
                islands.join(w, a, b)
            islands.mark(w, a, IslandFlag.PRESSED)
            count += 1
    if count > 0:
        k.control[TouchControl.COUNTED] = -1
        for c in range(k.control[TouchControl.ACTIVE]):
            take_warm_start(k, c)
    return count


@kernel
def count_kept(s, w, k):
    """Write the work of contacts to Number.STEP_CONTACT_WORK, but only that of contacts on bodies whose step is kept.
    It follows from the solution of the step (contact_work.conclude)."""
    total = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        if (
            k.row[c, ContactRows.AGE] > 0.0
            and w.part[k.collision.contacts.who[c, ContactBodies.BODY_A]] == Part.KEPT_PART
        ):
            before = rate_of(k.collision.contacts, k, c, s.velocity)
            mean = add(scale(0.5, add(before, load3(k.row, c, ContactRows.RATE))), load3(k.row, c, ContactRows.SURFACE))
            total += k.number[TouchNumber.SPAN] * dot(load3(k.row, c, ContactRows.FORCE), mean)
    w.number[Number.STEP_CONTACT_WORK] = total


@kernel
def join_touching(s, w, k, what):
    """Join the islands of the two bodies of each contact that exerts a force or comes near in the step. Set the flag
    `what` of these islands."""
    contacts = k.collision.contacts
    for c in range(contacts.tally[ContactCounts.CONTACTS]):
        if k.row[c, ContactRows.AGE] > 0.0 or near_in_step(s, w, k, c):
            b = contacts.who[c, ContactBodies.BODY_B]
            if b >= 0:
                islands.join(w, contacts.who[c, ContactBodies.BODY_A], b)
            islands.mark(w, contacts.who[c, ContactBodies.BODY_A], what)


@kernel
def chosen_method(k):
    """Return the contact method (`Method`) of this step. With AUTO, it depends on the number of contacts that exerted a
    force in the step before."""
    if k.control[TouchControl.METHOD] != Method.AUTO:
        return k.control[TouchControl.METHOD]
    count = 0
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.row[c, ContactRows.AGE] > 0.0:
            count += 1
    return Method.ANTICIPATION if count <= MOST_ANTICIPATED else Method.NEWTON
