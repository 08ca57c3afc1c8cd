"""`ragctl search`: against a fake daemon and a real one."""

import json
import shlex
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from ragctl.views.excerpts import Highlighter, excerpt
from ragctl.views.markdown import StyledText
from ragctl.views.passages import render_passage
from ragctl.views.render import Ink
from ragctl.views.search_results import render_search_results
from ragd.embed.providers import local_model
from ragd.paths import Home
from tests.patience import PATIENCE_S


class Loud(Ink):
    """Ink that always uses colours."""

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


class Low(Ink):
    """Ink for a terminal of this size."""

    def __init__(self, columns: int = 80, rows: int = 40) -> None:
        super().__init__()
        self.columns, self.rows = columns, rows


def lines_of(result: dict[str, Any], question: str = "", ink: Ink | None = None) -> list[str]:
    return render_passage(1, result, Highlighter(question), ink or Ink()).splitlines()


def answer(*results: dict[str, Any], **more: Any) -> dict[str, Any]:
    meta = {"unindexed_files": more.pop("unindexed", 0)}
    data = {"results": list(results), **more}
    return {"status": "healthy", "error": None, "data": data, "meta": meta}


def test_a_passage_shows_name_dots_source_date_and_text() -> None:
    assert lines_of(RESULT, "when?") == [
        "1. Doorbell > Plan  ●●●●○",
        "   Projects/Doorbell.md#L10-L12 · 2024-01-15 · #electronics",
        "   Solder the board on Sunday.",
    ]


@pytest.mark.parametrize(
    ("title", "path", "shown"),
    [
        ("SIM Cards", "Notes", "SIM Cards > Notes"),
        ("SIM Cards", "SIM Cards > Notes", "SIM Cards > Notes"),
        ("SIM Cards", "SIM Cards", "SIM Cards"),
        ("SIM Cards", "", "SIM Cards"),
        ("SIM", "SIM Cards > Notes", "SIM > SIM Cards > Notes"),
        ("", "Notes", "Projects/Doorbell.md > Notes"),
    ],
)
def test_the_name_of_the_note_is_in_every_title(title: str, path: str, shown: str) -> None:
    first = lines_of(RESULT | {"title": title, "heading_path": path})[0]
    assert first == f"1. {shown}  ●●●●○"


@pytest.mark.parametrize(
    ("score", "dots"), [(0.0, "●○○○○"), (0.5, "●●○○○"), (0.8, "●●●●○"), (1.0, "●●●●●")]
)
def test_dots_say_how_relevant_a_passage_is(score: float, dots: str) -> None:
    assert lines_of(RESULT | {"score": score})[0].endswith(dots)


def test_five_long_passages_fit_a_terminal_of_forty_rows() -> None:
    long = RESULT | {"chunk_text": "word " * 300, "also_in": ["a.md"] * 5, "also_in_total": 9}
    suggestion = {"key": "k", "value": "v", "source": "a.md"}
    shown = render_search_results(
        "board?", answer(*[long] * 5, memory_suggestion=suggestion), Low()
    )
    assert shown.count("\n") + 1 < 40
    assert shown.splitlines()[0].startswith("1. Doorbell")
    whole = render_search_results("board?", answer(*[long] * 5), Low(), full=True)
    assert whole.count("word") == 1500 and whole.count("ragctl show") == 5


