"""The story of v3: one day with two collections, their documents, and every field that facts got
after v2. Only `make_golden.py` uses it."""

from collections.abc import Iterator

from ragd.events import (
    BatchStored,
    ChangesetFormed,
    ConfigReloaded,
    DaemonStarted,
    DaemonStopped,
    DeletionsHeld,
    DependencyLost,
    DependencyRecovered,
    EmbeddingFailed,
    Event,
    FileChange,
    FileFailed,
    FilesChanged,
    FilesTouched,
    FilledFile,
    HeldCollection,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobFinished,
    JobRequested,
    JobStarted,
    KindCount,
    LanguageCount,
    RecountedFile,
    ScannedCollection,
    StoreCompacted,
    StoredFile,
    TemplateFolder,
    TouchedFile,
    VaultScanned,
    VaultUnavailable,
    VectorsFilled,
    VectorsRecounted,
    WatchLost,
    WatchStarted,
)

AT = 1_794_900_000_000_000_000
NEWEST = "2026-11-16T20:30:00.000000Z"
NOTE, WORK, PAPER = "Inbox/to-do.md", "@work/Sitzung – März.md", "@papers/2024/Eis.pdf"
SCAN = "@papers/Scan.pdf"


def sha(number: int) -> str:
    return f"{number:064x}"


def stored(path: str, number: int, chunks: int, embedded: int = 0) -> StoredFile:
    return StoredFile(path, sha(number), AT, 1_000 * number, chunks, embedded, AT + 5)


def scanned(papers: ScannedCollection) -> VaultScanned:
    """A scan of the vault and both collections."""
    return VaultScanned(
        files=4,
        changed=3,
        removed=0,
        newest_mtime=NEWEST,
        took_ms=31,
        began="2026-11-17T07:00:01.000000Z",
        began_seq=5,
        device=65_024,
        templates=[TemplateFolder("Vorlagen", 12)],
        languages=[LanguageCount("de", 3), LanguageCount("en", 1)],
        not_included=[KindCount("canvas", 2), KindCount("pdf", 7)],
        collections=[
            ScannedCollection("vault", 1, 1, 0, NEWEST, 65_024),
            ScannedCollection("work", 1, 1, 0, NEWEST, 65_024),
            papers,
        ],
        code_percent=61,
    )


def collection_day() -> Iterator[tuple[int, str, Event]]:
    """Two collections are added, read, lost and found again; one is removed."""
    yield 0, "daemon", DaemonStarted(version="0.2.0", config_hash="a1", previous_stop="none")
    yield 20, "watcher", WatchStarted(how="native")
    yield 5, "tool_gateway", ConfigReloaded(config_hash="b2", collections=["papers", "work"])
    yield 9, "watcher", WatchStarted(how="polling", collection="work")
    yield 9, "watcher", WatchStarted(how="native", collection="papers")
    yield (
        90,
        "tool_gateway",
        JobRequested(
            job_id="j1", mode="full", origin="cli", accept_deletions=True, accept_in=["work"]
        ),
    )
    yield 7, "batcher", scanned(ScannedCollection("papers", 2, 1, 1, NEWEST, 2_050))
    yield 1, "batcher", JobStarted(job_id="j1", mode="full", files_planned=2, files_removed=0)
    yield (
        4,
        "store_writer",
        IndexActivated(
            generation="g1",
            provider="embedded",
            model="granite-embedding-30m-english",
            dimensions=384,
            fingerprint="5:500:100:keep",
            passed_over="DIMENSIONS_MISMATCH",
            configured=768,
            made=1024,
        ),
    )
    changes = ChangesetFormed(job_id="j1", batch_id="b1", upserts=[NOTE, WORK], deletes=[])
    yield 4, "batcher", changes
    files = [stored(NOTE, 1, 2), stored(WORK, 2, 3)]
    first = BatchStored(job_id="j1", batch_id="b1", files=files, removed=[], table_version=2)
    yield 8, "store_writer", first
    yield 1, "batcher", FilesChanged(changes=[FileChange(p, "modified") for p in (PAPER, SCAN)])
    yield 1, "store_writer", finished("j1", 2)
    yield (
        3,
        "batcher",
        JobStarted(job_id="j2", mode="sync", files_planned=2, files_removed=0, slow=True),
    )
    paper = ChangesetFormed(job_id="j2", batch_id="b2", upserts=[PAPER], deletes=[], final=False)
    yield 900, "batcher", paper
    yield 8, "batcher", FileFailed(path=SCAN, code="UNREADABLE", detail="it is encrypted")
    read = BatchStored(
        job_id="j2", batch_id="b2", files=[stored(PAPER, 3, 40)], removed=[], table_version=3
    )
    yield 20, "store_writer", read
    yield 1, "store_writer", finished("j2", 1)
    yield (
        5,
        "embedder",
        EmbeddingFailed(code="DIMENSIONS_MISMATCH", attempt=1, configured=768, made=1024),
    )
    vectors = [FilledFile(NOTE, sha(1), 1, 1, 1, 1), FilledFile(PAPER, sha(3), 40, embedded=40)]
    yield (
        900,
        "store_writer",
        VectorsFilled(job_id="", files=vectors, table_version=4, generation="g1", uptime_ms=9_000),
    )
    wrong = [RecountedFile(PAPER, sha(3), 39)]
    yield (
        60_000,
        "store_writer",
        VectorsRecounted(files=wrong, counted=41, found=40, table_version=4, generation="g1"),
    )
    yield 900, "store_writer", StoreCompacted(table_version=5, took_ms=80, generation="g1")
    yield from lost_and_found()
    yield from a_reindex_that_is_lost()
    yield 900, "tool_gateway", ConfigReloaded(config_hash="c3", collections=["work"])
    removed = BatchStored(
        job_id="j4", batch_id="b4", files=[], removed=[PAPER], table_version=7, moved=1
    )
    yield 40, "store_writer", removed
    yield 900, "daemon", DaemonStopped(reason="requested")


