"""Views of joints, motors, couplings and conditions, which a `World` returns by name, to read and set while the figure
moves.
"""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from physics.build.joints import axis_order
from physics.build.limits import limit_rows
from physics.build.poses import STILL, joint_place, parent_pose, read_series
from physics.data.model import Floats
from physics.data.model_tables import Joints, Topology
from physics.data.state_tables import HardLimits, LimitOf
from physics.data.work_tables import ConstraintRows, Edges
from physics.definitions.checks import DefinitionError, flag, per_axis
from physics.definitions.constraints import Constraint
from physics.definitions.couplings import Coupling
from physics.definitions.folding import Place
from physics.definitions.functions import Condition, Function
from physics.definitions.joints import Ball, Joint, SpringJoint
from physics.definitions.limits import Limits
from physics.definitions.motions import HingeMotor, Motor
from physics.maths.rotations import conjugate, matrix_of, quaternion_of, quaternion_product, rotation_quaternion
from physics.definitions.series import frames, rotation_vector
from physics.definitions.signals import signal
from physics.definitions.spellings import Spelled
from physics.definitions.springs import Spring as PointSpring
from physics.maths.strict import dot, norm, product
from physics.world.body_views import View
from physics.world.checks import vector
from physics.world.engine import Engine
from physics.world.measure import measure_gaps
from physics.world.settings import Spring


def _swing_angles(rows: np.ndarray) -> float | tuple[float, ...]:
    """Return the largest swing angle of a ball joint's limits [rad], or two for an elliptic cone, or inf if there is no
    cone. `rows` are the joint's rows of State.limit."""
    for row in rows[rows[:, HardLimits.WHAT] == LimitOf.SWING]:
        smaller = float(row[HardLimits.UPPER])
        if row[HardLimits.ELLIPSE] == 0.0:
            return smaller
        return tuple(smaller / float(x) for x in row[HardLimits.RATIO : HardLimits.RATIO + 2])
    return math.inf


def of_spring(key: str, doc: str) -> Any:
    """Return a property of a joint that reads and sets `key` of its spring: the stiffness or the damping, as the user
    set it."""

    def read(view: "JointView") -> Any:
        return view._spring.public(key)

    def write(view: "JointView", value: Any) -> None:
        view._set_spring(key, value)

    return property(read, write, doc=doc)


