"""What goes with what: every kind of body, joint, constraint and force in every solver mode and with every integrator.

`python -m tests.helpers.support` tries all of it and writes the table to physics/definitions/SUPPORT.md, and
test_support.py keeps it current. A kind is taken by a mode if its accelerations are those of `dense`, and by an
integrator if some steps in motion keep every joint closed, finite, and need no redoing.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from physics.data.model_tables import BodyKind, Topology
from physics.data.step_tables import INTEGRATORS
from physics.definitions.actuators import Drive, TargetSpring
from physics.definitions.medium import Fluid
from physics.definitions.motions import HingeMotor, Moving, SliderMotor
from physics.definitions.functions import Condition, VelocityCondition
from physics.definitions.bodies import Body, Massless, Particle, PlanarBody, ScaledBody, Static
from physics.definitions.checks import DefinitionError
from physics.definitions.couplings import Coupling
from physics.definitions.joints import Ball, Distance, Free, Hinge, Slider
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Sphere
from physics.definitions.signals import Sinusoid
from physics.definitions.joints import Rope
from physics.definitions.springs import Spring, TorsionSpring
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.arrays import model_of

PAGE = Path(__file__).resolve().parents[2] / "physics" / "definitions" / "SUPPORT.md"
START, END = "<!-- support matrix: python -m tests.helpers.support -->", "<!-- end of the support matrix -->"
YES, LINK, NO = "yes", "link", "-"
PLACE = np.array([0.6, 0.1, -0.2])


def box(name: str, seed: int, position: Any) -> Body:
    return figures.random_body(np.random.default_rng(seed), name, np.array(position))


def pair(joint: Any, *more: Any, bodies: tuple[Any, ...] = (), **options: Any) -> Scene:
    """A body on a ball joint, and a second one tied to it by `joint`."""
    hook = Ball(name="hook", a="world", b="a", at=(-0.3, 0.0, 0.1))
    found = {body.name for body in bodies}
    base = [box("a", 1, (0.0, 0.0, 0.0))] + ([] if "b" in found else [box("b", 2, PLACE)])
    return Scene(bodies=[*base, *bodies], joints=[hook, joint, *more], **options)


def joint_scene(kind: str) -> Scene:
    rng = np.random.default_rng(3)
    return pair(figures.random_joint(rng, kind, "j", "a", "b", PLACE / 2, 5.0 if kind != "weld" else 0.0))


def constraint_scene(kind: str) -> Scene:
    return pair(figures.random_constraint(np.random.default_rng(4), kind, "j", "a", "b", PLACE))


def hinge(**more: Any) -> Hinge:
    return Hinge(name="j", a="a", b="b", at=PLACE / 2, axis=(0.0, 0.6, 0.8), **more)


def planar_scene() -> Scene:
    bodies = [PlanarBody(name=n, mass=1.0, inertia=0.1, position=(x, 0, 0)) for n, x in (("a", 0.5), ("b", 1.5))]
    joints = [
        Hinge(name="hook", a="world", b="a", axis=(0, 0, 1)),
        Hinge(name="j", a="a", b="b", at=(1, 0, 0), axis=(0, 0, 1), stiffness=3.0),
    ]
    return Scene(bodies=bodies, joints=joints, gravity=(0.0, -9.81, 0.0))


def scaled_scene(stretch: str) -> Scene:
    body = ScaledBody(
        name="b", mass=1.0, inertia=(0.02, 0.03, 0.04), position=PLACE, scale_stiffness=50.0, stretch=stretch
    )
    return pair(Ball(name="j", a="a", b="b", at=PLACE / 2), bodies=(body,))


def stretching_scene() -> Scene:
    """A constraint on the body of `scaled_scene`"""
    scene = scaled_scene("axes")
    tie = figures.random_constraint(np.random.default_rng(4), "point on line", "j", "b", "a", np.zeros(3))
    return replace(scene, joints=[scene.joints[0], tie])


def particle_scene() -> Scene:
    bead = Particle(name="b", mass=0.5, position=PLACE)
    return pair(Distance(name="j", a="a", b="b", at=((0.1, 0, 0), PLACE)), bodies=(bead,))


def pinned_particle_scene() -> Scene:
    bead = Particle(name="b", mass=0.5, position=PLACE)
    return pair(Ball(name="j", a="a", b="b", at=PLACE), bodies=(bead,))


def free_scene() -> Scene:
    return Scene(
        bodies=[box("a", 1, (0.0, 0.0, 0.0)), box("b", 2, PLACE)], joints=[hinge(), Free(name="f", a="world", b="a")]
    )


def moving_scene() -> Scene:
    scene = pair(hinge(), bodies=(Moving(name="m", position=(Sinusoid(0.0, 0.1, 1.0), 0.0, 0.0)),))
    return replace(scene, joints=[replace(scene.joints[0], a="m"), *scene.joints[1:]])


def static_scene() -> Scene:
    scene = pair(hinge(), bodies=(Static(name="m", position=(0.2, 0.3, 0.4)),))
    return replace(scene, joints=[replace(scene.joints[0], a="m"), *scene.joints[1:]])


def massless_scene() -> Scene:
    at = PLACE / 2
    ends = {"at": at, "axis": (0.0, 0.6, 0.8)}
    return pair(
        Hinge(name="j", a="a", b="m", **ends), Slider(name="k", a="m", b="b", at=at, axis=(1.0, 0.0, 0.0)),
        bodies=(Massless(name="m"),),
    )  # fmt: skip


def ring_scene() -> Scene:
    """Two bodies and three ball joints."""
    return pair(Ball(name="j", a="a", b="b", at=PLACE / 2), Ball(name="closing", a="b", b="world", at=PLACE + 0.1))


def told_rod_scene() -> Scene:
    """A rod whose length is a function of time"""
    length = float(np.linalg.norm(PLACE))
    return pair(Distance(name="j", a="a", b="b", at=((0, 0, 0), PLACE), length=Sinusoid(length, 0.1, 1.0)))


def rope_scene() -> Scene:
    """Three metres of it, slack"""
    return pair(hinge(), Rope(name="r", a="world", b="b", at=((0, 0, 1), PLACE), longest=3.0))


def coupling_scene() -> Scene:
    scene = pair(hinge())
    root = Hinge(name="hook", a="world", b="a", at=(-0.3, 0.0, 0.1), axis=(0, 1, 0))
    return replace(scene, joints=[root, scene.joints[1]], couplings=[Coupling(name="c", terms={"hook": 1.0, "j": 0.5})])


def around(x: Any, r: Any) -> Any:
    """A belt around three bodies, with a point of the second"""
    second = x[1] + 0.1 * r[1, :, 2]
    first, last, between = second - x[0], x[2] - second, x[0] - x[2]
    total = (first * first).sum() ** 0.5 + (last * last).sum() ** 0.5 + (between * between).sum() ** 0.5
    return np.array([total - AROUND])


def above(x: Any, r: Any) -> Any:
    return np.array([x[2, 2] - 0.5 * (x[0, 2] + x[1, 2]) - 0.9])


def level(x: Any, r: Any, v: Any, w: Any) -> Any:
    """The third sinks as the others rise, the faster the further out it is, and turns with the second one"""
    return np.array([
        v[2, 2] + 0.5 * (1.0 + x[2, 0]) * (v[0, 2] + v[1, 2]),
        (r[2, :, 0] * w[2]).sum() - 0.7 * w[1, 1] + 0.2 * (v[0, 0] - x[1, 1] * v[2, 0]),
    ])  # fmt: skip


THIRD = np.array([0.2, 0.9, 0.8])
AROUND = 2.7
PUSHES = [[0.0] * 12 + [0.3, -0.2, 1.0, 0.01, 0.0, 0.02], [0.0, 0.1] + [0.0] * 13 + [0.2, 0.02, 0.03]]


def condition_scene(function: Any, kind: type[Condition] = Condition, **more: Any) -> Scene:
    """On three bodies, of which one is free but for it"""
    scene = pair(hinge(), bodies=(box("c", 7, THIRD),))
    condition = kind(name="c", bodies=("a", "b", "c"), function=function, **more)
    return replace(scene, couplings=[condition])


def forced(**options: Any) -> Scene:
    return pair(hinge(), **options)


def spring_scene(kind: str) -> Scene:
    made: Any = {
        "spring": Spring(name="s", a="world", b="b", at=((0, 0, 1), PLACE + 0.1), stiffness=50.0, damping=1.0),
        "torsion spring": TorsionSpring(name="s", a="world", b="b", stiffness=5.0, damping=0.1),
    }[kind]
    return pair(hinge(), made)


SCENES: dict[str, dict[str, Callable[[], Scene]]] = {
    "bodies": {
        "particle on a ball joint": pinned_particle_scene, "particle on a rod (`Distance`)": particle_scene,
        "planar body": planar_scene, "scaled, uniform": lambda: scaled_scene("uniform"),
        "scaled, axes": lambda: scaled_scene("axes"), "static": static_scene, "moving": moving_scene,
        "massless": massless_scene,
    },
    "joints": {
        **{kind: lambda kind=kind: joint_scene(kind) for kind in (*figures.KINDS, *figures.SERIES)},
        "hinge motor": lambda: pair(
            HingeMotor(name="j", a="a", b="b", at=PLACE / 2, axis=(0, 1, 0), position=Sinusoid(0.0, 0.5, 1.0))
        ),
        "slider motor": lambda: pair(
            SliderMotor(name="j", a="a", b="b", at=PLACE / 2, axis=(0, 1, 0), velocity=Sinusoid(0.0, 0.5, 1.0))
        ),
        "free root (`Free`)": free_scene,
        "rotors (armature)": lambda: pair(hinge(armature=0.3)),
    },
    "constraints": {
        **{kind: lambda kind=kind: constraint_scene(kind) for kind in figures.CONSTRAINTS},
        "rod of told length": told_rod_scene, "rope": rope_scene,
        "hard limits": lambda: pair(hinge(limits=Limits(lower=-0.2, upper=0.3))),
        "point on line of a body that stretches": stretching_scene, "loop of joints": ring_scene,
        "coupling": coupling_scene,
        "condition on three bodies": lambda: condition_scene(around),
        "condition with forces of its own": lambda: condition_scene(
            above, force=[[0.0] * 12 + [0.3, -0.2, 1.0, 0.01, 0.0, 0.02]]
        ),
        "condition on velocities of three": lambda: condition_scene(level, VelocityCondition),
        "the same with forces of its own": lambda: condition_scene(level, VelocityCondition, force=PUSHES),
    },
    "forces": {
        "spring": lambda: spring_scene("spring"), "torsion spring": lambda: spring_scene("torsion spring"),
        "drive": lambda: forced(
            drives=[Drive(name="d", joint="j", position=0.5, stiffness=20.0, damping=1.0, max=3.0)]
        ),
        "target spring": lambda: forced(
            drives=[TargetSpring(name="d", body="b", rotation=(0.5, 0, 0), stiffness=50.0, turn_stiffness=2.0)]
        ),
        "medium": lambda: forced(medium=Fluid(density=50.0, viscosity=1.0, shapes={"b": Sphere(radius=0.2)})),
    },
}  # fmt: skip


def in_motion(scene: Scene, **options: str) -> World:
    world = World(scene, **options)
    rng = np.random.default_rng(5)
    for body in world.bodies.values():
        if body.mass == np.inf:
            continue
        v, w = 0.3 * rng.normal(size=3), 0.3 * rng.normal(size=3)
        if model_of(world).topology[body._row, Topology.BODY_KIND] == BodyKind.PLANAR:
            v[2], w[:2] = 0.0, 0.0
        body.velocity = v
        if body.has_orientation:
            body.angular_velocity = w
    world.assemble()
    return world


def as_links(scene: Scene) -> Scene:
    """The same with the joints in question outside the forest."""
    joints = [replace(j, auxiliary=True) if j.name == "j" and not j.auxiliary else j for j in scene.joints]
    return replace(scene, joints=joints)


def support_of_mode(scene: Scene, mode: str) -> str:
    """Taken as it is, as a link, or not at all; raises where it is taken and wrong."""
    for answer, one in ((YES, scene), (LINK, as_links(scene))):
        try:
            world = in_motion(one, solver=mode)
        except DefinitionError:
            continue
        expected = in_motion(one, solver="dense").accelerations()
        off = np.abs(world.accelerations() - expected).max()
        assert off < 1e-7 * (1.0 + np.abs(expected).max()), (mode, off)
        return answer
    return NO


def support_of_integrator(scene: Scene, integrator: str) -> str:
    world = in_motion(scene, integrator=integrator)
    world.timestep = 1.0 / 480.0
    world.step(4)
    open_too_far = world.largest_gap > (1e-2 if integrator == "hernandez" else 1e-6)
    return NO if world.redone or open_too_far or not np.isfinite(world.energy().total) else YES


def row(scene: Scene) -> list[str]:
    modes = [support_of_mode(scene, mode) for mode in MODES]
    return modes + [support_of_integrator(scene, integrator) for integrator in INTEGRATORS]


def table(cells: dict[str, dict[str, list[str]]]) -> str:
    names = [*MODES, *INTEGRATORS]
    lines = [f"| kind | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    for group, kinds in cells.items():
        lines.append(f"| **{group}** |" + " |" * len(names))
        lines += [f"| {kind} | {' | '.join(answers)} |" for kind, answers in kinds.items()]
    return "\n".join(lines)


def all_cells() -> dict[str, dict[str, list[str]]]:
    return {group: {kind: row(make()) for kind, make in kinds.items()} for group, kinds in SCENES.items()}


def printed() -> str:
    """The table in physics/definitions/SUPPORT.md"""
    text = PAGE.read_text()
    return text[text.index(START) + len(START) : text.index(END)].strip()


def write() -> None:
    text = PAGE.read_text()
    new = f"{START}\n{table(all_cells())}\n{END}"
    PAGE.write_text(re.sub(f"{re.escape(START)}.*?{re.escape(END)}", lambda _: new, text, flags=re.S))


if __name__ == "__main__":
    write()
