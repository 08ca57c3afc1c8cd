"""`ragctl config`: where the configuration lies, what it says, and one setting changed safely.

A change is checked as a whole before anything is written, and replaces the file in one step.
"""

import argparse
import json
import os
import stat
from pathlib import Path

from ragctl.cli import add_json, one_of
from ragctl.commands.init import vault_folder
from ragctl.daemon.reload import print_reload, reload_daemon
from ragctl.failure import Failure, UsageError
from ragctl.service_managers import installed_service
from ragctl.setup.other_vault import index_dropped
from ragctl.views.render import add_home_option, clean, emit_json, print_failure, print_notice
from ragd.config import load as configuration
from ragd.config.json_schema import json_schema
from ragd.config.keys import effect, get_value, is_known, set_value, unset_value
from ragd.config.validation import JsonObject, read_object
from ragd.errors import EXIT_CONFIG, EXIT_OK, ConfigError
from ragd.paths import Home
from ragd.runtime.durable_files import replace_file

EXAMPLES = (
    ("ragctl config show --defaults", "every setting, also those the file does not name"),
    ("ragctl config set watch.rescan_s 600", "check, write, and tell the running daemon"),
)
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "path": (),
    "show": (),
    "get": ("KEY",),
    "set": ("KEY", "VALUE"),
    "unset": ("KEY",),
    "validate": (),
    "schema": (),
}
PATHS = ("vault_path", "vector_store.path")  # settings that are folders
SIZES = tuple(f"embedding.{name}" for name in ("provider", "model", "base_url", "dimensions"))


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  path            where the file lies",
            "  show            what it says; with --defaults, every setting",
            "  get KEY         one setting or section, by its dotted name",
            "  set KEY VALUE   change one; VALUE is JSON, or plain text",
            "  unset KEY       take one out of the file: its default counts again",
            "  validate        whether the daemon would accept it (exit 78 if not)",
            "  schema          its JSON Schema, for your editor",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*ARGUMENTS))
    parser.add_argument("key", metavar="KEY", nargs="?")
    parser.add_argument("value", metavar="VALUE", nargs="?")
    parser.add_argument("--defaults", action="store_true", help="show every setting")


def run(args: argparse.Namespace) -> int:
    wanted = ARGUMENTS[args.action]
    given = [word for word in (args.key, args.value) if word is not None]
    if len(given) != len(wanted):
        shape = " ".join(("ragctl config", args.action, *wanted))
        raise UsageError(f"It should be `{shape}`.", "See `ragctl config --help`.")
    match args.action:
        case "path":
            return _path(args.home, args.json)
        case "show":
            return _show(args.home, args.defaults)
        case "get":
            return _get(args.home, args.key, args.json)
        case "set":
            return _set(args.home, args.key, args.value, args.json)
        case "unset":
            return _unset(args.home, args.key, args.json)
        case "schema":
            return _schema()
        case _:
            return _validate(args.home, args.json)


def _path(home: Home, as_json: bool) -> int:
    if as_json:
        emit_json({"path": home.config, "exists": os.path.exists(home.config)})
    else:
        print(home.config)
    return EXIT_OK


def _show(home: Home, defaults: bool) -> int:
    tree = configuration.effective(configuration.load(home)) if defaults else _tree(home)
    print(configuration.to_json(tree).decode(), end="")
    return EXIT_OK


def _get(home: Home, key: str, as_json: bool) -> int:
    value = get_value(_tree(home), key)
    if as_json or not isinstance(value, str):
        emit_json(value)
    else:
        print(value)
    return EXIT_OK


def _set(home: Home, key: str, text: str, as_json: bool) -> int:
    tree = _tree(home)
    if key in PATHS and text and not text.startswith(("~", '"')):
        text = os.path.abspath(text)  # from here, as whoever typed it means it
    changed = set_value(tree, key, text)
    value = get_value(changed, key)
    said = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    return _change(home, key, tree, changed, value, said, as_json)


def _unset(home: Home, key: str, as_json: bool) -> int:
    tree = _tree(home)
    changed = unset_value(tree, key)
    value = get_value(changed, key) if is_known(key) else None
    now = f"{json.dumps(value, ensure_ascii=False)}, the default" if value is not None else "gone"
    return _change(home, key, tree, changed, value, f"{clean(key)} is {now}", as_json)


