"""Questions that a vault cannot answer, beside questions of the same form that it can.

Three vaults: parallel texts with half of their paragraphs taken out; a real vault with notes taken
out; and the vault of the chains. The easy ones ask for a word that no note has. The hard ones have
only words that the vault knows: a name swapped for another, two tools that no note has together, or
what is told of other subjects but not of this one.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from bench.collections import Collection
from bench.daemon import DATA
from bench.sets import chains, vaults
from bench.sets.chain_words import PEOPLE, PETS, PRICE, PROJECTS, WEIGHT
from bench.sets.model import Question, QuestionSet, Vault, order_of, sample

NAME = "unanswerable"
REMOVED = {"en": 20, "de": 10, "zh": 10}  # questions to paragraphs that are taken out
SWAPPED = 40  # questions with another name in them, English
PAIRS = 40  # questions to two tools
NEVER, ELSEWHERE = 15, 45  # questions to the chains: answered nowhere, or for other subjects only
LYZ = "lyz-blue-book"
ONE_FORMS = (
    *("How do I install {}?", "What is {} good for?", "How do I configure {}?"),
    *("{} troubleshooting", "What are my notes about {}?", "Which commands of {} do I use?"),
)
PAIR_FORMS = (
    *("How do I use {} together with {}?", "How does {} compare with {}?"),
    *("How do I configure {} for {}?", "{} integration with {}"),
)
NEVER_TOLD = {  # a word of the answer: what is asked
    "phone number": "What is the phone number of {who}?",
    "drives": "What kind of car does {who} drive?",
    "allergic": "What is {who} allergic to?",
    "blood type": "What is the blood type of {who}?",
}
STRANGERS = ("Bartholomew", "Guinevere", "Anselm", "Philippa", "Ezekiel", "Henrietta", "Casimir")
_NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-z]+ ){1,2}[A-Z][a-z]+")
_MONEY = re.compile(r"[$€]|euros|francs")


def make(data: Path = DATA) -> QuestionSet:
    questions: list[Question] = []
    found: dict[str, Vault] = {}
    for language, count in REMOVED.items():
        name = f"xquad-{language}-half"
        whole = vaults.xquad(language, data)
        kept = {p: text for p, text in whole.documents.items() if order_of(f"kept {p}")[0] & 1}
        found[name] = Vault(kept)
        questions += sample(_removed(whole, kept, name), count)
        more = SWAPPED if language == "en" else 0
        questions += sample(_swapped(whole, kept, name), more)
        questions += sample(_there(whole, kept, name), count + more)
    found[LYZ] = vaults.real(LYZ, data)
    questions += _tools(found[LYZ], data)
    built, found[chains.VAULT] = chains.build()
    questions += _of_chains(built, found[chains.VAULT])
    return QuestionSet(NAME, questions, found)


def _question(vault: str, kind: str, text: str, group: str, *absent: str) -> Question:
    """One that nothing answers."""
    identity = f"{NAME}/{vault}/{text}"
    return Question(identity, text, kind, vault, frozenset(), group, absent=absent)


def _answerable(vault: str, text: str, answers: frozenset[str], group: str) -> Question:
    return Question(f"{NAME}/{vault}/{text}", text, "answerable", vault, answers, group)


def _removed(whole: Collection, kept: Mapping[str, str], vault: str) -> Iterator[Question]:
    """To paragraphs that are not there, if their answer is in none that is."""
    everything = "\n".join(kept.values()).lower()
    for question in whole.questions:
        reply = whole.replies[question.id]
        if not question.answers & kept.keys() and reply.lower() not in everything:
            yield _question(vault, "taken out", question.text, min(question.answers), reply)


def _swapped(whole: Collection, kept: Mapping[str, str], vault: str) -> Iterator[Question]:
    """A name of another paragraph of the article in place of the one that is meant.

    No paragraph has both the new name and the answer. One question for each paragraph.
    """
    articles: dict[str, set[str]] = defaultdict(set)
    for path, text in kept.items():
        articles[path.split("p")[0]] |= set(_NAME.findall(text))
    done: set[str] = set()
    for question in whole.questions:
        path = min(question.answers)
        match = _NAME.search(question.text)
        if match is None or path not in kept or path in done:
            continue
        reply = whole.replies[question.id]
        others = [
            name
            for name in sorted(articles[path.split("p")[0]], key=order_of)
            if name not in kept[path]
            and not set(name.split()) & set(question.text.split())
            and not any(_has_both(text, name, reply) for text in kept.values())
        ]
        if others:
            text = question.text.replace(match.group(), others[0])
            done.add(path)
            yield _question(vault, "name swapped", text, path, others[0], reply)


def _has_both(text: str, one: str, other: str) -> bool:
    return one.lower() in text.lower() and other.lower() in text.lower()


def _there(whole: Collection, kept: Mapping[str, str], vault: str) -> Iterator[Question]:
    for question in {q.text: q for q in whole.questions}.values():
        if question.answers <= kept.keys():
            yield _answerable(vault, question.text, question.answers, min(question.answers))


def _tools(found: Vault, data: Path) -> Iterator[Question]:
    """Asked of notes that are there and of notes that are not; and of two tools at once."""
    held = vaults.held_out(data)
    single = {
        vaults.stem(path): path
        for path in sorted(found.documents, key=order_of)
        if vaults.stem(path).isalpha() and len(vaults.stem(path)) > 4 and "newsletter" not in path
    }
    for at, path in enumerate(held):
        text = ONE_FORMS[at % len(ONE_FORMS)].format(vaults.stem(path))
        yield _question(LYZ, "taken out", text, path, held[path])
    for at, (name, path) in enumerate([*single.items()][: len(held)]):
        text = ONE_FORMS[at % len(ONE_FORMS)].format(name)
        yield _answerable(LYZ, text, frozenset([path]), path)
    having: dict[str, set[str]] = defaultdict(set)
    for path, text in found.documents.items():
        for word in set(vaults.WORD.findall(f"{path} {text}".lower())) & single.keys():
            having[word].add(path)
    names = [name for name in single if 2 <= len(having[name]) <= 40][:60]
    pairs = sorted(product(names, names), key=lambda pair: order_of(f"{pair}"))
    apart = [(a, b) for a, b in pairs if a < b and not having[a] & having[b]]
    for at, (one, other) in enumerate(apart[:PAIRS]):
        text = PAIR_FORMS[at % len(PAIR_FORMS)].format(one, other)
        yield _question(LYZ, "two tools", text, single[one], one, other)
    names = [name for name in single if 2 <= len(having[name]) <= 60]
    together = [
        (a, b)
        for a, b in sorted(product(names, names), key=lambda pair: order_of(f"{pair}"))
        if a < b and single[a] in having[b] and len(having[a] & having[b]) <= 8
    ]
    for at, (one, other) in enumerate(together[:PAIRS]):
        text = PAIR_FORMS[at % len(PAIR_FORMS)].format(one, other)
        yield _answerable(LYZ, text, frozenset(having[one] & having[other]), single[one])


def _of_chains(built: list[chains.Chain], vault: Vault) -> Iterator[Question]:
    told = "\n".join(vault.documents.values()).lower()
    never = [
        _question(chains.VAULT, "never told", form.format(who=who), _group(who), word)
        for who, (word, form) in product(PEOPLE, NEVER_TOLD.items())
        if word not in told
    ]
    yield from sample(never, NEVER - len(STRANGERS))
    forms = ("How much do I owe {}?", "Where does {} live?", "What is {}'s job?")
    for at, who in enumerate(STRANGERS):
        text = forms[at % len(forms)].format(who)
        yield _question(chains.VAULT, "stranger", text, who, who)
    lines = told.splitlines()
    elsewhere = []
    for who, form in [
        *product(PEOPLE, WEIGHT.questions),
        *product(PROJECTS + PETS, PRICE.questions),
    ]:
        about = [line for line in lines if who.lower() in line]
        mark = " kg" if who in PEOPLE else "cost"
        is_told = any(mark in line or (mark == "cost" and _MONEY.search(line)) for line in about)
        if about and not is_told:
            text = form.format(who=who)
            elsewhere.append(
                _question(chains.VAULT, "told of others", text, _group(who), who, mark)
            )
    yield from sample(elsewhere, ELSEWHERE)
    current = [q for q in chains.questions(built) if q.outdated]
    for question in sample(current, NEVER + ELSEWHERE):
        yield question._replace(id=f"{NAME}/{question.id}", kind="answerable", outdated=())


def _group(who: str) -> str:
    return f"chain {who.split()[0] if who in PEOPLE else who}"
