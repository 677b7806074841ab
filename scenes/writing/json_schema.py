"""The JSON Schema of scene files, for editors, made from the models of the language."""

import json
from typing import Any

from pydantic_core import PydanticUndefined

from scenes.kinds import sections
from scenes.kinds.bodies import Body, Material
from scenes.kinds.drives import Drive, TargetSpring
from scenes.kinds.table import KINDS, LINKAGES, TIES
from scenes.kinds.ties import Tie
from scenes.text.schema import Model, is_live
from scenes.text.values import Value

NAMED_MODELS: dict[str, type[Model]] = {
    "parameters": sections.Parameter, "materials": Material, "bodies": Body, "repeat": sections.Repeat,
    "figures": sections.Figure, "pins": sections.Pin, "loads": sections.Load,
}  # fmt: skip
SINGLE_MODELS: dict[str, type[Model]] = {
    "settings": sections.Settings, "camera": sections.Camera, "defaults": sections.Defaults, "ground": sections.Ground,
    "contacts": sections.Contacts, "medium": sections.Medium, "start": sections.Start, "checks": sections.Checks,
}  # fmt: skip


# ---------------------------------------------------------------- fields
def value_of(info: Any) -> Value:
    """Return the kind of value of a field."""
    return next(m for m in info.metadata if isinstance(m, Value))


def default_of(info: Any) -> Any:
    """Return the default of a field, or None without one."""
    return None if info.default is PydanticUndefined else info.default


def plain(value: Any) -> Any:
    """Return a default in the form of JSON."""
    return [plain(v) for v in value] if isinstance(value, tuple) else value


# ---------------------------------------------------------------- schema
def json_schema() -> str:
    """Return the JSON Schema of scene files, in draft 7, which the YAML language servers read."""
    maker = _Maker()
    properties: dict[str, Any] = {
        "marionette": {"const": sections.FORMAT}, "name": {"type": "string"}, "about": {"type": "string"},
        "include": {"type": "array", "items": {"type": "string"}},
        "groups": _named(sections.GROUP.schema()),
        "poses": _named({"type": "object"}),
        "overrides": {"type": "object"},
    }  # fmt: skip
    for key, model in SINGLE_MODELS.items():
        properties[key] = maker.reference(model)
    for key, model in NAMED_MODELS.items():
        properties[key] = _named(maker.reference(model))
    properties["parameters"] = _named({"anyOf": [maker.reference(sections.Parameter), {"type": ["number", "string"]}]})
    properties["joints"] = _named(maker.entry("joints"))
    properties["constraints"] = _named(maker.entry("constraints"))
    properties["springs"] = _named(maker.entry("springs"))
    properties["drives"] = _named({"anyOf": [maker.reference(Drive), maker.reference(TargetSpring)]})
    for key, sentence in sections.SECTIONS.items():
        one = properties[key]
        if "$ref" in one or one.get("type") == "object":
            one = {"anyOf": [one, {"type": "null"}]}  # a section without entries
        properties[key] = {**one, "description": sentence}
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A scene of marionette",
        "type": "object",
        "properties": {key: properties[key] for key in sections.SECTIONS},
        "required": ["marionette"],
        "additionalProperties": False,
        "definitions": maker.made,
    }
    return json.dumps(maker.resolved(schema), indent=1) + "\n"


def _named(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a mapping from names to entries."""
    return {"type": "object", "additionalProperties": schema}


class _Maker:
    """A maker of schemas, which collects the definitions to which they refer."""

    def __init__(self) -> None:
        """Begin without a definition."""
        self.made: dict[str, Any] = {}

    def reference(self, model: type[Model]) -> dict[str, Any]:
        """Return a reference to the definition of a model, which is made once."""
        name = model.__name__
        if name not in self.made:
            self.made[name] = {}
            self.made[name] = self.model(model)
        return {"$ref": f"#/definitions/{name}"}

    def model(self, model: type[Model]) -> dict[str, Any]:
        """Return the schema of a model."""
        properties: dict[str, Any] = {}
        required: list[str] = []
        for name, info in model.model_fields.items():
            key = info.alias or name
            kind = self.resolved(value_of(info).schema())
            one: dict[str, Any] = {"allOf": [kind]} if "$ref" in kind else dict(kind)
            one["description"] = described(model, key, info)
            # of joints and constraints anything but the kind may stand under `defaults`
            if info.is_required() and (not issubclass(model, Tie) or key == model.kind):
                required.append(key)
            elif default_of(info) is not None:
                one["default"] = plain(default_of(info))
            properties[key] = one
        return {
            "type": "object", "description": " ".join((model.__doc__ or "").split()), "properties": properties,
            "required": required, "additionalProperties": False,
        }  # fmt: skip

    def entry(self, which: str) -> dict[str, Any]:
        """Return the schema of a joint or constraint, or of the keys of any of them."""
        ties = {**TIES, "both": KINDS}
        if which in ties:
            more = LINKAGES if which == "constraints" else ()
            return {"anyOf": [self.reference(model) for model in [*ties[which].values(), *more]]}
        if which == "bodies":
            return self.reference(Body)
        models = [Body] if which == "any body" else list(KINDS.values())
        properties: dict[str, Any] = {}
        for model in models:
            self.reference(model)
            for key, one in self.made[model.__name__]["properties"].items():
                if key != getattr(model, "kind", ""):
                    properties.setdefault(key, {"description": one["description"]})
        return {"type": "object", "properties": properties, "additionalProperties": False}

    def resolved(self, schema: Any) -> Any:
        """Return a schema in which models and entries are replaced by references."""
        if isinstance(schema, dict):
            if "$model" in schema:
                return self.reference(schema["$model"])
            if "$entry" in schema:
                return self.entry(schema["$entry"])
            return {k: self.resolved(v) for k, v in schema.items()}
        return [self.resolved(v) for v in schema] if isinstance(schema, list) else schema


def described(model: type[Model], key: str, info: Any) -> str:
    """Return the text that an editor shows for a key."""
    changed = "live: can be changed while the figure moves" if is_live(model, key) else "a change rebuilds the model"
    return f"{info.description}. {value_of(info).words()[:1].upper()}{value_of(info).words()[1:]}; {changed}."
