"""The lines of a session file (JSONL), as OpenClaw writes them: who said what, and when. Pure.

Only what the user and the assistant wrote to each other is taken: no tool calls and their results,
no thinking, no images, and nothing that the host added for the model. It never raises.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec

ROLES = ("user", "assistant")
INTERNAL_BEGIN = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
INTERNAL_END = "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
# What an assistant answers when it has nothing to say; the host does not show it.
SILENT = ("NO_REPLY", "HEARTBEAT_OK")

TAIL_BYTES = 65_536  # of a file, in which its last message is looked for

Line = dict[str, Any]


class SessionMessage(NamedTuple):
    """One message. `number` counts those of the user and the assistant from 1, with or without a
    text, so it stays the same when more are appended."""

    number: int
    role: str
    text: str
    time: datetime | None


class SessionStart(NamedTuple):
    """The first line of a session file."""

    time: datetime | None


def read_start(data: bytes) -> SessionStart | None:
    """What the first line says; None if the file is not a session."""
    first = next((line for line in _lines(data) if line.strip()), b"")
    found = _decoded(first)
    if found is None or found.get("type") != "session":
        return None
    return SessionStart(_time(found.get("timestamp")))


def read_messages(data: bytes) -> Iterator[SessionMessage]:
    """The messages in the order of the file. A line that is not valid, such as one that is being
    written, is left out."""
    number = 0
    for line in _lines(data):
        found = _message(line)
        if found is not None:
            number += 1
            message, time = found
            yield SessionMessage(number, message["role"], _text(message.get("content")), time)


def count_messages(data: bytes) -> int:
    """How many messages of the user and the assistant are in these whole lines."""
    return sum(_message(line) is not None for line in _lines(data))


def last_time(data: bytes) -> datetime | None:
    """When the last message was written; None if no line near the end has one with a time."""
    for line in reversed(data[-TAIL_BYTES:].split(b"\n")):
        found = _message(line)
        if found is not None and found[1] is not None:
            return found[1]
    return None


def _lines(data: bytes) -> Iterator[bytes]:
    """One line after the other: a file may be large, so it is not copied as a whole."""
    start = 0
    while (end := data.find(b"\n", start)) >= 0:
        yield data[start:end]
        start = end + 1
    yield data[start:]


def _message(line: bytes) -> tuple[Line, datetime | None] | None:
    if b'"message"' not in line:
        return None
    entry = _decoded(line)
    if entry is None or entry.get("type") != "message":
        return None
    message = entry.get("message")
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        return None
    return message, _time(entry.get("timestamp")) or _time(message.get("timestamp"))


def _decoded(line: bytes) -> Line | None:
    try:
        found = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _text(content: object) -> str:
    """The text of a message, without the other parts and without the host's own words."""
    if isinstance(content, list):
        parts = [_part(one) for one in content if isinstance(one, dict)]
        content = "\n".join(part for part in parts if part)
    if not isinstance(content, str):
        return ""
    text = _without_internal(content).strip()
    return "" if text in SILENT else text


def _part(part: Line) -> str:
    text = part.get("text")
    return text if part.get("type") == "text" and isinstance(text, str) else ""


def _without_internal(text: str) -> str:
    """The text without blocks of internal context. One without an end goes to the end."""
    kept: list[str] = []
    while True:
        before, begin, rest = text.partition(INTERNAL_BEGIN)
        kept.append(before)
        if not begin:
            return "".join(kept)
        text = rest.partition(INTERNAL_END)[2]


def _time(value: object) -> datetime | None:
    """A time as text (ISO) or in milliseconds since 1970."""
    try:
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
