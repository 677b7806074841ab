"""The columns of the flat arrays that kernels share. Row i belongs to body i and to its inbound edge, the joint or
constraint that ties it to its parent in the primary forest. Parents have lower indices than their children.

Units are SI, vectors are in world axes unless a comment says otherwise.
"""

# ---------------------------------------------------------------- Model.topology (int64): what never changes
# The first eight, one cache line, are all that most loops over bodies need to know of one.
PARENT = 0  # index of the parent body, -1 for the world
KIND = 1  # which joint or constraint (codes below)
ELIMINATION = 2  # how `fused` eliminates the body (the same codes as PATH)
PATH = 3  # what springs act along: a ball's three rotations, a hinge, axes, nothing (codes below)
DOFS = 4  # number of motion axes of the edge; -1 where there is no motion subspace
FLAGS = 5  # which springs the edge carries (bits below)
TOGETHER = 6  # the row after the run of balls, or of hinges, between bodies that goes on here for four or more; else 0
ABREAST = (
    7  # 1 to 4: its place among four bodies that `fused` eliminates at a time (kernels/lanes.py); 0: it goes alone
)
DIM = 8  # dimension of the body's velocity in its own coordinates (physics/bodies/coordinates.py)
ROWS = 9  # number of constraint rows of the edge
HOLONOMIC = 10  # how many of the rows keep a position: the first ones; the others are conditions on velocities alone
LONE = 10  # of a free edge: 1 where nothing is tied to its body
OWN_ROWS = 11  # 1: the rows are no twists at an anchor. T is then the unit matrix, and J stands beside it (Work.rows)
BODY_KIND = 12
CHILD = 13  # index of the child body: the row itself, but not in Model.links
FIRST_DOF = 14  # number of the edge's first joint coordinate in stacked reduced vectors
GENERAL = 15  # offset of the edge's store for the run-time-dimension path of `fused`
TREE_EDGE = 15  # of a link: where its spring is implicit (physics/tree_springs.py): a joint's edge, or the codes below
TOPOLOGY = 16
# Model.links has the same columns for the edges outside the forest. Link j is edge n + j in every array of edges.
# A parent below -1 is a moving frame: -2 - k is row k of Work.frame; solver modes take it for the world.

# a link's place in the tree, unless it lies across a joint
NO_PLACE, IN_BLOCK = -1, -2

# kinds of body
RIGID, PARTICLE, PLANAR, UNIFORM, STRETCHED = range(5)

# kinds of inbound edge
FREE, BALL, HINGE, UNIVERSAL, SLIDER, WELD, DISTANCE, COMPOUND, HINGE_MOTOR, SLIDER_MOTOR = range(10)
POINT_SPRING, TORSION_SPRING, ROPE = 10, 11, 12
# constraints that are written for the definition's bodies a and b, whichever is the child (constraints/sides.py)
(
    POINT_ON_PLANE, POINT_ON_LINE, POINT_ON_CURVE, PARALLEL, PERPENDICULAR, GEAR, RACK, ROLLING_SPHERE, ROLLING_DISK,
    TROUGH_SPHERE, TROUGH_CYLINDER, KNIFE_EDGE, FUNCTION,
    # links over several bodies (physics/several.py), the last ones
    COUPLING, GROUP_CONDITION,
) = range(200, 215)  # fmt: skip
# the same joints between two planar bodies, or one and the world: rows in the plane only
PLANE_HINGE, PLANE_SLIDER, PLANE_WELD = 100 + HINGE, 100 + SLIDER, 100 + WELD
# motion subspaces, and elimination paths of `fused`
PATH_FREE, PATH_BALL, PATH_HINGE, PATH_AXES, PATH_GENERAL = range(5)
# flags
STIFF, LIMITED, ANISOTROPIC, ROTOR = 1, 2, 4, 8

# ---------------------------------------------------------------- Model.body: inertia (body frame)
MASS = 0  # kg
INERTIA = 1  # 3: principal moments, kg m^2
INVERSE_MASS = 4
INVERSE_INERTIA = 5  # 3
POSING = 8  # posing friction of the inbound joint, kg m^2 (kinematic order only)
BODY = 9

# ---------------------------------------------------------------- Model.form: bodies that are not rigid
FIRST = 0  # 3: planar: two directions in the plane, world axes
SECOND = 3  # 3
NORMAL = 6  # 3: planar: of the plane
MOMENTS = 0  # 3: scaled: second moments of mass along the principal axes at scale 1, kg m^2
SPRING_SCALE = 3  # 3: scaled: stiffness against a change of scale, J (uniform: a third each)
DAMPER_SCALE = 6  # 3: scaled: its damping, J s
FORM = 9

# ---------------------------------------------------------------- Model.material: edges of scaled bodies
MATERIAL_CHILD = 0  # 3: the anchor in the child's frame at scale 1, m
MATERIAL_PARENT = 3  # 3
MATERIAL = 6

