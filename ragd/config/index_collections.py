"""The collections of an index that another machine writes, as a reader knows them. Pure.

A reader has no folders. A collection that its own configuration does not name is private: it is
searched only if a request names it, and an agent's only by that agent.
"""

from collections.abc import Iterable

import msgspec

from ragd.config.schema import CollectionSettings, Config

_NO_FOLDER = "/nonexistent"


def add_collections_of_index(config: Config, names: Iterable[str]) -> Config:
    """The configuration with these collections, besides those that it names itself."""
    added = {
        name: CollectionSettings(path=f"{_NO_FOLDER}/{name}", private=True)
        for name in sorted(names)
        if name not in config.collections
    }
    if not added:
        return config
    return msgspec.structs.replace(config, collections={**config.collections, **added})
