"""The last days and any past moment, from a log that grows meanwhile."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from ragd.errors import RagdError
from ragd.eventlog.frame import Record
from ragd.events import DaemonStarted, DependencyLost, DependencyRecovered
from ragd.folds import State
from ragd.gateway import timeline as module
from ragd.gateway.timeline import MOST_DAYS, Timeline
from ragd.paths import Home as HomePaths
from ragd.state.history import History, HistoryPart
from ragd.state.ledger import Ledger
from ragd.state.replay_process import replayed_history
from tests.eventlog.homes import Home, work

STARTED = DaemonStarted(version="1", config_hash="", previous_stop="none")
LOST = DependencyLost(dependency="vault", code="VAULT_NOT_FOUND")
FOUND = DependencyRecovered(dependency="vault")


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    """An open log: a start, a vault that is lost, and one that is back."""
    async with Home(tmp_path).ledger() as opened:
        await work(opened, [STARTED, LOST, FOUND])
        yield opened


@pytest.fixture
def timeline(ledger: Ledger, tmp_path: Path) -> Timeline:
    return Timeline(ledger, Home(tmp_path).clock, HomePaths(str(tmp_path)))


async def changes(timeline: Timeline) -> list[tuple[int, bool]]:
    """The records that changed the health, and whether the vault is lost after each."""
    found = (await timeline.answer(7))["changes"]
    return [(one.seq, "VAULT_NOT_FOUND" in one.reasons) for one in found]


async def refusal(timeline: Timeline, seq: int | None = None, at: str | None = None) -> RagdError:
    with pytest.raises(RagdError) as refused:
        await timeline.state(seq, at)
    assert refused.value.code == "INVALID_REQUEST"
    return refused.value


async def test_what_happens_after_the_first_request_is_added(
    timeline: Timeline, ledger: Ledger
) -> None:
    before = await changes(timeline)
    assert before[-2:] == [(2, True), (3, False)]
    await work(ledger, [LOST])
    assert await changes(timeline) == [*before, (4, True)]


async def test_the_past_is_replayed_once(
    timeline: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    replayed, replay = [], replayed_history

    async def count_and_replay(events: Path, snapshots: Path, until: int) -> HistoryPart:
        replayed.append(until)
        return await replay(events, snapshots, until)

    monkeypatch.setattr(module, "replayed_history", count_and_replay)
    assert await changes(timeline) == await changes(timeline)
    assert replayed == [3]


async def test_a_replay_that_fails_is_tried_again_at_the_next_request(
    timeline: Timeline, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(events: Path, snapshots: Path, until: int) -> HistoryPart:
        raise RagdError("TIMEOUT")

    with monkeypatch.context() as broken:
        broken.setattr(module, "replayed_history", fail)
        with pytest.raises(RagdError):
            await timeline.answer(7)
    assert ledger.listener is None
    await work(ledger, [LOST])
    assert (await changes(timeline))[-1] == (4, True)


async def test_the_log_goes_on_if_the_timeline_fails(
    timeline: Timeline, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    await changes(timeline)

    def fail(history: History, record: Record, state: State) -> None:
        raise ValueError("a record that it cannot show")

    with monkeypatch.context() as broken:
        broken.setattr(History, "add", fail)
        await work(ledger, [LOST])
    assert ledger.state.seq == 4
    assert (await changes(timeline))[-1] == (4, True)  # replayed again


@pytest.mark.parametrize("days", [0, -1, MOST_DAYS + 1])
async def test_a_number_of_days_out_of_range_is_refused(timeline: Timeline, days: int) -> None:
    with pytest.raises(RagdError, match="`days`") as refused:
        await timeline.answer(days)
    assert refused.value.code == "INVALID_REQUEST"


async def test_the_state_is_that_after_a_record_or_at_a_time(
    timeline: Timeline, ledger: Ledger
) -> None:
    lost = msgspec.json.decode(await timeline.state(2, None))
    assert lost["seq"] == 2
    assert "VAULT_NOT_FOUND" in [one["code"] for one in lost["health"]["reasons"]]
    at = msgspec.json.decode(await timeline.state(None, lost["ts"]))
    assert at["health"] == lost["health"]


async def test_a_past_state_is_replayed_once_and_not_all_are_kept(
    timeline: Timeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int | None] = []

    async def replay(
        events: Path, snapshots: Path, *, until: int | None, at: str | None
    ) -> msgspec.Raw:
        asked.append(until)
        return msgspec.Raw(b'{"seq":%d}' % (until or 0))

    monkeypatch.setattr(module, "replayed_state", replay)
    monkeypatch.setattr(module, "STATES_KEPT", 2)
    for seq in (1, 2, 1, 3, 2, 1):
        assert bytes(await timeline.state(seq, None)) == b'{"seq":%d}' % seq
    assert asked == [1, 2, 3, 1]  # the first one was dropped


async def test_a_moment_that_cannot_be_shown_is_refused(timeline: Timeline) -> None:
    assert "one of the parameters" in (await refusal(timeline)).message
    assert "one of the parameters" in (await refusal(timeline, 1, "2026-01-01")).message
    assert "the newest record, 3" in (await refusal(timeline, 4)).message
    assert "not a time" in (await refusal(timeline, at="yesterday-ish")).message
