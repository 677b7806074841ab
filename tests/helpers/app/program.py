"""The program as a person starts it: by a script in a folder of its own, as pip makes one."""

import os
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
SCRIPT = "import sys\nfrom app.__main__ import run\nif __name__ == '__main__':\n    sys.exit(run())\n"
ARM = """marionette: 1
bodies:
  arm: {shape: {capsule: {from: [0, 0, 1], to: [0.3, 0, 1], radius: 2 cm}}}
joints:
  shoulder: {hinge: [world, arm], at: [0, 0, 1], axis: y}
"""
COLD = {"MARIONETTE_COMPILED": "0"}  # with an empty folder for what is compiled: everything is compiled
SWING = """marionette: 1
bodies:
  bob: {shape: {sphere: {at: [0.5, 0, 0], radius: 0.1}}}
joints:
  pivot: {hinge: [world, bob], at: [0, 0, 0], axis: y}
"""


def start(folder, *words, environment=None, script=None):
    """In a folder; another script in its place."""
    if script is None:
        script = folder.parent / f"{folder.name}-bin" / "marionette"
        script.parent.mkdir(exist_ok=True)
        script.write_text(SCRIPT)
    return subprocess.Popen(
        [sys.executable, str(script), *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(TOP), **(environment or {})},
    )  # fmt: skip


def run(folder, *words, **how):
    """Its exit code, output and news."""
    with start(folder, *words, **how) as program:
        out, err = program.communicate(timeout=300)
    assert "Traceback" not in err, err
    return program.returncode, out, err


def until(true, seconds=120.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)
