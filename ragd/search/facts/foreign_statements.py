"""How facts that change are stated in languages other than English and German. Pure.

A wrong match marks a true statement as outdated, so every pattern needs a word that says what the
sentence is about: a verb of living before a place, a known profession, a payment by the user.
"""

from collections.abc import Collection, Mapping

from ragd.search.facts.romance_and_dutch import DUTCH, ROMANCE
from ragd.search.facts.russian_chinese_japanese import CHINESE, JAPANESE, RUSSIAN
from ragd.search.facts.statement_patterns import ForeignStatements
from ragd.search.query.question_language import Group

_BY_GROUP: Mapping[Group, ForeignStatements] = {
    "romance": ROMANCE,
    "dutch": DUTCH,
    "russian": RUSSIAN,
    "chinese": CHINESE,
    "japanese": JAPANESE,
}


def names_fact(topic: str, sentence: str, groups: Collection[Group]) -> bool:
    """Whether a sentence has a word that statements of the topic have, in one of the languages."""
    found = (_BY_GROUP[one].words.get(topic) for one in groups)
    return any(words.search(sentence) for words in found if words is not None)


def states_home(sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence states where somebody lives, in one of these languages."""
    return any(_BY_GROUP[one].home.search(sentence) for one in groups)


def states_work(sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence states the work of somebody, in one of these languages."""
    return any(_BY_GROUP[one].work.search(sentence) for one in groups)


def is_unreal(sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence is a wish or a condition, in one of these languages."""
    return any(_BY_GROUP[one].unreal.search(sentence) for one in groups)


def is_owed_to_user(sentence: str, groups: Collection[Group]) -> bool:
    """Whether the sentence is about money that the user lent, or got back."""
    return any(_BY_GROUP[one].to_user.search(sentence) for one in groups)


def relative_of(before: str, after: str, groups: Collection[Group]) -> str:
    """The word for a relative, if the subject between these texts only says whose sister or boss is
    meant; else empty."""
    for one in (_BY_GROUP[group] for group in groups):
        match = (one.before and one.before.search(before)) or (
            one.after and one.after.search(after)
        )
        if match:
            return match.group()
    return ""


NOTHING_OWED = (
    r"estamos en paz|(?:todo|deuda) (?:pagad[oa]|saldad[oa])|no le debo nada|ya no le debo"
    r"|nous sommes quittes|je ne (?:lui )?dois plus rien|tout (?:payé|remboursé)|siamo pari"
    r"|non (?:(?:gli|le) )?devo più (?:niente|nulla)|ne dois plus rien|geen schuld meer"
    r"|saldato tutto|estamos quites|não devo (?:mais )?nada|tudo pago"
    r"|we staan quitte|alles (?:terug)?betaald|niets meer schuldig|в расч[её]те"
    r"|мы квиты|больше (?:ничего )?не долж\w+|вернул[аи]? вс[её]"
)
NOTHING_OWED_UNSPACED = "两清|还清|付清|不欠|完済|全額返"
