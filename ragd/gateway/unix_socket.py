"""A private Unix socket: only its owner can reach it at any time, and each peer is checked.

It never removes anything that is not a socket, and never parses a byte from another user.
"""

import asyncio
import os
import socket
import stat
import struct
from collections.abc import Callable
from pathlib import Path

from ragd.errors import ConfigError, PermissionRefused
from ragd.paths import SOCKET_PATH_MAX
from ragd.runtime.durable_files import private_directory

BACKLOG = 128


def peer_uid(connection: socket.socket) -> int:
    """The user id of the process at the other end, from the kernel."""
    if hasattr(socket, "SO_PEERCRED"):
        raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", raw)[1])
    # macOS: struct xucred {version, uid, …}; SOL_LOCAL is 0, LOCAL_PEERCRED is 1. Not tested.
    raw = connection.getsockopt(0, 1, 76)
    return int(struct.unpack_from("=Ii", raw)[1])


class _PeerCheck(asyncio.Protocol):
    """Checks the peer's user before anything is read, then hands the connection over."""

    def __init__(self, factory: Callable[[], asyncio.Protocol], owner: int) -> None:
        self._factory = factory
        self._owner = owner

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if peer_uid(transport.get_extra_info("socket")) != self._owner:
            transport.abort()
            return
        handler = self._factory()
        transport.set_protocol(handler)
        handler.connection_made(transport)


class UnixListener:
    """Listens on one path. The caller holds the home's lock, so an existing socket is stale."""

    def __init__(self, path: str, owner: int | None = None) -> None:
        self.address = path
        self._owner = os.getuid() if owner is None else owner
        self._server: asyncio.Server | None = None
        self._inode = 0

    async def listen(self, factory: Callable[[], asyncio.Protocol]) -> None:
        """Start accepting. Each connection of the owner gets a protocol from `factory`."""
        bound = self._bind()
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(
            lambda: _PeerCheck(factory, self._owner), sock=bound, backlog=BACKLOG
        )

    async def close(self) -> None:
        """Stop accepting and remove the socket, if it is still ours. Open connections stay."""
        if self._server is not None:
            self._server.close()
            self._server = None
            self._remove()

    def _remove(self) -> None:
        path = Path(self.address)
        if path.is_socket() and path.lstat().st_ino == self._inode:
            path.unlink()

    def _bind(self) -> socket.socket:
        path = Path(self.address)
        if len(os.fsencode(path)) > SOCKET_PATH_MAX:
            raise ConfigError(
                f"The socket's path is longer than {SOCKET_PATH_MAX} bytes: {path}.",
                "Choose a shorter home with --home, or a shorter XDG_RUNTIME_DIR.",
            )
        private_directory(path.parent)
        _clear_stale(path)
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # Before bind, the mode of the descriptor becomes the mode of the file: it never has
            # mode 0777, whatever the umask is.
            os.fchmod(bound.fileno(), 0o600)
            bound.bind(self.address)
            path.chmod(0o600)  # for systems that ignore the line above
            bound.setblocking(False)
            self._inode = path.lstat().st_ino
        except BaseException:
            bound.close()
            raise
        return bound


def _clear_stale(path: Path) -> None:
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise PermissionRefused(
            f"{path} is in the way: it is not a socket.", "Move it away, then start ragd again."
        )
    path.unlink()
