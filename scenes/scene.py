"""A loaded scene: the definitions for the physics, what the window needs beside them, what was said while loading."""

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from physics import definitions
from physics.definitions import WORLD, DefinitionError
from physics.world import World
from scenes.bodies import Material, Part
from scenes.errors import Mark, Problem, SceneError
from scenes.joints import SPRINGS, Edge
from scenes.poses import open_by, posed
from scenes.reader import Map
from scenes.sections import Camera, Checks, Parameter, Settings

# joints that are open by more than this as drawn are assembled when the scene is loaded [m]
CLOSED = 1e-9
# what an assembled joint may stay open by, and how often the bodies are shaken to find a pose that closes
OPEN = 1e-6
ATTEMPTS = 4


@dataclass
class LoadedScene:
    """Everything that one YAML file says, checked."""

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
    groups: dict[str, tuple[str, ...]] = field(default_factory=dict)
    poses: dict[str, dict[str, Any]] = field(default_factory=dict)
    start_pose: str | None = None
    pins: dict[str, tuple[str, tuple[float, ...] | None]] = field(default_factory=dict)  # body, point or whole pose
    velocities: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = field(default_factory=dict)
    files: list[Path] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)  # warnings and notes
    given: list[Any] = field(default_factory=list)  # settings that came from outside
    moved: dict[str, float] = field(default_factory=dict)  # by assembling, when a world was made [m]

    @cached_property
    def definitions(self) -> definitions.Scene:
        """What the physics is built from: the scene as drawn."""
        return definitions.Scene(
            bodies=[part.definition for part in self.parts.values() if not part.fixed],
            joints=[edge.definition for edge in self.edges.values()],
            gravity=self.settings.gravity,
            timestep=self.settings.timestep,
        )

    @property
    def open_joints(self) -> list[str]:
        """Joints that are not closed as drawn."""
        return [edge.name for edge in self.edges.values() if open_by(edge.definition) > CLOSED]

    @property
    def has_loops(self) -> bool:
        """Whether there are more joints than a forest has."""
        root: dict[str, str] = {}

        def find(x: str) -> str:
            while root.setdefault(x, x) != x:
                root[x] = root[root[x]]
                x = root[x]
            return x

        for edge in self.edges.values():
            if edge.spec.kind in SPRINGS:
                continue
            a, b = find(str(edge.definition.a)), find(str(edge.definition.b))
            if edge.spec.kind != "free" and a == b:
                return True
            if edge.spec.kind != "free":
                root[a] = b
        return False

    def make_world(self, *, solver: str | None = None, integrator: str | None = None) -> World:
        """A world in the state in which the scene starts."""
        s = self.settings
        world = World(self.definitions, solver=solver or s.solver, integrator=integrator or s.integrator, guard=s.guard)
        if s.stiffness_scale != 1.0:
            world.stiffness_scale = s.stiffness_scale
        world.order = s.order
        if self.start_pose is not None:
            self.take_pose(world, self.start_pose)
        if self.open_joints or (self.start_pose is not None and self.has_loops):
            self.assemble(world)
        for name, (linear, angular) in self.velocities.items():
            body = world.bodies[name]
            body.velocity = linear
            if body.has_orientation:
                body.angular_velocity = angular
        if self.velocities and self.edges:
            world.assemble()  # closed already: it takes out what the joints forbid
        for name, (body, point) in self.pins.items():
            world.pin(body, point, name=name)
        return world

    def take_pose(self, world: World, name: str) -> None:
        """Put the bodies of a world where a pose has them."""
        for body, (position, quaternion) in posed(self.parts, self.edges, self.poses[name]).items():
            view = world.bodies[body]
            view.position = position
            if view.has_orientation:
                view.quaternion = quaternion

    def assemble(self, world: World) -> dict[str, float]:
        """Close the joints; how far each body was moved. One that cannot be closed is an error at its line."""
        start = {name: body.position for name, body in world.bodies.items()}
        rng = np.random.default_rng(0)
        culprit = self._cannot_close("", 0.0)
        for attempt in range(ATTEMPTS):
            with suppress(DefinitionError):  # judged by the gaps
                world.assemble()
            name, gap = max(((k, max(g)) for k, g in world.gaps().items()), key=lambda pair: pair[1], default=("", 0.0))
            if gap <= OPEN:
                break
            if attempt == 0:
                culprit = self._cannot_close(name, gap)  # before shaking: later another one may be open
            if attempt == ATTEMPTS - 1:
                raise SceneError([culprit])
            self._shake(world, rng)
        self.moved = {k: float(np.linalg.norm(body.position - start[k])) for k, body in world.bodies.items()}
        return self.moved

    def _shake(self, world: World, rng: np.random.Generator) -> None:
        """Out of a stretched or folded pose, from which no small motion closes the joints."""
        for body in world.bodies.values():
            body.velocity = rng.normal(size=3) * 0.1 * max(self.size, 0.1)
            if body.has_orientation:
                body.angular_velocity = rng.normal(size=3)
        world.move(0.2)
        for body in world.bodies.values():
            body.velocity = (0.0, 0.0, 0.0)
            if body.has_orientation:
                body.angular_velocity = (0.0, 0.0, 0.0)

    def _cannot_close(self, name: str, gap: float) -> Problem:
        edge = self.edges.get(name)
        message = f"joint {name!r} cannot be closed together with the others: it stays open by {gap:.3g} m (rad)"
        return Problem("error", message, edge.mark if edge else None, f"{edge.section}.{name}" if edge else "")

    def assembly(self) -> str:
        """Which bodies were moved by assembling, and how far; an empty text where none was."""
        far = sorted(((d, name) for name, d in self.moved.items() if d > CLOSED), reverse=True)
        if not far:
            return ""
        shown = ", ".join(f"{name} {1e3 * d:.3g} mm" for d, name in far[:5])
        more = f" and {len(far) - 5} more" if len(far) > 5 else ""
        return f"assembled: {', '.join(self.open_joints[:5]) or 'the pose'} closed by moving {shown}{more}"

    def mark_of(self, path: str) -> Mark | None:
        """Where something stands in the file."""
        section, _, rest = path.partition(".")
        name = rest.split(".")[0]
        if section == "bodies" and name in self.parts:
            return self.parts[name].mark
        if section in ("joints", "constraints", "springs") and name in self.edges:
            return self.edges[name].mark
        return None

    @property
    def size(self) -> float:
        """The diagonal of the box around all bodies [m]."""
        points = np.array([part.position for part in self.parts.values()])
        return float(np.linalg.norm(np.ptp(points, axis=0)))


def names_of(parts: dict[str, Part]) -> list[str]:
    return [WORLD, *parts]
