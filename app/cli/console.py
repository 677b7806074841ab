"""What the commands say to a person: sentences on standard error, and problems with file, line and column."""

import os
import sys
from collections.abc import Iterable

from scenes.text.errors import Problem, listing

PROGRAM = "marionette"


class BadInputError(Exception):
    """One sentence for the user."""


def forget_output() -> None:
    """What could not be written is not tried again at Python's end, which would complain in its own words."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> None:
    print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)


def say(problems: Iterable[Problem], severities: tuple[str, ...] = ("error", "warning", "note")) -> None:
    """Problems to standard error: those with a place as editors know them, others as a sentence of the program."""
    wanted = [p for p in problems if p.severity in severities]
    for problem in wanted:
        if problem.mark is None:
            complain(problem.message)
    located = [p for p in wanted if p.mark is not None]
    if located:
        print(listing(located), file=sys.stderr)
