"""YAML 1.2 as dictionaries, lists and scalars that know their line and column.

libyaml (through PyYAML) parses the text into events, 1.5 million of them a second. Scalars are resolved here by the
core schema of YAML 1.2: 1e-3 is a number, and `no` is a text. Duplicate keys, tags, merge keys, several documents, keys
that are not plain texts, and texts beyond the limits below are refused. An alias shares the value of its anchor, but
counts in full towards the limits.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from scenes.text.errors import Mark, Problems, Source, short
from scenes.text.units import unit_at

# A scene of 10,000 bodies written out has 3 MB and 400,000 nodes; these limits leave room and keep memory under 500 MB.
MOST_BYTES = 24_000_000
MOST_NODES = 1_500_000
DEEPEST = 60

NULL = re.compile(r"(?:~|null|Null|NULL|)\Z")
BOOL = {w: b for b, words in ((True, "true True TRUE"), (False, "false False FALSE")) for w in words.split()}
NUMERAL = re.compile(r"(?:([-+]?[0-9]+)|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)\Z")
SPECIAL = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
# scalars of up to so many characters are remembered: files say the same ones again and again
SHORT = 24
# Longer numerals are left as texts: int() would take quadratic time, and no quantity has as many digits.
LONGEST_NUMERAL = 400

HINTS = (
    (
        "mapping values are not allowed",
        "a second ': ' in one line; is the indentation right, or does the text need quotes?",
    ),
    (
        "block sequence entries are not allowed",
        "a minus and a space begin an entry of a list; write the minus without a space, or put the formula in quotes",
    ),
    ("tab character", "a tab; YAML is indented with spaces"),
    ("cannot start any token", "this character cannot start a value here; YAML is indented with spaces, not with tabs"),
    ("did not find expected ',' or '}'", "a mapping in braces that is not closed, or a comma that is missing"),
    ("did not find expected ',' or ']'", "a list in brackets that is not closed, or a comma that is missing"),
    ("did not find expected key", "a key is expected here; is the indentation right?"),
    ("could not find expected ':'", "a colon and a space are missing after a key"),
    ("found unexpected end of stream", "a quoted text that is not closed"),
    ("found undefined alias", "an alias without its anchor; a text that begins with * needs quotes"),
)


# an unquoted colour, and a list that has just ended
COMMENT = re.compile(r"[:,\[{]\s+(#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{3}))\b")
LIST_BEFORE = re.compile(r"\[([^\[\]]*)\]\s*$")


class Map(dict[str, Any]):
    """A mapping with the marks of its keys and values."""

    __slots__ = ("keys_at", "mark", "values_at")

    def __init__(self, mark: Mark):
        """Begin empty, at a mark."""
        super().__init__()
        self.mark = mark
        self.keys_at: dict[str, Mark] = {}
        self.values_at: dict[str, Mark] = {}

    def put(self, key: str, value: Any, key_at: Mark, value_at: Mark) -> None:
        """Set the value of a key, with the marks of both."""
        self[key] = value
        self.keys_at[key] = key_at
        self.values_at[key] = value_at

    def key_mark(self, key: str) -> Mark:
        """Return the place of a key, or that of the mapping if the key has none."""
        return self.keys_at.get(key, self.mark)

    def value_mark(self, key: str) -> Mark:
        """Return the place of a value, or that of the mapping if the value has none."""
        return self.values_at.get(key, self.mark)

    def copy(self) -> "Map":
        """Return a copy of this level; deeper levels are shared."""
        out = Map(self.mark)
        out.update(self)
        out.keys_at = dict(self.keys_at)
        out.values_at = dict(self.values_at)
        return out

    def without(self, *keys: str) -> "Map":
        """Return a copy without these keys."""
        out = self.copy()
        for key in keys:
            out.pop(key, None)
        return out


class List(list[Any]):
    """A list with the marks of its items."""

    __slots__ = ("items_at", "mark")

    def __init__(self, mark: Mark):
        """Begin empty, at a mark."""
        super().__init__()
        self.mark = mark
        self.items_at: list[Mark] = []


class Key(str):
    """The last step of a path that means the key itself, and not its value."""

    __slots__ = ()


def mark_at(tree: Any, path: tuple[str | int, ...], on_key: bool = False) -> Mark | None:
    """Return the place of the value (or with `on_key` of the key) at the end of a path. If the tree does not have the
    whole path, return the place of the last step that it has."""
    mark = getattr(tree, "mark", None)
    for k, step in enumerate(path):
        last = k == len(path) - 1
        if isinstance(tree, Map) and step in tree:
            mark = (
                tree.key_mark(str(step)) if last and (on_key or isinstance(step, Key)) else tree.value_mark(str(step))
            )
            tree = tree[str(step)]
        elif isinstance(tree, List) and isinstance(step, int) and 0 <= step < len(tree):
            mark, tree = tree.items_at[step], tree[step]
        else:
            break
    return mark


def offset(text: str, mark: Mark) -> int:
    """Return the index of a mark in its text."""
    at = 0
    for _ in range(mark.line):
        at = text.index("\n", at) + 1
    return at + mark.column


def span_at(text: str, mark: Mark) -> tuple[int, int]:
    """Return beginning and end of the value that begins at a mark."""
    start = end = offset(text, mark)
    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        place: Any = event.start_mark
        if depth == 0 and (place.line, place.column) != (mark.line, mark.column):
            continue
        if depth == 0 and not isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            continue
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth == 0:
            last: Any = event.end_mark
            end = offset(text, Mark(mark.source, last.line, last.column))
            break
    return start, end


def resolve(text: str) -> Any:
    """Return the value of a plain scalar by the core schema of YAML 1.2."""
    return _resolve_short(text) if len(text) <= SHORT else _resolve(text)


def _resolve(text: str) -> Any:
    """Return the value of a plain scalar: a number, a truth value, None or a text."""
    first = text[:1]
    if first in "0123456789-+." and first:
        if len(text) <= LONGEST_NUMERAL:
            numeral = NUMERAL.match(text)
            if numeral:
                return float(text) if numeral.lastindex is None else int(text)
            if SPECIAL.match(text):
                return float(text.replace(".", "", 1))
        return text
    if text in BOOL:
        return BOOL[text]
    if NULL.match(text):
        return None
    return text


_resolve_short = lru_cache(maxsize=20_000)(_resolve)


def read_file(path: Path, name: str, problems: Problems, asked_at: Mark | None = None) -> Any:
    """Return the tree of a file, or None after a problem."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            problems.error(asked_at, f"{name}: not a file")
            return None
        if size > MOST_BYTES:
            problems.error(asked_at, f"{name}: {size / 1e6:.0f} MB, allowed: at most {MOST_BYTES / 1e6:.0f} MB")
            return None
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problems.error(asked_at, f"{name}: cannot be read: {reason}")
        return None
    return read_bytes(data, name, problems, asked_at)


