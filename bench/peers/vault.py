"""A vault of made-up notes that every program of the comparison indexes, and questions about it.

The words are English, with natural frequencies, in sentences and sections, so that tokenizers do
their usual work. Each folder has a topic with words of its own. A question has words of one note,
so a program that wants all words finds it: words of its topic, which other notes have too, or
rare words.
"""

import random
from collections.abc import Sequence, Set
from importlib.resources import files as resources
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

SECTIONS = 7  # of a note; each is a passage
SENTENCES = (5, 11)  # of a section
WORDS = (6, 16)  # of a sentence
QUESTION_WORDS = (2, 5)
COMMON = 300  # the most frequent words of the vocabulary are in no question
TOPICS = 40
TOPIC_WORDS = 150
TOPIC_SHARE = 0.3  # of the words of a note


class Questions(NamedTuple):
    """Questions with the words of a topic, and questions with rare words."""

    topical: list[str]
    rare: list[str]


class VaultMaker:
    """Notes of one seed. The same seed makes the same notes."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)
        text = resources("ragd").joinpath("data", "vocab.txt").read_text("utf-8")
        self._words = [word for word in text.split() if word.isascii() and word.isalpha()][26:]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(len(self._words))))
        rest = [word for word in self._words[COMMON:] if len(word) > 3]
        self._topics = [self._source.sample(rest, TOPIC_WORDS) for _ in range(TOPICS)]
        self._rest = frozenset(rest)

    def write(self, vault: Path, notes: int) -> Questions:
        """Write the notes. Returns questions about them, in a random order."""
        made = Questions([], [])
        for number in range(notes):
            topic = self._topics[number % TOPICS]
            text = "\n".join(self._section(topic) for _ in range(SECTIONS))
            note = vault / f"Folder {number % TOPICS}" / f"{self._title(topic)} {number}.md"
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(text, "utf-8")
            words = set(text.lower().replace(".", "").split())
            made.topical.append(self._question(words.intersection(topic)))
            made.rare.append(self._question((words & self._rest).difference(topic)))
        for questions in made:
            self._source.shuffle(questions)
        return made

    def _question(self, words: Set[str]) -> str:
        count = min(len(words), self._source.randint(*QUESTION_WORDS))
        return " ".join(self._source.sample(sorted(words), count))

    def _section(self, topic: Sequence[str]) -> str:
        sentences = [self._sentence(topic) for _ in range(self._source.randint(*SENTENCES))]
        return f"## {self._title(topic)}\n\n{' '.join(sentences)}\n"

    def _sentence(self, topic: Sequence[str]) -> str:
        words = self._source.choices(
            self._words, cum_weights=self._weights, k=self._source.randint(*WORDS)
        )
        for place in range(len(words)):
            if self._source.random() < TOPIC_SHARE:
                words[place] = self._source.choice(topic)
        return " ".join(words).capitalize() + "."

    def _title(self, topic: Sequence[str]) -> str:
        return " ".join(self._source.sample(topic, 2)).capitalize()
