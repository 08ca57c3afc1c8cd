"""Questions that a vault cannot answer, beside questions of the same form that it can.

Three vaults: parallel texts with half of their paragraphs taken out; a real vault with notes taken
out; and the vault of the chains, asked for things that it never tells. `absent` is in no note.
"""

import random
from collections.abc import Iterator
from pathlib import Path

from bench.collections import Collection
from bench.daemon import DATA
from bench.sets import chains, vaults
from bench.sets.chain_words import PEOPLE, PETS
from bench.sets.model import Question, QuestionSet, Vault, order_of, sample

NAME = "unanswerable"
SEED = 40
XQUAD = {"en": 60, "de": 20, "zh": 20}  # unanswerable questions; as many others are answerable
OF_CHAINS = 60
LYZ_FORMS = (
    *("How do I install {}?", "What is {} good for?", "How do I configure {}?"),
    *("{} troubleshooting", "What are my notes about {}?", "Which commands of {} do I use?"),
)
NEVER_TOLD = {  # a word of the answer: what is asked
    "birthday": "When is {who}'s birthday?",
    "phone number": "What is the phone number of {who}?",
    "drives": "What kind of car does {who} drive?",
    "married": "Who is {who} married to?",
    "allergic": "What is {who} allergic to?",
    "studied": "What did {who} study?",
    "shoe size": "What is {who}'s shoe size?",
    "blood type": "What is the blood type of {who}?",
}
NEVER_TOLD_OF_PETS = {
    "bought": "Where was {who} bought?",
    "colour": "What colour is {who}?",
    "vaccinated": "When was {who} vaccinated or serviced?",
}
STRANGERS = (
    *("Bartholomew", "Guinevere", "Anselm", "Philippa", "Ezekiel", "Henrietta", "Casimir"),
    *("Seraphina", "Leopold", "Winifred", "Ignatius", "Marguerite"),
)


def make(data: Path = DATA, seed: int = SEED) -> QuestionSet:
    questions: list[Question] = []
    found: dict[str, Vault] = {}
    for language, count in XQUAD.items():
        name = f"xquad-{language}-half"
        found[name], some = _of_paragraphs(vaults.xquad(language, data), name, count)
        questions += some
    found[vaults.HELD_OUT_OF] = vaults.real(vaults.HELD_OUT_OF, data)
    questions += _of_held_out(data)
    built, found[chains.VAULT] = chains.build()
    questions += _of_chains(built, found[chains.VAULT], seed)
    return QuestionSet(NAME, questions, found)


def _of_paragraphs(whole: Collection, name: str, count: int) -> tuple[Vault, list[Question]]:
    """Of each article some paragraphs stay. Questions to the others stay unanswered, where their
    answer is in no paragraph that is left."""
    kept = {p: text for p, text in whole.documents.items() if order_of(f"kept {p}")[0] & 1}
    answers = whole.replies
    everything = "\n".join(kept.values()).lower()
    unanswerable, answerable = [], []
    for question in whole.questions:
        common = question.text, "", name
        if question.answers <= kept.keys():
            one = Question(
                f"{NAME}/{name}/{question.id}", *common, question.answers, min(question.answers)
            )
            answerable.append(one._replace(kind=f"{name}, answerable"))
        elif not question.answers & kept.keys() and answers[question.id].lower() not in everything:
            one = Question(
                f"{NAME}/{name}/{question.id}", *common, frozenset(), min(question.answers)
            )
            unanswerable.append(
                one._replace(kind=f"{name}, unanswerable", absent=answers[question.id])
            )
    return Vault(kept), sample(unanswerable, count) + sample(answerable, count)


def _of_held_out(data: Path) -> Iterator[Question]:
    """The same forms, asked of notes that are there and of notes that are not."""
    held = vaults.held_out(data)
    there = vaults.real(vaults.HELD_OUT_OF, data).documents
    others = [
        path
        for path in sorted(there, key=order_of)
        if vaults.stem(path).isalpha() and len(vaults.stem(path)) > 3 and "newsletter" not in path
    ][: len(held)]
    name = vaults.HELD_OUT_OF
    for at, path in enumerate([*held, *others]):
        text = LYZ_FORMS[at % len(LYZ_FORMS)].format(vaults.stem(path))
        identity = f"{NAME}/{name}/{text}"
        if path in held:
            kind = f"{name}, unanswerable"
            yield Question(identity, text, kind, name, frozenset(), path, absent=held[path])
        else:
            yield Question(identity, text, f"{name}, answerable", name, frozenset([path]), path)


def _of_chains(built: list[chains.Chain], vault: Vault, seed: int) -> Iterator[Question]:
    source = random.Random(seed)
    told = "\n".join(vault.documents.values()).lower()
    asked = [(who, *one) for who in PEOPLE for one in NEVER_TOLD.items()]
    asked += [(who, *one) for who in PETS for one in NEVER_TOLD_OF_PETS.items()]
    chosen = source.sample([one for one in asked if one[1] not in told], OF_CHAINS - len(STRANGERS))
    kind = f"{chains.VAULT}, unanswerable"
    for who, absent, form in chosen:
        text = form.format(who=who)
        group = f"chain {who.split()[0] if who in PEOPLE else who}"
        identity = f"{NAME}/{chains.VAULT}/{text}"
        yield Question(identity, text, kind, chains.VAULT, frozenset(), group, absent=absent)
    forms = ("How much do I owe {}?", "Where does {} live?", "What is {}'s job?")
    for at, who in enumerate(STRANGERS):
        text = forms[at % len(forms)].format(who)
        identity = f"{NAME}/{chains.VAULT}/{text}"
        yield Question(identity, text, kind, chains.VAULT, frozenset(), who, absent=who)
    current = [q for q in chains.questions(built) if q.outdated]
    for question in sample(current, OF_CHAINS):
        yield question._replace(
            id=f"{NAME}/{question.id}", kind=f"{chains.VAULT}, answerable", outdated=()
        )
