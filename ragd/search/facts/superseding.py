"""Puts the latest statement about a subject first and marks earlier ones as superseded. Pure.

Only for a question that asks for a fact that changes (a debt, a price; see `question_subject`)
and names no time, and only among the candidates of that search. A chain is a group of passages that
state the same fact. A passage belongs to a chain if one of its sentences, alone or with the note's
title, names the whole subject and states a value of the right kind. A passage that only mentions
the subject is in no chain. Two people with the same first name have a chain each, and so have two
different flights (see `narrowing`). The passages of a chain take its places in the ranking in the
order of their dates. If one of these places is near the top, the latest passage comes first of all.

A passage without a date has the month that its statement names, if the note's title names the year:
"$2,250 in August" in "Budget 2025". Otherwise it cannot be newer than its file. It is in a chain if
the file's day is before the latest date of the chain. If not, it may be newer or older, and nothing
changes.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from ragd.guard.injection import is_suspected
from ragd.notes.late_pattern import LatePattern
from ragd.notes.sentences import sentences
from ragd.search.dates.time_names import MONTHS
from ragd.search.facts import foreign_questions, foreign_statements
from ragd.search.facts.narrowing import narrowing_words
from ragd.search.facts.occupation import states_work
from ragd.search.facts.question_subject import NUMBERS, AskedFact, FactTopic
from ragd.search.facts.relatives import is_about_relative, places_of_subject
from ragd.search.facts.repayments import is_repayment
from ragd.search.facts.residence import states_home
from ragd.search.facts.stated_values import (
    AMOUNT,
    CODE,
    LONGEST_READ,
    NUMBER,
    PLACE,
    ROLE,
    SETTLED,
    STATE,
    is_statement_of_state,
    kinds_in,
)
from ragd.search.query.query_terms import stems_in, stems_of, without_accents
from ragd.search.query.question_language import Group, language_group
from ragd.search.ranking.fusion import Candidate

MOST_CANDIDATES = 200  # that are compared, from the top
SHORT = 80  # characters of a sentence that may only have the value
NEAR_THE_TOP = 10  # a chain that begins here or above has its latest statement first of all
_TO_USER = re.compile(
    r"(?<!\w)(?:owe[sd]? (?:me|us)|i len[dt]|lent (?:him|her|them)|schuldet mir)(?!\w)", re.I
)
_USER = re.compile(r"(?<!\w)(?:i|my|ich|mein|meine)(?!\w)", re.I)
_WORD = re.compile(r"[^\W_]+(?:['’]s)?")
# "It is not true that Ivo owes me $40", "If rates rise, our mortgage is €1900".
_UNREAL = re.compile(
    r"(?<!\w)(?:(?:not|n[’']t) (?:be )?true|worst case|suppose|imagine|was a joke"
    r"|nicht wahr)(?!\w)|^\W*(?:if|unless|wenn|falls)(?!\w)",
    re.I,
)
_CURRENCIES = frozenset({"euro", "euros", "eur", "usd", "chf", "gbp", "franken", "r"})
_WITH_NUMBERS = NUMBERS | {CODE, SETTLED}
_ALL_OF_IT = LatePattern(  # a debt that is paid without a number
    r"(?<!\w)(?:rest|money|everything|all|nothing|last|full|even|square|quits|gone|settled|waved"
    r"|waived"
    r"|forg[ai]ve\w*|cancelled|any ?more|geld|alles|quitt|schuldenfrei)(?!\w)"
    rf"|{foreign_statements.NOTHING_OWED}|{foreign_statements.NOTHING_OWED_UNSPACED}",
    re.I,
)
_ARTICLE = 4  # characters: "The gym, $35"
_NEXT_VALUE = LatePattern(
    r"(?:['’]s)?(?:\s(?:the|der|die|das)\s[\w'’-]+(?:\s[\w'’-]+)?(?=[\s,:]))??"
    r"(?:(?:\s[\w'’-]+){0,2}(?=\s*:))?\s*(?P<sign>[,:;(–—-]?)\s*(?:(?:is|are|was|were|at|now|has"
    r"|have|stands?|on|the|scales"
    r"|today|already|again|this time|ist|sind|jetzt|nun|hat|bei|schon|noch|heute|steht|auf|der"
    r"|es|son|est|è|é|são|sont|sono|fait|fa|tem|tiene|pesa|ya|ahora|maintenant|adesso|ora|já|agora"
    r"|está|com|con|à|a|is|zit|op|nu|nog|уже|теперь|сейчас|до|стало?)"
    r"[\s,:]+)*(?:about |around |etwa |ca\.? )?(?=[$€£¥₹]?\s?\d)",
    re.I,
)
_FIRST_VALUE = LatePattern(r"\W*(?P<sign>)(?:(?:now|jetzt|heute|today)\W+)?[$€£¥₹]?\s?\d", re.I)
_YEAR = LatePattern(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SINCE_MONTH = LatePattern(
    rf"(?<!\w)(?:in|since|from|im|seit|ab) ({'|'.join(MONTHS)})(?!\w)"
    r"(?!,? (?:of )?(?:(?:19|20)\d\d|last|letzten|the (?:year|previous)))",  # of another year
    re.I,
)


class Statement(Struct, frozen=True):
    """What a passage states the asked fact about.

    `name`: the rest of the subject's name, "keller" if the question asks for Anna and the passage
    is about Anna Keller; usually empty. `narrowing`: the stems of the words that narrow it.
    `month`: that it names, `2025-08`, if the title names the year; usually empty.
    """

    name: str = ""
    narrowing: frozenset[str] = frozenset()
    month: str = ""


def newest_first(
    wanted: AskedFact | None, ranked: Sequence[Candidate], last_day: str = "9999"
) -> list[Candidate]:
    """The same candidates, with the passages of each chain in the order of their dates. A statement
    that is dated after `last_day` is a plan or a mistake, and in no chain."""
    if wanted is None or wanted.is_guess:
        return list(ranked)
    found = list(ranked)
    heads = []
    for chain in _find_chains(wanted, found[:MOST_CANDIDATES], last_day):
        places = sorted(found.index(one) for one in chain)
        by_date = sorted(chain, key=_latest_day, reverse=True)
        newest = _latest_day(by_date[0])
        for place, one in zip(places, by_date, strict=True):
            one.chain = by_date[0].chunk_id
            one.is_superseded = _latest_day(one) < newest
            found[place] = one
        if places[0] < NEAR_THE_TOP:
            heads.append(by_date[0])
    # A statement of the fact comes before passages that only share words with the question.
    return [*heads, *(one for one in found if one not in heads)] if heads else found


def _find_chains(
    wanted: AskedFact, candidates: Iterable[Candidate], last_day: str
) -> list[list[Candidate]]:
    """Groups of at least two candidates that state the same fact about one subject, none of them
    after the last day."""
    found: dict[frozenset[str], dict[str, list[Candidate]]] = {}
    for one in candidates:
        stated = statement_about(wanted, one.text, one.title)
        if stated is not None and not is_suspected(one.text):  # it may lie about the latest state
            one.stated_month = "" if one.date else stated.month
            if "" < _latest_day(one) <= last_day:
                found.setdefault(stated.narrowing, {}).setdefault(stated.name, []).append(one)
    for by_name in found.values():
        named = [name for name in by_name if name]
        if "" in by_name and len(named) == 1:  # the short name must mean that person
            by_name[named[0]] = [*by_name.pop(""), *by_name[named[0]]]
    chains = [_known_order(chain) for by_name in found.values() for chain in by_name.values()]
    return [chain for chain in chains if len(chain) > 1]


def _known_order(chain: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with a date, and those without one whose file is older than the newest."""
    newest = max((one.date or one.stated_month for one in chain), default="")
    return [one for one in chain if one.date or one.stated_month or _latest_day(one) < newest]