# ---------------------------------------------------------------- poses and velocities of scenes with a scaled body
SHAPE = 7  # 3: pose: scales along the principal axes (1, 1, 1 of a body that has none)
RATES = 6  # 3: velocity: their rates, 1/s

# ---------------------------------------------------------------- Model.joint: geometry and springs of the inbound edge
# What a ball joint needs comes first, then what a hinge needs: few cache lines a body.
ANCHOR_CHILD = 0  # 3: anchor from the child's centre of mass, child frame, m
ANCHOR_PARENT = 3  # 3: the same in the parent's frame (world coordinates where the parent is the world)
HINGE_CHILD = 6  # 3: hinges: the axis in the child's frame
HINGE_PARENT = 9  # 3: and in the parent's
REST_FRAME = 6  # 4: others: FRAME_CHILD times the conjugate of (FRAME_PARENT turned to the spring's rest): ball springs
SOFT_CHILD = 12  # largest geometric stiffness over inertia of a unit joint force, 1/(kg m)
SOFT_PARENT = 13
REACH_CHILD = 14  # lengths of the two anchor vectors, m
REACH_PARENT = 15
TURN_W = 16  # 4: with r = conj(q_parent) q_child, half the angle of a hinge has cosine TURN_W . r and sine TURN_Z . r
TURN_Z = 20  # 4
STIFFNESS = 24  # 3: per axis, N m/rad or N/m (live)
DAMPING = 27  # 3: per axis, N m s/rad or N s/m (live)
REST = 30  # 3: coordinates at which the springs are relaxed, rad or m
AXES_CHILD = 33  # 9: joint frame to child frame, rotation matrix (its columns are the joint's axes)
AXES_PARENT = 42  # 9: joint frame to parent frame
FRAME_CHILD = 51  # 4: the same as quaternions
FRAME_PARENT = 55  # 4
LENGTH = 59  # distance constraint: its length, m
LOWER = 60  # 3: soft limits (ball: unused, unused, twist)
UPPER = 63  # 3: soft limits (ball: swing cone, unused, twist)
LIMIT_STIFFNESS = 66  # 3: per axis (ball: swing, unused, twist), N m/rad or N/m
LIMIT_DAMPING = 69  # 3
ARMATURE = 72  # 3: rotor inertia per axis, kg m^2 or kg
SERIES_COUNT = 75  # compound: how many axes it has
SERIES = 76  # 8 an axis, at most 3: direction (3) and a point on it (3), as drawn, in joint axes from the anchor, m;
SERIES_SLIDE = 6  # how far [m] and
SERIES_TURN = 7  # by what angle [rad] a unit of the coordinate moves
SERIES_AXIS = 8
SIGNAL = 100  # which signal prescribes the coordinate (motors) or the length (distance); -1: none
ADDRESS = 101  # 2: machine addresses of a function and of its Jacobian (whole numbers below 2^53), not in snapshots
# constraints have these in the place of SERIES
MEETING = 76  # springs of no length: 0 damped in the parent's frame, 1 in the child's, -1 along the line
SIDE = 76  # of kinds written for a and b: 1 where the child is b, -1 where it is a
SIZE = 77  # 3: lengths of a constraint, meaning by kind
FORCES = 78  # of a condition: along what its multipliers act (codes below)
STORE = 79  # of a condition: its first row in Work.shared
TABLE = 80  # first row in Model.table of what belongs to the edge: segments of a curve, terms, bodies of a condition
TABLE_ROWS = 81  # how many
JOINT = 104  # an odd number of cache lines: the first lines of neighbouring rows then spread over the whole cache

# ---------------------------------------------------------------- Model.table: lists that belong to constraints
# a segment of a spline, parameter u from its start
SEGMENT_START = 0
SEGMENT_LENGTH = 1
SEGMENT_CUBIC = 2  # 12: c0 + c1 u + c2 u^2 + c3 u^3, m in the frame of a
# a term of a coupling
TERM_EDGE = 0
TERM_AXIS = 1
TERM_COEFFICIENT = 2
# a body of a condition; behind them, where forces are fixed, six numbers of each row for each body
MEMBER_BODY = 0  # a body, or -2 - k for a moving frame
MEMBER_TURN = 1  # 9: from its principal frame to the frame of the definition
TABLE_COLUMNS = 14
# Model.joint[FORCES]: along the Jacobian; directions of the world, or of each body; by the user's function, which
# writes them behind the Jacobian
ALONG_ROWS, FIXED_IN_WORLD, FIXED_IN_BODY, BY_FUNCTION = range(4)

# ---------------------------------------------------------------- State.memory: what an edge remembers
WRENCH = 0  # 6: last joint wrench on the child at its anchor, N and N m
OFFSET = 6  # whole turns: coordinate = 2 atan2(z, w) + OFFSET
LAST = 7  # z of the half-angle vector one step ago
COUNTED = 6  # 3: other kinds: their coordinates one step ago, from which turns are counted
MEMORY = 9

