"""DART: reduced coordinates, recursive algorithms, semi-implicit Euler with implicit joint springs."""

from importlib.metadata import version
from typing import Any

import dartpy as dart
import numpy as np

from physics.maths.rotations import matrix_of
from tests.benchmarks.figure import Figure, Motion

NAME = "DART"
VERSION = version("dartpy")
VARIANTS: dict[str, dict[str, Any]] = {"DART": {}}
MOST = 300  # to build a chain of 1000 links takes it minutes; a step takes 1 ms


def accepts(figure: Figure) -> bool:
    return len(figure.names) <= MOST


def transform(rotation: Any, place: Any) -> Any:
    t = dart.math.Isometry3()
    t.set_rotation(rotation)
    t.set_translation(place)
    return t


class Peer:
    def __init__(self, figure: Figure, timestep: float):
        self.figure = figure
        self.world = dart.simulation.World()
        self.world.setTimeStep(timestep)
        self.world.setGravity(list(figure.scene.gravity))
        self.skeleton = dart.dynamics.Skeleton("figure")
        self.nodes: list[Any] = []
        self.joints: list[Any] = []
        for i in range(len(figure.names)):
            self.add(i)
        self.world.addSkeleton(self.skeleton)
        self.restart()

    def add(self, i: int) -> None:
        figure, start = self.figure, self.figure.start
        p = int(figure.parent[i])
        kind = {"ball": "Ball", "hinge": "Revolute", "weld": "Weld", "free": "Free"}[figure.kind[i]]
        create = getattr(self.skeleton, f"create{kind}JointAndBodyNodePair")
        joint, node = create(self.nodes[p]) if p >= 0 else create()
        node.setName(figure.names[i])
        # joint frames have the world's axes as drawn; a free body's is its own
        place = start.x[i] if figure.kind[i] == "free" else figure.at[i]
        rp, xp = (matrix_of(start.quat[p]), start.x[p]) if p >= 0 else (np.eye(3), np.zeros(3))
        rc = matrix_of(start.quat[i])
        joint.setTransformFromParentBodyNode(transform(rp.T, rp.T @ (place - xp)))
        joint.setTransformFromChildBodyNode(transform(rc.T, rc.T @ (place - start.x[i])))
        if figure.kind[i] == "hinge":
            joint.setAxis(figure.axis[i])
        if figure.kind[i] in ("ball", "hinge"):
            for k in range(joint.getNumDofs()):
                joint.setSpringStiffness(k, figure.stiffness[i])
                joint.setDampingCoefficient(k, figure.damping[i])
        a, b, c = figure.inertia[i]
        node.setInertia(dart.dynamics.Inertia(figure.mass[i], np.zeros(3), np.diag([a, b, c])))
        self.nodes.append(node)
        self.joints.append(joint)

    def restart(self) -> None:
        start = self.figure.start
        self.world.reset()
        self.skeleton.setPositions(np.zeros(self.skeleton.getNumDofs()))
        for i, joint in enumerate(self.joints):
            p = int(self.figure.parent[i])
            relative = start.w[i] - (start.w[p] if p >= 0 else 0.0)
            kind = self.figure.kind[i]
            if kind == "free":
                joint.setVelocities(np.concatenate([start.w[i], start.v[i]]))
            elif kind == "ball":
                joint.setVelocities(relative)
            elif kind == "hinge":
                joint.setVelocities([relative @ self.figure.axis[i]])

    def step(self, count: int) -> None:
        step = self.world.step
        for _ in range(count):
            step()

    def motion(self) -> Motion:
        quats = [dart.math.Quaternion(node.getWorldTransform().rotation()) for node in self.nodes]
        return Motion(
            np.array([node.getCOM() for node in self.nodes]).reshape(-1, 3),
            np.array([[q.w(), q.x(), q.y(), q.z()] for q in quats]),
            np.array([node.getCOMLinearVelocity() for node in self.nodes]).reshape(-1, 3),
            np.array([node.getAngularVelocity() for node in self.nodes]).reshape(-1, 3),
        )
