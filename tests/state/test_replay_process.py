"""Replays in a child process: what the child says, and what the daemon makes of it."""

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from ragd.errors import RagdError
from ragd.events import DaemonStarted, DependencyLost, DependencyRecovered, Fact
from ragd.state import replay_process
from ragd.state.history import HistoryPart
from ragd.state.past_state import state_as_json
from ragd.state.replay import replay
from ragd.state.replay_process import ReplayReply, replayed_history, replayed_state, reply_to
from tests.eventlog.homes import Home, a_days_work, work
from tests.patience import PATIENCE_S, wait_until

SMALL = 1_500  # bytes in a segment
STARTED = DaemonStarted(version="1", config_hash="", previous_stop="none")
LOST = DependencyLost(dependency="vault", code="VAULT_NOT_FOUND")
FOUND = DependencyRecovered(dependency="vault")
STORY: list[Fact] = [STARTED, *a_days_work(), LOST, FOUND]


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    """A log of two days with a change of health at the end of each, and a snapshot between."""
    home = Home(tmp_path)
    async with home.ledger(SMALL) as ledger:
        await work(ledger, STORY)
        await ledger.snapshot()
        await work(ledger, STORY)
    return home


def say(home: Home, what: str, *moment: object) -> ReplayReply:
    words = (what, home.events, home.snapshots, *moment)
    return msgspec.json.decode(reply_to([str(word) for word in words]), type=ReplayReply)


def history_of(reply: ReplayReply) -> HistoryPart:
    assert reply.oldest is None
    return msgspec.json.decode(reply.found, type=HistoryPart)


def forget_the_beginning(home: Home) -> int:
    """As retention does: no record before the snapshot is left. Returns the first one."""
    snapshot = home.kept_snapshots[0]
    newer = [path for path in home.segments if int(path.stem) > snapshot]
    for path in home.segments[: home.segments.index(newer[0]) - 1]:
        path.unlink()
    return int(home.segments[0].stem)


# The child


async def test_the_child_says_the_state_after_a_record_and_at_a_time(home: Home) -> None:
    last = 2 * len(STORY)
    for until in (1, 5, len(STORY), last):
        found = replay(home.events, home.snapshots, until=until)
        expected = msgspec.json.encode(state_as_json(found))
        assert bytes(say(home, "state", "--until", until).found) == expected
        at = found.state.last_ts
        by_time = msgspec.json.decode(say(home, "state", "--at", at).found)
        assert (by_time["seq"], by_time["ts"]) == (until, at)


async def test_the_child_says_what_happened_from_the_beginning(home: Home) -> None:
    part = history_of(say(home, "history", "--until", 2 * len(STORY)))
    assert [one.seq for one in part.changes if "VAULT_NOT_FOUND" in one.reasons] == [
        len(STORY) - 1,
        2 * len(STORY) - 1,
    ]
    assert len(part.runs) == 2
    assert (part.state, part.damage) == ("healthy", [])
    first = history_of(say(home, "history", "--until", len(STORY)))
    assert len(first.runs) == 1
    assert first.changes == [one for one in part.changes if one.seq <= len(STORY)]


async def test_a_history_names_damage_of_the_log(home: Home) -> None:
    gone, following = home.segments[1:3]
    gone.unlink()
    part = history_of(say(home, "history", "--until", 2 * len(STORY)))
    assert part.damage == [f"{gone.name}: missing, up to {int(following.stem) - 1}"]


async def test_a_history_without_its_beginning_starts_with_the_state_of_the_snapshot(
    tmp_path: Path,
) -> None:
    home = Home(tmp_path)
    async with home.ledger() as ledger:
        await work(ledger, [STARTED, LOST])
        await ledger.snapshot()
    async with home.ledger(1) as ledger:  # a segment for each record
        await work(ledger, [FOUND, LOST])
    for path in home.segments:
        if int(path.stem) <= 2:
            path.unlink()
    part = history_of(say(home, "history", "--until", 4))
    assert "VAULT_NOT_FOUND" in part.reasons
    assert [run.version for run in part.runs] == ["1"]  # the run that the snapshot knows
    changes = [(one.seq, "VAULT_NOT_FOUND" in one.reasons) for one in part.changes]
    assert changes == [(3, False), (4, True)]


async def test_what_retention_has_removed_is_answered_with_the_oldest_record(home: Home) -> None:
    forget_the_beginning(home)
    reply = say(home, "state", "--until", 2)
    assert reply.oldest == home.kept_snapshots[0]
    with pytest.raises(RagdError, match=f"can be replayed is {reply.oldest}") as refused:
        await replayed_state(home.events, home.snapshots, until=2)
    assert refused.value.code == "INVALID_REQUEST"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs here")
async def test_the_child_ends_with_the_daemon_even_if_its_disk_hangs(tmp_path: Path) -> None:
    """The only snapshot is a pipe that is open for writing: reading it never returns."""
    (tmp_path / "snapshots").mkdir()
    pipe = tmp_path / "snapshots" / f"{1:016d}.json"
    os.mkfifo(pipe)
    folders = [str(tmp_path / "events"), str(pipe.parent)]
    command = [sys.executable, "-m", replay_process.__name__, "state", *folders, "--until", "1"]
    opened: list[int] = []

    def is_being_read() -> bool:
        with contextlib.suppress(OSError):  # without a reader, it cannot be opened
            opened.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        return bool(opened)

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        await wait_until(is_being_read)
        printed, _ = child.communicate(timeout=PATIENCE_S)  # it closes the child's stdin
    os.close(opened[0])
    assert (child.returncode, printed) == (1, b"")


# The daemon


async def test_the_daemon_gets_what_the_child_says(home: Home) -> None:
    last = 2 * len(STORY)
    state, history = await asyncio.gather(
        replayed_state(home.events, home.snapshots, until=7),
        replayed_history(home.events, home.snapshots, last),
    )
    assert bytes(state) == bytes(say(home, "state", "--until", 7).found)
    assert history == history_of(say(home, "history", "--until", last))
    at = replay(home.events, home.snapshots, until=7).state.last_ts
    assert at is not None
    by_time = await replayed_state(home.events, home.snapshots, at=at)
    assert msgspec.json.decode(by_time)["seq"] == 7


async def test_a_replay_that_takes_too_long_is_given_up_and_its_child_ended(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    children: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def start_and_keep(*words: str, **options: object) -> asyncio.subprocess.Process:
        children.append(await start(*words, **options))  # type: ignore[arg-type]
        return children[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_and_keep)
    monkeypatch.setattr(replay_process, "WITHIN_S", 0.0)
    with pytest.raises(RagdError, match="takes too long") as refused:
        await replayed_state(home.events, home.snapshots, until=7)
    assert refused.value.code == "TIMEOUT"
    assert [child.returncode for child in children] == [-9]


async def test_a_child_that_says_nothing_is_a_failure(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("true"))
    with pytest.raises(RagdError, match="could not be replayed") as refused:
        await replayed_history(home.events, home.snapshots, 7)
    assert refused.value.code == "INTERNAL"
