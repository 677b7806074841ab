"""The public names of the physics and the modules that define them. Type checkers and editors read this file, and
`__init__.py` imports the names by it."""

from .definitions.checks import (
    WORLD as WORLD,
    DefinitionError as DefinitionError,
    DefinitionWarning as DefinitionWarning,
)
from .definitions.scene import Scene as Scene
from .definitions.bodies import (
    Body as Body,
    Fixed as Fixed,
    Massless as Massless,
    Particle as Particle,
    PlanarBody as PlanarBody,
    ScaledBody as ScaledBody,
    Static as Static,
)
from .definitions.motions import Moving as Moving, HingeMotor as HingeMotor, SliderMotor as SliderMotor
from .definitions.limits import Limits as Limits, SoftLimits as SoftLimits
from .definitions.joints import (
    Ball as Ball,
    Cylindrical as Cylindrical,
    Distance as Distance,
    Free as Free,
    Hinge as Hinge,
    Joint as Joint,
    Planar as Planar,
    Screw as Screw,
    Slider as Slider,
    SpringJoint as SpringJoint,
    Universal as Universal,
    Weld as Weld,
)
from .definitions.compound import Compound as Compound, Slide as Slide, Turn as Turn
from .definitions.rope import Rope as Rope
from .definitions.springs import Spring as Spring, TorsionSpring as TorsionSpring
from .definitions.constraints import (
    Circle as Circle,
    Constraint as Constraint,
    Gear as Gear,
    KnifeEdge as KnifeEdge,
    Parallel as Parallel,
    Perpendicular as Perpendicular,
    PointOnCurve as PointOnCurve,
    PointOnLine as PointOnLine,
    PointOnPlane as PointOnPlane,
    Rack as Rack,
    RollingDisk as RollingDisk,
    RollingInTrough as RollingInTrough,
    RollingSphere as RollingSphere,
    Spline as Spline,
)
from .definitions.functions import (
    Condition as Condition,
    Function as Function,
    VelocityCondition as VelocityCondition,
    VelocityFunction as VelocityFunction,
)
from .definitions.formulas import (
    ConditionFormula as ConditionFormula,
    Formula as Formula,
    VelocityFormula as VelocityFormula,
)
from .definitions.couplings import Coupling as Coupling
from .definitions.actuators import Drive as Drive, TargetSpring as TargetSpring
from .definitions.signals import Clip as Clip, Keyed as Keyed, Ramp as Ramp, Sinusoid as Sinusoid
from .definitions.signal import Signal as Signal
from .definitions.shape import Shape as Shape
from .definitions.shapes import (
    Box as Box,
    Capsule as Capsule,
    Cylinder as Cylinder,
    Hull as Hull,
    Plane as Plane,
    Sphere as Sphere,
)
from .definitions.medium import Fluid as Fluid
from .collision.mass import (
    MassProperties as MassProperties,
    measure_mass as measure_mass,
    sum_of_masses as sum_of_masses,
)
from .world.engine import CannotContinueError as CannotContinueError
from .world.world import World as World
from .solvers.modes import MODES as MODES
from .data.step_tables import CORRECTIONS as CORRECTIONS, INTEGRATORS as INTEGRATORS, ORDERS as ORDERS
