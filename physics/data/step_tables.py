"""The columns of Work.number and Work.control, and their codes. They are the settings, sums, switches and counters of a
step."""

from typing import NamedTuple

from physics.compiler.table import Table, column

__all__ = ["CORRECTIONS", "INTEGRATORS", "ORDERS"]

TICKS = 64  # a redone step is divided into so many ticks: its shortest substep is one tick long

ORDERS = ("dynamic", "kinematic")

# how the columns of the auxiliary matrix are found (`World.columns`)
COLUMNS = ("halves", "paths", "plain")

CORRECTIONS = ("shake", "feedback", "coordinates")


class Number(Table, array="Work.number"):
    """Work.number (Number.WIDTH,): settings and sums of the step. `Work` owns it."""

    DT = column("length of a whole step", "s")
    H = column("length of the present step or substep", "s")
    GRAVITY = column("acceleration of gravity, in world axes", "m/s^2", 3)
    GAP_TOLERANCE = column("a further correction sweep is made where a gap is above this", "m or rad", at=5)
    POSING_SCALE = column("factor of the posing friction", "1")
    TOLERANCE = column("relative tolerance of the mode `cg`", "1")
    TIME = column("time of the accepted state", "s")
    ENERGY = column("total energy of the accepted state", "J")
    KINETIC = column("kinetic energy of the accepted state", "J")
    GRAVITATIONAL = column("gravitational energy of the accepted state", "J")
    ELASTIC = column("elastic energy of the accepted state", "J")
    GAP = column("largest gap of the accepted state", "m or rad")
    SPIN = column("largest angular speed of the accepted state", "rad/s")
    TRIAL_GAP = column("largest gap at the next pose, where Control.MEASURED is set", "m or rad")
    TRIAL_KINETIC = column("kinetic energy at the next pose, where Control.MEASURED is set", "J")
    TRIAL_SPIN = column("largest angular speed at the next pose, where Control.MEASURED is set", "rad/s")
    START_ENERGY = column("total energy at the start of the present step", "J")
    STEP_WORK = column("work of applied loads since the start of the present step", "J")
    WORK = column("work of applied loads since the start of the simulation", "J")
    LOST = column("energy given up by redone steps since the start of the simulation", "J")
    RESIDUAL = column("relative residual of the last solve of the mode `cg`", "1")
    CONDITION = column("estimate of the condition number of H in the mode `jsim`", "1")
    SPAN = column("time for which the pulls of the present request act; 0 where it asks for accelerations", "s")
    WEIGHT = column("share of the present request's pulls in the mean force of the step", "1")
    NOW = column("time at the start of the present (sub)step", "s")
    NEXT = column("time at the end of the present (sub)step", "s")
    LIMIT_SPAN = column("time within which the present request keeps coordinates from passing a limit", "s")
    LIMIT_WORK = column("work of hard limits since the start of the simulation", "J")
    LIMIT_STEP_WORK = column("work of hard limits since the start of the present step", "J")
    DRIVE_SPAN = column("time t over which the drives of the present request are implicit", "s")
    DRIVE_WEIGHT = column("share of the present request's drives in the mean effort of the step", "1")
    DRIVE_WORK = column("work of drives and wind in the present (sub)step", "J")
    LIMIT_LAST_WORK = column("work of hard limits in the last request that had them", "J")
    DENSITY = column("density of the medium", "kg/m^3")
    VISCOSITY = column("dynamic viscosity of the medium", "Pa s")
    MEDIUM_WEIGHT = column("share of the present stage's drag in the step", "1")
    FEEDBACK_KS = column("gain ks of the correction by feedback", "1/s^2")
    FEEDBACK_KD = column("gain kd of the correction by feedback", "1/s")
    STEP_CONTACT_WORK = column("work of contacts since the start of the present step", "J")
    CONTACT_WORK = column("work of contacts since the start of the simulation", "J")
    CONTACT_GAIN = column(
        "energy that contacts may have added in the present step, where they push what moves away", "J"
    )
    ASIDE_WORK = column("work of applied loads in the integrator's pass, where the step has two passes", "J")
    PUSH_MOST = column("energy of all bodies at the speed of pushing out overlaps; 0 where nothing touches", "J")
    TOTAL_MASS = column("mass of all bodies", "kg")
    TRIAL_ELASTIC = column("elastic energy at the next pose, where Control.MEASURED is set", "J")
    CREDIT = column("number of redone steps that may end too fast for a whole step (integrators/releasing.py)", "1")
    WORK_BEFORE = column("value of STEP_WORK at the start of the present substep of a redone step", "J")
    LIMIT_WORK_BEFORE = column("value of LIMIT_STEP_WORK at the start of the present substep of a redone step", "J")
    FORCE_SCALE = column("factor from Work.wrench to the joint forces of the step; 0: they are in Work.next_wrench")
    LEASH = column(
        "share of the allowed rotation that a substep of the last resort may make, lowered after uphill substeps", "1"
    )
    BEGAN = column("time at which the integrator's present span begins: the start of a step or of a substep", "s")
    WHOLE = column("length of the integrator's present span; `rattle4` composes it of five steps H", "s")
    EARLIER_GAP = column("value of TRIAL_GAP one correction sweep earlier (integrators/rattle.py)", "m or rad")
    CONTACT_WORK_BEFORE = column("value of STEP_CONTACT_WORK at the start of the present substep of a redone step", "J")
    CONTACT_GAIN_BEFORE = column("value of CONTACT_GAIN at the start of the present substep of a redone step", "J")
    SUNK = column("largest depth by which a contact has sunk in within the (sub)step (contacts/detection.py)", "m")


