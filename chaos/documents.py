"""Makes small documents of several kinds from paragraphs. The same paragraphs give the same bytes.

It never touches a disk.
"""

import json
from collections.abc import Sequence

SUFFIXES = (".pdf", ".pdf", ".canvas", ".txt", ".org")
LINES_ON_A_PAGE = 6

_FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
_PAGE = (
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
    b" /Resources << /Font << /F1 3 0 R >> >> >>"
)


def make_document(suffix: str, paragraphs: Sequence[str]) -> bytes:
    """A document of the kind with this suffix. Each paragraph is one line."""
    if suffix == ".pdf":
        return _pdf(paragraphs)
    if suffix == ".canvas":
        return _canvas(paragraphs)
    heading = "* " if suffix == ".org" else ""
    return (heading + "\n\n".join(paragraphs) + "\n").encode()


def _canvas(paragraphs: Sequence[str]) -> bytes:
    nodes = [
        {"id": f"n{at}", "type": "text", "text": text, "x": 0, "y": 200 * at, "width": 300}
        for at, text in enumerate(paragraphs)
    ]
    return json.dumps({"nodes": nodes, "edges": []}).encode()


def _pdf(paragraphs: Sequence[str]) -> bytes:
    """A few lines on each page. Letters and digits only, so that nothing has to be escaped."""
    pages = [
        paragraphs[at : at + LINES_ON_A_PAGE] for at in range(0, len(paragraphs), LINES_ON_A_PAGE)
    ]
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        _FONT,
    ]
    for at, lines in enumerate(pages):
        drawn = b"\n".join(
            b"BT /F1 11 Tf 72 %d Td (%s) Tj ET" % (760 - 30 * row, line.encode("ascii"))
            for row, line in enumerate(lines)
        )
        objects.append(_PAGE % (5 + 2 * at))
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
    return _file_of(objects)


def _file_of(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\n" % (len(objects) + 1)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)
