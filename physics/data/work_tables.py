"""Columns of the arrays of `Work`: what a step writes."""

from physics.compiler.table import Table, column

ANTICIPATION_STEPS = ("factor", "columns", "free", "matrix", "multipliers", "final")


class MeanWrench(Table, array="Work.mean_wrench", rows="n + k"):
    """Work.mean_wrench: the mean of the step, where Control.FOLLOWED"""

    WRENCH = column(6, "joint wrench on the child at its anchor, on the mean of the step", unit="N and N m")
    ASIDE = column(6, "the same at the start of a composed substep")


class Pulls(Table, array="Work.pull", rows="grabs"):
    """Work.pull: a grab in the present stage"""

    OFFSET = column(6, "of the point from its target, turn times GRAB_REACH")
    RATE = column(6, "of the point before the stage, the same units")
    MEAN_PULL = column(6, "mean force and torque over the step")
    FIRST = column(1, "its first row in Work.auxiliary")
    SOFTNESS = column(1, "nu")
    HELD = column(6, "the mean pull before the present request")
    ASIDE_PULL = column(6, "of the integrator's pass, where the step is parted (physics/integrators/parting.py)")
    AIM = column(6, "posing beside contacts: velocity that the point is drawn to")
    YIELD = column(36, "and how it yields, by columns, 1/kg (physics/links/grabs.py)")


class DriveWork(Table, array="Work.drive", rows="drives"):
    """Work.drive: a drive in the present stage"""

    ASKED_FREE = column(3, "T of the law T - (c + t K) v")
    ASKED_K = column(6, "stiffness K, packed 3x3 (of an axis the first)")
    LEVER = column(3, "from the centre of mass to the point")
    FRAME_RATE = column(3, "rate of what moves as told under it")
    SHARE_D = column(6, "what it has in D and d of the present request")
    SHARE_PUSH = column(3, "")
    CLIPPED = column(3, "as DRIVE_CLIPPED")
    SOLVED = column(3, "as DRIVE_SOLVED")
    MEAN_EFFORT = column(3, "mean effort so far in the (sub)step")
    STAGE_EFFORT = column(3, "of explicit integrators")
    ASIDE = column(9, "the columns from CLIPPED on, of the integrator's pass, where the step is parted")
    ASKED_OF_PARENT = column(3, "of T what is fixed in the joint's parent, such as an effort")
    ASKED_OF_CHILD = column(3, "and in its child")
    GIVEN_BEFORE = column(3, "of its effort what acts without being part of the request")
    RATE_BEFORE = column(3, "v before the request, where that solves for a change of v or for a kick")


class Flows(Table, array="Work.flow", rows="shapes"):
    """Work.flow: such a shape in the present stage"""

    FORCE = column(3, "at the velocity that was known before it")
    STIFF = column(6, "packed 3x3")
    LEVER = column(3, "")
    RATE = column(3, "that velocity, of its centre relative to the medium")


class LimitWork(Table, array="Work.limit", rows="limits"):
    """Work.limit: the same in the present request"""

    VALUE = column(1, "the coordinate")
    ROW = column(2, "its rows in Work.auxiliary, at the lower and at the upper end; -1 for none")
    MEAN = column(1, "force that it has found")
    TAKEN = column(1, "the present request has it as a stop")
    DONE = column(1, "its work in the present (sub)step", unit="J")


class Stops(Table, array="Work.stop", rows="2 limits"):
    """Work.stop: limits near, as rows of the contact method"""

    LIMIT = column(1, "which limit")
    EDGE = column(1, "")
    CHILD = column(1, "")
    PARENT = column(1, "")
    AXIS = column(1, "number of the joint coordinate; -1: of a ball joint, where D is a block")
    SIGN = column(1, "1 at the lower end, -1 at the upper")
    TWIST = column(6, "the row as a twist at the anchor, signed: its product with the relative twist is the rate")
    WANTED = column(1, "vhat")
    INVERSE = column(1, "1/R, the inertia that the coordinate moves, over sigma")
    CENTRE = column(1, "gamma_c")
    TOLD = column(1, "rate that prescribed motions give the coordinate")
    FREE = column(6, "D of the edge without it")
    IMPULSE = column(1, "the rest as of a contact (data/contact_layout.py)")
    STIFFNESS = column(1, "")
    RATE = column(1, "")
    CHANGE = column(1, "")
    CARRIED = column(1, "")
    BEFORE = column(1, "")
    ROW = column(1, "its row in Work.auxiliary, -1: none (links/contact_rows.py)")


class Edges(Table, array="Work.edge", rows="n + k", width=72):
    """Work.edge: geometry and factor of the inbound edge"""

    # What a ball joint needs is on end, in the order in which fewer and fewer passes need it: few cache lines a body.
    RC = column(3, "from the child's centre of mass to the anchor")
    RP = column(3, "from the parent's centre of mass to the anchor")
    K_COUPLING = column(1, "ball: 9, K^-1 wv")
    K_SPRING = column(1, "ball: 9, E = K^-1 D", at=15)
    K_INVERSE = column(1, "ball: 6, packed K^-1", at=24)
    K_AXES = column(
        1,
        "axes: 7 a dof, 1/K and U = A n (a hinge: n behind them); free: 21, the inverted root block",
        at=6,
    )
    PUSHED = column(21, "the block P handed to the parent, at the anchor", at=30)
    AXIS = column(18, "6 a dof, at most 3: motion axes, twist (linear, angular) at the anchor")
    # edges with OWN_ROWS, which are never reduced, have here what their function is called with
    INPUT = column(24, "position and rotation matrix of a, then of b", at=6)
    OUTPUT = column(6, "its values", at=30)
    MOVING = column(12, "of a function of velocities, twists of a, then of b", at=36)


