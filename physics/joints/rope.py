"""Rope: the anchors of two bodies are no farther apart than `longest` and no nearer than `shortest`.

    d = (x_c + r_c) - (x_p + r_p),  shortest <= |d| <= longest

A rope is a one-sided rod: an edge without a constraint row, whose length has hard limits (links/limits.py).
"""

from physics.compiler.jit import inline
from physics.data.work_tables import Edges
from physics.joints import distance
from physics.maths.vec import norm, store3

ROWS = 0


@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write levers, u and |d| of edge i to `edge`, in the columns that a rod uses. Return the error, which is zero."""
    rc, rp, d = distance.separation(joint, i, xc, rot_c, xp, rot_p)
    store3(edge, i, Edges.RC, rc)
    store3(edge, i, Edges.RP, rp)
    store3(edge, i, Edges.AXIS, distance.direction(d))
    edge[i, Edges.AXIS + 3] = norm(d)
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
