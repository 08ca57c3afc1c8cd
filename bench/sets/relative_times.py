"""Times in words, asked of a journal that reaches up to today: the right day's note, in three.

The same things happen again and again in this journal, so that words alone do not find the note.
A day's page depends on nothing but the day and the seed: tomorrow's vault has one more page.
"""

import random
import re
from collections.abc import Iterator
from datetime import date, timedelta

from bench.sets.fillers import fillers
from bench.sets.model import Question, QuestionSet, Vault
from bench.sets.time_phrases import Phrase, phrases

NAME = "relative-times"
VAULT = "journal"
SEED = 30
OLDEST = date(2023, 1, 1)
RECENT_DAYS = 40  # each of them has a page
MOST = 160  # questions with a time and other words
BIRTHDAY = (5, 14)
TOPICS = {  # a word that marks it: what is written, and how it is asked for
    "dentist": ("The dentist looked at tooth {n} and was {mood}.", "What did the dentist say"),
    "plumber": ("The plumber came for pipe {n}, {mood} as ever.", "What was the plumber here for"),
    "chess": ("Chess evening: game {n}, I was {mood}.", "How did the chess evening go"),
    "violin": ("Violin lesson, etude {n}. My teacher was {mood}.", "What did I play on the violin"),
    "pancakes": ("Made {n} pancakes, the guests were {mood}.", "How many pancakes did I make"),
    "sailing": ("Sailing on the lake, {n} knots of wind, crew {mood}.", "How was the sailing"),
    "budget": (
        "Budget meeting, item {n}: the boss was {mood}.",
        "What came up in the budget meeting",
    ),
    "beehive": ("Opened the beehive, frame {n} was full. Bees {mood}.", "How was the beehive"),
    "museum": ("In the museum, room {n}, the guard was {mood}.", "Which museum room did I see"),
    "physiotherapy": ("Physiotherapy number {n}, my back is {mood}.", "How was physiotherapy"),
    "telescope": ("Telescope out: counted {n} stars, felt {mood}.", "What did the telescope show"),
    "jam": ("Boiled {n} jars of jam, the kitchen is {mood}.", "How much jam did I boil"),
}
MOODS = ("cheerful", "worried", "calm", "furious", "hopeful", "silent", "proud", "tired", "amused")
EVENTS = {
    "Clara's wedding": date(2024, 6, 8),
    "the marathon": date(2024, 10, 13),
    "the move to the new flat": date(2025, 3, 15),
    "the flood in the cellar": date(2025, 8, 2),
    "grandmother's funeral": date(2023, 11, 4),
}
BARE = ("What did I do {}?", "{}", "What happened {}?", "my notes from {}", "What did I write {}?")
GERMAN_BARE = ("Was habe ich {} gemacht?", "{}", "Was war {}?")
OFFSETS = {
    "the day before": (-1, -1),
    "two days before": (-2, -2),
    "three days before": (-3, -3),
    "the day after": (1, 1),
    "two days after": (2, 2),
    "a week before": (-8, -6),
    "a week after": (6, 8),
}


def make(today: date | None = None, seed: int = SEED) -> QuestionSet:
    now = today or date.today()
    days, vault = journal(now, seed)
    asked = [*_bare(days, now, seed), *_with_words(days, now, seed), *_anchored(days, now)]
    return QuestionSet(NAME, asked, {VAULT: vault})


def journal(today: date, seed: int = SEED) -> tuple[dict[date, set[str]], Vault]:
    """The topics of each day that has a page, and all notes."""
    documents, days = {}, {}
    day = OLDEST
    while day <= today:
        source = random.Random(f"{seed} {day}")
        if source.random() < 0.5 or (today - day).days <= RECENT_DAYS or _near_anchor(day):
            topics = source.sample(sorted(TOPICS), source.randint(1, 2))
            lines = [
                TOPICS[t][0].format(n=source.randint(2, 40), mood=source.choice(MOODS))
                for t in topics
            ]
            lines += [*fillers(source, 2, 4), *_occasions(day)]
            source.shuffle(lines)
            documents[path_of(day)] = "\n\n".join(lines) + "\n"
            days[day] = set(topics)
        day += timedelta(days=1)
    month, number = BIRTHDAY
    born = date(1988, month, number)
    documents["About me.md"] = (
        f"---\nbirthday: {born.isoformat()}\n---\n\nMy birthday is on {born:%d %B}. "
        "I like soup, trains and long evenings.\n"
    )
    times = {"About me.md": "2022-02-02"}
    for at, topic in enumerate(sorted(TOPICS)):  # without a day of their own
        path = f"Topics/{topic.title()}.md"
        documents[path] = f"All about {topic}: whom to call, what it costs, what to bring.\n"
        times[path] = date(2022, 1 + at % 12, 11).isoformat()
    return days, Vault(documents, times)


