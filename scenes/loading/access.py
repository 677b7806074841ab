"""Values of a loaded scene by path. They are read, changed with the same checks as in the file, and applied to a
running world.

    get(scene, "joints.knee.stiffness")                  returns the value, in SI units
    changed(scene, "links", 100)                         returns a new scene with that value; the old one stays
    is_live(scene, "joints.knee.stiffness")              returns whether a running world can take the value
    apply(world, scene, "joints.knee.stiffness", 20)     changes the running world
"""

from collections.abc import Iterable
from typing import Any

from physics.world.world import World
from scenes.kinds.bodies import Body, Material
from scenes.kinds.drives import Drive, read_for
from scenes.kinds.sections import SINGLE, Load
from scenes.kinds.table import TIES
from scenes.kinds.ties import limits_of
from scenes.loading.files import LIBRARY, Files
from scenes.loading.loader import load_tree
from scenes.loading.paths import settings_from
from scenes.loading.scene import LoadedScene
from scenes.text.errors import Problems, did_you_mean, short
from scenes.text.schema import Model, field_name
from scenes.text.schema import is_live as live_field
from scenes.text.values import NO_NAMES, Refused, Scope

# where the definition knows what the entry leaves open
DERIVED = {"at": "position", "mass": "mass", "inertia": "inertia"}


def get(scene: LoadedScene, path: str) -> Any:
    """Return the value at a path. For a group it is one value if all members agree, else one value for each member."""
    head, *rest = path.split(".")
    if not rest:
        return _pick(scene.parameters, head, "parameter").value
    if head == "parameters":
        return _field(_pick(scene.parameters, rest[0], "parameter"), rest[1:] or ["value"])
    if head == "bodies" and len(rest) > 1:
        part = _pick(scene.parts, rest[0], "body")
        value = _field(part.spec, rest[1:])
        return getattr(part.definition, DERIVED[rest[1]], None) if value is None and rest[1] in DERIVED else value
    if head in TIES and len(rest) > 1:
        return _field(_pick({**scene.edges, **scene.couplings}, rest[0], "joint").spec, rest[1:])
    if head == "groups" and len(rest) > 1:
        values = [get(scene, member) for member in _members(scene, rest)]
        return values[0] if all(v == values[0] for v in values) else tuple(values)
    if head == "materials" and len(rest) > 1:
        return _field(_pick(scene.materials, rest[0], "material"), rest[1:])
    if head == "drives" and len(rest) > 1:
        return _field(_pick(scene.drives, rest[0], "drive").spec, rest[1:])
    if head == "loads" and len(rest) == 2:
        return _field(_pick(scene.loads, rest[0], "load"), rest[1:])
    if head in ("settings", "camera", "checks", "medium"):
        model = getattr(scene, head)
        return _field(model or SINGLE[head](), rest)
    if head == "ground" and rest:
        return _field(scene.touching.ground or SINGLE[head](), rest)
    if head == "contacts" and rest == ["never"]:
        return scene.touching.never
    if head == "poses" and len(rest) > 1:
        return _pick(_pick(scene.poses, rest[0], "pose"), rest[1], "joint")
    raise Refused(f"path {short(path)} is not understood; paths are written like joints.knee.stiffness")


def changed(scene: LoadedScene, path: str, value: Any) -> LoadedScene:
    """Load the scene again with a value at a path, and return it. Raise a `SceneError` as loading does."""
    assert scene.path is not None
    files = Files(LIBRARY if scene.path.is_relative_to(LIBRARY) else scene.path.parent)
    given = [*scene.given, *settings_from({path: value}, "set")]
    return load_tree(scene.tree, scene.path, files, given, Problems())


def is_live(scene: LoadedScene, path: str) -> bool:
    """Return whether the value at a path can be changed while the figure moves. Changing any other value rebuilds the
    model."""
    head, *rest = path.split(".")
    if head == "settings" and rest and (rest[0].startswith("contact_") or rest[0] == "sleeping"):
        return scene.touching.asked
    if head == "medium" and rest:
        return scene.medium is not None and live_field(SINGLE[head], rest[0])
    if head in ("settings", "camera") and rest:
        return live_field(SINGLE[head], rest[0])
    if head in TIES and len(rest) == 2:
        spec = _pick({**scene.edges, **scene.couplings}, rest[0], "joint").spec
        return live_field(type(spec), rest[1]) and not (rest[1] == "limits" and spec.soft is not None)
    if head == "drives" and len(rest) == 2:
        return live_field(type(_pick(scene.drives, rest[0], "drive").spec), rest[1])
    if head == "loads" and len(rest) == 2:
        return live_field(Load, rest[1]) and rest[0] in scene.parts
    if head == "groups" and len(rest) == 2:
        return all(is_live(scene, member) for member in _members(scene, rest))
    if head in ("bodies", "materials") and len(rest) >= 2:
        model: type[Model] = Body if head == "bodies" else Material
        return rest[1:] == ["look", "color"] or live_field(model, rest[1])
    return False


