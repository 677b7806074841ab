"""Messages of the commands on standard error: sentences, and problems with file, line and column."""

import os
import sys
from collections.abc import Iterable

from scenes.text.errors import Problem, listing

PROGRAM = "marionette"


class BadInputError(Exception):
    """Bad input, with one sentence for the user."""


def forget_output() -> None:
    """Redirect standard output to nothing after it could not be written. Otherwise Python would try again when it ends,
    and print an error message of its own."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> None:
    """Print one sentence on standard error."""
    print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)


def say(problems: Iterable[Problem], severities: tuple[str, ...] = ("error", "warning", "note")) -> None:
    """Print problems on standard error: those with a place in the form that editors know, others as a sentence."""
    wanted = [p for p in problems if p.severity in severities]
    for problem in wanted:
        if problem.mark is None:
            complain(problem.message)
    located = [p for p in wanted if p.mark is not None]
    if located:
        print(listing(located), file=sys.stderr)
