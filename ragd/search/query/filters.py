"""What a question is limited to: folders, days, tags. Pure.

It never says what is denied: a folder that is not in the index and one that is denied look the
same, and only a folder that may be searched is suggested.
"""

import contextlib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time

from msgspec import Struct, structs

from ragd.errors import RagdError
from ragd.search.query.conditions import FOLDERS, PHRASE, PROPERTIES, TAGS, TITLE, Condition
from ragd.vault.containment import contained_path

Known = Callable[[str], bool]
Local = Callable[[datetime], datetime]  # the same moment by the user's clock


class FileTimes(Struct, frozen=True):
    """From and before which moment a file was written, for notes that have no date of their own.

    Written as the index keeps them, in UTC; None: open.
    """

    start: str | None = None
    before: str | None = None


class Filters(Struct, frozen=True):
    """The limits, spelled as the index spells them; None: no limit of that kind.

    `tags` may be empty: then no note has any of those asked for.
    """

    directories: tuple[str, ...] | None = None
    start: str | None = None
    end: str | None = None
    spans: tuple[tuple[str, str], ...] | None = None  # first and last days; within any of them
    tags: tuple[str, ...] | None = None
    # With `start`, `end` or `spans`: a note without a date passes by its file's time. None: never.
    file_times: FileTimes | None = None
    tag_column: str = "note_tags"  # the tags of the note; or `tags`, the passage's own
    conditions: tuple[Condition, ...] = ()  # what else must hold

    @property
    def phrases(self) -> tuple[Condition, ...]:
        """The phrases that a passage must have, or must not have."""
        return tuple(one for one in self.conditions if one.kind == PHRASE)

    @property
    def but_phrases(self) -> "Filters":
        """The other limits."""
        others = tuple(one for one in self.conditions if one.kind != PHRASE)
        return structs.replace(self, conditions=others)

    @property
    def asks_for_notes(self) -> bool:
        """Whether some kind of note is asked for: then each note counts, with equal text or not."""
        kinds = {one.kind for one in self.conditions}
        return bool(self.directories or self.tags or kinds & {TAGS, FOLDERS, PROPERTIES, TITLE})

    @property
    def picks_notes(self) -> bool:
        """Whether only few notes can be meant: those with a property, a tag or a title."""
        kinds = {one.kind for one in self.conditions if not one.negated}
        return bool(self.tags or kinds & {TAGS, PROPERTIES, TITLE})


def asked_directories(asked: Sequence[str]) -> list[str]:
    """The folders of a request, as paths inside the vault. RagdError for what is none."""
    found = []
    for path in asked:
        try:
            found.append(contained_path(path))
        except RagdError as why:
            if why.code != "INVALID_REQUEST":
                raise
            message = f"The field `directory_filter` is not valid: {why.message}"
            raise RagdError(why.code, message) from None
    return found


def known_directories(
    asked: Iterable[str], known: Iterable[str], entered: Known
) -> tuple[str, ...]:
    """The folders of the index that are meant, in whatever case; RagdError if one is unknown."""
    known = list(known)
    spellings: dict[str, list[str]] = {}
    for folder in known:
        spellings.setdefault(normalised(folder), []).append(folder)
    found: dict[str, None] = {}
    for path in asked:
        meant = [folder for folder in spellings.get(normalised(path), ()) if entered(folder)]
        if not meant:
            raise _unknown(path, [folder for folder in known if entered(folder)])
        found.update(dict.fromkeys([path] if path in meant else meant))
    return tuple(found)


def _unknown(path: str, known: Iterable[str]) -> RagdError:
    """`known`: only folders that may be named."""
    from ragd.search.query.close_matches import (
        closest_folder,  # which compares names as this module does
    )

    near = closest_folder(path, known)
    return RagdError(
        "UNKNOWN_DIRECTORY",
        "The field `directory_filter` names a directory that is not in the index.",
        f"Did you mean `{near}`?" if near else None,
    )


def asked_tags(asked: Sequence[str]) -> list[str]:
    """The tags of a request without their `#`, in the one spelling that is compared."""
    found = []
    for tag in asked:
        name = normalised(tag.strip().lstrip("#").strip("/"))
        if not name:
            raise RagdError("INVALID_REQUEST", "The field `tags` has a tag without a name.")
        found.append(name)
    return found


def known_tags(asked: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The index's tags that are meant: in any case, and those nested below one asked for."""
    wanted = set(asked)
    found = []
    for tag in known:
        name = normalised(tag.lstrip("#"))
        steps = name.split("/")
        if any("/".join(steps[:depth]) in wanted for depth in range(1, len(steps) + 1)):
            found.append(tag)
    return tuple(sorted(found))


def day_range(start: str | None, end: str | None, local: Local) -> tuple[str | None, str | None]:
    """The first and last day of a range of days or timestamps, as days where the user is.

    A timestamp without an offset is of the user's own time. RagdError for a range that ends before
    it begins.
    """
    first = None if start is None else _moment(start, time.min, local)
    last = None if end is None else _moment(end, time.max, local)
    if first is not None and last is not None and first > last:
        raise RagdError(
            "INVALID_REQUEST", "The field `date_range.from` lies after `date_range.to`."
        )
    return (
        None if first is None else first.date().isoformat(),
        None if last is None else last.date().isoformat(),
    )


def _moment(text: str, of_day: time, local: Local) -> datetime:
    """A timestamp in local time; of a day, the given time."""
    if len(text) == len("2025-01-31"):
        return datetime.combine(date.fromisoformat(text), of_day)
    found = datetime.fromisoformat(text)
    if found.tzinfo is not None:
        # At an end of the calendar, its own day is near enough.
        with contextlib.suppress(OverflowError, ValueError):
            found = local(found)
    return found.replace(tzinfo=None)


def normalised(name: str) -> str:
    """A name as it is compared: composed, and in no case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
