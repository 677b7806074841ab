"""The public names of the physics, and the modules that define them and list them in `__all__`. Type checkers
and editors read this file, and `__init__.py` imports the names by it. `tests/helpers/front_door.py` writes it."""

from .collision.mass import (
    MassProperties as MassProperties,
    measure_mass as measure_mass,
    sum_of_masses as sum_of_masses,
)
from .data.step_tables import (
    CORRECTIONS as CORRECTIONS,
    INTEGRATORS as INTEGRATORS,
    ORDERS as ORDERS,
)
from .definitions.actuators import (
    Drive as Drive,
    TargetSpring as TargetSpring,
)
from .definitions.bodies import (
    Body as Body,
    Fixed as Fixed,
    Massless as Massless,
    Particle as Particle,
    PlanarBody as PlanarBody,
    ScaledBody as ScaledBody,
    Static as Static,
)
from .definitions.checks import (
    DefinitionError as DefinitionError,
    DefinitionWarning as DefinitionWarning,
    WORLD as WORLD,
)
from .definitions.compound import (
    Compound as Compound,
    Slide as Slide,
    Turn as Turn,
)
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
from .definitions.couplings import (
    Coupling as Coupling,
)
from .definitions.formulas import (
    ConditionFormula as ConditionFormula,
    Formula as Formula,
    VelocityFormula as VelocityFormula,
)
from .definitions.functions import (
    Condition as Condition,
    Function as Function,
    VelocityCondition as VelocityCondition,
    VelocityFunction as VelocityFunction,
)
from .definitions.joints import (
    Ball as Ball,
    Cylindrical as Cylindrical,
    Distance as Distance,
    Free as Free,
    Hinge as Hinge,
    Joint as Joint,
    Planar as Planar,
    Rope as Rope,
    Screw as Screw,
    Slider as Slider,
    SpringJoint as SpringJoint,
    Universal as Universal,
    Weld as Weld,
)
from .definitions.limits import (
    Limits as Limits,
    SoftLimits as SoftLimits,
)
from .definitions.medium import (
    Fluid as Fluid,
)
from .definitions.motions import (
    HingeMotor as HingeMotor,
    Moving as Moving,
    SliderMotor as SliderMotor,
)
from .definitions.scene import (
    Scene as Scene,
)
from .definitions.shapes.box import (
    Box as Box,
)
from .definitions.shapes.capsule import (
    Capsule as Capsule,
)
from .definitions.shapes.cylinder import (
    Cylinder as Cylinder,
)
from .definitions.shapes.hull import (
    Hull as Hull,
)
from .definitions.shapes.plane import (
    Plane as Plane,
)
from .definitions.shapes.shape import (
    Shape as Shape,
)
from .definitions.shapes.sphere import (
    Sphere as Sphere,
)
from .definitions.signal import (
    Signal as Signal,
)
from .definitions.signals import (
    Clip as Clip,
    Keyed as Keyed,
    Ramp as Ramp,
    Sinusoid as Sinusoid,
)
from .definitions.springs import (
    Spring as Spring,
    TorsionSpring as TorsionSpring,
)
from .solvers.modes import (
    MODES as MODES,
)
from .world.world import (
    World as World,
)
