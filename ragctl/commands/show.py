"""`ragctl show`: a passage with the lines around it, from the note as it is now.

On a terminal, sensitive text is shown: users may read their own notes. Elsewhere a program may be
reading, and `security.sensitive: "block"` requires the token, as in `search`.
"""

import argparse
import re
import sys
from typing import Any
from urllib.parse import quote

from ragctl.arguments.vault_paths import relative_to_vault
from ragctl.cli import add_json, at_least
from ragctl.daemon.client import Answer
from ragctl.daemon.start import call_daemon
from ragctl.failure import Failure, UsageError
from ragctl.views.passages import cautions, context_lines, quote_citation
from ragctl.views.render import Ink, clean, counted, emit_bytes, ragctl_command
from ragd.errors import EXIT_NOTHING_FOUND, EXIT_OK, EXIT_USAGE
from ragd.paths import Home
from ragd.protocol.citations import CitedPassage, parse_citation, spoken_place

EXAMPLES = (
    ("ragctl show Journal/2024-01-15.md#L10-L24", "a passage, as `ragctl search` cites it"),
    ("ragctl show Papers/herons.pdf#page=3", "one page of a document"),
    ("ragctl show 'Ideas/My garden.md:7' --around 10", "a line with ten lines before and after"),
    ("ragctl show 'My garden'", "a whole note, by its name, title or link: '[[My garden]]'"),
)
DEFAULT_AROUND = 3
_LINES = re.compile(r"(.+?):(\d{1,9})(?:-(\d{1,9}))?", re.DOTALL)
_MISTYPED = ("INVALID_REQUEST", "SECURITY_VIOLATION")
_FOR_PEOPLE = ("Did you mean", "`ragctl ", "Ask for earlier lines")


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument(
        "note",
        metavar="NOTE",
        help="PATH, PATH#L10-L24, PATH:10-24 or PATH#page=3, relative to the vault; or the note's "
        "name",
    )
    parser.add_argument(
        "--around",
        type=at_least(0, int),
        metavar="N",
        help=f"lines before and after the passage ({DEFAULT_AROUND}; with --json none)",
    )
    parser.add_argument("--confirm", metavar="TOKEN", help="show text withheld as sensitive")


def run(args: argparse.Namespace) -> int:
    path, first, last, place = parse_address(args.note)
    around = args.around if args.around is not None else 0 if args.json else DEFAULT_AROUND
    target = f"/v1/notes?raw=1&path={quote(relative_to_vault(args.home, path), safe='')}"
    if first is not None and last is not None:
        target += f"&from={max(1, first - around)}&to={last + around}"
    if place:
        target += f"&place={quote(place, safe='')}"
    is_user = not args.json and _is_interactive()
    answer = _request_note(args.home, target, args.confirm, is_user=is_user)
    if args.json:
        emit_bytes(answer.body)
    data = answer.envelope.get("data")
    if data is None:
        return _report_refusal(path, answer, args.json)
    if args.json:
        return EXIT_OK
    if first is not None and first > data["total_lines"]:
        raise UsageError(
            f"{path} has only {counted(data['total_lines'], 'line')}.",
            "Run `ragctl show PATH` to see the whole note.",
        )
    print(_withheld_notice(data) if data["text"] is None else render_note(data, first, last, Ink()))
    return EXIT_OK


def parse_address(typed: str) -> CitedPassage:
    """The note's path, and the lines or the place to show."""
    cited = parse_citation(typed)
    if cited.first is None and not cited.place and (found := _LINES.fullmatch(typed)):
        path, begin, end = found.groups()
        cited = CitedPassage(path, int(begin), int(end or begin))
    first, last = cited.first, cited.last
    if first is not None and last is not None and (first < 1 or last < first):
        raise UsageError(
            f"{first}-{last} is not a range of lines: count from 1, the smaller number first.",
            "Type `ragctl show PATH#L10-L24`.",
        )
    return cited


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _request_note(home: Home, target: str, token: str | None, *, is_user: bool) -> Answer:
    """The daemon's answer. For a user on a terminal, sensitive text is confirmed automatically."""
    confirm = "" if token is None else f"&confirm={quote(token, safe='')}"
    answer = call_daemon(home, "GET", target + confirm, start=True)
    data = answer.envelope.get("data") or {}
    if is_user and data.get("confirm"):
        again = f"{target}&confirm={quote(str(data['confirm']), safe='')}"
        return call_daemon(home, "GET", again, start=True, skip_version_notice=True)
    return answer


