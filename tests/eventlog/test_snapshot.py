"""Folded state on disk, and which segments may be dropped then."""

import errno
import os
from pathlib import Path

import pytest
from msgspec import Raw

from ragd.eventlog import snapshot as snapshot_module
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.frame import FORMAT, MIN_READER, SegmentHeader, encode_header
from ragd.eventlog.segment import segment_name
from ragd.eventlog.snapshot import (
    RETENTION_DAYS,
    Snapshot,
    drop_old_segments,
    read_snapshot,
    remove_half_written,
    remove_old_snapshots,
    snapshot_files,
    snapshots_newest_first,
    write_snapshot,
)

DAY = 86_400.0
NOW = 1_800_000_000.0


def a_snapshot(seq: int, folds: int = 1, state: bytes = b'{"a":1}') -> Snapshot:
    return Snapshot(folds, seq, "2026-01-01T00:00:00.000000Z", "ragd test", Raw(state))


def seqs(folder: Path, folds: int = 1) -> list[int]:
    return [s.seq for s in snapshots_newest_first(folder, folds)]


def test_a_snapshot_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write_snapshot(tmp_path / "snapshots", a_snapshot(42))
    (path,) = snapshot_files(tmp_path / "snapshots")
    assert path.name == "0000000000000042.json"
    assert path.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "snapshots").stat().st_mode & 0o777 == 0o700
    found = read_snapshot(path)
    assert found is not None
    assert (found.seq, bytes(found.state)) == (42, b'{"a":1}')
    data = path.read_bytes()
    assert data.count(b"\n") == 1 and data[9:].startswith(b'{"folds":1,"seq":42,')


def test_no_flipped_bit_of_a_snapshot_goes_unnoticed(tmp_path: Path) -> None:
    write_snapshot(tmp_path, a_snapshot(42))
    (path,) = snapshot_files(tmp_path)
    data = bytearray(path.read_bytes())
    for bit in range(8 * (len(data) - 1)):  # its last byte, the newline, says nothing
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        assert read_snapshot(path) is None, f"bit {bit}"
        data[bit // 8] ^= 1 << bit % 8


def test_a_snapshot_cut_anywhere_is_not_whole(tmp_path: Path) -> None:
    write_snapshot(tmp_path, a_snapshot(42))
    (path,) = snapshot_files(tmp_path)
    data = path.read_bytes()
    for size in range(len(data) - 1):
        path.write_bytes(data[:size])
        assert read_snapshot(path) is None, f"{size} bytes"


def test_a_damaged_one_and_one_of_another_shape_are_passed_over(tmp_path: Path) -> None:
    write_snapshot(tmp_path, a_snapshot(10))
    write_snapshot(tmp_path, a_snapshot(20))
    write_snapshot(tmp_path, a_snapshot(30, folds=2))
    (tmp_path / "0000000000000020.json").write_bytes(b"rubbish")
    assert seqs(tmp_path) == [10]
    assert seqs(tmp_path, folds=2) == [30]


def test_other_files_in_the_folder_are_none_of_its_business(tmp_path: Path) -> None:
    for name in ("notes.json", "12.json", "0000000000000012.txt", "aaaaaaaaaaaaaaaa.json"):
        (tmp_path / name).write_bytes(b"")
    assert snapshot_files(tmp_path) == []
    assert snapshot_files(tmp_path / "nothing here") == []


# Which are kept


def kept(folder: Path, oldest: int, folds: int = 1) -> list[int]:
    remove_old_snapshots(folder, oldest, folds)
    return [int(path.stem) for path in snapshot_files(folder)]


def test_only_the_last_two_are_kept_of_a_log_with_its_beginning(tmp_path: Path) -> None:
    snapshots_at(tmp_path, 10, 20, 30, 40)
    assert kept(tmp_path, oldest=1) == [30, 40]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("oldest", "beginning"), [(2, [10]), (11, [10]), (12, [20]), (21, [20]), (22, []), (99, [])]
)
def test_the_last_two_snapshots_and_the_anchor_are_kept(
    oldest: int, beginning: list[int], tmp_path: Path
) -> None:
    snapshots_at(tmp_path, 10, 20, 30, 40)
    assert kept(tmp_path, oldest) == [*beginning, 30, 40]


