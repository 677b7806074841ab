"""Particle: a point mass. Its velocity v has dimension 3. It has no orientation, and its angular columns stay zero."""

from physics.compiler.jit import inline
from physics.data.model_tables import Bodies
from physics.maths.vec import dot

DIMENSION = 3


@inline
def mass_block(body, i, block):
    """Write the mass of particle i to the linear part of its row of `block`."""
    m = body[i, Bodies.MASS]
    block[i, 0] = m
    block[i, 1] = 0.0
    block[i, 2] = m
    block[i, 3] = 0.0
    block[i, 4] = 0.0
    block[i, 5] = m


@inline
def displace(pose, i, d, out):
    """Write the pose of particle i, moved by d [m], to row i of `out`."""
    out[i, 0] = pose[i, 0] + d[0]
    out[i, 1] = pose[i, 1] + d[1]
    out[i, 2] = pose[i, 2] + d[2]
    for k in range(3, 7):
        out[i, k] = pose[i, k]


@inline
def kinetic(body, i, v):
    """Return the kinetic energy [J] of particle i with the velocity v."""
    return 0.5 * body[i, Bodies.MASS] * dot(v, v)
