"""What machine code is made from: the sources that a file reaches by its imports, as one hash."""

import hashlib
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


@cache
def source_stamp(path: Path) -> str:
    """Return a hash of a source file and of all files of the package that it reaches by imports. It is part of the key
    of what the file compiles."""
    return _hash(sorted(reached(path)))


@cache
def package_stamp() -> str:
    """Return one hash over all sources of the package."""
    return _hash(sorted(PACKAGE.rglob("*.py")))


def _hash(paths: list[Path]) -> str:
    """Return one hash over the names and texts of these files."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode())
        digest.update(_text(path).encode())
    return digest.hexdigest()


def reached(path: Path) -> set[Path]:
    """Return `path` and all files of the package that it imports, directly or through others."""
    found = {path}
    waiting = [path]
    while waiting:
        for source in imported(waiting.pop()) - found:
            found.add(source)
            waiting.append(source)
    return found


@cache
def _text(path: Path) -> str:
    """Return the text of a source file."""
    return path.read_text(encoding="utf-8")


# Found by pattern, as parsing a hundred sources takes most of a second of every start. A statement that only stands in
# a text counts too, which does no harm: the key then hangs on a file more.
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+(.*))", re.MULTILINE)
_COMMENT = re.compile(r"#.*")


@cache
def imported(path: Path) -> set[Path]:
    """Return the files of the package that the source file `path` imports anywhere in its text."""
    names: set[str] = set()
    for module, parts, modules in _IMPORT.findall(_text(path)):
        if module:
            names |= {module, *(f"{module}.{name}" for name in _names(parts))}
        else:
            names |= set(_names(modules))
    places = [PACKAGE.joinpath(*n.split(".")[1:]) for n in names if n.split(".")[0] == PACKAGE.name]
    return {f for place in places for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()}


def _names(parts: str) -> list[str]:
    """Return the names in a list of imports such as `a, b as c`."""
    return [words[0] for part in _COMMENT.sub("", parts).strip("() \t").split(",") if (words := part.split())]
