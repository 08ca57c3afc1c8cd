"""`make demo`: its answers name the right notes, and it leaves nothing behind."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.embed.providers import local_model
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
PROC = Path("/proc")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        local_model.unavailable() is not None, reason="the embedded model cannot run here"
    ),
]


@pytest.fixture
def temporary() -> Iterator[str]:
    """A private folder for temporary files, with a name short enough for a socket."""
    folder = tempfile.mkdtemp(prefix="rdemo")
    yield folder
    shutil.rmtree(folder)


def demo(temporary: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "examples/demo.py"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": temporary},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def processes(temporary: str) -> list[str]:
    """The commands of the processes that were started with this temporary folder."""
    found = []
    for folder in PROC.glob("[0-9]*"):
        try:
            if temporary.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # it has ended, or is not ours
    return found


def left_behind(temporary: str) -> list[str]:
    """Files and processes. A daemon frees its lock some milliseconds before it ends."""
    deadline = time.monotonic() + PATIENCE_S
    while (running := processes(temporary)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return [*os.listdir(temporary), *running]


def answers(output: str) -> dict[str, list[str]]:
    """The notes that each search of the demo named, in order."""
    return {
        asked: re.findall(r"^   (?!ragctl |▲)(\S.*\.md)#L\d+", shown, re.M)
        for asked, shown in re.findall(
            r"^\$ ragctl search (.*)\n((?:.*\n)*?)(?=^\$ )", output, re.M
        )
    }


def without_figures(text: str) -> str:
    """Without figures that differ between runs or machines, such as the dots of a score."""
    return re.sub(r"(?<=kill -9 )\d+|(?<=in )\d+(?= seconds)|[●○]{5}", "N", text)


def in_the_readme() -> list[str]:
    """The lines of the demo that the README shows; `…` marks omitted text."""
    page = (ROOT / "README.md").read_text()
    block = re.search(r"^```text\n(.*?)^```", page, re.S | re.M)
    assert block is not None
    return [line.removesuffix("…") for line in without_figures(block[1]).splitlines()]


def test_the_answers_name_the_right_notes_and_nothing_is_left_behind(temporary: str) -> None:
    running = demo(temporary)
    output, _ = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0, output
    mental_health, owed, shelf, sensor = answers(output).values()
    assert mental_health[0] == "Journal/2024-12-29.md"
    assert len(mental_health) == 3 and all(n.startswith("Journal/2024-") for n in mental_health)
    assert owed == [f"Journal/2025-{day}.md" for day in ("11-08", "09-27", "08-16")]
    assert "memory store debt_to_sreenivas" not in output  # $440 is outdated
    assert shelf == ["Projects/Gewürzregal.md"] and sensor == ["Projects/Doorbell.md"]
    for said in ("● healthy", "68 notes, 126 passages", "Log and disk agree."):
        assert said in output
    assert left_behind(temporary) == []
    assert [line for line in in_the_readme() if line not in without_figures(output)] == []


@pytest.mark.skipif(not PROC.is_dir(), reason="processes are looked for in /proc")
def test_ctrl_c_in_the_middle_leaves_nothing_behind_either(temporary: str) -> None:
    running = demo(temporary)
    assert running.stdout is not None
    for line in running.stdout:
        if "$ ragctl status" in line:
            break
    assert any("-m ragd" in command for command in processes(temporary))  # it would be seen
    running.send_signal(2)
    running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130
    assert left_behind(temporary) == []
