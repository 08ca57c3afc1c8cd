"""What can be typed: the table of commands, their options, and a hint for what was mistyped.

It does nothing itself. A command's module is imported only when that command is used.
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

# Group, then command, then what it is for. `ragctl --help` shows this table.
COMMANDS = {
    "Set up": {
        "init": "Choose a vault and write the configuration.",
        "config": "Show, check or change the configuration.",
        "service": "Have the daemon run at every login, and again after a crash.",
        "completion": "Have your shell complete what you type.",
        "doctor": "Look for what is wrong, also when the daemon is down.",
        "purge": "Remove everything that ragd wrote, and nothing else.",
        "mcp": "Serve the four tools to any MCP client, over stdin and stdout.",
    },
    "Every day": {
        "search": "Ask a question and read the passages that answer it.",
        "show": "Show a passage of a note with what stands around it.",
        "index": "Read the whole vault into the index.",
        "sync": "Bring the index up to date with what changed.",
        "reindex": "Build a new index beside the old one, then switch to it.",
        "pause": "Hold syncing for a time; `pause resume` ends it.",
        "memory": "Show what is remembered, add to it, or forget it.",
        "status": "How the daemon is, and what to do about it.",
        "start": "Start the daemon.",
        "stop": "Stop the daemon and wait until it is gone.",
        "wait": "Wait until the daemon is healthy, can serve, or is idle.",
    },
    "Look inside": {
        "events": "Show the facts that the daemon recorded, and follow them.",
        "replay": "Show the state at any moment of the past, from the log alone.",
        "logs": "Show the daemon's own log.",
    },
}
PURPOSES = {verb: purpose for group in COMMANDS.values() for verb, purpose in group.items()}
FIRST = ("init", "index", "search", "status", "doctor")  # what `ragctl` alone shows
ELSEWHERE = {"resume": "pause resume", "forget": "memory forget"}  # looked for by these names
KNOWN = (*PURPOSES, *ELSEWHERE.values())
_BEFORE = ("--help", "--home", "--json", "--version")


class Parser(argparse.ArgumentParser):
    """argparse, with sentences instead of a usage dump."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(_sentence(message), f"See `{self.prog} --help`.")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help as we wrote it. Left to find the width, argparse would load shutil at every start."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=min(100, _columns()))


def run(argv: Sequence[str]) -> int:
    """Do what was typed. Failures are raised, for `main` to tell."""
    early, rest = _before_the_verb(list(argv))
    if early.version:
        print(f"ragctl {__version__}")
        return EXIT_OK
    if early.help:
        print(overview())
        return EXIT_OK
    if not rest:
        print(first_steps())
        return EXIT_OK
    verb, *given = rest
    try:
        module, args = understood(verb, given, home=early.home, json=early.json)
    except SystemExit as end:  # --help was asked for and given
        return int(end.code or 0)
    args.home = Home(args.home)
    set_current_home(args.home)
    code: int = module.run(args)
    return code


def understood(
    verb: str, given: Sequence[str], *, home: str | None = None, json: bool = False
) -> "tuple[ModuleType, argparse.Namespace]":
    """The command and its options. Raises UsageError for what it cannot be asked."""
    module, parser = command(verb)
    parser.set_defaults(home=home, json=json)
    args, unknown = _parse(parser, list(given))
    if unknown:
        raise _unknown(parser, unknown[0])
    if args.json and not any("--json" in a.option_strings for a in parser._actions):
        raise _unknown(parser, "--json")
    return module, args


def command(verb: str) -> "tuple[ModuleType, Parser]":
    """A command's module and what it understands."""
    if verb not in PURPOSES:
        raise UsageError(
            f"There is no command `{verb}`.{_did_you_mean(ELSEWHERE.get(verb, verb), KNOWN)}",
            "Run `ragctl --help` to see the commands.",
        )
    module = import_module(f"ragctl.commands.{verb}")
    return module, _parser_for(verb, module.EXAMPLES, module.options)


def first_steps() -> str:
    """The commands that one needs, each with what it is for."""
    lines = [_WHAT, "", *(_line(verb) for verb in FIRST)]
    more = len(PURPOSES) - len(FIRST)
    lines += ["", f"`ragctl --help` shows {more} more, `ragctl COMMAND --help` tells all of one."]
    return "\n".join([*lines, "New here? `ragctl init ~/YourVault`."])


def overview() -> str:
    """All commands, each with what it is for."""
    lines = [_WHAT]
    for group, commands in COMMANDS.items():
        lines += ["", group, *map(_line, commands)]
    lines += ["", "Before or behind the command", *(f"  {o:<10} {m}" for o, m in _EVERYWHERE)]
    return "\n".join([*lines, "", "`ragctl COMMAND --help` tells all of one, with examples."])


