"""The life of the bridge: take the lock, bind, serve until a signal, close.

It listens on the two loopback addresses and nowhere else, unless it is told to.
"""

import asyncio
import contextlib
import errno
import functools
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence

from aiohttp import web

from ragctl.bridge.addresses import LOOPBACK, hosts_of, own_hosts, url
from ragctl.bridge.bridge_app import MCP, BridgeApp, McpHandler
from ragctl.bridge.bridge_lock import hold_bridge_lock, write_addresses
from ragctl.bridge.entry_links import remove_expired
from ragctl.bridge.http_connection import connection_factory
from ragctl.bridge.page_address import new_page_host
from ragctl.bridge.rate_limits import RateLimits
from ragctl.failure import Failure
from ragd.paths import Home

BACKLOG = 64
CLOSED_WITHIN_S = 1.0
DEFAULT_PORT = 8427
ANY = 0


def run_bridge(
    home: Home, port: int | None, listen: str | None, report: Callable[[str, list[str]], None]
) -> None:
    """Serve until a signal. `port`: None for the usual one, or a free one if it is in use.
    `listen`: a further address, for MCP only. When it answers, `report` gets the address of the
    page and those of MCP. Raises Failure."""
    with hold_bridge_lock(home) as lock, contextlib.ExitStack() as opened:
        remove_expired(home, everything=True)
        sockets = bind_loopback(port)
        found_port: int = sockets[0].getsockname()[1]
        for one in sockets:
            opened.callback(one.close)
        further = [bind(listen, found_port)] if listen is not None else []
        for one in further:
            opened.callback(one.close)
        page_host = new_page_host()
        page = url(page_host, found_port)
        reached = [LOOPBACK[0], *([listen] if listen is not None else [])]
        mcp = [url(one, found_port) + MCP for one in reached]

        def is_ready() -> None:
            write_addresses(lock, page, mcp[0], found_port)
            report(page, mcp)

        asyncio.run(_serve(home, page_host, found_port, sockets, further, listen, is_ready))


def bind_loopback(port: int | None) -> list[socket.socket]:
    """Sockets on 127.0.0.1 and ::1 with the same port. A machine without IPv6 has only the first.
    Raises Failure if the port is in use: another program on ::1 would get what is meant for us."""
    if port is None:
        with contextlib.suppress(Failure):
            return bind_loopback(DEFAULT_PORT)
        port = ANY
    first = bind(LOOPBACK[0], port)
    try:
        return [first, bind(LOOPBACK[1], first.getsockname()[1])]
    except OSError as why:
        if why.errno in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
            return [first]
        first.close()
        raise
    except Failure:
        first.close()
        raise


def bind(address: str, port: int) -> socket.socket:
    """A socket that is bound to exactly this address. Raises Failure if it is in use."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind((address, port))
    except OSError as why:
        made.close()
        if why.errno in (errno.EADDRINUSE, errno.EACCES):
            raise Failure(
                f"The port {port} of {address} cannot be used: another program has it, or it is "
                "for the administrator.",
                "Choose another port: `ragctl serve --port 0` takes a free one.",
            ) from None
        if why.errno == errno.EADDRNOTAVAIL and address not in LOOPBACK:
            raise Failure(
                f"{address} is not an address of this machine.", "`ip address` lists them."
            ) from None
        raise
    made.setblocking(False)
    return made


async def _serve(
    home: Home,
    page_host: str,
    port: int,
    sockets: Sequence[socket.socket],
    further: Sequence[socket.socket],
    listen: str | None,
    is_ready: Callable[[], None],
) -> None:
    ended = asyncio.Event()
    for which in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(which, ended.set)
    limits = RateLimits(time.monotonic)
    async with contextlib.AsyncExitStack() as running:
        mcp = await _run_mcp(home, limits, running)
        page = BridgeApp(home, own_hosts(LOOPBACK, port), hosts_of([page_host], port), mcp, limits)
        running.callback(page.close)
        await running.enter_async_context(answering(page, sockets))
        if listen is not None:
            apart = BridgeApp(home, own_hosts([listen], port), frozenset(), mcp, limits)
            running.callback(apart.close)
            await running.enter_async_context(answering(apart, further))
        is_ready()
        await ended.wait()


async def _run_mcp(
    home: Home, limits: RateLimits, running: contextlib.AsyncExitStack
) -> McpHandler | None:
    try:
        from ragctl.bridge.mcp_route import McpRoute
    except ModuleNotFoundError:
        return None
    route = McpRoute(home, limits)
    await running.enter_async_context(route.run())
    return route


@contextlib.asynccontextmanager
async def answering(bridge: BridgeApp, sockets: Sequence[socket.socket]) -> AsyncIterator[None]:
    """Answers on these sockets during the block."""
    loop = asyncio.get_running_loop()
    runner = web.AppRunner(bridge.app, access_log=None, handler_cancellation=True)
    await runner.setup()
    factory = functools.partial(connection_factory, runner)
    servers = [await loop.create_server(factory, sock=one, backlog=BACKLOG) for one in sockets]
    try:
        yield
    finally:
        for server in servers:
            server.close()
        if runner.server is not None:
            runner.server.pre_shutdown()
            await runner.server.shutdown(CLOSED_WITHIN_S)
        await runner.cleanup()
