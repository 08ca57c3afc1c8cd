"""`index`, `sync` and `reindex` against a fake daemon, and Ctrl-C."""

import io
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from ragctl import index_job
from ragctl.views.progress import TerminalProgress
from ragd.paths import Home
from tests.ragctl.conftest import (
    JOB,
    FakeDaemon,
    Ragctl,
    StartProcess,
    StartTerminal,
    complete,
    step,
)
from tests.ragctl.terminal import CTRL_C

FOLLOWED = f"GET /v1/jobs/{JOB}?follow=1"
CANCEL = f"POST /v1/jobs/{JOB}/cancel"


# Requests, and output for programs


@pytest.mark.parametrize(
    ("argv", "body"),
    [
        (("index",), {"mode": "full"}),
        (("sync",), {"mode": "sync"}),
        (("sync", "--accept-deletions"), {"mode": "sync", "accept_deletions": True}),
        (("reindex",), {"mode": "reindex"}),
    ],
)
def test_each_command_requests_its_job(
    ragctl: Ragctl, fake: FakeDaemon, argv: list[str], body: dict[str, Any]
) -> None:
    fake.say(complete())
    assert ragctl(*argv).code == 0
    assert fake.jobs_asked == [body] and FOLLOWED in fake.requests


def test_a_job_that_a_dying_daemon_did_not_answer_is_requested_again(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.hang_ups = 1
    fake.say(complete())
    assert ragctl("sync").code == 0
    assert fake.jobs_asked == [{"mode": "sync"}] * 2


def test_deletions_are_accepted_only_once(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.hang_ups = 1
    result = ragctl("sync", "--accept-deletions")
    assert result.code == 2 and "closed the connection" in result.err
    assert len(fake.jobs_asked) == 1


@pytest.mark.parametrize("json_option", [("--json",), ()])
def test_programs_get_the_documented_lines_and_nothing_else(
    ragctl: Ragctl, fake: FakeDaemon, json_option: str
) -> None:
    fake.say(step("queued"), step("scan"), step("text", 0, 10), step("text", 10, 10))
    fake.say(step("vectors", 3, 18), complete())
    result = ragctl("reindex", *json_option)
    assert (result.code, result.err) == (0, "")
    assert result.lines == [
        '{"type":"progress","phase":"storing","current":0,"total":10}',
        '{"type":"progress","phase":"storing","current":10,"total":10}',
        '{"type":"progress","phase":"embedding","current":3,"total":18}',
        '{"type":"complete","indexed_files":10,"total_chunks":18,"text_ms":1210,"duration_ms":5445,'
        '"errors":[]}',
    ]


def test_no_wait_names_the_job_and_follows_nothing(ragctl: Ragctl, fake: FakeDaemon) -> None:
    assert ragctl("reindex", "--no-wait", "--json").json == {"job_id": JOB, "status": "started"}
    assert ragctl("reindex", "--no-wait").out == f"Started job {JOB}.\n"
    assert FOLLOWED not in fake.requests


@pytest.mark.parametrize(
    ("waiting", "sentence"),
    [
        (step("vectors", 3, 18), "Waiting for vectors"),
        (step("queued"), "Waiting for another job to end"),
    ],
)
def test_a_long_wait_is_explained_once_on_stderr(
    ragctl: Ragctl,
    fake: FakeDaemon,
    monkeypatch: pytest.MonkeyPatch,
    waiting: dict[str, Any],
    sentence: str,
) -> None:
    monkeypatch.setattr(index_job, "LONG_WAIT_S", 0.0)
    fake.say(waiting, step("vectors", 4, 18), step("vectors", 5, 18), complete())
    result = ragctl("sync", "--json")
    assert result.code == 0
    assert result.err.count(sentence) == 1 and "--no-wait" in result.err


def test_people_see_what_a_long_wait_is_for(terminal: StartTerminal, fake: FakeDaemon) -> None:
    fake.say(step("vectors", 3, 18))
    screen = terminal("sync")
    screen.until("Waiting for vectors")
    fake.say(complete())
    assert screen.ended() == 0


# How it ends


VAULT_GONE = {
    "code": "VAULT_NOT_FOUND",
    "message": "The vault's folder is missing or cannot be read.",
    "suggestion": "Mount it.",
}


def test_a_job_that_failed_ends_with_its_cause_and_never_with_complete(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.say(complete("failed", type="failed", **VAULT_GONE))
    result = ragctl("sync")
    said = json.loads(result.lines[-1])
    assert result.code == 2
    assert said == {
        "type": "failed",
        "outcome": "failed",
        "code": "VAULT_NOT_FOUND",
        "message": "The job failed. The vault's folder is missing or cannot be read.",
        "suggestion": "Mount it.",
        "errors": [],
    }
    assert not any('"complete"' in line for line in result.lines)
    assert "The vault's folder is missing" in result.err


def test_a_daemon_that_stops_in_the_middle_is_not_taken_for_done(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    said = {"code": None, "message": "The daemon is stopping.", "suggestion": "Start it."}
    fake.say(step("text", 1, 10), {"type": "interrupted", "outcome": "interrupted", **said})
    result = ragctl("sync")
    assert result.code == 2 and "The daemon is stopping." in result.err
    last = json.loads(result.lines[-1])
    assert (last["type"], last["message"]) == ("interrupted", "The daemon is stopping.")


@pytest.mark.parametrize(
    ("last", "code", "sentence"),
    [
        (complete(), 0, ""),
        (complete("partial", errors_total=1), 1, ""),
        (complete("partial", chunks_embedded=17), 1, "1 passage has no vector yet"),
        (complete("partial", deletions_held=60), 1, "`ragctl sync --accept-deletions`"),
        (complete("failed"), 2, "The job failed.\n`ragctl logs` has the details."),
        (complete("cancelled"), 2, "The job was cancelled."),
    ],
)
def test_the_exit_code_and_a_sentence_show_the_outcome(
    ragctl: Ragctl, fake: FakeDaemon, last: dict[str, Any], code: int, sentence: str
) -> None:
    fake.say(last)
    result = ragctl("sync")
    assert result.code == code and sentence in result.err
    assert bool(result.err) == bool(sentence)
    assert json.loads(result.lines[-1])["type"] == ("failed" if code == 2 else "complete")


def test_a_refusal_is_fatal_and_has_the_daemons_message(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.job_refusal = ("INTERNAL", "This version cannot reindex yet.")
    result = ragctl("reindex")
    assert (result.code, result.out) == (2, "")
    assert "This version cannot reindex yet." in result.err


def test_a_daemon_that_stops_is_fatal_and_the_next_command_is_named(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.say(step("text", 1, 10))
    fake.when_asked(FOLLOWED, fake.close)
    result = ragctl("index")
    assert (
        result.code == 2
        and "stopped before the job was done" in result.err
        and "`ragctl status`" in result.err
    )


def test_the_wait_for_vectors_ends(
    ragctl: Ragctl, fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_job, "VECTOR_WAIT_S", 0.0)
    monkeypatch.setattr(index_job, "TICK_S", 0.01)
    done = {"indexed_files": 10, "duration_ms": 77, "errors": [], "errors_total": 0}
    fake.job = {"id": JOB, "mode": "full", "phase": "finished", "outcome": "complete", **done}
    fake.say(step("vectors", 15, 18))
    result = ragctl("index")
    assert result.code == 1 and "3 passages have no vectors yet" in result.err
    said = {"indexed_files": 10, "total_chunks": 18, "text_ms": 77, "duration_ms": 77, "errors": []}
    assert json.loads(result.lines[-1]) == {"type": "complete", **said}


def test_a_job_that_has_not_ended_is_waited_for(
    ragctl: Ragctl, fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_job, "VECTOR_WAIT_S", 0.0)
    monkeypatch.setattr(index_job, "TICK_S", 0.01)
    fake.say(step("vectors", 15, 18))  # of an index that is being built: the job is still running
    fake.when_asked(f"GET /v1/jobs/{JOB}", lambda: fake.say(complete()))
    assert ragctl("reindex").code == 0


def test_an_error_of_the_system_is_fatal(
    ragctl: Ragctl, fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied", "/x")

    monkeypatch.setattr(index_job, "call_daemon", refuse)
    result = ragctl("index")
    assert (result.code, result.err) == (2, "ragctl: Permission denied: /x.\n")


# On a terminal


def test_people_see_progress_lines_and_then_a_sentence(
    terminal: StartTerminal, fake: FakeDaemon
) -> None:
    fake.say(step("scan"))
    screen = terminal("index")
    screen.until("looking for changes")
    fake.say(step("text", 0, 10), step("text", 10, 10), step("vectors", 3, 18))
    screen.until("3/18 passages")
    fake.say(complete(errors=[{"file": "a.md", "message": "not text"}], errors_total=1))
    assert screen.ended() == 0
    scan, text, vectors, sentence, error = screen.left
    assert [line.split()[0] for line in (scan, text, vectors)] == ["scan", "text", "vectors"]
    assert "10 notes" in text and "18/18 passages" in vectors
    assert sentence == "10 notes read; 18 passages in the index, all with vectors."
    assert error == "a.md: not text"
    assert "\x1b]" not in screen.raw  # the terminal's title is not changed


def test_people_see_which_embedded_model_the_index_has_and_why(
    terminal: StartTerminal, fake: FakeDaemon
) -> None:
    hint = {"message": "The notes are in German.", "suggestion": "Run `ragctl reindex`."}
    index = {"model": "all-MiniLM-L6-v2", "language": "english", "language_hint": hint}
    fake.more = {"index": index, "vault": {"path": "/v", "languages": {"de": 120, "en": 40}}}
    fake.say(complete())
    screen = terminal("index")
    assert screen.ended() == 0
    told = " ".join(screen.text.split())
    assert "Embedded model: all-MiniLM-L6-v2 (english)." in told
    assert "Languages of a sample of notes: de 120, en 40." in told
    assert "The notes are in German." in told


def test_an_empty_vault_has_its_own_message(terminal: StartTerminal, fake: FakeDaemon) -> None:
    fake.say(complete(indexed_files=0, total_chunks=0, chunks_embedded=0))
    screen = terminal("index")
    assert screen.ended() == 0
    assert "The index is empty: the vault has no notes." in screen.text


@pytest.mark.parametrize("columns", [20, 40, 200])
def test_no_line_is_as_wide_as_the_window(
    terminal: StartTerminal, fake: FakeDaemon, columns: int
) -> None:
    fake.say(step("scan"))
    screen = terminal("index", columns=columns, NO_COLOR="1")
    screen.until("looking")
    fake.say(step("vectors", 1, 33_421))
    screen.until("1/33,421")
    fake.say(step("vectors", 20_000, 33_421))
    screen.until("20,000/33,")
    fake.say(complete())
    assert screen.ended() == 0
    moving = [line for line in screen.lines if line.startswith(("scan", "vectors"))]
    assert len(moving) > 3 and max(map(len, moving)) < columns
    assert "\x1b[3" not in screen.raw


def test_lines_fit_a_window_that_shrinks(terminal: StartTerminal, fake: FakeDaemon) -> None:
    fake.say(step("vectors", 9, 33_421))
    screen = terminal("index", columns=100)
    screen.until("─ 9/33,421 passages")
    screen.resize(30)
    screen.until("\rvectors 9/33,421 · ")
    assert len(screen.lines[-1]) < 30


# Ctrl-C


def test_a_long_pause_is_explained_once_from_the_status(home: Home, fake: FakeDaemon) -> None:
    fake.be("unavailable", "DISK_FULL", "VECTORS_PENDING")
    told: set[str] = set()
    [sentence] = index_job.reasons_to_wait(home, told)
    assert fake.reasons[0]["message"] in sentence and fake.reasons[0]["suggestion"] in sentence
    assert list(index_job.reasons_to_wait(home, told)) == []
    screen = io.StringIO()
    shown = TerminalProgress(screen)
    shown.step(step("text", 0, 1))
    shown.print_remark(sentence)
    assert f"{sentence}\n" in screen.getvalue()


@pytest.mark.slow
def test_one_ctrl_c_leaves_the_job_to_the_daemon(terminal: StartTerminal, fake: FakeDaemon) -> None:
    fake.say(step("text", 5, 10))
    screen = terminal("index")
    screen.until("5/10 notes")
    screen.type(CTRL_C)
    screen.until("continues in the background. Ctrl-C again within 3 s cancels the job.")
    assert screen.ended() == 130
    assert screen.left[-1].startswith("Interrupted: the daemon continues on its own.")
    assert CANCEL not in fake.requests


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        ({"mode": "full", "phase": "running"}, "Cancelled: what is stored stays."),
        ({"mode": "reindex", "phase": "running"}, "Cancelled: the index stays as it was."),
        ({"mode": "full", "phase": "finished"}, "Too late to cancel: all text is stored"),
    ],
)
def test_a_second_ctrl_c_cancels_it(
    terminal: StartTerminal, fake: FakeDaemon, job: dict[str, Any], sentence: str
) -> None:
    fake.say(step("text", 5, 10))
    screen = terminal("index")
    screen.until("5/10 notes")
    screen.type(CTRL_C)
    screen.until("Ctrl-C again")
    fake.job = {"id": JOB, **job}
    screen.type(CTRL_C)
    assert screen.ended() == 130
    assert fake.requests.count(CANCEL) == 1
    assert sentence in screen.text and "Interrupted:" not in screen.text


def test_where_only_vectors_are_missing_there_is_nothing_to_cancel(
    terminal: StartTerminal, fake: FakeDaemon
) -> None:
    fake.job = {"id": JOB, "mode": "full", "phase": "finished"}
    fake.say(step("vectors", 5, 10))
    screen = terminal("index")
    screen.until("5/10 passages")
    screen.type(CTRL_C)
    assert screen.ended() == 130
    assert screen.left[-1].startswith("Interrupted: the daemon continues on its own.")
    assert "Ctrl-C again" not in screen.text and CANCEL not in fake.requests


def test_a_failed_cancellation_is_reported(terminal: StartTerminal, fake: FakeDaemon) -> None:
    fake.say(step("text", 5, 10))
    screen = terminal("index")
    screen.until("5/10 notes")
    screen.type(CTRL_C)
    screen.until("Ctrl-C again")
    fake.close()
    screen.type(CTRL_C)
    assert screen.ended() == 130
    assert "could not be cancelled: ragd is not running." in screen.text


@pytest.mark.parametrize("option", [(), ("--json",)])
def test_without_a_terminal_an_interrupt_leaves_the_job_to_the_daemon(
    process: StartProcess, fake: FakeDaemon, option: tuple[str, ...]
) -> None:
    fake.say(step("text", 5, 10))
    child = process("index", *option)
    assert '"current":5' in child.stdout.readline()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate()
    assert (child.returncode, out) == (130, "")
    assert err.startswith("Interrupted: the daemon continues on its own.")
    assert CANCEL not in fake.requests


def test_an_interrupt_before_the_job_names_no_job(
    ragctl: Ragctl, fake: FakeDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(index_job, "call_daemon", interrupt)
    result = ragctl("index")
    assert result.code == 130 and "before the daemon confirmed the job" in result.err


# `index --vault`


@pytest.fixture
def new_machine(home: Home) -> Path:
    """A home that does not exist yet."""
    Path(home.config).unlink()
    Path(home.root).rmdir()
    return Path(home.root)


@pytest.mark.parametrize("given", ["missing", "vault/note.md"])
def test_a_folder_that_is_not_a_vault_is_fatal_and_nothing_is_set_up(
    ragctl: Ragctl, new_machine: Path, short: Path, given: str
) -> None:
    result = ragctl("index", "--vault", str(short / given))
    assert (result.code, result.out) == (2, "")
    assert str(short / given) in result.err and not new_machine.exists()


def test_a_vault_around_the_home_is_fatal(ragctl: Ragctl, new_machine: Path, short: Path) -> None:
    result = ragctl("index", "--vault", str(short))
    assert result.code == 2 and "is inside the vault" in result.err


def test_the_configured_vault_is_just_indexed(
    ragctl: Ragctl, home: Home, fake: FakeDaemon, short: Path
) -> None:
    (short / "link").symlink_to(short / "vault")
    fake.more["vault"] = {"path": str(short / "vault"), "found": True}
    fake.say(complete())
    before = Path(home.config).stat().st_ino
    for name in ("vault", "link"):
        result = ragctl("index", "--vault", str(short / name))
        assert (result.code, result.err) == (0, "")
    assert Path(home.config).stat().st_ino == before
    assert fake.jobs_asked == [{"mode": "full"}] * 2


def test_another_vault_is_refused_with_both_names_and_both_commands(
    ragctl: Ragctl, home: Home, fake: FakeDaemon, short: Path
) -> None:
    (short / "o t").mkdir()
    before = Path(home.config).read_bytes()
    result = ragctl("index", "--vault", str(short / "o t"))
    assert (result.code, result.out) == (2, "")
    assert f"names the vault {short / 'vault'}, not {short / 'o t'}." in result.err
    assert f"To index {short / 'vault'}, run `ragctl index`." in result.err
    assert f"run `ragctl config set vault_path '{short / 'o t'}'`." in result.err
    assert Path(home.config).read_bytes() == before and fake.jobs_asked == []


def test_a_configuration_that_is_not_valid_is_fatal(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    Path(home.config).write_text("{}")
    result = ragctl("index", "--vault", str(short / "vault"))
    assert result.code == 2 and "`vault_path`" in result.err


def test_a_daemon_that_still_serves_the_previous_vault_is_not_used(
    ragctl: Ragctl, home: Home, fake: FakeDaemon, short: Path
) -> None:
    result = ragctl("index", "--vault", str(short / "vault"))
    assert result.code == 2 and fake.jobs_asked == []
    assert f"still uses the vault /vault, not {short / 'vault'}." in result.err
    assert "`ragctl stop`" in result.err


def test_a_job_that_failed_names_the_cause_and_its_own_next_step(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    fake.say(complete("failed"))
    fake.be("degraded", "INDEXER_FAILED", "VAULT_NOT_FOUND")
    result = ragctl("index")
    assert result.code == 2 and "INDEXER_FAILED" not in result.err
    assert "The job failed. The vault's folder is missing" in result.err
    fake.more |= {"provider": "ollama", "ollama_status": "down"}
    assert "The job failed. The vault's folder is missing" in ragctl("index").err


def test_the_cause_from_the_daemon_is_shown(ragctl: Ragctl, fake: FakeDaemon) -> None:
    why = {"code": "OLLAMA_UNREACHABLE", "message": "M.", "suggestion": "S."}
    fake.say(complete("failed", type="failed", **why))
    fake.be("degraded", "VAULT_NOT_FOUND", "INDEXER_FAILED")
    assert ragctl("index").err == "ragctl: The job failed. M.\nS.\n"


def test_vectors_that_cannot_be_made_are_reported_with_the_cause(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    why = {"code": "DIMENSIONS_MISMATCH", "message": "Sizes differ.", "suggestion": "Unset it."}
    fake.say(complete("partial") | {"total_chunks": 9, "chunks_embedded": 0} | why)
    assert "Sizes differ. Unset it." in ragctl("index").err
