"""A note's text without its markup: HTML, comments, and links in their readable form.

It never loses a word to something that only looks like markup (`a < b > c`, `<https://…>`,
`List<String>`, an unclosed comment or tag), and never changes how many lines there are.
No tag is left, nor can taking one out make another.
"""

import re

from ragd.notes.characters import collapse_spaces, one_line
from ragd.notes.markdown.html_elements import INLINE, KNOWN, LONE_ATTRIBUTES

_PASSES = 4  # for tags within tags; what is left after these is not a tag

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])|%%|\[\[")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_TICKS = re.compile("`+")
_CODE = {1: re.compile("`[^`\n]+`(?!`)"), 2: re.compile("``(?:[^`\n]|`(?!`))+``(?!`)")}
_LINK = re.compile(r"\[\[([^\[\]\n|]*)(?:\|([^\[\]\n]*))?\]\]")
_SIZE = re.compile(r"\d+(?:x\d+)?")

_NAME = r"</?([A-Za-z][A-Za-z0-9-]*(?::[A-Za-z][A-Za-z0-9-]*)?)(?=[\s/>]|\Z)"
# No part of a tag may hold a `<`, so that a search from one never runs past the next.
_TAG = re.compile(_NAME + r"""((?:[^<>"']++|"[^"<]*"|'[^'<]*')*+)>""")
_LOOSE_TAG = re.compile(_NAME + r"([^<>]*)>")
_OPEN_TAG = re.compile(_NAME + r"([^<>=]*=)?")
# No name of ours, but in a page it would be an element with an attribute that acts: `<p" onclick=`.
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

Cut = tuple[int, str]  # where the markup ends, and what stands there instead


def without_markup(text: str) -> str:
    """`text` as a reader sees it, line for line."""
    if ";base64," in text:  # a picture embedded in the note
        text = _EMBEDDED_FILE.sub(r"\1", text)
    if not _MARKUP.search(text):
        return text
    for _ in range(_PASSES):
        before = text
        text = _Pass(text).result()
        # What was taken out may have stood between the parts of a tag: look again.
        if text == before or not _TAG_START.search(text):
            return text
    return _TAG_START.sub("< ", text)


def plain_line(text: str, longest: int) -> str:
    """A short text of the note, such as its title, clean and on one line."""
    return one_line(collapse_spaces(without_markup(text)), longest)


class _Pass:
    """One walk over the text, from one piece of markup to the next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._absent: set[str] = set()

    def result(self) -> str:
        text = self.text
        kept: list[str] = []
        done = at = 0
        while match := _MARKUP.search(text, at):
            start = match.start()
            cut: Cut | None
            code = self._code_around(at, start)
            if code:
                start, cut = code
            elif text[start] == "<":
                cut = self._html(start)
            elif text[start] == "%":
                cut = self._through("%%", start, start + 2)
            else:
                cut = self._link(start)
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
        """The code in its line that a place lies in: where it begins, and its cut."""
        tick = self.text.find("`", max(at, self.text.rfind("\n", at, place) + 1), place)
        while tick != -1:
            cut = self._code(tick)
            if cut[0] > place:
                return tick, cut
            tick = self.text.find("`", cut[0], place)
        return None

    def _code(self, start: int) -> Cut:
        """Code in a line stays, but no tag in it does: their words are kept, not their brackets."""
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

    def _link(self, start: int) -> Cut | None:
        match = _LINK.match(self.text, start)
        if match is None:
            return None
        target, shown = match.groups()
        shown = (shown or "").strip()
        embedded = start > 0 and self.text[start - 1] == "!"
        if not shown or (embedded and _SIZE.fullmatch(shown)):
            shown = " > ".join(part.strip() for part in target.rstrip("\\").split("#") if part)
        return match.end(), shown

    def _through(self, closer: str, start: int, inner: int) -> Cut | None:
        """Everything up to the closer goes; if there is none, nothing does."""
        if closer in self._absent:
            return None
        end = _CLOSERS[closer].search(self.text, inner)
        if end is None:
            self._absent.add(closer)
            return None
        return end.end(), _feeds(self.text, start, end.end())

    def _html(self, start: int) -> Cut | None:
        text = self.text
        if text.startswith("<!--", start):
            return self._through("-->", start, start + 4)
        if match := _DECLARATION.match(text, start):
            return match.end(), _feeds(text, start, match.end())
        if match := _CDATA.match(text, start):
            return match.end(), match.group(1)
        if match := _TAG.match(text, start) or _LOOSE_TAG.match(text, start):
            return self._tag(match)
        if (match := _OPEN_TAG.match(text, start)) and _may_open(match):
            return start + 1, ""
        if _ACTING.match(text, start):
            return start + 1, ""
        return None

    def _tag(self, match: re.Match[str]) -> Cut:
        name, rest = match.group(1).lower(), match.group(2)
        start, end = match.span()
        if not _is_tag(name, rest):
            return end, f" {match.group()[1:-1]} "
        if name in ("script", "style") and self.text[start + 1] != "/":
            cut = self._through(name, start, end)
            if cut is not None:
                return cut
        return end, ("" if name in INLINE else " ") + _feeds(self.text, start, end)


def _is_tag(name: str, rest: str) -> bool:
    if "=" in rest:
        return True
    if name not in KNOWN and ":" not in name:
        return False
    return all(word in LONE_ATTRIBUTES for word in rest.lower().replace("/", " ").split())


def _may_open(match: re.Match[str]) -> bool:
    """Whether an unclosed tag could still become one in a page; `a <b c` could not."""
    name = match.group(1).lower()
    return match.group(2) is not None or (len(name) > 1 and name in KNOWN)


def _feeds(text: str, start: int, end: int) -> str:
    return "\n" * text.count("\n", start, end)