class JointView(View, metaclass=Spelled):
    """One joint of a world. Its forces act on its second body b, at the anchor."""

    name: str
    definition: Joint

    def __init__(self, engine: Engine, definition: Joint):
        """Make the view of a joint."""
        super().__init__(engine, definition)
        self._flip = bool(engine.built.reversed[self._row])
        self._order = axis_order(definition, self._flip)
        engine.springs[self.name].order = self._order

    @property
    def _row(self) -> int:
        """Number of the joint's edge. The edge of a pin changes when other pins are added or removed."""
        row = self._engine.built.joint_row.get(self.name)
        pin = self._engine.pins.get(self.name)
        if row is None or (pin is not None and pin.joint != self.definition):
            raise KeyError(f"{self.definition.label} is no longer there")
        return row

    @property
    def _spring(self) -> Spring:
        """The joint's spring as the user set it."""
        _ = self._row
        return self._engine.springs[self.name]

    @property
    def multipliers(self) -> Floats:
        """Multipliers of a constraint that is given by a function, one for each of its numbers, in the last step or the
        last call of `accelerations()`."""
        if not isinstance(self.definition, Function):
            raise AttributeError(f"{self.definition.label} has a force and a torque in their place")
        return self._engine.forces.of_edge(self._row)[: self.definition.rows]

    def _function_load(self) -> Floats:
        """Return the force [N] and the torque [N m] about the centre of mass (6,) with which a constraint given by a
        function acts on b. They are J_b^T l, with the Jacobian J_b of the function for b and the multipliers l."""
        self._engine.refresh()
        assert isinstance(self.definition, Function)
        o = ConstraintRows.PARENT_ROWS if self._flip else ConstraintRows.CHILD_ROWS
        jacobian = self._engine.work.rows[self._row, o : o + 36].reshape(6, 6)[: self.definition.rows]
        return product(self.multipliers, jacobian)

    @property
    def force(self) -> Floats:
        """Constraint and spring force on b [N], in the last step or the last call of `accelerations()`; before the
        first step, that at the present state. For a step that was taken in substeps it is the mean. Joints that hold a
        body more often than needed share the forces (physics/world/self_stress.py)."""
        if isinstance(self.definition, Function):
            return self._function_load()[:3]
        f = self._engine.forces.of_edge(self._row)[:3]
        return -f if self._flip else f

    @property
    def torque(self) -> Floats:
        """Constraint and spring torque on b about its anchor [N m]."""
        if isinstance(self.definition, Function):
            return self._function_load()[3:]
        row = self._engine.forces.of_edge(self._row)
        if not self._flip:
            return row[3:]
        if isinstance(self.definition, Constraint):
            return -row[3:]  # both levers lead to the same place
        # the wrench on a at a's anchor, seen from b's (they differ for sliders and rods)
        return -row[3:] - np.cross(self._anchors()[0] - self._anchors()[1], row[:3])

    @property
    def impulse(self) -> Floats:
        """Impulse of `force` on b in the last step [N s], impacts included: force times the length of the step; 0
        before the first step."""
        return self._engine.last_span * self.force

    @property
    def angular_impulse(self) -> Floats:
        """Angular impulse of `torque` on b in the last step [N m s]: torque times the length of the step."""
        return self._engine.last_span * self.torque

    def _anchors(self) -> tuple[Floats, Floats]:
        """Return the positions of the child's and the parent's anchor in the world [m]."""
        if isinstance(self.definition, Constraint):
            return self._moving_anchors()
        self._engine.refresh()  # anchors of bodies that stretch are kept for one pose
        pose = self._engine.state.pose
        joint = self._engine.model.joint[self._row]
        edge = self._engine.built.edge(self._row)
        c = edge[Topology.CHILD]
        child = pose[c, :3] + product(matrix_of(pose[c, 3:7]), joint[Joints.ANCHOR_CHILD : Joints.ANCHOR_CHILD + 3])
        local = joint[Joints.ANCHOR_PARENT : Joints.ANCHOR_PARENT + 3]
        x, q = parent_pose(edge[Topology.PARENT], pose, self._engine.work.frame)
        return child, x + product(matrix_of(q), local)

    def _moving_anchors(self) -> tuple[Floats, Floats]:
        """Return the positions of the child's and the parent's anchor in the world [m], for constraints whose anchors
        move in the bodies. These are contact points of rolling, pitch points of gears, and for functions centres of
        mass."""
        self._engine.refresh()
        edge = self._engine.built.edge(self._row)
        levers = self._engine.work.edge[self._row]
        places = []
        for end, lever in ((Topology.CHILD, Edges.RC), (Topology.PARENT, Edges.RP)):
            x = self._engine.state.pose[edge[end], :3] if edge[end] >= 0 else np.zeros(3)
            places.append(x + levers[lever : lever + 3])
        return places[0], places[1]

    @property
    def anchor(self) -> Floats:
        """Position of the anchor on b in the world [m]."""
        child, parent = self._anchors()
        return parent if self._flip else child

    @property
    def gap(self) -> float:
        """Amount by which the joint is open: the larger of distance [m] and angle [rad]."""
        self._engine.refresh()
        return float(measure_gaps(self._engine.work)[self._row].max())

    @property
    def angle(self) -> Any:
        """Coordinate of b relative to a: an angle [rad] or a displacement [m]; an array for a joint with several axes.
        For a ball joint it is the rotation vector from the rest of its spring, in world axes [rad]."""
        if self.definition.axes == 0:
            raise AttributeError(f"{self.definition.label} has no coordinate")
        values = self._engine.coordinates()[self._row]
        if isinstance(self.definition, Ball):
            return -values if self._flip else values
        values = values[self._order]
        return float(values[0]) if len(values) == 1 else values

    stiffness: Any = of_spring(
        "stiffness",
        "Stiffness [N m/rad or N/m], one number or one for each axis, before `stiffness_scale` and `stiff`.",
    )
    damping: Any = of_spring("damping", "Damping [N m s/rad or N s/m], one number or one for each axis.")

    def _set_spring(self, key: str, value: Any) -> None:
        """Set stiffness or damping, or refuse the value."""
        spring = self._spring
        if not isinstance(self.definition, SpringJoint):
            raise DefinitionError(f"{key} of {self.definition.label}", value, "nothing: it has no axis that moves")
        if self._engine.has_particle(self._row):
            raise DefinitionError(f"{key} of {self.definition.label}", value, "nothing: a particle has no orientation")
        spring.values[key] = per_axis(f"{key} of {self.definition.label}", value, self.definition.axes)
        self._engine.apply_spring(self.name)

    @property
    def stiff(self) -> bool:
        """Whether the stiffness of the joint's spring acts. Damping and limits always act."""
        return self._spring.on

    @stiff.setter
    def stiff(self, value: bool) -> None:
        self._spring.on = flag(f"stiff of {self.definition.label}", value)
        self._engine.apply_spring(self.name)

    def _limit_rows(self) -> np.ndarray:
        """Return the numbers of the rows of State.limit that belong to this joint."""
        table = self._engine.state.limit
        own = np.isin(table[:, HardLimits.WHAT], [*self._order, LimitOf.SWING, LimitOf.TWIST, LimitOf.LENGTH])
        return np.flatnonzero((table[:, HardLimits.EDGE] == self._row) & own)

    @property
    def limits(self) -> Limits | None:
        """Hard limits of the joint's coordinates, or None. They can be set while the figure moves; a coordinate beyond
        them returns at a limited speed."""
        rows = self._engine.state.limit[self._limit_rows()]
        if not len(rows):
            return None
        low = {int(r[HardLimits.WHAT]): float(r[HardLimits.LOWER]) for r in rows}
        high = {int(r[HardLimits.WHAT]): float(r[HardLimits.UPPER]) for r in rows}
        bounce = {int(r[HardLimits.WHAT]): float(r[HardLimits.BOUNCE]) for r in rows}
        if isinstance(self.definition, Ball):
            twist = (low.get(LimitOf.TWIST, -math.inf), high.get(LimitOf.TWIST, math.inf))
            return Limits(
                swing=_swing_angles(rows), twist=(-twist[1], -twist[0]) if self._flip else twist,
                restitution=float(rows[0, HardLimits.BOUNCE]),
            )  # fmt: skip
        if LimitOf.LENGTH in low:
            return Limits(lower=max(low[LimitOf.LENGTH], 0.0), upper=high[LimitOf.LENGTH])
        return self.definition.checked_hard(  # type: ignore[attr-defined]
            Limits(
                lower=tuple(low.get(c, -math.inf) for c in self._order),
                upper=tuple(high.get(c, math.inf) for c in self._order),
                restitution=tuple(bounce.get(c, 0.0) for c in self._order),
            )
        )

    @limits.setter
    def limits(self, value: Limits | None) -> None:
        if not isinstance(self.definition, SpringJoint) or self.definition.kind in ("spring", "torsion spring"):
            raise DefinitionError(f"limits of {self.definition.label}", value, "nothing: it has no axis that moves")
        if self._engine.has_particle(self._row):
            raise DefinitionError(f"limits of {self.definition.label}", value, "nothing: a particle has no orientation")
        checked = self.definition.checked_hard(value)
        table = np.delete(self._engine.state.limit, self._limit_rows(), axis=0)
        rows = limit_rows(self.definition, self._row, self._flip, self._order, checked) if checked else table[:0]
        self._engine.relink(self._engine.pins, None, np.concatenate([table, rows]))

    @property
    def limited(self) -> bool:
        """Whether the joint's hard limits act. False switches them off and keeps their values."""
        return bool(self._engine.state.limit[self._limit_rows(), HardLimits.ON].any())

    @limited.setter
    def limited(self, value: bool) -> None:
        self._engine.state.limit[self._limit_rows(), HardLimits.ON] = float(flag(f"limited of {self.name!r}", value))
        self._engine.mark_changed()

    @property
    def limit_force(self) -> Any:
        """Mean force of the hard limits on the coordinates in the last step [N m or N]: one number, or one for each
        coordinate. A ball joint has one for swing and one for twist; a rope has one along it, negative where it pulls.
        `torque` and `force` include it."""
        rows = self._engine.state.limit[self._limit_rows()]
        found = {int(r[HardLimits.WHAT]): float(r[HardLimits.FORCE]) for r in rows}
        if isinstance(self.definition, Ball):
            twist = found.get(LimitOf.TWIST, 0.0)
            return np.array([found.get(LimitOf.SWING, 0.0), -twist if self._flip else twist])
        if self.definition.axes == 0:
            return found.get(LimitOf.LENGTH, 0.0)
        values = [found.get(c, 0.0) for c in self._order]
        return values[0] if len(values) == 1 else np.array(values)

    def _sprung(self, value: Any) -> SpringJoint:
        """Return the definition of the joint, or refuse the value if its spring has no rest position that can be
        set."""
        if not isinstance(self.definition, SpringJoint):
            raise DefinitionError(f"rest of {self.definition.label}", value, "nothing: it has no axis that moves")
        if isinstance(self.definition, PointSpring):
            raise DefinitionError(f"rest of {self.definition.label}", value, "nothing: its length is that of the scene")
        return self.definition

    def _drawn(self) -> tuple[Floats, Floats, Floats]:
        """Return three quaternions: the joint's frame at the drawn pose, and the inverses of the orientations that the
        principal axes of child and parent have at that pose."""
        joint = self._engine.model.joint[self._row]
        frame = quaternion_of(self._sprung(None).joint_frame(self._flip))
        return (
            frame,
            quaternion_product(joint[Joints.FRAME_CHILD : Joints.FRAME_CHILD + 4], conjugate(frame)),
            quaternion_product(joint[Joints.FRAME_PARENT : Joints.FRAME_PARENT + 4], conjugate(frame)),
        )

    @property
    def rest(self) -> Any:
        """Coordinates at which the spring is relaxed, as in the definition [rad or m]; for a ball the rotation vector
        of b relative to a from the drawn pose, in the world axes of that pose."""
        definition = self._sprung(None)
        joint = self._engine.model.joint[self._row]
        if isinstance(definition, Ball):
            # REST_FRAME = C turn^-1 P^-1, or C turn P^-1 where b is the parent
            _, child, parent = self._drawn()
            turn = quaternion_product(conjugate(child), joint[Joints.REST_FRAME : Joints.REST_FRAME + 4])
            turn = quaternion_product(turn, parent)
            return rotation_vector(matrix_of(turn if self._flip else conjugate(turn)))
        values = joint[Joints.REST : Joints.REST + 3][self._order]
        return float(values[0]) if len(values) == 1 else values

    @rest.setter
    def rest(self, value: Any) -> None:
        definition = self._sprung(value)
        joint = self._engine.model.joint[self._row]
        what = f"rest of {definition.label}"
        if isinstance(definition, Ball):
            _, child, parent = self._drawn()
            turn = rotation_quaternion(vector(what, value, 3))
            turn = quaternion_product(child, turn if self._flip else conjugate(turn))
            joint[Joints.REST_FRAME : Joints.REST_FRAME + 4] = quaternion_product(turn, conjugate(parent))
        else:
            joint[Joints.REST : Joints.REST + 3][self._order] = per_axis(what, value, definition.axes, -math.inf)
        self._engine.mark_changed()

    def hold(self) -> None:
        """Set the rest coordinates of the spring to the present ones."""
        definition = self._sprung("the present")
        joint, edge = self._engine.model.joint[self._row], self._engine.built.edge(self._row)
        if isinstance(definition, Ball):
            child = self._engine.state.pose[edge[Topology.CHILD], 3:7]
            self._engine.refresh()
            parent = parent_pose(edge[Topology.PARENT], self._engine.state.pose, self._engine.work.frame)[1]
            joint[Joints.REST_FRAME : Joints.REST_FRAME + 4] = quaternion_product(conjugate(child), parent)
        else:
            values = self._engine.coordinates()[self._row]
            joint[Joints.REST : Joints.REST + 3][self._order] = values[self._order]
        self._engine.mark_changed()

    def apply_impulse(self, impulse: Any) -> None:
        """Apply an impulse along the joint's axes [N m s or N s] to b, and the opposite impulse to a. The velocities
        change at once."""
        values = per_axis(f"impulse of {self.definition.label}", impulse, self.definition.axes, -np.inf)
        push = np.zeros((len(self._engine.state.memory), 3))
        if isinstance(self.definition, Ball):
            push[self._row] = np.array(values) * (-1.0 if self._flip else 1.0)
        else:
            push[self._row, self._order] = np.array(values)
        self._engine.strike(push=push)


