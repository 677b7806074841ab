"""Columns of the arrays of `Model`: what a figure is. They do not change in a step."""

from physics.compiler.table import Table, column


class Topology(Table, array="Model.topology", rows="n"):
    """Model.topology: what never changes"""

    # The first eight, one cache line, are all that most loops over bodies need to know of one.
    PARENT = column(1, "index of the parent body, -1 for the world")
    KIND = column(1, "which joint or constraint (codes below)")
    ELIMINATION = column(1, "how `fused` eliminates the body (the same codes as PATH)")
    PATH = column(1, "what springs act along: a ball's three rotations, a hinge, axes, nothing (codes below)")
    DOFS = column(1, "number of motion axes of the edge; -1 where there is no motion subspace")
    FLAGS = column(1, "which springs the edge carries (bits below)")
    RUN_END = column(
        1,
        "the row after the run of balls, or of hinges, between bodies that goes on here for four or more; else 0",
    )
    LANE = column(
        1,
        "1 to 4: its place among four bodies that `fused` eliminates at a time (maths/lanes.py); 0: it goes alone",
    )
    DIM = column(1, "dimension of the body's velocity in its own coordinates (physics/bodies/coordinates.py)")
    ROWS = column(1, "number of constraint rows of the edge")
    HOLONOMIC = column(
        1,
        "how many of the rows keep a position: the first ones; the others are conditions on velocities alone",
    )
    LONE = column(1, "of a free edge: 1 where nothing is tied to its body", at=10)
    OWN_ROWS = column(
        1,
        "the rows are no twists at an anchor. T is then the unit matrix, and J stands beside it (Work.rows)",
    )
    BODY_KIND = column(1, "")
    CHILD = column(1, "index of the child body: the row itself, but not in Model.links")
    FIRST_DOF = column(1, "number of the edge's first joint coordinate in stacked reduced vectors")
    GENERAL = column(1, "offset of the edge's store for the run-time-dimension path of `fused`")
    TREE_EDGE = column(
        1,
        "of a link: where its spring is implicit (physics/forces/tree_springs.py): a joint's edge, or the codes below",
        at=15,
    )


class Bodies(Table, array="Model.body", rows="n"):
    """Model.body: inertia (body frame)"""

    MASS = column(1, "kg")
    INERTIA = column(3, "principal moments", unit="kg m^2")
    INVERSE_MASS = column(1, "")
    INVERSE_INERTIA = column(3, "")
    POSING = column(1, "posing friction of the inbound joint, kg m^2 (kinematic order only)")


class Forms(Table, array="Model.form", rows="n"):
    """Model.form: bodies that are not rigid"""

    FIRST = column(3, "planar: two directions in the plane, world axes")
    SECOND = column(3, "")
    NORMAL = column(3, "planar: of the plane")
    MOMENTS = column(3, "scaled: second moments of mass along the principal axes at scale 1", unit="kg m^2", at=0)
    SPRING_SCALE = column(3, "scaled: stiffness against a change of scale, J (uniform: a third each)", at=3)
    DAMPER_SCALE = column(3, "scaled: its damping", unit="J s", at=6)


class Materials(Table, array="Model.material", rows="n + k"):
    """Model.material: edges of scaled bodies"""

    CHILD = column(3, "the anchor in the child's frame at scale 1", unit="m")
    PARENT = column(3, "")


class Joints(Table, array="Model.joint", rows="n + k", width=104):
    """Model.joint: geometry and springs of the inbound edge"""

    # What a ball joint needs comes first, then what a hinge needs: few cache lines a body.
    ANCHOR_CHILD = column(3, "anchor from the child's centre of mass, child frame", unit="m")
    ANCHOR_PARENT = column(3, "the same in the parent's frame (world coordinates where the parent is the world)")
    HINGE_CHILD = column(3, "hinges: the axis in the child's frame")
    HINGE_PARENT = column(3, "and in the parent's")
    REST_FRAME = column(
        4,
        "others: FRAME_CHILD times the conjugate of (FRAME_PARENT turned to the spring's rest): ball springs",
        at=6,
    )
    SOFT_CHILD = column(1, "largest geometric stiffness over inertia of a unit joint force, 1/(kg m)")
    SOFT_PARENT = column(1, "")
    REACH_CHILD = column(1, "lengths of the two anchor vectors", unit="m")
    REACH_PARENT = column(1, "")
    TURN_W = column(
        4,
        "with r = conj(q_parent) q_child, half the angle of a hinge has cosine TURN_W . r and sine TURN_Z . r",
    )
    TURN_Z = column(4, "")
    STIFFNESS = column(3, "per axis, N m/rad or N/m (live)")
    DAMPING = column(3, "per axis, N m s/rad or N s/m (live)")
    REST = column(3, "coordinates at which the springs are relaxed, rad or m")
    AXES_CHILD = column(9, "joint frame to child frame, rotation matrix (its columns are the joint's axes)")
    AXES_PARENT = column(9, "joint frame to parent frame")
    FRAME_CHILD = column(4, "the same as quaternions")
    FRAME_PARENT = column(4, "")
    LENGTH = column(1, "distance constraint: its length", unit="m")
    LOWER = column(3, "soft limits (ball: unused, unused, twist)")
    UPPER = column(3, "soft limits (ball: swing cone, unused, twist)")
    LIMIT_STIFFNESS = column(3, "per axis (ball: swing, unused, twist)", unit="N m/rad or N/m")
    LIMIT_DAMPING = column(3, "")
    ARMATURE = column(3, "rotor inertia per axis", unit="kg m^2 or kg")
    SERIES_COUNT = column(1, "compound: how many axes it has")
    SERIES = column(
        24,
        "8 an axis, at most 3: direction (3) and a point on it (3), as drawn, in joint axes from the anchor, m;",
    )
    SIGNAL = column(1, "which signal prescribes the coordinate (motors) or the length (distance); -1: none")
    ADDRESS = column(
        2,
        "machine addresses of a function and of its Jacobian (whole numbers below 2^53), not in snapshots",
    )
    # constraints have these in the place of SERIES
    MEETING = column(
        1,
        "springs of no length: 0 damped in the parent's frame, 1 in the child's, -1 along the line",
        at=76,
    )
    SIDE = column(1, "of kinds written for a and b: 1 where the child is b, -1 where it is a", at=76)
    SIZE = column(3, "lengths of a constraint, meaning by kind", at=77)
    FORCES = column(1, "of a condition: along what its multipliers act (codes below)", at=78)
    STORE = column(1, "of a condition: its first row in Work.shared", at=79)
    TABLE = column(
        1,
        "first row in Model.table of what belongs to the edge: segments of a curve, terms, bodies of a condition",
        at=80,
    )
    TABLE_ROWS = column(1, "how many", at=81)


