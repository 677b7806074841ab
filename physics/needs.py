"""Which of the kernels that few figures need (`kernels.far`) a figure needs, by what stands in it and how it is run."""

import numpy as np

from physics import layout as lay
from physics.kinds import COMMON
from physics.model import Ints, Model


def of_model(m: Model) -> set[str]:
    """What its bodies, joints and constraints ask for"""
    kinds = set(np.unique(np.concatenate([m.topology[:, lay.KIND], m.links[:, lay.KIND]])).tolist())
    bodies = set(np.unique(m.topology[:, lay.BODY_KIND]).tolist())
    found = set()
    if kinds - set(COMMON):
        found.add("kinds")
    if lay.COUPLING in kinds:
        found.add("couplings")
    if lay.GROUP_CONDITION in kinds:
        found.add("conditions")
        forces = m.joint[len(m.topology) :, lay.FORCES][m.links[:, lay.KIND] == lay.GROUP_CONDITION]
        if (forces != lay.ALONG_ROWS).any():
            found.add("thrusts")
    if min(m.topology[:, lay.PARENT].min(initial=0), m.links[:, lay.PARENT].min(initial=0)) < -1:
        found.add("told")  # a body that stands, or is moved
    if bodies & {lay.UNIFORM, lay.STRETCHED}:
        found.add("scales")
    if (m.topology[:, lay.ELIMINATION] == lay.PATH_GENERAL).any():
        found.add("rows")
    if (m.topology[m.topology[:, lay.KIND] == lay.FREE, lay.LONE] > 0).any():
        found.add("flights")
    abreast = m.topology[m.topology[:, lay.ABREAST] > 0, lay.ELIMINATION]
    if (abreast == lay.PATH_BALL).any():
        found.add("balls abreast")
    if (abreast == lay.PATH_HINGE).any():
        found.add("hinges abreast")
    if (m.topology[m.topology[:, lay.TOGETHER] > 0, lay.KIND] == lay.HINGE).any():
        found.add("hinges together")
    return found


def ball_springs(m: Model) -> bool:
    """Whether some ball joint's spring has soft limits, or differs about its axes"""
    for edges in (m.topology, m.links):
        kinds = edges[:, lay.KIND]
        odd = (edges[:, lay.FLAGS] & (lay.LIMITED | lay.ANISOTROPIC)) != 0
        if (odd & ((kinds == lay.BALL) | (kinds == lay.TORSION_SPRING))).any():
            return True
    return False


def of_run(model: set[str], control: Ints, contact_rows: bool) -> set[str]:
    """With what is switched on, and the integrator. `contact_rows`: contacts may be rows."""
    found = set(model)
    for place, group in {lay.DRIVEN: "drives", lay.IN_MEDIUM: "medium", lay.TREE_SPRINGS: "tree springs"}.items():
        if control[place]:
            found.add(group)
    if control[lay.SIGNALED]:
        found.add("told")
    if control[lay.BALL_SPRINGS]:
        found.add("ball springs")
    if control[lay.HARD_LIMITED]:
        found |= {"limits", "pressing"}
    if contact_rows:
        found.add("pressing")
    if control[lay.HALVES]:
        found.add("columns")
    if control[lay.CORRECTION] == lay.COORDINATES:
        found.add("rebuilding")
    if control[lay.CORRECTION] == lay.FEEDBACK:
        found.add("feedback")
    integrator = lay.INTEGRATORS[control[lay.INTEGRATOR]]
    if "scales" in model and integrator == "trbdf2":
        found.add("trbdf2 scales")
    if control[lay.ARMED]:
        found |= {"rotors", "rattle rotors"} if integrator.startswith("rattle") else {"rotors"}
    return found
