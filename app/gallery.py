"""The scenes that can be opened by name, and how each is made."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from physics.definitions import Scene
from scenes import generators


@dataclass(frozen=True)
class Piece:
    name: str
    about: str
    make: Callable[[], Scene]


def pieces() -> dict[str, Piece]:
    made: dict[str, Callable[[], Scene]] = {
        "hand": lambda: generators.hand(stiffness=0.02, damping=0.001),
        "humanoid30": generators.humanoid30,
        "tree": generators.tree,
        "chain": generators.chain,
        "chain30": generators.chain30,
    }
    return {name: Piece(name, first_sentence(getattr(generators, name)), make) for name, make in made.items()}


def first_sentence(thing: Callable[..., Scene]) -> str:
    return " ".join((inspect.getdoc(thing) or "").split()).split(". ")[0].rstrip(".") + "."
