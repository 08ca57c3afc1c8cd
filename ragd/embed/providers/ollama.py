"""Ollama's HTTP interface: whether it responds and has the model, and the vectors that it makes.

It never uses a proxy or follows a redirect, and never repeats Ollama's messages: they quote notes.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NoReturn, TypeVar

import aiohttp
import msgspec
from msgspec import Struct

from ragd.embed.providers.embedder_port import (
    CANARY,
    BatchPace,
    EmbeddingError,
    Kind,
    Vector,
    VectorSpace,
    pack,
)
from ragd.embed.providers.request_queue import RequestQueue, TextRefused, TimedVectors
from ragd.runtime.certificates import https_context

ANSWER_WITHIN_S = 2.0
CONNECT_WITHIN_S = 3.0
LOAD_WITHIN_S = 60.0
TURN_S = 2.0
FIRST_BATCH = 8
KEEP_ALIVE = "30m"
LISTING_BYTES = 4 * 1024 * 1024
MOST_DIMENSIONS = 8192  # limits the size of an answer; larger than the vectors of any index
USUAL_DIMENSIONS = 1024  # of the default model; for an index that is made while Ollama is down
QUERY_PROMPTS = {
    "mxbai-embed-large": "Represent this sentence for searching relevant passages: ",
}


class _OllamaVersion(Struct):
    version: str


class _Model(Struct):
    name: str
    digest: str = ""


class _Tags(Struct):
    models: list[_Model]


class _Embeddings(Struct):
    embeddings: list[list[float]]
    load_duration: int = 0  # nanoseconds


class OllamaModelInfo(Struct, frozen=True):
    """The version of an Ollama server, and the digest of a model; None if it does not have it."""

    version: str
    digest: str | None


async def is_reachable(base_url: str) -> bool:
    """Whether an Ollama server answers at this address."""
    client = _OllamaClient(base_url)
    try:
        await client.get("/api/version", _OllamaVersion)
    except EmbeddingError:
        return False
    finally:
        await client.close()
    return True


async def read_model_info(base_url: str, model: str) -> OllamaModelInfo:
    """The server's version and the model's digest. It loads no model."""
    client = _OllamaClient(base_url)
    try:
        return await _read_model_info(client, model)
    finally:
        await client.close()


async def connect(
    base_url: str, model: str, dimensions: int = 0, batch_size: int = 64
) -> "OllamaEmbedder":
    """An embedder for this model. Raises EmbeddingError if the server or the model is missing.

    The model decides the size of its vectors; `dimensions`, if it is not 0, must be the same.
    """
    found = await read_model_info(base_url, model)
    if found.digest is None:
        raise _model_missing()
    made = await vector_size(base_url, model)
    if dimensions not in (0, made):
        raise _wrong_size(dimensions, made)
    space = space_of(model, found.digest, made)
    return OllamaEmbedder(base_url, space, batch_size, configured=dimensions)


async def vector_size(base_url: str, model: str) -> int:
    """How many numbers a vector of this model has. It loads the model."""
    client = _OllamaClient(base_url)
    try:
        answer = await _embed(client, model, [CANARY], LOAD_WITHIN_S)
    except TextRefused:
        raise _error("transient", "reported an internal error") from None
    finally:
        await client.close()
    if len(answer.embeddings) != 1 or not answer.embeddings[0]:
        raise _error("transient", "answered with the wrong number of vectors")
    return len(answer.embeddings[0])


def space_of(model: str, digest: str, dimensions: int) -> VectorSpace:
    """The vector space of one of Ollama's models."""
    prompt = QUERY_PROMPTS.get(model.partition(":")[0].rpartition("/")[2], "")
    return VectorSpace("ollama", model, digest, dimensions, prompt)


class OllamaEmbedder:
    """Vectors from one model of one Ollama server, one request at a time."""

    def __init__(
        self,
        base_url: str,
        space: VectorSpace,
        batch_size: int = 64,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        configured: int = 0,
    ) -> None:
        self._space = space
        self._configured = configured  # the size that vectors must have; 0: the index's own
        self._client = _OllamaClient(base_url)
        pace = BatchPace(TURN_S, min(FIRST_BATCH, batch_size), batch_size)
        self._batches = RequestQueue(self._send, space, pace, sleep)

    @property
    def space(self) -> VectorSpace:
        return self._space

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return await self._batches.embed(texts)

    async def embed_passages(self, texts: Sequence[str], *, urgent: bool = False) -> list[Vector]:
        return await self.embed(texts)  # Ollama gives one vector for a text

    async def embed_query(self, text: str) -> Vector:
        return await self._batches.embed_query(text)

    async def digest(self) -> str | None:
        """The current digest of the model with this name; None if the server does not have it."""
        return await _digest_of(self._client, self._space.model)

    async def close(self) -> None:
        await self._batches.close()
        await self._client.close()

    async def _send(self, texts: Sequence[str], allowance_s: float) -> TimedVectors:
        started = time.monotonic()
        answer = await self._post(texts, allowance_s)
        took_s = time.monotonic() - started - answer.load_duration / 1e9
        if len(answer.embeddings) != len(texts):
            raise _error("transient", "answered with the wrong number of vectors")
        for made in {len(row) for row in answer.embeddings}:
            if self._configured not in (0, made):
                raise _wrong_size(self._configured, made)
            if made != self._space.dimensions:
                raise _mismatch("makes vectors of another size than the index")
        try:
            return TimedVectors([pack(row) for row in answer.embeddings], max(0.0, took_s))
        except ValueError:
            raise TextRefused("not_a_number") from None

    async def _post(self, texts: Sequence[str], allowance_s: float) -> _Embeddings:
        return await _embed(self._client, self._space.model, texts, allowance_s)