class FoldedView(JointView):
    """A joint of a massless body. Its axes are some of the axes of a compound joint, which connects two bodies with
    mass."""

    def __init__(self, engine: Engine, definition: Joint, place: Place):
        """Make the view of a folded joint; `place` says which axes of the compound joint belong to it."""
        super().__init__(engine, definition)
        self._place = place
        self._whole = next(j for j in engine.built.scene.joints if j.name == place.joint)
        self._whole_flip = self._flip  # the compound's b is the forest's parent
        self._flip = self._whole_flip == place.forward  # and so is, or is beyond, this joint's
        count = self._whole.axes
        self._order = [count - 1 - c if self._whole_flip else c for c in place.columns]
        engine.springs[self.name].order = self._order

    def _place_on(self, own_b: bool) -> Floats:
        """Return the position in the world [m] of the joint's point on b, or on a if `own_b` is false."""
        built, state = self._engine.built, self._engine.state
        joint, edge = self._engine.model.joint[self._row], built.edge(self._row)
        whole, count = self._whole, len(self._place.columns)
        # axes of the compound between its a and this body; a ball joint stands for one
        axes = 1 if isinstance(whole, Ball) else whole.axes
        after = self._place.before + (count if own_b == self._place.forward else 0)
        steps = axes - after if self._whole_flip else after
        point = np.array(self.definition.points[0]) - np.array(whole.points[0])
        on_child = steps == axes and axes > 0
        anchor, frame = (
            (Joints.ANCHOR_CHILD, Joints.AXES_CHILD) if on_child else (Joints.ANCHOR_PARENT, Joints.AXES_PARENT)
        )
        body = edge[Topology.CHILD if on_child else Topology.PARENT]
        turn, place = joint_place(joint, anchor, frame, STILL if body < 0 else state.pose[body])
        turn = product(turn, whole.joint_frame(self._whole_flip).T)
        if not on_child and steps > 0:
            q = self._engine.coordinates()[self._row][: whole.axes]
            carried, shift = frames(read_series(joint), q)[steps]
            point = shift + product(carried, point)
        return place + product(turn, point)

    @property
    def anchor(self) -> Floats:
        """Position of the anchor on b in the world [m]."""
        return self._place_on(True)

    @property
    def torque(self) -> Floats:
        """Constraint and spring torque on b about its anchor [N m]. A massless body transmits it unchanged."""
        row = self._engine.forces.of_edge(self._row)
        moment = row[3:] + np.cross(self._anchors()[0] - self._place_on(True), row[:3])
        return -moment if self._flip else moment