def _change(
    home: Home,
    key: str,
    tree: JsonObject,
    changed: JsonObject,
    value: object,
    said: str,
    as_json: bool,
) -> int:
    """Check it, write it, tell the daemon, and say what came of it."""
    data = configuration.to_json(changed)
    left = _left_to_mend(home, key, tree, data)
    _replace(home.config, data)
    told = reload_daemon(home)
    vaults = (tree.get("vault_path"), changed.get("vault_path"))
    hints = index_dropped(home, _vectors(home), *vaults)
    if as_json:
        error = {"message": left.message, "suggestion": left.suggestion} if left else None
        said_hints = [add_home_option(hint) for hint in hints]
        emit_json({"key": key, "value": value, "daemon": told, "hints": said_hints, "error": error})
    else:
        print(said)
        print_reload(told)
        if key == "vector_store.path" and installed_service(home) is not None:
            print_notice(
                "The service may write to the former place only: run `ragctl service install`."
            )
        for hint in hints:
            print_notice(hint)
        if effect(key) == "recut" and value != get_value(tree, key) and not told["error"]:
            print_notice(_cut_again(told["running"]))
        if left is not None:
            print_failure(f"That is written. Still wrong: {left.message}", left.suggestion)
    return EXIT_CONFIG if told["error"] or left else EXIT_OK


def _left_to_mend(home: Home, key: str, tree: JsonObject, data: bytes) -> ConfigError | None:
    """What is wrong and was before. Raises ConfigError for what is new."""
    try:
        _check(home, key, data)
    except ConfigError as why:
        if not set(why.message.splitlines()) <= _complaints(home, tree):
            raise
        return why
    return None


def _check(home: Home, key: str, data: bytes) -> None:
    fresh = configuration.parse(data, home.root)
    configuration.check_folders(fresh, home.root)
    if key == "vault_path":
        _refuse_a_missing(fresh.vault_path)
    if key in SIZES:
        _refuse_a_wrong_size(key, fresh)


def _complaints(home: Home, tree: JsonObject) -> set[str]:
    """What is said of the file as it is."""
    try:
        _check(home, "", configuration.to_json(tree))
    except ConfigError as why:
        return set(why.message.splitlines())
    return set()


def _refuse_a_missing(vault: str) -> None:
    """The same rule as init's: with a mistyped folder the daemon would leave its index behind."""
    try:
        vault_folder(vault)
    except Failure as why:
        raise ConfigError(
            f"`vault_path` is left as it was: {why.message}", why.suggestion
        ) from None


def _vectors(home: Home) -> str:
    """Where the index lies."""
    try:
        return configuration.read(home).vector_store.path or home.vectors
    except ConfigError:
        return home.vectors


def _refuse_a_wrong_size(key: str, fresh: configuration.Config) -> None:
    """If Ollama answers: a size that is not the model's would mean an index without vectors."""
    wish = fresh.embedding
    if wish.provider == "embedded" or not wish.dimensions:
        return
    from ragctl.setup.ollama import NoAnswer, ask, vector_size

    try:
        made = vector_size(wish.base_url, wish.model) if ask(wish.base_url).has(wish.model) else 0
    except NoAnswer:
        return
    if made in (0, wish.dimensions):
        return
    instead = "Leave it out: `ragctl config unset embedding.dimensions`."
    if key == "embedding.dimensions":
        instead = f"Run `ragctl config set embedding.dimensions {made}`, or leave it out: `ragctl "
        instead += "config unset embedding.dimensions`."
    raise ConfigError(
        f"`{key}` is left as it was: `embedding.dimensions` would be {wish.dimensions}, but "
        f"Ollama's model {wish.model} makes vectors of {made} numbers.",
        instead,
    )


def _cut_again(running: bool) -> str:
    """What a changed way of cutting means for the notes that are in the index already."""
    if running:
        return "All notes are cut again: soon, by the daemon itself; at once, by `ragctl sync`."
    return "All notes are cut again by the next sync, which the daemon begins by itself."


def _validate(home: Home, as_json: bool) -> int:
    try:
        configuration.load(home)
    except ConfigError as refused:
        if as_json:
            said = {"message": refused.message, "suggestion": refused.suggestion}
            emit_json({"valid": False, "path": home.config, "error": said})
        else:
            print_failure(refused.message, refused.suggestion)
        return EXIT_CONFIG
    if as_json:
        emit_json({"valid": True, "path": home.config, "error": None})
    else:
        print(f"{home.config} is valid.")
    return EXIT_OK


def _schema() -> int:
    print(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return EXIT_OK


def _tree(home: Home) -> JsonObject:
    """What the file says, as it says it; whether that makes sense is not asked here."""
    path = Path(home.config)
    if not path.is_file():
        raise ConfigError(f"No configuration at {path}.", "Run `ragctl init PATH-TO-YOUR-VAULT`.")
    return read_object(path.read_bytes())


def _replace(path: str, data: bytes) -> None:
    """Write behind a link to where it leads, and leave the mode as it was."""
    real = Path(os.path.realpath(path))
    replace_file(real, data, stat.S_IMODE(real.stat().st_mode))
