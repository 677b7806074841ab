"""`Engine`: the arrays and the solver mode of a `World`, on which its views and its parts work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from physics.build.build import Built, build
from physics.build.joints import spring_flags
from physics.build.relink import Pin, relink
from physics.contacts.detection import detect_contacts
from physics.contacts.touch import Touch, wake, warm_starts, with_more_room, with_warm_starts
from physics.data.contact_tables import METHODS, Found, Method, TouchControl
from physics.data.model import Floats, Signals
from physics.data.model_tables import BodyKind, Joints, Topology
from physics.data.state_tables import HardLimits, PoseColumn
from physics.data.step_tables import COLUMNS, Control, LimitLaw, Number, Request, StepTask
from physics.data.work_tables import LimitWork, Rows
from physics.definitions.checks import DefinitionError
from physics.definitions.scene import Scene
from physics.definitions.signal import Signal
from physics.definitions.prescribed import evaluate_at
from physics.definitions.signals import FIRST, INTEGRATED, replaced, shown
from physics.driver import answering, needs, preparations
from physics.integrators import stepping
from physics.solvers.modes import MODES, Mode, refusal
from physics.world.assembly import CLOSED, Figures, Moved, Settling
from physics.world.checks import CannotContinueError, choose
from physics.world.compiling import Kernels
from physics.world.joint_forces import JointForces
from physics.world.settings import Spring
from physics.world.touching import Contact, read_contacts


class Engine:
    """The arrays of a figure, its solver mode, and which parts of Work are up to date. All attributes are public within
    this subpackage; users go through `World`, and the names in this class may change.

    Work is computed from the state and the settings. `mark_changed` marks it as out of date after the user has set one
    of these, and `refresh` computes it again if necessary."""

    def __init__(self, scene: Scene):
        """Build the arrays of a scene."""
        self.use(build(scene))
        self.mode: Mode
        self.space: Any  # of the mode
        self.stale = True  # something was set by the user since Work was computed
        self.filled = False  # Work is as the last step left it: filled and measured at the present state
        self.span = scene.timestep  # of the last step, s
        self.foreseen: tuple[Floats, list[Contact]] | None = None  # joint forces and contacts before the first step
        self.moved: Moved | None = None  # what the user has set since joints were last closed
        self._figures: tuple[Built, Figures] | None = None
        self.holds: dict[int, int] = {}  # how often each row of State.grab was taken
        self.pins: dict[str, Pin] = {}
        self.pins_changed: Callable[[], None] = lambda: None  # called when there are other pins
        self.springs = {joint.name: Spring(joint) for joint in scene.joints}
        self.stiffness_scale = 1.0
        self.columns = COLUMNS[0]
        self.timed_from = 0  # step at which `World.timed` was set
        self.kernels = Kernels(self)
        self.forces = JointForces(self)

    def use(self, built: Built) -> None:
        """Replace the arrays of the engine by these."""
        self.built = built
        self.model, self.state, self.work = built.model, built.state, built.work

    @property
    def contact_method(self) -> str:
        """Name of the contact method."""
        return METHODS[self.built.touch.control[TouchControl.METHOD]] if self.built.touch else METHODS[0]

    @property
    def packs(self) -> tuple[Any, ...]:
        """Model, State and Work, as kernels take them."""
        return self.model, self.state, self.work

    def touch(self) -> Touch:
        """Return the arrays of contacts, or refuse a scene without shapes."""
        if self.built.touch is None:
            raise DefinitionError("contacts", "a scene without shapes", "a scene whose bodies have shapes")
        return self.built.touch

    def call(self, function: Any, *args: Any) -> Any:
        """Call an entry with Model, State, Work and `args`, and return its result."""
        self.filled = False
        self.kernels.provide()
        return self.kernels.call(function, None, *self.packs, *args)

    def prepare(self, what: int) -> float:
        """Fill Work for the system `what` of `driver.preparations`. Return the result of that preparation."""
        if self.stale:
            self.note_what_is_used()
        return self.call(preparations.prepare, what)

    def answer(self, law: int | None = None, request: int = Request.ALL) -> None:
        """Solve the system in Work with the present mode. With `law` (a `LimitLaw`), hard limits take part under that
        law, and their forces are written to State.limit."""
        self.check_functions()
        if law is not None:
            request |= Request.LIMIT_NOW
        self.filled = False
        self.work.control[Control.LIMIT_LAW] = LimitLaw.STEP if law is None else law
        self.work.number[Number.LIMIT_SPAN] = self.work.number[Number.DT]
        self.kernels.call(answering.answer_once, None, request, self.kernels.program_for_now().run)
        self.work.number[Number.LIMIT_STEP_WORK] = 0.0
        self.work.control[Control.LIMIT_LAW] = LimitLaw.STEP
        if law is not None:
            self.state.limit[:, HardLimits.FORCE] = self.work.limit[:, LimitWork.MEAN]
        self.work.limit[:, LimitWork.MEAN] = 0.0
        self.work.control[Control.FACTORS] += 1
        self.work.control[Control.SOLVES] += 1

    def refresh(self) -> None:
        """Compute Work for the present state, if something was set since it was last computed."""
        if self.stale:
            self.note_what_is_used()
            self.work.control[Control.STEP_TASK] = StepTask.REFRESH
            self.call(stepping.attend)
            self.check_functions()
            self.stale = False

    def wake(self) -> None:
        """Wake all bodies that sleep."""
        wake(self.touch())

    def note_what_is_used(self) -> None:
        """Write to Work.control which features the figure uses, and mark Work as not filled."""
        self.filled = False
        needs.note_what_is_used(self.model, self.state, self.work)

    def mark_changed(self) -> None:
        """Mark Work as out of date after the user has set something, and wake sleeping bodies."""
        self.stale = True
        self.foreseen = None
        self.work.control[Control.FRESH] = 0
        if self.built.touch:
            wake(self.built.touch)

    def coordinates(self) -> Floats:
        """Return the joint coordinates (edges, 3) [rad or m]. Work is out of date afterwards."""
        out = np.zeros((len(self.state.memory), 3))
        self.call(preparations.coordinates, out)
        self.stale = True
        return out

    def use_solver(self, name: str) -> None:
        """Switch to the solver mode of this name. Refuse a figure that the mode cannot solve, without any change."""
        choose("solver", name, MODES)
        mode = MODES[name]
        why = refusal(mode, self.model, {row: k for k, row in self.built.joint_row.items()})
        if why:
            raise DefinitionError("solver", name, why)
        self.use_mode(mode, mode.make_space(self.model))  # `make_space` may refuse too

    def use_mode(self, mode: Mode, space: Any) -> None:
        """Use this solver mode with its workspace `space`, and mark Work as out of date."""
        self.mode, self.space = mode, space
        self.work.control[Control.WITH_ROWS] = int(mode.wants_rows)
        self.set_columns()
        self.mark_changed()

    @contextmanager
    def answered_in_linear_time(self) -> Iterator[None]:
        """Use the mode `fused` inside the `with` block, whatever the mode of steps is. Assembly may need many Newton
        steps. `fused` solves any figure in a time that is linear in the number of its bodies; the time of `dense` grows
        with the cube of that number."""
        mode, space, program = self.mode, self.space, self.kernels.program
        if mode.name == "fused":
            yield
            return
        fused = MODES["fused"]
        self.use_mode(fused, fused.make_space(self.model))
        try:
            yield
        finally:
            self.use_mode(mode, space)
            self.kernels.program = program

    def set_columns(self) -> None:
        """Write to Work.control how the columns of auxiliary rows are computed: in the way that the user chose, if mode
        and figure allow it, else in a plainer one."""
        fused = self.mode.name == "fused"
        # the symmetric form needs rows whose forces act along them
        kept = self.work.auxiliary.islands.wide.shape[0] > 0 and self.work.auxiliary.force_jacobian.shape[0] == 1
        self.work.control[Control.PATH_COLUMNS] = int(fused and self.columns != "plain")
        self.work.control[Control.HALVES] = int(fused and self.columns == "halves" and kept)

    def check_functions(self) -> None:
        """Raise a CannotContinueError if one of the user's functions raised an exception while kernels called it."""
        trouble = self.built.callbacks.trouble
        if trouble:
            definition, error = trouble[0]
            trouble.clear()
            raise CannotContinueError(
                f"the function of {definition.label} failed with {type(error).__name__}: {error}. "
                "The last good state is kept."
            ) from error

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Restore state, settings and counters at the end of the `with` block."""
        self.refresh()
        contacts = None if self.built.touch is None else warm_starts(self.built.touch)
        arrays, span = self.built.live(), self.span
        before = [array.copy() for array in arrays]
        try:
            yield
        finally:
            for array, copy in zip(arrays, before, strict=True):
                array[...] = copy
            if contacts is not None:
                self.built = replace(self.built, touch=with_warm_starts(self.touch(), contacts))
            self.span = span
            self.stale, self.filled = True, False

    def relink(
        self, pins: dict[str, Pin], room: int | None = None, limits: Floats | None = None, anticipated: bool = False
    ) -> None:
        """Rebuild the arrays of the figure with these pins, with capacity for `room` grabs, and with these rows of hard
        limits. With `anticipated` they also get capacity for contact rows. If an argument is None, the present value
        stays."""
        room = len(self.state.grab) if room is None else room
        if self.state.pose.shape[1] > PoseColumn.SHAPE:
            self.refresh()  # the inertia depends on the scales, and the softness of edges on the inertia
        self.forces.shared = None
        self.use(self.relinked(pins, room, limits, anticipated))
        self.set_columns()
        before, self.pins = self.pins, pins
        springs = {k: spring for k, spring in self.springs.items() if k not in before or pins.get(k) == before[k]}
        self.springs = {k: Spring(pin.joint) for k, pin in pins.items()} | springs
        self.pins_changed()
        self.mark_changed()

    def relinked(self, pins: dict[str, Pin], room: int, limits: Floats | None, anticipated: bool = False) -> Built:
        """Return the arrays of the figure with these pins, without using them. Pins are identified by name: if a name
        stays and its pin has changed, the old pin is removed first."""
        built = self.built
        stay = [pin for k, pin in self.pins.items() if pins.get(k, pin) == pin]
        if len(stay) < len(self.pins):
            built = relink(built, stay, room)
        return relink(built, list(pins.values()), room, limits, anticipated)

    def is_particle(self, row: int) -> bool:
        """Return whether the body in a row is a particle."""
        return bool(self.model.topology[row, Topology.BODY_KIND] == BodyKind.PARTICLE)

    def has_particle(self, row: int) -> bool:
        """Return whether one of the two bodies of an edge is a particle."""
        edge = self.built.edge(row)
        ends = (edge[Topology.CHILD], edge[Topology.PARENT])
        return any(r >= 0 and self.model.topology[r, Topology.BODY_KIND] == BodyKind.PARTICLE for r in ends)

    def signal_in(self, row: int) -> tuple[float | Signal, bool]:
        """Return the signal in a row of Model.signals, and whether its integral is used."""
        tables = self.model.signals
        return shown(tables, row), bool(tables.table[row, INTEGRATED])

    def replace_signal(self, row: int, value: float | Signal, integrated: bool) -> None:
        """Replace the signal in a row of Model.signals. With `integrated` the integral of the signal is used, and
        continues from the present value."""
        now = float(self.work.number[Number.TIME])
        values = np.zeros((len(self.work.signal), 3))
        evaluate_at(self.model.signals, now, values)
        before = values[row, 0]
        tables = replaced(self.model.signals, row, value, integrated)
        if integrated:
            evaluate_at(tables, now, values)
            tables.keys[tables.table[row, FIRST], 0] = before - values[row, 0]
        self.use_signals(tables)
        self.mark_changed()

    def use_signals(self, signals: Signals) -> None:
        """Use these tables of signals."""
        self.use(replace(self.built, model=self.model._replace(signals=signals)))

    def note_moved(self, row: int, what: str) -> None:
        """Store the present poses before the user sets the pose of a body, so that joints can be closed around it
        later. `what` names the set of `Moved` to which the row is added."""
        if self.moved is None:
            self.moved = Moved(self.state.pose.copy(), self.state.memory.copy())
        getattr(self.moved, what).add(row)

    def settle(self, most: float = CLOSED) -> None:
        """Assemble the figures around the bodies that were set, if joints are open by more than `most` [m or rad]. A
        refusal restores all bodies."""
        moved, self.moved = self.moved, None
        if moved is None:
            return
        Settling(self, moved, self.tied_figures()).run(most)

    def tied_figures(self) -> Figures:
        """Return the figures of the model, computed once for each set of arrays."""
        if self._figures is None or self._figures[0] is not self.built:
            self._figures = self.built, Figures(self.model)
        return self._figures[1]

    def strike(self, force: Floats | None = None, push: Floats | None = None) -> None:
        """Change State.velocity by impulses on bodies (`force`, rows of Work.force) or along joint axes (`push`). The
        change dv is the solution of M dv - J^T l = impulse, J dv = 0. Present contacts take part."""
        with self.touching():
            self.prepare(preparations.Preparation.IMPULSE)
            if force is not None:
                self.work.force[:] = force
            if push is not None:
                self.work.row[:, Rows.PUSH : Rows.PUSH + 3] = push
            self.answer(LimitLaw.IMPULSE)
        self.state.velocity[:] += self.work.velocity
        self.mark_changed()

    @contextmanager
    def touching(self) -> Iterator[None]:
        """Find the present contacts, and make them rows of the anticipation inside the `with` block, whatever the
        contact method of steps is. Contacts then take part in an impulse at once and exactly."""
        if self.built.touch is None or self.contact_method == "none":
            yield
            return
        if not self.built.anticipated:
            self.relink(self.pins, anticipated=True)
        method = self.contact_method
        self.touch().control[TouchControl.METHOD] = Method.ANTICIPATION
        try:
            self.find_contacts()
            yield
        finally:
            self.touch().control[TouchControl.METHOD] = METHODS.index(method)

    def find_contacts(self) -> None:
        """Write the present contacts to the arrays of collision detection, which grow if necessary."""
        while True:
            touch = self.touch()
            if self.kernels.call(detect_contacts, None, self.model, self.state, self.work, touch) == Found.DONE:
                return
            self.built = replace(self.built, touch=with_more_room(touch, int(touch.control[TouchControl.SHORT])))

    def in_scene_order(self, rows: Floats) -> Floats:
        """Return rows of bodies, given in the order of the arrays, in the order of the scene."""
        out = np.empty_like(rows)
        out[self.built.forest.order] = rows
        return out

    def read_contacts(self, span: float) -> list[Contact]:
        """Return the contacts as values; `span` [s] is the length of the step in which their impulses acted."""
        return read_contacts(self.touch(), self.built.owners, span)

    @property
    def last_span(self) -> float:
        """Length of the last step [s]; 0 before the first step."""
        return self.span if int(self.work.control[Control.STEP]) > 0 else 0.0

    def apply_spring(self, name: str) -> None:
        """Write the stiffness of a joint's spring, times `stiffness_scale`, and its damping to Model.joint. The
        stiffness is 0 while the spring is switched off."""
        spring = self.springs[name]
        row = self.built.joint_row.get(name)
        if spring.values["stiffness"] and row is not None:
            order = spring.order
            k = self.stiffness_scale if spring.on else 0.0
            joint = self.model.joint[row]
            joint[Joints.STIFFNESS : Joints.STIFFNESS + 3][order] = k * np.array(spring.values["stiffness"])
            joint[Joints.DAMPING : Joints.DAMPING + 3][order] = np.array(spring.values["damping"])
            edge = self.built.edge(row)
            edge[Topology.FLAGS] = spring_flags(edge, joint)
        self.mark_changed()

    def accelerations(self) -> Floats:
        """Return the accelerations of all bodies at the present state (n, 6), or (n, 9) if some body stretches, in the
        order of the scene. They come from the present solver mode, and joint forces are set to the corresponding
        multipliers."""
        self.prepare(preparations.Preparation.ACCELERATIONS)
        self.answer(LimitLaw.ACCELERATION)
        self.forces.set(self.work.wrench)
        return self.in_scene_order(self.work.velocity)

    def first_order_velocities(self) -> Floats:
        """Return the velocities of all bodies (n, 6), or (n, 9) if some body stretches, in the order of the scene. They
        follow from the law f = m v, with the applied forces and posing friction. Joint forces are set to the
        corresponding multipliers."""
        self.prepare(preparations.Preparation.FIRST_ORDER)
        self.answer(LimitLaw.STEP)
        self.forces.set(self.work.wrench)
        return self.in_scene_order(self.work.velocity)
