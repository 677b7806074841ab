"""Heaps of ragdolls with friction, limits and sleep: the same bits in two processes and by way of a snapshot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.ragdoll import heap_hash

ROOT = Path(__file__).resolve().parents[2]

RUN = """
import sys
from tests.helpers.ragdoll import heap_hash
print(heap_hash(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4] == "asleep"))
"""


def check(count: int, steps: int, method: str, sleeping: bool) -> None:
    arguments = [str(count), str(steps), method, "asleep" if sleeping else "awake"]
    elsewhere = subprocess.Popen(
        [sys.executable, "-c", RUN, *arguments], cwd=ROOT, env={**os.environ}, stdout=subprocess.PIPE, text=True
    )
    restored = heap_hash(count, steps, method, sleeping, restored=True)
    printed, _ = elsewhere.communicate()
    assert printed.split() == [restored]


def test_two_ragdolls_in_two_processes_and_by_way_of_a_snapshot():
    check(2, 400, "newton", True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "sleeping"), [("newton", False), ("newton", True), ("auto", False), ("anticipation", False)]
)
def test_fifty_ragdolls_over_ten_thousand_steps(method, sleeping):
    check(50, 10_000, method, sleeping)
