"""docs/documents.md: its limits and reasons are those of the code."""

import re
from pathlib import Path

from ragd.notes import decoding
from ragd.notes.documents.canvas import NOT_A_CANVAS
from ragd.notes.documents.excalidraw import NOT_A_DRAWING
from ragd.vault import document_worker
from ragd.vault.document_reader import NO_WORKER
from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.reasons import REASONS

PAGE = (Path(__file__).parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")


def test_it_lists_every_reason_and_no_other() -> None:
    table = PAGE.partition("## When a file cannot be read")[2]
    listed = re.findall(r"^\| (.+?) \| .+ \|$", table, re.M)
    others = {NOT_A_CANVAS, NOT_A_DRAWING, NO_WORKER, *decoding.REASONS}
    assert sorted(listed[1:]) == sorted(REASONS | others)


def test_its_limits_are_those_of_the_code() -> None:
    rows = dict(re.findall(r"^\| ([\w .`-]+) \| (.+) \|$", PAGE, re.M))
    mib = limits.MIB
    assert rows["size of the file"] == f"{limits.INPUT_BYTES // mib} MB"
    assert rows["pages of a PDF"].startswith(f"{limits.PAGES:,};")
    assert rows["text of one file"].startswith(f"{limits.CHARACTERS:,} characters")
    assert rows["computing time"].startswith(f"{limits.CPU_S} s")
    assert rows["time on the clock"].startswith(f"{limits.WALL_S:g} s")
    gib = 1024 * mib
    memory = f"{limits.MEMORY_BYTES // gib} GB; {limits.OCR_MEMORY_BYTES // gib} GB for images"
    assert rows["memory"] == memory
    assert rows["unpacked content of a `.docx` or `.epub`"] == (
        f"{limits.ZIP_BYTES // mib} MB, {limits.ZIP_ENTRY_BYTES // mib} MB in one part, "
        f"{limits.ZIP_ENTRIES:,} parts, no part {limits.ZIP_RATIO} times its packed size"
    )
    assert rows["size of an image"] == f"{limits.IMAGE_PIXELS:,} pixels"
    assert f"ends after {document_worker.IDLE_S:g} s without work" in PAGE
