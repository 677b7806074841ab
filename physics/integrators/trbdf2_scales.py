"""The columns of the scales in `trbdf2` (physics/bodies/scaled.py has the equations).

Elastic forces are implicit like springs, evaluated at q0 and qc; damping is in A. In each solve, the pull of the
rotation on the scales, (1/2) w . dI/ds w, is that at the predicted velocity. The resulting momenta are then corrected
by the difference from the pull at the solution: p += dt (pull(v) - pull(predicted)). Without that the order would be
one. The effect of the scales on the rotation needs no extra terms, because the spin momenta are integrated, and divided
by I(s)."""

from physics.bodies import rigid, scaled, scales
from physics.bodies.coordinates import is_scaled
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import BodyKind, JointKind, Topology
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import Rows, Stash
from physics.edges import right_hand_sides
from physics.maths import quat
from physics.maths.vec import ZERO3, add, add_scaled, load3, load4, load9, mul_t, norm, scale, store3, sub

# columns of the stash
P0 = Stash.SCALES  # p0, then ph, then p1
VB = Stash.SCALES + 3
PULL = Stash.SCALES + 6  # of the predicted velocity; in between pg
ELASTIC = Stash.SCALES + 9  # at q0, then at qc


@inline
def clamped_rates(velocity, i, t, limit):
    """Return the rates [1/s] of the scales of body i, scaled by the factor with which physics.bodies.kinds.clamped
    limits its velocity."""
    angle = t * norm(load3(velocity, i, 3))
    return scale(limit / angle if angle > limit else 1.0, load3(velocity, i, PoseColumn.RATES))


@inline
def pull(m, i, pose, rotation, velocity):
    """Return (1/2) w . dI/ds w, the pull of the rotation on the scales of body i."""
    b = mul_t(load9(rotation, i, 0), load3(velocity, i, 3))
    return scaled.centrifugal(m.form, i, load3(pose, i, PoseColumn.SHAPE), b)


@far("trbdf2 scales", "mwf")
def assemble(m, w, t):
    """Write the columns of the scales of one stage: A to Work.block, f to Work.force."""
    scales.fill_mass(m, t, t * t, w.block)
    for i in range(m.topology.shape[0]):
        f = ZERO3
        if is_scaled(m.topology, i):
            f = load3(w.stash, i, P0)
            f = add_scaled(f, t, load3(w.stash, i, PULL))
            f = add_scaled(f, t, load3(w.stash, i, ELASTIC))
        store3(w.force, i, PoseColumn.RATES, f)


@far("trbdf2 scales", "mswff")
def start(m, s, w, t, limit):
    """Write p0 and the elastic force at q0 to Work.stash, and the scales of q* to Work.next_pose."""
    scales.fill_momenta(m, s.velocity, P0, w.stash)
    scales.fill_elastic(m, s.pose, ELASTIC, w.stash)
    for i in range(m.topology.shape[0]):
        rate = clamped_rates(s.velocity, i, t, limit)
        store3(w.next_pose, i, PoseColumn.SHAPE, add_scaled(load3(s.pose, i, PoseColumn.SHAPE), t, rate))
    scales.put_shape(m, w.next_pose)


@far("trbdf2 scales", "mwt")
def predict(m, w, pose):
    """Write the pull at the predicted velocity and the filled `pose` to Work.stash, and the levers of the scales to
    Work.stretch."""
    scales.put_stretch(m, w.rotation, w.stretch)
    for i in range(m.topology.shape[0]):
        if is_scaled(m.topology, i):
            store3(w.stash, i, PULL, pull(m, i, pose, w.rotation, w.next_velocity))


@far("trbdf2 scales", "mwff")
def reach_middle(m, w, t, c1):
    """Write vb, pg (to the columns of PULL) and ph of the scales to Work.stash; q* is still in Work.next_pose."""
    for i in range(m.topology.shape[0]):
        rate = load3(w.velocity, i, PoseColumn.RATES)
        store3(w.stash, i, VB, rate)
        if is_scaled(m.topology, i):
            p0 = load3(w.stash, i, P0)
            missed = sub(pull(m, i, w.next_pose, w.rotation, w.velocity), load3(w.stash, i, PULL))
            pg = add_scaled(sub(scale(2.0, scaled.momentum(m.form, i, rate)), p0), 2.0 * t, missed)
            store3(w.stash, i, PULL, pg)
            store3(w.stash, i, P0, add_scaled(pg, c1, sub(pg, p0)))