def test_long_paths_take_rows_too() -> None:
    far = RESULT | {"chunk_text": "word " * 300, "citation": f"{'Folder/' * 30}Note.md#L1-L9"}
    shown = render_search_results("board?", answer(*[far] * 5), Low())
    assert sum(-(-len(line) // 80) or 1 for line in shown.split("\n")) < 40


def test_on_a_low_terminal_the_best_passage_keeps_its_lines() -> None:
    long = RESULT | {"chunk_text": "word " * 300}
    shown = render_search_results("board?", answer(*[long] * 5), Low(rows=24)).split("\n\n")
    assert [block.count("word") > 20 for block in shown[:5]] == [True, *[False] * 4]


def test_the_likelier_a_passage_answers_the_more_lines_it_has() -> None:
    long = RESULT | {"chunk_text": "word " * 300}
    scores = (0.9, 0.6, 0.2, 0.01)
    found = answer(*(long | {"score": score} for score in scores))
    blocks = render_search_results("board?", found, Low(rows=0)).split("\n\n")
    assert [sum("word" in line for line in block.split("\n")) for block in blocks[:4]] == [
        *(8, 5, 3, 1)
    ]


def test_headings_of_the_title_line_are_not_repeated() -> None:
    text = "## Home\n### Doorbell\nIt rings.\nIt is loud."
    result = RESULT | {"title": "House", "heading_path": "Home > Doorbell", "chunk_text": text}
    assert lines_of(result)[2:4] == ["   It rings.", "   It is loud."]


def test_old_linked_and_weakly_dated_passages_are_marked() -> None:
    flags = {"superseded_by": "Journal/2025 b.md#L1-L2", "via": "Linked from Doorbell."}
    shown = lines_of(RESULT | flags | {"date_source": "file"})
    assert "file modified 2024-01-15" in shown[1]
    assert shown[3] == "   ▲ There is a newer note about this: 'Journal/2025 b.md#L1-L2'"
    assert shown[4] == "   Linked from Doorbell."
    maybe = lines_of(RESULT | {"maybe_newer": "b.md#L1-L2"})
    assert maybe[3] == "   ▲ A newer note may say more about this: b.md#L1-L2"
    weak = {"date": None, "file_date": "2024-02-02", "date_source": "file"}
    assert "file modified 2024-02-02" in lines_of(RESULT | weak)[1]
    assert "file modified" not in lines_of(RESULT | {"date_source": "note"})[1]


def test_the_interpretation_of_the_question_is_shown_first() -> None:
    fixed = [{"word": "bord", "used": ["board", "bored"]}]
    week = {"words": "last week", "days": [{"from": "2026-11-09", "to": "2026-11-15"}]}
    time = {"phrases": [{**week, "every_year": False}], "listed": False}
    understood = {"time": time, "filters": ["tag: river"]}
    found = answer(RESULT, corrections=fixed, understood=understood)
    first = render_search_results("bord?", found, Loud()).split("\n\n")[0]
    assert 'No note has the word "bord". Searched for: board or bored.' in first
    assert 'Understood: "last week" means 2026-11-09 to 2026-11-15.' in first
    assert "Filters: tag: river." in first
    assert "\x1b[33;1mboard\x1b[0m" in render_search_results("bord?", found, Loud())


def test_a_hint_is_shown_with_and_without_results() -> None:
    hint = "No note has the tag `rver`. Did you mean `river`?\nRun `ragctl reindex`."
    shown = render_search_results("x", answer(RESULT, hint=hint), Loud()).split("\n\n")[0]
    assert "▲ No note has the tag `rver`." in shown and "▲ Run `ragctl" in shown
    nothing = render_search_results("x", answer(hint=hint), Ink())
    assert nothing == f"Nothing found.\n{hint}"


def test_fewer_filters_are_suggested_only_if_there_are_some() -> None:
    assert render_search_results("x", answer(), Ink()) == "Nothing found. Try other words."
    assert render_search_results("x", answer(), Ink(), is_filtered=True) == (
        "Nothing found. Try other words or fewer filters."
    )


def test_a_memory_alone_is_not_a_match_for_a_filter(ragctl: Any, fake: Any) -> None:
    fake.memories = [{"key": "k", "value": "v", "source": "s"}]
    assert ragctl("search", "x").code == 0
    assert ragctl("search", "x", "--tag", "river").code == 6


def test_collections_are_part_of_the_request_and_a_filter(ragctl: Any, fake: Any) -> None:
    fake.memories = [{"key": "k", "value": "v", "source": "s"}]
    names = ("--collection", "papers", "--collection", "vault")
    assert ragctl("search", "x", *names).code == 6
    asked = fake.searches[-1]
    assert (asked["query"], asked["collections"]) == ("x", ["papers", "vault"])


def test_a_context_is_shown_once_with_the_first_of_its_results() -> None:
    found = [RESULT | {"context": one} for one in ("My diary\x1b[2J", "My diary\x1b[2J", None)]
    shown = render_search_results("x", answer(*found), Ink())
    assert shown.count("About: My diary") == 1 and "\x1b" not in shown
    lines = shown.splitlines()
    assert lines[1].strip().startswith("Projects/Doorbell.md#L10-L12")
    assert lines[2].strip().startswith("About: My diary")


def test_what_decided_the_place_is_shown_on_request() -> None:
    sentences = ["Meaning: number 2 of the nearest passages (cosine 0.51).", "Words: \x1b[2Jnone."]
    shown = lines_of({**RESULT, "explanation": {"sentences": sentences}})
    assert [line.strip() for line in shown[-3:]] == [
        "· Meaning: number 2 of the nearest passages (cosine 0.51).",
        "· Words: \\x1b[2Jnone.",
        "· Score: 0.88.",
    ]
    assert not any("Score" in line for line in lines_of(RESULT))


def test_an_expected_note_comes_first_with_its_reason_and_what_helps() -> None:
    note = {
        "stage": "outranked",
        "path": "Old/Board.md",
        "reason": "It is number 31; 5 are shown.",
        "suggestion": "Ask for at least 31 results: `--max 31`.",
        "explanation": {"sentences": ["Words: number 9; it has “board”."]},
    }
    shown = render_search_results("board", answer(RESULT, expected=note), Ink()).split("\n\n")[0]
    assert shown.splitlines() == [
        "Old/Board.md: It is number 31; 5 are shown.",
        "  · Words: number 9; it has “board”.",
        "  → Ask for at least 31 results: `--max 31`.",
    ]


def test_notes_with_the_expected_name_are_listed() -> None:
    note: dict[str, Any] = {"stage": "ambiguous", "path": None, "reason": "2 notes have this name."}
    note |= {"candidates": ["a/Board.md", "b/Board.md"]}
    shown = render_search_results("board", answer(expected=note), Ink()).splitlines()
    assert shown[:3] == [
        "The expected note: 2 notes have this name.",
        "  a/Board.md",
        "  b/Board.md",
    ]


def test_an_empty_expected_name_is_refused(ragctl: Any, fake: Any) -> None:
    refused = ragctl("search", "x", "--expect", " ")
    assert refused.code == 2 and "--expect" in refused.err
    assert not fake.searches


def test_a_list_without_an_answer_is_introduced_as_such() -> None:
    nearest = render_search_results("who?", answer(RESULT, answered=False), Ink())
    assert nearest.startswith("Nothing answers this. Nearest:\n\n1. Doorbell")
    assert "Nothing answers" not in render_search_results(
        "who?", answer(RESULT, answered=True), Ink()
    )
    assert "Nothing answers" not in render_search_results("who?", answer(RESULT), Ink())
    unsure = render_search_results("who?", answer(RESULT, answered=True, unsure=True), Ink())
    assert unsure.startswith("Perhaps none of these answers it:\n\n1. Doorbell")


def test_a_suggested_memory_can_be_pasted_into_a_shell() -> None:
    value = "- Paid it's $5 `date` \x1b[2J\n back"
    suggestion = {"key": "debt", "value": value, "source": "My notes/a.md"}
    shown = render_search_results("debt?", answer(RESULT, memory_suggestion=suggestion), Ink())
    asked, typed = shown.splitlines()[-2:]
    assert asked == "Worth remembering?" and "\x1b" not in typed
    words = shlex.split(typed)
    assert words[:5] == ["ragctl", "memory", "store", "--", "debt"]
    assert words[5].startswith("- Paid it's $5 `date` ") and words[5].endswith(" back")
    assert words[6:] == ["My notes/a.md"]


@pytest.mark.parametrize(
    ("left", "said"),
    [(0, ""), (1, "1 new or changed note is not"), (7, "7 new or changed notes are")],
)
def test_notes_that_are_not_indexed_yet_are_reported(left: int, said: str) -> None:
    shown = render_search_results("when?", answer(RESULT, unindexed=left), Ink())
    assert (said in shown) if said else ("index" not in shown)


def test_during_a_pause_the_pause_explains_what_is_missing() -> None:
    pause = {"since": "2026-11-15T14:30:00Z", "until": "2999-01-01T00:00:00Z"}
    shown = render_search_results("when?", answer(RESULT, unindexed=1), Ink(), paused=pause)
    assert "1 new or changed note is not in the index: syncing is paused until" in shown
    assert "`ragctl pause resume` ends the pause." in shown and "in a moment" not in shown


def test_the_properties_of_a_note_are_shown_where_they_have_what_was_asked() -> None:
    begin = RESULT | {"chunk_index": 0, "start_line": 2}
    text = "tags:\n  - home\naliases: [Bell]\n\n# Kitchen\n\nSolder it."
    assert lines_of(begin | {"chunk_text": text})[2:] == ["   Kitchen", "   Solder it."]
    asked = lines_of(begin | {"chunk_text": text}, "what is at home?")
    assert asked[2:] == ["   tags: - home aliases: [Bell]", "   Kitchen", "   Solder it."]
    alone = "cover: https://example.org/x.jpg\ngenre:\n- Sci-fi"
    assert lines_of(begin | {"chunk_text": alone})[2:] == ["   cover: genre: - Sci-fi"]
    prose = "One: this.\nAnd that.\n\nMore."
    shown = lines_of(begin | {"chunk_text": prose})
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
    shown = render_passage(1, found, Highlighter(""), Ink()).splitlines()
    assert [line.strip() for line in shown if "Also in" in line] == ([said] if said else [])


def test_matches_are_marked_whatever_their_form() -> None:
    marks = Highlighter("Who was soldering boards in 2024?")
    assert marks.paint(StyledText("Solder the Board of 2024"), Loud()) == (
        "\x1b[33;1mSolder\x1b[0m the \x1b[33;1mBoard\x1b[0m of \x1b[33;1m2024\x1b[0m"
    )
    assert Highlighter("机器学习").spans("我学习机器") == [(1, 5)]
    assert Highlighter("").spans("anything") == []
    assert Highlighter("SIM or the eSIM?").spans("A sim, the simple") == [(2, 5)]
    assert Highlighter("board -solder tag:plan").spans("solder the plan board") == [(16, 21)]


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ({"stale": True}, "ragctl sync"),
        ({"unverified": True}, "folder is not available"),
        ({"sensitive": ["health", "financial_debt"]}, "Sensitive: health, financial debt."),
        ({"injection_suspected": True}, "text from a note"),
    ],
)
def test_warnings_are_below_a_passage(flag: dict[str, Any], said: str) -> None:
    assert said in render_passage(1, RESULT | flag, Highlighter(""), Ink()).splitlines()[-1]


