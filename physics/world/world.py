"""`World`: the public face of the physics. `physics/README.md` has an example.

The parts of a `World` are modules of this room: `Runner` takes the steps, `Settings`, `Readings` and `Snapshots` do
what their names say, and views stand for bodies, joints and drives. All parts work on one `Engine`, which holds the
arrays and the solver mode.
"""

import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from physics.build.relink import Pin
from physics.data.model import Floats
from physics.data.state_tables import Grabs, PoseColumn
from physics.data.step_tables import Control, Number
from physics.definitions.actuators import Drive
from physics.definitions.bodies import Body, Fixed, Massless, Particle, PlanarBody
from physics.definitions.checks import DefinitionError, DefinitionWarning, flag, number
from physics.definitions.couplings import Coupling
from physics.definitions.joints import Ball, Joint, Weld
from physics.definitions.motions import Motor
from physics.definitions.rotations import quaternion_product
from physics.definitions.scene import Scene
from physics.definitions.spellings import Sealed
from physics.driver import preparations
from physics.integrators import acceptance
from physics.maths.strict import norms
from physics.world.assembly import Closing
from physics.world.drive_views import DriveView, MediumView, TargetSpringView
from physics.world.engine import COLUMNS as COLUMNS, Engine, CannotContinueError as CannotContinueError
from physics.world.grabs import Grab
from physics.world.measure import Energy, Momentum, measure_gaps
from physics.world.reach import missed_contacts
from physics.world.readings import Readings
from physics.world.running import Runner
from physics.world.settings import (
    CONTACT_LAWS as CONTACT_LAWS, CONTACT_METHODS as CONTACT_METHODS, CONTACT_TOLERANCE as CONTACT_TOLERANCE,
    FEEDBACK as FEEDBACK, FREE_CORRECTION as FREE_CORRECTION, GREATEST_TOLERANCE as GREATEST_TOLERANCE, Settings,
)  # fmt: skip
from physics.world.snapshots import Snapshots
from physics.world.starting import take_out_forbidden
from physics.world.touching import Contact, ContactSolution
from physics.world.body_views import BodyView, FixedView, Named, vector
from physics.world.views import ConditionView, CouplingView, FoldedView, JointView, MotorView

# A second correction sweep is asked for above this gap, which keeps every accepted step well under 1e-6.
GAP_TOLERANCE = 3e-7
CG_TOLERANCE = 1e-12


def part_of(part: str, attribute: Any) -> Any:
    """Return an attribute of World that is the attribute of one of its parts, with the same documentation. The World
    holds that part under the name `part`."""

    def read(world: "World") -> Any:
        return attribute.fget(getattr(world, part))

    def write(world: "World", value: Any) -> None:
        attribute.fset(getattr(world, part), value)

    return property(read, write if attribute.fset else None, doc=attribute.__doc__)


