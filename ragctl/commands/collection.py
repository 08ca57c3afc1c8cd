"""`ragctl collection`: adds, lists, renames and removes folders of notes beside the vault.

They are kept in config.json. A running daemon applies a change at once. It never touches a note.
"""

import argparse
import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from ragctl.cli import add_json, one_of, require_arguments
from ragctl.daemon.client import request
from ragctl.daemon.reload import print_reload
from ragctl.daemon.start import print_version_mismatch
from ragctl.failure import Failure, NotRunning, UsageError
from ragctl.setup.config_file import read_settings, repeat_if_changed, save_settings
from ragctl.setup.renamed_collection import drop_collection, rename_collection
from ragctl.views.collections import render_collections
from ragctl.views.render import (
    Ink,
    clean,
    counted,
    emit_json,
    print_notice,
    print_text,
)
from ragd.close_match import closest
from ragd.config import load as configuration
from ragd.config.collection_rules import NAME_MAX, name_problem
from ragd.config.schema import CollectionSettings, Config
from ragd.config.validation import JsonObject
from ragd.errors import EXIT_CONFIG, EXIT_OK, ConfigError
from ragd.paths import Home
from ragd.vault.collection_paths import SESSIONS, VAULT

EXAMPLES = (
    ("ragctl collection add ~/Papers --mask '*.pdf'", "its PDFs are found as @papers/…"),
    ("ragctl collection list", "every collection, its notes and its state"),
    ("ragctl collection remove papers", "its notes leave the index; the files stay"),
)
ARGUMENTS = {"add": ("PATH",), "list": (), "remove": ("NAME",), "rename": ("OLD", "NEW")}
_ADD_ONLY = ("name", "mask", "private", "context", "allow_dir", "deny_dir")


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  add PATH         read another folder; its notes have paths such as @papers/a.md",
            "  list             show all collections",
            "  remove NAME      its notes leave the index; no file is touched",
            "  rename OLD NEW   give it another name, and with it its notes",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*ARGUMENTS))
    parser.add_argument("target", metavar="FOLDER", nargs="?", help="the folder, or the name")
    parser.add_argument("new_name", metavar="NEW", nargs="?", help="the new name")
    parser.add_argument("--name", metavar="NEW-NAME", help="its name (the folder's name)")
    parser.add_argument(
        "--mask",
        action="append",
        default=[],
        metavar="PATTERN",
        help="only files with such names, as '*.pdf' (every kind that ragd reads, except images)",
    )
    parser.add_argument(
        "--private", action="store_true", help="search it only when its name is given"
    )
    parser.add_argument("--context", metavar="WORDS", help="what is in it, in your own words")
    parser.add_argument(
        "--allow-dir", action="append", default=[], metavar="SUBFOLDER", help="read only this one"
    )
    parser.add_argument(
        "--deny-dir", action="append", default=[], metavar="SUBFOLDER", help="never read this one"
    )
    parser.add_argument(
        "--names", action="store_true", help="with list: only the names, for shells"
    )


def run(args: argparse.Namespace) -> int:
    given = [word for word in (args.target, args.new_name) if word is not None]
    require_arguments("collection", args.action, ARGUMENTS[args.action], given)
    _refuse_options(args)
    if args.action == "list":
        return _list(args.home, args.names, args.json)
    return repeat_if_changed(lambda: _change(args))


def _change(args: argparse.Namespace) -> int:
    match args.action:
        case "add":
            return _add(args)
        case "remove":
            return _remove(args.home, args.target, args.json)
        case _:
            return _rename(args.home, args.target, args.new_name, args.json)


def _refuse_options(args: argparse.Namespace) -> None:
    """Raises UsageError for options of another action."""
    wrong = [name for name in _ADD_ONLY if getattr(args, name)] if args.action != "add" else []
    wrong += ["names"] if args.names and args.action != "list" else []
    if wrong:
        option = f"--{wrong[0].replace('_', '-')}"
        raise UsageError(
            f"`ragctl collection {args.action}` has no option {option}.",
            "See `ragctl collection --help`.",
        )