def _latest_day(one: Candidate) -> str:
    """The last day on which it can have been written; empty if it is not known."""
    return one.date or one.stated_month or one.file_day or ""


def statement_about(wanted: AskedFact, text: str, title: str) -> Statement | None:
    """What the passage states the fact about; None if it does not state it. Of several statements,
    the one of the latest month."""
    is_in_title = wanted.subject <= stems_of(title)
    if not is_in_title and stems_in(text, wanted.subject) != wanted.subject:
        return None
    years = set(_YEAR.findall(title))
    year = years.pop() if len(years) == 1 else ""
    found = None
    for sentence in _sentences_to_read(wanted, text):
        named = stems_in(sentence, wanted.subject)
        if named and not wanted.names <= _capitalised(sentence, wanted.names):
            continue
        is_whole = named == wanted.subject
        if not is_whole and not is_in_title:
            continue
        if not _may_have_value(wanted, sentence):
            continue
        if sentence.rstrip().endswith(("?", "？")) or _UNREAL.search(sentence):
            continue
        groups = _groups(wanted, sentence)
        if foreign_statements.is_unreal(sentence, groups):
            continue
        if named and is_about_relative(wanted, sentence, groups):
            continue
        if not _states_value(wanted, sentence, groups, names_all=is_whole):
            continue
        month = _latest_month(year, sentence) if year else ""
        if found is None or month > found.month:
            name, narrowing = "", frozenset[str]()
            if is_whole:
                name, narrowing = (
                    _rest_of_name(wanted, sentence),
                    _narrowing(wanted, sentence, groups),
                )
            found = Statement(name, narrowing, month)
        if not year:
            break
    return found