# ---------------------------------------------------------------- Work.mean_wrench, where FOLLOWED (joint_forces.py)
MEAN_WRENCH = 0  # 6: joint wrench on the child at its anchor, on the mean of the step, N and N m
MEAN_ASIDE = 6  # 6: the same at the start of a composed substep
MEANS = 12

# ---------------------------------------------------------------- State.grab: what holds a body at a point
GRAB_BODY = 0  # index of the body, -1 where the row is free
GRAB_KIND = 1  # SPRING_GRAB, POINT_GRAB, POSE_GRAB
GRAB_POINT = 2  # 3: in the body's frame, m
GRAB_TARGET = 5  # 3: m
GRAB_TURN = 8  # 4: target orientation
GRAB_RATE = 12  # w, 1/s
GRAB_DAMPING = 13  # z, damping ratio
GRAB_CAP = 14  # largest force, N
GRAB_SPEED = 15  # largest speed to the target, m/s
GRAB_REACH = 16  # a length of the body, by which torques are turned to forces, m
GRAB_FORCE = 17  # 3: mean pull of the last step, N
GRAB_TORQUE = 20  # 3: N m
GRAB = 23
SPRING_GRAB, POINT_GRAB, POSE_GRAB = range(3)
GRAB_KINDS = ("spring", "point", "pose")
# In the kinematic order what is grabbed moves and turns no body faster: dragging is even with any timestep, and what is
# in the way is found before it is reached (contacts/touch.py).
POSING_SPEED = 5.0  # m/s
POSING_TURN = 0.2  # rad a step

# ---------------------------------------------------------------- Work.pull: a grab in the present stage
PULL_OFFSET = 0  # 6: of the point from its target, turn times GRAB_REACH
PULL_RATE = 6  # 6: of the point before the stage, the same units
MEAN_PULL = 12  # 6: mean force and torque over the step
PULL_FIRST = 18  # its first row in Work.auxiliary
PULL_SOFTNESS = 19  # nu
PULL_HELD = 20  # 6: the mean pull before the present request
ASIDE_PULL = 26  # 6: of the integrator's pass, where the step is parted (physics/integrators/parting.py)
PULL_AIM = 32  # 6: posing beside contacts: velocity that the point is drawn to
PULL_YIELD = 38  # 36: and how it yields, by columns, 1/kg (physics/auxiliary/grabs.py)
PULL = 74

# ---------------------------------------------------------------- State.drive: drives and springs to a target
DRIVE_KIND = 0  # AXIS_DRIVE, BALL_DRIVE: of a joint; POINT_DRIVE, TURN_DRIVE: the two halves of a target spring
DRIVE_ON = 1
DRIVE_PLACE = 2  # its edge, or its body
DRIVE_AXIS = 3  # column of the joint's coordinate; of a target spring, what it hangs on: -1 or a moving frame
DRIVE_SIGNAL = 4  # first signal of the position or speed, -1: none
DRIVE_GIVEN = 5  # what it gives: POSITION_GIVEN, TURN_GIVEN (a quaternion), SPEED_GIVEN
DRIVE_EFFORT = 6  # first signal of the effort that is added, -1: none
DRIVE_STIFFNESS = 7
DRIVE_DAMPING = 8
DRIVE_LOW = 9  # least and largest effort; of a vector only the second counts, as its length
DRIVE_HIGH = 10
DRIVE_SIGN = 11  # -1 where the child is the joint's a
DRIVE_POINT = 12  # 3: in the body's frame, m
DRIVE_TARGET = 15  # 3: in the frame it hangs on, m
DRIVE_TURN = 18  # 4: target orientation in that frame; of a ball drive conj(child's orientation as drawn)
DRIVE_BASE = 22  # 4: of a ball drive, the parent's orientation as drawn
DRIVE_CLIPPED = 26  # 3: where the last solution was over the limit: effort asked for over the limit, else 0
DRIVE_SOLVED = 29  # 3: the rate v of the last solution
DRIVE_MEAN = 32  # 3: mean effort of the last step
DRIVE_HELD = 35  # 3: effort that a drive without a gain begins the next step with
DRIVE = 38
AXIS_DRIVE, BALL_DRIVE, POINT_DRIVE, TURN_DRIVE = range(4)
POSITION_GIVEN, TURN_GIVEN, SPEED_GIVEN = range(3)

# ---------------------------------------------------------------- Model.surface: shapes that a medium acts on
SURFACE_BODY = 0
SURFACE_CENTRE = 1  # 3: in the body's frame, m
SURFACE_TURN = 4  # 9: rotation matrix from its axes to the body's frame
QUADRATIC = 13  # 3: c of quick motion along its axes, (C A / 2)^(2/3)
QUADRATIC_TURN = 16  # 3: the same of turning
STOKES = 19  # 3: S of slow motion, m
STOKES_TURN = 22  # 3: m^3
SURFACE = 25

# ---------------------------------------------------------------- Work.flow: such a shape in the present stage
FLOW_FORCE = 0  # 3: at the velocity that was known before it
FLOW_STIFF = 3  # 6: packed 3x3
FLOW_LEVER = 9  # 3
FLOW_RATE = 12  # 3: that velocity, of its centre relative to the medium
FLOW = 15

