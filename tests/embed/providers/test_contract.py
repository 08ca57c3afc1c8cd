"""The contract of every embedder. Run against both providers."""

import asyncio
import math

import pytest

from ragd.embed.providers.embedder_port import Embedder, EmbeddingError, cosine, unpack

CAT = "The cat sleeps on the warm windowsill in the sun."
KITTEN = "A cat sleeps by the warm window while the sun shines."
MONEY = "Quarterly revenue fell by three percent."

ODD_TEXTS = [
    "",
    " ",
    "\n\t \n",
    "a",
    "ÄÖÜ ß é ñ",
    "日本語のノート",
    "한국어 노트",
    "👩‍👩‍👧‍👦 family",
    "مرحبا بالعالم",
    "\x00\x01\x02",
    "\u202eright to left",
    "half a pair: \ud800",
    "[CLS] [SEP] [MASK]",
    "x" * 5_000,
    "word " * 3_000,
    "<|endoftext|>",
]


async def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    texts = [f"{'word ' * (7 * number % 60)} number {number}" for number in range(40)]
    together = await embedder.embed(texts)
    assert len(together) == 40
    for place in (0, 7, 23, 39):
        assert await embedder.embed([texts[place]]) == [together[place]]


async def test_a_vector_has_the_spaces_dimensions_and_length_one(embedder: Embedder) -> None:
    for vector in await embedder.embed([CAT, MONEY]):
        numbers = unpack(vector)
        assert len(numbers) == embedder.space.dimensions
        assert math.hypot(*numbers) == pytest.approx(1, abs=1e-5)


async def test_the_same_text_gives_the_same_bytes(embedder: Embedder) -> None:
    assert await embedder.embed([CAT, MONEY]) == await embedder.embed([CAT, MONEY])


async def test_any_text_has_a_vector(embedder: Embedder) -> None:
    vectors = await embedder.embed(ODD_TEXTS)
    assert len(vectors) == len(ODD_TEXTS)
    assert all(math.isfinite(number) for vector in vectors for number in unpack(vector))
    assert await embedder.embed_query(ODD_TEXTS[0]) == vectors[0] or embedder.space.prompt


async def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert await embedder.embed([]) == []


async def test_related_texts_are_closer_than_unrelated_ones(embedder: Embedder) -> None:
    cat, kitten, money = await embedder.embed([CAT, KITTEN, MONEY])
    assert cosine(cat, kitten) > cosine(cat, money) + 0.2
    asked = await embedder.embed_query("a cat in the sun on the windowsill")
    assert cosine(asked, cat) > cosine(asked, money) + 0.1


async def test_the_end_of_a_long_text_counts_too(embedder: Embedder) -> None:
    """Nothing is cut: the two texts differ only after 900 words."""
    cats, money = f"{CAT} " * 90, f"{MONEY} " * 150
    both, only_cats, only_money = await embedder.embed([cats + money, cats, money])
    assert cosine(both, only_money) > cosine(only_cats, only_money) + 0.2
    assert cosine(both, only_cats) > cosine(only_cats, only_money) + 0.2


async def test_a_query_does_not_wait_for_the_documents_before_it(embedder: Embedder) -> None:
    documents = asyncio.create_task(embedder.embed([f"{CAT} {n} " * 9 for n in range(40)]))
    others = asyncio.create_task(embedder.embed([MONEY]))
    await asyncio.sleep(0)
    await embedder.embed_query(CAT)
    assert not documents.done()
    assert len(await documents) == 40
    await others


async def test_many_callers_at_once_each_get_their_own(embedder: Embedder) -> None:
    alone = {text: (await embedder.embed([text]))[0] for text in (CAT, KITTEN, MONEY)}
    texts = [(CAT, KITTEN, MONEY)[n % 3] for n in range(12)]
    answers = await asyncio.gather(*(embedder.embed([text]) for text in texts))
    assert [vector for (vector,) in answers] == [alone[text] for text in texts]


async def test_a_cancelled_request_does_not_affect_the_others(embedder: Embedder) -> None:
    expected = await embedder.embed([MONEY])
    documents = asyncio.create_task(embedder.embed([f"{CAT} {n} " * 9 for n in range(40)]))
    queries = [asyncio.create_task(embedder.embed_query(CAT)) for _ in range(3)]
    await asyncio.sleep(0)
    documents.cancel()
    queries[1].cancel()
    answers = await asyncio.gather(documents, *queries, return_exceptions=True)
    assert isinstance(answers[0], asyncio.CancelledError)
    assert answers[1] == answers[3]
    assert await embedder.embed([MONEY]) == expected


async def test_a_closed_embedder_says_so(embedder: Embedder) -> None:
    await embedder.embed([CAT])
    await embedder.close()
    await embedder.close()
    with pytest.raises(EmbeddingError) as caught:
        await embedder.embed([CAT])
    assert caught.value.kind == "unreachable"


async def test_closing_ends_what_is_under_way(embedder: Embedder) -> None:
    await embedder.embed([CAT])
    documents = asyncio.create_task(embedder.embed([f"{CAT} {n} " * 60 for n in range(60)]))
    await asyncio.sleep(0)
    await embedder.close()
    with pytest.raises(EmbeddingError):
        await documents


async def test_the_identity_of_a_space_is_all_of_it(embedder: Embedder) -> None:
    space = embedder.space
    assert space.identity == embedder.space.identity
    assert space.provider in ("ollama", "embedded")
    assert space.digest
