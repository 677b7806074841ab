"""Problems of a scene, with file, line and column. They are collected and shown all at once.

file:line:column: error: message
  | the line
  |     ^
  included from file:line:column
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

# What is shown of a long line, and how many problems of one file: a reader needs no more, a machine gets them all.
SHOWN_COLUMNS = 76
SHOWN_PROBLEMS = 50
# Above this many known names no nearest one is sought: that would take longer than the whole check.
MOST_COMPARED = 20_000
# how alike two names must be for one to be taken for a slip of the other: `axis` is none of `radius`
LIKE = 0.65
ORDER = {"error": 0, "warning": 1, "note": 2}


class Source:
    """A text, its name as messages show it, and the place that included it."""

    def __init__(self, name: str, text: str, asked_at: "Mark | None" = None):
        """Store the name and the text of a file, and the place where another file includes it."""
        self.name = name
        self.text = text
        self.asked_at = asked_at

    @cached_property
    def lines(self) -> list[str]:
        """Lines of the text."""
        return self.text.split("\n")

    def line(self, number: int) -> str | None:
        """Return a line of the text, or None if there is no such line."""
        return self.lines[number].rstrip("\r") if 0 <= number < len(self.lines) else None


class Mark(NamedTuple):
    """A place in a text. Line and column are counted from 0 here, and from 1 in messages."""

    source: Source
    line: int
    column: int

    def __str__(self) -> str:
        """Return file, line and column."""
        return f"{printable(self.source.name)}:{self.line + 1}:{self.column + 1}"


@dataclass(frozen=True)
class Problem:
    """An error, a warning or a note. `path` says what it refers to, in the grammar of paths (bodies.forearm.mass)."""

    severity: str
    message: str
    mark: Mark | None = None
    path: str = ""

    def __str__(self) -> str:
        """Return the message with its place and the line."""
        where = f"{self.mark}: " if self.mark else ""
        return "\n".join([f"{where}{self.severity}: {self.message}", *self._excerpt()])

    def _excerpt(self) -> Iterator[str]:
        """Yield the lines that show the place."""
        if self.mark is None:
            return
        line = self.mark.source.line(self.mark.line)
        if line is not None:
            text, column = excerpt(line, self.mark.column)
            yield f"  | {text}"
            yield f"  | {' ' * column}^"
        asked = self.mark.source.asked_at
        while asked is not None:
            yield f"  asked for at {asked}"
            asked = asked.source.asked_at

    def as_json(self) -> dict[str, Any]:
        """Return the problem for `check --json`; line and column count from 1."""
        out: dict[str, Any] = {"severity": self.severity, "message": self.message, "path": self.path}
        if self.mark is not None:
            out |= {"file": self.mark.source.name, "line": self.mark.line + 1, "column": self.mark.column + 1}
            chain, asked = [], self.mark.source.asked_at
            while asked is not None:
                chain.append({"file": asked.source.name, "line": asked.line + 1, "column": asked.column + 1})
                asked = asked.source.asked_at
            out["asked_for_at"] = chain
        return out


def excerpt(line: str, column: int) -> tuple[str, int]:
    """Return the part of a line around a column that fits in a message, and the column in it."""
    start = 0 if column < SHOWN_COLUMNS - 8 else column - SHOWN_COLUMNS // 2
    text = line[start : start + SHOWN_COLUMNS]
    if start:
        text = "..." + text[3:]
    if start + SHOWN_COLUMNS < len(line):
        text = text[:-3] + "..."
    return printable(text.replace("\t", " ")), column - start


def printable(text: str) -> str:
    """Return the text with dots for characters that are not printable, because they could control the terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "." for c in text)


class Problems:
    """A collection of all problems, so that loading need not stop at the first."""

    def __init__(self) -> None:
        """Begin without a problem."""
        self.found: list[Problem] = []

    def error(self, mark: Mark | None, message: str, path: str = "") -> None:
        """Add an error."""
        self.found.append(Problem("error", message, mark, path))

    def warn(self, mark: Mark | None, message: str, path: str = "") -> None:
        """Add a warning."""
        self.found.append(Problem("warning", message, mark, path))

    def note(self, mark: Mark | None, message: str, path: str = "") -> None:
        """Add a note."""
        self.found.append(Problem("note", message, mark, path))

    @property
    def errors(self) -> list[Problem]:
        """Errors."""
        return [p for p in self.found if p.severity == "error"]

    def stop(self) -> None:
        """Raise a SceneError if there is any error."""
        if self.errors:
            raise SceneError(self.sorted())

    def sorted(self) -> list[Problem]:
        """Return each problem once, in the order of the file."""
        unique: dict[Any, Problem] = {}
        for p in self.found:
            # the same place of a default or a repeated figure, reported for several bodies
            unique.setdefault((p.severity, p.message, p.mark or p.path), p)
        problems = list(unique.values())
        return sorted(
            problems, key=lambda p: (p.mark is not None, *(p.mark[1:] if p.mark else (0, 0)), ORDER[p.severity])
        )


class SceneWarning(UserWarning):
    """A warning about something in a scene that is probably a mistake."""


class SceneError(ValueError):
    """A scene that cannot be loaded, with every problem that was found."""

    def __init__(self, problems: Iterable[Problem]):
        """Make the message from all problems."""
        self.problems = list(problems)
        super().__init__(listing(self.problems))


def listing(problems: list[Problem]) -> str:
    """Return the problems as text."""
    shown = [str(p) for p in problems[:SHOWN_PROBLEMS]]
    if len(problems) > SHOWN_PROBLEMS:
        shown.append(f"... and {len(problems) - SHOWN_PROBLEMS} more")
    return "\n".join(shown)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean ...?" with the nearest known name, or an empty text."""
    close = nearest(name, known)
    return f"; did you mean {close!r}?" if close else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known name that was most likely meant, or an empty text if none is similar."""
    names = tuple(known)
    return "" if len(name) > 100 or len(names) > MOST_COMPARED else _nearest(name, names)


@lru_cache(maxsize=100)
def _nearest(name: str, names: tuple[str, ...]) -> str:
    """Return the most similar name, ignoring case."""
    lower = {n.lower(): n for n in reversed(names)}
    close = get_close_matches(name.lower(), lower, 1, LIKE)
    return lower[close[0]] if close else ""


def short(value: Any, most: int = 60) -> str:
    """Return a value as a short text, as messages quote it."""
    if isinstance(value, str) and len(value) > most:
        return repr(value[: most - 3] + "...")
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple) and len(value) > 6:
        return f"a list of {len(value)}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(short(v, 20) for v in value) + "]"
    if isinstance(value, int) and abs(value) >= 10**most:
        return f"a number of {len(hex(value)) * 6 // 5} digits"
    return repr(value)
