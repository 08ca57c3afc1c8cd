"""The example vault: it is consistent, and it answers typical questions."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from ragd.embed.providers import local_model
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
VAULT = ROOT / "examples" / "vault"
HIDDEN = "Letters/Not sent.md"
NOTES = {str(path.relative_to(VAULT)): path.read_text() for path in sorted(VAULT.rglob("*.md"))}

_ALIASES = re.compile(r"^aliases: \[(.*)\]$", re.M)

needs_model = pytest.mark.skipif(
    local_model.unavailable() is not None, reason="the embedded model cannot run here"
)


def test_it_is_of_the_size_of_an_afternoon_of_writing() -> None:
    assert 55 <= len(NOTES) <= 75
    assert [path for path, text in NOTES.items() if re.search("^rag: false$", text, re.M)] == [
        HIDDEN
    ]


def test_every_link_leads_to_a_note() -> None:
    names = {target for path in NOTES for target in (path[:-3], Path(path).stem)}
    for text in NOTES.values():
        names |= {name.strip() for listed in _ALIASES.findall(text) for name in listed.split(",")}
    links = [
        (path, link.partition("|")[0])
        for path, text in NOTES.items()
        for link in re.findall(r"\[\[(.+?)\]\]", text)
    ]
    assert len(links) > 40
    assert [link for link in links if link[1] not in names] == []


def test_every_day_falls_on_the_weekday_that_its_heading_says() -> None:
    days = 0
    for path, text in NOTES.items():
        heading = re.search(r"^# (\w+day, .*)$", text, re.M)
        if path.startswith("Journal/") and heading:
            day = date.fromisoformat(Path(path).stem)
            assert heading[1] == f"{day:%A}, {day.day} {day:%B %Y}"
            days += 1
    assert days > 15


@pytest.mark.parametrize("year", ["2024", "2025"])
def test_both_years_have_days_with_the_sections_of_a_journal(year: str) -> None:
    days = [text for path, text in NOTES.items() if path.startswith(f"Journal/{year}-")]
    assert len(days) >= 10
    for section in ("#mentalhealth", "#finance", "#relations", "#family", "#work"):
        assert any(section in text.splitlines() for text in days), section


# Asked


@pytest.fixture(scope="module")
def home() -> Iterator[str]:
    """A home with an index of the whole vault."""
    folder = tempfile.mkdtemp(prefix="rvault")
    done = _ragctl(folder, "index", "--vault", str(VAULT))
    assert done.returncode == 0, done.stderr
    yield folder
    _ragctl(folder, "stop")
    shutil.rmtree(folder)


def _ragctl(home: str, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OBSIDIAN_RAG_HOME": home}
    return subprocess.run(
        [sys.executable, "-m", "ragctl", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )


def _found(home: str, question: str, *options: str) -> dict[str, Any]:
    """The answer. On a busy machine the question's vector may be late, so it is asked again."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        done = _ragctl(home, "search", question, "--json", *options)
        envelope: dict[str, Any] = json.loads(done.stdout)
        if (envelope["error"] or {}).get("code") != "TIMEOUT":
            break
        assert time.monotonic() < deadline
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = envelope["data"]
    return data


def _sources(data: dict[str, Any]) -> list[str]:
    return [result["source_file"] for result in data["results"]]


@needs_model
@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "note"),
    [
        ("How was my mental health in 2024?", "Journal/2024-12-29.md"),
        ("What should my own podcast be about?", "Projects/Box 14.md"),
        ("What do I need from Costco?", "Lists/Costco.md"),
        ("what is on my shopping list?", "Lists/Grocery.md"),
        ("What did I learn from podcasts about sleep?", "Podcasts/Sleep is a skill.md"),
        ("Which project ideas do I have?", "Projects/Ideas.md"),
        ("when was Amma's operation?", "Journal/2024-11-17.md"),
        ("what did the car repair cost?", "House/Car.md"),
        ("which medication do I take, and how much?", "Health/Medication.md"),
        ("what sensor for the doorbell survives rain?", "Projects/Doorbell.md"),
        ("Welches Holz nehme ich für das Gewürzregal?", "Projects/Gewürzregal.md"),
        ("Wann hat Jutta Geburtstag?", "People/Jutta.md"),
        ("番茄炒蛋怎么做？", "Recipes/番茄炒蛋.md"),
        ("林薇的妈妈什么时候来？", "Journal/2025-06-21 和林薇散步.md"),
    ],
)
def test_a_question_finds_its_note_first(home: str, question: str, note: str) -> None:
    assert _sources(_found(home, question))[0] == note


