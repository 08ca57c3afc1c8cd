"""Paths of notes as people type them: relative to the vault, with the name of a collection, or
absolute from shell completion."""

import os
from collections.abc import Mapping

from ragctl.daemon.start import call_daemon
from ragd.paths import Home
from ragd.vault.collection_paths import VAULT, join_path

WHOLE_VAULT = "."


def relative_to_vault(home: Home, path: str) -> str:
    """An absolute path in the vault, made relative to it; the vault itself is `WHOLE_VAULT`. A path
    in a collection becomes `@name/path`. Any other path is returned unchanged."""
    if not os.path.isabs(path):
        return path
    status = call_daemon(home, "GET", "/v1/status", start=True, skip_version_notice=True).data
    roots = {VAULT: status["vault"]["path"]}
    roots |= {each["name"]: each["path"] for each in status.get("collections", ())}
    found = path_in_roots(path, roots)
    return path if found is None else found or WHOLE_VAULT


def path_in_roots(path: str, roots: Mapping[str, str]) -> str | None:
    """An absolute path as results name it: `a.md`, `@name/a.md`, empty for the vault itself. None
    if it lies in none of these folders."""
    for name, folder in roots.items():
        for root in (folder.rstrip(os.sep), os.path.realpath(folder).rstrip(os.sep)):
            if f"{path}{os.sep}".startswith(root + os.sep):
                return join_path(name, path[len(root) + 1 :].replace(os.sep, "/"))
    return None
