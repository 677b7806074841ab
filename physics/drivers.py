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
(`kernels.unit`), compiled one by one when they are first used; the driver itself is only this loop.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from physics import drives
from physics.auxiliary import anticipation, stops
from physics.auxiliary.contact_rows import attend_contacts
from physics.contacts.layout import (
    ACTIVE, ALL_ASLEEP, ANTICIPATION, ASLEEP, AUTO, BEGIN, GIVEN_UP, GO_ON, HOLD, ISLANDS, METHOD, QUIET, REGULARISED,
    RESTORE, SHORT, SLEEPING, USED,
)  # fmt: skip
from physics.contacts.newton import answer_contacts
from physics.contacts.sleep import attend_sleepers
from physics.contacts.touch import Touch, detect_contacts, part_touching
from physics.integrators import implicit, kinematic, parting, rattle, redoing, rk4, stepping, trbdf2
from physics.integrators.parting import attend_parts
from physics.kernels.jit import Wanted, compilation_is_off, entry, kernel
from physics.kernels.unit import COUNT, TABLE, call, call_with_space, tables, unit_address, wanted
from physics import layout as lay
from physics.layout import (
    AGAIN, BEGIN_STEP, CONTACT_ROWS, COUNT_KEPT, DIVIDE, DONE, DRIVEN, DRIVE_ASKED, EASED, EXCHANGE, EXPLICIT,
    FACTOR, FACTORS, FACTOR_KEPT, FIRST_ORDER, FLOWING, FOLLOWING, GRABS, HARD_LIMITED, HERNANDEZ, HUSH, IMPLICIT,
    IMPULSE_LAW, IN_MEDIUM, JOIN, JUDGE, KEEP, KINEMATIC, LACKING, LIMITS_ASKED, LIMITS_CROSSED, LIMITS_ELSEWHERE,
    LIMIT_LAW, LIMIT_NOW, LINKED, ORDER, OTHERS, PARTED, PASS_BY, PHASE, PULL_NOW, RATTLE, RATTLE4, REFRESH,
    REQUEST, RK4, SIGNALED, SINK, SOLVE, SOLVES, SORT_OUT, SOUGHT, STALE, START_AGAIN, START_OVER, STATUS, STOPS, TASK,
    TIE, TOUCHING, TRBDF2, TREE_SPRINGS, TREE_SPRINGS_ASKED, UNITE,
)  # fmt: skip

# the table of units
STEPPING, INTEGRATOR, ANSWER, LINKS, DRIVES, FIRST, STOPPING, PARTS, REDOING = range(9)
# and that of contacts, in scenes that have shapes
DETECT, CONTACTS, ROWS, SLEEP, PART_TOUCHING = range(5)
INTEGRATORS: dict[int, Any] = {
    TRBDF2: trbdf2.advance, IMPLICIT: implicit.advance, HERNANDEZ: implicit.advance, EXPLICIT: implicit.advance,
    RATTLE: rattle.advance, RATTLE4: rattle.advance, RK4: rk4.advance,
}  # fmt: skip


NO_CONTACTS: Any = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))


def takes_rows(touch: Touch | None) -> bool:
    """Whether contacts may become rows of the anticipated matrix"""
    return touch is not None and touch.control[METHOD] in (ANTICIPATION, AUTO)


def choose_units(answer: Any, control: Any, touch: Touch | None) -> tuple[list[Any], list[Any]]:
    """The units that a run needs, and those of its contacts, in the order of their tables."""
    advance = kinematic.advance if control[ORDER] == KINEMATIC else INTEGRATORS[control[lay.INTEGRATOR]]
    rows = takes_rows(touch)
    links = anticipation.anticipate if rows or control[LINKED] or control[GRABS] or control[HARD_LIMITED] else None
    revise = drives.revise if control[DRIVEN] or control[IN_MEDIUM] or control[TREE_SPRINGS] else None
    first = implicit.advance if touch or control[HARD_LIMITED] else None
    stopping = stops.fill_stops if touch and control[HARD_LIMITED] else None
    parted = first and advance in (trbdf2.advance, rattle.advance, rk4.advance) and control[lay.SEVERAL]
    parts = attend_parts if parted else None
    units = [stepping.attend, advance, answer, links, revise, first, stopping, parts, redoing.redo]
    if touch is None:
        return units, []
    sleepers = attend_sleepers if touch.control[SLEEPING] or touch.control[ASLEEP] else None
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


