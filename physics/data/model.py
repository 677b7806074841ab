"""The arrays that the kernels work on. `Model` is what the figure is, `State` what moves, `Work` what a step writes.

Each field is one array with a row per body; `physics.data.layout` names the columns. `State` is what moves; a snapshot
holds it with the settings and what contacts start from, so that every later step is the same to the last bit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from physics.compiler.pack import Columns, IntColumns, packed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@packed
class Signals(NamedTuple):
    """Every signal of a scene, and the moving bodies made of them (physics.definitions.motions)."""

    table: NDArray[np.int64]  # (signals, TABLE)
    keys: NDArray[np.float64]  # (rows, KEY) parameters and keys of all signals
    motion: NDArray[np.int64]  # (frames, 2) first signal of each moving body, and how its rotation is given
    base: NDArray[np.float64]  # (frames, 4) orientation that a rotation vector turns


@packed
class Model(NamedTuple):
    topology: IntColumns  # (n, TOPOLOGY)
    body: Columns  # (n, BODY)
    joint: Columns  # (n + k, JOINT); stiffness and damping may change while running
    links: IntColumns  # (k, TOPOLOGY) edges outside the forest
    signals: Signals  # functions of time, and the bodies that move by them
    form: Columns  # (n, FORM) where some body is planar or scaled, else one row
    material: Columns  # (n + k, MATERIAL) where some body is scaled, else one number
    table: Columns  # (rows, TABLE_COLUMNS) segments of curves, terms of couplings, bodies of conditions
    surface: Columns  # (shapes, SURFACE) that a medium acts on


@packed
class State(NamedTuple):
    pose: (
        Columns  # (n, 7) centre of mass [m], quaternion (w first, body to world); 3 more: scales, where a body has any
    )
    velocity: Columns  # (n, stride) linear [m/s] and angular [rad/s] velocity, world axes; rates of the scales [1/s]
    memory: Columns  # (n + k, MEMORY) last wrench and turns of each edge
    applied: Columns  # (n, 6) force [N] and torque [N m] that the user applies
    grab: Columns  # (grabs, GRAB)
    drive: Columns  # (drives, DRIVE)
    limit: Columns  # (limits, LIMIT)
    loose: Columns  # (n + k, 1) 1: a link that cannot be closed: it pulls, but is not held (integrators/releasing.py)


@packed
class Elimination(NamedTuple):
    """Room for the factor of an n x n matrix (links/rank.py)."""

    factor: Floats  # (n, n) the scaled matrix, then L below the diagonal, D on it, U above it
    row: Ints  # (n,) P: which row stands at each place
    column: Ints  # (n,) Q
    scale: Floats  # (n,) S
    left: Floats  # (n, n) Cholesky factor of L^T L
    right: Floats  # (n, n) Cholesky factor of U U^T
    work: Floats  # (n,)
    other: Floats  # (n,)


@packed
class Pivoting(NamedTuple):
    """A complementarity problem of at most n rows, its solution, and the room to find it (links/pivoting.py)."""

    matrix: Floats  # (n, n) W
    offset: Floats  # (n,) q
    limit: Floats  # (n, 2) lo, hi; of friction rows times x[partner]
    partner: Ints  # (n,) row of the normal force, -1 for rows that are not friction
    x: Floats  # (n,) solution
    a: Floats  # (n,) W x + q
    finding: Ints  # (n,) of equality rows
    relation: Floats  # (n, n) row i, where redundant: the sum of rows that it repeats
    elimination: Elimination
    place: Ints  # (n,) rows of the reduced problem, then the equality rows
    coupling: Floats  # (n, n + 1) W_EE^+ [W_EI, q_E]
    reduced: Floats  # (n, n) the matrix without equalities, scaled
    start: Floats  # (n,) its q
    scale: Floats  # (n,)
    own: Floats  # (n,) the diagonal before the equalities were eliminated
    noise: Floats  # (n,) rates below this are rounding
    bound: Floats  # (n, 2)
    mate: Ints  # (n,) partner in the reduced problem
    follower: Ints  # (n,) the first friction row of a normal force, -1 for none
    following: Ints  # (n,) the next friction row of the same
    state: Ints  # (n,)
    guess: Ints  # (n,) states to begin with
    force: Floats  # (n,) scaled x
    speed: Floats  # (n,) scaled a
    move: Floats  # (n,) change of force
    rate: Floats  # (n,) change of speed
    active: Ints  # (n,) the held rows
    system: Floats  # (n, n) their matrix
    inverse: Floats  # (n, n) the inverse of that of the rows held so far
    place_held: Ints  # (n,) where a row stands in it, -1: nowhere
    share: Floats  # (n,) of a friction row: how much of its normal force its force is there
    tally: Ints  # (2,) how many rows stand there, how often it has been changed (links/pivoting.py)
    left: Floats  # (n,) its products
    right: Floats  # (n,)
    old_force: Floats  # (n,)
    old_speed: Floats  # (n,)
    old_state: Ints  # (n,)


@packed
class Islands(NamedTuple):
    """Links by the trees that they tie together (links/islands.py), and the columns of their rows."""

    link: Ints  # (links,) the island of each
    island: Ints  # (n,) the island on whose paths a body is, -1: on none
    lopsided: Ints  # (islands,) 1: some of its rows' forces do not act along them (links/thrusts.py)
    first: Ints  # (islands + 1,) the first place of its rows in `member`
    rank: Ints  # (islands,) how many of its rows are independent
    slot: Ints  # (K,) which of its island's rows a row is
    member: Ints  # (K,) rows, island by island
    body_start: Ints  # (islands + 1,) the first place of its bodies in `body`
    body: Ints  # bodies on the paths of its rows, ascending in each island
    wide: Columns  # (n k, 48) reduced columns, k times four (solvers/fused_columns.py); no rows: none are kept
    share: Floats  # (1, slots) multipliers of one island


@packed
class Auxiliary(NamedTuple):
    """Rows of the edges outside the forest, then of the grabs, then of the limits that are met (K at most), each a
    sparse row of the Jacobian."""

    start: Ints  # (K + 1,) first entry of each row
    body: Ints  # (entries,) whose velocity an entry multiplies
    jacobian: Columns  # (entries, stride)
    thrust: Columns  # (entries, stride) forces of the links' rows, where some do not act along them; else one row
    thrust_scale: Floats  # (K,) as `scale`, of their columns
    unsymmetric: Elimination  # of their matrix
    gathered: Ints  # (K,) the rows of that
    pulls: Elimination  # of the grabs' law beside them
    counts: Ints  # (3,) rows and ranks of these two (links/unsymmetric.py, links/thrusts.py)
    spread: Floats  # (K,) a right-hand side of theirs
    edge: Ints  # (K,) the edge of each row
    twist: Columns  # (K, 6) the row as a twist at the edge's anchor
    soft: Floats  # (K,) 1 for the compliant row of a spring, 0 for a constraint
    matrix: Floats  # (K, K) J A^-1 J^T + soft, lower triangle
    factor: Floats  # (K, K) its pivoted factor
    pivot: Ints  # (K,) order of elimination; the rows from the rank on depend on those before
    scale: Floats  # (K,) 1 / sqrt of the pivot that the row would have without joints
    right: Floats  # (K,) right-hand side
    multiplier: Floats  # (K,) mu
    limit: Ints  # (limit rows,) the limit of each; -1: of a contact
    bounce: Floats  # (limit rows,) how much of `right` is restitution
    mate: Ints  # (K,) of a friction row the row of its normal force, else -1
    bound: Columns  # (K, 2) least and largest multiplier of limits and contacts, of friction rows over the mate's
    lean: Floats  # (K,) share of the next row that is added to the law of a row, not to its force
    guess: Ints  # (K,) on which side of its law such a row is expected, or was found (links/pivoting.py)
    held: Floats  # (K,) multipliers of a solution that another one is compared to
    reach: Floats  # (other rows, K) multipliers of the links' rows that answer to a unit of each grab's or limit's
    schur: Floats  # (other rows, other rows) response of the grabs' and limits' rows with the links closed
    give: Floats  # (limit rows, grab rows) what a unit of each limit's takes from the grabs'
    heed: Floats  # (grab rows,) 1 where a grab's law takes other forces into account
    group: Ints  # (other rows,) of a grab's, limit's or contact's row the first of its island (links/pressing.py)
    member: Ints  # (limit rows,) the rows of limits and contacts, island by island
    pivoting: Pivoting  # of such an island
    system: Floats  # (grab rows squared,) the matrix of their law, by columns
    own: Floats  # (90,) the same of one grab, and vectors
    islands: Islands  # of the links' rows
    listed: Ints  # (n,) bodies on the paths of all rows, in ascending order
    mark: Ints  # (n,) of a listed body its root + 1, else 0
    active: Ints  # (n,) of a root: the last column whose row touches its tree, + 1
    amiss: Ints  # (n + k,) edges with rows that depend on others and contradict them; LET_GO: loose ones
    force: Columns  # (n, stride) right-hand side of the request
    row: Columns  # (n + k, 9) d and b of the request


@packed
class Work(NamedTuple):
    rotation: Columns  # (n, 9) rotation matrices of the pose that `edge` was filled at
    edge: Columns  # (n + k, EDGE)
    gap: Columns  # (n + k, 6) error of each edge, as a twist of the child relative to the parent
    spring: Columns  # (n + k, SPRING)
    rotor: Columns  # (n + k, ROTORS)
    block: Columns  # (n, stride (stride + 1) / 2) A, lower triangle by rows; articulated after `factor`
    force: Columns  # (n, stride) right-hand side f
    row: Columns  # (n + k, ROW) D, d, b
    rows: Floats  # (n + k, 36 or ROW_COLUMNS) T: constraint rows, each a twist at the anchor; where they are wanted
    reduced: Columns  # (n, REDUCED)
    velocity: Columns  # (n, stride) solution v
    wrench: Columns  # (n + k, 6) solution: joint wrench on the child at its anchor (impulse in velocity solves)
    next_pose: Columns  # as State.pose
    next_rotation: Columns  # (n, 9)
    next_velocity: Columns  # (n, stride)
    next_wrench: Columns  # (n + k, 6)
    next_gap: Columns  # (n + k, 6)
    mean_wrench: Columns  # (n + k, MEANS) joint wrenches of a step that was taken in substeps
    other_pose: Columns
    spring_pose: Columns  # where springs and drives of a further stage are measured
    stash: Columns  # (n, STASH)
    backup: Columns  # pose and velocity at the start of a composed step
    backup_memory: Columns  # (n + k, MEMORY)
    spare: Columns  # (n + k, EDGE) levers and axes at a pose other than that of `edge`
    spare_rows: Floats  # (n + k, 36 or ROW_COLUMNS)
    shared: Floats  # (rows, SHARED) conditions over several bodies: what they are called with, J and K
    stretch: Columns  # (n + k, STRETCH) where some body is scaled, else one number
    signal: Columns  # (signals, 3) value, rate and acceleration of each prescribed motion, at the present stage
    frame: Columns  # (frames, FRAME) bodies whose motion is prescribed, at the present stage
    pull: Columns  # (grabs, PULL)
    limit: Columns  # (limits, LIMIT_STATE)
    stop: Columns  # (2 limits, STOP) those near, in steps with contacts
    along: Ints  # (n,) bodies of a request ALONG
    clock: Ints  # (CLOCK,)
    drive: Columns  # (drives, WORKING)
    held_block: Columns  # A, f, D and d without the drives, where there are drives
    held_force: Columns
    held_row: Columns  # (n + k, 9)
    flow: Columns  # (shapes, FLOW)
    auxiliary: Auxiliary
    general: Floats  # store of the edges on the run-time-dimension path
    island: Ints  # (n, 2) what hangs together (physics/bodies/islands.py)
    part: Ints  # (n,) which pass of the present step a body's motion is taken from
    given: Floats  # (n,) work of prescribed motions, drives and wind in the present (sub)step, by a body they move
    tally: Floats  # (n, TALLY) sums over islands
    control: Ints  # (CONTROLS,)
    number: Floats  # (NUMBERS,)


@packed
class NoSpace(NamedTuple):
    """Workspace of the modes that need none of their own."""

    nothing: Floats  # (1,)
