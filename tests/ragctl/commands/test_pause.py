"""`ragctl pause`: durations and times as people type them, messages, and a real daemon."""

import fcntl
import json
import os
import signal
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ragctl.arguments.durations import parse_duration, seconds_until
from ragctl.commands.status import render_status
from ragctl.failure import UsageError
from ragctl.views.render import Ink
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl, pid_of

NOW = datetime(2026, 11, 15, 14, 30, tzinfo=UTC)
UNTIL = "2999-01-01T00:00:00.000000Z"
PAUSED = {"since": "2026-11-15T14:30:00.000000Z", "until": UNTIL}


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [("30m", 1800), ("2h", 7200), ("1h30m", 5400), ("90 s", 90), ("1d", 86400), ("5 min", 300)],
)
def test_durations(typed: str, seconds: int) -> None:
    assert parse_duration(typed) == parse_duration(typed.upper()) == seconds


@pytest.mark.parametrize("typed", ["", "45", "soon", "-1h", "0m", "1h30", "2w", "1.5h", "h"])
def test_invalid_durations(typed: str) -> None:
    with pytest.raises(UsageError, match="not a duration"):
        parse_duration(typed)


def test_times_are_local() -> None:
    here = NOW.astimezone()
    later, earlier = here + timedelta(minutes=90), here - timedelta(minutes=90)
    assert seconds_until(later.strftime("%H:%M"), NOW) == 5400
    assert seconds_until(earlier.strftime("%H:%M"), NOW) == 86400 - 5400
    assert seconds_until(later.strftime("%Y-%m-%d %H:%M"), NOW) == 5400
    assert seconds_until("2026-11-15T15:00Z", NOW) == 1800
    assert seconds_until("2026-11-30", NOW) > 13 * 86400


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("25:00", "not a time"),
        ("tea", "not a time"),
        ("2026-13-01", "not a time"),
        ("2020-01-01", "in the past"),
    ],
)
def test_invalid_and_past_times(typed: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        seconds_until(typed, NOW)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("5",), "not a duration"),
        (("resmue",), "not a duration"),
        (("2h", "--until", "18:00"), "a duration or --until, not both"),
        (("31d",), "at most 30 days"),
    ],
)
def test_wrong_usage_sends_no_request(
    ragctl: Ragctl, fake: FakeDaemon, argv: list[str], words: str
) -> None:
    result = ragctl("pause", *argv)
    assert (result.code, result.out) == (2, "") and words in result.err
    assert fake.requests == []


def test_the_status_shows_the_pause_first() -> None:
    data = {"plugin_health": "healthy", "paused": PAUSED}
    lines = render_status(data, Ink()).splitlines()
    assert lines[2].startswith("  Syncing is paused until ") and "not indexed" in lines[2]
    assert "`ragctl pause resume`" in lines[3]


def test_sync_and_wait_mention_the_pause(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more = {"paused": PAUSED, "unindexed_files": 2}
    result = ragctl("sync", "--no-wait")
    assert result.code == 0 and "the pause stays in effect" in result.err
    waited = ragctl("wait", "--for", "idle", "--timeout", "0")
    assert waited.code == 75 and "syncing is paused until" in waited.err


@pytest.mark.slow
def test_a_pause_survives_a_kill_and_ends_automatically(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    quick = {"debounce_s": 0.05, "collect_s": 0.05, "rescan_s": 1}
    config = {"vault_path": str(short / "vault"), "embedding": {"provider": "embedded"}}
    Path(home.config).write_text(json.dumps({**config, "watch": quick}))
    assert ragctl("index").code == 0
    assert ragctl("pause").out.startswith("Syncing is paused until ")
    os.kill(pid_of(home), signal.SIGKILL)
    with open(home.lock, "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
    (short / "vault" / "new.md").write_text("A kingfisher at the weir.\n")
    noticed = ragctl("events", "-f", "--after", "0", "--type", "files_changed", "--limit", "1")
    assert noticed.code == 0
    status = ragctl("status", "--json").json["data"]
    assert status["paused"] and status["unindexed_files"] == 1 and status["total_docs"] == 1
    assert "Syncing is paused until" in ragctl("status").lines[2]
    assert ragctl("pause", "1s", "--json").json["data"]["paused"]["since"]
    assert ragctl("wait", "--for", "idle", "--timeout", "30").code == 0
    status = ragctl("status", "--json").json["data"]
    assert status["paused"] is None and status["total_docs"] == 2
    assert ragctl("pause", "resume").out == "Syncing was not paused.\n"
    ragctl("stop")
    assert ragctl("replay", "--verify").code == 0
