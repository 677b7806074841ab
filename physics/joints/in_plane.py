"""Hinge, slider and weld between planar bodies, or a planar body and the world: those of their rows that act in the
plane.

    hinge   [x; 0], [y; 0]              N = [0; n]      two directions in the plane, n the normal
    slider  [x; 0], [0; n]              N = [a; 0]      x in the plane, across the slider's axis a
    weld    [x; 0], [y; 0], [0; n]      N empty

Errors, motion axes and biases are those of the joints' own files, because out of the plane they are zero. The joint
frame's axes as drawn (physics/build/build.py) are (x, y, n) for hinge and weld, and (x, n, a) for the slider.
"""

from physics.compiler.jit import inline
from physics.data.model_tables import Joints
from physics.joints import hinge
from physics.maths.vec import mul, store6

HINGE_ROWS = 2
SLIDER_ROWS = 2
WELD_ROWS = 3


@inline
def direction(joint, i, rot_p, c):
    """Return axis c of the joint frame of joint i in world axes."""
    return mul(rot_p, hinge.column(joint, i, Joints.AXES_PARENT, c))


@inline
def hinge_rows(joint, i, rot_p, rows):
    """Write the two rows of a hinge between planar bodies, joint i, to `rows`."""
    x = direction(joint, i, rot_p, 0)
    y = direction(joint, i, rot_p, 1)
    store6(rows, i, 0, (x[0], x[1], x[2], 0.0, 0.0, 0.0))
    store6(rows, i, 6, (y[0], y[1], y[2], 0.0, 0.0, 0.0))


@inline
def slider_rows(joint, i, rot_p, rows):
    """Write the two rows of a slider between planar bodies, joint i, to `rows`."""
    x = direction(joint, i, rot_p, 0)
    n = direction(joint, i, rot_p, 1)
    store6(rows, i, 0, (x[0], x[1], x[2], 0.0, 0.0, 0.0))
    store6(rows, i, 6, (0.0, 0.0, 0.0, n[0], n[1], n[2]))


@inline
def weld_rows(joint, i, rot_p, rows):
    """Write the three rows of a weld between planar bodies, joint i, to `rows`."""
    hinge_rows(joint, i, rot_p, rows)
    n = direction(joint, i, rot_p, 2)
    store6(rows, i, 12, (0.0, 0.0, 0.0, n[0], n[1], n[2]))
