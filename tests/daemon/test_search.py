"""Searching, as a tool call sees it: a real daemon, a real index, the embedded model."""

import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from ragd.embed.providers import local_model
from tests.daemon.searches import NOTES, Vault, serve_vault
from tests.patience import PATIENCE_S

pytestmark = [
    pytest.mark.skipif(local_model.unavailable() is not None, reason="no embedded model here"),
]


@pytest.fixture(scope="module")
def vault() -> Iterator[Vault]:
    """Indexed once; the tests here leave it as it is."""
    with serve_vault() as vault:
        yield vault


@pytest.fixture(scope="module")
def shared() -> Path:
    """The data shared between checkouts: beside this one, or where RAGD_SHARED says."""
    root = Path(__file__).resolve().parents[2]
    found = Path(os.environ.get("RAGD_SHARED", root.parent / "shared")) / "data"
    if not found.is_dir():
        pytest.skip("the shared test data is not there")
    return found


def test_a_question_in_other_words_finds_the_note(vault: Vault) -> None:
    asked = vault.search("What do I need from the supermarket?")
    assert asked.files[0] == "Shopping.md"
    assert (asked.status, asked.code) == (200, None)
    assert asked.envelope["status"] == "healthy"
    assert asked.meta["retrieval"] == "hybrid"
    assert asked.meta["embedded_share"] == 1.0
    assert asked.meta["stale_since"] is None


def test_what_nothing_answers_is_only_near(vault: Vault) -> None:
    good = vault.search("When do I solder the board?")
    assert (good.data["answered"], good.data["unsure"]) == (True, False)
    in_other_words = vault.search("What do I need from the supermarket?")
    assert in_other_words.data["answered"] is True
    poor = vault.search("Which zeppelin did Bartholomew Quimby sell to the board of admirals?")
    assert (poor.data["answered"], poor.data["unsure"]) == (False, True)
    for asked in (good, poor):
        scores = [found["score"] for found in asked.results]
        assert scores == sorted(scores, reverse=True)


def test_what_the_user_chose_by_a_filter_is_never_nothing(vault: Vault) -> None:
    chosen = "Which zeppelin did Bartholomew Quimby sell to the board of admirals? folder:Projects"
    asked = vault.search(chosen)
    assert asked.files and set(asked.files) == {"Projects/Doorbell.md"}
    assert asked.data["answered"] is True


def test_the_best_sentences_are_marked_on_request() -> None:
    question = "Where did the heron stand?"
    story = "We walked along the river for an hour and talked about nothing much at all. "
    answer = "A heron stood on the old jetty and did not move. "
    with serve_vault({"River.md": f"{4 * story}{answer}{3 * story}"}) as vault:
        deadline = time.monotonic() + PATIENCE_S
        while "best_sentences" not in (
            found := vault.search(question, mark_sentences=True).results[0]
        ):
            assert time.monotonic() < deadline  # on a busy machine they may be late
        (start, end), *others = found["best_sentences"]
        assert found["chunk_text"][start:end] == answer.strip()
        assert len(others) == 2
        assert "best_sentences" not in vault.search(question).results[0]


def test_a_question_that_the_model_does_not_understand_gets_no_verdict(vault: Vault) -> None:
    asked = vault.search("Welchen Zeppelin hat Bartholomäus Quimby an die Admiralität verkauft?")
    assert "understands English only" in asked.data["hint"]
    assert (asked.data["answered"], asked.data["unsure"]) == (True, False)


