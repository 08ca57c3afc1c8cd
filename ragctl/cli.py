"""The command line: the table of commands, their options, and a suggestion for mistyped words.

A command's module is imported only when that command is used.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from ragctl.failure import UsageError
from ragctl.views.render import set_current_home
from ragd import __version__
from ragd.errors import EXIT_OK
from ragd.paths import Home

if TYPE_CHECKING:
    from types import ModuleType

# Group, then command, then its purpose. `ragctl --help` shows this table.
COMMANDS = {
    "Set up": {
        "init": "Choose a vault and write the configuration.",
        "config": "Show, check or change the configuration.",
        "collection": "Add, list, rename or remove further folders of notes.",
        "service": "Start the daemon at every login, and again after a crash.",
        "completion": "Print a completion script for your shell.",
        "doctor": "Find out what is wrong, even when the daemon is down.",
        "mirror": "Take over an index from a machine that is gone.",
        "purge": "Remove everything that ragd wrote, and nothing else.",
        "mcp": "Serve the tools to an MCP client, over stdin and stdout.",
        "serve": "Serve the page, and MCP over HTTP, on this machine.",
        "token": "Make, list or revoke tokens for clients over HTTP.",
    },
    "Everyday use": {
        "search": "Ask a question and read the passages that answer it.",
        "show": "Show a passage of a note with the lines around it.",
        "index": "Index the whole vault.",
        "sync": "Index what changed since the last sync.",
        "reindex": "Build a new index next to the old one, then switch to it.",
        "pause": "Pause syncing for a while; `pause resume` ends the pause.",
        "memory": "List, store or forget memories.",
        "approve": "Release or refuse sensitive passages that an agent waits for.",
        "open": "Open the page in your browser.",
        "context": "Say what is in a folder or a collection, in your own words.",
        "status": "Show the daemon's health, and what to do about problems.",
        "start": "Start the daemon.",
        "stop": "Stop the daemon and wait until it has exited.",
        "wait": "Wait until the daemon is healthy, can serve, or is idle.",
    },
    "Inspect": {
        "coverage": "Show what the index has of each collection and folder.",
        "timeline": "Show changes of health, jobs and runs of the last days.",
        "events": "Show the facts that the daemon recorded, or follow new ones.",
        "replay": "Show the state at any past moment, from the log alone.",
        "logs": "Show the daemon's own log.",
    },
}
PURPOSES = {verb: purpose for group in COMMANDS.values() for verb, purpose in group.items()}
FIRST_COMMANDS = ("init", "index", "search", "status", "doctor")  # `ragctl` alone shows these
_ACTIONS = {"resume": "pause resume", "forget": "memory forget"}  # often typed without the verb
_SUGGESTIONS = (*PURPOSES, *_ACTIONS.values())
_GLOBAL_OPTIONS = ("--help", "--home", "--json", "--version")
_HOME_HELP = "the folder of ragd's files (or OBSIDIAN_RAG_HOME)"
_JSON_HELP = "print JSON, for programs (docs/cli-json.md)"


class Parser(argparse.ArgumentParser):
    """argparse, with sentences instead of a usage dump."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(_as_sentence(message), f"See `{self.prog} --help`.")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the line breaks of descriptions. It gets the width here, because argparse would load
    shutil for it at every start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=min(100, _terminal_columns()))


def run(argv: Sequence[str]) -> int:
    """Run the command. Failures are raised; `main` prints them."""
    global_options, rest = _parse_global_options(list(argv))
    if global_options.version:
        print(f"ragctl {__version__}")
        return EXIT_OK
    if global_options.help:
        print(render_overview())
        return EXIT_OK
    if not rest:
        print(render_first_steps())
        return EXIT_OK
    verb, *arguments = rest
    try:
        module, args = parse_command(
            verb, arguments, home=global_options.home, json=global_options.json
        )
    except SystemExit as end:  # argparse has printed the help
        return int(end.code or 0)
    args.home = Home(args.home)
    set_current_home(args.home)
    code: int = module.run(args)
    return code


def parse_command(
    verb: str, arguments: Sequence[str], *, home: str | None = None, json: bool = False
) -> "tuple[ModuleType, argparse.Namespace]":
    """The command's module and its parsed options. Raises UsageError for invalid arguments."""
    module, parser = load_command(verb)
    parser.set_defaults(home=home, json=json)
    args, unknown = _parse(parser, list(arguments))
    if unknown:
        raise _unknown_argument(parser, unknown[0])
    if args.json and not any("--json" in a.option_strings for a in parser._actions):
        raise _unknown_argument(parser, "--json")
    return module, args


def load_command(verb: str) -> "tuple[ModuleType, Parser]":
    """A command's module and its parser."""
    if verb not in PURPOSES:
        raise UsageError(
            f"There is no command `{verb}`.{_did_you_mean(_ACTIONS.get(verb, verb), _SUGGESTIONS)}",
            "Run `ragctl --help` to see the commands.",
        )
    module = import_module(f"ragctl.commands.{verb}")
    return module, _parser_for(verb, module.EXAMPLES, module.options)


