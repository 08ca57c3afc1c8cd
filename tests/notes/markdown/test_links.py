"""Links from a note to other notes."""

import pytest

from ragd.notes.markdown.links import find_links, link_key, resolve
from tests.notes.conftest import Parse

NOTE = "a/b/Here.md"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("[[Beam Divergence]]", "Beam Divergence"),
        ("![[Beam Divergence]]", "Beam Divergence"),
        ("[[Beam Divergence|the beam]]", "Beam Divergence"),
        ("| [[Beam Divergence\\|the beam]] |", "Beam Divergence"),
        ("[[optics/Beam Divergence#Far field]]", "optics/Beam Divergence"),
        ("[[Beam Divergence^block]]", "Beam Divergence"),
        ("[[Beam Divergence.md]]", "Beam Divergence"),
        ("[beam](Beam%20Divergence.md)", "Beam Divergence"),
        ("[beam](<Beam Divergence.md>)", "Beam Divergence"),
        ("[beam](../optics/Beam.md#far)", "a/optics/Beam"),
        ("[beam](./Beam.md)", "a/b/Beam"),
        ("[beam](/optics/Beam.md 'title')", "optics/Beam"),
        ("[[paper.pdf]]", "paper.pdf"),
        ("![[Papers/paper.PDF#page=3|page three]]", "Papers/paper.PDF"),
        ("[[board.canvas]]", "board.canvas"),
        ("[[Drawing.excalidraw]] ", "Drawing.excalidraw"),
        ("[paper](../paper%20two.pdf#page=3)", "a/paper two.pdf"),
    ],
)
def test_a_link_to_a_note(text: str, target: str) -> None:
    assert [(link.line, link.target) for link in find_links(f"x\n{text}", 5, NOTE)] == [(6, target)]


@pytest.mark.parametrize(
    "text",
    [
        "`[[code]]`",
        "![[picture.png]]",
        "[web](https://example.com/note.md)",
        "[mail](mailto:a@example.com)",
        "[here](#heading)",
        "[[#heading]]",
        "[out](../../../etc/passwd)",
        "[[]] []() [",
    ],
)
def test_these_are_not_links_to_notes(text: str) -> None:
    assert find_links(text, 1, NOTE) == []


def test_a_link_resolves_as_in_obsidian() -> None:
    notes = ["x/y/Beam.md", "x/Beam.md", "a/b/Beam.md", "z/Laser beam.md"]
    assert resolve("x/beam", NOTE, notes) == "x/Beam.md"
    assert resolve("Beam", NOTE, notes) == "a/b/Beam.md"  # in the same folder
    assert resolve("BEAM", "other.md", notes) == "x/Beam.md"  # the shortest path
    assert resolve("y/Beam", "other.md", notes) == "x/y/Beam.md"
    assert resolve("Beam", "other.md", [*notes, "Beam.md"]) == "Beam.md"
    assert resolve("q/Beam", "other.md", notes) is None


def test_a_link_to_a_document_leads_to_no_note_of_that_name() -> None:
    files = ["x/paper.md", "x/y/paper.pdf", "paper.canvas", "Drawing.excalidraw.md"]
    assert resolve("paper.pdf", NOTE, files) == "x/y/paper.pdf"
    assert resolve("PAPER", NOTE, files) == "x/paper.md"
    assert resolve("Drawing.excalidraw", NOTE, files) == "Drawing.excalidraw.md"
    assert resolve("paper.docx", NOTE, files) is None
    assert link_key("x/paper.pdf") != link_key("paper")


def test_a_link_is_looked_up_by_the_name_of_its_note() -> None:
    assert link_key("optics/Beam Divergence.md") == link_key("beam_divergence") == "beamdivergence"


def test_each_passage_has_the_links_on_its_lines(parse: Parse) -> None:
    text = (
        "---\nup: '[[Map]]'\n---\n# A\nfor more see [[One]] and [[One]]\n"
        "# B\n```\n[[code]]\n```\nand there is also [[Two]]"
    )
    note = parse(text, "Here.md")
    assert [chunk.links for chunk in note.chunks] == [("Map", "One"), ("Two",)]
