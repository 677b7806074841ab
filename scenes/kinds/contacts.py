"""Contacts of a scene: the shapes of its bodies, the ground, and the names of pairs that never touch.

Contacts are found if a scene has `ground` or `contacts`. The two bodies of a joint do not touch, and `never` names
further pairs. A name in `never` is that of a group (`collide: limb`), a body, a figure, a group of the scene, or
`ground`. The physics has one group for each combination of these names that occurs among the shapes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from physics import Plane, Shape
from physics.definitions import bodies as scene_bodies
from physics.definitions.checks import DefinitionError
from physics.definitions.medium import Fluid
from physics.definitions.shapes.shape import MOST_GROUPS
from scenes.kinds.bodies import EVERYTHING, Material, Part
from scenes.kinds.sections import GROUND, Ground, Medium
from scenes.kinds.shapes import regrouped, twin


@dataclass
class Touching:
    """The contacts of a scene and its figures: the ground, whether bodies touch, and pairs that never touch."""

    ground: Ground | None = None
    floor: Material = field(default_factory=Material)
    asked: bool = False  # whether there are any
    never: tuple[tuple[str, str], ...] = ()


def used_groups(parts: Iterable[Part]) -> set[str]:
    """Return the groups that bodies name in `collide`."""
    return {group for part in parts for group in part.groups if group not in (None, EVERYTHING)}  # type: ignore[misc]


def has_touching_shapes(definition: Any) -> bool:
    """Return whether a body has shapes with which it can touch others."""
    return not isinstance(definition, scene_bodies.ScaledBody | scene_bodies.Massless)


def touching_bodies(
    parts: dict[str, Part], groups: dict[str, tuple[str, ...]], touching: Touching
) -> tuple[list[Any], list[Shape], list[tuple[str, str]]]:
    """Return the definitions of the bodies with the shapes that can touch others, the shapes of the world, and the
    pairs of groups that never touch."""
    if not touching.asked:
        return [part.definition for part in parts.values()], [], []
    said = {name for pair in touching.never for name in pair}
    memberships: dict[str, set[str]] = {}
    for name in said & set(groups):
        for member in groups[name]:
            memberships.setdefault(member, set()).add(name)
    classes = Classes(touching.never)
    bodies = []
    for part in parts.values():
        definition = part.definition
        if part.shapes and has_touching_shapes(definition):
            own = memberships.get(part.name, set()) | (said & prefixes(part.name)) if said else set()
            shapes = [
                regrouped(shape, classes.name(own | ({group} & said)))
                for shape, group in zip(part.shapes, part.groups, strict=True)
                if group is not None
            ]
            definition = twin(definition, shapes=tuple(shapes))
        bodies.append(definition)
    world: list[Shape] = []
    if touching.ground is not None:
        floor = touching.floor
        world.append(
            Plane(
                position=(0.0, 0.0, touching.ground.height), friction=floor.friction, restitution=floor.restitution,
                group=classes.name({GROUND} & said),
            )
        )  # fmt: skip
    return bodies, world, classes.apart()


def prefixes(name: str) -> set[str]:
    """Return the name, and those of the figures that contain it: for hand/index/2 also hand/index and hand."""
    parts = name.split("/")
    return {"/".join(parts[:k]) for k in range(1, len(parts) + 1)}


class Classes:
    """The combinations of names that shapes have. Each is a group of the physics."""

    def __init__(self, never: tuple[tuple[str, str], ...]):
        """Store the pairs that never touch. There are no combinations of names yet."""
        self.never = dict.fromkeys(never)
        self.names: dict[frozenset[str], str] = {frozenset(): EVERYTHING}

    def name(self, members: Iterable[str]) -> str:
        """Return the physics' group for a combination of names."""
        key = frozenset(members)
        if key not in self.names:
            if len(self.names) == MOST_GROUPS:
                allowed = f"at most {MOST_GROUPS} different combinations of its names in one scene"
                raise DefinitionError("never in contacts", "more groups", allowed)
            self.names[key] = next(iter(key)) if len(key) == 1 else f"group{len(self.names)}"
        return self.names[key]

    def apart(self) -> list[tuple[str, str]]:
        """Return the pairs of groups that never touch."""
        having: dict[str, list[str]] = {}
        for members, name in self.names.items():
            for member in members:
                having.setdefault(member, []).append(name)
        order = {name: k for k, name in enumerate(self.names.values())}
        pairs = {
            tuple(sorted((a, b), key=order.__getitem__))
            for x, y in self.never
            for a in having.get(x, ())
            for b in having.get(y, ())
        }
        return sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]]))  # type: ignore[return-value]


def fluid_of(medium: Medium | None, parts: dict[str, Part]) -> Fluid | None:
    """Return the medium for the physics; None without a medium. It acts on the shapes of all bodies that forces move,
    whether or not they touch others."""
    if medium is None:
        return None
    shapes = {
        name: part.shapes for name, part in parts.items()
        if part.shapes and not part.held and has_touching_shapes(part.definition)
    }  # fmt: skip
    return Fluid(density=medium.density, viscosity=medium.viscosity, wind=medium.wind or (0.0, 0.0, 0.0), shapes=shapes)
