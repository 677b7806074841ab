"""The scales of scaled bodies: what their columns need beside the loops over bodies and edges (physics/bodies/scaled.py
has the equations). Scenes without a scaled body have no such columns, and call nothing here.

Body functions read I(s) in Model.body, joints their anchors in Model.joint. Both are those of the pose last given to
`put_shape`, which every function that fills edges at a pose does first.
"""

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
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


# ---------------------------------------------------------------- the shape in force
@far("scales", "mt")
def put_shape(m, pose):
    """Inertia and anchors at the scales of `pose`."""
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
    """R diag(a) at both ends of every edge"""
    n = m.topology.shape[0]
    for i in range(n):
        put_ends(m, m.topology[i, Topology.PARENT], i, i, rotation, stretch)
    for j in range(m.links.shape[0]):
        put_ends(m, m.links[j, Topology.PARENT], m.links[j, Topology.CHILD], n + j, rotation, stretch)


@inline
def put_ends(m, p, c, e, rotation, stretch):
    if is_scaled(m.topology, c):
        store9(stretch, e, Stretch.CHILD, columns(load9(rotation, c, 0), load3(m.material, e, Materials.CHILD)))
    if p >= 0 and is_scaled(m.topology, p):
        store9(stretch, e, Stretch.PARENT, columns(load9(rotation, p, 0), load3(m.material, e, Materials.PARENT)))


@inline
def columns(r, a):
    """R diag(a)"""
    return (
        r[0] * a[0], r[1] * a[1], r[2] * a[2], r[3] * a[0], r[4] * a[1], r[5] * a[2], r[6] * a[0], r[7] * a[1],
        r[8] * a[2],
    )  # fmt: skip


@kernel
def anchor_rate(m, e, o, i, rotation, velocity):
    """R S' a: the velocity of an anchor beside its body's twist. `o`: MATERIAL_CHILD or MATERIAL_PARENT."""
    if i < 0 or not is_scaled(m.topology, i):
        return ZERO3
    return mul(load9(rotation, i, 0), times(load3(velocity, i, PoseColumn.RATES), load3(m.material, e, o)))


@far("scales", "miiitt", "3")
def anchor_slip(m, e, c, p, rotation, velocity):
    """Child's less parent's"""
    return sub(
        anchor_rate(m, e, Materials.CHILD, c, rotation, velocity),
        anchor_rate(m, e, Materials.PARENT, p, rotation, velocity),
    )


@far("scales", "miiitt33", "33")
def anchor_velocities(m, e, c, p, rotation, velocity, vc, vp):
    """The velocities vc, vp of two bodies as a joint must see them: with what its anchors have beside"""
    return (
        add(vc, anchor_rate(m, e, Materials.CHILD, c, rotation, velocity)),
        add(vp, anchor_rate(m, e, Materials.PARENT, p, rotation, velocity)),
    )


@far("scales", "miiitt", "3")
def anchor_bias(m, e, c, p, rotation, velocity):
    """2 w x R S' a, the parent's less the child's: what the scales add to b_acc"""
    s = cross(load3(velocity, c, 3), anchor_rate(m, e, Materials.CHILD, c, rotation, velocity))
    if p >= 0:
        s = sub(s, cross(load3(velocity, p, 3), anchor_rate(m, e, Materials.PARENT, p, rotation, velocity)))
    return scale(-2.0, s)


# ---------------------------------------------------------------- the columns of the scales
@far("scales", "mfft")
def fill_mass(m, damper, spring, block):
    """Z + damper c + spring k on the diagonal"""
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
    """Z s', into columns o to o + 2"""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            store3(out, i, o, scaled.momentum(m.form, i, load3(velocity, i, PoseColumn.RATES)))


@far("scales", "mtit")
def fill_rates(m, momentum, o, velocity):
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            uniform = m.topology[i, Topology.BODY_KIND] == BodyKind.UNIFORM
            store3(velocity, i, PoseColumn.RATES, scaled.rates(m.form, i, uniform, load3(momentum, i, o)))


