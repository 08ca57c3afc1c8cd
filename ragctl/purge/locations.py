"""Where ragd wrote, as its configuration says, and which vaults must not be touched. It only reads.

The configuration is read as it stands: one that the daemon would refuse still names places.
"""

import json
import os

from ragctl.daemon.lockfile import written
from ragctl.failure import Failure
from ragd.errors import EXIT_CONFIG
from ragd.paths import Home, lies_in

_FOLDERS = ("events", "snapshots", "logs", "vectors.lance")


class Places:
    """What the configuration names: vaults that are not to be touched, and where indexes are."""

    def __init__(self) -> None:
        self.vaults: list[str] = []
        self.vectors: list[str] = []
        self.sockets: list[str] = []
        self.keep: list[str] = []  # what has a name of ours, and is not


def places_of(home: Home) -> Places:
    """From the configuration, and from the one before it. Refuses where a vault is in danger."""
    places = Places()
    for path in (home.config, f"{home.config}.bak"):
        _add(places, path, home)
    named = (home.socket, str(written(home).get("socket", "")))
    own = f"{home.fingerprint}.sock"  # the name that it has outside the home
    places.sockets += [p for p in dict.fromkeys(named) if os.path.basename(p) == own]
    for vault in places.vaults:
        for place in (home.root, *places.vectors):
            if lies_in(place, vault):
                raise Failure(
                    f"{place} lies inside the vault {vault}: nothing was removed.",
                    "Remove ragd's files there by hand.",
                )
        own_folders = (os.path.join(home.root, name) for name in _FOLDERS)
        if any(lies_in(vault, place) for place in (*own_folders, *places.vectors)):
            raise Failure(f"The vault {vault} lies among ragd's own files: nothing was removed.")
    return places


def _add(places: Places, path: str, home: Home) -> None:
    if not os.path.lexists(path):
        return
    vault, vectors = _named_in(path)
    if not isinstance(vault, str) or not vault:
        if path == home.config:
            raise Failure(
                f"{path} names no vault: it is not ragd's, or damaged. Nothing was removed.",
                "Mend it (`ragctl config validate`), or delete it, then run this again.",
                EXIT_CONFIG,
            )
        places.keep.append(os.path.basename(path))
        return
    places.vaults.append(_resolved(home, vault))
    if isinstance(vectors, str) and vectors:
        where = _resolved(home, vectors)
        if where != home.vectors and where not in places.vectors:
            places.vectors.append(where)


def _named_in(path: str) -> tuple[object, object]:
    """The vault and the index's folder; nothing where the file is no configuration."""
    if not os.path.isfile(path):  # to open a FIFO would hang
        return None, None
    try:
        with open(path, "rb") as file:
            found = json.load(file)
        return found.get("vault_path"), (found.get("vector_store") or {}).get("path")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None, None


def _resolved(home: Home, path: str) -> str:
    return os.path.abspath(os.path.join(home.root, os.path.expanduser(path)))
