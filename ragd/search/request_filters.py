"""The folders, days and tags that a search request asks for, in the index's own spelling.

It reads the index and the catalog for the names that exist, and ranks nothing.
"""

from collections.abc import Callable
from datetime import date, datetime

from msgspec import structs

from ragd.access.scope import Scope
from ragd.protocol.tool_schemas import SearchRequest
from ragd.search.prepared_query import PreparedQuery
from ragd.search.query import filters as limits
from ragd.search.query.filters import Filters
from ragd.search.question_dates import file_times
from ragd.state.ledger import Ledger
from ragd.store.lance import ChunkIndex, condition

IncludesFolder = Callable[[str], bool]  # whether the configuration allows a folder


class RequestFilters:
    """Resolves the filters of requests."""

    def __init__(self, ledger: Ledger, includes_folder: IncludesFolder) -> None:
        self._ledger = ledger
        self._includes_folder = includes_folder

    def searchable_folders(self, scope: Scope) -> list[str]:
        """The folders of the index that may be searched."""
        known = self._ledger.state.catalog.folders
        return [one for one in known if scope.includes(one) and self._includes_folder(one)]

    async def resolve(self, prepared: PreparedQuery, index: ChunkIndex, scope: Scope) -> Filters:
        """The filters of a request. Raises RagdError for an unknown folder."""
        request = prepared.request
        start, end = _day_range(request)
        folders = limits.requested_directories(request.directory_filter)
        tags = limits.requested_tags(request.tags)
        known = scope.within(self._ledger.state.catalog.folders) if folders else ()
        return Filters(
            limits.match_directories(folders, known, self._includes_folder) if folders else None,
            start,
            end,
            tags=limits.match_tags(tags, await index.list_tags()) if tags else None,
            file_times=_file_times(start, end) if request.by_file_time else None,
            # An index made by an earlier version has only the tags of passages.
            tag_column="note_tags" if "note_tags" in index.columns else "tags",
            conditions=prepared.conditions,
        )


def check_request(request: SearchRequest) -> None:
    """Raises RagdError for filters that are wrong whatever is in the index."""
    limits.requested_directories(request.directory_filter)
    limits.requested_tags(request.tags)
    _day_range(request)


async def count_undated(filters: Filters, index: ChunkIndex) -> int | None:
    """How many notes without a date pass all other filters; None without a date filter."""
    if filters.start is None and filters.end is None:
        return None
    without_dates = structs.replace(filters, start=None, end=None, file_times=None)
    return await index.count_undated_notes(condition(without_dates))


def _day_range(request: SearchRequest) -> tuple[str | None, str | None]:
    """The first and last requested day, in the user's time zone."""
    days = request.date_range
    return limits.day_range(days.start, days.to, datetime.astimezone) if days else (None, None)


def _file_times(start: str | None, end: str | None) -> limits.FileTimes:
    days = (date.fromisoformat(day) if day else None for day in (start, end))
    return file_times(*days)
