"""How a request of the integrator is answered: by contacts, by links, limits and grabs, and finally by the mode.

The anticipation (`links.anticipation`) receives the request of the integrator, and sends requests to the mode. It adds
the rows of links, grabs and limits, which neither the integrator nor the mode knows. Contacts are handled in one of two
ways. They may be rows of the anticipation; then they examine its solutions. Otherwise the contact method `newton`
receives the request first, and has it solved as often as it needs."""

from physics.compiler.jit import entry, kernel
from physics.data.contact_tables import Method, TouchControl
from physics.data.step_tables import Control, LimitLaw, Request, StepTask
from physics.driver.calls import (
    begin_contact_rows, begin_links, begin_newton, fill_stops, go_on_with_links, go_on_with_newton, leave_others_out,
    leave_sleepers_out, look_at_contact_rows, restore_request, solve,
)  # fmt: skip
from physics.driver.run import count, has_shapes, in_pass_of_integrator, touches


@kernel
def answer_request(request, run):
    """Have a request of the integrator answered. The solution is then in Work."""
    control = run.control
    control[Control.LIMITS_ASKED] = request & Request.LIMIT_NOW
    leave_out(run)
    with_contacts = touches(run) and (control[Control.PARTED] == 0 or not in_pass_of_integrator(run))
    # contacts are answered by stiff blocks and in rounds: what is taut there is found exactly
    control[Control.REGULARISED] = 0 if with_contacts else 1
    if with_contacts:
        answer_with_contacts(request, run)
    else:
        count(request, run)
        answer(request, run)


@kernel
def answer(request, run):
    """Have a request answered by the mode. If there are links, grabs, limits or rows of contacts, the anticipation
    receives it first. The solution is then in Work."""
    control = run.control
    limited = (control[Control.HARD_LIMITED] != 0 and request & Request.LIMIT_NOW != 0) or control[
        Control.TOUCHING
    ] != 0
    if control[Control.LINKED] == 0 and control[Control.GRABS] == 0 and not limited:
        solve(request & ~(Request.PULL_NOW | Request.LIMIT_NOW), run)
        return
    inner = begin_links(request, run)
    while inner != Request.DONE:
        if inner == Request.CONTACT_ROWS:
            look_at_contact_rows(run)
        else:
            solve(inner, run)
        inner = go_on_with_links(run)


@kernel
def answer_with_contact_rows(request, run):
    """Have a request answered with contacts as rows of the anticipation. If it finds no solution with these rows,
    restore the request and return False; otherwise return True."""
    begin_contact_rows(request, run)
    count(request, run)
    answer(request, run)
    run.control[Control.TOUCHING] = 0
    if run.contact[TouchControl.GIVEN_UP] != 0:
        restore_request(run)
    return run.contact[TouchControl.GIVEN_UP] == 0


@kernel
def answer_with_contacts(request, run):
    """Have a request answered with contacts: either as rows of the anticipation, or by the contact method `newton`.
    That method handles most hard limits, too."""
    control = run.control
    anticipated = run.contact[TouchControl.USED] == Method.ANTICIPATION
    control[Control.STOPS] = 0
    if anticipated and run.contact[TouchControl.REGULARISED] == 0:
        if answer_with_contact_rows(request, run):
            return
        anticipated = False
    if control[Control.HARD_LIMITED] != 0 and request & Request.LIMIT_NOW:
        fill_stops(run)
        if control[Control.LIMITS_ELSEWHERE] == 0:
            request &= ~Request.LIMIT_NOW
        leave_out(run)
    if anticipated and answer_with_contact_rows(request, run):
        return
    inner = begin_newton(request, run)
    while inner != Request.DONE:
        count(inner, run)
        answer(inner, run)
        inner = go_on_with_newton(run)


@kernel
def leave_out(run):
    """Set right-hand sides in Work to zero: those of sleeping bodies, and those of bodies that take no part in the
    present pass of a redone step."""
    if run.control[Control.OTHERS] != 0:
        leave_others_out(run)
    if has_shapes(run) and run.contact[TouchControl.ASLEEP] != 0:
        leave_sleepers_out(run)


@kernel
def clear_requests(run):
    """Clear the last request in Work.control, because it does not belong to the state."""
    run.control[Control.STEP_TASK] = StepTask.REFRESH
    run.control[Control.REQUEST] = Request.DONE
    run.control[Control.LIMITS_ASKED] = 0
    run.control[Control.REGULARISED] = 0


@entry("ir")
def answer_once(request, run):
    """Have a request answered between steps. Contacts that are rows of the anticipation take their share of an
    impulse."""
    control, contact = run.control, run.contact
    impulse = control[Control.LIMIT_LAW] == LimitLaw.IMPULSE and request & Request.LIMIT_NOW != 0
    with_rows = impulse and touches(run) and contact[TouchControl.USED] == Method.ANTICIPATION
    if not with_rows or not answer_with_contact_rows(request, run):
        answer(request, run)
    clear_requests(run)
