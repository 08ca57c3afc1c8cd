"""Paths in the vault as people type them: relative to it, or absolute from shell completion."""

import os

from ragctl.daemon.start import call_daemon
from ragd.paths import Home

WHOLE_VAULT = "."


def relative_to_vault(home: Home, path: str) -> str:
    """An absolute path in the vault, made relative to it; the vault itself is `WHOLE_VAULT`. Any
    other path is returned unchanged."""
    if not os.path.isabs(path):
        return path
    vault = call_daemon(home, "GET", "/v1/status", start=True, skip_version_notice=True).data[
        "vault"
    ]["path"]
    for root in (vault, os.path.realpath(vault)):
        if f"{path}{os.sep}".startswith(root + os.sep):
            return path[len(root) + 1 :].replace(os.sep, "/") or WHOLE_VAULT
    return path
