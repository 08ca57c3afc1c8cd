import mmap
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from tests.patience import PATIENCE_S


def lance_inside_lancedb() -> set[str]:
    """The version of lance that lancedb was built with, as the paths of its sources tell."""
    import lancedb

    folder = Path(lancedb.__file__).parent
    (binary,) = (path for path in folder.glob("_lancedb*") if path.suffix in (".so", ".pyd"))
    with binary.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = re.findall(rb"lance-core-(\d+\.\d+\.\d+(?:-[a-z0-9.]+)?)[/\\]", data)
    return {name.decode() for name in found}


def test_lancedb_contains_the_lance_that_writes() -> None:
    """The benchmarks read ragd's table with LanceDB, and so may a user."""
    assert lance_inside_lancedb() == {version("pylance")}


def test_importing_the_store_imports_no_native_library() -> None:
    code = (
        "import sys, ragd.store.lance; "
        "print([m for m in ('lance', 'lancedb', 'pyarrow', 'numpy') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert run.stdout.strip() == "[]", run.stderr


def test_looking_for_an_index_that_is_not_there_imports_none_either(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from ragd.store import lance as lance_store; "
        f"print(lance_store.probe(pathlib.Path({str(tmp_path)!r})), 'lance' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert run.stdout.strip() == "INDEX_NOT_FOUND False", run.stderr
