"""From definitions to the arrays of Model, State and Work. `build` calls the functions of this subpackage in their
order."""

from dataclasses import dataclass

import numpy as np

from physics.build.allocation import allocate, make_auxiliary, make_sizes
from physics.build.bodies import fill_body, fill_posing
from physics.build.build_constraints import (
    Callbacks, condition_members, coupling_terms, fill_linkages, make_callbacks, make_table, shared_rows,
)  # fmt: skip
from physics.build.build_contacts import build_contacts
from physics.build.build_drives import Figure, add_signals, count_rows, fill_drives
from physics.build.forest import Forest
from physics.build.joints import axis_order, fill_joint, fill_material, fill_topology, fill_trace, fill_turns
from physics.build.limits import limit_rows
from physics.build.numbering import (
    Numbering, mark_groups_of_four, mark_loners, mark_runs, number_coordinates, number_scene, place_general,
    place_springs,
)  # fmt: skip
from physics.build.poses import parent_pose
from physics.build.softness import fill_softness
from physics.build.starting import start_turns
from physics.contacts.touch import Touch
from physics.data.arrays import make, make_field
from physics.data.model import Floats, Model, Signals, State, Work
from physics.data.model_tables import BodyKind, JointKind, Joints, SpringFlag, Topology
from physics.data.state_tables import HardLimits, PoseColumn
from physics.data.step_tables import Control, Number
from physics.data.work_tables import ConstraintRows
from physics.definitions.bodies import PlanarBody, ScaledBody
from physics.definitions.constraints import Constraint
from physics.definitions.couplings import Coupling
from physics.definitions.folding import Place, fold
from physics.definitions.functions import Function
from physics.definitions.joints import Ball, Distance, Joint
from physics.definitions.medium import Fluid, make_surfaces
from physics.definitions.prescribed import frames_at
from physics.definitions.motions import Motor, add_moving
from physics.definitions.scene import Scene
from physics.definitions.signal import Signal
from physics.definitions.signals import Tables
from physics.definitions.surrounding import Medium


@dataclass(frozen=True)
class Built:
    """The arrays of a figure, and the rows that belong to each of its definitions by name."""

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
    owners: dict[int, str]  # names of what shapes belong to (ShapeIndex.OWNER)
    anticipated: bool = False  # whether there is room for contacts in Work.auxiliary

    def edge(self, e: int) -> np.ndarray:
        """Return the row of Model.topology or Model.links that describes edge e."""
        n = len(self.model.topology)
        return self.model.topology[e] if e < n else self.model.links[e - n]

    def live(self) -> list[np.ndarray]:
        """Return all arrays on which the next step depends, and those that report on the last step."""
        model, work = self.model, self.work
        return [*self.state, model.joint, model.topology, model.links, work.number, work.control, work.mean_wrench]


