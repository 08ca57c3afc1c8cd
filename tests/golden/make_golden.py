"""Makes a golden log and the state that it folds to: `python -m tests.golden.make_golden`.

Golden files of an existing version are never regenerated: they represent the logs on users' disks,
which must always fold to the same bytes (except for fields that folds get later). A new format adds
a folder (v2, v3, …), and so does a new type or field of a fact: a log with it, and the resulting
state. The older folders stay unchanged; this script refuses to write to them. A golden test that
fails means that a change is not compatible, not that a file is out of date. (Before the first
release there are no such logs: until then, v1 may be removed and made again.)

The story of v1 and v2: three days of a small made-up vault, with every type of fact. That of v3: a
day with collections and documents, with every field (`collection_story.py`). That of v4: a client
over HTTP gets a token, uses it and loses it, and a reindex begins (`token_story.py`).
"""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Literal, cast

from msgspec import structs

from ragd.eventlog import codec, frame
from ragd.eventlog.frame import Record, SegmentHeader
from ragd.events import (
    ActorCrashed,
    ApprovalDecided,
    ApprovalRequested,
    BatchEmbedded,
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
    FileError,
    FileFailed,
    FilesChanged,
    FileSkipped,
    FilesTouched,
    FilledFile,
    HealthChanged,
    IndexActivated,
    IndexBuilding,
    IndexLost,
    JobCancelRequested,
    JobFinished,
    JobRequested,
    JobStarted,
    MemoryForgotten,
    MemoryStored,
    RecountedFile,
    RequestRefused,
    SegmentQuarantined,
    SplitFact,
    StoreCompacted,
    StoredFile,
    SyncPaused,
    SyncResumed,
    TailCut,
    TouchedFile,
    Unknown,
    VaultScanned,
    VaultUnavailable,
    VectorsFilled,
    VectorsRecounted,
    WatchLost,
    WatchStarted,
)
from ragd.folds import State, apply, encode_state
from tests.golden.collection_story import collection_day
from tests.golden.token_story import token_day

HERE = Path(__file__).parent
VERSION = "v4"
BEGIN = datetime(2026, 11, 14, 7, 0, tzinfo=UTC)
RUNS = ("01JCP0000000000000000000A1", "01JCP0000000000000000000B2", "01JCP0000000000000000000C3")

NOTES = (
    "Reisetagebuch/2026-11-01 Ålesund.md",
    "Reisetagebuch/2026-11-02 Øye – Fjord.md",
    "Küche/Crème brûlée.md",
    "日記/2026年11月/十一月三日.md",
    "Проекты/Лодка/смета.md",
    "Projekte/Hausbau 🏗/Angebote & Kosten.md",
    "회의록/2026-11-10.md",
    "Inbox/to-do.md",
)
SCAN = "Reisetagebuch/Karte (Scan).md"
Said = tuple[int, str, Event]  # after so many milliseconds, by whom, what


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def stored(path: str, edition: int, chunks: int, embedded: int) -> StoredFile:
    at = int(BEGIN.timestamp() * 1e9) - 86_400_000_000_000 * edition
    content = digest(f"{path} {edition}")
    return StoredFile(path, content, at, 700 * chunks + edition, chunks, embedded)


def filled(path: str, edition: int, chunks: int) -> FilledFile:
    return FilledFile(path, digest(f"{path} {edition}"), chunks)


def parts(actor: str, event: SplitFact, limit: int, but_last: int = 0) -> Iterator[Said]:
    """The fact in parts smaller than a real one needs; `but_last`: of which so many are missing."""
    made = codec.split(event, limit)
    assert len(made) > max(1, but_last)
    for part in made[: len(made) - but_last]:
        yield 1, actor, cast(Event, part)


