"""Links over more than two bodies, which of them it is: a coupling of joint coordinates (`physics.edges.couplings`), or
a condition on the poses of any number of bodies (`physics.edges.conditions`). Both have OWN_ROWS, and no parent.
"""

from physics.compiler.jit import inline
from physics.data.model_tables import JointKind, Topology
from physics.edges import conditions, couplings


@inline
def is_many_body_link(t, r):
    return t[r, Topology.KIND] >= JointKind.COUPLING


@inline
def is_coupling(m, e):
    return m.links[e - m.topology.shape[0], Topology.KIND] == JointKind.COUPLING


@inline
def frame(m, s, w, e, pose, rotation):
    """Rows at `pose`; returns C."""
    if is_coupling(m, e):
        couplings.put_row(w.rows, e)
        return couplings.error(m, s, w, e, pose, rotation)
    return conditions.frame(m, w, e, pose, rotation)


@inline
def error(m, s, w, e, pose, rotation):
    """C at `pose`; the rows stay."""
    if is_coupling(m, e):
        return couplings.error(m, s, w, e, pose, rotation)
    return conditions.error(m, w, e, pose, rotation)


@inline
def slip(m, s, w, e, pose, rotation, velocity):
    """J u, with J of `pose`"""
    if is_coupling(m, e):
        return couplings.slip(m, s, w, e, pose, rotation, velocity)
    return conditions.slip(m, w, e, pose, rotation, velocity)


@inline
def rate(m, w, e, velocity):
    """J u with the rows at hand; what is moved as told is taken to rest."""
    if is_coupling(m, e):
        return couplings.rate(m, w, e, velocity)
    return conditions.rate(m, w, e, velocity)


@inline
def turning_rate(m, w, e, turning, o):
    """J a of the angular accelerations at column o of `turning`"""
    if is_coupling(m, e):
        return couplings.turning_rate(m, w, e, turning, o)
    return conditions.turning_rate(m, w, e, turning, o)


@inline
def bias(m, s, w, e, velocity, prescribed):
    """-J' u; unless `told`, what is moved as told is taken to rest"""
    if is_coupling(m, e):
        return couplings.bias(m, s, w, e, velocity, prescribed)
    return conditions.bias(m, w, e, velocity, prescribed)


@inline
def prescribed(m, w, e):
    """What functions of time prescribe in J u"""
    if is_coupling(m, e):
        return couplings.prescribed(m, w, e)
    return conditions.prescribed(m, w, e)
