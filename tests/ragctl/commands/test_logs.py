"""`ragctl logs`: the daemon's own log, for people."""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragctl.commands import logs
from ragd.paths import Home
from tests.ragctl.conftest import Ragctl, StartProcess


@pytest.fixture
def log(home: Home) -> Path:
    path = Path(home.log_file)
    path.parent.mkdir()
    return path


def line(event: str, **more: object) -> str:
    said = {"event": event, "level": "info", "timestamp": "2026-11-15T14:30:00.123456Z"}
    return json.dumps({**said, **more}) + "\n"


def test_lines_are_shown_for_people(ragctl: Ragctl, log: Path) -> None:
    log.write_text(line("started", pid=7) + line("trouble", level="error", why="two words"))
    first, second = ragctl("logs").lines
    assert first[19:] == " info     started pid=7"
    assert second[19:] == ' error    trouble why="two words"'


def test_only_the_last_lines_are_shown(ragctl: Ragctl, log: Path) -> None:
    log.write_text("".join(line(f"line {n}") for n in range(100)))
    assert len(ragctl("logs").lines) == 20
    shown = ragctl("logs", "-n", "2").lines
    assert [text.split()[-1] for text in shown] == ["98", "99"]
    assert ragctl("logs", "-n", "0").out == ""


def test_a_short_file_is_completed_from_the_rotated_one(ragctl: Ragctl, log: Path) -> None:
    Path(f"{log}.1").write_text(line("older") + line("old"))
    log.write_text(line("new"))
    assert [text.split()[-1] for text in ragctl("logs", "-n", "2").lines] == ["old", "new"]


def test_json_is_the_file_unchanged(ragctl: Ragctl, log: Path) -> None:
    log.write_text(line("started", path="ü.md"))
    assert ragctl("logs", "--json").out == log.read_text()


def test_lines_that_are_not_json_are_shown_safely(ragctl: Ragctl, log: Path) -> None:
    log.write_bytes(b"plain \x1b[31m words\n[1]\n\xff\xfe\n")
    assert ragctl("logs").lines == ["plain \\x1b[31m words", "[1]", "\ufffd\ufffd"]


def test_a_missing_log_is_a_sentence(ragctl: Ragctl) -> None:
    result = ragctl("logs")
    assert result.code == 1 and "has not run in this home" in result.err


def test_following_survives_rotation_and_reads_only_complete_lines(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log.write_bytes(b"first\nhal")
    steps: Iterator[Callable[[], object]] = iter(
        [
            lambda: log.write_bytes(b"first\nhalf\nlast of the old\n"),
            lambda: os.rename(log, f"{log}.1"),
            lambda: log.write_bytes(b"first of the new\n"),
            lambda: log.write_bytes(b"cut\n"),
        ]
    )
    monkeypatch.setattr(time, "sleep", lambda _: next(steps)())
    file = log.open("rb")
    assert logs.last_lines(str(log), file, 5) == [b"first\n"]
    lines = logs.new_lines(str(log), file)
    assert next(lines) == b"half"
    assert next(lines) == b"last of the old"
    assert next(lines) == b"first of the new"
    assert next(lines) == b"cut"
    lines.close()


def test_following_waits_for_a_missing_log(process: StartProcess, home: Home) -> None:
    child = process("logs", "-f")
    assert "waiting for it" in child.stderr.readline()
    path = Path(home.log_file)
    path.parent.mkdir()
    path.write_text(line("started"))
    assert "started" in child.stdout.readline()
