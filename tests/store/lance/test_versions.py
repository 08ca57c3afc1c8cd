import mmap
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from ragd.embed.providers.embedder_port import unpack
from ragd.store.lance import ChunkIndex
from ragd.store.lance.schema import SEARCH_TEXT, TABLE
from tests.patience import PATIENCE_S
from tests.store.lance.drafts import note, vector


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


async def test_lancedb_opens_the_index_and_searches_it(index: ChunkIndex) -> None:
    import lancedb

    text = "A heron on the boathouse."
    await index.replace(
        [note("Boat.md", text, vectors=True), note("Tea.md", "Green tea.", vectors=True)]
    )
    await index.maintain()
    folder = Path(index.folder.address) / index.identity.generation
    table = lancedb.connect(str(folder)).open_table(TABLE)
    by_words = table.search("heron", query_type="fts", fts_columns=SEARCH_TEXT).to_list()
    by_vector = (
        table.search(list(unpack(vector(text))), vector_column_name="vector").limit(1).to_list()
    )
    assert [row["source_file"] for row in by_words] == ["Boat.md"]
    assert [row["source_file"] for row in by_vector] == ["Boat.md"]


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
