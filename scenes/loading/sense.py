"""Physical sense: values that are allowed but probably wrong. The warnings give the reason and the remedy."""

import math
from typing import Any

import numpy as np

from physics import measure_mass
from physics.definitions import bodies, joints
from physics.definitions.checks import WORLD
from physics.definitions.couplings import Coupling
from physics.definitions.folding import fold
from physics.maths.strict import distance, norm, product
from physics.world.reach import missed_contacts
from scenes.loading.overlaps import overlaps
from scenes.text.errors import Problems
from scenes.text.reader import Map, mark_at

# integrators that take springs as they are at the start of a step: unstable where w h is above 2
EXPLICIT = ("explicit", "rattle", "rattle4", "rk4")
# rad in a step, which the guard refuses (physics/integrators/acceptance.py)
FAST = 1.0
MOST_OVERLAPS = 5  # with a warning each
# densities beyond these are most likely a wrong unit
DENSITIES = (0.5, 25_000.0)  # kg/m^3: foam to osmium
HEAVY = 1e4  # ratio of the masses of two connected bodies
COARSE = 1.0 / 25.0  # s
# joints about whose point (or axis) two bodies turn
TURNING = ("ball", "hinge", "universal", "hinge_motor")
PARTS_OF_PI = 0.01  # how near to whole quarters of a turn, in such: 4.71 is meant as 3/2 pi
ROPE = 0.01  # of its length: what is drawn longer than that is no matter of digits
NO_ROOM = 1e-6  # rad or m
STRONG_GRAVITY = 300.0  # m/s^2: above the surface of Jupiter by ten


def judge(scene: Any, problems: Problems) -> None:
    """Warn of settings, bodies, joints, contacts and stiffness that are probably wrong."""
    settings = scene.settings
    if settings.timestep > COARSE:
        problems.warn(
            place(scene, "settings", "timestep"),
            f"a timestep of {settings.timestep:.3g} s is coarse: motion of a person needs about 1/100 s or less",
            "settings.timestep",
        )
    if norm(settings.gravity) > STRONG_GRAVITY:
        problems.warn(
            place(scene, "settings", "gravity"), "stronger gravity than anywhere; is a unit wrong?", "settings.gravity"
        )
    for part in {id(part.spec): part for part in reversed(scene.parts.values())}.values():  # of copies, the first
        judge_body(part, problems)
    for name, (_, angular) in scene.velocities.items():
        judge_spin(scene, name, norm(angular), problems)
    judge_overlaps(scene, problems)
    judge_contacts(scene, problems)
    seen: set[Any] = set()
    for edge in scene.edges.values():
        judge_joint(scene, edge, problems, seen)
        judge_place(scene, edge, problems, seen)
        judge_angles(scene, edge, problems, seen)
        judge_rope(scene, edge, problems, seen)
    for coupling in scene.couplings.values():
        if isinstance(coupling.definition, Coupling):
            judge_room(scene, coupling, problems)


def place(scene: Any, section: str, key: str) -> Any:
    """Return the place of a field in the file, or None if it is not written."""
    data = scene.tree.get(section)
    return data.value_mark(key) if data is not None and key in data else None


def judge_body(part: Any, problems: Problems) -> None:
    """Warn of a body whose mass and shapes give an unusual density."""
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
    """Warn of a joint between very different masses, and of springs that are too stiff or relaxed outside the limits.
    For the copies of a repeat, warn once for each kind of trouble."""
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
    if rest is None or limits is None or isinstance(d, joints.Ball) or not any(d.stiffness):
        return
    for x, low, high in zip(rest, limits.lower, limits.upper, strict=True):
        if not low <= x <= high and ("rest", edge.mark) not in seen:
            seen.add(("rest", edge.mark))
            problems.warn(
                edge.mark,
                f"the spring of {edge.name!r} is relaxed at {x:.4g}, outside its limits {low:.4g} to {high:.4g}",
                path,
            )


def judge_place(scene: Any, edge: Any, problems: Problems, seen: set[Any]) -> None:
    """Warn of a joint about which two bodies rotate if it is farther from both than the size of the larger one. A body
    that is joined only to the world is exempt, because it may hang by a rod that is not drawn."""
    d = edge.definition
    parts = [scene.parts.get(name) for name in (d.a, d.b)]
    if (
        edge.spec.kind not in TURNING
        or not all(p is not None and p.shapes for p in parts)
        or ("far", edge.mark) in seen
    ):
        return
    larger = max(part.size for part in parts)
    # from the nearest part of the body at least
    away = [distance(point, part.place) - part.size for part, point in zip(parts, d.points, strict=True)]
    if min(away) > larger and edge.spec.kind in ("hinge", "hinge_motor"):  # along its axis it may be anywhere
        arms = [np.subtract(point, part.place) for part, point in zip(parts, d.points, strict=True)]
        axis = np.array(d.axis)
        away = [norm(r - product(r, axis) * axis) - part.size for r, part in zip(arms, parts, strict=True)]
    if min(away) > larger > 0.0:
        seen.add(("far", edge.mark))
        problems.warn(
            edge.mark,
            f"{edge.name!r} is {min(away):.3g} m or more away from both {d.a!r} and {d.b!r}, which are no larger than "
            f"{larger:.3g} m; `at` is the point of the world where they meet as drawn",
            f"{edge.section}.{edge.name}.at",
        )


def written(scene: Any, edge: Any) -> Any:
    """Return the entry of a joint in this file, or None if it is not written here."""
    own = (scene.tree.get(edge.section) or {}).get(edge.name)
    row = (scene.tree.get("repeat") or {}).get(edge.name.rpartition("/")[0])
    return own if own is not None else row.get("joint") if isinstance(row, Map) else None


