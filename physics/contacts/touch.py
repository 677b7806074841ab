"""Contacts in a step: what is found once a step, and each as a row of the contact method.

A contact is found at the pose at the start of the step, and of each substep in which what touches is followed
(integrators/following.py). In substeps of the last resort its point moves along with each of the two bodies, and the
distance between the two along the normal is its gap. Contacts of bodies that have no part in a pass are left as they
are.

    u = v_a + w_a x r_a - (v_b + w_b x r_b),  vhat = -gap / h for gap > 0, else min(2 m/s, -0.2 gap / h)

Warm starts are forces, so that the step may change its length; they stay with the contact's feature (collision.py).
"""

from typing import NamedTuple

import numpy as np

from physics.bodies import islands
from physics.collision.broad import AHEAD, TURN_AHEAD
from physics.collision.collision import Collision, find_contacts, grow, remember
from physics.collision.support import core_support, rounding
from physics.compiler.jit import entry, inline, kernel
from physics.compiler.pack import Columns, packed
from physics.contacts.law import ACROSS, SLIDING, STICKING, wanted_velocity
from physics.data.contact_tables import (
    NEVER, SINKS, ContactBodies, ContactCounts, ContactExtras, ContactKept, ContactPoints, ContactRows, Found, Method,
    Rest, TouchControl, TouchNumber, TouchTask,
)  # fmt: skip
from physics.data.model_tables import Bodies
from physics.data.shape_tables import STILL, ShapeIndex, ShapeKind, ShapeReal
from physics.data.state_tables import POSING_SPEED, POSING_TURN
from physics.data.step_tables import TICKS, Control, IslandFlag, Number, Order, Part, Phase
from physics.data.work_tables import Frames
from physics.data.model import Floats, Ints, Model, Work
from physics.maths import quat
from physics.maths.vec import (
    ZERO3, add, add_scaled, cross, dot, load3, load4, load9, mat_mul, mul, mul_t, negative, norm, scale, store3, sub,
)  # fmt: skip

# R = sigma w with w = 1/m against what does not move, 2 min(1/m_a, 1/m_b) between bodies: smaller ones stall the
# iteration, larger ones let bodies sink in before they are stopped. (Twice these take a third off a falling heap, but
# then a stack of ten boxes is half a millimetre off its place after two seconds instead of 10 um.)
SIGMA = 1e-2
SIGMA_OF_PAIRS = 5e-2
# Between limbs that fall on each other Coulomb's law takes thirty iterations and more where its convex model takes
# seven. With more contacts between bodies than this those that last keep to that model, at the default tolerance, with
# the lift and the centre of the step before: at rest it is Coulomb's law, and where they slide it is off by what the
# slip changes by in a step.
FEW_COUPLED = 4
NO_LIFT = -1.0  # LIFT of a contact that has Coulomb's law
# What is pushed out more slowly counts as at rest, m/s: that is some nanometres deep.
FAST = 0.1
# A contact that would not come nearer than this within the step leaves the step to the integrator, m.
NEAR = 1e-3
# Slower than free fall over so many steps nothing bounces: it rests.
BOUNCE_STEPS = 2.0
# What turns less, rad a step, is not looked at for how far contacts sink in.
TURN = 0.2
# of the cone: what carries more along the surface slides
NEARLY_SLIDING = 0.999
# impulses are found to this share of the largest
DEFAULT_TOLERANCE = 1e-3
# `auto`: with more contacts that carry something exact pivoting costs more than a few microseconds; `newton` is the
# faster one at any number (tests/benchmarks/contacts.md)
MOST_ANTICIPATED = 4


