"""Reads the day of a note or a section from names, properties and headings.

It never guesses: a day that is not in the calendar, or a format that could mean two days, is not a
date.
"""

import re
from datetime import date

# 2024-01-15 (also with `_`, `.` or `/`), 20240115, and longer timestamps that begin like this.
_DAY = re.compile(
    r"(?<![0-9])(?:"
    r"([0-9]{4})([-_./])([0-9]{2})\2([0-9]{2})"
    r"|((?:19|20)[0-9]{2})([01][0-9])([0-3][0-9])(?:[0-2][0-9][0-5][0-9](?:[0-5][0-9])?)?"
    r")(?![0-9])"
)
_WEEK = re.compile(r"(?<![0-9])([0-9]{4})-?W([0-9]{2})(?![0-9])")
_MONTH = re.compile(r"(?<![0-9])([0-9]{4})-([0-9]{2})(?![-_./]?[0-9])")
_YEAR = re.compile("[0-9]{4}")


def date_in_text(text: str) -> str | None:
    """The first whole day in `text`, in ISO format."""
    if _YEAR.search(text) is None:
        return None
    for match in _DAY.finditer(text):
        year, _, month, day, plain_year, plain_month, plain_day = match.groups()
        found = _day(year or plain_year, month or plain_month, day or plain_day)
        if found:
            return found
    return None


def date_in_path(path: str) -> tuple[str | None, bool]:
    """The day in a path, and whether it is an exact day (not the first of a month or week).

    The file's name is read before its folders, and deeper folders before higher ones.
    """
    stem = path.rsplit(".", 1)[0] if "." in path.rsplit("/", 1)[-1] else path
    if _YEAR.search(stem) is None:
        return None, False
    names = stem.split("/")
    for name in reversed(names):
        if found := date_in_text(name):
            return found, True
    if found := date_in_text(stem):  # 2024/01/15
        return found, True
    for name in reversed(names):
        if found := _week_or_month(name):
            return found, False
    return None, False


def _week_or_month(name: str) -> str | None:
    for match in _WEEK.finditer(name):
        try:
            return date.fromisocalendar(int(match.group(1)), int(match.group(2)), 1).isoformat()
        except ValueError:
            continue
    for match in _MONTH.finditer(name):
        if found := _day(match.group(1), match.group(2), "01"):
            return found
    return None


def _day(year: str, month: str, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
