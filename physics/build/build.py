"""Definitions to Model, State and Work: the only place that allocates what the kernels work on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from physics.build.build_constraints import (
    Callbacks, condition_members, coupling_terms, fill_constraint, fill_constraint_topology, fill_linkages, lever_turns,
    make_callbacks, make_table, shared_rows, start_curves,
)  # fmt: skip
from physics.build.build_contacts import build_contacts
from physics.build.build_drives import Figure, add_signals, count_rows, fill_drives
from physics.build.forest import Forest, make_forest
from physics.build.limits import limit_rows
from physics.contacts.touch import Touch, fitted_to
from physics.data.model_tables import (
    Bodies, BodyKind, ForceLaw, Forms, JointKind, Joints, Materials, Path, SeriesAxis, SpringFlag, Topology, TreePlace,
)  # fmt: skip
from physics.data.state_tables import Drives, Grabs, HardLimits, Memory, PoseColumn
from physics.data.step_tables import Control, Number
from physics.data.work_tables import (
    Clock, ConstraintRows, DriveWork, Edges, Flows, Frames, LimitWork, MeanWrench, Pulls, Reduced, Rotors, Rows,
    Shared, Springs, Stash, Stops, Stretch, Tally,
)  # fmt: skip
from physics.data.model import Auxiliary, Floats, Model, Signals, State, Work
from physics.definitions.folding import Place, fold
from physics.definitions.medium import Fluid, make_surfaces
from physics.definitions.motions import HingeMotor, Motor, Moving, SliderMotor, add_moving, frames_at
from physics.definitions.constraints import Constraint
from physics.definitions.functions import Function
from physics.definitions.rotations import (
    conjugate, frame_about, matrix_of, planar_orientation, quaternion_of, quaternion_product, rotation_quaternion,
)  # fmt: skip
from physics.definitions.actuator import Actuator
from physics.definitions.bodies import Body, Particle, PlanarBody, ScaledBody, inertia_matrix
from physics.definitions.checks import WORLD, DefinitionError
from physics.definitions.compound import Compound
from physics.definitions.couplings import Coupling
from physics.definitions.joints import (
    Ball, Cylindrical, Distance, Free, Hinge, Joint, Planar, Screw, Slider, SpringJoint, Universal, Weld,
)  # fmt: skip
from physics.definitions.scene import Scene
from physics.definitions.signal import Signal
from physics.definitions.surrounding import Medium
from physics.definitions.series import ScrewAxis, find_coordinates, reversed_series, twists
from physics.definitions.signals import Tables
from physics.joints import ball, hinge, in_plane, slider, universal, weld
from physics.joints import springs
from physics.definitions.rope import Rope
from physics.definitions.springs import Spring, TorsionSpring
from physics.links.islands import bodies_of, find_islands
from physics.links.pivoting import make_pivoting
from physics.links.full_pivoting import make_elimination
from physics.maths.lanes import AT_ONCE
from physics.maths.strict import arctangent, norm, principal_axes, product
from physics.solvers.compliant import count_spring_axes
from physics.solvers.fused_rows import general_size

KINDS: dict[type[Joint], int] = {
    Ball: JointKind.BALL,
    Hinge: JointKind.HINGE,
    Universal: JointKind.UNIVERSAL,
    Slider: JointKind.SLIDER,
    Weld: JointKind.WELD,
    Distance: JointKind.DISTANCE,
    Cylindrical: JointKind.COMPOUND,
    Planar: JointKind.COMPOUND,
    Screw: JointKind.COMPOUND,
    Compound: JointKind.COMPOUND,
    HingeMotor: JointKind.HINGE_MOTOR,
    SliderMotor: JointKind.SLIDER_MOTOR,
    Spring: JointKind.POINT_SPRING,
    TorsionSpring: JointKind.TORSION_SPRING,
    Rope: JointKind.ROPE,
}
PATHS = {
    JointKind.FREE: Path.FREE,
    JointKind.BALL: Path.BALL,
    JointKind.HINGE: Path.HINGE,
    JointKind.UNIVERSAL: Path.AXES,
    JointKind.SLIDER: Path.AXES,
    JointKind.WELD: Path.AXES,
    JointKind.DISTANCE: Path.GENERAL,
    JointKind.PLANE_HINGE: Path.HINGE,
    JointKind.PLANE_SLIDER: Path.AXES,
    JointKind.PLANE_WELD: Path.AXES,
    JointKind.COMPOUND: Path.AXES,
    JointKind.HINGE_MOTOR: Path.AXES,
    JointKind.SLIDER_MOTOR: Path.AXES,
    JointKind.POINT_SPRING: Path.AXES,
    JointKind.TORSION_SPRING: Path.BALL,
    JointKind.ROPE: Path.GENERAL,
}
ROWS = {
    JointKind.BALL: ball.ROWS,
    JointKind.HINGE: hinge.ROWS,
    JointKind.UNIVERSAL: universal.ROWS,
    JointKind.SLIDER: slider.ROWS,
    JointKind.WELD: weld.ROWS,
    JointKind.DISTANCE: 1,
    JointKind.FREE: 0,
    JointKind.HINGE_MOTOR: weld.ROWS,
    JointKind.SLIDER_MOTOR: weld.ROWS,
    JointKind.POINT_SPRING: springs.POINT_ROWS,
    JointKind.TORSION_SPRING: springs.TORSION_ROWS,
    JointKind.ROPE: 0,
    JointKind.PLANE_HINGE: in_plane.HINGE_ROWS,
    JointKind.PLANE_SLIDER: in_plane.SLIDER_ROWS,
    JointKind.PLANE_WELD: in_plane.WELD_ROWS,
}
AXES = {
    JointKind.BALL: ball.AXES,
    JointKind.HINGE: hinge.AXES,
    JointKind.UNIVERSAL: universal.AXES,
    JointKind.SLIDER: slider.AXES,
    JointKind.WELD: weld.AXES,
    JointKind.DISTANCE: -1,
    JointKind.FREE: 6,
    JointKind.HINGE_MOTOR: weld.AXES,
    JointKind.SLIDER_MOTOR: weld.AXES,
    JointKind.POINT_SPRING: springs.POINT_AXES,
    JointKind.TORSION_SPRING: springs.TORSION_AXES,
    JointKind.ROPE: -1,
    JointKind.PLANE_HINGE: hinge.AXES,
    JointKind.PLANE_SLIDER: slider.AXES,
    JointKind.PLANE_WELD: weld.AXES,
}

# Posing friction c = 0.1 kg m^2 for a figure of 44 kg and 1.7 m, scaled by mass and length squared (physics/README.md).
POSING_FRICTION = 0.1 / (44.0 * 1.7 * 1.7)


ANY_LENGTH = 1e200  # of a lever that changes in motion; not infinite, as it may meet a rotation that is held
TRACE = 1e-11  # armature of a joint of three axes over the inertia that they move (below what any result shows)
# Rows of limits at a time: pivoting takes the cube of their number, and beyond it is too slow to look at.
MOST_LIMITS = 256
# Rows of contacts in the anticipation: beyond so many contacts at a time method `newton` is far faster.
CONTACT_ROWS = 3 * 64
LINE = 8  # numbers in a cache line: arrays start on one


@dataclass(frozen=True)
class Built:
    """The arrays and how the definitions' names map to their rows."""

    scene: Scene
    forest: Forest
    model: Model
    state: State
    work: Work
    body_row: dict[str, int]
    joint_row: dict[str, int]  # edge of each joint: of the forest, then the links
    frame_row: dict[str, int]  # of each moving body
    drive_row: dict[str, int]  # of each drive; a target spring has two
    reversed: np.ndarray  # edges whose child is the joint's body a
    principal: np.ndarray  # (n, 4) from the principal frame to the frame of the definition
    places: dict[str, Place]  # of joints folded into others
    callbacks: Callbacks  # what kernels call by address: kept here as long as they may
    touch: Touch | None  # contacts, of a scene that has shapes
    owners: dict[int, str]  # names of what shapes belong to (data/shape_layout.py, OWNER)
    anticipated: bool = False  # whether there is room for contacts in Work.auxiliary

    def edge(self, e: int) -> np.ndarray:
        """The row of Model.topology or Model.links that describes edge e."""
        n = len(self.model.topology)
        return self.model.topology[e] if e < n else self.model.links[e - n]

    def live(self) -> list[np.ndarray]:
        """Every array that decides what the next step does, or says what the last one did."""
        model, work = self.model, self.work
        return [*self.state, model.joint, model.topology, model.links, work.number, work.control, work.mean_wrench]