def build(scene: Scene) -> Built:
    """Number the bodies and edges of a scene, write its constant arrays and its state, and allocate all other arrays.
    Return them."""
    folded = fold(scene)
    given, scene = scene, folded.scene
    numbering = number_scene(scene)
    n, edges, flipped = len(numbering.bodies), numbering.edges, numbering.reversed
    named = {joint.name: joint for joint in given.joints}
    signals, signal_of, drive_signals, wind = _make_signals(numbering, given, named, scene.medium)
    limits = _limits_of(numbering)
    sizes = _sizes(numbering, scene, count_rows(given.drives), len(limits))
    stride = sizes["stride"]
    arrays = _allocate(numbering, sizes, limits)
    table, joint = arrays["Model.topology"].view(np.int64), arrays["Model.joint"]
    topology, links = table[:n], table[n:]
    state = make(State, sizes, **{k: arrays[f"State.{k}"] for k in State._fields})
    principal = np.zeros((n, 4))
    for i, definition in enumerate(numbering.bodies):
        fill_body(
            i, definition, topology, arrays["Model.body"], state.pose, state.velocity, principal, arrays["Model.form"]
        )
    sizes |= {"signals": len(signals.table), "frames": len(signals.motion)}
    values, frame = make_field(Work, "signal", sizes), make_field(Work, "frame", sizes)
    if len(values) > 0 or len(frame) > 0:  # few figures have limits, and compiling takes a second
        frames_at(signals, 0.0, values, frame)
    _fill_edges(numbering, signal_of, table, topology, arrays, state, frame)
    joint_row = {edge.name: e for e, edge in enumerate(edges) if edge is not None}
    lists = _fill_linkages(scene, numbering, table, joint, joint_row, principal, state, frame)
    callbacks = make_callbacks(edges, scene.couplings, table, joint, principal)
    fill_softness(table, topology, arrays["Model.body"], joint)
    number_coordinates(topology)
    place_springs(links, topology, joint[n:], flipped[n:], stride)
    fill_posing(numbering.forest, arrays["Model.body"], state.pose)
    general = place_general(topology)
    body_row = {b.name: i for i, b in enumerate(numbering.bodies)}
    surface = make_surfaces(scene, body_row, principal)
    form, material = arrays["Model.form"], arrays["Model.material"]
    model = make(
        Model, sizes, topology=topology, body=arrays["Model.body"], joint=joint, links=links, signals=signals,
        form=form, material=material, table=lists, surface=surface,
    )  # fmt: skip
    auxiliary = make_auxiliary(model, stride, 0, len(limits))
    sizes |= {"surfaces": len(surface), "shared_rows": shared_rows(scene.couplings), "general": general}
    own = {k: arrays[f"Work.{k}"] for k in Work._fields if f"Work.{k}" in arrays}
    work = make(Work, sizes, **own, signal=values, frame=frame, auxiliary=auxiliary)
    if stride == PoseColumn.RATES:
        mark_runs(topology)
    mark_groups_of_four(topology)
    _start_control(work, model, table, limits, wind, scene.medium)
    start_turns(model, state, work)
    joint_row |= {name: joint_row[place.joint] for name, place in folded.places.items()}
    for whole in {place.joint for place in folded.places.values()} - named.keys():
        del joint_row[whole]
    joint_row |= {c.name: e for e, c in enumerate(scene.couplings, len(edges))}
    frame_row = {b.name: k for k, b in enumerate(numbering.moving)}
    figure = _figure_of_drives(numbering, named, folded.places, joint_row, table, state, frame)
    drive_row = fill_drives(given.drives, drive_signals, figure, state.drive)
    touch, owners = build_contacts(scene, body_row, frame_row, principal, model, work)
    return Built(
        scene, numbering.forest, model, state, work, body_row, joint_row, frame_row, drive_row, flipped, principal,
        folded.places, callbacks, touch, owners,
    )  # fmt: skip


def _limits_of(numbering: Numbering) -> Floats:
    """Return the rows of State.limit for all hard limits of a scene (limits, HardLimits.WIDTH)."""
    rows = [np.zeros((0, HardLimits.WIDTH))]
    for e, edge in enumerate(numbering.edges):
        if edge is not None:
            flip = bool(numbering.reversed[e])
            rows.append(limit_rows(edge, e, flip, axis_order(edge, flip)))
    return np.concatenate(rows)


def _sizes(numbering: Numbering, scene: Scene, drives: int, limits: int) -> dict[str, int]:
    """Return by name the sizes of the arrays of a scene. `drives` and `limits` are numbers of rows."""
    bodies, edges = numbering.bodies, numbering.edges
    n = len(bodies)
    stride = 9 if any(isinstance(b, ScaledBody) for b in bodies) else 6
    columns = ConstraintRows.WIDTH if any(isinstance(e, Function) for e in edges) else 36
    shaped = stride == 9 or any(isinstance(b, PlanarBody) for b in bodies)
    sizes = make_sizes(n, len(edges) + len(scene.couplings), stride, columns, 0, drives, limits)
    return sizes | {"forms": n if shaped else 1}


def _allocate(numbering: Numbering, sizes: dict[str, int], limits: Floats) -> dict[str, Floats]:
    """Return the arrays that have one row for each body, edge, drive or limit. Of their contents, write only the ends
    of edges and the limits."""
    arrays = allocate(sizes)
    arrays["State.limit"][:] = limits
    arrays["Model.form"] = make_field(Model, "form", sizes)
    table = arrays["Model.topology"].view(np.int64)
    table[: len(numbering.edges), [Topology.CHILD, Topology.PARENT]] = numbering.ends
    return arrays


def _fill_edges(
    numbering: Numbering,
    signal_of: list[int],
    table: np.ndarray,
    topology: np.ndarray,
    arrays: dict[str, Floats],
    state: State,
    frame: Floats,
) -> None:
    """Write the rows that all joints and constraints between two bodies have in Model.topology, Model.links,
    Model.joint and Model.material. `signal_of` is the signal of each edge (-1: none), and `frame` has the poses of
    moving bodies at time 0."""
    joint, edges = arrays["Model.joint"], numbering.edges
    joint[:, Joints.SIGNAL] = [*signal_of, *[-1] * (len(joint) - len(edges))]
    for e, edge in enumerate(edges):
        fill_topology(table[e], edge, topology)
        if edge is not None:
            fill_joint(table[e], edge, bool(numbering.reversed[e]), joint[e], state.pose, frame, arrays["Model.form"])
            fill_trace(table[e], arrays["Model.body"], joint[e])
    turning = [e for e, edge in enumerate(edges) if edge is not None and not isinstance(edge, Constraint)]
    fill_turns(turning, table, joint)
    fill_material(table, topology, joint, state.pose, arrays["Model.material"])


