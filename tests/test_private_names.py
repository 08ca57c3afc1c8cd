"""Tests use only the public names of ragd and ragctl, so that private ones are free to change."""

import ast
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TESTS = sorted((ROOT / "tests").rglob("*.py"))
PACKAGES = ("ragd", "ragctl")

ALLOWED = {
    "_replace",  # a public method of every named tuple, and also a private function of ours
    "_versions",  # a folder of every lance table, and also a private attribute of ours
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name != "_"


def defined_names(*trees: ast.AST) -> Iterator[str]:
    """The private names that are defined here: functions, classes, variables and attributes."""
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names = [node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names = [node.attr] if _is_of_self(node) else []
        else:
            continue
        yield from filter(is_private, names)


def used_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The private names that a module may use of another one: the line and the name. `self._name`
    is its own if one of its classes defines it."""
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    own = set(defined_names(*classes))
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names = [] if _is_of_self(node) and node.attr in own else [node.attr]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = [*modules, *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Call):  # setattr(x, "_name", …), or a function that calls it
            names = [*_texts(node.args)]
        elif isinstance(node, ast.Subscript):  # vars(x)["_name"], x.__dict__["_name"]
            names = [*_texts([node.slice])]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _names_in_program(node.value, node.lineno)
            continue
        else:
            continue
        parts = [part for name in names for part in name.split(".")]
        yield from ((node.lineno, part) for part in parts if is_private(part))


def _is_of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def _texts(nodes: Iterable[ast.expr]) -> Iterator[str]:
    """The texts among these that can be names: `_name`, or `ragd.module._name`."""
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and (text.isidentifier() or text.startswith(PACKAGES)):
            yield text


def _names_in_program(text: str, first_line: int) -> Iterator[tuple[int, str]]:
    """A text may be the program of a process that the test starts."""
    if not any(package in text for package in PACKAGES):
        return
    try:
        program = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError):
        return
    for line, name in used_names(program):
        yield first_line + line - 1, name


def private_names_of_packages() -> set[str]:
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return {name for file in files for name in defined_names(ast.parse(file.read_text("utf-8")))}


def reached(source: str, private: set[str]) -> list[tuple[int, str]]:
    """The names among `private` that a test module uses, with their lines."""
    return sorted({use for use in used_names(ast.parse(source)) if use[1] in private})


def test_tests_do_not_use_private_names() -> None:
    private = private_names_of_packages() - ALLOWED
    assert private
    found = [
        f"{file.relative_to(ROOT).as_posix()}:{line}: {name}"
        for file in TESTS
        for line, name in reached(file.read_text("utf-8"), private)
    ]
    assert found == []


@pytest.mark.parametrize(
    "source",
    [
        "from ragd.embed.worker.granite import _of_ragd",
        "import ragd._of_ragd",
        "embedder._of_ragd.close()",
        "index._of_ragd = 3",
        "class Part(Whole):\n    def run(self): return self._of_ragd",
        "monkeypatch.setattr(module, '_of_ragd', 3)",
        "monkeypatch.setattr('ragd.module._of_ragd', 3)",
        "count_calls(backlog, '_of_ragd')",
        "vars(model)['_of_ragd']",
        "run('''\n    import ragd\n    ragd._of_ragd()\n''')",
    ],
)
def test_a_private_name_is_noticed(source: str) -> None:
    assert [name for _, name in reached(source, {"_of_ragd"})] == ["_of_ragd"]


@pytest.mark.parametrize(
    "source",
    [
        "class Own:\n    def get(self): return self._of_ragd\n    def _of_ragd(self): ...",
        "def _of_ragd(): ...\n\n_of_ragd()",
        "from ragd import __version__",
        "os._exit(1)",
    ],
)
def test_own_names_and_those_of_libraries_are_allowed(source: str) -> None:
    assert reached(source, {"_of_ragd"}) == []
