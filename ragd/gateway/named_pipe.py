"""The Windows listener: a named pipe that only the user who runs the daemon may open.

It never creates a pipe without an explicit access list: asyncio's own pipe server passes none, and
Windows then lets every user read. This module has never run on Windows. Tests check what they can
without it: the rules for names and access lists, the order in which instances are created, used
and closed (against a fake), and the types of the Windows calls (`mypy --platform win32`).
"""

import asyncio
import re
import sys
from collections.abc import Callable
from typing import Any, Protocol

from ragd.errors import PermissionRefused, StartupError

PREFIX = "\\\\.\\pipe\\ragd-"
NAME_MAX = 256  # what CreateNamedPipe accepts
BUFFER_BYTES = 64 * 1024

# winbase.h and winerror.h
PIPE_ACCESS_DUPLEX = 0x00000003
FILE_FLAG_FIRST_PIPE_INSTANCE = 0x00080000
FILE_FLAG_OVERLAPPED = 0x40000000
PIPE_TYPE_BYTE = 0x00000000
PIPE_READMODE_BYTE = 0x00000000
PIPE_WAIT = 0x00000000
PIPE_REJECT_REMOTE_CLIENTS = 0x00000008
PIPE_UNLIMITED_INSTANCES = 255
ERROR_ACCESS_DENIED = 5
ERROR_PIPE_BUSY = 231

# One entry, full access, for one complete SID: no alias that Windows would expand.
_PRIVATE = re.compile(r"D:P\(A;;GA;;;(?P<sid>S-1-[0-9]+(?:-[0-9]+)+)\)", re.ASCII)
# Accounts by their form: a local or domain user (or the built-in administrator),
# an Entra user, the three system accounts, a service's own account.
_ACCOUNT = re.compile(
    r"S-1-5-21-[0-9]+-[0-9]+-[0-9]+-(?:500|[1-9][0-9]{3,9})"
    r"|S-1-12-1-[0-9]+-[0-9]+-[0-9]+-[0-9]+"
    r"|S-1-5-(?:18|19|20)"
    r"|S-1-5-80(?:-[0-9]+){5}",
    re.ASCII,
)


class PipeInstance(Protocol):
    """One end of the pipe, waiting for a client or serving one."""

    def close(self) -> None: ...


class PipeSystem(Protocol):
    """What the listener needs from Windows. Tests use a fake."""

    def create(self, address: str, descriptor: str, first: bool) -> PipeInstance: ...

    async def accept(self, instance: PipeInstance) -> None: ...

    def serve(self, instance: PipeInstance, protocol: asyncio.Protocol) -> None: ...


class NamedPipeListener:
    """Accepts clients on one pipe and gives each a protocol, like the Unix listener."""

    def __init__(
        self, address: str, system: PipeSystem | None = None, descriptor: str | None = None
    ) -> None:
        self.address = checked_name(address)
        self._system = system
        self._descriptor = descriptor
        self._waiting: list[PipeInstance] = []
        self._accepting: asyncio.Task[None] | None = None

    async def listen(self, factory: Callable[[], asyncio.Protocol]) -> None:
        """Start accepting. Fails if another process owns the name."""
        assert self._accepting is None, "already listening"
        if self._system is None:
            self._system, self._descriptor = windows_system()
        self._open(first=True)
        self._accepting = asyncio.create_task(self._accept_clients(factory), name="named-pipe")
        self._accepting.add_done_callback(_report_failure)

    async def close(self) -> None:
        """Stop accepting. Open connections stay."""
        task, self._accepting = self._accepting, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        while self._waiting:
            self._waiting.pop().close()

    def _open(self, first: bool = False) -> None:
        assert self._system is not None
        self._waiting.append(create_instance(self._system, self.address, self._descriptor, first))

    async def _accept_clients(self, factory: Callable[[], asyncio.Protocol]) -> None:
        assert self._system is not None
        while True:
            # Create the next instance first, so that there is always one: without an instance a
            # client finds no pipe, and another process could take the name.
            self._open()
            instance = self._waiting[0]
            try:
                await self._system.accept(instance)
            except OSError:  # the client disconnected before it was served
                self._waiting.remove(instance)
                instance.close()
                await asyncio.sleep(0)  # lets other tasks run even if every accept fails at once
                continue
            self._waiting.remove(instance)
            try:
                self._system.serve(instance, factory())
            except BaseException:
                instance.close()
                raise


