"""When a question gets no vector, and the code that explains it. No provider is called."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from ragd.config.schema import Config, EmbeddingSettings, SearchSettings, SecuritySettings
from ragd.folds import State
from ragd.folds.catalog import Catalog
from ragd.guard.live_rules import LiveGuard
from ragd.health.current_health import CurrentReason
from ragd.search import query_vector
from ragd.search.query_vector import QueryVector, QueryVectors
from tests.patience import PATIENCE_S

VECTORS = Catalog(chunks=10, chunks_embedded=10)


class Providers:
    """Fails if an embedder is requested."""

    async def embedder_for(self, space: object) -> Any:
        raise AssertionError("a provider was asked")


def vectors(**sections: Any) -> QueryVectors:
    settings: Any = SimpleNamespace(current=Config(vault_path="/v", **sections))
    return QueryVectors(None, settings, Providers(), LiveGuard(settings))  # type: ignore[arg-type]


def index(provider: str = "embedded") -> Any:
    return SimpleNamespace(identity=SimpleNamespace(space=SimpleNamespace(provider=provider)))


@pytest.mark.parametrize(
    "code",
    ["INDEX_STALE", "INDEX_MODEL_MISMATCH", "OLLAMA_UNREACHABLE", "EMBEDDER_UNAVAILABLE"],
)
async def test_a_health_reason_prevents_search_by_meaning(code: str) -> None:
    health = [
        CurrentReason("DELETIONS_HELD", "degraded", None),
        CurrentReason(code, "degraded", "2026"),
    ]
    assert await vectors().embed("x", index(), VECTORS, health) == QueryVector(code=code)


async def test_a_stale_index_may_be_searched_by_meaning_if_so_configured() -> None:
    stale = [CurrentReason("INDEX_STALE", "degraded", "2026")]
    vector_task = vectors(search=SearchSettings(stale="hybrid"))
    with pytest.raises(AssertionError, match="provider was asked"):
        await vector_task.embed("x", index(), VECTORS, stale)


async def test_while_no_passage_has_a_vector_the_question_gets_none() -> None:
    catalog = Catalog(chunks=10, chunks_embedded=0)
    assert await vectors().embed("x", index(), catalog, []) == QueryVector(code="VECTORS_PENDING")


async def test_without_vector_weight_no_vector_is_needed() -> None:
    vector_task = vectors(search=SearchSettings(vector_weight=0.0))
    assert await vector_task.embed("x", index(), VECTORS, []) == QueryVector()


AWAY = {
    "embedding": EmbeddingSettings(provider="ollama", base_url="http://192.0.2.1:11434"),
    "security": SecuritySettings(local_only=False, external_confirmed=True),
}


async def test_a_sensitive_question_does_not_leave_the_machine() -> None:
    vector_task = vectors(**AWAY)
    for question in ("how much do I owe Sreenivas?", "which medication do I take"):
        found = await vector_task.embed(question, index("ollama"), VECTORS, [])
        assert found == QueryVector(code="SENSITIVE_FILTERED")
    with pytest.raises(AssertionError, match="provider was asked"):
        await vector_task.embed("where is the kingfisher?", index("ollama"), VECTORS, [])
    with pytest.raises(AssertionError, match="provider was asked"):  # it stays here anyway
        await vector_task.embed("how much do I owe Sreenivas?", index("embedded"), VECTORS, [])


class SlowProviders:
    """An embedder that needs some turns of the event loop; more than a limit of 0 s allows."""

    async def embedder_for(self, space: object) -> Any:
        return self

    async def embed_query(self, text: str) -> bytes:
        for _ in range(3):
            await asyncio.sleep(0)
        return b"vector"


def _into(recorded: list[Any]) -> Any:
    async def append(actor: str, fact: Any) -> None:
        recorded.append(fact)

    return append


async def test_only_the_first_question_after_a_pause_may_wait_for_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(query_vector, "WITHIN_S", 0.0)
    monkeypatch.setattr(query_vector, "WITHIN_AFTER_PAUSE_S", PATIENCE_S)
    settings: Any = SimpleNamespace(current=Config(vault_path="/v"))
    recorded: list[Any] = []
    ledger: Any = SimpleNamespace(state=State(), journal=SimpleNamespace(append=_into(recorded)))
    asked = QueryVectors(ledger, settings, SlowProviders(), LiveGuard(settings))  # type: ignore[arg-type]
    first = await asked.embed("x", index(), VECTORS, [])
    second = await asked.embed("x", index(), VECTORS, [])
    assert (first.vector, second.code) == (b"vector", "TIMEOUT")
    monkeypatch.setattr(query_vector, "PAUSE_S", 0.0)
    after_a_failure = await asked.embed("x", index(), VECTORS, [])
    assert after_a_failure.code == "TIMEOUT"  # it does not get the long limit
