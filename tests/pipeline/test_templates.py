"""Template folders are skipped and counted unless the configuration includes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragd.events import ConfigReloaded, DeletionsHeld, JobFinished, TemplateFolder
from tests.pipeline.test_pipeline import indexed
from tests.pipeline.watching import facts

MANY = 60  # more than the notes that are indexed: leaving them out again is no mass deletion


@pytest.fixture
def templates(vault: Path, write: Any) -> None:
    write(vault, ".obsidian/templates.json", json.dumps({"folder": "Templates"}))
    for number in range(MANY):
        write(vault, f"Templates/{number}.md", f"A form for the meeting with otters, {number}.\n")


async def set_templates(running: Any, configure: Any, value: str) -> int:
    configure(vault_path=str(running.vault), indexing={"templates": value})
    running.read_settings()
    record = await running.ledger.journal.append("test", ConfigReloaded(config_hash=value))
    return int(record.seq)


@pytest.mark.usefixtures("templates")
async def test_the_switch_takes_effect_at_once_and_back(start: Any, configure: Any) -> None:
    running = await indexed(start)
    assert running.catalog.templates == [TemplateFolder("Templates", MANY)]
    assert "Templates" in running.catalog.skipped
    assert await running.found("otters") == set()
    seq = await set_templates(running, configure, "index")
    await running.until(JobFinished, seq, mode="sync")
    await running.until_state(lambda state: state.catalog.documents == 4 + MANY)
    await running.until_state(lambda state: not state.catalog.templates)
    assert await running.found("otters") != set()
    await running.until_state(lambda state: "Templates" not in state.catalog.skipped)
    seq = await set_templates(running, configure, "skip")
    await running.until_state(lambda state: state.catalog.documents == 4)
    await running.until_state(lambda state: len(state.catalog.templates) == 1)
    assert await running.found("otters") == set()
    assert await facts(running, DeletionsHeld, seq) == []
