"""The rules for collections: which names and which folders are accepted.

Only `check_roots` uses the disk, to compare real paths. It never changes a value.
"""

# Paths are strings here, as in paths.py.
# ruff: noqa: PTH111

import os
import re
from collections.abc import Callable, Iterator

from ragd.config.schema import Config
from ragd.config.validation import printable
from ragd.errors import ConfigError
from ragd.vault.collection_paths import RESERVED, group_of

NAME_PATTERN = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
NAME_MAX = 40  # characters

_NAME = re.compile(NAME_PATTERN)


def name_problem(name: str) -> str | None:
    """Why a collection cannot have this name; None if it can."""
    if not _NAME.fullmatch(name) or len(name) > NAME_MAX:
        return (
            f"`{printable(name)}` cannot be the name of a collection: use lower case letters, "
            f"digits and hyphens between them, at most {NAME_MAX}."
        )
    if name in RESERVED:
        return f"`{name}` cannot be the name of a collection: ragd uses that name itself."
    return None


def collection_conflicts(config: Config, escapes: Callable[[str], bool]) -> Iterator[str]:
    """A sentence for each broken rule about names, and about folders inside a collection.

    `escapes`: whether the name of a folder leads out of its root.
    """
    for name, collection in config.collections.items():
        if problem := name_problem(name):
            yield f"`collections`: {problem}"
            continue
        if os.path.expanduser(collection.path).startswith("~"):
            yield (
                f"`collections.{name}.path` starts with `~`, but that user does not exist; "
                "write the whole path."
            )
        for key in ("deny_dirs", "allow_dirs"):
            for place, directory in enumerate(getattr(collection, key)):
                if escapes(directory):
                    yield (
                        f"`collections.{name}.{key}[{place}]` should be a folder inside the "
                        "collection, relative to it, without `..`."
                    )


def check_roots(config: Config, home_root: str, lies_in: Callable[[str, str], bool]) -> None:
    """Refuse roots that overlap with each other, with the vault, or with ragd's own folders. An
    agent's collection is in a folder that a program chose, so no person can correct it."""
    seen: dict[str, str] = {}  # name -> root
    roots = {name: one.path for name, one in config.collections.items() if not group_of(name)}
    for name, root in roots.items():
        _check_own_folders(name, root, home_root, config.vector_store.path, lies_in)
        for other, place in (("", config.vault_path), *seen.items()):
            _check_pair(name, root, other, place, lies_in)
        seen[name] = root


def _check_own_folders(
    name: str, root: str, home_root: str, vectors: str, lies_in: Callable[[str, str], bool]
) -> None:
    for place in (home_root, vectors):
        if lies_in(root, place):
            raise ConfigError(
                f"The collection `{name}` is inside a folder that ragd writes: {root}.",
                "Choose another folder for it.",
            )
        if lies_in(place, root):
            raise ConfigError(
                f"ragd's own folder {place} is inside the collection `{name}` ({root}).",
                "Choose another folder for it.",
            )


def _check_pair(
    name: str, root: str, other: str, place: str, lies_in: Callable[[str, str], bool]
) -> None:
    """`other` is the name of a collection; empty for the vault."""
    second = f"the collection `{other}`" if other else "the vault"
    inside, around = lies_in(root, place), lies_in(place, root)
    if inside and around:
        why = f"The collection `{name}` is the same folder as {second}: {root}."
    elif inside:
        why = f"The collection `{name}` ({root}) is inside {second} ({place})."
    elif around:
        why = f"The collection `{name}` ({root}) contains {second} ({place})."
    else:
        return
    if not other:
        raise ConfigError(why, "Choose another folder for one of them.")
    raise ConfigError(
        why, f"Choose another folder, or remove the other with `ragctl collection remove {other}`."
    )
