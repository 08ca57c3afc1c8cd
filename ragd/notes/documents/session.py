"""Reads a session (`.jsonl`): a past conversation of an agent, message by message. Pure.

Secrets are left out here, before anything else sees the text. A place begins at a message; short
messages join the place before them, so that a question is found with its answer. A file of this
name elsewhere that is not a session is read as plain text. It never raises.
"""

from datetime import datetime

from ragd.notes.characters import one_line, visible
from ragd.notes.documents.document_builder import DocumentBuilder
from ragd.notes.documents.model import Document, Unreadable
from ragd.notes.documents.plain_text import read_plain_text
from ragd.notes.documents.session_lines import SessionMessage, read_messages, read_start
from ragd.notes.markdown.sanitise import plain_line
from ragd.notes.secrets import without_secrets
from ragd.vault.collection_paths import SESSIONS

NOT_A_SESSION = "it is not a session of OpenClaw"

FEW_WORDS = 40  # with fewer, a place takes in the next message
LONGEST_TITLE = 80
NAMES = {"user": "User", "assistant": "Assistant"}


def read_session(path: str, data: bytes) -> Document | Unreadable:
    """The text of a session."""
    start = read_start(data)
    if start is None:
        # Among sessions, an unknown file may hold what must be left out.
        is_elsewhere = not path.startswith(f"@{SESSIONS}/")
        return read_plain_text(path, data) if is_elsewhere else Unreadable(NOT_A_SESSION)
    builder = DocumentBuilder(path)
    title, began, words = "", start.time, FEW_WORDS
    for message in read_messages(data):
        text = without_secrets(visible(message.text))
        if not text.strip():
            continue
        if not title and message.role == "user":
            title = _title(text)
        began = began or message.time
        if words >= FEW_WORDS:
            builder.begin_place("message", str(message.number))
            words = 0
        builder.add_line(_speaker(message))
        builder.add_markdown(text, 1)
        words += len(text.split())
    return builder.build(title or _untitled(began), began.date().isoformat() if began else None)


def _title(text: str) -> str:
    """The first words of the first message."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    shown = plain_line(first, LONGEST_TITLE + 1)
    return shown if len(shown) <= LONGEST_TITLE else f"{shown[:LONGEST_TITLE].rstrip()}…"


def _untitled(began: datetime | None) -> str:
    return one_line(f"Conversation of {began:%Y-%m-%d}" if began else "Conversation", LONGEST_TITLE)


def _speaker(message: SessionMessage) -> str:
    """Who wrote a message, and when."""
    name = NAMES[message.role]
    return f"{name}, {message.time:%Y-%m-%d %H:%M} UTC:" if message.time else f"{name}:"
