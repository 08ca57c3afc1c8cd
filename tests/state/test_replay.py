"""Replay: the state at any moment, from the files only, and whether the files agree."""

from pathlib import Path

import msgspec
import pytest
from msgspec import Raw, structs

from ragd.eventlog.follow import TooOld
from ragd.eventlog.frame import Record
from ragd.eventlog.snapshot import Snapshot, read_snapshot, snapshot_files, write_snapshot
from ragd.folds import FOLDS_VERSION, encode_state
from ragd.state.ledger import Ledger
from ragd.state.replay import parse_time, replay, verify
from tests.eventlog.homes import Home, a_days_work, same, work

SMALL = 1_500
WORK = len(a_days_work())


@pytest.fixture
async def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


async def two_days(home: Home, *, snapshots: bool = True) -> tuple[Ledger, list[bytes]]:
    """A log of two days' work, a snapshot after each, and the state after every record."""
    async with home.ledger(SMALL) as ledger:
        after: list[bytes] = []
        for _ in range(2):
            after += await work(ledger)
            if snapshots:
                await ledger.snapshot()
        after += await work(ledger, a_days_work()[:3])
    home.sync_result.write_bytes(msgspec.json.encode(ledger.state.sync_result))
    return ledger, after


def let_old_segments_go(home: Home, count: int) -> int:
    """Drop old segments as retention does. Returns the first seq that is left."""
    for path in home.segments[:count]:
        path.unlink()
    return int(home.segments[0].stem)


def timestamps(home: Home) -> list[str]:
    lines = b"".join(path.read_bytes() for path in home.segments).splitlines()
    bodies = [msgspec.json.decode(line[9:]) for line in lines]
    return [body["ts"] for body in bodies if "seq" in body]


def differences(home: Home) -> list[str]:
    return verify(home.events, home.snapshots, home.sync_result)


# Replay


async def test_replaying_up_to_any_seq_gives_the_state_of_that_moment(home: Home) -> None:
    _, after = await two_days(home)
    for until in range(1, len(after) + 1):
        for from_scratch in (False, True):
            found = replay(home.events, home.snapshots, until=until, from_scratch=from_scratch)
            assert encode_state(found.state) == after[until - 1]
            assert found.end == (until == len(after))
            assert found.from_snapshot + found.records == until
            assert found.damage == []


async def test_replay_begins_at_the_newest_snapshot_by_default(home: Home) -> None:
    ledger, _ = await two_days(home)
    quick = replay(home.events, home.snapshots)
    assert (quick.from_snapshot, quick.records, quick.end) == (2 * WORK, 3, True)
    middle = replay(home.events, home.snapshots, until=2 * WORK - 1)
    assert (middle.from_snapshot, middle.records) == (WORK, WORK - 1)
    slow = replay(home.events, home.snapshots, from_scratch=True)
    assert (slow.from_snapshot, slow.records) == (0, 2 * WORK + 3)
    assert same(quick.state, ledger.state) and same(slow.state, ledger.state)


async def test_replaying_to_a_moment_gives_the_last_record_at_or_before_it(home: Home) -> None:
    _, after = await two_days(home)
    times = timestamps(home)
    assert times == sorted(set(times)) and len(times) == len(after)
    for i, moment in enumerate(times):
        found = replay(home.events, home.snapshots, at=moment)
        assert encode_state(found.state) == after[i]
        just_before = replay(home.events, home.snapshots, at=moment[:-1])  # sorts before
        assert just_before.state.seq == i
    assert replay(home.events, home.snapshots, at="9999").end


async def test_an_until_past_the_end_is_the_end(home: Home) -> None:
    ledger, _ = await two_days(home)
    found = replay(home.events, home.snapshots, until=10_000)
    assert same(found.state, ledger.state) and found.end


def test_an_empty_home_replays_to_nothing(tmp_path: Path) -> None:
    found = replay(tmp_path / "events", tmp_path / "snapshots")
    assert (found.state.seq, found.records, found.end, found.damage) == (0, 0, True, [])
    assert verify(tmp_path / "events", tmp_path / "snapshots", tmp_path / "x.json") == []


async def test_every_record_is_shown_on_the_way(home: Home) -> None:
    _, after = await two_days(home)
    shown: list[bytes] = []
    replay(
        home.events,
        home.snapshots,
        from_scratch=True,
        on_record=lambda record, state: shown.append(encode_state(state)),
    )
    assert shown == after


def test_a_moment_is_read_as_people_write_it() -> None:
    assert parse_time("2026-11-15T14:30:00Z") == "2026-11-15T14:30:00.000000Z"
    assert parse_time("2026-11-15 14:30:00+02:00") == "2026-11-15T12:30:00.000000Z"


# Past retention


