"""The units that a run needs: their choice, their compilation, and the tables of their addresses for the driver."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np

from physics.compiler.jit import Wanted, compilation_is_off
from physics.compiler.pack import kind_of
from physics.compiler.unit import tables, unit_address, wanted
from physics.contacts.newton import answer_contacts
from physics.contacts.sleep import attend_sleepers
from physics.contacts.detection import detect_contacts, part_touching
from physics.contacts.touch import Touch
from physics.data.contact_tables import Method, TouchControl
from physics.data.step_tables import SCHEME_LEAVES_CONTACTS, SCHEMES, Control, Order
from physics.driver.calls import ContactUnit, Unit
from physics.driver.run import Run
from physics.driver.step import drive
from physics.forces import all_forces
from physics.integrators import implicit, kinematic, parting, redoing, stepping
from physics.links import anticipation, hard_limit_rows
from physics.links.contact_rows import attend_contacts

# The unit `advance` of each integrator, by its code.
INTEGRATORS: tuple[Any, ...] = tuple(
    import_module(f"physics.integrators.{scheme.file}").advance for scheme in SCHEMES.values()
)

NO_CONTACTS: Any = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))
RUN = kind_of(Run(*[np.zeros(0, np.int64)] * 6))  # the type of every Run


def takes_rows(touch: Touch | None) -> bool:
    """Return whether contacts may become rows of the anticipation."""
    return touch is not None and touch.control[TouchControl.METHOD] in (Method.ANTICIPATION, Method.AUTO)


def choose_units(answer: Any, control: Any, touch: Touch | None) -> dict[int, Any]:
    """Return the units that a run needs, by their place in `Unit`. `answer` is the unit of the mode, and `control` is
    Work.control. A unit that is never called is None."""
    kinematic_order = control[Control.ORDER] == Order.KINEMATIC
    code = control[Control.INTEGRATOR]
    advance = kinematic.advance if kinematic_order else INTEGRATORS[code]
    limited = control[Control.HARD_LIMITED]
    linked = takes_rows(touch) or control[Control.LINKED] or control[Control.GRABS] or limited
    pressed = touch or limited
    parted = pressed and not kinematic_order and SCHEME_LEAVES_CONTACTS[code] and control[Control.SEVERAL]
    accounted = any(control[switch] for switch in all_forces.ACCOUNTED)
    return {
        Unit.STEPPING: stepping.attend,
        Unit.INTEGRATOR: advance,
        Unit.MODE: answer,
        Unit.LINKS: anticipation.anticipate if linked else None,
        Unit.FORCES: all_forces.account if accounted else None,
        Unit.FIRST_ORDER: implicit.advance if pressed else None,
        Unit.STOPS: hard_limit_rows.fill_stops if touch and limited else None,
        Unit.PARTS: parting.attend_parts if parted else None,
        Unit.REDOING: redoing.redo,
    }


def choose_contact_units(touch: Touch | None) -> dict[int, Any]:
    """Return the units of contacts that a run needs, by their place in `ContactUnit`. A scene without shapes has
    none."""
    if touch is None:
        return {}
    sleeps = touch.control[TouchControl.SLEEPING] or touch.control[TouchControl.ASLEEP]
    return {
        ContactUnit.DETECT: detect_contacts,
        ContactUnit.NEWTON: answer_contacts,
        ContactUnit.ROWS: attend_contacts if takes_rows(touch) else None,
        ContactUnit.SLEEP: attend_sleepers if sleeps else None,
        ContactUnit.TOUCH: part_touching,
    }


def in_order(units: dict[int, Any]) -> list[Any]:
    """Return the units in the order of their places in the table."""
    return [units[k] for k in range(len(units))]


def make_run(answer: Any, control: Any, packs: tuple[Any, ...], touch: Touch | None) -> Run:
    """Compile the units that a run needs, and return the tables of their addresses. `packs` are Model, State, Work, and
    the mode's own space; contacts have tables of their own. What redoes a step is a quarter of what a first step would
    compile: unless its machine code is kept already, it is compiled when a step must be redone (`provide_redoing`)."""
    if not compilation_is_off():
        for one, kinds in run_entries(answer, control, packs, touch):
            one.address_for(kinds)
    units = choose_units(answer, control, touch)
    if any(one.is_missing(kinds) for one, kinds in redoing_entries(packs)):
        units[Unit.REDOING] = None
    made = tables(in_order(units), packs)
    if touch is None:
        return Run(control, *made, *NO_CONTACTS)
    return Run(control, *made, *tables(in_order(choose_contact_units(touch)), (*packs[:3], touch)), touch.control)


def run_entries(answer: Any, control: Any, packs: tuple[Any, ...], touch: Touch | None) -> Iterator[Wanted]:
    """Yield the entries that a run compiles before its first step: the driver, and its units except the one that redoes
    a step. The integrator, which is the largest, is the last: a helper process begins with it, while this process
    compiles the others."""
    units = choose_units(answer, control, touch)
    del units[Unit.REDOING]
    advance = units.pop(Unit.INTEGRATOR)
    yield from wanted(list(units.values()), packs)
    yield from wanted(in_order(choose_contact_units(touch)), (*packs[:3], touch))
    yield drive, ("i", RUN)
    yield from wanted([advance], packs)


def redoing_entries(packs: tuple[Any, ...]) -> list[Wanted]:
    """Return the entries that redo a step. If compilation is off, there are none."""
    return [] if compilation_is_off() else wanted([redoing.redo], packs)


def provide_redoing(units: Any, packs: tuple[Any, ...]) -> None:
    """Compile the unit that redoes a step, and write its address to `units`. A run that was interrupted waits for
    it."""
    units[Unit.REDOING] = unit_address(redoing.redo, packs)


SETTINGS = np.array(
    [
        Control.INTEGRATOR,
        Control.ORDER,
        Control.LINKED,
        Control.GRABS,
        Control.HARD_LIMITED,
        *all_forces.ACCOUNTED,
        Control.ARMED,
        Control.CORRECTION,
        Control.BALL_SPRINGS,
    ]
)


def settings(control: Any) -> bytes:
    """Return the settings on which the choice of units depends, as bytes. Every call of `World.step` compares them. To
    read the numbers one by one would take longer than a step of a small figure."""
    return control[SETTINGS].tobytes()
