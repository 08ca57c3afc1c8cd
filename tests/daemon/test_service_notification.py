"""Messages to the service manager: over a real datagram socket, from a real daemon."""

import asyncio
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragd.folds.health_reasons import Health, RaisedReason
from ragd.health.service_notification import health_summary
from ragd.paths import Home
from ragd.runtime.notify_socket import NotifySocket, from_environment
from tests.daemon.processes import Process, types
from tests.patience import PATIENCE_S, wait_until

Start = Callable[..., Process]
WITHIN_S = PATIENCE_S


class Manager:
    """Listens as systemd does."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.heard: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)
        self._socket.setblocking(False)

    async def until(self, line: str, times: int = 1) -> None:
        """Wait until this line was sent so many more times."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(WITHIN_S):
            while times:
                lines = (await loop.sock_recv(self._socket, 4096)).decode().split("\n")
                self.heard += lines
                times -= lines.count(line)

    def drain(self) -> list[str]:
        """Receive everything that was sent so far."""
        fresh: list[str] = []
        while True:
            try:
                fresh += self._socket.recv(4096).decode().split("\n")
            except BlockingIOError:
                self.heard += fresh
                return fresh

    async def silence(self, seconds: float) -> None:
        """Wait until nothing was sent for this long."""
        quiet_since = time.monotonic()
        deadline = quiet_since + WITHIN_S
        while time.monotonic() - quiet_since < seconds:
            assert time.monotonic() < deadline, self.heard[-5:]
            if self.drain():
                quiet_since = time.monotonic()
            await asyncio.sleep(0.02)

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(params=["path", "abstract"])
def address(request: pytest.FixtureRequest, folder: Path) -> str:
    place = str(folder / "notify")
    return place if request.param == "path" else f"@{place}"


@pytest.fixture
def manager(folder: Path) -> Iterator[Manager]:
    manager = Manager(str(folder / "notify"))
    yield manager
    manager.close()


async def test_ready_is_said_when_it_listens_and_stopping_when_it_goes(
    home: Home, start: Start, address: str
) -> None:
    manager = Manager(address)
    try:
        daemon = start("plain", NOTIFY_SOCKET=address)
        await manager.until("READY=1")
        assert manager.heard[0] == "READY=1" and manager.heard[1].startswith("STATUS=")
        assert (await daemon.ask("GET", "/v1/status")).status == 200
        assert (await daemon.ask("POST", "/v1/stop")).status == 200
        await manager.until("STOPPING=1")
        assert await daemon.wait_for_exit() == 0
        assert "WATCHDOG=1" not in manager.heard + manager.drain()  # not requested
    finally:
        manager.close()


async def test_the_status_follows_health(home: Home, start: Start, manager: Manager) -> None:
    daemon = start("plain", NOTIFY_SOCKET=manager.address)
    await manager.until("STATUS=unavailable: INDEX_NOT_FOUND")
    await wait_until(lambda: "watch_started" in types(home))  # else the watch would be lost as well
    vault = Path(home.root).parent / "vault"
    vault.rename(vault.with_name("away"))
    await manager.until("STATUS=unavailable: VAULT_NOT_FOUND, INDEX_NOT_FOUND")
    await daemon.stop()


async def test_it_pings_while_it_lives(home: Home, start: Start, manager: Manager) -> None:
    daemon = start("plain", NOTIFY_SOCKET=manager.address, WATCHDOG_USEC="300000")
    await manager.until("WATCHDOG=1", times=5)
    assert await daemon.stop() == 0


async def test_a_daemon_whose_loop_hangs_pings_no_more(
    home: Home, start: Start, manager: Manager, folder: Path
) -> None:
    daemon = start(
        f"hang_when={folder / 'hang'}", NOTIFY_SOCKET=manager.address, WATCHDOG_USEC="300000"
    )
    await manager.until("WATCHDOG=1", times=2)
    (folder / "hang").touch()
    await manager.silence(0.6)
    assert daemon.popen.poll() is None


async def test_a_daemon_that_lost_an_actor_pings_no_more_though_it_answers(
    home: Home, start: Start, manager: Manager, folder: Path
) -> None:
    daemon = start(
        f"leave_when={folder / 'leave'}", NOTIFY_SOCKET=manager.address, WATCHDOG_USEC="300000"
    )
    await manager.until("WATCHDOG=1", times=2)
    await daemon.wait_for_reasons("STARTING", absent=True)
    (folder / "leave").touch()
    await manager.silence(0.6)
    assert (await daemon.ask("GET", "/v1/status")).status == 200


async def test_an_actor_that_crashes_and_comes_back_is_not_gone(
    home: Home, start: Start, manager: Manager, folder: Path
) -> None:
    daemon = start(
        f"crash_when={folder / 'crash'}", NOTIFY_SOCKET=manager.address, WATCHDOG_USEC="300000"
    )
    await manager.until("WATCHDOG=1", times=2)
    (folder / "crash").write_text("oops")
    await wait_until(lambda: not (folder / "crash").exists())
    await manager.until("WATCHDOG=1", times=5)
    assert await daemon.stop() == 0


async def test_the_watchdog_of_another_process_is_not_ours(
    home: Home, start: Start, manager: Manager
) -> None:
    daemon = start(
        "plain", NOTIFY_SOCKET=manager.address, WATCHDOG_USEC="30000", WATCHDOG_PID=str(os.getpid())
    )
    await manager.until("STATUS=unavailable: INDEX_NOT_FOUND")
    assert await daemon.stop() == 0
    assert "WATCHDOG=1" not in manager.heard + manager.drain()


async def test_a_manager_that_is_not_there_hinders_nobody(
    home: Home, start: Start, folder: Path
) -> None:
    daemon = start("plain", NOTIFY_SOCKET=str(folder / "nobody"))
    await daemon.wait_until_ready()
    assert await daemon.stop() == 0 and daemon.output == ""


def test_children_do_not_inherit_what_the_manager_told_us() -> None:
    environment = {"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "6", "WATCHDOG_PID": "1", "A": "b"}
    assert from_environment(environment).watchdog_s is None
    assert environment == {"A": "b"}


@pytest.mark.parametrize(
    ("period", "seconds"), [("3000000", 3.0), ("0", None), ("", None), ("-5", None), ("²", None)]
)
def test_the_period_of_the_watchdog(period: str, seconds: float | None) -> None:
    asked = {"NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": period}
    assert from_environment(asked).watchdog_s == seconds


@pytest.mark.parametrize("address", ["", "vsock:2:1234", "relative"])
def test_an_address_of_another_kind_is_left_alone(address: str) -> None:
    manager = from_environment({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "3000000"})
    manager.send("READY=1")
    assert manager.watchdog_s is None


def test_sending_without_a_manager_does_nothing() -> None:
    NotifySocket().send("READY=1")


def test_health_in_a_word_or_with_its_reasons() -> None:
    assert health_summary(Health()) == "healthy"
    stale = Health(state="degraded", reasons={"INDEX_STALE": RaisedReason("", 1)})
    stale.states["INDEX_STALE"] = "degraded"
    assert health_summary(stale) == "degraded: INDEX_STALE"