@packed
class Touch(NamedTuple):
    """All that contacts need in a step."""

    collision: Collision
    row: Columns  # (m, ROW) as collision.contacts.who
    extra: Columns  # (m, EXTRA) likewise
    kept: Columns  # (m, KEPT) as collision.contacts.before
    pairs: Ints  # (m,) the contacts between two bodies that carry something
    block: Columns  # as in Work: A of the request without contacts
    force: Columns  # its right-hand side f
    push: Columns  # (n + k, 9) its d and b
    pull: Columns  # (grabs, 6) mean pulls before it
    start: Columns  # (n, stride) velocities of the present iteration
    without: Columns  # (n, stride) the solution without restitution
    found: Columns  # (n, stride) the solution of the linear system
    residual: Columns  # (n, stride) conjugate gradients: r, d, H d
    direction: Columns
    image: Columns
    rest: Columns  # (n, REST)
    number: Floats  # (NUMBERS,)
    control: Ints  # (CONTROLS,)


VELOCITIES = ("start", "without", "found", "residual", "direction", "image")


def make_touch(collision: Collision, model: Model, work: Work) -> Touch:
    touch = Touch(
        collision,
        row=np.zeros((0, ContactRows.WIDTH)),
        extra=np.zeros((0, ContactExtras.WIDTH)),
        kept=np.zeros((0, ContactKept.WIDTH)),
        pairs=np.zeros(0, np.int64),
        block=np.zeros_like(work.block),
        force=np.zeros_like(work.force),
        push=np.zeros((len(work.row), 9)),
        pull=np.zeros((len(work.pull), 6)),
        **{name: np.zeros_like(work.velocity) for name in VELOCITIES},
        rest=np.zeros((len(work.velocity), Rest.WIDTH)),
        number=np.zeros(TouchNumber.WIDTH),
        control=np.zeros(TouchControl.WIDTH, np.int64),
    )
    touch.number[TouchNumber.TOLERANCE] = DEFAULT_TOLERANCE
    touch.control[TouchControl.METHOD] = Method.NEWTON
    return _fitted(touch)


def fitted_to(touch: Touch, work: Work) -> Touch:
    """With room for edges and grabs that have been added."""
    return touch._replace(push=np.zeros((len(work.row), 9)), pull=np.zeros((len(work.pull), 6)))


def with_more_room(touch: Touch, status: int) -> Touch:
    """After `detect_contacts` returned another status than DONE."""
    return _fitted(touch._replace(collision=grow(touch.collision, status)))


def _fitted(touch: Touch) -> Touch:
    size = len(touch.collision.contacts.who)
    row, extra, kept = (
        np.zeros((size, ContactRows.WIDTH)),
        np.zeros((size, ContactExtras.WIDTH)),
        np.zeros((size, ContactKept.WIDTH)),
    )
    row[: len(touch.row)], kept[: len(touch.kept)] = touch.row, touch.kept
    return touch._replace(row=row, extra=extra, kept=kept, pairs=np.zeros(size, np.int64))


def warm_starts(touch: Touch) -> bytes:
    """What the next step takes over from the contacts of the last: who sleeps, which they are, their forces and
    ages."""
    contacts = touch.collision.contacts
    count = int(contacts.tally[ContactCounts.CONTACTS])
    if touch.control[TouchControl.REMEMBERED]:
        who, kept = contacts.before[: contacts.kept[0]], touch.kept[: contacts.kept[0]]
    else:
        who, kept = contacts.who[:count], touch.row[:count, ContactRows.FORCE : ContactRows.AGE + 1]
    return touch.rest.tobytes() + np.ascontiguousarray(who).tobytes() + np.ascontiguousarray(kept).tobytes()


def with_warm_starts(touch: Touch, data: bytes) -> Touch:
    """The same with these; the contacts of the last step are forgotten."""
    slept = touch.rest.nbytes
    touch.rest[:] = np.frombuffer(data[:slept]).reshape(touch.rest.shape)
    touch.control[TouchControl.ASLEEP] = np.count_nonzero(touch.rest[:, Rest.SLEEPS])
    touch.control[TouchControl.ALL_ASLEEP] = 0
    data = data[slept:]
    count = len(data) // (8 * (ContactBodies.WIDTH + ContactKept.WIDTH))
    while len(touch.row) < count:
        touch.collision.contacts.tally[ContactCounts.CONTACTS] = count
        touch = with_more_room(touch, Found.MORE_CONTACTS)
    contacts = touch.collision.contacts
    contacts.before[:count] = np.frombuffer(data, np.int64, count * ContactBodies.WIDTH).reshape(
        count, ContactBodies.WIDTH
    )
    touch.kept[:count] = np.frombuffer(data, np.float64, offset=8 * count * ContactBodies.WIDTH).reshape(
        count, ContactKept.WIDTH
    )
    contacts.kept[0] = count
    contacts.tally[ContactCounts.CONTACTS] = 0
    touch.control[TouchControl.REMEMBERED] = 1
    return touch


