"""Reads notes from the vault and cuts them: what a batch is made of. Synchronous, for a thread.

Whatever is wrong with a file comes back as a value with a phrase from a closed list; it never
raises for a file's content, and never lets the content into a message.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files as resources
from pathlib import Path

from msgspec import Struct, field

from ragd.batch.in_flight import ReadFile
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.config.schema import Indexing
from ragd.events import LanguageCount, TemplateFolder, TouchedFile
from ragd.folds.catalog import Entry
from ragd.folds.times import iso_of_ns
from ragd.notes.model import ChunkOptions
from ragd.notes.parse import Failed, fingerprint, parse_note
from ragd.notes.wordpiece import WordPiece
from ragd.vault.file_patterns import NotePatterns
from ragd.vault.files import (
    Identity,
    Kind,
    Missing,
    Moved,
    Seen,
    Stat,
    Unfit,
    Unreadable,
    Vault,
    VaultGone,
)
from ragd.vault.folder_rules import FolderRules
from ragd.vault.language_sample import LanguageSample
from ragd.vault.leftover_files import why_not
from ragd.vault.move_matching import match, possible

__all__ = ["Identity", "Kind", "Notes", "Reading", "Scanned", "VaultGone"]


class Scanned(Struct):
    """The vault as one walk saw it; nothing can be said of notes below `unknown` folders."""

    seen: list[Seen]
    skipped: list[tuple[str, str]]
    unknown: list[str]
    newest_mtime: str | None
    began: str
    identity: Identity  # of the root
    began_seq: int = 0  # the last record before it began
    folders: list[str] = field(default_factory=list)  # those that were listed, without the root
    templates: list[TemplateFolder] = field(default_factory=list)  # those that were left out
    languages: list[LanguageCount] = field(default_factory=list)  # of a sample of notes


class Reading(Struct):
    """What became of each path that was to be read."""

    files: list[ReadFile] = field(default_factory=list)
    touched: list[TouchedFile] = field(default_factory=list)  # the same content, another time
    gone: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)  # changed while they were read
    left: list[str] = field(default_factory=list)  # not read any more: there was no room


MOST_HASHED = 10_000  # hashes of moved notes that are remembered
SAMPLED = 200  # of the known notes, when a vault is to be recognised


class Notes:
    """The notes of the configured vault, under the configuration in force."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        vocabulary = resources("ragd").joinpath("data", "vocab.txt").read_text("utf-8")
        self.count_tokens = WordPiece(vocabulary).count
        self._vault = Vault(str(settings.vault))
        self._languages = LanguageSample(self._beginning_of, clock.monotonic)
        self._identity: Identity | None = None
        self._templates: tuple[str, ...] = ()
        self._hashed: dict[str, tuple[Seen, str]] = {}  # what `moved_notes` has read
        self._made = (FolderRules(), NotePatterns(()))
        self._made_from: tuple[Indexing, tuple[str, ...]] | None = None

    @property
    def root(self) -> Path:
        return Path(self._vault.root)

    @property
    def fingerprint(self) -> str:
        """What decides which chunks come out of a note."""
        return fingerprint(self._options())

    def scan(self, *, may_be_empty: bool, known: Sequence[str] = ()) -> Scanned:
        """All notes. Raises VaultGone when the root is missing or on another device; an empty one
        is as good as missing, unless nothing was ever in it. A disk may come back under another
        number: if most of the notes that are `known` are there, it is the same."""
        began = self._clock.now()
        try:
            return self._scan(began)
        except VaultGone as why:
            if why.reason == "moved" and self._are_most_there(known):
                self._identity = None
                return self._scan(began)
            if why.reason == "empty" and may_be_empty:
                return Scanned([], [], [], None, began, self._vault.identity())
            raise

    def _are_most_there(self, known: Sequence[str]) -> bool:
        some = known[:: max(1, len(known) // SAMPLED)]
        there = self._vault.kinds(some) if some else {}
        return len(there) * 2 > len(some)

    def _scan(self, began: str) -> Scanned:
        self._templates = self._vault.template_folders()
        found = self._vault.scan(
            self._rules(), self._settings.current.indexing.file_patterns, self._identity
        )
        self._identity = found.identity
        newest = max((seen.mtime_ns for seen in found.seen), default=None)
        return Scanned(
            found.seen,
            [(one.path, one.reason) for one in found.skipped],
            found.unknown,
            None if newest is None else iso_of_ns(newest),
            began,
            found.identity,
            folders=found.folders,
            templates=[TemplateFolder(path, notes) for path, notes in found.templates],
            languages=[
                LanguageCount(code, notes)
                for code, notes in self._languages.of([seen.path for seen in found.seen]).items()
            ],
        )

    def _beginning_of(self, path: str) -> bytes:
        """What a note's language is told by; nothing of a note that cannot be read now."""
        try:
            return self._vault.read(path)[0]
        except (Missing, Moved, Unfit, Unreadable):
            return b""

    def verify_root(self) -> None:
        """Raises VaultGone unless the vault is the one that was scanned, with something in it."""
        self._vault.verify(self._identity)

    def why_gone(self) -> str | None:
        """Why the vault is not there: a reason of VaultGone; None if it is."""
        try:
            self.verify_root()
        except VaultGone as why:
            return why.reason
        except OSError:
            return "unreadable"
        return None

    def kinds(self, paths: Sequence[str]) -> dict[str, Kind]:
        """What is at each of these paths now, if anything is. Raises VaultGone."""
        return self._vault.kinds(paths)

    def concerns(self, path: str) -> bool:
        """Whether a note at this path belongs into the index."""
        prefix, _, name = path.rpartition("/")
        if why_not(name) is not None or not self._patterns().match(
            f"{prefix}/" * bool(prefix), name
        ):
            return False
        return self._rules().permits(path)

    def enters(self, folder: str) -> bool:
        """Whether notes of this folder may be in the index, by the configuration in force."""
        return self._rules().permits(f"{folder}/-")

    def look(self, paths: Iterable[str]) -> dict[str, Stat | None]:
        """The facts about these notes as they are now, None for one that is gone.

        Raises VaultGone when it is the vault itself that is away: then nothing is known of them.
        """
        found = dict(self._vault.stat(paths))
        if None in found.values():
            try:
                self.verify_root()
            except OSError:
                raise VaultGone("unreadable") from None
        return found

    def moves(
        self, missing: Mapping[str, Entry], appeared: Sequence[Seen], known: Mapping[str, str]
    ) -> dict[str, str]:
        """New path -> old path, for notes whose content appeared at another path.

        `known`: the hashes that the index has for paths that appeared. Such a path accounts for a
        missing one only with new content.
        """
        hashed: dict[str, tuple[Seen, str]] = {}
        for file in possible(missing.values(), appeared):
            before = self._hashed.get(file.path)
            try:
                digest = before[1] if before and before[0] == file else self._hash_of(file.path)
            except (Missing, Moved, Unfit, Unreadable):
                continue
            hashed[file.path] = (file, digest)
        self._hashed = hashed if len(hashed) <= MOST_HASHED else {}  # not to be read again
        new = {path: sha for path, (_, sha) in hashed.items() if known.get(path) != sha}
        return match({path: entry.sha256 for path, entry in missing.items()}, new)

    def _hash_of(self, path: str) -> str:
        return hashlib.sha256(self._vault.read(path)[0]).hexdigest()

    def bytes_of(self, path: str) -> tuple[bytes, str]:
        """One note as it is now, and its SHA-256. Missing where none belongs into the index.

        Raises Moved, Unfit, Unreadable, and VaultGone when it is the vault itself that is away.
        """
        if not self.concerns(path):
            raise Missing(path)
        try:
            data, _ = self._vault.read(path)
        except Missing:
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
    ) -> Reading:
        """Read and cut; what the catalog knows already is left alone, unless `again`. After `room`
        bytes the rest is left for another time."""
        reading = Reading()
        options = self._options()
        read = 0
        for place, path in enumerate(paths):
            if room is not None and read >= room:
                reading.left = list(paths[place:])
                break
            if not self.concerns(path):
                reading.gone.append(path)
                continue
            try:
                read += self._read_one(path, known.get(path), options, again, reading)
            except Missing:
                reading.gone.append(path)
            except Unfit as why:
                reading.skipped.append((path, why.reason))
            except Moved:
                reading.unstable.append(path)
            except Unreadable as why:
                reading.failed.append((path, why.reason))
        return reading

    def _read_one(
        self, path: str, known: Entry | None, options: ChunkOptions, again: bool, reading: Reading
    ) -> int:
        """How many bytes it had."""
        data, facts = self._vault.read(path)
        digest = hashlib.sha256(data).hexdigest()
        if known is not None and known.sha256 == digest and not again:
            times = (facts.mtime_ns, facts.size, digest, facts.ctime_ns)
            reading.touched.append(TouchedFile(path, *times))
            return 0  # nothing of it is kept
        note = parse_note(path, data, options, self.count_tokens)
        if isinstance(note, Failed):
            reading.failed.append((path, note.reason))
        elif note.hidden is not None:
            reading.skipped.append((path, note.hidden))
        else:
            times_and_note = (facts.mtime_ns, facts.size, note, facts.ctime_ns)
            reading.files.append(ReadFile(path, digest, *times_and_note))
        return len(data)

    def _options(self) -> ChunkOptions:
        config = self._settings.current
        return ChunkOptions(
            config.indexing.chunk_size,
            config.indexing.chunk_overlap,
            config.security.code_blocks,
        )

    def _patterns(self) -> NotePatterns:
        self._refresh()
        return self._made[1]

    def _rules(self) -> FolderRules:
        self._refresh()
        return self._made[0]

    def _refresh(self) -> None:
        """What the configuration says, made ready once for each configuration."""
        indexing = self._settings.current.indexing
        source = (indexing, self._templates)
        if source != self._made_from:
            templates = self._templates if indexing.templates == "skip" else ()
            rules = FolderRules(indexing.allow_dirs, indexing.deny_dirs, templates)
            self._made = (rules, NotePatterns(indexing.file_patterns))
            self._made_from = source
