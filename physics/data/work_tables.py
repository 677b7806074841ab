"""The columns of the arrays of `Work`, and their codes. A step writes these arrays."""

from physics.compiler.table import Table, column

ANTICIPATION_STEPS = ("factor", "columns", "free", "matrix", "multipliers", "final")


class MeanWrench(Table, array="Work.mean_wrench", rows="n + k"):
    """Work.mean_wrench (n + k, 12): the mean joint wrenches of the step. They are valid if Control.FOLLOWED is set.
    `Work` owns it."""

    WRENCH = column(
        "mean joint wrench (force, moment) over the step, on the child at its anchor, in world axes", "N and N m", 6
    )
    ASIDE = column(
        "mean joint wrench that is kept while a composed substep is tried, on the child at its anchor", "N and N m", 6
    )


class Pulls(Table, array="Work.pull", rows="grabs"):
    """Work.pull (grabs, Pulls.WIDTH): each grab in the present stage. Angular quantities are multiplied by Grabs.REACH,
    so that all six numbers have the same unit. `Work` owns it."""

    OFFSET = column("offset of the point from its target (3), and of the orientation, times Grabs.REACH (3)", "m", 6)
    RATE = column("velocity of the point (3), and angular velocity times Grabs.REACH (3), before the stage", "m/s", 6)
    MEAN_PULL = column("mean force (3) and torque (3) over the step", "N and N m", 6)
    FIRST = column("first row of the grab in `Auxiliary`")
    SOFTNESS = column("compliance nu that keeps the grab's force below its largest one", "1/kg")
    HELD = column("mean force (3) and torque (3) before the present request", "N and N m", 6)
    ASIDE_PULL = column(
        "mean force (3) and torque (3) of the integrator's pass, where the step has two passes", "N and N m", 6
    )
    AIM = column("kinematic order, beside contacts: velocity to which the point is drawn", "m/s", 6)
    YIELD = column(
        "kinematic order, beside contacts: compliance matrix of the point, by columns (links/grabs.py)", "1/kg", 36
    )


class DriveWork(Table, array="Work.drive", rows="drives"):
    """Work.drive (drives, DriveWork.WIDTH): each drive in the present stage. Its law gives the effort T - (c + t K) v,
    with the damping c, the stiffness K, the time t of the stage and the velocity v. `Work` owns it."""

    ASKED_FREE = column("effort T that the law asks for at the velocity v = 0", "N m or N", 3)
    ASKED_K = column("stiffness K of the law, a packed 3x3 matrix; of an axis, its first number", "N m/rad or N/m", 6)
    LEVER = column("target spring: vector from the body's centre of mass to the point, in world axes", "m", 3)
    FRAME_RATE = column(
        "velocity of the prescribed frame under the drive, along the driven coordinates", "rad/s or m/s", 3
    )
    SHARE_D = column("what the drive adds to D of the present request, packed as `Rows.STIFF_BLOCK`", size=6)
    SHARE_PUSH = column("what the drive adds to d of the present request", size=3)
    CLIPPED = column(
        "where the law exceeds the limit at this solution: 1 or -1 on an axis, for vectors z over the limit; else 0",
        "1",
        3,
    )
    SOLVED = column("velocity v of the driven coordinates in the present solution", "rad/s or m/s", 3)
    MEAN_EFFORT = column("mean effort so far in the (sub)step", "N m or N", 3)
    STAGE_EFFORT = column("effort of the present stage, of explicit integrators", "N m or N", 3)
    ASIDE = column(
        "CLIPPED, SOLVED and MEAN_EFFORT (3 each) of the integrator's pass, where the step has two passes", size=9
    )
    ASKED_OF_PARENT = column(
        "the part of T that is fixed in the joint's parent, such as an added effort", "N m or N", 3
    )
    ASKED_OF_CHILD = column("the part of T that is fixed in the joint's child", "N m or N", 3)
    GIVEN_BEFORE = column("the part of the effort that acts without being part of the request", "N m or N", 3)
    RATE_BEFORE = column("velocity v before the request, where the request solves for a change of v", "rad/s or m/s", 3)


