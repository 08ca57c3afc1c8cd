"""One path space: which collection a path belongs to."""

import pytest

from ragd.vault.collection_paths import (
    agent_collection,
    agent_of,
    collection_of,
    group_of,
    join_path,
    root_folder,
    split_path,
)

NAMES = {"papers", "work-2", "sessions/main", "memory/main"}


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
        ("@sessions/main/a.jsonl", "sessions/main", "a.jsonl"),
        ("@memory/main/2024/a.md", "memory/main", "2024/a.md"),
        ("@sessions/main", "sessions/main", ""),
        ("@sessions/other/a.jsonl", "vault", "@sessions/other/a.jsonl"),
        ("@sessions", "vault", "@sessions"),
        ("@", "vault", "@"),
        ("", "vault", ""),
    ],
)
def test_a_path_is_split_and_joined(path: str, collection: str, inner: str) -> None:
    assert split_path(path, NAMES) == (collection, inner)
    assert collection_of(path, NAMES) == collection
    assert join_path(collection, inner) == path


def test_a_name_with_two_parts_has_a_group_and_an_agent() -> None:
    name = agent_collection("sessions", "main")
    assert (name, group_of(name), agent_of(name)) == ("sessions/main", "sessions", "main")
    assert (group_of("papers"), agent_of("papers")) == ("", "")
    assert (group_of("sessions"), agent_of("sessions")) == ("", "")


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("@papers/2024/a.pdf", "@papers"),
        ("@sessions/main/a.jsonl", "@sessions/main"),
        ("@memory/main/2024/a.md", "@memory/main"),
        ("@sessions", "@sessions"),
    ],
)
def test_the_root_of_an_agents_path_has_two_parts(path: str, root: str) -> None:
    assert root_folder(path) == root
