"""The command line: valid and mistyped commands, and how every failure is reported."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ragd
from ragctl import __main__ as program
from ragctl import cli
from ragctl.failure import UsageError
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl, StartProcess

# Modules that a cold `status` must not load: each costs a tenth of its time or more.
TOO_HEAVY = [
    *("msgspec", "http", "importlib.metadata", "pathlib", "dataclasses", "subprocess", "shutil"),
    *("tempfile", "urllib", "asyncio", "rich", "structlog", "aiohttp", "lancedb", "pyarrow"),
]


def test_without_arguments_it_shows_five_commands_and_how_to_see_the_rest(ragctl: Ragctl) -> None:
    result = ragctl()
    assert result.code == 0 and result.err == ""
    shown = [line.split()[0] for line in result.lines if line.startswith("  ")]
    assert shown == list(cli.FIRST_COMMANDS) and len(shown) == 5
    assert f"`ragctl --help` shows {len(cli.PURPOSES) - 5} more" in result.out


def test_help_shows_every_command_in_its_group(ragctl: Ragctl) -> None:
    result = ragctl("--help")
    assert result.code == 0 and result.err == ""
    for group, commands in cli.COMMANDS.items():
        assert group in result.lines
        for verb, purpose in commands.items():
            assert f"  {verb:<10} {purpose}" in result.lines


def test_help_before_or_after_a_command_is_the_same(ragctl: Ragctl) -> None:
    assert ragctl("help", "wait").out == ragctl("wait", "--help").out
    assert ragctl("help").out == ragctl("--help").out == ragctl("-h").out


def test_a_purpose_is_one_line_and_one_sentence() -> None:
    for purpose in cli.PURPOSES.values():
        assert purpose.endswith(".") and purpose.count(".") == 1 and len(purpose) <= 66


def typed_in(example: str) -> list[list[str]]:
    """The calls of ragctl in a line for a shell."""
    words = shlex.shlex(example, posix=True, punctuation_chars="|&;<>()")
    words.whitespace_split = True
    calls: list[list[str]] = []
    inside = False
    for word in words:
        if word == "ragctl":
            calls.append([])
            inside = True
        elif set(word) <= set("|&;<>()"):
            inside = False
        elif inside:
            calls[-1].append(word)
    return calls


EXAMPLES = [
    (verb, typed) for verb in cli.PURPOSES for typed, _ in cli.load_command(verb)[0].EXAMPLES
]


@pytest.mark.parametrize(("verb", "typed"), EXAMPLES)
def test_every_example_is_valid(verb: str, typed: str) -> None:
    calls = typed_in(typed)
    assert verb in [call[0] for call in calls]
    for verb, *given in calls:
        cli.parse_command(verb, given)


def test_an_invalid_example_would_be_noticed() -> None:
    assert typed_in("ragctl wait --for x && source <(ragctl stop)") == [
        ["wait", "--for", "x"],
        ["stop"],
    ]
    for wrong in (["stats"], ["wait", "--four", "x"], ["wait", "--for", "x"], ["config", "shw"]):
        with pytest.raises(UsageError):
            cli.parse_command(wrong[0], wrong[1:])


@pytest.mark.parametrize("verb", cli.PURPOSES)
def test_every_command_has_a_purpose_and_two_examples(ragctl: Ragctl, verb: str) -> None:
    result = ragctl(verb, "--help")
    assert result.code == 0 and result.err == ""
    assert cli.PURPOSES[verb] in result.out
    _, _, examples = result.out.partition("examples:\n")
    assert examples.count(f"ragctl {verb}") >= 2


def test_the_version_is_that_of_the_package(ragctl: Ragctl) -> None:
    assert ragctl("--version").out == f"ragctl {ragd.__version__}\n"


def test_a_mistyped_command_gets_a_suggestion(ragctl: Ragctl) -> None:
    result = ragctl("statsu")
    assert result.code == 2 and result.out == ""
    assert "no command `statsu`. Did you mean `status`?" in result.err


def test_a_mistyped_option_gets_a_suggestion(ragctl: Ragctl) -> None:
    result = ragctl("status", "--jsno")
    assert result.code == 2
    assert "ragctl status has no option --jsno. Did you mean `--json`?" in result.err
    assert "ragctl status --help" in result.err


def test_a_mistyped_option_before_the_command_gets_a_suggestion(ragctl: Ragctl) -> None:
    result = ragctl("--hoem", "x", "status")
    assert result.code == 2 and "Did you mean `--home`?" in result.err


def test_an_extra_argument_is_named(ragctl: Ragctl) -> None:
    result = ragctl("status", "everything")
    assert result.code == 2 and "`everything`" in result.err


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (("wait", "--for", "helthy"), "Did you mean `healthy`?"),
        (("wait", "--timeout", "soon"), "'soon' is not a number of at least 0."),
        (("stop", "--timeout", "-1"), "'-1' is not a number of at least 0."),
        (("events", "--limit", "0"), "'0' is not a whole number of at least 1."),
        (("logs", "-n", "few"), "'few' is not a whole number of at least 0."),
        (("config",), "The following arguments are required: ACTION."),
        (("config", "shw"), "Did you mean `show`?"),
        (("memory", "lst"), "Did you mean `list`?"),
        (("service", "instal"), "Did you mean `install`?"),
        (("completion", "bsh"), "Did you mean `bash`?"),
        (
            ("config", "show", "--defalts"),
            "config has no option --defalts. Did you mean `--defaults`?",
        ),
        (("service", "install", "--dryrun"), "Did you mean `--dry-run`?"),
        (("memory", "list", "--jsn"), "Did you mean `--json`?"),
        (("completion", "zsh", "--jso"), "Did you mean `--json`?"),
        (("service",), "The following arguments are required: ACTION."),
        (("help", "serch"), "Did you mean `search`?"),
        (("config", "get"), "Usage: `ragctl config get KEY`."),
        (("replay", "--at", "teatime"), "'teatime' is not a time; write it like"),
        (("replay", "--at", "2026-01-01", "--until", "3"), "not allowed with"),
        (("--home",), "--home needs a folder."),
    ],
)
def test_wrong_usage_is_a_sentence_and_exit_2(
    ragctl: Ragctl, argv: tuple[str, ...], sentence: str
) -> None:
    result = ragctl(*argv)
    assert result.code == 2 and result.out == ""
    assert sentence in result.err


@pytest.mark.parametrize("before", [True, False])
def test_the_home_option_may_come_before_or_after_the_command(ragctl: Ragctl, before: bool) -> None:
    place = ("--home", "/somewhere/else")
    result = ragctl(*place, "config", "path") if before else ragctl("config", "path", *place)
    assert result.out == "/somewhere/else/config.json\n"


def test_json_may_come_before_the_command(ragctl: Ragctl) -> None:
    assert ragctl("--json", "config", "path").json["exists"] is True


def test_an_unforeseen_error_is_a_sentence(ragctl: Ragctl, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(argv: object) -> int:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(cli, "run", explode)
    result = ragctl("status")
    assert result.code == 1 and result.out == ""
    assert "inside ragctl (ZeroDivisionError)" in result.err and "RAGCTL_DEBUG=1" in result.err
    assert "Traceback" not in result.err
    monkeypatch.setenv("RAGCTL_DEBUG", "1")
    assert "Traceback" in ragctl("status").err


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (PermissionError(13, "Permission denied", "/x"), 77),
        (IsADirectoryError(21, "Is a directory", "/x"), 1),
    ],
)
def test_an_os_error_is_a_sentence(
    ragctl: Ragctl, monkeypatch: pytest.MonkeyPatch, raised: OSError, code: int
) -> None:
    def refuse(argv: object) -> int:
        raise raised

    monkeypatch.setattr(cli, "run", refuse)
    result = ragctl("status")
    assert result.code == code
    assert result.err == f"ragctl: {raised.strerror}: /x.\n"


def failure(err: str) -> dict[str, Any]:
    """What a program finds on stderr: one line, one object."""
    assert err.count("\n") == 1
    said = json.loads(err)
    assert set(said) == {"error"} and set(said["error"]) == {"code", "message", "suggestion"}
    return dict(said["error"])


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (("--json", "statsu"), 2, "Did you mean `status`?"),
        (("status", "--jsno", "--json"), 2, "Did you mean `--json`?"),
        (("status", "--no-start", "--json"), 3, "ragd is not running."),
        (("config", "get", "wach", "--json"), 78, "`wach` is not a known key."),
    ],
)
def test_programs_get_a_failure_as_an_object(
    ragctl: Ragctl, argv: list[str], code: int, words: str
) -> None:
    result = ragctl(*argv)
    assert (result.code, result.out) == (code, "")
    assert words in failure(result.err)["message"] and failure(result.err)["code"] is None


def test_programs_get_the_daemons_code(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.job_refusal = ("DISK_FULL", "The disk is full.")
    result = ragctl("reindex", "--json")
    assert result.code == 2 and failure(result.err)["code"] == "DISK_FULL"


def test_json_after_a_double_dash_is_not_an_option(ragctl: Ragctl) -> None:
    assert ragctl("status", "--", "--json").err.startswith("ragctl: ")


def test_ctrl_c_is_quiet(ragctl: Ragctl, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(argv: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "run", interrupt)
    assert ragctl("status") == (130, "", "")


def test_an_ascii_terminal_gets_plain_signs_and_no_error(
    process: StartProcess, fake: FakeDaemon
) -> None:
    fake.more["vault"] = {"path": "/vault/日記", "found": True}
    child = process("status", PYTHONIOENCODING="ascii")
    out, err = child.communicate()
    assert child.returncode == 0 and err == ""
    assert out.startswith("* healthy") and "\\u65e5" in out


def test_a_cold_status_loads_nothing_heavy(home: Home, fake: FakeDaemon) -> None:
    script = (
        "import sys; from ragctl.__main__ import main; code = main(['status', '--check']);"
        f"print([m for m in {TOO_HEAVY!r} if m in sys.modules], code, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(ragd.__file__).parent.parent,
        capture_output=True,
        text=True,
    )
    assert done.stderr == "[] 0\n"


def test_main_is_what_the_console_script_calls() -> None:
    assert callable(program.main)


def test_an_action_typed_as_a_command_gets_a_suggestion(ragctl: Ragctl) -> None:
    assert "Did you mean `pause resume`?" in ragctl("resume").err
