"""Lines of a note for whoever read a citation: from the vault as it is now, past the same guard.

It reads nothing that does not belong into the index, and says nothing about what else exists.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct, structs

from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.errors import RagdError
from ragd.folds.catalog import Entry
from ragd.guard import injection
from ragd.guard.inspection import inspect
from ragd.guard.live_rules import LiveGuard, confirmations
from ragd.notes.excerpt import Excerpt, ExcerptLimits, excerpt, pieces, pieces_of
from ragd.notes.parse import HIDDEN
from ragd.protocol.tool_schemas import NoteRequest
from ragd.search.query.close_matches import nearest
from ragd.search.query.note_lookup import link_target, named
from ragd.search.results import TRUST, citation, link
from ragd.vault.containment import contained_path
from ragd.vault.files import ChangedWhileRead, NoteMissing, SkipPath, Unreadable, VaultGone
from ragd.vault.threads import NOTES, unavailable_error

# The paths of the notes in the index that have this title.
Titled = Callable[[str], Awaitable[Sequence[str]]]

WITHIN_S = 8.0
ROOM = ExcerptLimits(lines=2_000, characters=200_000)  # for one answer
LISTED = 10  # notes with the same name
TRIES = 3  # of a note that is being written


class NoSuchNote(RagdError):
    """Nothing to be shown at this path, for whatever reason; perhaps a note of a like name."""

    def __init__(self, meant: list[str]) -> None:
        hint = f"Did you mean {' or '.join(f'`{path}`' for path in meant)}?" if meant else None
        super().__init__(
            "INVALID_REQUEST",
            "There is no such note in the vault.",
            hint or "Give the `citation` or the `source_file` of a search result.",
        )


class SeveralNotes(RagdError):
    """A name that more than one note has."""

    def __init__(self, meant: list[str]) -> None:
        listed = " or ".join(f"`{path}`" for path in meant[:LISTED])
        more = f" There are {len(meant) - LISTED} more." if len(meant) > LISTED else ""
        super().__init__(
            "INVALID_REQUEST",
            f"{len(meant)} notes have this name.",
            f"Did you mean {listed}?{more}",
        )


class Notes(Protocol):
    """The vault under the configuration in force."""

    def includes(self, path: str) -> bool: ...

    def read_bytes(self, path: str) -> tuple[bytes, str]: ...


class Looked(Struct, frozen=True):
    """What was read, and what the guard says of it."""

    excerpt: Excerpt
    sha256: str
    sensitive: list[str]
    injection_suspected: bool
    withheld: bool


class Showing:
    """Reads and guards."""

    def __init__(
        self,
        notes: Notes,
        settings: Settings,
        guard: LiveGuard,
        clock: Clock,
        titled: Titled,
    ) -> None:
        self._notes = notes
        self._titled = titled
        self._settings = settings
        self._guard = guard
        self._confirmations = confirmations(clock)

    async def to(self, request: NoteRequest, known: Mapping[str, Entry]) -> dict[str, Any]:
        """The lines, or `withheld` and a token. Raises RagdError for what is refused."""
        request = structs.replace(request, path=contained_path(link_target(request.path)))
        try:
            return await self._shown(request, known)
        except NoSuchNote:
            path = await self._by_name(request.path, known)
            if path is None:
                raise
        return await self._shown(structs.replace(request, path=path), known)

    async def _by_name(self, name: str, known: Mapping[str, Entry]) -> str | None:
        """The one note of this name, if there is one. Raises SeveralNotes if there are more."""
        found = named(name, known) or await self._titled(name)
        meant = [path for path in found if path != name and self._notes.includes(path)]
        if len(meant) > 1:
            raise SeveralNotes(meant)
        return meant[0] if meant else None

    async def _shown(self, request: NoteRequest, known: Mapping[str, Entry]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(WITHIN_S):
                looked = await NOTES.run(self._look, request, known)
        except TimeoutError:
            raise RagdError("TIMEOUT") from None
        except VaultGone as why:
            raise unavailable_error(why) from None
        return self._told(request, looked, known.get(request.path))

    def _look(self, request: NoteRequest, known: Mapping[str, Entry]) -> Looked:
        try:
            data, sha256 = self._read(request.path)
        except NoteMissing:
            raise self._no_such(request.path, known) from None
        except (SkipPath, Unreadable) as why:
            raise _left_out(why.reason) from None
        config = self._settings.current.security
        keep = config.code_blocks == "keep"
        first, last, raw = request.start, request.to, request.raw
        found = excerpt(request.path, data, first, last, raw=raw, code=keep, room=ROOM)
        if not isinstance(found, Excerpt):
            if found.reason == HIDDEN:
                raise self._no_such(request.path, known)
            raise _left_out(found.reason)
        if not found.lines:
            raise _too_short(found.total)
        return self._judged(found, sha256)

    def _read(self, path: str) -> tuple[bytes, str]:
        for _ in range(TRIES):
            try:
                return self._notes.read_bytes(path)
            except ChangedWhileRead:
                continue
        raise RagdError("TIMEOUT", "The note is being written.", "Try again in a moment.")

    def _no_such(self, path: str, known: Mapping[str, Entry]) -> NoSuchNote:
        meant = nearest(path, known.keys() - {path})
        return NoSuchNote([other for other in meant if self._notes.includes(other)])

    def _judged(self, found: Excerpt, sha256: str) -> Looked:
        rules = self._guard.rules
        seen = [inspect(piece, rules) for piece in pieces(found.parts)]
        whole = "\n".join(part.chunk_text for part in found.parts)
        return Looked(
            found,
            sha256,
            sorted({category for one in seen for category in one.categories}),
            any(one.injection_suspected for one in seen)
            or any(map(injection.suspected, pieces_of(whole))),
            any(one.withheld for one in seen),
        )

    def _told(self, request: NoteRequest, looked: Looked, entry: Entry | None) -> dict[str, Any]:
        found, path = looked.excerpt, request.path
        withheld = (
            self._guard.blocks and looked.withheld and not self._confirmations.agreed(request)
        )
        data: dict[str, Any] = {
            "path": path,
            "from": found.first,
            "to": found.last,
            "total_lines": found.total,
            "truncated": found.is_cut or found.last < min(request.to or found.total, found.total),
            "lines_after": found.total - found.last,
            "text": None if withheld else "\n".join(found.lines),
            "citation": citation(path, found.first, found.last),
            "link": link(self._settings.vault.name, path),
            "stale": entry is not None and entry.sha256 != looked.sha256,
            "trust": TRUST,
            "injection_suspected": looked.injection_suspected,
            "sensitive": looked.sensitive,
            "sensitive_detected": looked.withheld,
        }
        if withheld:
            data |= {"withheld": 1, "confirm": self._confirmations.issue(request)}
        return data


def _left_out(reason: str) -> RagdError:
    return RagdError(
        "INVALID_REQUEST",
        f"The note cannot be shown: {reason}.",
        "`ragctl status` lists the files that are left out.",
    )


def _too_short(total: int) -> RagdError:
    lines = "1 line" if total == 1 else f"{total} lines"
    return RagdError("INVALID_REQUEST", f"The note has only {lines}.", "Ask for others.")