@needs_model
@pytest.mark.slow
def test_a_year_of_mental_health_is_told_by_days_of_that_year(home: str) -> None:
    found = _found(home, "How was my mental health in 2024?")["results"]
    assert len({result["date"] for result in found}) == 5
    assert all(result["date"].startswith("2024-") for result in found)
    assert all("health" in result["sensitive"] for result in found)


@needs_model
@pytest.mark.slow
def test_what_is_owed_takes_several_notes_and_is_worth_remembering(home: str) -> None:
    """Lent $640, paid back $200 and $150: no note says $290."""
    lent, back, more = (f"Journal/2025-{day}.md" for day in ("08-16", "09-27", "11-08"))
    question = "How much do I owe Sreenivas?"
    everything = _found(home, question)
    assert _sources(everything)[:2] == [more, back]
    newer = {result["source_file"]: result["superseded_by"] for result in everything["results"]}
    newest = everything["results"][0]["citation"]
    assert (newer[more], newer[back], newer[lent]) == (None, newest, newest)
    assert everything["sensitive_detected"] is True
    this_year = _found(home, question, "--from", "2025-01-01", "--max", "3")
    assert _sources(this_year)[:2] == [more, back]
    assert this_year["memory_suggestion"]["source"] == more
    assert not any("290" in text for text in NOTES.values())


@needs_model
@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        "Wie viel schulde ich Sreenivas?",
        "¿Cuánto le debo a Sreenivas?",
        "Combien je dois à Sreenivas ?",
        "Сколько я должен Sreenivas?",
        "我欠 Sreenivas 多少钱？",
        "Sreenivasにいくら借りてる？",
    ],
)
def test_the_newest_of_a_debt_comes_first_in_any_language(home: str, question: str) -> None:
    found = {result["source_file"]: result for result in _found(home, question)["results"]}
    newer, older = "Journal/2025-11-08.md", "Journal/2025-09-27.md"
    assert next(iter(found)) == newer
    assert found[older]["superseded_by"] == found[newer]["citation"]


@needs_model
@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "newer", "older"),
    [
        ("Does Kavya owe me money?", "Journal/2025-03-16.md", "Journal/2024-11-17.md"),
        ("what is in the emergency fund?", "Finance/Budget 2025.md", "Journal/2024-10-13.md"),
        ("what is in the emergency fund?", "Finance/Budget 2025.md", "Journal/2025-03-16.md"),
    ],
)
def test_a_fact_that_changed_is_marked(home: str, question: str, newer: str, older: str) -> None:
    found = {result["source_file"]: result for result in _found(home, question)["results"]}
    assert next(iter(found)) == newer
    assert found[older]["superseded_by"] == found[newer]["citation"]


@needs_model
@pytest.mark.slow
def test_two_flights_are_two_prices_and_little_is_worth_remembering(home: str) -> None:
    for question in ("flight price", "What did my flights cost?"):
        found = _found(home, question)
        assert {result["superseded_by"] for result in found["results"]} == {None}
    for question in ("How much rent do I pay?", "what is in the emergency fund?"):
        assert _found(home, question)["memory_suggestion"] is None
    settled = _found(home, "Does Kavya owe me money?")["memory_suggestion"]
    assert settled["value"].startswith("Kavya sent the $85")


@needs_model
@pytest.mark.slow
def test_a_note_that_hides_itself_is_not_found(home: str) -> None:
    found = _found(home, "the letter to Tomas that I never sent", "--max", "50")
    assert HIDDEN not in _sources(found)
    assert f"{HIDDEN} (its frontmatter says `rag: false`)" in _ragctl(home, "status").stdout
