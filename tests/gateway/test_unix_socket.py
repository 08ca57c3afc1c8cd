"""The private socket: other users never get access, and other files are never removed."""

import asyncio
import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from ragd.errors import EXIT_CONFIG, EXIT_PERMISSION, ConfigError, PermissionRefused
from ragd.gateway.unix_socket import UnixListener, peer_uid
from ragd.paths import SOCKET_PATH_MAX
from tests.patience import PATIENCE_S

OTHER = 65534
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")


class Greeter(asyncio.Protocol):
    """Sends hello to each client, and records the first bytes it receives."""

    served: list["Greeter"]

    def __init__(self, served: list["Greeter"]) -> None:
        self.received = b""
        served.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(b"hello")

    def data_received(self, data: bytes) -> None:
        self.received += data
        self.transport.close()


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rd", dir="/tmp") as folder:
        yield Path(folder) / "in" / "ragd.sock"


@pytest.fixture
def no_umask() -> Iterator[None]:
    mask = os.umask(0)
    yield
    os.umask(mask)


@asynccontextmanager
async def listening(path: Path, owner: int | None = None) -> AsyncIterator[list[Greeter]]:
    served: list[Greeter] = []
    listener = UnixListener(str(path), owner)
    await listener.listen(lambda: Greeter(served))
    try:
        yield served
    finally:
        await listener.close()


async def talk(path: Path, say: bytes = b"hi") -> bytes:
    """What a client receives until the server closes the connection."""
    reader, writer = await asyncio.open_unix_connection(str(path))
    try:
        writer.write(say)
        async with asyncio.timeout(PATIENCE_S):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


async def test_the_owner_is_served(place: Path) -> None:
    async with listening(place) as served:
        assert await talk(place) == b"hello"
    assert [s.received for s in served] == [b"hi"]
    assert not place.exists()


# Privacy


@pytest.mark.usefixtures("no_umask")
async def test_the_socket_is_0600_from_the_start_with_any_umask(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[int, int]] = []

    class Watched(socket.socket):
        def bind(self, address: str) -> None:  # type: ignore[override]
            super().bind(address)
            seen.append((mode(Path(address)), mode(Path(address).parent)))

    monkeypatch.setattr(socket, "socket", Watched)
    async with listening(place):
        assert (mode(place), mode(place.parent)) == (0o600, 0o700)
    assert seen == [(0o600, 0o700)]


@pytest.mark.usefixtures("no_umask")
async def test_the_socket_is_never_open_to_others_even_for_a_moment(place: Path) -> None:
    over = threading.Event()
    modes: set[int] = set()
    folders: set[int] = set()

    def watch() -> None:
        while not over.is_set():
            for path, found in ((place, modes), (place.parent, folders)):
                with suppress(FileNotFoundError):
                    found.add(mode(path))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for _ in range(300):
        async with listening(place):
            pass
    over.set()
    await asyncio.to_thread(watcher.join)
    assert modes <= {0o600}
    assert folders == {0o700}


async def test_another_users_connection_is_closed_before_a_handler_is_made(
    place: Path,
) -> None:
    async with listening(place, owner=os.getuid() + 1) as served:
        assert await talk(place, b"GET / HTTP/1.1\r\n\r\n") == b""
        assert await talk(place, b"x" * 100_000) == b""
    assert served == []


@needs_root
async def test_another_user_gets_nothing_even_if_the_files_are_open_to_all(place: Path) -> None:
    async with listening(place) as served:
        for path in (place.parent.parent, place.parent):
            path.chmod(0o777)
        place.chmod(0o777)
        assert await _as_another_user(place) == "nothing"
        place.chmod(0o600)
        assert await _as_another_user(place) == "PermissionError"
        place.chmod(0o777)
        place.parent.chmod(0o700)
        assert await _as_another_user(place) == "PermissionError"
        assert served == []
        assert await talk(place) == b"hello"  # the owner is still served


