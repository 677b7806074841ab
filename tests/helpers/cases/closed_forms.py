"""What tests against solutions in closed form share: scenes from text, lists of modes and integrators, and how far a
value may be off."""

from math import factorial
from pathlib import Path
from typing import Any

import pytest

from physics.world.world import World
from scenes import load

G = 9.81
SOLVERS = ("fused", "lagrange", "dense", "cg", "jsim", "aba")
ORDER = {"trbdf2": 2, "implicit": 1, "hernandez": 1, "rattle": 2, "rattle4": 4, "rk4": 4, "explicit": 1}
STIFF = ("trbdf2", "implicit", "hernandez")  # those with implicit springs
METHODS = ("newton", "anticipation", "auto")
LAWS = (*((method, "exact") for method in METHODS), ("newton", "regularised"), ("anticipation", "regularised"))
solvers = pytest.mark.parametrize("solver", SOLVERS)
integrators = pytest.mark.parametrize("integrator", tuple(ORDER))
# by the regularised law contacts yield and what slides rises (REFERENCE, settings): no impacts, and nothing thrown down
contacts = pytest.mark.parametrize(("method", "law"), LAWS)
coulomb = pytest.mark.parametrize("method", METHODS)


def missed(rate: float, timestep: float, integrator: str) -> float:
    order = ORDER[integrator]
    return (rate * timestep) ** order / factorial(order + 1)


def from_text(tmp_path: Path, text: str, **options: Any) -> World:
    """The world of a scene written here, with live settings by name."""
    file = tmp_path / "scene.yaml"
    file.write_text("marionette: 1\n" + text)
    parameters = options.pop("parameters", {})
    world = load(str(file), **parameters)
    if "solver" in options:
        world.use_solver(options.pop("solver"))
    if "integrator" in options:
        world.use_integrator(options.pop("integrator"))
    for name, value in options.items():
        setattr(world, name, value)
    return world


def outside(solver: str) -> str:
    """The two reduced modes take constraints outside the tree alone (REFERENCE, joints)."""
    return "true" if solver in ("jsim", "aba") else "false"


def sound(world: World) -> None:
    """No step went wrong, and joints are closed; by `hernandez`, which stops before they are, to some (w h)^2 l."""
    assert world.redone == 0
    assert world.largest_gap < (1e-4 if world.integrator == "hernandez" else 1e-6)
