"""What a service manager is to run: this installation's daemon, for one home, by absolute paths."""

import os

from ragctl.daemon.start import daemon_command
from ragctl.service_managers import Program
from ragd.config import load as configuration
from ragd.paths import Home, lies_in
from ragd.runtime.subprocesses import code_folder


def program_of(home: Home) -> Program:
    """Raises ConfigError where the daemon would not start: a service of it would not, either."""
    config = configuration.load(home)
    environment = {"PYTHONSAFEPATH": "1"}
    if place := code_folder():
        environment["PYTHONPATH"] = place
    writable = [home.root]
    vectors = config.vector_store.path or home.vectors
    if not lies_in(vectors, home.root):
        writable.append(vectors)
    if not lies_in(home.socket, home.root):
        writable.append(os.path.dirname(os.path.dirname(home.socket)))
    return Program(
        command=tuple(daemon_command(home)),
        environment=environment,
        home=home,
        vault=config.vault_path,
        writable=tuple(writable),
    )
