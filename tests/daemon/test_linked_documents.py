"""Links between notes and documents are followed in both directions: a real daemon, words only."""

import time
from collections.abc import Iterator

import pytest

from chaos.documents import make_document
from tests.daemon.searches import WITHIN_S, Vault, serve_text

STRONG = "The telescope mirror was polished in the workshop; the telescope mirror shines."
# It shares only one word with the question, so it is found by its link alone.
GLASS = ["Glass blanks come from Jena", "The telescope costs nothing", "Bring cash and a sandwich"]
SHAPES = "Seven springs hold the telescope; the road is long, the dog bites, the bell is broken."
NOTES = {
    **{f"Log/Mirror day {number}.md": f"{STRONG} Day {number}.\n" for number in range(9)},
    "Telescope mirror.md": f"# Work\n{STRONG}\n# More\nThe blanks: ![[glass.pdf#page=1]].\n",
    "Papers/glass.pdf": make_document(".pdf", GLASS).decode(),
    "glass.md": "Glasses to drink from. The telescope is in the cupboard, next to the plates.\n",
}


def serve(notes: dict[str, str]) -> Iterator[Vault]:
    with serve_text(notes, indexing={"file_patterns": ["*.md", "*.pdf", "*.canvas"]}) as vault:
        end = time.monotonic() + WITHIN_S
        while vault.get("/v1/status").data["total_docs"] < len(notes):  # a document comes later
            assert time.monotonic() < end
            time.sleep(0.02)
        yield vault


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    yield from serve(NOTES)


@pytest.fixture(scope="module")
def canvases() -> Iterator[Vault]:
    strong = {"Mirror.pdf": make_document(".pdf", [STRONG.rstrip(".")] * 3).decode()}
    board = {"Board.canvas": make_document(".canvas", [SHAPES, "[[Mirror.pdf]]"]).decode()}
    days = {path: text for path, text in NOTES.items() if path.startswith("Log/")}
    yield from serve(days | strong | board)


def test_a_document_that_the_best_note_embeds_takes_the_reserved_place(vault: Vault) -> None:
    found = vault.search("telescope mirror", max_results=5)
    assert found.files[0] == "Telescope mirror.md"
    last = found.results[4]
    assert (last["source_file"], last["via"]) == (
        "Papers/glass.pdf",
        "linked from “Telescope mirror”",
    )
    assert last["citation"] == "Papers/glass.pdf#page=1"


def test_a_document_that_links_to_a_found_document_takes_it(canvases: Vault) -> None:
    found = canvases.search("telescope mirror", max_results=5)
    assert "Mirror.pdf" in found.files[:3]
    assert ("Board.canvas", "links to “Mirror”") in [
        (one["source_file"], one["via"]) for one in found.results
    ]