def test_where_code_is_left_out_a_command_shows_it() -> None:
    def last_lines(*texts: str) -> list[str]:
        found = [
            RESULT | {"chunk_text": text, "citation": f"{number}.md"}
            for number, text in enumerate(texts)
        ]
        last = render_search_results("x", answer(*found), Ink()).split("\n\n")[-1]
        return last.splitlines()

    code = "Use this:\n[code: bash, 4 lines]"
    assert last_lines(code, "none") == ["Read on, with the code: ragctl show 0.md"]
    assert last_lines("none", code, code) == [
        "Read on: ragctl show 0.md",
        "With the code: ragctl show 1.md",
    ]
    assert last_lines("[code, 1 line]") == ["Read on, with the code: ragctl show 0.md"]
    assert last_lines("the code: 4 lines", "[code]") == ["Read on: ragctl show 0.md"]


@pytest.mark.parametrize(
    "path",
    ["a b.md", "it's.md", "$HOME.md", "-n.md", "a;b.md", "日記.md", "#x.md", "~.md", "a&b.md"],
)
def test_a_citation_can_be_pasted_into_a_shell(path: str) -> None:
    citation = f"{path}#L10-L12"
    found = RESULT | {"citation": citation, "date": None, "tags": []}
    typed = (
        render_search_results("x", answer(found), Ink()).splitlines()[-1].removeprefix("Read on: ")
    )
    assert typed == f"ragctl show {lines_of(found)[1].strip()}"
    said = subprocess.run(
        ["bash", "-c", typed.replace("ragctl show", "printf %s")], capture_output=True, text=True
    )
    assert said.stdout.removeprefix("./") == citation


