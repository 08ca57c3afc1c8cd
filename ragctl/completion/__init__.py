"""What can be typed, as a shell needs to know it: read off the parsers, so that it is never behind
them. One module for each shell makes a script of it. It runs nothing.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

from ragctl.cli import PURPOSES, OneOf, command
from ragctl.commands.config import ARGUMENTS, PATHS
from ragctl.completion.words import offered, settings

# What a value's name in the help says about it.
_FOLDERS = ("DIR", "FOLDER", "VAULT")
_FILES = ("FILE",)


class Value(NamedTuple):
    """What may stand in one place: some words, a folder, a file, or anything (`kind`)."""

    kind: str  # "words", "folder", "file", "anything"
    words: tuple[str, ...] = ()
    name: str = ""


class Option(NamedTuple):
    """One option; `value` None: it takes none."""

    names: tuple[str, ...]
    help: str
    value: Value | None
    repeats: bool


class Behind(NamedTuple):
    """What may stand behind a command and these words of it."""

    words: tuple[str, ...]
    value: Value


class Command(NamedTuple):
    """One command: its options, and what stands behind it. `endless`: the last may be repeated.

    `behind`: where an argument depends on those before it.
    """

    verb: str
    purpose: str
    options: tuple[Option, ...]
    arguments: tuple[Value, ...]
    endless: bool
    behind: tuple[Behind, ...] = ()


# Before the command.
EARLY = (
    Option(("--help", "-h"), "show all commands", None, False),
    Option(("--home",), "the folder of ragd's files", Value("folder", name="DIR"), False),
    Option(("--json",), "answers for programs", None, False),
    Option(("--version", "-V"), "show the version", None, False),
)


def commands() -> list[Command]:
    """All of them, in the order of the help."""
    return [_command(verb) for verb in PURPOSES]


def _command(verb: str) -> Command:
    _, parser = command(verb)
    options = [action for action in parser._actions if action.option_strings]
    arguments = [action for action in parser._actions if not action.option_strings]
    return Command(
        verb,
        PURPOSES[verb],
        tuple(_option(verb, action) for action in options),
        tuple(_value(verb, action) for action in arguments),
        any(action.nargs in ("+", "*") for action in arguments),
        tuple(_behind_config()) if verb == "config" else (),
    )


def _option(verb: str, action: argparse.Action) -> Option:
    names = tuple(sorted(action.option_strings, key=len, reverse=True))
    value = _value(verb, action) if action.nargs != 0 else None
    repeats = isinstance(action, argparse._AppendAction)
    return Option(names, " ".join((action.help or "").split()), value, repeats)


def _value(verb: str, action: argparse.Action) -> Value:
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if isinstance(action.type, OneOf):
        return Value("words", action.type.choices, name)
    if words := offered().get((verb, action.dest)):
        return Value("words", words, name)
    if action.metavar in _FOLDERS:
        return Value("folder", name=name)
    return Value("file" if action.metavar in _FILES else "anything", name=name)


def _behind_config() -> Iterator[Behind]:
    """The keys, and the values of those that take certain words or a folder."""
    known = settings()
    for action, takes in ARGUMENTS.items():
        if "KEY" in takes:
            yield Behind((action,), Value("words", tuple(known), "KEY"))
    for key, words in known.items():
        if words:
            yield Behind(("set", key), Value("words", words, "VALUE"))
        elif key in PATHS:
            yield Behind(("set", key), Value("folder", name="VALUE"))
