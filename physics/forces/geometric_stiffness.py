"""Geometric stiffness: the lever of a joint force turns with its body, which changes the torque of the force. In each
body's own block,

    A += k G,   G = [(f.r) 1 - (r f^T + f r^T)/2]+,   k = t^2

Without it heavy loads on light links fail in every integrator (integrators/README.md).
"""

from physics.compiler.jit import inline, kernel
from physics.data.model_tables import BodyKind, JointKind, Joints, Topology
from physics.data.state_tables import Memory, PoseColumn
from physics.data.step_tables import Control
from physics.data.work_tables import Edges
from physics.edges import simd_groups
from physics.maths.vec import ZERO6, add, add_to3, add_to_angular, cross, dot, load3, norm, scale, sym_mul


@inline
def geometric_block(r, lr, f, lf, k):
    """Return k [(f.r) 1 - (r f^T + f r^T)/2]+ , packed: how the torque of the joint force f [N] at the lever r [m]
    stiffens the rotation of the body. lr = |r| and lf = |f|.

    Its eigenvalues are a = f.r along n = r x f and (a +- |f||r|)/2; the negative one is dropped in closed form:

            h (1 - s s^T - n n^T) + max(a, 0) n n^T,     h = (a + |f||r|)/2,     s along f/|f| + r/|r|"""
    a = dot(f, r)
    size = lf * lr
    h = 0.5 * (a + size)
    if h <= 1e-9 * size:
        return ZERO6
    # |lr f + lf r|^2 = 2 |f||r| (|f||r| + f.r) = 4 |f||r| h
    s = add(scale(lr, f), scale(lf, r))
    h *= k
    e = 0.25 * k / size
    n = cross(r, f)
    n2 = dot(n, n)
    j = (k * max(a, 0.0) - h) / n2 if n2 > 1e-12 * size * size else 0.0
    return (
        h - e * s[0] * s[0] + j * n[0] * n[0],
        -e * s[1] * s[0] + j * n[1] * n[0],
        h - e * s[1] * s[1] + j * n[1] * n[1],
        -e * s[2] * s[0] + j * n[2] * n[0],
        -e * s[2] * s[1] + j * n[2] * n[1],
        h - e * s[2] * s[2] + j * n[2] * n[2],
    )


@inline
def add_at(i, r, lr, soft, f, lf, k, least, compensated, velocity, block, force):
    """Add k G of one end of an edge to row i of `block`, and with `compensated` k G u to row i of `force`. f is the
    force at the lever r. `soft` is the largest ratio of stiffness to inertia for a unit force (Joints.SOFT_CHILD)."""
    share = k * lf * soft
    if share > least:
        g = geometric_block(r, lr, f, lf, k * (1.0 - least / share))
        add_to_angular(block, i, g)
        if compensated != 0:
            add_to3(force, i, 3, sym_mul(g, load3(velocity, i, 3)))


@inline
def add_edge(m, w, t, r, e, c, wrench, k, least, compensated, velocity):
    """Add k G at both ends of edge e to Work.block, and k G u to Work.force where `compensated`, for the joint force in
    `wrench`. Only the part of k G above the share `least` of the body's inertia is added, so that it does not come and
    go from step to step. Without geometric stiffness, a step becomes unstable where k G exceeds 4 times the inertia of
    a single body, or about 2 times in a chain."""
    f = load3(wrench, e, Memory.WRENCH)
    lf = norm(f)
    p = t[r, Topology.PARENT]
    if m.topology[c, Topology.BODY_KIND] != BodyKind.PARTICLE:
        rc = load3(w.edge, e, Edges.RC)
        fixed = (
            t[r, Topology.KIND] <= JointKind.UNIVERSAL and velocity.shape[1] == PoseColumn.RATES
        )  # other anchors may move in their bodies
        lr = m.joint[e, Joints.REACH_CHILD] if fixed else norm(rc)
        soft = m.joint[e, Joints.SOFT_CHILD]
        add_at(c, rc, lr, soft, f, lf, k, least, compensated, velocity, w.block, w.force)
    if p >= 0 and m.topology[p, Topology.BODY_KIND] != BodyKind.PARTICLE:
        rp = load3(w.edge, e, Edges.RP)
        lr = (
            m.joint[e, Joints.REACH_PARENT]
            if t[r, Topology.KIND] <= JointKind.HINGE and velocity.shape[1] == PoseColumn.RATES
            else norm(rp)
        )
        soft = m.joint[e, Joints.SOFT_PARENT]
        back = (-f[0], -f[1], -f[2])
        add_at(p, rp, lr, soft, back, lf, k, least, compensated, velocity, w.block, w.force)


@kernel
def add_all(m, w, wrench, k, least, compensated, velocity):
    """Add k G of all edges to Work.block, and with `compensated` k G u to Work.force, for the joint forces in
    `wrench`."""
    if w.control[Control.COUPLED] == 0:
        return
    add_some(m, w, wrench, k, least, compensated, velocity, 0, m.topology.shape[0])
    add_links(m, w, wrench, k, least, compensated, velocity)


@kernel
def add_some(m, w, wrench, k, least, compensated, velocity, first, end):
    """Add k G of the inbound edges of the bodies from `first` to `end` to the blocks of these bodies and of their
    parents, for the joint forces in `wrench`; with `compensated`, add k G u to Work.force."""
    i = first
    while i < end:
        last = simd_groups.after_hinges(m.topology, i, end)
        if last == 0:
            last = i + 1
        elif not simd_groups.stiffen_hinges(m, wrench, i, last, k, least):
            i = last
        while i < last:
            if m.topology[i, Topology.KIND] != JointKind.FREE:
                add_edge(m, w, m.topology, i, i, i, wrench, k, least, compensated, velocity)
            i += 1


@kernel
def add_links(m, w, wrench, k, least, compensated, velocity):
    """Add k G of all links to Work.block, and with `compensated` k G u to Work.force, for the joint forces in
    `wrench`."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        add_edge(m, w, m.links, j, n + j, m.links[j, Topology.CHILD], wrench, k, least, compensated, velocity)
