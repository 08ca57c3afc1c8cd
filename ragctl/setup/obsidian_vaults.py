"""The vaults that Obsidian knows on this machine, from its own list. It only reads."""

import json
import os
import sys
from typing import NamedTuple


class Vault(NamedTuple):
    """One vault: its folder, when Obsidian last opened it (ms since 1970), whether it is there."""

    path: str
    last_opened: int
    is_open: bool
    exists: bool


def lists() -> list[str]:
    """Where Obsidian may keep its list: as a package, a Flatpak, a Snap; macOS; Windows."""
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


def known_vaults() -> list[Vault]:
    """Every vault in any list, the open ones and the latest first."""
    found: dict[str, Vault] = {}
    for path in lists():
        for vault in _read(path):
            found.setdefault(vault.path, vault)
    return sorted(found.values(), key=lambda v: (not v.exists, not v.is_open, -v.last_opened))


def _read(path: str) -> list[Vault]:
    try:
        with open(path, "rb") as file:
            listed = json.loads(file.read(1024 * 1024))["vaults"].values()
        entries = [entry for entry in listed if isinstance(entry.get("path"), str)]
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return []  # somebody else's file: what cannot be read offers nothing
    return [
        Vault(
            entry["path"],
            entry["ts"] if isinstance(entry.get("ts"), int) else 0,
            bool(entry.get("open")),
            os.path.isdir(entry["path"]),
        )
        for entry in entries
    ]