@far("trbdf2 scales", "mswffi")
def middle_velocities(m, s, w, t, c1, column):
    """Write the scales of qg to Work.next_pose, those of qc to Work.other_pose, ug to Work.next_velocity, and the
    elastic force at qc to Work.stash. The spin in ug follows from the inertia at qg and from the spin momenta in
    `column` of the stash."""
    for i in range(m.topology.shape[0]):
        store3(
            w.next_pose,
            i,
            PoseColumn.SHAPE,
            add_scaled(load3(s.pose, i, PoseColumn.SHAPE), 2.0 * t, load3(w.stash, i, VB)),
        )
    scales.put_shape(m, w.next_pose)
    for i in range(m.topology.shape[0]):
        at = add_scaled(load3(w.next_pose, i, PoseColumn.SHAPE), 2.0 * c1 * t, load3(w.stash, i, VB))
        store3(w.other_pose, i, PoseColumn.SHAPE, at)
        if is_scaled(m.topology, i):
            rot = quat.matrix(load4(w.next_pose, i, 3))
            store3(w.next_velocity, i, 3, rigid.spin(m.body, i, rot, load3(w.stash, i, column)))
            rate = scaled.rates(
                m.form, i, m.topology[i, Topology.BODY_KIND] == BodyKind.UNIFORM, load3(w.stash, i, PULL)
            )
            store3(w.next_velocity, i, PoseColumn.RATES, rate)
            store3(w.stash, i, ELASTIC, scaled.elastic(m.form, i, at))


@far("trbdf2 scales", "mwfff")
def predict_end(m, w, t, c1, limit):
    """Write the rates of ug, clamped like the velocities, to Work.velocity, and the scales of qp to Work.other_pose."""
    for i in range(m.topology.shape[0]):
        rate = clamped_rates(w.next_velocity, i, t, limit)
        store3(w.velocity, i, PoseColumn.RATES, rate)
        change = add_scaled(rate, 2.0 * c1, load3(w.stash, i, VB))
        store3(w.other_pose, i, PoseColumn.SHAPE, add_scaled(load3(w.next_pose, i, PoseColumn.SHAPE), t, change))
    scales.put_shape(m, w.other_pose)


@far("trbdf2 scales", "mw")
def add_slips(m, w):
    """Add to b of all edges in Work.row what the clamped rates of the scales contribute to J(qp) clamp ug."""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            add_slip(m, w, m.topology, i, i, i)
    for j in range(m.links.shape[0]):
        add_slip(m, w, m.links, j, n + j, m.links[j, Topology.CHILD])


@kernel
def add_slip(m, w, t, r, e, c):
    """Add the slip of the anchors of edge e by the rates of the scales to its b in Work.row."""
    slip = scales.anchor_slip(m, e, c, t[r, Topology.PARENT], w.rotation, w.velocity)
    right_hand_sides.set_right_hand_side(
        t, r, e, w, add(load3(w.row, e, Rows.RIGHT_HAND_SIDE), slip), load3(w.row, e, Rows.RIGHT_HAND_SIDE + 3)
    )


@far("trbdf2 scales", "mwff")
def reach_end(m, w, t, c1):
    """Write p1 of the scales to Work.stash and the scales of q1 to Work.next_pose; qp is still in Work.other_pose."""
    for i in range(m.topology.shape[0]):
        rate = load3(w.velocity, i, PoseColumn.RATES)
        if is_scaled(m.topology, i):
            missed = sub(pull(m, i, w.other_pose, w.rotation, w.velocity), load3(w.stash, i, PULL))
            store3(w.stash, i, P0, add_scaled(scaled.momentum(m.form, i, rate), t, missed))
        change = add_scaled(rate, 2.0 * c1, load3(w.stash, i, VB))
        store3(w.next_pose, i, PoseColumn.SHAPE, add_scaled(load3(w.next_pose, i, PoseColumn.SHAPE), t, change))
