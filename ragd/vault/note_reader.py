"""Scans collections, reads their notes and splits them into chunks. Synchronous: call it in a
thread, through `collection_calls.py` where a call is about more than one collection.

A path is one of the path space of all collections: `@papers/a.pdf` is `a.pdf` in `papers`.

A problem with a file is returned as a value with a phrase from a closed list. It never raises for
a file's content, and never puts the content in a message.
"""

import hashlib
import os
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from msgspec import structs

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.config.schema import Config
from ragd.events import GoneReason, TouchedFile
from ragd.folds.catalog import Entry
from ragd.notes.documents.kinds import is_slow, kind_of
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.model import ChunkOptions
from ragd.notes.parse import fingerprint, parse_note
from ragd.paths import lies_in_by_name
from ragd.vault.collection_files import (
    CollectionFiles,
    CollectionScan,
    RootMemory,
)
from ragd.vault.collection_paths import (
    VAULT,
    names_in_group,
    split_path,
)
from ragd.vault.document_reader import DocumentReader
from ragd.vault.document_worker import CannotRead
from ragd.vault.files import (
    ChangedWhileRead,
    FileStat,
    FileUnreadable,
    NoteFile,
    NoteMissing,
    PathKind,
    RootIdentity,
    SkipPath,
    VaultGone,
)
from ragd.vault.note_parsers import NoteParsers
from ragd.vault.note_sample import MOST_NOTES
from ragd.vault.parse_worker import UnparsedNote
from ragd.vault.read_result import NoteBytes, ReadResult, text_bytes
from ragd.vault.reading_rules import roots_of, rules_of
from ragd.vault.session_database import Decompress
from ragd.vault.session_rules import SessionRules

__all__ = ["NoteReader", "PathKind", "ReadResult", "RootIdentity", "VaultGone"]

LEAST_SAMPLED = 20  # notes of each collection whose language is detected

T = TypeVar("T")

ChooseCode = Callable[[str], str]  # from `security.code_blocks`: "keep" or "remove"


class _Roots(NamedTuple):
    """The roots by name, the vault first, and the configuration that they are made from."""

    config: Config
    files: Mapping[str, CollectionFiles]


