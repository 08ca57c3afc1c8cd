"""The named pipe, as far as it can be tested without Windows: names, access lists, order."""

import asyncio
import sys

import pytest

from ragd.errors import EXIT_PERMISSION, PermissionRefused, StartupError
from ragd.gateway import named_pipe
from ragd.gateway.named_pipe import (
    NamedPipeListener,
    checked_descriptor,
    checked_name,
    create_instance,
    private_descriptor,
)
from ragd.paths import Home

USER = "S-1-5-21-1004336348-1177238915-682003330-1001"
PRIVATE = f"D:P(A;;GA;;;{USER})"
ADDRESS = r"\\.\pipe\ragd-0123456789abcdef"


class FakeInstance:
    def __init__(self, first: bool) -> None:
        self.first = first
        self.closed = False
        self.client: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def close(self) -> None:
        assert not self.closed, "closed twice"
        self.closed = True


class FakeWindows:
    """Instances that a test connects by hand; `served` is set when one is served."""

    def __init__(self) -> None:
        self.made: list[FakeInstance] = []
        self.served: asyncio.Queue[tuple[FakeInstance, asyncio.Protocol]] = asyncio.Queue()
        self.awaited: asyncio.Queue[FakeInstance] = asyncio.Queue()

    def create(self, address: str, descriptor: str, first: bool) -> FakeInstance:
        assert address == ADDRESS
        assert descriptor == PRIVATE
        self.made.append(FakeInstance(first))
        return self.made[-1]

    async def accept(self, instance: FakeInstance) -> None:
        self.awaited.put_nowait(instance)
        await instance.client

    def serve(self, instance: FakeInstance, protocol: asyncio.Protocol) -> None:
        self.served.put_nowait((instance, protocol))


def listener(windows: FakeWindows) -> NamedPipeListener:
    return NamedPipeListener(ADDRESS, windows, PRIVATE)  # type: ignore[arg-type]


def test_the_pipe_of_a_home_has_a_valid_name() -> None:
    assert checked_name(Home("/some/where").pipe).startswith("\\\\.\\pipe\\ragd-")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "ragd-0123",
        r"\\.\pipe\ragd-",
        r"\\.\pipe\other-0123",
        r"\\server\pipe\ragd-0123",
        r"\\.\PIPE\ragd-0123",
        r"\\.\pipe\ragd-a\b",
        r"\\.\pipe\ragd-..\b",
        r"\\.\pipe\ragd-a/b",
        "\\\\.\\pipe\\ragd-a\0b",
        "\\\\.\\pipe\\ragd-a\n",
        r"\\.\pipe\ragd-" + "a" * 256,
    ],
)
def test_a_name_that_is_not_ours_is_refused(name: str) -> None:
    with pytest.raises(PermissionRefused):
        NamedPipeListener(name)


def test_the_longest_name_that_windows_accepts_is_accepted() -> None:
    longest = named_pipe.PREFIX + "a" * (256 - len(named_pipe.PREFIX))
    assert checked_name(longest) == longest


@pytest.mark.parametrize(
    "sid",
    [
        USER,
        "S-1-5-21-1-2-3-500",
        "S-1-12-1-1234567890-1234567890-1234567890-1234567890",
        "S-1-5-18",
        "S-1-5-80-1-2-3-4-5",
    ],
)
def test_the_descriptor_admits_exactly_the_account_it_is_built_for(sid: str) -> None:
    assert private_descriptor(sid) == f"D:P(A;;GA;;;{sid})"


@pytest.mark.parametrize(
    "descriptor",
    [
        None,
        "",
        " ",
        "D:P",
        "D:",
        "D:NO_ACCESS_CONTROL",
        f"D:(A;;GA;;;{USER})",
        f"D:AI(A;;GA;;;{USER})",
        f"O:{USER}D:P(A;;GA;;;{USER})",
        f"{PRIVATE}\n",
        f"{PRIVATE}(A;;GR;;;WD)",
        f"D:P(A;;GR;;;WD)(A;;GA;;;{USER})",
        f"D:P(D;;GA;;;{USER})",
        f"D:P(A;OICI;GA;;;{USER})",
        f"{PRIVATE}S:(ML;;NW;;;LW)",
    ],
)
def test_no_instance_is_made_without_a_protected_list_for_one_account(
    descriptor: str | None,
) -> None:
    class Untouchable:
        def create(self, address: str, descriptor: str, first: bool) -> FakeInstance:
            raise AssertionError("must not be reached")

    with pytest.raises(PermissionRefused) as refused:
        create_instance(Untouchable(), ADDRESS, descriptor, first=True)  # type: ignore[arg-type]
    assert refused.value.exit_code == EXIT_PERMISSION