def test_a_result_has_every_field_of_the_contract(vault: Vault) -> None:
    found = vault.search("when do I solder the board?", max_results=1).results[0]
    assert found["source_file"] == "Projects/Doorbell.md"
    assert 0 < found.pop("score") <= 1
    assert found.pop("tags") == ["#Electronics"]
    assert found == {
        "chunk_text": "## Plan\n\nSolder the board on Sunday.",
        "source_file": "Projects/Doorbell.md",
        "section": "Plan",
        "date": None,
        "chunk_index": 1,
        "title": "Doorbell",
        "heading_path": "Doorbell > Plan",
        "start_line": 10,
        "end_line": 12,
        "citation": "Projects/Doorbell.md#L10-L12",
        "link": "obsidian://open?vault=My%20vault&file=Projects%2FDoorbell.md",
        "trust": "untrusted-note",
        "injection_suspected": False,
        "sensitive": [],
        "ask_first": False,
        "stale": False,
        "unverified": False,
        "also_in": [],
        "also_in_total": 0,
        "places": 1,
        "superseded_by": None,
        "maybe_newer": None,
        "via": None,
        "date_source": None,
        "file_date": None,
        "best_part": None,
        "kind": "markdown",
        "position": "",
        "collection": "vault",
        "context": None,
    }
    lines = NOTES["Projects/Doorbell.md"].splitlines()
    assert lines[9] == "## Plan" and lines[11].startswith("Solder")


def test_what_decided_the_order_is_told_on_request(vault: Vault) -> None:
    question = "when do I solder the board?"
    assert all("evidence" not in found for found in vault.search(question).results)
    told = [found["evidence"] for found in vault.search(question, explain=True).results]
    assert told[0]["text_rank"] == 1 and told[0]["vector_rank"] == 1
    assert 0 < told[0]["covered"] <= 1 and told[0]["cosine"] > 0
    assert all(isinstance(value, float | int | None) for one in told for value in one.values())
    weights = [found["weight"] for found in told]
    assert weights == sorted(weights, reverse=True)


@pytest.mark.parametrize(
    ("limits", "files"),
    [
        ({"directory_filter": ["Journal"]}, {p for p in NOTES if p.startswith("Journal/")}),
        ({"directory_filter": ["journal/"]}, {p for p in NOTES if p.startswith("Journal/")}),
        ({"directory_filter": ["Journal/2025"]}, {"Journal/2025/2025-03-09.md"}),
        (
            {"directory_filter": ["Journal/2025", "Ideen"]},
            {"Journal/2025/2025-03-09.md", "Ideen/Küche.md"},
        ),
        (
            {"date_range": {"from": "2024-01-15", "to": "2024-02-01"}},
            {"Journal/2024-01-15.md", "Journal/2024-02-01.md"},
        ),
        (
            {"date_range": {"from": "2024-02-01"}},
            {"Journal/2024-02-01.md", "Journal/2025/2025-03-09.md"},
        ),
        ({"date_range": {"to": "2024-01-15"}}, {"Journal/2024-01-15.md"}),
        (
            {"date_range": {"from": "2024-01-15T08:00", "to": "2024-02-01T23:00:00.5"}},
            {"Journal/2024-01-15.md", "Journal/2024-02-01.md"},
        ),
        ({"date_range": {"from": "2025-03-08T12:00:00Z"}}, {"Journal/2025/2025-03-09.md"}),
        ({"tags": ["birds"]}, {"Journal/2025/2025-03-09.md"}),
        ({"tags": ["#Birds/River"]}, {"Journal/2025/2025-03-09.md"}),
        (
            {"tags": ["electronics", "#finance"]},
            {"Projects/Doorbell.md", "Journal/2024-02-01.md"},
        ),
        ({"tags": ["bird"]}, set()),
        ({"tags": ["finance"], "directory_filter": ["Ideen"]}, set()),
    ],
)
def test_filters_let_through_what_they_say(
    vault: Vault, limits: dict[str, Any], files: set[str]
) -> None:
    query = "therapist dollars kingfisher relay board Regal bread"
    asked = vault.search(query, max_results=50, **limits)
    assert set(asked.files) <= files
    assert bool(asked.files) == bool(files)
    assert len(asked.files) <= asked.meta["chunks_scanned"]
    assert asked.meta["chunks_scanned"] >= len(files)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"date_range": {"from": "2024-02-01", "to": "2024-01-01"}}, "`date_range.from`"),
        ({"date_range": {"from": "2024-02-30"}}, "`date_range.from`"),
        ({"date_range": {"to": "2024-02-30T10:00Z"}}, "`date_range.to`"),
        (
            {"date_range": {"from": "2024-02-01T10:00", "to": "2024-02-01T09:00"}},
            "`date_range.from`",
        ),
        ({"date_range": {"since": "2024-02-01"}}, "`since`"),
        ({"tags": ["#"]}, "`tags`"),
        ({"tags": [""]}, "`tags"),
        ({"directory_filter": ["CON"]}, "`directory_filter`"),
        ({"directory_filter": ["a\0b"]}, "`directory_filter`"),
        ({"max_results": 51}, "`max_results`"),
    ],
)
def test_bad_values_are_refused_by_name(vault: Vault, body: dict[str, Any], named: str) -> None:
    asked = vault.search("x", **body)
    assert (asked.status, asked.code) == (400, "INVALID_REQUEST")
    assert named in asked.message
    assert asked.envelope["status"] == "healthy"


