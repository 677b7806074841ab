"""`marionette list`: the scenes of the library, the solver modes and the integrators.

The command and the pages of help read them from `assets/list.json`, because the tables of the physics take half a
second to import. `python -m app.cli.listing` writes that file from the library and the tables; a test compares them.
"""

import json
import textwrap
from functools import cache
from typing import Any

from app.host.assets import asset

FILE = "list.json"
# columns of a list, and of the names in it
WIDTH, NAMES = 80, 16


@cache
def listed() -> dict[str, Any]:
    """Return what the list holds: `scenes` with the description and the parameters of each, `solvers` with a summary of
    each, and the names of the `integrators`."""
    return json.loads(asset(FILE).read_text(encoding="utf-8"))


def lines() -> list[str]:
    """Return the lines of the list."""
    out = ["scenes, and their parameters for --set NAME=VALUE with the defaults"]
    for name, one in listed()["scenes"].items():
        out.append(entry(name, one["about"]))
        if one["parameters"]:
            # a value and its unit stay together
            values = (f"{k}={v}".replace(" ", "\0") for k, v in one["parameters"].items())
            out.append(entry("", " ".join(values)).replace("\0", " "))
    out.append("solver modes")
    out += [entry(name, text) for name, text in listed()["solvers"].items()]
    return [*out, f"integrators\n  {', '.join(listed()['integrators'])}"]


def entry(name: str, text: str) -> str:
    """Return a name and its description, wrapped into two columns."""
    begin = f"  {name:<{NAMES}}"
    return textwrap.fill(text, WIDTH, initial_indent=begin, subsequent_indent=" " * len(begin), break_on_hyphens=False)


# ---------------------------------------------------------------- the file
def made() -> dict[str, Any]:
    """Return what the list holds, made from the files of the library and the tables of the physics."""
    from physics import INTEGRATORS, MODES
    from scenes.loading.library import library_names

    return {
        "scenes": {name: described(name) for name in library_names()},
        "solvers": {mode.name: mode.summary for mode in MODES.values()},
        "integrators": list(INTEGRATORS),
    }


def described(name: str) -> dict[str, Any]:
    """Return the description and the parameters of a library scene, from its file."""
    from scenes.loading.files import Files
    from scenes.loading.library import LIBRARY
    from scenes.text.errors import Problems

    tree = Files(LIBRARY).tree(LIBRARY / f"{name}.yaml", Problems(), None) or {}
    parameters = {k: v["value"] if isinstance(v, dict) else v for k, v in (tree.get("parameters") or {}).items()}
    return {"about": tree.get("about", tree.get("name", "")), "parameters": parameters}


def text_of(content: dict[str, Any]) -> str:
    """Return the text of the file."""
    return json.dumps(content, indent=2) + "\n"


if __name__ == "__main__":
    asset(FILE).write_text(text_of(made()), encoding="utf-8")
