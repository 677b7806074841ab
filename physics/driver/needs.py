"""What a figure needs for its bodies, joints and settings: groups of lazily compiled kernels (`compiler.lazy`), and
switches in Work.control for parts of the other kernels."""

import numpy as np

from physics.data.model_tables import (
    Bodies, BodyKind, ForceLaw, JointKind, Joints, Path, SpringFlag, Topology, TreePlace,
)  # fmt: skip
from physics.data.state_tables import DriveGiven, Drives, Grabs, HardLimits
from physics.data.step_tables import SCHEMES, Control, Correction, Number
from physics.data.model import Ints, Model, State, Work
from physics.forces.all_forces import FORCES
from physics.joints.kinds import COMMON


def of_model(m: Model) -> set[str]:
    """Return the groups of lazily compiled kernels that the bodies, joints and constraints of a model need."""
    kinds = {*m.topology[:, Topology.KIND].tolist(), *m.links[:, Topology.KIND].tolist()}
    bodies = set(m.topology[:, Topology.BODY_KIND].tolist())
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
    """Return whether some ball joint or torsion spring has soft limits, or a stiffness that differs between axes."""
    for edges in (m.topology, m.links):
        kinds = edges[:, Topology.KIND]
        odd = (edges[:, Topology.FLAGS] & (SpringFlag.LIMITED | SpringFlag.ANISOTROPIC)) != 0
        if (odd & ((kinds == JointKind.BALL) | (kinds == JointKind.TORSION_SPRING))).any():
            return True
    return False


def of_run(model: set[str], control: Ints, contact_rows: bool) -> set[str]:
    """Return the groups of lazily compiled kernels that a run needs. These are the groups in `model`, those for what
    `control` (Work.control) switches on, and those for its integrator. `contact_rows` says whether contacts may be
    rows."""
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


def note_what_is_used(m: Model, s: State, w: Work) -> None:
    """Write to Work.control which of the following the figure uses: applied forces, springs, grabs, limits, drives, a
    medium. Kernels leave out what it does not use. Write the total mass of the figure to Number.TOTAL_MASS."""
    w.control[Control.LOADED] = int(s.applied.any())
    flags = (m.topology[:, Topology.FLAGS].any(), m.links[:, Topology.FLAGS].any())
    w.control[Control.SPRUNG] = int(any(flags))
    w.control[Control.BALL_SPRINGS] = ball_springs(m)
    held = np.flatnonzero(s.grab[:, Grabs.BODY] >= 0.0)
    w.control[Control.GRABS] = int(held[-1]) + 1 if len(held) else 0
    w.control[Control.HARD_LIMITED] = int(s.limit[:, HardLimits.ON].any())
    drive = s.drive
    on = drive[:, Drives.ON] != 0.0
    w.control[Control.DRIVEN] = int(on.any() and not w.control[Control.DRIVES_OFF])
    w.control[Control.CAPPED] = int(np.isfinite(drive[on, Drives.LOW : Drives.HIGH + 1]).any())
    hard = on & (drive[:, Drives.GIVEN] == DriveGiven.SPEED) & (drive[:, Drives.DAMPING] == 0.0)
    hard &= np.isfinite(drive[:, Drives.LOW : Drives.HIGH + 1]).all(axis=1)
    w.control[Control.HARD_DRIVES] = int(hard.any() and w.control[Control.DRIVEN])
    places = m.links[:, Topology.TREE_EDGE]
    across = m.topology[places[places >= 0]]
    several = (across[:, Topology.PATH] == Path.AXES) & (across[:, Topology.DOFS] > 1)
    w.control[Control.TREE_SPRINGS] = 2 if several.any() else int((places != TreePlace.NO_PLACE).any())
    w.number[Number.TOTAL_MASS] = m.body[:, Bodies.MASS].sum()
    flowing = w.number[[Number.DENSITY, Number.VISCOSITY]].any()
    w.control[Control.IN_MEDIUM] = int(len(m.surface) > 0 and flowing)
