"""Finding notes by their exact names, and passages by their links."""

from ragd.store.lance import ChunkIndex
from tests.store.lance.drafts import note


async def test_a_note_is_found_by_each_of_its_names(index: ChunkIndex) -> None:
    await index.replace(
        [
            note("dev/type_hints.md", "one", "two", names=("Annotations", "Typing in Python")),
            note("Type.md", "other"),
            note("a/Type hints.md", "third"),
        ]
    )
    for name in ("Type hints", "TYPE-HINTS", "type_hints"):
        assert {hit.source_file for hit in await index.find_by_name(name)} == {
            "dev/type_hints.md",
            "a/Type hints.md",
        }
    (hit,) = await index.find_by_name("typing in python")
    assert hit.source_file == "dev/type_hints.md"
    assert await index.find_by_name("typing") == await index.find_by_name("?") == []
    where = "source_file = 'a/Type hints.md'"
    assert [hit.source_file for hit in await index.find_by_name("Type hints", where)] == [
        "a/Type hints.md"
    ]


async def test_names_of_any_length_or_script_are_found(index: ChunkIndex) -> None:
    long = "a very long name " * 40
    await index.replace([note("x.md", "one", names=(long, "会议 记录", "Ключи"))])
    for name in (long, "会议记录", "ключи"):
        assert len(await index.find_by_name(name)) == 1


async def test_a_heading_is_a_name_where_no_note_has_it(index: ChunkIndex) -> None:
    await index.replace([note("a.md", "one", names=("Tea", "Pots"), opening="Pots")])
    assert [hit.source_file for hit in await index.find_by_name("pots")] == ["a.md"]
    await index.replace([note("Pots.md", "two")])
    assert [hit.source_file for hit in await index.find_by_name("pots")] == ["Pots.md"]
