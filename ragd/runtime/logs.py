"""The daemon's log for people: JSON lines in a rotating file, separate from the event log.

It contains our own messages, never note text, a query or a secret. Libraries may quote data in
their messages, so only the library, the level and the exception's type of those are kept.
"""

import json
import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import orjson
import structlog

MAX_BYTES = 5 * 1024 * 1024
BACKUPS = 3
OURS = "ragd"


class _PrivateFile(RotatingFileHandler):
    """A rotating file that is created readable only by its owner."""

    def _open(self) -> Any:
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        if hasattr(os, "fchmod"):
            os.fchmod(handle, 0o600)
        return os.fdopen(handle, "a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:
        """Drop the line if the disk is full. The default prints it with a traceback."""


class _OwnMessagesOnly(logging.Formatter):
    """Formats our own messages unchanged, and only the origin of a library's."""

    def format(self, record: logging.LogRecord) -> str:
        if record.name == OURS:
            return record.getMessage()
        kind = record.exc_info[0] if record.exc_info else None
        line = {
            "timestamp": structlog.processors.TimeStamper(fmt="iso")(None, "", {})["timestamp"],
            "level": record.levelname.lower(),
            "event": "a library reported something",
            "library": record.name,
            "exception": kind.__name__ if kind is not None else None,
        }
        return as_json(line)


def as_json(value: Any, **options: Any) -> str:
    """One line of JSON. orjson refuses text that is not valid Unicode (a path, for example) and
    integers of more than 64 bits. The standard library writes those, so that no line is lost."""
    try:
        return orjson.dumps(value, **options).decode()
    except TypeError:
        return json.dumps(value, **options)


def configure(path: Path, level: str = "info") -> None:
    """Write everything that this process logs to `path`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = _PrivateFile(path, maxBytes=MAX_BYTES, backupCount=BACKUPS, delay=True)
    handler.setFormatter(_OwnMessagesOnly())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(OURS).setLevel(level.upper())
    logging.captureWarnings(True)
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=as_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *names: logging.getLogger(OURS),
        cache_logger_on_first_use=False,
    )
