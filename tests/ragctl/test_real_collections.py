"""Three roots under a real daemon: added, lost, held, renamed and removed, each by itself."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragd.paths import Home
from tests.ragctl.conftest import Ragctl, pid_of

pytestmark = pytest.mark.slow

MANY = 60  # notes in a folder of `papers`: over 50, so that their deletion is held
FEW = 4  # notes in `work`, and directly in `papers`

Until = Callable[[Callable[[dict[str, Any]], bool]], dict[str, Any]]


@pytest.fixture
def until(ragctl: Ragctl) -> Until:
    """Waits until the status is as wanted, from fact to fact."""

    def wait(holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            data: dict[str, Any] = ragctl("status", "--json").json["data"]
            if holds(data):
                return data
            after = str(data["log"]["seq"])
            ragctl("events", "-f", "--after", after, "--limit", "1")

    return wait


def write_notes(folder: Path, count: int, word: str) -> Path:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"{number}.md").write_text(f"The {word}{number}qx is on the roof.\n")
    return folder


def of(data: dict[str, Any], name: str) -> dict[str, Any]:
    """One collection in a status; empty if there is none of this name."""
    return next((one for one in data["collections"] if one["name"] == name), {})


def has(name: str, notes: int) -> Callable[[dict[str, Any]], bool]:
    """Whether a collection has this many notes, and nothing is under way."""
    return lambda data: (
        of(data, name).get("notes") == notes
        and not data["active_job"]
        and not data["unindexed_files"]
    )


def found(ragctl: Ragctl, word: str, *options: str) -> list[str]:
    """The notes that have this very word."""
    result = ragctl("search", f'"{word}"', "--json", *options)
    data = result.json["data"] or {"results": []}
    return [passage["source_file"] for passage in data["results"]]


@pytest.fixture
def three(ragctl: Ragctl, home: Home, short: Path, until: Until) -> tuple[Path, Path, Path]:
    """A vault, `papers` and `work`, all in one index."""
    vault = short / "vault"
    (vault / "Wren.md").write_text("The wrenqx is in the hedge.\n")
    papers = write_notes(short / "papers", FEW, "dunnock")
    write_notes(papers / "Old", MANY, "heron")
    work = write_notes(short / "work", FEW, "plover")
    for key, value in (("debounce_s", "0.05"), ("collect_s", "0.05")):
        ragctl("config", "set", f"watch.{key}", value)
    ragctl("config", "set", "embedding.provider", "embedded")
    assert ragctl("index").code == 0
    for root in (papers, work):
        assert ragctl("collection", "add", str(root)).code == 0
    until(has("papers", FEW + MANY))
    until(has("work", FEW))
    until(lambda data: all(one["watch"] == "native" for one in data["collections"]))
    return vault, papers, work


def test_three_roots_are_searched_filtered_and_shown_as_one(
    ragctl: Ragctl, three: tuple[Path, Path, Path]
) -> None:
    _, papers, work = three
    assert found(ragctl, "heron7qx") == ["@papers/Old/7.md"]
    assert found(ragctl, "plover1qx", "--dir", "@work") == ["@work/1.md"]
    assert found(ragctl, "plover1qx", "--dir", str(work)) == ["@work/1.md"]
    assert "heron7qx" in ragctl("show", "@papers/Old/7.md").out
    shown = ragctl("show", str(papers / "Old" / "7.md")).out
    assert "obsidian://open?vault=papers&file=Old%2F7.md" in shown
    listed = ragctl("collection", "list").out
    assert f"@papers  {papers}" in listed and f"{FEW + MANY} notes" in listed
    assert ragctl("collection", "list", "--names").out.split() == ["papers", "work"]


def test_an_unplugged_an_emptied_and_a_mostly_deleted_root_lose_nothing(
    ragctl: Ragctl, three: tuple[Path, Path, Path], until: Until
) -> None:
    vault, papers, work = three
    away = papers.with_name("away")
    papers.rename(away)
    data = until(lambda data: of(data, "papers")["state"] == "missing")
    assert (data["plugin_health"], of(data, "work")["state"]) == ("degraded", "ok")
    assert "@papers" in data["reasons"][0]["message"]
    (vault / "New.md").write_text("A dunlinqx in the vault.\n")
    (work / "new.md").write_text("A knotqx at work.\n")
    until(lambda data: found(ragctl, "knotqx") == ["@work/new.md"])
    until(lambda data: found(ragctl, "dunlinqx") == ["New.md"])
    assert found(ragctl, "heron7qx") == ["@papers/Old/7.md"], "its notes are still served"
    away.rename(papers)
    until(lambda data: data["plugin_health"] == "healthy")
    (papers / "Old").rename(away)
    data = until(lambda data: of(data, "papers")["state"] == "held")
    assert (of(data, "papers")["notes"], of(data, "papers")["held"]) == (FEW + MANY, MANY)
    (work / "new.md").unlink()
    until(has("work", FEW))
    for path in list(work.iterdir()):
        path.unlink()
    data = until(lambda data: of(data, "work")["state"] == "empty")
    assert {one["name"]: one["notes"] for one in data["collections"]} == {
        "vault": of(data, "vault")["notes"],
        "papers": FEW + MANY,
        "work": FEW,
    }
    assert {reason["code"] for reason in data["reasons"]} == {
        "COLLECTION_NOT_FOUND",
        "DELETIONS_HELD",
    }
    assert ragctl("sync", "--accept-deletions", "papers").code == 0
    data = until(lambda data: of(data, "papers")["notes"] == FEW)
    assert of(data, "work")["notes"] == FEW


def test_a_collection_is_renamed_and_removed_without_a_restart(
    ragctl: Ragctl, three: tuple[Path, Path, Path], until: Until
) -> None:
    pid = ragctl("status", "--json").json["data"]["pid"]
    ragctl("collection", "rename", "papers", "articles")
    data = until(has("articles", FEW + MANY))
    assert not of(data, "papers")
    assert found(ragctl, "heron7qx") == ["@articles/Old/7.md"]
    ragctl("collection", "remove", "articles")
    data = until(lambda data: data["total_docs"] == FEW + of(data, "vault")["notes"])
    assert found(ragctl, "heron7qx") == []
    assert data["pid"] == pid and data["reasons"] == []
    held = [json.loads(line) for line in ragctl("events", "--type", "deletions_held").lines]
    assert held == []


@pytest.mark.parametrize("action", ["add", "remove"])
def test_a_kill_right_after_a_change_loses_nothing(
    ragctl: Ragctl,
    home: Home,
    short: Path,
    three: tuple[Path, Path, Path],
    until: Until,
    action: str,
) -> None:
    if action == "add":
        more = write_notes(short / "more", 30, "stint")
        ragctl("collection", "add", str(more))
    else:
        ragctl("collection", "remove", "papers")
    pid = pid_of(home)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    if action == "add":
        until(has("more", 30))
        assert of(until(has("papers", FEW + MANY)), "work")["notes"] == FEW
    else:
        data = until(lambda data: data["total_docs"] == FEW + of(data, "vault")["notes"])
        assert found(ragctl, "heron7qx") == []
        assert of(data, "work")["notes"] == FEW
