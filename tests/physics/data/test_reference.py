"""The page of all arrays is current, and the arrays of a world have the widths that it says."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import physics
from physics import Ball, Body, Scene, Sphere, World
from physics.data import reference
from physics.data.arrays import SIZES, Array, array, make, make_field, shape_of
from physics.data.model import Auxiliary, Elimination, State
from scenes import load

PHYSICS = Path(physics.__file__).parent
ROOMS = {path.parent.name for path in PHYSICS.glob("*/__init__.py")}


def test_the_page_is_current():
    assert reference.PAGE.read_text() == reference.page(), "run python -m physics.data.reference"


GROUPS = reference.groups()


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group.__name__)
def test_every_field_of_a_group_has_an_entry(group):
    """An array says what it holds, and which rooms write it; a group inside a group says what it is for."""
    assert tuple(group.entries) == group._fields
    for name, entry in group.entries.items():
        assert entry.meaning, name
        if isinstance(entry, Array):
            assert group.types[name] in (np.float64, np.int64), name
            assert set(filter(None, entry.by.split(", "))) <= ROOMS, name
        else:
            assert group.types[name] is None, name


def test_every_size_is_explained_and_used():
    page = reference.page()
    for name, meaning in SIZES.items():
        assert f"| {name} | {meaning} |" in page, f"no array has the size {name!r}"


def calls_of(path: Path) -> list[tuple[str, int]]:
    """Which functions a source calls by a plain name, and the lines."""
    nodes = ast.walk(ast.parse(path.read_text()))
    return [(n.func.id, n.lineno) for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]


def test_groups_are_made_from_their_entries():
    """No module calls the class of a group itself: `make` takes shapes, types and starting values from the entries."""
    names = {group.__name__ for group in GROUPS}
    found = [
        f"{path.relative_to(PHYSICS)}:{line}" for path in sorted(PHYSICS.rglob("*.py"))
        for name, line in calls_of(path) if name in names
    ]  # fmt: skip
    assert found == []


def test_an_array_of_another_shape_is_refused():
    with pytest.raises(ValueError, match=r"Elimination\.row has the shape"):
        make(Elimination, {"e": 3}, row=np.zeros(4, np.int64))


def test_arrays_have_the_shapes_types_and_starting_values_of_their_entries():
    made = make(Elimination, {"e": 3})
    assert made.factor.shape == (3, 3)
    assert made.row.dtype == np.int64
    assert make_field(Auxiliary, "mate", {"K": 2}).tolist() == [-1, -1]
    assert shape_of(State.entries["pose"], {"n": 5, "place": 10}) == (5, 10)
    assert shape_of(Auxiliary.entries["reach"], {"grab_rows": 6, "limit_rows": 2, "K": 9}) == (8, 9)


def test_a_symbol_that_is_not_explained_is_refused():
    with pytest.raises(ValueError, match="not in SIZES"):
        array(("bodies", 3), "places")


def test_the_arrays_of_a_world_have_the_shapes_of_their_entries():
    """Of a figure with a scaled body, links, drives, limits, a grab and a medium; `make` checks the given ones."""
    world = load("hand")
    world.grab(next(iter(world.bodies)))
    for group in (world.engine.model, world.engine.state, world.engine.work):
        again = make(type(group), {}, **group._asdict())
        assert again._fields == group._fields


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
