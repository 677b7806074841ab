"""Sections that name bodies and joints: groups, poses, contacts, pins, loads, the start."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from scenes.kinds.bodies import Material, Part
from scenes.kinds.contacts import used_groups
from scenes.kinds.sections import GROUND, GROUP, MOST_MEMBERS, Contacts, Ground, Load, Pin, Start, Velocity
from scenes.loading.draft import Draft, Silent
from scenes.loading.given import members_of
from scenes.text.errors import Mark, did_you_mean, short
from scenes.text.reader import List, Map, mark_at
from scenes.text.schema import checked
from scenes.text.values import Refused
from scenes.text.words import REFERENCE, Name

BODY_NAME = Name("body")


def read_groups(draft: Draft) -> None:
    """Read the groups, and write the members of each to the scene's `groups`."""
    section = draft.section("groups")
    bodies, joints = list(draft.parts), list(draft.edges)
    broken = draft.broken | draft.broken_joints
    total = 0
    for group in section:
        path = f"groups.{group}"
        if not draft.good_name(group, section, path, REFERENCE):
            continue
        try:
            names = GROUP.read(section[group], draft.scope)
        except Refused as error:
            for inner, message in error.parts:
                draft.error(mark_at(section, (group, *inner)), message, path)
            continue
        members = members_of(draft, group, bodies, joints)
        total += len(members)
        if total > MOST_MEMBERS:
            draft.error(section.key_mark(group), f"more than {MOST_MEMBERS:,} members of groups in one scene", path)
            return
        found = {k for k, _ in members}
        for k, entry in enumerate(names):
            if k in found or any(fnmatchcase(name, entry) for name in broken):
                continue
            what = "matches nothing" if "*" in entry else "is no joint and no body"
            hint = did_you_mean(entry, [*joints, *bodies])
            draft.error(mark_at(section, (group, k)), f"{short(entry)} {what}{hint}", path)
        draft.scene.groups[group] = tuple(dict.fromkeys(n for _, n in members))


# ---------------------------------------------------------------- poses
def read_poses(draft: Draft) -> None:
    """Read the poses, and write the values of joints of each to the scene's `poses`."""
    total = 0
    for pose, path, _, data in draft.named_entries("poses", REFERENCE):
        if not isinstance(data, Map):
            draft.error(data.mark, f"got {short(data.value)}, allowed: joints and their values", path)
            continue
        values: dict[str, Any] = {}
        for key, value in data.items():
            group = draft.scene.groups.get(key)
            total += 1 if group is None else len(group)
            if total > MOST_MEMBERS:
                draft.error(data.key_mark(key), f"more than {MOST_MEMBERS:,} values of poses in one scene", path)
                return
            for joint in (key,) if group is None else group:
                read = _pose_value(draft, joint, value, data, key, f"{path}.{key}")
                if read is not None:
                    values[joint] = read
        draft.scene.poses[pose] = values


def _pose_value(draft: Draft, joint: str, value: Any, data: Map, key: str, path: str) -> Any:
    """Return the value of a joint in a pose, or None after a problem."""
    edge = draft.edges.get(joint)
    if edge is None:
        if joint not in draft.broken_joints:
            hint = did_you_mean(joint, [*draft.edges, *draft.scene.groups])
            draft.error(data.key_mark(key), f"no joint {joint!r}{hint}", path)
        return None
    coordinate = edge.spec.coordinate
    if coordinate is None:
        draft.error(data.key_mark(key), f"a {edge.spec.kind} has no coordinate that a pose could set", path)
        return None
    try:
        read = coordinate.read(value, draft.scope)
    except Refused as error:
        for inner, message in error.parts:
            draft.error(mark_at(data, (key, *inner)), message, path)
        return None
    if not edge.spec.within(edge.definition, read):
        draft.problems.warn(data.value_mark(key), f"outside the limits of {joint!r}", path)
    return read


# ---------------------------------------------------------------- contacts
def read_contacts(draft: Draft, ground: Ground | None, contacts: Contacts | None) -> None:
    """Read ground and contacts into the scene's `touching`, and report unknown names in `never`."""
    touching = draft.scene.touching
    touching.ground = ground
    touching.asked = ground is not None or contacts is not None
    if ground is not None and ground.material is not None:
        check_material(draft, ground.material, mark_at(draft.tree, ("ground", "material")), "ground.material")
        touching.floor = draft.scene.materials.get(ground.material, Material())
    said = contacts.never if contacts else ()
    groups = used_groups(draft.parts.values())
    known = {GROUND, *draft.parts, *draft.scene.groups, *groups, *draft.section("figures")} if said else set()
    written: set[str] | None = None
    for k, pair in enumerate(said):
        if GROUND in pair and ground is None and GROUND not in draft.parts and len(draft.chain) == 1:
            mark = mark_at(draft.tree, ("contacts", "never", k))
            draft.problems.warn(mark, "there is no `ground:` in this scene; `ground: {}` makes one", "contacts.never")
        for j, name in enumerate(pair):
            if name in known or name in draft.broken or name in draft.broken_joints or ("/" in name and draft.broken):
                continue
            if draft.broken and written is None:
                written = set(groups_written(draft.tree.get("bodies"), draft.tree.get("repeat"), draft.body_defaults))
            if name in (written or ()):
                continue
            hint = did_you_mean(name, known) or f"; groups: {', '.join(sorted(groups)) or 'none'}"
            mark = mark_at(draft.tree, ("contacts", "never", k, j))
            draft.error(mark, f"no group, body or figure {name!r}{hint}", f"contacts.never.{k}.{j}")
    touching.never += said


