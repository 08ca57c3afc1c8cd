"""The routes of the socket: each reads its request, calls the module that does the work, and
answers with an envelope.

It never shows an exception, and decides nothing itself.
"""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

from aiohttp import web

from ragd.access.scope import private_names
from ragd.access.tokens import may_use
from ragd.clock import Clock
from ragd.config.live_settings import Settings
from ragd.config.reload import ConfigReload
from ragd.embed.vector_progress import VectorProgress
from ragd.errors import ConfigError, RagdError
from ragd.gateway.access_control import AccessControl, asker_of, for_owner, for_person
from ragd.gateway.consent import Consent, consent_error
from ragd.gateway.coverage import Coverage
from ragd.gateway.dropped_notes import until_dropped
from ragd.gateway.envelopes import Envelopes
from ragd.gateway.event_stream import event_lines
from ragd.gateway.fact_recorder import NAME, FactRecorder
from ragd.gateway.http_server import http_status, json_response, read_body
from ragd.gateway.job_stream import JobStream
from ragd.gateway.jobs import JobControl
from ragd.gateway.listed_memories import with_sensitive_kinds, without_sensitive_memories
from ragd.gateway.lost_dependencies import LossRecorder
from ragd.gateway.memory_tools import MemoryTools
from ragd.gateway.never_folders import NeverFolders
from ragd.gateway.note_excerpts import (
    NoSuchNote,
    NoteBytesReader,
    NoteExcerpts,
    with_contained_path,
)
from ragd.gateway.note_tools import NoteTools, RelatedSearch
from ragd.gateway.open_streams import OpenStreams
from ragd.gateway.pause import PauseControl
from ragd.gateway.reader_mode import Follower, ReaderMode
from ragd.gateway.recent_notes import BY_DEFAULT, RecentNotes
from ragd.gateway.refusals import RECORD_EVERY_S, Refusals, without_withheld_names
from ragd.gateway.search_answers import PassageSearch, SearchAnswers
from ragd.gateway.status import pause_data
from ragd.gateway.timeline import DAYS_BY_DEFAULT, Timeline
from ragd.gateway.token_gate import TokenGate
from ragd.gateway.token_routes import TokenRoutes
from ragd.gateway.token_store import TokenStore
from ragd.gateway.tools import Tools, ms_since
from ragd.gateway.url_parameters import (
    parse_coverage_request,
    parse_event_types,
    parse_note_request,
    parse_whole_number,
    refuse_unknown_parameters,
)
from ragd.guard.live_rules import LiveGuard
from ragd.memories.agent_notes import AgentNotes, Announce
from ragd.memories.memories import Memories, SourceNoteReader
from ragd.memories.memory_vectors import MemoryVectors
from ragd.protocol import tool_schemas
from ragd.protocol.envelope import Envelope
from ragd.protocol.folder_requests import parse_folder
from ragd.state.ledger import Ledger
from ragd.store.open_indexes import OpenIndexes

__all__ = ["NAME", "ToolGateway"]


class GatewayNoteReader(SourceNoteReader, NoteBytesReader, Protocol):
    """Reads notes and documents for answers."""

    def includes_folder(self, folder: str) -> bool: ...


class GatewaySearcher(PassageSearch, RelatedSearch, Protocol):
    """Finds passages and related notes."""