class Control(Table, array="Work.control"):
    """Work.control (Control.WIDTH,), whole numbers: switches and counters of the step. A switch is 1 if the sentence
    after "switch:" is true, else 0. `Work` owns it."""

    INTEGRATOR = column("the integrator that the user chose (`Integrator`)")
    ORDER = column("dynamic or kinematic (`Order`)")
    GUARD = column("switch: the guard judges each step")
    GEOMETRIC = column("switch: geometric stiffness is in the system")
    WITH_ROWS = column("switch: the solver mode needs the constraint rows T of every edge")
    COUPLED = column("switch: the figure has at least one constraint")
    SPRUNG = column("switch: some edge has a spring, a damper or a soft limit")
    LOADED = column("switch: some body has an applied force")
    PHASE = column("phase of the step (`Phase`)")
    STAGE = column("stage of the integrator, or of what redoes a step, between two requests")
    SWEEP = column("number of the correction sweep")
    SUBSTEP = column("number of the substep of a composed step")
    FAILURES = column("ticks of the present redone step in which the figure stayed where it was")
    FRESH = column("switch: the energies in Work.number are those of the present state")
    MEASURED = column(
        "switch: edges and springs are filled at the next pose, and the TRIAL numbers and WORST are known"
    )
    FACTOR_KEPT = column(
        "switch: Work still has the factor of the mass matrix at the present pose (integrators/rattle.py)"
    )
    WORST = column("body whose inbound edge has the largest gap")
    STATUS = column("0: running; i + 1: the step cannot continue at body i; Status.NOT_FINITE: the state is not finite")
    STEP = column("number of steps since the start of the simulation")
    REDONE = column("number of steps that the last resort redid since the start of the simulation")
    FROZEN = column("number of substeps that failed in the last resort and left the figure where it was")
    FACTORS = column("number of factorisations since the start of the simulation")
    SOLVES = column("number of solves since the start of the simulation")
    ITERATIONS = column("number of iterations of the mode `cg` in its last solve")
    LINKED = column("switch: the figure has edges outside the forest")
    ANTICIPATION = column("where the anticipation of auxiliary rows stands (links/anticipation.py)")
    ASKED = column("the integrator's request that the anticipation answers (`Request`)")
    COLUMN = column("the column of the auxiliary matrix that is being computed")
    ROW_COUNT = column("number of auxiliary rows at present")
    RANK = column("number of auxiliary rows that are independent")
    GRABS = column("number of rows of State.grab that are looked at")
    PULL_ROWS = column("number of auxiliary rows of links and grabs together")
    ARMED = column("switch: some axis has a rotor")
    SIGNALED = column("switch: something is prescribed as a function of time")
    NONHOLONOMIC = column("switch: some edge has constraints on velocities only")
    HARD_LIMITED = column("switch: some coordinate has a hard limit")
    LIMIT_ROWS = column("number of auxiliary rows of links, grabs and limits together")
    LIMIT_LAW = column("what the present request asks of hard limits (`LimitLaw`)")
    LIMITS_HELD = column("number of limits that carried a force in the last step")
    LIMITS_LEFT = column("number of limits for which there was no room in the last step")
    LIMIT_FIRST = column("the first row of the limits that were added last")
    LIMITS_CROSSED = column("switch: the step that was looked at breaks a hard limit")
    PATH_COLUMNS = column(
        "1: the mode solves along paths for columns of the auxiliary matrix; 0: it solves for all bodies"
    )
    ALONG_COUNT = column("number of bodies that are listed in Work.along")
    TIMED = column("switch: the steps of the anticipation are timed")
    FIRST_ORDER = column("switch: the present pass is one of `implicit`, as a contact or a hard limit takes part")
    DRIVES_OFF = column("switch: all drives are switched off")
    DRIVEN = column("switch: some drive is on")
    CAPPED = column("switch: some drive has a limited effort")
    DRIVE_ASKED = column("number of rounds of the present request with implicit drives; 0 where it has none")
    LIMITS_ASKED = column("Request.LIMIT_NOW where the present request had it, else 0")
    REQUEST = column("what the integrator asks of the solver mode (`Request`)")
    STEP_TASK = column("what the driver asks of `integrators.stepping` (`StepTask`)")
    WIND = column("row of the first of the three signals of the wind")
    IN_MEDIUM = column("switch: a medium acts on some shape")
    FLOWING = column("switch: the present request has drag in it")
    CORRECTION = column("how joints are kept closed (`Correction`)")
    LISTED = column("number of bodies on the paths of auxiliary rows")
    TREE_SPRINGS = column(
        "1: some link's spring acts implicitly in the forest; 2: some lie across a joint of several axes; else 0"
    )
    TREE_SPRINGS_ASKED = column("switch: springs of links that act in the forest are in the present request")
    STOPS = column("number of hard limits that the contact method has in the present request")
    LIMITS_ELSEWHERE = column("switch: some hard limit is one that the contact method cannot have")
    TOUCHING = column("switch: contacts are rows of the present request (links/contact_rows.py)")
    TOUCHED = column("what contacts as rows ask for after an answer (`Touched`)")
    PRESSED = column("switch: the forces of limits and contacts that were found last satisfy their laws")
    BALL_SPRINGS = column("switch: a ball joint's spring has soft limits, or is not the same about all axes")
    CALM = column("switch: limits have no restitution in the present request")
    LANED = column("switch: no body is a particle, so that bodies can be taken in SIMD groups of four (maths/lanes.py)")
    SOUGHT = column("switch: coordinates of some edge are found by iteration from those that are remembered")
    HALVES = column("switch: the mode keeps reduced columns of the links' rows (links/islands.py)")
    KEPT = column("switch: the mode has the reduced columns of the present factor")
    SEVERAL = column("switch: the forest has several trees")
    PARTED = column("switch: the present step has two passes (integrators/parting.py)")
    PART = column("the part whose motion the present pass makes (`Part`)")
    STUCK = column("number of successive steps in which every substep left the figure where it was")
    BLOWN = column("switch: some number was not finite in a substep of the present redone step")
    TIGHT = column("switch: links were taut in the present step, and were regularised (links/pivoted_cholesky.py)")
    AIMED = column("to what grabs pull in the kinematic order (`Aim`)")
    REGULARISED = column("switch: taut links may be regularised in the present request (links/pivoted_cholesky.py)")
    CURVED = column("switch: the projection of the present substep follows the curvature of the constraints")
    RELEASED = column("number of links that are released (integrators/releasing.py)")
    LONERS = column("switch: some body has nothing connected to it")
    SUBSTEP_TICKS = column("length of the present substep of a redone step, in ticks of a 64th of the step")
    TOO_FAST = column("switch: something rotates too fast even for the shortest substep")
    TICK = column("ticks of the step that the present pass of a redone step has done")
    PASS_TICK = column("ticks of the step that were done when the present pass of a redone step began")
    OTHERS = column("number of bodies without a part in the present pass: accepted, or waiting for their own pass")
    UNITED = column("switch: the present step was made of two passes, and Work.part still names the pass of each body")
    SUBSTEPPED = column("number of steps that some islands made in substeps of the integrator")
    FORWARD = column(
        "switch: the rest of the present step of `rattle4` is taken as by `rattle` (integrators/rattle.py)"
    )
    HARD_DRIVES = column("switch: some drive keeps a velocity without a gain")
    DRIVE_REQUEST = column("what drives have in the present request (`DriveRequest`)")
    STALE = column("switch: in a redone step, bodies have moved since contacts were found")
    FOLLOWED = column("switch: islands took the last step in substeps; joint forces are those of Work.mean_wrench")
    LACKING = column("a step is interrupted: what redoes it is not compiled yet, or there is no room for its contacts")
    REDO_TASK = column("what the driver asks of `integrators.redoing` (RedoTask)")
    PARTS_TASK = column("of `integrators.parting` (PartsTask)")
    LINKS_TASK = column("of `links.anticipation` (LinksTask)")
    NEWTON_TASK = column("of `contacts.newton` (NewtonTask)")
    ROWS_TASK = column("of `links.contact_rows` (RowsTask)")
    SLEEP_TASK = column("of `contacts.sleep` (SleepTask)")
    TOUCH_TASK = column("of `contacts.detection.part_touching` (TouchTask)")


