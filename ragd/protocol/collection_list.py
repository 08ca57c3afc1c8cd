"""A sentence for a tool's description that tells a model which collections there are. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from ragd.vault.collection_paths import VAULT

MOST = 20  # collections that are listed
CONTEXT_SHOWN = 200  # characters of each context


def describe_collections(collections: Sequence[Mapping[str, Any]]) -> str:
    """The collections with their contexts; empty if there is only a vault without one.

    The names and the contexts are the user's own words, so that they need no fence.
    """
    if not collections or _is_plain_vault(collections):
        return ""
    listed = "; ".join(_describe(one) for one in collections[:MOST])
    more = f"; and {len(collections) - MOST} more" if len(collections) > MOST else ""
    return f"The collections, to be named in `collections`: {listed}{more}."


def _is_plain_vault(collections: Sequence[Mapping[str, Any]]) -> bool:
    return (
        len(collections) == 1 and collections[0]["name"] == VAULT and not _context(collections[0])
    )


def _describe(one: Mapping[str, Any]) -> str:
    private = " (searched only when it is named)" if one.get("private") else ""
    context = _context(one)
    return f"{one['name']}{private}" + (f": {context}" if context else "")


def _context(one: Mapping[str, Any]) -> str:
    words = " ".join(str(one.get("context") or "").split())
    if len(words) > CONTEXT_SHOWN:
        words = words[:CONTEXT_SHOWN].rstrip() + "…"
    return words.rstrip(".;")
