"""The pipeline with a fake Ollama: it is away, comes back, fails on a text, or changes its
model."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragd.batch import batcher
from ragd.embed import vector_maker
from ragd.embed.providers.provider_choice import Providers
from ragd.events import EmbeddingFailed, IndexBuilding, JobFinished, JobRequested
from ragd.guard.inspection import Rules, inspect
from ragd.guard.sensitive import categories_of_text
from ragd.store import store_writer
from tests.embed.fake_ollama import DIMENSIONS, NAN_400, rows, running, says, vector_of
from tests.guard.conftest import Found, rules_of
from tests.guard.test_guard_sentences import kinds, sentences
from tests.patience import PATIENCE_S
from tests.pipeline.test_pipeline import assert_index_equals_vault


@pytest.fixture(autouse=True)
def impatient(monkeypatch: Any) -> None:
    monkeypatch.setattr(vector_maker, "RETRY_FIRST_S", 0.01)
    monkeypatch.setattr(vector_maker, "RETRY_MAX_S", 0.05)
    monkeypatch.setattr(batcher, "RETRY_S", 0.01)


@pytest.fixture
def use_ollama(configure: Any, vault: Path) -> Any:
    def use(base_url: str) -> None:
        wish = {"provider": "ollama", "base_url": base_url, "dimensions": DIMENSIONS}
        configure(vault_path=str(vault), embedding=wish)

    return use


def all_embedded(state: Any) -> bool:
    catalog = state.catalog
    return catalog.chunks > 0 and catalog.backlog == 0 and catalog.building is None


async def free_port() -> int:
    async with running() as server:
        return int(server.base_url.rsplit(":", 1)[1])


async def test_a_first_index_without_its_provider_has_the_text_and_gets_its_vectors_later(
    start: Any, use_ollama: Any
) -> None:
    port = await free_port()
    use_ollama(f"http://127.0.0.1:{port}")
    pipeline = await start()
    job = await pipeline.request("full")
    finished = await pipeline.until(JobFinished, 0, job_id=job)
    assert finished.event.outcome == "complete"
    assert await pipeline.found("Sreenivas") == {"Journal/2024-02-01.md"}
    assert pipeline.catalog.chunks_embedded == 0
    await pipeline.until(EmbeddingFailed, 0, attempt=2)
    assert "OLLAMA_UNREACHABLE" in pipeline.ledger.state.health.reasons
    async with running(port):
        asked = await pipeline.until(JobRequested, 0, mode="reindex")
        assert asked.event.origin == "provider_ready"
        await pipeline.until_state(all_embedded)
        await assert_index_equals_vault(pipeline)
        assert all(row["vector"] is not None for row in await pipeline.rows())
        assert "OLLAMA_UNREACHABLE" not in pipeline.ledger.state.health.reasons


async def test_vectors_go_on_by_themselves_when_the_provider_is_back(
    start: Any, use_ollama: Any, write: Any
) -> None:
    async with running() as server:
        port = int(server.base_url.rsplit(":", 1)[1])
        use_ollama(server.base_url)
        pipeline = await start()
        await pipeline.request("full")
        await pipeline.until_state(all_embedded)
    write(pipeline.vault, "New.md", "A heron on the roof of the boathouse.\n")
    await pipeline.until_state(lambda state: "New.md" in state.catalog.files)
    assert await pipeline.found("heron") == {"New.md"}, "by its words, at once"
    assert pipeline.catalog.backlog == 1
    async with running(port):
        await pipeline.until_state(all_embedded)


async def test_a_text_that_cannot_be_embedded_does_not_hold_up_the_others(
    start: Any, use_ollama: Any, write: Any, vault: Path
) -> None:
    write(vault, "Odd.md", "# One\n\nharmless\n\n# Two\n\npoisonous\n")
    async with running() as server:
        server.poison["poisonous"] = says(400, NAN_400)
        use_ollama(server.base_url)
        pipeline = await start()
        await pipeline.request("full")
        await pipeline.until_state(all_embedded)
        lacking = [row["chunk_text"] for row in await pipeline.rows() if row["vector"] is None]
        assert len(lacking) == 1 and "poisonous" in lacking[0]
        assert pipeline.catalog.chunks_barred == 1
        asked = len(server.requests)
        pipeline = await start()
        await pipeline.until_serving()
        await pipeline.request("sync")
        await pipeline.until_state(lambda state: not state.jobs.open)
        assert len(server.requests) == asked, "it is not tried again and again"


async def test_a_model_that_changed_under_its_name_mixes_nothing(
    start: Any, use_ollama: Any, write: Any
) -> None:
    async with running() as server:
        use_ollama(server.base_url)
        pipeline = await start()
        await pipeline.request("full")
        await pipeline.until_state(all_embedded)
        backwards = lambda texts: [vector_of(text[::-1]) for text in texts]  # noqa: E731
        server.always = rows(backwards)
        pipeline = await start()
        seq = pipeline.ledger.state.seq
        write(pipeline.vault, "New.md", "A heron on the roof of the boathouse.\n")
        failed = await pipeline.until(EmbeddingFailed, seq)
        assert failed.event.code == "INDEX_MODEL_MISMATCH"
        assert pipeline.catalog.backlog == 1
        assert await pipeline.found("heron") == {"New.md"}


async def test_notes_that_the_old_model_left_without_vectors_do_not_hold_up_a_reindex(
    start: Any, use_ollama: Any, write: Any
) -> None:
    async with running() as server:
        use_ollama(server.base_url)
        pipeline = await start()
        await pipeline.request("full")
        await pipeline.until_state(all_embedded)
        old = pipeline.catalog.index.generation
        server.models = dict.fromkeys(server.models, "0" * 64)
        server.always = rows(lambda texts: [vector_of(text[::-1]) for text in texts])
        pipeline = await start()
        seq = pipeline.ledger.state.seq
        write(pipeline.vault, "New.md", "A heron on the roof of the boathouse.\n")
        await pipeline.until(EmbeddingFailed, seq)
        await pipeline.request("reindex")
        async with asyncio.timeout(PATIENCE_S):
            await pipeline.until_state(all_embedded)
        assert pipeline.catalog.index.generation != old
        await assert_index_equals_vault(pipeline)


async def test_a_job_that_failed_is_tried_once_more_when_it_can_be(start: Any) -> None:
    pipeline = await start()
    elsewhere = pipeline.vault.with_name("elsewhere")
    await pipeline.request("full")
    await pipeline.until_state(all_embedded)
    shutil.move(pipeline.vault, elsewhere)
    seq = pipeline.ledger.state.seq
    job = await pipeline.request("full")
    failed = await pipeline.until(JobFinished, seq, job_id=job)
    assert failed.event.outcome == "failed"
    shutil.move(elsewhere, pipeline.vault)
    await pipeline.rescan()
    again = await pipeline.until(JobRequested, failed.seq)
    assert (again.event.mode, again.event.origin) == ("full", "retry")
    done = await pipeline.until(JobFinished, again.seq, job_id=again.event.job_id)
    assert done.event.outcome == "complete"
    await assert_index_equals_vault(pipeline)


async def test_what_is_sensitive_is_never_sent_to_another_machine(
    start: Any, configure: Any, vault: Path, monkeypatch: Any
) -> None:
    """The recording server represents another machine."""
    monkeypatch.setattr("ragd.guard.live_rules.is_address_external", lambda config: True)
    async with running() as server:
        wish = {"provider": "ollama", "base_url": server.base_url, "dimensions": DIMENSIONS}
        configure(vault_path=str(vault), embedding=wish)
        pipeline = await start()
        await pipeline.request("full")
        await pipeline.until_state(all_embedded)
        sent = " ".join(text for texts in server.inputs for text in texts)
        assert "coriander" in sent and "Gewürze" in sent
        assert "Sreenivas" not in sent and "Therapy" not in sent
        assert pipeline.catalog.chunks_withheld == 2
        assert await pipeline.found("Sreenivas") == {"Journal/2024-02-01.md"}, "by its words"
        seq = pipeline.ledger.state.seq
        (vault / "Debts.md").write_text("I owe Anna 20 euros.\n")
        await pipeline.until(JobFinished, seq)
        await pipeline.until_state(all_embedded)
        assert not any("Anna" in text for texts in server.inputs for text in texts)


LONG_PATH = "\n".join(f"{'#' * n} {'A heading with many words ' * 7}{n}" for n in range(2, 7))
DECORATED = [
    "## Mental Health:\n{}\n",
    "## **Mental Health**\n{}\n",
    "## 🧠 Mental Health\n{}\n",
    "## 1. Mental Health\n{}\n",
    "Mental Health\n=============\n{}\n",
    "Mental Health\n---\n\n### Evening\n{}\n",
    "# Mental Health\n" + LONG_PATH + "\n{}\n",
    "# " + "A heading with many words " * 20 + "mental health\n## Evening\n{}\n",
    "Text.\n\n#mentalhealth\n" + LONG_PATH + "\n{}\n",
    "# My debts\n" + LONG_PATH + "\n{}\n",
]


async def test_no_labelled_sentence_and_no_decorated_section_is_sent_to_another_machine(
    start: Any, configure: Any, vault: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr("ragd.guard.live_rules.is_address_external", lambda config: True)
    rules = rules_of()
    caught = {each.text for each in sentences() if each.kind and kinds(each.text, rules)}
    rest = {each.text for each in sentences() if each.kind is None} - caught
    rest -= {text for text in rest if categories_of_text(text, rules)}
    listed = sorted(caught | rest)
    for start_at in range(0, len(listed), 50):
        sections = [
            f"# Part x{n}x\n{text}\n" for n, text in enumerate(listed[start_at : start_at + 50])
        ]
        (vault / f"Sentences {start_at}.md").write_text("\n".join(sections), "utf-8")
    for number, decorated in enumerate(DECORATED):
        body = f"Canary{number} sang. " + "The wind was mild. " * 300  # more than one passage
        (vault / f"Diary {number}.md").write_text(decorated.format(body), "utf-8")
    async with running() as server:
        wish = {"provider": "ollama", "base_url": server.base_url, "dimensions": DIMENSIONS}
        configure(vault_path=str(vault), embedding=wish)
        pipeline = await start()
        await pipeline.request("full")
        await pipeline.until_state(all_embedded)
        sent = "\n".join(text for texts in server.inputs for text in texts)
        assert [text for text in sorted(rest) if text not in sent] == []
        assert [text for text in sorted(caught) if text in sent] == []
        assert "Canary" not in sent and "The wind was mild" not in sent
        # What is stored allows the same judgement: every passage is labelled when it is found.
        rows = await pipeline.rows("section", "tags", "title", "heading_path", "date")
        rows = [row for row in rows if "The wind was mild" in row["chunk_text"]]
        assert len(rows) > 2 * len(DECORATED)
        judged = [categories_of_row(row, rules) for row in rows]
        assert all({"health", "financial_debt"} & set(one) for one in judged)


def categories_of_row(row: dict[str, Any], rules: Rules) -> tuple[str, ...]:
    fields = ("chunk_text", "section", "tags", "title", "heading_path", "source_file", "date")
    return inspect(Found(**{name: row[name] for name in fields}), rules).categories


async def test_vectors_that_cannot_be_had_yet_are_not_asked_for_for_ever(
    start: Any, use_ollama: Any, write: Any
) -> None:
    port = await free_port()
    use_ollama(f"http://127.0.0.1:{port}")
    pipeline = await start()
    job = await pipeline.request("full")
    await pipeline.until(JobFinished, 0, job_id=job)
    for path in list(pipeline.catalog.files):
        (pipeline.vault / path).unlink()
    write(pipeline.vault, "readme.txt", "not a note, but the vault is not empty either")
    job = await pipeline.request("sync")  # holds the deletions, so that no reindex may begin
    await pipeline.until(JobFinished, 0, job_id=job)
    async with running(port):
        retry = await pipeline.until(JobRequested, 0, origin="retry", mode="reindex")
        await pipeline.until(JobFinished, retry.seq, job_id=retry.event.job_id)
        asked = pipeline.ledger.journal.follow(0, {"job_requested"}, wait=False)
        origins = [record.event.origin async for record in asked]
        assert origins.count("provider_ready") == 1
        assert origins.count("retry") == 1


async def test_choosing_the_same_model_again_keeps_its_embedder_open(
    start: Any, use_ollama: Any
) -> None:
    async with running() as server:
        server.always = rows(lambda texts: [vector_of(text, DIMENSIONS) for text in texts])
        use_ollama(server.base_url)
        pipeline = await start()
        await pipeline.request("full")
        await pipeline.until_state(all_embedded)
        index = pipeline.pipeline.open_indexes.serving
        providers = Providers(pipeline.settings)
        at_work = await providers.embedder_for(index.identity)
        await providers.choose(may_be_absent=False)
        assert await providers.embedder_for(index.identity) is at_work
        assert len(await at_work.embed(["still there"])) == 1
        await providers.close()


async def test_a_reindex_that_was_interrupted_starts_over_for_another_model(
    start: Any, use_ollama: Any, monkeypatch: Any
) -> None:
    pipeline = await start()
    await pipeline.request("full")
    await pipeline.until_state(all_embedded)
    async with running() as server:
        with monkeypatch.context() as crash:
            crash.setattr(store_writer, "end_job", lambda *_: asyncio.Event().wait())
            job = await pipeline.request("reindex")
            begun = await pipeline.until(IndexBuilding, 0, job_id=job)
            await pipeline.until_state(lambda state: bool(state.catalog.building.files))
            use_ollama(server.base_url)
            pipeline = await start(crash.undo)
        async with asyncio.timeout(PATIENCE_S):
            await pipeline.until_state(all_embedded)
        assert pipeline.catalog.index.provider == "ollama"
        assert pipeline.catalog.index.generation != begun.event.generation
        assert pipeline.ledger.state.jobs.find(job).outcome == "complete"
        await assert_index_equals_vault(pipeline)
