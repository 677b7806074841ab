"""The numbers and switches of a step: Work.number and Work.control, and the codes that stand there."""

from physics.compiler.table import Table, column

INTEGRATORS = ("trbdf2", "implicit", "hernandez", "rattle", "rattle4", "rk4", "explicit")

TICKS = 64  # of a step that is redone

ORDERS = ("dynamic", "kinematic")

CORRECTIONS = ("shake", "feedback", "coordinates")


class Number(Table, array="Work.number"):
    """Work.number: settings and sums of the step"""

    DT = column(1, "frame step", unit="s")
    H = column(1, "step of the present (sub)step", unit="s")
    GRAVITY = column(1, "3", unit="m/s^2")
    GAP_TOLERANCE = column(1, "a further correction sweep is asked for above this gap", unit="m (rad)", at=5)
    POSING_SCALE = column(1, "multiplies the posing friction")
    TOLERANCE = column(1, "of the cg mode")
    TIME = column(1, "s")
    ENERGY = column(1, "of the accepted state, J: total")
    KINETIC = column(1, "")
    GRAVITATIONAL = column(1, "")
    ELASTIC = column(1, "")
    GAP = column(1, "largest gap of the accepted state")
    SPIN = column(1, "its largest angular speed", unit="rad/s")
    TRIAL_GAP = column(
        1,
        "largest gap, kinetic energy, largest angular speed at the next pose, where MEASURED (TRIAL_ELASTIC)",
    )
    TRIAL_KINETIC = column(1, "")
    TRIAL_SPIN = column(1, "")
    START_ENERGY = column(1, "energy at the start of the present step")
    STEP_WORK = column(1, "work of applied loads since the start of the present step", unit="J")
    WORK = column(1, "work of applied loads since the start", unit="J")
    LOST = column(1, "energy given up by redone steps since the start", unit="J")
    RESIDUAL = column(1, "of the cg mode: relative residual of its last solve")
    CONDITION = column(1, "of the jsim mode: an estimate of the condition of H")
    SPAN = column(1, "time for which the pulls of the present request act, s; 0 where it asks for accelerations")
    WEIGHT = column(1, "their share in the mean force of the step")
    NOW = column(1, "time of the state, s: that of the present (sub)step's start")
    NEXT = column(1, "time of the next state", unit="s")
    LIMIT_SPAN = column(1, "time in which a limit may be reached", unit="s")
    LIMIT_WORK = column(1, "work of limits since the start", unit="J")
    LIMIT_STEP_WORK = column(1, "since the start of the present step")
    DRIVE_SPAN = column(1, "t of the drives' present request, and their share in the mean of the step")
    DRIVE_WEIGHT = column(1, "")
    DRIVE_WORK = column(1, "work of the drives and of the wind in the present (sub)step", unit="J")
    LIMIT_LAST_WORK = column(1, "work of limits in the last request with them")
    DENSITY = column(1, "of the medium, kg/m^3, and its viscosity", unit="Pa s")
    VISCOSITY = column(1, "")
    MEDIUM_WEIGHT = column(1, "share of the present stage in the step")
    FEEDBACK_KS = column(1, "ks [1/s^2] and kd [1/s] of the correction by feedback")
    FEEDBACK_KD = column(1, "")
    STEP_CONTACT_WORK = column(1, "work of contacts since the start of the present step", unit="J")
    CONTACT_WORK = column(1, "since the start")
    CONTACT_GAIN = column(
        1,
        "energy that contacts may have added in the present step: where they push what moves away",
        unit="J",
    )
    ASIDE_WORK = column(1, "work of applied loads in the integrator's pass, where the step is parted")
    PUSH_MOST = column(1, "energy that all bodies would have at the speed of pushing out, J; 0: nothing touches")
    TOTAL_MASS = column(1, "of all bodies", unit="kg")
    TRIAL_ELASTIC = column(1, "elastic energy at the next pose, where MEASURED")
    CREDIT = column(1, "redone steps that may end too fast for a whole step (integrators/last_resort.py)")
    WORK_BEFORE = column(1, "STEP_WORK and LIMIT_STEP_WORK at the start of the present substep of a redone step")
    LIMIT_WORK_BEFORE = column(1, "")
    FORCE_SCALE = column(
        1,
        "the joint forces of the step are so many times Work.wrench; 0: they stand in Work.next_wrench",
    )
    LEASH = column(1, "of the turn that a substep of a redone step may make, where turning that far has led uphill")
    BEGAN = column(
        1,
        "time at which the span that the integrator is asked for begins, s: the step's start, or a substep's",
    )
    WHOLE = column(1, "and its length, s; `rattle4` composes it of five H")
    EARLIER_GAP = column(1, "TRIAL_GAP one sweep before that (integrators/rattle.py)")
    CONTACT_WORK_BEFORE = column(
        1,
        "STEP_CONTACT_WORK and CONTACT_GAIN at the start of the present substep of a redone step",
    )
    CONTACT_GAIN_BEFORE = column(1, "")
    SUNK = column(1, "by how much a contact has sunk in within the (sub)step, m (contacts/touch.py)")


