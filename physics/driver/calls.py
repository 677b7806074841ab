"""The units that a step calls, each as a function of its own.

A unit is a kernel that is compiled by itself (`compiler.unit`), and the driver knows only its address. So that a reader
can follow a call nevertheless, every unit is called by functions of this file, one for each task that the unit has.
Such a function writes the task to the unit's own slot in Control, and calls the unit. Its docstring names the kernel
that answers: `integrators.stepping.attend` is the function `attend` in physics/integrators/stepping.py. A test compares
these names with the units that `units.choose_units` puts there (tests/physics/driver/test_calls.py).
"""

from physics.compiler.jit import inline
from physics.compiler.table import Table
from physics.compiler.unit import call, call_with_space
from physics.data.contact_tables import NewtonTask, RowsTask, SleepTask, TouchControl, TouchTask
from physics.data.step_tables import Control, LinksTask, PartsTask, RedoTask, StepTask, Verdict


class Unit(Table):
    """Places in the table of units."""

    STEPPING = 0
    INTEGRATOR = 1
    MODE = 2
    LINKS = 3
    FORCES = 4
    FIRST_ORDER = 5
    STOPS = 6
    PARTS = 7
    REDOING = 8


class ContactUnit(Table):
    """Places in the table of the units of contacts, in scenes that have shapes."""

    DETECT = 0
    NEWTON = 1
    ROWS = 2
    SLEEP = 3
    TOUCH = 4


# ---------------------------------------------------------------- the step as a whole
@inline
def refresh(run):
    """`integrators.stepping.attend` fills and measures the present state."""
    run.control[Control.STEP_TASK] = StepTask.REFRESH
    call(run.units, Unit.STEPPING, run.places)


@inline
def begin_step(run):
    """`integrators.stepping.attend` sets the sums of the step to zero, and the first span of the integrator."""
    run.control[Control.STEP_TASK] = StepTask.BEGIN_STEP
    call(run.units, Unit.STEPPING, run.places)


@inline
def pass_by(run):
    """`integrators.stepping.attend` lets the time of one step pass, in which nothing moves."""
    run.control[Control.STEP_TASK] = StepTask.PASS_BY
    call(run.units, Unit.STEPPING, run.places)


@inline
def start_first_order(run):
    """`integrators.stepping.attend` goes back to the start of the step, for a pass of `implicit`."""
    run.control[Control.STEP_TASK] = StepTask.START_FIRST_ORDER
    call(run.units, Unit.STEPPING, run.places)


@inline
def start_over(run):
    """`integrators.stepping.attend` goes back to the start of the step, for a pass of the integrator."""
    run.control[Control.STEP_TASK] = StepTask.START_OVER
    call(run.units, Unit.STEPPING, run.places)


@inline
def judge(run):
    """`integrators.stepping.attend` accepts and commits the step, or not. Returns whether it is accepted."""
    run.control[Control.STEP_TASK] = StepTask.JUDGE
    return call(run.units, Unit.STEPPING, run.places) == Verdict.ACCEPTED


# ---------------------------------------------------------------- the integrator and what answers it
@inline
def integrate(run):
    """The integrator that is set goes on: the kernel `advance` of the file that its entry in `data.step_tables.SCHEMES`
    names, or `integrators.kinematic.advance` in the kinematic order. Returns its next request, DONE at the end of its
    span."""
    return call(run.units, Unit.INTEGRATOR, run.places)


@inline
def integrate_first_order(run):
    """`integrators.implicit.advance`: the next request of a pass of first order, DONE at the end of its span."""
    return call(run.units, Unit.FIRST_ORDER, run.places)


@inline
def account_for_forces(run):
    """`forces.all_forces.account` compares the forces with the solution and adds up their work. Returns the request of
    a further round, or DONE."""
    return call(run.units, Unit.FORCES, run.places)


@inline
def solve(request, run):
    """The mode that is set answers a request: the kernel of its entry in `solvers.modes`."""
    run.control[Control.REQUEST] = request
    call_with_space(run.units, Unit.MODE, run.places)


@inline
def begin_links(request, run):
    """`links.anticipation.anticipate` takes a request. Returns its first request to the mode."""
    run.control[Control.REQUEST] = request
    run.control[Control.LINKS_TASK] = LinksTask.BEGIN
    return call(run.units, Unit.LINKS, run.places)


@inline
def go_on_with_links(run):
    """`links.anticipation.anticipate` takes the mode's answer. Returns its next request, or DONE."""
    run.control[Control.LINKS_TASK] = LinksTask.GO_ON
    return call(run.units, Unit.LINKS, run.places)


@inline
def look_at_limits(run):
    """`links.anticipation.anticipate` marks the islands that break a limit at the next pose (LIMITS_CROSSED)."""
    run.control[Control.LINKS_TASK] = LinksTask.LOOK
    call(run.units, Unit.LINKS, run.places)


@inline
def fill_stops(run):
    """`links.hard_limit_rows.fill_stops` gives hard limits to the contact method (STOPS)."""
    call(run.units, Unit.STOPS, run.places)


# ---------------------------------------------------------------- a step in two passes
@inline
def join_islands(run):
    """`integrators.parting.attend_parts` finds the islands, and marks those that lean on limits."""
    run.control[Control.PARTS_TASK] = PartsTask.JOIN
    call(run.units, Unit.PARTS, run.places)


@inline
def divide(run):
    """`integrators.parting.attend_parts` writes which pass steps which body (PARTED). Returns how many bodies have
    changed their part."""
    run.control[Control.PARTS_TASK] = PartsTask.DIVIDE
    return call(run.units, Unit.PARTS, run.places)


