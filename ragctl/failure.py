"""How a command fails: a message, the next command to type, an exit code. It prints nothing."""

from ragd.errors import EXIT_FAILED, EXIT_NOT_RUNNING, EXIT_TIMEOUT, EXIT_USAGE


class Failure(Exception):
    """A command failed."""

    exit_code = EXIT_FAILED

    def __init__(
        self,
        message: str,
        suggestion: str = "",
        exit_code: int | None = None,
        *,
        code: str = "",
    ) -> None:
        self.message = message
        self.suggestion = suggestion
        self.code = code  # one of the codes in ragd.errors, or empty
        if exit_code is not None:
            self.exit_code = exit_code
        super().__init__(f"{message} {suggestion}".strip())


class UsageError(Failure):
    """The command line is not valid."""

    exit_code = EXIT_USAGE


class NotRunning(Failure):
    """No daemon runs for this home."""

    exit_code = EXIT_NOT_RUNNING


class TimedOut(Failure):
    """A daemon runs but does not answer in time, or a wait ran out of time."""

    exit_code = EXIT_TIMEOUT


class Disconnected(Failure):
    """The daemon closed the connection in the middle of an answer."""


def describe_os_error(why: OSError) -> str:
    """The operating system's error as a sentence."""
    place = f": {why.filename}" if why.filename else ""
    return f"{why.strerror or 'The system returned an error'}{place}."
