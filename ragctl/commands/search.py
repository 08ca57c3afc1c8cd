"""`ragctl search`: ask the vault a question, read the passages that answer it."""

import argparse
import re
from typing import Any

from ragctl.arguments.vault_paths import WHOLE, within_vault
from ragctl.cli import add_json, at_least
from ragctl.daemon.start import call_daemon, call_daemon_when_ready
from ragctl.failure import Failure, UsageError
from ragctl.views.render import Ink, emit_bytes
from ragctl.views.search_results import render_search_results
from ragd.errors import (
    EXIT_FAILED,
    EXIT_NOTHING_FOUND,
    EXIT_OK,
    EXIT_UNAVAILABLE,
    EXIT_USAGE,
    UNAVAILABLE,
)
from ragd.paths import Home
from ragd.protocol.limits import DAY_OR_TIME, DAY_OR_TIME_FORMS, MAX_RESULTS

EXAMPLES = (
    ('ragctl search "how was my mental health in 2024?"', "the five best passages"),
    ("ragctl search doorbell --dir Projects --max 20", "only below a folder, and more of them"),
    ("ragctl search tickets --tag travel --from 2024-01-01", "only with a tag, since a day"),
    ("ragctl search 'tasks prop:status=active -draft'", "only with a property, without a word"),
)
_TAGS = "only passages with this tag, their own or one of their note's properties"
_LANGUAGE = (
    'A question may have limits in it: "an exact phrase", -word, tag:travel, folder:Journal,\n'
    "title:doorbell, prop:status=active. With a `-` before one, it must not hold."
)
_DOTS = (
    "The dots beside a passage, one to five, say how relevant it is by itself: how near to the\n"
    "question in meaning, how many of its words it has, and whether it is of the time that is\n"
    "named. `--json` has the number, 0 to 1. The order compares the passages with each other, so\n"
    "the two can differ."
)
TOOL = "/v1/tools/obsidian_rag_search"
_MISTYPED = ("INVALID_REQUEST", "UNKNOWN_DIRECTORY", "SECURITY_VIOLATION")
_FIELD = re.compile(r"The field `([\w.]+)(?:\[\d+\])?`")
_OPTIONS = {  # what is typed for each field of the request
    "query": "The question",
    "directory_filter": "--dir",
    "tags": "--tag",
    "properties": "--prop",
    "date_range.from": "--from",
    "date_range.to": "--to",
    "confirm": "--confirm",
}


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n{_LANGUAGE}\n\n{_DOTS}"
    parser.add_argument("question", nargs="+", metavar="QUESTION", help="in your own words")
    parser.add_argument("--dir", action="append", default=[], help="only below this folder")
    parser.add_argument("--tag", action="append", default=[], help=_TAGS)
    parser.add_argument(
        "--prop",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="only notes with this property; also NAME alone, !=, and <, <=, >, >= for numbers"
        " and days",
    )
    parser.add_argument(
        "--from",
        dest="start",
        type=_day,
        metavar="DAY",
        help="only from this day on: 2025-01-31, or a timestamp",
    )
    parser.add_argument("--to", type=_day, metavar="DAY", help="only up to this day")
    parser.add_argument(
        "--by-file-time",
        action="store_true",
        help="for notes without a date, count the day on which the file was written",
    )
    many = f"how many passages (5; at most {MAX_RESULTS})"
    parser.add_argument("--max", type=_few, metavar="N", help=many)
    parser.add_argument("--full", action="store_true", help="whole passages, not three lines each")
    parser.add_argument("--explain", action="store_true", help="the numbers behind the order")
    parser.add_argument("--confirm", metavar="TOKEN", help="show what was withheld as sensitive")


def _day(text: str) -> str:
    """An option's type: a day, or a timestamp, which stands for its day."""
    if not re.fullmatch(DAY_OR_TIME, text) or text.endswith("\n"):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a day; write it like {DAY_OR_TIME_FORMS}."
        )
    from datetime import datetime

    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no day of the calendar.") from None
    return text


def _few(text: str) -> int:
    """An option's type: as many passages as an answer may have."""
    number = int(at_least(1, int)(text))
    if number > MAX_RESULTS:
        raise argparse.ArgumentTypeError(f"{number} is too many; at most {MAX_RESULTS} are shown.")
    return number


