"""Save and restore of a request: what an integrator asks for is kept while a method solves it with changes.

A request is the system A (Work.block, n bodies x packed lower triangle), the right-hand side f (Work.force, n bodies x
stride), of each edge D, d and b (columns of Work.row, n + k edges), and the sums to which grabs add what they pull
(Work.pull). Drives, links and contacts each solve a request several times, and each has tables of its own for it.
"""

from physics.compiler.jit import inline, kernel
from physics.data.step_tables import Control
from physics.data.work_tables import Pulls, Rows
from physics.maths.whole_arrays import copy

SIDE = 9  # columns of D and d, and of d and b: they stand side by side in Work.row


@inline
def copy_columns(rows, count, source, first, target, at):
    """Copies `count` columns of rows 0 to rows - 1, from column `first` of source to column `at` of target."""
    for i in range(rows):
        for k in range(count):
            target[i, at + k] = source[i, first + k]


@kernel
def keep_right_hand_side(w, force, row):
    """Copies f, d and b of the request from Work to `force` (as Work.force) and `row` (n + k, 9)."""
    copy(w.force, force)
    copy_columns(w.row.shape[0], SIDE, w.row, Rows.PUSH, row, 0)


@kernel
def restore_right_hand_side(w, force, row):
    """Copies f, d and b back to Work, as they were asked for."""
    copy(force, w.force)
    copy_columns(w.row.shape[0], SIDE, row, 0, w.row, Rows.PUSH)


@kernel
def keep_mean_pulls(w, table, at):
    """Copies what grabs have pulled so far in the step, six numbers a grab, to columns `at` to at + 5 of `table`."""
    copy_columns(w.control[Control.GRABS], 6, w.pull, Pulls.MEAN_PULL, table, at)


@kernel
def restore_mean_pulls(w, table, at):
    """Copies it back: grabs add their pull to this sum in each answer, and that of earlier answers does not count."""
    copy_columns(w.control[Control.GRABS], 6, table, at, w.pull, Pulls.MEAN_PULL)


@kernel
def keep_system(w):
    """Copies A, f, D and d, and the pulls, to Work.held_*: a request without the drives."""
    copy(w.block, w.held_block)
    copy(w.force, w.held_force)
    copy_columns(w.row.shape[0], SIDE, w.row, Rows.STIFF_BLOCK, w.held_row, 0)
    keep_mean_pulls(w, w.pull, Pulls.HELD)


@kernel
def restore_system(w):
    """Copies them back to Work: a further solve of the request starts from there."""
    copy(w.held_block, w.block)
    copy(w.held_force, w.force)
    copy_columns(w.row.shape[0], SIDE, w.held_row, 0, w.row, Rows.STIFF_BLOCK)
    restore_mean_pulls(w, w.pull, Pulls.HELD)
