"""The event log: appending in groups and one by one, at a steady pace, and replaying.

Each takes turns with the bare system calls for the same bytes, or with the bare decoder for the
same lines, in one run.
"""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from itertools import chain, groupby
from pathlib import Path
from random import Random
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from bench.table import Row, ms, per_second, ratio
from ragd.clock import SystemClock, new_id
from ragd.eventlog.append import Appender, Draft
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.frame import PREFIX_BYTES, Record
from ragd.eventlog.recovery import Position
from ragd.events import (
    BatchEmbedded,
    BatchStored,
    ChangesetFormed,
    Event,
    FileChange,
    FilesChanged,
    JobFinished,
    JobStarted,
    StoredFile,
    VaultScanned,
)
from ragd.state.ledger import Ledger
from ragd.state.replay import replay

PRODUCERS = 64
ROUNDS = 9
GROUPED = 3_200  # facts a round
SINGLE = 200
PACE_PER_S = 500
PACED = 500
REPLAYED = 60_000

FACT = BatchEmbedded(
    job_id="01J00000000000000000000000", files=4, chunks=64, cached=9, provider="ollama", model="m"
)
Work = Callable[[Ledger], Coroutine[Any, Any, None]]


def rows() -> Iterator[Row]:
    """All figures of this part."""
    yield from _measure_appends()
    yield _measure_pace()
    yield _measure_replay()


# Appending


def _measure_appends() -> Iterator[Row]:
    grouped, raw_grouped, single, raw_single = [], [], [], []
    for _ in range(ROUNDS):
        with TemporaryDirectory() as folder:
            many, one = Path(folder) / "many", Path(folder) / "one"
            grouped.append(GROUPED / _time_in_ledger(many, _append_by_many))
            raw_grouped.append(GROUPED / _time_raw(many))
            single.append(SINGLE / _time_in_ledger(one, _append_by_one))
            raw_single.append(SINGLE / _time_raw(one))
    yield Row(
        f"appends, {PRODUCERS} producers",
        per_second(median(grouped)),
        f"{per_second(median(raw_grouped))} write+fdatasync of the same groups",
        ratio(grouped, raw_grouped),
    )
    yield Row(
        "appends, one at a time",
        per_second(median(single)),
        f"{per_second(median(raw_single))} write+fdatasync of the same lines",
        ratio(single, raw_single),
    )
    yield Row(
        f"{PRODUCERS} producers in groups",
        per_second(median(grouped)),
        f"{per_second(median(single))} one at a time",
        ratio(grouped, single),
    )


async def _append_by_many(ledger: Ledger) -> None:
    async def produce(name: str) -> None:
        for _ in range(GROUPED // PRODUCERS):
            await ledger.journal.append(name, FACT)

    async with asyncio.TaskGroup() as group:
        for number in range(PRODUCERS):
            group.create_task(produce(f"producer {number}"))


async def _append_by_one(ledger: Ledger) -> None:
    for _ in range(SINGLE):
        await ledger.journal.append("producer", FACT)


def _time_in_ledger(folder: Path, work: Work) -> float:
    """The seconds that `work` takes in a new log."""
    return asyncio.run(_time_work(folder, work))


async def _time_work(folder: Path, work: Work) -> float:
    (folder / "events").mkdir(parents=True)
    ledger = Ledger(folder / "events", folder / "snapshots", SystemClock(), new_id(), "bench")
    async with asyncio.TaskGroup() as group:
        group.create_task(ledger.journal.run())
        began = time.perf_counter()
        await work(ledger)
        took = time.perf_counter() - began
        await ledger.journal.close()
    return took


def _lines(folder: Path) -> list[bytes]:
    """All records of a log, as they are in its files."""
    lines: list[bytes] = []
    for segment in sorted((folder / "events").glob("*.ndjson")):
        lines += segment.read_bytes().splitlines(keepends=True)[1:]
    return lines


def _groups(folder: Path) -> list[bytes]:
    """The groups as they were written: records with the same durable seq."""
    decoder = msgspec.json.Decoder(Record)
    together = groupby(_lines(folder), key=lambda line: decoder.decode(line[PREFIX_BYTES:]).d)
    return [b"".join(group) for _, group in together]


def _time_raw(folder: Path) -> float:
    """The seconds for the same bytes in the same groups, with bare system calls."""
    groups = _groups(folder)
    handle = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT, 0o600)
    try:
        began = time.perf_counter()
        for group in groups:
            os.write(handle, group)
            os.fdatasync(handle)
        return time.perf_counter() - began
    finally:
        os.close(handle)


# At a steady pace


