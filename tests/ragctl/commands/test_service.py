"""`ragctl service`: the files it writes, the commands it runs, and its effect on start and stop.

The service manager is a fake `systemctl` that records its calls.
"""

import json
import os
import plistlib
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import ragd
from ragctl import cli, service_managers
from ragctl.daemon import start as starting
from ragctl.daemon.lockfile import holder
from ragctl.failure import Failure
from ragctl.service_managers import Program
from ragctl.service_managers.launchd import Launchd
from ragctl.service_managers.systemd_unit import quote_unit_word, render_unit
from ragctl.service_managers.task_scheduler import TaskScheduler
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl, pid_of

SCRIPT = """#!/bin/sh
echo "$(basename "$0") $*" >> {calls}
for word; do
    if [ -f {answers}/"$word" ]; then . {answers}/"$word"; fi
done
exit 0
"""
NAME = "ragd-{}.service"
PAGE = Path(ragd.__file__).parent.parent / "docs" / "service.md"


class Manager:
    """A fake service manager."""

    def __init__(self, folder: Path) -> None:
        self._calls = folder / "calls"
        self._answers = folder / "answers"
        self._answers.mkdir(parents=True)
        self.programs = folder / "bin"
        self.programs.mkdir()
        self._calls.touch()
        for name in ("systemctl", "systemd-run"):
            place = self.programs / name
            place.write_text(SCRIPT.format(calls=self._calls, answers=self._answers))
            place.chmod(0o755)

    def answer(self, verb: str, shell: str) -> None:
        """Set the script that runs when it is called with this word."""
        (self._answers / verb).write_text(shell + "\n")

    @property
    def calls(self) -> list[str]:
        """The commands it got, without queries."""
        lines = self._calls.read_text().splitlines()
        return [
            line.removeprefix("systemctl --user ")
            for line in lines
            if line.startswith("systemctl") and " show " not in line
        ]

    def forget(self) -> None:
        self._calls.write_text("")