def test_an_unknown_directory_is_refused_without_a_hint(vault: Vault) -> None:
    for name in ("Journa", "Journal/2023", "Journal/2024-01-15.md", "Doorbell"):
        asked = vault.search("x", directory_filter=["Journal", name])
        assert (asked.status, asked.code, asked.data) == (400, "UNKNOWN_DIRECTORY", None)
        assert not any(word in asked.message for word in ("Journal", "Projects", "Ideen"))


WINDOWS = [
    *("C:\\Windows\\System32", "C:/Windows/System32", "CON", "NUL", "..\\", "..\\..\\x"),
    *("\\\\server\\share", "\\\\?\\C:\\x", "//server/share", "Journal\\..\\..\\x", "aux.md"),
    *("Journal/..", "Journal/../Projects", "%2e%2e%5c", "LPT1:", "nul.", "C:Journal"),
]


def test_no_attack_string_in_a_directory_yields_data(vault: Vault, shared: Path) -> None:
    file = shared / "security" / "path_traversal.jsonl"
    attacks = [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()]
    assert len(attacks) == 1200
    codes: Counter[str | None] = Counter()
    for attack in [*attacks, *WINDOWS]:
        asked = vault.search("therapist", directory_filter=[attack])
        assert asked.data is None, attack
        assert asked.code in ("SECURITY_VIOLATION", "UNKNOWN_DIRECTORY", "INVALID_REQUEST"), attack
        escapes = ".." in unquote(unquote(attack)).replace("\\", "/").split("/")
        assert not escapes or asked.code == "SECURITY_VIOLATION", attack
        codes[asked.code] += 1
    assert codes["SECURITY_VIOLATION"] > 1000
    assert asked.envelope["status"] != "unavailable", "the daemon is well, only the path is not"


ODD = [
    *("!!!", '"', "'", '"rye bread"', "'; DROP TABLE x; --", "a AND (b OR"),
    *("NOT rye", "rye -bread +x ^2 ~3", "field:value", "*", "**", "/rye.*/", "\\", "%", "_", "$$"),
    *("🎉", "👩‍👩‍👧‍👦", "\u202egnitirw", "\ud7ff", "\x00", "𝕳𝖊𝖑𝖑𝖔", "ﷺ" * 50, "e\u0301" * 100),
    *(
        "word " * 20_000,
        "日本語" * 30_000,
        "x" * 100_000,
        "#" * 1000,
        "[[link]] `code` <b>html</b>",
    ),
]


@pytest.mark.parametrize("query", ODD, ids=range(len(ODD)))
def test_any_text_is_a_question(vault: Vault, query: str) -> None:
    asked = vault.search(query[:100_000])
    assert asked.status == 200
    assert all(0 < result["score"] <= 1 for result in asked.results)