def checked_name(address: str) -> str:
    """`address` if it is a pipe name of ours, else PermissionRefused."""
    rest = address.removeprefix(PREFIX)
    ours = address.startswith(PREFIX) and re.fullmatch(r"[A-Za-z0-9_.-]+", rest, re.ASCII)
    if not ours or len(address) > NAME_MAX:
        raise PermissionRefused("This is not a valid name for ragd's pipe.", f"Use {PREFIX}NAME.")
    return address


def private_descriptor(sid: str) -> str:
    """The access list, as SDDL, that gives one account full access and all others none."""
    return checked_descriptor(f"D:P(A;;GA;;;{sid})")


def checked_descriptor(descriptor: str | None) -> str:
    """`descriptor` if it grants one account access and is protected, else PermissionRefused.

    It checks for what is allowed, not for what is refused, so it cannot miss one of the many groups
    that mean "others" (Everyone, Anonymous, Guests, Authenticated Users, Network, Interactive…).
    """
    found = _PRIVATE.fullmatch(descriptor or "")
    if found is None or _ACCOUNT.fullmatch(found["sid"]) is None:
        raise PermissionRefused(
            "The access list of the pipe must admit exactly one user.",
            "Run ragd with an ordinary account, not as a guest.",
        )
    assert descriptor is not None
    return descriptor


def create_instance(
    system: PipeSystem, address: str, descriptor: str | None, first: bool
) -> PipeInstance:
    """One more instance of the pipe. It checks name and access list before anything exists."""
    return system.create(checked_name(address), checked_descriptor(descriptor), first)


def open_mode(first: bool) -> int:
    """How an instance is opened. The first one fails if another process has the name."""
    mode = PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED
    return mode | FILE_FLAG_FIRST_PIPE_INSTANCE if first else mode


def pipe_mode() -> int:
    """A stream of bytes, refused to other machines."""
    return PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS


def _report_failure(task: asyncio.Task[None]) -> None:
    """Pass the failure to the loop's exception handler: the daemon must not seem to listen."""
    if not task.cancelled() and (failure := task.exception()) is not None:
        task.get_loop().call_exception_handler(
            {"message": "The named pipe no longer accepts connections.", "exception": failure}
        )


def windows_system() -> tuple[PipeSystem, str]:
    """Windows itself, through the running event loop, and the access list for this user."""
    if sys.platform == "win32":
        pipes = _ProactorPipes(asyncio.get_running_loop())
        return pipes, private_descriptor(_current_user_sid())
    raise StartupError(
        "Named pipes exist only on Windows.", "On this system ragd listens on a Unix socket."
    )


