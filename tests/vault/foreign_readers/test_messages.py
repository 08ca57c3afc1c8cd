"""What the daemon accepts from the process that reads documents."""

from typing import Any

import msgspec
import pytest

from ragd.notes.documents.model import Document, Heading, Place, Unreadable
from ragd.notes.markdown.links import Link
from ragd.vault.foreign_readers import limits, reasons
from ragd.vault.foreign_readers.messages import ReadReply, checked

GOOD: dict[str, Any] = {
    "text": "one\n\ntwo",
    "title": "Boats",
    "date": "2024-03-14",
    "headings": (Heading(1, 1, "one"),),
    "places": (Place(1, "page=1"), Place(3, "page=2")),
    "warnings": ("2,000 of 10,000 pages were read",),
}


def packed(reply: ReadReply) -> bytes:
    return msgspec.msgpack.encode(reply)


def test_a_document_arrives_as_it_was_sent() -> None:
    assert checked(packed(ReadReply(Document(**GOOD)))) == (Document(**GOOD), "")


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "a\nb"},
        {"title": "x" * 301},
        {"date": "yesterday"},
        {"headings": (Heading(0, 1, "one"),)},
        {"headings": (Heading(4, 1, "one"),)},
        {"headings": (Heading(1, 0, "one"),)},
        {"headings": (Heading(3, 1, "two"), Heading(1, 1, "one"))},
        {"places": (Place(2, "page=1"),)},
        {"places": (Place(1, "page=1"), Place(1, "page=2"))},
        {"places": (Place(1, "page=1"), Place(9, "page=2"))},
        {"places": (Place(1, "../page"),)},
        {"warnings": ("a sentence of the file",)},
        {"links": (Link(1, "note"),)},
    ],
)
def test_a_document_that_no_reader_makes_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        checked(packed(ReadReply(Document(**{**GOOD, **changes}))))


def test_a_text_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CHARACTERS", 7)
    with pytest.raises(ValueError):
        checked(packed(ReadReply(Document("12345678"))))


@pytest.mark.parametrize("reason", sorted(reasons.REASONS))
def test_every_reason_arrives(reason: str) -> None:
    assert checked(packed(ReadReply(reason=reason))) == (Unreadable(reason), "")


@pytest.mark.parametrize(
    "reply",
    [ReadReply(), ReadReply(reason="secret"), ReadReply(reason=reasons.DAMAGED, defect="a secret")],
)
def test_a_reply_with_other_words_is_refused(reply: ReadReply) -> None:
    with pytest.raises(ValueError):
        checked(packed(reply))


@pytest.mark.parametrize("body", [b"", b"\xc1", b"\x80\x80", msgspec.msgpack.encode([1, 2])])
def test_what_is_no_reply_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):
        checked(body)
