import asyncio
import random
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragd.errors import RagdError
from ragd.store.lance import ChunkIndex, ChunkRow, LanceStore, libraries, sql_text, writer
from ragd.store.lance.schema import arrow_schema, iso_of_ns, top_directory
from ragd.store.lance.table_indexes import coverage
from tests.small_disks import small_disk
from tests.store.lance.drafts import (
    NOON,
    bulk,
    chunk,
    defect,
    identity,
    ids,
    missing,
    note,
    vector,
    vectors_of,
)
from tests.store.lance.lance_files import dataset

SPEC_COLUMNS = [
    *("vector", "chunk_id", "chunk_text", "source_file", "source_directory", "section", "date"),
    *("tags", "chunk_index", "total_chunks", "modified_at", "indexed_at"),
]
OUR_COLUMNS = [
    *("content_hash", "file_sha256", "start_line", "end_line", "title", "heading_path"),
    *("search_text", "note_tags", "names", "links", "properties", "language", "keys", "units"),
    *("position", "kind", "collection"),
]


async def texts(index: ChunkIndex) -> dict[str, list[str]]:
    """The texts of each note in the table, in order."""
    found: dict[str, list[tuple[int, str]]] = {}
    async for row in index.read_rows(["source_file", "chunk_index", "chunk_text"]):
        found.setdefault(row["source_file"], []).append((row["chunk_index"], row["chunk_text"]))
    return {path: [text for _, text in sorted(rows)] for path, rows in found.items()}


def test_the_columns_are_the_contracts_in_their_order_and_then_ours() -> None:
    schema = arrow_schema(8, {})
    assert schema.names == SPEC_COLUMNS + OUR_COLUMNS
    assert str(schema.field("vector").type).startswith("fixed_size_list<")
    assert schema.field("vector").nullable and not schema.field("tags").nullable


async def test_a_chunk_comes_back_as_it_went_in(index: ChunkIndex) -> None:
    given_chunk = chunk(
        "Journal/2024/a.md",
        0,
        "what I wrote",
        section="#mentalhealth",
        heading_path="Year > January",
        date="2024-01-15",
        tags=("#a", "#b/c"),
        search_text="a what I wrote",
        note_tags=("#a", "#b/c", "#d"),
        names=("File name",),
        links=("Other note",),
        language="en",
        position="page=3",
        kind="pdf",
        collection="papers",
    )
    file = note("Journal/2024/a.md", "what I wrote", mtime_ns=1_700_000_000_123_456_789)
    file = msgspec.structs.replace(file, chunks=[given_chunk])
    await index.replace([file])
    (row,) = await index.read_chunks([given_chunk.chunk_id])
    assert row == ChunkRow(
        chunk_id=given_chunk.chunk_id,
        chunk_text="what I wrote",
        source_file="Journal/2024/a.md",
        source_directory="Journal",
        section="#mentalhealth",
        date="2024-01-15",
        tags=["#a", "#b/c"],
        chunk_index=0,
        total_chunks=1,
        modified_at="2023-11-14T22:13:20.123456Z",
        indexed_at=NOON,
        content_hash=given_chunk.content_hash,
        file_sha256=file.sha256,
        start_line=1,
        end_line=9,
        title="a",
        heading_path="Year > January",
        note_tags=["#a", "#b/c", "#d"],
        names=["File name"],
        links=["Other note"],
        language="en",
        position="page=3",
        kind="pdf",
        collection="papers",
    )


async def test_a_note_is_replaced_whole(index: ChunkIndex) -> None:
    await index.replace([note("a.md", "one", "two", "three"), note("b.md", "other")])
    await index.replace([note("a.md", "four", "two")])
    assert await texts(index) == {"a.md": ["four", "two"], "b.md": ["other"]}


async def test_a_batch_is_one_commit(index: ChunkIndex) -> None:
    await index.replace([note("a.md", "one"), note("b.md", "two"), note("c.md", "three")])
    before = await index.versions()
    after = await index.replace(
        [note("a.md", "new"), note("d.md", "four", vectors=True)], ["b.md", "never there.md"]
    )
    assert [v for v in await index.versions() if v not in before] == [after]
    assert await index.version() == after
    assert await texts(index) == {"a.md": ["new"], "c.md": ["three"], "d.md": ["four"]}


