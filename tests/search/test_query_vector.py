"""When a question gets no vector, and the code that explains it. No provider is called."""

from types import SimpleNamespace
from typing import Any

import pytest

from ragd.config.schema import Config, EmbeddingSettings, SearchSettings, SecuritySettings
from ragd.folds.catalog import Catalog
from ragd.guard.live_rules import LiveGuard
from ragd.health.current_health import CurrentReason
from ragd.search.query_vector import QueryVector, QueryVectors

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