class Turned(Table, array="Work.spare", rows="n + k"):
    """Work.spare: Work.spare of joints that springs lie across"""

    TURNED = column(1, "its axes are exchanged for others, while a solver mode answers", at=6)
    TURNED_AXES = column(18, "its own")
    TURNED_ROW = column(9, "its own D and d")


class ConstraintRows(Table, array="Work.rows", rows="n + k"):
    """Work.rows: the constraint rows T, six numbers each"""

    CHILD_ROWS = column(
        36,
        "where OWN_ROWS, the Jacobian of the child, a row of six numbers for each constraint row",
        at=36,
    )
    PARENT_ROWS = column(36, "and of the parent")


class Frames(Table, array="Work.frame", rows="frames"):
    """Work.frame: bodies whose motion is prescribed"""

    POSITION = column(3, "")
    QUATERNION = column(4, "")
    ROTATION = column(9, "")
    VELOCITY = column(6, "linear, angular")
    ACCELERATION = column(6, "")


class Rows(Table, array="Work.row", rows="n + k", width=16):
    """Work.row: right-hand side and stiffness of the edge"""

    STIFF_BLOCK = column(6, "D; ball packed 3x3 in world axes, others one number a dof")
    PUSH = column(
        3,
        "d, impulse along the joint's axes (ball: world axes). A cache line starts here (physics/build/build.py)",
    )
    RIGHT_HAND_SIDE = column(6, "b, prescribed twist of the child's anchor relative to the parent's")


class Reduced(Table, array="Work.reduced", rows="n"):
    """Work.reduced: a right-hand side, reduced"""

    RATE = column(3, "u")
    LOAD = column(6, "h")


class Springs(Table, array="Work.spring", rows="n + k"):
    """Work.spring: springs of the edge at one pose"""

    COORDINATE = column(3, "")
    TORQUE = column(3, "elastic torque or force along the axes (ball: world axes); damping is not in it")
    K = column(6, "stiffness, layout of STIFF_BLOCK")
    C = column(6, "damping, the same layout")
    POTENTIAL = column(1, "elastic energy", unit="J")


class Clock(Table, array="Work.clock"):
    """Work.clock: ticks that the anticipation took"""

    LAST_TICK = column(1, "", at=6)
    RUNNING_STEP = column(1, "what the ticks since LAST_TICK belong to")


class Rotors(Table, array="Work.rotor", rows="n + k"):
    """Work.rotor: rates of the axes that have a rotor"""

    RATE = column(3, "q' of the measured state, then as the integrator needs it")
    MOMENTUM = column(3, "p / I of the next right-hand side")
    START = column(3, "coordinates at the start of the step")
    SUM = column(3, "what the sweeps have added so far")


class Stretch(Table, array="Work.stretch", rows="n + k"):
    """Work.stretch: how anchors move with scales"""

    CHILD = column(9, "R diag(a), a the anchor at scale 1, of the child; zero where it has no scale")
    PARENT = column(9, "")


class Tally(Table, array="Work.tally", rows="n"):
    """Work.tally: sums of an island, where it stands"""

    DEFECT = column(
        1,
        "sum of m |e|^2, e that of the trapezium rule for the centres of mass, m/s; of fourth order |e|^3 / |v|",
    )
    KINETIC_SUM = column(1, "kinetic energy at the end of the step, J,")
    KINETIC_BEFORE = column(1, "and at its start")
    GAINED = column(1, "change of energy in the step", unit="J")
    FASTEST = column(1, "largest squared angular speed", unit="rad^2/s^2")
    WIDEST = column(1, "largest gap, m or rad")
    WILD = column(1, "something is not finite")
    STORED = column(1, "elastic energy at the end of the step", unit="J")
    FASTEST_BEFORE = column(1, "as FASTEST, at its start")


class AnticipationStep(Table):
    """The steps of the anticipation that Work.clock counts."""

    # [Baraff96, section 8.2], of which solver modes take the first, the second, the third and the last
    FACTOR = 0
    COLUMNS = 1
    FREE = 2
    MATRIX = 3
    MULTIPLIER = 4
    FINAL = 5


class Shared(Table):
    """Sizes of the rows of Work.shared, where conditions over several bodies stand."""

    # Of one with n bodies, from Model.joint[Joints.STORE] on: what its function is called with, n rows with place (3)
    # and rotation matrix (9) of each, n rows that begin with the velocities (6) of each, one behind the other; the same
    # at another pose; its values, and those at the other pose, in one row; Jacobians, 3 rows (six of six numbers) a
    # body; forces, as many; both at the other pose.
    WIDTH = 12
    ROWS_OF_MEMBER = 16  # and one more


class Stash(Table):
    """Widths of Work.stash, and where the scales stand in scenes that have a scaled body."""

    PLAIN = 20
    SCALES = 20  # 12: scales have columns of their own, in scenes that have a scaled body
    SCALED = 32
