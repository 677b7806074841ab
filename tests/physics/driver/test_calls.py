"""Every function of driver/calls.py names the kernels that answer it, calls the unit that they are, and writes the slot
of that unit alone."""

import ast
import importlib
import inspect
import re
from types import SimpleNamespace

import numpy as np

from physics.data.contact_tables import Method, TouchControl
from physics.data.step_tables import Control, Integrator, Order
from physics.driver import calls, units
from physics.solvers.modes import MODES

FUNCTIONS = {f.name: f for f in ast.parse(inspect.getsource(calls)).body if isinstance(f, ast.FunctionDef)}

# of the units that stand in a table of their own: where that is
TABLES = {"MODE": "solvers.modes", "INTEGRATOR": "data.step_tables.SCHEMES"}


def attributes(function: ast.FunctionDef, table: str) -> list[str]:
    """The names of a table that a function uses"""
    nodes = [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)]
    return [n.attr for n in nodes if isinstance(n.value, ast.Name) and n.value.id == table]


def named(function: ast.FunctionDef) -> set[tuple[str, str]]:
    """Module and name of the kernels in a docstring"""
    found = re.findall(r"`([a-z_0-9]+\.[a-z_0-9]+)\.([a-z_0-9]+)`", ast.get_docstring(function) or "")
    return {(f"physics.{module}", name) for module, name in found}


def chosen() -> dict[str, set[tuple[str, str]]]:
    """The kernels that may stand in each place of the tables, whatever is set"""
    control = np.ones(Control.WIDTH, np.int64)
    touch = SimpleNamespace(control=np.ones(TouchControl.WIDTH, np.int64))
    touch.control[TouchControl.METHOD] = Method.AUTO
    found: dict[str, set[tuple[str, str]]] = {}

    def put(table: type, chosen: dict[int, object]) -> None:
        places = {code: name for name, code in vars(table).items() if name.isupper() and isinstance(code, int)}
        assert set(places) == set(chosen)
        for code, unit in chosen.items():
            function = getattr(unit, "py_func", unit)
            found.setdefault(f"{table.__name__}.{places[code]}", set()).add((function.__module__, function.__name__))

    orders = [(Order.KINEMATIC, 0), *((Order.DYNAMIC, code) for code in range(len(units.INTEGRATORS)))]
    for order, code in orders:
        control[Control.ORDER], control[Control.INTEGRATOR] = order, code
        for mode in MODES.values():
            put(calls.Unit, units.choose_units(mode.answer, control, touch) | of_parted(control, touch))
    put(calls.ContactUnit, units.choose_contact_units(touch))
    return found


def of_parted(control, touch) -> dict[int, object]:
    """What parts a step stands there with integrators of higher order alone."""
    control = control.copy()
    control[Control.ORDER], control[Control.INTEGRATOR] = Order.DYNAMIC, Integrator.TRBDF2
    return {calls.Unit.PARTS: units.choose_units(None, control, touch)[calls.Unit.PARTS]}


def test_each_call_names_the_kernels_that_answer():
    answers = chosen()
    for name, function in FUNCTIONS.items():
        (table,) = [t for t in ("Unit", "ContactUnit") if attributes(function, t)]
        (place,) = attributes(function, table)
        if place in TABLES:
            assert f"`{TABLES[place]}`" in (ast.get_docstring(function) or "")
        else:
            assert named(function) == answers[f"{table}.{place}"], name


def test_the_named_kernels_exist():
    for function in FUNCTIONS.values():
        for module, name in named(function):
            assert callable(getattr(importlib.import_module(module), name))


def test_each_unit_has_one_slot_and_one_enumeration_for_its_tasks():
    slots: dict[str, set[str]] = {}
    for function in FUNCTIONS.values():
        (place,) = attributes(function, "Unit") + attributes(function, "ContactUnit")
        tasks = [a for a in attributes(function, "Control") if a.endswith("_TASK")]
        enumerations = [t for t in vars(calls) if t.endswith("Task") and attributes(function, t)]
        assert len(tasks) == len(enumerations) <= 1
        for task, enumeration in zip(tasks, enumerations, strict=True):
            slots.setdefault(place, set()).add(f"{task} {enumeration}")
    assert all(len(found) == 1 for found in slots.values())
    assert len(set.union(*slots.values())) == len(slots)
    assert {task.split()[0] for found in slots.values() for task in found} == {
        name for name in vars(Control) if name.endswith("_TASK")
    }
