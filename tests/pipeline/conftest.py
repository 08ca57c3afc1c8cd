"""A pipeline on a real vault, a real log and a real index, with the embedded model."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ragd.clock import SystemClock, new_id
from ragd.config import load as configuration
from ragd.config.live_settings import Settings
from ragd.embed.providers import local_model
from ragd.events import ConfigReloaded, DaemonStarted, JobRequested, Mode
from ragd.paths import Home
from ragd.runtime.native_crash import CrashMark
from ragd.search import query_vector, searcher
from ragd.state.ledger import Ledger
from ragd.supervisor import Supervisor
from ragd.vault.document_reader import DocumentWorkerPort
from ragd.wiring import Pipeline
from tests.patience import PATIENCE_S
from tests.pipeline.following import Following

NOTES = {
    "Journal/2024-01-15.md": "# Monday\n\n#mentalhealth\nTherapy again, sleeping better.\n",
    "Journal/2024-02-01.md": "#finance\nI owe Sreenivas $120 for the tickets to Hampi.\n",
    "Shopping.md": "- rye bread\n- coriander\n- batteries for the doorbell\n",
    "Ideen/Küche.md": "Ein Regal für die Gewürze, Buche geölt, neben dem Fenster.\n",
}


class Running(Following):
    """A running pipeline."""

    def __init__(
        self, home: Home, ledger: Ledger, pipeline: Pipeline, settings: Settings, vault: Path
    ) -> None:
        self.home = home
        self.ledger = ledger
        self.pipeline = pipeline
        self.settings = settings
        self.vault = vault

    @property
    def catalog(self) -> Any:
        return self.ledger.state.catalog

    async def rescan(self) -> None:
        """Make the watcher scan the vault, as after a reload of the configuration."""
        provider = self.ledger.state.health.provider
        reloaded = ConfigReloaded(config_hash="", provider=provider)
        await self.ledger.journal.append("test", reloaded)

    def read_settings(self) -> None:
        """Use the configuration file as it is now."""
        self.settings.current, _ = self.settings.read_again()

    async def until_serving(self) -> None:
        """Wait until an index serves. No fact says so: `until_state` would miss it."""
        found = await self.pipeline.open_indexes.wait_for_serving(SystemClock(), PATIENCE_S)
        assert found is not None

    async def request(self, mode: Mode, **more: Any) -> str:
        job_id = new_id()
        event = JobRequested(job_id=job_id, mode=mode, **more)
        await self.ledger.journal.append("test", event)
        return job_id

    async def rows(self, *more: str) -> list[dict[str, Any]]:
        index = self.pipeline.open_indexes.serving
        assert index is not None
        columns = ["chunk_id", "chunk_text", "source_file", "content_hash", "file_sha256", "vector"]
        columns += more
        return [row async for row in index.read_rows(columns)]

    async def found(self, words: str) -> set[str]:
        index = self.pipeline.open_indexes.serving
        assert index is not None
        return {hit.source_file for hit in await index.find_by_words(words, 10)}


def write(vault: Path, path: str, text: str | bytes) -> None:
    target = vault / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture(autouse=True)
def patient_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a question's vector may be late; then it would be answered by words."""
    for module, name in (
        (query_vector, "WITHIN_S"),
        (query_vector, "WITHIN_AFTER_PAUSE_S"),
        (searcher, "WITHIN_S"),
    ):
        monkeypatch.setattr(module, name, PATIENCE_S)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        write(root, path, text)
    return root


Start = Callable[..., Awaitable[Running]]


def write_config(home: Home, **settings: Any) -> None:
    quick = {"debounce_s": 0.05, "collect_s": 0.05, "rescan_s": 3600}
    whole = {"embedding": {"provider": "embedded"}, "watch": quick, **settings}
    Path(home.config).write_text(json.dumps(whole))


@pytest.fixture
def configure(tmp_path: Path) -> Callable[..., None]:
    """Writes another configuration, for the next start."""
    return lambda **settings: write_config(Home(str(tmp_path / "home")), **settings)


@pytest.fixture
async def start(tmp_path: Path, vault: Path) -> AsyncIterator[Start]:
    """Starts a pipeline on the same home. Each further start first crashes the last one, and then
    calls `meanwhile`."""
    if reason := local_model.unavailable():
        pytest.skip(f"the embedded model cannot run here: {reason}")
    home = Home(str(tmp_path / "home"))
    events = Path(home.events)
    events.mkdir(parents=True)
    write_config(home, vault_path=str(vault))
    clock = SystemClock()
    stack = contextlib.AsyncExitStack()

    async def begin(
        meanwhile: Callable[[], Any] = lambda: None, worker: DocumentWorkerPort | None = None
    ) -> Running:
        await stack.aclose()
        meanwhile()
        events.mkdir(exist_ok=True)
        ledger = Ledger(events, Path(home.snapshots), clock, new_id(), "test")
        writer = asyncio.create_task(ledger.journal.run())
        started = DaemonStarted(version="0", config_hash="", previous_stop="none")
        await ledger.journal.append("daemon", started)
        mark = CrashMark(Path(home.crash_trace))
        settings = Settings(home, configuration.load(home))
        pipeline = Pipeline(home, clock, ledger, settings, mark, worker)
        working = asyncio.create_task(Supervisor(ledger.journal, clock, pipeline.actors()).run())

        async def crash() -> None:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
            await pipeline.close()
            await ledger.journal.close()
            await writer

        stack.push_async_callback(crash)
        return Running(home, ledger, pipeline, settings, vault)

    try:
        yield begin
    finally:
        await stack.aclose()


@pytest.fixture(name="write")
def write_fixture() -> Callable[[Path, str, str | bytes], None]:
    return write