@far("scales", "ttft")
def move(pose, velocity, t, out):
    """s + t s'; also of bodies without scales, whose rates are zero"""
    for i in range(pose.shape[0]):
        store3(
            out,
            i,
            PoseColumn.SHAPE,
            add_scaled(load3(pose, i, PoseColumn.SHAPE), t, load3(velocity, i, PoseColumn.RATES)),
        )


@kernel
def fill_elastic(m, pose, o, out):
    """-k (s - 1), into columns o to o + 2"""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            store3(out, i, o, scaled.elastic(m.form, i, load3(pose, i, PoseColumn.SHAPE)))


@far("scales", "mtft")
def add_elastic(m, pose, t, force):
    """f += -t k (s - 1)"""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            add_to3(force, i, PoseColumn.RATES, scale(t, scaled.elastic(m.form, i, load3(pose, i, PoseColumn.SHAPE))))


@far("scales", "mtft")
def add_damping(m, velocity, t, force):
    """f += -t c s'"""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            add_to3(
                force, i, PoseColumn.RATES, scale(t, scaled.damping(m.form, i, load3(velocity, i, PoseColumn.RATES)))
            )


@far("scales", "mtttft")
def add_centrifugal(m, pose, rotation, velocity, t, force):
    """f += (t/2) w . dI/ds w"""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            b = mul_t(load9(rotation, i, 0), load3(velocity, i, 3))
            add_to3(
                force, i, PoseColumn.RATES, scale(t, scaled.centrifugal(m.form, i, load3(pose, i, PoseColumn.SHAPE), b))
            )


@far("scales", "mtttt")
def add_spin_change(m, pose, rotation, velocity, force):
    """f += -I' w: what keeps the spin momentum while the scales change, for accelerations"""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            change = spin_change(m, i, pose, rotation, velocity)
            add_to3(force, i, 3, scale(-1.0, change))


@kernel
def add_turning(m, pose, rotation, velocity, out):
    """The same as an angular acceleration, -I^-1 I' w, into the first three columns"""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            change = spin_change(m, i, pose, rotation, velocity)
            add_to3(out, i, 0, scale(-1.0, rigid.spin(m.body, i, load9(rotation, i, 0), change)))


@inline
def spin_change(m, i, pose, rotation, velocity):
    s = load3(pose, i, PoseColumn.SHAPE)
    return scaled.spin_change(
        m.form, i, load9(rotation, i, 0), s, load3(velocity, i, PoseColumn.RATES), load3(velocity, i, 3)
    )


@far("scales", "tt")
def add_rates(a, out):
    """out += a in the columns of the scales"""
    for i in range(out.shape[0]):
        add_to3(out, i, PoseColumn.RATES, load3(a, i, PoseColumn.RATES))


@far("scales", "mftiti")
def add_columns(m, t, a, o, out, r):
    """out[:, r : r + 3] += t a[:, o : o + 3]"""
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            add_to3(out, i, r, scale(t, load3(a, i, o)))


@far("scales", "mtttfitt")
def drift(m, pose, rotation, velocity, t, o, momentum, out):
    """Free motion over t of scaled bodies with constant spin momentum; their scales' momenta at its end go into columns
    o to o + 2. Half a drift of the scales, the exponential turn of `rigid` at their middle s with the pull of
    its own discrete Lagrangian, (t/2) w . I(s) w, and half a drift: each symplectic and the whole symmetric.
    """
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
    total = 0.0
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            total += scaled.kinetic(m.form, i, load3(velocity, i, PoseColumn.RATES))
    return total


@far("scales", "mwt", "f")
def kinetic_of_part(m, w, velocity):
    """Of those bodies whose pass it is"""
    total = 0.0
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i) and islands.takes_part(w, i):
            total += scaled.kinetic(m.form, i, load3(velocity, i, PoseColumn.RATES))
    return total


@far("scales", "mwt", "f")
def potential(m, w, pose):
    """Elastic energy of the bodies; infinite where a scale is none."""
    total = 0.0
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i) and islands.takes_part(w, i):
            s = load3(pose, i, PoseColumn.SHAPE)
            total += scaled.potential(m.form, i, s) if min(s[0], min(s[1], s[2])) > SCALED_FROM else math.inf
    return total
