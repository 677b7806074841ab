"""The core of the schema. Fields of models have unit, range, default, a description, and whether they can change while
the figure moves. Problems that pydantic finds are reported in the words of the scene language.
"""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticUndefined

from scenes.text.errors import Problems, short
from scenes.text.reader import Key, mark_at
from scenes.text.synonyms import meant_by, unknown_key
from scenes.text.values import Refused, Scope, Value


class Model(BaseModel):
    """Base class of the mappings of the language. Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, protected_namespaces=())

    # fields of the language that the physics cannot do yet, with the sentence that says so
    not_yet: ClassVar[dict[str, str]] = {}

    @classmethod
    def key_names(cls) -> list[str]:
        """Return the keys as they are written in a scene."""
        return [f.alias or name for name, f in cls.model_fields.items()]

    @classmethod
    def value_of(cls, key: str) -> Value | None:
        """Return the kind of value of a key, or None for an unknown key."""
        for name, info in cls.model_fields.items():
            if key == (info.alias or name):
                return next((m for m in info.metadata if isinstance(m, Value)), None)
        return None


def item(sentence: str, default: Any = PydanticUndefined, *, live: bool = False, alias: str | None = None) -> Any:
    """Return a field with its description, its default, and whether it can be changed while the figure moves."""
    return Field(default, description=sentence, json_schema_extra={"live": live}, alias=alias)


def field_name(model: type[Model], key: str) -> str:
    """Return the name of the field of a key, which is also its name in the physics."""
    return next(name for name, info in model.model_fields.items() if key == (info.alias or name))


def is_live(model: type[Model], key: str) -> bool:
    """Return whether a field can be changed while the figure moves."""
    for name, info in model.model_fields.items():
        if key == (info.alias or name):
            extra = info.json_schema_extra
            return bool(isinstance(extra, dict) and extra.get("live"))
    return False


def refusals(error: ValidationError, model: type[Model], data: Any) -> list[tuple[tuple[str | int, ...], str, bool]]:
    """Return (path inside the data, sentence, whether it is about the key) for each error that pydantic found."""
    out: list[tuple[tuple[str | int, ...], str, bool]] = []
    found = error.errors(include_url=False)
    # what is missing because its key is misspelt is said once
    extra = [str(e["loc"][-1]) for e in found if e["type"] == "extra_forbidden"]
    misspelt = {meant_by(key, model.key_names()) for key in extra}
    for e in found:
        loc = tuple(e["loc"])
        kind = e["type"]
        if kind == "extra_forbidden":
            key = str(loc[-1])
            out.append((loc, model.not_yet.get(key) or unknown_key(key, model.key_names()), True))
        elif kind == "missing" and loc[-1] in misspelt:
            continue
        elif kind == "missing":
            key = str(loc[-1])
            info = next(f for n, f in model.model_fields.items() if key == (f.alias or n))
            out.append((loc[:-1], f"{key!r} is missing: {info.description}", False))
        elif kind == "value_error" and isinstance(e.get("ctx", {}).get("error"), Refused):
            out += [((*loc, *inner), message, False) for inner, message in e.get("ctx", {})["error"].parts]
        elif kind in ("model_type", "model_attributes_type", "dict_type"):
            out.append((loc, f"got {short(data)}, allowed: a mapping with {', '.join(model.key_names())}", False))
        else:
            out.append((loc, f"{e['msg']}, got {short(e.get('input'))}", False))
    return out


def read_model(model: type[Model], data: Any, scope: Scope) -> Any:
    """Return an instance of a model inside a value. Refuse a value with problems, and list all of them."""
    if not isinstance(data, dict):
        raise Refused(f"got {short(data)}, allowed: a mapping with {', '.join(model.key_names())}")
    try:
        return model.model_validate(data, context=scope)
    except ValidationError as error:
        parts = [
            ((*loc[:-1], Key(loc[-1])) if on_key else loc, message)
            for loc, message, on_key in refusals(error, model, data)
        ]
        raise Refused(parts[0][1], parts=parts) from None


def checked(model: type[Model], data: Any, scope: Scope, problems: Problems, path: str, tree: Any = None) -> Any:
    """Return an instance of a model. If there are problems, report them at their places in the tree, and return
    None."""
    tree = data if tree is None else tree
    if not isinstance(data, dict):
        problems.error(
            getattr(tree, "mark", None),
            f"got {short(data)}, allowed: a mapping with {', '.join(model.key_names())}",
            path,
        )
        return None
    try:
        return model.model_validate(data, context=scope)
    except ValidationError as error:
        for loc, message, on_key in refusals(error, model, data):
            where = ".".join([path, *map(str, loc)])
            problems.error(mark_at(tree, loc, on_key), message, where)
        return None


class Inner(Value):
    """A mapping inside a mapping."""

    def __init__(self, model: type[Model]):
        """Store the model of the mapping."""
        self.model = model

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        return value if isinstance(value, self.model) else read_model(self.model, value, scope)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "{" + ", ".join(self.model.key_names()) + "}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"$model": self.model}


class Raw(Value):
    """A mapping that is read later, when more of the scene is known."""

    def __init__(self, words: str, schema: dict[str, Any]):
        """Store the words for the reference and the JSON Schema."""
        self._words = words
        self._schema = schema

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the value that was written, or refuse it."""
        if not isinstance(value, dict):
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        return value

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return self._words

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return self._schema
