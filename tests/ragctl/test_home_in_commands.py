"""Every command that is printed works as pasted: it names the home that was asked about."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

import ragctl as package
from ragctl.cli import PURPOSES
from ragctl.views.next_command import add_home_option, ragctl_command
from ragctl.views.render import Ink, set_current_home
from ragctl.views.search_results import render_search_results
from ragd.errors import CODES
from ragd.paths import Home, platform_home, with_home_option
from tests.ragctl.conftest import FakeDaemon, Ragctl, StartTerminal, complete, reason, step

RESULT = {
    "chunk_text": "`ragctl sync` is what I typed.",
    "score": 0.5,
    "source_file": "a.md",
    "citation": "a.md#L1-L2",
}
ROOT = Path(package.__file__).parents[1]
VERBS = "|".join(PURPOSES)
COMMAND = re.compile(rf"ragctl (?:--home \S+ )?(?:{VERBS})\b(?![^`]*--help)")


def commands(text: str) -> list[str]:
    """Every command in a text, without its wrapping; help is the same for every home."""
    return COMMAND.findall(" ".join(text.split()))


# One function decides


def test_commands_get_the_home_once_and_help_does_not() -> None:
    home = Home("/tmp/my home")
    said = with_home_option("Run `ragctl stop`, then `ragctl start`.", home, "/other")
    assert (
        said
        == "Run `ragctl --home '/tmp/my home' stop`, then `ragctl --home '/tmp/my home' start`."
    )
    assert with_home_option(said, home, "/other") == said
    assert (
        with_home_option("See `ragctl sync --help`.", home, "/other") == "See `ragctl sync --help`."
    )
    assert with_home_option("Run `ragctl stop`.", home, home.root) == "Run `ragctl stop`."


@pytest.mark.parametrize("code", CODES)
def test_every_suggestion_can_be_addressed(code: str) -> None:
    home = Home("/tmp/other")
    kind = CODES[code]
    for command in commands(
        with_home_option(f"{kind.message} {kind.suggestion}", home, platform_home())
    ):
        assert command.startswith("ragctl --home /tmp/other "), command


def texts(path: Path) -> Iterator[str]:
    """What a module may say: its strings, but for docstrings and the examples of a command."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = set[ast.AST]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr):
                silent.add(first.value)
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES":
            silent.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in silent:
            yield node.value


def test_every_command_in_a_sentence_stands_in_backticks_where_its_home_can_be_added() -> None:
    bare = re.compile(rf"(?<!`)ragctl (?:{VERBS})\b")
    # Scripts and files that are written for one home, and the shape of what was mistyped.
    elsewhere = ("completion", "service_managers", "completion.py", "memory.py", "config.py")
    found = [
        f"{path.relative_to(ROOT)}: {text[:60]}"
        for folder in ("ragctl", "ragd")
        for path in (ROOT / folder).rglob("*.py")
        if not any(word in path.parts for word in elsewhere)
        for text in texts(path)
        if bare.search(text)
    ]
    assert found == []


# What is printed


