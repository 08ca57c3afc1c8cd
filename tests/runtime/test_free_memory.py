"""Whether the machine lacks memory."""

from pathlib import Path

import pytest

from ragd.runtime.free_memory import is_memory_short


@pytest.mark.parametrize(
    ("text", "is_short"),
    [
        ("MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 100 kB\n", False),
        ("MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 99 kB\n", True),
        ("MemTotal: 1000 kB\n", False),
        ("MemTotal:\nMemAvailable: many\n", False),
        ("", False),
    ],
)
def test_less_than_a_tenth_is_short(tmp_path: Path, text: str, is_short: bool) -> None:
    file = tmp_path / "meminfo"
    file.write_text(text)
    assert is_memory_short(str(file)) == is_short


def test_a_system_that_does_not_report_it_has_enough(tmp_path: Path) -> None:
    assert not is_memory_short(str(tmp_path / "missing"))
