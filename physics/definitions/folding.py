"""The removal ("folding") of massless bodies. A chain of joints through massless bodies becomes one joint between the
two bodies with mass at the ends of the chain. It is a compound joint, or a ball or weld where the chain has only such
joints.

    F_c = F_p E_1 E_2 E_3        the axes of all joints of the chain in series (physics/joints/compound.py)

A body without mass has no equation of motion: with rows for such a body the system would be singular. The wrenches of
its joints balance each other, so that all joints of the chain transmit the same wrench. Each folded joint keeps its
name. Its coordinates are some of those of the joint that replaces the chain (`Place`)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from physics.definitions.bodies import Massless
from physics.definitions.checks import DefinitionError
from physics.definitions.compound import Compound, Part, Slide, Turn, check_series
from physics.definitions.joints import Ball, Free, Joint, SpringJoint, Weld
from physics.definitions.limits import Limits, SoftLimits
from physics.definitions.scene import Scene
from physics.definitions.series import ScrewAxis, reversed_series

MOST_AXES = 3


@dataclass(frozen=True)
class Place:
    """The place of a folded joint in the joint that replaces its chain."""

    joint: str  # the compound's name
    before: int  # axes of the compound, from its a to its b, before those of this joint
    forward: bool  # the joint's own a comes first
    columns: tuple[int, ...]  # which of the compound's coordinates are its own, in its own order


@dataclass(frozen=True)
class Folded:
    """A scene without massless bodies, and the place of each folded joint by its name."""

    scene: Scene  # without massless bodies, and where there were any without drives, which name their joints
    places: dict[str, Place]  # of the joints that were folded


def fold(scene: Scene) -> Folded:
    """Return the scene without its massless bodies, and the places of the folded joints. If there are massless bodies,
    the returned scene has no drives either, because these name the old joints. Refuse a massless body that is the end
    of a chain, that has more than two joints, or whose joints cannot be folded."""
    massless = {b.name for b in scene.bodies if isinstance(b, Massless)}
    if not massless:
        return Folded(scene, {})
    ties: dict[str, list[Joint]] = {name: [] for name in massless}
    for joint in scene.joints:
        for name in massless & {joint.a, joint.b}:
            _check_joint(joint, name)
            ties[name].append(joint)
    for name, joints in ties.items():
        if len(joints) != 2:
            got = [j.name for j in joints]
            raise DefinitionError(f"joints of massless body {name!r}", got, "two: one on each side of it")
    made: dict[str, Joint] = {}  # by the name of the first joint of the chain
    gone: set[str] = set()
    places: dict[str, Place] = {}
    for chain in _chains(scene, massless, ties):
        joint, here = _joined(chain)
        made[chain[0][0].name] = joint
        gone |= {j.name for j, _ in chain}
        places |= here
    joints = [made.get(j.name, j) for j in scene.joints if j.name in made or j.name not in gone]
    bodies = [b for b in scene.bodies if b.name not in massless]
    return Folded(replace(scene, bodies=bodies, joints=joints, drives=()), places)


def _check_joint(joint: Joint, name: str) -> None:
    """Refuse a joint of a massless body that cannot become part of a compound joint."""
    what = f"{joint.label} of massless body {name!r}"
    if isinstance(joint, Free):
        raise DefinitionError(what, joint.kind, "a body with a mass: what moves freely has one")
    if not isinstance(joint, Ball | Weld) and not (isinstance(joint, SpringJoint) and joint.series):
        raise DefinitionError(what, joint.kind, "a weld, a ball, or a joint made of hinges, sliders and screws")
    if joint.points[0] != joint.points[1]:
        raise DefinitionError(f"at of {what}", joint.points, "one point: a massless body is drawn where its joints are")


def _chains(scene: Scene, massless: set[str], ties: dict[str, list[Joint]]) -> Iterator[list[tuple[Joint, bool]]]:
    """Yield each chain of joints from one body with mass to another, as a list of (joint, whether the chain reaches its
    body a before b). Of the joints at the two ends of a chain, the one that is defined first begins it."""
    done: set[str] = set()
    for joint in scene.joints:
        if joint.name in done or len(massless & {joint.a, joint.b}) != 1:
            continue
        start = joint.a if joint.b in massless else joint.b
        chain: list[tuple[Joint, bool]] = []
        here, link = start, joint
        while True:
            forward = link.a == here
            chain.append((link, forward))
            done.add(link.name)
            here = link.b if forward else link.a
            if here not in massless:
                break
            link = next(k for k in ties[here] if k is not link)  # type: ignore[index]
        if here == start:
            names = [j.name for j, _ in chain]
            raise DefinitionError(f"chain of massless bodies at {start!r}", names, "joints that end at another body")
        yield chain
    left = [name for name in massless if not any(j.name in done for j in ties[name])]
    if left:
        raise DefinitionError("massless bodies", sorted(left), "bodies whose joints lead to one with a mass")


def _joined(chain: list[tuple[Joint, bool]]) -> tuple[Joint, dict[str, Place]]:
    """Return the joint that replaces a chain, and for each joint of the chain its place in the new one."""
    names = [j.name for j, _ in chain]
    first, last = chain[0], chain[-1]
    ends = {"a": first[0].a if first[1] else first[0].b, "b": last[0].b if last[1] else last[0].a}
    shared: dict[str, Any] = {
        "auxiliary": any(j.auxiliary for j, _ in chain),
        "collide": all(j.collide for j, _ in chain),
    }
    moving = [(j, forward) for j, forward in chain if not isinstance(j, Weld)]
    what = f"chain of massless bodies between {ends['a']!r} and {ends['b']!r}"
    if any(isinstance(j, Ball) for j, _ in moving):
        if len(moving) > 1:
            raise DefinitionError(what, names, "a ball joint alone, or joints with three axes at most")
        joint, forward = moving[0]
        whole: Joint = replace(joint, **(ends if forward else {"a": ends["b"], "b": ends["a"]}), **shared)
        welds = chain.index(moving[0])
        return whole, {
            j.name: Place(joint.name, int((k > welds) == forward), way == forward, ())
            for k, (j, way) in enumerate(chain) if j is not joint
        }  # fmt: skip
    if sum(j.axes for j, _ in moving) > MOST_AXES:
        raise DefinitionError(what, names, f"{MOST_AXES} axes at most between two bodies with a mass")
    name = "+".join(names)
    at = last[0].points[0]
    places: dict[str, Place] = {}
    parts: list[Part] = []
    for joint, forward in chain:
        columns = list(range(len(parts), len(parts) + joint.axes))
        places[joint.name] = Place(name, len(parts), forward, tuple(columns if forward else columns[::-1]))
        parts += _parts(joint, forward)
    if not parts:
        return Weld(name=name, **ends, at=at, **shared), places
    whole = Compound(name=name, **ends, at=at, parts=parts, **shared)
    check_series(what, whole.series)
    return whole, places


def _parts(joint: Joint, forward: bool) -> list[Part]:
    """Return the axes of a joint as parts of a compound joint. If the chain passes the joint from b to a (not
    `forward`), the parts are in reverse order and have the opposite directions."""
    if not isinstance(joint, SpringJoint):
        return []
    series = [axis.moved(joint.points[0]) for axis in joint.series]
    parts = [_part(joint, k, axis) for k, axis in enumerate(series if forward else reversed_series(series)[::-1])]
    return parts if forward else parts[::-1]


def _part(joint: SpringJoint, k: int, axis: ScrewAxis) -> Part:
    """Return axis k of a joint as a part of a compound joint, with its spring and limits."""
    limits = joint.soft_limits
    carried = {
        key: getattr(joint, key)[k] for key in ("stiffness", "damping", "rest", "armature")
    }  # fmt: skip
    if limits is not None:
        carried["soft_limits"] = SoftLimits(
            stiffness=limits.stiffness[k],  # type: ignore[index]
            damping=limits.damping[k],  # type: ignore[index]
            lower=_finite(limits.lower[k]),  # type: ignore[index]
            upper=_finite(limits.upper[k]),  # type: ignore[index]
        )
    if joint.limits is not None:
        carried["limits"] = Limits(
            lower=joint.limits.lower[k],  # type: ignore[index]
            upper=joint.limits.upper[k],  # type: ignore[index]
            restitution=joint.limits.bounce(k),
        )
    if axis.turn == 0.0:
        return Slide(axis=axis.direction, at=axis.point, **carried)
    return Turn(axis=axis.direction, at=axis.point, pitch=axis.pitch, **carried)


def _finite(bound: float) -> float | None:
    """Return a bound, or None if it is infinite."""
    return None if bound in (float("inf"), -float("inf")) else bound
