"""A scene while it is being loaded: its tree, its parts and joints so far, and the data that all steps of loading need.
An entry with an error is reported and left out, and all other entries are still checked. The name of the entry is kept,
so that references to it are not reported as well."""

from collections.abc import Iterator
from pathlib import Path
from re import Pattern
from typing import Any

from physics.definitions.checks import WORLD, DefinitionError
from scenes.kinds.bodies import Part
from scenes.kinds.constraints import Coupled
from scenes.kinds.sections import MOST_BODIES, SINGLE
from scenes.kinds.ties import Edge
from scenes.loading.files import Files
from scenes.loading.paths import Setting, put
from scenes.loading.scene import LoadedScene
from scenes.text.errors import Mark, Problems, did_you_mean, short
from scenes.text.reader import Map, mark_at
from scenes.text.values import Refused, Scope
from scenes.text.words import NAME


class Silent(Exception):
    """The signal that something cannot be made because of an error that has already been reported."""


class Wrong:
    """A value of the wrong type where a mapping is needed."""

    def __init__(self, value: Any, mark: Mark):
        """Store the value and its mark."""
        self.value = value
        self.mark = mark

    def __repr__(self) -> str:
        """Return the value as messages show it."""
        return short(self.value)


class Draft:
    """A scene file while it becomes a LoadedScene."""

    def __init__(
        self, tree: Map, path: Path, files: Files, given: list[Setting], problems: Problems, chain: tuple[Path, ...]
    ):
        """Begin with no bodies and joints. Includes are read, and values given by path are sorted."""
        self.path = path
        self.files = files
        self.problems = problems
        self.chain = chain  # the files that use each other, down to this one
        self.given = given
        self.tree = files.with_includes(tree, path, problems, chain)
        self.scope = self.scope_of({})
        self.scene = LoadedScene(path.stem, path.stem, "", path, self.tree, given=given)
        self.parts = self.scene.parts
        self.edges = self.scene.edges
        self.couplings = self.scene.couplings
        self.drives = self.scene.drives
        self.body_defaults = Map(self.tree.mark)
        self.joint_defaults = Map(self.tree.mark)
        # values given by path: for entries, for figures by their names, for groups
        self.sets: dict[tuple[str, str], list[tuple[tuple[str, ...], Setting]]] = {}
        self.inside: dict[str, list[tuple[tuple[str, ...], Setting]]] = {}
        self.group_sets: list[tuple[str, tuple[str, ...], Setting]] = []
        self.consumed: set[tuple[str, str]] = set()  # entries that could take a value
        self.broken: set[str] = set()  # names of bodies that are written, but could not be made
        self.broken_joints: set[str] = set()
        self.broken_rows: set[str] = set()  # names of repeats that could not be made
        self.lasts: dict[str, str] = {}  # of each repeat, its last copy

    def scope_of(self, names: dict[str, float]) -> Scope:
        """Return the scope of expressions with these names, and with the files of this file's folder."""
        return Scope(names, lambda text: self.files.take(text, self.path.parent))

    # ------------------------------------------------------------ the tree
    def section(self, name: str) -> Map:
        """Return a section as a mapping, which is empty if the section is missing or wrong."""
        value = self.tree.get(name)
        if isinstance(value, Map):
            return value
        if value is not None:
            keys = f"with {', '.join(SINGLE[name].key_names())}" if name in SINGLE else "of names"
            hint = {True: f"; write `{name}: {{}}`", False: "; leave it out"}[value] if isinstance(value, bool) else ""
            self.error(self.tree.value_mark(name), f"got {short(value)}, allowed: a mapping {keys}{hint}", name)
            self.tree = self.tree.without(name)
        return Map(self.tree.mark)

    def entry(self, section: Map, name: str) -> Any:
        """Return an entry that must be a mapping. An empty entry becomes a mapping with a mark, at which missing fields
        are reported."""
        data = section[name]
        if data is None:
            return Map(section.value_mark(name))
        return data if isinstance(data, Map) else Wrong(data, section.value_mark(name))

    def good_name(self, name: str, section: Map, path: str, pattern: Pattern[str] = NAME) -> bool:
        """Return whether a name is allowed; report it if it is not."""
        if name == WORLD:
            self.error(section.key_mark(name), f"{name!r} is not free: it means the world", path)
        elif not pattern.match(name):
            self.error(
                section.key_mark(name),
                f"{short(name)} is no name; names have letters, digits, _ and -, and begin with a letter",
                path,
            )
        return name != WORLD and bool(pattern.match(name))

    def named_entries(self, section_name: str, pattern: Pattern[str] = NAME) -> Iterator[tuple[str, str, Mark, Any]]:
        """Yield the entries of a section whose names are allowed, each as name, path of the entry, mark of the name,
        entry. Report the other names."""
        section = self.section(section_name)
        for name in section:
            path = f"{section_name}.{name}"
            if self.good_name(name, section, path, pattern):
                yield name, path, section.key_mark(name), self.entry(section, name)

    def with_sets(self, section: str, name: str, data: Map) -> Map:
        """Return the entry with the values that were given to it by path."""
        self.consumed.add((section, name))
        for rest, setting in self.sets.get((section, name), ()):
            data = put(data, rest, setting, self.problems)
        return data

    # ------------------------------------------------------------ what is wrong
    def error(self, mark: Mark | None, message: str, path: str = "") -> None:
        """Report an error at a place of the file."""
        self.problems.error(mark, message, path)

    def refuse(self, error: Refused | DefinitionError, data: Map, path: str) -> None:
        """Report each fault of a refusal at its place in the data of an entry."""
        if isinstance(error, DefinitionError):
            self.error(data.mark, str(error), path)
            return
        for inner, message in error.parts:
            self.error(mark_at(data, inner), message, ".".join([path, *map(str, inner)]))

    # ------------------------------------------------------------ bodies and joints
    def add_part(self, part: Part) -> None:
        """Add a body, or report that its name is taken."""
        self.files.bodies += 1
        if self.files.bodies > MOST_BODIES:
            self.error(part.mark, f"more than {MOST_BODIES:,} bodies in one scene")
            self.problems.stop()
        if part.name in self.parts:
            first = self.parts[part.name].mark
            self.error(part.mark, f"body {part.name!r} exists already, at {first}", f"bodies.{part.name}")
            return
        self.parts[part.name] = part

    def add_edge(self, edge: Edge) -> None:
        """Add a joint, constraint or spring, or report that its name is taken."""
        if self.name_is_free(edge, edge.section):
            self.edges[edge.name] = edge

    def add_coupling(self, coupling: Coupled) -> None:
        """Add a coupling or condition, or report that its name is taken."""
        if self.name_is_free(coupling, "constraints"):
            self.couplings[coupling.name] = coupling

    def name_is_free(self, new: Edge | Coupled, section: str) -> bool:
        """Return whether no joint, constraint or spring has this name yet. Otherwise report that the name is taken."""
        old = self.edges.get(new.name) or self.couplings.get(new.name)
        if old is not None:
            message = f"{new.name!r} exists already among joints, constraints and springs, at {old.mark}"
            self.error(new.mark, message, f"{section}.{new.name}")
        return old is None

    def find(self, name: str, where: tuple[Any, ...], here: dict[str, Part | None]) -> tuple[str, Part | None]:
        """Return the name of a body in the physics, and its part. `here` has names with a special meaning: this,
        previous. Refuse an unknown name."""
        if name == WORLD:
            return WORLD, None
        if name in here:
            part = here[name]
            return (WORLD if part is None else name), part
        part = self.parts.get(name) or self.last_of(name)
        if part is not None:
            return part.name, part
        stem, _, number = name.rpartition("/")
        if name in self.broken or stem in self.broken_rows:
            raise Silent
        if stem in self.lasts and number.isdigit():
            last = self.lasts[stem].rpartition("/")[2]
            raise Refused(f"no body {name!r}; the copies of {stem!r} are numbered from 0 to {last}", where)
        if name in ("this", "previous"):
            raise Refused(f"{name!r} has a meaning only in the joint of a repeat", where)
        known = [*here, WORLD, *self.parts, *self.broken]
        if name.lower() in ("ground", "earth", "fixed", "base", "wall", "static", "null", "inertial"):
            raise Refused(f"no body {name!r}; did you mean 'world'?", where)
        raise Refused(f"no body {name!r}{did_you_mean(name, known) or '; bodies: ' + ', '.join(known[:8])}", where)

    def last_of(self, name: str) -> Part | None:
        """Return the last copy of a repeat for a name such as `chain/last`, or None."""
        stem, _, end = name.rpartition("/")
        return self.parts.get(self.lasts.get(stem, "")) if end == "last" else None
