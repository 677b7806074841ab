"""The order of each integrator, the steps a second at which it is measured, and how far two results differ."""

import numpy as np

ORDER = {"explicit": 1, "implicit": 1, "hernandez": 1, "trbdf2": 2, "rattle": 2, "rk4": 4, "rattle4": 4}
# steps a second where the order shows and rounding does not yet
STEPS = {1: (960, 1920, 3840), 2: (480, 960, 1920), 4: (120, 240, 480)}


def difference(a, b):
    """Of places, and of quaternions up to their sign."""
    turned = np.minimum(np.abs(a[:, 3:] - b[:, 3:]).max(axis=1), np.abs(a[:, 3:] + b[:, 3:]).max(axis=1))
    return max(np.abs(a[:, :3] - b[:, :3]).max(), turned.max())
