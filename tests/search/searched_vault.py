"""A vault on the disk, its index, and a searcher, in this process. No model: the test says how near
each passage is to the question."""

import math
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from msgspec import structs

from ragd.access.scope import Scope
from ragd.config.live_settings import Settings
from ragd.config.schema import CollectionSettings, Config, IndexingSettings
from ragd.embed.providers.embedder_port import Vector, pack
from ragd.eventlog.frame import Record
from ragd.events import BatchStored, Event, StoredFile
from ragd.folds import State, apply
from ragd.paths import Home
from ragd.protocol.explain_requests import ExplainRequest
from ragd.search.expectation import ExpectedNote
from ragd.search.query_vector import QueryVector
from ragd.search.searcher import SearchAnswer, Searcher
from ragd.store.lance import ChunkIndex, FileRows
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.note_reader import NoteReader
from tests.daemon.virtual_clock import VirtualClock
from tests.store.lance.drafts import DIMENSIONS, note


def at_angle(cosine: float) -> Vector:
    """A vector with this cosine to that of every question."""
    rest = [0.0] * (DIMENSIONS - 2)
    return pack([cosine, math.sqrt(1 - cosine * cosine), *rest])


QUESTION = at_angle(1.0)


class QuestionVectors:
    """Gives every question the same vector, or none."""

    def __init__(self) -> None:
        self.vector: Vector | None = QUESTION

    async def embed(self, *_: object) -> QueryVector:
        code = "VECTORS_PENDING" if self.vector is None else None
        return QueryVector(self.vector, code)


class SearchedVault:
    """Its notes are written by the test: to the disk, to the index, to the state, or to some."""

    def __init__(self, root: Path, index: ChunkIndex) -> None:
        self.root = root / "vault"
        diary = root / "diary"
        for folder in (self.root, diary):
            folder.mkdir()
        config = Config(
            vault_path=str(self.root),
            collections={"diary": CollectionSettings(path=str(diary), private=True)},
            indexing=IndexingSettings(deny_dirs=("Denied",)),
        )
        settings = Settings(Home(str(root / "home")), config)
        self.index = index
        self.state = State()
        self.vectors = QuestionVectors()
        self._folders = {"": self.root, "@diary/": diary}
        self._version = 0
        clock, open_indexes = VirtualClock(), OpenIndexes()
        open_indexes.replace(index, None)
        ledger = cast(Any, SimpleNamespace(state=self.state))
        notes = NoteReader(settings, clock)
        self._searcher = Searcher(
            ledger, clock, settings, open_indexes, cast(Any, self.vectors), notes, cast(Any, None)
        )

    def record(self, fact: Event) -> None:
        seq = self.state.seq + 1
        record = Record(seq, seq - 1, "2026-11-15T15:00:00.000000Z", "r1", "test", None, fact)
        apply(self.state, record)

    def file(self, path: str) -> Path:
        """Where a note is on the disk."""
        start = "@diary/" if path.startswith("@diary/") else ""
        return self._folders[start] / path.removeprefix(start)

    async def add(self, *files: FileRows) -> None:
        """Notes as they are after a sync."""
        stored = []
        for file in files:
            place = self.file(file.path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("\n".join(chunk.text for chunk in file.chunks))
            counts = {"chunks": len(file.chunks), "embedded": len(file.vectors)}
            stored.append(StoredFile(file.path, file.sha256, file.mtime_ns, 1, **counts))
        self._version = await self.index.replace(files)
        self.record(BatchStored(job_id="j", files=stored, removed=[], table_version=self._version))

    async def ask(
        self, query: str, expect: str = "", names: Sequence[str] = ("vault",), **fields: Any
    ) -> SearchAnswer:
        request = ExplainRequest(query, expect=expect, explain=True, **fields)
        scope = Scope(frozenset(names), frozenset({"diary"}))
        return await self._searcher.search(request, [], scope)

    async def expect(
        self, name: str, query: str, names: Sequence[str] = ("vault",), **fields: Any
    ) -> ExpectedNote:
        """Where this note fell out of a search."""
        found = (await self.ask(query, name, names, **fields)).expected
        assert found is not None
        return found


def passage(path: str, text: str, cosine: float | None = None, **other: Any) -> FileRows:
    """A note with one passage. Without a cosine, it has no vector yet."""
    made = note(path, text, **other)
    if cosine is None:
        return made
    return structs.replace(made, vectors={made.chunks[0].chunk_id: at_angle(cosine)})