async def test_what_is_past_retention_is_refused_by_naming_the_oldest_that_can_be_told(
    home: Home,
) -> None:
    _, after = await two_days(home)
    oldest = let_old_segments_go(home, 1)
    assert 1 < oldest < WORK  # records are left in front of the oldest snapshot, but no state
    for until in range(1, WORK):
        with pytest.raises(TooOld) as refused:
            replay(home.events, home.snapshots, until=until)
        assert refused.value.oldest == WORK
    for until in range(WORK, len(after) + 1):
        found = replay(home.events, home.snapshots, until=until)
        assert encode_state(found.state) == after[until - 1]
    scratch = replay(home.events, home.snapshots, from_scratch=True)
    assert (scratch.from_snapshot, encode_state(scratch.state)) == (WORK, after[-1])


async def test_a_moment_before_the_oldest_snapshot_is_refused_too(home: Home) -> None:
    _, after = await two_days(home)
    times = timestamps(home)
    let_old_segments_go(home, 1)
    for moment in times[: WORK - 1]:
        with pytest.raises(TooOld) as refused:
            replay(home.events, home.snapshots, at=moment)
        assert refused.value.oldest == WORK
    for i, moment in enumerate(times[WORK - 1 :], WORK - 1):
        found = replay(home.events, home.snapshots, at=moment)
        assert encode_state(found.state) == after[i]


async def test_a_log_without_beginning_and_without_snapshots_cannot_be_told(home: Home) -> None:
    await two_days(home, snapshots=False)
    oldest = let_old_segments_go(home, 1)
    for how in ({}, {"until": 40}, {"from_scratch": True}, {"at": "9999"}):
        with pytest.raises(TooOld) as refused:
            replay(home.events, home.snapshots, **how)
        assert refused.value.oldest == oldest


async def test_replay_does_not_begin_at_a_snapshot_of_another_format(home: Home) -> None:
    _, after = await two_days(home)
    older, _ = snapshot_files(home.snapshots)
    found = read_snapshot(older)
    assert found is not None
    write_snapshot(home.snapshots, structs.replace(found, folds=FOLDS_VERSION + 1))
    let_old_segments_go(home, 2)
    scratch = replay(home.events, home.snapshots, from_scratch=True)
    assert (scratch.from_snapshot, encode_state(scratch.state)) == (2 * WORK, after[-1])
    assert differences(home) == []


async def test_retention_itself_leaves_a_log_that_replays_and_verifies(home: Home) -> None:
    async with home.ledger(SMALL) as ledger:
        for _ in range(4):
            await work(ledger)
            home.age(len(home.segments))
            await ledger.snapshot()
    home.sync_result.write_bytes(msgspec.json.encode(ledger.state.sync_result))
    assert int(home.segments[0].stem) > WORK
    assert same(replay(home.events, home.snapshots).state, ledger.state)
    assert same(replay(home.events, home.snapshots, from_scratch=True).state, ledger.state)
    assert differences(home) == []


# A log in use, or damaged


async def test_replaying_changes_nothing_on_disk_not_even_a_torn_tail(home: Home) -> None:
    ledger, _ = await two_days(home)
    last = home.segments[-1]
    last.write_bytes(last.read_bytes() + b'00000000 {"seq":')
    (home.events / "0000000000000099.ndjson.tmp").write_bytes(b"half")
    before = home.bytes()
    found = replay(home.events, home.snapshots, from_scratch=True)
    assert same(found.state, ledger.state)
    assert found.damage == [f"{last.name}: torn at {ledger.state.seq + 1}"]
    replay(home.events, home.snapshots, at="9999")
    assert differences(home) == [f"log: {last.name}: torn at {ledger.state.seq + 1}"]
    assert home.bytes() == before


async def test_a_log_that_is_being_written_can_be_replayed_at_any_time(home: Home) -> None:
    async with home.ledger(SMALL) as ledger:
        for fact in a_days_work():
            await ledger.journal.append("actor", fact)
            assert same(replay(home.events, home.snapshots).state, ledger.state)


async def test_a_damaged_segment_is_reported_and_skipped(home: Home) -> None:
    _, after = await two_days(home)
    path, following = home.segments[1:3]
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    found = replay(home.events, home.snapshots, from_scratch=True)
    (damage,) = found.damage
    assert damage.startswith(f"{path.name}: damaged at ")
    assert found.state.seq == len(after)
    assert found.records == len(after) - (int(following.stem) - int(path.stem))
    assert f"log: {damage}" in differences(home)


async def test_a_gap_is_reported(home: Home) -> None:
    await two_days(home)
    path, following = home.segments[1:3]
    path.unlink()
    found = replay(home.events, home.snapshots, from_scratch=True)
    assert found.damage == [f"{path.name}: missing, up to {int(following.stem) - 1}"]
    assert f"log: {found.damage[0]}" in differences(home)
    assert replay(home.events, home.snapshots).damage == []  # a snapshot covers it


