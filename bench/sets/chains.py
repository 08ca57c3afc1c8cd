"""Update chains: the same thing said again with another value, over years. The newest is right.

Each chain has two to six statements in daily notes, topic notes and dated notes, between other
lines and next to other subjects with the same words. For a question without a time, the newest
statement is right; for one with a past month, the statement of that month.
"""

import random
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from bench.sets.chain_words import FIRMS, JOBS, LEADS, MENTIONS, SORTS, STATES, STREETS, TOWNS, Sort
from bench.sets.fillers import fillers
from bench.sets.model import Question, QuestionSet, Vault

NAME = "chains"
VAULT = "chains"
SEED = 20
CHAINS_OF_A_SORT = 40
FIRST_DAY, LAST_DAY = date(2018, 1, 8), date(2025, 6, 27)
PERSONAL = ("debt", "address", "job")
MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


class Statement(NamedTuple):
    day: date
    text: str  # the sentence as it is in its note
    note: str


class Chain(NamedTuple):
    """The statements about one subject, oldest first."""

    sort: str
    subject: str
    statements: tuple[Statement, ...]


def make(seed: int = SEED) -> QuestionSet:
    chains, vault = build(seed)
    return QuestionSet(NAME, questions(chains, seed), {VAULT: vault})


def build(seed: int = SEED) -> tuple[list[Chain], Vault]:
    """All chains and the notes that hold them."""
    source = random.Random(seed)
    pages = _Pages(source)
    chains = []
    for name, sort in SORTS.items():
        for subject in source.sample(sort.subjects, min(CHAINS_OF_A_SORT, len(sort.subjects))):
            chains.append(_chain(source, pages, name, sort, subject))
    return chains, pages.vault()


def questions(chains: list[Chain], seed: int = SEED) -> list[Question]:
    source = random.Random(seed + 1)
    made = []
    for number, chain in enumerate(chains):
        sort = SORTS[chain.sort]
        newest, older = chain.statements[-1], chain.statements[:-1]
        group = group_of(chain)
        asked = source.choice(sort.questions).format(who=chain.subject)
        made.append(
            Question(
                f"chains/{chain.sort}/{chain.subject}",
                _sentence(asked) if asked.endswith("?") else asked,
                chain.sort,
                VAULT,
                frozenset([newest.note]),
                group,
                (newest.text,),
                tuple(one.text for one in older),
            )
        )
        past = source.choice(older)
        months = [(one.day.year, one.day.month) for one in chain.statements]
        if number % 4 == 0 and months.count((past.day.year, past.day.month)) == 1:
            month = f"{MONTH_NAMES[past.day.month - 1]} {past.day.year}"
            text = source.choice(sort.past).format(who=chain.subject, month=month)
            made.append(
                Question(
                    f"chains/past/{chain.sort}/{chain.subject}",
                    *(text, "past", VAULT, frozenset([past.note]), group, (past.text,)),
                )
            )
    return made


def group_of(chain: Chain) -> str:
    """Persons who share a first name share a half."""
    is_person = chain.sort in PERSONAL
    return f"chain {chain.subject.split()[0] if is_person else chain.subject}"


def _chain(source: random.Random, pages: "_Pages", name: str, sort: Sort, subject: str) -> Chain:
    days = _days(source, source.randint(2, 6))
    values = _values(source, name, len(days))
    home = source.choice(("daily", "daily", "topic", "dated", "mixed"))
    later = list(sort.later)
    source.shuffle(later)
    statements = []
    for at, day in enumerate(days):
        if at == 0:
            form = source.choice(sort.first)
        elif at == len(days) - 1 and sort.last and source.random() < 0.3:
            form = source.choice(sort.last)
        else:
            form = later[at % len(later)]
        text = source.choice(LEADS) + form.format(who=subject, value=values[at])
        text = _sentence(text)
        where = source.choice(("daily", "topic", "dated")) if home == "mixed" else home
        statements.append(Statement(day, text, pages.write(where, name, subject, day, text)))
    if source.random() < 0.5:  # a newer line about the subject, without a value
        mention = _sentence(source.choice(MENTIONS[name]).format(who=subject))
        day = days[-1] + timedelta(days=source.randint(5, 150))
        pages.write("daily", name, subject, day, mention)
    return Chain(name, subject, tuple(statements))


