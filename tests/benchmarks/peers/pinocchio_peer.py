"""Pinocchio: the articulated-body algorithm with semi-implicit Euler; springs implicitly, through the joints' armature.

    (M + h C + h^2 K) (v' - v) = h (tau - C v - K (q - q0) - h K v),   q' = q (+) h v'

It enforces no limits. Its memory grows with the cube of the degrees of freedom, so chains end at a few hundred links.
On chains of ball joints beyond some sixty links its `aba` is wrong as soon as they move.
Steps are called from Python, one by one: there is no other way. `call_overhead` measures what that costs.
"""

import time
from typing import Any

import numpy as np
import pinocchio as pin

from tests.benchmarks.figure import Figure, Motion

NAME = "Pinocchio"
VERSION = pin.__version__
VARIANTS: dict[str, dict[str, Any]] = {
    "Pinocchio aba": {"convention": pin.Convention.LOCAL},
    "Pinocchio aba, world": {"convention": pin.Convention.WORLD},
}
MOST = 300


def accepts(figure: Figure, convention: Any) -> bool:
    return len(figure.names) <= MOST and all(figure.kind[i] != "free" or p < 0 for i, p in enumerate(figure.parent))


class Peer:
    def __init__(self, figure: Figure, timestep: float, convention: Any):
        self.figure = figure
        self.timestep = timestep
        self.convention = convention
        self.model = pin.Model()
        self.model.gravity.linear = np.array(figure.scene.gravity)
        self.joint: list[int] = []  # of each body
        self.offset = np.zeros((len(figure.names), 3))  # from the joint to the centre of mass, as drawn, world axes
        self.stiffness: list[float] = []
        self.damping: list[float] = []
        origins = [np.zeros(3)]  # of the joints' frames as drawn; their axes are the world's
        for i in range(len(figure.names)):
            self.add(i, origins)
        self.stiff, self.damp = np.array(self.stiffness), np.array(self.damping)
        self.springs = bool(self.stiff.any() or self.damp.any())
        h = timestep
        self.model.armature = h * self.damp + h * h * self.stiff
        self.data = self.model.createData()
        self.rest = pin.neutral(self.model)
        self.no_torque = np.zeros(self.model.nv)
        self.speed = self.start()
        self.restart()

    def add(self, i: int, origins: list[np.ndarray]) -> None:
        figure, p = self.figure, int(self.figure.parent[i])
        above = self.joint[p] if p >= 0 else 0
        kind = figure.kind[i]
        if kind == "weld":
            self.joint.append(above)
        else:
            place = figure.start.x[i] if kind == "free" else figure.at[i]
            placement = pin.SE3(np.eye(3), place - origins[above])
            self.joint.append(self.model.addJoint(above, self.joint_model(i), placement, f"{figure.names[i]}_joint"))
            origins.append(place)
            count = {"free": 6, "ball": 3, "hinge": 1}[kind]
            self.stiffness += [figure.stiffness[i]] * count
            self.damping += [figure.damping[i]] * count
        self.offset[i] = figure.start.x[i] - origins[self.joint[i]]
        rotation = pin.Quaternion(*figure.start.quat[i]).toRotationMatrix()
        inertia = pin.Inertia(figure.mass[i], np.zeros(3), np.diag(figure.inertia[i]))
        self.model.appendBodyToJoint(self.joint[i], inertia, pin.SE3(rotation, self.offset[i]))

    def joint_model(self, i: int) -> Any:
        kind, axis = self.figure.kind[i], self.figure.axis[i]
        if kind == "free":
            return pin.JointModelFreeFlyer()
        if kind == "ball":
            return pin.JointModelSpherical()
        for k, aligned in enumerate((pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)):
            if abs(axis[k] - 1.0) < 1e-12:
                return aligned()  # faster than the general one
        return pin.JointModelRevoluteUnaligned(axis)

    def start(self) -> np.ndarray:
        """As drawn all joint frames have the world's axes."""
        start, parts = self.figure.start, []
        for i, p in enumerate(self.figure.parent):
            relative = start.w[i] - (start.w[p] if p >= 0 else 0.0)
            kind = self.figure.kind[i]
            if kind == "free":
                parts += [start.v[i], start.w[i]]
            elif kind == "ball":
                parts.append(relative)
            elif kind == "hinge":
                parts.append([relative @ self.figure.axis[i]])
        return np.concatenate(parts)

    def restart(self) -> None:
        self.q = self.rest.copy()
        self.v = self.speed.copy()

    def step(self, count: int) -> None:
        aba, integrate, difference = pin.aba, pin.integrate, pin.difference
        model, data, h, how = self.model, self.data, self.timestep, self.convention
        q, v, tau = self.q, self.v, self.no_torque
        stiff, drag, springs = self.stiff, self.damp + h * self.stiff, self.springs
        for _ in range(count):
            if springs:
                tau = -stiff * difference(model, self.rest, q) - drag * v
            v += h * aba(model, data, q, v, tau, how)
            q = integrate(model, q, h * v)
        self.q = q

    def motion(self) -> Motion:
        figure = self.figure
        pin.forwardKinematics(self.model, self.data, self.q, self.v)
        n = len(figure.names)
        x, v, w = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        quat = np.zeros((n, 4))
        for i, joint in enumerate(self.joint):
            frame, twist = self.data.oMi[joint], self.data.v[joint]
            r = frame.rotation @ self.offset[i]
            x[i] = frame.translation + r
            w[i] = frame.rotation @ twist.angular
            v[i] = frame.rotation @ twist.linear + np.cross(w[i], r)
            full = pin.Quaternion(frame.rotation) * pin.Quaternion(*figure.start.quat[i])
            quat[i] = full.w, full.x, full.y, full.z
        return Motion(x, quat, v, w)


def call_overhead() -> float:
    """Seconds a step that Python and the binding take, measured on a pendulum, whose own arithmetic is a small part."""
    from tests.helpers import generators
    from tests.benchmarks.figure import make_figure

    peer = Peer(make_figure(generators.chain(1, joint="hinge")), 1.0 / 240.0, pin.Convention.LOCAL)
    best = np.inf
    for _ in range(50):
        begin = time.perf_counter()
        peer.step(200)
        best = min(best, (time.perf_counter() - begin) / 200)
    return best
