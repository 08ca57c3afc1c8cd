"""Memories found by meaning: quality, privacy, and erased vectors."""

import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragd.config.schema import Config
from ragd.embed.providers import local_model
from ragd.embed.providers.embedder_port import VectorSpace
from ragd.embed.providers.shipped_models import GRANITE, MINILM, ShippedModel
from ragd.guard.live_rules import LiveGuard
from ragd.memories.matching import (
    ANCHORS,
    COSINE_MIN,
    Memory,
    MemoryMatcher,
    QueryMeaning,
    embed_text,
)
from ragd.memories.memory_store import FORMAT, MemoryStore
from ragd.memories.memory_vectors import MemoryVectors
from ragd.search.ranking.cosine_scale import SCALES
from tests.embed import fake_ollama

QUESTIONS = Path(__file__).parent / "memory_questions.tsv"
UNRELATED = (
    "What is the capital of Brazil?",
    "How do I parse dates in Python?",
    "Which birds live at the weir?",
    "Explain the offside rule.",
    "How tall is Mont Blanc?",
    "What did I write about recursion?",
    "Notes about the French revolution",
    "Which chapters of the thesis are done?",
    "How does photosynthesis work?",
    "meeting minutes of the chess club",
    "Wie wird das Wetter morgen?",
    "recipe for lentil soup",
    "difference between TCP and UDP",
    "who painted the Night Watch",
    "kingfisher nest",
    "my notes on stoicism",
    "what is a monad",
    "train timetable to Ulm",
    "best hikes in the Alps",
    "asdf qwer zxcv",
)
OLD_TABLE = """
CREATE TABLE memories (
    key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, source TEXT NOT NULL,
    stored_at TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO memories VALUES ('old', 'An old fact.', 'a.md', '2026-01-01');
PRAGMA user_version = 1;
"""


def vector_of(text: str) -> bytes:
    return array("f", fake_ollama.vector_of(text)).tobytes()


def kept() -> list[tuple[Memory, list[str]]]:
    rows = [line.split("\t") for line in QUESTIONS.read_text("utf-8").splitlines()]
    return [
        (Memory(key, value, "a.md", f"2026-01-{place:02}"), asked)
        for place, (key, value, *asked) in enumerate(rows, 1)
    ]


@pytest.mark.skipif(
    local_model.unavailable() is not None, reason="the embedded model cannot run here"
)
@pytest.mark.parametrize("shipped", [GRANITE, MINILM], ids=lambda model: model.name)
async def test_the_figures_on_the_retrieval_page_are_right(shipped: ShippedModel) -> None:
    model = local_model.EmbeddedEmbedder(model=shipped)
    above = SCALES[shipped.name].above_anchors
    try:
        memories = [memory for memory, _ in kept()]
        made = await model.embed([embed_text(memory) for memory in memories])
        vectors = {one.key: ("s", bytes(made[at])) for at, one in enumerate(memories)}
        matcher = MemoryMatcher(memories, vectors)
        anchors = tuple(await model.embed(list(ANCHORS))) if above is not None else ()

        async def found(question: str) -> list[str]:
            meaning = QueryMeaning(await model.embed_query(question), "s", anchors, above or 0.0)
            return [memory.key for memory in matcher.find_matching("", 5, meaning)]

        asked = [(memory.key, question) for memory, some in kept() for question in some]
        right = sum([key in await found(question) for key, question in asked])
        wrong = sum([bool(await found(question)) for question in UNRELATED])
    finally:
        await model.close()
    page = (Path(__file__).parents[2] / "docs" / "retrieval.md").read_text("utf-8")
    figures = f"| {shipped.name} | {right} of {len(asked)} | {wrong} of {len(UNRELATED)} |"
    assert figures in page
    assert f"cosine of {COSINE_MIN:.2f}" in page
    assert above is None or f"{above:.2f} nearer" in page


def unit(*values: float) -> bytes:
    import numpy as np

    vector = np.array(values, dtype="<f4")
    return bytes((vector / np.linalg.norm(vector)).tobytes())


NEAR, FAR = Memory("near", "one", "a.md", "2026"), Memory("far", "two", "a.md", "2026")
VECTORS = {"near": ("s", unit(1, 0.1)), "far": ("s", unit(0.1, 1))}


def test_only_near_memories_of_the_same_vector_space_are_found() -> None:
    matcher = MemoryMatcher([NEAR, FAR], VECTORS)
    assert matcher.find_matching("x", 5, QueryMeaning(unit(1, 0), "s")) == [NEAR]
    assert matcher.find_matching("two", 5, QueryMeaning(unit(1, 0), "s")) == [NEAR, FAR]
    assert matcher.find_matching("x", 5, QueryMeaning(unit(1, 0), "other")) == []
    assert matcher.find_matching("x", 5, QueryMeaning(unit(1, 0, 0), "s")) == [], "of another size"
    assert matcher.find_matching("x", 5) == []