def render_first_steps() -> str:
    """The most important commands, each with its purpose."""
    lines = [_SUMMARY, "", *(_purpose_line(verb) for verb in FIRST_COMMANDS)]
    more = len(PURPOSES) - len(FIRST_COMMANDS)
    lines += ["", f"`ragctl --help` shows {more} more; `ragctl COMMAND --help` explains one."]
    return "\n".join([*lines, "New here? Run `ragctl init ~/YourVault`."])


def render_overview() -> str:
    """All commands, each with its purpose."""
    lines = [_SUMMARY]
    for group, commands in COMMANDS.items():
        lines += ["", group, *map(_purpose_line, commands)]
    options = (("--home DIR", _HOME_HELP), ("--json", _JSON_HELP))
    lines += ["", "Before or after the command", *(f"  {o:<10} {text}" for o, text in options)]
    return "\n".join([*lines, "", "`ragctl COMMAND --help` explains a command, with examples."])


_SUMMARY = "The command line for ragd, which answers questions from your Obsidian vault."


def _purpose_line(verb: str) -> str:
    return f"  {verb:<10} {PURPOSES[verb]}"


class OneOf:
    """An option's type: one of these words, with a suggestion for a mistyped one."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    def __call__(self, word: str) -> str:
        if word not in self.choices:
            listed = ", ".join(self.choices)
            raise argparse.ArgumentTypeError(
                f"{word!r} is not one of {listed}.{_did_you_mean(word, self.choices)}"
            )
        return word


def one_of(*choices: str) -> OneOf:
    return OneOf(*choices)


def require_arguments(
    verb: str, action: str, expected: Sequence[str], given: Sequence[str]
) -> None:
    """Raises UsageError if an action of a command got too few or too many arguments."""
    if len(given) != len(expected):
        usage = " ".join(("ragctl", verb, action, *expected))
        raise UsageError(f"Usage: `{usage}`.", f"See `ragctl {verb} --help`.")


def at_least(lowest: float, kind: Callable[[str], float]) -> Callable[[str], float]:
    """An option's type: a number that is not below `lowest`."""

    def check(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = float("nan")
        if not lowest <= number < float("inf"):
            noun = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"{text!r} is not a {noun} of at least {lowest:g}.")
        return number

    return check


def _parse_global_options(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options before the command, and the rest. Not by argparse, which would also accept
    abbreviations."""
    global_options = argparse.Namespace(home=None, json=False, version=False, help=False)
    while argv and argv[0].startswith("-"):
        option, has_value, value = argv.pop(0).partition("=")
        if option == "--home":
            if not has_value and not argv:
                raise UsageError("--home needs a folder.", "Type `--home FOLDER`.")
            global_options.home = value if has_value else argv.pop(0)
        elif option in ("-h", "--help"):
            global_options.help = True
        elif option in ("-V", "--version"):
            global_options.version = True
        elif option == "--json":
            global_options.json = True
        else:
            raise UsageError(
                f"ragctl has no option {option}.{_did_you_mean(option, _GLOBAL_OPTIONS)}",
                "Put a command's options after it; run `ragctl --help` to see the commands.",
            )
    if argv and argv[0] == "help":
        global_options.help = global_options.help or len(argv) == 1
        argv = [argv[1], "--help"] if len(argv) > 1 else []
    return global_options, argv


def _parser_for(
    verb: str, examples: Iterable[tuple[str, str]], options: Callable[[Parser], None]
) -> Parser:
    listed = "\n".join(f"  {command}\n      {effect}" for command, effect in examples)
    parser = Parser(
        prog=f"ragctl {verb}",
        description=PURPOSES[verb],
        epilog=f"examples:\n{listed}",
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
    )
    options(parser)
    parser.add_argument("--home", metavar="DIR", help=_HOME_HELP)
    return parser


def _terminal_columns() -> int:
    try:
        return max(40, os.get_terminal_size().columns - 2)
    except (OSError, ValueError):  # no terminal
        return 80


def _parse(parser: Parser, arguments: list[str]) -> tuple[argparse.Namespace, list[str]]:
    if all(action.option_strings for action in parser._actions):
        return parser.parse_known_args(arguments)
    return parser.parse_known_intermixed_args(arguments)  # slower: it formats the usage each time


def _unknown_argument(parser: Parser, word: str) -> UsageError:
    option = word.partition("=")[0]
    known = [name for action in parser._actions for name in action.option_strings]
    if option.startswith("-"):
        message = f"{parser.prog} has no option {option}.{_did_you_mean(option, known)}"
    else:
        message = f"{parser.prog} does not accept the argument `{word}`."
    return UsageError(message, f"See `{parser.prog} --help`.")


def _did_you_mean(word: str, choices: Iterable[str]) -> str:
    from ragd.close_match import closest

    close = closest(word, choices)
    return f" Did you mean `{close}`?" if close else ""


def _as_sentence(message: str) -> str:
    """A message from argparse, as a sentence."""
    message = message.removeprefix("argument ")
    message = message[:1].upper() + message[1:] if not message.startswith("-") else message
    return message if message.endswith((".", "?")) else message + "."


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json, which most commands have."""
    parser.add_argument("--json", action="store_true", default=False, help=_JSON_HELP)