def read_bytes(data: bytes, name: str, problems: Problems, asked_at: Mark | None = None) -> Any:
    """Return the tree of encoded text, or None after a problem. Only UTF-8 is read."""
    if len(data) > MOST_BYTES:
        problems.error(asked_at, f"{name}: {len(data) / 1e6:.0f} MB, allowed: at most {MOST_BYTES / 1e6:.0f} MB")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n")
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace"))
        mark = Mark(Source(name, data.decode("utf-8", "replace"), asked_at), line, column)
        problems.error(mark, f"byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8")
        return None
    return read_text(Source(name, text, asked_at), problems)


def read_text(source: Source, problems: Problems) -> Any:
    """Return the tree of a text, or None after a problem that ends the reading."""
    reader = _Reader(source, problems)
    try:
        reader.run()
    except yaml.MarkedYAMLError as error:
        problem = error.problem or error.context or "not YAML"
        place = error.problem_mark or error.context_mark
        if place and place.index >= len(source.text.rstrip()):
            place = error.context_mark or place  # what is not closed at the end began earlier
        mark = reader.mark(place) if place else Mark(source, 0, 0)
        context = reader.mark(error.context_mark) if error.context_mark else mark
        problems.error(*(meant_otherwise(source, mark, context) or (mark, explained(problem))))
        return None
    except yaml.reader.ReaderError as error:
        before = source.text[: error.position]
        mark = Mark(source, before.count("\n"), len(before) - before.rfind("\n") - 1)
        character = error.character if isinstance(error.character, int) else ord(error.character)
        problems.error(mark, f"the character 0x{character:02x} is not allowed in a text file")
        return None
    except _Stop:
        return None
    except yaml.YAMLError as error:
        problems.error(Mark(source, 0, 0), f"not YAML: {' '.join(str(error).split())[:200]}")
        return None
    return reader.root


