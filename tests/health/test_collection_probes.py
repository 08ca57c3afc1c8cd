"""The probes of collections: each by itself, with its own time limit."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragd.config.live_settings import Settings
from ragd.config.load import parse
from ragd.events import DependencyLost, DependencyRecovered, GoneReason, VaultUnavailable
from ragd.health import collection_probes
from ragd.health.collection_probes import CollectionProbes
from ragd.paths import Home as HomePaths
from ragd.state.ledger import Ledger
from tests.daemon.virtual_clock import VirtualClock
from tests.eventlog.homes import Home
from tests.pipeline.following import Following


class Checked:
    """Roots whose state a test sets; one that hangs waits until the test ends."""

    def __init__(self) -> None:
        self.reasons: dict[str, GoneReason | None] = {}
        self.hanging: set[str] = set()
        self.released = threading.Event()

    def why_gone(self, collection: str) -> GoneReason | None:
        if collection in self.hanging:
            self.released.wait()
        return self.reasons.get(collection)


class Probing(Following):
    """Probes of two collections that run with a virtual clock."""

    def __init__(self, ledger: Ledger, clock: VirtualClock, roots: Checked) -> None:
        self.ledger = ledger
        self.clock = clock
        self.roots = roots

    async def next_round(self, kind: Any, **fields: Any) -> Any:
        """Let the time pass until such a fact is recorded."""
        seq = self.ledger.state.seq
        waiting = asyncio.create_task(self.until(kind, seq, **fields))
        while not waiting.done():
            self.clock.advance(1)
            await asyncio.sleep(0.001)
        return waiting.result()


@pytest.fixture
async def probing(tmp_path: Path, monkeypatch: Any) -> AsyncIterator[Probing]:
    monkeypatch.setattr(collection_probes, "PROBE_WITHIN_S", 0.05)
    monkeypatch.setattr(collection_probes, "STILL_HANGS_S", 0.05)
    collections = {name: {"path": f"/{name}"} for name in ("papers", "work")}
    raw = json.dumps({"vault_path": "/vault", "collections": collections}).encode()
    settings = Settings(HomePaths(str(tmp_path)), parse(raw, str(tmp_path)))
    clock, roots = VirtualClock(), Checked()
    async with Home(tmp_path).ledger() as ledger:
        probes = CollectionProbes(ledger, clock, settings, roots)
        running = asyncio.create_task(probes.run())
        yield Probing(ledger, clock, roots)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        roots.released.set()


async def test_a_loss_and_a_return_are_recorded_once(probing: Probing) -> None:
    probing.roots.reasons["papers"] = "missing"
    await probing.next_round(VaultUnavailable, collection="papers", reason="missing")
    assert probing.ledger.state.health.is_lost("papers")
    assert not probing.ledger.state.health.is_lost("work")
    probing.roots.reasons["papers"] = None
    await probing.next_round(DependencyRecovered, collection="papers")
    assert not probing.ledger.state.health.is_lost("papers")
    assert probing.ledger.state.seq == 2


async def test_one_that_hangs_does_not_keep_the_others_from_being_probed(
    probing: Probing,
) -> None:
    probing.roots.hanging = {"papers"}
    await probing.next_round(DependencyLost, collection="papers")
    assert probing.ledger.state.health.is_hanging("papers")
    probing.roots.reasons["work"] = "unreadable"
    await probing.next_round(VaultUnavailable, collection="work")
    probing.roots.released.set()
    await probing.next_round(DependencyRecovered, collection="papers")


async def test_an_empty_root_is_new_until_a_note_of_it_is_stored(probing: Probing) -> None:
    probing.roots.reasons = {"papers": "empty", "work": "missing"}
    await probing.next_round(VaultUnavailable, collection="work")
    assert not probing.ledger.state.health.is_lost("papers")