def wake(touch: Touch) -> None:
    """All bodies"""
    touch.rest[:] = 0.0
    touch.control[[TouchControl.ASLEEP, TouchControl.ALL_ASLEEP]] = 0


# ---------------------------------------------------------------- at the start of a step
@entry
def detect_contacts(m, s, w, k):
    """The contacts of the step that starts, or of what is left of one that is redone. Whether any of them can matter in
    it stands in ACTIVE. DONE, or which array is too small: then nothing has changed."""
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
    """Bodies that wait in a redone step have the contacts that they had before it: what the whole step found is
    rejected."""
    for c in range(k.control[TouchControl.ACTIVE]):
        if w.part[k.collision.contacts.who[c, ContactBodies.BODY_A]] < 0:
            take_warm_start(k, c)


@kernel
def place_anew(s, w, k, c):
    """A contact that is found within a redone step: its point in the frames of its bodies, of what moves as prescribed
    where that is at the end of the first substep; its velocity, which remains that of what has no part in it."""
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
        SLIDING if along > NEARLY_SLIDING * contacts.where[c, ContactPoints.FRICTION] * up else STICKING
    )
    k.row[c, ContactRows.WANTED] = NEVER


@inline
def look_ahead(broad, posing, h):
    broad.setting[AHEAD] = POSING_SPEED * h if posing else 0.0
    broad.setting[TURN_AHEAD] = POSING_TURN if posing else 0.0


@kernel
def near_in_step(s, w, k, c):
    """Whether the two surfaces would come near each other, along the arcs of points that turn fast"""
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
    """By how much the arc of a point may leave its tangent in a step in which the body turns more than TURN"""
    turn = h * norm(load3(velocity, body, 3))
    return 0.5 * turn * turn * norm(r) if turn > TURN else 0.0


@entry
def part_touching(m, s, w, k):
    """One task, by Control.TOUCH_TASK. MARK, before a step that is divided into parts (integrators/parting.py):
    islands that touch something are marked, as no integrator of higher order steps them. JOIN_STRUCK, after its pass
    with contacts: returns how many contacts press on bodies of the other part (`join_struck`). TIE, before a step is
    redone: bodies that might touch within it make one island. COUNT_KEPT: the work of contacts on islands whose step is
    accepted. SINK: by how much contacts sink in within the (sub)step."""
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
    """Over the contacts of the pass, those of bodies that turn fast"""
    worst = 0.0
    for c in range(k.control[TouchControl.ACTIVE]):
        if turns_fast(w, k, c) and takes_part(w, k.collision.contacts, c):
            worst = max(worst, sinking(s, w, k, c))
    return worst


@inline
def turns_fast(w, k, c):
    """Whether either body of contact c does so at the end of the (sub)step, for a whole step; where it is redone,
    all do"""
    who = k.collision.contacts.who
    b = who[c, ContactBodies.BODY_B]
    most = TURN / w.number[Number.DT]
    fastest = norm(load3(w.next_velocity, who[c, ContactBodies.BODY_A], 3))
    if b >= 0:
        fastest = max(fastest, norm(load3(w.next_velocity, b, 3)))
    return w.control[Control.PHASE] != Phase.WHOLE_STEP or fastest > most


