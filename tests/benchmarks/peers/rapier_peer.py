"""Rapier: bodies in maximal coordinates, joints by impulses, iteratively (its default settings). It leaves gaps.

Springs are joint motors, the force-based model. (Its multibody joints are cubic on chains, and not used here.)
"""

from importlib.metadata import version
from typing import Any

import numpy as np
import rapier3d as rapier

from tests.benchmarks.figure import Figure, Motion, conjugate, turn

NAME = "Rapier"
VERSION = version("rapier3d")
VARIANTS: dict[str, dict[str, Any]] = {"Rapier impulse": {}}


def accepts(figure: Figure) -> bool:
    return True


class Peer:
    def __init__(self, figure: Figure, timestep: float):
        self.figure = figure
        self.timestep = timestep
        self.restart()

    def restart(self) -> None:
        figure, start = self.figure, self.figure.start
        world = rapier.PhysicsWorld(gravity=list(figure.scene.gravity))
        world.set_num_threads(1)
        world.integration_parameters.dt = self.timestep
        ground = world.add_body(rapier.RigidBody.fixed())
        self.handles = [self.add_body(world, i) for i in range(len(figure.names))]
        one = np.array([[1.0, 0.0, 0.0, 0.0]])
        for i, p in enumerate(figure.parent):
            if figure.kind[i] == "free" or (figure.kind[i] == "weld" and p < 0):
                continue
            xp, qp = (start.x[p : p + 1], start.quat[p : p + 1]) if p >= 0 else (np.zeros((1, 3)), one)
            qc = start.quat[i : i + 1]
            joint = self.make_joint(i, xp, qp, start.x[i : i + 1], qc)
            world.impulse_joints.insert(self.handles[p] if p >= 0 else ground, self.handles[i], joint, True)
        self.world = world

    def add_body(self, world: Any, i: int) -> Any:
        figure, start = self.figure, self.figure.start
        fixed = figure.kind[i] == "weld" and figure.parent[i] < 0
        w, x, y, z = start.quat[i]
        builder = rapier.RigidBody.fixed() if fixed else rapier.RigidBody.dynamic()
        builder = builder.translation(tuple(start.x[i])).can_sleep(False)
        builder = builder.position(rapier.Isometry3(tuple(start.x[i]), rapier.Quaternion(w, x, y, z)))
        if not fixed:
            properties = rapier.MassProperties((0.0, 0.0, 0.0), figure.mass[i], tuple(figure.inertia[i]))
            builder = builder.additional_mass_properties(properties).gyroscopic_forces(True)
            builder = builder.linvel(tuple(start.v[i])).angvel(tuple(start.w[i]))
        return world.add_body(builder)

    def make_joint(self, i: int, xp: Any, qp: Any, xc: Any, qc: Any) -> Any:
        figure = self.figure
        at, axis = figure.at[i : i + 1], figure.axis[i : i + 1]
        anchor1, anchor2 = turn(conjugate(qp), at - xp)[0], turn(conjugate(qc), at - xc)[0]
        # joint frames with the world's axes as drawn, so that all coordinates start at zero
        (w1, x1, y1, z1), (w2, x2, y2, z2) = conjugate(qp)[0], conjugate(qc)[0]
        frame1 = rapier.Isometry3(tuple(anchor1), rapier.Quaternion(w1, x1, y1, z1))
        frame2 = rapier.Isometry3(tuple(anchor2), rapier.Quaternion(w2, x2, y2, z2))
        k, c = figure.stiffness[i], figure.damping[i]
        if figure.kind[i] == "weld":
            return rapier.FixedJointBuilder().local_frame1(frame1).local_frame2(frame2).build()
        if figure.kind[i] == "hinge":
            builder = rapier.RevoluteJointBuilder(tuple(axis[0])).local_anchor1(tuple(anchor1))
            builder = builder.local_anchor2(tuple(anchor2)).local_axis1(tuple(turn(conjugate(qp), axis)[0]))
            builder = builder.local_axis2(tuple(turn(conjugate(qc), axis)[0]))
            if k or c:
                builder = builder.motor_model(rapier.MotorModel.FORCE_BASED).motor_position(0.0, k, c)
            return builder.build()
        builder = rapier.SphericalJointBuilder().local_frame1(frame1).local_frame2(frame2)
        if k or c:
            for name in (rapier.JointAxis.ANG_X, rapier.JointAxis.ANG_Y, rapier.JointAxis.ANG_Z):
                builder = builder.motor_model(name, rapier.MotorModel.FORCE_BASED).motor_position(name, 0.0, k, c)
        return builder.build()

    def step(self, count: int) -> None:
        step = self.world.step
        for _ in range(count):
            step()

    def motion(self) -> Motion:
        bodies = [self.world.rigid_bodies[handle] for handle in self.handles]

        def rows(values: Any) -> np.ndarray:
            return np.array([tuple(value) for value in values], float)

        x = rows((b.translation.x, b.translation.y, b.translation.z) for b in bodies)
        quat = rows((b.rotation.w, b.rotation.i, b.rotation.j, b.rotation.k) for b in bodies)
        v = rows((b.linvel.x, b.linvel.y, b.linvel.z) for b in bodies)
        w = rows((b.angvel.x, b.angvel.y, b.angvel.z) for b in bodies)
        return Motion(x, quat, v, w)
