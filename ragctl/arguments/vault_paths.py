"""A place in the vault as somebody types it: from its folder, or whole, as a shell completes it."""

import os

from ragctl.daemon.start import call_daemon
from ragd.paths import Home

WHOLE = "."


def within_vault(home: Home, path: str) -> str:
    """A whole path from the vault's folder, which itself is `WHOLE`; others as they are."""
    if not os.path.isabs(path):
        return path
    vault = call_daemon(home, "GET", "/v1/status", start=True, skip_version_notice=True).data[
        "vault"
    ]["path"]
    for root in (vault, os.path.realpath(vault)):
        if f"{path}{os.sep}".startswith(root + os.sep):
            return path[len(root) + 1 :].replace(os.sep, "/") or WHOLE
    return path
