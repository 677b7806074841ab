"""`marionette list`: names and their descriptions in two columns."""

import textwrap
from typing import Any

from scenes.loading.files import LIBRARY

# columns of a list, and of the names in it
WIDTH, NAMES = 80, 16


def entry(name: str, text: str) -> str:
    """Return a name and its description, wrapped into two columns."""
    begin = f"  {name:<{NAMES}}"
    return textwrap.fill(text, WIDTH, initial_indent=begin, subsequent_indent=" " * len(begin), break_on_hyphens=False)


def described(name: str) -> dict[str, Any]:
    """Return the description and the parameters of a library scene, from its file."""
    from scenes.loading.files import Files
    from scenes.text.errors import Problems

    tree = Files(LIBRARY).tree(LIBRARY / f"{name}.yaml", Problems(), None) or {}
    parameters = {k: v["value"] if isinstance(v, dict) else v for k, v in (tree.get("parameters") or {}).items()}
    return {"about": tree.get("about", tree.get("name", "")), "parameters": parameters}
