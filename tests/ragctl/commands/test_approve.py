"""`ragctl approve`, against a real daemon from which an agent reads a sensitive note."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ragctl.daemon.client import request
from ragctl.views.approvals import ASKED_CHARACTERS, CITATIONS_MAX, render_approval
from ragctl.views.approvals import render_approvals as render_list
from ragctl.views.render import Ink
from ragd.paths import Home
from ragd.protocol.asker import asker_headers
from tests.ragctl.conftest import Ragctl, StartTerminal

SECRET = "A session with the therapist."
Read = Callable[..., dict[str, Any]]


@pytest.fixture
def read(ragctl: Ragctl, home: Home) -> Read:
    """A daemon that withholds, and a way to read a note as an agent."""
    config = json.loads(Path(home.config).read_text())
    security = {"sensitive": "block"}
    Path(home.config).write_text(json.dumps({**config, "security": security}))
    note = Path(config["vault_path"]) / "Diary.md"
    note.write_text(f"## #mentalhealth\n\n{SECRET}\n")
    assert ragctl("start").code == 0

    def read_note(agent: str = "work", chat: str = "direct", path: str = "Diary.md") -> Any:
        headers = asker_headers(agent, chat)
        return request(home, "GET", f"/v1/notes?path={quote(path)}", headers=headers).data

    return read_note


def test_without_requests_nothing_waits(ragctl: Ragctl, read: Read) -> None:
    said = ragctl("approve")
    assert (said.code, said.out) == (0, "Nothing waits for approval.\n")


def test_the_list_says_who_asks_for_what_and_how_to_go_on(ragctl: Ragctl, read: Read) -> None:
    first = read()["approval"]
    second = read("", "")["approval"]
    said = ragctl("approve")
    assert said.code == 0
    assert said.lines[0].startswith(f"{first}  the agent `work` (direct) · ")
    assert said.lines[0].endswith("ago · expires in 5 min") or "expires in 4 min" in said.lines[0]
    assert said.lines[1:3] == ["  reads: Diary.md", "  1 passage withheld · health"]
    assert said.lines[4].startswith(f"{second}  an agent without a name · ")
    assert (
        said.lines[-1]
        == "`ragctl approve ID` releases one, `ragctl approve --refuse ID` refuses it."
    )
    listed = ragctl("approve", "--json").json["data"]["approvals"]
    assert [one["id"] for one in listed] == [first, second]
    assert SECRET not in said.out + json.dumps(listed)


def test_yes_releases_once(ragctl: Ragctl, read: Read) -> None:
    approval = read()["approval"]
    said = ragctl("approve", approval, "--yes")
    assert said.code == 0
    assert said.out.startswith("Released: 1 passage for the agent `work` (direct), once")
    assert "repeats the same call" in said.err
    assert SECRET in read()["text"]
    assert read()["text"] is None


def test_a_refusal_is_final(ragctl: Ragctl, read: Read) -> None:
    approval = read()["approval"]
    said = ragctl("approve", "--refuse", approval)
    assert (said.code, said.out) == (0, "Refused: 1 passage for the agent `work` (direct).\n")
    assert (read()["text"], read()["refused"]) == (None, True)
    late = ragctl("approve", approval, "--yes")
    assert late.code == 6 and "approve` lists those that wait" in late.err


def test_json_says_what_was_decided(ragctl: Ragctl, read: Read) -> None:
    approval = read()["approval"]
    data = ragctl("approve", approval, "--yes", "--json").json["data"]
    assert (data["outcome"], data["approval"]["id"]) == ("released", approval)


@pytest.mark.parametrize("unknown", ["aaaaaa", "..", "a/b", "ü \n", "%2e"])
def test_an_unknown_id_is_refused(ragctl: Ragctl, read: Read, unknown: str) -> None:
    read()
    for options in ((), ("--yes",), ("--refuse",)):
        said = ragctl("approve", *options, "--", unknown)
        assert said.code == 6 and said.out == "", options
    assert read()["text"] is None


@pytest.mark.parametrize("argv", [("--yes",), ("--refuse",), ("--yes", "--refuse", "k7m2qd")])
def test_what_makes_no_sense_is_refused(ragctl: Ragctl, argv: tuple[str, ...]) -> None:
    assert ragctl("approve", *argv).code == 2


def test_without_a_terminal_it_needs_the_option_yes(ragctl: Ragctl, read: Read) -> None:
    approval = read()["approval"]
    for more in ((), ("--json",)):
        said = ragctl("approve", approval, *more)
        assert said.code == 2 and "--yes" in said.err
    assert read()["text"] is None


@pytest.mark.parametrize(
    ("typed", "shown"), [("y", True), ("yes", True), ("", False), ("n", False)]
)
def test_on_a_terminal_it_shows_the_places_and_asks(
    terminal: StartTerminal, read: Read, typed: str, shown: bool
) -> None:
    screen = terminal("approve", read()["approval"])
    screen.until("Show 1 passage to the agent `work` (direct)? [y/N]")
    assert "    Diary.md#L1-L3" in screen.text and SECRET not in screen.text
    assert "Others read this chat" not in screen.text
    screen.type(f"{typed}\n")
    assert screen.ended() == (0 if shown else 1)
    assert (read()["text"] is not None) is shown


def test_in_a_group_it_warns_that_others_read_it(terminal: StartTerminal, read: Read) -> None:
    screen = terminal("approve", read("work", "group")["approval"])
    screen.until("[y/N]")
    assert "Others read this chat (group)" in screen.text
    screen.type("n\n")
    assert screen.ended() == 1


WAITING = {
    "id": "k7m2qd",
    "agent": "a\x1b[2Jb",
    "chat": "direct",
    "tool": "obsidian_rag_search",
    "asked": "x\n0 passages withheld · harmless\u202e" + "y" * 1000,
    "kinds": [],
    "withheld": 80,
    "citations": [f"{n}\x1b.md#L1-L1" for n in range(80)],
    "waits_s": 0,
    "expires_in_s": 300,
}


def test_an_agents_text_cannot_imitate_the_list_or_move_the_terminal() -> None:
    shown = render_approval(WAITING, Ink())
    assert "\x1b" not in shown and "\u202e" not in shown
    assert shown.count("withheld") == 2 and len(shown.splitlines()) == 3 + CITATIONS_MAX + 1
    assert "y" * ASKED_CHARACTERS not in shown
    assert "and 30 more" in shown and "named by you" in shown
    assert len(render_list([WAITING, WAITING], Ink()).splitlines()) == 9
