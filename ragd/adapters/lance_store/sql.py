"""Pieces of the SQL that filters are made of. Pure: any text whatsoever becomes a safe literal."""

from collections.abc import Iterable

from ragd.search.filters import Filters


def sql_text(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.encode("utf-8", "replace").decode("utf-8").replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """The condition that `column` is one of these; of none, if there are none."""
    listed = ", ".join(sql_text(value) for value in values)
    return f"{column} IN ({listed})" if listed else "FALSE"


def condition(filters: Filters) -> str | None:
    """What a row must meet to pass the filters; None if every row does."""
    parts = []
    if filters.directories is not None:
        below = [_below(folder) for folder in filters.directories]
        parts.append(f"({' OR '.join(below)})" if below else "FALSE")
    if dated := _dated(filters):
        parts.append(dated)
    if filters.tags is not None:
        listed = ", ".join(sql_text(tag) for tag in filters.tags)
        parts.append(f"array_has_any({filters.tag_column}, [{listed}])" if listed else "FALSE")
    return " AND ".join(parts) or None


def _dated(filters: Filters) -> str:
    own = []
    if filters.start is not None:
        own.append(f"date >= {sql_text(filters.start)}")
    if filters.end is not None:
        own.append(f"date <= {sql_text(filters.end)}")
    if filters.spans is not None:
        own.append(_within(filters.spans))
    if not own or filters.file_times is None:
        return " AND ".join(own)
    written = ["date IS NULL"]
    if filters.file_times.start is not None:
        written.append(f"modified_at >= {sql_text(filters.file_times.start)}")
    if filters.file_times.before is not None:
        written.append(f"modified_at < {sql_text(filters.file_times.before)}")
    return f"(({' AND '.join(own)}) OR ({' AND '.join(written)}))"


def _below(folder: str) -> str:
    """A range, which the index on paths serves at any depth: `0` comes right behind `/`."""
    return f"(source_file >= {sql_text(folder + '/')} AND source_file < {sql_text(folder + '0')})"


def _within(spans: Iterable[tuple[str, str]]) -> str:
    days = [start for start, end in spans if start == end]
    ranges = [
        f"(date >= {sql_text(start)} AND date <= {sql_text(end)})"
        for start, end in spans
        if start != end
    ]
    if days or not ranges:
        ranges.append(one_of("date", days))
    return f"({' OR '.join(ranges)})"
