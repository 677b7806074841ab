"""The columns of the arrays of `Model`, and their codes. These arrays describe a figure. A step changes them only for
scaled bodies, whose inertia and anchors follow their scales."""

from physics.compiler.table import Table, column


class Topology(Table, array="Model.topology", rows="n"):
    """Model.topology (n, 16) and Model.links (k, 16), whole numbers: how bodies and edges are connected. Row i of
    Model.topology belongs to body i and its inbound edge. Row j of Model.links belongs to edge n + j, which is outside
    the forest. `Model` owns both. A step does not change them."""

    # Most loops over bodies read only the first eight columns, which are one cache line.
    PARENT = column(1, "index of the parent body; -1: the world; -2 - k: row k of Work.frame, a moving frame")
    KIND = column(1, "kind of joint, spring or constraint (joints/table.py, `JointKind`)")
    ELIMINATION = column(1, "how the mode `fused` eliminates the body (`Path`)")
    PATH = column(1, "motion subspace of the edge, along which its springs act (`Path`)")
    DOFS = column(1, "number of motion axes of the edge; -1 where it has no motion subspace")
    FLAGS = column(1, "which springs the edge carries (`SpringFlag`)")
    RUN_END = column(1, "row behind the run of four or more balls, or hinges, between bodies that goes on here; else 0")
    LANE = column(
        1,
        "1 to 4: place of the body in a SIMD group of four that `fused` eliminates together; 0: it is eliminated alone",
    )
    DIM = column(1, "number of the body's own velocity coordinates (bodies/coordinates.py)")
    ROWS = column(1, "number of constraint rows of the edge")
    HOLONOMIC = column(1, "how many of the rows, the first ones, keep a position; the others constrain velocities only")
    LONE = column(
        1,
        "of a free edge, 1 where nothing is connected to its body; it shares its column with HOLONOMIC",
        at=10,
    )
    OWN_ROWS = column(
        1,
        "1 where the rows are not twists at an anchor: T is then a unit matrix, J stands behind it in Work.rows",
    )
    BODY_KIND = column(1, "kind of the body (`BodyKind`)")
    CHILD = column(1, "index of the child body: the row itself in Model.topology, any body in Model.links")
    FIRST_DOF = column(1, "index of the edge's first joint coordinate in the stacked vectors of the reduced modes")
    GENERAL = column(1, "offset in Work.general of the edge's store, for the path of `fused` with run-time dimensions")
    TREE_EDGE = column(
        1,
        "of a link, the edge of the forest in which its spring acts implicitly, or a code (`TreePlace`)",
        at=15,
    )


class Bodies(Table, array="Model.body", rows="n"):
    """Model.body (n, 9): the mass and the inertia of each body, in its principal frame. `Model` owns it."""

    MASS = column(1, "mass", unit="kg")
    INERTIA = column(3, "principal moments of inertia", unit="kg m^2")
    INVERSE_MASS = column(1, "inverse of the mass", unit="1/kg")
    INVERSE_INERTIA = column(3, "inverses of the principal moments of inertia", unit="1/(kg m^2)")
    POSING = column(1, "posing friction of the inbound joint, in the kinematic order only", unit="kg m^2")


class Forms(Table, array="Model.form", rows="n"):
    """Model.form (n, 9): the planes of planar bodies, and the moments and springs of scaled bodies. If all bodies are
    rigid or particles, it has only one row, which is not used. `Model` owns it."""

    FIRST = column(3, "planar body: first direction in its plane, in world axes", unit="1")
    SECOND = column(3, "planar body: second direction in its plane, in world axes", unit="1")
    NORMAL = column(3, "planar body: normal of its plane, in world axes", unit="1")
    MOMENTS = column(3, "scaled body: second moments of mass along the principal axes at scale 1", unit="kg m^2", at=0)
    SPRING_SCALE = column(
        3,
        "scaled body: stiffness against a change of each scale; a uniform scale has a third of it in each",
        unit="J",
        at=3,
    )
    DAMPER_SCALE = column(3, "scaled body: damping of each scale", unit="J s", at=6)


class Materials(Table, array="Model.material", rows="n + k"):
    """Model.material (n + k, 6): the anchors on scaled bodies, as they are at scale 1. If no body is scaled, it has
    only one number, which is not used. `Model` owns it."""

    CHILD = column(3, "anchor in the child's frame at scale 1", unit="m")
    PARENT = column(3, "anchor in the parent's frame at scale 1", unit="m")


