"""What can be typed, as a shell needs to know it: read off the parsers, so that it is never behind
them. One module for each shell makes a script of it. It runs nothing.
"""

import argparse
from typing import NamedTuple

from ragctl.cli import PURPOSES, OneOf, command

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


class Command(NamedTuple):
    """One command: its options, and what stands behind it. `endless`: the last may be repeated."""

    verb: str
    purpose: str
    options: tuple[Option, ...]
    arguments: tuple[Value, ...]
    endless: bool


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
        tuple(_option(action) for action in options),
        tuple(_value(action) for action in arguments),
        any(action.nargs in ("+", "*") for action in arguments),
    )


def _option(action: argparse.Action) -> Option:
    names = tuple(sorted(action.option_strings, key=len, reverse=True))
    value = _value(action) if action.nargs != 0 else None
    repeats = isinstance(action, argparse._AppendAction)
    return Option(names, " ".join((action.help or "").split()), value, repeats)


def _value(action: argparse.Action) -> Value:
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if isinstance(action.type, OneOf):
        return Value("words", action.type.choices, name)
    if action.metavar in _FOLDERS:
        return Value("folder", name=name)
    return Value("file" if action.metavar in _FILES else "anything", name=name)