def meant_otherwise(source: Source, place: Mark, begin: Mark) -> tuple[Mark, str] | None:
    """Return a place and a message for text that is not YAML because of a character with a special meaning, such as a #
    before a colour. Return None if there is no such reason."""
    before = begin.line  # what is missing after a comment is missed in the line after it
    while before > 0 and begin == place and not (source.line(before) or "")[: begin.column].strip():
        before -= 1
        begin = place = Mark(source, before, len(source.line(before) or ""))
    for number in range(begin.line, place.line + 1):
        text = source.line(number) or ""
        found = COMMENT.search(text, 0 if begin == place or number > begin.line else begin.column)
        if found is not None:
            color = found.group(1)
            return Mark(source, number, found.start(1)), f'# begins a comment; put the colour in quotes: "{color}"'
    line = source.line(place.line) or ""
    before, after = line[: place.column], line[place.column :]
    end = unit_at(after, 0)
    listed = LIST_BEFORE.search(before)
    if listed is not None and end > 0:
        unit = after[:end].strip()
        numbers = ", ".join(f"{x.strip()} {unit}" for x in listed.group(1).split(","))
        return place, f"a list has no unit of its own; write it behind each number: [{numbers}]"
    if after.startswith("- "):
        return place, explained("block sequence entries are not allowed")
    return None


def explained(problem: str) -> str:
    """Return a clearer message for a message of libyaml, if there is one."""
    for words, hint in HINTS:
        if words in problem:
            return hint
    return f"not YAML: {problem}"


class _Stop(Exception):
    """The signal that a limit was exceeded and reading ends."""


class _Frame:
    """A mapping or list whose content is being read."""

    __slots__ = ("anchor", "key", "key_mark", "node", "size")

    def __init__(self, node: Map | List, anchor: str | None):
        """Begin a mapping or list that is being read."""
        self.node = node
        self.anchor = anchor
        self.key: str | None = None
        self.key_mark: Mark | None = None
        self.size = 1