class Control(Table, array="Work.control"):
    """Work.control: switches and counters"""

    INTEGRATOR = column(1, "")
    ORDER = column(1, "")
    GUARD = column(1, "the guard is on")
    GEOMETRIC = column(1, "geometric stiffness is on")
    WITH_ROWS = column(1, "the solver mode wants the rows T of every edge")
    COUPLED = column(1, "there is at least one constraint")
    SPRUNG = column(1, "some edge has a spring, damper or soft limit")
    LOADED = column(1, "some body has an applied force")
    PHASE = column(1, "of the step (codes below)")
    STAGE = column(1, "")
    SWEEP = column(1, "")
    SUBSTEP = column(1, "of a composed step")
    FAILURES = column(1, "ticks of the present redo in frozen substeps")
    FRESH = column(1, "the energies in Work.number are those of the present state")
    MEASURED = column(1, "edges and springs are filled at the next pose, and the TRIAL numbers and WORST are known")
    FACTOR_KEPT = column(1, "the factor of the mass matrix at the present pose is still in Work (rattle)")
    WORST = column(1, "body whose inbound edge has the largest gap")
    STATUS = column(1, "0: running; above 0: the run cannot continue, index + 1 of the body of the trouble; or Status")
    STEP = column(1, "steps taken")
    REDONE = column(1, "steps that the guard redid")
    FROZEN = column(1, "substeps that failed even so and left the figure where it was")
    FACTORS = column(1, "factorisations since the start")
    SOLVES = column(1, "")
    ITERATIONS = column(1, "of the cg mode, in its last solve")
    LINKED = column(1, "there are edges outside the forest")
    ANTICIPATION = column(1, "where the anticipation of auxiliary rows stands (physics/links/anticipation.py)")
    ASKED = column(1, "the request that it answers")
    COLUMN = column(1, "the column of its matrix that is being computed")
    ROW_COUNT = column(1, "how many auxiliary rows there are now")
    RANK = column(1, "how many of them are independent")
    GRABS = column(1, "rows of State.grab to look at")
    PULL_ROWS = column(1, "how many rows the links and the grabs have together")
    ARMED = column(1, "some axis has a rotor")
    SIGNALED = column(1, "something is prescribed as a function of time")
    NONHOLONOMIC = column(1, "some edge has conditions on velocities alone")
    HARD_LIMITED = column(1, "some coordinate has a hard limit")
    LIMIT_ROWS = column(1, "how many rows there are with those of limits")
    LIMIT_LAW = column(1, "what the present request asks of limits (codes below)")
    LIMITS_HELD = column(1, "limits that pressed in the last step")
    LIMITS_LEFT = column(1, "limits for which there was no room in the last step")
    LIMIT_FIRST = column(1, "the first row of the limits that were added last")
    LIMITS_CROSSED = column(1, "the step that was looked at breaks a limit")
    PATH_COLUMNS = column(1, "the mode solves along paths, for columns of the auxiliary matrix; 0: for all bodies")
    ALONG_COUNT = column(1, "how many bodies are listed in Work.along")
    TIMED = column(1, "the steps of the anticipation are timed")
    FIRST_ORDER = column(1, "the present pass is one of `implicit`, as a contact or a hard limit takes part")
    DRIVES_OFF = column(1, "all drives are switched off")
    DRIVEN = column(1, "some drive is on")
    CAPPED = column(1, "some drive has a limit")
    DRIVE_ASKED = column(1, "rounds of the present request with implicit drives, 0: it has none")
    LIMITS_ASKED = column(1, "LIMIT_NOW where the present request had it")
    REQUEST = column(1, "what the integrator asks of the mode (bits below)")
    STEP_TASK = column(1, "what the driver asks of `integrators.stepping` (StepTask)")
    WIND = column(1, "first of the three signals of the wind")
    IN_MEDIUM = column(1, "a medium acts on some shape")
    FLOWING = column(1, "the present request has drag in it")
    CORRECTION = column(1, "how joints are kept closed (codes below)")
    LISTED = column(1, "how many bodies are on the paths of auxiliary rows")
    TREE_SPRINGS = column(
        1,
        "some link's spring has its place in the tree; 2: some of them across a joint of several axes",
    )
    TREE_SPRINGS_ASKED = column(1, "such springs are in the present request")
    STOPS = column(1, "hard limits that the contact method has in the present request")
    LIMITS_ELSEWHERE = column(1, "some limit is not one that it can have")
    TOUCHING = column(1, "contacts are rows of the present request (physics/links/contact_rows.py)")
    TOUCHED = column(1, "what these ask for after an answer (codes below)")
    PRESSED = column(1, "the forces of limits and contacts that were found last keep to their laws")
    BALL_SPRINGS = column(1, "a ball joint's spring has soft limits, or differs about its axes")
    CALM = column(1, "limits are not bounced off in the present request")
    LANED = column(1, "no body is a particle, so that bodies can be taken four at a time (physics/maths/lanes.py)")
    SOUGHT = column(1, "coordinates of some edge are found by iteration from those remembered")
    HALVES = column(1, "the mode keeps reduced columns of the links' rows (links/islands.py)")
    KEPT = column(1, "it has those of the present factor")
    SEVERAL = column(1, "the forest has several trees")
    PARTED = column(1, "the present step has two passes (physics/integrators/parting.py)")
    PART = column(1, "whose pass it is (codes below)")
    STUCK = column(1, "steps on end of which every substep was frozen")
    BLOWN = column(1, "in a substep of the present redo something was not finite")
    TIGHT = column(1, "links were taut in the present step, and eased (links/ranked.py)")
    AIMED = column(1, "by what grabs pull in the kinematic order (codes below)")
    REGULARISED = column(
        1,
        "taut links may give way in the present request (links/ranked.py): in steps without contacts",
    )
    CURVED = column(
        1,
        "the projection of the present substep follows the curvature of the constraints (integrators/last_resort.py)",
    )
    RELEASED = column(1, "how many links are released (integrators/releasing.py)")
    LONERS = column(1, "to some body nothing is tied")
    SUBSTEP_TICKS = column(1, "length of the present substep of a redone step (integrators/following.py)")
    TOO_FAST = column(1, "something turns too fast even for the shortest")
    TICK = column(1, "ticks of the step that the present pass of a redone step has done")
    PASS_TICK = column(1, "and those that were done when it began")
    OTHERS = column(1, "how many bodies have no part in it: accepted, or waiting for a pass of their own")
    UNITED = column(1, "the present step was made of two passes, and Work.part still says whose is which")
    SUBSTEPPED = column(1, "steps that some islands made in substeps of the integrator")
    FORWARD = column(1, "what is left of the present step of `rattle4` is taken as by `rattle` (integrators/rattle.py)")
    HARD_DRIVES = column(1, "some drive keeps a velocity without a gain")
    DRIVE_REQUEST = column(
        1,
        "what drives have in the present request: ALL_LAWS, SPEEDS_IN_STEP, ... (physics/forces/drives.py)",
    )
    STALE = column(1, "in a redone step, bodies have moved since contacts were found")
    FOLLOWED = column(1, "some islands took the last step in substeps: joint forces are those of Work.mean_wrench")
    LACKING = column(
        1,
        "a step is interrupted: what redoes it is not compiled yet, or there is no room for its contacts",
    )
    REDO_TASK = column(1, "what the driver asks of `integrators.redoing` (RedoTask)")
    PARTS_TASK = column(1, "of `integrators.parting` (PartsTask)")
    LINKS_TASK = column(1, "of `links.anticipation` (LinksTask)")
    NEWTON_TASK = column(1, "of `contacts.newton` (NewtonTask)")
    ROWS_TASK = column(1, "of `links.contact_rows` (RowsTask)")
    SLEEP_TASK = column(1, "of `contacts.sleep` (SleepTask)")
    TOUCH_TASK = column(1, "of `contacts.touch` (TouchTask)")