@pytest.mark.parametrize(
    "others",
    [
        *("WD", "AN", "BG", "LG", "DG", "AU", "NU", "IU", "BU", "DU", "BA", "AC", "RC", "CO", "SU"),
        "S-1-1-0",  # Everyone
        "S-1-5-7",  # Anonymous
        "S-1-5-11",  # Authenticated Users
        "S-1-5-2",  # Network
        "S-1-5-4",  # Interactive
        "S-1-5-32-546",  # Guests
        "S-1-5-32-545",  # Users
        "S-1-15-2-1",  # all application packages
        "S-1-5-21-1-2-3-501",  # the guest
        "S-1-5-21-1-2-3-513",  # Domain Users
        "S-1-5-21-1-2-3-514",  # Domain Guests
        "S-1-5-21-1-2-3",
        "s-1-5-18",
        "S-1-5-18)(A;;GA;;;WD",
    ],
)
def test_groups_that_mean_others_are_never_admitted(others: str) -> None:
    with pytest.raises(PermissionRefused):
        checked_descriptor(f"D:P(A;;GA;;;{others})")
    with pytest.raises(PermissionRefused):
        private_descriptor(others)


def test_only_the_first_instance_claims_to_be_the_first() -> None:
    flag = named_pipe.FILE_FLAG_FIRST_PIPE_INSTANCE
    assert named_pipe.open_mode(first=True) & flag
    assert not named_pipe.open_mode(first=False) & flag
    for first in (True, False):
        assert named_pipe.open_mode(first) & named_pipe.FILE_FLAG_OVERLAPPED


def test_the_pipe_carries_bytes_and_refuses_other_machines() -> None:
    assert named_pipe.pipe_mode() == named_pipe.PIPE_REJECT_REMOTE_CLIENTS


async def test_it_is_reachable_when_listen_returns() -> None:
    windows = FakeWindows()
    pipe = listener(windows)
    await pipe.listen(asyncio.Protocol)
    assert [instance.first for instance in windows.made] == [True]
    await pipe.close()


async def test_each_client_gets_a_protocol_of_its_own_and_a_spare_is_always_open() -> None:
    windows = FakeWindows()
    pipe = listener(windows)
    await pipe.listen(asyncio.Protocol)
    protocols = []
    for number in range(3):
        waiting = await windows.awaited.get()
        assert waiting is windows.made[number]
        assert len(windows.made) == number + 2
        waiting.client.set_result(None)
        instance, protocol = await windows.served.get()
        assert instance is waiting
        protocols.append(protocol)
    assert len(set(map(id, protocols))) == 3
    assert [instance.first for instance in windows.made[1:]] == [False] * (len(windows.made) - 1)
    await pipe.close()


async def test_close_ends_waiting_instances_and_keeps_served_ones() -> None:
    windows = FakeWindows()
    pipe = listener(windows)
    await pipe.listen(asyncio.Protocol)
    (await windows.awaited.get()).client.set_result(None)
    served, _ = await windows.served.get()
    await pipe.close()
    assert not served.closed
    assert [instance.closed for instance in windows.made if instance is not served] == [True] * (
        len(windows.made) - 1
    )
    await pipe.close()


async def test_a_client_that_disconnects_at_once_does_not_end_the_listener() -> None:
    windows = FakeWindows()
    pipe = listener(windows)
    await pipe.listen(asyncio.Protocol)
    lost = await windows.awaited.get()
    lost.client.set_exception(BrokenPipeError())
    following = await windows.awaited.get()
    assert lost.closed
    following.client.set_result(None)
    instance, _ = await windows.served.get()
    assert instance is following
    await pipe.close()


async def test_a_listener_that_stops_accepting_reports_it() -> None:
    windows = FakeWindows()
    pipe = listener(windows)
    told: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().set_exception_handler(
        lambda _loop, context: told.set_result(context["exception"])
    )

    def broken() -> asyncio.Protocol:
        raise MemoryError

    await pipe.listen(broken)
    taken = await windows.awaited.get()
    taken.client.set_result(None)
    assert isinstance(await told, MemoryError)
    assert taken.closed
    await pipe.close()
    assert all(instance.closed for instance in windows.made)


async def test_without_a_descriptor_listen_refuses_and_creates_nothing() -> None:
    windows = FakeWindows()
    pipe = NamedPipeListener(ADDRESS, windows)  # type: ignore[arg-type]
    with pytest.raises(PermissionRefused):
        await pipe.listen(asyncio.Protocol)
    assert windows.made == []


@pytest.mark.skipif(sys.platform == "win32", reason="this is Windows")
async def test_listen_is_refused_on_other_systems() -> None:
    with pytest.raises(StartupError, match="only on Windows"):
        await NamedPipeListener(ADDRESS).listen(asyncio.Protocol)
