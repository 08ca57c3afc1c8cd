"""docs/cli-json.md: every command in it is run, and what comes back has the shape that it shows."""

import json
import re
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import ragd
from ragctl import cli
from ragd.paths import Home
from tests.ragctl.conftest import Ragctl

PAGE = Path(ragd.__file__).parent.parent / "docs" / "cli-json.md"

PROMISED = ("timestamp", "level", "event")  # of a line of the log


class Example(NamedTuple):
    argv: list[str]
    code: int
    output: str
    failure: bool  # what is shown is on stderr


def examples() -> list[Example]:
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text(), re.S | re.M):
        typed, _, output = block.partition("\n")
        command, _, code = typed.removeprefix("$ ragctl ").partition("  # exit ")
        argv = shlex.split(command.removesuffix(" 2>&1"))
        found.append(Example(argv, int(code or 0), output, command.endswith(" 2>&1")))
    return found


def values(output: str) -> list[Any]:
    """One JSON value over several lines, or one on each line."""
    try:
        return [json.loads(output)]
    except ValueError:
        return [json.loads(line) for line in output.splitlines()]


def same_shape(shown: Any, real: Any, where: str = "") -> None:
    """The same keys and the same kinds of values; null and an empty list fit anything."""
    if shown is None or real is None or shown == [] or real == []:
        return
    assert type(shown) is type(real), where
    if isinstance(shown, dict):
        assert set(shown) == set(real), where
        for key in shown:
            same_shape(shown[key], real[key], f"{where}.{key}")
    elif isinstance(shown, list):
        same_shape(shown[0], real[0], f"{where}[0]")


def test_every_command_with_json_is_in_it() -> None:
    assert {example.argv[0] for example in examples()} == set(cli.PURPOSES)


@pytest.mark.slow
def test_every_example_has_the_shape_of_what_is_really_printed(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    Path(home.config).unlink()
    user = short / "user"
    (user / "Notes" / ".obsidian").mkdir(parents=True)
    (user / "Notes" / "hello.md").write_text("# Hello\n")
    (user / "Papers").mkdir()
    (user / ".config/obsidian").mkdir(parents=True)
    listed = {"vaults": {"a": {"path": str(user / "Notes"), "ts": 1, "open": True}}}
    (user / ".config/obsidian/obsidian.json").write_text(json.dumps(listed))
    for example in examples():
        if example.argv[0] == "search":
            assert ragctl("index").code == 0  # the page did not wait for it
        result = ragctl(*example.argv)
        assert result.code == example.code, (example.argv, result.err)
        printed = result.err if example.failure else result.out
        for shown, real in zip(values(example.output), values(printed), strict=True):
            if example.argv[0] == "logs":
                shown, real = ({k: said[k] for k in PROMISED} for said in (shown, real))
            same_shape(shown, real, " ".join(example.argv))
