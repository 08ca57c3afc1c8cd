"""The SQL conditions of filters. Pure: any text becomes a safe literal."""

from collections.abc import Container, Iterable

from ragd.access.scope import Scope
from ragd.search.query.conditions import (
    FOLDERS,
    PHRASE,
    TAGS,
    TITLE,
    Condition,
    phrase_pattern,
    title_pattern,
)
from ragd.search.query.filters import Filters
from ragd.vault.collection_paths import VAULT, join_path

COLLECTION = "collection"


def sql_text(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.encode("utf-8", "replace").decode("utf-8").replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """The condition that `column` has one of these values; always false if there are none."""
    listed = ", ".join(sql_text(value) for value in values)
    return f"{column} IN ({listed})" if listed else "FALSE"


def both(one: str | None, other: str | None) -> str | None:
    """The condition that both hold; None is a condition that always holds."""
    if one is None or other is None:
        return one or other
    return f"({one}) AND ({other})"


def in_scope(scope: Scope, columns: Container[str]) -> str | None:
    """The condition for rows in scope; None if every row is. A table of an earlier version has no
    column for the collection, so that the paths decide."""
    if scope.is_everything:
        return None
    if COLLECTION in columns:
        return one_of(COLLECTION, sorted(scope.names))
    if VAULT in scope.names:
        others = sorted(scope.known - scope.names)
        return f"NOT ({' OR '.join(_below(join_path(name, '')) for name in others)})"
    return " OR ".join(_below(join_path(name, "")) for name in sorted(scope.names)) or "FALSE"


def condition(filters: Filters) -> str | None:
    """The condition for rows that pass the filters; None if every row does."""
    parts = []
    if filters.directories is not None:
        below = [_below(folder) for folder in filters.directories]
        parts.append(f"({' OR '.join(below)})" if below else "FALSE")
    if dated := _dated(filters):
        parts.append(dated)
    if filters.tags is not None:
        listed = ", ".join(sql_text(tag) for tag in filters.tags)
        parts.append(f"array_has_any({filters.tag_column}, [{listed}])" if listed else "FALSE")
    parts += [_met(one, filters.tag_column) for one in filters.conditions]
    return " AND ".join(parts) or None


def _met(one: Condition, tag_column: str) -> str:
    """One condition. Without values, no row meets it."""
    met = " OR ".join(_of_kind(one.kind, one.values, tag_column)) or "FALSE"
    return f"NOT ({met})" if one.negated else f"({met})"


def _of_kind(kind: str, values: tuple[str, ...], tag_column: str) -> Iterable[str]:
    if kind == PHRASE:
        columns = ("chunk_text", "title", "heading_path")
        patterns = [sql_text(phrase_pattern(value)) for value in values]
        return [f"regexp_like({name}, {one})" for one in patterns for name in columns]
    if kind == TITLE:
        patterns = [title_pattern(value) for value in values]
        named = [f"regexp_like(title, {sql_text(one)})" for one in patterns]
        return named + [f"regexp_like(source_file, {sql_text(one + '[^/]*$')})" for one in patterns]
    if kind == FOLDERS:
        return [_below(folder) for folder in values]
    column = tag_column if kind == TAGS else "properties"
    listed = ", ".join(sql_text(value) for value in values)
    return [f"array_has_any({column}, [{listed}])"] if listed else []


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
    """A range of paths, for which the index on paths is used: `0` comes right after `/`."""
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
