"""What becomes of the index when the configuration names another vault. It changes nothing."""

import os
from shlex import quote

from ragctl.daemon.client import request
from ragctl.failure import Failure
from ragd.paths import Home


def index_dropped(home: Home, vectors: str, before: object, now: object) -> list[str]:
    """A sentence that says when the index in the folder `vectors` is dropped, and how to avoid
    that; none if it will not be."""
    if not isinstance(before, str) or not isinstance(now, str):
        return []
    old, new = _resolved(home, before), _resolved(home, now)
    if old == new or _served(home) == new or not _has_files(vectors):
        return []
    return [
        f"When the daemon starts next and finds {new}, it drops an index that was made of another "
        f"vault, and reads {new} in full. No note is changed or removed, and memories stay. If you "
        f"did not mean that, run `ragctl config set vault_path {quote(old)}` before you start it."
    ]


def _served(home: Home) -> str | None:
    """The vault that the running daemon reads; None where none runs."""
    try:
        return str(request(home, "GET", "/v1/status").data["vault"]["path"])
    except (Failure, KeyError, TypeError):
        return None


def _has_files(folder: str) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(entries)
    except OSError:
        return False


def _resolved(home: Home, path: str) -> str:
    return os.path.abspath(os.path.join(home.root, os.path.expanduser(path)))
