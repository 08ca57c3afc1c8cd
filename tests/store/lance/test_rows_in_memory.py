"""Vectors and columns in memory: each version has its own, and takes over only what is right."""

import random
from pathlib import Path
from typing import Any

import numpy
import pytest

from ragd.errors import RagdError
from ragd.store.lance import ChunkIndex, packed_rows, table_version, vector_matrix
from ragd.store.lance.columns_in_memory import ColumnsInMemory
from ragd.store.lance.fragments import find_changes
from ragd.store.lance.packed_rows import NARROW, WIDE, PackedRows
from ragd.store.lance.vector_matrix import Share, VectorMatrix
from tests.store.lance.drafts import bulk, ids, note, vector, vectors_of
from tests.store.lance.lance_files import dataset, table_folder

MANY = 600  # notes of four passages: three fragments


def nearest(matrix: VectorMatrix, seed: object) -> list[tuple[int, float]]:
    row_ids, cosines = matrix.nearest(vector(seed), 20, None)
    return list(zip(row_ids, [round(one, 5) for one in cosines], strict=True))


async def test_only_changed_fragments_are_read_again(index: ChunkIndex, folder: Path) -> None:
    files = bulk(MANY, vectors=True)
    await index.replace(files)
    before = VectorMatrix(dataset(folder))
    await index.replace([note(files[0].path, "another text")])
    changes = find_changes(dataset(folder), before.contents)
    assert len(before.contents) == 3 and len(changes.same) == 2
    assert len(changes.others) == 2  # one lost rows, one is new


async def test_an_unchanged_version_reads_nothing(index: ChunkIndex, folder: Path) -> None:
    await index.replace(bulk(MANY, vectors=True))
    now = dataset(folder)
    assert not find_changes(now, VectorMatrix(now).contents).others


@pytest.mark.parametrize("is_exact", [True, False])
async def test_what_was_taken_over_equals_what_is_read(
    index: ChunkIndex, folder: Path, is_exact: bool
) -> None:
    """After any change: replaced, removed, filled, compacted, and nothing at all."""
    source = random.Random(7)
    files = bulk(MANY, vectors=True)
    await index.replace(files[:400])
    matrix, narrow = VectorMatrix(dataset(folder), is_exact=is_exact), PackedRows(dataset(folder))
    whole = ColumnsInMemory(dataset(folder), WIDE)
    for turn in range(12):
        bare = note(f"new {turn}.md", f"a passage of turn {turn}")
        some = source.sample(files, 30)
        await index.replace([*some[:20], bare], [one.path for one in some[20:]])
        if turn % 2:
            await index.fill({ids([bare])[0]: vector(turn)})
        if turn % 3 == 2:
            await index.maintain()
        now = dataset(folder)
        matrix = VectorMatrix(now, is_exact=is_exact, earlier=matrix)
        narrow, whole = PackedRows(now, narrow), ColumnsInMemory(now, WIDE, whole)
        assert nearest(matrix, turn) == nearest(VectorMatrix(now, is_exact=is_exact), turn)
        assert narrow.narrow.table.equals(PackedRows(now).narrow.table)
        assert whole.table.equals(ColumnsInMemory(now, WIDE).table)


async def test_vectors_of_another_kind_are_not_taken_over(index: ChunkIndex, folder: Path) -> None:
    await index.replace(bulk(40, vectors=True))
    now = dataset(folder)
    exact = VectorMatrix(now)
    short = VectorMatrix(now, is_exact=False, earlier=exact)
    assert short.bytes < exact.bytes
    for one, other in zip(nearest(short, 1), nearest(exact, 1), strict=True):
        assert one == pytest.approx(other, abs=1e-4)


async def test_other_columns_are_not_taken_over(index: ChunkIndex, folder: Path) -> None:
    await index.replace(bulk(40))
    now = dataset(folder)
    narrow = ColumnsInMemory(now, NARROW)
    whole = ColumnsInMemory(now, WIDE, narrow)
    assert whole.table.equals(ColumnsInMemory(now, WIDE).table)


async def test_an_emptied_table_leaves_nothing_in_memory(index: ChunkIndex, folder: Path) -> None:
    files = bulk(40, vectors=True)
    await index.replace(files)
    before, columns = VectorMatrix(dataset(folder)), ColumnsInMemory(dataset(folder), NARROW)
    await index.replace([], [one.path for one in files])
    assert VectorMatrix(dataset(folder), earlier=before).rows == 0
    assert len(ColumnsInMemory(dataset(folder), NARROW, columns).table) == 0
    assert await index.find_by_vector(vector("any"), 5) == []


async def test_a_vector_that_is_zero_is_never_found(index: ChunkIndex, folder: Path) -> None:
    file = note("a.md", "zero", "one")
    zero, one = ids([file])
    await index.replace([file])
    await index.fill({zero: bytes(len(vector("x"))), one: vector("x")})
    for is_exact in (True, False):
        row_ids, _ = VectorMatrix(dataset(folder), is_exact=is_exact).nearest(vector("y"), 5, None)
        assert len(row_ids) == 1


