"""docs/protocol.md: its table of codes equals the code."""

import re
from pathlib import Path

from ragd.errors import CODES

ROOT = Path(__file__).parents[2]


def test_the_table_of_codes_is_the_one_in_the_code() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text()
    rows = re.findall(r"^\| ([A-Z_]+) \| ([a-z ]+) \| (yes|no) \|$", page, re.M)
    told = {code: (status, retry) for code, status, retry in rows}
    assert told == {
        code: (kind.status or "as it is", "yes" if kind.recoverable else "no")
        for code, kind in CODES.items()
    }