@inline
def sinking(s, w, k, c):
    """How much deeper than at its start, or than where the surfaces meet, contact c is at the end of the (sub)step, m:
    its points go along arcs, of which the contact knows the tangents. On a plane it is the lowest point of the shape,
    whichever that is."""
    contacts = k.collision.contacts
    if k.row[c, ContactRows.WANTED] == NEVER:
        return 0.0
    x = load3(contacts.where, c, ContactPoints.POINT)
    n = load3(contacts.where, c, ContactPoints.NORMAL)
    gap = contacts.where[c, ContactPoints.GAP]
    a = contacts.who[c, ContactBodies.BODY_A]
    b = contacts.who[c, ContactBodies.BODY_B]
    if k.collision.geometry.whole[contacts.who[c, ContactBodies.SHAPE_A + 1], ShapeIndex.KIND] == ShapeKind.PLANE:
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
    """The point of shape i farthest along d, seen from the centre of its body, which is turned by q"""
    r = quat.matrix(q)
    axes = mat_mul(r, load9(g.real, i, ShapeReal.TURN))
    p = add(mul(r, load3(g.real, i, ShapeReal.OFFSET)), mul(axes, core_support(g, i, mul_t(axes, d))))
    return add_scaled(p, rounding(g, i), d)


@kernel
def join_struck(w, k):
    """Contacts that carry an impulse to a body of the integrator's part: something was thrown at it within the step,
    which no velocity at its start showed. Such islands are joined and marked, so that the step can be divided anew;
    where there are any, the contacts are as they were before the step. Returns the number of these contacts."""
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
    """STEP_CONTACT_WORK of the contacts whose bodies are kept, as they were answered (newton.conclude)"""
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
    """Contacts that press, or come near in the step, make one island of two; those that have any are marked."""
    contacts = k.collision.contacts
    for c in range(contacts.tally[ContactCounts.CONTACTS]):
        if k.row[c, ContactRows.AGE] > 0.0 or near_in_step(s, w, k, c):
            b = contacts.who[c, ContactBodies.BODY_B]
            if b >= 0:
                islands.join(w, contacts.who[c, ContactBodies.BODY_A], b)
            islands.mark(w, contacts.who[c, ContactBodies.BODY_A], what)


@kernel
def chosen_method(k):
    """Which method answers in this step: `auto` goes by the contacts that carried something in the step before"""
    if k.control[TouchControl.METHOD] != Method.AUTO:
        return k.control[TouchControl.METHOD]
    count = 0
    for c in range(k.control[TouchControl.ACTIVE]):
        if k.row[c, ContactRows.AGE] > 0.0:
            count += 1
    return Method.ANTICIPATION if count <= MOST_ANTICIPATED else Method.NEWTON


@inline
def take_warm_start(k, c):
    """Force and age of the contact that this one was in the step before"""
    before = k.collision.contacts.match[c]
    if before >= 0:
        store3(k.row, c, ContactRows.FORCE, load3(k.kept, before, ContactKept.FORCE))
        k.row[c, ContactRows.AGE] = k.kept[before, ContactKept.AGE]
    else:
        store3(k.row, c, ContactRows.FORCE, ZERO3)
        k.row[c, ContactRows.AGE] = 0.0


@inline
def place_contact(s, w, k, c, x):
    """Levers to the point x, and how it moves with what forces do not move"""
    who = k.collision.contacts.who
    b = who[c, ContactBodies.BODY_B]
    store3(k.row, c, ContactRows.LEVER_A, sub(x, load3(s.pose, who[c, ContactBodies.BODY_A], 0)))
    surface = ZERO3
    if b >= 0:
        store3(k.row, c, ContactRows.LEVER_B, sub(x, load3(s.pose, b, 0)))
    elif b < -1 and b > STILL:
        f = -2 - b
        r = sub(x, load3(w.frame, f, Frames.POSITION))
        surface = add(load3(w.frame, f, Frames.VELOCITY), cross(load3(w.frame, f, Frames.VELOCITY + 3), r))
    store3(k.row, c, ContactRows.SURFACE, surface)


@inline
def point_rate(velocity, body, r):
    return add(load3(velocity, body, 0), cross(load3(velocity, body, 3), r))


