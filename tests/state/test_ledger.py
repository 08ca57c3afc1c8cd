"""The log with its folds on the real disk: opened, damaged, repaired, opened again."""

import asyncio
from pathlib import Path

import pytest
from msgspec import Raw, structs

from ragd.eventlog import follow as follow_module
from ragd.eventlog.segment import segment_name
from ragd.eventlog.snapshot import Snapshot, read_snapshot, snapshot_files, write_snapshot
from ragd.events import DaemonStopped, SegmentQuarantined, TailCut
from ragd.folds import FOLDS_VERSION, State, apply, encode_state
from ragd.state.ledger import Ledger
from tests.eventlog.homes import Home, a_days_work, same, work

SMALL = 1_500  # bytes in a segment: a day's work makes a few of them


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def told(ledger: Ledger, *kinds: type) -> list[object]:
    """The facts about repairs."""
    start = ledger.oldest_seq - 1
    return [
        r.event async for r in ledger.journal.follow(start, wait=False) if type(r.event) in kinds
    ]


async def a_worked_home(home: Home) -> State:
    async with home.ledger(SMALL) as ledger:
        await work(ledger)
        assert len(home.segments) >= 3
        return ledger.state


def flip(path: Path, seq: int) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b'{"seq":%d,' % seq) + 30] ^= 4
    path.write_bytes(data)


async def test_a_reopened_ledger_knows_what_it_knew(home: Home) -> None:
    before = await a_worked_home(home)
    async with home.ledger() as again:
        assert same(again.state, before)
        assert again.incidents == []
        assert again.journal.durable == before.seq == len(a_days_work())
        assert again.oldest_seq == 1


async def test_a_ledger_knows_how_much_the_next_start_has_to_read(home: Home) -> None:
    async with home.ledger() as ledger:
        await work(ledger)
        in_all = ledger.bytes_since_snapshot
        assert 0 <= sum(p.stat().st_size for p in home.segments) - in_all < 200  # the header
    async with home.ledger() as again:
        assert abs(again.bytes_since_snapshot - in_all) < 200
        await again.snapshot()
        assert again.bytes_since_snapshot == 0
        await again.journal.append("daemon", DaemonStopped(reason="requested"))
        little = again.bytes_since_snapshot
        assert 0 < little < 400
    async with home.ledger() as third:
        assert 0 < third.bytes_since_snapshot < 2_000
        assert third.snapshot_bytes == snapshot_files(home.snapshots)[-1].stat().st_size


async def test_the_log_is_for_its_owner_alone(home: Home) -> None:
    await a_worked_home(home)
    assert home.events.stat().st_mode & 0o777 == 0o700
    assert {p.stat().st_mode & 0o777 for p in home.segments} == {0o600}


async def test_an_open_ledger_holds_exactly_the_fold_of_its_records(home: Home) -> None:
    async with home.ledger(SMALL) as ledger:
        after = await work(ledger)
        folded = State()
        async for record in ledger.journal.follow(0, wait=False):
            apply(folded, record)
            assert encode_state(folded) == after[record.seq - 1]


# Snapshots


async def test_a_snapshot_and_the_records_after_it_make_the_same_state(home: Home) -> None:
    facts = a_days_work()
    for taken_after in range(1, len(facts) + 1):
        here = Home(home.root / str(taken_after))
        here.root.mkdir()
        async with here.ledger(SMALL) as ledger:
            await work(ledger, facts[:taken_after])
            await ledger.snapshot()
            assert ledger.snapshot_seq == taken_after
            await work(ledger, facts[taken_after:])
        again = here.open()
        assert again.snapshot_seq == taken_after
        assert same(again.state, ledger.state)


async def test_a_damaged_snapshot_gives_way_to_the_one_before_and_then_to_the_log(
    home: Home,
) -> None:
    async with home.ledger(SMALL) as ledger:
        for _ in range(2):
            await work(ledger)
            await ledger.snapshot()
        await work(ledger)
    half = len(a_days_work())
    assert home.kept_snapshots == [half, 2 * half]
    for damaged, base in ((2 * half, half), (half, 0)):
        (home.snapshots / f"{damaged:016d}.json").write_bytes(b"rubbish")
        again = home.open()
        assert again.snapshot_seq == base
        assert again.incidents == []
        assert same(again.state, ledger.state)
    for path in snapshot_files(home.snapshots):
        path.unlink()
    again = home.open()
    assert (again.snapshot_seq, again.incidents) == (0, [])
    assert same(again.state, ledger.state)


