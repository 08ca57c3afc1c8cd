"""The history of health: from the daemon (`events --health`) and the log (`replay --health`)."""

import json
from pathlib import Path

import pytest

from ragctl.views.render import Ink
from ragctl.views.timeline import TimelineChange, render_changes
from ragd.paths import Home
from tests.ragctl.commands.test_replay import records, segment, shortened, write_segment
from tests.ragctl.conftest import FakeDaemon, Ragctl

__all__ = ["segment", "shortened"]


def seqs(lines: list[str]) -> list[int]:
    return [json.loads(line)["seq"] for line in lines]


@pytest.fixture
def story(fake: FakeDaemon) -> FakeDaemon:
    """A provider is lost and comes back; then the index is gone."""
    fake.record("daemon_started")
    fake.record("health_changed", cause=1, before="healthy", after="degraded", reasons=["A"])
    fake.record("files_changed", changes=[])
    fake.record("dependency_lost", "health_monitor", dependency="index", code="B", since=None)
    fake.record(
        "health_changed", cause=4, before="degraded", after="unavailable", reasons=["B", "A"]
    )
    fake.record("dependency_recovered", "health_monitor", dependency="index")
    fake.record("health_changed", cause=6, before="unavailable", after="degraded", reasons=["A"])
    return fake


def test_every_change_shows_its_new_and_past_reasons_and_its_cause(
    ragctl: Ragctl, story: FakeDaemon
) -> None:
    result = ragctl("events", "--health")
    assert result.code == 0 and result.err == ""
    assert [line.strip() for line in result.lines][-6:] == [
        *(result.lines[-6], "+ B"),
        "by fact 4: health_monitor dependency_lost dependency=index code=B",
        *(result.lines[-3], "- B"),
        "by fact 6: health_monitor dependency_recovered dependency=index",
    ]
    assert result.lines[-6].endswith("▲ degraded → ✗ unavailable")
    assert result.lines[-3].endswith("✗ unavailable → ▲ degraded")


def test_for_programs_each_change_is_a_line_with_its_cause(
    ragctl: Ragctl, story: FakeDaemon
) -> None:
    lines = ragctl("events", "--health", "--json").lines
    assert seqs(lines) == [1, 4, 6]
    assert json.loads(lines[1]) == {
        "seq": 4,
        "ts": "2026-11-15T14:30:04.000000Z",
        "before": "degraded",
        "after": "unavailable",
        "reasons": ["B", "A"],
        "cause": {
            "seq": 4,
            "ts": "2026-11-15T14:30:04.000000Z",
            "actor": "health_monitor",
            "event": {"type": "dependency_lost", "dependency": "index", "code": "B", "since": None},
        },
    }


def test_a_cause_past_retention_is_marked(ragctl: Ragctl, story: FakeDaemon) -> None:
    story.more["log"] = {**story.status()["log"], "oldest_seq": 5}
    lines = ragctl("events", "--health", "--json").lines
    assert json.loads(lines[0])["cause"] is None and seqs(lines) == [4, 6]
    assert "by fact 4, which is past retention" in ragctl("events", "--health").out


def test_after_and_limit_select_and_earlier_reasons_are_still_known(
    ragctl: Ragctl, story: FakeDaemon
) -> None:
    assert seqs(ragctl("events", "--health", "--json", "--after", "2").lines) == [4, 6]
    assert seqs(ragctl("events", "--health", "--json", "--limit", "1").lines) == [1]
    said = ragctl("events", "--health", "--after", "-1").lines
    assert said[1].strip() == "- B"


def test_new_changes_are_followed(ragctl: Ragctl, story: FakeDaemon) -> None:
    def heal() -> None:
        story.record("dependency_recovered", dependency="ollama")
        story.record("health_changed", cause=8, before="degraded", after="healthy", reasons=[])

    story.when_followed.append(heal)
    assert seqs(ragctl("events", "--health", "-f", "--json", "--limit", "4").lines) == [1, 4, 6, 8]


def test_health_cannot_be_combined_with_a_type(ragctl: Ragctl, fake: FakeDaemon) -> None:
    result = ragctl("events", "--health", "--type", "job_finished")
    assert result.code == 2 and "--health cannot be combined with --type" in result.err


def test_the_log_is_enough_without_a_daemon(ragctl: Ragctl, segment: Path) -> None:
    lines = [json.loads(line) for line in ragctl("replay", "--health", "--json").lines]
    assert [(one["seq"], one["after"], one["reasons"]) for one in lines] == [
        (1, "unavailable", ["STARTING"]),
        (2, "unavailable", ["INDEX_NOT_FOUND"]),
        (4, "healthy", []),
        (6, "unavailable", ["INDEX_CORRUPTED"]),
    ]
    assert lines[3]["cause"]["event"]["type"] == "dependency_lost"
    assert seqs(ragctl("replay", "--health", "--json", "--until", "4").lines) == [1, 2, 4]
    words = ragctl("replay", "--health").out
    assert "● healthy → ✗ unavailable" in words and "+ INDEX_CORRUPTED" in words


def test_a_log_without_its_beginning_continues_from_a_snapshot(
    ragctl: Ragctl, shortened: None
) -> None:
    assert seqs(ragctl("replay", "--health", "--json").lines) == [6]
    assert "● healthy → ✗ unavailable" in ragctl("replay", "--health").out
    assert ragctl("replay", "--health", "--until", "4").code == 1


def test_a_change_whose_fact_was_lost_is_found(ragctl: Ragctl, home: Home) -> None:
    write_segment(Path(home.events), 1, records()[:2])
    assert seqs(ragctl("replay", "--health", "--json").lines) == [1, 2]


def test_damage_in_the_log_is_reported(ragctl: Ragctl, segment: Path) -> None:
    segment.write_bytes(segment.read_bytes().replace(b'"seq":4', b'"seq":5'))
    result = ragctl("replay", "--health")
    assert result.code == 0 and "damaged at 4" in result.err


def test_health_cannot_be_combined_with_verify(ragctl: Ragctl, segment: Path) -> None:
    assert ragctl("replay", "--health", "--verify").code == 2


def test_control_characters_in_a_fact_are_escaped() -> None:
    event = {"type": "file_failed", "path": "\x1b[2Jevil.md"}
    cause = {"seq": 7, "ts": "", "actor": "batcher", "event": event}
    change = TimelineChange(7, "2026-11-15T14:30:00Z", "healthy", "degraded", ["X"], cause)
    assert "\x1b" not in "".join(render_changes([change], Ink()))


@pytest.mark.slow
def test_events_and_replay_agree_on_a_real_daemon(ragctl: Ragctl, home: Home, short: Path) -> None:
    assert ragctl("config", "set", "health.probe_s", "0.05").code == 0
    assert ragctl("index").code == 0
    before = len(ragctl("events", "--health", "--json").lines)
    (short / "vault").rename(short / "away")
    upto = ("--limit", str(before + 1))
    told = ragctl("events", "--health", "--json", "-f", "--after", "0", *upto).lines
    assert "VAULT_NOT_FOUND" in told[-1]
    ragctl("stop")
    assert ragctl("replay", "--health", "--json").lines == told
