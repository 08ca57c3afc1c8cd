"""The time that a question names, the rest of the question, and how closeness falls off."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragd.search.dates import (
    MonthDay,
    birth_owner,
    birthday_owners,
    closeness,
    find_birth,
    find_birthday,
    find_event_day,
    find_time,
    named_events,
    widen,
)
from ragd.search.dates.day_spans import FIRST, Span, easter
from ragd.search.dates.time_phrases import OLDEST_YEAR
from tests.guard.conftest import Found

TODAY = date(2026, 11, 16)  # a Monday
BIRTHDAYS = {"my": MonthDay(5, 14), "amma": MonthDay(11, 20)}
BEGINNING = FIRST.isoformat()


def named(question: str, today: date = TODAY) -> list[tuple[str, str]]:
    return [span.iso_days() for span in find_time(question, today, BIRTHDAYS).spans]


@pytest.mark.parametrize(
    ("question", "words", "start", "end"),
    [
        ("what of November last year?", "November last year", "2025-11-01", "2025-11-30"),
        ("November of last year", "November of last year", "2025-11-01", "2025-11-30"),
        ("all since March last year", "since March last year", "2025-03-01", "2026-11-16"),
        ("the end of May last year", "the end of May last year", "2025-05-21", "2025-05-31"),
        ("from May to July two years ago", None, "2024-05-01", "2024-07-31"),
        ("zwischen März und Mai letzten Jahres", None, "2025-03-01", "2025-05-31"),
        ("what did I do last year in March?", "last year, in March", "2025-03-01", "2025-03-31"),
        ("why did prices fall last year", "last year", "2025-01-01", "2025-12-31"),
        ("where may last year's invoices be", "last year", "2025-01-01", "2025-12-31"),
        ("der Fall des letzten Jahres", "letzten Jahres", "2025-01-01", "2025-12-31"),
        ("March, April and May last year", "last year", "2025-01-01", "2025-12-31"),
        ("between March last year and now", "last year", "2025-01-01", "2025-12-31"),
        ("between March last year and May this year", None, "2025-03-01", "2026-05-31"),
        ("fall of last year", None, "2025-09-01", "2025-11-30"),
        ("my birthday two years ago", None, "2024-05-14", "2024-05-14"),
    ],
)
def test_a_year_next_to_a_time_belongs_to_it_if_it_is_a_time(
    question: str, words: str | None, start: str, end: str
) -> None:
    [phrase] = find_time(question, TODAY, BIRTHDAYS).phrases
    assert phrase.words == (words or question)
    assert [span.iso_days() for span in phrase.spans] == [(start, end)]


@pytest.mark.parametrize(
    ("question", "spans"),
    [
        ("How was my mental health in 2024?", [("2024-01-01", "2024-12-31")]),
        ("what happened on 2024-01-15", [("2024-01-15", "2024-01-15")]),
        ("2024/1/5", [("2024-01-05", "2024-01-05")]),
        ("15.1.2024", [("2024-01-15", "2024-01-15")]),
        ("notes of 2024-03", [("2024-03-01", "2024-03-31")]),
        ("on 15 January 2024", [("2024-01-15", "2024-01-15")]),
        ("on the 15th of January, 2024", [("2024-01-15", "2024-01-15")]),
        ("Jan. 15th 2024", [("2024-01-15", "2024-01-15")]),
        ("February 2024", [("2024-02-01", "2024-02-29")]),
        ("am 3. März 2025", [("2025-03-03", "2025-03-03")]),
        ("2023年5月2日我买了什么", [("2023-05-02", "2023-05-02")]),
        ("2023年5月", [("2023-05-01", "2023-05-31")]),
        ("2023年", [("2023-01-01", "2023-12-31")]),
        ("last March", [("2026-03-01", "2026-03-31")]),
        ("last December", [("2025-12-01", "2025-12-31")]),
        ("this May", [("2026-05-01", "2026-05-31")]),
        ("what did I do yesterday", [("2026-11-15", "2026-11-15")]),
        ("last week", [("2026-11-09", "2026-11-15")]),
        ("this month", [("2026-11-01", "2026-11-30")]),
        ("last month", [("2026-10-01", "2026-10-31")]),
        ("letztes Jahr", [("2025-01-01", "2025-12-31")]),
        ("2023 and 2024", [("2023-01-01", "2023-12-31"), ("2024-01-01", "2024-12-31")]),
        ("Q3 2024", [("2024-07-01", "2024-09-30")]),
        ("week 12 of 2024", [("2024-03-18", "2024-03-24")]),
    ],
)
def test_a_named_time_is_read(question: str, spans: list[tuple[str, str]]) -> None:
    assert named(question) == spans


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("since March", ("2026-03-01", "2026-11-16")),
        ("since December", ("2025-12-01", "2026-11-16")),
        ("until May", (BEGINNING, "2026-05-31")),
        ("before 2020", (BEGINNING, "2019-12-31")),
        ("after Christmas 2025", ("2025-12-27", "2026-11-16")),
        ("between March and June 2024", ("2024-03-01", "2024-06-30")),
        ("between December and February", ("2025-12-01", "2026-02-28")),
        ("from 3 May to 8 May 2024", ("2024-05-03", "2024-05-08")),
        ("two days before my birthday in 2024", ("2024-05-12", "2024-05-12")),
        ("in the summer of 2023", ("2023-06-01", "2023-08-31")),
        ("in the winter of 2023", ("2023-12-01", "2024-02-29")),
        ("last summer", ("2026-06-01", "2026-08-31")),
        ("the week after Easter 2024", ("2024-04-02", "2024-04-08")),
        ("at Christmas, in 2023", ("2023-12-24", "2023-12-26")),
        ("at the end of May 2024", ("2024-05-21", "2024-05-31")),
        ("early 2024", ("2024-01-01", "2024-05-01")),
        ("in the first week of May 2024", ("2024-05-01", "2024-05-07")),
        ("in the last week of February 2024", ("2024-02-23", "2024-02-29")),
        ("in der zweiten Woche im Mai 2024", ("2024-05-08", "2024-05-14")),
        ("since the third week of May 2026", ("2026-05-15", "2026-11-16")),
        ("in the last week of 2024", ("2024-12-25", "2024-12-31")),
        ("on the last day of April 2023", ("2023-04-30", "2023-04-30")),
        ("on the first day of April 2023", ("2023-04-01", "2023-04-01")),
        ("am letzten Tag im April 2023", ("2023-04-30", "2023-04-30")),
        ("in the last few days of April 2023", ("2023-04-24", "2023-04-30")),
        ("the last day of 2023", ("2023-12-31", "2023-12-31")),
        ("last week of last month", ("2026-10-25", "2026-10-31")),
        ("in the last week of the summer of 2024", ("2024-08-25", "2024-08-31")),
        ("three weeks ago", ("2026-10-23", "2026-10-29")),
        ("a month ago", ("2026-10-01", "2026-10-31")),
        ("two days ago", ("2026-11-14", "2026-11-14")),
        ("a few days ago", ("2026-11-10", "2026-11-15")),
        ("in the last ten days", ("2026-11-06", "2026-11-16")),
        ("last Tuesday", ("2026-11-10", "2026-11-10")),
        ("on Monday", ("2026-11-09", "2026-11-09")),
        ("on Monday, 4 May 2026", ("2026-05-04", "2026-05-04")),
        ("since Friday", ("2026-11-13", "2026-11-16")),
        ("the day before yesterday", ("2026-11-14", "2026-11-14")),
        ("last weekend", ("2026-11-14", "2026-11-15")),
    ],
)
def test_a_time_is_read_with_the_words_around_it(question: str, span: tuple[str, str]) -> None:
    assert named(f"What did I plant {question}?") == [span]
    assert find_time(f"What did I plant {question}?", TODAY, BIRTHDAYS).rest.rstrip(" ?") == (
        "What did I plant"
    )


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("gestern", ("2026-11-15", "2026-11-15")),
        ("vorgestern", ("2026-11-14", "2026-11-14")),
        ("letzte Woche", ("2026-11-09", "2026-11-15")),
        ("letzten Monat", ("2026-10-01", "2026-10-31")),
        ("seit März", ("2026-03-01", "2026-11-16")),
        ("bis Mai", (BEGINNING, "2026-05-31")),
        ("zwischen März und Juni 2024", ("2024-03-01", "2024-06-30")),
        ("im Sommer 2023", ("2023-06-01", "2023-08-31")),
        ("letzten Dienstag", ("2026-11-10", "2026-11-10")),
        ("am Freitag", ("2026-11-13", "2026-11-13")),
        ("vor drei Wochen", ("2026-10-23", "2026-10-29")),
        ("zwei Tage vor meinem Geburtstag 2026", ("2026-05-12", "2026-05-12")),
        ("in der Woche nach Ostern 2024", ("2024-04-02", "2024-04-08")),
        ("Ende Mai 2024", ("2024-05-21", "2024-05-31")),
        ("昨天", ("2026-11-15", "2026-11-15")),
        ("上周", ("2026-11-09", "2026-11-15")),
        ("上个月", ("2026-10-01", "2026-10-31")),
        ("去年夏天", ("2025-06-01", "2025-08-31")),
        ("2023年夏天", ("2023-06-01", "2023-08-31")),
        ("三周前", ("2026-10-23", "2026-10-29")),
        ("上周二", ("2026-11-10", "2026-11-10")),
        ("三月以来", ("2026-03-01", "2026-11-16")),
        ("从三月到六月", ("2026-03-01", "2026-06-30")),
        ("2026年我生日前两天", ("2026-05-12", "2026-05-12")),
    ],
)
def test_german_and_chinese_forms(question: str, span: tuple[str, str]) -> None:
    assert named(question) == [span]
    assert find_time(question, TODAY, BIRTHDAYS).rest == ""


@pytest.mark.parametrize("question", ["On May 2nd, I bought a dress", "5月2号我买了什么", "2 May"])
def test_a_day_without_a_year_is_that_of_every_year(question: str) -> None:
    found = named(question)
    assert ("2023-05-02", "2023-05-02") in found
    assert len(found) == TODAY.year - OLDEST_YEAR + 1


def test_a_day_that_some_years_do_not_have() -> None:
    found = named("on 29 February")
    assert ("2024-02-29", "2024-02-29") in found and len(found) == 9


@pytest.mark.parametrize(
    "question",
    [
        *("may I march?", "It may be so", "", "the 5 of us", "2024th", "x2024", "room 12", "1024"),
        *("30 February 2024", "2024-13-01", "the first half", "issue-2024-x", "v2024.1.99999"),
        *("recipes with spring onions", "Christmas cookies", "every Monday", "a letter from May"),
        *("When is my birthday?", "my birthday party", "two days before Jutta's birthday"),
        *(
            'the film "in the summer of 2023"',
            "the last time",
            "this is fine",
            "a day at the beach",
        ),
    ],
)
def test_these_questions_name_no_time(question: str) -> None:
    found = find_time(question, TODAY, BIRTHDAYS)
    assert (found.phrases, found.rest, found.lists_everything) == ((), question, False)


def test_days_before_a_birthday_are_those_of_every_year_until_now() -> None:
    found = named("two days before my birthday")
    assert found[-2:] == [("2025-05-12", "2025-05-12"), ("2026-05-12", "2026-05-12")]
    assert named("a day after Amma's birthday")[-1] == ("2025-11-21", "2025-11-21")


def test_days_before_an_event_that_a_note_states() -> None:
    question = "What did I do two days before the marathon?"
    assert named_events(question) == ["the marathon"]
    known = {"the marathon": MonthDay(10, 13, 2024)}
    found = find_time(question, TODAY, known)
    assert [span.iso_days() for span in found.spans] == [("2024-10-11", "2024-10-11")]
    assert found.lists_everything
    assert named_events("What happened after the marathon?") == []


@pytest.mark.parametrize(
    ("question", "event"),
    [
        ("Was haben wir zwei Wochen vor der Hochzeit gemacht?", "der Hochzeit"),
        ("drei Tage nach dem Umzug nach Köln", "dem Umzug nach Köln"),
        ("zwei Wochen vor Elsies Geburt", "Elsies Geburt"),
        ("10 Tage vor meiner letzten Prüfung", "meiner letzten Prüfung"),
    ],
)
def test_days_before_an_event_in_german(question: str, event: str) -> None:
    assert named_events(question) == [event]
    assert find_time(question, TODAY, {event: MonthDay(10, 13, 2024)}).phrases
    assert named_events(f"vor zwei Wochen, {event}") == []


def test_the_day_of_an_event_comes_from_a_dated_passage() -> None:
    plans = Found("Training for the marathon.", date="2024-08-01")
    race = Found("Rain. Today was the marathon, at last.", date="2024-10-13")
    undated = Found("Today was the marathon.")
    assert find_event_day("the marathon", [undated, plans, race]) == MonthDay(10, 13, 2024)
    assert find_event_day("the marathon", [plans]) == MonthDay(8, 1, 2024)
    assert find_event_day("the flood in the cellar", [plans, race, undated]) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Ila was born on Wednesday, the 12th, at 4 in the morning.", "2024-06-12"),
        ("Ila was born yesterday.", "2024-06-14"),
        ("Ila was born at last.", "2024-06-15"),
        ("Ila was born on 9 June, we hear.", "2024-06-09"),
        ("Ila was born on 9 June 2021.", "2021-06-09"),
        ("Last week Ila was born.", None),
        ("Two weeks before Ila was born we painted the room.", None),
        ("She told me how Ila was born.", None),
        ("When little Ila was born, it rained.", None),
    ],
)
def test_the_day_of_an_event_is_the_one_that_its_sentence_states(
    text: str, day: str | None
) -> None:
    found = find_event_day("Ila was born", [Found(text, date="2024-06-15")])
    assert (found and date(found.year or 1, found.month, found.day).isoformat()) == day


def test_the_birth_of_somebody_else_is_not_the_users() -> None:
    assert find_event_day("I was born", [Found("Elsie was born.", date="2024-06-15")]) is None


@pytest.mark.parametrize("event", ["Elsies Geburt", "the birth of Elsie", "Elsie was born"])
def test_a_birth_may_be_told_in_other_words(event: str) -> None:
    said = (
        "Elsie wurde heute geboren." if event == "Elsies Geburt" else "Elsie, born at four today!"
    )
    for text in (said, "Elsie is born!", "Geburt von Elsie um vier."):
        assert find_event_day(event, [Found(text, date="2024-06-15")]) == MonthDay(6, 15, 2024)
    assert find_event_day(event, [Found("Elsie slept.", date="2024-06-15")]) is None


@pytest.mark.parametrize(
    "text",
    [
        "Elsie's brother Tom was born this morning.",
        "Elsie was born to be a big sister.",
        "Elsie visited; Bo was born today!",
    ],
)
def test_another_birth_beside_the_name_is_not_this_one(text: str) -> None:
    assert find_event_day("Elsie was born", [Found(text, date="2022-06-03")]) is None


@pytest.mark.parametrize("event", ["the birth of my son", "Geburt von meinem Sohn", "der Geburt"])
def test_a_birth_without_a_name_is_nobodys(event: str) -> None:
    assert birth_owner(event) is None
    others = [Found("Geburt von Paul heute.", date="2019-02-02")]
    assert find_event_day(event, others) is None


def test_a_heading_or_a_title_names_an_event_too() -> None:
    title = Found("At four.", title="2024-06-12 Ila was born", date="2024-06-12")
    heading = Found("At four.", heading_path="Ila was born", date="2024-06-12")
    for one in (title, heading):
        assert find_event_day("Ila was born", [one]) == MonthDay(6, 12, 2024)


def test_a_note_without_a_date_states_an_event_with_its_year() -> None:
    assert find_event_day("the move", [Found("The move was on 3 May.")]) is None
    assert find_event_day("the move", [Found("The move: 3 May 2023.")]) == MonthDay(5, 3, 2023)


def test_whose_birth_a_question_names() -> None:
    assert birth_owner("Elsie was born") == "elsie"
    assert birth_owner("the birth of Elsie") == birth_owner("Elsie's birth") == "elsie"
    assert birth_owner("Elsies Geburt") == birth_owner("die Geburt von Elsie") == "elsie"
    assert birth_owner("I was born") == "my"
    assert birth_owner("the wedding") is None


def test_a_birth_has_the_year_that_a_persons_note_states() -> None:
    theo = Found("My nephew.", title="Theo", properties=["born=2021-09-05"])
    assert find_birth("theo", [theo]) == MonthDay(9, 5, 2021)
    assert find_birth("elsie", [theo]) is None
    party = Found("Theo's birthday party is on 5 September 2024.")
    assert find_birth("theo", [party]) is None
    assert find_birthday("theo", [party, theo]) == MonthDay(9, 5)


def test_a_birthday_that_no_note_states_is_searched_as_words() -> None:
    question = "What did I cook two days before my birthday?"
    assert find_time(question, TODAY).rest == question


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("How was my mental health in 2024?", "How was my mental health ?"),
        ("What did I cook last week?", "What did I cook ?"),
        ("Budget 2025", "Budget 2025"),  # a year alone may be part of a name
    ],
)
def test_the_words_of_a_time_phrase_are_taken_out(question: str, rest: str) -> None:
    found = find_time(question, TODAY)
    assert (found.rest, found.lists_everything, len(found.phrases)) == (rest, False, 1)


@pytest.mark.parametrize(
    "question",
    [
        *("What did I do yesterday?", "what happened last week", "my notes from last month"),
        *("Was habe ich gestern gemacht?", "昨天我做了什么？", "2024-01-15", "since March"),
    ],
)
def test_a_question_for_everything_of_a_time_asks_for_a_list(question: str) -> None:
    assert find_time(question, TODAY).lists_everything


@given(st.text(max_size=100), st.dates(date(1, 2, 1), date(9999, 11, 30)))
def test_any_text_on_any_day(text: str, today: date) -> None:
    assert all(span.start <= span.end for span in find_time(text, today, BIRTHDAYS).spans)


_PIECES = [
    "since",
    "until",
    "before",
    "after",
    "between",
    "and",
    "from",
    "two",
    "days",
    "week",
    "weeks",
    "the",
    "of",
    "in",
    "on",
    "at",
    "end",
    "early",
    "last",
    "this",
    "next",
    "March",
    "May",
    "2024",
    "1",
    "31",
    "9999",
    "Easter",
    "summer",
    "Monday",
    "my",
    "birthday",
    "yesterday",
    "ago",
    "vor",
    "nach",
    "seit",
    "bis",
    "zwei",
    "Tage",
    "上周",
    "三月",
    "前",
    "后",
    "两天",
    "到",
    "从",
    "我生日",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=12), st.dates(date(1, 2, 1)))
def test_any_words_of_time_in_any_order_on_any_day(pieces: list[str], today: date) -> None:
    found = find_time(" ".join(pieces), today, BIRTHDAYS)
    assert all(span.start <= span.end for span in found.spans)
    assert set(found.rest.split()) <= set(pieces)


def test_easter_of_known_years() -> None:
    days = [easter(year).isoformat() for year in (1961, 2000, 2019, 2024, 2026, 2038)]
    assert days == [
        *("1961-04-02", "2000-04-23", "2019-04-21", "2024-03-31", "2026-04-05", "2038-04-25")
    ]


# Closeness


def test_closeness_falls_with_distance_and_never_jumps_to_0() -> None:
    day = date(2024, 5, 1)
    span = [Span(day, day)]
    after = [closeness(day + timedelta(days=n), span) for n in range(40)]
    assert after[0] == 1.0
    assert after == sorted(after, reverse=True)
    assert after[8] == pytest.approx(after[1] / 2)  # a week later
    assert closeness(day - timedelta(days=3), span) < after[3]
    assert closeness(day + timedelta(days=400), span) == 0.0


def test_closeness_to_a_longer_span_falls_slower() -> None:
    year, day = Span(date(2024, 1, 1), date(2024, 12, 31)), date(2024, 12, 31)
    later = date(2025, 1, 31)
    assert closeness(later, [year]) > closeness(later, [Span(day, day)])
    assert widen(year).end > date(2025, 3, 1)


# A birthday in the notes


@pytest.mark.parametrize(
    ("title", "text", "day"),
    [
        ("Plans", "My birthday is on 14 May, a Thursday.", None),
        ("About me", "- Birthday: 14 May 1984\n- Blood: A+", None),
        ("2024-05-14", "Today is my birthday. Rain.", "2024-05-14"),
        ("Papiere", "Ich bin am 14. Mai 1984 geboren.", None),
        ("笔记", "我的生日是5月14日。", None),
    ],
)
def test_the_users_birthday_is_found(title: str, text: str, day: str | None) -> None:
    assert find_birthday("my", [Found(text, title=title, date=day)]) == MonthDay(5, 14)


def test_the_property_of_a_persons_note_states_the_birthday() -> None:
    nora = Found(
        "Plays the viola.", title="Nora", properties=["instrument=viola", "birthday=1990-07-05"]
    )
    assert find_birthday("nora", [nora]) == MonthDay(7, 5)
    assert find_birthday("my", [nora]) is None
    assert find_birthday("kavya", [nora]) is None


def test_another_persons_birthday_is_not_the_users() -> None:
    jutta = Found("- Geburtstag: 17. Oktober\n- mag keinen Kuchen", title="Jutta")
    assert find_birthday("my", [jutta]) is None
    assert find_birthday("jutta", [jutta]) == MonthDay(10, 17)
    assert find_birthday("kavya", [jutta]) is None
    ila = Found("Kavya lives in Toronto. Ila was born on 12 June 2024.", title="Family")
    assert find_birthday("ila", [ila]) == MonthDay(6, 12)


def test_whose_birthday_a_question_names() -> None:
    assert birthday_owners("two days before my birthday") == ["my"]
    assert birthday_owners("after Jutta's birthday, before 我生日") == ["jutta", "my"]
    assert birthday_owners("birthday cake") == []


# A part of a time, with the words before it


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("two days before the last week of May 2024", ("2024-05-23", "2024-05-23")),
        ("two weeks after the first week of May 2024", ("2024-05-18", "2024-05-24")),
        ("until the last week of May 2024", (BEGINNING, "2024-05-31")),
        ("until the last week of May", (BEGINNING, "2026-05-31")),
        ("before the last week of May", (BEGINNING, "2026-05-24")),
        ("before the last week of May last year", (BEGINNING, "2025-05-24")),
        ("since the last week of May", ("2026-05-25", "2026-11-16")),
        ("after the last week of last month", ("2026-11-01", "2026-11-16")),
        ("between May and the last week of June 2024", ("2024-05-01", "2024-06-30")),
        ("from the last week of May to the first week of July 2024", ("2024-05-25", "2024-07-07")),
        ("from early May to late June 2024", ("2024-05-01", "2024-06-30")),
        ("at the end of the first week of May 2024", ("2024-05-05", "2024-05-07")),
        ("vor der letzten Woche im Mai 2024", (BEGINNING, "2024-05-24")),
        ("bis Ende Mai", (BEGINNING, "2026-05-31")),
    ],
)
def test_words_before_a_part_of_a_time_keep_their_meaning(
    question: str, span: tuple[str, str]
) -> None:
    found = find_time(f"What did I plant {question}?", TODAY)
    assert [one.iso_days() for one in found.spans] == [span]
    assert [phrase.words for phrase in found.phrases] == [question]
    assert found.rest == "What did I plant ?"


def test_a_part_of_a_time_leaves_the_other_times_of_the_question() -> None:
    found = find_time("Budget 2025 and the last week of May 2024", TODAY)
    assert [span.iso_days() for span in found.spans] == [
        ("2025-01-01", "2025-12-31"),
        ("2024-05-25", "2024-05-31"),
    ]
    found = find_time("on Monday, the last week of May 2024, 2023 plans", TODAY)
    assert ("2024-05-25", "2024-05-31") in [span.iso_days() for span in found.spans]


def test_a_part_of_a_day_is_the_day() -> None:
    assert named("at the end of yesterday") == [("2026-11-15", "2026-11-15")]
    assert named("the beginning of last weekend") == [("2026-11-14", "2026-11-14")]


def test_the_end_of_a_month_in_chinese() -> None:
    assert named("2024年5月末我做了什么") == [("2024-05-21", "2024-05-31")]
    assert named("2024年5月中旬") == [("2024-05-11", "2024-05-20")]


# English and German forms


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("Monday last week", ("2026-11-09", "2026-11-09")),
        ("on Friday of last week", ("2026-11-13", "2026-11-13")),
        ("am Freitag der letzten Woche", ("2026-11-13", "2026-11-13")),
        ("last year's summer", ("2025-06-01", "2025-08-31")),
        ("in the summer of last year", ("2025-06-01", "2025-08-31")),
        ("the summer before last", ("2025-06-01", "2025-08-31")),
        ("the week before last", ("2026-11-02", "2026-11-08")),
        ("im Sommer des Vorjahres", ("2025-06-01", "2025-08-31")),
        ("im Sommer letzten Jahres", ("2025-06-01", "2025-08-31")),
        ("im Sommer vor zwei Jahren", ("2024-06-01", "2024-08-31")),
        ("vorletzten Sommer", ("2025-06-01", "2025-08-31")),
        ("vorletzte Woche", ("2026-11-02", "2026-11-08")),
        ("twenty years ago", ("2006-01-01", "2006-12-31")),
        ("vor fünfzehn Jahren", ("2011-01-01", "2011-12-31")),
        ("二十年前", ("2006-01-01", "2006-12-31")),
        ("十二天前", ("2026-11-04", "2026-11-04")),
        ("2024年十二月二十五日", ("2024-12-25", "2024-12-25")),
    ],
)
def test_a_time_counted_from_now(question: str, span: tuple[str, str]) -> None:
    found = find_time(question, TODAY)
    assert ([one.iso_days() for one in found.spans], found.rest) == ([span], "")


@pytest.mark.parametrize(
    "question",
    [
        *("twenty five years ago", "a hundred and two days ago", "many years ago", "vor Jahren"),
        *("一百二十年前", "Monday to Friday", "von Montag bis Freitag", "2000 steps", "€2000"),
    ],
)
def test_unknown_counts_and_amounts_are_no_time(question: str) -> None:
    assert not find_time(question, TODAY).phrases


@pytest.mark.parametrize("question", ["why did prices fall in 2024", "May I go in 2024?"])
def test_another_word_beside_a_year_is_no_month_or_season(question: str) -> None:
    assert named(question) == [("2024-01-01", "2024-12-31")]
    assert named("in the fall in 2024") == [("2024-09-01", "2024-11-30")]
    assert named("in May in 2024") == [("2024-05-01", "2024-05-31")]
