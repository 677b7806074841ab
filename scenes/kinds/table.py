"""Every kind of joint, constraint and spring that a scene knows, found in the modules of their models: a class with a
`kind` is a kind."""

from types import ModuleType

from scenes.kinds import constraints, formulas, joints, springs
from scenes.kinds.ties import Tie


def kinds_in(module: ModuleType) -> dict[str, type[Tie]]:
    """Return the kinds of joint, constraint or spring that a module defines, by name, in the order of the module."""
    models = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Tie)]
    return {model.kind: model for model in models if model.kind and model.__module__ == module.__name__}


JOINTS: dict[str, type[Tie]] = kinds_in(joints)
CONSTRAINTS: dict[str, type[Tie]] = kinds_in(constraints) | kinds_in(formulas)
SPRINGS: dict[str, type[Tie]] = kinds_in(springs)
KINDS: dict[str, type[Tie]] = {**JOINTS, **CONSTRAINTS, **SPRINGS}
# constraints that tie joints, or any number of bodies
LINKAGES = (constraints.Coupling, formulas.Condition, formulas.VelocityCondition)
# sections with ties, and the kinds of each
TIES = {"joints": JOINTS, "constraints": CONSTRAINTS, "springs": SPRINGS}
# words that people try, and what stands for them
OTHERWISE = {
    "rolling": "unknown kind 'rolling'; it is one of rolling_sphere, rolling_disk, rolling_in_trough",
    "formula": "unknown kind 'formula'; it is `function`, with the formula as `zero`",
    "pulley": "unknown kind 'pulley'; of two weights on one rope the heights have a constant sum: "
    "{function: [left, right], zero: z1 + z2 - 2}",
    "motor": "unknown kind 'motor'; it is one of hinge_motor, slider_motor",
    "fixed": "unknown kind 'fixed'; it is `weld`",
    "revolute": "unknown kind 'revolute'; it is `hinge`",
    "prismatic": "unknown kind 'prismatic'; it is `slider`",
    "spherical": "unknown kind 'spherical'; it is `ball`",
    "rod": "unknown kind 'rod'; it is `distance`, under `constraints`",
    "spring": "unknown kind 'spring'; it is `between`, under `springs`",
}


def section_of(kind: str) -> str:
    """Return the section of a scene to which a kind belongs."""
    return next(section for section, kinds in TIES.items() if kind in kinds)
