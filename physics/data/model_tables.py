"""The columns of the arrays of `Model`, and their codes. These arrays describe a figure. A step changes them only for
scaled bodies, whose inertia and anchors follow their scales."""

from physics.compiler.table import Table, column


class Topology(Table, array="Model.topology", rows="n"):
    """Model.topology (n, 16) and Model.links (k, 16), whole numbers: how bodies and edges are connected. Row i of
    Model.topology belongs to body i and its inbound edge. Row j of Model.links belongs to edge n + j, which is outside
    the forest. `Model` owns both. A step does not change them."""

    # Most loops over bodies read only the first eight columns, which are one cache line.
    PARENT = column("index of the parent body; -1: the world; -2 - k: row k of Work.frame, a moving frame")
    KIND = column("kind of joint, spring or constraint (joints/table.py, `JointKind`)")
    ELIMINATION = column("how the mode `fused` eliminates the body (`Path`)")
    PATH = column("motion subspace of the edge, along which its springs act (`Path`)")
    DOFS = column("number of motion axes of the edge; -1 where it has no motion subspace")
    FLAGS = column("which springs the edge carries (`SpringFlag`)")
    RUN_END = column("row behind the run of four or more balls, or hinges, between bodies that goes on here; else 0")
    LANE = column(
        "1 to 4: place of the body in a SIMD group of four that `fused` eliminates together; 0: it is eliminated alone"
    )
    DIM = column("number of the body's own velocity coordinates (bodies/coordinates.py)")
    ROWS = column("number of constraint rows of the edge")
    HOLONOMIC = column("how many of the rows, the first ones, keep a position; the others constrain velocities only")
    LONE = column(
        "of a free edge, 1 where nothing is connected to its body; it shares its column with HOLONOMIC", at=10
    )
    OWN_ROWS = column(
        "1 where the rows are not twists at an anchor: T is then a unit matrix, J stands behind it in Work.rows"
    )
    BODY_KIND = column("kind of the body (`BodyKind`)")
    CHILD = column("index of the child body: the row itself in Model.topology, any body in Model.links")
    FIRST_DOF = column("index of the edge's first joint coordinate in the stacked vectors of the reduced modes")
    GENERAL = column("offset in Work.general of the edge's store, for the path of `fused` with run-time dimensions")
    TREE_EDGE = column(
        "of a link, the edge of the forest in which its spring acts implicitly, or a code (`TreePlace`)", at=15
    )


class Bodies(Table, array="Model.body", rows="n"):
    """Model.body (n, 9): the mass and the inertia of each body, in its principal frame. `Model` owns it."""

    MASS = column("mass", "kg")
    INERTIA = column("principal moments of inertia", "kg m^2", 3)
    INVERSE_MASS = column("inverse of the mass", "1/kg")
    INVERSE_INERTIA = column("inverses of the principal moments of inertia", "1/(kg m^2)", 3)
    POSING = column("posing friction of the inbound joint, in the kinematic order only", "kg m^2")


class Forms(Table, array="Model.form", rows="n"):
    """Model.form (n, 9): the planes of planar bodies, and the moments and springs of scaled bodies. If all bodies are
    rigid or particles, it has only one row, which is not used. `Model` owns it."""

    FIRST = column("planar body: first direction in its plane, in world axes", "1", 3)
    SECOND = column("planar body: second direction in its plane, in world axes", "1", 3)
    NORMAL = column("planar body: normal of its plane, in world axes", "1", 3)
    MOMENTS = column("scaled body: second moments of mass along the principal axes at scale 1", "kg m^2", 3, at=0)
    SPRING_SCALE = column(
        "scaled body: stiffness against a change of each scale; a uniform scale has a third of it in each", "J", 3, at=3
    )
    DAMPER_SCALE = column("scaled body: damping of each scale", "J s", 3, at=6)


class Materials(Table, array="Model.material", rows="n + k"):
    """Model.material (n + k, 6): the anchors on scaled bodies, as they are at scale 1. If no body is scaled, it has
    only one number, which is not used. `Model` owns it."""

    CHILD = column("anchor in the child's frame at scale 1", "m", 3)
    PARENT = column("anchor in the parent's frame at scale 1", "m", 3)


