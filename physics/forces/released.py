"""Released links, as integrators see them: a pin out of reach, or one of two pins that contradict each other.

The guard releases what it cannot close (`integrators/releasing.py`). Such a link pulls softly by compliant rows
(`links/link_rows.released_compliance`), over the span t of a stage:

    J v + E mu = b,   b = -C/h, no faster than CLOSING_SPEED,   E = CLOSING_SPEED / (t 20 W):   mu / t <= 20 W at rest

with W the weight of all bodies. It is a motor and a damper in series; its power, mu . J v, is work from outside.
"""

from physics.bodies import islands, scales
from physics.compiler.jit import inline, kernel
from physics.data.model_tables import Path, Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import LinkError, Number
from physics.edges import conditions, right_hand_sides
from physics.forces.pulls import shortened
from physics.joints import axes, hinge
from physics.maths.vec import ZERO3, add, dot, load3, scale, sub

CLOSING_SPEED = 2.0  # m/s or rad/s


@inline
def add_implicit(m, s, w, velocity, t, weight):
    """Write b = -C/h of released links, no faster than CLOSING_SPEED, to Work.row."""
    pull(m, w, velocity, False)


@inline
def add_explicit(m, s, w, velocity, t, weight, accelerating):
    """Write b of released links to Work.row: b = -C/h, or b = (-C/h - J u)/h if the stage is `accelerating`."""
    pull(m, w, velocity, accelerating)


@kernel
def pull(m, w, velocity, accelerating):
    """Write b of released links to Work.row, so that they close no faster than CLOSING_SPEED. b is a velocity, or with
    `accelerating` the acceleration that reaches this velocity within h."""
    n = m.topology.shape[0]
    share = 1.0 / w.number[Number.H]
    for j in range(m.links.shape[0]):
        if w.auxiliary.error_state[n + j] != LinkError.RELEASED:
            continue
        lin = shortened(scale(-share, load3(w.gap, n + j, 0)), CLOSING_SPEED)
        ang = shortened(scale(-share, load3(w.gap, n + j, 3)), CLOSING_SPEED)
        if accelerating:
            slip, spin = twist(m, w, j, velocity)
            lin = scale(share, sub(lin, slip))
            ang = scale(share, sub(ang, spin))
        right_hand_sides.set_right_hand_side(m.links, j, n + j, w, lin, ang)


@inline
def twist(m, w, j, velocity):
    """Return the relative twist of link j at the anchor of Work.edge for `velocity`. A moving frame counts as at
    rest."""
    n = m.topology.shape[0]
    lin, ang = right_hand_sides.relative_twist(m, w, m.links, j, n + j, m.links[j, Topology.CHILD], velocity)
    if velocity.shape[1] > PoseColumn.RATES and m.links[j, Topology.OWN_ROWS] == 0:
        c = m.links[j, Topology.CHILD]
        lin = add(lin, scales.anchor_slip(m, n + j, c, m.links[j, Topology.PARENT], w.rotation, velocity))
    return lin, ang


@kernel
def add_row_work(m, s, w, t, wrench, velocity):
    """Add the work of the rows of released links in this pass over t [s] at `velocity` to the ledger. The springs along
    their axes, and conditions with non-ideal constraint forces (`conditions.add_work`), are not included."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        e = n + j
        if w.auxiliary.error_state[e] != LinkError.RELEASED or not islands.takes_part(w, islands.child_of(m, e)):
            continue
        if conditions.has_forces(m, e):
            continue  # conditions.add_work has theirs
        lin, ang = twist(m, w, j, velocity)
        path = m.links[j, Topology.PATH]
        if path == Path.BALL:
            ang = ZERO3
        elif path == Path.HINGE:
            ang = hinge.without_axis(w.edge, e, ang)
        elif path == Path.AXES:
            lin, ang = axes.without(m.links[j, Topology.DOFS], w.edge, e, lin, ang)
        islands.add_work(w, islands.child_of(m, e), t * (dot(lin, load3(wrench, e, 0)) + dot(ang, load3(wrench, e, 3))))