@pytest.fixture
def manager(short: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> Manager:
    manager = Manager(short / "manager")
    monkeypatch.setenv("PATH", f"{manager.programs}:/usr/bin:/bin")
    monkeypatch.setattr(sys, "platform", "linux")
    return manager


@pytest.fixture
def name(home: Home) -> str:
    return NAME.format(home.fingerprint)


@pytest.fixture
def unit_file(short: Path, name: str) -> Path:
    return short / "user/.config/systemd/user" / name


@pytest.fixture
def kept(manager: Manager, fake: FakeDaemon) -> Manager:
    """The manager has started the running daemon."""
    manager.answer("show", f"echo MainPID={os.getpid()}; echo ActiveState=active")
    return manager


def tree(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


# Install


def test_a_dry_run_shows_the_file_and_the_commands_and_changes_nothing(
    ragctl: Ragctl, home: Home, manager: Manager, short: Path, name: str, unit_file: Path
) -> None:
    before = tree(short)
    result = ragctl("service", "install", "--dry-run")
    assert result.code == 0 and result.err == ""
    assert f"written to {unit_file}:" in result.out and "    [Service]" in result.lines
    run = ["daemon-reload", f"enable {name}", f"start {name}"]
    assert [line.strip() for line in result.lines[-5:-2]] == [f"systemctl --user {r}" for r in run]
    assert result.lines[-1] == "Nothing was changed."
    assert tree(short) == before and manager.calls == []


def test_a_dry_run_needs_no_systemd(
    ragctl: Ragctl, manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert ragctl("service", "install", "--dry-run").code == 0


def test_it_writes_the_unit_and_starts_it(
    ragctl: Ragctl, kept: Manager, name: str, unit_file: Path
) -> None:
    result = ragctl("service", "install")
    assert result.code == 0
    assert kept.calls == ["daemon-reload", f"enable {name}", f"start {name}"]
    assert result.lines[0] == f"Wrote {unit_file}"
    assert f"Ran   systemctl --user enable {name}" in result.lines
    assert stat.S_IMODE(unit_file.stat().st_mode) == 0o644
    text = unit_file.read_text()
    home = os.environ["OBSIDIAN_RAG_HOME"]
    assert f'ExecStart=:"{sys.executable}" "-m" "ragd" "--home" "{home}"\n' in text
    for line in ("Type=notify", "Restart=on-failure", "RestartPreventExitStatus=73 77 78"):
        assert f"\n{line}\n" in text
    assert "enable-linger" in result.err


def test_a_second_install_restarts_nothing(
    ragctl: Ragctl, kept: Manager, name: str, unit_file: Path
) -> None:
    assert ragctl("service", "install", "--json").json["written"] is True
    before = unit_file.stat()
    kept.forget()
    said = ragctl("service", "install", "--json").json
    assert said["written"] is False
    assert unit_file.stat().st_mtime_ns == before.st_mtime_ns
    assert kept.calls == ["daemon-reload", f"enable {name}", f"start {name}"]


def test_a_changed_unit_is_restarted(
    ragctl: Ragctl, kept: Manager, name: str, unit_file: Path
) -> None:
    ragctl("service", "install")
    unit_file.write_text(unit_file.read_text().replace("WatchdogSec=60", "WatchdogSec=5"))
    kept.forget()
    assert ragctl("service", "status", "--json").json["up_to_date"] is False
    assert "The file is out of date" in ragctl("service", "status").err
    assert ragctl("service", "install").code == 0
    assert kept.calls[-1] == f"restart {name}"
    assert ragctl("service", "status", "--json").json["up_to_date"] is True


def test_unsupported_settings_are_left_out_of_the_unit(
    ragctl: Ragctl, kept: Manager, unit_file: Path
) -> None:
    assert ragctl("service", "install", "--json").json["sandboxed"] is True
    assert "ProtectSystem=strict" in unit_file.read_text()
    kept.answer("--user", 'case "$0" in *systemd-run) exit 217;; esac')
    result = ragctl("service", "install", "--json")
    assert result.json["sandboxed"] is False and "without a sandbox" in result.err
    assert "ProtectSystem" not in unit_file.read_text()
    assert "NoNewPrivileges=yes" in unit_file.read_text()
    assert ragctl("service", "status", "--json").json["up_to_date"] is True


def test_an_unmanaged_daemon_is_stopped_first(
    ragctl: Ragctl, manager: Manager, fake: FakeDaemon, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragctl.commands.service.ANSWERS_WITHIN_S", 0.0)
    manager.answer("start", f"touch {home.root}/started")
    result = ragctl("service", "install")
    assert fake.requests.count("POST /v1/stop") == 1
    assert "Stopped the daemon that ran without the service" in result.err
    assert result.code == 1 and "does not answer" in result.err  # nobody is there any more
    assert os.path.exists(f"{home.root}/started")


def test_an_index_elsewhere_can_be_written(
    ragctl: Ragctl, kept: Manager, home: Home, short: Path, unit_file: Path
) -> None:
    place = short / "index 100%"
    config = json.loads(Path(home.config).read_text())
    Path(home.config).write_text(json.dumps({**config, "vector_store": {"path": str(place)}}))
    assert ragctl("service", "install").code == 0
    assert f'ReadWritePaths="{short}/index 100%%"\n' in unit_file.read_text()
    assert place.is_dir()


def test_a_new_index_folder_needs_another_install(
    ragctl: Ragctl, kept: Manager, short: Path
) -> None:
    place = str(short / "elsewhere")
    assert "service" not in ragctl("config", "set", "vector_store.path", place).err
    ragctl("service", "install")
    result = ragctl("config", "set", "vector_store.path", f"{place}2")
    assert result.code == 0 and "run `ragctl service install`" in result.err
    assert ragctl("service", "status", "--json").json["up_to_date"] is False


def test_without_a_configuration_nothing_is_installed(
    ragctl: Ragctl, manager: Manager, home: Home, unit_file: Path
) -> None:
    os.unlink(home.config)
    result = ragctl("service", "install")
    assert result.code == 78 and "`ragctl init" in result.err
    assert not unit_file.exists() and manager.calls == []


def test_a_file_that_ragctl_did_not_write_is_left_alone(
    ragctl: Ragctl, kept: Manager, unit_file: Path
) -> None:
    unit_file.parent.mkdir(parents=True)
    unit_file.write_text("[Service]\nExecStart=/bin/true\n")
    for action in ("install", "uninstall", "status"):
        result = ragctl("service", action)
        assert result.code == 1 and "ragctl did not write it" in result.err
    assert unit_file.read_text() == "[Service]\nExecStart=/bin/true\n"
    assert kept.calls == []


@pytest.mark.parametrize("action", ["install", "uninstall"])
def test_without_systemd_the_message_says_what_to_do(
    ragctl: Ragctl, kept: Manager, unit_file: Path, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if action == "uninstall":
        ragctl("service", "install")
    there = unit_file.exists()
    monkeypatch.setenv("PATH", "/nowhere")
    result = ragctl("service", action)
    assert result.code == 1 and "there is no `systemctl`" in result.err
    assert "every command that needs the daemon starts it" in result.err
    assert unit_file.exists() is there


def test_a_systemd_that_cannot_be_reached_is_quoted(
    ragctl: Ragctl, manager: Manager, unit_file: Path
) -> None:
    manager.answer("show", "echo Failed to connect to bus: No medium found >&2; exit 1")
    result = ragctl("service", "install")
    assert result.code == 1 and "cannot be reached: Failed to connect to bus" in result.err
    assert "su and sudo do not count" in result.err and not unit_file.exists()


def test_a_command_that_fails_is_quoted(ragctl: Ragctl, kept: Manager, name: str) -> None:
    kept.answer("enable", "echo Read-only file system >&2; exit 1")
    result = ragctl("service", "install")
    assert result.code == 1
    assert f"`systemctl --user enable {name}` failed: Read-only file system" in result.err
    assert kept.calls == ["daemon-reload", f"enable {name}"]


def test_the_usual_home_has_the_short_name(short: Path, manager: Manager) -> None:
    usual = service_managers.service_manager().plan(Home(str(short / "user/.obsidian-rag")))
    assert usual.name == "ragd.service"
    assert service_managers.service_manager().plan(Home("/elsewhere")).name.startswith("ragd-")


def test_an_unknown_platform_is_reported(ragctl: Ragctl, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "sunos5")
    result = ragctl("service", "install")
    assert result.code == 1 and "does not support a service manager on sunos5" in result.err


# Uninstall


def test_it_removes_what_it_wrote_and_nothing_else(
    ragctl: Ragctl, kept: Manager, name: str, unit_file: Path, short: Path
) -> None:
    unit_file.parent.mkdir(parents=True)
    (unit_file.parent / "other.service").touch()
    drop_in = unit_file.parent / f"{name}.d" / "mine.conf"
    drop_in.parent.mkdir()
    drop_in.touch()
    before = tree(short / "user")
    ragctl("service", "install")
    kept.forget()
    result = ragctl("service", "uninstall")
    assert result.code == 0 and f"Removed {unit_file}" in result.lines
    assert kept.calls == [f"disable --now {name}", "daemon-reload", f"reset-failed {name}"]
    assert tree(short / "user") == before


def test_it_removes_nothing_in_a_dry_run(
    ragctl: Ragctl, kept: Manager, name: str, unit_file: Path
) -> None:
    ragctl("service", "install")
    kept.forget()
    result = ragctl("service", "uninstall", "--dry-run")
    assert result.code == 0 and "nothing was changed" in result.out
    assert f"    systemctl --user disable --now {name}" in result.lines
    assert unit_file.exists() and kept.calls == []


def test_nothing_to_remove_is_fine(ragctl: Ragctl, manager: Manager, home: Home) -> None:
    result = ragctl("service", "uninstall")
    assert result == (0, f"No service is installed for {home.root}.\n", "")
    assert ragctl("service", "uninstall", "--json").json["removed"] == []
    assert manager.calls == []


def test_uninstall_accepts_a_unit_that_systemd_no_longer_knows(
    ragctl: Ragctl, kept: Manager, unit_file: Path
) -> None:
    ragctl("service", "install")
    kept.answer("reset-failed", "exit 1")
    assert ragctl("service", "uninstall").code == 0 and not unit_file.exists()


# Status


def test_the_status_without_a_service_is_exit_3(ragctl: Ragctl, manager: Manager) -> None:
    result = ragctl("service", "status")
    assert result.code == 3 and "No service is installed" in result.out
    assert "`ragctl service install`" in result.err


def test_the_status_is_what_the_manager_reports(
    ragctl: Ragctl, kept: Manager, name: str, unit_file: Path
) -> None:
    ragctl("service", "install")
    kept.answer(
        "show",
        "echo ActiveState=active; echo SubState=running; echo MainPID=42;"
        "echo UnitFileState=enabled; echo 'StatusText=degraded: INDEX_STALE'",
    )
    said = ragctl("service", "status", "--json").json
    assert said == {
        "manager": "systemd",
        "name": name,
        "file": str(unit_file),
        "untested": False,
        "installed": True,
        "up_to_date": True,
        "at_login": True,
        "state": "active (running)",
        "pid": 42,
        "says": "degraded: INDEX_STALE",
    }
    assert "degraded: INDEX_STALE" in ragctl("service", "status").out


def test_a_failed_service_is_shown_with_its_error_and_the_next_step(
    ragctl: Ragctl, kept: Manager
) -> None:
    ragctl("service", "install")
    kept.answer("show", "echo ActiveState=failed; echo Result=exit-code; echo ExecMainStatus=78")
    result = ragctl("service", "status")
    assert result.code == 3 and "failed (exit-code 78)" in result.out
    assert "`ragctl start`" in result.err


def test_a_manager_that_does_not_answer_is_reported(ragctl: Ragctl, kept: Manager) -> None:
    ragctl("service", "install")
    kept.answer("show", "exit 1")
    result = ragctl("service", "status")
    assert result.code == 3 and "systemd gave no answer" in result.out


def test_a_broken_configuration_does_not_hide_the_status(
    ragctl: Ragctl, kept: Manager, home: Home
) -> None:
    ragctl("service", "install")
    Path(home.config).write_text("{")
    assert ragctl("service", "status", "--json").json["up_to_date"] is None


# Start and stop


@pytest.fixture
def no_spawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("a daemon was started beside the service")

    monkeypatch.setattr(starting, "spawn_daemon", refuse)


def test_a_start_goes_through_the_service(
    ragctl: Ragctl, kept: Manager, home: Home, name: str, no_spawn: None
) -> None:
    ragctl("service", "install")
    kept.forget()
    starting.start_daemon(home)
    assert kept.calls == [f"start {name}"]


def test_ragctl_starts_the_daemon_if_the_service_cannot(
    ragctl: Ragctl, manager: Manager, home: Home, name: str, unit_file: Path
) -> None:
    unit_file.parent.mkdir(parents=True)
    unit_file.write_text("# Written by `ragctl service install`\n")
    manager.answer("start", "exit 1")
    result = ragctl("start")
    assert result.code == 0
    assert f"The service {name} could not start ragd, so ragctl did" in result.err
    assert manager.calls == [f"start {name}"]
    assert ragctl("stop").code == 0


def test_the_daemon_explains_why_the_service_cannot_start(
    ragctl: Ragctl, manager: Manager, home: Home, unit_file: Path
) -> None:
    unit_file.parent.mkdir(parents=True)
    unit_file.write_text("# Written by `ragctl service install`\n")
    manager.answer("start", "exit 1")
    Path(home.config).write_text("{")
    result = ragctl("start")
    assert result.code == 78 and "JSON" in result.err and "service" not in result.err


def test_a_stop_says_that_the_service_comes_back_at_login(
    ragctl: Ragctl, kept: Manager, fake: FakeDaemon, name: str
) -> None:
    ragctl("service", "install")
    kept.forget()
    result = ragctl("stop")
    assert result.code == 0 and result.out.startswith("ragd stopped (pid ")
    assert f"The service {name} starts it again at your next login" in result.err
    assert "`ragctl service uninstall`" in result.err
    assert kept.calls == [f"stop {name}"] and holder(fake.home) is None


def test_a_stop_prevents_a_pending_restart(
    ragctl: Ragctl, kept: Manager, fake: FakeDaemon, name: str, home: Home
) -> None:
    ragctl("service", "install")
    fake.close()
    kept.forget()
    kept.answer("show", "echo ActiveState=activating; echo SubState=auto-restart")
    result = ragctl("stop")
    assert (result.code, result.out) == (0, "ragd stopped.\n")
    assert kept.calls == [f"stop {name}"]


def test_a_stop_without_a_daemon_is_still_exit_3(
    ragctl: Ragctl, kept: Manager, fake: FakeDaemon
) -> None:
    ragctl("service", "install")
    fake.close()
    kept.answer("show", "echo ActiveState=inactive; echo SubState=dead")
    assert ragctl("stop").code == 3


def test_a_daemon_that_ragctl_starts_does_not_inherit_the_notify_socket(
    ragctl: Ragctl, home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(short / "notify"))
    assert ragctl("start").code == 0
    environment = Path(f"/proc/{pid_of(home)}/environ").read_bytes()
    assert b"NOTIFY_SOCKET" not in environment
    assert ragctl("stop").code == 0


# The page


def test_the_page_shows_commands_that_exist() -> None:
    block = re.search(r"^```\n(.*?)^```", PAGE.read_text(), re.S | re.M)
    assert block is not None
    for line in block[1].splitlines():
        verb, *given = line.partition("#")[0].split()[1:]
        cli.parse_command(verb, given)


@pytest.mark.parametrize(
    ("heading", "sandbox"), [("These lines are", False), ("These lines need", True)]
)
def test_every_line_that_the_page_explains_is_in_the_unit(heading: str, sandbox: bool) -> None:
    table = PAGE.read_text().partition(f"\n{heading}")[2].partition("| line |")[2]
    rows = [row.split("|")[1] for row in table.partition("\n\n")[0].splitlines()[2:]]
    lines = [line for row in rows for line in re.findall(r"`([^`]+)`", row) if "@p" not in line]
    text = render_unit(program("/srv/h"), sandbox=sandbox)
    assert len(lines) >= 8
    for line in lines:
        assert f"\n{line.rstrip('…')}" in text


# What is written


PYTHON = "/bin/sh"  # stands for the interpreter: it exists everywhere, in no temporary folder


def program(root: str, python: str = PYTHON, vault: str = "/vault") -> Program:
    home = Home(root)
    command = (python, "-m", "ragd", "--home", home.root)
    return Program(command, {"PYTHONSAFEPATH": "1"}, home, vault, (home.root,))


STRANGE = '/srv/r %h "q" $HOME ${X} \\n 日本 ; # \u00a0x'


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("/a b", '"/a b"'),
        ("/100%", '"/100%%"'),
        ('/"', '"/\\""'),
        ("/\\", '"/\\\\"'),
        ("/ü", '"/ü"'),
    ],
)
def test_special_characters_are_escaped_in_a_unit(word: str, text: str) -> None:
    assert quote_unit_word(word) == text


@pytest.mark.parametrize("name", ["/a\nb", "/a\tb", "/a\x7f", "/\udcff"])
def test_a_name_that_a_unit_cannot_hold_is_refused(name: str) -> None:
    with pytest.raises(Failure, match="A systemd unit cannot contain"):
        render_unit(program(name), sandbox=False)


@pytest.mark.parametrize("sign", ['"', "'", "\\"])
def test_a_program_that_systemd_cannot_run_is_refused(sign: str) -> None:
    with pytest.raises(Failure, match="Install ragd in another folder"):
        render_unit(program("/home", python=f"/opt/{sign}/python"), sandbox=False)


def test_temporary_files_are_private_unless_ragd_has_files_there() -> None:
    assert "PrivateTmp=yes" in render_unit(program("/srv/h"), sandbox=True)
    for there in (
        program("/tmp/h"),
        program("/srv/h", vault="/var/tmp/v"),
        program("/srv/h", python="/tmp/clone/.venv/bin/python"),
    ):
        text = render_unit(there, sandbox=True)
        assert "PrivateTmp" not in text and "ReadWritePaths=/tmp\n" in text


needs_systemd_analyze = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze"
)


@pytest.fixture
def analyze(short: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """What systemd itself reports about a unit; it must accept the unit."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    version = subprocess.run(["systemd-analyze", "--version"], capture_output=True, text=True)
    if int(version.stdout.split()[1]) < 250:
        pytest.skip("this systemd-analyze cannot look at a file without a running systemd")

    def ask(text: str, *words: str) -> str:
        file = short / "ragd.service"
        file.write_text(text)
        done = subprocess.run(
            ["systemd-analyze", "--user", *words, str(file)], capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    return ask


@needs_systemd_analyze
@pytest.mark.parametrize("sandbox", [True, False])
@pytest.mark.parametrize("root", ["/srv/plain", STRANGE])
def test_systemd_understands_the_unit(
    analyze: Callable[..., str], root: str, sandbox: bool
) -> None:
    analyze(render_unit(program(root, vault=STRANGE), sandbox=sandbox), "verify", "--man=no")


@needs_systemd_analyze
def test_systemd_finds_little_to_attack(analyze: Callable[..., str]) -> None:
    """It judges the unit as if root ran it, and does not expect that a vault must be readable."""
    words = ("security", "--offline=true", "--no-pager", "--threshold=25")
    assert "Overall exposure level" in analyze(render_unit(program("/srv/h"), sandbox=True), *words)


def test_the_launchd_agent_is_valid(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = plistlib.loads(Launchd().content(program(STRANGE), sandbox=False))
    assert agent["ProgramArguments"] == [PYTHON, "-m", "ragd", "--home", STRANGE]
    assert agent["KeepAlive"] == {"SuccessfulExit": False} and agent["RunAtLoad"] is True
    plan = Launchd().plan(Home(STRANGE))
    assert plan.file.endswith(f"Library/LaunchAgents/{agent['Label']}.plist") and plan.untested


def test_the_windows_task_is_valid(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("USERNAME", "ada & co")
    monkeypatch.setenv("USERDOMAIN", "HOME")
    written = TaskScheduler().content(program('/srv/a b <"&">'), sandbox=False)
    task = ElementTree.fromstring(written.decode("utf-16").partition("?>")[2])
    say = {element.tag.rpartition("}")[2]: element.text for element in task.iter()}
    assert say["UserId"] == "HOME\\ada & co"
    assert say["Command"] == PYTHON
    assert say["Arguments"] == '-P -m ragd --home "/srv/a b <\\"&\\">"'
    assert TaskScheduler().plan(home).untested


@pytest.mark.parametrize(("platform", "manager_name"), [("darwin", "launchd"), ("win32", "Task")])
def test_an_untested_manager_is_reported_as_untested(
    ragctl: Ragctl,
    home: Home,
    short: Path,
    platform: str,
    manager_name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = tree(short)
    keeper = Launchd() if platform == "darwin" else TaskScheduler()
    monkeypatch.setattr("ragctl.commands.service.service_manager", lambda: keeper)
    result = ragctl("service", "install", "--dry-run", "--json")
    assert result.code == 0 and result.json["untested"] is True
    assert manager_name in result.err and "has never been run" in result.err
    assert result.json["manager"].startswith(manager_name)
    assert tree(short) == before
    assert "untested" in ragctl("service", "--help").out


def test_the_unit_runs_this_installation(home: Home) -> None:
    from ragctl.service_managers.daemon_command import build_program

    found = build_program(home)
    assert found.command[0] == sys.executable
    assert found.environment["PYTHONPATH"] == str(Path(ragd.__file__).parent.parent)


def test_purge_leaves_no_service_behind(
    ragctl: Ragctl, home: Home, kept: Manager, unit_file: Path
) -> None:
    assert ragctl("service", "install").code == 0
    refused = ragctl("purge", "--yes")
    assert refused.code == 1 and "ragctl service uninstall" in refused.err
    assert unit_file.exists() and os.path.exists(home.config)
