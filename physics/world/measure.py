"""Quantities that are read from a state: energy in its parts, momentum, gaps, the state hash."""

import hashlib
from typing import NamedTuple

import numpy as np

from physics.build.bodies import inertia_at, is_scaled
from physics.data.model_tables import Bodies, BodyKind, Topology
from physics.data.step_tables import Number
from physics.data.model import Floats, Model, State, Work
from physics.maths.rotations import matrix_of
from physics.maths.strict import norms, product


class Energy(NamedTuple):
    """Energies of a world [J]. `contact` is the work of contacts since the start. It is negative if friction and
    impacts take more energy than penetrations give back. `ledger` is the total energy minus the work of applied loads,
    non-ideal constraint forces and contacts, minus the energy of the user's changes (of gravity, a stiffness, a pose, a
    velocity, an impulse), plus the energy that redone steps lost. For an undamped figure and an exact integrator,
    `ledger` would be constant."""

    kinetic: float
    potential: float  # of gravity
    elastic: float
    total: float
    ledger: float
    contact: float = 0.0
    lost: float = 0.0  # given up by redone steps since the start (World.redone); substeps of the integrator lose none


class Momentum(NamedTuple):
    """Linear and angular momentum of all bodies."""

    linear: Floats  # kg m/s
    angular: Floats  # kg m^2/s about the world's origin


def measure_energy(work: Work) -> Energy:
    """Return the energies of the state at which `work` was last refreshed."""
    x = work.number
    total = float(x[Number.ENERGY])
    contact = float(x[Number.CONTACT_WORK])
    lost = float(x[Number.LOST])
    ledger = total - float(x[Number.WORK]) - contact + lost
    parts = (float(x[Number.KINETIC]), float(x[Number.GRAVITATIONAL]), float(x[Number.ELASTIC]))
    return Energy(*parts, total, ledger, contact, lost)


def measure_momentum(model: Model, state: State) -> Momentum:
    """Return the momenta of all bodies: the linear one, sum m v, and the angular one about the world's origin, sum (x
    cross m v + R I R^T w)."""
    mass = model.body[:, Bodies.MASS, None]
    linear = mass * state.velocity[:, :3]
    angular = np.cross(state.pose[:, :3], linear)
    for i in np.flatnonzero(model.topology[:, Topology.BODY_KIND] != BodyKind.PARTICLE):
        r = matrix_of(state.pose[i, 3:7])
        angular[i] += product(r, principal_moments(model, state, int(i)) * product(r.T, state.velocity[i, 3:6]))
    return Momentum(linear.sum(axis=0), angular.sum(axis=0))


def principal_moments(model: Model, state: State, row: int) -> Floats:
    """Return the principal moments of inertia [kg m^2] of a body at its present scales (3,)."""
    if is_scaled(model.topology, row):
        return inertia_at(model.form[row], state.pose[row])
    return model.body[row, Bodies.INERTIA : Bodies.INERTIA + 3]


def measure_gaps(work: Work) -> Floats:
    """Return distance [m] and angle [rad] by which each edge is open (edges, 2), at the pose at which `work` was last
    refreshed."""
    return np.stack([norms(work.gap[:, :3]), norms(work.gap[:, 3:])], axis=1)


def state_hash(state: State, *more: bytes) -> str:
    """Return the SHA-256 hash of the bytes of every array of the state, followed by the bytes `more`."""
    digest = hashlib.sha256()
    for array in state:
        digest.update(np.ascontiguousarray(array).tobytes())
    for part in more:
        digest.update(part)
    return digest.hexdigest()
