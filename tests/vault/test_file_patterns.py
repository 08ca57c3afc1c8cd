"""Which names are notes."""

import pytest

from ragd.vault.file_patterns import NotePatterns


@pytest.mark.parametrize(
    ("patterns", "prefix", "name", "matches"),
    [
        (["*.md"], "", "a.md", True),
        (["*.md"], "x/", "A.MD", True),
        (["*.md"], "", "a.txt", False),
        (["*.md"], "", "amd", False),
        (["*.MD"], "", "a.md", True),
        (["*.md", "*.markdown"], "", "a.markdown", True),
        (["note-?.md"], "", "note-1.md", True),
        (["note-?.md"], "", "note-12.md", False),
        (["Journal/*.md"], "Journal/", "a.md", True),
        (["Journal/*.md"], "Other/", "a.md", False),
        (["[ab]*"], "", "beta", True),
    ],
)
def test_patterns_match_names_whatever_their_case(
    patterns: list[str], prefix: str, name: str, matches: bool
) -> None:
    assert NotePatterns(patterns).match(prefix, name) is matches
