"""The vaults in Obsidian's own list on this machine. It only reads."""

import json
import os
import sys
from typing import NamedTuple


class ObsidianVault(NamedTuple):
    """One vault: its folder, when Obsidian last opened it (ms since 1970), whether it exists."""

    path: str
    last_opened: int
    is_open: bool
    exists: bool


def list_locations() -> list[str]:
    """Where Obsidian may keep its list: on Linux as a package, Flatpak or Snap; macOS; Windows."""
    if sys.platform == "win32":
        return [os.path.join(os.environ.get("APPDATA", ""), "obsidian", "obsidian.json")]
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return [f"{home}/Library/Application Support/obsidian/obsidian.json"]
    config = os.environ.get("XDG_CONFIG_HOME") or f"{home}/.config"
    return [
        f"{config}/obsidian/obsidian.json",
        f"{home}/.var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
        f"{home}/snap/obsidian/current/.config/obsidian/obsidian.json",
    ]


def known_vaults() -> list[ObsidianVault]:
    """Every vault in any list, open and recently used ones first."""
    found: dict[str, ObsidianVault] = {}
    for path in list_locations():
        for vault in _read_list(path):
            found.setdefault(vault.path, vault)
    return sorted(found.values(), key=lambda v: (not v.exists, not v.is_open, -v.last_opened))


def _read_list(path: str) -> list[ObsidianVault]:
    try:
        with open(path, "rb") as file:
            listed = json.loads(file.read(1024 * 1024))["vaults"].values()
        entries = [entry for entry in listed if isinstance(entry.get("path"), str)]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return []  # the file is Obsidian's: one that cannot be read counts as empty
    return [
        ObsidianVault(
            entry["path"],
            entry["ts"] if isinstance(entry.get("ts"), int) else 0,
            bool(entry.get("open")),
            os.path.isdir(entry["path"]),
        )
        for entry in entries
    ]