def test_a_long_passage_is_shown_where_most_of_the_question_is() -> None:
    lines = [f"- item {n}" for n in range(40)]
    lines[30] = "- the doorbell battery"
    shown = excerpt("\n".join(lines), Highlighter("doorbell battery"), Ink())
    assert [line.text for line in shown] == [
        "… • item 29",
        "• the doorbell battery",
        "• item 31 …",
    ]


def test_nothing_in_a_note_moves_the_terminal() -> None:
    evil = RESULT | {"chunk_text": "a\x1b[2Jb\x9bc\u202ed", "heading_path": "x\x07y"}
    shown = render_passage(1, evil, Highlighter("a"), Ink())
    assert not any(c in shown for c in "\x1b\x9b\x07\u202e")


def test_lines_wrapped_by_an_editor_are_joined_and_lists_are_not() -> None:
    long = "word " * 14
    assert [
        line.text for line in excerpt(f"{long}\nend.\n- one\n- two", Highlighter(""), Ink())
    ] == [
        f"{long.strip()} end.",
        "• one",
        "• two",
    ]


@pytest.mark.skipif(local_model.unavailable() is not None, reason="no embedded model here")
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
    meant = ragctl("search", "kingfisher", "--dir", "Brids")
    assert meant.code == 2 and meant.err.endswith("Did you mean `Birds`?\n")
    for wrong in (("--dir", "Nowhere"), ("--dir", ".."), ("--from", "soon"), ("--max", "99")):
        refused = ragctl("search", "kingfisher", *wrong)
        assert (refused.code, refused.out) == (2, "") and refused.err
    _explained_by_the_pause(ragctl, vault)
    (vault / "Birds" / "2024-05-01.md").unlink()
    assert ragctl("search", "kingfisher").code == 6
    vault.rename(short / "away")
    away = ragctl("search", "kingfisher")
    assert away.code == 0 and "folder is not available" in away.out


