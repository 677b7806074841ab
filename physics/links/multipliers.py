"""The multipliers mu of the links' rows, from the velocities v_free that the mode finds without the links.

    (J_a [v_1 .. v_K] + E) mu = g_a - J_a v_free

Rows that depend on others get no multiplier. If such a row contradicts the others, the error state of its edge is set
in Auxiliary.error_state.
"""

from physics.compiler.jit import kernel
from physics.data.step_tables import Control, Number
from physics.data.work_tables import Rows
from physics.edges.conditions import has_nonideal_forces
from physics.links import limits
from physics.links.islands import solve_islands
from physics.links.response import add_force
from physics.links.sparse_rows import rate
from physics.maths.vec import dot, load3, norm

# A dependent row contradicts the others where more than this share of its right-hand side remains, and this remainder
# would open the link in a step by more than the tolerance on gaps. The remainder of an idle row is rounding.
CONTRADICTION = 0.1
# Small pivots are regularised where a link would pull with more than this times the mass of all bodies, m/s^2.
MOST_STRAIN = 2000.0 * 9.81


@kernel
def find_rates_of_rows(w):
    """Write J_a v of every row of a link to Auxiliary.right, with v in Work.velocity."""
    for r in range(w.control[Control.ROW_COUNT]):
        w.auxiliary.right[r] = rate(w.auxiliary, r, w.velocity)


@kernel
def find_multipliers(w):
    """Write mu of the links' rows to Auxiliary.multiplier. Auxiliary.right holds J_a v_free and becomes g_a - J_a
    v_free. Set Control.TIGHT if pivots are regularised, and set the error state of edges whose rows contradict
    others."""
    a = w.auxiliary
    i = a.islands
    for r in range(w.control[Control.ROW_COUNT]):
        e = a.edge[r]
        wanted = dot(load3(a.twist, r, 0), load3(w.row, e, Rows.RIGHT_HAND_SIDE))
        wanted += dot(load3(a.twist, r, 3), load3(w.row, e, Rows.RIGHT_HAND_SIDE + 3))
        a.right[r] = wanted - a.right[r]
    solve_islands(w, a.right, a.multiplier, False)
    if w.control[Control.REGULARISED] != 0 and is_overstrained(w):
        w.control[Control.TIGHT] = 1
        solve_islands(w, a.right, a.multiplier, True)
    for g in range(i.rank.shape[0]):
        note_contradictions(w, i.first[g], i.first[g] + i.rank[g], i.first[g + 1])


@kernel
def is_overstrained(w):
    """Return whether some link would pull with more than MOST_STRAIN times the mass of all bodies."""
    a = w.auxiliary
    # impulses, or forces where accelerations are asked for
    most = MOST_STRAIN * w.number[Number.TOTAL_MASS] * (w.number[Number.H] if w.number[Number.SPAN] > 0.0 else 1.0)
    for r in range(w.control[Control.ROW_COUNT]):
        if has_nonideal_forces(a) and a.islands.lopsided[a.islands.link[a.edge[r] - w.force.shape[0]]] != 0:
            continue  # not regularised: elimination with full pivoting
        if abs(a.multiplier[r]) > most and a.soft[r] == 0.0 and norm(load3(a.twist, r, 0)) > 0.0:
            return True
    return False


@kernel
def note_contradictions(w, first, rank, end):
    """Set the error state of the edges of contradicting rows. These are dependent rows among pivot[rank] to pivot[end -
    1] that contradict the rows pivot[first] to pivot[rank - 1], on which they depend."""
    a = w.auxiliary
    for k in range(rank, end):
        r = a.pivot[k]
        left = a.right[r]
        for c in range(first, rank):
            q = a.pivot[c]
            left -= (a.matrix[r, q] if r > q or has_nonideal_forces(a) else a.matrix[q, r]) * a.multiplier[q]
        if (
            abs(left) > CONTRADICTION * abs(a.right[r])
            and abs(left) * w.number[Number.H] > w.number[Number.GAP_TOLERANCE]
        ):
            a.error_state[a.edge[r]] = 1


@kernel
def eliminate_links(w):
    """Write for each grab's row the multipliers of the links for its unit force (Auxiliary.reach), and the response of
    the grabs' rows with the links closed (Auxiliary.schur)."""
    first = w.control[Control.ROW_COUNT]
    limits.close_links(w, first, w.control[Control.PULL_ROWS] - first)


@kernel
def find_free_rates(w):
    """Write to Auxiliary.right the velocities of the grabbed points without the pulls of the grabs, with the links
    closed."""
    a = w.auxiliary
    first = w.control[Control.ROW_COUNT]
    for r in range(first, w.control[Control.PULL_ROWS]):
        x = rate(a, r, w.velocity)
        for c in range(first):
            x += a.matrix[r, c] * a.multiplier[c]
        a.right[r] = x


@kernel
def answer_others(w, sign):
    """Subtract from the links' multipliers (Auxiliary.multiplier) the part that answers the forces of grabs and limits.
    With sign -1, add that part back."""
    a = w.auxiliary
    first = w.control[Control.ROW_COUNT]
    for g in range(w.control[Control.LIMIT_ROWS] - first):
        for r in range(first):
            a.multiplier[r] -= sign * a.multiplier[first + g] * a.reach[g, r]


@kernel
def add_multipliers(w, count):
    """Add the forces of rows 0 to count - 1 of Work.auxiliary to Work.force."""
    a = w.auxiliary
    for r in range(count):
        add_force(w, r, a.multiplier[r])
