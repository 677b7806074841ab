"""Hashes of what every scene of the library does in every mode and integrator: a script of 500 steps with a grab, a pin
and a body that is made to turn too fast for the timestep. A change that is not meant to change the physics leaves them
all as they are; one that is meant to writes them anew:

    python -m tests.determinism.golden            # compare with golden.json, all runs
    python -m tests.determinism.golden --write    # write golden.json anew
"""

import hashlib
import json
import multiprocessing
import os
import sys
import time
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from physics.data.step_tables import INTEGRATORS
from physics.definitions.checks import DefinitionError
from physics.solvers.modes import MODES
from physics.world.body_views import BodyView
from physics.world.world import CannotContinueError, World
from scenes import load
from scenes.loading.library import library_names

FILE = Path(__file__).with_suffix(".json")
# Steps of each part of the script: free, held by a grab, pinned, thrown.
FREE, HELD, PINNED, THROWN = 60, 100, 100, 240
# The modes that are not O(n) take minutes for 500 steps of a figure of more bodies than this: a twentieth of the steps.
SLOW_MODES, MANY_BODIES, SHARE = ("dense", "cg"), 40, 20


def combinations() -> list[tuple[str, str, str]]:
    """All (scene, mode, integrator)."""
    return [(scene, mode, integrator) for scene in library_names() for mode in MODES for integrator in INTEGRATORS]


def run(scene: str, mode: str, integrator: str) -> dict[str, Any] | None:
    """The hash over the states at the ends of the four parts, and how many steps were followed in substeps and redone.
    None where the mode or the integrator refuses the scene."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            world = load(scene)
            world.use_solver(mode)
            world.use_integrator(integrator)
        except DefinitionError:
            return None
        found = hashlib.sha256()
        end = "ran"
        try:
            share = SHARE if mode in SLOW_MODES and len(world.bodies) > MANY_BODIES else 1
            for part, steps in ((free, FREE), (hold, HELD), (pin, PINNED), (throw, THROWN)):
                part(world, steps // share)
                found.update(world.state_hash().encode())
        except CannotContinueError:
            end = "ended with CannotContinueError"
    return {
        "hash": found.hexdigest()[:32], "end": end, "substepped": world.substepped, "redone": world.redone,
    }  # fmt: skip


def free(world: World, steps: int) -> None:
    world.step(steps)


def movable(world: World) -> list[str]:
    """The names of the bodies whose motion is not prescribed."""
    return [name for name, view in world.bodies.items() if isinstance(view, BodyView)]


def hold(world: World, steps: int) -> None:
    body = movable(world)[-1]
    grab = world.grab(body)
    grab.target = world.bodies[body].position + np.array([0.1, 0.05, 0.1])
    world.step(steps)
    grab.release()


def pin(world: World, steps: int) -> None:
    bodies = movable(world)
    name = bodies[len(bodies) // 2]
    world.pin(name, world.bodies[name].position, name="golden")
    world.step(steps)
    world.unpin("golden")


def throw(world: World, steps: int) -> None:
    body = world.bodies[movable(world)[-1]]
    if body.has_orientation:
        # of a planar body, about its normal alone
        for turn in ((0.9, 0.3, 0.2), (0.0, 0.95, 0.0), (0.0, 0.0, 0.95)):
            with suppress(DefinitionError):
                body.angular_velocity = np.array(turn) / world.timestep
                break
    else:
        body.velocity = np.array([20.0, 5.0, 3.0])
    world.step(steps)


def one(key: tuple[str, str, str]) -> tuple[str, dict[str, Any] | None, float]:
    start = time.process_time()
    return " ".join(key), run(*key), time.process_time() - start


def every_run() -> dict[str, dict[str, Any]]:
    """All runs that are not refused, in as many processes as there are processors. LAPACK, which `dense` calls,
    sums in another order with several threads: it has one, as in the tests."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    keys = combinations()
    found = {}
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for i, (key, result, seconds) in enumerate(pool.imap(one, keys)):
            if result:
                found[key] = result
            told = result["hash"] if result else "refused"
            print(f"{i + 1}/{len(keys)} {seconds:6.1f} s  {key}: {told}", file=sys.stderr, flush=True)
    return found


def main() -> int:
    found = every_run()
    if "--write" in sys.argv:
        FILE.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
        return 0
    golden = json.loads(FILE.read_text(encoding="utf-8"))
    differing = sorted(key for key in golden.keys() | found.keys() if golden.get(key) != found.get(key))
    print("\n".join(differing) or f"all {len(golden)} runs are as they were")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
