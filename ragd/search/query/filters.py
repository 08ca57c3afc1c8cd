"""The filters of a search: folders, days, tags. Pure.

It never reveals what is denied: the error for a denied folder is the same as for an unknown one,
and only folders that may be searched are suggested.
"""

import contextlib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, time

from msgspec import Struct, structs

from ragd.access.scope import Permits
from ragd.errors import RagdError
from ragd.search.query.conditions import FOLDERS, PHRASE, PROPERTIES, TAGS, TITLE, Condition
from ragd.vault.containment import contained_path

Local = Callable[[datetime], datetime]  # the same moment in the user's time zone


class FileTimes(Struct, frozen=True):
    """The range of moments in which a file was written, for notes without a date of their own.

    In UTC, in the format of the index; None: no limit.
    """

    start: str | None = None
    before: str | None = None


class Filters(Struct, frozen=True):
    """The limits, in the index's own spelling; None: no limit of that kind.

    `tags` is empty if no note has any of the requested tags.
    """

    directories: tuple[str, ...] | None = None
    start: str | None = None
    end: str | None = None
    spans: tuple[tuple[str, str], ...] | None = None  # first and last days; any of them matches
    tags: tuple[str, ...] | None = None
    # With `start`, `end` or `spans`: notes without a date match by their file's time. None: never.
    file_times: FileTimes | None = None
    tag_column: str = "note_tags"  # the note's tags; `tags`: the passage's own
    conditions: tuple[Condition, ...] = ()  # further limits, all of which must hold

    @property
    def phrases(self) -> tuple[Condition, ...]:
        """The phrases that a passage must have, or must not have."""
        return tuple(one for one in self.conditions if one.kind == PHRASE)

    @property
    def without_phrases(self) -> "Filters":
        """These filters without the phrases."""
        others = tuple(one for one in self.conditions if one.kind != PHRASE)
        return structs.replace(self, conditions=others)

    @property
    def counts_each_note(self) -> bool:
        """Whether notes of some kind are requested: then notes with equal text count separately."""
        kinds = {one.kind for one in self.conditions}
        return bool(self.directories or self.tags or kinds & {TAGS, FOLDERS, PROPERTIES, TITLE})

    @property
    def selects_few_notes(self) -> bool:
        """Whether the limits match only few notes: by a property, a tag or a title."""
        kinds = {one.kind for one in self.conditions if not one.negated}
        return bool(self.tags or kinds & {TAGS, PROPERTIES, TITLE})


def requested_directories(directories: Sequence[str]) -> list[str]:
    """The folders of a request, as paths inside the vault. Raises RagdError for any other path."""
    found = []
    for path in directories:
        try:
            found.append(contained_path(path))
        except RagdError as why:
            if why.code != "INVALID_REQUEST":
                raise
            message = f"The field `directory_filter` is not valid: {why.message}"
            raise RagdError(why.code, message) from None
    return found


def match_directories(
    requested: Iterable[str], known: Iterable[str], permits: Permits
) -> tuple[str, ...]:
    """The index's folders with these names, in any case. Raises RagdError for an unknown one."""
    known = list(known)
    spellings: dict[str, list[str]] = {}
    for folder in known:
        spellings.setdefault(normalised(folder), []).append(folder)
    found: dict[str, None] = {}
    for path in requested:
        matching = [folder for folder in spellings.get(normalised(path), ()) if permits(folder)]
        if not matching:
            raise _unknown_directory(path, [folder for folder in known if permits(folder)])
        found.update(dict.fromkeys([path] if path in matching else matching))
    return tuple(found)


def _unknown_directory(path: str, permitted: Iterable[str]) -> RagdError:
    """The error for an unknown folder; only a permitted folder is suggested."""
    from ragd.search.query.close_matches import closest_folder  # which imports this module

    near = closest_folder(path, permitted)
    return RagdError(
        "UNKNOWN_DIRECTORY",
        "The field `directory_filter` names a directory that is not in the index.",
        f"Did you mean `{near}`?" if near else None,
    )


def requested_tags(tags: Sequence[str]) -> list[str]:
    """The tags of a request without their `#`, in the form that is compared."""
    found = []
    for tag in tags:
        name = normalised(tag.strip().lstrip("#").strip("/"))
        if not name:
            raise RagdError("INVALID_REQUEST", "The field `tags` has a tag without a name.")
        found.append(name)
    return found


def match_tags(requested: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The tags of the index with these names, in any case, and the tags nested below them."""
    wanted = set(requested)
    found = []
    for tag in known:
        name = normalised(tag.lstrip("#"))
        steps = name.split("/")
        if any("/".join(steps[:depth]) in wanted for depth in range(1, len(steps) + 1)):
            found.append(tag)
    return tuple(sorted(found))


def day_range(start: str | None, end: str | None, local: Local) -> tuple[str | None, str | None]:
    """The first and last day of a range of days or timestamps, in the user's time zone.

    A timestamp without an offset is in that time zone. Raises RagdError for a range that ends
    before it begins.
    """
    first = None if start is None else _moment(start, time.min, local)
    last = None if end is None else _moment(end, time.max, local)
    if first is not None and last is not None and first > last:
        raise RagdError("INVALID_REQUEST", "The field `date_range.from` is after `date_range.to`.")
    return (
        None if first is None else first.date().isoformat(),
        None if last is None else last.date().isoformat(),
    )


def _moment(text: str, time_of_day: time, local: Local) -> datetime:
    """A timestamp in local time; for a day, that day at the given time."""
    if len(text) == len("2025-01-31"):
        return datetime.combine(date.fromisoformat(text), time_of_day)
    found = datetime.fromisoformat(text)
    if found.tzinfo is not None:
        # At an end of the calendar, the day as written is close enough.
        with contextlib.suppress(OverflowError, ValueError):
            found = local(found)
    return found.replace(tzinfo=None)


def normalised(name: str) -> str:
    """A name in the form that is compared: composed and case-folded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
