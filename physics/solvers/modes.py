"""The table of solver modes: what each is, what it accepts, its compiled unit and its workspace."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics.data.arrays import make
from physics.data.model import Model, NoSpace
from physics.data.model_tables import BodyKind, Topology
from physics.solvers import aba, cg, dense, fused, jsim, lagrange

__all__ = ["MODES"]


@dataclass(frozen=True)
class Mode:
    """A solver mode. `answer` solves the request in Work.control[Control.REQUEST]; `make_space` returns the mode's
    workspace."""

    name: str
    summary: str
    source: str
    answer: Callable[..., int]
    make_space: Callable[[Model], Any]
    reduced: bool  # works in the joints' motion subspaces
    wants_rows: bool  # works with constraint rows T


def no_space(model: Model) -> NoSpace:
    """Return an empty workspace, for modes that need none."""
    return make(NoSpace, {})


MODES = {
    mode.name: mode
    for mode in (
        Mode(
            "fused", "each body eliminated together with its joint, O(n)", "physics/README.md",
            fused.answer, no_space, reduced=False, wants_rows=False,
        ),
        Mode(
            "lagrange", "H = L D L^T over bodies and constraints, O(n)", "[Baraff96, app. A]",
            lagrange.answer, lagrange.make_space, reduced=False, wants_rows=True,
        ),
        Mode(
            "dense", "all multipliers at once by Cholesky, O(n^3)", "[Baraff96, section 5]",
            dense.answer, dense.make_space, reduced=False, wants_rows=True,
        ),
        Mode(
            "cg", "conjugate gradients on the multipliers, O(n) an iteration", "[Witkin97, section 4]",
            cg.answer, cg.make_space, reduced=False, wants_rows=True,
        ),
        Mode(
            "jsim", "joint-space inertia and its sparse factor L^T D L, O(n) to O(n^3) by topology", "[Featherstone05]",
            jsim.answer, jsim.make_space, reduced=True, wants_rows=False,
        ),
        Mode(
            "aba", "articulated-body algorithm, O(n)", "[Featherstone05, section 6]",
            aba.answer, aba.make_space, reduced=True, wants_rows=False,
        ),
    )
}  # fmt: skip


def refusal(mode: Mode, model: Model, names: dict[int, str]) -> str | None:
    """Return why a mode cannot simulate this figure, as a sentence, or None. `names` are the joints' names by row."""
    if not mode.reduced:
        return None
    stretching = np.isin(model.topology[:, Topology.BODY_KIND], (BodyKind.UNIFORM, BodyKind.STRETCHED)).sum()
    if stretching:
        return (
            f"the reduced mode {mode.name!r} works in coordinates of joints alone, and the scales of {stretching} of "
            "this figure's bodies, which move joints along, are none; take 'fused', 'lagrange', 'dense' or 'cg'"
        )
    without = np.flatnonzero(model.topology[:, Topology.DOFS] < 0)
    if not len(without):
        return None
    listed = ", ".join(repr(names[int(i)]) for i in without[:5]) + (" and others" if len(without) > 5 else "")
    return (
        f"the reduced mode {mode.name!r} needs a motion subspace for every joint of its trees, and {listed} has none; "
        "keep it out of them with `auxiliary: true` (in Python `auxiliary=True`), or take 'fused', 'lagrange', 'dense' "
        "or 'cg'"
    )
