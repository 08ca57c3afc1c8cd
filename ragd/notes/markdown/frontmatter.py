"""Reads the properties at the top of a note: the block between its first two lines of `---`.

`yaml_block.py` reads the YAML; this module says what the values mean. A block that cannot be read
is ordinary text, but `rag: false` in it still hides the note: in doubt, a note is not indexed.
"""

import re

from msgspec import Struct

from ragd.notes.characters import one_line
from ragd.notes.dates import date_in_text
from ragd.notes.markdown.sanitise import plain_line
from ragd.notes.properties import encode_properties

MOST_CHARACTERS = 65_536
MOST_VALUES = 200  # of tags or aliases
LONGEST_VALUE = 200
LONGEST_TITLE = 300

NOT_YAML = "its frontmatter is not valid YAML"
NOT_A_MAPPING = "its frontmatter is not a list of properties"
UNFILLED = "its frontmatter holds a template's placeholders"
TOO_LARGE = "its frontmatter is too large to be read"
TOO_DEEP = "its frontmatter is nested too deeply to be read"

_CLOSE = re.compile(r"\n---[ \t]*(?:\n|\Z)")
_HIDES = re.compile(r"\nrag[ \t]*:[ \t]*[\"']?(?:false|no|off)[\"']?[ \t]*(?:#[^\n]*)?\n", re.I)
# The same anywhere it may be a key, in any spelling: for a block that cannot be read.
_MAY_HIDE = re.compile(
    r"[\n{,?][ \t]*+[\"']?rag[\"']?[ \t]*+(?:\n[ \t]*+)?:\s*+(?:[!&]\S{1,100}\s++){0,3}"
    r"(?:[|>][-+\d]{0,2}\s++)?[\"'\[]?[ \t]*+(?:(?:false|no|off)(?![^\W_])|\*)",
    re.I,
)
_FALSE = {"false", "no", "off"}
# Properties that say when a note's matter began, or when the note was created.
_BEGINNINGS = (
    *("day", "start", "start_date", "start-date", "start date"),
    *("created", "created_at", "date_created", "date-created", "date created", "creation_date"),
)

Values = dict[str, list[str]]


class Frontmatter(Struct, frozen=True):
    """The properties of a note. `end`: where the body begins; 0 if there is no block."""

    end: int = 0
    block: str = ""
    title: str | None = None
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    date: str | None = None  # as written
    created: str | None = None  # as written; the day it began, or was created
    properties: tuple[str, ...] = ()  # as the index keeps them
    hidden: bool = False
    warning: str | None = None


NONE = Frontmatter()


def read(text: str) -> Frontmatter:
    """The frontmatter of a note, from its whole text with line feeds as line ends."""
    first = text[:64].split("\n", 1)[0]
    if not text.startswith("---") or first.rstrip(" \t") != "---" or len(first) == len(text):
        return NONE
    close = _CLOSE.search(text, len(first))
    if close is None:
        return NONE
    block = text[len(first) + 1 : close.start()] if close.start() > len(first) else ""
    end = close.end()
    may_hide = _MAY_HIDE.search(f"\n{block}\n") is not None
    if len(block) > MOST_CHARACTERS:
        return Frontmatter(hidden=may_hide, warning=TOO_LARGE)
    from ragd.notes.markdown import yaml_block  # takes 15 ms, which a start does not need

    try:
        values = yaml_block.read_values(block)
    except yaml_block.TooDeep:
        return Frontmatter(end, block, hidden=may_hide, warning=TOO_DEEP)
    except yaml_block.NotYaml:
        return Frontmatter(end, block, hidden=may_hide, warning=NOT_YAML)
    if values is None:
        return Frontmatter(end, block, hidden=may_hide, warning=NOT_A_MAPPING)
    hides = _HIDES.search(f"\n{block}\n") is not None  # even if a later line says otherwise
    if "<<" in values or yaml_block.ALIAS in values.get("rag", []):
        hides = hides or may_hide  # aliases are not resolved
    return Frontmatter(
        end,
        block,
        title=_single_value(values, "title"),
        aliases=_texts(values.get("aliases") or values.get("alias") or []),
        tags=_tags(values.get("tags") or values.get("tag") or []),
        date=_single_value(values, "date"),
        created=_first_day(values),
        properties=encode_properties(
            {
                name: [plain_line(one, LONGEST_VALUE) for one in found]
                for name, found in values.items()
            }
        ),
        hidden=hides or any(word.strip().lower() in _FALSE for word in values.get("rag", [])),
        warning=UNFILLED if "{{" in block or "<%" in block else None,
    )


def _single_value(values: Values, key: str) -> str | None:
    found = values.get(key, [])
    return plain_line(found[0], LONGEST_TITLE) or None if len(found) == 1 else None


def _first_day(values: Values) -> str | None:
    """The first of these properties that names a day."""
    found = (_single_value(values, key) for key in _BEGINNINGS)
    return next((value for value in found if value and date_in_text(value)), None)


def _texts(found: list[str]) -> tuple[str, ...]:
    cleaned = (plain_line(value, LONGEST_VALUE) for value in found[:MOST_VALUES])
    return tuple(dict.fromkeys(value for value in cleaned if value))


def _tags(found: list[str]) -> tuple[str, ...]:
    if len(found) == 1:  # `tags: one, two`
        found = found[0].replace(",", " ").split()
    cleaned = (one_line(value, LONGEST_VALUE).lstrip("#") for value in found[:MOST_VALUES])
    return tuple(dict.fromkeys("#" + value for value in cleaned if value))
