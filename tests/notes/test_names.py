"""The names of a note."""

import pytest

from ragd.notes.names import inner_words, name_key
from ragd.notes.search_text import search_text
from tests.notes.conftest import Parse


@pytest.mark.parametrize(
    "name", ["Type hints", "type_hints", "typeHints", "TYPE-HINTS", "type.hints", "Týpe  hints?"]
)
def test_case_accents_and_separators_do_not_matter(name: str) -> None:
    assert name_key(name) == "typehints"


def test_other_names_have_other_keys() -> None:
    assert len({name_key(name) for name in ("C", "C#", "C++", "D", "会议", "会議")}) == 6
    assert name_key("---") == name_key("") == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("type_hints", "type hints"),
        ("typeHints", "type Hints"),
        ("HTMLParser", "HTML Parser"),
        ("python.dotenv", "python dotenv"),
        ("beam-divergence and more", ""),
        ("2024-01-15", ""),
        ("1.2", ""),
        ("Plain Name", ""),
        ("snake_case beside camelCase", "snake case camel Case"),
    ],
)
def test_the_words_in_compound_names(name: str, words: str) -> None:
    assert " ".join(inner_words(name)) == words


def test_names_are_searched_whole_and_word_by_word() -> None:
    assert search_text("Hints", ("typeHints",), "", (), "text", "type_hints") == (
        "Hints\ntype_hints\ntypeHints\ntype hints type Hints\ntext"
    )


def test_the_chunks_of_a_note_have_its_names(parse: Parse) -> None:
    text = "---\ntitle: Typing\naliases: [Annotations]\n---\n#draft\n\n# Type hints in Python #\nx"
    note = parse(text, "dev/type_hints.md")
    assert note.chunks[0].names == ("type_hints", "Annotations", "Type hints in Python")
    assert note.chunks[0].opening == "Type hints in Python"
    assert parse("text before\n# A heading", "Tea.md").chunks[0].names == ()
