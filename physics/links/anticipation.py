"""Anticipation: the rows of the links (edges outside the forest) on top of any solver mode [Baraff96, section 8].

    A v - J^T l - J_a^T mu = f,   J v = g,   J_a v + E mu = g_a

v_free is the mode's answer without the links, and v_k its answer to the force J_a^T e_k alone. The multipliers follow
from

    (J_a [v_1 .. v_K] + E) mu = g_a - J_a v_free

and the mode's answer to f + J_a^T mu is the solution. This takes K solves with each factor, and two with each
right-hand side. A mode that keeps reduced columns (HALVES, `solvers.fused_columns`) needs only the first half of each
of these solves except the last. E is 1 for the compliant rows of a link's spring (as in `solvers.compliant`) and 0 for
constraints. Rows that depend on others get no multiplier. If such a row contradicts the others, `error_state` of its
edge is set, and the motion continues. Forces that do not act along their rows have the directions K_a, which replace
J_a^T in these equations (`nonideal_forces`).

Grabs add rows to requests with PULL_NOW. The links' rows are eliminated first. The remainder is the response of the
grabbed points, with which the law of the grabs is solved (`grabs`). Hard limits add rows to requests with LIMIT_NOW,
when the solution without these rows would violate them (`limits`). If the contact method is `anticipation`, contacts
add rows, too: after each answer, the request CONTACT_ROWS makes the driver call `contact_rows`, which examines the
answer.

The anticipation works between integrator and mode: `begin` takes the integrator's request and returns a request for the
mode, and `advance` returns the next one, until DONE.
"""

from physics.compiler.table import Table
from physics.compiler.clock import ticks
from physics.compiler.jit import entry, inline, kernel
from physics.data.step_tables import Control, LinksTask, Request, Touched
from physics.data.work_tables import AnticipationStep, Clock
from physics.edges.conditions import has_nonideal_forces
from physics.forces import tree_springs
from physics.forces.request import keep_right_hand_side, restore_right_hand_side
from physics.links import complementary_forces, limits, nonideal_forces
from physics.links.grabs import find_pulls, keep_pulls, put_grabs
from physics.links.islands import factor_islands, place_rows
from physics.links.link_rows import fill_rows, fill_scales
from physics.links.link_springs import add_pushes, fill_link_wrenches
from physics.links.multipliers import (
    add_multipliers, answer_others, eliminate_links, find_free_rates, find_multipliers, find_rates_of_rows,
)  # fmt: skip
from physics.links.response import ask_column, keep_column, list_paths
from physics.links.timing import came, going


class Anticipating(Table):
    """Values of Control.ANTICIPATION: the last request to the mode. NOTHING: none; COLUMNS: a column of links; FREELY:
    the solution without auxiliary forces; FINALLY: the solution with them; LIMIT_COLUMNS: a column of limits;
    LOOKED_AT: the solution that contacts examine. The others are for modes that keep reduced columns. FACTORED: to
    factor; REDUCED: to reduce the columns; MULTIPLIED: to multiply them; HALF_SOLVED: to reduce the right-hand side;
    RATED: to find the rates of the rows."""

    NOTHING = 0
    COLUMNS = 1
    FREELY = 2
    FINALLY = 3
    LIMIT_COLUMNS = 4
    LOOKED_AT = 5
    FACTORED = 6
    REDUCED = 7
    MULTIPLIED = 8
    HALF_SOLVED = 9
    RATED = 10


@entry("msw", "i")
def anticipate(m, s, w):
    """Take the integrator's request (task BEGIN), or the mode's solution of the last request (GO_ON). Return the next
    request for the mode, or DONE when Work.velocity is the solution. With LOOK, write to Control.LIMITS_CROSSED whether
    the next pose violates a limit, and return DONE. The driver calls this unit between integrator and mode."""
    if w.control[Control.LINKS_TASK] == LinksTask.LOOK:
        limits.look(m, s, w)
        return Request.DONE
    turning = w.control[Control.TREE_SPRINGS] == 2
    if w.control[Control.LINKS_TASK] == LinksTask.BEGIN:
        request = begin(w.control[Control.REQUEST], m, s, w)
    else:
        if turning:
            tree_springs.turn_back(m, w)
        request = advance(m, s, w)
    if turning and request != Request.DONE:
        tree_springs.turn_axes(m, w)
    return request


