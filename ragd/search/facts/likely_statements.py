"""Finds passages that probably state a fact, in whatever words. Pure.

`superseding` needs a sure statement to call another one outdated. Most people write less clearly:
"Bruno hopped on the scale. 28.9, good boy". Such a passage only moves up if it is newer than others
of its kind, and nothing is marked. Each sentence about the subject is judged by itself, because a
day in a diary is about many things: by a value and a word for the fact, and by `statement_model`.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import structs

from ragd.notes.late_pattern import LatePattern
from ragd.notes.sentences import sentences
from ragd.search.facts.question_subject import AskedFact
from ragd.search.facts.relatives import is_about_relative
from ragd.search.facts.statement_model import StatementModel
from ragd.search.facts.statement_patterns import whole_words
from ragd.search.query.query_terms import stems_in
from ragd.search.ranking.fusion import Candidate

LEAST_SHARE = 0.5  # of the subject's words that a passage has
NEAR = 0.5  # of the best weight, that a passage needs
COMPARED = 10  # candidates from the top
# How likely a passage counts that has no word for the fact: with a value, and where none is needed.
WITH_VALUE, WITHOUT_VALUE = 0.5, 0.3
LONGEST_READ = 2_000  # characters of a passage
MOST_READ = 12  # sentences of a passage that may state the fact
SHORT = 80  # characters of a sentence that may only have the value
OF_BEST = 0.5  # of the best likelihood, that a passage needs
LEAST_LIKELY = 0.45  # with the model's judgement
OF_GUESS = 0.8  # how much a likely statement counts if the topic of the question is a guess
BY_WORDS = 0.7  # the weight of the model's judgement; the rules have the rest

_WORDS_FOR_NUMBERS = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty"
    r"|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|nothing|zwei|drei|vier|fünf|sechs"
    r"|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig"
    r"|neunzig|hundert|tausend|nichts|alles|half|hälfte|quitt|square|even"
)
_NOT_MONEY = (
    r"kg|kilos?|g|grams?|gramm|km|k\b|m|cm|miles?|min|mins|minutes?|minuten|hours?|hrs?|h|stunden?"
    r"|uhr|am|pm|a\.m|p\.m|%|percent|prozent|years?|jahre?n?|months?|monate?|weeks?|wochen?|days?"
    r"|tage?n?|people|personen|leute|times|mal|pages?|seiten|episodes?|x|°|st|nd|rd|th|degrees?"
    r"|grad|points?"
)
_MONEY = LatePattern(
    rf"[$€£¥₹]\s?\d|\d[\d.,' ]*\s?(?:[$€£¥₹]|eur|chf|usd|kr|zł|ft|rs|quid|bucks|k)\b"
    rf"|(?<![\d.,:/-])\d[\d.,']*(?![\d:/-])(?!\s?(?:{_NOT_MONEY})(?!\w))"
    rf"|(?<!\w)(?:{_WORDS_FOR_NUMBERS})(?!\w)",
    re.I,
)
_MASS = LatePattern(
    r"\d\s?(?:kg|kilos?|kilogramm|g|gr|grams?|gramm|lbs?|pounds?|pfund|stone|st)\b|\d[.,]\d"
    rf"|(?<!\w)(?:{_WORDS_FOR_NUMBERS})[ -](?:\w+[ -])?(?:kg|kilos?|grams?|gramm|pounds?|stone)",
    re.I,
)
_DIGITS = LatePattern(r"(?:\d[\s/().-]{0,2}){5,}|\S@\S")
_NUMBER = LatePattern(rf"\d|(?<!\w)(?:{_WORDS_FOR_NUMBERS})(?!\w)", re.I)
_PLACE = LatePattern(
    r"(?<!\w)(?:in|into|at|to|near|on|nach|im|am|an|auf|zu)\s+(?:the |der |die |den "
    r"|dem )?(?:\d{1,4}\w? )?"
    r"[A-ZÀ-Þ]|[A-ZÀ-Þ][\w-]+ \d{1,4}|\d{1,4}\w? [A-ZÀ-Þ]"
)
_VALUES = {
    "debt": _MONEY,
    "price": _MONEY,
    "balance": _MONEY,
    "weight": _MASS,
    "age": _NUMBER,
    "dose": _NUMBER,
    "contact": _DIGITS,
    "address": _PLACE,
}
_CUES = {
    "debt": (
        r"ow(?:e|es|ed|ing)|debts?|lent|lend\w*|loan\w*|borrow\w*|paid|pay\w*|repa\w+|back|rest"
        r"|left|remain\w*|outstanding|even|square|quits|settle\w*|clean slate|instal\w*|tab|fronted"
        r"|covered|spotted|venmo\w*|paypal\w*|transfer\w*|sent|gave|got|returned|handed|brought"
        r"|to go|down to|chipped|share|part of|cash|envelope|i ?o ?u|schuld\w*|schulde\w*|gelie\w+"
        r"|leih\w*|borg\w*|zurück\w*|bezahl\w*|gezahlt|zahl\w*|überw\w+|offen|rest\w*|raten?"
        r"|ausgelegt|vorge\w+|quitt|bekomm\w*|krieg\w*|gegeben|gebracht|fehl\w*|bleib\w*|noch"
    ),
    "price": (
        r"cost\w*|pric\w+|charg\w+|fees?|rates?|tariff|per"
        r"|a (?:month|week|year|go|piece|session|visit)|monthly"
        r"|(?:(?<=/)|(?<=/ ))(?:mo|month|hr|h|week|yr|monat)"  # "30/mo": the slash is no word
        r"|weekly|now|wants?|asks?|asking|takes?|gets?|raised?|up|more|cheaper|paid|pay\w*|bill"
        r"|invoice|each|menu|new|kost\w*|preis\w*|zahl\w*|verlang\w*|nimmt|jetzt|nun|teurer"
        r"|billiger|pro|im monat|monatlich|macht|gebühr\w*|beitrag|erhöh\w*|stieg"
    ),
    "balance": (
        r"balance|in (?:the|my|our|there)|account|fund|savings?|pot|kitty|jar|stands?|now|total"
        r"|up to|down to|left|moved|put|added|topped|makes|that's|have|has|is at|stand|konto\w*"
        r"|kasse|drin|drauf|jetzt|insgesamt|steht|stehen|sind|liegt|eingezahlt|übrig|saldo"
    ),
    "weight": (
        r"weigh\w*|scales?|vet|clinic|nurse|doctor|doc|heav\w*|light\w*|gain\w*|lost|lose|down to"
        r"|up to|back up|check.?up|weigh.in|kilos now|is at|reached|wieg\w*|wog|gewogen|waage"
        r"|gewicht|tierarzt|arzt|zugenommen|abgenommen|schwer\w*|leicht\w*|runter|rauf|jetzt|now"
        r"|today|heute"
    ),
    "age": (
        r"turn\w*|birthday|bday|years?|yrs?|old|age|month\w*|candles?|born|jahre?|alt|geburtstag"
        r"|geworden|wird|wurde|monate?|feier\w*"
    ),
    "dose": (
        r"doses?|dosage|mg|mcg|milligram\w*|pills?|tablets?|up to|down to|back (?:to|on|down)"
        r"|started|increas\w*|halved|doubled|dosis|tablette\w*|pille\w*|erhöht|gesenkt"
    ),
    "contact": (
        r"number|no\.?|phone|mobile|cell|call\w*|reach\w*|text\w*|whatsapp|tel\w*|nummer|handy\w*"
        r"|anruf\w*|erreich\w*|mail|pin|code|password|passwort|new|neue?"
    ),
    "address": (
        r"liv(?:es?|ing)|mov(?:ed?|es|ing)|address|flat|house|home|apartment|room|place|street|road"
        r"|rent\w*|post|letter|card|send|sent|keys?|settled|relocat\w*|based|new|now|wohn\w*|zog"
        r"|zieht|gezogen|umgezogen|umzug\w*|adresse|anschrift|haus|wg|zimmer|straße|jetzt|neue?"
    ),
    "job": (
        r"work\w*|job|hired|boss|start\w*|quit|left|resign\w*|retire\w*|fired|laid off|company"
        r"|office|firm|shift\w*|promot\w*|position|career|trainee\w*|contract|colleagues?|became"
        r"|becom\w*|switched|now|freelanc\w*|arbeit\w*|stelle|beruf\w*|chef|firma|angefangen|fängt"
        r"|gekündigt|kündig\w*|rente|befördert|jetzt|wechsel\w*|ausbildung|selbstständig"
        r"|selbständig"
    ),
    "state": (
        r"is|are|now|done|finished|ready|waiting|stuck|started|submitted|signed|approved|delayed"
        r"|hold|progress|draft\w*|phase|stage|status|next|almost|still|in|ist|sind|fertig|wartet"
        r"|steht|hängt|läuft|abgegeben|genehmigt|unterschrieben|liegt|jetzt|noch|endlich"
    ),
}


# What may happen, and what is bought for the subject.
_PLAN = LatePattern(
    r"(?<!\w)(?:should|would|could|wants? (?:to|a|new)|wish\w*|dream\w*|thinks? (?:about|he|she"
    r"|of)|saw"
    r"|bought|offered|fined|raffle|lottery|will ein\w*|möchte|würde|träumt|gekauft|sollte"
    r"|gewonnen)(?!\w)",
    re.I,
)


_CUE_PATTERNS = {topic: whole_words(text) for topic, text in _CUES.items()}


def mark_likely_newest(
    wanted: AskedFact | None,
    ranked: Sequence[Candidate],
    last_day: str,
    model: StatementModel | None = None,
) -> bool:
    """Set `likely_newest` of the candidates near the top that probably state the asked fact: 1 for
    the newest, 0 for the oldest of several. Returns whether any is marked. What is dated after
    `last_day` is a plan or a mistake. "What did the car repair cost?" asks for no newest one."""
    if wanted is None or not ranked or wanted.is_past:
        return False
    least = NEAR * max(one.weight for one in ranked)
    near = [
        one for one in ranked[:COMPARED] if one.weight >= least and (one.date or "") <= last_day
    ]
    if wanted.is_guess:
        wanted = _with_known_words(wanted, near)
    for one in near:
        one.likely = likelihood(wanted, one.text, one.title, model)
    enough = OF_BEST * max((one.likely for one in near), default=0.0)
    found = [one for one in near if one.likely and one.likely >= enough]
    days = sorted({one.date for one in found if one.date})
    trust = OF_GUESS if wanted.is_guess else 1.0
    for one in found if days else ():
        # A root, because the very newest is often about something else.
        one.likely_newest = trust * math.sqrt(_place(one, days)) * one.likely
    return bool(days)


def _with_known_words(wanted: AskedFact, near: Sequence[Candidate]) -> AskedFact:
    """The fact about those words of its subject that some candidate has: nobody knows which words
    of the question are the subject."""
    texts = " ".join(f"{one.title} {one.text[:LONGEST_READ]}" for one in near)
    return structs.replace(wanted, subject=stems_in(texts, wanted.subject) or wanted.subject)


def _place(one: Candidate, days: Sequence[str]) -> float:
    """0 for the first of these days, 1 for the last. Without a date it is as new as its file."""
    latest = one.date or one.file_day or days[-1]
    place = max(0, bisect_right(days, latest) - 1)
    return place / (len(days) - 1) if len(days) > 1 else 1.0


def likelihood(
    wanted: AskedFact, text: str, title: str, model: StatementModel | None = None
) -> float:
    """How likely a passage states the fact, from 0 to 1."""
    if not _has_subject(wanted, f"{title} {text[:LONGEST_READ]}"):
        return 0.0
    pieces = _pieces(wanted, text[:LONGEST_READ], title)
    by_rules = max((_by_rules(wanted, one, title) for one in pieces), default=0.0)
    topic = wanted.likely_topic
    if model is None or topic is None or wanted.language is not None:
        return by_rules
    by_words = max(
        (model.likelihood(topic.name, one, wanted.subject) for one in pieces), default=0.0
    )
    likely = BY_WORDS * math.sqrt(by_words) + (1 - BY_WORDS) * by_rules
    return likely if likely >= LEAST_LIKELY else 0.0


def _has_subject(wanted: AskedFact, text: str) -> bool:
    return len(stems_in(text, wanted.subject)) >= LEAST_SHARE * len(wanted.subject)


def _pieces(wanted: AskedFact, text: str, title: str) -> list[str]:
    """The sentences that may be about the subject, and with a short one after them: "Bruno on the
    scale. 28.9"."""
    every = list(sentences(text))
    is_in_title = _has_subject(wanted, title)
    found: list[str] = []
    for at, sentence in enumerate(every):
        if is_in_title or stems_in(sentence, wanted.subject):
            found.append(sentence)
            if at + 1 < len(every) and len(every[at + 1]) <= SHORT:
                found.append(f"{sentence} {every[at + 1]}")
    return found[:MOST_READ]


def _by_rules(wanted: AskedFact, piece: str, title: str) -> float:
    """How likely one sentence states the fact, by a value of its kind and a word for it."""
    if not _has_subject(wanted, f"{title} {piece}"):
        return 0.0
    if _PLAN.search(piece) or (wanted.subject and is_about_relative(wanted, piece)):
        return 0.0
    topic = wanted.likely_topic
    if topic is None:
        return 1.0 if _NUMBER.search(piece) else 0.0
    other = topic.not_in_statement
    if other is not None and other.search(piece):
        return 0.0
    value, cue = _VALUES.get(topic.name), _CUE_PATTERNS.get(topic.name)
    if value is not None and not value.search(piece):
        return 0.0
    if cue is not None and cue.search(piece):
        return 1.0
    return WITH_VALUE if value is not None else WITHOUT_VALUE