class Flows(Table, array="Work.flow", rows="shapes"):
    """Work.flow (shapes, Flows.WIDTH): the drag on each shape of Model.surface in the present stage. `Work` owns it."""

    FORCE = column("drag force at the velocity that was known before the stage, in world axes", "N", 3)
    STIFF = column("derivative of the drag by the velocity, a packed 3x3 matrix", "kg/s", 6)
    LEVER = column("vector from the body's centre of mass to the centre of the shape, in world axes", "m", 3)
    RATE = column("velocity of the shape's centre relative to the medium, before the stage", "m/s", 3)


class LimitWork(Table, array="Work.limit", rows="limits"):
    """Work.limit (limits, LimitWork.WIDTH): each hard limit in the present request. Row i belongs to row i of
    State.limit. `Work` owns it."""

    VALUE = column("the limited coordinate", "rad or m")
    ROW = column("rows in `Auxiliary` of the lower and of the upper end; -1 for an end that has none", size=2)
    MEAN = column("mean generalised force of the limit that the request has found", "N m or N")
    TAKEN = column("1 where the contact method has the limit as a stop (`Stops`), or the request leaves its body out")
    DONE = column("work of the limit in the present (sub)step", "J")


class Stops(Table, array="Work.stop", rows="2 limits"):
    """Work.stop (2 limits, Stops.WIDTH): those ends of hard limits that are near, as rows of the contact method
    `newton`. `Work` owns it."""

    LIMIT = column("row of the limit in State.limit")
    EDGE = column("edge of the limited joint")
    CHILD = column("index of the joint's child body")
    PARENT = column("index of the joint's parent body, below 0 where forces do not move it")
    AXIS = column("number of the joint coordinate; -1: a direction of a ball joint, whose D is a block")
    SIGN = column("1 at the lower end of the limit, -1 at the upper end")
    TWIST = column(
        "the row as a twist at the anchor with its sign; times the relative twist it is the rate of the coordinate",
        size=6,
    )
    WANTED = column("rate vhat of the coordinate that the law asks for", "rad/s or m/s")
    INVERSE = column("1/R: inertia that the coordinate moves, over the regularisation sigma", "kg m^2 or kg")
    CENTRE = column("impulse gamma_c about which the law is regularised", "N m s or N s")
    PRESCRIBED = column("rate of the coordinate that prescribed motions impose", "rad/s or m/s")
    FREE = column("D of the edge without the stop, packed as `Rows.STIFF_BLOCK`", size=6)
    IMPULSE = column("impulse gamma that the law gives at the present velocities", "N m s or N s")
    STIFFNESS = column("derivative of the impulse by the rate", "kg m^2 or kg")
    RATE = column("rate of the coordinate at the present velocities", "rad/s or m/s")
    CHANGE = column("change of the rate in the last iteration", "rad/s or m/s")
    CARRIED = column("impulse that the solution of the linear system carries at the present velocities", "N m s or N s")
    BEFORE = column("impulse that the linear system carried one iteration ago", "N m s or N s")
    ROW = column("row of the stop in `Auxiliary`, -1 where it has none (links/contact_rows.py)")


class Edges(Table, array="Work.edge", rows="n + k", width=72):
    """Work.edge (n + k, 72): the levers, the motion axes and the elimination factor of each edge, in world axes.
    Work.spare has the same columns, at another pose. The columns that most loops need for a ball joint come first.
    `Work` owns both."""

    RC = column("vector from the child's centre of mass to the anchor", "m", 3)
    RP = column("vector from the parent's centre of mass to the anchor", "m", 3)
    K_COUPLING = column("ball joint: the matrix K^-1 A_wv of the elimination, 3x3", size=9)
    K_SPRING = column("ball joint: the matrix E = K^-1 D of the elimination, 3x3", size=9, at=15)
    K_INVERSE = column("ball joint: the symmetric matrix K^-1, packed 3x3", size=6, at=24)
    K_AXES = column(
        "joint of axes: seven numbers an axis, 1/K and U = A n, behind them n of a hinge; free root: the inverse "
        "of its block in 6 + 9 + 6 numbers",
        size=24,
        at=6,
    )
    PUSHED = column(
        "symmetric 6x6 block P that the elimination adds to the parent, packed, at the anchor (at the parent's "
        "centre of mass for single axes)",
        size=21,
        at=30,
    )
    AXIS = column("motion axes, six numbers each and at most three: twists (linear, angular) at the anchor", size=18)
    # Edges with OWN_ROWS are never eliminated by axes; they use these columns for the call of their function.
    INPUT = column(
        "edge with OWN_ROWS: position and rotation matrix of a, then of b, with which its function is called",
        size=24,
        at=6,
    )
    OUTPUT = column("edge with OWN_ROWS: the values of its function", size=6, at=30)
    MOVING = column("edge with OWN_ROWS, a function of velocities: twists of a, then of b", "m/s and rad/s", 12, at=36)