def first_day() -> Iterator[Said]:
    """The daemon starts, finds Ollama, indexes the vault, and is killed in the middle of a fact."""
    yield (
        0,
        "daemon",
        DaemonStarted(version="0.1.0", config_hash="9f86d081", previous_stop="none"),
    )
    yield 40, "watcher", WatchStarted(how="native")
    yield 60, "health_monitor", DependencyRecovered(dependency="vault")
    yield 10, "health_monitor", DependencyRecovered(dependency="ollama")
    yield 30, "health_monitor", DependencyLost(dependency="index", code="INDEX_NOT_FOUND")
    yield (
        1,
        "health_monitor",
        HealthChanged(before="unavailable", after="unavailable", reasons=["INDEX_NOT_FOUND"]),
    )
    yield 5_000, "tool_gateway", JobRequested(job_id="job-01", mode="full", origin="cli")
    yield (
        90,
        "batcher",
        VaultScanned(
            files=9, changed=9, removed=0, newest_mtime="2026-11-13T21:04:11.000000Z", took_ms=12
        ),
    )
    yield (
        3,
        "batcher",
        JobStarted(job_id="job-01", mode="full", files_planned=9, files_removed=0),
    )
    yield 2, "batcher", FileSkipped(path="Küche/Kochbuch (alles).md", reason="too-large")
    changeset = ChangesetFormed(
        job_id="job-01", batch_id="b-01", upserts=[*NOTES, SCAN], deletes=[]
    )
    yield from parts("batcher", changeset, 320)
    yield 8, "batcher", FileFailed(path=SCAN, code="DECODE_FAILED", detail="not text")
    yield (
        20,
        "store_writer",
        IndexActivated(
            generation="g-0001", provider="ollama", model="mxbai-embed-large", dimensions=1024
        ),
    )
    files = [stored(path, 1, 2 + n % 3, 0) for n, path in enumerate(NOTES)]
    batch = BatchStored(job_id="job-01", batch_id="b-01", files=files, removed=[], table_version=2)
    yield from parts("store_writer", batch, 700)
    yield (
        5,
        "store_writer",
        JobFinished(
            job_id="job-01",
            mode="full",
            outcome="partial",
            indexed_files=8,
            removed_files=0,
            total_chunks=23,
            duration_ms=1840,
            errors=[FileError(SCAN, "not text")],
            errors_total=1,
        ),
    )
    yield 30_000, "health_monitor", DependencyLost(dependency="vectors", code="VECTORS_PENDING")
    yield (
        900,
        "embedder",
        BatchEmbedded(
            job_id="job-01",
            batch_id="b-01",
            files=8,
            chunks=23,
            cached=0,
            provider="ollama",
            model="mxbai-embed-large",
        ),
    )
    vectors = [filled(path, 1, 2 + n % 3) for n, path in enumerate(NOTES[:6])]
    yield (
        70,
        "store_writer",
        VectorsFilled(job_id="job-01", files=vectors, table_version=3),
    )
    yield 2_000, "embedder", EmbeddingFailed(code="OLLAMA_UNREACHABLE", attempt=1)
    yield 2_000, "embedder", EmbeddingFailed(code="OLLAMA_UNREACHABLE", attempt=2)
    yield 30_000, "health_monitor", DependencyRecovered(dependency="ollama")
    rest = [filled(path, 1, 2 + n % 3) for n, path in enumerate(NOTES) if n >= 6]
    yield 500, "store_writer", VectorsFilled(job_id="job-01", files=rest, table_version=4)
    wrong = [RecountedFile(NOTES[1], filled(NOTES[1], 1, 3).sha256, 1)]
    yield (
        600_000,
        "store_writer",
        VectorsRecounted(files=wrong, counted=24, found=22, table_version=4),
    )
    again = [structs.replace(filled(NOTES[1], 1, 2), embedded=3)]
    yield 700, "store_writer", VectorsFilled(job_id="", files=again, table_version=5)
    yield 60_000, "tool_gateway", MemoryStored(key_hash="b5d4045c")
    yield 1_000, "tool_gateway", MemoryStored(key_hash="3c469e9d")
    yield 1_000, "tool_gateway", MemoryForgotten(key_hash="b5d4045c")
    yield (
        60_000,
        "tool_gateway",
        RequestRefused(code="SECURITY_VIOLATION", tool="obsidian_rag_search", count=3),
    )
    yield 100, "watcher", FilesChanged(changes=[FileChange(path, "modified") for path in NOTES[:2]])
    yield (
        5_000,
        "batcher",
        ChangesetFormed(job_id="job-02", batch_id="b-02", upserts=list(NOTES[:2]), deletes=[]),
    )
    yield (
        1,
        "batcher",
        JobStarted(job_id="job-02", mode="sync", files_planned=2, files_removed=0),
    )
    yield 2_500, "watcher", FilesChanged(changes=[FileChange(NOTES[0], "modified")])
    touched = TouchedFile(NOTES[1], 1_763_200_000_000_000_000, 4_096)
    yield 4, "batcher", FilesTouched(files=[touched])
    cut_short = BatchStored(
        job_id="job-02",
        batch_id="b-02",
        files=[stored(path, 2, 4, 4) for path in NOTES[:2]],
        removed=[],
        table_version=5,
    )
    yield from parts("store_writer", cut_short, 440, but_last=1)


