"""The rules for every reader, whatever the bytes are: for property tests and the fuzzer."""

from functools import cache
from itertools import pairwise
from pathlib import Path

from ragd.notes.documents.document_builder import MOST_CHARACTERS
from ragd.notes.documents.kinds import kind_of
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.read_document import read_document
from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import Unparsable, parse_note
from ragd.notes.wordpiece import WordPiece

LONGEST_REASON = 100
LONGEST_PASSAGE = 2_000


VOCABULARY = Path(__file__).parents[3] / "ragd" / "data" / "vocab.txt"


def check_file(path: str, data: bytes) -> Document | Note | Unreadable | Unparsable:
    """Read a file of any kind that the daemon reads itself, and check the answer."""
    return check_note(path, data) if kind_of(path).how == "note" else check_reader(path, data)


def check_note(path: str, data: bytes) -> Note | Unparsable:
    """Split a note into passages and check them. Raises AssertionError."""
    found = parse_note(path, data, ChunkOptions(), wordpiece().count)
    if isinstance(found, Unparsable):
        assert found.reason and len(found.reason) < LONGEST_REASON
        return found
    lines = data.count(b"\n") + data.count(b"\r") + 1
    assert [one.index for one in found.chunks] == list(range(len(found.chunks)))
    for one in found.chunks:
        assert 1 <= one.start_line <= one.end_line <= lines
        assert len(one.text) <= LONGEST_PASSAGE
        for text in (one.text, one.embed_text, one.search_text, one.heading_path, *one.tags):
            text.encode()
    return found


@cache
def wordpiece() -> WordPiece:
    return WordPiece(VOCABULARY.read_text(encoding="utf-8"))


def check_reader(path: str, data: bytes) -> Document | Unreadable:
    """Read the file and check the answer. Raises AssertionError."""
    found = read_document(path, data)
    if isinstance(found, Unreadable):
        assert found.reason and len(found.reason) < LONGEST_REASON
        return found
    assert isinstance(found, Document)
    lines = found.text.count("\n") + 1
    assert len(found.text) <= MOST_CHARACTERS
    assert "\r" not in found.text and "\x00" not in found.text
    found.text.encode()
    for numbers in (
        [one.line for one in found.headings],
        [one.line for one in found.places],
        [one.line for one in found.links],
    ):
        assert all(1 <= number <= lines for number in numbers)
        assert numbers == sorted(numbers)
    assert not found.places or found.places[0].line == 1
    assert all(one.line < other.line for one, other in pairwise(found.places))
    assert all(one.text and 1 <= one.level <= 6 for one in found.headings)
    assert all("=" in one.name and not set(" \n#<>") & set(one.name) for one in found.places)
    return found
