"""Non-ideal constraint forces: rows of links whose forces do not act along them. K differs from J^T, as for a thruster
that holds a height and pushes in another direction [Baraff96, section 8].

    (J_a A^-1 K_a) mu = g_a - J_a v_free,     f + K_a mu

J_a A^-1 K_a is not symmetric (`unsymmetric`). Its columns come from whole solves or from those along paths, never from
halves, and both of its triangles are kept. With the rows L of links, and the rows g of grabs, limits and contacts,
whose forces act along them,

    W_Lg = J_a A^-1 J_g^T,     W_gL = J_g A^-1 K_a,     S_g = W_gg - W_gL W_LL^-1 W_Lg

S_g is not symmetric either: pivoting over limits and contacts does not need symmetry, and the law of grabs is solved by
elimination with full pivoting. W_gL of a row that is added later follows from the row's own column, because A is
symmetric: J_g A^-1 K_a = (K_a^T A^-1 J_g^T)^T.

The kernels are compiled only for figures that have such rows (`compiler.lazy`, group "non-ideal forces"). These figures
have, besides `Auxiliary.jacobian`, the array `Auxiliary.force_jacobian`: K of the links' rows, equal to J^T for ideal
ones.
"""

import math

from physics.compiler.jit import kernel
from physics.compiler.lazy import far
from physics.data.step_tables import Control
from physics.edges.conditions import has_forces
from physics.links.full_pivoting import factor_full_pivoting, scale_by_diagonal, solve_least_norm
from physics.links.islands import solve_islands
from physics.links.sparse_rows import add_row, takes_part
from physics.links.unsymmetric import AuxiliaryCounts

# Of the grabs' law, whose rows are softened: below this they say the same.
DEPENDENT = 1e-14


