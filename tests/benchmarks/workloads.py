"""What is measured: figures, timesteps, and how long a motion its error is read from. The names are those of peers.md:
W1 chains, W1s stiff chains, W2 tree, W3 humanoid and its chain, W5 hand."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from physics.definitions.scene import Scene
from tests.helpers import generators

# stiff against the links: sqrt(k / I) of one link alone is 340 rad/s, of a link pressed between two others above 1000
STIFF: dict[str, Any] = {"stiffness": 10.0, "damping": 0.1}


@dataclass(frozen=True)
class Workload:
    name: str
    text: str
    make: Callable[[], Scene]
    timestep: float
    steps: int  # after which the error is read
    paper: str = ""  # the seeds' own figure, on the machines of their days
    refine: int = 8  # the reference takes that many steps for one

    @property
    def window(self) -> int:
        """Steps that timing runs through before it starts again: half a second of motion at 1/240."""
        return max(120, self.steps)


def chain(links: int, timestep: float, steps: int, paper: str = "", **springs: Any) -> Workload:
    name = f"W1{'s' if springs else ''} chain {links}"
    text = f"chain of {links} ball joints" + (", stiff and damped" if springs else "")
    # the springs are fast: their reference needs smaller steps
    refine = 32 if springs else 8
    return Workload(name, text, lambda: generators.chain(links, **springs), timestep, steps, paper, refine)


WORKLOADS = [
    chain(10, 1 / 240, 60),
    chain(100, 1 / 240, 60),
    chain(1000, 1 / 1000, 60, "22 ms [Hernandez11]"),
    chain(10000, 1e-4, 20, "285 ms [Hernandez11]"),
    chain(100, 1 / 240, 60, **STIFF),
    chain(1000, 1 / 1000, 60, "22 ms [Hernandez11]", **STIFF),
    chain(10000, 1e-4, 20, "285 ms [Hernandez11]", **STIFF),
    Workload(
        "W2 tree", "held binary tree of 128 ball joints", lambda: generators.tree(7), 1 / 240, 60, "44.6 ms [Baraff96]",
    ),
    Workload("W3 humanoid30", "floating torso, four limbs of six hinges", generators.humanoid30, 1 / 240, 60),
    Workload("W3 chain30", "the same torso and links in one row", generators.chain30, 1 / 240, 60),
    Workload(
        "W5 hand", "16 bones, 15 hinges, k = 100 Nm/rad, c = 0.01", generators.hand, 1 / 240, 60,
        "0.36 ms [Hernandez11]", 256,
    ),
]  # fmt: skip

# growth with n: the stiff chain, the timestep as short as its length asks for
GROWTH = [1000, 3162, 10000, 31623, 100000]


def growth_workload(links: int) -> Workload:
    return chain(links, 1.0 / links, 20, **STIFF)
