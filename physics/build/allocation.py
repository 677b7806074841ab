"""Allocation of those arrays of Model, State and Work whose shapes follow from the numbers of bodies, edges, grabs,
drives and limits. The entries of the arrays define the shapes (physics/data/model.py)."""

from collections.abc import Mapping

import numpy as np

from physics.data.arrays import Array, make, shape_of
from physics.data.model import Auxiliary, Floats, Model, State, Work
from physics.data.model_tables import ForceLaw, JointKind, Joints, Materials, Topology, TreePlace
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import Stash, Stretch
from physics.links.islands import find_islands
from physics.links.pivoting import make_pivoting
from physics.links.full_pivoting import make_elimination
from physics.solvers.compliant import count_spring_axes

# Rows of limits at a time: pivoting takes the cube of their number, and beyond it is too slow to look at.
MOST_LIMITS = 256
LINE = 8  # numbers in a cache line: arrays start on one
GROUPS = (Model, State, Work)
# The arrays of one allocation, in their order in memory. Model.links are the last rows of Model.topology's array.
POOL = (
    "State.pose", "State.velocity", "State.memory", "State.applied", "State.grab", "Work.pull", "State.limit",
    "Work.limit", "State.released", "Work.stop", "Model.topology", "Model.body", "Model.joint", "Work.rotation",
    "Work.edge", "Work.gap", "Work.spring", "Work.rotor", "Work.row", "Work.rows", "Work.reduced", "Work.wrench",
    "Work.next_pose", "Work.next_rotation", "Work.next_wrench", "Work.next_gap", "Work.mean_wrench", "Work.other_pose",
    "Work.spring_pose", "Work.stash", "Work.block", "Work.force", "Work.velocity", "Work.next_velocity", "Work.backup",
    "Work.backup_memory", "Work.spare", "Work.spare_rows", "Model.material", "Work.stretch", "State.drive",
    "Work.drive", "Work.held_block", "Work.held_force", "Work.held_row",
)  # fmt: skip


def entry_of(name: str) -> Array:
    """Return the entry that describes the array of this name in `POOL`."""
    label, field = name.split(".")
    (group,) = (g for g in GROUPS if g.__name__ == label)
    return group.entries[field]  # type: ignore[attr-defined]


def allocate(sizes: Mapping[str, int]) -> dict[str, Floats]:
    """Return the arrays of `POOL` by name. They are parts of one allocation, because a large allocation gets large
    pages: a step over thousands of bodies then does not wait for address translation. Each array starts at the
    beginning of a cache line, or, if its entry has a `line`, so that this column does. Therefore a row whose length is
    a whole number of lines does not share its lines with other rows."""
    shapes = array_shapes(sizes)
    pool = np.zeros(sum(rows * columns + LINE for rows, columns in shapes.values()) + 2 * LINE)
    arrays: dict[str, Floats] = {}
    start = -pool.ctypes.data // 8 % LINE
    for name, (rows, columns) in shapes.items():
        line = entry_of(name).line
        first = start + (LINE - line if line else 0)
        arrays[name] = pool[first : first + rows * columns].reshape(rows, columns)
        start += -(-rows * columns // LINE) * LINE + (first - start and LINE)
    return arrays


def array_shapes(sizes: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return rows and columns of the arrays in `POOL`, in their order in memory."""
    shapes = {name: shape_of(entry_of(name), sizes) for name in POOL}
    shapes["Model.topology"] = (sizes["n"] + sizes["k"], Topology.WIDTH)
    return shapes


def make_sizes(
    n: int, edges: int, stride: int, row_columns: int, grabs: int = 0, drives: int = 0, limits: int = 0
) -> dict[str, int]:
    """Return by name the sizes on which the shapes of the arrays in `POOL` depend. `stride` is the number of columns of
    velocities, and `row_columns` the number of columns of Work.rows."""
    scaled = stride > PoseColumn.RATES
    return {
        "n": n, "k": edges - n, "stride": stride, "triangle": stride * (stride + 1) // 2,
        "place": 7 + stride - PoseColumn.RATES, "row_columns": row_columns,
        "stash_columns": Stash.SCALED if scaled else Stash.PLAIN, "stretching": edges if scaled else 1,
        "material_columns": Materials.WIDTH if scaled else 1, "stretch_columns": Stretch.WIDTH if scaled else 1,
        "grabs": grabs, "drives": drives, "driven": int(drives > 0), "limits": limits,
    }  # fmt: skip


def make_auxiliary(model: Model, stride: int, grabs: int, limits: int, touching: int = 0) -> Auxiliary:
    """Return the arrays of the auxiliary rows. They have capacity for every row of the links and grabs, for as many
    limits as can be reached at the same time, and for `touching` contact rows. A row acts on two bodies, or on all
    bodies of a coupling or condition."""
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
    nonideal = bool((joint[: len(links), Joints.FORCES][of_condition] != ForceLaw.ALONG_ROWS).any())
    sizes = {
        "n": n, "k": len(links), "stride": stride, "K": room, "entries": entries,
        "directions": entries if nonideal else 1, "grab_rows": pulls, "limit_rows": met, "some_limit_rows": max(met, 1),
    }  # fmt: skip
    return make(
        Auxiliary, sizes, unsymmetric=make_elimination(count if nonideal else 1),
        pulls=make_elimination(pulls if nonideal else 1), pivoting=make_pivoting(met),
        islands=find_islands(model.topology, links, joint, model.table, rows),
    )  # fmt: skip
