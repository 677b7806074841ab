"""Values are written back into the text of a scene, by path. Only the text of the value changes; comments, order and
units stay. If the value is an expression in the file, or comes from a copy, a figure, an include or a default, that
text is not changed, and the new value is added under `overrides`.

    text = with_value(scene, "bodies.arm.mass", 0.2)             mass: 150 g becomes 200 g, mass: m an override
    text = with_entry(scene, "pins", "held", {"pose": "palm"})   a new pin, pose, group
"""

import re
from typing import Any

import numpy as np

from scenes.kinds.sections import NAMED, SINGLE
from scenes.loading.access import changed
from scenes.loading.loader import read_scene, read_scene_text
from scenes.loading.reload import differences
from scenes.loading.scene import LoadedScene
from scenes.text.errors import Mark, short
from scenes.text.expressions import ExpressionError, evaluate
from scenes.text.reader import List, Map, mark_at, offset, resolve, span_at
from scenes.text.values import Refused
from scenes.text.words import REFERENCE
from scenes.writing.outputs import write_text

PLAIN = re.compile(r"[\w.+-](?:[\w /^*.+()-]*[\w%)])?", re.ASCII)
WITH_UNIT = re.compile(r"([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)(\s*)([A-Za-z%][\w*/^]*)\Z")


def with_value(scene: LoadedScene, path: str, value: Any) -> str:
    """Return the text of the scene's file with a value at a path. The file itself does not change."""
    text = text_of(scene)
    parts = path.split(".")
    if parts[0] not in (*NAMED, *SINGLE):
        parts = ["parameters", *parts]
    if parts[0] == "parameters" and len(parts) == 2 and isinstance(scene.tree.get("parameters", {}).get(parts[1]), Map):
        parts.append("value")
    overrides = scene.tree.get("overrides")
    if isinstance(overrides, Map) and path in overrides:
        edited = in_place(text, scene, ("overrides", path), value)
    else:
        edited = in_place(text, scene, tuple(parts), value)
    return edited if edited is not None else with_entry(scene, "overrides", path, value)


def with_entry(scene: LoadedScene, section: str, name: str, value: Any) -> str:
    """Return the text of the scene's file with a new entry in a section, which is added if necessary."""
    if section not in (*NAMED, "overrides"):
        raise Refused(f"no entry can be added to {short(section)}")
    if section != "overrides" and not REFERENCE.match(name):
        raise Refused(f"{short(name)} is no name")
    text = text_of(scene)
    entry = f"{name}: {written(value)}"
    inside = scene.tree.get(section)
    mark = scene.tree.value_mark(section) if isinstance(inside, Map) else None
    if mark is None or not own(mark, scene):
        if section in scene.tree and own(scene.tree.key_mark(section), scene) and inside is None:
            at = line_end(text, offset(text, scene.tree.key_mark(section)))
            return f"{text[:at]}\n  {entry}{text[at:]}"
        return f"{text.rstrip()}\n{section}:\n  {entry}\n"
    if name in inside:  # type: ignore[operator]
        raise Refused(f"{short(name)} stands in {section} already")
    at = offset(text, mark)
    if text[at] == "{":
        comma = ", " if inside else ""
        return f"{text[: at + 1]}{entry}{comma}{text[at + 1 :]}"
    return f"{text[:at]}{entry}\n{' ' * mark.column}{text[at:]}"


def text_of(scene: LoadedScene) -> str:
    """Return the text of the scene's file."""
    return scene.tree.mark.source.text


def own(mark: Mark | None, scene: LoadedScene) -> bool:
    """Return whether a value is written in the scene's own file, and not in one that it includes."""
    return mark is not None and mark.source is scene.tree.mark.source


# ---------------------------------------------------------------- where it stands
def in_place(text: str, scene: LoadedScene, parts: tuple[str, ...], value: Any) -> str | None:
    """Return the text with the value changed where it is written. Return None if it is not written there as a plain
    value."""
    found = node_at(scene.tree, parts)
    if found is None:
        return None
    node, mark = found
    if mark is None or not own(mark, scene):
        return None
    spans = span_at(text, mark)
    values = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(node, List) and isinstance(values, list | tuple) and len(values) == len(node):
        items = [span_at(text, item) for item in node.items_at]
        pieces = [replacement(text[a:b], v) for (a, b), v in zip(items, values, strict=True)]
        if None in pieces or any(isinstance(item, List | Map) for item in node):
            return None
        for (a, b), piece in zip(reversed(items), reversed(pieces), strict=True):
            text = text[:a] + str(piece) + text[b:]
        return text
    if isinstance(node, List | Map):
        return None
    piece = replacement(text[spans[0] : spans[1]], values)
    return None if piece is None else text[: spans[0]] + piece + text[spans[1] :]


def node_at(tree: Any, parts: tuple[str, ...]) -> tuple[Any, Mark | None] | None:
    """Return the value at a path of the tree and its place, or None if no value is written there."""
    path: list[str | int] = []
    node = tree
    for part in parts:
        if isinstance(node, Map) and part in node:
            node = node[part]
            path.append(part)
        elif isinstance(node, List) and part.isdecimal() and int(part) < len(node):
            node = node[int(part)]
            path.append(int(part))
        else:
            return None
    return node, mark_at(tree, tuple(path))


def line_end(text: str, at: int) -> int:
    """Return the index of the end of a line."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


# ---------------------------------------------------------------- what is written
def replacement(old: str, value: Any) -> str | None:
    """Return the new text of a scalar, in the unit of the old text. Return None if the old text is an expression."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return written(value)
    plain = old.strip("'\"")
    if not isinstance(resolve(plain), str):
        return number(float(value))
    unit = WITH_UNIT.match(plain)
    if unit is None:
        return None
    try:
        one = evaluate(f"1 {unit.group(3)}", {}, "any")[0]
    except ExpressionError:
        return None
    quote = old[0] if old[0] in "'\"" else ""
    return f"{quote}{shortest(float(value), one)}{unit.group(2)}{unit.group(3)}{quote}"


def shortest(value: float, factor: float) -> str:
    """Return the shortest number that, multiplied by the factor of the unit, gives exactly the value."""
    for digits in (6, 9, 12, 15):
        text = number(float(f"{value / factor:.{digits}g}"))
        if float(text) * factor == value:
            return text
    return number(value / factor)


def written(value: Any) -> str:
    """Return a value in one line of YAML."""
    if isinstance(value, str):
        plain = PLAIN.fullmatch(value) is not None and isinstance(resolve(value), str) and not value.startswith("- ")
        return value if plain else quoted(value)
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, int | float | np.number):
        return number(float(value))
    return "[" + ", ".join(written(v) for v in value) + "]"


def number(x: float) -> str:
    """Return the shortest text that is read as the same number."""
    text = repr(x)
    return text[:-2] if text.endswith(".0") else text


def quoted(text: str) -> str:
    """Return a text in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def save_value(scene: LoadedScene, path: str, value: Any) -> LoadedScene:
    """Write a value into the scene's file, and return the scene that the new file contains. If the new text would not
    load, or would not give this value, the value is refused, and nothing is written."""
    assert scene.path is not None
    wanted = changed(scene, path, value)
    text = with_value(scene, path, value)
    got = read_scene_text(text, scene.path.name, scene.path.parent)
    if differences(wanted, got):
        raise Refused(f"{short(path)} cannot be written into {scene.path.name}; change it there by hand")
    try:
        write_text(scene.path, text)
    except OSError as error:
        raise Refused(f"{scene.path.name} cannot be written: {error.strerror}") from None
    return read_scene(scene.path)
