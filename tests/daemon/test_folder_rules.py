"""What follows at once when the configuration includes other folders than before."""

import json
from pathlib import Path
from typing import Any

from ragctl.daemon.client import stream
from tests.daemon.searches import WITHIN_S, Vault, serve_text


def wait_for_first(vault: Vault, after: int, kind: str) -> dict[str, Any]:
    """The first record of this type after `after`."""
    lines: Any = stream(vault.home, f"/v1/events?follow=1&after={after}&type={kind}")
    try:
        found: dict[str, Any] = json.loads(lines.read_line(WITHIN_S))
    finally:
        lines.close()
    return found


def test_a_new_collection_is_read_at_once_and_not_after_the_next_scan(tmp_path: Path) -> None:
    """The watcher scans a minute later here. That the job does not wait for it is shown in
    `tests/pipeline/test_collections.py`, where no scan comes."""
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "Ice.md").write_text("Ice in the bay.\n")
    with serve_text({"Tea.md": "Assam.\n"}) as vault:
        after = vault.get("/v1/status").data["log"]["seq"]
        vault.reload(collections={"papers": {"path": str(papers)}})
        requested = wait_for_first(vault, after, "job_requested")["event"]
        assert requested["origin"] == "config_changed"
        finished = wait_for_first(vault, after, "job_finished")["event"]
        assert finished["job_id"] == requested["job_id"]
        assert vault.search("ice").files == ["@papers/Ice.md"]