class World(Sealed):
    """Bodies and joints in motion. They are reached by name, `world.bodies["rod"].position`, and read and set while
    they move. Quantities are in SI units and world axes.

    `bodies`: all bodies of the scene (`BodyView`; `FixedView` for static and moving bodies)
    `joints`: joints, motors, springs and constraints between two bodies (`JointView`; `MotorView`)
    `couplings`: sums of joint coordinates (`CouplingView`), conditions on several bodies (`ConditionView`)
    `drives`: drives of joints (`DriveView`), target springs of bodies (`TargetSpringView`)
    `pins`: joints that `pin` made (`JointView`)
    `grabs`: grabs that `grab` made and that still hold (`Grab`)
    `medium`: density, viscosity and wind (`MediumView`), or None
    `foresees`: whether forces that are read before the first step are computed; else they are 0

    These run steps: `step`, `time`, `steps`. These are settings: `timestep`, `gravity`, `use_solver`, `use_integrator`,
    `order`, `correction`, `contact_method`, `contact_tolerance`, `stiffness_scale`, `drives_on`, `sleeping`. These
    read: `energy()`, `momentum()`, `contacts()`, `gaps()`, `poses()`, `largest_gap`, `accelerations()`. These return to
    an earlier state: `snapshot()`, `restore`, `state_hash()`. The documentation of each says what its numbers mean, as
    in `help(World.energy)`.

    >>> from physics import Body, Hinge, Scene, World
    >>> rod = Body(name="rod", mass=2.0, inertia=(0.1, 0.1, 0.01), position=(0.5, 0, 0))
    >>> pivot = Hinge(name="pivot", a="world", b="rod", axis=(0, 1, 0))
    >>> world = World(Scene(bodies=[rod], joints=[pivot]))
    >>> world.step(10)
    >>> world.steps, round(world.time, 3), world.largest_gap < 1e-6
    (10, 0.042, True)
    """

    bodies: Named[Any]
    joints: Named[Any]
    couplings: Named[Any]
    drives: Named[Any]
    pins: Named[JointView]
    medium: MediumView | None
    foresees: bool
    engine: Engine  # for tests and benchmarks of this project: nothing in it is promised to stay

    # ------------------------------------------------------------ settings, all live: physics/world/settings.py
    timestep: float = part_of("_settings", Settings.timestep)
    gravity: Any = part_of("_settings", Settings.gravity)
    solver: str = part_of("_settings", Settings.solver)
    integrator: str = part_of("_settings", Settings.integrator)
    contact_method: str = part_of("_settings", Settings.contact_method)
    contact_law: str = part_of("_settings", Settings.contact_law)
    sleeping: bool = part_of("_settings", Settings.sleeping)
    contact_tolerance: float = part_of("_settings", Settings.contact_tolerance)
    columns: str = part_of("_settings", Settings.columns)
    timed: bool = part_of("_settings", Settings.timed)
    correction: str = part_of("_settings", Settings.correction)
    feedback: Any = part_of("_settings", Settings.feedback)
    order: str = part_of("_settings", Settings.order)
    guard: bool = part_of("_settings", Settings.guard)
    stiffness_scale: float = part_of("_settings", Settings.stiffness_scale)
    drives_on: bool = part_of("_settings", Settings.drives_on)
    posing_friction: float = part_of("_settings", Settings.posing_friction)

    # ------------------------------------------------------------ what is read: physics/world/readings.py
    time: float = part_of("_readings", Readings.time)
    steps: int = part_of("_readings", Readings.steps)
    substepped: int = part_of("_readings", Readings.substepped)
    redone: int = part_of("_readings", Readings.redone)
    frozen: int = part_of("_readings", Readings.frozen)
    largest_gap: float = part_of("_readings", Readings.largest_gap)
    leaves_open: float = part_of("_readings", Readings.leaves_open)
    redundant: list[str] = part_of("_readings", Readings.redundant)
    taut: list[str] = part_of("_readings", Readings.taut)
    contradictions: list[str] = part_of("_readings", Readings.contradictions)
    work_of_limits: float = part_of("_readings", Readings.work_of_limits)
    limits_left_out: int = part_of("_readings", Readings.limits_left_out)
    contact_solution: ContactSolution = part_of("_readings", Readings.contact_solution)
    iterations: int = part_of("_readings", Readings.iterations)
    residual: float = part_of("_readings", Readings.residual)
    condition: float = part_of("_readings", Readings.condition)
    refusals: dict[str, str] = part_of("_readings", Readings.refusals)

    def __init__(
        self,
        scene: Scene,
        *,
        solver: str = "fused",
        integrator: str = "trbdf2",
        guard: bool = True,
        advise: bool = True,
    ):
        """Build a world. `advise`: whether to warn of contacts that joints switch off although they would be needed."""
        if not isinstance(scene, Scene):
            raise DefinitionError(
                "scene", type(scene).__name__, "a physics.definitions.scene.Scene (of a file: scenes.load)"
            )
        # Whether forces of joints and contacts are found when they are read before the first step; else they are 0. For
        # programs that must not compile whenever something is looked at.
        self.foresees = True
        self.engine = engine = Engine(scene)
        self._settings, self._readings, self._runner = Settings(engine), Readings(engine), Runner(engine)
        self._set_numbers(scene, guard)
        engine.forces.step, engine.forces.are_foreseen = self._runner.step, lambda: self.foresees
        engine.pins_changed = self._show_pins
        by_name = {joint.name: joint for joint in scene.joints}
        rows = engine.built.joint_row
        self.bodies = Named("bodies", {b.name: self._view(b) for b in engine.built.scene.bodies}, self)
        self.joints = Named("joints", {k: self._joint_view(by_name[k]) for k in by_name if k in rows}, self)
        self.couplings = Named("couplings", {c.name: self._linkage_view(c) for c in scene.couplings}, self)
        self.drives = Named("drives", {d.name: self._drive_view(d) for d in scene.drives}, self)
        self.medium = None if scene.medium is None else MediumView(engine)
        self._show_pins()
        names = [list(named) for named in (self.bodies, self.joints, self.couplings, self.drives)]
        self._snapshots = Snapshots(engine, self._settings, names)
        self.use_solver(solver)
        self.use_integrator(integrator)
        for missed in missed_contacts(engine.built.scene) if advise else ():
            warnings.warn(missed.sentence, DefinitionWarning, stacklevel=2)
        take_out_forbidden(engine)

    def _set_numbers(self, scene: Scene, guard: bool) -> None:
        """Set the settings with which a world starts."""
        x, c = self.engine.work.number, self.engine.work.control
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

    def _show_pins(self) -> None:
        """Make the views of the present pins."""
        pins = self.engine.pins
        self.pins = Named("pins", {k: JointView(self.engine, pin.joint) for k, pin in pins.items()}, self)

    def _view(self, body: Body | Particle | PlanarBody | Massless | Fixed) -> Any:
        """Return the view of a body."""
        if isinstance(body, Fixed):
            return FixedView(self.engine, body, self.engine.built.frame_row.get(body.name, -1))
        return BodyView(self.engine, body.name, self.engine.built.body_row[body.name])

    def _joint_view(self, joint: Joint) -> JointView:
        """Return the view of a joint."""
        place = self.engine.built.places.get(joint.name)
        if place is not None:
            return FoldedView(self.engine, joint, place)
        return MotorView(self.engine, joint) if isinstance(joint, Motor) else JointView(self.engine, joint)

    def _linkage_view(self, linkage: Any) -> CouplingView | ConditionView:
        """Return the view of a coupling or condition."""
        if isinstance(linkage, Coupling):
            return CouplingView(self.engine, linkage)
        return ConditionView(self.engine, linkage)

    def _drive_view(self, drive: Any) -> DriveView | TargetSpringView:
        """Return the view of a drive or target spring."""
        if isinstance(drive, Drive):
            return DriveView(self.engine, drive, self.joints[drive.joint])
        return TargetSpringView(self.engine, drive)

    def place(self, poses: Mapping[str, tuple[Any, Any]]) -> None:
        """Put bodies at given poses, each a position and a quaternion (a particle has no quaternion), all at once
        and without regard to their joints. `gaps` then says how open the joints are, and `assemble(hold=())` closes
        them."""
        before, self.engine.moved = self.engine.moved, None
        try:
            for name, (position, quaternion) in poses.items():
                self.bodies[name].position = position
                if self.bodies[name].has_orientation:
                    self.bodies[name].quaternion = quaternion
        finally:
            self.engine.moved = before

    def pin(self, body: str, point: Any = None, *, name: str | None = None) -> JointView:
        """Hold a body where it is: its whole pose, or with `point` (a position in the world) only its point that is
        there now. A pin is an exact joint in every solver mode. `unpin` removes it, and the view that is returned has
        its force."""
        view, row = self.bodies[body], self._free_row("pin", body)
        if name is None:
            name = next(k for k in (f"pin {body} {i}" for i in itertools.count(1)) if k not in self.engine.pins)
        if not isinstance(name, str) or not name:
            raise DefinitionError("name of a pin", name, "a text that is not empty")
        if name in self.engine.pins or name in self.engine.built.joint_row:
            raise DefinitionError("name of a pin", name, "a name that no pin, joint or coupling has")
        at = tuple(view.position if point is None else vector("point of a pin", point, 3))
        if point is None and view.has_orientation:
            joint: Ball | Weld = Weld(name=name, a="world", b=body, at=at, auxiliary=True)
        else:
            at = at if view.has_orientation else tuple(view.position)
            joint = Ball(name=name, a="world", b=body, at=at, auxiliary=True)
        pose = tuple(self.engine.state.pose[row].tolist())
        self.engine.relink({**self.engine.pins, name: Pin(joint, pose)})
        return self.pins[name]

    def unpin(self, name: str) -> None:
        """Remove a pin."""
        _ = self.pins[name]
        self.engine.relink({k: pin for k, pin in self.engine.pins.items() if k != name})

    def grab(
        self, body: str, point: Any = None, kind: str = "spring", *, target: Any = None, cap: float | None = None
    ) -> Grab:
        """Grab a body at a point (a position in the world; its centre of mass where none is given), and draw that point
        to `target`. The kind "spring" sags under the weight that it carries, "point" does not sag, and "pose" holds the
        orientation too. `cap` is the largest force [N]; 20 times the weight of the figure where none is given."""
        view, row = self.bodies[body], self._free_row("grab", body)
        if self.engine.state.pose.shape[1] > PoseColumn.SHAPE:
            self.engine.refresh()  # inertia follows the scales
        place = view.position if point is None else vector("point of a grab", point, 3)
        free = np.flatnonzero(self.engine.state.grab[:, Grabs.BODY] < 0.0)
        if not len(free):
            self.engine.relink(self.engine.pins, max(4, 2 * len(self.engine.state.grab)))
            free = np.flatnonzero(self.engine.state.grab[:, Grabs.BODY] < 0.0)
        grab = Grab(self.engine, int(free[0]), self.pin)
        grab._take(row, place, kind, target, cap)
        self.engine.mark_changed()
        return grab

    @property
    def grabs(self) -> list[Grab]:
        """All grabs that hold."""
        return [
            Grab(self.engine, int(g), self.pin) for g in np.flatnonzero(self.engine.state.grab[:, Grabs.BODY] >= 0.0)
        ]

    def poses(self) -> Floats:
        """Return position and quaternion (w first) of all `bodies` in their order (n, 7)."""
        rows = np.array([view._row for view in self.bodies.values()])
        fixed = np.array([isinstance(view, FixedView) for view in self.bodies.values()])
        out = np.empty((len(rows), 7))
        pose = self.engine.state.pose[rows[~fixed], :7]
        out[~fixed, :3] = pose[:, :3]
        back = self.engine.built.principal[rows[~fixed]] * np.array([1.0, -1.0, -1.0, -1.0])  # principal axes to own
        out[~fixed, 3:] = quaternion_product(pose[:, 3:].T, back.T).T
        views = list(self.bodies.values())
        for k in np.flatnonzero(fixed):
            out[k] = (*views[k].position, *views[k].quaternion)
        return out

    def accelerations(self) -> Floats:
        """Return the accelerations of all bodies at the present state (n, 6), in the order of the scene; (n, 9) where
        some body stretches. The solver of the present mode finds them, and joint forces are set to the multipliers that
        belong to them."""
        return self.engine.accelerations()

    def first_order_velocities(self) -> Floats:
        """Return the velocities (n, 6) of the law f = m v under the applied forces, with posing friction; (n, 9) where
        some body stretches. Joint forces are set to the multipliers that belong to them."""
        return self.engine.first_order_velocities()

    def assemble(
        self, tolerance: float = 1e-12, most: int = 50, *, hold: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Close the joints by projection of positions and velocities, with the smallest change in the mass metric.
        Return how far each body was moved [m]; raise a DefinitionError where the joints cannot be closed. Bodies that
        were set since the last step stay where they were put, as far as their joints allow. With `hold` (names of
        joints, perhaps none), bodies that were set have no such priority; instead the coordinates of those named joints
        that belong to the forest stay."""
        start = self.engine.state.pose[:, :3].copy()
        held = [self.engine.built.joint_row[k] for k in hold or () if k in self.engine.built.joint_row]
        if hold is None and self.engine.moved is not None and self.engine.moved.is_aimed:
            self.engine.settle()
        self.engine.moved = None
        closing = Closing(self.engine)
        with self.engine.answered_in_linear_time():
            gap = closing.close(tolerance, most, stiff=[row for row in held if row < len(self.engine.model.topology)])
            if not gap <= 1e-6:
                self.engine.refresh()
                row = int(np.argmax(measure_gaps(self.engine.work).max(axis=1)))
                name = next(k for k, r in self.engine.built.joint_row.items() if r == row)
                raise DefinitionError(f"joint {name!r}", f"open by {gap:.3g}", "joints that can all be closed together")
            closing.stop()
        moved = norms(self.engine.state.pose[:, :3] - start)
        return {name: float(moved[row]) for name, row in self.engine.built.body_row.items()}

    def move(self, time: float) -> None:
        """Move every body with its present velocity for a time [s], without joints and forces. `assemble`, or the next
        step, closes the joints."""
        duration = number("time of a move", time, -math.inf)
        for row in range(len(self.engine.state.pose)):
            self.engine.note_moved(row, "others")
        self.engine.call(preparations.move, self.engine.state.velocity, duration)
        self.engine.mark_changed()

    def contacts(self) -> list[Contact]:
        """Return the contacts of the last step, those that nearly touch included, with the force between the bodies;
        before the first step, the contacts that carry the figure at the start. Each has `a` and `b`, names of bodies;
        `point` [m], `normal` from a to b, `depth` [m]; `force` [N] and `impulse` [N s] on b; `velocity` of b relative
        to a [m/s]; the coefficient `friction`, and `sliding`, whether friction is at its limit; `residual` [m/s] and
        `power` [W], by how much Coulomb's law is violated (`physics.world.touching.Contact`)."""
        engine = self.engine
        if engine.built.touch is None:
            return []
        if self.steps == 0 and self.foresees:
            return engine.forces.foresee()[1]
        return engine.read_contacts(engine.span)

    def state_hash(self) -> str:
        """Return the SHA-256 hash of everything that moves, of the time, and of what the guard uses. With equal
        settings, equal hashes mean equal steps from then on."""
        return self._snapshots.state_hash()

    def _free_row(self, what: str, body: str) -> int:
        """Return the row of a body that forces move. Other bodies can neither be pinned nor grabbed."""
        if body not in self.engine.built.body_row:
            raise DefinitionError(f"body to {what}", body, "a body that forces move, neither static nor moving")
        return self.engine.built.body_row[body]

    def step(self, count: int = 1, *, progress: Callable[[str, int], None] | None = None) -> None:
        """Run whole steps in compiled code. Figures with bodies that were set are assembled around these first; a
        position out of reach is a DefinitionError, which restores all bodies. `progress(name, number)` is called
        while kernels are compiled; that happens once for each solver mode, and the code is kept on disk. Ctrl-C ends
        a run of any length after some tenths of a second, or after the present step; the world is then where that
        step left it."""
        self._runner.step(count, progress=progress)

    def use_solver(self, name: str) -> None:
        """Switch the solver mode. The state is kept in maximal coordinates, so that this is possible before any
        step."""
        self._settings.use_solver(name)

    def use_integrator(self, name: str) -> None:
        """Switch the integrator. All integrators hold velocity and position at the same instant."""
        self._settings.use_integrator(name)

    def energy(self) -> Energy:
        """Return `kinetic`, `potential` (of gravity) and `elastic` energy, and their sum `total`; `ledger`, the total
        less the work done from outside, which shows the error of the integrator; `contact`, the work of contacts, and
        `lost`, the energy that redone steps gave up, both since the start. All are in J
        (`physics.world.measure.Energy`)."""
        return self._readings.energy()

    def momentum(self) -> Momentum:
        """Return `linear` [kg m/s] and `angular` momentum about the world's origin [kg m^2/s] of all bodies."""
        return self._readings.momentum()

    def gaps(self) -> dict[str, tuple[float, float]]:
        """Return distance [m] and angle [rad] by which each joint is open, by its name."""
        return self._readings.gaps()

    def anticipation_times(self) -> dict[str, float]:
        """Mean time of a step [s] since `timed` was set, for each of the six steps of [Baraff96, section 8.2]: the
        factor; the columns of responses; the solution without auxiliary rows; the matrix and right-hand sides; the
        multipliers; the solution with them."""
        return self._readings.anticipation_times()

    def snapshot(self) -> bytes:
        """Return the whole state and every live setting as bytes, with a version."""
        return self._snapshots.write()

    def restore(self, snapshot: bytes) -> None:
        """Restore a snapshot of this figure. All later steps are the same to the last bit. A refusal changes
        nothing."""
        self._snapshots.restore(snapshot)

    @property
    def uncompiled(self) -> int:
        """Return how many kernels the next step would compile because they are not in the disk cache."""
        return self.engine.kernels.uncompiled

    def compile_elsewhere(self, still_wanted: Callable[[], bool] = lambda: True) -> bool:
        """Have another process compile what the next step needs, and wait for it as long as `wanted` returns True.
        Compiling in this process would stop all its threads, and keep hundreds of megabytes. Return False where that
        failed."""
        return self.engine.kernels.compile_elsewhere(still_wanted)

    def compile_redoing(self, progress: Callable[[str, int], None] | None = None) -> None:
        """Compile what redoes a rejected step. This happens at the first rejected step, because most motions have
        none."""
        self.engine.kernels.compile_redoing(progress)
