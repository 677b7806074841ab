"""From a YAML file to a loaded scene. The loader reads and checks everything, and reports all problems at once.

It reads in this order: sections and version, values given by path, parameters, single sections, materials, bodies,
copies, figures, then joints (which need all bodies), groups, contacts, poses, start.
"""

import gc
import re
from collections.abc import Mapping, Sequence
from contextlib import ContextDecorator
from pathlib import Path
from typing import Any

import numpy as np

from physics.definitions.checks import DefinitionError
from physics.definitions.folding import fold
from physics.world.world import FREE_CORRECTION
from scenes.kinds.bodies import Body, Material
from scenes.kinds.drives import placed_drive
from scenes.kinds.sections import (
    ANY_UNIT,
    FORMAT,
    SECTIONS,
    SINGLE,
    Checks,
    Defaults,
    Figure,
    Parameter,
    Settings,
    Start,
)  # fmt: skip
from scenes.kinds.table import KINDS
from scenes.loading import sense
from scenes.loading.copies import read_repeats
from scenes.loading.draft import Draft
from scenes.loading.figures import Transform, placed_coupling, placed_edge, placed_part, placed_value
from scenes.loading.files import DEEPEST, LIBRARY, SUFFIXES, Files, circle, library_names
from scenes.loading.given import check_settings, spread_group_settings, take_settings
from scenes.loading.making import JOINT_KEYS, check_edges, read_bodies, read_couplings, read_drives, read_joints
from scenes.loading.naming import read_contacts, read_groups, read_loads, read_pins, read_poses, read_start
from scenes.loading.paths import Setting, setting_from_text, settings_from
from scenes.loading.scene import LoadedScene
from scenes.text.errors import Problems, SceneError, Source, did_you_mean, short
from scenes.text.expressions import CONSTANTS, FUNCTIONS, ExpressionError, Names, evaluate
from scenes.text.reader import List, Map, mark_at, read_text
from scenes.text.schema import checked
from scenes.text.synonyms import unknown_key
from scenes.text.units import factor_to
from scenes.text.values import Refused, Scope, unit_of
from scenes.text.words import Text

BEGINNING = f"a scene is a mapping that begins with `marionette: {FORMAT}`"
DEFAULT_KEYS = {"body": Body.key_names(), "joint": sorted(JOINT_KEYS - set(KINDS))}


# ---------------------------------------------------------------- entries
class Uninterrupted(ContextDecorator):
    """A decorator and context that switches the garbage collector off while loading. The collector would scan the marks
    of a large file again and again without a result, which takes two fifths of the time."""

    def __enter__(self) -> None:
        """Switch the garbage collector off."""
        self.collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *trouble: object) -> None:
        """Switch the garbage collector on again, if it was on."""
        if self.collecting:
            gc.enable()

    def _recreate_cm(self) -> "Uninterrupted":
        """Return a new context for each call of a decorated function."""
        return Uninterrupted()


@Uninterrupted()
def read_scene(
    name: str | Path, assignments: Sequence[str] = (), parameters: Mapping[str, Any] | None = None
) -> LoadedScene:
    """Return a scene of the library by name, or of a file. `assignments` are texts such as "links=100", and
    `parameters` are values by path. A scene with errors raises a `SceneError` with every problem."""
    problems = Problems()
    settings = [s for text in assignments if (s := setting_from_text(text, problems)) is not None]
    settings += settings_from(parameters or {}, f"load({str(name)!r}, ...)")
    path = file_of(str(name), problems)
    problems.stop()
    assert path is not None
    files = Files(LIBRARY if path.is_relative_to(LIBRARY) else path.parent)
    tree = files.tree(path, problems, None)
    problems.stop()
    assert tree is not None
    return load_tree(tree, path, files, settings, problems)


@Uninterrupted()
def read_scene_text(
    text: str, name: str = "scene", folder: Path | None = None, parameters: Mapping[str, Any] | None = None
) -> LoadedScene:
    """Return a scene from a text. Files that the text names are sought in `folder`. `parameters` are values by path."""
    problems = Problems()
    settings = settings_from(parameters or {}, "load_text(...)")
    folder = folder or Path.cwd()
    tree = read_text(Source(name, text), problems)
    if not isinstance(tree, Map):
        if not problems.errors:
            problems.error(getattr(tree, "mark", None), BEGINNING)
        raise SceneError(problems.sorted())
    return load_tree(tree, folder / f"{Path(name).stem}.yaml", Files(folder), settings, problems)


