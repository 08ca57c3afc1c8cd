"""The sets of questions: always the same, with separate halves and answers that exist."""

import math
import random
import re
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from bench.daemon import DATA, Daemon
from bench.sets import (
    chains,
    crosslingual,
    diary_chains,
    diary_days,
    foreign_chains,
    journals,
    links,
    phrases,
    properties,
    relative_times,
    several,
    titles,
    typos,
    unanswerable,
    vaults,
)
from bench.sets.__main__ import SETS
from bench.sets.asking import outcome_of
from bench.sets.figures import Hit, Outcome, auc, calibration_error, difference, mean, reliability
from bench.sets.foreign_chain_words import ENGLISH, TONGUES, Tongue
from bench.sets.model import Question, QuestionSet, half_of, in_half
from bench.sets.report import differences, tables

TODAY = date(2025, 3, 12)  # a Wednesday
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} is not there")


@cache
def made(name: str) -> QuestionSet:
    if name == relative_times.NAME:
        return relative_times.make(TODAY)
    return SETS[name]()


GENERATED = (
    *(chains.NAME, foreign_chains.NAME, diary_chains.NAME, diary_days.NAME),
    relative_times.NAME,
)
EVERY = [name if name in GENERATED else pytest.param(name, marks=needs_data) for name in SETS]


@pytest.mark.parametrize("name", EVERY)
def test_every_right_note_is_in_its_vault_and_says_what_it_should(name: str) -> None:
    one = made(name)
    for question in one.questions:
        documents = one.vaults[question.vault].documents
        assert question.answers <= documents.keys()
        if question.says:
            texts = [documents[note] for note in question.answers]
            assert all(any(said in text for said in question.says) for text in texts)


@pytest.mark.parametrize("name", EVERY)
def test_ids_are_unique_and_both_halves_are_there_and_apart(name: str) -> None:
    questions = made(name).questions
    assert len({question.id for question in questions}) == len(questions)
    tune, test = in_half(questions, "tune"), in_half(questions, "test")
    assert len(tune) + len(test) == len(questions)
    assert not {q.group for q in tune} & {q.group for q in test}
    assert 0.3 < len(tune) / len(questions) < 0.7


def test_the_same_seed_makes_the_same_chains_and_another_seed_makes_others() -> None:
    assert chains.make(3) == chains.make(3)
    assert chains.make(3).questions != chains.make(4).questions


def test_the_same_day_makes_the_same_journal_and_the_next_day_adds_one_page() -> None:
    assert relative_times.make(TODAY) == relative_times.make(TODAY)
    today = relative_times.journal(TODAY)[1].documents
    tomorrow = relative_times.journal(date(2025, 3, 13))[1].documents
    assert tomorrow.keys() - today.keys() == {"Journal/2025/2025-03-13.md"}
    assert all(tomorrow[path] == text for path, text in today.items() if path in tomorrow)


def test_there_are_at_least_200_chains_of_two_to_six_statements() -> None:
    built, vault = chains.build()
    assert len(built) >= 200
    assert {len(chain.statements) for chain in built} == set(range(2, 7))
    for chain in built:
        assert all(one.text in vault.documents[one.note] for one in chain.statements)
        assert len({one.text for one in chain.statements}) == len(chain.statements)


def test_the_right_statement_of_a_chain_is_the_one_of_the_last_day() -> None:
    built, _ = chains.build()
    asked = {question.id: question for question in chains.questions(built)}
    for chain in built:
        question = asked[f"chains/{chain.sort}/{chain.subject}"]
        newest = max(chain.statements, key=lambda one: one.day)
        assert question.says == (newest.text,)
        assert set(question.outdated) == {one.text for one in chain.statements} - {newest.text}


def test_a_question_to_a_past_month_wants_the_statement_of_that_month() -> None:
    past = [q for q in made(chains.NAME).questions if q.kind == "past"]
    assert len(past) > 40
    assert all(not question.outdated and question.says for question in past)


def test_persons_who_share_a_first_name_share_a_half() -> None:
    halves: dict[str, set[str]] = {}
    for chain in chains.build()[0]:
        if chain.sort in chains.PERSONAL:
            halves.setdefault(chain.subject.split()[0], set()).add(half_of(chains.group_of(chain)))
    assert all(len(half) == 1 for half in halves.values())


