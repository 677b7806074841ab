"""Functions that call one of several functions by a code."""

import inspect

import pytest

from physics.compiler.by_code import call_by_code
from physics.joints import kinds, sides
from physics.joints.table import CONSTRAINTS, JOINTS


def area(kind, width, height):
    """Return the area of a shape."""


def of_square(width):
    return width * width


def of_rectangle(height, width):
    return width * height


def of_other(kind, width, height):
    return -kind


def test_the_function_of_a_code_takes_the_arguments_that_it_names():
    made = call_by_code(area, {1: of_square, 2: of_rectangle, 4: of_square, 5: None}, 0.0, of_other)
    assert [made(kind, 2.0, 3.0) for kind in (1, 2, 4, 5, 7)] == [4.0, 6.0, 4.0, 0.0, -7]
    assert (made.__name__, made.__doc__, list(inspect.signature(made).parameters)) == (
        "area", "Return the area of a shape.", ["kind", "width", "height"],
    )  # fmt: skip
    assert made.__code__.co_filename == __file__


def test_without_another_function_other_codes_give_nothing():
    assert call_by_code(area, {1: of_square}, (0.0, 0.0))(3, 2.0, 3.0) == (0.0, 0.0)


def test_a_function_that_asks_for_another_argument_is_an_error_where_it_is_made():
    with pytest.raises(TypeError, match=r"test_by_code.of_sphere takes radius; area has kind, width, height"):
        call_by_code(area, {1: of_sphere}, 0.0)


def of_sphere(radius):
    return radius


def test_an_entry_that_lacks_a_field_is_an_error():
    for entry in (JOINTS[0], CONSTRAINTS[0]):
        fields = entry._asdict()
        fields.pop("bias")
        with pytest.raises(TypeError, match="bias"):
            type(entry)(**fields)


def test_kernels_of_kinds_stand_where_their_arguments_do():
    for module, names in ((kinds, ("frame", "rows", "bias", "coordinates")), (sides, ("frame_of_b", "rows_of_b"))):
        for name in names:
            made = getattr(module, name)
            assert getattr(made, "py_func", made).__code__.co_filename == module.__file__
