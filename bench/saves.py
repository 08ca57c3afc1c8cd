"""One saved note among 1,000, 10,000 and 100,000 others: the cost must not grow with the vault.

The notes are tiny and made up; their rows and their log are written directly, which is not
measured. Then the real actors run in this process, and notes are saved in the three vaults in
turn. "On the loop" is the CPU time of the event loop's thread: while it is busy, no request is
answered.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bench.table import Row, ms, ratio
from chaos.provider import DIMENSIONS, MODEL, Provider
from ragd.batch.in_flight import ReadFile
from ragd.clock import SystemClock, new_id
from ragd.config import load as configuration
from ragd.config.live_settings import Settings
from ragd.config.load import vault_id
from ragd.embed.providers.embedder_port import CANARY
from ragd.embed.providers.ollama import space_of
from ragd.events import (
    BatchStored,
    DaemonStarted,
    IndexActivated,
    JobFinished,
    StoredFile,
    VaultScanned,
    tag_of_type,
)
from ragd.paths import Home
from ragd.runtime.native_crash import CrashMark
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex, FileRows, IndexIdentity, LanceStore
from ragd.supervisor import Supervisor
from ragd.vault.collection_paths import VAULT
from ragd.vault.note_reader import NoteReader
from ragd.wiring import Pipeline

SIZES = (1_000, 10_000, 100_000)
BATCH = 5_000
WARM_UPS = 3
SAVES = 15
SNAPSHOTS = 3
PREPARED_WITHIN_S = 900.0
AFTERWARDS_S = 0.1  # for the work that follows a save


class IndexedVault:
    """An indexed vault of `notes` notes with its actors."""

    def __init__(self, folder: Path, notes: int, provider: Provider) -> None:
        self.notes = notes
        self.vault = folder / "vault"
        self.home = Home(str(folder / "h"))
        self._provider = provider
        self._clock = SystemClock()
        self._saved = 0
        self._write_notes()
        Path(self.home.events).mkdir(parents=True)
        watch = {"debounce_s": 0.02, "collect_s": 0.0, "rescan_s": 86_400}
        config = {"vault_path": str(self.vault), "watch": watch, "embedding": provider.settings}
        Path(self.home.config).write_text(json.dumps(config))
        self._settings = Settings(self.home, configuration.load(self.home))
        events, snapshots = Path(self.home.events), Path(self.home.snapshots)
        self.ledger = Ledger(events, snapshots, self._clock, new_id(), "bench")
        self.pipeline: Pipeline

    def _path(self, number: int) -> str:
        return f"Folder{number % 100:02d}/Note {number:06d}.md"

    def _write_notes(self) -> None:
        for number in range(min(100, self.notes)):
            (self.vault / self._path(number)).parent.mkdir(parents=True, exist_ok=True)
        for number in range(self.notes):
            (self.vault / self._path(number)).write_text(f"Note {number} about heron {number}.\n")

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The actors run during the block."""
        writer = asyncio.create_task(self.ledger.journal.run())
        await self._index()
        mark = CrashMark(Path(self.home.crash_trace))
        self.pipeline = Pipeline(self.home, self._clock, self.ledger, self._settings, mark)
        supervisor = Supervisor(self.ledger.journal, self._clock, self.pipeline.actors())
        working = asyncio.create_task(supervisor.run())
        try:
            async with asyncio.timeout(PREPARED_WITHIN_S):
                async for _ in self.ledger.journal.follow(0, {tag_of_type(VaultScanned)}):
                    break
            yield
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
            await self.pipeline.close()
            await self.ledger.journal.close()
            await writer

    async def _index(self) -> None:
        """Write the rows and facts of a first index."""
        notes = NoteReader(self._settings, self._clock)
        store = LanceStore(self._settings.vectors)
        space = space_of(MODEL, self._provider.digest, DIMENSIONS)
        vault = vault_id(self._settings.current)
        canary = self._provider.vector_of(CANARY)
        identity = IndexIdentity(new_id(), space, notes.fingerprint, vault, canary)
        index = await store.create(identity)
        await index.mark_complete()
        started = DaemonStarted(version="0", config_hash="", previous_stop="none")
        await self.ledger.journal.append("daemon", started)
        for first in range(0, self.notes, BATCH):
            numbers = range(first, min(self.notes, first + BATCH))
            stored = await self._store(index, notes, [self._path(number) for number in numbers])
            await self.ledger.journal.append_parts("store_writer", stored)
        activated = IndexActivated(
            generation=identity.generation,
            provider="ollama",
            model=MODEL,
            dimensions=DIMENSIONS,
            fingerprint=identity.fingerprint,
        )
        await self.ledger.journal.append("store_writer", activated)
        index.close()
        store.close()

    async def _store(
        self, index: ChunkIndex, notes: NoteReader, paths: Sequence[str]
    ) -> BatchStored:
        reading = await asyncio.to_thread(notes.read, VAULT, paths, {})
        now = self._clock.now()
        made = self._provider.vector_of
        rows = [
            FileRows(
                f.path,
                f.sha256,
                f.mtime_ns,
                now,
                f.note.title,
                f.note.chunks,
                {chunk.chunk_id: made(chunk.embed_text) for chunk in f.note.chunks},
            )
            for f in reading.files
        ]
        version = await index.replace(rows)
        files = [_stored_file(file) for file in reading.files]
        return BatchStored(job_id="", files=files, removed=[], table_version=version)

    async def save(self) -> None:
        """Change a note, and wait until its text and its vectors are stored."""
        self._saved += 1
        path = self.vault / self._path(7 * self._saved)
        seq = self.ledger.state.seq
        path.write_text(f"Saved for the {self._saved}th time: a kingfisher.\n")
        is_stored = False
        async for record in self.ledger.journal.follow(seq):
            is_stored = is_stored or isinstance(record.event, JobFinished)
            if is_stored and not self.ledger.state.catalog.backlog:
                return