def apply(world: World, scene: LoadedScene, path: str, value: Any) -> None:
    """Change a live value of a running world, with the same checks as in a file. A bad value raises `Refused`."""
    head, *rest = path.split(".")
    if not is_live(scene, path):
        raise Refused(f"{short(path)} cannot be changed while the figure moves: the model is built anew for it")
    scope = Scope({name: p.value for name, p in scene.parameters.items()})
    if head == "groups":
        for member in _members(scene, rest):
            apply(world, scene, member, value)
    elif head == "settings":
        _apply_setting(world, rest[0], _read(SINGLE["settings"], rest[0], value, scope))
    elif head == "medium":
        setattr(world.medium, rest[0], _read(SINGLE[head], rest[0], value, scope) or 0.0)
    elif head == "loads":
        setattr(world.bodies[rest[0]], f"applied_{rest[1]}", _read(Load, rest[1], value, scope))
    elif head == "drives":
        drive = scene.drives[rest[0]]
        read = _read(type(drive.spec), rest[1], value, scope)
        if isinstance(drive.spec, Drive) and rest[1] != "on":
            read = read_for(drive.spec, rest[1], value, scene.edges, scope)
        setattr(world.drives[rest[0]], field_name(type(drive.spec), rest[1]), read)
    elif head in TIES:
        spec: Any = scene.edges[rest[0]].spec
        read = _read(type(spec), rest[1], value, scope)
        if rest[1] == "limits":
            bounded = spec.model_copy(update={"limits": read, "restitution": spec.restitution if read else 0.0})
            read = limits_of(bounded).get("limits")
        setattr(world.joints[rest[0]], field_name(type(spec), rest[1]), read)


def _apply_setting(world: World, key: str, value: Any) -> None:
    """Set a setting of the world."""
    if key == "solver":
        world.use_solver(value)
    elif key == "integrator":
        world.use_integrator(value)
    else:
        setattr(world, key, value)


def _read(model: type[Model], key: str, value: Any, scope: Scope = NO_NAMES) -> Any:
    """Return the value of a field of a model, or refuse it."""
    kind = model.value_of(key)
    assert kind is not None
    return kind.read(value, scope)


def _members(scene: LoadedScene, rest: list[str]) -> list[str]:
    """Return the paths of the members that the path of a group means."""
    out = []
    for name in _pick(scene.groups, rest[0], "group"):
        edge = scene.edges.get(name)
        model: type[Model] = Body if edge is None else type(edge.spec)
        section = "bodies" if edge is None else edge.section
        if rest[1] in model.key_names():
            out.append(".".join([section, name, *rest[1:]]))
    if not out:
        raise Refused(f"nothing in group {rest[0]!r} has {short(rest[1])}")
    return out


def _pick(things: Any, name: str, what: str) -> Any:
    """Return the thing with this name, or refuse an unknown name."""
    if name not in things:
        raise Refused(f"no {what} {short(name)}{did_you_mean(name, _names(things))}")
    return things[name]


def _names(things: Iterable[str]) -> list[str]:
    """Return the names as texts."""
    return [str(name) for name in things]


def _field(value: Any, rest: list[str]) -> Any:
    """Return the value at the rest of a path inside models and lists."""
    for step in rest:
        if isinstance(value, Model):
            keys = {info.alias or name: name for name, info in type(value).model_fields.items()}
            kind = getattr(value, "kind", "")
            if step not in keys and step == kind:
                continue  # the kind of a shape stands in the path as it does in the file
            value = getattr(value, _pick(keys, step, "field"))
        elif isinstance(value, tuple) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, tuple) and len(value) == 1:
            value = _field(value[0], [step])
        else:
            raise Refused(f"nothing is called {short(step)} there")
    return value
