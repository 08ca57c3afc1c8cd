"""The filters of a search one by one, each with its name for a person. Pure."""

from collections.abc import Iterator

from msgspec import structs

from ragd.search.query.conditions import PHRASE, PROPERTIES, TITLE, Condition
from ragd.search.query.filters import Filters

NAMED_VALUES = 3  # of one condition, in its name

_KINDS = {PHRASE: "phrase", TITLE: "title", PROPERTIES: "property", "tags": "tag"}


def single_filters(filters: Filters) -> Iterator[tuple[str, Filters]]:
    """Each limit alone. All of them together are the filters."""
    column = filters.tag_column
    if filters.directories is not None:
        named = _listed(filters.directories)
        yield f"folder {named}", Filters(directories=filters.directories)
    if filters.start is not None or filters.end is not None or filters.spans is not None:
        only_days = structs.replace(filters, directories=None, tags=None, conditions=())
        yield _days(filters), only_days
    if filters.tags is not None:
        yield f"tag {_listed(filters.tags)}", Filters(tags=filters.tags, tag_column=column)
    for one in filters.conditions:
        yield _name(one), Filters(conditions=(one,), tag_column=column)


def _days(filters: Filters) -> str:
    if filters.start is None and filters.end is None:
        return "days of the named time"
    if filters.start is None:
        return f"days until {filters.end}"
    return f"days from {filters.start}" + (f" to {filters.end}" if filters.end else "")


def _name(one: Condition) -> str:
    kind = _KINDS.get(one.kind, "folder")
    named = f"{kind} {_listed(one.values)}" if one.values else f"{kind} that no note has"
    return f"not {named}" if one.negated else named


def _listed(values: tuple[str, ...]) -> str:
    shown = " or ".join(values[:NAMED_VALUES]) or "that no note has"
    return f"{shown} or …" if len(values) > NAMED_VALUES else shown
