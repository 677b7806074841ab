"""The groups of arrays on which the kernels work.

`Model` describes the figure, `State` holds what moves, and `Work` holds what a step writes. Each field is one array.
The comment beside a field gives the shape of the array and its meaning; `Table` classes (physics/data/*_tables.py) name
its columns. A snapshot holds the state, the settings and the starting values of contacts, so that every later step
gives the same bits.

In shapes, n is the number of bodies, k the number of links, and K the number of auxiliary rows that there is room for.
Arrays of edges have n + k rows: edge i < n joins body i to its parent, edge n + j is link j. `stride` is the number of
velocity columns of a body, 9 in scenes with a scaled body and 6 in others. A 3x3 matrix has 9 columns, by rows; a
packed one is symmetric and has 6, its lower triangle by rows.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from physics.compiler.pack import Columns, IntColumns, packed

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@packed
class Signals(NamedTuple):
    """All signals of a scene, functions of time, and the moving bodies made of them (definitions/motions.py)."""

    table: Ints  # (signals, TABLE) kind of each signal and its place in `keys`
    keys: Floats  # (rows, KEY) parameters and keys of all signals
    motion: Ints  # (frames, 2) first signal of each moving body, and how its rotation is given
    base: Floats  # (frames, 4) orientation of each moving body (quaternion), to which its rotation vector is applied


@packed
class Model(NamedTuple):
    """What a figure is. A step does not change it; stiffness and damping of joints may change between steps."""

    topology: IntColumns  # (n, Topology.WIDTH) how bodies and their inbound edges are connected
    body: Columns  # (n, Bodies.WIDTH) inertia
    joint: Columns  # (n + k, Joints.WIDTH) geometry and springs of each edge
    links: IntColumns  # (k, Topology.WIDTH) how the edges outside the forest are connected
    signals: Signals  # functions of time, and the bodies that move by them
    form: Columns  # (n, Forms.WIDTH) where some body is planar or scaled, else (1, Forms.WIDTH): what is not rigid
    material: Columns  # (n + k, Materials.WIDTH) where some body is scaled, else (1, 1): anchors at scale 1
    table: Columns  # (rows, 14) segments of curves, terms of couplings, and bodies of conditions
    surface: Columns  # (shapes, Surfaces.WIDTH) shapes on which a medium acts


@packed
class State(NamedTuple):
    """What moves, and what a snapshot holds."""

    pose: Columns  # (n, 7 or 10) centre of mass [m], quaternion (w first, body to world), scales of scaled scenes
    velocity: Columns  # (n, stride) linear [m/s] and angular [rad/s] velocity in world axes; rates of the scales [1/s]
    memory: Columns  # (n + k, Memory.WIDTH) last wrench and turns of each edge
    applied: Columns  # (n, 6) force [N] and torque [N m] that the user applies, in world axes
    grab: Columns  # (grabs, Grabs.WIDTH) what holds a body at a point
    drive: Columns  # (drives, Drives.WIDTH) drives of joints, and springs to a target
    limit: Columns  # (limits, HardLimits.WIDTH) hard limits
    released: Columns  # (n + k, 1) 1: a link that cannot be closed and pulls softly (integrators/releasing.py)


@packed
class Elimination(NamedTuple):
    """Room for the factor of an n x n matrix of rank r, P (S W S) Q = L D U (links/full_pivoting.py)."""

    factor: Floats  # (n, n) the scaled matrix, then L below the diagonal, D on it, U above it
    row: Ints  # (n,) P: which row stands at each place
    column: Ints  # (n,) Q: which column stands at each place
    scale: Floats  # (n,) the diagonal of S
    left: Floats  # (n, n) Cholesky factor of L^T L
    right: Floats  # (n, n) Cholesky factor of U U^T
    work: Floats  # (n,) intermediate vector of a solve
    other: Floats  # (n,) second intermediate vector of a solve


@packed
class Pivoting(NamedTuple):
    """A complementarity problem of at most n rows, its solution, and the room to find it (links/pivoting.py)."""

    matrix: Floats  # (n, n) W
    offset: Floats  # (n,) q
    limit: Floats  # (n, 2) least and largest x; of a friction row, the factors of x[partner]
    partner: Ints  # (n,) row of the normal force, -1 for rows that are not friction
    x: Floats  # (n,) solution, the forces
    a: Floats  # (n,) W x + q, the rates
    finding: Ints  # (n,) what was found about each equality row: independent, redundant, or contradicting
    relation: Floats  # (n, n) row i of a redundant equality: the sum of rows that it repeats
    elimination: Elimination  # factor of the equality rows
    place: Ints  # (n,) rows of the reduced problem, then the equality rows
    coupling: Floats  # (n, n + 1) W_EE^+ [W_EI, q_E], E the equality rows and I the others
    reduced: Floats  # (n, n) the matrix of the reduced problem, without the equalities, scaled
    start: Floats  # (n,) the vector q of the reduced problem, scaled
    scale: Floats  # (n,) the scales of the reduced problem
    own: Floats  # (n,) the diagonal before the equalities were eliminated
    noise: Floats  # (n,) rates below this are rounding errors
    bound: Floats  # (n, 2) least and largest force in the reduced problem
    mate: Ints  # (n,) partner in the reduced problem
    follower: Ints  # (n,) the first friction row of a normal force, -1 for none
    following: Ints  # (n,) the next friction row of the same normal force, -1 for none
    state: Ints  # (n,) state of each row: held, at its lower or upper bound, idle, ... (links/pivoting.py)
    guess: Ints  # (n,) states with which the search begins
    force: Floats  # (n,) scaled x
    speed: Floats  # (n,) scaled a
    move: Floats  # (n,) change of `force`
    rate: Floats  # (n,) change of `speed`
    active: Ints  # (n,) the held rows
    system: Floats  # (n, n) the matrix of the held rows
    inverse: Floats  # (n, n) the inverse of the matrix of the rows that are held so far
    place_held: Ints  # (n,) place of each row in `inverse`, -1 for none
    share: Floats  # (n,) of a friction row, the share of its normal force that its force is
    tally: Ints  # (2,) number of rows in `inverse`, and how often it has been updated
    left: Floats  # (n,) product of `inverse` with a column
    right: Floats  # (n,) product of `inverse` with a row
    old_force: Floats  # (n,) `force` before an exchange that may be taken back
    old_speed: Floats  # (n,) `speed` before an exchange that may be taken back
    old_state: Ints  # (n,) `state` before an exchange that may be taken back


@packed
class Islands(NamedTuple):
    """Groups of links that share a tree of the forest, and the columns of their rows (links/islands.py)."""

    link: Ints  # (k,) the island of each link
    island: Ints  # (n,) the island on whose paths a body is, -1 for none
    lopsided: Ints  # (islands,) 1: some of its rows have non-ideal constraint forces (links/nonideal_forces.py)
    first: Ints  # (islands + 1,) the first place of its rows in `member`
    rank: Ints  # (islands,) how many of its rows are independent
    slot: Ints  # (K,) number of each row among the rows of its island
    member: Ints  # (K,) rows, island by island
    body_start: Ints  # (islands + 1,) the first place of its bodies in `body`
    body: Ints  # (bodies,) bodies on the paths of its rows, ascending in each island
    wide: Columns  # (bodies x slots / 4, 48) reduced columns in SIMD groups of four; no rows where none are kept
    share: Floats  # (1, slots) multipliers of one island


@packed
class Auxiliary(NamedTuple):
    """The auxiliary rows, at most K: first those of the links, then those of the grabs, then those of limits and
    contacts that carry a force. Each is a sparse row of the Jacobian (links/sparse_rows.py). "Other rows" are those of
    grabs, limits and contacts; "limit rows" are those of limits and contacts."""

    start: Ints  # (K + 1,) first entry of each row
    body: Ints  # (entries,) body whose velocity an entry multiplies
    jacobian: Columns  # (entries, stride) entries of the Jacobian J_a
    force_jacobian: Columns  # (entries or 1, stride) directions K_a of forces, where some of the links' are non-ideal
    thrust_scale: Floats  # (K,) scale of the columns of K_a
    unsymmetric: Elimination  # factor of J_a A^-1 K_a of one island
    gathered: Ints  # (K,) the rows of that island
    pulls: Elimination  # factor of the grabs' law where it is not symmetric
    counts: Ints  # (3,) number of rows and rank of `unsymmetric`, rank of `pulls`
    spread: Floats  # (K,) a right-hand side of `unsymmetric`
    edge: Ints  # (K,) the edge of each row
    twist: Columns  # (K, 6) the row as a twist at the edge's anchor
    soft: Floats  # (K,) 1 for the compliant row of a spring, 0 for a constraint
    matrix: Floats  # (K, K) J_a A^-1 J_a^T + soft, lower triangle
    factor: Floats  # (K, K) pivoted factor of `matrix`
    pivot: Ints  # (K,) order of elimination; the rows from the rank on depend on those before
    scale: Floats  # (K,) 1 / sqrt of the pivot that the row would have without joints
    right: Floats  # (K,) right-hand side
    multiplier: Floats  # (K,) the multipliers mu
    limit: Ints  # (limit rows,) the limit of each row; -1: the row is that of a contact
    bounce: Floats  # (limit rows,) the part of `right` that is restitution
    mate: Ints  # (K,) of a friction row, the row of its normal force; else -1
    bound: Columns  # (K, 2) least and largest multiplier of limits and contacts; of friction rows, over the mate's
    lean: Floats  # (K,) share of the next row that is added to the law of a row, but not to its force
    guess: Ints  # (K,) on which side of its law such a row is expected, or was found (links/pivoting.py)
    held: Floats  # (K,) multipliers of an earlier solution, for comparison
    reach: Floats  # (other rows, K) multipliers of the links' rows for a unit force of each other row
    schur: Floats  # (other rows, other rows) response of the other rows while the links stay closed
    give: Floats  # (limit rows, grab rows) change of the grabs' multipliers for a unit force of each limit row
    heed: Floats  # (grab rows,) 1 where the law of a grab takes other forces into account
    group: Ints  # (other rows,) the first row of its island (links/complementary_forces.py)
    member: Ints  # (limit rows,) the rows of limits and contacts, island by island
    pivoting: Pivoting  # the complementarity problem of one island
    system: Floats  # (grab rows squared,) the matrix of the grabs' law, by columns
    own: Floats  # (90,) the matrix of one grab's law, and vectors
    islands: Islands  # the islands of the links' rows
    listed: Ints  # (n,) bodies on the paths of all rows, in ascending order
    mark: Ints  # (n,) root + 1 of a listed body, else 0
    active: Ints  # (n,) of a root, the last column whose row touches its tree, + 1
    error_state: Ints  # (n + k,) error state of each edge, 0 or a code of `LinkError`
    force: Columns  # (n, stride) right-hand side f of the integrator's request
    row: Columns  # (n + k, 9) d and b of the integrator's request


@packed
class Work(NamedTuple):
    """What a step writes. The system of a request is A v - J^T l = f, J v = g (physics/README.md)."""

    rotation: Columns  # (n, 9) rotation matrices, body to world, of the pose at which `edge` was filled
    edge: Columns  # (n + k, Edges.WIDTH) levers, motion axes and elimination factor of each edge
    gap: Columns  # (n + k, 6) error of each edge, as a twist of the child relative to the parent [m, rad]
    spring: Columns  # (n + k, Springs.WIDTH) springs of each edge
    rotor: Columns  # (n + k, Rotors.WIDTH) rates of the axes that have a rotor
    block: Columns  # (n, stride (stride + 1) / 2) A, lower triangle by rows; after FACTOR, what `fused` makes of it
    force: Columns  # (n, stride) right-hand side f
    row: Columns  # (n + k, Rows.WIDTH) D, d and b of each edge
    rows: Floats  # (n + k, 36 or ConstraintRows.WIDTH) constraint rows T, each a twist at the anchor
    reduced: Columns  # (n, Reduced.WIDTH) a right-hand side, reduced by `fused`
    velocity: Columns  # (n, stride) the solution v
    wrench: Columns  # (n + k, 6) the solution: joint wrench on the child at its anchor; an impulse in velocity solves
    next_pose: Columns  # (n, 7 or 10) the pose at the end of the step, columns as State.pose
    next_rotation: Columns  # (n, 9) rotation matrices of `next_pose`
    next_velocity: Columns  # (n, stride) the velocity at the end of the step
    next_wrench: Columns  # (n + k, 6) joint wrenches at the end of the step, where Number.FORCE_SCALE is 0
    next_gap: Columns  # (n + k, 6) errors of the edges at `next_pose`
    mean_wrench: Columns  # (n + k, MeanWrench.WIDTH) mean joint wrenches of a step that was taken in substeps
    other_pose: Columns  # (n, 7 or 10) a further pose of the integrator, such as that of a stage
    spring_pose: Columns  # (n, 7 or 10) the pose at which springs and drives of a further stage are measured
    stash: Columns  # (n, Stash.PLAIN or Stash.SCALED) what an integrator keeps of each body between two requests
    backup: Columns  # (n, 7 + 6 or 10 + 9) pose and velocity at the start of a composed step
    backup_memory: Columns  # (n + k, Memory.WIDTH) State.memory at the start of a composed step
    spare: Columns  # (n + k, Edges.WIDTH) levers and axes at a pose other than that of `edge`
    spare_rows: Floats  # (n + k, 36 or ConstraintRows.WIDTH) constraint rows at the pose of `spare`
    shared: Floats  # (rows, Shared.WIDTH) arguments, Jacobians and forces of conditions over several bodies
    stretch: Columns  # (n + k, Stretch.WIDTH) where some body is scaled, else (1, 1): how anchors move with the scales
    signal: Columns  # (signals, 3) value, rate and acceleration of each prescribed motion, at the present stage
    frame: Columns  # (frames, Frames.WIDTH) bodies whose motion is prescribed, at the present stage
    pull: Columns  # (grabs, Pulls.WIDTH) each grab in the present stage
    limit: Columns  # (limits, LimitWork.WIDTH) each hard limit in the present request
    stop: Columns  # (2 limits, Stops.WIDTH) ends of hard limits that are near, in steps with contacts
    along: Ints  # (n,) the bodies of a request with Request.ALONG
    clock: Ints  # (Clock.WIDTH,) time that the anticipation took
    drive: Columns  # (drives, DriveWork.WIDTH) each drive in the present stage
    held_block: Columns  # (n, stride (stride + 1) / 2) A without the drives; no rows where there are no drives
    held_force: Columns  # (n, stride) f without the drives; no rows where there are no drives
    held_row: Columns  # (n + k, 9) D and d without the drives; no rows where there are no drives
    flow: Columns  # (shapes, Flows.WIDTH) the drag of each shape in the present stage
    auxiliary: Auxiliary  # the rows of links, grabs, limits and contacts outside the forest
    general: Floats  # (numbers,) store of the edges on the path of `fused` with run-time dimensions
    island: Ints  # (n, 2) another body of the island, towards the one that represents it; bits of `IslandFlag` there
    part: Ints  # (n,) the pass of the present step from which a body's motion is taken (`Part`)
    given: Floats  # (n,) work [J] of prescribed motions, drives and wind on each body in the present (sub)step
    tally: Floats  # (n, Tally.WIDTH) sums over islands, in the row of the body that represents the island
    control: Ints  # (Control.WIDTH,) switches and counters of the step
    number: Floats  # (Number.WIDTH,) settings and sums of the step


@packed
class NoSpace(NamedTuple):
    """Workspace of the solver modes that need none of their own."""

    nothing: Floats  # (1,) unused
