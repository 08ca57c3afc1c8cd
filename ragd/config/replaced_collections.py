"""Collections whose name means another folder than the notes in the index came from.

A collection can be removed and its name given to another folder at once, or its path be changed.
The notes of the old folder may have been private. So the name is not in force until they have left
the index: for everything else, the collection was removed, and is added later.
"""

import hashlib
from collections.abc import Mapping
from pathlib import PurePath

import msgspec

from ragd.config.schema import Config


def root_key(path: str) -> str:
    """What stands for a folder in the log: a digest of its path as it is configured."""
    plain = str(PurePath(path)).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(plain, digest_size=8).hexdigest()


def replaced_collections(config: Config, stored: Mapping[str, str]) -> frozenset[str]:
    """The names that mean another folder now. `stored`: the key of the folder that the notes of
    each collection in the index came from."""
    return frozenset(
        name
        for name, one in config.collections.items()
        if name in stored and stored[name] != root_key(one.path)
    )


def without_replaced(config: Config, stored: Mapping[str, str]) -> Config:
    """The configuration without these collections."""
    replaced = replaced_collections(config, stored)
    if not replaced:
        return config
    left = {name: one for name, one in config.collections.items() if name not in replaced}
    return msgspec.structs.replace(config, collections=left)
