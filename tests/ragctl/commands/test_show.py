"""`ragctl show`: its arguments, its output, withheld text, and a real daemon."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from ragctl.commands.show import parse_address, render_note
from ragctl.views.render import Ink
from ragd.paths import Home
from ragd.protocol.citations import CitedPassage
from tests.ragctl.conftest import NOTE, FakeDaemon, Ragctl, StartTerminal


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a.md", ("a.md", None, None)),
        ("a.md#L10-L24", ("a.md", 10, 24)),
        ("a.md#L10-24", ("a.md", 10, 24)),
        ("a.md#L10", ("a.md", 10, 10)),
        ("a.md:10-24", ("a.md", 10, 24)),
        ("a.md:10", ("a.md", 10, 10)),
        ("12:30.md", ("12:30.md", None, None)),
        ("a #L.md#L2", ("a #L.md", 2, 2)),
        ("a.md#Heading", ("a.md#Heading", None, None)),
        ("a.pdf#page=3", ("a.pdf", None, None, "page=3")),
        ("a.pdf#L3", ("a.pdf", 3, 3)),
    ],
)
def test_a_passage_may_be_written_in_several_ways(typed: str, meant: Any) -> None:
    assert parse_address(typed) == CitedPassage(*meant)


@pytest.mark.parametrize("typed", ["a.md#L0", "a.md:9-3"])
def test_an_invalid_range_of_lines_is_a_sentence(
    ragctl: Ragctl, fake: FakeDaemon, typed: str
) -> None:
    result = ragctl("show", typed)
    assert (result.code, result.out) == (2, "") and "count from 1" in result.err
    assert fake.requests == []


def test_lines_have_numbers_and_those_asked_for_are_marked(
    ragctl: Ragctl, fake: FakeDaemon
) -> None:
    result = ragctl("show", "Journal/2024-01-15.md#L11-L12", "--around", "2")
    assert (result.code, result.err) == (0, "")
    assert result.lines == [
        "Journal/2024-01-15.md · lines 9-13 of 40",
        "",
        "   9  # Monday",
        "  10",
        "→ 11  A walk to the weir.",
        "→ 12    - a kingfisher",
        "  13      and a heron",
        "",
        "obsidian://open?vault=Notes&file=Journal%2F2024-01-15.md",
    ]
    asked = "/v1/notes?raw=1&path=Journal%2F2024-01-15.md&from=9&to=14"
    assert fake.requests == [f"GET {asked}"]


def test_a_place_is_asked_for_by_its_name(ragctl: Ragctl, fake: FakeDaemon) -> None:
    ragctl("show", "Papers/a.pdf#page=3")
    assert fake.requests == ["GET /v1/notes?raw=1&path=Papers%2Fa.pdf&place=page%3D3"]


def test_the_places_of_a_document_have_titles_instead_of_line_numbers() -> None:
    places = [{"line": 1, "name": "page=1"}, {"line": 4, "name": "page=2"}]
    shown = render_note(
        NOTE
        | {"path": "a.pdf", "text": "one\ntwo\n\nthree", "from": 1, "to": 4, "total_lines": 4}
        | {"kind": "pdf", "position": "", "places": places, "link": "obsidian://open"},
        None,
        None,
        Ink(),
    )
    assert shown.split("\n") == [
        *("a.pdf · page 1 to page 2", ""),
        *("[page 1]", "  one", "  two", ""),
        *("[page 2]", "  three", ""),
        "obsidian://open",
    ]


def test_a_part_of_a_place_still_has_its_title() -> None:
    places = [{"line": 1, "name": "node=ab12"}]
    shown = render_note(
        NOTE
        | {"path": "a.canvas", "text": "rest", "from": 3, "to": 3, "total_lines": 3}
        | {"kind": "canvas", "position": "node=ab12", "places": places},
        3,
        3,
        Ink(),
    )
    assert "[node ab12]\n  rest" in shown


def test_a_whole_note_has_no_marks_and_no_limits(ragctl: Ragctl, fake: FakeDaemon) -> None:
    assert "→" not in ragctl("show", "a b&c.md").out
    assert fake.requests == ["GET /v1/notes?raw=1&path=a%20b%26c.md"]


def test_an_absolute_path_inside_the_vault_is_accepted(ragctl: Ragctl, fake: FakeDaemon) -> None:
    ragctl("show", "/vault/Journal/x.md#L5")
    ragctl("show", "/elsewhere/x.md")
    notes = [request for request in fake.requests if "notes" in request]
    assert "path=Journal%2Fx.md&from=2&to=8" in notes[0]
    assert "path=%2Felsewhere%2Fx.md" in notes[1]


def test_nothing_in_a_note_moves_the_terminal() -> None:
    evil = {"text": "a\x1b[2Jb\x9bc\u202ed\re", "path": "x\x07y", "link": "\x1b]8;;"}
    shown = render_note(NOTE | evil | {"to": 9}, 9, 9, Ink())
    assert not any(c in shown for c in "\x1b\x9b\x07\u202e\r")


@pytest.mark.parametrize(
    ("flag", "said"),
    [
        ({"stale": True}, "lines may have moved"),
        ({"sensitive": ["health"]}, "Sensitive: health."),
        ({"injection_suspected": True}, "text from a note"),
    ],
)
def test_warnings_are_below_the_text(
    ragctl: Ragctl, fake: FakeDaemon, flag: dict[str, Any], said: str
) -> None:
    fake.note |= flag
    assert said in ragctl("show", "a.md").lines[-2]


def test_a_missing_note_gets_a_suggestion(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.note = {}
    result = ragctl("show", "Nota.md#L3")
    assert (result.code, result.out) == (6, "")
    assert result.err == (
        "ragctl: Nota.md: There is no such note in the vault.\nDid you mean `Note.md`?\n"
    )
    as_json = ragctl("show", "Nota.md", "--json")
    assert as_json.code == 6 and as_json.json["error"]["suggestion"] == "Did you mean `Note.md`?"


def test_a_refusal_names_arguments_and_not_fields(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.note, fake.note_hint = {}, "Give the `citation` or the `source_file` of a result."
    result = ragctl("show", "Nota.md")
    assert result.code == 6 and "source_file" not in result.err
    assert "`ragctl show Journal/2024-01-15.md#L10`" in result.err


def test_lines_after_the_end_are_reported(ragctl: Ragctl, fake: FakeDaemon) -> None:
    result = ragctl("show", "a.md#L41")
    assert result.code == 2 and "a.md has only 40 lines." in result.err


def test_programs_need_the_token(ragctl: Ragctl, fake: FakeDaemon) -> None:
    fake.blocks = True
    fake.note["sensitive"] = ["health"]
    result = ragctl("show", "a.md")
    assert result.code == 0 and "--confirm token" in result.out and "weir" not in result.out
    assert ragctl("show", "a.md", "--json").json["data"]["text"] is None
    assert "weir" in ragctl("show", "a.md", "--confirm", "token").out


def test_a_person_at_a_terminal_sees_their_own_note(
    terminal: StartTerminal, fake: FakeDaemon
) -> None:
    fake.blocks = True
    fake.note["sensitive"] = ["health"]
    screen = terminal("show", "a.md")
    assert screen.ended() == 0
    assert "A walk to the weir." in screen.text and "Sensitive: health." in screen.text


@pytest.mark.slow
def test_a_note_of_a_real_vault(ragctl: Ragctl, home: Home, short: Path) -> None:
    note = short / "vault" / "Birds" / "Über allem.md"
    note.parent.mkdir()
    note.write_text("# Birds\n\n" + "".join(f"Line {n}.\n" for n in range(3, 31)))
    shown = ragctl("show", "Birds/Über allem.md#L10-L11")
    assert shown.code == 0
    assert [line for line in shown.lines if line.startswith("→")] == [
        "→ 10  Line 10.",
        "→ 11  Line 11.",
    ]
    assert "   7  Line 7." in shown.lines and "  14  Line 14." in shown.lines
    assert ragctl("show", f"{note}:10").code == 0
    as_json = ragctl("show", "Birds/Über allem.md#L10-L11", "--json").json
    assert as_json["data"]["text"] == "Line 10.\nLine 11."
    for wrong, code in (("../h/config.json", 2), (home.config, 2), ("Birds/X.md", 6)):
        refused = ragctl("show", wrong)
        assert (refused.code, refused.out) == (code, "")
    assert ragctl("show", "Birds/Über allem.md#L99").code == 2
    assert stat.S_IMODE(Path(home.socket).stat().st_mode) == 0o600
    assert json.loads(ragctl("show", "nope.md", "--json").out)["data"] is None


@pytest.mark.slow
def test_a_note_is_opened_by_its_name_in_a_real_vault(
    ragctl: Ragctl, home: Home, short: Path
) -> None:
    vault = short / "vault"
    config = {"vault_path": str(vault), "indexing": {"deny_dirs": ["Private"]}}
    Path(home.config).write_text(json.dumps(config))
    texts = {
        "Optics/Beam Divergence.md": "A beam spreads.\n",
        "Physics/Waves.md": "---\ntitle: Ripples of Light\naliases: [Wavelets]\n---\nPhysics.\n",
        "Sea/Waves.md": "Sea.\n",
        "Private/Secret Plan.md": "Hidden.\n",
    }
    for path, text in texts.items():
        (vault / path).parent.mkdir(exist_ok=True)
        (vault / path).write_text(text)
    assert ragctl("index").code == 0
    for typed in (
        *("Beam Divergence", "[[Beam Divergence]]", "[[Beam Divergence#Why|beams]]"),
        *("beam divergence", "Optics/Beam Divergence", "[[Optics/Beam Divergence.md]]"),
    ):
        shown = ragctl("show", typed)
        assert shown.code == 0 and shown.lines[0].startswith("Optics/Beam Divergence.md"), typed
    assert "A beam spreads." in ragctl("show", "Beam Divergence#L1").out
    assert "Physics." in ragctl("show", "ripples of light").out
    assert "Physics." in ragctl("show", "[[Wavelets]]").out
    several = ragctl("show", "Waves")
    assert several.code == 2 and several.out == ""
    assert "2 notes have this name." in several.err
    assert "Did you mean `Physics/Waves.md` or `Sea/Waves.md`?" in several.err
    assert "Sea." in ragctl("show", "Sea/Waves").out
    for typed in ("Secret Plan", "[[Secret Plan]]", "Private/Secret Plan", "Nothing at all"):
        refused = ragctl("show", typed)
        assert refused.code == 6 and "Private/Secret" not in refused.err.partition(":")[2][20:]
    for typed in ("[[../config.json]]", "[[/etc/passwd]]"):
        assert ragctl("show", typed).code == 2


def test_a_note_that_does_not_fit_says_how_to_see_more() -> None:
    cut = NOTE | {"truncated": True}
    assert "`ragctl show Journal/2024-01-15.md#L14-L18`" in render_note(cut, None, None, Ink())
    assert "L14-L14" in render_note(cut | {"from": 13, "text": "x"}, None, None, Ink())
    assert "too long" in render_note(cut | {"lines_after": 0}, None, None, Ink())
    assert "more than fits" not in render_note(NOTE, None, None, Ink())


def test_the_context_of_a_note_is_below_its_path() -> None:
    shown = render_note(NOTE | {"context": "My diary"}, None, None, Ink()).splitlines()
    assert shown[0].startswith("Journal/2024-01-15.md") and shown[1] == "About: My diary"
