"""What `index`, `sync` and `reindex` share: ask for the job, follow it, say how it went.

On a terminal a line that moves; elsewhere, and with --json, one JSON line for each step. Exit 0 all
is done, 1 a part is missing, 2 it failed, 130 interrupted: the job itself goes on.
"""

import argparse
import json
import sys
import time
from typing import Any

from ragctl.cli import add_json
from ragctl.client import Answer, Stream, stream
from ragctl.failure import Failure
from ragctl.launch import ask
from ragctl.render import Ink, counted, note
from ragd.errors import EXIT_INTERRUPTED, EXIT_OK
from ragd.paths import Home

EXIT_PARTIAL = 1
EXIT_FATAL = 2
SPOKEN = ("type", "indexed_files", "total_chunks", "duration_ms", "errors")
PHASES = {"storing": "text", "embedding": "vectors"}


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "--no-wait", action="store_true", help="ask for it and come back; `ragctl status` tells"
    )


def run(home: Home, mode: str, args: argparse.Namespace, **more: Any) -> int:
    """Ask for a job and, unless told otherwise, stay until it is done."""
    try:
        job_id = _request(home, mode, more)
        if args.no_wait:
            _say_started(job_id, args.json)
            return EXIT_OK
        return _follow(home, job_id, args.json)
    except Failure as why:
        why.exit_code = EXIT_FATAL
        raise
    except KeyboardInterrupt:
        note("Interrupted: the daemon goes on with it. `ragctl status` shows how far it is.")
        return EXIT_INTERRUPTED


def _request(home: Home, mode: str, more: dict[str, Any]) -> str:
    body = {"mode": mode, **more}
    answer = ask(home, "POST", "/v1/jobs", body, start=True)
    return str(answer.data["job_id"])


def _say_started(job_id: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"job_id": job_id, "status": "started"}))
    else:
        print(f"Started job {job_id}.")


def _follow(home: Home, job_id: str, as_json: bool) -> int:
    found = stream(home, f"/v1/jobs/{job_id}?follow=1")
    if isinstance(found, Answer):
        found.data  # noqa: B018  (raises what the daemon said)
        raise Failure("The daemon did not follow its job.", "Run `ragctl status`.")
    shown = _Plain() if as_json or not sys.stdout.isatty() else _Moving()
    last = _read(found, shown)
    if last is None:
        raise Failure(
            "The daemon went away in the middle of it.",
            "`ragctl status` starts it again, and it goes on where it was.",
        )
    shown.complete(last)
    outcome = last["outcome"]
    return {"complete": EXIT_OK, "partial": EXIT_PARTIAL}.get(outcome, EXIT_FATAL)


def _read(lines: Stream, shown: "_Plain | _Moving") -> dict[str, Any] | None:
    """Show what comes until the last line, which is returned."""
    try:
        while (text := lines.line()) is not None:
            step: dict[str, Any] = json.loads(text)
            if step["type"] == "complete":
                return step
            shown.progress(step)
        return None
    finally:
        lines.close()


class _Plain:
    """For programs: the lines of the contract, nothing else."""

    def progress(self, step: dict[str, Any]) -> None:
        print(json.dumps(step), flush=True)

    def complete(self, step: dict[str, Any]) -> None:
        print(json.dumps({key: step[key] for key in SPOKEN}), flush=True)


class _Moving:
    """For people: one line that moves, then a sentence."""

    WIDTH = 24

    def __init__(self) -> None:
        self._ink = Ink()
        self._began: dict[str, tuple[float, int]] = {}

    def progress(self, step: dict[str, Any]) -> None:
        current, total, phase = step["current"], step["total"], step["phase"]
        share = current / total if total else 1.0
        filled = round(share * self.WIDTH)
        bar = self._ink.paint("━" * filled, "green") + self._ink.paint(
            "━" * (self.WIDTH - filled), "dim"
        )
        text = f"{PHASES[phase]:<8} {bar} {current}/{total}{self._pace(phase, current, total)}"
        sys.stdout.write(f"\r\x1b[K{text}")
        sys.stdout.flush()

    def _pace(self, phase: str, current: int, total: int) -> str:
        now = time.monotonic()
        began, first = self._began.setdefault(phase, (now, current))
        if now - began < 1 or current <= first:
            return ""
        rate = (current - first) / (now - began)
        left = (total - current) / rate
        return f"  {rate:.0f}/s, {_span(left)} left"

    def complete(self, step: dict[str, Any]) -> None:
        sys.stdout.write("\r\x1b[K")
        vectors = step["chunks_embedded"]
        files, chunks = counted(step["indexed_files"], "note"), step["total_chunks"]
        print(f"{files} read, {chunks} passages in the index, {vectors} of them with vectors.")
        for error in step["errors"][:10]:
            note(f"{error['file']}: {error['message']}")
        if step["errors_total"] > 10:
            note(f"… and {step['errors_total'] - 10} more; `ragctl status` lists them.")
        if held := step["deletions_held"]:
            note(
                f"{counted(held, 'note')} vanished at once and stay in the index. If they were "
                "meant to go: `ragctl sync --accept-deletions`."
            )
        if step["outcome"] == "failed":
            note("The job failed. `ragctl status` says why.")
        elif vectors < chunks:
            note("Vectors are missing: found by words meanwhile. `ragctl status` says why.")


def _span(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60} s" if whole >= 60 else f"{whole} s"
