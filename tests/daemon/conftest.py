"""Homes, daemons in processes, and a gateway on a real socket in the process of the test."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ragd.clock import Clock, SystemClock
from ragd.config import load as configuration
from ragd.config.config_reader import ConfigReader
from ragd.config.live_settings import Settings
from ragd.config.load import Config
from ragd.config.reload import ConfigReload
from ragd.embed.providers.provider_choice import Providers
from ragd.embed.vector_progress import VectorProgress
from ragd.events import DaemonStarted, Fact
from ragd.gateway.http_server import HttpServer
from ragd.gateway.tool_gateway import ToolGateway
from ragd.gateway.unix_socket import UnixListener
from ragd.guard.live_rules import LiveGuard
from ragd.paths import Home
from ragd.runtime.durable_files import private_directory
from ragd.search.query_vector import QueryVectors
from ragd.search.searcher import Searcher
from ragd.search.sentence_marker import SentenceMarker
from ragd.state.ledger import Ledger
from ragd.store.open_indexes import OpenIndexes
from ragd.vault.note_reader import NoteReader
from tests.daemon.processes import Process, start_modified, start_ragd, write_config
from tests.daemon.virtual_clock import VirtualClock
from tests.daemon.wire import Reply, ask


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short name: a socket's path has room for 107 bytes."""
    path = Path(tempfile.mkdtemp(prefix="rd", dir="/tmp"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def home(folder: Path) -> Home:
    """A home with a configuration, and a vault next to it."""
    found = Home(str(folder / "h"))
    write_config(found, health={"probe_s": 0.05})
    return found


@pytest.fixture
def start(home: Home) -> Iterator[Callable[..., Process]]:
    """Starts daemons of this home, with twists if given, and ends them after the test."""
    begun: list[Process] = []

    def begin(*twists: str, of: Home = home, **env: str) -> Process:
        process = start_modified(of, *twists, **env) if twists else start_ragd(of, **env)
        begun.append(process)
        return process

    yield begin
    for process in begun:
        process.kill()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


class RunningGateway:
    """The gateway and its parts, without the actors and signals of the daemon."""

    def __init__(self, home: Home, clock: Clock) -> None:
        self.home = home
        self.config: Config = configuration.load(home)
        self.settings = Settings(home, self.config)
        self.stop = asyncio.Event()
        private_directory(Path(home.events))
        self.ledger = Ledger(Path(home.events), Path(home.snapshots), clock, "run-1", "ragd test")
        guard = LiveGuard(self.settings)
        providers = Providers(self.settings)
        vectors = QueryVectors(self.ledger, self.settings, providers, guard)
        notes = NoteReader(self.settings, clock)
        self.searcher = Searcher(
            *(self.ledger, clock, self.settings, OpenIndexes()),
            *(vectors, notes, SentenceMarker(providers)),
        )
        reload = ConfigReload(self.settings)
        self.config_reader = ConfigReader(clock, self.settings, reload, self.ledger.journal)
        self.tool_gateway = ToolGateway(
            self.ledger,
            clock,
            self.settings,
            self.stop,
            self.searcher,
            notes,
            reload,
            guard,
            VectorProgress(clock),
            self._announce,
        )
        self.server = HttpServer(
            UnixListener(home.socket), self.tool_gateway.routes(), self.tool_gateway.refuse
        )

    async def _announce(self, paths: list[str]) -> None:
        """There is no watcher here."""

    async def add(self, *facts: Fact) -> int:
        for fact in facts:
            record = await self.ledger.journal.append("test", fact)
        return record.seq

    async def ask(
        self, method: str, target: str, body: Any = None, *more: str, raw: bytes | None = None
    ) -> Reply:
        return await ask(self.home.socket, method, target, body, *more, raw=raw)


@asynccontextmanager
async def run_gateway(home: Home, clock: Clock | None = None) -> AsyncIterator[RunningGateway]:
    gateway = RunningGateway(home, clock or SystemClock())
    async with asyncio.TaskGroup() as group:
        group.create_task(gateway.ledger.journal.run())
        await gateway.add(
            DaemonStarted(version="test", config_hash="", previous_stop="none", provider="auto")
        )
        await gateway.server.start()
        try:
            yield gateway
        finally:
            gateway.stop.set()
            gateway.tool_gateway.streams.end()
            await gateway.server.stop(0.2)
            await gateway.tool_gateway.close()
            await gateway.ledger.journal.close()


@pytest.fixture
async def gateway(home: Home) -> AsyncIterator[RunningGateway]:
    """A gateway that answers on the home's socket, in this process."""
    async with run_gateway(home) as gateway:
        yield gateway
