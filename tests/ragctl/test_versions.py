"""A client and a daemon of different versions say so, whatever they were talking about."""

import pytest

from ragctl import cli
from ragd import __version__
from tests.ragctl.conftest import complete

OFFLINE = {"replay", "logs", "completion", "service"}  # these ask no daemon anything
TALKS = [
    ("init", "{vault}"),
    ("config", "set", "watch.rescan_s", "600"),
    ("doctor",),
    ("search", "where is it?"),
    ("index",),
    ("index", "--no-wait"),
    ("index", "--vault", "{vault}"),
    ("sync", "--json"),
    ("reindex",),
    ("memory", "list"),
    ("memory", "forget", "k"),
    ("status",),
    ("status", "--check"),
    ("status", "--json"),
    ("start",),
    ("stop",),
    ("wait",),
    ("events",),
    ("events", "--health"),
]


def test_every_command_that_talks_is_tried() -> None:
    assert {argv[0] for argv in TALKS} == set(cli.PURPOSES) - OFFLINE


@pytest.mark.parametrize("argv", TALKS, ids=" ".join)
def test_another_version_is_told_once_with_the_next_step(ragctl, fake, short, argv) -> None:
    fake.version = "9.9.9"
    fake.say(complete())
    result = ragctl(*(word.format(vault=short / "vault") for word in argv))
    said = result.out + result.err if argv == ("doctor",) else result.err
    assert said.count("9.9.9") == 1 and __version__ in said
    assert "`ragctl start`" in said


@pytest.mark.parametrize("argv", TALKS, ids=" ".join)
def test_the_same_version_is_not_worth_a_word(ragctl, fake, short, argv) -> None:
    fake.say(complete())
    result = ragctl(*(word.format(vault=short / "vault") for word in argv))
    assert "but the daemon that runs is" not in result.err