def spoil(path: Path, how: str) -> None:
    """Damage a segment."""
    data = bytearray(path.read_bytes())
    if how == "middle":
        data[len(data) // 2] ^= 1
    elif how == "header":
        data[12] ^= 1
    else:
        data = data[: data.rfind(b"\n", 0, -1) + 1]  # its last record
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["middle", "header", "last record"])
@pytest.mark.parametrize("which", [0, 2, -1])
async def test_damage_is_treated_the_same_whether_each_record_is_shown_or_not(
    home: Home, which: int, how: str
) -> None:
    """Without `on_record`, records are folded before their segment is known to be whole."""
    _, after = await two_days(home, snapshots=False)
    spoil(home.segments[which], how)
    for until in (None, *range(1, len(after) + 2)):
        shown: list[Record] = []
        carefully = replay(
            home.events,
            home.snapshots,
            until=until,
            on_record=lambda record, _, shown=shown: shown.append(record),  # type: ignore[misc]
        )
        quickly = replay(home.events, home.snapshots, until=until)
        assert encode_state(quickly.state) == encode_state(carefully.state)
        assert msgspec.json.encode(quickly) == msgspec.json.encode(carefully)
        assert quickly.records == len(shown)


# Verify


async def test_a_good_log_verifies(home: Home) -> None:
    await two_days(home)
    before = home.bytes()
    assert differences(home) == []
    assert home.bytes() == before


@pytest.mark.parametrize("which", [0, 1])
async def test_a_snapshot_with_other_content_is_found_by_the_key_that_differs(
    which: int, home: Home
) -> None:
    await two_days(home)
    path = snapshot_files(home.snapshots)[which]
    found = read_snapshot(path)
    assert found is not None
    state = msgspec.json.decode(found.state)
    state["catalog"]["files"]["folder/note 3.md"]["chunks"] = 99
    tampered = structs.replace(found, state=Raw(msgspec.json.encode(state)))
    write_snapshot(home.snapshots, tampered)
    assert read_snapshot(path) is not None  # its checksum is right
    (difference,) = differences(home)
    assert difference == (
        f"snapshot {found.seq}: catalog.files.folder/note 3.md.chunks: on disk 99, folded 4"
    )


async def test_a_damaged_snapshot_and_one_that_is_not_ours_are_found(home: Home) -> None:
    await two_days(home)
    older, newer = snapshot_files(home.snapshots)
    older.write_bytes(older.read_bytes()[:-30])
    strange = Snapshot(FOLDS_VERSION, int(newer.stem), "t", "x", Raw(b'{"seq":"?"}'))
    write_snapshot(home.snapshots, strange)
    assert differences(home) == [f"snapshot {p.name}: damaged" for p in (older, newer)]


async def test_a_snapshot_of_another_version_may_have_other_fields(home: Home) -> None:
    """A version that knows more of a fact folds more from it: the snapshot is not wrong."""
    await two_days(home)
    _, newer = snapshot_files(home.snapshots)
    found = read_snapshot(newer)
    assert found is not None
    state = msgspec.json.decode(found.state)
    assert state["catalog"].pop("scanned_at")
    state["catalog"]["moon"] = "full"
    write_snapshot(home.snapshots, structs.replace(found, state=Raw(msgspec.json.encode(state))))
    assert differences(home) == []


async def test_a_snapshot_ahead_of_the_log_is_found(home: Home) -> None:
    ledger, _ = await two_days(home)
    snapshot = Snapshot(FOLDS_VERSION, 500, "t", "x", Raw(encode_state(ledger.state)))
    write_snapshot(home.snapshots, snapshot)
    assert differences(home) == [f"snapshot 500: the log ends at {ledger.state.seq}"]


async def test_a_changed_sync_result_is_found_by_the_key_that_differs(home: Home) -> None:
    ledger, _ = await two_days(home)
    tampered = structs.replace(ledger.state.sync_result, total_docs=7, outcome="failed")
    home.sync_result.write_bytes(msgspec.json.encode(tampered))
    assert differences(home) == [
        'sync-result.json: outcome: on disk "failed", folded "complete"',
        "sync-result.json: total_docs: on disk 7, folded 8",
    ]


async def test_a_missing_sync_result_is_found(home: Home) -> None:
    await two_days(home)
    home.sync_result.unlink()
    assert differences(home) == ["sync-result.json: missing"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"mode":7}', b'{"mode":"\xff"}'])
async def test_an_invalid_sync_result_is_found(content: bytes, home: Home) -> None:
    await two_days(home)
    home.sync_result.write_bytes(content)
    (difference,) = differences(home)
    assert difference.startswith("sync-result.json: ")
