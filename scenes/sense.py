"""Physical sense: what is allowed and will still hurt, as warnings with the reason and the remedy."""

import math
from typing import Any

from physics import definitions
from physics.definitions import WORLD
from physics.shapes.mass import measure_mass
from scenes.errors import Problems
from scenes.overlaps import overlaps

# integrators that take springs as they are at the start of a step: unstable where w h is above 2
EXPLICIT = ("explicit", "rattle", "rattle4", "rk4")
# rad in a step, which the guard refuses (physics/integrators/guard.py)
FAST = 1.0
MOST_OVERLAPS = 5  # with a warning each
# beyond these a person has most likely slipped with a unit
DENSITIES = (0.5, 25_000.0)  # kg/m^3: foam to osmium
HEAVY = 1e4  # ratio of the masses of two bodies that hang together
COARSE = 1.0 / 25.0  # s
STRONG_GRAVITY = 300.0  # m/s^2: above the surface of Jupiter by ten


def judge(scene: Any, problems: Problems) -> None:
    settings = scene.settings
    if settings.timestep > COARSE:
        problems.warn(
            place(scene, "settings", "timestep"),
            f"a timestep of {settings.timestep:.3g} s is coarse: motion of a person needs about 1/100 s or less",
            "settings.timestep",
        )
    if math.hypot(*settings.gravity) > STRONG_GRAVITY:
        problems.warn(
            place(scene, "settings", "gravity"), "stronger gravity than anywhere; is a unit wrong?", "settings.gravity"
        )
    for part in {id(part.spec): part for part in reversed(scene.parts.values())}.values():  # of copies, the first
        judge_body(part, problems)
    for name, (_, angular) in scene.velocities.items():
        judge_spin(scene, name, math.hypot(*angular), problems)
    judge_overlaps(scene, problems)
    seen: set[Any] = set()
    for edge in scene.edges.values():
        judge_joint(scene, edge, problems, seen)


def place(scene: Any, section: str, key: str) -> Any:
    data = scene.tree.get(section)
    return data.value_mark(key) if data is not None and key in data else None


def judge_body(part: Any, problems: Problems) -> None:
    if not part.shapes or part.spec.kind not in ("rigid", "scaled") or part.held or part.spec.mass is None:
        return
    volume = sum(measure_mass(shape, 1.0).mass for shape in part.shapes)
    rho = part.spec.mass / volume
    if not DENSITIES[0] <= rho <= DENSITIES[1]:
        problems.warn(
            part.mark, f"mass and shape make a density of {rho:.3g} kg/m^3 (water has 1000); is a unit wrong?",
            f"bodies.{part.name}.mass",
        )  # fmt: skip


def judge_joint(scene: Any, edge: Any, problems: Problems, seen: set[Any]) -> None:
    """Each kind of trouble once for all copies of a repeat."""
    d = edge.definition
    path = f"{edge.section}.{edge.name}"
    masses = [m for n in (d.a, d.b) if n in scene.parts and (m := getattr(scene.parts[n].definition, "mass", None))]
    if len(masses) == 2 and max(masses) > HEAVY * min(masses) and ("heavy", edge.mark) not in seen:
        seen.add(("heavy", edge.mark))
        problems.warn(
            edge.mark,
            f"masses of {masses[0]:.3g} and {masses[1]:.3g} kg hang together: the light one then moves fast, "
            "and needs a short timestep to look right (the direct solvers stay exact, `cg` needs many iterations)",
            path,
        )
    judge_stiffness(scene, edge, problems, seen)
    rest = getattr(d, "rest", None)
    limits = getattr(d, "soft_limits", None) or getattr(d, "limits", None)
    if rest is None or limits is None or isinstance(d, definitions.Ball) or not any(d.stiffness):
        return
    for x, low, high in zip(rest, limits.lower, limits.upper, strict=True):
        if not low <= x <= high and ("rest", edge.mark) not in seen:
            seen.add(("rest", edge.mark))
            problems.warn(
                edge.mark,
                f"the spring of {edge.name!r} is relaxed at {x:.4g}, outside its limits {low:.4g} to {high:.4g}",
                path,
            )


