"""The life of the bridge: take the lock, bind, serve until a signal, close.

It listens on the two loopback addresses and nowhere else, unless it is told to.
"""

import asyncio
import contextlib
import errno
import functools
import signal
import socket
from collections.abc import Callable

from aiohttp import web

from ragctl.bridge.addresses import LOOPBACK, own_hosts, url
from ragctl.bridge.bridge_app import BridgeApp
from ragctl.bridge.bridge_lock import hold_bridge_lock, write_address
from ragctl.bridge.entry_links import remove_expired
from ragctl.bridge.http_connection import connection_factory
from ragctl.failure import Failure
from ragd.paths import Home

BACKLOG = 64
CLOSED_WITHIN_S = 1.0


def run_bridge(home: Home, port: int, report: Callable[[str], None]) -> None:
    """Serve until a signal. `report` gets the address when it answers. Raises Failure."""
    with hold_bridge_lock(home) as lock:
        remove_expired(home, everything=True)
        sockets = bind_loopback(port)
        bound_port: int = sockets[0].getsockname()[1]
        address = url(LOOPBACK[0], bound_port)
        bridge = BridgeApp(home, own_hosts(LOOPBACK, bound_port))

        def is_ready() -> None:
            write_address(lock, address, bound_port)
            report(address)

        try:
            asyncio.run(_serve(bridge, sockets, is_ready))
        finally:
            bridge.close()


def bind_loopback(port: int) -> list[socket.socket]:
    """Sockets on 127.0.0.1 and ::1 with the same port. A machine without IPv6 has only the first.
    Raises Failure if the port is in use: another program on ::1 would get what is meant for us."""
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
        raise
    made.setblocking(False)
    return made


async def _serve(
    bridge: BridgeApp, sockets: list[socket.socket], is_ready: Callable[[], None]
) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for which in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(which, ended.set)
    runner = web.AppRunner(bridge.app, access_log=None, handler_cancellation=True)
    await runner.setup()
    factory = functools.partial(connection_factory, runner)
    servers = [await loop.create_server(factory, sock=one, backlog=BACKLOG) for one in sockets]
    is_ready()
    try:
        await ended.wait()
    finally:
        for server in servers:
            server.close()
        if runner.server is not None:
            runner.server.pre_shutdown()
            await runner.server.shutdown(CLOSED_WITHIN_S)
        await runner.cleanup()