def run(args: argparse.Namespace) -> int:
    question = " ".join(args.question)
    if not question.strip():
        raise UsageError("There is no question.", "Type `ragctl search QUESTION`.")
    are_days = all(day and len(day) == len("2025-01-31") for day in (args.start, args.to))
    if are_days and args.start > args.to:  # timestamps are compared by the daemon
        raise UsageError(
            f"--from {args.start} lies after --to {args.to}.", "Give the earlier day to --from."
        )
    asked = _request(question, args)
    harmless = args.confirm is None  # a token counts once
    answer = call_daemon_when_ready(args.home, "POST", TOOL, asked, start=True, idempotent=harmless)
    envelope = answer.envelope
    if args.json:
        emit_bytes(answer.body)
    if envelope.get("data") is None:
        return _refused(envelope, args)
    data = answer.data
    if not args.json:
        shown = _with_its_next_step(envelope)
        print(
            render_search_results(
                question, shown, Ink(), full=args.full, paused=_pause(args.home, envelope)
            )
        )
    found = data["results"] or data.get("memories") or data.get("withheld")
    return EXIT_OK if found else EXIT_NOTHING_FOUND


def _request(question: str, args: argparse.Namespace) -> dict[str, Any]:
    days = {"from": args.start, "to": args.to}
    folders = [within_vault(args.home, folder) for folder in args.dir]
    wanted = {
        "max_results": args.max,
        "directory_filter": [] if WHOLE in folders else folders,
        "tags": args.tag,
        "properties": args.prop,
        "by_file_time": args.by_file_time,
        "explain": args.explain,
        "date_range": {name: day for name, day in days.items() if day is not None},
        "confirm": args.confirm,
    }
    return {"query": question, **{name: value for name, value in wanted.items() if value}}


def _pause(home: Home, envelope: dict[str, Any]) -> dict[str, Any] | None:
    """The pause that holds, asked for only where it may explain why notes are missing."""
    if not (envelope.get("meta") or {}).get("unindexed_files"):
        return None
    paused: dict[str, Any] | None = call_daemon(
        home, "GET", "/v1/status", start=False, skip_version_notice=True
    ).data.get("paused")
    return paused


def _refused(envelope: dict[str, Any], args: argparse.Namespace) -> int:
    error = envelope.get("error") or {}
    code = EXIT_UNAVAILABLE if envelope["status"] == UNAVAILABLE else EXIT_FAILED
    code = EXIT_USAGE if error.get("code") in _MISTYPED else code
    if args.json:
        return code
    raise Failure(*_in_words_of_the_command_line(error, args.dir), code)


def _in_words_of_the_command_line(error: dict[str, Any], folders: list[str]) -> tuple[str, str]:
    """The daemon speaks of fields, to programs. Here the options are named, and what they got."""
    message, suggestion = str(error.get("message", "")), str(error.get("suggestion", ""))
    typed = " ".join(f"--dir {folder}" for folder in folders)
    match error.get("code"):
        case "UNKNOWN_DIRECTORY":
            meant = suggestion.startswith("Did you mean")
            next_step = suggestion if meant else "Correct it, or leave it out."
            if len(folders) == 1:
                return f"{typed}: there is no such folder in the index.", next_step
            return f"{typed}: one of these folders is not in the index.", next_step
        case "SECURITY_VIOLATION":
            return (
                f"{typed} leads outside the vault.",
                "Name a folder of the vault: `--dir Journal`.",
            )
        case "INVALID_REQUEST":
            named = _FIELD.sub(lambda found: _OPTIONS.get(found[1], found[0]), message)
            return named, "See `ragctl search --help`."
        case _:
            return message, suggestion


def _with_its_next_step(envelope: dict[str, Any]) -> dict[str, Any]:
    """An assistant has to ask its user about what was withheld; whoever types is the user."""
    error, data = envelope.get("error"), envelope["data"]
    if not error or error["code"] != "SENSITIVE_FILTERED" or not data.get("withheld"):
        return envelope
    below = "What to type to see them stands below."
    return {**envelope, "error": {**error, "suggestion": below}}
