"""The parts of lancedb for remote catalogues are never loaded."""

import subprocess
import sys
from pathlib import Path

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]

CODE = """
import sys
from ragd.store.lance import libraries
lancedb = libraries.lancedb()
assert callable(lancedb.connect_async)
print(sorted(name for name in sys.modules if name.startswith("lance_namespace")))
import lance_namespace
print(lance_namespace.__file__ is not None, len(sys.meta_path))
"""


def test_lancedb_is_loaded_without_its_client_for_remote_catalogues() -> None:
    run = subprocess.run(
        [sys.executable, "-c", CODE], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert run.returncode == 0, run.stderr
    loaded, afterwards = run.stdout.splitlines()
    assert loaded == "[]"
    assert afterwards.startswith("True"), "whoever wants the real package gets it"
