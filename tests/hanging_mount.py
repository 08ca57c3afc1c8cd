"""A folder that can hang: a FUSE mount that stops answering while a certain file exists.

`hanging_mount.py SOURCE PLACE FLAG` mounts SOURCE at PLACE for reading, and answers no request
while FLAG exists. It implements the kernel's protocol, so it needs no library, only the right to
mount. When it closes its end of the mount or ends, every blocked call fails.
"""

import ctypes
import errno
import os
import select
import stat
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

REQUEST = struct.Struct("<IIQQIIII")  # length, operation, number, node, uid, gid, pid
REPLY = struct.Struct("<IiQ")
SILENT = {2, 36, 42}  # forget, interrupt, batch forget: these want no answer
WITHIN_S = 20.0


class Hanging:
    """The mount, as a test sees it."""

    def __init__(self, source: Path, place: Path, flag: Path) -> None:
        self.source = source
        self.place = place
        self._flag = flag

    def hang(self) -> None:
        self._flag.touch()

    def go_on(self) -> None:
        self._flag.unlink(missing_ok=True)


def hanging_mount(stack: ExitStack, folder: Path) -> Hanging:
    """Mount at `folder/vault` until the end of the stack. Skips the test if that fails."""
    source, place, flag = folder / "source", folder / "vault", folder / "hang"
    source.mkdir()
    place.mkdir()
    command = [sys.executable, __file__, str(source), str(place), str(flag)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    if server.stdout.readline().strip() != "mounted":
        _, why = server.communicate()
        pytest.skip(f"no FUSE mount to be had here: {why.strip()}")

    def end() -> None:
        server.kill()
        server.communicate()
        subprocess.run(["umount", "-l", str(place)], check=False, capture_output=True)

    stack.callback(end)
    return Hanging(source, place, flag)


class Server:
    """Answers the kernel's requests, one after the other."""

    def __init__(self, device: int, source: str) -> None:
        self._device = device
        self._paths = {1: source}
        self._nodes = {source: 1}
        self._answers: dict[int, Callable[[int, bytes], bytes]] = {
            1: self._lookup,
            3: lambda node, body: struct.pack("<QII", 0, 0, 0) + self._facts(self._paths[node]),
            14: lambda node, body: struct.pack("<QII", 0, 1, 0),  # open: past the page cache
            15: self._read,
            17: lambda node, body: bytes(80),
            18: lambda node, body: b"",
            25: lambda node, body: b"",
            26: lambda node, body: struct.pack("<IIIIHHI", 7, 19, 65536, 0, 8, 8, 65536),
            27: lambda node, body: struct.pack("<QII", 0, 0, 0),
            28: self._list,
            29: lambda node, body: b"",
        }

    def serve(self, flag: str) -> None:
        while True:
            # A request that was taken from the kernel could not even be given up by SIGKILL.
            if os.path.exists(flag) or not select.select([self._device], [], [], 0.01)[0]:
                time.sleep(0.001)
                continue
            try:
                request = os.read(self._device, 1 << 20)
            except OSError as why:
                if why.errno == errno.ENODEV:
                    return  # it was unmounted
                raise
            _, operation, number, node, *_ = REQUEST.unpack_from(request)
            if operation in SILENT:
                continue
            error, body = 0, b""
            try:
                answer = self._answers.get(operation)
                if answer is None:
                    error = -errno.ENOSYS
                else:
                    body = answer(node, request[REQUEST.size :])
            except OSError as why:
                error = -(why.errno or errno.EIO)
            reply = REPLY.pack(REPLY.size + len(body), error, number) + body
            try:
                os.write(self._device, reply)
            except OSError as why:
                if why.errno != errno.ENOENT:  # the caller was interrupted
                    raise

    def _lookup(self, node: int, body: bytes) -> bytes:
        path = os.path.join(self._paths[node], os.fsdecode(body.rstrip(b"\0")))
        facts = self._facts(path)
        if path not in self._nodes:
            self._nodes[path] = len(self._nodes) + 1
            self._paths[self._nodes[path]] = path
        return struct.pack("<QQQQII", self._nodes[path], 0, 0, 0, 0, 0) + facts

    def _facts(self, path: str) -> bytes:
        found = os.lstat(path)
        moments = (found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns)
        return struct.pack(
            "<6Q10I",
            *(found.st_ino, found.st_size, found.st_blocks),
            *(moment // 10**9 for moment in moments),
            *(moment % 10**9 for moment in moments),
            *(found.st_mode, found.st_nlink, found.st_uid, found.st_gid, 0, 4096, 0),
        )

    def _read(self, node: int, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        with open(self._paths[node], "rb") as file:
            file.seek(offset)
            return file.read(size)

    def _list(self, node: int, body: bytes) -> bytes:
        _, offset, size = struct.unpack_from("<QQI", body)
        listed = b""
        for place, name in enumerate(sorted(os.listdir(self._paths[node])), 1):
            if place <= offset:
                continue
            kind = stat.S_IFMT(os.lstat(os.path.join(self._paths[node], name)).st_mode) >> 12
            raw = os.fsencode(name)
            entry = struct.pack("<QQII", 1, place, len(raw), kind) + raw
            entry += bytes(-len(entry) % 8)
            if len(listed) + len(entry) > size:
                break
            listed += entry
        return listed


def main() -> None:
    source, place, flag = sys.argv[1:]
    device = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.mount(b"hanging", os.fsencode(place), b"fuse", 0, options.encode())
    if failed:
        sys.exit(f"mount: {os.strerror(ctypes.get_errno())}")
    print("mounted", flush=True)
    Server(device, source).serve(flag)


if __name__ == "__main__":
    main()
