"""World: the one public face of the physics.

world = World(Scene(bodies=[...], joints=[...]))
world.step(240);  world.use_solver("aba");  world.joints["knee"].torque
"""

import gc
import math
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import numpy as np

from physics import drivers
from physics import layout as lay
from physics.build import (
    Built, axis_order, build, conjugate, matrix_of, quaternion_product, spring_flags, start_turns,
)  # fmt: skip
from physics.definitions import Ball, DefinitionError, Joint, Scene, SpringJoint, per_axis
from physics.kernels.jit import compilation_news
from physics.measure import Energy, Momentum, measure_energy, measure_gaps, measure_momentum, state_hash
from physics.model import Floats
from physics.modes import MODES, refusal

T = TypeVar("T")
SNAPSHOT_VERSION = 1
# A second correction sweep is asked for above this gap, which keeps every accepted step well under 1e-6.
GAP_TOLERANCE = 3e-7
CG_TOLERANCE = 1e-12


class HopelessError(RuntimeError):
    """A step that even the guard could not take; the world keeps its last good state."""


class Named(Mapping[str, T]):
    """Things by name; a misspelt name says which are known."""

    def __init__(self, what: str, items: dict[str, T]):
        self._what = what
        self._items = items

    def __getitem__(self, name: str) -> T:
        try:
            return self._items[name]
        except KeyError:
            from difflib import get_close_matches

            close = get_close_matches(str(name), self._items, 3)
            hint = (
                f"did you mean {' or '.join(map(repr, close))}?"
                if close
                else f"known: {', '.join(list(self._items)[:10])}"
            )
            raise KeyError(f"no {self._what} named {name!r}; {hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


class BodyView:
    """One body of a world. Setting its place or velocity is seen by the next step."""

    def __init__(self, world: "World", name: str, row: int):
        self._world = world
        self.name = name
        self._row = row

    @property
    def position(self) -> Floats:
        """Centre of mass, m."""
        return self._world._state.pose[self._row, :3].copy()

    @position.setter
    def position(self, value: Any) -> None:
        self._world._state.pose[self._row, :3] = _vector("position", value, 3)
        self._world._changed()

    @property
    def quaternion(self) -> Floats:
        """Body to world, w first."""
        q = self._world._state.pose[self._row, 3:]
        return quaternion_product(q, conjugate(self._world._built.principal[self._row]))

    @quaternion.setter
    def quaternion(self, value: Any) -> None:
        q = _vector("quaternion", value, 4)
        if abs(np.linalg.norm(q) - 1.0) > 1e-3:
            raise DefinitionError("quaternion", tuple(q), "a unit quaternion, w first")
        full = quaternion_product(q / np.linalg.norm(q), self._world._built.principal[self._row])
        self._world._state.pose[self._row, 3:] = full
        start_turns(self._world._model, self._world._state)
        self._world._changed()

    @property
    def velocity(self) -> Floats:
        """Of the centre of mass, m/s."""
        return self._world._state.velocity[self._row, :3].copy()

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._world._state.velocity[self._row, :3] = _vector("velocity", value, 3)
        self._world._changed()

    @property
    def angular_velocity(self) -> Floats:
        """rad/s, world axes."""
        return self._world._state.velocity[self._row, 3:6].copy()

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._world._state.velocity[self._row, 3:6] = _vector("angular_velocity", value, 3)
        self._world._changed()

    @property
    def applied_force(self) -> Floats:
        """A force at the centre of mass that acts until it is changed, N."""
        return self._world._state.applied[self._row, :3].copy()

    @applied_force.setter
    def applied_force(self, value: Any) -> None:
        self._world._state.applied[self._row, :3] = _vector("applied_force", value, 3)
        self._world._changed()

    @property
    def applied_torque(self) -> Floats:
        """N m, world axes."""
        return self._world._state.applied[self._row, 3:].copy()

    @applied_torque.setter
    def applied_torque(self, value: Any) -> None:
        self._world._state.applied[self._row, 3:] = _vector("applied_torque", value, 3)
        self._world._changed()

    @property
    def mass(self) -> float:
        return float(self._world._model.body[self._row, lay.MASS])

    @property
    def kinetic_energy(self) -> float:
        v = self.velocity
        r = matrix_of(self._world._state.pose[self._row, 3:])
        w = r.T @ self.angular_velocity
        inertia = self._world._model.body[self._row, lay.INERTIA : lay.INERTIA + 3]
        return 0.5 * float(self.mass * v @ v + inertia @ (w * w))

    def apply_impulse(self, impulse: Any, angular: Any = (0.0, 0.0, 0.0)) -> None:
        """A blow: impulse [N s] at the centre of mass and angular impulse [N m s]; all joints pass it on."""
        f = np.zeros_like(self._world._work.force)
        f[self._row, :3] = _vector("impulse", impulse, 3)
        f[self._row, 3:6] = _vector("angular", angular, 3)
        self._world._jump(force=f)


class JointView:
    """One joint of a world. Forces act on its second body b, at its anchor."""

    def __init__(self, world: "World", definition: Joint, row: int):
        self._world = world
        self.name = definition.name
        self.definition = definition
        self._row = row
        self._flip = bool(world._built.reversed[row])
        self._order = axis_order(definition, self._flip)

    @property
    def force(self) -> Floats:
        """Constraint and spring force on b, N: of the last step, or of the last `accelerations()`."""
        f = self._world._state.memory[self._row, lay.WRENCH : lay.WRENCH + 3]
        return -f if self._flip else f.copy()

    @property
    def torque(self) -> Floats:
        """Constraint and spring torque on b about its anchor, N m."""
        row = self._world._state.memory[self._row, lay.WRENCH : lay.WRENCH + 6]
        if not self._flip:
            return row[3:].copy()
        # the wrench on a at a's anchor, seen from b's (they differ for sliders and rods)
        return -row[3:] - np.cross(self._anchors()[0] - self._anchors()[1], row[:3])

    def _anchors(self) -> tuple[Floats, Floats]:
        """World places of the child's and the parent's anchor."""
        pose = self._world._state.pose
        joint = self._world._model.joint[self._row]
        child = pose[self._row, :3] + matrix_of(pose[self._row, 3:]) @ joint[lay.ANCHOR_CHILD : lay.ANCHOR_CHILD + 3]
        local = joint[lay.ANCHOR_PARENT : lay.ANCHOR_PARENT + 3]
        p = self._world._model.topology[self._row, lay.PARENT]
        return child, local.copy() if p < 0 else pose[p, :3] + matrix_of(pose[p, 3:]) @ local

    @property
    def anchor(self) -> Floats:
        """World place of the anchor on b."""
        child, parent = self._anchors()
        return parent if self._flip else child

    @property
    def gap(self) -> float:
        """By how much the joint is open: the larger of distance [m] and angle [rad]."""
        self._world._fresh()
        return float(measure_gaps(self._world._work)[self._row].max())

    @property
    def angle(self) -> Any:
        """Coordinate of b relative to a: angle [rad] or travel [m]; two angles of a universal joint; the rotation
        vector of a ball from its spring's rest, world axes."""
        if self.definition.axes == 0:
            raise AttributeError(f"{self.definition.label} has no coordinate")
        values = self._world._coordinates()[self._row]
        if isinstance(self.definition, Ball):
            return -values if self._flip else values
        values = values[self._order]
        return float(values[0]) if len(values) == 1 else values

    def _get(self, column: int) -> Any:
        values = self._world._model.joint[self._row, column : column + self.definition.axes][self._order]
        scaled = values.tolist()
        return scaled[0] if len(set(scaled)) == 1 else tuple(scaled)

    @property
    def stiffness(self) -> Any:
        """N m/rad or N/m; one number, or one for each axis. Before `stiffness_scale` and `stiff`."""
        return self._world._springs[self.name].public("stiffness")

    @stiffness.setter
    def stiffness(self, value: Any) -> None:
        self._world._springs[self.name].set(self, "stiffness", value)

    @property
    def damping(self) -> Any:
        return self._world._springs[self.name].public("damping")

    @damping.setter
    def damping(self, value: Any) -> None:
        self._world._springs[self.name].set(self, "damping", value)

    @property
    def stiff(self) -> bool:
        """False switches this joint's spring off (damping and limits stay)."""
        return self._world._springs[self.name].on

    @stiff.setter
    def stiff(self, value: bool) -> None:
        self._world._springs[self.name].on = bool(value)
        self._world._apply_springs()

    def apply_impulse(self, impulse: Any) -> None:
        """A blow along the joint's axes, N m s or N s: equal and opposite on its two bodies."""
        values = per_axis(f"impulse of {self.definition.label}", impulse, self.definition.axes, -np.inf)
        push = np.zeros((len(self._world._state.pose), 3))
        if isinstance(self.definition, Ball):
            push[self._row] = np.array(values) * (-1.0 if self._flip else 1.0)
        else:
            push[self._row, : len(self._order)] = np.array(values)[self._order]
        self._world._jump(push=push)


class _Spring:
    """The stiffness and damping of one joint as the user set them; the model holds them scaled."""

    def __init__(self, definition: Joint):
        self.definition = definition
        self.values: dict[str, tuple[float, ...]] = {
            "stiffness": tuple(getattr(definition, "stiffness", ())),
            "damping": tuple(getattr(definition, "damping", ())),
        }
        self.on = True

    def public(self, key: str) -> Any:
        values = self.values[key]
        return values[0] if len(set(values)) == 1 else values

    def set(self, view: JointView, key: str, value: Any) -> None:
        if not isinstance(self.definition, SpringJoint):
            raise DefinitionError(f"{key} of {self.definition.label}", value, "nothing: it has no axis that moves")
        if view._world._particle_at(view._row):
            raise DefinitionError(f"{key} of {self.definition.label}", value, "nothing: a particle has no orientation")
        self.values[key] = per_axis(f"{key} of {self.definition.label}", value, self.definition.axes)
        view._world._apply_springs()


class World:
    """Bodies and joints in motion."""

    def __init__(self, scene: Scene, *, solver: str = "fused", integrator: str = "trbdf2", guard: bool = True):
        self._built: Built = build(scene)
        self._model = self._built.model
        self._state = self._built.state
        self._work = self._built.work
        self._stale = True
        self._stiffness_scale = 1.0
        self._springs = {joint.name: _Spring(joint) for joint in scene.joints}
        x, c = self._work.number, self._work.control
        x[lay.DT] = scene.timestep
        x[lay.GRAVITY : lay.GRAVITY + 3] = scene.gravity
        x[lay.GAP_TOLERANCE] = GAP_TOLERANCE
        x[lay.POSING_SCALE] = 1.0
        x[lay.TOLERANCE] = CG_TOLERANCE
        c[lay.GUARD] = int(guard)
        c[lay.GEOMETRIC] = 1
        by_name = {joint.name: joint for joint in scene.joints}
        self.bodies = Named(
            "body", {b.name: BodyView(self, b.name, self._built.body_row[b.name]) for b in scene.bodies}
        )
        rows = self._built.joint_row
        self.joints = Named("joint", {k: JointView(self, by_name[k], rows[k]) for k in by_name if k in rows})
        self.use_solver(solver)
        self.use_integrator(integrator)

    # ------------------------------------------------------------ running
    def step(self, count: int = 1, *, progress: Callable[[str, int], None] | None = None) -> None:
        """Run whole steps inside compiled code. `progress(name, number)` is called while kernels are compiled, which
        happens once for each solver mode and is kept on disk."""
        if count < 0:
            raise DefinitionError("count of steps", count, "0 or more")
        if self._work.control[lay.STATUS] != 0:
            raise HopelessError(self._trouble())
        if not np.isfinite(self._state.pose).all() or not np.isfinite(self._state.velocity).all():
            raise DefinitionError("state", "not finite", "finite poses and velocities")
        self._compiled(self._mode.drive, progress, int(count), self._model, self._state, self._work, self._space)
        self._stale = False
        if self._work.control[lay.STATUS] != 0:
            raise HopelessError(self._trouble())

    def _compiled(self, function: Any, progress: Callable[[str, int], None] | None, *args: Any) -> Any:
        """Call an entry; the first call compiles it, with news and without the garbage collector (a tenth of the
        time)."""
        if getattr(function, "signatures", True):
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
                gc.enable()

    def _trouble(self) -> str:
        row = int(self._work.control[lay.STATUS]) - 1
        name = next((k for k, r in self._built.joint_row.items() if r == row), None)
        where = f"joint {name!r}" if name else "the figure"
        return f"no step could be taken, not even in substeps; the trouble is at {where}. The last good state is kept."

    @property
    def time(self) -> float:
        return float(self._work.number[lay.TIME])

    @property
    def steps(self) -> int:
        """Steps taken."""
        return int(self._work.control[lay.STEP])

    @property
    def redone(self) -> int:
        """Steps that the guard rejected and redid in substeps."""
        return int(self._work.control[lay.REDONE])

    @property
    def frozen(self) -> int:
        """Substeps of redone steps that failed too and left the figure where it was."""
        return int(self._work.control[lay.FROZEN])

    # ------------------------------------------------------------ settings, all live
    @property
    def timestep(self) -> float:
        return float(self._work.number[lay.DT])

    @timestep.setter
    def timestep(self, value: float) -> None:
        if not (np.isfinite(value) and value > 0.0):
            raise DefinitionError("timestep", value, "a finite number > 0")
        self._work.number[lay.DT] = value

    @property
    def gravity(self) -> Floats:
        return self._work.number[lay.GRAVITY : lay.GRAVITY + 3].copy()

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self._work.number[lay.GRAVITY : lay.GRAVITY + 3] = _vector("gravity", value, 3)
        self._changed()

    @property
    def solver(self) -> str:
        return self._mode.name

    def use_solver(self, name: str) -> None:
        """Switch the solver mode; the state is kept in maximal coordinates, so any step will do."""
        if name not in MODES:
            raise DefinitionError("solver", name, ", ".join(MODES))
        mode = MODES[name]
        why = refusal(mode, self._model, {row: k for k, row in self._built.joint_row.items()})
        if why:
            raise DefinitionError("solver", name, why)
        space = mode.make_space(self._model)  # may refuse too: nothing is changed until it has not
        self._mode = mode
        self._space = space
        self._work.control[lay.WITH_ROWS] = int(mode.wants_rows)
        self._changed()

    @property
    def integrator(self) -> str:
        return lay.INTEGRATORS[self._work.control[lay.INTEGRATOR]]

    def use_integrator(self, name: str) -> None:
        """Switch the integrator. All hold the velocity at the same instant as the position."""
        if name not in lay.INTEGRATORS:
            raise DefinitionError("integrator", name, ", ".join(lay.INTEGRATORS))
        self._work.control[lay.INTEGRATOR] = lay.INTEGRATORS.index(name)

    @property
    def order(self) -> str:
        """ "dynamic", f = m a, or "kinematic", f = m v: posing, moved by applied forces alone."""
        return lay.ORDERS[self._work.control[lay.ORDER]]

    @order.setter
    def order(self, name: str) -> None:
        if name not in lay.ORDERS:
            raise DefinitionError("order", name, ", ".join(lay.ORDERS))
        if name != self.order:
            # first-order motion has no inertia: neither way does a velocity carry over
            self._state.velocity[:] = 0.0
            self._state.memory[:, lay.WRENCH : lay.WRENCH + 6] = 0.0
            self._changed()
        self._work.control[lay.ORDER] = lay.ORDERS.index(name)

    @property
    def guard(self) -> bool:
        return bool(self._work.control[lay.GUARD])

    @guard.setter
    def guard(self, value: bool) -> None:
        self._work.control[lay.GUARD] = int(value)

    @property
    def stiffness_scale(self) -> float:
        """Multiplies the stiffness of every joint, 0 to 1e8."""
        return self._stiffness_scale

    @stiffness_scale.setter
    def stiffness_scale(self, value: float) -> None:
        if not (np.isfinite(value) and value >= 0.0):
            raise DefinitionError("stiffness_scale", value, "a finite number >= 0")
        self._stiffness_scale = float(value)
        self._apply_springs()

    @property
    def posing_friction(self) -> float:
        """Multiplies the joint friction in the metric of the kinematic order; 0 leaves the masses alone."""
        return float(self._work.number[lay.POSING_SCALE])

    @posing_friction.setter
    def posing_friction(self, value: float) -> None:
        if not (np.isfinite(value) and value >= 0.0):
            raise DefinitionError("posing_friction", value, "a finite number >= 0")
        self._work.number[lay.POSING_SCALE] = value

    def _apply_springs(self) -> None:
        """Write every joint's spring, as set and scaled, to the model."""
        for name, row in self._built.joint_row.items():
            spring = self._springs[name]
            if not spring.values["stiffness"]:
                continue
            order = self.joints[name]._order
            k = self._stiffness_scale if spring.on else 0.0
            joint = self._model.joint
            joint[row, lay.STIFFNESS : lay.STIFFNESS + len(order)] = k * np.array(spring.values["stiffness"])[order]
            joint[row, lay.DAMPING : lay.DAMPING + len(order)] = np.array(spring.values["damping"])[order]
            self._model.topology[row, lay.FLAGS] = spring_flags(self._model.topology[row], joint[row])
        self._changed()

    def _particle_at(self, row: int) -> bool:
        t = self._model.topology
        rows = (row, t[row, lay.PARENT])
        return any(r >= 0 and t[r, lay.BODY_KIND] == lay.PARTICLE for r in rows)

    # ------------------------------------------------------------ reading
    def accelerations(self) -> Floats:
        """(n, 6) of the present state by the present solver, in the order of the scene's bodies; sets the joints'
        forces to those that go with it."""
        self._compiled(drivers.prepare_accelerations, None, self._model, self._state, self._work)
        self._answer()
        self._state.memory[:, lay.WRENCH : lay.WRENCH + 6] = self._work.wrench
        return self._in_scene_order(self._work.velocity[:, :6])

    def first_order_velocities(self) -> Floats:
        """(n, 6) velocities of the law f = m v under the applied forces, with the posing friction; sets the joints'
        forces to the multipliers that go with it."""
        self._compiled(drivers.prepare_first_order, None, self._model, self._state, self._work)
        self._answer()
        self._state.memory[:, lay.WRENCH : lay.WRENCH + 6] = self._work.wrench
        return self._in_scene_order(self._work.velocity[:, :6])

    def _answer(self) -> None:
        self._compiled(self._mode.answer, None, lay.ALL, self._model, self._work, self._space)
        self._work.control[lay.FACTORS] += 1
        self._work.control[lay.SOLVES] += 1

    def _jump(self, force: Floats | None = None, push: Floats | None = None) -> None:
        """M dv - J^T l = impulse, J dv = 0"""
        self._compiled(drivers.prepare_impulse, None, self._model, self._state, self._work)
        if force is not None:
            self._work.force[:] = force
        if push is not None:
            self._work.row[:, lay.PUSH : lay.PUSH + 3] = push
        self._answer()
        self._state.velocity[:] += self._work.velocity
        self._changed()

    def assemble(self, tolerance: float = 1e-12, most: int = 50) -> dict[str, float]:
        """Close the joints by projection, position and velocity, as little as possible in the mass metric. Returns how
        far each body was moved [m]; raises where the joints cannot be closed."""
        start = self._state.pose[:, :3].copy()
        gap = math.inf
        for _ in range(most):
            gap = self._compiled(drivers.prepare_closing, None, self._model, self._state, self._work)
            if gap <= tolerance:
                break
            self._answer()
            # far from closed, Newton would overshoot: no body turns more than half a radian at a time
            turn = float(np.abs(self._work.velocity[:, 3:6]).max())
            self._compiled(
                drivers.move, None, self._model, self._state, self._work.velocity, min(1.0, 0.5 / max(turn, 1e-9))
            )
        if not gap <= 1e-6:
            row = int(np.argmax(measure_gaps(self._work).max(axis=1)))
            name = next(k for k, r in self._built.joint_row.items() if r == row)
            raise DefinitionError(f"joint {name!r}", f"open by {gap:.3g}", "joints that can all be closed together")
        self._compiled(drivers.prepare_stopping, None, self._model, self._state, self._work)
        self._answer()
        self._state.velocity[:] += self._work.velocity
        self._changed()
        moved = np.linalg.norm(self._state.pose[:, :3] - start, axis=1)
        return {name: float(moved[row]) for name, row in self._built.body_row.items()}

    def move(self, time: float) -> None:
        """Move every body with its present velocity for a time [s], joints and forces left out; `assemble` closes
        them."""
        self._compiled(drivers.move, None, self._model, self._state, self._state.velocity, float(time))
        self._changed()

    def _in_scene_order(self, rows: Floats) -> Floats:
        out = np.empty_like(rows)
        out[self._built.forest.order] = rows
        return out

    def _fresh(self) -> None:
        if self._stale:
            self._compiled(drivers.refresh, None, self._model, self._state, self._work)
            self._stale = False

    def _changed(self) -> None:
        self._stale = True
        self._work.control[lay.FRESH] = 0
        self._work.control[lay.LOADED] = int(self._state.applied.any())
        self._work.control[lay.SPRUNG] = int(self._model.topology[:, lay.FLAGS].any())

    def _coordinates(self) -> Floats:
        out = np.zeros((len(self._state.pose), 3))
        self._compiled(drivers.coordinates, None, self._model, self._state, self._work, out)
        self._stale = True
        return out

    def energy(self) -> Energy:
        self._fresh()
        return measure_energy(self._work)

    def momentum(self) -> Momentum:
        return measure_momentum(self._model, self._state)

    def gaps(self) -> dict[str, tuple[float, float]]:
        """(distance [m], angle [rad]) by which each joint is open."""
        self._fresh()
        rows = measure_gaps(self._work)
        return {k: (float(rows[i, 0]), float(rows[i, 1])) for k, i in self._built.joint_row.items()}

    @property
    def largest_gap(self) -> float:
        self._fresh()
        return float(self._work.number[lay.GAP])

    @property
    def iterations(self) -> int:
        """Of the cg mode, in its last solve."""
        return int(self._work.control[lay.ITERATIONS])

    @property
    def residual(self) -> float:
        """Of the cg mode, relative, after its last solve."""
        return float(self._work.number[lay.RESIDUAL])

    @property
    def condition(self) -> float:
        """Of the jsim mode: an estimate of the condition of the joint-space inertia at its last factorisation."""
        return float(self._work.number[lay.CONDITION])

    # ------------------------------------------------------------ snapshots
    def _live(self) -> list[np.ndarray]:
        """Every array that decides what the next step does."""
        return [*self._state, self._model.joint, self._model.topology, self._work.number, self._work.control]

    def snapshot(self) -> bytes:
        """The whole state and every live setting, as versioned bytes."""
        self._fresh()
        name = self._mode.name.encode()
        springs = repr([(k, s.values, s.on) for k, s in self._springs.items()]).encode()
        scale = struct.pack("<d", self._stiffness_scale)
        parts = [name, springs, scale, *(np.ascontiguousarray(a).tobytes() for a in self._live())]
        head = struct.pack("<4sII", b"MRNT", SNAPSHOT_VERSION, len(parts))
        return head + b"".join(struct.pack("<Q", len(p)) + p for p in parts)

    def restore(self, snapshot: bytes) -> None:
        """Back to a snapshot of this world; what follows is the same to the last bit."""
        parts = _parts(snapshot)
        arrays = self._live()
        if len(parts) != len(arrays) + 3 or any(len(p) != a.nbytes for p, a in zip(parts[3:], arrays, strict=True)):
            raise DefinitionError("snapshot", f"{len(snapshot)} bytes", "a snapshot of a world with the same figure")
        import ast

        for k, values, on in ast.literal_eval(parts[1].decode()):
            self._springs[k].values, self._springs[k].on = values, on
        (self._stiffness_scale,) = struct.unpack("<d", parts[2])
        self.use_solver(parts[0].decode())
        for part, array in zip(parts[3:], arrays, strict=True):
            array[...] = np.frombuffer(part, array.dtype).reshape(array.shape)
        self._stale = True

    def state_hash(self) -> str:
        """SHA-256 of everything that moves, and of time."""
        return state_hash(self._state, self._work.number[lay.TIME : lay.TIME + 1].tobytes())


def _parts(snapshot: bytes) -> list[bytes]:
    bad = DefinitionError("snapshot", f"{len(snapshot)} bytes", f"bytes made by snapshot(), version {SNAPSHOT_VERSION}")
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


def _vector(what: str, value: Any, count: int) -> Floats:
    try:
        v = np.array(value, float)
    except (TypeError, ValueError):
        raise DefinitionError(what, value, f"{count} finite numbers") from None
    if v.shape != (count,) or not np.isfinite(v).all():
        raise DefinitionError(what, value, f"{count} finite numbers")
    return v
