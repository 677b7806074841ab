"""Readings of a world besides its bodies and joints: gaps, energy, momentum, contacts."""

from typing import Any

import numpy as np

from physics.compiler.clock import tick_length
from physics.data.step_tables import SCHEME_OPEN_GAP, Control, Correction
from physics.data.work_tables import ANTICIPATION_STEPS
from physics.definitions.checks import DefinitionError
from physics.integrators import acceptance
from physics.links.islands import dependent_rows, taut_rows
from physics.solvers.modes import MODES, refusal
from physics.world.engine import Engine
from physics.world.measure import Energy, Momentum, measure_energy, measure_gaps, measure_momentum
from physics.world.touching import Contact, ContactSolution, read_solution


class Readings:
    """The readings that are computed from the arrays of an engine. Each has the name that it has in `World`."""

    def __init__(self, engine: Engine):
        """Make the readings of this engine."""
        self.engine = engine

    @property
    def leaves_open(self) -> float:
        """Gap [m or rad] up to which joints may be open by design: `hernandez` leaves the gap of each step to the next
        one, and the correction by feedback closes gaps over time. It is 0 if each step closes the joints."""
        if self.engine.work.control[Control.CORRECTION] == Correction.FEEDBACK:
            return acceptance.FEEDBACK_GAP_LIMIT
        return SCHEME_OPEN_GAP[self.engine.work.control[Control.INTEGRATOR]]

    @property
    def redundant(self) -> list[str]:
        """Names of joints outside the forest whose rows depend linearly on those of other joints, according to the last
        factorisation. The equations of motion do not determine how these joints share their forces. The forces that are
        read are the smallest (physics/world/self_stress.py); the motion is the same for any choice."""
        a, c = self.engine.work.auxiliary, self.engine.work.control
        return self._names(a.edge[dependent_rows(a, int(c[Control.ROW_COUNT]))])

    @property
    def taut(self) -> list[str]:
        """Names of joints outside the forest whose rows almost depend on others, according to the last factorisation.
        An example is a chain between two hooks that is straight to some hundredths of a radian, where small loads cause
        large forces. A chain that is straight to 1e-4 rad is among the `redundant` joints."""
        a, c = self.engine.work.auxiliary, self.engine.work.control
        return self._names(a.edge[taut_rows(a, int(c[Control.ROW_COUNT]))])

    @property
    def contradictions(self) -> list[str]:
        """Names of joints that could not be closed together with the others in the last step, or that the others pushed
        beyond their limits. The motion continues without them."""
        return self._names(np.flatnonzero(self.engine.work.auxiliary.error_state))

    @property
    def contact_solution(self) -> ContactSolution:
        """How the contacts of the last step were solved."""
        return (
            read_solution(self.engine.built.touch)
            if self.engine.built.touch
            else ContactSolution("none", 0, 0, 0, 0, 0.0)
        )

    @property
    def refusals(self) -> dict[str, str]:
        """The solver modes that refuse this figure, each with its reason."""
        rows = {row: name for name, row in self.engine.built.joint_row.items()}
        return {m.name: why for m in MODES.values() if (why := refusal(m, self.engine.model, rows))}

    def anticipation_times(self) -> dict[str, float]:
        """Return the mean times in a timestep [s], since `timed` was set, of the six stages of [Baraff96, section 8.2]:
        the factor; the columns of responses; the solution without auxiliary rows; the matrix and right-hand sides; the
        multipliers; the solution with these multipliers."""
        if not self.engine.work.control[Control.TIMED]:
            raise DefinitionError("times of the anticipation", None, "a world with timed = True")
        steps = max(int(self.engine.work.control[Control.STEP]) - self.engine.timed_from, 1)
        seconds = self.engine.work.clock[: len(ANTICIPATION_STEPS)] * tick_length() / steps
        return dict(zip(ANTICIPATION_STEPS, seconds.tolist(), strict=True))

    def energy(self) -> Energy:
        """Return the `kinetic`, `potential` (of gravity) and `elastic` energy and their sum `total`, all in J
        (`physics.world.measure.Energy`). `ledger` is the total minus the work done from outside; its changes show the
        error of the integrator. `contact` is the work of contacts, and `lost` is the energy that redone steps lost,
        both since the start."""
        self.engine.refresh()
        return measure_energy(self.engine.work)

    def momentum(self) -> Momentum:
        """Return `linear` [kg m/s] and `angular` momentum about the world's origin [kg m^2/s] of all bodies."""
        return measure_momentum(self.engine.model, self.engine.state)

    def gaps(self) -> dict[str, tuple[float, float]]:
        """Return distance [m] and angle [rad] by which each joint is open, by its name."""
        self.engine.refresh()
        rows = measure_gaps(self.engine.work)
        return {k: (float(rows[i, 0]), float(rows[i, 1])) for k, i in self.engine.built.joint_row.items()}

    def contacts(self, foresees: bool) -> list[Contact]:
        """Return the contacts of the last step; before the first step, those at the start if `foresees`."""
        engine = self.engine
        if engine.built.touch is None:
            return []
        if engine.work.control[Control.STEP] == 0 and foresees:
            return engine.forces.foresee()[1]
        return engine.read_contacts(engine.span)

    def _names(self, edges: Any) -> list[str]:
        """Return the names of the joints with these edges."""
        wanted = {int(e) for e in edges}
        return [name for name, e in self.engine.built.joint_row.items() if e in wanted]
