"""How bodies and joints are made from entries: defaults, materials, the two bodies of a joint, its points."""

from collections.abc import Mapping, Sequence
from typing import Any

from physics.definitions.checks import WORLD, DefinitionError
from scenes.kinds.bodies import ONLY, Body, Part, make_part
from scenes.kinds.constraints import Coupled, Coupling, make_coupling
from scenes.kinds.drives import Drive, Driven, TargetSpring, make_drive, make_target_spring
from scenes.kinds.formulas import make_condition
from scenes.kinds.springs import Spring
from scenes.kinds.table import KINDS, LINKAGES, OTHERWISE, TIES, section_of
from scenes.kinds.ties import Edge, Ends, Tie
from scenes.loading.draft import Draft, Silent
from scenes.loading.naming import check_material
from scenes.text.errors import Mark, did_you_mean, nearest, short
from scenes.text.reader import Key, Map, mark_at
from scenes.text.schema import checked
from scenes.text.synonyms import unknown_key
from scenes.text.values import Refused, Scope
from scenes.text.words import REFERENCE

JOINT_KEYS = {key for model in KINDS.values() for key in model.key_names()}


def merged(data: Map, defaults: Map, keys: Sequence[str]) -> Map:
    """Return the entry with those defaults added that are keys of its kind."""
    if not defaults:
        return data
    out = None
    limited = any(k in data or (k in defaults and k in keys) for k in ("limits", "swing", "twist"))
    for key, value in defaults.items():
        if key in data or key not in keys or (key == "soft" and not limited):
            continue
        if out is None:
            out = data.copy()
        out.put(key, value, defaults.key_mark(key), defaults.value_mark(key))
    return out or data


# ---------------------------------------------------------------- bodies
def read_bodies(draft: Draft) -> None:
    """Make all bodies of the section `bodies`, and add them to the draft."""
    for name, _, mark, data in draft.named_entries("bodies", REFERENCE):
        part = make_body(draft, name, data, draft.scope, mark)
        if part is None:
            draft.broken.add(name)
        else:
            draft.add_part(part)


def make_body(
    draft: Draft, name: str, data: Any, scope: Scope, mark: Mark | None, path: str | None = None
) -> Part | None:
    """Return the body of an entry, or None after a problem."""
    path = path or f"bodies.{name}"
    if isinstance(data, Map):
        data = draft.with_sets("bodies", name, data)
        kind = data.get("kind") or draft.body_defaults.get("kind", "rigid")
        keys = [key for key in Body.key_names() if kind in ONLY.get(key, (kind,))]
        data = merged(data, draft.body_defaults, keys)
    spec = checked(Body, data, scope, draft.problems, path)
    if spec is None:
        return None
    check_material(draft, spec.material, data.value_mark("material"), f"{path}.material")
    for k, shape in enumerate(spec.shape):
        if shape.material is not None:
            inner = ("shape", *((k,) if isinstance(data["shape"], list) else ()), shape.kind, "material")
            check_material(draft, shape.material, mark_at(data, inner), ".".join([path, *map(str, inner)]))
    if spec.look is not None and spec.look.mesh is not None:
        asked = mark_at(data, ("look", "mesh"))
        mesh = draft.files.find(spec.look.mesh, draft.path.parent, draft.problems, asked, library=False)
        if mesh is not None:
            draft.files.read.append(mesh)
    try:
        return make_part(name, spec, draft.scene.materials, mark)
    except (Refused, DefinitionError) as error:
        draft.refuse(error, data, path)
        return None


# ---------------------------------------------------------------- joints
def read_joints(draft: Draft) -> None:
    """Make all joints, constraints and springs, and add them to the draft."""
    for section_name, kinds in TIES.items():
        for name, _, mark, entry in draft.named_entries(section_name, REFERENCE):
            if section_name == "constraints" and isinstance(entry, Map) and linkage_kind(entry):
                continue  # they need all joints
            edge = make_joint(draft, section_name, name, entry, draft.scope, mark, kinds)
            if edge is None:
                draft.broken_joints.add(name)
            else:
                draft.add_edge(edge)


def linkage_kind(entry: Map) -> Any:
    """Return the model of a coupling or condition; None for other entries."""
    return next((model for model in LINKAGES if model.kind in entry), None)


