"""Columns of the arrays of contacts. Row k is one contact point."""

from physics.compiler.table import Table, column

# vhat of a contact or limit that takes no part, as all that it would push sleeps, m/s
NEVER = -1e9

# by how much a contact of what turns fast may sink in within a (sub)step, m
SINKS = 5e-4

# methods: with "none" contacts are found and do nothing
METHODS = ("none", "newton", "anticipation", "auto")

# Coulomb's law, or its convex model with compliance (law.py, `cone_law`)
CONTACT_LAWS = ("exact", "regularised")


class ContactBodies(Table, array="Contacts.who", rows="contacts"):
    """Contacts.who: Contacts.who, whole numbers"""

    BODY_A = column(1, "index of the body that the normal pushes; never the world")
    BODY_B = column(1, "the other one; below 0 what forces do not move (data/shape_layout.py, OWNER)")
    SHAPE_A = column(1, "rows of the geometry")
    SHAPE_B = column(1, "")
    FEATURE = column(1, "which corners and edges meet: the same from step to step while the same ones do")


class ContactPoints(Table, array="Contacts.where", rows="contacts"):
    """Contacts.where: Contacts.where, real numbers"""

    POINT = column(3, "half way between the two surfaces, world", unit="m")
    NORMAL = column(3, "from b to a")
    GAP = column(1, "distance of the surfaces along the normal, negative where they overlap", unit="m")
    FRICTION = column(1, "of the pair")
    RESTITUTION = column(1, "")


class ContactCounts(Table, array="Contacts.tally"):
    """Contacts.tally: Contacts.tally, whole numbers"""

    CONTACTS = column(1, "how many there are")
    PAIRS = column(1, "how many pairs the broad phase holds")
    REBUILDS = column(1, "how often it has been built anew")


class ContactRows(Table, array="Touch.row", rows="contacts"):
    """Touch.row: a contact in a request"""

    LEVER_A = column(3, "from the centre of mass of a to the point", unit="m")
    RATE = column(3, "u, velocity of a's point relative to b's", unit="m/s")
    CENTRE = column(3, "gamma_c, the impulse that costs nothing", unit="N s")
    WANTED = column(1, "vhat, m/s along the normal")
    LIFT = column(1, "s of the convex law", unit="m/s")
    INVERSE = column(1, "1/R", unit="kg")
    IMPULSE = column(3, "gamma at the present velocities")
    STIFFNESS = column(6, "G, packed", unit="kg")
    CARRIED = column(3, "impulse that the linear system carries at the present velocities")
    FORCE = column(3, "mean force on a in the last request", unit="N")
    AGE = column(1, "for how many requests on end the contact has carried something")
    BOUNCE = column(1, "speed with which it leaves the surface again, -1 where it does not bounce", unit="m/s")
    PIECE = column(1, "OPEN, STICKING, SLIDING (law.py)")
    SURFACE = column(3, "velocity of b's point, where forces do not move b")
    LEVER_B = column(3, "from the centre of mass of b")


class ContactExtras(Table, array="Touch.extra", rows="contacts"):
    """Touch.extra: what few steps need of it"""

    # (beyond the caches a loop over rows pays for all of their columns)
    CHANGE = column(3, "of u in the last iteration, from the second on")
    BEFORE = column(3, "impulse that the linear system carried one iteration ago, likewise")
    LOCAL_A = column(3, "the point in the frame of a, and of b, where a step is redone in substeps")
    LOCAL_B = column(3, "")
    ANSWER_ROW = column(1, "its first row in Work.auxiliary, -1: none (links/contact_rows.py)")
    TANGENT = column(3, "t1")
    YIELD = column(1, "softness of t2", unit="1/kg")
    ASKED_BEFORE = column(1, "vhat before it was lowered")
    CENTRE_BEFORE = column(3, "gamma_c one iteration ago, and by how much what was carried differed from it")
    CENTRE_OFF = column(3, "")


class ContactKept(Table, array="Touch.kept", rows="contacts"):
    """Touch.kept: of the contacts before, for warm starts"""

    FORCE = column(3, "")
    AGE = column(1, "")


class Rest(Table, array="Touch.rest", rows="n"):
    """Touch.rest: Touch.rest, a row a body"""

    QUIET_TIME = column(1, "for how long it has been slow", unit="s")
    SLEEPS = column(1, "it does")


