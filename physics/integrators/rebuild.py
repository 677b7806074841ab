"""From joint coordinates back to poses: after each step every body is put where its parent and its joint's coordinates
require it, so that no gap is left to drift [Baraff96, section 2.2].

The pass goes from the roots to the leaves and moves only the child. The child is rotated by minus the angular error of
its joint and moved by minus the linear error, which keeps the joint coordinates (errors are at right angles to the
axes). This is repeated until the error is rounding. Velocities are treated in the same way: the child's twist becomes
the parent's plus N q'. Nothing acts back on the parent. Momentum is therefore not conserved, while the projections of
other corrections conserve it."""

from physics.bodies import kinds as body_kinds
from physics.compiler.lazy import far
from physics.data.model_tables import JointKind, Topology
from physics.data.work_tables import Edges
from physics.edges import edges, right_hand_sides
from physics.maths import quat
from physics.maths.vec import add_to3, cross, dot, load3, load4, negative, scale, store9, sub

MOST_TURNS = 8
CLOSED = 1e-14  # m, rad


@far("rebuilding", "msw")
def rebuild(m, s, w):
    """Close all joints of the forest in Work.next_pose and stop their slips in Work.next_velocity, from the roots to
    the leaves. Write the rotation matrices of that pose to Work.next_rotation, and its gaps to Work.next_gap."""
    for i in range(m.topology.shape[0]):
        store9(w.next_rotation, i, 0, quat.matrix(load4(w.next_pose, i, 3)))
        if m.topology[i, Topology.KIND] == JointKind.FREE:
            continue
        for _ in range(MOST_TURNS):
            lin, ang = edges.body_error(m, s, w, i, w.next_pose, w.next_rotation)
            if max(dot(lin, lin), dot(ang, ang)) < CLOSED * CLOSED:
                break
            body_kinds.body_displace(m.topology, i, w.next_pose, negative(lin), negative(ang), w.next_pose)
            store9(w.next_rotation, i, 0, quat.matrix(load4(w.next_pose, i, 3)))
    edges.fill_edges(m, s, w, w.next_pose, w.next_rotation, w.next_gap)
    for i in range(m.topology.shape[0]):
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            lin, ang = right_hand_sides.body_slip(m, s, w, i, w.next_pose, w.next_rotation, w.next_velocity)
            # at the anchor: v + w x r
            add_to3(w.next_velocity, i, 0, sub(cross(ang, load3(w.edge, i, Edges.RC)), lin))
            add_to3(w.next_velocity, i, 3, scale(-1.0, ang))