def _stored_file(file: ReadFile) -> StoredFile:
    chunks = len(file.note.chunks)
    facts = (file.path, file.sha256, file.mtime_ns, file.size, chunks, chunks)
    return StoredFile(*facts, ctime_ns=file.ctime_ns)


def rows() -> Iterator[Row]:
    """All figures of this part."""
    yield from asyncio.run(_measure())


async def _measure() -> list[Row]:
    with TemporaryDirectory(prefix="ragd-bench-") as folder, Provider() as provider:
        async with AsyncExitStack() as stack:
            vaults = [IndexedVault(Path(folder) / str(size), size, provider) for size in SIZES]
            for vault in vaults:
                await stack.enter_async_context(vault.running())
            for _ in range(WARM_UPS):
                for vault in vaults:
                    await vault.save()
            saves = await _measure_in_turn(SAVES, {vault.notes: vault.save for vault in vaults})
            snapshots = await _measure_in_turn(
                SNAPSHOTS, {vault.notes: vault.ledger.snapshot for vault in vaults}
            )
    return [*_rows(saves), *_snapshot_rows(snapshots)]


class _Times(NamedTuple):
    """Seconds of each round: in total, and on the loop."""

    whole: list[float]
    on_loop: list[float]


async def _measure_in_turn(
    rounds: int, work: Mapping[int, Callable[[], Awaitable[object]]]
) -> dict[int, _Times]:
    took = {size: _Times([], []) for size in work}
    for _ in range(rounds):
        for size, once in work.items():
            began, used = time.perf_counter(), time.thread_time()
            await once()
            took[size].whole.append(time.perf_counter() - began)
            await asyncio.sleep(AFTERWARDS_S)
            took[size].on_loop.append(time.thread_time() - used)
    return took


def _rows(took: Mapping[int, _Times]) -> Iterator[Row]:
    least = took[SIZES[0]]
    for size in SIZES[1:]:
        ours = took[size]
        yield Row(
            f"one save beside {size:,} notes, on the loop",
            ms(median(ours.on_loop)),
            f"{ms(median(least.on_loop))} beside {SIZES[0]:,}",
            ratio(ours.on_loop, least.on_loop),
            "flat within 1.5",
        )
        yield Row(
            "  until its text and vectors are stored",
            ms(median(ours.whole)),
            ms(median(least.whole)),
            ratio(ours.whole, least.whole),
            "flat within 1.5",
        )


def _snapshot_rows(took: Mapping[int, _Times]) -> Iterator[Row]:
    for size in SIZES:
        used, whole = took[size].on_loop, took[size].whole
        yield Row(f"a snapshot of {size:,} notes, on the loop", ms(median(used)), "")
        yield Row("  until it is on the disk", ms(median(whole)), "")