async def test_doing_it_twice_is_harmless(index: ChunkIndex) -> None:
    files = bulk(20)
    await index.replace(files, ["x.md"])
    once = await texts(index)
    await index.replace(files, ["x.md"])
    assert await texts(index) == once
    assert await index.count() == 80


async def test_nothing_to_do_makes_no_commit(index: ChunkIndex) -> None:
    version = await index.replace([note("a.md", "one")])
    assert await index.replace([], ["not there.md"]) == version
    assert await index.replace([], []) == version


async def test_a_note_without_chunks_leaves_the_table(index: ChunkIndex) -> None:
    await index.replace([note("a.md", "one"), note("b.md", "two")])
    await index.replace([note("a.md")])
    assert await texts(index) == {"b.md": ["two"]}


async def test_a_whole_table_can_be_emptied_and_filled_again(index: ChunkIndex) -> None:
    files = bulk(10)
    await index.replace(files)
    await index.replace([], [file.path for file in files])
    assert await index.count() == 0
    assert await index.find_by_words("common", 5) == []
    assert await index.find_by_vector(vector("x"), 5) == []
    await index.replace(files)
    assert await index.count() == 40


async def test_bulk_makes_fragments_of_a_bounded_size(index: ChunkIndex, folder: Path) -> None:
    await index.replace(bulk(600))
    parts = dataset(folder).get_fragments()
    assert [part.metadata.num_rows for part in parts] == [1024, 1024, 352]


async def test_bulk_extends_the_indexes_as_it_goes(index: ChunkIndex, folder: Path) -> None:
    for start in range(0, 1_400, 350):
        await index.replace(bulk(350, start=start))
    covered = coverage(dataset(folder))
    assert covered.fresh < writer.EXTEND_ROWS <= sum(covered.segments)
    assert [writer.unindexed_rows_max(rows) for rows in (0, 20_000, 10**6)] == [
        4_096,
        5_000,
        16_384,
    ]
    for word in ("w0x0", "w700x3", "w1399x2"):
        assert len(await index.find_by_words(word, 5)) == 1


async def test_a_reader_sees_one_version_until_the_commit(index: ChunkIndex) -> None:
    """Searches that run while a note is replaced over and over see it whole, at any moment."""
    await index.replace([note("a.md", *(f"revision0 part{n}" for n in range(5)))])
    stop = asyncio.Event()
    seen: set[str] = set()

    async def watch() -> None:
        while not stop.is_set():
            rows = [row async for row in index.read_rows(["file_sha256", "total_chunks"])]
            assert len(rows) == rows[0]["total_chunks"]
            assert len({row["file_sha256"] for row in rows}) == 1
            seen.add(rows[0]["file_sha256"])

    async with asyncio.TaskGroup() as group:
        group.create_task(watch())
        for revision in range(1, 25):
            parts = (f"revision{revision} part{n}" for n in range(3 + revision % 5))
            await index.replace([note("a.md", *parts)])
        stop.set()
    assert len(seen) > 1


async def test_a_commit_of_another_process_is_included(index: ChunkIndex) -> None:
    """The plan is made again on the newest version if that moved on in between."""
    import lance

    await index.replace([note("a.md", "one"), note("b.md", "two")])
    commit = lance.LanceDataset.commit
    interfered = 0

    def interfere(dataset: Any, planned: Any, **options: Any) -> Any:
        nonlocal interfered
        if interfered < 2:
            interfered += 1
            lance.dataset(dataset.uri).delete(f"chunk_text = '{['one', 'two'][interfered - 1]}'")
        return commit(dataset, planned, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lance.LanceDataset, "commit", interfere)
        await index.replace([note("a.md", "new")])
    assert interfered == 2
    assert await texts(index) == {"a.md": ["new"]}


async def test_half_a_surrogate_pair_does_not_stop_a_batch(index: ChunkIndex) -> None:
    await index.replace([note("a.md", "broken \ud800 word", tags=("#\udfff",), section="\ud800")])
    ((found,),) = (await texts(index)).values()
    assert found == "broken ? word"


