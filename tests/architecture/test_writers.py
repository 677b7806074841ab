"""physics/data/writers.py says who writes each slot of the control arrays."""

from physics.data import contact_tables, step_tables
from physics.data.writers import WRITERS
from tests.architecture import writers


def test_the_list_is_what_the_sources_do():
    assert writers.found() == WRITERS


def test_the_slots_exist():
    for slot in WRITERS:
        table, name = slot.split(".")
        assert name in getattr(step_tables if table != "TouchControl" else contact_tables, table).columns


def test_tasks_are_written_by_the_calls_of_the_driver():
    for slot, modules in WRITERS.items():
        if slot.endswith("_TASK") and slot != "Control.STEP_TASK":
            assert modules == ("driver.calls",), slot
