"""Planar body: a rigid body with three degrees of freedom. They are the translations x', y' along two directions t1, t2
in a plane, and the rotation theta' about the normal n of the plane.

    v = x' t1 + y' t2,  w = theta' n,     M = diag(m, m, I)

Its velocity, mass block, motion and loads are stored as those of a rigid body, so that the functions of `rigid` can be
used. All its stored moments of inertia are equal to I, so that there is no gyroscopic term. Solver modes work with its
three coordinates: with B = [[t1, t2, 0], [0, 0, n]], a block A becomes B^T A B and a load f becomes B^T f. The plane
thus bears all loads that would move the body out of it."""

from physics.compiler.jit import inline
from physics.data.model_tables import Forms
from physics.maths.vec import add, dot, load3, load_block, mul_t, scale, sym_mul

DIMENSION = 3


@inline
def own_block(form, i, block):
    """Return B^T A B of body i as six packed numbers. A is in row i of `block`."""
    vv, wv, ww = load_block(block, i, 0)
    a = load3(form, i, Forms.FIRST)
    b = load3(form, i, Forms.SECOND)
    n = load3(form, i, Forms.NORMAL)
    va = sym_mul(vv, a)
    c = mul_t(wv, n)
    return dot(a, va), dot(b, va), dot(b, sym_mul(vv, b)), dot(c, a), dot(c, b), dot(n, sym_mul(ww, n))


@inline
def own_load(form, i, v, w):
    """Return B^T f of body i for the load f = (v, w), a force v and a torque w."""
    return (
        dot(load3(form, i, Forms.FIRST), v),
        dot(load3(form, i, Forms.SECOND), v),
        dot(load3(form, i, Forms.NORMAL), w),
    )


@inline
def wide(form, i, x):
    """Return the velocity (v, w) = B x of body i from its three coordinates x."""
    v = add(scale(x[0], load3(form, i, Forms.FIRST)), scale(x[1], load3(form, i, Forms.SECOND)))
    return v, scale(x[2], load3(form, i, Forms.NORMAL))