def load_tree(tree: Map, path: Path, files: Files, settings: list[Setting], problems: Problems) -> LoadedScene:
    """Return the scene of a tree after all steps of loading, or raise a SceneError with all problems."""
    scene = Loading(tree, path, files, settings, problems, (path,)).run()
    if not scene.parts and not problems.errors:
        problems.error(tree.mark, "a scene needs at least one body: under bodies, repeat or figures")
    elif not problems.errors and all(part.held or part.is_massless for part in scene.parts.values()):
        problems.error(
            tree.mark, "nothing in this scene can be moved: all bodies are fixed, or have prescribed motions"
        )
    if not problems.errors:
        try:
            fold(scene.definitions)  # what can only be seen of everything together
        except DefinitionError as error:
            problems.found.append(scene.refusal(error))
    if not problems.errors:
        sense.judge(scene, problems)
    problems.stop()
    scene.problems = problems.sorted()
    return scene


def file_of(name: str, problems: Problems) -> Path | None:
    """Return the file that a user means, by a path or a name of the library. Report a problem and return None if there
    is none."""
    if "\n" in name or re.match(r"\s*marionette\s*:", name):
        got = f"{short(name.strip().splitlines()[0])} is the text of a scene; allowed: the path of its file, or a name"
        problems.error(None, f"{got} of the library (from Python a text is loaded by scenes.load_text)")
        return None
    if Path(name).suffix not in SUFFIXES and name in library_names():
        return LIBRARY / f"{name}.yaml"
    folder = False
    try:
        path = Path(name)
        if path.exists() and not path.is_dir():
            return path.resolve()
        folder = path.is_dir()
    except (OSError, ValueError):
        pass
    hint = did_you_mean(name, library_names()) or "; `marionette list` names those of the library"
    problems.error(None, f"{short(name)} is a folder, not a file" if folder else f"no scene {short(name)}{hint}")
    return None


