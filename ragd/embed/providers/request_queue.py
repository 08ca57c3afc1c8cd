"""Who may use a provider next, and how a batch with one bad text in it is served.

Both embedders are this plus a way to `ask`. A query overtakes every batch that waits; documents
go in short batches so that it can. It never keeps a text, and never hands on a provider's words.

A request that was sent is heard to its end, also when its caller has given up: Ollama stops loading
a model when its client leaves (ollama/ollama#4638), and a worker would have to be started anew, so
that a search which waits only a moment would never find the model ready.
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
SHORTEST_HALF = 200  # characters; what is refused below this is not refused for its length
_BLANK = "."  # stands for a text without words, which Ollama would not answer

# Answers that one poisonous text can cause: look for it, unless the provider fails anyway.
_SUSPICIOUS = frozenset(
    {
        "stopped in the middle of an answer",
        "failed inside",
        "answered something that is not an embedding",
        "answered more than expected",
        "answered with the wrong number of vectors",
        "the worker ended unexpectedly",
    }
)


class TextRefused(Exception):
    """The provider will not embed these texts, however often it is asked."""

    def __init__(self, why: Literal["too_long", "not_a_number", "suspicious"]) -> None:
        super().__init__(why)
        self.why = why


class TimedVectors(NamedTuple):
    """Vectors in order, and how long they took to make once the model was loaded."""

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
        """Wait for one's turn; it lasts until `leave`."""
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
            else:  # it was given the turn at the moment it gave up
                self.leave()
            raise

    def leave(self) -> None:
        """Let the next one in."""
        for line in (self._queries, self._batches):
            while line:
                mine = line.popleft()
                if not mine.done():
                    mine.set_result(None)
                    return
        self._busy = False


class RequestQueue:
    """Documents and queries, cut into requests that a provider can answer."""

    def __init__(
        self,
        ask: ProviderRequest,
        space: VectorSpace,
        pace: BatchPace,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._ask = ask
        self._space = space
        self._pace = pace
        self._sleep = sleep
        self._turns = TurnQueue()
        self._request: asyncio.Task[TimedVectors] | None = None  # the one under way
        self._closed = False

    async def close(self) -> None:
        """Give up the request under way; whoever waits is told."""
        self._closed = True
        if self._request is not None:
            self._request.cancel()
            await asyncio.gather(self._request, return_exceptions=True)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of these documents, in order; an error holds those already made."""
        ready = [presentable(text) for text in texts]
        vectors: list[Vector] = []
        try:
            while len(vectors) < len(ready):
                start = len(vectors)
                end = self._pace.take(ready, start)
                vectors += await self._settle(ready[start:end], start)
        except EmbeddingError as error:
            error.done = dict(enumerate(vectors))
            raise
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question, before all documents that wait."""
        return vector_of((await self._settle([presentable(text)], 0, query=True))[0])

    async def _settle(
        self, texts: Sequence[str], first: int, *, query: bool = False
    ) -> list[Vector]:
        """Vectors of these texts; a list that is refused is halved until the bad one stands alone.

        `first` is the place of texts[0] among the caller's texts.
        """
        try:
            return await self._ask_twice(texts, query)
        except TextRefused as refused:
            if len(texts) == 1:
                return [await self._alone(texts[0], first, refused, query)]
        half = len(texts) // 2
        left = await self._settle(texts[:half], first, query=query)
        return left + await self._settle(texts[half:], first + half, query=query)

    async def _alone(self, text: str, index: int, refused: TextRefused, query: bool) -> Vector:
        """A text that was refused by itself: too long ones become the mean of their halves."""
        if refused.why == "not_a_number":
            raise await self._bad(index, "made a vector that is not a number")
        if len(text) < 2 * SHORTEST_HALF:
            raise await self._bad(index, "cannot embed this text")
        halves = [presentable(half) for half in halve(text)]
        vectors = [(await self._settle([half], index, query=query))[0] for half in halves]
        weighed = zip(map(vector_of, vectors), map(len, halves), strict=True)
        return mean(list(weighed))

    async def _bad(self, index: int, detail: str) -> EmbeddingError:
        """Whose fault it is: of this text, or of a provider that can embed nothing any more."""
        if await self._works_otherwise():
            return EmbeddingError(self._code, "bad_item", detail, index=index)
        return EmbeddingError(self._code, "transient", "failed inside")

    async def _ask_twice(self, texts: Sequence[str], query: bool) -> list[Vector]:
        """Ask; after a passing failure once more. A query is asked once: its caller cannot wait."""
        try:
            return await self._ask_once(texts, query)
        except EmbeddingError as error:
            if query or not worth_another_try(error):
                raise
        await self._sleep(BACK_OFF_S)
        try:
            return await self._ask_once(texts, query)
        except EmbeddingError as error:
            if error.detail not in _SUSPICIOUS or not await self._works_otherwise():
                raise
            raise TextRefused("suspicious") from None

    async def _ask_once(self, texts: Sequence[str], query: bool) -> list[Vector]:
        if query:
            texts = [self._space.prompt + text for text in texts]
        await self._turns.enter(query=query)
        request = self._begin(texts)
        try:
            made = await asyncio.shield(request)
        except EmbeddingError as error:
            if error.detail == "took too long":
                self._pace.slow_down()
            raise
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if request.cancelled() and caller is not None and not caller.cancelling():
                raise self._closed_error() from None  # it did not give up: this was closed
            raise
        if not query:
            self._pace.learn(texts, made.took_s)
        assert len(made.vectors) == len(texts)
        return made.vectors

    def _begin(self, texts: Sequence[str]) -> "asyncio.Task[TimedVectors]":
        """Send a request that goes on by itself, and ends the turn when it ends."""
        if self._closed:
            self._turns.leave()
            raise self._closed_error()
        request = asyncio.create_task(self._ask(texts, self._pace.allowance_s(texts)))
        request.add_done_callback(self._ended)
        self._request = request
        return request

    def _ended(self, request: "asyncio.Task[TimedVectors]") -> None:
        self._request = None
        if not request.cancelled():
            request.exception()  # its caller may have given up: then nobody else looks
        self._turns.leave()

    def _closed_error(self) -> EmbeddingError:
        return EmbeddingError(self._code, "unreachable", "is closed")

    async def _works_otherwise(self) -> bool:
        """True if the provider embeds a harmless text, so that the fault lies with the others."""
        try:
            await self._ask_once([CANARY], False)
        except (EmbeddingError, TextRefused):
            return False
        return True

    @property
    def _code(self) -> Code:
        ollama = self._space.provider == "ollama"
        return "OLLAMA_UNREACHABLE" if ollama else "EMBEDDER_UNAVAILABLE"


def worth_another_try(error: EmbeddingError) -> bool:
    """True for failures that pass; what took too long once would take too long again."""
    return error.kind == "transient" and error.detail != "took too long"


def presentable(text: str) -> str:
    """A text that every provider takes: valid Unicode, and not blank."""
    if not text or text.isspace():
        return _BLANK
    return text.encode("utf-8", "replace").decode("utf-8")


def halve(text: str) -> tuple[str, str]:
    """A text in two, between two words if there is a gap near the middle."""
    middle = len(text) // 2
    gap = text.rfind(" ", middle // 2, middle + 1)
    cut = gap if gap > 0 else middle
    return text[:cut], text[cut:]
