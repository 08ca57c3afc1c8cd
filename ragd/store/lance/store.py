"""The store as the actors use it: asynchronous, with one thread for all writes.

When a write returns, it is on the disk and visible to searches. The store never decides when to
write or to compact: the callers do.
"""

import asyncio
import copy
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from ragd.embed.providers.embedder_port import Vector
from ragd.errors import RagdError
from ragd.objects.writer_lease import clock_that_counts_sleep
from ragd.store.lance import checkup, generation_folders, libraries, maintenance, vector_index
from ragd.store.lance.checkup import IndexDefect
from ragd.store.lance.checkup_process import end_checks, examine_apart
from ragd.store.lance.generation_folders import Generation, IndexIdentity
from ragd.store.lance.index_place import FolderStamp, IndexPlace, TablePlace, place_of
from ragd.store.lance.indexed_notes import IndexedNotes, NotesRead, read_notes
from ragd.store.lance.lance_errors import translated
from ragd.store.lance.pinned_table import PinnedTable
from ragd.store.lance.reader import TableReader
from ragd.store.lance.schema import FileRows
from ragd.store.lance.vocabulary import TableVocabulary
from ragd.store.lance.writer import FillResult, TableWriter

LIMITED = 8  # views of parts of an index that are kept, each with its own vocabulary
CLEAN_EVERY_S = 30.0  # reads every old version: with hundreds of them as long as the other work
REOPEN_AFTER = 20  # rounds of maintenance with changes: each leaves file descriptors in the caches

T = TypeVar("T")


class MaintenanceResult(Struct, frozen=True):
    """What maintenance did. `more`: another step is needed at once.

    `again_s`: the seconds until the next call is needed to remove old versions, which contain the
    text of deleted notes. None: nothing is left to remove.
    """

    version: int
    changed: bool
    more: bool
    again_s: float | None = None


