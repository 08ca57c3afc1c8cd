"""Excalidraw drawings: plain, in Markdown, compressed."""

import json
from typing import Any

import pytest

from ragd.notes.documents.excalidraw import DRAWING_UNREAD, NOT_A_DRAWING, read_excalidraw
from ragd.notes.documents.model import Document, Unreadable
from tests.notes.documents.compressed import compress

LONG = "these words fill a place of their own, " * 8


def element(name: str, text: str, x: float = 0, y: float = 0, **more: Any) -> dict[str, Any]:
    size = {"width": 100, "height": 25}
    return {"id": name, "type": "text", "text": text, "x": x, "y": y, **size, **more}


def drawing(*elements: dict[str, Any]) -> str:
    return json.dumps({"type": "excalidraw", "version": 2, "elements": elements})


def read(text: str, path: str = "a.excalidraw") -> Document:
    found = read_excalidraw(path, text.encode())
    assert isinstance(found, Document)
    return found


def in_markdown(texts: str, block: str, above: str = "") -> str:
    return (
        "---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n"
        "==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==\n\n"
        f"{above}\n# Excalidraw Data\n\n## Text Elements\n{texts}\n%%\n## Drawing\n{block}\n%%"
    )


def test_the_texts_of_a_drawing_are_read_in_order() -> None:
    document = read(
        drawing(
            element("low", LONG, 0, 300),
            {"id": "r", "type": "rectangle", "x": 0, "y": 0},
            element("top", LONG, 0, 10),
            element("gone", "this was deleted", 0, 0, isDeleted=True),
        )
    )
    assert [place.name for place in document.places] == ["element=top", "element=low"]
    assert "deleted" not in document.text


def test_short_texts_share_a_place() -> None:
    document = read(drawing(*(element(f"e{n}", f"label {n}", 0, n * 50) for n in range(6))))
    assert [place.name for place in document.places] == ["element=e0"]
    assert document.text.split("\n") == [f"label {n}" for n in range(6)]


def test_text_is_read_as_it_was_typed_not_as_it_is_wrapped() -> None:
    wrapped = element("a", "one long\nsentence", originalText="one long sentence")
    assert read(drawing(wrapped)).text == "one long sentence"


def test_a_frame_is_a_heading() -> None:
    frame = {"id": "f", "type": "frame", "name": "Sprint 4", "x": 0, "y": 0}
    frame |= {"width": 500, "height": 500}
    document = read(drawing(element("in", "inside", 10, 10), frame, element("o", "out", 0, 900)))
    assert [(one.level, one.text) for one in document.headings] == [(1, "Sprint 4")]
    assert document.text.split("\n") == ["Sprint 4", "inside", "out"]


@pytest.mark.parametrize("kind", ["json", "compressed-json"])
def test_a_drawing_in_markdown_has_its_listed_texts_in_the_order_of_the_drawing(kind: str) -> None:
    source = drawing(element("bbbb", "drawn low", 0, 400), element("aaaa", "drawn top"))
    block = source if kind == "json" else compress(source)
    text = in_markdown(
        "see [[Seeds]] below ^bbbb\n\ntwo\nlines ^aaaa\n", f"```{kind}\n{block}\n```"
    )
    document = read(text, "Drawings/a.excalidraw.md")
    assert document.text.split("\n") == ["two", "lines", "see Seeds below"]
    assert [link.target for link in document.links] == ["Seeds"]
    assert document.warnings == ()


def test_a_compressed_drawing_without_a_list_is_read() -> None:
    block = compress(drawing(element("a", "only in the drawing")))
    text = in_markdown("", f"```compressed-json\n{block[:40]}\n\n{block[40:]}\n```")
    assert read(text, "a.excalidraw.md").text == "only in the drawing"


def test_the_list_is_read_if_the_drawing_is_damaged() -> None:
    text = in_markdown("kept ^aaaa\n", "```compressed-json\n!!!\n```")
    document = read(text, "a.excalidraw.md")
    assert (document.text, document.warnings) == ("kept", (DRAWING_UNREAD,))


def test_the_note_beside_a_drawing_is_read_first() -> None:
    text = in_markdown("label ^aaaa\n", "```json\n{}\n```", above="# My notes\nabout the garden\n")
    document = read(text, "a.excalidraw.md")
    assert [place.name for place in document.places] == ["section=1", "element=aaaa"]
    assert [one.text for one in document.headings] == ["My notes"]
    assert "EXCALIDRAW VIEW" not in document.text


def test_an_old_drawing_in_markdown_is_read() -> None:
    text = "---\nexcalidraw-plugin: parsed\n---\n# Text Elements\nold ^aaaa\n# Drawing\n```json\n"
    assert read(f"{text}{drawing()}\n```", "a.excalidraw.md").text == "old"


def test_a_link_of_a_shape_is_read() -> None:
    shape = {"id": "r", "type": "rectangle", "x": 0, "y": 0, "link": "[[Seeds]]"}
    document = read(drawing(shape))
    assert [link.target for link in document.links] == ["Seeds"]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"elements": 5}', "[" * 100_000])
def test_what_is_not_a_drawing_is_refused(text: str) -> None:
    assert read_excalidraw("a.excalidraw", text.encode()) == Unreadable(NOT_A_DRAWING)


def test_an_empty_file_is_an_empty_drawing() -> None:
    assert read("") == Document("")
