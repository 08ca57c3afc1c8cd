"""Which paragraph styles of a Word file are headings, and of which level."""

import re

from ragd.vault.foreign_readers.xml_events import Attributes

_HEADING = re.compile(r"heading ([1-9])", re.IGNORECASE)
_LONGEST_CHAIN = 12


class HeadingStyles:
    """A handler for `styles.xml`. `level` knows the heading level of each style afterwards."""

    def __init__(self) -> None:
        self._levels: dict[str, int] = {}
        self._based_on: dict[str, str] = {}
        self._style = ""

    def start(self, name: str, attributes: Attributes) -> None:
        value = attributes.get("val", "")
        if name == "style":
            is_paragraph = attributes.get("type", "paragraph") == "paragraph"
            self._style = attributes.get("styleId", "") if is_paragraph else ""
        elif not self._style:
            return
        elif name == "name":
            if match := _HEADING.fullmatch(value):  # the name is English in every language
                self._levels[self._style] = int(match.group(1))
            elif value.lower() == "title":
                self._levels[self._style] = 1
        elif name == "basedOn":
            self._based_on[self._style] = value
        elif name == "outlineLvl" and (level := outline_level(value)) is not None:
            self._levels.setdefault(self._style, level)

    def end(self, name: str) -> None:
        if name == "style":
            self._style = ""

    def text(self, text: str) -> None: ...

    def level(self, style: str) -> int:
        """The level of a heading; 0 for a style of ordinary text."""
        for _ in range(_LONGEST_CHAIN):
            if style in self._levels:
                return self._levels[style]
            style = self._based_on.get(style, "")
        return 0


def outline_level(value: str) -> int | None:
    """A level from 1, as Word writes it from 0; 9 means ordinary text: 0. None if it is neither."""
    if not re.fullmatch(r"[0-9]", value):
        return None
    return (int(value) + 1) % 10
