"""`ragctl init`: writes the first configuration. It never overwrites one without --force."""

import argparse
import os
import sys
from pathlib import Path
from shlex import quote
from typing import Any

from ragctl.cli import add_json
from ragctl.daemon.reload import print_reload, reload_daemon
from ragctl.failure import Failure, UsageError
from ragctl.setup.config_file import write_config
from ragctl.setup.obsidian_vaults import ObsidianVault, known_vaults
from ragctl.setup.other_vault import index_drop_warnings
from ragctl.setup.reader_config import set_up_reader
from ragctl.setup.vault_languages import language_hints
from ragctl.views.render import add_home_option, clean, counted, emit_json, print_notice, print_text
from ragd.config import load as configuration
from ragd.config.validation import read_object
from ragd.errors import EXIT_OK, EXIT_USAGE, ConfigError
from ragd.notes.documents.kinds import default_patterns
from ragd.paths import Home
from ragd.vault.files import VaultFiles, VaultGone
from ragd.vault.folder_rules import FolderRules

EXAMPLES = (
    ("ragctl init", "choose one of the vaults in Obsidian's list"),
    ("ragctl init ~/Notes", "use this vault"),
    ("ragctl init --reader s3://bucket/notes", "search an index that another machine writes"),
)
_ENTRIES_MAX = 20_000


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.add_argument("vault", metavar="VAULT", nargs="?", help="the vault's folder")
    parser.add_argument(
        "--reader",
        metavar="ADDRESS",
        help="only search the index at this address in an object store",
    )
    parser.add_argument(
        "--endpoint", metavar="URL", default="", help="with --reader: where the object store is"
    )
    parser.add_argument(
        "--region", metavar="NAME", default="", help="with --reader: the region of the bucket"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace an existing configuration, and keep it as config.json.bak",
    )


def run(args: argparse.Namespace) -> int:
    if args.reader is not None:
        return _init_reader(args)
    if args.endpoint or args.region:
        raise UsageError(
            "--endpoint and --region belong to --reader.",
            "For a writer, use `ragctl config set vector_store.options.endpoint URL`.",
        )
    if args.vault is None:
        vaults = known_vaults()
        if not (sys.stdin.isatty() and sys.stderr.isatty()) or args.json or not vaults:
            return _list_vaults(vaults, args.json)
        args.vault = _choose_vault(vaults)
    result = set_up(args.home, args.vault, force=args.force)
    if args.json:
        emit_json(result)
        return EXIT_OK
    names = "now names" if result["written"] else "already names"
    print(f"{result['config']} {names} the vault {clean(result['vault'])}.")
    if result["written"]:
        print_text(
            "Besides notes it includes canvases, drawings, text files, web pages, PDFs, Word "
            "documents and EPUBs; `ragctl config get indexing.file_patterns` lists the patterns."
        )
    print_hints(result)
    print_text("Next: `ragctl index` starts the daemon and indexes the vault.")
    return EXIT_OK


def _init_reader(args: argparse.Namespace) -> int:
    if args.vault is not None:
        raise UsageError("A reader has no vault.", "Run `ragctl init --reader ADDRESS`.")
    result = set_up_reader(args.home, args.reader, args.endpoint, args.region, force=args.force)
    if args.json:
        emit_json(result)
        return EXIT_OK
    print(f"{result['config']} now names the index {clean(result['reader'])}.")
    print_text("Next: `ragctl search QUESTION` starts the daemon and searches that index.")
    return EXIT_OK


def set_up(home: Home, given: str, *, force: bool = False) -> dict[str, Any]:
    """Write a configuration that names this vault. The result is what `init --json` prints."""
    vault = resolve_vault(given)
    is_configured = _is_configured(home, vault)
    before = _vault_in_file(Path(home.config))
    if not is_configured:
        _write_config(home, vault, force)
    templates = _template_hints(configuration.load(home))
    dropped = index_drop_warnings(home, home.vectors, before, vault)
    hints = [*_vault_hints(vault), *map(add_home_option, [*dropped, *templates])]
    hints += language_hints(vault, configuration.load(home))
    return {
        "config": home.config,
        "vault": vault,
        "written": not is_configured,
        "file_patterns": list(configuration.load(home).indexing.file_patterns),
        "hints": hints,
        "daemon": reload_daemon(home),
    }


def print_hints(result: dict[str, Any]) -> None:
    """Print the hints of `set_up`, and the result of the daemon's reload, on stderr."""
    for hint in result["hints"]:
        print_notice(hint)
    print_reload(result["daemon"])


def resolve_vault(given: str) -> str:
    """The absolute path of a vault's folder. Raises Failure if the folder does not exist."""
    vault = os.path.abspath(os.path.expanduser(given))
    if not os.path.isdir(vault):
        what = "is not a folder" if os.path.exists(vault) else "does not exist"
        raise Failure(
            f"{vault} {what}.",
            "Give the folder of your notes, or run `ragctl init` to see known vaults.",
        )
    return vault


