"""The columns of the arrays of `Work`, and their codes. A step writes these arrays."""

from physics.compiler.table import Table, column

ANTICIPATION_STEPS = ("factor", "columns", "free", "matrix", "multipliers", "final")


class MeanWrench(Table, array="Work.mean_wrench", rows="n + k"):
    """Work.mean_wrench (n + k, 12): the mean joint wrenches of the step. They are valid if Control.FOLLOWED is set.
    `Work` owns it."""

    WRENCH = column(
        6,
        "mean joint wrench (force, moment) over the step, on the child at its anchor, in world axes",
        unit="N and N m",
    )
    ASIDE = column(
        6,
        "mean joint wrench that is kept while a composed substep is tried, on the child at its anchor",
        unit="N and N m",
    )


class Pulls(Table, array="Work.pull", rows="grabs"):
    """Work.pull (grabs, Pulls.WIDTH): each grab in the present stage. Angular quantities are multiplied by Grabs.REACH,
    so that all six numbers have the same unit. `Work` owns it."""

    OFFSET = column(
        6,
        "offset of the point from its target (3), and of the orientation, times Grabs.REACH (3)",
        unit="m",
    )
    RATE = column(
        6,
        "velocity of the point (3), and angular velocity times Grabs.REACH (3), before the stage",
        unit="m/s",
    )
    MEAN_PULL = column(6, "mean force (3) and torque (3) over the step", unit="N and N m")
    FIRST = column(1, "first row of the grab in `Auxiliary`")
    SOFTNESS = column(1, "compliance nu that keeps the grab's force below its largest one", unit="1/kg")
    HELD = column(6, "mean force (3) and torque (3) before the present request", unit="N and N m")
    ASIDE_PULL = column(
        6,
        "mean force (3) and torque (3) of the integrator's pass, where the step has two passes",
        unit="N and N m",
    )
    AIM = column(6, "kinematic order, beside contacts: velocity to which the point is drawn", unit="m/s")
    YIELD = column(
        36,
        "kinematic order, beside contacts: compliance matrix of the point, by columns (links/grabs.py)",
        unit="1/kg",
    )


class DriveWork(Table, array="Work.drive", rows="drives"):
    """Work.drive (drives, DriveWork.WIDTH): each drive in the present stage. Its law gives the effort T - (c + t K) v,
    with the damping c, the stiffness K, the time t of the stage and the velocity v. `Work` owns it."""

    ASKED_FREE = column(3, "effort T that the law asks for at the velocity v = 0", unit="N m or N")
    ASKED_K = column(
        6,
        "stiffness K of the law, a packed 3x3 matrix; of an axis, its first number",
        unit="N m/rad or N/m",
    )
    LEVER = column(3, "target spring: vector from the body's centre of mass to the point, in world axes", unit="m")
    FRAME_RATE = column(
        3,
        "velocity of the prescribed frame under the drive, along the driven coordinates",
        unit="rad/s or m/s",
    )
    SHARE_D = column(6, "what the drive adds to D of the present request, packed as `Rows.STIFF_BLOCK`")
    SHARE_PUSH = column(3, "what the drive adds to d of the present request")
    CLIPPED = column(
        3,
        "where the law exceeds the limit at this solution: 1 or -1 on an axis, for vectors z over the limit; else 0",
        unit="1",
    )
    SOLVED = column(3, "velocity v of the driven coordinates in the present solution", unit="rad/s or m/s")
    MEAN_EFFORT = column(3, "mean effort so far in the (sub)step", unit="N m or N")
    STAGE_EFFORT = column(3, "effort of the present stage, of explicit integrators", unit="N m or N")
    ASIDE = column(
        9,
        "CLIPPED, SOLVED and MEAN_EFFORT (3 each) of the integrator's pass, where the step has two passes",
    )
    ASKED_OF_PARENT = column(
        3,
        "the part of T that is fixed in the joint's parent, such as an added effort",
        unit="N m or N",
    )
    ASKED_OF_CHILD = column(3, "the part of T that is fixed in the joint's child", unit="N m or N")
    GIVEN_BEFORE = column(3, "the part of the effort that acts without being part of the request", unit="N m or N")
    RATE_BEFORE = column(
        3,
        "velocity v before the request, where the request solves for a change of v",
        unit="rad/s or m/s",
    )


