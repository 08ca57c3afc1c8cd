"""The anchor is the state before the oldest segment, so that replay reaches every record left."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ragd.eventlog import snapshot as snapshot_module
from ragd.eventlog.follow import TooOld
from ragd.folds import encode_state
from ragd.runtime import durable_files as durable_module
from ragd.state.ledger import Ledger
from ragd.state.replay import replay, state_at, verify
from tests.eventlog.homes import Home, a_days_work, same, work

SMALL = 1_500


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def reach(home: Home) -> int:
    """The first seq whose state replay can compute, as named in its error for an earlier one."""
    try:
        replay(home.events, home.snapshots, until=-1)
    except TooOld as why:
        return why.oldest
    raise AssertionError("told the state before the beginning")


def check_reach(home: Home, after: list[bytes], times: list[str]) -> None:
    """Replay gives every state from there on, and refuses every earlier one."""
    first = reach(home)
    for until in range(1, len(after) + 1):
        for how in ({"until": until}, {"at": times[until - 1]}):
            if until < first:
                with pytest.raises(TooOld) as refused:
                    replay(home.events, home.snapshots, **how)
                assert refused.value.oldest == first
            else:
                found = replay(home.events, home.snapshots, **how)
                assert encode_state(found.state) == after[until - 1]
    assert verify(home.events, home.snapshots, home.sync_result) == []


class Life:
    """A ledger that runs for days, and its state after each record."""

    def __init__(self, home: Home, ledger: Ledger) -> None:
        self.home = home
        self.ledger = ledger
        self.after: list[bytes] = []
        self.times: list[str] = []

    async def day(self) -> list[str]:
        """A day's work and a snapshot; what retention dropped after it."""
        for fact in a_days_work():
            record = await self.ledger.journal.append("actor", fact)
            self.after.append(encode_state(self.ledger.state))
            self.times.append(record.ts)
        result = self.ledger.state.sync_result
        self.home.sync_result.write_bytes(msgspec.json.encode(result))
        return await self.ledger.snapshot()

    def check(self) -> None:
        check_reach(self.home, self.after, self.times)


async def test_after_retention_replay_starts_right_before_the_oldest_segment(
    home: Home,
) -> None:
    async with home.ledger(SMALL) as ledger:
        life = Life(home, ledger)
        for _ in range(3):
            await life.day()
        for count in (1, 1, 2):  # each anchor follows from the one before
            home.age(count)
            older = home.kept_snapshots[-1]
            assert len(await life.day()) == count
            oldest = int(home.segments[0].stem)
            assert reach(home) == oldest - 1 < older
            assert home.kept_snapshots == [oldest - 1, older, ledger.state.seq]
            life.check()
    again = home.open()
    assert same(again.state, ledger.state) and again.snapshot_seq == ledger.state.seq


class Died(Exception):
    """The process ended here."""


def dying_at(step: int) -> Callable[[str], None]:
    steps = iter(range(1, step))

    def crashpoint(name: str) -> None:
        if next(steps, None) is None:
            raise Died(name)

    return crashpoint


async def test_a_crash_at_any_step_of_retention_leaves_the_old_reach_or_the_new(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    for step in range(1, 100):
        here = Home(home.root / str(step))
        here.root.mkdir()
        async with here.ledger(SMALL) as ledger:
            life = Life(here, ledger)
            for _ in range(3):
                await life.day()
            here.age(1)
            await life.day()
            old = reach(here)
            here.age(2)
            new = int(here.segments[2].stem) - 1
            with monkeypatch.context() as patch:
                patch.setattr(snapshot_module, "crashpoint", dying := dying_at(step))
                patch.setattr(durable_module, "crashpoint", dying)
                try:
                    await ledger.snapshot()
                    break
                except Died as why:
                    seen.append(str(why))
        assert reach(here) in (old, new) and old < new
        life.check()
        async with here.ledger(SMALL) as again:
            await again.snapshot()
            assert reach(here) == new
            assert here.kept_snapshots[0] == new and len(here.kept_snapshots) == 3
            life.check()
    written = [
        *("snapshot.before_write", "durable.after_temporary"),
        *("durable.after_rename", "snapshot.after_write"),
    ]
    gone = ["retention.after_drop", "retention.after_drop", "snapshot.after_forget"]
    assert seen == [*written, *written, *gone]


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("spoil", [flip_a_bit, Path.unlink])
async def test_damage_costs_reach_but_holds_up_no_retention_and_the_reach_comes_back(
    spoil: Callable[[Path], None], home: Home
) -> None:
    async with home.ledger(SMALL) as ledger:
        life = Life(home, ledger)
        for _ in range(3):
            await life.day()
        spoil(home.segments[1])
        home.age(2)
        oldest_snapshot, _ = home.kept_snapshots
        assert len(await life.day()) == 2
        assert reach(home) == oldest_snapshot > int(home.segments[0].stem)
        life.check()
        while reach(home) == oldest_snapshot:  # it is kept until retention has come as far
            assert len(home.kept_snapshots) == 3
            home.age(1)
            await life.day()
            life.check()
        oldest = int(home.segments[0].stem)
        assert reach(home) == oldest - 1
        assert len(home.kept_snapshots) == 3


async def test_a_state_is_replayed_only_if_no_record_is_missing(home: Home) -> None:
    async with home.ledger(SMALL) as ledger:
        after = await work(ledger)
    for seq in range(1, len(after) + 1):
        found = state_at(home.events, home.snapshots, seq)
        assert found is not None and encode_state(found) == after[seq - 1]
    assert state_at(home.events, home.snapshots, len(after) + 1) is None
    first, damaged, *_ = home.segments
    flip_a_bit(damaged)
    assert state_at(home.events, home.snapshots, int(damaged.stem) - 1) is not None
    assert state_at(home.events, home.snapshots, len(after)) is None
    first.unlink()
    assert state_at(home.events, home.snapshots, int(damaged.stem)) is None
