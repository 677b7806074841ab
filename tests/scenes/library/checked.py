"""The checks of every scene of the library, to their end, in every mode that accepts it: a quarter of an hour, most of
it the heap of ragdolls. `python -m tests.scenes.library.checked` writes library.md."""

import sys
from pathlib import Path

from physics.definitions.checks import DefinitionError
from physics.solvers.modes import MODES
from scenes.loading.checks import outcome
from scenes.loading.library import library_names
from scenes.loading.loader import read_scene

RESULT = Path(__file__).with_name("library.md")


def cell(name: str, mode: str) -> str:
    """What one scene did in one mode."""
    scene = read_scene(name)
    try:
        seen = outcome(scene, mode)
    except DefinitionError:
        return "refused"
    if seen.failed:
        return "; ".join(seen.failed.values())
    shown = [f"{seen.gap:.0e}"] if scene.checks.gap else []
    shown += [f"{100.0 * seen.energy:.2g} %"] if scene.checks.energy else []
    return ", ".join(shown) or "finite"


def asked(name: str) -> str:
    """The checks of a scene in a few words."""
    checks = read_scene(name).checks
    words = [f"gap {checks.gap.below:g} for {checks.gap.duration:g} s"] if checks.gap else []
    words += [f"energy {100.0 * checks.energy.within:g} % for {checks.energy.duration:g} s"] if checks.energy else []
    return ", ".join(words or [f"finite for {checks.finite.duration:g} s"])


def main() -> None:
    lines = [
        "# The checks of the library, in every mode, to their end",
        "",
        "The largest gap (m or rad), and the largest change of energy as a share of the largest kinetic energy, where",
        "the scene checks them. All stayed finite. `refused`: the mode does not take the scene, and says why.",
        "",
        f"| scene | asked | {' | '.join(MODES)} |",
        f"|---|---|{'---|' * len(MODES)}",
    ]
    names = sys.argv[1:] or library_names()
    for name in names:
        lines.append(f"| {name} | {asked(name)} | {' | '.join(cell(name, mode) for mode in MODES)} |")
        print(lines[-1], flush=True)
    if names == library_names():
        RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