def _explained_by_the_pause(ragctl: Any, vault: Path) -> None:
    ragctl("pause", "2h")
    (vault / "Birds" / "heron.md").write_text("A heron.\n")
    deadline = time.monotonic() + PATIENCE_S
    while "paused" not in (said := ragctl("search", "kingfisher").out):
        assert time.monotonic() < deadline, said
    assert "1 new or changed note is not in the index: syncing is paused until" in said
    assert "search again in a moment" not in said


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("x", "--from", "yesterday"), "write it like 2025-01-31"),
        (("x", "--to", "2025"), "write it like 2025-01-31"),
        (("x", "--from", "2025-02-30"), "2025-02-30 is not a valid date."),
        (("x", "--to", "2025-01-31T18:30:00 o'clock"), "2025-01-31T18:30:00Z (or +02:00)"),
        (("x", "--to", "2025-01-31T25:30"), "2025-01-31T25:30 is not a valid date."),
        (
            ("x", "--from", "2023-05-03", "--to", "2023-05-01"),
            "--from 2023-05-03 is after --to 2023-05-01.",
        ),
        (("x", "--max", "1000"), "at most 50"),
        (("",), "The question is empty"),
    ],
)
def test_a_wrong_option_is_explained(ragctl: Any, typed: tuple[str, ...], said: str) -> None:
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
        (
            ("UNKNOWN_COLLECTION", "The field `collections` names one that does not exist."),
            ("--collection", "papres"),
            "--collection names one that does not exist.",
        ),
        (("SECURITY_VIOLATION", None), ("--dir", ".."), "--dir .. leads outside the vault."),
        (("UNKNOWN_DIRECTORY", None), ("folder:Peeple",), "folder:Peeple: there is no such folder"),
        (
            ("UNKNOWN_DIRECTORY", None),
            ('folder:"My Peeple" Folder:Journal -folder:x',),
            'folder:"My Peeple" Folder:Journal: one of these',
        ),
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
def test_a_refusal_names_options_and_not_fields(
    ragctl: Any, fake: Any, refusal: tuple[str, str | None], typed: tuple[str, ...], said: str
) -> None:
    fake.search_refusal = refusal
    result = ragctl("search", "x", *typed)
    assert (result.code, result.out) == (2, "") and said in result.err
    assert "field" not in result.err
    assert ragctl("search", "x", *typed, "--json").json["error"]["code"] == refusal[0]


def test_an_absolute_folder_in_the_vault_is_accepted(ragctl: Any, fake: Any) -> None:
    ragctl("search", "x", "--dir", "/vault/Journal/2024/", "--dir", "People")
    ragctl("search", "x", "--dir", "/vault/")
    ragctl("search", "x", "--dir", "/elsewhere")
    assert [asked.get("directory_filter") for asked in fake.searches] == [
        ["Journal/2024/", "People"],
        None,
        ["/elsewhere"],
    ]


def test_withheld_passages_come_with_the_command_that_shows_them(ragctl: Any, fake: Any) -> None:
    fake.withheld = 2
    result = ragctl("search", "how was my mood?")
    assert result.code == 0 and "Ask the user" not in result.out
    assert "→ The command that shows them is below." in result.out
    assert "the same command with `--confirm token`" in result.lines[-1]
    as_json = ragctl("search", "how was my mood?", "--json").json
    assert as_json["error"]["suggestion"].startswith("Ask the user")


def test_the_help_explains_the_dots(ragctl: Any) -> None:
    said = " ".join(ragctl("search", "--help").out.split())
    assert "how likely it answers the question" in said and "from the time" in said


def test_a_similar_folder_is_suggested(ragctl: Any, fake: Any) -> None:
    fake.search_refusal = ("UNKNOWN_DIRECTORY", None)
    fake.search_suggestion = "Did you mean `People`?"
    refused = ragctl("search", "x", "--dir", "Peeple")
    assert refused.err.splitlines()[-1] == "Did you mean `People`?"


def test_colours_are_only_used_on_a_colour_terminal(terminal: Any, fake: Any) -> None:
    fake.results = [RESULT]
    for settings in ({}, {"NO_COLOR": "1"}):
        screen = terminal("search", "the board?", **settings)
        assert screen.ended() == 0
        assert ("\x1b[33;1mboard\x1b[0m" in screen.raw) == (not settings)
        assert ("\x1b[" in screen.raw) == (not settings)
        assert "Solder the board on Sunday." in screen.text