def build(scene: Scene) -> Built:
    """Number the bodies, fill the constant arrays, allocate the rest."""
    folded = fold(scene)
    given, drives = scene.joints, scene.drives
    scene = folded.scene
    parts = [b for b in scene.bodies if isinstance(b, Body | Particle | PlanarBody)]  # folding left no massless ones
    if not parts:
        raise DefinitionError("bodies of a scene", len(scene.bodies), "at least one that forces can move")
    moving = [b for b in scene.bodies if isinstance(b, Moving)]
    index = {b.name: -1 for b in scene.bodies} | {b.name: k for k, b in enumerate(parts)} | {WORLD: -1}
    index |= {b.name: -2 - k for k, b in enumerate(moving)}
    joints = [j for j in scene.joints if not isinstance(j, Free)]
    roots = [index[j.b if j.a == WORLD else j.a] for j in scene.joints if isinstance(j, Free)]  # type: ignore[index]
    forest = _plant(parts, joints, index, roots)
    n = len(parts)
    bodies = [parts[k] for k in forest.order]
    place = {k: i for i, k in enumerate(forest.order)} | {k: k for k in range(-1 - len(moving), 0)}
    linked = [joints[k] for k in forest.auxiliary]
    edges = [joints[k] if k >= 0 else None for k in forest.edge] + linked
    pairs = [None if e is None else (place[index[e.a]], place[index[e.b]]) for e in edges]  # type: ignore[index]
    # the parent of a root is the world, or what stands for it: the end of its joint that is no body
    ends = [(i, min(pair) if p < 0 and pair else p) for i, (p, pair) in enumerate(zip(forest.parent, pairs))]  # noqa: B905
    ends += [_ends(*pair) for pair in pairs[n:] if pair]
    flipped = np.array([pair is not None and pair[0] == c for pair, (c, _) in zip(pairs, ends, strict=True)])
    named = {j.name: j for j in given}
    signals, signal_of, drive_signals, wind = _make_signals(moving, edges, drives, named, scene.medium)

    stride = 9 if any(isinstance(b, ScaledBody) for b in bodies) else 6
    count = len(edges) + len(scene.couplings)
    wide = any(isinstance(e, Function) for e in edges)
    limits = np.concatenate([np.zeros((0, HardLimits.WIDTH)), *(
        limit_rows(edge, e, bool(flipped[e]), axis_order(edge, bool(flipped[e])))
        for e, edge in enumerate(edges) if edge is not None
    )])  # fmt: skip
    arrays = _pool(_shapes(n, count, stride, ConstraintRows.WIDTH if wide else 36, 0, count_rows(drives), len(limits)))
    arrays["state.limit"][:] = limits
    arrays["form"] = np.zeros((n if stride == 9 or any(isinstance(b, PlanarBody) for b in bodies) else 1, Forms.WIDTH))
    table = arrays["topology"].view(np.int64)
    topology, links = table[:n], table[n:]
    table[: len(edges), [Topology.CHILD, Topology.PARENT]] = ends
    body, joint = arrays["body"], arrays["joint"]
    state = State(*(arrays[f"state.{k}"] for k in State._fields))
    principal = np.zeros((n, 4))
    for i, definition in enumerate(bodies):
        _fill_body(i, definition, topology, body, state.pose, state.velocity, principal, arrays["form"])
    values, frame = np.zeros((len(signals.table), 3)), np.zeros((len(signals.motion), Frames.WIDTH))
    if len(values) > 0 or len(frame) > 0:  # few figures have any, and compiling it takes a second
        frames_at(signals, 0.0, values, frame)
    joint[:, Joints.SIGNAL] = [*signal_of, *[-1] * len(scene.couplings)]
    for e, edge in enumerate(edges):
        _fill_topology(table[e], edge, topology)
        if edge is not None:
            _fill_joint(table[e], edge, bool(flipped[e]), joint[e], state.pose, frame, arrays["form"])
            _fill_trace(table[e], body, joint[e])
    turning = [e for e, edge in enumerate(edges) if edge is not None and not isinstance(edge, Constraint)]
    _fill_turns(turning, table, joint)
    _fill_material(table, topology, joint, state.pose, arrays["material"])
    joint_row = {edge.name: e for e, edge in enumerate(edges) if edge is not None}

    def row_of(name: str) -> int:
        return place[index[name]]

    fill_linkages(scene.couplings, len(edges), table, joint, joint_row, row_of)
    flipped = np.concatenate([flipped, np.zeros(len(scene.couplings), bool)])
    terms = [
        (coupling_terms(c, joints, joint_row, flipped, axis_order), len(c.terms)) if isinstance(c, Coupling)
        else (condition_members(c, row_of, principal), len(c.bodies))  # type: ignore[arg-type, attr-defined]
        for c in scene.couplings
    ]  # fmt: skip
    lists = make_table(edges, terms, flipped, table, joint, state.pose, frame)
    callbacks = make_callbacks(edges, scene.couplings, table, joint, principal)
    _fill_softness(table, topology, body, joint)
    _number_dofs(topology)
    _place_springs(links, topology, joint[n:], flipped[n:], stride)
    _fill_posing(forest, body, state.pose)
    general = _fill_general(topology)
    body_row = {b.name: i for i, b in enumerate(bodies)}
    surface = make_surfaces(scene, body_row, principal)
    model = Model(topology, body, joint, links, signals, arrays["form"], arrays["material"], lists, surface)
    own = {k: arrays[k] for k in Work._fields if k in arrays}
    made = Work(
        **own,
        signal=values,
        frame=frame,
        along=np.zeros(n, np.int64),
        island=np.zeros((n, 2), np.int64),
        part=np.zeros(n, np.int64),
        given=np.zeros(n),
        tally=np.zeros((n, Tally.WIDTH)),
        clock=np.zeros(Clock.WIDTH, np.int64),
        flow=np.zeros((len(surface), Flows.WIDTH)),
        shared=np.zeros((shared_rows(scene.couplings), Shared.WIDTH)),
        auxiliary=_make_auxiliary(model, stride, 0, len(limits)),
        general=np.zeros(general),
        control=np.zeros(Control.WIDTH, np.int64),
        number=np.zeros(Number.WIDTH),
    )
    made.control[Control.COUPLED] = int((table[:, Topology.KIND] != JointKind.FREE).any())
    made.control[Control.LINKED] = int(len(links) > 0)
    made.control[Control.HARD_LIMITED] = int(len(limits) > 0)
    made.control[Control.SEVERAL] = int((topology[:, Topology.PARENT] < 0).sum() > 1)
    made.control[Control.LANED] = int((topology[:, Topology.BODY_KIND] != BodyKind.PARTICLE).all())
    if stride == PoseColumn.RATES:
        _put_together(topology)
    _put_abreast(topology)
    made.control[Control.LONERS] = _mark_loners(model)
    made.control[Control.ARMED] = int((table[:, Topology.FLAGS] & SpringFlag.ROTOR).any())
    made.control[Control.SIGNALED] = int(len(signals.table) > 0)
    made.control[Control.NONHOLONOMIC] = int((table[:, Topology.HOLONOMIC] < table[:, Topology.ROWS]).any())
    made.control[Control.SOUGHT] = int(
        np.isin(table[:, Topology.KIND], (JointKind.COMPOUND, JointKind.POINT_ON_CURVE)).any()
    )
    made.control[Control.WIND] = wind
    if isinstance(scene.medium, Fluid):
        made.number[[Number.DENSITY, Number.VISCOSITY]] = scene.medium.density, scene.medium.viscosity
    start_turns(model, state, made)
    joint_row |= {name: joint_row[place.joint] for name, place in folded.places.items()}
    for whole in {place.joint for place in folded.places.values()} - {j.name for j in given}:
        del joint_row[whole]
    joint_row |= {c.name: e for e, c in enumerate(scene.couplings, len(edges))}
    frame_row = {b.name: k for k, b in enumerate(moving)}

    def column(name: str, axis: int) -> tuple[int, int, bool]:
        e, part, flip = joint_row[name], axis, bool(flipped[joint_row[name]])
        whole = edges[e]
        order = [0] if whole is None or isinstance(whole, Ball) else axis_order(whole, flip)
        if name in folded.places:
            part, flip = folded.places[name].columns[axis], flip == folded.places[name].forward
        return e, order[part], flip

    def pose_of(row: int) -> tuple[Floats, Floats]:
        return parent_pose(row, state.pose, frame)

    figure = Figure(named, column, table, index, place, pose_of)
    drive_row = fill_drives(drives, drive_signals, figure, state.drive)
    touch, owners = build_contacts(scene, body_row, frame_row, principal, model, made)
    return Built(
        scene, forest, model, state, made, body_row, joint_row, frame_row, drive_row, flipped, principal,
        folded.places, callbacks, touch, owners,
    )  # fmt: skip


