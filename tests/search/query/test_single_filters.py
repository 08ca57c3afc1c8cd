"""The filters of a search one by one."""

from ragd.search.query.conditions import FOLDERS, PHRASE, PROPERTIES, Condition
from ragd.search.query.filters import Filters
from ragd.search.query.single_filters import single_filters
from ragd.store.lance import condition


def names(filters: Filters) -> list[str]:
    return [name for name, _ in single_filters(filters)]


def test_every_limit_has_a_name_and_all_together_are_the_filters() -> None:
    whole = Filters(
        directories=("Journal",),
        start="2024-01-01",
        end="2024-12-31",
        tags=("#a", "#b"),
        conditions=(
            Condition(PHRASE, ("rye bread",), negated=True),
            Condition(PROPERTIES, ("status=active",)),
            Condition(FOLDERS, ()),
        ),
    )
    assert names(whole) == [
        "folder Journal",
        "days from 2024-01-01 to 2024-12-31",
        "tag #a or #b",
        "not phrase rye bread",
        "property status=active",
        "folder that no note has",
    ]
    alone = [condition(one) for _, one in single_filters(whole)]
    assert " AND ".join(one or "" for one in alone) == condition(whole)


def test_without_limits_there_are_none() -> None:
    assert names(Filters()) == []


def test_days_and_long_lists_are_short() -> None:
    assert names(Filters(end="2024-12-31")) == ["days until 2024-12-31"]
    assert names(Filters(start="2024-12-31")) == ["days from 2024-12-31"]
    assert names(Filters(tags=())) == ["tag that no note has"]
    assert names(Filters(tags=("#a", "#b", "#c", "#d"))) == ["tag #a or #b or #c or …"]
