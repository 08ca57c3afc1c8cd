"""An index that is limited to some collections: no read of it shows anything of the others."""

from typing import Any

import pytest

from ragd.access.scope import Scope
from ragd.search.query.conditions import PHRASE, Condition
from ragd.store.lance import (
    ChunkIndex,
    equal_texts,
    in_scope,
    packed_rows,
    phrase_rows,
    vector_matrix,
)
from ragd.store.lance.store import LIMITED
from tests.store.lance.drafts import note, vector

KNOWN = frozenset({"papers", "secret"})
OPEN = Scope(frozenset({"vault", "papers"}), KNOWN)


@pytest.fixture
async def filled(index: ChunkIndex) -> ChunkIndex:
    shared: Any = {"vectors": True, "date": "2024-05-01"}
    await index.replace(
        [
            note(
                "Lake.md",
                "river one",
                tags=("#open",),
                properties=("a=1",),
                language="en",
                **shared,
            ),
            note("@papers/Ice.md", "river two", links=("Lake",), collection="papers", **shared),
            note(
                "@secret/Cave.md",
                "river canary deep",
                "river one",
                tags=("#hidden",),
                properties=("a=2", "hush=1"),
                links=("Lake", "Ice"),
                names=("Grotto",),
                language="es",
                collection="secret",
                **shared,
            ),
        ]
    )
    return index


def limited(index: ChunkIndex, scope: Scope = OPEN) -> ChunkIndex:
    return index.limited_to(in_scope(scope, index.columns))


async def shown(view: ChunkIndex) -> dict[str, object]:
    """What every read of a view finds that could show something of the hidden note."""
    by_words = await view.find_by_words("river canary", 10)
    by_vector = await view.find_by_vector(vector("river canary deep"), 10)
    return {
        "words": {hit.source_file for hit in by_words},
        "vectors": {hit.source_file for hit in by_vector},
        "newest": {hit.source_file for hit in await view.find_newest(10, "TRUE")},
        "phrase": await view.has_phrase("canary deep"),
        "name": [hit.source_file for hit in await view.find_by_name("Cave")],
        "alias": [hit.source_file for hit in await view.find_by_name("Grotto")],
        "names": [row.source_file for row in await view.find_by_names(["Cave", "Lake"])],
        "title": await view.find_by_title("cave"),
        "texts": await view.find_exact_texts(["river one", "river canary deep"]),
        "linking": sorted(row.source_file for row in await view.find_linking_to(["Lake"])),
        "count": await view.count(),
        "dated": await view.count("date = '2024-05-01'"),
        "matching": await view.count_matching(None, [Condition(PHRASE, ("river one",))]),
        "undated": await view.count_undated_notes(),
        "languages": await view.count_notes_in(["en", "es"]),
        "tags": await view.list_tags(),
        "properties": await view.list_properties("a"),
        "property names": await view.list_property_names(),
        "vocabulary": set(await view.count_words(1_000)),
        "frequencies": (await view.word_frequencies()).passages,
    }


EXPECTED: dict[str, object] = {
    "words": {"Lake.md", "@papers/Ice.md"},
    "vectors": {"Lake.md", "@papers/Ice.md"},
    "newest": {"Lake.md", "@papers/Ice.md"},
    "phrase": False,
    "name": [],
    "alias": [],
    "names": ["Lake.md"],
    "title": [],
    "texts": {"river one": {"Lake.md": 1}},
    "linking": ["@papers/Ice.md"],
    "count": 2,
    "dated": 2,
    "matching": 1,
    "undated": 0,
    "languages": {"en": 1},
    "tags": {"#open"},
    "properties": ["a=1"],
    "property names": ["a"],
    "vocabulary": {"river", "one", "two"},
    "frequencies": 2,
}


async def test_a_limited_view_shows_nothing_of_the_rest(filled: ChunkIndex) -> None:
    assert await shown(limited(filled)) == EXPECTED
    everything = await shown(filled)
    for read in EXPECTED.keys() - {"undated"}:  # each of these would show something
        assert everything[read] != EXPECTED[read], read


async def test_the_same_holds_for_a_table_that_is_not_kept_in_memory(
    filled: ChunkIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_rows, "MOST_ROWS", 0)
    monkeypatch.setattr(vector_matrix, "MOST_SHORTS", 0)
    monkeypatch.setattr(phrase_rows, "SCANNED_ROWS", 0)
    monkeypatch.setattr(equal_texts, "SCANNED_ROWS", 0)
    monkeypatch.setattr(phrase_rows, "LISTED", 0)
    assert await shown(limited(filled)) == EXPECTED


async def test_a_view_follows_the_versions_of_its_index(filled: ChunkIndex) -> None:
    view = limited(filled)
    assert await view.list_tags() == {"#open"}
    await filled.replace([note("New.md", "river three", tags=("#new",))], ["Lake.md"])
    assert await view.list_tags() == {"#new"}
    assert await view.count() == 2


async def test_views_are_kept_but_not_without_end(filled: ChunkIndex) -> None:
    assert limited(filled) is limited(filled)
    assert filled.limited_to(None) is filled
    first = filled.limited_to("chunk_index = 0")
    for number in range(LIMITED):
        filled.limited_to(f"chunk_index > {number}")
    assert filled.limited_to("chunk_index = 0") is not first


@pytest.mark.parametrize("columns", [("collection",), ()])
@pytest.mark.parametrize(
    ("names", "found"),
    [
        ({"vault", "papers", "secret"}, {"Lake.md", "@papers/Ice.md", "@secret/Cave.md"}),
        ({"vault"}, {"Lake.md"}),
        ({"papers"}, {"@papers/Ice.md"}),
        ({"papers", "secret"}, {"@papers/Ice.md", "@secret/Cave.md"}),
        (set(), set()),
    ],
)
async def test_a_table_of_an_earlier_version_is_limited_by_paths(
    filled: ChunkIndex, columns: tuple[str, ...], names: set[str], found: set[str]
) -> None:
    view = filled.limited_to(in_scope(Scope(frozenset(names), KNOWN), columns))
    assert {hit.source_file for hit in await view.find_newest(10, "TRUE")} == found
