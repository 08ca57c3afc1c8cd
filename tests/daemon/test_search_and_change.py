"""Searches while something changes or fails: a real daemon, and what the answer reports."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ragd.embed.providers import local_model
from tests.daemon.searches import ParsedAnswer, Vault, serve_vault
from tests.embed.fake_ollama import DIMENSIONS, FakeOllama, hang, running, says

needs_model = pytest.mark.skipif(
    local_model.unavailable() is not None, reason="no embedded model here"
)

PROMPT = "Represent this sentence for searching relevant passages: "
BIRDS = {f"Birds/{name}.md": f"A kingfisher, seen by {name}.\n" for name in ("Ada", "Bo", "Cy")}
NOTES = {**BIRDS, "Private/Diary.md": "A kingfisher that nobody else saw.\n", "Tea.md": "Assam.\n"}


class Kept:
    """The notes as they were written first, to be put back after each test."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self._times = {path: (vault.root / path).stat().st_mtime_ns for path in NOTES}

    def put_back(self) -> None:
        if self.vault.root.exists():
            shutil.rmtree(self.vault.root)
        for path, text in NOTES.items():
            note = self.vault.write(path, text)
            os.utime(note, ns=(self._times[path], self._times[path]))
        self.vault.reload()


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    with serve_vault(NOTES) as vault:
        yield Kept(vault)


@pytest.fixture
def vault(kept: Kept) -> Iterator[Vault]:
    """One daemon for all these tests; each restores the vault."""
    yield kept.vault
    kept.put_back()


# Ghosts


@needs_model
def test_a_note_that_is_gone_is_dropped_and_its_place_filled(vault: Vault) -> None:
    assert len(vault.search("kingfisher", max_results=2).files) == 2
    (vault.root / "Birds/Ada.md").unlink()
    (vault.root / "Birds/Bo.md").unlink()
    asked = vault.search("kingfisher", max_results=2)
    assert set(asked.files) == {"Birds/Cy.md", "Private/Diary.md"}
    shutil.rmtree(vault.root / "Birds")
    assert vault.search("kingfisher").files == ["Private/Diary.md"]


@needs_model
def test_a_note_that_became_a_link_is_no_longer_a_note(vault: Vault) -> None:
    secret = vault.folder / "secret.md"
    secret.write_text(BIRDS["Birds/Ada.md"])
    (vault.root / "Birds/Ada.md").unlink()
    (vault.root / "Birds/Ada.md").symlink_to(secret)
    assert "Birds/Ada.md" not in vault.search("kingfisher").files


@needs_model
def test_a_note_that_changed_since_is_flagged(vault: Vault, kept: Kept) -> None:
    vault.write("Birds/Ada.md", "A heron.\n")
    note = vault.root / "Birds/Bo.md"
    os.utime(note, ns=(0, note.stat().st_mtime_ns - 5_000_000_000))  # an older copy came back
    stale = {r["source_file"]: r["stale"] for r in vault.search("kingfisher").results}
    assert stale == {
        "Birds/Ada.md": True,
        "Birds/Bo.md": True,
        "Birds/Cy.md": False,
        "Private/Diary.md": False,
    }
    vault.index("sync")
    fresh = vault.search("kingfisher").results
    assert not any(result["stale"] for result in fresh)
    assert {r["source_file"] for r in fresh} == {"Birds/Bo.md", "Birds/Cy.md", "Private/Diary.md"}
    kept.put_back()
    vault.index("sync")


@needs_model
@pytest.mark.parametrize("empty", [False, True], ids=["gone", "empty mount point"])
def test_results_of_a_vault_that_is_away_are_kept_and_flagged(vault: Vault, empty: bool) -> None:
    vault.root.rename(Path(tempfile.mkdtemp(dir=vault.folder)) / "elsewhere")
    if empty:
        vault.root.mkdir()
    asked = vault.search("kingfisher")
    assert set(asked.files) == {*BIRDS, "Private/Diary.md"}
    assert all(result["unverified"] and not result["stale"] for result in asked.results)


