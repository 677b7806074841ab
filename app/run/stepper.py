"""The stepper: the thread that owns the World. It takes commands, steps by the clock, and publishes snapshots.

The window reads `snapshot`, a reference to an immutable value that is replaced as a whole; it never waits and never
sees half a step. It sends commands by `ask(command)`, which the stepper applies between steps, at most 8 ms or one step
later.
"""

import re
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.run.aside import Aside, Compile
from app.run.clock import Clock
from app.run.commands import ChangeGrab, Command, Grab, HoldPose, MoveGrab, Pose, Release, Set, SetEach
from app.run.compiling import FIRST, Needs, NeedsCompilingError, posing
from app.run.playing import Player
from app.run.recording import Recorder
from app.run.requests import (
    Keep,
    Load,
    LookAt,
    Pause,
    Record,
    Redo,
    Request,
    Speed,
    State,
    StepBy,
    StopRecording,
    Undo,
)  # fmt: skip
from app.run.simulation import Simulation
from app.run.snapshot import JointMeasures, Snapshot, least_times, measure_joints, settings_of
from app.run.waiting import Waiter, Waiting
from physics.definitions.checks import DefinitionError
from physics.world.world import CannotContinueError, World

SLICE = 0.008  # s of stepping between two looks at the commands
MEASURES_EVERY = 0.1  # s between measurements of every joint
TIMES_EVERY = 0.5  # s of steps that the published times are taken from: numbers that can be read
MOST_BEFORE = 1  # scenes whose loading can be undone: a world may take tens of megabytes
MEMORY_BEFORE = 4 << 20  # bytes of key moments that each of them keeps
POSED = 1.0 / 60.0  # s between two poses of a paused figure that is to follow a hand before it is pinned


@dataclass(frozen=True)
class News:
    """A message; `kind` is info, error, compiling, loaded or ready."""

    kind: str
    text: str


