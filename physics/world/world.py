"""`World`: the public face of the physics. `physics/README.md` has an example.

A `World` consists of parts, each in a module of this subpackage: `Runner` takes the steps; `Settings`, `Readings` and
`Snapshots` have the properties and methods that their names say; `Placing` sets poses, and `Holding` makes pins and
grabs; views represent bodies, joints and drives. All of them work on one `Engine`, which has the arrays and the solver
mode. This module imports no numba; what needs it is imported when a world is made (`parts.py`)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from physics.data.model import Floats
from physics.data.step_tables import COLUMNS as COLUMNS
from physics.definitions.checks import DefinitionError, DefinitionWarning, flag
from physics.definitions.scene import Scene
from physics.definitions.spellings import Sealed
from physics.world.checks import CannotContinueError as CannotContinueError
from physics.world.counters import Counters
from physics.world.settings import (
    CONTACT_LAWS as CONTACT_LAWS, CONTACT_METHODS as CONTACT_METHODS, CONTACT_TOLERANCE as CONTACT_TOLERANCE,
    FEEDBACK as FEEDBACK, FREE_CORRECTION as FREE_CORRECTION, GREATEST_TOLERANCE as GREATEST_TOLERANCE, ContactSettings,
    Settings,
)  # fmt: skip

__all__ = ["World"]

if TYPE_CHECKING:
    from physics.world.body_views import Named
    from physics.world.drive_views import MediumView
    from physics.world.engine import Engine
    from physics.world.grabs import Grab, Holding
    from physics.world.measure import Energy, Momentum
    from physics.world.placing import Placing
    from physics.world.readings import Readings
    from physics.world.running import Runner
    from physics.world.snapshots import Snapshots
    from physics.world.touching import Contact, ContactSolution
    from physics.world.views import JointView


def part_of(part: str, attribute: Any) -> Any:
    """Return a property of World that reads and writes `attribute` of one of its parts, with its documentation. The
    World has that part under the name `part`."""

    def read(world: World) -> Any:
        return attribute.fget(getattr(world, part))

    def write(world: World, value: Any) -> None:
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
    read: `energy()`, `momentum()`, `contacts()`, `gaps()`, `poses()`, `largest_gap`, `accelerations()`. `snapshot()`
    saves the state, `restore` returns to it, and `state_hash()` identifies it. The documentation of each says what its
    numbers mean, as in `help(World.energy)`.

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
    # the parts, which physics/world/parts.py makes
    _settings: Settings
    _contacts: ContactSettings
    _counters: Counters
    _readings: Readings
    _runner: Runner
    _snapshots: Snapshots
    _holding: Holding
    _placing: Placing

    # ------------------------------------------------------------ settings, all live: physics/world/settings.py
    timestep: float = part_of("_settings", Settings.timestep)
    gravity: Any = part_of("_settings", Settings.gravity)
    solver: str = part_of("_settings", Settings.solver)
    integrator: str = part_of("_settings", Settings.integrator)
    contact_method: str = part_of("_contacts", ContactSettings.contact_method)
    contact_law: str = part_of("_contacts", ContactSettings.contact_law)
    sleeping: bool = part_of("_contacts", ContactSettings.sleeping)
    contact_tolerance: float = part_of("_contacts", ContactSettings.contact_tolerance)
    columns: str = part_of("_settings", Settings.columns)
    timed: bool = part_of("_settings", Settings.timed)
    correction: str = part_of("_settings", Settings.correction)
    feedback: Any = part_of("_settings", Settings.feedback)
    order: str = part_of("_settings", Settings.order)
    guard: bool = part_of("_settings", Settings.guard)
    stiffness_scale: float = part_of("_settings", Settings.stiffness_scale)
    drives_on: bool = part_of("_settings", Settings.drives_on)
    posing_friction: float = part_of("_settings", Settings.posing_friction)

    # ------------------------------------------------------------ what is read: physics/world/counters.py
    time: float = part_of("_counters", Counters.time)
    steps: int = part_of("_counters", Counters.steps)
    substepped: int = part_of("_counters", Counters.substepped)
    redone: int = part_of("_counters", Counters.redone)
    frozen: int = part_of("_counters", Counters.frozen)
    largest_gap: float = part_of("_counters", Counters.largest_gap)
    work_of_limits: float = part_of("_counters", Counters.work_of_limits)
    limits_left_out: int = part_of("_counters", Counters.limits_left_out)
    iterations: int = part_of("_counters", Counters.iterations)
    residual: float = part_of("_counters", Counters.residual)
    condition: float = part_of("_counters", Counters.condition)

    def __init__(
        self,
        scene: Scene,
        *,
        solver: str = "fused",
        integrator: str = "trbdf2",
        guard: bool = True,
        advise: bool = True,
    ):
        """Build a world of a scene, with this solver mode and integrator. Velocities that joints forbid are removed,
        with a warning. `guard` says whether each step is judged, and redone if it is rejected. `advise` says whether to
        warn of contacts that joints switch off although they would be needed."""
        if not isinstance(scene, Scene):
            raise DefinitionError(
                "scene", type(scene).__name__, "a physics.definitions.scene.Scene (of a file: scenes.load)"
            )
        from physics.world import parts  # here: definitions need no numba, and this imports it

        # Whether forces of joints and contacts are found when they are read before the first step; else they are 0. For
        # programs that must not compile whenever something is looked at.
        self.foresees = True
        parts.make_parts(self, scene, flag("guard", guard))
        self.use_solver(solver)
        self.use_integrator(integrator)
        for missed in parts.missed_contacts(self.engine.built.scene) if advise else ():
            warnings.warn(missed.sentence, DefinitionWarning, stacklevel=2)
        parts.take_out_forbidden(self.engine)

    def place(self, poses: Mapping[str, tuple[Any, Any]]) -> None:
        """Set the poses of several bodies at once, without regard to joints. Each pose is a position [m] and a
        quaternion, which is ignored for a particle. `gaps` then says how open the joints are, and `assemble(hold=())`
        closes them."""
        self._placing.place(poses)

    def pin(self, body: str, point: Any = None, *, name: str | None = None) -> JointView:
        """Hold a body where it is. Without `point` its whole pose is held; with `point`, a position in the world, only
        the point of the body that is there now. A pin is an exact joint in every solver mode. Return the view of the
        pin, which has its force; `unpin` removes the pin."""
        name = self._holding.pin(body, point, name=name)
        return self.pins[name]

    def unpin(self, name: str) -> None:
        """Remove the pin of this name."""
        _ = self.pins[name]
        self._holding.unpin(name)

    def grab(
        self, body: str, point: Any = None, kind: str = "spring", *, target: Any = None, cap: float | None = None
    ) -> Grab:
        """Grab a body at a point (a position in the world; by default its centre of mass), and draw that point to
        `target`. The kind "spring" sags under the weight that it carries, "point" does not sag, and "pose" holds the
        orientation too. `cap` is the largest force [N], by default 20 times the weight of the figure."""
        return self._holding.grab(body, point, kind, target=target, cap=cap)

    @property
    def grabs(self) -> list[Grab]:
        """All grabs that have not been released."""
        return self._holding.grabs

    def poses(self) -> Floats:
        """Return position [m] and quaternion (w first) of all `bodies` in their order (n, 7)."""
        return self._placing.poses()

    def accelerations(self) -> Floats:
        """Return the accelerations of all bodies at the present state (n, 6), or (n, 9) if some body stretches, in the
        order of the scene. They come from the present solver mode, and joint forces are set to the corresponding
        multipliers."""
        return self.engine.accelerations()

    def first_order_velocities(self) -> Floats:
        """Return the velocities of all bodies (n, 6), or (n, 9) if some body stretches, in the order of the scene. They
        follow from the law f = m v, with the applied forces and posing friction. Joint forces are set to the
        corresponding multipliers."""
        return self.engine.first_order_velocities()

    def assemble(
        self, tolerance: float = 1e-12, most: int = 50, *, hold: Iterable[str] | None = None
    ) -> dict[str, float]:
        """Close the joints by projection of positions and velocities, with the smallest change in the mass metric.
        Return how far each body was moved [m]; raise a DefinitionError if the joints cannot be closed. Bodies that were
        set since the last step stay there as far as their joints allow. With `hold` (names of joints, possibly none)
        these bodies have no such priority. Instead, the named joints keep their coordinates, if they are in the
        forest."""
        return self._placing.assemble(tolerance, most, hold=hold)

    def move(self, time: float) -> None:
        """Move every body with its present velocity for a time [s], without regard to joints and forces. `assemble`, or
        the next step, closes the joints."""
        self._placing.move(time)

    def contacts(self) -> list[Contact]:
        """Return the contacts of the last step, including points that nearly touch. Before the first step, return those
        at the start, with the forces that support the figure. Each has `a` and `b`, names of bodies; `point` [m],
        `normal` from a to b, `depth` [m]; `force` [N] and `impulse` [N s] on b; `velocity` of b relative to a [m/s];
        the coefficient `friction`, and `sliding`, whether friction is at its limit; `residual` [m/s] and `power` [W],
        the amounts by which Coulomb's law is violated (`physics.world.touching.Contact`)."""
        return self._readings.contacts(self.foresees)

    def state_hash(self) -> str:
        """Return the SHA-256 hash of all state that changes in motion, of the time, and of the numbers that the guard
        keeps. With equal settings, equal hashes mean equal steps from then on."""
        return self._snapshots.state_hash()

    def step(self, count: int = 1, *, progress: Callable[[str, int], None] | None = None) -> None:
        """Run `count` whole steps in compiled code. Figures whose bodies were set are assembled first; a position out
        of reach raises a DefinitionError and restores all bodies. `progress(name, number)` is called while kernels are
        compiled. That happens once for each solver mode, because the code is kept on disk. Ctrl-C ends a run after some
        tenths of a second, or after the present step if that takes longer. The world then is where that step ended."""
        self._runner.step(count, progress=progress)

    def use_solver(self, name: str) -> None:
        """Switch the solver mode. This is possible before any step, because the state has maximal coordinates in every
        mode."""
        self._settings.use_solver(name)

    def use_integrator(self, name: str) -> None:
        """Switch the integrator. All integrators hold velocity and position at the same instant."""
        self._settings.use_integrator(name)

    @property
    def leaves_open(self) -> float:
        """Gap [m or rad] up to which joints may be open by design: `hernandez` leaves the gap of each step to the next
        one, and the correction by feedback closes gaps over time. It is 0 if each step closes the joints."""
        return self._readings.leaves_open

    @property
    def redundant(self) -> list[str]:
        """Names of joints outside the forest whose rows depend linearly on those of other joints, according to the last
        factorisation. The equations of motion do not determine how these joints share their forces. The forces that are
        read are the smallest (physics/world/self_stress.py); the motion is the same for any choice."""
        return self._readings.redundant

    @property
    def taut(self) -> list[str]:
        """Names of joints outside the forest whose rows almost depend on others, according to the last factorisation.
        An example is a chain between two hooks that is straight to some hundredths of a radian, where small loads cause
        large forces. A chain that is straight to 1e-4 rad is among the `redundant` joints."""
        return self._readings.taut

    @property
    def contradictions(self) -> list[str]:
        """Names of joints that could not be closed together with the others in the last step, or that the others pushed
        beyond their limits. The motion continues without them."""
        return self._readings.contradictions

    @property
    def contact_solution(self) -> ContactSolution:
        """How the contacts of the last step were solved."""
        return self._readings.contact_solution

    @property
    def refusals(self) -> dict[str, str]:
        """The solver modes that refuse this figure, each with its reason."""
        return self._readings.refusals

    def energy(self) -> Energy:
        """Return the `kinetic`, `potential` (of gravity) and `elastic` energy and their sum `total`, all in J
        (`physics.world.measure.Energy`). `ledger` is the total minus the work done from outside; its changes show the
        error of the integrator. `contact` is the work of contacts, and `lost` is the energy that redone steps lost,
        both since the start."""
        return self._readings.energy()

    def momentum(self) -> Momentum:
        """Return `linear` [kg m/s] and `angular` momentum about the world's origin [kg m^2/s] of all bodies."""
        return self._readings.momentum()

    def gaps(self) -> dict[str, tuple[float, float]]:
        """Return distance [m] and angle [rad] by which each joint is open, by its name."""
        return self._readings.gaps()

    def anticipation_times(self) -> dict[str, float]:
        """Return the mean times in a timestep [s], since `timed` was set, of the six stages of [Baraff96, section 8.2]:
        the factor; the columns of responses; the solution without auxiliary rows; the matrix and right-hand sides; the
        multipliers; the solution with these multipliers."""
        return self._readings.anticipation_times()

    def snapshot(self) -> bytes:
        """Return bytes that contain the whole state, every setting that can change, and a version number."""
        return self._snapshots.write()

    def restore(self, snapshot: bytes) -> None:
        """Restore a snapshot of this figure. Later steps then give the same bits as the steps after the snapshot was
        taken. A snapshot that is refused changes nothing."""
        self._snapshots.restore(snapshot)

    @property
    def uncompiled(self) -> int:
        """Number of kernels that the next step would compile because they are not in the disk cache."""
        return self.engine.kernels.uncompiled

    def compile_elsewhere(self, still_wanted: Callable[[], bool] = lambda: True) -> bool:
        """Have another process compile the kernels that the next step needs, and wait for it as long as
        `still_wanted()` is true. Return whether all of them are then in the disk cache. Compiling in this process would
        stop all its threads, and keep hundreds of megabytes of memory."""
        return self.engine.kernels.compile_elsewhere(still_wanted)

    def compile_redoing(self, progress: Callable[[str, int], None] | None = None) -> None:
        """Compile the units that redo a rejected step. Without this call they are compiled at the first rejected step.
        Most motions have none."""
        self.engine.kernels.compile_redoing(progress)
