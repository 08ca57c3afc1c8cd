"""What `index`, `sync` and `reindex` share: ask for the job, follow it, say how it went.

On a terminal lines that move; elsewhere, and with --json, one JSON line for each step. Exit 0 all
is done, 1 a part is missing, 2 it failed, 130 interrupted: then the daemon goes on with the job,
unless Ctrl-C was pressed a second time.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ragctl.cli import add_json
from ragctl.daemon.client import Answer, Stream, request, stream
from ragctl.daemon.start import ask
from ragctl.failure import Failure, refused_by_the_system
from ragctl.views.progress import Moving, Plain
from ragctl.views.render import clean, counted, emit_json, for_home, in_words_until, note
from ragd.errors import EXIT_INTERRUPTED, EXIT_OK, WITHOUT_VECTORS, StartupError
from ragd.paths import Home

EXIT_PARTIAL = 1
EXIT_FATAL = 2
AGAIN_WITHIN_S = 3.0
TICK_S = 0.25
PATIENCE_S = 300.0  # for the next vector: one that nobody can make would be waited for for ever
_CAUSES = (
    *("VAULT_NOT_FOUND", "VAULT_NOT_RESPONDING", "INDEX_CORRUPTED", "DISK_FULL"),
    *WITHOUT_VECTORS,
)
_EFFECTS = ("INDEXER_FAILED", "INDEX_NOT_FOUND", "INDEX_STALE", "VECTORS_PENDING")
_LISTED = 10
_TEXT_STORED = ("vectors", "finished")  # phases of a job that only vectors can be missing for
SILENCE_S = 10.0  # after which one wants to know why


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--no-wait", action="store_true", help="ask for it and come back; `ragctl status` tells"
    )


def run(home: Home, mode: str, args: argparse.Namespace, **more: Any) -> int:
    """Ask for a job and, unless told otherwise, stay until it is done."""
    on_terminal = sys.stdout.isatty() and not args.json
    job_id = ""
    with failures_are_fatal():
        try:
            answer = ask(home, "POST", "/v1/jobs", {"mode": mode, **more}, start=True)
            job_id = str(answer.data["job_id"])
            _tell_paused(answer.data.get("paused"))
            _tell_needs_restart(answer.data.get("needs_restart"))
            if args.no_wait:
                _say_started(job_id, args.json)
                return EXIT_OK
            return _tell(home, _follow(home, job_id, on_terminal), on_terminal)
        except KeyboardInterrupt:
            return _interrupted(home, job_id, on_terminal)


@contextmanager
def failures_are_fatal() -> Iterator[None]:
    """These commands have few exit codes: whatever keeps them from working is 2."""
    try:
        yield
    except (Failure, StartupError) as why:
        why.exit_code = EXIT_FATAL
        raise
    except BrokenPipeError:
        raise  # whoever read our lines has had enough
    except OSError as why:
        raise Failure(refused_by_the_system(why), exit_code=EXIT_FATAL) from why


def _tell_needs_restart(keys: list[str] | None) -> None:
    if keys:
        note(
            f"This is done without the new {clean(', '.join(keys))}, which waits for a restart: "
            "run `ragctl stop`, then `ragctl start`."
        )


def _tell_paused(paused: dict[str, Any] | None) -> None:
    if paused:
        until = in_words_until(paused["until"])
        note(f"Syncing is paused {until}. This job is done all the same; the pause goes on.")


def _say_started(job_id: str, as_json: bool) -> None:
    if as_json:
        emit_json({"job_id": job_id, "status": "started"})
    else:
        print(f"Started job {job_id}.")


# Following


def _follow(home: Home, job_id: str, on_terminal: bool) -> dict[str, Any]:
    """Show each step; the last line."""
    found = stream(home, f"/v1/jobs/{job_id}?follow=1")
    if isinstance(found, Answer):
        found.data  # noqa: B018  (raises what the daemon said)
        raise Failure("The daemon did not follow its job.", "Run `ragctl status`.")
    shown = Moving(sys.stdout) if on_terminal else Plain()
    last = None
    try:
        last = _last_of(found, shown, home, job_id)
    finally:
        found.close()
        shown.end(last)
    if last is None:
        raise Failure(
            "The daemon went away in the middle of it.",
            "`ragctl status` starts it again, and it goes on where it was.",
        )
    if last["type"] == "interrupted":
        raise Failure(str(last["message"]), str(last["suggestion"]))
    return last


def _last_of(
    lines: Stream, shown: Moving | Plain, home: Home, job_id: str
) -> dict[str, Any] | None:
    """Show what comes until the last line, which is returned; None if the daemon went before."""
    step: dict[str, Any] = {}
    heard = looked = time.monotonic()
    told: set[str] = set()
    while True:
        if lines.ready(TICK_S):
            text = lines.line()
            if text is None:
                return None
            said: dict[str, Any] = json.loads(text)
            if said["type"] != "progress":
                return said if said["outcome"] else None
            step, heard = said, time.monotonic()
            shown.step(step)
            continue
        shown.tick()
        if time.monotonic() - max(heard, looked) > SILENCE_S:
            with suppress(Failure):  # nobody answers: then there is nothing to say but to wait
                for sentence in reasons_to_wait(home, told):
                    shown.remark(sentence)
            looked = time.monotonic()
        if time.monotonic() - heard > PATIENCE_S and step.get("step") == "vectors":
            heard = time.monotonic()
            if end := _without_the_rest(home, job_id, step):
                return end


def reasons_to_wait(home: Home, told: set[str]) -> Iterator[str]:
    """What status knows that may be the cause, each code once."""
    for reason in request(home, "GET", "/v1/status").data["reasons"]:
        if reason["code"] in _CAUSES and reason["code"] not in told:
            told.add(reason["code"])
            yield f"{clean(reason['message'])} {clean(reason['suggestion'])}"


def _without_the_rest(home: Home, job_id: str, step: dict[str, Any]) -> dict[str, Any] | None:
    """The last line of a job that has ended but for vectors that do not come."""
    job = request(home, "GET", f"/v1/jobs/{job_id}").data
    if job["phase"] not in _TEXT_STORED:
        return None
    kept = {key: job[key] for key in ("indexed_files", "duration_ms", "errors", "errors_total")}
    kept["text_ms"] = job.get("text_ms", job["duration_ms"])
    vectors = {"total_chunks": step["total"], "chunks_embedded": step["current"]}
    return {"type": "complete", "outcome": "partial", "deletions_held": 0, **kept, **vectors}


# How it went


def _tell(home: Home, last: dict[str, Any], on_terminal: bool) -> int:
    if last["outcome"] in ("failed", "cancelled"):
        why = _why_not(home, last)
        if not on_terminal:
            emit_json(_last_words(last, why))
        raise why
    if on_terminal:
        _summarise(last)
        with suppress(Failure):
            _tell_model(home)
    if held := last["deletions_held"]:
        note(
            f"{counted(held, 'note')} vanished at once and stay in the index. If they were "
            "meant to go: `ragctl sync --accept-deletions`."
        )
    if withheld := last.get("withheld", 0):
        note(
            f"{counted(withheld, 'passage')} kept on this machine as sensitive, without vectors: "
            "found by words only (SENSITIVE_FILTERED)."
        )
    if missing := last["total_chunks"] - last["chunks_embedded"] - last.get("barred", 0):
        have = "has no vector" if missing == 1 else "have no vectors"
        cause = clean(f"{last['message']} {last['suggestion']}") if last.get("code") else ""
        note(
            f"{counted(missing, 'passage')} {have} yet: found by words meanwhile. "
            + (cause or "The daemon goes on when it can; `ragctl status` says why it does not.")
        )
    return EXIT_OK if last["outcome"] == "complete" else EXIT_PARTIAL


def _last_words(last: dict[str, Any], why: Failure) -> dict[str, Any]:
    """The last line for programs where the job did not do what it was asked for."""
    texts = {"message": for_home(why.message), "suggestion": for_home(why.suggestion)}
    said = {"code": last.get("code"), **texts, "errors": last["errors"]}
    return {"type": "failed", "outcome": last["outcome"], **said}


def _why_not(home: Home, last: dict[str, Any]) -> Failure:
    if last["outcome"] == "cancelled":
        return Failure("The job was cancelled.", "`ragctl sync` does what is left of it.")
    if last.get("code") not in (None, "INDEXER_FAILED"):  # the daemon knows the cause
        message = f"The job failed. {clean(last['message'])}"
        return Failure(message, clean(last["suggestion"]), code="INDEXER_FAILED")
    return _why_it_failed(home)


def _why_it_failed(home: Home) -> Failure:
    """The job is the effect; the cause is the first reason that is not an effect, too."""
    for reason in request(home, "GET", "/v1/status").data["reasons"]:
        if reason["code"] not in _EFFECTS:
            message = f"The job failed. {clean(reason['message'])}"
            return Failure(message, clean(reason["suggestion"]), code="INDEXER_FAILED")
    return Failure("The job failed.", "`ragctl logs` tells more.", code="INDEXER_FAILED")


def _tell_model(home: Home) -> None:
    """Which embedded model the index has, by which languages, and whether another one fits."""
    status = request(home, "GET", "/v1/status").data
    index = status.get("index") or {}
    if not index.get("language"):
        return
    languages = status["vault"].get("languages") or {}
    found = ", ".join(f"{clean(code)} {count:,}" for code, count in languages.items())
    sample = f" Languages of a sample of notes: {found}." if found else ""
    note(f"Embedded model: {clean(index['model'])} ({clean(index['language'])}).{sample}")
    if hint := index.get("language_hint"):
        note(f"{clean(hint['message'])} {clean(for_home(hint['suggestion']))}")


def _summarise(last: dict[str, Any]) -> None:
    """For people; programs have all of it in the last line."""
    files, chunks, embedded = last["indexed_files"], last["total_chunks"], last["chunks_embedded"]
    read = f"{counted(files, 'note')} read" if files else "No note had to be read"
    vectors = "all" if embedded == chunks else f"{embedded:,} of them"
    if files or chunks:
        print(f"{read}; {counted(chunks, 'passage')} in the index, {vectors} with vectors.")
    else:
        print("The index is empty: there was no note to read. New ones are read as they appear.")
    for error in last["errors"][:_LISTED]:
        note(f"{error['file']}: {error['message']}")
    if last["errors_total"] > _LISTED:
        note(f"… and {last['errors_total'] - _LISTED} more; `ragctl status` lists them.")


# Ctrl-C


def _interrupted(home: Home, job_id: str, on_terminal: bool) -> int:
    """Leave the job to the daemon, or cancel it for somebody who presses Ctrl-C twice."""
    if not job_id:
        note("Interrupted before the daemon said that it took the job. See `ragctl status`.")
        return EXIT_INTERRUPTED
    try:
        if on_terminal and _is_open(home, job_id):
            note(
                "The daemon goes on in the background. "
                f"Ctrl-C again within {AGAIN_WITHIN_S:.0f} s cancels the job."
            )
            time.sleep(AGAIN_WITHIN_S)
    except KeyboardInterrupt:
        note(_cancelled(home, job_id))
    else:
        note("Interrupted: the daemon goes on by itself. `ragctl status` shows how far it is.")
    return EXIT_INTERRUPTED


def _is_open(home: Home, job_id: str) -> bool:
    """Whether there is something to cancel: vectors that are still missing belong to no job, but
    an index that waits for them to be switched to can be given up."""
    try:
        job = request(home, "GET", f"/v1/jobs/{job_id}", timeout=1.0).data
    except Failure:
        return True  # who cannot say leaves it to whoever presses Ctrl-C again
    return bool(job["phase"] not in _TEXT_STORED or job.get("building"))


def _cancelled(home: Home, job_id: str) -> str:
    """Cancel it; what came of that."""
    try:
        job = ask(home, "POST", f"/v1/jobs/{job_id}/cancel", start=False).data
    except Failure as why:
        return f"The job could not be cancelled: {why.message} {why.suggestion}".strip()
    if job["phase"] in _TEXT_STORED and not job.get("building"):
        return (
            "Too late to cancel: all text is stored, and the daemon makes the missing vectors in "
            "the background. `ragctl stop` stops the daemon."
        )
    if job["mode"] == "reindex":
        return "Cancelled: the index stays as it was."
    return "Cancelled: what is stored stays. `ragctl sync` does the rest."
