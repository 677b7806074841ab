"""Columns of the response J_a A^-1 J_a^T: the mode's solution for a unit force of one row, and the rates of all rows in
that solution.

With Control.PATH_COLUMNS, the mode visits only paths from the bodies of rows to their roots, in the trees that the
present row touches.
"""

from physics.compiler.jit import inline, kernel
from physics.data.model_tables import Topology
from physics.data.step_tables import Control, Request
from physics.data.work_tables import AnticipationStep, Rows
from physics.edges.conditions import has_nonideal_forces
from physics.links import nonideal_forces
from physics.links.sparse_rows import add_row, rate, takes_part
from physics.links.timing import going


@kernel
def list_paths(m, w, first, end):
    """Add the bodies of rows first to end - 1, and all bodies above them, to the list Auxiliary.listed (length
    Control.LISTED) of bodies for which columns are solved. With first = 0 the list begins anew."""
    c = w.control
    a = w.auxiliary
    if c[Control.PATH_COLUMNS] == 0:
        return
    if first == 0:
        clear_paths(a)
    for k in range(a.start[first], a.start[end]):
        i = a.body[k]
        while i >= 0 and a.mark[i] == 0:
            a.mark[i] = 1
            i = m.topology[i, Topology.PARENT]
    count = 0
    for i in range(a.mark.shape[0]):
        if a.mark[i] != 0:
            p = m.topology[i, Topology.PARENT]
            a.mark[i] = a.mark[p] if p >= 0 else i + 1
            a.listed[count] = i
            count += 1
    c[Control.LISTED] = count


@kernel
def clear_paths(a):
    """Clear Auxiliary.mark and Auxiliary.active, so that no body is listed."""
    for i in range(a.mark.shape[0]):
        a.mark[i] = 0
        a.active[i] = 0


@inline
def rate_along(a, r, column, velocity):
    """Return J_a v of row r for `velocity`, summed over the bodies that take part in `column`."""
    s = 0.0
    for k in range(a.start[r], a.start[r + 1]):
        if takes_part(a, a.body[k], column):
            for c in range(velocity.shape[1]):
                s += a.jacobian[k, c] * velocity[a.body[k], c]
    return s


@kernel
def ask_column(w, column):
    """Replace the right-hand side in Work by the force J_a^T e_k of row k = `column` alone. Return the request for its
    solution."""
    c = w.control
    a = w.auxiliary
    if c[Control.PATH_COLUMNS] != 0:
        for k in range(a.start[column], a.start[column + 1]):
            a.active[a.mark[a.body[k]] - 1] = column + 1
        count = 0
        for k in range(c[Control.LISTED]):
            i = a.listed[k]
            if takes_part(a, i, column):
                clear_body(w, i)
                w.along[count] = i
                count += 1
        c[Control.ALONG_COUNT] = count
        request = Request.SOLVE | Request.ALONG
    else:
        for i in range(w.force.shape[0]):
            clear_body(w, i)
        request = Request.SOLVE
    add_force(w, column, 1.0)
    return going(w, request, AnticipationStep.COLUMNS)


@inline
def add_force(w, r, x):
    """Add x times the force of row r to Work.force: J_a^T x, or K x if forces are non-ideal."""
    if has_nonideal_forces(w.auxiliary):
        nonideal_forces.add_force(w, r, x)
    else:
        add_row(w.auxiliary, r, x, w.force)


@inline
def clear_body(w, i):
    """Set the force of body i in Work.force, and the spring impulse d and right-hand side b of its inbound edge in
    Work.row, to zero."""
    for k in range(w.force.shape[1]):
        w.force[i, k] = 0.0
    for k in range(9):
        w.row[i, Rows.PUSH + k] = 0.0


@kernel
def keep_column(w, column, count):
    """Write J_a v of the mode's solution v for row `column` to the lower triangle of Auxiliary.matrix, for rows up to
    count - 1. Add the row's compliance on the diagonal. Rows of limits and contacts, which are added later, also get
    entries for the rows before them."""
    a = w.auxiliary
    if has_nonideal_forces(a):
        nonideal_forces.keep_column(w, column, count)
        return
    plain = w.control[Control.PATH_COLUMNS] == 0
    later = column >= w.control[Control.PULL_ROWS]
    for r in range(0 if later else column, count):
        x = rate(a, r, w.velocity) if plain else rate_along(a, r, column, w.velocity)
        if r >= column:
            a.matrix[r, column] = x
        else:
            a.matrix[column, r] = x
    a.matrix[column, column] += a.soft[column]