class Phase(Table):
    """Phases of a step, Control.PHASE."""

    # phases of a step: whole; some islands in substeps of the integrator (integrators/following.py); some in those of
    # the last resort (integrators/last_resort.py)
    WHOLE_STEP = 0
    FOLLOWING = 1
    LAST_RESORT = 2


class Aim(Table):
    """By what grabs pull in the kinematic order, Control.AIMED."""

    # to their targets; the same, and the aims are kept; to these aims; to rest
    TO_TARGETS = 0
    KEEPING_AIMS = 1
    TO_AIMS = 2
    TO_REST = 3


class Touched(Table):
    """What contacts as rows ask for after an answer, Control.TOUCHED."""

    # nothing more; the forces anew, as rows have changed; the solution with the forces as they stand
    SETTLED = 0
    PRESS_AGAIN = 1
    SOLVE_AGAIN = 2


class Part(Table):
    """Whose motion a pass of a step makes, Work.part and Control.PART."""

    # Work.part: islands that the integrator steps, and those that `implicit` does; in Work.control[Control.PART] also
    # all together In a redone step: bodies whose step is accepted, and those of the present pass; others wait for one
    # from tick k on: -1 - k for one of the last resort, -1 - TICKS - k for one in substeps of first order.
    ALL_PARTS = 0
    OWN_PART = 1
    PRESSED_PART = 2
    KEPT_PART = 3
    REDONE_PART = 4