SETTINGS = np.array([
    lay.INTEGRATOR, ORDER, LINKED, GRABS, HARD_LIMITED, DRIVEN, IN_MEDIUM, TREE_SPRINGS, lay.ARMED, lay.CORRECTION,
    lay.BALL_SPRINGS,
])  # fmt: skip


def settings(control: Any) -> bytes:
    """What the choice of units depends on. Asked at every call of `World.step`, as one number after the other takes
    longer than a step of a small figure."""
    return control[SETTINGS].tobytes()


@entry
def drive(steps, control, units, places, contact_units, contact_places, contact):
    """Run whole steps; returns how many (fewer where the figure is hopeless, there is no room for its contacts, or a
    step must be redone and REDOING is LACKING). `contact` is Touch.control, empty in a scene without shapes."""
    waits = control[TASK] == LACKING
    # a run that goes on where the last one ended begins as the steps within a run do
    measured = control[TASK] != REFRESH and control[SIGNALED] == 0 and control[SOUGHT] == 0 and contact.shape[0] == 0
    if not (measured or waits):
        control[TASK] = REFRESH
        call(units, STEPPING, places)
    if control[STATUS] != 0:
        steps = 0
    for k in range(steps):
        if k > 0 and control[SOUGHT] != 0:
            # what iteration finds depends, in its last bits, on where it starts: as a call of its own would
            control[TASK] = REFRESH
            call(units, STEPPING, places)
        if contact.shape[0] > 0 and not waits:
            call_with_space(contact_units, DETECT, contact_places)
            if contact[SHORT] != 0:
                steps = k
                break
            if contact[SLEEPING] != 0 or contact[ASLEEP] != 0:
                control[TASK] = ISLANDS
                call_with_space(contact_units, SLEEP, contact_places)
                if contact[ALL_ASLEEP] != 0:
                    # nothing inside can wake them
                    control[TASK] = PASS_BY
                    for _ in range(steps - k):
                        call(units, STEPPING, places)
                    break
        touching = contact.shape[0] > 0 and contact[ACTIVE] > 0
        if waits:
            waits = False
            if control[PHASE] == lay.WHOLE_STEP:
                request = start_redo(control, units, places, contact_units, contact_places, contact)
            else:
                request = go_on(control, units, places, contact_units, contact_places, contact, AGAIN)
        else:
            control[FIRST_ORDER] = 1 if touching and stepping.is_higher(control) else 0
            control[TASK] = BEGIN_STEP
            call(units, STEPPING, places)
            if control[FIRST_ORDER] != 0 and parting.may_part(control):
                part(control, units, places, contact_units, contact_places, touching)
            request = advance(control, units, places, contact_units, contact_places, contact)
        while request != DONE:
            control[LIMITS_ASKED] = request & LIMIT_NOW
            quiet(control, units, places, contact_units, contact_places, contact)
            with_contacts = contact.shape[0] > 0 and contact[ACTIVE] > 0
            with_contacts = with_contacts and (control[PARTED] == 0 or control[FIRST_ORDER] != 0)
            # contacts are answered by stiff blocks and in rounds: what is taut there is found exactly
            control[EASED] = 0 if with_contacts else 1
            if with_contacts:
                answer_touching(request, control, units, places, contact_units, contact_places, contact)
            else:
                count(request, control)
                answer(request, control, units, places, contact_units, contact_places)
            request = advance(control, units, places, contact_units, contact_places, contact)
        if control[TASK] == LACKING:
            return k
        if control[STATUS] != 0:
            steps = k + 1
            break
    clear_tasks(control)
    return steps


@kernel
def part(control, units, places, contact_units, contact_places, touching):
    """Whether a step that is of first order is so for all islands; the others are stepped by the integrator first."""
    control[TASK] = JOIN
    call(units, PARTS, places)
    if touching:
        call_with_space(contact_units, PART_TOUCHING, contact_places)
    control[TASK] = DIVIDE
    call(units, PARTS, places)
    if control[PARTED] != 0:
        control[FIRST_ORDER] = 0


@kernel
def clear_tasks(control):
    """What was asked last is no part of the state."""
    control[TASK] = REFRESH
    control[REQUEST] = DONE
    control[LIMITS_ASKED] = 0
    control[EASED] = 0