@needs_model
def test_a_denied_folder_is_gone_from_answers_at_once(vault: Vault) -> None:
    vault.reload(indexing={"deny_dirs": ["Private"]})
    asked = vault.search("kingfisher")
    assert set(asked.files) == set(BIRDS)
    denied = vault.search("kingfisher", directory_filter=["Private"])
    unknown = vault.search("kingfisher", directory_filter=["Nowhere"])
    assert (denied.envelope["error"], denied.envelope["data"]) == (
        unknown.envelope["error"],
        unknown.envelope["data"],
    )
    vault.reload(indexing={"allow_dirs": ["Private"]})
    assert not set(BIRDS) & set(vault.search("kingfisher").files), "at once, too"
    vault.index("sync")  # it may join the sync of the lists before, which had seen no diary
    vault.index("sync")  # the diary had left the index: it is read again
    assert vault.search("kingfisher").files == ["Private/Diary.md"]


@needs_model
def test_a_passage_that_stands_in_several_notes_is_shown_once(vault: Vault) -> None:
    vault.write("Birds/Copy.md", BIRDS["Birds/Ada.md"])
    vault.write("Birds/Another.md", BIRDS["Birds/Ada.md"])
    vault.index("sync")
    found = vault.search("kingfisher seen by Ada", max_results=4).results
    assert len({result["chunk_text"] for result in found}) == len(found) == 4
    for name in ("Copy", "Another"):
        (vault.root / f"Birds/{name}.md").unlink()
    vault.index("sync")


# Withheld


@needs_model
def test_what_is_blocked_comes_with_a_token_that_works_once_and_for_this_call_only() -> None:
    notes = {"Debt.md": "I owe Bo 70 dollars for the kayak.\n", "Kayak.md": "The kayak is red.\n"}
    with serve_vault(notes, security={"sensitive": "block"}) as vault:
        first = vault.search("kayak")
        assert (first.status, first.code) == (200, "SENSITIVE_FILTERED")
        assert first.envelope["status"] == "degraded"
        assert first.files == ["Kayak.md"]
        assert first.data["withheld"] == 1 and first.data["sensitive_detected"] is True
        assert first.data["memory_suggestion"] is None
        token = first.data["confirm"]
        assert vault.search("kayak dollars", confirm=token).code == "SENSITIVE_FILTERED"
        token = vault.search("kayak").data["confirm"]
        second = vault.search("kayak", confirm=token)
        assert (second.code, set(second.files)) == (None, {"Debt.md", "Kayak.md"})
        assert "confirm" not in second.data
        assert vault.search("kayak", confirm=token).code == "SENSITIVE_FILTERED"
        assert vault.search("kayak", confirm="guess").code == "SENSITIVE_FILTERED"


LABELLED = {
    "Shopping.md": "Shopping list: lanterns, rope and bread from Costco.\n",
    "Friends.md": "# Relations\n\nRavi showed us his lanterns.\n",
    "Diary.md": "## 🧠 Mental Health:\n\nThe lanterns calmed me.\n",
}


@needs_model
@pytest.mark.parametrize("mode", ["flag", "block"])
def test_a_shopping_list_is_labelled_and_nobody_is_asked_in_either_mode(mode: str) -> None:
    with serve_vault(LABELLED, security={"sensitive": mode}) as vault:
        asked = vault.search("lanterns")
        shown = {row["source_file"]: (row["sensitive"], row["ask_first"]) for row in asked.results}
        assert shown.pop("Shopping.md") == (["commitments"], False)
        assert shown.pop("Friends.md") == (["relations"], False)
        assert asked.data["sensitive_detected"] is True
        if mode == "flag":
            assert shown == {"Diary.md": (["health"], True)}
        else:
            assert (shown, asked.data["withheld"]) == ({}, 1)
        alone = vault.search("shopping rope")
        only = [row for row in alone.results if row["source_file"] == "Shopping.md"]
        assert only and not only[0]["ask_first"]
        note = vault.get("/v1/notes?path=Shopping.md").data
        assert (note["sensitive"], note["sensitive_detected"]) == (["commitments"], False)
        note = vault.get("/v1/notes?path=Diary.md").data
        assert (note["sensitive_detected"], note["text"] is None) == (True, mode == "block")


