"""Pinocchio on closed loops, by its constrained forward dynamics."""

import numpy as np
import pinocchio as pin

from physics.definitions.joints import Ball
from physics.definitions.scene import Scene


class Lcaba:
    """The same figure for `pinocchio.lcaba`: what closes loops is a contact of three rows at its point."""

    def __init__(self, scene: Scene, timestep: float):
        self.timestep = timestep
        model = pin.Model()
        model.gravity.linear = np.array(scene.gravity)
        joints: dict[str, int] = {"world": 0}
        origin: dict[int, np.ndarray] = {0: np.zeros(3)}
        loops = []
        for j in scene.joints:
            if j.b in joints:
                loops.append(j)
                continue
            at, above = np.array(j.points[0]), joints[str(j.a)]
            kind = pin.JointModelSpherical() if isinstance(j, Ball) else pin.JointModelRY()
            k = model.addJoint(above, kind, pin.SE3(np.eye(3), at - origin[above]), j.name)
            joints[str(j.b)], origin[k] = k, at
            body = next(b for b in scene.bodies if b.name == j.b)
            turn = pin.Quaternion(*body.orientation).toRotationMatrix()
            inertia = pin.Inertia(body.mass, np.zeros(3), np.diag(body.inertia))
            model.appendBodyToJoint(k, inertia, pin.SE3(turn, np.array(body.position) - at))
        self.rows = pin.StdVec_RigidConstraintModel()
        self.ends = []
        for j in loops:
            one, two, at = joints[str(j.b)], joints[str(j.a)], np.array(j.points[0])
            places = [pin.SE3(np.eye(3), at - origin[k]) for k in (one, two)]
            row = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, one, places[0], two, places[1])
            self.rows.append(row)
            self.ends.append((one, places[0], two, places[1]))
        self.model, self.data = model, model.createData()
        self.row_data = pin.StdVec_RigidConstraintData()
        self.row_data.extend([r.createData() for r in self.rows])
        pin.computeJointMinimalOrdering(model, self.data, self.rows)
        self.proximal = pin.ProximalSettings(1e-12, 1e-6, 10)
        self.q, self.v = pin.neutral(model), np.zeros(model.nv)
        self.no_torque = np.zeros(model.nv)

    def step(self, count: int) -> None:
        for _ in range(count):
            a = pin.lcaba(
                self.model, self.data, self.q, self.v, self.no_torque, self.rows, self.row_data, self.proximal
            )
            self.v = self.v + self.timestep * a
            self.q = pin.integrate(self.model, self.q, self.timestep * self.v)

    def gap(self) -> float:
        pin.forwardKinematics(self.model, self.data, self.q)
        places = self.data.oMi
        return max(
            float(np.linalg.norm((places[a] * at_a).translation - (places[b] * at_b).translation))
            for a, at_a, b, at_b in self.ends
        )