def test_a_model_whose_unrelated_texts_are_near_has_a_higher_floor() -> None:
    matcher = MemoryMatcher([NEAR, FAR], VECTORS)
    between = unit(1, 1)
    assert matcher.find_matching("x", 5, QueryMeaning(between, "s")) == [NEAR, FAR]
    anchors = (unit(1, 0.2), unit(0.2, 1))
    assert matcher.find_matching("x", 5, QueryMeaning(between, "s", anchors, 0.2)) == []


async def test_an_older_file_gets_the_new_columns_and_keeps_its_memories(tmp_path: Path) -> None:
    path = tmp_path / "memories.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD_TABLE)
    store = MemoryStore(path)
    assert await store.all() == [Memory("old", "An old fact.", "a.md", "2026-01-01")]
    await store.store(Memory("new", "A fact.", "b.md", "2026-01-02", "hash", True))
    assert [one.source_sha256 for one in await store.all()] == ["hash", None]
    assert [one.key for one in await store.without_vector("s")] == ["new", "old"]
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (FORMAT,)
    again = MemoryStore(path)
    assert len(await again.all()) == 2
    await again.close()


async def test_a_vector_is_erased_with_its_memory(tmp_path: Path) -> None:
    path = tmp_path / "memories.sqlite"
    store = MemoryStore(path)
    vectors = {f"k{n}": vector_of(f"memory {n}") for n in range(20)}
    for key in vectors:
        await store.store(Memory(key, f"value of {key}", "a.md", "2026"))
    await store.keep_vectors("s", {k: (f"value of {k}", v) for k, v in vectors.items()})
    assert vectors["k3"] in b"".join(map(Path.read_bytes, files(path)))
    assert await store.without_vector("s") == []
    assert await store.forget("k3")
    await store.store(Memory("k4", "another value", "a.md", "2026"))  # in place of the old one
    whole = b"".join(map(Path.read_bytes, files(path)))
    assert vectors["k3"] not in whole and vectors["k4"] not in whole
    assert vectors["k5"] in whole
    assert [one.key for one in await store.without_vector("s")] == ["k4"]
    await store.close()


async def test_a_vector_of_a_memory_that_was_forgotten_meanwhile_is_not_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memories.sqlite"
    store = MemoryStore(path)
    await store.store(Memory("k", "new value", "a.md", "2026"))
    made = {"k": ("old value", vector_of("a")), "gone": ("value", vector_of("b"))}
    await store.keep_vectors("s", made)
    assert [one.key for one in await store.without_vector("s")] == ["k"]
    whole = b"".join(map(Path.read_bytes, files(path)))
    assert vector_of("a") not in whole and vector_of("b") not in whole
    await store.close()


def files(path: Path) -> Iterator[Path]:
    return path.parent.glob(f"{path.name}*")


class Index:
    """An index of one vector space."""

    def __init__(self, provider: str) -> None:
        space = VectorSpace(provider, "model", "digest", 4)
        self.identity = SimpleNamespace(space=space)


class Recorder:
    """An embedder that records its input."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def embed(self, texts: list[str]) -> list[bytes]:
        self.seen += texts
        return [vector_of(text) for text in texts]


@pytest.mark.parametrize(
    ("provider", "external", "allowed"),
    [
        ("embedded", True, ["debt", "doorbell", "origin"]),
        ("ollama", False, ["debt", "doorbell", "origin"]),
        ("ollama", True, ["doorbell"]),
    ],
)
async def test_sensitive_memories_are_not_sent_to_another_machine(
    monkeypatch: Any, provider: str, external: bool, allowed: list[str]
) -> None:
    settings: Any = SimpleNamespace(current=Config(vault_path="/v"))
    monkeypatch.setattr("ragd.memories.memory_vectors.is_address_external", lambda config: external)
    recorder = Recorder()

    class Providers:
        async def embedder_for(self, identity: Any) -> Recorder:
            return recorder

    serving: Any = SimpleNamespace(serving=Index(provider))
    providers: Any = Providers()
    made = MemoryVectors(settings, serving, providers, LiveGuard(settings))
    memories = [
        Memory("debt", "I owe Sreenivas $440", "a.md", "2026", None, True),
        Memory("doorbell", "A light in the kitchen", "a.md", "2026", None, True),
        Memory("origin", "At six on Tuesdays", "a.md", "2026", None, False),
    ]
    assert [one.key for one in memories if made.may_embed(one)] == allowed
    space = made.space
    assert space is not None
    some = [one for one in memories if made.may_embed(one)]
    assert len(await made.make(space, some)) == len(some)
    assert not any("440" in text for text in recorder.seen) or not external or provider != "ollama"
    assert await made.make("another space", some) == []