@needs_model
def test_the_kinds_to_ask_about_are_those_of_the_configuration() -> None:
    wish = {"require_confirmation_for": ["commitments"]}
    with serve_vault(LABELLED, security=wish) as vault:
        rows = vault.search("lanterns").results
        assert {row["source_file"]: row["ask_first"] for row in rows} == {
            "Shopping.md": True,
            "Friends.md": False,
            "Diary.md": False,
        }


@needs_model
def test_memories_that_match_come_with_the_answer(vault: Vault) -> None:
    memory = {"key": "kingfisher_place", "value": "At the weir.", "source": "Birds/Ada.md"}
    assert vault.post("/v1/tools/obsidian_rag_memory_store", memory).data["stored"]
    [recalled] = vault.search("where is the kingfisher?").data["memories"]
    assert recalled.pop("stored_at")
    flags = {
        "sensitive": [],
        "ask_first": False,
        "trust": "untrusted-note",
        "injection_suspected": False,
        "stale": False,
        "unverified": False,
    }
    assert recalled == {**memory, **flags}
    assert vault.search("tea").data["memories"] == []


@needs_model
def test_a_memory_is_found_by_its_meaning_and_says_that_its_note_has_changed() -> None:
    notes = {"People/Sreenivas.md": "He called about the harbour.\n", "Tea.md": "Assam is malty.\n"}
    with serve_vault(notes) as vault:
        fact = {
            "key": "sreenivas",
            "value": "I owe Sreenivas $440",
            "source": "People/Sreenivas.md",
        }
        assert vault.post("/v1/tools/obsidian_rag_memory_store", fact).data["stored"]

        def recalled(question: str) -> list[dict[str, Any]]:
            return list(vault.search(question).data["memories"])

        # Its vector is made in the background.
        [memory] = vault.until(lambda: recalled("What are my debts?"))
        assert memory["value"] == fact["value"]
        assert (memory["stale"], memory["unverified"]) == (False, False)
        assert recalled("Which chapters of the thesis are done?") == []
        source = vault.root / "People" / "Sreenivas.md"
        source.write_text("He has been paid.\n")
        assert recalled("What are my debts?")[0]["stale"] is True
        source.write_text("He called about the harbour.\n")
        assert recalled("What are my debts?")[0]["stale"] is False
        source.unlink()
        assert recalled("What are my debts?")[0]["stale"] is True
        listed = vault.get("/v1/memories").data["memories"]
        assert [(one["key"], one["stale"]) for one in listed] == [("sreenivas", True)]
        vault.delete("/v1/memories/sreenivas")
        assert recalled("What are my debts?") == []


@needs_model
def test_a_fact_that_is_stored_is_not_suggested_again() -> None:
    notes = {
        "Debt.md": "I owe Bo **70** dollars for the kayak.\n",
        "Time.md": "Spend your time well.\n",
    }
    with serve_vault(notes) as vault:
        fact = vault.search("kayak").data["memory_suggestion"]
        assert fact["source"] == "Debt.md"
        assert vault.post("/v1/tools/obsidian_rag_memory_store", fact).data["stored"]
        assert vault.search("kayak").data["memory_suggestion"] is None
        assert vault.search("spend your time").data["memory_suggestion"] is None
        vault.delete(f"/v1/memories/{fact['key']}")
        assert vault.search("kayak").data["memory_suggestion"] == fact


# Without vectors


@pytest.fixture
async def ollama() -> AsyncIterator[FakeOllama]:
    async with running() as server:
        yield server


