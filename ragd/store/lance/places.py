"""Opens the place of an index from its address: a folder, or a prefix in an object store."""

import os
from pathlib import Path

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import is_object_address, parse_address
from ragd.objects.child_options import options_for_child, options_of_parent
from ragd.objects.credentials import lance_options
from ragd.objects.object_client import ObjectClient
from ragd.store.lance.index_place import IndexPlace, LocalFolder
from ragd.store.lance.object_place import ObjectPlace


def open_place(address: str, settings: StoreOptions) -> IndexPlace:
    """The place at this address, for reading. An object place gets its lease later."""
    if not is_object_address(address):
        return LocalFolder(Path(address))
    parsed = parse_address(address)
    client = ObjectClient(parsed, settings)
    return ObjectPlace(client, lance_options(parsed, settings, os.environ), settings)


def child_environment(place: IndexPlace) -> dict[str, str]:
    """What a child process needs besides the address to open the same place."""
    if not isinstance(place, ObjectPlace):
        return {}
    return options_for_child(place.settings)


def open_place_of_parent(address: str) -> IndexPlace:
    """The place that the parent process named."""
    return open_place(address, options_of_parent(os.environ))