async def test_a_table_above_the_limits_keeps_no_rows(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = bulk(60, vectors=True)
    await index.replace(files)
    asked = vectors_of(files)[ids(files)[9]]
    small = await index.find_by_vector(asked, 5)
    assert index.bytes_in_memory > 0
    for module, limit in (
        (packed_rows, "MOST_ROWS"),
        (packed_rows, "MOST_WHOLE_BYTES"),
        (vector_matrix, "MOST_SHORTS"),
    ):
        monkeypatch.setattr(module, limit, 0)
    await index.replace([note("another.md", "text")])  # a new version
    large = await index.find_by_vector(asked, 5)
    assert [hit.chunk_id for hit in large] == [hit.chunk_id for hit in small]
    assert index.bytes_in_memory == 0, "what an earlier version held is gone, too"


async def test_damage_of_a_changed_fragment_is_reported(index: ChunkIndex, folder: Path) -> None:
    """What is in memory does not hide that the next version cannot be read."""
    files = bulk(MANY, vectors=True)
    await index.replace(files)
    await index.find_by_vector(vector("any"), 5)
    await index.replace([note("late.md", "a late text", vectors=True)])
    files_of_rows = (table_folder(folder) / "data").iterdir()
    newest = max(files_of_rows, key=lambda one: one.stat().st_mtime_ns)
    newest.write_bytes(b"")
    with pytest.raises(RagdError) as why:
        await index.find_by_vector(vector("any"), 5)
    assert why.value.code == "INDEX_CORRUPTED"


async def test_text_is_kept_up_to_a_number_of_bytes(
    index: ChunkIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.replace(bulk(MANY, vectors=True))
    now = dataset(folder)
    rows, whole = now.count_rows(), ColumnsInMemory(now, WIDE)
    for earlier in (None, whole):
        monkeypatch.setattr(packed_rows, "MOST_WHOLE_BYTES", 2 * whole.bytes)
        kept = packed_rows.read_whole(now, rows, earlier)
        assert kept is not None and kept.table.equals(whole.table)
        monkeypatch.setattr(packed_rows, "MOST_WHOLE_BYTES", whole.bytes // 2)
        assert packed_rows.read_whole(now, rows, earlier) is None


async def test_unchanged_fragments_are_taken_over_without_a_copy(
    index: ChunkIndex, folder: Path
) -> None:
    files = bulk(MANY)
    await index.replace(files)
    before = ColumnsInMemory(dataset(folder), WIDE)
    await index.replace([note(files[0].path, "another text")])
    after = ColumnsInMemory(dataset(folder), WIDE, before)
    known = {buffer.address for buffer in _buffers(before)}
    kept = [buffer for buffer in _buffers(after) if buffer.address in known]
    assert sum(one.size for one in kept) > sum(one.size for one in _buffers(after)) / 2


def _buffers(held: ColumnsInMemory) -> list[Any]:
    """Where the texts are in memory, one for each fragment."""
    return [chunk.buffers()[2] for chunk in held.table["chunk_text"].chunks]


@pytest.mark.parametrize("is_exact", [True, False])
async def test_the_nearest_among_some_rows_are_those_of_all_rows(
    index: ChunkIndex, folder: Path, is_exact: bool
) -> None:
    """However many they are: few are compared alone, many with all others."""
    await index.replace(bulk(MANY, vectors=True))
    matrix = VectorMatrix(dataset(folder), is_exact=is_exact)
    asked = vector("asked")
    ranked, cosines = matrix.nearest(asked, matrix.rows, None)
    assert len(ranked) == matrix.rows
    source = random.Random(3)
    for count in (0, 1, 7, matrix.rows // 3, matrix.rows - 5, matrix.rows):
        some = source.sample(ranked, count)
        among = numpy.array([*some, 1 << 60], dtype="u8")  # the last is no row of the table
        found, alike = matrix.nearest(asked, 20, among)
        kept = [(one, own) for one, own in zip(ranked, cosines, strict=True) if one in set(some)]
        assert found == [one for one, _ in kept[:20]]
        assert alike == [own for _, own in kept[:20]]


@pytest.mark.parametrize("total", [1, 2, 5])
async def test_shares_have_each_row_once(index: ChunkIndex, folder: Path, total: int) -> None:
    await index.replace(bulk(MANY, vectors=True))
    matrix = VectorMatrix(dataset(folder))
    whole, _ = matrix.nearest(vector("asked"), matrix.rows, None)
    found: list[int] = []
    for number in range(total):
        (own,) = matrix.nearest_of_each([(vector("asked"), matrix.rows)], Share(number, total))
        found += own.row_ids
    assert sorted(found) == sorted(whole)


async def test_equal_vectors_are_found_in_the_order_of_the_rows(
    index: ChunkIndex, folder: Path
) -> None:
    files = [note(f"{number}.md", f"text {number}") for number in range(30)]
    await index.replace(files)
    await index.fill({one: vector("the same") for one in ids(files)})
    matrix = VectorMatrix(dataset(folder))
    found, _ = matrix.nearest(vector("asked"), 10, None)
    assert found == sorted(matrix.nearest(vector("asked"), 30, None)[0])[:10]


async def test_a_large_table_is_compared_in_several_threads(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.replace(bulk(MANY, vectors=True))
    alone = await index.find_by_vector(vector("asked"), 30)
    monkeypatch.setattr(table_version, "SHARED_ROWS", 1)
    assert await index.find_by_vector(vector("asked"), 30) == alone