# ---------------------------------------------------------------- one file
class Loading(Draft):
    """The steps of loading one file. Each figure in it is loaded by another `Loading`."""

    def run(self) -> LoadedScene:
        """Take all steps of loading, and return the loaded scene."""
        self.check_sections()
        take_settings(self)
        self.read_parameters()
        single = self.read_singles()
        self.read_materials()
        spread_group_settings(self)
        read_bodies(self)
        copied_joints = read_repeats(self)
        figures = self.read_figures()
        read_joints(self)
        for make in copied_joints:
            make()
        for name, (inner, transform) in figures.items():
            self.take_joints(name, inner, transform)
        read_couplings(self)
        read_drives(self)
        if len(self.chain) == 1:
            check_edges(self)
        read_groups(self)
        read_contacts(self, single.get("ground"), single.get("contacts"))
        read_poses(self)
        read_pins(self)
        read_loads(self)
        read_start(self, single.get("start") or Start())
        check_settings(self)
        self.scene.files = list(dict.fromkeys(self.files.read))
        return self.scene

    def check_sections(self) -> None:
        """Report unknown sections and a missing or wrong version."""
        tree = self.tree
        for key in tree:
            if key not in SECTIONS:
                self.error(tree.key_mark(key), unknown_key(key, list(SECTIONS)), key)
        version, mark = tree.get("marionette"), tree.value_mark("marionette")
        if "marionette" not in tree:
            self.error(tree.mark, f"`marionette: {FORMAT}` is missing: the version of the format, in the first line")
        elif type(version) is not int or version < 1:
            self.error(mark, f"got {short(version)}, allowed: {FORMAT}, the version of the format", "marionette")
        elif version > FORMAT:
            self.error(
                mark, f"the file has format {version}, and this program reads formats up to {FORMAT}; a newer "
                "marionette is needed", "marionette",
            )  # fmt: skip

    def read_parameters(self) -> None:
        """Read the parameters, title and description. Each parameter may use the parameters above it."""
        names = Names()
        section = self.section("parameters")
        names.later = later = {name: section.key_mark(name).line + 1 for name in section}
        for name in section:
            path = f"parameters.{name}"
            if not self.good_name(name, section, path):
                continue
            if name in CONSTANTS or name in FUNCTIONS or name == "index":
                self.error(section.key_mark(name), f"{name!r} has a meaning of its own in expressions", path)
                continue
            later.pop(name, None)
            # entries that use a wrong parameter are still checked
            names[name] = self.read_parameter(name, section, Scope(names), path)
        names.later = {}
        self.scope = self.scope_of(names)
        for key, attribute in (("name", "title"), ("about", "about")):
            if key in self.tree:
                try:
                    setattr(self.scene, attribute, Text().read(self.tree[key], self.scope))
                except Refused as error:
                    self.error(self.tree.value_mark(key), str(error), key)

    def read_parameter(self, name: str, section: Map, scope: Scope, path: str) -> float:
        """Return the value of a parameter; 1 after a problem."""
        entry = section[name]
        if not isinstance(entry, Map):
            entry = Map(section.value_mark(name))
            entry.put("value", section[name], section.key_mark(name), section.value_mark(name))
        made: Parameter | None = checked(Parameter, entry, scope, self.problems, path)
        if made is None:
            return 1.0
        low, high = made.range or (made.value, made.value)
        if not low <= made.value <= high:
            mark = entry.value_mark("value")
            # in the unit that was written for the value, or else for the range
            ends = entry["range"] if isinstance(entry.get("range"), list) else ()
            unit = next((u for v in (entry.get("value"), *ends) if (u := unit_of(v, scope))), "")
            factor = factor_to(unit or "1", ANY_UNIT)
            got, least, most = (f"{x / factor:.9g} {unit}".strip() for x in (made.value, low, high))
            self.error(mark, f"{name} is {got}, allowed: {least} to {most}", path)
        self.scene.parameters[name] = made
        return made.value

    def read_singles(self) -> dict[str, Any]:
        """Read the sections with one entry (settings, camera, ground and others), write them to the scene, and return
        them by name."""
        made: dict[str, Any] = {}
        for key, model in SINGLE.items():
            if self.tree.get(key) is not None:
                self.section(key)  # refuses what is no mapping
            if key in self.tree:
                made[key] = checked(model, self.entry(self.tree, key), self.scope, self.problems, key)
        self.scene.settings = made.get("settings") or Settings()
        self.scene.camera = made.get("camera")
        self.scene.medium = made.get("medium")
        self.check_correction()
        self.scene.checks = made.get("checks") or Checks()
        defaults = made.get("defaults") or Defaults()
        self.body_defaults = self.body_defaults if defaults.body is None else defaults.body
        self.joint_defaults = self.joint_defaults if defaults.joint is None else defaults.joint
        for which, data in (("body", self.body_defaults), ("joint", self.joint_defaults)):
            for key in data:
                if key not in DEFAULT_KEYS[which]:
                    self.error(
                        data.key_mark(key), unknown_key(key, DEFAULT_KEYS[which]), f"defaults.{which}.{key}"
                    )  # fmt: skip
        return made

    def check_correction(self) -> None:
        """Report a correction that the integrator does not allow."""
        s = self.scene.settings
        if s.correction != "shake" and s.integrator not in FREE_CORRECTION:
            message = (
                f"{s.correction!r} goes with the integrators {', '.join(FREE_CORRECTION)}, not with {s.integrator}"
            )
            self.error(mark_at(self.tree, ("settings", "correction")), message, "settings.correction")

    def read_materials(self) -> None:
        """Read the materials, and write them to the scene's `materials`."""
        for name, path, _, data in self.named_entries("materials"):
            made = checked(Material, data, self.scope, self.problems, path)
            self.scene.materials[name] = made or Material()

    # ------------------------------------------------------------ figures
    def read_figures(self) -> dict[str, tuple["Loading", Transform]]:
        """Load all figures and add their bodies. Return each figure with its transform, by name."""
        out = {}
        for name, path, _, data in self.named_entries("figures"):
            spec: Figure | None = checked(Figure, data, self.scope, self.problems, path)
            inner = None if spec is None else self.load_figure(name, spec, data, path)
            if spec is not None and inner is not None:
                transform = Transform(np.array(spec.at), tuple(spec.rotate), spec.mirror)
                self.take_bodies(name, inner, transform)
                out[name] = (inner, transform)
        return out

    def load_figure(self, name: str, spec: Figure, data: Map, path: str) -> "Loading | None":
        """Return the loaded figure, or None after a problem."""
        mark = data.value_mark("use")
        target = self.files.find(spec.use, self.path.parent, self.problems, mark, library=True)
        if target is None:
            return None
        if target in self.chain or len(self.chain) > DEEPEST:
            self.error(mark, circle(target, self.chain, "figures"), f"{path}.use")
            return None
        tree = self.files.tree(target, self.problems, mark)
        if tree is None:
            return None
        settings = [Setting(".".join(rest), s.value, s.mark) for rest, s in self.inside.get(name, ())]
        if spec.set is not None:
            own = [Setting(k, self.handed_down(v), spec.set.value_mark(k)) for k, v in spec.set.items()]
            settings = own + settings
        inner = Loading(tree, target, self.files, settings, self.problems, (*self.chain, target))
        inner.run()
        return inner

    def handed_down(self, value: Any) -> Any:
        """Return a value of `set`, computed to a number if it is an expression. The expression may use the parameters
        of this scene, which the figure does not know."""
        if isinstance(value, List):
            out = List(value.mark)
            out.extend(self.handed_down(v) for v in value)
            out.items_at = value.items_at
            return out
        try:
            return evaluate(value, self.scope.names, ANY_UNIT)[0] if isinstance(value, str) else value
        except ExpressionError:
            return value

    def take_bodies(self, name: str, inner: "Loading", transform: Transform) -> None:
        """Add the bodies of a figure after its transform, with prefixed names."""
        for part in inner.parts.values():
            try:
                self.parts[f"{name}/{part.name}"] = placed_part(part, transform, name)
            except Refused as error:
                self.error(self.section("figures").key_mark(name), str(error), f"figures.{name}")
                self.broken.add(f"{name}/{part.name}")
        self.broken |= {f"{name}/{body}" for body in inner.broken}
        self.lasts |= {f"{name}/{stem}": f"{name}/{last}" for stem, last in inner.lasts.items()}

    def take_joints(self, name: str, inner: "Loading", transform: Transform) -> None:
        """Add the joints, couplings, drives, groups, pins, loads and poses of a figure after its transform, with
        prefixed names."""
        for edge in inner.edges.values():
            self.add_edge(placed_edge(edge, transform, name))
        for drive in inner.drives.values():
            try:
                self.drives[f"{name}/{drive.name}"] = placed_drive(drive, transform, name)
            except Refused as error:
                self.error(self.section("figures").key_mark(name), str(error), f"figures.{name}")
        for coupling in inner.couplings.values():
            self.add_coupling(placed_coupling(coupling, transform, name))
        self.broken_joints |= {f"{name}/{joint}" for joint in inner.broken_joints}
        for group, members in inner.scene.groups.items():
            self.scene.groups[f"{name}/{group}"] = tuple(f"{name}/{member}" for member in members)
        for pin, (body, point) in inner.scene.pins.items():
            self.scene.pins[f"{name}/{pin}"] = (f"{name}/{body}", None if point is None else transform.place(point))
        self.scene.caps |= {f"{name}/{pin}": cap for pin, cap in inner.scene.caps.items()}
        self.scene.touching.never += tuple((f"{name}/{a}", f"{name}/{b}") for a, b in inner.scene.touching.never)
        for body, load in inner.scene.loads.items():
            turned = {"force": transform.direction(load.force), "torque": transform.axis(load.torque)}
            self.scene.loads[f"{name}/{body}"] = load.model_copy(update=turned)
        for pose, values in inner.scene.poses.items():
            self.scene.poses[f"{name}/{pose}"] = {
                f"{name}/{joint}": placed_value(inner.edges[joint], v, transform) for joint, v in values.items()
            }