def configured_vault(home: Home) -> str | None:
    """The vault that the configuration names; None if there is no configuration."""
    return configuration.load(home).vault_path if os.path.lexists(home.config) else None


def _is_configured(home: Home, vault: str) -> bool:
    """Whether there is a valid configuration that names this vault."""
    try:
        return configuration.load(home).vault_path == vault
    except ConfigError:
        return False


def _write_config(home: Home, vault: str, force: bool) -> None:
    patterns = {"file_patterns": list(default_patterns())}
    data = configuration.to_json({"vault_path": vault, "indexing": patterns})
    configuration.check_folders(configuration.parse(data, home.root), home.root)
    file = Path(home.config)
    exists = os.path.lexists(file)
    if exists and not force:
        other = _vault_in_file(file)
        raise Failure(
            f"{file} already exists{f' and names {other}' if other is not None else ''}.",
            f"To change only the vault, run `ragctl config set vault_path {quote(vault)}`; "
            "to start over, run init with --force.",
        )
    write_config(home, data)


def _vault_in_file(file: Path) -> str | None:
    """The vault that the file names, even if it is not a valid configuration."""
    try:
        vault = read_object(file.read_bytes()).get("vault_path")
    except (OSError, ConfigError):
        return None
    return vault if isinstance(vault, str) else None


def _vault_hints(vault: str) -> list[str]:
    """What is unusual about a vault, but not wrong."""
    hints: list[str] = []
    if not os.path.isdir(os.path.join(vault, ".obsidian")):
        hints.append(
            f"There is no .obsidian folder in {vault}: Obsidian has not opened it as a vault. "
            "That is fine if it is the right folder."
        )
    if not _has_notes(vault):
        hints.append(f"There are no .md files in {vault} yet; ragd will notice when some appear.")
    return hints


def _template_hints(config: configuration.Config) -> list[str]:
    """The template folders that are not indexed, their number of notes, and how to index them."""
    indexing = config.indexing
    if indexing.templates == "index":
        return []
    rules = FolderRules(indexing.allow_dirs, indexing.deny_dirs)
    try:
        found = VaultFiles(config.vault_path).count_templates(rules, indexing.file_patterns)
    except VaultGone:
        return []  # the daemon will report what is wrong with it
    return [
        f"The template folder {folder} ({counted(notes, 'note')}) is not indexed. "
        "To index it, run `ragctl config set indexing.templates index`."
        for folder, notes in found
    ]


def _has_notes(vault: str) -> bool:
    entries = 0
    for _, folders, files in os.walk(vault):
        if any(name.endswith(".md") for name in files):
            return True
        folders[:] = [name for name in folders if not name.startswith(".")]
        entries += 1 + len(files)
        if entries > _ENTRIES_MAX:
            return True  # too large to check quickly: give no hint
    return False


def _list_vaults(vaults: list[ObsidianVault], as_json: bool) -> int:
    if as_json:
        emit_json({"vaults": [vault._asdict() for vault in vaults]})
    if not vaults:
        raise UsageError(
            "Obsidian has no vaults on this machine.", "Run `ragctl init FOLDER-OF-YOUR-NOTES`."
        )
    if not as_json:
        for vault in vaults:
            print(f"{clean(vault.path)}{'' if vault.exists else '  (missing)'}")
    print_notice("Run `ragctl init` with one of these folders.")
    return EXIT_USAGE


def _choose_vault(vaults: list[ObsidianVault]) -> str:
    existing = [vault for vault in vaults if vault.exists]
    if not existing:
        raise Failure(
            "None of the vaults in Obsidian's list exists.",
            "Run `ragctl init FOLDER-OF-YOUR-NOTES`.",
        )
    for number, vault in enumerate(existing, 1):
        print_notice(
            f"{number:>3}  {clean(vault.path)}{'  (open in Obsidian)' if vault.is_open else ''}"
        )
    prompt = f"Which one? [1-{len(existing)}] " if len(existing) > 1 else "Use this one? [Y/n] "
    while True:
        print(prompt, end="", file=sys.stderr, flush=True)
        typed = sys.stdin.readline()
        if not typed or (len(existing) == 1 and typed.strip().lower() in ("n", "no")):
            raise UsageError("No vault was chosen.", "Run `ragctl init FOLDER-OF-YOUR-NOTES`.")
        if len(existing) == 1 and typed.strip().lower() in ("", "y", "yes"):
            return existing[0].path
        if typed.strip().isdecimal() and 1 <= int(typed) <= len(existing):
            return existing[int(typed) - 1].path
        print_notice(f"Type a number from 1 to {len(existing)}.")
