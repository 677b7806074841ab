"""The units that a step calls, each as a function of its own.

A unit is a kernel that is compiled by itself (`compiler.unit`), and the driver knows only its address. So that a reader
can follow a call nevertheless, every unit is called by functions of this file, one for each task that the unit has.
Such a function writes the task to the unit's own slot in Control, and calls the unit. Its docstring names the kernel
that answers: `integrators.stepping.attend` is the function `attend` in physics/integrators/stepping.py. A test compares
these names with the units that `units.choose_units` puts there (tests/physics/driver/test_calls.py)."""

from physics.compiler.jit import inline
from physics.compiler.table import Table
from physics.compiler.unit import call, call_with_space
from physics.data.contact_tables import NewtonTask, RowsTask, SleepTask, TouchControl, TouchTask
from physics.data.step_tables import Control, LinksTask, PartsTask, RedoTask, StepTask, Verdict


class Unit(Table):
    """Places of the units in the table `Run.units`."""

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
    """Places of the units of contacts in the table `Run.contact_units`, in scenes that have shapes."""

    DETECT = 0
    NEWTON = 1
    ROWS = 2
    SLEEP = 3
    TOUCH = 4


# ---------------------------------------------------------------- the step as a whole
@inline
def refresh(run):
    """Have `integrators.stepping.attend` fill and measure the present state."""
    run.control[Control.STEP_TASK] = StepTask.REFRESH
    call(run.units, Unit.STEPPING, run.places)


@inline
def begin_step(run):
    """Have `integrators.stepping.attend` clear the sums of the step and begin the first span of the integrator."""
    run.control[Control.STEP_TASK] = StepTask.BEGIN_STEP
    call(run.units, Unit.STEPPING, run.places)


@inline
def pass_by(run):
    """Have `integrators.stepping.attend` let the time of one step pass, in which nothing moves."""
    run.control[Control.STEP_TASK] = StepTask.PASS_BY
    call(run.units, Unit.STEPPING, run.places)


@inline
def start_first_order(run):
    """Have `integrators.stepping.attend` go back to the start of the step, for a pass of `implicit`."""
    run.control[Control.STEP_TASK] = StepTask.START_FIRST_ORDER
    call(run.units, Unit.STEPPING, run.places)


@inline
def start_over(run):
    """Have `integrators.stepping.attend` go back to the start of the step, for a pass of the integrator."""
    run.control[Control.STEP_TASK] = StepTask.START_OVER
    call(run.units, Unit.STEPPING, run.places)


@inline
def judge(run):
    """Have `integrators.stepping.attend` judge the step. Return True where it accepts and commits the step, else
    False."""
    run.control[Control.STEP_TASK] = StepTask.JUDGE
    return call(run.units, Unit.STEPPING, run.places) == Verdict.ACCEPTED


# ---------------------------------------------------------------- the integrator and what answers it
@inline
def integrate(run):
    """Let the integrator that is set continue: the kernel `advance` of the file that its entry in
    `data.step_tables.SCHEMES` names, or `integrators.kinematic.advance` in the kinematic order. Return its next
    request, or DONE at the end of its span."""
    return call(run.units, Unit.INTEGRATOR, run.places)


@inline
def integrate_first_order(run):
    """Let `integrators.implicit.advance` continue a pass of first order. Return its next request, or DONE at the end of
    its span."""
    return call(run.units, Unit.FIRST_ORDER, run.places)


@inline
def account_for_forces(run):
    """Have `forces.all_forces.account` compare the solution with the laws of the forces, and add up their work. Return
    the request of a further round, or DONE."""
    return call(run.units, Unit.FORCES, run.places)


@inline
def solve(request, run):
    """Have a request answered by the mode that is set: the kernel of its entry in `solvers.modes`."""
    run.control[Control.REQUEST] = request
    call_with_space(run.units, Unit.MODE, run.places)


@inline
def begin_links(request, run):
    """Give a request to `links.anticipation.anticipate`. Return its first request to the mode."""
    run.control[Control.REQUEST] = request
    run.control[Control.LINKS_TASK] = LinksTask.BEGIN
    return call(run.units, Unit.LINKS, run.places)


@inline
def go_on_with_links(run):
    """Give the mode's answer to `links.anticipation.anticipate`. Return its next request, or DONE."""
    run.control[Control.LINKS_TASK] = LinksTask.GO_ON
    return call(run.units, Unit.LINKS, run.places)


@inline
def look_at_limits(run):
    """Have `links.anticipation.anticipate` mark the islands that violate a limit at the next pose.
    Control.LIMITS_CROSSED says whether there are any."""
    run.control[Control.LINKS_TASK] = LinksTask.LOOK
    call(run.units, Unit.LINKS, run.places)


@inline
def fill_stops(run):
    """Have `links.hard_limit_rows.fill_stops` write the hard limits that may carry a force to Work.stop for the contact
    method, and their number to Control.STOPS."""
    call(run.units, Unit.STOPS, run.places)


# ---------------------------------------------------------------- a step in two passes
@inline
def join_islands(run):
    """Have `integrators.parting.attend_parts` make the islands, and mark those that press on limits."""
    run.control[Control.PARTS_TASK] = PartsTask.JOIN
    call(run.units, Unit.PARTS, run.places)


@inline
def divide(run):
    """Have `integrators.parting.attend_parts` write to Work.part which pass steps each body, and Control.PARTED. Return
    how many bodies have changed their part."""
    run.control[Control.PARTS_TASK] = PartsTask.DIVIDE
    return call(run.units, Unit.PARTS, run.places)


