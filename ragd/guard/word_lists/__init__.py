"""Words that say that a text is about health, money or relations, by language. Data only.

Entries are separated by commas. `*` stands for any letters at the start or the end of a word:
`medicat*`, `*schulden`. An entry of several words is found as these words in a row. `harmless` are
regular expressions of uses that say nothing private, by letters that each of them contains; what
they match is left out before a text is judged. They see folded text (lower case) and must take
linear time: no quantifier without a limit inside another.

How well the lists do is measured by `tests/guard/test_guard_sentences.py`; docs/security.md has
the figures.
"""

from typing import NamedTuple


class WordList(NamedTuple):
    """The words of one language."""

    health: str
    financial_debt: str
    relations: str
    sections: dict[str, str]  # kind -> headings that are sensitive as a whole
    harmless: dict[str, tuple[str, ...]]
