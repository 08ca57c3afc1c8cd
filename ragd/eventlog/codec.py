"""Facts as bytes: encoding, decoding, upcasts of old versions, and splitting of facts that list
files. Pure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec

from ragd.events import ERRORS_MAX, PART_MAX_BYTES, Event, Fact, FileError, SplitFact, Unknown

# (tag, version) -> turns an object of that version into one of the next.
UPCASTS: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {}

_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def encode(event: Fact) -> bytes:
    """An event as the log has it. An unknown one is written as it was read."""
    return event.raw if isinstance(event, Unknown) else _encoder.encode(event)


def decode(raw: bytes | msgspec.Raw) -> Event:
    """The event in these bytes. An event that this version does not know becomes `Unknown`."""
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError:
        return _decode_other_version(bytes(raw))


def _decode_other_version(raw: bytes) -> Event:
    plain = msgspec.json.decode(raw)
    if not isinstance(plain, dict):
        return Unknown(name="", raw=raw)
    tag = str(plain.get("type", ""))
    version = plain.get("v", 1)
    while isinstance(version, int) and (tag, version) in UPCASTS:
        plain = UPCASTS[tag, version](plain)
        version += 1
    try:
        known: Event = msgspec.convert(plain, Event)
        return known
    except msgspec.ValidationError:
        return Unknown(name=tag, raw=raw)


P = TypeVar("P", bound=SplitFact)


def _list_fields(event: SplitFact) -> list[str]:
    return [name for name in event.__struct_fields__ if isinstance(getattr(event, name), list)]


def split(event: P, limit: int = PART_MAX_BYTES) -> list[P]:
    """The event in as many parts as needed, each smaller than `limit` when encoded."""
    names = _list_fields(event)
    bare = msgspec.structs.replace(event, **{name: [] for name in names})
    room = limit - len(encode(bare)) - 32
    parts: list[dict[str, list[Any]]] = [{}]
    used = 0
    for name in names:
        for item in getattr(event, name):
            cost = len(_encoder.encode(item)) + 1
            if used and used + cost > room:
                parts.append({})
                used = 0
            parts[-1].setdefault(name, []).append(item)
            used += cost
    return [
        msgspec.structs.replace(bare, part=i, last=i == len(parts) - 1, **lists)
        for i, lists in enumerate(parts)
    ]


def merge(parts: Sequence[P]) -> P:
    """The event that these parts, in order, were split from."""
    assert parts and parts[-1].last and [p.part for p in parts] == list(range(len(parts)))
    lists = {
        name: [item for part in parts for item in getattr(part, name)]
        for name in _list_fields(parts[0])
    }
    return msgspec.structs.replace(parts[-1], part=0, last=True, **lists)


def clip_errors(errors: Iterable[FileError]) -> tuple[list[FileError], int]:
    """The first hundred errors, fewer if their paths are long, and the number of all errors."""
    everything = list(errors)
    kept: list[FileError] = []
    room = PART_MAX_BYTES
    for error in everything[:ERRORS_MAX]:
        room -= len(_encoder.encode(error)) + 1
        if room < 0:
            break
        kept.append(error)
    return kept, len(everything)
