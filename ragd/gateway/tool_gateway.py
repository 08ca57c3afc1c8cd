"""Answers on the socket: the tools, status, events, jobs. Requests in, envelopes out.

It never shows an exception, and never waits for more than a second to record something.
"""

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

import structlog
from aiohttp import web

from ragd import __version__
from ragd.clock import Clock, iso, new_id
from ragd.config.live_settings import Settings
from ragd.config.reload import Reloading
from ragd.embed.vector_progress import VectorProgress
from ragd.errors import DEGRADED, ConfigError, RagdError, worse
from ragd.eventlog.frame import json_of
from ragd.events import (
    DependencyLost,
    Fact,
    JobCancelRequested,
    JobRequested,
    Mode,
    RequestRefused,
    SyncPaused,
    SyncResumed,
)
from ragd.folds import progress
from ragd.folds.jobs import Job, is_building
from ragd.gateway.http_server import HEADERS, answer, http_status, read_body
from ragd.gateway.job_stream import JobStream
from ragd.gateway.note_excerpts import NoSuchNote, Showing
from ragd.gateway.process_stats import footprint
from ragd.gateway.search_answers import Answers, Searches, enveloped
from ragd.gateway.status import (
    Live,
    error_of,
    job_data,
    meta,
    paused,
    reasons,
    short,
    status,
    verdict,
)
from ragd.gateway.suggested_commands import Addressing
from ragd.gateway.url_parameters import note_asked_for, number, only, too_old, types
from ragd.guard.live_rules import LiveGuard
from ragd.health.explanation import explain
from ragd.memories.memories import Memories, Notes
from ragd.memories.memory_vectors import MemoryVectors
from ragd.protocol import tool_schemas
from ragd.protocol.envelope import Envelope, refusal
from ragd.state.ledger import Ledger
from ragd.store.index_damage import DAMAGE_CODES, IndexDamage
from ragd.vault.threads import CODE as VAULT_NOT_RESPONDING

NAME = "tool_gateway"
APPEND_WITHIN_S = 8.0  # a busy disk; less than a client waits for its answer
FULL_WITHIN_S = 1.0  # a full one
FOLLOWER_TAKES_WITHIN_S = 30.0
LAST_LINE_WITHIN_S = 1.0
REFUSALS_EVERY_S = 60.0


log = structlog.get_logger(NAME)


