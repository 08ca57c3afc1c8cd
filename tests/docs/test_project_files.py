"""Files for other tools: they agree with the Makefile and pyproject."""

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()


def read_yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_constraints_are_names_and_versions_and_nothing_else() -> None:
    for line in CONSTRAINTS:
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+", line), line
    names = [line.partition("==")[0] for line in CONSTRAINTS]
    assert names == sorted(set(names))


def test_constraints_pin_every_dependency_to_a_version_that_is_allowed() -> None:
    pins = dict(line.split("==") for line in CONSTRAINTS)
    extras = PROJECT["optional-dependencies"]
    for text in [*PROJECT["dependencies"], *extras["dev"], *extras["mcp"], *extras["ocr"]]:
        wanted = Requirement(text)
        assert wanted.specifier.contains(pins[wanted.name.lower()]), text


def test_the_hooks_before_a_commit_run_what_make_check_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [recipe] = re.findall(r"^check:.*\n((?:\t.*\n)+)", makefile, re.M)
    tools = set(re.findall(r"\$\(BIN\)/(\w+(?: [a-z]+)?)", recipe))
    [repository] = read_yaml(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    entries = {hook["entry"] for hook in repository["hooks"]}
    run = {entry.removeprefix(".venv/bin/").partition(" --")[0] for entry in entries}
    assert run == tools


def test_the_workflow_tries_every_system_and_every_python() -> None:
    jobs = read_yaml(".github/workflows/test.yml")["jobs"]
    for job in jobs.values():
        assert job["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13", "3.14"]
        commands = [step["run"] for step in job["steps"] if "run" in step]
        for folder in re.findall(r"\btests/\w+", " ".join(commands)):
            assert (ROOT / folder).is_dir(), folder
    assert jobs["everything"]["strategy"]["matrix"]["os"] == ["ubuntu-latest", "macos-latest"]
    assert jobs["windows"]["runs-on"] == "windows-latest"
    assert PROJECT["requires-python"] == ">=3.11"


def test_both_packages_say_that_they_are_typed() -> None:
    for package in ("ragd", "ragctl"):
        assert (ROOT / package / "py.typed").read_bytes() == b""
