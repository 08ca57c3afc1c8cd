"""The tools that read on from a result: more of its note, and the notes related to it.

It contains no HTTP. A note outside the scope is answered like one that does not exist.
"""

from typing import Any, NamedTuple, Protocol

from msgspec import structs

from ragd.access.scope import Scope
from ragd.gateway.access_control import AccessControl
from ragd.gateway.consent import consent_error
from ragd.gateway.note_excerpts import NoSuchNote, NoteExcerpts, with_contained_path
from ragd.guard.live_rules import LiveGuard
from ragd.protocol.agent_requests import ReadNoteRequest, RelatedRequest
from ragd.protocol.asker import Asker
from ragd.protocol.citations import parse_citation
from ragd.protocol.envelope import ErrorBody
from ragd.protocol.tool_schemas import NoteRequest
from ragd.search.related_notes import RelatedNote
from ragd.state.ledger import Ledger


class RelatedSearch(Protocol):
    """Finds related notes; None if the index does not have the note."""

    async def find_related(
        self, path: str, most: int, scope: Scope
    ) -> list[RelatedNote] | None: ...


class ReadAnswer(NamedTuple):
    """The lines, and why they are incomplete if they are."""

    data: dict[str, Any]
    code: str | None
    error: ErrorBody | None
    scope: Scope


class NoteTools:
    """Answers the two tools."""

    def __init__(
        self,
        ledger: Ledger,
        excerpts: NoteExcerpts,
        searcher: RelatedSearch,
        access: AccessControl,
        guard: LiveGuard,
    ) -> None:
        self._ledger = ledger
        self._excerpts = excerpts
        self._searcher = searcher
        self._access = access
        self._guard = guard

    async def read(self, request: ReadNoteRequest, asker: Asker) -> ReadAnswer:
        """Lines or a place of a note."""
        wanted = with_contained_path(note_request(request))
        scope = self._access.scope_of_note(asker, wanted.path)
        data = await self._excerpts.answer(wanted, self._ledger.state.catalog.files, scope, asker)
        code = "SENSITIVE_FILTERED" if "withheld" in data else None
        return ReadAnswer(data, code, consent_error(data), scope)

    async def related(self, request: RelatedRequest, asker: Asker) -> tuple[dict[str, Any], Scope]:
        """The notes related to a note, and the scope of the answer."""
        path = with_contained_path(NoteRequest(parse_citation(request.path).path)).path
        scope = self._access.scope_of_note(asker, path)
        found = None
        if scope.includes(path):
            found = await self._searcher.find_related(path, request.max_results, scope)
        if found is None:
            raise NoSuchNote([])
        shown = [
            one
            for one in found
            if not self._guard.withholds("\n".join((one.path, one.title, *one.why)), asker)
        ]
        data: dict[str, Any] = {"path": path, "related": shown}
        if len(shown) < len(found):
            data["withheld"] = len(found) - len(shown)
        return data, scope


def note_request(request: ReadNoteRequest) -> NoteRequest:
    """The same as a request for lines. The path may be a citation, unless the lines are named."""
    cited = parse_citation(request.path)
    start, to = request.start or 1, None
    if request.start is None and cited.first is not None and request.most is None:
        start, to = cited.first, cited.last
    elif request.most is not None:
        start = request.start or cited.first or 1
        to = start + request.most - 1
    place = cited.place if request.start is None else ""
    made = NoteRequest(cited.path, start, to, place=place, confirm=request.confirm)
    return structs.replace(made, max_chars=request.max_chars)
