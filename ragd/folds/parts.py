"""Joins facts that were recorded in parts, before any fold sees them. Pure.

A crash can leave a fact without its last part. Such a fact does not count: the next first part of
the same type by the same actor replaces it.
"""

from msgspec import Struct, field

from ragd import events
from ragd.eventlog import codec
from ragd.events import SplitFact


class PartialFact(Struct):
    """The parts of one fact so far, as they are in the log."""

    run: str
    parts: list[str]


class Parts(Struct):
    """Facts whose last part has not come yet, by actor and type."""

    open: dict[str, PartialFact] = field(default_factory=dict)


def assemble(parts: Parts, event: SplitFact, actor: str, run: str) -> SplitFact | None:
    """The whole fact, if this was its last part."""
    if event.last and not event.part and not parts.open:
        return event  # nearly always
    key = f"{actor} {events.tag_of(event)}"
    begun = parts.open.get(key)
    if event.part == 0:
        begun = None
    elif begun is None or begun.run != run or len(begun.parts) != event.part:
        parts.open.pop(key, None)
        return None  # its first parts are missing
    if not event.last:
        if begun is None:
            begun = parts.open[key] = PartialFact(run, [])
        begun.parts.append(codec.encode(event).decode())
        return None
    parts.open.pop(key, None)
    earlier = begun.parts if begun is not None else []
    whole = [codec.decode(text.encode()) for text in earlier]
    return codec.merge([p for p in whole if isinstance(p, SplitFact)] + [event])