def _sentences_to_read(wanted: AskedFact, text: str) -> Iterator[str]:
    """The sentences, and a short one together with the one before, if that has the subject and the
    topic: "Paid Bo some of the debt. $40 left."."""
    before = ""
    for sentence in sentences(text):
        sentence = sentence[:LONGEST_READ]
        yield sentence
        if before and len(sentence) <= SHORT and _completes(wanted, before, sentence):
            yield f"{before} {sentence}"
        before = sentence


def _completes(wanted: AskedFact, before: str, sentence: str) -> bool:
    """Whether the sentence may give the value of the one before it."""
    return (
        _may_have_value(wanted, sentence)
        and not _names_another(wanted, sentence)
        and _names_subject_and_topic(wanted, before)
    )


def _may_have_value(wanted: AskedFact, sentence: str) -> bool:
    """A quick check, because most sentences have no value."""
    topic = wanted.topic
    if topic is not None and not topic.kinds <= _WITH_NUMBERS:
        return True
    if "@" in sentence or any(character.isnumeric() for character in sentence):
        return True
    return topic is not None and topic.name == "debt" and bool(_ALL_OF_IT.search(sentence))


def _names_another(wanted: AskedFact, sentence: str) -> bool:
    """Whether the sentence may be about another person or thing. A place has names itself."""
    if wanted.topic is not None and PLACE in wanted.topic.kinds:
        return False
    words = _WORD.findall(sentence)[1:]
    return any(word[0].isupper() and word.lower() not in _CURRENCIES for word in words)


def _names_subject_and_topic(wanted: AskedFact, sentence: str) -> bool:
    topic = wanted.topic
    if topic is None or stems_in(sentence, wanted.subject) != wanted.subject:
        return False
    words = topic.in_statement or topic.in_question
    groups = _groups(wanted, sentence)
    return bool(words.search(sentence)) or foreign_statements.names_fact(
        topic.name, sentence, groups
    )


def _capitalised(sentence: str, names: frozenset[str]) -> frozenset[str]:
    """The names, if all are written with a capital letter: Russian "Света" is not "света"."""
    if not names:
        return names
    words = (word for word in _WORD.findall(sentence) if word[0].isupper())
    return stems_of(" ".join(words)) & names


def _latest_month(year: str, sentence: str) -> str:
    """`2025-08` for "$1,500 in March, $2,250 in August"; empty if the sentence names no month."""
    months = [MONTHS[name.lower()] for name in _SINCE_MONTH.findall(sentence)]
    return f"{year}-{max(months):02}" if months else ""


