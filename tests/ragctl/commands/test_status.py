"""`ragctl status`: health, reasons and fixes for people, exit codes and JSON for scripts."""

import functools
import io
import json
import os
import socket
import sys
from typing import Any

import pytest

from ragctl.daemon import start as starting
from ragctl.views.render import Ink
from ragctl.views.status_report import render_status
from ragd import __version__
from ragd.paths import Home
from tests.ragctl.conftest import FakeDaemon, Ragctl


def test_an_ollama_that_is_not_needed_is_not_a_problem(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more = {"ollama_status": "down", "index": None}
    assert "Ollama down\n" in ragctl("status").out
    index = {"generation": "01A", "provider": "embedded", "model": "m", "dimensions": 4}
    fake.more = {"ollama_status": "down", "index": index}
    assert "Ollama down (not needed)" in ragctl("status").out


def test_what_happened_to_code_is_shown(ragctl: Ragctl, fake: FakeDaemon) -> None:
    index: dict[str, Any] = {
        "generation": "01A",
        "provider": "embedded",
        "model": "m",
        "dimensions": 4,
        "code_blocks": "remove",
        "code_hint": None,
    }
    fake.more = {"index": index, "vault": {"path": "/v", "code_percent": 21}}
    out = ragctl("status").out
    assert "left out of passages (21 % of the text of a sample of notes)" in out
    hint = {"message": "More than half is code now.", "suggestion": "`ragctl reindex` helps."}
    fake.more["index"] = {**index, "code_blocks": "keep", "code_hint": hint}
    out = " ".join(ragctl("status").out.split())
    assert "code indexed (21 %" in out
    assert "More than half is code now. `ragctl reindex` helps." in out


def test_the_first_line_shows_health(ragctl: Ragctl, fake: FakeDaemon) -> None:
    result = ragctl("status")
    assert result.code == 0 and result.err == ""
    assert result.lines[0] == "● healthy  Everything works."
    assert "677 notes, 3,421 passages" in result.out
    assert f"pid {os.getpid()} · version {__version__} · up 2 h 3 min" in result.out


def test_each_reason_says_since_when_and_what_to_do(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.be("degraded", "OLLAMA_UNREACHABLE", "INDEX_STALE")
    result = ragctl("status")
    assert result.code == 0
    assert result.lines[0] == "▲ degraded  Searches work, with limits."
    assert "OLLAMA_UNREACHABLE  for " in result.out
    assert ", since 2026-11-1" in result.out
    assert "→ Start it with `ollama serve`" in result.out
    assert "→ Run `ragctl sync`." in result.out


@pytest.mark.parametrize(
    ("health", "code"), [("healthy", 0), ("degraded", 5), ("unavailable", 4), ("unheard-of", 4)]
)
def test_check_turns_health_into_an_exit_code(
    ragctl: Ragctl, fake: FakeDaemon, health: str, code: int
) -> None:
    fake.health = health
    assert ragctl("status", "--check").code == code
    assert ragctl("status").code == 0


def test_json_is_the_envelope_unchanged(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.be("degraded", "OLLAMA_UNREACHABLE")
    result = ragctl("status", "--json")
    assert result.json["data"] == json.loads(json.dumps(fake.status()))
    assert set(result.json) == {"status", "data", "error", "meta"}
    assert len(result.lines) == 1


def test_without_start_a_missing_daemon_is_exit_3_with_the_next_command(ragctl: Ragctl) -> None:
    result = ragctl("status", "--no-start")
    assert result.code == 3 and result.out == ""
    assert result.err == "ragctl: ragd is not running.\nStart it with `ragctl start`.\n"


def test_check_without_start_is_exit_3_when_it_is_down(ragctl: Ragctl) -> None:
    assert ragctl("status", "--check", "--no-start").code == 3


def test_a_daemon_that_does_not_answer_is_exit_75(
    ragctl: Ragctl, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = functools.partial(starting.call_daemon, timeout=0.1)
    monkeypatch.setattr("ragctl.commands.status.call_daemon", impatient)
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(home.socket)
        mute.listen()
        for argv in ((), ("--check",), ("--check", "--no-start")):
            result = ragctl("status", *argv)
            assert result.code == 75 and "did not answer in time" in result.err


def test_a_socket_without_a_listener_counts_as_not_running(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.close()
    open(fake.home.socket, "w").close()
    assert ragctl("status", "--no-start").code == 3


def test_another_version_is_reported_with_the_next_step(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.version = "9.9.9"
    result = ragctl("status")
    assert result.code == 0
    assert "the running daemon is 9.9.9" in result.err and "`ragctl stop`" in result.err


def test_unusual_details_are_shown_only_when_present(ragctl: Ragctl, fake: FakeDaemon) -> None:
    plain = ragctl("status").out
    assert "actor" not in plain and "skipped" not in plain and "rebuilt" not in plain
    assert "  job        none yet\n" in plain
    fake.more = {
        "chunks_embedded": 3000,
        "unindexed_files": 2,
        "active_job": {"id": "01J", "mode": "sync", "phase": "running", "progress": 0.42},
        "vault": {"path": "/vault", "found": False},
        "building": {"total_chunks": 1200, "chunks_embedded": 1024},
        "actors": [
            {
                "name": "embedder",
                "state": "restarting",
                "crashes": 2,
                "last_crash": {
                    "exception": "OSError",
                    "location": "ragd/x.py:1",
                    "at": "2026-11-15T14:30:00.000000Z",
                },
            }
        ],
        "skipped": {
            "total": 5,
            "files": [{"path": f"{n}.md", "reason": "too large"} for n in "abcde"],
        },
    }
    result = ragctl("status").out
    assert "421 of them without a vector yet; 2 files waiting" in result
    assert "sync running, 42% (01J)" in result
    assert "missing or not readable" in result
    assert "new index being built: 1,200 passages, 1,024 with a vector" in result
    assert "embedder restarting, 2 crashes; OSError at ragd/x.py:1" in result
    assert "a.md (too large)" in result and "and 2 more (--json lists them)" in result


def test_template_folders_that_are_left_out_are_named_with_the_setting(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    assert "left out" not in ragctl("status").out
    templates = [{"path": "Templates", "notes": 12}, {"path": "Meta/T", "notes": 1}]
    fake.more = {"vault": {"path": "/v", "found": True, "watch": "native", "templates": templates}}
    said = " ".join(ragctl("status").out.split())
    assert "left out Templates, a template folder with 12 notes" in said
    assert "left out Meta/T, a template folder with 1 note; " in said
    assert said.count("`ragctl config set indexing.templates index` indexes them") == 1


def test_a_vault_that_the_system_cannot_watch_is_shown_as_polled(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    assert "checked every few seconds" not in ragctl("status").out
    fake.more["vault"] = {"path": "/vault", "found": True, "watch": "polling"}
    assert "/vault  (checked every few seconds" in ragctl("status").out


def test_settings_that_need_a_restart_are_named(ragctl: Ragctl, fake: FakeDaemon) -> None:
    assert "need a restart" not in ragctl("status").out
    fake.more["needs_restart"] = ["embedding.provider"]
    said = ragctl("status").out
    assert "settings need a restart: embedding.provider." in said
    assert "`ragctl stop`, then `ragctl start`" in said
    job = ragctl("reindex", "--no-wait")
    assert "does not use the new embedding.provider, which needs a restart" in job.err


def test_withheld_vectors_do_not_count_as_missing(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more = {"chunks_embedded": 3420, "chunks_withheld": 1}
    said = ragctl("status").out
    assert "1 kept without a vector as sensitive" in said and "yet" not in said.split("job")[0]


def test_every_part_is_there_in_its_order(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.be("degraded", "OLLAMA_UNREACHABLE")
    said = ragctl("status").out
    parts = ["▲ degraded", "OLLAMA_UNREACHABLE", "since", "→", "vault", "notes", "index"]
    places = [said.index(part) for part in [*parts, "provider", "last sync", "job", "log"]]
    assert places == sorted(places)


def test_the_last_job_is_shown_when_none_is_running(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more["last_job"] = {
        "mode": "full",
        "outcome": "partial",
        "finished_at": "2026-11-15T14:30:00.000000Z",
    }
    assert "none; the last (full) was partial, " in ragctl("status").out


def test_status_waits_for_the_first_probes_of_a_new_daemon(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.be("unavailable", "STARTING")
    fake.more["uptime_s"] = 0

    def ready() -> None:
        fake.be("healthy")
        fake.record("dependency_recovered", dependency="index")

    fake.when_followed.append(ready)
    assert ragctl("status", "--check").code == 0


def test_the_name_of_a_note_cannot_control_the_terminal(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more["failed"] = {
        "total": 1,
        "files": [{"path": "\x1b]0;owned\x07\u202eevil.md", "code": "X"}],
    }
    out = ragctl("status").out
    assert "\x1b" not in out and "\u202e" not in out
    assert "\\x1b]0;owned\\x07\\u202eevil.md" in out


def test_colours_are_only_used_on_a_colour_terminal(
    fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[32;1m● healthy\x1b[0m" in render_status(fake.status(), Ink(Terminal()))
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in render_status(fake.status(), Ink(Terminal()))
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in render_status(fake.status(), Ink(Terminal()))
    assert "\x1b" not in render_status(fake.status(), Ink(sys.stdout))


def test_a_refused_configuration_is_in_the_first_line(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more["config_refused"] = "It is not JSON."
    result = ragctl("status")
    assert "Everything works" not in result.out
    assert result.lines[0] == "▲ healthy  Searches work, but config.json is invalid: see below."
    assert "It is not JSON." in result.out and "`ragctl config validate`" in result.out


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"needs_restart": ["vault_path"]}, "changed settings need a restart"),
        ({"paused": {"since": "x", "until": "2099-01-01T00:00:00Z"}}, "syncing is paused"),
        ({"chunks_pending": 3}, "vectors are still being made"),
    ],
)
def test_the_first_line_of_a_healthy_daemon_names_pending_work(
    ragctl: Ragctl, fake: FakeDaemon, more: dict[str, Any], sentence: str
) -> None:
    fake.more |= more
    assert sentence in ragctl("status").lines[0]


def test_a_job_that_makes_vectors_is_shown_with_its_counts(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    job = {"id": "01J", "mode": "full", "phase": "vectors", "progress": 0.25}
    fake.more["active_job"] = {**job, "current": 300, "total": 1200}
    assert "full making vectors, 25% (300 of 1,200 vectors) (01J)" in ragctl("status").out


def test_only_the_job_that_makes_vectors_counts_them(ragctl: Ragctl, fake: FakeDaemon) -> None:
    new = {"total_chunks": 1200, "chunks_embedded": 150}
    job = {"id": "01J", "mode": "reindex", "phase": "vectors", "progress": 0.25}
    fake.more |= {"total_chunks": 1200, "chunks_embedded": 200, "building": new}
    fake.more["active_job"] = {**job, "current": 300, "total": 1200}
    said = ragctl("status").out
    assert "300 of 1,200 vectors" in said
    assert "without a vector" not in said and "with a vector" not in said
    assert "new index being built: 1,200 passages" in said


def test_the_last_job_says_how_long_text_and_vectors_took(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.more["last_job"] = {
        "mode": "full",
        "outcome": "complete",
        "finished_at": "2026-11-15T14:00:00Z",
        "text_ms": 2100,
        "duration_ms": 13300,
    }
    assert "text took 2.1 s, with vectors 13 s" in ragctl("status").out
