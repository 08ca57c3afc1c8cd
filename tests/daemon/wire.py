"""Raw HTTP over a Unix socket, so that tests can also send invalid requests."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

from ragd.errors import CODES, SEVERITY
from tests.patience import PATIENCE_S

WITHIN_S = PATIENCE_S
META = {"query_time_ms", "chunks_scanned", "index_version", "vault_mtime"}
OF_A_SEARCH = {"retrieval", "embedded_share", "stale_since", "unindexed_files", "provider", "model"}


def check_envelope(body: bytes) -> dict[str, Any]:
    """Return the envelope in `body`, after checking that it has every required field."""
    envelope: dict[str, Any] = json.loads(body)
    assert list(envelope) == ["status", "data", "error", "meta"]
    assert envelope["status"] in SEVERITY
    assert set(envelope["meta"]) in (META, META | OF_A_SEARCH)
    error = envelope["error"]
    if error is None:
        assert envelope["data"] is not None
    else:
        assert set(error) == {"code", "message", "recoverable", "suggestion"}
        assert error["code"] in CODES
        assert error["message"] and error["suggestion"]
        assert isinstance(error["recoverable"], bool)
    return envelope


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def envelope(self) -> dict[str, Any]:
        assert self.headers["content-type"].startswith("application/json")
        assert self.headers["server"] == "ragd"
        return check_envelope(self.body)

    @property
    def code(self) -> str | None:
        error = self.envelope["error"]
        return error["code"] if error else None

    @property
    def message(self) -> str:
        return str(self.envelope["error"]["message"])

    @property
    def data(self) -> Any:
        return self.envelope["data"]


def head(method: str, target: str, body: bytes | None = None, *more: str) -> bytes:
    """The bytes of a whole request."""
    lines = [f"{method} {target} HTTP/1.1", "Host: ragd", *more]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b"")


class Wire:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        async with asyncio.timeout(WITHIN_S):
            await self.writer.drain()

    async def head(self) -> tuple[int, dict[str, str]]:
        async with asyncio.timeout(WITHIN_S):
            first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        version, status, _ = first.split(" ", 2)
        assert version in ("HTTP/1.1", "HTTP/1.0")
        return int(status), {
            name.lower(): value.strip() for name, _, value in (li.partition(":") for li in lines)
        }

    async def reply(self, *, bodiless: bool = False) -> Reply:
        status, headers = await self.head()
        body = b""
        async with asyncio.timeout(WITHIN_S):
            if bodiless:
                pass
            elif headers.get("transfer-encoding") == "chunked":
                while chunk := await self.chunk():
                    body += chunk
            elif "content-length" in headers:
                body = await self.reader.readexactly(int(headers["content-length"]))
            else:
                body = await self.reader.read()
        return Reply(status, headers, body)

    async def chunk(self) -> bytes:
        size = int(await self.reader.readline(), 16)
        data = await self.reader.readexactly(size)
        assert await self.reader.readline() == b"\r\n"
        return data

    async def rest(self) -> bytes:
        """Everything up to the end of the connection."""
        received = b""
        async with asyncio.timeout(WITHIN_S):
            try:
                while piece := await self.reader.read(65536):
                    received += piece
            except ConnectionError:
                pass
        return received

    async def wait_until_closed(self) -> None:
        """Wait until the other side has closed; what it still sends is dropped."""
        await self.rest()

    def close(self) -> None:
        self.writer.transport.abort()


@asynccontextmanager
async def connected(path: str) -> AsyncIterator[Wire]:
    async with asyncio.timeout(WITHIN_S):
        wire = Wire(*await asyncio.open_unix_connection(path))
    try:
        yield wire
    finally:
        wire.close()


async def ask(
    path: str, method: str, target: str, body: Any = None, *more: str, raw: bytes | None = None
) -> Reply:
    """One request on a connection of its own."""
    content = raw if body is None else json.dumps(body).encode()
    async with connected(path) as wire:
        await wire.send(head(method, target, content, *more, "Connection: close"))
        return await wire.reply(bodiless=method == "HEAD")


async def send_raw(path: str, data: bytes) -> bytes:
    """Send these bytes. Returns everything received until the other side closes."""
    async with connected(path) as wire:
        with suppress(ConnectionError):
            await wire.send(data)
        return await wire.rest()


def replies(data: bytes) -> list[Reply]:
    """Parse the responses (with Content-Length) in these bytes."""
    found: list[Reply] = []
    while data:
        first, _, data = data.partition(b"\r\n\r\n")
        lines = first.decode().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (li.partition(":") for li in lines[1:])}
        size = int(headers.get("content-length", "0"))
        if not lines[0].startswith("HTTP/1.1 100"):
            found.append(Reply(int(lines[0].split(" ")[1]), headers, data[:size]))
        data = data[size:]
    return found


async def lines(wire: Wire) -> AsyncIterator[dict[str, Any]]:
    """Yield the NDJSON lines of a chunked answer as they arrive."""
    buffer = b""
    while chunk := await wire.chunk():
        buffer += chunk
        *whole, buffer = buffer.split(b"\n")
        for line in whole:
            yield json.loads(line)
    assert not buffer