# ---------------------------------------------------------------- Work.drive: a drive in the present stage
ASKED_FREE = 0  # 3: T of the law T - (c + t K) v
ASKED_K = 3  # 6: stiffness K, packed 3x3 (of an axis the first)
DRIVE_LEVER = 9  # 3: from the centre of mass to the point
FRAME_RATE = 12  # 3: rate of what moves as told under it
SHARE_D = 15  # 6: what it has in D and d of the present request
SHARE_PUSH = 21  # 3
CLIPPED = 24  # 3: as DRIVE_CLIPPED
SOLVED = 27  # 3: as DRIVE_SOLVED
MEAN_EFFORT = 30  # 3: mean effort so far in the (sub)step
STAGE_EFFORT = 33  # 3: of explicit integrators
DRIVE_ASIDE = 36  # 9: the columns from CLIPPED on, of the integrator's pass, where the step is parted
ASKED_OF_PARENT = 45  # 3: of T what is fixed in the joint's parent, such as an effort
ASKED_OF_CHILD = 48  # 3: and in its child
GIVEN_BEFORE = 51  # 3: of its effort what acts without being part of the request
RATE_BEFORE = 54  # 3: v before the request, where that solves for a change of v or for a kick
WORKING = 57

# ---------------------------------------------------------------- State.limit: hard limits, a row for each coordinate
LIMIT_EDGE = 0
LIMIT_WHAT = 1  # number of the joint coordinate, or what is limited (codes below)
LIMIT_LOWER = 2  # rad or m
LIMIT_UPPER = 3
LIMIT_ON = 4  # 0: switched off
LIMIT_WRAP = 5  # 1: an angle of which whole turns do not count
LIMIT_SPEED = 6  # the fastest at which what is beyond a limit comes back, rad/s or m/s
LIMIT_FORCE = 7  # mean generalised force on the coordinate in the last step, N m or N
LIMIT_AGE = 8  # for how many steps on end it has pressed
LIMIT_BOUNCE = 9  # restitution
LIMIT_ELLIPSE = 10  # of a swing with two angles: 1 where the parent has the joint frame, -1 where the child; else 0
LIMIT_RATIO = 11  # 2: the smaller angle over those about x and y
LIMIT = 13
SWING, TWIST, LENGTH_LIMIT = 3, 4, 5

# ---------------------------------------------------------------- Work.limit: the same in the present request
LIMIT_VALUE = 0  # the coordinate
LIMIT_ROW = 1  # 2: its rows in Work.auxiliary, at the lower and at the upper end; -1 for none
LIMIT_MEAN = 3  # force that it has found
LIMIT_TAKEN = 4  # 1: the present request has it as a stop
LIMIT_DONE = 5  # its work in the present (sub)step, J
LIMIT_STATE = 6

# ---------------------------------------------------------------- Work.stop: limits near, as rows of the contact method
STOP_LIMIT = 0  # which limit
STOP_EDGE = 1
STOP_CHILD = 2
STOP_PARENT = 3
STOP_AXIS = 4  # number of the joint coordinate; -1: of a ball joint, where D is a block
STOP_SIGN = 5  # 1 at the lower end, -1 at the upper
STOP_TWIST = 6  # 6: the row as a twist at the anchor, signed: its product with the relative twist is the rate
STOP_WANTED = 12  # vhat
STOP_INVERSE = 13  # 1/R, the inertia that the coordinate moves, over sigma
STOP_CENTRE = 14  # gamma_c
STOP_TOLD = 15  # rate that prescribed motions give the coordinate
STOP_FREE = 16  # 6: D of the edge without it
STOP_IMPULSE = 22  # the rest as of a contact (contacts/layout.py)
STOP_STIFFNESS = 23
STOP_RATE = 24
STOP_CHANGE = 25
STOP_CARRIED = 26
STOP_BEFORE = 27
STOP_ROW = 28  # its row in Work.auxiliary, -1: none (auxiliary/contact_rows.py)
STOP = 29

# ---------------------------------------------------------------- Work.edge: geometry and factor of the inbound edge
# What a ball joint needs is on end, in the order in which fewer and fewer passes need it: few cache lines a body.
RC = 0  # 3: from the child's centre of mass to the anchor
RP = 3  # 3: from the parent's centre of mass to the anchor
K_COUPLING = 6  # ball: 9, K^-1 wv
K_SPRING = 15  # ball: 9, E = K^-1 D
K_INVERSE = 24  # ball: 6, packed K^-1
K_AXES = 6  # axes: 7 a dof, 1/K and U = A n (a hinge: n behind them); free: 21, the inverted root block
PUSHED = 30  # 21: the block P handed to the parent, at the anchor
AXIS = 51  # 6 a dof, at most 3: motion axes, twist (linear, angular) at the anchor
EDGE = 72  # an odd number of whole cache lines, as in Model.joint
# edges with OWN_ROWS, which are never reduced, have here what their function is called with
INPUT = 6  # 24: position and rotation matrix of a, then of b
OUTPUT = 30  # 6: its values
MOVING = 36  # 12: of a function of velocities, twists of a, then of b

