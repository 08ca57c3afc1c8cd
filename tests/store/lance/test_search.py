import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragd.notes.search_text import search_text
from ragd.protocol.limits import QUERY_READ_CHARS
from ragd.store.lance import ChunkIndex, one_of, sql_text
from ragd.store.lance.query_words import QUERY_WORDS, query_words
from tests.store.lance.drafts import bulk, ids, note, vector

LANGUAGES = {
    "de.md": "Die Straßenbahnhaltestelle liegt hinter dem Café am Fluss, sagte Jürgen.",
    "en.md": "He was running through the meetings about the quarterly budget.",
    "zh.md": "我昨天在图书馆学习机器学习和自然语言处理。",
    "ja.md": "昨日は図書館で機械学習の勉強をしました。カタカナのテストも。",
    "ko.md": "어제 도서관에서 기계학습을 공부했다.",
    "ru.md": "Вчера я читал книгу о машинном обучении в библиотеке.",
    "th.md": "เมื่อวานฉันอ่านหนังสือที่ห้องสมุด",
    "ar.md": "قرأت كتابا في المكتبة أمس",
    "emoji.md": "party 🎉 time with C++ and node.js, see issue-42 and foo_bar",
}


async def found(index: ChunkIndex, text: str, k: int = 10, where: str | None = None) -> list[str]:
    return [hit.source_file for hit in await index.find_by_words(text, k, where)]


@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "fresh"])
@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("Straßenbahnhaltestelle", "de.md"),
        ("strassenbahnhaltestelle café", "de.md"),
        ("cafe", "de.md"),
        ("JÜRGEN", "de.md"),
        ("run", "en.md"),
        ("what was the budget meeting about, for heaven's sake?", "en.md"),
        ("机器学习", "zh.md"),
        ("图书馆", "zh.md"),
        ("図書館", "ja.md"),
        ("機械学習", "ja.md"),
        ("テスト", "ja.md"),
        ("도서", "ko.md"),
        ("어제", "ko.md"),
        ("도서관", "ko.md"),
        ("기계학습", "ko.md"),
        ("библиотеке", "ru.md"),
        ("หนังสือ", "th.md"),
        ("المكتبة", "ar.md"),
        ("foo_bar", "emoji.md"),
    ],
)
async def test_words_are_found_in_many_languages(
    index: ChunkIndex, query: str, path: str, indexed: bool
) -> None:
    await index.replace(
        [
            note(name, text, search_text=search_text(name, (), "", (), text))
            for name, text in LANGUAGES.items()
        ]
    )
    if indexed:
        await index.maintain()
    assert (await found(index, query))[:1] == [path]


async def test_some_of_the_words_are_enough_and_more_of_them_rank_higher(
    index: ChunkIndex,
) -> None:
    await index.replace(
        [note("one.md", "apple tree"), note("two.md", "apple pie recipe"), note("no.md", "stone")]
    )
    hits = await index.find_by_words("apple recipe unheardof", 10)
    assert [hit.source_file for hit in hits] == ["two.md", "one.md"]
    assert hits[0].score > hits[1].score > 0


async def test_stop_words_are_words_too(index: ChunkIndex) -> None:
    await index.replace([note("who.md", "The Who"), note("x.md", "nothing else")])
    assert await found(index, "the who") == ["who.md"]


async def test_a_chunk_without_a_vector_is_found_by_its_words_only(index: ChunkIndex) -> None:
    await index.replace([note("a.md", "apple", vectors=True), note("b.md", "banana")])
    assert [h.source_file for h in await index.find_by_vector(vector("banana"), 10)] == ["a.md"]
    assert await found(index, "banana") == ["b.md"]


async def test_the_nearest_come_first_with_their_cosine(index: ChunkIndex) -> None:
    await index.replace(bulk(50, vectors=True))
    hits = await index.find_by_vector(vector("common words and w7x1 in a line"), 10)
    assert hits[0].score == pytest.approx(1.0, abs=1e-5)
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    assert len({h.chunk_id for h in hits}) == len(hits) == 10


async def test_a_vector_of_zeros_finds_nothing_rather_than_nonsense(index: ChunkIndex) -> None:
    await index.replace(bulk(5, vectors=True))
    assert await index.find_by_vector(bytes(64), 10) == []


