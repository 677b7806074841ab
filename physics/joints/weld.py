"""Weld: the two bodies do not move relative to each other.

C = [(x_c + r_c) - (x_p + r_p);  log(child frame relative to parent frame)]       N empty
b_acc = [w_p x (w_p x r_p) - w_c x (w_c x r_c);  0]
"""

from physics.compiler.jit import inline
from physics.joints import ball, slider
from physics.maths.vec import sub

ROWS = 6
AXES = 0

bias = ball.bias


@inline
def error(joint, i, xc, rot_c, xp, rot_p):
    """Return the error of joint i, linear [m] and angular [rad]."""
    lin, _ = ball.error(joint, i, xc, rot_c, xp, rot_p)
    return lin, slider.rotation_error(joint, i, rot_c, rot_p)


@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write the levers of joint i to `edge`. Return the error, linear [m] and angular [rad]."""
    lin, _ = ball.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    return lin, slider.rotation_error(joint, i, rot_c, rot_p)


@inline
def slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    """Return J u of joint i as a twist, at the given poses and velocities of child and parent."""
    lin, _ = ball.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    return lin, sub(wc, wp)


@inline
def rows(joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint rows T of joint i, the unit matrix, to `rows`."""
    for k in range(36):
        rows[i, k] = 0.0
    for k in range(6):
        rows[i, 7 * k] = 1.0