# Changes


def _add(args: argparse.Namespace) -> int:
    settings, config = _read(args.home)
    root = _existing_folder(args.target)
    name = _plain(args.name) if args.name else default_name(root)
    _refuse_name(name, config, is_given=bool(args.name))
    entry: JsonObject = {"path": root}
    if args.mask:
        entry["patterns"] = args.mask
    if args.deny_dir:
        entry["deny_dirs"] = [*CollectionSettings(path="").deny_dirs, *args.deny_dir]
    if args.allow_dir:
        entry["allow_dirs"] = args.allow_dir
    if args.context:
        entry["context"] = args.context
    if args.private:
        entry["private"] = True
    changed = {**settings, "collections": {**_collections(settings), name: entry}}
    reload = save_settings(args.home, settings, changed)
    notes = _count_notes(args.home, name)
    result = {"name": name, "path": root, "notes": notes}
    return _report(
        args.json,
        result,
        reload,
        f"@{name}: {clean(root)}",
        lambda: _what_happens(args.home, notes, running=reload["running"]),
    )


def _remove(home: Home, typed: str, as_json: bool) -> int:
    settings, config = _read(home)
    name = _known_name(typed, config)
    reload = save_settings(home, settings, drop_collection(settings, name))
    path = config.collections[name].path
    return _report(
        as_json,
        {"name": name, "path": path},
        reload,
        f"@{name} was removed; the files in {clean(path)} are not touched.",
        lambda: f"Its notes leave the index {_when(reload)}.",
    )


def _rename(home: Home, old: str, new: str, as_json: bool) -> int:
    settings, config = _read(home)
    old, new = _known_name(old, config), _plain(new)
    _refuse_name(new, config, is_given=True)
    reload = save_settings(home, settings, rename_collection(settings, old, new))
    path = config.collections[old].path
    return _report(
        as_json,
        {"old_name": old, "name": new, "path": path},
        reload,
        f"@{old} is @{new} now.",
        lambda: f"Its notes get their new paths {_when(reload)}; vectors come from the cache.",
    )


def _report(
    as_json: bool,
    result: JsonObject,
    reload: dict[str, Any],
    done: str,
    what_follows: Callable[[], str],
) -> int:
    """Print what was changed and what the daemon does about it."""
    if as_json:
        emit_json({**result, "daemon": reload})
    else:
        print(done)
        print_reload(reload)
        if not reload["error"]:
            print_notice(what_follows())
    return EXIT_CONFIG if reload["error"] else EXIT_OK


def _when(reload: dict[str, Any]) -> str:
    return "now" if reload["running"] else "when the daemon starts"


def default_name(root: str) -> str:
    """The folder's name, as far as a collection can have it; letters without their accents."""
    letters = unicodedata.normalize("NFKD", os.path.basename(root).lower())
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    name = re.sub("[^a-z0-9]+", "-", plain).strip("-")
    return name[:NAME_MAX].strip("-")


def _plain(name: str) -> str:
    """A name as people type it, without the `@` that paths have."""
    return name.removeprefix("@")


def _refuse_name(name: str, config: Config, *, is_given: bool) -> None:
    problem = name_problem(name)
    if problem and not is_given:
        raise UsageError("The folder's name is not a name for it.", "Give one with `--name NAME`.")
    if problem:
        raise UsageError(problem, "Choose another name.")
    if name in config.collections:
        raise Failure(
            f"There is a collection `{name}` already: {clean(config.collections[name].path)}.",
            "Choose another name, or remove it first: `ragctl collection list` shows all.",
        )
    folder = os.path.join(config.vault_path, f"@{name}")
    if os.path.lexists(folder):
        raise Failure(
            f"The vault has a folder `@{name}`: its notes have the same paths.",
            "Choose another name, or rename the folder.",
        )


def _existing_folder(typed: str) -> str:
    root = os.path.abspath(os.path.expanduser(typed))
    if not os.path.isdir(root):
        what = "is not a folder" if os.path.exists(root) else "does not exist"
        raise Failure(f"{clean(root)} {what}.", "Give the folder of your notes or documents.")
    return root