@kernel
def advance(control, units, places, contact_units, contact_places, contact):
    """Go on to the next request of the step; DONE when the step is over."""
    if control[DRIVE_ASKED] != 0 or control[FLOWING] != 0 or control[TREE_SPRINGS_ASKED] != 0:
        request = call(units, DRIVES, places)
        if request != DONE:
            return request
    if control[PHASE] == 0:
        request = call(units, INTEGRATOR if control[FIRST_ORDER] == 0 else FIRST, places)
        if request == DONE and control[FIRST_ORDER] == 0 and stepping.is_higher(control):
            request = go_over(control, units, places)
        if request != DONE:
            return request
        if control[PARTED] != 0:
            control[TASK] = UNITE
            touching = contact.shape[0] > 0 and contact[ACTIVE] > 0
            if touching and call_with_space(contact_units, PART_TOUCHING, contact_places) != 0:
                return step_anew(control, units, places)
            call(units, PARTS, places)
        if contact.shape[0] > 0 and contact[ASLEEP] != 0:
            control[TASK] = HOLD
            call_with_space(contact_units, SLEEP, contact_places)
        look_for_sinking(control, contact_units, contact_places, contact)
        control[TASK] = JUDGE
        if call(units, STEPPING, places) == DONE:
            return DONE
        if units[REDOING] == 0:
            control[TASK] = LACKING
            return DONE
        return start_redo(control, units, places, contact_units, contact_places, contact)
    return go_on(control, units, places, contact_units, contact_places, contact, AGAIN)


@kernel
def start_redo(control, units, places, contact_units, contact_places, contact):
    """The first request of a step that is redone, for the islands that need it; DONE where none makes one."""
    control[TASK] = TIE
    call(units, REDOING, places)
    if contact.shape[0] > 0:
        call_with_space(contact_units, PART_TOUCHING, contact_places)
    control[TASK] = SORT_OUT
    call(units, REDOING, places)
    if contact.shape[0] > 0:
        control[TASK] = COUNT_KEPT
        call_with_space(contact_units, PART_TOUCHING, contact_places)
    control[TASK] = KEEP
    request = call(units, REDOING, places)
    return go_on(control, units, places, contact_units, contact_places, contact, request)


@kernel
def go_on(control, units, places, contact_units, contact_places, contact, request):
    """The next request of a step that is redone: of the integrator in its substeps, or of the last resort. Contacts are
    found anew where bodies have moved since. Where there is no room for them the step stands, as LACKING."""
    while request == AGAIN:
        if control[STALE] != 0 and control[FIRST_ORDER] != 0 and contact.shape[0] > 0:
            call_with_space(contact_units, DETECT, contact_places)
            if contact[SHORT] != 0:
                control[TASK] = LACKING
                return DONE
            control[STALE] = 0
        if control[PHASE] == FOLLOWING:
            request = call(units, INTEGRATOR if control[FIRST_ORDER] == 0 else FIRST, places)
            if request != DONE:
                return request
            if control[HARD_LIMITED] != 0 and control[FIRST_ORDER] == 0 and stepping.is_higher(control):
                control[TASK] = anticipation.LOOK
                call(units, LINKS, places)
        if control[PHASE] == FOLLOWING and control[FIRST_ORDER] != 0:
            look_for_sinking(control, contact_units, contact_places, contact)
        control[TASK] = JUDGE
        request = call(units, REDOING, places)
    return request


@kernel
def look_for_sinking(control, contact_units, contact_places, contact):
    """How far contacts have sunk in, for the guard"""
    if contact.shape[0] > 0 and contact[ACTIVE] > 0 and control[ORDER] != KINEMATIC:
        control[TASK] = SINK
        call_with_space(contact_units, PART_TOUCHING, contact_places)


@kernel
def go_over(control, units, places):
    """After the integrator's pass: one of `implicit` for what leans on limits, or touches; the integrator's once more
    where that is now known of more islands than before; DONE where all is well."""
    several = parting.may_part(control)
    if control[HARD_LIMITED] != 0:
        if several and control[PARTED] == 0:
            control[TASK] = JOIN
            call(units, PARTS, places)
        control[TASK] = anticipation.LOOK
        call(units, LINKS, places)
    elif control[PARTED] == 0:
        return DONE
    if control[PARTED] == 0 and control[LIMITS_CROSSED] == 0:
        return DONE
    if several:
        control[TASK] = DIVIDE
        changed = call(units, PARTS, places)
        if control[PARTED] != 0 and changed != 0:
            control[TASK] = START_OVER
            call(units, STEPPING, places)
            return call(units, INTEGRATOR, places)
        if control[PARTED] != 0:
            control[TASK] = EXCHANGE
            call(units, PARTS, places)
    control[TASK] = START_AGAIN
    call(units, STEPPING, places)
    return call(units, FIRST, places)


