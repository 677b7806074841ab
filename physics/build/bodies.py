"""The rows that the bodies of a scene have in Model.body, Model.form and State."""

import numpy as np

from physics.build.forest import Forest
from physics.data.model import Floats
from physics.data.model_tables import Bodies, BodyKind, Forms, Topology
from physics.data.state_tables import PoseColumn
from physics.definitions.bodies import Body, Particle, PlanarBody, ScaledBody, inertia_matrix
from physics.maths.rotations import frame_about, planar_orientation, quaternion_of, quaternion_product
from physics.maths.strict import norm, principal_axes, product

# Posing friction c = 0.1 kg m^2 for a figure of 44 kg and 1.7 m, scaled by mass and length squared (physics/README.md).
POSING_FRICTION = 0.1 / (44.0 * 1.7 * 1.7)


def fill_body(
    i: int,
    definition: Body | Particle | PlanarBody,
    topology: np.ndarray,
    body: Floats,
    pose: Floats,
    velocity: Floats,
    principal: Floats,
    form: Floats,
) -> None:
    """Write the definition of a body to row i of the arrays `topology`, `body`, `pose`, `velocity`, `principal` and
    `form`. The row of `pose` is the pose of the principal frame. The row of `principal` is the rotation, a quaternion,
    from the principal axes to the axes of the definition."""
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
    """Write to row i what only a planar body has: its dimension 3, its plane, and its moment of inertia about the
    normal. Remove from its velocity the component along the normal, which is a rounding error."""
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
    """Write to row i what only a scaled body has: its second moments of mass along its principal axes [kg m^2], its
    springs, and its inertia at the scales of its definition. The second moment along axis a is (I_b + I_c - I_a) / 2,
    where b and c are the other two axes."""
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
    """Return the principal moments of inertia (3,) [kg m^2] of a scaled body from its rows of `form` and `pose`."""
    moments = form[Forms.MOMENTS : Forms.MOMENTS + 3] * pose[PoseColumn.SHAPE :] * pose[PoseColumn.SHAPE :]
    return moments.sum() - moments


def is_scaled(topology: np.ndarray, row: int) -> bool:
    """Return whether the body in this row has scales. The world (row -1) has none."""
    return row >= 0 and topology[row, Topology.BODY_KIND] in (BodyKind.UNIFORM, BodyKind.STRETCHED)


def fill_posing(forest: Forest, body: Floats, pose: Floats) -> None:
    """Write the posing friction [kg m^2] of the inbound joint of every body to Bodies.POSING. The friction is
    proportional to the mass of the tree, and to the square of its extent."""
    tree = np.array(forest.tree)
    for number in set(forest.tree):
        rows = tree == number
        size = norm(np.ptp(pose[rows, :3], axis=0))
        body[rows, Bodies.POSING] = POSING_FRICTION * body[rows, Bodies.MASS].sum() * size * size