@pytest.mark.parametrize("state", [b"[]", b'{"seq":"many"}', b'{"seq":3,"jobs":7}'])
async def test_a_snapshot_that_is_whole_but_not_ours_is_passed_over(
    state: bytes, home: Home
) -> None:
    before = await a_worked_home(home)
    write_snapshot(home.snapshots, Snapshot(FOLDS_VERSION, 5, "t", "ragd", Raw(state)))
    assert same(home.open().state, before)


async def test_a_snapshot_of_another_shape_is_not_read(home: Home) -> None:
    async with home.ledger(SMALL) as ledger:
        await work(ledger)
        await ledger.snapshot()
    (path,) = snapshot_files(home.snapshots)
    found = read_snapshot(path)
    assert found is not None
    other = structs.replace(found, folds=FOLDS_VERSION + 1, state=Raw(b'{"seq":1}'))
    write_snapshot(home.snapshots, other)
    again = home.open()
    assert again.snapshot_seq == 0
    assert same(again.state, ledger.state)


async def test_opening_clears_away_a_snapshot_that_was_never_finished(home: Home) -> None:
    async with home.ledger(SMALL) as ledger:
        await work(ledger)
        await ledger.snapshot()
    (home.snapshots / ".0000000000000005.json.tmp").write_bytes(b"half")
    home.open()
    assert home.kept_snapshots == [ledger.state.seq]


async def test_snapshots_let_old_segments_go_and_the_ledger_goes_on_without_them(
    home: Home,
) -> None:
    async with home.ledger(SMALL) as ledger:
        await work(ledger)
        await ledger.snapshot()
        old = home.segments
        home.age(len(old))
        await work(ledger)
        dropped = await ledger.snapshot()
        assert dropped == [path.name for path in old[: len(dropped)]] != []
        oldest = int(home.segments[0].stem)
        assert ledger.oldest_seq == oldest > 1
    again = home.open()
    assert again.oldest_seq == oldest
    assert again.incidents == []
    assert same(again.state, ledger.state)


async def test_losing_every_snapshot_of_a_log_without_its_beginning_costs_a_rescan_and_no_more(
    home: Home,
) -> None:
    async with home.ledger(SMALL) as ledger:
        await work(ledger)
        await work(ledger, [DaemonStopped(reason="requested")])
    first, second, *_ = home.segments
    first.unlink()
    gone = int(second.stem) - 1
    async with home.ledger(SMALL) as again:
        assert again.state.catalog.needs_full_scan
        assert "LOG_QUARANTINED" in again.state.health.reasons
        (missing,) = await told(again, SegmentQuarantined)
        assert missing == SegmentQuarantined(
            segment=segment_name(1), first_seq=1, last_seq=gone, reason="missing"
        )
    assert home.open().incidents == []


# Torn tails


async def test_a_torn_tail_is_cut_kept_and_recorded_once(home: Home) -> None:
    before = await a_worked_home(home)
    last = home.segments[-1]
    whole = last.read_bytes()
    last.write_bytes(whole + b'12345678 {"seq":')
    async with home.ledger() as ledger:
        (cut,) = await told(ledger, TailCut)
        assert isinstance(cut, TailCut)
        assert (cut.segment, cut.offset, cut.size_bytes) == (last.name, len(whole), 16)
        assert (home.events / cut.kept_as).read_bytes() == b'12345678 {"seq":'
        assert ledger.state.seq == before.seq + 1
    async with home.ledger() as again:
        assert await told(again, TailCut) == [cut]


async def test_a_run_that_dies_between_repair_and_record_leaves_it_to_the_next(home: Home) -> None:
    await a_worked_home(home)
    last = home.segments[-1]
    last.write_bytes(last.read_bytes()[:-1])
    for _ in range(3):
        assert len(home.open().incidents) == 1  # and dies
    async with home.ledger() as ledger:
        assert len(await told(ledger, TailCut)) == 1
    assert [name.endswith(".tail") for name in home.aside] == [True]


# Quarantine


