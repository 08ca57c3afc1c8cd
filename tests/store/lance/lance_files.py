"""Reads lance's files without our store. Their texts are compressed, so grep does not find them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa


def table_folder(vectors: Path, generation: str = "01A") -> Path:
    """The folder of a generation's table."""
    return vectors / generation / "obsidian_chunks.lance"


def dataset(vectors: Path) -> Any:
    """The newest version of the table, opened with lance."""
    import lance

    return lance.dataset(str(table_folder(vectors)))


def files_with(root: Path, word: str) -> list[str]:
    """The files below `root` that contain the word, raw or decoded."""
    wanted = word.encode()
    return [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*"))
        if path.is_file() and any(wanted in piece for piece in _contents(path))
    ]


def _contents(path: Path) -> Iterator[bytes]:
    from lance.file import LanceFileReader

    yield path.read_bytes()
    if path.suffix == ".lance":
        reader = LanceFileReader(str(path))
        for batch in reader.read_all().to_batches():
            for column in batch.columns:
                yield from _strings(column)
        yield str(reader.metadata().schema.metadata).encode()


def _strings(array: Any) -> Iterator[bytes]:
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        yield "\0".join(text or "" for text in array.to_pylist()).encode()
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        yield b"\0".join(data or b"" for data in array.to_pylist())
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        yield from _strings(array.flatten())


def words_indexed(dataset: Any) -> int:
    """How many different words the full-text index has, counted in each segment."""
    facts = dataset.stats.index_stats("search_text_idx")
    return sum(part.get("num_tokens", 0) for part in facts["indices"])