def test_the_list_of_naughty_strings_raises_nothing(vault: Vault, shared: Path) -> None:
    file = shared / "security" / "naughty_strings.jsonl"
    for line in file.read_text("utf-8").splitlines():
        text = json.loads(line)["text"]
        assert vault.search(text).status == (200 if text.strip() else 400)


@pytest.mark.parametrize("query", ["", " ", "\n", "\t \u2003"])
def test_an_empty_question_is_refused_with_a_sentence(vault: Vault, query: str) -> None:
    asked = vault.search(query, tags=["x"])
    assert (asked.status, asked.code) == (400, "INVALID_REQUEST")
    assert asked.message.startswith("The field `query` is empty")
    assert asked.envelope["status"] == "healthy"


@pytest.mark.parametrize(
    "query",
    [
        "asdkjh qwpoei zmxncb",
        "What is the flonk of a grumblewort?",
        "How did I zibber the wump last time?",
        "qqqqqqqqqqqq",
        "!!!???",
    ],
)
def test_nonsense_finds_nothing(vault: Vault, query: str) -> None:
    asked = vault.search(query)
    assert asked.files == []
    assert asked.meta["chunks_scanned"] == 7


@pytest.mark.parametrize(
    ("query", "found"),
    [("relays", "Projects/Doorbell.md"), ("electronics", "Projects/Doorbell.md")],
    ids=["another form of a word", "a tag"],
)
def test_what_full_text_found_is_not_lost_for_lack_of_the_very_word(
    words_only: Vault, query: str, found: str
) -> None:
    asked = words_only.search(query)
    assert asked.meta["retrieval"] == "full_text"
    assert found in asked.files


@pytest.fixture(scope="module")
def words_only() -> Iterator[Vault]:
    """A vault whose provider never answers: words are all there is."""
    folder = Path(tempfile.mkdtemp(prefix="rw", dir="/tmp"))
    vault = Vault(folder, NOTES, embedding={"provider": "ollama", "base_url": "http://127.0.0.1:1"})
    try:
        vault.start()
        vault.index_text()
        yield vault
    finally:
        vault.end()
        shutil.rmtree(folder, ignore_errors=True)


def test_some_of_the_words_are_enough(vault: Vault) -> None:
    asked = vault.search("did anybody ever see a kingfisher near the old lighthouse in Brittany?")
    assert asked.files[0] == "Journal/2025/2025-03-09.md"


def test_what_is_sensitive_is_flagged_and_a_memory_suggested(vault: Vault) -> None:
    asked = vault.search("how much do I owe Sreenivas?")
    assert asked.data["sensitive_detected"] is True
    assert "financial_debt" in asked.results[0]["sensitive"]
    suggestion = asked.data["memory_suggestion"]
    assert suggestion["source"] == "Journal/2024-02-01.md"
    assert "owe Sreenivas" in suggestion["value"]
    assert vault.search("kingfisher").data["sensitive_detected"] is False


def test_results_without_a_reason_to_be_there_do_not_fill_up_the_list(vault: Vault) -> None:
    asked = vault.search("kingfisher", max_results=50)
    assert asked.files == ["Journal/2025/2025-03-09.md"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what happened on 15 January 2024?", "Journal/2024-01-15.md"),
        ("what happened on February 1st?", "Journal/2024-02-01.md"),
        ("was ist im März 2025 passiert?", "Journal/2025/2025-03-09.md"),
        ("2025年3月9日", "Journal/2025/2025-03-09.md"),
    ],
)
def test_notes_of_a_named_time_come_first(vault: Vault, question: str, first: str) -> None:
    assert vault.search(question).files[0] == first


def test_a_named_time_is_a_preference_and_no_filter(vault: Vault) -> None:
    asked = vault.search("who was Sreenivas, whom I met in 2025?")
    assert "Journal/2024-02-01.md" in asked.files
