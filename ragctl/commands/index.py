"""`ragctl index`: indexes the whole vault. With --vault it first writes a missing configuration.

It never changes a configuration that names another vault.
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
    ("ragctl index --vault ~/Notes", "all you need on a new machine"),
    ("ragctl index", "read every note again and bring the index up to date"),
    ("ragctl index --no-wait", "start the job and return at once"),
)


def options(parser: argparse.ArgumentParser) -> None:
    index_job.options(parser)
    parser.add_argument(
        "--vault", metavar="FOLDER", help="configure this vault first, if there is no configuration"
    )


def run(args: argparse.Namespace) -> int:
    if args.vault is not None:
        with index_job.failures_are_fatal():
            _ensure_vault(args.home, args.vault)
    return index_job.run(args.home, "full", args)


def _ensure_vault(home: Home, given: str) -> None:
    """Make sure that the configuration, and the daemon if one is running, use this vault."""
    from ragctl.commands.init import configured_vault, print_hints, resolve_vault, set_up

    vault = configured_vault(home)
    if vault is not None:
        _require_same_vault(home, vault, resolve_vault(given))
    else:
        result = set_up(home, given)
        vault = str(result["vault"])
        print_notice(f"{home.config} now names the vault {vault}.")
        print_hints(result)
    _require_daemon_uses(home, vault)


def _require_same_vault(home: Home, vault: str, wanted: str) -> None:
    if os.path.realpath(vault) != os.path.realpath(wanted):
        raise UsageError(
            f"{home.config} names the vault {vault}, not {wanted}.",
            f"To index {vault}, run `ragctl index`.\n"
            f"To change to {wanted}, run `ragctl config set vault_path {quote(wanted)}`.",
        )


def _require_daemon_uses(home: Home, vault: str) -> None:
    """A daemon that started before the configuration changed still uses the previous vault."""
    try:
        answer = request(home, "GET", "/v1/status")
        served = answer.data["vault"]["path"]
    except NotRunning:
        return
    if served != vault:
        print_version_mismatch(answer)
        raise Failure(
            f"The running daemon still uses the vault {served}, not {vault}.",
            "Run `ragctl stop`, then the same command again.",
        )
