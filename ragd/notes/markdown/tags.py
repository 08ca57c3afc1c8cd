"""Finds tags in text: `#tag`, nested and in any script, by Obsidian's rules.

Code, link addresses and plain numbers (`#123`) are not tags.
"""

import re

LONGEST = 200

# Letters, digits, `_`, `-`, `/` and all of Unicode that is neither space nor punctuation.
_TAG = re.compile(
    r"#([^\x00-,.:-@\[-^`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\xd7\xf7\u2000-\u200b\u200e-\u206f"
    r"\u2e00-\u2e7f\u3000-\u3003\u3008-\u3020\u3030\u303d\ufe30-\ufe4f\uff01-\uff0f\uff1a-\uff20"
    r"\uff3b-\uff40\uff5b-\uff65\s]++)"
)
_CODE = re.compile("`[^`\n]+`|``(?:[^`\n]|`(?!`))+``")
_MAY_PRECEDE = frozenset("*_~=([{\"'“‘«>|,;（「『【")


def inline_tags(text: str) -> list[str]:
    """The tags in `text`, each with its `#`, in order of appearance, each spelling once."""
    if "#" not in text:
        return []
    if "`" in text:
        text = _CODE.sub(" ", text)
    found: dict[str, None] = {}
    for match in _TAG.finditer(text):
        start = match.start()
        before = text[start - 1] if start else " "
        if not (before.isspace() or before in _MAY_PRECEDE):
            continue
        if before == "(" and text[start - 2 : start - 1] == "]":  # [shown](#address)
            continue
        tag = match.group(1).rstrip("/")
        if is_tag(tag):
            found["#" + tag[:LONGEST]] = None
    return list(found)


def lone_tag(line: str) -> str | None:
    """The tag, if the line is only a tag."""
    match = _TAG.fullmatch(line.strip())
    if match is None:
        return None
    tag = match.group(1).rstrip("/")
    return "#" + tag[:LONGEST] if is_tag(tag) else None


def without_tags(text: str) -> str:
    """The text without its tags."""
    return _TAG.sub(lambda match: "" if is_tag(match.group(1)) else match.group(), text)


def is_tag(name: str) -> bool:
    """Whether this is a tag after a `#`: it must not be only digits."""
    return bool(name) and not name.isdecimal()


def merge_tags(*groups: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """All tags, each once in any case, in its first spelling."""
    found: dict[str, str] = {}
    for group in groups:
        for tag in group:
            found.setdefault(tag.casefold(), tag)
    return tuple(found.values())
