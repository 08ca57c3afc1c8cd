"""Finds the fact that a question asks for: the debt to Anna, the weight of the dog. Pure.

A topic is a kind of fact that changes over time and has one value at a time. A question without a
topic may still ask for a number. Any other question asks for nothing that can be out of date.
"""

import re

from msgspec import Struct, structs

from ragd.notes.late_pattern import LatePattern
from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.facts import foreign_questions
from ragd.search.facts.stated_values import (
    AMOUNT,
    CODE,
    MASS,
    MEASURE,
    NUMBER,
    PLACE,
    ROLE,
    SETTLED,
    STATE,
)
from ragd.search.facts.statement_model import StatementModel
from ragd.search.facts.statement_patterns import whole_words
from ragd.search.query.query_terms import stems_of, without_accents
from ragd.search.query.question_language import Group, language_group


class FactTopic(Struct, frozen=True):
    """A kind of fact that changes over time.

    `in_question`: finds the topic in a question. `in_statement`: a statement has one of these words
    (None: its value is enough). `or_next_to`: a value next to the subject is enough, too: "Gym:
    $35". `not_in_statement`: words of a statement about something else.
    """

    name: str
    in_question: LatePattern
    kinds: frozenset[str]
    in_statement: LatePattern | None = None
    or_next_to: bool = False
    not_in_statement: LatePattern | None = None


class AskedFact(Struct, frozen=True):
    """The topic of a question (None: any number) and the stems of the subject's words.

    `words`: the words of the subject, as the question has them. `of_user`: the subject is the user
    ("my weight"). `to_user`: the user lent the money. `language`: None for English and German.
    `is_money`: the question is for a sum of money. `is_past`: it is in the past tense ("did",
    "kostete"); only known in English and German. `names`: stems that a sentence must have with a
    capital letter; only in Russian, where names are like other words without their last vowels.
    `guess`: without a topic, the one that `statement_model` takes the question for. `is_guess`: the
    rules find no fact at all, so nothing is called outdated.
    """

    topic: FactTopic | None
    subject: frozenset[str]
    words: str = ""
    of_user: bool = False
    to_user: bool = False
    language: Group | None = None
    is_money: bool = False
    is_past: bool = False
    names: frozenset[str] = frozenset()
    guess: FactTopic | None = None
    is_guess: bool = False

    @property
    def likely_topic(self) -> FactTopic | None:
        """The topic, or the one that the question is taken for."""
        return self.topic or self.guess


