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

    BODY_A = column("index of body a, which the normal pushes; never the world")
    BODY_B = column("index of body b; a number below 0 names a body that forces do not move (`ShapeIndex.OWNER`)")
    SHAPE_A = column("row of a's shape in the arrays of `Geometry`")
    SHAPE_B = column("row of b's shape in the arrays of `Geometry`")
    FEATURE = column(
        "a number for the corners and edges that meet; it lasts from step to step while the same ones meet"
    )


class ContactPoints(Table, array="Contacts.where", rows="contacts"):
    """Contacts.where (m, 9), real numbers: the geometry of each contact point, in world axes. `Collision` owns it."""

    POINT = column("the contact point, half way between the two surfaces, in world axes", "m", 3)
    NORMAL = column("unit normal of the contact in world axes, pointing from b to a", "1", 3)
    GAP = column("distance of the surfaces along the normal; it is negative where they overlap", "m")
    FRICTION = column("coefficient of friction of the pair of shapes", "1")
    RESTITUTION = column("coefficient of restitution of the pair of shapes", "1")


class ContactCounts(Table, array="Contacts.tally"):
    """Contacts.tally (3,), whole numbers: counts of collision detection. `Collision` owns it."""

    CONTACTS = column("number of contact points that were found; the rows from there on are not in use")
    PAIRS = column("number of pairs of shapes that the broad phase holds")
    REBUILDS = column("how often the list of pairs has been built anew")


class ContactRows(Table, array="Touch.row", rows="contacts"):
    """Touch.row (m, ContactRows.WIDTH): each contact point as three rows of the present request. `Touch` owns it."""

    LEVER_A = column("vector from the centre of mass of a to the contact point, in world axes", "m", 3)
    RATE = column("velocity u of a's point relative to b's point, in world axes", "m/s", 3)
    CENTRE = column("impulse gamma_c about which the law is regularised: it costs nothing (law.py)", "N s", 3)
    WANTED = column("normal velocity vhat that the law asks for", "m/s")
    LIFT = column("normal velocity s that the convex law adds for sliding (law.py)", "m/s")
    INVERSE = column("1/R, the inverse of the law's regularisation", "kg")
    IMPULSE = column("impulse gamma that the law gives at the present velocities, on a, in world axes", "N s", 3)
    STIFFNESS = column("derivative G of the impulse by the velocity, a symmetric 3x3 matrix, packed", "kg", 6)
    CARRIED = column("impulse that the solution of the linear system carries at the present velocities", "N s", 3)
    FORCE = column("mean force on a over the last request, in world axes", "N", 3)
    AGE = column("number of successive requests in which the contact has carried a force")
    BOUNCE = column(
        "speed with which the bodies separate after the impact; -1 where the contact does not bounce", "m/s"
    )
    PIECE = column("piece of the law that holds: OPEN, STICKING or SLIDING (law.py)")
    SURFACE = column("velocity of b's point, where b is a body that forces do not move", "m/s", 3)
    LEVER_B = column("vector from the centre of mass of b to the contact point, in world axes", "m", 3)


class ContactExtras(Table, array="Touch.extra", rows="contacts"):
    """Touch.extra (m, ContactExtras.WIDTH): data of each contact point that few steps need. They are separate from
    `ContactRows`, because a loop over contacts loads whole rows. `Touch` owns it."""

    CHANGE = column("change of the velocity u in the last iteration; it is set from the second iteration on", "m/s", 3)
    BEFORE = column(
        "impulse that the linear system carried one iteration ago; it is set from the second iteration on", "N s", 3
    )
    LOCAL_A = column("contact point in the frame of a, where a step is redone in substeps", "m", 3)
    LOCAL_B = column("contact point in the frame of b, where a step is redone in substeps", "m", 3)
    ANSWER_ROW = column(
        "first of the contact's three rows in `Auxiliary`, -1 where it has none (links/contact_rows.py)"
    )
    TANGENT = column("unit tangent t1 of the friction rows, in world axes", "1", 3)
    YIELD = column("compliance of the friction row along the second tangent t2", "1/kg")
    ASKED_BEFORE = column("normal velocity vhat before it was lowered", "m/s")
    CENTRE_BEFORE = column("impulse gamma_c one iteration ago", "N s", 3)
    CENTRE_OFF = column("difference of the impulse that was carried from gamma_c, one iteration ago", "N s", 3)


class ContactKept(Table, array="Touch.kept", rows="contacts"):
    """Touch.kept (m, 4): data of the contacts of the previous step, for the warm start of the present ones. Row k
    belongs to row k of Contacts.before. `Touch` owns it."""

    FORCE = column("mean force on a over the last request, in world axes", "N", 3)
    AGE = column("number of successive requests in which the contact has carried a force")


class Rest(Table, array="Touch.rest", rows="n"):
    """Touch.rest (n, 2): how long each body has been slow, and whether it sleeps. `Touch` owns it. It is part of a
    snapshot."""

    QUIET_TIME = column("time for which the body has been slow", "s")
    SLEEPS = column("1 where the body sleeps, else 0")


