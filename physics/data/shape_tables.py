"""The columns of the arrays of shapes. Row i belongs to shape i. A compound has one row for each of its parts."""

from physics.compiler.table import Table, column

# Static bodies are numbered, as owners of shapes, from here downwards: filters tell them apart, forces do not.
STILL = -(1 << 20)


class ShapeIndex(Table, array="Geometry.whole", rows="shapes"):
    """Geometry.whole (g, 8), whole numbers: the kind, the owner and the filters of each shape. `Geometry` owns it."""

    KIND = column("number of the kind of the shape, in the table `physics.collision.kinds.KINDS`")
    OWNER = column("index of the body; -1: the world; -2 - k: moving frame k; STILL - k: static body k")
    GROUP = column("number of the shape's collision group")
    APART = column("a mask of groups: bit g is 1 where the shape never touches group g")
    FIRST_VERTEX = column("of a hull, its first row in Geometry.vertex")
    VERTICES = column("of a hull, its number of vertices")
    FIRST_FACE = column("of a hull, its first row in Geometry.plane")
    FACES = column("of a hull, its number of faces")


class ShapeReal(Table, array="Geometry.real", rows="shapes"):
    """Geometry.real (g, ShapeReal.WIDTH), real numbers: the size, the place and the material of each shape. `Geometry`
    owns it."""

    SIZE = column("radius and half length of a round shape, or the three half sizes of a box", "m", 3)
    OFFSET = column("origin of the shape's frame, in the body's frame", "m", 3)
    TURN = column("rotation matrix from the shape's frame to the body's frame, by rows", "1", 9)
    ROUNDING = column("what is added all around the core by which kernels know the shape", "m")
    FRICTION = column("coefficient of friction of the shape", "1")
    RESTITUTION = column("coefficient of restitution of the shape", "1")
    REACH = column("largest distance of a point of the shape from its origin; infinite for a plane", "m")
    MIDDLE = column("of a hull, the middle of its bounding box, in the shape's frame", "m", 3)
    HALF = column("of a hull, the half sizes of its bounding box, in the shape's frame", "m", 3)


class ShapePlace(Table, array="place", rows="shapes"):
    """Collision.place (g, 12): where each shape is in the world. `Collision` owns it."""

    ORIGIN = column("origin of the shape's frame, in world axes", "m", 3)
    AXES = column(
        "rotation matrix from the shape's frame to world axes, by rows; its columns are the shape's axes", "1", 9
    )
