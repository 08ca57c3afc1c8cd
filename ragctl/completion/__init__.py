"""The commands, options and values that a shell can complete, read from the parsers, so that they
are never out of date. One module per shell turns them into a script. It runs no command.
"""

import argparse
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from ragctl.cli import PURPOSES, OneOf, load_command
from ragctl.commands.collection import ARGUMENTS as COLLECTION_ARGUMENTS
from ragctl.commands.config import ARGUMENTS, FOLDER_KEYS
from ragctl.completion.words import setting_words, suggested_words

# Names of values in the help that stand for a folder or a file.
_FOLDER_NAMES = ("DIR", "FOLDER", "VAULT")
_FILE_NAMES = ("FILE",)
_COLLECTION_OPTIONS = (("search", "collection"), ("sync", "accept_deletions"))


class Value(NamedTuple):
    """What is valid in one place: one of some words, a folder, a file, the name of a collection, or
    anything."""

    kind: str  # "words", "folder", "file", "collection", "anything"
    words: tuple[str, ...] = ()
    name: str = ""


class Option(NamedTuple):
    """One option. `value` is None if it takes no value."""

    names: tuple[str, ...]
    help: str
    value: Value | None
    repeats: bool


class DependentValue(NamedTuple):
    """The value of an argument that depends on the arguments before it (`words`)."""

    words: tuple[str, ...]
    value: Value


class Command(NamedTuple):
    """One command with its options and arguments. `repeats_last`: the last argument may repeat."""

    verb: str
    purpose: str
    options: tuple[Option, ...]
    arguments: tuple[Value, ...]
    repeats_last: bool
    dependent: tuple[DependentValue, ...] = ()


# The options before the command.
GLOBAL_OPTIONS = (
    Option(("--help", "-h"), "show all commands", None, False),
    Option(("--home",), "the folder of ragd's files", Value("folder", name="DIR"), False),
    Option(("--json",), "print JSON, for programs", None, False),
    Option(("--version", "-V"), "show the version", None, False),
)


def read_commands() -> list[Command]:
    """All commands, in the order of the help."""
    return [_read_command(verb) for verb in PURPOSES]


def _read_command(verb: str) -> Command:
    _, parser = load_command(verb)
    options = [action for action in parser._actions if action.option_strings]
    arguments = [action for action in parser._actions if not action.option_strings]
    return Command(
        verb,
        PURPOSES[verb],
        tuple(_read_option(verb, action) for action in options),
        tuple(_read_value(verb, action) for action in arguments),
        any(action.nargs in ("+", "*") for action in arguments),
        tuple(_DEPENDENT.get(verb, lambda: ())()),
    )


def _read_option(verb: str, action: argparse.Action) -> Option:
    names = tuple(sorted(action.option_strings, key=len, reverse=True))
    value = _read_value(verb, action) if action.nargs != 0 else None
    repeats = isinstance(action, argparse._AppendAction)
    return Option(names, " ".join((action.help or "").split()), value, repeats)


def _read_value(verb: str, action: argparse.Action) -> Value:
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if isinstance(action.type, OneOf):
        return Value("words", action.type.choices, name)
    if (verb, action.dest) in _COLLECTION_OPTIONS:
        return Value("collection", name=name)
    if words := suggested_words().get((verb, action.dest)):
        return Value("words", words, name)
    if action.metavar in _FOLDER_NAMES:
        return Value("folder", name=name)
    return Value("file" if action.metavar in _FILE_NAMES else "anything", name=name)


def _config_values() -> Iterator[DependentValue]:
    """The keys of the configuration, and the values of keys that are words or a folder."""
    known = setting_words()
    for action, arguments in ARGUMENTS.items():
        if "KEY" in arguments:
            yield DependentValue((action,), Value("words", tuple(known), "KEY"))
    for key, words in known.items():
        if words:
            yield DependentValue(("set", key), Value("words", words, "VALUE"))
        elif key in FOLDER_KEYS:
            yield DependentValue(("set", key), Value("folder", name="VALUE"))


def _collection_values() -> Iterator[DependentValue]:
    """The names of collections, where an action needs one, and a folder to add."""
    for action, arguments in COLLECTION_ARGUMENTS.items():
        if arguments:
            kind = "folder" if action == "add" else "collection"
            yield DependentValue((action,), Value(kind, name=arguments[0]))


_DEPENDENT: dict[str, Callable[[], Iterable[DependentValue]]] = {
    "config": _config_values,
    "collection": _collection_values,
}
