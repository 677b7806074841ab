"""`repeat`: rows of copies of a body, each joined to the one before.

Only the first copy and its joint are read and checked. The other copies are translations of it, unless the expressions
use `index`, or a path gives one copy a value of its own. Ten thousand copies take a fifth of a second.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from physics.definitions.checks import WORLD
from scenes.kinds.bodies import Part
from scenes.kinds.sections import MOST_BODIES, Repeat
from scenes.kinds.table import KINDS, section_of
from scenes.kinds.ties import Edge
from scenes.loading.draft import Draft, Silent
from scenes.loading.making import make_body, make_joint
from scenes.text.errors import Mark
from scenes.text.reader import Map
from scenes.text.schema import checked
from scenes.text.values import Refused, Scope

NESTED = (
    "repeats do not nest; write a repeat for each row, or one for all of them, whose places say where each copy is: of "
    'rows of 10, floor(index/10) is the row, and "mod(index, 10)" the place in it'
)


def nested(data: Any) -> Mark | None:
    """Return the place of a repeat inside a repeat, or None if there is none."""
    inside = (data, data.get("body"), data.get("joint")) if isinstance(data, Map) else ()
    return next((one.key_mark("repeat") for one in inside if isinstance(one, Map) and "repeat" in one), None)


class IndexNames(dict[str, float]):
    """The names for the expressions of a repeat, with a record of whether `index` was used."""

    index_used = False

    def __getitem__(self, key: str) -> float:
        """Return the value of a name."""
        if key == "index":
            self.index_used = True
        return super().__getitem__(key)


def scope_of(draft: Draft, index: int) -> tuple[Scope, IndexNames]:
    """Return the scope of copy `index`, and its names."""
    names = IndexNames(draft.scope.names)
    names["index"] = float(index)
    return draft.scope_of(names), names


def read_repeats(draft: Draft) -> list[Callable[[], None]]:
    """Make the bodies of all repeats. Return functions that make their joints when all bodies are known."""
    rows: list[Row] = []
    total = draft.files.bodies
    for name, path, mark, data in draft.named_entries("repeat"):
        if (inner := nested(data)) is not None:
            draft.error(inner, NESTED, f"{path}.repeat")
            draft.broken.add(f"{name}/last")
            draft.broken_rows.add(name)
            continue
        spec: Repeat | None = checked(Repeat, data, draft.scope, draft.problems, path)
        if spec is None:
            draft.broken.add(f"{name}/last")
            draft.broken_rows.add(name)
            continue
        total += spec.count
        if total > MOST_BODIES:
            message = f"{total:,} bodies in one scene, allowed: {MOST_BODIES:,}"
            draft.error(data.value_mark("count"), message, f"{path}.count")
            draft.broken.add(f"{name}/last")
            continue
        rows.append(Row(draft, name, spec, mark, path))
    return [] if total > MOST_BODIES else [row.make_joints for row in rows if row.make_all_bodies()]


class Row:
    """The copies of one repeat."""

    def __init__(self, draft: Draft, name: str, spec: Repeat, mark: Mark, path: str):
        """Store the entry of the repeat and its mark."""
        self.draft = draft
        self.name = name
        self.spec = spec
        self.mark = mark
        self.path = path
        self.step = np.array(spec.step)

    def named_apart(self, section: str) -> bool:
        """Return whether a path gives a value to a single copy."""
        return any(s == section and n.startswith(f"{self.name}/") for s, n in self.draft.sets)

    def make_all_bodies(self) -> bool:
        """Make all copies of the body. Return whether joints are to be made for them."""
        count = self.spec.count
        self.draft.lasts[self.name] = f"{self.name}/{count - 1}"
        if self.make_bodies():
            return self.spec.joint is not None
        self.draft.broken |= {f"{self.name}/{k}" for k in range(count)} | {f"{self.name}/last"}
        return False

    def make_bodies(self) -> bool:
        """Make the copies of the body. Return whether the first copy could be made."""
        draft, path = self.draft, f"{self.path}.body"
        scope, names = scope_of(draft, 0)
        first = make_body(draft, f"{self.name}/0", self.spec.body, scope, self.mark, path)
        if first is None:
            return False
        draft.add_part(first)
        each = names.index_used or self.named_apart("bodies")
        for k in range(1, self.spec.count):
            one = f"{self.name}/{k}"
            made: Part | None = first
            if each:
                made = make_body(draft, one, self.spec.body, scope_of(draft, k)[0], self.mark, path)
                if made is None:
                    return False
            draft.consumed.add(("bodies", one))
            draft.add_part(made.moved(one, k * self.step))
        return True

    def make_joints(self) -> None:
        """Make the joints of all copies. In the entry of the joint, `this` is the copy, and `previous` the one before.
        Each joint is made at the place of the first copy, and then translated."""
        draft, spec = self.draft, self.spec
        first: tuple[str, Part | None] = (WORLD, None)
        if spec.first is not None:
            try:
                first = draft.find(spec.first, ("first",), {})
            except Refused as error:
                draft.refuse(error, draft.section("repeat")[self.name], self.path)
                return
            except Silent:
                return
        kept: Edge | None = None
        each = False
        for k in range(0 if spec.first is not None else 1, spec.count):
            one = f"{self.name}/{k}"
            before = (f"{self.name}/{k - 1}", draft.parts.get(f"{self.name}/{k - 1}")) if k else first
            this = draft.parts.get(one)
            if this is None:
                return
            if kept is None or k == 1 or each:
                kept, each = self.make_joint(one, k, this, before[1])
            if kept is None:
                return
            draft.consumed.add((kept.section, one))
            self.tie(kept, one, k, this, before)

    def make_joint(self, one: str, k: int, this: Part, before: Part | None) -> tuple[Edge | None, bool]:
        """Return the joint of copy k at the place of the first copy, and whether the entry must be read again for each
        copy."""
        draft = self.draft
        scope, names = scope_of(draft, k)
        section = next((section_of(key) for key in self.spec.joint if key in KINDS), "joints")
        back = -k * self.step
        here = {
            "this": this.moved("this", back),
            "previous": None if before is None else before.moved("previous", back),
        }
        path = f"{self.path}.joint"
        edge = make_joint(draft, section, one, self.spec.joint, scope, self.mark, KINDS, path, here)
        return edge, names.index_used or self.named_apart(section)

    def tie(self, kept: Edge, one: str, k: int, this: Part, before: tuple[str, Part | None]) -> None:
        """Add the joint `kept` between the bodies of copy k, under the name `one`."""
        names = {"this": one, "previous": before[0]}
        first, second = kept.spec.bodies
        ends = (names.get(first) or kept.definition.a, names.get(second) or kept.definition.b)
        self.draft.add_edge(kept.moved(one, ends, k * self.step))  # type: ignore[arg-type]
