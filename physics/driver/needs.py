"""Which of the kernels that few figures need (`compiler.lazy`) a figure needs, by what stands in it and how it is
run."""

import numpy as np

from physics.data.model_tables import BodyKind, ForceLaw, JointKind, Joints, Path, SpringFlag, Topology
from physics.data.step_tables import SCHEMES, Control, Correction
from physics.data.model import Ints, Model
from physics.forces.all_forces import FORCES
from physics.joints.kinds import COMMON


def of_model(m: Model) -> set[str]:
    """What its bodies, joints and constraints ask for"""
    kinds = set(np.unique(np.concatenate([m.topology[:, Topology.KIND], m.links[:, Topology.KIND]])).tolist())
    bodies = set(np.unique(m.topology[:, Topology.BODY_KIND]).tolist())
    found = set()
    if kinds - set(COMMON):
        found.add("kinds")
    if JointKind.COUPLING in kinds:
        found.add("couplings")
    if JointKind.GROUP_CONDITION in kinds:
        found.add("conditions")
        forces = m.joint[len(m.topology) :, Joints.FORCES][m.links[:, Topology.KIND] == JointKind.GROUP_CONDITION]
        if (forces != ForceLaw.ALONG_ROWS).any():
            found.add("non-ideal forces")
    if min(m.topology[:, Topology.PARENT].min(initial=0), m.links[:, Topology.PARENT].min(initial=0)) < -1:
        found.add("prescribed")  # a body that stands, or is moved
    if bodies & {BodyKind.UNIFORM, BodyKind.STRETCHED}:
        found.add("scales")
    if (m.topology[:, Topology.ELIMINATION] == Path.GENERAL).any():
        found.add("rows")
    if (m.topology[m.topology[:, Topology.KIND] == JointKind.FREE, Topology.LONE] > 0).any():
        found.add("flights")
    grouped = m.topology[m.topology[:, Topology.LANE] > 0, Topology.ELIMINATION]
    if (grouped == Path.BALL).any():
        found.add("SIMD balls")
    if (grouped == Path.HINGE).any():
        found.add("SIMD hinges")
    if (m.topology[m.topology[:, Topology.RUN_END] > 0, Topology.KIND] == JointKind.HINGE).any():
        found.add("hinge runs")
    return found


def ball_springs(m: Model) -> bool:
    """Whether some ball joint's spring has soft limits, or differs about its axes"""
    for edges in (m.topology, m.links):
        kinds = edges[:, Topology.KIND]
        odd = (edges[:, Topology.FLAGS] & (SpringFlag.LIMITED | SpringFlag.ANISOTROPIC)) != 0
        if (odd & ((kinds == JointKind.BALL) | (kinds == JointKind.TORSION_SPRING))).any():
            return True
    return False


def of_run(model: set[str], control: Ints, contact_rows: bool) -> set[str]:
    """With what is switched on, and the integrator. `contact_rows`: contacts may be rows."""
    found = set(model)
    found |= {force.group for force in FORCES if force.group and control[force.switch]}
    if control[Control.SIGNALED]:
        found.add("prescribed")
    if control[Control.BALL_SPRINGS]:
        found.add("ball springs")
    if control[Control.HARD_LIMITED]:
        found |= {"limits", "pressing"}
    if contact_rows:
        found.add("pressing")
    if control[Control.HALVES]:
        found.add("columns")
    if control[Control.CORRECTION] == Correction.COORDINATES:
        found.add("rebuilding")
    if control[Control.CORRECTION] == Correction.FEEDBACK:
        found.add("feedback")
    if control[Control.ARMED]:
        found.add("rotors")
    scheme = list(SCHEMES.values())[control[Control.INTEGRATOR]]
    return found | {own for group, own in scheme.groups if group in found}