async def _as_another_user(place: Path) -> str:
    code = (
        "import os, socket, sys\n"
        f"os.setgroups([]); os.setgid({OTHER}); os.setuid({OTHER})\n"
        "end = socket.socket(socket.AF_UNIX); end.settimeout(10)\n"
        "try:\n"
        "    end.connect(sys.argv[1]); end.sendall(b'GET /v1/status HTTP/1.1\\r\\n\\r\\n')\n"
        "    print(end.recv(100).decode() or 'nothing')\n"
        "except ConnectionError: print('nothing')\n"
        "except OSError as why: print(type(why).__name__)\n"
    )
    ran = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-I", "-c", code, str(place)],
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.strip()


def test_the_peers_uid_comes_from_the_kernel() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert peer_uid(one) == os.getuid()


def test_the_uid_is_read_in_the_format_of_macos(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(socket, "SO_PEERCRED")

    class Connection:
        def getsockopt(self, level: int, option: int, size: int) -> bytes:
            assert (level, option) == (0, 1)
            return struct.pack("=IIh", 0, 501, 1).ljust(size, b"\0")

    assert peer_uid(Connection()) == 501  # type: ignore[arg-type]


# Existing files at the path


async def test_a_stale_socket_is_replaced(place: Path) -> None:
    place.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(place))
    assert place.is_socket()
    async with listening(place):
        assert await talk(place) == b"hello"


def _file(path: Path) -> None:
    path.write_text("precious")


def _link_to_a_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as target:
        target.bind(str(path.with_name("target")))
    path.symlink_to(path.with_name("target"))


@pytest.mark.parametrize(
    "make",
    [
        _file,
        Path.mkdir,
        os.mkfifo,
        lambda path: path.symlink_to("/nowhere"),
        lambda path: path.symlink_to(path.parent),
        _link_to_a_socket,
    ],
    ids=["file", "folder", "fifo", "dangling link", "link to a folder", "link to a socket"],
)
async def test_what_is_not_a_socket_is_never_removed(place: Path, make: object) -> None:
    place.parent.mkdir()
    make(place)  # type: ignore[operator]
    before = place.lstat()
    with pytest.raises(PermissionRefused, match="not a socket") as refused:
        async with listening(place):
            pass
    assert refused.value.exit_code == EXIT_PERMISSION
    assert str(place) in refused.value.message
    assert place.lstat() == before


async def test_close_removes_only_its_own_socket(place: Path) -> None:
    async with listening(place):
        place.rename(place.with_name("moved"))
        with socket.socket(socket.AF_UNIX) as another:
            another.bind(str(place))
    assert place.is_socket()
    async with listening(place):
        place.unlink()
        place.write_text("a file came in its place")
    assert place.read_text() == "a file came in its place"
    place.unlink()
    async with listening(place):
        place.unlink()
    assert not place.exists()


async def test_a_path_that_is_too_long_is_refused_with_a_message(place: Path) -> None:
    long = place.with_name("x" * 120)
    with pytest.raises(ConfigError, match="longer than") as refused:
        async with listening(long):
            pass
    assert refused.value.exit_code == EXIT_CONFIG


async def test_the_longest_allowed_path_works(place: Path) -> None:
    place.parent.mkdir()
    room = SOCKET_PATH_MAX - len(os.fsencode(place.parent)) - 1
    longest = place.with_name("x" * room)
    async with listening(longest):
        assert await talk(longest) == b"hello"


@needs_root
async def test_a_folder_of_another_user_is_refused(place: Path) -> None:
    place.parent.mkdir()
    os.chown(place.parent, OTHER, OTHER)
    with pytest.raises(PermissionRefused, match="another user"):
        async with listening(place):
            pass


async def test_closing_twice_or_before_listening_is_harmless(place: Path) -> None:
    listener = UnixListener(str(place))
    await listener.close()
    await listener.listen(asyncio.Protocol)
    await listener.close()
    await listener.close()
    assert not place.exists()


async def test_open_connections_stay_after_the_listener_closes(place: Path) -> None:
    served: list[Greeter] = []
    listener = UnixListener(str(place))
    await listener.listen(lambda: Greeter(served))
    reader, writer = await asyncio.open_unix_connection(str(place))
    assert await reader.readexactly(5) == b"hello"
    await listener.close()
    writer.write(b"still here")
    assert await reader.read() == b""
    assert served[0].received == b"still here"
    writer.close()
