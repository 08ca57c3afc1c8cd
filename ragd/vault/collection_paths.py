"""One path space for all collections: `@papers/2024/a.pdf` is `2024/a.pdf` in `papers`. Pure.

A note of the vault has no prefix. A folder of the vault may begin with `@` too, so a path belongs
to a collection only if one of that name is configured. What belongs to one agent is a collection
whose name has two parts: `@sessions/main/a.jsonl` is `a.jsonl` in `sessions/main`.
"""

from collections.abc import Container, Iterable

VAULT = "vault"
"""How requests and lists name the vault itself, which has no prefix."""

MEMORY = "memory"
"""The group of the collections with each agent's own notes."""

SESSIONS = "sessions"
"""The group of the collections with each agent's past conversations."""

SESSION_DATABASE = "openclaw-agent.sqlite"
"""The name of the file in which newer versions of OpenClaw keep the conversations of an agent."""

AGENT_GROUPS = (MEMORY, SESSIONS)

RESERVED = (VAULT, *AGENT_GROUPS)


def agent_collection(group: str, agent: str) -> str:
    """The name of an agent's collection. `agent`: in the form that is compared."""
    return f"{group}/{agent}"


def group_of(collection: str) -> str:
    """The group of an agent's collection: `sessions` for `sessions/main`; empty for the others."""
    group, slash, _ = collection.partition("/")
    return group if slash else ""


def agent_of(collection: str) -> str:
    """The agent that a collection belongs to: `main` for `sessions/main`; empty for the others."""
    return collection.partition("/")[2]


def names_in_group(folder: str, names: Iterable[str]) -> frozenset[str]:
    """The collections whose paths are all below this folder: `@sessions`, or none."""
    if folder[1:] not in AGENT_GROUPS or not folder.startswith("@"):
        return frozenset()
    return frozenset(name for name in names if group_of(name) == folder[1:])


def split_path(path: str, names: Container[str]) -> tuple[str, str]:
    """The collection of a path, and the path in it. `names`: of the collections; the vault may be
    among them, but no path begins with `@vault`."""
    if path.startswith("@"):
        root, inner = _split_root(path)
        name = root[1:]
        if name != VAULT and name in names:
            return name, inner
    return VAULT, path


def join_path(collection: str, inner: str) -> str:
    """The path of a note, from its collection and its path in it."""
    if collection == VAULT:
        return inner
    return f"@{collection}/{inner}" if inner else f"@{collection}"


def prefix_of(collection: str) -> str:
    """What the paths of a collection begin with: `@papers/`; empty for the vault."""
    return "" if collection == VAULT else f"@{collection}/"


def collection_of(path: str, names: Container[str]) -> str:
    """The collection that a path belongs to."""
    return split_path(path, names)[0]


def root_folder(path: str) -> str:
    """The folder that is the root of this path, if it belongs to a collection."""
    return _split_root(path)[0]


def _split_root(path: str) -> tuple[str, str]:
    root, _, inner = path.partition("/")
    if root[1:] in AGENT_GROUPS and inner:
        agent, _, inner = inner.partition("/")
        root = f"{root}/{agent}"
    return root, inner
