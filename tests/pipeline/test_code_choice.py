"""Code of a vault that is mostly code is indexed; an index keeps the choice it was made with."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragd.events import IndexActivated, JobFinished, JobRequested, VaultScanned
from ragd.notes import parse
from ragd.notes.markdown.code_marks import readable
from ragd.notes.model import code_blocks_of
from tests.patience import PATIENCE_S

MOSTLY_CODE = "```sh\n" + "restic backup --exclude-caches /srv\n" * 40 + "```\n"


async def finished(running: Any, mode: str) -> None:
    job = await running.request(mode)
    done = await running.until(JobFinished, 0, job_id=job)
    assert done.event.outcome == "complete"


def choice_of(running: Any) -> str | None:
    index = running.pipeline.open_indexes.serving
    assert index is not None
    return code_blocks_of(index.identity.fingerprint)


async def texts(running: Any) -> str:
    return readable("\n".join(row["chunk_text"] for row in await running.rows()))


async def test_the_code_of_an_ordinary_vault_is_left_out_with_a_mark(
    start: Any, vault: Path, write: Any
) -> None:
    write(vault, "Backup.md", "How to start it:\n```sh\nrestic backup\n```\n")
    running = await start()
    await finished(running, "full")
    scanned = await running.until(VaultScanned, 0)
    assert 0 < scanned.event.code_percent <= 50
    assert running.catalog.code_percent == scanned.event.code_percent
    assert choice_of(running) == "remove"
    assert "[code: sh, 1 line]" in await texts(running)
    assert not await running.found("restic")
    assert not running.pipeline.notes.keeps_code


async def test_the_code_of_a_vault_that_is_mostly_code_is_indexed(
    start: Any, vault: Path, write: Any
) -> None:
    write(vault, "Backup.md", MOSTLY_CODE)
    running = await start()
    await finished(running, "full")
    assert running.catalog.code_percent > 50
    activated = await running.until(IndexActivated, 0)
    assert code_blocks_of(activated.event.fingerprint) == choice_of(running) == "keep"
    assert await running.found("restic") == {"Backup.md"}
    assert running.pipeline.notes.keeps_code


async def test_an_index_without_code_stays_so_until_a_reindex(
    start: Any, vault: Path, write: Any
) -> None:
    running = await start()
    await finished(running, "full")
    for number in range(10):
        write(vault, f"Snippets/{number}.md", MOSTLY_CODE)
    await finished(running, "sync")
    running = await start()
    await finished(running, "sync")
    assert running.catalog.code_percent > 50
    assert choice_of(running) == "remove"
    assert not await running.found("restic")
    assert all(job.mode != "reindex" for job in running.ledger.state.jobs.finished)

    await finished(running, "reindex")
    await until_choice(running, "keep")
    assert len(await running.found("restic")) == 10
    await finished(running, "sync")
    assert running.ledger.state.catalog.building is None, "once is enough"


@pytest.mark.parametrize(("text", "choice"), [(MOSTLY_CODE, "keep"), ("Some more text.", "remove")])
async def test_the_home_of_an_older_version_is_cut_again_and_chooses_once(
    start: Any,
    vault: Path,
    write: Any,
    configure: Any,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    choice: str,
) -> None:
    write(vault, "Backup.md", text)
    monkeypatch.setattr(parse, "FINGERPRINT", parse.FINGERPRINT - 1)
    running = await start(
        lambda: configure(vault_path=str(vault), security={"code_blocks": "remove"})
    )  # the default of that version
    await finished(running, "full")
    assert choice_of(running) == "remove"
    monkeypatch.undo()
    running = await start(lambda: configure(vault_path=str(vault)))
    asked = await running.until(JobRequested, 0, mode="reindex")
    assert asked.event.origin == "chunking_changed"
    await running.until(JobFinished, 0, job_id=asked.event.job_id)
    await until_choice(running, choice, newer=True)
    await finished(running, "sync")
    modes = [job.mode for job in running.ledger.state.jobs.finished]
    assert modes.count("reindex") == 1


async def test_an_explicit_setting_cuts_every_note_again(
    start: Any, vault: Path, write: Any, configure: Any
) -> None:
    write(vault, "Backup.md", MOSTLY_CODE)
    running = await start()
    await finished(running, "full")
    assert choice_of(running) == "keep"
    running = await start(
        lambda: configure(vault_path=str(vault), security={"code_blocks": "remove"})
    )
    await until_choice(running, "remove")
    assert not await running.found("restic")


async def until_choice(running: Any, choice: str, *, newer: bool = False) -> None:
    """Wait for the index that serves: it is put in place after the fact."""
    await running.until_state(
        lambda state: (
            state.catalog.building is None
            and code_blocks_of(state.catalog.index.fingerprint) == choice
            and (not newer or state.catalog.index.fingerprint == running.pipeline.notes.fingerprint)
        )
    )
    async with asyncio.timeout(PATIENCE_S):
        while choice_of(running) != choice:
            await asyncio.sleep(0)
