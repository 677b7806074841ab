"""Springs, dampers and soft limits of joints: torques, stiffness and energy at a pose, and D and d of a step,

    implicit:  D = t C + t^2 K,  d = t T            explicit:  D = 0,  d = t (T - C q')

in the coordinates of the joint. Edges are numbered as in `physics.edges.edges`.
"""

from physics.bodies import scales
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Bodies, JointKind, Joints, Path, SpringFlag, Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control
from physics.data.work_tables import Edges, Rows, Springs
from physics.edges import simd_groups
from physics.edges.edge_ends import parent_pose, parent_quaternion, parent_velocity
from physics.joints import axes, ball, hinge, kinds
from physics.maths.lanes import AT_ONCE
from physics.maths.vec import (
    ZERO3, ZERO6, add, add_to3, cross, dot, load3, load4, load6, load9, norm, scale, store3, store6, sub, sym_mul,
)  # fmt: skip

MOST_TURN = 0.5  # rad, of the predicted turn of a torque


# ---------------------------------------------------------------- at one pose
@inline
def edge_spring(m, s, w, t, r, e, c, pose, rotation):
    """Write coordinates, elastic torques, stiffness and damping of edge e at `pose`, whose matrices are in `rotation`,
    to row e of Work.spring. Return its elastic energy [J]."""
    flags = t[r, Topology.FLAGS]
    if flags == 0:
        return 0.0
    kind = t[r, Topology.KIND]
    p = t[r, Topology.PARENT]
    qc = load4(pose, c, 3)
    qp = parent_quaternion(w, p, pose)
    if kind == JointKind.HINGE:
        hinge.spring(flags, m.joint, s.memory, e, qc, qp, w.spring)
        return w.spring[e, Springs.POTENTIAL]
    xp, rot_p = parent_pose(w, p, pose, rotation)
    x = load3(pose, c, 0)
    rot_c = load9(rotation, c, 0)
    if kind == JointKind.BALL:
        ball.spring(flags, m.joint, e, qc, qp, rot_c, rot_p, w.spring)
        return w.spring[e, Springs.POTENTIAL]
    kinds.write_spring(kind, flags, m.joint, s.memory, e, x, rot_c, qc, xp, rot_p, qp, w.spring)
    return w.spring[e, Springs.POTENTIAL]


@kernel
def fill_springs(m, s, w, pose, rotation):
    """Write Work.spring of all edges at `pose`, whose matrices are in `rotation`. Return their elastic energy [J]."""
    if pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, pose)
    total = fill_some_springs(m, s, w, pose, rotation, 0, m.topology.shape[0], 0.0)
    return fill_link_springs(m, s, w, pose, rotation, total)


@kernel
def fill_some_springs(m, s, w, pose, rotation, first, end, total):
    """Write Work.spring of the inbound edges of the bodies from `first` to `end`. Return `total` [J] plus their elastic
    energy."""
    i = first
    while i < end:
        last = min(m.topology[i, Topology.RUN_END], end)
        if last >= i + AT_ONCE and simd_groups.have_plain_springs(m.topology, i, last):
            if m.topology[i, Topology.KIND] == JointKind.HINGE:
                simd_groups.fill_hinge_springs(m, s, w, i, last, pose)
            else:
                simd_groups.fill_ball_springs(m, w, i, last, pose)
            for r in range(i, last):
                total += w.spring[r, Springs.POTENTIAL]
            i = last
            continue
        total += edge_spring(m, s, w, m.topology, i, i, i, pose, rotation)
        i += 1
    return total


