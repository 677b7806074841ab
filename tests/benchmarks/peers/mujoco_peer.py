"""MuJoCo: reduced coordinates (nested bodies; cubic on chains), and large chains as free bodies tied by <connect>."""

from typing import Any

import mujoco
import numpy as np

from tests.benchmarks.figure import Figure, Motion, conjugate, multiply, turn

NAME = "MuJoCo"
VERSION = mujoco.__version__
# its own names; `discrete` has the joint springs in its matrix, `implicitfast` the dampers only
VARIANTS: dict[str, dict[str, Any]] = {
    "MuJoCo discrete": {"integrator": "DISCRETE"},
    "MuJoCo implicitfast": {"integrator": "IMPLICITFAST"},
    "MuJoCo connect, Newton": {"integrator": "EULER", "maximal": True, "solver": "NEWTON"},
    "MuJoCo connect, CG": {"integrator": "EULER", "maximal": True, "solver": "CG"},
}
# where a motion becomes unstable it writes warnings and a log file; here this is seen from the motion itself
mujoco.set_mju_user_warning(lambda text: None)
MOST_REDUCED = 300  # a chain of 1000 ball joints takes seconds a step


def accepts(figure: Figure, integrator: str, maximal: bool = False, solver: str = "") -> bool:
    if maximal:
        # springs belong to joints, and free bodies have none
        return len(figure.names) >= 100 and set(figure.kind) == {"ball"} and not figure.stiffness.any()
    return len(figure.names) <= MOST_REDUCED


class Peer:
    def __init__(self, figure: Figure, timestep: float, integrator: str, maximal: bool = False, solver: str = "NEWTON"):
        self.figure = figure
        spec = mujoco.MjSpec()
        spec.option.timestep = timestep
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator}")
        spec.option.gravity = figure.scene.gravity
        spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
        spec.option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver}")
        (add_maximal if maximal else add_reduced)(spec, figure)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.start = start_velocities(figure, self.model)
        self.restart()

    def restart(self) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qvel[:] = self.start

    def step(self, count: int) -> None:
        mujoco.mj_step(self.model, self.data, count)

    def motion(self) -> Motion:
        m, d = self.model, self.data
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_comVel(m, d)
        twist = np.zeros((len(self.figure.names), 6))
        for i, name in enumerate(self.figure.names):
            body = m.body(name).id
            mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_BODY, body, twist[i], 0)
        rows = [m.body(name).id for name in self.figure.names]
        return Motion(d.xipos[rows].copy(), d.xquat[rows].copy(), twist[:, 3:], twist[:, :3])


def add_body(under: Any, figure: Figure, i: int, position: Any, quaternion: Any) -> Any:
    body = under.add_body(name=figure.names[i], pos=position, quat=quaternion)
    body.explicitinertial = True
    body.ipos = [0.0, 0.0, 0.0]
    body.iquat = [1.0, 0.0, 0.0, 0.0]
    body.mass = figure.mass[i]
    body.inertia = figure.inertia[i]
    return body


def add_reduced(spec: Any, figure: Figure) -> None:
    start, made = figure.start, []
    one = np.array([[1.0, 0.0, 0.0, 0.0]])
    for i, p in enumerate(figure.parent):
        under = made[p] if p >= 0 else spec.worldbody
        xp, qp = (start.x[p : p + 1], start.quat[p : p + 1]) if p >= 0 else (np.zeros((1, 3)), one)
        place = turn(conjugate(qp), start.x[i : i + 1] - xp)[0]
        body = add_body(under, figure, i, place, multiply(conjugate(qp), start.quat[i : i + 1])[0])
        made.append(body)
        back = conjugate(start.quat[i : i + 1])
        anchor = turn(back, figure.at[i : i + 1] - start.x[i : i + 1])[0]
        if figure.kind[i] == "free":
            body.add_freejoint()
        elif figure.kind[i] != "weld":
            hinge = figure.kind[i] == "hinge"
            kind = mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_BALL
            joint = body.add_joint(type=kind, pos=anchor)
            if hinge:
                joint.axis = turn(back, figure.axis[i : i + 1])[0]
            set_first(joint, "stiffness", figure.stiffness[i])
            set_first(joint, "damping", figure.damping[i])


def set_first(joint: Any, key: str, value: float) -> None:
    """From MuJoCo 3.5 on these are polynomials, of which the first coefficient is the linear one."""
    if np.ndim(getattr(joint, key)):
        getattr(joint, key)[0] = value
    else:
        setattr(joint, key, value)


def add_maximal(spec: Any, figure: Figure) -> None:
    start = figure.start
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    spec.memory = 2**26 + 2**14 * len(figure.names)  # its own guess grows with the square; used: 5 kB a body
    for i in range(len(figure.names)):
        add_body(spec.worldbody, figure, i, start.x[i], start.quat[i]).add_freejoint()
    for i, p in enumerate(figure.parent):
        tie = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY)
        tie.name1 = figure.names[i]
        tie.name2 = figure.names[p] if p >= 0 else "world"
        anchor = turn(conjugate(start.quat[i : i + 1]), figure.at[i : i + 1] - start.x[i : i + 1])[0]
        tie.data[:3] = anchor


def start_velocities(figure: Figure, model: Any) -> np.ndarray:
    """Joint by joint: of a ball, the relative angular velocity in the child's axes; of a free body, v in world axes and
    w in its own. MuJoCo numbers bodies depth first."""
    start, qvel = figure.start, np.zeros(model.nv)
    for i, name in enumerate(figure.names):
        body = model.body(name).id
        first = model.body_dofadr[body]
        count = model.body_dofnum[body]
        p = figure.parent[i] if count < 6 else -1
        relative = start.w[i] - (start.w[p] if p >= 0 else 0.0)
        local = turn(conjugate(start.quat[i : i + 1]), relative[None])[0]
        if count == 6:
            qvel[first : first + 6] = np.concatenate([start.v[i], local])
        elif count == 3:
            qvel[first : first + 3] = local
        elif count == 1:
            qvel[first] = relative @ figure.axis[i]
    return qvel