_DEBT_WORDS = (
    "ow(?:e|es|ed|ing)|debts?|lent|lends?|loan(?:ed|s)?|borrow(?:s|ed|ing)?|paid|pay(?:s|ment|ing)?"
    "|repaid|repay|(?:g[ai]ve|sent|got|handed|took|transferred) .{0,60}(?:back|rest|money|part)"
    "|instal?lments?|transferred|transfer to|settled?|even|remains?|remaining|left to pay|to go"
    "|(?:is|are|still) open|covered|advanced|schulde[nt]?|schuldig|schulden|geliehen|leiht"
    "|zurück(?:ge\\w+|zahl\\w+|bezahl\\w+|überw\\w+)|bezahlt|quitt|(?:noch|sind|ist) .{0,20}offen"
    "|bleib\\w* noch|wiederbekommen|schuldenfrei|die ich schulde|geborgt|vorgestreckt|ausgelegt"
    "|ausgeholfen|überwiesen|in der kreide"
    "|restliche[nr]?|beglichen|abbezahlt"
)
_WEIGHT_WORDS = (
    r"weigh\w*|weights?|scales?|heavy|heavier|lighter|gained|put on|wieg\w*|wog|gewogen|gewicht"
    r"|\w*waage|schwer\w*|leichter|zugenommen|abgenommen|(?:runter|rauf) auf"
)
_PRICE_WORDS = (
    r"cost\w*|pric(?:e|es|ed|ing)|pay|pays|paid|paying|fees?|rates?|tariff|charg\w+|bill"
    r"|(?:went|goes|going|gone) (?:up|down|to (?=[$€£]?\d))|rais\w+|rises?|rose|risen|increas\w+"
    r"|cheaper|dearer|expensive|discount|reduced|dropped|lowered|from now on|now"
    r"|(?:per|a|every|each) (?:year|month|week|day|night|hour|person|piece)|monthly|yearly"
    r"|annual\w*|kost\w*|gekostet|\w*preis\w*|zahl\w*|gezahlt|bezahlt|gebühr\w*|teurer|billiger"
    r"|günstiger|steigt|stieg|gestiegen|erhöht\w*|gesenkt|ab (?:jetzt|sofort)|jetzt|nun|monatlich"
    r"|jährlich|(?:im|pro) (?:monat|jahr|woche|tag|stunde)|(?:came|come) down|beträgt|betrug"
)
_AGE_WORDS = (
    "years? old|months? old|turn(?:s|ed|ing)?|aged?|birthday|born|jahre|monate|alt|wird|wurde"
    "|geworden|geburtstag"
)
# "What is in the fund?" asks for a sum, "What is in the box?" does not.
_ASKS_FOR_CONTENT = (
    "what(?:['’]?s| is| are)?(?: (?:left|now|still|currently))? (?:in|on)|how(?:['’]?s| is| are)"
    "|how much(?: money)?(?: (?:is|have i|do i have|do we have))?(?: (?:left|now|still))? (?:in|on)"
    "|how much (?:does|do)|wie ?viel (?:ist|liegt)(?: (?:noch|jetzt))? (?:im?|auf|in der)"
    "|how (?:big|full|large|high) (?:is|are)|(?:state|level|size) of"
    "|was (?:ist|liegt)(?: (?:noch|jetzt))? (?:im?|auf)|wie (?:hoch|groß|voll) (?:ist|sind)"
    "|wie (?:steht|sieht) es"
)
_HOLDS_MONEY = (
    r"funds?|accounts?|savings|piggy bank|kitty|gift card|\w{0,30}konto|\w{0,30}fonds|sparbuch"
    r"|notgroschen|rücklagen?|ersparnisse|guthaben|\w{0,30}kasse"
)
_ASKS_FOR_VALUE = "what(?:['’]?s| is| are)|how high (?:is|are)|wie hoch (?:ist|sind)|was ist"
_REGULAR_SUM = (
    "rent|salary|wages?|income|mortgage|tuition|premium|allowance|miete|gehalt|lohn|einkommen"
    "|beitrag"
)
_MONEY_BETWEEN = "ow(?:e|es|ed|ing)|debts?|lent|loan(?:ed)?|borrow(?:ed)?|schulde[nt]?|schulden"

