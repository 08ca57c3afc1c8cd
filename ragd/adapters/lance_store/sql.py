"""Pieces of the SQL that filters are made of. Pure: any text whatsoever becomes a safe literal."""

from collections.abc import Iterable


def sql_text(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.encode("utf-8", "replace").decode("utf-8").replace("'", "''") + "'"


def one_of(column: str, values: Iterable[str]) -> str:
    """The condition that `column` is one of these; of none, if there are none."""
    listed = ", ".join(sql_text(value) for value in values)
    return f"{column} IN ({listed})" if listed else "FALSE"