class Phase(Table):
    """The phases of a step (Control.PHASE): the whole step; substeps of the integrator for some islands
    (integrators/following.py); substeps of the last resort for some islands (integrators/last_resort.py)."""

    WHOLE_STEP = 0
    FOLLOWING = 1
    LAST_RESORT = 2


class Aim(Table):
    """The targets to which grabs pull in the kinematic order (Control.AIMED): their own targets; their own targets,
    which are at the same time stored as aims (Pulls.AIM); the stored aims; velocity zero."""

    TO_TARGETS = 0
    KEEPING_AIMS = 1
    TO_AIMS = 2
    TO_REST = 3


class DriveRequest(Table):
    """Which drives act in a request, and for what it is solved (Control.DRIVE_REQUEST). With ALL_LAWS, all drives act,
    and it is solved for velocities. With the other codes, only drives act that hold a velocity without a gain. The
    request is then solved for the velocities of a whole step of `explicit`; for the velocities after a kick of
    `rattle`; or, without grabs and limits, for the changes of velocities at the end of a step of `rk4`."""

    ALL_LAWS = 0
    SPEEDS_IN_STEP = 1
    SPEEDS_IN_KICK = 2
    SPEEDS_AT_END = 3


class Touched(Table):
    """What contacts as rows need after an answer (Control.TOUCHED): nothing more; another computation of the forces,
    because rows have changed; another solution, with the present forces."""

    SETTLED = 0
    PRESS_AGAIN = 1
    SOLVE_AGAIN = 2


