"""Words that show that a text is about health, money or relations, by language. Data only.

Entries are separated by commas. `*` stands for any letters at the start or the end of a word:
`medicat*`, `*schulden`. An entry of several words matches these words in a row. `harmless` has
regular expressions of harmless uses, by letters that each match contains. Their matches are removed
before a text is checked. They are applied to normalised text (lower case) and must take linear
time: no quantifier without a limit inside another.

`tests/guard/test_guard_sentences.py` measures how well the lists work; docs/security.md has the
figures.
"""

from typing import NamedTuple


class WordList(NamedTuple):
    """The words of one language."""

    health: str
    financial_debt: str
    relations: str
    sections: dict[str, str]  # kind -> headings that are sensitive as a whole
    harmless: dict[str, tuple[str, ...]]
