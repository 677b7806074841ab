"""Allocation of the arrays of State and Work. Their shapes follow from the numbers of bodies, edges, grabs, drives and
limits.
"""

import numpy as np

from physics.data.model import Auxiliary, Floats, Model
from physics.data.model_tables import Bodies, ForceLaw, JointKind, Joints, Materials, Topology, TreePlace
from physics.data.state_tables import Drives, Grabs, HardLimits, Memory, PoseColumn
from physics.data.work_tables import (
    DriveWork, Edges, LimitWork, MeanWrench, Pulls, Reduced, Rotors, Rows, Springs, Stash, Stops, Stretch,
)  # fmt: skip
from physics.links.islands import find_islands
from physics.links.pivoting import make_pivoting
from physics.links.full_pivoting import make_elimination
from physics.solvers.compliant import count_spring_axes

# Rows of limits at a time: pivoting takes the cube of their number, and beyond it is too slow to look at.
MOST_LIMITS = 256
LINE = 8  # numbers in a cache line: arrays start on one


def allocate(shapes: dict[str, tuple[int, int]]) -> dict[str, Floats]:
    """Return arrays of these shapes out of one allocation. A large allocation gets large pages, so that a step over
    thousands of bodies does not wait for address translation. Each array begins with a cache line, so that a row of
    whole lines touches no other line."""
    pool = np.zeros(sum(rows * columns + LINE for rows, columns in shapes.values()) + 2 * LINE)
    arrays: dict[str, Floats] = {}
    start = -pool.ctypes.data // 8 % LINE
    for name, (rows, columns) in shapes.items():
        # of Work.row, what right-hand sides are made of is in one line, D in another
        first = start + (LINE - Rows.PUSH if name == "row" else 0)
        arrays[name] = pool[first : first + rows * columns].reshape(rows, columns)
        start += -(-rows * columns // LINE) * LINE + (first - start and LINE)
    return arrays


def array_shapes(
    n: int, edges: int, stride: int, columns: int, grabs: int = 0, drives: int = 0, limits: int = 0
) -> dict[str, tuple[int, int]]:
    """Return the shape (rows, columns) of every array that has a row for each body, edge, grab, drive or limit, in the
    order in which the arrays lie in memory. `columns` is the number of columns of the constraint rows."""
    triangle = stride * (stride + 1) // 2
    scaled = stride > PoseColumn.RATES
    place = 7 + stride - PoseColumn.RATES
    return {
        "state.pose": (n, place),
        "state.velocity": (n, stride),
        "state.memory": (edges, Memory.WIDTH),
        "state.applied": (n, 6),
        "state.grab": (grabs, Grabs.WIDTH),
        "pull": (grabs, Pulls.WIDTH),
        "state.limit": (limits, HardLimits.WIDTH),
        "limit": (limits, LimitWork.WIDTH),
        "state.loose": (edges, 1),
        "stop": (2 * limits, Stops.WIDTH),
        "topology": (edges, Topology.WIDTH),
        "body": (n, Bodies.WIDTH),
        "joint": (edges, Joints.WIDTH),
        "rotation": (n, 9),
        "edge": (edges, Edges.WIDTH),
        "gap": (edges, 6),
        "spring": (edges, Springs.WIDTH),
        "rotor": (edges, Rotors.WIDTH),
        "row": (edges, Rows.WIDTH),
        "rows": (edges, columns),
        "reduced": (n, Reduced.WIDTH),
        "wrench": (edges, 6),
        "next_pose": (n, place),
        "next_rotation": (n, 9),
        "next_wrench": (edges, 6),
        "next_gap": (edges, 6),
        "mean_wrench": (edges, MeanWrench.WIDTH),
        "other_pose": (n, place),
        "spring_pose": (n, place),
        "stash": (n, Stash.SCALED if scaled else Stash.PLAIN),
        "block": (n, triangle),
        "force": (n, stride),
        "velocity": (n, stride),
        "next_velocity": (n, stride),
        "backup": (n, place + stride),
        "backup_memory": (edges, Memory.WIDTH),
        "spare": (edges, Edges.WIDTH),
        "spare_rows": (edges, columns),
        "material": (edges, Materials.WIDTH) if scaled else (1, 1),
        "stretch": (edges, Stretch.WIDTH) if scaled else (1, 1),
        "state.drive": (drives, Drives.WIDTH),
        "drive": (drives, DriveWork.WIDTH),
        "held_block": (n if drives else 0, triangle),
        "held_force": (n if drives else 0, stride),
        "held_row": (edges if drives else 0, 9),
    }


def make_auxiliary(model: Model, stride: int, grabs: int, limits: int, touching: int = 0) -> Auxiliary:
    """Return the arrays of the auxiliary rows. They have room for every row of the links and grabs, for the rows of as
    many limits as can be met at one time, and for the given number of contact rows. A row spans two bodies, or all
    bodies of a coupling's terms or of a condition."""
    n, links, joint = len(model.topology), model.links, model.joint[len(model.topology) :]
    rows = [
        int(link[Topology.ROWS])
        + (
            count_spring_axes(int(link[Topology.PATH]), int(link[Topology.DOFS]))
            if link[Topology.TREE_EDGE] == TreePlace.NO_PLACE
            else 0
        )
        for link in links
    ]
    count = sum(rows)
    pulls = 6 * grabs
    met = min(2 * limits, MOST_LIMITS) + touching
    room = max(count + pulls + met, 1)
    several = (
        joint[: len(links), Joints.TABLE_ROWS]
        * links[:, Topology.ROWS]
        * (links[:, Topology.KIND] >= JointKind.COUPLING)
    )
    entries = 2 * (room + int(several.sum()))
    of_condition = links[:, Topology.KIND] == JointKind.GROUP_CONDITION
    thrusts = bool((joint[: len(links), Joints.FORCES][of_condition] != ForceLaw.ALONG_ROWS).any())
    return Auxiliary(
        start=np.zeros(room + 1, np.int64),
        body=np.zeros(entries, np.int64),
        jacobian=np.zeros((entries, stride)),
        thrust=np.zeros((entries if thrusts else 1, stride)),
        thrust_scale=np.zeros(room),
        unsymmetric=make_elimination(count if thrusts else 1),
        gathered=np.zeros(room, np.int64),
        pulls=make_elimination(pulls if thrusts else 1),
        counts=np.zeros(3, np.int64),
        spread=np.zeros(room),
        edge=np.zeros(room, np.int64),
        twist=np.zeros((room, 6)),
        soft=np.zeros(room),
        matrix=np.zeros((room, room)),
        factor=np.zeros((room, room)),
        pivot=np.zeros(room, np.int64),
        scale=np.zeros(room),
        right=np.zeros(room),
        multiplier=np.zeros(room),
        limit=np.zeros(max(met, 1), np.int64),
        bounce=np.zeros(max(met, 1)),
        mate=np.full(room, -1, np.int64),
        bound=np.zeros((room, 2)),
        lean=np.zeros(room),
        guess=np.zeros(room, np.int64),
        held=np.zeros(room),
        reach=np.zeros((pulls + met, room)),
        schur=np.zeros((pulls + met, pulls + met)),
        give=np.zeros((met, pulls)),
        heed=np.zeros(pulls),
        group=np.zeros(pulls + met, np.int64),
        member=np.zeros(met, np.int64),
        pivoting=make_pivoting(met),
        system=np.zeros(pulls * pulls),
        own=np.zeros(90),
        islands=find_islands(model.topology, links, joint, model.table, rows),
        listed=np.zeros(n, np.int64),
        mark=np.zeros(n, np.int64),
        active=np.zeros(n, np.int64),
        amiss=np.zeros(n + len(links), np.int64),
        force=np.zeros((n, stride)),
        row=np.zeros((n + len(links), 9)),
    )
