"""Paths of notes as people type them: relative to the vault, with the name of a collection, or
absolute from shell completion."""

import os

from ragctl.daemon.start import call_daemon
from ragd.paths import Home

WHOLE_VAULT = "."


def relative_to_vault(home: Home, path: str) -> str:
    """An absolute path in the vault, made relative to it; the vault itself is `WHOLE_VAULT`. A path
    in a collection becomes `@name/path`. Any other path is returned unchanged."""
    if not os.path.isabs(path):
        return path
    status = call_daemon(home, "GET", "/v1/status", start=True, skip_version_notice=True).data
    roots = {"": status["vault"]["path"]}
    roots |= {
        f"@{c['name']}": c["path"] for c in status.get("collections", ()) if c["name"] != "vault"
    }
    for prefix, folder in roots.items():
        for root in (folder, os.path.realpath(folder)):
            if f"{path}{os.sep}".startswith(root + os.sep):
                inner = path[len(root) + 1 :].replace(os.sep, "/")
                return "/".join(filter(None, (prefix, inner))) or WHOLE_VAULT
    return path
