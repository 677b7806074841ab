"""The columns of the arrays of contacts, and their codes. Row k of an array belongs to contact point k."""

from physics.compiler.table import Table, column

# normal velocity vhat of a contact or limit whose bodies all sleep: it can carry no force, m/s
NEVER = -1e9

# depth by which a contact of a fast rotating body may sink in within a (sub)step, m
SINKS = 5e-4

# contact methods; with "none" contacts are found, but carry no force
METHODS = ("none", "newton", "anticipation", "auto")

# Coulomb's law, or its convex model with compliance (law.py, `cone_law`)
# impulses are found to this share of the largest, unless the user says otherwise
CONTACT_TOLERANCE = 1e-3

CONTACT_LAWS = ("exact", "regularised")


class ContactBodies(Table, array="Contacts.who", rows="contacts"):
    """Contacts.who (m, 5), whole numbers: the bodies and shapes of each contact point. `Collision` owns it."""

    BODY_A = column(1, "index of body a, which the normal pushes; never the world")
    BODY_B = column(1, "index of body b; a number below 0 names a body that forces do not move (`ShapeIndex.OWNER`)")
    SHAPE_A = column(1, "row of a's shape in the arrays of `Geometry`")
    SHAPE_B = column(1, "row of b's shape in the arrays of `Geometry`")
    FEATURE = column(
        1,
        "a number for the corners and edges that meet; it lasts from step to step while the same ones meet",
    )


class ContactPoints(Table, array="Contacts.where", rows="contacts"):
    """Contacts.where (m, 9), real numbers: the geometry of each contact point, in world axes. `Collision` owns it."""

    POINT = column(3, "the contact point, half way between the two surfaces, in world axes", unit="m")
    NORMAL = column(3, "unit normal of the contact in world axes, pointing from b to a", unit="1")
    GAP = column(1, "distance of the surfaces along the normal; it is negative where they overlap", unit="m")
    FRICTION = column(1, "coefficient of friction of the pair of shapes", unit="1")
    RESTITUTION = column(1, "coefficient of restitution of the pair of shapes", unit="1")


class ContactCounts(Table, array="Contacts.tally"):
    """Contacts.tally (3,), whole numbers: counts of collision detection. `Collision` owns it."""

    CONTACTS = column(1, "number of contact points that were found; the rows from there on are not in use")
    PAIRS = column(1, "number of pairs of shapes that the broad phase holds")
    REBUILDS = column(1, "how often the list of pairs has been built anew")


class ContactRows(Table, array="Touch.row", rows="contacts"):
    """Touch.row (m, ContactRows.WIDTH): each contact point as three rows of the present request. `Touch` owns it."""

    LEVER_A = column(3, "vector from the centre of mass of a to the contact point, in world axes", unit="m")
    RATE = column(3, "velocity u of a's point relative to b's point, in world axes", unit="m/s")
    CENTRE = column(3, "impulse gamma_c about which the law is regularised: it costs nothing (law.py)", unit="N s")
    WANTED = column(1, "normal velocity vhat that the law asks for", unit="m/s")
    LIFT = column(1, "normal velocity s that the convex law adds for sliding (law.py)", unit="m/s")
    INVERSE = column(1, "1/R, the inverse of the law's regularisation", unit="kg")
    IMPULSE = column(3, "impulse gamma that the law gives at the present velocities, on a, in world axes", unit="N s")
    STIFFNESS = column(6, "derivative G of the impulse by the velocity, a symmetric 3x3 matrix, packed", unit="kg")
    CARRIED = column(3, "impulse that the solution of the linear system carries at the present velocities", unit="N s")
    FORCE = column(3, "mean force on a over the last request, in world axes", unit="N")
    AGE = column(1, "number of successive requests in which the contact has carried a force")
    BOUNCE = column(
        1,
        "speed with which the bodies separate after the impact; -1 where the contact does not bounce",
        unit="m/s",
    )
    PIECE = column(1, "piece of the law that holds: OPEN, STICKING or SLIDING (law.py)")
    SURFACE = column(3, "velocity of b's point, where b is a body that forces do not move", unit="m/s")
    LEVER_B = column(3, "vector from the centre of mass of b to the contact point, in world axes", unit="m")


