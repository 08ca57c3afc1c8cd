"""What happens to the index when the configuration names another vault. It changes nothing."""

import os
from shlex import quote

from ragctl.daemon.client import request
from ragctl.failure import Failure
from ragd.paths import Home


def index_drop_warnings(home: Home, vectors: str, before: object, now: object) -> list[str]:
    """A warning if the index in the folder `vectors` will be dropped, and how to avoid that."""
    if not isinstance(before, str) or not isinstance(now, str):
        return []
    old, new = _resolved(home, before), _resolved(home, now)
    if old == new or _daemon_vault(home) == new or not _has_files(vectors):
        return []
    return [
        f"When the daemon next starts and finds {new}, it drops the index of the other vault and "
        f"indexes {new} in full. No note is changed or removed, and memories stay. If you do not "
        f"want that, run `ragctl config set vault_path {quote(old)}` before you start the daemon."
    ]


def _daemon_vault(home: Home) -> str | None:
    """The vault of the running daemon; None if none is running."""
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