_WHAT = "ragctl asks and steers ragd, which makes your Obsidian vault answer questions."
_EVERYWHERE = (
    ("--home DIR", "the folder of ragd's files (or OBSIDIAN_RAG_HOME)"),
    ("--json", "answers for programs (docs/cli-json.md)"),
)


def _line(verb: str) -> str:
    return f"  {verb:<10} {PURPOSES[verb]}"


class OneOf:
    """An option's type: one of these words, with a hint for one that is nearly right."""

    def __init__(self, *choices: str) -> None:
        self.choices = choices

    def __call__(self, word: str) -> str:
        if word not in self.choices:
            listed = ", ".join(self.choices)
            raise argparse.ArgumentTypeError(
                f"{word!r} is none of {listed}.{_did_you_mean(word, self.choices)}"
            )
        return word


def one_of(*choices: str) -> OneOf:
    return OneOf(*choices)


def at_least(lowest: float, kind: Callable[[str], float]) -> Callable[[str], float]:
    """An option's type: a number that is not below `lowest`."""

    def check(text: str) -> float:
        try:
            number = kind(text)
        except ValueError:
            number = float("nan")
        if not lowest <= number < float("inf"):
            noun = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"{text!r} is not a {noun} from {lowest:g} up.")
        return number

    return check


def _before_the_verb(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    """Options that stand before the command, by hand: there are few, and argparse would guess."""
    early = argparse.Namespace(home=None, json=False, version=False, help=False)
    while argv and argv[0].startswith("-"):
        option, has_value, value = argv.pop(0).partition("=")
        if option == "--home":
            if not has_value and not argv:
                raise UsageError("--home needs a folder.", "Type `--home FOLDER`.")
            early.home = value if has_value else argv.pop(0)
        elif option in ("-h", "--help"):
            early.help = True
        elif option in ("-V", "--version"):
            early.version = True
        elif option == "--json":
            early.json = True
        else:
            raise UsageError(
                f"ragctl has no option {option}.{_did_you_mean(option, _BEFORE)}",
                "Options of a command stand behind it; run `ragctl --help` to see the commands.",
            )
    if argv and argv[0] == "help":
        early.help = early.help or len(argv) == 1
        argv = [argv[1], "--help"] if len(argv) > 1 else []
    return early, argv


def _parser_for(
    verb: str, examples: Iterable[tuple[str, str]], options: Callable[[Parser], None]
) -> Parser:
    listed = "\n".join(f"  {typed}\n      {does}" for typed, does in examples)
    parser = Parser(
        prog=f"ragctl {verb}",
        description=PURPOSES[verb],
        epilog=f"examples:\n{listed}",
        formatter_class=_Help,
        allow_abbrev=False,
    )
    options(parser)
    parser.add_argument(
        "--home", metavar="DIR", help="the folder of ragd's files (or OBSIDIAN_RAG_HOME)"
    )
    return parser


def _columns() -> int:
    try:
        return max(40, os.get_terminal_size().columns - 2)
    except (OSError, ValueError):  # no terminal
        return 80


def _parse(parser: Parser, given: list[str]) -> tuple[argparse.Namespace, list[str]]:
    if all(action.option_strings for action in parser._actions):
        return parser.parse_known_args(given)
    return parser.parse_known_intermixed_args(given)  # slower: it formats the usage each time


def _unknown(parser: Parser, word: str) -> UsageError:
    option = word.partition("=")[0]
    known = [name for action in parser._actions for name in action.option_strings]
    if option.startswith("-"):
        said = f"{parser.prog} has no option {option}.{_did_you_mean(option, known)}"
    else:
        said = f"{parser.prog} does not know what to do with `{word}`."
    return UsageError(said, f"See `{parser.prog} --help`.")


def _did_you_mean(word: str, choices: Iterable[str]) -> str:
    from ragd.close_match import closest

    close = closest(word, choices)
    return f" Did you mean `{close}`?" if close else ""


def _sentence(message: str) -> str:
    """What argparse says, as a sentence."""
    message = message.removeprefix("argument ")
    message = message[:1].upper() + message[1:] if not message.startswith("-") else message
    return message if message.endswith((".", "?")) else message + "."


def add_json(parser: argparse.ArgumentParser) -> None:
    """The option that most commands have."""
    parser.add_argument(
        "--json", action="store_true", default=False, help="for programs (docs/cli-json.md)"
    )
