"""The order of requests, and how a batch with a bad text is handled."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from ragd.embed.providers.embedder_port import (
    CANARY,
    BatchPace,
    EmbeddingError,
    Vector,
    VectorSpace,
    pack,
)
from ragd.embed.providers.request_queue import (
    ProviderRequest,
    RequestQueue,
    TextRefused,
    TimedVectors,
    TurnQueue,
    embeddable,
    halve,
)
from tests.embed.conftest import at_once

SPACE = VectorSpace("ollama", "words", "1", 3, "asked: ")
TRANSIENT = "stopped in the middle of an answer"


class Provider:
    """Answers with vectors that tell texts apart; `fault` may raise instead."""

    def __init__(self, fault: Callable[[Sequence[str]], None] = lambda texts: None) -> None:
        self.fault = fault
        self.asked: list[list[str]] = []

    async def __call__(self, texts: Sequence[str], allowance_s: float) -> TimedVectors:
        self.asked.append(list(texts))
        await asyncio.sleep(0)
        self.fault(texts)
        return TimedVectors([vector_of(text) for text in texts], 0.001)


async def silent(texts: Sequence[str], allowance_s: float) -> TimedVectors:
    """A provider that never answers."""
    await asyncio.Event().wait()
    raise AssertionError


def vector_of(text: str) -> Vector:
    return pack([1, len(text), ord(text[0])])


def batches(provider: ProviderRequest, start: int = 8) -> RequestQueue:
    return RequestQueue(provider, SPACE, BatchPace(2.0, start, 64), at_once)


def failing(kind: str, detail: str, times: int = 1) -> Callable[[Sequence[str]], None]:
    left = [times]

    def fault(texts: Sequence[str]) -> None:
        if left[0]:
            left[0] -= 1
            raise EmbeddingError("OLLAMA_UNREACHABLE", kind, detail)  # type: ignore[arg-type]

    return fault


def refusing(why: str, *, about: Callable[[str], bool]) -> Callable[[Sequence[str]], None]:
    def fault(texts: Sequence[str]) -> None:
        if any(about(text) for text in texts):
            raise TextRefused(why)  # type: ignore[arg-type]

    return fault


# Turns


async def test_queries_go_before_batches_and_each_line_keeps_its_order() -> None:
    turns, order = TurnQueue(), []

    async def have(name: str, *, query: bool) -> None:
        await turns.enter(query=query)
        order.append(name)
        await asyncio.sleep(0)
        turns.leave()

    names = ["bulk 1", "bulk 2", "query 1", "bulk 3", "query 2"]
    await asyncio.gather(*(have(name, query=name.startswith("query")) for name in names))
    assert order == ["bulk 1", "query 1", "query 2", "bulk 2", "bulk 3"]


async def test_a_request_cancelled_while_it_waits_is_skipped() -> None:
    turns = TurnQueue()
    await turns.enter(query=False)
    waiting = [asyncio.create_task(hold(turns)) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    turns.leave()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert [task.cancelled() for task in waiting] == [True, False, False]
    async with asyncio.timeout(1):
        await turns.enter(query=True)


async def test_a_request_cancelled_at_its_turn_lets_the_next_one_go() -> None:
    turns = TurnQueue()
    await turns.enter(query=False)
    waiting = [asyncio.create_task(hold(turns)) for _ in range(2)]
    await asyncio.sleep(0)
    turns.leave()
    waiting[0].cancel()  # it has the turn already, but has not run yet
    await asyncio.gather(*waiting, return_exceptions=True)
    assert [task.cancelled() for task in waiting] == [True, False]


async def hold(turns: TurnQueue) -> None:
    await turns.enter(query=False)
    await asyncio.sleep(0)
    turns.leave()


# Batches


async def test_a_query_carries_the_prompt_and_a_document_does_not() -> None:
    provider = Provider()
    both = batches(provider)
    await both.embed(["text"])
    await both.embed_query("text")
    assert provider.asked == [["text"], ["asked: text"]]


async def test_a_query_comes_between_two_batches_of_one_call() -> None:
    provider = Provider()
    both = batches(provider, start=2)
    documents = asyncio.create_task(both.embed(["a", "b", "c", "d"]))
    await asyncio.sleep(0)
    await both.embed_query("q")
    await documents
    assert provider.asked[:2] == [["a", "b"], ["asked: q"]]


async def test_a_passing_failure_is_tried_once_more() -> None:
    provider = Provider(failing("transient", "is busy"))
    assert await batches(provider).embed(["a"]) == [vector_of("a")]
    assert provider.asked == [["a"], ["a"]]


@pytest.mark.parametrize(
    ("kind", "detail", "asked"),
    [
        ("unreachable", "does not answer", 1),
        ("model_missing", "does not have the model", 1),
        ("transient", "took too long", 1),
        ("transient", "is busy", 2),
    ],
)
async def test_a_permanent_failure_is_reported(kind: str, detail: str, asked: int) -> None:
    provider = Provider(failing(kind, detail, times=99))
    with pytest.raises(EmbeddingError) as caught:
        await batches(provider).embed(["a", "b"])
    assert (caught.value.kind, caught.value.detail) == (kind, detail)
    assert len(provider.asked) == asked


async def test_a_query_is_not_tried_again() -> None:
    provider = Provider(failing("transient", "is busy", times=99))
    with pytest.raises(EmbeddingError):
        await batches(provider).embed_query("a")
    assert len(provider.asked) == 1


async def test_a_provider_that_is_broken_is_not_asked_for_every_text() -> None:
    provider = Provider(failing("transient", TRANSIENT, times=99))
    with pytest.raises(EmbeddingError) as caught:
        await batches(provider).embed([str(number) for number in range(8)])
    assert caught.value.kind == "transient"
    assert provider.asked[2:] == [[CANARY]]  # asked twice, then whether it works at all


async def test_what_was_made_before_a_failure_is_not_lost() -> None:
    provider = Provider(
        lambda texts: failing("unreachable", "does not answer")(texts) if "e" in texts else None
    )
    with pytest.raises(EmbeddingError) as caught:
        await batches(provider, start=2).embed(["a", "b", "c", "d", "e", "f", "g"])
    assert caught.value.done == {n: vector_of("abcd"[n]) for n in range(len(caught.value.done))}
    assert len(caught.value.done) >= 2


@pytest.mark.parametrize("bad", range(8))
async def test_one_bad_text_is_found_among_eight(bad: int) -> None:
    texts = [f"{'bad' if number == bad else 'ok'} {number}" for number in range(8)]
    provider = Provider(refusing("not_a_number", about=lambda text: text.startswith("bad")))
    with pytest.raises(EmbeddingError) as caught:
        await batches(provider).embed(texts)
    assert (caught.value.kind, caught.value.index) == ("bad_item", bad)
    assert len(provider.asked) <= 8


async def test_the_index_of_a_bad_text_counts_from_the_callers_first() -> None:
    texts = [f"text {number}" for number in range(29)] + ["bad"]
    provider = Provider(refusing("not_a_number", about=lambda text: text == "bad"))
    with pytest.raises(EmbeddingError) as caught:
        await batches(provider).embed(texts)
    assert caught.value.index == 29
    assert caught.value.done[0] == vector_of("text 0")


async def test_a_text_that_kills_the_provider_is_found_as_well() -> None:
    def fault(texts: Sequence[str]) -> None:
        if "poison" in texts:
            raise EmbeddingError("OLLAMA_UNREACHABLE", "transient", TRANSIENT)

    provider = Provider(fault)
    with pytest.raises(EmbeddingError) as caught:
        await batches(provider).embed(["a", "b", "poison", "d"])
    assert (caught.value.kind, caught.value.index) == ("bad_item", 2)


async def test_a_text_that_is_too_long_becomes_the_mean_of_its_parts() -> None:
    long = "word " * 400
    provider = Provider(refusing("too_long", about=lambda text: len(text) > 600))
    vectors = await batches(provider).embed(["a", long, "b"])
    assert vectors[0] == vector_of("a")
    assert vectors[2] == vector_of("b")
    embedded = [texts[0] for texts in provider.asked if len(texts) == 1 and len(texts[0]) <= 600]
    assert "".join(text for text in embedded if len(text) > 1) == long


async def test_a_half_without_words_is_still_embeddable() -> None:
    long = "word " * 200 + " " * 1000
    provider = Provider(refusing("too_long", about=lambda text: len(text) > 1000))
    await batches(provider).embed([long])
    assert provider.asked[-1] == ["."]


async def test_closing_fails_waiting_requests_and_does_not_cancel_them() -> None:
    both = batches(silent)
    calls = [asyncio.create_task(both.embed([text])) for text in "ab"]
    query = asyncio.create_task(both.embed_query("c"))
    await asyncio.sleep(0)
    await both.close()
    answers = await asyncio.gather(*calls, query, return_exceptions=True)
    assert [getattr(answer, "detail", None) for answer in answers] == ["is closed"] * 3


async def test_who_is_cancelled_while_it_is_closed_stays_cancelled() -> None:
    both = batches(silent)
    call = asyncio.create_task(both.embed(["a"]))
    await asyncio.sleep(0)
    call.cancel()
    await both.close()
    await asyncio.gather(call, return_exceptions=True)
    assert call.cancelled()


async def test_what_is_short_and_still_too_long_is_bad() -> None:
    provider = Provider(refusing("too_long", about=lambda text: text != CANARY))
    with pytest.raises(EmbeddingError) as caught:
        await batches(provider).embed(["word " * 1000])
    assert caught.value.kind == "bad_item"
    assert len(provider.asked) < 12


@pytest.mark.parametrize("why", ["too_long", "not_a_number"])
async def test_a_provider_that_fails_for_every_text_is_unhealthy_and_no_text_is_barred(
    why: str,
) -> None:
    provider = Provider(refusing(why, about=lambda text: True))
    with pytest.raises(EmbeddingError) as caught:
        await batches(provider).embed(["one", "two"])
    assert (caught.value.kind, caught.value.index) == ("transient", None)


@pytest.mark.parametrize("text", ["ab", "word " * 99, "x" * 999, "日本" * 300, " " * 50 + "x" * 50])
def test_halving_loses_nothing(text: str) -> None:
    left, right = halve(text)
    assert left + right == text
    assert left
    assert right


@pytest.mark.parametrize("text", ["", "  \n", "\ud800", "a\udfffb", "plain", "日本"])
def test_what_is_sent_is_valid_and_not_blank(text: str) -> None:
    assert embeddable(text).encode("utf-8").strip()
