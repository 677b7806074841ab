"""Each contact as a row of a request: its levers, relative velocity, wanted velocity, regularisation and centre.

    u = v_a + w_a x r_a - (v_b + w_b x r_b),  vhat = -gap / h for gap > 0, else min(2 m/s, -0.2 gap / h)

Row c of Touch.row and Touch.extra belongs to contact c of Touch.collision. In substeps of the last resort, the point of
a contact is fixed in each of its two bodies, and becomes two points as these move. The distance between them along the
normal is added to the gap. In a pass, contacts of bodies that take no part in it exert no impulse."""

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.contacts.law import ACROSS, wanted_velocity
from physics.data.contact_tables import (
    CONTACT_TOLERANCE, NEVER, ContactBodies, ContactExtras, ContactKept, ContactPoints, ContactRows, Rest,
    TouchControl, TouchNumber,
)  # fmt: skip
from physics.data.model_tables import Bodies
from physics.data.shape_tables import STILL
from physics.data.step_tables import Control, Number, Order, Phase
from physics.data.work_tables import Frames
from physics.maths import quat
from physics.maths.vec import ZERO3, add, add_scaled, cross, dot, load3, load4, mul, mul_t, norm, scale, store3, sub

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
# Slower than free fall over so many steps nothing bounces: it rests.
BOUNCE_STEPS = 2.0


@inline
def take_warm_start(k, c):
    """Write the force and age that contact c had in the step before to Touch.row. For a new contact, write zeros."""
    before = k.collision.contacts.match[c]
    if before >= 0:
        store3(k.row, c, ContactRows.FORCE, load3(k.kept, before, ContactKept.FORCE))
        k.row[c, ContactRows.AGE] = k.kept[before, ContactKept.AGE]
    else:
        store3(k.row, c, ContactRows.FORCE, ZERO3)
        k.row[c, ContactRows.AGE] = 0.0


@inline
def place_contact(s, w, k, c, x):
    """Write to Touch.row the levers of contact c, which lead to the point x (world). Also write the velocity of the
    surface of a body with prescribed motion; it is zero for other bodies."""
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
    """Return the velocity of the point at the lever r of a body. The velocities of bodies are in `velocity` (n, 6)."""
    return add(load3(velocity, body, 0), cross(load3(velocity, body, 3), r))


@inline
def rate_of(contacts, k, c, velocity):
    """Return u = J v of contact c: the velocity of a relative to b. The velocities of bodies are in `velocity` (n,
    6)."""
    b = contacts.who[c, ContactBodies.BODY_B]
    u = point_rate(velocity, contacts.who[c, ContactBodies.BODY_A], load3(k.row, c, ContactRows.LEVER_A))
    if b >= 0:
        return sub(u, point_rate(velocity, b, load3(k.row, c, ContactRows.LEVER_B)))
    return sub(u, load3(k.row, c, ContactRows.SURFACE))


# ---------------------------------------------------------------- at each request
@kernel
def fill_rows(m, s, w, k, h):
    """Write every contact to Touch.row, as a row of a request over the time h [s]."""
    begin_rows(k)
    for c in range(k.control[TouchControl.ACTIVE]):
        fill_row(m, s, w, k, c, h)


@inline
def begin_rows(k):
    """Set TouchNumber.FASTEST and TouchControl.BOUNCES to zero, before `fill_row` collects them over all contacts."""
    k.number[TouchNumber.FASTEST] = 0.0
    k.control[TouchControl.BOUNCES] = 0


@inline
def fill_row(m, s, w, k, c, h):
    """Write contact c to Touch.row, as a row of a request over the time h [s]. Return its relative velocity u."""
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
    """Return whether contact c has the convex law (law.py, `cone_law`). All contacts have it if the user asks for it.
    Otherwise lasting contacts in heaps have it, and contacts that are pushed out: in a jam no force may be able to move
    the latter, so that their impulses would grow with every iteration."""
    return k.row[c, ContactRows.LIFT] >= 0.0


