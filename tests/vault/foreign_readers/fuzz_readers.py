"""Feeds damaged files to the process that reads documents, and counts what happens.

    python -m tests.vault.foreign_readers.fuzz_readers --kind pdf --count 10000 --seed 1 [FILE ...]

A crash, a hang or a lack of memory may happen: it costs the process one file. What must not happen
is an error in the daemon's own process, a defect in the readers' own code, or a document that
breaks the rules. The seed and the number of a file reproduce it; `--keep` writes bad ones down.
"""

import argparse
import random
import sys
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from structlog.testing import capture_logs

from ragd.notes.documents.model import Document
from ragd.vault.document_worker import DocumentWorker
from tests.vault.foreign_readers import office_files, pdf_files

WITHIN_S = 20.0
MARKS = {
    "pdf": (
        *(b"obj", b"endobj", b"stream", b"endstream", b"<<", b">>", b"[", b"]", b"/Kids", b"/Type"),
        *(b"/Parent", b"/Font", b"/FlateDecode", b"/ASCIIHexDecode", b"/LZWDecode", b"/Length"),
        *(b" 0 R", b"-1", b"2147483648", b"99999999999", b"(", b")", b"BT", b"Tf", b"/Contents"),
    ),
    "docx": (
        *(
            b"<w:p>",
            b"</w:p>",
            b"<w:tbl>",
            b"</w:tc>",
            b"<w:r>",
            b"w:val",
            b"<!DOCTYPE a [",
            b"&a;",
        ),
        *(b"<mc:Fallback>", b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\xff\xff\xff\xff"),
    ),
    "epub": (
        *(b"<p>", b"</p>", b"<script>", b"<svg>", b"<!--", b"]]>", b"<![CDATA[", b"&#x110000;"),
        *(b"../", b"<itemref", b"PK\x03\x04", b"PK\x01\x02", b"\xff\xff\xff\xff", b"<!DOCTYPE"),
    ),
    "image": (b"IHDR", b"IDAT", b"\xff\xd8", b"\xff\xc0", b"\xff\xff\xff\xff", b"acTL", b"eXIf"),
}


class Outcome(NamedTuple):
    """What all files of a run led to, and the numbers of those that must not be."""

    counts: Counter[str]
    defects: list[str]
    slowest_s: float


def samples(kind: str, files: Sequence[bytes] = ()) -> list[bytes]:
    """Good files to damage."""
    if kind == "pdf":
        return [*pdf_samples(), *files]
    if kind == "image":
        from tests.vault.foreign_readers.test_images import picture_of

        kinds = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP")
        # The models enlarge the shorter side to 736 pixels, so a small square is read quickest.
        small = [picture_of((30, "boat"), kind=one, size=(120, 120)) for one in kinds]
        return [*small, *files]
    return [office_files.simple_docx() if kind == "docx" else office_files.simple_epub(), *files]


def pdf_samples() -> list[bytes]:
    body = ["The ferry to the island leaves at seven", "in the morning and comes back at nine."]
    packed = pdf_files.PdfFile()
    for _ in range(3):
        packed.add_page(pdf_files.drawn(pdf_files.column(body)), packed=True)
    packed.set_info(Title="Ferry", CreationDate="D:20240101")
    return [
        packed.data(),
        pdf_files.pdf_of(pdf_files.column(body), [], pdf_files.column(body)),
        pdf_files.font_without_map(),
        pdf_files.encrypted_pdf(),
        pdf_files.recursive_page_tree(),
        pdf_files.recursive_forms(2),
    ]


def mutations(kind: str, seed: int, files: Sequence[bytes]) -> Iterator[bytes]:
    """Damaged files without end, always the same for a seed."""
    source = random.Random(seed)
    good = samples(kind, files)
    while True:
        data = source.choice(good)
        if kind in ("docx", "epub") and source.random() < 0.6:
            yield damaged_parts(source, data, MARKS[kind])
        elif kind == "pdf" and source.random() < 0.3:
            yield damaged_streams(source, data, MARKS[kind])
        else:
            yield damaged(source, data, MARKS[kind])


def damaged(source: random.Random, data: bytes, marks: Sequence[bytes]) -> bytes:
    """Data with some changes."""
    found = bytearray(data)
    for _ in range(source.choice((1, 1, 2, 4, 8, 32))):
        at = source.randrange(len(found) + 1)
        length = source.choice((1, 2, 4, 16, 200))
        match source.randrange(7):
            case 0:
                found[at : at + 1] = bytes([source.randrange(256)])
            case 1:
                del found[at : at + length]
            case 2:
                found[at:at] = found[at : at + length] * source.choice((1, 2, 50))
            case 3:
                found[at:at] = source.choice(marks)
            case 4:
                mark = source.choice(marks)
                found[at : at + len(mark)] = mark
            case 5:
                other = source.randrange(len(found) + 1)
                found[at : at + length] = found[other : other + length]
            case 6:
                if source.random() < 0.1:
                    del found[at:]
    return bytes(found)


def damaged_parts(source: random.Random, data: bytes, marks: Sequence[bytes]) -> bytes:
    """A good archive, one of whose files is damaged."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = source.choice([name for name in parts if parts[name]])
    parts[name] = damaged(source, parts[name], marks)
    return office_files.zip_of(parts)


def damaged_streams(source: random.Random, data: bytes, marks: Sequence[bytes]) -> bytes:
    """A PDF whose packed content is damaged before it is packed."""
    begin = data.find(b"/FlateDecode >>\nstream\n")
    end = data.find(b"\nendstream", begin)
    if begin < 0 or end < 0:
        return damaged(source, data, marks)
    begin += len(b"/FlateDecode >>\nstream\n")
    try:
        content = zlib.decompress(data[begin:end])
    except zlib.error:
        return damaged(source, data, marks)
    packed = zlib.compress(damaged(source, content, marks))
    return data[:begin] + packed + data[end:]


def fuzz(
    kind: str,
    count: int,
    seed: int,
    files: Sequence[bytes] = (),
    keep: Callable[[int, bytes], None] = lambda number, data: None,
    worker: DocumentWorker | None = None,
) -> Outcome:
    """Read `count` damaged files."""
    outcome = Outcome(Counter(), [], 0.0)
    used = worker or DocumentWorker(within_s=WITHIN_S)
    slowest = 0.0
    for number, data in zip(range(count), mutations(kind, seed, files), strict=False):
        began = time.monotonic()
        with capture_logs() as logged:
            found = used.read(kind, data)
        slowest = max(slowest, time.monotonic() - began)
        outcome.counts["read" if isinstance(found, Document) else found.reason] += 1
        for line in logged:
            outcome.counts[f"({line['event']})"] += 1
            if line["event"] == "document_reader_failed":
                outcome.defects.append(f"{number}: {line['error']}")
                keep(number, data)
    if worker is None:
        used.close()
    return outcome._replace(slowest_s=slowest)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kind", choices=sorted(MARKS), required=True)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="a folder for files that show a defect")
    parser.add_argument("files", nargs="*", type=Path, help="more files to damage")
    chosen = parser.parse_args()

    def keep(number: int, data: bytes) -> None:
        if chosen.keep:
            chosen.keep.mkdir(parents=True, exist_ok=True)
            (chosen.keep / f"{chosen.kind}-{chosen.seed}-{number}").write_bytes(data)

    files = [path.read_bytes() for path in chosen.files]
    outcome = fuzz(chosen.kind, chosen.count, chosen.seed, files, keep)
    print(f"{chosen.kind}, seed {chosen.seed}: slowest {outcome.slowest_s:.1f} s")
    for what, number in outcome.counts.most_common():
        print(f"{number:8,} {what}")
    print(*outcome.defects, sep="\n")
    return bool(outcome.defects)


if __name__ == "__main__":
    sys.exit(main())
