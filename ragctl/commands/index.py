"""`ragctl index`: read the whole vault into the index. On a new machine it sets up first.

It never changes which vault is indexed: a configuration that names another one is left as it is.
"""

import argparse
import os
from shlex import quote

from ragctl import index_job
from ragctl.daemon.client import request
from ragctl.daemon.start import print_version_mismatch
from ragctl.failure import Failure, NotRunning, UsageError
from ragctl.views.render import print_notice
from ragd.paths import Home

EXAMPLES = (
    ("ragctl index --vault ~/Notes", "all there is to type on a new machine"),
    ("ragctl index", "read every note again and bring the index up to date"),
    ("ragctl index --no-wait", "ask for it and come back at once"),
)


def options(parser: argparse.ArgumentParser) -> None:
    index_job.options(parser)
    parser.add_argument(
        "--vault", metavar="FOLDER", help="set up for this vault first, if nothing is set up yet"
    )


def run(args: argparse.Namespace) -> int:
    if args.vault is not None:
        with index_job.failures_are_fatal():
            _make_sure_of(args.home, args.vault)
    return index_job.run(args.home, "full", args)


def _make_sure_of(home: Home, given: str) -> None:
    """Come back only when the configuration, and the daemon if one runs, are about this vault."""
    from ragctl.commands.init import named_vault, set_up, tell_hints, vault_folder

    vault = named_vault(home)
    if vault is not None:
        _refuse_another(home, vault, vault_folder(given))
    else:
        said = set_up(home, given)
        vault = str(said["vault"])
        print_notice(f"{home.config} now names the vault {vault}.")
        tell_hints(said)
    _refuse_a_daemon_of_another(home, vault)


def _refuse_another(home: Home, vault: str, wanted: str) -> None:
    if os.path.realpath(vault) != os.path.realpath(wanted):
        raise UsageError(
            f"{home.config} names the vault {vault}, not {wanted}.",
            f"To index {vault}, run `ragctl index`.\n"
            f"To change to {wanted}, run `ragctl config set vault_path {quote(wanted)}`.",
        )


def _refuse_a_daemon_of_another(home: Home, vault: str) -> None:
    """One that began before the configuration changed still reads the former vault."""
    try:
        answer = request(home, "GET", "/v1/status")
        served = answer.data["vault"]["path"]
    except NotRunning:
        return
    if served != vault:
        print_version_mismatch(answer)
        raise Failure(
            f"The running daemon still serves the vault {served}, not {vault}.",
            "Run `ragctl stop`, then the same command again.",
        )
