"""The other places of a text: the same ones in memory, by a full-text search, and by comparing
every passage."""

import pytest

from ragd.store.lance import ChunkIndex, equal_texts, packed_rows
from ragd.store.lance.equal_texts import longest_words
from tests.store.lance.drafts import note

PLAIN = "The heron waited beside the river until evening."
QUOTED = "Meera's \"river\" -- it's the heron's; WAITED 'beside' 100% of `code`."
CHINESE = "苍鹭在河边等到傍晚。"
SHORT = "#draft"
LONGER = PLAIN + " Then it flew."
TEXTS = [PLAIN, QUOTED, CHINESE, SHORT, LONGER, "a text that no passage has, waited river"]


@pytest.fixture
async def filled(index: ChunkIndex) -> ChunkIndex:
    await index.replace(
        [
            note("One.md", PLAIN, QUOTED, CHINESE, SHORT),
            note("Two.md", PLAIN, PLAIN, LONGER, "the draft about a heron and a river"),
            note("Three.md", CHINESE, SHORT, PLAIN.lower(), QUOTED + " ", collection="papers"),
        ]
    )
    return index


@pytest.fixture(params=["in memory", "compared", "looked up", "looked up without an index"])
async def searched(
    filled: ChunkIndex, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> ChunkIndex:
    if request.param != "in memory":
        monkeypatch.setattr(packed_rows, "MOST_WHOLE_BYTES", 0)
    if request.param.startswith("looked up"):
        monkeypatch.setattr(equal_texts, "SCANNED_ROWS", 0)
    if request.param == "looked up":
        await filled.maintain()
    return filled


async def test_only_equal_texts_are_found_and_counted_by_note(searched: ChunkIndex) -> None:
    assert await searched.find_exact_texts(TEXTS) == {
        PLAIN: {"One.md": 1, "Two.md": 2},
        QUOTED: {"One.md": 1},
        CHINESE: {"One.md": 1, "Three.md": 1},
        SHORT: {"One.md": 1, "Three.md": 1},
        LONGER: {"Two.md": 1},
    }


async def test_texts_in_memory_are_compared_without_reading_the_table(
    filled: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(equal_texts, "Scan", None)
    found = await filled.find_exact_texts([PLAIN, CHINESE, "no passage has this"])
    assert found == {PLAIN: {"One.md": 1, "Two.md": 2}, CHINESE: {"One.md": 1, "Three.md": 1}}


async def test_a_condition_applies(searched: ChunkIndex) -> None:
    found = await searched.find_exact_texts([PLAIN, SHORT], "source_file != 'One.md'")
    assert found == {PLAIN: {"Two.md": 2}, SHORT: {"Three.md": 1}}
    assert await searched.find_exact_texts([PLAIN], "source_file = 'None.md'") == {}


async def test_a_deleted_note_has_no_text_any_more(searched: ChunkIndex) -> None:
    await searched.replace([note("Two.md", "gone")])
    assert await searched.find_exact_texts([PLAIN]) == {PLAIN: {"One.md": 1}}


def test_only_words_that_are_split_alike_everywhere_are_looked_up() -> None:
    assert longest_words("Type_hints in obsidian.md, für Café and Kubernetes river!") == [
        "kubernetes"
    ]
    assert longest_words(f"{'x' * 30} {CHINESE} #draft the of") == []
    many = " ".join("word" + "abcdefghij"[:n] for n in range(10))
    assert longest_words(many)[0] == "wordabcdefghi"
    assert len(longest_words(many)) == equal_texts.MOST_WORDS