@inline
def exchange_parts(run):
    """Have `integrators.parting.attend_parts` set the result of the integrator's pass aside."""
    run.control[Control.PARTS_TASK] = PartsTask.EXCHANGE
    call(run.units, Unit.PARTS, run.places)


@inline
def unite_parts(run):
    """Have `integrators.parting.attend_parts` unite the results of both passes in Work."""
    run.control[Control.PARTS_TASK] = PartsTask.UNITE
    call(run.units, Unit.PARTS, run.places)


# ---------------------------------------------------------------- a step that is redone
@inline
def tie_islands(run):
    """Have `integrators.redoing.redo` make the islands of a rejected step, and mark those that limits press."""
    run.control[Control.REDO_TASK] = RedoTask.TIE
    call(run.units, Unit.REDOING, run.places)


@inline
def sort_out(run):
    """Have `integrators.redoing.redo` judge each island by itself: its step is kept, or redone."""
    run.control[Control.REDO_TASK] = RedoTask.SORT_OUT
    call(run.units, Unit.REDOING, run.places)


@inline
def keep_accepted(run):
    """Have `integrators.redoing.redo` commit the islands that are kept. Return the first request of the first pass, or
    DONE."""
    run.control[Control.REDO_TASK] = RedoTask.KEEP
    return call(run.units, Unit.REDOING, run.places)


@inline
def redo(run):
    """Give an answer, or the result of a substep, to `integrators.redoing.redo`. Return the next request of the pass,
    SUBSTEP where a substep of the integrator comes next, or DONE at the end of the step."""
    run.control[Control.REDO_TASK] = RedoTask.GO_ON
    return call(run.units, Unit.REDOING, run.places)


@inline
def leave_others_out(run):
    """Have `integrators.redoing.redo` set the right-hand sides of bodies that take no part in the pass to zero in a
    request."""
    run.control[Control.REDO_TASK] = RedoTask.HUSH
    call(run.units, Unit.REDOING, run.places)


# ---------------------------------------------------------------- contacts
@inline
def detect(run):
    """Have `contacts.detection.detect_contacts` find the contacts of the present state. Return False where there is no
    room for them."""
    call_with_space(run.contact_units, ContactUnit.DETECT, run.contact_places)
    return run.contact[TouchControl.SHORT] == 0


@inline
def begin_newton(request, run):
    """Give a request to `contacts.newton.answer_contacts`. Return its first request to the mode."""
    run.control[Control.REQUEST] = request
    run.control[Control.NEWTON_TASK] = NewtonTask.BEGIN
    return call_with_space(run.contact_units, ContactUnit.NEWTON, run.contact_places)


@inline
def go_on_with_newton(run):
    """Give the mode's answer to `contacts.newton.answer_contacts`. Return its next request, or DONE."""
    run.control[Control.NEWTON_TASK] = NewtonTask.GO_ON
    return call_with_space(run.contact_units, ContactUnit.NEWTON, run.contact_places)


@inline
def begin_contact_rows(request, run):
    """Have `links.contact_rows.attend_contacts` choose the contacts that take part in a request as rows
    (Control.TOUCHING)."""
    run.control[Control.REQUEST] = request
    run.control[Control.ROWS_TASK] = RowsTask.BEGIN
    call_with_space(run.contact_units, ContactUnit.ROWS, run.contact_places)


@inline
def look_at_contact_rows(run):
    """Have `links.contact_rows.attend_contacts` compare the solution with the laws of the contacts
    (Control.TOUCHED)."""
    run.control[Control.ROWS_TASK] = RowsTask.LOOK
    call_with_space(run.contact_units, ContactUnit.ROWS, run.contact_places)


@inline
def restore_request(run):
    """Have `links.contact_rows.attend_contacts` restore the request as it was before contacts were rows of it."""
    run.control[Control.ROWS_TASK] = RowsTask.RESTORE
    call_with_space(run.contact_units, ContactUnit.ROWS, run.contact_places)


@inline
def find_sleeping_islands(run):
    """Have `contacts.sleep.attend_sleepers` find the islands that sleep (TouchControl.ASLEEP, ALL_ASLEEP)."""
    run.control[Control.SLEEP_TASK] = SleepTask.ISLANDS
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def leave_sleepers_out(run):
    """Have `contacts.sleep.attend_sleepers` set the right-hand sides of sleeping bodies to zero in a request."""
    run.control[Control.SLEEP_TASK] = SleepTask.QUIET
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def hold_sleepers(run):
    """Have `contacts.sleep.attend_sleepers` set sleeping bodies in the next state back to where they were, before the
    step is judged."""
    run.control[Control.SLEEP_TASK] = SleepTask.HOLD
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def mark_touching(run):
    """Have `contacts.detection.part_touching` mark the islands that touch something."""
    run.control[Control.TOUCH_TASK] = TouchTask.MARK
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def join_struck(run):
    """Have `contacts.detection.part_touching` mark bodies of the integrator's part on which contacts press. Return the
    number of such contacts."""
    run.control[Control.TOUCH_TASK] = TouchTask.JOIN_STRUCK
    return call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def tie_touching(run):
    """Have `contacts.detection.part_touching` join the islands of bodies that may touch each other in a redone step."""
    run.control[Control.TOUCH_TASK] = TouchTask.TIE
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def count_kept_work(run):
    """Have `contacts.detection.part_touching` add up the work of contacts on islands whose step is kept."""
    run.control[Control.TOUCH_TASK] = TouchTask.COUNT_KEPT
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def measure_sinking(run):
    """Have `contacts.detection.part_touching` measure how deep contacts have sunk in (Number.SUNK)."""
    run.control[Control.TOUCH_TASK] = TouchTask.SINK
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)