def groups_written(*trees: Any) -> Iterator[str]:
    """Yield the groups that `collide` names at any depth, also in entries with errors."""
    waiting = list(trees)
    while waiting:
        tree = waiting.pop()
        if isinstance(tree, Map) and isinstance(tree.get("collide"), str):
            yield tree["collide"]
        if isinstance(tree, Map | List):
            waiting.extend(tree.values() if isinstance(tree, Map) else tree)


def check_material(draft: Draft, name: str | None, mark: Mark | None, path: str) -> None:
    """Report a material that does not exist."""
    materials = draft.scene.materials
    if name is not None and name not in materials:
        hint = did_you_mean(name, materials) or f"; known: {', '.join(materials) or 'none'}"
        draft.error(mark, f"unknown material {name!r}{hint}", path)


# ---------------------------------------------------------------- pins, start
def read_pins(draft: Draft) -> None:
    """Read the pins. Write the body and point of each pin to the scene's `pins`, and its largest force to `caps`."""
    for name, path, mark, data in draft.named_entries("pins", REFERENCE):
        pin: Pin | None = checked(Pin, data, draft.scope, draft.problems, path)
        if pin is None:
            continue
        if (pin.pose is None) == (pin.point is None):
            draft.error(data.mark, "one of `pose: body` and `point: body` says what is held", path)
            continue
        if pin.pose is not None and pin.at is not None:
            draft.error(mark_at(data, ("at",)), "`at` belongs to `point`; a pose is held as it is", f"{path}.at")
            continue
        if name in draft.edges:
            draft.error(mark, f"{name!r} is the name of a joint already", path)
            continue
        key = "pose" if pin.point is None else "point"
        try:
            _, part = draft.find(pin.pose or pin.point or "", (key,), {})
        except Refused as error:
            draft.refuse(error, data, path)
            continue
        except Silent:
            continue
        if part is None or part.held or part.is_massless:
            draft.error(mark_at(data, (key,)), f"{pin.pose or pin.point!r} never moves", path)
            continue
        point = None if pin.point is None else pin.at or part.place
        draft.scene.pins[name] = (part.name, None if point is None else tuple(point))
        if pin.cap is not None:
            draft.scene.caps[name] = pin.cap


def moved_entries(
    draft: Draft, section: Map, path: str, model: type[Load] | type[Velocity], what: str
) -> Iterator[tuple[Part, Any]]:
    """Yield (body, entry) for each entry of a section whose keys are bodies that forces move."""
    turning = "torque" if model is Load else "angular"
    for name in section:
        try:
            _, part = draft.find(BODY_NAME.read(name, draft.scope), (), {})
        except Refused as error:
            draft.error(section.key_mark(name), str(error), f"{path}.{name}")
            continue
        except Silent:
            continue
        entry = draft.entry(section, name)
        made = checked(model, entry, draft.scope, draft.problems, f"{path}.{name}")
        if part is None or part.held or part.is_massless:
            draft.error(section.key_mark(name), what.format(name), f"{path}.{name}")
        elif made is not None and part.is_particle and any(getattr(made, turning)):
            message = f"{name!r} is a particle: it has no orientation"
            draft.error(mark_at(entry, (turning,)), message, f"{path}.{name}")
        elif made is not None:
            yield part, made


def read_loads(draft: Draft) -> None:
    """Read the loads, and write each to the scene's `loads` by its body."""
    for part, load in moved_entries(draft, draft.section("loads"), "loads", Load, "no force moves {!r}"):
        draft.scene.loads[part.name] = load


def read_start(draft: Draft, start: Start) -> None:
    """Read the start, and write its pose and velocities to the scene."""
    data = draft.tree.get("start")
    poses = draft.scene.poses
    if start.pose is not None and start.pose in poses:
        draft.scene.start_pose = start.pose
    elif start.pose is not None and start.pose not in draft.section("poses"):
        hint = did_you_mean(start.pose, poses) or f"; known: {', '.join(poses) or 'none'}"
        draft.error(mark_at(data, ("pose",)), f"no pose {start.pose!r}{hint}", "start.pose")
    if start.velocities is not None:
        path, what = "start.velocities", "{!r} never moves"
        for part, velocity in moved_entries(draft, start.velocities, path, Velocity, what):
            draft.scene.velocities[part.name] = (tuple(velocity.linear), tuple(velocity.angular))
