"""Reads XML as events. Entities are refused, so that no text can grow and no other file is read."""

from collections.abc import Callable
from typing import Protocol
from xml.parsers import expat

from ragd.vault.foreign_readers import limits
from ragd.vault.foreign_readers.reasons import DAMAGED, ENTITIES, CannotParse

Attributes = dict[str, str]


class XmlHandler(Protocol):
    """What is called for each event. Names are without their namespaces."""

    def start(self, name: str, attributes: Attributes) -> None: ...

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...


def parse_xml(data: bytes, handler: XmlHandler) -> None:
    """Call the handler for every element and text. Raises CannotParse."""
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def start(name: str, attributes: Attributes) -> None:
        nonlocal depth
        depth += 1
        if depth > limits.XML_DEPTH:
            raise CannotParse(DAMAGED)
        bare = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        handler.start(name.rpartition(" ")[2], bare)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(name.rpartition(" ")[2])

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.text
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = _refuse
    parser.UnparsedEntityDeclHandler = _refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, UnicodeError, ValueError):
        raise CannotParse(DAMAGED) from None


def _refuse(*_: object) -> int:
    raise CannotParse(ENTITIES)


class TextOf:
    """A handler that keeps the text of some elements, by their names: the first of each."""

    def __init__(self, *names: str) -> None:
        self.found: dict[str, str] = {}
        self._wanted = frozenset(names)
        self._current = ""

    def start(self, name: str, attributes: Attributes) -> None:
        self._current = name if name in self._wanted and name not in self.found else ""
        if self._current:
            self.found[name] = ""

    def end(self, name: str) -> None:
        self._current = ""

    def text(self, text: str) -> None:
        if self._current:
            self.found[self._current] += text


class Elements:
    """A handler that passes each element's name and attributes on."""

    def __init__(self, seen: Callable[[str, Attributes], None]) -> None:
        self._seen = seen

    def start(self, name: str, attributes: Attributes) -> None:
        self._seen(name, attributes)

    def end(self, name: str) -> None: ...

    def text(self, text: str) -> None: ...