class MotorView(JointView):
    """A motor: its prescribed motion, and the torque or force that maintains it."""

    old_words: ClassVar[Mapping[str, str]] = Motor.old_words

    @property
    def _signal(self) -> int:
        """Row of the motor's signal in Model.signals."""
        return int(self._engine.model.joint[self._row, Joints.SIGNAL])

    @property
    def angle(self) -> float:
        """Coordinate of b relative to a [rad or m]."""
        return float(self._engine.coordinates()[self._row, 0])

    @property
    def rate(self) -> float:
        """Present prescribed rate [rad/s or m/s]."""
        self._engine.refresh()
        return float(self._engine.work.signal[self._signal, 1])

    @property
    def effort(self) -> float:
        """Torque [N m] or force [N] on b along the axis, in the last step or the last call of `accelerations()`."""
        _, turn = parent_pose(
            self._engine.built.edge(self._row)[Topology.PARENT], self._engine.state.pose, self._engine.work.frame
        )
        column = self._engine.model.joint[self._row, Joints.AXES_PARENT : Joints.AXES_PARENT + 9].reshape(3, 3)[:, 2]
        axis = product(matrix_of(turn), column) * (-1.0 if self._flip else 1.0)
        return dot(axis, self.torque if isinstance(self.definition, HingeMotor) else self.force)

    @property
    def power(self) -> float:
        """Power of the motor [W]."""
        return self.effort * self.rate

    @property
    def position(self) -> Any:
        """Prescribed position, a number or a signal [rad or m]; None if the velocity is prescribed. If it is set, the
        position is prescribed from then on."""
        value, integrated = self._engine.signal_in(self._signal)
        return None if integrated else value

    @position.setter
    def position(self, value: Any) -> None:
        value = signal(f"position of {self.definition.label}", value, jumps=False)
        self._engine.replace_signal(self._signal, value, False)

    @property
    def velocity(self) -> Any:
        """Prescribed velocity, a number or a signal [rad/s or m/s]; None if the position is prescribed. If it is set,
        the velocity is prescribed from then on, starting at the present position."""
        value, integrated = self._engine.signal_in(self._signal)
        return value if integrated else None

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._engine.replace_signal(self._signal, signal(f"velocity of {self.definition.label}", value), True)