@inline
def rate_of(contacts, k, c, velocity):
    """u = J v"""
    b = contacts.who[c, ContactBodies.BODY_B]
    u = point_rate(velocity, contacts.who[c, ContactBodies.BODY_A], load3(k.row, c, ContactRows.LEVER_A))
    if b >= 0:
        return sub(u, point_rate(velocity, b, load3(k.row, c, ContactRows.LEVER_B)))
    return sub(u, load3(k.row, c, ContactRows.SURFACE))


# ---------------------------------------------------------------- at each request
@kernel
def fill_rows(m, s, w, k, h):
    """Every contact as a row of the request over the time h."""
    begin_rows(k)
    for c in range(k.control[TouchControl.ACTIVE]):
        fill_row(m, s, w, k, c, h)


@inline
def begin_rows(k):
    k.number[TouchNumber.FASTEST] = 0.0
    k.control[TouchControl.BOUNCES] = 0


@inline
def fill_row(m, s, w, k, c, h):
    """Contact c; returns how fast its surfaces pass each other, u."""
    contacts = k.collision.contacts
    gap = contacts.where[c, ContactPoints.GAP]
    n = load3(contacts.where, c, ContactPoints.NORMAL)
    x = load3(contacts.where, c, ContactPoints.POINT)
    phase = w.control[Control.PHASE]
    out = phase != Phase.WHOLE_STEP and not takes_part(w, contacts, c)
    if phase == Phase.FOLLOWING and not out:
        # found at the start of the substep
        take_warm_start(k, c)
    elif phase != Phase.WHOLE_STEP and not out:
        if w.control[Control.TICK] == w.control[Control.PASS_TICK]:
            take_warm_start(k, c)
        xa, xb = moved_points(s, w, k, c, x)
        x = scale(0.5, add(xa, xb))
        gap += dot(n, sub(xa, xb))
    place_contact(s, w, k, c, x)
    u = rate_of(contacts, k, c, s.velocity)
    un = dot(u, n)
    mu = contacts.where[c, ContactPoints.FRICTION]
    b = contacts.who[c, ContactBodies.BODY_B]
    inverse = m.body[contacts.who[c, ContactBodies.BODY_A], Bodies.INVERSE_MASS]
    if b >= 0:
        inverse = 2.0 * SIGMA_OF_PAIRS * min(inverse, m.body[b, Bodies.INVERSE_MASS])
    else:
        inverse *= SIGMA
    wanted = wanted_velocity(gap, h)
    # the impulse that costs nothing, and of the convex law the lift of its cone: only of contacts that last
    centre = (
        scale(k.number[TouchNumber.SPAN], load3(k.row, c, ContactRows.FORCE))
        if k.row[c, ContactRows.AGE] > 1.0
        else ZERO3
    )
    convex = (
        k.control[TouchControl.REGULARISED] != 0
        or (k.control[TouchControl.HEAP] != 0 and k.row[c, ContactRows.AGE] > 1.0)
        or wanted > FAST
    )
    lift = 0.0 if convex else NO_LIFT
    if convex and k.row[c, ContactRows.AGE] > 0.0:
        lift = mu * norm(add_scaled(u, -un, n))
    if out or (k.control[TouchControl.ASLEEP] != 0 and sleeps(k, c)):
        wanted = NEVER
        lift = 0.0
        centre = ZERO3
    k.row[c, ContactRows.INVERSE] = 1.0 / inverse
    k.row[c, ContactRows.WANTED] = wanted
    k.row[c, ContactRows.LIFT] = lift
    if not convex:
        centre = centre_of(centre, u, n, mu, k.row[c, ContactRows.INVERSE])
    store3(k.row, c, ContactRows.CENTRE, centre)
    k.number[TouchNumber.FASTEST] = max(k.number[TouchNumber.FASTEST], wanted)
    e = contacts.where[c, ContactPoints.RESTITUTION]
    k.row[c, ContactRows.BOUNCE] = -1.0
    if e > 0.0 and w.control[Control.ORDER] != Order.KINEMATIC:
        least = BOUNCE_STEPS * h * norm(load3_of(w.number, Number.GRAVITY))
        if un < -least and gap + 2.0 * h * un < 0.0:
            k.row[c, ContactRows.BOUNCE] = -e * un
            k.control[TouchControl.BOUNCES] = 1
    return u