class Part(Table):
    """The parts of a world. Work.part has the part of each body, and Control.PART the part whose motion the present
    pass computes. Control.PART may also be ALL_PARTS."""

    # A step of two passes has OWN_PART, islands that the integrator steps, and PRESSED_PART, islands that `implicit`
    # steps. A redone step has KEPT_PART, bodies whose step is accepted, and REDONE_PART, bodies of the present pass.
    # Other bodies wait for a pass that begins at tick k: Work.part is -1 - k where it is one of the last resort, and
    # -1 - TICKS - k where it is one in substeps of `implicit`.
    ALL_PARTS = 0
    OWN_PART = 1
    PRESSED_PART = 2
    KEPT_PART = 3
    REDONE_PART = 4


class IslandFlag(Table):
    """Properties of an island. They are bits of the second column of Work.island, in the row of the body that
    represents the island."""

    PRESSED = 8  # some contact or hard limit carries a force
    OPEN = 16  # some joint has a gap above the tolerance
    FAILED = 32  # its step was rejected


class LinkError(Table):
    """Error states of a link (Auxiliary.error_state): its rows contradict other rows, or it is released."""

    CONTRADICTS = 1
    RELEASED = 2


class LimitLaw(Table):
    """What hard limits restrict in a request (Control.LIMIT_LAW): the velocities at the end of a step, a change of
    velocities by an impulse, or accelerations."""

    STEP = 0
    IMPULSE = 1
    ACCELERATION = 2


