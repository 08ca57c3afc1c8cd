"""The kinds of values that a sentence states: amounts, weights, addresses, roles, states. Pure."""

import re
from collections.abc import Iterable

from ragd.notes.late_pattern import LatePattern
from ragd.search.ranking import fact_words

LONGEST_READ = 500  # characters of one sentence
AMOUNT, MASS, MEASURE, NUMBER = "amount", "mass", "measure", "number"
PLACE, ROLE, STATE, CODE, SETTLED = "place", "role", "state", "code", "settled"

# Repetitions have a limit, so that a page of digits does not take long.
_N = "\\d[\\d.,' \u00a0\u202f]{0,20}"
_MONEY = (
    r"euros?|eur|dollars?|usd|bucks|francs?|chf|pounds?|gbp|rupees?|inr|yen|yuan|kronen?|zloty"
    r"|d[óo]lares|dollari|reais|pesos|руб\w{0,3}|р\.|тыс\w{0,4}\.?"
)
_UNITS = (
    r"km|m|cm|mm|miles?|metres?|meters?|hours?|hrs?|h|minutes?|min|seconds?|mg|ml|l|litres?|liters?"
    r"|%|percent|°c?|degrees?|kwh|watts?|w|pages?|points?|days?|weeks?|months?|years?"
)
AMOUNT_PATTERN = (
    rf"[$€£¥￥₹₩₽]\s?{_N}|{_N}\s?[$€£¥￥₹₩₽]|{_N}\s?(?:(?:{_MONEY})(?!\w)|[万千]?[元块円])"
    rf"|(?<!\w)(?:{_MONEY})\s{_N}|[一二两三四五六七八九十百千万]{{1,12}}\s?[元块円]"
)
_MASSES = (
    r"kg|kilos?|kilograms?|g|grams?|gramm|lbs?|pounds?|stone|tonnes?|t|kilogramos|chil[io]|quilos?"
    r"|кг|кило\w{0,8}|г"
)
_HIRED = (
    r"(?:works?|working|started|starts|hired|employed|contract|living|job|promoted|joined|appointed"
    r"|arbeitet|angestellt)"
)
_KINDS = {
    AMOUNT: LatePattern(AMOUNT_PATTERN, re.I),
    MASS: LatePattern(rf"(?<![\d.,]){_N}\s?(?:(?:{_MASSES})(?!\w)|公斤|斤|キロ)", re.I),
    MEASURE: LatePattern(rf"(?<![\d.,]){_N}\s?(?:{_UNITS})(?!\w)", re.I),
    NUMBER: LatePattern(r"\d"),
    CODE: LatePattern(r"\+?\d[\d\s/().-]{3,40}\d|\S{1,64}@\S|(?:is|:)\s{0,9}\S{0,40}\d", re.I),
    # A number before or after a name, or a name after a verb such as "lives" or "moved".
    PLACE: LatePattern(
        r"\d{1,6}\w?,? [A-ZÀ-Þ][\w-]|[A-ZÀ-Þ][\w-]{1,40} \d{1,6}\w?(?!\w)"
        r"|(?:lives?|living|moved|flat|house|home|address|wohnt|zog|gezogen)\b[^.]{0,40}?"
        r"(?:in|to|at|near|nach|:)\s+(?:the\s+)?[A-ZÀ-Þ]"
        rf"|(?i:(?<!\w)(?:{fact_words.LIVES})(?!\w))[^.]{{0,40}}?"
        rf"(?i:(?<!\w)(?:{fact_words.IN})(?!\w)\s*(?:{fact_words.ARTICLE}\s+)?|: ?)[A-ZÀ-ÞА-Я]"
        rf"|[А-Я][а-я-]{{1,40}},? \d|{fact_words.LIVES_UNSPACED}"
    ),
    ROLE: LatePattern(
        rf"(?i:{_HIRED}\b[^.]{{0,30}}?(?:\b(?:as|at|for|to|als|bei)\b|:))"
        r"|(?i:\b(?:is|was|became|now|work:|wird|ist)\s+(?:now\s+)?(?:an?|the new|eine?)\s+[a-z])"
        r"|(?i:retired|(?:lost|quit) (?:the|his|her|their|my) job|looking for work|unemployed"
        r"|out of work|pensioniert|in rente|arbeitslos)|joined [A-ZÀ-Þ]"
        rf"|(?i:(?<!\w)(?:{fact_words.WORKS})(?!\w)[^.]{{0,40}}?(?<!\w)(?:{fact_words.AS})(?!\w)"
        rf"|(?<!\w)(?:{fact_words.HAS_NO_JOB})(?!\w))|{fact_words.WORKS_UNSPACED}"
    ),
    SETTLED: LatePattern(
        r"(?<!\w)(?:(?:we are|we're|all|now) (?:even|square|quits)"
        r"|(?:owe|owes|owed) (?:\w+ )?nothing"
        r"|(?:does|do|did)(?:n['’]t| not) owe \w+(?: \S+){0,3} any ?more"
        r"|debt is (?:gone|paid|settled)|settled (?:everything|it all|up|the (?:last|rest|debt))"
        r"|paid (?:\w+ ){0,3}(?:in full|off|everything|the rest|the last)|paid it all"
        r"|(?:waved|waived|forgave|cancelled) \w+(?: \w+){0,3} (?:rest|debt|loan)"
        r"|(?:the )?last of the money|nothing left to pay|schuldenfrei|quitt|alles bezahlt"
        rf"|{fact_words.NOTHING_OWED})(?!\w)|{fact_words.NOTHING_OWED_UNSPACED}",
        re.I,
    ),
}
KINDS = tuple(_KINDS)
_IS = r"(?:is|are|was|were|has been|stands|went|remains|steht|ist|war|now)"
_ABOUT = r"(?:status|state|stage|update|progress|stand)"


def kinds_in(sentence: str, wanted: Iterable[str] = KINDS) -> set[str]:
    """Those of the wanted kinds of values that a sentence has. A state is never found: it depends
    on the subject. Only the beginning of a very long sentence is read."""
    read = sentence[:LONGEST_READ]
    return {kind for kind in wanted if kind in _KINDS and _KINDS[kind].search(read)}


def is_statement_of_state(sentence: str, subject_end: int) -> bool:
    """Whether the sentence states the state of its subject, which ends at `subject_end`."""
    after = sentence[subject_end:]
    if re.match(
        rf"\W*\s*(?:\w+\s+){{0,4}}?(?:\bit )?{_IS}\b\s+\w|\s*(?::|,\s*it is\b|\s-\s)", after, re.I
    ):
        return not sentence.rstrip().endswith("?")
    before = sentence[:subject_end] or sentence  # the title names the subject
    return bool(re.search(rf"\b{_ABOUT}\b", before, re.I) and ":" in after)