class ContactExtras(Table, array="Touch.extra", rows="contacts"):
    """Touch.extra (m, ContactExtras.WIDTH): data of each contact point that few steps need. They are separate from
    `ContactRows`, because a loop over contacts loads whole rows. `Touch` owns it."""

    CHANGE = column(
        3,
        "change of the velocity u in the last iteration; it is set from the second iteration on",
        unit="m/s",
    )
    BEFORE = column(
        3,
        "impulse that the linear system carried one iteration ago; it is set from the second iteration on",
        unit="N s",
    )
    LOCAL_A = column(3, "contact point in the frame of a, where a step is redone in substeps", unit="m")
    LOCAL_B = column(3, "contact point in the frame of b, where a step is redone in substeps", unit="m")
    ANSWER_ROW = column(
        1,
        "first of the contact's three rows in `Auxiliary`, -1 where it has none (links/contact_rows.py)",
    )
    TANGENT = column(3, "unit tangent t1 of the friction rows, in world axes", unit="1")
    YIELD = column(1, "compliance of the friction row along the second tangent t2", unit="1/kg")
    ASKED_BEFORE = column(1, "normal velocity vhat before it was lowered", unit="m/s")
    CENTRE_BEFORE = column(3, "impulse gamma_c one iteration ago", unit="N s")
    CENTRE_OFF = column(3, "difference of the impulse that was carried from gamma_c, one iteration ago", unit="N s")


class ContactKept(Table, array="Touch.kept", rows="contacts"):
    """Touch.kept (m, 4): data of the contacts of the previous step, for the warm start of the present ones. Row k
    belongs to row k of Contacts.before. `Touch` owns it."""

    FORCE = column(3, "mean force on a over the last request, in world axes", unit="N")
    AGE = column(1, "number of successive requests in which the contact has carried a force")


class Rest(Table, array="Touch.rest", rows="n"):
    """Touch.rest (n, 2): how long each body has been slow, and whether it sleeps. `Touch` owns it. It is part of a
    snapshot."""

    QUIET_TIME = column(1, "time for which the body has been slow", unit="s")
    SLEEPS = column(1, "1 where the body sleeps, else 0")


class TouchNumber(Table, array="Touch.number"):
    """Touch.number (TouchNumber.WIDTH,): settings and sums of the contact methods. `Touch` owns it."""

    TOLERANCE = column(1, "tolerance of the impulses, as a share of the largest one", unit="1")
    SPAN = column(1, "time over which the impulses of the present request act; 1 where they are forces", unit="s")
    RESIDUAL = column(1, "largest difference of an impulse from its law in the last request", unit="N s")
    LARGEST = column(1, "largest impulse of the last request", unit="N s")
    BOUNCING = column(1, "largest speed with which a contact separates after its impact", unit="m/s")
    RZ = column(1, "product r . z of the conjugate gradients, residual by preconditioned residual", unit="J")
    RZ_SEEN = column(1, "value of r . z when the contact laws were last evaluated", unit="J")
    LARGEST_ROOT = column(1, "largest |impulse| sqrt(R) of a contact in the last iteration", unit="sqrt(J)")
    SHARE = column(1, "share of the restitution that the balance of energy allows, between 0 and 1", unit="1")
    LAST_WORK = column(1, "what the present stage has added to `Number.STEP_CONTACT_WORK`", unit="J")
    LAST_GAIN = column(1, "what the present stage has added to `Number.CONTACT_GAIN`", unit="J")
    LEFT = column(1, "residual sqrt(r . z) of the linear system that was solved last", unit="sqrt(J)")
    SLOPE_BEFORE = column(
        1,
        "derivative of the objective along the last Newton step, at the beginning of that step",
        unit="J",
    )
    SLOPE_AFTER = column(1, "derivative of the objective along the last Newton step, at the end of that step", unit="J")
    FASTEST = column(1, "largest normal velocity vhat with which a contact of the request began", unit="m/s")
    ERROR = column(1, "largest |difference of an impulse from its law| sqrt(R) in the last iteration", unit="sqrt(J)")
    ASTRAY = column(
        1,
        "largest difference of the normal velocity from vhat where a contact carries an impulse",
        unit="m/s",
    )
    PACE = column(1, "length of the step or substep of the present request", unit="s")
    ERROR_SEEN = column(1, "value of ERROR a dozen iterations ago", unit="sqrt(J)")