def _measure_pace() -> Row:
    ours: list[list[float]] = []
    bare: list[list[float]] = []
    for _ in range(ROUNDS):
        with TemporaryDirectory() as folder:
            ours.append([])

            async def work(ledger: Ledger, took: list[float] = ours[-1]) -> None:
                took.extend(await _append_at_pace(ledger))

            _time_in_ledger(Path(folder), work)
            bare.append(_write_at_pace(Path(folder)))
    (p50, p99), (bare50, bare99) = _percentiles(ours), _percentiles(bare)
    return Row(
        f"append at {PACE_PER_S} facts/s, p50 / p99",
        f"{ms(p50)} / {ms(p99)}",
        f"{ms(bare50)} / {ms(bare99)} write+fdatasync",
        ratio([median(o) for o in ours], [median(b) for b in bare]),
    )


async def _append_at_pace(ledger: Ledger) -> list[float]:
    """The seconds of each append. Each starts on time, even if the one before is not done."""
    took: list[float] = []

    async def append() -> None:
        began = time.perf_counter()
        await ledger.journal.append("producer", FACT)
        took.append(time.perf_counter() - began)

    begin = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(PACED):
            await asyncio.sleep(max(0.0, begin + number / PACE_PER_S - time.perf_counter()))
            group.create_task(append())
    return took


def _write_at_pace(folder: Path) -> list[float]:
    took: list[float] = []
    handle = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT, 0o600)
    begin = time.perf_counter()
    for number, line in enumerate(_lines(folder)):
        time.sleep(max(0.0, begin + number / PACE_PER_S - time.perf_counter()))
        began = time.perf_counter()
        os.write(handle, line)
        os.fdatasync(handle)
        took.append(time.perf_counter() - began)
    os.close(handle)
    return took


def _percentiles(rounds: list[list[float]]) -> tuple[float, float]:
    hundredths = quantiles(chain.from_iterable(rounds), n=100)
    return hundredths[49], hundredths[98]


# Replaying


def _measure_replay() -> Row:
    with TemporaryDirectory() as folder:
        events, none = Path(folder) / "events", Path(folder) / "none"
        events.mkdir()
        _write(events, _months_of_notes(Random(1), REPLAYED))
        bodies = [line[PREFIX_BYTES:] for line in _lines(Path(folder))]
        ours, bare = [], []
        for _ in range(ROUNDS):
            began = time.process_time()  # no disk waits here, and CPU time is less noisy
            records = replay(events, none, from_scratch=True).records
            middle = time.process_time()
            _decode(bodies)
            ours.append(records / (middle - began))
            bare.append(records / (time.process_time() - middle))
    return Row(
        f"replay of {records:,} records",
        per_second(median(ours)),
        f"{per_second(median(bare))} decoded by msgspec alone",
        ratio(ours, bare),
        "at least 0.5",
    )


def _decode(bodies: Iterable[bytes]) -> None:
    decode = msgspec.json.Decoder(Record).decode
    for body in bodies:
        decode(body)


def _write(events: Path, facts: Iterable[Event]) -> None:
    """Write a log with these facts, in groups like those of a busy daemon."""
    appender = Appender(RealDisk(events), Position("", 0, 1), new_id(), "bench")
    clock = SystemClock()
    group: list[Draft] = []
    for fact in facts:
        group.append(Draft(clock.now(), "bench", None, fact))
        if len(group) == 256:
            appender.commit(group)
            group = []
    if group:
        appender.commit(group)
    appender.close()


def _months_of_notes(rng: Random, count: int) -> Iterator[Event]:
    """The facts of saved notes: small jobs, sometimes a scan or a large job."""
    paths = [f"Journal/{n % 12:02d}/note {n}.md" for n in range(3_000)]
    written = 0
    while written < count:
        some = rng.sample(paths, 200 if rng.random() < 0.002 else rng.randint(1, 3))
        for fact in _one_sync(rng, new_id(), some):
            yield fact
            written += 1


def _one_sync(rng: Random, job: str, paths: list[str]) -> Iterator[Event]:
    stored = [
        StoredFile(path, f"{rng.getrandbits(256):064x}", rng.getrandbits(60), 2_000, 4, 4)
        for path in paths
    ]
    yield FilesChanged(changes=[FileChange(path, "modified") for path in paths])
    yield JobStarted(job_id=job, mode="sync", files_planned=len(paths), files_removed=0)
    yield ChangesetFormed(job_id=job, batch_id=job, upserts=paths, deletes=[])
    yield BatchEmbedded(
        job_id=job, files=len(paths), chunks=4, cached=0, provider="embedded", model="m"
    )
    yield BatchStored(job_id=job, batch_id=job, files=stored, removed=[], table_version=1)
    yield JobFinished(
        job_id=job,
        mode="sync",
        outcome="complete",
        indexed_files=len(paths),
        removed_files=0,
        total_chunks=4,
        duration_ms=120,
    )
    if rng.random() < 0.1:
        yield VaultScanned(files=3_000, changed=0, removed=0)
