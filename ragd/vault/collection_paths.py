"""One path space for all collections: `@papers/2024/a.pdf` is `2024/a.pdf` in `papers`. Pure.

A note of the vault has no prefix. A folder of the vault may begin with `@` too, so a path belongs
to a collection only if one of that name is configured.
"""

from collections.abc import Container

VAULT = "vault"
"""How requests and lists name the vault itself, which has no prefix."""

MEMORY = "memory"
"""The collection of the agent's own notes."""

RESERVED = (VAULT, MEMORY)


def split_path(path: str, names: Container[str]) -> tuple[str, str]:
    """The collection of a path, and the path in it. `names`: of the collections; the vault may be
    among them, but no path begins with `@vault`."""
    if path.startswith("@"):
        first, _, inner = path.partition("/")
        name = first[1:]
        if name != VAULT and name in names:
            return name, inner
    return VAULT, path


def join_path(collection: str, inner: str) -> str:
    """The path of a note, from its collection and its path in it."""
    if collection == VAULT:
        return inner
    return f"@{collection}/{inner}" if inner else f"@{collection}"


def collection_of(path: str, names: Container[str]) -> str:
    """The collection that a path belongs to."""
    return split_path(path, names)[0]
