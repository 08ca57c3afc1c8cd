"""With `search.fallback: "none"` a search without all of its vectors is refused, and says why."""

import asyncio
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from ragd.access.scope import EVERYTHING, Scope
from ragd.config.schema import Config, SearchSettings
from ragd.errors import WITHOUT_VECTORS, RagdError
from ragd.folds import State
from ragd.folds.tables import Entry
from ragd.search.fallback import Fallback
from ragd.search.query_vector import QueryVector

EMBEDDED = QueryVector(b"\0\0\0\0")
LACKS_ONE = Entry("sha", 0, 1, chunks=3, embedded=2)
BARRED = Entry("sha", 0, 1, chunks=3, embedded=2, barred=1, withheld=1)


def made_fallback(fallback: Any, notes: Mapping[str, Entry]) -> Fallback:
    state = State()
    for name, entry in notes.items():
        state.catalog.put(f"{name}.md", entry)
    config = Config(vault_path="/v", search=SearchSettings(fallback=fallback))
    ledger: Any = SimpleNamespace(state=state)
    settings: Any = SimpleNamespace(current=config)
    return Fallback(ledger, settings)


async def refusal(
    found: QueryVector,
    scope: Scope = EVERYTHING,
    fallback: Any = "none",
    **notes: Entry,
) -> RagdError | None:
    """The error for a search whose question got this vector, with these notes in the index."""
    made = made_fallback(fallback, notes)

    async def embed() -> QueryVector:
        return found

    try:
        embedding = asyncio.create_task(embed())
        await made.require_vectors(embedding, scope)
    except RagdError as why:
        return why
    return None


CODES = (*WITHOUT_VECTORS, "VECTORS_PENDING", "TIMEOUT", "SENSITIVE_FILTERED", "INDEX_STALE")


@pytest.mark.parametrize("code", CODES)
async def test_every_reason_for_a_question_without_a_vector_is_refused(code: str) -> None:
    why = await refusal(QueryVector(code=code))
    assert why is not None and why.code == "VECTORS_REQUIRED"
    assert '`search.fallback` is "none"' in why.message
    assert "still works" not in why.suggestion
    assert why.suggestion and why.suggestion != why.kind.suggestion
    assert await refusal(QueryVector(code=code), fallback="full_text") is None


async def test_the_reasons_are_told_apart() -> None:
    said = [await refusal(QueryVector(code=code)) for code in CODES]
    assert len({why.message for why in said if why is not None}) == len(CODES)


async def test_a_question_with_a_vector_is_answered() -> None:
    assert await refusal(EMBEDDED) is None


async def test_a_question_that_needs_no_vector_is_answered() -> None:
    assert await refusal(QueryVector(), a=LACKS_ONE) is None


async def test_passages_that_still_lack_their_vectors_are_a_reason() -> None:
    why = await refusal(EMBEDDED, a=LACKS_ONE)
    assert why is not None and "no vector yet" in why.message
    assert await refusal(EMBEDDED, fallback="full_text", a=LACKS_ONE) is None


def test_related_notes_need_the_vectors_of_the_notes_in_scope() -> None:
    elsewhere = Scope(frozenset({"papers"}), frozenset({"papers"}))
    lacking = {"a": LACKS_ONE}
    with pytest.raises(RagdError) as refused:
        made_fallback("none", lacking).require_stored_vectors(EVERYTHING)
    assert refused.value.code == "VECTORS_REQUIRED"
    made_fallback("none", lacking).require_stored_vectors(elsewhere)
    made_fallback("none", {"a": BARRED}).require_stored_vectors(EVERYTHING)
    made_fallback("full_text", lacking).require_stored_vectors(EVERYTHING)


async def test_only_the_notes_in_scope_count() -> None:
    elsewhere = Scope(frozenset({"papers"}), frozenset({"papers"}))
    assert await refusal(EMBEDDED, elsewhere, a=LACKS_ONE) is None


async def test_passages_that_never_get_a_vector_do_not_count() -> None:
    """Otherwise one sensitive passage would stop every search with an external provider."""
    assert await refusal(EMBEDDED, a=BARRED) is None
