"""Canvases: nodes, groups, edges, in reading order."""

import json
from pathlib import Path
from typing import Any

import pytest

from ragd.notes.documents import canvas as module
from ragd.notes.documents.canvas import NOT_A_CANVAS, read_canvas
from ragd.notes.documents.model import Document, Unreadable


def node(name: str, text: str, x: float = 0, y: float = 0, **more: Any) -> dict[str, Any]:
    size = {"width": 250, "height": 60}
    return {"id": name, "type": "text", "text": text, "x": x, "y": y, **size, **more}


def read(*nodes: dict[str, Any], edges: list[dict[str, Any]] | None = None) -> Document:
    data = json.dumps({"nodes": nodes, "edges": edges or []}).encode()
    found = read_canvas("Boards/plan.canvas", data)
    assert isinstance(found, Document)
    return found


def places(document: Document) -> list[tuple[str, str]]:
    """Each place with its text."""
    lines = document.text.split("\n")
    ends = [place.line - 1 for place in document.places[1:]] + [len(lines)]
    return [
        (place.name, "\n".join(lines[place.line - 1 : end]).strip())
        for place, end in zip(document.places, ends, strict=True)
    ]


def test_nodes_are_read_from_top_to_bottom_and_from_left_to_right() -> None:
    document = read(
        node("low", "this one is at the bottom", 0, 500),
        node("right", "this one is on the right", 400, 12),
        node("left", "this one is on the left", 0, 20),
    )
    assert [name for name, _ in places(document)] == ["node=left", "node=right", "node=low"]


def test_a_group_is_a_heading_above_its_nodes() -> None:
    document = read(
        node("far", "a node outside of all groups", 0, 2000),
        node("in", "a node inside of the group", 120, 120),
        {"id": "g", "type": "group", "label": "Garden", "x": 100, "y": 100, "width": 500}
        | {"height": 500},
        node("later", "another node of that group", 120, 300),
    )
    (heading,) = document.headings
    assert (heading.text, heading.level) == ("Garden", 1)
    assert places(document) == [
        ("node=in", "Garden\na node inside of the group"),
        ("node=later", "another node of that group"),
        ("node=far", "a node outside of all groups"),
    ]


def test_a_group_without_nodes_is_a_place() -> None:
    box = {"x": 0, "y": 0, "width": 10, "height": 10}
    document = read(
        {"id": "g", "type": "group", "label": "Empty", **box}, node("n", "outside of it", 0, 99)
    )
    assert places(document) == [("node=g", "Empty"), ("node=n", "outside of it")]
    assert [one.text for one in document.headings] == ["Empty"]


def test_groups_may_be_nested_and_identical() -> None:
    box = {"x": 0, "y": 0, "width": 900, "height": 900}
    document = read(
        {"id": "a", "type": "group", "label": "Outer", **box},
        {"id": "b", "type": "group", "label": "Same", **box},
        {"id": "c", "type": "group", "label": "Inner", **box, "width": 400, "height": 400},
        node("n", "a node in all of them", 10, 10),
    )
    assert [(one.text, one.level) for one in document.headings] == [
        ("Same", 1),
        ("Outer", 2),
        ("Inner", 3),
    ]


def test_headings_in_a_node_are_headings_and_those_in_code_are_not() -> None:
    document = read(node("n", "# Plans\nwater the plants\n```sh\n# a comment\n```\n## Next\nrest"))
    assert [(one.line, one.level, one.text) for one in document.headings] == [
        (1, 1, "Plans"),
        (6, 2, "Next"),
    ]


def test_labels_of_edges_are_read_with_the_node_where_they_begin() -> None:
    document = read(
        node("a", "the rate of interest rises"),
        node("b", "# Demand falls\nand prices too", 0, 300),
        edges=[{"id": "e", "fromNode": "a", "toNode": "b", "label": "leads to"}],
    )
    assert places(document)[0] == (
        "node=a",
        "the rate of interest rises\nleads to → Demand falls",
    )


def test_linked_files_are_text_and_links() -> None:
    document = read(
        {"id": "f", "type": "file", "file": "Ideas/My garden.md", "subpath": "#Spring"}
        | {"x": 0, "y": 0, "width": 10, "height": 10},
        node("n", "see [[Seeds|the seeds]] for this year", 0, 50),
    )
    assert "My garden > Spring" in document.text
    assert "see the seeds for this year" in document.text
    assert {link.target for link in document.links} == {"Ideas/My garden", "Seeds"}


def test_a_node_of_a_word_or_two_shares_the_place_of_its_neighbour() -> None:
    document = read(
        node("a", "tulips"), node("b", "roses and lilies", 0, 100), node("c", "moss", 0, 200)
    )
    assert places(document) == [("node=a", "tulips\nroses and lilies"), ("node=c", "moss")]


def test_an_empty_canvas_is_an_empty_document() -> None:
    for data in (b"", b"\n", b"{}", b'{"nodes":[],"edges":[]}'):
        assert read_canvas("a.canvas", data) == Document("")


@pytest.mark.parametrize(
    "data",
    [b"{", b"[]", b"12", b"no json", b"[" * 100_000, b'{"nodes":[{"id":}]}'],
)
def test_what_is_not_a_canvas_is_refused(data: bytes) -> None:
    assert read_canvas("a.canvas", data) == Unreadable(NOT_A_CANVAS)


def test_fields_of_a_wrong_type_are_ignored() -> None:
    wrong = [1, None, "x", {"id": 5, "text": ["a"], "x": "0", "y": None}, {"text": "kept"}]
    data = json.dumps({"nodes": wrong, "edges": {"a": 1}}).encode()
    found = read_canvas("a.canvas", data)
    assert isinstance(found, Document)
    assert found.text == "kept"
    assert [place.name for place in found.places] == ["node=unnamed"]


def test_an_id_cannot_break_a_citation() -> None:
    document = read(node("a b#c\n<script>", "four words are here"))
    assert [place.name for place in document.places] == ["node=a%20b%23c%0A%3Cscript%3E"]


def test_markup_in_a_node_is_removed() -> None:
    document = read(node("n", "before <script>alert(1)</script> %%hidden%% after"))
    assert document.text.split() == ["before", "after"]


def test_too_many_nodes_are_left_out_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_NODES", 3)
    document = read(*[node(str(n), f"this is node number {n}", 0, n * 100) for n in range(5)])
    assert document.warnings == ("3 of 5 nodes were read",)
    assert len(document.places) == 3


def test_a_canvas_of_a_real_vault_is_read(shared: Path) -> None:
    (file,) = (shared / "vaults" / "obsidian-tasks-demo").rglob("*.canvas")
    found = read_canvas(file.name, file.read_bytes())
    assert isinstance(found, Document)
    assert len(found.places) > 3
    assert "Get the content of the file:" in found.text
    assert "Tags in Frontmatter" in {link.target for link in found.links}
