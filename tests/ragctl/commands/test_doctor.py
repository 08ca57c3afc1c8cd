"""`ragctl doctor`: what is wrong, and what to do about it, with the daemon down."""

import os
import threading
from pathlib import Path

import pytest

from ragctl.commands.doctor import CHECKS, render_findings
from ragctl.doctor.checks import Finding, daemon, log, ok, vault
from ragctl.doctor.checks import home as home_checks
from ragctl.doctor.run_checks import Check, run_checks
from ragctl.views.render import Ink
from ragd.eventlog.frame import FORMAT, Record, SegmentHeader, encode, encode_header
from ragd.eventlog.segment import segment_name
from ragd.events import DaemonStarted
from ragd.paths import Home
from tests.patience import PATIENCE_S
from tests.ragctl.conftest import FakeDaemon, Ragctl

STARTED = DaemonStarted(version="0.1.0", config_hash="c", previous_stop="none")


def write_log(place: Home, *, ts: str = "2026-11-15T14:00:00.000000Z", min_reader: int = 1) -> Path:
    events = Path(place.events)
    events.mkdir(exist_ok=True)
    header = encode_header(SegmentHeader(FORMAT, min_reader, "ragd test", 1))
    lines = [encode(Record(n, n - 1, ts, "01RUN", "daemon", None, STARTED)) for n in (1, 2, 3)]
    path = events / segment_name(1)
    path.write_bytes(header + b"".join(lines))
    return path


def test_a_fresh_home_has_nothing_wrong(ragctl: Ragctl) -> None:
    result = ragctl("doctor")
    assert result.code == 0 and result.err == ""
    assert result.lines[-1] == "All checks passed."
    for name in CHECKS:
        assert f"✓ {name}" in result.out


def test_json_has_every_check_with_verdict_and_fix(ragctl: Ragctl, home: Home) -> None:
    os.unlink(home.config)
    result = ragctl("doctor", "--json")
    assert result.code == 1 and result.json["ok"] is False
    checks = {check["name"]: check for check in result.json["checks"]}
    assert list(checks) == list(CHECKS)
    assert checks["config"]["verdict"] == "fail" and "ragctl init" in checks["config"]["fix"]
    assert checks["vault"]["verdict"] == "warn"
    assert set(checks["lock"]) == {"name", "verdict", "message", "fix"}


def test_a_warning_alone_is_not_a_failure(ragctl: Ragctl, home: Home) -> None:
    os.chmod(home.root, 0o755)
    result = ragctl("doctor")
    assert result.code == 0 and "▲ home" in result.out
    assert "→ Run `chmod 700" in result.out and "1 warning." in result.lines[-1]


def test_checks_that_need_the_configuration_share_one_line(ragctl: Ragctl, home: Home) -> None:
    Path(home.config).write_text("{")
    result = ragctl("doctor")
    assert result.code == 1 and result.out.count("Fix the configuration first.") == 1
    [line] = [line for line in result.lines if "because there is no valid configuration" in line]
    assert line.split(": ")[1].split(", ")[:3] == ["places", "vault", "collections"]
    waiting = [
        one
        for one in ragctl("doctor", "--json").json["checks"]
        if "no valid configuration" in one["message"]
    ]
    assert len(waiting) == 8


def test_the_list_of_checks_is_complete() -> None:
    assert len(CHECKS) >= 15
    assert set(CHECKS) >= {
        *("config", "home", "socket", "lock", "log", "disk space", "inotify", "vault", "notes"),
        *("obsidian", "provider", "weights", "index", "libraries", "network", "clock"),
    }


def test_a_hanging_check_does_not_delay_the_others(home: Home) -> None:
    forever = threading.Event()

    def hang(place: object) -> Finding:
        forever.wait(PATIENCE_S)
        return ok("late")

    def explode(place: object) -> Finding:
        raise ZeroDivisionError

    def come_late(place: object) -> Finding:
        began.wait(PATIENCE_S)
        return ok("in its own time")

    began = threading.Event()
    checks = {
        "hangs": Check(hang, 0.1),
        "works": Check(lambda place: ok("yes")),
        "explodes": Check(explode),
        "takes longer": Check(come_late, PATIENCE_S),
    }
    threading.Timer(0.3, began.set).start()
    found = run_checks(home, checks)
    forever.set()
    assert [found[name].verdict for name in checks] == ["fail", "ok", "fail", "ok"]
    assert "no answer within 0.1 s" in found["hangs"].message
    assert "ZeroDivision" in found["explodes"].message
    assert "2 checks failed." in render_findings(found, Ink())


