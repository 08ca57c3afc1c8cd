"""Reads config.json as it is written, and replaces it with a changed and checked one.

A change is checked as a whole before anything is written, and replaces the file in one step.
"""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragctl.daemon.reload import reload_daemon
from ragd.config import load as configuration
from ragd.config.config_lock import config_lock
from ragd.config.validation import JsonObject, read_object
from ragd.errors import ConfigError
from ragd.paths import Home
from ragd.runtime.durable_files import private_directory, replace_file, replace_target

TRIES = 20


class ChangedMeanwhile(Exception):
    """Something else has changed the file after it was read."""


def read_settings(home: Home) -> JsonObject:
    """The settings in the file, which may be invalid. Raises ConfigError if there is none."""
    path = Path(home.config)
    if not path.is_file():
        raise ConfigError(f"No configuration at {path}.", "Run `ragctl init PATH-TO-YOUR-VAULT`.")
    return read_object(path.read_bytes())


def save_settings(home: Home, before: JsonObject, changed: JsonObject) -> dict[str, Any]:
    """Check the settings, save them, and have a running daemon reload them. Returns the result of
    the reload. `before`: the settings that were changed. Raises ConfigError for settings that are
    not valid, and ChangedMeanwhile; then nothing has changed."""
    data = configuration.to_json(changed)
    configuration.check_folders(configuration.parse(data, home.root), home.root)
    replace_config(home, before, data)
    return reload_daemon(home)


def replace_config(home: Home, before: JsonObject, data: bytes) -> None:
    """Replace the file that a link points to, and keep the file's mode. Raises ChangedMeanwhile if
    its settings are not those of `before` any more."""
    with config_lock(home):
        if read_settings(home) != before:
            raise ChangedMeanwhile
        replace_target(Path(home.config), data)


def write_config(home: Home, data: bytes) -> None:
    """Write a new configuration. The one before is kept as config.json.bak."""
    private_directory(Path(home.root))
    file = Path(home.config)
    with config_lock(home):
        if os.path.lexists(file):
            replace_file(file.with_name("config.json.bak"), file.read_bytes())
        replace_file(file, data)


def repeat_if_changed(change: Callable[[], int]) -> int:
    """Make a change, again if something else changed the file meanwhile."""
    for _ in range(TRIES):
        with contextlib.suppress(ChangedMeanwhile):
            return change()
    raise ConfigError("Another program keeps changing config.json.", "Try again later.")
