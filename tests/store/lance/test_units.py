"""The vectors of units in the table: written with a note, with a fill, and read with a hit."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ragd.embed.providers.embedder_port import pack
from ragd.embed.unit_vectors import with_units
from ragd.store.lance import ChunkIndex, LanceStore, generation_folders
from ragd.store.lance.schema import arrow_schema
from tests.store.lance.drafts import defect, identity, note


def schema_without_units(dimensions: int, metadata: Mapping[str, str]) -> Any:
    schema = arrow_schema(dimensions, metadata)
    return schema.remove(schema.get_field_index("units")).with_metadata(dict(metadata))


async def units(index: ChunkIndex) -> dict[str, bytes | None]:
    return {
        row["source_file"]: row["units"] async for row in index.read_rows(["source_file", "units"])
    }


async def test_units_come_with_a_note_and_with_its_hits(index: ChunkIndex) -> None:
    dimensions = index.identity.space.dimensions
    file = note("a.md", "a heron by the river", vectors=True)
    (chunk,) = file.chunks
    own = bytes(range(2 * dimensions))
    made = with_units(file.vectors[chunk.chunk_id], own)
    file = msgspec.structs.replace(file, vectors={chunk.chunk_id: made})
    await index.replace([file, note("b.md", "a boat on the river", vectors=True)])
    assert await units(index) == {"a.md": own, "b.md": None}
    by_words = {hit.source_file: hit.units for hit in await index.find_by_words("river", 10)}
    asked = pack([1.0] * dimensions)
    by_meaning = {hit.source_file: hit.units for hit in await index.find_by_vector(asked, 10)}
    assert by_words == by_meaning == {"a.md": own, "b.md": b""}


async def test_units_come_with_a_fill_and_outlast_tidying(index: ChunkIndex) -> None:
    dimensions = index.identity.space.dimensions
    first, second = note("a.md", "a heron"), note("b.md", "a boat")
    await index.replace([first, second])
    assert await units(index) == {"a.md": None, "b.md": None}
    vector, own = pack([1.0] * dimensions), bytes([7] * 3 * dimensions)
    ids = [file.chunks[0].chunk_id for file in (first, second)]
    filled = await index.fill({ids[0]: with_units(vector, own), ids[1]: vector})
    assert len(filled.found) == 2
    await index.maintain(keep_s=0)
    assert await units(index) == {"a.md": own, "b.md": None}
    assert await defect(index) is None


async def test_an_earlier_table_takes_vectors_without_their_units(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation_folders, "arrow_schema", schema_without_units)
    store = LanceStore(folder)
    index = await store.create(identity())
    monkeypatch.undo()
    dimensions = index.identity.space.dimensions
    vector = pack([1.0] * dimensions)
    made = with_units(vector, bytes(dimensions))
    with_note, filled = note("a.md", "a heron", vectors=True), note("b.md", "a boat")
    (chunk,) = with_note.chunks
    await index.replace(
        [msgspec.structs.replace(with_note, vectors={chunk.chunk_id: made}), filled]
    )
    await index.fill({filled.chunks[0].chunk_id: made})
    hits = await index.find_by_vector(vector, 10)
    assert {hit.source_file: hit.units for hit in hits} == {"a.md": b"", "b.md": b""}
    assert [hit.score for hit in hits] == pytest.approx([1.0, 1.0])
    index.close()
    store.close()