TOPICS = (
    FactTopic(
        "debt",
        LatePattern(
            r"(?<!\w)(?:ow(?:e|es|ed)|debts?|borrow(?:ed)?|lent|pa(?:y|id)(?= (?:\w+ ){0,2}back\b)"
            r"|repay|schulde[nt]?|schulden|schuldig|geliehen|(?:am|are) (?:i|we)"
            r" (?:even|square|quits)|left to pay)(?!\w)|欠"
            r"|(?<!\w)(?:bekommt|kriegt)(?=.{0,40} von (?:mir|uns)(?!\w))"
            r"|(?<!\w)(?:bekomm|krieg)e? ich(?=.{0,20} vo[nm])",
            re.I,
        ),
        frozenset({AMOUNT, SETTLED}),
        whole_words(_DEBT_WORDS),
    ),
    FactTopic(
        "weight",
        whole_words("weighs?|weight|heavy|kilos?|wieg(?:en?|t|st)|gewicht|schwer"),
        frozenset({MASS}),
        whole_words(_WEIGHT_WORDS),
        or_next_to=True,
    ),
    FactTopic(  # of an account or a fund, and regular sums such as a rent
        "balance",
        LatePattern(
            rf"(?<!\w)(?:(?:{_ASKS_FOR_CONTENT})(?!\w)(?=.{{0,80}}\b(?:{_HOLDS_MONEY})\b)"
            rf"|(?:{_ASKS_FOR_VALUE})(?!\w)(?!.{{0,40}}\b(?:price|cost|preis))"
            rf"(?=.{{0,80}}\b(?:{_REGULAR_SUM})\b)"
            r"|(?:balance|kontostand|saldo)(?!\w)|(?:what|was) (?:do|have|haben) (?:we|i|wir)(?!\w)"
            rf"(?=.{{0,80}}\b(?:{_HOLDS_MONEY})\b)|^(?=(?:\w+ ){{0,2}}(?:{_HOLDS_MONEY})\W*$))",
            re.I,
        ),
        frozenset({AMOUNT}),
        not_in_statement=whole_words(_MONEY_BETWEEN),
    ),
    FactTopic(
        "price",
        whole_words(
            "costs?|price[ds]?|how much (?:is|are|was|were)|pay for|(?:do|did) (?:i|we) pay|fees?"
            "|charges?|(?:daily|hourly|weekly|monthly) rate|kostete?[nt]?|gekostet|preise?"
            "|zahle ich|zahlen wir|verlangt"
        ),
        frozenset({AMOUNT}),
        whole_words(f"{_PRICE_WORDS}|{_REGULAR_SUM}"),
        or_next_to=True,
        not_in_statement=whole_words(_MONEY_BETWEEN),
    ),
    FactTopic(
        "address",
        whole_words(
            "address|lives?|street|straße|wohnt|adresse|anschrift"
            "|(?:send|write|post) a (?:letter|card|parcel)|moved to|visit"
            "|schicke ich|schick ich|sende ich"
        ),
        frozenset({PLACE}),
        not_in_statement=whole_words("works?|job|hired|contract|a living|as an?"),
    ),
    FactTopic(
        "job",
        whole_words(
            "(?<!to )works?|working|jobs?|occupation|professionally|for work|employ(?:s|ed|er)?"
            "|for a living|firm|company|profession"
            "|arbeitet|beruf(?:lich)?|still (?:at|with) the"
        ),
        frozenset({ROLE}),
    ),
    FactTopic(
        "state",
        whole_words(
            "status|state|how far|stand with|stands?|finished|done|ready|progress|going|stage"
            "|where are we|update on|coming along|what happened (?:with|to)|stand der dinge|fertig"
            "|wie steht es um|wie weit (?:ist|sind)|(?:aktueller )?stand"
        ),
        frozenset({STATE}),
    ),
    FactTopic(
        "dose",
        whole_words("doses?|dosage|how many (?:mg|pills)|dosis|dosierung|wie viel mg"),
        frozenset({MEASURE}),
        whole_words(r"\d*\s?m[c]?g|milligram\w*|\d*\s?ml"),
    ),
    FactTopic(
        "age",
        whole_words("how old|what age|(?<=s )age|wie alt|alter"),
        frozenset({NUMBER}),
        whole_words(_AGE_WORDS),
    ),
    FactTopic(
        "contact",
        whole_words(
            "phone|telephone|(?:phone |mobile |cell )?number|e-?mail|password|pin|code|iban"
            "|telefon(?:nummer)?|handy(?:nummer)?|nummer|passwort"
            "|(?:can|do|should) i (?:call|reach|ring)|erreiche ich|anrufen"
        ),
        frozenset({CODE}),
        whole_words(
            "phone|telephone|number|e-?mail|password|pin|code|iban|telefon\\w*|handy\\w*|nummer"
            "|passwort|mobile|cell"
        ),
    ),
)
# What changes without a value that could be compared: the day of the bins, the dentist.
ARRANGEMENT = FactTopic("arrangement", LatePattern("(?!)"), frozenset())
_BY_NAME = {one.name: one for one in (*TOPICS, ARRANGEMENT)}
_ANY_NUMBER = whole_words(
    "wie ?viel|how much|how many|how (?:old|long|tall|high|big|large|far|fast|often)|wie viele"
    "|wie (?:alt|lange?|hoch|groß|weit|schnell|oft)"
)
NUMBERS = frozenset({AMOUNT, MASS, MEASURE, NUMBER})

