"""Loops over the scales of scaled bodies. `physics/bodies/scaled.py` has the equations. A scene without a scaled body
has no columns for scales, and does not call these functions.

Functions of bodies read I(s) in Model.body, and joints read their anchors in Model.joint. Both belong to the pose for
which `put_shape` was last called. Every function that fills edges at a pose calls it first."""

import math

from physics.bodies import islands, rigid, scaled
from physics.bodies.coordinates import is_scaled
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import BodyKind, Forms, Joints, Materials, Topology
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import Stretch
from physics.maths import quat
from physics.maths.vec import (
    ZERO3, add, add_scaled, add_to3, cross, load3, load4, load9, mul, mul_t, scale, store3, store4, store9, sub,
)  # fmt: skip

SCALED_FROM = 1e-3  # a scale below this is no shape: the energy is not finite, and the guard redoes the step


@inline
def times(a, b):
    """Return the product of two triples a and b, component by component."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


# ---------------------------------------------------------------- the shape in force
@far("scales", "mt")
def put_shape(m, pose):
    """Write the inertia of scaled bodies to Model.body, and the anchors on them to Model.joint, both at the scales of
    `pose`. Do nothing if `pose` has no columns for scales."""
    n = m.topology.shape[0]
    if pose.shape[1] == PoseColumn.SHAPE:
        return
    for i in range(n):
        if is_scaled(m.topology, i):
            scaled.put_inertia(m.body, m.form, i, load3(pose, i, PoseColumn.SHAPE))
        put_anchors(m, m.topology[i, Topology.PARENT], i, i, pose)
    for j in range(m.links.shape[0]):
        put_anchors(m, m.links[j, Topology.PARENT], m.links[j, Topology.CHILD], n + j, pose)


@inline
def put_anchors(m, p, c, e, pose):
    """Write the anchors of edge e on its child c and its parent p to Model.joint, at the scales of `pose`. Skip a body
    that is not scaled."""
    if is_scaled(m.topology, c):
        store3(
            m.joint,
            e,
            Joints.ANCHOR_CHILD,
            times(load3(pose, c, PoseColumn.SHAPE), load3(m.material, e, Materials.CHILD)),
        )
    if p >= 0 and is_scaled(m.topology, p):
        store3(
            m.joint,
            e,
            Joints.ANCHOR_PARENT,
            times(load3(pose, p, PoseColumn.SHAPE), load3(m.material, e, Materials.PARENT)),
        )


@far("scales", "mtt")
def put_stretch(m, rotation, stretch):
    """Write R diag(a) of both ends of every edge to `stretch`. R is in `rotation`, and a is the anchor at scale 1."""
    n = m.topology.shape[0]
    for i in range(n):
        put_ends(m, m.topology[i, Topology.PARENT], i, i, rotation, stretch)
    for j in range(m.links.shape[0]):
        put_ends(m, m.links[j, Topology.PARENT], m.links[j, Topology.CHILD], n + j, rotation, stretch)


@inline
def put_ends(m, p, c, e, rotation, stretch):
    """Write R diag(a) of both ends of edge e to row e of `stretch`: on its child c and its parent p. Skip a body that
    is not scaled."""
    if is_scaled(m.topology, c):
        store9(stretch, e, Stretch.CHILD, columns(load9(rotation, c, 0), load3(m.material, e, Materials.CHILD)))
    if p >= 0 and is_scaled(m.topology, p):
        store9(stretch, e, Stretch.PARENT, columns(load9(rotation, p, 0), load3(m.material, e, Materials.PARENT)))


@inline
def columns(r, a):
    """Return the matrix R diag(a), nine numbers by rows."""
    return (
        r[0] * a[0], r[1] * a[1], r[2] * a[2], r[3] * a[0], r[4] * a[1], r[5] * a[2], r[6] * a[0], r[7] * a[1],
        r[8] * a[2],
    )  # fmt: skip


@kernel
def anchor_rate(m, e, o, i, rotation, velocity):
    """Return R S' a [m/s]: the part of the velocity of an anchor of edge e that the changing scales of body i cause. It
    is zero if i is not scaled. `o` says which anchor: Materials.CHILD or Materials.PARENT."""
    if i < 0 or not is_scaled(m.topology, i):
        return ZERO3
    return mul(load9(rotation, i, 0), times(load3(velocity, i, PoseColumn.RATES), load3(m.material, e, o)))


@far("scales", "miiitt", "3")
def anchor_slip(m, e, c, p, rotation, velocity):
    """Return the slip [m/s] of edge e that changing scales cause: the velocity of the anchor on the child c minus that
    of the anchor on the parent p."""
    return sub(
        anchor_rate(m, e, Materials.CHILD, c, rotation, velocity),
        anchor_rate(m, e, Materials.PARENT, p, rotation, velocity),
    )


@far("scales", "miiitt33", "33")
def anchor_velocities(m, e, c, p, rotation, velocity, vc, vp):
    """Return the velocities vc and vp of child c and parent p, each plus the velocity that changing scales cause at the
    anchor of edge e on that body. The equations of a joint need these sums."""
    return (
        add(vc, anchor_rate(m, e, Materials.CHILD, c, rotation, velocity)),
        add(vp, anchor_rate(m, e, Materials.PARENT, p, rotation, velocity)),
    )


@far("scales", "miiitt", "3")
def anchor_bias(m, e, c, p, rotation, velocity):
    """Return the part of b_acc of edge e that changing scales cause: 2 w x R S' a of the parent p minus that of the
    child c."""
    s = cross(load3(velocity, c, 3), anchor_rate(m, e, Materials.CHILD, c, rotation, velocity))
    if p >= 0:
        s = sub(s, cross(load3(velocity, p, 3), anchor_rate(m, e, Materials.PARENT, p, rotation, velocity)))
    return scale(-2.0, s)


# ---------------------------------------------------------------- the columns of the scales
@far("scales", "mfft")
def fill_mass(m, damper, spring, block):
    """Write Z + damper c + spring k to those diagonal entries of `block` that belong to scales, and 0 to all other
    entries of their rows."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            for k in range(21, 45):
                block[i, k] = 0.0
            for k in range(3):
                z = (
                    m.form[i, Forms.MOMENTS + k]
                    + damper * m.form[i, Forms.DAMPER_SCALE + k]
                    + spring * m.form[i, Forms.SPRING_SCALE + k]
                )
                block[i, (6 + k) * (7 + k) // 2 + 6 + k] = z


@far("scales", "mtit")
def fill_momenta(m, velocity, o, out):
    """Write the momenta Z s' of the scales to columns o to o + 2 of `out`, for all scaled bodies. The rates s' are in
    `velocity`."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            store3(out, i, o, scaled.momentum(m.form, i, load3(velocity, i, PoseColumn.RATES)))


@far("scales", "mtit")
def fill_rates(m, momentum, o, velocity):
    """Write the rates s' of the scales to `velocity`, for all scaled bodies. Their momenta are in columns o to o + 2 of
    `momentum`."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            uniform = m.topology[i, Topology.BODY_KIND] == BodyKind.UNIFORM
            store3(velocity, i, PoseColumn.RATES, scaled.rates(m.form, i, uniform, load3(momentum, i, o)))


@far("scales", "ttft")
def move(pose, velocity, t, out):
    """Write the scales s + t s' to `out`. The scales s are in `pose`, and the rates s' in `velocity`; those of bodies
    that do not stretch are zero."""
    for i in range(pose.shape[0]):
        store3(
            out,
            i,
            PoseColumn.SHAPE,
            add_scaled(load3(pose, i, PoseColumn.SHAPE), t, load3(velocity, i, PoseColumn.RATES)),
        )


@kernel
def fill_elastic(m, pose, o, out):
    """Write the elastic forces -k (s - 1) of all scaled bodies to columns o to o + 2 of `out`. The scales s are in
    `pose`."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            store3(out, i, o, scaled.elastic(m.form, i, load3(pose, i, PoseColumn.SHAPE)))


@far("scales", "mtft")
def add_elastic(m, pose, t, force):
    """Add -t k (s - 1) to those columns of `force` that belong to scales. The scales s are in `pose`."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            add_to3(force, i, PoseColumn.RATES, scale(t, scaled.elastic(m.form, i, load3(pose, i, PoseColumn.SHAPE))))


@far("scales", "mtft")
def add_damping(m, velocity, t, force):
    """Add -t c s' to those columns of `force` that belong to scales. The rates s' are in `velocity`."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            add_to3(
                force, i, PoseColumn.RATES, scale(t, scaled.damping(m.form, i, load3(velocity, i, PoseColumn.RATES)))
            )


@far("scales", "mtttft")
def add_centrifugal(m, pose, rotation, velocity, t, force):
    """Add (t/2) w . dI/ds w to those columns of `force` that belong to scales. The angular velocities w are in
    `velocity`."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            b = mul_t(load9(rotation, i, 0), load3(velocity, i, 3))
            add_to3(
                force, i, PoseColumn.RATES, scale(t, scaled.centrifugal(m.form, i, load3(pose, i, PoseColumn.SHAPE), b))
            )


@far("scales", "mtttt")
def add_spin_change(m, pose, rotation, velocity, force):
    """Add -I' w to the torques in `force`, for a request of accelerations. This keeps the spin momentum while the
    scales change."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            change = spin_change(m, i, pose, rotation, velocity)
            add_to3(force, i, 3, scale(-1.0, change))


@kernel
def add_turning(m, pose, rotation, velocity, out):
    """Add the angular acceleration -I^-1 I' w of all scaled bodies to the first three columns of `out`."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            change = spin_change(m, i, pose, rotation, velocity)
            add_to3(out, i, 0, scale(-1.0, rigid.spin(m.body, i, load9(rotation, i, 0), change)))


@inline
def spin_change(m, i, pose, rotation, velocity):
    """Return R I'(s) R^T w [N m] of body i, computed from its rows of `pose`, `rotation` and `velocity`: the rate at
    which its spin momentum changes with its scales."""
    s = load3(pose, i, PoseColumn.SHAPE)
    return scaled.spin_change(
        m.form, i, load9(rotation, i, 0), s, load3(velocity, i, PoseColumn.RATES), load3(velocity, i, 3)
    )


@far("scales", "tt")
def add_rates(a, out):
    """Add the rates of the scales in `a` to those in `out`."""
    for i in range(out.shape[0]):
        add_to3(out, i, PoseColumn.RATES, load3(a, i, PoseColumn.RATES))


@far("scales", "mftiti")
def add_columns(m, t, a, o, out, r):
    """Add t times columns o to o + 2 of `a` to columns r to r + 2 of `out`, for all scaled bodies."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            add_to3(out, i, r, scale(t, load3(a, i, o)))


@far("scales", "mtttfitt")
def drift(m, pose, rotation, velocity, t, o, momentum, out):
    """Move all scaled bodies freely for the time t with constant spin momentum. Write their new orientations and scales
    to `out`, and the new momenta of their scales to columns o to o + 2 of `momentum`. Copy the scales of other bodies.

    The motion has three parts: the scales drift for t/2; at these scales s the body makes the exponential rotation of
    `rigid`, whose discrete Lagrangian (t/2) w . I(s) w also exerts a force on the scales; the scales drift for t/2.
    Each part is symplectic, and the sequence is symmetric."""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            rot = load9(rotation, i, 0)
            rate = load3(velocity, i, PoseColumn.RATES)
            p = scaled.momentum(m.form, i, rate)
            s = add_scaled(load3(pose, i, PoseColumn.SHAPE), 0.5 * t, rate)
            pi = mul_t(rot, rigid.spin_momentum(m.body, i, rot, load3(velocity, i, 3)))
            moments = scaled.inertia(m.form, i, s)
            inverse = (1.0 / moments[0], 1.0 / moments[1], 1.0 / moments[2])
            w, a = rigid.exponential_drift(moments, inverse, times(inverse, pi), pi, t)
            store4(out, i, 3, quat.normalized(quat.multiply(load4(pose, i, 3), (1.0, a[0], a[1], a[2]))))
            p = add_scaled(p, t, scaled.centrifugal(m.form, i, s, w))
            store3(momentum, i, o, p)
            rate = scaled.rates(m.form, i, m.topology[i, Topology.BODY_KIND] == BodyKind.UNIFORM, p)
            store3(out, i, PoseColumn.SHAPE, add_scaled(s, 0.5 * t, rate))
        else:
            store3(out, i, PoseColumn.SHAPE, load3(pose, i, PoseColumn.SHAPE))


@far("scales", "mt", "f")
def kinetic(m, velocity):
    """Return the kinetic energy [J] of all scales at `velocity`."""
    total = 0.0
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            total += scaled.kinetic(m.form, i, load3(velocity, i, PoseColumn.RATES))
    return total


@far("scales", "mwt", "f")
def kinetic_of_part(m, w, velocity):
    """Return the kinetic energy [J] of the scales at `velocity`, of those bodies that belong to the present pass."""
    total = 0.0
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i) and islands.takes_part(w, i):
            total += scaled.kinetic(m.form, i, load3(velocity, i, PoseColumn.RATES))
    return total


@far("scales", "mwt", "f")
def potential(m, w, pose):
    """Return the elastic energy [J] of the scales at `pose`, of those bodies that belong to the present pass. It is
    infinite if one of these scales is below SCALED_FROM."""
    total = 0.0
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i) and islands.takes_part(w, i):
            s = load3(pose, i, PoseColumn.SHAPE)
            total += scaled.potential(m.form, i, s) if min(s[0], min(s[1], s[2])) > SCALED_FROM else math.inf
    return total
