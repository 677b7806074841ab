"""The page of all arrays is current, and the arrays of a world have the widths that it says."""

import re

import numpy as np
import pytest

from physics import Ball, Body, Scene, Sphere, World
from physics.data import reference
from physics.data.model import Auxiliary, Elimination, Islands, Model, NoSpace, Pivoting, Signals, State, Work


def test_the_page_is_current():
    assert reference.PAGE.read_text() == reference.page(), "run python -m physics.data.reference"


@pytest.mark.parametrize("group", [Signals, Model, State, Elimination, Pivoting, Islands, Auxiliary, Work, NoSpace])
def test_every_field_has_a_meaning_and_every_array_a_shape(group):
    """The page has a line for each field of a group."""
    (lines,) = re.findall(rf"^### {group.__name__}\n(.*?)(?:^###? |\Z)", reference.page(), re.MULTILINE | re.DOTALL)
    rows = {field: (kind, shape, meaning) for field, kind, shape, meaning in
            re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*) \|$", lines, re.MULTILINE)}  # fmt: skip
    assert tuple(rows) == group._fields
    assert [field for field, (_, _, meaning) in rows.items() if not meaning] == []
    assert [field for field, (kind, shape, _) in rows.items() if "64" in kind and not shape] == []


def test_every_column_has_a_meaning_of_its_own():
    """No column refers to the one before it."""
    unclear = re.compile(r"^(the same|likewise|as |and |its |their )|^$")
    tables = reference.tables()
    assert len(tables) > 40
    assert [
        f"{table.__name__}.{name}" for table in tables for name, c in table.columns.items() if unclear.match(c.meaning)
    ] == []  # fmt: skip


def test_no_columns_of_a_table_overlap_without_a_given_place():
    for table in reference.tables():
        ends = [c.at + c.size for c in table.columns.values()]
        assert max(ends, default=0) <= getattr(table, "WIDTH", 0), table.__name__


def test_arrays_have_the_width_of_their_tables():
    ball = Body(name="ball", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0), shapes=[Sphere(radius=0.1)])
    world = World(Scene(bodies=[ball], joints=[Ball(name="hook", a="world", b="ball", at=(0.0, 0.0, 0.0))]))
    groups = {"Model": world.engine.model, "State": world.engine.state, "Work": world.engine.work}
    looked_at = 0
    for table in reference.tables():
        group, _, field = table.array.partition(".")
        array = getattr(groups.get(group), field, None)
        if not isinstance(array, np.ndarray) or array.shape == (1, 1) or table.array == "Model.table":
            continue
        looked_at += 1
        # a table of further meanings of the same columns (Turned) or of columns that few figures have is narrower
        width = array.shape[-1]
        assert width == table.WIDTH or table.__name__ in {"Turned", "ConstraintRows"}, table.__name__
    assert looked_at > 20
