"""Modules of physics keep no state of their own outside the compiler: two worlds in one process do not meet."""

import ast
from pathlib import Path

import pytest

import physics

PHYSICS = Path(physics.__file__).parent
SOURCES = [path for path in sorted(PHYSICS.rglob("*.py")) if path.parent.name != "compiler"]
CHANGES = {
    "append", "add", "update", "extend", "insert", "pop", "popitem", "clear", "remove", "discard", "setdefault",
    "sort", "reverse", "fill",
}  # fmt: skip
# memories of functions whose result is decided by their arguments
REMEMBERED = {
    "definitions/spellings.py: public_words",  # a frozen set
    "maths/rotations.py: _frame_about",  # an array that its one caller copies
    "build/callbacks.py: _known",  # machine code of the user's functions, which takes seconds to make
}


def names_of(module: ast.Module) -> set[str]:
    """The names that a module's own lines bind to values; functions, classes and imports are no values."""
    assigned = [node for node in module.body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [t for node in assigned for t in (node.targets if isinstance(node, ast.Assign) else [node.target])]
    return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}


def root_of(node: ast.expr) -> str:
    """The name at the beginning of a[i].b[k]; empty where there is none."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def locals_of(function: ast.FunctionDef) -> set[str]:
    """The names that a function binds itself."""
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    bound = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return bound | {a.arg for a in named if a is not None}


def changed_in(source: str) -> list[str]:
    """The values of a module that its functions change, and what its functions declare `global`."""
    module = ast.parse(source)
    names, found = names_of(module), []
    for function in ast.walk(module):
        if not isinstance(function, ast.FunctionDef):
            continue
        known = names - locals_of(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                found += node.names
            elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                found += [root_of(node)] if root_of(node) in known else []
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
                found += [root_of(node.func)] if root_of(node.func) in known else []
    return sorted(set(found))


def caches_in(source: str) -> list[str]:
    """The functions of a module whose results are remembered."""
    module = ast.parse(source)
    decorated = [
        node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)
        if any("cache" in ast.unparse(d) and "cached_property" not in ast.unparse(d) for d in node.decorator_list)
    ]  # fmt: skip
    called = [
        ast.unparse(node.targets[0]) for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and "cache" in ast.unparse(node.value.func)
    ]  # fmt: skip
    return [*decorated, *called]


@pytest.mark.parametrize("change", [
    "SEEN.append(x)", "SEEN[x] = 1", "del SEEN[x]", "SEEN[0] += x", "SEEN[0].update(x)", "global SEEN",
])  # fmt: skip
def test_changes_are_found(change):
    assert changed_in(f"SEEN = []\ndef f(x):\n    {change}") == ["SEEN"]


def test_what_a_function_binds_itself_may_change():
    assert changed_in("A = {}\ndef f(A):\n    A[1] = 2\ndef g():\n    A = []\n    A.append(1)") == []


def test_no_module_changes_its_values():
    found = {str(path.relative_to(PHYSICS)): changed_in(path.read_text()) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


def test_only_functions_whose_result_their_arguments_decide_are_remembered():
    found = {f"{path.relative_to(PHYSICS)}: {name}" for path in SOURCES for name in caches_in(path.read_text())}
    assert found == REMEMBERED
