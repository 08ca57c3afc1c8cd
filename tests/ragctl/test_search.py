"""`ragctl search`: against a daemon that says what a test wants, and against a real one."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ragctl.commands import search
from ragctl.passages import Marks, described, excerpt
from ragctl.render import Ink
from ragd.adapters import embedded
from ragd.paths import Home


class Loud(Ink):
    """Ink that paints wherever it is."""

    def __init__(self) -> None:
        super().__init__()
        self.colour = True


RESULT: dict[str, Any] = {
    "chunk_text": "## Plan\n\nSolder the board on Sunday.",
    "score": 0.875,
    "source_file": "Projects/Doorbell.md",
    "section": "Plan",
    "date": "2024-01-15",
    "tags": ["#electronics"],
    "heading_path": "Doorbell > Plan",
    "title": "Doorbell",
    "citation": "Projects/Doorbell.md#L10-L12",
}


def test_a_passage_shows_heading_score_source_date_and_text() -> None:
    shown = described(1, RESULT, Marks("when?"), Ink())
    assert shown.splitlines() == [
        "1. Doorbell > Plan  0.88",
        "   Projects/Doorbell.md#L10-L12 · 2024-01-15 · #electronics",
        "   ## Plan",
        "   Solder the board on Sunday.",
        "   ragctl show Projects/Doorbell.md#L10-L12",
    ]


def test_what_is_worth_remembering_can_be_pasted_into_a_shell() -> None:
    value = "- Paid it's $5 `date` \x1b[2J\n back"
    suggestion = {"key": "debt", "value": value, "source": "My notes/a.md"}
    asked, typed = search._suggestion(suggestion, Ink()).splitlines()
    assert asked == "Worth remembering?" and "\x1b" not in typed
    words = shlex.split(typed)
    assert words[:5] == ["ragctl", "memory", "store", "--", "debt"]
    assert words[5].startswith("- Paid it's $5 `date` ") and words[5].endswith(" back")
    assert words[6:] == ["My notes/a.md"]


@pytest.mark.parametrize(
    ("left", "said"),
    [(0, ""), (1, "1 new or changed note is not"), (7, "7 new or changed notes are")],
)
def test_notes_that_are_not_read_yet_are_told(left: int, said: str) -> None:
    envelope = {"status": "healthy", "error": None, "meta": {"unindexed_files": left}}
    shown = search._told("when?", envelope, {"results": [RESULT]}, Ink())
    assert (said in shown) if said else ("index" not in shown)


def test_the_properties_of_a_note_take_one_line_of_its_passage() -> None:
    begin = RESULT | {"chunk_index": 0, "start_line": 2}
    text = "tags:\n  - home\naliases: [Bell]\n\n# Doorbell\n\nSolder it."
    shown = described(1, begin | {"chunk_text": text}, Marks(""), Ink()).splitlines()
    assert shown[2:5] == ["   tags: - home aliases: [Bell]", "   # Doorbell", "   Solder it."]
    long = "tags: " + "x" * 200 + "\n\nSolder it."
    shown = described(1, begin | {"chunk_text": long}, Marks(""), Ink()).splitlines()
    assert len(shown) == 5 and shown[2].endswith("x…") and shown[3] == "   Solder it."
    alone = "cover: https://example.org/x.jpg\ngenre:\n- Sci-fi"
    shown = described(1, begin | {"chunk_text": alone}, Marks(""), Ink()).splitlines()
    assert shown[2:-1] == ["   cover: genre: - Sci-fi"]
    prose = "One: this.\nAnd that.\n\nMore."
    shown = described(1, begin | {"chunk_text": prose}, Marks(""), Ink()).splitlines()
    assert shown[2:5] == ["   One: this.", "   And that.", "   More."]


@pytest.mark.parametrize(
    ("others", "total", "said"),
    [
        ([], 0, None),
        (["a.md"], 1, "Also in a.md."),
        (["a.md", "b.md"], 3, "Also in a.md, b.md and 1 more note."),
        ([], 2, "Also in 2 other notes."),
    ],
)
def test_other_notes_with_the_same_passage_are_named(
    others: list[str], total: int, said: str | None
) -> None:
    found = RESULT | {"also_in": others, "also_in_total": total}
    shown = described(1, found, Marks(""), Ink()).splitlines()
    assert [line.strip() for line in shown if "Also in" in line] == ([said] if said else [])


def test_matches_are_marked_whatever_their_form() -> None:
    marks = Marks("Who was soldering boards in 2024?")
    assert marks.paint("Solder the Board of 2024", Loud()) == (
        "\x1b[33;1mSolder\x1b[0m the \x1b[33;1mBoard\x1b[0m of \x1b[33;1m2024\x1b[0m"
    )
    assert Marks("机器学习").within("我学习机器") == [(1, 5)]
    assert Marks("").within("anything") == []


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ({"stale": True}, "ragctl sync"),
        ({"unverified": True}, "vault is away"),
        ({"sensitive": ["health", "relations"]}, "Sensitive: health, relations."),
        ({"injection_suspected": True}, "only a note"),
    ],
)
def test_what_to_mind_is_said_below_a_passage(flag: dict[str, Any], said: str) -> None:
    assert said in described(1, RESULT | flag, Marks(""), Ink()).splitlines()[-2]


@pytest.mark.parametrize(
    "path",
    ["a b.md", "it's.md", "$HOME.md", "-n.md", "a;b.md", "日記.md", "#x.md", "~.md", "a&b.md"],
)
def test_a_passage_ends_with_what_can_be_pasted_into_a_shell(path: str) -> None:
    citation = f"{path}#L10-L12"
    shown = described(1, RESULT | {"citation": citation}, Marks(""), Ink())
    typed = shown.splitlines()[-1].strip()
    said = subprocess.run(
        ["bash", "-c", typed.replace("ragctl show", "printf %s")], capture_output=True, text=True
    )
    assert said.stdout.removeprefix("./") == citation


def test_a_long_passage_is_shown_where_most_of_the_question_is() -> None:
    lines = [f"- item {n}" for n in range(40)]
    lines[30] = "- the doorbell battery"
    shown = excerpt("\n".join(lines), Marks("doorbell battery"), Ink())
    assert "- the doorbell battery" in shown
    assert shown[0] == shown[-1] == "…" and len(shown) == 10


def test_nothing_in_a_note_moves_the_terminal() -> None:
    evil = RESULT | {"chunk_text": "a\x1b[2Jb\x9bc\u202ed", "heading_path": "x\x07y"}
    shown = described(1, evil, Marks("a"), Ink())
    assert not any(c in shown for c in "\x1b\x9b\x07\u202e")


def test_lines_wrapped_by_an_editor_are_joined_and_lists_are_not() -> None:
    long = "word " * 14
    assert excerpt(f"{long}\nend.\n- one\n- two", Marks(""), Ink()) == [
        f"{long.strip()} end.",
        "- one",
        "- two",
    ]


@pytest.mark.skipif(embedded.unavailable() is not None, reason="no embedded model here")
def test_a_question_to_a_real_daemon(ragctl: Any, home: Home, short: Path) -> None:
    vault = short / "vault"
    (vault / "Birds").mkdir()
    (vault / "Birds" / "2024-05-01.md").write_text("A kingfisher at the weir. #river\n")
    config = {"vault_path": str(vault), "embedding": {"provider": "embedded"}}
    Path(home.config).write_text(json.dumps(config))
    assert ragctl("search", "kingfisher").code == 4  # nothing is indexed yet
    assert ragctl("index").code == 0
    found = ragctl("search", "who", "saw", "a", "kingfisher?", "--max", "3")
    assert (found.code, found.err) == (0, "")
    assert found.lines[1].strip() == "Birds/2024-05-01.md#L1-L1 · 2024-05-01 · #river"
    limits = (
        "--dir",
        "birds",
        "--tag",
        "river",
        "--from",
        "2024-05-01T08:00",
        "--to",
        "2024-05-01",
    )
    as_json = ragctl("search", "kingfisher", *limits, "--json")
    assert as_json.code == 0
    assert as_json.json["data"]["results"][0]["source_file"] == "Birds/2024-05-01.md"
    assert as_json.json["meta"]["retrieval"] == "hybrid"
    nothing = ragctl("search", "flonk grumblewort")
    assert nothing.code == 6 and "Nothing found" in nothing.out
    assert ragctl("search", "kingfisher", "--tag", "sea", "--json").code == 6
    for wrong in (("--dir", "Nowhere"), ("--dir", ".."), ("--from", "soon"), ("--max", "99")):
        refused = ragctl("search", "kingfisher", *wrong)
        assert (refused.code, refused.out) == (2, "") and refused.err
    (vault / "Birds" / "2024-05-01.md").unlink()
    assert ragctl("search", "kingfisher").code == 6
    vault.rename(short / "away")
    away = ragctl("search", "kingfisher")
    assert away.code == 0 and "vault is away" in away.out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("x", "--from", "yesterday"), "write it like 2025-01-31"),
        (("x", "--to", "2025"), "write it like 2025-01-31"),
        (("x", "--from", "2025-02-30"), "2025-02-30 is no day of the calendar."),
        (("x", "--to", "2025-01-31T18:30:00 o'clock"), "2025-01-31T18:30:00Z (or +02:00)"),
        (("x", "--to", "2025-01-31T25:30"), "2025-01-31T25:30 is no day of the calendar."),
        (
            ("x", "--from", "2023-05-03", "--to", "2023-05-01"),
            "--from 2023-05-03 lies after --to 2023-05-01.",
        ),
        (("x", "--max", "1000"), "at most 50"),
        (("",), "There is no question"),
    ],
)
def test_what_is_mistyped_is_told_in_the_words_of_the_command_line(
    ragctl: Any, typed: tuple[str, ...], said: str
) -> None:
    result = ragctl("search", *typed)
    assert result.code == 2 and said in result.err


@pytest.mark.parametrize(
    ("refusal", "typed", "said"),
    [
        (("UNKNOWN_DIRECTORY", None), ("--dir", "Peeple"), "--dir Peeple: there is no such folder"),
        (
            ("UNKNOWN_DIRECTORY", None),
            ("--dir", "Peeple", "--dir", "Journal"),
            "--dir Peeple --dir Journal: one of these",
        ),
        (("SECURITY_VIOLATION", None), ("--dir", ".."), "--dir .. leads outside the vault."),
        (
            ("INVALID_REQUEST", "The field `tags` has a tag without a name."),
            ("--tag", "#"),
            "--tag has a tag without a name.",
        ),
        (
            ("INVALID_REQUEST", "The field `directory_filter[0]` is not valid: too long."),
            ("--dir", "x"),
            "--dir is not valid: too long.",
        ),
    ],
)
def test_what_the_daemon_refuses_is_told_in_the_words_of_the_command_line(
    ragctl: Any, fake: Any, refusal: tuple[str, str | None], typed: tuple[str, ...], said: str
) -> None:
    fake.search_refusal = refusal
    result = ragctl("search", "x", *typed)
    assert (result.code, result.out) == (2, "") and said in result.err
    assert "field" not in result.err
    assert ragctl("search", "x", *typed, "--json").json["error"]["code"] == refusal[0]


def test_a_folder_of_the_vault_may_be_given_whole(ragctl: Any, fake: Any) -> None:
    ragctl("search", "x", "--dir", "/vault/Journal/2024/", "--dir", "People")
    ragctl("search", "x", "--dir", "/vault/")
    ragctl("search", "x", "--dir", "/elsewhere")
    assert [asked.get("directory_filter") for asked in fake.searches] == [
        ["Journal/2024/", "People"],
        None,
        ["/elsewhere"],
    ]


def test_whoever_types_is_told_what_to_type_for_what_was_withheld(ragctl: Any, fake: Any) -> None:
    fake.withheld = 2
    result = ragctl("search", "how was my mood?")
    assert result.code == 0 and "Ask the user" not in result.out
    assert "→ What to type to see them stands below." in result.out
    assert "the same command with `--confirm token`" in result.lines[-1]
    as_json = ragctl("search", "how was my mood?", "--json").json
    assert as_json["error"]["suggestion"].startswith("Ask the user")


def test_the_help_says_what_the_number_beside_a_passage_is(ragctl: Any) -> None:
    said = " ".join(ragctl("search", "--help").out.split())
    assert "how relevant it is by itself" in said and "the two can differ" in said