# ---------------------------------------------------------------- Work.spare of joints that springs lie across
TURNED = 6  # 1: its axes are exchanged for others, while a solver mode answers
TURNED_AXES = 7  # 18: its own
TURNED_ROW = 25  # 9: its own D and d

# ---------------------------------------------------------------- Work.rows: the constraint rows T, six numbers each
CHILD_ROWS = 36  # 36: where OWN_ROWS, the Jacobian of the child, a row of six numbers for each constraint row
PARENT_ROWS = 72  # 36: and of the parent
ROW_COLUMNS = 108  # of a figure that has such edges, 36 of one that has none

# ---------------------------------------------------------------- Work.shared: conditions over several bodies
# Of one with n bodies, from Model.joint[STORE] on: what its function is called with, n rows with place (3) and rotation
# matrix (9) of each, n rows that begin with the velocities (6) of each, one behind the other; the same at another pose;
# its values, and those at the other pose, in one row; Jacobians, 3 rows (six of six numbers) a body; forces, as many;
# both at the other pose.
SHARED = 12
ROWS_OF_MEMBER = 16  # and one more

# ---------------------------------------------------------------- Work.frame: bodies whose motion is prescribed
FRAME_POSITION = 0  # 3
FRAME_QUATERNION = 3  # 4
FRAME_ROTATION = 7  # 9
FRAME_VELOCITY = 16  # 6: linear, angular
FRAME_ACCELERATION = 22  # 6
FRAME = 28

# ---------------------------------------------------------------- Work.row: right-hand side and stiffness of the edge
STIFF_BLOCK = 0  # 6: D; ball packed 3x3 in world axes, others one number a dof
PUSH = 6  # 3: d, impulse along the joint's axes (ball: world axes). A cache line starts here (physics/build.py)
JUMP = 9  # 6: b, prescribed twist of the child's anchor relative to the parent's
ROW = 16  # two cache lines

# ---------------------------------------------------------------- Work.reduced: a right-hand side, reduced
REDUCED_RATE = 0  # 3: u
REDUCED_LOAD = 3  # 6: h
REDUCED = 9

# ---------------------------------------------------------------- Work.spring: springs of the edge at one pose
COORDINATE = 0  # 3
TORQUE = 3  # 3: elastic torque or force along the axes (ball: world axes); damping is not in it
SPRING_K = 6  # 6: stiffness, layout of STIFF_BLOCK
SPRING_C = 12  # 6: damping, the same layout
POTENTIAL = 18  # elastic energy, J
SPRING = 19

# ---------------------------------------------------------------- Work.clock: ticks that the anticipation took
# [Baraff96, section 8.2], of which solver modes take the first, the second, the third and the last
FACTOR_STEP, COLUMNS_STEP, FREE_STEP, MATRIX_STEP, MULTIPLIER_STEP, FINAL_STEP = range(6)
ANTICIPATION_STEPS = ("factor", "columns", "free", "matrix", "multipliers", "final")
LAST_TICK = 6
RUNNING_STEP = 7  # what the ticks since LAST_TICK belong to
CLOCK = 8

# ---------------------------------------------------------------- Work.rotor: rates of the axes that have a rotor
ROTOR_RATE = 0  # 3: q' of the measured state, then as the integrator needs it
ROTOR_MOMENTUM = 3  # 3: p / I of the next right-hand side
ROTOR_START = 6  # 3: coordinates at the start of the step
ROTOR_SUM = 9  # 3: what the sweeps have added so far
ROTORS = 12

# ---------------------------------------------------------------- Work.stash: kept from stage to stage
STASH = 20
STASH_SCALES = 20  # 12: scales have columns of their own, in scenes that have a scaled body
STASH_SCALED = 32

# ---------------------------------------------------------------- Work.stretch: how anchors move with scales
STRETCH_CHILD = 0  # 9: R diag(a), a the anchor at scale 1, of the child; zero where it has no scale
STRETCH_PARENT = 9  # 9
STRETCH = 18

