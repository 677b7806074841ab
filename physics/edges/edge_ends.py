"""The two ends of an edge: its child is a body; its parent is a body, the world, or a moving frame (-2 - k: row k of
Work.frame)."""

from physics.bodies import scales
from physics.compiler.jit import inline
from physics.data.model_tables import Topology
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import Frames
from physics.maths.vec import IDENTITY9, ZERO3, load3, load4, load9


@inline
def parent_pose(w, p, pose, rotation):
    """Return position [m] and rotation matrix of parent p of an edge: a body of `pose` and `rotation`, the world (-1),
    or a moving frame (below -1)."""
    if p >= 0:
        return load3(pose, p, 0), load9(rotation, p, 0)
    if p == -1:
        return ZERO3, IDENTITY9
    return load3(w.frame, -2 - p, Frames.POSITION), load9(w.frame, -2 - p, Frames.ROTATION)


@inline
def parent_quaternion(w, p, pose):
    """Return the orientation of parent p of an edge, a unit quaternion."""
    if p >= 0:
        return load4(pose, p, 3)
    if p == -1:
        return (1.0, 0.0, 0.0, 0.0)
    return load4(w.frame, -2 - p, Frames.QUATERNION)


@inline
def parent_velocity(w, p, velocity):
    """Return linear [m/s] and angular [rad/s] velocity of parent p of an edge; `velocity` (n, stride) is that of the
    bodies."""
    if p >= 0:
        return load3(velocity, p, 0), load3(velocity, p, 3)
    if p == -1:
        return ZERO3, ZERO3
    return load3(w.frame, -2 - p, Frames.VELOCITY), load3(w.frame, -2 - p, Frames.VELOCITY + 3)


@inline
def anchor_velocities(m, w, e, c, p, rotation, velocity, prescribed):
    """Return linear and angular velocity of child c and of parent p as edge e sees them, (vc, wc, vp, wp): with the
    velocities that scales add at the anchors. Unless `prescribed`, a moving frame counts as at rest."""
    vp, wp = parent_velocity(w, p, velocity)
    if p < -1 and not prescribed:
        vp = ZERO3
        wp = ZERO3
    vc = load3(velocity, c, 0)
    if velocity.shape[1] > PoseColumn.RATES:
        vc, vp = scales.anchor_velocities(m, e, c, p, rotation, velocity, vc, vp)
    return vc, load3(velocity, c, 3), vp, wp


@inline
def row_of(m, e):
    """Return the table of edge e (Model.topology or Model.links), its row there, and its child."""
    n = m.topology.shape[0]
    if e < n:
        return m.topology, e, e
    return m.links, e - n, m.links[e - n, Topology.CHILD]
