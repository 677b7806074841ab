"""The matrix in physics/definitions/SUPPORT.md is what happens: each kind is tried (tests/helpers/support.py)."""

import pytest

from tests.helpers import support

LINES = {line.split("|")[1].strip(): line for line in support.printed().splitlines()[2:]}
KINDS = [(group, kind) for group, kinds in support.SCENES.items() for kind in kinds]


@pytest.mark.parametrize(("group", "kind"), KINDS, ids=[kind for _, kind in KINDS])
def test_printed_support_is_what_happens(group, kind):
    found = support.row(support.SCENES[group][kind]())
    assert LINES[kind] == f"| {kind} | {' | '.join(found)} |"


def test_the_matrix_has_no_other_kinds():
    groups = [f"**{group}**" for group in support.SCENES]
    assert list(LINES) == [
        name for group, kinds in zip(groups, support.SCENES.values(), strict=True) for name in (group, *kinds)
    ]


def test_a_wrong_kind_is_noticed():
    """A mode whose answer is not that of `dense` raises; what it refuses is a dash."""
    assert support.support_of_mode(support.scaled_scene("axes"), "aba") == support.NO
    assert support.support_of_mode(support.particle_scene(), "jsim") == support.LINK
