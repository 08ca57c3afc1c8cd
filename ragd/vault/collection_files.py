"""One root of notes: its files, and the rules that decide which of them are read.

All paths are relative to the root, but those of scanned notes. It is synchronous: call it in a
thread. It never writes.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from ragd.folds.times import iso_of_ns
from ragd.vault.collection_paths import SESSION_DATABASE, VAULT, prefix_of
from ragd.vault.file_patterns import NotePatterns
from ragd.vault.files import (
    ChangedWhileRead,
    FileStat,
    FileUnreadable,
    NoteFile,
    NoteMissing,
    PathKind,
    RootIdentity,
    SkipPath,
    SkippedPath,
    VaultFiles,
    VaultGone,
)
from ragd.vault.folder_rules import FolderRules
from ragd.vault.leftover_files import why_skipped
from ragd.vault.note_sample import NoteSample
from ragd.vault.reading_rules import ReadingRules
from ragd.vault.session_database import Decompress, SessionDatabase
from ragd.vault.session_files import SessionFiles

MOST_HASHED = 10_000  # remembered hashes of notes that may have been moved
MOST_INCLUDED = 4_096  # paths, about 0.1 KB each
SAMPLED = 200  # known notes that are checked to recognise a root


class RootMemory:
    """What is remembered of a root while the daemon runs, also when its rules change.

    Threads share it. All that it holds is immutable or replaced in one assignment, and a lost
    update only means that something is read again.
    """

    def __init__(
        self, root: str, monotonic: Callable[[], float], decompress: Decompress | None = None
    ) -> None:
        """`decompress`: for messages in a database."""
        self.files: VaultFiles | SessionDatabase = (
            SessionDatabase(root, decompress)
            if Path(root).name == SESSION_DATABASE
            else VaultFiles(root)
        )
        self.identity: RootIdentity | None = None
        self.real_path = ""  # of the root, when it was last compared with other folders
        self.templates: tuple[str, ...] = ()
        self.hashed: dict[str, tuple[NoteFile, str]] = {}
        self.sample = NoteSample(self._read_or_nothing, monotonic)
        self.sessions = SessionFiles(self.files.read_part)

    def _read_or_nothing(self, path: str) -> bytes:
        """The bytes of a note; none if it cannot be read now."""
        try:
            return self.files.read(path)[0]
        except (NoteMissing, ChangedWhileRead, SkipPath, FileUnreadable):
            return b""


class CollectionScan(Struct):
    """One root as one walk saw it. Notes in `unreadable_folders` may still exist."""

    notes: list[NoteFile]  # by their paths in the path space of all collections
    identity: RootIdentity
    skipped: list[SkippedPath] = field(default_factory=list)
    unreadable_folders: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)  # that were listed, without the root
    templates: list[tuple[str, int]] = field(default_factory=list)  # skipped, and notes in each
    languages: dict[str, int] = field(default_factory=dict)  # of a sample of notes
    newest_mtime: str | None = None
    not_included: dict[str, int] = field(default_factory=dict)  # that no pattern includes, by kind
    code_percent: int | None = None  # of the text of a sample of the vault's notes
    root: str = ""  # its folder or database


class _CompiledRules(NamedTuple):
    templates: tuple[str, ...]
    folders: FolderRules
    patterns: NotePatterns
    included: dict[str, bool]  # what these rules decided for the paths that were asked last


class CollectionFiles:
    """The notes of one root, by one version of its rules."""

    def __init__(self, name: str, rules: ReadingRules, memory: RootMemory, sampled: int) -> None:
        """`sampled`: how many of its notes a sample reads."""
        self.name = name
        self.rules = rules
        self.memory = memory
        self._sampled = sampled
        self._compiled: _CompiledRules | None = None

    @property
    def root(self) -> str:
        return self.memory.files.root

    @property
    def is_polled(self) -> bool:
        """Whether changes show only in scans: the system can watch files, not what is in one."""
        return isinstance(self.memory.files, SessionDatabase)

    def scan(self, *, may_be_empty: bool, known: Sequence[str] = ()) -> CollectionScan:
        """All notes. Raises VaultGone when the root is missing, on another device, or empty (unless
        it `may_be_empty`). A disk may come back with another device number: if most of the `known`
        notes (by their paths in this root) are on it, it is the same disk."""
        may_be_empty = may_be_empty or self.rules.may_be_empty
        with self._naming():
            try:
                return self._scan()
            except VaultGone as why:
                if why.reason == "moved" and self._are_most_present(known):
                    self.memory.identity = None
                    return self._scan()
                if why.reason == "empty" and may_be_empty:
                    return CollectionScan([], self.memory.files.identity(), root=self.root)
                raise

    def _are_most_present(self, known: Sequence[str]) -> bool:
        some = known[:: max(1, len(known) // SAMPLED)]
        present = self.memory.files.kinds(some) if some else {}
        return len(present) * 2 > len(some)

    def _scan(self) -> CollectionScan:
        memory = self.memory
        memory.templates = memory.files.template_folders()
        rules = self._current_rules()
        # A walk makes each path once: adding the name of the collection later costs more.
        prefix = prefix_of(self.name)
        found = memory.files.scan(rules.folders, self.rules.patterns, memory.identity, prefix)
        memory.identity = found.identity
        sample = memory.sample
        if sample.is_due(len(found.notes)):
            sample.measure([note.path[len(prefix) :] for note in found.notes], self._sampled)
        newest = max(map(attrgetter("mtime_ns"), found.notes), default=None)
        return CollectionScan(
            found.notes,
            found.identity,
            found.skipped,
            found.unreadable_folders,
            found.folders,
            found.templates,
            sample.last.languages,
            None if newest is None else iso_of_ns(newest),
            found.not_included,
            sample.last.code_percent if self.name == VAULT else None,
            self.root,
        )

    def verify_root(self) -> None:
        """Raises VaultGone unless the root is the one that was scanned, and not empty."""
        with self._naming():
            self._verify()

    def _verify(self) -> None:
        try:
            self.memory.files.verify(self.memory.identity)
        except VaultGone as why:
            if why.reason != "empty" or not self.rules.may_be_empty:
                raise

    def includes(self, path: str) -> bool:
        """Whether a note at this path belongs in the index."""
        rules = self._current_rules()
        known = rules.included.get(path)
        if known is None:
            if len(rules.included) >= MOST_INCLUDED:
                rules.included.clear()
            known = rules.included[path] = self._may_include(path, rules)
        return known

    def _may_include(self, path: str, rules: _CompiledRules) -> bool:
        prefix, _, name = path.rpartition("/")
        if why_skipped(name) is not None or not rules.patterns.match(
            f"{prefix}/" * bool(prefix), name
        ):
            return False
        return rules.folders.permits(path)

    def includes_folder(self, folder: str) -> bool:
        """Whether notes of this folder may be in the index."""
        return self._current_rules().folders.permits(f"{folder}/-" if folder else "-")

    def kinds(self, paths: Sequence[str]) -> dict[str, PathKind]:
        """What is at each of these paths now. Raises VaultGone."""
        with self._naming():
            return self.memory.files.kinds(paths)

    def stat(self, paths: Sequence[str]) -> dict[str, FileStat | None]:
        """The size and times of these notes now; None for one that is gone.

        Raises VaultGone if the root itself is missing: then nothing is known about them.
        """
        with self._naming():
            found = dict(self.memory.files.stat(paths))
            if None in found.values():
                self._verify()
            return found

    def read(self, path: str) -> tuple[bytes, FileStat]:
        """As VaultFiles.read; VaultGone names the collection."""
        with self._naming():
            return self.memory.files.read(path)

    def hash_notes(self, files: Sequence[NoteFile]) -> dict[str, str]:
        """The SHA-256 of these notes, without those that cannot be read now. The next call does
        not read the same ones again."""
        before = self.memory.hashed
        hashed: dict[str, tuple[NoteFile, str]] = {}
        for file in files:
            known = before.get(file.path)
            try:
                digest = known[1] if known and known[0] == file else self._hash_of(file.path)
            except (NoteMissing, ChangedWhileRead, SkipPath, FileUnreadable):
                continue
            hashed[file.path] = (file, digest)
        self.memory.hashed = hashed if len(hashed) <= MOST_HASHED else {}
        return {path: digest for path, (_, digest) in hashed.items()}

    def _hash_of(self, path: str) -> str:
        return hashlib.sha256(self.read(path)[0]).hexdigest()

    def _current_rules(self) -> _CompiledRules:
        """The rules, compiled again if the template folders have changed."""
        templates = self.memory.templates if self.rules.skips_templates else ()
        known = self._compiled
        if known is None or known.templates != templates:
            rules = self.rules
            folders = FolderRules(rules.allow_dirs, rules.deny_dirs, templates, rules.taken)
            # One assignment, because several threads use this at once.
            known = _CompiledRules(templates, folders, NotePatterns(rules.patterns), {})
            self._compiled = known
        return known

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Names this collection in a VaultGone."""
        try:
            yield
        except VaultGone as why:
            why.collection = self.name
            raise
        except OSError:
            raise VaultGone("unreadable", self.name) from None
