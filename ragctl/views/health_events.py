"""Every change of health as the daemon recorded it, each with the fact that its line names."""

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ragctl.commands.events import FOLLOW_FROM, follow_facts, read_facts, start_seq
from ragctl.views.render import Ink, emit_json
from ragctl.views.timeline import Change, cause_of, in_words
from ragd.errors import EXIT_OK
from ragd.paths import Home

TYPES = ["health_changed"]


def show(args: argparse.Namespace, newest: int, oldest: int) -> int:
    """What `ragctl events --health` prints."""
    past = [json.loads(line) for line in read_facts(args.home, oldest - 1, TYPES, follow=False)]
    if args.after is not None:
        begin = start_seq(args, newest, oldest)
        skipped = sum(record["seq"] <= begin for record in past)
    else:
        skipped = max(0, len(past) - FOLLOW_FROM) if args.follow else 0
    known = past[skipped - 1]["event"]["reasons"] if skipped else None
    records: Iterable[dict[str, Any]] = past[skipped:]
    if args.follow:
        records = _and_those_to_come(args.home, past, skipped, newest)
    changes = islice((_change(args.home, r, oldest) for r in records), args.limit)
    if args.json:
        for change in changes:
            emit_json(change.as_json())
    else:
        for words in in_words(changes, Ink(), known):
            print(words, flush=args.follow)
    return EXIT_OK


def _and_those_to_come(
    home: Home, past: list[dict[str, Any]], skipped: int, newest: int
) -> Iterator[dict[str, Any]]:
    yield from past[skipped:]
    seen = past[-1]["seq"] if past else newest
    for line in follow_facts(home, seen, TYPES):
        yield json.loads(line)


def _change(home: Home, record: dict[str, Any], oldest: int) -> Change:
    event, seq = record["event"], record["cause"]
    cause = _fact(home, seq) if seq is not None and seq >= oldest else None
    return Change(
        seq if seq is not None else record["seq"],
        cause["ts"] if cause else record["ts"],
        event["before"],
        event["after"],
        event["reasons"],
        cause_of(cause) if cause else None,
    )


def _fact(home: Home, seq: int) -> dict[str, Any] | None:
    """The fact with this number; None if it is not there any more."""
    for line in read_facts(home, seq - 1, [], follow=False):
        found: dict[str, Any] = json.loads(line)
        return found if found["seq"] == seq else None
    return None