def judge_angles(scene: Any, edge: Any, problems: Problems, seen: set[Any]) -> None:
    """Warn of numbers without a unit between half a turn and a whole turn that are not multiples of pi/2. Larger
    numbers are refused elsewhere."""
    data = written(scene, edge)
    if not isinstance(data, Map) or ("angles", id(data)) in seen:
        return
    seen.add(("angles", id(data)))
    for key in ("swing", "twist", *(("limits",) if edge.spec.kind in ("hinge", "universal") else ())):
        waiting: list[tuple[Any, tuple[Any, ...]]] = [(data.get(key), (key,))]
        while waiting:
            value, inner = waiting.pop()
            if isinstance(value, list):
                waiting += [(x, (*inner, k)) for k, x in enumerate(value)]
            elif type(value) in (int, float) and math.pi < abs(value) <= 2.0 * math.pi:
                quarters = abs(value) / (0.5 * math.pi)
                if abs(quarters - round(quarters)) > PARTS_OF_PI:
                    problems.warn(
                        mark_at(data, inner),
                        f"{value:g} rad is {math.degrees(value):.0f} deg; did you mean {value:g} deg?",
                        f"{edge.section}.{edge.name}.{key}",
                    )


def judge_rope(scene: Any, edge: Any, problems: Problems, seen: set[Any]) -> None:
    """Warn of a rope whose ends are drawn farther apart than its length, or nearer than its shortest length. Assembly
    does not close such a rope; it pulls its bodies when the scene runs."""
    d = edge.definition
    if edge.spec.kind != "rope" or scene.start_pose is not None or ("rope", edge.mark) in seen:
        return
    drawn = distance(*d.points)
    bound, what = (d.longest, "no longer than") if drawn > d.longest else (d.shortest, "no shorter than")
    if edge.spec.open_by(d) > ROPE * bound:
        seen.add(("rope", edge.mark))
        problems.warn(
            edge.mark,
            f"{edge.name!r} is {what} {bound:.4g} m, and its ends are {drawn:.4g} m apart as drawn: they are pulled "
            "there when the scene starts; draw them so, or change the length",
            f"{edge.section}.{edge.name}",
        )


def judge_room(scene: Any, coupling: Any, problems: Problems) -> None:
    """Warn of a coupling, sum c q = offset, that lets no coordinate move within its hard limits."""
    d = coupling.definition
    spans = {}
    for (joint, axis), factor in d.terms.items():
        limits = getattr(scene.edges[joint].definition, "limits", None) if joint in scene.edges else None
        if limits is None or limits.lower is None:
            return  # a coordinate without limits leaves room for all others
        low, high = limits.lower[axis], limits.upper[axis]
        spans[joint, axis] = sorted((factor * low, factor * high))
    lowest, highest = (sum(span[k] for span in spans.values()) for k in (0, 1))
    for low, high in spans.values():
        # what c q may be, with all others where they help most
        least, most = max(low, d.offset - (highest - high)), min(high, d.offset - (lowest - low))
        if most - least > NO_ROOM:
            return
    names = " and ".join(repr(joint) for joint, _ in spans)
    problems.warn(
        coupling.mark,
        f"with the limits of {names} the coupling {coupling.name!r} leaves no room to move; has a coefficient or an "
        "axis the wrong sign?",
        f"constraints.{coupling.name}",
    )


def judge_overlaps(scene: Any, problems: Problems) -> None:
    """Warn of shapes that contacts would push apart at the start. Poses are not checked."""
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


def judge_contacts(scene: Any, problems: Problems) -> None:
    """Warn of bodies that fall through the ground because a joint to the world switches off the contact; of several
    copies, warn of the first only."""
    if not scene.touching.asked:
        return
    seen: set[Any] = set()
    for missed in missed_contacts(fold(scene.definitions).scene):
        # a joint through massless bodies has the names of all its parts
        names = [name for whole in missed.joints for name in whole.split("+")]
        edge = next((scene.edges[name] for name in names if name in scene.edges), None)
        mark = edge.mark if edge else scene.parts[missed.body].mark
        if mark is None or mark not in seen:
            seen.add(mark)
            path = f"{edge.section}.{edge.name}.collide" if edge else f"bodies.{missed.body}"
            problems.warn(mark, missed.sentence, path)


def judge_spin(scene: Any, name: str, speed: float, problems: Problems) -> None:
    """Warn of bodies that rotate by more than a radian a step. Such steps are taken in substeps, which take longer."""
    step = scene.settings.timestep
    if speed * step > FAST:
        problems.warn(
            scene.parts[name].mark,
            f"{name!r} turns at {speed:.4g} rad/s, {speed * step:.2g} rad in a timestep of {step:.3g} s, and would be "
            f"followed in substeps, which take longer; use one below {FAST / speed:.2g} s",
            f"start.velocities.{name}",
        )


def judge_stiffness(scene: Any, edge: Any, problems: Problems, seen: set[Any]) -> None:
    """Warn if the frequency w = sqrt(k / I) of a joint's spring is too high for the timestep of an explicit
    integrator."""
    d: Any = edge.definition
    settings = scene.settings
    if settings.integrator not in EXPLICIT or not isinstance(d, joints.Hinge | joints.Slider | joints.Ball):
        return
    moved = [scene.parts[n].definition for n in (d.a, d.b) if n in scene.parts and not scene.parts[n].held]
    if isinstance(d, joints.Slider):
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
    """Return an upper bound of the moment of inertia about a joint's point [kg m^2]."""
    if isinstance(body, bodies.PlanarBody):
        moment = body.inertia
    elif isinstance(body, bodies.Body):
        moment = max(body.inertia[:3])
    else:
        return 0.0
    arm = distance(body.position, point)
    return float(moment + body.mass * arm * arm)