@inline
def is_convex(k, c):
    """Whether contact c has the convex law (law.py, `cone_law`): where all have it; what lasts in heaps; and what is
    pushed out, which in a jam no force may move: there impulses would grow with every iteration."""
    return k.row[c, ContactRows.LIFT] >= 0.0


@inline
def takes_part(w, contacts, c):
    """Whether both bodies of a contact have a part in the present pass"""
    b = contacts.who[c, ContactBodies.BODY_B]
    return islands.takes_part(w, contacts.who[c, ContactBodies.BODY_A]) and (b < 0 or islands.takes_part(w, max(b, 0)))


@kernel
def look_for_heap(k):
    """A heap has more contacts between two bodies than FEW_COUPLED that carried something in the step before, and the
    default tolerance or a larger one."""
    coupled = 0
    if k.number[TouchNumber.TOLERANCE] >= DEFAULT_TOLERANCE and k.control[TouchControl.REGULARISED] == 0:
        for c in range(k.control[TouchControl.ACTIVE]):
            if k.row[c, ContactRows.AGE] > 0.0 and k.collision.contacts.who[c, ContactBodies.BODY_B] >= 0:
                coupled += 1
    k.control[TouchControl.HEAP] = 1 if coupled > FEW_COUPLED else 0


@inline
def centre_of(p, u, n, mu, inverse):
    """gamma_c for a contact that carries p at u. What slips faster than R_t would let it has no centre across n: then
    friction is against the slip at once."""
    pn = dot(p, n)
    ut = add_scaled(u, -dot(u, n), n)
    if ACROSS * inverse * norm(ut) > mu * pn:
        return scale(pn, n)
    return p


@inline
def sleeps(k, c):
    """Whether all that contact c could push does"""
    who = k.collision.contacts.who
    b = who[c, ContactBodies.BODY_B]
    return k.rest[who[c, ContactBodies.BODY_A], Rest.SLEEPS] != 0.0 and (b < 0 or k.rest[max(b, 0), Rest.SLEEPS] != 0.0)


@inline
def load3_of(a, o):
    return a[o], a[o + 1], a[o + 2]


@inline
def keep_local(s, w, k, c, x):
    """The point in the frames of the two bodies, at the start of a step that is redone"""
    who = k.collision.contacts.who
    store3(k.extra, c, ContactExtras.LOCAL_A, into_frame(s.pose, who[c, ContactBodies.BODY_A], x))
    b = who[c, ContactBodies.BODY_B]
    if b >= 0:
        store3(k.extra, c, ContactExtras.LOCAL_B, into_frame(s.pose, b, x))
    elif b < -1 and b > STILL:
        store3(k.extra, c, ContactExtras.LOCAL_B, into_frame(w.frame, -2 - b, x))


@inline
def into_frame(pose, i, x):
    return mul_t(quat.matrix(load4(pose, i, 3)), sub(x, load3(pose, i, 0)))


@inline
def out_of_frame(pose, i, x):
    return add(load3(pose, i, 0), mul(quat.matrix(load4(pose, i, 3)), x))


@inline
def moved_points(s, w, k, c, x):
    """Where the point is now, as one of a and as one of b"""
    who = k.collision.contacts.who
    b = who[c, ContactBodies.BODY_B]
    xb = x
    if b >= 0:
        xb = out_of_frame(s.pose, b, load3(k.extra, c, ContactExtras.LOCAL_B))
    elif b < -1 and b > STILL:
        xb = out_of_frame(w.frame, -2 - b, load3(k.extra, c, ContactExtras.LOCAL_B))
    return out_of_frame(s.pose, who[c, ContactBodies.BODY_A], load3(k.extra, c, ContactExtras.LOCAL_A)), xb
