"""`ragd` and `python -m ragd`: the daemon in the foreground."""

import argparse

from ragd import __version__
from ragd.errors import EXIT_INTERRUPTED
from ragd.paths import Home
from ragd.runtime.garbage_collection import collector_paused, leave_out_modules
from ragd.runtime.process_exit import exit_before_teardown


def main() -> None:
    """Run the daemon of one home until it is stopped."""
    parser = argparse.ArgumentParser(
        prog="ragd",
        description="Run the daemon in the foreground. For everyday use, run `ragctl` instead.",
    )
    parser.add_argument(
        "--home", help="the folder with config.json and everything that ragd writes"
    )
    parser.add_argument("--version", action="version", version=f"ragd {__version__}")
    arguments = parser.parse_args()

    from ragd.runtime.certificates import certificates_unread  # with ssl; --version needs none

    with collector_paused(), certificates_unread():
        from ragd.daemon import run
    leave_out_modules()

    try:
        code = run(Home(arguments.home))
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    exit_before_teardown(code)


if __name__ == "__main__":
    main()
