"""Reads a web page (`.html`): its title, headings and text, through the sanitiser. Pure.

Line 12 of the text is line 12 of the file. Scripts, styles and comments are never read, even if
they are not closed. It never raises, whatever the bytes are.
"""

import re
from html import unescape

from ragd.notes import dates, decoding
from ragd.notes.characters import collapse_spaces, one_line, visible
from ragd.notes.documents.model import Document, Heading, Unreadable
from ragd.notes.markdown.links import Link, find_links
from ragd.notes.markdown.sanitise import without_html, without_tag_starts

LONGEST_TITLE = 300
LONGEST_HEADING = 2_000
LONGEST_META = 2_000  # characters of one tag
MOST_META = 200  # tags that are searched for a date

# Invisible marks that the sanitiser keeps. `visible` has removed them from the page itself.
_BEGIN, _END = "\x02", "\x03"

_HIDDEN = re.compile(
    r"<!--|<(script|style|template|noscript|svg|iframe|object|title)(?=[\s/>])", re.IGNORECASE
)
_CLOSERS = {
    name: re.compile(f"</{name}[^<>]*>", re.IGNORECASE)
    for name in ("script", "style", "template", "noscript", "svg", "iframe", "object", "title")
}
_TO_THE_END = ("script", "style", "<!--")  # if they are not closed, everything after them is hidden
_HEADING = re.compile(r"<(/?)h([1-6])(?=[\s/>])([^<>]*)>", re.IGNORECASE)
_MARKED = re.compile(f"{_BEGIN}([1-6])([^{_BEGIN}{_END}]*){_END}?")
_META = re.compile(r"<meta\s([^<>]{1,2000})>", re.IGNORECASE)
_DATE_NAME = re.compile(
    r"(?:published_time|publication_date|datepublished|dc\.date|[\"']date)[\w.:-]{0,40}[\"']", re.I
)
_CONTENT = re.compile(r"content\s*=\s*[\"']([^\"'<>]{1,100})", re.IGNORECASE)
_ADDRESS = re.compile(r"<a\s[^<>]{0,500}?href\s*=\s*[\"']([^\"'<>\s]{1,500})[\"']", re.IGNORECASE)


def read_web_page(path: str, data: bytes) -> Document | Unreadable:
    """The text of a page, line for line."""
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unreadable(decoded.reason)
    source = visible(decoded.text)
    shown, title = _without_hidden(source)
    marked = _HEADING.sub(_mark, shown)
    text = "\n".join(_plain(line) for line in without_html(marked).split("\n"))
    text, headings = _take_headings(text)
    return Document(
        without_tag_starts(text),
        one_line(without_tag_starts(_plain(without_html(title))), LONGEST_TITLE),
        _date(source),
        tuple(headings),
        links=tuple(_links(shown, path)),
        warnings=(decoded.warning,) if decoded.warning else (),
    )


def _without_hidden(source: str) -> tuple[str, str]:
    """The page without what a browser does not show, line for line; and its title."""
    kept: list[str] = []
    absent: set[str] = set()
    title = ""
    done = at = 0
    while match := _HIDDEN.search(source, at):
        name = (match.group(1) or "<!--").lower()
        end = _end_of(source, name, match.end(), absent)
        if end is None:
            at = match.end()
            continue
        if name == "title" and not title:
            title = source[match.end() : end].partition(">")[2].rpartition("</")[0]
        kept += [source[done : match.start()], "\n" * source.count("\n", match.start(), end)]
        done = at = end
    kept.append(source[done:])
    return "".join(kept), title


def _end_of(source: str, name: str, start: int, absent: set[str]) -> int | None:
    """Where a hidden element ends; None if it is not closed, and what follows is shown."""
    if name not in absent:
        if name == "<!--":
            at = source.find("-->", start)
            end = at + 3 if at != -1 else None
        else:
            closer = _CLOSERS[name].search(source, start)
            end = closer.end() if closer else None
        if end is not None:
            return end
        absent.add(name)
    return len(source) if name in _TO_THE_END else None


def _mark(tag: re.Match[str]) -> str:
    closes, level, rest = tag.groups()
    feeds = "\n" * rest.count("\n")
    return f"{_END} {feeds}" if closes else f"{feeds} {_BEGIN}{level}"


def _plain(line: str) -> str:
    """A line with its entities as characters."""
    if "&" in line:
        line = visible(unescape(line).replace("\n", " ").replace("\r", " "))
    return line


def _take_headings(text: str) -> tuple[str, list[Heading]]:
    """The text without the marks, and the headings. A line may have only one."""
    found: dict[int, Heading] = {}
    line, done = 1, 0
    for match in _MARKED.finditer(text):
        line += text.count("\n", done, match.start())
        done = match.start()
        inner = match.group(2)
        lead = len(inner) - len(inner.lstrip())
        name = one_line(without_tag_starts(inner), LONGEST_HEADING)
        if name:
            number = line + inner.count("\n", 0, lead)
            found.setdefault(number, Heading(number, int(match.group(1)), name))
    bare = _MARKED.sub(lambda match: match.group(2), text)
    bare = bare.replace(_BEGIN, "").replace(_END, "")
    return collapse_spaces(bare), [found[number] for number in sorted(found)]


def _date(source: str) -> str | None:
    """The day on which the page says it was published."""
    for count, meta in enumerate(_META.finditer(source)):
        if count == MOST_META:
            break
        if _DATE_NAME.search(meta.group(1)) and (content := _CONTENT.search(meta.group(1))):
            day = dates.date_in_text(content.group(1))
            if day:
                return day
    return None


def _links(shown: str, path: str) -> list[Link]:
    """The notes that the page links to."""
    found: list[Link] = []
    for number, line in enumerate(shown.split("\n"), 1):
        if "href" in line:
            for match in _ADDRESS.finditer(line):
                found += find_links(f"[x](<{match.group(1)}>)", number, path)
    return found
