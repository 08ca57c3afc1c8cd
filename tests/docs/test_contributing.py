"""CONTRIBUTING.md and the pages: everything they name exists, and their commands work."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragd.embed.providers import local_model
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCS = ROOT / "docs"
TYPED = [
    ROOT / "CONTRIBUTING.md",
    *(DOCS / f"{name}.md" for name in ("configuration", "events", "log-format", "troubleshooting")),
]
JSON_LINES = "python -m json.tool --json-lines"


def typed(page: Path) -> list[str]:
    """The commands in its blocks, without comments and without those that never end."""
    lines = re.findall(r"^(?:    )?((?:ragctl|cut) .*)$", page.read_text(encoding="utf-8"), re.M)
    bare = [line.partition("  #")[0].strip() for line in lines]
    return [line.replace(" -f", "").replace("| jq", f"| {JSON_LINES}") for line in bare]


def test_every_target_of_make_that_it_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text()
    named = set(re.findall(r"\bmake ([a-z-]+)(?=`|\s+#)", PAGE))
    assert len(named) > 6
    for target in named:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_every_file_that_it_names_exists() -> None:
    for name in re.findall(r"`((?:ragd|ragctl|tests|bench)/[\w./]+)`", PAGE):
        assert "VERB" in name or (ROOT / name).exists(), name


@pytest.fixture
def user() -> Iterator[Path]:
    """A person's home folder with an index in it, with a name short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="rcon"))
    shutil.copytree(ROOT / "examples" / "vault", folder / "Notes")
    assert run(folder, "ragctl index --vault ~/Notes").returncode == 0
    yield folder
    run(folder, "ragctl stop")
    shutil.rmtree(folder)


def run(user: Path, line: str) -> "subprocess.CompletedProcess[str]":
    """Run one line as a user would type it."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {"HOME": str(user), "PATH": programs, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        ["bash", "-c", line],
        env=environment,
        cwd=user,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


@pytest.mark.skipif(
    local_model.unavailable() is not None, reason="the embedded model cannot run here"
)
@pytest.mark.slow
def test_the_commands_on_the_pages_work(user: Path) -> None:
    for page in TYPED:
        lines = typed(page)
        assert len(lines) > 2, page.name
        for line in lines:
            done = run(user, line)
            assert done.returncode == 0, (page.name, line, done.stdout, done.stderr)
            assert done.stdout.strip() or " > " in line, (page.name, line)


def test_every_page_is_in_the_index_and_every_link_of_every_page_leads_somewhere() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in [*DOCS.glob("*.md"), *DOCS.glob("*.json")]:
        assert page.name == "README.md" or f"({page.name})" in index, page.name
    for page in [*DOCS.glob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
