"""Scaled body: a rigid body that also stretches along its principal axes. Each axis has its own scale ("axes",
dimension 9), or all have the same scale ("uniform", dimension 7). A point that is drawn at r0 from the centre is at

    x + R S r0,    S = diag(s1, s2, s3)

In the principal frame the scales are not coupled. Z_k are the second moments of mass (the integral of r_k^2 dm at scale
1). The kinetic energy T, the elastic energy V and the equations of motion are

    T = (m/2) v^2 + (1/2) w . R I(s) R^T w + (1/2) sum Z_k s_k'^2,     I(s) = tr(S Z S) 1 - S Z S
    V = (1/2) sum k_k (s_k - 1)^2,  damping c_k s_k'
    Z_k s_k'' = Z_k s_k (w^2 - w_k^2) - k_k (s_k - 1) - c_k s_k'              w in the principal frame, w_k along axis k
    L = R I(s) R^T w is conserved:     I w' = -w x I w - I'(s) w

Its velocity is (v, w, s') in nine columns. A uniform body has three equal rates, and each column has a third of its
stiffness and damping. Bodies.INERTIA in Model.body is I(s) at the scales for which it was last written
(physics/bodies/scales.py). Therefore the functions of `rigid` can be used for scaled bodies, too."""

from physics.compiler.jit import inline
from physics.data.model_tables import Bodies, Forms
from physics.maths.vec import load3, mul, mul_t


@inline
def inertia(form, i, s):
    """Return the three principal moments of I(s) [kg m^2] of body i at the scales s."""
    a = form[i, Forms.MOMENTS] * s[0] * s[0]
    b = form[i, Forms.MOMENTS + 1] * s[1] * s[1]
    c = form[i, Forms.MOMENTS + 2] * s[2] * s[2]
    return b + c, c + a, a + b


@inline
def put_inertia(body, form, i, s):
    """Write I(s) of body i and its inverse to `body`, which is Model.body."""
    moments = inertia(form, i, s)
    for k in range(3):
        body[i, Bodies.INERTIA + k] = moments[k]
        body[i, Bodies.INVERSE_INERTIA + k] = 1.0 / moments[k]


@inline
def centrifugal(form, i, s, b):
    """Return (1/2) w . dI/ds w of body i: the force that its rotation exerts on its scales s. b is R^T w."""
    x, y, z = b[0] * b[0], b[1] * b[1], b[2] * b[2]
    return (
        form[i, Forms.MOMENTS] * s[0] * (y + z),
        form[i, Forms.MOMENTS + 1] * s[1] * (z + x),
        form[i, Forms.MOMENTS + 2] * s[2] * (x + y),
    )


@inline
def elastic(form, i, s):
    """Return the elastic force -k (s - 1) on the scales s of body i."""
    return (
        form[i, Forms.SPRING_SCALE] * (1.0 - s[0]),
        form[i, Forms.SPRING_SCALE + 1] * (1.0 - s[1]),
        form[i, Forms.SPRING_SCALE + 2] * (1.0 - s[2]),
    )


@inline
def damping(form, i, rate):
    """Return the damping force -c s' on the scales of body i at the rates s' = `rate`."""
    return (
        -form[i, Forms.DAMPER_SCALE] * rate[0],
        -form[i, Forms.DAMPER_SCALE + 1] * rate[1],
        -form[i, Forms.DAMPER_SCALE + 2] * rate[2],
    )


@inline
def momentum(form, i, rate):
    """Return the momenta Z s' of the scales of body i at the rates s' = `rate`."""
    return form[i, Forms.MOMENTS] * rate[0], form[i, Forms.MOMENTS + 1] * rate[1], form[i, Forms.MOMENTS + 2] * rate[2]


@inline
def rates(form, i, uniform, p):
    """Return the rates s' [1/s] of the scales of body i from their momenta p. If it is `uniform`, the momentum of its
    one scale is the sum of the three numbers in p."""
    z = load3(form, i, Forms.MOMENTS)
    if uniform:
        x = (p[0] + p[1] + p[2]) / (z[0] + z[1] + z[2])
        return x, x, x
    return p[0] / z[0], p[1] / z[1], p[2] / z[2]


@inline
def spin_change(form, i, rot, s, rate, w):
    """Return R I'(s) R^T w [N m] of body i: the rate at which its spin momentum would change with the scales s if w
    were constant. `rate` is s'."""
    b = mul_t(rot, w)
    x = 2.0 * form[i, Forms.MOMENTS] * s[0] * rate[0]
    y = 2.0 * form[i, Forms.MOMENTS + 1] * s[1] * rate[1]
    z = 2.0 * form[i, Forms.MOMENTS + 2] * s[2] * rate[2]
    return mul(rot, ((y + z) * b[0], (z + x) * b[1], (x + y) * b[2]))


@inline
def kinetic(form, i, rate):
    """Return the kinetic energy [J] of the scales of body i at the rates `rate`."""
    p = momentum(form, i, rate)
    return 0.5 * (p[0] * rate[0] + p[1] * rate[1] + p[2] * rate[2])


@inline
def potential(form, i, s):
    """Return the elastic energy [J] of the scales s of body i."""
    f = elastic(form, i, s)
    return 0.5 * (f[0] * (1.0 - s[0]) + f[1] * (1.0 - s[1]) + f[2] * (1.0 - s[2]))
