"""What holds for the sources as text: references are explained, imports stay within bounds, no path of some machine."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
PACKAGES = ("app", "physics", "scenes")
SOURCES = sorted(path for package in PACKAGES for path in (TOP / package).rglob("*.py"))
# a key such as [Baraff96] or [Baraff96, eq. 8]: a name, two digits of a year, perhaps a letter
KEY = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?)(?:[ ,][^\]]*)?\]")
# where physics/README.md explains one: at the start of a line, list item or table row
EXPLAINED = re.compile(r"^\W*\[([A-Z][A-Za-z]+\d{2}[a-z]?)\]", re.MULTILINE)
# where each package of the outside world may be imported, beside the standard library
ALLOWED = {
    "numpy": ("physics", "scenes", "app"),
    "scipy": ("physics", "scenes", "app/render"),
    "lazy_loader": ("physics/__init__.py",),
    "yaml": ("scenes/text/reader.py",),
    "pydantic": ("scenes",),
    "pydantic_core": ("scenes",),
    "click": ("app/cli",),
    "rich": ("app",),
    "hatchling": ("physics/compiler/build_hook.py",),
    "numba": ("physics/compiler", "physics/maths"),
    "llvmlite": ("physics/compiler", "physics/maths"),  # numba brings its own
    "pyglet": ("app/ui/window.py",),
    "moderngl": ("app/render",),
    "PIL": ("app/render",),
    "av": ("app/render/film.py",),
    "imgui_bundle": ("app/ui/shell.py", "app/ui/panels"),
}
# the beginnings of absolute paths that only exist on somebody's machine
MACHINE_PATH = re.compile(
    r"(?<![\w.~/-])/(?:home|root|work|opt|tmp|mnt|srv|var|etc|Users|usr/local)/\w|\b[A-Z]:\\\\?\w"
)
TEXT = {".py", ".md", ".toml", ".json", ".yaml", ".yml", ".cfg", ".txt", ""}


def name_of(path: Path) -> str:
    return path.relative_to(TOP).as_posix()


def keys_of(path: Path) -> set[str]:
    """The reference keys in the docstrings and comments of a file."""
    return set(KEY.findall(path.read_text()))


def test_every_reference_key_is_explained():
    explained = set(EXPLAINED.findall((TOP / "physics" / "README.md").read_text()))
    unknown = {name_of(path): sorted(keys_of(path) - explained) for path in SOURCES}
    assert {name: keys for name, keys in unknown.items() if keys} == {}


def test_reference_keys_are_found():
    """The check above would pass on a pattern that finds nothing."""
    assert keys_of(TOP / "physics" / "solvers" / "fused.py") >= {"Baraff96"}
    assert KEY.findall("[Baraff96, app. A] [Featherstone05] [Witkin97a §4] [n, 6] [H1]") == [
        "Baraff96", "Featherstone05", "Witkin97a",
    ]  # fmt: skip


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(str(node.module).split(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_stay_within_bounds(path):
    outside = imports_of(path) - set(sys.stdlib_module_names) - set(PACKAGES)
    strangers = [
        name for name in outside
        if not any(name_of(path) == place or name_of(path).startswith(place + "/") for place in ALLOWED.get(name, ()))
    ]  # fmt: skip
    assert strangers == []


def files() -> list[Path]:
    """Every text file of the project, generated folders left out."""
    hidden = {".git", ".venv", "__pycache__", "build", "dist"}
    return [
        path for path in sorted(TOP.rglob("*"))
        if path.is_file() and path.suffix in TEXT
        and not any(part in hidden or part.endswith(("_cache", ".egg-info")) for part in path.relative_to(TOP).parts)
    ]  # fmt: skip


def test_no_file_names_a_path_of_some_machine():
    found = [
        f"{name_of(path)}:{number}: {line.strip()[:80]}"
        for path in files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if MACHINE_PATH.search(line)
    ]
    assert found == []


def test_the_top_level_is_the_one_of_the_design():
    design = {"pyproject.toml", "README.md", "LICENSE", "app", "physics", "scenes", "assets", "tests"}
    listed = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=False)
    names = {line.split("/")[0] for line in listed.stdout.splitlines()} or {path.name for path in TOP.glob("[!.]*")}
    assert {name for name in names if not name.startswith(".")} <= design | {"build", "dist"}


def names_given(path: Path) -> list[str]:
    """The names that a module's own lines give, one for each time."""
    assigned = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [t for node in assigned for t in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    return [name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_name_is_given_twice(path):
    """A column or flag that takes the name of another one changes what that one meant, without an error: so it was with
    the flag of soft limits and the switch of hard ones, and every stiff joint measured limits that it did not have."""
    names = names_given(path)
    assert sorted({name for name in names if names.count(name) > 1 and name.isupper()}) == []