class TouchNumber(Table, array="Touch.number"):
    """Touch.number (TouchNumber.WIDTH,): settings and sums of the contact methods. `Touch` owns it."""

    TOLERANCE = column("tolerance of the impulses, as a share of the largest one", "1")
    SPAN = column("time over which the impulses of the present request act; 1 where they are forces", "s")
    RESIDUAL = column("largest difference of an impulse from its law in the last request", "N s")
    LARGEST = column("largest impulse of the last request", "N s")
    BOUNCING = column("largest speed with which a contact separates after its impact", "m/s")
    RZ = column("product r . z of the conjugate gradients, residual by preconditioned residual", "J")
    RZ_SEEN = column("value of r . z when the contact laws were last evaluated", "J")
    LARGEST_ROOT = column("largest |impulse| sqrt(R) of a contact in the last iteration", "sqrt(J)")
    SHARE = column("share of the restitution that the balance of energy allows, between 0 and 1", "1")
    LAST_WORK = column("what the present stage has added to `Number.STEP_CONTACT_WORK`", "J")
    LAST_GAIN = column("what the present stage has added to `Number.CONTACT_GAIN`", "J")
    LEFT = column("residual sqrt(r . z) of the linear system that was solved last", "sqrt(J)")
    SLOPE_BEFORE = column("derivative of the objective along the last Newton step, at the beginning of that step", "J")
    SLOPE_AFTER = column("derivative of the objective along the last Newton step, at the end of that step", "J")
    FASTEST = column("largest normal velocity vhat with which a contact of the request began", "m/s")
    ERROR = column("largest |difference of an impulse from its law| sqrt(R) in the last iteration", "sqrt(J)")
    ASTRAY = column("largest difference of the normal velocity from vhat where a contact carries an impulse", "m/s")
    PACE = column("length of the step or substep of the present request", "s")
    ERROR_SEEN = column("value of ERROR a dozen iterations ago", "sqrt(J)")


class TouchControl(Table, array="Touch.control"):
    """Touch.control (TouchControl.WIDTH,), whole numbers: switches and counters of the contact methods. `Touch` owns
    it."""

    STAGE = column("where the method `newton` stands (contacts/newton.py)")
    ASKED = column("the integrator's request that the method answers (`Request`)")
    ITERATION = column("number of Newton iterations of the present pass")
    ACTIVE = column("number of contacts of the present step; 0 where the step needs none")
    PASS = column("0: the pass without restitution; from 1 on: the passes with restitution")
    COUPLED = column("number of contacts between two bodies that carry an impulse", at=5)
    SWEEP = column("number of conjugate gradient iterations of the present linear system")
    CORRECTED = column("1 where the solution is not the last answer of the solver mode")
    REMEMBERED = column("1 where Contacts.before holds the contacts of the last step")
    NEWTONS = column("number of Newton iterations of the last request")
    GRADIENTS = column("number of conjugate gradient iterations of the last request")
    PRESSING = column("number of contacts that carried an impulse in the last request")
    METHOD = column("the contact method that the user chose (`Method`)")
    SHORT = column("the code that `detect_contacts` returned (`Found`)")
    COUNTED = column("number of the (sub)step whose work is counted")
    USED = column("the contact method that answers in the present step (`Method`)")
    GIVEN_UP = column("1 where `anticipation` cannot continue: it has no room for all rows, or finds no solution")
    ROUND = column("number of rounds in which the friction rows were turned towards the slip")
    REGULARISED = column("1 where both methods solve the regularised law of friction")
    SLEEPING = column("1 where islands at rest may fall asleep")
    ASLEEP = column("number of bodies that sleep in the present step")
    ALL_ASLEEP = column("1 where all bodies have slept for more than a step")
    CALMED = column("how often the pushing out of overlaps was slowed in the present request")
    BOUNCES = column("1 where some contact of the request bounces")
    HEAP = column("1 where lasting contacts keep the centre and the lift of the step before (contacts/newton.py)")


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


class Polygon(Table):
    """Places of the polygons in `corner`: the feature of the first shape, that of the second, and two for cutting one
    with the other."""

    FIRST = 0
    SECOND = 1
    CUT = 2
    OTHER = 3


class Corners(Table, array="Workspace.corner", rows="corners"):
    """Workspace.corner (4, polygon, Corners.WIDTH): the corners of the polygons."""

    X = column("position in the frame of the first shape", "m", 3)
    U = column("first coordinate across the normal", "m")
    V = column("second coordinate across the normal", "m")


class Sheets(Table, array="Workspace.sheet", rows="shapes"):
    """Workspace.sheet (2, Sheets.WIDTH): the height h = H + DU (u - U) + DV (v - V) over the plane across the normal,
    of the top of the first polygon and of the bottom of the second."""

    H = column("height at the point (U, V)", "m")
    U = column("first coordinate of that point", "m")
    V = column("second coordinate of that point", "m")
    DU = column("slope along u", "1")
    DV = column("slope along v", "1")


class Candidates(Table, array="Workspace.found", rows="candidates"):
    """Workspace.found (polygon, Candidates.WIDTH): the candidates for contact points."""

    U = column("first coordinate across the normal", "m")
    V = column("second coordinate across the normal", "m")
    GAP = column("distance of the cores along the normal", "m")
    HEIGHT = column("height half way between the cores", "m")


class Simplex(Table, array="Workspace.point", rows="points"):
    """Workspace.point (MOST_VERTICES, Simplex.WIDTH): a point w = a - b of the difference A - B of two cores."""

    W = column("the point w", "m", 3)
    A = column("the point a of the core A", "m", 3)
    B = column("the point b of the core B", "m", 3)
