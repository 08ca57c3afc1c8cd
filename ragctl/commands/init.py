"""`ragctl init`: from nothing to a configuration. It never overwrites one without being told to."""

import argparse
import os
import sys
from pathlib import Path
from shlex import quote
from typing import Any

from ragctl.cli import add_json
from ragctl.daemon.reload import print_reload, reload_daemon
from ragctl.failure import Failure, UsageError
from ragctl.setup.obsidian_vaults import Vault, known_vaults
from ragctl.setup.other_vault import index_dropped
from ragctl.setup.vault_languages import language_hints
from ragctl.views.render import add_home_option, clean, counted, emit_json, print_notice, print_text
from ragd.config import load as configuration
from ragd.config.validation import read_object
from ragd.errors import EXIT_OK, EXIT_USAGE, ConfigError
from ragd.paths import Home
from ragd.runtime.durable_files import private_directory, replace_file
from ragd.vault.files import VaultFiles, VaultGone
from ragd.vault.folder_rules import FolderRules

EXAMPLES = (
    ("ragctl init", "choose among the vaults that Obsidian knows"),
    ("ragctl init ~/Notes", "use this vault"),
)
_LOOKED_AT_MAX = 20_000


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("vault", metavar="VAULT", nargs="?", help="the vault's folder")
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace an existing configuration; the former is kept as config.json.bak",
    )


def run(args: argparse.Namespace) -> int:
    if args.vault is None:
        vaults = known_vaults()
        if not (sys.stdin.isatty() and sys.stderr.isatty()) or args.json or not vaults:
            return _list(vaults, args.json)
        args.vault = _choose(vaults)
    said = set_up(args.home, args.vault, force=args.force)
    if args.json:
        emit_json(said)
        return EXIT_OK
    done = "now names" if said["written"] else "already names"
    print(f"{said['config']} {done} the vault {clean(said['vault'])}.")
    tell_hints(said)
    print_text("Next: `ragctl index` starts the daemon and reads the vault.")
    return EXIT_OK


def set_up(home: Home, given: str, *, force: bool = False) -> dict[str, Any]:
    """A configuration that names this vault, and what is to be said about it."""
    vault = vault_folder(given)
    already = _already(home, vault)
    before = _vault_in(Path(home.config))
    if not already:
        _write(home, vault, force)
    said: dict[str, Any] = {"config": home.config, "vault": vault, "written": not already}
    templates = _template_hints(configuration.load(home))
    dropped = index_dropped(home, home.vectors, before, vault)
    hints = [*_hints(vault), *map(add_home_option, [*dropped, *templates])]
    hints += language_hints(vault, configuration.load(home))
    return {**said, "hints": hints, "daemon": reload_daemon(home)}


def tell_hints(said: dict[str, Any]) -> None:
    """What `set_up` found odd, and what a running daemon made of it, on stderr."""
    for hint in said["hints"]:
        print_notice(hint)
    print_reload(said["daemon"])


def vault_folder(given: str) -> str:
    """The folder that somebody typed, as an absolute path. It has to be there."""
    vault = os.path.abspath(os.path.expanduser(given))
    if not os.path.isdir(vault):
        what = "is not a folder" if os.path.exists(vault) else "does not exist"
        raise Failure(
            f"{vault} {what}.",
            "Name the folder that holds your notes, or run `ragctl init` to see known vaults.",
        )
    return vault


def named_vault(home: Home) -> str | None:
    """The vault that the configuration names; None where there is no configuration."""
    return configuration.load(home).vault_path if os.path.lexists(home.config) else None


def _already(home: Home, vault: str) -> bool:
    """Whether the configuration is there, is valid and names this very vault."""
    try:
        return configuration.load(home).vault_path == vault
    except ConfigError:
        return False