async def test_a_vector_that_does_not_belong_is_refused_and_nothing_is_stored(
    index: ChunkIndex,
) -> None:
    nan = b"\x00\x00\xc0\x7f" * 16
    for wrong in (b"", bytes(60), bytes(68), nan):
        file = note("a.md", "one")
        bad = note("a.md", "one", vectors={file.chunks[0].chunk_id: wrong})
        with pytest.raises(ValueError, match="vector"):
            await index.replace([bad])
    assert await index.count() == 0


async def test_a_full_disk_is_reported_and_the_table_stays_whole(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.replace([note("a.md", "one")])

    def full(*given: Any, **options: Any) -> Any:
        raise OSError("LanceError(IO): No space left on device (os error 28)")

    monkeypatch.setattr(libraries.lance().fragment, "write_fragments", full)
    with pytest.raises(Exception, match="disk is full") as refused:
        await index.replace([note("a.md", "two")])
    assert refused.value.code == "DISK_FULL"  # type: ignore[attr-defined]
    monkeypatch.undo()
    assert await texts(index) == {"a.md": ["one"]}
    await index.replace([note("a.md", "two")])
    assert await texts(index) == {"a.md": ["two"]}


async def test_a_disk_that_really_fills_up_leaves_a_whole_table(
    tmp_path: Path, mounts: ExitStack
) -> None:
    small_disk(mounts, tmp_path, "4m")
    store = LanceStore(tmp_path / "v")
    index = await store.create(identity())
    stored = 0
    with pytest.raises(RagdError) as refused:
        while True:
            letters = random.Random(stored).choices("abcdefgh ijkl", k=90_000)
            text = "".join(letters)
            await index.replace([note(f"{stored}.md", *(text[n::60] for n in range(60)))])
            stored += 1
    assert refused.value.code == "DISK_FULL"
    assert await index.count() == 60 * stored > 0
    assert await defect(index) is None
    await index.replace([], [f"{number}.md" for number in range(stored - 2)])
    await index.maintain(keep_s=0)
    await index.replace([note("new.md", "there is room again")])
    assert await index.count() == 121
    index.close()
    store.close()


async def test_a_thousand_notes_can_go_at_once(index: ChunkIndex) -> None:
    files = bulk(1_000, chunks=1)
    await index.replace(files)
    await index.replace([], [file.path for file in files[:999]])
    assert await index.count() == 1


PATHS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=12),
    min_size=2,
    max_size=6,
    unique=True,
)


@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(PATHS)
def test_any_path_is_just_a_path(tmp_path: Path, paths: list[str]) -> None:
    odd = ["it's.md", "a\\b'", "new\nline", "nul\x00", "%_", "🎉", "';--"]

    async def run() -> None:
        store = LanceStore(tmp_path)
        await store.drop("01A")
        index = await store.create(identity())
        names = list(dict.fromkeys([*odd, *paths]))
        await index.replace([note(path, f"text {n}") for n, path in enumerate(names)])
        for path in names:
            assert await index.count(f"source_file = {sql_text(path)}") == 1
        await index.replace([], names[1:])
        assert list(await texts(index)) == names[:1]
        index.close()
        store.close()

    asyncio.run(run())


@pytest.mark.parametrize(
    ("path", "top"), [("a.md", ""), ("A/b.md", "A"), ("A/B/c.md", "A"), ("日/x", "日")]
)
def test_the_source_directory_is_the_top_level(path: str, top: str) -> None:
    assert top_directory(path) == top


def test_no_file_time_is_out_of_range() -> None:
    assert iso_of_ns(0) == "1970-01-01T00:00:00.000000Z"
    assert iso_of_ns(-1_000) == "1969-12-31T23:59:59.999999Z"
    assert iso_of_ns(2**63 - 1) == "2262-04-11T23:47:16.854775Z"
    assert iso_of_ns(10**30).startswith("9999-12-31")
    assert iso_of_ns(-(10**30)).endswith("-01-01T00:00:00.000000Z")


async def test_vectors_given_with_a_note_are_found_at_once(index: ChunkIndex) -> None:
    files = bulk(5, vectors=True)
    await index.replace(files)
    assert await missing(index) == []
    for chunk_id, wanted in list(vectors_of(files).items())[:5]:
        (hit,) = await index.find_by_vector(wanted, 1)
        assert hit.chunk_id == chunk_id
        assert hit.score == pytest.approx(1.0, abs=1e-5)
    assert len(ids(files)) == 20
