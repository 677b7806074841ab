"""The columns of the arrays of shapes. Row i belongs to shape i. A compound has one row for each of its parts."""

from physics.compiler.table import Table, column

# Static bodies are numbered, as owners of shapes, from here downwards: filters tell them apart, forces do not.
STILL = -(1 << 20)


class ShapeIndex(Table, array="Geometry.whole", rows="shapes"):
    """Geometry.whole (g, 8), whole numbers: the kind, the owner and the filters of each shape. `Geometry` owns it."""

    KIND = column(1, "number of the kind of the shape, in the table `physics.collision.kinds.KINDS`")
    OWNER = column(1, "index of the body; -1: the world; -2 - k: moving frame k; STILL - k: static body k")
    GROUP = column(1, "number of the shape's collision group")
    APART = column(1, "a mask of groups: bit g is 1 where the shape never touches group g")
    FIRST_VERTEX = column(1, "of a hull, its first row in Geometry.vertex")
    VERTICES = column(1, "of a hull, its number of vertices")
    FIRST_FACE = column(1, "of a hull, its first row in Geometry.plane")
    FACES = column(1, "of a hull, its number of faces")


class ShapeReal(Table, array="Geometry.real", rows="shapes"):
    """Geometry.real (g, ShapeReal.WIDTH), real numbers: the size, the place and the material of each shape. `Geometry`
    owns it."""

    SIZE = column(3, "radius and half length of a round shape, or the three half sizes of a box", unit="m")
    OFFSET = column(3, "origin of the shape's frame, in the body's frame", unit="m")
    TURN = column(9, "rotation matrix from the shape's frame to the body's frame, by rows", unit="1")
    ROUNDING = column(1, "what is added all around the core by which kernels know the shape", unit="m")
    FRICTION = column(1, "coefficient of friction of the shape", unit="1")
    RESTITUTION = column(1, "coefficient of restitution of the shape", unit="1")
    REACH = column(1, "largest distance of a point of the shape from its origin; infinite for a plane", unit="m")
    MIDDLE = column(3, "of a hull, the middle of its bounding box, in the shape's frame", unit="m")
    HALF = column(3, "of a hull, the half sizes of its bounding box, in the shape's frame", unit="m")


class ShapePlace(Table, array="place", rows="shapes"):
    """Collision.place (g, 12): where each shape is in the world. `Collision` owns it."""

    ORIGIN = column(3, "origin of the shape's frame, in world axes", unit="m")
    AXES = column(
        9,
        "rotation matrix from the shape's frame to world axes, by rows; its columns are the shape's axes",
        unit="1",
    )
