"""A loaded scene: the definitions for the physics, what else the window needs, and the problems found while loading."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from physics.definitions import scene
from physics.definitions.checks import WORLD, DefinitionError
from physics.maths.strict import norm
from physics.world.world import FREE_CORRECTION, World
from scenes.kinds.bodies import Material, Part
from scenes.kinds.constraints import Constraint, Coupled
from scenes.kinds.contacts import Touching, fluid_of, touching_bodies
from scenes.kinds.drives import Driven
from scenes.kinds.sections import Camera, Checks, Load, Medium, Parameter, Settings
from scenes.kinds.table import TIES
from scenes.kinds.ties import Edge
from scenes.loading.assembly import CLOSED, Assembly
from scenes.text.errors import Mark, Problem, SceneError
from scenes.text.reader import Map, mark_at


@dataclass
class LoadedScene:
    """The checked contents of a scene file."""

    name: str
    title: str
    about: str
    path: Path | None
    tree: Map
    parameters: dict[str, Parameter] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    camera: Camera | None = None
    checks: Checks = field(default_factory=Checks)
    materials: dict[str, Material] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    couplings: dict[str, Coupled] = field(default_factory=dict)
    drives: dict[str, Driven] = field(default_factory=dict)
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    poses: dict[str, dict[str, Any]] = field(default_factory=dict)
    start_pose: str | None = None
    pins: dict[str, tuple[str, tuple[float, ...] | None]] = field(default_factory=dict)  # body, point or whole pose
    caps: dict[str, float] = field(default_factory=dict)  # of pins, the largest force [N]
    touching: Touching = field(default_factory=Touching)
    medium: Medium | None = None
    loads: dict[str, Load] = field(default_factory=dict)
    velocities: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)  # warnings and notes
    given: list[Any] = field(default_factory=list)  # settings that came from outside
    open_joints: list[str] = field(default_factory=list)  # as drawn, when a world was made
    moved: dict[str, float] = field(default_factory=dict)  # by assembling them [m]

    @cached_property
    def definitions(self) -> scene.Scene:
        """Scene for the physics, at the drawn pose."""
        bodies, shapes, never = touching_bodies(self.parts, self.groups, self.touching)
        return scene.Scene(
            bodies=bodies,
            joints=[edge.definition for edge in self.edges.values()],
            couplings=[coupling.definition for coupling in self.couplings.values()],
            shapes=shapes,
            never=never,
            drives=[drive.definition for drive in self.drives.values()],
            medium=fluid_of(self.medium, self.parts),
            gravity=self.settings.gravity,
            timestep=self.settings.timestep,
        )

    @property
    def may_be_open(self) -> bool:
        """Whether some joint may be open at the drawn pose. For constraints only the physics can decide this."""
        return bool(self.couplings) or any(
            edge.spec.open_by(edge.definition) > CLOSED or (isinstance(edge.spec, Constraint) and not edge.spec.opens)
            for edge in self.edges.values()
        )

    @property
    def is_damped(self) -> bool:
        """Whether anything removes energy by design: joints, springs, soft limits, scales, the medium."""
        joints = [edge.definition for edge in self.edges.values()]
        dampers = [*joints, *(getattr(j, "soft_limits", None) for j in joints)]
        return (
            any(np.any(getattr(d, "damping", 0.0)) for d in dampers)
            or any(np.any(getattr(part.definition, "scale_damping", 0.0)) for part in self.parts.values())
            or (self.medium is not None and (self.medium.density > 0.0 or self.medium.viscosity > 0.0))
        )

    def make_world(self, *, solver: str | None = None, integrator: str | None = None) -> World:
        """Return a world in the state in which the scene starts."""
        s = self.settings
        try:
            world = World(
                self.definitions, solver=solver or s.solver, integrator=integrator or s.integrator, guard=s.guard,
                advise=False,  # warnings were already given with their lines when the file was read
            )  # fmt: skip
        except DefinitionError as error:
            if error.what == "solver" and solver is not None:
                raise  # asked for from outside
            raise SceneError([self.refusal(error)]) from None
        self.apply_settings(world)
        if self.start_pose is not None:
            self.take_pose(world, self.start_pose)
        if self.may_be_open and any(max(gaps) > CLOSED for gaps in world.gaps().values()):
            self.assemble(world)
        for name, (linear, angular) in self.velocities.items():
            body = world.bodies[name]
            body.velocity = linear
            if body.has_orientation:
                body.angular_velocity = angular
        if self.velocities and self.edges:
            world.assemble()  # closed already: it takes out what the joints forbid
        for name, load in self.loads.items():
            world.bodies[name].applied_force = load.force
            if world.bodies[name].has_orientation:
                world.bodies[name].applied_torque = load.torque
        for name, (body, point) in self.pins.items():
            if name in self.caps:
                kind = "point" if point is not None or not world.bodies[body].has_orientation else "pose"
                world.grab(body, point, kind, cap=self.caps[name])
            else:
                world.pin(body, point, name=name)
        return world

    def apply_settings(self, world: World) -> None:
        """Apply the settings of the scene to a world."""
        s = self.settings
        if s.stiffness_scale != 1.0:
            world.stiffness_scale = s.stiffness_scale
        if s.correction != "shake" and world.integrator in FREE_CORRECTION:
            try:
                world.correction = s.correction
            except DefinitionError as error:
                mark = mark_at(self.tree, ("settings", "correction"))
                raise SceneError([Problem("error", str(error), mark, "settings.correction")]) from None
        world.feedback = s.feedback
        world.columns = s.columns
        world.posing_friction = s.posing_friction
        world.drives_on = s.drives_on
        world.order = s.order
        if self.definitions.shapes or any(getattr(body, "shapes", ()) for body in self.definitions.bodies):
            world.contact_method = s.contact_method
            world.contact_law = s.contact_law
            world.sleeping = s.sleeping
            world.contact_tolerance = s.contact_tolerance

    def take_pose(self, world: World, name: str) -> None:
        """Move the bodies of a world to a pose, with their joints closed. A pose that does not close raises an error at
        the joint that stays open, and changes nothing."""
        Assembly(self, world).take_pose(name)

    def assemble(self, world: World) -> dict[str, float]:
        """Close the joints of a world. Return how far each body was moved [m]. A joint that cannot be closed raises an
        error at its line."""
        return Assembly(self, world).close_as_drawn()

    def refusal(self, error: DefinitionError) -> Problem:
        """Return the problem for an error that the physics raises for the whole scene, at the line of the body or joint
        that it names."""
        quoted = re.findall(r"'([^']+)'", error.what)
        name = next((n for n in quoted if n in self.edges or n in self.parts or n in self.couplings), "")
        found = self.edges.get(name) or self.couplings.get(name) or self.parts.get(name)
        if error.what == "never in contacts":
            return Problem("error", str(error), mark_at(self.tree, ("contacts", "never")), "contacts.never")
        if error.what.split(" of ")[-1].startswith(("drive", "target spring")):
            name = next((n for n in quoted if n in self.drives), "")
            found = self.drives.get(name)
            return Problem("error", str(error), found.mark if found else None, f"drives.{name}")
        return Problem("error", str(error), found.mark if found else None, self.path_of(name))

    def path_of(self, name: str) -> str:
        """Return the path of a joint, constraint, spring, coupling or body."""
        if name in self.edges:
            return f"{self.edges[name].section}.{name}"
        section = "constraints" if name in self.couplings else "bodies" if name in self.parts else ""
        return f"{section}.{name}" if section else ""

    def assembly(self) -> str:
        """Return a text that says which bodies assembly moved, and how far; empty if none was moved."""
        far = sorted(((d, name) for name, d in self.moved.items() if d > CLOSED), reverse=True)
        if not far:
            return ""
        shown = ", ".join(f"{name} {1e3 * d:.3g} mm" for d, name in far[:5])
        more = f" and {len(far) - 5} more" if len(far) > 5 else ""
        return f"assembled: {', '.join(self.open_joints[:5]) or 'the pose'} closed by moving {shown}{more}"

    def mark_of(self, path: str) -> Mark | None:
        """Return the place of an entry in the file."""
        section, _, rest = path.partition(".")
        name = rest.split(".")[0]
        if section == "bodies" and name in self.parts:
            return self.parts[name].mark
        if section in TIES and name in self.edges:
            return self.edges[name].mark
        if section == "constraints" and name in self.couplings:
            return self.couplings[name].mark
        return None

    @property
    def size(self) -> float:
        """Diagonal of the box around all bodies [m]."""
        points = np.array([part.place for part in self.parts.values()])
        return norm(np.ptp(points, axis=0))


def names_of(parts: dict[str, Part]) -> list[str]:
    """Return the names of the world and of all bodies."""
    return [WORLD, *parts]