@inline
def fill_link_springs(m, s, w, pose, rotation, total):
    """Write Work.spring of the links. Return `total` [J] plus their elastic energy."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        total += edge_spring(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], pose, rotation)
    return total


# ---------------------------------------------------------------- into the system of a step
@inline
def implicit_spring(flags, spring, e, t, row):
    """Set D = t C + t^2 K and d = t T of edge e in `row`, from its row of `spring`. Damping acts on the new rate,
    through D."""
    if flags == 0:
        store6(row, e, Rows.STIFF_BLOCK, ZERO6)
        store3(row, e, Rows.PUSH, ZERO3)
    else:
        c = load6(spring, e, Springs.C)
        k = load6(spring, e, Springs.K)
        t2 = t * t
        store6(row, e, Rows.STIFF_BLOCK, (
            t * c[0] + t2 * k[0], t * c[1] + t2 * k[1], t * c[2] + t2 * k[2],
            t * c[3] + t2 * k[3], t * c[4] + t2 * k[4], t * c[5] + t2 * k[5],
        ))  # fmt: skip
        store3(row, e, Rows.PUSH, scale(t, load3(spring, e, Springs.TORQUE)))


@inline
def predicted_turn(h, spin):
    """Return the rotation vector [rad] of the angular velocity `spin` over the time h, no longer than MOST_TURN."""
    turn = scale(h, spin)
    angle = norm(turn)
    return turn if angle <= MOST_TURN else scale(MOST_TURN / angle, turn)


@inline
def spin_of_parent(p, velocity):
    """Return the angular velocity by which parent p still turns the torque of a spring. It is zero for the world. It is
    zero for a moving frame, too, because the pose of the frame is already that of the time to which the bodies are
    predicted."""
    return load3(velocity, p, 3) if p >= 0 else ZERO3


@kernel
def turn_torque(m, w, t, r, e, c, h, velocity):
    """Add h (h/2) (w_c + w_p) x T to d of edge e in Work.row: the torque T of a ball's spring turns with its bodies, at
    the predicted `velocity`.

    Turns th_c and th_p of the two bodies change T by -N (th_c - th_p) + th_p x T, because T turns with both. D contains
    only the symmetric part of N. The other part is [T]x / 2 for every potential, because rotations do not commute, so
    that the sum is -sym(N) (th_c - th_p) + (th_c + th_p)/2 x T. Without the last term the method has an error of first
    order, and undamped springs gain energy without bounds."""
    spins = add(load3(velocity, c, 3), spin_of_parent(t[r, Topology.PARENT], velocity))
    add_to3(w.row, e, Rows.PUSH, scale(h, cross(predicted_turn(0.5 * h, spins), load3(w.spring, e, Springs.TORQUE))))


@kernel
def implicit_link_springs(m, w, t, velocity):
    """Set D and d of all links in Work.row implicitly over the time t, with the change of their torques by the rotation
    of their bodies at `velocity`."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        implicit_spring(m.links[j, Topology.FLAGS], w.spring, n + j, t, w.row)
        if m.links[j, Topology.KIND] == JointKind.POINT_SPRING and m.links[j, Topology.FLAGS] != 0:
            turn_with_frame(m, w, j, n + j, t, velocity)
        elif m.links[j, Topology.PATH] == Path.BALL and m.links[j, Topology.FLAGS] != 0:
            turn_torque(m, w, m.links, j, n + j, m.links[j, Topology.CHILD], t, velocity)


@far("kinds", "mwiift")
def turn_with_frame(m, w, j, e, t, velocity):
    """Add a change of force to d of link j (edge e) in Work.row. It comes from the rotation, at the known velocity, of
    the frame in which the rate of the spring is measured. Only springs whose rest length is zero have it."""
    frame = m.links[j, Topology.CHILD] if m.joint[e, Joints.MEETING] == 1.0 else m.links[j, Topology.PARENT]
    if m.joint[e, Joints.LENGTH] == 0.0 and m.joint[e, Joints.MEETING] >= 0.0 and frame >= 0:
        _, omega = parent_velocity(w, frame, velocity)
        add_to3(
            w.row,
            e,
            Rows.PUSH,
            scale(-t * t * w.spring[e, Springs.K], cross(omega, load3(w.spring, e, Springs.COORDINATE))),
        )