async def test_filters_hold_in_both_legs(index: ChunkIndex) -> None:
    await index.replace(
        [
            note("A/x.md", "apple one", vectors=True, tags=("#p", "#q"), date="2024-01-15"),
            note("A/B/y.md", "apple two", vectors=True, tags=("#q",), date="2024-02-01"),
            note("C/z.md", "apple three", vectors=True),
        ]
    )
    for where, expected in {
        "source_directory = 'A'": {"A/x.md", "A/B/y.md"},
        "source_file >= 'A/B/' AND source_file < 'A/B0'": {"A/B/y.md"},
        "date >= '2024-01-01' AND date <= '2024-01-31'": {"A/x.md"},
        "array_has_any(tags, ['#p', '#zzz'])": {"A/x.md"},
        one_of("source_file", ["C/z.md", "it's not there"]): {"C/z.md"},
        one_of("source_file", []): set(),
        f"source_directory = {sql_text(chr(39))}": set(),
    }.items():
        assert set(await found(index, "apple", where=where)) == expected
        hits = await index.find_by_vector(vector("apple one"), 10, where)
        assert {hit.source_file for hit in hits} == expected
        assert await index.count(where) == len(expected)
    await index.maintain()
    assert await found(index, "apple", where="array_has_any(tags, ['#p'])") == ["A/x.md"]


async def test_fetch_keeps_the_order_and_leaves_out_what_is_gone(index: ChunkIndex) -> None:
    files = bulk(5)
    await index.replace(files)
    wanted = [ids(files)[7], "gone", ids(files)[2], "it's"]
    assert [row.chunk_id for row in await index.read_chunks(wanted)] == [wanted[0], wanted[2]]
    assert await index.read_chunks([]) == []


async def test_an_empty_table_answers(index: ChunkIndex) -> None:
    assert await index.find_by_words("anything", 5) == []
    assert await index.find_by_vector(vector("x"), 5) == []
    assert await index.count() == 0
    assert await index.list_tags() == frozenset()
    assert [row async for row in index.read_rows(["chunk_id"])] == []


ODD = [
    *("", " ", "\n\t", "!!!", '"', '"a phrase"', "a AND b OR NOT c", "+must -not", "field:x"),
    *(
        "(((",
        "*",
        "~2",
        "[1 TO 2]",
        "\\",
        "/re/",
        "x^3",
        "\x00",
        "a\x00b",
        "\u202e",
        "🎉",
        "\ud800",
    ),
    *("'; DROP TABLE x; --", "{}", "%", "a" * 100_000, "日" * 100_000, "the " * 25_000),
    " ".join(f"word{n}" for n in range(12_000)),
]


@pytest.mark.parametrize("query", ODD, ids=range(len(ODD)))
async def test_no_query_raises(index: ChunkIndex, query: str) -> None:
    await index.replace(bulk(3))
    await index.find_by_words(query, 5)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.text(max_size=200))
async def test_no_query_whatever_raises(text: str) -> None:
    words = query_words(text)
    assert words == query_words(words)
    words.encode()


def test_a_query_is_cut_to_what_a_search_can_bear() -> None:
    assert query_words("the The THE cat") == "the cat"
    assert query_words("도서관 기계") == "도서관 기계 도서 서관"
    assert query_words("") == query_words(" \n") == query_words("\ud800") == ""
    assert len(query_words(" ".join(f"w{n}" for n in range(9_999))).split()) == QUERY_WORDS
    assert len(query_words(" ".join("x" * n for n in range(200)))) <= QUERY_READ_CHARS
    assert query_words("日" * 100_000) == "日" * QUERY_READ_CHARS


async def test_searches_run_beside_each_other_and_beside_a_writer(index: ChunkIndex) -> None:
    files = bulk(40, vectors=True)
    await index.replace(files)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(index.find_by_words(f"w{n}x1", 3)) for n in range(20)]
        tasks += [group.create_task(index.find_by_vector(vector(n), 3)) for n in range(20)]
        writing = group.create_task(index.replace(bulk(5, start=100)))
    assert all(task.result() for task in tasks) and writing.result()


async def test_scores_do_not_depend_on_how_the_index_is_cut(index: ChunkIndex) -> None:
    """BM25 over many segments and over one is the same number; deleted rows shift it a little."""
    for start in range(0, 40, 10):
        await index.replace(bulk(10, start=start))
        await index.maintain()
    segmented = await index.find_by_words("w3x1 w25x2 common", 2)
    everything = bulk(40)
    await index.replace([], [file.path for file in everything])
    await index.replace(everything)
    fresh = await index.find_by_words("w3x1 w25x2 common", 2)
    assert [hit.chunk_id for hit in fresh] == [hit.chunk_id for hit in segmented]
    assert [h.score for h in fresh] == pytest.approx([h.score for h in segmented], rel=0.1)
    await index.maintain(keep_s=0)
    assert await index.find_by_words("w3x1 w25x2 common", 2) == segmented


async def test_tags_are_those_of_the_version_that_is_searched(
    index: ChunkIndex,
) -> None:
    assert await index.list_tags() == frozenset()
    await index.replace([note("A/B/x.md", "apple", tags=("#P", "#q/r")), note("y.md", "plum")])
    assert await index.list_tags() == {"#P", "#q/r"}
    await index.replace([], ["A/B/x.md"])
    assert await index.list_tags() == frozenset()
