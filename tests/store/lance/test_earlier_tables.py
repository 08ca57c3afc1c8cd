"""A table made by an earlier version: it serves until the notes are chunked again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragd.search.query.filters import Filters
from ragd.store.lance import LanceStore, condition, generation_folders, table_indexes
from ragd.store.lance.schema import arrow_schema
from tests.store.lance.drafts import defect, identity, note

LATER = (
    *("note_tags", "names", "links", "properties", "language", "keys", "units"),
    *("position", "kind", "collection"),
)


def earlier_schema(dimensions: int, metadata: Mapping[str, str]) -> Any:
    schema = arrow_schema(dimensions, metadata)
    for name in LATER:
        schema = schema.remove(schema.get_field_index(name))
    return schema.with_metadata(dict(metadata))


async def test_an_earlier_table_is_searched_written_and_probed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation_folders, "arrow_schema", earlier_schema)
    before = [column for column in table_indexes.COLUMNS if column not in LATER]
    monkeypatch.setattr(table_indexes, "COLUMNS", tuple(before))
    store = LanceStore(folder)
    index = await store.create(identity())
    monkeypatch.undo()
    file = note("a.md", "a heron by the river", vectors=True, tags=("#birds",))
    await index.replace([file])
    await index.maintain()
    await index.replace([note("b.md", "a boat on the river", vectors=True)])
    await index.maintain(keep_s=0)
    assert await defect(index) is None
    assert index.columns.isdisjoint(LATER)
    where = condition(Filters(tags=("#birds",), tag_column="tags"))
    (hit,) = await index.find_by_words("river", 10, where)
    (row,) = await index.read_chunks([hit.chunk_id])
    assert (row.source_file, row.tags, row.note_tags) == ("a.md", ["#birds"], [])
    assert (row.position, row.kind, row.collection) == ("", "", "vault")
    assert await index.find_by_name("a") == []
    index.close()
    store.close()