def read_couplings(draft: Draft) -> None:
    """Make the couplings and conditions, and add them to the draft. All joints must be known."""
    section = draft.section("constraints")
    for name, value in section.items():
        path = f"constraints.{name}"
        model = linkage_kind(value) if isinstance(value, Map) else None
        if model is None or not REFERENCE.match(name):
            continue
        data = draft.with_sets("constraints", name, value)
        spec: Any = checked(model, data, draft.scope, draft.problems, path)
        if spec is None:
            continue
        try:
            if isinstance(spec, Coupling):
                definition: Any = make_coupling(name, spec, draft.edges, draft.broken_joints)
            else:
                definition = make_condition(name, spec, draft.find)
        except Silent:
            continue
        except (Refused, DefinitionError) as error:
            draft.refuse(error, data, path)
            continue
        if definition is not None:
            draft.add_coupling(Coupled(name, definition, spec, section.key_mark(name)))


def read_drives(draft: Draft) -> None:
    """Make the drives and target springs, and add them to the draft. All bodies and joints must be known."""
    for name, path, mark, data in draft.named_entries("drives", REFERENCE):
        if not isinstance(data, Map) or ("joint" in data) == ("body" in data):
            got = short(data if isinstance(data, Map) else data.value)
            message = (
                f"got {got}, allowed: {{joint: name, ...}}, or {{body: name, ...}}: one of these says what is driven"
            )
            draft.error(data.mark, message, path)
            continue
        data = draft.with_sets("drives", name, data)
        spec = checked(Drive if "joint" in data else TargetSpring, data, draft.scope, draft.problems, path)
        asked = None if spec is None else spec.joint if isinstance(spec, Drive) else spec.body
        if spec is None or asked in draft.broken_joints or asked in draft.broken:
            continue
        try:
            if isinstance(spec, Drive):
                definition: Any = make_drive(name, spec, data, draft.edges, draft.scope)
            else:
                definition = make_target_spring(name, spec, draft.parts)
            draft.drives[name] = Driven(name, definition, spec, mark)
        except (Refused, DefinitionError) as error:
            draft.refuse(error, data, path)


def make_joint(
    draft: Draft, section: str, name: str, data: Any, scope: Scope, mark: Mark | None, kinds: Mapping[str, type[Tie]],
    path: str | None = None, here: dict[str, Part | None] | None = None,
) -> Edge | None:  # fmt: skip
    """Return the joint of an entry, or None after a problem. `here` has bodies with special names in a repeat: this and
    previous."""
    path = path or f"{section}.{name}"
    if isinstance(data, Map):
        data = draft.with_sets(section, name, data)
    kind = kind_of(draft, data, kinds, section, path)
    if kind is None:
        return None
    model = KINDS[kind]
    data = merged(data, draft.joint_defaults, model.key_names())
    spec = checked(model, data, scope, draft.problems, path)
    if spec is None:
        return None
    try:
        ends = ends_of(draft, spec, here or {})
        return Edge(name, spec.define(name, ends), spec, mark, section)
    except (Refused, DefinitionError) as error:
        draft.refuse(error, data, path)
    except Silent:
        pass
    return None


def kind_of(draft: Draft, data: Any, kinds: Mapping[str, Any], section: str, path: str) -> str | None:
    """Return the key that determines the kind of an entry, or None after a problem."""
    if not isinstance(data, Map):
        example = f"{{{next(iter(kinds))}: [first, second], ...}}"
        draft.error(data.mark, f"got {short(data.value)}, allowed: a mapping such as {example}", path)
        return None
    found = [k for k in data if k in KINDS] or [k for k in data if k in OTHERWISE and k not in JOINT_KEYS]
    if not found:
        _no_kind(draft, data, kinds, section, path)
        return None
    if len(found) > 1:
        draft.error(data.key_mark(found[1]), f"{found[0]} and {found[1]}: an entry is one kind only", path)
        return None
    (kind,) = found
    if kind in OTHERWISE:
        draft.error(data.key_mark(kind), OTHERWISE[kind], f"{path}.{kind}")
        return None
    if kind not in kinds:
        draft.error(data.key_mark(kind), f"{kind} belongs under `{section_of(kind)}`", f"{path}.{kind}")
        return None
    return kind


def _no_kind(draft: Draft, data: Map, kinds: Mapping[str, Any], section: str, path: str) -> None:
    """Report an entry without a kind, with a suggestion of what was meant."""
    known = [*KINDS, *(model.kind for model in LINKAGES)]
    for key in data:
        if key not in JOINT_KEYS and did_you_mean(key, known):
            draft.error(data.key_mark(key), unknown_key(key, known), f"{path}.{key}")
            return
    said = data.get("type", data.get("kind"))
    if isinstance(said, str):
        place = next(k for k in ("type", "kind") if k in data)
        meant = nearest(said, KINDS) or (said if said in OTHERWISE else "")
        example = f"`{meant or next(iter(kinds))}: [first, second]`"
        draft.error(data.value_mark(place), f"the kind is a key with its two bodies: {example}", f"{path}.{place}")
        return
    what = section.removesuffix("s")
    if section == "springs" and "joint" in data:
        message = "the spring of a joint is the joint's own `stiffness`, `damping` and `rest`"
        draft.error(data.key_mark("joint"), message, f"{path}.joint")
        return
    draft.error(data.mark, f"what kind of {what}? one of these keys is missing: {', '.join(kinds)}", path)


