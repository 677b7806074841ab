"""The table of the kinds of shape: what a kind leaves out is an error where it is made, and never
another kind's behaviour."""

from typing import ClassVar

import pytest

from physics import DefinitionError, Sphere
from physics.collision.geometry import make_geometry
from physics.collision.kinds import KINDS, NUMBERS, Kind
from physics.collision.pairs import CLOSED_FORMS
from physics.definitions.shapes.shape import ASKED, Solid
from scenes.kinds.shapes import SHAPES


def test_a_definition_that_leaves_something_out_is_refused():
    with pytest.raises(TypeError, match="Cone does not define measures, reach"):

        class Cone(Solid):
            label: ClassVar[str] = "cone"


def test_every_kind_defines_what_is_asked():
    assert all(hasattr(Solid, name) for name in ASKED)
    assert [kind.definition for kind in KINDS] == list(NUMBERS)[1:]


def test_an_entry_without_a_kernel_is_refused():
    with pytest.raises(TypeError, match="missing 1 required"):
        Kind(Sphere, KINDS[0].support, KINDS[0].bounds, KINDS[0].feature)  # type: ignore[call-arg]


def test_a_kind_that_is_not_in_the_table_is_refused():
    class Marble(Sphere):
        label: ClassVar[str] = "marble"

    with pytest.raises(DefinitionError, match="kind of a shape: got 'Marble'"):
        make_geometry([(0, Marble(radius=0.1))])


def test_scenes_know_every_kind():
    assert {model.made for model in SHAPES.values()} == set(NUMBERS)


def test_closed_forms_are_of_known_kinds():
    assert {kind for pair in CLOSED_FORMS for kind in pair} <= set(NUMBERS)
