"""Cuts off the words of a question that only ask: "Do I have a note about sourdough?". Pure.

They say nothing about the notes, but they have a meaning, and an embedded model compares it too. A
frame is cut off only with the preposition that ends it, so that "the note" alone stays, and only if
telling words remain. "That idea about …" stays: a note may be tagged as an idea.
"""

import re

from ragd.notes.late_pattern import LatePattern
from ragd.search.query.query_terms import has_content_words

_MOST_FRAMES = 3  # inside each other: "show me | the note | about …"

_ABOUT = "(?:about|on|of|regarding|concerning)"
_KIND = "(?:thing|stuff|note|entry|page|passage|bit|part|text)s?"
_ANY = "(?:anything|something|(?:(?:a|an|any|some|my|the) )?(?:notes?|entry|entries))"
_NOTED = "(?:writ(?:e|ing|ten)|wrote|mention(?:ed|ing)?|not(?:e|ed|ing)|sa(?:y|id)|talk(?:ed)?)"
_EVER = "(?:(?:ever|already|once|also|vaguely) )?"

_ENGLISH = (
    f"(?:where|when|what|(?:in )?which notes?) (?:do|did|have|does) (?:i|we|my notes) {_EVER}"
    f"(?:{_NOTED}|know|think|have)(?: down)?(?: {_ANY})? (?:{_ABOUT}|that)",
    f"where (?:do|did|have) (?:i|we) {_EVER}mention(?:ed)?",
    f"(?:do|did|have) (?:i|we) {_EVER}(?:have|written|write|noted?|keep|kept|got) {_ANY} "
    f"(?:{_ABOUT}|for|where|with|that)",
    f"(?:is|are|was) there {_ANY} (?:{_ABOUT}|for|where|that)",
    f"(?:(?:all|any|some|all of) )?(?:my |the )?notes {_ABOUT}",
    f"(?:that|the|this|a|an|some|one) {_KIND} (?:{_ABOUT}|where)",
    f"what (?:was|is|were|are) (?:that|the|this|those|my) {_KIND} (?:again )?(?:{_ABOUT}|where)",
    "something (?:about|on|like)",
    f"i (?:think |know |believe )?(?:i )?{_EVER}(?:remember|recall|wrote|noted|mentioned|read)"
    f"(?: {_NOTED})?(?: down)?(?: {_ANY})? (?:{_ABOUT}|where)",
    "(?:please )?(?:find|show|give|tell|remind) me(?: (?:everything|all|more))?"
    f"(?: {_ABOUT}|(?= {_ANY} | what | (?:(?:a|the|that|this) )?{_KIND} ))",
    "(?:please )?(?:look|search)(?:ing)?(?: (?:in|through))?(?: my notes)? for",
    f"what i (?:know|wrote|have|noted|said) {_ABOUT}",
)
_GERMAN = (
    "(?:was|wo|wann) (?:habe?|hatte) ich (?:(?:mal|schon|einmal|etwas|was) )*"
    "(?:über|von|zum|zur|zu)"
    r"(?=.*(?:geschrieben|notiert|erwähnt|gesagt)\W*$)",
    "(?:habe?|hatte) ich (?:(?:etwas|was|irgendwas|eine notiz|notizen) )+(?:über|zum|zur|zu|von)",
    "(?:(?:alle|meine|alle meine) )?notizen (?:über|zum|zur|zu|von)",
    "(?:das|die|diese|dieses|der|eine) (?:sache|notiz|stelle|eintrag) (?:mit|über|zum|zur|zu|wo)",
    "(?:et|irgendet|irgend)?was (?:über|mit)",
)
_BEFORE = LatePattern(
    rf"\s*(?:(?:and|so|ok|hey|hm+|und|also|,)\s+)?(?:{'|'.join((*_ENGLISH, *_GERMAN))})\s+", re.I
)
_GAP = r"(?<![,\s])[,\s]+"  # tried only from its beginning: a long one takes no longer
_AFTER = LatePattern(
    rf"{_GAP}(?:(?:that )?i (?:once )?(?:wrote|noted|mentioned)(?: down)?(?: about| it)?"
    r"|(?:in|from) my notes)\s*$",
    re.I,
)
_AFTER_FRAME = LatePattern(rf"{_GAP}(?:geschrieben|notiert|erwähnt|gesagt)\s*$", re.I)
_END = " ?!.…"


def without_frame(question: str) -> str:
    """The question without the words that only ask. Unchanged if only function words remain."""
    found = question
    for _ in range(_MOST_FRAMES):
        match = _BEFORE.match(found)
        if match is None:
            break
        found = found[match.end() :]
    endings = (_AFTER,) if found == question else (_AFTER, _AFTER_FRAME)
    for pattern in endings:
        if match := pattern.search(found.rstrip(_END)):
            found = found[: match.start()]
    return found if has_content_words(found, question) else question
