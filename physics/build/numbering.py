"""The order of bodies and edges: the forest, the places of coordinates and springs in it, and the bodies that kernels
handle in SIMD groups of four."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from physics.build.forest import Forest, make_forest
from physics.data.model import Floats, Model
from physics.data.model_tables import BodyKind, JointKind, Joints, Path, Topology, TreePlace
from physics.data.state_tables import PoseColumn
from physics.definitions.bodies import Body, Particle, PlanarBody
from physics.definitions.checks import WORLD, DefinitionError
from physics.definitions.joints import Distance, Free, Joint
from physics.definitions.motions import Moving
from physics.definitions.scene import Scene
from physics.links.islands import bodies_of
from physics.maths.lanes import AT_ONCE
from physics.solvers.fused_rows import general_size


@dataclass(frozen=True)
class Numbering:
    """The bodies and edges of a scene in the order of their rows. A negative row belongs to something that no force
    moves: -1 to the world and to static bodies, -2 - k to moving body k."""

    bodies: list[Body | Particle | PlanarBody]
    moving: list[Moving]
    joints: list[Joint]  # in the order of definition, without those that leave a body free
    forest: Forest
    edges: list[Joint | None]  # of the forest (None: a free root), then the links
    ends: list[tuple[int, int]]  # rows of the child and the parent of each edge
    reversed: np.ndarray  # of each edge and coupling: whether its child is the joint's body a
    row: dict[str, int]  # of each body by its name, and of the world


def number_scene(scene: Scene) -> Numbering:
    """Return the numbering of a scene that has no massless bodies."""
    parts = [b for b in scene.bodies if isinstance(b, Body | Particle | PlanarBody)]
    if not parts:
        raise DefinitionError("bodies of a scene", len(scene.bodies), "at least one that forces can move")
    moving = [b for b in scene.bodies if isinstance(b, Moving)]
    index = {b.name: -1 for b in scene.bodies} | {b.name: k for k, b in enumerate(parts)} | {WORLD: -1}
    index |= {b.name: -2 - k for k, b in enumerate(moving)}
    joints = [j for j in scene.joints if not isinstance(j, Free)]
    roots = [index[j.b if j.a == WORLD else j.a] for j in scene.joints if isinstance(j, Free)]  # type: ignore[index]
    forest = plant_forest(parts, joints, index, roots)
    place = {k: i for i, k in enumerate(forest.order)}
    row = {name: place.get(k, k) for name, k in index.items()}
    edges = [joints[k] if k >= 0 else None for k in forest.edge] + [joints[k] for k in forest.auxiliary]
    pairs = [None if e is None else (row[e.a], row[e.b]) for e in edges]  # type: ignore[index]
    # the parent of a root is the world, or what stands for it: the end of its joint that is no body
    ends = [(i, min(pair) if p < 0 and pair else p) for i, (p, pair) in enumerate(zip(forest.parent, pairs))]  # noqa: B905
    ends += [ends_of_link(*pair) for pair in pairs[len(parts) :] if pair]
    flipped = [pair is not None and pair[0] == c for pair, (c, _) in zip(pairs, ends, strict=True)]
    flipped += [False] * len(scene.couplings)
    bodies = [parts[k] for k in forest.order]
    return Numbering(bodies, moving, joints, forest, edges, ends, np.array(flipped, bool), row)


def plant_forest(parts: Sequence[object], joints: Sequence[Joint], index: dict[str, int], roots: list[int]) -> Forest:
    """Return the forest of a scene. A planar body can be the child only of another planar body or of the world. A joint
    from it to a body with more freedom has rows that the planar body alone cannot satisfy. Such a joint stays outside
    the forest, and so does any constraint on a planar body. A rod (`Distance`) may always be in the forest."""
    pairs = [(max(index[j.a], -1), max(index[j.b], -1)) for j in joints]  # type: ignore[index]
    planar = [isinstance(b, PlanarBody) for b in parts]
    # rows of a constraint that the plane has no part in depend on others: the anticipation finds which
    in_plane = [any(k >= 0 and planar[k] for k in pair) for pair in pairs]
    outside = [j.auxiliary or (j.is_constraint and flat) for j, flat in zip(joints, in_plane, strict=True)]
    while True:
        forest = make_forest(len(parts), pairs, outside, roots)
        bad = [
            k
            for place, (k, p) in enumerate(zip(forest.edge, forest.parent, strict=True))
            if p >= 0
            and planar[forest.order[place]]
            and not planar[forest.order[p]]
            and not isinstance(joints[k], Distance)
        ]
        if not bad:
            return forest
        for k in bad:
            outside[k] = True


def ends_of_link(a: int, b: int) -> tuple[int, int]:
    """Return (child, parent) of a link between the bodies with rows a and b."""
    return (a, b) if b < 0 else (b, a)


def number_coordinates(topology: np.ndarray) -> None:
    """Write to Topology.FIRST_DOF where the joint coordinates of each body begin in stacked vectors."""
    dofs = np.maximum(topology[:, Topology.DOFS], 0)
    topology[:, Topology.FIRST_DOF] = np.cumsum(dofs) - dofs


def mark_runs(topology: np.ndarray) -> None:
    """Write the ends of runs to Topology.RUN_END. A run is a row of four or more successive ball joints, or hinges,
    between bodies. `fused` eliminates them without constraint rows, so that no kernel needs these rows."""
    own_path = topology[:, Topology.PATH] == topology[:, Topology.ELIMINATION]
    kind = np.where(own_path & (topology[:, Topology.PARENT] >= 0), topology[:, Topology.KIND], JointKind.FREE)
    first = 0
    while first < len(kind):
        last = first + 1
        while last < len(kind) and kind[last] == kind[first]:
            last += 1
        if kind[first] in (JointKind.BALL, JointKind.HINGE):
            topology[first : max(first, last + 1 - AT_ONCE), Topology.RUN_END] = last
        first = last


def mark_groups_of_four(topology: np.ndarray) -> None:
    """Write the place of each body in its SIMD group to Topology.LANE. A group consists of four successive bodies with
    ball joints, or with hinges. None of the four is a root, or the parent of another one."""
    path, parent = topology[:, Topology.ELIMINATION], topology[:, Topology.PARENT]
    i = len(path) if AT_ONCE == 1 else 0
    while i + AT_ONCE <= len(path):
        four = slice(i, i + AT_ONCE)
        alike = path[i] in (Path.BALL, Path.HINGE) and (path[four] == path[i]).all()
        if alike and parent[four].min() >= 0 and parent[four].max() < i:
            topology[four, Topology.LANE] = range(1, AT_ONCE + 1)
            i += AT_ONCE
        else:
            i += 1


def mark_loners(m: Model) -> int:
    """Mark in Topology.LONE the rigid bodies to which no joint and no link is connected. Return 1 if there are any,
    else 0."""
    topology, n = m.topology, len(m.topology)
    free = topology[:, Topology.KIND] == JointKind.FREE
    lone = free & (topology[:, Topology.BODY_KIND] == BodyKind.RIGID)
    lone[topology[topology[:, Topology.PARENT] >= 0, Topology.PARENT]] = False
    for j in range(len(m.links)):
        lone[bodies_of(j, n, topology, m.links, m.joint[n:], m.table)] = False
    topology[free, Topology.LONE] = lone[free]
    return int(lone.any())


def place_springs(links: np.ndarray, topology: np.ndarray, joint: Floats, flipped: np.ndarray, stride: int) -> None:
    """Write two columns for the springs outside the forest. Topology.TREE_EDGE says which of them act implicitly
    (physics/forces/tree_springs.py). Joints.MEETING says in the frame of which body a spring of zero length is damped:
    that of the body that no force moves, or if both can move, that of a. A particle has no frame, so that the frame of
    the other body is used. Between two particles, such a spring is damped along its line."""
    links[:, Topology.TREE_EDGE] = TreePlace.NO_PLACE
    for j in np.flatnonzero(links[:, Topology.KIND] == JointKind.POINT_SPRING):
        child, parent = links[j, [Topology.CHILD, Topology.PARENT]]
        points = [k >= 0 and topology[k, Topology.BODY_KIND] == BodyKind.PARTICLE for k in (child, parent)]
        in_child = parent >= 0 and not points[0] and (points[1] or bool(flipped[j]))
        joint[j, Joints.MEETING] = -1.0 if all(points) else float(in_child)
    for j in np.flatnonzero(np.isin(links[:, Topology.KIND], (JointKind.POINT_SPRING, JointKind.TORSION_SPRING))):
        if stride > PoseColumn.RATES:
            break  # anchors move with scales
        child, parent = links[j, [Topology.CHILD, Topology.PARENT]]
        if parent < 0:
            links[j, Topology.TREE_EDGE] = TreePlace.IN_BLOCK
            continue
        for lower, upper in ((child, parent), (parent, child)):
            jointed = topology[lower, Topology.PATH] in (Path.BALL, Path.HINGE, Path.AXES)
            if topology[lower, Topology.PARENT] == upper and jointed:
                links[j, Topology.TREE_EDGE] = lower


def place_general(topology: np.ndarray) -> int:
    """Write Topology.GENERAL for each body that is eliminated with run-time dimensions: its offset in the flat
    workspace. Return the size of the workspace."""
    offset = 0
    for i in np.flatnonzero(topology[:, Topology.ELIMINATION] == Path.GENERAL):
        topology[i, Topology.GENERAL] = offset
        offset += general_size(topology, int(i))
    return max(offset, 1)
