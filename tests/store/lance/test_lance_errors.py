"""Lance's error messages: which mean damage, a full disk, or a bug of ours."""

import errno
from collections.abc import Awaitable, Callable

import pytest

from ragd.errors import RagdError
from ragd.store.lance import ChunkIndex, LanceStore
from ragd.store.lance.lance_errors import code_of, translated
from tests.store.lance.drafts import bulk, identity


@pytest.fixture
async def index(store: LanceStore) -> ChunkIndex:
    index = await store.create(identity())
    await index.replace(bulk(5))
    return index


async def _missing_column(index: ChunkIndex) -> None:
    async for _ in index.read_rows(["nowhere"]):
        pass


@pytest.mark.parametrize(
    "mistake",
    [
        lambda index: index.count("nowhere = 1"),
        lambda index: index.count("source_file = = 1"),
        lambda index: index.count("nofunction(source_file)"),
        lambda index: index.count("vector > 'x'"),
        _missing_column,
    ],
)
async def test_a_mistake_of_ours_looks_like_one(
    index: ChunkIndex, mistake: Callable[[ChunkIndex], Awaitable[object]]
) -> None:
    with pytest.raises((ValueError, OSError)) as raised:
        await mistake(index)
    assert not isinstance(raised.value, RagdError)
    index.close()


@pytest.mark.parametrize(
    "why",
    [
        ValueError("not lance's"),
        RuntimeError("cannot schedule new futures after shutdown"),
        TimeoutError("took too long"),
        KeyError("x"),
        OSError("LanceError(IO): Too many open files (os error 24)"),
    ],
)
def test_what_is_not_lances_passes_through(why: Exception) -> None:
    with pytest.raises(type(why)) as raised, translated():
        raise why
    assert raised.value is why


@pytest.mark.parametrize(
    ("why", "code"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "DISK_FULL"),
        (OSError("LanceError(IO): Read-only file system (os error 30)"), "DISK_FULL"),
        (ValueError("Table 'obsidian_chunks' was not found"), "INDEX_NOT_FOUND"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), "INDEX_CORRUPTED"),
        (RuntimeError("task 26627 panicked with message"), "INDEX_CORRUPTED"),
        (type("RustPanic", (Exception,), {})("rust future panicked"), "INDEX_CORRUPTED"),
        (type("PanicException", (BaseException,), {})("index out of bounds"), "INDEX_CORRUPTED"),
    ],
)
def test_what_a_person_can_act_on_has_a_code(why: BaseException, code: str) -> None:
    assert code_of(why) == code
    with pytest.raises(RagdError) as raised, translated():
        raise why
    assert raised.value.code == code