class Stepper:
    """The thread that owns the World, and what the window uses to communicate with it."""

    def __init__(self, *, compile_mode: Compile | None = None, now: Callable[[], float] = time.perf_counter):
        """Start without a scene. `compile_mode` compiles in another process; `now` is the clock [s]."""
        self.clock = Clock()
        self.snapshot: Snapshot | None = None
        self.news: deque[News] = deque(maxlen=200)
        self.simulation: Simulation | None = None
        self._compile = compile_mode
        self._now = now
        self._requests: deque[Request] = deque()
        self._awake = threading.Event()
        self._closing = False
        self._thread: threading.Thread | None = None
        self._cost = 0.0  # s a step
        self.stepping = 0.0  # since when some steps are being taken, which should be over after SLICE; 0: none are
        self._measured = -1.0
        self._measures: JointMeasures | None = None
        self._laps: list[dict[str, float]] = []  # of a few steps each, since the times were last published
        self._lapped = -1.0
        self._times: dict[str, float] | None = None
        self._culprit = ""
        self._details: Any = None
        # what was there before the present scene was loaded, and what was there before that was undone
        self._before: deque[tuple[Simulation, Any]] = deque(maxlen=MOST_BEFORE)
        self._after: deque[tuple[Simulation, Any]] = deque(maxlen=MOST_BEFORE)
        self._aside = Aside(compile_mode)  # kernels that are there, and those that are being compiled
        self.waiting = Waiting()  # requests that came before their kernels
        self._next: Load | None = None  # the scene that is to come, and waits for its kernels
        self._tried: set[Needs] = set()  # what was compiled for it, or could not be
        self._posed = 0  # number of the grab that poses while paused
        self.recorder: Recorder | None = None  # the window only reads its path and when it began
        self.player: Player | None = None
        self._played: Load | None = None  # the request whose recording is being played
        self.wants_measures = False  # a panel shows joints
        self.wants_contacts = False  # they are drawn
        self.wants_times = False  # a panel shows what the steps of the anticipation cost

    # ------------------------------------------------------------ the window's side
    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._run, name="stepper", daemon=True)
        self._thread.start()

    def ask(self, request: Request) -> None:
        """Send a request to the stepper's thread."""
        self._requests.append(request)
        self._awake.set()

    def close(self) -> None:
        """End the thread."""
        self._closing = True
        self._awake.set()
        if self._thread is not None:
            self._thread.join(timeout=20.0)
        self._stop_recording("")

    # ------------------------------------------------------------ the stepper's side
    def _run(self) -> None:
        """Take turns until the stepper is closed."""
        while not self._closing:
            try:
                wait = self.turn()
            except Exception as error:  # noqa: BLE001 - a fault of ours must be seen, and must not end the thread
                self.clock.paused = True
                self._tell("error", f"Unexpected: {error!r} ({traceback.format_exc().splitlines()[-3].strip()})")
                wait = 0.1
            if wait > 0.0:
                self._awake.wait(wait)

    def turn(self) -> float:
        """Take one turn: requests, steps, a snapshot. Return the time until the next step is due [s]."""
        self._awake.clear()
        asked = False
        while self._requests and not self._closing:
            self._answer(self._requests.popleft())
            asked = True
        if self.simulation is None:
            return 0.1
        while not self._closing and (waiter := self.waiting.next(self._aside.coming, self.simulation)):
            self._answer(waiter.command_now(self.simulation), waiter)
            asked = True
        if self.recorder is not None:
            self._record(self.recorder)
        simulation = self.simulation
        timestep = simulation.world.timestep
        due = self.clock.due(self._now(), timestep)
        self._posed = self._posed or self.waiting.to_pin
        if self._posed:
            asked = True
            self._posed = self._posed if self.clock.paused and self._pose(simulation) else 0
        if due:
            count = min(due, max(1, int(SLICE / max(self._cost, 1e-7))))
            self.clock.took(self._step(count), timestep)
        if due or asked:
            self._compile_settings(simulation.world)
            self._publish()
        if due > 1:
            return 0.0
        return POSED if self.clock.paused and self.waiting.to_pin else self.clock.wait(timestep)

    def _pose(self, simulation: Simulation) -> bool:
        """Pose the paused figure towards its grabs. If it cannot follow, it stays as it is. Return whether it is to be
        posed later, because kernels are missing."""
        if all(point.pinned or point.number != self._posed for point in simulation.held()):
            return False
        try:
            self._aside.require(posing(simulation.world.solver))
            simulation.pose_toward(self._posed)
        except NeedsCompilingError as missing:
            self._compile_aside(missing.needs)
            return True
        except CannotContinueError as error:
            text = f"The figure cannot follow there: {error}"
            if not self.news or self.news[-1].text != text:
                self._tell("info", text)
        self.waiting.pulled += POSED
        return False

    @property
    def _unposed(self) -> int:
        """Number of the grab that the paused figure cannot follow before its kernels are there; else 0."""
        ready = self.simulation is None or posing(self.simulation.world.solver) not in self._aside.coming
        return 0 if ready or not self.clock.paused else self._posed

    def _step(self, count: int) -> int:
        """Take the steps that are due, and return their number. A step that cannot continue pauses the figure and gives
        a message."""
        simulation = self.simulation
        assert simulation is not None
        self._compile_settings(simulation.world)
        simulation.world.timed = self.wants_times  # from zero; the past that is put back has its own switch
        begin, steps = time.perf_counter(), simulation.world.steps
        self.stepping = begin
        try:
            if self.player is None or not self._play(self.player, count):
                simulation.step(count)
            self._culprit = ""
        except CannotContinueError as error:
            what = self._let_go(simulation)
            if what:
                self._tell("info", f"{what} released: with such a force {error}")
                return count
            self.clock.paused = True
            found = re.search(r"joint '([^']+)'", str(error))
            self._culprit = found.group(1) if found else ""
            self._tell("error", f"Stopped: {error} {self._remedy()}")
        except DefinitionError as error:
            self.clock.paused = True
            self._tell("error", f"Stopped: {error}")
        finally:
            self.stepping = 0.0
        taken = simulation.world.steps - steps
        self.waiting.pulled += taken * simulation.world.timestep
        if taken > 0:
            cost = (time.perf_counter() - begin) / taken
            # the first ones are slow: cold caches, and lazily made things
            self._cost = cost if self._cost == 0.0 else min(cost, 0.9 * self._cost + 0.1 * cost)
            if self.wants_times and simulation.world.timed:
                self._laps.append(simulation.world.anticipation_times())
        return count

    def _compile_settings(self, world: World) -> None:
        """Compile kernels for settings other than `Needs`, such as contacts, limits and sleep. Meanwhile the figure
        does not move, but the window stays responsive."""
        if self._compile is not None and world.uncompiled:
            self._tell("info", "Compiling what these settings need: only the first time")
            world.compile_elsewhere(lambda: not self._closing)

    def _let_go(self, simulation: Simulation) -> str:
        """Release grabs and pins until a step can continue: first the grab of the mouse, then the user's pins, the
        newest first. Return what was released, or an empty text if releasing does not help."""
        while True:
            points = simulation.held()
            mine = [point.number for point in points if not point.pinned]
            pins = [point.number for point in points if point.pinned and point.number > 0]
            if not mine and not pins:
                return ""
            what = "The mouse" if mine else "A pin"
            for number in mine or [max(pins)]:
                simulation.do(Release(number))
            try:
                simulation.step(1)
            except CannotContinueError:
                continue
            return what

    def _remedy(self) -> str:
        """Return a sentence that says what may help."""
        assert self.simulation is not None
        world = self.simulation.world
        if world.integrator in ("explicit", "rattle", "rk4"):
            return f"The integrator {world.integrator!r} is not for stiff joints: take 'trbdf2' or 'implicit'."
        return "A smaller timestep or a smaller stiffness may help; the last moments can be rewound."

    def _tell(self, kind: str, text: str) -> None:
        """Add a message to the news."""
        self.news.append(News(kind, text))

    # ------------------------------------------------------------ requests
    def _answer(self, request: Request, waiter: Waiter | None = None) -> None:
        """Carry out a request, and turn errors into messages. If kernels are missing, the request waits for them;
        `waiter` is one that has waited."""
        try:
            if isinstance(request, Load):
                self._load(request)
            elif self.simulation is not None and (waiter or not self.waiting.takes(request, self._unposed)):
                self._answer_running(self.simulation, request)
        except NeedsCompilingError as missing:
            assert self.simulation is not None
            assert isinstance(request, Command)
            if waiter is None:
                self.waiting.add(request, missing.needs, self.simulation)
            else:
                self.waiting.put_back(waiter, missing.needs)
            self._compile_aside(missing.needs, is_key=not isinstance(request, Grab))
        except ValueError as error:  # a DefinitionError, or a SceneError: a scene that cannot be put together
            self._tell("error", str(error))
        except KeyError as error:
            self._tell("error", str(error.args[0]))
        except CannotContinueError as error:
            self.clock.paused = True
            self._tell("error", str(error))
        except Exception as error:  # noqa: BLE001 - a fault of ours must be seen, and must not end the thread
            self._tell("error", f"Unexpected: {error!r} ({traceback.format_exc().splitlines()[-3].strip()})")

    def _drop_waiting(self, simulation: Simulation, why: str) -> bool:
        """Drop what waits for kernels. Say which keys and pins were among it, and return whether there were any."""
        texts = [text for text in self.waiting.waits().texts if text != "a drag"]
        for waiter in self.waiting.drop():
            if waiter.grab is not None and simulation.viewed is None and simulation.holds(waiter.grab):
                simulation.do(Release(waiter.grab))  # its pin is dropped, and no hand holds it any more
        if texts:
            self._tell("info", f"{why} before its kernels were ready: {', '.join(texts)}")
        return bool(texts)

    def _answer_running(self, simulation: Simulation, request: Request) -> None:
        """Carry out a request that needs a running figure."""
        if isinstance(request, MoveGrab | ChangeGrab | Release):
            if simulation.holds(request.number):
                simulation.commit_view()  # continuing from the past releases grabs
            if not simulation.holds(request.number):  # it was released: by undo, by going back, by another scene
                if isinstance(request, ChangeGrab) and request.pinned:
                    self._tell("info", "Nothing is pinned: the body was released before")
                return
        if isinstance(request, Grab) and request.body not in simulation.world.bodies:
            return  # the press was meant for the figure that was there a moment ago
        if isinstance(request, Set | SetEach | Grab | ChangeGrab | Pose | HoldPose):
            self._aside.require_after(simulation, request)
        if isinstance(request, Command | Undo | Redo):
            self._stop_playing()
        if isinstance(request, Command):
            simulation.do(request)
            if request.undoable:
                self._after.clear()
            if isinstance(request, MoveGrab):
                self._posed = request.number
        elif isinstance(request, Pause):
            self.clock.paused = request.paused
        elif isinstance(request, Speed):
            self.clock.speed = request.factor
        elif isinstance(request, StepBy):
            self._step_by(simulation, request.count)
        elif isinstance(request, LookAt):
            self.clock.paused = True
            simulation.look_at(simulation.timeline.tick_at(request.position))
        elif isinstance(request, Undo | Redo):
            back = isinstance(request, Undo)
            if back and self._drop_waiting(simulation, "Undone"):
                return
            done = (simulation.undo() if back else simulation.redo()) or self._load_undone(simulation, back)
            word = "Undone" if back else "Done again"
            self._tell("info", f"{word}: {done}" if done else f"Nothing to {type(request).__name__.lower()}")
        elif isinstance(request, Record):
            self._start_recording(simulation, request)
        elif isinstance(request, StopRecording):
            self._stop_recording("")
        elif isinstance(request, Keep):
            request.then(simulation, self._details)
        elif isinstance(request, State):
            request.then(simulation.scene, simulation.world.snapshot())

    def _step_by(self, simulation: Simulation, count: int) -> None:
        """Step forward or back through the timeline; beyond the present, take real steps."""
        self.clock.paused = True
        timeline = simulation.timeline
        here = timeline.position_of(simulation.tick)
        last = timeline.length() - 1
        if here + count <= last:
            simulation.look_at(timeline.tick_at(here + count))
        else:
            if simulation.viewed is not None:
                simulation.look_at(timeline.tip)
            self._step(here + count - last)

    def _load(self, request: Load) -> None:
        """Load a scene. The old figure continues until the new one is ready."""
        if self._next is not request:
            self._next, self._tried = request, set()
        self._aside.forget()
        old = self.simulation if request.goes_on else None
        if not self._is_compiled(request, FIRST if old is None else Needs()):
            return
        simulation = Simulation(request.scene, request.name, request.make_world)
        if not self._is_compiled(request, simulation.needs_after(Command())):
            return
        self._next = None
        if old is not None:
            self.waiting.drop(but_pins=True)
        elif self.simulation is not None:
            self._drop_waiting(self.simulation, "Dropped")
        for text in simulation.follow(old) if old is not None else ():
            self._tell("info", f"Not kept: {text}")
        simulation.world.step(0)
        if self.simulation is not None and not request.goes_on:
            self._before.append((laid_by(self.simulation), self._details))
            self._after.clear()
        self._take_up(simulation, request.details)
        if request.play is not None:
            self.player, self._played = Player(simulation, request.play, self._prepare), request
            self._play(self.player, 1)  # the state in which it begins
            if self.player is None and request.otherwise and not simulation.entries:
                self._tell("info", "The scene has changed since: motion, values and pins are taken over by name")
                for text in simulation.carry_on(request.otherwise):
                    self._tell("info", f"Not kept: {text}")
        self._publish()
        self._tell("loaded", request.name)
        try:
            self._aside.require(Needs())
        except NeedsCompilingError as missing:  # it moves, and soon it can be taken hold of
            self._compile_aside(missing.needs, tells=False)

    def _take_up(self, simulation: Simulation, details: Any) -> None:
        """Use this simulation from now on; `details` are passed to the window."""
        self._stop_recording("; another scene was loaded")
        self.player = None
        self.simulation, self._details, self._posed = simulation, details, 0
        self._aside.take_up(simulation.scene)
        self._cost, self._measures, self._measured, self._culprit = 0.0, None, -1.0, ""
        self._laps, self._times = [], None
        self.clock.due(self._now(), simulation.world.timestep)

    def _load_undone(self, simulation: Simulation, back: bool) -> str:
        """Return to the scene before this one (with `back`) or after it, in the state in which it was left. This is for
        an undo or redo when no command is left. Return the name of that load, or an empty text if there is no such
        scene."""
        source, target = (self._before, self._after) if back else (self._after, self._before)
        if not source:
            return ""
        self._next = None
        self._aside.forget()
        self._drop_waiting(simulation, "Dropped")
        target.append((laid_by(simulation), self._details))
        self._take_up(*source.pop())
        assert self.simulation is not None
        return f"load {(simulation if back else self.simulation).name}"

    def _is_compiled(self, request: Load, needs: Needs) -> bool:
        """Return whether a scene can be loaded now, because its kernels are compiled or another process could not
        compile them. Otherwise another process compiles them. For the first scene this method waits; later the present
        scene continues, and the request is repeated."""
        try:
            self._aside.check(request.scene, needs)
        except NeedsCompilingError as missing:
            if needs in self._tried:
                return True  # it could not be, and that was reported; compile it here
            self._tried.add(needs)
            self._aside.forget()
            self._tell("compiling", str(missing))
            assert self._compile is not None
            if self.simulation is None:
                self._compile(needs, lambda: not self._closing)
                return True

            def wanted() -> bool:
                return self._next is request and not self._closing

            self._aside.start(needs, wanted, lambda: self.ask(request) if wanted() else None)
            return False
        return True

    def _compile_aside(self, needs: Needs, *, is_key: bool = False, tells: bool = True) -> None:
        """Compile in another process while the figure continues. The next turn then answers what waits for it. What
        only a key needs (`is_key`) is not compiled if another key has replaced it."""
        if tells and needs not in self._aside.coming:
            self._tell("info", f"Compiling {needs.text}: the figure goes on, and what needs it waits")

        def wanted() -> bool:
            return not self._closing and (not is_key or self.waiting.wants(needs))

        def then() -> None:
            if wanted():
                self._tell("ready", needs.text)
            self._awake.set()

        self._aside.compile(needs, wanted, then)

    # ------------------------------------------------------------ recordings
    def _start_recording(self, simulation: Simulation, request: Record) -> None:
        """Begin a recording of the present scene."""
        self._stop_recording("")
        try:
            self.recorder = Recorder(request.path, request.head, simulation, self._now())
            self._tell("info", f"Recording in {request.path}")
        except OSError as error:
            self._tell("error", f"{request.path} could not be written ({error.strerror}): nothing is recorded")

    def _record(self, recorder: Recorder) -> None:
        """Record what was done since the last turn. If it cannot be written, one message says so."""
        before = recorder.trouble
        recorder.take(self._now())
        if recorder.trouble and not before:
            text = f"{recorder.path.name} cannot be written ({recorder.trouble}): it is kept in memory until it can be"
            self._tell("error", text)
        elif before and not recorder.trouble:
            self._tell("info", f"{recorder.path.name} is written again: nothing is missing")

    def _stop_recording(self, why: str) -> None:
        """End the recording, if there is one, and say where it is."""
        recorder, self.recorder = self.recorder, None
        if recorder is None:
            return
        recorder.close(self._now())
        seconds = self._now() - recorder.began
        if recorder.trouble:
            self._tell("error", f"The end of {recorder.path} could not be written ({recorder.trouble})")
        else:
            self._tell("info", f"Recorded {seconds:.1f} s in {recorder.path}{why}")

    def _play(self, player: Player, count: int) -> bool:
        """Play so many ticks. Return False if the recording has ended, or the user continues from the past."""
        if player.simulation.viewed is not None:
            self._stop_playing()
            return False
        player.go(count)
        if player.done:
            assert self._played is not None
            self.player = None
            self.clock.paused = self._played.pauses
            if self._played.tells is not None:
                self._tell("error" if player.parted else "info", self._played.tells(player))
        return True

    def _stop_playing(self) -> None:
        """End the recording that is being played, because the user does something else with the figure."""
        if self.player is not None:
            self.player = None
            self._tell("info", "The recording ends here: from now on the figure is yours")

    def _prepare(self, command: Command) -> None:
        """Compile what a command of a recording needs, and wait for it: its next one comes after it."""
        assert self.simulation is not None
        needs = self.simulation.needs_after(command)
        try:
            self._aside.check(self.simulation.scene, needs)
        except NeedsCompilingError as missing:
            self._tell("compiling", str(missing))
            assert self._compile is not None
            self._compile(needs, lambda: not self._closing)

    # ------------------------------------------------------------ snapshots
    def _publish(self) -> None:
        """Publish a snapshot."""
        simulation = self.simulation
        assert simulation is not None
        world, timeline = simulation.world, simulation.timeline
        now = self._now()
        if self.wants_measures and now - self._measured >= MEASURES_EVERY:
            self._measures, self._measured = measure_joints(simulation), now
        self._take_times(now)
        undo, redo = simulation.undo_stack.labels
        undo = undo or (f"load {simulation.name}" if self._before else "")
        redo = redo or (f"load {self._after[-1][0].name}" if self._after else "")
        position = timeline.position_of(simulation.tick)
        self.snapshot = Snapshot(
            scene=simulation.scene,
            details=self._details,
            name=simulation.name,
            names=simulation.names,
            joints=list(world.joints),
            poses=simulation.world.poses(),
            tick=simulation.tick,
            time=world.time,
            paused=self.clock.paused,
            at=now,
            values=settings_of(simulation),
            energy=tuple(world.energy()),
            gap=world.largest_gap,
            redone=world.redone,
            frozen=world.frozen,
            real_time_factor=0.0 if self.clock.paused else self.clock.measure(now, world.time),
            step_seconds=self._cost,
            measures=self._measures,
            grabs=simulation.held(),
            undo=undo,
            redo=redo,
            position=position,
            length=position + 1 if simulation.viewed is None else timeline.length(),
            past=simulation.viewed is not None,
            memory=timeline.bytes,
            drives=len(world.drives),
            limits=len(simulation.limited_joints),
            logged=len(simulation.entries),
            touches=simulation.touches,
            contacts=tuple(world.contacts()) if self.wants_contacts else (),
            asleep=tuple(i for i, b in enumerate(world.bodies.values()) if b.asleep) if world.sleeping else (),
            changed=simulation.changed(),
            refused=simulation.refused,
            times=self._times,
            culprit=self._culprit,
            waits=self.waiting.waits(drags=self._unposed > 0),
        )

    def _take_times(self, now: float) -> None:
        """Publish the times of the parts of a step from time to time. While paused they do not change, and the times of
        single steps are published at once."""
        if not self.wants_times:
            self._laps, self._times = [], None
        elif not self._laps:
            self._lapped = now
        elif now - self._lapped >= TIMES_EVERY or self.clock.paused:
            self._times, self._laps, self._lapped = least_times(self._laps), [], now


def laid_by(simulation: Simulation) -> Simulation:
    """Return a simulation that is kept in case it is wanted again. Its grabs are released, and its memory is
    reduced."""
    if simulation.viewed is not None:
        simulation.look_at(simulation.timeline.tip)
    for point in simulation.held():
        if not point.pinned:
            simulation.do(Release(point.number))
    simulation.timeline.shrink(MEMORY_BEFORE)
    return simulation