@pytest.fixture
def elsewhere(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home that ragctl does not find by itself."""
    monkeypatch.delenv("OBSIDIAN_RAG_HOME")
    monkeypatch.setattr("ragctl.views.next_command.platform_home", platform_home)
    return home


def all_named(home: Home, *outputs: str) -> int:
    """How many commands these hold; each names the home."""
    found = [command for output in outputs for command in commands(output)]
    wanted = f"ragctl --home {quote(home.root)} "
    assert [command for command in found if not command.startswith(wanted)] == []
    return len(found)


@pytest.mark.parametrize(
    "typed",
    [
        *(["stop"], ["sync"], ["status", "--no-start"], ["logs"], ["memory", "forget", "x"]),
        *(["doctor"], ["doctor", "--json"], ["replay"], ["wait", "--timeout", "0"]),
        *(["config", "set", "watch.rescan_s", "x"], ["service", "status"], ["purge"]),
        ["show", "note.md#L9-L1"],
        ["search", ""],
    ],
)
def test_without_a_daemon_every_command_names_the_home(
    ragctl: Ragctl, elsewhere: Home, typed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragctl.daemon.start.start_daemon", _no_daemon)
    result = ragctl("--home", elsewhere.root, *typed)
    all_named(elsewhere, result.out, result.err)


def _no_daemon(home: Home) -> None:
    from ragctl.daemon.connection import not_running_error

    raise not_running_error()


def test_what_status_says_names_the_home(ragctl: Ragctl, fake: FakeDaemon, elsewhere: Home) -> None:
    fake.be("unavailable", *CODES)
    fake.more = {
        "paused": {"since": "2026-11-15T14:00:00Z", "until": "2099-11-15T14:00:00Z"},
        "needs_restart": ["vault_path"],
        "config_refused": "It is empty. Run `ragctl init PATH-TO-YOUR-VAULT`.",
    }
    result = ragctl("--home", elsewhere.root, "status")
    assert all_named(elsewhere, result.out, result.err) > 10


def test_what_a_narrow_terminal_breaks_apart_names_the_home(
    elsewhere: Home, fake: FakeDaemon, terminal: StartTerminal
) -> None:
    fake.be("unavailable", *CODES)
    fake.more = {"needs_restart": ["vault_path"]}
    screen = terminal("--home", elsewhere.root, "status", columns=50)
    assert screen.ended() == 0
    assert all_named(elsewhere, screen.text) > 10


def test_what_wait_and_doctor_say_of_a_daemon_names_the_home(
    ragctl: Ragctl, fake: FakeDaemon, elsewhere: Home
) -> None:
    fake.be("degraded", "INDEX_STALE")
    for typed in (["wait", "--timeout", "0"], ["doctor"], ["doctor", "--json"]):
        result = ragctl("--home", elsewhere.root, *typed)
        assert all_named(elsewhere, result.out, result.err) > 0


def test_what_a_search_says_names_the_home(
    ragctl: Ragctl, fake: FakeDaemon, elsewhere: Home
) -> None:
    fake.search_refusal = ("INDEX_NOT_FOUND", None)
    result = ragctl("--home", elsewhere.root, "search", "what did I do?")
    assert all_named(elsewhere, result.out, result.err) == 1


def test_what_stands_below_a_passage_names_the_home(elsewhere: Home) -> None:
    suggestion = {"key": "debt", "value": "I owe Ada 5.", "source": "a.md"}
    error = {"message": "It is stale.", "suggestion": "Run `ragctl sync`."}
    envelope = {"status": "degraded", "error": error, "meta": {}}
    data = {"results": [RESULT | {"stale": True}], "memory_suggestion": suggestion}
    set_current_home(elsewhere)
    try:
        said = render_search_results("when?", {**envelope, "data": data}, Ink())
    finally:
        set_current_home(None)
    assert "ragctl sync is what I typed." in said, "what a note says stays as it is"
    assert all_named(elsewhere, said.replace("ragctl sync is what I typed.", "")) == 4


@pytest.mark.parametrize(
    "last",
    [
        complete("partial", deletions_held=60),
        complete("partial", chunks_embedded=17),
        complete("failed"),
        complete("cancelled"),
    ],
)
def test_what_is_said_of_a_job_names_the_home(
    ragctl: Ragctl, fake: FakeDaemon, elsewhere: Home, last: dict[str, Any]
) -> None:
    fake.more["reasons"] = [reason("INDEX_CORRUPTED")]
    fake.say(step("text", 1, 2), last)
    result = ragctl("--home", elsewhere.root, "sync")
    assert all_named(elsewhere, result.out, result.err) > 0


def test_a_daemon_of_another_version_is_told_of_with_its_home(
    ragctl: Ragctl, fake: FakeDaemon, elsewhere: Home
) -> None:
    fake.version = "0.0.1"
    result = ragctl("--home", elsewhere.root, "status")
    assert all_named(elsewhere, result.err) == 2


def test_in_the_usual_home_commands_stay_short(ragctl: Ragctl, home: Home) -> None:
    assert "`ragctl start`" in ragctl("stop").err
    assert (
        add_home_option("`ragctl start`", home) == "`ragctl start`"
        and ragctl_command(home) == "ragctl"
    )


def test_a_home_from_the_environment_is_named_since_another_shell_may_not_have_it(
    ragctl: Ragctl,
    fake: FakeDaemon,
    elsewhere: Home,
    monkeypatch: pytest.MonkeyPatch,
    terminal: StartTerminal,
) -> None:
    monkeypatch.setenv("OBSIDIAN_RAG_HOME", elsewhere.root)
    fake.search_refusal = ("INDEX_NOT_FOUND", None)
    for result in (ragctl("search", "x"), ragctl("status"), ragctl("show", "a.md#L41")):
        all_named(elsewhere, result.out, result.err)
    screen = terminal("search", "x", columns=200)
    screen.ended()
    assert all_named(elsewhere, screen.text) == 1