@far("non-ideal forces", "mw")
def fill(m, w):
    """Write K = J^T to Auxiliary.force_jacobian for those rows of links that have no given force directions. Write the
    scale of the columns, 1 / sqrt(K A_d^-1 K^T + E), to Auxiliary.force_scale."""
    a = w.auxiliary
    for r in range(w.control[Control.ROW_COUNT]):
        own = has_forces(m, a.edge[r])
        d = a.soft[r]
        for k in range(a.start[r], a.start[r + 1]):
            for c in range(a.jacobian.shape[1]):
                if not own:
                    a.force_jacobian[k, c] = a.jacobian[k, c]
                response = w.block[a.body[k], c * (c + 1) // 2 + c]
                if response > 0.0:
                    d += a.force_jacobian[k, c] * a.force_jacobian[k, c] / response
        a.force_scale[r] = 1.0 / math.sqrt(d) if d > 0.0 else 0.0


@far("non-ideal forces", "wif")
def add_force(w, r, x):
    """Add K x of row r to Work.force; for rows of grabs, limits and contacts K = J^T."""
    a = w.auxiliary
    if r >= w.control[Control.ROW_COUNT]:
        add_row(a, r, x, w.force)
        return
    for k in range(a.start[r], a.start[r + 1]):
        for c in range(w.force.shape[1]):
            w.force[a.body[k], c] += x * a.force_jacobian[k, c]


# ---------------------------------------------------------------- columns
@far("non-ideal forces", "wii")
def keep_column(w, column, count):
    """Write the response of rows 0 to count - 1 to the force of row `column` to Auxiliary.matrix, from the mode's
    solution in Work.velocity. For a row of limits or contacts, also write its response to the rows before it."""
    a = w.auxiliary
    for r in range(count):
        a.matrix[r, column] = product(w, a.jacobian, r, column)
    if column >= w.control[Control.PULL_ROWS]:
        for r in range(column):
            a.matrix[column, r] = (
                product(w, a.force_jacobian, r, column) if r < w.control[Control.ROW_COUNT] else a.matrix[r, column]
            )
    # what gives way does so along its own force, whichever way that points
    own = a.matrix[column, column]
    a.matrix[column, column] = own - a.soft[column] if own < 0.0 else own + a.soft[column]


@kernel
def product(w, entries, r, column):
    """Return row r of `entries`, J or K, times Work.velocity of the bodies that take part in `column`; the velocities
    of others are not solved for."""
    a = w.auxiliary
    along = w.control[Control.PATH_COLUMNS] != 0
    s = 0.0
    for k in range(a.start[r], a.start[r + 1]):
        if not along or takes_part(a, a.body[k], column):
            for c in range(w.velocity.shape[1]):
                s += entries[k, c] * w.velocity[a.body[k], c]
    return s


# ---------------------------------------------------------------- grabs, limits and contacts with the links closed
@far("non-ideal forces", "wii")
def close_links(w, first, count):
    """Write Auxiliary.reach and Auxiliary.schur of rows first to first + count - 1 with the links closed, as
    `limits.close_links` does, for a response that is not symmetric; overwrite Auxiliary.right of the links' rows."""
    a = w.auxiliary
    links = w.control[Control.ROW_COUNT]
    for r in range(first, first + count):
        for k in range(links):
            a.right[k] = a.matrix[k, r]
        solve_islands(w, a.right, a.reach[r - links], False)
    for r in range(links, first + count):
        for h in range(links, first + count):
            if r >= first or h >= first:
                x = a.matrix[r, h]
                for k in range(links):
                    x -= a.matrix[r, k] * a.reach[h - links, k]
                a.schur[r - links, h - links] = x


@far("non-ideal forces", "wii")
def fill_reduced(w, begin, m):
    """Write both triangles of W of an island of m rows of limits and contacts to Pivoting.reduced, with links closed
    and grabs yielding."""
    a = w.auxiliary
    pulls = w.control[Control.PULL_ROWS] - w.control[Control.ROW_COUNT]
    for i in range(m):
        r = a.member[begin + i]
        for j in range(m):
            q = a.member[begin + j]
            x = a.schur[pulls + r, pulls + q]
            for g in range(pulls):
                x -= a.schur[pulls + r, g] * a.give[q, g]
            a.pivoting.reduced[i, j] = x


@far("non-ideal forces", "tiiiff")
def turn_pair(b, count, i, j, cos, sin):
    """Rotate rows i and j and columns i and j of the matrix b (count x count) in their plane."""
    for q in range(count):
        u = b[i, q]
        v = b[j, q]
        b[i, q] = cos * u + sin * v
        b[j, q] = cos * v - sin * u
    for q in range(count):
        u = b[q, i]
        v = b[q, j]
        b[q, i] = cos * u + sin * v
        b[q, j] = cos * v - sin * u


# ---------------------------------------------------------------- the law of grabs
@far("non-ideal forces", "wi")
def factor_pulls(w, count):
    """Factor the matrix of the grabs' law (count x count), from Auxiliary.system into Auxiliary.pulls."""
    a = w.auxiliary
    e = a.pulls
    for r in range(count):
        for c in range(count):
            e.factor[r, c] = a.system[c * count + r]
    scale_by_diagonal(e, count)
    a.counts[AuxiliaryCounts.PULL_RANK] = factor_full_pivoting(e, count, DEPENDENT)


@far("non-ideal forces", "wii")
def solve_pulls(w, first, count):
    """Replace the right-hand sides in Auxiliary.multiplier, rows first to first + count - 1, by the solution of the
    grabs' law."""
    a = w.auxiliary
    for r in range(count):
        a.spread[r] = a.multiplier[first + r]
    solve_least_norm(a.pulls, count, a.counts[AuxiliaryCounts.PULL_RANK], a.spread)
    for r in range(count):
        a.multiplier[first + r] = a.spread[r]


@far("non-ideal forces", "wii")
def solve_give(w, i, count):
    """Replace row i of Auxiliary.give, a right-hand side of `count` numbers, by the solution of the grabs' law."""
    a = w.auxiliary
    solve_least_norm(a.pulls, count, a.counts[AuxiliaryCounts.PULL_RANK], a.give[i])
