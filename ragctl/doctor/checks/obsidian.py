"""Obsidian's own folder in the vault: without one, the folder may not be a vault at all."""

import json
import os

from ragctl.doctor.checks import Finding, ok, unknown, warn
from ragctl.doctor.checks.known_state import settings
from ragctl.setup.obsidian_vaults import known_vaults
from ragd.paths import Home

FOLDER = ".obsidian"
# Where Obsidian and its Templater keep the folder of templates, which is not indexed.
TEMPLATES = ("templates.json", "plugins/templater-obsidian/data.json")
_READ_MAX = 4 * 1024 * 1024


def own_folder(home: Home) -> Finding:
    wished = settings(home)
    if wished is None:
        return unknown()
    vault = wished.vault_path
    if not os.path.isdir(os.path.join(vault, FOLDER)):
        return _none(vault)
    outer = _outer(vault)
    if outer is not None:
        return warn(
            f"the vault lies inside another one, {outer}",
            f"To have all of it: `ragctl config set vault_path {outer}`.",
            outer,
        )
    for name in TEMPLATES:
        if _is_broken(os.path.join(vault, FOLDER, name)):
            return warn(
                f"{FOLDER}/{name} cannot be read, so templates are indexed like notes",
                "Open the vault in Obsidian and set the folder of templates again.",
            )
    return ok(f"there, and Obsidian {'knows' if _is_known(vault) else 'does not list'} the vault")


def _none(vault: str) -> Finding:
    inner = [known.path for known in known_vaults() if known.exists]
    instead = f" Obsidian knows: {', '.join(inner)}." if inner else ""
    return warn(
        f"none in {vault}: Obsidian has not opened this folder",
        f"Nothing, if it is a plain folder of notes; else correct `vault_path`.{instead}",
        vault,
        *inner,
    )


def _outer(vault: str) -> str | None:
    place = os.path.dirname(vault)
    while place != os.path.dirname(place):
        if os.path.isdir(os.path.join(place, FOLDER)):
            return place
        place = os.path.dirname(place)
    return None


def _is_known(vault: str) -> bool:
    real = os.path.realpath(vault)
    return any(os.path.realpath(known.path) == real for known in known_vaults())


def _is_broken(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            json.loads(file.read(_READ_MAX))
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
    return False