class _LinkageView(View):
    """Base class of the views of couplings and conditions: a name, and a row among the edges."""

    def __init__(self, engine: Engine, definition: Coupling | Condition):
        """Make the view of a coupling or condition."""
        super().__init__(engine, definition)
        self._row = engine.built.joint_row[definition.name]


class CouplingView(_LinkageView):
    """One coupling of a world."""

    definition: Coupling

    @property
    def multiplier(self) -> float:
        """Generalised force on the sum, in the last step or the last call of `accelerations()`. Multiplied by the
        coefficient of a joint, it acts on the coordinate of that joint [N m or N]."""
        return float(self._engine.forces.of_edge(self._row)[0])

    @property
    def gap(self) -> float:
        """Amount by which the sum differs from its offset."""
        self._engine.refresh()
        return float(abs(self._engine.work.gap[self._row, 0]))


class ConditionView(_LinkageView):
    """One condition of a world."""

    definition: Condition

    @property
    def multipliers(self) -> np.ndarray:
        """Multipliers, one for each number of the function, in the last step or the last call of `accelerations()`.
        Each one times its row of `force` (or of the Jacobian, if there is no `force`) acts on the bodies."""
        return self._engine.forces.of_edge(self._row)[: self.definition.rows]

    @property
    def gap(self) -> float:
        """Norm of the function's values; 0 for a condition on velocities."""
        self._engine.refresh()
        return norm(self._engine.work.gap[self._row])