def test_a_hanging_disk_does_not_hang_doctor(
    ragctl: Ragctl, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening a FIFO without a writer hangs, as a file on a lost network drive does."""
    path = Path(home.snapshots) / "0000000000000003.json"
    path.parent.mkdir()
    os.mkfifo(path)
    some = {name: CHECKS[name] for name in ("python", "config", "home", "lock", "vault")}
    hangs = {"snapshots": CHECKS["snapshots"]._replace(within_s=0.3)}
    monkeypatch.setattr("ragctl.commands.doctor.CHECKS", {**hangs, **some})
    result = ragctl("doctor", "--json")
    os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))  # unblocks the thread
    verdicts = {check["name"]: check["verdict"] for check in result.json["checks"]}
    assert verdicts == {"snapshots": "fail"} | dict.fromkeys(some, "ok")


def test_no_daemon_is_started(ragctl: Ragctl, home: Home) -> None:
    ragctl("doctor")
    assert not os.path.exists(home.lock) and not os.path.exists(home.socket)


def test_files_of_another_user_are_found(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    finding = home_checks.permissions(home)
    assert finding.verdict == "fail" and "chown -R" in finding.fix


def test_a_missing_home_is_fine(home: Home) -> None:
    os.unlink(home.config)
    os.rmdir(home.root)
    assert home_checks.permissions(home).verdict == "ok"
    assert home_checks.space(home).verdict == "ok"


@pytest.mark.parametrize(("free", "verdict"), [(10**6, "fail"), (10**9, "warn"), (10**12, "ok")])
def test_little_disk_space_is_reported(
    home: Home, monkeypatch: pytest.MonkeyPatch, free: int, verdict: str
) -> None:
    import shutil
    from types import SimpleNamespace

    monkeypatch.setattr(shutil, "disk_usage", lambda place: SimpleNamespace(free=free))
    assert home_checks.space(home).verdict == verdict


def test_the_lock_names_its_holder(home: Home, fake: FakeDaemon) -> None:
    assert f"pid {os.getpid()}" in daemon.lock(home).message
    assert daemon.socket(home).verdict == "ok"
    fake.close()
    assert daemon.lock(home).message == "free: no daemon is running"
    assert daemon.socket(home).message == "none: no daemon is running"


def test_a_holder_of_another_version_is_a_warning(home: Home, fake: FakeDaemon) -> None:
    Path(home.lock).write_text('{"pid": 7, "version": "0.0.1"}')
    finding = daemon.lock(home)
    assert finding.verdict == "warn" and "0.0.1" in finding.message


def test_a_stale_or_blocked_socket_is_reported(home: Home) -> None:
    import socket

    end = socket.socket(socket.AF_UNIX)
    end.bind(home.socket)
    end.close()
    os.chmod(home.socket, 0o600)
    assert "left behind" in daemon.socket(home).message
    os.chmod(home.socket, 0o666)
    assert "open to others (mode 0666)" in daemon.socket(home).message
    os.unlink(home.socket)
    Path(home.socket).write_text("")
    assert "is not a socket" in daemon.socket(home).message


def test_a_daemon_of_another_version_is_a_warning(home: Home, fake: FakeDaemon) -> None:
    fake.version = "9.9.9"
    assert daemon.socket(home).verdict == "warn" and "9.9.9" in daemon.socket(home).message


def test_the_health_of_a_running_daemon_is_reported(home: Home, fake: FakeDaemon) -> None:
    assert daemon.health(home) == ok("healthy")
    fake.be("degraded", "OLLAMA_UNREACHABLE", "INDEX_STALE")
    finding = daemon.health(home)
    assert finding.verdict == "warn" and "INDEX_STALE: " in finding.message
    assert "ollama serve" in finding.fix
    fake.be("unavailable", "INDEX_NOT_FOUND")
    assert daemon.health(home).verdict == "fail"
    fake.close()
    assert daemon.health(home).verdict == "ok"


def test_a_daemon_that_does_not_listen_yet_is_reported(home: Home, fake: FakeDaemon) -> None:
    os.rename(home.socket, f"{home.socket}.away")
    assert "starting or stopping" in daemon.socket(home).message
    os.rename(f"{home.socket}.away", home.socket)


def test_a_whole_log_is_counted(home: Home) -> None:
    assert log.integrity(home).message == "no log yet"
    write_log(home)
    assert log.integrity(home) == ok("3 facts in 1 segment, all intact")


def test_damage_is_a_failure_and_a_torn_tail_a_warning(home: Home) -> None:
    path = write_log(home)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert log.integrity(home).verdict == "warn"
    path.write_bytes(whole.replace(b'"seq":2', b'"seq":7'))
    finding = log.integrity(home)
    assert finding.verdict == "fail" and "damaged at 2" in finding.message


def test_an_incomplete_tail_is_not_damage_while_a_daemon_writes(
    home: Home, fake: FakeDaemon
) -> None:
    path = write_log(home)
    path.write_bytes(path.read_bytes()[:-9])
    assert log.integrity(home).verdict == "ok"


def test_damaged_parts_that_were_set_aside_are_counted(home: Home) -> None:
    write_log(home)
    aside = Path(home.events) / "aside"
    aside.mkdir()
    (aside / "0000000000000001.ndjson.0000000000000099.tail").write_text("x")
    assert log.integrity(home).verdict == "ok"
    (aside / "0000000000000001.ndjson.0000000000000003.damaged").write_text("x")
    assert "1 damaged part set aside" in log.integrity(home).message


def test_a_log_of_a_newer_version_is_a_failure(home: Home) -> None:
    write_log(home, min_reader=99)
    assert "newer version" in log.integrity(home).message


def test_a_damaged_snapshot_is_a_warning(home: Home) -> None:
    assert log.snapshots(home).verdict == "ok"
    folder = Path(home.snapshots)
    folder.mkdir()
    (folder / "0000000000000003.json").write_text("nonsense")
    assert log.snapshots(home).verdict == "warn"


def test_a_log_from_the_future_is_a_warning(home: Home) -> None:
    assert log.clock(home).verdict == "ok"
    write_log(home)
    write_log(home, ts="2999-01-01T00:00:00.000000Z")
    finding = log.clock(home)
    assert finding.verdict == "warn" and "in the future" in finding.message


def test_a_missing_or_empty_vault_is_reported(home: Home, short: Path) -> None:
    assert vault.reachable(home).verdict == "ok"
    root = short / "vault"
    root.rename(short / "elsewhere")
    assert vault.reachable(home).verdict == "fail"
    root.mkdir()
    assert vault.reachable(home).verdict == "warn"


def test_too_few_watches_are_reported(
    home: Home, short: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vault.inotify(home).verdict == "ok"
    monkeypatch.setattr(vault, "read_number", lambda path: 1)
    assert vault.inotify(home).verdict == "warn", "hidden folders need no watch"
    (short / "vault" / "folder").mkdir()
    finding = vault.inotify(home)
    assert finding.verdict == "fail" and "fs.inotify.max_user_watches=" in finding.fix


def test_a_missing_vault_is_named_before_anything_advises_a_sync(
    ragctl: Ragctl, fake: FakeDaemon, home: Home, short: Path
) -> None:
    (short / "vault").rename(short / "elsewhere")
    fake.be("unavailable", "INDEX_NOT_FOUND", "VAULT_NOT_FOUND", "INDEXER_FAILED", "INDEX_STALE")
    result = ragctl("doctor")
    advice = [line for line in result.lines if "→" in line]
    assert "Mount it" in advice[0], advice
    before = result.out[: result.out.index("Mount it")]
    assert "ragctl sync" not in before and "ragctl index" not in before
    checks = {check["name"]: check for check in ragctl("doctor", "--json").json["checks"]}
    assert list(checks).index("vault") < list(checks).index("daemon")
    assert checks["daemon"]["fix"].startswith("Mount it")
