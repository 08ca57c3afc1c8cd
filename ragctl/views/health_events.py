"""`ragctl events --health`: each change of health that the daemon recorded, with its cause."""

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ragctl.commands.events import FOLLOW_FROM, follow_facts, read_facts, start_seq
from ragctl.views.render import Ink, emit_json
from ragctl.views.timeline import TimelineChange, cause_fields, render_changes
from ragd.errors import EXIT_OK
from ragd.paths import Home

TYPES = ["health_changed"]


def show_health_events(args: argparse.Namespace, newest: int, oldest: int) -> int:
    """Print the changes of health."""
    past = [json.loads(line) for line in read_facts(args.home, oldest - 1, TYPES, follow=False)]
    if args.after is not None:
        begin = start_seq(args, newest, oldest)
        skipped = sum(record["seq"] <= begin for record in past)
    else:
        skipped = max(0, len(past) - FOLLOW_FROM) if args.follow else 0
    reasons_before = past[skipped - 1]["event"]["reasons"] if skipped else None
    records: Iterable[dict[str, Any]] = past[skipped:]
    if args.follow:
        records = _past_and_new(args.home, past, skipped, newest)
    changes = islice((_change(args.home, r, oldest) for r in records), args.limit)
    if args.json:
        for change in changes:
            emit_json(change.as_json())
    else:
        for text in render_changes(changes, Ink(), reasons_before):
            print(text, flush=args.follow)
    return EXIT_OK


def _past_and_new(
    home: Home, past: list[dict[str, Any]], skipped: int, newest: int
) -> Iterator[dict[str, Any]]:
    yield from past[skipped:]
    seen = past[-1]["seq"] if past else newest
    for line in follow_facts(home, seen, TYPES):
        yield json.loads(line)


def _change(home: Home, record: dict[str, Any], oldest: int) -> TimelineChange:
    event, seq = record["event"], record["cause"]
    cause = _fact(home, seq) if seq is not None and seq >= oldest else None
    return TimelineChange(
        seq if seq is not None else record["seq"],
        cause["ts"] if cause else record["ts"],
        event["before"],
        event["after"],
        event["reasons"],
        cause_fields(cause) if cause else None,
    )


def _fact(home: Home, seq: int) -> dict[str, Any] | None:
    """The fact with this seq; None if it no longer exists."""
    for line in read_facts(home, seq - 1, [], follow=False):
        found: dict[str, Any] = json.loads(line)
        return found if found["seq"] == seq else None
    return None