def lost_and_found() -> Iterator[tuple[int, str, Event]]:
    """A disk is unplugged and comes back with most of its files missing."""
    yield 9_000, "watcher", WatchLost(reason="OSError", collection="papers")
    yield 10, "watcher", VaultUnavailable(reason="empty", collection="papers")
    lost = DependencyLost(dependency="vault", code="COLLECTION_NOT_FOUND", collection="papers")
    yield 10, "health_monitor", lost
    yield 60_000, "watcher", scanned(ScannedCollection("papers", gone="empty"))
    found = DependencyRecovered(dependency="vault", collection="papers")
    yield 60_000, "health_monitor", found
    held = [HeldCollection("papers", 80)]
    yield 9, "batcher", DeletionsHeld(count=80, collections=held)
    times = [TouchedFile(PAPER, AT + 1, 3_000, sha(3), AT + 9)]
    yield 9, "batcher", FilesTouched(files=times, only_times=True)
    yield 9_000, "batcher", DeletionsHeld(count=0)
    sizes = DependencyLost(dependency="ollama", code="DIMENSIONS_MISMATCH", configured=8, made=9)
    yield 9_000, "health_monitor", sizes
    yield 900, "health_monitor", DependencyRecovered(dependency="ollama")


def a_reindex_that_is_lost() -> Iterator[tuple[int, str, Event]]:
    yield 900, "tool_gateway", JobRequested(job_id="j3", mode="reindex")
    yield 1, "batcher", JobStarted(job_id="j3", mode="reindex", files_planned=3, files_removed=0)
    building = IndexBuilding(
        generation="g2", job_id="j3", fingerprint="5:500:100:keep", provider="embedded"
    )
    yield 4, "store_writer", building
    yield 90, "store_writer", IndexLost(reason="behind", generation="g2")
    failed = JobFinished(
        job_id="j3",
        mode="reindex",
        outcome="failed",
        indexed_files=0,
        removed_files=0,
        total_chunks=45,
        duration_ms=95,
        code="COLLECTION_NOT_FOUND",
    )
    yield 1, "store_writer", failed


def finished(job_id: str, files: int) -> JobFinished:
    return JobFinished(
        job_id=job_id,
        mode="full" if job_id == "j1" else "sync",
        outcome="complete",
        indexed_files=files,
        removed_files=0,
        total_chunks=5,
        duration_ms=30,
        uptime_ms=700,
    )