if sys.platform == "win32":

    def _current_user_sid() -> str:
        """The SID of the account that runs this process, as text."""
        import ctypes
        from ctypes import wintypes

        kernel, advapi = _libraries()
        token = wintypes.HANDLE()
        if not advapi.OpenProcessToken(kernel.GetCurrentProcess(), 0x0008, ctypes.byref(token)):
            raise ctypes.WinError(ctypes.get_last_error())  # 0x0008: TOKEN_QUERY
        try:
            size = wintypes.DWORD()
            # The first call fails by design and returns the size for the second. 1: TokenUser.
            advapi.GetTokenInformation(token, 1, None, 0, ctypes.byref(size))
            room = ctypes.create_string_buffer(size.value)
            if not advapi.GetTokenInformation(token, 1, room, size, ctypes.byref(size)):
                raise ctypes.WinError(ctypes.get_last_error())
        finally:
            kernel.CloseHandle(token)
        # TOKEN_USER starts with a pointer to the SID, which follows in the same buffer.
        sid = ctypes.cast(room, ctypes.POINTER(ctypes.c_void_p))[0]
        text = wintypes.LPWSTR()
        if not advapi.ConvertSidToStringSidW(sid, ctypes.byref(text)):
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            return str(text.value)
        finally:
            kernel.LocalFree(text)

    class _ProactorPipes:
        """Named pipes on asyncio's proactor loop.

        It uses the two private methods that asyncio's `start_serving_pipe` uses, because that
        method has no parameter for an access list.
        """

        def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
            from asyncio.windows_events import ProactorEventLoop

            if not isinstance(loop, ProactorEventLoop):
                raise StartupError("The named pipe needs asyncio's proactor event loop.")
            self._loop: Any = loop

        def create(self, address: str, descriptor: str, first: bool) -> PipeInstance:
            from asyncio.windows_utils import PipeHandle

            return PipeHandle(_create_pipe(address, checked_descriptor(descriptor), first))

        async def accept(self, instance: PipeInstance) -> None:
            await self._loop._proactor.accept_pipe(instance)

        def serve(self, instance: PipeInstance, protocol: asyncio.Protocol) -> None:
            self._loop._make_duplex_pipe_transport(instance, protocol)

    def _create_pipe(address: str, descriptor: str, first: bool) -> int:
        import ctypes
        from ctypes import wintypes

        class SecurityAttributes(ctypes.Structure):
            _fields_ = (
                ("nLength", wintypes.DWORD),
                ("lpSecurityDescriptor", wintypes.LPVOID),
                ("bInheritHandle", wintypes.BOOL),
            )

        kernel, advapi = _libraries()
        binary = wintypes.LPVOID()
        convert = advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW
        if not convert(descriptor, 1, ctypes.byref(binary), None):  # 1: SDDL_REVISION_1
            raise ctypes.WinError(ctypes.get_last_error())
        try:
            attributes = SecurityAttributes(ctypes.sizeof(SecurityAttributes), binary, False)
            handle = kernel.CreateNamedPipeW(
                address,
                open_mode(first),
                pipe_mode(),
                PIPE_UNLIMITED_INSTANCES,
                BUFFER_BYTES,
                BUFFER_BYTES,
                0,
                ctypes.byref(attributes),
            )
            reason = ctypes.get_last_error()
        finally:
            kernel.LocalFree(binary)
        if handle not in (None, ctypes.c_void_p(-1).value):  # INVALID_HANDLE_VALUE
            return int(handle)
        if reason in (ERROR_ACCESS_DENIED, ERROR_PIPE_BUSY):
            raise PermissionRefused(
                f"Another process owns the pipe {address}.",
                "Find it and end it, then start ragd again.",
            )
        raise ctypes.WinError(reason)

    def _libraries() -> tuple[Any, Any]:
        """kernel32 and advapi32, with types: without them handles would be cut to 32 bits."""
        import ctypes
        from ctypes import wintypes

        dword, handle, pointer = wintypes.DWORD, wintypes.HANDLE, ctypes.c_void_p
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.GetCurrentProcess.restype = handle
        kernel.GetCurrentProcess.argtypes = ()
        kernel.CloseHandle.argtypes = (handle,)
        kernel.LocalFree.restype = pointer
        kernel.LocalFree.argtypes = (pointer,)
        kernel.CreateNamedPipeW.restype = handle
        kernel.CreateNamedPipeW.argtypes = (wintypes.LPCWSTR, *([dword] * 6), pointer)
        advapi = ctypes.WinDLL("advapi32", use_last_error=True)
        advapi.OpenProcessToken.argtypes = (handle, dword, pointer)
        advapi.GetTokenInformation.argtypes = (handle, ctypes.c_int, pointer, dword, pointer)
        advapi.ConvertSidToStringSidW.argtypes = (pointer, pointer)
        convert = advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW
        convert.argtypes = (wintypes.LPCWSTR, dword, pointer, pointer)
        return kernel, advapi
