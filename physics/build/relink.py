"""Changes of the links while a figure moves: pins are added and removed, and the arrays of grabs, limits and contact
rows grow.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from physics.build.allocation import allocate, array_shapes, make_auxiliary, make_sizes
from physics.build.build import Built
from physics.build.joints import fill_joint, fill_material, fill_topology, fill_turns
from physics.build.numbering import mark_loners, place_springs
from physics.build.softness import fill_softness
from physics.contacts.touch import fitted_to
from physics.data.arrays import make
from physics.data.model import Floats, State, Work
from physics.data.model_tables import JointKind, Joints, Topology
from physics.data.state_tables import Grabs, HardLimits
from physics.data.step_tables import Control
from physics.definitions.joints import Joint

# Rows of contacts in the anticipation: beyond so many contacts at a time method `newton` is far faster.
CONTACT_ROWS = 3 * 64


@dataclass(frozen=True)
class Pin:
    """A joint to the world that was made while the figure moved. `pose` is the pose that its body had at that time."""

    joint: Joint
    pose: tuple[float, ...]  # of the body, 7 numbers


def relink(
    built: Built, pins: Sequence[Pin], grabs: int, limits: Floats | None = None, anticipated: bool = False
) -> Built:
    """Return new arrays for the same figure in the same state. Its last links are these pins and no others. The arrays
    have capacity for `grabs` grabs, and if `anticipated` also for contact rows. If `limits` is given, it replaces
    State.limit; otherwise only the limits of removed pins are removed. All other edges keep their rows."""
    n = len(built.model.topology)
    own = n + len(built.forest.auxiliary) + len(built.scene.couplings)
    old_row = {name: e for name, e in built.joint_row.items() if e >= own}
    kept = list(range(own)) + [old_row.get(pin.joint.name, -1) for pin in pins]
    limits = _limits_that_stay(built.state.limit, kept) if limits is None else limits
    stride = built.state.velocity.shape[1]
    arrays = _copied(built, kept, grabs, limits, stride)
    table = arrays["Model.topology"].view(np.int64)
    state = make(State, {}, **{k: arrays[f"State.{k}"] for k in State._fields})
    for e, pin in enumerate(pins, own):
        if kept[e] < 0:
            _fill_pin(built, pin, e, n, arrays, state)
    flipped = np.concatenate([built.reversed[:own], np.zeros(len(pins), bool)])
    fill_softness(table, table[:n], arrays["Model.body"], arrays["Model.joint"])
    place_springs(table[n:], table[:n], arrays["Model.joint"][n:], flipped[n:], stride)
    model = built.model._replace(
        topology=table[:n],
        body=arrays["Model.body"],
        joint=arrays["Model.joint"],
        links=table[n:],
        material=arrays["Model.material"],
    )
    fields = {k: arrays[f"Work.{k}"] for k in Work._fields if f"Work.{k}" in arrays}
    anticipated = anticipated or built.anticipated
    auxiliary = make_auxiliary(model, stride, grabs, len(limits), CONTACT_ROWS if anticipated else 0)
    work = built.work._replace(**fields, auxiliary=auxiliary)
    work.control[Control.LINKED] = int(len(table) > n)
    work.control[Control.COUPLED] = int((table[:, Topology.KIND] != JointKind.FREE).any())
    work.control[Control.LONERS] = mark_loners(model)
    joint_row = {name: e for name, e in built.joint_row.items() if e < own}
    joint_row |= {pin.joint.name: own + k for k, pin in enumerate(pins)}
    touch = fitted_to(built.touch, work) if built.touch else None
    return replace(
        built, model=model, state=state, work=work, joint_row=joint_row, reversed=flipped, touch=touch,
        anticipated=anticipated,
    )  # fmt: skip


def _copied(built: Built, kept: list[int], grabs: int, limits: Floats, stride: int) -> dict[str, Floats]:
    """Return new arrays for this number of grabs and for these limits. Their edges are `kept`: each entry is the row of
    an edge in the old arrays, which is copied, or -1 for a new edge."""
    n, columns = len(built.model.topology), built.work.rows.shape[1]
    drives, met = len(built.state.drive), len(limits)
    sizes = make_sizes(n, len(kept), stride, columns, grabs, drives, met)
    shapes = array_shapes(sizes)
    more_edges = array_shapes(make_sizes(n, len(kept) + 1, stride, columns, grabs, drives, met))
    more_grabs = array_shapes(make_sizes(n, len(kept), stride, columns, grabs + 1, drives, met))
    per_edge = {k for k in shapes if shapes[k] != more_edges[k]}
    per_grab = {k for k in shapes if shapes[k] != more_grabs[k]}
    arrays = allocate(sizes)
    old = {f"State.{k}": v for k, v in built.state._asdict().items()}
    old |= {f"Work.{k}": v for k, v in built.work._asdict().items() if f"Work.{k}" in shapes}
    old |= {"Model.body": built.model.body, "Model.joint": built.model.joint, "Model.material": built.model.material}
    old["Model.topology"] = np.concatenate([built.model.topology, built.model.links]).view(np.float64)
    for name, array in arrays.items():
        if name in per_edge:
            stay = [e for e in kept if e >= 0]
            array[[k for k, e in enumerate(kept) if e >= 0]] = old[name][stay]
        elif name in per_grab:
            stay = min(grabs, len(old[name]))
            array[:stay] = old[name][:stay]
            array[stay:, Grabs.BODY] = -1.0
        elif name == "State.limit":
            array[:] = limits
        elif name not in ("Work.limit", "Work.stop"):
            array[:] = old[name]
    return arrays


def _fill_pin(built: Built, pin: Pin, e: int, n: int, arrays: dict[str, Floats], state: State) -> None:
    """Write the rows of a new pin, edge e of a figure of n bodies, to `arrays`."""
    table, joint = arrays["Model.topology"].view(np.int64), arrays["Model.joint"]
    child = built.body_row[pin.joint.b]  # type: ignore[index]
    table[e, [Topology.CHILD, Topology.PARENT]] = child, -1
    fill_topology(table[e], pin.joint, table[:n])
    joint[e, Joints.SIGNAL] = -1
    drawn = np.zeros_like(state.pose)
    drawn[child] = pin.pose
    fill_joint(table[e], pin.joint, False, joint[e], drawn, built.work.frame, built.model.form)
    fill_turns([e], table, joint)
    fill_material(table[e : e + 1], table[:n], joint[e:], drawn, arrays["Model.material"][e:])


def _limits_that_stay(limits: Floats, kept: list[int]) -> Floats:
    """Return the rows of State.limit that belong to the edges in `kept`, with the new numbers of these edges."""
    place = {old: new for new, old in enumerate(kept) if old >= 0}
    edges = limits[:, HardLimits.EDGE].astype(int)
    stay = limits[[int(e) in place for e in edges]]
    stay[:, HardLimits.EDGE] = [place[int(e)] for e in stay[:, HardLimits.EDGE]]
    return stay
