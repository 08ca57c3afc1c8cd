"""Lines of a note, for readers of a citation: read from the vault and inspected by the guard.

It never reads a file that may not be indexed, and never reveals which other files exist.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, structs

from ragd.access.scope import Scope
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.folds.catalog import Entry
from ragd.gateway.consent import Consent
from ragd.gateway.reader_mode import ReaderMode, excerpt_of_passages
from ragd.guard import injection
from ragd.guard.approvals import WithheldText, text_digest
from ragd.guard.inspection import inspect
from ragd.guard.live_rules import LiveGuard
from ragd.notes.documents.kinds import kind_of
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.excerpt import (
    Excerpt,
    ExcerptLimits,
    document_excerpt,
    excerpt,
    pieces,
    split_pieces,
)
from ragd.notes.parse import HIDDEN, Unparsable, document_properties
from ragd.protocol.asker import Asker
from ragd.protocol.citations import citation, spoken_place
from ragd.protocol.tool_schemas import NoteRequest
from ragd.search.query.close_matches import closest_notes
from ragd.search.query.note_lookup import link_target, notes_named
from ragd.search.results import TRUST, obsidian_link
from ragd.vault.collection_paths import collection_of
from ragd.vault.containment import contained_path
from ragd.vault.document_worker import CannotRead
from ragd.vault.files import ChangedWhileRead, FileUnreadable, NoteMissing, SkipPath, VaultGone
from ragd.vault.threads import DOCUMENTS, NOTES, unavailable_error

# Finds the paths of the notes in the index, and in scope, that have this title.
FindByTitle = Callable[[str, Scope], Awaitable[Sequence[str]]]

WITHIN_S = 8.0
ANSWER_ROOM = ExcerptLimits(lines=2_000, characters=200_000)
SAME_NAME_MAX = 10  # notes that an error lists
TRIES = 3  # while the note is being written


class NoSuchNote(RagdError):
    """No note can be shown at this path; `similar` are paths of notes with a similar name."""

    def __init__(self, similar: list[str]) -> None:
        hint = f"Did you mean {' or '.join(f'`{path}`' for path in similar)}?" if similar else None
        super().__init__(
            "INVALID_REQUEST",
            "There is no such note in the vault.",
            hint or "Give the `citation` or the `source_file` of a search result.",
        )


class SeveralNotes(RagdError):
    """More than one note has this name."""

    def __init__(self, paths: list[str]) -> None:
        listed = " or ".join(f"`{path}`" for path in paths[:SAME_NAME_MAX])
        rest = len(paths) - SAME_NAME_MAX
        more = f" There are {rest} more." if rest > 0 else ""
        super().__init__(
            "INVALID_REQUEST",
            f"{len(paths)} notes have this name.",
            f"Did you mean {listed}?{more}",
        )


class NoteBytesReader(Protocol):
    """Reads files of the vault that the configuration in force allows."""

    @property
    def keeps_code(self) -> bool: ...

    def includes(self, path: str) -> bool: ...

    def collection_of(self, path: str) -> str: ...

    def read_bytes(self, path: str) -> tuple[bytes, str]: ...

    def read_document(self, path: str, data: bytes, sha256: str) -> Document | Unreadable: ...


def with_contained_path(request: NoteRequest) -> NoteRequest:
    """The request with the note's path, or its name, in one spelling. Raises RagdError for a path
    that leads outside the vault."""
    return structs.replace(request, path=contained_path(link_target(request.path)))


class InspectedExcerpt(Struct, frozen=True):
    """The lines that were read, and what the guard found in them."""

    excerpt: Excerpt
    sha256: str
    sensitive: list[str]
    injection_suspected: bool
    withheld: bool


class NoteExcerpts:
    """Answers requests for lines."""

    def __init__(
        self,
        notes: NoteBytesReader,
        settings: Settings,
        guard: LiveGuard,
        consent: Consent,
        find_by_title: FindByTitle,
    ) -> None:
        self._notes = notes
        self._find_by_title = find_by_title
        self._settings = settings
        self._guard = guard
        self._consent = consent
        self.reader: ReaderMode | None = None

    async def answer(
        self, request: NoteRequest, known: Mapping[str, Entry], scope: Scope, asker: Asker
    ) -> dict[str, Any]:
        """The lines, or `withheld` and how the user can agree. Raises RagdError for what is
        refused. For a note that is not in scope, the answer is the same as for one that does not
        exist."""
        if not scope.is_everything:
            known = {path: entry for path, entry in known.items() if scope.includes(path)}
        try:
            if not scope.includes(request.path):
                raise await asyncio.to_thread(self._no_such_note, request.path, known)
            return await self._answer_for_path(request, known, asker)
        except NoSuchNote:
            path = await self._path_by_name(request.path, known, scope)
            if path is None:
                raise
        return await self._answer_for_path(structs.replace(request, path=path), known, asker)

    async def _path_by_name(
        self, name: str, known: Mapping[str, Entry], scope: Scope
    ) -> str | None:
        """The one note of this name, if there is one. Raises SeveralNotes if there are more."""
        found = notes_named(name, known) or await self._find_by_title(name, scope)
        paths = [path for path in found if path != name and self._notes.includes(path)]
        if len(paths) > 1:
            raise SeveralNotes(paths)
        return paths[0] if paths else None

    async def _answer_for_path(
        self, request: NoteRequest, known: Mapping[str, Entry], asker: Asker
    ) -> dict[str, Any]:
        if self.reader is not None:
            inspected = await self._from_index(self.reader, request, known)
            return await self._data(request, inspected, known.get(request.path), asker)
        is_slow = kind_of(request.path).is_slow
        lanes = DOCUMENTS if is_slow else NOTES
        lane = lanes.of(self._notes.collection_of(request.path))
        try:
            async with asyncio.timeout(WITHIN_S):
                inspected = await lane.run(self._read_and_inspect, request, known)
        except CannotRead:
            raise _still_being_read() from None
        except TimeoutError:
            raise (_still_being_read() if is_slow else RagdError("TIMEOUT")) from None
        except VaultGone as why:
            raise unavailable_error(why) from None
        return await self._data(request, inspected, known.get(request.path), asker)

    async def _from_index(
        self, reader: ReaderMode, request: NoteRequest, known: Mapping[str, Entry]
    ) -> InspectedExcerpt:
        """A reader has no vault: the passages that are in the index."""
        rows = await reader.read_passages(request.path)
        if not rows:
            raise await asyncio.to_thread(self._no_such_note, request.path, known)
        found = excerpt_of_passages(request, rows, _room(request))
        if found is None:
            raise (
                _no_such_place(request.place)
                if request.place
                else _too_short(max(row.end_line for row in rows))
            )
        return await asyncio.to_thread(self._inspect, found, rows[0].file_sha256)

    def _read_and_inspect(
        self, request: NoteRequest, known: Mapping[str, Entry]
    ) -> InspectedExcerpt:
        try:
            data, sha256 = self._read(request.path)
        except NoteMissing:
            raise self._no_such_note(request.path, known) from None
        except (SkipPath, FileUnreadable) as why:
            raise _cannot_be_shown(why.reason) from None
        found = self._excerpt(request, data, sha256)
        if not isinstance(found, Excerpt):
            if found.reason == HIDDEN:
                raise self._no_such_note(request.path, known)
            raise _cannot_be_shown(found.reason)
        if not found.lines:
            raise _too_short(found.total)
        return self._inspect(found, sha256)

    def _excerpt(self, request: NoteRequest, data: bytes, sha256: str) -> Excerpt | Unparsable:
        path, first, last, place = request.path, request.start, request.to, request.place
        kind = kind_of(path)
        if kind.how == "note":
            if place:
                raise _no_such_place(place)
            keep = self._notes.keeps_code
            raw = request.raw
            return excerpt(path, data, first, last, raw=raw, code=keep, room=_room(request))
        if document_properties(path, data, kind).hidden:
            return Unparsable(HIDDEN)
        document = self._notes.read_document(path, data, sha256)
        if not isinstance(document, Document):
            return Unparsable(document.reason)
        found = document_excerpt(path, document, first, last, place=place, room=_room(request))
        if found is None:
            raise _no_such_place(place)
        return found

    def _read(self, path: str) -> tuple[bytes, str]:
        for _ in range(TRIES):
            try:
                return self._notes.read_bytes(path)
            except ChangedWhileRead:
                continue
        raise RagdError("TIMEOUT", "The note is being written.", "Try again in a moment.")

    def _no_such_note(self, path: str, known: Mapping[str, Entry]) -> NoSuchNote:
        similar = closest_notes(path, known.keys() - {path})
        return NoSuchNote([other for other in similar if self._notes.includes(other)])

    def _inspect(self, found: Excerpt, sha256: str) -> InspectedExcerpt:
        rules = self._guard.rules
        seen = [inspect(piece, rules) for piece in pieces(found.parts)]
        whole = "\n".join(part.chunk_text for part in found.parts)
        return InspectedExcerpt(
            found,
            sha256,
            sorted({category for one in seen for category in one.categories}),
            any(one.injection_suspected for one in seen)
            or any(map(injection.is_suspected, split_pieces(whole))),
            any(one.withheld for one in seen),
        )

    async def _data(
        self,
        request: NoteRequest,
        inspected: InspectedExcerpt,
        entry: Entry | None,
        asker: Asker,
    ) -> dict[str, Any]:
        found, path = inspected.excerpt, request.path
        place = request.place or (found.places[0].name if len(found.places) == 1 else "")
        cited, shown = citation(path, found.first, found.last, place), "\n".join(found.lines)
        withheld: WithheldText | None = None
        if self._guard.blocks(asker) and inspected.withheld:
            text = WithheldText(cited, tuple(inspected.sensitive), text_digest(cited, shown))
            agreed = self._consent.find_agreement(request, asker)
            withheld = None if agreed.covers(text) else text
        data: dict[str, Any] = {
            "path": path,
            "kind": kind_of(path).name,
            "position": place,
            "places": found.places,
            "from": found.first,
            "to": found.last,
            "total_lines": found.total,
            "truncated": found.is_cut or found.last < found.until,
            "lines_after": found.total - found.last,
            "text": None if withheld else shown,
            "citation": cited,
            "collection": collection_of(path, self._settings.current.collections),
            "context": self._settings.contexts.nearest(path),
            "link": obsidian_link(*self._settings.folder_and_file(path), place),
            "stale": entry is not None and entry.sha256 != inspected.sha256,
            "trust": TRUST,
            "injection_suspected": inspected.injection_suspected,
            "sensitive": inspected.sensitive,
            "sensitive_detected": inspected.withheld,
        }
        if withheld:
            data |= await self._consent.ask(request, asker, [withheld])
        return data


def _room(request: NoteRequest) -> ExcerptLimits:
    if request.max_chars is None:
        return ANSWER_ROOM
    return structs.replace(ANSWER_ROOM, characters=min(request.max_chars, ANSWER_ROOM.characters))


def _cannot_be_shown(reason: str) -> RagdError:
    return RagdError(
        "INVALID_REQUEST",
        f"The note cannot be shown: {reason}.",
        "`ragctl status` lists the files that are not indexed.",
    )


def _no_such_place(place: str) -> RagdError:
    shown = spoken_place(place[:60])
    return RagdError(
        "INVALID_REQUEST",
        f"The document has no such place: {shown}.",
        "Give the `citation` of a search result, or the path alone.",
    )


def _still_being_read() -> RagdError:
    """A document takes long to read. The next request finds it in memory."""
    return RagdError("TIMEOUT", "The document is still being read.", "Try again in a moment.")


def _too_short(total: int) -> RagdError:
    lines = "1 line" if total == 1 else f"{total} lines"
    return RagdError("INVALID_REQUEST", f"The note has only {lines}.", "Ask for earlier lines.")