class NoteReader:
    """The notes of the vault and of all collections, by the current configuration.

    Several actors share it, and call it in several threads at once. All that it remembers is
    immutable or replaced in one assignment, and a lost update only means that a note is read again.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        documents: DocumentReader | None = None,
        recorded_collections: Callable[[], Container[str]] = frozenset,
        choose_code: ChooseCode | None = None,
        stored: Callable[[str], Entry | None] = lambda path: None,
        parsers: NoteParsers | None = None,
        decompress: Decompress | None = None,
    ) -> None:
        """`recorded_collections`: those that were scanned, even if they are not configured any
        more. Their notes leave the index, and no folder of the vault is mistaken for them.
        `stored`: a note as the index has it. `decompress`: for sessions in a database."""
        self._settings = settings
        self._decompress = decompress
        self._sessions = SessionRules(settings, clock, stored)
        self._choose_code = choose_code
        self._clock = clock
        self._documents = documents or DocumentReader()
        self._recorded = recorded_collections
        self._parsers = parsers or NoteParsers()
        self.count_tokens = self._parsers.count_tokens
        self._roots = self._make_roots(settings.current, {})

    @property
    def collections(self) -> tuple[str, ...]:
        """The names of all that is configured, the vault first."""
        return tuple(self._current_roots())

    def root(self, collection: str = VAULT) -> Path:
        """The folder of a collection, or its database. Raises VaultGone if there is no collection
        of this name."""
        return Path(self._files(collection).root)

    def is_polled(self, collection: str) -> bool:
        """Whether changes in a collection show only in scans. Raises VaultGone."""
        return self._files(collection).is_polled

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides how a note is split into chunks."""
        return fingerprint(self._options())

    def now(self) -> str:
        """The time, for the beginning of a scan."""
        return self._clock.now()

    def split(self, path: str) -> tuple[str, str]:
        """The collection of a path, and the path in it. The collection may be one that is not
        configured any more."""
        if not path.startswith("@"):
            return VAULT, path
        found = split_path(path, self._current_roots())
        return found if found[0] != VAULT else split_path(path, self._recorded())

    def collection_of(self, path: str) -> str:
        return self.split(path)[0]

    def scan(
        self, collection: str = VAULT, *, may_be_empty: bool, known: Sequence[str] = ()
    ) -> CollectionScan:
        """All notes of one collection; see CollectionFiles.scan. `known`: notes of any collection.

        Raises VaultGone.
        """
        files = self._usable_files(collection)
        split = map(self.split, known)
        inner = [path for name, path in split if name == collection] if known else []
        found = files.scan(may_be_empty=may_be_empty, known=inner)
        return self._sessions.limit_scan(files, found)

    def not_due(self, collection: str, paths: Sequence[str]) -> set[str]:
        """Those of these notes of one collection that are to be read later: more will follow."""
        stats = self.stat_notes(collection, paths)
        return self._sessions.not_due(self._files(collection), stats)

    def verify_root(self, collection: str = VAULT) -> None:
        """Raises VaultGone unless the root is the one that was scanned, and not empty."""
        self._usable_files(collection).verify_root()

    def why_gone(self, collection: str = VAULT) -> GoneReason | None:
        """Why a collection cannot be used: a reason of VaultGone; None if it can."""
        try:
            self.verify_root(collection)
        except VaultGone as why:
            return why.reason
        return None

    def kinds(self, collection: str, paths: Sequence[str]) -> dict[str, PathKind]:
        """What is at each of these paths of one collection now. Raises VaultGone."""
        if collection not in self._current_roots():
            return {}
        return _outer(paths, self._usable_files(collection).kinds, self.split)

    def includes(self, path: str) -> bool:
        """Whether a note at this path belongs in the index."""
        collection, inner = self.split(path)
        files = self._current_roots().get(collection)
        if files is None or not files.includes(inner):
            return False
        return self._sessions.includes(collection, inner)

    def includes_folder(self, folder: str) -> bool:
        """Whether notes of this folder may be in the index, by the current configuration."""
        if names_in_group(folder, self._current_roots()):
            return True
        collection, inner = self.split(folder)
        files = self._current_roots().get(collection)
        return files is not None and files.includes_folder(inner)

    def stat_notes(self, collection: str, paths: Sequence[str]) -> dict[str, FileStat | None]:
        """The size and times of these notes of one collection now; None for one that is gone.

        Raises VaultGone if the root itself is missing: then nothing is known about them.
        """
        if collection not in self._current_roots():
            return dict.fromkeys(paths)
        return _outer(paths, self._usable_files(collection).stat, self.split)

    def hash_notes(self, collection: str, files: Sequence[NoteFile]) -> dict[str, str]:
        """The SHA-256 of these notes of one collection, as far as they can be read now."""
        inner = [structs.replace(file, path=self.split(file.path)[1]) for file in files]
        hashed = self._usable_files(collection).hash_notes(inner)
        return {
            file.path: hashed[one.path]
            for file, one in zip(files, inner, strict=True)
            if one.path in hashed
        }

    def read_bytes(self, path: str) -> tuple[bytes, str]:
        """One note as it is now, and its SHA-256. NoteMissing if it does not belong in the index.

        Raises ChangedWhileRead, SkipPath, FileUnreadable; VaultGone if the root itself is missing.
        """
        if not self.includes(path):
            raise NoteMissing(path)
        collection, inner = self.split(path)
        try:
            data, facts = self._usable_files(collection).read(inner)
        except NoteMissing:
            self.verify_root(collection)
            raise
        self._sessions.refuse_expired(collection, data, facts)
        return data, hashlib.sha256(data).hexdigest()

    def read_document(self, path: str, data: bytes, sha256: str) -> Document | Unreadable:
        """The text of a file that is not Markdown, from its bytes."""
        return self._documents.read(path, data, sha256)

    def read(
        self,
        collection: str,
        paths: Sequence[str],
        known: Mapping[str, Entry],
        *,
        again: bool = False,
        room: int | None = None,
    ) -> ReadResult:
        """Read these notes of one collection and split them into chunks. A note with its `known`
        content is not split unless `again`. After `room` bytes, the rest is left for another call.

        Raises VaultGone.
        """
        reading = ReadResult()
        options = self._options()
        unparsed: list[NoteBytes] = []
        if paths and collection in self._current_roots():
            self._usable_files(collection)
        for position, path in enumerate(paths):
            if room is not None and reading.bytes_parsed >= room:
                reading.left = list(paths[position:])
                break
            if not self.includes(path):
                reading.gone.append(path)
                continue
            try:
                found = self._read_one(collection, path, known.get(path), again, reading)
                if found is not None:
                    self._read_document(collection, found, options, reading)
                    unparsed.append(found)
            except NoteMissing:
                reading.gone.append(path)
            except SkipPath as why:
                reading.skipped.append((path, why.reason))
            except (ChangedWhileRead, CannotRead):
                reading.unstable.append(path)
            except FileUnreadable as why:
                reading.failed.append((path, why.reason))
        self._parse(collection, unparsed, options, reading)
        return reading

    def _read_one(
        self,
        collection: str,
        path: str,
        known: Entry | None,
        again: bool,
        reading: ReadResult,
    ) -> NoteBytes | None:
        """One note as it is on disk; None if it is the known one."""
        data, facts = self._files(collection).read(self.split(path)[1])
        self._sessions.refuse_expired(collection, data, facts)
        digest = hashlib.sha256(data).hexdigest()
        if known is not None and known.sha256 == digest and not again:
            times = (facts.mtime_ns, facts.size, digest, facts.ctime_ns)
            reading.touched.append(TouchedFile(path, *times))
            return None
        return NoteBytes(path, data, digest, facts)

    def _read_document(
        self, collection: str, found: NoteBytes, options: ChunkOptions, reading: ReadResult
    ) -> None:
        """Parse a file of a slow kind at once: how much text it has is not known before."""
        path, data = found.path, found.data
        if not is_slow(path):
            reading.bytes_parsed += len(data)
            return
        from_worker = kind_of(path).is_slow
        document = self._documents.read(path, data, found.digest) if from_worker else None
        found.note = parse_note(
            path, data, options, self.count_tokens, collection=collection, document=document
        )
        reading.bytes_parsed += text_bytes(found)

    def _parse(
        self,
        collection: str,
        found: Sequence[NoteBytes],
        options: ChunkOptions,
        reading: ReadResult,
    ) -> None:
        """Split these notes into chunks and add them to the result."""
        unparsed = [UnparsedNote(one.path, one.data) for one in found if one.note is None]
        parsed = iter(self._parsers.parse(collection, unparsed, options))
        for one in found:
            reading.add(one, next(parsed) if one.note is None else one.note)

    @property
    def keeps_code(self) -> bool:
        """Whether fenced code is part of the chunks."""
        return self._options().code_blocks == "keep"

    def _options(self) -> ChunkOptions:
        config = self._settings.current
        code: str = config.security.code_blocks
        if self._choose_code is not None:
            code = self._choose_code(code)
        return ChunkOptions(
            config.indexing.chunk_size,
            config.indexing.chunk_overlap,
            "keep" if code == "keep" else "remove",
        )

    def _files(self, collection: str) -> CollectionFiles:
        """Raises VaultGone for a collection that is not configured (any more)."""
        files = self._current_roots().get(collection)
        if files is None:
            raise VaultGone("missing", collection)
        return files

    def _usable_files(self, collection: str) -> CollectionFiles:
        """The same. Raises VaultGone, too, if the root has become a link to a folder of ragd's own
        or to another collection: its files must not be read under two paths."""
        files = self._files(collection)
        before, now = files.memory.real_path, os.path.realpath(files.root)
        if before != now:
            # The configuration was checked when it was read, so the first path is right.
            if before and self._is_taken(now, files):
                raise VaultGone("overlaps", collection)
            files.memory.real_path = now
        return files

    def _is_taken(self, real_path: str, files: CollectionFiles) -> bool:
        """Whether ragd writes to this folder, or reads it as another collection. It uses no disk
        but that of ragd's own folders: others may hang."""
        others = [one for one in self._current_roots().values() if one is not files]
        taken = [one.memory.real_path or one.root for one in others]
        own = (self._settings.home.root, str(self._settings.vectors))
        taken += map(os.path.realpath, own)
        return any(
            lies_in_by_name(real_path, one) or lies_in_by_name(one, real_path) for one in taken
        )

    def _current_roots(self) -> Mapping[str, CollectionFiles]:
        """The roots, made again if the configuration has changed."""
        config, known = self._settings.current, self._roots
        if known.config is not config:
            # One assignment, because several threads use this reader at once.
            self._roots = known = self._make_roots(config, known.files)
        return known.files

    def _make_roots(self, config: Config, before: Mapping[str, CollectionFiles]) -> _Roots:
        """What is remembered of a root stays, as long as its folder is the same."""
        made: dict[str, CollectionFiles] = {}
        sampled = max(LEAST_SAMPLED, MOST_NOTES // (1 + len(config.collections)))
        for name, path in roots_of(config).items():
            known = before.get(name)
            memory = known.memory if known is not None and known.root == path else None
            memory = memory or RootMemory(path, self._clock.monotonic, self._decompress)
            made[name] = CollectionFiles(name, rules_of(config, name), memory, sampled)
        return _Roots(config, MappingProxyType(made))


def _outer(
    paths: Sequence[str],
    work: Callable[[Sequence[str]], Mapping[str, T]],
    split: Callable[[str], tuple[str, str]],
) -> dict[str, T]:
    """Calls `work` with the paths in their collection; the answer has the paths as given."""
    inner = {split(path)[1]: path for path in paths}
    return {inner[path]: found for path, found in work(list(inner)).items()}
