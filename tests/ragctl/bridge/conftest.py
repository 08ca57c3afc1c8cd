"""A bridge on a free port, in front of a real gateway, and clients that can send anything."""

import asyncio
import contextlib
import json
import shutil
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ragctl.bridge.addresses import LOOPBACK, hosts_of, own_hosts
from ragctl.bridge.bridge_app import COOKIE, BridgeApp
from ragctl.bridge.entry_links import make_code
from ragctl.bridge.mcp_route import McpRoute
from ragctl.bridge.page_address import new_page_host
from ragctl.bridge.rate_limits import RateLimits
from ragctl.bridge.run_bridge import answering, bind
from ragd.paths import Home
from tests.daemon.conftest import RunningGateway, run_gateway
from tests.daemon.processes import write_config
from tests.daemon.virtual_clock import VirtualClock
from tests.patience import PATIENCE_S


class Heard(NamedTuple):
    """An answer, as it came."""

    status: int
    headers: dict[str, str]  # names in lower case
    body: bytes

    @property
    def code(self) -> str:
        return str(json.loads(self.body)["error"]["code"])

    @property
    def data(self) -> Any:
        return json.loads(self.body)["data"]


def parse(raw: bytes) -> Heard:
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in rest)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    return Heard(int(first.split(" ")[1]), headers, body)


class Browser(NamedTuple):
    """What a browser that is signed in keeps."""

    cookie: str
    csrf: str

    @property
    def headers(self) -> tuple[str, str]:
        return f"Cookie: {COOKIE}={self.cookie}", f"X-Ragd-Csrf: {self.csrf}"


class Door:
    """A running bridge, from outside. `host` and `origin` are those of the page."""

    def __init__(self, home: Home, page_host: str, port: int) -> None:
        self.home = home
        self.port = port
        self.host = f"{page_host}:{port}"
        self.origin = f"http://{self.host}"
        self.mcp_host = f"127.0.0.1:{port}"
        self.mcp_address = f"http://{self.mcp_host}/mcp"

    async def send(self, raw: bytes, *, address: str = "127.0.0.1") -> bytes:
        """Send these bytes, and read until the bridge closes the connection."""
        async with asyncio.timeout(PATIENCE_S):
            reader, writer = await asyncio.open_connection(address, self.port)
            try:
                writer.write(raw)
                return await reader.read()
            finally:
                writer.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()

    async def ask(
        self, method: str, path: str, *headers: str, body: bytes = b"", host: str | None = None
    ) -> Heard:
        host = host or (self.mcp_host if path.startswith("/mcp") else self.host)
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close"]
        lines += [*headers, f"Content-Length: {len(body)}"] if body else headers
        return parse(await self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body))

    async def post(self, path: str, body: Any, *headers: str) -> Heard:
        """As our own page would."""
        own = (f"Origin: {self.origin}", "Content-Type: application/json")
        return await self.ask("POST", path, *own, *headers, body=json.dumps(body).encode())

    async def enter(self) -> Heard:
        return await self.post("/enter", {"code": make_code(self.home)})

    async def sign_in(self) -> Browser:
        entered = await self.enter()
        cookie = entered.headers["set-cookie"].partition(";")[0].removeprefix(f"{COOKIE}=")
        return Browser(cookie, entered.data["csrf"])


@pytest.fixture
def home() -> Iterator[Home]:
    folder = Path(tempfile.mkdtemp(prefix="rb", dir="/tmp"))
    home = Home(str(folder / "h"))
    write_config(home)
    vault = folder / "vault"
    vault.mkdir(exist_ok=True)
    (vault / "Boat.md").write_text("# Boat\n\nThe engine is blue.\n")
    (vault / "Diary.md").write_text("## #mentalhealth\n\nA session with the therapist.\n")
    yield home
    shutil.rmtree(folder)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
async def gateway(home: Home, clock: VirtualClock) -> AsyncIterator[RunningGateway]:
    async with run_gateway(home, clock) as running:
        yield running


@contextlib.asynccontextmanager
async def run_door(
    home: Home, *, with_page: bool = True, now: Callable[[], float] = time.monotonic
) -> AsyncIterator[Door]:
    """A bridge of this home on a free port."""
    bound: list[socket.socket] = [bind("127.0.0.1", 0)]
    port: int = bound[0].getsockname()[1]
    limits = RateLimits(now)
    route = McpRoute(home, limits)
    page_host = new_page_host()
    page_hosts = hosts_of([page_host], port) if with_page else frozenset[str]()
    bridge = BridgeApp(home, own_hosts(LOOPBACK, port), page_hosts, route, limits, now=now)
    async with route.run(), answering(bridge, bound):
        yield Door(home, page_host if with_page else "127.0.0.1", port)
    bridge.close()


@pytest.fixture
async def door(home: Home, gateway: RunningGateway) -> AsyncIterator[Door]:
    async with run_door(home) as running:
        yield running


@pytest.fixture
async def browser(door: Door) -> Browser:
    return await door.sign_in()
