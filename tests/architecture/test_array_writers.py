"""The entry of an array names every room that writes it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from physics.data import reference

TOP = Path(__file__).resolve().parents[2]


def test_the_rooms_that_write_an_array_are_those_of_its_entry():
    """`build` makes and copies the arrays of Work, and is not named there."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.architecture.array_writers"]
    seen = subprocess.run(command, env=environment, cwd=TOP, capture_output=True, text=True, check=True)
    groups = {group.__name__: group for group in reference.groups()}
    unnamed = {}
    for name, rooms in json.loads(seen.stdout).items():
        label, field = name.split(".")
        named = {*groups[label].entries[field].by.split(", "), *(["build"] if label == "Work" else [])}
        unnamed[name] = sorted(set(rooms) - named)
    assert len(unnamed) > 80
    assert {name: rooms for name, rooms in unnamed.items() if rooms} == {}