def judge_overlaps(scene: Any, problems: Problems) -> None:
    """What would be pushed apart at the start; poses are not looked at."""
    if not scene.touching.asked:
        own = scene.tree.get("bodies") or {}
        asking = next((part for name, part in scene.parts.items() if name in own and part.spec.collide), None)
        if asking is not None:
            problems.warn(
                asking.mark,
                f"{asking.name!r} says what it collides with, and nothing touches in this scene: it has neither "
                "`ground` nor `contacts`; `contacts: {}` will do",
                f"bodies.{asking.name}.collide",
            )
        return
    if scene.start_pose is not None:
        return
    found = overlaps(scene.definitions)
    for a, b, depth in found[:MOST_OVERLAPS]:
        first, second = (a, b) if b in scene.parts else (b, a)
        other = "the ground" if first == WORLD else repr(first)
        name = "ground" if first == WORLD else first
        more = f" (and {len(found) - MOST_OVERLAPS} more pairs)" if len(found) > MOST_OVERLAPS else ""
        problems.warn(
            scene.parts[second].mark,
            f"{second!r} stands {1e3 * depth:.3g} mm deep in {other} as drawn, and is pushed out{more}; move one of "
            f"them, or keep them apart: `contacts: {{never: [[{second}, {name}]]}}`",
            f"bodies.{second}",
        )


def judge_spin(scene: Any, name: str, speed: float, problems: Problems) -> None:
    """What turns by more than a radian a step is slowed down by the guard."""
    step = scene.settings.timestep
    if speed * step > FAST:
        problems.warn(
            scene.parts[name].mark,
            f"{name!r} turns at {speed:.4g} rad/s, {speed * step:.2g} rad in a timestep of {step:.3g} s, and would be "
            f"slowed down; use one below {FAST / speed:.2g} s",
            f"start.velocities.{name}",
        )


def judge_stiffness(scene: Any, edge: Any, problems: Problems, seen: set[Any]) -> None:
    """w = sqrt(k / I) of the spring of a single axis against the step, where the integrator is not implicit."""
    d: Any = edge.definition
    settings = scene.settings
    if settings.integrator not in EXPLICIT or not isinstance(
        d, definitions.Hinge | definitions.Slider | definitions.Ball
    ):
        return
    moved = [scene.parts[n].definition for n in (d.a, d.b) if n in scene.parts and not scene.parts[n].held]
    if isinstance(d, definitions.Slider):
        inert = [body.mass for body in moved]
    else:
        inert = [_about_anchor(body, point) for body, point in zip(moved, d.points[-len(moved) :], strict=True)]
    inert = [i for i in inert if i]
    stiffness: Any = d.stiffness
    if not inert or not any(stiffness):
        return
    frequency = math.sqrt(max(stiffness) / min(inert))
    if frequency * settings.timestep > 2.0 and ("stiff", edge.mark) not in seen:
        seen.add(("stiff", edge.mark))
        problems.warn(
            edge.mark,
            f"the spring of {edge.name!r} swings at {frequency / (2 * math.pi):.3g} Hz, too fast for "
            f"{settings.integrator} with a timestep of {settings.timestep:.3g} s; use trbdf2 or implicit, or one below "
            f"{2 / frequency:.2g} s",
            f"{edge.section}.{edge.name}",
        )


def _about_anchor(body: Any, point: Any) -> float:
    """A bound of the moment of inertia about a joint's point: the largest."""
    if isinstance(body, definitions.PlanarBody):
        moment = body.inertia
    elif isinstance(body, definitions.Body):
        moment = max(body.inertia[:3])
    else:
        return 0.0
    return float(moment + body.mass * math.dist(body.position, point) ** 2)
