"""One path space: which collection a path belongs to."""

import pytest

from ragd.vault.collection_paths import collection_of, join_path, split_path

NAMES = {"papers", "work-2"}


@pytest.mark.parametrize(
    ("path", "collection", "inner"),
    [
        ("Journal/2024.md", "vault", "Journal/2024.md"),
        ("@papers/2024/a.pdf", "papers", "2024/a.pdf"),
        ("@papers", "papers", ""),
        ("@work-2/@papers/b.md", "work-2", "@papers/b.md"),
        ("@people/Ann.md", "vault", "@people/Ann.md"),
        ("@papers.md", "vault", "@papers.md"),
        ("Notes/@papers/b.md", "vault", "Notes/@papers/b.md"),
        ("@vault/x.md", "vault", "@vault/x.md"),
        ("@", "vault", "@"),
        ("", "vault", ""),
    ],
)
def test_a_path_is_split_and_joined(path: str, collection: str, inner: str) -> None:
    assert split_path(path, NAMES) == (collection, inner)
    assert collection_of(path, NAMES) == collection
    assert join_path(collection, inner) == path
