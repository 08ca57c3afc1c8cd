"""Real-world shapes of each kind of document, from which the fuzzer makes its mutations."""

import json
from pathlib import Path

from tests.notes.documents.compressed import compress
from tests.notes.documents.test_excalidraw import drawing, element, in_markdown
from tests.notes.documents.test_text_readers import ORG, RST
from tests.notes.documents.test_web_page import PAGE
from tests.notes.documents.transcripts import conversation

CANVAS = json.dumps(
    {
        "nodes": [
            {"id": "g1", "type": "group", "label": "Plans", "x": -20, "y": -20}
            | {"width": 900, "height": 600, "color": "4"},
            {"id": "a1", "type": "text", "text": "# Garden\nwater the #plants\n- [ ] soon"}
            | {"x": 0, "y": 0, "width": 250, "height": 60},
            {"id": "b2", "type": "file", "file": "Ideas/My garden.md", "subpath": "#Spring"}
            | {"x": 300, "y": 0, "width": 400, "height": 400},
            {"id": "c3", "type": "link", "url": "https://example.com/a?b=c", "x": 0, "y": 400}
            | {"width": 250, "height": 60},
        ],
        "edges": [
            {"id": "e1", "fromNode": "a1", "fromSide": "right", "toNode": "b2", "label": "see"},
        ],
    },
    indent="\t",
)
DRAWING = drawing(
    element("a1", "wrapped\nhere", 0, 10, originalText="wrapped here"),
    {"id": "f1", "type": "frame", "name": "Sprint", "x": 0, "y": 0, "width": 500, "height": 90},
    element("b2", "see [[Seeds]]", 400, 10, link="[[Seeds]]"),
    {"id": "i1", "type": "image", "fileId": "abc", "x": 1.5, "y": -3e2},
)
SESSION = conversation(
    "Where is the **heron**?", "At the [[Weir]].\n\n# Birds\n- heron\n- kingfisher", "password: x1"
)
NOTES = sorted((Path(__file__).parents[3] / "examples" / "vault").rglob("*.md"))
SAMPLES: dict[str, list[bytes]] = {
    "a.md": [note.read_bytes() for note in NOTES],
    "a.jsonl": [SESSION],
    "@sessions/main/a.jsonl": [SESSION],
    "a.canvas": [CANVAS.encode(), json.dumps(json.loads(CANVAS)).encode()],
    "a.excalidraw": [DRAWING.encode()],
    "a.excalidraw.md": [
        in_markdown("see [[Seeds]] ^b2\n\ntwo\nlines ^a1\n", f"```json\n{DRAWING}\n```").encode(),
        in_markdown(
            "see ^b2\n", f"```compressed-json\n{compress(DRAWING)}\n```", "# Beside\nit\n"
        ).encode(),
    ],
    "a.txt": [
        b"A letter.\n\nDear Ada,\r\nsee [[Note]].\n",
        "日本語のメモ\n".encode("shift_jis") * 9,
    ],
    "a.org": [ORG.encode()],
    "a.rst": [RST.encode()],
    "a.html": [PAGE.encode(), PAGE.replace("\n", "").encode(), PAGE.encode("utf-16")],
}
