"""The columns of the arrays of `State`, and their codes. A step advances these arrays, and a snapshot contains them."""

from physics.compiler.table import Table, column

GRAB_KINDS = ("spring", "point", "pose")

# In the kinematic order a grab moves and rotates no body faster than this. Dragging then looks the same with any
# timestep, and a shape in the way is found before it is reached (contacts/detection.py).
POSING_SPEED = 5.0  # m/s

POSING_TURN = 0.2  # rad a step


class Memory(Table, array="State.memory", rows="n + k"):
    """State.memory (n + k, 9): values of each edge that are kept from the last accepted step. `State` owns it."""

    WRENCH = column("last joint wrench (force, moment) on the child at its anchor, in world axes", "N and N m", 6)
    OFFSET = column("hinge: whole turns; the coordinate is 2 atan2(z, w) + OFFSET", "rad")
    LAST = column("hinge: z of the half-angle vector one step ago", "1")
    COUNTED = column(
        "edges of other kinds: their coordinates one step ago, from which turns are counted", "rad or m", 3, at=6
    )


class Grabs(Table, array="State.grab", rows="grabs"):
    """State.grab (grabs, Grabs.WIDTH): the grabs, each of which holds a body at a point. `State` owns it."""

    BODY = column("index of the body, -1 where the row is not in use")
    KIND = column("kind of grab (`GrabKind`)")
    POINT = column("point that is held, in the body's frame", "m", 3)
    TARGET = column("position to which the point is drawn, in world axes", "m", 3)
    TURN = column("orientation to which the body is drawn, a unit quaternion", "1", 4)
    RATE = column("natural frequency w of the grab's spring", "1/s")
    DAMPING = column("damping ratio z of the grab's spring", "1")
    CAP = column("largest force of the grab", "N")
    SPEED = column("largest speed towards the target", "m/s")
    REACH = column("a length of the body, by which torques are divided to become forces", "m")
    FORCE = column("mean force on the body over the last step, in world axes", "N", 3)
    TORQUE = column("mean torque on the body over the last step, in world axes", "N m", 3)


class Drives(Table, array="State.drive", rows="drives"):
    """State.drive (drives, Drives.WIDTH): the drives of joints, and the springs to a target. `State` owns it."""

    KIND = column("kind of drive (`DriveKind`)")
    ON = column("1 where the drive is on, else 0")
    PLACE = column("the edge of a joint's drive, or the body of a target spring")
    AXIS = column("drive of a joint: which of its coordinates; target spring: the frame it hangs on, -1: world")
    SIGNAL = column("row of the first signal of the target position or speed, -1: none")
    GIVEN = column("what that signal gives (`DriveGiven`)")
    EFFORT = column("row of the first signal of the effort that is added, -1: none")
    STIFFNESS = column("stiffness of the drive", "N m/rad or N/m")
    DAMPING = column("damping of the drive", "N m s/rad or N s/m")
    LOW = column("least effort; it is not used where the effort is a vector", "N m or N")
    HIGH = column("largest effort; of a vector, its largest length", "N m or N")
    SIGN = column("-1 where the child is the joint's body a, else 1")
    POINT = column("point of a target spring, in the body's frame", "m", 3)
    TARGET = column("target position, in the frame that the spring hangs on", "m", 3)
    TURN = column(
        "target orientation in that frame; of a ball drive, the conjugate of the child's orientation as drawn", "1", 4
    )
    BASE = column("of a ball drive, the parent's orientation as drawn", "1", 4)
    CLIPPED = column(
        "where the law exceeded the limit last: 1 or -1 on an axis, for vectors z over the limit; else 0", "1", 3
    )
    SOLVED = column("velocity v of the driven coordinates in the last solution", "rad/s or m/s", 3)
    MEAN = column("mean effort over the last step", "N m or N", 3)
    HELD = column("effort with which a drive to a velocity without a gain begins the next step", "N m or N", 3)


class HardLimits(Table, array="State.limit", rows="limits"):
    """State.limit (limits, HardLimits.WIDTH): the hard limits. Each limited coordinate has one row. `State` owns it."""

    EDGE = column("the edge whose coordinate is limited")
    WHAT = column("number of the joint coordinate (0, 1, 2), or what else is limited (`LimitOf`)")
    LOWER = column("lower limit of the coordinate", "rad or m")
    UPPER = column("upper limit of the coordinate", "rad or m")
    ON = column("0 where the limit is switched off")
    WRAP = column("1 where the coordinate is an angle of which whole turns do not count", at=5)
    SPEED = column("largest speed at which a coordinate beyond its limit is brought back", "rad/s or m/s")
    FORCE = column("mean generalised force of the limit on the coordinate over the last step", "N m or N")
    AGE = column("number of successive steps in which the limit has carried a force")
    BOUNCE = column("coefficient of restitution of the limit", "1")
    ELLIPSE = column("swing with two angles: 1 where the parent has the joint frame, -1 where the child has it; else 0")
    RATIO = column("the smaller of the two swing angles over the swing angles about x and about y", "1", 2)


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
