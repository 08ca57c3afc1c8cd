"""Some facts are recorded in one place only."""

import ast
from pathlib import Path

import pytest

import ragd

PACKAGE = Path(ragd.__file__).parent


@pytest.mark.parametrize(
    ("fact", "module"),
    [
        ("JobRequested", "state/job_requests.py"),
        ("JobFinished", "state/job_endings.py"),
        ("DeletionsHeld", "batch/deletion_hold.py"),
    ],
)
def test_the_fact_is_recorded_in_one_place(fact: str, module: str) -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == fact
    }
    assert found == {module}
