"""The vault is never written: no byte, name or time in it changes."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from ragd.embed.providers import local_model
from ragd.paths import Home
from tests.daemon.processes import Process
from tests.security.test_network import used, vault

__all__ = ["vault"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        local_model.unavailable() is not None, reason="the embedded model cannot run here"
    ),
]


def as_it_is(folder: Path) -> dict[str, tuple[int, int, int, str]]:
    """Everything in a folder: mode, owner, time of the last change, content."""
    found = {}
    for path in [folder, *folder.rglob("*")]:
        facts = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path)] = (facts.st_mode, facts.st_uid, facts.st_mtime_ns, content)
    return found


async def test_a_whole_index_and_every_tool_leave_the_vault_as_it_was(
    home: Home, vault: Path, start: Callable[..., Process]
) -> None:
    before = as_it_is(vault)
    daemon = start()
    await used(daemon)
    reindex = (await daemon.ask("POST", "/v1/jobs", {"mode": "reindex"})).data["job_id"]
    assert (await daemon.ask("GET", f"/v1/jobs/{reindex}?follow=1")).body
    assert await daemon.stop() == 0
    assert as_it_is(vault) == before


def test_a_changed_vault_would_be_noticed(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("one")
    before = as_it_is(tmp_path)
    note.write_text("two")
    assert as_it_is(tmp_path) != before