@inline
def explicit_spring(m, w, t, r, e, c, velocity, h):
    """Set D = 0 and d = h (T - C q') of edge e in Work.row, with the rates q' at `velocity`."""
    store6(w.row, e, Rows.STIFF_BLOCK, ZERO6)
    if t[r, Topology.FLAGS] == 0:
        store3(w.row, e, Rows.PUSH, ZERO3)
    else:
        vp, wp = parent_velocity(w, t[r, Topology.PARENT], velocity)
        vc = load3(velocity, c, 0)
        wc = load3(velocity, c, 3)
        rel = sub(wc, wp)
        if t[r, Topology.PATH] == Path.BALL:
            d = sub(load3(w.spring, e, Springs.TORQUE), sym_mul(load6(w.spring, e, Springs.C), rel))
            store3(w.row, e, Rows.PUSH, scale(h, d))
        else:
            lin = ball.anchor_slip(load3(w.edge, e, Edges.RC), vc, wc, load3(w.edge, e, Edges.RP), vp, wp)
            if velocity.shape[1] > PoseColumn.RATES:
                lin = add(lin, scales.anchor_slip(m, e, c, t[r, Topology.PARENT], w.rotation, velocity))
            rates = axes.rates(t[r, Topology.DOFS], w.edge, e, lin, rel)
            for k in range(3):
                w.row[e, Rows.PUSH + k] = h * (w.spring[e, Springs.TORQUE + k] - w.spring[e, Springs.C + k] * rates[k])


@kernel
def fill_explicit_springs(m, w, velocity, h):
    """Set D = 0 and d = h (T - C q') of all edges in Work.row, with the rates q' at `velocity`."""
    n = m.topology.shape[0]
    for i in range(n):
        explicit_spring(m, w, m.topology, i, i, i, velocity, h)
    for j in range(m.links.shape[0]):
        explicit_spring(m, w, m.links, j, n + j, m.links[j, Topology.CHILD], velocity, h)


@inline
def frame_rate(m, w, t, r, e, h):
    """Add (h C + I) times the rate of a moving parent to d of edge e in Work.row: dampers and rotors act on the rate
    relative to that parent, while D acts on the rate of the child alone."""
    p = t[r, Topology.PARENT]
    if p >= -1 or t[r, Topology.FLAGS] == 0:
        return
    rotor = 1.0 if t[r, Topology.FLAGS] & SpringFlag.ROTOR else 0.0
    v, a = parent_velocity(w, p, w.velocity)
    v = add(v, cross(a, load3(w.edge, e, Edges.RP)))
    if t[r, Topology.PATH] == Path.BALL:
        add_to3(w.row, e, Rows.PUSH, scale(h, sym_mul(load6(w.spring, e, Springs.C), a)))
        add_to3(w.row, e, Rows.PUSH, scale(rotor * m.joint[e, Joints.ARMATURE], a))
    else:
        for k in range(t[r, Topology.DOFS]):
            rate = dot(load3(w.edge, e, Edges.AXIS + 6 * k), v) + dot(load3(w.edge, e, Edges.AXIS + 6 * k + 3), a)
            w.row[e, Rows.PUSH + k] += (h * w.spring[e, Springs.C + k] + rotor * m.joint[e, Joints.ARMATURE + k]) * rate


@kernel
def add_frame_rates(m, w, h):
    """Add (h C + I) times the rates of moving parents to d of all edges in Work.row; nothing where no motion is
    prescribed."""
    if w.control[Control.SIGNALED] != 0:
        put_frame_rates(m, w, h)


@far("prescribed", "mwf")
def put_frame_rates(m, w, h):
    """Add (h C + I) times the rates of moving parents to d of all edges in Work.row."""
    n = m.topology.shape[0]
    for i in range(n):
        frame_rate(m, w, m.topology, i, i, h)
    for j in range(m.links.shape[0]):
        frame_rate(m, w, m.links, j, n + j, h)


@kernel
def fill_posing_friction(m, w, factor):
    """Set D of the kinematic order, and d = 0, for all edges of the forest in Work.row. D adds a friction c |w_rel|^2
    to the metric, with c = `factor` times Bodies.POSING, so that distant limbs move least. Sliding axes have none."""
    for i in range(m.topology.shape[0]):
        c = factor * m.body[i, Bodies.POSING]
        store3(w.row, i, Rows.PUSH, ZERO3)
        store6(w.row, i, Rows.STIFF_BLOCK, ZERO6)
        if m.topology[i, Topology.PATH] == Path.BALL:
            store6(w.row, i, Rows.STIFF_BLOCK, (c, 0.0, c, 0.0, 0.0, c))
        elif m.topology[i, Topology.PATH] == Path.HINGE or m.topology[i, Topology.PATH] == Path.AXES:
            for k in range(m.topology[i, Topology.DOFS]):
                turn = load3(w.edge, i, Edges.AXIS + 6 * k + 3)
                w.row[i, Rows.STIFF_BLOCK + k] = c * dot(turn, turn)