class Request(Table):
    """What an integrator requests from the solver mode (bits of Control.REQUEST)."""

    # FACTOR factors the system, SOLVE solves it for Work.force and Work.row, WRENCHES also finds the joint wrenches;
    # without WRENCHES a mode leaves Work.wrench unchanged. PULL_NOW adds the forces of grabs, which are found together
    # with the solution; no mode sees it. LIMIT_NOW asks for a solution that satisfies the hard limits. ALONG lets a
    # mode leave out bodies: the right-hand side is zero, and the velocities are needed, only for the bodies listed in
    # Work.along, in ascending order and with all their ancestors. CONTACT_ROWS goes from the anticipation to the
    # driver: the contacts must look at the answer.
    DONE = 0
    FACTOR = 1
    SOLVE = 2
    WRENCHES = 4
    PULL_NOW = 8
    LIMIT_NOW = 16
    ALONG = 32
    CONTACT_ROWS = 64
    SUBSTEP = 4096  # of what redoes a step, to the driver: the integrator takes its next substep
    # The next five go from the anticipation to `fused` only (solvers/fused_columns.py), which does them in this order:
    # reduce the right-hand side, and stop; reduce the columns of the links' rows; multiply the columns to the matrix;
    # find J_a v from the reduced right-hand side; find the velocities with the forces of the multipliers.
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
    """The integrators (Control.INTEGRATOR). `SCHEMES` describes them."""

    TRBDF2 = 0
    IMPLICIT = 1
    HERNANDEZ = 2
    RATTLE = 3
    RATTLE4 = 4
    RK4 = 5
    EXPLICIT = 6


class Scheme(NamedTuple):
    """The properties of an integrator on which the rest of a step depends."""

    # The file of physics/integrators with the unit `advance(m, s, w)`, which makes its step.
    file: str
    # Its order. A step of fourth order has another measure of its error (integrators/tally.py).
    order: int
    # How large the error of a (sub)step may be, as the sum of m e^2 over the kinetic energy, with the defect e of the
    # trapezium rule for the centre of mass of each body. That is off by h^2 u''/12, which is (h w)^2/12 of a velocity
    # that rotates at the rate w. With these limits a hundred links that fall from level and whip keep their energy to a
    # hundredth for ten seconds. 0: its steps are not judged by their error.
    error: float = 0.0
    # Its step does not know contacts and hard limits: islands with a contact or a limit are stepped by `implicit`.
    leaves_contacts: bool = False
    # A body may fall asleep: the integrator leaves a body at rest where it is.
    sleeps: bool = False
    # Its step is composed of five, one of which goes back in time.
    composed: bool = False
    # The largest gap [m or rad] that its step leaves to the next one by design; 0: each step closes its joints.
    open_gap: float = 0.0
    # The lazily compiled kernels that it calls beside those of the figure: pairs of a group of the figure and the group
    # that the integrator needs for it (driver/needs.py).
    groups: tuple[tuple[str, str], ...] = ()