def _make_signals(
    moving: list[Moving],
    edges: list[Joint | None],
    drives: Sequence[Actuator],
    joints: dict[str, Joint],
    medium: Medium | None,
) -> tuple[Signals, list[int], list[tuple[int, int, int]], int]:
    """The tables of all functions of time, the signal of each edge (-1: none), those of each drive, and the first of
    the wind's."""
    tables = Tables()
    motion = [add_moving(tables, body) for body in moving]
    of_edge = []
    for edge in edges:
        value, integrated = None, False
        if isinstance(edge, Motor):
            integrated = edge.position is None
            value = edge.velocity if integrated else edge.position
        elif isinstance(edge, Distance) and isinstance(edge.length, Signal):
            value = edge.length
        of_edge.append(-1 if value is None else tables.add(value, integrated))
    base = np.array([b.orientation for b in moving], float).reshape(len(moving), 4)
    of_drive = add_signals(tables, drives, joints)
    wind = min(tables.add(value) for value in medium.wind) if isinstance(medium, Fluid) else 0
    motions = np.array(motion, np.int64).reshape(len(moving), 2)
    return Signals(*tables.make(), motions, base), of_edge, of_drive, wind


def _plant(parts: Sequence[object], joints: Sequence[Joint], index: dict[str, int], roots: list[int]) -> Forest:
    """The forest. A planar body is the child of another planar body or the world alone: a joint to a body of more
    freedom has rows that the planar body cannot answer by itself, so that one is left outside, as a constraint is."""
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


@dataclass(frozen=True)
class Pin:
    """A joint to the world that was made while the figure moves: drawn at the pose that its body had then."""

    joint: Joint
    pose: tuple[float, ...]  # of the body, 7 numbers


def _mark_loners(m: Model) -> int:
    """Mark rigid bodies to which nothing is tied; 1 where there are any."""
    topology, n = m.topology, len(m.topology)
    free = topology[:, Topology.KIND] == JointKind.FREE
    lone = free & (topology[:, Topology.BODY_KIND] == BodyKind.RIGID)
    lone[topology[topology[:, Topology.PARENT] >= 0, Topology.PARENT]] = False
    for j in range(len(m.links)):
        lone[bodies_of(j, n, topology, m.links, m.joint[n:], m.table)] = False
    topology[free, Topology.LONE] = lone[free]
    return int(lone.any())


def relink(
    built: Built, pins: Sequence[Pin], grabs: int, limits: Floats | None = None, anticipated: bool = False
) -> Built:
    """The same figure in the same state with these pins, and no others, as further links at the end, and room for so
    many grabs, and once asked for for contacts; with other rows of limits, where these are given. Arrays of edges
    change their length; every row that stays keeps its numbers. A pin that goes takes its limits with it."""
    n = len(built.model.topology)
    own = n + len(built.forest.auxiliary) + len(built.scene.couplings)
    old_row = {name: e for name, e in built.joint_row.items() if e >= own}
    kept = list(range(own)) + [old_row.get(pin.joint.name, -1) for pin in pins]
    limits = _limits_that_stay(built.state.limit, kept) if limits is None else limits
    stride = built.state.velocity.shape[1]
    columns = built.work.rows.shape[1]
    drives = len(built.state.drive)
    met = len(limits)
    shapes = _shapes(n, len(kept), stride, columns, grabs, drives, met)
    fewer, more_edges = _shapes(n, 1, stride, columns, 1, drives, met), _shapes(n, 2, stride, columns, 1, drives, met)
    more_grabs = _shapes(n, 1, stride, columns, 2, drives, met)
    per_edge = {k for k in shapes if fewer[k] != more_edges[k]}
    per_grab = {k for k in shapes if fewer[k] != more_grabs[k]}
    arrays = _pool(shapes)
    old = {f"state.{k}": v for k, v in built.state._asdict().items()}
    old |= {k: v for k, v in built.work._asdict().items() if k in shapes}
    old |= {"body": built.model.body, "joint": built.model.joint, "material": built.model.material}
    old["topology"] = np.concatenate([built.model.topology, built.model.links]).view(np.float64)
    for name, array in arrays.items():
        if name in per_edge:
            stay = [e for e in kept if e >= 0]
            array[[k for k, e in enumerate(kept) if e >= 0]] = old[name][stay]
        elif name in per_grab:
            stay = min(grabs, len(old[name]))
            array[:stay] = old[name][:stay]
            array[stay:, Grabs.BODY] = -1.0
        elif name == "state.limit":
            array[:] = limits
        elif name not in ("limit", "stop"):
            array[:] = old[name]
    table = arrays["topology"].view(np.int64)
    state = State(*(arrays[f"state.{k}"] for k in State._fields))
    row = built.body_row
    for e, pin in enumerate(pins, own):
        if kept[e] >= 0:
            continue
        child = row[pin.joint.b]  # type: ignore[index]
        table[e, [Topology.CHILD, Topology.PARENT]] = child, -1
        _fill_topology(table[e], pin.joint, table[:n])
        arrays["joint"][e, Joints.SIGNAL] = -1
        drawn = np.zeros_like(state.pose)
        drawn[child] = pin.pose
        _fill_joint(table[e], pin.joint, False, arrays["joint"][e], drawn, built.work.frame, built.model.form)
        _fill_turns([e], table, arrays["joint"])
        _fill_material(table[e : e + 1], table[:n], arrays["joint"][e:], drawn, arrays["material"][e:])
    flipped = np.concatenate([built.reversed[:own], np.zeros(len(pins), bool)])
    _fill_softness(table, table[:n], arrays["body"], arrays["joint"])
    _place_springs(table[n:], table[:n], arrays["joint"][n:], flipped[n:], stride)
    model = built.model._replace(
        topology=table[:n], body=arrays["body"], joint=arrays["joint"], links=table[n:], material=arrays["material"]
    )
    fields = {k: arrays[k] for k in Work._fields if k in arrays}
    anticipated = anticipated or built.anticipated
    room = CONTACT_ROWS if anticipated else 0
    more = _make_auxiliary(model, stride, grabs, len(limits), room)
    work = built.work._replace(**fields, auxiliary=more)
    work.control[Control.LINKED] = int(len(table) > n)
    work.control[Control.COUPLED] = int((table[:, Topology.KIND] != JointKind.FREE).any())
    work.control[Control.LONERS] = _mark_loners(model)
    joint_row = {name: e for name, e in built.joint_row.items() if e < own}
    joint_row |= {pin.joint.name: own + k for k, pin in enumerate(pins)}
    touch = fitted_to(built.touch, work) if built.touch else None
    return replace(
        built, model=model, state=state, work=work, joint_row=joint_row, reversed=flipped, touch=touch,
        anticipated=anticipated,
    )  # fmt: skip