def test_the_same_seed_makes_the_same_foreign_chains() -> None:
    assert foreign_chains.make(3) == foreign_chains.make(3)
    assert foreign_chains.make(3).questions != foreign_chains.make(4).questions


@pytest.mark.parametrize("tongue", TONGUES, ids=lambda tongue: tongue.code)
def test_every_kind_has_four_foreign_chains_with_lines_of_ordinary_days(tongue: Tongue) -> None:
    built, vault = foreign_chains.build(tongue)
    kinds = Counter(chain.kind for chain in built)
    assert kinds == dict.fromkeys(("debt", "price", "weight", "address", "job"), 4)
    assert 60 <= len(vault.documents) <= 100 and vault.language == "multilingual"
    for text in vault.documents.values():
        assert any(line in text for line in tongue.fillers)
        assert not set("{}#") & set(text.replace("## 20", ""))
    for kind in set(kinds) & set(foreign_chains.PERSONAL):
        names = Counter(chain.subject["key"] for chain in built if chain.kind == kind)
        assert max(names.values()) > 1


@pytest.mark.parametrize("seed", [foreign_chains.SEED, 1, 2, 3, 4])
def test_the_newest_statement_of_a_foreign_chain_is_right(seed: int) -> None:
    one = foreign_chains.make(seed)
    chains_of = {}
    for tongue in (*TONGUES, ENGLISH):
        for chain in foreign_chains.build(tongue, seed)[0]:
            days = [statement.day for statement in chain.statements]
            texts = [statement.text for statement in chain.statements]
            assert 2 <= len(set(days)) == len(set(texts)) <= 4 and days == sorted(days)
            chains_of[foreign_chains.vault_of(tongue), texts[-1]] = texts[:-1]
    for question in one.questions:
        (newest,) = question.says
        assert list(question.outdated) == chains_of[question.vault, newest]
        assert "{" not in question.text


def test_a_question_across_languages_is_about_the_vault_in_english() -> None:
    kinds = Counter(question.kind for question in foreign_chains.make().questions)
    for tongue in TONGUES:
        assert kinds[f"own {tongue.code}"] == 40 and kinds[f"cross {tongue.code}"] == 5
    english = foreign_chains.vault_of(ENGLISH)
    for question in foreign_chains.make().questions:
        assert (question.vault == english) == question.kind.startswith("cross")


def test_every_wording_of_a_question_is_asked() -> None:
    asked = {question.text.lower() for question in foreign_chains.make().questions}
    for tongue in TONGUES:
        built, _ = foreign_chains.build(tongue)
        for name, kind in tongue.kinds.items():
            chains_of = [chain for chain in built if chain.kind == name]
            for form in kind.questions:
                texts = {form.format(**chain.subject).lower() for chain in chains_of}
                assert texts & asked


def test_money_is_written_as_people_of_the_language_write_it() -> None:
    by_code = {tongue.code: tongue for tongue in TONGUES}
    assert by_code["de"].amount("{n} €", 1200) == "1.200 €"
    assert by_code["ru"].amount("{n} ₽", 12_000) == "12 000 ₽"
    japanese = by_code["ja"]
    written = [japanese.amount("{man}円", n) for n in (50_000, 35_000, 10_300, 8000, 5600)]
    assert written == ["5万円", "3万5千円", "1万300円", "8千円", "5600円"]


def test_times_in_words_mean_the_right_days() -> None:
    asked = {q.text: q.answers for q in made(relative_times.NAME).questions}
    bare = {text: answers for text, answers in asked.items() if "yesterday" in text}
    one_day = [a for text, a in bare.items() if text.split("before ")[-1] != text]
    assert one_day and all(a == {"Journal/2025/2025-03-10.md"} for a in one_day)
    weeks = [a for text, a in asked.items() if text.endswith("last week?") and "do last" in text]
    days = {f"Journal/2025/2025-03-{day:02}.md" for day in range(3, 10)}
    assert all(answers <= days for answers in weeks)
    birthday = asked["What did I do two days before my birthday in 2024?"]
    assert birthday == {"Journal/2024/2024-05-12.md"}


