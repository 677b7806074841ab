"""`Engine`: what a `World`, its views and its parts work on."""

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
from physics.driver import answering, preparations
from physics.integrators import stepping
from physics.solvers.modes import MODES, Mode, refusal
from physics.world.assembly import CLOSED, Figures, Moved, Settling
from physics.world.checks import HopelessError, choose
from physics.world.compiling import Kernels
from physics.world.joint_forces import JointForces
from physics.world.noticing import note_what_is_used
from physics.world.settings import Spring
from physics.world.touching import Contact, read_contacts


class Engine:
    """The arrays of a figure, the solver mode that answers for it, and what of Work is up to date. All of it is public
    within this room; for users `World` is the face, and no name here is promised to stay.

    Work is derived from the state and the settings: `mark_changed` says that one of these was set from outside, and
    `refresh` derives Work anew if it has to be."""

    def __init__(self, scene: Scene):
        self.use(build(scene))
        self.mode: Mode
        self.space: Any  # of the mode
        self.stale = True  # something was set from outside since Work was derived
        self.filled = False  # Work is as the last step left it: filled and measured at the present state
        self.span = scene.timestep  # of the last step, s
        self.foreseen: tuple[Floats, list[Contact]] | None = None  # joint forces and contacts before the first step
        self.moved: Moved | None = None  # what was set from outside since joints were last closed
        self._figures: tuple[Built, Figures] | None = None
        self.holds: dict[int, int] = {}  # of each row of State.grab, how often it was taken
        self.pins: dict[str, Pin] = {}
        self.pins_changed: Callable[[], None] = lambda: None  # called when there are other pins
        self.springs = {joint.name: Spring(joint) for joint in scene.joints}
        self.stiffness_scale = 1.0
        self.columns = COLUMNS[0]
        self.timed_from = 0  # step at which `World.timed` was set
        self.kernels = Kernels(self)
        self.forces = JointForces(self)

    def use(self, built: Built) -> None:
        """These arrays from now on."""
        self.built = built
        self.model, self.state, self.work = built.model, built.state, built.work

    @property
    def contact_method(self) -> str:
        return METHODS[self.built.touch.control[TouchControl.METHOD]] if self.built.touch else METHODS[0]

    @property
    def packs(self) -> tuple[Any, ...]:
        return self.model, self.state, self.work

    def touch(self) -> Touch:
        if self.built.touch is None:
            raise DefinitionError("contacts", "a scene without shapes", "a scene whose bodies have shapes")
        return self.built.touch

    def call(self, function: Any, *args: Any) -> Any:
        """Call an entry with Model, State, Work and `args`."""
        self.filled = False
        self.kernels.provide()
        return self.kernels.call(function, None, *self.packs, *args)

    def prepare(self, what: int) -> float:
        if self.stale:
            note_what_is_used(self)
        return self.call(preparations.prepare, what)

    def answer(self, law: int | None = None, request: int = Request.ALL) -> None:
        """The present system solved by the present mode; with a law, hard limits take part."""
        self.check_functions()
        if law is not None:
            request |= Request.LIMIT_NOW
        self.filled = False
        self.work.control[Control.LIMIT_LAW] = LimitLaw.STEP if law is None else law
        self.work.number[Number.LIMIT_SPAN] = self.work.number[Number.DT]
        self.kernels.call(answering.answer_once, None, request, self.work.control, *self.kernels.tables())
        self.work.number[Number.LIMIT_STEP_WORK] = 0.0
        self.work.control[Control.LIMIT_LAW] = LimitLaw.STEP
        if law is not None:
            self.state.limit[:, HardLimits.FORCE] = self.work.limit[:, LimitWork.MEAN]
        self.work.limit[:, LimitWork.MEAN] = 0.0
        self.work.control[Control.FACTORS] += 1
        self.work.control[Control.SOLVES] += 1

    def refresh(self) -> None:
        if self.stale:
            note_what_is_used(self)
            self.work.control[Control.STEP_TASK] = StepTask.REFRESH
            self.call(stepping.attend)
            self.check_functions()
            self.stale = False

    def wake(self) -> None:
        """Wake all bodies that sleep."""
        wake(self.touch())

    def mark_changed(self) -> None:
        """Something was set from outside: what is derived from it is derived anew when it is needed."""
        self.stale = True
        self.foreseen = None
        self.work.control[Control.FRESH] = 0
        if self.built.touch:
            wake(self.built.touch)

    def coordinates(self) -> Floats:
        out = np.zeros((len(self.state.memory), 3))
        self.call(preparations.coordinates, out)
        self.stale = True
        return out

    def use_solver(self, name: str) -> None:
        """Switch to the solver mode of this name. A mode that refuses the figure changes nothing."""
        choose("solver", name, MODES)
        mode = MODES[name]
        why = refusal(mode, self.model, {row: k for k, row in self.built.joint_row.items()})
        if why:
            raise DefinitionError("solver", name, why)
        self.use_mode(mode, mode.make_space(self.model))  # `make_space` may refuse too

    def use_mode(self, mode: Mode, space: Any) -> None:
        self.mode, self.space = mode, space
        self.work.control[Control.WITH_ROWS] = int(mode.wants_rows)
        self.set_columns()
        self.mark_changed()

    @contextmanager
    def answered_in_linear_time(self) -> Iterator[None]:
        """What is asked for inside, many Newton steps perhaps, is answered by `fused`, which holds every figure in a
        time that grows with the number of bodies, whatever the mode of steps: that of `dense` grows with its cube."""
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
        fused = self.mode.name == "fused"
        # the symmetric form is one of workless rows
        kept = self.work.auxiliary.islands.wide.shape[0] > 0 and self.work.auxiliary.force_jacobian.shape[0] == 1
        self.work.control[Control.PATH_COLUMNS] = int(fused and self.columns != "plain")
        self.work.control[Control.HALVES] = int(fused and self.columns == "halves" and kept)

    def check_functions(self) -> None:
        """What the user's functions raised while kernels called them"""
        trouble = self.built.callbacks.trouble
        if trouble:
            definition, error = trouble[0]
            trouble.clear()
            raise HopelessError(
                f"the function of {definition.label} failed with {type(error).__name__}: {error}. "
                "The last good state is kept."
            ) from error

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is computed inside leaves the state, the settings and the counters as they were."""
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
        """The same figure with these pins, room for so many grabs and (once) for contacts as rows, and these limits."""
        room = len(self.state.grab) if room is None else room
        if self.state.pose.shape[1] > PoseColumn.SHAPE:
            self.refresh()  # inertia follows the scales, and how softly edges turn the inertia
        self.forces.shared = None
        self.use(self.relinked(pins, room, limits, anticipated))
        self.set_columns()
        before, self.pins = self.pins, pins
        springs = {k: spring for k, spring in self.springs.items() if k not in before or pins.get(k) == before[k]}
        self.springs = {k: Spring(pin.joint) for k, pin in pins.items()} | springs
        self.pins_changed()
        self.mark_changed()

    def relinked(self, pins: dict[str, Pin], room: int, limits: Floats | None, anticipated: bool = False) -> Built:
        """Pins stay by their names: one that is another under the same name goes first."""
        built = self.built
        stay = [pin for k, pin in self.pins.items() if pins.get(k, pin) == pin]
        if len(stay) < len(self.pins):
            built = relink(built, stay, room)
        return relink(built, list(pins.values()), room, limits, anticipated)

    def is_particle(self, row: int) -> bool:
        return bool(self.model.topology[row, Topology.BODY_KIND] == BodyKind.PARTICLE)

    def has_particle(self, row: int) -> bool:
        edge = self.built.edge(row)
        ends = (edge[Topology.CHILD], edge[Topology.PARENT])
        return any(r >= 0 and self.model.topology[r, Topology.BODY_KIND] == BodyKind.PARTICLE for r in ends)

    def told(self, row: int) -> tuple[float | Signal, bool]:
        """A signal, and whether it is its integral that counts."""
        tables = self.model.signals
        return shown(tables, row), bool(tables.table[row, INTEGRATED])

    def tell(self, row: int, value: float | Signal, integrated: bool) -> None:
        """Another signal in the place of one. An integral goes on from where it is."""
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
        self.use(replace(self.built, model=self.model._replace(signals=signals)))

    def note_moved(self, row: int, what: str) -> None:
        """The place, the turn or something else of a body is about to be set: joints are closed around it later."""
        if self.moved is None:
            self.moved = Moved(self.state.pose.copy(), self.state.memory.copy())
        getattr(self.moved, what).add(row)

    def settle(self, most: float = CLOSED) -> None:
        """Assemble the figures around what was set, if joints are open by more than `most`; a refusal puts all bodies
        back to where they were before."""
        moved, self.moved = self.moved, None
        if moved is None:
            return
        Settling(self, moved, self.tied_figures()).run(most)

    def tied_figures(self) -> Figures:
        if self._figures is None or self._figures[0] is not self.built:
            self._figures = self.built, Figures(self.model)
        return self._figures[1]

    def strike(self, force: Floats | None = None, push: Floats | None = None) -> None:
        """M dv - J^T l = impulse, J dv = 0"""
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
        """What touches now is found, and is rows of the anticipation, whatever answers contacts in steps: a blow is met
        at once and exactly."""
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
        """What touches now"""
        while True:
            touch = self.touch()
            if self.kernels.call(detect_contacts, None, self.model, self.state, self.work, touch) == Found.DONE:
                return
            self.built = replace(self.built, touch=with_more_room(touch, int(touch.control[TouchControl.SHORT])))

    def in_scene_order(self, rows: Floats) -> Floats:
        out = np.empty_like(rows)
        out[self.built.forest.order] = rows
        return out

    def read_contacts(self, span: float) -> list[Contact]:
        return read_contacts(self.touch(), self.built.owners, span)

    @property
    def last_span(self) -> float:
        """Length of the last step, s; 0 before the first"""
        return self.span if int(self.work.control[Control.STEP]) > 0 else 0.0

    def apply_spring(self, name: str) -> None:
        """Write a joint's spring, as set and scaled, to the model."""
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
        """(n, 6) of the present state by the present solver (n, 9 where some body stretches), in the order of the
        scene's bodies; sets the joints' forces to those that go with it."""
        self.prepare(preparations.Preparation.ACCELERATIONS)
        self.answer(LimitLaw.ACCELERATION)
        self.forces.set(self.work.wrench)
        return self.in_scene_order(self.work.velocity)

    def first_order_velocities(self) -> Floats:
        """(n, 6) velocities of the law f = m v under the applied forces (n, 9 where some body stretches), with the
        posing friction; sets the joints' forces to the multipliers that go with it."""
        self.prepare(preparations.Preparation.FIRST_ORDER)
        self.answer(LimitLaw.STEP)
        self.forces.set(self.work.wrench)
        return self.in_scene_order(self.work.velocity)