# Words of a question that name neither topic nor subject.
_GENERAL = frozenset(
    stems_of(
        f"{ENGLISH} {GERMAN} money geld current currently now still left today latest rest amount "
        "actually exactly moment right these days along letter card parcel send write visit many "
        "end happened "
        "looking doing anything something nothing everything all any some ever already yet again "
        "etwas irgendwas nichts alles noch schon jemals wieder viel viele wieviel jetzt heute "
        "wohin paket brief karte macht lautet heißt derzeit aktuell momentan gerade insgesamt "
        "inzwischen mittlerweile zurzeit "
        "genau eigentlich"
    )
)
# Words of a question about a debt that name neither the person nor the debt.
_ABOUT_DEBTS = frozenset(
    stems_of(
        "settle settled paid pay payment repaid repay off back even open left rest bezahlt hoch"
    )
)
# Verbs of a question that name no subject if its topic is a guess.
_GENERAL_VERBS = frozenset(
    stems_of("take taking get gets give gives have has need use using go goes keep pay paying")
)
_NOW = whole_words(
    "now|nowadays|currently|current|(?:these|at the) (?:days|moment)|at present|still|jetzt|aktuell"
    "|derzeit|zurzeit|momentan|gerade|inzwischen|mittlerweile|noch|heutzutage"
)
_NO_FACT = LatePattern(
    r"\W*(?:who|how (?:to|do|did|can)|what (?:is|are) an? |what (?:has|have) |why|when|was|wer)\b",
    re.I,
)
_GERMAN_WORD = whole_words(r"der|die|das|ist|ich|wir|wie|wo|wer|was|und|mein\w*|hat|den|dem|im|zu")
_VALUED = frozenset({AMOUNT, MASS, MEASURE, NUMBER, PLACE, ROLE, CODE, SETTLED})
# The purpose of a debt is ignored: a later note about the repayment may not mention it.
_WHAT_FOR = LatePattern(r"(?<!\w)(?:for|because of|für|wegen)(?!\w).*", re.I)
_USER = whole_words("i|my|me|mine|we|our|ich|mein|meine|meinen|wir|unser")
_TO_USER = whole_words(
    r"ow(?:e|es|ed) (?:me|us)|schulde[nt]? (?:\w+ ){0,2}(?:mir|uns)|(?:did )?i len[dt]"
    r"|pa(?:y|id) (?:me|us) back"
)
_PER_TIME = whole_words(
    "(?:per|a|each|every|pro|im) (?:hour|day|week|month|year|stunde|tag|woche|monat|jahr)"
)
_MONEY = whole_words("money|geld|cash")
_PAST = whole_words("did|was|were|paid|spent|gekostet|kosteten?")
_SEVERAL_IN_GERMAN = LatePattern(r"\b(?:kosteten|haben\b.{0,80}\bgekostet)\b", re.I)
_SEVERAL_ABROAD = whole_words("ont coute|costaron|sono costat[ei]|custaram|kostten|стоили")
_PLURAL = LatePattern(r"\w{2,}[^\W_sui]s", re.I)
_WORD = LatePattern(r"[^\W_]+(?:['’]s)?")


def find_asked_fact(question: str) -> AskedFact | None:
    """The fact that a question asks for; None if it asks for nothing that can be out of date."""
    if (group := language_group(question)) is not None:
        found = _find_in_language(question, without_accents(question), group)
        if found is not None:
            return found
    topic = next((one for one in TOPICS if one.in_question.search(question)), None)
    if topic is None and not _ANY_NUMBER.search(question):
        return None
    rest = topic.in_question.sub(" ", question) if topic else _ANY_NUMBER.sub(" ", question)
    if topic is not None and topic.name == "debt":
        rest = _WHAT_FOR.sub(" ", rest)
    if topic is not None and topic.name == "price":
        rest = _PER_TIME.sub(" ", rest)
    subject = stems_of(rest) - _GENERAL
    if topic is not None and topic.name == "debt":
        subject -= _ABOUT_DEBTS
    if topic is not None and topic.name == "price" and _asks_for_several(question, subject):
        return None
    of_user = not subject and bool(_USER.search(question))
    if not subject and not of_user:
        return None
    to_user = topic is not None and topic.name == "debt" and bool(_TO_USER.search(question))
    is_money = bool(_MONEY.search(question))
    words = _words_of(subject, question)
    is_past = bool(_PAST.search(question))
    return AskedFact(topic, subject, words, of_user, to_user, is_money=is_money, is_past=is_past)


