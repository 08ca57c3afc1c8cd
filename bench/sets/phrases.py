"""Exact phrases and exclusions: `"a phrase"`, `-word`, "X without Y", "X but not Y".

Phrases and `-word` are asked of XQuAD; the sentences with "without" of generated recipes, among
them notes whose very subject is a lack ("a week without sugar").
"""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.daemon import DATA
from bench.sets import vaults
from bench.sets.model import Question, QuestionSet, Vault, order_of, sample

NAME = "phrases"
RECIPES = "recipes"
SEED = 60
PHRASES, EXCLUDED = 80, 60
DISHES = ("soup", "salad", "stew", "pie", "curry", "omelette", "risotto", "casserole", "gratin")
STYLES = ("Tuscan", "Bengali", "Basque", "Silesian", "Creole", "Cretan", "Alsatian", "Welsh")
INGREDIENTS = (
    *("tomatoes", "mushrooms", "walnuts", "cheese", "onions", "chickpeas", "spinach", "peppers"),
    *("garlic", "potatoes", "bacon", "raisins", "coconut", "ginger", "lentils", "olives"),
)
STEPS = (
    *("Cut everything small and be patient.", "Let it stand for an hour.", "Serve it warm."),
    *("My aunt used to make this on Sundays.", "Season it twice.", "Better on the second day."),
    *("Enough for four hungry people.", "Do not stir too often.", "A squeeze of lemon helps."),
)
FORMS = (
    *("{dish} without {out}", "a {dish} but not with {out}", "{dish} recipes without {out}"),
    *("Which {dish} can I make without {out}?", "{dish} with {within} but without {out}"),
    "{dish} with {within}, but no {out}",
)
LACKS = (
    *("A week without sugar", "Living without a car", "Cooking without electricity"),
    *("Camping without a tent", "Sleep without an alarm clock", "Reading without glasses"),
    *("A garden without slugs", "Christmas without presents", "Travel without luggage"),
    *("Bread without yeast", "Meetings without slides", "Sundays without screens"),
)


def make(data: Path = DATA, seed: int = SEED) -> QuestionSet:
    english = vaults.xquad("en", data)
    kitchen, recipes = _recipes(seed)
    questions = [
        *sample(_phrases(english.documents), PHRASES),
        *sample(_minus(english.documents), EXCLUDED),
        *_without(kitchen, seed),
        *_lacks(),
    ]
    found = {"xquad-en": Vault(english.documents), RECIPES: Vault(recipes)}
    return QuestionSet(NAME, questions, found)


def _phrases(documents: dict[str, str]) -> Iterator[Question]:
    """Four words in a row that one note has, while other notes have each of them."""
    having, rows = defaultdict(set), defaultdict(set)
    words = {path: re.findall(r"[A-Za-z]+", text) for path, text in documents.items()}
    texts = {path: " ".join(text.split()) for path, text in documents.items()}
    for path, some in words.items():
        for at, word in enumerate(some):
            having[word.lower()].add(path)
            rows[" ".join(some[at : at + 4]).lower()].add(path)
    for path, some in words.items():
        for at in range(10, len(some) - 4, 17):
            phrase = " ".join(some[at : at + 4])
            spread = all(len(having[word.lower()]) > 4 for word in some[at : at + 4])
            if spread and phrase in texts[path] and rows[phrase.lower()] == {path}:
                identity = f"{NAME}/phrase/{phrase}"
                right = frozenset([path])
                yield Question(identity, f'"{phrase}"', "phrase", "xquad-en", right, path)
                break


def _minus(documents: dict[str, str]) -> Iterator[Question]:
    """An article's name and a word that some of its paragraphs have."""
    articles: dict[str, list[str]] = defaultdict(list)
    for path, text in documents.items():
        articles[text.split("\n", 1)[0].removeprefix("# ")].append(path)
    for title, paths in articles.items():
        words = {p: set(re.findall(r"[a-z]{7,}", documents[p].lower())) for p in paths}
        counted = Counter(word for some in words.values() for word in some)
        known = set(re.findall(r"[a-z]+", title.lower()))
        telling = sorted((w for w in counted if counted[w] == 2 and w not in known), key=order_of)
        for word in telling[:2]:
            unwanted = frozenset(p for p in paths if word in documents[p].lower())
            wanted = frozenset(paths) - unwanted
            if wanted:
                yield Question(
                    f"{NAME}/minus/{title} {word}",
                    f"{title.replace('_', ' ')} -{word}",
                    *("-word", "xquad-en", wanted, title),
                    excluded=unwanted,
                )


def _recipes(seed: int) -> tuple[dict[str, tuple[str, set[str]]], dict[str, str]]:
    """Notes with one dish and four ingredients each: what is in them, and their text."""
    source = random.Random(seed)
    kitchen, documents = {}, {}
    for dish in DISHES:
        for style in STYLES:
            for number in range(3):
                parts = source.sample(INGREDIENTS, 4)
                path = f"Recipes/{style} {dish} {number + 1}.md"
                lines = [f"A {style} {dish} with {', '.join(parts[:3])} and {parts[3]}."]
                lines += source.sample(STEPS, 3)
                documents[path] = "\n\n".join(lines) + "\n"
                kitchen[path] = dish, set(parts)
    for title in LACKS:
        lines = [f"Some thoughts on it, and what came of it: {title.lower()}."]
        documents[f"Essays/{title}.md"] = "\n\n".join([*lines, *source.sample(STEPS, 2)]) + "\n"
    return kitchen, documents


def _without(kitchen: dict[str, tuple[str, set[str]]], seed: int) -> Iterator[Question]:
    source = random.Random(seed + 1)
    for dish in DISHES:
        for out in source.sample(INGREDIENTS, 9):
            form = source.choice(FORMS)
            within = source.choice([one for one in INGREDIENTS if one != out])
            needed = {within} if "{within}" in form else set()
            fits = [p for p, (what, parts) in kitchen.items() if what == dish and needed <= parts]
            unwanted = frozenset(p for p in fits if out in kitchen[p][1])
            wanted = frozenset(fits) - unwanted
            text = form.format(dish=dish, out=out, within=within)
            if wanted and unwanted:
                kind = "but" if " but" in form else "without"
                identity = f"{NAME}/{kind}/{text}"
                yield Question(*(identity, text, kind, RECIPES, wanted, text), excluded=unwanted)


def _lacks() -> Iterator[Question]:
    for title in LACKS:
        right = frozenset([f"Essays/{title}.md"])
        identity = f"{NAME}/lack/{title}"
        yield Question(
            identity, f"What did I write about {title.lower()}?", "lack", RECIPES, right, title
        )
