"""The processes that split notes are killed while a vault is indexed: no note is lost."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import Any

from ragd.events import JobFinished
from tests.pipeline.conftest import NOTES, write

COUNT = 200


async def kill_parsers(running: Any, killed: set[int]) -> None:
    """Kill each process as soon as it is there."""
    while True:
        for pid in running.pipeline.parsers.pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
        await asyncio.sleep(0)


async def test_notes_are_stored_although_their_parsers_are_killed(start: Any, vault: Path) -> None:
    for number in range(COUNT):
        write(vault, f"Many/{number}.md", f"# Heron {number}\n\nIt stood on the jetty.\n")
    running = await start()
    killed: set[int] = set()
    killing = asyncio.create_task(kill_parsers(running, killed))
    job = await running.request("full")
    finished = await running.until(JobFinished, 0, job_id=job)
    killing.cancel()
    assert killed, "no process was started, so nothing was tested"
    assert finished.event.outcome == "complete"
    stored = {row["source_file"] for row in await running.rows()}
    assert stored == {*NOTES, *(f"Many/{number}.md" for number in range(COUNT))}
