"""Reads a text file (`.txt`): its lines as they are. Pure.

Nothing in it is markup, so no word is lost. It never raises, whatever the bytes are.
"""

from ragd.notes import decoding
from ragd.notes.characters import visible
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.markdown.links import find_links


def read_plain_text(path: str, data: bytes) -> Document | Unreadable:
    """The text of a file, line for line."""
    decoded = decoding.decode(data)
    if isinstance(decoded, decoding.Undecodable):
        return Unreadable(decoded.reason)
    text = visible(decoded.text)
    warnings = (decoded.warning,) if decoded.warning else ()
    return Document(text, links=tuple(find_links(text, 1, path)), warnings=warnings)