class Joints(Table, array="Model.joint", rows="n + k", width=104):
    """Model.joint (n + k, 104): the geometry and the springs of each edge. The columns that a ball joint needs come
    first, then those of a hinge, so that loops load few cache lines. `Model` owns it. Stiffness, damping and rest are
    live: they may change between steps."""

    ANCHOR_CHILD = column("vector from the child's centre of mass to the anchor, in the child's frame", "m", 3)
    ANCHOR_PARENT = column(
        "vector from the parent's centre of mass to the anchor, in the parent's frame; world axes under the world",
        "m",
        3,
    )
    HINGE_CHILD = column("hinge: its axis in the child's frame", "1", 3)
    HINGE_PARENT = column("hinge: its axis in the parent's frame", "1", 3)
    REST_FRAME = column(
        "other kinds: quaternion FRAME_CHILD * conj(FRAME_PARENT turned to the rest of the ball spring)", "1", 4, at=6
    )
    SOFT_CHILD = column("largest geometric stiffness over inertia of the child, for a unit joint force", "1/(kg m)")
    SOFT_PARENT = column("largest geometric stiffness over inertia of the parent, for a unit joint force", "1/(kg m)")
    REACH_CHILD = column("length of ANCHOR_CHILD", "m")
    REACH_PARENT = column("length of ANCHOR_PARENT", "m")
    TURN_W = column("hinge: with r = conj(q_parent) q_child, the cosine of half its angle is TURN_W . r", "1", 4)
    TURN_Z = column("hinge: with r = conj(q_parent) q_child, the sine of half its angle is TURN_Z . r", "1", 4)
    STIFFNESS = column("spring stiffness of each axis (live)", "N m/rad or N/m", 3)
    DAMPING = column("damping of each axis (live)", "N m s/rad or N s/m", 3)
    REST = column("coordinates at which the springs are relaxed", "rad or m", 3)
    AXES_CHILD = column(
        "rotation matrix from the joint frame to the child's frame; its columns are the joint's axes", "1", 9
    )
    AXES_PARENT = column("rotation matrix from the joint frame to the parent's frame", "1", 9)
    FRAME_CHILD = column("unit quaternion from the joint frame to the child's frame", "1", 4)
    FRAME_PARENT = column("unit quaternion from the joint frame to the parent's frame", "1", 4)
    LENGTH = column("distance constraint: its length", "m")
    LOWER = column("lower soft limit of each axis; of a ball: unused, unused, twist", "rad or m", 3)
    UPPER = column("upper soft limit of each axis; of a ball: swing cone, unused, twist", "rad or m", 3)
    LIMIT_STIFFNESS = column(
        "stiffness of the soft limits of each axis; of a ball: swing, unused, twist", "N m/rad or N/m", 3
    )
    LIMIT_DAMPING = column(
        "damping of the soft limits of each axis; of a ball: swing, unused, twist", "N m s/rad or N s/m", 3
    )
    ARMATURE = column("rotor inertia of each axis", "kg m^2 or kg", 3)
    SERIES_COUNT = column("compound joint: its number of axes")
    SERIES = column("compound joint: eight numbers for each axis (`SeriesAxis`), at most three axes", size=24)
    SIGNAL = column("row of the signal that prescribes the coordinate (motor) or the length (distance); -1: none")
    ADDRESS = column(
        "machine addresses of a function and of its Jacobian (whole numbers below 2^53); not in snapshots", size=2
    )
    # springs and constraints use the columns of SERIES for the following
    MEETING = column(
        "spring of no length: 0: damped in the parent's frame; 1: in the child's frame; -1: along its line", at=76
    )
    SIDE = column("constraint written for bodies a and b: 1 where the child is b, -1 where the child is a", at=76)
    SIZE = column("constraint: its lengths; the meaning depends on the kind", "m", 3, at=77)
    FORCES = column("condition: along what its multipliers act (`ForceLaw`)", at=78)
    STORE = column("condition: its first row in Work.shared", at=79)
    TABLE = column(
        "constraint: its first row in Model.table (segments of a curve, terms of a coupling, bodies of a condition)",
        at=80,
    )
    TABLE_ROWS = column("constraint: its number of rows in Model.table", at=81)


class SeriesAxis(Table, array="Model.joint, from Joints.SERIES on"):
    """One axis of a compound joint: eight columns of Model.joint, from Joints.SERIES on. The first three are its
    direction, the next three a point on it [m], relative to the anchor. Both are in joint axes at the drawn pose. The
    two columns below follow."""

    SLIDE = column("displacement along the axis for a unit of the coordinate", "m", at=6)
    TURN = column("angle about the axis for a unit of the coordinate", "rad")


class Segment(Table, array="Model.table"):
    """A segment of a spline: a row of Model.table (14 columns). The parameter u is zero at the start of the segment.
    `Model` owns it."""

    START = column("parameter of the curve at which the segment starts", "m")
    LENGTH = column("length of the segment in the parameter", "m")
    CUBIC = column("coefficients c0, c1, c2, c3 of c0 + c1 u + c2 u^2 + c3 u^3, a point in the frame of a", "m", 12)


class Term(Table, array="Model.table"):
    """A term of a coupling: a row of Model.table (14 columns). `Model` owns it."""

    EDGE = column("edge of the joint whose coordinate is taken")
    AXIS = column("which coordinate of that joint (0, 1, 2)")
    COEFFICIENT = column("factor of the coordinate in the sum")


class Member(Table, array="Model.table", width=14):
    """A body of a condition: a row of Model.table (14 columns). If the forces of the condition are fixed, more rows
    follow: one for each body and each constraint row, with six numbers. `Model` owns it."""

    BODY = column("index of the body, or -2 - k for moving frame k")
    TURN = column("rotation matrix from the body's principal frame to the frame of the definition", "1", 9)


class Surfaces(Table, array="Model.surface", rows="shapes"):
    """Model.surface (shapes, Surfaces.WIDTH): the shapes on which a medium acts. `Model` owns it."""

    BODY = column("index of the body that carries the shape")
    CENTRE = column("centre of the shape, in the body's frame", "m", 3)
    TURN = column("rotation matrix from the shape's axes to the body's frame", "1", 9)
    QUADRATIC = column("quadratic drag along each axis of the shape, (C A / 2)^(2/3)", "m^(4/3)", 3)
    QUADRATIC_TURN = column("quadratic drag of rotation about each axis of the shape, to the power 2/3", "m^(10/3)", 3)
    STOKES = column("Stokes resistance S of slow motion along each axis of the shape, per viscosity", "m", 3)
    STOKES_TURN = column("Stokes resistance of slow rotation about each axis of the shape, per viscosity", "m^3", 3)


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
