"""Several roots in one index: each is read, watched, held and lost by itself."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragd.events import (
    DeletionsHeld,
    JobFinished,
    JobRequested,
    VaultScanned,
    VaultUnavailable,
    WatchStarted,
)
from ragd.vault.collection_paths import VAULT
from ragd.vault.folder_rules import NAME_TAKEN
from tests.pipeline.conftest import NOTES
from tests.pipeline.watching import facts, until_watched

MANY = 60


class Roots:
    """Two folders of notes beside the vault, and the configuration that names them."""

    def __init__(self, vault: Path, configure: Callable[..., None]) -> None:
        self.vault = vault
        self.papers = vault.parent / "papers"
        self.work = vault.parent / "work"
        self._configure = configure
        for root, count in ((self.papers, MANY - 1), (self.work, 2)):
            (root / "2024").mkdir(parents=True)
            (root / "top.md").write_text(f"The first note of {root.name}.\n")
            for number in range(count):
                (root / "2024" / f"{number}.md").write_text(f"Note {number} of {root.name}.\n")

    def configure(self, **roots: Path) -> None:
        listed = {name: {"path": str(root)} for name, root in roots.items()}
        self._configure(vault_path=str(self.vault), collections=listed)

    def configure_all(self) -> None:
        self.configure(papers=self.papers, work=self.work)


@pytest.fixture
def roots(vault: Path, configure: Callable[..., None]) -> Roots:
    return Roots(vault, configure)


async def index_all(start: Any, roots: Roots) -> Any:
    """A pipeline that has read all three roots and watches each of them."""
    running = await start(roots.configure_all)
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    for name in ("", "papers", "work"):
        await running.until(WatchStarted, 0, collection=name)
    return running


def counts(state: Any) -> dict[str, int]:
    return {name: state.catalog.count_stored(name) for name in (VAULT, "papers", "work")}


ALL = {VAULT: len(NOTES), "papers": MANY, "work": 3}


async def until_saved(running: Any, root: Path, name: str, text: str) -> None:
    """Save a note in a root, and wait until it is indexed."""
    (root / name).write_text(text)
    prefix = "" if root == running.vault else f"@{root.name}/"
    await running.until_state(lambda state: prefix + name in state.catalog.files)


async def test_all_roots_are_one_index_with_one_path_space(start: Any, roots: Roots) -> None:
    running = await index_all(start, roots)
    assert counts(running.ledger.state) == ALL
    assert "@papers/2024/7.md" in running.catalog.files
    rows = {row["source_file"]: row["collection"] for row in await running.rows("collection")}
    assert rows["@papers/2024/7.md"] == "papers"
    assert rows["Shopping.md"] == VAULT


async def test_a_change_in_each_root_is_noticed(start: Any, roots: Roots) -> None:
    running = await index_all(start, roots)
    for root in (roots.vault, roots.papers, roots.work):
        await until_saved(running, root, "new.md", f"Saved in {root.name}.\n")
    (roots.papers / "new.md").unlink()
    await running.until_state(lambda state: "@papers/new.md" not in state.catalog.files)
    assert "@work/new.md" in running.catalog.files


async def test_a_new_collection_is_read_without_a_scan_of_the_watcher(
    start: Any, roots: Roots
) -> None:
    """No fact tells the watcher of a reload here, and its next scan is an hour later."""
    running = await start(lambda: roots.configure(papers=roots.papers))
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    for name in ("", "papers"):
        await running.until(WatchStarted, 0, collection=name)
    await running.until_state(lambda state: not state.jobs.open and not state.catalog.backlog)
    await until_watched(running)
    seq = running.ledger.state.seq
    roots.configure_all()
    config, _ = running.settings.read_again()
    running.settings.replace(config, [])
    requested = await running.until(JobRequested, seq)
    assert requested.event.origin == "config_changed"
    await running.until(JobFinished, seq, job_id=requested.event.job_id)
    assert counts(running.ledger.state) == ALL


async def test_an_unplugged_collection_keeps_its_notes_and_the_others_go_on(
    start: Any, roots: Roots
) -> None:
    running = await index_all(start, roots)
    os.rename(roots.papers, roots.papers.with_name("away"))
    gone = await running.until(VaultUnavailable, 0, collection="papers")
    assert gone.event.reason == "missing"
    await running.until_state(lambda state: state.health.is_lost("papers"))
    for root in (roots.vault, roots.work):
        await until_saved(running, root, "later.md", "Saved while papers was away.\n")
    job = await running.request("full")
    finished = await running.until(JobFinished, gone.seq, job_id=job)
    assert finished.event.outcome == "complete"
    assert counts(running.ledger.state)["papers"] == MANY
    assert running.ledger.state.health.deletions_held == 0
    os.rename(roots.papers.with_name("away"), roots.papers)
    (roots.papers / "back.md").write_text("Plugged in again.\n")
    await running.until_state(
        lambda state: (
            "@papers/back.md" in state.catalog.files and not state.health.is_lost("papers")
        )
    )


async def test_a_vault_that_is_gone_leaves_the_collections_at_work(
    start: Any, roots: Roots
) -> None:
    running = await index_all(start, roots)
    os.rename(roots.vault, roots.vault.with_name("away"))
    await running.until_state(lambda state: state.health.is_lost(VAULT))
    await until_saved(running, roots.work, "later.md", "Saved while the vault was away.\n")
    assert counts(running.ledger.state) == {**ALL, "work": 4}
    assert not running.ledger.state.health.lost_collections
    os.rename(roots.vault.with_name("away"), roots.vault)
    await running.until_state(lambda state: not state.health.is_lost(VAULT))
    assert counts(running.ledger.state) == {**ALL, "work": 4}


async def test_an_emptied_collection_loses_nothing(start: Any, roots: Roots) -> None:
    running = await index_all(start, roots)
    away = roots.work.with_name("away")
    os.rename(roots.work, away)
    roots.work.mkdir()
    await running.until_state(
        lambda state: (
            state.health.is_lost("work") and state.health.lost_collections["work"].reason == "empty"
        )
    )
    await until_saved(running, roots.papers, "later.md", "Saved while work was empty.\n")
    assert counts(running.ledger.state) == {**ALL, "papers": MANY + 1}
    roots.work.rmdir()
    os.rename(away, roots.work)
    await running.until_state(lambda state: not state.health.is_lost("work"))


async def test_a_mass_deletion_holds_only_its_collection(start: Any, roots: Roots) -> None:
    running = await index_all(start, roots)
    os.rename(roots.papers / "2024", roots.papers.with_name("away"))
    held = await running.until(DeletionsHeld, 0)
    assert [(one.collection) for one in held.event.collections] == ["papers"]
    (roots.work / "2024" / "1.md").unlink()
    await running.until_state(lambda state: "@work/2024/1.md" not in state.catalog.files)
    (roots.vault / "Shopping.md").unlink()
    await running.until_state(lambda state: "Shopping.md" not in state.catalog.files)
    assert counts(running.ledger.state)["papers"] == MANY
    assert running.ledger.state.health.held_in("work") == 0
    wrong = await running.request("sync", accept_deletions=True, accept_in=["work"])
    await running.until(JobFinished, held.seq, job_id=wrong)
    assert counts(running.ledger.state)["papers"] == MANY
    right = await running.request("sync", accept_deletions=True, accept_in=["papers"])
    await running.until(JobFinished, held.seq, job_id=right)
    await running.until_state(lambda state: counts(state)["papers"] == 1)
    assert running.ledger.state.health.deletions_held == 0


async def test_what_is_held_in_a_collection_that_goes_away_stays_held(
    start: Any, roots: Roots
) -> None:
    running = await index_all(start, roots)
    os.rename(roots.papers / "2024", roots.papers.with_name("old"))
    await running.until(DeletionsHeld, 0)
    os.rename(roots.papers, roots.papers.with_name("away"))
    await running.until_state(lambda state: state.health.is_lost("papers"))
    await running.until(VaultScanned, running.ledger.state.seq - 1)
    assert running.ledger.state.health.held_in("papers") > 0
    os.rename(roots.papers.with_name("away"), roots.papers)
    await running.until_state(lambda state: not state.health.is_lost("papers"))
    assert counts(running.ledger.state)["papers"] == MANY


async def test_a_note_that_moves_to_another_root_is_not_a_deletion(
    start: Any, roots: Roots
) -> None:
    running = await index_all(start, roots)
    os.rename(roots.work / "2024" / "1.md", roots.vault / "Moved.md")
    await running.until_state(
        lambda state: (
            "Moved.md" in state.catalog.files and "@work/2024/1.md" not in state.catalog.files
        )
    )
    assert await facts(running, DeletionsHeld, 0) == []


async def test_a_reindex_is_refused_while_a_collection_with_notes_is_gone(
    start: Any, roots: Roots
) -> None:
    running = await index_all(start, roots)
    os.rename(roots.papers, roots.papers.with_name("away"))
    await running.until_state(lambda state: state.health.is_lost("papers"))
    job = await running.request("reindex")
    refused = await running.until(JobFinished, 0, job_id=job)
    assert (refused.event.outcome, refused.event.code) == ("failed", "COLLECTION_NOT_FOUND")
    os.rename(roots.papers.with_name("away"), roots.papers)
    again = await running.until(JobFinished, refused.seq, mode="reindex")  # by itself
    assert again.event.outcome == "complete"
    assert counts(running.ledger.state) == ALL


async def test_collections_come_and_go_without_a_restart(start: Any, roots: Roots) -> None:
    running = await start(roots.configure)
    job = await running.request("full")
    await running.until(JobFinished, 0, job_id=job)
    roots.configure(papers=roots.papers)
    running.read_settings()
    await running.rescan()
    await running.until_state(lambda state: counts(state)["papers"] == MANY)
    await running.until(WatchStarted, 0, collection="papers")
    roots.configure(renamed=roots.papers)
    running.read_settings()
    await running.rescan()
    await running.until_state(
        lambda state: (
            state.catalog.count_stored("renamed") == MANY and not state.catalog.is_folder("@papers")
        )
    )
    roots.configure()
    running.read_settings()
    await running.rescan()
    await running.until_state(lambda state: len(state.catalog.files) == len(NOTES))
    await running.until_state(lambda state: not state.catalog.collections)
    assert await facts(running, DeletionsHeld, 0) == []


async def test_a_collection_that_is_removed_while_stopped_leaves_the_index(
    start: Any, roots: Roots
) -> None:
    await index_all(start, roots)
    running = await start(lambda: roots.configure(work=roots.work))
    await running.until_state(lambda state: not state.catalog.is_folder("@papers"))
    assert counts(running.ledger.state)[VAULT] == len(NOTES)
    assert await facts(running, DeletionsHeld, 0) == []


async def test_a_folder_of_the_vault_with_the_name_of_a_collection_is_skipped(
    start: Any, roots: Roots, write: Any
) -> None:
    running = await index_all(start, roots)
    write(roots.vault, "@papers/in the vault.md", "Where does it belong?\n")
    write(roots.vault, "@people/Ann.md", "A folder of the vault.\n")
    await running.rescan()
    await running.until_state(lambda state: "@people/Ann.md" in state.catalog.files)
    # The rescan lists it: no job reads a folder that is left out.
    await running.until_state(lambda state: state.catalog.skipped == {"@papers": NAME_TAKEN})
    job = await running.request("sync")
    await running.until(JobFinished, 0, job_id=job)
    assert running.catalog.skipped == {"@papers": NAME_TAKEN}


@pytest.mark.parametrize("where", ["vault", "papers", "home"])
async def test_a_root_that_becomes_a_link_to_a_folder_in_use_is_not_read_twice(
    start: Any, roots: Roots, where: str
) -> None:
    running = await index_all(start, roots)
    own = Path(running.settings.home.root)
    target = {"vault": roots.vault, "papers": roots.papers / "2024", "home": own}[where]
    (own / "leak.md").write_text("ragd's own folder")
    os.rename(roots.work, roots.work.with_name("away"))
    roots.work.symlink_to(target)
    await running.rescan()
    await running.until(VaultUnavailable, 0, collection="work", reason="overlaps")
    await until_saved(running, roots.vault, "later.md", "Saved meanwhile.\n")
    job = await running.request("sync")
    await running.until(JobFinished, 0, job_id=job)
    assert counts(running.ledger.state) == {**ALL, VAULT: len(NOTES) + 1}
    assert running.ledger.state.health.deletions_held == 0
    roots.work.unlink()
    os.rename(roots.work.with_name("away"), roots.work)
    await running.rescan()
    await running.until_state(lambda state: not state.health.is_lost("work"))
    assert counts(running.ledger.state)["work"] == 3


async def test_a_root_may_become_a_link_to_a_folder_of_its_own(start: Any, roots: Roots) -> None:
    running = await index_all(start, roots)
    os.rename(roots.work, roots.work.with_name("elsewhere"))
    roots.work.symlink_to(roots.work.with_name("elsewhere"))
    (roots.work / "new.md").write_text("In the same folder, behind a link.\n")
    await running.rescan()
    await running.until_state(lambda state: "@work/new.md" in state.catalog.files)
    assert counts(running.ledger.state)["work"] == 4
    assert "@papers/in the vault.md" not in running.catalog.files
    assert counts(running.ledger.state)["papers"] == MANY