class SeriesAxis(Table, array="Model.joint, from Joints.SERIES on"):
    """Model.joint: geometry and springs of the inbound edge"""

    SLIDE = column(1, "how far [m] and", at=6)
    TURN = column(1, "by what angle [rad] a unit of the coordinate moves")


class Segment(Table, array="Model.table"):
    """Model.table: lists that belong to constraints"""

    # a segment of a spline, parameter u from its start
    START = column(1, "")
    LENGTH = column(1, "")
    CUBIC = column(12, "c0 + c1 u + c2 u^2 + c3 u^3, m in the frame of a")


class Term(Table, array="Model.table"):
    """Model.table: lists that belong to constraints"""

    # a term of a coupling
    EDGE = column(1, "")
    AXIS = column(1, "")
    COEFFICIENT = column(1, "")


class Member(Table, array="Model.table", width=14):
    """Model.table: lists that belong to constraints"""

    # a body of a condition; behind them, where forces are fixed, six numbers of each row for each body
    BODY = column(1, "a body, or -2 - k for a moving frame")
    TURN = column(9, "from its principal frame to the frame of the definition")


class Surfaces(Table, array="Model.surface", rows="shapes"):
    """Model.surface: shapes that a medium acts on"""

    BODY = column(1, "")
    CENTRE = column(3, "in the body's frame", unit="m")
    TURN = column(9, "rotation matrix from its axes to the body's frame")
    QUADRATIC = column(3, "c of quick motion along its axes, (C A / 2)^(2/3)")
    QUADRATIC_TURN = column(3, "the same of turning")
    STOKES = column(3, "S of slow motion", unit="m")
    STOKES_TURN = column(3, "m^3")


class TreePlace(Table):
    """A link's place in the tree, Topology.TREE_EDGE, unless it lies across a joint."""

    # Model.links has the same columns for the edges outside the forest. Link j is edge n + j in every array of edges.
    # A parent below -1 is a moving frame: -2 - k is row k of Work.frame; solver modes take it for the world.
    # a link's place in the tree, unless it lies across a joint
    NO_PLACE = -1
    IN_BLOCK = -2


class BodyKind(Table):
    """Kinds of body, Topology.BODY_KIND."""

    # kinds of body
    RIGID = 0
    PARTICLE = 1
    PLANAR = 2
    UNIFORM = 3
    STRETCHED = 4


class JointKind(Table):
    """Kinds of joint, spring and constraint, Topology.KIND."""

    # kinds of inbound edge
    FREE = 0
    BALL = 1
    HINGE = 2
    UNIVERSAL = 3
    SLIDER = 4
    WELD = 5
    DISTANCE = 6
    COMPOUND = 7
    HINGE_MOTOR = 8
    SLIDER_MOTOR = 9
    POINT_SPRING = 10
    TORSION_SPRING = 11
    ROPE = 12
    # constraints that are written for the definition's bodies a and b, whichever is the child (joints/sides.py)
    POINT_ON_PLANE = 200
    POINT_ON_LINE = 201
    POINT_ON_CURVE = 202
    PARALLEL = 203
    PERPENDICULAR = 204
    GEAR = 205
    RACK = 206
    ROLLING_SPHERE = 207
    ROLLING_DISK = 208
    TROUGH_SPHERE = 209
    TROUGH_CYLINDER = 210
    KNIFE_EDGE = 211
    FUNCTION = 212
    COUPLING = 213
    GROUP_CONDITION = 214
    # the same joints between two planar bodies, or one and the world: rows in the plane only
    PLANE_HINGE = 102
    PLANE_SLIDER = 104
    PLANE_WELD = 105


class Path(Table):
    """Motion subspaces and elimination paths of `fused`, Topology.PATH and Topology.ELIMINATION."""

    # motion subspaces, and elimination paths of `fused`
    FREE = 0
    BALL = 1
    HINGE = 2
    AXES = 3
    GENERAL = 4


class SpringFlag(Table):
    """Which springs an edge carries, bits of Topology.FLAGS."""

    # flags
    STIFF = 1
    LIMITED = 2
    ANISOTROPIC = 4
    ROTOR = 8


class ForceLaw(Table):
    """Along what the multipliers of a condition act, Joints.FORCES."""

    # Model.joint[Joints.FORCES]: along the Jacobian; directions of the world, or of each body; by the user's function,
    # which writes them behind the Jacobian
    ALONG_ROWS = 0
    FIXED_IN_WORLD = 1
    FIXED_IN_BODY = 2
    BY_FUNCTION = 3