@inline
def takes_part(w, contacts, c):
    """Return whether both bodies of contact c take part in the present pass."""
    b = contacts.who[c, ContactBodies.BODY_B]
    return islands.takes_part(w, contacts.who[c, ContactBodies.BODY_A]) and (b < 0 or islands.takes_part(w, max(b, 0)))


@kernel
def look_for_heap(k):
    """Write to TouchControl.HEAP whether the contacts form a heap. They do if in the step before more than FEW_COUPLED
    contacts between two bodies exerted a force, and the tolerance is the default one or larger."""
    coupled = 0
    if k.number[TouchNumber.TOLERANCE] >= CONTACT_TOLERANCE and k.control[TouchControl.REGULARISED] == 0:
        for c in range(k.control[TouchControl.ACTIVE]):
            if k.row[c, ContactRows.AGE] > 0.0 and k.collision.contacts.who[c, ContactBodies.BODY_B] >= 0:
                coupled += 1
    k.control[TouchControl.HEAP] = 1 if coupled > FEW_COUPLED else 0


@inline
def centre_of(p, u, n, mu, inverse):
    """Return the centre gamma_c of a contact with the impulse p and the relative velocity u. If it slips faster than
    R_t allows, the centre has no part across the normal n, so that friction acts against the slip at once."""
    pn = dot(p, n)
    ut = add_scaled(u, -dot(u, n), n)
    if ACROSS * inverse * norm(ut) > mu * pn:
        return scale(pn, n)
    return p


@inline
def sleeps(k, c):
    """Return whether all bodies that contact c could push are asleep."""
    who = k.collision.contacts.who
    b = who[c, ContactBodies.BODY_B]
    return k.rest[who[c, ContactBodies.BODY_A], Rest.SLEEPS] != 0.0 and (b < 0 or k.rest[max(b, 0), Rest.SLEEPS] != 0.0)


@inline
def load3_of(a, o):
    """Return three numbers of a flat array from index o on."""
    return a[o], a[o + 1], a[o + 2]


@inline
def keep_local(s, w, k, c, x):
    """Write the point x (world) to Touch.extra, as a point in the frame of each body of contact c. This is done at the
    start of a step that is redone."""
    who = k.collision.contacts.who
    store3(k.extra, c, ContactExtras.LOCAL_A, into_frame(s.pose, who[c, ContactBodies.BODY_A], x))
    b = who[c, ContactBodies.BODY_B]
    if b >= 0:
        store3(k.extra, c, ContactExtras.LOCAL_B, into_frame(s.pose, b, x))
    elif b < -1 and b > STILL:
        store3(k.extra, c, ContactExtras.LOCAL_B, into_frame(w.frame, -2 - b, x))


@inline
def into_frame(pose, i, x):
    """Return the coordinates of the point x (world) in the frame of row i of the table of poses `pose`."""
    return mul_t(quat.matrix(load4(pose, i, 3)), sub(x, load3(pose, i, 0)))


@inline
def out_of_frame(pose, i, x):
    """Return the point in the world that has the coordinates x in the frame of row i of `pose`."""
    return add(load3(pose, i, 0), mul(quat.matrix(load4(pose, i, 3)), x))


@inline
def moved_points(s, w, k, c, x):
    """Return where the point of contact c is now, once as a point fixed in body a and once as a point fixed in body b.
    If body b does not move, the latter is x."""
    who = k.collision.contacts.who
    b = who[c, ContactBodies.BODY_B]
    xb = x
    if b >= 0:
        xb = out_of_frame(s.pose, b, load3(k.extra, c, ContactExtras.LOCAL_B))
    elif b < -1 and b > STILL:
        xb = out_of_frame(w.frame, -2 - b, load3(k.extra, c, ContactExtras.LOCAL_B))
    return out_of_frame(s.pose, who[c, ContactBodies.BODY_A], load3(k.extra, c, ContactExtras.LOCAL_A)), xb
