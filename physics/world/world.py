"""`World`: the one public face of the physics. `physics/README.md` has an example."""

import gc
import hashlib
import itertools
import json
import math
import struct
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from physics.build.build import Built, Pin, build, relink, spring_flags
from physics.compiler.clock import tick_length
from physics.compiler.helper_process import leave, share
from physics.compiler.jit import Wanted, compilation_is_off, compilation_news
from physics.compiler.lazy import provide, wanted as far_entries
from physics.contacts.touch import (
    DEFAULT_TOLERANCE, Touch, detect_contacts, wake, warm_starts, with_more_room, with_warm_starts,
)  # fmt: skip
from physics.data.contact_tables import CONTACT_LAWS, METHODS, Found, Method, TouchControl, TouchNumber
from physics.data.model_tables import Bodies, BodyKind, Joints, Path, Topology, TreePlace
from physics.data.state_tables import DriveGiven, Drives, Grabs, HardLimits, Memory, PoseColumn
from physics.data.step_tables import (
    CORRECTIONS, INTEGRATORS, ORDERS, Control, LimitLaw, Number, Request, Status, StepTask,
)  # fmt: skip
from physics.data.work_tables import ANTICIPATION_STEPS, LimitWork, MeanWrench, Rows
from physics.data.model import Floats, Signals
from physics.definitions.actuators import Drive
from physics.definitions.motions import Motor
from physics.definitions.rotations import quaternion_product
from physics.definitions.actuator import Actuator
from physics.definitions.bodies import Body, Fixed, Massless, Particle, PlanarBody
from physics.definitions.checks import DefinitionError, DefinitionWarning, flag, number
from physics.definitions.couplings import Coupling, Linkage
from physics.definitions.joints import Ball, Joint, Weld
from physics.definitions.scene import Scene
from physics.definitions.signal import Signal
from physics.definitions.signals import FIRST, INTEGRATED, KEY, evaluate_at, replaced, shown
from physics.definitions.spellings import Sealed
from physics.driver import answering, needs, preparations, step as whole_step, units
from physics.integrators import acceptance, stepping
from physics.links.islands import dependent_rows, taut_rows
from physics.maths.strict import norms
from physics.solvers.modes import MODES, Mode, refusal
from physics.world.assembly import CLOSED, Closing, Figures, Moved, Settling
from physics.world.drive_views import DriveView, MediumView, TargetSpringView
from physics.world.grabs import Grab
from physics.world.measure import Energy, Momentum, measure_energy, measure_gaps, measure_momentum, state_hash
from physics.world.reach import missed_contacts
from physics.world.self_stress import share_wrenches
from physics.world.starting import foresee, take_out_forbidden
from physics.world.touching import Contact, ContactSolution, read_contacts, read_solution
from physics.world.views import (
    BodyView, ConditionView, CouplingView, FixedView, FoldedView, JointView, MotorView, Named, Spring, vector,
)  # fmt: skip

SNAPSHOT_VERSION = 13
# A second correction sweep is asked for above this gap, which keeps every accepted step well under 1e-6.
GAP_TOLERANCE = 3e-7
CG_TOLERANCE = 1e-12
# ks and kd: gaps close as exp(-30 t) (1 + 30 t), which steps of 1/60 s can follow
FEEDBACK = (900.0, 60.0)
COLUMNS = ("halves", "paths", "plain")
CONTACT_METHODS = METHODS
CONTACT_TOLERANCE, GREATEST_TOLERANCE = DEFAULT_TOLERANCE, 0.1
FREE_CORRECTION = ("implicit", "explicit", "rk4")  # integrators whose order does not rest on closed joints
SLICE, MOST_STEPS = 0.1, 256  # s and steps between two looks at signals: the next ones may take longer
FASTEST = 1e150  # m/s or rad/s: squares of what is faster overflow
MANY_YOUNG = 100_000  # objects made with the garbage collector off, from which on something has been compiled


class HopelessError(RuntimeError):
    """A step that even the guard could not take. The world keeps its last good state, with joints closed: once the
    cause is gone the next step can be taken."""


class Program:
    """The tables that the driver goes by, and for what they were made. It is asked at every call of `World.step`, which
    a step of a small figure takes no longer than."""

    def __init__(self, world: "World", tables: tuple[Any, ...]):
        self.tables = tables
        self.mode, self.space = world._mode, world._space
        self.model, self.state, self.work = world._packs
        self.touch = world._built.touch
        self.settings = units.settings(self.work.control)
        self.contacts = self.contact_settings()

    def contact_settings(self) -> tuple[int, int] | None:
        control = None if self.touch is None else self.touch.control
        return None if control is None else (int(control[TouchControl.METHOD]), int(control[TouchControl.SLEEPING]))

    def fits(self, world: "World") -> bool:
        return (
            self.work is world._work
            and self.mode is world._mode
            and self.space is world._space
            and self.model is world._model
            and self.state is world._state
            and self.touch is world._built.touch
            and self.settings == units.settings(self.work.control)
            and self.contacts == self.contact_settings()
        )


class Now:
    """What is known of a world at its present state. Each step sets it, which takes a hundredth of the time that it
    takes to set an attribute of a `Sealed` world."""

    __slots__ = ("filled", "foreseen", "span", "stale")

    def __init__(self, span: float):
        self.stale = True  # something was set from outside
        self.filled = False  # Work is as the last step left it: filled and measured at the present state
        self.span = span  # of the last step, s
        self.foreseen: tuple[Floats, list[Contact]] | None = None  # joint forces and contacts before the first step