class Turned(Table, array="Work.spare", rows="n + k"):
    """Work.spare (n + k, 72) for joints that springs span: the joint's own axes, while other axes replace them during
    the answer of a solver mode (forces/tree_springs.py). `Work` owns it."""

    TURNED = column("1 while the axes are exchanged for others, else 0", at=6)
    TURNED_AXES = column("the joint's own motion axes, six numbers each and at most three", size=18)
    TURNED_ROW = column("the joint's own D (6) and d (3)", size=9)


class ConstraintRows(Table, array="Work.rows", rows="n + k"):
    """Work.rows (n + k, 36 or 108): the constraint rows T of each edge, at most six twists at the anchor.
    Work.spare_rows has the same columns, at another pose. The two quantities below exist only if some edge has
    OWN_ROWS. `Work` owns both."""

    CHILD_ROWS = column(
        "edge with OWN_ROWS: Jacobian of the child, six numbers for each constraint row", size=36, at=36
    )
    PARENT_ROWS = column("edge with OWN_ROWS: Jacobian of the parent, six numbers for each constraint row", size=36)


class Frames(Table, array="Work.frame", rows="frames"):
    """Work.frame (frames, 28): the bodies whose motion is prescribed, at the time of the present stage. `Work` owns
    it."""

    POSITION = column("position of the frame's origin, in world axes", "m", 3)
    QUATERNION = column("orientation of the frame, a unit quaternion, frame to world", "1", 4)
    ROTATION = column("orientation of the frame, the rotation matrix of QUATERNION", "1", 9)
    VELOCITY = column("linear (3) and angular (3) velocity of the frame, in world axes", "m/s and rad/s", 6)
    ACCELERATION = column("linear (3) and angular (3) acceleration of the frame, in world axes", "m/s^2 and rad/s^2", 6)


class Rows(Table, array="Work.row", rows="n + k", width=16):
    """Work.row (n + k, 16): the stiffness D, the push d and the right-hand side b of each edge in the present request.
    A cache line starts at the column PUSH. `Work` owns it."""

    STIFF_BLOCK = column("D: of a ball a packed 3x3 matrix in world axes, of other joints one number an axis", size=6)
    PUSH = column("d: impulse along the joint's axes, of a ball in world axes", "N s or N m s", 3)
    RIGHT_HAND_SIDE = column(
        "b: prescribed twist of the child's anchor relative to the parent's anchor, in world axes", "m/s and rad/s", 6
    )


class Reduced(Table, array="Work.reduced", rows="n"):
    """Work.reduced (n, 9): a right-hand side after the mode `fused` has swept from the leaves to the roots. `Work` owns
    it."""

    RATE = column("u: rates of the edge's axes with the parent at rest", "rad/s or m/s", 3)
    LOAD = column("h: impulse that the elimination adds to the parent", "N s and N m s", 6)


class Springs(Table, array="Work.spring", rows="n + k"):
    """Work.spring (n + k, 19): the springs of each edge at one pose. Stiffness and damping are packed like
    `Rows.STIFF_BLOCK`. `Work` owns it."""

    COORDINATE = column("joint coordinates; of a ball, the rotation vector of its spring", "rad or m", 3)
    TORQUE = column("elastic torque or force along the axes, of a ball in world axes, without damping", "N m or N", 3)
    K = column(
        "stiffness: of a ball a packed 3x3 matrix in world axes, of other joints one number an axis",
        "N m/rad or N/m",
        6,
    )
    C = column(
        "damping: of a ball a packed 3x3 matrix in world axes, of other joints one number an axis",
        "N m s/rad or N s/m",
        6,
    )
    POTENTIAL = column("elastic energy of the edge's springs", "J")