class Joints(Table, array="Model.joint", rows="n + k", width=104):
    """Model.joint (n + k, 104): the geometry and the springs of each edge. The columns that a ball joint needs come
    first, then those of a hinge, so that loops load few cache lines. `Model` owns it. Stiffness, damping and rest are
    live: they may change between steps."""

    ANCHOR_CHILD = column(3, "vector from the child's centre of mass to the anchor, in the child's frame", unit="m")
    ANCHOR_PARENT = column(
        3,
        "vector from the parent's centre of mass to the anchor, in the parent's frame; world axes under the world",
        unit="m",
    )
    HINGE_CHILD = column(3, "hinge: its axis in the child's frame", unit="1")
    HINGE_PARENT = column(3, "hinge: its axis in the parent's frame", unit="1")
    REST_FRAME = column(
        4,
        "other kinds: quaternion FRAME_CHILD * conj(FRAME_PARENT turned to the rest of the ball spring)",
        unit="1",
        at=6,
    )
    SOFT_CHILD = column(
        1,
        "largest geometric stiffness over inertia of the child, for a unit joint force",
        unit="1/(kg m)",
    )
    SOFT_PARENT = column(
        1,
        "largest geometric stiffness over inertia of the parent, for a unit joint force",
        unit="1/(kg m)",
    )
    REACH_CHILD = column(1, "length of ANCHOR_CHILD", unit="m")
    REACH_PARENT = column(1, "length of ANCHOR_PARENT", unit="m")
    TURN_W = column(4, "hinge: with r = conj(q_parent) q_child, the cosine of half its angle is TURN_W . r", unit="1")
    TURN_Z = column(4, "hinge: with r = conj(q_parent) q_child, the sine of half its angle is TURN_Z . r", unit="1")
    STIFFNESS = column(3, "spring stiffness of each axis (live)", unit="N m/rad or N/m")
    DAMPING = column(3, "damping of each axis (live)", unit="N m s/rad or N s/m")
    REST = column(3, "coordinates at which the springs are relaxed", unit="rad or m")
    AXES_CHILD = column(
        9,
        "rotation matrix from the joint frame to the child's frame; its columns are the joint's axes",
        unit="1",
    )
    AXES_PARENT = column(9, "rotation matrix from the joint frame to the parent's frame", unit="1")
    FRAME_CHILD = column(4, "unit quaternion from the joint frame to the child's frame", unit="1")
    FRAME_PARENT = column(4, "unit quaternion from the joint frame to the parent's frame", unit="1")
    LENGTH = column(1, "distance constraint: its length", unit="m")
    LOWER = column(3, "lower soft limit of each axis; of a ball: unused, unused, twist", unit="rad or m")
    UPPER = column(3, "upper soft limit of each axis; of a ball: swing cone, unused, twist", unit="rad or m")
    LIMIT_STIFFNESS = column(
        3,
        "stiffness of the soft limits of each axis; of a ball: swing, unused, twist",
        unit="N m/rad or N/m",
    )
    LIMIT_DAMPING = column(
        3,
        "damping of the soft limits of each axis; of a ball: swing, unused, twist",
        unit="N m s/rad or N s/m",
    )
    ARMATURE = column(3, "rotor inertia of each axis", unit="kg m^2 or kg")
    SERIES_COUNT = column(1, "compound joint: its number of axes")
    SERIES = column(24, "compound joint: eight numbers for each axis (`SeriesAxis`), at most three axes")
    SIGNAL = column(1, "row of the signal that prescribes the coordinate (motor) or the length (distance); -1: none")
    ADDRESS = column(
        2,
        "machine addresses of a function and of its Jacobian (whole numbers below 2^53); not in snapshots",
    )
    # springs and constraints use the columns of SERIES for the following
    MEETING = column(
        1,
        "spring of no length: 0: damped in the parent's frame; 1: in the child's frame; -1: along its line",
        at=76,
    )
    SIDE = column(1, "constraint written for bodies a and b: 1 where the child is b, -1 where the child is a", at=76)
    SIZE = column(3, "constraint: its lengths; the meaning depends on the kind", unit="m", at=77)
    FORCES = column(1, "condition: along what its multipliers act (`ForceLaw`)", at=78)
    STORE = column(1, "condition: its first row in Work.shared", at=79)
    TABLE = column(
        1,
        "constraint: its first row in Model.table (segments of a curve, terms of a coupling, bodies of a condition)",
        at=80,
    )
    TABLE_ROWS = column(1, "constraint: its number of rows in Model.table", at=81)


class SeriesAxis(Table, array="Model.joint, from Joints.SERIES on"):
    """One axis of a compound joint: eight columns of Model.joint, from Joints.SERIES on. The first three are its
    direction, the next three a point on it [m], relative to the anchor. Both are in joint axes at the drawn pose. The
    two columns below follow."""

    SLIDE = column(1, "displacement along the axis for a unit of the coordinate", unit="m", at=6)
    TURN = column(1, "angle about the axis for a unit of the coordinate", unit="rad")