class WriterThread:
    """The only thread that calls lance to write, one call after another."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    async def run(self, work: Callable[..., T], *args: Any, table: TablePlace | None = None) -> T:
        with translated(table):
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class LanceStore:
    """All generations, in a folder or in an object store."""

    def __init__(
        self, folder: Path | IndexPlace, now: Callable[[], float] = clock_that_counts_sleep
    ) -> None:
        self._folder = place_of(folder)
        self._thread = WriterThread()
        self._now = now

    async def warm_up(self) -> None:
        """Load the libraries, which takes seconds, before they are needed."""
        await self._thread.run(libraries.lance)

    async def list_generations(self) -> list[Generation]:
        """All generations, oldest first, including incomplete and damaged ones."""
        return await self._thread.run(generation_folders.list_generations, self._folder)

    async def newest_whole(self, vault: str, without: Collection[str] = ()) -> Generation | None:
        """The generation that serves if there is no log: complete, of this vault, with documents,
        and not damaged."""
        for found in reversed(await self.list_generations()):
            if not found.complete or found.identity is None or found.name in without:
                continue
            if found.identity.vault == vault and await self._is_whole(found.name):
                return found
        return None

    async def _is_whole(self, generation: str) -> bool:
        return await self._thread.run(examine_apart, self._folder, generation) is None

    async def is_damaged(self, generation: str) -> bool:
        """Whether it is damaged, checked in another process. Raises CannotCheck."""
        found = await self._thread.run(examine_apart, self._folder, generation)
        return found is not None and found.code == "INDEX_CORRUPTED"

    async def verify(self, generation: str) -> None:
        """Raises RagdError if its files are damaged. An index without rows is not damaged."""
        found = await self._thread.run(checkup.examine, self._folder, generation)
        if found not in (None, IndexDefect("INDEX_NOT_FOUND", "rows")):
            raise RagdError("INDEX_CORRUPTED")

    async def create(self, identity: IndexIdentity) -> "ChunkIndex":
        """Make an empty generation and open it."""
        await self._thread.run(generation_folders.create, self._folder, identity)
        return await self.open(identity.generation)

    async def open(self, generation: str) -> "ChunkIndex":
        """Open a generation. Raises RagdError if it is missing, foreign or damaged."""
        found = await self._thread.run(generation_folders.read, self._folder, generation)
        table = self._folder.table(generation)
        if found.identity is None:
            exists = await self._thread.run(table.exists)
            raise RagdError("INDEX_CORRUPTED" if exists else "INDEX_NOT_FOUND")
        writer = await self._thread.run(self._open_writer, table)
        pinned = PinnedTable(table)
        await pinned.open()
        stamp = await self._thread.run(self._folder.stamp, generation)
        index = ChunkIndex(
            self._folder, found.identity, self._thread, writer, pinned, stamp, self._now
        )
        if writer.fence:
            index.opened_version = found.version
        return index

    async def open_to_read(self, generation: str) -> "ChunkIndex":
        """Open a generation that another machine writes. Raises RagdError."""
        found = await self._thread.run(generation_folders.read, self._folder, generation)
        if found.identity is None:
            raise RagdError("INDEX_NOT_FOUND")
        pinned = PinnedTable(self._folder.table(generation))
        await pinned.open()
        stamp = await self._thread.run(self._folder.stamp, generation)
        return ChunkIndex(
            self._folder, found.identity, self._thread, None, pinned, stamp, self._now
        )

    def _open_writer(self, table: TablePlace) -> TableWriter:
        """Open the table for writing, and keep out a writer whose commits are on their way."""
        writer = TableWriter(table, self._now)
        number = self._folder.ensure_writable()
        if number and number <= writer.fence:
            number = self._folder.raise_fence(writer.fence)
        if number:
            writer.take_over(number)
        return writer

    async def publish(self, generation: str) -> None:
        """Tell readers that this generation serves."""
        await self._thread.run(self._folder.publish, generation)

    async def drop(self, generation: str) -> None:
        """Remove a generation from the disk. Close it first."""
        await self._thread.run(generation_folders.drop, self._folder, generation)

    async def remove_temporary_files(self) -> int:
        """Remove the temporary files of a killed process. Call it only at the start."""
        return await self._thread.run(generation_folders.remove_temporary_files, self._folder)

    def close(self) -> None:
        end_checks()
        self._thread.stop()


class ChunkIndex:
    """One open generation. When a write returns, it is durable and searchable."""

    def __init__(
        self,
        folder: IndexPlace,
        identity: IndexIdentity,
        thread: WriterThread,
        writer: TableWriter | None,
        pinned: PinnedTable,
        stamp: FolderStamp,
        now: Callable[[], float],
    ) -> None:
        self.identity = identity
        self.folder = folder  # of all generations
        self._thread = thread
        self._opened_writer = writer  # None: another machine writes it
        self._pinned = pinned
        self._path = folder.table(identity.generation)
        self._stamp = stamp
        self._now = now
        self._maintaining = asyncio.Lock()
        self._changes = 0
        self._cleaned_at: float | None = None
        self.opened_version = pinned.now.version  # the newest version before this writer's own
        self.within: str | None = None  # the condition for the rows that reads find; None: all
        self._limited: dict[str, ChunkIndex] = {}
        self._offer_reads(TableReader(pinned), TableVocabulary(pinned))

    def limited_to(self, within: str | None) -> "ChunkIndex":
        """This index, as if it had only the rows that meet the condition."""
        if within is None:
            return self
        if within not in self._limited:
            while len(self._limited) >= LIMITED:
                del self._limited[next(iter(self._limited))]
            view = copy.copy(self)
            view.within = within
            view._offer_reads(
                TableReader(self._pinned, within), TableVocabulary(self._pinned, within)
            )
            self._limited[within] = view
        return self._limited[within]

    def _offer_reads(self, reader: TableReader, vocabulary: TableVocabulary) -> None:
        """Searches and reads are the functions of these two."""
        self.find_by_vector = reader.find_by_vector
        self.find_by_words = reader.find_by_words
        self.find_newest = reader.find_newest
        self.find_by_name = reader.find_by_name
        self.find_by_names = reader.find_by_names
        self.find_by_title = reader.find_by_title
        self.find_exact_texts = reader.find_exact_texts
        self.has_phrase = reader.has_phrase
        self.has_links = reader.has_links
        self.read_links = reader.read_links
        self.find_linking_to = reader.find_linking_to
        self.count = reader.count
        self.count_matching = reader.count_matching
        self.count_undated_notes = reader.count_undated_notes
        self.count_notes_in = reader.count_notes_in
        self.read_chunks = reader.read_chunks
        self.read_rows = reader.read_rows
        self.list_tags = vocabulary.list_tags
        self.list_properties = vocabulary.list_properties
        self.list_property_names = vocabulary.list_property_names
        self.count_words = vocabulary.count_words
        self.word_frequencies = vocabulary.word_frequencies

    # Writing

    @property
    def _writer(self) -> TableWriter:
        if self._opened_writer is None:
            raise RagdError("READ_ONLY")
        return self._opened_writer

    async def read_newest_notes(self, earlier: IndexedNotes | None) -> NotesRead:
        """The notes of the newest version that another machine wrote. Searches do not see it
        before `move_to`: who may search its collections must be known before. `earlier`: what was
        read of another version of this index."""
        return await self._run(self._read_newest_notes, earlier)

    def _read_newest_notes(self, earlier: IndexedNotes | None) -> NotesRead:
        dataset = self._pinned.now.scans.dataset
        newest = int(dataset.latest_version)
        if earlier is not None and earlier.version == newest:
            return NotesRead(earlier, frozenset(), {})
        is_pinned = newest == self._pinned.now.version
        return read_notes(dataset if is_pinned else dataset.checkout_version(newest), earlier)

    async def move_to(self, version: int) -> None:
        """Let searches see this version."""
        await self._pinned.refresh(version)

    async def replace(self, files: Sequence[FileRows], removed: Sequence[str] = ()) -> int:
        """Replace all chunks of `files` and delete those of `removed`, in one commit. Returns the
        version."""
        return await self._write(self._writer.replace, files, removed)

    async def fill(self, vectors: Mapping[str, Vector], paths: Sequence[str] = ()) -> FillResult:
        """Add vectors to stored chunks, by chunk id, and count the vectors of their notes and of
        the notes in `paths`."""
        return await self._write(self._writer.fill, vectors, paths)

    async def count_vectors(self) -> int:
        """How many rows have a vector in the newest version. It is fast if little has changed."""
        return await self._thread.run(self._writer.count_vectors)

    async def mark_complete(self) -> int:
        """From now on this generation may serve even if the log is lost."""
        return await self._write(self._writer.set_complete)

    async def _write(self, work: Callable[..., T], *args: Any) -> T:
        result = await self._run(lambda: self._run_if_folder_exists(work, *args))
        await self._pinned.refresh()
        return result

    async def _run(self, work: Callable[..., T], *args: Any) -> T:
        return await self._thread.run(work, *args, table=self._path)

    def _run_if_folder_exists(self, work: Callable[..., T], *args: Any) -> T:
        """Raises RagdError if the table's folder was removed, because lance would create it again,
        and the table in it would be damaged; or if another daemon may write now."""
        self.folder.ensure_writable()
        if self.folder_stamp()[1] != self._stamp[1]:
            raise RagdError("INDEX_NOT_FOUND")
        return work(*args)

    # Reading

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the table; a table of an earlier version has fewer."""
        return self._pinned.columns

    @property
    def bytes_in_memory(self) -> int:
        """What is held in memory of all rows, for searches."""
        return self._pinned.bytes_in_memory

    async def version(self) -> int:
        """The version that searches see."""
        return self._pinned.now.version

    async def versions(self) -> list[int]:
        """All versions that are still on the disk."""
        return await self._run(self._writer.versions)

    # Maintenance

    def folder_stamp(self) -> FolderStamp:
        """Identifies the table's folder. It changes when another folder takes its place."""
        return generation_folders.folder_stamp(self.folder, self.identity.generation)

    async def maintain(self, keep_s: float = maintenance.KEEP_S) -> MaintenanceResult:
        """Do one bounded step: indexes, fragments, and versions older than `keep_s`."""
        async with self._maintaining:
            await self._clean(keep_s)  # first, to free disk space
            compacted = await self._write(maintenance.compact, self._writer)
            changed = await self._train() or compacted.changed
            if changed:
                await self._clean(keep_s)
                self._changes += 1
            if self._changes >= REOPEN_AFTER:
                await self._reopen()
            if changed:
                await self._run(libraries.return_unused_memory)
            version = await self._write(self._writer.make_durable)
            await self.versions()
            again_s = 0.0 if compacted.more else await self._until_cleaning(keep_s)
            return MaintenanceResult(version, changed, compacted.more, again_s)

    async def _clean(self, keep_s: float) -> None:
        """Remove versions older than `keep_s`, if there are any. The first time, also remove what a
        killed commit left."""
        if self._cleaned_at is None or await self._until_cleaning(keep_s) == 0.0:
            await self._write(maintenance.remove_old_versions, self._writer, keep_s)
            self._cleaned_at = self._now()

    async def _until_cleaning(self, keep_s: float) -> float | None:
        """The seconds until old versions have to be removed; None if there are none. It is at most
        `CLEAN_EVERY_S` later than when the first of them is too old."""
        until = await self._run(maintenance.seconds_until_removal, self._writer, keep_s)
        if until is None or self._cleaned_at is None:
            return until
        return max(until, self._cleaned_at + min(keep_s, CLEAN_EVERY_S) - self._now())

    async def _train(self) -> bool:
        """Train a vector index if the table is large enough. Writes continue meanwhile."""
        task = await self._run(self._writer.plan_training)
        if task is None:
            return False
        built = await _run_in_daemon_thread(vector_index.train, task, self._path)
        return await self._write(self._writer.adopt, task, built)

    async def _reopen(self) -> None:
        await self._run(self._writer.reopen)
        await self._pinned.reopen()
        self._changes = 0

    def close(self) -> None:
        self._pinned.close()


async def _run_in_daemon_thread(work: Callable[[Any], T], argument: Any, table: TablePlace) -> T:
    """Run long work in a thread that does not keep the process from ending."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work(argument))
        except BaseException as why:  # the caller gets it
            outcome.set_exception(why)

    threading.Thread(target=run, name="store-training", daemon=True).start()
    with translated(table):
        return await asyncio.wrap_future(outcome)
