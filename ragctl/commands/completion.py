"""`ragctl completion`: prints a script that completes commands, options and values in a shell.

The script asks `ragctl completion collections` for names, which reads the configuration only.
"""

import argparse
from importlib import import_module

from ragctl.cli import add_json, one_of
from ragctl.views.render import emit_json
from ragd.errors import EXIT_OK
from ragd.paths import Home

EXAMPLES = (
    ("source <(ragctl completion bash)", "in this shell; add the line to ~/.bashrc to keep it"),
    ("source <(ragctl completion zsh)", "the same for zsh; in ~/.zshrc, put it after compinit"),
    ("ragctl completion fish > ~/.config/fish/completions/ragctl.fish", "permanently, for fish"),
)
SHELLS = ("bash", "zsh", "fish")
NAMES = "collections"


def options(parser: argparse.ArgumentParser) -> None:
    add_json(parser)
    parser.description = (
        f"{parser.description}\n\nThe bash script is tested. Those for zsh and fish follow their"
        " manuals and are not."
    )
    parser.add_argument(
        "shell",
        metavar="SHELL",
        type=one_of(*SHELLS, NAMES),
        help=f"{', '.join(SHELLS)}; or `{NAMES}`: print the names of the collections",
    )


def run(args: argparse.Namespace) -> int:
    if args.shell == NAMES:
        return _print_collections(args.home, args.json)
    from ragctl.completion import read_commands

    shell = import_module(f"ragctl.completion.{args.shell}")
    script = shell.render_script(read_commands())
    if args.json:
        emit_json({"shell": args.shell, "script": script})
    else:
        print(script, end="")
    return EXIT_OK


def _print_collections(home: Home, as_json: bool) -> int:
    """The names that `--collection` accepts, one in each line."""
    from ragd.config import load as configuration
    from ragd.vault.collection_paths import VAULT

    names = [VAULT, *configuration.read(home).collections]
    if as_json:
        emit_json({"collections": names})
    else:
        print("\n".join(names))
    return EXIT_OK
