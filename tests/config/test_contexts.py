"""The nearest context of a note."""

import pytest

from ragd.config.contexts import Contexts
from ragd.config.schema import CONTEXT_MAX, CollectionSettings, Config


def contexts(**words: str) -> Contexts:
    return Contexts(
        Config(
            vault_path="/v",
            contexts={
                "Journal": "my diary",
                "Journal/Trips/": "travels",
                "Journal/Trips/Ila.md": "the canoe",
                "@papers/2024": "the new ones",
                **words,
            },
            collections={
                "papers": CollectionSettings(path="/p", context="all papers"),
                "bare": CollectionSettings(path="/b"),
            },
        )
    )


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("Journal/2024-01-01.md", "my diary"),
        ("Journal/Work/a.md", "my diary"),
        ("Journal/Trips/b.md", "travels"),
        ("journal/trips/ILA.md", "the canoe"),
        ("Journals/a.md", None),
        ("a.md", None),
        ("@papers/2024/a.pdf", "the new ones"),
        ("@papers/2023/a.pdf", "all papers"),
        ("@papers/a.pdf", "all papers"),
        ("@bare/a.md", None),
        ("@Papers/a.md", None),  # a folder of the vault
        ("@other/a.md", None),
    ],
)
def test_the_nearest_context_up_the_tree_is_found(path: str, words: str | None) -> None:
    assert contexts().nearest(path) == words


def test_the_context_of_the_vault_ends_at_its_own_notes() -> None:
    whole = contexts(**{"/": "everything of mine"})
    assert whole.nearest("a.md") == "everything of mine"
    assert whole.nearest("@other/a.md") == "everything of mine"
    assert whole.nearest("@bare/a.md") is None
    assert (whole.of_collection("vault"), whole.of_collection("bare")) == ("everything of mine", "")


def test_a_context_is_one_line_of_limited_length() -> None:
    """The file may have been edited by hand."""
    found = Contexts(
        Config(vault_path="/v", contexts={"a": "one\ntwo\u202e\x07 three", "b": "x" * 2_000})
    )
    assert found.nearest("a/n.md") == "one two three"
    assert len(found.nearest("b/n.md") or "") == CONTEXT_MAX


def test_without_any_contexts_nothing_is_looked_up() -> None:
    assert Contexts(Config(vault_path="/v")).nearest("a/b.md") is None