@inline
def exchange_parts(run):
    """`integrators.parting.attend_parts` sets the result of the integrator's pass aside."""
    run.control[Control.PARTS_TASK] = PartsTask.EXCHANGE
    call(run.units, Unit.PARTS, run.places)


@inline
def unite_parts(run):
    """`integrators.parting.attend_parts` puts the results of both passes together."""
    run.control[Control.PARTS_TASK] = PartsTask.UNITE
    call(run.units, Unit.PARTS, run.places)


# ---------------------------------------------------------------- a step that is redone
@inline
def tie_islands(run):
    """`integrators.redoing.redo` finds the islands of a rejected step, and marks what limits press."""
    run.control[Control.REDO_TASK] = RedoTask.TIE
    call(run.units, Unit.REDOING, run.places)


@inline
def sort_out(run):
    """`integrators.redoing.redo` judges each island by itself: it is kept, or redone."""
    run.control[Control.REDO_TASK] = RedoTask.SORT_OUT
    call(run.units, Unit.REDOING, run.places)


@inline
def keep_accepted(run):
    """`integrators.redoing.redo` commits the islands that are kept. Returns the first request of the first pass."""
    run.control[Control.REDO_TASK] = RedoTask.KEEP
    return call(run.units, Unit.REDOING, run.places)


@inline
def redo(run):
    """`integrators.redoing.redo` takes an answer, or the result of a substep. Returns the next request of the pass,
    SUBSTEP where a substep of the integrator comes next, DONE at the end of the step."""
    run.control[Control.REDO_TASK] = RedoTask.GO_ON
    return call(run.units, Unit.REDOING, run.places)


@inline
def leave_others_out(run):
    """`integrators.redoing.redo` takes the right-hand sides of bodies that have no part in the pass out of a
    request."""
    run.control[Control.REDO_TASK] = RedoTask.HUSH
    call(run.units, Unit.REDOING, run.places)


# ---------------------------------------------------------------- contacts
@inline
def detect(run):
    """`contacts.detection.detect_contacts` finds the contacts of the present state. Returns whether there is room for
    them."""
    call_with_space(run.contact_units, ContactUnit.DETECT, run.contact_places)
    return run.contact[TouchControl.SHORT] == 0


@inline
def begin_newton(request, run):
    """`contacts.newton.answer_contacts` takes a request. Returns its first request to the mode."""
    run.control[Control.REQUEST] = request
    run.control[Control.NEWTON_TASK] = NewtonTask.BEGIN
    return call_with_space(run.contact_units, ContactUnit.NEWTON, run.contact_places)


@inline
def go_on_with_newton(run):
    """`contacts.newton.answer_contacts` takes the answer. Returns its next request, or DONE."""
    run.control[Control.NEWTON_TASK] = NewtonTask.GO_ON
    return call_with_space(run.contact_units, ContactUnit.NEWTON, run.contact_places)


@inline
def begin_contact_rows(request, run):
    """`links.contact_rows.attend_contacts` decides which contacts take part in a request as rows (TOUCHING)."""
    run.control[Control.REQUEST] = request
    run.control[Control.ROWS_TASK] = RowsTask.BEGIN
    call_with_space(run.contact_units, ContactUnit.ROWS, run.contact_places)


@inline
def look_at_contact_rows(run):
    """`links.contact_rows.attend_contacts` compares the solution with the laws of the contacts (TOUCHED)."""
    run.control[Control.ROWS_TASK] = RowsTask.LOOK
    call_with_space(run.contact_units, ContactUnit.ROWS, run.contact_places)


@inline
def restore_request(run):
    """`links.contact_rows.attend_contacts` brings back the request as it was before contacts were rows of it."""
    run.control[Control.ROWS_TASK] = RowsTask.RESTORE
    call_with_space(run.contact_units, ContactUnit.ROWS, run.contact_places)


@inline
def find_sleeping_islands(run):
    """`contacts.sleep.attend_sleepers` finds out which islands sleep (ASLEEP, ALL_ASLEEP)."""
    run.control[Control.SLEEP_TASK] = SleepTask.ISLANDS
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def leave_sleepers_out(run):
    """`contacts.sleep.attend_sleepers` takes the right-hand sides of sleeping bodies out of a request."""
    run.control[Control.SLEEP_TASK] = SleepTask.QUIET
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def hold_sleepers(run):
    """`contacts.sleep.attend_sleepers` puts sleeping bodies back to where they were, before the step is judged."""
    run.control[Control.SLEEP_TASK] = SleepTask.HOLD
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def mark_touching(run):
    """`contacts.detection.part_touching` marks the islands that touch something."""
    run.control[Control.TOUCH_TASK] = TouchTask.MARK
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def join_struck(run):
    """`contacts.detection.part_touching` marks bodies of the integrator's part on which contacts press. Returns the
    number of such contacts."""
    run.control[Control.TOUCH_TASK] = TouchTask.JOIN_STRUCK
    return call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def tie_touching(run):
    """`contacts.detection.part_touching` makes one island of bodies that may touch each other in a redone step."""
    run.control[Control.TOUCH_TASK] = TouchTask.TIE
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def count_kept_work(run):
    """`contacts.detection.part_touching` adds up the work of contacts on islands whose step is kept."""
    run.control[Control.TOUCH_TASK] = TouchTask.COUNT_KEPT
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def measure_sinking(run):
    """`contacts.detection.part_touching` measures how deep contacts have sunk in (Number.SUNK)."""
    run.control[Control.TOUCH_TASK] = TouchTask.SINK
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)