@kernel
def step_anew(control, units, places):
    """Both passes of a step once more, as contacts of the second pressed on bodies of the first. The parts grow only,
    so that this ends."""
    control[TASK] = DIVIDE
    call(units, PARTS, places)
    if control[PARTED] != 0:
        control[FIRST_ORDER] = 0
        control[TASK] = START_OVER
        call(units, STEPPING, places)
        return call(units, INTEGRATOR, places)
    control[TASK] = START_AGAIN
    call(units, STEPPING, places)
    return call(units, FIRST, places)


@kernel
def count(request, control):
    if request & FACTOR:
        control[FACTOR_KEPT] = 0
        control[FACTORS] += 1
    if request & SOLVE:
        control[SOLVES] += 1


@kernel
def answer(request, control, units, places, contact_units, contact_places):
    """Have the mode answer a request, through the anticipation where something stands outside the forest."""
    limited = (control[HARD_LIMITED] != 0 and request & LIMIT_NOW != 0) or control[TOUCHING] != 0
    if control[LINKED] == 0 and control[GRABS] == 0 and not limited:
        control[REQUEST] = request & ~(PULL_NOW | LIMIT_NOW)
        call_with_space(units, ANSWER, places)
        return
    control[REQUEST] = request
    control[TASK] = anticipation.BEGIN
    inner = call(units, LINKS, places)
    control[TASK] = anticipation.GO_ON
    while inner != DONE:
        if inner == CONTACT_ROWS:
            call_with_space(contact_units, ROWS, contact_places)
        else:
            control[REQUEST] = inner
            call_with_space(units, ANSWER, places)
        inner = call(units, LINKS, places)


@kernel
def answer_exactly(request, control, units, places, contact_units, contact_places, contact):
    """Contacts as rows of the anticipation; False where it has given up and the request is as it was."""
    control[REQUEST] = request
    control[TASK] = BEGIN
    call_with_space(contact_units, ROWS, contact_places)
    count(request, control)
    answer(request, control, units, places, contact_units, contact_places)
    control[TOUCHING] = 0
    if contact[GIVEN_UP] != 0:
        control[TASK] = RESTORE
        call_with_space(contact_units, ROWS, contact_places)
    return contact[GIVEN_UP] == 0


@kernel
def answer_touching(request, control, units, places, contact_units, contact_places, contact):
    """Have it answered by way of the contact method; `newton` takes most limits with it"""
    anticipated = contact[USED] == ANTICIPATION
    control[STOPS] = 0
    if anticipated and contact[REGULARISED] == 0:
        if answer_exactly(request, control, units, places, contact_units, contact_places, contact):
            return
        anticipated = False
    if control[HARD_LIMITED] != 0 and request & LIMIT_NOW:
        call(units, STOPPING, places)
        if control[LIMITS_ELSEWHERE] == 0:
            request &= ~LIMIT_NOW
        quiet(control, units, places, contact_units, contact_places, contact)
    if anticipated and answer_exactly(request, control, units, places, contact_units, contact_places, contact):
        return
    control[REQUEST] = request
    control[TASK] = BEGIN
    inner = call_with_space(contact_units, CONTACTS, contact_places)
    while inner != DONE:
        count(inner, control)
        answer(inner, control, units, places, contact_units, contact_places)
        control[TASK] = GO_ON
        inner = call_with_space(contact_units, CONTACTS, contact_places)


@kernel
def quiet(control, units, places, contact_units, contact_places, contact):
    """What sleeps is asked for no motion, nor what has no part in the present pass of a redone step."""
    if control[OTHERS] != 0:
        control[TASK] = HUSH
        call(units, REDOING, places)
    if contact.shape[0] > 0 and contact[ASLEEP] != 0:
        control[TASK] = QUIET
        call_with_space(contact_units, SLEEP, contact_places)


@entry
def answer_once(request, control, units, places, contact_units, contact_places, contact):
    """A request from between steps. Contacts that are rows of the anticipation take their share of an impulse."""
    impulse = control[LIMIT_LAW] == IMPULSE_LAW and request & LIMIT_NOW != 0
    touching = contact.shape[0] > 0 and contact[ACTIVE] > 0 and contact[USED] == ANTICIPATION
    if not (impulse and touching) or not answer_exactly(
        request, control, units, places, contact_units, contact_places, contact
    ):
        answer(request, control, units, places, contact_units, contact_places)
    clear_tasks(control)
