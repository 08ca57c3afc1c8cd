"""Facts that came in parts, put together before any fold sees them. Pure.

A crash can leave a fact without its last part. Such a fact never happened: the next first part of
the same kind by the same actor takes its place.
"""

from msgspec import Struct, field

from ragd import events
from ragd.eventlog import codec
from ragd.events import SplitFact


class Open(Struct):
    """The parts of one fact that are there so far, as they stand in the log."""

    run: str
    parts: list[str]


class Parts(Struct):
    """Facts whose last part has not come yet, by actor and type."""

    open: dict[str, Open] = field(default_factory=dict)


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
        return None  # its beginning is not there
    if not event.last:
        if begun is None:
            begun = parts.open[key] = Open(run, [])
        begun.parts.append(codec.encode(event).decode())
        return None
    parts.open.pop(key, None)
    earlier = begun.parts if begun is not None else []
    whole = [codec.decode(text.encode()) for text in earlier]
    return codec.merge([p for p in whole if isinstance(p, SplitFact)] + [event])
