"""What the pages promise: the table of codes is the code's, and what a reader can type works."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.adapters import embedded
from ragd.errors import CODES

ROOT = Path(__file__).parents[2]

needs_model = pytest.mark.skipif(
    embedded.unavailable() is not None, reason="the embedded model cannot run here"
)


@pytest.fixture
def user() -> Iterator[Path]:
    """A person's home folder with a vault in it, with a name short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="rdoc"))
    shutil.copytree(ROOT / "examples" / "vault", folder / "Notes")
    yield folder
    run(folder, "ragctl stop")
    shutil.rmtree(folder)


def run(user: Path, line: str) -> "subprocess.CompletedProcess[str]":
    """One line as that person would type it."""
    bin_folder = str(Path(sys.executable).parent)
    environment = {
        "HOME": str(user),
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),  # the sources that these pages lie beside
    }
    return subprocess.run(
        ["bash", "-c", line], env=environment, cwd=user, capture_output=True, text=True, timeout=110
    )


def typed(section: str) -> list[str]:
    """The commands in the first code block behind a heading of the README."""
    text = (ROOT / "README.md").read_text()
    block = re.search(rf"^##+ {section}$.*?^```\n(.*?)^```", text, re.S | re.M)
    assert block is not None
    return [line for line in block[1].splitlines() if line.startswith(("ragctl", "kill"))]


def test_the_table_of_codes_is_the_one_in_the_code() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text()
    rows = re.findall(r"^\| ([A-Z_]+) \| ([a-z ]+) \| (yes|no) \|$", page, re.M)
    told = {code: (status, retry) for code, status, retry in rows}
    assert told == {
        code: (kind.status or "as it is", "yes" if kind.recoverable else "no")
        for code, kind in CODES.items()
    }


@needs_model
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_first_look_goes_as_the_readme_says(user: Path) -> None:
    for line in typed("A first look"):
        if " -f" in line:  # it would go on for ever
            line = line.replace(" -f", "")
        done = run(user, line)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert "68 notes" in done.stdout


@needs_model
@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_kill_is_told_as_the_readme_says(user: Path) -> None:
    assert run(user, "ragctl init ~/Notes").returncode == 0
    for line in typed("Kill it"):
        done = run(user, line)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert json.loads(done.stdout.splitlines()[-1])["event"]["previous_stop"] == "crash"
    assert run(user, "ragctl replay --verify").returncode == 0
