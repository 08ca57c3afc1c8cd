"""Passages that have a phrase, and those that do not."""

import pytest

from ragd.search.query.conditions import PHRASE, Condition
from ragd.search.query.filters import Filters
from ragd.store.lance import ChunkIndex, condition, phrase_rows, row_queries
from tests.store.lance.drafts import note, vector

TEXTS = (
    "the open source way",
    "open the source",
    "OPEN\n source, and more",
    "we opened sources",
    "nothing of it",
    "an open source's price",
    "see open.source",
    "größe und Straße",
    "GRÖSSE, Größe",
    "don’t and don't",
    "开源软件",
    "오픈 소스의",
    "το τέλος",
)
PHRASES = (
    *("open source", "open", "source", "größe", "don't", "开源", "소스", "ΤΈΛΟΣ", "the", "C++"),
    *("open source way", "nothing", "unheard of"),
)


async def filled(index: ChunkIndex) -> ChunkIndex:
    await index.replace([note(f"{number}.md", text) for number, text in enumerate(TEXTS)])
    return index


def has(phrase: str, *, negated: bool = False) -> tuple[Condition, ...]:
    return (Condition(PHRASE, (phrase,), negated),)


@pytest.mark.parametrize("scanned", [0, 10_000])
async def test_the_same_passages_have_a_phrase_in_tables_of_any_size(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch, scanned: int
) -> None:
    monkeypatch.setattr(phrase_rows, "SCANNED_ROWS", scanned)
    await filled(index)
    for phrase in PHRASES:
        every = await index.count(condition(Filters(conditions=has(phrase))))
        missed = scanned == 0 and phrase in ("open", "source")  # within `open.source` only
        assert await index.count_matching(None, has(phrase)) == every - missed
        assert await index.has_phrase(phrase) is bool(every)


async def test_a_phrase_within_longer_words_only_is_found_after_all(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phrase_rows, "SCANNED_ROWS", 0)
    await index.replace([note("a.md", "see obsidian.md"), note("b.md", "see elsewhere")])
    assert await index.count_matching(None, has("obsidian")) == 1


@pytest.mark.parametrize("listed", [1, 256])
@pytest.mark.parametrize("deepest", [1, 12_800])
async def test_legs_find_what_has_a_phrase_or_has_it_not(
    index: ChunkIndex, monkeypatch: pytest.MonkeyPatch, listed: int, deepest: int
) -> None:
    """Whether the rows are named, looked for further down, or compared one by one."""
    monkeypatch.setattr(phrase_rows, "LISTED", listed)
    monkeypatch.setattr(row_queries, "DEEPEST", deepest)
    monkeypatch.setattr(row_queries, "DEEPEST_UNWANTED", deepest)
    many = [note(f"{n}.md", f"apple {'red' if n % 10 else 'green'} w{n}x") for n in range(60)]
    await index.replace(many)
    for phrases, most in ((has("green w10x"), 1), (has("green"), 6), (has("red", negated=True), 6)):
        hits = await index.find_by_words("apple", 20, None, phrases)
        assert len(hits) == most and all("green" in hit.text for hit in hits)
    where = "source_file = '10.md'"
    assert len(await index.find_by_words("apple", 20, where, has("green"))) == 1
    assert await index.count_matching(where, has("green")) == 1
    assert await index.find_by_words("apple", 20, where, has("red")) == []
    both = (*has("apple"), *has("w7x", negated=True), *has("red"))
    assert len(await index.find_by_words("apple", 60, None, both)) == 53
    assert len(await index.find_by_words("apple", 5, None, both)) == 5


async def test_phrases_hold_for_meaning_and_for_names(index: ChunkIndex) -> None:
    files = [note(f"{word}/Tea.md", f"{word} tea") for word in ("green", "black")]
    ids = {chunk.chunk_id: vector(chunk.text) for file in files for chunk in file.chunks}
    await index.replace(files)
    await index.fill(ids)
    for phrases in (has("green"), has("black", negated=True)):
        (hit,) = await index.find_by_vector(vector("tea"), 5, None, phrases)
        assert hit.source_file == "green/Tea.md"
        (named,) = await index.find_by_name("tea", None, phrases)
        assert named.source_file == "green/Tea.md"


async def test_a_phrase_is_looked_up_again_in_a_new_version(index: ChunkIndex) -> None:
    await index.replace([note("a.md", "green tea")])
    assert await index.count_matching(None, has("green")) == 1
    await index.replace([note("b.md", "green cup")])
    assert await index.count_matching(None, has("green")) == 2
    await index.replace([], ["a.md", "b.md"])
    assert not await index.has_phrase("green")
