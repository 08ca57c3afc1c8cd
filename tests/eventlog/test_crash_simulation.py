"""Thousands of crashes: nothing acknowledged is ever lost, and no false damage is reported."""

from collections.abc import Callable

import pytest

from ragd.eventlog import recovery, segment
from ragd.eventlog.append import Appender
from ragd.eventlog.disk import AppendFile, Disk
from ragd.eventlog.segment import Damage
from tests.eventlog.crash_simulation import failures
from tests.eventlog.simulated_disk import Handle, SimulatedDisk

SEEDS = 2_400
SHARES = 12


@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_no_crash_loses_an_acknowledged_record_or_raises_a_false_alarm(share: int) -> None:
    assert failures(range(share, SEEDS, SHARES)) == []


# The simulation is worth something only if it finds what is wrong. Each of these is a mistake that
# was made here, or nearly; each must be found within a few hundred seeds.

Sabotage = Callable[[pytest.MonkeyPatch], None]


def call_any_record_after_a_bad_one_damage(patch: pytest.MonkeyPatch) -> None:
    judge = segment._classify_damage

    def simpler(data: bytes, offset: int, seq: int, is_last: bool) -> Damage | None:
        behind = segment._read_rest(data[offset:])
        if behind.whole:
            return Damage("damaged", offset, seq, behind.last_seq(seq))
        return judge(data, offset, seq, is_last)

    patch.setattr(segment, "_classify_damage", simpler)


def call_everything_a_torn_tail(patch: pytest.MonkeyPatch) -> None:
    def trusting(data: bytes, offset: int, seq: int, is_last: bool) -> Damage | None:
        return Damage("torn", offset, seq, seq - 1) if offset < len(data) else None

    patch.setattr(segment, "_classify_damage", trusting)
    patch.setattr(recovery, "_rewrite_last_group", lambda disk, name: None)


def acknowledge_before_the_sync(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Appender, "_sync", lambda self, file: None)


def give_out_what_is_in_the_page_cache_only(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recovery, "_rewrite_last_group", lambda disk, name: None)


def believe_the_page_cache_after_a_failed_sync(patch: pytest.MonkeyPatch) -> None:
    def only_sync(disk: Disk, name: str) -> None:
        disk.append_to(name).sync()

    patch.setattr(recovery, "_rewrite_last_group", only_sync)


def take_back_a_short_write_without_a_sync(patch: pytest.MonkeyPatch) -> None:
    def only_truncate(self: Appender, file: AppendFile) -> None:
        file.truncate(self._size)

    patch.setattr(Appender, "_undo_write", only_truncate)


def take_back_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Appender, "_undo_write", lambda self, file: None)


def trust_a_name_that_was_never_synced(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SimulatedDisk, "append_to", lambda self, name: Handle(self, self.files[name]))


def forget_what_was_set_aside(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recovery, "_unrecorded", lambda disk: [])


@pytest.mark.parametrize(
    "sabotage",
    [
        call_any_record_after_a_bad_one_damage,
        call_everything_a_torn_tail,
        acknowledge_before_the_sync,
        give_out_what_is_in_the_page_cache_only,
        believe_the_page_cache_after_a_failed_sync,
        take_back_a_short_write_without_a_sync,
        take_back_nothing,
        trust_a_name_that_was_never_synced,
        forget_what_was_set_aside,
    ],
)
def test_the_simulation_finds_it_when_we(
    sabotage: Sabotage, monkeypatch: pytest.MonkeyPatch
) -> None:
    sabotage(monkeypatch)
    assert failures(range(1_000), enough=1)
