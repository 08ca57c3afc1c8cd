"""Files that are named like notes but were left by other programs: conflict copies, placeholders.

They are recognised by their names. It never opens a file.
"""

import re

CONFLICT = "it is a conflict copy"
PLACEHOLDER = "it is a cloud placeholder, not downloaded yet"
HIDDEN = "it is a hidden file"

_CONFLICT = re.compile(
    r"\.sync-conflict-\d{8}-\d{6}"  # Syncthing
    r"|\([^()]*(?:conflicted copy|case conflict)[^()]*\)"  # Dropbox, Obsidian Sync, Nextcloud
    r"|_conflict-\d{8}-\d{6}"  # ownCloud
    r"|_conf\(\d+\)"  # Google Drive
    r"|-(?:DESKTOP|LAPTOP)-[A-Z0-9]{7}(?:-\d+)?(?=\.[^.]*$|$)",  # OneDrive: the computer's name
    re.IGNORECASE,
)


def why_skipped(name: str) -> str | None:
    """Why a file of this name is skipped, if it is."""
    if name[:1] == ".":
        return PLACEHOLDER if placeholder_of(name) else HIDDEN
    # For nearly every name, these cheap tests avoid the regular expression.
    if ("onf" in name or "ONF" in name or "TOP-" in name) and _CONFLICT.search(name):
        return CONFLICT
    return None


def placeholder_of(name: str) -> str | None:
    """The name of the file that iCloud will put in place of `.name.icloud`."""
    if name[:1] == "." and name.endswith(".icloud") and len(name) > len("..icloud"):
        return name[1 : -len(".icloud")]
    return None
