"""What `index`, `sync` and `reindex` share: request the job, follow it, report the outcome.

On a terminal it shows progress lines; otherwise, and with --json, one JSON line per step. Exit code
0: complete, 1: partly done, 2: failed, 130: interrupted. After an interruption the daemon continues
the job, unless Ctrl-C is pressed a second time.
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
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure, describe_os_error
from ragctl.views.collections import summarize_collections, with_held_notes
from ragctl.views.progress import JsonProgress, TerminalProgress
from ragctl.views.render import (
    add_home_option,
    clean,
    counted,
    emit_json,
    format_until,
    print_notice,
)
from ragctl.views.status_report import being_read, not_included
from ragd.errors import EXIT_INTERRUPTED, EXIT_OK, WITHOUT_VECTORS, StartupError
from ragd.paths import Home
from ragd.protocol.kind_names import counts_phrase

EXIT_PARTIAL = 1
EXIT_FATAL = 2
CANCEL_WITHIN_S = 3.0
TICK_S = 0.25
VECTOR_WAIT_S = 300.0  # how long to wait for the next vector, which may never come
_CAUSES = (
    *("VAULT_NOT_FOUND", "VAULT_NOT_RESPONDING", "INDEX_CORRUPTED", "DISK_FULL"),
    *WITHOUT_VECTORS,
)
_EFFECTS = ("INDEXER_FAILED", "INDEX_NOT_FOUND", "INDEX_STALE", "VECTORS_PENDING")
_ERRORS_SHOWN = 10
_TEXT_STORED = ("vectors", "finished")  # phases in which only vectors can be missing
SILENCE_S = 10.0  # after which the cause is shown
LONG_WAIT_S = 2.0  # after so long in one step, it is said what the command waits for


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--no-wait",
        action="store_true",
        help="start the job and return; `ragctl status` shows its progress",
    )


def run(home: Home, mode: str, args: argparse.Namespace, **more: Any) -> int:
    """Request a job and, without --no-wait, follow it to the end."""
    on_terminal = sys.stdout.isatty() and not args.json
    job_id = ""
    with failures_are_fatal():
        try:
            answer = _request_job(home, mode, more)
            job_id = str(answer.data["job_id"])
            _print_paused(answer.data.get("paused"))
            _print_needs_restart(answer.data.get("needs_restart"))
            if args.no_wait:
                _print_started(job_id, args.json)
                return EXIT_OK
            return _report_outcome(home, _follow(home, job_id, on_terminal), on_terminal)
        except KeyboardInterrupt:
            return _handle_interrupt(home, job_id, on_terminal)


def _request_job(home: Home, mode: str, more: dict[str, Any]) -> Answer:
    """Ask for the job. A daemon that was killed a moment ago may still accept the connection; asked
    again, an equal request joins the job. What accepts deletions is asked for only once."""
    body = {"mode": mode, **more}
    return call_daemon(home, "POST", "/v1/jobs", body, start=True, idempotent=not more)


@contextmanager
def failures_are_fatal() -> Iterator[None]:
    """In these commands every failure exits with 2."""
    try:
        yield
    except (Failure, StartupError) as why:
        why.exit_code = EXIT_FATAL
        raise
    except BrokenPipeError:
        raise  # the reader of the output has closed it
    except OSError as why:
        raise Failure(describe_os_error(why), exit_code=EXIT_FATAL) from why


def _print_needs_restart(keys: list[str] | None) -> None:
    if keys:
        print_notice(
            f"This job does not use the new {clean(', '.join(keys))}, which needs a restart: "
            "run `ragctl stop`, then `ragctl start`."
        )


def _print_paused(paused: dict[str, Any] | None) -> None:
    if paused:
        until = format_until(paused["until"])
        print_notice(f"Syncing is paused {until}. This job runs anyway; the pause stays in effect.")


def _print_started(job_id: str, as_json: bool) -> None:
    if as_json:
        emit_json({"job_id": job_id, "status": "started"})
    else:
        print(f"Started job {job_id}.")


# Following


def _follow(home: Home, job_id: str, on_terminal: bool) -> dict[str, Any]:
    """Show each step and return the last line."""
    found = stream(home, f"/v1/jobs/{job_id}?follow=1")
    if isinstance(found, Answer):
        found.data  # noqa: B018  (raises the daemon's error)
        raise Failure("The daemon did not send the job's progress.", "Run `ragctl status`.")
    shown = TerminalProgress(sys.stdout) if on_terminal else JsonProgress()
    last = None
    try:
        last = _show_steps(found, shown, home, job_id)
    finally:
        found.close()
        shown.end(last)
    if last is None:
        raise Failure(
            "The daemon stopped before the job was done.",
            "`ragctl status` starts it again, and it continues the job.",
        )
    if last["type"] == "interrupted":
        raise Failure(str(last["message"]), str(last["suggestion"]))
    return last


def _show_steps(
    lines: Stream, shown: TerminalProgress | JsonProgress, home: Home, job_id: str
) -> dict[str, Any] | None:
    """Show the steps and return the last line; None if the daemon stopped before it."""
    step: dict[str, Any] = {}
    last_step_at = last_check_at = time.monotonic()
    shown_codes: set[str] = set()
    began, is_wait_shown = last_step_at, False
    while True:
        if not is_wait_shown and time.monotonic() - began >= LONG_WAIT_S:
            is_wait_shown = True
            shown.print_wait(step.get("step", ""))
        if lines.is_ready(TICK_S):
            text = lines.read_line()
            if text is None:
                return None
            line: dict[str, Any] = json.loads(text)
            if line["type"] != "progress":
                return line if line["outcome"] else None
            last_step_at = time.monotonic()
            if line["step"] != step.get("step"):
                began, is_wait_shown = last_step_at, False
            step = line
            shown.step(step)
            continue
        shown.tick()
        if time.monotonic() - max(last_step_at, last_check_at) > SILENCE_S:
            with suppress(Failure):  # no status: keep waiting without a remark
                for sentence in reasons_to_wait(home, shown_codes):
                    shown.print_remark(sentence)
            last_check_at = time.monotonic()
        if time.monotonic() - last_step_at > VECTOR_WAIT_S and step.get("step") == "vectors":
            last_step_at = time.monotonic()
            if end := _end_without_vectors(home, job_id, step):
                return end


def reasons_to_wait(home: Home, shown_codes: set[str]) -> Iterator[str]:
    """The reasons in the status that can cause a wait, each code once."""
    for reason in request(home, "GET", "/v1/status").data["reasons"]:
        if reason["code"] in _CAUSES and reason["code"] not in shown_codes:
            shown_codes.add(reason["code"])
            yield f"{clean(reason['message'])} {clean(reason['suggestion'])}"


def _end_without_vectors(home: Home, job_id: str, step: dict[str, Any]) -> dict[str, Any] | None:
    """The last line of a job whose text is stored but whose vectors do not come; else None."""
    job = request(home, "GET", f"/v1/jobs/{job_id}").data
    if job["phase"] not in _TEXT_STORED:
        return None
    kept = {key: job[key] for key in ("indexed_files", "duration_ms", "errors", "errors_total")}
    kept["text_ms"] = job.get("text_ms", job["duration_ms"])
    vectors = {"total_chunks": step["total"], "chunks_embedded": step["current"]}
    return {"type": "complete", "outcome": "partial", "deletions_held": 0, **kept, **vectors}


# How it went


def _report_outcome(home: Home, last: dict[str, Any], on_terminal: bool) -> int:
    if last["outcome"] in ("failed", "cancelled"):
        why = _outcome_failure(home, last)
        if not on_terminal:
            emit_json(_failed_line(last, why))
        raise why
    collections: list[dict[str, Any]] = []
    if on_terminal:
        _print_summary(last)
        with suppress(Failure):
            status = request(home, "GET", "/v1/status").data
            _print_model(status)
            _print_documents(status)
            collections = status.get("collections") or []
        for line in summarize_collections(collections):
            print_notice(line)
    if held := last["deletions_held"]:
        names = "".join(f" {name}" for name in with_held_notes(collections))
        print_notice(
            f"{counted(held, 'note')} vanished at once and stay in the index. To remove them: "
            f"`ragctl sync --accept-deletions{names}`."
        )
    if withheld := last.get("withheld", 0):
        print_notice(
            f"{counted(withheld, 'passage')} kept on this machine as sensitive, without vectors: "
            "found by words only (SENSITIVE_FILTERED)."
        )
    if missing := last["total_chunks"] - last["chunks_embedded"] - last.get("barred", 0):
        have = "has no vector" if missing == 1 else "have no vectors"
        cause = clean(f"{last['message']} {last['suggestion']}") if last.get("code") else ""
        print_notice(
            f"{counted(missing, 'passage')} {have} yet: found by words meanwhile. "
            + (cause or "The daemon continues when it can; `ragctl status` shows why it waits.")
        )
    return EXIT_OK if last["outcome"] == "complete" else EXIT_PARTIAL


def _failed_line(last: dict[str, Any], why: Failure) -> dict[str, Any]:
    """The last JSON line of a job that failed or was cancelled."""
    texts = {"message": add_home_option(why.message), "suggestion": add_home_option(why.suggestion)}
    cause = {"code": last.get("code"), **texts, "errors": last["errors"]}
    return {"type": "failed", "outcome": last["outcome"], **cause}


def _outcome_failure(home: Home, last: dict[str, Any]) -> Failure:
    if last["outcome"] == "cancelled":
        return Failure("The job was cancelled.", "`ragctl sync` does the rest.")
    if last.get("code") not in (None, "INDEXER_FAILED"):  # the daemon reported the cause
        message = f"The job failed. {clean(last['message'])}"
        return Failure(message, clean(last["suggestion"]), code="INDEXER_FAILED")
    return _failure_from_status(home)


def _failure_from_status(home: Home) -> Failure:
    """A failure with the first reason in the status that is not itself an effect."""
    for reason in request(home, "GET", "/v1/status").data["reasons"]:
        if reason["code"] not in _EFFECTS:
            message = f"The job failed. {clean(reason['message'])}"
            return Failure(message, clean(reason["suggestion"]), code="INDEXER_FAILED")
    return Failure("The job failed.", "`ragctl logs` has the details.", code="INDEXER_FAILED")


def _print_documents(status: dict[str, Any]) -> None:
    """Print how many files of each kind there are, what is still being read, and what is not."""
    kinds = status.get("kinds") or {}
    if len(kinds) > 1:
        print_notice(f"In the index: {clean(counts_phrase(kinds.items()))}.")
    for line in being_read(status.get("documents_waiting") or {}):
        print_notice(f"{line}; searches find each as soon as it is read.")
    for line in not_included(status.get("not_included") or {}):
        print_notice(f"{line}.")
    for name in ("skipped", "failed"):
        reasons = (status.get(name) or {}).get("reasons") or {}
        if reasons:
            listed = ", ".join(f"{count:,} ({clean(why)})" for why, count in reasons.items())
            print_notice(f"{name.capitalize()} files: {listed}. `ragctl status` names them.")


def _print_model(status: dict[str, Any]) -> None:
    """Print the index's embedded model, the sampled languages, and a hint if another model fits."""
    index = status.get("index") or {}
    if not index.get("language"):
        return
    languages = status["vault"].get("languages") or {}
    found = ", ".join(f"{clean(code)} {count:,}" for code, count in languages.items())
    sample = f" Languages of a sample of notes: {found}." if found else ""
    print_notice(f"Embedded model: {clean(index['model'])} ({clean(index['language'])}).{sample}")
    if hint := index.get("language_hint"):
        print_notice(f"{clean(hint['message'])} {clean(add_home_option(hint['suggestion']))}")


