"""Finds the time that a question names, from today's date and from days stated in notes.

It reads the clock. It reads the index only for a question that counts from a birthday or an event.
It ranks nothing.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from msgspec import structs

from ragd.access.scope import Permits
from ragd.clock import Clock, iso
from ragd.search import dates
from ragd.search.dates import MonthDay, NamedTime, Phrase, Span
from ragd.search.facts.question_subject import asks_for_now
from ragd.search.query.conditions import PROPERTIES, Condition
from ragd.search.query.filters import FileTimes, Filters
from ragd.store.lance import ChunkHit, ChunkIndex, ChunkRow, condition

BIRTHDAY_WORDS = "birthday born Geburtstag geboren 生日 出生"
BIRTH_WORDS = "born birth geboren Geburt 出生"
BIRTHDAY_DEPTH = 50  # passages that may state a birthday
EVENT_DEPTH = 20  # passages that may state the day of an event
LISTED = 2_000  # most passages of a time that are listed


class QuestionDates:
    """Reads the time phrases of questions."""

    def __init__(self, clock: Clock, permits: Permits) -> None:
        self._clock = clock
        self._permits = permits

    async def find_time(self, question: str, index: ChunkIndex) -> NamedTime:
        """The time that a question names. A birthday that no note states is searched as words."""
        known = {}
        for owner in dates.birthday_owners(question)[:3]:
            if day := await self._find_birthday(owner, index):
                known[owner] = day
        today = self.today()
        found = dates.find_time(question, today, known)
        if found.spans == (Span(today, today),) and asks_for_now(found.rest):
            return NamedTime((), found.rest)
        for event in dates.named_events(found.rest)[:1]:  # a note may state its day
            if day := await self._find_event_day(event, index):
                found = dates.find_time(question, today, {**known, event: day})
                return structs.replace(found, phrases=_narrowest(found.phrases))
            if dates.has_content(event):
                return structs.replace(found, unknown_event=event)
        return found

    async def _find_event_day(self, words: str, index: ChunkIndex) -> MonthDay | None:
        owner = dates.birth_owner(words)
        if owner and (day := dates.find_birth(owner, await self._birthday_rows(owner, index))):
            return day
        looked_up = f"{owner} {BIRTH_WORDS}" if owner else words
        hits = await index.find_by_words(looked_up, EVENT_DEPTH, "date IS NOT NULL")
        hits += await index.find_by_words(looked_up, EVENT_DEPTH, "date IS NULL")
        return dates.find_event_day(words, await self._read_permitted(hits, index))

    def today(self) -> date:
        """The day in the user's time zone."""
        return datetime.fromisoformat(self._clock.now()).astimezone().date()

    async def _find_birthday(self, owner: str, index: ChunkIndex) -> MonthDay | None:
        return dates.find_birthday(owner, await self._birthday_rows(owner, index))

    async def _birthday_rows(self, owner: str, index: ChunkIndex) -> list[ChunkRow]:
        """Passages that may state this birthday."""
        words = f"{owner} {BIRTHDAY_WORDS}"
        hits = await index.find_by_words(words, BIRTHDAY_DEPTH)
        hits += await _find_birthday_properties(index)
        return await self._read_permitted(hits, index)

    async def _read_permitted(self, hits: Sequence[ChunkHit], index: ChunkIndex) -> list[ChunkRow]:
        permitted = [hit.chunk_id for hit in hits if self._permits(hit.source_file)]
        return await index.read_chunks(permitted)


def _narrowest(phrases: Sequence[Phrase]) -> tuple[Phrase, ...]:
    """The phrases without those that only say in which time another one is: "in 2023"."""

    def is_within(one: Phrase, other: Phrase) -> bool:
        return one.spans != other.spans and all(
            any(wide.start <= span.start and span.end <= wide.end for wide in other.spans)
            for span in one.spans
        )

    return tuple(other for other in phrases if not any(is_within(one, other) for one in phrases))


async def _find_birthday_properties(index: ChunkIndex) -> list[ChunkHit]:
    """Passages of notes whose frontmatter states a birthday."""
    known = [one for name in dates.BIRTHDAY_PROPERTIES for one in await index.list_properties(name)]
    if not known:
        return []
    where = condition(Filters(conditions=(Condition(PROPERTIES, tuple(known)),)))
    return await index.find_newest(LISTED, where or "TRUE")


def near_condition(filters: Filters, spans: Sequence[Span]) -> str | None:
    """The condition for passages within the filters, in these spans or shortly around them."""
    if not spans:
        return None
    around = tuple(dates.widen(span).iso_days() for span in spans)
    return condition(structs.replace(filters, spans=around))


async def find_passages_of_time(
    index: ChunkIndex, filters: Filters, spans: Sequence[Span]
) -> list[ChunkHit]:
    """The passages of these spans, newest first, then passages of notes without a date whose file
    was written in the latest span."""
    own = condition(structs.replace(filters, spans=tuple(span.iso_days() for span in spans)))
    hits = await index.find_newest(LISTED, own or "TRUE")
    if filters.start is None and filters.end is None and len(hits) < LISTED:
        latest = max(spans, key=lambda span: span.end)
        others = condition(structs.replace(filters, spans=(), file_times=file_times(*latest)))
        hits += await index.find_newest(LISTED - len(hits), f"({others}) AND date IS NULL")
    return hits


async def has_passages_of_time(index: ChunkIndex, spans: Sequence[Span]) -> bool:
    """Whether any passage of the index has a date in these spans."""
    where = condition(Filters(spans=tuple(span.iso_days() for span in spans)))
    return bool(await index.count(where))


def file_times(start: date | None, end: date | None) -> FileTimes:
    """These days in the user's time zone, as moments in UTC."""
    return FileTimes(_moment(start, 0), _moment(end, 1))


def _moment(day: date | None, days_later: int) -> str | None:
    """The beginning of the day; None, no limit, at an end of the calendar."""
    if day is None or day.year <= 1 or day.year >= 9999:
        return None
    begins = datetime.combine(day + timedelta(days=days_later), time.min)
    return iso(begins.astimezone(UTC))
