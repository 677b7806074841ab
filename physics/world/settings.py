"""The settings of a world. All can be changed at any time. A value that is refused changes nothing."""

from typing import TYPE_CHECKING, Any

from physics.data.contact_tables import (
    CONTACT_LAWS,
    CONTACT_TOLERANCE as CONTACT_TOLERANCE,
    METHODS,
    TouchControl,
    TouchNumber,
)
from physics.data.model import Floats
from physics.data.model_tables import Joints, Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import COLUMNS, CORRECTIONS, INTEGRATORS, ORDERS, Control, Number
from physics.definitions.checks import DefinitionError, flag, number
from physics.definitions.joints import Joint
from physics.world.checks import choose, vector

if TYPE_CHECKING:
    from physics.world.engine import Engine

# ks and kd: gaps close as exp(-30 t) (1 + 30 t), which steps of 1/60 s can follow
FEEDBACK = (900.0, 60.0)
CONTACT_METHODS = METHODS
GREATEST_TOLERANCE = 0.1  # of contacts
FREE_CORRECTION = ("implicit", "explicit", "rk4")  # integrators whose order does not depend on closed joints


class Settings:
    """The settings of an engine except those of contacts. Each has the name that it has in `World`."""

    def __init__(self, engine: "Engine"):
        """Make the settings of this engine."""
        self.engine = engine

    @property
    def timestep(self) -> float:
        """Timestep [s]."""
        return float(self.engine.work.number[Number.DT])

    @timestep.setter
    def timestep(self, value: float) -> None:
        self.engine.work.number[Number.DT] = number("timestep", value, 0.0, strict=True)
        self.engine.foreseen = None

    @property
    def gravity(self) -> Floats:
        """Acceleration of gravity [m/s^2] (3,)."""
        return self.engine.work.number[Number.GRAVITY : Number.GRAVITY + 3].copy()

    @gravity.setter
    def gravity(self, value: Any) -> None:
        self.engine.work.number[Number.GRAVITY : Number.GRAVITY + 3] = vector("gravity", value, 3)
        self.engine.mark_changed()

    @property
    def solver(self) -> str:
        """Name of the solver mode."""
        return self.engine.mode.name

    def use_solver(self, name: str) -> None:
        """Switch the solver mode. This is possible before any step, because the state has maximal coordinates in every
        mode."""
        self.engine.use_solver(name)

    @property
    def integrator(self) -> str:
        """Name of the integrator."""
        return INTEGRATORS[self.engine.work.control[Control.INTEGRATOR]]

    def use_integrator(self, name: str) -> None:
        """Switch the integrator. All integrators hold velocity and position at the same instant."""
        choose("integrator", name, INTEGRATORS)
        self._check_correction(self.correction, name)
        self.engine.foreseen = None
        self.engine.work.control[Control.INTEGRATOR] = INTEGRATORS.index(name)

    @property
    def columns(self) -> str:
        """How the columns of the matrix of auxiliary rows are computed: "plain", by whole solves as in [Baraff96,
        section 8], in every mode; "paths", in `fused` only, by solves along the paths of the rows; "halves", in `fused`
        only, by the first half of these solves. "halves" requires that no body of the figure needs constraint rows,
        that no group of links has more than 96 rows, and that all forces act along their constraints."""
        control = self.engine.work.control
        return "halves" if control[Control.HALVES] else "paths" if control[Control.PATH_COLUMNS] else "plain"

    @columns.setter
    def columns(self, name: str) -> None:
        choose("columns", name, COLUMNS)
        self.engine.columns = name
        self.engine.set_columns()

    @property
    def timed(self) -> bool:
        """Whether the steps of the anticipation are timed. Setting it clears the times measured so far."""
        return bool(self.engine.work.control[Control.TIMED])

    @timed.setter
    def timed(self, value: bool) -> None:
        self.engine.work.control[Control.TIMED] = int(flag("timed", value))
        self.engine.work.clock[:] = 0
        self.engine.timed_from = int(self.engine.work.control[Control.STEP])

    @property
    def correction(self) -> str:
        """How joints are kept closed: "shake" (the default; every step closes them), "feedback" (the gains ks and kd of
        `feedback` close gaps over time [Witkin97]), or "coordinates" (poses are rebuilt from the joint coordinates)."""
        return CORRECTIONS[self.engine.work.control[Control.CORRECTION]]

    @correction.setter
    def correction(self, name: str) -> None:
        choose("correction", name, CORRECTIONS)
        self._check_correction(name, self.integrator)
        self.engine.work.control[Control.CORRECTION] = CORRECTIONS.index(name)

    def _check_correction(self, name: str, integrator: str) -> None:
        """Refuse a correction that the integrator or the figure does not allow."""
        if name == "shake":
            return
        if integrator not in FREE_CORRECTION:
            allowed = f"'shake' with {integrator!r}; the others with {', '.join(FREE_CORRECTION)}"
            raise DefinitionError("correction", name, allowed)
        model = self.engine.model
        if len(model.signals.motion) or (model.joint[:, Joints.SIGNAL] >= 0).any():
            raise DefinitionError("correction", name, "'shake' where motions are prescribed")
        without = bool((self.engine.model.topology[:, Topology.DOFS] < 0).any()) or bool(
            self.engine.work.control[Control.LINKED]
        )
        if name == "coordinates" and (without or self.engine.state.pose.shape[1] > PoseColumn.SHAPE):
            allowed = "a tree of joints with coordinates, of bodies that do not stretch; else 'shake' or 'feedback'"
            raise DefinitionError("correction", name, allowed)

    @property
    def feedback(self) -> tuple[float, float]:
        """Gains (ks [1/s^2], kd [1/s]) of the correction by feedback: C'' + kd C' + ks C = 0."""
        return float(self.engine.work.number[Number.FEEDBACK_KS]), float(self.engine.work.number[Number.FEEDBACK_KD])

    @feedback.setter
    def feedback(self, value: Any) -> None:
        ks, kd = vector("feedback", value, 2)
        self.engine.work.number[Number.FEEDBACK_KS] = number("ks of the feedback", ks, 0.0)
        self.engine.work.number[Number.FEEDBACK_KD] = number("kd of the feedback", kd, 0.0)

    @property
    def order(self) -> str:
        """Order of the equation of motion: "dynamic", f = m a, or "kinematic", f = m v. The latter is posing, in which
        only applied forces move the figure. A change of the order sets all velocities and joint forces to 0."""
        return ORDERS[self.engine.work.control[Control.ORDER]]

    @order.setter
    def order(self, name: str) -> None:
        choose("order", name, ORDERS)
        if name != self.order:
            # first-order motion has no inertia: neither way does a velocity carry over
            self.engine.state.velocity[:] = 0.0
            self.engine.forces.set(0.0)
            self.engine.mark_changed()
        self.engine.work.control[Control.ORDER] = ORDERS.index(name)

    @property
    def guard(self) -> bool:
        """Whether each step is judged, and redone if it is rejected (physics/integrators/acceptance.py)."""
        return bool(self.engine.work.control[Control.GUARD])

    @guard.setter
    def guard(self, value: bool) -> None:
        self.engine.work.control[Control.GUARD] = int(flag("guard", value))

    @property
    def stiffness_scale(self) -> float:
        """Factor of the stiffness of every joint, 0 to 1e8. Damping and soft limits do not depend on it."""
        return self.engine.stiffness_scale

    @stiffness_scale.setter
    def stiffness_scale(self, value: float) -> None:
        self.engine.stiffness_scale = number("stiffness_scale", value, 0.0, high=1e8)
        for name in self.engine.springs:
            self.engine.apply_spring(name)

    @property
    def drives_on(self) -> bool:
        """Whether drives and target springs act. False switches off all of them, whatever their own switches say."""
        return not self.engine.work.control[Control.DRIVES_OFF]

    @drives_on.setter
    def drives_on(self, value: bool) -> None:
        self.engine.work.control[Control.DRIVES_OFF] = int(not flag("drives_on", value))
        self.engine.mark_changed()

    @property
    def posing_friction(self) -> float:
        """Factor of the joint friction in the metric of the kinematic order. At 0 the metric is that of the masses."""
        return float(self.engine.work.number[Number.POSING_SCALE])

    @posing_friction.setter
    def posing_friction(self, value: float) -> None:
        self.engine.work.number[Number.POSING_SCALE] = number("posing_friction", value, 0.0)


