"""Where `ragctl` begins, and where every failure becomes a sentence: no traceback gets past here.

`RAGCTL_DEBUG=1` shows the traceback all the same.
"""

import os
import sys

from ragd.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_PERMISSION


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # On a terminal that cannot show a note's name, the command must not end.
            stream.reconfigure(errors="backslashreplace")
    try:
        from ragctl.cli import run

        code = run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return EXIT_OK
    except Exception as why:
        return _tell(why)


def _let_go_of_stdout() -> None:
    """The reader (`| head`) has had enough; the interpreter must not stumble over it at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # a stdout that is no file has nothing left to flush
        return


def _tell(why: Exception) -> int:
    if os.environ.get("RAGCTL_DEBUG"):
        import traceback

        traceback.print_exception(why)
    from ragctl.failure import Failure
    from ragd.errors import RagdError, StartupError

    if isinstance(why, Failure | StartupError | RagdError):
        message, suggestion, code = why.message, why.suggestion, why.exit_code
    elif isinstance(why, OSError):
        place = f": {why.filename}" if why.filename else ""
        message, suggestion = f"{why.strerror or 'The system refused'}{place}.", ""
        code = EXIT_PERMISSION if isinstance(why, PermissionError) else EXIT_FAILED
    else:
        message = f"Something went wrong inside ragctl ({type(why).__name__})."
        suggestion = "Run it again with RAGCTL_DEBUG=1 to see where, and please report it."
        code = EXIT_FAILED
    from ragctl.render import complain

    complain(message, suggestion)
    return code


if __name__ == "__main__":
    sys.exit(main())