@kernel
def begin(request, m, s, w):
    """Fill the rows of links, grabs and limits in Work.auxiliary for the integrator's request. Return the first request
    for the mode."""
    c = w.control
    over_span = request & Request.PULL_NOW != 0
    if c[Control.GRABS] == 0:
        request &= ~Request.PULL_NOW
    if c[Control.HARD_LIMITED] == 0:
        request &= ~Request.LIMIT_NOW
    if c[Control.LINKED] == 0 and c[Control.TOUCHING] == 0 and request & (Request.PULL_NOW | Request.LIMIT_NOW) == 0:
        c[Control.ANTICIPATION] = Anticipating.NOTHING
        return request
    c[Control.ASKED] = request
    if c[Control.TIMED] != 0:
        w.clock[Clock.LAST_TICK] = ticks()
        w.clock[Clock.RUNNING_STEP] = AnticipationStep.MATRIX
    if request & Request.FACTOR:
        c[Control.ROW_COUNT] = fill_rows(m, w)
        place_rows(m, w)
        fill_scales(m, w, over_span)
        if has_nonideal_forces(w.auxiliary):
            nonideal_forces.fill(m, w)
        c[Control.PULL_ROWS] = (
            put_grabs(s, w, c[Control.ROW_COUNT]) if request & Request.PULL_NOW else c[Control.ROW_COUNT]
        )
    c[Control.LIMIT_ROWS] = c[Control.PULL_ROWS]
    if request & Request.LIMIT_NOW or c[Control.TOUCHING] != 0:
        limits.begin(m, s, w)
    if request & Request.SOLVE:
        add_pushes(m, w)
        if c[Control.TREE_SPRINGS] != 0:
            tree_springs.add_right_hand_sides(m, w)
    if request & Request.FACTOR:
        c[Control.KEPT] = (
            1
            if c[Control.HALVES] != 0 and c[Control.ROW_COUNT] > 0 and c[Control.PULL_ROWS] == c[Control.ROW_COUNT]
            else 0
        )
    if c[Control.KEPT] == 0 or may_ask_more(c):
        keep_right_hand_side(w, w.auxiliary.force, w.auxiliary.row)
    if c[Control.KEPT] != 0:
        if request & Request.FACTOR == 0:
            return ask_half(w)
        if may_ask_more(c):
            list_paths(m, w, 0, c[Control.PULL_ROWS])
        return ask_columns(w)
    if request & Request.FACTOR and c[Control.PULL_ROWS] > 0:
        c[Control.ANTICIPATION] = Anticipating.COLUMNS
        c[Control.COLUMN] = -1
        list_paths(m, w, 0, c[Control.PULL_ROWS])
        return going(w, Request.FACTOR, AnticipationStep.FACTOR)
    return ask_freely(w, request & Request.FACTOR)


