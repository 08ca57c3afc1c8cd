"""Finds the language of a question, and its group of languages, by its function words. Pure.

`language_of` of `ragd.notes` is for texts; a question is shorter, often only names, and a wrong
guess here costs more than none. In a group, English and German are one, None: their words are
compared together.
"""

from collections.abc import Collection, Mapping
from functools import cache
from typing import Literal

from msgspec import Struct

from ragd.notes.languages import LATIN_LANGUAGES, function_words_in, language_of
from ragd.notes.late_pattern import LatePattern
from ragd.notes.stop_words import ENGLISH, FRENCH, GERMAN, ITALIAN, SPANISH
from ragd.search.query.query_terms import without_accents

Group = Literal["romance", "dutch", "russian", "chinese", "japanese"]
ENGLISH_CODE = "en"
ENOUGH = 3  # ambiguous words of one language that show it together
UNSPACED: frozenset[Group] = frozenset({"chinese", "japanese"})

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
ora ancora attualmente oggi attuale dinheiro ainda agora hoje atual atualmente onde ai ho hai
hice hizo fiz fez fatto momento moment dell dall nell all sull un fa fait faz hace tô tá tou pra pro
debo devo dois
""",
    "dutch": """
de het een en van in is op te dat die voor met aan niet zijn ik je jij we wij hij zij ze er nog
hoeveel wat waar wie hoe welke mijn mij me nu momenteel tegenwoordig vandaag geld bij om als ook
maar dan naar uit over door ben heb heeft hebben had ons onze haar hem hun wel precies eigenlijk
deed doet gedaan dit deze moet moment waren vorige hadden
""",
    "russian": """
я ты он она мы вы они мне мной меня мой моя моё мои мою моего моей его её ему ей в во на с со к ко у
о об по из за от до для и или а но что где куда кто кем чем кому как какой какая какие какое какова
когда сколько ли же ещё уже сейчас теперь сегодня всё все денег деньги это этот эта был была было
есть ныне текущий текущая делает
""",
}
# They are English words or parts of names, too: "van repair cost", "De Niro's phone number", "Ben".
_AMBIGUOUS_TEXT = """
a actual ai al all als am an as at ben bien c come comment como con da dal dan de del den des di
do door dos du e ed el ella em era es est eu for geld ha had hay hem hen her hun in is j l la las
le les lo los ma mais me men mes met mi mia mine minha moment mon n na ne no non nor nos nu o of
om on ons op or ora os over par pas per plus pour pra pro qui ran real sale se sem sera si sin so
son sous sua sul sull sur te ten the then to toe ton tot total tu um un una uno us van was we were
wie y yo ze zij
"""
# These alone do not show that a question is in one of all languages, but may show its group.
_MORE_AMBIGUOUS_TEXT = """
aby ada aki aku algo alla ama ami anda ani apa att aus bin bir care ces che chi cosa cual cum dari
das dat deg dei della der die dig dove ela elle els esta este fait foi hat hoe hon hur ile inn ise
ist jag jen jos kadar kami kde kita kun loro mai man mas meg mig mille min mint mit mod molt nas nel
nun nur olan oleh onder ont para pelo pod prin quale sans sau saya sen seva ska sono tem till uit
uma vad vid volt war wat wel will worden yang
"""
_AMBIGUOUS = frozenset(_AMBIGUOUS_TEXT.split())
_NOT_TELLING = _AMBIGUOUS.union(_MORE_AMBIGUOUS_TEXT.split())
_WORD = LatePattern(r"[^\W_]+")
_HAN = LatePattern("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = LatePattern("[\u3040-\u30ff]")
_CYRILLIC = LatePattern("[\u0400-\u04ff]")


def question_language(text: str, notes: Collection[str]) -> str | None:
    """The ISO 639-1 code of the language of a question; None if it is not clear.

    `notes`: the languages of the notes. If all that shows a language is words that are also English
    words or names ("Ben last week" is not Turkish), it must be the language of notes that are not
    also in English.
    """
    found = language_of(text)
    if found is None or _is_sure(found, text):
        return found
    return (
        found if found in notes and (found == ENGLISH_CODE or ENGLISH_CODE not in notes) else None
    )


def _is_sure(language: str, text: str) -> bool:
    """Whether a question has a word that only this language uses, or several of its words."""
    if language not in LATIN_LANGUAGES:
        return True  # its script shows it
    words = function_words_in(text)
    own, english = words[language], words[ENGLISH_CODE]
    known = frozenset() if language == ENGLISH_CODE else english
    return any(map(_is_telling, own - known)) or (
        len(own) >= ENOUGH and len(own) > len(known - own)
    )


def _is_telling(word: str) -> bool:
    """Whether a function word is no English word or name, and long enough to be no accident."""
    return (len(word) > 1 if not word.isascii() else len(word) > 2) and word not in _NOT_TELLING


def language_group(text: str) -> Group | None:
    """The group of a question or a sentence; None if it is in English, German or an unknown
    language, or if its only words of another language are ambiguous."""
    if _KANA.search(text):
        return "japanese"
    if _HAN.search(text):
        return "chinese"
    if _CYRILLIC.search(text):
        return "russian"
    words = _WORD.findall(without_accents(text))
    lists = _latin_words()
    known, romance, dutch = (sum(word in one for word in words) for one in lists.whole)
    if max(romance, dutch) <= known:
        return None
    group: Group = "romance" if romance >= dutch else "dutch"
    return group if any(word in lists.sure[group] for word in words) else None


class _LatinWords(Struct, frozen=True):
    """Function words: of English and German, of Romance languages, of Dutch; and the sure ones."""

    whole: tuple[frozenset[str], frozenset[str], frozenset[str]]
    sure: Mapping[Group, frozenset[str]]


@cache
def _latin_words() -> _LatinWords:
    texts = (f"{ENGLISH} {GERMAN}", FUNCTION_WORDS["romance"], FUNCTION_WORDS["dutch"])
    known, romance, dutch = (frozenset(without_accents(text).split()) for text in texts)
    unsure = known | _AMBIGUOUS
    sure: dict[Group, frozenset[str]] = {"romance": romance - unsure, "dutch": dutch - unsure}
    return _LatinWords((known, romance, dutch), sure)