class ToolGateway:
    """The routes. Reads come from the folds, which are never behind the log."""

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        settings: Settings,
        stop: asyncio.Event,
        searches: Searches,
        notes: Notes,
        reloading: Reloading,
        memory_vectors: MemoryVectors | None = None,
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._settings = settings
        self._stop = stop
        self._started = clock.monotonic()
        self._followers: set[asyncio.Task[Any]] = set()
        self._ending = False
        self._reloading = reloading
        self._index_damage = IndexDamage(ledger, self._append)
        self.vectors = VectorProgress(clock)
        self._addressing = Addressing(settings.home)
        self._refused: dict[str, tuple[int, str]] = {}  # code -> not recorded yet, last tool
        guard = LiveGuard(settings)
        self.memories = Memories(settings, clock, self._append, notes, guard, memory_vectors)
        self._answers = Answers(searches, self.memories, guard, clock)
        self._showing = Showing(notes, settings, guard, clock, searches.titled)
        self.live = Live(
            version=__version__,
            pid=os.getpid(),
            run=ledger.run_id,
            started_at=clock.now(),
            uptime_s=0,
            vault_path=settings.current.vault_path,
            provider=settings.current.embedding.provider,
            language=settings.current.embedding.language,
            model=settings.current.embedding.model,
        )

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/v1/status", self._status),
            web.get("/v1/tools", self._tools),
            web.post("/v1/tools/{tool}", self._tool),
            web.get("/v1/events", self._events, allow_head=False),
            web.post("/v1/jobs", self._new_job),
            web.get("/v1/jobs/{id}", self._job),
            web.post("/v1/jobs/{id}/cancel", self._cancel_job),
            web.post("/v1/pause", self._pause),
            web.post("/v1/resume", self._resume),
            web.get("/v1/notes", self._note),
            web.get("/v1/memories", self._list_memories),
            web.delete("/v1/memories/{key:.+}", self._forget_memory),
            web.post("/v1/reload", self._reload),
            web.post("/v1/stop", self._stop_daemon),
        ]

    def tell_digest(self, digest: str | None) -> None:
        """Another index is open: the digest of the model whose vectors are in it."""
        self.live.index_digest = digest

    def refuse(self, why: RagdError, tool: str = "") -> Envelope:
        """The envelope of a refusal, with the health of this moment."""
        count, _ = self._refused.get(why.code, (0, ""))
        self._refused[why.code] = (count + 1, tool)
        state = self._ledger.state
        health, _ = verdict(state, self._now())
        if why.message == why.kind.message:  # perhaps more is known than the code says
            why = RagdError(why.code, *explain(why.code, state, self.live.model))
        return self._addressing.envelope(refusal(why, health, meta(state)))

    async def record_refusals(self) -> None:
        """The actor's own loop: at most one fact a minute for each code."""
        while True:
            await self._clock.sleep(REFUSALS_EVERY_S)
            await self.flush_refusals()

    async def flush_refusals(self) -> None:
        """Record what was refused since the last time; without room for it, it stays counted."""
        for code in list(self._refused):
            count, tool = self._refused.pop(code)
            try:
                await self._append(RequestRefused(code=code, tool=tool, count=count))
            except RagdError:
                more, last = self._refused.get(code, (0, ""))
                self._refused[code] = (count + more, last or tool)

    async def close(self) -> None:
        """Let go of the memories."""
        await self.memories.close()

    def end_followers(self) -> None:
        """Let go of everybody who follows events, so that the daemon can stop."""
        self._ending = True
        for task in self._followers:
            task.cancel()

    # What the daemon says of itself

    def _now(self) -> Live:
        journal = self._ledger.journal
        self.live.uptime_s = int(self._clock.monotonic() - self._started)
        self.live.full_since = journal.full_since
        self.live.oldest_seq = self._ledger.oldest_seq
        self.live.snapshot_seq = self._ledger.snapshot_seq
        self.live.needs_restart = self._settings.waiting
        self.live.language = self._settings.current.embedding.language
        self.live.config_refused = self._settings.refused
        self.live.vectors_made = self.vectors.counts
        return self.live

    async def _status(self, request: web.Request) -> web.StreamResponse:
        return answer(self._addressing.envelope(self._whole_status()))

    def _whole_status(self) -> Envelope:
        began = time.perf_counter()
        live = self._now()
        live.process = footprint()
        return status(self._ledger.state, live, _ms_since(began))

    async def _tools(self, request: web.Request) -> web.StreamResponse:
        return self._served({"tools": tool_schemas.published()})

    def _served(self, data: Any, code: str | None = None, took_ms: int = 0) -> web.Response:
        """An answer with data; when health, or the answer itself (`code`), is not the best, it says
        why."""
        state = self._ledger.state
        health, codes = verdict(state, self._now())
        if code is not None:
            health, codes = worse(health, DEGRADED), [code, *codes]
        error = error_of(codes, state, self.live)
        envelope = Envelope(health, data, error, meta(state, took_ms))
        return answer(self._addressing.envelope(envelope))

    # The four tools

    async def _tool(self, request: web.Request) -> web.StreamResponse:
        tool = request.match_info["tool"]
        known = tool if tool in tool_schemas.TOOLS else ""
        try:
            wanted = tool_schemas.parse_request(tool, await read_body(request))
            if isinstance(wanted, tool_schemas.StatusRequest):
                whole = self._whole_status()
                return answer(self._addressing.envelope(whole if wanted.verbose else short(whole)))
            if isinstance(wanted, tool_schemas.IndexRequest):
                return self._served(await self._request_job(wanted.mode))
            if isinstance(wanted, tool_schemas.SearchRequest):
                return await self._search(wanted)
            return self._served(await self.memories.store(wanted))
        except RagdError as why:
            await self._report_lost(why)
            return answer(self.refuse(why, known), http_status(why))

    async def _search(self, wanted: tool_schemas.SearchRequest) -> web.StreamResponse:
        began = time.perf_counter()
        health = reasons(self._ledger.state, self._now())
        found = await self._answers.to(wanted, health)
        envelope = enveloped(found, self._ledger.state, self._now(), _ms_since(began))
        return answer(self._addressing.envelope(envelope))

    async def _report_lost(self, why: RagdError) -> None:
        """A call that finds the index damaged or missing, or a vault that hangs, says as much as a
        probe."""
        state = self._ledger.state
        with contextlib.suppress(RagdError):
            if why.code in DAMAGE_CODES and state.catalog.index is not None:
                await self._index_damage.record_failed_call(why.code)
            if why.code == VAULT_NOT_RESPONDING and "vault" not in state.health.lost:
                await self._append(DependencyLost(dependency="vault", code=why.code))

    # Pauses

    async def _pause(self, request: web.Request) -> web.StreamResponse:
        wanted = tool_schemas.parse_pause(await read_body(request))
        until = datetime.fromisoformat(self._clock.now()) + timedelta(seconds=wanted.seconds)
        await self._append(SyncPaused(until=iso(until)))
        return self._served({"paused": paused(self._ledger.state)})

    async def _resume(self, request: web.Request) -> web.StreamResponse:
        tool_schemas.parse_resume(await read_body(request))
        was_paused = self._ledger.state.pause.holds
        if was_paused:
            await self._append(SyncResumed(reason="requested"))
        return self._served({"paused": paused(self._ledger.state), "was_paused": was_paused})

    # A note

    async def _note(self, request: web.Request) -> web.StreamResponse:
        began = time.perf_counter()
        only(request, ("path", "from", "to", "raw", "confirm"))
        wanted = note_asked_for(request)
        try:
            data = await self._showing.to(wanted, self._ledger.state.catalog.files)
        except NoSuchNote as why:
            return answer(self.refuse(why), HTTPStatus.NOT_FOUND)
        except RagdError as why:
            await self._report_lost(why)
            raise
        code = "SENSITIVE_FILTERED" if "withheld" in data else None
        return self._served(data, code, _ms_since(began))

    # Memories

    async def _list_memories(self, request: web.Request) -> web.StreamResponse:
        only(request, ())
        return self._served(await self.memories.listed())

    async def _forget_memory(self, request: web.Request) -> web.StreamResponse:
        only(request, ())
        return self._served(await self.memories.forget(request.match_info["key"]))

    # Facts

    async def _events(self, request: web.Request) -> web.StreamResponse:
        only(request, ("after", "follow", "type"))
        after = number(request, "after", 0)
        on = number(request, "follow", 0) != 0 and not self._ending
        wanted = types(request)
        if after and after + 1 < self._ledger.oldest_seq:
            raise too_old(self._ledger.oldest_seq)
        after = max(after, self._ledger.oldest_seq - 1)
        records = self._ledger.journal.follow(after, wanted, on=on)
        return await self._stream(request, (json_of(record) async for record in records))

    async def _stream(
        self,
        request: web.Request,
        lines: AsyncIterator[bytes],
        last: Callable[[], bytes] | None = None,
    ) -> web.StreamResponse:
        """Lines as they come, for as long as the client takes them and the daemon lives. `last` is
        what a follower hears when the daemon stops first."""
        response = web.StreamResponse(headers=HEADERS)
        response.content_type = "application/x-ndjson"
        await response.prepare(request)
        task = asyncio.current_task()
        assert task is not None
        self._followers.add(task)
        try:
            async for line in lines:
                async with asyncio.timeout(FOLLOWER_TAKES_WITHIN_S):
                    await response.write(line)
        except TimeoutError:
            log.info("a follower took nothing and was let go")
            if request.transport is not None:
                request.transport.abort()
        except asyncio.CancelledError:
            if not self._ending:
                raise  # the client went away
            task.uncancel()
            if last is not None:
                await _write_within(response, last(), LAST_LINE_WITHIN_S)
        finally:
            self._followers.discard(task)
        return response

    # Jobs

    async def _job(self, request: web.Request) -> web.StreamResponse:
        only(request, ("follow",))
        job = self._find_job(request)
        if not number(request, "follow", 0):
            return self._served(self._told(job))
        following = JobStream(self._ledger, self.vectors, self._addressing, job, self.live.model)
        return await self._stream(request, following.lines(), following.last_line)

    async def _new_job(self, request: web.Request) -> web.StreamResponse:
        """For ragctl: what an agent may ask for, and what only a person may."""
        wanted = tool_schemas.parse_job(await read_body(request))
        data = await self._request_job(wanted.mode, wanted.accept_deletions)
        held = {"paused": paused(self._ledger.state), "needs_restart": self._settings.waiting}
        return self._served(data | held)

    async def _request_job(self, mode: Mode, accept_deletions: bool = False) -> dict[str, Any]:
        """Answers at once. One job at a time: what an open job does anyway is joined to it."""
        job = progress.job_to_join(self._ledger.state, mode, accept_deletions)
        job_id = job.id if job is not None else new_id()
        if job is None or not job.asked:  # one of the daemon's own is the client's from now on
            requested = JobRequested(job_id=job_id, mode=mode, accept_deletions=accept_deletions)
            await self._append(requested)
        return {"job_id": job_id, "status": "started"}

    async def _cancel_job(self, request: web.Request) -> web.StreamResponse:
        job = self._find_job(request)
        if job.phase != "finished" or is_building(job, self._ledger.state.catalog):
            await self._append(JobCancelRequested(job_id=job.id))
        return self._served(self._told(job))

    def _told(self, job: Job) -> dict[str, Any]:
        catalog = self._ledger.state.catalog
        return {**job_data(job), "building": is_building(job, catalog)}

    def _find_job(self, request: web.Request) -> Job:
        job = self._ledger.state.jobs.find(request.match_info["id"])
        if job is None:
            raise RagdError("JOB_NOT_FOUND")
        return job

    # The daemon itself

    async def _reload(self, request: web.Request) -> web.StreamResponse:
        try:
            return self._served(await self._reloading.reload(self._append, always=True))
        except ConfigError as why:
            raise RagdError("INVALID_REQUEST", why.message, why.suggestion) from None

    async def _stop_daemon(self, request: web.Request) -> web.StreamResponse:
        self._stop.set()
        return self._served({"stopping": True})

    async def _append(self, event: Fact) -> None:
        """Record a fact for a client. A full disk is reported soon; a slow one gets more time."""
        journal = self._ledger.journal
        appending = asyncio.ensure_future(journal.append(NAME, event))
        try:
            await asyncio.wait({appending}, timeout=min(FULL_WITHIN_S, APPEND_WITHIN_S))
            if journal.full_since is None:
                rest = max(0.0, APPEND_WITHIN_S - FULL_WITHIN_S)
                await asyncio.wait({appending}, timeout=rest)
            if not appending.done():
                raise RagdError("TIMEOUT" if journal.full_since is None else "DISK_FULL")
            await appending
        finally:
            appending.cancel()


async def _write_within(response: web.StreamResponse, line: bytes, seconds: float) -> None:
    """Write it to a client that may have stopped reading."""
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(seconds):
            await response.write(line)


def _ms_since(began: float) -> int:
    return int((time.perf_counter() - began) * 1000)
