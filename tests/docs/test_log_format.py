"""docs/log-format.md: its lines are real, its reader works, its numbers equal the code."""

import re
import subprocess
import sys
from pathlib import Path

import msgspec

from ragd.eventlog import append, frame, snapshot
from ragd.events import PART_MAX_BYTES, RECORD_MAX_BYTES, FilesChanged, HealthChanged
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "log-format.md").read_text(encoding="utf-8")
LINES = [line.encode() for line in re.findall(r"^[0-9a-f]{8} \{.*\}$", PAGE, re.M)]
GOLDEN = sorted((ROOT / "tests" / "golden").glob("v*/events/*.ndjson"))


def test_the_lines_it_shows_can_be_decoded_and_come_out_the_same() -> None:
    header, *records = LINES
    assert frame.encode_header(frame.decode_header(header)) == header + b"\n"
    assert len(records) == 3
    for line in records:
        assert frame.encode(frame.decode(line)) == line + b"\n"
    assert isinstance(frame.decode(records[1]).event, HealthChanged)
    assert isinstance(frame.decode(records[2]).event, FilesChanged)


def test_every_field_of_a_record_is_explained() -> None:
    told = re.findall(r"^\| `(\w+)` \|", PAGE, re.M)
    assert told == list(msgspec.json.decode(LINES[1][frame.PREFIX_BYTES :]))


def test_the_reader_on_the_page_reads_every_golden_log() -> None:
    script = re.search(r"^```python\n(.*?)^```", PAGE, re.S | re.M)
    assert script is not None and GOLDEN
    done = subprocess.run(
        [sys.executable, "-c", script[1], *GOLDEN],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    lines = sum(path.read_bytes().count(b"\n") for path in GOLDEN)
    assert len(done.stdout.splitlines()) == lines - len(GOLDEN)  # headers are no records


def test_the_reader_on_the_page_notices_damage(tmp_path: Path) -> None:
    script = re.search(r"^```python\n(.*?)^```", PAGE, re.S | re.M)
    assert script is not None
    bad = tmp_path / "0000000000000001.ndjson"
    bad.write_bytes(GOLDEN[0].read_bytes().replace(b'"batcher"', b'"butcher"', 1))
    done = subprocess.run(
        [sys.executable, "-c", script[1], bad], capture_output=True, timeout=PATIENCE_S
    )
    assert done.returncode != 0 and b"damaged" in done.stderr


def test_its_numbers_are_those_of_the_code() -> None:
    mib = 1024 * 1024
    assert f"at most {RECORD_MAX_BYTES:,} bytes" in PAGE
    assert f"under {PART_MAX_BYTES // 1024} KiB" in PAGE
    assert f"after {append.SEGMENT_MAX_BYTES // mib} MiB" in PAGE
    assert f"every {snapshot.EVERY_RECORDS:,} records" in PAGE
    assert f"over {snapshot.RETENTION_BYTES // mib} MiB" in PAGE
    assert f"after {snapshot.RETENTION_DAYS} days" in PAGE
    assert f"`format` is {frame.FORMAT};" in PAGE
