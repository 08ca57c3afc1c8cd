"""Text files: plain, Org, reStructuredText."""

from ragd.notes.documents.model import Document, Heading, Unreadable
from ragd.notes.documents.org import read_org
from ragd.notes.documents.plain_text import read_plain_text
from ragd.notes.documents.restructured_text import read_rst

ORG = """\
#+TITLE: Garden plans
#+DATE: <2024-03-09 Sat>
#+FILETAGS: :garden:home:
# a comment

* TODO [#A] Spring :work:seeds:
:PROPERTIES:
:ID: 4af1-secret-id
:END:
Sow [[file:Seeds.org::*Beans][the beans]] and see [[https://example.com][the site]].
** Beds
#+BEGIN_SRC sh
*bold* is no heading
#+END_SRC
"""
RST = """\
==========
The manual
==========

Installing
==========
Run the script.

.. a comment
.. note:: Read this.

From source
-----------
A paragraph
that ends here
--------------
"""


def read(reader: object, path: str, text: str) -> Document:
    found = reader(path, text.encode())  # type: ignore[operator]
    assert isinstance(found, Document)
    return found


def test_a_plain_text_is_read_line_for_line() -> None:
    text = "# not a heading\n\n<b> and %% and List<String>\nsee [[Note]]\n"
    document = read(read_plain_text, "a.txt", text)
    assert (document.text, document.headings) == (text, ())
    assert [(link.line, link.target) for link in document.links] == [(4, "Note")]


def test_a_binary_file_is_refused() -> None:
    for reader in (read_plain_text, read_org, read_rst):
        assert isinstance(reader("a.txt", bytes(range(256)) * 20), Unreadable)


def test_org_has_title_date_headings_and_tags() -> None:
    document = read(read_org, "a.org", ORG)
    assert (document.title, document.date) == ("Garden plans", "2024-03-09")
    assert document.headings == (Heading(6, 1, "Spring"), Heading(11, 2, "Beds"))
    lines = document.text.split("\n")
    assert lines[2] == "#garden #home"
    assert lines[5] == "Spring #work #seeds"


def test_org_leaves_out_drawers_and_comments_and_keeps_the_lines() -> None:
    document = read(read_org, "a.org", ORG)
    lines = document.text.split("\n")
    assert len(lines) == ORG.count("\n") + 1
    assert "secret" not in document.text and "comment" not in document.text
    assert lines[9] == "Sow the beans and see the site."
    assert lines[12] == "*bold* is no heading"
    assert [(link.line, link.target) for link in document.links] == [(10, "Seeds")]


def test_an_org_drawer_without_an_end_is_text() -> None:
    document = read(read_org, "a.org", ":PROPERTIES:\nkept\n* Heading\n:END:\n")
    assert "kept" in document.text and document.headings[0].text == "Heading"


def test_rst_has_headings_by_the_rows_below_them() -> None:
    document = read(read_rst, "a.rst", RST)
    assert [(one.line, one.level, one.text) for one in document.headings] == [
        (2, 1, "The manual"),
        (5, 2, "Installing"),
        (12, 3, "From source"),
    ]
    assert document.title == "The manual"
    assert "a comment" not in document.text and "Read this." in document.text
    assert len(document.text.split("\n")) == RST.count("\n") + 1