# One entry for each code of `Integrator`, in their order. An integrator is its file and its entry here.
SCHEMES = {
    "trbdf2": Scheme(
        "trbdf2", order=2, error=4e-7, leaves_contacts=True, sleeps=True, groups=(("scales", "trbdf2 scales"),)
    ),
    "implicit": Scheme("implicit", order=1, sleeps=True),
    "hernandez": Scheme("implicit", order=1, sleeps=True, open_gap=1e-2),
    "rattle": Scheme("rattle", order=2, error=6e-6, leaves_contacts=True, groups=(("rotors", "rattle rotors"),)),
    "rattle4": Scheme(
        "rattle", order=4, error=2e-6, leaves_contacts=True, composed=True, groups=(("rotors", "rattle rotors"),)
    ),
    "rk4": Scheme("rk4", order=4, error=5e-7, leaves_contacts=True),
    "explicit": Scheme("implicit", order=1, sleeps=True),
}  # fmt: skip

INTEGRATORS = tuple(SCHEMES)
if any(getattr(Integrator, name.upper(), None) != code for code, name in enumerate(INTEGRATORS)):
    raise ValueError("every integrator needs a code in `Integrator`, equal to its place in `SCHEMES`")

# The same by code, for kernels: a kernel reads SCHEME_ORDER[control[Control.INTEGRATOR]].
SCHEME_ORDER = tuple(scheme.order for scheme in SCHEMES.values())
SCHEME_ERROR = tuple(scheme.error for scheme in SCHEMES.values())
SCHEME_LEAVES_CONTACTS = tuple(scheme.leaves_contacts for scheme in SCHEMES.values())
SCHEME_SLEEPS = tuple(scheme.sleeps for scheme in SCHEMES.values())
SCHEME_COMPOSED = tuple(scheme.composed for scheme in SCHEMES.values())
SCHEME_OPEN_GAP = tuple(scheme.open_gap for scheme in SCHEMES.values())


class Order(Table):
    """The orders (Control.ORDER): dynamic, or kinematic (posing without inertia)."""

    DYNAMIC = 0
    KINEMATIC = 1


class Correction(Table):
    """How joints are kept closed (Control.CORRECTION). The codes are in the order of CORRECTIONS."""

    SHAKE = 0
    FEEDBACK = 1
    COORDINATES = 2


class StepTask(Table):
    """The tasks that the driver gives to `integrators.stepping` (Control.STEP_TASK)."""

    REFRESH = 0
    BEGIN_STEP = 1
    JUDGE = 2
    START_FIRST_ORDER = 3
    START_OVER = 4
    PASS_BY = 5


class Verdict(Table):
    """The results of `integrators.stepping` for the task JUDGE."""

    REJECTED = 0
    ACCEPTED = 1


class RedoTask(Table):
    """The tasks that the driver gives to `integrators.redoing` (Control.REDO_TASK). The first four follow each other in
    this order, and HUSH comes before each answer."""

    TIE = 0
    SORT_OUT = 1
    KEEP = 2
    GO_ON = 3
    HUSH = 4


class PartsTask(Table):
    """The tasks that the driver gives to `integrators.parting` (Control.PARTS_TASK)."""

    JOIN = 0
    DIVIDE = 1
    EXCHANGE = 2
    UNITE = 3


class LinksTask(Table):
    """The tasks that the driver gives to `links.anticipation` (Control.LINKS_TASK)."""

    BEGIN = 0
    GO_ON = 1
    LOOK = 2


class Status(Table):
    """Codes of Control.STATUS. RUNNING means that the run can continue, and NOT_FINITE that the state is not finite. A
    positive number i + 1 means that the run cannot continue at body i."""

    RUNNING = 0
    NOT_FINITE = -1
