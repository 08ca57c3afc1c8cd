"""The command that a service manager runs: this installation's daemon, with absolute paths."""

import os

from ragctl.daemon.start import daemon_command
from ragctl.service_managers import Program
from ragd.config import load as configuration
from ragd.objects.address import is_object_address
from ragd.paths import Home, lies_in
from ragd.runtime.subprocesses import code_folder


def build_program(home: Home) -> Program:
    """The program for a service. Raises ConfigError if the configuration is not valid."""
    config = configuration.load(home)
    environment = {"PYTHONSAFEPATH": "1"}
    if folder := code_folder():
        environment["PYTHONPATH"] = folder
    writable = [home.root]
    vectors = config.vector_store.path or home.vectors
    if not is_object_address(vectors) and not lies_in(vectors, home.root):
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