def _days(source: random.Random, count: int) -> list[date]:
    """In order, at least three weeks apart."""
    whole = (LAST_DAY - FIRST_DAY).days
    while True:
        days = sorted(FIRST_DAY + timedelta(days=source.randrange(whole)) for _ in range(count))
        if all((b - a).days > 21 for a, b in pairwise(days)):
            return days


def _values(source: random.Random, sort: str, count: int) -> list[str]:
    """Different values, in the words of the sort."""
    if sort == "debt":
        sign = source.choice(("${}", "{} euros", "€{}", "{} francs"))
        amounts = sorted(source.sample(range(20, 990, 10), count), reverse=True)
        return [sign.format(amount) for amount in amounts]
    if sort == "address":
        streets, towns = source.sample(STREETS, count), source.sample(TOWNS, count)
        return [f"{source.randint(2, 96)} {s} in {t}" for s, t in zip(streets, towns, strict=True)]
    if sort == "job":
        jobs, firms = source.sample(JOBS, count), source.sample(FIRMS, count)
        return [f"{job} at {firm}" for job, firm in zip(jobs, firms, strict=True)]
    if sort == "weight":
        start = source.randint(30, 400)
        steps = sorted(source.sample(range(120), count))
        return [f"{(start + step) / 10:.1f} kg" for step in steps]
    if sort == "price":
        unit = source.choice(("{} euros", "${}", "{} francs", "€{}"))
        start = source.randint(4, 300)
        return [unit.format(start + step) for step in sorted(source.sample(range(60), count))]
    return source.sample(STATES, count)


class _Pages:
    """Notes as they fill up: lines by day, and by topic."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._daily: dict[date, list[str]] = {}
        self._topics: dict[str, list[tuple[date, str]]] = {}
        self._dated: dict[str, str] = {}

    def write(self, where: str, sort: str, subject: str, day: date, text: str) -> str:
        """Put the sentence in its note. Returns the path of the note."""
        name = subject.removeprefix("the ").removeprefix("a ").removeprefix("our ").title()
        name = name.replace("'S", "'s")
        if where == "daily":
            self._daily.setdefault(day, []).append(text)
            return _daily_path(day)
        if where == "topic":
            path = f"{'People' if sort in PERSONAL else 'Topics'}/{name}.md"
            self._topics.setdefault(path, []).append((day, text))
            return path
        what = self._source.choice(("Notes on", "Talk about", "Coffee and", "Reminder,", "Log of"))
        path = f"Notes/{what} {name} {len(self._dated)}.md"
        key = self._source.choice(("date", "created"))
        body = [*fillers(self._source, 1, 3), text, *fillers(self._source, 1, 3)]
        written = "\n\n".join(body)
        self._dated[path] = f"---\n{key}: {day.isoformat()}\n---\n\n{written}\n"
        return path

    def vault(self) -> Vault:
        """All notes, with lines of other days among them, and topic notes that say no value."""
        documents = dict(self._dated)
        for day, lines in sorted(self._daily.items()):
            lines = [*lines, *fillers(self._source, 3, 7)]
            self._source.shuffle(lines)
            documents[_daily_path(day)] = "\n\n".join(lines) + "\n"
        for path, entries in self._topics.items():
            newest_first = self._source.random() < 0.5
            parts = []
            for day, text in sorted(entries, reverse=newest_first):
                around = [text, *fillers(self._source, 2, 4)]
                self._source.shuffle(around)
                parts.append(f"## {day.isoformat()}\n\n" + "\n\n".join(around))
            documents[path] = "\n\n".join(parts) + "\n"
        free = [FIRST_DAY + timedelta(days=at) for at in range(0, 2700, 19)]
        for day in free:
            if day not in self._daily:
                documents[_daily_path(day)] = "\n\n".join(fillers(self._source, 3, 6)) + "\n"
        return Vault(documents)


def _daily_path(day: date) -> str:
    """Two ways that people name daily notes, by the year."""
    name = f"{day.isoformat()} {day:%A}" if day.year % 2 else day.isoformat()
    return f"Journal/{day.year}/{name}.md"


def _sentence(text: str) -> str:
    """With a capital at the beginning."""
    return text[0].upper() + text[1:]
