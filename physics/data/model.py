"""The groups of arrays with which the kernels work.

`Model` describes the figure, `State` has the data that a step advances, and `Work` has the data that a step computes.
Each field is one array. Its entry (`array`, `physics/data/arrays.py`) gives the shape of the array, its meaning, its
unit, the axes of its vectors, and the rooms that write it. The array is made from this entry. `Table` classes
(physics/data/*_tables.py) name the columns. A snapshot contains the state, the settings and the warm starts of
contacts, so that every later step gives the same bits.

`SIZES` (`physics/data/arrays.py`) explains the symbols in shapes. A 3x3 matrix is stored by rows in 9 columns. A packed
3x3 matrix is symmetric; its lower triangle is stored by rows in 6 columns."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from physics.compiler.pack import Columns, IntColumns, packed
from physics.data.arrays import array, nested
from physics.data.model_tables import Bodies, Forms, Joints, Member, Surfaces, Topology
from physics.data.state_tables import Drives, Grabs, HardLimits, Memory
from physics.data.step_tables import Control, Number
from physics.data.work_tables import (
    Clock, DriveWork, Edges, Flows, Frames, LimitWork, MeanWrench, Pulls, Reduced, Rotors, Rows, Shared, Springs, Stops,
    Tally,
)  # fmt: skip

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@packed
class Signals(NamedTuple):
    """All signals of a scene, which are functions of time, and the moving bodies that they move
    (definitions/motions.py)."""

    table: Ints = array(("signals", 5), "kind of each signal and its place in `keys`", by="definitions")
    keys: Floats = array(("keys", 4), "parameters and keys of all signals", by="definitions, world")
    motion: Ints = array(
        ("frames", 2), "first signal of each moving body, and how its rotation is given", by="definitions"
    )
    base: Floats = array(
        ("frames", 4),
        "orientation of each moving body (quaternion), to which its rotation vector is applied",
        "1",
        frame="world",
        by="build",
    )


@packed
class Model(NamedTuple):
    """The data that describe a figure. A step changes them only for scaled bodies, whose inertia and anchors follow
    their scales. Stiffness and damping of joints may change between steps."""

    topology: IntColumns = array(("n", Topology), "how bodies and their inbound edges are connected", by="build, world")
    body: Columns = array(("n", Bodies), "inertia", by="bodies, build")
    joint: Columns = array(("n + k", Joints), "geometry and springs of each edge", by="bodies, build, world")
    links: IntColumns = array(("k", Topology), "how the edges outside the forest are connected", by="build, world")
    signals: Signals = nested("functions of time, and the bodies that move by them")
    form: Columns = array(("forms", Forms), "how planar and scaled bodies differ from rigid ones", by="build")
    material: Columns = array(("stretching", "material_columns"), "anchors of joints at scale 1", by="build")
    table: Columns = array(
        ("table_rows", Member), "segments of curves, terms of couplings, and bodies of conditions", by="build"
    )
    surface: Columns = array(("surfaces", Surfaces), "shapes on which a medium acts", by="definitions")


@packed
class State(NamedTuple):
    """The data that a step advances. A snapshot contains them."""

    pose: Columns = array(
        ("n", "place"),
        "centre of mass, quaternion (w first, body to world), scales of scaled scenes",
        "m, 1, 1",
        frame="world",
        by="bodies, edges, build, integrators, world",
    )
    velocity: Columns = array(
        ("n", "stride"),
        "linear and angular velocity, rates of the scales",
        "m/s, rad/s, 1/s",
        frame="world",
        by="edges, build, integrators, world",
    )
    memory: Columns = array(
        ("n + k", Memory), "last wrench and turns of each edge", by="joints, edges, build, integrators, world"
    )
    applied: Columns = array(
        ("n", 6), "force and torque that the user applies", "N, N m", frame="world", by="build, world"
    )
    grab: Columns = array(("grabs", Grabs), "what holds a body at a point", by="forces, build, world")
    drive: Columns = array(
        ("drives", Drives), "drives of joints, and springs to a target", by="forces, build, integrators, world"
    )
    limit: Columns = array(("limits", HardLimits), "hard limits", by="forces, build, world")
    released: Columns = array(
        ("n + k", 1),
        "1: a released link, which cannot be closed: it pulls softly (integrators/releasing.py)",
        by="build, integrators, world",
    )


@packed
class Elimination(NamedTuple):
    """The arrays for the factorisation P (S W S) Q = L D U of an n x n matrix W of rank r (links/full_pivoting.py)."""

    factor: Floats = array(("e", "e"), "the scaled matrix, then L below the diagonal, D on it, U above it", by="links")
    row: Ints = array(("e",), "P: which row stands at each place", by="links")
    column: Ints = array(("e",), "Q: which column stands at each place", by="links")
    scale: Floats = array(("e",), "the diagonal of S", by="links")
    left: Floats = array(("e", "e"), "Cholesky factor of L^T L", by="links")
    right: Floats = array(("e", "e"), "Cholesky factor of U U^T", by="links")
    work: Floats = array(("e",), "intermediate vector of a solve", by="links")
    other: Floats = array(("e",), "second intermediate vector of a solve", by="links")


@packed
class Pivoting(NamedTuple):
    """A complementarity problem with at most n rows, its solution, and the arrays for finding it
    (links/pivoting.py)."""

    matrix: Floats = array(("p", "p"), "W", by="links")
    offset: Floats = array(("p",), "q", by="links")
    limit: Floats = array(("p", 2), "least and largest x; of a friction row, the factors of x[partner]", by="links")
    partner: Ints = array(("p",), "row of the normal force, -1 for rows that are not friction", start=-1, by="links")
    x: Floats = array(("p",), "solution, the forces", by="links")
    a: Floats = array(("p",), "W x + q, the rates", by="links")
    finding: Ints = array(
        ("p",), "what was found about each equality row: independent, redundant, or contradicting", by="links"
    )
    relation: Floats = array(("p", "p"), "row i of a redundant equality: the sum of rows that it repeats", by="links")
    elimination: Elimination = nested("factor of the equality rows")
    place: Ints = array(("p",), "rows of the reduced problem, then the equality rows", by="links")
    coupling: Floats = array(("p", "p + 1"), "W_EE^+ [W_EI, q_E], E the equality rows and I the others", by="links")
    reduced: Floats = array(("p", "p"), "the matrix of the reduced problem, without the equalities, scaled", by="links")
    start: Floats = array(("p",), "the vector q of the reduced problem, scaled", by="links")
    scale: Floats = array(("p",), "the scales of the reduced problem", by="links")
    own: Floats = array(("p",), "the diagonal before the equalities were eliminated", by="links")
    noise: Floats = array(("p",), "rates below this are rounding errors", by="links")
    bound: Floats = array(("p", 2), "least and largest force in the reduced problem", by="links")
    mate: Ints = array(("p",), "partner in the reduced problem", by="links")
    follower: Ints = array(("p",), "the first friction row of a normal force, -1 for none", by="links")
    following: Ints = array(("p",), "the next friction row of the same normal force, -1 for none", by="links")
    state: Ints = array(
        ("p",), "state of each row: held, at its lower or upper bound, idle, ... (links/pivoting.py)", by="links"
    )
    guess: Ints = array(("p",), "states with which the search begins", by="links")
    force: Floats = array(("p",), "scaled x", by="links")
    speed: Floats = array(("p",), "scaled a", by="links")
    move: Floats = array(("p",), "change of `force`", by="links")
    rate: Floats = array(("p",), "change of `speed`", by="links")
    active: Ints = array(("p",), "the held rows", by="links")
    system: Floats = array(("p", "p"), "the matrix of the held rows", by="links")
    inverse: Floats = array(("p", "p"), "the inverse of the matrix of the rows that are held so far", by="links")
    place_held: Ints = array(("p",), "place of each row in `inverse`, -1 for none", by="links")
    share: Floats = array(("p",), "of a friction row, the share of its normal force that its force is", by="links")
    tally: Ints = array((2,), "number of rows in `inverse`, and how often it has been updated", by="links")
    left: Floats = array(("p",), "product of `inverse` with a column", by="links")
    right: Floats = array(("p",), "product of `inverse` with a row", by="links")
    old_force: Floats = array(("p",), "`force` before an exchange that may be taken back", by="links")
    old_speed: Floats = array(("p",), "`speed` before an exchange that may be taken back", by="links")
    old_state: Ints = array(("p",), "`state` before an exchange that may be taken back", by="links")


@packed
class Islands(NamedTuple):
    """Groups of links that share a tree of the forest, and the columns that belong to their rows (links/islands.py)."""

    link: Ints = array(("k",), "the island of each link", by="links")
    island: Ints = array(("n",), "the island on whose paths a body is, -1 for none", by="links")
    lopsided: Ints = array(
        ("islands",), "1: some of its rows have non-ideal constraint forces (links/nonideal_forces.py)", by="links"
    )
    first: Ints = array(("islands + 1",), "the first place of its rows in `member`", by="links")
    rank: Ints = array(("islands",), "how many of its rows are independent", by="links")
    slot: Ints = array(("K",), "number of each row among the rows of its island", by="links")
    member: Ints = array(("K",), "rows, island by island", by="links")
    body_start: Ints = array(("islands + 1",), "the first place of its bodies in `body`", by="links")
    body: Ints = array(("path_bodies",), "bodies on the paths of its rows, ascending in each island", by="links")
    wide: Columns = array(
        ("wide_rows", "wide_columns"), "reduced columns in SIMD groups of four; no rows where none are kept", by="links"
    )
    share: Floats = array((1, "slots"), "multipliers of one island", "N or N m, in the row's unit", by="solvers")


@packed
class Auxiliary(NamedTuple):
    """The auxiliary rows, at most K. The rows of the links come first, then those of the grabs, and then those of
    limits and contacts that exert a force. Each is a sparse row of the Jacobian (links/sparse_rows.py). Below, "other
    rows" are those of grabs, limits and contacts; "limit rows" are those of limits and contacts."""

    start: Ints = array(("K + 1",), "first entry of each row", by="links")
    body: Ints = array(("entries",), "body whose velocity an entry multiplies", by="links")
    jacobian: Columns = array(("entries", "stride"), "entries of the Jacobian J_a", "1, m", frame="world", by="links")
    force_jacobian: Columns = array(
        ("directions", "stride"),
        "directions K_a of forces, where some of the links' are non-ideal",
        "1, m",
        frame="world",
        by="links",
    )
    force_scale: Floats = array(("K",), "scale of the columns of K_a", by="links")
    unsymmetric: Elimination = nested("factor of J_a A^-1 K_a of one island")
    gathered: Ints = array(("K",), "the rows of that island", by="links")
    pulls: Elimination = nested("factor of the grabs' law where it is not symmetric")
    counts: Ints = array((3,), "number of rows and rank of `unsymmetric`, rank of `pulls`", by="links")
    spread: Floats = array(("K",), "a right-hand side of `unsymmetric`", by="links")
    edge: Ints = array(("K",), "the edge of each row", by="links")
    twist: Columns = array(("K", 6), "the row as a twist at the edge's anchor", "1, m", frame="world", by="links")
    soft: Floats = array(("K",), "1 for the compliant row of a spring, 0 for a constraint", by="links")
    matrix: Floats = array(("K", "K"), "J_a A^-1 J_a^T + soft, lower triangle", by="solvers, links")
    factor: Floats = array(("K", "K"), "pivoted factor of `matrix`", by="links")
    pivot: Ints = array(("K",), "order of elimination; the rows from the rank on depend on those before", by="links")
    scale: Floats = array(("K",), "1 / sqrt of the pivot that the row would have without joints", by="links")
    right: Floats = array(("K",), "right-hand side", "m/s or rad/s", by="solvers, links")
    multiplier: Floats = array(("K",), "the multipliers mu", "N or N m", by="links")
    limit: Ints = array(("some_limit_rows",), "the limit of each row; -1: the row is that of a contact", by="links")
    bounce: Floats = array(("some_limit_rows",), "the part of `right` that is restitution", "m/s or rad/s", by="links")
    mate: Ints = array(("K",), "of a friction row, the row of its normal force; else -1", start=-1, by="links")
    bound: Columns = array(
        ("K", 2), "least and largest multiplier of limits and contacts; of friction rows, over the mate's", by="links"
    )
    lean: Floats = array(
        ("K",), "share of the next row that is added to the law of a row, but not to its force", by="links"
    )
    guess: Ints = array(
        ("K",), "on which side of its law such a row is expected, or was found (links/pivoting.py)", by="links"
    )
    held: Floats = array(("K",), "multipliers of an earlier solution, for comparison", "N or N m", by="links")
    reach: Floats = array(
        ("grab_rows + limit_rows", "K"), "multipliers of the links' rows for a unit force of each other row", by="links"
    )
    schur: Floats = array(
        ("grab_rows + limit_rows", "grab_rows + limit_rows"),
        "response of the other rows while the links stay closed",
        by="links",
    )
    give: Floats = array(
        ("limit_rows", "grab_rows"), "change of the grabs' multipliers for a unit force of each limit row", by="links"
    )
    heed: Floats = array(("grab_rows",), "1 where the law of a grab takes other forces into account", by="links")
    group: Ints = array(
        ("grab_rows + limit_rows",), "the first row of its island (links/complementary_forces.py)", by="links"
    )
    member: Ints = array(("limit_rows",), "the rows of limits and contacts, island by island", by="links")
    pivoting: Pivoting = nested("the complementarity problem of one island")
    system: Floats = array(("grab_rows grab_rows",), "the matrix of the grabs' law, by columns", by="links")
    own: Floats = array((90,), "the matrix of one grab's law, and vectors", by="links")
    islands: Islands = nested("the islands of the links' rows")
    listed: Ints = array(("n",), "bodies on the paths of all rows, in ascending order", by="links")
    mark: Ints = array(("n",), "root + 1 of a listed body, else 0", by="links")
    active: Ints = array(("n",), "of a root, the last column whose row touches its tree, + 1", by="links")
    error_state: Ints = array(
        ("n + k",), "error state of each edge, 0 or a code of `LinkError`", by="links, integrators"
    )
    force: Columns = array(
        ("n", "stride"), "right-hand side f of the integrator's request", "N, N m", frame="world", by="forces"
    )
    row: Columns = array(("n + k", 9), "d and b of the integrator's request", "m/s, rad/s", frame="world", by="forces")


