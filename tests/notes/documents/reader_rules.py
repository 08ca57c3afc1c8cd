"""The rules for every reader, whatever the bytes are: for property tests and the fuzzer."""

from itertools import pairwise

from ragd.notes.documents.document_builder import MOST_CHARACTERS
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.read_document import read_document

LONGEST_REASON = 100


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