def _write(home: Home, vault: str, force: bool) -> None:
    data = configuration.to_json({"vault_path": vault})
    configuration.check_folders(configuration.parse(data, home.root), home.root)
    existing = Path(home.config)
    there = os.path.lexists(existing)
    if there and not force:
        raise Failure(
            f"{existing} exists already{_named_in(existing)}.",
            f"To change only the vault, run `ragctl config set vault_path {quote(vault)}`; "
            "to begin anew, run init with --force.",
        )
    private_directory(Path(home.root))
    if there:
        replace_file(existing.with_name("config.json.bak"), existing.read_bytes())
    replace_file(existing, data)


def _named_in(existing: Path) -> str:
    vault = _vault_in(existing)
    return f" and names {vault}" if vault is not None else ""


def _vault_in(existing: Path) -> str | None:
    """The vault that a file names, which need not be a valid configuration."""
    try:
        vault = read_object(existing.read_bytes()).get("vault_path")
    except (OSError, ConfigError):
        return None
    return vault if isinstance(vault, str) else None


def _hints(vault: str) -> list[str]:
    """What looks odd about a vault without being wrong."""
    hints: list[str] = []
    if not os.path.isdir(os.path.join(vault, ".obsidian")):
        hints.append(
            f"There is no .obsidian folder in {vault}: Obsidian has not opened it as a vault. "
            "That does not matter if it is the right folder."
        )
    if not _has_notes(vault):
        hints.append(f"There are no .md files in {vault} yet; ragd will notice when some appear.")
    return hints


def _template_hints(config: configuration.Config) -> list[str]:
    """Which template folders are left out, with the number of notes, and how to read them."""
    indexing = config.indexing
    if indexing.templates == "index":
        return []
    rules = FolderRules(indexing.allow_dirs, indexing.deny_dirs)
    try:
        found = VaultFiles(config.vault_path).count_templates(rules, indexing.file_patterns)
    except VaultGone:
        return []  # the daemon will say what is wrong with it
    return [
        f"{folder}, a folder of templates, is left out with {counted(notes, 'note')} in it. "
        "To read it too, run `ragctl config set indexing.templates index`."
        for folder, notes in found
    ]


def _has_notes(vault: str) -> bool:
    looked_at = 0
    for _, folders, files in os.walk(vault):
        if any(name.endswith(".md") for name in files):
            return True
        folders[:] = [name for name in folders if not name.startswith(".")]
        looked_at += 1 + len(files)
        if looked_at > _LOOKED_AT_MAX:
            return True  # too large to be sure in a moment: say nothing
    return False


def _list(vaults: list[Vault], as_json: bool) -> int:
    if as_json:
        emit_json({"vaults": [vault._asdict() for vault in vaults]})
    if not vaults:
        raise UsageError(
            "Obsidian knows no vault on this machine.", "Type `ragctl init FOLDER-OF-YOUR-NOTES`."
        )
    if not as_json:
        for vault in vaults:
            print(f"{clean(vault.path)}{'' if vault.exists else '  (not there)'}")
    print_notice("Type `ragctl init` with one of these folders.")
    return EXIT_USAGE


def _choose(vaults: list[Vault]) -> str:
    there = [vault for vault in vaults if vault.exists]
    if not there:
        raise Failure(
            "None of the vaults that Obsidian knows is there now.",
            "Type `ragctl init FOLDER-OF-YOUR-NOTES`.",
        )
    for number, vault in enumerate(there, 1):
        print_notice(
            f"{number:>3}  {clean(vault.path)}{'  (open in Obsidian)' if vault.is_open else ''}"
        )
    asked = f"Which one? [1-{len(there)}] " if len(there) > 1 else "Take this one? [Y/n] "
    while True:
        print(asked, end="", file=sys.stderr, flush=True)
        typed = sys.stdin.readline()
        if not typed or (len(there) == 1 and typed.strip().lower() in ("n", "no")):
            raise UsageError("No vault was chosen.", "Type `ragctl init FOLDER-OF-YOUR-NOTES`.")
        if len(there) == 1 and typed.strip().lower() in ("", "y", "yes"):
            return there[0].path
        if typed.strip().isdecimal() and 1 <= int(typed) <= len(there):
            return there[int(typed) - 1].path
        print_notice(f"Type a number from 1 to {len(there)}.")
