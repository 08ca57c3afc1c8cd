"""Another vault is configured: its notes never mix with those of the previous one, and a mistake
costs nothing."""

from pathlib import Path
from typing import Any

from ragd.clock import SystemClock
from ragd.events import IndexLost, JobFinished, VaultUnavailable
from ragd.store.reindex_switch import ReindexSwitch
from tests.patience import PATIENCE_S
from tests.pipeline.test_pipeline import assert_index_equals_vault, indexed


def generations(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "home" / "vectors.lance").iterdir())


async def test_a_vault_that_is_not_there_costs_nothing(
    start: Any, configure: Any, vault: Path, tmp_path: Path
) -> None:
    await indexed(start)
    before = generations(tmp_path)
    running = await start(lambda: configure(vault_path=str(tmp_path / "Notez")))
    await running.until(VaultUnavailable, 0)
    assert await running.pipeline.open_indexes.wait_for_serving(SystemClock(), 0.5) is None, (
        "another vault's"
    )
    assert generations(tmp_path) == before
    running = await start(lambda: configure(vault_path=str(vault)))
    open_indexes = running.pipeline.open_indexes
    assert await open_indexes.wait_for_serving(SystemClock(), PATIENCE_S) is not None

    await assert_index_equals_vault(running)
    assert generations(tmp_path) == before


async def test_when_it_is_there_it_has_an_index_of_its_own(
    start: Any, configure: Any, write: Any, tmp_path: Path
) -> None:
    await indexed(start)
    [before] = generations(tmp_path)
    other = tmp_path / "Other"
    running = await start(lambda: configure(vault_path=str(other)))
    seq = (await running.until(VaultUnavailable, 0)).seq
    write(other, "New.md", "A heron on the roof of the boathouse.\n")
    lost = await running.until(IndexLost, seq)
    assert lost.event.reason == "vault_changed"
    await running.until(JobFinished, lost.seq, mode="full")
    running.vault = other
    await assert_index_equals_vault(running)
    [now] = generations(tmp_path)
    assert now != before


async def test_an_index_that_is_built_for_it_is_not_switched_to_either(
    start: Any, configure: Any, write: Any, vault: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    running = await indexed(start)
    with monkeypatch.context() as slow:
        slow.setattr(ReindexSwitch, "switch_if_ready", never)
        await running.request("reindex")
        await running.until_state(lambda state: state.catalog.building is not None)
        await running.until_state(lambda state: not state.jobs.open)
    before = generations(tmp_path)
    assert len(before) == 2
    other = tmp_path / "Other"
    running = await start(lambda: configure(vault_path=str(other)))
    await running.until(VaultUnavailable, 0)
    assert await running.pipeline.open_indexes.wait_for_serving(SystemClock(), 0.5) is None
    assert generations(tmp_path) == before, "nothing is thrown away for a slip of the pen"
    write(other, "New.md", "A heron on the roof of the boathouse.\n")
    await running.until_state(
        lambda state: set(state.catalog.files) == {"New.md"} and not state.jobs.open
    )
    running.vault = other
    await assert_index_equals_vault(running)
    assert not set(generations(tmp_path)) & set(before)


async def never(*_: object, **__: object) -> None:
    """Never lets it start."""