def _known_name(typed: str, config: Config) -> str:
    name = _plain(typed)
    if name in config.collections:
        return name
    if name.partition("/")[0] == SESSIONS:
        raise UsageError(
            "ragd adds the collections of past conversations itself.",
            "Run `ragctl config set sessions.enabled false` to switch them off.",
        )
    if name == VAULT:
        raise UsageError(
            "The vault itself cannot be removed or renamed.",
            "`ragctl config set vault_path FOLDER` makes another folder the vault.",
        )
    near = closest(name, config.collections)
    raise UsageError(
        f"There is no collection `{clean(name)}`.",
        f"Did you mean `{near}`?" if near else "`ragctl collection list` shows all.",
    )


def _read(home: Home) -> tuple[JsonObject, Config]:
    """The settings as they are written, and as they are used. Raises ConfigError."""
    settings = read_settings(home)
    return settings, configuration.parse(configuration.to_json(settings), home.root)


def _collections(settings: JsonObject) -> Mapping[str, object]:
    found = settings.get("collections", {})
    return found if isinstance(found, Mapping) else {}


def _count_notes(home: Home, name: str) -> int:
    """How many notes a scan of the new folder finds; 0 if it cannot be read."""
    from ragd.vault.files import VaultFiles, VaultGone
    from ragd.vault.folder_rules import FolderRules
    from ragd.vault.reading_rules import rules_of

    config = configuration.read(home)
    rules, files = rules_of(config, name), VaultFiles(config.collections[name].path)
    try:
        templates = files.template_folders() if rules.skips_templates else ()
        folders = FolderRules(rules.allow_dirs, rules.deny_dirs, templates)
        return len(files.scan(folders, rules.patterns).notes)
    except VaultGone:
        return 0


def _what_happens(home: Home, notes: int, *, running: bool) -> str:
    found = counted(notes, "note")
    if not notes:
        return "There is nothing to read in it yet; ragd will notice when that changes."
    if not running:
        return f"The daemon reads its {found} when it starts."
    try:
        has_index = request(home, "GET", "/v1/status").data.get("index") is not None
    except (NotRunning, Failure):
        has_index = True
    if not has_index:
        return f"{found} were found. Run `ragctl index` to read them."
    return f"The daemon is reading {found}; `ragctl status` shows how far it is."


# The list


def _list(home: Home, only_names: bool, as_json: bool) -> int:
    try:
        config = configuration.read(home)
    except ConfigError:
        if only_names:
            return EXIT_OK  # a shell that completes a word
        raise
    if only_names:
        print_text("\n".join(config.collections))
        return EXIT_OK
    running, collections = _described(home, config)
    if as_json:
        emit_json({"running": running, "collections": collections})
        return EXIT_OK
    print_text(render_collections(collections, Ink()))
    if not running:
        print_notice("The daemon is not running, so their notes are not counted.")
    return EXIT_OK


def _described(home: Home, config: Config) -> tuple[bool, list[dict[str, Any]]]:
    """Each collection as a running daemon describes it; else from the configuration alone."""
    try:
        answer = request(home, "GET", "/v1/status")
    except NotRunning:
        return False, _configured(config)
    print_version_mismatch(answer)
    described = answer.data.get("collections")
    # A daemon of an earlier version lists none.
    return True, _configured(config) if described is None else list(described)


def _configured(config: Config) -> list[dict[str, Any]]:
    from ragd.config.contexts import Contexts
    from ragd.vault.reading_rules import roots_of

    contexts = Contexts(config)
    return [
        {
            "name": name,
            "path": path,
            "notes": None,
            "passages": None,
            "state": "unknown" if os.path.isdir(path) else "missing",
            "last_sync": None,
            "waiting": None,
            "held": None,
            "watch": None,
            "private": name in config.collections and config.collections[name].private,
            "context": contexts.of_collection(name),
        }
        for name, path in roots_of(config).items()
    ]
