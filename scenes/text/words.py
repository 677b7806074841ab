"""Values that are words: texts, names, choices, flags, colours."""

import re
from typing import Any

from scenes.text.errors import did_you_mean, short
from scenes.text.values import Refused, Scope, Value, gather, items_of

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
# of a body or joint: parts of names, with generated numbers, behind the prefixes of figures
REFERENCE = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:/(?:[A-Za-z_][A-Za-z0-9_-]*|[0-9]+))*\Z")
COLOR = re.compile(r"#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")
LONGEST_TEXT = 2000


class Text(Value):
    """A text, with `${parameter}` filled in."""

    def read(self, value: Any, scope: Scope) -> str:
        """Return the value that was written, or refuse it."""
        if not isinstance(value, str) or not value:
            raise Refused(f"got {short(value)}, allowed: {self.words()}; put it into quotes")
        if len(value) > LONGEST_TEXT:
            raise Refused(f"a text of {len(value)} characters, allowed: {LONGEST_TEXT}")
        return scope.fill(value)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "a text"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "string", "minLength": 1}


class Name(Value):
    """The name of a body, joint or other entry. Names inside figures and copies have slashes."""

    def __init__(self, what: str):
        """Store the word for the named things, such as "body"."""
        self.what = what

    def read(self, value: Any, scope: Scope) -> str:
        """Return the value that was written, or refuse it."""
        if not isinstance(value, str) or not REFERENCE.match(value):
            hint = "; that is one name: write an entry for each" if isinstance(value, list) else ""
            raise Refused(f"got {short(value)}, allowed: {self.words()}{hint}")
        return value

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"the name of a {self.what}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "string", "description": self.words()}


class Names(Value):
    """Several names."""

    def __init__(self, what: str, count: int | None = None, patterns: bool = False):
        """Store the word for the named things, how many names there must be, and whether they may be patterns."""
        self.what = what
        self.count = count
        self.patterns = patterns

    def read(self, value: Any, scope: Scope) -> tuple[str, ...]:
        """Return the value that was written, or refuse it."""
        items = items_of(value, self)
        if self.count is not None and len(items) != self.count:
            raise Refused(f"got {len(items)} names, allowed: {self.words()}")
        one = Name(self.what)

        def read(v: Any) -> str:
            if self.patterns and isinstance(v, str) and re.fullmatch(r"[\w/*-]+", v, re.ASCII):
                return v
            return one.read(v, scope)

        return tuple(gather(enumerate(items), read))

    def words(self) -> str:
        """Return what may be written, in a few words."""
        count = "a list of" if self.count is None else f"a list of {self.count}"
        return f"{count} names of {self.what}" + (" (* stands for anything)" if self.patterns else "")

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        sizes = {} if self.count is None else {"minItems": self.count, "maxItems": self.count}
        return {"type": "array", "items": {"type": "string"}, **sizes, "description": self.words()}


class Choice(Value):
    """One of several words."""

    def __init__(self, *words: str):
        """Store the words that are allowed."""
        self.allowed = words

    def read(self, value: Any, scope: Scope) -> str:
        """Return the value that was written, or refuse it."""
        if not isinstance(value, str) or value not in self.allowed:
            hint = did_you_mean(value, self.allowed) if isinstance(value, str) else ""
            raise Refused(f"got {short(value)}, allowed: {self.words()}{hint}")
        return value

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return ", ".join(self.allowed)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"enum": list(self.allowed)}


class Flag(Value):
    """true or false."""

    def read(self, value: Any, scope: Scope) -> bool:
        """Return the value that was written, or refuse it."""
        if not isinstance(value, bool):
            meant = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(str(value).lower(), "")
            hint = f"; in YAML 1.2 that is a text, did you mean {meant}?" if meant else ""
            raise Refused(f"got {short(value)}, allowed: true or false{hint}")
        return value

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "true or false"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "boolean"}


class Color(Value):
    """A colour "#rrggbb" or "#rgb"."""

    def read(self, value: Any, scope: Scope) -> str:
        """Return the value that was written, or refuse it."""
        if not isinstance(value, str) or not COLOR.match(value):
            hint = '; # begins a comment: put the colour in quotes, "#d8a48f"' if value is None else ""
            raise Refused(f"got {short(value)}, allowed: {self.words()}{hint}")
        return value if len(value) == 7 else "#" + "".join(2 * c for c in value[1:])

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return 'a colour "#rrggbb", in quotes'

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "string", "pattern": "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"}


class FileName(Value):
    """A file in the folder of the scene, or below it. It is read as its path."""

    def __init__(self, *endings: str):
        """Store the endings that are allowed."""
        self.endings = endings

    def read(self, value: Any, scope: Scope) -> str:
        """Return the value that was written, or refuse it."""
        text = Text().read(value, scope)
        if not text.lower().endswith(self.endings):
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        return scope.file(text)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"a file that ends in {' or '.join(self.endings)}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "string", "minLength": 1}
