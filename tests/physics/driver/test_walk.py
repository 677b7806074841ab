"""physics/driver/README.md lists the calls of one step of the hand, in order."""

import os
import subprocess
import sys

from tests.physics.driver import walk


def test_the_walk_is_what_a_step_calls():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "tests.physics.driver.walk"]
    made = subprocess.run(command, env=environment, cwd=walk.ROOT.parent, capture_output=True, text=True, check=True)
    assert made.stdout.strip() == walk.written().strip()


def test_the_walk_leads_from_the_driver_to_the_elimination():
    names = walk.written().split()
    assert names[0] == walk.DRIVE
    assert "solvers.fused_ball.factor_ball" in names