class ContactSettings:
    """The settings of contacts. Each has the name that it has in `World`."""

    def __init__(self, engine: "Engine"):
        self.engine = engine

    @property
    def contact_method(self) -> str:
        """How contacts are solved: "newton", for many contacts; "anticipation", by exact pivoting, for few; "auto", one
        of these two by the number of contacts; or "none", where contacts are found but have no effect.
        `contact_solution` says which was used."""
        return self.engine.contact_method

    @contact_method.setter
    def contact_method(self, name: str) -> None:
        choose("contact_method", name, METHODS)
        if not self.engine.built.touch:
            return
        self.engine.foreseen = None
        if name in ("anticipation", "auto") and not self.engine.built.anticipated:
            self.engine.relink(self.engine.pins, anticipated=True)
        self.engine.touch().control[TouchControl.METHOD] = METHODS.index(name)
        self.engine.wake()

    @property
    def contact_law(self) -> str:
        """Law of contacts: "exact", Coulomb's law, or "regularised", a convex model of it, for which both methods give
        the same solution. With the model, contacts yield, and sliding bodies rise. A normal impulse g lowers the wanted
        normal velocity by R g. R is 0.01 / mass for a contact with a body that no force moves, and 0.1 / (mass of the
        heavier body) between two bodies. A body of effective mass m and restitution e that strikes head-on at the speed
        v gets the impulse (1 + e) m v / (1 + R m)."""
        touch = self.engine.built.touch
        return CONTACT_LAWS[touch.control[TouchControl.REGULARISED]] if touch else CONTACT_LAWS[0]

    @contact_law.setter
    def contact_law(self, name: str) -> None:
        choose("contact_law", name, CONTACT_LAWS)
        self.engine.foreseen = None
        self.engine.touch().control[TouchControl.REGULARISED] = CONTACT_LAWS.index(name)

    @property
    def sleeping(self) -> bool:
        """Whether islands of bodies that have rested on each other for half a second fall asleep. They then keep their
        exact poses, at almost no cost, until something touches or changes them."""
        return bool(self.engine.built.touch and self.engine.built.touch.control[TouchControl.SLEEPING])

    @sleeping.setter
    def sleeping(self, value: bool) -> None:
        self.engine.touch().control[TouchControl.SLEEPING] = int(flag("sleeping", value))
        self.engine.mark_changed()

    @property
    def contact_tolerance(self) -> float:
        """Allowed error of Coulomb's law in a contact, as a fraction of the largest contact impulse. At the default and
        above, `newton` limits its iterations where many bodies lie on each other; `contact_solution.residual` is the
        remaining error."""
        return float(self.engine.touch().number[TouchNumber.TOLERANCE])

    @contact_tolerance.setter
    def contact_tolerance(self, value: float) -> None:
        self.engine.foreseen = None
        self.engine.touch().number[TouchNumber.TOLERANCE] = number(
            "contact_tolerance", value, 0.0, strict=True, high=GREATEST_TOLERANCE
        )


class Spring:
    """Stiffness and damping of a joint as the user set them. The model has the stiffness times `stiffness_scale`."""

    def __init__(self, definition: Joint):
        """Take stiffness and damping from the definition."""
        self.definition = definition
        self.values: dict[str, tuple[float, ...]] = {
            "stiffness": tuple(getattr(definition, "stiffness", ())),
            "damping": tuple(getattr(definition, "damping", ())),
        }
        self.on = True
        self.order: list[int] = []  # the column of each of its coordinates in Model.joint

    def public(self, key: str) -> Any:
        """Return stiffness or damping (`key`): one number if all axes have the same, else a tuple."""
        values = self.values[key]
        return values[0] if len(set(values)) == 1 else values
