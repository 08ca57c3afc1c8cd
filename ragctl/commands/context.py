"""`ragctl context`: says what is in a folder, a note or a collection, in your own words.

The words are kept in config.json. A running daemon uses them at once.
"""

import argparse
import os
from typing import Any

from ragctl.arguments.vault_paths import path_in_roots
from ragctl.cli import add_json, one_of, require_arguments
from ragctl.daemon.reload import print_reload
from ragctl.failure import UsageError
from ragctl.setup.config_file import read_settings, repeat_if_changed, save_settings
from ragctl.views.render import Ink, clean, emit_json, print_notice
from ragd.close_match import closest
from ragd.config import load as configuration
from ragd.config.contexts import ROOT, context_key, context_line
from ragd.config.schema import CONTEXT_MAX, Config
from ragd.config.validation import JsonObject
from ragd.errors import EXIT_CONFIG, EXIT_NOTHING_FOUND, EXIT_OK
from ragd.paths import Home
from ragd.vault.collection_paths import VAULT, join_path, root_folder, split_path
from ragd.vault.reading_rules import roots_of

EXAMPLES = (
    ('ragctl context set Journal "My diary since 2019"', "results from this folder say it"),
    ('ragctl context set @papers "Papers about ice"', "for a whole collection; `/` is the vault"),
    ("ragctl context list", "all contexts"),
)
_ARGUMENTS = {"list": (), "set": ("PATH", "WORDS"), "unset": ("PATH",)}


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  list             show all contexts",
            "  set PATH WORDS   say what is in a folder, a note, a collection (@NAME) or the",
            "                   vault (/); assistants and searches get the nearest one",
            "  unset PATH       remove a context",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*_ARGUMENTS))
    parser.add_argument("path", metavar="PATH", nargs="?")
    parser.add_argument("words", metavar="WORDS", nargs="*")


def run(args: argparse.Namespace) -> int:
    words = " ".join(args.words)
    given = [word for word in (args.path, words or None) if word is not None]
    require_arguments("context", args.action, _ARGUMENTS[args.action], given)
    if args.action == "list":
        return _list(_read_contexts(read_settings(args.home)), args.json)
    return repeat_if_changed(lambda: _change(args, words))


def _change(args: argparse.Namespace, words: str) -> int:
    settings, config = read_settings(args.home), configuration.read(args.home)
    path = place_of(args.path, config)
    if args.action == "set":
        return _set(args.home, settings, config, path, words, args.json)
    return _unset(args.home, settings, path, args.json)


def place_of(typed: str, config: Config) -> str:
    """The path of a folder or note as contexts name it: `Journal`, `@papers`, or `/` for the
    vault. Raises UsageError for a place outside the vault and the collections."""
    if typed.strip() in (ROOT, ".", f"@{VAULT}"):
        return ROOT
    path = typed.replace("\\", "/") if os.sep == "\\" else typed
    if os.path.isabs(path) or path.startswith("~"):
        path = _relative(os.path.abspath(os.path.expanduser(path)), config)
    steps = [step for step in path.split("/") if step not in ("", ".")]
    if ".." in steps or (not steps and path != ROOT):
        raise UsageError(
            f"{clean(typed)} is not a path in the vault.", "Give it relative to the vault."
        )
    _refuse_unknown_collection("/".join(steps), config)
    return "/".join(steps) or ROOT


def _relative(path: str, config: Config) -> str:
    """An absolute path, relative to the vault or as `@name/path`."""
    found = path_in_roots(path, roots_of(config))
    if found is not None:
        return found or ROOT
    raise UsageError(
        f"{clean(path)} is in neither the vault nor a collection.",
        "Give a path relative to the vault, or `@NAME` for a collection.",
    )


def _refuse_unknown_collection(path: str, config: Config) -> None:
    first = root_folder(path)
    if not first.startswith("@") or first[1:] in config.collections:
        return
    if os.path.exists(os.path.join(config.vault_path, first)):
        return  # a folder of the vault
    near = closest(first[1:], config.collections)
    raise UsageError(
        f"There is no collection `{clean(first[1:])}`.",
        f"Did you mean `@{near}`?" if near else "`ragctl collection list` shows all.",
    )


def _set(
    home: Home, settings: JsonObject, config: Config, path: str, words: str, as_json: bool
) -> int:
    line = context_line(words)
    if not line or len(" ".join(words.split())) > CONTEXT_MAX:
        raise UsageError(
            f"A context is one line of 1 to {CONTEXT_MAX} characters.", "Say it in fewer words."
        )
    changed = with_context(settings, path, line)
    if not as_json and not _exists(path, config):
        print_notice(f"There is no {clean(path)} yet; the context is kept for it.")
        if path in config.collections:
            print_notice(f"For the collection, say `@{path}`.")
    return _save(home, settings, changed, path, line, as_json)


def _unset(home: Home, settings: JsonObject, path: str, as_json: bool) -> int:
    if all(context_key(known) != context_key(path) for known in _read_contexts(settings)):
        print_notice(f"{clean(path)} has no context.\n`ragctl context list` shows all contexts.")
        return EXIT_NOTHING_FOUND
    return _save(home, settings, with_context(settings, path, None), path, None, as_json)


def _save(
    home: Home,
    settings: JsonObject,
    changed: JsonObject,
    path: str,
    words: str | None,
    as_json: bool,
) -> int:
    reload = save_settings(home, settings, changed)
    if as_json:
        emit_json({"path": path, "context": words, "daemon": reload})
    else:
        print(f"{clean(path)}: {clean(words)}" if words else f"{clean(path)} has no context now.")
        print_reload(reload)
    return EXIT_CONFIG if reload["error"] else EXIT_OK


def with_context(settings: JsonObject, path: str, words: str | None) -> JsonObject:
    """The settings with this context; None removes it. That of a whole collection is one of its
    own settings, the others are in `contexts`."""
    contexts = _mapping(settings.get("contexts"))
    kept = {known: contexts[known] for known in contexts if context_key(known) != context_key(path)}
    collections = _mapping(settings.get("collections"))
    name, inner = split_path(path, collections)
    if name != VAULT and not inner:
        own = {key: value for key, value in _mapping(collections[name]).items() if key != "context"}
        collections = {**collections, name: own | ({"context": words} if words else {})}
        settings = {**settings, "collections": collections}
    elif words:
        kept[path] = words
    rest = {key: value for key, value in settings.items() if key != "contexts"}
    return {**rest, "contexts": kept} if kept else rest


def _read_contexts(settings: JsonObject) -> dict[str, str]:
    """All contexts in the file, by path."""
    found = {str(path): str(words) for path, words in _mapping(settings.get("contexts")).items()}
    for name, one in _mapping(settings.get("collections")).items():
        if words := _mapping(one).get("context"):
            found.setdefault(join_path(name, ""), str(words))
    return dict(sorted(found.items()))


def _list(contexts: dict[str, str], as_json: bool) -> int:
    if as_json:
        listed = [{"path": path, "context": words} for path, words in contexts.items()]
        emit_json({"contexts": listed})
        return EXIT_OK
    ink = Ink()
    for path, words in contexts.items():
        print(f"{ink.paint(clean(path), 'cyan')}\n  {ink.wrap(clean(words), 2)}")
    if not contexts:
        print_notice('There are no contexts. Add one: `ragctl context set FOLDER "WORDS"`.')
    return EXIT_OK


def _exists(path: str, config: Config) -> bool:
    name, inner = split_path("" if path == ROOT else path, config.collections)
    root = config.vault_path if name == VAULT else config.collections[name].path
    return os.path.exists(os.path.join(root, inner))


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}
