"""Text in images. Most of these tests need the extra `ragd[ocr]`."""

import importlib.util
import struct
import sys
import tomllib
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from ragctl.views.status_report import not_included
from ragd.notes.documents.model import Document, Place, Unreadable
from ragd.vault.document_worker import DocumentWorker
from ragd.vault.foreign_readers import reasons
from ragd.vault.foreign_readers.__main__ import answer
from ragd.vault.foreign_readers.image_rows import ImageWord, paragraphs

ROOT = Path(__file__).parents[3]

needs_ocr = pytest.mark.skipif(
    importlib.util.find_spec("rapidocr") is None, reason="the extra ocr is not installed"
)


def png_of(width: int, height: int) -> bytes:
    """A PNG file that says it has this size, and has no more than one row."""

    def part(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    row = zlib.compress(bytes(width + 1))
    parts = part(b"IHDR", head) + part(b"IDAT", row) + part(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


def picture_of(
    *lines: tuple[int, str],
    frames: int = 1,
    kind: str = "PNG",
    size: tuple[int, int] = (900, 400),
) -> bytes:
    """An image of text, each line at its height."""
    from PIL import Image, ImageDraw, ImageFont

    picture = Image.new("RGB", size, "white")
    for top, text in lines:
        font = ImageFont.load_default(36)
        ImageDraw.Draw(picture).text((40, top), text, font=font, fill="black")
    out = BytesIO()
    more = {"save_all": True, "append_images": [picture] * (frames - 1)} if frames > 1 else {}
    picture.save(out, kind, **more)
    return out.getvalue()


def test_without_the_extra_the_reason_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    monkeypatch.delitem(sys.modules, "ragd.vault.foreign_readers.image_text", raising=False)
    assert answer("image", png_of(9, 1)).reason == reasons.NEEDS_OCR
    assert "`pip install '.[ocr]'`" in reasons.NEEDS_OCR


def test_the_command_for_pipx_installs_the_version_of_the_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (package,) = project["optional-dependencies"]["ocr"]
    command = f"`pipx inject ragd {package}`"
    assert command in reasons.NEEDS_OCR
    (line,) = not_included({"kinds": {"image": 1}, "patterns": []})
    assert command in line


@needs_ocr
def test_text_is_read_without_a_network(worker: DocumentWorker) -> None:
    """The process may not open a socket, so the models are on this machine."""
    lines = ((40, "The ferry leaves at seven."), (95, "Bring water."), (300, "Total 42.50"))
    found = worker.read("image", picture_of(*lines))
    assert found == Document(
        "The ferry leaves at seven.\nBring water.\n\nTotal 42.50", places=(Place(1, "image"),)
    )


@needs_ocr
@pytest.mark.parametrize("kind", ["JPEG", "WEBP", "BMP", "TIFF", "GIF"])
def test_every_kind_of_image_is_read(worker: DocumentWorker, kind: str) -> None:
    found = worker.read("image", picture_of((100, "seven boats"), kind=kind))
    assert isinstance(found, Document) and found.text == "seven boats"


@needs_ocr
def test_of_several_pictures_the_first_is_read(worker: DocumentWorker) -> None:
    found = worker.read("image", picture_of((100, "seven boats"), frames=3, kind="TIFF"))
    assert isinstance(found, Document)
    assert found.warnings == ("1 of 3 pictures were read",)


@needs_ocr
def test_an_image_without_text(worker: DocumentWorker) -> None:
    assert worker.read("image", picture_of()) == Unreadable(reasons.NO_TEXT)


@needs_ocr
@pytest.mark.parametrize("size", [(800, 1), (1, 2000), (5000, 40)])
def test_a_line_between_two_parts_of_a_page_has_no_text(
    worker: DocumentWorker, size: tuple[int, int]
) -> None:
    found = worker.read("image", picture_of((0, "seven boats"), size=size))
    assert found == Unreadable(reasons.NO_TEXT)


@needs_ocr
def test_an_image_of_a_huge_size_is_not_unpacked(worker: DocumentWorker) -> None:
    for width, height in ((60_000, 60_000), (60_000_000, 1), (9_000, 9_000)):
        found = worker.read("image", png_of(width, height))
        assert found == Unreadable(reasons.TOO_MANY_PIXELS)


CUT_IN_ITS_SECOND_PICTURE = bytes.fromhex(  # a GIF; the library raises struct.error
    "47494638376108000800810000ffffff0000000000000000002c000000000800080000080f0001081c48b0a0c183"
    "08132a4c18100021f90401000001002c0000"
)


@needs_ocr
@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"GIF89a", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"),
        *(png_of(900, 900)[:50], CUT_IN_ITS_SECOND_PICTURE),
    ],
)
def test_what_is_no_image_or_only_half_of_one(worker: DocumentWorker, data: bytes) -> None:
    assert worker.read("image", data) == Unreadable(reasons.DAMAGED)


def test_words_beside_each_other_are_a_row() -> None:
    words = [
        ImageWord("EUR", 300, 12, 42),
        ImageWord("Total", 10, 10, 40),
        ImageWord("42", 200, 8, 41),
        ImageWord("Thanks", 10, 50, 80),
        ImageWord("Page 1", 10, 300, 330),
    ]
    assert paragraphs(words) == ["Total 42 EUR\nThanks", "Page 1"]
    assert paragraphs([]) == []