class World(Sealed):
    """Bodies and joints in motion. What it is made of is reached by name, `world.bodies["rod"].position`, and read and
    set while it moves; quantities are in SI units, in world axes.

    `bodies`: all bodies of the scene (`BodyView`; `FixedView` of those that are fixed or move as they are told)
    `joints`: joints, motors, springs and constraints between two bodies (`JointView`; `MotorView`)
    `couplings`: sums of joint coordinates (`CouplingView`), conditions on several bodies (`ConditionView`)
    `drives`: drives of joints (`DriveView`), target springs of bodies (`TargetSpringView`)
    `pins`: what `pin` made (`JointView`)
    `grabs`: what `grab` made and was not released (`Grab`)
    `medium`: density, viscosity and wind (`MediumView`), or None
    `foresees`: whether forces that are read before the first step are computed; else they are 0

    To run: `step`, `time`, `steps`. To choose, at any time: `timestep`, `gravity`, `use_solver`, `use_integrator`,
    `order`, `correction`, `contact_method`, `contact_tolerance`, `stiffness_scale`, `drives_on`, `sleeping`. To read:
    `energy()`, `momentum()`, `contacts()`, `gaps()`, `poses()`, `largest_gap`, `accelerations()`. To come back to:
    `snapshot()`, `restore`, `state_hash()`. What a number means is said where it is defined: `help(World.energy)`."""

    bodies: Named[Any]
    joints: Named[Any]
    couplings: Named[Any]
    drives: Named[Any]
    pins: Named[JointView]
    medium: MediumView | None
    foresees: bool

    def __init__(
        self,
        scene: Scene,
        *,
        solver: str = "fused",
        integrator: str = "trbdf2",
        guard: bool = True,
        advise: bool = True,
    ):
        """`advise`: whether contacts that joints switch off, and that would be missed, are warned of."""
        if not isinstance(scene, Scene):
            raise DefinitionError(
                "scene", type(scene).__name__, "a physics.definitions.scene.Scene (of a file: scenes.load)"
            )
        self._built: Built = build(scene)
        self._model = self._built.model
        self._state = self._built.state
        self._work = self._built.work
        self._now = Now(scene.timestep)
        self._moved: Moved | None = None  # what was set from outside since joints were last closed
        self._figures: tuple[Built, Figures] | None = None
        self._needs: tuple[Any, set[str], set[str] | None] = None, set(), None
        self._program: Program | None = None
        self._shared: tuple[list[Floats], Floats] | None = None  # joint forces as they are read, and what they are of
        self._stiffness_scale = 1.0
        # Whether forces of joints and contacts are found when they are read before the first step; else they are 0. For
        # programs that must not compile whenever something is looked at.
        self.foresees = True
        self._springs = {joint.name: Spring(joint) for joint in scene.joints}
        self._holds: dict[int, int] = {}  # of each row of State.grab, how often it was taken
        self._pins: dict[str, Pin] = {}
        x, c = self._work.number, self._work.control
        x[Number.DT] = scene.timestep
        x[Number.GRAVITY : Number.GRAVITY + 3] = scene.gravity
        x[Number.GAP_TOLERANCE] = GAP_TOLERANCE
        x[Number.POSING_SCALE] = 1.0
        x[Number.ENERGY] = math.nan  # not measured yet
        x[Number.CREDIT] = acceptance.MOST_CREDIT
        x[Number.LEASH] = 1.0
        x[Number.TOLERANCE] = CG_TOLERANCE
        x[Number.FEEDBACK_KS], x[Number.FEEDBACK_KD] = FEEDBACK
        c[Control.GUARD] = int(flag("guard", guard))
        c[Control.GEOMETRIC] = 1
        by_name = {joint.name: joint for joint in scene.joints}
        self.bodies = Named("bodies", {b.name: self._view(b) for b in self._built.scene.bodies}, self)
        rows = self._built.joint_row
        self.joints = Named("joints", {k: self._joint_view(by_name[k]) for k in by_name if k in rows}, self)
        self.couplings = Named("couplings", {c.name: self._linkage_view(c) for c in scene.couplings}, self)
        self.drives = Named("drives", {d.name: self._drive_view(d) for d in scene.drives}, self)
        self.medium = None if scene.medium is None else MediumView(self)
        self.pins = Named("pins", {}, self)
        self._columns = COLUMNS[0]
        self._timed_from = 0
        self._slice = 1  # steps that are run without a look at signals
        self.use_solver(solver)
        self.use_integrator(integrator)
        for missed in missed_contacts(self._built.scene) if advise else ():
            warnings.warn(missed.sentence, DefinitionWarning, stacklevel=2)
        take_out_forbidden(self)

    def _view(self, body: Body | Particle | PlanarBody | Massless | Fixed) -> Any:
        if isinstance(body, Fixed):
            return FixedView(self, body, self._built.frame_row.get(body.name, -1))
        return BodyView(self, body.name, self._built.body_row[body.name])

    def _joint_view(self, joint: Joint) -> JointView:
        place = self._built.places.get(joint.name)
        if place is not None:
            return FoldedView(self, joint, place)
        return MotorView(self, joint) if isinstance(joint, Motor) else JointView(self, joint)

    def _linkage_view(self, linkage: Linkage) -> CouplingView | ConditionView:
        return CouplingView(self, linkage) if isinstance(linkage, Coupling) else ConditionView(self, linkage)  # type: ignore[arg-type]

    def _drive_view(self, drive: Actuator) -> Any:
        return DriveView(self, drive) if isinstance(drive, Drive) else TargetSpringView(self, drive)  # type: ignore[arg-type]

    # ------------------------------------------------------------ running
    def step(self, count: int = 1, *, progress: Callable[[str, int], None] | None = None) -> None:
        """Run whole steps inside compiled code. Figures of which bodies were set are assembled around these before; a
        place out of reach is a DefinitionError, and puts all bodies back. `progress(name, number)` is called while
        kernels are compiled, which happens once for each solver mode and is kept on disk. However many steps there are,
        Ctrl-C ends them after a few tenths of a second, or after the one that is being taken; the world is then where
        that step left it."""
        if type(count) is not int or count < 0:
            if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 0:
                raise DefinitionError("count of steps", count, "a whole number, 0 or more")
            count = int(count)
        if self._moved is not None:
            # what the correction by feedback closes in time is left to it
            self._settle(acceptance.FEEDBACK_GAP_LIMIT if self.correction == "feedback" else CLOSED)
        control = self._work.control
        now = self._now
        if count > 0:
            now.foreseen = None
            now.span = self.timestep
        control[Control.STATUS] = 0  # tried again: the trouble may have been mended
        self._run(count, control, progress)
        now.stale = False
        self._check_functions()
        status = control[Control.STATUS]
        if status == Status.NOT_FINITE:
            raise DefinitionError("state", "not finite", "finite poses and velocities")
        if status != 0:
            raise HopelessError(self._trouble() + self._recover())
        now.filled = True

    def _run(self, count: int, control: Any, progress: Callable[[str, int], None] | None) -> None:
        """Whole steps in compiled code, with more room for contacts where it is needed. Many steps are run in slices:
        while compiled code runs, Python answers no signal, so Ctrl-C would have to wait for the last of them."""
        now = self._now
        control[Control.LACKING] = 0
        while True:
            tables = self._tables(progress)
            # what a step left filled the next one need not fill anew: a sixth of the time of a large figure's step
            control[Control.STEP_TASK] = StepTask.BEGIN_STEP if self._now.filled else StepTask.REFRESH
            now.filled = False
            asked, begin = min(count, self._slice), time.perf_counter()
            count -= self._drive(progress, asked, control, *tables)
            now.stale = False
            touch = self._built.touch
            if touch is not None and touch.control[TouchControl.SHORT] != Found.DONE:
                if count:
                    self._built = replace(
                        self._built, touch=with_more_room(touch, int(touch.control[TouchControl.SHORT]))
                    )
                    continue
            elif control[Control.LACKING] != 0:
                # by another process, if that can be: compiling here stops all threads
                leave(units.redoing_entries(self._packs), lambda: True)
                self.compile_redoing(progress)
                continue
            if count == 0 or control[Control.STATUS] != 0 or self._built.callbacks.trouble:
                return
            self._pace(asked, time.perf_counter() - begin)
            self._now.filled = True

    def _pace(self, steps: int, seconds: float) -> None:
        """How many steps the next slice has, after one that took so long. It changes no result."""
        if seconds < 0.5 * SLICE:
            self._slice = min(2 * steps, MOST_STEPS)
        elif seconds > 2.0 * SLICE:
            self._slice = max(1, int(steps * SLICE / seconds))

    def _drive(self, progress: Callable[[str, int], None] | None, *arguments: Any) -> int:
        if getattr(whole_step.drive, "is_compiled", False):
            # nothing is packed here: looking for it takes half a microsecond
            return whole_step.drive.compiled(*arguments)
        return self._compiled(whole_step.drive, progress, *arguments)

    def compile_redoing(self, progress: Callable[[str, int], None] | None = None) -> None:
        """What a step needs that the guard rejects: compiled when there is one, as most motions have none."""
        if not compilation_is_off():
            self._compiled(units.provide_redoing, progress, self._tables(progress)[0], self._packs)

    @property
    def _packs(self) -> tuple[Any, ...]:
        return self._model, self._state, self._work

    def _compiled(self, function: Any, progress: Callable[[str, int], None] | None, *args: Any) -> Any:
        """Call an entry, or what compiles some; the first call compiles it, with news and without the garbage collector
        (a tenth of the time)."""
        if getattr(function, "is_compiled", False):
            return function(*args)
        collecting = gc.isenabled()
        gc.disable()
        try:
            if progress is None:
                return function(*args)
            with compilation_news(progress):
                return function(*args)
        finally:
            if collecting:
                if gc.get_count()[0] > MANY_YOUNG:
                    # what numba keeps of it is old at once: left young, it would be looked through now, for 0.9 s
                    others_froze = gc.get_freeze_count() > 0
                    gc.freeze()
                    if not others_froze:
                        gc.unfreeze()
                gc.enable()

    def _provide(self, progress: Callable[[str, int], None] | None = None) -> None:
        """The kernels that few figures need, as far as this one does, compiled; the first time with a child that begins
        with the others that a run needs."""
        groups = self._groups()
        _, of_model, provided = self._needs
        if provided is None or not groups <= provided:
            share(self._entries(groups), units.redoing_entries(self._packs))
            self._compiled(provide, progress, groups, self._packs)
            self._needs = self._model, of_model, groups | (provided or set())

    def _groups(self) -> set[str]:
        if self._needs[0] is not self._model:
            self._needs = self._model, needs.of_model(self._model), None
        return needs.of_run(self._needs[1], self._work.control, units.takes_rows(self._built.touch))

    def _entries(self, groups: set[str]) -> Iterator[Wanted]:
        """All that a run compiles, about in the order in which it does."""
        if compilation_is_off():
            return
        yield from far_entries(groups, self._packs)
        packs = (*self._packs, self._space)
        yield from units.run_entries(self._mode.answer, self._work.control, packs, self._built.touch)

    @property
    def uncompiled(self) -> int:
        """How many kernels the next step would compile, as they are not in the disk cache."""
        if self._now.stale:
            self._notice()
        if self._program is not None and self._program.fits(self):
            return 0
        return sum(one.is_missing(kinds) for one, kinds in self._entries(self._groups()))

    def compile_elsewhere(self, still_wanted: Callable[[], bool] = lambda: True) -> bool:
        """Wait until another process has compiled what the next step needs, as long as that is wanted. Compiling here
        stops all threads of this process and keeps hundreds of megabytes. False where it could not be done."""
        return self.uncompiled == 0 or leave(self._entries(self._groups()), still_wanted)

    def _between_steps(self, function: Any, *args: Any) -> Any:
        """Call an entry with Model, State, Work and `args`."""
        self._now.filled = False
        self._provide()
        return self._compiled(function, None, *self._packs, *args)

    def _tables(self, progress: Callable[[str, int], None] | None = None) -> tuple[Any, ...]:
        """The tables that the driver goes by, made anew where they no longer fit."""
        if self._now.stale:
            self._notice()
        if self._program is None or not self._program.fits(self):
            touch = self._built.touch
            self._provide(progress)
            packs = (*self._packs, self._space)
            made = self._compiled(units.make_tables, progress, self._mode.answer, self._work.control, packs, touch)
            self._program = Program(self, made)
            self._now.filled = False
        return self._program.tables

    def _check_functions(self) -> None:
        """What the user's functions raised while kernels called them"""
        trouble = self._built.callbacks.trouble
        if trouble:
            definition, error = trouble[0]
            trouble.clear()
            raise HopelessError(
                f"the function of {definition.label} failed with {type(error).__name__}: {error}. "
                "The last good state is kept."
            ) from error

    def _trouble(self) -> str:
        row = int(self._work.control[Control.STATUS]) - 1
        name = next((k for k, r in self._built.joint_row.items() if r == row), None)
        where = f"joint {name!r}" if name else "the figure"
        return f"no step could be taken, not even in substeps; the trouble is at {where}. The last good state is kept."

    def _recover(self) -> str:
        """After a step that could not be taken, a state from which steps go on, unless the cause is still there: a
        figure with a velocity whose square overflows stands still, and joints that stand open are closed."""
        done = ""
        fast = ~(np.abs(self._state.velocity).max(axis=1) < FASTEST)
        if fast.any():
            of = self._tied_figures().of
            self._state.velocity[np.isin(of, of[fast])] = 0.0
            self._changed()
            done += " What was faster than numbers can tell stands still now."
        self._now.stale = True
        if self.largest_gap > CLOSED:
            pose, memory = self._state.pose.copy(), self._state.memory.copy()
            closing = Closing(self)
            with self._answered_in_linear_time():
                closed = closing.close() <= CLOSED
                if closed:
                    closing.stop()
            if closed:
                return done + " Joints that stood open were closed."
            self._state.pose[:], self._state.memory[:] = pose, memory
            self._changed()
        return done

    @property
    def time(self) -> float:
        return float(self._work.number[Number.TIME])

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self._work.control[Control.STEP])

    @property
    def substepped(self) -> int:
        """Steps in which some figures were followed in substeps: of the integrator, at its order, or of `implicit`
        where contacts or limits press."""
        return int(self._work.control[Control.SUBSTEPPED])

    @property
    def redone(self) -> int:
        """Steps in which some figures were redone by the last resort of the guard, at first order: what substeps could
        not follow, or springs throw, or failed though it turned slowly. They may lose energy, `energy().lost`."""
        return int(self._work.control[Control.REDONE])

    @property
    def frozen(self) -> int:
        """Substeps of redone steps that failed too and left the figure where it was."""
        return int(self._work.control[Control.FROZEN])

    # ------------------------------------------------------------ set from outside
    def _set(self, row: int, what: str) -> None:
        """The place, the turn or something else of a body is about to be set: joints are closed around it later."""
        if self._moved is None:
            self._moved = Moved(self._state.pose.copy(), self._state.memory.copy())
        getattr(self._moved, what).add(row)

    def place(self, poses: Mapping[str, tuple[Any, Any]]) -> None:
        """Put bodies where they are told, each with a position and a quaternion (which particles have not), all at once
        and without regard to their joints: `gaps` tells how open these are then, `assemble(hold=())` closes them."""
        before, self._moved = self._moved, None
        try:
            for name, (position, quaternion) in poses.items():
                self.bodies[name].position = position
                if self.bodies[name].has_orientation:
                    self.bodies[name].quaternion = quaternion
        finally:
            self._moved = before

    def _settle(self, most: float = CLOSED) -> None:
        """Assemble the figures around what was set, if joints are open by more than `most`; a refusal puts all bodies
        back to where they were before."""
        moved, self._moved = self._moved, None
        if moved is None:
            return
        Settling(self, moved, self._tied_figures()).run(most)

    def _tied_figures(self) -> Figures:
        if self._figures is None or self._figures[0] is not self._built:
            self._figures = self._built, Figures(self)
        return self._figures[1]

    # ------------------------------------------------------------ settings, all live
    @property
    def timestep(self) -> float:
        return float(self._work.number[Number.DT])

    @timestep.setter
    def timestep(self, value: float) -> None:
        self._work.number[Number.DT] = number("timestep", value, 0.0, strict=True)
        self._now.foreseen = None

    @property
    def gravity(self) -> Floats:
        return self._work.number[Number.GRAVITY : Number.GRAVITY + 3].copy()

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._work.number[Number.GRAVITY : Number.GRAVITY + 3] = vector("gravity", value, 3)
        self._changed()

    @property
    def solver(self) -> str:
        return self._mode.name

    def use_solver(self, name: str) -> None:
        """Switch the solver mode; the state is kept in maximal coordinates, so any step will do."""
        _choose("solver", name, MODES)
        mode = MODES[name]
        why = refusal(mode, self._model, {row: k for k, row in self._built.joint_row.items()})
        if why:
            raise DefinitionError("solver", name, why)
        self._use_mode(mode, mode.make_space(self._model))  # which may refuse too: nothing is changed until it has not

    def _use_mode(self, mode: Mode, space: Any) -> None:
        self._mode, self._space = mode, space
        self._work.control[Control.WITH_ROWS] = int(mode.wants_rows)
        self._set_columns()
        self._changed()

    @contextmanager
    def _answered_in_linear_time(self) -> Iterator[None]:
        """What is asked for inside, many Newton steps perhaps, is answered by `fused`, which holds every figure in a
        time that grows with the number of bodies, whatever the mode of steps: that of `dense` grows with its cube."""
        mode, space, program = self._mode, self._space, self._program
        if mode.name == "fused":
            yield
            return
        fused = MODES["fused"]
        self._use_mode(fused, fused.make_space(self._model))
        try:
            yield
        finally:
            self._use_mode(mode, space)
            self._program = program

    @property
    def integrator(self) -> str:
        return INTEGRATORS[self._work.control[Control.INTEGRATOR]]

    def use_integrator(self, name: str) -> None:
        """Switch the integrator. All hold the velocity at the same instant as the position."""
        _choose("integrator", name, INTEGRATORS)
        self._check_correction(self.correction, name)
        self._now.foreseen = None
        self._work.control[Control.INTEGRATOR] = INTEGRATORS.index(name)

    @property
    def contact_method(self) -> str:
        """How contacts are answered: "newton", for many; "anticipation", by exact pivoting, for few; "auto": the one or
        the other by their number; or "none": they are found, and do nothing. `contact_solution` says which it was."""
        touch = self._built.touch
        return METHODS[touch.control[TouchControl.METHOD]] if touch else METHODS[0]

    @contact_method.setter
    def contact_method(self, name: str) -> None:
        _choose("contact_method", name, METHODS)
        if not self._built.touch:
            return
        self._now.foreseen = None
        if name in ("anticipation", "auto") and not self._built.anticipated:
            self._relink(self._pins, anticipated=True)
        self._touch().control[TouchControl.METHOD] = METHODS.index(name)
        wake(self._touch())

    @property
    def contact_law(self) -> str:
        """Either "exact", Coulomb's law, or "regularised", a convex model of it that both methods solve alike: by that
        contacts yield, and what slides rises. An impulse g moves the wanted normal velocity by -R g, with R = 0.01 /
        mass against what no force moves and 0.1 / mass of the heavier between two bodies; so what meets head-on with v
        and bounces gets (1 + e) m v / (1 + R m), m its effective mass."""
        touch = self._built.touch
        return CONTACT_LAWS[touch.control[TouchControl.REGULARISED]] if touch else CONTACT_LAWS[0]

    @contact_law.setter
    def contact_law(self, name: str) -> None:
        _choose("contact_law", name, CONTACT_LAWS)
        self._now.foreseen = None
        self._touch().control[TouchControl.REGULARISED] = CONTACT_LAWS.index(name)

    @property
    def sleeping(self) -> bool:
        """Whether islands of bodies that have rested on each other for half a second fall asleep: they stay where they
        are to the last bit, at next to no cost, until something touches them or anything is changed."""
        return bool(self._built.touch and self._built.touch.control[TouchControl.SLEEPING])

    @sleeping.setter
    def sleeping(self, value: bool) -> None:
        self._touch().control[TouchControl.SLEEPING] = int(flag("sleeping", value))
        self._changed()

    @property
    def contact_tolerance(self) -> float:
        """To what share of the largest contact impulse all of them obey Coulomb's law. At the default and above,
        `newton` bounds its work where many bodies lie on each other (`contact_solution.residual` says what is left)."""
        return float(self._touch().number[TouchNumber.TOLERANCE])

    @contact_tolerance.setter
    def contact_tolerance(self, value: float) -> None:
        self._now.foreseen = None
        self._touch().number[TouchNumber.TOLERANCE] = number(
            "contact_tolerance", value, 0.0, strict=True, high=GREATEST_TOLERANCE
        )

    def _touch(self) -> Touch:
        if self._built.touch is None:
            raise DefinitionError("contacts", "a scene without shapes", "a scene whose bodies have shapes")
        return self._built.touch

    @property
    def columns(self) -> str:
        """How the columns of the auxiliary matrix are found: "plain", by whole solves, as [Baraff96, section 8] has
        them and the modes other than `fused` do; "paths", by solves along the paths of its rows alone; "halves", by
        the first halves of these, in its symmetric form, where no body of the figure needs rows of its own, no group
        of links may have more than 96, and all forces act along their constraints."""
        control = self._work.control
        return "halves" if control[Control.HALVES] else "paths" if control[Control.PATH_COLUMNS] else "plain"

    @columns.setter
    def columns(self, name: str) -> None:
        _choose("columns", name, COLUMNS)
        self._columns = name
        self._set_columns()

    def _set_columns(self) -> None:
        fused = self._mode.name == "fused"
        # the symmetric form is one of workless rows
        kept = self._work.auxiliary.islands.wide.shape[0] > 0 and self._work.auxiliary.thrust.shape[0] == 1
        self._work.control[Control.PATH_COLUMNS] = int(fused and self._columns != "plain")
        self._work.control[Control.HALVES] = int(fused and self._columns == "halves" and kept)

    @property
    def timed(self) -> bool:
        """Whether the steps of the anticipation are timed."""
        return bool(self._work.control[Control.TIMED])

    @timed.setter
    def timed(self, value: bool) -> None:
        self._work.control[Control.TIMED] = int(flag("timed", value))
        self._work.clock[:] = 0
        self._timed_from = self.steps

    @property
    def correction(self) -> str:
        """How joints are kept closed: "shake" (the default; every step closes them), "feedback" (ks and kd of
        `feedback` pull them together in time [Witkin97]), "coordinates" (poses are rebuilt from the joints')."""
        return CORRECTIONS[self._work.control[Control.CORRECTION]]

    @correction.setter
    def correction(self, name: str) -> None:
        _choose("correction", name, CORRECTIONS)
        self._check_correction(name, self.integrator)
        self._work.control[Control.CORRECTION] = CORRECTIONS.index(name)

    def _check_correction(self, name: str, integrator: str) -> None:
        if name == "shake":
            return
        if integrator not in FREE_CORRECTION:
            allowed = f"'shake' with {integrator!r}; the others with {', '.join(FREE_CORRECTION)}"
            raise DefinitionError("correction", name, allowed)
        if len(self._model.signals.motion) or (self._model.joint[:, Joints.SIGNAL] >= 0).any():
            raise DefinitionError("correction", name, "'shake' where motions are prescribed")
        without = bool((self._model.topology[:, Topology.DOFS] < 0).any()) or bool(self._work.control[Control.LINKED])
        if name == "coordinates" and (without or self._state.pose.shape[1] > PoseColumn.SHAPE):
            allowed = "a tree of joints with coordinates, of bodies that do not stretch; else 'shake' or 'feedback'"
            raise DefinitionError("correction", name, allowed)

    @property
    def feedback(self) -> tuple[float, float]:
        """(ks [1/s^2], kd [1/s]) of the correction by feedback: C'' + kd C' + ks C = 0"""
        return float(self._work.number[Number.FEEDBACK_KS]), float(self._work.number[Number.FEEDBACK_KD])

    @feedback.setter
    def feedback(self, value: Any) -> None:
        ks, kd = vector("feedback", value, 2)
        self._work.number[Number.FEEDBACK_KS] = number("ks of the feedback", ks, 0.0)
        self._work.number[Number.FEEDBACK_KD] = number("kd of the feedback", kd, 0.0)

    @property
    def order(self) -> str:
        """ "dynamic", f = m a, or "kinematic", f = m v: posing, moved by applied forces alone."""
        return ORDERS[self._work.control[Control.ORDER]]

    @order.setter
    def order(self, name: str) -> None:
        _choose("order", name, ORDERS)
        if name != self.order:
            # first-order motion has no inertia: neither way does a velocity carry over
            self._state.velocity[:] = 0.0
            self._set_wrenches(0.0)
            self._changed()
        self._work.control[Control.ORDER] = ORDERS.index(name)

    @property
    def guard(self) -> bool:
        return bool(self._work.control[Control.GUARD])

    @guard.setter
    def guard(self, value: bool) -> None:
        self._work.control[Control.GUARD] = int(flag("guard", value))

    @property
    def stiffness_scale(self) -> float:
        """Multiplies the stiffness of every joint (not its damping or soft limits), 0 to 1e8."""
        return self._stiffness_scale

    @stiffness_scale.setter
    def stiffness_scale(self, value: float) -> None:
        self._stiffness_scale = number("stiffness_scale", value, 0.0, high=1e8)
        for name in self._springs:
            self._apply_spring(name)

    @property
    def drives_on(self) -> bool:
        """False switches all drives and target springs off, whatever each one's own switch says."""
        return not self._work.control[Control.DRIVES_OFF]

    @drives_on.setter
    def drives_on(self, value: bool) -> None:
        self._work.control[Control.DRIVES_OFF] = int(not flag("drives_on", value))
        self._changed()

    @property
    def posing_friction(self) -> float:
        """Multiplies the joint friction in the metric of the kinematic order; 0 leaves the masses alone."""
        return float(self._work.number[Number.POSING_SCALE])

    @posing_friction.setter
    def posing_friction(self, value: float) -> None:
        self._work.number[Number.POSING_SCALE] = number("posing_friction", value, 0.0)

    def _apply_spring(self, name: str) -> None:
        """Write a joint's spring, as set and scaled, to the model."""
        spring = self._springs[name]
        row = self._built.joint_row.get(name)
        if spring.values["stiffness"] and row is not None:
            order = (self.pins if name in self.pins else self.joints)[name]._order
            k = self._stiffness_scale if spring.on else 0.0
            joint = self._model.joint[row]
            joint[Joints.STIFFNESS : Joints.STIFFNESS + 3][order] = k * np.array(spring.values["stiffness"])
            joint[Joints.DAMPING : Joints.DAMPING + 3][order] = np.array(spring.values["damping"])
            edge = self._built.edge(row)
            edge[Topology.FLAGS] = spring_flags(edge, joint)
        self._changed()

    def _told(self, row: int) -> tuple[float | Signal, bool]:
        """A signal, and whether it is its integral that counts."""
        tables = self._model.signals
        return shown(tables, row), bool(tables.table[row, INTEGRATED])

    def _tell(self, row: int, value: float | Signal, integrated: bool) -> None:
        """Another signal in the place of one. An integral goes on from where it is."""
        now = self.time
        values = np.zeros((len(self._work.signal), 3))
        evaluate_at(self._model.signals, now, values)
        before = values[row, 0]
        tables = replaced(self._model.signals, row, value, integrated)
        if integrated:
            evaluate_at(tables, now, values)
            tables.keys[tables.table[row, FIRST], 0] = before - values[row, 0]
        self._use_signals(tables)
        self._changed()

    def _use_signals(self, signals: Signals) -> None:
        self._built = replace(self._built, model=self._model._replace(signals=signals))
        self._model = self._built.model

    def _particle_at(self, row: int) -> bool:
        edge = self._built.edge(row)
        ends = (edge[Topology.CHILD], edge[Topology.PARENT])
        return any(r >= 0 and self._model.topology[r, Topology.BODY_KIND] == BodyKind.PARTICLE for r in ends)

    def _free_row(self, what: str, body: str) -> int:
        """The row of a body that forces move; what forces do not move is neither pinned nor grabbed."""
        if body not in self._built.body_row:
            raise DefinitionError(f"body to {what}", body, "a body that forces move: this one stands still or is moved")
        return self._built.body_row[body]

    # ------------------------------------------------------------ pins
    def pin(self, body: str, point: Any = None, *, name: str | None = None) -> JointView:
        """Hold a body where it is: its whole pose, or (with `point`, a place in the world) only the point of it that is
        there now. An exact joint, in every mode; `unpin` takes it away again."""
        view, row = self.bodies[body], self._free_row("pin", body)
        if name is None:
            name = next(k for k in (f"pin {body} {i}" for i in itertools.count(1)) if k not in self._pins)
        if not isinstance(name, str) or not name:
            raise DefinitionError("name of a pin", name, "a text that is not empty")
        if name in self._pins or name in self._built.joint_row:
            raise DefinitionError("name of a pin", name, "a name that no pin, joint or coupling has")
        at = tuple(view.position if point is None else vector("point of a pin", point, 3))
        if point is None and view.has_orientation:
            joint: Ball | Weld = Weld(name=name, a="world", b=body, at=at, auxiliary=True)
        else:
            at = at if view.has_orientation else tuple(view.position)
            joint = Ball(name=name, a="world", b=body, at=at, auxiliary=True)
        pose = tuple(self._state.pose[row].tolist())
        self._relink({**self._pins, name: Pin(joint, pose)})
        return self.pins[name]

    def unpin(self, name: str) -> None:
        """Take a pin away."""
        _ = self.pins[name]
        self._relink({k: pin for k, pin in self._pins.items() if k != name})

    # ------------------------------------------------------------ grabs
    def grab(
        self, body: str, point: Any = None, kind: str = "spring", *, target: Any = None, cap: float | None = None
    ) -> Grab:
        """Take hold of a body at a point (a place in the world; its centre of mass where none is given) and pull it to
        `target`. `kind`: "spring" shows the weight of what it carries, "point" does not sag, "pose" holds the
        orientation too. `cap` is the largest force [N]; 20 times the weight of the figure where none is given."""
        view, row = self.bodies[body], self._free_row("grab", body)
        if self._state.pose.shape[1] > PoseColumn.SHAPE:
            self._fresh()  # inertia follows the scales
        place = view.position if point is None else vector("point of a grab", point, 3)
        free = np.flatnonzero(self._state.grab[:, Grabs.BODY] < 0.0)
        if not len(free):
            self._relink(self._pins, max(4, 2 * len(self._state.grab)))
            free = np.flatnonzero(self._state.grab[:, Grabs.BODY] < 0.0)
        grab = Grab(self, int(free[0]))
        grab._take(row, place, kind, target, cap)
        self._changed()
        return grab

    @property
    def grabs(self) -> list[Grab]:
        """All grabs that hold."""
        return [Grab(self, int(g)) for g in np.flatnonzero(self._state.grab[:, Grabs.BODY] >= 0.0)]

    def _relink(
        self, pins: dict[str, Pin], room: int | None = None, limits: Floats | None = None, anticipated: bool = False
    ) -> None:
        """The same figure with these pins, room for so many grabs and (once) for contacts as rows, and these limits."""
        room = len(self._state.grab) if room is None else room
        if self._state.pose.shape[1] > PoseColumn.SHAPE:
            self._fresh()  # inertia follows the scales, and how softly edges turn the inertia
        self._shared = None
        self._built = self._relinked(pins, room, limits, anticipated)
        self._model, self._state, self._work = self._built.model, self._built.state, self._built.work
        self._set_columns()
        before, self._pins = self._pins, pins
        springs = {k: spring for k, spring in self._springs.items() if k not in before or pins.get(k) == before[k]}
        self._springs = {k: Spring(pin.joint) for k, pin in pins.items()} | springs
        self.pins = Named("pins", {k: JointView(self, pin.joint) for k, pin in pins.items()}, self)
        self._changed()

    def _relinked(self, pins: dict[str, Pin], room: int, limits: Floats | None, anticipated: bool = False) -> Built:
        """Pins stay by their names: one that is another under the same name goes first."""
        built = self._built
        stay = [pin for k, pin in self._pins.items() if pins.get(k, pin) == pin]
        if len(stay) < len(self._pins):
            built = relink(built, stay, room)
        return relink(built, list(pins.values()), room, limits, anticipated)

    # ------------------------------------------------------------ reading
    def poses(self) -> Floats:
        """(n, 7) position and quaternion, w first, of all `bodies`, in their order."""
        rows = np.array([view._row for view in self.bodies.values()])
        fixed = np.array([isinstance(view, FixedView) for view in self.bodies.values()])
        out = np.empty((len(rows), 7))
        pose = self._state.pose[rows[~fixed], :7]
        out[~fixed, :3] = pose[:, :3]
        back = self._built.principal[rows[~fixed]] * np.array([1.0, -1.0, -1.0, -1.0])  # principal axes to own
        out[~fixed, 3:] = quaternion_product(pose[:, 3:].T, back.T).T
        views = list(self.bodies.values())
        for k in np.flatnonzero(fixed):
            out[k] = (*views[k].position, *views[k].quaternion)
        return out

    @property
    def refusals(self) -> dict[str, str]:
        """The solver modes that cannot hold this figure, and why."""
        rows = {row: name for name, row in self._built.joint_row.items()}
        return {m.name: why for m in MODES.values() if (why := refusal(m, self._model, rows))}

    def accelerations(self) -> Floats:
        """(n, 6) of the present state by the present solver (n, 9 where some body stretches), in the order of the
        scene's bodies; sets the joints' forces to those that go with it."""
        self._prepare(preparations.ACCELERATIONS)
        self._answer(LimitLaw.ACCELERATION)
        self._set_wrenches(self._work.wrench)
        return self._in_scene_order(self._work.velocity)

    def first_order_velocities(self) -> Floats:
        """(n, 6) velocities of the law f = m v under the applied forces (n, 9 where some body stretches), with the
        posing friction; sets the joints' forces to the multipliers that go with it."""
        self._prepare(preparations.FIRST_ORDER)
        self._answer(LimitLaw.STEP)
        self._set_wrenches(self._work.wrench)
        return self._in_scene_order(self._work.velocity)

    def _prepare(self, what: int) -> float:
        if self._now.stale:
            self._notice()
        return self._between_steps(preparations.prepare, what)

    def _answer(self, law: int | None = None, request: int = Request.ALL) -> None:
        """The present system solved by the present mode; with a law, hard limits take part."""
        self._check_functions()
        if law is not None:
            request |= Request.LIMIT_NOW
        self._now.filled = False
        self._work.control[Control.LIMIT_LAW] = LimitLaw.STEP if law is None else law
        self._work.number[Number.LIMIT_SPAN] = self.timestep
        self._compiled(answering.answer_once, None, request, self._work.control, *self._tables())
        self._work.number[Number.LIMIT_STEP_WORK] = 0.0
        self._work.control[Control.LIMIT_LAW] = LimitLaw.STEP
        if law is not None:
            self._state.limit[:, HardLimits.FORCE] = self._work.limit[:, LimitWork.MEAN]
        self._work.limit[:, LimitWork.MEAN] = 0.0
        self._work.control[Control.FACTORS] += 1
        self._work.control[Control.SOLVES] += 1

    def _jump(self, force: Floats | None = None, push: Floats | None = None) -> None:
        """M dv - J^T l = impulse, J dv = 0"""
        with self._touching():
            self._prepare(preparations.IMPULSE)
            if force is not None:
                self._work.force[:] = force
            if push is not None:
                self._work.row[:, Rows.PUSH : Rows.PUSH + 3] = push
            self._answer(LimitLaw.IMPULSE)
        self._state.velocity[:] += self._work.velocity
        self._changed()

    @contextmanager
    def _touching(self) -> Iterator[None]:
        """What touches now is found, and is rows of the anticipation, whatever answers contacts in steps: a blow is met
        at once and exactly."""
        if self._built.touch is None or self.contact_method == "none":
            yield
            return
        if not self._built.anticipated:
            self._relink(self._pins, anticipated=True)
        method = self.contact_method
        self._touch().control[TouchControl.METHOD] = Method.ANTICIPATION
        try:
            self._find_contacts()
            yield
        finally:
            self._touch().control[TouchControl.METHOD] = METHODS.index(method)

    def _find_contacts(self) -> None:
        """What touches now"""
        while True:
            touch = self._touch()
            if self._compiled(detect_contacts, None, self._model, self._state, self._work, touch) == Found.DONE:
                return
            self._built = replace(self._built, touch=with_more_room(touch, int(touch.control[TouchControl.SHORT])))

    def assemble(
        self, tolerance: float = 1e-12, most: int = 50, *, hold: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Close the joints by projection, position and velocity, as little as possible in the mass metric. Returns how
        far each body was moved [m]; raises where the joints cannot be closed. Bodies that were set since the last step
        stay where they were put, as far as their joints allow, as when the world steps. With `hold`, names of joints
        (none, perhaps), the coordinates of those that belong to the tree stay as they are, in the place of that."""
        start = self._state.pose[:, :3].copy()
        held = [self._built.joint_row[k] for k in hold or () if k in self._built.joint_row]
        if hold is None and self._moved is not None and self._moved.is_aimed:
            self._settle()
        self._moved = None
        closing = Closing(self)
        with self._answered_in_linear_time():
            gap = closing.close(tolerance, most, stiff=[row for row in held if row < len(self._model.topology)])
            if not gap <= 1e-6:
                self._fresh()
                row = int(np.argmax(measure_gaps(self._work).max(axis=1)))
                name = next(k for k, r in self._built.joint_row.items() if r == row)
                raise DefinitionError(f"joint {name!r}", f"open by {gap:.3g}", "joints that can all be closed together")
            closing.stop()
        moved = norms(self._state.pose[:, :3] - start)
        return {name: float(moved[row]) for name, row in self._built.body_row.items()}

    def move(self, time: float) -> None:
        """Move every body with its present velocity for a time [s], joints and forces left out; `assemble` closes
        them, or the next step."""
        duration = number("time of a move", time, -math.inf)
        for row in range(len(self._state.pose)):
            self._set(row, "others")
        self._between_steps(preparations.move, self._state.velocity, duration)
        self._changed()

    def _in_scene_order(self, rows: Floats) -> Floats:
        out = np.empty_like(rows)
        out[self._built.forest.order] = rows
        return out

    def _wrenches(self) -> Floats:
        """(edges, 6) on their children: those of the last step; of one that was taken in substeps, their mean."""
        if self._work.control[Control.FOLLOWED] != 0:
            return self._work.mean_wrench[:, MeanWrench.WRENCH : MeanWrench.WRENCH + 6]
        return self._state.memory[:, Memory.WRENCH : Memory.WRENCH + 6]

    def _set_wrenches(self, wrench: Any) -> None:
        """Those that are read until the next step, and that it begins with"""
        self._state.memory[:, Memory.WRENCH : Memory.WRENCH + 6] = wrench
        self._work.control[Control.FOLLOWED] = 0

    def _wrench(self, row: int) -> Floats:
        """(6,) of an edge on its child: of the last step, or of the last `accelerations()`; before the first of these,
        of the present state. Where constraints repeat each other it is shared (physics/world/self_stress.py)."""
        wrench = self._wrenches()
        if self.steps == 0 and self.foresees and not wrench.any():
            wrench = self._foresee()[0]
        if not len(self._model.links) or not wrench.any():
            return wrench[row].copy()
        self._fresh()
        now = (self._state.pose, wrench, self._state.loose, self._work.frame)
        if self._shared is None or not all(map(np.array_equal, self._shared[0], now)):
            shared = share_wrenches(self._model, self._state, self._work, wrench)
            self._shared = [a.copy() for a in now], shared
        return self._shared[1][row].copy()

    def _fresh(self) -> None:
        if self._now.stale:
            self._notice()
            self._work.control[Control.STEP_TASK] = StepTask.REFRESH
            self._between_steps(stepping.attend)
            self._check_functions()
            self._now.stale = False

    def _changed(self) -> None:
        """Something was set from outside: what is derived from it is derived anew when it is needed."""
        self._now.stale = True
        self._now.foreseen = None
        self._work.control[Control.FRESH] = 0
        if self._built.touch:
            wake(self._built.touch)

    def _notice(self) -> None:
        """What the kernels leave out when nobody needs it."""
        self._now.filled = False
        self._work.control[Control.LOADED] = int(self._state.applied.any())
        flags = (self._model.topology[:, Topology.FLAGS].any(), self._model.links[:, Topology.FLAGS].any())
        self._work.control[Control.SPRUNG] = int(any(flags))
        self._work.control[Control.BALL_SPRINGS] = needs.ball_springs(self._model)
        held = np.flatnonzero(self._state.grab[:, Grabs.BODY] >= 0.0)
        self._work.control[Control.GRABS] = int(held[-1]) + 1 if len(held) else 0
        self._work.control[Control.HARD_LIMITED] = int(self._state.limit[:, HardLimits.ON].any())
        drive = self._state.drive
        on = drive[:, Drives.ON] != 0.0
        self._work.control[Control.DRIVEN] = int(on.any() and not self._work.control[Control.DRIVES_OFF])
        self._work.control[Control.CAPPED] = int(np.isfinite(drive[on, Drives.LOW : Drives.HIGH + 1]).any())
        hard = on & (drive[:, Drives.GIVEN] == DriveGiven.SPEED) & (drive[:, Drives.DAMPING] == 0.0)
        hard &= np.isfinite(drive[:, Drives.LOW : Drives.HIGH + 1]).all(axis=1)
        self._work.control[Control.HARD_DRIVES] = int(hard.any() and self._work.control[Control.DRIVEN])
        places = self._model.links[:, Topology.TREE_EDGE]
        across = self._model.topology[places[places >= 0]]
        several = (across[:, Topology.PATH] == Path.AXES) & (across[:, Topology.DOFS] > 1)
        self._work.control[Control.TREE_SPRINGS] = 2 if several.any() else int((places != TreePlace.NO_PLACE).any())
        self._work.number[Number.TOTAL_MASS] = self._model.body[:, Bodies.MASS].sum()
        flowing = self._work.number[[Number.DENSITY, Number.VISCOSITY]].any()
        self._work.control[Control.IN_MEDIUM] = int(len(self._model.surface) > 0 and flowing)

    def _coordinates(self) -> Floats:
        out = np.zeros((len(self._state.memory), 3))
        self._between_steps(preparations.coordinates, out)
        self._now.stale = True
        return out

    def energy(self) -> Energy:
        """`kinetic`, `potential` (of gravity), `elastic` and their sum `total`; `ledger`, the total less what the
        outside put in, which shows the error of the integrator; `contact`, the work of contacts, and `lost`, what
        redone steps gave up, both since the start. All in J (`physics.world.measure.Energy`)."""
        self._fresh()
        return measure_energy(self._work)

    def momentum(self) -> Momentum:
        """`linear`, kg m/s, and `angular` about the world's origin, kg m^2/s: of all bodies together."""
        return measure_momentum(self._model, self._state)

    def gaps(self) -> dict[str, tuple[float, float]]:
        """(distance [m], angle [rad]) by which each joint is open."""
        self._fresh()
        rows = measure_gaps(self._work)
        return {k: (float(rows[i, 0]), float(rows[i, 1])) for k, i in self._built.joint_row.items()}

    @property
    def largest_gap(self) -> float:
        self._fresh()
        return float(self._work.number[Number.GAP])

    @property
    def leaves_open(self) -> float:
        """Up to what gap (m or rad) joints may stand open by design: `hernandez` leaves the gap of each step to the
        next one, and the correction by feedback closes gaps in time. 0 where each step closes them."""
        if self.correction == "feedback":
            return acceptance.FEEDBACK_GAP_LIMIT
        return acceptance.HERNANDEZ_GAP_LIMIT if self.integrator == "hernandez" else 0.0

    @property
    def redundant(self) -> list[str]:
        """Joints outside the forest with rows that depend on other joints', by the last factorisation. No law decides
        how joints share what they hold together; the forces that are read are the least (physics/world/self_stress.py),
        and the motion does not depend on them."""
        a, c = self._work.auxiliary, self._work.control
        return self._names(a.edge[dependent_rows(a, int(c[Control.ROW_COUNT]))])

    @property
    def taut(self) -> list[str]:
        """Joints outside the forest with rows that can hardly be answered for, by the last factorisation, as of a line
        that is straight to some hundredths of a radian between two hooks: small loads pull with large forces there.
        Straight to 1e-4 rad, its row is among the `redundant` ones."""
        a, c = self._work.auxiliary, self._work.control
        return self._names(a.edge[taut_rows(a, int(c[Control.ROW_COUNT]))])

    @property
    def contradictions(self) -> list[str]:
        """Joints that cannot be closed together with the others, or whose limits the others do not let them keep, found
        in the last step; the motion goes on without them."""
        return self._names(np.flatnonzero(self._work.auxiliary.amiss))

    @property
    def work_of_limits(self) -> float:
        """That hard limits have done since the start, J: less than 0 where they took motion up."""
        return float(self._work.number[Number.LIMIT_WORK])

    @property
    def limits_left_out(self) -> int:
        """Hard limits that were met in the last step beyond the number that there is room for."""
        return int(self._work.control[Control.LIMITS_LEFT])

    def _names(self, edges: Any) -> list[str]:
        wanted = {int(e) for e in edges}
        return [name for name, e in self._built.joint_row.items() if e in wanted]

    def contacts(self) -> list[Contact]:
        """What touched what in the last step, or came near, with the force between the two; before the first step, what
        holds up what touches at the start. Of each point: `a` and `b`, names of bodies; `point` [m], `normal` from a to
        b, `depth` [m]; `force` [N] and `impulse` [N s] on b; `velocity` of b relative to a [m/s]; `friction`, the
        coefficient, and `sliding`, whether it is at its limit; `residual` [m/s] and `power` [W], by how much Coulomb's
        law is missed (`physics.world.touching.Contact`)."""
        if self._built.touch is None:
            return []
        return self._foresee()[1] if self.steps == 0 and self.foresees else self._read_contacts(self._now.span)

    @property
    def _last_span(self) -> float:
        """Length of the last step, s; 0 before the first"""
        return self._now.span if self.steps > 0 else 0.0

    def _read_contacts(self, span: float) -> list[Contact]:
        return read_contacts(self._touch(), self._built.owners, span)

    def _foresee(self) -> tuple[Floats, list[Contact]]:
        if self._now.foreseen is None:
            self._now.foreseen = foresee(self)
        return self._now.foreseen

    @contextmanager
    def _aside(self) -> Iterator[None]:
        """What is computed inside leaves the state, the settings and the counters as they were."""
        self._fresh()
        contacts = None if self._built.touch is None else warm_starts(self._built.touch)
        arrays, span = self._live(), self._now.span
        before = [array.copy() for array in arrays]
        try:
            yield
        finally:
            for array, copy in zip(arrays, before, strict=True):
                array[...] = copy
            if contacts is not None:
                self._built = replace(self._built, touch=with_warm_starts(self._touch(), contacts))
            self._now.span = span
            self._now.stale, self._now.filled = True, False

    @property
    def contact_solution(self) -> ContactSolution:
        """How the contacts of the last step were found."""
        return read_solution(self._built.touch) if self._built.touch else ContactSolution("none", 0, 0, 0, 0, 0.0)

    def anticipation_times(self) -> dict[str, float]:
        """Seconds a step, on the mean since `timed` was set, of the six steps of [Baraff96, section 8.2]: the factor;
        the columns of responses; the solution without auxiliary rows; the matrix and right-hand sides; the
        multipliers; the solution with them."""
        if not self.timed:
            raise DefinitionError("times of the anticipation", None, "a world with timed = True")
        steps = max(self.steps - self._timed_from, 1)
        seconds = self._work.clock[: len(ANTICIPATION_STEPS)] * tick_length() / steps
        return dict(zip(ANTICIPATION_STEPS, seconds.tolist(), strict=True))

    @property
    def iterations(self) -> int:
        """Of the cg mode, in its last solve."""
        return int(self._work.control[Control.ITERATIONS])

    @property
    def residual(self) -> float:
        """Of the cg mode, relative, after its last solve."""
        return float(self._work.number[Number.RESIDUAL])

    @property
    def condition(self) -> float:
        """Of the jsim mode: an estimate of the condition of the joint-space inertia at its last factorisation."""
        return float(self._work.number[Number.CONDITION])

    # ------------------------------------------------------------ snapshots
    def _live(self) -> list[np.ndarray]:
        """Every array that decides what the next step does, or says what the last one did."""
        return self._built.live()

    def _figure(self) -> bytes:
        """A hash of what a snapshot does not hold: names, masses, geometry."""
        names = [list(named) for named in (self.bodies, self.joints, self.couplings, self.drives)]
        digest = hashlib.sha256(repr(names).encode())
        digest.update(self._model.table.tobytes())
        live = [*range(Joints.STIFFNESS, Joints.DAMPING + 3), Joints.ADDRESS, Joints.ADDRESS + 1]
        live += [*range(Joints.REST_FRAME, Joints.REST_FRAME + 4), *range(Joints.REST, Joints.REST + 3)]
        live += [Joints.SOFT_CHILD, Joints.SOFT_PARENT]  # they know of the pins: what hangs on one turns less easily
        own = len(self._model.joint) - len(self._pins)
        body = self._model.body
        if self._state.pose.shape[1] > PoseColumn.SHAPE:
            # anchors and inertia follow the scales
            live += range(Joints.ANCHOR_CHILD, Joints.ANCHOR_PARENT + 3)
            body = np.delete(body, [*range(Bodies.INERTIA, Bodies.INVERSE_INERTIA + 3)], axis=1)
            digest.update(self._model.material[:own].tobytes())
        digest.update(body.tobytes())
        digest.update(self._model.form.tobytes())
        digest.update(self._model.surface.tobytes())
        digest.update(np.delete(self._model.joint[:own], live, axis=1).tobytes())
        if self._built.touch:
            geometry = self._built.touch.collision.geometry
            for array in (geometry.whole, geometry.real, geometry.vertex, self._built.touch.collision.broad.never):
                digest.update(array.tobytes())
        return digest.digest()

    def snapshot(self) -> bytes:
        """The whole state and every live setting, as versioned bytes."""
        self._fresh()
        self._work.control[Control.FACTOR_KEPT] = 0  # the factor itself is in no snapshot
        settings = {
            "solver": self._mode.name,
            "stiffness_scale": self._stiffness_scale,
            "springs": {k: [v.values["stiffness"], v.values["damping"], v.on] for k, v in self._springs.items()},
            "signals": [self._model.signals.table.tolist(), self._model.signals.keys.tolist()],
            "grabs": len(self._state.grab),
            "limits": len(self._state.limit),
            "columns": self._columns,
            "span": self._now.span,
            "moved": self._moved.written() if self._moved else None,
            "pins": [[k, p.joint.b, p.joint.kind, p.joint.points[1], p.pose] for k, p in self._pins.items()],
        }
        touch = self._built.touch
        if touch:
            settings["contacts"] = [self.contact_method, self.contact_tolerance, self.contact_law, self.sleeping]
        contacts = warm_starts(touch) if touch else b""
        parts = [self._figure(), json.dumps(settings).encode(), contacts, *(a.tobytes() for a in self._live())]
        head = struct.pack("<4sII", b"MRNT", SNAPSHOT_VERSION, len(parts))
        return head + b"".join(struct.pack("<Q", len(p)) + p for p in parts)

    def restore(self, snapshot: bytes) -> None:
        """Back to a snapshot of this figure; what follows is the same to the last bit. A refusal changes nothing."""
        parts = _parts(snapshot)
        got = f"{len(snapshot)} bytes"
        if len(parts) < 3 or parts[0] != self._figure():
            raise DefinitionError("snapshot", got, "a snapshot of a world with the same figure")
        try:
            settings = json.loads(parts[1])
            scale = float(settings["stiffness_scale"])
            springs = {k: (tuple(a), tuple(b), bool(on)) for k, (a, b, on) in settings["springs"].items()}
            mode = MODES[settings["solver"]]
            pins = {k: _remade_pin(k, *more) for k, *more in settings["pins"]}
            table = np.array(settings["signals"][0], np.int64).reshape(self._model.signals.table.shape)
            keys = np.array(settings["signals"][1], float).reshape(-1, KEY)
            contacts = settings["contacts"] if self._built.touch else []
            columns = COLUMNS[COLUMNS.index(settings["columns"])]
            span = float(settings.get("span", self._now.span))
            moved = Moved.read(settings["moved"], self._state.pose.shape) if settings["moved"] else None
            if springs.keys() != {*(k for k in self._springs if k not in self._pins), *pins}:
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise DefinitionError("snapshot", got, "bytes that are whole") from None
        room = int(settings.get("grabs", 0))
        limits = np.zeros((int(settings["limits"]), HardLimits.WIDTH))
        same = pins == self._pins and room == len(self._state.grab) and limits.shape == self._state.limit.shape
        built = self._built if same else self._relinked(pins, room, limits)
        sizes = [a.nbytes for a in built.live()]
        if [len(p) for p in parts[3:]] != sizes:
            raise DefinitionError("snapshot", got, "a snapshot of a world with the same figure")
        if not same:
            self._relink(pins, room, limits)
        arrays = self._live()
        if mode is not self._mode:
            self.use_solver(mode.name)
        self._stiffness_scale, self._now.span, self._moved = scale, span, moved
        for name, (stiffness, damping, on) in springs.items():
            self._springs[name].values = {"stiffness": stiffness, "damping": damping}
            self._springs[name].on = on
        self._columns = columns
        self._set_columns()
        addresses = self._model.joint[:, Joints.ADDRESS : Joints.ADDRESS + 2].copy()
        for part, array in zip(parts[3:], arrays, strict=True):
            array[...] = np.frombuffer(part, array.dtype).reshape(array.shape)
        # functions are where they are in this process
        self._model.joint[:, Joints.ADDRESS : Joints.ADDRESS + 2] = addresses
        signals = self._model.signals
        if not (np.array_equal(table, signals.table) and np.array_equal(keys, signals.keys)):
            # a new Model: the driver's tables must be made anew
            self._use_signals(signals._replace(table=table, keys=keys))
        if self._built.touch:
            self.contact_method, self.contact_tolerance, self.contact_law = contacts[:3]
            self._built.touch.control[TouchControl.SLEEPING] = int(contacts[3])
            self._built = replace(self._built, touch=with_warm_starts(self._built.touch, parts[2]))
        self._now.stale, self._now.foreseen = True, None

    def state_hash(self) -> str:
        """SHA-256 of everything that moves, of time and of what the guard goes by: with the same settings, equal hashes
        mean equal steps from there on."""
        contacts = warm_starts(self._built.touch) if self._built.touch else b""
        moved = repr(self._moved.written()).encode() if self._moved else b""
        return state_hash(
            self._state, self._work.number[[Number.TIME, Number.CREDIT, Number.LEASH]].tobytes(), contacts, moved
        )


def _choose(what: str, name: Any, allowed: Iterable[str]) -> None:
    if not isinstance(name, str) or name not in allowed:
        raise DefinitionError(what, name, ", ".join(allowed))


def _remade_pin(name: str, body: str, kind: str, at: Any, pose: Any) -> Pin:
    joint = {Ball.kind: Ball, Weld.kind: Weld}[kind](name=name, a="world", b=body, at=tuple(at), auxiliary=True)
    return Pin(joint, tuple(pose))


def _parts(snapshot: bytes) -> list[bytes]:
    allowed = f"bytes made by snapshot(), version {SNAPSHOT_VERSION}"
    if not isinstance(snapshot, bytes | bytearray):
        raise DefinitionError("snapshot", type(snapshot).__name__, allowed)
    bad = DefinitionError("snapshot", f"{len(snapshot)} bytes", allowed)
    if len(snapshot) < 12:
        raise bad
    mark, version, count = struct.unpack("<4sII", snapshot[:12])
    if mark != b"MRNT" or version != SNAPSHOT_VERSION:
        raise bad
    parts, at = [], 12
    for _ in range(count):
        if at + 8 > len(snapshot):
            raise bad
        (size,) = struct.unpack("<Q", snapshot[at : at + 8])
        parts.append(snapshot[at + 8 : at + 8 + size])
        at += 8 + size
    if at != len(snapshot):
        raise bad
    return parts