class Clock(Table, array="Work.clock"):
    """Work.clock (8,), whole numbers: the time that the anticipation took. The first six numbers are the sums for its
    steps (`AnticipationStep`). `Work` owns it."""

    LAST_TICK = column("reading of the processor's clock when time was last added to a sum", "ticks", at=6)
    RUNNING_STEP = column("the step (`AnticipationStep`) to which the ticks since LAST_TICK belong")


class Rotors(Table, array="Work.rotor", rows="n + k"):
    """Work.rotor (n + k, 12): the rates of the axes that have a rotor. `Work` owns it."""

    RATE = column(
        "rates q' of the coordinates in the measured state, then as the integrator needs them", "rad/s or m/s", 3
    )
    MOMENTUM = column("momentum over inertia, p / I, of the next right-hand side", "rad/s or m/s", 3)
    START = column("coordinates at the start of the step", "rad or m", 3)
    SUM = column("change of the coordinates that the correction sweeps have added so far", "rad or m", 3)


class Stretch(Table, array="Work.stretch", rows="n + k"):
    """Work.stretch (n + k, 18): how anchors move with the scales of their bodies. If no body is scaled, it has only one
    number, which is not used. `Work` owns it."""

    CHILD = column(
        "matrix R diag(a) of the child, with a its anchor at scale 1; zero where the child has no scale", "m", 9
    )
    PARENT = column(
        "matrix R diag(a) of the parent, with a its anchor at scale 1; zero where the parent has no scale", "m", 9
    )


class Tally(Table, array="Work.tally", rows="n"):
    """Work.tally (n, 9): sums over each island, by which the guard judges a step. They are in the row of the body that
    represents the island. `Work` owns it."""

    DEFECT = column(
        "sum of m |e|^2, e the error of the trapezium rule for centres of mass; of fourth order, |e|^3 / |v|", "J"
    )
    KINETIC_SUM = column("kinetic energy at the end of the step", "J")
    KINETIC_BEFORE = column("kinetic energy at the start of the step", "J")
    GAINED = column("change of the total energy in the step", "J")
    FASTEST = column("largest squared angular speed at the end of the step", "rad^2/s^2")
    WIDEST = column("largest gap of a joint", "m or rad")
    WILD = column("1 where some number is not finite, else 0")
    STORED = column("elastic energy at the end of the step", "J")
    FASTEST_BEFORE = column("largest squared angular speed at the start of the step", "rad^2/s^2")


class AnticipationStep(Table):
    """The steps of the anticipation [Baraff96, section 8.2] whose times are in Work.clock. Solver modes perform the
    first three and the last."""

    FACTOR = 0
    COLUMNS = 1
    FREE = 2
    MATRIX = 3
    MULTIPLIER = 4
    FINAL = 5


class Shared(Table):
    """The sizes of Work.shared (rows, 12), which contains the data of conditions on several bodies."""

    # A condition with n bodies has the following rows from Model.joint[Joints.STORE] on, in this order:
    #   n rows with the position (3) and rotation matrix (9) of each body,
    #   n rows with the velocities (6) of the bodies, one behind the other,
    #   these 2 n rows again, at another pose,
    #   one row with the values of the function (6) and those at the other pose (6),
    #   3 n rows with the Jacobian, 36 numbers a body, and 3 n rows with the forces, 36 numbers a body,
    #   these 6 n rows again, at the other pose.
    WIDTH = 12
    ROWS_OF_MEMBER = 16  # rows for each body; a condition has one more, for its values


class Stash(Table):
    """The widths of Work.stash (n, Stash.PLAIN or Stash.SCALED), and its first column for scales. There an integrator
    stores data of each body between two requests."""

    PLAIN = 20
    SCALES = 20  # the first of 12 columns for the scales, in scenes with a scaled body
    SCALED = 32
