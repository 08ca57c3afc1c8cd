"""Runs the daemon with a part replaced: `child.py HOME TWIST[=VALUE]…`.

A twist is a function below. Each replaces something that a test cannot wait for or does not have:
a failing disk, a hanging mount, an actor with a bug. lancedb is left out unless `lancedb` is named.
"""

import asyncio
import errno
import os
import sys
import time
from pathlib import Path

from ragd import daemon
from ragd.health.probes import Probes
from ragd.paths import Home
from ragd.store import lance as lance_store
from ragd.store.lance.index_place import IndexPlace


def lancedb() -> None:
    """The real index probe, which takes two seconds to import."""
    lance_store.probe = _probe


def plain() -> None:
    """Only lancedb is left out."""


def finish_within(seconds: str) -> None:
    """A shorter limit for the stop."""
    daemon.FINISH_WITHIN_S = float(seconds)


def probe_within(seconds: str) -> None:
    """A shorter limit for probes."""
    from ragd.health import collection_probes, health_monitor

    health_monitor.PROBE_WITHIN_S = float(seconds)
    collection_probes.PROBE_WITHIN_S = float(seconds)


def umask(mode: str) -> None:
    os.umask(int(mode, 8))


def held_index(fifo: str) -> None:
    """The index opens after the test has written to this FIFO."""

    def probe(
        folder: Path | IndexPlace,
        generation: str | None = None,
        expected: int = 0,
        vault: str = "",
        checked: object = None,
    ) -> str | None:
        with open(fifo) as gate:
            gate.read()
        return "INDEX_NOT_FOUND"

    lance_store.probe = probe


def hanging_vault() -> None:
    """The vault is on a mount that never answers."""
    Probes.vault = lambda self: _hang()  # type: ignore[method-assign]


def hang_vault_while(path: str) -> None:
    """Every call to the vault blocks while a file exists. `FILE:FOLDER`: only to this root."""
    path, _, only = path.partition(":")
    from ragd.vault import files as vault
    from ragd.vault.disk_waits import waits_for_disk
    from ragd.vault.safe_open import open_root

    def hanging(root: str) -> int | str:
        while os.path.exists(path) and only in ("", root):
            time.sleep(0.01)
        return open_root(root)

    vault.open_root = waits_for_disk(hanging)  # type: ignore[attr-defined]


def vault_within(seconds: str) -> None:
    """A shorter limit for the vault."""
    from ragd.vault.threads import LANES

    for lane in LANES:
        lane.limit_s = float(seconds)


def search_within(seconds: str) -> None:
    """A shorter limit for searches."""
    from ragd.search import searcher

    searcher.WITHIN_S = float(seconds)


def deep_search_hangs() -> None:
    """The second, deeper search for candidates never ends."""
    from ragd.search import retrieval

    retrieve = retrieval.retrieve

    async def hanging(question: retrieval.Question, depth: int) -> retrieval.Retrieved:
        if depth > 50:
            await asyncio.Event().wait()
        return await retrieve(question, depth)

    retrieval.retrieve = hanging


def _hang() -> None:
    reading, _writing = os.pipe()
    os.read(reading, 1)


def crashing_actor(message: str) -> None:
    """An actor with a bug."""

    async def crash() -> None:
        raise LookupError(message)

    _with_actor(crash)


def crash_when(path: str) -> None:
    """An actor that crashes while a file exists (its text is the message)."""

    async def crash() -> None:
        while not os.path.exists(path):
            await asyncio.sleep(0.01)
        text = Path(path).read_text()
        os.unlink(path)
        raise LookupError(text)

    _with_actor(crash)


def hang_when(path: str) -> None:
    """An actor that blocks the event loop when a file appears."""

    async def hang() -> None:
        while not os.path.exists(path):
            await asyncio.sleep(0.01)
        _hang()

    _with_actor(hang)


def leave_when(path: str) -> None:
    """An actor that returns when a file appears."""

    async def leave() -> None:
        while not os.path.exists(path):
            await asyncio.sleep(0.01)

    _with_actor(leave)


def _with_actor(actor: object, name: str = "buggy") -> None:
    wired = daemon.build_actors

    def actors(*arguments: object) -> dict[str, object]:
        return {**wired(*arguments), name: actor}  # type: ignore[arg-type]

    daemon.build_actors = actors  # type: ignore[assignment]


def panicking_actor(message: str) -> None:
    """An actor that raises the panic of a Rust library."""

    class PanicException(BaseException):
        pass

    async def panic() -> None:
        raise PanicException(message)

    _with_actor(panic)


def broken_wiring(message: str) -> None:
    """The wiring of the daemon has a bug."""

    def actors(*arguments: object) -> dict[str, object]:
        raise LookupError(message)

    daemon.build_actors = actors  # type: ignore[assignment]


def panicking_wiring(message: str) -> None:
    """The wiring raises the panic of a Rust library."""

    class PanicException(BaseException):
        pass

    def actors(*arguments: object) -> dict[str, object]:
        raise PanicException(message)

    daemon.build_actors = actors  # type: ignore[assignment]


def leaky_library(message: str) -> None:
    """Libraries that put note text in all their messages."""
    import logging
    import warnings

    def fail() -> None:
        raise LookupError(message)

    async def leak() -> None:
        try:
            fail()
        except LookupError:
            logging.getLogger("aiohttp.server").exception("choked on %s", message)
        logging.getLogger("lance").error(message, stack_info=True)
        warnings.warn(message, stacklevel=1)
        asyncio.get_running_loop().call_soon(fail)
        await asyncio.Event().wait()

    _with_actor(leak, "leaky")


def crashing_handler(message: str) -> None:
    """GET /v1/tools raises."""
    from ragd.protocol import tool_schemas

    def published_tools() -> list[dict[str, object]]:
        raise LookupError(message)

    tool_schemas.published_tools = published_tools


def fsync_fails_when(path: str) -> None:
    """The log's disk reports an I/O error while a file exists."""
    from ragd.eventlog import disk

    sync = disk.AppendedFile.sync

    def failing(self: disk.AppendedFile) -> None:
        if os.path.exists(path):
            raise OSError(errno.EIO, "I/O error")
        sync(self)

    disk.AppendedFile.sync = failing  # type: ignore[method-assign]


def full_while(path: str) -> None:
    """The log's disk is full while a file exists; half of the first record still fits."""
    from ragd.eventlog import disk

    write = disk.AppendedFile.write

    def failing(self: disk.AppendedFile, data: bytes) -> None:
        if os.path.exists(path):
            write(self, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, data)

    disk.AppendedFile.write = failing  # type: ignore[method-assign]


def main() -> None:
    home, *twists = sys.argv[1:]
    for twist in twists:
        name, _, value = twist.partition("=")
        globals()[name](*([value] if value else []))
    sys.exit(daemon.run(Home(home)))


_probe = lance_store.probe
lance_store.probe = lambda *about, **more: "INDEX_NOT_FOUND"

if __name__ == "__main__":
    main()
