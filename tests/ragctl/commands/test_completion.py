"""`ragctl completion`: a real bash loads the script and completes words with it."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragctl import cli
from ragctl.commands.wait import GOALS
from ragctl.completion import GLOBAL_OPTIONS, read_commands
from ragd.config.keys import dotted_keys
from ragd.events import TAGS
from tests.patience import PATIENCE_S
from tests.ragctl.conftest import Ragctl

Complete = Callable[..., list[str]]
DRIVE = """
source "$1"; shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ragctl
for one in "${COMPREPLY[@]}"; do printf '%s\\n' "$one"; done
"""
WITHIN_S = PATIENCE_S


@pytest.fixture
def script(ragctl: Ragctl, short: Path) -> Path:
    result = ragctl("completion", "bash")
    assert result.code == 0 and result.err == ""
    path = short / "ragctl.bash"
    path.write_text(result.out)
    return path


@pytest.fixture
def complete(script: Path, short: Path) -> Complete:
    """What bash offers when Tab is pressed after the last of these words."""
    (short / "there/My Notes").mkdir(parents=True)
    (short / "there/More").mkdir()
    (short / "there/Music.txt").touch()

    def ask(*words: str) -> list[str]:
        done = subprocess.run(
            ["bash", "--norc", "-c", DRIVE, "bash", str(script), "ragctl", *words],
            cwd=short / "there",
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.splitlines()

    return ask


def test_every_command_is_offered(complete: Complete) -> None:
    assert complete("") == [*cli.PURPOSES, "help"]
    assert complete("st") == ["status", "start", "stop"]
    assert complete("help", "rep") == ["replay"]
    assert complete("nonsense") == []


@pytest.mark.parametrize("verb", cli.PURPOSES)
def test_every_option_of_every_command_is_offered(complete: Complete, verb: str) -> None:
    _, parser = cli.load_command(verb)
    long = set(re.findall(r"^  (?:-\w[^,]*, )?(--[\w-]+)", parser.format_help(), re.M))
    assert long and set(complete(verb, "--")) == long
    assert complete(verb, "--hom") == ["--home"]


def test_options_before_the_command_are_offered(complete: Complete) -> None:
    assert complete("--") == ["--help", "--home", "--json", "--version"]
    assert complete("--home", "/x", "--json", "sta") == ["status", "start"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("config", ""), ["path", "show", "get", "set", "unset", "validate", "schema"]),
        (("config", "--json", "s"), ["show", "set", "schema"]),
        (("service", "un"), ["uninstall"]),
        (("service", "--dry-run", "i"), ["install"]),
        (("memory", ""), ["list", "search", "store", "write", "earlier", "forget"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("wait", "--for", ""), list(GOALS)),
        (("wait", "--for", "he"), ["healthy"]),
        (("wait", "--for", "=", "he"), ["healthy"]),
        (("wait", "--for", "="), list(GOALS)),
        (("wait", "--timeout", ""), []),
        (("wait", "--for", "idle", "--tim"), ["--timeout"]),
        (("config", "get", "security.s"), ["security.sensitive_sections", "security.sensitive"]),
        (("config", "--json", "set", "search.f"), ["search.fusion", "search.fallback"]),
        (("config", "set", "security.confirm", ""), ["person", "token"]),
        (("approve", "--r"), ["--refuse"]),
        (("config", "unset", "vault"), ["vault_path"]),
        (("config", "set", "security.sensitive", ""), ["block", "flag"]),
        (("config", "set", "security.local_only", "t"), ["true"]),
        (("config", "set", "watch.rescan_s", ""), []),
        (("config", "get", "security.sensitive", ""), []),
        (("config", "path", ""), []),
        (("pause", ""), ["30m", "1h", "2h", "1d", "resume"]),
        (("events", "--type", "job_f"), ["job_finished"]),
        (("events", "--type", "job_started", "--type", "unk"), []),
        (("show", ""), []),
        (("search", "--dir", ""), []),
        (("search", "what", "is"), []),
        (("search", "--", "--js"), []),
        (("unknown", ""), []),
    ],
)
def test_values_are_offered_in_their_place(
    complete: Complete, words: tuple[str, ...], offered: list[str]
) -> None:
    assert complete(*words) == offered


def test_every_key_of_the_configuration_and_every_fact_is_offered(complete: Complete) -> None:
    keys = [key.name for key in dotted_keys()]
    assert all(complete("config", action, "") == keys for action in ("get", "set", "unset"))
    assert complete("events", "--type", "") == [tag for tag in TAGS if tag != "unknown"]


def test_options_are_offered_where_no_argument_is_expected(complete: Complete) -> None:
    assert complete("status", "") == complete("status", "--")


@pytest.mark.parametrize(
    "words",
    [
        *(("init",), ("--home",), ("status", "--home"), ("index", "--vault"), ("replay", "--from")),
        ("config", "set", "vault_path"),
    ],
)
def test_folders_are_offered_where_one_is_expected(
    complete: Complete, words: tuple[str, ...]
) -> None:
    assert sorted(complete(*words, "M")) == ["More", "My Notes"]


def test_files_are_offered_where_one_is_expected(complete: Complete) -> None:
    assert sorted(complete("doctor", "--bundle", "M")) == ["More", "Music.txt", "My Notes"]


class Bash:
    """An interactive bash, with a keyboard."""

    def __init__(self, script: Path, folder: Path) -> None:
        rc = script.with_name("bashrc")
        rc.write_text(f"source {script}\nragctl() {{ printf '<%s>' \"$@\"; echo END; }}\n")
        self._keyboard, screen = pty.openpty()
        self._child = subprocess.Popen(
            ["bash", "--noprofile", "--rcfile", str(rc), "-i"],
            stdin=screen,
            stdout=screen,
            stderr=screen,
            cwd=folder,
            env={**os.environ, "PS1": "$ ", "TERM": "dumb", "INPUTRC": "/dev/null"},
            start_new_session=True,
        )
        os.close(screen)
        self._seen = ""

    def type(self, keys: str) -> None:
        os.write(self._keyboard, keys.encode())

    def until(self, pattern: str) -> str:
        deadline = time.monotonic() + WITHIN_S
        while not (found := re.search(pattern, self._seen)):
            assert time.monotonic() < deadline, self._seen
            if select.select([self._keyboard], [], [], 0.1)[0]:
                self._seen += os.read(self._keyboard, 65536).decode()
        self._seen = ""
        return found[0]

    def close(self) -> None:
        self._child.kill()
        self._child.wait()
        os.close(self._keyboard)


@pytest.fixture
def bash(script: Path, short: Path) -> Iterator[Bash]:
    (short / "there/My Notes").mkdir(parents=True)
    (short / "there/Music.txt").touch()
    bash = Bash(script, short / "there")
    yield bash
    bash.close()


@pytest.mark.parametrize(
    ("keys", "arguments"),
    [
        ("ragctl stat\t--che\t\n", "<status><--check>"),
        ("ragctl wait --for=idl\t--tim\t5\n", "<wait><--for=idle><--timeout><5>"),
        ("ragctl init M\t\n", "<init><My Notes/>"),
        ("ragctl init My\\ N\t\n", "<init><My Notes/>"),
        ('ragctl init "My N\t\n', "<init><My Notes/>"),
        ("ragctl doctor --bundle Mus\t\n", "<doctor><--bundle><Music.txt>"),
    ],
)
def test_tab_completes_at_a_prompt(bash: Bash, keys: str, arguments: str) -> None:
    bash.type(keys)
    assert bash.until(r"<[^\n]*END") == f"{arguments}END"


def test_the_commands_are_those_of_the_help() -> None:
    found = {command.verb: command for command in read_commands()}
    assert list(found) == list(cli.PURPOSES)
    assert {o.names[0] for o in GLOBAL_OPTIONS} == {"--help", "--home", "--json", "--version"}
    [goal] = [o for o in found["wait"].options if "--for" in o.names]
    assert goal.value is not None and goal.value.words == GOALS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_well_formed(ragctl: Ragctl, short: Path, shell: str) -> None:
    made = ragctl("completion", shell)
    assert made.code == 0 and ragctl("completion", shell, "--json").json["script"] == made.out
    for verb, purpose in cli.PURPOSES.items():
        assert verb in made.out and (shell == "bash" or purpose.split("'")[0] in made.out)
    head = [line for line in made.out.splitlines()[:5] if line.startswith("#   ")]
    assert len(head) == 1 and f"ragctl completion {shell}" in head[0]
    assert "config set security.sensitive" in made.out
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here to read its script")
    path = short / "script"
    path.write_text(made.out)
    done = subprocess.run([shell, "-n", str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_shell_gets_a_suggestion(ragctl: Ragctl) -> None:
    result = ragctl("completion", "bsh")
    assert result.code == 2 and "Did you mean `bash`?" in result.err
