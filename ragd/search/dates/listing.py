"""Whether a question, without its time phrases, asks for a list of everything. Pure."""

import re

from ragd.notes.stop_words import ENGLISH, GERMAN
from ragd.search.query.question_language import FUNCTION_WORDS, Group, language_group

# Words with which people ask for everything of a time: "What happened …", "my notes of …".
_GENERAL = """
happen happened happens happening occurred write wrote written writing note notes noted journal
journals diary entry entries record recorded recap summarise summarize summary list everything
anything something going went events event busy been talk talked talking lot topic topics discuss
discussed subject subjects
passiert passierte geschah geschehen gemacht getan machte tat geschrieben schrieb notiert notizen
notiz tagebuch eintrag einträge alles los zeig zeige besprochen geredet thema themen
"""
_GENERAL_BY_GROUP: dict[Group, str] = {
    "romance": """
pasó pasado ocurrió sucedió escribí escribo escrito notas nota diario hacer anoté muestra muéstrame
todo todos passé passait écrit notes note journal faire fait montre tout toutes successo accaduto
scritto scrissi diario note mostra tutto aconteceu passou escrevi notas diário mostra tudo
""",
    "dutch": "gebeurd gebeurde geschreven schreef notities dagboek alles toon laat zien",
    "russian": "делал делала сделал сделала произошло случилось было писал писала написал написала "
    "заметки записи дневник всё покажи",
}
_JAPANESE = re.compile("[\u3040-\u309f]+|何|日記|記録|出来事|全部|書い|教え|見せ|起き|私|僕")
_STOP_WORDS = frozenset((*ENGLISH.split(), *GERMAN.split(), *_GENERAL.split()))
_WORD = re.compile(r"[^\W_]+")
_CHINESE = re.compile(
    "什么|哪些|聊了?|谈了?|讨论|话题|发生|做了?|干了?|写了?|记录|日记|笔记|事情|一些|所有|内容|请|列出|查看|看看"
    "|[我你的了在是有过吗呢啊事都些记给]"
)


def asks_for_all(rest: str) -> bool:
    """Whether the rest of a question has no words that narrow down the search."""
    group = language_group(rest)
    if group == "japanese":
        rest = _JAPANESE.sub(" ", rest)
    words = _WORD.findall(_CHINESE.sub(" ", rest.lower()))
    known = _STOP_WORDS
    if group in _GENERAL_BY_GROUP:
        known = frozenset(f"{FUNCTION_WORDS[group]} {_GENERAL_BY_GROUP[group]}".split())
    return all(word in known for word in words)