def _print_summary(last: dict[str, Any]) -> None:
    """Print a summary for people; programs read the last line."""
    files, chunks, embedded = last["indexed_files"], last["total_chunks"], last["chunks_embedded"]
    read = f"{counted(files, 'note')} read" if files else "No notes to read"
    vectors = "all" if embedded == chunks else f"{embedded:,} of them"
    if files or chunks:
        print(f"{read}; {counted(chunks, 'passage')} in the index, {vectors} with vectors.")
    else:
        print("The index is empty: the vault has no notes. New notes are indexed as they appear.")
    for error in last["errors"][:_ERRORS_SHOWN]:
        print_notice(f"{error['file']}: {error['message']}")
    if last["errors_total"] > _ERRORS_SHOWN:
        print_notice(
            f"… and {last['errors_total'] - _ERRORS_SHOWN} more; `ragctl status` lists them."
        )


# Ctrl-C


def _handle_interrupt(home: Home, job_id: str, on_terminal: bool) -> int:
    """Leave the job to the daemon, or cancel it if Ctrl-C is pressed again."""
    if not job_id:
        print_notice("Interrupted before the daemon confirmed the job. See `ragctl status`.")
        return EXIT_INTERRUPTED
    try:
        if on_terminal and _may_cancel(home, job_id):
            print_notice(
                "The daemon continues in the background. "
                f"Ctrl-C again within {CANCEL_WITHIN_S:.0f} s cancels the job."
            )
            time.sleep(CANCEL_WITHIN_S)
    except KeyboardInterrupt:
        print_notice(_cancel(home, job_id))
    else:
        print_notice(
            "Interrupted: the daemon continues on its own. `ragctl status` shows the progress."
        )
    return EXIT_INTERRUPTED


def _may_cancel(home: Home, job_id: str) -> bool:
    """Whether there is something to cancel. Missing vectors belong to no job, but a new index that
    waits for them can be dropped."""
    try:
        job = request(home, "GET", f"/v1/jobs/{job_id}", timeout=1.0).data
    except Failure:
        return True  # unknown: a second Ctrl-C may try
    return bool(job["phase"] not in _TEXT_STORED or job.get("building"))


def _cancel(home: Home, job_id: str) -> str:
    """Cancel the job and return a message with the result."""
    try:
        job = call_daemon(home, "POST", f"/v1/jobs/{job_id}/cancel", start=False).data
    except Failure as why:
        return f"The job could not be cancelled: {why.message} {why.suggestion}".strip()
    if job["phase"] in _TEXT_STORED and not job.get("building"):
        return (
            "Too late to cancel: all text is stored, and the daemon is making the missing vectors "
            "in the background. `ragctl stop` stops the daemon."
        )
    if job["mode"] == "reindex":
        return "Cancelled: the index stays as it was."
    return "Cancelled: what is stored stays. `ragctl sync` does the rest."
