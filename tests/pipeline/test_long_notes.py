"""A note whose vectors take longer than one round of the backlog."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragd.embed import fill_builder
from ragd.embed.providers.embedder_port import CANARY
from ragd.events import VectorsFilled
from ragd.paths import Home
from tests.embed.fake_ollama import DIMENSIONS, running
from tests.pipeline.test_pipeline import assert_index_equals_vault
from tests.pipeline.test_vector_counts import assert_counts_equal_table

PASSAGES = 200


@pytest.fixture
def long_note(tmp_path: Path, vault: Path, write: Any, configure: Any, monkeypatch: Any) -> Any:
    """A long note, rounds of one step each, and a cache that cannot be opened."""
    Path(Home(str(tmp_path / "home")).embedding_cache).mkdir(parents=True)
    monkeypatch.setattr(fill_builder, "FILL_WITHIN_S", -1.0)
    parts = (f"# Part {number}\n\nWords of part {number}.\n\n" for number in range(PASSAGES))
    write(vault, "Long.md", "".join(parts))

    def use(base_url: str) -> None:
        wish = {"provider": "ollama", "base_url": base_url, "dimensions": DIMENSIONS}
        configure(vault_path=str(vault), embedding=wish)

    return use


def asked_for(server: Any) -> Counter[str]:
    return Counter(text for texts in server.inputs for text in texts if text != CANARY)


async def test_a_long_note_is_embedded_once_though_no_cache_can_be_used(
    start: Any, long_note: Any
) -> None:
    async with running() as server:
        long_note(server.base_url)
        pipeline = await start()
        await pipeline.request("full")
        await pipeline.until_state(lambda s: s.catalog.chunks > 0 and not s.catalog.backlog)
        assert set(asked_for(server).values()) == {1}, "no passage is embedded twice"
        assert all(row["vector"] is not None for row in await pipeline.rows())
        await assert_index_equals_vault(pipeline)
        await assert_counts_equal_table(pipeline)


async def test_what_was_made_of_a_long_note_survives_a_restart_without_a_cache(
    start: Any, long_note: Any
) -> None:
    async with running() as server:
        long_note(server.base_url)
        pipeline = await start()
        await pipeline.request("full")
        filled = await pipeline.until(VectorsFilled, 0)
        seq = filled.seq
        server.go.clear()  # the next request hangs until the restart
        await pipeline.until_state(lambda state: state.catalog.chunks_embedded > 0)
        pipeline = await start(server.go.set)
        await pipeline.until_state(lambda s: s.seq > seq and not s.catalog.backlog)
        again = {text for text, times in asked_for(server).items() if times > 1}
        assert len(again) <= fill_builder.STEP_CHUNKS, "at most what was on its way"
        await assert_counts_equal_table(pipeline)
