"""The collections as text."""

from typing import Any

from ragctl.views.collections import summarize_collections, with_held_notes


def collection(name: str, notes: int, state: str = "ok", held: int = 0) -> dict[str, Any]:
    return {"name": name, "notes": notes, "state": state, "held": held}


def test_a_job_ends_with_the_notes_of_each_collection() -> None:
    vault, papers = collection("vault", 1_200), collection("papers", 3)
    assert summarize_collections([vault]) == []
    assert summarize_collections([vault, papers]) == ["In each collection: vault 1,200, @papers 3."]


def test_a_job_ends_with_the_collections_that_were_not_read_whole() -> None:
    vault = collection("vault", 9, "held", held=70)
    papers = collection("papers", 3, "missing")
    found = summarize_collections([vault, papers])[1:]
    assert found == ["@papers was not read: its folder is missing."]


def test_those_with_held_notes_are_named_unless_there_is_only_a_vault() -> None:
    vault, papers = collection("vault", 9, "held", held=70), collection("papers", 3)
    assert with_held_notes([vault]) == []
    assert with_held_notes([vault, papers]) == ["vault"]
