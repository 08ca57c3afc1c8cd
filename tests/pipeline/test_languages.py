"""The embedded model is chosen by the languages of the notes, once, and never changed silently."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragd.access.scope import EVERYTHING
from ragd.embed.providers import local_model, model_choice
from ragd.embed.worker import GRANITE, MINILM, MULTILINGUAL
from ragd.events import IndexActivated, JobFinished, LanguageCount, VaultScanned
from ragd.health.explanation import language_hint
from ragd.protocol.tool_schemas import SearchRequest
from tests.patience import PATIENCE_S

GERMAN = {
    "Reise.md": "Wir sind im Mai mit dem Nachtzug nach Wien gefahren und haben dort gewohnt.",
    "Garten.md": "Die Tomaten sind in diesem Jahr nicht sehr gut, weil es zu viel geregnet hat.",
    "Arzt.md": "Der Arzt hat gesagt, dass ich mehr schlafen und weniger Kaffee trinken soll.",
}

pytestmark = pytest.mark.skipif(
    local_model.unavailable(MULTILINGUAL) is not None, reason="the weights are not installed here"
)


@pytest.fixture
def german(vault: Path, write: Any) -> Path:
    for note in list(vault.rglob("*.md")):
        note.unlink()
    for path, text in GERMAN.items():
        write(vault, path, text)
    return vault


def space_of(running: Any) -> Any:
    index = running.pipeline.open_indexes.serving
    assert index is not None
    return index.identity.space


async def finished(running: Any, mode: str) -> None:
    job = await running.request(mode)
    done = await running.until(JobFinished, 0, job_id=job)
    assert done.event.outcome == "complete"


async def test_a_german_vault_gets_the_multilingual_model(start: Any, german: Path) -> None:
    running = await start()
    await finished(running, "full")
    assert space_of(running) == local_model.space_of(MULTILINGUAL)
    activated = await running.until(IndexActivated, 0)
    assert activated.event.model == MULTILINGUAL.name
    scanned = await running.until(VaultScanned, 0)
    assert scanned.event.languages == [LanguageCount("de", 3)]
    assert running.catalog.languages == {"de": 3}


QUESTIONS = {
    "What did the doctor tell me to drink less of?": "Arzt.md",
    "Why are the tomatoes bad?": "Garten.md",
    "Wohin sind wir mit dem Zug gefahren?": "Reise.md",
    "我们坐火车去了哪里？": "Reise.md",
}


async def test_a_question_finds_a_note_in_another_language(start: Any, german: Path) -> None:
    running = await start()
    await finished(running, "full")
    await running.until_state(lambda state: state.catalog.backlog == 0)
    for question, note in QUESTIONS.items():
        served = await running.pipeline.searcher.search(
            SearchRequest(query=question), [], EVERYTHING
        )
        assert served.retrieval == "hybrid"
        assert served.found[0][1].source_file == note, question


async def test_an_english_vault_keeps_the_english_model(start: Any) -> None:
    running = await start()
    await finished(running, "full")
    assert space_of(running) == local_model.SPACE


async def test_an_index_of_the_older_english_model_serves_until_a_reindex(
    start: Any, vault: Path, write: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = await start()
    monkeypatch.setattr(model_choice, "ENGLISH", MINILM)  # as in the version that made it
    await finished(running, "full")
    monkeypatch.undo()
    write(vault, "Cat.md", "The cat sleeps on the warm windowsill.")
    await finished(running, "sync")
    await running.until_state(lambda state: state.catalog.backlog == 0)
    assert space_of(running) == local_model.space_of(MINILM)
    asked = SearchRequest(query="Where is the kitten napping?")
    served = await running.pipeline.searcher.search(asked, [], EVERYTHING)
    assert served.retrieval == "hybrid"
    assert served.found[0][1].source_file == "Cat.md"

    job = await running.request("reindex")
    await running.until(JobFinished, 0, job_id=job)
    await running.until(IndexActivated, 0, model=GRANITE.name)
    async with asyncio.timeout(PATIENCE_S):
        while space_of(running) != local_model.SPACE:  # it is put in place after the fact
            await asyncio.sleep(0)
    async with asyncio.timeout(PATIENCE_S):
        while True:  # the model's process may still be starting
            served = await running.pipeline.searcher.search(asked, [], EVERYTHING)
            if served.retrieval == "hybrid":
                break
    assert served.found[0][1].source_file == "Cat.md"


async def test_what_is_configured_is_taken(start: Any, configure: Any, vault: Path) -> None:
    running = await start(
        lambda: configure(
            vault_path=str(vault), embedding={"provider": "embedded", "language": "multilingual"}
        )
    )
    await finished(running, "full")
    assert space_of(running) == local_model.space_of(MULTILINGUAL)


async def test_a_vault_that_grows_german_gets_a_hint_and_changes_only_when_asked(
    start: Any, vault: Path, write: Any
) -> None:
    running = await start()
    await finished(running, "full")
    for number in range(20):
        for path, text in GERMAN.items():
            write(vault, f"Neu/{number} {path}", text)
    await finished(running, "sync")
    assert space_of(running) == local_model.SPACE
    catalog = running.catalog
    hint = language_hint(catalog.index, catalog.languages, "auto")
    assert hint is not None and "ragctl reindex" in hint["suggestion"]

    job = await running.request("reindex")
    await running.until(JobFinished, 0, job_id=job)
    await running.until(IndexActivated, 0, model=MULTILINGUAL.name)
    async with asyncio.timeout(PATIENCE_S):
        while space_of(running) == local_model.SPACE:  # it is put in place after the fact
            await asyncio.sleep(0)
    assert space_of(running) == local_model.space_of(MULTILINGUAL)
    assert language_hint(catalog.index, catalog.languages, "auto") is None
