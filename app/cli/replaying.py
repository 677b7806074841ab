"""`marionette replay`: recordings are played and compared; `simulate --record` writes one."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.cli.arguments import check_output
from app.cli.console import BadInputError
from app.cli.simulate import compiling
from app.host.progress import progress
from app.run.playing import AT_ONCE, Player
from app.run.recorded_scene import head_of, scene_of
from app.run.recording import SUFFIX, Recorder, Recording, RecordingError, read_file
from app.run.simulation import Simulation
from physics.world.world import World
from scenes.loading.scene import LoadedScene
from scenes.text.errors import printable


def read(path: str) -> Recording:
    """Return the recording in a file, or refuse one that cannot be read."""
    try:
        return read_file(Path(path))
    except RecordingError as error:
        raise BadInputError(f"{printable(path)} cannot be played: {error}") from None


def checked_replay(path: str) -> dict[str, Any]:
    """Play a recording without a window, and return the report."""
    recording = read(path)
    recorded = scene_of(recording.head)
    scene = recorded.scene
    player = Player(Simulation(scene.definitions, scene.name, scene.make_world), recording)
    player.simulation.world.step(0, progress=compiling())
    begin = time.perf_counter()
    with progress(max(recording.ticks, 1), lambda: player.simulation.timeline.tip):
        while not player.done:
            player.go(AT_ONCE)
    parted = player.parted
    return {
        "recording": printable(path),
        "scene": scene.name,
        "steps": recording.ticks,
        "states_compared": player.compared,
        "same": parted is None,
        "parted": None if parted is None else {"after": parted.after, "by": parted.by, "what": parted.what},
        "why": None if parted is None else player.reason(recorded.changed),
        "ended": recording.ended,
        "damaged_bytes": recording.damaged,
        "recorded_by": recording.head.get("versions", {}),
        "state_hash": recording.state_hash,
        "computing_seconds": time.perf_counter() - begin,
    }


def start_recording(scene: LoadedScene, world: World, path: str, source: str, settings: Sequence[str]) -> Recorder:
    """Begin the recording of a run without a window."""
    if Path(path).suffix != SUFFIX:
        raise BadInputError(f"--record: got {path!r}, allowed: a file that ends in {SUFFIX}")
    check_output(Path(path), "--record")
    simulation = Simulation(scene.definitions, scene.name, lambda: world)
    return Recorder(Path(path), head_of(scene, source, settings), simulation, time.perf_counter())
