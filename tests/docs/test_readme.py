"""The README: its commands work, its output is real, and everything it names exists."""

import asyncio
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

from ragctl import cli
from ragctl.commands import mcp
from ragd.embed.providers import local_model
from tests.embed.fake_ollama import rows, running, vector_of
from tests.patience import PATIENCE_S
from tests.ragctl.terminal import Terminal

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "README.md").read_text()
PULL = "ollama pull mxbai-embed-large"
OLLAMA = "embedding.base_url"
PLUGIN = "contrib/openclaw-plugin/ragd-obsidian-rag-0.2.0.tgz"

DOTS = re.compile("[●○]{5}")  # of a score, which differs a little from machine to machine
NOT_TYPED = {  # and why
    "make demo": "tests/docs/test_demo.py runs what it runs",
    "make test": "this is a part of it",
    "pipx install . && pipx ensurepath": "needs pipx; tests/packaging installs the wheel",
    "pipx inject ragd 'mcp>=2.3,<3'": "needs pipx",
    PULL: "needs Ollama; a stand-in has the model",
    "make plugin": "needs Node; `make test-openclaw` runs it",
    f"openclaw plugins install {PLUGIN} --force --accept-capabilities": "needs OpenClaw, as above",
}
DIMENSIONS = 1024  # of the model that the page names


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.S | re.M)


def typed() -> list[str]:
    """Every line that a reader can type, from top to bottom."""
    return [line for block in blocks("sh") for line in block.splitlines()]


def test_what_is_not_typed_is_on_the_page_and_has_a_reason() -> None:
    assert [line for line in NOT_TYPED if line not in typed()] == []
    assert len(typed()) - len(NOT_TYPED) >= 6
    assert re.findall(r"^```$\n(?=\S)", PAGE, re.M) == []  # every block says what it is


def test_it_is_short_enough_to_be_read() -> None:
    assert len(PAGE.splitlines()) <= 150


def test_every_command_on_it_is_one() -> None:
    named = set(re.findall(r"\bragctl ([a-z]+)", PAGE))
    assert len(named) > 15 and sorted(named - set(cli.PURPOSES)) == []


def test_every_link_on_it_leads_to_a_file() -> None:
    links = [link for link in re.findall(r"\]\(([^)]+)\)", PAGE) if "://" not in link]
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_test_that_it_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)
    assert len(named) >= 5
    for file, test in named:
        path = ROOT / file
        assert path.is_file() and f"def {test}(" in path.read_text(), f"{file}::{test}"


def test_the_package_for_mcp_is_added_by_the_command_that_ragctl_names() -> None:
    [added] = [line for line in typed() if "inject" in line]
    assert added in (ROOT / "docs" / "mcp.md").read_text()
    assert added in mcp.HOW_TO_INSTALL


# Typed


@pytest.fixture
def user() -> Iterator[Path]:
    """A person's home folder, short enough for a socket, with a vault that Obsidian knows."""
    folder = Path(tempfile.mkdtemp(prefix="rdoc"))
    shutil.copytree(ROOT / "examples" / "vault", folder / "Notes")
    (folder / ".config" / "obsidian").mkdir(parents=True)
    known = {"vaults": {"a": {"path": str(folder / "Notes"), "ts": 1, "open": True}}}
    (folder / ".config" / "obsidian" / "obsidian.json").write_text(json.dumps(known))
    yield folder
    run(folder, "ragctl stop")
    shutil.rmtree(folder)


def environment(user: Path) -> dict[str, str]:
    return {
        "HOME": str(user),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),  # the sources of this checkout
    }


def run(user: Path, line: str) -> "subprocess.CompletedProcess[str]":
    """Run one line as a user would type it."""
    return subprocess.run(
        ["bash", "-c", line],
        env=environment(user),
        cwd=user,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


def choose(user: Path) -> None:
    """Run `ragctl init` on a terminal and choose the first vault."""
    terminal = Terminal(["init"], 100, environment(user))
    try:
        terminal.until("Use this one?")
        terminal.type("\n")
        assert terminal.ended() == 0, terminal.text
    finally:
        terminal.close()


@pytest.mark.skipif(
    local_model.unavailable() is not None, reason="the embedded model cannot run here"
)
@pytest.mark.slow
async def test_what_a_reader_can_type_works_from_top_to_bottom(user: Path) -> None:
    said: dict[str, str] = {}
    async with running() as ollama:
        ollama.always = rows(lambda texts: [vector_of(text, DIMENSIONS) for text in texts])
        pulled, ollama.models = ollama.models, {}
        for line in typed():
            if line == PULL:
                ollama.models = pulled
            elif line == "ragctl init":
                await asyncio.to_thread(choose, user)
                await asyncio.to_thread(run, user, f"ragctl config set {OLLAMA} {ollama.base_url}")
            elif line not in NOT_TYPED:
                done = await asyncio.to_thread(run, user, line)
                assert done.returncode == 0, (line, done.stdout, done.stderr)
                said[line] = done.stdout
    _, answer = blocks("text")  # the first is the demo's
    found = next(out for line, out in said.items() if line.startswith("ragctl search"))
    assert DOTS.sub("", answer) in DOTS.sub("", found)
    assert "mxbai-embed-large (1024 dimensions, ollama)" in said["ragctl status"]
