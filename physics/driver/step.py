"""One whole step in compiled code, with no Python in it.

    find contacts -> begin -> { request of the integrator -> answer of contacts, links, limits, grabs and the mode ->
    forces with bounds check the answer against their laws } until the integrator is done -> judge -> accept, or redo

Integrators do not depend on solver modes, nor modes on integrators. The integrator runs until it needs the solution of
a linear system. It writes the system to Work, and returns a request (bits of `Request`, such as FACTOR and SOLVE). The
driver has the request answered (`answering.py`), and calls the integrator again.

If the integrator is of higher order, it first steps the islands that touch nothing and press on no limit. Then
`implicit` steps the others (`passes.py`). A step that the guard rejects is redone in substeps (`redoing.py`).
Integrators, modes, the guard and the other parts of a step are units, which are called by their addresses. `calls.py`
has one function for each task of a unit, and names the kernel that is called. `units.py` chooses the units that a run
needs, and compiles them."""

from physics.compiler.jit import entry, kernel
from physics.data.contact_tables import TouchControl
from physics.data.step_tables import Control, Phase, Request, StepTask
from physics.driver.answering import answer_request, clear_requests
from physics.driver.calls import (
    Unit, account_for_forces, begin_step, detect, find_sleeping_islands, hold_sleepers, integrate,
    integrate_first_order, judge, pass_by, refresh,
)  # fmt: skip
from physics.driver.passes import divide_step, go_over, unite
from physics.driver.redoing import go_on_redoing, look_for_sinking, start_redoing
from physics.driver.run import has_shapes, in_pass_of_integrator, touches
from physics.forces.all_forces import are_accounted
from physics.integrators import parting, stepping


@entry("ir", "i")
def drive(steps, run):
    """Run up to `steps` whole steps, and return how many were taken. They are fewer where the run cannot continue
    (Control.STATUS), where there is no room for contacts (TouchControl.SHORT), or where a step must be redone and the
    unit for it is not compiled yet (Control.LACKING); the next call then continues that step."""
    control, contact = run.control, run.contact
    interrupted = control[Control.LACKING] != 0
    control[Control.LACKING] = 0
    if not (interrupted or is_measured(run)):
        refresh(run)
    if control[Control.STATUS] != 0:
        steps = 0
    for k in range(steps):
        if k > 0 and control[Control.SOUGHT] != 0:
            # what iteration finds depends, in its last bits, on where it starts: as a call of its own would
            refresh(run)
        if not interrupted:
            if not find_contacts(run):
                steps = k
                break
            if may_sleep(run) and contact[TouchControl.ALL_ASLEEP] != 0:
                # nothing inside can wake them
                for _ in range(steps - k):
                    pass_by(run)
                break
        step(interrupted, run)
        interrupted = False
        if control[Control.LACKING] != 0:
            return k
        if control[Control.STATUS] != 0:
            steps = k + 1
            break
    clear_requests(run)
    return steps


@kernel
def step(interrupted, run):
    """Take one step, or the rest of a step that was `interrupted`. Its contacts have been detected before. At the end,
    the next state is accepted and in State; otherwise Control.LACKING or Control.STATUS says why not."""
    request = resume(run) if interrupted else begin(run)
    while request != Request.DONE:
        answer_request(request, run)
        request = go_on(run)


@kernel
def is_measured(run):
    """Return whether what belongs to the present state is already computed and measured. A run that continues where the
    last one ended then begins like any step within a run."""
    control = run.control
    return (
        control[Control.STEP_TASK] != StepTask.REFRESH
        and control[Control.SIGNALED] == 0
        and control[Control.SOUGHT] == 0
        and not has_shapes(run)
    )


@kernel
def find_contacts(run):
    """Detect contacts, and find the islands that sleep, if the scene has shapes. Return False if the arrays have no
    room for the contacts."""
    if not has_shapes(run):
        return True
    if not detect(run):
        return False
    if may_sleep(run):
        find_sleeping_islands(run)
    return True


@kernel
def may_sleep(run):
    """Return whether some body sleeps or may fall asleep."""
    contact = run.contact
    return has_shapes(run) and (contact[TouchControl.SLEEPING] != 0 or contact[TouchControl.ASLEEP] != 0)


@kernel
def begin(run):
    """Begin a step. Return its first request, or DONE when the step is over."""
    control = run.control
    control[Control.FIRST_ORDER] = 1 if touches(run) and stepping.is_higher(control) else 0
    begin_step(run)
    if control[Control.FIRST_ORDER] != 0 and parting.may_part(control):
        divide_step(run)
    return go_on(run)


@kernel
def resume(run):
    """Continue a step that was interrupted. Return its next request, or DONE when the step is over."""
    if run.control[Control.PHASE] == Phase.WHOLE_STEP:
        return start_redoing(run)
    return go_on_redoing(Request.SUBSTEP, run)


@kernel
def go_on(run):
    """Return the next request of the step, or DONE when the step is over."""
    control = run.control
    if are_accounted(control):
        request = account_for_forces(run)
        if request != Request.DONE:
            return request
    if control[Control.PHASE] != Phase.WHOLE_STEP:
        return go_on_redoing(Request.SUBSTEP, run)
    request = go_on_integrating(run)
    if request != Request.DONE:
        return request
    return finish(run)


@kernel
def go_on_integrating(run):
    """Return the next request of the passes of a whole step, or DONE when the next state is known."""
    control = run.control
    request = integrate(run) if in_pass_of_integrator(run) else integrate_first_order(run)
    if request == Request.DONE and in_pass_of_integrator(run) and stepping.is_higher(control):
        request = go_over(run)
    if request == Request.DONE and control[Control.PARTED] != 0:
        request = unite(run)
    return request


@kernel
def finish(run):
    """Judge the next state. Return DONE if it is accepted. Otherwise begin to redo the step, and return the first
    request. If the unit for that must be compiled first, set Control.LACKING and return DONE."""
    if has_shapes(run) and run.contact[TouchControl.ASLEEP] != 0:
        hold_sleepers(run)
    look_for_sinking(run)
    if judge(run):
        return Request.DONE
    if run.units[Unit.REDOING] == 0:
        run.control[Control.LACKING] = 1
        return Request.DONE
    return start_redoing(run)