def _fill_linkages(
    scene: Scene,
    numbering: Numbering,
    table: np.ndarray,
    joint: Floats,
    joint_row: dict[str, int],
    principal: Floats,
    state: State,
    frame: Floats,
) -> Floats:
    """Write the rows of couplings and conditions to `table` and `joint`, after the rows of the joints. Return
    Model.table, which has the segments of curves, the terms of couplings, and the bodies of conditions."""
    row_of, flipped = numbering.row.__getitem__, numbering.reversed
    fill_linkages(scene.couplings, len(numbering.edges), table, joint, joint_row, row_of)
    terms = [
        (coupling_terms(c, numbering.joints, joint_row, flipped, axis_order), len(c.terms)) if isinstance(c, Coupling)
        else (condition_members(c, row_of, principal), len(c.bodies))  # type: ignore[arg-type, attr-defined]
        for c in scene.couplings
    ]  # fmt: skip
    return make_table(numbering.edges, terms, flipped, table, joint, state.pose, frame)


def _start_control(
    work: Work, model: Model, table: np.ndarray, limits: Floats, wind: int, medium: Medium | None
) -> None:
    """Write the switches of Work.control that do not change while the figure moves, and the numbers of the medium."""
    topology, control = model.topology, work.control
    control[Control.COUPLED] = int((table[:, Topology.KIND] != JointKind.FREE).any())
    control[Control.LINKED] = int(len(model.links) > 0)
    control[Control.HARD_LIMITED] = int(len(limits) > 0)
    control[Control.SEVERAL] = int((topology[:, Topology.PARENT] < 0).sum() > 1)
    control[Control.LANED] = int((topology[:, Topology.BODY_KIND] != BodyKind.PARTICLE).all())
    control[Control.LONERS] = mark_loners(model)
    control[Control.ARMED] = int((table[:, Topology.FLAGS] & SpringFlag.ROTOR).any())
    control[Control.SIGNALED] = int(len(model.signals.table) > 0)
    control[Control.NONHOLONOMIC] = int((table[:, Topology.HOLONOMIC] < table[:, Topology.ROWS]).any())
    searched = (JointKind.COMPOUND, JointKind.POINT_ON_CURVE)
    control[Control.SOUGHT] = int(np.isin(table[:, Topology.KIND], searched).any())
    control[Control.WIND] = wind
    if isinstance(medium, Fluid):
        work.number[[Number.DENSITY, Number.VISCOSITY]] = medium.density, medium.viscosity


def _figure_of_drives(
    numbering: Numbering,
    named: dict[str, Joint],
    places: dict[str, Place],
    joint_row: dict[str, int],
    table: np.ndarray,
    state: State,
    frame: Floats,
) -> Figure:
    """Return the `Figure` from which the rows of drives are filled."""

    def column(name: str, axis: int) -> tuple[int, int, bool]:
        """Return (edge, column, flip) of one axis of a joint. `flip` says whether the coordinate in this column has the
        opposite sign."""
        e, part, flip = joint_row[name], axis, bool(numbering.reversed[joint_row[name]])
        whole = numbering.edges[e]
        order = [0] if whole is None or isinstance(whole, Ball) else axis_order(whole, flip)
        if name in places:
            part, flip = places[name].columns[axis], flip == places[name].forward
        return e, order[part], flip

    def pose_of(row: int) -> tuple[Floats, Floats]:
        """Return position and quaternion at time 0 of the body in this row, which may be the world or a moving body."""
        return parent_pose(row, state.pose, frame)

    return Figure(named, column, table, numbering.row, pose_of)


def _make_signals(
    numbering: Numbering, given: Scene, joints: dict[str, Joint], medium: Medium | None
) -> tuple[Signals, list[int], list[tuple[int, int, int]], int]:
    """Return the tables of all signals, the signal of each edge (-1: none), the signals of each drive, and the first
    signal of the wind. `given` is the scene before massless bodies are removed."""
    moving, edges = numbering.moving, numbering.edges
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
    of_drive = add_signals(tables, given.drives, joints)
    wind = min(tables.add(value) for value in medium.wind) if isinstance(medium, Fluid) else 0
    motions = np.array(motion, np.int64).reshape(len(moving), 2)
    table, keys = tables.make()
    return make(Signals, {}, table=table, keys=keys, motion=motions, base=base), of_edge, of_drive, wind