class TouchControl(Table, array="Touch.control"):
    """Touch.control (TouchControl.WIDTH,), whole numbers: switches and counters of the contact methods. `Touch` owns
    it."""

    STAGE = column(1, "where the method `newton` stands (contacts/newton.py)")
    ASKED = column(1, "the integrator's request that the method answers (`Request`)")
    ITERATION = column(1, "number of Newton iterations of the present pass")
    ACTIVE = column(1, "number of contacts of the present step; 0 where the step needs none")
    PASS = column(1, "0: the pass without restitution; from 1 on: the passes with restitution")
    COUPLED = column(1, "number of contacts between two bodies that carry an impulse", at=5)
    SWEEP = column(1, "number of conjugate gradient iterations of the present linear system")
    CORRECTED = column(1, "1 where the solution is not the last answer of the solver mode")
    REMEMBERED = column(1, "1 where Contacts.before holds the contacts of the last step")
    NEWTONS = column(1, "number of Newton iterations of the last request")
    GRADIENTS = column(1, "number of conjugate gradient iterations of the last request")
    PRESSING = column(1, "number of contacts that carried an impulse in the last request")
    METHOD = column(1, "the contact method that the user chose (`Method`)")
    SHORT = column(1, "the code that `detect_contacts` returned (`Found`)")
    COUNTED = column(1, "number of the (sub)step whose work is counted")
    USED = column(1, "the contact method that answers in the present step (`Method`)")
    GIVEN_UP = column(1, "1 where `anticipation` cannot continue: it has no room for all rows, or finds no solution")
    ROUND = column(1, "number of rounds in which the friction rows were turned towards the slip")
    REGULARISED = column(1, "1 where both methods solve the regularised law of friction")
    SLEEPING = column(1, "1 where islands at rest may fall asleep")
    ASLEEP = column(1, "number of bodies that sleep in the present step")
    ALL_ASLEEP = column(1, "1 where all bodies have slept for more than a step")
    CALMED = column(1, "how often the pushing out of overlaps was slowed in the present request")
    BOUNCES = column(1, "1 where some contact of the request bounces")
    HEAP = column(1, "1 where lasting contacts keep the centre and the lift of the step before (contacts/newton.py)")


class Method(Table):
    """The contact methods (TouchControl.METHOD and TouchControl.USED)."""

    NONE = 0
    NEWTON = 1
    ANTICIPATION = 2
    AUTO = 3


class NewtonTask(Table):
    """The tasks that the driver gives to the contact method `newton` (Control.NEWTON_TASK): begin a request, or
    continue it."""

    BEGIN = 0
    GO_ON = 1


class RowsTask(Table):
    """The tasks that the driver gives to `links.contact_rows` (Control.ROWS_TASK). RESTORE sets the request back to
    what it was before BEGIN."""

    BEGIN = 0
    LOOK = 1
    RESTORE = 2


class SleepTask(Table):
    """The tasks that the driver gives to `contacts.sleep` (Control.SLEEP_TASK): find the islands that sleep; set the
    right-hand sides of sleeping bodies in a request to zero; hold sleeping bodies in place."""

    ISLANDS = 0
    QUIET = 1
    HOLD = 2


class TouchTask(Table):
    """The tasks that the driver gives to `contacts.detection.part_touching` (Control.TOUCH_TASK)."""

    MARK = 0
    JOIN_STRUCK = 1
    TIE = 2
    COUNT_KEPT = 3
    SINK = 4


class Found(Table):
    """The results of the search for contacts: DONE, or which array was too small. ContactCounts.PAIRS or CONTACTS then
    says how many rows are needed."""

    DONE = 0
    MORE_PAIRS = 1
    MORE_CONTACTS = 2
