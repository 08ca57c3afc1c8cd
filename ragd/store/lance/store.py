"""The store as the actors use it: asynchronous, one thread that writes, readers beside it.

It decides nothing about when: whoever writes and whoever schedules maintenance does. A write that
returns is on the disk and visible to searches.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from ragd.embed.providers.embedder_port import Vector
from ragd.errors import RagdError
from ragd.search.query.conditions import Condition
from ragd.search.ranking.title_match import Frequencies
from ragd.store.lance import checkup, generation_folders, libraries, maintenance, vector_index
from ragd.store.lance.checkup import IndexDefect
from ragd.store.lance.checkup_process import end_lookers, examine_apart
from ragd.store.lance.generation_folders import Generation, IndexIdentity
from ragd.store.lance.lance_errors import translated
from ragd.store.lance.packed_rows import LinkRow
from ragd.store.lance.reader import Missing, TableReader
from ragd.store.lance.schema import ChunkRow, FileRows
from ragd.store.lance.table_version import ChunkHit
from ragd.store.lance.writer import FillResult, TableWriter

REOPEN_AFTER = 20  # maintenances that changed something: each leaves descriptors in the caches

T = TypeVar("T")


class MaintenanceResult(Struct, frozen=True):
    """What maintenance did. `more`: there is another bounded piece of work to do at once.

    `again_s`: how long from now the next call has something to do even if nothing changes until
    then, namely old versions with the text of deleted notes to remove; None: nothing is left.
    """

    version: int
    changed: bool
    more: bool
    again_s: float | None = None
    freed_bytes: int = 0


class WriterThread:
    """The one thread in which lance is called, one call after another."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")

    async def run(self, work: Callable[..., T], *args: Any, table: Path | None = None) -> T:
        with translated(table):
            return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)

    def stop(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class LanceStore:
    """The folder of all generations."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._thread = WriterThread()

    async def warm_up(self) -> None:
        """Load the libraries, which takes a second, before somebody waits for them."""
        await self._thread.run(libraries.lance)
        await self._thread.run(libraries.lancedb)

    async def list_generations(self) -> list[Generation]:
        """All generations, oldest first, the incomplete and the damaged among them."""
        return await self._thread.run(generation_folders.list_generations, self._folder)

    async def newest_whole(self, vault: str, without: Collection[str] = ()) -> Generation | None:
        """The one that serves when there is no log to say which: complete, of this vault, with
        documents in it, and none of its files damaged."""
        for found in reversed(await self.list_generations()):
            if not found.complete or found.identity is None or found.name in without:
                continue
            if found.identity.vault == vault and await self._is_whole(found.name):
                return found
        return None

    async def _is_whole(self, generation: str) -> bool:
        return await self._thread.run(examine_apart, self._folder, generation) is None

    async def is_damaged(self, generation: str) -> bool:
        """As another process sees it. Raises CannotCheck if none could look."""
        found = await self._thread.run(examine_apart, self._folder, generation)
        return found is not None and found.code == "INDEX_CORRUPTED"

    async def verify(self, generation: str) -> None:
        """Raises RagdError unless its files are whole; that it has no rows is no damage."""
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
        path = generation_folders.table_path(self._folder, generation)
        if found.identity is None:
            raise RagdError("INDEX_CORRUPTED" if path.is_dir() else "INDEX_NOT_FOUND")
        writer = await self._thread.run(TableWriter, path)
        reader = TableReader(path.parent)
        await reader.open()
        return ChunkIndex(self._folder, found.identity, self._thread, writer, reader)

    async def drop(self, generation: str) -> None:
        """Remove a generation for good. Close it first."""
        await self._thread.run(generation_folders.drop, self._folder, generation)

    async def sweep(self) -> int:
        """Remove what a killed process left behind. At start, by who holds the lock."""
        return await self._thread.run(generation_folders.sweep, self._folder)

    def close(self) -> None:
        end_lookers()
        self._thread.stop()


class ChunkIndex:
    """One generation, open: what is written here is durable and searchable on return."""

    def __init__(
        self,
        folder: Path,
        identity: IndexIdentity,
        thread: WriterThread,
        writer: TableWriter,
        reader: TableReader,
    ) -> None:
        self.identity = identity
        self._folder = folder
        self._thread = thread
        self._writer = writer
        self._reader = reader
        self._path = generation_folders.table_path(folder, identity.generation)
        self._inode = self.folder_stamp()[1]
        self._maintaining = asyncio.Lock()
        self._changes = 0

    # Writing

    async def replace(self, files: Sequence[FileRows], removed: Sequence[str] = ()) -> int:
        """Replace all chunks of these notes and take those out, in one commit; its version."""
        return await self._write(self._writer.replace, files, removed)

    async def fill(self, vectors: Mapping[str, Vector], paths: Sequence[str] = ()) -> FillResult:
        """Give chunks that were stored without a vector theirs, by chunk id; and count the vectors
        of their notes, and of the notes in `paths`."""
        return await self._write(self._writer.fill, vectors, paths)

    async def count_vectors(self) -> int:
        """How many rows have a vector in the newest version; cheap if little has changed."""
        return await self._thread.run(self._writer.count_vectors)

    async def mark_complete(self) -> int:
        """From now on this generation may serve without a log that says so."""
        return await self._write(self._writer.set_complete)

    async def _write(self, work: Callable[..., T], *args: Any) -> T:
        result = await self._run(lambda: self._if_there(work, *args))
        await self._reader.refresh()
        return result

    async def _run(self, work: Callable[..., T], *args: Any) -> T:
        return await self._thread.run(work, *args, table=self._path)

    def _if_there(self, work: Callable[..., T], *args: Any) -> T:
        """lance would write into a folder that was removed: it would be there again, and damaged.
        Raises RagdError instead."""
        if self.folder_stamp()[1] != self._inode:
            raise RagdError("INDEX_NOT_FOUND")
        return work(*args)

    # Searching

    @property
    def columns(self) -> frozenset[str]:
        """The columns of the table; one that an earlier version made has fewer."""
        return self._reader.columns

    async def find_by_vector(
        self,
        vector: Vector,
        k: int,
        where: str | None = None,
        phrases: Sequence[Condition] = (),
        notes: Sequence[str] | None = None,
    ) -> list[ChunkHit]:
        """The k chunks nearest in meaning, of all notes or of these; the score is the cosine."""
        return await self._reader.find_by_vector(vector, k, where, phrases, notes)

    async def find_by_words(
        self,
        text: str,
        k: int,
        where: str | None = None,
        phrases: Sequence[Condition] = (),
        notes: Sequence[str] | None = None,
    ) -> list[ChunkHit]:
        """The k chunks that match some of the words best; the score is BM25."""
        return await self._reader.find_by_words(text, k, where, phrases, notes)

    async def find_newest(self, k: int, where: str) -> list[ChunkHit]:
        """The k chunks with the newest dates, newest first."""
        return await self._reader.find_newest(k, where)

    async def count_undated_notes(self, where: str | None = None) -> int:
        """How many notes have no passage with a date."""
        return await self._reader.count_undated_notes(where)

    async def find_by_name(
        self, name: str, where: str | None = None, phrases: Sequence[Condition] = ()
    ) -> list[ChunkHit]:
        """The first passages of the notes with exactly this name, separators and case apart."""
        return await self._reader.find_by_name(name, where, phrases)

    async def has_links(self) -> bool:
        """Whether any passage links to a note."""
        return await self._reader.has_links()

    async def read_links(self, paths: Sequence[str]) -> list[LinkRow]:
        """The passages of these notes that have links."""
        return await self._reader.read_links(paths)

    async def find_linking_to(self, names: Sequence[str]) -> list[LinkRow]:
        """Passages that link to a note with one of these names."""
        return await self._reader.find_linking_to(names)

    async def find_by_names(self, names: Sequence[str]) -> list[LinkRow]:
        """The first passages of notes with one of these names."""
        return await self._reader.find_by_names(names)

    async def word_frequencies(self) -> Frequencies:
        """How common words are in this index."""
        return await self._reader.word_frequencies()

    async def read_chunks(self, chunk_ids: Sequence[str]) -> list[ChunkRow]:
        """These chunks in this order, without those that are gone."""
        return await self._reader.read_chunks(chunk_ids)

    async def find_exact_texts(
        self, texts: Sequence[str], where: str | None = None
    ) -> dict[str, dict[str, int]]:
        """For each text, the notes in which a passage is exactly that, and how often."""
        return await self._reader.find_exact_texts(texts, where)

    async def has_phrase(self, phrase: str) -> bool:
        """Whether some passage has it."""
        return await self._reader.has_phrase(phrase)

    async def count(self, where: str | None = None) -> int:
        """How many chunks meet the condition."""
        return await self._reader.count(where)

    async def count_matching(self, where: str | None, phrases: Sequence[Condition]) -> int:
        """How many chunks meet the condition and have the phrases that are wanted."""
        return await self._reader.count_matching(where, phrases)

    async def list_directories(self) -> frozenset[str]:
        """Every folder, at any depth, that has a note in the index."""
        return await self._reader.list_directories()

    async def list_tags(self) -> frozenset[str]:
        """Every tag in the index, as it is spelled there."""
        return await self._reader.list_tags()

    async def list_properties(self, name: str) -> list[str]:
        """The different properties of this name, as they are kept."""
        return await self._reader.list_properties(name)

    async def count_words(self, most: int) -> dict[str, int]:
        """The most frequent words of the table, and how often each stands there."""
        return await self._reader.count_words(most)

    async def find_by_title(self, title: str) -> list[str]:
        """The paths of the notes with this title, which is in lower case."""
        return await self._reader.find_by_title(title)

    # Reading in bulk

    def read_rows(
        self, columns: Sequence[str], where: str | None = None
    ) -> AsyncIterator[dict[str, Any]]:
        """All rows, streamed."""
        return self._reader.read_rows(columns, where)

    async def missing_vectors(self, limit: int, newest_first: bool = True) -> list[Missing]:
        """Chunks that have no vector yet, so that a backlog can be made again after a crash."""
        return await self._reader.missing_vectors(limit, newest_first)

    async def version(self) -> int:
        """The version that searches see."""
        return await self._reader.version()

    async def versions(self) -> list[int]:
        """All versions that are still on the disk."""
        return await self._run(self._writer.versions)

    # Keeping

    def folder_stamp(self) -> generation_folders.FolderStamp:
        """Another one, if another folder was put in the table's place."""
        return generation_folders.folder_stamp(self._folder, self.identity.generation)

    async def probe(self, expected_version: int = 0) -> IndexDefect | None:
        """What is wrong with the table, by really reading it; in a thread beside the writer."""
        name = self.identity.generation
        return await asyncio.to_thread(checkup.examine, self._folder, name, expected_version)

    async def maintain(self, keep_s: float = maintenance.KEEP_S) -> MaintenanceResult:
        """A bounded piece of tidying: indexes, fragments, and versions older than `keep_s`."""
        async with self._maintaining:
            freed = await self._write(maintenance.clean, self._writer, keep_s)  # makes room
            tidied = await self._write(maintenance.tidy, self._writer)
            changed = await self._train() or tidied.changed
            if changed:
                freed += await self._write(maintenance.clean, self._writer, keep_s)
                self._changes += 1
            if self._changes >= REOPEN_AFTER:
                await self._reopen()
            version = await self._write(self._writer.settle)
            again_s = keep_s if len(await self.versions()) > 1 else None
            again_s = 0.0 if tidied.more else again_s
            return MaintenanceResult(version, changed, tidied.more, again_s, freed)

    async def _train(self) -> bool:
        """Train a vector index if one pays, while writing goes on."""
        task = await self._run(self._writer.training)
        if task is None:
            return False
        built = await _beside(vector_index.train, task, self._path)
        return await self._write(self._writer.adopt, task, built)

    async def _reopen(self) -> None:
        await self._run(self._writer.reopen)
        await self._reader.open()
        self._changes = 0

    def close(self) -> None:
        self._reader.close()


async def _beside(work: Callable[[Any], T], argument: Any, table: Path) -> T:
    """Run long work in a thread that does not keep the process from ending."""
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(work(argument))
        except BaseException as why:  # handed to whoever waits
            outcome.set_exception(why)

    threading.Thread(target=run, name="store-training", daemon=True).start()
    with translated(table):
        return await asyncio.wrap_future(outcome)
