"""The picture in the README: it is drawn as a terminal shows it, and it is up to date."""

import re
import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from examples.picture import COMMANDS, FILE
from examples.screen import ADVANCE, Row, render_svg, screen_rows
from ragctl import cli

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def texts(rows: list[Row]) -> list[str]:
    return ["".join(cell.text for cell in row) for row in rows]


def drawn(svg: str) -> list[tuple[str, dict[str, str]]]:
    return [(text.text or "", text.attrib) for text in ET.fromstring(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("one\r\n\r\ntwo", ["one", "", "two"]),
        ("text 0/9\r\x1b[Ktext 9/9\r\n", ["text 9/9"]),
        ("long line\r\x1b[Kshort\r\n", ["short"]),
        ("abc\rX\r\n", ["Xbc"]),
        ("\x1b[1;32m● healthy\x1b[0m  all\r\n", ["● healthy  all"]),
        ("\x1b[?25lno cursor\x1b[?25h", ["no cursor"]),
    ],
)
def test_what_is_left_on_a_screen(written: str, left: list[str]) -> None:
    assert texts(screen_rows(written)) == left


def test_colours_begin_and_end_where_they_do_on_a_terminal() -> None:
    [row] = screen_rows("a\x1b[33;1mb\x1b[0mc")
    assert [cell.style for cell in row] == [frozenset(), {"33", "1"}, frozenset()]


def test_a_wide_character_takes_two_places() -> None:
    [(_, first), (_, second)] = drawn(render_svg([screen_rows("慢\x1b[2mx")], "t", 80))
    assert float(first["textLength"]) == pytest.approx(2 * ADVANCE)
    assert float(second["x"]) - float(first["x"]) == pytest.approx(2 * ADVANCE)


def test_what_would_be_markup_is_text() -> None:
    svg = render_svg([screen_rows("a <b> & \x1b[36mc\x1b[0m")], "<t>", 80)
    assert [text for text, _ in drawn(svg)] == ["a <b> &", "c"]


def test_the_picture_in_the_readme_is_of_these_commands_and_this_vault() -> None:
    svg = FILE.read_text()
    said = [text for text, _ in drawn(svg)]
    typed = [said[number + 1] for number, text in enumerate(said) if text == "$"]
    assert typed == list(COMMANDS)
    for command in COMMANDS:
        assert shlex.split(command)[1] in cli.PURPOSES
    sources = {text.partition("#L")[0].split()[-1] for text in said if "#L" in text}
    assert len(sources) == 3
    assert all((ROOT / "examples" / "vault" / source).is_file() for source in sources)
    assert f"]({FILE.relative_to(ROOT)})" in (ROOT / "README.md").read_text()


def test_no_path_of_a_machine_is_in_it() -> None:
    said = " ".join(text for text, _ in drawn(FILE.read_text()))
    assert re.findall(r"(?<![~\w.-])/(?:home|tmp|root|Users|work|var)\b\S*", said) == []
