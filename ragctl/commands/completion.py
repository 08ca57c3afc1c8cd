"""`ragctl completion`: a script that teaches a shell our commands, options and their values."""

import argparse
from importlib import import_module

from ragctl.cli import add_json, one_of
from ragctl.views.render import emit_json
from ragd.errors import EXIT_OK

EXAMPLES = (
    ("source <(ragctl completion bash)", "for this shell; put the line into ~/.bashrc to keep it"),
    ("source <(ragctl completion zsh)", "the same for zsh, behind compinit in ~/.zshrc"),
    ("ragctl completion fish > ~/.config/fish/completions/ragctl.fish", "for fish, for good"),
)
SHELLS = ("bash", "zsh", "fish")


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = (
        f"{parser.description}\n\nThe scripts for zsh and fish were written to their manuals;"
        " only bash's is tested."
    )
    parser.add_argument("shell", metavar="SHELL", type=one_of(*SHELLS), help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    from ragctl.completion import commands

    made = import_module(f"ragctl.completion.{args.shell}").script(commands())
    if args.json:
        emit_json({"shell": args.shell, "script": made})
    else:
        print(made, end="")
    return EXIT_OK
