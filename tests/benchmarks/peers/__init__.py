"""The other engines, each built from the same Figure; those that are installed.

A peer is a class with `restart()`, `step(count)` and `motion()`. `VARIANTS` maps its names in the tables to keyword
arguments, `accepts(figure)` says whether it can hold a figure at a sane cost.
"""

import importlib
import importlib.util

# module of this folder -> module that must be installed
PEERS = {"mujoco_peer": "mujoco", "pinocchio_peer": "pinocchio", "rapier_peer": "rapier3d", "dart_peer": "dartpy"}


def installed() -> list:
    """The peers' modules whose engine is there."""
    return [
        importlib.import_module(f"tests.benchmarks.peers.{name}")
        for name, needs in PEERS.items()
        if importlib.util.find_spec(needs)
    ]