# ---------------------------------------------------------------- Work.number (float64): settings and sums of the step
DT = 0  # frame step, s
H = 1  # step of the present (sub)step, s
GRAVITY = 2  # 3, m/s^2
GAP_TOLERANCE = 5  # a further correction sweep is asked for above this gap, m (rad)
POSING_SCALE = 6  # multiplies the posing friction
TOLERANCE = 7  # of the cg mode
TIME = 8  # s
ENERGY = 9  # of the accepted state, J: total
KINETIC = 10
GRAVITATIONAL = 11
ELASTIC = 12
GAP = 13  # largest gap of the accepted state
SPIN = 14  # its largest angular speed, rad/s
TRIAL_GAP = 15  # largest gap, kinetic energy, largest angular speed at the next pose, where MEASURED (TRIAL_ELASTIC)
TRIAL_KINETIC = 16
TRIAL_SPIN = 17
START_ENERGY = 18  # energy at the start of the present step
STEP_WORK = 19  # work of applied loads since the start of the present step, J
WORK = 20  # work of applied loads since the start, J
LOST = 21  # energy given up by redone steps since the start, J
RESIDUAL = 22  # of the cg mode: relative residual of its last solve
CONDITION = 23  # of the jsim mode: an estimate of the condition of H
SPAN = 24  # time for which the pulls of the present request act, s; 0 where it asks for accelerations
WEIGHT = 25  # their share in the mean force of the step
NOW = 26  # time of the state, s: that of the present (sub)step's start
NEXT = 27  # time of the next state, s
LIMIT_SPAN = 28  # time in which a limit may be reached, s
LIMIT_WORK = 29  # work of limits since the start, J
LIMIT_STEP_WORK = 30  # since the start of the present step
DRIVE_SPAN = 31  # t of the drives' present request, and their share in the mean of the step
DRIVE_WEIGHT = 32
DRIVE_WORK = 33  # work of the drives and of the wind in the present (sub)step, J
LIMIT_LAST_WORK = 34  # work of limits in the last request with them
DENSITY = 35  # of the medium, kg/m^3, and its viscosity, Pa s
VISCOSITY = 36
MEDIUM_WEIGHT = 37  # share of the present stage in the step
FEEDBACK_KS = 38  # ks [1/s^2] and kd [1/s] of the correction by feedback
FEEDBACK_KD = 39
STEP_CONTACT_WORK = 40  # work of contacts since the start of the present step, J
CONTACT_WORK = 41  # since the start
CONTACT_GAIN = 42  # energy that contacts may have added in the present step: where they push what moves away, J
ASIDE_WORK = 43  # work of applied loads in the integrator's pass, where the step is parted
PUSH_MOST = 44  # energy that all bodies would have at the speed of pushing out, J; 0: nothing touches
TOTAL_MASS = 45  # of all bodies, kg
TRIAL_ELASTIC = 46  # elastic energy at the next pose, where MEASURED
CREDIT = 47  # redone steps that may end too fast for a whole step (integrators/guard.py)
WORK_BEFORE = 48  # STEP_WORK and LIMIT_STEP_WORK at the start of the present substep of a redone step
LIMIT_WORK_BEFORE = 49
FORCE_SCALE = 50  # the joint forces of the step are so many times Work.wrench; 0: they stand in Work.next_wrench
LEASH = 51  # of the turn that a substep of a redone step may make, where turning that far has led uphill
BEGAN = 52  # time at which the span that the integrator is asked for begins, s: the step's start, or a substep's
WHOLE = 53  # and its length, s; `rattle4` composes it of five H
EARLIER_GAP = 54  # TRIAL_GAP one sweep before that (integrators/rattle.py)
CONTACT_WORK_BEFORE = 55  # STEP_CONTACT_WORK and CONTACT_GAIN at the start of the present substep of a redone step
CONTACT_GAIN_BEFORE = 56
SUNK = 57  # by how much a contact has sunk in within the (sub)step, m (contacts/touch.py)
NUMBERS = 58

