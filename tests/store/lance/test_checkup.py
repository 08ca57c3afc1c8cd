"""Damage of every kind to real files of the index."""

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.errors import RagdError
from ragd.store import lance as lance_store
from ragd.store.lance import (
    CheckedFiles,
    ChunkIndex,
    LanceStore,
    checked_files,
    checkup,
    vector_index,
)
from ragd.store.lance.checked_files import WHOLE_EVERY_S, Stamp
from ragd.store.lance.schema import arrow_schema
from tests.store.lance.drafts import bulk, defect, identity, note, vector, vectors_of


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete generation with every kind of file: fills, deletions, all indexes."""
    folder = tmp_path_factory.mktemp("whole")

    async def build() -> None:
        store = LanceStore(folder)
        index = await store.create(identity())
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(vector_index, "WORTHWHILE_FLOATS", 16 * 600)
            files = bulk(600)
            await index.replace(files)
            await index.fill(vectors_of(files[:500]))
            await index.maintain(keep_s=0)
        await index.replace([], [files[7].path])
        await index.replace(bulk(3, start=900))
        await index.mark_complete()
        index.close()
        store.close()

    asyncio.run(build())
    return folder


@pytest.fixture
def damaged(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def table(folder: Path) -> Path:
    return folder / "01A" / "obsidian_chunks.lance"


def newest_manifest(folder: Path) -> Path:
    """Manifests are named so that the newest sorts first."""
    return min((table(folder) / "_versions").glob("*.manifest"))


def data_file(folder: Path) -> Path:
    return max((table(folder) / "data").iterdir(), key=lambda path: path.stat().st_size)


def files_of(folder: Path, name: str) -> list[Path]:
    found = sorted((table(folder) / "_indices").rglob(name))
    assert found, name
    return found


def empty(path: Path) -> None:
    path.write_bytes(b"")


def halve(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def garble(path: Path) -> None:
    path.write_bytes(b"\xa5" * path.stat().st_size)


def garble_end(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-64] + b"\xa5" * 64)


def garble_page_metadata(path: Path) -> None:
    """The descriptions of the pages are between the pages and the footer."""
    data = path.read_bytes()
    path.write_bytes(data[:-2_400] + b"\xa5" * 2_000 + data[-400:])


def garble_middle(path: Path) -> None:
    """What is compressed there cannot be unpacked, and what points elsewhere points nowhere."""
    data = bytearray(path.read_bytes())
    for start in range(len(data) // 8, len(data) - 400, 1_024):
        data[start : start + 64] = b"\xa5" * 64
    path.write_bytes(data)


def remove(path: Path) -> None:
    path.unlink()


def test_a_whole_index_has_nothing_wrong(whole: Path) -> None:
    assert checkup.examine(whole) is None
    assert lance_store.probe(whole) is None
    assert lance_store.probe(whole, "01A", expected=1) is None


HARM = [empty, halve, garble, garble_end, remove]


@pytest.mark.parametrize("harm", HARM[:4], ids=lambda harm: harm.__name__)
def test_a_bad_newest_manifest_is_noticed(damaged: Path, harm: Callable[[Path], None]) -> None:
    harm(newest_manifest(damaged))
    found = checkup.examine(damaged)
    assert found is not None
    assert (found.code, found.where) == ("INDEX_CORRUPTED", "manifest")


@pytest.mark.parametrize("name", arrow_schema(16, {}).names)
async def test_a_column_of_another_name_is_damage(damaged: Path, name: str) -> None:
    """A bit that flips in a name leaves a manifest that lance likes as well."""
    other = bytes([name.encode()[0] ^ 2]) + name.encode()[1:]
    for manifest in (table(damaged) / "_versions").glob("*.manifest"):
        manifest.write_bytes(manifest.read_bytes().replace(name.encode(), other))
    found = checkup.examine(damaged, "01A")
    assert found is not None and found.code == "INDEX_CORRUPTED"
    store = LanceStore(damaged)
    with pytest.raises(RagdError) as refused:
        await store.open("01A")
    assert refused.value.code == "INDEX_CORRUPTED"
    store.close()


def test_a_lost_newest_manifest_is_a_lost_commit(damaged: Path) -> None:
    """Lance opens the previous version without an error."""
    import lance

    expected = lance.dataset(str(table(damaged))).version
    newest_manifest(damaged).unlink()
    found = checkup.examine(damaged, "01A", expected)
    assert found is not None
    assert (found.code, found.where) == ("INDEX_CORRUPTED", "lost_commit")


@pytest.mark.parametrize("harm", [*HARM, garble_page_metadata], ids=lambda harm: harm.__name__)
def test_a_bad_data_file_is_noticed(damaged: Path, harm: Callable[[Path], None]) -> None:
    harm(data_file(damaged))
    assert lance_store.probe(damaged) == "INDEX_CORRUPTED"


@pytest.mark.parametrize("harm", HARM, ids=lambda harm: harm.__name__)
def test_every_single_data_file_counts(
    whole: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    current = {name for name, _ in _current_files(whole) if name.startswith("data/")}
    assert len(current) >= 4  # fragments, their filled vectors, and what came later
    for number, name in enumerate(sorted(current)):
        copy = Path(shutil.copytree(whole, tmp_path / str(number)))
        harm(table(copy) / name)
        assert lance_store.probe(copy) == "INDEX_CORRUPTED", name


def _current_files(folder: Path) -> list[tuple[str, int | None]]:
    import lance

    return list(checkup.version_files(lance.dataset(str(table(folder)))))


@pytest.mark.parametrize("harm", [empty, halve, remove], ids=lambda harm: harm.__name__)
def test_a_bad_deletion_file_is_noticed(damaged: Path, harm: Callable[[Path], None]) -> None:
    deletions = list((table(damaged) / "_deletions").iterdir())
    assert deletions
    for path in deletions:
        harm(path)
    assert lance_store.probe(damaged) == "INDEX_CORRUPTED"


INDEX_FILES = [
    *("page_lookup.lance", "page_data.lance", "bitmap_page_lookup.lance", "metadata.lance"),
    *("part_*_tokens.lance", "part_*_invert.lance", "part_*_docs.lance"),
    *("index.idx", "auxiliary.idx"),
]


@pytest.mark.parametrize("harm", [empty, halve, remove], ids=lambda harm: harm.__name__)
@pytest.mark.parametrize("name", INDEX_FILES)
def test_a_bad_index_file_is_noticed(
    damaged: Path, name: str, harm: Callable[[Path], None]
) -> None:
    for path in files_of(damaged, name):
        harm(path)
    assert lance_store.probe(damaged) == "INDEX_CORRUPTED"


@pytest.mark.parametrize("name", INDEX_FILES)
def test_a_garbled_index_file_is_noticed(damaged: Path, name: str) -> None:
    for path in files_of(damaged, name):
        garble(path)
    assert lance_store.probe(damaged) == "INDEX_CORRUPTED"


@pytest.mark.parametrize("what", ["_transactions", "_versions/latest_version_hint.json"])
def test_a_missing_file_that_lance_does_not_need_is_not_damage(damaged: Path, what: str) -> None:
    path = table(damaged) / what
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    assert lance_store.probe(damaged) is None


def test_a_table_without_manifests_is_damaged_and_one_that_is_gone_is_gone(damaged: Path) -> None:
    shutil.rmtree(table(damaged) / "_versions")
    assert lance_store.probe(damaged) == "INDEX_CORRUPTED"
    shutil.rmtree(table(damaged))
    assert lance_store.probe(damaged, "01A") == "INDEX_NOT_FOUND"
    shutil.rmtree(damaged)
    assert lance_store.probe(damaged) == "INDEX_NOT_FOUND"


# Probes that read only what has changed


class Repeated:
    """The probes of one run."""

    def __init__(self, folder: Path, expected: int = 0) -> None:
        self.now = 0.0
        self.checked = CheckedFiles(lambda: self.now)
        self.folder, self.expected = folder, expected

    def probe(self) -> str | None:
        return lance_store.probe(self.folder, "01A", self.expected, "", self.checked)


def whole_then(folder: Path) -> Repeated:
    repeated = Repeated(folder)
    assert repeated.probe() is None
    assert repeated.probe() is None
    return repeated


@pytest.mark.parametrize("harm", HARM, ids=lambda harm: harm.__name__)
def test_a_later_probe_notices_damage_to_any_file(
    whole: Path, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    names = [name for name, _ in _current_files(whole)]
    kinds = {name.partition("/")[0] for name in names}
    assert kinds == {"data", "_deletions", "_indices", "_versions"}
    for number, name in enumerate(sorted(names)):
        if name.startswith("_versions") and harm is remove:
            continue  # then the version before serves: see the lost commit
        copy = Path(shutil.copytree(whole, tmp_path / str(number)))
        first = Repeated(copy)
        assert first.probe() is None
        harm(table(copy) / name)
        found = Repeated(copy).probe()
        assert first.probe() == found, name
        assert found is not None or harm in (garble, garble_end), name
        shutil.rmtree(copy)


def test_a_later_probe_notices_a_lost_commit(damaged: Path) -> None:
    import lance

    repeated = Repeated(damaged, lance.dataset(str(table(damaged))).version)
    assert repeated.probe() is None
    newest_manifest(damaged).unlink()
    assert repeated.probe() == "INDEX_CORRUPTED"
    assert repeated.probe() == "INDEX_CORRUPTED"  # and nothing of it is remembered as whole


def test_a_commit_that_never_reached_the_table_is_noticed_without_a_changed_file(
    damaged: Path,
) -> None:
    repeated = whole_then(damaged)
    repeated.expected = 1_000
    assert repeated.probe() == "INDEX_CORRUPTED"


def test_a_later_probe_notices_that_the_index_is_gone_or_back(damaged: Path) -> None:
    repeated = whole_then(damaged)
    aside = damaged.with_name("aside")
    damaged.rename(aside)
    assert repeated.probe() == "INDEX_NOT_FOUND"
    aside.rename(damaged)
    assert repeated.probe() is None


async def test_damage_to_what_a_later_commit_added_is_noticed(damaged: Path) -> None:
    repeated = whole_then(damaged)
    before = set((table(damaged) / "data").iterdir())
    store = LanceStore(damaged)
    index = await store.open("01A")
    await index.replace(bulk(2, start=2_000))
    index.close()
    store.close()
    assert repeated.probe() is None
    added = set((table(damaged) / "data").iterdir()) - before
    assert added
    for path in added:
        garble(path)
    assert repeated.probe() == "INDEX_CORRUPTED"


def test_damage_that_leaves_no_trace_is_noticed_by_the_next_whole_check(damaged: Path) -> None:
    """As a bad sector: the content is another one, and the file system says nothing of it."""
    repeated = Repeated(damaged)
    stamps: dict[str, Stamp] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checked_files, "read_stamps", lambda table: dict(stamps))
        stamps |= {"one": (1, 1, 1, 1)}
        assert repeated.probe() is None
        halve(data_file(damaged))
        assert repeated.probe() is None
        repeated.now += WHOLE_EVERY_S
        assert repeated.probe() == "INDEX_CORRUPTED"


def test_an_unchanged_table_is_not_read_again(damaged: Path) -> None:
    repeated = whole_then(damaged)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checkup, "examine", lambda *about: pytest.fail("it is read"))
        assert repeated.probe() is None


def test_a_file_in_the_folders_place_is_damage(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("not a folder")
    assert lance_store.probe(tmp_path / "v") == "INDEX_NOT_FOUND"
    (tmp_path / "w" / "01A").mkdir(parents=True)
    (tmp_path / "w" / "01A" / "obsidian_chunks.lance").write_text("not a table")
    assert lance_store.probe(tmp_path / "w") in ("INDEX_NOT_FOUND", "INDEX_CORRUPTED")


async def test_an_index_without_documents_is_not_found(folder: Path, store: LanceStore) -> None:
    index = await store.create(identity())
    await index.mark_complete()
    assert lance_store.probe(folder) == "INDEX_NOT_FOUND"
    await index.replace([note("a.md", "one")])
    assert lance_store.probe(folder) is None
    finding = await defect(index, expected_version=await index.version())
    assert finding is None
    finding = await defect(index, expected_version=await index.version() + 1)
    assert finding is not None and finding.where == "lost_commit"
    index.close()


async def test_an_incomplete_generation_does_not_serve(folder: Path, store: LanceStore) -> None:
    index = await store.create(identity())
    await index.replace([note("a.md", "one")])
    assert lance_store.probe(folder) == "INDEX_NOT_FOUND"
    assert lance_store.probe(folder, "01A") is None
    index.close()


async def use_everything(index: ChunkIndex) -> list[str]:
    """Try every way of reading and writing. Returns the codes of all failures."""

    async def read() -> None:
        async for _ in index.read_rows(["chunk_text", "vector", "tags", "search_text"]):
            pass

    codes = []
    for attempt in (
        read,
        lambda: index.find_by_words("common w7x1", 5),
        lambda: index.find_by_vector(vector("x"), 50),
        lambda: index.read_chunks([chunk.chunk_id for chunk in bulk(300)[9].chunks]),
        lambda: index.count("source_file = 'Bulk1/note 1.md'"),
        lambda: index.count("array_has(tags, '#t1')"),
        lambda: index.replace(bulk(2)),
        lambda: index.fill(vectors_of(bulk(3, start=30))),
        lambda: index.maintain(keep_s=0),
    ):
        try:
            await attempt()
        except RagdError as why:
            codes.append(why.code)
    return codes


@pytest.mark.parametrize(
    "harm", [*HARM, garble_page_metadata, garble_middle], ids=lambda harm: harm.__name__
)
@pytest.mark.parametrize("name", ["data", *INDEX_FILES])
async def test_whatever_meets_damage_says_so(
    damaged: Path, name: str, harm: Callable[[Path], None]
) -> None:
    """No failure of lance gets out as it is: it is an index that is corrupted, or it is none."""
    for path in [data_file(damaged)] if name == "data" else files_of(damaged, name):
        if path.stat().st_size > 2_400 or harm is not garble_page_metadata:
            harm(path)
    store = LanceStore(damaged)
    index = await store.open("01A")
    assert set(await use_everything(index)) <= {"INDEX_CORRUPTED"}
    index.close()
    store.close()


async def test_a_damaged_full_text_index_says_so(damaged: Path) -> None:
    for path in files_of(damaged, "part_*_invert.lance"):
        path.unlink()
    store = LanceStore(damaged)
    index = await store.open("01A")
    with pytest.raises(RagdError) as refused:
        await index.find_by_words("common words", 5)
    assert refused.value.code == "INDEX_CORRUPTED"
    assert len(await index.find_by_vector(vector("x"), 5)) == 5
    index.close()
    store.close()


async def test_a_generation_that_cannot_be_opened_says_so(damaged: Path) -> None:
    empty(newest_manifest(damaged))
    store = LanceStore(damaged)
    (found,) = await store.list_generations()
    assert found.identity is None and not found.complete
    with pytest.raises(RagdError) as refused:
        await store.open("01A")
    assert refused.value.code == "INDEX_CORRUPTED"
    await store.drop("01A")
    assert await store.list_generations() == []
    store.close()
