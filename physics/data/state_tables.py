"""The columns of the arrays of `State`, and their codes. A step advances these arrays, and a snapshot contains them."""

from physics.compiler.table import Table, column

GRAB_KINDS = ("spring", "point", "pose")

# In the kinematic order a grab moves and rotates no body faster than this. Dragging then looks the same with any
# timestep, and a shape in the way is found before it is reached (contacts/touch.py).
POSING_SPEED = 5.0  # m/s

POSING_TURN = 0.2  # rad a step


class Memory(Table, array="State.memory", rows="n + k"):
    """State.memory (n + k, 9): values of each edge that are kept from the last accepted step. `State` owns it."""

    WRENCH = column(6, "last joint wrench (force, moment) on the child at its anchor, in world axes", unit="N and N m")
    OFFSET = column(1, "hinge: whole turns; the coordinate is 2 atan2(z, w) + OFFSET", unit="rad")
    LAST = column(1, "hinge: z of the half-angle vector one step ago", unit="1")
    COUNTED = column(
        3,
        "edges of other kinds: their coordinates one step ago, from which turns are counted",
        unit="rad or m",
        at=6,
    )


class Grabs(Table, array="State.grab", rows="grabs"):
    """State.grab (grabs, Grabs.WIDTH): the grabs, each of which holds a body at a point. `State` owns it."""

    BODY = column(1, "index of the body, -1 where the row is not in use")
    KIND = column(1, "kind of grab (`GrabKind`)")
    POINT = column(3, "point that is held, in the body's frame", unit="m")
    TARGET = column(3, "position to which the point is drawn, in world axes", unit="m")
    TURN = column(4, "orientation to which the body is drawn, a unit quaternion", unit="1")
    RATE = column(1, "natural frequency w of the grab's spring", unit="1/s")
    DAMPING = column(1, "damping ratio z of the grab's spring", unit="1")
    CAP = column(1, "largest force of the grab", unit="N")
    SPEED = column(1, "largest speed towards the target", unit="m/s")
    REACH = column(1, "a length of the body, by which torques are divided to become forces", unit="m")
    FORCE = column(3, "mean force on the body over the last step, in world axes", unit="N")
    TORQUE = column(3, "mean torque on the body over the last step, in world axes", unit="N m")


class Drives(Table, array="State.drive", rows="drives"):
    """State.drive (drives, Drives.WIDTH): the drives of joints, and the springs to a target. `State` owns it."""

    KIND = column(1, "kind of drive (`DriveKind`)")
    ON = column(1, "1 where the drive is on, else 0")
    PLACE = column(1, "the edge of a joint's drive, or the body of a target spring")
    AXIS = column(1, "drive of a joint: which of its coordinates; target spring: the frame it hangs on, -1: world")
    SIGNAL = column(1, "row of the first signal of the target position or speed, -1: none")
    GIVEN = column(1, "what that signal gives (`DriveGiven`)")
    EFFORT = column(1, "row of the first signal of the effort that is added, -1: none")
    STIFFNESS = column(1, "stiffness of the drive", unit="N m/rad or N/m")
    DAMPING = column(1, "damping of the drive", unit="N m s/rad or N s/m")
    LOW = column(1, "least effort; it is not used where the effort is a vector", unit="N m or N")
    HIGH = column(1, "largest effort; of a vector, its largest length", unit="N m or N")
    SIGN = column(1, "-1 where the child is the joint's body a, else 1")
    POINT = column(3, "point of a target spring, in the body's frame", unit="m")
    TARGET = column(3, "target position, in the frame that the spring hangs on", unit="m")
    TURN = column(
        4,
        "target orientation in that frame; of a ball drive, the conjugate of the child's orientation as drawn",
        unit="1",
    )
    BASE = column(4, "of a ball drive, the parent's orientation as drawn", unit="1")
    CLIPPED = column(
        3,
        "where the law exceeded the limit last: 1 or -1 on an axis, for vectors z over the limit; else 0",
        unit="1",
    )
    SOLVED = column(3, "velocity v of the driven coordinates in the last solution", unit="rad/s or m/s")
    MEAN = column(3, "mean effort over the last step", unit="N m or N")
    HELD = column(3, "effort with which a drive to a velocity without a gain begins the next step", unit="N m or N")


class HardLimits(Table, array="State.limit", rows="limits"):
    """State.limit (limits, HardLimits.WIDTH): the hard limits. Each limited coordinate has one row. `State` owns it."""

    EDGE = column(1, "the edge whose coordinate is limited")
    WHAT = column(1, "number of the joint coordinate (0, 1, 2), or what else is limited (`LimitOf`)")
    LOWER = column(1, "lower limit of the coordinate", unit="rad or m")
    UPPER = column(1, "upper limit of the coordinate", unit="rad or m")
    ON = column(1, "0 where the limit is switched off")
    WRAP = column(1, "1 where the coordinate is an angle of which whole turns do not count", at=5)
    SPEED = column(1, "largest speed at which a coordinate beyond its limit is brought back", unit="rad/s or m/s")
    FORCE = column(1, "mean generalised force of the limit on the coordinate over the last step", unit="N m or N")
    AGE = column(1, "number of successive steps in which the limit has carried a force")
    BOUNCE = column(1, "coefficient of restitution of the limit", unit="1")
    ELLIPSE = column(
        1,
        "swing with two angles: 1 where the parent has the joint frame, -1 where the child has it; else 0",
    )
    RATIO = column(2, "the smaller of the two swing angles over the swing angles about x and about y", unit="1")


class PoseColumn(Table):
    """The additional columns of State.pose (n, 10) and State.velocity (n, 9) in scenes with a scaled body."""

    SHAPE = 7  # first of 3 columns of the pose: scales along the principal axes; 1, 1, 1 for a body that is not scaled
    RATES = 6  # first of 3 columns of the velocity: rates of the scales, 1/s


class GrabKind(Table):
    """The kinds of grabs (Grabs.KIND)."""

    SPRING = 0
    POINT = 1
    POSE = 2


class DriveKind(Table):
    """The kinds of rows of State.drive (Drives.KIND): the drive of one axis of a joint; the drive of a ball joint; the
    part of a target spring for its point; the part of a target spring for its orientation."""

    AXIS = 0
    BALL = 1
    POINT = 2
    TURN = 3


class DriveGiven(Table):
    """What the signals of a drive prescribe (Drives.GIVEN): a position, an orientation (a quaternion), or a speed."""

    POSITION = 0
    TURN = 1
    SPEED = 2


class LimitOf(Table):
    """Codes of HardLimits.WHAT for limited quantities other than the coordinates 0, 1, 2 of a joint."""

    SWING = 3
    TWIST = 4
    LENGTH = 5
