"""Session files as OpenClaw writes them, for tests."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGAN = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)


def stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def header(began: datetime = BEGAN) -> dict[str, Any]:
    return {"type": "session", "version": 3, "id": "s1", "timestamp": stamp(began), "cwd": "/w"}


def message(
    role: str, content: object, moment: datetime | None = None, **more: Any
) -> dict[str, Any]:
    entry = {"type": "message", "id": "m", "message": {"role": role, "content": content, **more}}
    return entry if moment is None else {**entry, "timestamp": stamp(moment)}


def text_part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def lines(*entries: object) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in entries)


def conversation(*texts: str, began: datetime = BEGAN) -> bytes:
    """A session in which the user and the assistant speak in turn, a minute apart."""
    said = [
        message(
            ("user", "assistant")[number % 2],
            [text_part(text)],
            began + timedelta(minutes=number + 1),
        )
        for number, text in enumerate(texts)
    ]
    return lines(header(began), *said)


def append(file: Path, *texts: str, moment: datetime | None = None) -> None:
    """Append messages of the user, as a host does."""
    moment = moment or datetime.now(UTC)
    with file.open("ab") as opened:
        opened.write(lines(*(message("user", [text_part(text)], moment) for text in texts)))
