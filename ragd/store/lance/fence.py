"""Keeps a writer out that lost its lease while one of its commits was still on its way.

A new writer puts its fencing number into the table, then commits a restore of the newest version.
lance refuses every commit that was begun before a restore (rows, vectors, indexes, compaction), so
none can land after it. From then on, every version of the table carries the fencing number. lance
can refuse only by versions that are still there, so the restore is repeated before it would be
removed (`TableWriter.keep_fence`).
"""

from typing import Any

from ragd.errors import RagdError

KEY = "ragd.fence"
_TRIES = 3


def fence_of(dataset: Any) -> int:
    """The fencing number in this version; 0 if the table never had one."""
    return int(dataset.config().get(KEY, "0"))


def raise_fence(dataset: Any, fence: int) -> None:
    """From now on, only this writer's commits land."""
    dataset.checkout_latest()
    if fence_of(dataset) > fence:
        raise RagdError("INDEX_HELD")
    for _ in range(_TRIES):
        dataset.update_config({KEY: str(fence)})
        before = dataset.version
        dataset.restore()
        dataset.checkout_latest()
        if fence_of(dataset) != fence:
            raise RagdError("INDEX_HELD")
        if dataset.version == before + 1:
            return
        # A last commit landed in between, and was acknowledged: restore that one instead.
        landed = dataset.checkout_version(dataset.version - 1)
        landed.restore()
        dataset.checkout_latest()
    raise RagdError("INDEX_HELD")


def require_fence(dataset: Any, fence: int) -> None:
    """Raises RagdError if another writer has taken over."""
    if fence_of(dataset) != fence:
        raise RagdError("INDEX_HELD")
