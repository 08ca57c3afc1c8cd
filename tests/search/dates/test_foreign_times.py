"""Times in Spanish, French, Italian, Portuguese, Dutch, Russian and Japanese."""

from datetime import date

import pytest

from ragd.search.dates import find_time

TODAY = date(2026, 11, 19)  # a Thursday


@pytest.mark.parametrize(
    ("question", "words", "first", "last"),
    [
        ("¿Qué hice la semana pasada?", "la semana pasada", "2026-11-09", "2026-11-15"),
        ("¿Qué hice en marzo de 2023?", "en marzo de 2023", "2023-03-01", "2023-03-31"),
        ("¿Qué cociné hace tres días?", "hace tres días", "2026-11-16", "2026-11-16"),
        ("¿Cómo dormí los últimos 10 días?", "los últimos 10 días", "2026-11-09", "2026-11-19"),
        ("¿Qué hice el lunes pasado?", "el lunes pasado", "2026-11-16", "2026-11-16"),
        ("¿Cuánto gasté en agosto de 2025?", "en agosto de 2025", "2025-08-01", "2025-08-31"),
        ("Qu'ai-je fait hier ?", "hier", "2026-11-18", "2026-11-18"),
        ("Qu'est-ce que j'ai lu cette semaine ?", "cette semaine", "2026-11-16", "2026-11-22"),
        ("Qu'ai-je lu le 5 mai 2023 ?", "le 5 mai 2023", "2023-05-05", "2023-05-05"),
        ("Comment allais-je depuis mars ?", "depuis mars", "2026-03-01", "2026-11-19"),
        ("Cosa ho fatto il mese scorso?", "il mese scorso", "2026-10-01", "2026-10-31"),
        ("Come stavo nell'estate del 2023?", "nell'estate del 2023", "2023-06-01", "2023-08-31"),
        ("Cosa ho letto due anni fa?", "due anni fa", "2024-01-01", "2024-12-31"),
        ("O que fiz no mês passado?", "no mês passado", "2026-10-01", "2026-10-31"),
        ("Wat deed ik vorige week?", "vorige week", "2026-11-09", "2026-11-15"),
        ("Wat las ik eergisteren?", "eergisteren", "2026-11-17", "2026-11-17"),
        ("Hoe was ik in de zomer van 2023?", "in de zomer van 2023", "2023-06-01", "2023-08-31"),
        ("Что я делал на прошлой неделе?", "на прошлой неделе", "2026-11-09", "2026-11-15"),
        ("Как я спал летом 2023 года?", "летом 2023 года", "2023-06-01", "2023-08-31"),
        ("Что я читал в марте 2023 года?", "в марте 2023 года", "2023-03-01", "2023-03-31"),
        ("先週何をした？", "先週", "2026-11-09", "2026-11-15"),
        ("2023年の夏はどうだった？", "2023年の夏", "2023-06-01", "2023-08-31"),
    ],
)
def test_a_time_is_understood_and_shown_in_the_words_of_the_question(
    question: str, words: str, first: str, last: str
) -> None:
    found = find_time(question, TODAY)
    assert [phrase.words for phrase in found.phrases] == [words]
    assert [span.iso_days() for span in found.spans] == [(first, last)]
    assert words not in found.rest


@pytest.mark.parametrize(
    ("question", "is_list"),
    [
        ("¿Qué hice ayer?", True),
        ("Qu'est-ce que j'ai écrit hier ?", True),
        ("Wat is er gisteren gebeurd?", True),
        ("Что произошло вчера?", True),
        ("昨日の記録を見せて", True),
        ("¿Qué cociné ayer?", False),
        ("Что я готовил вчера?", False),
    ],
)
def test_a_question_for_a_time_alone_lists_its_notes(question: str, is_list: bool) -> None:
    assert find_time(question, TODAY).lists_everything is is_list


@pytest.mark.parametrize(
    "question",
    [
        "What did Marzo and Ayer say to me?",  # names, in an English question
        "Ich bin nicht mehr hier",  # "hier" is yesterday in French
        "¿Qué dijo Marta de su coche?",
    ],
)
def test_words_that_are_no_time_are_left_alone(question: str) -> None:
    found = find_time(question, TODAY)
    assert not found.phrases
    assert found.rest == question
