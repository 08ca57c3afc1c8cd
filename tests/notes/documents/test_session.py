"""A session is read message by message: who said what, without tools and without secrets."""

import json
from datetime import UTC, datetime

import pytest

from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.parse_document import place_at
from ragd.notes.documents.session import FEW_WORDS, NOT_A_SESSION, read_session
from ragd.notes.documents.session_lines import count_messages, last_time, read_messages
from ragd.notes.model import ChunkOptions, Note
from ragd.notes.parse import parse_note
from ragd.notes.wordpiece import WordPiece
from ragd.protocol.citations import citation, parse_citation
from tests.notes.documents.transcripts import (
    BEGAN,
    conversation,
    header,
    lines,
    message,
    text_part,
)
from tests.notes.secret_samples import PLANTED, Planted

PATH = "@sessions/main/s1.jsonl"
LONG = "a long answer " * FEW_WORDS


def read(data: bytes) -> Document:
    found = read_session(PATH, data)
    assert isinstance(found, Document)
    return found


def test_each_message_has_its_speaker_and_its_time() -> None:
    found = read(conversation("Where is the heron?", "At the weir."))
    assert found.text.split("\n") == [
        "User, 2026-01-31 09:31 UTC:",
        "Where is the heron?",
        "Assistant, 2026-01-31 09:32 UTC:",
        "At the weir.",
    ]


def test_the_title_is_the_first_question_and_the_date_that_of_the_start() -> None:
    found = read(conversation("Where is the heron?\nPlease look.", "Yes."))
    assert (found.title, found.date) == ("Where is the heron?", "2026-01-31")
    assert len(read(conversation("word " * 99)).title) <= 81
    assert read(lines(header())).title == "Conversation of 2026-01-31"


def test_text_as_a_string_and_in_parts_is_taken() -> None:
    data = lines(
        header(),
        message("user", "as a string"),
        message("assistant", [text_part("in"), text_part("parts")]),
    )
    assert [one.text for one in read_messages(data)] == ["as a string", "in\nparts"]


@pytest.mark.parametrize(
    "entry",
    [
        message("toolResult", [text_part("HIDDEN")], toolName="bash"),
        message("system", "HIDDEN"),
        message("assistant", [{"type": "thinking", "thinking": "HIDDEN"}]),
        message("assistant", [{"type": "toolCall", "name": "x", "arguments": {"a": "HIDDEN"}}]),
        message("user", [{"type": "image", "data": "HIDDEN", "text": "HIDDEN"}]),
        message("user", [{"type": "toolResult", "content": "HIDDEN", "text": "HIDDEN"}]),
        message("user", "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>HIDDEN"),
        message(
            "user",
            "a<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>HIDDEN<<<END_OPENCLAW_INTERNAL_CONTEXT>>>b",
        ),
        {"type": "compaction", "summary": "HIDDEN", "firstKeptEntryId": "m"},
        {"type": "custom", "message": {"role": "user", "content": "HIDDEN"}},
        {"type": "session", "cwd": "HIDDEN"},
        ["HIDDEN"],
        "HIDDEN",
    ],
    ids=lambda entry: json.dumps(entry)[:60],
)
def test_only_what_the_two_wrote_to_each_other_is_taken(entry: object) -> None:
    found = read(lines(header(), message("user", "hello"), entry, message("assistant", "bye")))
    assert "HIDDEN" not in found.text + found.title
    assert "hello" in found.text and "bye" in found.text


@pytest.mark.parametrize("silent", ["NO_REPLY", " HEARTBEAT_OK\n", "", "  "])
def test_an_answer_that_the_host_does_not_show_is_left_out(silent: str) -> None:
    found = read(lines(header(), message("user", "hello"), message("assistant", silent)))
    assert "Assistant" not in found.text


def test_a_place_begins_at_a_message_and_stays_when_more_follow() -> None:
    said = ["Where is the heron?", LONG, "Thanks.", "You are welcome.", LONG, LONG]
    places = [one.name for one in read(conversation(*said)).places]
    assert places == ["message=1", "message=3", "message=6"]
    more = [one.name for one in read(conversation(*said, "Another question?")).places]
    assert more[: len(places)] == places


def test_a_number_counts_messages_without_text_too() -> None:
    call = message("assistant", [{"type": "toolCall", "name": "x"}])
    data = lines(header(), message("user", LONG), call, call, message("assistant", LONG))
    assert [one.name for one in read(data).places] == ["message=1", "message=4"]


def test_a_place_can_be_cited_and_opened_again(wordpiece: WordPiece) -> None:
    data = conversation("Where is the heron?", LONG, "Is the kingfisher back at the weir?", LONG)
    note = parse_note(PATH, data, ChunkOptions(), wordpiece.count, collection="sessions/main")
    assert isinstance(note, Note)
    [chunk] = [one for one in note.chunks if "kingfisher" in one.text]
    cited = parse_citation(citation(PATH, chunk.start_line, chunk.end_line, chunk.position))
    assert (cited.path, cited.place) == (PATH, "message=3")
    document = read(data)
    first = document.text.split("\n").index("Is the kingfisher back at the weir?") + 1
    assert place_at(document.places, first) == cited.place


@pytest.mark.parametrize("planted", PLANTED[::7], ids=lambda one: one.text[:40])
def test_a_secret_is_left_out_of_text_and_title(planted: Planted) -> None:
    found = read(conversation(planted.text, f"You said: {planted.text}"))
    assert planted.secret not in found.text + found.title
    assert "[secret]" in found.text


def test_a_line_that_is_being_written_is_left_out() -> None:
    data = conversation("first", "second")
    for end in range(len(data) - 60, len(data)):
        assert "first" in read(data[:end]).text


def test_among_sessions_only_a_session_is_read() -> None:
    other = lines({"a": "text"})
    assert read_session(PATH, other) == Unreadable(NOT_A_SESSION)
    assert read_session(PATH, b"") == Unreadable(NOT_A_SESSION)
    elsewhere = read_session("Data/list.jsonl", other)
    assert isinstance(elsewhere, Document) and "text" in elsewhere.text


def test_messages_are_counted_and_the_last_one_has_a_time() -> None:
    data = conversation("one", "two", "three")
    assert count_messages(data) == 3
    assert last_time(data) == datetime(2026, 1, 31, 9, 33, tzinfo=UTC)
    assert last_time(data[len(data) // 2 :]) == last_time(data)
    assert last_time(lines(header())) is None
    in_milliseconds = message("user", "x", timestamp=BEGAN.timestamp() * 1000)
    assert last_time(lines(in_milliseconds)) == BEGAN


@pytest.mark.parametrize("wrong", ["yesterday", -1e300, 1e300, True, None, [], {}])
def test_a_time_that_is_not_one_is_no_time(wrong: object) -> None:
    entry = {**message("user", "x", timestamp=wrong), "timestamp": wrong}
    assert last_time(lines(entry)) is None
    assert "User:" in read(lines(header(), entry)).text
