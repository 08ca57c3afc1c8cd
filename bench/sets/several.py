"""Questions that need several notes: two to five of them each hold a part of the evidence.

Threads in a generated journal, told in other words each time; all paragraphs of an XQuAD article;
and rare words that three to five notes of a real vault have.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from bench.daemon import DATA
from bench.sets import vaults
from bench.sets.fillers import fillers
from bench.sets.model import Question, QuestionSet, Vault, order_of, sample

NAME = "several"
JOURNAL = "threads"
_ADDRESS = re.compile(r"https?://\S+")
SEED = 80
RARE = 30  # questions by a rare word
FORM = 6  # letters that all forms of a word share
FRIENDS = ("Nora", "Olek", "Petra", "Ravi", "Simone", "Tariq", "Ursula", "Viggo", "Wilma", "Yann")
THINGS = {  # question: the form of a note with one part of the answer, `{one}`
    "Which presents did I give {who} over the years?": (
        "Birthday of {who}: I gave {one}, wrapped in newspaper.",
        "{who} was delighted with {one} from me.",
        "Found something for {who} at last: {one}.",
        "Handed {one} over to {who} at the station, as a late gift.",
        "{who} unpacked {one} and laughed.",
    ),
    "Where have I travelled with {who}?": (
        "Three days with {who} in {place}, mostly rain.",
        "Came back from {place}; {who} slept on the train all the way.",
        "{who} and I got lost in {place}.",
        "Postcards from {place}: {who} wrote six, I wrote two.",
        "Long weekend in {place} with {who}, blisters included.",
    ),
    "What has {who} cooked for me?": (
        "Dinner at the flat of {who}: {food}.",
        "{who} made {food}, far too much of it.",
        "Ate {food} in the kitchen of {who} until midnight.",
        "{who} tried {food} for the first time. Burnt, but good.",
        "Lunch: {food}, brought over by {who} in a pot.",
    ),
    "Which books did {who} recommend to me?": (
        "{who} says I have to read {book}.",
        "Started {book}, on the advice of {who}.",
        "{who} lent me {book} with coffee stains.",
        "On the list because of {who}: {book}.",
        "{who} could not stop talking about {book}, so I ordered it.",
    ),
}
PARTS = {
    "one": (
        *("a brass compass", "woollen socks", "a fern in a pot", "opera glasses", "a tea strainer"),
        *("a puzzle of the moon", "an old atlas", "a harmonica", "two mugs", "a bird feeder"),
    ),
    "place": (
        *("Ljubljana", "Toledo", "Galway", "Tromso", "Verona", "Bruges", "Plovdiv", "Sintra"),
        *("Visby", "Kotor"),
    ),
    "food": (
        *("pumpkin dumplings", "fish pie", "beetroot curry", "onion tart", "barley stew"),
        *("stuffed vine leaves", "plum noodles", "chestnut soup", "pea fritters", "lamb tagine"),
    ),
    "book": (
        *("The Salt Road", "A Clock for Two", "Nine Harbours", "The Quiet Engine", "Moth Season"),
        *("Letters to a Glacier", "The Paper Orchard", "Low Tide", "Under Tin Roofs", "Half a Map"),
    ),
}


def make(data: Path = DATA, seed: int = SEED) -> QuestionSet:
    threads, vault = _threads(seed)
    english = vaults.xquad("en", data)
    found = {JOURNAL: vault, "xquad-en": Vault(english.documents)}
    questions = [*threads, *_articles(english.documents)]
    for name in ("lyz-blue-book", "vaultofknowledge"):
        found[name] = vaults.real(name, data)
        questions += sample(_rare_words(name, found[name]), RARE)
    return QuestionSet(NAME, questions, found)


def _threads(seed: int) -> tuple[list[Question], Vault]:
    """Each part of a thread is in a daily note of its own."""
    source = random.Random(seed)
    free = [date(2019, 1, 1) + timedelta(days=at) for at in range(0, 2200, 3)]
    source.shuffle(free)
    questions: list[Question] = []
    documents: dict[str, str] = {}
    for form, tellings in THINGS.items():
        slot = next(name for name in PARTS if f"{{{name}}}" in tellings[0])
        for who in FRIENDS:
            count = source.randint(2, 5)
            parts, ways = source.sample(PARTS[slot], count), source.sample(tellings, count)
            right = []
            for part, way in zip(parts, ways, strict=True):
                line = way.format(**{"who": who, slot: part})
                right.append(_page(documents, free.pop(), [line], source))
            text = form.format(who=who)
            questions.append(
                Question(
                    f"{NAME}/{text}", text, "journal", JOURNAL, frozenset(right), f"{NAME} {text}"
                )
            )
    while len(documents) < 400:
        _page(documents, free.pop(), [], source)
    return questions, Vault(documents)


def _page(documents: dict[str, str], day: date, lines: list[str], source: random.Random) -> str:
    path = f"Journal/{day.isoformat()}.md"
    every = [*lines, *fillers(source, 3, 6)]
    source.shuffle(every)
    documents[path] = "\n\n".join(every) + "\n"
    return path


def _articles(documents: dict[str, str]) -> Iterator[Question]:
    articles: dict[str, set[str]] = defaultdict(set)
    for path, text in documents.items():
        articles[text.split("\n", 1)[0].removeprefix("# ").replace("_", " ")].add(path)
    for title, paths in articles.items():
        text = f"What do my notes say about {title}?"
        right = frozenset(paths)
        yield Question(f"{NAME}/{title}", text, "articles", "xquad-en", right, f"article {title}")


def _rare_words(vault: str, found: Vault) -> Iterator[Question]:
    """Words that few notes have, and no other form of them anywhere."""
    having: dict[str, set[str]] = defaultdict(set)
    forms: dict[str, set[str]] = defaultdict(set)
    for path, text in found.documents.items():
        said = _ADDRESS.sub(" ", vaults.prose(text).lower())
        for word in set(vaults.WORD.findall(said)):
            having[word].add(path)
            forms[word[:FORM]].add(path)
    for word in sorted(having, key=lambda one: order_of(f"{vault} {one}")):
        notes = having[word]
        is_word = word.isascii() and word.isalpha() and 6 < len(word) < 14
        is_rare = 3 <= len(notes) <= 5 and forms[word[:FORM]] == notes
        if is_word and is_rare and not any("newsletter" in note for note in notes):
            text = f"Where do I mention {word}?"
            kind = f"{vault}, rare word"
            yield Question(f"{NAME}/{vault}/{word}", text, kind, vault, frozenset(notes), word)
