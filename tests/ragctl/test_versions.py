"""A client and a daemon of different versions say so, whatever they were talking about."""

import json
from pathlib import Path

import pytest

from ragctl import cli
from ragd import __version__
from tests.ragctl.conftest import FakeDaemon, Ragctl, complete

OFFLINE = {
    "replay",
    "logs",
    "completion",
    "service",
    "open",
    "mirror",
}  # these ask no daemon anything
ELSEWHERE = {"mcp"}  # tests/ragctl/mcp/test_server.py: it talks for as long as its client does
TALKS = [
    ("init", "{vault}"),
    ("config", "set", "watch.rescan_s", "600"),
    ("doctor",),
    ("approve",),
    ("collection", "list"),
    ("context", "set", "Journal", "My diary"),
    ("search", "where is it?"),
    ("show", "note.md#L3"),
    ("show", "/vault/note.md"),
    ("index",),
    ("index", "--no-wait"),
    ("index", "--vault", "{vault}"),
    ("sync", "--json"),
    ("reindex",),
    ("pause", "2h"),
    ("pause", "resume"),
    ("memory", "list"),
    ("memory", "forget", "k"),
    ("status",),
    ("status", "--check"),
    ("status", "--json"),
    ("start",),
    ("stop",),
    ("purge", "--yes"),
    ("wait",),
    ("events",),
    ("events", "--health"),
    ("coverage",),
    ("timeline",),
    ("token", "list"),
    ("serve", "--listen", "192.0.2.1"),
]


def test_every_command_that_talks_is_tried() -> None:
    assert {argv[0] for argv in TALKS} == set(cli.PURPOSES) - OFFLINE - ELSEWHERE


@pytest.mark.parametrize("argv", TALKS, ids=" ".join)
def test_another_version_is_told_once_with_the_next_step(
    ragctl: Ragctl, fake: FakeDaemon, short: Path, argv: tuple[str, ...]
) -> None:
    fake.version = "9.9.9"
    fake.say(complete())
    result = ragctl(*(word.format(vault=short / "vault") for word in argv))
    said = result.out + result.err if argv == ("doctor",) else result.err
    assert said.count("9.9.9") == 1 and __version__ in said
    assert "`ragctl start`" in said


@pytest.mark.parametrize("argv", TALKS, ids=" ".join)
def test_the_same_version_is_not_worth_a_word(
    ragctl: Ragctl, fake: FakeDaemon, short: Path, argv: tuple[str, ...]
) -> None:
    fake.say(complete())
    result = ragctl(*(word.format(vault=short / "vault") for word in argv))
    assert "but the running daemon is" not in result.err


@pytest.mark.parametrize(
    ("version", "next_step"),
    [
        ("0.0.9", ": run `ragctl stop`, then `ragctl start`."),
        (
            "99.0.0",
            ": update ragctl; or, to go back, run `ragctl stop`, then `ragctl start`.",
        ),
        ("0.1.0rc1", "`ragctl start`."),
        ("\x1b[2J", "`ragctl start`."),
    ],
)
def test_the_next_step_depends_on_which_of_them_is_older(
    ragctl: Ragctl, fake: FakeDaemon, version: str, next_step: str
) -> None:
    fake.version = version
    said = ragctl("status").err
    assert said.endswith(f"{next_step}\n") and "\x1b" not in said


def test_a_daemon_that_does_not_know_the_command_is_told_from_a_missing_note(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.version, fake.unknown = "0.0.9", {"/v1/notes"}
    result = ragctl("show", "note.md", "--json")
    assert result.code == 1 and result.out == ""
    error = json.loads(result.err)["error"]
    assert error["code"] == "VERSION_MISMATCH"
    assert "0.0.9" in error["message"] and "`ragctl start`" in error["suggestion"]
