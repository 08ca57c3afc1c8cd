"""Update chains in nine languages: the same thing said again with another value, over years.

Each language has a vault with its own notes. Its questions are asked of that vault (`own de`) and
of a vault in English with the same kinds of chain (`cross de`). The newest statement is right.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from bench.sets.foreign_chain_words import ENGLISH, TONGUES, Forms, Kind, Tongue
from bench.sets.model import Question, QuestionSet, Vault

NAME = "foreign-chains"
SEED = 41
CHAINS_OF_A_KIND = 4
WORDINGS = 2  # of the question to one chain
FIRST_DAY, LAST_DAY = date(2018, 1, 8), date(2025, 6, 27)
PERSONAL = ("debt", "address", "job")


class Statement(NamedTuple):
    day: date
    text: str  # the sentence as it is in its note
    note: str


class Chain(NamedTuple):
    """The statements about one subject, oldest first."""

    kind: str
    subject: Forms
    statements: tuple[Statement, ...]


def make(seed: int = SEED) -> QuestionSet:
    questions: list[Question] = []
    vaults: dict[str, Vault] = {}
    english, vaults[vault_of(ENGLISH)] = build(ENGLISH, seed)
    for at, tongue in enumerate(TONGUES):
        chains, vaults[vault_of(tongue)] = build(tongue, seed)
        source = random.Random(f"{seed} {tongue.code} questions")
        questions += _own(source, tongue, chains)
        questions += _cross(source, tongue, english, at)
    return QuestionSet(NAME, questions, vaults)


def build(tongue: Tongue, seed: int = SEED) -> tuple[list[Chain], Vault]:
    """All chains in one language and the notes that hold them."""
    source = random.Random(f"{seed} {tongue.code}")
    pages = _Pages(source, tongue)
    uses: Counter[str] = Counter()
    chains = [
        _chain(source, pages, tongue, name, subject, uses)
        for name in tongue.kinds
        for subject in _subjects(source, tongue, name)
    ]
    return chains, pages.vault()


def vault_of(tongue: Tongue) -> str:
    return f"{NAME}-{tongue.code}"


def group_of(tongue: Tongue, chain: Chain) -> str:
    """Persons who share a name share a half."""
    return f"{NAME} {tongue.code} {chain.subject.get('key', chain.subject['who'])}"


def _own(source: random.Random, tongue: Tongue, chains: Iterable[Chain]) -> list[Question]:
    made = []
    uses: Counter[str] = Counter()
    for chain in chains:
        forms = list(tongue.kinds[chain.kind].questions)
        for at in range(WORDINGS):
            form = _rarest(source, forms, uses)
            forms.remove(form)
            text = form.format(**chain.subject)
            text = _sentence(text) if text.endswith(("?", "？")) else text
            name = f"{tongue.code}/{chain.kind}/{chain.subject['who']}/{at}"
            made.append(_question(name, text, f"own {tongue.code}", tongue, chain))
    return made


def _cross(
    source: random.Random, tongue: Tongue, english: list[Chain], turn: int
) -> list[Question]:
    """One question for each kind; the next language asks about the next chain."""
    made = []
    for name in tongue.kinds:
        those = [chain for chain in english if chain.kind == name]
        chain = those[turn % len(those)]
        about = tongue.goods[chain.subject["who"]] if name == "price" else chain.subject["latin"]
        text = _sentence(source.choice(tongue.kinds[name].cross).format(who=about))
        identity = f"{tongue.code}-en/{name}/{chain.subject['who']}"
        made.append(_question(identity, text, f"cross {tongue.code}", ENGLISH, chain))
    return made


def _question(name: str, text: str, kind: str, asked: Tongue, chain: Chain) -> Question:
    newest, older = chain.statements[-1], chain.statements[:-1]
    return Question(
        f"{NAME}/{name}",
        text,
        kind,
        vault_of(asked),
        frozenset([newest.note]),
        group_of(asked, chain),
        (newest.text,),
        tuple(one.text for one in older),
    )


def _subjects(source: random.Random, tongue: Tongue, name: str) -> list[Forms]:
    """Of persons, two share a name."""
    if name not in PERSONAL:
        return source.sample(tongue.kinds[name].subjects, CHAINS_OF_A_KIND)
    people = tongue.people
    pair = source.choice([p for p in pairwise(people) if p[0]["key"] == p[1]["key"]])
    others = [one for one in people if one not in pair]
    return [*pair, *source.sample(others, CHAINS_OF_A_KIND - 2)]


def _rarest(source: random.Random, forms: Sequence[str], uses: Counter[str]) -> str:
    """One of those that were used least, so that every wording has its turn."""
    least = min(uses[form] for form in forms)
    chosen = source.choice([form for form in forms if uses[form] == least])
    uses[chosen] += 1
    return chosen


def _chain(
    source: random.Random,
    pages: "_Pages",
    tongue: Tongue,
    name: str,
    subject: Forms,
    uses: Counter[str],
) -> Chain:
    kind = tongue.kinds[name]
    days = _days(source, source.randint(2, 4))
    sizes, values = _values(source, tongue, name, subject, len(days))
    home = source.choice(("daily", "daily", "topic", "dated", "mixed"))
    statements: list[Statement] = []
    used: set[str] = set()
    for at, day in enumerate(days):
        forms = [form for form in _forms(source, kind, sizes, at) if form not in used]
        form = _rarest(source, forms, uses)
        used.add(form)
        text = _sentence(form.format(**subject, **values[at]))
        if source.random() < 0.2:
            text = source.choice(tongue.leads) + text
        where = source.choice(("daily", "topic", "dated")) if home == "mixed" else home
        statements.append(Statement(day, text, pages.write(where, name, subject, day, text)))
    if source.random() < 0.5:  # a newer line about the subject, without a value
        mention = _sentence(source.choice(kind.mentions).format(**subject))
        day = days[-1] + timedelta(days=source.randint(5, 150))
        pages.write("daily", name, subject, day, mention)
    return Chain(name, subject, tuple(statements))


def _forms(source: random.Random, kind: Kind, sizes: list[int], at: int) -> tuple[str, ...]:
    """The wordings that fit at this place of the chain."""
    if at == 0:
        return kind.first
    if at == len(sizes) - 1 and kind.last and source.random() < 0.3:
        return kind.last
    if sizes[at] > sizes[at - 1]:
        return kind.up if kind.last else kind.up + kind.later  # no "still" where a debt grew
    return kind.down + kind.later


def _days(source: random.Random, count: int) -> list[date]:
    """In order, at least a month apart."""
    whole = (LAST_DAY - FIRST_DAY).days
    while True:
        days = sorted(FIRST_DAY + timedelta(days=source.randrange(whole)) for _ in range(count))
        if all((b - a).days > 30 for a, b in pairwise(days)):
            return days


def _values(
    source: random.Random, tongue: Tongue, name: str, subject: Forms, count: int
) -> tuple[list[int], list[Forms]]:
    """Different values: their sizes, where they have one, and their words."""
    if name == "address":
        chosen = [(one, str(source.randint(2, 96))) for one in source.sample(tongue.places, count)]
        return [0] * count, [
            {part: text.replace("#", number) for part, text in one.items()}
            for one, number in chosen
        ]
    if name == "job":
        return [0] * count, [_job(one, subject) for one in source.sample(tongue.jobs, count)]
    if name == "weight":
        low = int(subject["low"])
        sizes = _steps(source, low, max(1, low // 60), count, min(25, max(8, low // 2)))
        form = source.choice(tongue.weights)
        texts = [form.format(f"{one / 10:.1f}".replace(".", tongue.point)) for one in sizes]
        return sizes, [{"value": text} for text in texts]
    if name == "price":
        low = int(subject["low"])
        sizes = _steps(source, low, 10 ** max(0, len(subject["low"]) - 2), count)
    else:
        sizes = _steps(source, 15 * tongue.coin, tongue.coin, count, 90)[::-1]
    form = source.choice(tongue.money)
    return sizes, [{"value": tongue.amount(form, one)} for one in sizes]


def _job(job: Forms, subject: Forms) -> Forms:
    """With the word for a man or a woman."""
    sex = subject.get("sex", "")
    return {
        "job": job.get(sex) or job["job"],
        "ins_job": job.get(f"{sex}i", ""),
        "at": job["at"],
        "into": job.get("into", ""),
    }


def _steps(source: random.Random, low: int, unit: int, count: int, most: int = 25) -> list[int]:
    """Upwards; now and then the last two are the other way round."""
    sizes = sorted(low + unit * step for step in source.sample(range(most), count))
    if count > 2 and source.random() < 0.4:
        sizes[-2:] = reversed(sizes[-2:])
    return sizes


class _Pages:
    """Notes as they fill up: lines by day, and by topic."""

    def __init__(self, source: random.Random, tongue: Tongue) -> None:
        self._source = source
        self._tongue = tongue
        self._daily: dict[date, list[str]] = {}
        self._topics: dict[str, list[tuple[date, str]]] = {}
        self._dated: dict[str, str] = {}

    def write(self, where: str, kind: str, subject: Forms, day: date, text: str) -> str:
        """Put the sentence in its note. Returns the path of the note."""
        title = _sentence(subject["who"])
        if where == "daily":
            self._daily.setdefault(day, []).append(text)
            return self._daily_path(day)
        if where == "topic":
            folder = self._tongue.folders[1 if kind in PERSONAL else 2]
            path = f"{folder}/{title}.md"
            self._topics.setdefault(path, []).append((day, text))
            return path
        path = f"{self._tongue.folders[3]}/{title} {len(self._dated) + 1}.md"
        key = self._source.choice(("date", "created"))
        body = "\n\n".join([*self._fillers(1, 3), text, *self._fillers(1, 3)])
        self._dated[path] = f"---\n{key}: {day.isoformat()}\n---\n\n{body}\n"
        return path

    def vault(self) -> Vault:
        """All notes, with lines of ordinary days among them."""
        documents = dict(self._dated)
        for day, lines in sorted(self._daily.items()):
            lines = [*lines, *self._fillers(3, 6)]
            self._source.shuffle(lines)
            documents[self._daily_path(day)] = "\n\n".join(lines) + "\n"
        for path, entries in self._topics.items():
            newest_first = self._source.random() < 0.5
            parts = []
            for day, text in sorted(entries, reverse=newest_first):
                around = [text, *self._fillers(2, 4)]
                self._source.shuffle(around)
                parts.append(f"## {day.isoformat()}\n\n" + "\n\n".join(around))
            documents[path] = "\n\n".join(parts) + "\n"
        for at in range(0, 2700, 120):
            day = FIRST_DAY + timedelta(days=at)
            if day not in self._daily:
                documents[self._daily_path(day)] = "\n\n".join(self._fillers(3, 6)) + "\n"
        return Vault(documents, language="multilingual")

    def _fillers(self, least: int, most: int) -> list[str]:
        return self._source.sample(self._tongue.fillers, self._source.randint(least, most))

    def _daily_path(self, day: date) -> str:
        return f"{self._tongue.folders[0]}/{day.isoformat()}.md"


def _sentence(text: str) -> str:
    """With a capital at the beginning."""
    at = 1 if text[0] in "¿¡«" else 0
    return text[:at] + text[at].upper() + text[at + 1 :]
