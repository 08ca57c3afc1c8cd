"""Where `ragctl` begins, and where every failure becomes a sentence: no traceback gets past here.

With --json it becomes an object instead, on stderr all the same. `RAGCTL_DEBUG=1` shows the
traceback too.
"""

import os
import sys

from ragd.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_PERMISSION


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    typed = sys.argv[1:] if argv is None else argv
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # On a terminal that cannot show a note's name, the command must not end.
            stream.reconfigure(errors="backslashreplace")
    try:
        from ragctl.cli import run

        code = run(typed)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return EXIT_OK
    except Exception as why:
        return _tell(why, as_json=_wants_json(typed))
    finally:
        from ragctl.views.render import set_current_home

        set_current_home(None)  # the next command in this process may be about another home


def _let_go_of_stdout() -> None:
    """The reader (`| head`) has had enough; the interpreter must not stumble over it at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # a stdout that is no file has nothing left to flush
        return


def _wants_json(typed: list[str]) -> bool:
    """Whether a program asked; it may have been refused before the options were understood."""
    options = typed[: typed.index("--")] if "--" in typed else typed
    return "--json" in options


def _tell(why: Exception, *, as_json: bool) -> int:
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
