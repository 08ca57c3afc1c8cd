"""The entry point of `ragctl`. It prints every failure as a sentence, never as a traceback.

With --json it prints a JSON object instead, also on stderr. `RAGCTL_DEBUG=1` adds the traceback.
"""

import os
import sys

from ragd.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_PERMISSION


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a note's name must not end the command.
            stream.reconfigure(errors="backslashreplace")
    try:
        from ragctl.cli import run

        code = run(arguments)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return EXIT_OK
    except Exception as why:
        return _report_failure(why, as_json=_has_json_option(arguments))
    finally:
        from ragctl.views.render import set_current_home

        set_current_home(None)  # the next command in this process may be about another home


def _discard_stdout() -> None:
    """The reader (`| head`) has closed the pipe: avoid a second error when Python exits."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # a stdout without a file descriptor has nothing to flush
        return


def _has_json_option(arguments: list[str]) -> bool:
    """Whether --json was given. The failure may be that the options could not be parsed."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _report_failure(why: Exception, *, as_json: bool) -> int:
    if os.environ.get("RAGCTL_DEBUG"):
        import traceback

        traceback.print_exception(why)
    from ragctl.failure import Failure, describe_os_error
    from ragd.errors import RagdError, StartupError

    suggestion, code, exit_code = "", "", EXIT_FAILED
    if isinstance(why, Failure | StartupError | RagdError):
        message, suggestion, exit_code = why.message, why.suggestion, why.exit_code
        code = "" if isinstance(why, StartupError) else why.code
    elif isinstance(why, OSError):
        message = describe_os_error(why)
        exit_code = EXIT_PERMISSION if isinstance(why, PermissionError) else EXIT_FAILED
    else:
        message = f"Something went wrong inside ragctl ({type(why).__name__})."
        suggestion = "Run it again with RAGCTL_DEBUG=1 to see where, and please report it."
    from ragctl.views.render import print_failure, print_failure_json

    if as_json:
        print_failure_json(message, suggestion, code)
    else:
        print_failure(message, suggestion)
    return exit_code


if __name__ == "__main__":
    sys.exit(main())
