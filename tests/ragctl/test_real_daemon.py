"""The whole client against the whole daemon: real processes, a real home."""

import json
import os
import signal
from pathlib import Path

import pytest

from ragd.paths import Home
from tests.ragctl.conftest import Ragctl, StartProcess, pid_of

pytestmark = pytest.mark.slow


@pytest.fixture
def daemon(ragctl: Ragctl, home: Home) -> int:
    """The pid of a daemon that has just begun."""
    return int(ragctl("start", "--json").json["pid"])


def test_status_starts_the_daemon_and_waits_for_its_first_look(ragctl: Ragctl, home: Home) -> None:
    result = ragctl("status", "--check")
    assert result.code == 4
    assert result.lines[0].startswith("✗ unavailable")
    assert "INDEX_NOT_FOUND" in result.out and "STARTING" not in result.out
    assert not [name for name in os.listdir(home.root) if "tmp" in name]


def test_scripts_learn_how_it_is_from_the_exit_code(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    ragctl("config", "set", "health.probe_s", "0.05")
    assert ragctl("status", "--check").code == ragctl("wait", "--timeout", "0").code == 4
    assert ragctl("index").code == 0
    assert ragctl("status", "--check").code == ragctl("wait", "--timeout", "0").code == 0
    changes = len(ragctl("events", "--health", "--json").lines)
    (short / "vault").rename(short / "away")
    ragctl("events", "--health", "-f", "--after", "0", "--limit", str(changes + 1))
    assert ragctl("status", "--check").code == ragctl("wait", "--timeout", "0").code == 5
    assert ragctl("wait", "--for", "degraded").code == 0
    assert ragctl("wait", "--for", "healthy", "--timeout", "0.1").code == 75
    ragctl("stop")
    assert ragctl("status", "--check", "--no-start").code == 3


def test_many_starters_end_with_one_daemon(process: StartProcess, home: Home) -> None:
    children = [process("start", "--json") for _ in range(5)]
    said = [json.loads(child.communicate()[0]) for child in children]
    assert [child.returncode for child in children] == [0] * 5
    assert {one["pid"] for one in said} == {pid_of(home)}


def test_stop_ends_it_and_a_second_stop_says_so(ragctl: Ragctl, daemon: int) -> None:
    assert ragctl("stop").out == f"ragd stopped (pid {daemon}).\n"
    with pytest.raises(ProcessLookupError):
        while True:  # the lock is free an instant before the process is gone, and we are its parent
            os.waitpid(daemon, 0)
            os.kill(daemon, 0)
    assert ragctl("stop").code == 3
    assert ragctl("status", "--no-start").code == 3


def test_its_facts_can_be_read_followed_and_replayed(ragctl: Ragctl, daemon: int) -> None:
    facts = [json.loads(line) for line in ragctl("events", "--json").lines]
    assert [fact["seq"] for fact in facts] == list(range(1, len(facts) + 1))
    assert facts[0]["event"]["type"] == "daemon_started"
    first = ragctl("events", "-f", "--after", "0", "--limit", "1").lines
    assert len(first) == 1 and "daemon_started" in first[0]
    then = ragctl("replay", "--until", str(len(facts)), "--json").json
    assert (then["seq"], then["ts"]) == (len(facts), facts[-1]["ts"])
    assert ragctl("replay", "--until", "1", "--json").json["health"]["state"] == "unavailable"


def test_it_helps_with_a_mistyped_kind_of_fact(ragctl: Ragctl, daemon: int) -> None:
    result = ragctl("events", "--type", "daemon_startd")
    assert result.code == 2 and "did you mean `daemon_started`?" in result.err


def test_followers_learn_that_it_stopped(
    process: StartProcess, ragctl: Ragctl, daemon: int
) -> None:
    child = process("events", "-f")
    assert "daemon_started" in child.stdout.readline()
    ragctl("stop")
    _, err = child.communicate()
    assert child.returncode == 3 and "The daemon stopped" in err


def test_a_killed_daemon_is_replaced_by_the_next_command(
    ragctl: Ragctl, home: Home, daemon: int
) -> None:
    os.kill(daemon, signal.SIGKILL)
    os.waitpid(daemon, 0)
    assert "left behind" in ragctl("doctor").out
    assert ragctl("status", "--no-start").code == 3
    assert ragctl("wait", "--for", "idle").code == 0
    assert pid_of(home) != daemon
    stops = [json.loads(line)["event"] for line in ragctl("events", "--json").lines]
    assert [e["previous_stop"] for e in stops if e["type"] == "daemon_started"] == ["none", "crash"]


def test_a_changed_setting_takes_effect_in_it(ragctl: Ragctl, daemon: int) -> None:
    result = ragctl("config", "set", "watch.rescan_s", "600", "--json")
    assert result.code == 0
    assert result.json["daemon"]["applied"] == ["watch.rescan_s"]
    result = ragctl("config", "set", "embedding.provider", "embedded")
    assert "Takes effect after a restart: embedding.provider." in result.err


def test_the_folds_of_its_log_equal_what_it_wrote(ragctl: Ragctl, daemon: int) -> None:
    ragctl("stop")
    assert ragctl("replay", "--verify").code == 0


def test_its_own_log_can_be_read(ragctl: Ragctl, daemon: int) -> None:
    assert "started" in ragctl("logs").out
    assert all(json.loads(line)["level"] for line in ragctl("logs", "--json").lines)


def test_doctor_finds_nothing_wrong_with_it(ragctl: Ragctl, daemon: int) -> None:
    ragctl("index")
    result = ragctl("doctor")
    assert result.code == 0 and f"held by pid {daemon}" in result.out
    assert result.lines[-1] == "All checks passed."


def test_doctor_repeats_what_it_says_of_itself(ragctl: Ragctl, home: Home, daemon: int) -> None:
    ragctl("wait", "--for", "idle")
    result = ragctl("doctor")
    assert result.code == 1 and "INDEX_NOT_FOUND: " in result.out
    assert f"→ Run `ragctl --home {home.root} index` first." in result.out


def test_a_home_whose_path_is_too_long_for_a_socket_works_too(
    ragctl: Ragctl, home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short / "run"))
    (short / "run").mkdir(mode=0o700)
    long = short / ("long" * 30)
    os.rename(home.root, long)
    assert ragctl("start", "--home", str(long)).code == 0
    assert len(os.listdir(short / "run/ragd")) == 1
    assert ragctl("status", "--home", str(long)).code == 0
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short / "another"))  # as another session has it
    assert ragctl("status", "--home", str(long), "--no-start").code == 0
    assert ragctl("stop", "--home", str(long)).code == 0
    os.rename(long, home.root)
