"""What is left of the equations of Newton and Euler of every body."""

import numpy as np
from physics.definitions.bodies import inertia_matrix
from physics.maths.rotations import matrix_of
from physics.definitions.bodies import Particle
from tests.helpers.arrays import built_of


def residuals(world, accelerations, sign_on_a=-1.0):
    """What is left of each body's equations: (n, 6), and the size of what went in."""
    left = np.zeros((len(world.bodies), 6))
    size = 0.0
    row = {}
    for k, (definition, body) in enumerate(zip(built_of(world).scene.bodies, world.bodies.values(), strict=True)):
        row[definition.name] = k
        left[k, :3] = body.mass * (accelerations[k, :3] - world.gravity) - body.applied_force
        if not isinstance(definition, Particle):
            r = matrix_of(body.quaternion)
            inertia = r @ inertia_matrix(definition.inertia) @ r.T
            w = body.angular_velocity
            left[k, 3:] = inertia @ accelerations[k, 3:] + np.cross(w, inertia @ w) - body.applied_torque
    for joint in world.joints.values():
        force, torque, anchor = joint.force, joint.torque, joint.anchor
        size = max(size, np.abs(force).max(), np.abs(torque).max())
        for name, sign in ((joint.definition.b, 1.0), (joint.definition.a, sign_on_a)):
            if name == "world":
                continue
            k = row[name]
            left[k, :3] -= sign * force
            if not isinstance(built_of(world).scene.bodies[k], Particle):
                left[k, 3:] -= sign * (torque + np.cross(anchor - world.bodies[name].position, force))
    return left, max(size, 1.0)
