"""Times in Spanish, French, Italian, Portuguese, Dutch, Russian and Japanese."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.search.dates import NamedTime, find_time
from ragd.search.dates.day_spans import month_span
from ragd.search.dates.foreign_times import rewrite_times

TODAY = date(2026, 11, 19)  # a Thursday
BEGINNING = "0001-01-01"


def only_time(question: str) -> tuple[str, tuple[str, str]]:
    """The words and days of the only time of a question."""
    found = find_time(question, TODAY)
    [phrase] = found.phrases
    [span] = found.spans
    assert phrase.words not in found.rest
    return phrase.words, span.iso_days()


def no_time(question: str) -> NamedTime:
    return NamedTime((), question, False)


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
        # With the words around them
        ("¿Qué hice en mayo del año pasado?", "en mayo del año pasado", "2025-05-01", "2025-05-31"),
        ("¿Qué leí entre 2020 y 2022?", "entre 2020 y 2022", "2020-01-01", "2022-12-31"),
        ("¿Qué leí antes de 2019?", "antes de 2019", BEGINNING, "2018-12-31"),
        ("¿Qué leí hasta la semana pasada?", "hasta la semana pasada", BEGINNING, "2026-11-15"),
        ("¿Qué leí del 3 al 8 de mayo de 2024?", None, "2024-05-03", "2024-05-08"),
        ("¿Qué planté dos días antes del 5 de mayo de 2024?", None, "2024-05-03", "2024-05-03"),
        ("Qu'ai-je lu fin août 2024 ?", "fin août 2024", "2024-08-21", "2024-08-31"),
        ("Qu'ai-je lu à la mi-mars 2024 ?", "à la mi-mars 2024", "2024-03-11", "2024-03-20"),
        ("Qu'ai-je lu jusqu'en mars 2024 ?", "jusqu'en mars 2024", BEGINNING, "2024-03-31"),
        ("Qu'ai-je lu le 1er mai 2024 ?", "le 1er mai 2024", "2024-05-01", "2024-05-01"),
        ("Cosa ho letto dall'estate scorsa?", "dall'estate scorsa", "2026-06-01", "2026-11-19"),
        ("Cosa ho letto dal 3 all'8 maggio 2024?", None, "2024-05-03", "2024-05-08"),
        ("Cosa ho letto prima del 2019?", "prima del 2019", BEGINNING, "2018-12-31"),
        ("O que li no final de agosto de 2024?", None, "2024-08-21", "2024-08-31"),
        ("O que li desde março de 2024?", "desde março de 2024", "2024-03-01", "2026-11-19"),
        ("Wat las ik van 3 tot 8 mei 2024?", "van 3 tot 8 mei 2024", "2024-05-03", "2024-05-08"),
        ("Wat las ik tussen 2020 en 2022?", "tussen 2020 en 2022", "2020-01-01", "2022-12-31"),
        ("Что я читал с марта по май 2024 года?", None, "2024-03-01", "2024-05-31"),
        ("Что я читал между 2020 и 2022 годами?", None, "2020-01-01", "2022-12-31"),
        ("Что я читал до 2019 года?", "до 2019 года", BEGINNING, "2018-12-31"),
        ("3月から5月まで何を読んだ？", "3月から5月まで", "2026-03-01", "2026-05-31"),
        ("2024年8月の終わりに読んだ", "2024年8月の終わりに", "2024-08-21", "2024-08-31"),
        ("先週の金曜日に誰と会った？", "先週の金曜日に", "2026-11-13", "2026-11-13"),
    ],
)
def test_a_time_is_understood_and_shown_in_the_words_of_the_question(
    question: str, words: str | None, first: str, last: str
) -> None:
    shown, days = only_time(question)
    assert days == (first, last)
    assert shown == words if words else shown in question


# All months

MONTHS = {
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ja": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
}
IN_RUSSIAN = "январе феврале марте апреле мае июне июле августе сентябре октябре ноябре декабре"
FORMS = {  # a question, with the month and the words before and after it
    "es": ("¿Qué hice {}?", "el 3 de {} de 2024", "desde {} de 2024", "en {}"),
    "fr": ("Qu'ai-je fait {} ?", "le 3 {} 2024", "depuis {} 2024", "en {}"),
    "it": ("Cosa ho fatto {}?", "il 3 {} 2024", "da {} 2024", "a {}"),
    "pt": ("O que fiz {}?", "no dia 3 de {} de 2024", "desde {} de 2024", "em {}"),
    "nl": ("Wat deed ik {}?", "op 3 {} 2024", "sinds {} 2024", "in {}"),
    "ru": ("Что я делал {}?", "3 {} 2024 года", "с {} 2024 года", "в {}"),
    "ja": ("{}何をした？", "2024年{}3日", "2024年{}から", "{}に"),
}


@pytest.mark.parametrize("language", MONTHS)
@pytest.mark.parametrize("number", range(1, 13))
def test_each_month_in_each_language(language: str, number: int) -> None:
    frame, on_day, since, in_month = FORMS[language]
    name = MONTHS[language].split()[number - 1]

    words, days = only_time(frame.format(on_day.format(name)))
    assert words == on_day.format(name)
    assert days == (f"2024-{number:02}-03", f"2024-{number:02}-03")

    words, days = only_time(frame.format(since.format(name)))
    assert words == since.format(name)
    assert days == (f"2024-{number:02}-01", TODAY.isoformat())

    if language == "ru":
        name = IN_RUSSIAN.split()[number - 1]
    found = find_time(frame.format(in_month.format(name)), TODAY)
    assert [phrase.words for phrase in found.phrases] == [in_month.format(name)]
    assert month_span(2024, number) in found.spans and found.phrases[0].every_year
    assert found.lists_everything


@pytest.mark.parametrize("language", ["es", "fr", "it", "pt"])
def test_accents_may_be_missing(language: str) -> None:
    plain = str.maketrans("éèûçãúíá", "eeucauia")
    frame, on_day, _, _ = FORMS[language]
    for number, name in enumerate(MONTHS[language].split(), 1):
        question = frame.format(on_day.format(name)).translate(plain)
        assert only_time(question)[1] == (f"2024-{number:02}-03", f"2024-{number:02}-03")


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("que hice el sabado", "2026-11-14", "2026-11-14"),
        ("que hice los ultimos tres dias", "2026-11-16", "2026-11-19"),
        ("que hice el ano pasado", "2025-01-01", "2025-12-31"),
        ("qu'ai-je fait l'annee derniere", "2025-01-01", "2025-12-31"),
        ("qu'ai-je lu en fevrier 2024", "2024-02-01", "2024-02-29"),
        ("qu'ai-je lu l'ete dernier", "2026-06-01", "2026-08-31"),
        ("cosa ho fatto mercoledi", "2026-11-18", "2026-11-18"),
        ("o que faço na proxima semana", "2026-11-23", "2026-11-29"),
        ("o que fiz ha dois anos atras", "2024-01-01", "2024-12-31"),
        ("Qu'ai-je lu l'e\u0301te\u0301 dernier ?", "2026-06-01", "2026-08-31"),  # combining
    ],
)
def test_words_without_accents(question: str, first: str, last: str) -> None:
    found = find_time(question, TODAY)
    assert [span.iso_days() for span in found.spans] == [(first, last)]


# Forms that were missed


@pytest.mark.parametrize(
    ("question", "words", "first", "last"),
    [
        ("¿Qué hice el lunes?", "el lunes", "2026-11-16", "2026-11-16"),
        ("Qu'ai-je lu lundi ?", "lundi", "2026-11-16", "2026-11-16"),
        ("Qu'ai-je lu lundi dernier ?", "lundi dernier", "2026-11-16", "2026-11-16"),
        ("Cosa ho letto lunedì mattina?", "lunedì mattina", "2026-11-16", "2026-11-16"),
        ("O que fiz na segunda?", "na segunda", "2026-11-16", "2026-11-16"),
        ("O que fiz na segunda-feira?", "na segunda-feira", "2026-11-16", "2026-11-16"),
        ("Wat deed ik maandag?", "maandag", "2026-11-16", "2026-11-16"),
        ("Wat deed ik op maandagavond?", "op maandagavond", "2026-11-16", "2026-11-16"),
        ("Что я делал в понедельник?", "в понедельник", "2026-11-16", "2026-11-16"),
        ("月曜日に何をした？", "月曜日に", "2026-11-16", "2026-11-16"),
        ("Что я делал в прошлые выходные?", "в прошлые выходные", "2026-11-14", "2026-11-15"),
        ("Wat deed ik dit weekend?", "dit weekend", "2026-11-21", "2026-11-22"),
        ("Qu'ai-je fait ce week-end ?", "ce week-end", "2026-11-21", "2026-11-22"),
        ("¿Qué hice este fin de semana?", "este fin de semana", "2026-11-21", "2026-11-22"),
        ("Qu'ai-je lu ces derniers mois ?", "ces derniers mois", "2026-08-21", "2026-11-19"),
        ("¿Qué tengo el lunes que viene?", "el lunes que viene", "2026-11-23", "2026-11-23"),
        ("Ben la semana pasada", "la semana pasada", "2026-11-09", "2026-11-15"),
        ("gastos marzo 2025", "marzo 2025", "2025-03-01", "2025-03-31"),
        ("sinds april 2024", "sinds april 2024", "2024-04-01", "2026-11-19"),
        ("先週会議", "先週", "2026-11-09", "2026-11-15"),
    ],
)
def test_more_forms_of_times(question: str, words: str, first: str, last: str) -> None:
    assert only_time(question) == (words, (first, last))


# Counts


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("Что было год назад?", "2025-01-01", "2025-12-31"),
        ("Что было двадцать лет назад?", "2006-01-01", "2006-12-31"),
        ("Что было двадцать один год назад?", "2005-01-01", "2005-12-31"),
        ("Что было лет десять назад?", "2016-01-01", "2016-12-31"),
        ("Что было полгода назад?", "2026-05-01", "2026-05-31"),
        ("二十年前に何をした？", "2006-01-01", "2006-12-31"),
        ("十五年前に何をした？", "2011-01-01", "2011-12-31"),
        ("十二日前に何をした？", "2026-11-07", "2026-11-07"),
        ("３日前に何をした？", "2026-11-16", "2026-11-16"),
        ("去年の夏に何をした？", "2025-06-01", "2025-08-31"),
        ("¿Qué hice hace veinticinco años?", "2001-01-01", "2001-12-31"),
        ("vinte e cinco anos atrás", "2001-01-01", "2001-12-31"),
        ("Wat deed ik vijfentwintig jaar geleden?", "2001-01-01", "2001-12-31"),
        ("Cosa ho fatto ventotto anni fa?", "1998-01-01", "1998-12-31"),
    ],
)
def test_a_count_is_read_as_a_whole(question: str, first: str, last: str) -> None:
    assert only_time(question)[1] == (first, last)


def test_a_vague_count_is_that_of_english() -> None:
    english = find_time("What happened a few years ago?", TODAY).spans
    for question in (
        *("Что было несколько лет назад?", "¿Qué hice hace unos años?", "数年前に何をした？"),
        *("Cosa ho fatto qualche anno fa?", "Qu'ai-je fait il y a quelques années ?"),
    ):
        assert find_time(question, TODAY).spans == english


@pytest.mark.parametrize(
    "question",
    [
        *("Что я делал много лет назад?", "Что было полтора года назад?", "Что было лет назад?"),
        *("何年前に買った？", "二百年前の話", "Wat deed ik anderhalf jaar geleden?", "hace años"),
        *("ciento dos días atrás", "cento cinque anni fa", "Что было двести два дня назад?"),
        "тысячу один год назад",
    ],
)
def test_an_unknown_count_is_no_time(question: str) -> None:
    assert find_time(question, TODAY) == no_time(question)


# Names


@pytest.mark.parametrize(
    "question",
    [
        "What did Marzo and Ayer say to me?",  # names, in an English question
        "Ich bin nicht mehr hier",  # "hier" is yesterday in French
        "¿Qué dijo Marta de su coche?",
        *("25 de Mayo", "9 de Julio", "¿Dónde está la calle 25 de mayo?", "Rua 25 de Março"),
        *("Onde fica a rua 25 de março?", "Dove si trova via 25 aprile?", "piazza 1 maggio"),
        *("Où est la rue du 11 novembre ?", "place du 8 mai 1945", "улица 8 марта", "ул. 8 Марта"),
        *("площадь 1905 года", "Straße des 17. Juni", "¿Dónde queda la avenida 9 de julio?"),
        *("Что я купил с 2000 рублей?", "salary 2000 euros", "$2000 laptop", "gasté 2000 euros"),
        *("今日子さんと話した", "今日子", "明日香と会った日", "春子の電話番号", "三月うさぎ"),
        *("Ho sei gatti", "Mia figlia ha due anni", "Eu sei três línguas", "Il y a trois chats"),
        *("Mei Chen", "Wat zei Mei?", "Mayo Clinic", "¿Quién es Mayo?", "marzo", "Que fait Mars ?"),
        *("Que fait Bruno Mars dans mes notes ?", "Que dit Avril ?", "Plácido Domingo"),
        *("cada lunes", "los lunes", "tous les lundis", "chaque lundi", "ogni lunedì", "di lunedì"),
        *("toda segunda-feira", "elke maandag", "каждый понедельник", "毎週月曜日"),
        *("de lunes a viernes", "de lundi à vendredi", "dal lunedì al venerdì"),
        *("van maandag tot vrijdag", "Goede Vrijdag", "Mardi gras", "Venerdì Santo"),
        *("na segunda reunião", "oggi come oggi", "hoy en día", "hoje em dia", "J'ai été malade"),
        *("¿Quién es Domingo Pérez?", "O que disse o Domingo?", "la semaine de Marie"),
        *("mes dernières vacances", "el último día de clase", "окружающая среда", "день рождения"),
        *("Non sono mai stato a Roma", "¿Fui al mar?", "Wat zei Jan?", "Что делал Май?"),
        *("¿Qué hice en Mayo Clinic?", "contraseña", "wachtwoord", "пароль", "パスワード"),
    ],
)
def test_words_that_are_no_time_are_left_alone(question: str) -> None:
    assert find_time(question, TODAY) == no_time(question)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("concierto de Bruno Mars 2024", "2024"),
        ("¿Cuándo fue el concierto de Bruno Mars 2024?", "2024"),
        ("¿Cuándo fui al mar en 2024?", "en 2024"),
        ("Non ho mai mangiato sushi nel 2024", "nel 2024"),
        ("Wat zei Jan in 2024?", "in 2024"),
        ("What did Jan say? Jan in 2024", "in 2024"),
    ],
)
def test_a_name_beside_a_year_is_no_month(question: str, words: str) -> None:
    assert only_year(question) == words


def only_year(question: str) -> str:
    """The words of the only time, which is the year 2024."""
    [phrase] = find_time(question, TODAY).phrases
    assert [span.iso_days() for span in phrase.spans] == [("2024-01-01", "2024-12-31")]
    return phrase.words


# The rewriting itself


def test_two_times_of_the_same_day_are_shown_as_they_are_written() -> None:
    question = "Wat deed ik gisteren, en gister met Ben, en in maart 2024?"
    found = find_time(question, TODAY)
    assert [phrase.words for phrase in found.phrases] == ["gisteren", "gister", "in maart 2024"]
    assert found.rest == "Wat deed ik , en met Ben, en ?"


def test_each_character_is_replaced_once() -> None:
    question = "Wat deed ik op 3 april 2024 en sinds november?"
    rewritten = rewrite_times(question, question)
    assert rewritten.text == "Wat deed ik 3 April of 2024 en since November?"
    at = rewritten.text.index("since November")
    first, last = rewritten.in_question(at, at + len("since November"))
    assert question[first:last] == "sinds november"
    assert not rewritten.is_replaced(0, len("Wat deed ik"))


_WORDS = """
¿ el la 5 3 de del mayo marzo 2024 año semana pasada hace dos días desde hasta entre y en lunes
il y a l' été dernier mois avant fin début depuis jusqu'en d' dal all' maggio fa giorno prima ieri
há na segunda-feira atrás op vorige week geleden sinds een paar dagen mei tot en met maandag
с по марта 2020 года назад год два в понедельник несколько до после вчера прошлой неделе
先週 の 夏 去年 二十 年 前 3月 5日 から まで 今日 子 月曜日 qué hice wat deed ik qu'ai-je что я
何をした yesterday in May last of " , ? – -
"""
_PIECES = _WORDS.split()


@given(st.lists(st.sampled_from(_PIECES), max_size=12), st.dates(date(1, 2, 1)))
def test_any_words_of_time_in_any_order(pieces: list[str], today: date) -> None:
    question = " ".join(pieces)
    found = find_time(question, today)
    assert all(span.start <= span.end for span in found.spans)
    assert all(phrase.words in question for phrase in found.phrases if ", " not in phrase.words)
    assert set("".join(found.rest.split())) <= set(question)
    assert found.phrases or found.rest == question


@given(st.lists(st.sampled_from(_PIECES), max_size=10))
def test_places_in_the_rewritten_text_lie_in_the_question(pieces: list[str]) -> None:
    question = " ".join(pieces)
    rewritten = rewrite_times(question, question)
    ends = [0, 0]
    for start, end, first, last in rewritten.replaced:
        assert ends[0] <= start < end <= len(rewritten.text)
        assert ends[1] <= first < last <= len(question)
        assert rewritten.in_question(start, end) == (first, last)
        ends = [end, last]
    assert rewritten.in_question(0, len(rewritten.text)) == (0, len(question))
