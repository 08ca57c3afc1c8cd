"""Made-up facts of many kinds and sizes, each of them unique. Pure: a seed gives its stream.

The names in them come from a small set, so that the folds stay small in a long run.
"""

from collections.abc import Callable, Iterator
from random import Random

from ragd.events import (
    BatchEmbedded,
    BatchStored,
    ChangesetFormed,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    Fact,
    FileChange,
    FileError,
    FileFailed,
    FilesChanged,
    FileSkipped,
    FilledFile,
    HealthChanged,
    IndexActivated,
    JobFinished,
    JobRequested,
    JobStarted,
    MemoryStored,
    RequestRefused,
    StoredFile,
    VaultScanned,
    VectorsFilled,
)

PATHS = [f"{n % 40:02d}/{'日記 ' * (n % 30)}{n:04d} {'a long name ' * 15}.md" for n in range(400)]
BULK = (1, 1, 3, 12, 60, 60, 150, 300, 600, 1500)  # changes in one fact: up to some 400 KB

MakeFact = Callable[[Random, str], Fact]


def _changes(rng: Random, token: str) -> Fact:
    """The deletion of an unknown note makes the fact unique without growing the folds."""
    kinds = ("added", "modified", "modified", "deleted")
    changes = [
        FileChange(rng.choice(PATHS), rng.choice(kinds))  # type: ignore[arg-type]
        for _ in range(rng.choice(BULK))
    ]
    return FilesChanged(changes=[FileChange(f"once/{token}.md", "deleted"), *changes])


def _scan(rng: Random, token: str) -> Fact:
    return VaultScanned(
        files=len(PATHS), changed=rng.randrange(2), removed=0, newest_mtime=token, took_ms=1
    )


def _changeset(rng: Random, token: str) -> Fact:
    upserts = rng.sample(PATHS, rng.choice((1, 5, 390)))
    return ChangesetFormed(job_id="job", batch_id=token, upserts=upserts, deletes=[])


def _skipped(rng: Random, token: str) -> Fact:
    return FileSkipped(path=rng.choice(PATHS), reason=token)


def _failed(rng: Random, token: str) -> Fact:
    return FileFailed(path=rng.choice(PATHS), code="UNREADABLE", detail=token)


def _embedded(rng: Random, token: str) -> Fact:
    return BatchEmbedded(
        job_id="job", batch_id=token, files=3, chunks=9, cached=1, provider="ollama", model="m"
    )


def _not_embedded(rng: Random, token: str) -> Fact:
    return EmbeddingFailed(code=token, attempt=1)


def _stored(rng: Random, token: str) -> Fact:
    files = [
        StoredFile(path, f"{rng.getrandbits(256):064x}", rng.getrandbits(60), 2000, 4, 2)
        for path in rng.sample(PATHS, rng.choice((1, 20, 390)))
    ]
    return BatchStored(job_id="job", batch_id=token, files=files, removed=[], table_version=1)


def _filled(rng: Random, token: str) -> Fact:
    files = [FilledFile(path, "0" * 64, 2) for path in rng.sample(PATHS, 3)]
    return VectorsFilled(job_id=token, files=files, table_version=2)


def _activated(rng: Random, token: str) -> Fact:
    return IndexActivated(generation=token, provider="ollama", model="m", dimensions=8)


def _started(rng: Random, token: str) -> Fact:
    return JobStarted(job_id="job", mode="sync", files_planned=rng.randrange(400), files_removed=0)


def _finished(rng: Random, token: str) -> Fact:
    errors = [FileError(path, "unreadable") for path in rng.sample(PATHS, rng.choice((0, 2, 90)))]
    return JobFinished(
        job_id=token,
        mode="full",
        outcome=rng.choice(("complete", "partial", "failed")),
        indexed_files=1,
        removed_files=0,
        total_chunks=1,
        duration_ms=1,
        errors=errors,
    )


def _requested(rng: Random, token: str) -> Fact:
    return JobRequested(job_id="job", mode="sync", origin=token)


def _refused(rng: Random, token: str) -> Fact:
    return RequestRefused(code="INVALID_REQUEST", tool=token, count=rng.randrange(1, 99))


def _memory(rng: Random, token: str) -> Fact:
    return MemoryStored(key_hash=token)


def _lost(rng: Random, token: str) -> Fact:
    if rng.random() < 0.5:
        return DependencyRecovered(dependency="ollama")
    return DependencyLost(dependency="ollama", code="OLLAMA_UNREACHABLE", since=token)


def _health(rng: Random, token: str) -> Fact:
    return HealthChanged(before="healthy", after="degraded", reasons=[token])


# Which actor appends which facts. `_changes` makes groups of many pages.
ACTORS: dict[str, tuple[MakeFact, ...]] = {
    "watcher": (_changes, _changes, _changes, _scan),
    "batcher": (_started, _changeset, _skipped, _failed),
    "embedder": (_embedded, _not_embedded),
    "store_writer": (_stored, _filled, _finished, _activated),
    "tool_gateway": (_requested, _refused, _memory),
    "health_monitor": (_lost, _health),
}


def stream(actor: str, seed: int) -> Iterator[Fact]:
    """The facts of this actor in one run, without an end."""
    rng = Random(f"{actor} {seed}")
    serial = 0
    while True:
        serial += 1
        yield rng.choice(ACTORS[actor])(rng, f"{actor}-{seed}-{serial}")