class TouchNumber(Table, array="Touch.number"):
    """Touch.number: Touch.number"""

    TOLERANCE = column(1, "of the impulses, as a share of the largest")
    SPAN = column(1, "time over which the impulses of the present request act, s; 1 where they are forces")
    RESIDUAL = column(1, "largest difference of an impulse from its law in the last request", unit="N s")
    LARGEST = column(1, "largest impulse of the last request", unit="N s")
    BOUNCING = column(1, "largest speed with which a contact leaves the surface again", unit="m/s")
    RZ = column(1, "of the conjugate gradients: r . z")
    RZ_SEEN = column(1, "the same when the laws were last looked at")
    LARGEST_ROOT = column(1, "the largest of |impulse| sqrt(R) in the last iteration, sqrt(J)")
    SHARE = column(1, "of the restitution that energy allows")
    LAST_WORK = column(1, "what the present stage has added to Work.number's STEP_CONTACT_WORK and CONTACT_GAIN")
    LAST_GAIN = column(1, "")
    LEFT = column(1, "sqrt(r . z) of the linear system that was solved last, sqrt(J)")
    SLOPE_BEFORE = column(1, "derivative of the objective along the last step, at its beginning and at its end")
    SLOPE_AFTER = column(1, "")
    FASTEST = column(1, "largest vhat that a contact of the request began with", unit="m/s")
    ERROR = column(1, "RESIDUAL as LARGEST_ROOT, of the last iteration, sqrt(J)")
    ASTRAY = column(1, "largest difference of u_n from vhat where a contact carries something", unit="m/s")
    PACE = column(1, "length of the step or substep of the present request", unit="s")
    ERROR_SEEN = column(1, "ERROR a dozen of iterations ago")


class TouchControl(Table, array="Touch.control"):
    """Touch.control: Touch.control, whole numbers"""

    STAGE = column(1, "where the method stands (newton.py)")
    ASKED = column(1, "the request that it answers")
    ITERATION = column(1, "Newton iterations of the present pass")
    ACTIVE = column(1, "contacts of the present step; 0 where the step needs none")
    PASS = column(0, "without restitution, from 1 on with it")
    COUPLED = column(1, "contacts between two bodies that carry something", at=5)
    SWEEP = column(1, "conjugate gradients: iterations of the present system")
    CORRECTED = column(1, "the solution is not the last answer of the solver mode")
    REMEMBERED = column(1, "the contacts of the last step are in `before`")
    NEWTONS = column(1, "Newton iterations of the last request")
    GRADIENTS = column(1, "conjugate gradient iterations of the last request")
    PRESSING = column(1, "contacts that carried something in the last request")
    METHOD = column(1, "which of METHODS")
    SHORT = column(1, "what `detect_contacts` returned")
    COUNTED = column(1, "the (sub)step whose work is counted")
    USED = column(1, "the method that answers in the present step")
    GIVEN_UP = column(1, "`anticipation` has no room for the rows of all contacts, or there is no solution")
    ROUND = column(1, "of turning rows")
    REGULARISED = column(1, "both methods solve the regularised law")
    SLEEPING = column(1, "islands that rest fall asleep")
    ASLEEP = column(1, "how many bodies sleep in the present step")
    ALL_ASLEEP = column(1, "all have done so for more than a step")
    CALMED = column(1, "how often what is pushed out of each other has been slowed in the present request")
    BOUNCES = column(1, "some contact of the request bounces")
    HEAP = column(1, "contacts that last keep the centre and the lift of the step before (newton.py)")


class Method(Table):
    """Contact methods, TouchControl.METHOD."""

    NONE = 0
    NEWTON = 1
    ANTICIPATION = 2
    AUTO = 3


class NewtonTask(Table):
    """What the driver asks of `contacts.newton`, Control.NEWTON_TASK."""

    BEGIN = 0
    GO_ON = 1


class RowsTask(Table):
    """What the driver asks of `links.contact_rows`, Control.ROWS_TASK. RESTORE: the request as it was before BEGIN."""

    BEGIN = 0
    LOOK = 1
    RESTORE = 2


class SleepTask(Table):
    """What the driver asks of `contacts.sleep`, Control.SLEEP_TASK."""

    ISLANDS = 0
    QUIET = 1
    HOLD = 2


class TouchTask(Table):
    """What the driver asks of `contacts.touch`, Control.TOUCH_TASK."""

    MARK = 0
    JOIN_STRUCK = 1
    TIE = 2
    COUNT_KEPT = 3
    SINK = 4


class Found(Table):
    """What finding contacts returns: done, or which array was too small."""

    # what kernels return: DONE, or which array was too small (its count says how much is needed)
    DONE = 0
    MORE_PAIRS = 1
    MORE_CONTACTS = 2
