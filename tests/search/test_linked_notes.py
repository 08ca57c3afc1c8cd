"""Notes that are linked with the best results."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from ragd.notes.markdown.links import link_key
from ragd.search.linked_notes import BEST_NOTES, find_linked_notes, not_shown_yet
from ragd.store.lance import ChunkRow, LinkRow


def row(path: str, *links: str) -> ChunkRow:
    title = path.rpartition("/")[2].removesuffix(".md")
    where: Any = (path, "", None, None, [], 0, 1, "", "", "", "", 1, 1, title, "")
    return replace(ChunkRow(f"id {path}", "text", *where), links=list(links))


class Index:
    """Notes with their links, in memory; it counts the lookups."""

    def __init__(self, *rows: ChunkRow, aliases: dict[str, str] | None = None) -> None:
        self.lookups = 0
        self._rows = [
            LinkRow(one.source_file, one.title, [(aliases or {}).get(one.title, "")], one.links)
            for one in rows
        ]

    async def has_links(self) -> bool:
        return any(one.links for one in self._rows)

    async def read_links(self, paths: Sequence[str]) -> list[LinkRow]:
        self.lookups += 1
        return [one for one in self._rows if one.source_file in paths]

    async def find_linking_to(self, names: Sequence[str]) -> list[LinkRow]:
        self.lookups += 1
        wanted = {link_key(name) for name in names}
        return [one for one in self._rows if wanted & {link_key(link) for link in one.links}]

    async def find_by_names(self, names: Sequence[str]) -> list[LinkRow]:
        self.lookups += 1
        wanted = {link_key(name) for name in names}
        return [
            one for one in self._rows if wanted & {link_key(n) for n in (one.title, *one.names)}
        ]


async def test_links_are_followed_in_both_directions() -> None:
    best = row("Beam.md", "optics/Laser", "Nowhere")
    notes = [best, row("optics/Laser.md"), row("Laser.md"), row("Map.md", "Beam"), row("Other.md")]
    assert await find_linked_notes(Index(*notes), [best]) == {
        "optics/Laser.md": "linked from “Beam”",
        "Map.md": "links to “Beam”",
    }


async def test_a_link_by_alias_leads_to_its_note() -> None:
    best = row("Beam.md", "Light Amplifier")
    index = Index(best, row("Laser.md"), aliases={"Laser": "light amplifier"})
    assert await find_linked_notes(index, [best]) == {"Laser.md": "linked from “Beam”"}


async def test_a_link_to_another_note_of_that_name_is_not_one_to_this() -> None:
    best = row("optics/Beam.md")
    index = Index(best, row("Map.md", "wood/Beam"), row("Plan.md", "optics/beam"))
    assert await find_linked_notes(index, [best]) == {"Plan.md": "links to “Beam”"}


async def test_links_to_documents_are_followed_in_both_directions() -> None:
    best, paper = row("Beam.md", "laser.pdf"), row("papers/laser.pdf")
    index = Index(best, paper, row("laser.md"), row("Map.md", "laser"))
    assert await find_linked_notes(index, [best]) == {"papers/laser.pdf": "linked from “Beam”"}
    assert await find_linked_notes(index, [paper]) == {"Beam.md": "links to “laser.pdf”"}


async def test_only_the_best_notes_count_and_lookups_are_few() -> None:
    rows = [row(f"{number}.md", f"To {number}") for number in range(9)]
    index = Index(*rows, *(row(f"To {number}.md") for number in range(9)))
    found = await find_linked_notes(index, rows)
    assert list(found) == [f"To {number}.md" for number in range(BEST_NOTES)]
    assert index.lookups == 3
    assert await find_linked_notes(Index(), [row("Alone.md")]) == {}


def test_notes_that_are_shown_already_are_left_out() -> None:
    assert not_shown_yet({"a.md": "x", "b.md": "y"}, ["a.md"]) == {"b.md": "y"}