@kernel
def advance(m, s, w):
    """Take the mode's solution from Work.velocity. Return the next request for the mode, or DONE when these velocities
    are the answer to the integrator."""
    c = w.control
    if c[Control.ANTICIPATION] == Anticipating.NOTHING:
        return Request.DONE
    if c[Control.ANTICIPATION] == Anticipating.COLUMNS:
        came(w, AnticipationStep.MATRIX)
        if c[Control.COLUMN] >= 0:
            keep_column(w, c[Control.COLUMN], c[Control.PULL_ROWS])
        c[Control.COLUMN] += 1
        if c[Control.COLUMN] < c[Control.PULL_ROWS]:
            return ask_column(w, c[Control.COLUMN])
        factor_islands(w)
        eliminate_links(w)
        return ask_freely(w, 0)
    if c[Control.ANTICIPATION] >= Anticipating.FACTORED:
        return advance_halves(w)
    if c[Control.ANTICIPATION] == Anticipating.FREELY:
        came(w, AnticipationStep.MULTIPLIER)
        find_rates_of_rows(w)
        find_multipliers(w)
        if c[Control.ASKED] & Request.PULL_NOW:
            find_free_rates(w)
            find_pulls(s, w, c[Control.ROW_COUNT], c[Control.PULL_ROWS] - c[Control.ROW_COUNT])
            answer_others(w, 1.0)
        return ask_finally(w)
    if c[Control.ANTICIPATION] == Anticipating.LIMIT_COLUMNS:
        came(w, AnticipationStep.MATRIX)
        keep_column(w, c[Control.COLUMN], c[Control.LIMIT_ROWS])
        c[Control.COLUMN] += 1
        if c[Control.COLUMN] < c[Control.LIMIT_ROWS]:
            return ask_column(w, c[Control.COLUMN])
        came(w, AnticipationStep.MULTIPLIER)
        limits.eliminate(w, c[Control.LIMIT_FIRST], c[Control.LIMIT_ROWS] - c[Control.LIMIT_FIRST])
        return press_again(s, w)
    came(w, AnticipationStep.MULTIPLIER)
    if c[Control.ANTICIPATION] == Anticipating.FINALLY:
        c[Control.LIMIT_FIRST] = c[Control.LIMIT_ROWS]
        if c[Control.ASKED] & Request.LIMIT_NOW:
            limits.add_broken(m, s, w)
        if c[Control.TOUCHING] != 0:
            c[Control.ANTICIPATION] = Anticipating.LOOKED_AT
            return Request.CONTACT_ROWS
    if c[Control.LIMIT_ROWS] > c[Control.LIMIT_FIRST]:
        c[Control.ANTICIPATION] = Anticipating.LIMIT_COLUMNS
        c[Control.COLUMN] = c[Control.LIMIT_FIRST]
        list_paths(m, w, c[Control.LIMIT_FIRST], c[Control.LIMIT_ROWS])
        return ask_column(w, c[Control.COLUMN])
    if c[Control.TOUCHING] != 0 and c[Control.TOUCHED] != Touched.SETTLED:
        return press_again(s, w) if c[Control.TOUCHED] == Touched.PRESS_AGAIN else ask_finally(w)
    if c[Control.ASKED] & Request.LIMIT_NOW:
        if c[Control.CALM] == 0 and limits.are_calmed(s, w):
            return press_again(s, w)
        limits.settle(m, s, w)
    if c[Control.ASKED] & Request.PULL_NOW:
        keep_pulls(s, w)
    if c[Control.ASKED] & Request.WRENCHES:
        fill_link_wrenches(m, w)
    came(w, AnticipationStep.MATRIX)
    return Request.DONE


@kernel
def advance_halves(w):
    """Return the next request for a mode that keeps reduced columns. One request finds all columns; if the steps are
    timed, there is one request for each step."""
    c = w.control
    at = c[Control.ANTICIPATION]
    if at == Anticipating.FACTORED:
        c[Control.ANTICIPATION] = Anticipating.REDUCED
        return going(w, Request.COLUMNS_UP, AnticipationStep.COLUMNS)
    if at == Anticipating.REDUCED:
        c[Control.ANTICIPATION] = Anticipating.MULTIPLIED
        return going(w, Request.PRODUCT, AnticipationStep.MATRIX)
    if at == Anticipating.MULTIPLIED:
        factor_islands(w)
        if c[Control.ASKED] & Request.SOLVE == 0:
            c[Control.ANTICIPATION] = Anticipating.FINALLY
            return Request.DONE
        if c[Control.TIMED] != 0:
            return ask_half(w)
    if at == Anticipating.HALF_SOLVED:
        c[Control.ANTICIPATION] = Anticipating.RATED
        return going(w, Request.RATES_OF_ROWS, AnticipationStep.MULTIPLIER)
    find_multipliers(w)
    c[Control.ANTICIPATION] = Anticipating.FINALLY
    return going(w, Request.FORCES_BACK | (c[Control.ASKED] & Request.WRENCHES), AnticipationStep.FINAL)


