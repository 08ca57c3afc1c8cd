"""The sentence about collections in a tool's description."""

from ragd.protocol.collection_list import CONTEXT_SHOWN, MOST, describe_collections


def one(name: str, context: str = "", private: bool = False) -> dict[str, object]:
    return {"name": name, "context": context, "private": private}


def test_a_vault_alone_needs_no_sentence_unless_it_has_a_context() -> None:
    assert describe_collections([one("vault")]) == ""
    assert describe_collections([]) == ""
    assert "vault: All of mine." in describe_collections([one("vault", "All of mine.")])
    assert "papers." in describe_collections([one("papers")])


def test_the_sentence_has_a_limit() -> None:
    words = describe_collections([one(f"c{number}", "x" * 500) for number in range(50)])
    assert words.endswith(f"; and {50 - MOST} more.")
    assert len(words) < MOST * (CONTEXT_SHOWN + 50)
    assert "\n" not in describe_collections([one("a", "x\ny")])
