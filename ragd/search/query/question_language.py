"""Finds which group of languages a question is in, by its function words. Pure.

`language_of` of `ragd.notes` is for texts; a question is shorter, and a wrong guess here costs more
than none. English and German are one group, None: their words are compared together.
"""

from functools import cache
from typing import Literal

from ragd.notes.late_pattern import LatePattern
from ragd.notes.stop_words import ENGLISH, FRENCH, GERMAN, ITALIAN, SPANISH
from ragd.search.query.query_terms import without_accents

Group = Literal["romance", "dutch", "russian", "chinese", "japanese"]

_PORTUGUESE = """
a ao as até com como da das de dele dela deles delas do dos e ela ele em entre era essa esse esta
estava este está eu foi isso lhe mais mas me meu meus mim minha minhas muito na nas no nos nossa
nosso não o os ou para pela pelo por qual quais quando que quem se sem ser seu sua são também tem
tenho um uma é à às
"""
FUNCTION_WORDS: dict[Group, str] = {
    "romance": f"""
{FRENCH} {SPANISH} {ITALIAN} {_PORTUGUESE} cuál cuáles cuánto cuánta cuántos cuántas dinero ahora
actual actualmente todavía aún hoy total exactamente tengo tiene le les combien argent maintenant
encore actuellement actuel aujourd hui aussi quoi chez lui quanti quanta quante quant soldi adesso
ora ancora attualmente oggi attuale dinheiro ainda agora hoje atual atualmente onde ai ho hai ai
hice hizo fiz fez fatto momento moment
""",
    "dutch": """
de het een en van in is op te dat die voor met aan niet zijn ik je jij we wij hij zij ze er nog
hoeveel wat waar wie hoe welke mijn mij me nu momenteel tegenwoordig vandaag geld bij om als ook
maar dan naar uit over door ben heb hebben had ons onze haar hem hun wel precies eigenlijk deed
gedaan
""",
    "russian": """
я ты он она мы вы они мне мной меня мой моя моё мои мою моего моей его её ему ей в во на с со к ко у
о об по из за от до для и или а но что где куда кто кем чем кому как какой какая какие какое какова
когда сколько ли же ещё уже сейчас теперь сегодня всё все денег деньги это этот эта был была было
есть ныне текущий текущая
""",
}
_WORD = LatePattern(r"[^\W_]+")
_HAN = LatePattern("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = LatePattern("[\u3040-\u30ff]")
_CYRILLIC = LatePattern("[\u0400-\u04ff]")


def group_of(question: str) -> Group | None:
    """The group of the question; None if it is in English, German or an unknown language."""
    if _KANA.search(question):
        return "japanese"
    if _HAN.search(question):
        return "chinese"
    if _CYRILLIC.search(question):
        return "russian"
    words = _WORD.findall(without_accents(question))
    known, romance, dutch = (sum(word in one for word in words) for one in _latin_words())
    if max(romance, dutch) <= known:
        return None
    return "romance" if romance >= dutch else "dutch"


@cache
def _latin_words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    texts = (f"{ENGLISH} {GERMAN}", FUNCTION_WORDS["romance"], FUNCTION_WORDS["dutch"])
    known, romance, dutch = (frozenset(without_accents(text).split()) for text in texts)
    return known, romance, dutch
