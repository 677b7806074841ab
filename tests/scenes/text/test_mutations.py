"""Mutated scenes: whatever a slip of the pen, a lost line or a wrong paste makes of a scene, it is read or refused, with
no other exception and within a second.

A twentieth of the 20,000 is tried each time, all of them with `pytest -m long`; the result of that stands in
mutations.md, written by `python -m tests.scenes.text.test_mutations`.
"""

import random
import time
from pathlib import Path

import pytest

from scenes.loading.library import LIBRARY
from scenes.loading.loader import read_scene_text
from scenes.text.errors import SceneError, listing

RESULT = Path(__file__).parent / "mutations.md"
ALL = 20_000
SECONDS = 1.0
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(LIBRARY.rglob("*.yaml"))}
PIECES = [
    "{", "}", "[", "]", ":", ": ", ",", "-", "- ", "#", "&a ", "*a", "!", "|", ">", "'", '"', "%", "@", "`", "\t", "\n", "  ",
    "0", "-1", "1e999", ".nan", ".inf", "1/0", "null", "~", "true", "no", "9" * 50, "deg", "kg", "N*m", "${x}", "${", "world",
    "this", "previous", "palm", "x", "-z", "[]", "{}", "[1, 2, 3]", "{x: 1}", "shape", "joints", "at", "\u00e9", "\u2028", "\x00",
    "(", ")", "**", "^", "sqrt(", "1e-320", "0x1", "../", "index", "limits", "mirror", "use: hand",
]  # fmt: skip


def mutated(rng: random.Random, text: str) -> str:
    """One to four slips."""
    for _ in range(rng.randint(1, 4)):
        lines = text.split("\n")
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.randint(1, 30))
        row, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        kind = rng.randrange(8)
        if kind == 0:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[end:]
        elif kind == 2:
            text = text[:at] + rng.choice(PIECES) + text[end:]
        elif kind == 3:
            text = "\n".join(lines[:row] + lines[row + 1 :])
        elif kind == 4:
            text = "\n".join([*lines[:row], lines[other], *lines[row:]])
        elif kind == 5:
            text = "\n".join([*lines[:row], " " * rng.randint(1, 6) + lines[row], *lines[row + 1 :]])
        elif kind == 6:
            words = text.split(" ")
            i, j = rng.randrange(len(words)), rng.randrange(len(words))
            words[i], words[j] = words[j], words[i]
            text = " ".join(words)
        else:
            words = text.split(" ")
            words[rng.randrange(len(words))] = rng.choice(PIECES)
            text = " ".join(words)
    return text


def try_numbers(first: int, last: int) -> dict[str, float]:
    """Read mutations by their numbers; any exception but SceneError comes through."""
    counts = {"read": 0, "refused": 0, "problems": 0, "slowest": 0.0}
    names = list(TEXTS)
    for number in range(first, last):
        rng = random.Random(number)
        text = mutated(rng, TEXTS[names[number % len(names)]])
        start = time.process_time()
        try:
            scene = read_scene_text(text, "mutated.yaml", LIBRARY)
            assert scene.definitions.bodies
            counts["read"] += 1
        except SceneError as error:
            counts["refused"] += bool(listing(error.problems))
            counts["problems"] += len(error.problems)
        except Exception as error:
            raise AssertionError(f"mutation {number}: {type(error).__name__}: {error}") from error
        spent = time.process_time() - start
        counts["slowest"] = max(counts["slowest"], spent)
        assert spent < SECONDS, f"mutation {number} took {spent:.2f} s"
    return counts


def test_mutated_scenes_are_read_or_refused():
    counts = try_numbers(0, ALL // 20)
    assert counts["read"] > 20
    assert counts["refused"] > 500


@pytest.mark.long
def test_all_mutated_scenes_are_read_or_refused():
    counts = try_numbers(ALL // 20, ALL)
    assert counts["read"] + counts["refused"] == ALL - ALL // 20


def main() -> None:
    counts = try_numbers(0, ALL)
    RESULT.write_text(
        f"# {ALL} mutated scenes\n\n"
        f"Read: {counts['read']}. Refused: {counts['refused']}, with {counts['problems'] / counts['refused']:.1f} problems each. "
        f"Other exceptions: 0. Slowest: {1e3 * counts['slowest']:.0f} ms.\n"
    )


if __name__ == "__main__":
    main()