@pytest.mark.parametrize("which", [0, 1, -1])
async def test_a_damaged_segment_is_set_aside_recorded_once_and_forgotten_by_the_next_start(
    which: int, home: Home
) -> None:
    before = await a_worked_home(home)
    path = home.segments[which]
    first = int(path.stem)
    firsts = [int(p.stem) for p in home.segments] + [before.seq + 1]
    last = firsts[firsts.index(first) + 1] - 1
    assert last > first  # else damage to its only record would be a torn tail
    flip(path, first)
    damaged = path.read_bytes()
    for _ in range(2):
        died = home.open()  # repairs, and dies before it can say so
        assert [type(i) for i in died.incidents] == [SegmentQuarantined]
        assert died.journal.durable == before.seq
    async with home.ledger(SMALL) as ledger:
        (incident,) = await told(ledger, SegmentQuarantined)
        assert isinstance(incident, SegmentQuarantined)
        assert (incident.first_seq, incident.last_seq) == (first, last)
        assert (home.events / incident.kept_as).read_bytes() == damaged
        assert ledger.state.seq == before.seq + 1  # no seq twice
        assert ledger.snapshot_seq == before.seq + 1
        assert ledger.state.catalog.needs_full_scan
        assert "LOG_QUARANTINED" in ledger.state.health.reasons
        await work(ledger, [DaemonStopped(reason="requested")])
    assert home.aside == [Path(incident.kept_as).name]
    async with home.ledger() as again:
        assert same(again.state, ledger.state)
        assert await told(again, SegmentQuarantined) == [incident]
        assert again.state.seq == before.seq + 2


async def test_a_crash_between_a_recorded_quarantine_and_its_snapshot_causes_no_second_one(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    await a_worked_home(home)
    flip(home.segments[1], int(home.segments[1].stem))

    async def die(self: Ledger) -> list[str]:
        return []

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "snapshot", die)
        async with home.ledger(SMALL) as ledger:
            pass
    assert not home.snapshots.exists()
    async with home.ledger() as again:
        assert len(await told(again, SegmentQuarantined)) == 1
        assert same(again.state, ledger.state)


async def test_a_missing_segment_is_recorded_once(home: Home) -> None:
    await a_worked_home(home)
    path, following = home.segments[1:3]
    path.unlink()
    async with home.ledger(SMALL) as ledger:
        (incident,) = await told(ledger, SegmentQuarantined)
        assert incident == SegmentQuarantined(
            segment=path.name,
            first_seq=int(path.stem),
            last_seq=int(following.stem) - 1,
            reason="missing",
        )
    async with home.ledger() as again:
        assert await told(again, SegmentQuarantined) == [incident]


async def test_a_snapshot_ahead_of_the_log_keeps_its_knowledge_and_its_seqs(home: Home) -> None:
    async with home.ledger(SMALL) as ledger:
        await work(ledger)
        await ledger.snapshot()
    known = ledger.state.seq
    *_, last = home.segments
    last.unlink()  # an old copy of the log, say
    async with home.ledger(SMALL) as again:
        assert again.state.catalog.files == ledger.state.catalog.files
        (incident,) = await told(again, SegmentQuarantined)
        assert isinstance(incident, SegmentQuarantined)
        assert (incident.first_seq, incident.last_seq) == (int(last.stem), known)
        assert again.state.seq == known + 1
    assert home.open().incidents == []
    for path in snapshot_files(home.snapshots):
        path.unlink()
    assert home.open().incidents == []


async def test_a_snapshot_whose_log_is_gone_says_so(home: Home) -> None:
    async with home.ledger(SMALL) as ledger:
        await work(ledger)
        await ledger.snapshot()
    for path in home.segments:
        path.unlink()
    async with home.ledger(SMALL) as again:
        assert again.state.catalog.files == ledger.state.catalog.files
        (incident,) = await told(again, SegmentQuarantined)
        assert isinstance(incident, SegmentQuarantined) and incident.last_seq == ledger.state.seq
    assert home.open().incidents == []


# While it runs


async def test_followers_read_the_real_files_across_segments_while_others_write(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow_module, "RECENT_MAX", 2)
    async with home.ledger(SMALL) as ledger:

        async def read() -> list[int]:
            return [r.seq async for r in ledger.journal.follow(0)]

        reading = [asyncio.create_task(read()) for _ in range(3)]
        await asyncio.gather(work(ledger), work(ledger), work(ledger))
        late = asyncio.create_task(read())
    expected = list(range(1, 3 * len(a_days_work()) + 1))
    for seen in [*reading, late]:
        assert await seen == expected
