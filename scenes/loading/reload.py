"""A scene that is loaded again while it runs: what has changed, and how the new world continues from the old one."""

from collections.abc import Mapping
from typing import Any

from physics.definitions.checks import DefinitionError
from physics.world.body_views import FixedView
from physics.world.world import World
from scenes.loading.scene import CLOSED, LoadedScene
from scenes.text.schema import Model

MOST_SHOWN = 4


def differences(old: LoadedScene, new: LoadedScene) -> list[str]:
    """Return sentences about what has changed; none if only comments or spaces have."""
    out = []
    for what, before, after in (
        ("body", old.parts, new.parts),
        ("joint", old.edges, new.edges),
        ("coupling", old.couplings, new.couplings),
        ("drive", old.drives, new.drives),
        ("pin", old.pins, new.pins),
        ("load", old.loads, new.loads),
        ("group", old.groups, new.groups),
        ("pose", old.poses, new.poses),
        ("parameter", old.parameters, new.parameters),
        ("material", old.materials, new.materials),
    ):
        out += _of_names(what, before, after)
    for what in ("settings", "camera", "checks"):
        out += _of_fields(what, getattr(old, what), getattr(new, what))
    for what, before, after in (
        ("ground", old.touching.ground, new.touching.ground),
        ("medium", old.medium, new.medium),
    ):
        out += _of_fields(what, before, after)
    if (old.touching.asked, old.touching.never) != (new.touching.asked, new.touching.never):
        out.append("contacts changed")
    for what in ("title", "about", "start_pose", "velocities"):
        if getattr(old, what) != getattr(new, what):
            out.append(f"{what.replace('_', ' ')} changed")
    return out


def _of_names(what: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return sentences about the names that were added, removed or changed."""
    out = []
    for verb, names in (("added", [n for n in new if n not in old]), ("gone", [n for n in old if n not in new])):
        if names:
            out.append(f"{_counted(what, names)} {verb}")
    changed = [name for name in new if name in old and repr(_facts(new[name])) != repr(_facts(old[name]))]
    if changed:
        out.append(f"{_counted(what, changed)} changed")
    return out


def _facts(thing: Any) -> Any:
    """Return the parts of an entry that are compared, without its place in the file."""
    if hasattr(thing, "definition"):
        return (thing.definition, *(getattr(thing, key, None) for key in ("color", "mesh", "shapes", "groups")))
    return thing


def _counted(what: str, names: list[str]) -> str:
    """Return a text for several names, such as "2 bodies (a, b)"."""
    if len(names) == 1:
        return f"{what} {names[0]}"
    plural = {"body": "bodies"}.get(what, f"{what}s")
    more = ", ..." if len(names) > MOST_SHOWN else ""
    return f"{len(names)} {plural} ({', '.join(names[:MOST_SHOWN])}{more})"


def _of_fields(what: str, old: Model | None, new: Model | None) -> list[str]:
    """Return a sentence about the fields of a model that have changed, or none."""
    if old is None or new is None:
        return [] if old is new else [f"{what} changed"]
    changed = [key for key in type(new).model_fields if getattr(old, key) != getattr(new, key)]
    return [f"{what}: {', '.join(changed)} changed"] if changed else []


def go_on(old: World, new: World) -> str:
    """Set pose and velocity of each body of the new world to those of the body of the same name in the old world, make
    manual pins again, and close the joints. Return an empty text, or the reason why the new world has to start from its
    own state."""
    start = new.snapshot()
    try:
        for name, body in new.bodies.items():
            before = old.bodies.get(name)
            if before is None or isinstance(before, FixedView) or isinstance(body, FixedView):
                continue
            if before.has_orientation == body.has_orientation:
                _take(new, body, before)
        if new.largest_gap > CLOSED:
            new.assemble(hold=())
        _pin_again(old, new)
    except DefinitionError as error:
        new.restore(start)
        return f"the scene starts anew: {error}"
    return ""


def _take(world: World, body: Any, before: Any) -> None:
    """Set the pose and velocity of a body to those that it had in the old world."""
    try:
        world.place({body.name: (before.position, before.quaternion)})
        body.velocity = before.velocity
        if body.has_orientation:
            body.angular_velocity = before.angular_velocity
    except DefinitionError:
        return  # the body has become one of another kind, or a planar body in another plane


def _pin_again(old: World, new: World) -> None:
    """Make the pins of the old world again."""
    for name, pin in old.pins.items():
        body = str(pin.definition.b)
        if name in new.pins or name in new.joints or body not in new.bodies:
            continue
        pose = pin.definition.kind == "weld"
        new.pin(body, None if pose else pin.definition.points[1], name=name)
