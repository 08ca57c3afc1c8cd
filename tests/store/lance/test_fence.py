"""No commit of an earlier writer lands after another writer has taken over."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragd.errors import RagdError
from ragd.store.lance import fence, generation_folders, libraries, maintenance
from ragd.store.lance.lance_errors import code_of
from ragd.store.lance.schema import arrow_table
from ragd.store.lance.writer import TableWriter
from tests.store.lance.drafts import identity, note


@pytest.fixture
def uri(tmp_path: Path) -> str:
    pa = libraries.pyarrow()
    table = pa.table({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    libraries.lance().write_dataset(table, str(tmp_path / "t.lance"), max_rows_per_file=1)
    return str(tmp_path / "t.lance")


def _rows(old: Any) -> Any:
    pa = libraries.pyarrow()
    table = pa.table({"a": [9], "b": ["late"]})
    return libraries.lance().fragment.write_fragments(table, old, schema=old.schema)


def append(old: Any) -> Iterator[None]:
    lance, rows = libraries.lance(), _rows(old)
    yield
    operation = lance.LanceOperation.Append(rows)
    lance.LanceDataset.commit(old, operation, read_version=old.version)


def replace(old: Any) -> Iterator[None]:
    lance, rows = libraries.lance(), _rows(old)
    yield
    operation = lance.LanceOperation.Update(
        removed_fragment_ids=[0], updated_fragments=[], new_fragments=rows
    )
    lance.LanceDataset.commit(old, operation, read_version=old.version)


def compact(old: Any) -> Iterator[None]:
    yield
    old.optimize.compact_files(target_rows_per_fragment=100)


def index(old: Any) -> Iterator[None]:
    yield
    old.create_scalar_index("a", "BTREE")


@pytest.mark.parametrize("begin", [append, replace, compact, index])
def test_a_commit_that_was_begun_before_is_refused(
    uri: str, begin: Callable[[Any], Iterator[None]]
) -> None:
    lance = libraries.lance()
    late = begin(lance.dataset(uri))
    next(late)
    new = lance.dataset(uri)
    fence.raise_fence(new, 7)
    version = new.version
    with pytest.raises(OSError, match="incompatible with concurrent transaction Restore") as why:
        next(late, None)
    assert code_of(why.value) == "INDEX_HELD"
    after = lance.dataset(uri)
    assert (after.version, after.count_rows(), fence.fence_of(after)) == (version, 3, 7)


def test_every_later_version_carries_the_number(uri: str) -> None:
    lance = libraries.lance()
    new = lance.dataset(uri)
    fence.raise_fence(new, 7)
    new.create_scalar_index("a", "BTREE")
    new.optimize.compact_files(target_rows_per_fragment=100)
    assert fence.fence_of(lance.dataset(uri)) == 7


def test_a_writer_notices_that_another_has_taken_over(uri: str) -> None:
    lance = libraries.lance()
    old, new = lance.dataset(uri), lance.dataset(uri)
    fence.raise_fence(old, 7)
    fence.require_fence(old, 7)
    new.checkout_latest()
    fence.raise_fence(new, 8)
    old.checkout_latest()
    with pytest.raises(RagdError, match="Another daemon"):
        fence.require_fence(old, 7)


def test_a_lower_number_cannot_take_over(uri: str) -> None:
    lance = libraries.lance()
    old, new = lance.dataset(uri), lance.dataset(uri)
    fence.raise_fence(new, 8)
    with pytest.raises(RagdError, match="Another daemon"):
        fence.raise_fence(old, 7)
    assert fence.fence_of(lance.dataset(uri)) == 8


def test_the_fence_outlives_the_removal_of_old_versions(tmp_path: Path) -> None:
    """A commit that slept until the first restore was removed is refused by the next one."""
    generation_folders.create(tmp_path, identity())
    table = generation_folders.table_path(tmp_path, "01A")
    asleep = TableWriter(table)
    asleep.take_over(1)
    asleep.replace([note("a.md", "one"), note("b.md", "two")], [])
    late = replace_rows(asleep.dataset)
    next(late)
    awake = TableWriter(table)
    awake.take_over(2)
    awake.replace([note("b.md", "three")], [])
    for _ in range(2):
        maintenance.compact(awake)
        maintenance.remove_old_versions(awake, 0)
        awake.replace([note("c.md", "four")], [])
    with pytest.raises(OSError, match="Restore"):
        next(late, None)
    found = libraries.lance().dataset(str(table)).scanner(columns=["chunk_text"]).to_table()
    assert sorted(found["chunk_text"].to_pylist()) == ["four", "one", "three"]


def replace_rows(old: Any) -> Iterator[None]:
    """The commit of a writer that is suspended after it has planned it."""
    lance = libraries.lance()
    table = arrow_table([note("d.md", "late")], old.schema)
    rows = lance.fragment.write_fragments(table, old, schema=old.schema)
    yield
    operation = lance.LanceOperation.Update(
        removed_fragment_ids=[], updated_fragments=[], new_fragments=rows
    )
    lance.LanceDataset.commit(old, operation, read_version=old.version)
