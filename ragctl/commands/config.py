"""`ragctl config`: shows and checks the configuration, and changes one setting safely.

A change is checked as a whole before anything is written, and replaces the file in one step.
"""

import argparse
import json
import os

from ragctl.cli import add_json, one_of, require_arguments
from ragctl.commands.init import resolve_vault
from ragctl.daemon.reload import print_reload, reload_daemon
from ragctl.failure import Failure
from ragctl.service_managers import installed_service
from ragctl.setup.config_file import read_settings, repeat_if_changed, replace_config
from ragctl.setup.other_vault import index_drop_warnings
from ragctl.views.render import add_home_option, clean, emit_json, print_failure, print_notice
from ragd.config import load as configuration
from ragd.config.json_schema import json_schema
from ragd.config.keys import effect, get_value, is_known, set_value, unset_value
from ragd.config.validation import JsonObject
from ragd.errors import EXIT_CONFIG, EXIT_OK, ConfigError
from ragd.objects.address import is_object_address
from ragd.paths import Home

EXAMPLES = (
    ("ragctl config show --defaults", "every setting, including those not in the file"),
    (
        "ragctl config set watch.rescan_s 600",
        "check and save it; applied without a restart where possible",
    ),
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
FOLDER_KEYS = ("vault_path", "vector_store.path")
VECTOR_KEYS = tuple(f"embedding.{name}" for name in ("provider", "model", "base_url", "dimensions"))


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = f"{parser.description}\n\n" + "\n".join(
        (
            "  path            print the path of the file",
            "  show            print the file; with --defaults, every setting",
            "  get KEY         print one setting or section, by its dotted name",
            "  set KEY VALUE   change a setting; VALUE is JSON or plain text",
            "  unset KEY       remove a setting from the file: its default applies again",
            "  validate        check whether the daemon would accept it (exit 78 if not)",
            "  schema          print its JSON Schema, for your editor",
        )
    )
    parser.add_argument("action", metavar="ACTION", type=one_of(*ARGUMENTS))
    parser.add_argument("key", metavar="KEY", nargs="?")
    parser.add_argument("value", metavar="VALUE", nargs="?")
    parser.add_argument("--defaults", action="store_true", help="show every setting")


def run(args: argparse.Namespace) -> int:
    given = [word for word in (args.key, args.value) if word is not None]
    require_arguments("config", args.action, ARGUMENTS[args.action], given)
    match args.action:
        case "path":
            return _path(args.home, args.json)
        case "show":
            return _show(args.home, args.defaults)
        case "get":
            return _get(args.home, args.key, args.json)
        case "set":
            return repeat_if_changed(lambda: _set(args.home, args.key, args.value, args.json))
        case "unset":
            return repeat_if_changed(lambda: _unset(args.home, args.key, args.json))
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
    settings = (
        configuration.effective(configuration.load(home)) if defaults else read_settings(home)
    )
    print(configuration.to_json(settings).decode(), end="")
    return EXIT_OK


def _get(home: Home, key: str, as_json: bool) -> int:
    value = get_value(read_settings(home), key)
    if as_json or not isinstance(value, str):
        emit_json(value)
    else:
        print(value)
    return EXIT_OK


def _set(home: Home, key: str, text: str, as_json: bool) -> int:
    settings = read_settings(home)
    section, _, of_collection = key.partition(".")
    is_root = section == "collections" and of_collection.endswith(".path")  # one is called `path`
    is_folder = (key in FOLDER_KEYS or is_root) and not is_object_address(text)
    if is_folder and text and not text.startswith(("~", '"')):
        text = os.path.abspath(text)  # relative to the current folder, not to the home
    changed = set_value(settings, key, text)
    value = get_value(changed, key)
    result = f"{key} = {json.dumps(value, ensure_ascii=False)}"
    return _change(home, key, settings, changed, value, result, as_json)


def _unset(home: Home, key: str, as_json: bool) -> int:
    settings = read_settings(home)
    changed = unset_value(settings, key)
    value = get_value(changed, key) if is_known(key) else None
    default = f"is {json.dumps(value, ensure_ascii=False)}, the default"
    result = f"{clean(key)} {default if value is not None else 'was removed'}"
    return _change(home, key, settings, changed, value, result, as_json)


def _change(
    home: Home,
    key: str,
    settings: JsonObject,
    changed: JsonObject,
    value: object,
    result: str,
    as_json: bool,
) -> int:
    """Check the change, save it, have a running daemon reload it, and print the result."""
    data = configuration.to_json(changed)
    remaining = _remaining_error(home, key, settings, data)
    replace_config(home, settings, data)
    reload = reload_daemon(home)
    vaults = (settings.get("vault_path"), changed.get("vault_path"))
    warnings = index_drop_warnings(home, _index_folder(home), *vaults)
    if as_json:
        emit_json(
            {
                "key": key,
                "value": value,
                "daemon": reload,
                "hints": [add_home_option(warning) for warning in warnings],
                "error": _error_fields(remaining) if remaining else None,
            }
        )
    else:
        print(result)
        print_reload(reload)
        if key == "vector_store.path" and installed_service(home) is not None:
            print_notice(
                "The service may only write to the old folder: run `ragctl service install`."
            )
        for warning in warnings:
            print_notice(warning)
        if effect(key) == "recut" and value != get_value(settings, key) and not reload["error"]:
            print_notice(_rechunk_notice(reload["running"]))
        if remaining is not None:
            print_failure(
                f"The change is saved. Still wrong: {remaining.message}", remaining.suggestion
            )
    return EXIT_CONFIG if reload["error"] or remaining else EXIT_OK


def _remaining_error(home: Home, key: str, settings: JsonObject, data: bytes) -> ConfigError | None:
    """An error that the file had before this change. Raises ConfigError for a new one."""
    try:
        _check(home, key, data)
    except ConfigError as why:
        if not set(why.message.splitlines()) <= _existing_errors(home, settings):
            raise
        return why
    return None


def _error_fields(error: ConfigError) -> dict[str, str]:
    return {"message": error.message, "suggestion": error.suggestion}


def _check(home: Home, key: str, data: bytes) -> None:
    config = configuration.parse(data, home.root)
    configuration.check_folders(config, home.root)
    if key == "vault_path":
        _require_vault(config.vault_path)
    if key in VECTOR_KEYS:
        _require_vector_size(key, config)


def _existing_errors(home: Home, settings: JsonObject) -> set[str]:
    """The errors in the file as it is now."""
    try:
        _check(home, "", configuration.to_json(settings))
    except ConfigError as why:
        return set(why.message.splitlines())
    return set()


def _require_vault(vault: str) -> None:
    """The same rule as in init: with a mistyped folder, the daemon would stop using its index."""
    try:
        resolve_vault(vault)
    except Failure as why:
        raise ConfigError(f"`vault_path` was not changed: {why.message}", why.suggestion) from None


def _index_folder(home: Home) -> str:
    try:
        path = configuration.read(home).vector_store.path or home.vectors
        return home.vectors if is_object_address(path) else path
    except ConfigError:
        return home.vectors


def _require_vector_size(key: str, config: configuration.Config) -> None:
    """Checked if Ollama answers: with a size other than the model's, there would be no vectors."""
    embedding = config.embedding
    if embedding.provider == "embedded" or not embedding.dimensions:
        return
    from ragctl.setup.ollama import NoAnswer, query_server, vector_size

    try:
        if not query_server(embedding.base_url).has_model(embedding.model):
            return
        actual = vector_size(embedding.base_url, embedding.model)
    except NoAnswer:
        return
    if actual in (0, embedding.dimensions):
        return
    fix = "Remove it: `ragctl config unset embedding.dimensions`."
    if key == "embedding.dimensions":
        fix = f"Run `ragctl config set embedding.dimensions {actual}`, or remove it: `ragctl "
        fix += "config unset embedding.dimensions`."
    raise ConfigError(
        f"`{key}` was not changed: `embedding.dimensions` would be {embedding.dimensions}, but "
        f"Ollama's model {embedding.model} makes vectors of {actual} numbers.",
        fix,
    )


def _rechunk_notice(running: bool) -> str:
    """What a change of the chunk settings means for notes that are already in the index."""
    if running:
        return "The daemon will split all notes into chunks again; `ragctl sync` does it now."
    return "The next sync splits all notes into chunks again. The daemon starts it automatically."


def _validate(home: Home, as_json: bool) -> int:
    try:
        configuration.load(home)
    except ConfigError as refused:
        if as_json:
            error = _error_fields(refused)
            emit_json({"valid": False, "path": home.config, "error": error})
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
