"""A release installs in an empty environment and works there without the sources."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from ragd import __version__
from ragd.embed.providers import local_model
from tests.patience import PATIENCE_S

from .conftest import ROOT, Environment, Packages

pytestmark = [pytest.mark.slow]

needs_model = pytest.mark.skipif(
    local_model.unavailable() is not None, reason="the embedded model cannot run here"
)
JUNK = re.compile(
    r"(^|/)(node_modules|__pycache__|\.cache|\.venv|\.git|\.build|dist|\.\w+_cache|\.hypothesis)/"
    r"|\.(pyc|tgz|so|whl)$"
)


def names_in_sdist(packages: Packages) -> set[str]:
    with tarfile.open(packages.sdist) as archive:
        return {one.name.partition("/")[2] for one in archive.getmembers() if one.isfile()}


def test_the_sdist_holds_what_git_holds_and_no_junk(packages: Packages) -> None:
    names = names_in_sdist(packages)
    assert [name for name in sorted(names) if JUNK.search(name)] == []
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not in a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    kept = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
    assert kept - names == set()


def test_its_tests_can_be_run_from_it(packages: Packages) -> None:
    some = ["tests/docs/test_log_format.py", "tests/docs/test_security_page.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *some],
        cwd=packages.sources,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout


def test_the_wheel_holds_the_two_packages_and_no_path_of_this_machine(packages: Packages) -> None:
    with zipfile.ZipFile(packages.wheel) as wheel:
        content = {name: wheel.read(name) for name in wheel.namelist()}
    about = f"ragd-{__version__}.dist-info"
    assert {name.partition("/")[0] for name in content} == {"ragd", "ragctl", about}
    here = {str(path).encode() for path in (ROOT, packages.sources, Path(sys.prefix), Path.home())}
    for name, data in content.items():
        assert not [path for path in here if len(path) > 6 and path in data], name
    ours = {
        str(path.relative_to(ROOT))
        for package in ("ragd", "ragctl")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in content if not name.startswith(about)} == ours


@needs_model
def test_the_wheel_works_in_an_empty_environment(
    packages: Packages, environment: Environment
) -> None:
    """One test, so that one environment is made."""
    where = environment.run("python", "-c", "import ragd; print(ragd.__file__)").stdout
    assert Path(where.strip()).is_relative_to(environment.folder)
    for program in (("ragctl",), ("ragd",), ("python", "-m", "ragctl"), ("python", "-m", "ragd")):
        assert environment.run(*program, "--version").stdout.split()[1] == __version__

    demo = environment.run("python", packages.sources / "examples" / "demo.py")
    assert "● healthy" in demo.stdout and "Traceback" not in demo.stderr
    assert [*environment.home.iterdir(), *environment.temporary.iterdir()] == []

    notes = environment.home / "Notes"
    shutil.copytree(packages.sources / "examples" / "vault", notes)
    environment.run("ragctl", "init", notes)
    assert '"complete"' in environment.run("ragctl", "index").stdout
    found = environment.run("ragctl", "search", "How much do I owe Sreenivas?", "--max", "1")
    assert "Sreenivas" in found.stdout
    assert "● healthy" in environment.run("ragctl", "status").stdout
    environment.run("ragctl", "stop")