def test_a_damaged_one_and_one_of_another_shape_are_no_beginning(tmp_path: Path) -> None:
    snapshots_at(tmp_path, 10, 20, 30, 40, 50)
    (tmp_path / "0000000000000010.json").write_bytes(b"rubbish")
    write_snapshot(tmp_path, a_snapshot(20, folds=2))
    assert kept(tmp_path, oldest=5) == [30, 40, 50]


def test_a_half_written_snapshot_of_a_run_that_died_is_cleared_away(tmp_path: Path) -> None:
    write_snapshot(tmp_path, a_snapshot(10))
    (tmp_path / ".0000000000000007.json.tmp").write_bytes(b"half")
    assert seqs(tmp_path) == [10]
    remove_half_written(tmp_path)
    remove_half_written(tmp_path / "nothing here")
    assert [p.name for p in tmp_path.iterdir()] == ["0000000000000010.json"]


# Retention


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """Five segments of ten records, each 1,000 bytes, written one day after the other."""
    folder = tmp_path / "events"
    disk = RealDisk(folder)
    for i in range(5):
        name = segment_name(i * 10 + 1)
        header = encode_header(SegmentHeader(FORMAT, MIN_READER, "ragd", i * 10 + 1))
        disk.create(name, header.ljust(1_000, b"."))
        written = NOW - (5 - i) * DAY
        os.utime(folder / name, (written, written))
    return folder


def left(events: Path) -> list[int]:
    return sorted(int(p.stem) for p in events.iterdir())


def snapshots_at(folder: Path, *seqs: int) -> Path:
    for seq in seqs:
        write_snapshot(folder, a_snapshot(seq))
    return folder


def drop(events: Path, snapshots: Path, now: float = NOW + 999 * DAY) -> list[str]:
    return drop_old_segments(events, snapshots, now, a_snapshot)


ALL = [1, 11, 21, 31, 41]


def test_nothing_goes_while_it_is_young_and_small(events: Path, tmp_path: Path) -> None:
    snapshots = snapshots_at(tmp_path / "s", 45, 50)
    assert drop(events, snapshots, NOW) == []
    assert left(events) == ALL


@pytest.mark.parametrize(("days", "gone"), [(25, 0), (25.5, 1), (27.5, 3), (99, 4)])
def test_what_is_older_than_thirty_days_goes(
    days: float, gone: int, events: Path, tmp_path: Path
) -> None:
    snapshots = snapshots_at(tmp_path / "s", 45, 50)
    assert RETENTION_DAYS == 30
    dropped = drop(events, snapshots, NOW + days * DAY)
    assert dropped == [segment_name(n) for n in ALL[:gone]]
    assert left(events) == ALL[gone:]  # and never the last one


@pytest.mark.parametrize(("room", "gone"), [(5_000, 0), (4_999, 1), (3_000, 2), (2_500, 3), (0, 4)])
def test_what_is_over_the_size_goes_oldest_first(
    room: int, gone: int, events: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_module, "RETENTION_BYTES", room)
    drop(events, snapshots_at(tmp_path / "s", 45, 50), NOW)
    assert left(events) == ALL[gone:]


@pytest.mark.parametrize(
    ("older", "newer", "gone"),
    [(9, 50, 0), (10, 50, 1), (19, 50, 1), (20, 50, 2), (35, 36, 3), (40, 99, 4), (99, 100, 4)],
)
def test_only_what_both_snapshots_cover_goes(
    older: int, newer: int, gone: int, events: Path, tmp_path: Path
) -> None:
    drop(events, snapshots_at(tmp_path / "s", older, newer))
    assert left(events) == ALL[gone:]


