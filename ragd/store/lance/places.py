"""Opens the place of an index from its address: a folder, or a prefix in an object store."""

import json
import os
from pathlib import Path

import msgspec

from ragd.config.store_settings import StoreOptions
from ragd.objects.address import is_object_address, parse_address
from ragd.objects.credentials import lance_options
from ragd.objects.object_client import ObjectClient
from ragd.store.lance.index_place import IndexPlace, LocalFolder
from ragd.store.lance.object_place import ObjectPlace

_VARIABLE = "RAGD_STORE_OPTIONS"  # for a child process; never credentials


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
    return {_VARIABLE: msgspec.json.encode(place.settings).decode()}


def open_place_of_parent(address: str) -> IndexPlace:
    """The place that the parent process named."""
    options = json.loads(os.environ.get(_VARIABLE, "{}"))
    return open_place(address, msgspec.convert(options, StoreOptions))
