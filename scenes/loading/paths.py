"""Paths, and the values given to them. Overrides, `--set`, the `set` of a figure, commands and messages share one
grammar.

    bodies.forearm.mass     joints.knee.limits.0     groups.fingers.stiffness     settings.timestep     links
    section.name.field...                                                                               a parameter

Dots separate the parts. A name alone is a parameter. Names inside figures and copies have slashes
(joints.soft/thumb.stiffness). A value is written to the tree before the tree is checked, so that all checks apply to
it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scenes.kinds.sections import NAMED, SECTIONS, SINGLE
from scenes.text.errors import Mark, Problems, Source, did_you_mean, short
from scenes.text.reader import List, Map, read_text

LONGEST = 300


@dataclass(frozen=True)
class Setting:
    """A value for a path, and the place where it was given."""

    path: str
    value: Any
    mark: Mark

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts of the path."""
        return tuple(self.path.split("."))


def setting_from_text(text: str, problems: Problems) -> Setting | None:
    """Return the setting of `path=value`, as --set has it. The value is read as YAML."""
    source = Source("--set", text)
    path, sign, value = text.partition("=")
    path = path.strip()
    if not sign or not path:
        problems.error(
            Mark(source, 0, 0), f"got {short(text)}, allowed: path=value, as in links=100 or joints.knee.stiffness=20"
        )
        return None
    if not value.strip():
        problems.error(Mark(source, 0, len(text)), f"a value for {short(path)} is missing")
        return None
    # the same columns as in what was written, so that marks point into it
    padded = Source("--set", " " * (len(text) - len(value)) + value)
    tree = read_text(padded, problems)
    padded.text = text
    padded.__dict__.pop("lines", None)
    start = len(text) - len(value) + len(value) - len(value.lstrip())
    return None if problems.errors else Setting(path, tree, Mark(padded, 0, start))


def settings_from(values: Mapping[str, Any], name: str) -> list[Setting]:
    """Return settings from values given in Python by path; `name` is shown in messages as their origin."""
    out = []
    for path, value in values.items():
        mark = Mark(Source(name, f"{path}={short(value)}"), 0, 0)
        out.append(Setting(path, value, mark))
    return out


def normal(setting: Setting, known_parameters: Mapping[str, Any], problems: Problems) -> tuple[str, ...] | None:
    """Return the parts of the path, beginning with the section, or None after a problem."""
    parts = setting.parts
    if len(setting.path) > LONGEST or not all(parts):
        problems.error(
            setting.mark, f"path {short(setting.path)} is not understood; paths are written like joints.knee.stiffness"
        )
        return None
    head = parts[0]
    if len(parts) == 1 and head not in SECTIONS:
        if "/" not in head and head not in known_parameters:
            known = [*known_parameters, *SECTIONS]
            hint = did_you_mean(head, known) or f"; parameters: {', '.join(known_parameters) or 'none'}"
            problems.error(setting.mark, f"unknown parameter {short(head)}{hint}", setting.path)
            return None
        return ("parameters", head)
    if head not in SINGLE and head not in NAMED and head not in ("name", "about"):
        hint = did_you_mean(head, [*SINGLE, *NAMED]) or f"; sections: {', '.join([*SINGLE, *NAMED])}"
        problems.error(setting.mark, f"unknown section {short(head)} in path {short(setting.path)}{hint}", setting.path)
        return None
    least = (
        3
        if head in ("bodies", "joints", "constraints", "springs", "drives", "groups", "repeat", "figures", "materials")
        else 2
    )
    if len(parts) < least and head not in ("name", "about"):
        what = "the field" if len(parts) == 2 else "the name and the field"
        problems.error(setting.mark, f"path {short(setting.path)} is too short: {what} is missing", setting.path)
        return None
    return parts


def put(tree: Any, parts: tuple[str, ...], setting: Setting, problems: Problems) -> Any:
    """Return a copy of the tree with the value at the end of the path `parts`. Branches that do not change are
    shared."""
    key = parts[0]
    if isinstance(tree, List | list):
        if not key.isdigit() or int(key) >= len(tree):
            problems.error(
                setting.mark, f"{short(key)} in {short(setting.path)}: allowed: 0 to {len(tree) - 1}", setting.path
            )
            return tree
        out = List(getattr(tree, "mark", setting.mark))
        out.extend(tree)
        out.items_at = list(getattr(tree, "items_at", [setting.mark] * len(tree)))
        index = int(key)
        out[index] = setting.value if len(parts) == 1 else put(tree[index], parts[1:], setting, problems)
        if len(parts) == 1:
            out.items_at[index] = setting.mark
        return out
    if tree is not None and not isinstance(tree, Map):
        problems.error(
            setting.mark, f"{short(setting.path)}: before {short(key)} stands a value, not a mapping", setting.path
        )
        return tree
    out_map = tree.copy() if tree is not None else Map(setting.mark)
    if len(parts) == 1:
        out_map.put(key, setting.value, setting.mark, setting.mark)
    else:
        below = put(out_map.get(key), parts[1:], setting, problems)
        out_map.put(key, below, out_map.key_mark(key) if key in out_map else setting.mark,
                    out_map.value_mark(key) if key in out_map else setting.mark)  # fmt: skip
    return out_map
