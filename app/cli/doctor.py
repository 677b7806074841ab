"""`marionette doctor`: whether everything works on this machine, and for each problem the remedy."""

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

from app.cli.console import PROGRAM
from app.cli.listing import entry
from app.host import health, settings
from app.host.folder import PACKAGES, child_environment, child_words
from app.host.health import Problem
from app.host.troubles import SOFTWARE
from physics.world.machine_code import MachineCode, machine_code, why_no_compiler

LONGEST = 60.0  # s for a picture of 16 x 16 pixels, by software on a busy machine


def examine() -> dict[str, Any]:
    """Return the report. Its keys are `ok`, `versions`, `machine_code`, `compiler`, `drawing`, `display`, `folders`,
    `extras` and `problems`."""
    problems: list[Problem] = []
    code = machine_code()
    report = {
        "versions": health.versions(problems),
        "machine_code": _machine_code(code, problems),
        "compiler": _compiler(problems),
        "drawing": _drawing(problems),
        "display": health.display(problems),
        "folders": {
            about: health.folder(about, path, problems)
            for about, path in (("cache", code.folder), ("settings", settings.folder()))
        },
        "extras": health.extras(),
    }
    return {"ok": not problems, **report, "problems": [problem._asdict() for problem in problems]}


# ---------------------------------------------------------------- machine code
def _machine_code(code: MachineCode, problems: list[Problem]) -> dict[str, Any]:
    """Return where machine code comes from."""
    if code.why_no_shelf:
        said = f"no machine code is used that came with the program: {code.why_no_shelf}"
        problems.append(Problem("machine_code", said, _shelf_remedy(code.why_no_shelf)))
    return {key: str(value) if isinstance(value, Path) else value for key, value in code._asdict().items()}


def _shelf_remedy(why: str) -> str:
    """Return what to do where the machine code that came with the program is not used."""
    if why.endswith(" is set"):  # a variable of the environment
        return f"unset {why.split('=')[0].split()[0]}"
    if (PACKAGES / "pyproject.toml").is_file():
        return f"in {PACKAGES}: python -m physics.world.every_unit build/compiled, which takes some minutes"
    return f"install it from its sources: pip install --force-reinstall --no-binary {PROGRAM} {PROGRAM}"


def _compiler(problems: list[Problem]) -> dict[str, Any]:
    """Return whether numba can compile what did not come with the program, such as the user's own functions."""
    why = why_no_compiler()
    if why:
        said = f"what did not come with the program, such as a function of your own, cannot be compiled: {why}"
        problems.append(Problem("compiler", said, f"pip install --force-reinstall {PROGRAM}, which brings its numba"))
    return {"usable": not why, "trouble": why}


# ---------------------------------------------------------------- drawing
def _drawing(problems: list[Problem]) -> dict[str, Any]:
    """Return what draws pictures without a window. Sixteen by sixteen pixels are drawn by another process."""
    try:
        done = subprocess.run(
            child_words("app.render.trial"), cwd=PACKAGES, env=child_environment(), capture_output=True, text=True,
            timeout=LONGEST, check=False,
        )  # fmt: skip
        found = json.loads(done.stdout) if done.returncode == 0 else _ended(done.returncode)
    except subprocess.TimeoutExpired:
        found = _ended(None)
    if found["trouble"]:
        said, _, remedy = found["trouble"].partition("; ")
        problems.append(Problem("drawing", said, remedy or SOFTWARE))
    return found


def _ended(code: int | None) -> dict[str, str]:
    """Return the finding about a process that ended while it drew, or None instead of its code if it did not end."""
    if code is None:
        why = f"drawing did not end within {LONGEST:.0f} s"
    elif code < 0:
        why = f"the graphics driver ended the program ({signal.Signals(-code).name})"
    else:
        why = f"the program that draws ended with code {code}"
    return {"opengl": "", "renderer": "", "trouble": f"{why}; {SOFTWARE}"}


# ---------------------------------------------------------------- the text
def lines(report: dict[str, Any]) -> list[str]:
    """Return the report as lines of text."""
    versions, code, drawing = dict(report["versions"]), report["machine_code"], report["drawing"]
    about = [f"{name} {version or 'is missing'}" for name, version in versions.items()]
    out = [entry("versions", ", ".join(about)), entry("machine code", _where_from(code))]
    if report["compiler"]["usable"]:
        out.append(entry("compiler", "numba compiles what did not come with the program, such as your own functions"))
    if not drawing["trouble"]:
        out.append(entry("drawing", f"OpenGL {drawing['opengl']} by {drawing['renderer']}; 16 x 16 pixels are right"))
    if report["display"]["reached"]:
        out.append(entry("display", report["display"]["name"]))
    for name, one in report["folders"].items():
        if one["writable"]:
            out.append(entry(name, f"{one['path']} can be written, {one['free'] / 1e9:.1f} GB are free"))
    for name, one in report["extras"].items():
        packages = {package: version for package, version in one.items() if package != "for"}
        missing = f"not installed (for {one['for']}: pip install '{PROGRAM}[{name}]')"
        there = ", ".join(f"{package} {version}" for package, version in packages.items())
        out.append(entry(f"extra {name}", there if all(packages.values()) else missing))
    for one in report["problems"]:
        out += [entry("PROBLEM", one["problem"]), entry("  remedy", one["remedy"])]
    return [*out, entry("result", "all is well") if report["ok"] else entry("result", _counted(report["problems"]))]


def _where_from(code: dict[str, Any]) -> str:
    """Return the text about the origin of machine code, and about the processor."""
    if code["source"] == "shelf":
        text = f"{code['units']} units for {code['level']} came with the program ({code['shelf']})"
    elif code["source"] == "compiler":
        text = f"compiled when it is first used, and kept in the cache ({code['kept']} units now)"
    else:
        text = "none: kernels run as Python functions"
    return f"{text}; this processor is a {code['processor']}, of level {code['processor_level']}"


def _counted(problems: list[dict[str, str]]) -> str:
    """Return the number of problems in words."""
    return f"{len(problems)} problem{'s' * (len(problems) > 1)}"
