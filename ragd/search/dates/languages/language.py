"""What is known about the times of one language: names, numbers and expressions. Pure.

It finds nothing in a question: `foreign_times` does.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from ragd.search.query.question_language import Group

Rules = tuple[tuple[str, str], ...]
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SEASONS = ("spring", "summer", "autumn", "winter")
UNITS = ("day", "week", "month", "year")
ORDINALS = ("first", "second", "third", "fourth", "last")


class Numbers(Struct, frozen=True, eq=False):
    """Numbers in English by their names. `single`: the names that are no compounds of two others;
    `compounds`: expressions for the rest, because a list of them takes long to compile."""

    values: Mapping[str, str]
    single: tuple[str, ...]
    compounds: tuple[str, ...] = ()


class Language(Struct, frozen=True, kw_only=True):
    """Names in the order of the English ones (`a b|c`: a and b are the first), and expressions with
    their English.

    In an expression, MONTH, DAY, SEASON, UNIT, PERIOD (a unit longer than a day), ORDINAL, COUNT,
    DATE (of a month), DATE2 and YEAR stand for such a name or number. A space is any white space,
    except in brackets. Accents are optional.

    `rules`: times. `before` and `after`: words directly before or after a time, with the English
    words before it. `since`: those of `before` that also begin a range, which `to` continues.
    `of`: what may stand between a month or a season and its year.
    `every`: words before a weekday that is no single day. `general`: times that are never a day.
    `words`: further words that show that a question may name a time.
    """

    group: Group
    months: str
    days: str
    seasons: str
    units: str
    ordinals: str
    numbers: Numbers
    rules: Rules
    before: Rules
    after: Rules = ()
    begins_range: str
    to: str
    and_: str
    of: str
    every: str
    words: str
    short_days: str = ""


def numbers(ones: str, tens: str = "", joins: Sequence[str] = (), vague: str = "") -> Numbers:
    """The numbers by their names. `ones`: from one; `tens`: from twenty; `joins`: how "twenty" and
    "one" are joined; `{elided}` is the ten without its last letter. `vague`: names of "a couple
    of", then of "a few"."""
    single, ten_names = _numbered(ones), _numbered(tens)
    digits = {name: number for name, number in single.items() if number < 10}
    values = {name: str(number) for name, number in single.items()}
    values |= {name: str(10 * (number + 1)) for name, number in ten_names.items()}
    for english, words in zip(("a couple of", "a few"), vague.split("|"), strict=False):
        values |= dict.fromkeys((name.replace("_", " ") for name in words.split()), english)
    joined = {
        join.format(ten=ten, one=one, elided=ten[:-1]): str(10 * (number + 1) + digit)
        for ten, number in ten_names.items()
        for one, digit in digits.items()
        for join in joins
    }
    parts = {
        "ten": f"(?:{'|'.join(ten_names)})",
        "one": f"(?:{'|'.join(digits)})",
        "elided": f"(?:{'|'.join(name[:-1] for name in ten_names)})",
    }
    compounds = tuple(join.format(**parts) for join in joins)
    return Numbers({**joined, **values}, tuple(values), compounds)


def _numbered(groups: str) -> dict[str, int]:
    """For `a b|c`: a and b have the number 1, c has 2. An underscore is a space."""
    return {
        name.replace("_", " "): number
        for number, names in enumerate(groups.split("|"), 1)
        for name in names.split()
    }