class Flows(Table, array="Work.flow", rows="shapes"):
    """Work.flow (shapes, Flows.WIDTH): the drag on each shape of Model.surface in the present stage. `Work` owns it."""

    FORCE = column(3, "drag force at the velocity that was known before the stage, in world axes", unit="N")
    STIFF = column(6, "derivative of the drag by the velocity, a packed 3x3 matrix", unit="kg/s")
    LEVER = column(3, "vector from the body's centre of mass to the centre of the shape, in world axes", unit="m")
    RATE = column(3, "velocity of the shape's centre relative to the medium, before the stage", unit="m/s")


class LimitWork(Table, array="Work.limit", rows="limits"):
    """Work.limit (limits, LimitWork.WIDTH): each hard limit in the present request. Row i belongs to row i of
    State.limit. `Work` owns it."""

    VALUE = column(1, "the limited coordinate", unit="rad or m")
    ROW = column(2, "rows in `Auxiliary` of the lower and of the upper end; -1 for an end that has none")
    MEAN = column(1, "mean generalised force of the limit that the request has found", unit="N m or N")
    TAKEN = column(
        1,
        "1 where the contact method has the limit as a stop (`Stops`), or the request leaves its body out",
    )
    DONE = column(1, "work of the limit in the present (sub)step", unit="J")


class Stops(Table, array="Work.stop", rows="2 limits"):
    """Work.stop (2 limits, Stops.WIDTH): those ends of hard limits that are near, as rows of the contact method
    `newton`. `Work` owns it."""

    LIMIT = column(1, "row of the limit in State.limit")
    EDGE = column(1, "edge of the limited joint")
    CHILD = column(1, "index of the joint's child body")
    PARENT = column(1, "index of the joint's parent body, below 0 where forces do not move it")
    AXIS = column(1, "number of the joint coordinate; -1: a direction of a ball joint, whose D is a block")
    SIGN = column(1, "1 at the lower end of the limit, -1 at the upper end")
    TWIST = column(
        6,
        "the row as a twist at the anchor with its sign; times the relative twist it is the rate of the coordinate",
    )
    WANTED = column(1, "rate vhat of the coordinate that the law asks for", unit="rad/s or m/s")
    INVERSE = column(1, "1/R: inertia that the coordinate moves, over the regularisation sigma", unit="kg m^2 or kg")
    CENTRE = column(1, "impulse gamma_c about which the law is regularised", unit="N m s or N s")
    PRESCRIBED = column(1, "rate of the coordinate that prescribed motions impose", unit="rad/s or m/s")
    FREE = column(6, "D of the edge without the stop, packed as `Rows.STIFF_BLOCK`")
    IMPULSE = column(1, "impulse gamma that the law gives at the present velocities", unit="N m s or N s")
    STIFFNESS = column(1, "derivative of the impulse by the rate", unit="kg m^2 or kg")
    RATE = column(1, "rate of the coordinate at the present velocities", unit="rad/s or m/s")
    CHANGE = column(1, "change of the rate in the last iteration", unit="rad/s or m/s")
    CARRIED = column(
        1,
        "impulse that the solution of the linear system carries at the present velocities",
        unit="N m s or N s",
    )
    BEFORE = column(1, "impulse that the linear system carried one iteration ago", unit="N m s or N s")
    ROW = column(1, "row of the stop in `Auxiliary`, -1 where it has none (links/contact_rows.py)")