def _limits_that_stay(limits: Floats, kept: list[int]) -> Floats:
    """The rows of the edges `kept`, which are numbered in this order from now on"""
    place = {old: new for new, old in enumerate(kept) if old >= 0}
    edges = limits[:, HardLimits.EDGE].astype(int)
    stay = limits[[int(e) in place for e in edges]]
    stay[:, HardLimits.EDGE] = [place[int(e)] for e in stay[:, HardLimits.EDGE]]
    return stay


def _ends(a: int, b: int) -> tuple[int, int]:
    """(child, parent) of a link between the bodies at two places."""
    return (a, b) if b < 0 else (b, a)


def _pool(shapes: dict[str, tuple[int, int]]) -> dict[str, Floats]:
    """Arrays out of one allocation: large enough, it gets large pages, and a step over thousands of bodies does not
    wait for address translation. Each begins with a cache line: a row of whole lines then lies in no other."""
    pool = np.zeros(sum(rows * columns + LINE for rows, columns in shapes.values()) + 2 * LINE)
    arrays: dict[str, Floats] = {}
    start = -pool.ctypes.data // 8 % LINE
    for name, (rows, columns) in shapes.items():
        # of Work.row, what right-hand sides are made of is in one line, D in another
        first = start + (LINE - Rows.PUSH if name == "row" else 0)
        arrays[name] = pool[first : first + rows * columns].reshape(rows, columns)
        start += -(-rows * columns // LINE) * LINE + (first - start and LINE)
    return arrays


def _shapes(
    n: int, edges: int, stride: int, columns: int, grabs: int = 0, drives: int = 0, limits: int = 0
) -> dict[str, tuple[int, int]]:
    """Rows and columns of every array with a row a body, an edge, a grab, a drive or a limit, in their order in memory.
    `columns` are those of the constraint rows."""
    triangle = stride * (stride + 1) // 2
    scaled = stride > PoseColumn.RATES
    place = 7 + stride - PoseColumn.RATES
    return {
        "state.pose": (n, place),
        "state.velocity": (n, stride),
        "state.memory": (edges, Memory.WIDTH),
        "state.applied": (n, 6),
        "state.grab": (grabs, Grabs.WIDTH),
        "pull": (grabs, Pulls.WIDTH),
        "state.limit": (limits, HardLimits.WIDTH),
        "limit": (limits, LimitWork.WIDTH),
        "state.loose": (edges, 1),
        "stop": (2 * limits, Stops.WIDTH),
        "topology": (edges, Topology.WIDTH),
        "body": (n, Bodies.WIDTH),
        "joint": (edges, Joints.WIDTH),
        "rotation": (n, 9),
        "edge": (edges, Edges.WIDTH),
        "gap": (edges, 6),
        "spring": (edges, Springs.WIDTH),
        "rotor": (edges, Rotors.WIDTH),
        "row": (edges, Rows.WIDTH),
        "rows": (edges, columns),
        "reduced": (n, Reduced.WIDTH),
        "wrench": (edges, 6),
        "next_pose": (n, place),
        "next_rotation": (n, 9),
        "next_wrench": (edges, 6),
        "next_gap": (edges, 6),
        "mean_wrench": (edges, MeanWrench.WIDTH),
        "other_pose": (n, place),
        "spring_pose": (n, place),
        "stash": (n, Stash.SCALED if scaled else Stash.PLAIN),
        "block": (n, triangle),
        "force": (n, stride),
        "velocity": (n, stride),
        "next_velocity": (n, stride),
        "backup": (n, place + stride),
        "backup_memory": (edges, Memory.WIDTH),
        "spare": (edges, Edges.WIDTH),
        "spare_rows": (edges, columns),
        "material": (edges, Materials.WIDTH) if scaled else (1, 1),
        "stretch": (edges, Stretch.WIDTH) if scaled else (1, 1),
        "state.drive": (drives, Drives.WIDTH),
        "drive": (drives, DriveWork.WIDTH),
        "held_block": (n if drives else 0, triangle),
        "held_force": (n if drives else 0, stride),
        "held_row": (edges if drives else 0, 9),
    }


def _make_auxiliary(model: Model, stride: int, grabs: int, limits: int, touching: int = 0) -> Auxiliary:
    """Room for every row that the links and grabs may have, over two bodies, or over those of a coupling's terms or a
    condition, for those of so many limits as are met at a time, and for so many rows of contacts."""
    n, links, joint = len(model.topology), model.links, model.joint[len(model.topology) :]
    rows = [
        int(link[Topology.ROWS])
        + (
            count_spring_axes(int(link[Topology.PATH]), int(link[Topology.DOFS]))
            if link[Topology.TREE_EDGE] == TreePlace.NO_PLACE
            else 0
        )
        for link in links
    ]
    count = sum(rows)
    pulls = 6 * grabs
    met = min(2 * limits, MOST_LIMITS) + touching
    room = max(count + pulls + met, 1)
    several = (
        joint[: len(links), Joints.TABLE_ROWS]
        * links[:, Topology.ROWS]
        * (links[:, Topology.KIND] >= JointKind.COUPLING)
    )
    entries = 2 * (room + int(several.sum()))
    of_condition = links[:, Topology.KIND] == JointKind.GROUP_CONDITION
    thrusts = bool((joint[: len(links), Joints.FORCES][of_condition] != ForceLaw.ALONG_ROWS).any())
    return Auxiliary(
        start=np.zeros(room + 1, np.int64),
        body=np.zeros(entries, np.int64),
        jacobian=np.zeros((entries, stride)),
        thrust=np.zeros((entries if thrusts else 1, stride)),
        thrust_scale=np.zeros(room),
        unsymmetric=make_elimination(count if thrusts else 1),
        gathered=np.zeros(room, np.int64),
        pulls=make_elimination(pulls if thrusts else 1),
        counts=np.zeros(3, np.int64),
        spread=np.zeros(room),
        edge=np.zeros(room, np.int64),
        twist=np.zeros((room, 6)),
        soft=np.zeros(room),
        matrix=np.zeros((room, room)),
        factor=np.zeros((room, room)),
        pivot=np.zeros(room, np.int64),
        scale=np.zeros(room),
        right=np.zeros(room),
        multiplier=np.zeros(room),
        limit=np.zeros(max(met, 1), np.int64),
        bounce=np.zeros(max(met, 1)),
        mate=np.full(room, -1, np.int64),
        bound=np.zeros((room, 2)),
        lean=np.zeros(room),
        guess=np.zeros(room, np.int64),
        held=np.zeros(room),
        reach=np.zeros((pulls + met, room)),
        schur=np.zeros((pulls + met, pulls + met)),
        give=np.zeros((met, pulls)),
        heed=np.zeros(pulls),
        group=np.zeros(pulls + met, np.int64),
        member=np.zeros(met, np.int64),
        pivoting=make_pivoting(met),
        system=np.zeros(pulls * pulls),
        own=np.zeros(90),
        islands=find_islands(model.topology, links, joint, model.table, rows),
        listed=np.zeros(n, np.int64),
        mark=np.zeros(n, np.int64),
        active=np.zeros(n, np.int64),
        amiss=np.zeros(n + len(links), np.int64),
        force=np.zeros((n, stride)),
        row=np.zeros((n + len(links), 9)),
    )


def _fill_body(
    i: int,
    definition: Body | Particle | PlanarBody,
    topology: np.ndarray,
    body: Floats,
    pose: Floats,
    velocity: Floats,
    principal: Floats,
    form: Floats,
) -> None:
    body[i, Bodies.MASS] = definition.mass
    body[i, Bodies.INVERSE_MASS] = 1.0 / definition.mass
    pose[i, :3] = definition.position
    velocity[i, :3] = definition.velocity
    principal[i] = (1.0, 0.0, 0.0, 0.0)
    pose[i, PoseColumn.SHAPE :] = 1.0
    if isinstance(definition, PlanarBody):
        _fill_planar(i, definition, topology, body, pose, velocity, form)
        return
    if isinstance(definition, Particle):
        topology[i, Topology.BODY_KIND] = BodyKind.PARTICLE
        topology[i, Topology.DIM] = 3
        pose[i, 3] = 1.0
        return
    topology[i, Topology.BODY_KIND] = BodyKind.RIGID
    topology[i, Topology.DIM] = 6
    velocity[i, 3:6] = definition.angular_velocity
    orientation = np.array(definition.orientation)
    if len(definition.inertia) == 3:
        body[i, Bodies.INERTIA : Bodies.INERTIA + 3] = definition.inertia
    else:
        moments, axes = principal_axes(inertia_matrix(definition.inertia))
        body[i, Bodies.INERTIA : Bodies.INERTIA + 3] = moments
        principal[i] = quaternion_of(axes)
        orientation = quaternion_product(orientation, principal[i])
    body[i, Bodies.INVERSE_INERTIA : Bodies.INVERSE_INERTIA + 3] = 1.0 / body[i, Bodies.INERTIA : Bodies.INERTIA + 3]
    pose[i, 3:7] = orientation
    if isinstance(definition, ScaledBody):
        _fill_scaled(i, definition, topology, body, pose, velocity, form)


def _fill_planar(
    i: int, definition: PlanarBody, topology: np.ndarray, body: Floats, pose: Floats, velocity: Floats, form: Floats
) -> None:
    normal = np.array(definition.normal)
    topology[i, Topology.BODY_KIND] = BodyKind.PLANAR
    topology[i, Topology.DIM] = 3
    body[i, Bodies.INERTIA : Bodies.INERTIA + 3] = definition.inertia
    body[i, Bodies.INVERSE_INERTIA : Bodies.INVERSE_INERTIA + 3] = 1.0 / definition.inertia
    frame = frame_about(normal, None)
    form[i, Forms.FIRST : Forms.FIRST + 3], form[i, Forms.SECOND : Forms.SECOND + 3] = frame[:, 0], frame[:, 1]
    form[i, Forms.NORMAL : Forms.NORMAL + 3] = normal
    velocity[i, :3] -= normal * product(normal, velocity[i, :3])
    velocity[i, 3:6] = definition.angular_velocity * normal
    pose[i, 3:7] = planar_orientation(normal, definition.angle)


def _fill_scaled(
    i: int, definition: ScaledBody, topology: np.ndarray, body: Floats, pose: Floats, velocity: Floats, form: Floats
) -> None:
    """The second moments (I_b + I_c - I_a) / 2, and the inertia at the scales as drawn."""
    uniform = definition.stretch == "uniform"
    topology[i, Topology.BODY_KIND] = BodyKind.UNIFORM if uniform else BodyKind.STRETCHED
    topology[i, Topology.DIM] = 7 if uniform else 9
    share = 3.0 if uniform else 1.0
    inertia = body[i, Bodies.INERTIA : Bodies.INERTIA + 3]
    form[i, Forms.MOMENTS : Forms.MOMENTS + 3] = np.maximum(inertia.sum() / 2.0 - inertia, 0.0)
    form[i, Forms.SPRING_SCALE : Forms.SPRING_SCALE + 3] = np.array(definition.scale_stiffness) / share
    form[i, Forms.DAMPER_SCALE : Forms.DAMPER_SCALE + 3] = np.array(definition.scale_damping) / share
    pose[i, PoseColumn.SHAPE :] = definition.scale
    velocity[i, PoseColumn.RATES :] = definition.scale_velocity
    body[i, Bodies.INERTIA : Bodies.INERTIA + 3] = inertia_at(form[i], pose[i])
    body[i, Bodies.INVERSE_INERTIA : Bodies.INVERSE_INERTIA + 3] = 1.0 / body[i, Bodies.INERTIA : Bodies.INERTIA + 3]


def inertia_at(form: Floats, pose: Floats) -> Floats:
    """The principal moments of a scaled body at the scales of a pose."""
    moments = form[Forms.MOMENTS : Forms.MOMENTS + 3] * pose[PoseColumn.SHAPE :] * pose[PoseColumn.SHAPE :]
    return moments.sum() - moments


def is_scaled(topology: np.ndarray, row: int) -> bool:
    """False for the world"""
    return row >= 0 and topology[row, Topology.BODY_KIND] in (BodyKind.UNIFORM, BodyKind.STRETCHED)


def _put_together(topology: np.ndarray) -> None:
    """Where four ball joints or four hinges between bodies, or more, follow each other. `fused` eliminates them as
    what they are, so that nobody asks for their rows."""
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


def _put_abreast(topology: np.ndarray) -> None:
    """Where four bodies that follow each other go up on the same path, none to another of them, none to the world"""
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


def _fill_material(table: np.ndarray, topology: np.ndarray, joint: Floats, pose: Floats, material: Floats) -> None:
    """Anchors of scaled bodies at scale 1, from those as drawn; a function of poses has none, and knows no scales."""
    for e, row in enumerate(table):
        if row[Topology.OWN_ROWS] != 0:
            continue
        ends = (
            (Topology.CHILD, Joints.ANCHOR_CHILD, Materials.CHILD),
            (Topology.PARENT, Joints.ANCHOR_PARENT, Materials.PARENT),
        )
        for end, anchor, out in ends:
            if is_scaled(topology, row[end]):
                material[e, out : out + 3] = joint[e, anchor : anchor + 3] / pose[row[end], PoseColumn.SHAPE :]


def _fill_topology(row: np.ndarray, edge: Joint | None, topology: np.ndarray) -> None:
    if isinstance(edge, Constraint):
        fill_constraint_topology(row, edge)
        return
    kind = JointKind.FREE if edge is None else KINDS[type(edge)]
    child, parent = (
        BodyKind.RIGID if k < 0 else topology[k, Topology.BODY_KIND] for k in row[[Topology.CHILD, Topology.PARENT]]
    )
    if child == BodyKind.PLANAR and (row[Topology.PARENT] < 0 or parent == BodyKind.PLANAR):
        kind = {
            JointKind.HINGE: JointKind.PLANE_HINGE,
            JointKind.SLIDER: JointKind.PLANE_SLIDER,
            JointKind.WELD: JointKind.PLANE_WELD,
        }.get(kind, kind)
    particle = topology[row[Topology.CHILD], Topology.BODY_KIND] == BodyKind.PARTICLE
    beside_particle = (
        row[Topology.PARENT] >= 0 and topology[row[Topology.PARENT], Topology.BODY_KIND] == BodyKind.PARTICLE
    )
    row[Topology.KIND] = kind
    if kind == JointKind.COMPOUND:
        assert edge is not None
        row[Topology.ROWS], row[Topology.DOFS] = 6 - edge.axes, edge.axes
    else:
        row[Topology.ROWS], row[Topology.DOFS] = ROWS[kind], AXES[kind]
    row[Topology.HOLONOMIC] = row[Topology.ROWS]
    if kind in (JointKind.POINT_SPRING, JointKind.ROPE):
        row[Topology.PATH] = PATHS[kind]
        return
    if particle:
        # a point has no rotation of its own: three motions where it is free, none where it is held
        row[Topology.DOFS] = {JointKind.FREE: 3, JointKind.BALL: 0, JointKind.DISTANCE: -1}[kind]
    elif kind == JointKind.FREE:
        row[Topology.DOFS] = topology[row[Topology.CHILD], Topology.DIM]
    row[Topology.PATH] = Path.GENERAL if particle or beside_particle else PATHS[kind]
    general = child in (BodyKind.PLANAR, BodyKind.UNIFORM, BodyKind.STRETCHED) or parent in (
        BodyKind.UNIFORM,
        BodyKind.STRETCHED,
    )
    row[Topology.ELIMINATION] = Path.GENERAL if general else row[Topology.PATH]


def _fill_joint(
    row: np.ndarray, edge: Joint, flip: bool, joint: Floats, pose: Floats, frame: Floats, form: Floats
) -> None:
    """Anchors and axes in the frames of the two bodies, springs with the coordinates of child relative to parent."""
    child, parent = row[Topology.CHILD], row[Topology.PARENT]
    x_child, q_child = pose[child, :3], pose[child, 3:7]
    x_parent, q_parent = parent_pose(parent, pose, frame)
    at_parent, at_child = (edge.points[1], edge.points[0]) if flip else edge.points
    r_child, r_parent = matrix_of(q_child), matrix_of(q_parent)
    joint[Joints.ANCHOR_CHILD : Joints.ANCHOR_CHILD + 3] = product(r_child.T, np.array(at_child) - x_child)
    joint[Joints.ANCHOR_PARENT : Joints.ANCHOR_PARENT + 3] = product(r_parent.T, np.array(at_parent) - x_parent)
    joint[Joints.REACH_CHILD] = norm(joint[Joints.ANCHOR_CHILD : Joints.ANCHOR_CHILD + 3])
    joint[Joints.REACH_PARENT] = norm(joint[Joints.ANCHOR_PARENT : Joints.ANCHOR_PARENT + 3])
    in_plane = row[Topology.KIND] in (JointKind.PLANE_HINGE, JointKind.PLANE_SLIDER, JointKind.PLANE_WELD)
    normal = form[child, Forms.NORMAL : Forms.NORMAL + 3] if in_plane else None
    if isinstance(edge, Constraint):
        frame = np.eye(3)
    else:
        frame = joint_frame(edge, flip) if normal is None else plane_frame(edge, flip, normal)
    joint[Joints.AXES_CHILD : Joints.AXES_CHILD + 9] = product(r_child.T, frame).ravel()
    joint[Joints.AXES_PARENT : Joints.AXES_PARENT + 9] = product(r_parent.T, frame).ravel()
    f = quaternion_of(frame)
    joint[Joints.FRAME_CHILD : Joints.FRAME_CHILD + 4] = quaternion_product(conjugate(q_child), f)
    joint[Joints.FRAME_PARENT : Joints.FRAME_PARENT + 4] = quaternion_product(conjugate(q_parent), f)
    joint[Joints.REST_FRAME : Joints.REST_FRAME + 4] = quaternion_product(conjugate(q_child), q_parent)
    if row[Topology.KIND] in (JointKind.HINGE, JointKind.PLANE_HINGE):
        joint[Joints.HINGE_CHILD : Joints.HINGE_CHILD + 3] = product(r_child.T, frame)[:, 2]
        joint[Joints.HINGE_PARENT : Joints.HINGE_PARENT + 3] = product(r_parent.T, frame)[:, 2]
    if isinstance(edge, Constraint):
        fill_constraint(edge, flip, r_parent if flip else r_child, r_child if flip else r_parent, joint)
        return
    if isinstance(edge, Distance) and not isinstance(edge.length, Signal):
        joint[Joints.LENGTH] = edge.length
    joint[Joints.LOWER : Joints.LOWER + 3] = -math.inf
    joint[Joints.UPPER : Joints.UPPER + 3] = math.inf
    if row[Topology.KIND] == JointKind.COMPOUND:
        _fill_series(reversed_series(edge.series) if flip else edge.series, joint)  # type: ignore[attr-defined]
    if isinstance(edge, Spring):
        joint[Joints.LENGTH] = edge.rest
        joint[Joints.LOWER] = 0.0 if edge.tension_only else -math.inf
    if isinstance(edge, SpringJoint):
        _fill_springs(row, edge, flip, joint, q_child, q_parent)


def _fill_series(series: Sequence[ScrewAxis], joint: Floats) -> None:
    joint[Joints.SERIES_COUNT] = len(series)
    for k, axis in enumerate(series):
        o = Joints.SERIES + SeriesAxis.WIDTH * k
        joint[o : o + SeriesAxis.WIDTH] = (*axis.direction, *axis.point, axis.slide, axis.turn)


def _fill_trace(row: np.ndarray, body: Floats, joint: Floats) -> None:
    """The least armature of a joint whose axes can come to depend on each other: a trace of the inertia that they move,
    of the lighter of the two bodies. It decides what else nothing would: how two axes that do the same share it."""
    if row[Topology.KIND] != JointKind.COMPOUND or joint[Joints.SERIES_COUNT] < 3:
        return
    series = read_series(joint)
    if sum(axis.turn != 0.0 for axis in series) < 2:
        return
    n = twists(series, (0.0, 0.0, 0.0))
    moved = []
    ends = (
        (Topology.CHILD, Joints.ANCHOR_CHILD, Joints.AXES_CHILD),
        (Topology.PARENT, Joints.ANCHOR_PARENT, Joints.AXES_PARENT),
    )
    for end, anchor, axes in ends:
        k = row[end]
        if k < 0:
            continue
        local = joint[axes : axes + 9].reshape(3, 3)
        spin = product(local, n[3:])
        v = product(local, n[:3]) - np.cross(spin.T, joint[anchor : anchor + 3]).T
        about = product(body[k, Bodies.INERTIA : Bodies.INERTIA + 3], spin * spin)
        moved.append(body[k, Bodies.MASS] * (v * v).sum(axis=0) + about)
    least = TRACE * np.min(moved, axis=0)
    joint[Joints.ARMATURE : Joints.ARMATURE + 3] = np.maximum(joint[Joints.ARMATURE : Joints.ARMATURE + 3], least)
    row[Topology.FLAGS] |= spring_flags(row, joint)


def parent_pose(parent: int, pose: Floats, frame: Floats) -> tuple[Floats, Floats]:
    """Position and quaternion of an edge's parent: a body, the world, or a moving body."""
    if parent >= 0:
        return pose[parent, :3], pose[parent, 3:7]
    if parent == -1:
        return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    row = frame[-2 - parent]
    return row[Frames.POSITION : Frames.POSITION + 3], row[Frames.QUATERNION : Frames.QUATERNION + 4]


def _fill_turns(rows: list[int], table: np.ndarray, joint: Floats) -> None:
    """conj(f_parent) r f_child is linear in r: the rows of its w and z (hinge) or x (universal) component. Of many at
    once, for one component of r after the other."""
    f_child = joint[rows, Joints.FRAME_CHILD : Joints.FRAME_CHILD + 4].T
    f_parent = conjugate(joint[rows, Joints.FRAME_PARENT : Joints.FRAME_PARENT + 4].T)
    universal = table[rows, Topology.KIND] == JointKind.UNIVERSAL
    for k, unit in enumerate(np.eye(4)):
        column = quaternion_product(quaternion_product(f_parent, unit), f_child)
        joint[rows, Joints.TURN_W + k] = column[0]
        joint[rows, Joints.TURN_Z + k] = np.where(universal, column[1], column[3])


def _fill_springs(
    row: np.ndarray, edge: SpringJoint, flip: bool, joint: Floats, q_child: Floats, q_parent: Floats
) -> None:
    order = axis_order(edge, flip)
    joint[Joints.STIFFNESS : Joints.STIFFNESS + len(order)] = np.array(edge.stiffness)[order]
    joint[Joints.DAMPING : Joints.DAMPING + len(order)] = np.array(edge.damping)[order]
    joint[Joints.ARMATURE : Joints.ARMATURE + len(order)] = np.array(edge.armature)[order]
    limits = edge.soft_limits
    if isinstance(edge, Ball):
        turn = rotation_quaternion(np.array(edge.rest))
        if flip:
            rest = quaternion_product(conjugate(q_child), quaternion_product(turn, q_parent))
        else:
            rest = quaternion_product(conjugate(quaternion_product(turn, q_child)), q_parent)
        joint[Joints.REST_FRAME : Joints.REST_FRAME + 4] = rest
        if limits is not None:
            low, high = limits.twist  # type: ignore[misc]
            joint[Joints.UPPER] = limits.swing
            joint[Joints.LOWER + 2], joint[Joints.UPPER + 2] = (-high, -low) if flip else (low, high)
    else:
        joint[Joints.REST : Joints.REST + len(order)] = np.atleast_1d(edge.rest)[order]
        if limits is not None:
            joint[Joints.LOWER : Joints.LOWER + len(order)] = np.array(limits.lower)[order]
            joint[Joints.UPPER : Joints.UPPER + len(order)] = np.array(limits.upper)[order]
    if limits is not None:
        joint[Joints.LIMIT_STIFFNESS : Joints.LIMIT_STIFFNESS + len(order)] = np.array(limits.stiffness)[order]
        joint[Joints.LIMIT_DAMPING : Joints.LIMIT_DAMPING + len(order)] = np.array(limits.damping)[order]
    row[Topology.FLAGS] = spring_flags(row, joint)


def spring_flags(topology: np.ndarray, joint: Floats) -> int:
    """Which parts of the spring kernels a joint's present values need."""
    stiffness = joint[Joints.STIFFNESS : Joints.STIFFNESS + 3]
    damping = joint[Joints.DAMPING : Joints.DAMPING + 3]
    flags = 0
    if stiffness.any() or damping.any():
        flags |= SpringFlag.STIFF
    limits = joint[Joints.LIMIT_STIFFNESS : Joints.LIMIT_STIFFNESS + 6]
    if limits.any():
        flags |= SpringFlag.LIMITED
    if joint[Joints.ARMATURE : Joints.ARMATURE + 3].any():
        flags |= SpringFlag.ROTOR
    if topology[Topology.KIND] in (JointKind.BALL, JointKind.TORSION_SPRING) and (np.ptp(stiffness) or np.ptp(damping)):
        flags |= SpringFlag.ANISOTROPIC
    return flags


def axis_order(edge: Joint, flip: bool) -> list[int]:
    """Which of the joint's coordinates stands in each column: a reversed joint has its last axis first."""
    order = list(range(edge.axes))
    return order[::-1] if flip and not isinstance(edge, Ball) else order


def joint_frame(edge: Joint, flip: bool) -> np.ndarray:
    """World axes of the joint frame as drawn (columns). Reversed, its axes point the other way, so that the coordinate
    of a relative to b about them is that of b relative to a."""
    if isinstance(edge, Hinge | Slider | Motor):
        z = np.array(edge.axis)
        return frame_about(-z if flip else z, None)
    if isinstance(edge, Universal):
        x, y = np.array(edge.axis), np.array(edge.axis2)
        if flip:
            x, y = -y, -x
        return np.column_stack([x, y, np.cross(x, y)])
    if isinstance(edge, Ball):
        return frame_about(np.array(edge.twist_axis), None if edge.swing_axis is None else np.array(edge.swing_axis))
    return np.eye(3)


def plane_frame(edge: Joint, flip: bool, normal: np.ndarray) -> np.ndarray:
    """The joint frame between planar bodies: x in the plane, and the normal third; of a slider, second."""
    if isinstance(edge, Slider):
        z = np.array(edge.axis) * (-1.0 if flip else 1.0)
        return frame_about(z, np.cross(normal, z))
    return frame_about(normal, None) if isinstance(edge, Weld) else joint_frame(edge, flip)


def _number_dofs(topology: np.ndarray) -> None:
    """Places of the joint coordinates in stacked vectors."""
    dofs = np.maximum(topology[:, Topology.DOFS], 0)
    topology[:, Topology.FIRST_DOF] = np.cumsum(dofs) - dofs


def _place_springs(links: np.ndarray, topology: np.ndarray, joint: Floats, flipped: np.ndarray, stride: int) -> None:
    """Where the springs outside the forest are implicit (physics/forces/tree_springs.py), and in whose frame one
    without a length is damped: of what no force moves, else of its a, but never of a particle."""
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


def _carried_inertia(table: np.ndarray, topology: np.ndarray, body: Floats, joint: Floats) -> Floats:
    """At least how much inertia turns with each body about its principal axes: its own, with what joints that do not
    let go about the axis add, of a neighbour no less than the least of its moments. A thin shaft has next to none of
    its own. Infinite where a joint to the world holds the axis."""
    moments = body[:, Bodies.INERTIA : Bodies.INERTIA + 3]
    carried = moments.copy()
    least = np.where(topology[:, Topology.BODY_KIND] == BodyKind.PARTICLE, 0.0, moments.min(axis=1))
    kind = table[:, Topology.KIND]
    ends = ((Topology.CHILD, Topology.PARENT, Joints.AXES_CHILD), (Topology.PARENT, Topology.CHILD, Joints.AXES_PARENT))
    for near, far, axes in ends:
        turns = joint[:, [axes + 2, axes + 5, axes + 8]]  # the hinge's axis in the body's frame
        held = (np.abs(turns) < 1e-9) & (kind == JointKind.HINGE)[:, None] | np.isin(
            kind, (JointKind.SLIDER, JointKind.WELD)
        )[:, None]
        more = np.where(table[:, far] < 0, np.inf, least[np.maximum(table[:, far], 0)])
        of_body = table[:, near] >= 0
        np.add.at(carried, table[of_body, near], np.where(held, more[:, None], 0.0)[of_body])
    return carried


def _fill_softness(table: np.ndarray, topology: np.ndarray, body: Floats, joint: Floats) -> None:
    """max over the principal axes e of |r x e| / I_e: a joint force f stiffens the rotation about e by at most |f||r
    x e|. Where that is small against I_e / h^2, geometric stiffness can be left out (physics/README.md)."""
    carried = _carried_inertia(table, topology, body, joint)
    freedom = np.divide(1.0, carried, out=np.zeros_like(carried), where=carried > 0.0)
    for i in np.flatnonzero(table[:, Topology.KIND] != JointKind.FREE):
        child, parent = table[i, Topology.CHILD], table[i, Topology.PARENT]
        turning = lever_turns(table[i, Topology.KIND], joint[i, Joints.SIDE])
        ends = ((child, Joints.ANCHOR_CHILD, Joints.SOFT_CHILD), (parent, Joints.ANCHOR_PARENT, Joints.SOFT_PARENT))
        for row, anchor, out in ends:
            if row < 0 or topology[row, Topology.BODY_KIND] == BodyKind.PARTICLE:
                continue
            r = joint[i, anchor : anchor + 3]
            across = np.sqrt(np.maximum(product(r, r) - r * r, 0.0))
            if out == Joints.SOFT_PARENT and table[i, Topology.KIND] in (
                JointKind.SLIDER,
                JointKind.COMPOUND,
                JointKind.PLANE_SLIDER,
            ):
                # the lever changes with the coordinates: that of a slider along its axis
                along = np.abs(joint[i, [Joints.AXES_PARENT + 2, Joints.AXES_PARENT + 5, Joints.AXES_PARENT + 8]])
                across[(along < 1.0 - 1e-12) | (table[i, Topology.KIND] != JointKind.SLIDER)] = ANY_LENGTH
            if turning is not None:
                across = turning[out] * across if math.isfinite(turning[out]) else np.full(3, ANY_LENGTH)
            joint[i, out] = (across * freedom[row]).max()


def _fill_posing(forest: Forest, body: Floats, pose: Floats) -> None:
    tree = np.array(forest.tree)
    for number in np.unique(tree):
        rows = tree == number
        size = norm(np.ptp(pose[rows, :3], axis=0))
        body[rows, Bodies.POSING] = POSING_FRICTION * body[rows, Bodies.MASS].sum() * size * size


def _fill_general(topology: np.ndarray) -> int:
    offset = 0
    for i in np.flatnonzero(topology[:, Topology.ELIMINATION] == Path.GENERAL):
        topology[i, Topology.GENERAL] = offset
        offset += general_size(topology, int(i))
    return max(offset, 1)


def start_turns(model: Model, state: State, work: Work, body: int | None = None) -> None:
    """Count turns afresh from the present pose, every angle between -pi and pi: of all joints, or those of one body."""
    table = np.concatenate([model.topology, model.links])
    start_curves(model, table, state, work.frame)
    counted = np.isin(table[:, Topology.KIND], (JointKind.HINGE, JointKind.UNIVERSAL, JointKind.PLANE_HINGE))
    if body is not None:
        counted &= (table[:, Topology.CHILD] == body) | (table[:, Topology.PARENT] == body)
    for e in np.flatnonzero(counted):
        _, q_parent = parent_pose(table[e, Topology.PARENT], state.pose, work.frame)
        r = quaternion_product(conjugate(q_parent), state.pose[table[e, Topology.CHILD], 3:7])
        w = product(model.joint[e, Joints.TURN_W : Joints.TURN_W + 4], r)
        z = product(model.joint[e, Joints.TURN_Z : Joints.TURN_Z + 4], r)
        turn = 2.0 * arctangent(z, w)
        state.memory[e, Memory.OFFSET] = (
            -2.0 * math.pi if turn > math.pi else 2.0 * math.pi if turn <= -math.pi else 0.0
        )
        state.memory[e, Memory.LAST] = z
    if body is not None:
        start_coordinates(model, state, body)


def start_coordinates(model: Model, state: State, body: int, screws_only: bool = False) -> None:
    """The coordinates of a body's compound joints found afresh from the present pose (as drawn they are zero); or only
    of those with a screw, whose turns its travel tells."""
    table = np.concatenate([model.topology, model.links])
    touched = (table[:, Topology.CHILD] == body) | (table[:, Topology.PARENT] == body)
    for e in np.flatnonzero(touched & (table[:, Topology.KIND] == JointKind.COMPOUND)):
        joint = model.joint[e]
        series = read_series(joint)
        if screws_only and not any(axis.slide and axis.turn for axis in series):
            continue
        child = joint_place(joint, Joints.ANCHOR_CHILD, Joints.AXES_CHILD, state.pose[table[e, Topology.CHILD]])
        parent = table[e, Topology.PARENT]
        base = joint_place(
            joint, Joints.ANCHOR_PARENT, Joints.AXES_PARENT, state.pose[parent] if parent >= 0 else STILL
        )
        shift = product(base[0].T, child[1] - base[1])
        found = find_coordinates(series, product(base[0].T, child[0]), shift)
        state.memory[e, Memory.COUNTED : Memory.COUNTED + len(series)] = found


STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # pose of the world


def joint_place(joint: Floats, anchor: int, axes: int, pose: Floats) -> tuple[np.ndarray, np.ndarray]:
    """(turn, place) of a joint frame on one of its bodies."""
    r = matrix_of(pose[3:7])
    return product(r, joint[axes : axes + 9].reshape(3, 3)), pose[:3] + product(r, joint[anchor : anchor + 3])


def read_series(joint: Floats) -> list[ScrewAxis]:
    """The axes of a compound joint, from parent to child."""
    rows = joint[Joints.SERIES : Joints.SERIES + 3 * SeriesAxis.WIDTH].reshape(3, SeriesAxis.WIDTH)
    return [
        ScrewAxis(tuple(row[:3].tolist()), tuple(row[3:6].tolist()), float(row[6]), float(row[7]))
        for row in rows[: int(joint[Joints.SERIES_COUNT])]
    ]
