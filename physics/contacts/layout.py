"""The columns of the arrays of contacts. Row k is one contact point."""

# ---------------------------------------------------------------- Contacts.who, whole numbers
BODY_A = 0  # index of the body that the normal pushes; never the world
BODY_B = 1  # the other one; below 0 what forces do not move (shapes/layout.py, OWNER)
SHAPE_A = 2  # rows of the geometry
SHAPE_B = 3
FEATURE = 4  # which corners and edges meet: the same from step to step while the same ones do
WHO = 5

# ---------------------------------------------------------------- Contacts.where, real numbers
POINT = 0  # 3: half way between the two surfaces, world, m
NORMAL = 3  # 3: from b to a
GAP = 6  # distance of the surfaces along the normal, negative where they overlap, m
FRICTION = 7  # of the pair
RESTITUTION = 8
WHERE = 9

# ---------------------------------------------------------------- Contacts.tally, whole numbers
CONTACTS = 0  # how many there are
PAIRS = 1  # how many pairs the broad phase holds
REBUILDS = 2  # how often it has been built anew
COUNTS = 3

# ---------------------------------------------------------------- Touch.row, real numbers: a contact in a request
LEVER_A = 0  # 3: from the centre of mass of a to the point, m
RATE = 3  # 3: u, velocity of a's point relative to b's, m/s
CENTRE = 6  # 3: gamma_c, the impulse that costs nothing, N s
WANTED = 9  # vhat, m/s along the normal
LIFT = 10  # s of the convex law, m/s
INVERSE = 11  # 1/R, kg
IMPULSE = 12  # 3: gamma at the present velocities
STIFFNESS = 15  # 6: G, packed, kg
CARRIED = 21  # 3: impulse that the linear system carries at the present velocities
FORCE = 24  # 3: mean force on a in the last request, N
AGE = 27  # for how many requests on end the contact has carried something
BOUNCE = 28  # speed with which it leaves the surface again, -1 where it does not bounce, m/s
PIECE = 29  # OPEN, STICKING, SLIDING (law.py)
SURFACE = 30  # 3: velocity of b's point, where forces do not move b
LEVER_B = 33  # 3: from the centre of mass of b
ROW = 36

# ---------------------------------------------------------------- Touch.extra: what few steps need of it
# (beyond the caches a loop over rows pays for all of their columns)
CHANGE = 0  # 3: of u in the last iteration, from the second on
BEFORE = 3  # 3: impulse that the linear system carried one iteration ago, likewise
LOCAL_A = 6  # 3: the point in the frame of a, and of b, where a step is redone in substeps
LOCAL_B = 9  # 3
ANSWER_ROW = 12  # its first row in Work.auxiliary, -1: none (auxiliary/contact_rows.py)
TANGENT = 13  # 3: t1
YIELD = 16  # softness of t2, 1/kg
ASKED_BEFORE = 17  # vhat before it was lowered
CENTRE_BEFORE = 18  # 3: gamma_c one iteration ago, and by how much what was carried differed from it
CENTRE_OFF = 21  # 3
EXTRA = 24

# ---------------------------------------------------------------- Touch.kept: of the contacts before, for warm starts
KEPT_FORCE = 0  # 3
KEPT_AGE = 3
KEPT = 4

# ---------------------------------------------------------------- Touch.rest, a row a body
QUIET_TIME = 0  # for how long it has been slow, s
SLEEPS = 1  # 1: it does
REST = 2

# ---------------------------------------------------------------- Touch.number
TOLERANCE = 0  # of the impulses, as a share of the largest
SPAN = 1  # time over which the impulses of the present request act, s; 1 where they are forces
RESIDUAL = 2  # largest difference of an impulse from its law in the last request, N s
LARGEST = 3  # largest impulse of the last request, N s
BOUNCING = 4  # largest speed with which a contact leaves the surface again, m/s
RZ = 5  # of the conjugate gradients: r . z
RZ_SEEN = 6  # the same when the laws were last looked at
LARGEST_ROOT = 7  # the largest of |impulse| sqrt(R) in the last iteration, sqrt(J)
SHARE = 8  # of the restitution that energy allows
LAST_WORK = 9  # what the present stage has added to Work.number's STEP_CONTACT_WORK and CONTACT_GAIN
LAST_GAIN = 10
LEFT = 11  # sqrt(r . z) of the linear system that was solved last, sqrt(J)
SLOPE_BEFORE = 12  # derivative of the objective along the last step, at its beginning and at its end
SLOPE_AFTER = 13
FASTEST = 14  # largest vhat that a contact of the request began with, m/s
ERROR = 15  # RESIDUAL as LARGEST_ROOT, of the last iteration, sqrt(J)
ASTRAY = 16  # largest difference of u_n from vhat where a contact carries something, m/s
PACE = 17  # length of the step or substep of the present request, s
ERROR_SEEN = 18  # ERROR a dozen of iterations ago
NUMBERS = 19

# ---------------------------------------------------------------- Touch.control, whole numbers
STAGE = 0  # where the method stands (newton.py)
ASKED = 1  # the request that it answers
ITERATION = 2  # Newton iterations of the present pass
ACTIVE = 3  # contacts of the present step; 0 where the step needs none
PASS = 4  # 0: without restitution, from 1 on with it
COUPLED = 5  # contacts between two bodies that carry something
SWEEP = 6  # conjugate gradients: iterations of the present system
CORRECTED = 7  # 1: the solution is not the last answer of the solver mode
REMEMBERED = 8  # 1: the contacts of the last step are in `before`
NEWTONS = 9  # Newton iterations of the last request
GRADIENTS = 10  # conjugate gradient iterations of the last request
PRESSING = 11  # contacts that carried something in the last request
METHOD = 12  # which of METHODS
SHORT = 13  # what `detect_contacts` returned
COUNTED = 14  # the (sub)step whose work is counted
USED = 15  # the method that answers in the present step
GIVEN_UP = 16  # 1: `anticipation` has no room for the rows of all contacts, or there is no solution
ROUND = 17  # of turning rows
REGULARISED = 18  # 1: both methods solve the regularised law
SLEEPING = 19  # 1: islands that rest fall asleep
ASLEEP = 20  # how many bodies sleep in the present step
ALL_ASLEEP = 21  # 1: all have done so for more than a step
CALMED = 22  # how often what is pushed out of each other has been slowed in the present request
BOUNCES = 23  # 1: some contact of the request bounces
HEAP = 24  # 1: contacts that last keep the centre and the lift of the step before (newton.py)
CONTROLS = 25
# vhat of a contact or limit that takes no part, as all that it would push sleeps, m/s
NEVER = -1e9
# by how much a contact of what turns fast may sink in within a (sub)step, m
SINKS = 5e-4
# methods: with "none" contacts are found and do nothing
METHODS = ("none", "newton", "anticipation", "auto")
NONE, NEWTON, ANTICIPATION, AUTO = range(4)
# Coulomb's law, or its convex model with compliance (law.py, `cone_law`)
CONTACT_LAWS = ("exact", "regularised")
# what the driver asks the method for; RESTORE: the request as it was before it began
BEGIN, GO_ON, RESTORE = range(3)
# and sleep (sleep.py)
ISLANDS, QUIET, HOLD = range(3)

# what kernels return: DONE, or which array was too small (its count says how much is needed)
DONE, MORE_PAIRS, MORE_CONTACTS = range(3)
