"""An sdist, the wheel made from it, and an empty environment with that wheel."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]


class Packages(NamedTuple):
    """The files of a release, and the unpacked sdist."""

    sdist: Path
    wheel: Path
    sources: Path


class Environment(NamedTuple):
    """A virtual environment with ragd, and a home folder of a user."""

    folder: Path
    home: Path
    temporary: Path

    def run(self, *words: str | Path, check: bool = True) -> "subprocess.CompletedProcess[str]":
        """Run a program of this environment in a folder outside the sources."""
        program = self.folder / "bin" / words[0]
        variables = {
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
        }
        done = subprocess.run(
            [program, *words[1:]],
            cwd=self.home,
            env=variables,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
        return done


def run(*words: str | Path, tools: Path | None = None) -> None:
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if tools is not None:
        variables["PYTHONPATH"] = str(tools)
    done = subprocess.run(words, cwd=ROOT, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """Built as a release would be: the sdist from the sources, the wheel from the sdist."""
    folder = tmp_path_factory.mktemp("packages")
    tools = folder / "tools"
    backend = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    run(sys.executable, "-m", "pip", "install", "--quiet", "--target", tools, *backend)
    sources = ("-m", "hatchling", "build", "-t", "sdist", "-d", folder)
    run(sys.executable, *sources, tools=tools)
    (sdist,) = folder.glob("*.tar.gz")
    wheel = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, sdist)
    run(sys.executable, "-m", "pip", *wheel, tools=tools)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)  # our own; Python 3.11.2 has no `filter` yet
    (built,) = folder.glob("*.whl")
    return Packages(sdist, built, folder / sdist.name.removesuffix(".tar.gz"))


@pytest.fixture
def environment(packages: Packages) -> Iterator[Environment]:
    """In CI with dependencies of its own. Elsewhere those of this interpreter do: it would take
    three quarters of a gigabyte and a minute to install them again."""
    folder = Path(tempfile.mkdtemp(prefix="rpkg"))  # short enough for a socket
    environment = Environment(folder / "venv", folder / "home", folder / "tmp")
    environment.home.mkdir()
    environment.temporary.mkdir()
    run(sys.executable, "-m", "venv", "--without-pip", environment.folder)
    ours = "--quiet", "--python", environment.folder / "bin" / "python", "install"
    if os.environ.get("CI"):
        run(sys.executable, "-m", "pip", *ours, packages.wheel)
    else:
        run(sys.executable, "-m", "pip", *ours, "--no-deps", "--no-index", packages.wheel)
        (site,) = environment.folder.glob("lib/python3.*/site-packages")
        places = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        (site / "dependencies.pth").write_text("\n".join(sorted(places)))
    yield environment
    environment.run("ragctl", "stop", check=False)
    shutil.rmtree(folder)