# ---------------------------------------------------------------- Work.control (int64): switches and counters
INTEGRATOR = 0
ORDER = 1
GUARD = 2  # 1: the guard is on
GEOMETRIC = 3  # 1: geometric stiffness is on
WITH_ROWS = 4  # 1: the solver mode wants the rows T of every edge
COUPLED = 5  # 1: there is at least one constraint
SPRUNG = 6  # 1: some edge has a spring, damper or soft limit
LOADED = 7  # 1: some body has an applied force
PHASE = 8  # of the step (codes below)
STAGE = 9
SWEEP = 10
SUBSTEP = 11  # of a composed step
FAILURES = 12  # ticks of the present redo in frozen substeps
FRESH = 13  # 1: the energies in Work.number are those of the present state
MEASURED = 14  # 1: edges and springs are filled at the next pose, and the TRIAL numbers and WORST are known
FACTOR_KEPT = 15  # 1: the factor of the mass matrix at the present pose is still in Work (rattle)
WORST = 16  # body whose inbound edge has the largest gap
STATUS = 17  # 0 running; hopeless: index + 1 of the body of the trouble; NOT_FINITE: the state is not
STEP = 18  # steps taken
REDONE = 19  # steps that the guard redid
FROZEN = 20  # substeps that failed even so and left the figure where it was
FACTORS = 21  # factorisations since the start
SOLVES = 22
ITERATIONS = 23  # of the cg mode, in its last solve
LINKED = 24  # 1: there are edges outside the forest
ANTICIPATION = 25  # where the anticipation of auxiliary rows stands (physics/auxiliary/anticipation.py)
ASKED = 26  # the request that it answers
COLUMN = 27  # the column of its matrix that is being computed
ROW_COUNT = 28  # how many auxiliary rows there are now
RANK = 29  # how many of them are independent
GRABS = 30  # rows of State.grab to look at
PULL_ROWS = 31  # how many rows the links and the grabs have together
ARMED = 32  # 1: some axis has a rotor
SIGNALED = 33  # 1: something is prescribed as a function of time
NONHOLONOMIC = 34  # 1: some edge has conditions on velocities alone
HARD_LIMITED = 35  # 1: some coordinate has a hard limit
LIMIT_ROWS = 36  # how many rows there are with those of limits
LIMIT_LAW = 37  # what the present request asks of limits (codes below)
LIMITS_HELD = 38  # limits that pressed in the last step
LIMITS_LEFT = 39  # limits for which there was no room in the last step
LIMIT_FIRST = 40  # the first row of the limits that were added last
LIMITS_CROSSED = 41  # 1: the step that was looked at breaks a limit
PATH_COLUMNS = 42  # 1: the mode solves along paths, for columns of the auxiliary matrix; 0: for all bodies
ALONG_COUNT = 43  # how many bodies are listed in Work.along
TIMED = 44  # 1: the steps of the anticipation are timed
FIRST_ORDER = 45  # 1: the present pass is one of `implicit`, as a contact or a hard limit takes part
DRIVES_OFF = 46  # 1: all drives are switched off
DRIVEN = 47  # 1: some drive is on
CAPPED = 48  # 1: some drive has a limit
DRIVE_ASKED = 49  # rounds of the present request with implicit drives, 0: it has none
LIMITS_ASKED = 50  # LIMIT_NOW where the present request had it
REQUEST = 51  # what the integrator asks of the mode (bits below)
TASK = 52  # what the driver asks of a unit (physics/integrators/stepping.py, physics/auxiliary/anticipation.py)
WIND = 53  # first of the three signals of the wind
IN_MEDIUM = 54  # 1: a medium acts on some shape
FLOWING = 55  # 1: the present request has drag in it
CORRECTION = 56  # how joints are kept closed (codes below)
LISTED = 57  # how many bodies are on the paths of auxiliary rows
TREE_SPRINGS = 58  # 1: some link's spring has its place in the tree; 2: some of them across a joint of several axes
TREE_SPRINGS_ASKED = 59  # 1: such springs are in the present request
STOPS = 60  # hard limits that the contact method has in the present request
LIMITS_ELSEWHERE = 61  # 1: some limit is not one that it can have
TOUCHING = 62  # 1: contacts are rows of the present request (physics/auxiliary/contact_rows.py)
TOUCHED = 63  # what these ask for after an answer (codes below)
PRESSED = 64  # 1: the forces of limits and contacts that were found last keep to their laws
BALL_SPRINGS = 65  # 1: a ball joint's spring has soft limits, or differs about its axes
CALM = 66  # 1: limits are not bounced off in the present request
LANED = 67  # 1: no body is a particle, so that bodies can be taken four at a time (physics/kernels/lanes.py)
SOUGHT = 68  # 1: coordinates of some edge are found by iteration from those remembered
HALVES = 69  # 1: the mode keeps reduced columns of the links' rows (auxiliary/islands.py)
KEPT = 70  # 1: it has those of the present factor
SEVERAL = 71  # 1: the forest has several trees
PARTED = 72  # 1: the present step has two passes (physics/integrators/parting.py)
PART = 73  # whose pass it is (codes below)
STUCK = 74  # steps on end of which every substep was frozen
BLOWN = 75  # 1: in a substep of the present redo something was not finite
TIGHT = 76  # 1: links were taut in the present step, and eased (auxiliary/ranked.py)
AIMED = 77  # by what grabs pull in the kinematic order (codes below)
EASED = 78  # 1: taut links may give way in the present request (auxiliary/ranked.py): in steps without contacts
CURVED = 79  # 1: the projection of the present substep follows the curvature of the constraints (integrators/guard.py)
LOOSE = 80  # how many links are let go (integrators/guard.py)
LONERS = 81  # 1: to some body nothing is tied
SUBSTEP_TICKS = 82  # length of the present substep of a redone step (integrators/guard.py)
TOO_FAST = 83  # 1: something turns too fast even for the shortest
TICK = 84  # ticks of the step that the present pass of a redone step has done
PASS_TICK = 85  # and those that were done when it began
OTHERS = 86  # how many bodies have no part in it: accepted, or waiting for a pass of their own
UNITED = 87  # 1: the present step was made of two passes, and Work.part still says whose is which
SUBSTEPPED = 88  # steps that some islands made in substeps of the integrator
FORWARD = 89  # 1: what is left of the present step of `rattle4` is taken as by `rattle` (integrators/rattle.py)
HARD_DRIVES = 90  # 1: some drive keeps a velocity without a gain
DRIVE_REQUEST = 91  # what drives have in the present request: ALL_LAWS, SPEEDS_IN_STEP, ... (physics/drives.py)
STALE = 92  # 1: in a redone step, bodies have moved since contacts were found
FOLLOWED = 93  # 1: some islands took the last step in substeps: joint forces are those of Work.mean_wrench
CONTROLS = 94
# phases of a step: whole; some islands in substeps of the integrator (integrators/following.py); some in those of the
# last resort (integrators/last_resort.py)
WHOLE_STEP, FOLLOWING, LAST_RESORT = range(3)
# to their targets; the same, and the aims are kept; to these aims; to rest
TO_TARGETS, KEEPING_AIMS, TO_AIMS, TO_REST = range(4)
# nothing more; the forces anew, as rows have changed; the solution with the forces as they stand
SETTLED, PRESS_AGAIN, SOLVE_AGAIN = range(3)
REFRESH, BEGIN_STEP, JUDGE, START_AGAIN, START_OVER, PASS_BY = range(6)
LACKING = 100  # no unit's task: a step stands where it must be redone, and what redoes it is not compiled yet
NOT_FINITE = -1
REJECTED = -1  # the answer to JUDGE where the step must be redone
AGAIN = -2  # the answer of what redoes a step: the integrator takes the next substep
# tasks of what redoes a step, in their order (JUDGE: go on)
TIE, SORT_OUT, COUNT_KEPT, KEEP, HUSH = range(10, 15)
SINK = 15  # and of contacts, before a (sub)step is judged
JOIN, DIVIDE, EXCHANGE, UNITE = range(4)
TICKS = 64  # of a step that is redone
# Work.part: islands that the integrator steps, and those that `implicit` does; in Work.control[PART] also all together
# In a redone step: bodies whose step is accepted, and those of the present pass; others wait for one from tick k on:
# -1 - k for one of the last resort, -1 - TICKS - k for one in substeps of first order.
ALL_PARTS, OWN_PART, PRESSED_PART, KEPT_PART, REDONE_PART = range(5)
PRESSED_ISLAND = 8  # a bit of Work.island: something touches, or leans on a limit
OPEN_ISLAND = 16  # something stands open
FAILED_ISLAND = 32  # its step was not good

