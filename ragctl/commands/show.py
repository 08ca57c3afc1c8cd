"""`ragctl show`: a passage in its surroundings, from the note as it is now.

What a person asks for on a terminal is shown though it is sensitive: it is their own note. Where a
program may be behind it, `security.sensitive: "block"` wants the token first, as in `search`.
"""

import argparse
import re
import sys
from typing import Any
from urllib.parse import quote

from ragctl.arguments.vault_paths import within_vault
from ragctl.cli import add_json, at_least
from ragctl.daemon.client import Answer
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure, UsageError
from ragctl.views.passages import cautions, quote_citation
from ragctl.views.render import Ink, clean, counted, emit_bytes, ragctl_command
from ragd.errors import EXIT_NOTHING_FOUND, EXIT_OK, EXIT_USAGE
from ragd.paths import Home

EXAMPLES = (
    ("ragctl show Journal/2024-01-15.md#L10-L24", "a passage as `ragctl search` cites it"),
    ("ragctl show 'Ideas/My garden.md' --around 10", "a whole note; more lines around a passage"),
    ("ragctl show 'My garden'", "a note by its name, its title or a link: '[[My garden]]'"),
)
AROUND = 3
_LINES = re.compile(r"(.+?)(?:#L(\d{1,9})(?:-L?(\d{1,9}))?|:(\d{1,9})(?:-(\d{1,9}))?)", re.DOTALL)
_MISTYPED = ("INVALID_REQUEST", "SECURITY_VIOLATION")
_FOR_PEOPLE = ("Did you mean", "`ragctl ", "Ask for earlier lines")


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "note",
        metavar="NOTE",
        help="PATH, PATH#L10-L24 or PATH:10-24, from the vault's folder; or the note's name",
    )
    parser.add_argument(
        "--around",
        type=at_least(0, int),
        metavar="N",
        help=f"lines before and after the passage ({AROUND}; with --json none)",
    )
    parser.add_argument("--confirm", metavar="TOKEN", help="show what was withheld as sensitive")


def run(args: argparse.Namespace) -> int:
    path, first, last = address(args.note)
    around = args.around if args.around is not None else 0 if args.json else AROUND
    target = f"/v1/notes?raw=1&path={quote(within_vault(args.home, path), safe='')}"
    if first is not None and last is not None:
        target += f"&from={max(1, first - around)}&to={last + around}"
    answer = _asked(args.home, target, args.confirm, own=not args.json and _is_person())
    if args.json:
        emit_bytes(answer.body)
    data = answer.envelope.get("data")
    if data is None:
        return _refused(path, answer, args.json)
    if args.json:
        return EXIT_OK
    if first is not None and first > data["total_lines"]:
        raise UsageError(
            f"{path} has only {counted(data['total_lines'], 'line')}.",
            "Run `ragctl show PATH` to see it whole.",
        )
    print(_withheld(data) if data["text"] is None else told(data, first, last, Ink()))
    return EXIT_OK


def address(typed: str) -> tuple[str, int | None, int | None]:
    """The note's path, and the first and last line that were asked for."""
    found = _LINES.fullmatch(typed)
    if found is None:
        return typed, None, None
    path, *numbers = found.groups()
    first, last = (
        int(n) if n else None for n in (numbers[0] or numbers[2], numbers[1] or numbers[3])
    )
    assert first is not None
    last = first if last is None else last
    if first < 1 or last < first:
        raise UsageError(
            f"{first}-{last} are no lines: they are numbered from 1, the smaller one first.",
            "Type `ragctl show PATH#L10-L24`.",
        )
    return path, first, last


def _is_person() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked(home: Home, target: str, token: str | None, *, own: bool) -> Answer:
    """The daemon's answer; whoever asks for their own note has agreed by asking."""
    confirm = "" if token is None else f"&confirm={quote(token, safe='')}"
    answer = call_daemon(home, "GET", target + confirm, start=True)
    data = answer.envelope.get("data") or {}
    if own and data.get("confirm"):
        again = f"{target}&confirm={quote(str(data['confirm']), safe='')}"
        return call_daemon(home, "GET", again, start=True, skip_version_notice=True)
    return answer


def _refused(path: str, answer: Answer, as_json: bool) -> int:
    error: dict[str, Any] = answer.envelope.get("error") or {}
    code = EXIT_NOTHING_FOUND if answer.status == 404 else None
    if code is None and error.get("code") in _MISTYPED:
        code = EXIT_USAGE
    failure = Failure(f"{path}: {error.get('message', '')}", _next_step(error), code)
    if as_json:
        return failure.exit_code
    raise failure


def _next_step(error: dict[str, Any]) -> str:
    """The daemon's own where it names notes or a command; else it speaks of fields, to programs."""
    suggestion = str(error.get("suggestion", ""))
    if error.get("code") == "INVALID_REQUEST" and not suggestion.startswith(_FOR_PEOPLE):
        return "Type a note as `ragctl search` cites it: `ragctl show Journal/2024-01-15.md#L10`."
    return suggestion


def told(data: dict[str, Any], first: int | None, last: int | None, ink: Ink) -> str:
    """The lines with their numbers, those asked for marked; where they are, and what to mind."""
    width = len(str(data["to"]))
    lines = []
    for number, text in enumerate(data["text"].split("\n"), data["from"]):
        asked = first is None or last is None or first <= number <= last
        mark = ink.sign("→") if asked and first is not None else " " * len(ink.sign("→"))
        head = f"{ink.paint(mark, 'cyan')} {ink.paint(str(number).rjust(width), 'dim')}"
        body = _fitting(text, len(mark) + width + 3, ink)
        lines.append(f"{head}  {body if asked else ink.paint(body, 'dim')}".rstrip())
    whole = (
        f" of {data['total_lines']}" if data["total_lines"] > data["to"] - data["from"] + 1 else ""
    )
    shown = f"lines {data['from']}-{data['to']}{whole}"
    about = f"{ink.paint(clean(data['path']), 'cyan')} {ink.sign('·')} {shown}"
    below = [ink.paint(f"{ink.sign('▲')} {said}", "yellow") for said in _cautions(data)]
    return "\n".join([about, "", *lines, "", *below, ink.paint(clean(data["link"]), "dim")])


def _fitting(text: str, indent: int, ink: Ink) -> str:
    """One line of the note, safe to print, folded where the terminal ends."""
    text = text.expandtabs(4)
    bare = text.lstrip(" ")
    lead = " " * (len(text) - len(bare))
    return lead + ink.wrap(clean(bare), indent + len(lead))


def _cautions(data: dict[str, Any]) -> list[str]:
    """What a search would say of it, but that this is how the note is now."""
    moved = "The note has changed since it was indexed: a citation's lines may have moved."
    said = [moved] if data["stale"] else []
    return said + _left_out(data) + cautions({**data, "stale": False})


def _left_out(data: dict[str, Any]) -> list[str]:
    """That there is more, and the command that shows it."""
    if not data.get("truncated"):
        return []
    shown = data["to"] - data["from"] + 1
    if not data.get("lines_after"):
        return ["The line is too long to be shown whole."]
    first = data["to"] + 1
    last = data["to"] + min(shown, data["lines_after"]) if shown > 1 else first
    more = quote_citation(f"{clean(data['path'])}#L{first}-L{last}")
    return [f"There is more than fits in one answer: `{ragctl_command()} show {more}`."]


def _withheld(data: dict[str, Any]) -> str:
    kinds = clean(", ".join(data["sensitive"]))
    return (
        f"Withheld as sensitive ({kinds}). To see it, type the same command with "
        f"`--confirm {clean(data['confirm'])}` within five minutes."
    )