class Edges(Table, array="Work.edge", rows="n + k", width=72):
    """Work.edge (n + k, 72): the levers, the motion axes and the elimination factor of each edge, in world axes.
    Work.spare has the same columns, at another pose. The columns that most loops need for a ball joint come first.
    `Work` owns both."""

    RC = column(3, "vector from the child's centre of mass to the anchor", unit="m")
    RP = column(3, "vector from the parent's centre of mass to the anchor", unit="m")
    K_COUPLING = column(9, "ball joint: the matrix K^-1 A_wv of the elimination, 3x3")
    K_SPRING = column(9, "ball joint: the matrix E = K^-1 D of the elimination, 3x3", at=15)
    K_INVERSE = column(6, "ball joint: the symmetric matrix K^-1, packed 3x3", at=24)
    K_AXES = column(
        24,
        "joint of axes: seven numbers an axis, 1/K and U = A n, behind them n of a hinge; free root: the inverse "
        "of its block in 6 + 9 + 6 numbers",
        at=6,
    )
    PUSHED = column(
        21,
        "symmetric 6x6 block P that the elimination adds to the parent, packed, at the anchor (at the parent's "
        "centre of mass for single axes)",
        at=30,
    )
    AXIS = column(18, "motion axes, six numbers each and at most three: twists (linear, angular) at the anchor")
    # Edges with OWN_ROWS are never eliminated by axes; they use these columns for the call of their function.
    INPUT = column(
        24,
        "edge with OWN_ROWS: position and rotation matrix of a, then of b, with which its function is called",
        at=6,
    )
    OUTPUT = column(6, "edge with OWN_ROWS: the values of its function", at=30)
    MOVING = column(
        12,
        "edge with OWN_ROWS, a function of velocities: twists of a, then of b",
        unit="m/s and rad/s",
        at=36,
    )


class Turned(Table, array="Work.spare", rows="n + k"):
    """Work.spare (n + k, 72) for joints that springs span: the joint's own axes, while other axes replace them during
    the answer of a solver mode (forces/tree_springs.py). `Work` owns it."""

    TURNED = column(1, "1 while the axes are exchanged for others, else 0", at=6)
    TURNED_AXES = column(18, "the joint's own motion axes, six numbers each and at most three")
    TURNED_ROW = column(9, "the joint's own D (6) and d (3)")


class ConstraintRows(Table, array="Work.rows", rows="n + k"):
    """Work.rows (n + k, 36 or 108): the constraint rows T of each edge, at most six twists at the anchor.
    Work.spare_rows has the same columns, at another pose. The two quantities below exist only if some edge has
    OWN_ROWS. `Work` owns both."""

    CHILD_ROWS = column(36, "edge with OWN_ROWS: Jacobian of the child, six numbers for each constraint row", at=36)
    PARENT_ROWS = column(36, "edge with OWN_ROWS: Jacobian of the parent, six numbers for each constraint row")


class Frames(Table, array="Work.frame", rows="frames"):
    """Work.frame (frames, 28): the bodies whose motion is prescribed, at the time of the present stage. `Work` owns
    it."""

    POSITION = column(3, "position of the frame's origin, in world axes", unit="m")
    QUATERNION = column(4, "orientation of the frame, a unit quaternion, frame to world", unit="1")
    ROTATION = column(9, "orientation of the frame, the rotation matrix of QUATERNION", unit="1")
    VELOCITY = column(6, "linear (3) and angular (3) velocity of the frame, in world axes", unit="m/s and rad/s")
    ACCELERATION = column(
        6,
        "linear (3) and angular (3) acceleration of the frame, in world axes",
        unit="m/s^2 and rad/s^2",
    )


class Rows(Table, array="Work.row", rows="n + k", width=16):
    """Work.row (n + k, 16): the stiffness D, the push d and the right-hand side b of each edge in the present request.
    A cache line starts at the column PUSH. `Work` owns it."""

    STIFF_BLOCK = column(6, "D: of a ball a packed 3x3 matrix in world axes, of other joints one number an axis")
    PUSH = column(3, "d: impulse along the joint's axes, of a ball in world axes", unit="N s or N m s")
    RIGHT_HAND_SIDE = column(
        6,
        "b: prescribed twist of the child's anchor relative to the parent's anchor, in world axes",
        unit="m/s and rad/s",
    )


