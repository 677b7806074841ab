"""A figure that runs: the World with its command log, undo stack and timeline. One thread uses it at a time.

Every change goes through `do`, so that the log of commands with their ticks replays to the same state, bit for bit.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from app.run.commands import (
    ChangeGrab,
    Command,
    Entry,
    GoOn,
    Grab,
    HoldPose,
    MoveGrab,
    Pose,
    Release,
    Reset,
    Restore,
    Rewind,
    Set,
    SetEach,
    UndoStack,
)  # fmt: skip
from app.run.compiling import Needs
from app.run.timeline import Moment, Timeline, read_moment
from physics.definitions.bodies import Fixed
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import SpringJoint
from physics.definitions.scene import Scene
from physics.definitions.springs import Spring
from physics.maths.strict import norm
from physics.world import grabs
from physics.world.world import CannotContinueError, World
from scenes.loading.reload import go_on

Progress = Callable[[str, int], None]
SETTINGS = (
    "solver", "integrator", "timestep", "order", "gravity", "stiffness_scale", "stiff", "limited", "contact_method",
    "sleeping", "drives_on", "guard",
)  # fmt: skip
JOINT_VALUES = ("stiffness", "damping", "stiff", "limited")
PIN_KINDS = ("point", "pose")  # how a pin may hold
# A spring grab bears the whole figure and sags by this share of the figure's size: so a light finger follows the mouse
# against its own springs, and a heavy trunk still shows its weight.
SAG = 0.02
FIRMNESS = (30.0, 240.0)  # 1/s: what the law of grabs takes for any body, and about one step's worth
WEIGHT_PER_MASS = 9.81  # also where there is no gravity
CLOSED = 1e-7  # m or rad
TORN = 1e-4  # m or rad: by more no joint is open, but where a contradiction kept it from following a motor
UNKNOWN = object()  # a value of the scene that was changed in an earlier program
POSING_STEPS = 2  # of the kinematic order between two looks at the mouse, while paused


@dataclass(frozen=True)
class HeldPoint:
    """A grab or pin in the form in which it is drawn and listed."""

    number: int
    body: str
    kind: str
    point: np.ndarray  # where it holds the body, world
    target: np.ndarray  # where it pulls to
    force: np.ndarray  # N
    torque: np.ndarray  # N m
    pinned: bool


class Simulation:
    """A world with its command log, undo stack and timeline."""

    def __init__(self, scene: Scene, name: str = "", make_world: Callable[[], World] | None = None):
        """Make the world of a scene, and start its timeline."""
        self.scene = scene
        self.name = name
        self.world = make_world() if make_world else World(scene)
        self.world.foresees = False  # kernels are compiled elsewhere, and before the first step not yet
        self._grabs: dict[int, grabs.Grab] = {}  # by the number that the window gave
        self._pins = {-1 - i: name for i, name in enumerate(self.world.pins)}  # by number; those of the scene below 0
        self.names = list(self.world.bodies)
        still = {body.name for body in scene.bodies if isinstance(body, Fixed)}
        self._movable = [(row, name) for row, name in enumerate(self.names) if name not in still]
        self.entries: list[Entry] = []
        self.undo_stack = UndoStack()
        scale = self.world.stiffness_scale
        self.stiff = scale > 0.0  # all joint springs, by one key
        self.scale = scale or 1.0  # multiplies every stiffness while `stiff`
        self.limited_joints = [joint for joint in self.world.joints.values() if joint.limits is not None]
        self.limited = any(joint.limited for joint in self.limited_joints)  # all hard limits, by one switch
        self._changed: dict[str, Any] = {}  # what was set, by path: a reset keeps it
        self._first: dict[str, Any] = {}  # what that was before, by path
        self.viewed: int | None = None  # a tick of the past that is looked at; None: the present
        self._tip_moment: Moment | None = None  # the present, while the past is looked at
        self.timeline = Timeline(self.moment())

    def needs_after(self, command: Command) -> Needs:
        """Return the needs of the kernels for the world after a command."""
        world = self.world
        needs = Needs(world.solver, world.integrator, world.order, bool(self._grabs or self._pins))
        if isinstance(command, Grab | Pose | HoldPose):
            return needs._replace(held=True)
        changes = dict(command.values) if isinstance(command, SetEach) else {}
        if isinstance(command, Set):
            changes = {command.path: command.value}
        wanted = {k: changes[f"settings.{k}"] for k in ("solver", "integrator", "order") if f"settings.{k}" in changes}
        return needs._replace(**wanted)

    def lacking_after(self, command: Command) -> bytes | None:
        """Return the world's state after a command if kernels of the next step are missing. Nothing is changed."""
        present = self.moment()
        try:
            self._apply(command)
            return self.world.snapshot() if self.world.uncompiled else None
        finally:
            self._put(present)

    @cached_property
    def refused(self) -> dict[str, str]:
        """Solver modes that refuse this figure, each with its reason."""
        return self.world.refusals

    @cached_property
    def touches(self) -> bool:
        """Whether bodies touch each other or a floor, even if contacts are switched off."""
        try:
            return self.world.contact_tolerance > 0.0
        except DefinitionError:
            return False

    # ------------------------------------------------------------ running
    @property
    def tick(self) -> int:
        """Tick of the state that is shown."""
        return self.timeline.tip if self.viewed is None else self.viewed

    def step(self, count: int) -> None:
        """Take steps from the state that is shown. From an earlier state, a new branch begins."""
        self.commit_view()
        begin, world = time.perf_counter(), self.world
        taken, frozen = world.steps, world.frozen
        trouble: CannotContinueError | DefinitionError | None = None
        try:
            world.step(count)
        except (CannotContinueError, DefinitionError) as error:
            trouble = error
        due = self.timeline.grew(world.steps - taken, time.perf_counter() - begin)
        # a velocity that is not finite shows in the energy, a step before it shows in a pose
        if not np.isfinite(world.poses()).all() or not np.isfinite(world.energy().total):
            self._go_back("a state was not finite")
        if world.frozen > frozen:
            if world.largest_gap > TORN:
                self._go_back(str(trouble or "the figure could not follow the prescribed motions").rstrip("."))
            due = True  # the next one may be worse: then the way back is to be short
        if due:
            self.timeline.add_key(self.moment())
        if trouble is not None:
            raise trouble

    def step_again(self, count: int) -> None:
        """Take steps of a recording. What ended them when they were first taken is not judged again: what was done then
        is in the recording."""
        begin, taken = time.perf_counter(), self.world.steps
        with suppress(CannotContinueError, DefinitionError):
            self.world.step(count)
        if self.timeline.grew(self.world.steps - taken, time.perf_counter() - begin):
            self.timeline.add_key(self.moment())

    def _go_back(self, why: str) -> None:
        """Return to the last kept moment, and raise a CannotContinueError with the reason."""
        key = self.timeline.key_before(self.timeline.tip)
        assert key is not None
        self._carry_out(Rewind(key[0]), from_here=False)
        raise CannotContinueError(f"{why}; time was set back to {self.world.time:.2f} s, which was good.")

    def do(self, command: Command) -> None:
        """Apply a command and log it. A command that the world refuses is not logged."""
        self.commit_view()
        inverse = self._carry_out(command)
        if command.undoable and inverse is not None:
            self.undo_stack.push(command, inverse)

    def undo(self) -> str:
        """Undo a command. Return its name, or an empty text."""
        self.commit_view()
        pair = self.undo_stack.undo()
        if pair is None:
            return ""
        self._carry_out(pair[1])
        return pair[0].label

    def redo(self) -> str:
        """Redo a command. Return its name, or an empty text."""
        self.commit_view()
        pair = self.undo_stack.redo()
        if pair is None:
            return ""
        inverse = self._carry_out(pair[0])
        if inverse is not None:
            self.undo_stack.redone(inverse)
        return pair[0].label

    def _carry_out(self, command: Command, from_here: bool = True) -> Command | None:
        """Change the state and log the command. Return its inverse. With `from_here`, the present state is kept as a
        moment before it is left."""
        tick = self.timeline.tip
        if isinstance(command, Rewind | Reset):
            parent = command.tick if isinstance(command, Rewind) else 0
            moment = self.moment_at(parent)
            if from_here:
                self.timeline.add_key(self.moment())
            if isinstance(command, Rewind):
                self._put(moment)
            else:
                self._reset(moment)
            self.entries.append(Entry(tick, command))
            self.timeline.branch(parent, self.moment())
            return Rewind(tick)
        # what takes hold may lead into trouble: from there the way back is to be short
        if command.changes_state or isinstance(command, Grab | ChangeGrab):
            self.timeline.add_key(self.moment())
        inverse = self._apply(command)
        self.entries.append(Entry(tick, command))
        if command.changes_state:
            self.timeline.grew(1, 0.0)
            self.timeline.add_key(self.moment())
            return Rewind(tick)
        return inverse

    # ------------------------------------------------------------ commands
    def _apply(self, command: Command) -> Command | None:
        """Change the world by a command. Return the inverse of a command that sets values, else None."""
        if isinstance(command, Set):
            old = self.value(command.path)
            self._set(command.path, command.value)
            self._first.setdefault(command.path, old)
            self._changed[command.path] = command.value
            return Set(command.path, old)
        if isinstance(command, SetEach):
            inverse = tuple((path, self.value(path)) for path, _ in command.values)
            for (path, value), (_, old) in zip(command.values, inverse, strict=True):
                self._set(path, value)
                self._first.setdefault(path, old)
                self._changed[path] = value
            return SetEach(inverse)
        if isinstance(command, Restore):
            try:
                self._put(read_moment(command.state))
            except ValueError as error:
                raise DefinitionError("state", f"{len(command.state)} bytes", str(error)) from None
        elif isinstance(command, Pose):
            self._pose(np.array(command.poses))
        elif isinstance(command, HoldPose):
            self._hold_pose()
        elif isinstance(command, GoOn):
            self._go_on(command)
        elif isinstance(command, Grab):
            grab = self.world.grab(command.body, command.point, command.kind, cap=command.cap)
            self._grabs[command.number] = grab
            self._make_firm(grab)
        elif isinstance(command, MoveGrab):
            grab = self._held(command.number)
            grab.target = command.target
            if command.turn is not None:
                grab.target_quaternion = command.turn
        elif isinstance(command, ChangeGrab):
            self._change_grab(command)
        elif isinstance(command, Release):
            if command.number in self._pins:
                self.world.unpin(self._pins.pop(command.number))
            else:
                self._held(command.number).release()
                del self._grabs[command.number]
        return None

    # ------------------------------------------------------------ grabs and pins
    def holds(self, number: int) -> bool:
        """Return whether there is a grab or pin with this number."""
        return number in self._grabs or number in self._pins

    def _held(self, number: int) -> grabs.Grab:
        """Return the grab with this number, or refuse it."""
        if number not in self._grabs:
            raise DefinitionError("number of a grab", number, f"one of {sorted(self._grabs)}")
        return self._grabs[number]

    def _make_firm(self, grab: grabs.Grab) -> None:
        """Set the rate w of a spring grab so that the point sags little under the weight of the figure: k = m w^2 with
        the body's mass m, and k sag = weight."""
        if grab.kind != "spring":
            return
        bodies = [body for body in self.world.bodies.values() if np.isfinite(body.mass)]
        weight = WEIGHT_PER_MASS * sum(body.mass for body in bodies)
        stiffness = weight / (SAG * self._size(bodies))
        rate = (stiffness / self.world.bodies[grab.body].mass) ** 0.5
        grab.rate = min(max(rate, FIRMNESS[0]), FIRMNESS[1])

    @staticmethod
    def _size(bodies: Sequence[Any]) -> float:
        """Return half the largest extent of the bodies' centres [m], at least 0.1."""
        places = np.array([body.position for body in bodies])
        return max(0.5 * float(np.ptp(places, axis=0).max()), 0.1)

    def _change_grab(self, command: ChangeGrab) -> None:
        """Change kind or cap of a grab, or pin its body."""
        if command.number in self._pins:
            self._change_pin(self._pins[command.number], command.kind)
            return
        grab = self._held(command.number)
        if command.kind is not None:
            grab.kind = command.kind
            self._make_firm(grab)
        if command.cap is not None:
            grab.cap = command.cap
        if command.pinned:
            name = next(n for k in count(1) if (n := f"pin {k}") not in self.world.pins and n not in self.world.joints)
            grab.pin(name)
            del self._grabs[command.number]
            self._pins[command.number] = name

    def _change_pin(self, name: str, kind: str | None) -> None:
        """Make a pin hold a point of its body, or its whole pose, where the body is now."""
        if kind not in PIN_KINDS:
            raise DefinitionError("kind of a pin", kind, " or ".join(PIN_KINDS))
        pin = self.world.pins[name]
        body, at = str(pin.definition.b), pin.anchor
        self.world.unpin(name)
        self.world.pin(body, at if kind == "point" else None, name=name)

    def held(self) -> tuple[HeldPoint, ...]:
        """Return grabs and pins in the form in which they are drawn and listed."""
        seen = [
            HeldPoint(k, g.body, g.kind, g.point, g.target, g.force, g.torque, False) for k, g in self._grabs.items()
        ]
        for number, name in self._pins.items():
            pin = self.world.pins[name]
            kind = "pose" if pin.definition.kind == "weld" else "point"
            at = pin.anchor
            # a pin's joint goes from the world to the body: its force is the one on the body
            seen.append(HeldPoint(number, str(pin.definition.b), kind, at, at, pin.force, pin.torque, True))
        return tuple(seen)

    def pose_toward(self, gesture: int) -> None:
        """Move the paused figure towards the targets of its grabs, without inertia and without time, and log the new
        pose. When the grabs end, the figure stays at that pose."""
        present = self.moment()
        try:
            self.world.order = "kinematic"
            self.world.step(POSING_STEPS)
            poses = self.world.poses()
            self._put(present)
            self._pose(poses)
            if self.world.largest_gap > CLOSED:  # motors went on while the figure was led there, and time does not
                self.world.assemble()
                poses = self.world.poses()
        except DefinitionError as error:
            raise CannotContinueError(str(error)) from None
        finally:
            self._put(present)
        self.do(Pose(tuple(tuple(row) for row in poses.tolist()), gesture))

    def value(self, path: str) -> Any:
        """Return the value of a path in a form that can be set again, or refuse the path."""
        head, _, rest = path.partition(".")
        if head == "settings" and rest in SETTINGS:
            if rest == "stiffness_scale":
                return self.scale
            if rest == "stiff":
                return self.stiff
            if rest == "limited":
                return self.limited
            value = getattr(self.world, rest)
            return tuple(value.tolist()) if isinstance(value, np.ndarray) else value
        if head == "joints":
            name, _, key = rest.rpartition(".")
            if key in JOINT_VALUES:
                return getattr(self.world.joints[name], key)
        raise DefinitionError("path", path, self._paths())

    def _paths(self) -> str:
        """Return a text with the paths that exist."""
        settings = ", ".join(f"settings.{key}" for key in SETTINGS)
        return f"{settings}, " + ", ".join(f"joints.NAME.{key}" for key in JOINT_VALUES)

    def _set(self, path: str, value: Any) -> None:
        """Set the value of a path, or refuse it."""
        self.value(path)  # refuses unknown paths
        head, _, rest = path.partition(".")
        if head == "joints":
            name, _, key = rest.rpartition(".")
            setattr(self.world.joints[name], key, value)
        elif rest == "solver":
            self.world.use_solver(value)
        elif rest == "integrator":
            self.world.use_integrator(value)
        elif rest == "stiff":
            self.stiff = bool(value)
            self.world.stiffness_scale = self.scale if self.stiff else 0.0
        elif rest == "limited":
            self.limited = bool(value)
            for joint in self.limited_joints:
                joint.limited = self.limited
        elif rest == "stiffness_scale":
            if self.stiff:
                self.world.stiffness_scale = value
            self.scale = float(value)
        else:
            setattr(self.world, rest, value)

    def _pose(self, poses: np.ndarray) -> None:
        """Set all bodies to poses (n, 7), at rest."""
        for row, name in self._movable:
            body, pose = self.world.bodies[name], poses[row]
            self.world.place({name: (pose[:3], pose[3:7] / norm(pose[3:7]))})
            body.velocity = (0.0, 0.0, 0.0)
            if body.has_orientation:
                body.angular_velocity = (0.0, 0.0, 0.0)

    def _hold_pose(self) -> None:
        """Make the present angles the rest angles, and switch the springs on. Joints without a spring get one that
        supports the weight of the figure, under which it bends by a hundredth of a radian."""
        self._set("settings.stiff", True)
        for joint in self.world.joints.values():
            if not isinstance(joint.definition, SpringJoint) or isinstance(joint.definition, Spring):
                continue
            joint.hold()
            if not np.any(joint.stiffness):
                stiffness, damping = self._bearing()
                joint.stiffness, joint.damping = stiffness, damping

    def changed(self) -> dict[str, Any]:
        """Return the values that were set since the scene was loaded, by path."""
        return dict(self._changed)

    def differing(self) -> dict[str, Any]:
        """Return the values that differ from those of the scene, by path."""
        return {path: value for path, value in self._changed.items() if self._first.get(path, UNKNOWN) != value}

    def motion(self) -> GoOn:
        """Return a command with the motion of all bodies, for the scene that is loaded next."""
        rows = []
        for _, name in self._movable:
            body = self.world.bodies[name]
            turned = body.has_orientation
            rows.append((
                name, tuple(body.position.tolist()), tuple(body.quaternion.tolist()) if turned else (),
                tuple(body.velocity.tolist()), tuple(body.angular_velocity.tolist()) if turned else (),
            ))  # fmt: skip
        return GoOn(tuple(rows))

    def _go_on(self, command: GoOn) -> None:
        """Give the bodies the motion of the scene that was loaded before, or refuse it."""
        before = {
            name: SimpleNamespace(
                position=np.array(position), quaternion=np.array(quaternion), velocity=np.array(velocity),
                angular_velocity=np.array(spin), has_orientation=bool(quaternion),
            )
            for name, position, quaternion, velocity, spin in command.bodies
        }  # fmt: skip
        why = go_on(cast(World, SimpleNamespace(bodies=before, pins={})), self.world)
        if why:
            raise DefinitionError("motion of the scene before", "another figure", why)

    def follow(self, old: "Simulation") -> list[str]:
        """Continue from the simulation of an earlier version of the scene: take over its motion, its pins, and the
        values set in the window, except for joints that the file has changed. Return what could not be taken over."""
        known = {joint.name: joint for joint in old.scene.joints}
        kept = {joint.name for joint in self.scene.joints if known.get(joint.name) == joint}
        return self.carry_on([
            command for command in old.carried()
            if not isinstance(command, Set)
            or command.path.startswith("settings.")
            or command.path.split(".", 1)[1].rpartition(".")[0] in kept
        ])  # fmt: skip

    def carried(self) -> list[Command]:
        """Return the commands by which another version of the scene continues from here: the motion of the bodies, the
        values that were set, and the pins, all by name."""
        commands: list[Command] = [self.motion()]
        commands += [Set(path, value) for path, value in self._changed.items()]
        for held in self.held():
            if held.pinned and held.number > 0:
                commands.append(Grab(held.number, held.body, tuple(held.point.tolist()), held.kind))
                commands.append(ChangeGrab(held.number, pinned=True))
        return commands

    def carry_on(self, commands: Sequence[Command]) -> list[str]:
        """Carry out the commands of another version of the scene. Return why some of them could not be."""
        refused = []
        for command in commands:
            if isinstance(command, Grab) and command.body not in self.names:
                continue
            if isinstance(command, ChangeGrab) and not self.holds(command.number):
                continue
            try:
                self._carry_out(command)
            except DefinitionError as error:
                refused.append(str(error))
        return refused

    def _bearing(self) -> tuple[float, float]:
        """Return the stiffness k = 100 m g l and the damping c = 0.1 k/w, with w^2 = g/l, of a spring that supports the
        whole figure of mass m and extent l."""
        bodies = [body for body in self.world.bodies.values() if np.isfinite(body.mass)]
        places = np.array([body.position for body in bodies])
        reach = max(float(np.ptp(places, axis=0).max()), 1e-3)
        stiffness = 100.0 * sum(body.mass for body in bodies) * WEIGHT_PER_MASS * reach
        return stiffness, stiffness * 0.1 * (reach / WEIGHT_PER_MASS) ** 0.5

    # ------------------------------------------------------------ moments
    def moment(self) -> Moment:
        """Return the present moment: the state of the world and that of the session."""
        live = {
            "stiff": self.stiff, "scale": self.scale, "limited": self.limited,
            "changed": dict(self._changed), "pins": dict(self._pins),
            "grabs": {number: grab.number for number, grab in self._grabs.items()},
        }  # fmt: skip
        return Moment(self.world.snapshot(), live, len(self.entries))

    def present(self) -> Moment:
        """Return the moment of the present, also while the past is looked at."""
        return self.moment() if self._tip_moment is None else self._tip_moment

    def _put(self, moment: Moment) -> None:
        """Set world and session to a moment."""
        self.world.restore(moment.world)
        self.stiff = moment.live["stiff"]
        self.scale = moment.live["scale"]
        self.limited = moment.live["limited"]
        self._changed = dict(moment.live["changed"])
        self._pins = dict(moment.live["pins"])
        rows = {grab.number: grab for grab in self.world.grabs}
        self._grabs = {number: rows[row] for number, row in moment.live["grabs"].items()}

    def _reset(self, moment: Moment) -> None:
        """Set world and session to the moment of the start, then set again the values that were set."""
        changed = dict(self._changed)
        self._put(moment)
        for path, value in changed.items():
            self._set(path, value)
        self._changed = changed

    # ------------------------------------------------------------ the past
    def look_at(self, tick: int) -> None:
        """Show the state of a tick. Nothing is logged until the simulation continues from there."""
        if self.viewed is None:
            self._tip_moment = self.moment()
        if tick == self.timeline.tip:
            assert self._tip_moment is not None
            self._put(self._tip_moment)
            self.viewed = self._tip_moment = None
        else:
            self._compute(tick)
            self.viewed = tick

    def commit_view(self) -> None:
        """Make the state that is shown the present."""
        if self.viewed is None:
            return
        tick, present = self.viewed, self._tip_moment
        assert present is not None
        self.viewed = self._tip_moment = None
        self._put(present)
        inverse = self._carry_out(Rewind(tick))
        assert inverse is not None
        self.undo_stack.push(Rewind(tick), inverse)
        for number in list(self._grabs):  # of a mouse whose button was released long ago
            self._carry_out(Release(number))

    def moment_at(self, tick: int) -> Moment:
        """Return the moment of a tick that can be reached. The world stays as it is."""
        present = self.moment()
        self._compute(tick)
        wanted = self.moment()
        self._put(present)
        return wanted

    def _compute(self, tick: int) -> None:
        """Set the world to the state of a tick, with the commands of that tick."""
        key = self.timeline.key_before(tick)
        if key is None or not 0 <= tick <= self.timeline.tip:
            raise DefinitionError("tick", tick, "a moment that is still remembered")
        at, moment = key
        self._put(moment)
        for entry in self.entries[moment.entries :]:
            if entry.tick > tick or (entry.tick == tick and entry.command.changes_state):
                break
            self.world.step(entry.tick - at)
            at = entry.tick
            self._apply(entry.command)
            at += int(entry.command.changes_state)
        self.world.step(tick - at)
