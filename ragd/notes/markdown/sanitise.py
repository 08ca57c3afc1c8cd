"""Removes the markup from a note's text: HTML and comments go, links become readable text.

It never loses a word to text that only resembles markup (`a < b > c`, `<https://…>`,
`List<String>`, an unclosed comment or tag), and never changes the number of lines. No tag is left,
and removing one cannot create another.
"""

import re

from ragd.notes.characters import collapse_spaces, one_line
from ragd.notes.markdown.html_elements import INLINE, KNOWN, LONE_ATTRIBUTES

_PASSES = 4  # for tags within tags; afterwards every remaining `<` is made harmless

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|%%|\[\[")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_TICKS = re.compile("`+")
_CODE = {1: re.compile("`[^`\n]+`(?!`)"), 2: re.compile("``(?:[^`\n]|`(?!`))+``(?!`)")}
_LINK = re.compile(r"\[\[([^\[\]\n|]*)(?:\|([^\[\]\n]*))?\]\]")
_SIZE = re.compile(r"\d+(?:x\d+)?")

_NAME = r"</?([A-Za-z][A-Za-z0-9-]*(?::[A-Za-z][A-Za-z0-9-]*)?)(?=[\s/>]|\Z)"
# No part of a tag may contain a `<`, so that a search never runs past the next tag.
_TAG = re.compile(_NAME + r"""((?:[^<>"']++|"[^"<]*"|'[^'<]*')*+)>""")
_LOOSE_TAG = re.compile(_NAME + r"([^<>]*)>")
_OPEN_TAG = re.compile(_NAME + r"([^<>=]*=)?")
# Not a known name, but a browser would see an element with an active attribute: `<p" onclick=`.
_ACTING = re.compile(r"""<[A-Za-z][^\s<>/]*[\s/][^<>]*?(?<=[\s/"'])(?:on[a-z]+|style)\s*=""", re.I)
_DECLARATION = re.compile(r"<![A-Za-z][^<>]*>|<\?[A-Za-z][^<>]*\?>")
_CDATA = re.compile(r"<!\[CDATA\[([^<>]*)\]\]>")
_BRACKETS = re.compile(r"<(/?[A-Za-z][^<>]*)>")
_CLOSERS = {
    "script": re.compile(r"</script[^<>]*>", re.IGNORECASE),
    "style": re.compile(r"</style[^<>]*>", re.IGNORECASE),
    "-->": re.compile("-->"),
    "%%": re.compile("%%"),
}
_EMBEDDED_FILE = re.compile(r"(;base64,)[A-Za-z0-9+/=_-]{200,}")

Cut = tuple[int, str]  # the end of the markup, and its replacement


def without_markup(text: str) -> str:
    """`text` as a reader sees it, line for line."""
    if ";base64," in text:  # a picture embedded in the note
        text = _EMBEDDED_FILE.sub(r"\1", text)
    if not _MARKUP.search(text):
        return text
    for _ in range(_PASSES):
        before = text
        text = _Pass(text).result()
        # The removed markup may have been between the parts of a tag, so another pass is needed.
        if text == before or not _TAG_START.search(text):
            return text
    return without_tag_starts(text)


def without_html(text: str) -> str:
    """The text of an HTML file, line for line: every tag is a tag, and nothing is Markdown."""
    for _ in range(_PASSES):
        before = text
        text = _Pass(text, is_html=True).result()
        if text == before or not _TAG_START.search(text):
            return text
    return without_tag_starts(text)


def without_tag_starts(text: str) -> str:
    """The text with no tag in it, and every word: `<b>` becomes `< b>`."""
    return _TAG_START.sub("< ", text)


def plain_line(text: str, longest: int) -> str:
    """A short text of the note, such as its title, without markup and on one line."""
    return one_line(collapse_spaces(without_markup(text)), longest)


class _Pass:
    """One pass over the text, from one piece of markup to the next."""

    def __init__(self, text: str, *, is_html: bool = False) -> None:
        self.text = text
        self._absent: set[str] = set()
        self._is_html = is_html

    def result(self) -> str:
        text = self.text
        markup = _TAG_START if self._is_html else _MARKUP
        kept: list[str] = []
        done = at = 0
        while match := markup.search(text, at):
            start = match.start()
            cut: Cut | None
            code = None if self._is_html else self._code_around(at, start)
            if code:
                start, cut = code
            elif text[start] == "<":
                cut = self._cut_html(start)
            elif text[start] == "%":
                cut = self._cut_through("%%", start, start + 2)
            else:
                cut = self._cut_link(start)
                if cut and start > done and text[start - 1] == "!":
                    start -= 1
            if cut is None:
                at = match.end()
                continue
            kept.append(text[done:start])
            kept.append(cut[1])
            done = at = cut[0]
        kept.append(text[done:])
        return "".join(kept)

    def _code_around(self, at: int, place: int) -> tuple[int, Cut] | None:
        """The inline code around a place: where it begins, and its cut."""
        tick = self.text.find("`", max(at, self.text.rfind("\n", at, place) + 1), place)
        while tick != -1:
            cut = self._cut_code(tick)
            if cut[0] > place:
                return tick, cut
            tick = self.text.find("`", cut[0], place)
        return None

    def _cut_code(self, start: int) -> Cut:
        """Inline code stays; tags in it lose their brackets but keep their words."""
        ticks = _TICKS.match(self.text, start)
        assert ticks is not None
        pattern = _CODE.get(ticks.end() - start)
        span = pattern.match(self.text, start) if pattern else None
        if span is None:
            return ticks.end(), ticks.group()
        shown = span.group()
        if _TAG_START.search(shown):
            shown = _TAG_START.sub("< ", _BRACKETS.sub(r" \1 ", shown))
        return span.end(), shown

    def _cut_link(self, start: int) -> Cut | None:
        match = _LINK.match(self.text, start)
        if match is None:
            return None
        target, shown = match.groups()
        shown = (shown or "").strip()
        embedded = start > 0 and self.text[start - 1] == "!"
        if not shown or (embedded and _SIZE.fullmatch(shown)):
            shown = " > ".join(part.strip() for part in target.rstrip("\\").split("#") if part)
        return match.end(), shown

    def _cut_through(self, closer: str, start: int, inner: int) -> Cut | None:
        """Cut everything up to the closer; nothing if there is none."""
        if closer in self._absent:
            return None
        end = _CLOSERS[closer].search(self.text, inner)
        if end is None:
            self._absent.add(closer)
            return None
        return end.end(), _line_feeds(self.text, start, end.end())

    def _cut_html(self, start: int) -> Cut | None:
        text = self.text
        if text.startswith("<!--", start):
            return self._cut_through("-->", start, start + 4)
        if match := _DECLARATION.match(text, start):
            return match.end(), _line_feeds(text, start, match.end())
        if match := _CDATA.match(text, start):
            return match.end(), match.group(1)
        if match := _TAG.match(text, start) or _LOOSE_TAG.match(text, start):
            return self._cut_tag(match)
        if (match := _OPEN_TAG.match(text, start)) and _may_open(match):
            return start + 1, ""
        if _ACTING.match(text, start):
            return start + 1, ""
        return None

    def _cut_tag(self, match: re.Match[str]) -> Cut:
        name, rest = match.group(1).lower(), match.group(2)
        start, end = match.span()
        if not self._is_html and not _is_tag(name, rest):
            return end, f" {match.group()[1:-1]} "
        if name in ("script", "style") and self.text[start + 1] != "/":
            cut = self._cut_through(name, start, end)
            if cut is not None:
                return cut
        return end, ("" if name in INLINE else " ") + _line_feeds(self.text, start, end)


def _is_tag(name: str, rest: str) -> bool:
    if "=" in rest:
        return True
    if name not in KNOWN and ":" not in name:
        return False
    return all(word in LONE_ATTRIBUTES for word in rest.lower().replace("/", " ").split())


def _may_open(match: re.Match[str]) -> bool:
    """Whether a browser could read an unclosed tag as a tag; `a <b c` is not one."""
    name = match.group(1).lower()
    return match.group(2) is not None or (len(name) > 1 and name in KNOWN)


def _line_feeds(text: str, start: int, end: int) -> str:
    return "\n" * text.count("\n", start, end)
