"""How the tests are arranged: helpers in tests/helpers, no test file imported by another file, few private names."""

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
SOURCES = sorted(TESTS.rglob("*.py"))
MOST_PRIVATE = 60  # places in which tests look at what a class or module keeps to itself
MOST_LINES = 600  # of a file
TUPLES = {"_fields", "_asdict", "_replace", "_make"}  # public names of named tuples


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in TUPLES


def imports_of(tree: ast.Module) -> list[str]:
    """What a file imports, with the modules: `a.b.c` of `from a.b import c`."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
    return names


def private_in(tree: ast.Module) -> list[str]:
    """The private names that a file takes from elsewhere."""
    attributes = [
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and is_private(node.attr)
        and not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))
    ]  # fmt: skip
    imported = [name.rsplit(".", 1)[1] for name in imports_of(tree) if "." in name]
    return [*attributes, *filter(is_private, imported)]


def test_no_file_imports_a_test_file():
    found = {
        str(path.relative_to(TESTS)): name for path in SOURCES for name in imports_of(ast.parse(path.read_text()))
        if name.startswith("tests.") and any(part.startswith("test_") for part in name.split(".")[:-1])
    }  # fmt: skip
    assert found == {}


def test_private_names_are_few():
    assert private_in(ast.parse("a._b\nself._c\nx._replace()\nfrom m import _d")) == ["_b", "_d"]
    found = {str(path.relative_to(TESTS)): private_in(ast.parse(path.read_text())) for path in SOURCES}
    assert sum(map(len, found.values())) < MOST_PRIVATE, {path: names for path, names in found.items() if names}


def test_files_are_not_long():
    found = {str(path.relative_to(TESTS)): len(path.read_text().splitlines()) for path in SOURCES}
    assert {path: lines for path, lines in found.items() if lines > MOST_LINES} == {}
