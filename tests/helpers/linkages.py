"""Rods in the x-z plane, and the four-bar linkage of them."""

import numpy as np
from physics.definitions.bodies import Body
from physics.definitions.joints import Hinge
from physics.definitions.scene import Scene


def rod(name, start, end, mass=1.0):
    start, end = np.array(start, float), np.array(end, float)
    d = end - start
    length = np.linalg.norm(d)
    angle = np.arctan2(-d[2], d[0])
    inertia = (1e-4, mass * length**2 / 12, mass * length**2 / 12)
    turn = (np.cos(angle / 2), 0, np.sin(angle / 2), 0)
    return Body(name=name, mass=mass, inertia=inertia, position=(start + end) / 2, orientation=turn)


def four_bar(**spring):
    points = {"O": (0, 0, 0), "A": (0.2, 0, 0.3), "B": (0.9, 0, 0.5), "D": (1.0, 0, 0)}
    bodies = [rod("crank", points["O"], points["A"]), rod("coupler", points["A"], points["B"])]
    bodies.append(rod("rocker", points["D"], points["B"]))
    pairs = {"O": ("world", "crank"), "A": ("crank", "coupler"), "B": ("coupler", "rocker"), "D": ("world", "rocker")}
    joints = [
        Hinge(name=k, a=a, b=b, at=points[k], axis=(0, 1, 0), **(spring if k == "D" else {}))
        for k, (a, b) in pairs.items()
    ]
    return Scene(bodies=bodies, joints=joints)
