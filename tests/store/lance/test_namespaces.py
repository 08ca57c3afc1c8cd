"""lancedb is loaded without its client for remote catalogues, which takes seconds to load."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]

# The versions for which this was measured: 2 s instead of 7 s to import lancedb. With others,
# measure again: `python -X importtime -c "import lancedb"`.
MEASURED = {
    "lancedb": "0.40",
    "lance-namespace": "0.11",
    "lance-namespace-urllib3-client": "0.11",
}

LOADED_WITH_RAGD = """
import sys
from ragd.store.lance import libraries
lancedb = libraries.lancedb()
assert callable(lancedb.connect_async)
print(sorted(name for name in sys.modules if name.startswith("lance_namespace")))
import lance_namespace
print(lance_namespace.__file__ is not None, len(sys.meta_path))
"""
LOADED_PLAINLY = """
import sys
import lancedb
print("lance_namespace_urllib3_client" in sys.modules)
"""


def run_python(code: str) -> list[str]:
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.mark.parametrize("package", MEASURED)
def test_the_versions_are_those_that_were_measured(package: str) -> None:
    assert version(package).startswith(f"{MEASURED[package]}."), "measure it again"


def test_lancedb_is_loaded_without_its_client_for_remote_catalogues() -> None:
    loaded, afterwards = run_python(LOADED_WITH_RAGD)
    assert loaded == "[]"
    assert afterwards.startswith("True"), "a later import gets the real package"


def test_lancedb_alone_still_loads_that_client() -> None:
    assert run_python(LOADED_PLAINLY) == ["True"], "else namespaces.py is not needed any more"
