"""Scans the vault, reads its notes and splits them into chunks. Synchronous: call it in a thread.

A problem with a file is returned as a value with a phrase from a closed list. It never raises for
a file's content, and never puts the content in a message.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files as resources
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field

from ragd.batch.in_flight import ReadFile
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.config.schema import IndexingSettings
from ragd.events import LanguageCount, TemplateFolder, TouchedFile
from ragd.folds.catalog import Entry
from ragd.folds.times import iso_of_ns
from ragd.notes.model import ChunkOptions
from ragd.notes.parse import Unparsable, fingerprint, parse_note
from ragd.notes.wordpiece import WordPiece
from ragd.vault.code_sample import CodeSample
from ragd.vault.file_patterns import NotePatterns
from ragd.vault.files import (
    ChangedWhileRead,
    FileStat,
    NoteFile,
    NoteMissing,
    PathKind,
    RootIdentity,
    SkipPath,
    Unreadable,
    VaultFiles,
    VaultGone,
)
from ragd.vault.folder_rules import FolderRules
from ragd.vault.language_sample import LanguageSample
from ragd.vault.leftover_files import why_skipped
from ragd.vault.move_matching import match_moves, possible_moves

__all__ = ["NoteReader", "PathKind", "ReadResult", "RootIdentity", "VaultGone", "VaultScan"]


ChooseCode = Callable[[str], str]  # from `security.code_blocks`: "keep" or "remove"


class VaultScan(Struct):
    """The vault as one walk saw it. Notes in `unreadable_folders` may still exist."""

    notes: list[NoteFile]
    skipped: list[tuple[str, str]]
    unreadable_folders: list[str]
    newest_mtime: str | None
    began: str
    identity: RootIdentity  # of the root
    began_seq: int = 0  # the last record before it began
    folders: list[str] = field(default_factory=list)  # that were listed, without the root
    templates: list[TemplateFolder] = field(default_factory=list)  # that were skipped
    languages: list[LanguageCount] = field(default_factory=list)  # of a sample of notes
    code_percent: int | None = None  # how much of the text of a sample is fenced code


class ReadResult(Struct):
    """What a read found at each of its paths."""

    files: list[ReadFile] = field(default_factory=list)
    touched: list[TouchedFile] = field(default_factory=list)  # the same content as before
    gone: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)  # changed while they were being read
    left: list[str] = field(default_factory=list)  # not read: the byte limit was reached


class _CompiledRules(NamedTuple):
    """The rules for folders and file names, and what they were compiled from."""

    indexing: IndexingSettings
    templates: tuple[str, ...]
    folders: FolderRules
    patterns: NotePatterns


MOST_HASHED = 10_000  # remembered hashes of moved notes
SAMPLED = 200  # known notes that are checked to recognise a vault


class NoteReader:
    """The notes of the configured vault, by the current configuration.

    Several actors share it, and call it in several threads at once. All that it remembers is
    immutable or replaced in one assignment, and a lost update only means that a note is read again.
    """

    def __init__(
        self, settings: Settings, clock: Clock, choose_code: ChooseCode | None = None
    ) -> None:
        self._settings = settings
        self._choose_code = choose_code
        self._clock = clock
        vocabulary = resources("ragd").joinpath("data", "vocab.txt").read_text("utf-8")
        self.count_tokens = WordPiece(vocabulary).count
        self._vault = VaultFiles(str(settings.vault))
        self._languages = LanguageSample(self._read_or_nothing, clock.monotonic)
        self._code = CodeSample(self._read_or_nothing, clock.monotonic)
        self._identity: RootIdentity | None = None
        self._templates: tuple[str, ...] = ()
        self._hashed: dict[str, tuple[NoteFile, str]] = {}  # what `find_moves` has read
        self._compiled: _CompiledRules | None = None

    @property
    def root(self) -> Path:
        return Path(self._vault.root)

    @property
    def fingerprint(self) -> str:
        """A hash of everything that decides how a note is split into chunks."""
        return fingerprint(self._options())

    def scan(self, *, may_be_empty: bool, known: Sequence[str] = ()) -> VaultScan:
        """All notes. Raises VaultGone when the root is missing, on another device, or empty (unless
        it `may_be_empty`). A disk may come back with another device number: if most of the `known`
        notes are on it, it is the same disk."""
        began = self._clock.now()
        try:
            return self._scan(began)
        except VaultGone as why:
            if why.reason == "moved" and self._are_most_present(known):
                self._identity = None
                return self._scan(began)
            if why.reason == "empty" and may_be_empty:
                return VaultScan([], [], [], None, began, self._vault.identity())
            raise

    def _are_most_present(self, known: Sequence[str]) -> bool:
        some = known[:: max(1, len(known) // SAMPLED)]
        present = self._vault.kinds(some) if some else {}
        return len(present) * 2 > len(some)

    def _scan(self, began: str) -> VaultScan:
        self._templates = self._vault.template_folders()
        found = self._vault.scan(
            self._rules(), self._settings.current.indexing.file_patterns, self._identity
        )
        self._identity = found.identity
        paths = [note.path for note in found.notes]
        newest = max((note.mtime_ns for note in found.notes), default=None)
        return VaultScan(
            found.notes,
            [(one.path, one.reason) for one in found.skipped],
            found.unreadable_folders,
            None if newest is None else iso_of_ns(newest),
            began,
            found.identity,
            folders=found.folders,
            templates=[TemplateFolder(path, notes) for path, notes in found.templates],
            languages=[
                LanguageCount(code, notes)
                for code, notes in self._languages.count_languages(paths).items()
            ],
            code_percent=self._code.percent(paths),
        )

    def _read_or_nothing(self, path: str) -> bytes:
        """The bytes of a note; none if it cannot be read now."""
        try:
            return self._vault.read(path)[0]
        except (NoteMissing, ChangedWhileRead, SkipPath, Unreadable):
            return b""

    def verify_root(self) -> None:
        """Raises VaultGone unless the vault is the one that was scanned, and not empty."""
        self._vault.verify(self._identity)

    def why_gone(self) -> str | None:
        """Why the vault cannot be used: a reason of VaultGone; None if it can."""
        try:
            self.verify_root()
        except VaultGone as why:
            return why.reason
        except OSError:
            return "unreadable"
        return None

    def kinds(self, paths: Sequence[str]) -> dict[str, PathKind]:
        """What is at each of these paths now. Raises VaultGone."""
        return self._vault.kinds(paths)

    def includes(self, path: str) -> bool:
        """Whether a note at this path belongs in the index."""
        prefix, _, name = path.rpartition("/")
        if why_skipped(name) is not None or not self._patterns().match(
            f"{prefix}/" * bool(prefix), name
        ):
            return False
        return self._rules().permits(path)

    def includes_folder(self, folder: str) -> bool:
        """Whether notes of this folder may be in the index, by the current configuration."""
        return self._rules().permits(f"{folder}/-")

    def stat_notes(self, paths: Iterable[str]) -> dict[str, FileStat | None]:
        """The size and times of these notes now; None for one that is gone.

        Raises VaultGone if the vault itself is missing: then nothing is known about them.
        """
        found = dict(self._vault.stat(paths))
        if None in found.values():
            try:
                self.verify_root()
            except OSError:
                raise VaultGone("unreadable") from None
        return found

    def find_moves(
        self, missing: Mapping[str, Entry], appeared: Sequence[NoteFile], known: Mapping[str, str]
    ) -> dict[str, str]:
        """New path -> old path, for notes whose content appeared at another path.

        `known`: the hashes that the index has for paths that appeared. Such a path counts only if
        its content is new.
        """
        hashed: dict[str, tuple[NoteFile, str]] = {}
        for file in possible_moves(missing.values(), appeared):
            before = self._hashed.get(file.path)
            try:
                digest = before[1] if before and before[0] == file else self._hash_of(file.path)
            except (NoteMissing, ChangedWhileRead, SkipPath, Unreadable):
                continue
            hashed[file.path] = (file, digest)
        # The next call does not read these again.
        self._hashed = hashed if len(hashed) <= MOST_HASHED else {}
        new = {path: sha for path, (_, sha) in hashed.items() if known.get(path) != sha}
        return match_moves({path: entry.sha256 for path, entry in missing.items()}, new)

    def _hash_of(self, path: str) -> str:
        return hashlib.sha256(self._vault.read(path)[0]).hexdigest()

    def read_bytes(self, path: str) -> tuple[bytes, str]:
        """One note as it is now, and its SHA-256. NoteMissing if it does not belong in the index.

        Raises ChangedWhileRead, SkipPath, Unreadable, and VaultGone if the vault itself is missing.
        """
        if not self.includes(path):
            raise NoteMissing(path)
        try:
            data, _ = self._vault.read(path)
        except NoteMissing:
            self.verify_root()
            raise
        return data, hashlib.sha256(data).hexdigest()

    def read(
        self,
        paths: Sequence[str],
        known: Mapping[str, Entry],
        *,
        again: bool = False,
        room: int | None = None,
    ) -> ReadResult:
        """Read these notes and split them into chunks. A note with its `known` content is not split
        unless `again`. After `room` bytes, the rest is left for another call."""
        reading = ReadResult()
        options = self._options()
        read = 0
        for position, path in enumerate(paths):
            if room is not None and read >= room:
                reading.left = list(paths[position:])
                break
            if not self.includes(path):
                reading.gone.append(path)
                continue
            try:
                read += self._read_one(path, known.get(path), options, again, reading)
            except NoteMissing:
                reading.gone.append(path)
            except SkipPath as why:
                reading.skipped.append((path, why.reason))
            except ChangedWhileRead:
                reading.unstable.append(path)
            except Unreadable as why:
                reading.failed.append((path, why.reason))
        return reading

    def _read_one(
        self,
        path: str,
        known: Entry | None,
        options: ChunkOptions,
        again: bool,
        reading: ReadResult,
    ) -> int:
        """Add one note to the result; returns the number of bytes that were parsed."""
        data, facts = self._vault.read(path)
        digest = hashlib.sha256(data).hexdigest()
        if known is not None and known.sha256 == digest and not again:
            times = (facts.mtime_ns, facts.size, digest, facts.ctime_ns)
            reading.touched.append(TouchedFile(path, *times))
            return 0
        note = parse_note(path, data, options, self.count_tokens)
        if isinstance(note, Unparsable):
            reading.failed.append((path, note.reason))
        elif note.hidden is not None:
            reading.skipped.append((path, note.hidden))
        else:
            times_and_note = (facts.mtime_ns, facts.size, note, facts.ctime_ns)
            reading.files.append(ReadFile(path, digest, *times_and_note))
        return len(data)

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

    def _patterns(self) -> NotePatterns:
        return self._current_rules().patterns

    def _rules(self) -> FolderRules:
        return self._current_rules().folders

    def _current_rules(self) -> _CompiledRules:
        """The rules, compiled again if the configuration or the template folders have changed."""
        indexing, templates = self._settings.current.indexing, self._templates
        known = self._compiled
        if known is None or (known.indexing, known.templates) != (indexing, templates):
            skipped = templates if indexing.templates == "skip" else ()
            folders = FolderRules(indexing.allow_dirs, indexing.deny_dirs, skipped)
            patterns = NotePatterns(indexing.file_patterns)
            # One assignment, because several threads use this reader at once.
            self._compiled = known = _CompiledRules(indexing, templates, folders, patterns)
        return known
