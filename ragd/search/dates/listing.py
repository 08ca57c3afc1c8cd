"""Whether a question, without its time phrases, asks for a list of everything. Pure.

A rest of nothing but function words and words for notes and events does: "What happened", "my
notes". A rest that may be a name or a noun is searched: "Ben", "Will", "US", "war".
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.query.query_terms import without_accents
from ragd.search.query.question_language import FUNCTION_WORDS, Group, language_group

# Words with which people ask for everything of a time: "What happened …", "my notes of …".
_ENGLISH_ASKING = """
happen happened happens happening occurred write wrote written writing note notes noted journal
journals diary entry entries record recorded recap summarise summarize summary list everything
anything something going went events event busy been talk talked talking lot topic topics discuss
discussed subject subjects
"""
_GERMAN_ASKING = """
passiert passierte geschah geschehen gemacht getan machte tat geschrieben schrieb notiert notizen
notiz tagebuch eintrag einträge alles los zeig zeige besprochen geredet thema themen
"""
_ASKING_BY_GROUP: dict[Group, str] = {
    "romance": """
pasó pasado ocurrió sucedió escribí escribo escrito notas nota diario hacer anoté muestra muéstrame
todo todos passé passait écrit notes note journal faire fait montre tout toutes successo accaduto
scritto scrissi diario note mostra tutto aconteceu passou escrevi diário anotei fazia hacía hicimos
fizemos facevo faisais
""",
    "dutch": "was waren gebeurd gebeurde geschreven schreef notities dagboek alles toon laat zien "
    "deden",
    "russian": "делал делала делали сделал сделала произошло происходило случилось было писал "
    "писала написал написала заметки записи дневник всё покажи",
}
# Words of the lists above that may be names or nouns: a rest with no other words is searched.
_NAMES_OR_NOUNS_TEXT = """
ai al an ben bin como dan dei del della der des die dir dos door du ein el ella em era es eu gab
ha hai hat her hers him il ins it la las le lei les list lo los lot lui ma mal man may me mein
meine mi mia mie mine mir mon most ne near nor nun on one op or os over par per por record schon
sei sein seine si so sobre son sta subject such sur ten te thema tal tat talk this toi ton topic
tu um un una une us van vos war who will wie yo zum event busy been down out up off van met in is
ze hem hun haar ons dat
"""
_NAMES_OR_NOUNS = frozenset(_NAMES_OR_NOUNS_TEXT.split())
# Nouns that the lists of function words have for other questions.
_NOUNS_TEXT = """
argent dinero dinheiro soldi geld деньги денег total actual momento moment hora ora tot
"""
_NOUNS = frozenset(_NOUNS_TEXT.split())
_ENGLISH_TIMES = """
yesterday today tonight last past previous next ago week month year weekend day days weeks months
years since until january february march april may june july october december summer spring autumn
"""
_GERMAN_TIMES = """
gestern heute vorgestern letzte letzten letztes letzter letztem vorige vorigen voriges vergangene
vergangenen vergangenes nächste woche monat jahr wochenende tag tage tagen wochen monaten jahren
seit bis januar februar märz april mai juni juli oktober dezember sommer herbst frühling
"""
_JAPANESE = re.compile(
    "日記|記録|メモ|ノート|出来事|(?:何|なに|なん)(?:か)?|全部|すべて|全て|私|僕|俺|わたし|ぼく|こと|もの|内容|一覧"
    "|書い|書き|教え|見せ|起き|起こっ|して|した|しま|やっ|あっ|あり|いた|いま|ました|ます|です|でした|だった"
    "|ください|下さい|くれ|どう|どんな|て|た|は|が|を|に|で|の|と|も|へ|か|ね|よ"
)
_JAPANESE_SURE = re.compile(
    "日記|記録|メモ|ノート|出来事|何|なに|なん|全部|すべて|全て|書い|書き|教え|見せ|起き|起こっ|した|やっ|あっ|どう"
)
_WORD = re.compile(r"[^\W_]+")
_CHINESE = re.compile(
    "什么|哪些|聊了?|谈了?|讨论|话题|发生|做了?|干了?|写了?|记录|日记|笔记|事情|一些|所有|内容|请|列出|查看|看看"
    "|[我你的了在是有过吗呢啊事都些记给]"
)


class _Words(Struct, frozen=True):
    """The function words and asking words of a language or a group of languages."""

    known: frozenset[str]
    times: frozenset[str] = frozenset()


def asks_for_all(rest: str, question: str, group: Group | None) -> bool:
    """Whether the rest of a question has no words that narrow down the search.

    `group`: the languages of its time phrases, if it is not English, German or Chinese.
    """
    if language_group(question) == "japanese" or group == "japanese":
        return _is_japanese_asking(rest)
    pieces = _WORD.findall(_CHINESE.sub(" ", rest))
    if not pieces:
        return True
    if _has_names(rest, pieces):
        return False
    words = [_plain(piece) for piece in pieces]
    return any(
        one.known.issuperset(words) and not _NAMES_OR_NOUNS.issuperset(words)
        for one in _languages_of(question, group)
    )


def _languages_of(question: str, group: Group | None) -> Sequence[_Words]:
    """The languages that the question is in: English, German or both, if `group` is not known."""
    if group is not None and group != "chinese":
        return [_words_of(group)] if group in _ASKING_BY_GROUP else []
    words = [_plain(word) for word in _WORD.findall(question)]
    both = _latin_words()
    if not any(word in one.times for word in words for one in both):
        other = language_group(question)
        if other in _ASKING_BY_GROUP:
            return [_words_of(other)]
    counts = [sum(word in one.known or word in one.times for word in words) for one in both]
    return [one for one, count in zip(both, counts, strict=True) if count == max(counts)]


def _has_names(rest: str, pieces: Sequence[str]) -> bool:
    """Whether a word in capitals is a name: "US" and "The Who", but not "I" or "DID I"."""
    if rest.isupper():
        return False
    if any(len(piece) > 1 and piece.isupper() for piece in pieces):
        return True
    later = [piece for piece in pieces[1:] if piece != "I"]
    is_title = len(later) > 1 and all(piece[0].isupper() for piece in later)
    function_words = _function_words()
    return not is_title and any(
        piece[0].isupper() and _plain(piece) in function_words for piece in later
    )


def _is_japanese_asking(rest: str) -> bool:
    left = _WORD.findall(_JAPANESE.sub(" ", rest))
    return not left and (not _WORD.search(rest) or _JAPANESE_SURE.search(rest) is not None)


def _plain(text: str) -> str:
    return without_accents(text)


@cache
def _words_of(group: Group) -> _Words:
    words = _plain(f"{FUNCTION_WORDS[group]} {_ASKING_BY_GROUP[group]}").split()
    return _Words(frozenset(words) - _NOUNS)


@cache
def _latin_words() -> tuple[_Words, _Words]:
    """English and German."""
    english, german = f"{ENGLISH} {_ENGLISH_ASKING}", f"{GERMAN} {_GERMAN_ASKING}"
    return (
        _Words(frozenset(_plain(english).split()), frozenset(_plain(_ENGLISH_TIMES).split())),
        _Words(frozenset(_plain(german).split()), frozenset(_plain(_GERMAN_TIMES).split())),
    )


@cache
def _function_words() -> frozenset[str]:
    """Those of all languages, without the words for notes, which German writes in capitals."""
    return frozenset(_plain(" ".join((ENGLISH, GERMAN, *FUNCTION_WORDS.values()))).split())