@kernel
def ask_columns(w):
    """Set Control.ANTICIPATION, and return the first request for reduced columns. If steps are timed, the request is to
    factor only. Otherwise it is also for the columns and their products. If the integrator asked for a solution, it is
    moreover to reduce the right-hand side and to find the rates of the rows."""
    c = w.control
    if c[Control.TIMED] != 0:
        c[Control.ANTICIPATION] = Anticipating.FACTORED
        return going(w, Request.FACTOR, AnticipationStep.FACTOR)
    c[Control.ANTICIPATION] = Anticipating.MULTIPLIED
    request = Request.FACTOR | Request.COLUMNS_UP | Request.PRODUCT
    return (
        request | Request.SOLVE | Request.HALF | Request.RATES_OF_ROWS if c[Control.ASKED] & Request.SOLVE else request
    )


@kernel
def ask_half(w):
    """Return the request for the first half of a solve and for the rates J_a v of the rows; where steps are timed, for
    the first half alone."""
    c = w.control
    if c[Control.TIMED] != 0:
        c[Control.ANTICIPATION] = Anticipating.HALF_SOLVED
        return going(w, Request.SOLVE | Request.HALF, AnticipationStep.FREE)
    c[Control.ANTICIPATION] = Anticipating.RATED
    return Request.SOLVE | Request.HALF | Request.RATES_OF_ROWS


@inline
def may_ask_more(c):
    """Return whether grabs, limits or contacts may need another solution of the request; c is Work.control."""
    return c[Control.ASKED] & (Request.PULL_NOW | Request.LIMIT_NOW) != 0 or c[Control.TOUCHING] != 0


@kernel
def press_again(s, w):
    """Find the multipliers of grabs, limits and contacts again, and correct those of the links. Return the request for
    the solution with these forces."""
    c = w.control
    answer_others(w, -1.0)
    if c[Control.ASKED] & Request.PULL_NOW:
        find_pulls(s, w, c[Control.ROW_COUNT], c[Control.PULL_ROWS] - c[Control.ROW_COUNT])
    else:
        complementary_forces.find_forces(w)
    answer_others(w, 1.0)
    return ask_finally(w)


@kernel
def ask_freely(w, factor):
    """Set Control.ANTICIPATION. If the integrator asked for no solution, return `factor` (FACTOR or 0). Otherwise
    restore the right-hand side in Work.force and Work.row, and return the request for the solution without the forces
    of the rows."""
    c = w.control
    if c[Control.ASKED] & Request.SOLVE == 0:
        c[Control.ANTICIPATION] = Anticipating.FINALLY
        return factor
    restore_right_hand_side(w, w.auxiliary.force, w.auxiliary.row)
    if c[Control.ROW_COUNT] == 0 and c[Control.ASKED] & Request.PULL_NOW == 0:
        c[Control.ANTICIPATION] = Anticipating.FINALLY
        return going(w, factor | Request.SOLVE | (c[Control.ASKED] & Request.WRENCHES), AnticipationStep.FREE)
    c[Control.ANTICIPATION] = Anticipating.FREELY
    return going(w, factor | Request.SOLVE, AnticipationStep.FREE)


@kernel
def ask_finally(w):
    """Restore the right-hand side, and add the forces of all rows to Work.force. Return the request for the solution
    with them."""
    c = w.control
    restore_right_hand_side(w, w.auxiliary.force, w.auxiliary.row)
    add_multipliers(w, c[Control.LIMIT_ROWS] if may_ask_more(c) else c[Control.ROW_COUNT])
    c[Control.ANTICIPATION] = Anticipating.FINALLY
    return going(w, Request.SOLVE | (c[Control.ASKED] & Request.WRENCHES), AnticipationStep.FINAL)