class ToolGateway:
    """The routes. Answers come from the folds, which have every fact that is recorded."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        stop: asyncio.Event,
        searcher: GatewaySearcher,
        notes: GatewayNoteReader,
        reload: ConfigReload,
        guard: LiveGuard,
        vector_progress: VectorProgress,
        announce: Announce,
        memory_vectors: MemoryVectors | None = None,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._guard = guard
        self._stop = stop
        self._reload = reload
        self._vector_progress = vector_progress
        self._facts = facts = FactRecorder(ledger.journal)
        self._refusals = Refusals(facts)
        self._lost = LossRecorder(ledger, facts)
        self._jobs = JobControl(ledger, facts, settings)
        self._pause = PauseControl(ledger, clock, facts)
        self._envelopes = Envelopes(ledger, clock, settings, vector_progress)
        self._consent = Consent(settings, clock, facts)
        self._notes = NoteExcerpts(notes, settings, guard, self._consent, searcher.find_by_title)
        self.live = self._envelopes.live
        self.streams = OpenStreams()
        self.memories = Memories(settings, clock, facts.record, notes, guard, memory_vectors)
        searches = SearchAnswers(searcher, self.memories, guard, self._consent)
        self._access = AccessControl(settings, ledger)
        tokens = TokenStore(Path(settings.home.tokens), clock, facts)
        self._gate = TokenGate(tokens, facts)
        self._token_routes = TokenRoutes(tokens, self._access, self._data)
        self.agent_notes = AgentNotes(
            settings.home, announce, self._add_agent_folder, partial(until_dropped, ledger)
        )
        access = self._access
        self._recent = RecentNotes(ledger, access, guard, notes.includes)
        self._never = NeverFolders(settings, reload, facts.record)
        self._timeline = Timeline(ledger, clock, settings.home)
        self._coverage = Coverage(
            ledger,
            access,
            guard,
            notes.includes,
            notes.includes_folder,
            lambda: private_names(settings.current),
        )
        self._tools = Tools(
            self._envelopes,
            searches,
            self._jobs,
            self.memories,
            MemoryTools(ledger, settings, searches, self.memories, self.agent_notes, access, guard),
            NoteTools(ledger, self._notes, searcher, access, guard),
            self._lost,
            access,
        )

    def follow_index(self, follower: Follower, open_indexes: OpenIndexes) -> None:
        """From now on this is a reader's gateway: it answers from an index of another machine."""
        reader = ReaderMode(follower, open_indexes)
        self._envelopes.reader = self._tools.reader = self._notes.reader = reader

    def _require_writer(self) -> None:
        if self._settings.is_reader:
            raise RagdError("READ_ONLY")

    def routes(self) -> list[web.RouteDef]:
        """Every path that the daemon answers."""
        for_anyone = [
            web.get("/v1/status", self._get_status),
            web.get("/v1/tools", self._list_tools),
            web.get("/v1/collections", self._list_collections),
            web.post("/v1/tools/{tool}", self._call_tool),
            web.get("/v1/coverage", self._get_coverage),
            web.get("/v1/notes", self._get_note),
            web.get("/v1/notes/recent", self._list_recent_notes),
            web.get("/v1/memories", self._list_memories),
            web.get("/v1/token", self._token_routes.describe),
        ]
        for_the_user = [
            web.get("/v1/events", for_owner(self._stream_events), allow_head=False),
            web.get("/v1/state", for_owner(self._get_past_state)),
            web.get("/v1/timeline", for_owner(self._get_timeline)),
            web.post("/v1/explain", for_owner(self._explain_search)),
            web.post("/v1/jobs", for_owner(self._request_job)),
            web.get("/v1/jobs/{id}", for_owner(self._get_job)),
            web.post("/v1/jobs/{id}/cancel", for_owner(self._cancel_job)),
            web.post("/v1/pause", for_owner(self._begin_pause)),
            web.post("/v1/resume", for_owner(self._end_pause)),
            web.delete("/v1/memories/{key:.+}", for_owner(self._forget_memory)),
            web.get("/v1/approvals", for_person(self._list_approvals)),
            web.post("/v1/approvals/{id}", for_person(self._decide_approval)),
            web.get("/v1/folders", for_owner(self._list_folders)),
            web.post("/v1/folders", for_person(self._set_folder)),
            web.get("/v1/tokens", for_person(self._token_routes.list_all)),
            web.post("/v1/tokens", for_person(self._token_routes.create)),
            web.delete("/v1/tokens/{name}", for_person(self._token_routes.revoke)),
            web.post("/v1/reload", for_owner(self._reload_config)),
            web.post("/v1/stop", for_owner(self._stop_daemon)),
        ]
        return [self._gate.guarded(route) for route in (*for_anyone, *for_the_user)]

    def set_index_digest(self, digest: str | None) -> None:
        """Set the digest of the model that made the vectors of the open index."""
        self.live.index_digest = digest

    def set_index_bytes(self, count: Callable[[], int]) -> None:
        """Set the function that counts the bytes of the index in memory."""
        self._envelopes.count_index_bytes = count

    # The life of the actor

    async def run(self) -> None:
        """Record refused requests and expired approvals, in a loop."""
        await self.agent_notes.remove_leftovers()
        while True:
            await self._clock.sleep(RECORD_EVERY_S)
            await self._refusals.record()
            await self._consent.record_expired()

    def refuse(self, why: RagdError, request: web.Request | None, tool: str = "") -> Envelope:
        """Count a refusal, and return its envelope."""
        self._refusals.count(why.code, tool)
        shown = without_withheld_names(why, self._guard, request)
        return self._envelopes.refusal(shown, self._access.scope_of_refused(request))

    async def close(self) -> None:
        """Close the memories."""
        await self.memories.close()

    async def record_refusals(self) -> None:
        """Record the refusals that are not recorded yet."""
        await self._refusals.record()

    # Status and tools

    async def _get_status(self, request: web.Request) -> web.StreamResponse:
        return json_response(self._envelopes.status(self._access.scope_of(asker_of(request))))

    async def _list_tools(self, request: web.Request) -> web.StreamResponse:
        asker = asker_of(request)
        tools = tool_schemas.published_tools()
        permitted = [one for one in tools if may_use(asker, one["requiredPermissions"])]
        return self._data(request, {"tools": permitted})

    async def _list_collections(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ())
        return self._data(request, {"collections": self._access.collections(asker_of(request))})

    async def _call_tool(self, request: web.Request) -> web.StreamResponse:
        tool = request.match_info["tool"]
        try:
            asker = asker_of(request)
            return json_response(await self._tools.call(tool, await read_body(request), asker))
        except RagdError as why:
            known = tool if tool in tool_schemas.TOOLS else ""
            return json_response(self.refuse(why, request, known), http_status(why))

    async def _explain_search(self, request: web.Request) -> web.StreamResponse:
        return json_response(await self._tools.explain(await read_body(request), asker_of(request)))

    # Jobs and pauses

    async def _request_job(self, request: web.Request) -> web.StreamResponse:
        """For ragctl: also requests that only a person may make."""
        self._require_writer()
        wanted = tool_schemas.parse_job(await read_body(request))
        self._access.require_known(wanted.accept_in)
        data = await self._jobs.request(wanted.mode, wanted.accept_deletions, wanted.accept_in)
        waits_for = {
            "paused": pause_data(self._ledger.state),
            "needs_restart": self._settings.waiting,
        }
        return self._data(request, data | waits_for)

    async def _get_job(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ("follow",))
        job = self._jobs.find(request.match_info["id"])
        if not parse_whole_number(request, "follow", 0):
            return self._data(request, self._jobs.data(job))
        stream = JobStream(
            self._ledger, self._vector_progress, self._envelopes.commands, job, self.live.model
        )
        return await self.streams.send(request, stream.lines(), stream.last_line)

    async def _cancel_job(self, request: web.Request) -> web.StreamResponse:
        job = self._jobs.find(request.match_info["id"])
        await self._jobs.cancel(job)
        return self._data(request, self._jobs.data(job))

    async def _begin_pause(self, request: web.Request) -> web.StreamResponse:
        self._require_writer()
        wanted = tool_schemas.parse_pause(await read_body(request))
        return self._data(request, await self._pause.begin(wanted.seconds))

    async def _end_pause(self, request: web.Request) -> web.StreamResponse:
        tool_schemas.parse_resume(await read_body(request))
        return self._data(request, await self._pause.end())

    # Notes, memories, events

    async def _get_note(self, request: web.Request) -> web.StreamResponse:
        began = time.perf_counter()
        refuse_unknown_parameters(request, ("path", "from", "to", "place", "raw", "confirm"))
        wanted = with_contained_path(parse_note_request(request))
        asker = asker_of(request)
        scope = self._access.scope_of_note(asker, wanted.path)
        try:
            known = self._ledger.state.catalog.files
            data = await self._notes.answer(wanted, known, scope, asker)
        except NoSuchNote as why:
            return json_response(self.refuse(why, request), HTTPStatus.NOT_FOUND)
        except RagdError as why:
            await self._lost.record(why)
            raise
        code = "SENSITIVE_FILTERED" if "withheld" in data else None
        error = consent_error(data)
        took_ms = ms_since(began)
        return json_response(self._envelopes.data(data, code, took_ms, scope=scope, error=error))

    async def _list_recent_notes(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ("max",))
        asker = asker_of(request)
        listed = self._recent.list(parse_whole_number(request, "max", BY_DEFAULT), asker)
        scope = self._access.scope_of_list(asker)
        return json_response(self._envelopes.data(listed, scope=scope))

    async def _get_coverage(self, request: web.Request) -> web.StreamResponse:
        asker, wanted = asker_of(request), parse_coverage_request(request)
        data, scope = await self._coverage.answer(wanted, asker)
        return json_response(self._envelopes.data(data, scope=scope))

    async def _list_memories(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ())
        asker = asker_of(request)
        listed = await self.memories.list_all(
            self._access.permits_source(self._access.scope_of(asker), asker)
        )
        shown = without_sensitive_memories(listed, self._guard, asker)
        return self._data(request, with_sensitive_kinds(shown, self._guard))

    async def _forget_memory(self, request: web.Request) -> web.StreamResponse:
        self._require_writer()
        refuse_unknown_parameters(request, ())
        return self._data(request, await self.memories.forget(request.match_info["key"]))

    async def _stream_events(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ("after", "follow", "type"))
        after = parse_whole_number(request, "after", 0)
        follow = parse_whole_number(request, "follow", 0) != 0 and not self.streams.is_ending
        lines = event_lines(self._ledger, after, parse_event_types(request), follow=follow)
        return await self.streams.send(request, lines)

    async def _get_past_state(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ("at", "seq"))
        seq = parse_whole_number(request, "seq", 0) if "seq" in request.query else None
        return self._data(request, await self._timeline.state(seq, request.query.get("at")))

    async def _get_timeline(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ("days",))
        days = parse_whole_number(request, "days", DAYS_BY_DEFAULT)
        return self._data(request, await self._timeline.answer(days))

    # Approvals

    async def _list_approvals(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ())
        return self._data(request, self._consent.list_waiting())

    async def _decide_approval(self, request: web.Request) -> web.StreamResponse:
        wanted = tool_schemas.parse_decision(await read_body(request))
        which = request.match_info["id"]
        return self._data(request, await self._consent.decide(which, release=wanted.release))

    # The daemon itself

    async def _reload_config(self, request: web.Request) -> web.StreamResponse:
        try:
            return self._data(request, await self._reload.reload(self._facts.record, always=True))
        except ConfigError as why:
            raise RagdError("INVALID_REQUEST", why.message, why.suggestion) from None

    async def _list_folders(self, request: web.Request) -> web.StreamResponse:
        refuse_unknown_parameters(request, ())
        return self._data(request, self._never.list())

    async def _set_folder(self, request: web.Request) -> web.StreamResponse:
        wanted = parse_folder(await read_body(request))
        return self._data(request, await self._never.set(wanted.folder, never=wanted.never))

    async def _add_agent_folder(self) -> None:
        """Put a new agent's folder into the configuration in force."""
        await self._reload.reload(self._facts.record, always=False)

    async def _stop_daemon(self, request: web.Request) -> web.StreamResponse:
        self._stop.set()
        return self._data(request, {"stopping": True})

    def _data(self, request: web.Request, data: object) -> web.Response:
        scope = self._access.scope_of(asker_of(request))
        return json_response(self._envelopes.data(data, scope=scope))
