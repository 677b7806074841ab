"""The files of a scene: which file a name means, and which files may be read. These are the library, by name, and files
inside the scene's own folder."""

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from scenes.kinds.sections import NAMED, SINGLE
from scenes.text.errors import Mark, Problems, did_you_mean, short
from scenes.text.reader import Map, read_file
from scenes.text.values import Refused

LIBRARY = Path(__file__).resolve().parent.parent / "library"
SUFFIXES = (".yaml", ".yml")
# figures inside figures, includes inside includes
DEEPEST = 8
# of one scene, each counted as often as it is used
MOST_FILES = 1000
# of a mesh or a clip
MOST_BYTES = 50_000_000


def library_names() -> list[str]:
    """Return the names of the scenes of the library."""
    return sorted(path.stem for path in LIBRARY.glob("*.yaml"))


def beside(path: Path) -> list[str]:
    """Return the names of files of the same kind in the same folder."""
    kinds = SUFFIXES if path.suffix in SUFFIXES else (path.suffix,)
    try:
        return list(islice((p.name for p in path.parent.iterdir() if p.suffix in kinds), 200))
    except OSError:
        return []


@dataclass
class Files:
    """The files of one scene. Each file is read once. Only files in the folder of the scene and in the library are
    read."""

    folder: Path
    trees: dict[Path, Any] = field(default_factory=dict)
    read: list[Path] = field(default_factory=list)  # in the order of reading; these are watched for changes
    used: int = 0
    bodies: int = 0

    def find(self, text: str, base: Path, problems: Problems, mark: Mark | None, library: bool) -> Path | None:
        """Return the file that `use` or `include` names, or report a problem and return None."""
        if library and Path(text).suffix not in SUFFIXES and "/" not in text and "\\" not in text:
            if text in library_names():
                return LIBRARY / f"{text}.yaml"
            problems.error(
                mark, f"no scene {short(text)} in the library{did_you_mean(text, library_names())}; files end in .yaml"
            )
            return None
        try:
            return self.locate(text, base)
        except Refused as error:
            problems.error(mark, str(error))
            return None

    def take(self, text: str, base: Path) -> str:
        """Return the path of a file that a value names (a mesh, a clip), and add it to the files that are watched for
        changes."""
        path = self.locate(text, base)
        if path.stat().st_size > MOST_BYTES:
            raise Refused(f"{text}: {path.stat().st_size / 1e6:.0f} MB, allowed: at most {MOST_BYTES / 1e6:.0f} MB")
        if path not in self.read:
            self.read.append(path)
        return str(path)

    def locate(self, text: str, base: Path) -> Path:
        """Return the path of a file in the scene's folder or the library, or refuse it."""
        try:
            path = (base / text).resolve()
            inside = any(path.is_relative_to(folder.resolve()) for folder in (self.folder, LIBRARY))
            exists = inside and path.is_file()
        except (OSError, ValueError, RuntimeError):
            raise Refused(f"{short(text)} is no name of a file") from None
        if not inside:
            raise Refused(f"{short(text)} is outside the scene's folder; files must be in it or below it")
        if not exists:
            raise Refused(f"no file {short(text)}{did_you_mean(Path(text).name, beside(path))}")
        return path

    def tree(self, path: Path, problems: Problems, asked_at: Mark | None) -> Map | None:
        """Return the tree of a file with its includes merged, or None after a problem."""
        self.used += 1
        if self.used > MOST_FILES:
            problems.error(asked_at, f"more than {MOST_FILES} figures and includes in one scene")
            problems.stop()
        if path not in self.trees:
            self.trees[path] = read_file(path, self.shown(path), problems, asked_at)
            self.read.append(path)
        tree = self.trees[path]
        if tree is not None and not isinstance(tree, Map):
            problems.error(
                getattr(tree, "mark", None) or asked_at,
                f"{self.shown(path)}: a scene is a mapping that begins with `marionette: 1`",
            )
            return None
        return tree

    def shown(self, path: Path) -> str:
        """Return a path as messages show it, as short as possible."""
        for folder in (Path.cwd(), self.folder):
            if path.is_relative_to(folder):
                return str(path.relative_to(folder))
        if path.is_relative_to(LIBRARY):
            return f"library/{path.name}"
        return str(path)

    def with_includes(self, tree: Map, path: Path, problems: Problems, chain: tuple[Path, ...]) -> Map:
        """Return the tree with the sections of the included files joined to its own."""
        asked = tree.get("include")
        if asked is None:
            return tree
        if isinstance(asked, str):
            items = [(asked, tree.value_mark("include"))]
        elif isinstance(asked, list) and all(isinstance(v, str) for v in asked):
            items = list(zip(asked, getattr(asked, "items_at", [tree.value_mark("include")] * len(asked)), strict=True))
        else:
            problems.error(tree.value_mark("include"), f"got {short(asked)}, allowed: a list of files", "include")
            return tree.without("include")
        out = tree.without("include")
        for text, mark in items:
            target = self.find(text, path.parent, problems, mark, library=False)
            if target is None:
                continue
            if target in chain or len(chain) > DEEPEST:
                problems.error(mark, circle(target, chain, "includes"), "include")
                continue
            below = self.tree(target, problems, mark)
            if below is not None:
                merge(out, self.with_includes(below, target, problems, (*chain, target)), problems)
        return out


def circle(target: Path, chain: tuple[Path, ...], what: str) -> str:
    """Return the message for files that include each other in a circle, or too deeply."""
    if target not in chain:
        return f"{what} deeper than {DEEPEST} levels"
    names = [p.name for p in (*chain[chain.index(target) :], target)]
    return f"{what} in a circle: {' -> '.join(names)}"


def merge(tree: Map, other: Map, problems: Problems) -> None:
    """Add the sections of an included file to `tree`, in place. For single values, those of the including file take
    precedence."""
    for key, value in other.items():
        if key in ("marionette", "name", "about"):
            continue
        if key not in tree:
            tree.put(key, value, other.key_mark(key), other.value_mark(key))
            continue
        mine = tree[key]
        if not isinstance(mine, Map) or not isinstance(value, Map) or key not in (*NAMED, *SINGLE, "overrides"):
            continue
        joined = mine.copy()
        for name, entry in value.items():
            if name not in joined:
                joined.put(name, entry, value.key_mark(name), value.value_mark(name))
            elif key in NAMED:
                problems.error(
                    value.key_mark(name),
                    f"{short(name)} stands in {key} twice, also at {mine.key_mark(name)}",
                    f"{key}.{name}",
                )
        tree.put(key, joined, tree.key_mark(key), tree.value_mark(key))
