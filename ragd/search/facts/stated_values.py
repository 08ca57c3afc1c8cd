"""The kinds of values that a sentence states: amounts, weights, addresses, roles, states. Pure."""

import re
from collections.abc import Collection

from ragd.notes.late_pattern import LatePattern
from ragd.search.facts import foreign_statements
from ragd.search.facts.amounts import AMOUNT_PATTERN
from ragd.search.facts.amounts import NUMBER_PATTERN as _N
from ragd.search.facts.occupation import states_work
from ragd.search.facts.residence import states_home
from ragd.search.query.question_language import Group, language_group

LONGEST_READ = 500  # characters of one sentence
AMOUNT, MASS, MEASURE, NUMBER = "amount", "mass", "measure", "number"
PLACE, ROLE, STATE, CODE, SETTLED = "place", "role", "state", "code", "settled"

_UNITS = (
    r"km|m|cm|mm|miles?|metres?|meters?|hours?|hrs?|h|minutes?|min|seconds?|mg|ml|l|litres?|liters?"
    r"|%|percent|°c?|degrees?|kwh|watts?|w|pages?|points?|days?|weeks?|months?|years?"
)
_MASSES = (
    r"kg|kilos?|kilograms?|g|grams?|gramm|lbs?|pounds?|stone|tonnes?|t|kilogramos|chil[io]|quilos?"
    r"|кг|кило(?:грамм\w{0,3})?|г"
)
_KINDS = {
    AMOUNT: LatePattern(AMOUNT_PATTERN, re.I),
    MASS: LatePattern(
        rf"(?<![\d.,])(?!(?:19|20)\d\d\s?г){_N}\s?(?:(?:{_MASSES})(?![a-z0-9À-ÿа-я])|公斤|斤|キロ)",
        re.I,
    ),
    MEASURE: LatePattern(rf"(?<![\d.,]){_N}\s?(?:{_UNITS})(?!\w)", re.I),
    NUMBER: LatePattern(r"\d"),
    CODE: LatePattern(  # no time and no date
        r"(?<![\w.:])(?!\d{1,4}[.:/-]\d\d?(?:[.:/-]\d{1,4})?(?![\d-]))\+?\d[\d\s/().-]{3,40}\d"
        r"|\S{1,64}@\S|(?:(?<!\w)(?:is|ist|lautet|es|est|è|é)|(?<!\d):)\s{0,9}"
        r"(?!\d{1,2}[.:]\d\d)\S{0,40}\d\S{0,40}\d",
        re.I,
    ),
    SETTLED: LatePattern(
        r"(?<!\w)(?:(?:we are|we're|all|now) (?:even|square|quits)"
        r"|(?:owe|owes|owed) (?:\w+ )?nothing"
        r"|(?:does|do|did)(?:n['’]t| not) owe \w+(?: \S+){0,3} any ?more"
        r"|debt is (?:gone|paid|settled)|settled (?:everything|it all|up|the (?:last|rest|debt))"
        r"|paid (?:\w+ ){0,3}(?:in full|off|everything|the rest|the last)|paid it all"
        r"|(?:waved|waived|forgave|cancelled) \w+(?: \w+){0,3} (?:rest|debt|loan)"
        r"|(?:the )?last of the money|nothing left to pay|schuldenfrei|quitt|alles bezahlt"
        rf"|{foreign_statements.NOTHING_OWED})(?!\w)|{foreign_statements.NOTHING_OWED_UNSPACED}",
        re.I,
    ),
}
KINDS = (*_KINDS, PLACE, ROLE)
_IS = r"(?:is|are|was|were|has been|stands|went|remains|steht|ist|war|now)"
_ABOUT = r"(?:status|state|stage|update|progress|stand)"


def kinds_in(sentence: str, wanted: Collection[str] = KINDS) -> set[str]:
    """Those of the wanted kinds of values that a sentence has. A state is never found: it depends
    on the subject. Only the beginning of a very long sentence is read."""
    read = sentence[:LONGEST_READ]
    found = {kind for kind in wanted if kind in _KINDS and _KINDS[kind].search(read)}
    group = language_group(read)
    groups = {group} if group else set[Group]()
    if PLACE in wanted and (states_home(read) or foreign_statements.states_home(read, groups)):
        found.add(PLACE)
    if ROLE in wanted and (states_work(read) or foreign_statements.states_work(read, groups)):
        found.add(ROLE)
    return found


def is_statement_of_state(sentence: str, subject_end: int) -> bool:
    """Whether the sentence states the state of its subject, which ends at `subject_end`."""
    after = sentence[subject_end:]
    if re.match(
        rf"\W*\s*(?:\w+\s+){{0,4}}?(?:\bit )?{_IS}\b\s+\w|\s*(?::|,\s*it is\b|\s-\s)", after, re.I
    ):
        return not sentence.rstrip().endswith("?")
    before = sentence[:subject_end] or sentence  # the title names the subject
    return bool(re.search(rf"\b{_ABOUT}\b", before, re.I) and ":" in after)