Answer = TypeVar("Answer", bound=Struct)


class _OllamaClient:
    """HTTP to one server, with limits on time and size. Raises EmbeddingError."""

    def __init__(self, base_url: str) -> None:
        self._base_url = base_url.rstrip("/")
        self._session: aiohttp.ClientSession | None = None
        self._closed = False

    async def get(self, path: str, shape: type[Answer]) -> Answer:
        return await self._call("GET", path, None, shape, ANSWER_WITHIN_S, LISTING_BYTES)

    async def post(
        self, path: str, request: object, shape: type[Answer], within_s: float, limit: int
    ) -> Answer:
        body = msgspec.json.encode(request)
        return await self._call("POST", path, body, shape, within_s, limit)

    async def close(self) -> None:
        self._closed = True
        if self._session is not None:
            await self._session.close()

    async def _call(
        self,
        method: str,
        path: str,
        body: bytes | None,
        shape: type[Answer],
        within_s: float,
        limit: int,
    ) -> Answer:
        try:
            status, answer = await self._exchange(method, path, body, within_s, limit)
        except (aiohttp.ConnectionTimeoutError, aiohttp.ClientConnectorError):
            raise _error("unreachable", "does not answer") from None
        except TimeoutError:
            raise _error("transient", "took too long") from None
        except (aiohttp.ClientPayloadError, aiohttp.ClientConnectionError, OSError):
            raise _error("transient", "stopped in the middle of an answer") from None
        except (aiohttp.ClientError, ValueError):
            raise _error("unreachable", "does not answer") from None
        if status != 200:
            _raise_for_answer(status, answer)
        try:
            return msgspec.json.decode(answer, type=shape)
        except msgspec.DecodeError:  # the cause may quote the answer
            raise _error("transient", "answered something that is not an embedding") from None

    async def _exchange(
        self, method: str, path: str, body: bytes | None, within_s: float, limit: int
    ) -> tuple[int, bytes]:
        timeout = aiohttp.ClientTimeout(total=within_s, sock_connect=CONNECT_WITHIN_S)
        async with self._open().request(
            method,
            self._base_url + path,
            data=body,
            headers={"Content-Type": "application/json", "Accept-Encoding": "identity"},
            timeout=timeout,
            allow_redirects=False,
        ) as response:
            answer = bytearray()
            async for piece in response.content.iter_any():
                answer += piece
                if len(answer) > limit:
                    raise _error("transient", "answered more than expected")
            return response.status, bytes(answer)

    def _open(self) -> aiohttp.ClientSession:
        if self._closed:
            raise _error("unreachable", "is closed")
        if self._session is None:
            is_https = self._base_url.lower().startswith("https:")
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=https_context()) if is_https else None,
                trust_env=False,
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


async def _embed(
    client: _OllamaClient, model: str, texts: Sequence[str], allowance_s: float
) -> _Embeddings:
    # No options, in any request: other options would reload the model.
    # Not truncated: Ollama would cut long texts silently, so it must refuse them.
    request = {"model": model, "input": texts, "truncate": False, "keep_alive": KEEP_ALIVE}
    limit = 65_536 + len(texts) * MOST_DIMENSIONS * 40
    return await client.post("/api/embed", request, _Embeddings, allowance_s, limit)


async def _read_model_info(client: _OllamaClient, model: str) -> OllamaModelInfo:
    version = (await client.get("/api/version", _OllamaVersion)).version
    return OllamaModelInfo(version, await _digest_of(client, model))


async def _digest_of(client: _OllamaClient, model: str) -> str | None:
    known = {entry.name: entry.digest for entry in (await client.get("/api/tags", _Tags)).models}
    named = model if ":" in model else f"{model}:latest"
    return known.get(named, known.get(model))


# What a failed answer means, by its words: the status is not enough. The first match counts.
_MEANINGS: tuple[tuple[re.Pattern[bytes], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), meaning)
    for pattern, meaning in (
        (rb"not found, try pulling", "model_missing"),
        (rb"exceeds the (context length|available context size)", "too_long"),
        (rb"too large to process", "too_long"),
        (rb"\bNaN\b", "not_a_number"),
        (rb"server busy", "busy"),
        (rb"\bEOF\b|connection reset|forcibly closed", "cut"),
    )
)


def _raise_for_answer(status: int, answer: bytes) -> NoReturn:
    """Raise the error that an unsuccessful answer means."""
    if 300 <= status < 400:
        raise _error("unreachable", "answered with a redirect")
    meaning = next((name for words, name in _MEANINGS if words.search(answer)), "")
    match meaning:
        case "model_missing":
            raise _model_missing()
        case "too_long" | "not_a_number":
            raise TextRefused(meaning)
        case "cut":
            raise _error("transient", "stopped in the middle of an answer")
    if meaning == "busy" or status == 503:
        raise _error("transient", "is busy")
    raise _error("transient", "reported an internal error")


def _error(kind: Kind, detail: str) -> EmbeddingError:
    return EmbeddingError("OLLAMA_UNREACHABLE", kind, detail)


def _model_missing() -> EmbeddingError:
    return EmbeddingError("OLLAMA_MODEL_MISSING", "model_missing", "does not have the model")


def _wrong_size(configured: int, made: int) -> EmbeddingError:
    detail = "makes vectors of another size than configured"
    return EmbeddingError(
        "DIMENSIONS_MISMATCH", "wrong_model", detail, configured=configured, made=made
    )


def _mismatch(detail: str) -> EmbeddingError:
    return EmbeddingError("INDEX_MODEL_MISMATCH", "wrong_model", detail)
