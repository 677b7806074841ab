"""Links over more than two bodies. Each function calls that of the link's kind: a coupling of joint coordinates
(`physics.edges.couplings`) or a condition on any number of bodies (`physics.edges.conditions`). Both kinds have
OWN_ROWS and no parent."""

from physics.compiler.jit import inline
from physics.data.model_tables import JointKind, Topology
from physics.edges import conditions, couplings


@inline
def is_many_body_link(t, r):
    """Return whether row r of `t` (Model.topology or Model.links) is a link over more than two bodies."""
    return t[r, Topology.KIND] >= JointKind.COUPLING


@inline
def is_coupling(m, e):
    """Return whether edge e, a link over more than two bodies, is a coupling of joint coordinates."""
    return m.links[e - m.topology.shape[0], Topology.KIND] == JointKind.COUPLING


@inline
def frame(m, s, w, e, pose, rotation):
    """Write the rows of edge e at `pose` to Work.rows and, for a condition, to Work.shared. Return C, as two triples of
    numbers."""
    if is_coupling(m, e):
        couplings.put_row(w.rows, e)
        return couplings.error(m, s, w, e, pose, rotation)
    return conditions.frame(m, w, e, pose, rotation)


@inline
def error(m, s, w, e, pose, rotation):
    """Return C of edge e at `pose`, as two triples of numbers. The rows do not change."""
    if is_coupling(m, e):
        return couplings.error(m, s, w, e, pose, rotation)
    return conditions.error(m, w, e, pose, rotation)


@inline
def slip(m, s, w, e, pose, rotation, velocity):
    """Return J u of edge e, as two triples of numbers, with J at `pose` and u = `velocity`."""
    if is_coupling(m, e):
        return couplings.slip(m, s, w, e, pose, rotation, velocity)
    return conditions.slip(m, w, e, pose, rotation, velocity)


@inline
def rate(m, w, e, velocity):
    """Return J u of edge e, as two triples of numbers, with the present rows and u = `velocity`. Moving frames count as
    at rest."""
    if is_coupling(m, e):
        return couplings.rate(m, w, e, velocity)
    return conditions.rate(m, w, e, velocity)


@inline
def turning_rate(m, w, e, turning, o):
    """Return J a of edge e for the angular accelerations a in three columns of `turning` from column o on."""
    if is_coupling(m, e):
        return couplings.turning_rate(m, w, e, turning, o)
    return conditions.turning_rate(m, w, e, turning, o)


@inline
def bias(m, s, w, e, velocity, prescribed):
    """Return -J' u of edge e. Unless `prescribed`, moving frames count as at rest."""
    if is_coupling(m, e):
        return couplings.bias(m, s, w, e, velocity, prescribed)
    return conditions.bias(m, w, e, velocity, prescribed)


@inline
def prescribed(m, w, e):
    """Return the part of b of edge e that functions of time prescribe, as two triples of numbers."""
    if is_coupling(m, e):
        return couplings.prescribed(m, w, e)
    return conditions.prescribed(m, w, e)