def _report_refusal(path: str, answer: Answer, as_json: bool) -> int:
    error: dict[str, Any] = answer.envelope.get("error") or {}
    code = EXIT_NOTHING_FOUND if answer.status == 404 else None
    if code is None and error.get("code") in _MISTYPED:
        code = EXIT_USAGE
    failure = Failure(f"{path}: {error.get('message', '')}", _next_step(error), code)
    if as_json:
        return failure.exit_code
    raise failure


def _next_step(error: dict[str, Any]) -> str:
    """The daemon's suggestion, unless it is about fields of the request, which is for programs."""
    suggestion = str(error.get("suggestion", ""))
    if error.get("code") == "INVALID_REQUEST" and not suggestion.startswith(_FOR_PEOPLE):
        return "Type a note as `ragctl search` cites it: `ragctl show Journal/2024-01-15.md#L10`."
    return suggestion


def render_note(data: dict[str, Any], first: int | None, last: int | None, ink: Ink) -> str:
    """The note's path, the numbered lines with the passage marked, and warnings below.

    A document with places has no lines that a person knows: each place has a title instead.
    """
    if data.get("places"):
        return _render_places(data, ink)
    width = len(str(data["to"]))
    lines = []
    for number, text in enumerate(data["text"].split("\n"), data["from"]):
        in_passage = first is None or last is None or first <= number <= last
        mark = ink.sign("→") if in_passage and first is not None else " " * len(ink.sign("→"))
        head = f"{ink.paint(mark, 'cyan')} {ink.paint(str(number).rjust(width), 'dim')}"
        body = _wrap_line(text, len(mark) + width + 3, ink)
        lines.append(f"{head}  {body if in_passage else ink.paint(body, 'dim')}".rstrip())
    total = (
        f" of {data['total_lines']}" if data["total_lines"] > data["to"] - data["from"] + 1 else ""
    )
    shown = f"lines {data['from']}-{data['to']}{total}"
    return _with_frame(data, shown, lines, ink)


def _with_frame(data: dict[str, Any], shown: str, lines: list[str], ink: Ink) -> str:
    """The lines between the path, with what is shown of it, and the warnings and the link."""
    about = f"{ink.paint(clean(data['path']), 'cyan')} {ink.sign('·')} {shown}"
    warnings = [ink.paint(f"{ink.sign('▲')} {text}", "yellow") for text in _warnings(data)]
    context = [ink.paint(ink.wrap(text, 0), "dim") for text in context_lines(data)]
    link = ink.paint(clean(data["link"]), "dim")
    return "\n".join([about, *context, "", *lines, "", *warnings, link])


def _render_places(data: dict[str, Any], ink: Ink) -> str:
    titles = {max(place["line"], data["from"]): place["name"] for place in data["places"]}
    lines: list[str] = []
    for number, text in enumerate(data["text"].split("\n"), data["from"]):
        if number in titles:
            title = f"[{clean(spoken_place(titles[number]))}]"
            lines += [*([""] if lines and lines[-1] else []), ink.paint(title, "dim")]
        lines.append(f"  {_wrap_line(text, 2, ink)}".rstrip())
    places = [spoken_place(place["name"]) for place in data["places"]]
    shown = clean(places[0] if len(places) == 1 else f"{places[0]} to {places[-1]}")
    return _with_frame(data, shown, lines, ink)


def _wrap_line(text: str, indent: int, ink: Ink) -> str:
    """One line of the note, safe to print, wrapped at the width of the terminal."""
    text = text.expandtabs(4)
    bare = text.lstrip(" ")
    lead = " " * (len(text) - len(bare))
    return lead + ink.wrap(clean(bare), indent + len(lead))


def _warnings(data: dict[str, Any]) -> list[str]:
    """The warnings of a search, except that `stale` has its own: the note shown here is current."""
    moved = "The note has changed since it was indexed: a citation's lines may have moved."
    warnings = [moved] if data["stale"] else []
    return warnings + _truncation_notice(data) + cautions({**data, "stale": False})


def _truncation_notice(data: dict[str, Any]) -> list[str]:
    """That the text is cut, and the command that shows the rest."""
    if not data.get("truncated"):
        return []
    shown = data["to"] - data["from"] + 1
    if not data.get("lines_after"):
        return ["The line is too long to be shown in full."]
    first = data["to"] + 1
    last = data["to"] + min(shown, data["lines_after"]) if shown > 1 else first
    more = quote_citation(f"{clean(data['path'])}#L{first}-L{last}")
    return [f"The rest does not fit in one answer: `{ragctl_command()} show {more}`."]


def _withheld_notice(data: dict[str, Any]) -> str:
    kinds = clean(", ".join(data["sensitive"]))
    return (
        f"Withheld as sensitive ({kinds}). To see it, type the same command with "
        f"`--confirm {clean(data['confirm'])}` within five minutes."
    )
