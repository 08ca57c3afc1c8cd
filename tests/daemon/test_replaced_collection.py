"""The name of a private collection is given to another folder: nothing of its notes is shown, not a
word, not a path, not a count."""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragctl.daemon.client import request
from tests.daemon.searches import WITHIN_S, Vault, serve_text

SECRETS = 8
QUICK = {"debounce_s": 0, "collect_s": 0, "rescan_s": 86400}
TOO_LARGE = 11 * 1024 * 1024
AGENT = {"X-Ragd-Agent": "main"}
EVERYTHING = {"query": "gentian salary garden", "max_results": 20}


class Folders:
    """A private folder, and a public one that gets its name."""

    def __init__(self, place: Path) -> None:
        self.private, self.public = place / "PrivA", place / "PubB"
        self.private.mkdir(parents=True)
        self.public.mkdir()
        for number in range(SECRETS):
            (self.private / f"s{number}.md").write_text(f"gentian secret {number}: my salary.\n")
        for name in ("a", "b"):
            (self.public / f"{name}.md").write_text(f"A garden plan, number {name}.\n")

    def before(self) -> dict[str, Any]:
        return {"collections": {"box": {"path": str(self.private), "private": True}}}

    def after(self) -> dict[str, Any]:
        return {"collections": {"box": {"path": str(self.public)}}}


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


@pytest.fixture
def vault(folders: Folders) -> Iterator[Vault]:
    notes = {"Mine.md": "A heron at the weir.\n"}
    with serve_text(notes, watch=QUICK, **folders.before()) as vault:
        yield vault


def reload_at_once(vault: Vault, folders: Folders) -> None:
    vault.reload(**folders.after())


def remove_first(vault: Vault, folders: Folders) -> None:
    vault.reload(collections={})
    vault.reload(**folders.after())


def change_while_stopped(vault: Vault, folders: Folders) -> None:
    assert vault.process is not None
    vault.process.kill()
    vault.configure(**folders.after())
    vault.start()


def what_is_shown(vault: Vault) -> str:
    """Everything that an unprivileged request shows."""
    shown = [vault.post("/v1/tools/obsidian_rag_search", EVERYTHING).envelope]
    shown += [vault.get(path).envelope for path in ("/v1/coverage", "/v1/coverage?notes=1")]
    return json.dumps(shown)


@pytest.mark.parametrize("change", [reload_at_once, remove_first, change_while_stopped])
def test_the_old_notes_are_never_shown_under_the_name(
    vault: Vault, folders: Folders, change: Callable[[Vault, Folders], None]
) -> None:
    stored = vault.search("gentian salary", collections=["box"], max_results=20)
    assert len(stored.files) == SECRETS
    change(vault, folders)
    deadline = time.monotonic() + WITHIN_S
    while "@box/a.md" not in (shown := what_is_shown(vault)):
        assert "gentian" not in shown
        assert "@box/s" not in shown
        assert time.monotonic() < deadline, vault.get("/v1/status").envelope
        time.sleep(0.05)
    vault.index("sync")
    shutil.move(folders.public, folders.public.with_name("unplugged"))  # nothing can be checked
    assert "gentian" not in what_is_shown(vault)
    collections = vault.get("/v1/status").data["collections"]
    assert [(one["name"], one["notes"]) for one in collections] == [("vault", 1), ("box", 2)]
    assert request(vault.home, "GET", "/v1/events?type=deletions_held").body == b""


def test_a_path_that_is_refused_removes_no_note(vault: Vault) -> None:
    """It is refused at once, not when the old notes have left the index."""
    vault.configure(collections={"box": {"path": str(vault.root)}})  # it is the vault
    refused = vault.post("/v1/reload", {})
    assert (refused.status, refused.code) == (400, "INVALID_REQUEST")
    assert len(vault.search("gentian", collections=["box"], max_results=20).files) == SECRETS


@pytest.mark.parametrize("is_missing", [False, True])
def test_paths_that_are_only_listed_are_never_shown_under_the_name(
    folders: Folders, is_missing: bool
) -> None:
    """No note of the old folder is in the index: its only file is too large. If the new folder is
    missing, nothing is known about its files."""
    shutil.rmtree(folders.private)
    folders.private.mkdir()
    (folders.private / "Diagnosis.md").write_bytes(b"x" * TOO_LARGE)
    if is_missing:
        shutil.rmtree(folders.public)
    with serve_text({"Mine.md": "A heron.\n"}, watch=QUICK, **folders.before()) as vault:
        vault.until(lambda: vault.get("/v1/status").data["skipped"]["total"] == 1)
        vault.reload(**folders.after())

        def is_in_force() -> bool:
            answers = [
                request(vault.home, "GET", path, None, WITHIN_S, headers=AGENT).body
                for path in ("/v1/status", "/v1/coverage?notes=1")
            ]
            assert not any(b"Diagnosis" in body for body in answers)
            names = [one["name"] for one in json.loads(answers[0])["data"]["collections"]]
            return "box" in names

        vault.until(is_in_force)
        assert is_in_force()
