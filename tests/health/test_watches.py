"""A real daemon watches the folders that a scan enters, and nothing else."""

import json
import re
from pathlib import Path

import pytest

from chaos.managed_daemon import QUICK, ManagedDaemon
from tests.health.conftest import DaemonFactory

FDINFO = Path("/proc/self/fdinfo")
pytestmark = pytest.mark.skipif(not FDINFO.exists(), reason="only Linux counts watches in /proc")

NEVER = QUICK | {"rescan_s": 86_400}  # what is noticed is noticed by the watch


def watches(daemon: ManagedDaemon) -> int:
    """How many watches of the system the daemon holds."""
    found = 0
    for descriptor in Path(f"/proc/{daemon.child.pid}/fdinfo").iterdir():
        try:
            found += len(re.findall("^inotify wd:", descriptor.read_text(), re.MULTILINE))
        except OSError:
            continue  # closed meanwhile
    return found


def until_watches(daemon: ManagedDaemon, count: int) -> None:
    daemon.wait_for(lambda _: watches(daemon) == count, f"{count} watches")


def found(daemon: ManagedDaemon, word: str) -> list[str]:
    answer = daemon.search(word)
    return answer.files if answer.envelope["data"] else []


@pytest.fixture
def spread(prepare: DaemonFactory) -> ManagedDaemon:
    """A vault with links out of it, hidden, denied and template folders."""
    daemon = prepare(watch=NEVER, indexing={"deny_dirs": ["Private"]})
    vault, outside = daemon.vault.folder, daemon.arena.folder / "outside"
    for number in range(40):
        (outside / f"{number}" / "deep").mkdir(parents=True)
    for folder in ("a/b", "Private/deep", ".hidden/deep", "Templates/deep", ".obsidian"):
        (vault / folder).mkdir(parents=True)
    (vault / ".obsidian" / "templates.json").write_text(json.dumps({"folder": "Templates"}))
    (vault / "out").symlink_to(outside)
    (vault / "a" / "loop").symlink_to("..")
    (vault / "home").symlink_to(daemon.home.root)
    daemon.start()
    daemon.wait_for_facts("watch_started", 1)
    daemon.request_job("full")
    return daemon


def test_links_hidden_denied_and_template_folders_are_not_watched(spread: ManagedDaemon) -> None:
    until_watches(spread, 3)  # the vault, a, a/b


def test_folders_that_come_and_go_are_watched_as_they_do(spread: ManagedDaemon) -> None:
    until_watches(spread, 3)
    vault = spread.vault.folder
    (vault / "new" / "deep").mkdir(parents=True)
    until_watches(spread, 5)
    (vault / "new" / "deep" / "note.md").write_text("The heron9qx is on the roof.\n")
    spread.wait_for(lambda _: "new/deep/note.md" in found(spread, "heron9qx"), "found")
    (vault / "new").rename(vault / "a" / "renamed")
    until_watches(spread, 5)
    (vault / "a" / "renamed" / "deep" / "note.md").write_text("The otter9qx is in the water.\n")
    where = "a/renamed/deep/note.md"
    spread.wait_for(lambda _: where in found(spread, "otter9qx"), "found after the move")
    (vault / "a" / "renamed").rename(spread.arena.folder / "gone")
    until_watches(spread, 3)


def test_a_folder_that_is_denied_now_is_not_watched_any_longer(spread: ManagedDaemon) -> None:
    until_watches(spread, 3)
    spread.harness.configure(indexing={"deny_dirs": ["Private", "a"]})
    spread.reload()
    until_watches(spread, 1)
    spread.harness.configure(indexing={"deny_dirs": []})
    spread.reload()
    until_watches(spread, 5)
