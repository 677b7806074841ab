"""MuJoCo on the heaps of W4: the same ragdolls of capsules, and its own humanoid, which comes with its sources
(model/humanoid/humanoid.xml) and is read from wherever it is."""

from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from physics.maths.rotations import matrix_of
from tests.helpers.ragdoll import PARTS, capsule_mass, placements, turn_to

VERSION = mujoco.__version__
mujoco.set_mju_user_warning(lambda text: None)


def empty(timestep: float) -> Any:
    spec = mujoco.MjSpec()
    spec.option.timestep = timestep
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.memory = 1 << 29  # where it has no room it leaves contacts out
    return spec


def capsule_heap(count: int, timestep: float, seed: int) -> Any:
    """The ragdolls of tests/helpers/ragdoll.py. A ball joint is limited in its whole angle, not in its swing."""
    spec = empty(timestep)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05])
    for k, (at, turned) in enumerate(placements(count, seed)):
        base = spec.worldbody.add_frame(pos=at, quat=turned)
        made: dict[str, tuple[Any, np.ndarray]] = {}
        for part in PARTS:
            start, end = np.array(part.start), np.array(part.end)
            middle, half = 0.5 * (start + end), 0.5 * float(np.linalg.norm(end - start))
            parent, origin = made[part.parent] if part.parent else (spec.worldbody, np.zeros(3))
            body = parent.add_body(name=f"{k} {part.name}", pos=middle - origin)
            made[part.name] = (body, middle)
            mass, across, along = capsule_mass(part.radius, half)
            turn = turn_to(end - start)
            body.mass, body.inertia, body.iquat, body.explicitinertial = mass, [across, across, along], turn, True
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[part.radius, half, 0], quat=turn)
            if not part.parent:
                body.set_frame(base)
                body.add_freejoint()
                continue
            hinge = part.axis is not None
            joint = body.add_joint(
                type=mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_BALL,
                pos=np.array(part.anchor) - middle, damping=part.damping, limited=True,
                range=np.degrees(part.bend if hinge else (0.0, part.swing)),
            )  # fmt: skip
            if hinge:
                joint.axis = part.axis
    return spec


def humanoid_heap(count: int, timestep: float, path: Path, seed: int) -> Any:
    """Its own humanoids at the same places"""
    spec = empty(timestep)
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 0.05], condim=3)
    for k, (at, turned) in enumerate(placements(count, seed)):
        child = mujoco.MjSpec.from_file(str(path))
        child.delete(child.geom("floor"))
        for key in list(child.keys):
            child.delete(key)
        # its pelvis is at about 1 m
        place = np.array(at) - matrix_of(np.array(turned)) @ np.array([0.0, 0.0, 1.0])
        frame = spec.worldbody.add_frame(pos=place, quat=turned)
        spec.attach(child, prefix=f"{k}/", frame=frame)
    return spec


class Heap:
    def __init__(self, spec: Any):
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.warnings = 0  # contacts left out; states that were no longer finite, after which it starts anew

    def restart(self) -> None:
        mujoco.mj_resetData(self.model, self.data)

    def step(self, count: int) -> None:
        mujoco.mj_step(self.model, self.data, count)
        self.warnings += int(sum(w.number for w in self.data.warning))

    @property
    def contacts(self) -> int:
        return int(self.data.ncon)

    def penetration(self) -> float:
        """The deepest overlap, m"""
        return max(0.0, -float(min(self.data.contact.dist, default=0.0)))

    def kinetic(self) -> float:
        """Per kilogram, J/kg"""
        mujoco.mj_energyVel(self.model, self.data)
        return float(self.data.energy[1] / self.model.body_mass.sum())
