"""Durable bytes that change while they are being read."""

import asyncio

import pytest

from ragd.eventlog import follow as follow_module
from ragd.eventlog.follow import Damaged, DiskReader
from ragd.eventlog.segment import segment_name
from ragd.events import ActorCrashed
from ragd.supervisor import Supervisor
from tests.eventlog.clocks import HandClock
from tests.eventlog.drafts import old_log
from tests.eventlog.journals import open_journal, running


def seen_until_damage(reader: DiskReader, until: int) -> tuple[list[int], Damaged | None]:
    seen: list[int] = []
    try:
        while found := reader.read(until):
            seen += [r.seq for r in found]
    except Damaged as why:
        return seen, why
    return seen, None


def line_ends(data: bytes | bytearray) -> list[int]:
    return [i + 1 for i, byte in enumerate(data) if byte == 0x0A]


@pytest.mark.parametrize("read_bytes", [700, 1024 * 1024])
@pytest.mark.parametrize("first", [1, 11, 21])
def test_a_flipped_bit_ends_the_reader_at_its_record_and_not_before(
    first: int, read_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follow_module, "READ_BYTES", read_bytes)
    disk = old_log()
    name = segment_name(first)
    data = disk.read(name)
    ends = line_ends(data)
    for place in range(0, len(data), 3):
        disk.put(name, data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :])
        line = sum(end <= place for end in ends)  # 0: the header
        lost = first + max(0, line - 1)
        seen, why = seen_until_damage(DiskReader(disk, 0), 30)
        assert seen == list(range(1, lost)), f"byte {place}"
        assert why is not None and (why.segment, why.seq) == (name, lost)


def test_the_newline_is_part_of_a_record() -> None:
    for first in (1, 11, 21):
        disk = old_log()
        name = segment_name(first)
        data = disk.read(name)
        for line, end in enumerate(line_ends(data)):
            disk.put(name, data[: end - 1] + b"." + data[end:])
            seen, why = seen_until_damage(DiskReader(disk, 0), 30)
            assert why is not None and why.seq == first + max(0, line - 1) == len(seen) + 1


def test_a_record_cut_off_and_a_record_left_out_are_damage() -> None:
    for first in (1, 11, 21):
        disk = old_log()
        name = segment_name(first)
        data = disk.read(name)
        *_, before, begin, end = line_ends(data)
        for spoilt, lost in (
            (data[: end - 7], first + 9),
            (data[:before] + data[begin:], first + 8),
            (data[:begin] + bytes(end - begin), first + 9),
        ):
            disk.put(name, spoilt)
            seen, why = seen_until_damage(DiskReader(disk, 0), 30)
            assert seen == list(range(1, lost))
            assert why is not None and why.seq == lost


def test_a_long_stretch_of_zeros_is_damage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "READ_BYTES", 700)
    disk = old_log()
    data = disk.read(segment_name(11))
    begin = line_ends(data)[3]
    disk.put(segment_name(11), data[:begin] + bytes(len(data) - begin))
    seen, why = seen_until_damage(DiskReader(disk, 0), 30)
    assert seen == list(range(1, 14))
    assert why is not None and str(why) == f"{segment_name(11)} is damaged at 14"


def test_damage_before_the_wanted_records_does_not_stop_a_reader() -> None:
    disk = old_log()
    data = bytearray(disk.read(segment_name(11)))
    data[line_ends(data)[4] + 50] ^= 1  # record 15
    disk.put(segment_name(11), bytes(data))
    for after in range(30):
        seen, why = seen_until_damage(DiskReader(disk, after), 30)
        if after < 15:
            assert seen == list(range(after + 1, 15))
            assert why is not None and why.seq == 15
        else:
            assert (seen, why) == (list(range(after + 1, 31)), None)


def test_what_is_not_durable_yet_is_not_judged() -> None:
    disk = old_log()
    whole = disk.read(segment_name(21))
    for tail in (b"half a rec", b"rubbish\n", b"rubbish\nand more", bytes(2_000)):
        disk.put(segment_name(21), whole + tail)
        assert seen_until_damage(DiskReader(disk, 0), 30) == (list(range(1, 31)), None)


async def test_damage_ends_a_follower_after_the_last_record_before_it() -> None:
    disk = old_log()
    journal = open_journal(disk)
    data = bytearray(disk.read(segment_name(11)))
    data[line_ends(data)[4] + 50] ^= 1
    disk.put(segment_name(11), bytes(data))
    async with running(journal):
        stream = journal.follow(0)
        assert [(await anext(stream)).seq for _ in range(14)] == list(range(1, 15))
        with pytest.raises(Damaged, match="damaged at 15"):
            await anext(stream)
        behind = [r.seq async for r in journal.follow(15, wait=False)]
        assert behind == list(range(16, 31))


async def test_damage_under_an_actor_is_a_crash_that_is_recorded() -> None:
    disk = old_log()
    journal = open_journal(disk)
    disk.put(segment_name(11), disk.read(segment_name(11))[:-5])

    async def read() -> None:
        async for _ in journal.follow(0):
            pass

    async with running(journal):
        supervisor = Supervisor(journal, HandClock(), {"reader": read})
        running_actors = asyncio.create_task(supervisor.run())
        crash = await anext(journal.follow(30))
        assert isinstance(crash.event, ActorCrashed)
        assert (crash.event.name, crash.event.exception) == ("reader", "Damaged")
        assert crash.event.location.startswith("ragd/eventlog/follow.py:")
        running_actors.cancel()
        await asyncio.wait([running_actors])