class Segment(Table, array="Model.table"):
    """A segment of a spline: a row of Model.table (14 columns). The parameter u is zero at the start of the segment.
    `Model` owns it."""

    START = column(1, "parameter of the curve at which the segment starts", unit="m")
    LENGTH = column(1, "length of the segment in the parameter", unit="m")
    CUBIC = column(
        12,
        "coefficients c0, c1, c2, c3 of c0 + c1 u + c2 u^2 + c3 u^3, a point in the frame of a",
        unit="m",
    )


class Term(Table, array="Model.table"):
    """A term of a coupling: a row of Model.table (14 columns). `Model` owns it."""

    EDGE = column(1, "edge of the joint whose coordinate is taken")
    AXIS = column(1, "which coordinate of that joint (0, 1, 2)")
    COEFFICIENT = column(1, "factor of the coordinate in the sum")


class Member(Table, array="Model.table", width=14):
    """A body of a condition: a row of Model.table (14 columns). If the forces of the condition are fixed, more rows
    follow: one for each body and each constraint row, with six numbers. `Model` owns it."""

    BODY = column(1, "index of the body, or -2 - k for moving frame k")
    TURN = column(9, "rotation matrix from the body's principal frame to the frame of the definition", unit="1")


class Surfaces(Table, array="Model.surface", rows="shapes"):
    """Model.surface (shapes, Surfaces.WIDTH): the shapes on which a medium acts. `Model` owns it."""

    BODY = column(1, "index of the body that carries the shape")
    CENTRE = column(3, "centre of the shape, in the body's frame", unit="m")
    TURN = column(9, "rotation matrix from the shape's axes to the body's frame", unit="1")
    QUADRATIC = column(3, "quadratic drag along each axis of the shape, (C A / 2)^(2/3)", unit="m^(4/3)")
    QUADRATIC_TURN = column(
        3,
        "quadratic drag of rotation about each axis of the shape, to the power 2/3",
        unit="m^(10/3)",
    )
    STOKES = column(3, "Stokes resistance S of slow motion along each axis of the shape, per viscosity", unit="m")
    STOKES_TURN = column(
        3,
        "Stokes resistance of slow rotation about each axis of the shape, per viscosity",
        unit="m^3",
    )


class TreePlace(Table):
    """Codes of Topology.TREE_EDGE, for the spring of a link that does not span a joint of the forest. It acts nowhere
    in the forest, or, if it is between one body and the world, in the block of this body."""

    NO_PLACE = -1
    IN_BLOCK = -2


class BodyKind(Table):
    """The kinds of bodies (Topology.BODY_KIND)."""

    RIGID = 0
    PARTICLE = 1
    PLANAR = 2
    UNIFORM = 3
    STRETCHED = 4


class JointKind(Table):
    """Codes of Topology.KIND, for those kinds of joints, springs and constraints that code outside `physics/joints`
    asks for by name. `physics/joints/table.py` lists all kinds with their codes."""

    FREE = 0
    BALL = 1
    HINGE = 2
    UNIVERSAL = 3
    SLIDER = 4
    WELD = 5
    DISTANCE = 6
    COMPOUND = 7
    POINT_SPRING = 10
    TORSION_SPRING = 11
    ROPE = 12
    # hinge, slider and weld between two planar bodies, or a planar body and the world: with rows in the plane only
    PLANE_HINGE = 102
    PLANE_SLIDER = 104
    PLANE_WELD = 105
    # constraints, whose equations are written for the definition's bodies a and b; joints/sides.py serves either child
    FIRST_CONSTRAINT = 200
    POINT_ON_CURVE = 202
    FUNCTION = 212
    # links over any number of joints or bodies
    COUPLING = 300
    GROUP_CONDITION = 301


class Path(Table):
    """Motion subspaces of edges (Topology.PATH), and elimination paths of the mode `fused` (Topology.ELIMINATION)."""

    FREE = 0
    BALL = 1
    HINGE = 2
    AXES = 3
    GENERAL = 4


class SpringFlag(Table):
    """Which springs an edge has (bits of Topology.FLAGS)."""

    STIFF = 1
    LIMITED = 2
    ANISOTROPIC = 4
    ROTOR = 8


class ForceLaw(Table):
    """The directions in which the multipliers of a condition act (Joints.FORCES): along the rows of its Jacobian; along
    directions fixed in the world; along directions fixed in each body; or along those that the user's function writes
    after the Jacobian."""

    ALONG_ROWS = 0
    FIXED_IN_WORLD = 1
    FIXED_IN_BODY = 2
    BY_FUNCTION = 3
