"""Values given by path (overrides, --set, the `set` of a figure). Each is passed to the entry that it changes."""

from fnmatch import fnmatchcase
from typing import Any

from scenes.kinds.bodies import Body
from scenes.kinds.sections import MOST_BODIES, MOST_MEMBERS, NAMED, Repeat
from scenes.kinds.table import KINDS, TIES, section_of
from scenes.loading.draft import Draft
from scenes.loading.paths import Setting, normal, put
from scenes.text.errors import did_you_mean, short
from scenes.text.reader import List, Map
from scenes.text.values import Refused

ENTRIES = ("bodies", "joints", "constraints", "springs", "drives")


def take_settings(draft: Draft) -> None:
    """Apply the values given by path. The overrides of the file itself come first; later values replace earlier
    ones."""
    overrides = draft.section("overrides")
    settings = [Setting(k, v, overrides.value_mark(k)) for k, v in overrides.items()] + draft.given
    for setting in settings:
        parts = normal(setting, draft.section("parameters"), draft.problems)
        if parts is not None:
            _take(draft, parts, setting)


def _take(draft: Draft, parts: tuple[str, ...], setting: Setting) -> None:
    """Apply one value: to the tree, to a figure, to a group, or to a copy."""
    head, name, rest = parts[0], parts[1] if len(parts) > 1 else "", parts[2:]
    if head in NAMED and "/" in name:
        figure, _, below = name.partition("/")
        if figure in draft.section("figures"):
            draft.inside.setdefault(figure, []).append(((head, below, *rest), setting))
            return
    if head == "groups":
        draft.group_sets.append((name, rest, setting))
    elif head in ENTRIES:
        draft.sets.setdefault((head, name), []).append((rest, setting))
    elif head in NAMED:
        section = draft.section(head)
        if name not in section:
            unknown(draft, setting, name, head, section)
            return
        if head == "parameters" and isinstance(section[name], Map) and not rest:
            parts = (*parts, "value")
        draft.tree = put(draft.tree, parts, setting, draft.problems)
    else:
        draft.tree = put(draft.tree, parts, setting, draft.problems)


def unknown(draft: Draft, setting: Setting, name: str, section: str, names: Any) -> None:
    """Report a name that does not exist in a section."""
    known = list(names)
    hint = did_you_mean(name, known) or f"; known: {', '.join(known[:10]) or 'none'}"
    draft.error(setting.mark, f"no {short(name)} in {section}{hint}", setting.path)


def check_settings(draft: Draft) -> None:
    """Report values given by path that no entry accepted."""
    for (section, name), settings in draft.sets.items():
        if (section, name) in draft.consumed:
            continue
        for _, setting in settings:
            unknown(draft, setting, name, section, [n for s, n in draft.consumed if s == section])


# ---------------------------------------------------------------- groups
def members_of(draft: Draft, group: str, bodies: list[str], joints: list[str]) -> list[tuple[int, str]]:
    """Return (entry, name) of every body and joint that a group's names and patterns match. A pattern matches joints,
    or bodies if it matches no joint."""
    entries = draft.section("groups").get(group)
    out: list[tuple[int, str]] = []
    joint_set, body_set = set(joints), set(bodies)
    for k, entry in enumerate(entries if isinstance(entries, List) else ()):
        if not isinstance(entry, str):
            continue
        if "*" in entry:
            found = [n for n in joints if fnmatchcase(n, entry)] or [n for n in bodies if fnmatchcase(n, entry)]
        else:
            found = [entry] if entry in joint_set or entry in body_set else []
        out += [(k, n) for n in found]
        if len(out) > MOST_MEMBERS:
            break  # refused by the reader of groups
    return out


def spread_group_settings(draft: Draft) -> None:
    """Apply a value such as `groups.fingers.stiffness` to every joint of the group whose kind has the field."""
    if not draft.group_sets:
        return
    groups = draft.section("groups")
    own = {
        name: (section, data)
        for section in TIES
        for name, data in draft.section(section).items()
        if isinstance(data, Map)
    }
    bodies = [n for n, d in draft.section("bodies").items() if isinstance(d, Map)]
    joints = [*own, *_joints_of_repeats(draft)]
    for group, rest, setting in draft.group_sets:
        if group not in groups:
            unknown(draft, setting, group, "groups", groups)
            continue
        took = False
        for name in dict.fromkeys(n for _, n in members_of(draft, group, bodies, joints)):
            section, model = _model_of(draft, name, own)
            if model is None or rest[0] in model.key_names():
                draft.sets.setdefault((section, name), []).append((rest, setting))
                took = True
        took |= _into_figures(draft, groups[group], rest, setting)
        if not took:
            draft.error(setting.mark, f"nothing in group {group!r} has {short(rest[0])}", setting.path)


def _into_figures(draft: Draft, entries: Any, rest: tuple[str, ...], setting: Setting) -> bool:
    """Pass a value to those figures of which the group names members. Return whether there is such a figure."""
    took = False
    for entry in entries if isinstance(entries, List) else ():
        figure, slash, name = str(entry).partition("/")
        if slash and figure in draft.section("figures") and "*" not in name:
            draft.inside.setdefault(figure, []).append((("joints", name, *rest), setting))
            took = True
    return took


def _joints_of_repeats(draft: Draft) -> list[str]:
    """Return the names that the joints of repeats will have, for repeats whose counts are already known."""
    out: list[str] = []
    count_value = Repeat.value_of("count")
    for name, data in draft.section("repeat").items():
        try:
            count = count_value.read(data["count"], draft.scope)  # type: ignore[union-attr]
        except (Refused, KeyError, TypeError):
            continue
        if count <= MOST_BODIES and isinstance(data.get("joint"), Map):
            out += [f"{name}/{k}" for k in range(count)]
    return out


def _model_of(draft: Draft, name: str, own: dict[str, tuple[str, Map]]) -> tuple[str, Any]:
    """Return section and model of a member of a group."""
    if name in own:
        section, data = own[name]
        return section, next((KINDS[k] for k in data if k in KINDS), None)
    if "/" in name:
        data = draft.section("repeat").get(name.rpartition("/")[0])
        joint = data["joint"] if isinstance(data, Map) else {}
        kind = next((k for k in joint if k in KINDS), "")
        return (section_of(kind) if kind else "joints"), KINDS.get(kind)
    return "bodies", Body
