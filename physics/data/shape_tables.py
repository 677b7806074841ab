"""Columns of the arrays of shapes. Row i belongs to shape i; a compound has one row for each of its parts."""

from physics.compiler.table import Table, column

# bodies that do not move are told apart by filters alone
STILL = -(1 << 20)


class ShapeIndex(Table, array="Geometry.whole", rows="shapes"):
    """Geometry.whole: Geometry.whole, whole numbers"""

    KIND = column(1, "")
    OWNER = column(1, "index of the body; -1 for the world, -2 - k for moving frame k, STILL - k for static body k")
    GROUP = column(1, "number of its group")
    APART = column(1, "bit g is set: never touches group g")
    FIRST_VERTEX = column(1, "hulls: where their vertices, faces start, and how many they have")
    VERTICES = column(1, "")
    FIRST_FACE = column(1, "")
    FACES = column(1, "")


class ShapeReal(Table, array="Geometry.real", rows="shapes"):
    """Geometry.real: Geometry.real, real numbers"""

    SIZE = column(3, "radius, half length; half sizes of a box")
    OFFSET = column(3, "origin of its frame in the body's frame", unit="m")
    TURN = column(9, "rotation matrix from its frame to the body's")
    FRICTION = column(1, "")
    RESTITUTION = column(1, "")
    REACH = column(1, "no point is farther from its origin, m (plane: infinite)")
    MIDDLE = column(3, "hulls: middle of the box around it, in its own frame")
    HALF = column(3, "hulls: half sizes of that box")


class ShapePlace(Table, array="place", rows="shapes"):
    """place: where a shape is in the world"""

    ORIGIN = column(3, "")
    AXES = column(9, "rotation matrix, its columns are the shape's axes")


class ShapeKind(Table):
    """Kinds of shape; a pair is handled with the lower kind first."""

    # kinds; a pair is always handled with the lower kind first
    PLANE = 0
    SPHERE = 1
    CAPSULE = 2
    BOX = 3
    CYLINDER = 4
    HULL = 5