def guess_asked_fact(question: str, model: StatementModel) -> AskedFact | None:
    """The same, and if no rule finds a topic, the fact that the question is probably for: "where's
    Odile living these days"."""
    found = find_asked_fact(question)
    if found is not None and found.topic is not None:
        return found
    topic = _BY_NAME.get(model.topic_of(question) or "")
    if topic is None or not _may_be_guessed(question, topic):
        return found
    if found is not None:
        return structs.replace(found, guess=topic)
    subject = (_names_in(question) or stems_of(question)) - _GENERAL - _ABOUT_DEBTS - _GENERAL_VERBS
    if not subject or _PAST.search(question):
        return None
    return AskedFact(None, subject, _words_of(subject, question), guess=topic, is_guess=True)


def _may_be_guessed(question: str, topic: FactTopic) -> bool:
    """Whether a question is for the present, or names somebody and a value is asked for. "Who is
    Marta", "where is the drill" and "what is entropy" are not for a fact that changes."""
    if _NOW.search(question):
        return True
    is_german = bool(_GERMAN_WORD.search(question))  # every noun has a capital letter
    has_name = not is_german and bool(_names_in(question))
    return (
        has_name and bool(topic.kinds) and topic.kinds <= _VALUED and not _NO_FACT.match(question)
    )


def _find_in_language(question: str, plain: str, group: Group) -> AskedFact | None:
    """The same for a question in a language of `foreign_questions`. `plain`: without accents."""
    language = foreign_questions.fact_language(group)
    asked = language.asked
    topics = sorted(TOPICS, key=lambda one: one.name == "balance")  # "quanto custa o aluguel"
    topic = next(
        (one for one in topics if one.name in asked and asked[one.name].search(plain)), None
    )
    if topic is None and not language.any_number.search(plain):
        return None
    if topic is not None and topic.name == "price" and _SEVERAL_ABROAD.search(plain):
        return None
    rest = plain
    to_user = topic is not None and topic.name == "debt" and bool(language.to_user.search(rest))
    if topic is not None:
        rest = asked[topic.name].sub(" ", rest)
        if topic.name == "debt" and language.what_for is not None:
            rest = language.what_for.sub(" ", rest)
    rest = language.general.sub(" ", language.any_number.sub(" ", rest))
    subject = stems_of(rest) or _names_in(question)
    if not language.is_spaced:  # a single character is no word of a longer run
        subject = frozenset(stem for stem in subject if len(stem) > 1) or subject
    of_user = not subject and bool(language.user.search(plain))
    if not subject and not of_user:
        return None
    words = _words_of(subject, question if language.is_spaced else rest)
    names = _names_in(question) & subject if group == "russian" else frozenset[str]()
    return AskedFact(topic, subject, words, of_user, to_user, group, names=names)


def asks_for_now(question: str) -> bool:
    """Whether it asks for the present state of a fact that changes: "How much do I owe Bo today?"
    asks for the latest debt, "What did I pay today?" for this day."""
    wanted = find_asked_fact(question)
    if wanted is None or wanted.topic is None or wanted.is_past:
        return False
    return wanted.language is None or wanted.topic.name != "price"


def _names_in(question: str) -> frozenset[str]:
    """The stems of words with a capital letter after the first word: "Mia" is also Italian for
    "my"."""
    words = question.split()[1:]
    return stems_of(" ".join(word for word in words if word[0].isupper()))


def _words_of(subject: frozenset[str], text: str) -> str:
    return " ".join(word for word in text.split() if stems_of(word) & subject)


def _asks_for_several(question: str, subject: frozenset[str]) -> bool:
    """ "What did my flights cost?": each of them had its price, and none of these is out of date.
    "What do the lessons cost?" asks for one price, which may change."""
    if not _PAST.search(question):
        return False
    if _SEVERAL_IN_GERMAN.search(question):
        return True
    in_subject = [(word, bool(stems_of(word) & subject)) for word in _WORD.findall(question)]
    last_words = (
        word
        for at, (word, is_in) in enumerate(in_subject)
        if is_in and not (at + 1 < len(in_subject) and in_subject[at + 1][1])
    )
    return any(_PLURAL.fullmatch(word) for word in last_words)
