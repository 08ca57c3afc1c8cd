"""The queue of requests to a provider, and how a batch with one bad text in it is embedded.

Both embedders are this queue plus a function that sends one request. A query goes before all
waiting batches, and documents are sent in short batches so that it waits little. It never keeps a
text, and never repeats a provider's message.

A request that was sent runs to its end, even if its caller has given up. Ollama stops loading a
model when its client disconnects (ollama/ollama#4638), and a worker would have to start again: a
search that waits only a moment would never find the model ready.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Literal, NamedTuple, Protocol

from ragd.embed.providers.embedder_port import (
    CANARY,
    BatchPace,
    Code,
    EmbeddingError,
    Vector,
    VectorSpace,
    mean,
)
from ragd.embed.unit_vectors import vector_of

BACK_OFF_S = 1.0
SHORTEST_HALF = 200  # characters; a shorter text is not refused because of its length
_BLANK_TEXT = "."  # replaces a text without words, which Ollama would not embed

# Failures that one bad text can cause. It is searched for, unless the provider fails anyway.
_SUSPICIOUS = frozenset(
    {
        "stopped in the middle of an answer",
        "reported an internal error",
        "answered something that is not an embedding",
        "answered more than expected",
        "answered with the wrong number of vectors",
        "the worker ended unexpectedly",
    }
)


class TextRefused(Exception):
    """The provider cannot embed these texts. Another attempt would fail, too."""

    def __init__(self, why: Literal["too_long", "not_a_number", "suspicious"]) -> None:
        super().__init__(why)
        self.why = why


class TimedVectors(NamedTuple):
    """Vectors in order, and how long they took, without loading the model."""

    vectors: list[Vector]
    took_s: float


class ProviderRequest(Protocol):
    """One request to a provider. Raises `EmbeddingError` or `TextRefused`."""

    def __call__(
        self, texts: Sequence[str], allowance_s: float
    ) -> Coroutine[Any, Any, TimedVectors]: ...


class TurnQueue:
    """One at a time, queries first."""

    def __init__(self) -> None:
        self._busy = False
        self._queries: deque[asyncio.Future[None]] = deque()
        self._batches: deque[asyncio.Future[None]] = deque()

    async def enter(self, *, query: bool) -> None:
        """Wait for the turn. It lasts until `leave`."""
        if not self._busy:
            self._busy = True
            return
        line = self._queries if query else self._batches
        mine = asyncio.get_running_loop().create_future()
        line.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.cancelled():
                with contextlib.suppress(ValueError):
                    line.remove(mine)
            else:  # it got the turn just as it was cancelled
                self.leave()
            raise

    def leave(self) -> None:
        """Give the turn to the next one."""
        for line in (self._queries, self._batches):
            while line:
                mine = line.popleft()
                if not mine.done():
                    mine.set_result(None)
                    return
        self._busy = False


class RequestQueue:
    """Documents and queries, split into requests that a provider can answer."""

    def __init__(
        self,
        send: ProviderRequest,
        space: VectorSpace,
        pace: BatchPace,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._send = send
        self._space = space
        self._pace = pace
        self._sleep = sleep
        self._turns = TurnQueue()
        self._request: asyncio.Task[TimedVectors] | None = None  # the one under way
        self._closed = False

    @property
    def is_busy(self) -> bool:
        """Whether a request is under way."""
        return self._request is not None

    async def close(self) -> None:
        """Cancel the request under way. Its caller gets an EmbeddingError."""
        self._closed = True
        if self._request is not None:
            self._request.cancel()
            await asyncio.gather(self._request, return_exceptions=True)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of these documents, in order. An error has those already made."""
        ready = [embeddable(text) for text in texts]
        vectors: list[Vector] = []
        try:
            while len(vectors) < len(ready):
                start = len(vectors)
                end = self._pace.batch_end(ready, start)
                vectors += await self._embed_or_halve(ready[start:end], start)
        except EmbeddingError as error:
            error.done = dict(enumerate(vectors))
            raise
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query, before all waiting documents."""
        return vector_of((await self._embed_or_halve([embeddable(text)], 0, query=True))[0])

    async def _embed_or_halve(
        self, texts: Sequence[str], first: int, *, query: bool = False
    ) -> list[Vector]:
        """The vectors of these texts. A refused list is halved until the bad text is alone.

        `first` is the position of texts[0] among the caller's texts.
        """
        try:
            return await self._send_with_retry(texts, query)
        except TextRefused as refused:
            if len(texts) == 1:
                return [await self._embed_single(texts[0], first, refused, query)]
        half = len(texts) // 2
        left = await self._embed_or_halve(texts[:half], first, query=query)
        return left + await self._embed_or_halve(texts[half:], first + half, query=query)

    async def _embed_single(
        self, text: str, index: int, refused: TextRefused, query: bool
    ) -> Vector:
        """Embed a text that was refused on its own. A long one gets the mean of its halves."""
        if refused.why == "not_a_number":
            raise await self._failure(index, "made a vector that is not a number")
        if len(text) < 2 * SHORTEST_HALF:
            raise await self._failure(index, "cannot embed this text")
        halves = [embeddable(half) for half in halve(text)]
        vectors = [(await self._embed_or_halve([half], index, query=query))[0] for half in halves]
        weighed = zip(map(vector_of, vectors), map(len, halves), strict=True)
        return mean(list(weighed))

    async def _failure(self, index: int, detail: str) -> EmbeddingError:
        """The error: about this text, or about a provider that cannot embed anything."""
        if await self._is_provider_working():
            return EmbeddingError(self._code, "bad_item", detail, index=index)
        return EmbeddingError(self._code, "transient", "reported an internal error")

    async def _send_with_retry(self, texts: Sequence[str], query: bool) -> list[Vector]:
        """Send the texts, and once more after a temporary failure. A query is sent only once,
        because its caller cannot wait."""
        try:
            return await self._send_once(texts, query)
        except EmbeddingError as error:
            if query or not is_retryable(error):
                raise
        await self._sleep(BACK_OFF_S)
        try:
            return await self._send_once(texts, query)
        except EmbeddingError as error:
            if error.detail not in _SUSPICIOUS or not await self._is_provider_working():
                raise
            raise TextRefused("suspicious") from None

    async def _send_once(self, texts: Sequence[str], query: bool) -> list[Vector]:
        if query:
            texts = [self._space.prompt + text for text in texts]
        await self._turns.enter(query=query)
        request = self._start_request(texts)
        try:
            made = await asyncio.shield(request)
        except EmbeddingError as error:
            if error.detail == "took too long":
                self._pace.slow_down()
            raise
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if request.cancelled() and caller is not None and not caller.cancelling():
                raise self._closed_error() from None  # the queue was closed, not the caller
            raise
        if not query:
            self._pace.learn(texts, made.took_s)
        assert len(made.vectors) == len(texts)
        return made.vectors

    def _start_request(self, texts: Sequence[str]) -> "asyncio.Task[TimedVectors]":
        """Send a request that runs on even without its caller, and ends the turn when it ends."""
        if self._closed:
            self._turns.leave()
            raise self._closed_error()
        request = asyncio.create_task(self._send(texts, self._pace.allowance_s(texts)))
        request.add_done_callback(self._request_ended)
        self._request = request
        return request

    def _request_ended(self, request: "asyncio.Task[TimedVectors]") -> None:
        self._request = None
        if not request.cancelled():
            request.exception()  # otherwise asyncio logs it if the caller has given up
        self._turns.leave()

    def _closed_error(self) -> EmbeddingError:
        return EmbeddingError(self._code, "unreachable", "is closed")

    async def _is_provider_working(self) -> bool:
        """Whether the provider embeds a harmless text, so that the other texts are the cause."""
        try:
            await self._send_once([CANARY], False)
        except (EmbeddingError, TextRefused):
            return False
        return True

    @property
    def _code(self) -> Code:
        ollama = self._space.provider == "ollama"
        return "OLLAMA_UNREACHABLE" if ollama else "EMBEDDER_UNAVAILABLE"


def is_retryable(error: EmbeddingError) -> bool:
    """True for temporary failures. A request that took too long would take too long again."""
    return error.kind == "transient" and error.detail != "took too long"


def embeddable(text: str) -> str:
    """The text as every provider accepts it: valid Unicode, and not blank."""
    if not text or text.isspace():
        return _BLANK_TEXT
    return text.encode("utf-8", "replace").decode("utf-8")


def halve(text: str) -> tuple[str, str]:
    """The text in two halves, split between two words if there is a space near the middle."""
    middle = len(text) // 2
    gap = text.rfind(" ", middle // 2, middle + 1)
    cut = gap if gap > 0 else middle
    return text[:cut], text[cut:]