class Beside:
    """A vault whose Ollama runs in the loop of this test: its calls use a thread."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault

    async def search(self, query: str, **more: Any) -> ParsedAnswer:
        return await asyncio.to_thread(lambda: self.vault.search(query, **more))


async def test_without_a_query_vector_full_text_answers_and_says_why(ollama: FakeOllama) -> None:
    embedding = {"provider": "ollama", "base_url": ollama.base_url, "dimensions": DIMENSIONS}
    with ExitStack() as stack:
        opened = serve_vault(NOTES, embedding=embedding, health={"probe_s": 3600})
        beside = Beside(await asyncio.to_thread(stack.enter_context, opened))

        whole = await beside.search("where is the kingfisher?")
        assert (whole.code, whole.meta["retrieval"]) == (None, "hybrid")
        questions = [text for texts in ollama.inputs for text in texts if text.startswith(PROMPT)]
        assert questions == [f"{PROMPT}where is the kingfisher?"]

        ollama.always = says(500, {"error": "llama runner process has terminated"})
        failed = await beside.search("kingfisher")
        assert (failed.code, failed.meta["retrieval"]) == ("OLLAMA_UNREACHABLE", "full_text")
        assert failed.files and failed.envelope["status"] == "degraded"

        ollama.always = None
        assert (await beside.search("kingfisher")).meta["retrieval"] == "hybrid"

        # If only meaning is configured, words are still better than no result.
        ollama.always = says(500, {"error": "llama runner process has terminated"})
        wish = {"fusion": "weighted", "vector_weight": 1.0, "text_weight": 0.0}
        await asyncio.to_thread(lambda: beside.vault.reload(search=wish))
        alone = await beside.search("kingfisher")
        assert (alone.code, alone.meta["retrieval"]) == ("OLLAMA_UNREACHABLE", "full_text")
        assert alone.files == failed.files
        ollama.always = None
        assert (await beside.search("kingfisher")).meta["retrieval"] == "vector"
        await asyncio.to_thread(lambda: beside.vault.reload())
        assert (await beside.search("kingfisher")).meta["retrieval"] == "hybrid"

        ollama.always = hang
        question = "Which kingfisher did Quimby sell to the board of admirals?"
        late = await asyncio.to_thread(beside.vault.search_once, question)
        assert (late.status, late.code) == (200, "TIMEOUT")
        assert late.data["answered"] is True  # words alone cannot say that nothing answers it
        assert late.envelope["status"] == "degraded"
        assert late.meta["retrieval"] == "full_text"
        assert set(late.files) == {*BIRDS, "Private/Diary.md"}
        await asyncio.to_thread(stack.close)


async def test_while_no_vector_is_there_the_words_are_enough(ollama: FakeOllama) -> None:
    embedding = {"provider": "ollama", "base_url": ollama.base_url, "dimensions": DIMENSIONS}
    ollama.poison = {"kingfisher": hang, "Assam": hang}
    folder = Path(await asyncio.to_thread(_make_folder))
    vault = Vault(folder, NOTES, embedding=embedding)
    try:
        await asyncio.to_thread(vault.start)
        await asyncio.to_thread(vault.index_text)
        asked = await asyncio.to_thread(vault.search, "kingfisher")
        assert (asked.code, asked.meta["retrieval"]) == ("VECTORS_PENDING", "full_text")
        assert asked.meta["embedded_share"] == 0.0
        assert set(asked.files) == {*BIRDS, "Private/Diary.md"}
    finally:
        vault.end()
        shutil.rmtree(folder, ignore_errors=True)


def _make_folder() -> str:
    return tempfile.mkdtemp(prefix="rs", dir="/tmp")


# Damage


@needs_model
def test_damage_that_a_search_meets_is_told_and_recorded() -> None:
    with serve_vault(NOTES, health={"probe_s": 3600}) as vault:
        for file in Path(vault.home.vectors).rglob("*.lance"):
            if file.is_file():
                file.write_bytes(b"")
        asked = vault.search("kingfisher", max_results=3)
        assert (asked.status, asked.code) == (503, "INDEX_CORRUPTED")
        assert asked.envelope["status"] == "unavailable"
        assert vault.search("tea").code == "INDEX_CORRUPTED"