def ends_of(draft: Draft, spec: Tie, here: dict[str, Part | None]) -> Ends:
    """Return the two bodies of a joint and its points on them, or refuse them."""
    kind, names = spec.kind, spec.bodies
    found, parts = [], []
    for k, name in enumerate(names):
        try:
            found.append(draft.find(name, (kind, k), here))
        except Refused as error:
            parts += error.parts
    if parts:
        raise Refused(parts[0][1], parts=parts)
    (a, part_a), (b, part_b) = found
    if names[0] == names[1]:
        raise Refused(f"{names[0]!r} is connected to itself", (kind, 1))
    if all(part is None or part.held for part in (part_a, part_b)):
        raise Refused(
            "neither of the two can be moved by forces: they are the world, fixed, or have a prescribed motion", (kind,)
        )
    if kind == "free" and WORLD not in (a, b):
        raise Refused("a free joint is between the world and a body", (kind,))
    for k, part in enumerate((part_a, part_b)):
        if part is not None and part.is_particle and k not in spec.particles:
            takes = ", ".join(name for name, model in KINDS.items() if k in model.particles)
            raise Refused(f"{names[k]!r} is a particle: it has no orientation; allowed with it: {takes}", (kind, k))
    return Ends(a, b, points_of(spec, names, part_a, part_b), part_a, part_b)


def points_of(spec: Tie, names: tuple[str, str], part_a: Part | None, part_b: Part | None) -> Any:
    """Return the points of a joint on both bodies [m], or refuse them."""
    if section_of(spec.kind) == "springs":
        wish = (spec.start, spec.end) if isinstance(spec, Spring) else (None, None)
        middle = [None if p is None else p.place for p in (part_a, part_b)]
        found = [w if w is not None else m for w, m in zip(wish, middle, strict=True)]
        if isinstance(spec, Spring) and None in found:
            raise Refused(f"'{'from' if found[0] is None else 'to'}' is missing: its point in the world")
        return tuple(p or (0.0, 0.0, 0.0) for p in found)
    at = getattr(spec, "at", None)
    places = [spec.point_of_world if p is None else p.place for p in (part_a, part_b)]
    if isinstance(at, dict):
        return points_of_each(spec, names, places, at)
    if spec.kind == "free":
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if spec.where == "centres" and (at is None or spec.kind == "gear"):
        if at is not None:
            raise Refused("a gear has two centres: {first: [x, y, z], second: [x, y, z]}", ("at",))
        return points_of_each(spec, names, places, {})
    if spec.where == "first" and at is not None and places[1] is not None:
        return at, places[1]
    if at is None and spec.where == "second":
        at = places[1] or places[0]
    if at is None and spec.where == "shared":
        at = next((p.place for p in (part_a, part_b) if p is not None and (p.is_particle or p.is_massless)), None)
    if at is None:
        raise Refused("'at' is missing: the point [x, y, z] of the world where it is")
    return at, at


def points_of_each(spec: Any, names: tuple[str, str], places: Sequence[Any], at: dict[str, Any]) -> Any:
    """Return one point for each body [m]. If a constraint may omit the points, they are the centres of mass."""
    for key in at:
        if key not in names:
            hint = did_you_mean(key, names) or ": " + ", ".join(names)
            raise Refused(f"{key!r} is none of the two bodies{hint}", ("at", Key(key)))
    out = []
    for name, place in zip(names, places, strict=True):
        point = at.get(name, None if spec.where == "shared" else place)
        if point is None:
            raise Refused(f"the point of {name!r} is missing", ("at",) if at else ())
        out.append(point)
    return tuple(out)


def check_edges(draft: Draft) -> None:
    """Report two joints of the same kind that hold the same bodies at the same point."""
    ties: dict[Any, Edge] = {}
    for edge in draft.edges.values():
        d = edge.definition
        if edge.spec.kind == "free" or not d.once:
            continue
        tie = (frozenset((d.a, d.b)), edge.spec.kind, d.points)
        if tie in ties:
            other = ties[tie]
            message = f"{edge.name!r} ties the same bodies at the same point as {other.name!r}, at {other.mark}"
            draft.error(edge.mark, message, f"{edge.section}.{edge.name}")
        ties[tie] = edge
