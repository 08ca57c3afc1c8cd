"""`ragctl completion`: prints a script that completes commands, options and values in a shell."""

import argparse
from importlib import import_module

from ragctl.cli import add_json, one_of
from ragctl.views.render import emit_json
from ragd.errors import EXIT_OK

EXAMPLES = (
    ("source <(ragctl completion bash)", "in this shell; add the line to ~/.bashrc to keep it"),
    ("source <(ragctl completion zsh)", "the same for zsh; in ~/.zshrc, put it after compinit"),
    ("ragctl completion fish > ~/.config/fish/completions/ragctl.fish", "permanently, for fish"),
)
SHELLS = ("bash", "zsh", "fish")


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = (
        f"{parser.description}\n\nThe bash script is tested. Those for zsh and fish follow their"
        " manuals and are not."
    )
    parser.add_argument("shell", metavar="SHELL", type=one_of(*SHELLS), help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    from ragctl.completion import read_commands

    shell = import_module(f"ragctl.completion.{args.shell}")
    script = shell.render_script(read_commands())
    if args.json:
        emit_json({"shell": args.shell, "script": script})
    else:
        print(script, end="")
    return EXIT_OK
