"""Frontmatter properties by `prop:`: text, lists, yes and no, numbers and dates, with comparisons.

Generated notes about books, projects and people, and the notes of kepano-obsidian.
"""

import operator
import random
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bench.daemon import DATA
from bench.sets import vaults
from bench.sets.fillers import fillers
from bench.sets.model import Question, QuestionSet, Vault

NAME = "properties"
GENERATED = "properties"
REAL = "kepano-obsidian"
SEED = 70
NOTES = 240
MOST_ANSWERS = 60
AUTHORS = ("Amara Bell", "Boris Kern", "Chen Wei", "Dora Lund", "Emil Roth", "Fay Moor")
STATES = ("active", "paused", "done", "idea", "waiting for reply")
SUBJECTS = (
    *("bees", "bridges", "clouds", "dyes", "engines", "ferns", "glass", "harps", "islands"),
    *("jade", "kites", "looms", "maps", "nets", "owls", "pears", "quilts", "ropes", "salt"),
)
FOLDERS = {"Books": "A book about {}", "Projects": "Project {}", "Talks": "Talk on {}"}


class Condition(NamedTuple):
    """What is written in the question, and which values it means."""

    text: str
    key: str
    holds: Callable[[Any], bool]
    kind: str


def make(data: Path = DATA, seed: int = SEED) -> QuestionSet:
    values, documents = _notes(seed)
    questions = list(_questions(GENERATED, values, _conditions(seed), seed))
    real = vaults.real(REAL, data)
    known = {path: vaults.properties(text) for path, text in real.documents.items()}
    questions += _questions(REAL, known, _real_conditions(), seed)
    return QuestionSet(NAME, questions, {GENERATED: Vault(documents), REAL: real})


def _notes(seed: int) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    source = random.Random(seed)
    values, documents = {}, {}
    for number in range(NOTES):
        folder = source.choice(sorted(FOLDERS))
        subject = source.choice(SUBJECTS)
        path = f"{folder}/{FOLDERS[folder].format(subject)} {number}.md"
        mine: dict[str, Any] = {
            "status": source.choice(STATES),
            "rating": source.randint(1, 100) / 10,
            "pages": source.randint(40, 900),
            "due": date(2022, 1, 1) + timedelta(days=source.randrange(1400)),
            "author": source.sample(AUTHORS, source.randint(1, 2)),
            "finished": source.random() < 0.3,
            "place": f"[[{source.choice(('Oslo', 'Lima', 'Kyoto'))}]]",
        }
        for key in source.sample(sorted(mine), 2):  # not every note has every property
            del mine[key]
        written = "\n".join(f"{key}: {_yaml(value)}" for key, value in mine.items())
        lines = [f"It is about {subject}.", *fillers(source, 1, 3)]
        documents[path] = f"---\n{written}\n---\n\n" + "\n\n".join(lines) + "\n"
        values[path] = {**mine, "subject": subject}
    return values, documents


def _yaml(value: Any) -> str:
    if isinstance(value, list):
        return "".join(f"\n  - {one}" for one in value)
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) and "[" in value else str(value)


def _conditions(seed: int) -> Iterator[Condition]:
    source = random.Random(seed + 1)
    for state in STATES:
        said = f'"{state}"' if " " in state else state
        yield Condition(f"prop:status={said}", "status", _is(operator.eq, state), "text")
    for author in AUTHORS:
        yield Condition(f'prop:author="{author}"', "author", _is(operator.contains, author), "list")
    for place in ("Oslo", "Lima", "Kyoto"):
        yield Condition(f"prop:place={place}", "place", _is(operator.contains, place), "link")
    yield Condition("prop:finished=true", "finished", lambda v: v is True, "yes or no")
    yield Condition("prop:finished=false", "finished", lambda v: v is False, "yes or no")
    for _ in range(10):
        high, long = source.randint(85, 97) / 10, source.randint(780, 870)
        low, brief = source.randint(5, 15) / 10, source.randint(70, 120)
        yield Condition(f"prop:rating>={high}", "rating", _is(operator.ge, high), "number")
        yield Condition(f"prop:rating<{low}", "rating", _is(operator.lt, low), "number")
        yield Condition(f"prop:pages>{long}", "pages", _is(operator.gt, long), "number")
        yield Condition(f"prop:pages<={brief}", "pages", _is(operator.le, brief), "number")
        late = date(2025, 6, 1) + timedelta(days=source.randrange(100))
        early = date(2022, 1, 10) + timedelta(days=source.randrange(60))
        yield Condition(f"prop:due>{late}", "due", _is(operator.gt, late), "date")
        yield Condition(f"prop:due<={early}", "due", _is(operator.le, early), "date")


def _real_conditions() -> Iterator[Condition]:
    def among(wanted: str) -> Callable[[Any], bool]:
        return lambda v: any(wanted == str(one).strip("[]") for one in _many(v))

    for key, wanted in (
        *(("genre", "Sci-fi"), ("genre", "Jazz"), ("loc", "Kyoto"), ("author", "Kevin Kelly")),
        *(("status", "Active"), ("type", "Authors"), ("categories", "Books"), ("org", "Obsidian")),
        *(("author", "Steph Ango"), ("topics", "Emergence"), ("categories", "Places")),
    ):
        said = f'"{wanted}"' if " " in wanted else wanted
        yield Condition(f"prop:{key}={said}", key, among(wanted), "real")
    yield Condition("prop:year<1960", "year", lambda v: v < 1960, "real")
    yield Condition("prop:year>=1990", "year", lambda v: v >= 1990, "real")
    yield Condition("prop:pages>500", "pages", lambda v: v > 500, "real")
    yield Condition("prop:episode=145", "episode", lambda v: v == 145, "real")
    for text, edge in (("published>2022-01-01", date(2022, 1, 1)),):
        yield Condition(f"prop:{text}", "published", _is(operator.gt, edge), "real")


def _questions(
    vault: str, values: dict[str, dict[str, Any]], conditions: Iterator[Condition], seed: int
) -> Iterator[Question]:
    """Each condition alone, and with a subject where that leaves something."""
    source = random.Random(seed + 2)
    for one in {condition.text: condition for condition in conditions}.values():
        fits = [p for p, known in values.items() if known.get(one.key) is not None]
        fits = [p for p in fits if one.holds(values[p][one.key])]
        group = f"{vault} {one.text}"
        if 0 < len(fits) <= MOST_ANSWERS:
            yield Question(
                f"{NAME}/{group}", one.text, f"{one.kind}, alone", vault, frozenset(fits), group
            )
        subjects = sorted({values[p]["subject"] for p in fits if "subject" in values[p]})
        for subject in source.sample(subjects, min(3, len(subjects))):
            right = frozenset(p for p in fits if values[p]["subject"] == subject)
            text = f"{subject} {one.text}"
            identity = f"{NAME}/{vault} {text}"
            yield Question(identity, text, f"{one.kind}, with words", vault, right, group)


def _is(compare: Callable[[Any, Any], bool], wanted: Any) -> Callable[[Any], bool]:
    return lambda value: compare(value, wanted)


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
