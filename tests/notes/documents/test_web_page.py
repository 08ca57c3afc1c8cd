"""Web pages: title, headings, text, and nothing that a browser hides."""

import pytest

from ragd.notes.documents.model import Document
from ragd.notes.documents.web_page import read_web_page

PAGE = """\
<!DOCTYPE html>
<html><head>
<title>Growing &amp; eating
 beans</title>
<meta property="article:published_time" content="2024-05-01T10:00:00Z">
<style>p { color: red }</style>
<script>if (a < b) { track("secret") }</script>
</head>
<body>
<!-- a comment
 of two lines -->
<h1 class="top">Beans</h1>
<p>They are <b>green</b>, 3&nbsp;cm &lt;small&gt;.</p>
<h2>
  In the <em>garden</em></h2>
<p onclick="steal()">Sow them in <a href="May.md">May</a>.<br>Water them.</p>
<noscript>enable scripts</noscript>
<label>Kind</label><time>noon</time>
</body></html>
"""


def read(text: str) -> Document:
    found = read_web_page("Clips/beans.html", text.encode())
    assert isinstance(found, Document)
    return found


def test_a_page_is_read_line_for_line() -> None:
    document = read(PAGE)
    lines = document.text.split("\n")
    assert len(lines) == PAGE.count("\n") + 1
    assert (document.title, document.date) == ("Growing & eating beans", "2024-05-01")
    assert lines[12] == "They are green, 3 cm < small>."
    assert lines[15] == "Sow them in May. Water them."
    assert lines[17] == "Kind noon"
    assert [(link.line, link.target) for link in document.links] == [(16, "May")]


def test_headings_are_found_on_their_lines() -> None:
    headings = read(PAGE).headings
    assert [(one.line, one.level, one.text) for one in headings] == [
        (12, 1, "Beans"),
        (15, 2, "In the garden"),
    ]


@pytest.mark.parametrize("word", ["secret", "color", "comment", "steal", "enable", "DOCTYPE"])
def test_what_a_browser_hides_is_not_read(word: str) -> None:
    assert word not in read(PAGE).text


@pytest.mark.parametrize("opening", ["<script>", "<style>", "<!-- ", "<SCRIPT src='x'>"])
def test_an_unclosed_script_style_or_comment_hides_the_rest(opening: str) -> None:
    assert read(f"<p>before\n{opening} evil\nmore evil").text.split() == ["before"]


@pytest.mark.parametrize("opening", ["<title>", "<svg>", "<noscript>"])
def test_another_unclosed_element_hides_nothing(opening: str) -> None:
    assert "after" in read(f"<p>before</p>{opening}<p>after</p>").text


def test_an_escaped_tag_is_text_and_never_a_tag() -> None:
    document = read("<title>&lt;script&gt;x</title><p>&lt;img src=x onerror=alert(1)&gt;")
    assert "<img" not in document.text and "img src" in document.text
    assert "<script" not in document.title


def test_only_the_first_heading_of_a_line_is_one() -> None:
    document = read("<h2>One</h2><p>a</p><h2>Two</h2><p>b</p>")
    assert [one.text for one in document.headings] == ["One"]
    assert document.text.split() == ["One", "a", "Two", "b"]


def test_an_unclosed_heading_is_a_heading_up_to_the_next() -> None:
    document = read("<h2>One\n<h3>Two\n")
    assert [(one.line, one.text) for one in document.headings] == [(1, "One"), (2, "Two")]
