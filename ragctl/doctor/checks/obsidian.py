"""Obsidian's own folder in the vault: without one, the folder may not be a vault."""

import json
import os

from ragctl.doctor.checks import Finding, no_configuration, ok, warn
from ragctl.doctor.checks.known_state import read_settings
from ragctl.setup.obsidian_vaults import known_vaults
from ragd.paths import Home

FOLDER = ".obsidian"
# The files where Obsidian and Templater store the templates folder, which is not indexed.
TEMPLATES = ("templates.json", "plugins/templater-obsidian/data.json")
_READ_MAX = 4 * 1024 * 1024


def own_folder(home: Home) -> Finding:
    settings = read_settings(home)
    if settings is None:
        return no_configuration()
    vault = settings.vault_path
    if not os.path.isdir(os.path.join(vault, FOLDER)):
        return _missing_folder(vault)
    outer = _outer_vault(vault)
    if outer is not None:
        return warn(
            f"the vault is inside another vault, {outer}",
            f"To index all of it: `ragctl config set vault_path {outer}`.",
            outer,
        )
    for name in TEMPLATES:
        if _is_broken(os.path.join(vault, FOLDER, name)):
            return warn(
                f"{FOLDER}/{name} cannot be read, so templates are indexed like notes",
                "Open the vault in Obsidian and set the templates folder again.",
            )
    listed = "is" if _is_listed_by_obsidian(vault) else "is not"
    return ok(f"{FOLDER} found; the vault {listed} in Obsidian's list of vaults")


def _missing_folder(vault: str) -> Finding:
    inner = [known.path for known in known_vaults() if known.exists]
    instead = f" Obsidian lists: {', '.join(inner)}." if inner else ""
    return warn(
        f"{vault} has no {FOLDER}: Obsidian has not opened this folder",
        f"Nothing to do for a plain folder of notes; otherwise correct `vault_path`.{instead}",
        vault,
        *inner,
    )


def _outer_vault(vault: str) -> str | None:
    place = os.path.dirname(vault)
    while place != os.path.dirname(place):
        if os.path.isdir(os.path.join(place, FOLDER)):
            return place
        place = os.path.dirname(place)
    return None


def _is_listed_by_obsidian(vault: str) -> bool:
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
