"""The calls of units in a step, one function for each task of a unit.

A unit is a kernel that is compiled separately (`compiler.unit`), and the driver knows only its address. To show a
reader which kernel is called, only the functions of this file call units. Such a function writes its task to the unit's
own column of Control, and calls the unit. Its docstring names the kernel: `integrators.stepping.attend` is the function
`attend` in physics/integrators/stepping.py. A test compares these names with the units that `units.choose_units`
chooses (tests/physics/driver/test_calls.py)."""

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
    """Have `integrators.stepping.attend` compute what belongs to the present state, and measure it."""
    run.control[Control.STEP_TASK] = StepTask.REFRESH
    call(run.units, Unit.STEPPING, run.places)


@inline
def begin_step(run):
    """Have `integrators.stepping.attend` set the sums of the step to zero, and begin the first span of the
    integrator."""
    run.control[Control.STEP_TASK] = StepTask.BEGIN_STEP
    call(run.units, Unit.STEPPING, run.places)


@inline
def pass_by(run):
    """Have `integrators.stepping.attend` advance the time by one step in which nothing moves."""
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
    """Have `integrators.stepping.attend` judge the step. Return True if it accepts and commits the step, else False."""
    run.control[Control.STEP_TASK] = StepTask.JUDGE
    return call(run.units, Unit.STEPPING, run.places) == Verdict.ACCEPTED


# ---------------------------------------------------------------- the integrator and what answers it
@inline
def integrate(run):
    """Let the chosen integrator continue. Its kernel is `advance` in the file that its entry in
    `data.step_tables.SCHEMES` names, or in the kinematic order `integrators.kinematic.advance`. Return its next
    request, or DONE at the end of its span."""
    return call(run.units, Unit.INTEGRATOR, run.places)


@inline
def integrate_first_order(run):
    """Let `integrators.implicit.advance` continue its pass, which is of first order. Return its next request, or DONE
    at the end of its span."""
    return call(run.units, Unit.FIRST_ORDER, run.places)


@inline
def account_for_forces(run):
    """Have `forces.all_forces.account` compare the solution with the laws of the forces, and add up their work. Return
    the request of another round, or DONE."""
    return call(run.units, Unit.FORCES, run.places)


@inline
def solve(request, run):
    """Have a request answered by the chosen mode, that is by the kernel in its entry in `solvers.modes`."""
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
    """Have `links.anticipation.anticipate` mark the islands that violate a limit at the next pose. It sets
    Control.LIMITS_CROSSED if there are any."""
    run.control[Control.LINKS_TASK] = LinksTask.LOOK
    call(run.units, Unit.LINKS, run.places)


@inline
def fill_stops(run):
    """Have `links.hard_limit_rows.fill_stops` write the hard limits that may exert a force to Work.stop, for the
    contact method, and their number to Control.STOPS."""
    call(run.units, Unit.STOPS, run.places)


# ---------------------------------------------------------------- a step in two passes
@inline
def join_islands(run):
    """Have `integrators.parting.attend_parts` find the islands, and mark those that press on limits."""
    run.control[Control.PARTS_TASK] = PartsTask.JOIN
    call(run.units, Unit.PARTS, run.places)


@inline
def divide(run):
    """Have `integrators.parting.attend_parts` write to Work.part which pass steps each body, and to Control.PARTED
    whether there are two passes. Return how many bodies are now in another pass than before."""
    run.control[Control.PARTS_TASK] = PartsTask.DIVIDE
    return call(run.units, Unit.PARTS, run.places)


@inline
def exchange_parts(run):
    """Have `integrators.parting.attend_parts` store the result of the integrator's pass."""
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
    """Have `integrators.redoing.redo` find the islands of a rejected step, and mark those that press on limits."""
    run.control[Control.REDO_TASK] = RedoTask.TIE
    call(run.units, Unit.REDOING, run.places)


@inline
def sort_out(run):
    """Have `integrators.redoing.redo` judge each island separately: its step is either kept or redone."""
    run.control[Control.REDO_TASK] = RedoTask.SORT_OUT
    call(run.units, Unit.REDOING, run.places)


@inline
def keep_accepted(run):
    """Have `integrators.redoing.redo` commit the islands whose step is kept. Return the first request of the first pass
    that redoes the others, or DONE."""
    run.control[Control.REDO_TASK] = RedoTask.KEEP
    return call(run.units, Unit.REDOING, run.places)


@inline
def redo(run):
    """Give an answer, or the result of a substep, to `integrators.redoing.redo`. Return the next request of the pass,
    SUBSTEP if a substep of the integrator is next, or DONE at the end of the step."""
    run.control[Control.REDO_TASK] = RedoTask.GO_ON
    return call(run.units, Unit.REDOING, run.places)


@inline
def leave_others_out(run):
    """Have `integrators.redoing.redo` set to zero the right-hand sides of bodies that take no part in the present
    pass."""
    run.control[Control.REDO_TASK] = RedoTask.HUSH
    call(run.units, Unit.REDOING, run.places)


# ---------------------------------------------------------------- contacts
@inline
def detect(run):
    """Have `contacts.detection.detect_contacts` find the contacts of the present state. Return False if the arrays have
    no room for them."""
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
    """Have `links.contact_rows.attend_contacts` restore the request as it was before contacts became rows of it."""
    run.control[Control.ROWS_TASK] = RowsTask.RESTORE
    call_with_space(run.contact_units, ContactUnit.ROWS, run.contact_places)


@inline
def find_sleeping_islands(run):
    """Have `contacts.sleep.attend_sleepers` find the islands that sleep (TouchControl.ASLEEP, ALL_ASLEEP)."""
    run.control[Control.SLEEP_TASK] = SleepTask.ISLANDS
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def leave_sleepers_out(run):
    """Have `contacts.sleep.attend_sleepers` set the right-hand sides of sleeping bodies to zero."""
    run.control[Control.SLEEP_TASK] = SleepTask.QUIET
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def hold_sleepers(run):
    """Have `contacts.sleep.attend_sleepers` set sleeping bodies in the next state back to where they were. This is done
    before the step is judged."""
    run.control[Control.SLEEP_TASK] = SleepTask.HOLD
    call_with_space(run.contact_units, ContactUnit.SLEEP, run.contact_places)


@inline
def mark_touching(run):
    """Have `contacts.detection.part_touching` mark the islands that touch something."""
    run.control[Control.TOUCH_TASK] = TouchTask.MARK
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def join_struck(run):
    """Have `contacts.detection.part_touching` find the contacts that press on bodies of the integrator's part, and mark
    these bodies. Return the number of such contacts."""
    run.control[Control.TOUCH_TASK] = TouchTask.JOIN_STRUCK
    return call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def tie_touching(run):
    """Have `contacts.detection.part_touching` join the islands of bodies that may touch each other in a redone step."""
    run.control[Control.TOUCH_TASK] = TouchTask.TIE
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def count_kept_work(run):
    """Have `contacts.detection.part_touching` add up the work that contacts did on islands whose step is kept."""
    run.control[Control.TOUCH_TASK] = TouchTask.COUNT_KEPT
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)


@inline
def measure_sinking(run):
    """Have `contacts.detection.part_touching` measure how deeply bodies have sunk into each other at contacts
    (Number.SUNK)."""
    run.control[Control.TOUCH_TASK] = TouchTask.SINK
    call_with_space(run.contact_units, ContactUnit.TOUCH, run.contact_places)
