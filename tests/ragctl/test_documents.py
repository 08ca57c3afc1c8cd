"""Documents of every kind with a real daemon: found, cited, and shown again by their citations."""

import importlib.util
import json
from pathlib import Path
from urllib.parse import quote

import pytest

from ragctl.daemon.client import request
from ragd.notes.documents.kinds import default_patterns
from ragd.paths import Home
from tests.notes.documents.compressed import compress
from tests.notes.documents.test_excalidraw import drawing, element, in_markdown
from tests.ragctl.conftest import Ragctl
from tests.vault.foreign_readers.pdf_files import PdfFile, Printed, drawn, encrypted_pdf

pytestmark = pytest.mark.slow

CANVAS = {
    "nodes": [
        {"id": "a1", "type": "text", "text": "# Spring\nCount the kingfishers along the Cauvery"},
        {"id": "b2", "type": "text", "text": "Buy a longer lens for the camera", "y": 500},
    ]
}
DRAWING = compress(drawing(element("el1", "The observatory dome rotates on forty wheels")))
FILES = {
    "Herons.md": "# Herons\nThe grey heron nests near the weir.\n",
    "board.canvas": json.dumps(CANVAS),
    "dome.excalidraw.md": in_markdown("", f"```compressed-json\n{DRAWING}\n```"),
    "old.excalidraw": drawing(element("x9", "A lighthouse keeper polishes the lamp")),
    "letter.txt": "Dear Ada,\n\nthe landlord repairs the boiler on Thursday.\n",
    "plan.org": "* Compost\nTurn the compost heap every second Saturday.\n",
    "guide.rst": "Guide\n=====\nOil the bicycle chain after rain.\n",
    "clip.html": "<title>Sourdough</title>\n<h1>Feeding</h1>\n<p>Feed it with rye flour.</p>\n",
}
QUESTIONS = [
    ("grey heron weir", "markdown", "Herons.md#L1-L2"),
    ("kingfishers along the Cauvery", "canvas", "board.canvas#node=a1"),
    ("observatory dome wheels", "excalidraw", "dome.excalidraw.md#element=el1"),
    ("lighthouse keeper lamp", "excalidraw", "old.excalidraw#element=x9"),
    ("landlord repairs boiler", "text", "letter.txt#L1-L3"),
    ("compost heap", "text", "plan.org#L1-L2"),
    ("bicycle chain rain", "text", "guide.rst#L1-L3"),
    ("rye flour", "html", "clip.html#L2-L3"),
]


@pytest.fixture
def vault(home: Home, short: Path) -> Path:
    """The home's vault with a file of each kind, and a configuration that includes them."""
    root = short / "vault"
    for name, text in FILES.items():
        (root / name).write_text(text)
    patterns = {"file_patterns": list(default_patterns())}
    config = {"vault_path": str(root), "indexing": patterns, "embedding": {"provider": "embedded"}}
    Path(home.config).write_text(json.dumps(config))
    return root


def test_each_kind_is_found_and_its_citation_is_shown_again(
    ragctl: Ragctl, home: Home, vault: Path
) -> None:
    assert ragctl("index").code == 0
    for question, kind, cited in QUESTIONS:
        best = ragctl("search", question, "--json").json["data"]["results"][0]
        assert (best["kind"], best["citation"]) == (kind, cited)
        shown = ragctl("show", cited, "--json").json["data"]
        word = question.split()[-1]
        assert word in shown["text"] and word in best["chunk_text"]
        assert (shown["citation"], shown["kind"], shown["truncated"]) == (cited, kind, False)
        assert word in ragctl("show", cited).out
        whole = request(home, "GET", f"/v1/notes?path={quote(cited, safe='')}").data
        assert whole["text"] == shown["text"] or kind == "markdown"
    status = ragctl("status").out
    assert "2 notes, 1 canvas, 2 Excalidraw drawings, 3 text files and 1 web page" in status


def test_a_pdf_is_cited_by_its_page(ragctl: Ragctl, home: Home, vault: Path) -> None:
    if importlib.util.find_spec("pypdfium2") is None:
        pytest.skip("pypdfium2 is not installed")
    file = PdfFile()
    file.add_page(drawn([Printed("The wren is loud for its size.")]))
    file.add_page(drawn([Printed("The nightingale sings at midnight in May.")]))
    (vault / "song.pdf").write_bytes(file.data())
    (vault / "locked.pdf").write_bytes(encrypted_pdf())
    assert ragctl("index").code == 0
    assert ragctl("wait", "--for", "idle").code == 0
    best = ragctl("search", "nightingale at midnight", "--json").json["data"]["results"][0]
    assert (best["citation"], best["kind"], best["position"]) == (
        *("song.pdf#page=2", "pdf", "page=2"),
    )
    assert best["link"].endswith("song.pdf%23page%3D2")
    page = ragctl("show", "song.pdf#page=2").out
    assert "nightingale" in page and "wren" not in page
    whole = ragctl("show", "song.pdf").out
    assert whole.index("[page 1]") < whole.index("wren") < whole.index("[page 2]")
    assert ragctl("show", "song.pdf#page=3").code == 2
    status = ragctl("status", "--json").json["data"]
    assert status["failed"]["reasons"] == {"it is encrypted": 1}
    assert status["documents_waiting"] == {}


def test_an_old_configuration_reads_only_notes_and_says_what_it_leaves_out(
    ragctl: Ragctl, home: Home, vault: Path
) -> None:
    config = {"vault_path": str(vault), "embedding": {"provider": "embedded"}}
    Path(home.config).write_text(json.dumps(config))
    (vault / "photo.png").write_bytes(b"")
    assert ragctl("index").code == 0
    data = ragctl("status", "--json").json["data"]
    assert data["kinds"] == {"markdown": 2, "excalidraw": 1}
    left_out = {"canvas": 1, "excalidraw": 1, "text": 3, "html": 1, "image": 1}
    assert data["not_included"]["kinds"] == left_out
    shown = ragctl("status").out
    assert "1 image is not read" in shown
    patterns = json.dumps(data["not_included"]["patterns"])
    assert ragctl("config", "set", "indexing.file_patterns", patterns).code == 0
    assert ragctl("sync").code == 0
    assert ragctl("search", "compost heap", "--json").json["data"]["results"]
    assert ragctl("status", "--json").json["data"]["not_included"]["kinds"] == {"image": 1}
