"""From a YAML file to a loaded scene: reads, checks everything, reports all problems at once.

Order: sections and version, parameters, values given by path, single sections, materials, bodies, copies, figures, then
joints (they need all bodies), groups, poses, start. A thing that is wrong is left out and the rest is still checked.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import numpy as np

from physics.definitions import WORLD, DefinitionError
from scenes import sense
from scenes.bodies import Body, Material, Part, make_part
from scenes.errors import Mark, Problems, SceneError, Source, did_you_mean, short
from scenes.expressions import CONSTANTS, FUNCTIONS
from scenes.figures import Transform, placed_edge, placed_part
from scenes.files import DEEPEST, LIBRARY, SUFFIXES, Files, circle, library_names
from scenes.joints import CONSTRAINTS, JOINTS, KINDS, Edge, Ends, Joint
from scenes.joints import NOT_YET as JOINTS_NOT_YET
from scenes.paths import Setting, normal, put, setting_from_text, settings_from
from scenes.reader import List, Map, mark_at, read_text
from scenes.scene import LoadedScene
from scenes.schema import checked, unknown_key
from scenes.sections import (
    FORMAT,
    GROUP,
    MOST_BODIES,
    NAMED,
    NOT_YET,
    SECTIONS,
    SINGLE,
    Checks,
    Defaults,
    Figure,
    Parameter,
    Repeat,
    Settings,
    Start,
    Velocity,
)  # fmt: skip
from scenes.values import NAME, REFERENCE, Name, Refused, Scope, Text

ENTRIES = ("bodies", "joints", "constraints")


def read_scene(
    name: str | Path, assignments: Sequence[str] = (), parameters: Mapping[str, Any] | None = None
) -> LoadedScene:
    """A scene of the library by name, or a file. `assignments` are texts such as "links=100"; `parameters` are values by
    path. Raises `SceneError` with every problem."""
    problems = Problems()
    settings = [s for text in assignments if (s := setting_from_text(text, problems)) is not None]
    settings += settings_from(parameters or {}, f"load({str(name)!r}, ...)")
    path = file_of(str(name), problems)
    if path is None:
        raise SceneError(problems.sorted())
    files = Files(LIBRARY if path.is_relative_to(LIBRARY) else path.parent)
    tree = files.tree(path, problems, None)
    if tree is None:
        raise SceneError(problems.sorted())
    return load_tree(tree, path, files, settings, problems)


def read_scene_text(text: str, name: str = "scene", folder: Path | None = None) -> LoadedScene:
    """A scene from a text."""
    problems = Problems()
    tree = read_text(Source(name, text), problems)
    if tree is not None and not isinstance(tree, Map):
        problems.error(getattr(tree, "mark", None), "a scene is a mapping that begins with `marionette: 1`")
        tree = None
    if tree is None:
        raise SceneError(problems.sorted())
    return load_tree(tree, (folder or Path.cwd()) / f"{name}.yaml", Files(folder or Path.cwd()), [], problems)


def load_tree(tree: Map, path: Path, files: Files, settings: list[Setting], problems: Problems) -> LoadedScene:
    scene = Loading(tree, path, files, settings, problems, (path,)).run()
    if not scene.parts and not problems.errors:
        problems.error(tree.mark, "a scene needs at least one body: under bodies, repeat or figures")
    if not problems.errors:
        sense.judge(scene, problems)
    problems.stop()
    scene.problems = problems.sorted()
    return scene


def file_of(name: str, problems: Problems) -> Path | None:
    """The file that a person means: a path, or a name of the library."""
    if Path(name).suffix not in SUFFIXES and name in library_names():
        return LIBRARY / f"{name}.yaml"
    try:
        path = Path(name)
        if path.is_file():
            return path.resolve()
        text = "is a folder, not a file" if path.is_dir() else None
    except (OSError, ValueError):
        text = None
    hint = did_you_mean(name, library_names())
    problems.error(
        None,
        f"{short(name)} {text}"
        if text
        else f"no scene {short(name)}{hint or '; `marionette list` names those of the library'}",
    )
    return None


class Template(dict[str, float]):
    """Names for the entries of a repeat: knows whether `index` was asked for."""

    index_used = False

    def __getitem__(self, key: str) -> float:
        if key == "index":
            self.index_used = True
        return super().__getitem__(key)


class Loading:
    """One file on its way to a LoadedScene."""

    def __init__(
        self, tree: Map, path: Path, files: Files, given: list[Setting], problems: Problems, chain: tuple[Path, ...]
    ):
        self.path = path
        self.files = files
        self.problems = problems
        self.chain = chain
        self.given = given
        self.tree = files.with_includes(tree, path, problems, chain)
        self.scope = Scope({})
        self.sets: dict[tuple[str, str], list[tuple[tuple[str, ...], Setting]]] = {}
        self.inside: dict[str, list[tuple[tuple[str, ...], Setting]]] = {}  # for figures, by their names
        self.group_sets: list[tuple[str, tuple[str, ...], Setting]] = []
        self.consumed: set[tuple[str, str]] = set()
        self.scene = LoadedScene(path.stem, path.stem, "", path, self.tree, given=given)
        self.parts = self.scene.parts
        self.edges = self.scene.edges
        self.broken: set[str] = set()  # names of bodies that exist, but could not be made
        self.broken_joints: set[str] = set()

    # ------------------------------------------------------------ the whole
    def run(self) -> LoadedScene:
        self.check_sections()
        self.take_settings()
        self.read_parameters()
        self.read_singles()
        self.read_materials()
        self.spread_group_sets()
        self.read_bodies()
        copies = self.read_repeats()
        figures = self.read_figures()
        self.read_joints()
        for copied in copies:
            copied()
        for name, inner in figures.items():
            self.take_figure_joints(name, inner)
        self.check_edges()
        self.read_groups()
        self.read_poses()
        self.read_start()
        self.check_sets()
        self.scene.files = list(self.files.read)
        return self.scene

    def section(self, name: str) -> Map:
        """A section as a mapping; an empty one where it is missing or wrong."""
        value = self.tree.get(name)
        if isinstance(value, Map):
            return value
        if value is not None:
            self.problems.error(self.tree.value_mark(name), f"got {short(value)}, allowed: a mapping of names", name)
            self.tree = self.tree.without(name)
        return Map(self.tree.mark)

    def check_sections(self) -> None:
        for key in self.tree:
            if key not in SECTIONS:
                self.problems.error(self.tree.key_mark(key), NOT_YET.get(key) or unknown_key(key, list(SECTIONS)), key)
        version = self.tree.get("marionette")
        mark = self.tree.value_mark("marionette")
        if "marionette" not in self.tree:
            self.problems.error(
                self.tree.mark, f"`marionette: {FORMAT}` is missing: the version of the format, in the first line"
            )
        elif type(version) is not int or version < 1:
            self.problems.error(
                mark, f"got {short(version)}, allowed: {FORMAT}, the version of the format", "marionette"
            )
        elif version > FORMAT:
            self.problems.error(
                mark, f"the file has format {version}, and this program reads formats up to {FORMAT}; a newer marionette is needed",
                "marionette",
            )  # fmt: skip

    # ------------------------------------------------------------ values by path
    def take_settings(self) -> None:
        overrides = self.section("overrides")
        all_given = [Setting(k, v, overrides.value_mark(k)) for k, v in overrides.items()] + list(self.given)
        parameters = self.section("parameters")
        for setting in all_given:
            parts = normal(setting, parameters, self.problems)
            if parts is not None:
                self.take_setting(parts, setting)

    def take_setting(self, parts: tuple[str, ...], setting: Setting) -> None:
        head = parts[0]
        if len(parts) > 1 and head in NAMED and "/" in parts[1]:
            figure, _, rest = parts[1].partition("/")
            if figure in self.section("figures"):
                self.inside.setdefault(figure, []).append(((head, rest, *parts[2:]), setting))
                return
        if head == "groups":
            self.group_sets.append((parts[1], parts[2:], setting))
        elif head in ENTRIES:
            self.sets.setdefault((head, parts[1]), []).append((parts[2:], setting))
        elif head == "parameters":
            self.set_parameter(parts, setting)
        else:
            if head in NAMED and parts[1] not in self.section(head):
                names = list(self.section(head))
                hint = did_you_mean(parts[1], names) or f"; known: {', '.join(names[:10]) or 'none'}"
                self.problems.error(setting.mark, f"no {short(parts[1])} in {head}{hint}", setting.path)
                return
            self.tree = put(self.tree, parts, setting, self.problems)

    def set_parameter(self, parts: tuple[str, ...], setting: Setting) -> None:
        known = self.section("parameters")
        if parts[1] not in known:
            hint = did_you_mean(parts[1], known) or f"; parameters: {', '.join(known) or 'none'}"
            self.problems.error(setting.mark, f"unknown parameter {short(parts[1])}{hint}", setting.path)
            return
        inner = (*parts, "value") if isinstance(known[parts[1]], Map) and len(parts) == 2 else parts
        self.tree = put(self.tree, inner, setting, self.problems)

    def with_sets(self, section: str, name: str, data: Map) -> Map:
        """The entry with the values that were given for it by path."""
        self.consumed.add((section, name))
        for rest, setting in self.sets.get((section, name), ()):
            data = put(data, rest, setting, self.problems)
        return data

    def check_sets(self) -> None:
        """A path that nothing answered to is an error."""
        for (section, name), settings in self.sets.items():
            if (section, name) in self.consumed:
                continue
            known = [n for s, n in self.consumed if s == section]
            hint = did_you_mean(name, known) or (f"; known: {', '.join(known[:10])}" if known else "")
            for _, setting in settings:
                self.problems.error(setting.mark, f"no {short(name)} in {section}{hint}", setting.path)

    # ------------------------------------------------------------ what is small
    def read_parameters(self) -> None:
        names: dict[str, float] = {}
        section = self.section("parameters")
        for name, data in section.items():
            path = f"parameters.{name}"
            if not self.good_name(name, section, path):
                continue
            if name in CONSTANTS or name in FUNCTIONS or name == "index":
                self.problems.error(
                    section.key_mark(name),
                    f"{name!r} has a meaning of its own in expressions; choose another name",
                    path,
                )
                continue
            entry = data
            if not isinstance(data, Map):
                entry = Map(section.value_mark(name))
                entry.put("value", data, section.key_mark(name), section.value_mark(name))
            made = checked(Parameter, entry, Scope(names), self.problems, path)
            if made is None:
                names[name] = 1.0  # so that what uses it is still checked
                continue
            if made.range is not None and not made.range[0] <= made.value <= made.range[1]:
                low, high = made.range
                self.problems.error(
                    entry.value_mark("value"), f"{name} is {made.value:.6g}, allowed: {low:.12g} to {high:.12g}", path
                )
            names[name] = made.value
            self.scene.parameters[name] = made
        self.scope = Scope(names)
        for key, attribute in (("name", "title"), ("about", "about")):
            if key in self.tree:
                try:
                    setattr(self.scene, attribute, Text().read(self.tree[key], self.scope))
                except Refused as error:
                    self.problems.error(self.tree.value_mark(key), str(error), key)

    def read_singles(self) -> None:
        made: dict[str, Any] = {}
        for key, model in SINGLE.items():
            if self.tree.get(key) is not None:
                made[key] = checked(model, self.tree[key], self.scope, self.problems, key) if self.is_map(key) else None
        self.scene.settings = made.get("settings") or Settings()
        self.scene.camera = made.get("camera")
        self.scene.checks = made.get("checks") or Checks()
        self.start: Start = made.get("start") or Start()
        defaults: Defaults = made.get("defaults") or Defaults()
        empty = Map(self.tree.mark)
        self.body_defaults = defaults.body if defaults.body is not None else empty
        self.joint_defaults = defaults.joint if defaults.joint is not None else empty
        known = {"body": Body.keys(), "joint": sorted({k for m in KINDS.values() for k in m.keys()} - set(KINDS))}
        for which, data in (("body", self.body_defaults), ("joint", self.joint_defaults)):
            for key in data:
                if key not in known[which]:
                    self.problems.error(data.key_mark(key), unknown_key(key, known[which]), f"defaults.{which}.{key}")

    def is_map(self, key: str) -> bool:
        if isinstance(self.tree[key], Map):
            return True
        self.problems.error(self.tree.value_mark(key), f"got {short(self.tree[key])}, allowed: a mapping", key)
        return False

    def good_name(self, name: str, section: Map, path: str, pattern: Any = NAME) -> bool:
        if pattern.match(name) and name != WORLD:
            return True
        reason = (
            f"{name!r} is not free: it means the world"
            if name == WORLD
            else (f"{short(name)} is no name; names have letters, digits, _ and -, and begin with a letter")
        )
        self.problems.error(section.key_mark(name), reason, path)
        return False

    def read_materials(self) -> None:
        section = self.section("materials")
        for name, data in section.items():
            if self.good_name(name, section, f"materials.{name}"):
                made = checked(Material, self.entry(section, name), self.scope, self.problems, f"materials.{name}")
                self.scene.materials[name] = made or Material()

    def entry(self, section: Map, name: str) -> Any:
        """An entry that must be a mapping: an empty one still has a mark for what is missing."""
        data = section[name]
        if data is None:
            return Map(section.value_mark(name))
        if not isinstance(data, Map):
            wrong = copy.copy(section.value_mark(name))
            return _Wrong(data, wrong)
        return data

    # ------------------------------------------------------------ bodies
    def read_bodies(self) -> None:
        section = self.section("bodies")
        for name in section:
            if self.good_name(name, section, f"bodies.{name}", REFERENCE):
                data = self.entry(section, name)
                part = self.make_body(name, data, self.scope, section.key_mark(name))
                if part is None:
                    self.broken.add(name)
                else:
                    self.add_part(part)

    def add_part(self, part: Part) -> None:
        self.files.bodies += 1
        if self.files.bodies > MOST_BODIES:
            self.problems.error(part.mark, f"more than {MOST_BODIES:,} bodies in one scene")
            self.problems.stop()
        if part.name in self.parts:
            self.problems.error(
                part.mark, f"body {part.name!r} exists already, at {self.parts[part.name].mark}", f"bodies.{part.name}"
            )
            return
        self.parts[part.name] = part

    def make_body(self, name: str, data: Any, scope: Scope, mark: Mark | None, path: str | None = None) -> Part | None:
        path = path or f"bodies.{name}"
        if isinstance(data, Map):
            data = merged(self.with_sets("bodies", name, data), self.body_defaults, Body.keys())
        spec = checked(Body, data, scope, self.problems, path)
        if spec is None:
            return None
        if spec.material is not None and spec.material not in self.scene.materials:
            known = self.scene.materials
            hint = did_you_mean(spec.material, known) or f"; known: {', '.join(known) or 'none'}"
            self.problems.error(
                data.value_mark("material"), f"unknown material {spec.material!r}{hint}", f"{path}.material"
            )
        self.check_mesh(spec, data, path)
        try:
            return make_part(name, spec, self.scene.materials, mark)
        except (Refused, DefinitionError) as error:
            self.refuse(error, data, path)
            return None

    def check_mesh(self, spec: Body, data: Map, path: str) -> None:
        if spec.look is not None and spec.look.mesh is not None:
            found = self.files.find(
                spec.look.mesh, self.path.parent, self.problems, mark_at(data, ("look", "mesh")), library=False
            )
            if found is not None:
                self.files.read.append(found)

    def refuse(self, error: Exception, data: Any, path: str) -> None:
        if isinstance(error, DefinitionError):
            self.problems.error(data.mark, str(error), path)
            return
        for inner, message in error.parts:  # type: ignore[attr-defined]
            self.problems.error(mark_at(data, inner), message, ".".join([path, *map(str, inner)]))

    # ------------------------------------------------------------ joints
    def read_joints(self) -> None:
        for section_name, kinds, others in (("joints", JOINTS, CONSTRAINTS), ("constraints", CONSTRAINTS, JOINTS)):
            section = self.section(section_name)
            for name in section:
                path = f"{section_name}.{name}"
                if not self.good_name(name, section, path, REFERENCE):
                    continue
                data = self.entry(section, name)
                edge = self.make_joint(section_name, name, data, self.scope, section.key_mark(name), kinds, others)
                if edge is None:
                    self.broken_joints.add(name)
                else:
                    self.add_edge(edge)

    def add_edge(self, edge: Edge) -> None:
        if edge.name in self.edges:
            other = self.edges[edge.name]
            self.problems.error(
                edge.mark,
                f"{edge.name!r} exists already among joints and constraints, at {other.mark}",
                f"{edge.section}.{edge.name}",
            )
            return
        self.edges[edge.name] = edge

    def kind_of(
        self, data: Any, kinds: Mapping[str, Any], others: Mapping[str, Any], section: str, path: str
    ) -> str | None:
        """The one key that says what it is."""
        if not isinstance(data, Map):
            self.problems.error(
                data.mark,
                f"got {short(data.value)}, allowed: a mapping such as {{{next(iter(kinds))}: [first, second], ...}}",
                path,
            )
            return None
        found = [k for k in data if k in KINDS or k in JOINTS_NOT_YET]
        if not found:
            for key in data:
                hint = did_you_mean(key, [*KINDS, *JOINTS_NOT_YET])
                if hint and key not in {k for m in KINDS.values() for k in m.keys()}:
                    self.problems.error(data.key_mark(key), f"unknown key {short(key)}{hint}", f"{path}.{key}")
                    return None
            what = "joint" if section == "joints" else "constraint"
            self.problems.error(
                data.mark, f"what kind of {what}? one of these keys is missing: {', '.join(kinds)}", path
            )
            return None
        if len(found) > 1:
            self.problems.error(data.key_mark(found[1]), f"{found[0]} and {found[1]}: an entry is one kind only", path)
            return None
        (kind,) = found
        if kind in JOINTS_NOT_YET:
            self.problems.error(data.key_mark(kind), JOINTS_NOT_YET[kind], f"{path}.{kind}")
            return None
        if kind in others and kind not in kinds:
            right = "constraints" if section == "joints" else "joints"
            self.problems.error(data.key_mark(kind), f"{kind} belongs under `{right}`", f"{path}.{kind}")
            return None
        return kind

    def make_joint(
        self, section: str, name: str, data: Any, scope: Scope, mark: Mark | None, kinds: Mapping[str, type[Joint]],
        others: Mapping[str, type[Joint]], path: str | None = None, here: Mapping[str, Part | None] | None = None,
    ) -> Edge | None:  # fmt: skip
        """`here` are the bodies that have other names in a repeat: this and previous."""
        path = path or f"{section}.{name}"
        if isinstance(data, Map):
            data = self.with_sets(section, name, data)
        kind = self.kind_of(data, kinds, others, section, path)
        if kind is None:
            return None
        model = KINDS[kind]
        data = merged(data, self.joint_defaults, model.keys())
        spec = checked(model, data, scope, self.problems, path)
        if spec is None:
            return None
        try:
            ends = self.ends(spec, data, kind, here or {})
            return Edge(name, spec.define(name, ends), spec, mark, *spec.bodies, section)
        except (Refused, DefinitionError) as error:
            self.refuse(error, data, path)
        except _Silent:
            pass
        return None

    def find(self, name: str, where: tuple[Any, ...], here: Mapping[str, Part | None]) -> tuple[str, Part | None]:
        """What the physics calls a body, and its part; a name that is not known is refused."""
        if name in here:
            part = here[name]
            return (WORLD if part is None or part.fixed else name), part
        if name == WORLD:
            return WORLD, None
        part = self.parts.get(name) or self.last_of(name)
        if part is not None:
            return (WORLD if part.fixed else part.name), part
        if name in self.broken:
            raise _Silent
        known = [*here, WORLD, *self.parts, *self.broken]
        if name in ("this", "previous"):
            raise Refused(f"{name!r} has a meaning only in the joint of a repeat", where)
        raise Refused(f"no body {name!r}{did_you_mean(name, known) or '; bodies: ' + ', '.join(known[:8])}", where)

    def last_of(self, name: str) -> Part | None:
        """`chain/last`"""
        stem, _, end = name.rpartition("/")
        return self.parts.get(self.lasts.get(stem, "")) if end == "last" else None

    lasts: dict[str, str]

    def ends(self, spec: Joint, data: Map, kind: str, here: Mapping[str, Part | None]) -> Ends:
        names = spec.bodies
        found, parts = [], []
        for k, name in enumerate(names):
            try:
                found.append(self.find(name, (kind, k), here))
            except Refused as error:
                parts += error.parts
        if parts:
            raise Refused(parts[0][1], parts=parts)
        (a, part_a), (b, part_b) = found
        if names[0] == names[1]:
            raise Refused(f"{names[0]!r} is tied to itself", (kind, 1))
        if a == b == WORLD:
            raise Refused("neither of the two can move: they are the world or fixed", (kind,))
        for k, part in enumerate((part_a, part_b)):
            if part is not None and part.is_particle and kind not in ("ball", "distance", "free"):
                raise Refused(f"{names[k]!r} is a particle: it takes ball, distance and free joints only", (kind, k))
        return Ends(a, b, self.points(spec, names, part_a, part_b), part_a, part_b)

    def points(self, spec: Joint, names: tuple[str, str], part_a: Part | None, part_b: Part | None) -> Any:
        """Where the joint is on each of the two bodies."""
        if isinstance(spec.at, dict):
            for key in spec.at:
                if key not in names:
                    raise Refused(
                        f"{key!r} is none of the two bodies{did_you_mean(key, names) or ': ' + ', '.join(names)}",
                        ("at", key),
                    )
            missing = [n for n in names if n not in spec.at]
            if missing:
                raise Refused(f"the point of {missing[0]!r} is missing", ("at",))
            return spec.at[names[0]], spec.at[names[1]]
        if spec.at is not None:
            return spec.at, spec.at
        particles = [p for p in (part_a, part_b) if p is not None and p.is_particle]
        if spec.kind == "free":
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if spec.kind == "distance" and part_a is not None and part_b is not None:
            return part_a.position, part_b.position
        if particles and spec.kind != "distance":
            return particles[0].position, particles[0].position
        raise Refused("'at' is missing: where is it?")

    def check_edges(self) -> None:
        """What can only be seen of all joints together: loops, doubles."""
        root: dict[str, str] = {}

        def find(x: str) -> str:
            while root.setdefault(x, x) != x:
                root[x] = root[root[x]]
                x = root[x]
            return x

        for edge in self.edges.values():
            path = f"{edge.section}.{edge.name}"
            if edge.spec.kind == "free":
                continue
            if edge.spec.auxiliary:
                self.problems.error(edge.mark, "auxiliary joints are not supported yet", f"{path}.auxiliary")
                continue
            a, b = find(str(edge.definition.a)), find(str(edge.definition.b))
            if a == b:
                self.problems.error(
                    edge.mark,
                    f"{edge.name!r} closes a loop: {edge.a} and {edge.b} are tied together already; loops are not supported yet",
                    path,
                )
            root[a] = b

    # ------------------------------------------------------------ copies
    def read_repeats(self) -> list[Callable[[], None]]:
        """The bodies; the joints are made when all bodies are known."""
        self.lasts = {}
        later = []
        section = self.section("repeat")
        for name in section:
            path = f"repeat.{name}"
            if not self.good_name(name, section, path):
                continue
            data = self.entry(section, name)
            spec: Repeat | None = checked(Repeat, data, self.scope, self.problems, path)
            if spec is None:
                continue
            if self.files.bodies + spec.count > MOST_BODIES:
                self.problems.error(
                    data.value_mark("count"),
                    f"{self.files.bodies + spec.count:,} bodies in one scene, allowed: {MOST_BODIES:,}",
                    f"{path}.count",
                )
                continue
            self.lasts[name] = f"{name}/{spec.count - 1}"
            if not self.copy_bodies(name, spec, section.key_mark(name), path):
                self.broken |= {f"{name}/{k}" for k in range(spec.count)} | {f"{name}/last"}
                continue
            if spec.joint is not None:
                later.append(
                    lambda name=name, spec=spec, mark=section.key_mark(name), path=path: self.copy_joints(
                        name, spec, mark, path
                    )
                )
        return later

    def own_copies(self, section: str, name: str) -> bool:
        """Whether single copies were given values of their own by path."""
        return any(s == section and n.startswith(f"{name}/") for s, n in self.sets)

    def template(self, index: int) -> tuple[Scope, Template]:
        names = Template(self.scope.names)
        names.update({"index": float(index)})
        return Scope(names), names

    def copy_bodies(self, name: str, spec: Repeat, mark: Mark, path: str) -> bool:
        scope, names = self.template(0)
        first = self.make_body(f"{name}/0", spec.body, scope, mark, f"{path}.body")
        if first is None:
            return False
        step = np.array(spec.step)
        each = names.index_used or self.own_copies("bodies", name)
        self.add_part(first)
        for k in range(1, spec.count):
            one = f"{name}/{k}"
            made = self.make_body(one, spec.body, self.template(k)[0], mark, f"{path}.body") if each else first
            if made is None:
                return False
            self.consumed.add(("bodies", one))
            self.add_part(made.moved(one, k * step))
        return True

    def copy_joints(self, name: str, spec: Repeat, mark: Mark, path: str) -> None:
        """In the joint `this` is the copy and `previous` the one before; all are made from the first one's place."""
        origin = self.parts.get(f"{name}/0")
        if origin is None:
            return
        first_part, first_name = None, WORLD
        if spec.first is not None:
            try:
                first_name, first_part = self.find(spec.first, ("first",), {})
            except Refused as error:
                self.refuse(error, self.section("repeat")[name], path)
                return
            except _Silent:
                return
        step = np.array(spec.step)
        kept: Edge | None = None
        for k in range(0 if spec.first is not None else 1, spec.count):
            one, this = f"{name}/{k}", self.parts[f"{name}/{k}"]
            before = f"{name}/{k - 1}" if k else str(spec.first)
            part_before = self.parts[before] if k else first_part
            if kept is None or k == 1:
                kept, each = self.joint_template(one, spec, mark, path, k, this, part_before)
            elif each:
                kept, _ = self.joint_template(one, spec, mark, path, k, this, part_before)
            if kept is None:
                return
            self.consumed.add((kept.section, one))
            names = {"this": one, "previous": before}
            physical = {"this": WORLD if this.fixed else one, "previous": before if k else first_name, WORLD: WORLD}
            if k and part_before is not None and part_before.fixed:
                physical["previous"] = WORLD
            a, b = (names.get(n, n) for n in (kept.a, kept.b))
            pa, pb = (physical.get(n) or self.find(n, (), {})[0] for n in (kept.a, kept.b))
            self.add_edge(kept.moved(one, a, b, (pa, pb), k * step))

    def joint_template(
        self, one: str, spec: Repeat, mark: Mark, path: str, k: int, this: Part, before: Part | None
    ) -> tuple[Edge | None, bool]:
        """The joint of a copy, at the place of the first one; and whether each copy needs its own."""
        scope, names = self.template(k)
        section = "constraints" if any(key in CONSTRAINTS for key in spec.joint) else "joints"
        back = -k * np.array(spec.step)
        here = {
            "this": this.moved("this", back),
            "previous": None if before is None else before.moved("previous", back),
        }
        edge = self.make_joint(section, one, spec.joint, scope, mark, KINDS, KINDS, f"{path}.joint", here)
        return edge, names.index_used or self.own_copies(section, one.rpartition("/")[0])

    # ------------------------------------------------------------ figures
    def read_figures(self) -> dict[str, tuple["Loading", Transform]]:
        out = {}
        section = self.section("figures")
        for name in section:
            path = f"figures.{name}"
            if not self.good_name(name, section, path):
                continue
            data = self.entry(section, name)
            spec: Figure | None = checked(Figure, data, self.scope, self.problems, path)
            if spec is not None:
                inner = self.load_figure(name, spec, data, path)
                if inner is not None:
                    out[name] = inner
        return out

    def load_figure(self, name: str, spec: Figure, data: Map, path: str) -> "tuple[Loading, Transform] | None":
        mark = data.value_mark("use")
        target = self.files.find(spec.use, self.path.parent, self.problems, mark, library=True)
        if target is None:
            return None
        if target in self.chain or len(self.chain) > DEEPEST:
            self.problems.error(mark, circle(target, self.chain, "figures"), f"{path}.use")
            return None
        tree = self.files.tree(target, self.problems, mark)
        if tree is None:
            return None
        settings = [Setting(".".join(rest), s.value, s.mark) for rest, s in self.inside.get(name, ())]
        if spec.set is not None:
            own = [Setting(k, self.value_for(v), spec.set.value_mark(k)) for k, v in spec.set.items()]
            settings = own + settings
        inner = Loading(tree, target, self.files, settings, self.problems, (*self.chain, target))
        inner.run()
        transform = Transform(np.array(spec.at), tuple(spec.rotate), spec.mirror)
        for part in inner.parts.values():
            self.parts[f"{name}/{part.name}"] = placed_part(part, transform, name)
        self.broken |= {f"{name}/{b}" for b in inner.broken}
        for stem, last in inner.lasts.items():
            self.lasts[f"{name}/{stem}"] = f"{name}/{last}"
        return inner, transform

    def value_for(self, value: Any) -> Any:
        """A parameter of this scene, handed to a figure by its name: the figure does not know it."""
        return self.scope.names[value] if isinstance(value, str) and value in self.scope.names else value

    def take_figure_joints(self, name: str, figure: "tuple[Loading, Transform]") -> None:
        inner, t = figure
        for edge in inner.edges.values():
            self.add_edge(placed_edge(edge, t, name))
        self.broken_joints |= {f"{name}/{j}" for j in inner.broken_joints}
        for group, members in inner.scene.groups.items():
            self.scene.groups[f"{name}/{group}"] = tuple(f"{name}/{m}" for m in members)
        for pose, values in inner.scene.poses.items():
            turned = {f"{name}/{j}": t.axis(v) if inner.edges[j].spec.kind == "ball" else v for j, v in values.items()}
            self.scene.poses[f"{name}/{pose}"] = turned

    # ------------------------------------------------------------ groups, poses, start
    def members_of(self, group: str, names: Sequence[str], joints: Sequence[str]) -> list[tuple[int, str]]:
        """(which entry, name) of everything that a group's names and patterns stand for."""
        entries = self.section("groups").get(group)
        out: list[tuple[int, str]] = []
        if isinstance(entries, List):
            for k, entry in enumerate(entries):
                if not isinstance(entry, str):
                    continue
                if "*" in entry:
                    found = [n for n in joints if fnmatchcase(n, entry)] or [n for n in names if fnmatchcase(n, entry)]
                else:
                    found = [entry] if entry in joints or entry in names else []
                out += [(k, n) for n in found]
        return out

    def spread_group_sets(self) -> None:
        """`groups.fingers.stiffness`: for every joint of the group whose kind has the field."""
        section = self.section("groups")
        own: dict[str, tuple[str, Map]] = {}
        for which in ("joints", "constraints"):
            for name, data in self.section(which).items():
                if isinstance(data, Map):
                    own[name] = (which, data)
        bodies = [n for n, d in self.section("bodies").items() if isinstance(d, Map)]
        for group, rest, setting in self.group_sets:
            if group not in section:
                hint = did_you_mean(group, section) or f"; known: {', '.join(section) or 'none'}"
                self.problems.error(setting.mark, f"no group {short(group)}{hint}", setting.path)
                continue
            took = False
            members = dict.fromkeys(n for _, n in self.members_of(group, bodies, [*own, *self.copy_names()]))
            for name in members:
                which, model = self.model_of(name, own)
                if model is None or rest[0] in model.keys():
                    self.sets.setdefault((which, name), []).append((rest, setting))
                    took = True
            for figure in self.section("figures"):
                inner = (
                    [n for n in section[group] if isinstance(n, str) and n.startswith(f"{figure}/")]
                    if isinstance(section[group], List)
                    else []
                )
                for name in inner:
                    self.inside.setdefault(figure, []).append((("joints", name.partition("/")[2], *rest), setting))
                    took = True
            if not took:
                self.problems.error(setting.mark, f"nothing in group {group!r} has {short(rest[0])}", setting.path)

    def copy_names(self) -> list[str]:
        """Names that the joints of repeats will have, as far as their counts are plain to see."""
        out = []
        for name, data in self.section("repeat").items():
            try:
                count = Repeat.value_of("count").read(data["count"], self.scope)  # type: ignore[union-attr]
            except (Refused, KeyError, TypeError):
                continue
            if count <= MOST_BODIES and isinstance(data.get("joint"), Map):
                out += [f"{name}/{k}" for k in range(count)]
        return out

    def model_of(self, name: str, own: Mapping[str, tuple[str, Map]]) -> tuple[str, Any]:
        if name in own:
            which, data = own[name]
            return which, next((KINDS[k] for k in data if k in KINDS), None)
        if "/" in name:
            data = self.section("repeat").get(name.rpartition("/")[0])
            kind = next((k for k in data["joint"] if k in KINDS), None) if isinstance(data, Map) else None
            return ("constraints" if kind in CONSTRAINTS else "joints"), KINDS.get(kind or "")
        return "bodies", Body

    def read_groups(self) -> None:
        section = self.section("groups")
        for group in section:
            path = f"groups.{group}"
            if not self.good_name(group, section, path):
                continue
            try:
                names = GROUP.read(section[group], self.scope)
            except Refused as error:
                for inner, message in error.parts:
                    self.problems.error(mark_at(section, (group, *inner)), message, path)
                continue
            members = self.members_of(group, list(self.parts), list(self.edges))
            found = {k for k, _ in members}
            for k, entry in enumerate(names):
                if k not in found and entry not in self.broken and entry not in self.broken_joints:
                    known = [*self.edges, *self.parts]
                    hint = did_you_mean(entry, known)
                    what = "matches nothing" if "*" in entry else "is no joint and no body"
                    self.problems.error(mark_at(section, (group, k)), f"{short(entry)} {what}{hint}", path)
            self.scene.groups[group] = tuple(dict.fromkeys(n for _, n in members))

    def read_poses(self) -> None:
        section = self.section("poses")
        for pose in section:
            if not self.good_name(pose, section, f"poses.{pose}", REFERENCE):
                continue
            data = self.entry(section, pose)
            if not isinstance(data, Map):
                self.problems.error(
                    data.mark, f"got {short(data.value)}, allowed: joints and their values", f"poses.{pose}"
                )
                continue
            values: dict[str, Any] = {}
            for key, value in data.items():
                for joint in self.scene.groups.get(key, (key,)):
                    read = self.pose_value(joint, value, data, key, f"poses.{pose}.{key}")
                    if read is not None:
                        values[joint] = read
            self.scene.poses[pose] = values

    def pose_value(self, joint: str, value: Any, data: Map, key: str, path: str) -> Any:
        edge = self.edges.get(joint)
        if edge is None:
            if joint not in self.broken_joints:
                hint = did_you_mean(joint, [*self.edges, *self.scene.groups])
                self.problems.error(data.key_mark(key), f"no joint {joint!r}{hint}", path)
            return None
        coordinate = edge.spec.coordinate
        if coordinate is None:
            self.problems.error(data.key_mark(key), f"a {edge.spec.kind} has no coordinate that a pose could set", path)
            return None
        try:
            read = coordinate.read(value, self.scope)
        except Refused as error:
            for inner, message in error.parts:
                self.problems.error(mark_at(data, (key, *inner)), message, path)
            return None
        if not edge.spec.within(edge.definition, read):
            self.problems.warn(data.value_mark(key), f"outside the limits of {joint!r}", path)
        return read

    def read_start(self) -> None:
        data = self.tree.get("start")
        if self.start.pose is not None:
            if self.start.pose in self.scene.poses:
                self.scene.start_pose = self.start.pose
            elif self.start.pose not in self.section("poses"):
                hint = (
                    did_you_mean(self.start.pose, self.scene.poses)
                    or f"; known: {', '.join(self.scene.poses) or 'none'}"
                )
                self.problems.error(data.value_mark("pose"), f"no pose {self.start.pose!r}{hint}", "start.pose")  # type: ignore[union-attr]
        for name, value in (self.start.velocities or {}).items():
            path = f"start.velocities.{name}"
            where = self.start.velocities
            try:
                _, part = self.find(Name("body").read(name, self.scope), (), {})
            except Refused as error:
                self.problems.error(where.key_mark(name), str(error), path)
                continue
            except _Silent:
                continue
            entry = self.entry(where, name)
            made = checked(Velocity, entry, self.scope, self.problems, path)
            if part is None or part.fixed:
                self.problems.error(where.key_mark(name), f"{name!r} never moves", path)
            elif made is not None:
                if part.is_particle and any(made.angular):
                    self.problems.error(
                        mark_at(entry, ("angular",)), f"{name!r} is a particle: it has no orientation", path
                    )
                self.scene.velocities[part.name] = (tuple(made.linear), tuple(made.angular))


class _Silent(Exception):
    """Something could not be made because of what was reported already."""


class _Wrong:
    """What stands where a mapping is expected."""

    def __init__(self, value: Any, mark: Mark):
        self.value = value
        self.mark = mark


def merged(data: Map, defaults: Map, keys: Sequence[str]) -> Map:
    """The entry with the defaults that its kind knows."""
    if not defaults:
        return data
    out = None
    limited = any(k in data for k in ("limits", "swing", "twist"))
    for key, value in defaults.items():
        if key in data or key not in keys or (key == "soft" and not limited):
            continue
        if out is None:
            out = data.copy()
        out.put(key, value, defaults.key_mark(key), defaults.value_mark(key))
    return out or data
