"""A fake Ollama on a real port, with the answers and faults of the real one."""

import asyncio
import hashlib
import json
import math
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from aiohttp import web

from tests.http_servers import serving

MODEL = "mxbai-embed-large"
DIGEST = "468836162de7f81e041c43663fedbbba921dcea9b9fefea135685a39b2d83dd8"
DIMENSIONS = 48
CONTEXT_TOKENS = 512

TOO_LONG = {"error": "the input length exceeds the context length"}
EOF = {
    "error": 'do embedding request: Post "http://127.0.0.1:40123/embedding": EOF, in a Secret note'
}
TERMINATED = {"error": "llama runner process has terminated: signal: killed, a Secret note"}
BUSY = {"error": "server busy, please try again.  maximum pending requests exceeded"}
NAN_400 = {"error": "failed to encode response: json: unsupported value: NaN"}

Answer = Callable[[web.Request, dict[str, Any]], Any]


class FakeOllama:
    """The models of the server, its next faults, and the requests it has received."""

    def __init__(self) -> None:
        self.base_url = ""
        self.models = {f"{MODEL}:latest": DIGEST}
        self.faults: deque[Answer] = deque()  # for the next requests, one each
        self.always: Answer | None = None  # for every request
        self.poison: dict[str, Answer] = {}  # for requests that hold a text with this in it
        self.requests: list[dict[str, Any]] = []
        self.asked = asyncio.Event()
        self.go = asyncio.Event()
        self.go.set()
        self.in_flight = 0
        self.most_in_flight = 0
        self.answered = 0

    @property
    def inputs(self) -> list[list[str]]:
        return [request["input"] for request in self.requests]

    async def version(self, request: web.Request) -> web.Response:
        return web.json_response({"version": "0.33.1"})

    async def tags(self, request: web.Request) -> web.Response:
        models = [
            {"name": name, "model": name, "digest": digest, "size": 669615493, "details": {}}
            for name, digest in self.models.items()
        ]
        return web.json_response({"models": models})

    async def embed(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            body = await request.json()
            self.requests.append(body)
            self.asked.set()
            await self.go.wait()
            response = await self._answer(request, body)
            self.answered += 1
            return response
        finally:
            self.in_flight -= 1

    async def _answer(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        fault = self.faults.popleft() if self.faults else self.always
        for words, answer in self.poison.items():
            if any(words in text for text in body["input"]):
                fault = answer
        if fault is not None:
            result = fault(request, body)
            response = await result if asyncio.iscoroutine(result) else result
            assert isinstance(response, web.StreamResponse)
            return response
        return self.answer(body)

    def answer(self, body: dict[str, Any]) -> web.Response:
        if isinstance(body.get("keep_alive"), str) and not body["keep_alive"][-1].isalpha():
            return failure(400, {"error": 'time: missing unit in duration "-1"'})
        name = body["model"] if ":" in body["model"] else body["model"] + ":latest"
        if name not in self.models:
            message = f'model "{body["model"]}" not found, try pulling it first'
            return failure(404, {"error": message})
        texts = body["input"]
        if any(len(text.split()) > CONTEXT_TOKENS for text in texts):
            if not body.get("truncate", True):
                return failure(400, TOO_LONG)
            texts = [" ".join(text.split()[:CONTEXT_TOKENS]) for text in texts]
        return vectors(body, [vector_of(text) for text in texts])


def vector_of(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """Texts that share words are close: every word has a direction of its own."""
    total = [0.0] * dimensions
    for word in text.lower().split() or [text]:
        parts = zip(total, _direction(word, dimensions), strict=True)
        total = [value + part for value, part in parts]
    length = math.hypot(*total)
    return [value / length for value in total]


@cache
def _direction(word: str, dimensions: int) -> list[float]:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
    source = random.Random(seed)
    return [source.gauss(0, 1) for _ in range(dimensions)]


def failure(status: int, body: object) -> web.Response:
    return web.json_response(body, status=status)


def vectors(body: dict[str, Any], rows: list[list[float]]) -> web.Response:
    answer = {
        "model": body["model"],
        "embeddings": rows,
        "total_duration": 14_143_917,
        "load_duration": 1_019_500,
        "prompt_eval_count": 8,
    }
    return web.Response(text=json.dumps(answer), content_type="application/json")


# Faults. Each takes the request and its body and answers wrongly.


def says(status: int, body: object) -> Answer:
    return lambda request, asked: failure(status, body)


def raw(text: str, status: int = 200) -> Answer:
    return lambda request, asked: web.Response(
        text=text, status=status, content_type="application/json"
    )


def rows(make: Callable[[list[str]], list[list[float]]]) -> Answer:
    return lambda request, asked: vectors(asked, make(asked["input"]))


async def hang(request: web.Request, asked: dict[str, Any]) -> web.StreamResponse:
    await asyncio.Event().wait()
    raise AssertionError


async def cut_off(request: web.Request, asked: dict[str, Any]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "5000"})
    await response.prepare(request)
    await response.write(b'{"model":"mxbai-embed-large","embeddings":[[0.1,')
    assert request.transport is not None
    request.transport.close()
    return response


async def never_ends(request: web.Request, asked: dict[str, Any]) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b'{"embeddings":[[')
    while True:
        await response.write(b"0.125," * 10_000)


def elsewhere(request: web.Request, asked: dict[str, Any]) -> web.Response:
    return web.Response(status=307, headers={"Location": "http://127.0.0.1:1/api/embed"})


@asynccontextmanager
async def running(port: int = 0) -> AsyncIterator[FakeOllama]:
    """Run a server during the block."""
    server = FakeOllama()
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.add_routes(
        [
            web.get("/api/version", server.version),
            web.get("/api/tags", server.tags),
            web.post("/api/embed", server.embed),
        ]
    )
    async with serving(app, port, shutdown_timeout=0, handler_cancellation=True) as used:
        server.base_url = f"http://127.0.0.1:{used}"
        yield server
