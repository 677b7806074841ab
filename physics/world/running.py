"""How whole steps are run, and how the world recovers after a step that could not be taken."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from physics.compiler.helper_process import leave
from physics.contacts.touch import with_more_room
from physics.data.contact_tables import Found, TouchControl
from physics.data.step_tables import Control, Correction, Number, Status, StepTask
from physics.definitions.checks import DefinitionError
from physics.driver import units
from physics.integrators import acceptance
from physics.world.assembly import CLOSED, Closing
from physics.world.checks import CannotContinueError
from physics.world.engine import Engine

SLICE, MOST_STEPS = 0.1, 256  # s and steps between two checks for signals: the next steps may take longer
FASTEST = 1e150  # m/s or rad/s: squares of what is faster overflow


class Runner:
    """The steps of an engine."""

    def __init__(self, engine: Engine):
        """Make the runner of this engine."""
        self.engine = engine
        self.slice = 1  # steps that are run without a check for signals

    def step(self, count: int = 1, *, progress: Callable[[str, int], None] | None = None) -> None:
        """Run `count` whole steps in compiled code. Figures whose bodies were set are assembled first; a position out
        of reach raises a DefinitionError and restores all bodies. `progress(name, number)` is called while kernels are
        compiled. That happens once for each solver mode, because the code is kept on disk. Ctrl-C ends a run after some
        tenths of a second, or after the present step if that takes longer. The world then is where that step ended."""
        if type(count) is not int or count < 0:
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
                raise DefinitionError("count of steps", count, "a whole number, 0 or more")
            count = int(count)
        engine = self.engine
        if engine.moved is not None:
            # gaps that the correction by feedback closes over time are left to it
            feedback = engine.work.control[Control.CORRECTION] == Correction.FEEDBACK
            engine.settle(acceptance.FEEDBACK_GAP_LIMIT if feedback else CLOSED)
        control = engine.work.control
        if count > 0:
            engine.foreseen = None
            engine.span = float(engine.work.number[Number.DT])
        control[Control.STATUS] = 0  # tried again: the trouble may have been mended
        self._run(count, control, progress)
        engine.stale = False
        self.engine.check_functions()
        status = control[Control.STATUS]
        if status == Status.NOT_FINITE:
            raise DefinitionError("state", "not finite", "finite poses and velocities")
        if status != 0:
            raise CannotContinueError(self._trouble() + self._recover())
        engine.filled = True

    def _run(self, count: int, control: Any, progress: Callable[[str, int], None] | None) -> None:
        """Run `count` steps in compiled code, and enlarge the arrays of contacts where necessary. Many steps are run in
        slices: Python handles no signal while compiled code runs, so that Ctrl-C would otherwise have to wait for the
        last step."""
        engine = self.engine
        control[Control.LACKING] = 0
        while True:
            program = self.engine.kernels.program_for_now(progress)
            # arrays that a step has filled are not filled again by the next one: a sixth of a large figure's step
            control[Control.STEP_TASK] = StepTask.BEGIN_STEP if self.engine.filled else StepTask.REFRESH
            engine.filled = False
            asked, begin = min(count, self.slice), time.perf_counter()
            count -= program.drive(asked)
            engine.stale = False
            touch = self.engine.built.touch
            if touch is not None and touch.control[TouchControl.SHORT] != Found.DONE:
                if count:
                    self.engine.built = replace(
                        self.engine.built, touch=with_more_room(touch, int(touch.control[TouchControl.SHORT]))
                    )
                    continue
            elif control[Control.LACKING] != 0:
                # in another process, if possible: compiling here stops all threads
                leave(units.redoing_entries(self.engine.packs), lambda: True)
                self.engine.kernels.compile_redoing(progress)
                continue
            if count == 0 or control[Control.STATUS] != 0 or self.engine.built.callbacks.trouble:
                return
            self.pace(asked, time.perf_counter() - begin)
            self.engine.filled = True

    def pace(self, steps: int, seconds: float) -> None:
        """Set the number of steps of the next slice, after a slice of `steps` steps took `seconds`. That number affects
        no result."""
        if seconds < 0.5 * SLICE:
            self.slice = min(2 * steps, MOST_STEPS)
        elif seconds > 2.0 * SLICE:
            self.slice = max(1, int(steps * SLICE / seconds))

    def _trouble(self) -> str:
        """Return a sentence that says where no step could be taken."""
        row = int(self.engine.work.control[Control.STATUS]) - 1
        name = next((k for k, r in self.engine.built.joint_row.items() if r == row), None)
        where = f"joint {name!r}" if name else "the figure"
        return f"no step could be taken, not even in substeps; the cause is at {where}. The last good state is kept."

    def _recover(self) -> str:
        """Bring the world to a state from which steps can continue, after a step that could not be taken: stop figures
        whose squared velocity overflows, and close open joints. Return sentences that say what was done. Steps still
        fail while the cause is present."""
        done = ""
        fast = ~(np.abs(self.engine.state.velocity).max(axis=1) < FASTEST)
        if fast.any():
            of = self.engine.tied_figures().of
            self.engine.state.velocity[np.isin(of, of[fast])] = 0.0
            self.engine.mark_changed()
            done += " A figure whose speed overflowed stands still."
        self.engine.stale = True
        self.engine.refresh()
        if self.engine.work.number[Number.GAP] > CLOSED:
            pose, memory = self.engine.state.pose.copy(), self.engine.state.memory.copy()
            closing = Closing(self.engine)
            with self.engine.answered_in_linear_time():
                closed = closing.close() <= CLOSED
                if closed:
                    closing.stop()
            if closed:
                return done + " Joints that stood open were closed."
            self.engine.state.pose[:], self.engine.state.memory[:] = pose, memory
            self.engine.mark_changed()
        return done
