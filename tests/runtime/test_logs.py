"""The log for people: JSON lines, private, rotating, without text from notes."""

import json
import logging
import os
import stat
import warnings
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import pytest
import structlog

from ragd.runtime import logs


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """Logging as the daemon has it; afterwards as pytest had it."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    file = tmp_path / "logs" / "ragd.log"
    logs.configure(file)
    yield file
    for handler in root.handlers:
        handler.close()
    root.handlers[:], level = before
    root.setLevel(level)
    logging.captureWarnings(False)
    structlog.reset_defaults()


def handler() -> RotatingFileHandler:
    """The daemon's own handler; pytest adds some of its own."""
    [found] = [h for h in logging.getLogger().handlers if isinstance(h, RotatingFileHandler)]
    return found


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_is_json_with_time_and_level(path: Path) -> None:
    structlog.get_logger("x").info("something", number=5)
    [line] = lines(path)
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "something", "level": "info", "number": 5}


def test_debug_is_left_out(path: Path) -> None:
    structlog.get_logger("x").debug("chatter")
    structlog.get_logger("x").info("word")
    assert [line["event"] for line in lines(path)] == ["word"]


def test_of_libraries_only_the_origin_the_level_and_the_type_are_kept(path: Path) -> None:
    try:
        raise ValueError("CANARY in the exception")
    except ValueError:
        logging.getLogger("aiohttp.server").exception("CANARY %s", "CANARY", stack_info=True)
    [line] = lines(path)
    line.pop("timestamp")
    assert line == {
        "event": "a library reported something",
        "exception": "ValueError",
        "level": "error",
        "library": "aiohttp.server",
    }


def test_a_childs_name_does_not_pass_for_ours(path: Path) -> None:
    logging.getLogger("ragd.other").error("CANARY")
    logging.getLogger("asyncio").warning("CANARY")
    assert "CANARY" not in path.read_text()
    assert len(lines(path)) == 2


def test_warnings_are_as_discreet(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(True)
        warnings.warn("CANARY", UserWarning, stacklevel=1)
    assert [line["library"] for line in lines(path)] == ["py.warnings"]
    assert "CANARY" not in path.read_text()


def test_it_rotates_and_every_file_of_it_is_private(path: Path) -> None:
    mask = os.umask(0)
    try:
        handler().maxBytes = 500
        for n in range(100):
            structlog.get_logger("x").info("line", number=n)
    finally:
        os.umask(mask)
    files = sorted(path.parent.iterdir())
    assert [f.name for f in files] == ["ragd.log", *(f"ragd.log.{i}" for i in (1, 2, 3))]
    assert {stat.S_IMODE(f.stat().st_mode) for f in files} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert lines(path)[-1]["number"] == 99
    assert all(f.stat().st_size <= 500 for f in files)


def test_the_limits_are_set() -> None:
    assert (logs.MAX_BYTES, logs.BACKUPS) == (5 * 1024 * 1024, 3)


def test_a_file_that_was_readable_by_others_is_tightened(tmp_path: Path, path: Path) -> None:
    path.touch(mode=0o644)
    path.chmod(0o644)
    structlog.get_logger("x").info("word")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_disk_costs_a_line_and_prints_nothing(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    class Full:
        def write(self, text: str) -> None:
            raise OSError(28, "No space left on device")

        def flush(self) -> None: ...

        def close(self) -> None: ...

        def seek(self, *_: int) -> None: ...

        def tell(self) -> int:
            return 0

    handler().stream = Full()  # type: ignore[assignment]
    logging.getLogger("library").error("CANARY")
    structlog.get_logger("x").info("word")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("odd", ["\udce9.md", 2**70, {"nested": "\ud800"}, b"bytes", {1: 2}])
def test_what_orjson_refuses_is_a_line_all_the_same(path: Path, odd: Any) -> None:
    structlog.get_logger("x").info("odd", value=odd)
    [line] = lines(path)
    assert line["event"] == "odd"
    assert "value" in line


def test_a_line_holds_text_of_any_script_and_is_one_line(path: Path) -> None:
    structlog.get_logger("x").info("Gewürzregal 读书 👩‍👧", text="a\nb\x00\x7f")
    assert path.read_bytes().count(b"\n") == 1
    [line] = [json.loads(one) for one in path.read_bytes().splitlines()]
    assert (line["event"], line["text"]) == ("Gewürzregal 读书 👩‍👧", "a\nb\x00\x7f")
