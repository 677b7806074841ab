"""Every setting of a scene that decides which machine code runs, each for a step: modes, integrators and corrections of
a figure that is alone, held, pinned or posed; methods, laws and sleep of contacts; columns; redone steps.

    python -P settings.py SCENE

runs in an environment in which the package is installed. It prints, as JSON, where the package lies, how many settings
were run, which functions were compiled, and whether numba was imported.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from physics import INTEGRATORS, MODES, World
from physics.compiler.jit import compilation_news
from physics.definitions.checks import DefinitionError
from physics.world.body_views import BodyView
from physics.world.world import CannotContinueError
from scenes.loading.loader import read_scene

REFUSED = (DefinitionError, CannotContinueError)  # what a scene may answer to a setting
CORRECTIONS = ("shake", "feedback", "coordinates")


def held(world: World, name: str) -> None:
    """Hold a body in each of the ways in which it can be held."""
    for kind in ("spring", "point", "pose"):
        with suppress(DefinitionError):
            world.grab(name, kind=kind)


def pinned(world: World, name: str) -> None:
    """Pin a body where it is."""
    world.pin(name, world.bodies[name].position)


def posed(world: World, name: str) -> None:
    """Pose the figure with a body."""
    world.order = "kinematic"
    world.grab(name)


BEFORE: dict[str, Callable[[World, str], Any]] = {
    "alone": lambda world, name: None, "held": held, "pinned": pinned, "posed": posed,
}  # fmt: skip


def settings(world: World, name: str) -> Iterator[dict[str, Any]]:
    """Yield every combination of settings, as attributes of World and their values."""
    for mode in MODES:
        for integrator in INTEGRATORS if world.order == "dynamic" else ("trbdf2",):
            for correction in CORRECTIONS:
                yield {"solver": mode, "integrator": integrator, "correction": correction}
    usual = {"solver": "fused", "integrator": "trbdf2", "correction": "shake"}
    yield from (usual | {"columns": columns} for columns in ("halves", "paths", "plain"))
    if world.contact_method is not None:
        for method in ("newton", "anticipation", "auto", "none"):
            for law in ("exact", "regularised"):
                for sleeping in (False, True):
                    yield usual | {"contact_method": method, "contact_law": law, "sleeping": sleeping}
    yield usual | {"timed": True}


def use(world: World, setting: dict[str, Any]) -> None:
    """Set the attributes that differ."""
    for attribute, value in setting.items():
        if attribute == "solver":
            world.use_solver(value)
        elif attribute == "integrator":
            world.correction = "shake"
            world.use_integrator(value)
        else:
            setattr(world, attribute, value)


def run(scene: str) -> int:
    """Run all settings of a scene. Return how many it accepts."""
    count = 0
    read = read_scene(scene)
    for prepare in BEFORE.values():
        world = read.make_world()
        name = next(name for name, view in world.bodies.items() if isinstance(view, BodyView))
        start = world.snapshot()
        prepare(world, name)
        for setting in settings(world, name):
            with suppress(*REFUSED):
                use(world, setting)
                world.step(1)
                count += 1
                assert np.isfinite(world.energy().total)
                world.gaps()
        with suppress(*REFUSED):
            use(world, {"solver": "fused", "integrator": "trbdf2", "correction": "shake"})
            world.restore(start)
            body = world.bodies[name]
            body.position, body.velocity = body.position, (0.0, 0.0, 0.0)
            body.angular_velocity = (300.0, 600.0, 100.0)  # too fast for the step, which is redone
            world.step(2)
            for call in (world.accelerations, world.first_order_velocities, world.assemble):
                call()
            for joint in world.joints.values():
                assert np.isfinite(joint.torque).all()
    return count


def main() -> None:
    """Run the settings of the scene that is named, and print the result."""
    warnings.simplefilter("ignore")
    compiled: list[str] = []
    with compilation_news(lambda name, number: compiled.append(name)):
        count = run(sys.argv[1])
    package = Path(sys.modules["physics"].__file__ or "").parent
    found = {"package": str(package), "settings": count, "compiled": compiled, "numba": "numba" in sys.modules}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
