"""The compiled driver: whole steps with no Python between them.

An integrator knows no solver mode and a mode knows no integrator. They meet here: the integrator runs until it needs a
linear system, writes it to Work and returns a request (FACTOR, SOLVE or both); the driver has the mode answer it, and
hands control back to the integrator, until the step is done.

    begin -> integrator -> request -> answer -> integrator -> ... -> DONE -> judged: accepted by the guard, or redone

What touches or leans on a limit is stepped by `implicit` where the integrator is of higher order, and the other islands
by that one, in a pass before (`integrators.parting`).

Edges outside the forest and grabs are anticipated on the way from the integrator to the mode, and unknown to both. So
are contacts, before them: they are found at the start of each step, and where some matter in it, the contact method
takes the request and has it answered as often as it needs; or, where they are rows of the anticipation, this asks for
them to look at its answers.
Integrators, modes, guard (`integrators.stepping`, `integrators.redoing`), anticipation and contacts are units
(`compiler.unit`), compiled one by one when they are first used; the driver itself is only this loop.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from physics.compiler.jit import Wanted, compilation_is_off, entry, kernel
from physics.compiler.unit import COUNT, TABLE, call, call_with_space, tables, unit_address, wanted
from physics.contacts.newton import answer_contacts
from physics.contacts.sleep import attend_sleepers
from physics.contacts.detection import detect_contacts, part_touching
from physics.contacts.touch import Touch
from physics.data.contact_tables import Method, SleepTask, TouchControl, TouchTask
from physics.data.step_tables import Control, Integrator, LimitLaw, Order, Outcome, Phase, Request, StepTask, TouchPart
from physics.forces import drives
from physics.integrators import implicit, kinematic, parting, rattle, redoing, rk4, stepping, trbdf2
from physics.integrators.parting import attend_parts
from physics.links import anticipation, hard_limit_rows
from physics.links.contact_rows import attend_contacts

# the table of units
STEPPING, INTEGRATOR, ANSWER, LINKS, DRIVES, FIRST, STOPPING, PARTS, REDOING = range(9)
# and that of contacts, in scenes that have shapes
DETECT, CONTACTS, ROWS, SLEEP, PART_TOUCHING = range(5)
INTEGRATORS: dict[int, Any] = {
    Integrator.TRBDF2: trbdf2.advance,
    Integrator.IMPLICIT: implicit.advance,
    Integrator.HERNANDEZ: implicit.advance,
    Integrator.EXPLICIT: implicit.advance,
    Integrator.RATTLE: rattle.advance,
    Integrator.RATTLE4: rattle.advance,
    Integrator.RK4: rk4.advance,
}


NO_CONTACTS: Any = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))


def takes_rows(touch: Touch | None) -> bool:
    """Whether contacts may become rows of the anticipated matrix"""
    return touch is not None and touch.control[TouchControl.METHOD] in (Method.ANTICIPATION, Method.AUTO)


def choose_units(answer: Any, control: Any, touch: Touch | None) -> tuple[list[Any], list[Any]]:
    """The units that a run needs, and those of its contacts, in the order of their tables."""
    advance = (
        kinematic.advance if control[Control.ORDER] == Order.KINEMATIC else INTEGRATORS[control[Control.INTEGRATOR]]
    )
    rows = takes_rows(touch)
    links = (
        anticipation.anticipate
        if rows or control[Control.LINKED] or control[Control.GRABS] or control[Control.HARD_LIMITED]
        else None
    )
    revise = (
        drives.revise
        if control[Control.DRIVEN] or control[Control.IN_MEDIUM] or control[Control.TREE_SPRINGS]
        else None
    )
    first = implicit.advance if touch or control[Control.HARD_LIMITED] else None
    stopping = hard_limit_rows.fill_stops if touch and control[Control.HARD_LIMITED] else None
    parted = first and advance in (trbdf2.advance, rattle.advance, rk4.advance) and control[Control.SEVERAL]
    parts = attend_parts if parted else None
    units = [stepping.attend, advance, answer, links, revise, first, stopping, parts, redoing.redo]
    if touch is None:
        return units, []
    sleepers = attend_sleepers if touch.control[TouchControl.SLEEPING] or touch.control[TouchControl.ASLEEP] else None
    touching = part_touching
    return units, [detect_contacts, answer_contacts, attend_contacts if rows else None, sleepers, touching]


def make_tables(answer: Any, control: Any, packs: tuple[Any, ...], touch: Touch | None) -> tuple[Any, ...]:
    """The units that a run needs, compiled: the tables `drive` goes by. `packs` are Model, State, Work, and the mode's
    own space; contacts have tables of their own. What redoes a step waits until one must be redone
    (`provide_redoing`), unless it stands in the disk cache: it is a quarter of what a first step would compile."""
    if not compilation_is_off():
        for one, kinds in run_entries(answer, control, packs, touch):
            one.address_for(kinds)
    units, contacts = choose_units(answer, control, touch)
    if any(one.is_missing(kinds) for one, kinds in redoing_entries(packs)):
        units[REDOING] = None
    if touch is None:
        return *tables(units, packs), *NO_CONTACTS
    return *tables(units, packs), *tables(contacts, (*packs[:3], touch)), touch.control


def run_entries(answer: Any, control: Any, packs: tuple[Any, ...], touch: Touch | None) -> Iterator[Wanted]:
    """What a run compiles before its first step: the same units, and the driver. The integrator, the largest of them,
    comes last: a child that helps begins with it, while all else is compiled here."""
    units, contacts = choose_units(answer, control, touch)
    yield from wanted([units[k] for k in range(len(units)) if k not in (INTEGRATOR, REDOING)], packs)
    yield from wanted(contacts, (*packs[:3], touch))
    yield drive, (COUNT, *[TABLE] * 6)
    yield from wanted([units[INTEGRATOR]], packs)


def redoing_entries(packs: tuple[Any, ...]) -> list[Wanted]:
    """What redoes a step."""
    return [] if compilation_is_off() else wanted([redoing.redo], packs)


def provide_redoing(units: Any, packs: tuple[Any, ...]) -> None:
    """Compile it, for a run that waits for it."""
    units[REDOING] = unit_address(redoing.redo, packs)


SETTINGS = np.array(
    [
        Control.INTEGRATOR,
        Control.ORDER,
        Control.LINKED,
        Control.GRABS,
        Control.HARD_LIMITED,
        Control.DRIVEN,
        Control.IN_MEDIUM,
        Control.TREE_SPRINGS,
        Control.ARMED,
        Control.CORRECTION,
        Control.BALL_SPRINGS,
    ]
)


def settings(control: Any) -> bytes:
    """What the choice of units depends on. Asked at every call of `World.step`, as one number after the other takes
    longer than a step of a small figure."""
    return control[SETTINGS].tobytes()


@entry
def drive(steps, control, units, places, contact_units, contact_places, contact):
    """Run whole steps; returns how many (fewer where the figure is hopeless, there is no room for its contacts, or a
    step must be redone and REDOING is LACKING). `contact` is Touch.control, empty in a scene without shapes."""
    waits = control[Control.TASK] == Outcome.LACKING
    # a run that goes on where the last one ended begins as the steps within a run do
    measured = (
        control[Control.TASK] != StepTask.REFRESH
        and control[Control.SIGNALED] == 0
        and control[Control.SOUGHT] == 0
        and contact.shape[0] == 0
    )
    if not (measured or waits):
        control[Control.TASK] = StepTask.REFRESH
        call(units, STEPPING, places)
    if control[Control.STATUS] != 0:
        steps = 0
    for k in range(steps):
        if k > 0 and control[Control.SOUGHT] != 0:
            # what iteration finds depends, in its last bits, on where it starts: as a call of its own would
            control[Control.TASK] = StepTask.REFRESH
            call(units, STEPPING, places)
        if contact.shape[0] > 0 and not waits:
            call_with_space(contact_units, DETECT, contact_places)
            if contact[TouchControl.SHORT] != 0:
                steps = k
                break
            if contact[TouchControl.SLEEPING] != 0 or contact[TouchControl.ASLEEP] != 0:
                control[Control.TASK] = SleepTask.ISLANDS
                call_with_space(contact_units, SLEEP, contact_places)
                if contact[TouchControl.ALL_ASLEEP] != 0:
                    # nothing inside can wake them
                    control[Control.TASK] = StepTask.PASS_BY
                    for _ in range(steps - k):
                        call(units, STEPPING, places)
                    break
        touching = contact.shape[0] > 0 and contact[TouchControl.ACTIVE] > 0
        if waits:
            waits = False
            if control[Control.PHASE] == Phase.WHOLE_STEP:
                request = start_redo(control, units, places, contact_units, contact_places, contact)
            else:
                request = go_on(control, units, places, contact_units, contact_places, contact, Outcome.AGAIN)
        else:
            control[Control.FIRST_ORDER] = 1 if touching and stepping.is_higher(control) else 0
            control[Control.TASK] = StepTask.BEGIN_STEP
            call(units, STEPPING, places)
            if control[Control.FIRST_ORDER] != 0 and parting.may_part(control):
                part(control, units, places, contact_units, contact_places, touching)
            request = advance(control, units, places, contact_units, contact_places, contact)
        while request != Request.DONE:
            control[Control.LIMITS_ASKED] = request & Request.LIMIT_NOW
            quiet(control, units, places, contact_units, contact_places, contact)
            with_contacts = contact.shape[0] > 0 and contact[TouchControl.ACTIVE] > 0
            with_contacts = with_contacts and (control[Control.PARTED] == 0 or control[Control.FIRST_ORDER] != 0)
            # contacts are answered by stiff blocks and in rounds: what is taut there is found exactly
            control[Control.REGULARISED] = 0 if with_contacts else 1
            if with_contacts:
                answer_touching(request, control, units, places, contact_units, contact_places, contact)
            else:
                count(request, control)
                answer(request, control, units, places, contact_units, contact_places)
            request = advance(control, units, places, contact_units, contact_places, contact)
        if control[Control.TASK] == Outcome.LACKING:
            return k
        if control[Control.STATUS] != 0:
            steps = k + 1
            break
    clear_tasks(control)
    return steps


@kernel
def part(control, units, places, contact_units, contact_places, touching):
    """Whether a step that is of first order is so for all islands; the others are stepped by the integrator first."""
    control[Control.TASK] = TouchPart.JOIN
    call(units, PARTS, places)
    if touching:
        call_with_space(contact_units, PART_TOUCHING, contact_places)
    control[Control.TASK] = TouchPart.DIVIDE
    call(units, PARTS, places)
    if control[Control.PARTED] != 0:
        control[Control.FIRST_ORDER] = 0


@kernel
def clear_tasks(control):
    """What was asked last is no part of the state."""
    control[Control.TASK] = StepTask.REFRESH
    control[Control.REQUEST] = Request.DONE
    control[Control.LIMITS_ASKED] = 0
    control[Control.REGULARISED] = 0


@kernel
def advance(control, units, places, contact_units, contact_places, contact):
    """Go on to the next request of the step; DONE when the step is over."""
    if control[Control.DRIVE_ASKED] != 0 or control[Control.FLOWING] != 0 or control[Control.TREE_SPRINGS_ASKED] != 0:
        request = call(units, DRIVES, places)
        if request != Request.DONE:
            return request
    if control[Control.PHASE] == 0:
        request = call(units, INTEGRATOR if control[Control.FIRST_ORDER] == 0 else FIRST, places)
        if request == Request.DONE and control[Control.FIRST_ORDER] == 0 and stepping.is_higher(control):
            request = go_over(control, units, places)
        if request != Request.DONE:
            return request
        if control[Control.PARTED] != 0:
            control[Control.TASK] = TouchPart.UNITE
            touching = contact.shape[0] > 0 and contact[TouchControl.ACTIVE] > 0
            if touching and call_with_space(contact_units, PART_TOUCHING, contact_places) != 0:
                return step_anew(control, units, places)
            call(units, PARTS, places)
        if contact.shape[0] > 0 and contact[TouchControl.ASLEEP] != 0:
            control[Control.TASK] = SleepTask.HOLD
            call_with_space(contact_units, SLEEP, contact_places)
        look_for_sinking(control, contact_units, contact_places, contact)
        control[Control.TASK] = StepTask.JUDGE
        if call(units, STEPPING, places) == Request.DONE:
            return Request.DONE
        if units[REDOING] == 0:
            control[Control.TASK] = Outcome.LACKING
            return Request.DONE
        return start_redo(control, units, places, contact_units, contact_places, contact)
    return go_on(control, units, places, contact_units, contact_places, contact, Outcome.AGAIN)


@kernel
def start_redo(control, units, places, contact_units, contact_places, contact):
    """The first request of a step that is redone, for the islands that need it; DONE where none makes one."""
    control[Control.TASK] = StepTask.TIE
    call(units, REDOING, places)
    if contact.shape[0] > 0:
        call_with_space(contact_units, PART_TOUCHING, contact_places)
    control[Control.TASK] = StepTask.SORT_OUT
    call(units, REDOING, places)
    if contact.shape[0] > 0:
        control[Control.TASK] = StepTask.COUNT_KEPT
        call_with_space(contact_units, PART_TOUCHING, contact_places)
    control[Control.TASK] = StepTask.KEEP
    request = call(units, REDOING, places)
    return go_on(control, units, places, contact_units, contact_places, contact, request)


@kernel
def go_on(control, units, places, contact_units, contact_places, contact, request):
    """The next request of a step that is redone: of the integrator in its substeps, or of the last resort. Contacts are
    found anew where bodies have moved since. Where there is no room for them the step stands, as LACKING."""
    while request == Outcome.AGAIN:
        if control[Control.STALE] != 0 and control[Control.FIRST_ORDER] != 0 and contact.shape[0] > 0:
            call_with_space(contact_units, DETECT, contact_places)
            if contact[TouchControl.SHORT] != 0:
                control[Control.TASK] = Outcome.LACKING
                return Request.DONE
            control[Control.STALE] = 0
        if control[Control.PHASE] == Phase.FOLLOWING:
            request = call(units, INTEGRATOR if control[Control.FIRST_ORDER] == 0 else FIRST, places)
            if request != Request.DONE:
                return request
            if control[Control.HARD_LIMITED] != 0 and control[Control.FIRST_ORDER] == 0 and stepping.is_higher(control):
                control[Control.TASK] = anticipation.LOOK
                call(units, LINKS, places)
        if control[Control.PHASE] == Phase.FOLLOWING and control[Control.FIRST_ORDER] != 0:
            look_for_sinking(control, contact_units, contact_places, contact)
        control[Control.TASK] = StepTask.JUDGE
        request = call(units, REDOING, places)
    return request


@kernel
def look_for_sinking(control, contact_units, contact_places, contact):
    """How far contacts have sunk in, for the guard"""
    if contact.shape[0] > 0 and contact[TouchControl.ACTIVE] > 0 and control[Control.ORDER] != Order.KINEMATIC:
        control[Control.TASK] = StepTask.SINK
        call_with_space(contact_units, PART_TOUCHING, contact_places)


@kernel
def go_over(control, units, places):
    """After the integrator's pass: one of `implicit` for what leans on limits, or touches; the integrator's once more
    where that is now known of more islands than before; DONE where all is well."""
    several = parting.may_part(control)
    if control[Control.HARD_LIMITED] != 0:
        if several and control[Control.PARTED] == 0:
            control[Control.TASK] = TouchPart.JOIN
            call(units, PARTS, places)
        control[Control.TASK] = anticipation.LOOK
        call(units, LINKS, places)
    elif control[Control.PARTED] == 0:
        return Request.DONE
    if control[Control.PARTED] == 0 and control[Control.LIMITS_CROSSED] == 0:
        return Request.DONE
    if several:
        control[Control.TASK] = TouchPart.DIVIDE
        changed = call(units, PARTS, places)
        if control[Control.PARTED] != 0 and changed != 0:
            control[Control.TASK] = StepTask.START_OVER
            call(units, STEPPING, places)
            return call(units, INTEGRATOR, places)
        if control[Control.PARTED] != 0:
            control[Control.TASK] = TouchPart.EXCHANGE
            call(units, PARTS, places)
    control[Control.TASK] = StepTask.START_AGAIN
    call(units, STEPPING, places)
    return call(units, FIRST, places)


@kernel
def step_anew(control, units, places):
    """Both passes of a step once more, as contacts of the second pressed on bodies of the first. The parts grow only,
    so that this ends."""
    control[Control.TASK] = TouchPart.DIVIDE
    call(units, PARTS, places)
    if control[Control.PARTED] != 0:
        control[Control.FIRST_ORDER] = 0
        control[Control.TASK] = StepTask.START_OVER
        call(units, STEPPING, places)
        return call(units, INTEGRATOR, places)
    control[Control.TASK] = StepTask.START_AGAIN
    call(units, STEPPING, places)
    return call(units, FIRST, places)


@kernel
def count(request, control):
    if request & Request.FACTOR:
        control[Control.FACTOR_KEPT] = 0
        control[Control.FACTORS] += 1
    if request & Request.SOLVE:
        control[Control.SOLVES] += 1


@kernel
def answer(request, control, units, places, contact_units, contact_places):
    """Have the mode answer a request, through the anticipation where something stands outside the forest."""
    limited = (control[Control.HARD_LIMITED] != 0 and request & Request.LIMIT_NOW != 0) or control[
        Control.TOUCHING
    ] != 0
    if control[Control.LINKED] == 0 and control[Control.GRABS] == 0 and not limited:
        control[Control.REQUEST] = request & ~(Request.PULL_NOW | Request.LIMIT_NOW)
        call_with_space(units, ANSWER, places)
        return
    control[Control.REQUEST] = request
    control[Control.TASK] = anticipation.BEGIN
    inner = call(units, LINKS, places)
    control[Control.TASK] = anticipation.GO_ON
    while inner != Request.DONE:
        if inner == Request.CONTACT_ROWS:
            call_with_space(contact_units, ROWS, contact_places)
        else:
            control[Control.REQUEST] = inner
            call_with_space(units, ANSWER, places)
        inner = call(units, LINKS, places)


@kernel
def answer_exactly(request, control, units, places, contact_units, contact_places, contact):
    """Contacts as rows of the anticipation; False where it has given up and the request is as it was."""
    control[Control.REQUEST] = request
    control[Control.TASK] = TouchTask.BEGIN
    call_with_space(contact_units, ROWS, contact_places)
    count(request, control)
    answer(request, control, units, places, contact_units, contact_places)
    control[Control.TOUCHING] = 0
    if contact[TouchControl.GIVEN_UP] != 0:
        control[Control.TASK] = TouchTask.RESTORE
        call_with_space(contact_units, ROWS, contact_places)
    return contact[TouchControl.GIVEN_UP] == 0


@kernel
def answer_touching(request, control, units, places, contact_units, contact_places, contact):
    """Have it answered by way of the contact method; `newton` takes most limits with it"""
    anticipated = contact[TouchControl.USED] == Method.ANTICIPATION
    control[Control.STOPS] = 0
    if anticipated and contact[TouchControl.REGULARISED] == 0:
        if answer_exactly(request, control, units, places, contact_units, contact_places, contact):
            return
        anticipated = False
    if control[Control.HARD_LIMITED] != 0 and request & Request.LIMIT_NOW:
        call(units, STOPPING, places)
        if control[Control.LIMITS_ELSEWHERE] == 0:
            request &= ~Request.LIMIT_NOW
        quiet(control, units, places, contact_units, contact_places, contact)
    if anticipated and answer_exactly(request, control, units, places, contact_units, contact_places, contact):
        return
    control[Control.REQUEST] = request
    control[Control.TASK] = TouchTask.BEGIN
    inner = call_with_space(contact_units, CONTACTS, contact_places)
    while inner != Request.DONE:
        count(inner, control)
        answer(inner, control, units, places, contact_units, contact_places)
        control[Control.TASK] = TouchTask.GO_ON
        inner = call_with_space(contact_units, CONTACTS, contact_places)


@kernel
def quiet(control, units, places, contact_units, contact_places, contact):
    """What sleeps is asked for no motion, nor what has no part in the present pass of a redone step."""
    if control[Control.OTHERS] != 0:
        control[Control.TASK] = StepTask.HUSH
        call(units, REDOING, places)
    if contact.shape[0] > 0 and contact[TouchControl.ASLEEP] != 0:
        control[Control.TASK] = SleepTask.QUIET
        call_with_space(contact_units, SLEEP, contact_places)


@entry
def answer_once(request, control, units, places, contact_units, contact_places, contact):
    """A request from between steps. Contacts that are rows of the anticipation take their share of an impulse."""
    impulse = control[Control.LIMIT_LAW] == LimitLaw.IMPULSE and request & Request.LIMIT_NOW != 0
    touching = (
        contact.shape[0] > 0 and contact[TouchControl.ACTIVE] > 0 and contact[TouchControl.USED] == Method.ANTICIPATION
    )
    if not (impulse and touching) or not answer_exactly(
        request, control, units, places, contact_units, contact_places, contact
    ):
        answer(request, control, units, places, contact_units, contact_places)
    clear_tasks(control)