def approvals() -> Iterator[Said]:
    """An agent asks for sensitive passages three times."""
    outcomes: dict[str, Literal["released", "refused", "expired"]] = {
        "k7m2qd": "released",
        "b3xw9p": "refused",
        "t5gh2n": "expired",
    }
    for approval_id, outcome in outcomes.items():
        asker = {"agent": "büro", "chat": "direct", "tool": "obsidian_rag_search"}
        requested = ApprovalRequested(approval_id=approval_id, withheld=2, **asker)
        yield 4_000, "tool_gateway", requested
        decided = ApprovalDecided(approval_id=approval_id, outcome=outcome, **asker)
        yield 30_000, "tool_gateway", decided


def second_day() -> Iterator[Said]:
    """After the kill: repaired, gone on; things vanish and come back; a reindex; an orderly end."""
    yield (
        36_000_000,
        "daemon",
        DaemonStarted(
            version="0.1.0", config_hash="9f86d081", previous_stop="crash", provider="ollama"
        ),
    )
    yield (
        2,
        "daemon",
        TailCut(
            segment="0000000000000001.ndjson",
            offset=9120,
            size_bytes=311,
            kept_as="0000000000000001.ndjson.9120.torn",
        ),
    )
    yield 30, "watcher", WatchStarted(how="native")
    yield 20, "health_monitor", DependencyRecovered(dependency="index")
    yield 1, "health_monitor", DependencyRecovered(dependency="vault")
    yield (
        2,
        "batcher",
        JobStarted(job_id="job-02", mode="sync", files_planned=2, files_removed=0),
    )
    yield (
        3,
        "batcher",
        ChangesetFormed(job_id="job-02", batch_id="b-03", upserts=list(NOTES[:2]), deletes=[]),
    )
    yield (
        40,
        "store_writer",
        BatchStored(
            job_id="job-02",
            batch_id="b-03",
            files=[stored(path, 2, 4, 4) for path in NOTES[:2]],
            removed=[],
            table_version=5,
        ),
    )
    yield (
        1,
        "store_writer",
        JobFinished(
            job_id="job-02",
            mode="sync",
            outcome="complete",
            indexed_files=2,
            removed_files=0,
            total_chunks=26,
            duration_ms=51,
        ),
    )
    yield 3_000, "store_writer", StoreCompacted(table_version=6, took_ms=210)
    yield (
        300_000,
        "watcher",
        VaultScanned(
            files=9, changed=0, removed=0, newest_mtime="2026-11-14T17:02:40.000000Z", took_ms=9
        ),
    )
    yield 500, "watcher", WatchLost(reason="inotify limit")
    yield 500, "watcher", WatchStarted(how="polling")
    yield (
        9_000,
        "daemon",
        ActorCrashed(name="batcher", exception="KeyError", location="batcher.py:214"),
    )
    yield 60_000, "watcher", VaultUnavailable(reason="moved")
    yield 300_000, "watcher", VaultScanned(files=1, changed=0, removed=60, took_ms=4)
    yield 2, "batcher", DeletionsHeld(count=60)
    yield 90_000, "batcher", DeletionsHeld(count=0)
    yield 100, "watcher", FilesChanged(changes=[FileChange(NOTES[7], "deleted")])
    yield (
        5_000,
        "store_writer",
        BatchStored(
            job_id="job-03", batch_id="b-04", files=[], removed=[NOTES[7]], table_version=7
        ),
    )
    yield (
        1,
        "store_writer",
        JobFinished(
            job_id="job-03",
            mode="sync",
            outcome="complete",
            indexed_files=0,
            removed_files=1,
            total_chunks=23,
            duration_ms=8,
        ),
    )
    yield 7_000, "tool_gateway", ConfigReloaded(config_hash="2c26b46b", provider="embedded")
    yield (
        20,
        "health_monitor",
        DependencyLost(dependency="model", code="INDEX_MODEL_MISMATCH"),
    )
    yield 900, "tool_gateway", SyncPaused(until="2026-11-14T19:00:00.000000Z")
    yield 3_000, "health_monitor", SyncResumed(reason="elapsed")
    yield 700, "tool_gateway", SyncPaused(until="2026-11-15T19:00:00.000000Z")
    yield 800, "tool_gateway", SyncResumed(reason="requested")
    yield 5_000, "tool_gateway", JobRequested(job_id="job-04", mode="reindex")
    yield 2_000, "tool_gateway", JobRequested(job_id="job-05", mode="sync", origin="schedule")
    yield 1_000, "tool_gateway", JobCancelRequested(job_id="job-05")
    yield (
        2,
        "batcher",
        JobStarted(job_id="job-04", mode="reindex", files_planned=7, files_removed=0),
    )
    yield (
        4,
        "store_writer",
        IndexBuilding(generation="g-0002", job_id="job-04", fingerprint="c0ffee"),
    )
    yield (
        1_500,
        "store_writer",
        BatchStored(
            job_id="job-04",
            batch_id="b-05",
            files=[stored(path, 2 if n < 2 else 1, 3, 3) for n, path in enumerate(NOTES[:7])],
            removed=[],
            table_version=1,
            generation="g-0002",
        ),
    )
    yield (
        9,
        "store_writer",
        IndexActivated(
            generation="g-0002", provider="embedded", model="all-MiniLM-L6-v2", dimensions=384
        ),
    )
    yield (
        1,
        "store_writer",
        JobFinished(
            job_id="job-04",
            mode="reindex",
            outcome="complete",
            indexed_files=7,
            removed_files=0,
            total_chunks=21,
            duration_ms=1530,
        ),
    )
    yield (
        10,
        "oracle",
        Unknown(name="", raw=b'{"type":"moon_phase_changed","phase":"waxing \xe2\x98\xbd"}'),
    )
    yield (
        600_000,
        "health_monitor",
        DependencyLost(dependency="disk", code="DISK_FULL", since="2026-11-14T17:40:00.000000Z"),
    )
    yield 1, "health_monitor", DependencyRecovered(dependency="disk")
    yield 9_000, "daemon", DaemonStopped(reason="signal")


