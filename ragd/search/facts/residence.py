"""Finds out whether a sentence in English or German states where somebody lives. Pure.

A name and a number are not enough: "Paid Marco 40 for pizza" and "Marco arrives on March 5" state
no address. So a sentence needs a verb such as "lives" or "moved to" before a place, or a whole
address together with a word such as "flat" or right after the name of the person.
"""

from ragd.notes.late_pattern import LatePattern
from ragd.search.facts.amounts import find_amount

_NAME = r"[A-ZÀ-ÞА-Я][\w'’.-]*"
# "12", "12b", "12-14": not a year, not a part of a longer number, and without a unit.
_UNIT = (
    r"uhr|o.clock|[ap]\.?m\.?|km|kg|kilo\w*|euros?|eur|days?|weeks?|months?|years?|hours?|min\w*"
    r"|times|people|tage?n?|wochen?|jahre?n?|stunden?"
)
_HOUSE = (
    r"(?<![\w.,:€$£])(?!(?:19|20)\d\d(?!\d))\d{1,4}(?:\s?[a-z])?(?:-\d{1,4})?(?![\w:%€$£])"
    rf"(?![.,]\d)(?!\s?(?:[€$£%]|(?i:{_UNIT})(?!\w)))"
)
_STREET = (
    r"street|st|road|rd|lane|ln|avenue|ave|drive|way|terrace|close|court|square|row|walk|hill|view"
    r"|place|crescent|gardens?|grove|park|boulevard|blvd|mews|rise|green|quay|parade|alley|yard"
    r"|wharf|straße|strasse|str|weg|gasse|allee|platz|ring|ufer|damm|markt|steig|chaussee|berg"
    r"|graben|straat|laan|plein|gracht|kade|dijk|haven|singel|steeg"
)
_ADDRESS = LatePattern(  # "Hill Road 12", "Lindenstraße 5", "12 Hill Road"
    rf"(?<![\w'’]){_NAME}(?:\s{_NAME}){{0,3}},?\s{_HOUSE}"
    rf"|{_HOUSE},?\s(?:{_NAME}\s){{0,3}}(?i:\w*(?:{_STREET}))(?!\w)"
)
_IS_STREET = LatePattern(rf"(?i:\w*(?:{_STREET}))\.?(?!\w)")
_AT_HOME = LatePattern(
    r"(?<!\w)(?i:address|home|house|flat|apartment|lives?|living|moved|moving|post for|letters?"
    r"|card|parcels?|boxes|adresse|anschrift|wohn\w*|\w*wohnung|zuhause|zu hause|umzug\w*"
    r"|umgezogen|kartons?|post|postkarte|paket|haus)(?!\w)"
)
_JOINING = (
    r"is|now|at|currently|back|from now on|the|ist|jetzt|nun|in|der|die|im|am|ab sofort|wohnt"
)
# "Marco: 12 Hill Road", "Marco is now at 12 Hill Road"
_BETWEEN = LatePattern(rf"[\s,:;–—-]*(?i:(?:{_JOINING})[\s,:]+)*")
_ADVERBS = r"(?i:now|again|back|away|out|house|over|together|alone|permanently|with\s\w+)"
_LIVES = LatePattern(
    r"(?<!\w)(?i:lives?|living|moved|moves|moving|relocated|flat|apartment|house|home|address)"
    rf"(?!\w)(?:\s{_ADVERBS}){{0,2}}(?:\s(?i:in|to|into|at|near|is)(?!\w)|\s?:)\s+"
    rf"(?:(?i:the|a\s\w+\s(?:in|at))\s+)?(?:\d{{1,4}},?\s)?{_NAME}"
    r"|(?<!\w)(?i:moved)\s(?:(?i:back|out)\s)?(?i:to|into)\s(?i:the|an?)\s(?i:coast|country\w*"
    r"|city|town|village|mountains?|island|suburbs?|north|south|east|west|sea\w*)"
)
_LIVES_IN_GERMAN = LatePattern(
    r"(?<!\w)(?i:wohnt|lebt|zieht|zog|umgezogen|\w*wohnung|zuhause|haus)(?!\w)[^.]{0,30}?"
    r"(?:\s(?i:in|nach|zu|am|im|an|auf)|[:,])\s+(?:(?i:die|der|den|das|dem)\s+)?"
    rf"(?:\d{{1,4}},?\s)?{_NAME}"
    rf"|(?<!\w)(?i:nach)\s{_NAME}(?:\s{_NAME})?\s(?i:um)?(?i:gezogen)"
)
_WISH = LatePattern(
    r"(?<!\w)(?i:wants?|would|wish(?:es)?|dreams?|hopes?|might|may|could|möchte|würde|träumt)(?!\w)"
)


def states_home(sentence: str, subject_end: int = 0) -> bool:
    """Whether an English or German sentence states a place where somebody lives. `subject_end`:
    where the name of the person ends; 0 if the title has it."""
    if _WISH.search(sentence):
        return False
    if _LIVES.search(sentence) or _LIVES_IN_GERMAN.search(sentence):
        return True
    if find_amount(sentence):  # a payment; its number is no house number
        return False
    found = _ADDRESS.search(sentence)
    if not found:
        return False
    if _AT_HOME.search(sentence):
        return True
    is_street, begins = bool(_IS_STREET.search(found.group())), found.start()
    return is_street and bool(
        _BETWEEN.fullmatch(sentence[subject_end:begins] if begins >= subject_end else "x")
    )
