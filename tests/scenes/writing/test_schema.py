"""The JSON Schema for editors takes what the reader takes: every scene of the library, of the page and of the tests;
and it refuses what an editor should underline."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scenes.loading.library import LIBRARY
from scenes.text.errors import Problems, Source
from scenes.text.reader import read_text
from scenes.writing import reference
from tests.helpers.scene_text import scene_text
from tests.helpers import every_definition, scene_kinds
from tests.helpers.reference_page import EXAMPLES

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
FILES = [*LIBRARY.rglob("*.yaml"), *Path(__file__).parents[1].rglob("*.yaml")]


@cache
def schema() -> dict[str, Any]:
    return json.loads(reference.json_schema())


def fits(value: Any, s: dict[str, Any]) -> bool:
    """The part of draft 7 that the schema uses."""
    known = {
        "$ref", "anyOf", "allOf", "enum", "const", "type", "properties", "additionalProperties", "required", "items",
        "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "description", "default", "title", "$schema",
        "definitions", "pattern", "minLength",
    }  # fmt: skip
    assert set(s) <= known, set(s) - known
    if "$ref" in s and not fits(value, schema()["definitions"][s["$ref"].rpartition("/")[2]]):
        return False
    if "anyOf" in s and not any(fits(value, one) for one in s["anyOf"]):
        return False
    if not all(fits(value, one) for one in s.get("allOf", ())):
        return False
    if value not in s.get("enum", [value]) or value != s.get("const", value):
        return False
    kinds = s.get("type", [])
    if kinds and not any(has_type(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if isinstance(value, dict):
        own, other = s.get("properties", {}), s.get("additionalProperties", True)
        inside = all(
            fits(v, own[k]) if k in own else other is True or (other and fits(v, other)) for k, v in value.items()
        )
        return inside and set(s.get("required", ())) <= set(value)
    if isinstance(value, list):
        length = s.get("minItems", 0) <= len(value) <= s.get("maxItems", len(value))
        items = s.get("items", {})
        each = items if isinstance(items, list) else [items] * len(value)
        return length and all(fits(v, one) for v, one in zip(value, each, strict=False))
    if isinstance(value, str):
        return len(value) >= s.get("minLength", 0)
    if isinstance(value, int | float):
        low, high = s.get("minimum", value), s.get("maximum", value)
        return low <= value <= high and value > s.get("exclusiveMinimum", value - 1)
    return True


def has_type(value: Any, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number if kind in ("number", "integer") else isinstance(value, TYPES[kind])


def tree(text: str) -> Any:
    return read_text(Source("text", text), Problems())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_fits(path):
    assert fits(tree(path.read_text()), schema())


def test_every_kind_and_everything_fits():
    texts = [scene_kinds.HEAD + text for text in scene_kinds.SCENES.values()]
    texts += [*EXAMPLES, *(scene_text(scene) for scene in every_definition.SCENES)]
    assert [text for text in texts if not fits(tree(text), schema())] == []


@pytest.mark.parametrize(
    "text",
    [
        "bodys: {}",
        "bodies: {a: {mas: 1}}",
        "bodies: {a: {mass: -1}}",
        "bodies: {a: 3}",
        "joints: {a: {hinge: [b], axis: y}}",
        "joints: {a: {hinge: [b, c], axs: y}}",
        "joints: {a: {rope: [b, c]}}",
        "settings: {solver: fusd}",
        "constraints: {a: {function: [b, c], zero: [1]}}",
        "springs: {a: {between: [b, c], stiffness: -1}}",
    ],
)
def test_what_an_editor_should_underline(text):
    assert fits(tree("marionette: 1\n"), schema())
    assert not fits(tree(f"marionette: 1\n{text}\n"), schema())
