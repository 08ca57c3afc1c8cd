"""`ragctl search`: asks a question and prints the passages that answer it."""

import argparse
import re
from typing import Any

from ragctl.arguments.vault_paths import WHOLE_VAULT, relative_to_vault
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
    ("ragctl search doorbell --dir Projects --max 20", "only in a folder, up to 20 passages"),
    ("ragctl search tickets --tag travel --from 2024-01-01", "only with a tag, from a day on"),
    ("ragctl search 'tasks prop:status=active -draft'", "with a property, without a word"),
    ("ragctl search lasers --collection papers", "only in a collection; also a private one"),
    ('ragctl search lasers --expect "Beam Divergence"', "why that note is not among the results"),
)
_TAG_HELP = "only notes with this tag, in the text or in the properties"
_FILTER_HELP = (
    'A question may contain filters: "an exact phrase", -word, tag:travel, folder:Journal,\n'
    "title:doorbell, prop:status=active, collection:papers. A `-` before a filter excludes what\n"
    "matches it."
)
_RELEVANCE_HELP = (
    "The dots next to a passage, one to five, show how likely it answers the question: by how\n"
    "close it is in meaning, how many of the question's words it has, and whether it is from the\n"
    "time that the question names. `--json` has the number, 0 to 1."
)
TOOL = "/v1/tools/obsidian_rag_search"
EXPLAIN = "/v1/explain"
_MISTYPED = ("INVALID_REQUEST", "UNKNOWN_DIRECTORY", "UNKNOWN_COLLECTION", "SECURITY_VIOLATION")
_FIELD = re.compile(r"The field `([\w.]+)(?:\[\d+\])?`")
_FOLDER_FILTER = re.compile(r"""(?<!\S)folder:(?:["“„«「][^"“”„«»「」]*["”“»」]|\S+)""", re.I)
_OPTION_NAMES = {  # the option for each field of the request
    "query": "The question",
    "directory_filter": "--dir",
    "collections": "--collection",
    "tags": "--tag",
    "properties": "--prop",
    "date_range.from": "--from",
    "date_range.to": "--to",
    "confirm": "--confirm",
}


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n{_FILTER_HELP}\n\n{_RELEVANCE_HELP}"
    parser.add_argument("question", nargs="+", metavar="QUESTION", help="in your own words")
    parser.add_argument("--dir", action="append", default=[], help="only in this folder")
    parser.add_argument(
        "--collection",
        action="append",
        default=[],
        metavar="COLLECTION",
        help="only in this collection; `vault` is the vault (all that are not private)",
    )
    parser.add_argument("--tag", action="append", default=[], help=_TAG_HELP)
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
        type=_parse_day,
        metavar="DAY",
        help="only from this day on: 2025-01-31, or a timestamp",
    )
    parser.add_argument("--to", type=_parse_day, metavar="DAY", help="only up to this day")
    parser.add_argument(
        "--by-file-time",
        action="store_true",
        help="for notes without a date, use the day on which the file was written",
    )
    max_help = f"how many passages (5; at most {MAX_RESULTS})"
    parser.add_argument("--max", type=_parse_max, metavar="N", help=max_help)
    parser.add_argument(
        "--full", action="store_true", help="whole passages, not only their best lines"
    )
    parser.add_argument(
        "--explain", action="store_true", help="say what decided the place of each passage"
    )
    parser.add_argument(
        "--expect",
        metavar="NOTE",
        help="say why this note (its name or path) was not found, or where it is",
    )
    parser.add_argument("--confirm", metavar="TOKEN", help="show passages withheld as sensitive")


def _parse_day(text: str) -> str:
    """An option's type: a day, or a timestamp, of which the day counts."""
    if not re.fullmatch(DAY_OR_TIME, text) or text.endswith("\n"):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a date; write it like {DAY_OR_TIME_FORMS}."
        )
    from datetime import datetime

    try:
        datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not a valid date.") from None
    return text


def _parse_max(text: str) -> int:
    """An option's type: a number of passages that is not above the limit."""
    number = int(at_least(1, int)(text))
    if number > MAX_RESULTS:
        raise argparse.ArgumentTypeError(f"{number} is too many; at most {MAX_RESULTS} are shown.")
    return number