def third_day() -> Iterator[Said]:
    """The index was deleted, and a part of the log is damaged: everything is found again."""
    yield (
        50_000_000,
        "daemon",
        DaemonStarted(
            version="0.1.1", config_hash="2c26b46b", previous_stop="clean", provider="embedded"
        ),
    )
    yield (
        3,
        "daemon",
        SegmentQuarantined(
            segment="0000000000000001.ndjson",
            first_seq=12,
            last_seq=19,
            reason="damaged",
            kept_as="0000000000000001.ndjson.1.damaged",
        ),
    )
    yield 20, "store_writer", IndexLost(reason="missing")
    yield 900, "tool_gateway", JobRequested(job_id="job-06", mode="sync")
    yield (
        4,
        "batcher",
        JobStarted(job_id="job-06", mode="sync", files_planned=7, files_removed=0),
    )
    yield (
        3,
        "store_writer",
        IndexActivated(
            generation="g-0003", provider="embedded", model="all-MiniLM-L6-v2", dimensions=384
        ),
    )
    yield (
        800,
        "store_writer",
        BatchStored(
            job_id="job-06",
            batch_id="b-06",
            files=[stored(path, 1, 3, 1) for path in NOTES[2:7]],
            removed=[],
            table_version=1,
        ),
    )
    yield 10, "watcher", FilesChanged(changes=[FileChange("日記/下書き.md", "added")])
    new = FilesChanged(
        changes=[FileChange(f"Archiv/Zettel {n:03d} – ß.md", "added") for n in range(9)]
    )
    yield from parts("watcher", new, 260, but_last=1)


def days() -> list[Iterator[Said]]:
    if VERSION in ("v1", "v2"):
        return [first_day(), second_day(), third_day()]
    if VERSION == "v3":
        return [chain(collection_day(), approvals())]
    return [token_day()]


def records() -> Iterator[Record]:
    seq, now = 0, BEGIN
    for run, day in zip(RUNS, days(), strict=False):
        first = seq + 1
        for later_ms, actor, event in day:
            seq += 1
            now += timedelta(milliseconds=later_ms, microseconds=seq)
            ts = now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
            cause = seq - 1 if later_ms < 10 and seq > first else None
            yield Record(seq, max(0, seq - 1 - seq % 3), ts, run, actor, cause, event)


def main() -> int:
    folder = HERE / VERSION
    if folder.exists():
        print(f"{folder} is there: golden files are not made again. Choose a new VERSION.")
        return 1
    said = list(records())
    state = State()
    lines = [frame.encode_header(SegmentHeader(frame.FORMAT, frame.MIN_READER, "ragd 0.1.0", 1))]
    for record in said:
        line = frame.encode(record)
        apply(state, structs.replace(record, event=frame.decode(line[:-1]).event))
        lines.append(line)
    (folder / "events").mkdir(parents=True)
    (folder / "events" / "0000000000000001.ndjson").write_bytes(b"".join(lines))
    (folder / "state.json").write_bytes(encode_state(state))
    print(f"{len(said)} records in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
