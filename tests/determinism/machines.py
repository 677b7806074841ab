"""What a machine makes of every scene of the library, for `test_machines.py`: `python -m tests.determinism.machines
STEPS RECORDING [SCENE ...]` prints the hashes of the states at the start and after so many steps as JSON, that of a
recording when it is replayed, and how this machine's own libraries round."""

import hashlib
import json
import math
import sys
import warnings
from pathlib import Path

import numpy as np

from app.run.commands import Grab, MoveGrab, Release, Set
from app.run.playing import replay
from app.run.recording import DIGITS, Recording, read_file, session_of
from app.run.simulation import Simulation
from scenes import load
from scenes.loading.library import library_names
from scenes.loading.loader import read_scene

RECORDED = "hand"


def library_hashes(steps: int, names: list[str]) -> dict[str, str]:
    out = {}
    for name in names:
        world = load(name)
        out[f"{name} at the start"] = world.state_hash()
        if steps:
            world.step(steps)
            out[f"{name} after {steps} steps"] = world.state_hash()
    return out


def record() -> Recording:
    """A session with a grab, another mode and integrator, stiffness changed while it moves, and a posed figure."""
    simulation = Simulation(read_scene(RECORDED).definitions, RECORDED)
    simulation.step(10)
    body = simulation.world.bodies["index3"]
    simulation.do(Grab(1, "index3", tuple(body.position.tolist())))
    simulation.do(MoveGrab(1, tuple((body.position + np.array([0.02, 0.05, 0.1])).tolist())))
    simulation.do(Set("settings.solver", "aba"))
    simulation.step(20)
    simulation.do(Set("settings.integrator", "implicit"))
    simulation.do(Set("settings.stiffness_scale", 20.0))
    simulation.step(20)
    simulation.do(Release(1))
    simulation.step(10)
    return session_of(simulation)


def replayed(path: str) -> str:
    recording = read_file(Path(path))
    return replay(read_scene(RECORDED).definitions, recording).simulation.world.state_hash()[:DIGITS]


def own_rounding() -> dict[str, str]:
    """The last digits of the C library, of numpy's functions and of its products (BLAS)."""
    x = np.linspace(-3.0, 3.0, 30_000)
    a = np.random.default_rng(0).random((300, 3, 3))
    found = {
        "C library": [f(t) for t in x.tolist() for f in (math.sin, math.exp)],
        "numpy": np.concatenate([np.sin(x), np.exp(x)]),
        "BLAS": np.concatenate([(m @ m).ravel() for m in a]),
    }
    return {key: hashlib.sha256(np.asarray(values).tobytes()).hexdigest() for key, values in found.items()}


def main() -> None:
    warnings.simplefilter("ignore")
    steps, recording, *names = sys.argv[1:]
    hashes = library_hashes(int(steps), names or library_names())
    if recording != "-":
        hashes["the recording"] = replayed(recording)
    print(json.dumps({"hashes": hashes, "rounding": own_rounding()}))


if __name__ == "__main__":
    main()
