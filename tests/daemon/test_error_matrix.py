"""Rows of the contract's error matrix that need a daemon of their own, with real causes."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragctl.daemon.client import request
from ragd.embed.providers import local_model
from tests.daemon.searches import WITHIN_S, Vault

pytestmark = [
    pytest.mark.skipif(
        local_model.unavailable() is not None, reason="the embedded model cannot run here"
    ),
]


@pytest.fixture
def vault() -> Iterator[Vault]:
    """A daemon over an empty vault, with frequent probes."""
    folder = Path(tempfile.mkdtemp(prefix="rm", dir="/tmp"))
    found = Vault(folder, {}, health={"probe_s": 0.1})
    found.root.mkdir()
    try:
        yield found
    finally:
        found.end()
        shutil.rmtree(folder, ignore_errors=True)


def until(holds: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + WITHIN_S
    while not (found := holds()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return found


def status(vault: Vault) -> dict[str, Any]:
    return request(vault.home, "GET", "/v1/status").data


def test_an_empty_vault_has_no_index_to_search(vault: Vault) -> None:
    vault.start()
    assert vault.index()["outcome"] == "complete"
    asked = vault.search("anything")
    assert (asked.envelope["status"], asked.code) == ("unavailable", "INDEX_NOT_FOUND")
    assert asked.envelope["error"]["recoverable"] is True
    vault.write("First.md", "A heron on the roof of the boathouse.\n")
    assert vault.index("sync")["outcome"] == "complete"
    assert vault.search("heron").files == ["First.md"]


def test_a_job_that_failed_is_named_and_tried_once_more_by_itself(vault: Vault) -> None:
    vault.write("First.md", "A heron on the roof of the boathouse.\n")
    vault.start()
    until(lambda: all(r["code"] != "STARTING" for r in status(vault)["reasons"]))
    away = vault.folder / "away"
    vault.root.rename(away)
    until(lambda: "VAULT_NOT_FOUND" in [r["code"] for r in status(vault)["reasons"]])
    assert vault.index()["outcome"] == "failed"
    asked = vault.search("heron")
    assert (asked.envelope["status"], asked.code) == ("unavailable", "VAULT_NOT_FOUND"), "its cause"
    assert asked.envelope["error"]["recoverable"] is True
    assert "INDEXER_FAILED" in [r["code"] for r in status(vault)["reasons"]]
    away.rename(vault.root)
    done = until(lambda: (job := status(vault)["last_job"])["outcome"] == "complete" and job)
    assert done["mode"] == "full", "nobody asked for it again"
    assert until(lambda: vault.search("heron").data)["results"][0]["source_file"] == "First.md"
    assert "INDEXER_FAILED" not in [r["code"] for r in status(vault)["reasons"]]


def test_damage_is_named_and_mended_by_a_reindex(vault: Vault) -> None:
    vault.write("First.md", "A heron on the roof of the boathouse.\n")
    vault.start()
    assert vault.index()["outcome"] == "complete"
    for manifest in Path(vault.home.vectors).glob("*/*.lance/_versions/*.manifest"):
        manifest.write_bytes(b"")
    asked = until(lambda: (asked := vault.search("heron")).code == "INDEX_CORRUPTED" and asked)
    assert asked.envelope["status"] == "unavailable"
    assert "reindex" in asked.envelope["error"]["suggestion"]
    assert vault.index("reindex")["outcome"] == "complete"
    assert vault.search("heron").files == ["First.md"]
    until(lambda: status(vault)["plugin_health"] == "healthy")
