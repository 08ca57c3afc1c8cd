"""Whether a question for a time asks for everything of that time."""

from datetime import date

import pytest

from ragd.search.dates import find_time

TODAY = date(2026, 11, 19)


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("Ben yesterday", "Ben"),
        ("Dan last week", "Dan"),
        ("Mia gestern", "Mia"),
        ("Ella letzte Woche", "Ella"),
        ("met Ben yesterday", "met Ben"),
        ("AI last month", "AI"),
        ("EU in 2024", "EU"),
        ("Como in June", "Como"),
        ("door last week", "door"),
        ("total last month", "total"),
        ("Geld letzten Monat", "Geld"),
        ("Will yesterday", "Will"),
        ("US last year", "US"),
        ("IT last month", "IT"),
        ("The Who in 2023", "The Who"),
        ("hat last week", "hat"),
        ("war in 2024", "war"),
        ("the war in 2024", "the war"),
        ("bin last week", "bin"),
        ("man yesterday", "man"),
        ("talk yesterday", "talk"),
        ("Jan in 2024", "Jan"),
        ("Mark letzte Woche", "Mark"),
        ("Ben la semana pasada", "Ben"),
        ("Ella ayer", "Ella"),
        ("dinero el mes pasado", "dinero"),
        ("Como ieri", "Como"),
        ("Como a giugno", "Como"),
        ("Mia ieri", "Mia"),
        ("EU no mês passado", "EU"),
        ("Ben gisteren", "Ben"),
        ("Dan vorige week", "Dan"),
        ("met Ben gisteren", "met Ben"),
        ("door gisteren", "door"),
        ("geld vorige maand", "geld"),
        ("Анна вчера", "Анна"),
        ("деньги в прошлом месяце", "деньги"),
        ("ベン昨日", "ベン"),
        ("昨日のかに", "のかに"),
        ("¿Qué hizo Ella ayer?", "¿Qué hizo Ella ?"),
        ("What did Ben say yesterday?", "What did Ben say ?"),
        ("Wat deed Ben gisteren?", "Wat deed Ben ?"),
    ],
)
def test_a_name_or_a_noun_beside_a_time_is_searched(question: str, rest: str) -> None:
    found = find_time(question, TODAY)
    assert len(found.phrases) == 1
    assert (found.lists_everything, found.rest) == (False, rest)


@pytest.mark.parametrize(
    "question",
    [
        *(
            "yesterday",
            "What did I do yesterday?",
            "what happened last week",
            "WHAT DID I DO TODAY",
        ),
        *("my notes from last month", "everything from last month", "diary last week"),
        *("What Did I Do Yesterday", "Who did I talk to yesterday?", "what did we do in May"),
        *("gestern", "Was war gestern?", "Was habe ich gestern gemacht?", "Tagebuch letzte Woche"),
        *("Zeig mir alles von gestern", "Meine Notizen von letzter Woche", "Was war Ende August?"),
        *("¿Qué hice ayer?", "mis notas de ayer", "¿Qué hice desde la semana pasada?"),
        *("Qu'est-ce que j'ai écrit hier ?", "mes notes d'hier", "aujourd'hui j'ai quoi ?"),
        *("Cosa ho fatto ieri?", "il mio diario di ieri", "Cosa è successo a fine agosto?"),
        *("O que fiz ontem?", "minhas notas de ontem", "O que aconteceu em maio?"),
        *("Wat is er gisteren gebeurd?", "Wat deed ik maandag?", "mijn notities van gisteren"),
        *("Что произошло вчера?", "мои заметки за вчера", "Что я делал с марта?"),
        *("昨日の記録を見せて", "昨日何をした？", "昨天我做了什么？", "2024-05-01"),
    ],
)
def test_a_question_for_a_time_alone_lists_its_notes(question: str) -> None:
    assert find_time(question, TODAY).lists_everything


@pytest.mark.parametrize(
    "question",
    [
        *("What did I cook yesterday?", "Was habe ich gestern gekocht?", "¿Qué cociné ayer?"),
        *("Qu'ai-je mangé hier ?", "Cosa ho mangiato ieri?", "O que comi ontem?"),
        *("Wat at ik gisteren?", "Что я готовил вчера?", "昨日何を食べた？", "昨天我吃了什么？"),
    ],
)
def test_a_question_with_a_subject_is_searched(question: str) -> None:
    assert not find_time(question, TODAY).lists_everything