@packed
class Work(NamedTuple):
    """The data that a step computes. The system of a request is A v - J^T l = f, J v = g (physics/README.md)."""

    rotation: Columns = array(
        ("n", 9),
        "rotation matrices, body to world, of the pose at which `edge` was filled",
        "1",
        frame="body to world",
        by="edges, integrators",
    )
    edge: Columns = array(
        ("n + k", Edges), "levers, motion axes and elimination factor of each edge", by="joints, solvers"
    )
    gap: Columns = array(
        ("n + k", 6),
        "error of each edge, as a twist of the child relative to the parent",
        "m, rad",
        frame="world",
        by="edges",
    )
    spring: Columns = array(("n + k", Springs), "springs of each edge", by="joints, edges")
    rotor: Columns = array(("n + k", Rotors), "rates of the axes that have a rotor", by="forces, integrators")
    block: Columns = array(
        ("n", "triangle"),
        "A, lower triangle by rows; after FACTOR, what `fused` makes of it",
        "kg, kg m, kg m^2",
        frame="world",
        by="bodies, forces, solvers, contacts",
    )
    force: Columns = array(
        ("n", "stride"),
        "right-hand side f",
        "N, N m or N s, N m s",
        frame="world",
        by="bodies, edges, forces, solvers, contacts, links, integrators",
    )
    row: Columns = array(
        ("n + k", Rows), "D, d and b of each edge", line=Rows.PUSH, by="edges, forces, contacts, links, integrators"
    )
    rows: Floats = array(
        ("n + k", "row_columns"),
        "constraint rows T, each a twist at the anchor",
        "1, m",
        frame="world",
        by="joints, solvers",
    )
    reduced: Columns = array(("n", Reduced), "a right-hand side, reduced by `fused`", by="solvers")
    velocity: Columns = array(
        ("n", "stride"),
        "the solution v",
        "m/s, rad/s or m/s^2, rad/s^2",
        frame="world",
        by="bodies, solvers, contacts, links, integrators",
    )
    wrench: Columns = array(
        ("n + k", 6),
        "the solution: joint wrench on the child at its anchor; an impulse in velocity solves",
        "N, N m or N s, N m s",
        frame="world",
        by="forces, solvers, links, integrators",
    )
    next_pose: Columns = array(
        ("n", "place"),
        "the pose at the end of the step, columns as State.pose",
        "m, 1, 1",
        frame="world",
        by="bodies, integrators",
    )
    next_rotation: Columns = array(
        ("n", 9), "rotation matrices of `next_pose`", "1", frame="body to world", by="edges, integrators"
    )
    next_velocity: Columns = array(
        ("n", "stride"),
        "the velocity at the end of the step",
        "m/s, rad/s, 1/s",
        frame="world",
        by="bodies, integrators",
    )
    next_wrench: Columns = array(
        ("n + k", 6),
        "joint wrenches at the end of the step, where Number.FORCE_SCALE is 0",
        "N, N m",
        frame="world",
        by="edges, integrators",
    )
    next_gap: Columns = array(
        ("n + k", 6), "errors of the edges at `next_pose`", "m, rad", frame="world", by="edges, integrators"
    )
    mean_wrench: Columns = array(
        ("n + k", MeanWrench), "mean joint wrenches of a step that was taken in substeps", by="edges"
    )
    other_pose: Columns = array(
        ("n", "place"),
        "a further pose of the integrator, such as that of a stage",
        "m, 1, 1",
        frame="world",
        by="bodies, integrators",
    )
    spring_pose: Columns = array(
        ("n", "place"),
        "the pose at which springs and drives of a further stage are measured",
        "m, 1, 1",
        frame="world",
        by="bodies",
    )
    stash: Columns = array(
        ("n", "stash_columns"), "what an integrator keeps of each body between two requests", by="bodies, integrators"
    )
    backup: Columns = array(
        ("n", "place + stride"),
        "pose and velocity at the start of a composed step",
        "m, 1, 1, m/s, rad/s, 1/s",
        frame="world",
        by="integrators",
    )
    backup_memory: Columns = array(("n + k", Memory), "State.memory at the start of a composed step", by="integrators")
    spare: Columns = array(("n + k", Edges), "levers and axes at a pose other than that of `edge`", by="joints")
    spare_rows: Floats = array(
        ("n + k", "row_columns"), "constraint rows at the pose of `spare`", "1, m", frame="world", by="joints"
    )
    shared: Floats = array(
        ("shared_rows", Shared), "arguments, Jacobians and forces of conditions over several bodies", by="edges"
    )
    stretch: Columns = array(("stretching", "stretch_columns"), "how anchors move with the scales", by="bodies")
    signal: Columns = array(
        ("signals", 3), "value, rate and acceleration of each prescribed motion, at the present stage", by="definitions"
    )
    frame: Columns = array(
        ("frames", Frames), "bodies whose motion is prescribed, at the present stage", by="definitions"
    )
    pull: Columns = array(("grabs", Pulls), "each grab in the present stage", by="forces, links")
    limit: Columns = array(
        ("limits", LimitWork),
        "each hard limit in the present request",
        by="forces, contacts, links, integrators, world",
    )
    stop: Columns = array(
        ("2 limits", Stops),
        "ends of hard limits that are near, in steps with contacts",
        by="contacts, links, integrators",
    )
    along: Ints = array(("n",), "the bodies of a request with Request.ALONG", by="links")
    clock: Ints = array((Clock,), "time that the anticipation took", by="links, world")
    drive: Columns = array(("drives", DriveWork), "each drive in the present stage", by="forces, integrators")
    held_block: Columns = array(
        ("driven n", "triangle"), "A without the drives", "kg, kg m, kg m^2", frame="world", by="forces"
    )
    held_force: Columns = array(
        ("driven n", "stride"), "f without the drives", "N, N m or N s, N m s", frame="world", by="forces"
    )
    held_row: Columns = array(
        ("driven n + driven k", 9), "D and d without the drives", "kg, kg m^2; N, N m", frame="world", by="forces"
    )
    flow: Columns = array(("surfaces", Flows), "the drag of each shape in the present stage", by="forces")
    auxiliary: Auxiliary = nested("the rows of links, grabs, limits and contacts outside the forest")
    general: Floats = array(
        ("general",), "store of the edges on the path of `fused` with run-time dimensions", by="bodies, solvers"
    )
    island: Ints = array(
        ("n", 2),
        "another body of the island, towards the one that represents it; bits of `IslandFlag` there",
        by="bodies, contacts, links, integrators",
    )
    part: Ints = array(
        ("n",), "the pass of the present step from which a body's motion is taken (`Part`)", by="integrators"
    )
    given: Floats = array(
        ("n",),
        "work of prescribed motions, drives and wind on each body in the present (sub)step",
        "J",
        by="bodies, forces, integrators",
    )
    tally: Floats = array(
        ("n", Tally), "sums over islands, in the row of the body that represents the island", by="integrators"
    )
    control: Ints = array(
        (Control,),
        "switches and counters of the step",
        by="edges, forces, solvers, contacts, links, build, integrators, driver, world",
    )
    number: Floats = array(
        (Number,),
        "settings and sums of the step",
        by="bodies, edges, forces, solvers, contacts, links, build, integrators, driver, world",
    )


@packed
class NoSpace(NamedTuple):
    """The workspace of solver modes that do not need one."""

    nothing: Floats = array((1,), "unused")
