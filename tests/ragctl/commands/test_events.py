"""`ragctl events`: recorded facts and new ones."""

import json
import signal

from tests.ragctl.conftest import FakeDaemon, Ragctl, StartProcess


def test_all_kept_facts_are_shown_oldest_first(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.record("daemon_started", version="0.1.0", previous_stop="none")
    fake.record("files_changed", actor="watcher", changes=[{"path": "a b.md", "kind": "added"}])
    result = ragctl("events")
    assert result.code == 0 and result.err == ""
    first, second = result.lines
    assert first.split()[2:] == [
        *("1", "daemon", "daemon_started", "version=0.1.0", "previous_stop=none")
    ]
    assert second.endswith('files_changed        changes=[{path="a b.md" kind=added}]')


def test_json_is_the_daemons_lines_unchanged(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.record("daemon_started", version="0.1.0")
    fake.record("daemon_stopped", reason="requested")
    result = ragctl("events", "--json")
    assert result.lines == [json.dumps(record) for record in fake.records]


def test_after_limit_and_type_select_facts(ragctl: Ragctl, fake: FakeDaemon) -> None:
    for number in range(6):
        fake.record("even" if number % 2 else "odd", number=number)
    seqs = [json.loads(line)["seq"] for line in ragctl("events", "--json", "--after", "3").lines]
    assert seqs == [4, 5, 6]
    seqs = [json.loads(line)["seq"] for line in ragctl("events", "--json", "--after", "-2").lines]
    assert seqs == [5, 6]
    chosen = ragctl("events", "--json", "--type", "even", "--limit", "2").lines
    assert [json.loads(line)["seq"] for line in chosen] == [2, 4]


def test_following_begins_with_the_last_few(ragctl: Ragctl, fake: FakeDaemon) -> None:
    for number in range(30):
        fake.record("counted", number=number)
    fake.when_followed.append(lambda: fake.record("new"))
    lines = ragctl("events", "-f", "--json", "--limit", "11").lines
    assert [json.loads(line)["seq"] for line in lines] == list(range(21, 32))


def test_a_dropped_follower_continues_after_its_last_fact(ragctl: Ragctl, fake: FakeDaemon) -> None:
    def first() -> None:
        fake.record("before")
        fake.drop_followers()

    fake.when_followed += [first, lambda: fake.record("behind")]
    lines = ragctl("events", "-f", "--json", "--limit", "2").lines
    assert [json.loads(line)["event"]["type"] for line in lines] == ["before", "behind"]
    assert "GET /v1/events?after=1&follow=1" in fake.requests


def test_following_ends_with_a_sentence_when_the_daemon_goes(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.record("daemon_started")
    fake.when_followed.append(lambda: fake.aside(fake.close))
    result = ragctl("events", "-f")
    assert result.code == 3 and "daemon_started" in result.out
    assert "The daemon stopped" in result.err


def test_a_refusal_is_shown_in_the_daemons_words(ragctl: Ragctl, fake: FakeDaemon) -> None:
    result = ragctl("events", "--type", "no such&type")
    assert result.code == 2 and result.out == ""
    assert "The parameter `type` is not a type of fact." in result.err
    assert fake.requests[-1].endswith("&type=no%20such%26type")


def test_trouble_stands_out_and_nulls_are_left_out() -> None:
    from ragctl.commands.events import format_fact
    from ragctl.views.render import Ink

    ink = Ink()
    ink.colour = True
    event = {"type": "dependency_lost", "code": "X", "since": None}
    line = format_fact({"seq": 1, "ts": "2026-11-15T14:30:00Z", "actor": "a", "event": event}, ink)
    assert "\x1b[31mdependency_lost" in line and line.endswith(" code=X")


def test_ctrl_c_ends_it_quietly(process: StartProcess, fake: FakeDaemon) -> None:
    fake.record("daemon_started")
    child = process("events", "-f")
    assert "daemon_started" in child.stdout.readline()
    child.send_signal(signal.SIGINT)
    assert child.communicate() == ("", "")
    assert child.returncode == 130


def test_a_closed_pipe_ends_it_quietly(process: StartProcess, fake: FakeDaemon) -> None:
    fake.record("daemon_started")
    child = process("events", "-f")
    child.stdout.readline()
    child.stdout.close()
    fake.record("files_changed")
    assert child.wait() == 0
    assert child.stderr.read() == ""
