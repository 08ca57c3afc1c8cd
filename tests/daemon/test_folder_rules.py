"""What follows at once when the configuration includes other folders than before."""

import json
from pathlib import Path
from typing import Any

from ragctl.daemon.client import stream
from tests.daemon.searches import WITHIN_S, Vault, serve_text


def records(vault: Vault, after: int, *types: str) -> list[dict[str, Any]]:
    """The records so far, up to the end of the first job."""
    lines: Any = stream(vault.home, f"/v1/events?follow=1&after={after}")
    found: list[dict[str, Any]] = []
    try:
        while not found or found[-1]["event"]["type"] != "job_finished":
            found.append(json.loads(lines.read_line(WITHIN_S)))
    finally:
        lines.close()
    return [one for one in found if one["event"]["type"] in types]


def test_a_new_collection_is_read_at_once_and_not_after_the_next_scan(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    (papers / "Ice.md").write_text("Ice in the bay.\n")
    later = {"debounce_s": 6, "rescan_s": 86_400}  # when the watcher scans after a reload
    with serve_text({"Tea.md": "Assam.\n"}, watch=later) as vault:
        after = vault.get("/v1/status").data["log"]["seq"]
        vault.reload(collections={"papers": {"path": str(papers)}})
        first, *_ = records(vault, after, "job_requested", "vault_scanned", "files_changed")
        assert (first["event"]["type"], first["event"].get("origin")) == (
            "job_requested",
            "config_changed",
        )
        assert vault.search("ice").files == ["@papers/Ice.md"]