def _narrowing(wanted: AskedFact, sentence: str, groups: Collection[Group]) -> frozenset[str]:
    """Only of things that have a number: what a debt is for does not matter, and neither does where
    a person comes from."""
    if wanted.topic is not None and not wanted.topic.kinds <= NUMBERS:
        return frozenset()
    is_foreign = bool(groups) and (wanted.topic is None or AMOUNT in wanted.topic.kinds)
    return narrowing_words(sentence, wanted.subject, is_foreign=is_foreign)


def _states_value(
    wanted: AskedFact, sentence: str, groups: Collection[Group], *, names_all: bool
) -> bool:
    """Whether a sentence about the subject states a value of the right kind. `names_all`: it has
    every word of the subject. `groups`: languages besides English and German that it may be in."""
    topic = wanted.topic
    if topic is None:
        kind = AMOUNT if wanted.is_money else NUMBER
        return names_all and bool(kinds_in(sentence, (kind,)))
    plain = without_accents(sentence)
    if topic.not_in_statement is not None and topic.not_in_statement.search(sentence):
        return False
    if topic.name == "debt":
        names = places_of_subject(wanted, sentence)
        if is_repayment(sentence, names, is_certain=not wanted.to_user):
            return wanted.to_user
        is_to_user = bool(_TO_USER.search(sentence)) or foreign_statements.is_owed_to_user(
            sentence, groups
        )
        if is_to_user is not wanted.to_user:
            return False
    if not _names_topic(topic, sentence, groups) and not (
        topic.or_next_to and _is_value_next(wanted, sentence)
    ):
        return False
    if wanted.of_user and not _is_of_user(topic, sentence, plain, groups):
        return False
    end = _end_of_subject(wanted, sentence)
    if STATE in topic.kinds:
        return is_statement_of_state(sentence, end)
    if PLACE in topic.kinds:
        return states_home(sentence, end) or foreign_statements.states_home(sentence, groups)
    if ROLE in topic.kinds:
        return states_work(sentence) or foreign_statements.states_work(sentence, groups)
    return bool(kinds_in(sentence, topic.kinds))


def _groups(wanted: AskedFact, sentence: str) -> set[Group]:
    """The languages of the question and of the sentence, besides English and German."""
    return {one for one in (wanted.language, language_group(sentence)) if one is not None}


def _names_topic(topic: FactTopic, sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence has a word for the topic, or needs none."""
    if topic.in_statement is None or topic.in_statement.search(sentence):
        return True
    return foreign_statements.names_fact(topic.name, sentence, groups)


def _is_value_next(wanted: AskedFact, sentence: str) -> bool:
    """Whether the value comes right after the subject: "Gym: $35", "Bruno is at 13 kg". After a
    comma, the subject must begin the sentence: "A towel for the gym, $12" has another price."""
    places = places_of_subject(wanted, sentence)
    match = _NEXT_VALUE.match(sentence, places[-1][1]) if places else _FIRST_VALUE.match(sentence)
    if match is None:
        return False
    return not places or match["sign"] != "," or places[0][0] <= _ARTICLE


def _is_of_user(topic: FactTopic, sentence: str, plain: str, groups: Collection[Group]) -> bool:
    """Whether the sentence is about the user and the topic. `plain`: without accents."""
    if _USER.search(sentence) and topic.in_question.search(sentence):
        return True
    return foreign_questions.names_user(plain, groups) and foreign_statements.names_fact(
        topic.name, sentence, groups
    )


def _end_of_subject(wanted: AskedFact, sentence: str) -> int:
    """Where the last word of the subject ends; 0 if only the title names it."""
    return max((end for _, end in places_of_subject(wanted, sentence)), default=0)


def _rest_of_name(wanted: AskedFact, sentence: str) -> str:
    """ "keller" in a sentence about Anna Keller, if the question only has "Anna"."""
    words = list(_WORD.finditer(sentence))
    for at, word in enumerate(words):
        is_name = word.group()[0].isupper() and stems_of(word.group()) & wanted.subject
        if not is_name or at + 1 == len(words):
            continue
        after = words[at + 1]
        touches = sentence[word.end() : after.start()] == " "
        if touches and after.group()[0].isupper() and not stems_of(after.group()) & wanted.subject:
            return after.group().lower().removesuffix("'s").removesuffix("’s")
    return ""
