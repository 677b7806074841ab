"""Columns of the arrays of `State`: what moves, and what a snapshot holds."""

from physics.compiler.table import Table, column

GRAB_KINDS = ("spring", "point", "pose")

# In the kinematic order what is grabbed moves and turns no body faster: dragging is even with any timestep, and what is
# in the way is found before it is reached (contacts/touch.py).
POSING_SPEED = 5.0  # m/s

POSING_TURN = 0.2  # rad a step


class Memory(Table, array="State.memory", rows="n + k"):
    """State.memory: what an edge remembers"""

    WRENCH = column(6, "last joint wrench on the child at its anchor", unit="N and N m")
    OFFSET = column(1, "whole turns: coordinate = 2 atan2(z, w) + OFFSET")
    LAST = column(1, "z of the half-angle vector one step ago")
    COUNTED = column(3, "other kinds: their coordinates one step ago, from which turns are counted", at=6)


class Grabs(Table, array="State.grab", rows="grabs"):
    """State.grab: what holds a body at a point"""

    BODY = column(1, "index of the body, -1 where the row is free")
    KIND = column(1, "SPRING_GRAB, POINT_GRAB, POSE_GRAB")
    POINT = column(3, "in the body's frame", unit="m")
    TARGET = column(3, "m")
    TURN = column(4, "target orientation")
    RATE = column(1, "w", unit="1/s")
    DAMPING = column(1, "z, damping ratio")
    CAP = column(1, "largest force", unit="N")
    SPEED = column(1, "largest speed to the target", unit="m/s")
    REACH = column(1, "a length of the body, by which torques are turned to forces", unit="m")
    FORCE = column(3, "mean pull of the last step", unit="N")
    TORQUE = column(3, "N m")


class Drives(Table, array="State.drive", rows="drives"):
    """State.drive: drives and springs to a target"""

    KIND = column(1, "AXIS_DRIVE, BALL_DRIVE: of a joint; POINT_DRIVE, TURN_DRIVE: the two halves of a target spring")
    ON = column(1, "")
    PLACE = column(1, "its edge, or its body")
    AXIS = column(1, "column of the joint's coordinate; of a target spring, what it hangs on: -1 or a moving frame")
    SIGNAL = column(1, "first signal of the position or speed, -1: none")
    GIVEN = column(1, "what it gives: POSITION_GIVEN, TURN_GIVEN (a quaternion), SPEED_GIVEN")
    EFFORT = column(1, "first signal of the effort that is added, -1: none")
    STIFFNESS = column(1, "")
    DAMPING = column(1, "")
    LOW = column(1, "least and largest effort; of a vector only the second counts, as its length")
    HIGH = column(1, "")
    SIGN = column(1, "-1 where the child is the joint's a")
    POINT = column(3, "in the body's frame", unit="m")
    TARGET = column(3, "in the frame it hangs on", unit="m")
    TURN = column(4, "target orientation in that frame; of a ball drive conj(child's orientation as drawn)")
    BASE = column(4, "of a ball drive, the parent's orientation as drawn")
    CLIPPED = column(3, "where the last solution was over the limit: effort asked for over the limit, else 0")
    SOLVED = column(3, "the rate v of the last solution")
    MEAN = column(3, "mean effort of the last step")
    HELD = column(3, "effort that a drive without a gain begins the next step with")


class HardLimits(Table, array="State.limit", rows="limits"):
    """State.limit: hard limits, a row for each coordinate"""

    EDGE = column(1, "")
    WHAT = column(1, "number of the joint coordinate, or what is limited (codes below)")
    LOWER = column(1, "rad or m")
    UPPER = column(1, "")
    ON = column(0, "switched off")
    WRAP = column(1, "an angle of which whole turns do not count", at=5)
    SPEED = column(1, "the fastest at which what is beyond a limit comes back, rad/s or m/s")
    FORCE = column(1, "mean generalised force on the coordinate in the last step", unit="N m or N")
    AGE = column(1, "for how many steps on end it has pressed")
    BOUNCE = column(1, "restitution")
    ELLIPSE = column(
        1,
        "of a swing with two angles: 1 where the parent has the joint frame, -1 where the child; else 0",
    )
    RATIO = column(2, "the smaller angle over those about x and y")


class PoseColumn(Table):
    """Columns of State.pose and State.velocity in scenes with a scaled body."""

    SHAPE = 7  # 3: pose: scales along the principal axes (1, 1, 1 of a body that has none)
    RATES = 6  # 3: velocity: their rates, 1/s


class GrabKind(Table):
    """Kinds of grab, Grabs.KIND."""

    SPRING = 0
    POINT = 1
    POSE = 2


class DriveKind(Table):
    """Kinds of drive, Drives.KIND."""

    AXIS = 0
    BALL = 1
    POINT = 2
    TURN = 3


class DriveGiven(Table):
    """What the signals of a drive give, Drives.GIVEN."""

    POSITION = 0
    TURN = 1
    SPEED = 2


class LimitOf(Table):
    """What is limited besides the coordinates 0, 1, 2, HardLimits.WHAT."""

    SWING = 3
    TWIST = 4
    LENGTH = 5