class IslandFlag(Table):
    """What an island has, bits of Work.island."""

    PRESSED = 8  # a bit of Work.island: something touches, or leans on a limit
    OPEN = 16  # something stands open
    FAILED = 32  # its step was not good


class LinkError(Table):
    """Why a link is not closed, Auxiliary.amiss."""

    # Auxiliary.amiss of a link whose rows contradict others, and of one that is loose
    CONTRADICTS = 1
    RELEASED = 2


class LimitLaw(Table):
    """What limits mean for a request, Control.LIMIT_LAW."""

    # what limits mean for velocities at the end of a step, for jumps of velocities, and for accelerations
    STEP = 0
    IMPULSE = 1
    ACCELERATION = 2


class Request(Table):
    """What an integrator asks of the solver mode, bits of Control.REQUEST."""

    # requests of an integrator to the solver mode (bits). Without WRENCHES a mode leaves Work.wrench alone. PULL_NOW is
    # for forces that act over the span of the request and are found together with its solution; no mode sees it.
    # LIMIT_NOW is for hard limits in the same way: the solution is one that keeps to them. ALONG is for modes that can
    # leave out bodies: right-hand sides are zero and velocities not wanted but for the bodies listed in Work.along, in
    # ascending order and with all that are above them. CONTACT_ROWS is the anticipation's own: contacts are to look at
    # its answer.
    DONE = 0
    FACTOR = 1
    SOLVE = 2
    WRENCHES = 4
    PULL_NOW = 8
    LIMIT_NOW = 16
    ALONG = 32
    CONTACT_ROWS = 64
    SUBSTEP = 4096  # of what redoes a step, to the driver: the integrator takes its next substep
    # Between the anticipation and `fused` alone (solvers/fused_columns.py), done in this order: the right-hand side is
    # reduced, and no more; the columns of the links' rows are reduced; their product, the matrix; J_a v that the
    # reduced right-hand side means; velocities with the forces of the multipliers.
    HALF = 128
    COLUMNS_UP = 256
    PRODUCT = 512
    RATES_OF_ROWS = 1024
    FORCES_BACK = 2048
    OF_COLUMNS = 3840
    ALL = 7
    PULLED = 15
    STEPPED = 31


class Integrator(Table):
    """Control.INTEGRATOR."""

    # integrators and orders
    TRBDF2 = 0
    IMPLICIT = 1
    HERNANDEZ = 2
    RATTLE = 3
    RATTLE4 = 4
    RK4 = 5
    EXPLICIT = 6


class Order(Table):
    """Control.ORDER."""

    DYNAMIC = 0
    KINEMATIC = 1


class Correction(Table):
    """How joints are kept closed, Control.CORRECTION."""

    SHAKE = 0
    FEEDBACK = 1
    COORDINATES = 2


class StepTask(Table):
    """What the driver asks of `integrators.stepping`, Control.STEP_TASK."""

    REFRESH = 0
    BEGIN_STEP = 1
    JUDGE = 2
    START_FIRST_ORDER = 3
    START_OVER = 4
    PASS_BY = 5


class Verdict(Table):
    """What `integrators.stepping` returns for JUDGE."""

    REJECTED = 0
    ACCEPTED = 1


class RedoTask(Table):
    """What the driver asks of `integrators.redoing`, Control.REDO_TASK: in this order, and HUSH before each answer."""

    TIE = 0
    SORT_OUT = 1
    KEEP = 2
    GO_ON = 3
    HUSH = 4


class PartsTask(Table):
    """What the driver asks of `integrators.parting`, Control.PARTS_TASK."""

    JOIN = 0
    DIVIDE = 1
    EXCHANGE = 2
    UNITE = 3


class LinksTask(Table):
    """What the driver asks of `links.anticipation`, Control.LINKS_TASK."""

    BEGIN = 0
    GO_ON = 1
    LOOK = 2


class Status(Table):
    """Why a run cannot continue, Control.STATUS, where no body is to blame."""

    RUNNING = 0
    NOT_FINITE = -1
