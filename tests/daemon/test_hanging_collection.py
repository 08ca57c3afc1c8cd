"""A real daemon with a collection on a mount that hangs: all else goes on as usual."""

import asyncio
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ragd.paths import Home
from tests.daemon.processes import Process, facts, start_modified
from tests.daemon.test_hanging_vault import QUICK, SEARCH, Hanging, mounted, replaced

CODE = "COLLECTION_NOT_FOUND"


class HangingCollection:
    """A vault that answers, and a collection `papers` that can hang."""

    def __init__(self, folder: Path, papers: Hanging) -> None:
        self.papers = papers
        self.home = Home(str(folder / "h"))
        self.vault = folder / "plain"
        self.vault.mkdir()
        (self.vault / "Birds.md").write_text("A kingfisher is back at the weir.\n")
        (papers.notes / "Ice.md").write_text("A glacier in the fjord.\n")
        Path(self.home.root).mkdir(mode=0o700)
        config: dict[str, Any] = {
            "vault_path": str(self.vault),
            "collections": {"papers": {"path": str(papers.vault)}},
            "embedding": {"provider": "ollama", "base_url": "http://127.0.0.1:9"},  # no server
            "watch": {"debounce_s": 0.05, "collect_s": 0, "rescan_s": 1},
            "health": {"probe_s": 0.1},
        }
        Path(self.home.config).write_text(json.dumps(config))


@pytest.fixture(params=[mounted, replaced], ids=lambda how: str(how.__name__))
def hanging(request: pytest.FixtureRequest) -> Iterator[HangingCollection]:
    folder = Path(tempfile.mkdtemp(prefix="rh", dir="/tmp"))
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        papers: Hanging = request.param(stack, folder)
        if papers.twists != QUICK:
            papers.twists = (*QUICK, f"hang_vault_while={folder / 'hang'}:{papers.vault}")
        yield HangingCollection(folder, papers)
        papers.go_on()


async def found(daemon: Process, word: str) -> list[tuple[str, bool]]:
    """The notes with a word, and whether they could not be checked."""
    answer = await daemon.ask("POST", SEARCH, {"query": f'"{word}"'})
    return [(one["source_file"], one["unverified"]) for one in answer.data["results"]]


async def finish(daemon: Process, mode: str) -> dict[str, Any]:
    """Run a job to its end."""
    job = (await daemon.ask("POST", "/v1/jobs", {"mode": mode})).data["job_id"]
    while True:
        told: dict[str, Any] = (await daemon.ask("GET", f"/v1/jobs/{job}")).data
        if told["phase"] in ("vectors", "finished"):  # no vectors are made here
            return told
        await asyncio.sleep(0.05)


async def until_found(daemon: Process, word: str, path: str) -> None:
    while path not in [note for note, _ in await found(daemon, word)]:
        await asyncio.sleep(0.05)


async def test_all_else_goes_on_while_a_collection_hangs(hanging: HangingCollection) -> None:
    daemon = start_modified(hanging.home, *hanging.papers.twists)
    try:
        await daemon.wait_until_ready()
        await daemon.wait_for_reasons("INDEX_NOT_FOUND")
        await finish(daemon, "full")
        await until_found(daemon, "glacier", "@papers/Ice.md")
        hanging.papers.hang()
        await daemon.wait_for_reasons(CODE)
        for number in range(3):  # its own threads are blocked by now, and no others
            (hanging.vault / f"{number}.md").write_text(f"The heron{number}qx on the roof.\n")
            await until_found(daemon, f"heron{number}qx", f"{number}.md")
            assert await found(daemon, f"heron{number}qx") == [(f"{number}.md", False)]
        assert await found(daemon, "glacier") == [("@papers/Ice.md", True)], "still served"
        assert (await finish(daemon, "full"))["outcome"] == "complete"
        shown = await daemon.ask("GET", "/v1/notes?path=@papers/Ice.md")
        assert shown.code == CODE
        status = await daemon.status()
        assert [(one["name"], one["notes"]) for one in status["collections"]] == [
            ("vault", 4),
            ("papers", 1),
        ]
        assert status["collections"][1]["state"] == "not_responding"
        hanging.papers.go_on()
        await daemon.wait_for_reasons(CODE, absent=True)
        (hanging.papers.notes / "New.md").write_text("A crevasse near the moraine.\n")
        await until_found(daemon, "crevasse", "@papers/New.md")
        kinds = {record["event"]["type"] for record in facts(hanging.home)}
        assert "deletions_held" not in kinds
    finally:
        hanging.papers.go_on()
        daemon.kill()
