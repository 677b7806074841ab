"""J_a A^-1 K_a of islands in which some forces do not act along their constraint: elimination with full pivoting.

All rows of such islands are one system (`full_pivoting.factor_full_pivoting`), P (S_J W S_K) Q = L D U, with a scale
for each row and one for each column. Rows beyond the rank depend on others; so does a row on which neither its own
force nor any other can act. The independent rows are satisfied exactly, and the forces of columns beyond the rank are
zero. The kernels are compiled only for figures that have such rows (`compiler.lazy`, group "non-ideal forces").
"""

from physics.compiler.table import Table, column
from physics.compiler.lazy import far
from physics.links.full_pivoting import factor_full_pivoting, solve_leading
from physics.links.pivoted_cholesky import RANK_TOLERANCE


class AuxiliaryCounts(Table, array="Auxiliary.counts"):
    """Columns of Auxiliary.counts: numbers of rows of islands with non-ideal constraint forces."""

    GATHERED = column("number of rows of these islands")
    INDEPENDENT = column("number of these rows that are independent")
    PULL_RANK = column("number of rows of grabs that are independent (links/nonideal_forces.py)")


@far("non-ideal forces", "w")
def factor(w):
    """Factor the rows of all islands with non-ideal forces together into Auxiliary.unsymmetric. Auxiliary.pivot of each
    island gets its independent rows and then its others, and Islands.rank the number of the independent ones."""
    a = w.auxiliary
    i = a.islands
    e = a.unsymmetric
    bodies = w.force.shape[0]
    n = 0
    for g in range(i.rank.shape[0]):
        if i.lopsided[g] != 0:
            for k in range(i.first[g], i.first[g + 1]):
                a.gathered[n] = i.member[k]
                n += 1
    for p in range(n):
        r = a.gathered[p]
        e.scale[p] = 1.0
        for q in range(n):
            c = a.gathered[q]
            e.factor[p, q] = a.scale[r] * a.matrix[r, c] * a.force_scale[c]
    rank = factor_full_pivoting(e, n, RANK_TOLERANCE)
    a.counts[AuxiliaryCounts.GATHERED] = n
    a.counts[AuxiliaryCounts.INDEPENDENT] = rank
    for g in range(i.rank.shape[0]):
        if i.lopsided[g] == 0:
            continue
        i.rank[g] = 0
        at = i.first[g]
        for place in range(n):
            r = a.gathered[e.row[place]]
            if i.link[a.edge[r] - bodies] == g:
                a.pivot[at] = r
                at += 1
                if place < rank:
                    i.rank[g] += 1


@far("non-ideal forces", "wvv")
def solve(w, right, x):
    """Write the multipliers of the rows of islands with non-ideal forces to x, for the right-hand side `right`, which
    stays."""
    a = w.auxiliary
    n = a.counts[AuxiliaryCounts.GATHERED]
    for p in range(n):
        r = a.gathered[p]
        a.spread[p] = a.scale[r] * right[r]
    solve_leading(a.unsymmetric, n, a.counts[AuxiliaryCounts.INDEPENDENT], a.spread)
    for p in range(n):
        r = a.gathered[p]
        x[r] = a.force_scale[r] * a.spread[p]
