"""The text of the full-text index."""

from ragd.notes.search_text import hangul_bigrams, search_text


def test_all_names_are_searched() -> None:
    assert search_text("Title", ("Alias", "Other"), "A > B", ("#x", "#y"), "text") == (
        "Title\nAlias, Other\nA > B\n#x #y\ntext"
    )


def test_empty_parts_have_no_line() -> None:
    assert search_text("Title", (), "", (), "text") == "Title\ntext"
    assert search_text("Title", (), "", (), "") == "Title"


def test_korean_words_are_also_indexed_in_pairs() -> None:
    found = search_text("제목", (), "", (), "한국어를 공부")
    assert found == "제목\n한국어를 공부\n한국 국어 어를"


def test_a_query_is_paired_in_the_same_way() -> None:
    assert hangul_bigrams("도서관에서 책을 read") == "도서 서관 관에 에서"
    assert hangul_bigrams("nothing") == ""