def path_of(day: date) -> str:
    return f"Journal/{day.year}/{day.isoformat()}.md"


def _near_anchor(day: date) -> bool:
    month, number = BIRTHDAY
    anchors = [*EVENTS.values(), date(day.year, month, number)]
    return any(abs((day - anchor).days) <= 8 for anchor in anchors)


def _occasions(day: date) -> Iterator[str]:
    if (day.month, day.day) == BIRTHDAY:
        yield "It is my birthday today: cake, candles and a long phone call."
    for name, when in EVENTS.items():
        if when == day:
            yield f"Today was {name}. I will not forget this day."


def _within(days: dict[date, set[str]], phrase: Phrase, topic: str = "") -> frozenset[str]:
    return frozenset(
        path_of(day)
        for day, topics in days.items()
        if phrase.first <= day <= phrase.last and (not topic or topic in topics)
    )


def _bare(days: dict[date, set[str]], today: date, seed: int) -> Iterator[Question]:
    """Nothing but a time. Of the many named months only a part is asked for."""
    source = random.Random(seed + 1)
    for phrase in phrases(today, OLDEST):
        if phrase.kind == "named" and source.random() < 0.8:
            continue
        answers = _within(days, phrase)
        forms = GERMAN_BARE if phrase.kind == "german" else BARE
        for form in source.sample(forms, 2) if answers else ():
            text = form.format(phrase.words)
            text = re.sub(r"from (?=in |on |at |since |between )", "", text)
            yield _question(text, f"{phrase.kind}, time only", answers, today)


def _with_words(days: dict[date, set[str]], today: date, seed: int) -> Iterator[Question]:
    """A time and a thing that happened then and at other times."""
    source = random.Random(seed + 2)
    pairs = [
        (phrase, topic)
        for phrase in phrases(today, OLDEST)
        for topic in sorted(TOPICS)
        if phrase.kind != "german" and 0 < len(_within(days, phrase, topic)) <= 10
    ]
    relative = [pair for pair in pairs if pair[0].kind == "relative"]
    named = [pair for pair in pairs if pair[0].kind == "named"]
    chosen = source.sample(relative, MOST // 2) + source.sample(named, MOST // 2)
    for phrase, topic in chosen:
        text = f"{TOPICS[topic][1]} {phrase.words}?"
        answers = _within(days, phrase, topic)
        yield _question(text, f"{phrase.kind}, with words", answers, today)


def _anchored(days: dict[date, set[str]], today: date) -> Iterator[Question]:
    """So many days before or after something that a note tells of."""
    years = [date(year, *BIRTHDAY) for year in range(OLDEST.year, today.year + 1)]
    anchors = {"my birthday": years} | {name: [day] for name, day in EVENTS.items()}
    for name, anniversaries in anchors.items():
        for words, (first, last) in OFFSETS.items():
            answers = frozenset(
                path_of(day)
                for day in days
                for anchor in anniversaries
                if first <= (day - anchor).days <= last
            )
            text = f"What did I do {words} {name}?"
            if answers:
                yield _question(text, "anchored", answers, today)
    for year in years:
        for words in ("two days before", "the day after"):
            first = OFFSETS[words][0]
            answers = frozenset([path_of(year + timedelta(days=first))]) & {
                path_of(day) for day in days
            }
            text = f"What did I do {words} my birthday in {year.year}?"
            if answers:
                yield _question(text, "anchored", answers, today)


def _question(text: str, kind: str, answers: frozenset[str], today: date) -> Question:
    identity = f"relative-times/{today.isoformat()}/{text}"
    return Question(identity, text, kind, VAULT, answers, f"time {text}")