# ---------------------------------------------------------------- Work.tally: sums of an island, where it stands
DEFECT = 0  # sum of m |e|^2, e that of the trapezium rule for the centres of mass, m/s; of fourth order |e|^3 / |v|
KINETIC_SUM = 1  # kinetic energy at the end of the step, J,
KINETIC_BEFORE = 2  # and at its start
GAINED = 3  # change of energy in the step, J
FASTEST = 4  # largest squared angular speed, rad^2/s^2
WIDEST = 5  # largest gap, m or rad
WILD = 6  # 1: something is not finite
STORED = 7  # elastic energy at the end of the step, J
FASTEST_BEFORE = 8  # as FASTEST, at its start
TALLY = 9

# Auxiliary.amiss of a link whose rows contradict others, and of one that is loose
CONTRADICTS, LET_GO = 1, 2

# what limits mean for velocities at the end of a step, for jumps of velocities, and for accelerations
STEP_LAW, IMPULSE_LAW, ACCELERATION_LAW = range(3)

# requests of an integrator to the solver mode (bits). Without WRENCHES a mode leaves Work.wrench alone. PULL_NOW is
# for forces that act over the span of the request and are found together with its solution; no mode sees it.
# LIMIT_NOW is for hard limits in the same way: the solution is one that keeps to them. ALONG is for modes that can
# leave out bodies: right-hand sides are zero and velocities not wanted but for the bodies listed in Work.along, in
# ascending order and with all that are above them. CONTACT_ROWS is the anticipation's own: contacts are to look at its
# answer.
DONE, FACTOR, SOLVE, WRENCHES, PULL_NOW, LIMIT_NOW, ALONG, CONTACT_ROWS = 0, 1, 2, 4, 8, 16, 32, 64
# Between the anticipation and `fused` alone (solvers/fused_columns.py), done in this order: the right-hand side is
# reduced, and no more; the columns of the links' rows are reduced; their product, the matrix; J_a v that the reduced
# right-hand side means; velocities with the forces of the multipliers.
HALF, COLUMNS_UP, PRODUCT, RATES_OF_ROWS, FORCES_BACK = 128, 256, 512, 1024, 2048
OF_COLUMNS = COLUMNS_UP | PRODUCT | RATES_OF_ROWS | FORCES_BACK
ALL = FACTOR | SOLVE | WRENCHES
PULLED = ALL | PULL_NOW
STEPPED = PULLED | LIMIT_NOW

# integrators and orders
TRBDF2, IMPLICIT, HERNANDEZ, RATTLE, RATTLE4, RK4, EXPLICIT = range(7)
DYNAMIC, KINEMATIC = range(2)
INTEGRATORS = ("trbdf2", "implicit", "hernandez", "rattle", "rattle4", "rk4", "explicit")
ORDERS = ("dynamic", "kinematic")
SHAKE, FEEDBACK, COORDINATES = range(3)
CORRECTIONS = ("shake", "feedback", "coordinates")
