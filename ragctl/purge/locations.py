"""Where ragd has written, from its configuration, and which vaults must stay untouched. Read-only.

The configuration is not validated: one that the daemon would refuse still names folders.
"""

import json
import os

from ragctl.daemon.lockfile import read_lockfile
from ragctl.failure import Failure
from ragd.errors import EXIT_CONFIG
from ragd.objects.address import is_object_address
from ragd.paths import Home, lies_in

_FOLDERS = ("events", "snapshots", "logs", "vectors.lance")


class PurgeLocations:
    """The folders in the configuration: vaults that must stay untouched, and indexes."""

    def __init__(self) -> None:
        self.vaults: list[str] = []
        self.vectors: list[str] = []
        self.remote: list[str] = []  # addresses of indexes in object stores
        self.sockets: list[str] = []
        self.keep: list[str] = []  # files that are named like ragd's but belong to something else


def read_locations(home: Home) -> PurgeLocations:
    """From the configuration and its backup. Raises Failure if a vault is in danger."""
    places = PurgeLocations()
    for path in (home.config, f"{home.config}.bak"):
        _add_from_config(places, path, home)
    named = (home.socket, str(read_lockfile(home).get("socket", "")))
    own = f"{home.fingerprint}.sock"  # the socket's name outside the home
    places.sockets += [p for p in dict.fromkeys(named) if os.path.basename(p) == own]
    for vault in places.vaults:
        for place in (home.root, *places.vectors):
            if lies_in(place, vault):
                raise Failure(
                    f"{place} is inside the vault {vault}: nothing was removed.",
                    "Remove ragd's files there by hand.",
                )
        own_folders = (os.path.join(home.root, name) for name in _FOLDERS)
        if any(lies_in(vault, place) for place in (*own_folders, *places.vectors)):
            raise Failure(f"The vault {vault} is inside ragd's own files: nothing was removed.")
    return places


def _add_from_config(places: PurgeLocations, path: str, home: Home) -> None:
    if not os.path.lexists(path):
        return
    vault, vectors, collections = _read_paths(path)
    if not isinstance(vault, str) or not vault:
        if path == home.config:
            raise Failure(
                f"{path} names no vault: it is damaged or not ragd's. Nothing was removed.",
                "Fix it (`ragctl config validate`) or delete it, then run this again.",
                EXIT_CONFIG,
            )
        places.keep.append(os.path.basename(path))
        return
    places.vaults.append(_resolved(home, vault))
    places.vaults += [_resolved(home, root) for root in collections]
    if isinstance(vectors, str) and is_object_address(vectors):
        places.remote.append(vectors)
    elif isinstance(vectors, str) and vectors:
        where = _resolved(home, vectors)
        if where != home.vectors and where not in places.vectors:
            places.vectors.append(where)


def _read_paths(path: str) -> tuple[object, object, list[str]]:
    """The vault, the index folder and the folders of collections; None if the file is not a
    configuration."""
    if not os.path.isfile(path):  # opening a FIFO would hang
        return None, None, []
    try:
        with open(path, "rb") as file:
            found = json.load(file)
        roots = [one.get("path") for one in (found.get("collections") or {}).values()]
        collections = [root for root in roots if isinstance(root, str) and root]
        vectors = (found.get("vector_store") or {}).get("path")
        return found.get("vault_path"), vectors, collections
    except (OSError, ValueError, AttributeError, RecursionError):
        return None, None, []


def _resolved(home: Home, path: str) -> str:
    return os.path.abspath(os.path.join(home.root, os.path.expanduser(path)))