def run(args: argparse.Namespace) -> int:
    question = " ".join(args.question)
    if not question.strip():
        raise UsageError("The question is empty.", "Type `ragctl search QUESTION`.")
    if args.expect is not None and not args.expect.strip():
        raise UsageError(
            "--expect needs the name or the path of a note.", "See `ragctl search -h`."
        )
    are_days = all(day and len(day) == len("2025-01-31") for day in (args.start, args.to))
    if are_days and args.start > args.to:  # timestamps are compared by the daemon
        raise UsageError(
            f"--from {args.start} is after --to {args.to}.", "Give the earlier day to --from."
        )
    request = _build_request(question, args)
    idempotent = args.confirm is None  # a token is valid once
    answer = call_daemon_when_ready(
        args.home,
        "POST",
        EXPLAIN if args.expect else TOOL,
        request,
        start=True,
        idempotent=idempotent,
    )
    envelope = answer.envelope
    if args.json:
        emit_bytes(answer.body)
    if envelope.get("data") is None:
        return _report_refusal(envelope, args)
    data = answer.data
    if not args.json:
        shown = _adapt_suggestion(envelope)
        paused = _current_pause(args.home, envelope)
        text = render_search_results(
            question,
            shown,
            Ink(),
            full=args.full,
            paused=paused,
            is_filtered=_is_filtered(data, args),
        )
        print(text)
    if args.expect:
        return EXIT_OK if data["expected"]["stage"] == "found" else EXIT_NOTHING_FOUND
    return EXIT_OK if _has_found(data, args) else EXIT_NOTHING_FOUND


def _has_found(data: dict[str, Any], args: argparse.Namespace) -> bool:
    """Whether anything was found. Memories have no tags, folders or dates, so they do not count if
    the request has filters."""
    if data["results"] or data.get("withheld"):
        return True
    return bool(data.get("memories")) and not _is_filtered(data, args)


def _is_filtered(data: dict[str, Any], args: argparse.Namespace) -> bool:
    """Whether the options or the question limit the notes."""
    in_question = (data.get("understood") or {}).get("filters")
    options = (args.dir, args.collection, args.tag, args.prop, args.start, args.to)
    return any(options) or bool(in_question)


def _build_request(question: str, args: argparse.Namespace) -> dict[str, Any]:
    days = {"from": args.start, "to": args.to}
    folders = [relative_to_vault(args.home, folder) for folder in args.dir]
    fields = {
        "max_results": args.max,
        "directory_filter": [] if WHOLE_VAULT in folders else folders,
        "collections": args.collection,
        "tags": args.tag,
        "properties": args.prop,
        "by_file_time": args.by_file_time,
        "explain": args.explain,
        "expect": (args.expect or "").strip(),
        "mark_sentences": not args.json and not args.full,
        "date_range": {name: day for name, day in days.items() if day is not None},
        "confirm": args.confirm,
    }
    return {"query": question, **{name: value for name, value in fields.items() if value}}


def _current_pause(home: Home, envelope: dict[str, Any]) -> dict[str, Any] | None:
    """The current pause, if it may be the reason why notes are missing."""
    if not (envelope.get("meta") or {}).get("unindexed_files"):
        return None
    paused: dict[str, Any] | None = call_daemon(
        home, "GET", "/v1/status", start=False, skip_version_notice=True
    ).data.get("paused")
    return paused


def _report_refusal(envelope: dict[str, Any], args: argparse.Namespace) -> int:
    error = envelope.get("error") or {}
    code = EXIT_UNAVAILABLE if envelope["status"] == UNAVAILABLE else EXIT_FAILED
    code = EXIT_USAGE if error.get("code") in _MISTYPED else code
    if args.json:
        return code
    raise Failure(*_describe_error(error, _typed_folders(args)), code)


def _typed_folders(args: argparse.Namespace) -> list[str]:
    """The folders as the user typed them: as options, or else in the question."""
    if args.dir:
        return [f"--dir {folder}" for folder in args.dir]
    return _FOLDER_FILTER.findall(" ".join(args.question))


def _describe_error(error: dict[str, Any], folders: list[str]) -> tuple[str, str]:
    """The daemon's message names fields of the request; this one has what the user typed."""
    message, suggestion = str(error.get("message", "")), str(error.get("suggestion", ""))
    typed = " ".join(folders)
    match error.get("code"):
        case "UNKNOWN_DIRECTORY":
            has_match = suggestion.startswith("Did you mean")
            next_step = suggestion if has_match else "Correct it, or leave it out."
            if len(folders) == 1:
                return f"{typed}: there is no such folder in the index.", next_step
            return f"{typed}: one of these folders is not in the index.", next_step
        case "UNKNOWN_COLLECTION":
            has_match = suggestion.startswith("Did you mean")
            next_step = suggestion if has_match else "`ragctl collection list` shows all."
            return _FIELD.sub(lambda found: _OPTION_NAMES[found[1]], message), next_step
        case "SECURITY_VIOLATION":
            return (
                f"{typed} leads outside the vault.",
                "Give a folder in the vault: `--dir Journal`.",
            )
        case "INVALID_REQUEST":
            named = _FIELD.sub(lambda found: _OPTION_NAMES.get(found[1], found[0]), message)
            return named, "See `ragctl search --help`."
        case _:
            return message, suggestion


def _adapt_suggestion(envelope: dict[str, Any]) -> dict[str, Any]:
    """The daemon suggests that an assistant asks the user about withheld passages. Here the user
    types the command."""
    error, data = envelope.get("error"), envelope["data"]
    if not error or error["code"] != "SENSITIVE_FILTERED" or not data.get("withheld"):
        return envelope
    suggestion = "The command that shows them is below."
    return {**envelope, "error": {**error, "suggestion": suggestion}}