@needs_data
def test_what_would_answer_an_unanswerable_question_is_in_no_note() -> None:
    one = made(unanswerable.NAME)
    without = [question for question in one.questions if not question.answers]
    assert len(without) == 200
    lines = {
        name: [line for text in vault.documents.values() for line in text.lower().splitlines()]
        for name, vault in one.vaults.items()
    }
    for question in without:
        parts = [part.lower() for part in question.absent]
        assert parts
        assert not any(all(part in line for part in parts) for line in lines[question.vault])
    assert len(one.questions) - len(without) == 200


@needs_data
def test_titles_split_file_names_into_words() -> None:
    assert titles.words_of("type_hints") == "type hints"
    assert titles.words_of("MyOwn-Note.v2") == "my own note v2"
    kinds = {question.kind for question in made(titles.NAME).questions}
    assert kinds == {"title", "file name", "alias"}


@needs_data
def test_the_other_sets_have_the_sizes_that_they_should() -> None:
    wrong = [question for question in made(typos.NAME).questions if question.clean]
    assert len(wrong) == 500
    assert len(made(links.NAME).questions) >= 100
    assert len(made(crosslingual.NAME).questions) == 9 * crosslingual.QUESTIONS
    for name, least in ((phrases.NAME, 200), (properties.NAME, 150), (several.NAME, 140)):
        assert len(made(name).questions) >= least


def test_entries_of_diaries_have_one_newest_statement_after_every_older_one() -> None:
    one = made(diary_chains.NAME)
    counts = Counter(half_of(question.group) for question in one.questions)
    assert counts == {"tune": 200, "test": 160}
    for question in one.questions:
        [newest] = question.answers
        documents = one.vaults[question.vault].documents
        older = [path for path, text in documents.items() if text.strip() in question.outdated]
        assert older and max(older) < newest


def test_days_of_diaries_have_one_newest_statement_after_every_older_one() -> None:
    one = made(diary_days.NAME)
    counts = Counter(half_of(question.group) for question in one.questions)
    assert counts == {"tune": 72, "test": 72}
    for question in one.questions:
        [newest] = question.answers
        documents = one.vaults[question.vault].documents
        older = [p for p, text in documents.items() for old in question.outdated if old in text]
        assert older and max(older) < newest


@needs_data
def test_a_typo_changes_one_word_into_one_that_no_note_has() -> None:
    one = made(typos.NAME)
    asked = {question.id: question for question in one.questions}
    said = {
        name: set(vaults.WORD.findall("\0".join(vault.documents.values()).lower()))
        for name, vault in one.vaults.items()
    }
    for question in one.questions:
        if question.clean:
            clean = asked[question.clean]
            assert clean.answers == question.answers and clean.group == question.group
            old, new = clean.text.split(), question.text.split()
            changed = [b for a, b in zip(old, new, strict=True) if a != b]
            assert len(changed) == 1
            letters = vaults.WORD.findall(changed[0].lower())
            assert any(word not in said[question.vault] for word in letters)


def test_every_kind_of_typo_is_one_slip() -> None:
    source = random.Random(1)
    for kind in typos.KINDS:
        wrong = typos.mistyped("garden", kind, source)
        assert wrong != "garden" and wrong[0] == "g"
        assert abs(len(wrong) - len("garden")) == (kind in ("omission", "doubling"))


@needs_data
def test_a_note_that_only_links_find_shares_no_telling_word_with_the_question() -> None:
    one = made(links.NAME)
    for question in one.questions:
        documents = one.vaults[question.vault].documents
        for note in question.answers:
            assert not links.telling(question.text) & links.telling(documents[note])


@needs_data
def test_excluded_notes_have_the_excluded_word_and_right_ones_do_not() -> None:
    one = made(phrases.NAME)
    excluding = [question for question in one.questions if question.excluded]
    assert len(excluding) > 100
    for question in excluding:
        documents = one.vaults[question.vault].documents
        word = re.split(r"-|without |not with |no ", question.text)[-1].strip("?")
        assert all(word in documents[note].lower() for note in question.excluded)
        assert not any(word in documents[note].lower() for note in question.answers)
    quoted = [question for question in one.questions if question.kind == "phrase"]
    for question in quoted:
        phrase, documents = question.text.strip('"'), one.vaults[question.vault].documents
        having = {n for n, text in documents.items() if phrase in " ".join(text.split())}
        assert having == question.answers