class Reduced(Table, array="Work.reduced", rows="n"):
    """Work.reduced (n, 9): a right-hand side after the mode `fused` has swept from the leaves to the roots. `Work` owns
    it."""

    RATE = column(3, "u: rates of the edge's axes with the parent at rest", unit="rad/s or m/s")
    LOAD = column(6, "h: impulse that the elimination adds to the parent", unit="N s and N m s")


class Springs(Table, array="Work.spring", rows="n + k"):
    """Work.spring (n + k, 19): the springs of each edge at one pose. Stiffness and damping are packed like
    `Rows.STIFF_BLOCK`. `Work` owns it."""

    COORDINATE = column(3, "joint coordinates; of a ball, the rotation vector of its spring", unit="rad or m")
    TORQUE = column(
        3,
        "elastic torque or force along the axes, of a ball in world axes, without damping",
        unit="N m or N",
    )
    K = column(
        6,
        "stiffness: of a ball a packed 3x3 matrix in world axes, of other joints one number an axis",
        unit="N m/rad or N/m",
    )
    C = column(
        6,
        "damping: of a ball a packed 3x3 matrix in world axes, of other joints one number an axis",
        unit="N m s/rad or N s/m",
    )
    POTENTIAL = column(1, "elastic energy of the edge's springs", unit="J")


class Clock(Table, array="Work.clock"):
    """Work.clock (8,), whole numbers: the time that the anticipation took. The first six numbers are the sums for its
    steps (`AnticipationStep`). `Work` owns it."""

    LAST_TICK = column(1, "reading of the processor's clock when time was last added to a sum", unit="ticks", at=6)
    RUNNING_STEP = column(1, "the step (`AnticipationStep`) to which the ticks since LAST_TICK belong")


class Rotors(Table, array="Work.rotor", rows="n + k"):
    """Work.rotor (n + k, 12): the rates of the axes that have a rotor. `Work` owns it."""

    RATE = column(
        3,
        "rates q' of the coordinates in the measured state, then as the integrator needs them",
        unit="rad/s or m/s",
    )
    MOMENTUM = column(3, "momentum over inertia, p / I, of the next right-hand side", unit="rad/s or m/s")
    START = column(3, "coordinates at the start of the step", unit="rad or m")
    SUM = column(3, "change of the coordinates that the correction sweeps have added so far", unit="rad or m")


class Stretch(Table, array="Work.stretch", rows="n + k"):
    """Work.stretch (n + k, 18): how anchors move with the scales of their bodies. If no body is scaled, it has only one
    number, which is not used. `Work` owns it."""

    CHILD = column(
        9,
        "matrix R diag(a) of the child, with a its anchor at scale 1; zero where the child has no scale",
        unit="m",
    )
    PARENT = column(
        9,
        "matrix R diag(a) of the parent, with a its anchor at scale 1; zero where the parent has no scale",
        unit="m",
    )


class Tally(Table, array="Work.tally", rows="n"):
    """Work.tally (n, 9): sums over each island, by which the guard judges a step. They are in the row of the body that
    represents the island. `Work` owns it."""

    DEFECT = column(
        1,
        "sum of m |e|^2, e the error of the trapezium rule for centres of mass; of fourth order, |e|^3 / |v|",
        unit="J",
    )
    KINETIC_SUM = column(1, "kinetic energy at the end of the step", unit="J")
    KINETIC_BEFORE = column(1, "kinetic energy at the start of the step", unit="J")
    GAINED = column(1, "change of the total energy in the step", unit="J")
    FASTEST = column(1, "largest squared angular speed at the end of the step", unit="rad^2/s^2")
    WIDEST = column(1, "largest gap of a joint", unit="m or rad")
    WILD = column(1, "1 where some number is not finite, else 0")
    STORED = column(1, "elastic energy at the end of the step", unit="J")
    FASTEST_BEFORE = column(1, "largest squared angular speed at the start of the step", unit="rad^2/s^2")


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
