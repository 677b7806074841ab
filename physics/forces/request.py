"""Copies of a request: the system of an integrator is kept while a method solves it with changes, and then restored.

A request is the system A (Work.block, n bodies x packed lower triangle), the right-hand side f (Work.force, n bodies x
stride), D, d and b of each edge (columns of Work.row, n + k edges), and the sums to which grabs add their pulls
(Work.pull). Drives, links and contacts each solve a request several times, and each stores it in its own tables.
"""

from physics.compiler.jit import inline, kernel
from physics.data.step_tables import Control
from physics.data.work_tables import Pulls, Rows
from physics.maths.whole_arrays import copy

SIDE = 9  # columns of D and d, and of d and b: they stand side by side in Work.row


@inline
def copy_columns(rows, count, source, first, target, at):
    """Copy `count` columns of the rows 0 to `rows` - 1, from column `first` of `source` to column `at` of `target`."""
    for i in range(rows):
        for k in range(count):
            target[i, at + k] = source[i, first + k]


@kernel
def keep_right_hand_side(w, force, row):
    """Copy f, d and b of the request from Work to `force` (as Work.force) and `row` (n + k, 9)."""
    copy(w.force, force)
    copy_columns(w.row.shape[0], SIDE, w.row, Rows.PUSH, row, 0)


@kernel
def restore_right_hand_side(w, force, row):
    """Copy f, d and b from `force` and `row` (n + k, 9) back to Work.force and Work.row."""
    copy(force, w.force)
    copy_columns(w.row.shape[0], SIDE, row, 0, w.row, Rows.PUSH)


@kernel
def keep_mean_pulls(w, table, at):
    """Copy the mean pulls of all grabs, six numbers each, from Work.pull to columns `at` to `at` + 5 of `table`."""
    copy_columns(w.control[Control.GRABS], 6, w.pull, Pulls.MEAN_PULL, table, at)


@kernel
def restore_mean_pulls(w, table, at):
    """Copy the mean pulls of all grabs from columns `at` to `at` + 5 of `table` back to Work.pull. Each answer adds to
    them, and an earlier answer of the same request must not count."""
    copy_columns(w.control[Control.GRABS], 6, table, at, w.pull, Pulls.MEAN_PULL)


@kernel
def keep_system(w):
    """Copy A, f, D and d of a request without drives to Work.held_*, and the mean pulls to Pulls.HELD."""
    copy(w.block, w.held_block)
    copy(w.force, w.held_force)
    copy_columns(w.row.shape[0], SIDE, w.row, Rows.STIFF_BLOCK, w.held_row, 0)
    keep_mean_pulls(w, w.pull, Pulls.HELD)


@kernel
def restore_system(w):
    """Copy A, f, D and d from Work.held_*, and the mean pulls from Pulls.HELD, back to Work, before the request is
    solved again."""
    copy(w.held_block, w.block)
    copy(w.held_force, w.force)
    copy_columns(w.row.shape[0], SIDE, w.held_row, 0, w.row, Rows.STIFF_BLOCK)
    restore_mean_pulls(w, w.pull, Pulls.HELD)