class _Reader:
    """A builder of a tree from YAML events, without recursion."""

    def __init__(self, source: Source, problems: Problems):
        """Begin to read a source."""
        self.source = source
        self.problems = problems
        self.root: Any = None
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.nodes = 0
        self.documents = 0

    def mark(self, mark: Any) -> Mark:
        """Return a place of libyaml as a mark in this text."""
        return Mark(self.source, mark.line, mark.column)

    def run(self) -> None:
        """Read all events of the text, and set `root` to its tree."""
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(self.source.text)
        try:
            while loader.check_event():
                self.take(loader.get_event())
        finally:
            loader.dispose()
        if not self.documents:
            self.problems.error(Mark(self.source, 0, 0), "the file is empty; a scene begins with `marionette: 1`")
            raise _Stop

    def take(self, event: Any) -> None:
        """Add the content of one YAML event to the tree."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self.scalar(event)
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            self.open(event, Map if kind is yaml.MappingStartEvent else List)
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            frame = self.stack.pop()
            if frame.anchor is not None:
                self.anchors[frame.anchor] = (frame.node, frame.size)
            if self.stack:
                self.stack[-1].size += frame.size
        elif kind is yaml.AliasEvent:
            self.alias(event)
        elif kind is yaml.DocumentStartEvent:
            self.documents += 1
            if self.documents > 1:
                self.fail(event, "a second document; a file holds one scene")

    def fail(self, event: Any, message: str) -> None:
        """Report an error and end the reading."""
        self.problems.error(self.mark(event.start_mark), message)
        raise _Stop

    def count(self, event: Any, more: int) -> None:
        """Add to the number of values, and end the reading if there are too many."""
        self.nodes += more
        if self.nodes > MOST_NODES:
            self.fail(event, f"too much in one file (aliases written out): allowed are {MOST_NODES:,} values")

    def scalar(self, event: Any) -> None:
        """Add a scalar to the tree: a key or a value."""
        self.count(event, 1)
        mark = Mark(self.source, event.start_mark.line, event.start_mark.column)
        if event.tag is not None:
            self.problems.error(mark, f"tag {short(event.tag)}; tags have no meaning here, leave it out")
        frame = self.stack[-1] if self.stack else None
        if frame is not None and type(frame.node) is Map and frame.key is None:
            self.take_key(frame, event.value, mark)
            return
        value = resolve(event.value) if event.implicit[0] and event.tag is None else event.value
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1)
        self.add(value, mark, 1)

    def take_key(self, frame: _Frame, key: str, mark: Mark) -> None:
        """Store the key of the next value, and report a key that is not allowed."""
        node = frame.node
        if key in node:
            first = node.key_mark(key)  # type: ignore[union-attr]
            self.problems.error(mark, f"key {short(key)} stands here twice, first in line {first.line + 1}")
        elif key == "<<":
            self.problems.error(mark, "merge keys are not part of YAML 1.2; use `defaults` or `materials`")
        frame.key = key
        frame.key_mark = mark

    def open(self, event: Any, make: type[Map] | type[List]) -> None:
        """Begin a mapping or list, and add it to the tree."""
        self.count(event, 1)
        mark = self.mark(event.start_mark)
        if event.tag is not None:
            self.problems.error(mark, f"tag {short(event.tag)}; tags have no meaning here, leave it out")
        if len(self.stack) >= DEEPEST:
            self.fail(event, f"nested deeper than {DEEPEST} levels")
        self.no_key(event)
        node = make(mark)
        self.add(node, mark, 0)
        self.stack.append(_Frame(node, event.anchor))

    def no_key(self, event: Any) -> None:
        """Report a mapping or list in the place of a key."""
        frame = self.stack[-1] if self.stack else None
        if frame is not None and type(frame.node) is Map and frame.key is None:
            self.fail(event, "a key must be a plain text; is a value missing before it, or are braces unquoted?")

    def alias(self, event: Any) -> None:
        """Add the value of an alias to the tree."""
        self.no_key(event)
        mark = self.mark(event.start_mark)
        if event.anchor not in self.anchors:
            # libyaml lets an anchor refer to what is still open
            self.fail(event, f"alias {short(event.anchor)} inside its own anchor, or without one")
        value, size = self.anchors[event.anchor]
        self.count(event, size)
        self.add(value, mark, size)

    def add(self, value: Any, mark: Mark, size: int) -> None:
        """Add a value to the mapping or list that is being read."""
        if not self.stack:
            self.root = value
            return
        frame = self.stack[-1]
        frame.size += size
        node = frame.node
        if frame.key == "<<":
            frame.key = None  # reported already
        elif type(node) is Map:
            node[frame.key] = value  # type: ignore[index]
            node.keys_at[frame.key] = frame.key_mark  # type: ignore[index, assignment]
            node.values_at[frame.key] = mark  # type: ignore[index]
            frame.key = None
        else:
            node.append(value)  # type: ignore[union-attr]
            node.items_at.append(mark)  # type: ignore[union-attr]