def test_one_snapshot_is_not_enough(events: Path, tmp_path: Path) -> None:
    assert drop(events, snapshots_at(tmp_path / "s", 50)) == []
    assert drop(events, tmp_path / "none") == []


def test_a_damaged_snapshot_stands_for_nothing(events: Path, tmp_path: Path) -> None:
    snapshots = snapshots_at(tmp_path / "s", 45, 50)
    (snapshots / "0000000000000045.json").write_bytes(b"rubbish")
    assert drop(events, snapshots) == []


def test_a_snapshot_of_another_shape_than_the_newest_stands_for_nothing(
    events: Path, tmp_path: Path
) -> None:
    snapshots = snapshots_at(tmp_path / "s", 45)
    write_snapshot(snapshots, a_snapshot(50, folds=2))
    assert drop(events, snapshots) == []
    write_snapshot(snapshots, a_snapshot(60, folds=2))
    assert len(drop(events, snapshots)) == 4


def test_an_anchor_does_not_count_if_there_are_two_newer_snapshots(
    events: Path, tmp_path: Path
) -> None:
    snapshots = snapshots_at(tmp_path / "s", 10, 35, 50)
    assert drop(events, snapshots) == [segment_name(n) for n in (1, 11, 21)]


# The anchor


@pytest.mark.parametrize(("days", "before"), [(25.5, 10), (27.5, 30), (99, 40)])
def test_the_state_before_the_oldest_segment_that_stays_is_written_down(
    days: float, before: int, events: Path, tmp_path: Path
) -> None:
    snapshots = snapshots_at(tmp_path / "s", 45, 50)
    drop(events, snapshots, NOW + days * DAY)
    assert left(events)[0] == before + 1
    assert seqs(snapshots) == [50, 45, before]
    assert kept(snapshots, oldest=before + 1) == [before, 45, 50]


def test_no_segment_goes_before_the_anchor_is_there(
    events: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshots = snapshots_at(tmp_path / "s", 45, 50)
    found: list[tuple[list[int], list[int]]] = []
    monkeypatch.setattr(
        snapshot_module,
        "crashpoint",
        lambda point: found.append((left(events), seqs(snapshots))),
    )
    drop(events, snapshots)
    before, after, *drops = found
    assert before == (ALL, [50, 45])
    assert after == (ALL, [50, 45, 40])
    assert drops == [(ALL[n:], [50, 45, 40]) for n in (1, 2, 3, 4)]


def test_no_state_is_folded_if_it_exists_or_is_not_needed(events: Path, tmp_path: Path) -> None:
    def nobody(seq: int) -> Snapshot | None:
        raise AssertionError(seq)

    snapshots = snapshots_at(tmp_path / "s", 40, 50)
    assert drop_old_segments(events, snapshots, NOW, nobody) == []
    assert len(drop_old_segments(events, snapshots, NOW + 999 * DAY, nobody)) == 4
    assert drop_old_segments(events, snapshots, NOW + 999 * DAY, nobody) == []


def test_a_state_that_cannot_be_folded_does_not_stop_retention(
    events: Path, tmp_path: Path
) -> None:
    snapshots = snapshots_at(tmp_path / "s", 45, 50)
    assert len(drop_old_segments(events, snapshots, NOW + 999 * DAY, lambda seq: None)) == 4
    assert seqs(snapshots) == [50, 45]


@pytest.mark.parametrize(("number", "gone"), [(errno.ENOSPC, 4), (errno.EIO, 0)])
def test_a_full_disk_does_not_stop_retention_but_a_failing_disk_does(
    number: int, gone: int, events: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshots = snapshots_at(tmp_path / "s", 45, 50)

    def fail(path: Path, data: bytes) -> None:
        raise OSError(number, "told to fail")

    monkeypatch.setattr(snapshot_module, "replace_file", fail)
    if gone:
        drop(events, snapshots)
    else:
        with pytest.raises(OSError, match="told to fail"):
            drop(events, snapshots)
    assert left(events) == ALL[gone:]
    assert seqs(snapshots) == [50, 45]
