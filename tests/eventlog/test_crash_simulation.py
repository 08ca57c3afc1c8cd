"""Thousands of crashes: nothing acknowledged is ever lost, and no false damage is reported."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from ragd.eventlog import recovery, segment
from ragd.eventlog.append import Appender
from ragd.eventlog.disk import Disk
from ragd.eventlog.frame import Record
from ragd.eventlog.recovery import Position, Recovered, recover
from ragd.eventlog.segment import Damage, classify_damage
from tests.eventlog import crash_simulation
from tests.eventlog.careless_disk import CarelessDisk, Step
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


def skip_when_appending(patch: pytest.MonkeyPatch, *steps: Step) -> None:
    def careless(disk: Disk, position: Position, run: str, by: str, room: int) -> Appender:
        return Appender(CarelessDisk(disk, *steps), position, run, by, room)

    patch.setattr(crash_simulation, "Appender", careless)


def skip_when_recovering(patch: pytest.MonkeyPatch, *steps: Step) -> None:
    def careless(disk: Disk, after: int, apply: Callable[[Record], None]) -> Recovered:
        return recover(CarelessDisk(disk, *steps), after, apply)

    patch.setattr(crash_simulation, "recover", careless)


def call_any_record_after_a_bad_one_damage(patch: pytest.MonkeyPatch) -> None:
    def simpler(data: bytes, offset: int, seq: int, is_last: bool) -> Damage | None:
        found = classify_damage(data, offset, seq, is_last)
        if found is not None and found.kind == "torn" and found.last_seq >= seq:
            return replace(found, kind="damaged")
        return found

    patch.setattr(segment, "classify_damage", simpler)


def call_everything_a_torn_tail(patch: pytest.MonkeyPatch) -> None:
    def trusting(data: bytes, offset: int, seq: int, is_last: bool) -> Damage | None:
        return Damage("torn", offset, seq, seq - 1) if offset < len(data) else None

    patch.setattr(segment, "classify_damage", trusting)
    skip_when_recovering(patch, "rewrite", "sync after rewrite")


def acknowledge_before_the_sync(patch: pytest.MonkeyPatch) -> None:
    skip_when_appending(patch, "sync after write")


def give_out_what_is_in_the_page_cache_only(patch: pytest.MonkeyPatch) -> None:
    skip_when_recovering(patch, "rewrite", "sync after rewrite")


def believe_the_page_cache_after_a_failed_sync(patch: pytest.MonkeyPatch) -> None:
    skip_when_recovering(patch, "rewrite")


def take_back_a_short_write_without_a_sync(patch: pytest.MonkeyPatch) -> None:
    skip_when_appending(patch, "sync after truncate")


def take_back_nothing(patch: pytest.MonkeyPatch) -> None:
    skip_when_appending(patch, "truncate", "sync after truncate")


def trust_a_name_that_was_never_synced(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SimulatedDisk, "append_to", lambda self, name: Handle(self, self.files[name]))


def forget_what_was_set_aside(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(recovery, "unrecorded_incidents", lambda disk: [])


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
