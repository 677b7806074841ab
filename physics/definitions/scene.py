"""The scene from which `World` is built: bodies, joints, constraints, shapes of the world, drives, a medium.

Positions, orientations, anchor points and axes are given in world axes at the drawn pose of the figure. Joint
coordinates are zero at the drawn pose. Angles and travels are those of the second body `b` relative to the first body
`a`. Where a body is asked for, `"world"` (or None) may be given. Angles are in radians, and all other quantities in SI
units. A direction is three numbers or one of the words "x", "y", "z", "-x", "-y", "-z". The names of the fields are the
words of scene files (scenes/REFERENCE.md). Each class lists its second spellings in `old_words` and `other_words`
(physics/definitions/spellings.py).

A definition that cannot be built raises a `DefinitionError`, which says what was wrong, what was given, and what is
allowed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from physics.definitions.named import Actuator
from physics.definitions.bodies import Body, Fixed, Massless, Particle, PlanarBody, ScaledBody, Static
from physics.definitions.checks import WORLD, DefinitionError, Vector, known_name, finite_numbers, number
from physics.definitions.couplings import Linkage
from physics.definitions.joints import Ball, Distance, Free, Hinge, Joint, Slider, Weld
from physics.definitions.named import Attached
from physics.definitions.shapes.shape import Shape, checked_shapes
from physics.definitions.spellings import Spelled
from physics.definitions.surrounding import Medium
from physics.maths.strict import distance, norm, product

__all__ = ["Scene"]


@dataclass(frozen=True, kw_only=True)
class Scene(metaclass=Spelled):
    """All definitions from which `World` is built.

    >>> from physics import Body, Hinge, Scene
    >>> rod = Body(name="rod", mass=2.0, inertia=(0.1, 0.1, 0.01), position=(0.5, 0, 0))
    >>> pivot = Hinge(name="pivot", a="world", b="rod", axis=(0, 1, 0))
    >>> len(Scene(bodies=[rod], joints=[pivot], timestep=0.01).joints)
    1
    """

    old_words: ClassVar[Mapping[str, str]] = {"apart": "never"}

    bodies: Sequence[Body | Particle | PlanarBody | Massless | Fixed]
    joints: Sequence[Joint] = ()
    couplings: Sequence[Linkage] = ()  # couplings of joints, conditions on bodies
    shapes: Sequence[Shape] = ()  # of the world: floors, walls
    never: Sequence[tuple[str, str]] = ()  # pairs of groups of shapes that never touch (or a group and itself)
    drives: Sequence[Actuator] = ()
    medium: Medium | None = None
    gravity: Vector = (0.0, 0.0, -9.81)  # m/s^2
    timestep: float = 1.0 / 240.0  # s

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        object.__setattr__(self, "gravity", finite_numbers("gravity", self.gravity, 3))
        object.__setattr__(self, "timestep", number("timestep", self.timestep, 0.0, strict=True))
        for key in ("bodies", "joints", "couplings", "drives"):
            if isinstance(getattr(self, key), str) or not isinstance(getattr(self, key), Sequence):
                raise DefinitionError(f"{key} of a scene", getattr(self, key), f"a list of {key}")
        object.__setattr__(self, "shapes", checked_shapes("shapes of a scene", self.shapes, True))
        names: set[str] = set()
        for body in self.bodies:
            if not isinstance(body, Body | Particle | PlanarBody | Massless | Fixed):
                allowed = "Body, ScaledBody, PlanarBody, Particle, Massless, Static or Moving values"
                raise DefinitionError("bodies", body, allowed)
            if body.name in names:
                raise DefinitionError("name of a body", body.name, "a name used once")
            names.add(body.name)
        self._check_joints(names)
        self._check_couplings()
        self._check_drives()

    def _check_joints(self, bodies: set[str]) -> None:
        """Refuse joints that name unknown bodies or bodies that do not suit them. Refuse two joints of the same kind
        that connect the same bodies at the same point."""
        names: set[str] = set()
        ties: dict[tuple[Any, ...], str] = {}
        particles = {b.name for b in self.bodies if isinstance(b, Particle)}
        unmoved = {WORLD, *(b.name for b in self.bodies if isinstance(b, Fixed))}
        by_name: dict[str, Any] = {b.name: b for b in self.bodies}
        for joint in self.joints:
            if not isinstance(joint, Joint):
                raise DefinitionError("joints", joint, "joint values such as Ball, Hinge, Distance")
            if joint.name in names:
                raise DefinitionError("name of a joint", joint.name, "a name used once")
            names.add(joint.name)
            for key in (joint.a, joint.b):
                if key != WORLD and key not in bodies:
                    raise DefinitionError(f"body of {joint.label}", key, known_name(str(key), bodies))
            for end in "ab":
                if getattr(joint, end) in particles and not (joint.on_particles or end in joint.particle_ends):
                    raise DefinitionError(
                        f"body of {joint.label}", getattr(joint, end),
                        "a rigid body: a particle takes ball, distance and free joints, points on planes, lines and "
                        "curves, and functions",
                    )  # fmt: skip
            self._check_particle_point(joint, by_name)
            joint.check(by_name)
            if {joint.a, joint.b} <= unmoved:
                raise DefinitionError(
                    f"bodies of {joint.label}", (joint.a, joint.b), "at least one body that forces can move"
                )
            ends = [by_name[key] for key in (str(joint.a), str(joint.b)) if key in by_name]
            self._check_plane(joint, ends)
            stretching = any(isinstance(body, ScaledBody) for body in ends)
            if stretching and np.any(getattr(joint, "armature", 0.0)):
                allowed = "0 at a joint of a scaled body: the rate of its rotor would depend on the scales"
                raise DefinitionError(f"armature of {joint.label}", joint.armature, allowed)  # type: ignore[attr-defined]
            if not joint.once:
                continue
            free = isinstance(joint, Free)  # at whichever point
            # rounded: where two computed points are meant to be the same
            points = [None if free else tuple(round(x, 12) for x in point) for point in joint.points]
            tie = (joint.kind, frozenset(zip((joint.a, joint.b), points, strict=True)))
            if tie in ties:
                same = "the same body" if free else "the same bodies and point"
                raise DefinitionError(f"{joint.label}", f"{same} as {ties[tie]!r}", "each joint once")
            ties[tie] = joint.name

    def _check_plane(self, joint: Joint, bodies: Sequence[Any]) -> None:
        """Refuse a joint between planar bodies, or between one and the world, if it would move a body out of its
        plane."""
        ends = [b.normal for b in bodies if isinstance(b, PlanarBody)]
        held = [b for b in bodies if isinstance(b, Fixed)]
        if not ends or isinstance(joint, Free) or len(ends) + len(held) + (WORLD in (joint.a, joint.b)) < 2:
            return
        if held and not isinstance(held[0], Static) and not isinstance(joint, Distance):
            raise DefinitionError(
                f"bodies of {joint.label}", (joint.a, joint.b), "a rod between a planar body and one that is moved"
            )
        normal = np.array(ends[0])
        if isinstance(joint, Distance) or joint.is_constraint or joint.kind in ("spring", "torsion spring"):
            return
        if not isinstance(joint, Hinge | Slider | Weld):
            raise DefinitionError(
                joint.label, "between planar bodies", "hinges about the normal, sliders in the plane, welds and rods"
            )
        if norm(np.cross(normal, ends[-1])) > 1e-9:
            raise DefinitionError(f"bodies of {joint.label}", ends, "planar bodies with the same normal")
        along = abs(product(normal, np.array(joint.axis))) if not isinstance(joint, Weld) else 1.0
        if isinstance(joint, Hinge) and along < 1.0 - 1e-12:
            raise DefinitionError(f"axis of {joint.label}", joint.axis, f"the normal {tuple(normal.tolist())}")
        if isinstance(joint, Slider) and along > 1e-9:
            raise DefinitionError(
                f"axis of {joint.label}", joint.axis, f"a direction across the normal {tuple(normal.tolist())}"
            )

    def _check_couplings(self) -> None:
        """Refuse couplings and conditions whose names, bodies or joints are wrong."""
        self._check_attached("couplings", Linkage, "Coupling and Condition values", {j.name for j in self.joints})

    def _check_drives(self) -> None:
        """Refuse drives, target springs and a medium whose names, bodies or joints are wrong."""
        self._check_attached("drives", Actuator, "Drive and TargetSpring values", set())
        if self.medium is not None:
            if not isinstance(self.medium, Medium):
                raise DefinitionError("medium", self.medium, "a Fluid, or None")
            self.medium.check({b.name: b for b in self.bodies})

    def _check_attached(self, field: str, kind: type[Attached], allowed: str, names: set[str]) -> None:
        """Check that each entry of a field is a definition of this kind, that its name is not among `names` and is used
        only once, and that its bodies and joints suit it."""
        bodies, joints = {b.name: b for b in self.bodies}, {j.name: j for j in self.joints}
        for one in getattr(self, field):
            if not isinstance(one, kind):
                raise DefinitionError(field, one, allowed)
            if one.name in names:
                raise DefinitionError(f"name of {one.label}", one.name, "a name used once")
            names.add(one.name)
            one.check(bodies, joints)

    def _check_particle_point(self, joint: Joint, by_name: Mapping[str, Any]) -> None:
        """Refuse a joint whose anchor on a particle is not where the particle is, and a joint that restricts the
        orientation of a particle, which has none."""
        for end, point in zip("ab", joint.points, strict=True):
            key = getattr(joint, end)
            body = by_name.get(key)
            if not isinstance(body, Particle) or (end not in joint.point_of and joint.kind not in ("ball", "spring")):
                continue
            if distance(body.position, point) > 1e-9:
                raise DefinitionError(f"at of {joint.label}", point, f"the place of particle {key!r}: {body.position}")
            if not isinstance(joint, Ball):
                continue
            limited = joint.soft_limits or joint.limits
            if limited or any((*joint.stiffness, *joint.damping, *joint.armature)):  # type: ignore[misc]
                raise DefinitionError(
                    f"stiffness of {joint.label}", joint.stiffness, "0: a particle has no orientation"
                )