@needs_data
def test_properties_that_are_asked_for_are_in_the_frontmatter() -> None:
    one = made(properties.NAME)
    for question in one.questions:
        key = re.split("[=<>]", question.text.split("prop:")[1])[0]
        for note in question.answers:
            text = one.vaults[question.vault].documents[note]
            assert key in vaults.properties(text)


@needs_data
def test_evidence_of_several_notes_is_in_two_to_five_of_them() -> None:
    for question in made(several.NAME).questions:
        assert 2 <= len(question.answers) <= 5


def outcome(identity: str, best: float, *right: bool, answerable: bool = True) -> Outcome:
    hits = [Hit(f"{at}.md", best, is_right) for at, is_right in enumerate(right)]
    figures = {"hit@1": float(right[0])} if right else {}
    return Outcome(identity, "s", "k", "v", answerable, True, figures, best, hits)


@needs_data
def test_the_days_that_answer_a_question_are_of_its_person_and_the_same_in_both_languages() -> None:
    days: dict[str, list[list[str]]] = {}
    for question in made(journals.NAME).questions:
        assert all(note.startswith(f"{question.folder}/") for note in question.answers)
        found = sorted(note.removeprefix(question.folder) for note in question.answers)
        days.setdefault(question.vault, []).append(found)
    english, chinese = days.values()
    assert sorted(english) == sorted(chinese)


def test_a_folder_to_keep_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Daemon(Path("kept")).vault == tmp_path / "kept" / "vault"


def test_figures_by_hand() -> None:
    assert mean([1.0, 0.0, 1.0, 0.0]).mean == 0.5
    assert mean([1.0, 0.0, 1.0, 0.0]).error == pytest.approx(math.sqrt(1 / 3) / 2)
    assert auc([3, 2], [1, 2]) == 0.875
    assert auc([1, 1], [1, 1]) == 0.5
    assert difference({"a": 1.0, "b": 1.0}, {"a": 0.0, "b": 1.0, "c": 1.0}).mean == 0.5
    some = [outcome("a", 0.85, True, False), outcome("b", 0.25, False, False)]
    assert [(one.low, one.results, one.right) for one in reliability(some)] == [
        (0.2, 2, 0.0),
        (0.8, 2, 0.5),
    ]
    assert calibration_error(some).mean == pytest.approx((0.25 + 0.35) / 2)


def test_an_answer_becomes_figures() -> None:
    asked = Question("q", "?", "k", "v", frozenset(["n.md"]), "g", ("now 2",), ("was 1", "was 0"))
    texts = ["was 1", "it is\nnow 2 and was 1", "other", "was 0"]
    results = [{"chunk_text": t, "score": 0.5, "source_file": "n.md"} for t in texts]
    results[3]["superseded_by"] = "n.md:1"
    found = outcome_of(QuestionSet("s", [asked], {}), asked, {"results": results})
    assert [hit.right for hit in found.hits] == [False, True, False, False]
    assert [hit.outdated for hit in found.hits] == [True, False, False, True]
    expected = {"hit@1": 0.0, "hit@3": 1.0, "outdated@1": 1.0, "old marked": 0.5, "new marked": 0.0}
    assert expected.items() <= found.figures.items()
    assert found.figures["ndcg@10"] == pytest.approx(1 / math.log2(3))


def test_a_report_shows_sets_and_differences() -> None:
    now = [outcome("a", 0.9, True), outcome("b", 0.4, False, answerable=False)]
    then = [outcome("a", 0.9, False), outcome("b", 0.4, False, answerable=False)]
    text = "\n".join(tables(now))
    assert "| **s** | 2 |" in text and "| all | 2 | 1.000" in text
    assert "Expected calibration error" in text
    lines = list(differences(now, then))
    assert any(line.startswith("| **s** | 2 |") and "+0.500" in line for line in lines)
    assert any(line.startswith("AUC, now - then: +0.000") for line in lines)
    assert any(line.startswith("Expected calibration error, now - then: -0.400") for line in lines)
